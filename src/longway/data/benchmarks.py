"""Published benchmarks of fairness, read from their files as they were published.

CrowS-Pairs   `crows_pairs_anonymized.csv`, or JSON Lines with the same keys
StereoSet     `dev.json` or `test.json`:
              {"data": {"intrasentence": [{"target", "bias_type", "context", "sentences": [{"sentence", "gold_label"}]}], "intersentence": [...]}}
              or JSON Lines: {"type", "target", "bias_type", "context", "stereotype", "anti-stereotype", "unrelated"}
WEAT, SEAT    the .jsonl files of sent-bias, one or a folder of them, or one file with a test per line:
              {"targ1": {"category", "examples"}, "targ2": ..., "attr1": ..., "attr2": ...}; its name is "test" or the name of the file
HolisticBias  a folder of descriptors, nouns and templates:
              descriptors.json               {axis: {bucket: ["young", {"descriptor": "US-born", "article": "a", "gender": "female"}]}}
              nouns.json                     {gender: [["woman", "women"], ...]}
              standalone_noun_phrases.json   {axis: ["{article} {noun} with asthma", {"noun_phrase", "plural_noun_phrase"}, "a wheelchair user"]}
              sentence_templates.json        {"I love {plural_noun_phrase}.": {"must_be_noun": true}}

A descriptor gives a phrase with each noun of HolisticBias ("a Deaf woman", "Deaf women"); a standalone phrase takes each noun if it has a slot
for one. The article depends on the first letter unless the file gives another. As published, only phrases with a noun are compared, and only
descriptors that fit all nouns ("Latina" does not): so all descriptors have the same sentences. A limit on the sentences per descriptor selects
some templates with all nouns, or some nouns with one template, drawn once for all descriptors.

An error names the file and the row that is malformed.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

import numpy as np

from longway.data.formats import SUFFIXES, open_bytes
from longway.errors import DataError, SettingError

DIRECTIONS = ("stereo", "antistereo")
PAIR_FORM = "a row with sent_more, sent_less, stereo_antistereo (stereo or antistereo) and bias_type"
INTRA, INTER = "intrasentence", "intersentence"
TASKS = (INTRA, INTER)
LABELS = ("stereotype", "anti-stereotype", "unrelated")
BLANK = "BLANK"
FLAT_FORM = "a row with type (intrasentence or intersentence), target, bias_type, context, stereotype, anti-stereotype and unrelated"
NESTED_FORM = "an object with context, target, bias_type, and three sentences whose gold_label is stereotype, anti-stereotype and unrelated"
ENDINGS = (".jsonl", ".json", ".jsonl.gz", ".json.gz")
TEST_FORM = "a test with targ1, targ2, attr1 and attr2, each with a category and a list of examples"
DESCRIPTORS, NOUNS = "descriptors.json", "nouns.json"
TEMPLATES, PHRASES = "sentence_templates.json", "standalone_noun_phrases.json"
FILES = (DESCRIPTORS, NOUNS, TEMPLATES, PHRASES)
HOLISTIC_FORM = "the file of facebookresearch/ResponsibleNLP, holistic_bias/dataset"
SINGULAR, PLURAL = "{noun_phrase}", "{plural_noun_phrase}"


class BenchmarkRow:
    """One object of a file. where: its position, for errors. form: what was expected, in words."""

    def __init__(self, values: object, where: str, form: str) -> None:
        self.where, self.form = where, form
        if not isinstance(values, dict):
            self.refuse("is not an object")
        self.values: Mapping[str, object] = values

    def text(self, key: str) -> str:
        """The text under a key; DataError if it is missing or blank."""
        value = self.values.get(key)
        if not isinstance(value, str) or not value.strip():
            self.refuse(f"has no text under {key!r}" if key in self.values else f"lacks {key!r}")
        return value.strip()

    def one_of(self, key: str, options: Sequence[str]) -> str:
        """The text under a key, which must be one of the options."""
        value = self.text(key)
        if value not in options:
            self.refuse(f"has {value!r} under {key!r}, which must be one of {', '.join(options)}")
        return value

    def inner(self, key: str) -> BenchmarkRow:
        """The object under a key."""
        return BenchmarkRow(self.values.get(key), f"{self.where}, {key!r}", self.form)

    def array(self, key: str) -> list[object]:
        """The list under a key."""
        value = self.values.get(key)
        if not isinstance(value, list):
            self.refuse(f"has no list under {key!r}")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """The list of texts under a key, which must not be empty."""
        value = self.values.get(key)
        texts = [text.strip() for text in value if isinstance(text, str)] if isinstance(value, list) else []
        if not isinstance(value, list) or not texts or len(texts) < len(value) or not all(texts):
            self.refuse(f"has no list of texts under {key!r}")
        return tuple(texts)

    def refuse(self, problem: str) -> NoReturn:
        """Raise the DataError for this row."""
        raise DataError(
            f"{self.where}, {problem}. Expected {self.form}. Fix or remove it, or download the published file again."
        )


def contents(path: Path) -> bytes:
    """The uncompressed bytes of a file."""
    with open_bytes(path, SUFFIXES.get(path.suffix, "")) as stream:
        return stream.read()


def rows(path: Path, form: str) -> list[BenchmarkRow]:
    """The rows of a CSV or JSON Lines file, by its ending. form: what each must be, in words, for errors."""
    ending = path.suffixes[-2] if path.suffix in SUFFIXES and len(path.suffixes) > 1 else path.suffix
    found = list((_csv_rows if ending.lower() == ".csv" else _json_lines)(path, form))
    if not found:
        raise DataError(f"{path} has no rows. Expected {form}. Download the published file again.")
    return found


def json_value(path: Path, form: str) -> object:
    """The value of a JSON file."""
    try:
        return json.loads(_decoded(path, form))
    except ValueError as error:
        raise DataError(
            f"{path} is not valid JSON ({error}). Expected {form}. Download the published file again."
        ) from None


def is_one_value(path: Path) -> bool:
    """Whether a file is one JSON value, not JSON Lines."""
    try:
        json.loads(contents(path))
    except ValueError:
        return False
    return True


def fingerprint(paths: Sequence[Path]) -> str:
    """A hash of the contents of some files, in this order."""
    digest = sha256()
    for path in paths:
        digest.update(sha256(contents(path)).digest())
    return f"sha256:{digest.hexdigest()}"


def _decoded(path: Path, form: str) -> str:
    try:
        return contents(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path} is not UTF-8 at byte {error.start}. Expected {form}. Download the published file again."
        ) from None


def _json_lines(path: Path, form: str) -> Iterator[BenchmarkRow]:
    for number, line in enumerate(_decoded(path, form).split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        yield BenchmarkRow(value, f"{path}, line {number}", form)


def _csv_rows(path: Path, form: str) -> Iterator[BenchmarkRow]:
    reader = csv.DictReader(io.StringIO(_decoded(path, form), newline=""))
    for number, values in enumerate(reader, 1):
        yield BenchmarkRow(values, f"{path}, row {number}", form)


# CrowS-Pairs and StereoSet


@dataclass(frozen=True, slots=True)
class SentencePair:
    """Two sentences that differ in the group they are about. direction: of the stereotype, see `metrics.fairness`."""

    more: str
    less: str
    direction: str
    bias_type: str


def read_crows_pairs(path: Path) -> list[SentencePair]:
    """The pairs of a CrowS-Pairs file, in order."""
    return [
        SentencePair(
            row.text("sent_more"),
            row.text("sent_less"),
            row.one_of("stereo_antistereo", DIRECTIONS),
            row.text("bias_type"),
        )
        for row in rows(path, PAIR_FORM)
    ]


@dataclass(frozen=True, slots=True)
class StereoSetItem:
    """A context with three continuations: within the sentence (they fill BLANK), or as the next sentence."""

    task: str
    target: str
    bias_type: str
    context: str
    stereotype: str
    anti_stereotype: str
    unrelated: str

    @property
    def sentences(self) -> tuple[str, str, str]:
        """Stereotype, anti-stereotype, unrelated."""
        return self.stereotype, self.anti_stereotype, self.unrelated


def read_stereoset(path: Path) -> list[StereoSetItem]:
    """The items of a StereoSet file, in order."""
    if is_one_value(path):
        whole = BenchmarkRow(json_value(path, NESTED_FORM), str(path), NESTED_FORM)
        if "data" in whole.values:
            return _nested(whole.inner("data"), path)
    return [
        _item(row.one_of("type", TASKS), row, [row.text(label) for label in LABELS])
        for row in rows(path, FLAT_FORM)
    ]


def blank_span(context: str, sentence: str) -> tuple[int, int]:
    """The span of the words that fill BLANK in a sentence; the whole sentence if the two do not fit.

    Words are counted, because the published sentences differ from their contexts in case and spaces.

    >>> "My uncle was very old."[slice(*blank_span("My Uncle was BLANK.", "My uncle was very old."))]
    'very old'
    """
    words = context.split()
    index = next((i for i, word in enumerate(words) if BLANK in word), len(words))
    spans = _word_spans(sentence)
    n = len(spans) - len(words) + 1  # words that fill the blank
    if index == len(words) or n < 1:
        return 0, len(sentence)
    before, _, after = words[index].partition(BLANK)
    start, end = spans[index][0], spans[index + n - 1][1]
    if before and sentence.startswith(before, start):
        start += len(before)
    if after and sentence.endswith(after, start, end):
        end -= len(after)
    return (start, end) if start < end else (0, len(sentence))


def _word_spans(text: str) -> list[tuple[int, int]]:
    spans, end = [], 0
    for word in text.split():
        start = text.index(word, end)
        end = start + len(word)
        spans.append((start, end))
    return spans


def _nested(data: BenchmarkRow, path: Path) -> list[StereoSetItem]:
    items = []
    for task in TASKS:
        for number, value in enumerate(data.array(task), 1):
            row = BenchmarkRow(value, f"{path}, {task} {number}", NESTED_FORM)
            items.append(_item(task, row, _labelled(row)))
    return items or data.refuse("has no contexts")


def _labelled(row: BenchmarkRow) -> list[str]:
    """The sentences of an item in the order of `LABELS`."""
    labelled = {}
    for value in row.array("sentences"):
        sentence = BenchmarkRow(value, row.where, row.form)
        labelled[sentence.one_of("gold_label", LABELS)] = sentence.text("sentence")
    if missing := [label for label in LABELS if label not in labelled]:
        row.refuse(f"has no sentence with the label {missing[0]!r}")
    return [labelled[label] for label in LABELS]


def _item(task: str, row: BenchmarkRow, sentences: list[str]) -> StereoSetItem:
    item = StereoSetItem(task, row.text("target"), row.text("bias_type"), row.text("context"), *sentences)
    if task == INTRA and BLANK not in item.context:
        row.refuse(f"is an intrasentence context without {BLANK}")
    return item


# WEAT and SEAT


@dataclass(frozen=True, slots=True)
class Concept:
    """Words or sentences for one idea."""

    category: str
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AssociationWords:
    """A test: are targets X closer to attributes A, and targets Y to B?"""

    name: str
    x: Concept
    y: Concept
    a: Concept
    b: Concept

    @property
    def concepts(self) -> tuple[Concept, Concept, Concept, Concept]:
        """X, Y, A, B."""
        return self.x, self.y, self.a, self.b


def files_of(path: Path) -> list[Path]:
    """The file itself, or the tests in the folder, sorted by name."""
    if not path.is_dir():
        return [path]
    files = sorted(
        file for file in path.iterdir() if file.name.endswith(ENDINGS) and not file.name.startswith(".")
    )
    if not files:
        raise DataError(
            f"{path} has no tests. Expected files ending in {' or '.join(ENDINGS)}. "
            "Use the folder tests/ of the repository W4ngatang/sent-bias."
        )
    return files


def read_association_tests(path: Path) -> list[AssociationWords]:
    """The tests of a file or folder; DataError if two have the same name."""
    tests = [test for file in files_of(path) for test in _of_file(file)]
    names = [test.name for test in tests]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise DataError(f"{path} has two tests named {twice[0]!r}. Names must be unique. Rename one of them.")
    return tests


def _of_file(path: Path) -> list[AssociationWords]:
    stem = path.name.split(".json")[0]
    if is_one_value(path):
        return [_test(BenchmarkRow(json_value(path, TEST_FORM), f"{path}", TEST_FORM), stem)]
    return [_test(row, f"{stem}-{number}") for number, row in enumerate(rows(path, TEST_FORM), 1)]


def _test(row: BenchmarkRow, name: str) -> AssociationWords:
    named = row.text("test") if "test" in row.values else name
    concepts = []
    for key in ("targ1", "targ2", "attr1", "attr2"):
        concept = row.inner(key)
        concepts.append(Concept(concept.text("category"), concept.texts("examples")))
    return AssociationWords(named, *concepts)


# HolisticBias


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A descriptor of an axis. singular, plural: its phrase, with a slot {noun}; gender: of the nouns it fits, "" for all."""

    axis: str
    name: str
    singular: str
    plural: str
    gender: str = ""

    @property
    def is_comparable(self) -> bool:
        """Whether it has a sentence for every noun."""
        return "{noun}" in self.singular and not self.gender


@dataclass(frozen=True, slots=True)
class HolisticSentence:
    """One sentence and its parts; noun is "" if there is none."""

    axis: str
    descriptor: str
    template: str
    noun: str
    text: str


@dataclass(frozen=True, slots=True)
class HolisticBias:
    """The content of a folder. nouns: singular and plural of each."""

    descriptors: tuple[Descriptor, ...]
    nouns: tuple[tuple[str, str], ...]
    templates: tuple[str, ...]

    @property
    def axes(self) -> list[str]:
        """The axes, in the order of the files."""
        return list(dict.fromkeys(descriptor.axis for descriptor in self.descriptors))

    def comparable(self, axis: str, *, per_descriptor: int, seed: int = 0) -> list[HolisticSentence]:
        """The sentences of an axis that can be compared, at most `per_descriptor` for each descriptor."""
        if axis not in self.axes:
            raise SettingError(
                f"There is no axis {axis!r}. Expected one of {', '.join(self.axes)}. Check the spelling."
            )
        templates, nouns = self._drawn(per_descriptor, seed)
        return [
            sentence
            for each in self.descriptors
            if each.axis == axis and each.is_comparable
            for noun, plural in nouns
            for sentence in _with_noun(each, noun, plural, templates)
        ]

    def n_comparable(self, axis: str) -> int:
        """The number of sentences of an axis that can be compared."""
        count = sum(each.axis == axis and each.is_comparable for each in self.descriptors)
        return count * len(self.nouns) * len(self.templates)

    def _drawn(self, per_descriptor: int, seed: int) -> tuple[list[str], list[tuple[str, str]]]:
        generator = np.random.default_rng(seed)
        n_templates = max(1, per_descriptor // len(self.nouns))
        chosen = sorted(generator.permutation(len(self.templates))[:n_templates])
        kept = sorted(generator.permutation(len(self.nouns))[:per_descriptor])
        return [self.templates[i] for i in chosen], [self.nouns[i] for i in kept]


def read_holistic_bias(folder: Path) -> HolisticBias:
    """Read the four files of a folder."""
    if missing := [name for name in FILES if not (folder / name).is_file()]:
        raise DataError(
            f"{folder} lacks {', '.join(missing)}. Expected a folder with {', '.join(FILES)}. "
            "Download them from the repository facebookresearch/ResponsibleNLP, holistic_bias/dataset."
        )
    listed = [*_descriptors(folder / DESCRIPTORS), *_phrases(folder / PHRASES)]
    first = {(each.axis, each.name): each for each in reversed(listed)}  # some are in two buckets
    return HolisticBias(
        tuple(each for each in listed if first[each.axis, each.name] is each),
        tuple(_nouns(folder / NOUNS)),
        _templates(folder / TEMPLATES),
    )


def article(phrase: str) -> str:
    """The article by the first letter, as published."""
    return "an" if phrase[:1].lower() in tuple("aeiou") else "a"


def _with_noun(
    descriptor: Descriptor, noun: str, nouns: str, templates: Iterable[str]
) -> Iterator[HolisticSentence]:
    singular = descriptor.singular.replace("{article}", article(noun)).replace("{noun}", noun)
    plural = descriptor.plural.replace("{article}", "").replace("{noun}", nouns).strip()
    for template in templates:
        text = template.replace(SINGULAR, singular).replace(PLURAL, plural)
        yield HolisticSentence(descriptor.axis, descriptor.name, template, noun, text)


def _descriptors(path: Path) -> Iterator[Descriptor]:
    file = _file(path)
    for axis in file.values:
        buckets = file.inner(axis)
        for entry in (
            entry for bucket in buckets.values for entry in _entries(buckets, bucket, "descriptor")
        ):
            name = entry.text("descriptor")
            first = entry.values.get("article") or article(name)
            gender = str(entry.values.get("gender") or "")
            yield Descriptor(axis, name, f"{first} {name} {{noun}}", f"{name} {{noun}}", gender)


def _phrases(path: Path) -> Iterator[Descriptor]:
    file = _file(path)
    for axis in file.values:
        for entry in _entries(file, axis, "noun_phrase"):
            singular = entry.text("noun_phrase")
            plural = str(entry.values.get("plural_noun_phrase") or singular)
            name = " ".join(singular.replace("{article}", "").replace("{noun}", "").split())
            yield Descriptor(axis, name, singular, plural)


def _nouns(path: Path) -> Iterator[tuple[str, str]]:
    file = _file(path)
    for gender in file.values:
        for number, forms in enumerate(file.array(gender), 1):
            match forms:
                case [str(singular), str(plural)]:
                    yield singular, plural
                case _:
                    file.refuse(f'{gender!r}, entry {number}, is not a pair such as ["woman", "women"]')


def _templates(path: Path) -> tuple[str, ...]:
    file = _file(path)
    for template in file.values:
        if SINGULAR not in template and PLURAL not in template:
            file.refuse(f"the template {template[:60]!r} has neither {SINGULAR} nor {PLURAL}")
    return tuple(file.values)


def _file(path: Path) -> BenchmarkRow:
    return BenchmarkRow(json_value(path, HOLISTIC_FORM), str(path), HOLISTIC_FORM)


def _entries(row: BenchmarkRow, key: str, name: str) -> Iterator[BenchmarkRow]:
    """The entries of a list; a bare text is short for an object with the text under `name`."""
    for number, entry in enumerate(row.array(key), 1):
        values = {name: entry} if isinstance(entry, str) else entry
        yield BenchmarkRow(values, f"{row.where}, {key!r}, entry {number}", row.form)
