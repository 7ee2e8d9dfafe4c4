"""Versions of the data of `tables.py` with added texts, and classifiers trained on them.

    Workshop(options).made("imdb", "coba")           the rows with what CoBA adds; `longway augment` makes them, in a run folder
    Workshop(options).scores("imdb", "coba", model)  a classifier trained on them, on every test set of the dataset, one figure a seed

Both are kept below --out: what is there is not made again. Versions of one dataset share what an engine answered, and what classifiers
say of words where that was asked with the same settings; so an ablation does not pay twice for the same triples.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import peers
from longway.engines.asker import Asker
from longway.engines.engine import RULES
from longway.engines.recording import ANSWERS
from longway.engines.registry import engine_named
from longway.errors import DataError, MissingExtra, SettingError
from longway.jobs.augment.job import augment, augment_estimate
from longway.jobs.augment.result import AugmentResult
from longway.jobs.augment.settings import PAPER_MODELS, AugmentSettings, default_models
from longway.jobs.engine_use import Engines, close
from longway.jobs.rows import rows_of
from longway.jobs.run import Started, Watcher
from longway.models.catalog import model_named
from longway.models.classifier import Labelled
from longway.records import BUDGET_SPENT
from longway.store import CHECKED, JOURNAL_FILE, RUN_FILE, Journal, read_json, write_json
from longway.store.journal import key_of
from sources import (
    SOURCES,
    Row,
    accuracy,
    auroc,
    dataset_of,
    gender_changed,
    labelled,
    moved,
    rows_from,
    source_of,
)

GENDER_ROWS = 1000  # test rows that are looked through for somebody whose gender can be changed
# What the words of a row depend on, besides the rows and the classifier.
OF_WORDS = ("paper", "folds", "learning_rate", "epochs", "importance", "top_k", "contexts", "seed")
TELL_EVERY = 30  # seconds
PASSED_ON = (
    "mixed",
    "folds",
    "learning_rate",
    "epochs",
    "rate",
)  # options that have a value only if they are given
USUAL_VOTERS = 5  # as in the paper; Table 11 has up to seven
# What `longway augment` is asked for, beside the paper's values; it adds what `peers.py` wrote for other versions.
VERSIONS: dict[str, dict[str, Any]] = {
    "eda": {"method": "eda"},
    "counterfactual": {"method": "counterfactual"},
    "coba": {},
    "coba-identified": {"identify": "engine"},
    "coba-neither": {"alter": False, "gender": False, "permute": False, "drop": False},
    "coba-shuffle": {"gender": False},
    "coba-gender": {"permute": False, "drop": False},
}


@dataclass(frozen=True, slots=True)
class Made:
    """A version of a dataset. added: the new texts; result: of the run that made them, None if there was none. why: nothing was added."""

    rows: list[Row]
    added: list[str] = field(default_factory=list)
    result: AugmentResult | None = None
    why: str = ""


class Sharing(Watcher):
    """Gives a new run the answers that runs about the same rows have got, and now and then tells what a slow run does."""

    def __init__(self, name: str, folders: Sequence[Path]) -> None:
        self.name, self.folders, self._told, self._step = name, folders, time.monotonic(), ""

    def start(self, started: Started) -> None:
        """Fill the journal of a run that begins or goes on with answers that it lacks."""
        own = read_json(started.folder / RUN_FILE)
        with closing(Journal(started.folder / JOURNAL_FILE)) as journal:
            for folder in self.folders:
                if folder != started.folder and (folder / JOURNAL_FILE).exists():
                    kinds = {*ANSWERS, CHECKED}  # their keys say what was asked
                    if same_words(own, read_json(folder / RUN_FILE)):
                        kinds.add("words")
                    with closing(Journal(folder / JOURNAL_FILE)) as other:
                        known = {entry.key: entry for entry in other.entries() if entry.kind in kinds}
                    for key in journal.get_all(known):
                        del known[key]
                    journal.put_all(replace(entry, cost=0.0) for entry in known.values())

    def step(self, name: str) -> None:
        """Remember the step."""
        self._step = name

    def progress(self, done: int, total: int) -> None:
        """Print how far the step is."""
        if time.monotonic() > self._told + TELL_EVERY:
            self._told = time.monotonic()
            print(f"    {self.name}, {self._step}: {done} of {total}", flush=True)


class Workshop:
    """Makes versions and trains classifiers, each once. unfinished: versions that lack texts because calls failed or the budget is spent."""

    def __init__(self, options: Namespace) -> None:
        self.options, self.out = options, Path(options.out)
        self.unfinished: list[str] = []
        self.asks_gender = any(number in options.tables for number in ("5", "given"))
        self._made: dict[tuple[str, str], Made] = {}
        self._tests: dict[str, dict[str, Labelled]] = {}

    def check(self) -> None:
        """Raise what is wrong with the settings or the engine, before anything is made."""
        self.settings("coba")
        if self.options.engine != RULES:
            close(engine_named(self.options.engine, base_url=self.options.base_url))

    # Versions

    def rows(self, name: str) -> list[Row]:
        """The training rows of a dataset as they are."""
        options, source = self.options, SOURCES[name]
        return rows_from(
            source, source.train, limit=options.rows, seed=options.seed, max_words=options.max_words
        )

    def made(self, name: str, version: str, rows: list[Row] | None = None, **more: Any) -> Made:
        """A version of a dataset, made by `longway augment` unless it is there. more: settings that the version has besides its own."""
        if (name, version) not in self._made:
            self._made[name, version] = self._make(
                name, version, self.rows(name) if rows is None else rows, more
            )
        return self._made[name, version]

    def settings(self, version: str, **more: Any) -> AugmentSettings:
        """How a version is made: as published, but with classifiers that are at hand, or with the product's checks."""
        options = self.options
        chosen = {
            "paper": not options.checked,
            "engine": options.engine,
            "judge": options.judge if options.checked else "none",
            "models": voters(options),
            "importance": options.importance,
            "top_k": options.top_k,
            "variants": options.variants,
            "spurious": tuple(options.spurious_words.read_text("utf-8").split("\n"))
            if options.spurious_words
            else (),
            "seed": options.seed,
            **{name: value for name in PASSED_ON if (value := getattr(options, name)) is not None},
        }
        return AugmentSettings(**{**chosen, **VERSIONS.get(version, {}), **more})

    def _make(self, name: str, version: str, rows: list[Row], more: Mapping[str, Any]) -> Made:
        if version in ("plain", "given-plain"):
            return Made(rows)
        if version == "human-cad":
            source = SOURCES[name]
            revised = rows_from(source, source.cad, limit=len(rows), seed=self.options.seed)
            return Made(rows + [{**row, "id": f"cad-{row['id']}"} for row in revised])
        try:
            if version in peers.METHODS:
                return self._by_peer(name, version, rows)
            return self.augmented(name, version, rows, self.settings(version, **more))
        except (
            DataError,
            SettingError,
            MissingExtra,
        ) as error:  # a step that this engine or these rows do not allow
            print(f"  {name} {version}: not made", flush=True)
            return Made(rows, why=str(error).split(". ")[0])

    def _by_peer(self, name: str, version: str, rows: list[Row]) -> Made:
        """The rows with what `peers.py` has an engine write; `longway augment` adds it."""
        options, settings = self.options, self.settings(version)
        if options.dry_run:
            for step in ("there", "back") if version == "back-translation" else ("texts",):
                self._estimate(f"{name} {version}, {step}", rows, self.settings("counterfactual"))
            return Made(rows, why="not made: --dry-run")
        folder = self.out / "texts" / f"{name}-{version}-{self._key(rows, settings)[:8]}"
        folder.mkdir(parents=True, exist_ok=True)
        more = {"base_url": options.base_url, **options.engine_options}
        engine = engine_named(options.engine, **more)
        with (
            closing(Journal(folder / JOURNAL_FILE)) as journal,
            Asker(engine, journal, budget=self._left(folder)) as asker,
        ):
            writing = peers.Writing(asker, n=settings.variants, sampling=settings.sampling())
            texts = peers.texts_of(version, rows_of(dataset_of(rows), seed=settings.seed), writing)
        if asker.failed or BUDGET_SPENT in writing.why:
            why = f"{asker.failed} calls failed" if asker.failed else BUDGET_SPENT
            self.unfinished.append(f"{name} {version}: {why}")
        if not texts:
            raise DataError(f"nothing written: {next(iter(writing.why), 'no text')}")
        file = folder / f"{len(texts)}.csv"  # a call that failed is made again: then there are more
        peers.save(texts, file)
        given = self.settings(version, method="given", rewrites=str(file))
        return self.augmented(name, version, rows, given)

    def _left(self, folder: Path) -> float | None:
        """What a run may spend; the others have had the rest of the budget."""
        folders = [*self.out.glob("made/*"), *self.out.glob("texts/*")]
        spent = sum(_spent(other) for other in folders if other != folder)
        return None if self.options.budget is None else max(0.0, self.options.budget - spent)

    def augmented(self, name: str, version: str, rows: list[Row], settings: AugmentSettings) -> Made:
        """The rows with what `longway augment` adds; the run continues where it was interrupted."""
        if self.options.dry_run:
            self._estimate(f"{name} {version}", rows, settings)
            return Made(rows, why="not made: --dry-run")
        folder = self.out / "made" / f"{name}-{version}-{self._key(rows, settings)[:8]}"
        budget = self._left(folder)
        began = time.monotonic()
        result = augment(
            dataset_of(rows),
            settings,
            engines=self._engines(budget),
            out=folder,
            watcher=Sharing(f"{name} {version}", sorted(self.out.glob(f"made/{name}-*"))),
        )
        is_out_of_money = result.stopped == BUDGET_SPENT
        if result.failed_calls or is_out_of_money:
            why = (
                BUDGET_SPENT
                if is_out_of_money
                else f"{sum(one.count for one in result.failed_calls)} calls failed"
            )
            self.unfinished.append(f"{name} {version}: {why}")
        seconds = time.monotonic() - began
        print(
            f"  {name} {version}: {result.added} texts added to {len(rows)} rows, {seconds:.0f} s", flush=True
        )
        context = {} if "context" not in rows[0] else {"context": "context"}
        fields = {"id": "id", "text": "text", "label": "label", **context}
        after = [{ours: str(row[theirs]) for ours, theirs in fields.items()} for row in _rows_in(result)]
        added = [row["text"] for row in after[len(rows) :]]
        return Made(after, added, result, "" if added else nothing_added(result))

    def _key(self, rows: Sequence[Row], settings: AugmentSettings) -> str:
        return key_of(
            {"rows": list(rows), "settings": repr(asdict(settings)), "server": self.options.base_url}
        )

    def _estimate(self, what: str, rows: Sequence[Row], settings: AugmentSettings) -> None:
        found = augment_estimate(dataset_of(rows), settings, engines=self._engines())
        cost = "price not known" if found.cost is None else f"${found.cost:.2f}"
        print(f"  {what}: at most {found.calls} calls, {cost}", flush=True)

    def _engines(self, budget: float | None = None) -> Engines:
        return Engines(self.options.base_url, budget=budget, options=self.options.engine_options)

    def finished(self) -> dict[tuple[str, str], Made]:
        """The versions that runs made, by dataset and name."""
        return {key: made for key, made in self._made.items() if made.result is not None}

    # Classifiers

    def scores(self, name: str, version: str, model: str, **more: Any) -> dict[str, list[float]]:
        """On each test set one figure a seed: accuracy, AUROC on other datasets, and under "gender" the share of answers that change."""
        found: dict[str, list[float]] = {}
        rows = self.made(name, version, **more).rows
        if self.options.dry_run:
            return found
        for seed in range(self.options.seeds):
            for test, figure in self._trained(name, rows, model, seed).items():
                found.setdefault(test, []).append(figure)
        return found

    def _trained(self, name: str, rows: Sequence[Row], model: str, seed: int) -> dict[str, float]:
        """A classifier's figures; kept under everything that shaped them."""
        options = self.options
        about = {
            "data": name,
            "rows": [[row["text"], row.get("context"), row["label"]] for row in rows],
            "model": model,
            "seed": seed,
            "tuning": self.settings("coba").tuning() if is_tuned(model) else {},
            "tests": [
                sorted(self.tests(name)),
                self.asks_gender,
                options.test_rows,
                options.max_words,
                options.seed,
            ],
        }
        path = self.out / "cells" / f"{key_of(about)[:24]}.json"
        if path.exists():
            return dict(read_json(path))
        tests, pairs = self.tests(name), self.gender_pairs(name)
        tuning = self.settings("coba").tuning() if is_tuned(model) else {}
        new = model_named(model, seed=seed, device=options.device, cache=options.cache, **tuning)
        fitted = new.fit(labelled(rows))
        source = SOURCES[name]
        figures = {
            test: (auroc if test in source.beyond else accuracy)(fitted, data) for test, data in tests.items()
        }
        if pairs:
            figures["gender"] = moved(fitted, pairs)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, figures)
        return figures

    def tests(self, name: str) -> dict[str, Labelled]:
        """The test sets of a dataset; all human counterfactuals, of the others as many rows as are wanted."""
        if name not in self._tests:
            source, limit = SOURCES[name], self.options.test_rows
            self._tests[name] = {
                test: labelled(
                    rows_from(
                        source_of(name, test), file, limit=10**9 if test == "cad" else limit, held_out=True
                    )
                )
                for test, file in {**source.tests, **source.beyond}.items()
            }
        return self._tests[name]

    def gender_pairs(self, name: str) -> list[dict[str, Any]]:
        """Test rows of IMDb in which somebody's gender was changed by rules, with the new row under "new"."""
        if name != "imdb" or not self.asks_gender:
            return []
        options, source = self.options, SOURCES[name]
        n = min(GENDER_ROWS, options.test_rows)
        path = self.out / f"{name}-gender-{n}-{options.seed}-{options.max_words}.json"
        if not path.exists():
            rows = rows_from(
                source,
                source.tests["test"],
                limit=n,
                seed=options.seed,
                max_words=options.max_words,
                held_out=True,
            )
            path.parent.mkdir(parents=True, exist_ok=True)
            write_json(path, gender_changed(rows))
        return list(read_json(path))


def is_tuned(model: str) -> bool:
    """Whether a classifier is an encoder that is fine-tuned: those have the learning rate, batches and epochs of appendix B."""
    return model.startswith(("hf:", "minilm-")) and not model.endswith("-frozen")


def same_words(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a classifier says the same of words in two runs, by their run.json: the same rows and settings."""
    settings = one["settings"], other["settings"]
    return one["fingerprint"] == other["fingerprint"] and all(
        settings[0][name] == settings[1][name] for name in OF_WORDS
    )


def all_voters(options: Namespace) -> tuple[str, ...]:
    """The classifiers that may vote; with --voters paper those of appendix B."""
    return PAPER_MODELS if options.voters == ["paper"] else tuple(options.voters) or default_models()


def voters(options: Namespace) -> tuple[str, ...]:
    """Those that vote but in Table 11."""
    return all_voters(options)[:USUAL_VOTERS]


def nothing_added(result: AugmentResult) -> str:
    """Why a run added nothing, by its commonest reason."""
    reasons: Counter[str] = Counter()
    for done in result.rounds:
        reasons.update({**(done.refusals or {}), **(done.rejected or {})})
    return "nothing added" + (f": {reasons.most_common(1)[0][0]}" if reasons else "")


def _rows_in(result: AugmentResult) -> list[dict[str, Any]]:
    return list(result.data.frame.iter_rows(named=True))


def _spent(folder: Path) -> float:
    """What the calls of a run have cost, in dollars."""
    path = folder / JOURNAL_FILE
    if not path.exists():
        return 0.0
    with closing(Journal(path)) as journal:
        return journal.spent()
