"""The edits of a repair of data with candidates: one for each cell that changes, each row that is left out, and each text that was refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from longway.data.choice_cells import Draft
from longway.jobs.choices.audit.job import LABELS
from longway.jobs.choices.repair.settings import (
    COUNTER,
    DROP,
    NORMALISE,
    POSITIONS,
    REWRITE,
)
from longway.jobs.choices.repair.steps import RepairSteps
from longway.jobs.engine_use import (
    name_of,
)
from longway.methods.choices.rewrite import RewrittenQuestion
from longway.records import Edit


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
