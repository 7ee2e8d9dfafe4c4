"""Whether a comparison is a fair one: what would make its figures quietly wrong.

    versions {name: rows}, tests {name: rows}  ->  concerns_about  ->  what stops the comparison, and what is only said

    kind               what is wrong                                                    stops
    empty              a version or a test has no rows                                  yes
    one text or two    pairs here, single texts there                                   yes
    other labels       two versions have different labels                               yes
    unknown label      a test has a label that the training data has not                yes
    same data          two versions are the same                                        yes
    overlap            test rows stand in the training data                             yes
    rewritten          test rows are training rows that the other version changed       yes
    stopped on         test rows are validation rows, by which the best model is kept   yes
    validation         validation rows stand in the training data                       no
    sizes              two versions have different numbers of rows                      no
    label not tested   no row of a test has one of the labels                           no
    data               rows were left out, or something is odd about them               no
    keep               what was called real signal is in no pattern that was found      no

A test row stands in the training data where text and context do, whatever their case and white space; labels do not count.
Two versions are the same where they are so to the letter, labels too. The first version is the one before the change. Everything goes by hash sets: a million rows take seconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from longway.classify.classifier import Labelled

Ints = NDArray[np.int64]
Kind = Literal[
    "empty",
    "one text or two",
    "other labels",
    "unknown label",
    "same data",
    "overlap",
    "rewritten",
    "stopped on",
    "validation",
    "sizes",
    "label not tested",
    "data",
    "keep",
    "fairscore",
]
RowKey = tuple[str, str]  # text and context, as compared


@dataclass(frozen=True, slots=True)
class Concern:
    """Something that makes a comparison wrong, or that its reader must know.

    count: rows or labels concerned. ids: the numbers of the test rows concerned, from 0. refused: do not compare.
    """

    kind: Kind
    count: int
    ids: tuple[int, ...]
    text: str
    refused: bool

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values."""
        return {**asdict(self), "ids": list(self.ids)}


def concerns_about(
    versions: Mapping[str, Labelled],
    tests: Mapping[str, Labelled],
    *,
    validation: Mapping[str, Labelled] | None = None,
) -> list[Concern]:
    """All concerns about rows, those that stop the comparison first.

    versions: what is trained on, the one before the change first. validation: by version, what its training stops on.
    """
    named = [*versions.items(), *tests.items()]
    if empty := [name for name, rows in named if not len(rows)]:
        return [
            Concern("empty", 1, (), f"{name!r} has no rows. Give data with rows.", True) for name in empty
        ]
    keys = {name: _keys(rows) for name, rows in versions.items()}
    stops = validation or {}
    found = [*_shapes(named), *_between_versions(versions), *_seen_validation(keys, stops)]
    for name, rows in tests.items():
        found += _labels(versions, name, rows)
        found += _overlaps(keys, name, rows)
        found += _stopped_on(stops, name, rows)
    return sorted(found, key=lambda one: not one.refused)


def overlapping_rows(versions: Sequence[Labelled], test: Labelled) -> Ints:
    """The numbers of the test rows that stand in one of the versions."""
    trained: set[RowKey] = set()
    for rows in versions:
        trained.update(_keys(rows))
    return _rows_in(trained, test)


def _shapes(named: Sequence[tuple[str, Labelled]]) -> Iterator[Concern]:
    pairs = [name for name, rows in named if rows.inputs.contexts is not None]
    single = [name for name, rows in named if rows.inputs.contexts is None]
    if pairs and single:
        text = (
            f"{pairs[0]!r} has pairs of texts, {single[0]!r} has single texts. One model cannot read both. "
            "Name the context column of all data, or of none."
        )
        yield Concern("one text or two", len(single), (), text, True)


def _between_versions(versions: Mapping[str, Labelled]) -> Iterator[Concern]:
    """Each version against the first."""
    (first, before), *others = versions.items()
    labels = set(before.labels)
    for name, rows in others:
        if differing := sorted(labels ^ set(rows.labels)):
            text = (
                f"The labels of {first!r} and {name!r} are not the same: {_listed(differing)} in one alone. "
                "Compare versions with the same labels."
            )
            yield Concern("other labels", len(differing), (), text, True)
        if _same(before, rows):
            text = (
                f"{first!r} and {name!r} are the same data: nothing can differ but by chance. "
                "Give the changed version."
            )
            yield Concern("same data", len(rows), (), text, True)
        if len(before) != len(rows):
            text = (
                f"{first!r} has {len(before):,} rows and {name!r} {len(rows):,}: "
                "part of a difference may come from the number of rows."
            )
            yield Concern("sizes", abs(len(before) - len(rows)), (), text, False)


def _labels(versions: Mapping[str, Labelled], test: str, rows: Labelled) -> Iterator[Concern]:
    tested = set(rows.labels)
    known = {label for one in versions.values() for label in one.labels}
    for name, version in versions.items():
        if unknown := tested - set(version.labels):
            ids = tuple(i for i, label in enumerate(rows.labels) if label in unknown)
            text = (
                f"The test {test!r} has {_listed(sorted(unknown))}, which {name!r} has not. "
                "A model cannot find a label it never saw: give a test with the same labels."
            )
            yield Concern("unknown label", len(ids), ids, text, True)
    if missing := sorted(known - tested):
        text = (
            f"No row of the test {test!r} has {_listed(missing)}: "
            "how well it is found is not known, and there is no AUROC."
        )
        yield Concern("label not tested", len(missing), (), text, False)


def _overlaps(keys: Mapping[str, set[RowKey]], test: str, rows: Labelled) -> Iterator[Concern]:
    first, *others = keys
    for name, trained in keys.items():
        if len(shared := _rows_in(trained, rows)):
            text = (
                f"{len(shared):,} of {len(rows):,} rows of the test {test!r} stand in {name!r}: a model has seen them. "
                "Leave them out, or give another test."
            )
            yield Concern("overlap", len(shared), tuple(shared.tolist()), text, True)
    for name in others:
        if len(shared := _rows_in(keys[first] - keys[name], rows)):
            text = (
                f"{len(shared):,} of {len(rows):,} rows of the test {test!r} are rows of {first!r} that {name!r} "
                "changed: the test was part of the rewriting. Give a test that was not."
            )
            yield Concern("rewritten", len(shared), tuple(shared.tolist()), text, True)


def _stopped_on(validation: Mapping[str, Labelled], test: str, rows: Labelled) -> Iterator[Concern]:
    for name, stops in validation.items():
        if len(shared := _rows_in(_keys(stops), rows)):
            text = (
                f"{len(shared):,} of {len(rows):,} rows of the test {test!r} are validation rows of {name!r}, by which the "
                "best model is kept. Leave them out, or give another test."
            )
            yield Concern("stopped on", len(shared), tuple(shared.tolist()), text, True)


def _seen_validation(
    keys: Mapping[str, set[RowKey]], validation: Mapping[str, Labelled]
) -> Iterator[Concern]:
    for name, stops in validation.items():
        if len(shared := _rows_in(keys[name], stops)):
            text = (
                f"{len(shared):,} of {len(stops):,} validation rows of {name!r} stand in its training data: "
                "training may stop too late."
            )
            yield Concern("validation", len(shared), (), text, False)


def _rows_in(trained: set[RowKey], rows: Labelled) -> Ints:
    return np.array([i for i, key in enumerate(_keys_in_order(rows)) if key in trained], np.int64)


def _keys(rows: Labelled) -> set[RowKey]:
    return set(_keys_in_order(rows))


def _keys_in_order(rows: Labelled) -> Iterator[RowKey]:
    contexts = rows.inputs.contexts
    if contexts is None:
        return ((_plain(text), "") for text in rows.inputs.texts)
    return ((_plain(text), _plain(other)) for text, other in zip(rows.inputs.texts, contexts, strict=True))


def _plain(text: str) -> str:
    """The text as compared: no case, single spaces."""
    return " ".join(text.casefold().split())


def _same(one: Labelled, other: Labelled) -> bool:
    """The same rows to the letter, with the same labels, in any order."""
    return len(one) == len(other) and Counter(_whole(one)) == Counter(_whole(other))


def _whole(rows: Labelled) -> Iterator[tuple[str, ...]]:
    contexts = rows.inputs.contexts
    if contexts is None:
        return zip(rows.inputs.texts, rows.labels, strict=True)
    return zip(rows.inputs.texts, contexts, rows.labels, strict=True)


def _listed(labels: Sequence[str]) -> str:
    shown = ", ".join(map(repr, labels[:5]))
    return f"{shown} and {len(labels) - 5} more" if len(labels) > 5 else shown
