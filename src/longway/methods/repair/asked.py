"""What an engine is asked to write; for engines that follow instructions.

asked_counterparts   each text with the smallest change that makes another label true
asked_edits          a text with a pattern put in, or of another length, label kept
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from longway.detect.words import FIRST, LAST
from longway.engines.engine import Sampling
from longway.engines.prompt import edit_prompt
from longway.methods.loop import AskEngine, Draft, drafts_of, until_spent, written
from longway.methods.method import Rows, Write
from longway.methods.peers import other_label
from longway.methods.repair import PUT_IN
from longway.methods.repair.recurring import words_of
from longway.methods.repair.remedy import RepairRow, Target
from longway.methods.repair.reword import CANDIDATES
from longway.records import Pattern
from longway.task import Task

SHORTEST, LONGEST = 0.3, 1.8  # words of a new text beside those of the old one


def asked_counterparts(write: Write, rows: Rows, places: Sequence[int], *, seed: int = 0) -> Iterator[Draft]:
    """Rows that an engine writes, one for each row, to another label drawn at random; none where the budget ended."""
    requests = [rows.request(row, 1, target=other_label(rows, row, seed)) for row in places]
    for request, answer in written(write, requests)[0]:
        for draft in drafts_of(request, answer, write.name):
            draft.how = draft.how or "counterfactual"
            yield draft


def asked_edits(
    ask: AskEngine,
    task: Task,
    remedy: str,
    engine: str,
    seed: int,
    rows: Sequence[RepairRow],
    target: Target,
) -> list[list[Draft]]:
    """Texts that now show the pattern, or no longer do; none where the budget ended. remedy: the one that it stands in for: put in, or reshape."""
    puts_in = remedy == PUT_IN
    wanted = _wanted(target.pattern, puts_in=puts_in)
    drafts: dict[int, list[Draft]] = {row.number: [] for row in rows}
    asked = [row for row in rows if wanted is not None and _can_reach(row.text, **wanted)]
    prompts = [
        edit_prompt(task, row.text, label=row.label, context=row.context, **(wanted or {})) for row in asked
    ]
    samplings = [Sampling(seed=seed)] * len(prompts)
    answers = until_spent(lambda: ask(prompts, CANDIDATES, samplings))[0] if prompts else []
    how = f"{remedy.replace(' ', '_')}.engine"
    for row, answer in zip(asked, answers, strict=False):
        for text in answer.texts:
            if row.shows(target, text) == puts_in:
                drafts[row.number].append(row.draft(text, how, "label", engine=engine))
    return list(drafts.values())


def _can_reach(text: str, *, least: int = 0, most: int | None = None, **_: Any) -> bool:
    """Whether a text of the wanted length would not be refused as too long or too short."""
    n = len(words_of(text))
    return least <= LONGEST * n and (most is None or most >= max(2, SHORTEST * n))


def _wanted(pattern: Pattern, *, puts_in: bool) -> dict[str, Any] | None:
    """What to ask for so that a text shows a pattern, or no longer has its length; None if that cannot be said."""
    if puts_in and (pattern.level in ("token", "ngram") or pattern.place in (FIRST, LAST)):
        place = {FIRST: "first", LAST: "last"}.get(pattern.place, "")
        return {"include": " ".join(pattern.words), "place": place}
    if puts_in or pattern.level != "length" or pattern.bound is None:
        return None
    return (
        {"most": int(pattern.bound) - 1} if pattern.place == "at least" else {"least": int(pattern.bound) + 1}
    )
