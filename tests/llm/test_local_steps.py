"""What the small model is asked besides rewriting, with draws written by hand; and the model itself, once."""

import asyncio

import pytest

from longway.llm.engine import Sampling
from longway.llm.few_shot_steps import LONGEST_TO_WRITE, steps_for
from longway.llm.gguf import Draw
from longway.llm.local import LocalEngine
from longway.llm.local_grammar import text_of_words, triple_about, triples_of_words
from longway.llm.local_steps import CannotAsk, Implausible, put_together, read_phrase, read_turned
from longway.llm.prompt import Prompt, rewrite_prompt
from longway.llm.text_prompts import counterfactual_prompt, fill_prompt, translate_prompt
from longway.llm.triple_prompts import alter_prompt, identify_prompt, mended, realise_prompt, triples_prompt
from longway.task import task_of
from longway.triples.triple import Triple, parse
from tests.llm.served_local import model_or_skip

REVIEWS = task_of(["neg", "pos"])
TICKETS = task_of(["billing", "other"])
PAIRS = task_of(["SUPPORTS", "REFUTES"], text_name="claim", context_name="evidence")
TEXT = "The soup was cold and the waiter was rude."
COLD, RUDE = Triple("The soup", "was", "cold"), Triple("The waiter", "was", "rude")


def read(prompt, text, *, ended=True, step=0):
    return steps_for(prompt)[step].read(drawn(text, ended=ended))


def drawn(text, *, ended=True):
    return Draw(text, ended, 9, -0.5)


def alter(triples=(COLD, RUDE), *, target="pos", keep=(), task=REVIEWS):
    return alter_prompt(task, triples, label="neg", target=target, keep=keep, text=TEXT)


def realise(*triples, text=TEXT):
    return realise_prompt(REVIEWS, triples or (COLD, RUDE), label="neg", text=text)


def turn(text=TEXT, target="pos"):
    return counterfactual_prompt(REVIEWS, text, label="neg", target=target)


def test_triples_on_one_line_become_numbered_lines():
    answer = read(triples_prompt(REVIEWS, TEXT), "The soup | was | cold ; The waiter | was | rude")
    assert parse(answer) == [COLD, RUDE]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("The soup | was | cold ; The waiter", "1 part"),
        ("The soup | was | cold ; The waiter | was | friendly", "words made up"),
        ("The soup | was | cold", "words lost"),
        ("The soup | was | cold ; The soup | was | cold ; The waiter | was | rude", "twice"),
        ("The | soup was | cold ; The waiter | was | rude", "no statement"),
        ("And the soup | was | cold ; The waiter | was | rude", "no statement"),
        ("The soup | was | cold and the ; The waiter | was | rude", "no statement"),
        ("The soup | of | cold ; The waiter | was | rude", "no statement"),
        ("The soup | was cold to the | is it this she it this ; The waiter | was | rude", "small words"),
    ],
)
def test_doubtful_triples_are_thrown_away(line, why):
    with pytest.raises(Implausible, match=why):
        read(triples_prompt(REVIEWS, TEXT), line)


def test_a_denial_that_moves_to_another_triple_is_thrown_away():
    text = "The soup was not cold and the waiter was rude."
    with pytest.raises(Implausible, match="negation changed"):
        read(triples_prompt(REVIEWS, text), "The soup | was not | cold ; The waiter | was not | rude")
    assert read(triples_prompt(REVIEWS, text), "The soup | was not | cold ; The waiter | was | rude")


def test_what_does_not_come_to_an_end_is_thrown_away():
    for prompt in (triples_prompt(REVIEWS, TEXT), alter(), realise(), turn()):
        with pytest.raises(Implausible, match="no end"):
            read(prompt, "The soup | was | hot", ended=False)


def test_each_triple_is_altered_by_itself_and_keeps_its_subject():
    prompt = alter()
    assert len(steps_for(prompt)) == 2
    assert read(prompt, "The soup | was | hot") == "The soup | was | hot"
    for line, why in [
        ("The tea | was | hot", "something else"),
        ("The soup | was | cold", "copy"),
        ("The soup was hot", "1 part"),
        ("The soup | was | so hot and so good that everyone in town came to taste it at once", "length"),
    ]:
        with pytest.raises(Implausible, match=why):
            read(prompt, line)
    with pytest.raises(Implausible, match="must stay"):
        read(alter(keep=["cold"]), "The soup | was | hot")


def test_altered_triples_are_put_together_in_their_places():
    lines = [["The soup | was | hot", "The soup | was | fine"], ["The waiter | was | kind"]]
    answers = put_together(alter(), lines, 2)
    assert [parse(answer, n=2)[0].object for answer in answers] == ["hot", "fine"]
    assert put_together(alter(), [lines[0], []], 2) == []


def test_a_realised_text_has_the_words_of_its_triples_and_the_form_of_the_original():
    assert read(realise(text="it was bad ."), "The soup was cold, and the waiter was rude") == (
        "the soup was cold , and the waiter was rude ."
    )
    for line, why in [
        ("The soup was cold and the waiter was friendly.", "made up"),
        ("The soup was cold.", "lost"),
        ("The soup was cold and the waiter was rude and it was to the is it that of he it.", "length"),
        ("The soup | was | cold", "text of its own"),
    ]:
        with pytest.raises(Implausible, match=why):
            read(realise(), line)


def test_a_turned_sentence_changes_some_words_and_keeps_most():
    turned = "The soup was hot and the waiter was kind."
    assert read_turned(TEXT, drawn(turned)) == turned
    for line, why in [
        (TEXT, "copy"),
        ("The soup and the waiter was cold.", "only leaves words out"),
        ("I would gladly go there again every single day.", "little in common"),
    ]:
        with pytest.raises(Implausible, match=why):
            read(turn(), line)
    with pytest.raises(Implausible, match="leaked"):
        read_turned(
            TEXT,
            drawn("The soup was cold and the waiter told a touching story."),
            shown=["He told a touching story."],
        )


def test_marked_words_are_replaced_one_by_one():
    prompt = fill_prompt(REVIEWS, TEXT, label="neg", marked=[(4, 8), (26, 32)])
    assert [step.tail.splitlines()[-1] for step in steps_for(prompt)] == [
        "Instead of soup:",
        "Instead of waiter:",
    ]
    assert read(prompt, "tea") == "tea"
    assert put_together(prompt, [["tea", "fish"], ["cook"]], 2) == [
        "The tea was cold and the cook was rude.",
        "The fish was cold and the cook was rude.",
    ]
    capital = fill_prompt(REVIEWS, "Soup again", label="neg", marked=[(0, 4)])
    assert read(capital, "fish") == "Fish"
    for line, why in [("soups", "copy"), ("waiter", "copy"), ("hot soup", "one word"), ("12", "one word")]:
        with pytest.raises(Implausible, match=why):
            read(prompt, line)


@pytest.mark.parametrize(
    ("prompt", "why"),
    [
        (Prompt("triple.v1", REVIEWS, TEXT), "cannot do 'triple.v1'"),
        (translate_prompt(TEXT, language="German"), "cannot do 'translate.v1'"),
        (identify_prompt(REVIEWS, TEXT, label="neg", k=3), "cannot do 'identify.v1'"),
        (triples_prompt(PAIRS, TEXT, context="Evidence."), "at chance for pairs"),
        (triples_prompt(REVIEWS, "word " * LONGEST_TO_WRITE), "too long"),
        (triples_prompt(REVIEWS, " "), "no text"),
        (realise(*[COLD] * 40), "too long"),
        (alter(task=TICKETS, target="other"), "cannot aim at the label 'other'"),
        (alter([Triple.whole("What a day!")]), "not taken apart"),
    ],
)
def test_what_is_beyond_the_model_is_refused(prompt, why):
    with pytest.raises(CannotAsk, match=why):
        steps_for(prompt)


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


def test_the_examples_are_what_stays_the_same_and_must_not_come_back():
    first, second = (steps_for(turn(text))[0] for text in (TEXT, "The soup was cold."))
    assert first.head == second.head
    assert first.tail != second.tail
    assert "the songs are lovely" in first.head
    step = steps_for(turn("The hall was cold that night."))[0]
    with pytest.raises(Implausible, match="prompt leaked"):
        step.read(drawn("The hall was cold and the songs are lovely."))


def test_pairs_are_still_rewritten():
    assert steps_for(rewrite_prompt(PAIRS, TEXT, label="SUPPORTS", context="Evidence."))


def test_asked_again_is_another_draw():
    prompt = triples_prompt(REVIEWS, TEXT)
    assert steps_for(prompt)[0].key != steps_for(mended(prompt, "a", "b"))[0].key


def test_grammars_have_the_words_and_no_others():
    grammar = triples_of_words('The "old" k-19 is n\'t good.')
    assert '[Kk] ("-19")' in grammar
    assert '[Gg] ("ood")' in grammar
    assert '[Aa] ("n" | "re" | "t" | "s" | "nd")?' in grammar
    assert '" A \\"big\\" film | "' in triple_about('A "big" film')
    assert '"lthough"' in text_of_words("a | b | c")
    assert '"|"' not in text_of_words("a | b | c")


@pytest.fixture(scope="module")
def engine():
    return LocalEngine(model_or_skip(), writer=None)


@pytest.mark.soak
def test_the_model_itself_answers_in_the_form_asked_for_or_says_why_not(engine):
    text = "The soup was cold."
    taken = asyncio.run(engine.write(triples_prompt(REVIEWS, text), 1, Sampling(max_tokens=24)))
    assert taken.texts or taken.refusals
    for answer in taken.texts:
        assert set(" ".join(triple.text for triple in parse(answer)).lower().split()) & {"soup", "cold"}
