"""A row seen by itself has the patterns that the detectors counted in it, and no other."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.data import load
from longway.detect import LEVELS, detectors_for
from longway.detect.reading import Reading
from longway.detect.seen import Seen
from longway.sample import sample_path

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


@pytest.mark.parametrize("level", [one for one in LEVELS if one != "grammar"])
def test_a_row_has_what_the_detector_counts_in_it(rows, level):
    data, texts = rows
    reading = Reading.of(data)
    seen = [Seen({"claim": row["claim"], "evidence": row["evidence"]}) for row in texts]
    draw = np.random.default_rng(0)
    n_there = 0
    for detector in detectors_for(reading, [level]):
        keys = detector.count(reading).keys
        keys = np.sort(draw.permutation(keys)[:N_KEYS])
        matrix = np.concatenate([detector.matrix(piece, keys).toarray() for piece in reading.pieces()])
        for at, key in enumerate(keys.tolist()):
            named = detector.describe(key)
            field = named.field or detector.field
            has = [one.places(level, named.name, field) is not None for one in seen]
            assert has == matrix[:, at].astype(bool).tolist(), named.name
            n_there += sum(has)
    assert n_there > 100


@pytest.mark.parametrize(
    ("level", "pattern", "field", "expected"),
    [
        ("token", "not", "text", {"text": [(0, 3), (8, 11)]}),
        ("ngram", "not so", "text", {"text": [(0, 6)]}),
        ("ngram", "so not", "text", None),  # a comma stands between them
        ("position", "first word: not", "text", {"text": [(0, 3)]}),
        ("position", "last word: not", "text", None),
        ("length", "4 or more words", "text", {}),
        ("length", "5 or more words", "text", None),
        ("surface", "a comma", "text", {"text": [(6, 7)]}),
        ("surface", "no mark at the end", "text", {"text": [(14, 15)]}),
        ("negation", "negation in text", "text", {"text": [(0, 3), (8, 11)]}),
        ("people", "speaks of a woman", "context", {"context": [(0, 3)]}),
        ("pair", "cat (context) + now (text)", "text + context", {"text": [(12, 15)], "context": [(8, 11)]}),
        ("overlap", "no word of text also in context", "text + context", {}),
        ("token", "not", "context", None),
        ("grammar", "7: Her cat/not now", "text + context", None),  # words are in small letters
        ("grammar", "7: her cat/ε", "text + context", None),  # no cat right after "her"
        ("grammar", "7: old cat/not so", "text + context", {"text": [(0, 6)], "context": [(4, 11)]}),
        ("grammar", "7: her old/not now", "text + context", {"text": [(8, 15)], "context": [(0, 7)]}),
        ("grammar", "7: ε/not now", "text + context", {"text": [(8, 15)]}),
        ("grammar", "(7 (8 her/not) (9 old/now))", "text + context", {"text": [(8, 15)], "context": [(0, 7)]}),
        ("grammar", "(7 (8 her/ε) (9 [UNK]/ε))", "text + context", {"context": [(0, 7)]}),
        ("grammar", "rule 7 → 8 9: x/y, ε/so", "text + context", {"text": [(4, 6)]}),
        ("grammar", "rule 7 → 8 9", "text + context", None),
        ("no such level", "not", "text", None),
    ],
)  # fmt: skip
def test_a_pattern_stands_where_a_reader_finds_it(level, pattern, field, expected):
    row = {"text": "Not so, not now", "context": "Her old cat"}
    assert Seen(row).places(level, pattern, field) == expected


@given(
    st.text(alphabet="aAb’'ß \n,!.10/İ", max_size=60),
    st.sampled_from([one for one in LEVELS if one != "people"]),
    st.sampled_from(["a", "a a", "a'b", "first word: a", "ε/a", "an exclamation mark", "no mark at the end", "(1 (2 a) (3 b))"]),
)  # fmt: skip
def test_places_lie_in_the_text(text, level, pattern):
    for spans in (Seen({"text": text}).places(level, pattern, "text") or {}).values():
        assert spans == sorted(spans)
        assert all(0 <= start < end <= len(text) and text[start:end].strip() for start, end in spans)
