"""A dataset as the rows that methods work on, and such rows as a dataset of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from longway.data import Dataset, load
from longway.english.words import sentiment_agreement
from longway.language_names import ENGLISH, UNKNOWN, codes_of
from longway.languages.dataset import languages_in
from longway.methods.method import Rows
from longway.records import Example
from longway.task import Kind, Task, descriptions_of, task_of, two_numbers

EXAMPLES_PER_LABEL = 3
LOOKED_AT = 4000  # texts that tell whether 0 and 1 are a sentiment
LONGEST_EXAMPLE = 300  # characters: an example shows what a label means, no more


def rows_of(dataset: Dataset, *, seed: int = 0, labelled: bool = True, describe: Sequence[str] = ()) -> Rows:
    """The used rows of a dataset, in memory.

    labelled: False where each row has a text of its own as label: the task then has no labels and no examples of them.
    describe: what labels mean, as `task.descriptions_of` reads it.
    """
    ids: list[str] = []
    texts: list[str] = []
    contexts: list[str] = []
    labels = []
    for batch in dataset.batches():
        ids += batch.ids.to_list()
        texts += batch.texts.to_list()
        contexts += [] if batch.contexts is None else batch.contexts.to_list()
        labels.append(batch.labels)
    columns = dataset.columns
    rows = Rows(
        ids,
        texts,
        np.concatenate(labels).astype(np.int64),
        dataset.labels,
        task_of(dataset.labels if labelled else (), text_name=columns.text, context_name=columns.context),
        contexts if columns.context is not None else None,
    )
    rows.task = replace(rows.task, languages=_languages_of(dataset))
    rows.task = replace(
        rows.task, language="" if rows.main_language in (ENGLISH, UNKNOWN) else rows.main_language
    )
    if labelled:
        if not describe:  # else the user says what the labels mean
            rows.task = replace(rows.task, kind=_kind_of(rows))
        task = task_with_examples(rows, seed=seed)
        meanings = {
            label: f"{side} sentiment" for label, side in task.sides.items() if two_numbers(task.labels)
        }
        rows.task = replace(task, descriptions=meanings | descriptions_of(describe, dataset.labels))
    return rows


def _languages_of(dataset: Dataset) -> tuple[str, ...]:
    """The languages that the user named; those of mixed data; none if it has one language."""
    if dataset.columns.language:
        return codes_of(dataset.columns.language)
    shares = languages_in(dataset)
    return tuple(shares) if len(shares) > 1 else ()


def sentiment_numbers(labels: Sequence[str], texts: Sequence[str], of_texts: Sequence[int]) -> bool:
    """Whether two labels that are numbers, such as 0 and 1, obviously mean negative and positive. of_texts: the place of each text's label."""
    numbers = two_numbers(labels)
    if numbers is None:
        return False
    high = labels.index(numbers[1])
    is_high = [label == high for label in of_texts]
    return sentiment_agreement(texts, is_high).is_obvious


def _kind_of(rows: Rows) -> Kind:
    if rows.task.kind != "labels" or rows.task.is_pair:
        return rows.task.kind
    some = spread(len(rows), LOOKED_AT)
    is_sentiment = sentiment_numbers(
        rows.label_names, [rows.texts[i] for i in some], rows.labels[some].tolist()
    )
    return "sentiment" if is_sentiment else "labels"


def spread(n: int, most: int) -> list[int]:
    """At most so many of n places, evenly spaced.

    >>> spread(10, 5), spread(3, 5)
    ([0, 2, 4, 6, 8], [0, 1, 2])
    """
    return [i * n // min(n, most) for i in range(min(n, most))]


def task_with_examples(rows: Rows, *, seed: int) -> Task:
    """The task of labelled rows, with some of them as examples for engines."""
    task = task_of(
        rows.label_names,
        text_name=rows.task.text_name,
        context_name=rows.task.context_name,
        examples=_examples(rows, seed),
    )
    return replace(task, kind=rows.task.kind, language=rows.task.language, languages=rows.task.languages)


def dataset_of(rows: Rows) -> Dataset:
    """The rows as a dataset of their own, to be measured."""
    frame = {"id": rows.ids, "text": rows.texts, "label": [rows.label(i) for i in range(len(rows))]}
    if rows.contexts is not None:
        frame["context"] = rows.contexts
    dataset = load(
        pl.DataFrame(frame, schema=dict.fromkeys(frame, pl.String)),
        id="id",
        text="text",
        label="label",
        context="context" if rows.contexts is not None else "",
        language=",".join(rows.task.languages) or None,
    )
    if len(rows.task.spoken) == 1:
        dataset.languages = {rows.task.spoken[0]: 1.0}
    return dataset


def _examples(rows: Rows, seed: int) -> list[Example]:
    """Up to three short rows of each label, drawn at random: they show an engine what the labels mean."""
    order = np.random.default_rng(seed).permutation(len(rows))
    short = [i for i in order.tolist() if len(rows.texts[i]) + len(rows.context(i) or "") <= LONGEST_EXAMPLE]
    found: list[Example] = []
    for label in range(len(rows.label_names)):
        found += [rows.example(i) for i in short if rows.labels[i] == label][:EXAMPLES_PER_LABEL]
    return found
