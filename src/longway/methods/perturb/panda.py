"""Perturbations written by people (or rules), to train a perturber on or to score one, in the format of PANDA (Qian et al. 2022).

    original                    selected_word   target_attribute   perturbed
    Ann lost her hat. <SEP> …   her             man                Al lost his hat. <SEP> …

    read_panda(file or hf:NAME)    the rows of such a file: CSV, JSON lines, Parquet, anything that `longway audit` reads
    write_panda(rows, file)        writes them
    row_of(request, perturbed)     the result of a perturber, as a row
    request_of(row)                a row as a perturber is asked about it
    rows_of_pair(text, other, …)   two versions of a text by people, as two rows, one per direction

The columns are those of the released dataset (facebook/panda; see its card), which Longway does not ship.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from longway.data import load, save
from longway.english.document import Document
from longway.english.people.demographic_mentions import DescribedPerson, find_persons
from longway.english.people.demographics import Attribute, other_attributes
from longway.errors import ColumnError, DataError, SettingError
from longway.methods.perturb.perturber import Perturbed, Place, Request
from longway.methods.perturb.segments import (
    PERT_SEP,
    SEP,
    Unfit,
    attribute_called,
    joined,
    separated,
    starts_of,
)
from longway.tokens.tokenizer import is_word, token_spans

COLUMNS = ("original", "selected_word", "target_attribute", "perturbed")


@dataclass(frozen=True, slots=True)
class PandaRow:
    """One perturbation: the segments before, the chosen word, the target attribute, the segments after."""

    before: tuple[str, ...]
    word: str
    target: Attribute
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Panda:
    """The rows of a file. skipped: the number of unusable rows, by reason. name: of the file."""

    rows: tuple[PandaRow, ...]
    skipped: Mapping[str, int]
    name: str = ""

    @property
    def fingerprint(self) -> str:
        """A hash of all rows in order."""
        return fingerprint_of(self.rows)


def read_panda(source: Any, *, limit: int | None = None, encoding: str | None = None) -> Panda:
    """The perturbations in a file; unusable rows are skipped and counted.

    source: anything that `longway.load` takes. limit: only the first rows. encoding: as in `longway.load`.
    """
    text, _, label, _ = COLUMNS
    try:
        data = load(
            source, text=text, label=label, context="", id="", split="", limit=limit, encoding=encoding
        )
    except ColumnError as error:
        raise ColumnError(f"{error} A file of perturbations has the columns {', '.join(COLUMNS)}.") from None
    rows: list[PandaRow] = []
    skipped: Counter[str] = Counter()
    for table in data.tables():
        if lacking := [name for name in COLUMNS if name not in table.frame.columns]:
            raise ColumnError(
                f"{data.source_name} has no column {' and no column '.join(lacking)}. Expected {', '.join(COLUMNS)}. "
                "Rename the columns that hold them."
            )
        for cells in table.frame.select(COLUMNS).iter_rows():
            try:
                rows.append(_row(*("" if cell is None else str(cell) for cell in cells)))
            except (Unfit, SettingError) as wrong:
                skipped[str(wrong).partition(".")[0]] += 1
    if not rows:
        reasons = "; ".join(f"{why} ({n})" for why, n in skipped.most_common(3)) or "there are no rows"
        raise DataError(
            f"{data.source_name} has no perturbation that can be used: {reasons}. "
            f"Rows with {', '.join(COLUMNS)} were expected. Check the file."
        )
    return Panda(tuple(rows), dict(skipped.most_common()), data.source_name)


def write_panda(rows: Iterable[PandaRow], path: str | Path) -> Path:
    """Write the rows to a file, whose ending determines the format; returns its path."""
    cells = [(joined(row.before), row.word, row.target.name, joined(row.after)) for row in rows]
    return save(pl.DataFrame(cells, schema=dict.fromkeys(COLUMNS, pl.String), orient="row"), path)


def row_of(request: Request, perturbed: Perturbed) -> PandaRow | None:
    """The result of a request as a row to learn from; None if nothing was changed."""
    if perturbed.reason or perturbed.segments == request.segments:
        return None
    return PandaRow(request.segments, request.word, request.target, perturbed.segments)


def request_of(row: PandaRow, document: Document | None = None) -> Request | None:
    """A row as a perturber is asked about it; None if the chosen word does not occur in the text.

    document: the analysis of the segments as one text (`segments.as_one`). With it, the occurrence is the first that expresses an
    attribute of the target's axis, and that attribute is the source. Without it, or if there is none, it is the first occurrence, and
    the source is any other attribute: only the rules read it, and they refuse such a word.

    >>> from longway.english.people.demographics import parse_attribute
    >>> row = PandaRow(("Ann left.", "He saw her, and she waved."), "She", parse_attribute("man"), ("Al left.", "He saw him, and he waved."))
    >>> request_of(row).place, request_of(row).word
    (Place(segment=1, start=16, end=19), 'she')
    """
    places = _occurrences(row)
    if not places:
        return None
    if document is not None:
        people = find_persons(document)
        for place in places:
            if (source := _source_at(row, place, people)) is not None:
                return Request(row.before, place, source, row.target)
    return Request(row.before, places[0], other_attributes(row.target)[0], row.target)


def rows_of_pair(text: str, other: str, *, has: Attribute, other_has: Attribute) -> list[PandaRow]:
    """Two versions of a text that differ in one person, as two rows, one per direction; none if they are equal.

    has, other_has: the person's attribute in each. The first word that differs is the chosen one.

    >>> from longway.english.people.demographics import parse_attribute
    >>> for row in rows_of_pair("Then she left.", "Then he left.", has=parse_attribute("woman"), other_has=parse_attribute("man")):
    ...     print(row.word, row.target, row.after)
    she gender:man ('Then he left.',)
    he gender:woman ('Then she left.',)
    """
    words = _first_difference(text, other)
    if words is None:
        return []
    return [
        PandaRow((text,), words[0], other_has, (other,)),
        PandaRow((other,), words[1], has, (text,)),
    ]


def fingerprint_of(rows: Iterable[PandaRow]) -> str:
    """A hash of rows in order."""
    digest = sha256()
    for row in rows:
        digest.update(
            repr((row.before, row.word, str(row.target), row.after)).encode("utf-8", "backslashreplace")
        )
    return f"sha256:{digest.hexdigest()}"


def _row(original: str, word: str, target: str, perturbed: str) -> PandaRow:
    for name, cell in zip(COLUMNS, (original, word, target, perturbed), strict=True):
        if not cell.strip():
            raise Unfit(f"{name} is empty")
        if PERT_SEP in cell:
            raise Unfit(f"{name} contains {PERT_SEP}")
    if SEP in word:
        raise Unfit(f"selected_word contains {SEP}")
    before = tuple(part.strip() for part in original.split(SEP))
    return PandaRow(before, word.strip(), attribute_called(target), separated(perturbed, before))


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


def _first_difference(text: str, other: str) -> tuple[str, str] | None:
    """The first word of a text that is replaced by another one in the other text, and that one."""
    ours, theirs = ([found for found in token_spans(t) if is_word(found[0])] for t in (text, other))
    same = SequenceMatcher(None, [o[0] for o in ours], [t[0] for t in theirs], autojunk=False)
    for kind, start, _, other_start, _ in same.get_opcodes():
        if kind == "replace":
            (_, a, b), (_, c, d) = ours[start], theirs[other_start]
            return text[a:b], other[c:d]
    return None
