"""Which text a row ends with: by hand on small chains, against a slow twin on random ones, and on real runs."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.data import load
from longway.jobs.perturb.job import perturb
from longway.json_values import from_json
from longway.records import Edit
from longway.review.chosen import RowStep, chosen, chosen_row, row_steps, walk
from longway.review.decisions import Decision
from longway.review.edit_list import EditFilter, ReviewedEdit
from longway.review.run_contents import RunContents
from tests.jobs.toy_perturb import pairs_of
from tests.review.made_runs import an_edit, made_run, reviews, rewritten


def steps_from(plan):
    """Steps of one row: (parent, kept, choice) each; the decisions came in the order of `seq`, given as a fourth."""
    return [
        RowStep((f"k{i}",), {"text": f"t{parent}"}, {"text": f"t{i}"}, ("pos", "pos"), is_kept, parent, choice, seq,
             {"text": f"h{i}"} if choice == "hand" else {})
        for i, (parent, is_kept, choice, seq) in enumerate(plan)
    ]  # fmt: skip


def ends_with(plan, **more):
    """The place of the last step that stands, None for the row as it came."""
    way = walk(steps_from(plan), **more)
    return way[-1] if way else None


def test_where_nobody_decided_the_run_did():
    chain = [(None, False, "", 0), (None, True, "", 0), (1, True, "", 0), (1, False, "", 0)]
    assert ends_with(chain) == 2
    assert ends_with(chain, undecided="reject") is None


def test_a_rejected_edit_takes_those_built_upon_it_down():
    assert ends_with([(None, True, "reject", 1), (0, True, "", 0)]) is None
    assert ends_with([(None, True, "reject", 1), (0, True, "accept", 2)]) is None
    assert ends_with([(None, True, "", 0), (0, True, "reject", 1)]) == 0


def test_a_refused_candidate_that_is_accepted_takes_the_place_of_what_the_run_kept():
    assert ends_with([(None, True, "", 0), (None, False, "accept", 1), (0, True, "", 0)]) == 1


def test_what_was_said_last_counts_first():
    assert ends_with([(None, True, "accept", 2), (None, False, "accept", 1)]) == 0
    assert ends_with([(None, True, "accept", 1), (None, False, "accept", 2)]) == 1
    assert ends_with([(None, True, "", 0), (None, False, "accept", 1), (0, True, "accept", 2)]) == 2


def test_an_accepted_edit_stands_upon_one_that_nobody_looked_at():
    assert ends_with([(None, True, "", 0), (0, True, "accept", 1), (1, True, "", 0)], undecided="reject") == 1


def test_nothing_stands_upon_a_text_written_by_hand_but_what_was_accepted_after_it():
    assert ends_with([(None, True, "hand", 1), (0, True, "", 0)]) == 0
    assert ends_with([(None, True, "hand", 2), (0, True, "accept", 1)]) == 0
    assert ends_with([(None, True, "hand", 1), (0, True, "accept", 2)]) == 1


@st.composite
def plans(draw):
    """Candidates of a few rounds, one of each of which the run may have kept; some of them decided on, in any order."""
    plan, kept = [], None
    for _ in range(draw(st.integers(1, 4))):
        n = draw(st.integers(0, 3))
        taken = draw(st.none() | st.integers(0, n - 1)) if n else None
        start = len(plan)
        plan += [(kept, i == taken) for i in range(n)]
        kept = kept if taken is None else start + taken
    seqs = draw(st.permutations(range(1, len(plan) + 1)))
    choices = [draw(st.sampled_from(["", "accept", "reject", "hand"])) for _ in plan]
    return [
        (*one, choice, seq if choice else 0) for one, choice, seq in zip(plan, choices, seqs, strict=True)
    ]


def best_way(steps, undecided):
    """Slow and obvious: of all ways through the tree that may be gone, the one on which the latest decisions lie.

    Of a way count the latest decision, then the latest behind that one, and so on. Behind the last of them the way goes on as
    the run did, as far as it can; nothing stands behind a text by hand but what was accepted after it.
    """
    ways = [[]]
    for place, step in enumerate(steps):
        ways += [[*way, place] for way in ways if (way[-1] if way else None) == step.parent]
    allowed = []
    for way in ways:
        said = [(steps[place].seq, place) for place in way if steps[place].choice in ("accept", "hand")]
        peaks = [
            seq for at, (seq, _) in enumerate(said) if seq > max([s for s, _ in said[at + 1 :]], default=0)
        ]
        last = max(
            (way.index(place) for seq, place in said if seq == (peaks[-1] if peaks else -1)), default=-1
        )
        tail = way[last + 1 :]
        as_run = all(steps[place].is_kept and not steps[place].choice for place in tail)
        overruled = any(
            steps[place].choice == "hand"
            and way[at + 1 :]
            and seq > max([s for s, _ in said[after:]], default=0)
            for after, (seq, place) in enumerate(said, 1)
            for at in [way.index(place)]
        )
        is_rejected = any(steps[place].choice == "reject" for place in way)
        if is_rejected or overruled or not as_run or (tail and undecided == "reject"):
            continue
        allowed.append((peaks, len(tail), way))
    return max(allowed)[2]


@given(plans(), st.sampled_from(["as_run", "reject"]))
def test_random_chains_end_as_the_slow_twin_says(plan, undecided):
    steps = steps_from(plan)
    assert walk(steps, undecided=undecided) == best_way(steps, undecided)


@given(plans(), st.sampled_from(["as_run", "reject"]))
def test_a_row_has_the_text_of_the_last_edit_that_stands(plan, undecided):
    steps = steps_from(plan)
    if not steps:
        return
    way = walk(steps, undecided=undecided)
    row = chosen_row("1", "", steps, undecided=undecided)
    last = steps[way[-1]] if way else None
    assert row.texts == ({"text": "tNone"} if last is None else {**last.after, **last.hand})
    assert row.is_in
    assert row.was_in
    kept = walk([replace(step, choice="", seq=0) for step in steps])
    assert row.as_run == ({"text": f"t{kept[-1]}"} if kept else {"text": "tNone"})
    accepted = {step.keys[0] for step in steps if step.choice in ("accept", "hand")}
    assert set(row.overridden) == accepted - set(row.applied)
    added = chosen_row("1", "0", steps, undecided=undecided)
    assert (added.is_in, added.was_in) == (bool(way), bool(kept))


def numbered(*edits):
    return [
        ReviewedEdit(from_json(Edit, edit), f"k{i}", i, "kept" if edit["accepted"] else "refused", None, edit)
        for i, edit in enumerate(edits, 1)
    ]


def decided(edit, **value):
    return replace(edit, decision=Decision(4, "", "ann", "edit", edit.key, value, 1))


def test_a_candidate_is_built_upon_what_the_run_kept_in_earlier_rounds():
    edits = numbered(
        an_edit(before="a", after="b"),
        an_edit(before="a", after="c", accepted=True),
        an_edit(before="a", after="f"),
        an_edit(before="c", after="d", round=2),
        an_edit(before="c", after="a", round=3, accepted=True),
        an_edit(before="a", after="e", round=4),
    )
    assert [step.parent for step in row_steps(edits)] == [None, None, None, 1, 1, 4]


def test_edits_of_one_candidate_in_two_columns_go_together():
    both = {"accepted": True, "how": "gender", "trace": {"word": "she"}}
    edits = numbered(
        an_edit(field="premise", before="a", after="b", **both),
        an_edit(field="text", before="c", after="d", **both),
    )
    assert len(row_steps(edits)) == 1
    for place in (0, 1):
        some = [decided(edit, choice="reject") if i == place else edit for i, edit in enumerate(edits)]
        assert chosen_row("1", "", row_steps(some)).texts == {"premise": "a", "text": "c"}
    hand = [decided(edits[0], choice="hand", text="ours"), edits[1]]
    assert chosen_row("1", "", row_steps(hand)).texts == {"premise": "ours", "text": "d"}


def test_candidates_of_one_column_do_not_go_together():
    edits = numbered(an_edit(after="b"), an_edit(after="c"), an_edit(after="d", field="premise", how="other"))
    assert [step.keys for step in row_steps(edits)] == [("k1",), ("k2",), ("k3",)]


def dataset_texts(contents, column):
    return {id_: text for table, ids in contents.dataset().tables_with_ids()
            for id_, text in zip(ids, table.frame[column], strict=True)}  # fmt: skip


def test_without_decisions_every_row_of_a_real_rewrite_is_as_the_run_left_it(tmp_path):
    data = tmp_path / "reviews.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in reviews(30)), encoding="utf-8")
    contents = RunContents(rewritten(tmp_path / "run", data))
    texts, rows = dataset_texts(contents, "text"), list(chosen(contents))
    assert {row.id for row in rows} == {
        one.edit.id for one in contents.edits.page(EditFilter(status="kept"), size=500).rows
    }
    assert all(row.texts["text"] == row.as_run["text"] == texts[row.id] and not row.differs for row in rows)
    originals = {str(i): row["text"] for i, row in enumerate(reviews(30))}
    assert all(row.texts["text"] == originals[row.id] for row in chosen(contents, undecided="reject"))


@pytest.mark.parametrize("add", [False, True])
def test_without_decisions_every_pair_of_a_real_perturbation_is_as_the_run_left_it(tmp_path, add):
    data = load(pairs_of(12), text="hypothesis", context="premise", id="pairid")
    perturb(data, add=add, out=tmp_path / "run")
    contents = RunContents(tmp_path / "run")
    texts = {column: dataset_texts(contents, column) for column in ("hypothesis", "premise")}
    rows = list(chosen(contents))
    assert any(len(row.texts) == 2 for row in rows)
    for row in rows:
        assert row.is_in
        assert not row.differs
        assert all(texts[column][row.id] == text for column, text in row.texts.items())
        assert bool(row.source) == add
    assert not any(row.is_in for row in chosen(contents, undecided="reject")) or not add


def test_rows_come_one_by_one_whatever_the_order_of_the_file(tmp_path):
    edits = [
        an_edit(id=str(i % 3), before=f"r{i // 3}", after=f"r{i // 3 + 1}", round=i // 3 + 1, accepted=True)
        for i in range(9)
    ]
    contents = RunContents(made_run(tmp_path / "run", [*edits, an_edit(id="refused")]))
    assert [(row.id, row.texts["text"]) for row in chosen(contents)] == [
        ("0", "r3"),
        ("1", "r3"),
        ("2", "r3"),
    ]
