"""Reword: an engine writes the text without the pattern, label kept.

    in place       reworded(write, task, needs_english, rows, target)   for the patterns of a plan
    as new rows    reworded_copies(write, rows, telling, places)        beside the original, without the words that predict its label

The engine is the rules, or any engine that writes. It gets the pattern as words to avoid; of a concept, its words and typical texts. A text that still shows
the pattern is no draft.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

from longway.detect.words import ANY_FORM
from longway.levels import CONCEPT
from longway.methods.loop import Draft, drafts_of, written
from longway.methods.method import RewriteRequest, Rows, Write
from longway.methods.repair.remedy import Parts, Proposer, RepairRow, Target
from longway.task import Task
from longway.text.tokenizer import is_longer_than

CANDIDATES = 4  # texts written for each row
# Words and marks of a text that rules reword: of a long one they change too much, in too long a time.
LONGEST = 80
Telling = Callable[[str, str], tuple[str, ...]]  # text, label -> words that predict the label


def reworded(
    write: Write, task: Task, needs_english: bool, rows: Sequence[RepairRow], target: Target
) -> list[list[Draft]]:
    """The rewordings that do not show the pattern; none where the budget ended. needs_english: whether the writer knows only English."""
    asked = {row.number: row for row in rows if not (needs_english and is_longer_than(row.text, LONGEST))}
    requests = [_request(task, row, target) for row in asked.values()]
    drafts: dict[int, list[Draft]] = {row.number: [] for row in rows}
    for request, answer in written(write, requests)[0]:
        row = asked[request.row]
        for draft in drafts_of(request, answer, write.name):
            if not row.shows(target, draft.after):
                how = f"reword.{draft.how or 'engine'}"
                new = row.draft(draft.after, how, draft.keeps, engine=draft.engine)
                drafts[row.number].append(new)
    return list(drafts.values())


def _request(task: Task, row: RepairRow, target: Target) -> RewriteRequest:
    avoid, typical, keeps = words_in(row, target), None, task.keeps(row.label)
    if target.pattern.level == CONCEPT:
        avoid, keeps = target.pattern.words, "label"
        typical = tuple(text for text in target.typical if not row.text.startswith(text))
    return RewriteRequest(
        row.number,
        row.text,
        row.label,
        CANDIDATES,
        row.context,
        avoid=avoid,
        typical=typical,
        keeps=keeps,
    )


def reworded_copies(write: Write, rows: Rows, telling: Telling, places: Sequence[int]) -> Iterator[Draft]:
    """Each row once more in other words. telling: the words of a text that predict its label."""
    requests = []
    for row in places:
        avoid, keeps = telling(rows.texts[row], rows.label(row)), rows.task.keeps(rows.label(row))
        requests.append(rows.request(row, CANDIDATES, avoid=avoid, keeps=keeps))
    for request, answer in written(write, requests)[0]:
        for draft in islice(drafts_of(request, answer, write.name), 1):
            draft.how, draft.telling = f"reword.{draft.how or 'engine'}", frozenset()
            yield draft


def words_in(row: RepairRow, target: Target) -> tuple[str, ...]:
    """What an engine must avoid: the words of the pattern, or the forms of its word in this row; empty if it is not made of words."""
    words = target.pattern.words
    if target.pattern.place != ANY_FORM:
        return (" ".join(words),) if words else ()
    return tuple(dict.fromkeys(row.text[start:end].lower() for start, end in row.spans(target)))


def proposers(name: str, parts: Parts) -> Iterator[Proposer]:
    """The remedy for one dataset, if anything may write."""
    if parts.write is not None:
        reword = partial(reworded, parts.write, parts.rows.task, parts.writes_english)
        yield Proposer(name, reword, parts.writes_english, asks=True)
