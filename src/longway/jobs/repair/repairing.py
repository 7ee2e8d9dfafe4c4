"""The parts of a repair, put together for one dataset: remedies, engines, checks and the leak.

    rows, plan -> remedy after remedy -> rounds of edits
    rough_plan(plan, rows)    ->  the plan with a rough time; nothing is loaded or tried
    expected_plan(repairing)  ->  the plan with expected edits, shares of labels, and seconds

For what is expected, remedies are tried on a few rows, and nothing is changed. Engines that cost money are not asked then; what they may cost
is estimated from their prompts (`job.py`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from longway.data import load
from longway.detect.leak import leak_by_folds
from longway.detect.reading import Reading
from longway.engines.asker import Asker
from longway.engines.engine import Sampling
from longway.engines.paid import PaidWriting
from longway.engines.prompt import rewrite_prompt
from longway.english.pipeline import load_pipeline
from longway.jobs.engine_use import sampled
from longway.jobs.language import ENGLISH_ONLY
from longway.jobs.repair.plan import (
    ExpectedPattern,
    RepairPlan,
    has_counterparts,
    has_english,
    sentiment_words,
)
from longway.jobs.repair.settings import (
    COUNTERPART,
    DROP,
    EXCHANGE,
    PUT_IN,
    RESHAPE,
    REWORD,
    WEIGH,
    RepairSettings,
)
from longway.jobs.run import Watcher
from longway.jobs.workload import CHECKED, Workload
from longway.methods.method import Round, Rows, Write
from longway.methods.repair import in_place_remedies
from longway.methods.repair.asked import AskedCounterparts, AskedEdits
from longway.methods.repair.counterparts import PairCounterparts, SentimentCounterparts
from longway.methods.repair.grammar import ContrastCounterparts
from longway.methods.repair.other_contexts import STANCES, OtherContexts
from longway.methods.repair.remedy import BatchRemedy, Remedy, Target, drafts_of
from longway.methods.repair.repair import CounterpartSource, EnglishRows, Repair
from longway.methods.repair.reword import Reword, RewordedCopies
from longway.methods.repair.take_out import shows
from longway.methods.writers import writer_of
from longway.models.entailment import Entailment
from longway.records import BUDGET_SPENT, Leak, Verdict
from longway.store import Journal
from longway.verify.calibration import bounds
from longway.verify.check import Candidate
from longway.verify.counterbias import LikelyLabelCheck
from longway.verify.model_cache import ModelCache
from longway.verify.model_checks import ClassifiersCheck
from longway.verify.verifier import ADDED, Verifier, verifier_for

PREPARE = "prepare"  # a kind of work
REWORDED = 0.1  # drafts that an engine is expected to have per row that it is asked for
WORDS = {
    COUNTERPART: "counterparts",
    DROP: "dropping rows",
    WEIGH: "weighing rows",
}  # others by their name
MARGIN = 0.005  # by which the leak differs if it is measured on other folds
TARGETS = 12  # patterns that are tried
TRIED = 8  # rows of each
# Seconds of repairs on two slow cores: to load models, for each word of the texts, and for each row that a remedy looks at (notes/LOG.md).
LOADING, PER_WORD, LETTERS = 30.0, 0.0003, 6
PER_ROW, IN_PLACE = {COUNTERPART: 0.02, DROP: 0.03, WEIGH: 0.0}, 0.06


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
        self._verifier: Verifier | None = None
        self._verifier_new: Verifier | None = None
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
            verify=lambda candidates: self._verified(self._checks, candidates),
            verify_new=lambda candidates: self._verified(self._checks_new, candidates),
            read=load_pipeline().analyse if self.is_english else None,
            max_changed=int(settings.max_change * len(rows)),
            grammar=plan.grammar,
            concepts=plan.concepts,
        )

    @cached_property
    def writing(self) -> PaidWriting:
        """Calls the writing engine, with money kept for the judge."""
        assert self.writer is not None
        return PaidWriting(self.writer, judge=self.judge, task=self.rows.task)

    def check_budget(self) -> None:
        """Raise SettingError if the budget is too small for any text."""
        if self.writer is not None and self.writer.budget:
            rows, some = self.rows, sampled(len(self.rows))
            prompts = [
                rewrite_prompt(rows.task, rows.texts[i], label=rows.label(i), context=rows.context(i))
                for i in some
            ]
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
        used = [one.missing for one in (self._verifier, self._verifier_new) if one is not None]
        return tuple(dict.fromkeys(each for missing in used for each in missing))

    def run(self) -> Iterator[tuple[str, Round]]:
        """The rounds with the name of the remedy of each."""
        self.check_budget()
        steps = [step.remedy for step in self.plan.steps]
        self._estimate()
        for remedy in self.in_place():
            if remedy.name in steps:
                targets = self.plan.targets_of(remedy.name)
                self._begin(remedy.name)
                for done in self.repair.change(remedy, targets):
                    self.work.did(done.figures.candidates)
                    yield remedy.name, done
                    self._begin(remedy.name)
        if not self.settings.remedy or DROP in self.settings.remedy:
            for done in self.repair.drop_leftovers(self.plan.targets):
                yield DROP, done
        if COUNTERPART in steps:
            self._begin(COUNTERPART)
            for source in self.counterparts():
                for done in self.repair.add(source, choose=DROP not in steps):
                    self.work.did(done.figures.candidates)
                    yield COUNTERPART, done
                    self._begin(COUNTERPART)
        if {REWORD, DROP} <= set(steps) and self._copies is not None:
            self._begin(REWORD)
            for done in self.repair.add(self._copies, name=REWORD, choose=False):
                yield REWORD, done
        if DROP in steps:
            self._begin(DROP)
            for done in self.repair.drop(self._is_reached, self.leak):
                yield DROP, done
            for done in self.repair.drop_for_patterns():
                yield DROP, done
        if self.settings.keep_size:
            for done in self.repair.shrink():
                yield DROP, done
        if WEIGH in steps:
            self._begin(WEIGH)
            for done in self.repair.weigh():
                yield WEIGH, done
        self._end_remedy()
        reached = self._is_reached(self.leak(self.repair.rows_now()))
        is_spent = self.writer is not None and self.writing.is_spent
        failed = BUDGET_SPENT if is_spent else "no remedy helps any more"
        self.stopped = "the goal is reached" if reached else failed

    def _estimate(self) -> None:
        """Expect the drafts that all remedies may have to be checked. Other instances are tried, as remedies may remember what they did."""
        steps = {step.remedy: step.rows for step in self.plan.steps}
        expected = {name: REWORDED * rows for name, rows in steps.items() if name in (REWORD, COUNTERPART)}
        for remedy in self.in_place():
            if remedy.name in steps:
                drafts = self.repair.expected_drafts(remedy, self.plan.targets_of(remedy.name))
                expected[remedy.name] = expected.get(remedy.name, 0.0) + drafts
        for name, parts in expected.items():
            self.work.expect(name, parts)

    def _begin(self, remedy: str) -> None:
        """Show which remedy works."""
        if remedy != self._remedy:
            self._end_remedy()
        self._remedy = remedy
        self.work.begin(remedy, WORDS.get(remedy, remedy))

    def _end_remedy(self) -> None:
        """Expect nothing more of the current remedy."""
        if self._remedy:
            self.work.expect(self._remedy, self.work.done(self._remedy))

    def _verified(
        self, checks: Callable[[], Verifier], candidates: Sequence[Candidate]
    ) -> Iterator[tuple[Verdict, ...]]:
        """The verdicts; the checks are part of the work of the remedy. checks: builds them when they are first needed."""
        self.work.begin(PREPARE, "preparing the checks")
        verifier = checks()
        verifier.progress = self.work.inside
        words, n = WORDS.get(self._remedy, self._remedy), len(candidates)
        self.work.begin(self._remedy, f"{words}: checking {n} text{'s' * (n != 1)}", n)
        return verifier.verify(candidates)

    def leak(
        self, rows: Sequence[tuple[str, str | None, str]], weights: Sequence[float] | None = None
    ) -> Leak:
        """What a bag of words predicts from the texts alone. weights: of the rows."""
        is_pair = self.rows.task.is_pair
        given = [
            {"text": text, "label": label, **({"context": context} if is_pair else {})}
            for text, context, label in rows
        ]
        data = load(given, text="text", label="label", context="context" if is_pair else "")
        return leak_by_folds(Reading.of(data), "text", seed=self.settings.seed, weights=weights)

    def in_place(self) -> Iterator[Remedy | BatchRemedy]:
        """The remedies that change texts, in the order in which they are tried."""
        for remedy in in_place_remedies(self.rows, self.repair.read, seed=self.settings.seed):
            yield remedy
            if remedy.name == EXCHANGE and self._write is not None:
                yield Reword(self._write, self.rows.task, needs_english=self._writes_english)
        if self.writer is not None and "edit" in self.writer.engine.can:
            for name in (RESHAPE, PUT_IN):
                yield AskedEdits(
                    self.writing,
                    self.rows.task,
                    name=name,
                    into_others=name == PUT_IN,
                    engine=self.writer.engine.name,
                    needs_english=self._writes_english,
                    seed=self.settings.seed,
                )

    @property
    def _writes_english(self) -> bool:
        return self.settings.engine in ENGLISH_ONLY

    def counterparts(self) -> Iterator[CounterpartSource]:
        """The sources of rows to add, in the order in which they are used. They start from the texts as changed so far."""
        rows = self.repair.changed_rows
        if self.writer is not None and self._write is not None:
            yield AskedCounterparts(self._write, rows, seed=self.settings.seed)
        if has_counterparts(rows):
            yield from (EnglishRows(source, rows) for source in self._counterparts_by_rules(rows))

    def _counterparts_by_rules(self, rows: Rows) -> Iterator[CounterpartSource]:
        if not rows.task.is_pair:
            yield SentimentCounterparts(rows, rows.task.sides, read=self.repair.read, seed=self.settings.seed)
            return
        if set(STANCES) <= set(rows.task.stances.values()):
            model, cache = Entailment.load(), ModelCache(self._journal)
            yield OtherContexts(
                rows, lambda pairs: cache.rows(f"entailment {model.version}", pairs, model.probabilities)
            )
            if self.plan.grammar is not None:
                yield ContrastCounterparts(rows, self.plan.grammar)
        yield PairCounterparts(rows, seed=self.settings.seed)

    @property
    def _copies(self) -> CounterpartSource | None:
        """Claims in other words, beside the original ones: models of claims and evidence learn more from both (notes/LOG.md)."""
        if self._write is None or self.rows.task.kind != "fact checking" or not self.is_english:
            return None
        rows = self.repair.changed_rows
        return EnglishRows(RewordedCopies(self._write, rows, self.repair.telling), rows)

    def _is_reached(self, leak: Leak) -> bool:
        goal = self.plan.goal
        return leak.accuracy <= max(goal - MARGIN, min(goal, leak.majority))

    def _checks(self) -> Verifier:
        if self._verifier is None:
            rows = self.rows
            labels = [rows.label(i) for i in range(len(rows))]
            self._verifier = verifier_for(
                rows.task,
                list(rows.texts),
                labels,
                rows.contexts,
                judge=self.judge,
                seed=self.settings.seed,
                journal=self._journal,
            )
        return self._verifier

    def _checks_new(self) -> Verifier:
        if self._verifier_new is None:
            self._verifier_new = verifier_for(
                self.rows.task,
                kind=ADDED,
                likely=self._likely_label(),
                judge=self.judge,
                journal=self._journal,
                is_english=self.is_english,
            )
        return self._verifier_new

    def _likely_label(self) -> LikelyLabelCheck | None:
        """The check of the label of single texts; None if there are no classifiers."""
        patterns = [target.pattern.words for target in self.plan.targets]
        telling = {" ".join(words) for words in patterns} | {word for words in patterns for word in words}
        for check in self._checks().checks:
            if isinstance(check, ClassifiersCheck):
                return LikelyLabelCheck(check, telling=telling - {""}, **bounds("new label"))
        return None


# What a plan may do


@dataclass
class ShareOfLabel:
    """Rows with a pattern: own have its label, others do not. chance: the share of the label in all rows."""

    own: int
    others: int
    chance: float

    @classmethod
    def of(cls, repair: Repair, target: Target) -> ShareOfLabel:
        """The rows of a target."""
        shown = [
            repair.rows.label(row) == target.label
            for row, text in enumerate(repair.texts)
            if shows(target.pattern, text, repair.row(row), target.concepts)
        ]
        label = list(repair.rows.label_names).index(target.label)
        chance = float((repair.rows.labels == label).mean())
        return cls(sum(shown), len(shown) - sum(shown), chance)

    @property
    def rows(self) -> int:
        """The rows with the pattern."""
        return self.own + self.others

    @property
    def share(self) -> float:
        """The share of the rows with the pattern that have its label."""
        return self.own / max(1, self.rows)

    def needed(self, *, into_others: bool) -> int:
        """How many rows must lose the pattern, or get it, until the label's share is as in all rows."""
        odds = self.chance / max(1e-9, 1 - self.chance)
        n = self.own / max(odds, 1e-9) - self.others if into_others else self.own - odds * self.others
        return max(0, round(n))

    def edit(self, n: int, *, into_others: bool) -> None:
        """Count n edits."""
        if into_others:
            self.others += n
        else:
            self.own -= n


def rough_plan(plan: RepairPlan, rows: Rows) -> RepairPlan:
    """The plan with the time that such repairs took."""
    words = sum(map(len, rows.texts)) / LETTERS
    seconds = sum(PER_ROW.get(step.remedy, IN_PLACE) * step.rows for step in plan.steps)
    return replace(plan, seconds=LOADING + seconds + words * PER_WORD)


def expected_plan(repairing: Repairing) -> RepairPlan:
    """The plan of a repair with what is expected of it."""
    plan, repair = repairing.plan, repairing.repair
    names = {step.remedy for step in plan.steps}
    remedies = [one for one in repairing.in_place() if one.name in names and not _costs(repairing, one)]
    edits: Counter[str] = Counter({one.name: 0 for one in remedies})
    patterns, seconds = [], 0.0
    for target in plan.targets[:TARGETS]:
        share = ShareOfLabel.of(repair, target)
        rows_now, now = share.rows, share.share
        for remedy in remedies:
            if target in plan.targets_of(remedy.name):
                rows = repair.rows_for(remedy, target)
                works, taken = _tried(repair, remedy, target, rows)
                n = min(share.needed(into_others=remedy.into_others), round(works * len(rows)))
                share.edit(n, into_others=remedy.into_others)
                edits[remedy.name] += n
                seconds += taken * n
        patterns.append(
            ExpectedPattern(
                target.pattern.name, target.label, rows_now, share.rows, now, share.share, share.chance
            )
        )
    if COUNTERPART in names:
        works, taken = _tried_counterparts(repairing)
        edits[COUNTERPART] = round(works * len(repairing.rows))
        seconds += taken * len(repairing.rows)
    steps = [replace(step, edits=edits.get(step.remedy)) for step in plan.steps]
    leak = repairing.leak(repair.rows_now()).accuracy
    # A few rows tell nothing of loading models and of drafts that are refused.
    seconds = max(seconds, rough_plan(plan, repairing.rows).seconds)
    return replace(plan, steps=tuple(steps), leak=leak, patterns=tuple(patterns), seconds=seconds)


def _costs(repairing: Repairing, remedy: Remedy | BatchRemedy) -> bool:
    """Whether a remedy asks a server."""
    writer = repairing.writer
    if not isinstance(remedy, BatchRemedy) or writer is None:
        return False
    return writer.engine.base_url is not None


def _tried(
    repair: Repair, remedy: Remedy | BatchRemedy, target: Target, rows: Sequence[int]
) -> tuple[float, float]:
    """The share of the rows for which a remedy has a draft, and the seconds for each, from a few of them."""
    if not rows or (remedy.needs_english and repair.read is None):
        return 0.0, 0.0
    some = [repair.row(row) for row in rows[:: max(1, len(rows) // TRIED)][:TRIED]]
    next(
        iter(next(drafts_of(remedy, some[:1], target))), None
    )  # what is made once for all rows does not count
    started = time.perf_counter()
    drafts = [next(iter(each), None) for each in drafts_of(remedy, some, target)]
    taken = time.perf_counter() - started
    return sum(draft is not None for draft in drafts) / len(some), taken / len(some) + CHECKED


def _tried_counterparts(repairing: Repairing) -> tuple[float, float]:
    """The counterparts of each row before checks, and the seconds for each row with them, from a few rows."""
    n = len(repairing.rows)
    some = list(range(0, n, max(1, n // TRIED)))[:TRIED]
    proposed, taken = 0, 0.0
    for source in repairing.counterparts():
        if not isinstance(source, AskedCounterparts):
            list(source.propose(some[:1]))  # what is made once for all rows does not count
            started = time.perf_counter()
            proposed += sum(map(len, source.propose(some)))
            taken += time.perf_counter() - started
    return proposed / max(1, len(some)), (taken + CHECKED * proposed) / max(1, len(some))
