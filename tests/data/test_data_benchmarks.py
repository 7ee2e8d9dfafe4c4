"""The published collections: read from small files of our own in each of their forms, and told what is wrong with them."""

import csv
import gzip
import json
from collections import Counter

import pytest

from longway.data.benchmarks import (
    SentencePair,
    blank_span,
    fingerprint,
    read_association_tests,
    read_crows_pairs,
    read_holistic_bias,
    read_stereoset,
)
from longway.errors import DataError, SettingError

PAIRS = [
    {"sent_more": "Bakers, all of them, are rude.", "sent_less": "Nurses, all of them, are rude.",
     "stereo_antistereo": "stereo", "bias_type": "profession"},
    {"sent_more": 'He said "no" to her.', "sent_less": 'She said "no" to him.',
     "stereo_antistereo": "antistereo", "bias_type": "gender"},
]  # fmt: skip
FLAT = [
    {"type": "intrasentence", "target": "baker", "bias_type": "profession", "context": "The Baker was BLANK.",
     "stereotype": "The baker was early.", "anti-stereotype": "The baker was very late.", "unrelated": "The baker was spoon."},
    {"type": "intersentence", "target": "Oslo", "bias_type": "race", "context": "He is from Oslo.",
     "stereotype": "He skis.", "anti-stereotype": "He hates snow.", "unrelated": "Forks are metal."},
]  # fmt: skip
TEST = {
    "targ1": {"category": "Bakers", "examples": ["Ann", "Bo"]}, "targ2": {"category": "Nurses", "examples": ["Cy", "Di"]},
    "attr1": {"category": "Pleasant", "examples": ["kind"]}, "attr2": {"category": "Unpleasant", "examples": ["rude"]},
}  # fmt: skip


def write_lines(path, rows):
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


# ---- CrowS-Pairs ---------------------------------------------------------------------------------------------------------


def test_pairs_are_the_same_from_csv_and_json_lines(tmp_path):
    with (tmp_path / "pairs.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["", *PAIRS[0], "annotations"])  # the published file numbers its rows
        writer.writeheader()
        writer.writerows({"": i, **row, "annotations": "[]"} for i, row in enumerate(PAIRS))
    expected = [SentencePair(*row.values()) for row in PAIRS]
    assert read_crows_pairs(tmp_path / "pairs.csv") == expected
    assert read_crows_pairs(write_lines(tmp_path / "pairs.jsonl", PAIRS)) == expected
    assert read_crows_pairs(write_lines(tmp_path / "pairs.jsonl.gz", PAIRS)) == expected


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sent_less": ""}, "line 2, has no text under 'sent_less'"),
        (
            {"stereo_antistereo": "both"},
            "line 2, has 'both' under 'stereo_antistereo', which must be one of stereo",
        ),
    ],
)
def test_a_bad_pair_is_told_with_its_line_and_what_was_expected(tmp_path, change, words):
    path = write_lines(tmp_path / "pairs.jsonl", [PAIRS[0], {**PAIRS[1], **change}])
    with pytest.raises(DataError, match=words) as told:
        read_crows_pairs(path)
    assert "Expected a row with sent_more" in str(told.value)


def test_a_missing_column_is_told_with_its_row(tmp_path):
    (tmp_path / "pairs.csv").write_text("sent_more,bias_type\nA man.,age\n", encoding="utf-8")
    with pytest.raises(DataError, match="row 1, lacks 'sent_less'"):
        read_crows_pairs(tmp_path / "pairs.csv")


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_a_file_without_rows_is_told(tmp_path, text):
    (tmp_path / "pairs.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="has no rows"):
        read_crows_pairs(tmp_path / "pairs.jsonl")


@pytest.mark.parametrize("line", ["not json", "[1, 2]", '{"sent_more": '])
def test_a_line_that_is_no_object_is_told(tmp_path, line):
    (tmp_path / "pairs.jsonl").write_text(f"{json.dumps(PAIRS[0])}\n{line}\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 2, is not an object"):
        read_crows_pairs(tmp_path / "pairs.jsonl")


def test_files_that_are_not_there_or_not_text_are_told(tmp_path):
    with pytest.raises(DataError, match="cannot be opened"):
        read_crows_pairs(tmp_path / "nowhere.csv")
    (tmp_path / "pairs.csv").write_bytes(b"sent_more\n\xff\xfe\n")
    with pytest.raises(DataError, match="not UTF-8"):
        read_crows_pairs(tmp_path / "pairs.csv")
    (tmp_path / "pairs.jsonl.gz").write_bytes(b"plain")
    with pytest.raises(DataError, match="cannot be decompressed"):
        read_crows_pairs(tmp_path / "pairs.jsonl.gz")


# ---- StereoSet -----------------------------------------------------------------------------------------------------------


def nested(rows):
    """The same rows in the published form."""
    found = {"intrasentence": [], "intersentence": []}
    for row in rows:
        sentences = [
            {"sentence": row[label], "gold_label": label, "labels": [], "id": label}
            for label in ("unrelated", "stereotype", "anti-stereotype")
        ]
        about = {key: row[key] for key in ("target", "bias_type", "context")}
        found[row["type"]].append({"id": "1", **about, "sentences": sentences})
    return {"version": "1.0", "data": found}


def test_contexts_are_the_same_from_the_published_form_and_from_lines(tmp_path):
    (tmp_path / "dev.json").write_text(json.dumps(nested(FLAT), indent=1), encoding="utf-8")
    lines = read_stereoset(write_lines(tmp_path / "dev.jsonl.gz", FLAT))
    assert read_stereoset(tmp_path / "dev.json") == lines
    assert lines[0].sentences == ("The baker was early.", "The baker was very late.", "The baker was spoon.")
    assert read_stereoset(write_lines(tmp_path / "one.jsonl", FLAT[:1])) == lines[:1]


@pytest.mark.parametrize(
    ("context", "sentence", "fill"),
    [
        ("The Baker was BLANK.", "The baker was early.", "early"),
        ("The Baker was BLANK.", "The baker was very late.", "very late"),
        ("The Baker was BLANK", "The baker was late.", "late."),
        ('"BLANK!" said  the cook.', '"Never!" said the cook.', "Never"),
        ("BLANK people cook.", "kind people cook.", "kind"),
        ("He is from Oslo.", "He skis.", "He skis."),
        ("The old baker was BLANK here.", "Late here.", "Late here."),
    ],
)
def test_what_fills_the_blank_is_found(context, sentence, fill):
    start, end = blank_span(context, sentence)
    assert sentence[start:end] == fill


def test_bad_contexts_are_told_with_their_place(tmp_path):
    with pytest.raises(DataError, match="line 1, is an intrasentence context without BLANK"):
        read_stereoset(write_lines(tmp_path / "a.jsonl", [{**FLAT[0], "context": "The baker."}, FLAT[1]]))
    lacking = {key: value for key, value in FLAT[1].items() if key != "unrelated"}
    with pytest.raises(DataError, match="line 2, lacks 'unrelated'"):
        read_stereoset(write_lines(tmp_path / "b.jsonl", [FLAT[0], lacking]))
    made = nested(FLAT)
    del made["data"]["intersentence"][0]["sentences"][0]
    (tmp_path / "c.json").write_text(json.dumps(made), encoding="utf-8")
    with pytest.raises(DataError, match="intersentence 1, has no sentence with the label 'unrelated'"):
        read_stereoset(tmp_path / "c.json")
    (tmp_path / "d.json").write_text('{"data": {"intrasentence": []}}', encoding="utf-8")
    with pytest.raises(DataError, match="has no list under 'intersentence'"):
        read_stereoset(tmp_path / "d.json")


# ---- WEAT and SEAT -------------------------------------------------------------------------------------------------------


def test_tests_are_read_from_a_file_a_folder_and_lines(tmp_path):
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "weat-b.jsonl").write_text(json.dumps(TEST, indent=2), encoding="utf-8")
    (folder / "weat-a.jsonl").write_text(json.dumps(TEST), encoding="utf-8")
    (folder / "README.md").write_text("no test", encoding="utf-8")
    assert [test.name for test in read_association_tests(folder)] == ["weat-a", "weat-b"]
    one = read_association_tests(folder / "weat-a.jsonl")[0]
    assert (one.x.category, one.y.examples, one.a.examples) == ("Bakers", ("Cy", "Di"), ("kind",))
    lines = write_lines(tmp_path / "all.jsonl.gz", [{"test": "first", **TEST}, {"test": "second", **TEST}])
    assert [test.name for test in read_association_tests(lines)] == ["first", "second"]


def test_bad_tests_are_told_with_their_place(tmp_path):
    broken = {**TEST, "attr2": {"category": "None", "examples": []}}
    with pytest.raises(DataError, match="line 2, 'attr2', has no list of texts under 'examples'"):
        read_association_tests(
            write_lines(tmp_path / "a.jsonl", [{"test": "x", **TEST}, {"test": "y", **broken}])
        )
    with pytest.raises(DataError, match="two tests named 'x'"):
        read_association_tests(write_lines(tmp_path / "b.jsonl", [{"test": "x", **TEST}] * 2))
    with pytest.raises(DataError, match="has no tests"):
        read_association_tests(_folder(tmp_path / "empty", {}))


# ---- HolisticBias --------------------------------------------------------------------------------------------------------

HOLISTIC = {
    "descriptors.json": {
        "age": {"young": ["young", "elderly"], "again": ["young"]},
        "place": {"all": [{"descriptor": "urban", "preference": "reviewed"}, {"descriptor": "Unionist", "article": "a"},
                          {"descriptor": "Latina", "gender": "female"}]},
    },
    "nouns.json": {"female": [["woman", "women"]], "neutral": [["uncle", "uncles"], ["person", "people"]]},
    "standalone_noun_phrases.json": {
        "age": ["{article} {noun} of a certain age", "a teenager"],
        "place": [{"noun_phrase": "{article} {noun} with a visa", "plural_noun_phrase": "{article} {noun} with visas"}],
    },
    "sentence_templates.json": {
        "I'm {noun_phrase}.": {}, "I like {plural_noun_phrase}.": {"must_be_noun": True},
    },
}  # fmt: skip


def _folder(path, files):
    path.mkdir()
    for name, content in files.items():
        (path / name).write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.fixture
def holistic(tmp_path):
    return read_holistic_bias(_folder(tmp_path / "holistic", HOLISTIC))


def test_sentences_are_put_together_as_published(holistic):
    texts = [one.text for axis in holistic.axes for one in holistic.comparable(axis, per_descriptor=100)]
    for text in (
        "I'm a young woman.",
        "I like young women.",
        "I'm an elderly uncle.",  # the article follows the descriptor
        "I'm an urban person.",
        "I'm a Unionist person.",  # or what the file says
        "I'm an uncle of a certain age.",  # or the noun
        "I like uncles of a certain age.",
        "I'm a woman with a visa.",
        "I like people with visas.",
    ):
        assert text in texts
    for text in ("I'm young.", "I'm a teenager.", "I'm a Latina woman.", "I'm a Latina uncle."):
        assert text not in texts
    assert len(texts) == len(set(texts))  # "young" stands in two buckets


def test_compared_are_phrases_with_every_noun(holistic):
    sentences = holistic.comparable("place", per_descriptor=100)
    assert Counter(one.descriptor for one in sentences) == {"urban": 6, "Unionist": 6, "with a visa": 6}
    assert holistic.n_comparable("place") == 18
    assert {one.axis for one in sentences} == {"place"}
    assert "a teenager" not in {one.descriptor for one in holistic.comparable("age", per_descriptor=100)}


@pytest.mark.parametrize(
    ("cap", "templates", "nouns"), [(100, 2, 3), (6, 2, 3), (5, 1, 3), (3, 1, 3), (2, 1, 2)]
)
def test_a_cap_takes_the_same_sentences_for_all_descriptors(holistic, cap, templates, nouns):
    found = {}
    for one in holistic.comparable("age", per_descriptor=cap, seed=3):
        found.setdefault(one.descriptor, []).append((one.template, one.noun))
    assert len({tuple(made) for made in found.values()}) == 1
    made = next(iter(found.values()))
    assert (len({template for template, _ in made}), len({noun for _, noun in made})) == (templates, nouns)
    assert len(made) == templates * nouns


def test_another_seed_draws_other_sentences(holistic):
    drawn = {
        tuple(s.text for s in holistic.comparable("age", per_descriptor=2, seed=seed)) for seed in range(8)
    }
    assert len(drawn) > 1


def test_what_is_wrong_with_a_folder_is_told(tmp_path, holistic):
    with pytest.raises(SettingError, match=r"no axis 'hair'.*age, place"):
        holistic.comparable("hair", per_descriptor=8)
    with pytest.raises(DataError, match=r"lacks nouns\.json, sentence_templates\.json"):
        read_holistic_bias(_folder(tmp_path / "some", {"descriptors.json": {}}))
    for name, content, words in (
        ("nouns.json", {"female": [["woman"]]}, "'female', entry 1"),
        ("descriptors.json", {"age": {"young": [{"article": "a"}]}}, "'age', 'young', entry 1"),
        ("descriptors.json", {"age": ["young"]}, "'age', is not an object"),
        ("sentence_templates.json", {"I am here.": {}}, "has neither {noun_phrase}"),
        ("standalone_noun_phrases.json", {"age": "old"}, "has no list under 'age'"),
    ):
        folder = _folder(tmp_path / f"bad {words[:9]} {name}", {**HOLISTIC, name: content})
        with pytest.raises(DataError, match=words):
            read_holistic_bias(folder)


def test_a_fingerprint_changes_with_the_contents_alone(tmp_path):
    plain, packed = write_lines(tmp_path / "a.jsonl", PAIRS), write_lines(tmp_path / "a.jsonl.gz", PAIRS)
    assert fingerprint([plain]) == fingerprint([packed])
    assert fingerprint([plain]) != fingerprint([write_lines(tmp_path / "b.jsonl", PAIRS[:1])])


# ---- the published collections themselves ----------------------------------------------------------------------------------


def test_the_published_files_are_read_whole(shared):
    pairs = read_crows_pairs(shared("crows_pairs/all.jsonl.gz"))
    assert Counter(pair.direction for pair in pairs) == {"stereo": 1290, "antistereo": 218}
    contexts = read_stereoset(shared("stereoset/dev.jsonl.gz"))
    assert Counter(one.task for one in contexts) == {"intrasentence": 2106, "intersentence": 2123}
    gaps = [
        (text, *blank_span(one.context, text))
        for one in contexts
        if "BLANK" in one.context
        for text in one.sentences
    ]
    assert all((start, end) != (0, len(text)) for text, start, end in gaps)
    assert len(read_association_tests(shared("weat_seat/tests.jsonl.gz"))) == 46
    holistic = read_holistic_bias(shared("holistic_bias"))
    assert len(holistic.axes) == 13
    assert sum(map(holistic.n_comparable, holistic.axes)) > 400_000
