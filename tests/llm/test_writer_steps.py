"""What the writer is asked for each kind of question, line by line; and what is made of draws that only it may give."""

import pytest

from longway.demographics.axes import attribute
from longway.llm.gguf import Draw
from longway.llm.local_steps import CannotAsk, Implausible
from longway.llm.perturb_prompts import perturb_prompt
from longway.llm.prompt import judge_prompt, rewrite_prompt
from longway.llm.text_prompts import counterfactual_prompt, fill_prompt, translate_prompt
from longway.llm.triple_prompts import alter_prompt, mended, realise_prompt, triples_prompt
from longway.llm.writer_judge import lines_for, names_of
from longway.llm.writer_steps import LONGEST_CONTEXT, LONGEST_TO_WRITE, steps_for
from longway.task import task_of
from longway.triples.triple import Triple

REVIEWS = task_of(["neg", "pos"])
CLAIMS = task_of(["SUPPORTS", "REFUTES"], text_name="claim", context_name="evidence")
HALVES = task_of(["entailment", "not_entailment"], context_name="premise")
TEXT = "The soup was cold and the waiter was rude ."
COLD, RUDE = Triple("The soup", "was", "cold"), Triple("The waiter", "was", "rude")


def lines(prompt):
    """The lines of the one step of a question."""
    (step,) = steps_for(prompt)
    assert step.tail == ""
    return step.head.split("\n")


def test_a_rewriting_names_the_words_to_avoid_that_stand_in_the_text():
    prompt = rewrite_prompt(
        REVIEWS, TEXT, label="neg", avoid=["Cold", "never", "rude", "soup", "waiter", "was cold"]
    )
    assert lines(prompt) == [
        "rewrite",
        "text: The soup was cold and the waiter was rude.",
        "avoid: Cold, rude, soup",
        "answer:",
    ]
    assert steps_for(prompt)[0].avoid == prompt.avoid  # all are pushed down


def test_a_review_is_turned_to_a_side_and_a_claim_by_its_stance():
    assert lines(counterfactual_prompt(REVIEWS, TEXT, label="neg", target="pos"))[0] == "turn to positive"
    prompt = counterfactual_prompt(
        CLAIMS, "It sings .", label="SUPPORTS", target="REFUTES", context="It -LRB- a cat -RRB- sings ."
    )
    assert lines(prompt) == [
        "turn hypothesis to contradiction",
        "premise: It (a cat) sings.",
        "hypothesis: It sings.",
        "answer:",
    ]


def test_each_gap_is_asked_for_by_itself_without_the_word_that_stood_there():
    prompt = fill_prompt(REVIEWS, TEXT, label="neg", marked=[(4, 8), (26, 32)])
    first, second = steps_for(prompt)
    assert first.head.split("\n") == [
        "fill",
        "text: The [[_]] was cold and the waiter was rude.",
        "avoid: soup",
        "answer:",
    ]
    assert "avoid: waiter" in second.head
    assert (first.avoid, second.avoid) == (("soup",), ("waiter",))
    assert first.key != second.key
    assert first.read(Draw(" cold tea\n", True, 3, -0.1)) == "cold tea"


def test_triples_are_asked_for_altered_and_said():
    assert lines(triples_prompt(REVIEWS, TEXT))[0] == "triples"
    altered = steps_for(alter_prompt(REVIEWS, [COLD, RUDE], label="neg", target="pos", text=TEXT))
    assert [step.head.split("\n")[:2] for step in altered] == [
        ["alter to positive", "triple: The soup | was | cold"],
        ["alter to positive", "triple: The waiter | was | rude"],
    ]
    said = realise_prompt(CLAIMS, [COLD, RUDE], label=None, text=TEXT)
    assert lines(said)[:2] == ["say", "triples: The soup | was | cold; The waiter | was | rude"]


def test_a_triple_of_a_pair_is_turned_as_a_sentence():
    prompt = alter_prompt(
        CLAIMS,
        [COLD, RUDE],
        label="SUPPORTS",
        target="REFUTES",
        keep=["the soup"],
        text=TEXT,
        context="Evidence.",
    )
    first, second = steps_for(prompt)
    assert first.head.split("\n") == [
        "turn hypothesis to contradiction", "premise: Evidence.", "hypothesis: The soup was cold", "answer:",
    ]  # fmt: skip
    assert "hypothesis: The waiter was rude" in second.head
    assert first.key != second.key
    assert first.read(Draw(" The soup was hot\n", True, 5, -0.1)) == "|  | The soup was hot"
    with pytest.raises(Implausible, match="a word that must stay is gone"):
        first.read(Draw(" The salad was cold", True, 5, -0.1))
    with pytest.raises(Implausible, match="copy"):
        first.read(Draw(" The soup was cold", True, 5, -0.1))


def test_the_person_is_marked_and_named_as_in_training():
    she = perturb_prompt(["Ann says she lost her hat."], (0, 9, 12), attribute("non-binary"))
    assert lines(she)[:2] == [
        "person to a person whose gender is non-binary or left open",
        "text: Ann says [[she]] lost her hat.",
    ]
    read = steps_for(she)[0].read
    assert (
        read(Draw(" Ann says they have lost their hat.", True, 8, -0.1))
        == "1. Ann says they have lost their hat."
    )
    with pytest.raises(Implausible, match="length"):
        read(Draw(" They lost it.", True, 8, -0.1))


def test_a_long_context_is_cut_to_what_the_text_is_about():
    context = "Nothing of it matters here at all. " * 60 + "The cat sings at night."
    prompt = counterfactual_prompt(
        CLAIMS, "The cat sings.", label="SUPPORTS", target="REFUTES", context=context
    )
    premise = lines(prompt)[1]
    assert "The cat sings at night." in premise
    assert len(premise) <= LONGEST_CONTEXT + len("premise: ")


@pytest.mark.parametrize(
    ("prompt", "why"),
    [
        (translate_prompt(TEXT, language="German"), "cannot do 'translate.v1'"),
        (triples_prompt(CLAIMS, TEXT, context="Evidence."), "single texts only"),
        (triples_prompt(REVIEWS, "word " * LONGEST_TO_WRITE), "too long"),
        (
            counterfactual_prompt(task_of(["a", "b"]), TEXT, label="a", target="b"),
            "cannot aim at the label 'b'",
        ),
        (
            counterfactual_prompt(HALVES, TEXT, label="entailment", target="not_entailment", context="b"),
            "cannot aim at the label 'not_entailment'",
        ),
        (realise_prompt(CLAIMS, [COLD], label=None, text=TEXT, context_triples=[RUDE]), "those of a pair"),
        (realise_prompt(REVIEWS, [COLD] * 60, label=None, text=TEXT), "too long"),
        (perturb_prompt([TEXT, "She left."], (1, 0, 3), attribute("man")), "one line only"),
    ],
)
def test_what_the_writer_did_not_learn_is_refused(prompt, why):
    with pytest.raises(CannotAsk, match=why):
        steps_for(prompt)


def test_asked_again_is_another_draw():
    prompt = triples_prompt(REVIEWS, TEXT)
    assert steps_for(prompt)[0].key != steps_for(mended(prompt, "a", "b"))[0].key


def test_labels_are_called_as_in_training():
    claim = judge_prompt(CLAIMS, "It sings .", context="It -LRB- a cat -RRB- sings .")
    names = names_of(CLAIMS, ["REFUTES", "SUPPORTS"])
    assert names == {"REFUTES": "contradiction", "SUPPORTS": "entailment"}
    lines, words = lines_for(claim, names)
    assert words == ["entailment", "contradiction"]
    assert lines.split("\n") == [
        "judge as entailment or contradiction",
        "premise: It (a cat) sings.",
        "hypothesis: It sings.",
        "answer:",
    ]
    review = judge_prompt(REVIEWS, TEXT)
    assert lines_for(review, names_of(REVIEWS, REVIEWS.labels))[0].split("\n") == [
        "judge as positive or negative",
        "text: The soup was cold and the waiter was rude.",
        "answer:",
    ]


@pytest.mark.parametrize("task", [HALVES, task_of(["positive", "negative", "neutral"]), task_of(["a", "b"])])
def test_labels_that_were_not_learned_have_no_name(task):
    assert names_of(task, task.labels) is None
