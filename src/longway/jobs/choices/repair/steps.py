"""The steps of a repair of data with candidates, on questions in memory: each remedy changes drafts, and the leak is measured after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

import numpy as np

from longway.data.choice_cells import NOT_WRITABLE, ChoiceCells, Draft
from longway.data.choices import ChoiceDataset, Question
from longway.detect.choices.candidates import Candidates
from longway.detect.choices.cues import CUES
from longway.detect.choices.leak import (
    CANDIDATES,
    ENCODER,
    FOLDS,
    REPAIR_BUDGET,
    encoder_of,
    feature_sets,
    headline,
    leaks,
    picks,
    reads_all,
)
from longway.detect.choices.preferences import MORE
from longway.detect.choices.search import Test
from longway.engines.asker import Asker
from longway.engines.prompt import answer_prompt
from longway.errors import DataError
from longway.jobs.change.collect import reason_counts
from longway.jobs.change.job import ChangeJob
from longway.jobs.choices.audit.job import FEWEST, check_enough, search_in
from longway.jobs.choices.repair.result import ChoicePlan, ChoiceStep
from longway.jobs.engine_use import costs_money, estimate_calls, sampled
from longway.jobs.estimate import RunEstimate
from longway.jobs.repair.settings import (
    COUNTER,
    DROP,
    NORMALISE,
    POSITIONS,
    REWRITE,
    ChoiceRepairSettings,
)
from longway.jobs.run import Watcher
from longway.methods.choices import drop
from longway.methods.choices.drop import Dropped
from longway.methods.choices.positions import balanced, is_balanced, must_stay, new_order
from longway.methods.choices.rewrite import MOST, TEXTS, RewrittenQuestion, request, rewrite, targets
from longway.methods.choices.surface import RULES, Normaliser, counter_pairs
from longway.models.entailment import Entailment
from longway.records import Finding, Leak
from longway.store import Journal

CUE_NAMES = {cue.name: cue.high for cue in CUES}
MAX_Q = 0.05
VOTES_STAY = "The order of two answers is what the judge saw, so positions are not changed."
AIMS_OF_REWRITE = {
    False: "wrong candidates, to look like the right one",
    True: "much longer better answers shortened, other answers like the better one",
}
WITH_ENGINE = {
    False: "Rules cannot change how long candidates are. A language model can, so that fewer questions are left out: longway repair {data} --engine served:MODEL",
    True: "Rules cannot change how long answers are. A language model can shorten the better ones, so that fewer pairs are left out: longway repair {data} --engine served:MODEL",
}
UNJUDGED = (
    "Without a judge, only rules check new texts of several sentences. Read them before you use the data."
)
MEANING_STAYS = "The candidates are too long to read all of them with the sentence encoder, so what their meaning reveals is measured in a sample and not lowered."
UNSEEN = "The order of the candidates means nothing in these data, so positions are not changed."


@dataclass(frozen=True, slots=True)
class Measured:
    """Questions as an audit sees them."""

    findings: Sequence[Finding]
    tests: Mapping[tuple[str, str], Test]
    leaks: Mapping[str, Leak]


class RepairSteps:
    """The steps of a repair, on questions in memory. vectors: a file that keeps what the sentence encoder computed."""

    def __init__(
        self,
        given: ChoiceDataset,
        job: ChangeJob[ChoiceRepairSettings],
        watcher: Watcher,
        vectors: Path | None = None,
    ) -> None:
        check_enough(given)
        self.given, self.job, self.settings, self.watcher = given, job, job.settings, watcher
        self.cells = ChoiceCells(given)
        self.drafts = {one.id: Draft.of(one) for one in given.questions}
        self.sources: dict[str, str] = {}  # of rows that are added: the row that each was made from
        self.steps: list[ChoiceStep] = []
        self.forms: dict[str, tuple[str, ...]] = {}  # by id: what was normalised
        self.normal: dict[str, tuple[str, ...]] = {}  # by id: the texts before they were rewritten
        self.rewritten: dict[str, RewrittenQuestion] = {}
        self.is_spent = False
        self.cue_names = ""
        self.askers: tuple[Asker | None, ...] = ()
        self.dropped = Dropped({}, True, "")
        watcher.step("looking for shortcuts")
        candidates = Candidates.of(given.questions, given.columns.kind)
        self.encoder = encoder_of(candidates.texts, vectors)[0] if self.settings.encoder else None
        self.reads_all = self.encoder is not None and reads_all(candidates, self.encoder, REPAIR_BUDGET)
        self.before = self.measure(given.questions)
        self.current = self.before.leaks
        if not headline(self.current).is_measured:
            raise DataError(
                f"How often the right candidates of {given.source_name} are found without the prompt cannot be measured: {headline(self.current).how}. Add questions with other prompts, or name the column of the question: --prompt."
            )

    @property
    def questions(self) -> list[Question]:
        """The questions as they are now; those that were left out, too."""
        return [draft.result for draft in self.drafts.values()]

    @property
    def kept(self) -> list[Question]:
        """The questions that stay, as they are now."""
        return [one for at, one in enumerate(self.questions) if at not in self.dropped.margins]

    @property
    def moves(self) -> bool:
        """Whether candidates change places."""
        return self.settings.uses(POSITIONS) and self.given.columns.kind == "choice"

    def measure(self, questions: Sequence[Question]) -> Measured:
        """The findings and leaks of some questions."""
        candidates = Candidates.of(questions, self.given.columns.kind)
        findings, tests = self.search(candidates)
        return Measured(findings, tests, self.leaks(candidates))

    def search(self, candidates: Candidates) -> tuple[list[Finding], dict[tuple[str, str], Test]]:
        """The findings, and all tests by the family and the name of their pattern."""
        findings, _, tests = search_in(self.given, candidates, MAX_Q)
        return findings, {(one.pattern.family, one.pattern.name): one for one in tests}

    def leaks(self, candidates: Candidates) -> dict[str, Leak]:
        """How often rankers without the prompt are right, by what they see."""
        return leaks(
            candidates,
            is_ordered=self.given.is_ordered,
            columns=self.given.columns.candidates,
            seed=self.settings.seed,
            encoder=self.encoder,
            budget=REPAIR_BUDGET,
            progress=self.watcher.progress,
        )

    @property
    def above_chance(self) -> set[str]:
        """What the rankers see that are clearly above chance now; the encoder only if it reads every question."""
        above = {part for part, leak in self.current.items() if leak.low > leak.majority}
        return above if self.reads_all else above - {ENCODER}

    def plan(self) -> ChoicePlan:
        """What will be done: the first two remedies are tried, dropping is estimated."""
        self.watcher.step("planning")
        if self.settings.uses(NORMALISE):
            self.normalise()
        if self.settings.uses(COUNTER) and self.given.columns.kind == "preference":
            self.counter()
        if self.moves:
            self.move()
        before = headline(self.before.leaks)
        goal = self.settings.goal_at(before.majority)
        steps, total = [*self.steps], len(self.drafts)
        n = max((drop.needed(self.current[part].accuracy * total, total, goal) for part in self.above_chance), default=0)  # fmt: skip
        to_write = 0
        if self.job.writer is not None:
            self.dropped = self._chosen(fewest=FOLDS, step="choosing the questions to rewrite")
            to_write = len(self.dropped.margins)
            steps.append(ChoiceStep(REWRITE, AIMS_OF_REWRITE[self.is_pair], to_write, about=True))
        if self.settings.uses(DROP):
            leak = min(headline(self.current).accuracy, goal)
            steps.append(ChoiceStep(DROP, _aim_of_drop(n), n, leak, about=n > 0))
        return ChoicePlan(tuple(steps), before, goal, tuple(self._notes(n)), self._estimate(to_write))

    def _notes(self, n: int) -> Iterable[str]:
        if self.settings.uses(POSITIONS) and not self.moves:
            yield VOTES_STAY if self.given.columns.kind == "votes" else UNSEEN
        if self.job.writer is not None and self.job.judge is None:
            yield UNJUDGED
        if self.encoder is not None and not self.reads_all:
            yield MEANING_STAYS
        if n and self.job.writer is None and not self.settings.remedy:
            yield WITH_ENGINE[self.is_pair].format(data=quote(str(self.given.path or self.given.source_name)))

    def _estimate(self, n: int) -> RunEstimate | None:
        """What engines that cost money may take: two texts for the wrong candidates of n questions, and a judgement of each."""
        if not costs_money(self.job.writer, self.job.judge):
            return None
        some = [self.questions[i] for i in sampled(len(self.drafts))]
        first = [targets(one, [0.0] * len(one.candidates), is_pair=self.is_pair)[0] for one in some]
        prompts = [request(one, at, is_pair=self.is_pair) for one, at in zip(some, first, strict=True)]
        judging = [answer_prompt(one.prompt, one.candidates, is_pair=self.is_pair) for one in some]
        each = min(MOST, max(len(one.candidates) for one in some) - 1)
        writes = estimate_calls(self.job.writer, prompts, n * each, n=TEXTS, timed=True)
        judgements = estimate_calls(self.job.judge, judging, n, options=("1", "2"), timed=True)
        return RunEstimate.of(n, writes, judgements)

    @property
    def is_pair(self) -> bool:
        """Whether each question has two candidates, as preference pairs and votes have."""
        return self.given.columns.kind in ("preference", "votes")

    def rewrite(self, journal: Journal) -> None:
        """Let an engine rewrite candidates of the questions that would be left out; not of counter-pairs, nor where one refers to others."""
        writer, judge = self.askers = self.job.askers(journal, self.watcher)
        assert writer is not None  # checked by the caller
        candidates = Candidates.of(self.questions, self.given.columns.kind)
        features, penalty = feature_sets(candidates, is_ordered=self.given.is_ordered)[CANDIDATES]
        scores = picks(features, penalty, candidates.sets, candidates.group, self.settings.seed).scores
        starts, drafts = candidates.sets.starts, list(self.drafts.values())
        places = [
            at
            for at in sorted(self.dropped.margins)
            if drafts[at].question.id not in self.sources and not must_stay(drafts[at].question)
        ]
        chosen, wanted = [], []
        for at in places:
            draft, own = drafts[at], scores[starts[at] : starts[at + 1]]
            chosen.append(replace(draft.question, candidates=draft.texts))
            by_text = own[np.argsort(draft.order)].tolist()  # in the order of the texts
            wanted.append(targets(chosen[-1], by_text, is_pair=self.is_pair))
        done, self.is_spent = rewrite(
            chosen,
            wanted,
            writer,
            judge,
            is_pair=self.is_pair,
            seed=self.settings.seed,
            entailment=Entailment.load(),
            step=self.watcher.step,
        )
        left: Counter[str] = Counter()
        for one in done:
            draft = self.drafts[one.question.id]
            new = replace(draft, texts=one.texts)
            if not one.reason and self.cells.changed(new) is None:
                one = replace(one, reason=NOT_WRITABLE)
            self.rewritten[one.question.id] = one
            self.normal[one.question.id] = draft.texts
            if one.reason:
                left[one.reason] += 1
            else:
                self.drafts[one.question.id] = new
        self.dropped = Dropped({}, True, "")
        n = sum(not one.reason for one in done)
        self._add(REWRITE, AIMS_OF_REWRITE[self.is_pair], n, left)

    def normalise(self) -> None:
        """Make the form of the candidates of each question the same."""
        normaliser = Normaliser(self.given.questions)
        left: Counter[str] = Counter()
        done: Counter[str] = Counter()
        for id_, draft in self.drafts.items():
            texts, forms = normaliser.normalise(draft.question)
            new = replace(draft, texts=texts)
            if forms and self.cells.changed(new) is None:
                left[NOT_WRITABLE] += 1
            elif forms:
                self.drafts[id_], self.forms[id_] = new, forms
                done.update(forms)
        aim = ", ".join(f"{name} in {n:,}" for name, n in done.most_common())
        self._add(NORMALISE, aim or "all candidates have the same form", len(self.forms), left)

    def counter(self) -> None:
        """Add pairs whose better answer comes without a style that better answers have more often."""
        keys = set(keys_of(self.before.findings))
        patterns = [test.pattern for key, test in self.before.tests.items() if key in keys]
        cues = {one.cue: 1 if one.name == CUE_NAMES[one.cue] else -1 for one in patterns if one.cue in RULES}
        left: Counter[str] = Counter()
        for one in counter_pairs([self.drafts[id_].result for id_ in self.drafts], cues):
            id_ = f"{one.id}-counter"
            draft = replace(Draft.of(replace(self.drafts[one.id].question, id=id_)), texts=one.candidates)
            if self.cells.changed(draft) is None or id_ in self.drafts:
                left[NOT_WRITABLE] += 1
            else:
                self.drafts[id_], self.sources[id_] = draft, one.id
        self.cue_names = ", ".join(MORE.get(name, name) for name in cues)
        aim = (
            f"added: the better answer without {self.cue_names}" if cues else "no style that rules can change"
        )
        self._add(COUNTER, aim, len(self.sources), left)

    def move(self) -> None:
        """Put the right candidates of the questions that stay at all places equally often."""
        ids = [one.id for one in self.kept]
        before = {
            id_: replace(self.drafts[id_], order=Draft.of(self.drafts[id_].question).order) for id_ in ids
        }
        reasons = {id_: self._must_stay(before[id_]) for id_ in ids}
        left = Counter(reason for reason in reasons.values() if reason)
        questions = [before[id_].result for id_ in ids]
        if is_balanced(questions):
            self.drafts |= before
            self._add(POSITIONS, "the right one already is at every place equally often", 0, Counter())
            return
        places = balanced(
            [one.right or 0 for one in questions],
            [len(one.candidates) for one in questions],
            [bool(reasons[one.id]) for one in questions],
            seed=self.settings.seed,
        )
        n = 0
        for one, place in zip(questions, places, strict=True):
            draft = before[one.id]
            if not reasons[one.id]:
                draft = replace(draft, order=new_order(draft.question, place, seed=self.settings.seed))
            self.drafts[one.id] = draft
            n += draft.order != before[one.id].order
        self._add(POSITIONS, "the right one is at every place equally often", n, left)

    def _must_stay(self, draft: Draft) -> str:
        turned = replace(draft, order=(*draft.order[1:], draft.order[0]))
        why = must_stay(draft.question) or self.cells.cannot_move(draft.question)
        return why or (NOT_WRITABLE if self.cells.changed(turned) is None else "")

    def drop(self) -> None:
        """Choose the questions to leave out."""
        n_may_go = round(self.settings.max_drop * len(self.given.questions))
        fewest = max(FEWEST, len(self.drafts) - n_may_go)
        self.dropped = self._chosen(fewest=fewest, step="choosing the questions to leave out")
        ids = [id_ for at, id_ in enumerate(self.drafts) if at in self.dropped.margins]
        n = sum(id_ not in self.sources for id_ in ids)
        self.steps = [
            replace(step, questions=len(self.sources) - len(ids) + n) if step.remedy == COUNTER else step
            for step in self.steps
        ]
        self.steps.append(ChoiceStep(DROP, _aim_of_drop(n), n))

    def _chosen(self, *, fewest: int, step: str) -> Dropped:
        """The questions without which the goal is reached, but for the `fewest` that must stay."""
        self.watcher.step(step)
        candidates = Candidates.of(self.questions, self.given.columns.kind)
        findings, tests = self.search(candidates)
        known = [tests[key].pattern.has for key in keys_of(findings)]
        return drop.choose(
            candidates,
            is_ordered=self.given.is_ordered,
            goal=self.settings.goal_at,
            fewest=fewest,
            rankers=self.above_chance | ({CANDIDATES} if known else set()),
            rules=known,
            encoder=self.encoder if self.reads_all else None,
            seed=self.settings.seed,
            progress=lambda share: self.watcher.progress(round(100 * share), 100),
        )

    def _add(self, remedy: str, aim: str, n: int, left: Counter[str]) -> None:
        if n:
            self.current = self.leaks(Candidates.of(self.kept, self.given.columns.kind))
        leak = headline(self.current).accuracy if n else None
        self.steps.append(ChoiceStep(remedy, aim, n, leak, left=reason_counts(left)))


def keys_of(findings: Iterable[Finding]) -> Iterable[tuple[str, str]]:
    """The family and the name of each pattern that was found, of those that others explain, too."""
    for finding in findings:
        yield from ((one.level, one.pattern.place) for one in (finding, *finding.variants))


def _aim_of_drop(n: int) -> str:
    return "questions that a ranker solves without the prompt" if n else "no ranker is clearly above the goal"
