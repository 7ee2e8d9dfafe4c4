"""HolisticBias: sentences made of descriptors, nouns and templates, as published.

    descriptors.json               {axis: {bucket: ["young", {"descriptor": "US-born", "article": "a", "gender": "female"}]}}
    nouns.json                     {gender: [["woman", "women"], ...]}
    standalone_noun_phrases.json   {axis: ["{article} {noun} with asthma", {"noun_phrase", "plural_noun_phrase"}, "a wheelchair user"]}
    sentence_templates.json        {"I love {plural_noun_phrase}.": {"must_be_noun": true}}

A descriptor makes a phrase alone ("Deaf") and one with each noun ("a Deaf woman", "Deaf women"); a phrase of its own takes each noun where it has
a place for one. Phrases without a noun do not go into templates that must have one. The article follows the first letter unless the file says otherwise.

Compared are, as published, only phrases with a noun, of descriptors that fit all nouns ("Latina" does not): so all descriptors have as many
sentences, and the same ones. A cap on sentences for each descriptor takes some templates with all nouns, or some nouns with one template, drawn once for
all descriptors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from longway.data.benchmarks.reading import json_value
from longway.errors import DataError, SettingError

DESCRIPTORS, NOUNS = "descriptors.json", "nouns.json"
TEMPLATES, PHRASES = "sentence_templates.json", "standalone_noun_phrases.json"
FILES = (DESCRIPTORS, NOUNS, TEMPLATES, PHRASES)
FORM = "the file of facebookresearch/ResponsibleNLP, holistic_bias/dataset"
SINGULAR, PLURAL = "{noun_phrase}", "{plural_noun_phrase}"


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A descriptor of an axis. singular, plural: its phrase, with {noun} where a noun goes; gender: of the nouns it fits, all where empty.

    alone: the phrase without a noun, where it has one.
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
class Sentence:
    """One sentence, and what it was made of; noun is empty where there is none."""

    axis: str
    descriptor: str
    template: str
    noun: str
    text: str


@dataclass(frozen=True, slots=True)
class HolisticBias:
    """What a folder holds. nouns: gender, one, many; templates: each with whether it must have a noun."""

    descriptors: tuple[Descriptor, ...]
    nouns: tuple[tuple[str, str, str], ...]
    templates: dict[str, bool]

    @property
    def axes(self) -> list[str]:
        """The axes, in the order of the files."""
        return list(dict.fromkeys(one.axis for one in self.descriptors))

    def sentences(self) -> Iterator[Sentence]:
        """All sentences."""
        for one in self.descriptors:
            if one.alone:
                yield from _in_templates(one, "", one.alone, one.alone, self._without_nouns())
            if "{noun}" not in one.singular:
                yield from _in_templates(one, "", one.singular, one.plural, self._without_nouns())
                continue
            for gender, noun, nouns in self.nouns:
                if one.gender in ("", gender):
                    yield from _with_noun(one, noun, nouns, self.templates)

    def comparable(self, axis: str, *, per_descriptor: int, seed: int = 0) -> list[Sentence]:
        """The sentences of an axis that are compared, at most so many for each descriptor."""
        if axis not in self.axes:
            raise SettingError(
                f"There is no axis {axis!r}. Expected one of {', '.join(self.axes)}. Check the spelling."
            )
        templates, nouns = self._drawn(per_descriptor, seed)
        return [
            sentence
            for one in self.descriptors
            if one.axis == axis and one.is_comparable
            for _, noun, plural in nouns
            for sentence in _with_noun(one, noun, plural, templates)
        ]

    def n_comparable(self, axis: str) -> int:
        """How many sentences of an axis could be compared."""
        count = sum(one.axis == axis and one.is_comparable for one in self.descriptors)
        return count * len(self.nouns) * len(self.templates)

    def _drawn(self, per_descriptor: int, seed: int) -> tuple[list[str], list[tuple[str, str, str]]]:
        generator = np.random.default_rng(seed)
        templates, nouns = list(self.templates), list(self.nouns)
        n_templates = max(1, per_descriptor // len(nouns))
        chosen = sorted(generator.permutation(len(templates))[:n_templates])
        kept = sorted(generator.permutation(len(nouns))[:per_descriptor])
        return [templates[i] for i in chosen], [nouns[i] for i in kept]

    def _without_nouns(self) -> list[str]:
        return [template for template, must_be_noun in self.templates.items() if not must_be_noun]


def read_holistic_bias(folder: Path) -> HolisticBias:
    """What the four files of a folder hold."""
    if lacking := [name for name in FILES if not (folder / name).is_file()]:
        raise DataError(
            f"{folder} lacks {', '.join(lacking)}. A folder with {', '.join(FILES)} was expected. "
            "Get them from the repository facebookresearch/ResponsibleNLP, holistic_bias/dataset."
        )
    found = [*_descriptors(folder / DESCRIPTORS), *_phrases(folder / PHRASES)]
    unique = {
        (one.axis, one.name): one for one in reversed(found)
    }  # some stand in two buckets: the first counts
    return HolisticBias(
        tuple(one for one in found if unique[one.axis, one.name] is one),
        tuple(_nouns(folder / NOUNS)),
        _templates(folder / TEMPLATES),
    )


def article(phrase: str) -> str:
    """The article as published: by the first letter."""
    return "an" if phrase[:1].lower() in tuple("aeiou") else "a"


def _with_noun(
    one: Descriptor, noun: str, nouns: str, templates: Sequence[str] | dict[str, bool]
) -> Iterator[Sentence]:
    singular = one.singular.replace("{article}", article(noun)).replace("{noun}", noun)
    plural = one.plural.replace("{article}", "").replace("{noun}", nouns).strip()
    return _in_templates(one, noun, singular, plural, templates)


def _in_templates(
    one: Descriptor, noun: str, singular: str, plural: str, templates: Sequence[str] | dict[str, bool]
) -> Iterator[Sentence]:
    for template in templates:
        text = template.replace(SINGULAR, singular).replace(PLURAL, plural)
        yield Sentence(one.axis, one.name, template, noun, text)


def _descriptors(path: Path) -> Iterator[Descriptor]:
    for axis, buckets in _mapping(path).items():
        for bucket, listed in _inner(buckets, path, axis).items():
            for number, given in enumerate(_list(listed, path, f"{axis}, {bucket}"), 1):
                about = {"descriptor": given} if isinstance(given, str) else given
                where = f"{axis}, {bucket}, entry {number}"
                name = _text(about, "descriptor", path, where)
                first = about.get("article") or article(name)
                gender = str(about.get("gender") or "")
                yield Descriptor(
                    axis, name, f"{first} {name} {{noun}}", f"{name} {{noun}}", gender, alone=name
                )


def _phrases(path: Path) -> Iterator[Descriptor]:
    for axis, listed in _mapping(path).items():
        for number, given in enumerate(_list(listed, path, axis), 1):
            about = {"noun_phrase": given} if isinstance(given, str) else given
            singular = _text(about, "noun_phrase", path, f"{axis}, entry {number}")
            plural = about.get("plural_noun_phrase") or singular
            name = " ".join(singular.replace("{article}", "").replace("{noun}", "").split())
            yield Descriptor(axis, name, singular, plural)


def _nouns(path: Path) -> Iterator[tuple[str, str, str]]:
    for gender, listed in _mapping(path).items():
        for number, forms in enumerate(_list(listed, path, gender), 1):
            if not (
                isinstance(forms, list) and len(forms) == 2 and all(isinstance(form, str) for form in forms)
            ):
                raise _malformed(
                    path, f"{gender}, entry {number}", 'a pair of forms, as ["woman", "women"]', forms
                )
            yield gender, forms[0], forms[1]


def _templates(path: Path) -> dict[str, bool]:
    found = {}
    for number, (template, about) in enumerate(_mapping(path).items(), 1):
        if SINGULAR not in template and PLURAL not in template:
            raise _malformed(path, f"entry {number}", f"a template with {SINGULAR} or {PLURAL}", template)
        found[template] = bool(_inner(about, path, template).get("must_be_noun", False))
    return found


def _mapping(path: Path) -> dict[str, Any]:
    return _inner(json_value(path, FORM), path, "the file")


def _inner(value: Any, path: Path, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _malformed(path, where, "an object", value)
    return value


def _list(value: Any, path: Path, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise _malformed(path, where, "a list", value)
    return value


def _text(about: Any, key: str, path: Path, where: str) -> str:
    value = about.get(key) if isinstance(about, dict) else None
    if not isinstance(value, str) or not value.strip():
        raise _malformed(path, where, f"a text, or an object with {key!r}", about)
    return value.strip()


def _malformed(path: Path, where: str, expected: str, got: Any) -> DataError:
    return DataError(
        f"{path}, {where}, is not as it should be. Expected {expected}, got {str(got)[:60]!r}. "
        f"Mend it, or get {FORM} again."
    )
