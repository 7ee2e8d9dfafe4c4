"""The parts of a repair, put together for one dataset: remedies, engines, checks and the leak.

rows, plan -> remedy after remedy -> rounds of edits
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import cached_property, partial
from typing import TYPE_CHECKING

from longway.detect.leak import leak_by_folds
from longway.detect.reading import Reading
from longway.engines.engine import Sampling
from longway.english.pipeline import load_pipeline
from longway.jobs.change.job import rewrite_prompts
from longway.jobs.language import ENGLISH_ONLY
from longway.jobs.repair.plan import RepairPlan, has_counterparts, has_english, sentiment_words
from longway.jobs.repair.settings import RepairSettings
from longway.jobs.rows import dataset_of
from longway.jobs.run import Watcher
from longway.jobs.workload import CHECKED, Workload
from longway.methods.method import Round, Rows, Write
from longway.methods.repair import COUNTERPART, DROP, REMEDIES, REWORD, WEIGH
from longway.methods.repair.asked import asked_counterparts
from longway.methods.repair.counterparts import PairCounterparts, sentiment_counterparts
from longway.methods.repair.drop import drop, drop_for_patterns, drop_leftovers, shrink
from longway.methods.repair.proposers import proposers
from longway.methods.repair.remedy import Parts, Proposer, Source
from longway.methods.repair.repair import Repair
from longway.methods.repair.reword import reworded_copies
from longway.methods.repair.weigh import weigh
from longway.methods.writers import writer_of
from longway.records import BUDGET_SPENT, Leak, Verdict
from longway.store import Journal
from longway.verify.calibration import bounds
from longway.verify.check import Candidate
from longway.verify.counterbias import LikelyLabelCheck
from longway.verify.model_cache import ModelCache
from longway.verify.model_checks import ClassifiersCheck
from longway.verify.verifier import ADDED, CHANGED, EditKind, Verifier, verifier_for

if TYPE_CHECKING:
    from longway.engines.asker import Asker, PaidWriting

PREPARE = "prepare"  # a kind of work
DRAFTED = 0.1  # drafts that are expected for each row that a remedy looks at
MARGIN = 0.005  # by which the leak differs if it is measured on other folds


class Repairing:
    """One dataset being repaired, remedy after remedy. writer, judge: call engines; None if no engine is needed or can judge."""

    def __init__(
        self,
        rows: Rows,
        plan: RepairPlan,
        settings: RepairSettings,
        journal: Journal,
        watcher: Watcher,
        *,
        writer: Asker | None = None,
        judge: Asker | None = None,
    ) -> None:
        self.rows, self.plan, self.settings, self.watcher = rows, plan, settings, watcher
        self.writer, self.judge = writer, judge
        self.stopped = self._remedy = ""
        self._journal = journal
        self._verifiers: dict[str, Verifier] = {}
        words = {word for phrase in settings.keep for word in phrase.lower().split()}
        self.signal = sorted(words | (sentiment_words() if rows.task.kind == "sentiment" else frozenset()))
        self.is_english = has_english(rows)  # at least in part
        self.work = Workload(watcher, {step.remedy: 0 for step in plan.steps}, usual=CHECKED)
        for asker in (writer, judge):
            if asker is not None:
                asker.progress = self.work.inside
        self.repair = Repair(
            rows,
            ignored=self.signal,
            verify=partial(self._verified, CHANGED),
            verify_new=partial(self._verified, ADDED),
            read=load_pipeline().analyse if self.is_english else None,
            max_changed=int(settings.max_change * len(rows)),
            grammar=plan.grammar,
            concepts=plan.concepts,
        )

    @cached_property
    def writing(self) -> PaidWriting:
        """Calls the writing engine, with money kept for the judge."""
        from longway.engines.asker import PaidWriting

        assert self.writer is not None
        return PaidWriting(self.writer, judge=self.judge, task=self.rows.task)

    def check_budget(self) -> None:
        """Raise SettingError if the budget is too small for any text."""
        if self.writer is not None and self.writer.budget:
            prompts = rewrite_prompts(self.rows)
            self.writing.check(prompts, 1, [Sampling()] * len(prompts))

    @cached_property
    def _write(self) -> Write | None:
        """Writes texts: by rules, or by a model; None if neither may."""
        return writer_of(
            self.settings.engine,
            self.rows.task,
            writing=None if self.writer is None else self.writing,
            sampling=Sampling(seed=self.settings.seed),
            shard_map=self._journal.shard_map,
        )

    @property
    def missing(self) -> tuple[str, ...]:
        """Checks that were not made, and why."""
        return tuple(dict.fromkeys(each for one in self._verifiers.values() for each in one.missing))

    def run(self) -> Iterator[tuple[str, Round]]:
        """The rounds with the name of the remedy of each."""
        self.check_budget()
        for step in self.plan.steps:
            self.work.expect(step.remedy, DRAFTED * step.rows if step.remedy not in (DROP, WEIGH) else 0)
        for name, rounds in self._stages({step.remedy for step in self.plan.steps}):
            self._begin(name)
            for done in rounds:
                self.work.did(done.figures.candidates)
                yield name, done
                self._begin(name)
        self._end_remedy()
        is_spent = self.writer is not None and self.writing.is_spent
        failed = BUDGET_SPENT if is_spent else "no remedy helps any more"
        self.stopped = "the goal is reached" if self._is_reached() else failed

    def _stages(self, steps: Set[str]) -> Iterator[tuple[str, Iterator[Round]]]:
        """The remedies in order, each with its rounds."""
        repair, plan = self.repair, self.plan
        for remedy in self.in_place():
            if remedy.name in steps:
                yield remedy.name, repair.change(remedy, plan.targets_of(remedy.name))
        if not self.settings.remedy or DROP in self.settings.remedy:
            yield DROP, drop_leftovers(repair, plan.targets)
        if COUNTERPART in steps:
            for source in self.counterparts():
                yield COUNTERPART, repair.add(source, choose=DROP not in steps)
        # Claims in other words, beside the original ones: models of claims and evidence learn more from both (notes/LOG.md).
        has_copies = self.rows.task.kind == "fact checking" and self.is_english and {REWORD, DROP} <= steps
        if has_copies and self._write is not None:
            copies = partial(reworded_copies, self._write, repair.changed_rows, repair.telling)
            yield REWORD, repair.add(Source(copies), name=REWORD, choose=False)
        if DROP in steps:
            yield DROP, drop(repair, self._is_reached)
            yield DROP, drop_for_patterns(repair)
        if self.settings.keep_size:
            yield DROP, shrink(repair)
        if WEIGH in steps:
            yield WEIGH, weigh(repair)

    @property
    def _words(self) -> str:
        """The name of the current remedy, as it is shown."""
        return REMEDIES[self._remedy].words or self._remedy

    def _begin(self, remedy: str) -> None:
        """Show which remedy works."""
        if remedy != self._remedy:
            self._end_remedy()
        self._remedy = remedy
        self.work.begin(remedy, self._words)

    def _end_remedy(self) -> None:
        """Expect nothing more of the current remedy."""
        if self._remedy:
            self.work.expect(self._remedy, self.work.done(self._remedy))

    def _verified(self, kind: EditKind, candidates: Sequence[Candidate]) -> Iterator[tuple[Verdict, ...]]:
        """The verdicts; the checks are part of the work of the remedy."""
        self.work.begin(PREPARE, "preparing the checks")
        verifier = self._checks(kind)
        verifier.progress = self.work.inside
        n = len(candidates)
        self.work.begin(self._remedy, f"{self._words}: checking {n} text{'s' * (n != 1)}", n)
        return verifier.verify(candidates)

    def leak(self, weights: Sequence[float] | None = None) -> Leak:
        """What a bag of words predicts from the texts alone, as they are now. weights: of the rows."""
        reading = Reading.of(dataset_of(self.repair.rows_now()))
        return leak_by_folds(reading, "text", seed=self.settings.seed, weights=weights)

    def in_place(self) -> Iterator[Proposer]:
        """The remedies that change texts, in the order in which they are tried."""
        asks = self.writer is not None and "edit" in self.writer.engine.can
        writes_english = self.settings.engine in ENGLISH_ONLY
        parts = Parts(self.rows, self.repair.read, self.settings.seed, self._write, writes_english)
        return proposers(parts, self.writing if asks else None)

    def counterparts(self) -> Iterator[Source]:
        """The sources of rows to add, in the order in which they are used. They start from the texts as changed so far."""
        rows, seed, stances = self.repair.changed_rows, self.settings.seed, self.rows.task.stances.values()
        if self.writer is not None and self._write is not None:
            yield Source(partial(asked_counterparts, self._write, rows, seed=seed), asks=True)
        if not has_counterparts(rows):
            return
        if not rows.task.is_pair:
            yield Source(partial(sentiment_counterparts, rows, read=self.repair.read, seed=seed))
            return
        from longway.methods.repair.grammar import ContrastCounterparts
        from longway.methods.repair.other_contexts import STANCES, OtherContexts
        from longway.models.entailment import Entailment

        if set(STANCES) <= set(stances):
            model, cache = Entailment.load(), ModelCache(self._journal)
            judge = partial(cache.rows, f"entailment {model.version}", compute=model.probabilities)
            yield Source(OtherContexts(rows, judge).propose)
            if self.plan.grammar is not None:
                yield Source(ContrastCounterparts(rows, self.plan.grammar).propose)
        yield Source(PairCounterparts(rows, seed=seed).propose)

    def _is_reached(self) -> bool:
        """Whether the rows as they are now have reached the goal."""
        goal, leak = self.plan.goal, self.leak()
        return leak.accuracy <= max(goal - MARGIN, min(goal, leak.majority))

    def _checks(self, kind: EditKind) -> Verifier:
        """The checks of changed or of added rows, built when they are first needed."""
        if kind not in self._verifiers:
            rows, is_new = self.rows, kind == ADDED
            labels = [] if is_new else [rows.label(i) for i in range(len(rows))]
            likely = self._likely_label() if is_new else None
            self._verifiers[kind] = verifier_for(
                rows.task,
                [] if is_new else list(rows.texts),
                labels,
                None if is_new else rows.contexts,
                kind=kind,
                likely=likely,
                judge=self.judge,
                seed=self.settings.seed,
                journal=self._journal,
                is_english=self.is_english,
            )
        return self._verifiers[kind]

    def _likely_label(self) -> LikelyLabelCheck | None:
        """The check of the label of single texts; None if there are no classifiers."""
        patterns = [target.pattern.words for target in self.plan.targets]
        telling = {" ".join(words) for words in patterns} | {word for words in patterns for word in words}
        for check in self._checks(CHANGED).checks:
            if isinstance(check, ClassifiersCheck):
                return LikelyLabelCheck(check, telling=telling - {""}, **bounds("new label"))
        return None
