"""Repair of data with candidates: so that the right one cannot be found without the prompt.

    audit -> plan -> normalise -> rewrite, if there is an engine -> positions -> drop -> the repaired data -> the same audit again

Writes repair.json, edits.jsonl, the dataset, the rows that were left out, report.html and card.md into a run folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from longway.data import save
from longway.data.choice_cells import Draft, apply_choice_edits, ids_of
from longway.data.choices import ChoiceDataset, Question, load_choices
from longway.detect.choices.leak import headline
from longway.detect.choices.patterns import Candidates
from longway.detect.choices.search import Test
from longway.detect.choices.vectors import installed
from longway.errors import RunError, SettingError, with_checked_arguments
from longway.jobs.about import ending
from longway.jobs.change.collect import CandidateCounts, CheckCount, reason_counts
from longway.jobs.choices.audit.job import LABELS, VECTORS, as_choices, choices_with_columns, summary_of
from longway.jobs.choices.repair.page import choice_plan_page
from longway.jobs.choices.repair.result import (
    ChangedQuestion,
    ChoicePlan,
    ChoiceRepairResult,
    ChoiceStep,
    CueChange,
)
from longway.jobs.choices.repair.settings import (
    COUNTER,
    DROP,
    NORMALISE,
    POSITIONS,
    REMEDIES,
    REWRITE,
    ChoiceRepairSettings,
)
from longway.jobs.choices.repair.steps import Measured, RepairEngines, RepairSteps
from longway.jobs.engine_use import (
    Engines,
    addresses_of,
    check_can_write,
    close,
    costs,
    engines_of,
    failed_calls,
    name_of,
)
from longway.jobs.options import settings_from
from longway.jobs.run import ActiveRun, PlannedRun, RunIdentity, Watcher, folder_of
from longway.json_values import to_json
from longway.methods.choices import drop
from longway.methods.choices.rewrite import RewrittenQuestion
from longway.models.encoders import VectorCache
from longway.records import BUDGET_SPENT, Edit, Finding, Leak
from longway.store import DROPPED, now

LISTED = 40  # findings
SAMPLED = 6  # changed questions of each remedy
WORSE = 0.01  # points that a pattern must gain to count as stronger


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
    with folder_of(out) as folder, _engines(chosen, engines or Engines()) as made:
        planned = _planned(given, chosen, made, folder)
        done = planned.read(ChoiceRepairResult, budget=made.budget)
        result = done or planned.make(partial(_repair, given=given, settings=chosen, made=made), watcher)
        return result.of(_read_back(planned.folder, given), keeps_folder=bool(out))


def choice_repair_plan(
    data: object,
    settings: ChoiceRepairSettings | None = None,
    *,
    engines: Engines | None = None,
    watcher: Watcher | None = None,
) -> ChoicePlan:
    """The plan of `repair_choices`; changes and writes nothing, and calls no server."""
    given, chosen = as_choices(data), settings or ChoiceRepairSettings()
    with _engines(chosen, engines or Engines()) as made:
        return RepairSteps(given, chosen, made, watcher or Watcher()).plan()


@contextmanager
def _engines(settings: ChoiceRepairSettings, engines: Engines) -> Iterator[RepairEngines]:
    """The engines that the settings name; closed at the end."""
    name, writer, judge = engines_of(settings, engines)
    check_can_write(writer, judge)
    if name != "none" and judge is None and settings.judge == "auto":
        close(writer)
        raise SettingError(
            f"The engine {name} cannot judge. Name a judge: --judge served:MODEL, or --judge none."
        )
    try:
        yield RepairEngines(writer, judge, engines.budget)
    finally:
        close(writer, judge)


def _planned(
    given: ChoiceDataset, settings: ChoiceRepairSettings, made: RepairEngines, out: Path | None
) -> PlannedRun:
    entries = {**asdict(settings), "data": given.source_name, "columns": given.columns.fields()}
    entries |= given.columns.answer_fields() | ({"encoders": installed()} if settings.encoder else {})
    if made.writer is None:
        entries |= {"engine": "", "judge": ""}
    else:
        entries |= {
            "engine": name_of(made.writer),
            "judge": name_of(made.judge),
            **addresses_of(made.writer, made.judge),
        }
    identity = RunIdentity("repair", cast(dict[str, object], to_json(entries)), given.fingerprint)
    return PlannedRun.choose(identity, given.source_name, out)


def _repair(
    run: ActiveRun, given: ChoiceDataset, settings: ChoiceRepairSettings, made: RepairEngines
) -> ChoiceRepairResult:
    watcher = run.watcher
    work = RepairSteps(given, settings, made, watcher, run.folder / VECTORS)
    plan = work.plan()
    watcher.page(choice_plan_page(plan, given.source_name))
    if made.writer is not None:
        if plan.calls is not None:
            watcher.estimate(replace(plan.calls, spent=run.journal.spent()))
        work.rewrite(run.journal)
    if settings.uses(DROP):
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
    at_random = _at_random(work, len(gone)) if n else None
    VectorCache.delete(run.folder / VECTORS)
    return ChoiceRepairResult(
        dataset=summary_of(given),
        settings=run.identity.settings,
        goal=work.goal(headline(after.leaks).majority),
        stopped=BUDGET_SPENT if work.is_spent else work.dropped.stopped,
        steps=tuple(_ordered(work.steps)),
        changed=sum(work.drafts[one.id].is_changed and one.id not in work.sources for one in work.kept),
        added=sum(one.id in work.sources for one in work.kept),
        dropped=n,
        leaks_before=work.before.leaks,
        leaks_after=after.leaks,
        random=at_random,
        found_before=len(work.before.findings),
        found_after=len(after.findings),
        findings=tuple(_changes(work.before.findings[:LISTED], work.before, after)),
        worse=tuple(_worse(work.before, after))[:LISTED],
        places_before=_places(given.questions) if given.is_ordered else (),
        places_after=_places(work.kept) if given.is_ordered else (),
        sample=tuple(_sample(work)),
        checks=_checks(work.rewritten.values()),
        cost=costs(run.journal, made.writer, made.judge) if made.writer is not None else (),
        failed_calls=reason_counts(failed_calls(*work.askers)),
        budget=made.budget,
        longway=version("longway"),
        created=now(),
    )  # fmt: skip


def _ordered(steps: Sequence[ChoiceStep]) -> list[ChoiceStep]:
    """The steps in the order of the plan; positions are assigned again after some questions were left out."""
    return sorted(steps, key=lambda step: REMEDIES.index(step.remedy))


def _checks(rewritten: Iterable[RewrittenQuestion]) -> tuple[CheckCount, ...]:
    counted: CandidateCounts[object] = CandidateCounts()
    for one in rewritten:
        counted.check(one.verdicts)
    return counted.checks()


def _write(folder: Path, given: ChoiceDataset, edits: Sequence[Edit], kept: Sequence[Question]) -> None:
    """Write the repaired data and the rows that were left out; RunError if they are not read as they were meant."""
    path = _dataset_path(folder, given)
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


def _dataset_path(folder: Path, given: ChoiceDataset) -> Path:
    return folder / f"dataset.{ending(given.format)}"


def _read_back(folder: Path, given: ChoiceDataset) -> ChoiceDataset:
    """The repaired data in a run folder, read with the columns of the original."""
    named = replace(given.columns.as_given, id="longway_id")
    read = load_choices(_dataset_path(folder, given), named, encoding=given.encoding or None)
    assert read is not None  # columns were named
    return read


def _at_random(work: RepairSteps, n: int) -> Leak:
    """The leak if as many questions are left out at random."""
    questions, kind = work.questions, work.given.columns.kind
    gone = set(drop.at_random(Candidates.of(questions, kind), n, seed=work.settings.seed))
    left = [one for at, one in enumerate(questions) if at not in gone]
    return headline(work.leaks(Candidates.of(left, kind)))


def _changes(findings: Sequence[Finding], before: Measured, after: Measured) -> Iterable[CueChange]:
    for finding in findings:
        key = (finding.level, finding.pattern.place)
        was, is_now = _figures(before.tests.get(key)), _figures(after.tests.get(key))
        yield CueChange(key[0], key[1], *was, *is_now)


def _figures(test: Test | None) -> tuple[int, float, float, float]:
    if test is None or not test.applies:
        return 0, 0.0, 0.0, 0.0
    return test.applies, test.share, test.expected / test.applies, test.points


def _worse(before: Measured, after: Measured) -> list[CueChange]:
    """Findings of the repaired data that are stronger than they were, strongest first."""
    changes = _changes(after.findings, before, after)
    worse = [one for one in changes if one.points_after > one.points_before + WORSE]
    return sorted(worse, key=lambda one: one.points_before - one.points_after)


def _places(questions: Sequence[Question]) -> tuple[int, ...]:
    counts = Counter(one.right for one in questions)
    return tuple(counts[place] for place in range(max(len(one.candidates) for one in questions)))


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
    for at, (id_, draft) in enumerate(work.drafts.items()):
        if at in work.dropped.margins:
            if id_ not in work.sources:
                yield from _refused_edits(work, draft)
                yield _drop_edit(work, draft, work.dropped.margins[at])
            continue
        plain = Draft.of(draft.question)
        form = replace(plain, texts=work.normal.get(id_, draft.texts))
        if source := work.sources.get(id_):
            yield from (replace(edit, source=source) for edit in _edits(work, plain, form, COUNTER, work.cue_names))  # fmt: skip
        else:
            yield from _edits(work, plain, form, NORMALISE, ", ".join(work.forms.get(id_, ())))
        if (rewritten := work.rewritten.get(id_)) is not None:
            yield from _rewrite_edits(work, form, rewritten)
            form = replace(form, texts=draft.texts)
        yield from _edits(work, form, draft, POSITIONS, f"right one at place {(draft.result.right or 0) + 1}")


def _refused_edits(work: RepairSteps, draft: Draft) -> Iterable[Edit]:
    """The refused texts of a row that is left out."""
    rewritten = work.rewritten.get(draft.question.id)
    if rewritten is not None and rewritten.reason:
        before = replace(Draft.of(draft.question), texts=work.normal[draft.question.id])
        yield from _rewrite_edits(work, before, rewritten)


def _edits(work: RepairSteps, before: Draft, after: Draft, method: str, how: str) -> Iterable[Edit]:
    if before == after:
        return
    id_ = after.question.id
    old, new = _all_cells(work, before), _all_cells(work, after)
    answer = work.given.columns.answer
    labels = [cells[answer] if answer in cells else LABELS[work.given.columns.kind] for cells in (old, new)]
    for name in new:
        if old[name] != new[name]:
            yield Edit(
                id_, name, work.cells.text(name, old[name]), work.cells.text(name, new[name]), _text(labels[0]), _text(labels[1]),
                method, "rules", accepted=True, how=how,
            )  # fmt: skip


def _rewrite_edits(work: RepairSteps, before: Draft, one: RewrittenQuestion) -> Iterable[Edit]:
    """The edits of rewritten candidates; of refused ones, with the reason."""
    writer = name_of(work.made.writer)
    if not one.reason:
        for edit in _edits(work, before, replace(before, texts=one.texts), REWRITE, ""):
            yield replace(edit, engine=writer, verdicts=one.verdicts)
        return
    draft = replace(before, texts=one.texts)
    if work.cells.changed(draft) is not None:
        for edit in _edits(work, before, draft, REWRITE, ""):
            yield replace(edit, engine=writer, accepted=False, reason=one.reason, verdicts=one.verdicts)


def _all_cells(work: RepairSteps, draft: Draft) -> dict[str, Any]:
    """The cells of the candidates of a draft, its answer, and all that changes with them."""
    names = work.cells.columns_written
    changed = work.cells.changed(draft)
    assert changed is not None  # tried when the draft was made
    return {name: changed.get(name, work.cells.before(name, draft.question.row)) for name in names}


def _drop_edit(work: RepairSteps, draft: Draft, margin: float) -> Edit:
    name = work.given.columns.candidates[0]
    cell = work.cells.text(name, work.cells.before(name, draft.question.row))
    answer = work.given.columns.answer
    label = (
        _text(work.cells.before(answer, draft.question.row)) if answer else LABELS[work.given.columns.kind]
    )
    return Edit(
        draft.question.id, name, cell, cell, label, label, DROP, "rules", accepted=True, score_before=margin, how="drop", drops=True,
    )  # fmt: skip


def _text(cell: object) -> str:
    return cell if isinstance(cell, str) else str(cell)
