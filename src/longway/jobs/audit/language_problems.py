"""What an audit reports about the languages of a dataset.

language                  the texts are in another language than English, or in several: which levels do not cover them
single_characters         the package that finds the words of a language is not installed
language_predicts_label   the languages have the labels in different shares
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2_contingency

from longway.data import Dataset
from longway.detect.negation import without_negations
from longway.language_names import ENGLISH, name_of
from longway.languages.dataset import described
from longway.languages.identify import language_of
from longway.languages.words import EXTRAS, is_installed
from longway.records import Problem

Ints = NDArray[np.int64]

MAX_P = 0.001  # of a chi-squared test, for languages that predict the label
_REWORDING = "The rules reword English texts only. To reword the others, add --engine served:MODEL."


def language_problems(dataset: Dataset, languages: Mapping[str, float]) -> list[Problem]:
    """The problems of a dataset in these languages, given with their shares; none for English alone."""
    problems = [_missing_package(language, dataset) for language in languages if not is_installed(language)]
    if len(languages) > 1:
        counts = _rows_by_label(dataset, list(languages))
        return [_several(languages, counts), *problems, *_unequal(dataset, list(languages), counts)]
    return problems if ENGLISH in languages else [_foreign(dataset, languages), *problems]


def _foreign(dataset: Dataset, languages: Mapping[str, float]) -> Problem:
    message = (
        f"The texts look like {described(languages)}. The people level covers English only."
        f"{_without_tables(languages)} All other levels and the leak work as in English."
    )
    advice = f"{_REWORDING} A repair without it takes out recurring text, normalises and drops rows."
    return Problem("language", message, dataset.n_used, advice)


def _several(languages: Mapping[str, float], counts: Ints) -> Problem:
    """counts: rows by language and label."""
    n_foreign = sum(
        int(row.sum()) for language, row in zip(languages, counts, strict=True) if language != ENGLISH
    )
    message = (
        f"The texts are in several languages: {described(languages)}. The people level covers English only: {n_foreign:,} rows are in other "
        f"languages.{_without_tables(languages)}"
    )
    return Problem("language", message, n_foreign, _REWORDING)


def _without_tables(languages: Mapping[str, float]) -> str:
    """A sentence about the languages without a table of negations; "" if all have one."""
    names = [name_of(each) for each in without_negations(languages) if each != ENGLISH]
    return f" The negation level has no word table for {' and '.join(names)}." if names else ""


def _missing_package(language: str, dataset: Dataset) -> Problem:
    packages = " and ".join(EXTRAS[language])
    message = f"{name_of(language)} texts were split into single characters, so that words appear as phrases: {packages} is missing."
    return Problem(
        "single_characters", message, dataset.n_used, f"Install it: pip install 'longway[{language}]'"
    )


def _rows_by_label(dataset: Dataset, languages: Sequence[str]) -> Ints:
    """The number of rows by language and label; rows of unclear language are not counted."""
    counts = np.zeros((len(languages), len(dataset.labels)), dtype=np.int64)
    for batch in dataset.batches():
        of_rows = np.array([language_of(text, among=languages) for text in batch.texts], dtype=object)
        for place, language in enumerate(languages):
            labels = batch.labels[of_rows == language]
            counts[place] += np.bincount(labels, minlength=len(dataset.labels))
    return counts


def _unequal(dataset: Dataset, languages: Sequence[str], counts: Ints) -> list[Problem]:
    """Whether the languages have the labels in different shares. counts: rows by language and label."""
    known = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    if min(known.shape) < 2 or chi2_contingency(known).pvalue > MAX_P:
        return []
    all_rows = np.array(dataset.label_counts) / dataset.n_used
    expected, n = counts.sum(axis=0) / counts.sum(), np.maximum(counts.sum(axis=1, keepdims=True), 1)
    at, label = divmod(int(np.argmax((counts / n - expected) * np.sqrt(n))), len(expected))
    message = (
        f"The language predicts the label: {counts[at, label] / n[at, 0]:.0%} of the rows in {name_of(languages[at])} have the label "
        f"{dataset.labels[label]!r}, {all_rows[label]:.0%} of all rows."
    )
    advice = "Audit each language separately, or balance the labels within each language."
    return [Problem("language_predicts_label", message, int(n[at, 0]), advice)]
