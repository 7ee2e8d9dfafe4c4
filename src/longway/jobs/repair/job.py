"""Repair: choose and combine remedies so that a model learns less from shortcuts.

    audit -> plan -> remedies, each verified -> the repaired dataset -> comparison before and after

Writes repair.json, edits.jsonl, the dataset, report.html and card.md into a run folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Literal

from longway.classify.entailment import Entailment
from longway.data import Dataset, as_dataset, load
from longway.data.summary import DatasetSummary
from longway.detect.clusters import Clusters
from longway.detect.findings import search
from longway.detect.leak import leak_by_folds
from longway.detect.reading import Reading
from longway.english.pipeline import load_pipeline
from longway.jobs.before_after import compare
from longway.jobs.edit_counts import CheckCounter, RandomSample, ShownEdit, reason_counts
from longway.jobs.formulas import formulas_in
from longway.jobs.held_out import arrange
from longway.jobs.options import settings_from
from longway.jobs.repair.plan import (
    RepairPlan,
    goal_for,
    has_counterparts,
    looks_english,
    plan_of,
    sentiment_words,
)
from longway.jobs.repair.result import FILE, RemedyUse, RepairResult
from longway.jobs.repair.settings import ABOVE_CHANCE, COUNTERPART, DROP, RepairSettings
from longway.jobs.rows import rows_of
from longway.jobs.run import ActiveRun, PlannedRun, RunIdentity, Watcher, folder_of
from longway.methods.method import Round, Rows
from longway.methods.repair import in_place_remedies
from longway.methods.repair.counterparts import PairCounterparts, SentimentCounterparts, sides_of
from longway.methods.repair.other_contexts import STANCES, OtherContexts
from longway.methods.repair.repair import AT_ONCE, CounterpartSource, Repair
from longway.records import Edit, Leak
from longway.show import html, markdown
from longway.store import Journal, now
from longway.verify.counterbias import counterbias_verifier
from longway.verify.model_cache import ModelCache
from longway.verify.verifier import Verifier, verifier_for

SAMPLED = 20  # edits for a person to look at


def repair(
    data: object,
    settings: RepairSettings | None = None,
    *,
    split: str | None = None,
    out: Path | str | Literal[True] | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> RepairResult:
    """Repair a dataset: remove what gives labels away, balance what cannot be removed, and leave out as little as possible.

    data: a dataset, or what `load` reads. split: the split to repair (default: "train" if there are several); the others are copied unchanged.
    out: the run folder; True for a folder in `longway-runs/` named after the data; None to write nothing. The same call with the same folder
    resumes the run, or reads it if it is done. options: the options of `longway repair` by name, such as `max_change=0.2`.
    """
    chosen, watcher = settings_from(RepairSettings, settings, options), watcher or Watcher()
    whole = as_dataset(data)
    part = arrange(whole, split).dataset
    with folder_of(out) as folder:
        identity = RunIdentity.of("repair", part, chosen)
        planned = PlannedRun.choose(identity, whole.source_name, folder)
        if (content := planned.finished(FILE)) is not None:
            return RepairResult.from_dict(content).of(whole, planned.folder, keeps_folder=bool(out))
        with planned.start(watcher) as run:
            result = _repair(run, whole, part, chosen)
            watcher.step("writing the report")
            result = replace(result, dataset=replace(result.dataset, formulas=formulas_in(run.folder)))
            page = result.page()
            run.finish(FILE, result.to_dict(), report=html.render(page), card=markdown.render(page))
        return result.of(whole, planned.folder, keeps_folder=bool(out))


def repair_plan(
    data: object, settings: RepairSettings | None = None, *, split: str | None = None
) -> RepairPlan:
    """The plan of `repair`; changes and writes nothing."""
    part = arrange(as_dataset(data), split).dataset
    return _planned(part, rows_of(part), settings or RepairSettings(), Watcher())


def _planned(part: Dataset, rows: Rows, settings: RepairSettings, watcher: Watcher) -> RepairPlan:
    watcher.step("looking for shortcuts")
    reading = Reading.of(part)
    clusters = Clusters.of(reading)
    found = search(reading, clusters=clusters, step=watcher.step)
    chance = max(Counter(rows.labels.tolist()).values(), default=0) / max(len(rows), 1)
    return plan_of(rows, found, settings, chance=chance, goal=goal_for(settings, chance, ABOVE_CHANCE))


def _repair(run: ActiveRun, whole: Dataset, part: Dataset, settings: RepairSettings) -> RepairResult:
    watcher = run.watcher
    watcher.step("reading")
    rows = rows_of(part, seed=settings.seed)
    plan = _planned(part, rows, settings, watcher)
    kept = _Kept(rows, seed=settings.seed)
    repairing = _Repairing(part, rows, plan, settings, run.journal, watcher)
    with run.edit_log() as log:
        for remedy, done in repairing.run():
            kept.add(remedy, done)
            log.write(done.edits)
    after = run.write_dataset(whole, part, log.changes)
    keep = (*plan.signal, *repairing.signal)
    comparison = compare(part, after, keep=keep, seed=settings.seed, step=watcher.step)
    return RepairResult(
        dataset=DatasetSummary.of(part),
        settings=run.identity.settings,
        goal=plan.goal,
        plan=plan.steps,
        signal=plan.signal,
        uses=kept.uses(),
        changed=len(repairing.repair.changed),
        added=repairing.repair.n_added,
        dropped=repairing.repair.n_dropped,
        labels_before=_by_label(part),
        labels_after=_by_label(after),
        stopped=repairing.stopped,
        comparison=comparison,
        checks=kept.checks.counts(),
        missing_checks=repairing.missing,
        sample=kept.sample.items,
        longway=version("longway"),
        created=now(),
    )


class _Repairing:
    """One dataset being repaired, remedy after remedy."""

    def __init__(
        self,
        part: Dataset,
        rows: Rows,
        plan: RepairPlan,
        settings: RepairSettings,
        journal: Journal,
        watcher: Watcher,
    ) -> None:
        self.part, self.rows, self.plan, self.settings, self.watcher = part, rows, plan, settings, watcher
        self._journal = journal
        self.stopped = ""
        self._verifier: Verifier | None = None
        self._verifier_new: Verifier | None = None
        words = {word for phrase in settings.keep for word in phrase.lower().split()}
        self.signal = sorted(words | (sentiment_words() if rows.task.kind == "sentiment" else frozenset()))
        self.repair = Repair(
            rows,
            ignored=self.signal,
            verify=lambda candidates: self._checks().verify(candidates),
            verify_new=lambda candidates: self._checks_new().verify(candidates),
            read=load_pipeline().analyse if looks_english(rows.texts) else None,
            max_changed=int(settings.max_change * len(rows)),
        )

    @property
    def missing(self) -> tuple[str, ...]:
        """Checks that were not made, and why."""
        used = [one.missing for one in (self._verifier, self._verifier_new) if one is not None]
        return tuple(dict.fromkeys(each for missing in used for each in missing))

    def run(self) -> Iterator[tuple[str, Round]]:
        """The rounds with the name of the remedy of each."""
        steps = [step.remedy for step in self.plan.steps]
        remedies = in_place_remedies(self.rows, self.repair.read, seed=self.settings.seed)
        for remedy in remedies:
            if remedy.name in steps:
                self.watcher.step(f"{remedy.name}")
                for done in self.repair.change(remedy, self.plan.targets_of(remedy.name)):
                    yield remedy.name, done
        if COUNTERPART in steps and has_counterparts(self.rows):
            self.watcher.step("adding counterparts")
            for source in self._counterparts():
                for number, done in enumerate(self.repair.add(source, choose=DROP not in steps)):
                    self.watcher.progress(number * AT_ONCE, len(self.rows))
                    yield COUNTERPART, done
        if DROP in steps:
            self.watcher.step("dropping rows")
            for done in self.repair.drop(self._is_reached, self._leak):
                yield DROP, done
        reached = self._is_reached(self._leak(self.repair.rows_now()))
        self.stopped = "the goal is reached" if reached else "no remedy helps any more"

    def _counterparts(self) -> Iterator[CounterpartSource]:
        if not self.rows.task.is_pair:
            yield SentimentCounterparts(self.rows, sides_of(self.rows.label_names), seed=self.settings.seed)
            return
        if set(STANCES) <= set(self.rows.task.stances.values()):
            model, cache = Entailment.load(), ModelCache(self._journal)
            yield OtherContexts(
                self.rows, lambda pairs: cache.rows("entailment", model.version, pairs, model.probabilities)
            )
        yield PairCounterparts(self.rows, seed=self.settings.seed)

    def _is_reached(self, leak: Leak) -> bool:
        return leak.accuracy <= self.plan.goal

    def _leak(self, rows: Sequence[tuple[str, str | None, str]]) -> Leak:
        is_pair = self.rows.task.is_pair
        given = [
            {"text": text, "label": label, **({"context": context} if is_pair else {})}
            for text, context, label in rows
        ]
        data = load(given, text="text", label="label", context="context" if is_pair else "")
        return leak_by_folds(Reading.of(data), "text", seed=self.settings.seed)

    def _checks(self) -> Verifier:
        if self._verifier is None:
            rows = self.rows
            labels = [rows.label(i) for i in range(len(rows))]
            self._verifier = verifier_for(
                rows.task,
                list(rows.texts),
                labels,
                rows.contexts,
                seed=self.settings.seed,
                journal=self._journal,
            )
        return self._verifier

    def _checks_new(self) -> Verifier:
        if self._verifier_new is None:
            self._verifier_new = counterbias_verifier(self.rows.task, journal=self._journal)
        return self._verifier_new


class _Kept:
    """What the result needs of all rounds."""

    def __init__(self, rows: Rows, *, seed: int) -> None:
        self._rows = rows
        self.checks = CheckCounter()
        self.sample: RandomSample[ShownEdit] = RandomSample(SAMPLED, seed=seed)
        self._uses: dict[str, Counter[str]] = {}
        self._refused: dict[str, Counter[str]] = {}

    def add(self, remedy: str, done: Round) -> None:
        """Include a round."""
        counts = self._uses.setdefault(remedy, Counter())
        counts.update(rows=done.figures.asked, drafts=done.figures.candidates, used=done.figures.accepted)
        self._refused.setdefault(remedy, Counter()).update(done.figures.rejected)
        for _, group in groupby(
            done.edits, key=lambda edit: (edit.id, edit.after if not edit.source else "")
        ):
            edits = list(group)
            self.checks.add(edits[0].verdicts)
            if edits[0].accepted and not edits[0].drops:
                self.sample.offer(f"{edits[0].id}\0{edits[0].round}", lambda edits=edits: self._shown(edits))  # type: ignore[misc]

    def uses(self) -> tuple[RemedyUse, ...]:
        """What each remedy did, in order."""
        return tuple(
            RemedyUse(name, n["rows"], n["drafts"], n["used"], reason_counts(self._refused[name]))
            for name, n in self._uses.items()
        )

    def _shown(self, edits: Sequence[Edit]) -> ShownEdit:
        first, rows = edits[0], self._rows
        context = rows.context(rows.place(first.source or first.id))
        changed = next((edit.after for edit in edits if edit.field == rows.task.context_name), context)
        return ShownEdit.of(first, changed)


def _by_label(dataset: Dataset) -> dict[str, int]:
    return dict(zip(dataset.labels, dataset.label_counts, strict=True))
