"""The rewrites and proofs that the tables of papers/razor/tables.py are made of.

Each has a folder below --out that is named after everything that decides it, and is a run of `longway rewrite` or `longway prove`: a
second call reads it, or resumes it where it stopped, and no answer of a server is paid for twice.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from longway.data import Dataset, load
from longway.jobs.engine_use import Engines
from longway.jobs.estimate import RunEstimate
from longway.jobs.prove.job import prove
from longway.jobs.prove.result import ProveResult
from longway.jobs.prove.settings import ProveSettings
from longway.jobs.prove.training import ids_of, rows_of
from longway.jobs.rewrite.job import rewrite
from longway.jobs.rewrite.result import RewriteResult
from longway.jobs.run import Started, Watcher
from longway.models.catalog import model_named
from longway.records import BUDGET_SPENT
from longway.store.journal import key_of
from runs_common import common

# FEVER: train on paper_test, never on paper_dev, which shares claims with Symmetric.
TRAINING = {
    "FEVER": "fever/paper_test_supports_refutes.jsonl.gz",
    "MNLI": "mnli/train_subset_3k.jsonl.gz",
    "SNLI": "snli/train_balanced.jsonl.gz",
}
TESTS = {
    "FEVER": "fever/paper_dev_supports_refutes.jsonl.gz",
    "Symmetric": "fever_symmetric/v0.2_dev.jsonl.gz",
    "MNLI": "mnli/dev_matched.jsonl.gz",
    "SNLI": "snli/test.jsonl.gz",
}
COLUMNS: dict[str, dict[str, Any]] = {
    "FEVER": {"text": "claim", "context": "evidence", "label": "label"},
    "NLI": {"text": "hypothesis", "context": "premise", "label": "label"},
}
SMALL = 500  # training rows of Fig. 5, pairs of Fig. 3
STAND_INS = {
    "bow": "bag of words over both texts, softmax regression",
    "nb": "bag of words over both texts, naive Bayes",
    "minilm": "all-MiniLM-L6-v2, frozen, with a linear head",
    "minilm-lora": "all-MiniLM-L6-v2 fine-tuned with LoRA",
    "minilm-full": "all-MiniLM-L6-v2 fine-tuned",
    "cnn": "a convolution over MiniLM's word vectors",
    "gru": "a recurrent network over MiniLM's word vectors",
    "dan": "a mean of MiniLM's word vectors and one layer",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides the figures.

    rows, test_rows: at most, of each training and test set. engines, base_urls: one, or two: the paper's ChatGPT and Llama. paper: RAZOR
    as published; otherwise the defaults of `longway rewrite`. rewriting: further options of `longway rewrite` by name. epochs,
    learning_rate: of models that are trained in epochs; None for the model's default. seed: of the drawn rows and of the rewriting.
    """

    rows: int
    test_rows: int
    engines: Sequence[str]
    base_urls: Sequence[str]
    models: Sequence[str]
    seeds: int = 1
    epochs: int = 3
    learning_rate: float | None = None
    device: str = "auto"
    paper: bool = True
    rewriting: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0

    def key(self, table: str) -> str:
        """What a finished table was made with, the version of Longway included. The address of a server is not part of it."""
        given = {name: value for name, value in asdict(self).items() if name != "base_urls"}
        return key_of({"table": table, "longway": version("longway"), **json.loads(json.dumps(given))})


class Experiments:
    """Rewrites and proofs, each done when it is first needed. incomplete: why figures of this session are not final."""

    def __init__(self, plan: Plan, out: Path, *, budget: float | None = None) -> None:
        self.plan, self.out, self.budget = plan, out, budget
        self.incomplete: set[str] = set()
        self._data: dict[tuple[str, str, int], Dataset] = {}

    def train(self, name: str, *, rows: int | None = None) -> Dataset:
        """The training set, as many rows as the plan has or fewer."""
        return self._drawn("train", name, TRAINING[name], min(rows or self.plan.rows, self.plan.rows))

    def test(self, name: str) -> Dataset:
        """A test set."""
        return self._drawn("test", name, TESTS[name], self.plan.test_rows)

    def _drawn(self, kind: str, name: str, file: str, n: int) -> Dataset:
        key = (kind, name, n)
        if key not in self._data:
            columns = COLUMNS["FEVER" if name in ("FEVER", "Symmetric") else "NLI"]
            rows = drawn_rows(common.data(file), n, seed=self.plan.seed)
            self._data[key] = load(rows, id="row", **columns)
        return self._data[key]

    def rewritten(
        self, name: str, *, engine: int = 0, embedding: bool = False, rows: int | None = None
    ) -> RewriteResult:
        """A training set, rewritten by RAZOR. engine: which of the plan's. embedding: compare texts by sentence vectors (section 4.2)."""
        plan, data = self.plan, self.train(name, rows=rows)
        url = plan.base_urls[min(engine, len(plan.base_urls) - 1)] if plan.base_urls else None
        options = {
            "engine": plan.engines[engine],
            "paper": plan.paper,
            "seed": plan.seed,
            **plan.rewriting,
            **({"space": "embedding"} if embedding else {}),
        }
        key = key_of({**options, "url": url, "data": data.fingerprint})[:10]
        found = rewrite(
            data,
            engines=Engines(url, budget=self.budget),
            out=self.out / "rewrites" / f"{name}{'-embedding' * embedding}-{key}",
            watcher=Progress(f"rewriting {data.n_used:,} rows of {name}, {options['engine']}"),
            **options,
        )
        if found.failed_calls:
            self.incomplete.add(
                f"{sum(one.count for one in found.failed_calls)} calls to {found.engine} failed"
            )
        if found.stopped == BUDGET_SPENT:
            self.incomplete.add("the budget is spent, and a larger --budget is needed to go on")
        return found

    def proofs(
        self,
        name: str,
        before: Dataset,
        versions: Mapping[str, Dataset],
        tests: Sequence[str],
        *,
        models: Sequence[str] = (),
        methods: Sequence[str] = ("erm",),
        baselines: Sequence[str] = (),
        epochs: int | None = None,
    ) -> list[ProveResult]:
        """A proof for each model. versions: "after", and others by name. models: those of the plan if none are given."""
        plan, found = self.plan, []
        held_out = {test: self.test(test) for test in tests}
        after, also = versions["after"], {key: data for key, data in versions.items() if key != "after"}
        for model in models or plan.models:
            settings = ProveSettings(
                models=(model,),
                methods=tuple(methods),
                seeds=plan.seeds,
                baselines=tuple(baselines),
                drop_overlap=True,
                device=plan.device,
                model_options=self._model_options(model, epochs),
            )
            data = {key: one.fingerprint for key, one in {"before": before, **versions, **held_out}.items()}
            key = key_of({"settings": json.loads(json.dumps(asdict(settings))), "data": data})[:10]
            folder = self.out / "proofs" / f"{name}-{re.sub(r'[^a-z0-9]+', '-', model.lower())}-{key}"
            watcher = Progress(f"training {model} for {name}")
            found.append(
                prove(before, after, settings, tests=held_out, also=also, out=folder, watcher=watcher)
            )
        return found

    def logits(self, model: str, train: Dataset, test: str) -> np.ndarray:
        """(rows, labels): what a model trained plainly on the data answers to a test set (Fig. 6); as in `longway prove` with seed 0."""
        new = model_named(model, seed=0, device=self.plan.device, **self._model_options(model, None))
        return new.fit(rows_of(train)).logits(rows_of(self.test(test)).inputs)

    def _model_options(self, model: str, epochs: int | None) -> dict[str, Any]:
        if not trains_in_epochs(model):
            return {}
        rate = {} if self.plan.learning_rate is None else {"learning_rate": self.plan.learning_rate}
        return {"epochs": epochs or self.plan.epochs, **rate}


class Progress(Watcher):
    """Says on stderr what takes time; nothing for runs that are done."""

    def __init__(self, what: str) -> None:
        self.what = what

    def start(self, started: Started) -> None:
        print(f"  {self.what} ...", file=sys.stderr, flush=True)

    def estimate(self, estimate: RunEstimate) -> None:
        cost = "unknown" if estimate.cost is None else f"${estimate.cost:.2f}"
        print(
            f"    at most {estimate.writes + estimate.judgements:,} calls, cost at most {cost}",
            file=sys.stderr,
            flush=True,
        )


def trains_in_epochs(model: str) -> bool:
    """Whether `epochs` and `learning_rate` are options of a model.

    >>> [name for name in ("bow", "minilm", "dan", "minilm-lora", "hf:a/b", "hf:a/b-frozen") if trains_in_epochs(name)]
    ['dan', 'minilm-lora', 'hf:a/b']
    """
    return model in ("cnn", "gru", "dan") or model.endswith(("-lora", "-full")) or _is_tuned(model)


def _is_tuned(model: str) -> bool:
    return model.startswith("hf:") and not model.endswith("-frozen")


def stand_in(model: str) -> str:
    """What a model is."""
    return STAND_INS.get(model, "an encoder of Hugging Face, fine-tuned or frozen as its name says")


def drawn_rows(path: Path, n: int, *, seed: int) -> list[dict[str, Any]]:
    """So many rows of a file at random, in the order of the file; more rows include the fewer. `row` is the line, from 0."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [{"row": str(i), **json.loads(line)} for i, line in enumerate(lines)]
    chosen = np.random.default_rng(seed).permutation(len(rows))[:n]
    return [rows[i] for i in sorted(chosen)]


def changed_pairs(before: Dataset, after: Dataset, n: int, *, seed: int) -> tuple[Dataset, Dataset]:
    """Both versions of at most n rows whose text differs, drawn at random (Fig. 3)."""
    old, new = rows_of(before), rows_of(after)
    texts = dict(zip(ids_of(after), new.inputs.texts, strict=True))
    ids = ids_of(before)
    changed = [i for i, id_ in enumerate(ids) if texts[id_] != old.inputs.texts[i]]
    chosen = sorted(np.random.default_rng(seed).permutation(len(changed))[:n])
    columns = before.columns

    def rows_with(text_of: Mapping[str, str]) -> Dataset:
        rows = [
            {
                "row": ids[i],
                columns.text: text_of[ids[i]],
                columns.label: old.labels[i],
                **({columns.context: old.inputs.contexts[i]} if old.inputs.contexts is not None else {}),
            }
            for i in (changed[place] for place in chosen)
        ]
        return load(rows, text=columns.text, label=columns.label, context=columns.context or "", id="row")

    return rows_with(dict(zip(ids, old.inputs.texts, strict=True))), rows_with(texts)
