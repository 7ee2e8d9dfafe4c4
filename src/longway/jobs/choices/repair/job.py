"""Repair of data with candidates: so that the right one cannot be found without the prompt.

    audit -> plan -> normalise -> rewrite, if there is an engine -> positions -> drop -> the repaired data -> the same audit again

Each remedy changes questions in memory (`RepairSteps`), and the leak is measured after it. Writes repair.json, edits.jsonl, the dataset, the
rows that were left out, report.html and card.md into a run folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from shlex import quote
from typing import Any, Literal

import numpy as np

from longway.data import save
from longway.data.choice_cells import NOT_WRITABLE, ChoiceCells, EditedQuestion, apply_choice_edits, ids_of
from longway.data.choices import ChoiceDataset, Question, load_choices
from longway.data.edited import Changes
from longway.detect.choices.candidates import Candidates, Test
from longway.detect.choices.cues import CUES
from longway.detect.choices.leak import (
    CANDIDATES,
    ENCODER,
    FOLDS,
    REPAIR_BUDGET,
    encoder_of,
    feature_sets,
    headline,
    installed,
    leaks,
    picks,
    reads_all,
)
from longway.engines.asker import Asker
from longway.engines.prompt import answer_prompt
from longway.errors import DataError, RunError, SettingError, with_checked_arguments
from longway.jobs.change.collect import CandidateCounts, reason_counts
from longway.jobs.change.job import ChangeJob, change_job
from longway.jobs.choices.audit.job import (
    FEWEST,
    LABELS,
    VECTORS,
    as_choices,
    check_enough,
    choices_with_columns,
    places_of,
    search_in,
    summary_of,
)
from longway.jobs.choices.repair.page import choice_plan_page
from longway.jobs.choices.repair.result import (
    ChangedQuestion,
    ChoicePlan,
    ChoiceRepairResult,
    ChoiceStep,
    CueChange,
)
from longway.jobs.engine_use import (
    Engines,
    addresses_of,
    costs,
    costs_money,
    estimate_calls,
    failed_calls,
    name_of,
    sampled,
)
from longway.jobs.estimate import RunEstimate
from longway.jobs.options import settings_from
from longway.jobs.repair.settings import (
    CHOICE_REMEDIES,
    COUNTER,
    DROP,
    NORMALISE,
    POSITIONS,
    REWRITE,
    ChoiceRepairSettings,
)
from longway.jobs.run import ActiveRun, RunIdentity, Watcher, ending, folder_of, run_job
from longway.json_values import to_json
from longway.methods.choices import drop
from longway.methods.choices.drop import Dropped
from longway.methods.choices.positions import balanced, is_balanced, must_stay, new_order
from longway.methods.choices.rewrite import MOST, TEXTS, RewrittenQuestion, request, rewrite, targets
from longway.methods.choices.surface import RULES, Normaliser, counter_pairs
from longway.models.encoders import VectorCache
from longway.models.entailment import Entailment
from longway.records import BUDGET_SPENT, Edit, Finding, Leak
from longway.store import DROPPED, Journal, now

LISTED = 40  # findings
SAMPLED = 6  # changed questions of each remedy
BY_RULES = "rules"  # what made an edit, if no engine did
WORSE = 0.01  # points that a pattern must gain to count as stronger
Job = ChangeJob[ChoiceRepairSettings]
MAX_Q = 0.05
AIMS_OF_REWRITE = {
    False: "wrong candidates, to look like the right one",
    True: "much longer better answers shortened, other answers like the better one",
}
WITH_ENGINE = {
    False: "Rules cannot change how long candidates are. A language model can, so that fewer questions are left out: longway repair {data} --engine served:MODEL",
    True: "Rules cannot change how long answers are. A language model can shorten the better ones, so that fewer pairs are left out: longway repair {data} --engine served:MODEL",
}
NOTES = {
    "votes": "The order of two answers is what the judge saw, so positions are not changed.",
    "no order": "The order of the candidates means nothing in these data, so positions are not changed.",
    "no judge": "Without a judge, only rules check new texts of several sentences. Read them before you use the data.",
    "too long": "The candidates are too long to read all of them with the sentence encoder, so what their meaning reveals is measured in a sample and not lowered.",
}


@with_checked_arguments
def repair_choices(
    data: object,
    settings: ChoiceRepairSettings | None = None,
    *,
    engines: Engines | None = None,
    out: Path | str | Literal[True] | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> ChoiceRepairResult:
    """Repair data with candidates: one form for all candidates of a question, right ones at every place equally often, few questions left out.

    data: a ChoiceDataset, or anything that `load` reads. engines: addresses and a budget. out: the run folder; True for a folder in `longway-runs/` named after the data;
    None to write nothing. The same call with the same folder resumes the run, or reads it if it is done. options: columns (choices,
    answer, chosen, rejected, prompt, id ...), and the options of `longway repair` by name, such as `remedy="positions"`.
    """
    given, options = choices_with_columns(data, options)
    chosen, watcher = settings_from(ChoiceRepairSettings, settings, options), watcher or Watcher()
    with folder_of(out) as folder, _job(given, chosen, engines or Engines()) as job:
        entries = {**asdict(job.settings), "data": given.source_name, **given.columns.recorded}
        entries |= {"encoders": installed()} if job.settings.encoder else {}
        entries |= addresses_of(job.writer, job.judge) if job.writer is not None else {"engine": "", "judge": ""}  # fmt: skip
        identity = RunIdentity("repair", to_json(entries), given.fingerprint, given.source_name)
        work = partial(_repair, given=given, job=job)
        result = run_job(ChoiceRepairResult, identity, work, folder or True, watcher, budget=job.budget)
        assert result.folder is not None
        return result.of(_read_back(result.folder, given), keeps_folder=bool(out))


def choice_repair_plan(
    data: object,
    settings: ChoiceRepairSettings | None = None,
    *,
    engines: Engines | None = None,
    watcher: Watcher | None = None,
) -> ChoicePlan:
    """The plan of `repair_choices`; changes and writes nothing, and calls no server."""
    given, chosen = as_choices(data), settings or ChoiceRepairSettings()
    with _job(given, chosen, engines or Engines()) as job:
        return RepairSteps(given, job, watcher or Watcher()).plan()


@contextmanager
def _job(given: ChoiceDataset, settings: ChoiceRepairSettings, engines: Engines) -> Iterator[Job]:
    """The job with the engines that the settings name."""
    with change_job("repair", given, given, settings, engines) as job:  # type: ignore[arg-type]  # questions, no rows
        if job.writer is not None and job.judge is None and settings.judge == "auto":
            raise SettingError(
                f"The engine {job.settings.engine} cannot judge. Name a judge: --judge served:MODEL, or --judge none."
            )
        yield job


def _repair(run: ActiveRun, given: ChoiceDataset, job: Job) -> ChoiceRepairResult:
    watcher = run.watcher
    work = RepairSteps(given, job, watcher, run.folder / VECTORS)
    plan = work.plan()
    watcher.page(choice_plan_page(plan, given.source_name))
    if job.writer is not None:
        if plan.calls is not None:
            watcher.estimate(replace(plan.calls, spent=run.journal.spent()))
        work.rewrite(run.journal)
    if job.settings.uses(DROP):
        work.drop()
    if (work.dropped.margins or work.rewritten) and work.moves:
        work.steps = [step for step in work.steps if step.remedy != POSITIONS]
        work.move()
    watcher.step("writing the data")
    with run.edit_log() as log:
        edits = list(edits_of(work))
        log.write(edits)
    _write(run.folder, given, edits, work.kept)
    watcher.step("looking for shortcuts in the repaired data")
    after = work.measure(work.kept) if edits else work.before
    gone = [id_ for at, id_ in enumerate(work.drafts) if at in work.dropped.margins]
    n = sum(id_ not in work.sources for id_ in gone)
    random = None
    if n:
        drawn = set(drop.at_random(len(work.drafts), len(gone), seed=job.settings.seed))
        left = [one for at, one in enumerate(work.questions) if at not in drawn]
        random = headline(work.leaks(work.candidates(left)))
    VectorCache.delete(run.folder / VECTORS)
    changes = _changes(after.findings, work.before, after)
    worse = [one for one in changes if one.points_after > one.points_before + WORSE]
    counts: CandidateCounts[object] = CandidateCounts()
    for one in work.rewritten.values():
        counts.check(one.verdicts)
    return ChoiceRepairResult(
        dataset=summary_of(given),
        settings=run.identity.settings,
        goal=job.settings.goal_at(headline(after.leaks).majority),
        stopped=BUDGET_SPENT if work.is_spent else work.dropped.stopped,
        steps=tuple(sorted(work.steps, key=lambda step: CHOICE_REMEDIES.index(step.remedy))),
        changed=sum(work.drafts[one.id].is_changed and one.id not in work.sources for one in work.kept),
        added=sum(one.id in work.sources for one in work.kept),
        dropped=n,
        leaks_before=work.before.leaks,
        leaks_after=after.leaks,
        random=random,
        found_before=len(work.before.findings),
        found_after=len(after.findings),
        findings=tuple(_changes(work.before.findings[:LISTED], work.before, after)),
        worse=tuple(sorted(worse, key=lambda one: one.points_before - one.points_after))[:LISTED],
        places_before=places_of(given.questions) if given.is_ordered else (),
        places_after=places_of(work.kept) if given.is_ordered else (),
        sample=tuple(_sample(work)),
        checks=counts.checks(),
        cost=costs(run.journal, job.writer, job.judge) if job.writer is not None else (),
        failed_calls=reason_counts(failed_calls(*work.askers)),
        budget=job.budget,
        longway=version("longway"),
        created=now(),
    )  # fmt: skip


def _write(folder: Path, given: ChoiceDataset, edits: Sequence[Edit], kept: Sequence[Question]) -> None:
    """Write the repaired data and the rows that were left out; RunError if they are not read as they were meant."""
    path = folder / f"dataset.{ending(given.format)}"
    save(apply_choice_edits(given, edits), path)
    gone = folder / f"{DROPPED}.{ending(given.format)}"
    gone.unlink(missing_ok=True)
    if ids := {edit.id for edit in edits if edit.drops}:
        save(apply_choice_edits(given, Changes(dropped={*ids_of(given)} - ids)), gone)
    read = [(one.id, one.candidates, one.right) for one in _read_back(folder, given).questions]
    if read != [(one.id, one.candidates, one.right) for one in kept]:
        raise RunError(
            f"{path} is not read as it was meant. Save the input as .jsonl, and run the command again."
        )


def _read_back(folder: Path, given: ChoiceDataset) -> ChoiceDataset:
    """The repaired data in a run folder, read with the columns of the original."""
    named = replace(given.columns.as_given, id="longway_id")
    path = folder / f"dataset.{ending(given.format)}"
    read = load_choices(path, named, encoding=given.encoding or None)
    assert read is not None  # columns were named
    return read


FIGURES = ("applies", "share", "base", "points")  # of a pattern, before and after


def _changes(findings: Sequence[Finding], before: Measured, after: Measured) -> Iterable[CueChange]:
    for finding in findings:
        key = (finding.level, finding.pattern.place)
        figures: dict[str, Any] = {}
        for when, measured in (("before", before), ("after", after)):
            test = measured.tests.get(key)
            values = (test.applies, test.share, test.expected / test.applies, test.points) if test else (0, 0.0, 0.0, 0.0)  # fmt: skip
            figures |= {f"{name}_{when}": value for name, value in zip(FIGURES, values, strict=True)}
        yield CueChange(*key, **figures)


def _sample(work: RepairSteps) -> Iterable[ChangedQuestion]:
    """A few questions for each remedy, drawn at random."""
    rng = np.random.default_rng(work.settings.seed)
    drafts = list(work.drafts.values())
    gone = work.dropped.margins
    kept = {at: one for at, one in enumerate(drafts) if at not in gone}
    groups = {
        REWRITE: [at for at, one in kept.items() if one.texts != work.normal.get(one.question.id, one.texts)],
        NORMALISE: [at for at, one in kept.items() if one.question.id in work.forms],
        COUNTER: [at for at, one in kept.items() if one.question.id in work.sources],
        POSITIONS: [at for at, one in kept.items() if one.result.candidates != one.texts],
        DROP: sorted(gone),
    }
    for remedy, places in groups.items():
        for at in sorted(rng.permutation(places)[:SAMPLED].tolist()):
            draft = drafts[int(at)]
            question, result = draft.question, draft.result
            in_place = remedy in (NORMALISE, COUNTER)
            after = () if remedy == DROP else draft.texts if in_place else result.candidates
            right = question.right if in_place else result.right
            yield ChangedQuestion(question.id, remedy, question.prompt, question.candidates, after, question.right or 0, right or 0)  # fmt: skip


# Edits: one for each cell that changes, each row that is left out, and each text that was refused


def edits_of(work: RepairSteps) -> Iterable[Edit]:
    """One edit for each cell that changes and each row that is left out, in the order of the rows."""
    columns, cells = work.given.columns, work.cells
    for at, (id_, last) in enumerate(work.drafts.items()):
        is_left_out, source = at in work.dropped.margins, work.sources.get(id_, "")
        if is_left_out and source:
            continue  # a row that was to be added
        plain = EditedQuestion.of(last.question)
        form = replace(plain, texts=work.normal.get(id_, last.texts))
        if source:
            yield from _edits(work, plain, form, COUNTER, how=work.cue_names, source=source)
        elif not is_left_out:
            yield from _edits(work, plain, form, NORMALISE, how=", ".join(work.forms.get(id_, ())))
        one = work.rewritten.get(id_)
        if one is not None and (one.reason or not is_left_out):
            new, writer = replace(form, texts=one.texts), name_of(work.job.writer)
            yield from _edits(work, form, new, REWRITE, writer, reason=one.reason, verdicts=one.verdicts)
        if is_left_out:
            row, name = last.question.row, columns.candidates[0]
            cell = cells.text(name, cells.before(name, row))
            label = str(cells.before(columns.answer, row)) if columns.answer else LABELS[columns.kind]
            score = work.dropped.margins[at]
            yield Edit(
                id_, name, cell, cell, label, label, DROP, BY_RULES, accepted=True, score_before=score, how="drop", drops=True
            )  # fmt: skip
        else:
            how = f"right one at place {(last.result.right or 0) + 1}"
            yield from _edits(work, replace(form, texts=last.texts), last, POSITIONS, how=how)


def _edits(
    work: RepairSteps,
    before: EditedQuestion,
    after: EditedQuestion,
    remedy: str,
    engine: str = BY_RULES,
    *,
    reason: str = "",
    **more: Any,
) -> Iterable[Edit]:
    """An edit for each cell that changes; none if the row cannot be written. reason: why it is refused. more: other fields of the edits."""
    cells, question = work.cells, after.question
    old, new = cells.changed(before), cells.changed(after)
    if before == after or old is None or new is None:
        return
    rows = [{name: some.get(name, cells.before(name, question.row)) for name in cells.columns_written} for some in (old, new)]  # fmt: skip
    answer, kind = work.given.columns.answer, LABELS[work.given.columns.kind]
    labels = (str(rows[0].get(answer or "", kind)), str(rows[1].get(answer or "", kind)))
    for name in cells.columns_written:
        if rows[0][name] != rows[1][name]:
            old_text, new_text = (cells.text(name, some[name]) for some in rows)
            yield Edit(
                question.id, name, old_text, new_text, *labels, remedy, engine,
                accepted=not reason, reason=reason, **more,
            )  # fmt: skip


# The steps of a repair


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
        job: Job,
        watcher: Watcher,
        vectors: Path | None = None,
    ) -> None:
        check_enough(given)
        self.given, self.job, self.settings, self.watcher = given, job, job.settings, watcher
        self.cells = ChoiceCells(given)
        self.drafts = {one.id: EditedQuestion.of(one) for one in given.questions}
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
        candidates = self.candidates(given.questions)
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

    def candidates(self, questions: Sequence[Question]) -> Candidates:
        """The candidates of some questions, measured."""
        return Candidates.of(questions, self.given.columns.kind)

    def measure(self, questions: Sequence[Question]) -> Measured:
        """The findings and leaks of some questions."""
        candidates = self.candidates(questions)
        return Measured(*self.search(candidates), self.leaks(candidates))

    def search(self, candidates: Candidates) -> tuple[list[Finding], dict[tuple[str, str], Test]]:
        """The findings, and all tests by the family and the name of their pattern."""
        findings, _, tests = search_in(self.given, candidates, MAX_Q)
        return findings, {(one.pattern.family, one.pattern.name): one for one in tests}

    def leaks(self, candidates: Candidates) -> dict[str, Leak]:
        """How often rankers without the prompt are right, by what they see."""
        return leaks(
            candidates,
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
            yield NOTES["votes" if self.given.columns.kind == "votes" else "no order"]
        if self.job.writer is not None and self.job.judge is None:
            yield NOTES["no judge"]
        if self.encoder is not None and not self.reads_all:
            yield NOTES["too long"]
        if n and self.job.writer is None and not self.settings.remedy:
            yield WITH_ENGINE[self.is_pair].format(data=quote(str(self.given.path or self.given.source_name)))

    def _estimate(self, n: int) -> RunEstimate | None:
        """What engines that cost money may take: two texts for the wrong candidates of n questions, and a judgement of each."""
        if not costs_money(self.job.writer, self.job.judge):
            return None
        is_pair, some = self.is_pair, [self.questions[i] for i in sampled(len(self.drafts))]
        sizes = [len(one.candidates) for one in some]
        first = [
            targets(one, [0.0] * size, is_pair=is_pair)[0] for one, size in zip(some, sizes, strict=True)
        ]
        prompts = [request(one, at, is_pair=is_pair) for one, at in zip(some, first, strict=True)]
        judging = [answer_prompt(one.prompt, one.candidates, is_pair=is_pair) for one in some]
        each = min(MOST, max(sizes) - 1)
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
        candidates = self.candidates(self.questions)
        features, penalty = feature_sets(candidates)[CANDIDATES]
        scores = picks(features, penalty, candidates.sets, candidates.group, self.settings.seed).scores
        chosen, wanted = [], []
        for at, draft in enumerate(self.drafts.values()):
            one = draft.question
            if at in self.dropped.margins and one.id not in self.sources and not must_stay(one):
                own = scores[slice(*candidates.sets.starts[at : at + 2])]
                chosen.append(replace(one, candidates=draft.texts))
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
        for made in done:
            id_ = made.question.id
            draft = self.drafts[id_]
            new = replace(draft, texts=made.texts)
            reason = made.reason or (NOT_WRITABLE if self.cells.changed(new) is None else "")
            self.rewritten[id_], self.normal[id_] = replace(made, reason=reason), draft.texts
            self.drafts[id_] = draft if reason else new
        self.dropped = Dropped({}, True, "")
        left = Counter(one.reason for one in self.rewritten.values() if one.reason)
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
        cues = {one.cue: 1 if one.name == CUES[one.cue].high else -1 for one in patterns if one.cue in RULES}
        left: Counter[str] = Counter()
        for one in counter_pairs(self.questions, cues):
            id_ = f"{one.id}-counter"
            plain = EditedQuestion.of(replace(self.drafts[one.id].question, id=id_))
            draft = replace(plain, texts=one.candidates)
            if self.cells.changed(draft) is None or id_ in self.drafts:
                left[NOT_WRITABLE] += 1
            else:
                self.drafts[id_], self.sources[id_] = draft, one.id
        self.cue_names = ", ".join(CUES[name].more for name in cues)
        found = f"added: the better answer without {self.cue_names}"
        self._add(COUNTER, found if cues else "no style that rules can change", len(self.sources), left)

    def move(self) -> None:
        """Put the right candidates of the questions that stay at all places equally often."""
        old = [self.drafts[one.id] for one in self.kept]
        before = [replace(one, order=EditedQuestion.of(one.question).order) for one in old]
        self.drafts |= {one.question.id: one for one in before}
        questions = [one.result for one in before]
        if is_balanced(questions):
            self._add(POSITIONS, "the right one already is at every place equally often", 0, Counter())
            return
        reasons = [self._must_stay(one) for one in before]
        seed = self.settings.seed
        rights, sizes = [one.right or 0 for one in questions], [len(one.candidates) for one in questions]
        places = balanced(rights, sizes, list(map(bool, reasons)), seed=seed)
        n = 0
        for one, reason, place in zip(before, reasons, places, strict=True):
            order = one.order if reason else new_order(one.question, place, seed=seed)
            self.drafts[one.question.id] = replace(one, order=order)
            n += order != one.order
        left = Counter(filter(None, reasons))
        self._add(POSITIONS, "the right one is at every place equally often", n, left)

    def _must_stay(self, draft: EditedQuestion) -> str:
        turned = replace(draft, order=(*draft.order[1:], draft.order[0]))
        why = must_stay(draft.question) or self.cells.cannot_move(draft.question)
        return why or (NOT_WRITABLE if self.cells.changed(turned) is None else "")

    def drop(self) -> None:
        """Choose the questions to leave out."""
        fewest = max(FEWEST, len(self.drafts) - round(self.settings.max_drop * len(self.given.questions)))
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
        candidates = self.candidates(self.questions)
        findings, tests = self.search(candidates)
        known = [tests[key].pattern.has for key in keys_of(findings)]
        return drop.choose(
            candidates,
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
            self.current = self.leaks(self.candidates(self.kept))
        leak = headline(self.current).accuracy if n else None
        self.steps.append(ChoiceStep(remedy, aim, n, leak, left=reason_counts(left)))


def keys_of(findings: Iterable[Finding]) -> Iterable[tuple[str, str]]:
    """The family and the name of each pattern that was found, of those that others explain, too."""
    for finding in findings:
        yield from ((one.level, one.pattern.place) for one in (finding, *finding.variants))


def _aim_of_drop(n: int) -> str:
    return "questions that a ranker solves without the prompt" if n else "no ranker is clearly above the goal"
