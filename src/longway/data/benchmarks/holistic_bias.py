"""HolisticBias: sentences made of descriptors, nouns and templates, as published.

    descriptors.json               {axis: {bucket: ["young", {"descriptor": "US-born", "article": "a", "gender": "female"}]}}
    nouns.json                     {gender: [["woman", "women"], ...]}
    standalone_noun_phrases.json   {axis: ["{article} {noun} with asthma", {"noun_phrase", "plural_noun_phrase"}, "a wheelchair user"]}
    sentence_templates.json        {"I love {plural_noun_phrase}.": {"must_be_noun": true}}

A descriptor gives a phrase without a noun ("Deaf") and one with each noun ("a Deaf woman", "Deaf women"); a standalone phrase takes
each noun if it has a slot for one. Phrases without a noun are not used in templates that need one. The article depends on the
first letter unless the file gives another.

As published, only phrases with a noun are compared, and only descriptors that fit all nouns ("Latina" does not): so all
descriptors have the same sentences. A limit on the sentences per descriptor selects some templates with all nouns, or some nouns
with one template, drawn once for all descriptors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from longway.data.benchmarks.benchmark_file import BenchmarkRow, json_value
from longway.errors import DataError, SettingError

DESCRIPTORS, NOUNS = "descriptors.json", "nouns.json"
TEMPLATES, PHRASES = "sentence_templates.json", "standalone_noun_phrases.json"
FILES = (DESCRIPTORS, NOUNS, TEMPLATES, PHRASES)
FORM = "the file of facebookresearch/ResponsibleNLP, holistic_bias/dataset"
SINGULAR, PLURAL = "{noun_phrase}", "{plural_noun_phrase}"


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A descriptor of an axis. singular, plural: its phrase, with a slot {noun}; gender: of the nouns it fits, "" for all.

    alone: the phrase without a noun, if there is one.
    """

    axis: str
    name: str
    singular: str
    plural: str
    gender: str = ""
    alone: str = ""

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
    """The content of a folder. nouns: gender, singular, plural; templates: each with whether it needs a noun."""

    descriptors: tuple[Descriptor, ...]
    nouns: tuple[tuple[str, str, str], ...]
    templates: dict[str, bool]

    @property
    def axes(self) -> list[str]:
        """The axes, in the order of the files."""
        return list(dict.fromkeys(descriptor.axis for descriptor in self.descriptors))

    def sentences(self) -> Iterator[HolisticSentence]:
        """All sentences."""
        plain = [template for template, needs_noun in self.templates.items() if not needs_noun]
        for each in self.descriptors:
            if each.alone:
                yield from _in_templates(each, "", each.alone, each.alone, plain)
            if "{noun}" not in each.singular:
                yield from _in_templates(each, "", each.singular, each.plural, plain)
                continue
            for gender, noun, nouns in self.nouns:
                if each.gender in ("", gender):
                    yield from _with_noun(each, noun, nouns, self.templates)

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
            for _, noun, plural in nouns
            for sentence in _with_noun(each, noun, plural, templates)
        ]

    def n_comparable(self, axis: str) -> int:
        """The number of sentences of an axis that can be compared."""
        count = sum(each.axis == axis and each.is_comparable for each in self.descriptors)
        return count * len(self.nouns) * len(self.templates)

    def _drawn(self, per_descriptor: int, seed: int) -> tuple[list[str], list[tuple[str, str, str]]]:
        generator = np.random.default_rng(seed)
        templates, nouns = list(self.templates), list(self.nouns)
        n_templates = max(1, per_descriptor // len(nouns))
        chosen = sorted(generator.permutation(len(templates))[:n_templates])
        kept = sorted(generator.permutation(len(nouns))[:per_descriptor])
        return [templates[i] for i in chosen], [nouns[i] for i in kept]


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
    return _in_templates(descriptor, noun, singular, plural, templates)


def _in_templates(
    descriptor: Descriptor, noun: str, singular: str, plural: str, templates: Iterable[str]
) -> Iterator[HolisticSentence]:
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
            yield Descriptor(axis, name, f"{first} {name} {{noun}}", f"{name} {{noun}}", gender, alone=name)


def _phrases(path: Path) -> Iterator[Descriptor]:
    file = _file(path)
    for axis in file.values:
        for entry in _entries(file, axis, "noun_phrase"):
            singular = entry.text("noun_phrase")
            plural = str(entry.values.get("plural_noun_phrase") or singular)
            name = " ".join(singular.replace("{article}", "").replace("{noun}", "").split())
            yield Descriptor(axis, name, singular, plural)


def _nouns(path: Path) -> Iterator[tuple[str, str, str]]:
    file = _file(path)
    for gender in file.values:
        for number, forms in enumerate(file.array(gender), 1):
            match forms:
                case [str(singular), str(plural)]:
                    yield gender, singular, plural
                case _:
                    file.refuse(f'{gender!r}, entry {number}, is not a pair such as ["woman", "women"]')


def _templates(path: Path) -> dict[str, bool]:
    file = _file(path)
    for template in file.values:
        if SINGULAR not in template and PLURAL not in template:
            file.refuse(f"the template {template[:60]!r} has neither {SINGULAR} nor {PLURAL}")
    return {name: bool(file.inner(name).values.get("must_be_noun", False)) for name in file.values}


def _file(path: Path) -> BenchmarkRow:
    return BenchmarkRow(json_value(path, FORM), str(path), FORM)


def _entries(row: BenchmarkRow, key: str, name: str) -> Iterator[BenchmarkRow]:
    """The entries of a list; a bare text is short for an object with the text under `name`."""
    for number, entry in enumerate(row.array(key), 1):
        values = {name: entry} if isinstance(entry, str) else entry
        yield BenchmarkRow(values, f"{row.where}, {key!r}, entry {number}", row.form)
