"""How GAP is scored and what its two baselines choose, on rows small enough to work out by hand."""

import sys
from pathlib import Path

import polars as pl
import pytest

from tests.english.people.discourses import text_of

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def script(monkeypatch):
    """A module of train/ or runs/, by name."""
    pytest.importorskip("conllu")

    def load(folder, name):
        for other in ("train", "runs"):
            monkeypatch.syspath_prepend(str(ROOT / other))
        monkeypatch.syspath_prepend(str(ROOT / folder))
        for stale in ("chains", "gap", "people", "names", "common"):
            monkeypatch.delitem(sys.modules, stale, raising=False)
        return __import__(name)

    return load


def row_of(gap, sentences, pronoun, names, right=(True, False)):
    document = text_of(*sentences)

    def span(words):
        start = document.text.index(words)
        return start, start + len(words)

    return gap.Row(document, span(pronoun), (span(names[0]), span(names[1])), right, "feminine")


def test_precision_counts_links_and_recall_counts_what_was_there(script):
    right = [(True, False), (False, True), (False, False), (True, False)]
    given = [(True, False), (True, False), (False, True), (False, False)]
    found = script("train", "gap").score(right, given)
    assert (found.links, found.precision, found.recall) == (3, pytest.approx(1 / 3), pytest.approx(1 / 3))
    assert found.f1 == pytest.approx(1 / 3)


def test_nothing_linked_scores_nothing(script):
    assert script("train", "gap").score([(True, False)], [(False, False)]).f1 == 0


MET = ("Ann|NNP|nsubj|1 met|VBD Eve|NNP|obj|1 ~.|.|punct|1", "She|PRP|nsubj|1 smiled|VBD ~.|.|punct|1")
SEEN = (
    "Ann|NNP|nsubj|1 met|VBD Eve|NNP|obj|1 ~.|.|punct|1",
    "Bob|NNP|nsubj|1 saw|VBD her|PRP|obj|1 ~.|.|punct|1",
)
LOST = (
    "Ann|NNP|nsubj|1 told|VBD Eve|NNP|nmod:poss|4 's|POS|case|2 son|NN|obj|1 to|TO|mark|6 find|VB|xcomp|1 her|PRP$|nmod:poss|8 keys|NNS|obj|6",
)


@pytest.mark.parametrize(
    ("sentences", "pronoun", "nearest", "parallel"),
    [
        (MET, "She", 1, 0),  # the subject, though the object is nearer
        (SEEN, "her", 1, 1),  # the object
        (LOST, "her", 1, 0),  # neither subject nor object: four steps to Ann in the parse, five to Eve
    ],
)
def test_what_the_baselines_choose(script, sentences, pronoun, nearest, parallel):
    people = script("runs", "people")
    row = row_of(sys.modules["gap"], sentences, pronoun, ("Ann", "Eve"))
    assert (people.nearest_name(row), people.parallel_name(row)) == (nearest, parallel)


def test_names_are_condensed_to_two_digits_and_whole_per_cents(script):
    columns = {
        "pctfemale": [99.6, 1.0],
        "pctwhite": [50.4, 1.0],
        "pctblack": [9.5, 1.0],
        "pctapi": [0.0, 1.0],
    }
    frame = pl.DataFrame(
        {
            "name": ["ZOE", "RARE"],
            "rank": [1, 2],
            "count": [123456, 99],
            **columns,
            "pctaian": [0.4, 1.0],
            "pcthispanic": [30.1, 1.0],
        }
    )
    names = script("train", "names")
    assert list(names.lines(frame, least=100)) == ["zoe\t120000\t100\t50\t10\t0\t0\t30"]
    assert [names.two_digits(n) for n in (7, 99, 100, 1999)] == [7, 99, 100, 1900]
