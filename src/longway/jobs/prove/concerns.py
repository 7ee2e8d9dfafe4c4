"""Checks whether a comparison is fair: what would make its figures wrong without any visible sign.

    versions {name: rows}, tests {name: rows}  ->  concerns_about  ->  concerns, those that stop the comparison first

    kind               problem                                                                   stops
    empty              a version or a test has no rows                                           yes
    one text or two    some data are pairs, some are single texts                                yes
    other labels       two versions have different labels                                        yes
    unknown label      a test has a label that the training data lacks                           yes
    same data          two versions are identical                                                yes
    overlap            test rows are also in the training data                                   yes
    rewritten          test rows are training rows that the other version changed                yes
    stopped on         test rows are validation rows, which select the best model                yes
    validation         validation rows are also in the training data                             no
    sizes              two versions have different numbers of rows                               no
    label not tested   no row of a test has one of the labels                                    no
    data               rows were skipped, or the data has another problem                        no
    keep               a phrase called real signal is in no pattern that was found               no
    fairscore          no row of a test mentions a person that could be changed                  no

A test row is in the training data if both its text and its context are, ignoring case, white space and labels. Two versions are
identical if all texts and labels are, in any order. The first version is the original. Hash sets make this fast: seconds for a million rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

import numpy as np
import polars as pl

from longway.data import Dataset
from longway.data.columns import ID_COLUMN
from longway.data.dataset import in_rows
from longway.data.edited import SOURCE_COLUMN
from longway.jobs.prove.result import Concern, ConcernKind
from longway.models.classifier import Ints, Labelled

HELD_OUT = "held-out rows"
SHARE = 0.2


def can_hold_out(before: Dataset, versions: Mapping[str, Dataset]) -> bool:
    """Whether the rows of all versions can be traced to those of the original, in memory."""
    if before.streamed or any(one.streamed for one in versions.values()):
        return False
    source_of = _sources({"before": before, **versions})
    known = set(_roots(before, source_of))
    return all(
        ID_COLUMN in one.frame.columns and known.issuperset(_roots(one, source_of))
        for one in versions.values()
    )


def hold_out(before: Dataset, versions: Mapping[str, Dataset]) -> tuple[dict[str, Dataset], Dataset]:
    """The versions without the rows that are held out, and these rows. before: one of the versions, the original.

    >>> import longway as lw
    >>> rows = [{"text": f"number {i}", "label": "ab"[i % 2]} for i in range(100)]
    >>> kept, test = hold_out(lw.load(rows), {"before": lw.load(rows)})
    >>> len(kept["before"]), len(test)
    (80, 20)
    """
    source_of = _sources({"before": before, **versions})
    roots = _roots(before, source_of)
    chosen = _chosen(before, roots)
    kept = {
        name: in_rows(one, ~_roots(one, source_of).is_in(chosen.implode())) for name, one in versions.items()
    }
    return kept, in_rows(before, roots.is_in(chosen.implode()))


def _chosen(before: Dataset, roots: pl.Series) -> pl.Series:
    """The roots of the rows to hold out, drawn by a hash of the rows' texts: the same ones in any order."""
    texts = [text for batch in before.batches() for text in batch.texts]
    drawn = {sha256(text.encode("utf-8", "surrogatepass")).digest(): text for text in texts}
    held_out = {drawn[key] for key in sorted(drawn)[: max(1, round(SHARE * len(drawn)))]}
    return pl.Series(
        [root for root, text in zip(roots, texts, strict=True) if text in held_out], dtype=pl.String
    )


def _ids(dataset: Dataset) -> pl.Series:
    """The ids of all rows, in order: those that Longway wrote, if there are any."""
    if ID_COLUMN in dataset.frame.columns:
        return dataset.frame[ID_COLUMN].cast(pl.String)
    return pl.concat([ids.cast(pl.String) for _, ids in dataset.tables_with_ids()])


def _sources(versions: Mapping[str, Dataset]) -> dict[str, str]:
    """The row that each added row of any version was made from, by id."""
    found: dict[str, str] = {}
    for one in versions.values():
        if SOURCE_COLUMN in one.frame.columns:
            sources = one.frame[SOURCE_COLUMN].cast(pl.String).fill_null("")
            found |= {id_: source for id_, source in zip(_ids(one), sources, strict=True) if source}
    return found


def _roots(dataset: Dataset, source_of: Mapping[str, str]) -> pl.Series:
    """The original row of each row: the one it was made from, or the one that that was made from."""
    return pl.Series([_root(id_, source_of) for id_ in _ids(dataset)], dtype=pl.String)


def _root(id_: str, source_of: Mapping[str, str]) -> str:
    seen = {id_}
    while (source := source_of.get(id_)) is not None and source not in seen:
        seen.add(source)
        id_ = source
    return id_


RowKey = tuple[str, str]  # text and context, as compared


def concerns_about(
    versions: Mapping[str, Labelled],
    tests: Mapping[str, Labelled],
    *,
    validation: Mapping[str, Labelled] | None = None,
) -> list[Concern]:
    """All concerns about rows, those that stop the comparison first.

    versions: the training data, the original first. validation: by version, the rows for early stopping.
    """
    named = [*versions.items(), *tests.items()]
    if empty := [name for name, rows in named if not len(rows)]:
        return [_stop("empty", 1, f"{name!r} has no rows. Give data with rows.") for name in empty]
    keys = {name: set(_keys(rows)) for name, rows in versions.items()}
    found = [*_shapes(named), *_between_versions(versions)]
    for name, rows in (validation or {}).items():
        if len(shared := _rows_in(keys[name], rows)):
            text = f"{_share(shared, rows)} validation rows of {name!r} are also in its training data: training may stop too late."
            found.append(Concern.remark("validation", len(shared), text))
    for name, rows in tests.items():
        found += _labels(versions, name, rows)
        found += _overlaps(keys, validation or {}, name, rows)
    return sorted(found, key=lambda one: not one.refused)


def overlapping_rows(versions: Sequence[Labelled], test: Labelled) -> Ints:
    """The indexes of the test rows that are also in one of the versions."""
    return _rows_in({key for rows in versions for key in _keys(rows)}, test)


def _stop(kind: ConcernKind, count: int, text: str, ids: Sequence[int] | Ints = ()) -> Concern:
    return Concern(kind, count, tuple(int(i) for i in ids), text, True)


def _shapes(named: Sequence[tuple[str, Labelled]]) -> Iterator[Concern]:
    single = [name for name, rows in named if rows.inputs.contexts is None]
    pairs = [name for name, _ in named if name not in single]
    if pairs and single:
        text = (
            f"{pairs[0]!r} has pairs of texts, {single[0]!r} has single texts. One model cannot read both. "
            "Name the context column of all data, or of none."
        )
        yield _stop("one text or two", len(single), text)


def _between_versions(versions: Mapping[str, Labelled]) -> Iterator[Concern]:
    """Each version against the first."""
    (first, before), *others = versions.items()
    for name, rows in others:
        if differing := sorted(set(before.labels) ^ set(rows.labels)):
            text = (
                f"The labels of {first!r} and {name!r} differ: only one of them has {_listed(differing)}. "
                "Compare versions with the same labels."
            )
            yield _stop("other labels", len(differing), text)
        if len(before) != len(rows):
            text = (
                f"{first!r} has {len(before):,} rows and {name!r} {len(rows):,}: "
                "part of a difference may come from the number of rows."
            )
            yield Concern.remark("sizes", abs(len(before) - len(rows)), text)
        elif _counted(before) == _counted(rows):
            text = f"{first!r} and {name!r} are the same data: differences can only be chance. Give the changed version."
            yield _stop("same data", len(rows), text)


def _labels(versions: Mapping[str, Labelled], test: str, rows: Labelled) -> Iterator[Concern]:
    tested = set(rows.labels)
    known = {label for one in versions.values() for label in one.labels}
    for name, version in versions.items():
        if unknown := tested - set(version.labels):
            ids = [i for i, label in enumerate(rows.labels) if label in unknown]
            text = (
                f"The test {test!r} has {_listed(sorted(unknown))}, which {name!r} lacks. "
                "A model cannot predict a label it never saw: give a test with the same labels."
            )
            yield _stop("unknown label", len(ids), text, ids)
    if missing := sorted(known - tested):
        text = f"No row of the test {test!r} has {_listed(missing)}: accuracy on it is unknown, and there is no AUROC."
        yield Concern.remark("label not tested", len(missing), text)


def _overlaps(
    keys: Mapping[str, set[RowKey]], validation: Mapping[str, Labelled], test: str, rows: Labelled
) -> Iterator[Concern]:
    first, *others = keys
    leave = "Leave them out, or give another test."
    seen: list[tuple[ConcernKind, str, set[RowKey]]] = [
        ("overlap", f"also in {name!r}: a model has seen them. {leave}", own) for name, own in keys.items()
    ]
    for name in others:
        text = f"rows of {first!r} that {name!r} changed: the test was part of the rewriting. Give a test that was not."
        seen.append(("rewritten", text, keys[first] - keys[name]))
    for name, stops in validation.items():
        text = f"validation rows of {name!r}, which select the best model. {leave}"
        seen.append(("stopped on", text, set(_keys(stops))))
    for kind, text, trained in seen:
        if len(shared := _rows_in(trained, rows)):
            yield _stop(
                kind, len(shared), f"{_share(shared, rows)} rows of the test {test!r} are {text}", shared
            )


def _share(shared: Ints, rows: Labelled) -> str:
    return f"{len(shared):,} of {len(rows):,}"


def _rows_in(trained: set[RowKey], rows: Labelled) -> Ints:
    return np.array([i for i, key in enumerate(_keys(rows)) if key in trained], np.int64)


def _keys(rows: Labelled) -> Iterator[RowKey]:
    """Text and context of each row as compared: in lower case, with single spaces."""
    for text, context in zip(rows.inputs.texts, _contexts(rows), strict=True):
        yield " ".join(text.casefold().split()), " ".join(context.casefold().split())


def _counted(rows: Labelled) -> Counter[tuple[str, str, str]]:
    """How often each text occurs with each context and label, as written."""
    return Counter(zip(rows.inputs.texts, _contexts(rows), rows.labels, strict=True))


def _contexts(rows: Labelled) -> Sequence[str]:
    return [""] * len(rows) if rows.inputs.contexts is None else rows.inputs.contexts


def _listed(labels: Sequence[str]) -> str:
    shown = ", ".join(map(repr, labels[:5]))
    return f"{shown} and {len(labels) - 5} more" if len(labels) > 5 else shown
