"""Repair of data with candidates: so that the right one cannot be found without the prompt.

    audit -> plan -> normalise -> rewrite, if there is an engine -> positions -> drop -> the repaired data -> the same audit again

Writes repair.json, edits.jsonl, the dataset, the rows that were left out, report.html and card.md into a run folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import numpy as np

from longway.data import save
from longway.data.choice_cells import Draft, apply_choice_edits, ids_of
from longway.data.choices import ChoiceDataset, Question, load_choices
from longway.detect.choices.candidates import Candidates
from longway.detect.choices.leak import headline, installed
from longway.detect.choices.search import Test
from longway.errors import RunError, SettingError, with_checked_arguments
from longway.jobs.change.collect import CandidateCounts, reason_counts
from longway.jobs.change.job import ChangeJob, change_job
from longway.jobs.choices.audit.job import (
    LABELS,
    VECTORS,
    as_choices,
    choices_with_columns,
    places_of,
    summary_of,
)
from longway.jobs.choices.repair.page import choice_plan_page
from longway.jobs.choices.repair.result import ChangedQuestion, ChoicePlan, ChoiceRepairResult, CueChange
from longway.jobs.choices.repair.steps import Measured, RepairSteps
from longway.jobs.engine_use import Engines, addresses_of, costs, failed_calls, name_of
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
from longway.models.encoders import VectorCache
from longway.records import BUDGET_SPENT, Edit, Finding
from longway.store import DROPPED, now

LISTED = 40  # findings
SAMPLED = 6  # changed questions of each remedy
RULES = "rules"  # what made an edit, if no engine did
WORSE = 0.01  # points that a pattern must gain to count as stronger
Job = ChangeJob[ChoiceRepairSettings]


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
        work = partial(_repair, given=given, job=job)
        identity = _identity(given, job)
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


def _identity(given: ChoiceDataset, job: Job) -> RunIdentity:
    entries = {**asdict(job.settings), "data": given.source_name, **given.columns.recorded}
    entries |= {"encoders": installed()} if job.settings.encoder else {}
    entries |= addresses_of(job.writer, job.judge) if job.writer is not None else {"engine": "", "judge": ""}
    return RunIdentity("repair", to_json(entries), given.fingerprint, given.source_name)


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
        random = headline(work.leaks(Candidates.of(left, given.columns.kind)))
    VectorCache.delete(run.folder / VECTORS)
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
        worse=tuple(_worse(work.before, after))[:LISTED],
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
        others = (Edit(id_, "", "", "", "", "", DROP, "", accepted=True, drops=True) for id_ in ids_of(given) if id_ not in ids)  # fmt: skip
        save(apply_choice_edits(given, others), gone)
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


def _changes(findings: Sequence[Finding], before: Measured, after: Measured) -> Iterable[CueChange]:
    for finding in findings:
        key = (finding.level, finding.pattern.place)
        was, is_now = (_figures(one.tests.get(key)) for one in (before, after))
        yield CueChange(key[0], key[1], *was, *is_now)


def _figures(test: Test | None) -> tuple[int, float, float, float]:
    if test is None:
        return 0, 0.0, 0.0, 0.0
    return test.applies, test.share, test.expected / test.applies, test.points


def _worse(before: Measured, after: Measured) -> list[CueChange]:
    """Findings of the repaired data that are stronger than they were, strongest first."""
    changes = _changes(after.findings, before, after)
    worse = [one for one in changes if one.points_after > one.points_before + WORSE]
    return sorted(worse, key=lambda one: one.points_before - one.points_after)


def _sample(work: RepairSteps) -> Iterable[ChangedQuestion]:
    """A few questions for each remedy, drawn at random."""
    rng = np.random.default_rng(work.settings.seed)
    drafts = list(work.drafts.values())
    gone = work.dropped.margins
    groups = {
        REWRITE: [at for at, one in enumerate(drafts) if at not in gone and one.texts != work.normal.get(one.question.id, one.texts)],
        NORMALISE: [at for at, one in enumerate(drafts) if at not in gone and one.question.id in work.forms],
        COUNTER: [at for at, one in enumerate(drafts) if at not in gone and one.question.id in work.sources],
        POSITIONS: [at for at, one in enumerate(drafts) if at not in gone and one.result.candidates != one.texts],
        DROP: sorted(gone),
    }  # fmt: skip
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
    writer = name_of(work.job.writer)
    for at, (id_, draft) in enumerate(work.drafts.items()):
        is_left_out, source = at in work.dropped.margins, work.sources.get(id_, "")
        if is_left_out and source:
            continue  # a row that was to be added
        plain = Draft.of(draft.question)
        form = replace(plain, texts=work.normal.get(id_, draft.texts))
        if not is_left_out:
            how = work.cue_names if source else ", ".join(work.forms.get(id_, ()))
            made = Edit(id_, "", "", "", "", "", COUNTER if source else NORMALISE, RULES, accepted=True, how=how, source=source)  # fmt: skip
            yield from _edits(work, plain, form, made)
        rewritten = work.rewritten.get(id_)
        if rewritten is not None and (rewritten.reason or not is_left_out):
            reason, verdicts = rewritten.reason, rewritten.verdicts
            made = Edit(id_, "", "", "", "", "", REWRITE, writer, accepted=not reason, reason=reason, verdicts=verdicts)  # fmt: skip
            yield from _edits(work, form, replace(form, texts=rewritten.texts), made)
        if is_left_out:
            columns, row = work.given.columns, draft.question.row
            name = columns.candidates[0]
            cell = work.cells.text(name, work.cells.before(name, row))
            label = str(work.cells.before(columns.answer, row)) if columns.answer else LABELS[columns.kind]
            yield Edit(
                id_, name, cell, cell, label, label, DROP, RULES, accepted=True, score_before=work.dropped.margins[at],
                how="drop", drops=True,
            )  # fmt: skip
            continue
        how = f"right one at place {(draft.result.right or 0) + 1}"
        made = Edit(id_, "", "", "", "", "", POSITIONS, RULES, accepted=True, how=how)
        yield from _edits(work, replace(form, texts=draft.texts), draft, made)


def _edits(work: RepairSteps, before: Draft, after: Draft, made: Edit) -> Iterable[Edit]:
    """An edit for each cell that changes; none if the row cannot be written. made: what they have in common."""
    cells, row = work.cells, after.question.row
    old, new = cells.changed(before), cells.changed(after)
    if before == after or old is None or new is None:
        return
    was, is_now = ({name: some.get(name, cells.before(name, row)) for name in cells.columns_written} for some in (old, new))  # fmt: skip
    answer, kind = work.given.columns.answer, LABELS[work.given.columns.kind]
    labels = [str(some.get(answer or "", kind)) for some in (was, is_now)]
    for name in is_now:
        if was[name] != is_now[name]:
            texts = [cells.text(name, some[name]) for some in (was, is_now)]
            yield replace(made, field=name, before=texts[0], after=texts[1], label_before=labels[0], label_after=labels[1])  # fmt: skip
