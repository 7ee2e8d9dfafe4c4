"""What the writer is asked for each kind of question, line by line; and what is made of draws that only it may give."""

import pytest

from longway.engines.onnx_writer import Draw
from longway.engines.prompt import (
    Prompt,
    alter_prompt,
    counterfactual_prompt,
    edit_prompt,
    identify_prompt,
    judge_prompt,
    mended,
    perturb_prompt,
    realise_prompt,
    rewrite_prompt,
    triples_prompt,
)
from longway.engines.writer_steps import (
    LONGEST_CONTEXT,
    LONGEST_TO_WRITE,
    Implausible,
    UnsupportedPrompt,
    combine_lines,
    judge_input,
    label_words,
    read_changed,
    read_phrase,
    starts_with,
    steps_for,
)
from longway.english.people.demographics import parse_attribute
from longway.english.triples.triple import Triple, parse
from longway.task import task_of

REVIEWS = task_of(["neg", "pos"])
CLAIMS = task_of(["SUPPORTS", "REFUTES"], text_name="claim", context_name="evidence")
HALVES = task_of(["entailment", "not_entailment"], context_name="premise")
TEXT = "The soup was cold and the waiter was rude ."
PLAIN = "The soup was cold and the waiter was rude."
COLD, RUDE = Triple("The soup", "was", "cold"), Triple("The waiter", "was", "rude")


def lines(prompt):
    """The lines of the one step of a question."""
    (step,) = steps_for(prompt)
    return step.lines.split("\n")


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
    assert steps_for(prompt)[0].avoid == prompt.avoid  # all are made less likely


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


def test_triples_are_asked_for_altered_and_said():
    assert lines(triples_prompt(REVIEWS, TEXT))[0] == "triples"
    altered = steps_for(alter_prompt(REVIEWS, [COLD, RUDE], label="neg", target="pos", text=TEXT))
    assert [step.lines.split("\n")[:2] for step in altered] == [
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
    assert first.lines.split("\n") == [
        "turn hypothesis to contradiction", "premise: Evidence.", "hypothesis: The soup was cold", "answer:",
    ]  # fmt: skip
    assert "hypothesis: The waiter was rude" in second.lines
    assert first.key != second.key
    assert first.read(Draw(" The soup was hot\n", True, 5, -0.1)) == "|  | The soup was hot"
    with pytest.raises(Implausible, match="a word that must remain is missing"):
        first.read(Draw(" The salad was cold", True, 5, -0.1))
    with pytest.raises(Implausible, match="copy"):
        first.read(Draw(" The soup was cold", True, 5, -0.1))


def test_the_person_is_marked_and_named_as_in_training():
    she = perturb_prompt(["Ann says she lost her hat."], (0, 9, 12), parse_attribute("non-binary"))
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


def test_an_edit_names_what_is_wanted_and_begins_its_lines_with_the_words_to_put_in():
    (step,) = steps_for(edit_prompt(REVIEWS, TEXT, label="neg", include="of course"))
    assert step.lines.split("\n") == ["edit", f"text: {PLAIN}", "include: of course", "answer:"]
    assert step.starts[0] == "The of course"
    assert all(start.endswith(" of course") for start in step.starts)
    (first,) = steps_for(edit_prompt(REVIEWS, TEXT, label="neg", include="of course", place="first"))
    assert first.lines.split("\n")[2] == "include first: of course"
    assert first.starts == ("Of course",)
    (longer,) = steps_for(edit_prompt(REVIEWS, TEXT, label="neg", least=14))
    assert (longer.lines.split("\n")[2], longer.least) == ("length: at least 14 words", 14)


@pytest.mark.parametrize("n_words", [1, 2, 5, 30])
def test_words_are_put_in_at_many_places_but_not_before_or_after_all_others(n_words):
    text = " ".join(f"w{i}" for i in range(n_words))
    starts = starts_with(text, "in fact", "")
    assert len(starts) <= 12
    assert all(0 < len(start.split()) - 2 < n_words for start in starts)
    assert len(set(starts)) == len(starts)


@pytest.mark.parametrize(
    ("wanted", "line", "why"),
    [
        ({"include": "of course"}, "The soup, of course, was cold and the waiter was rude.", ""),
        (
            {"include": "of course"},
            "The soup was cold in the course of it and the waiter was rude.",
            "are missing",
        ),
        (
            {"include": "Of course", "place": "first"},
            "Of course the soup was cold and the waiter was rude.",
            "",
        ),
        (
            {"include": "Of course", "place": "first"},
            "The soup was of course cold and the waiter was rude.",
            "are missing",
        ),
        (
            {"include": "after all", "place": "last"},
            "The soup was cold and the waiter was rude after all.",
            "",
        ),
        ({"include": "of course"}, "Of course the bread is fresh.", "little in common"),
        ({"most": 4}, "The soup was cold.", ""),
        ({"most": 4}, "The soup was cold and bad.", "wanted length"),
        ({"most": 4}, "Bread and butter cost.", "words added"),
        ({"least": 12}, "The soup was cold and so the waiter was rude to us all.", ""),
        ({"least": 12}, "The soup was cold and the waiter was rude to us.", "wanted length"),
        ({"least": 12}, PLAIN, "copy"),
    ],
)
def test_an_edit_does_what_was_asked_or_is_thrown_away(wanted, line, why):
    (step,) = steps_for(edit_prompt(REVIEWS, PLAIN, label="neg", **wanted))
    draw = Draw(line, True, 9, -0.5)
    if why:
        with pytest.raises(Implausible, match=why):
            step.read(draw)
    else:
        assert step.read(draw) == line


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
        (Prompt("translate.v1", REVIEWS, TEXT), "cannot do 'translate.v1'"),
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
        (realise_prompt(CLAIMS, [COLD], label=None, text=TEXT, context_triples=[RUDE]), "not of a pair"),
        (realise_prompt(REVIEWS, [COLD] * 60, label=None, text=TEXT), "too long"),
        (perturb_prompt([TEXT, "She left."], (1, 0, 3), parse_attribute("man")), "one line only"),
    ],
)
def test_what_the_writer_did_not_learn_is_refused(prompt, why):
    with pytest.raises(UnsupportedPrompt, match=why):
        steps_for(prompt)


def test_asked_again_is_another_draw():
    prompt = triples_prompt(REVIEWS, TEXT)
    assert steps_for(prompt)[0].key != steps_for(mended(prompt, "a", "b"))[0].key


def test_labels_are_called_as_in_training():
    claim = judge_prompt(CLAIMS, "It sings .", context="It -LRB- a cat -RRB- sings .")
    names = label_words(CLAIMS, ["REFUTES", "SUPPORTS"])
    assert names == {"REFUTES": "contradiction", "SUPPORTS": "entailment"}
    lines, words = judge_input(claim, names)
    assert words == ["entailment", "contradiction"]
    assert lines.split("\n") == [
        "judge as entailment or contradiction",
        "premise: It (a cat) sings.",
        "hypothesis: It sings.",
        "answer:",
    ]
    review = judge_prompt(REVIEWS, TEXT)
    assert judge_input(review, label_words(REVIEWS, REVIEWS.labels))[0].split("\n") == [
        "judge as positive or negative",
        "text: The soup was cold and the waiter was rude.",
        "answer:",
    ]


@pytest.mark.parametrize("task", [HALVES, task_of(["positive", "negative", "neutral"]), task_of(["a", "b"])])
def test_labels_that_were_not_learned_have_no_name(task):
    assert label_words(task, task.labels) is None


# ---- how draws are read -------------------------------------------------------------------------------------------------


def read(prompt, text, *, ended=True, step=0):
    return steps_for(prompt)[step].read(drawn(text, ended=ended))


def drawn(text, *, ended=True):
    return Draw(text, ended, 9, -0.5)


def alter(triples=(COLD, RUDE), *, target="pos", keep=(), task=REVIEWS):
    return alter_prompt(task, triples, label="neg", target=target, keep=keep, text=PLAIN)


def realise(*triples, text=PLAIN):
    return realise_prompt(REVIEWS, triples or (COLD, RUDE), label="neg", text=text)


def turn(text=PLAIN, target="pos"):
    return counterfactual_prompt(REVIEWS, text, label="neg", target=target)


def test_triples_on_one_line_become_numbered_lines():
    answer = read(triples_prompt(REVIEWS, PLAIN), "The soup | was | cold ; The waiter | was | rude")
    assert parse(answer) == [COLD, RUDE]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("The soup | was | cold ; The waiter", "1 part"),
        ("The soup | was | cold ; The waiter | was | friendly", "words added"),
        ("The soup | was | cold", "words missing"),
        ("The soup | was | cold ; The soup | was | cold ; The waiter | was | rude", "repeats a statement"),
        ("The | soup was | cold ; The waiter | was | rude", "no statement"),
        ("And the soup | was | cold ; The waiter | was | rude", "no statement"),
        ("The soup | was | cold and the ; The waiter | was | rude", "no statement"),
        ("The soup | of | cold ; The waiter | was | rude", "no statement"),
        ("The soup | was cold to the | is it this she it this ; The waiter | was | rude", "small words"),
    ],
)
def test_doubtful_triples_are_thrown_away(line, why):
    with pytest.raises(Implausible, match=why):
        read(triples_prompt(REVIEWS, PLAIN), line)


def test_a_denial_that_moves_to_another_triple_is_thrown_away():
    text = "The soup was not cold and the waiter was rude."
    with pytest.raises(Implausible, match="negation changed"):
        read(triples_prompt(REVIEWS, text), "The soup | was not | cold ; The waiter | was not | rude")
    assert read(triples_prompt(REVIEWS, text), "The soup | was not | cold ; The waiter | was | rude")


def test_what_does_not_come_to_an_end_is_thrown_away():
    for prompt in (triples_prompt(REVIEWS, PLAIN), alter(), realise(), turn()):
        with pytest.raises(Implausible, match="no end"):
            read(prompt, "The soup | was | hot", ended=False)


def test_each_triple_is_altered_by_itself_and_keeps_its_subject():
    prompt = alter()
    assert len(steps_for(prompt)) == 2
    assert read(prompt, "The soup | was | hot") == "The soup | was | hot"
    for line, why in [
        ("The tea | was | hot", "another subject"),
        ("The soup | was | cold", "copy"),
        ("The soup was hot", "1 part"),
        ("The soup | was | so hot and so good that everyone in town came to taste it at once", "length"),
    ]:
        with pytest.raises(Implausible, match=why):
            read(prompt, line)
    with pytest.raises(Implausible, match="must remain"):
        read(alter(keep=["cold"]), "The soup | was | hot")


def test_altered_triples_are_combine_lines_in_their_places():
    lines = [["The soup | was | hot", "The soup | was | fine"], ["The waiter | was | kind"]]
    answers = combine_lines(alter(), lines, 2)
    assert [parse(answer, n=2)[0].object for answer in answers] == ["hot", "fine"]
    assert combine_lines(alter(), [lines[0], []], 2) == []


def test_a_realised_text_has_the_words_of_its_triples_and_the_form_of_the_original():
    assert read(realise(text="it was bad ."), "The soup was cold, and the waiter was rude") == (
        "the soup was cold , and the waiter was rude ."
    )
    for line, why in [
        ("The soup was cold and the waiter was friendly.", "words added"),
        ("The soup was cold.", "words missing"),
        ("The soup was cold and the waiter was rude and it was to the is it that of he it.", "length"),
        ("The soup | was | cold", "not a plain text"),
    ]:
        with pytest.raises(Implausible, match=why):
            read(realise(), line)


def test_a_turned_sentence_changes_some_words_and_keeps_most():
    turned = "The soup was hot and the waiter was kind."
    assert read_changed(PLAIN, drawn(turned)) == turned
    for line, why in [
        (PLAIN, "copy"),
        ("The soup and the waiter was cold.", "only leaves words out"),
        ("I would gladly go there again every single day.", "little in common"),
    ]:
        with pytest.raises(Implausible, match=why):
            read(turn(), line)


def test_a_phrase_takes_the_place_of_another_and_its_capitals():
    text = "The soup was cold."
    assert read_phrase("cold", text, drawn("much too salty.")) == "much too salty"
    assert read_phrase("The soup", text, drawn("my tea")) == "My tea"
    assert read_phrase("soup", "the soup was cold", drawn("Tea")) == "tea"
    for line, why in [
        ("soup", "copy"),
        ("colder than any other soup", "length"),
        ("was | hot", "few words"),
        ("", "few words"),
        ("the cold", "copy"),
    ]:
        with pytest.raises(Implausible, match=why):
            read_phrase("cold", text, drawn(line))
    with pytest.raises(Implausible, match="few words"):
        read_phrase("cold", text, drawn("hot", ended=False))


def test_a_text_without_words_is_refused():
    for prompt, why in [
        (Prompt("triple.v1", REVIEWS, PLAIN), "cannot do 'triple.v1'"),
        (identify_prompt(REVIEWS, PLAIN, label="neg", k=3), "cannot do 'identify.v2'"),
        (triples_prompt(REVIEWS, " "), "no text"),
        (alter([Triple.whole("What a day!")]), "not split"),
    ]:
        with pytest.raises(UnsupportedPrompt, match=why):
            steps_for(prompt)
