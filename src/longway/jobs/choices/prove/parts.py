"""What a proof with candidates tests on: questions that belong together, and parts of a test set where cues help, mislead or cancel out.

    all              every test question
    reversed         the cues point to a wrong candidate
    supporting       the cues point to the right one
    cues balanced    reversed and supporting questions in the proportion of random answers: following the cues is right as often as chance
    length balanced  of pairs: among those with about the same difference in length, the right one is as often the longer as the shorter

A cue is a finding of the audit of the data before the change. Each candidate gets the points of the findings whose pattern it has, and the
cues point to the candidate with the most. Where several share the most, they point nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from longway.data.choices import MOST_ROWS, MOST_SHARE, ChoiceDataset, Question, instructions
from longway.data.columns import ID_COLUMN
from longway.data.edited import SOURCE_COLUMN
from longway.detect.choices.cues import words_of
from longway.detect.choices.patterns import Candidates, all_patterns
from longway.detect.choices.ranker import Sets
from longway.errors import DataError
from longway.records import Finding

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ALL, REVERSED, SUPPORTING = "all", "cues reversed", "cues supporting"
CUES_BALANCED, LENGTH_BALANCED = "cues balanced", "length balanced"
BINS = 10  # of the difference in length
EVEN = 1e-9


@dataclass(frozen=True, slots=True)
class Cue:
    """A finding on the questions of a test set. has: which candidates have its pattern."""

    name: str
    family: str
    points: float
    has: Bools


def together(before: ChoiceDataset, *others: ChoiceDataset) -> list[Ints]:
    """For each version a number per question, the same for questions that belong together; DataError if some cannot be traced to `before`.

    A question belongs to another if it was made from it (by the column longway_id, or an id column that both have) or has the same prompt;
    without a prompt, if they share a candidate; with an instruction in place of a prompt, if the right answer is the same. Candidates that
    too many questions have, such as yes and no, connect none of them.
    """
    tags = [_tags(before, is_later=False, like=before)]
    known = {tag for one in tags[0] for tag in one}
    for after in others:
        mine = _tags(after, is_later=True, like=before)
        lost = [
            after.questions[i].row + 1 for i, one in enumerate(mine) if not any(tag in known for tag in one)
        ]
        if lost:
            raise DataError(_untraced(lost, before, after))
        tags.append(mine)
    numbers = components([one for some in tags for one in some])
    return np.split(numbers, np.cumsum([len(one) for one in tags])[:-1])


def _untraced(lost: Sequence[int], before: ChoiceDataset, after: ChoiceDataset) -> str:
    rows = ", ".join(map(str, lost[:5])) + (" ..." if len(lost) > 5 else "")
    return (
        f"{len(lost):,} of {len(after.questions):,} questions of {after.source_name} cannot be traced to {before.source_name} (rows {rows}). "
        f"Expected the ids of {before.source_name} in the column {ID_COLUMN}, which Longway writes, or the same prompts; otherwise a "
        "changed test question could be trained on. Give a test set of its own: --test NAME=FILE."
    )


def _tags(dataset: ChoiceDataset, *, is_later: bool, like: ChoiceDataset) -> list[list[Hashable]]:
    """What each question has in common with those that it belongs to."""
    frame = dataset.table.frame
    columns = [column for column in (ID_COLUMN, SOURCE_COLUMN) if column in frame.columns]
    has_own_ids = not is_later
    has_ids_of_before = like.columns.id and dataset.columns.id == like.columns.id
    if is_later and ID_COLUMN not in columns and has_ids_of_before:
        columns, has_own_ids = [], True
    cells = [frame[column].to_list() for column in columns]
    general = instructions(" ".join(words_of(one.prompt)) for one in like.questions)
    counts = Counter(text for one in like.questions for text in set(one.candidates))
    most = min(MOST_ROWS, MOST_SHARE * len(like.questions))
    common = {text for text, n in counts.items() if n > most}
    tags: list[list[Hashable]] = []
    for one in dataset.questions:
        ids = [one.id] if has_own_ids else []
        ids += [column[one.row] for column in cells if column[one.row]]
        tags.append([*(("id", str(id_)) for id_ in ids), *_content(one, general, common)])
    return tags


def _content(one: Question, general: Container[str], common: Container[str]) -> Iterable[Hashable]:
    """What a question has in common with those made from it. general: prompts of too many questions; common: candidates of too many."""
    prompt = " ".join(words_of(one.prompt))
    if prompt not in general:
        return [("prompt", prompt)]
    texts = (one.candidates[one.right or 0],) if prompt else one.candidates
    return [("candidate", text) for text in texts if text not in common]


def components(tags: Sequence[Sequence[Hashable]]) -> Ints:
    """A number for each row, the same for rows that are connected by common tags.

    >>> components([["a"], ["b", "c"], ["c"], ["d", "a"]]).tolist()
    [0, 1, 1, 0]
    """
    index: dict[Hashable, int] = {}
    pairs = [(row, index.setdefault(tag, len(index))) for row, one in enumerate(tags) for tag in one]
    n = len(tags)
    rows, columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    size = n + len(index)
    graph = csr_matrix((np.ones(len(rows)), (rows, n + columns)), shape=(size, size))
    _, number = connected_components(graph, directed=False)
    return np.asarray(np.unique(number[:n], return_inverse=True)[1], dtype=np.int64)


def overlap(tests: Sequence[Question], trained: Iterable[Question]) -> Ints:
    """The test questions whose prompt and candidates, in any order, are also trained on."""
    known = {_same(one) for one in trained}
    return np.array([i for i, one in enumerate(tests) if _same(one) in known], dtype=np.int64)


def _same(one: Question) -> Hashable:
    return " ".join(words_of(one.prompt)), tuple(sorted(text.strip() for text in one.candidates))


def cues_in(
    given: Candidates, findings: Sequence[Finding], *, is_ordered: bool, noun: str = "option"
) -> list[Cue]:
    """The findings that can be seen in some questions. noun: what a candidate is called."""
    wanted = {(one.level, one.pattern.place): one for one in findings}
    found = {
        (one.family, one.name): Cue(one.name, one.family, wanted[one.family, one.name].points, one.has)
        for one in all_patterns(given, is_ordered=is_ordered, noun=noun)
        if (one.family, one.name) in wanted
    }
    return [found[key] for key in wanted if key in found]


def with_form_exchanged(one: Question) -> Question:
    """The question with the form of its right candidate given to the first other one that has another form, and the other way round; itself if all have the same.

    The form is the space at both ends and a full stop. It says nothing about what is right, so a model that reads it as a cue is misled.

    >>> with_form_exchanged(Question("1", 0, "Where?", (" Rome.", "Oslo"), 0)).candidates
    ('Rome', ' Oslo.')
    """
    right, parts = one.right or 0, [_form(text) for text in one.candidates]
    others = [
        at for at, (form, body) in enumerate(parts) if form != parts[right][0] and body != parts[right][1]
    ]
    if not others:
        return one
    texts = list(one.candidates)
    for at, other in ((right, others[0]), (others[0], right)):
        texts[at] = parts[at][1].join(parts[other][0])
    return replace(one, candidates=tuple(texts))


def _form(text: str) -> tuple[tuple[str, str], str]:
    """What stands before and behind the words of a text, and these."""
    body = text.strip()
    body = body[:-1] if body.endswith(".") and not body.endswith("..") else body
    before, _, behind = text.partition(body) if body else ("", "", "")
    return (before, behind), body


def sides(has: Bools, sets: Sets) -> tuple[Bools, Bools]:
    """Questions whose right candidate has a pattern that another has not, and those whose right one has it not while another has."""
    k = np.add.reduceat(has.astype(np.int64), sets.starts[:-1])
    applies = (k > 0) & (k < sets.sizes)
    return applies & has[sets.right], applies & ~has[sets.right]


def pointed_to(cues: Sequence[Cue], sets: Sets) -> Bools:
    """The one candidate of each question that the cues point to, by the sum of their points; none where several have the most."""
    votes: Floats = np.zeros(int(sets.starts[-1]))
    for cue in cues:
        votes += cue.points * cue.has
    top = votes >= np.maximum.reduceat(votes, sets.starts[:-1])[sets.question] - EVEN
    alone = np.add.reduceat(top.astype(np.int64), sets.starts[:-1]) == 1
    return np.asarray(top & alone[sets.question])


def parts_of(questions: Sequence[Question], cues: Sequence[Cue], sets: Sets) -> dict[str, Bools]:
    """The questions of each part of a test set, by its kind; parts without questions are left out."""
    parts = {ALL: np.ones(len(questions), dtype=bool)}
    if cues:
        supporting, against = sides(pointed_to(cues, sets), sets)
        parts |= {REVERSED: against, SUPPORTING: supporting}
        parts[CUES_BALANCED] = cues_balanced(questions, supporting, against)
    if (sets.sizes == 2).all():
        parts[LENGTH_BALANCED] = length_balanced(questions)
    return {kind: part for kind, part in parts.items() if part.any()}


def cues_balanced(questions: Sequence[Question], supporting: Bools, against: Bools) -> Bools:
    """Of questions with n candidates one supporting for n - 1 reversed ones, as many as possible, drawn by their texts.

    >>> asked = [Question(str(i), i, f"{i}?", ("a", "b"), 0) for i in range(5)]
    >>> int(cues_balanced(asked, np.array([1, 1, 1, 0, 0], bool), np.array([0, 0, 0, 1, 0], bool)).sum())
    2
    """
    kept = np.zeros(len(questions), dtype=bool)
    sizes = np.array([len(one.candidates) for one in questions])
    order = _drawn_order(questions)
    for n in np.unique(sizes):
        one, many = (order[(side & (sizes == n))[order]] for side in (supporting, against))
        m = min(len(one), len(many) // (int(n) - 1))
        kept[one[:m]] = kept[many[: m * (int(n) - 1)]] = True
    return kept


def length_balanced(questions: Sequence[Question]) -> Bools:
    """The pairs to keep so that length says nothing about which candidate is right.

    Pairs are sorted into ten groups by the ratio of the longer candidate's characters to the shorter one's. Of each group, as many pairs
    whose right candidate is the longer one are kept as pairs whose right one is the shorter, drawn by their texts. Pairs of equal
    length stay. A ranker that sees nothing but length is then right in half of the pairs that differ in length.
    """
    gap = np.array([_length_gap(one) for one in questions])
    size = np.abs(gap)
    kept = size == 0
    if kept.all():
        return kept
    group = np.searchsorted(np.quantile(size[~kept], np.arange(1, BINS) / BINS), size)
    order = _drawn_order(questions)
    for number in np.unique(group):
        longer, shorter = (order[(side & (group == number))[order]] for side in (gap > 0, gap < 0))
        n = min(len(longer), len(shorter))
        kept[longer[:n]] = kept[shorter[:n]] = True
    return kept


def _length_gap(one: Question) -> float:
    """The log of the right candidate's length less that of the other."""
    right = one.right or 0
    return float(np.log(len(one.candidates[right])) - np.log(len(one.candidates[1 - right])))


def _drawn_order(questions: Sequence[Question]) -> Ints:
    """An order that depends on the texts of the questions alone."""
    texts = ["\0".join((one.prompt, *sorted(one.candidates))) for one in questions]
    keys = [sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def chance_of(sets: Sets, part: Bools) -> float:
    """How often a random choice is right in some questions."""
    return float((1 / sets.sizes[part]).mean())
