"""Test rows in which one person was given another gender, race or age: what a fairscore is measured on.

    changed_rows(perturbing, kept, who, journal)   ->  PerturbedRows: which rows, their new texts, what was changed in each
    write_perturbed(path, rows, perturbed)             the same for people, one JSON object a line
    word_changes(before, after)                        the words that became others, for each row

They are made as `longway perturb` makes them, by the rules or another perturber, with one seed: every model answers the same rows. A row
whose change would be offensive, or whose label may no longer hold with it (appendix J), is left out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np

from longway.english.people.person_names import census_first_name, replacement_names
from longway.errors import BudgetSpent
from longway.jobs.engine_use import failed_calls
from longway.jobs.perturb.perturbing import Outcome, Perturbing, Try, Who
from longway.metrics.fairness.fairscore import Changed, WordChange
from longway.models.classifier import Bools, Inputs, Ints, Labelled
from longway.records import BUDGET_SPENT
from longway.report.differences import COMPARE_LIMIT, Change, differences
from longway.store import Journal, replacing

NAMES: WordChange = ("a name", "another name")
_POSSESSIVE = re.compile("['’]s?$")


@dataclass(frozen=True)
class PerturbedRows:
    """The rows of a test set that could be perturbed.

    rows: their places among the rows that are tested on; ids: in the data. inputs: as they are now, one for each of `rows`.
    changed: axis, source and target attribute; words: those that were chosen. stayed: why the other rows stay, with their number.
    failed: calls to an engine that failed temporarily, by reason.
    """

    rows: Ints
    ids: tuple[str, ...]
    inputs: Inputs
    changed: tuple[Changed, ...]
    words: tuple[str, ...]
    stayed: Mapping[str, int]
    failed: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def fingerprint(self) -> str:
        """Of the rows and what they are now."""
        told = [self.rows.tolist(), self.inputs.texts, self.inputs.contexts, self.changed]
        return sha256(json.dumps(told).encode()).hexdigest()[:16]

    def on(self, axis: str) -> Bools:
        """Which of the rows were changed on this axis."""
        return np.array([one[0] == axis for one in self.changed], bool)

    @property
    def axes(self) -> dict[str, int]:
        """How many rows were changed on each axis, most first."""
        return dict(Counter(one[0] for one in self.changed).most_common())


def changed_rows(
    perturbing: Perturbing, kept: Ints, who: Who, journal: Journal, *, budget: float | None = None
) -> PerturbedRows:
    """The rows with one person changed in each. kept: the rows that are tested on, in rising order.

    Raises BudgetSpent if the budget does not allow all of them: a part of the rows would be another test set.
    """
    asker = who.asker(perturbing, journal, budget=budget)
    perturber = who.perturber(journal=journal, asker=asker, read=perturbing.documents)
    place_of = {int(row): place for place, row in enumerate(kept)}
    outcomes = [row for row in perturbing.run(perturber, only=place_of) if row.row in place_of]
    taken = [(outcome, outcome.taken) for outcome in outcomes if outcome.taken is not None]
    stayed = Counter(outcome.stayed for outcome in outcomes if outcome.stayed)
    if stayed[BUDGET_SPENT]:
        raise BudgetSpent(
            f"The budget of ${budget or 0:.4g} ended with {stayed[BUDGET_SPENT]:,} rows still to be changed by {perturber.name}. The fairscore needs "
            "all of them; the answers so far are kept. Run the same command with a larger --budget, or test on fewer rows."
        )
    return PerturbedRows(
        np.array([place_of[outcome.row] for outcome, _ in taken], np.int64),
        tuple(perturbing.rows.ids[outcome.row] for outcome, _ in taken),
        _inputs(perturbing, taken),
        tuple(
            (one.request.target.axis, one.request.source.name, one.request.target.name) for _, one in taken
        ),
        tuple(one.request.word for _, one in taken),
        dict(stayed.most_common()),
        failed_calls(asker),
    )


def write_perturbed(
    path: Path, rows: Labelled, perturbed: PerturbedRows, *, answers: Sequence[tuple[str, str]] = ()
) -> None:
    """Write what was changed, a line for each row, whole or not at all.

    rows: those that are tested on. answers: to each row as it was and as it is now, where one classifier is asked.
    """
    were = rows.take(perturbed.rows)
    path.parent.mkdir(exist_ok=True)
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", errors="replace") as file:
        for i, (axis, source, target) in enumerate(perturbed.changed):
            told = {
                "id": perturbed.ids[i],
                "label": were.labels[i],
                "axis": axis,
                "source": source,
                "target": target,
                "word": perturbed.words[i],
                **_texts("before", were.inputs, i),
                **_texts("after", perturbed.inputs, i),
                **(dict(zip(("answer_before", "answer_after"), answers[i], strict=True)) if answers else {}),
            }
            file.write(json.dumps(told, ensure_ascii=False) + "\n")


def word_changes(before: Inputs, after: Inputs) -> list[frozenset[WordChange]]:
    """The words of each row that became others, in lower case."""
    pairs = zip(_parts(before), _parts(after), strict=True)
    return [
        frozenset(change for text in zip(old, new, strict=True) for change in changes_of(*text))
        for old, new in pairs
    ]


def changes_of(before: str, after: str) -> Iterator[WordChange]:
    """The words of a text that became others, in lower case and in reading order. First names are one kind: each is rare.

    >>> list(changes_of("Robert said his aunt is old.", "Mary said her aunt is a young woman."))
    [('a name', 'another name'), ('his', 'her'), ('old', 'a young woman')]
    """
    found = [*differences(before[:COMPARE_LIMIT], after[:COMPARE_LIMIT]), Change("same", "")]
    for at, change in enumerate(found[:-1]):
        if change.kind == "removed":
            is_replaced = found[at + 1].kind == "added"
            yield from _word_by_word(change.text, found[at + 1].text if is_replaced else "")
        elif change.kind == "added" and (not at or found[at - 1].kind != "removed"):
            yield from _word_by_word("", change.text)


def _word_by_word(old: str, new: str) -> Iterator[WordChange]:
    """Both sides word by word if they have as many words, else as a whole."""
    before, after = old.split(), new.split()
    if len(before) != len(after):
        yield " ".join(before).lower(), " ".join(after).lower()
        return
    for one, other in zip(before, after, strict=True):
        if _is_name(one) and _is_name(other):
            yield NAMES
        elif one.lower() != other.lower():
            yield one.lower(), other.lower()


def _is_name(word: str) -> bool:
    name = _POSSESSIVE.sub("", word)
    return name[:1].isupper() and (name in _replacement_names() or census_first_name(name) is not None)


@cache
def _replacement_names() -> frozenset[str]:
    return frozenset(one.name for one in replacement_names())


def _parts(inputs: Inputs) -> Iterator[tuple[str, ...]]:
    """The texts of each row: the context, if there is one, and the text."""
    if inputs.contexts is None:
        return ((text,) for text in inputs.texts)
    return zip(inputs.contexts, inputs.texts, strict=True)


def _inputs(perturbing: Perturbing, taken: list[tuple[Outcome, Try]]) -> Inputs:
    """The new texts; a context that was not read stays."""
    segments = [one.perturbed.segments for _, one in taken]
    texts = [one[-1] for one in segments]
    contexts = perturbing.rows.contexts
    if contexts is None:
        return Inputs(texts)
    return Inputs(
        texts,
        [
            one[0] if len(one) > 1 else contexts[outcome.row]
            for one, (outcome, _) in zip(segments, taken, strict=True)
        ],
    )


def _texts(when: str, inputs: Inputs, row: int) -> dict[str, str]:
    context = {} if inputs.contexts is None else {f"context_{when}": inputs.contexts[row]}
    return {**context, f"text_{when}": inputs.texts[row]}
