"""Each thing that would make a comparison quietly wrong, and comparisons that are fair."""

import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.jobs.prove.concerns import concerns_about, overlapping_rows
from longway.models.classifier import Inputs, Labelled

TEST = {"held out": Labelled(Inputs(["A kite flew.", "No kite flew."]), ["yes", "no"])}


def rows(*pairs):
    texts, labels = zip(*pairs, strict=True)
    return Labelled(Inputs(list(texts)), list(labels))


def triples(*given):
    texts, contexts, labels = zip(*given, strict=True)
    return Labelled(Inputs(list(texts), list(contexts)), list(labels))


BEFORE = rows(("It did not rain.", "no"), ("It rained.", "yes"))
AFTER = rows(("It hardly rained.", "no"), ("It rained.", "yes"))


def told(before=BEFORE, after=AFTER, tests=TEST):
    return {one.kind: one for one in concerns_about({"before": before, "after": after}, tests)}


def test_a_fair_comparison_raises_no_concern():
    assert told() == {}


def test_a_test_row_in_the_training_data_stops_it_whatever_its_case_and_spaces():
    test = rows(("It  RAINED.\n", "no"), ("Snow fell.", "yes"))
    found = concerns_about({"before": BEFORE, "after": AFTER}, {"snow": test})
    assert [(one.kind, one.count, one.ids, one.refused) for one in found] == [("overlap", 1, (0,), True)] * 2
    assert "1 of 2 rows of the test 'snow' are also in 'before'" in found[0].text
    assert overlapping_rows([BEFORE, AFTER], test).tolist() == [0]
    assert overlapping_rows([AFTER], TEST["held out"]).tolist() == []


def test_pairs_overlap_only_where_text_and_context_are_the_same():
    before = triples(("It rained.", "Rain fell.", "yes"), ("It snowed.", "Rain fell.", "no"))
    after = triples(("It rained.", "Rain fell.", "yes"), ("Snow fell.", "Rain fell.", "no"))
    test = triples(("It rained.", "Sun shone.", "no"), ("it rained.", "rain fell.", "yes"))
    found = told(before, after, {"pairs": test})
    assert set(found) == {"overlap"}
    assert found["overlap"].ids == (1,)


def test_a_test_that_was_part_of_the_rewriting_stops_it():
    found = told(tests={"old": rows(("It did not rain.", "no"), ("Snow fell.", "yes"))})
    assert found["rewritten"].ids == (0,)
    assert found["rewritten"].refused
    assert "'before' that 'after' changed" in found["rewritten"].text
    unchanged = told(tests={"old": rows(("It rained.", "no"), ("Snow fell.", "yes"))})
    assert set(unchanged) == {"overlap"}


def test_versions_with_different_labels_stop_it():
    found = told(after=rows(("It hardly rained.", "maybe"), ("It rained.", "yes")))
    assert found["other labels"].count == 2
    assert found["other labels"].refused
    assert "only one of them has 'maybe', 'no'" in found["other labels"].text


def test_a_test_label_that_training_lacks_stops_it():
    found = told(tests={"t": rows(("A kite flew.", "yes"), ("Perhaps.", "maybe"), ("No kite flew.", "no"))})
    assert set(found) == {"unknown label"}
    assert (found["unknown label"].ids, found["unknown label"].refused) == ((1,), True)


def test_the_same_data_twice_stops_it_in_any_order_but_not_with_other_labels_or_letters():
    turned = rows(("It rained.", "yes"), ("It did not rain.", "no"))
    assert told(after=turned)["same data"].refused
    assert "same data" not in told(after=rows(("It rained.", "no"), ("It did not rain.", "yes")))
    assert "same data" not in told(after=rows(("it rained.", "yes"), ("It did not rain.", "no")))
    twice = rows(("It rained.", "yes"), ("It rained.", "yes"), ("It did not rain.", "no"))
    thrice = rows(("It rained.", "yes"), ("It did not rain.", "no"), ("It did not rain.", "no"))
    assert "same data" not in told(twice, thrice)


def test_unequal_sizes_and_labels_without_a_test_row_are_only_said():
    longer = rows(("It hardly rained.", "no"), ("It rained.", "yes"), ("It poured.", "yes"))
    found = told(after=longer, tests={"t": rows(("A kite flew.", "yes"))})
    assert set(found) == {"sizes", "label not tested"}
    assert not any(one.refused for one in found.values())
    assert "2 rows and 'after' 3" in found["sizes"].text
    assert "no AUROC" in found["label not tested"].text


def test_pairs_here_and_single_texts_there_stop_it():
    test = triples(("A kite flew.", "Wind.", "yes"), ("No kite.", "Calm.", "no"))
    assert told(tests={"t": test})["one text or two"].refused


@pytest.mark.parametrize("where", ["before", "after", "held out"])
def test_data_without_rows_stops_it(where):
    given = {"before": BEFORE, "after": AFTER, **TEST, where: Labelled(Inputs([]), [])}
    found = concerns_about(
        {"before": given["before"], "after": given["after"]}, {"held out": given["held out"]}
    )
    assert [(one.kind, one.refused) for one in found] == [("empty", True)]
    assert repr(where) in found[0].text


def test_what_stops_the_comparison_comes_first_and_is_plain_json():
    longer = rows(("It hardly rained.", "no"), ("It rained.", "yes"), ("It poured.", "yes"))
    found = concerns_about({"before": BEFORE, "after": longer}, {"t": rows(("It rained.", "yes"))})
    assert [one.refused for one in found] == sorted((one.refused for one in found), reverse=True)
    assert json.loads(json.dumps([asdict(one) for one in found]))[0]["ids"] == [0]


texts = st.lists(st.sampled_from(["a", "A ", "b  c", "B c", "d", ""]), min_size=1, max_size=6)


@given(trained=texts, tested=texts)
def test_overlap_equals_comparing_every_pair_of_rows(trained, tested):
    def same(one, other):
        return one.lower().split() == other.lower().split()

    slow = [i for i, one in enumerate(tested) if any(same(one, other) for other in trained)]
    got = overlapping_rows([rows(*((t, "x") for t in trained))], rows(*((t, "y") for t in tested)))
    assert got.tolist() == slow


def test_test_rows_that_training_stops_on_stop_it_and_validation_rows_that_are_trained_on_are_told():
    stops = {"before": rows(("A kite  flew.", "yes"), ("It rained.", "yes"))}
    found = concerns_about({"before": BEFORE, "after": AFTER}, TEST, validation=stops)
    assert [(one.kind, one.count, one.refused) for one in found] == [
        ("stopped on", 1, True),
        ("validation", 1, False),
    ]
    assert found[0].ids == (0,)
    assert "'held out' are validation rows of 'before'" in found[0].text
