"""The data of `tables.py`: where each dataset is, rows of it, and what a trained classifier is measured by."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from longway.data import Dataset, load
from longway.models.classifier import Classifier, Inputs, Labelled
from runs_common import common

Row = dict[str, str]
HATE = "hate_speech_human_cf/dev.jsonl.gz"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a dataset is. tests: accuracy on them; beyond: AUROC on other datasets. cad: human counterfactuals to train on."""

    name: str
    train: str
    tests: Mapping[str, str]
    beyond: Mapping[str, str] = field(default_factory=dict)
    cad: str = ""
    text: str = "text"
    context: str = ""
    label: str = "label"


SOURCES = {
    "sst2": Source("SST-2", "sst2/train.jsonl.gz", {"test": "sst2/dev.jsonl.gz"}),
    "imdb": Source(
        "IMDb",
        "imdb/train.jsonl.gz",
        {
            "test": "imdb/test.jsonl.gz",
            "cad": "human_cad_imdb/dev.jsonl.gz",
            "cad_more": "human_cad_imdb/train.jsonl.gz",  # had no part in choosing our checks
        },
        {"sst2": "sst2_sentences/test.jsonl.gz", "yelp": "yelp_sentences/dev_sample.jsonl.gz"},
        cad="human_cad_imdb/train.jsonl.gz",
    ),
    "snli": Source(
        "SNLI",
        "snli/train_balanced.jsonl.gz",
        {"test": "snli/test.jsonl.gz", "cad": "human_cad_snli/revised_combined_dev.jsonl.gz"},
        {"mnli": "mnli/dev_matched.jsonl.gz"},
        cad="human_cad_snli/revised_combined_train.jsonl.gz",
        text="hypothesis",
        context="premise",
    ),
    "mnli": Source(
        "MNLI",
        "mnli/train_subset_3k.jsonl.gz",
        {"test": "mnli/dev_matched.jsonl.gz"},
        text="hypothesis",
        context="premise",
    ),
    "hate": Source("hate speech", HATE, {"test": HATE, "cad": HATE}),
}
CONTRASTS = replace(SOURCES["hate"], text="cf_text", label="cf_label")  # what people made of its texts


def lines_of(file: str) -> list[dict[str, Any]]:
    """The rows of a file of the shared data."""
    with gzip.open(common.data(file), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def rows_from(
    source: Source, file: str, *, limit: int, seed: int = 0, max_words: int = 0, held_out: bool = False
) -> list[Row]:
    """Rows with id, text, context and label, drawn at random. max_words: leaves out longer texts; 0 for none.

    held_out: where one file has all rows, every fifth is for testing.
    """
    rows = list(enumerate(lines_of(file)))
    if source.train in source.tests.values():
        rows = [(i, row) for i, row in rows if (i % 5 == 4) == held_out]
    if max_words:
        rows = [(i, row) for i, row in rows if len(row[source.text].split()) <= max_words]
    order = np.random.default_rng(seed).permutation(len(rows))[:limit]
    return [_row(source, *rows[place]) for place in sorted(order.tolist())]


def _row(source: Source, number: int, row: Mapping[str, Any]) -> Row:
    context = {"context": str(row[source.context])} if source.context else {}
    return {"id": str(number), "text": row[source.text], "label": row[source.label], **context}


def dataset_of(rows: Sequence[Row]) -> Dataset:
    """Rows as the product takes them."""
    context = "context" if "context" in rows[0] else ""
    return load(list(rows), text="text", label="label", id="id", context=context)


def labelled(rows: Sequence[Mapping[str, Any]]) -> Labelled:
    """Rows as classifiers take them."""
    contexts = [row["context"] for row in rows] if "context" in rows[0] else None
    return Labelled(Inputs([row["text"] for row in rows], contexts), [row["label"] for row in rows])


def source_of(name: str, test: str) -> Source:
    """How the columns of a test set are named: those of other datasets by their own names."""
    if (name, test) == ("hate", "cad"):
        return CONTRASTS
    return SOURCES[test] if test in SOURCES and test != name else SOURCES[name]


def accuracy(model: Classifier, data: Labelled) -> float:
    """The share of right answers."""
    return float(np.mean([a == b for a, b in zip(model.predict(data.inputs), data.labels, strict=True)]))


def auroc(model: Classifier, data: Labelled) -> float:
    """The area under the ROC curve; with more than two labels the mean of each against the rest."""
    from sklearn.metrics import roc_auc_score

    known, labels = model.predict_proba(data.inputs), list(model.labels_)
    truth = [labels.index(label) for label in data.labels]
    if len(labels) == 2:
        return float(roc_auc_score(truth, known[:, 1]))
    return float(roc_auc_score(truth, known, multi_class="ovr"))


def moved(model: Classifier, pairs: Sequence[Mapping[str, Any]]) -> float:
    """The share of answers that change with a person's gender (the fairscore, Eq. 1 of the perturbation paper)."""
    before, after = labelled(pairs), labelled([pair["new"] for pair in pairs])
    answers = zip(model.predict(before.inputs), model.predict(after.inputs), strict=True)
    return float(np.mean([old != new for old, new in answers]))


def gender_changed(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows in which rules can change somebody's gender, each with the changed row."""
    from longway.english.people.change import change_person
    from longway.jobs.perturb.perturbing import Perturber, Perturbing
    from longway.jobs.perturb.settings import PerturbSettings

    perturbing = Perturbing(dataset_of(rows), PerturbSettings(axes=("gender",)))
    pairs: list[dict[str, Any]] = []
    rules = Perturber(
        "rules", lambda requests: [change_person(one, read=perturbing.documents) for one in requests]
    )
    for outcome in perturbing.run(rules):
        if outcome.taken is not None:
            segments, row = outcome.taken.perturbed.segments, rows[outcome.row]
            context = {"context": segments[0]} if len(segments) > 1 else {}
            pairs.append({**row, "new": {**row, "text": segments[-1], **context}})
    return pairs
