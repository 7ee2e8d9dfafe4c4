"""Which rows are audited, and which are held out to test on: splits of the data, and files given for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from longway.data import Dataset, load
from longway.data.problems import say_rows
from longway.errors import ColumnError, DataError, SettingError
from longway.records import Problem

MAX_LABELS = 200


@dataclass(frozen=True, slots=True)
class Arranged:
    """The rows to audit, the held-out sets by name, and what had to be left out."""

    dataset: Dataset
    held_out: dict[str, Dataset]
    problems: list[Problem] = field(default_factory=list)


def arrange(
    dataset: Dataset,
    split: str | None = None,
    tests: Mapping[str, object] | None = None,
    *,
    labelled: bool = True,
) -> Arranged:
    """Take the split to audit; the other splits and the given sets are held out.

    Without a name, the split "train" is audited where there is one, and everything where there is none.
    labelled: False where the label column holds a text of its own for each row: then there are no labels to check.
    """
    result = _take_split(dataset, split if split is not None else _train_of(dataset))
    given = loaded_tests(tests, dataset)
    if twice := sorted(set(result.held_out) & set(given)):
        raise SettingError(
            f"A held-out set is called {twice[0]!r}, and so is a split of the data. Each needs a name of its own. "
            "Give the set another one: --test NAME=FILE."
        )
    result.held_out.update(given)
    if not labelled:
        return result
    _check_labels(result.dataset)
    for name in list(result.held_out):
        _check_labels_of(result, name)
    return result


def loaded_tests(tests: Mapping[str, object] | None, like: Dataset) -> dict[str, Dataset]:
    """The datasets of test sets by name, or what `load` makes of them with the columns of another dataset."""
    own = like.columns
    return {
        name: data
        if isinstance(data, Dataset)
        else load(data, text=own.text, context=own.context or "", label=own.label, language=own.language)
        for name, data in (tests or {}).items()
    }


def _check_labels(dataset: Dataset) -> None:
    """Raise DataError where the labels cannot be audited."""
    check_no_lists(dataset)
    if len(dataset.labels) < 2:
        raise DataError(
            f"{dataset.source_name} has one label only ({', '.join(map(repr, dataset.labels))} in column "
            f"{dataset.columns.label!r}). Shortcuts need two labels to tell apart. Choose another column with --label."
        )
    if len(dataset.labels) > MAX_LABELS:
        raise DataError(
            f"Column {dataset.columns.label!r} of {dataset.source_name} has {len(dataset.labels):,} different values. "
            f"An audit takes at most {MAX_LABELS} labels. Choose another column with --label, or put numbers into a few bins."
        )


def check_no_lists(dataset: Dataset) -> None:
    """Raise ColumnError if a row has a list of tags instead of one label."""
    columns = dataset.columns
    if columns.lists == "several" and columns.tag is None:
        raise ColumnError(
            f"Column {columns.label!r} of {dataset.source_name} holds lists of tags. One label per row was expected. `longway audit` audits one tag "
            "after the other (in Python: lw.audit_labels). For everything else, make a column that says whether a row has the tag, and name it "
            "with --label."
        )


def _train_of(dataset: Dataset) -> str | None:
    if len(dataset.splits) < 2:
        return None
    return next((name for name in dataset.splits if name.strip().lower() in ("train", "training")), None)


def _take_split(dataset: Dataset, split: str | None) -> Arranged:
    if split is None or split == dataset.split:
        result = Arranged(dataset, {})
        if len(dataset.splits) > 1:
            message = f"The splits {', '.join(dataset.splits[:5])} were audited together."
            result.problems.append(
                Problem("splits_together", message, dataset.n_rows, "Choose one with --split.")
            )
        return result
    result = Arranged(dataset.select_split(split), {})
    for name in dataset.splits:
        if name != split:
            try:
                result.held_out[name] = dataset.select_split(name)
            except DataError as error:
                message = f"The split {name} was not tested on: {error}"
                result.problems.append(
                    Problem("split_unusable", message, 1, "Nothing to do if it has no labels.")
                )
    in_splits = sum(dataset.select_split(name).n_rows for name in [split, *result.held_out])
    if not result.problems and in_splits < dataset.n_rows:
        n = dataset.n_rows - in_splits
        message = f"{say_rows(n)} in no split, left out."
        result.problems.append(Problem("no_split", message, n, "Fill in the split column, or name none."))
    return result


def _check_labels_of(result: Arranged, name: str) -> None:
    """Tell about labels that the audited rows do not have; a set that shares none is left out."""
    test = result.held_out[name]
    unknown = {
        label: n
        for label, n in zip(test.labels, test.label_counts, strict=True)
        if label not in result.dataset.labels
    }
    if not unknown:
        return
    n, shown = sum(unknown.values()), ", ".join(map(repr, list(unknown)[:5]))
    message = f"{say_rows(n)} of {name} with labels that the audited rows do not have ({shown})."
    if len(unknown) == len(test.labels):
        del result.held_out[name]
        message += " No label is shared, so nothing was measured on it."
    else:
        message += " They count as wrong."
    result.problems.append(Problem("unknown_labels", message, n, "Name the labels alike in both."))
