"""Perturbations by people, to train a perturber on or to score one, in the format of PANDA (appendix A and
Table 1 of the paper).

    original                    selected_word   target_attribute   perturbed
    Ann lost her hat. <SEP> …   her             man                Al lost his hat. <SEP> …

PANDA (facebook/panda) is not part of Longway; the columns are those of its card.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

import longway as lw
from longway.english.document import Document
from longway.english.people.change import Place, Request, starts_of
from longway.english.people.demographic_mentions import DescribedPerson, find_persons
from longway.english.people.words import Attribute, other_attributes, parse_attribute
from longway.errors import DataError, SettingError
from longway.methods.perturb.segments import FORMS, PERT_SEP, SEP, Unfit, separated
from longway.text.tokenizer import is_word, token_spans

KNOWN = {called.lower(): known for form in FORMS.values() for known, called in form.attributes.items()}
COLUMNS = ("original", "selected_word", "target_attribute", "perturbed")


@dataclass(frozen=True)
class PandaRow:
    """One perturbation: the segments before, the chosen word, the target attribute, the segments after."""

    before: tuple[str, ...]
    word: str
    target: Attribute
    after: tuple[str, ...]


def read_panda(source: object, *, limit: int | None = None) -> list[PandaRow]:
    """The perturbations in a file, or in hf:NAME: anything that `longway.load` reads. Unusable rows are
    skipped and counted on the screen."""
    text, _, label, _ = COLUMNS
    frame = lw.load(source, text=text, label=label, context="", id="", split="", limit=limit).frame
    if lacking := [name for name in COLUMNS if name not in frame.columns]:
        raise DataError(
            f"{source} has no column {' and no column '.join(lacking)}. Expected {', '.join(COLUMNS)}."
        )
    rows, skipped = [], Counter[str]()
    for cells in frame.select(COLUMNS).iter_rows():
        try:
            rows.append(row_of(*("" if cell is None else str(cell) for cell in cells)))
        except (Unfit, SettingError) as wrong:
            skipped[str(wrong).partition(".")[0]] += 1
    for why, n in skipped.most_common():
        print(f"Rows left out: {n:,}. {why}.")
    if not rows:
        raise DataError(
            f"{source} has no perturbation that can be used. Check the columns {', '.join(COLUMNS)}."
        )
    return rows


def row_of(original: str, word: str, target: str, perturbed: str) -> PandaRow:
    """The row of four cells. Raises Unfit or SettingError if they are no perturbation."""
    for name, cell in zip(COLUMNS, (original, word, target, perturbed), strict=True):
        if not cell.strip():
            raise Unfit(f"{name} is empty")
        if PERT_SEP in cell:
            raise Unfit(f"{name} contains {PERT_SEP}")
    if SEP in word:
        raise Unfit(f"selected_word contains {SEP}")
    before = tuple(part.strip() for part in original.split(SEP))
    return PandaRow(before, word.strip(), attribute_called(target), separated(perturbed, before))


def attribute_called(name: str) -> Attribute:
    """The attribute of this name in a file of perturbations, in either form. Raises SettingError if there is
    none.

    >>> str(attribute_called("woman")), str(attribute_called("age:young (18-44)"))
    ('gender:woman', 'age:young')
    """
    plain = name.strip().lower()
    return KNOWN.get(plain) or parse_attribute(plain)


def request_of(row: PandaRow, document: Document | None = None) -> Request | None:
    """A row as a perturber is asked about it; None if the chosen word does not occur in the text.

    document: the analysis of the segments as one text (`segments.as_one`). With it, the occurrence is the
    first that expresses an attribute of the target's axis, and that attribute is the source. Without it, or
    if there is none, it is the first occurrence, and the source is any other attribute: only the rules read
    it, and they refuse such a word.

    >>> from longway.english.people.words import parse_attribute
    >>> before, after = ("Ann left.", "He saw her, and she waved."), ("Al left.", "He saw him, and he waved.")
    >>> row = PandaRow(before, "She", parse_attribute("man"), after)
    >>> request_of(row).place, request_of(row).word
    (Place(segment=1, start=16, end=19), 'she')
    """
    places = _occurrences(row)
    if not places:
        return None
    people = find_persons(document) if document is not None else ()
    for place in places:
        if (source := _source_at(row, place, people)) is not None:
            return Request(row.before, place, source, row.target)
    return Request(row.before, places[0], other_attributes(row.target)[0], row.target)


def rows_of_pair(text: str, other: str, *, has: Attribute, other_has: Attribute) -> list[PandaRow]:
    """Two versions of a text that differ in one person, as two rows, one per direction; none if they are
    equal.

    has, other_has: the person's attribute in each. The first word that differs is the chosen one.

    >>> from longway.english.people.words import parse_attribute
    >>> woman, man = parse_attribute("woman"), parse_attribute("man")
    >>> for row in rows_of_pair("Then she left.", "Then he left.", has=woman, other_has=man):
    ...     print(row.word, row.target, row.after)
    she gender:man ('Then he left.',)
    he gender:woman ('Then she left.',)
    """
    ours, theirs = ([found for found in token_spans(t) if is_word(found[0])] for t in (text, other))
    same = SequenceMatcher(None, [o[0] for o in ours], [t[0] for t in theirs], autojunk=False)
    for kind, start, _, other_start, _ in same.get_opcodes():
        if kind == "replace":
            (_, a, b), (_, c, d) = ours[start], theirs[other_start]
            return [
                PandaRow((text,), text[a:b], other_has, (other,)),
                PandaRow((other,), other[c:d], has, (text,)),
            ]
    return []


def _occurrences(row: PandaRow) -> list[Place]:
    """Where the chosen word occurs as a word: as it is written, else in another case."""
    pattern = rf"(?<!\w){re.escape(row.word)}(?!\w)"
    for flags in (0, re.IGNORECASE):
        found = [
            Place(number, *match.span())
            for number, segment in enumerate(row.before)
            for match in re.finditer(pattern, segment, flags)
        ]
        if found:
            return found
    return []


def _source_at(row: PandaRow, place: Place, people: Iterable[DescribedPerson]) -> Attribute | None:
    """The attribute, on the target's axis, of the word at a place; or of the person whose word it is."""
    at, axis = starts_of(row.before)[place.segment] + place.start, row.target.axis
    for person in people:
        here = [word.attribute for word in person.words if word.start <= at < word.stop]
        if own := [attribute for attribute in here if attribute.axis == axis]:
            return own[0]
        if here and (names := sorted(person.attributes(axis) - {row.target.name})):
            return Attribute(axis, names[0])
    return None
