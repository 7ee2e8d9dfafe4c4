"""The peers of CoBA: what they ask, what they add, and what happens when the budget ends; engines are functions here."""

from functools import partial

import pytest

from longway.engines.engine import Written
from longway.errors import BudgetSpent, ColumnError, DataError, SettingError
from longway.methods.method import ALL_DONE
from longway.methods.peers import (
    NO_SOURCE,
    GivenRewrite,
    counterfactual,
    given,
    given_of,
)
from longway.records import BUDGET_SPENT
from longway.verify.form_checks import SurfaceCheck
from tests.methods.parts import Verifier, model, rows_of

TEXTS = ["The soup was cold.", "The film was great.", "A dull book."]
NAMES = ["neg", "pos"]


class Ask:
    """Answers each prompt by a function; ends with the budget after so many."""

    def __init__(self, answer, budget=None):
        self.answer, self.budget, self.prompts, self.samplings = answer, budget, [], []

    def __call__(self, prompts, n, samplings):
        self.samplings += samplings
        for prompt in prompts:
            if self.budget is not None and len(self.prompts) >= self.budget:
                raise BudgetSpent("The budget is spent.")
            self.prompts.append(prompt)
            texts = self.answer(prompt)
            yield Written(tuple(texts)[:n], refusals=() if texts else ("nothing to say",))


def reviews(texts=TEXTS, labels=(0, 1, 0)):
    return rows_of(texts, labels, names=NAMES)


def made(method, rows):
    before = list(rows.texts)
    rounds = list(method(rows))
    assert rows.texts == before  # nothing is changed in place
    return rounds, rows.added_by(edit for one in rounds for edit in one.edits)


def peer(answer, *, budget=None, **options):
    ask = Ask(answer, budget)
    write = model(ask, rows_of(["x", "y"], (0, 1), names=NAMES).task, name="script")
    return partial(counterfactual, write=write, **options), ask


def test_texts_are_added_with_the_other_label_and_their_source():
    method, ask = peer(lambda p: [f"Well: {p.text}", f"Hm: {p.text}"], n=2)
    rounds, added = made(method, reviews())
    assert [e.label for e in added] == ["pos", "pos", "neg", "neg", "pos", "pos"]
    assert added[0].id == "r0+counterfactual1"
    assert {prompt.template for prompt in ask.prompts} == {"counterfactual.v2"}
    edit = rounds[0].edits[0]
    assert (edit.source, edit.method, edit.engine, edit.accepted) == ("r0", "counterfactual", "script", True)
    assert (rounds[0].figures.asked, rounds[0].figures.accepted, rounds[0].stopped) == (3, 6, ALL_DONE)


def test_rows_are_gone_through_in_rounds_of_64():
    rows = reviews([f"Text {i}." for i in range(130)], [i % 2 for i in range(130)])
    rounds, added = made(peer(lambda p: [f"Well: {p.text}"])[0], rows)
    assert [r.figures.asked for r in rounds] == [64, 64, 2]
    assert [bool(r.stopped) for r in rounds] == [False, False, True]
    assert [e.round for r in rounds for e in r.edits][63:66] == [1, 2, 2]
    assert len(added) == len({e.id for e in added}) == 130


def test_no_rows_make_one_round_without_anything():
    rounds, added = made(peer(lambda p: ["x"])[0], reviews([], []))
    assert (len(rounds), added, rounds[0].stopped) == (1, [], ALL_DONE)


def test_what_was_written_before_the_budget_ended_is_kept():
    rows = reviews([f"Text {i}." for i in range(100)], [i % 2 for i in range(100)])
    rounds, added = made(peer(lambda p: [f"Well: {p.text}"], budget=70)[0], rows)
    assert len(added) == 70
    assert rounds[-1].stopped == BUDGET_SPENT


def test_a_budget_that_ends_while_verifying_keeps_what_was_verified():
    method, _ = peer(lambda p: [f"Well: {p.text}"], verify=Verifier(budget=2))
    rounds, added = made(method, reviews())
    assert len(added) == 2
    assert rounds[-1].stopped == BUDGET_SPENT
    assert rounds[0].edits[-1].reason == "not verified"


def test_refused_texts_and_refusals_of_the_engine_are_told():
    method, _ = peer(
        lambda p: [] if "dull" in p.text else [f"Well: {p.text}"],
        verify=Verifier(lambda before, after: "film" not in after),
    )
    rounds, added = made(method, reviews())
    assert [e.text for e in added] == ["Well: The soup was cold."]
    assert rounds[0].figures.rejected == {"judge": 1}
    assert rounds[0].figures.refusals == {"nothing to say": 1}


def test_counterfactuals_get_the_other_label():
    method, ask = peer(lambda p: [f"{p.values['target']}: {p.text}"])
    _, added = made(method, reviews())
    assert [e.label for e in added] == ["pos", "neg", "pos"]
    assert added[0].text == "pos: The soup was cold."
    assert [p.label for p in ask.prompts] == ["neg", "pos", "neg"]


def test_counterfactuals_aim_at_a_label_or_at_any_other_by_the_seed():
    rows = rows_of(["a b", "c d", "e f"] * 4, [0, 1, 2] * 4, names=["x", "y", "z"])
    aimed = made(peer(lambda p: [f"new {p.text}"], to="z")[0], rows)[1]
    assert {e.label for e in aimed} == {"z"}
    one, two = (made(peer(lambda p: [p.text + "!"], seed=3)[0], rows) for _ in range(2))
    assert one[1] == two[1]
    assert all(edit.label_before != edit.label_after for edit in one[0][0].edits)


def test_the_context_of_pairs_stays():
    rows = rows_of(["It is wet."], [0], contexts=["It rains."], names=["entailment", "contradiction"])
    _, added = made(peer(lambda p: ["It is dry."])[0], rows)
    assert (added[0].text, added[0].context, added[0].label) == ("It is dry.", "It rains.", "contradiction")


def test_given_rewrites_are_found_by_id_or_text_and_verified():
    rewrites = [
        GivenRewrite("r0", "The soup was hot.", "pos"),
        GivenRewrite("The film was great.", "The film was awful.", "neg"),
        GivenRewrite("A film that nobody has.", "x", "neg"),
        GivenRewrite("r2", "A fine book.", "excellent"),
        GivenRewrite("r2", "A thrilling book.", "pos"),
    ]
    verify = Verifier(lambda before, after: "awful" not in after)
    rounds, added = made(partial(given, rewrites=rewrites, verify=verify), reviews())
    assert [(e.text, e.label) for e in added] == [("The soup was hot.", "pos"), ("A thrilling book.", "pos")]
    assert rounds[0].figures.refusals == {NO_SOURCE: 1, "the dataset has no label 'excellent'": 1}
    assert rounds[0].figures.rejected == {"judge": 1}
    assert rounds[0].edits[0].engine == "given"


def test_given_pairs_may_bring_a_context_of_their_own():
    rows = rows_of(["It is wet."] * 2, [0, 0], contexts=["It rains.", "It pours."], names=["yes", "no"])
    rewrites = [GivenRewrite("It is wet.", "It is dry.", "no", "It pours."), GivenRewrite("r0", "Wet.", "no")]
    rounds, added = made(partial(given, rewrites=rewrites), rows)
    assert [e.context for e in added] == ["It pours.", "It rains."]
    assert [edit.source for edit in rounds[0].edits] == ["r1", "r0"]


def test_a_text_beside_a_new_context_is_no_copy():
    def verify(candidates):
        return iter([(verdict,) for verdict in SurfaceCheck()(candidates)])

    rows = rows_of(["It is wet."], [0], contexts=["It rains."], names=["yes", "no"])
    rewrites = [
        GivenRewrite("r0", "It is wet.", "no", "It never rains."),
        GivenRewrite("r0", "It is wet.", "no"),
    ]
    rounds, added = made(partial(given, rewrites=rewrites, verify=verify), rows)
    assert [(e.text, e.context) for e in added] == [("It is wet.", "It never rains.")]
    assert [edit.reason for edit in rounds[0].edits] == ["", "", "surface: a copy"]


def test_given_rows_are_read_by_the_names_of_their_columns():
    row = {"model": "m", "original": "a", "original_label": "neg", "counterfactual": "b"}
    assert given_of([row | {"counterfactual_label": "pos"}]) == [GivenRewrite("a", "b", "pos")]
    assert given_of([{"ID": 7, "Text": "b", "Label": 1, "context": "c"}]) == [
        GivenRewrite("7", "b", "1", "c")
    ]
    assert given_of([]) == []
    with pytest.raises(
        ColumnError, match=r"no column counterfactual_label or new_label or label\. Got model"
    ):
        given_of([row])
    with pytest.raises(DataError, match=r"1 of the given rewrites .* row 2"):
        given_of([{"source": "a", "text": "b", "label": "c"}, {"source": "a", "text": " ", "label": "c"}])


def test_a_label_that_is_not_there_is_told():
    method, _ = peer(lambda p: ["x"], to="great")
    with pytest.raises(SettingError, match="no 'great'"):
        list(method(reviews()))
