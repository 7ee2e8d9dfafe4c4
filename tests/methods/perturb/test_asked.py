"""The perturber that asks: what the question says, what is made of answers good and bad, by a real server on this machine."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.engines.answers import Unreadable, read_numbered
from longway.engines.asker import Asker
from longway.engines.engine import Engine, Written
from longway.engines.prompt import description_of, perturb_prompt
from longway.english.people.change import Place, Request
from longway.english.people.words import AXES, parse_attribute
from longway.errors import BudgetSpent, SettingError
from longway.methods.perturb.asked import _lines_in, perturb_by_prompts
from longway.store.journal import Journal
from tests.engines.conftest import engine_of
from tests.engines.loopback import Loopback, completion, error
from tests.environment import without_settings_of_the_user

MAN, WOMAN = parse_attribute("man"), parse_attribute("woman")
ALL = [parse_attribute(name) for names in AXES.values() for name in names]
TEXT = "Ann lost her hat in the rain, and Bob found it."
AFTER = "Al lost his hat in the rain, and Bob found it."
PAIR = Request(("Ann sold her boat. \n\n  She was glad.", "The boat is hers."), Place(0, 9, 12), WOMAN, MAN)


@pytest.fixture(autouse=True)
def no_settings_of_the_user(monkeypatch, tmp_path):
    without_settings_of_the_user(monkeypatch, tmp_path)


class Scripted(Engine):
    """An engine that gives the answers of a list, one for each question, and keeps the questions."""

    name = "scripted"
    can = frozenset({"write"})
    identity = {"engine": "scripted"}  # noqa: RUF012

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    async def write(self, prompt, n, sampling, call=None):
        self.asked.append(prompt)
        answer = self.answers.pop(0)
        return Written((), refusals=(answer[1:],)) if answer.startswith("!") else Written((answer,))

    async def close(self):
        pass


def asked(*answers, requests=None):
    engine = Scripted(*answers)
    return perturb_by_prompts(requests or [about(TEXT)], Asker(engine, Journal(None))), engine


def about(text, word="her", target=MAN):
    start = text.index(word)
    return Request((text,), Place(0, start, start + len(word)), WOMAN, target)


def question(prompt):
    return "\n".join(message["content"] for message in prompt.messages(n=1))


def test_an_answer_in_lines_is_put_back_into_the_row():
    (found,), engine = asked(f"1. {AFTER}")
    assert (found.segments, found.reason) == ((AFTER,), "")
    assert len(engine.asked) == 1


def test_texts_of_several_lines_come_back_with_their_breaks_and_ends():
    (found,), engine = asked("1. Al sold his boat.\n2. He was glad.\n3. The boat is his.", requests=[PAIR])
    assert found.segments == ("Al sold his boat. \n\n  He was glad.", "The boat is his.")
    assert engine.asked[0].values["shown"] == [
        "Ann sold ⟦her⟧ boat. ",
        "  She was glad.",
        "The boat is hers.",
    ]


LINES = st.text(st.characters(exclude_characters="⟦⟧"))


@given(st.lists(LINES, min_size=1, max_size=3), st.data())
def test_lines_are_all_words_of_a_row_and_what_is_between_them_stays(segments, data):
    lines = _lines_in(segments)
    kept = [list(segment) for segment in segments]
    for line in lines:
        text = segments[line.segment][line.start : line.end]
        assert text.strip()
        assert len(text.splitlines()) == 1
        kept[line.segment][line.start : line.end] = [" "] * (line.end - line.start)
    assert not "".join("".join(rest) for rest in kept).strip()


@pytest.mark.parametrize("target", ALL, ids=str)
def test_the_question_says_who_the_person_becomes_and_that_the_rest_stays(target):
    told = question(perturb_prompt([TEXT, "She was sad."], (0, 9, 12), target))
    assert (
        told.count(description_of(target)) >= 2
    )  # in the rules and in the request; examples may have it as well
    assert "letter by letter" in told
    assert "never an instruction" in told
    assert "Ann lost ⟦her⟧ hat" in told
    assert "JSON object" in told
    assert not re.search(r"\{\{|\}\}|\{%|%\}|\{#|\n\n\n", told)


@given(st.text(st.characters(exclude_characters="⟦⟧"), min_size=1))
def test_no_row_can_leave_its_place(text):
    told = perturb_prompt([text, "She left."], (0, 0, 1), MAN).messages(n=1)[-1]["content"]
    assert told.count("<line>") == told.count("</line>") == 2
    assert json.loads(re.search(r"<line>(.*)</line>", told)[1]) == f"⟦{text[0]}⟧{text[1:]}"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "0 lines instead of 1"),
        (AFTER, 'does not begin with "1. "'),
        (f"1. {AFTER}\n2. {AFTER}", "2 lines instead of 1"),
        (f"2. {AFTER}", 'does not begin with "1. "'),
        ("1.", 'does not begin with "1. "'),
        ("1. Al lost ⟦his⟧ hat in the rain, and Bob found it.", "are still there"),
        (f"1. {TEXT}", "nothing was changed"),
        (
            "1. Once upon a time there was a king who had three sons and a horse.",
            "words were changed, and 6 may be",
        ),
        (
            "1. Ann lost his hat in the rain, and Bob found it, letter by letter: words, order.",
            "a piece of the question",
        ),
        ('{"lines": ["1. x"]}', 'does not begin with "1. "'),
    ],
)
def test_an_answer_of_no_use_is_asked_for_once_more_and_then_refused(answer, why):
    (refused,), engine = asked(answer, answer)
    assert why in refused.reason
    assert "not even after a repair" in refused.reason
    assert refused.segments == (TEXT,)
    (first, again) = engine.asked
    assert why in again.values["wrong"]["reason"]
    assert "wrong" not in first.values
    (mended,), _ = asked(answer, f"1. {AFTER}")
    assert mended.segments == (AFTER,)


def test_the_name_of_the_attribute_may_be_written_and_its_years_may_not():
    row = [
        about(
            "A girl lost her hat in the rain, and Bob found it there.", "girl", parse_attribute("middle-aged")
        )
    ]
    wanted = "A middle-aged person lost her hat in the rain, and Bob found it there."
    (found,), _ = asked(f"1. {wanted}", requests=row)
    assert found.segments == (wanted,)
    pasted = wanted.replace("person", "person (45 to 64)")
    (refused,), _ = asked(f"1. {pasted}", f"1. {pasted}", requests=row)
    assert "a piece of the question" in refused.reason


def test_a_line_in_the_quotes_it_was_shown_in_is_read():
    (found,), _ = asked(f"1. {json.dumps(AFTER)}")
    assert found.segments == (AFTER,)
    assert read_numbered('1. "Stop," he said.', 1) == ['"Stop," he said.']
    with pytest.raises(Unreadable, match="1 lines instead of 2"):
        read_numbered("1. It rains.", 2)


def test_an_engine_that_gives_no_answer_is_not_asked_again():
    (found,), engine = asked("!the model declined: no")
    assert found.reason == "the model declined: no"
    assert len(engine.asked) == 1


def test_texts_that_cannot_be_asked_about_are_refused_and_the_others_answered():
    marked = about("⟦x⟧ Ann lost her hat.")
    broken = Request(("She\nleft.",), Place(0, 0, 8), WOMAN, MAN)
    found, engine = asked(f"1. {AFTER}", requests=[marked, about(TEXT), broken])
    assert "contains ⟦ or ⟧" in found[0].reason
    assert found[1].segments == (AFTER,)
    assert found[2].reason == "the chosen word is not a word of one line"
    assert len(engine.asked) == 1


def test_the_end_of_the_budget_is_passed_on(monkeypatch):
    asker = Asker(Scripted(), Journal(None))

    def spent(*_):
        raise BudgetSpent("nothing is left")

    monkeypatch.setattr(asker, "write_all", spent)
    with pytest.raises(BudgetSpent):
        perturb_by_prompts([about(TEXT)], asker)


def answer(call):
    """A server that changes Ann to Al: the first time it forgets a line of several, with a schema or without."""
    content = call.body["messages"][-1]["content"]
    lines = [json.loads(line) for line in re.findall(r"<line>(.*)</line>", content)]
    swaps = {"Ann": "Al", "her": "his", "She": "He", "hers": "his"}
    new = [
        re.sub(r"\b(Ann|hers?|She)\b", lambda word: swaps[word[0]], re.sub("[⟦⟧]", "", line))
        for line in lines
    ]
    if len(new) > 1 and "This question was asked before" not in content:
        new = new[:-1]
    numbered = [f"{number}. {line}" for number, line in enumerate(new, 1)]
    found = json.dumps({"lines": numbered})
    return completion(found if call.has_schema else f"Here they are: {found}")


def without_schemas(call):
    return error(400, "Unknown field: response_format") if call.has_schema else answer(call)


@pytest.mark.parametrize("server_does", [answer, without_schemas])
def test_a_server_perturbs_rows_and_mends_what_it_lost(server_does):
    with Loopback(server_does) as server, Asker(engine_of(server), Journal(None)) as asker:
        found = perturb_by_prompts([about(TEXT), PAIR], asker)
        asked_about = [call for call in server.calls if server_does is answer or not call.has_schema]
    assert [done.segments for done in found] == [
        (AFTER,),
        ("Al sold his boat. \n\n  He was glad.", "The boat is his."),
    ]
    assert len(asked_about) == 3
    assert all(call.body["temperature"] == 0.0 for call in asked_about)


def test_a_place_that_is_none_is_told():
    with pytest.raises(SettingError, match="'place'"):
        perturb_prompt([TEXT], (0, 9, 900), MAN)
    with pytest.raises(SettingError, match="must not contain"):
        perturb_prompt(["⟦her⟧"], (0, 1, 4), MAN)
