"""`where` finds in a row the patterns that the detectors counted in it, and no other."""

import json
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from longway.data import load
from longway.detect.detector import Description, Detector, TokenizedText, tagged
from longway.detect.findings import search
from longway.detect.levels import TokenizedRow, detectors_for, where
from longway.detect.reading import Reading
from longway.detect.words import PLACES, SufficientDetector
from longway.levels import AUDITED, LEVELS, Level
from longway.records import Pattern
from longway.sample import sample_path
from tests.conftest import reading_of

ODD = (
    "", "...", "İstanbul isn’t ISTANBUL", "10/10!! No.  It’s 50% off, $5 (1999)…", "the old man and his mother tongue",
    "He or she said: “NEVER” — see www.a.b #x", "映画は良い 映画", "not\nnot not", "a b c d e f g h", "😀 <b>x</b> &amp;",
)  # fmt: skip
N_KEYS = 60  # of each detector


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Pairs of the built-in sample and some odd ones: the dataset, and each row's texts."""
    folder = tmp_path_factory.mktemp("pairs")
    lines = sample_path("claims").read_text(encoding="utf-8").splitlines()[:250]
    found = [json.loads(line) for line in lines]
    odd = [
        {**found[0], "claim": claim or "x", "evidence": evidence}
        for at, claim in enumerate(ODD * 3)
        for evidence in [ODD[at * 7 % len(ODD)]]
    ]
    path = folder / "pairs.jsonl"
    found = [{name: row[name] for name in ("claim", "evidence", "label")} for row in [*found, *odd]]
    path.write_text("".join(json.dumps(row) + "\n" for row in found), encoding="utf-8")
    return load(path, text="claim", context="evidence", label="label"), found


def _check(detector, reading, seen, draw):
    """Compare `where` with `matrix` on every row, for some of the detector's patterns; the number of matches."""
    keys = detector.count(reading).keys
    keys = np.sort(draw.permutation(keys)[:N_KEYS])
    matrix = np.concatenate([detector.matrix(piece, keys).toarray() for piece in reading.pieces()])
    n_shown = 0
    for column, key in enumerate(keys.tolist()):
        pattern = detector.describe(key).pattern
        shows = [where(pattern, row) is not None for row in seen]
        assert shows == matrix[:, column].astype(bool).tolist(), pattern.name
        read_back = Pattern.from_dict(json.loads(json.dumps(pattern.to_dict())))
        assert read_back == pattern
        n_shown += sum(shows)
    return n_shown


@pytest.mark.parametrize("level", [one for one in AUDITED if one not in ("grammar", "concept")])
def test_a_row_shows_what_the_detector_counts_in_it(rows, level):
    data, texts = rows
    reading = Reading.of(data)
    seen = [TokenizedRow({"claim": row["claim"], "evidence": row["evidence"]}) for row in texts]
    draw = np.random.default_rng(0)
    assert sum(_check(detector, reading, seen, draw) for detector in detectors_for(reading, [level])) > 100


def test_a_row_shows_the_sets_of_words_that_are_counted_in_it(rows):
    data, texts = rows
    reading = Reading.of(data)
    seen = [TokenizedRow({"claim": row["claim"]}) for row in texts]
    sets = [("a", "the"), ("not", "the"), ("in", "of", "the"), ("the",), ("the", "unheard")]
    assert _check(SufficientDetector(reading, "text", sets), reading, seen, np.random.default_rng(0)) > 20


@given(
    st.lists(
        st.tuples(
            *[st.lists(st.sampled_from(["a", "b", "not", "she", ",", "!", "10/10", "İ"]), max_size=9)] * 2
        ),
        min_size=12,
        max_size=30,
    )
)
@settings(max_examples=15, deadline=None)
def test_random_rows_show_what_the_detectors_count_in_them(tmp_path_factory, pairs):
    texts = [(" ".join(text) or "x", " ".join(context)) for text, context in pairs]
    path = tmp_path_factory.mktemp("random") / "rows.jsonl"
    lines = [
        {"text": text, "context": context, "label": "ab"[at % 2]} for at, (text, context) in enumerate(texts)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    reading = Reading.of(load(path, text="text", context="context", label="label"))
    seen = [TokenizedRow({"text": text, "context": context}) for text, context in texts]
    for detector in detectors_for(reading):
        _check(detector, reading, seen, np.random.default_rng(0))


TEXT, BOTH = "text", "text + context"


def pair(level, words=(), place="", bound=None):
    return Pattern(level, BOTH, words, place, bound, "context")


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        (Pattern("token", TEXT, ("not",)), "not", {"text": [(0, 3), (8, 11)]}),
        (Pattern("ngram", TEXT, ("not", "so")), "not so", {"text": [(0, 6)]}),
        (Pattern("ngram", TEXT, ("so", "not")), "so not", None),  # a comma is between them
        (Pattern("position", TEXT, ("not",), "first word"), "first word: not", {"text": [(0, 3)]}),
        (Pattern("position", TEXT, ("not",), "last word"), "last word: not", None),
        (Pattern("position", TEXT, ("so", "not"), "first word"), "first word: so not", None),
        (Pattern("position", TEXT, ("not", "now"), "last word"), "last word: not now", {"text": [(8, 15)]}),
        (Pattern("length", TEXT, (), "at least", 4), "4 or more words", {}),
        (Pattern("length", TEXT, (), "at least", 5), "5 or more words", None),
        (Pattern("length", TEXT, (), "at most", 4), "4 or fewer words", {}),
        (Pattern("surface", TEXT, place="a comma"), "a comma", {"text": [(6, 7)]}),
        (Pattern("surface", TEXT, place="no mark at the end"), "no mark at the end", {"text": [(14, 15)]}),
        (Pattern("negation", TEXT, place="text"), "negation in text", {"text": [(0, 3), (8, 11)]}),
        (pair("negation", place="text only"), "negation in text only", {"text": [(0, 3), (8, 11)]}),
        (pair("negation", place="context only"), "negation in context only", None),
        (pair("negation", place="both"), "negation in text and context", None),
        (Pattern("people", "context", place="speaks of a woman"), "speaks of a woman", {"context": [(0, 3)]}),
        (pair("pair", ("cat", "now")), "cat (context) + now (text)", {"text": [(12, 15)], "context": [(8, 11)]}),
        (pair("overlap", (), "at most", 0.0), "no word of text also in context", {}),
        (pair("overlap", (), "at least", 1.0), "every word of text also in context", None),
        (pair("overlap", (), "at least", 0.29), "at least 29% of the words of text also in context", None),
        (Pattern("token", "context", ("not",)), "not", None),
        (Pattern("token", "other", ("not",)), "not", None),
        (Pattern("sufficient", TEXT, ("not", "now")), "not + now", {"text": [(0, 3), (8, 11), (12, 15)]}),
        (Pattern("sufficient", TEXT, ("cat", "now")), "cat + now", None),
        (pair("grammar", ("Her cat\tnot now",), "7"), "Her cat → not now", None),  # tokens are in lower case
        (pair("grammar", ("her cat\t",), "7"), "left out: her cat", None),  # "cat" does not follow "her"
        (pair("grammar", ("old cat\tnot so",), "7"), "old cat → not so", {"text": [(0, 6)], "context": [(4, 11)]}),
        (pair("grammar", ("her old\tnot now",), "7"), "her old → not now", {"text": [(8, 15)], "context": [(0, 7)]}),
        (pair("grammar", ("\tnot now",), "7"), "added: not now", {"text": [(8, 15)]}),
        (pair("grammar", ("her old\tnot now",), "(7 (8 her/not) (9 old/now))"), "her old → not now", {"text": [(8, 15)], "context": [(0, 7)]}),
        (pair("grammar", ("her [UNK]\t",), "7"), "left out: her [rare word]", {"context": [(0, 7)]}),
        (pair("grammar", ("x\ty", "\tso"), "rule 7 → 8 9"), "built like x → y; or added: so", {"text": [(4, 6)]}),
        (pair("grammar", (), "rule 7 → 8 9"), "rule 7 → 8 9", None),
        (Pattern("grammar", TEXT, ("not now",), "7"), "not now", {"text": [(8, 15)]}),
        (Pattern("no such level", TEXT, ("not",)), "not", None),
    ],
)  # fmt: skip
def test_a_pattern_is_named_and_found_as_a_reader_would(pattern, name, expected):
    row = {"text": "Not so, not now", "context": "Her old cat"}
    assert str(pattern) == pattern.name == name
    assert where(pattern, row) == expected
    assert Pattern.from_dict(json.loads(json.dumps(pattern.to_dict()))) == pattern


PATTERNS = [
    *(Pattern(level, TEXT, words) for level in ("token", "ngram", "sufficient") for words in [("a",), ("a", "a"), ("a'b",)]),
    *(Pattern("position", TEXT, words, place) for place in PLACES for words in [("a",), ("a", "b")]),
    *(Pattern("surface", TEXT, place=place) for place in ("an exclamation mark", "no mark at the end")),
    *(Pattern("grammar", TEXT, words, "7") for words in [("a",), ("10 / 10",), ("a b", "a")]),
    Pattern("negation", TEXT, place="text"), Pattern("people", TEXT, place="speaks of a man"), Pattern("length", TEXT, (), "at least", 2),
]  # fmt: skip


@given(st.text(alphabet="aAb’'ß \n,!.10/İ", max_size=60), st.sampled_from(PATTERNS))
def test_spans_lie_in_the_text(text, pattern):
    for spans in (where(pattern, {"text": text}) or {}).values():
        assert spans == sorted(spans)
        assert all(0 <= start < end <= len(text) and text[start:end].strip() for start, end in spans)


@pytest.mark.parametrize("level", LEVELS)
def test_no_row_shows_a_pattern_that_is_known_by_its_name_only(level):
    named = Pattern.from_dict({"level": level, "pattern": "a pattern of an older run", "field": "text"})
    assert named.name == "a pattern of an older run"
    assert where(named, {"text": "a pattern of an older run", "context": "a pattern of an older run"}) is None
    assert Pattern.from_dict(named.to_dict()) == named


@pytest.mark.parametrize(
    "match",
    [
        3, [], {}, {"words": "not", "place": "", "bound": None}, {"words": [3], "place": "", "bound": None},
        {"words": ["a"], "place": None, "bound": None}, {"words": ["a"], "place": "", "bound": "3"}, {"words": ["a"], "place": "", "bound": True},
    ],
)  # fmt: skip
@pytest.mark.parametrize("level", ["token", "pair", "overlap"])
def test_a_malformed_match_is_ignored(level, match):
    row = {"level": level, "pattern": "not", "field": "text", "match": match}
    assert Pattern.from_dict(row) == Pattern(level, "text", place="not")


@pytest.mark.parametrize("level", ["pair", "overlap"])
def test_a_match_that_does_not_fit_its_level_is_ignored(level):
    row = {
        "level": level,
        "pattern": "x",
        "field": "text",
        "match": {"words": ["a"], "place": "", "bound": 0.5},
    }
    assert Pattern.from_dict(row) == Pattern(level, "text", place="x")


def test_a_name_too_long_to_be_kept_is_cut():
    short = Pattern("token", "text", ("a" * 300,)).shortened(200)
    assert short == Pattern("token", "text", place="a" * 200 + "…")
    assert Pattern("token", "text", ("not",)).shortened(200) == Pattern("token", "text", ("not",))


def test_tokens_that_are_known_are_as_good_as_their_text():
    text = TokenizedText.of_tokens(["not", "so", ",", "bad"])
    assert text.tokens == TokenizedText("not so , bad").tokens
    assert TokenizedText.of_tokens([]).tokens == []


class EndingDetector(Detector):
    """Does a word of the text end in "ly"? Written as CONTRIBUTING says, to try it."""

    level = "ending"
    roles = ("text",)

    def __init__(self, reading, role):
        super().__init__(reading, role)
        self._ends = np.array([word.endswith("ly") for word in reading.vocabulary.words])
        pattern = Pattern(self.level, self.field, ("ly",), "a word ends in")
        self.patterns = [Description(pattern, tagged(role, "-ly"))]

    def matrix(self, piece, keys):
        block = piece.blocks[self.role]
        has = block.sum_by_text(self._ends[block.codes]) > 0
        return csr_matrix(has[:, None].astype(np.int64)[:, keys])

    @staticmethod
    def where(row, pattern):
        words = row.columns[pattern.field].words
        spans = [(start, end) for word, start, end in words if word.endswith(pattern.words)]
        return {pattern.field: spans} if spans else None


def test_a_new_detector_is_a_class_and_a_row_of_the_table(monkeypatch):
    monkeypatch.setitem(sys.modules, "longway.detect.ending", sys.modules[__name__])
    monkeypatch.setitem(LEVELS, "ending", Level("ending.EndingDetector", "Say it without the word."))
    texts = [f"{'sadly it rained' if i < 20 else 'it was dry'} on day {i}" for i in range(40)]
    reading = reading_of(texts, ["bad"] * 20 + ["good"] * 20)
    found = search(reading, detectors=detectors_for(reading, ["ending"])).chosen
    assert [(one.finding.pattern.name, one.finding.label) for one in found] == [("a word ends in: ly", "bad")]
    assert where(found[0].finding.pattern, {"text": "Sadly, no."}) == {"text": [(0, 5)]}
