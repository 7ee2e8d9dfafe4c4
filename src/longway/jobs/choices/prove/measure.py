"""What a proof with candidates trains, tests on and measures.

Rankers, from the prompt and the candidates to a score per candidate:

    bow           surface, words and places of the candidates, overlap with the prompt, pairs of a prompt's and a candidate's word
    minilm        vectors of the frozen sentence encoder: candidate c, |p - c|, p * c and the cosine, for the vector p of the prompt
    minilm-full   the encoder itself, fine-tuned on prompt and candidate together; also -lora, and hf:NAME-full or -lora

The first two are a conditional logit (`detect.choices.candidates`), the last one minimises the same loss. Features are computed once for all
questions of a proof, so that both versions of the data have the same features and differ only in what is trained on.

Parts of a test set, where cues help, mislead or cancel out:

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
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from longway.data.choices import MOST_ROWS, MOST_SHARE, ChoiceDataset, Question, instructions
from longway.data.columns import ID_COLUMN
from longway.data.edited import SOURCE_COLUMN
from longway.detect.choices.candidates import (
    Bools,
    Candidates,
    Floats,
    Ints,
    Sets,
    all_patterns,
    fit,
    rows_of,
)
from longway.detect.choices.cues import CUES, words_of
from longway.detect.choices.leak import (
    CUE_PENALTY,
    WORD_PENALTY,
    Progress,
    surface_of,
    vectors_of,
    weighted,
    within,
)
from longway.errors import DataError
from longway.jobs.choices.prove.result import AFTER, BEFORE, CueGroup, GapChange
from longway.jobs.prove.measure import record_of
from longway.jobs.prove.result import ACCURACY, Comparison, Figure, GroupSide
from longway.jobs.prove.settings import BOW, MINILM, PLAIN, ranker_parts
from longway.metrics.group_accuracy import group_accuracies
from longway.metrics.intervals import accuracy_estimate, bootstrap
from longway.metrics.paired import Paired, adjust, paired
from longway.models.folds import connected
from longway.records import Finding

MOST_WORDS = 10  # of a prompt and of a candidate, rarest first, that make pairs
MOST_PAIRS = 50_000
VECTOR_PENALTY = 3000.0  # of each number of the vectors; the cosine has that of a cue
ALL, REVERSED, SUPPORTING = "all", "cues reversed", "cues supporting"
CUES_BALANCED, LENGTH_BALANCED = "cues balanced", "length balanced"
BINS = 10  # of the difference in length
EVEN = 1e-9


class LinearRanker:
    """A conditional logit on features of all candidates: learns from some questions and scores the candidates of others, given by number."""

    def __init__(self, given: Candidates, features: Any, penalty: Floats | float) -> None:
        self.sets, self.features, self.penalty = given.sets, features, penalty

    def scores(self, train: Ints, test: Ints, seed: int) -> Floats:
        """A score for each candidate of the test questions, in order. The seed changes nothing."""
        learned, rows = self.sets.part(train)
        weights = fit(self.features[rows], learned, self.penalty)
        return np.asarray(self.features[self.sets.part(test)[1]] @ weights, dtype=np.float64)


class NetworkRanker:
    """A fine-tuned encoder that reads prompt and candidate together. training: options of `EncoderRanker`."""

    def __init__(self, questions: Sequence[Question], encoder: str, **training: Any) -> None:
        self.questions, self.encoder, self.training = questions, encoder, training

    def scores(self, train: Ints, test: Ints, seed: int) -> Floats:
        """A score for each candidate of the test questions, in order."""
        from longway.models.ranking import EncoderRanker

        model = EncoderRanker(self.encoder, seed=seed, **self.training)
        read = [(one.prompt, one.candidates) for one in self.questions]
        rights = [self.questions[i].right or 0 for i in train]
        model.fit_questions([read[i] for i in train], rights)
        return model.scores([read[i] for i in test])


Ranker = LinearRanker | NetworkRanker


def ranker_named(
    name: str,
    given: Candidates,
    *,
    cache: Path | None = None,
    progress: Progress = lambda done, total: None,
    **training: Any,
) -> Ranker:
    """The ranker with this name for all questions of a proof. cache: a file that keeps vectors of texts. training: options of fine-tuned ones."""
    if name == BOW:
        return LinearRanker(given, *bow_features(given))
    if name == MINILM:
        features = vector_features(given, cache, progress)
        penalty = np.append(np.full(features.shape[1] - 1, VECTOR_PENALTY), CUE_PENALTY)
        return LinearRanker(given, features, penalty)
    encoder, tuning = ranker_parts(name)
    return NetworkRanker(given.questions, encoder, tuning=tuning, **training)


def bow_features(given: Candidates) -> tuple[Any, Floats]:
    """Candidates by features, sparse, and the penalty of each feature."""
    surface = surface_of(given, CUES)
    words = sp.hstack([weighted(given.words), pair_features(given)]).tocsr()
    penalty = [np.full(surface.shape[1], CUE_PENALTY), np.full(words.shape[1], WORD_PENALTY)]
    return sp.hstack([sp.csr_matrix(surface), words]).tocsr(), np.concatenate(penalty)


def pair_features(given: Candidates) -> Any:
    """Pairs of a word of the prompt and a word of the candidate that occur with several candidates; every candidate has length 1."""
    counts = Counter(word for one in given.questions for word in {*words_of(one.prompt)})
    counts.update(word for text in given.texts for word in {*words_of(text)})

    def rarest(text: str) -> list[str]:
        known = [word for word in sorted({*words_of(text)}) if counts[word] > 1]
        return sorted(known, key=counts.__getitem__)[:MOST_WORDS]

    bags = [
        [(first, second) for second in rarest(text) for first in prompt]
        for one in given.questions
        for prompt in [rarest(one.prompt)]
        for text in one.candidates
    ]
    frequent = Counter(pair for bag in bags for pair in bag).most_common(MOST_PAIRS)
    index = {pair: i for i, (pair, n) in enumerate(frequent) if n > 1}
    rows = [[index[pair] for pair in bag if pair in index] for bag in bags]
    lengths = np.repeat([max(1, len(row)) ** -0.5 for row in rows], [len(row) for row in rows])
    return rows_of(rows, max(1, len(index)), lengths)


def vector_features(given: Candidates, cache: Path | None, progress: Progress) -> Floats:
    """Candidates by features of the frozen encoder, each less the mean of its question, in standard deviations."""
    from longway.models.frozen import Frozen

    texts = [*(one.prompt for one in given.questions), *given.texts]
    vectors = vectors_of(texts, Frozen(MINILM, cache=cache).embedded, progress)
    n = len(given.questions)
    p, c = vectors[:n][given.sets.question], vectors[n:]
    cosine = (p * c).sum(axis=1, keepdims=True)
    return within(np.hstack([c, np.abs(p - c), p * c, cosine]), given.sets)


# What is tested and measured


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
            named = ", ".join(map(str, lost[:5])) + (" ..." if len(lost) > 5 else "")
            raise DataError(
                f"{len(lost):,} of {len(after.questions):,} questions of {after.source_name} cannot be traced to {before.source_name} (rows {named}). "
                f"Expected the ids of {before.source_name} in the column {ID_COLUMN}, which Longway writes, or the same prompts; otherwise a "
                "changed test question could be trained on. Give a test set of its own: --test NAME=FILE."
            )
        tags.append(mine)
    index: dict[Hashable, int] = {}
    every = [one for some in tags for one in some]
    pairs = [(row, index.setdefault(tag, len(index))) for row, one in enumerate(every) for tag in one]
    rows, columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    numbers = connected(rows, len(every) + columns, len(every))
    return np.split(numbers, np.cumsum([len(one) for one in tags])[:-1])


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
        prompt = " ".join(words_of(one.prompt))
        texts = (one.candidates[one.right or 0],) if prompt else one.candidates
        content = [("candidate", text) for text in texts if text not in common]
        tags.append(
            [*(("id", str(id_)) for id_ in ids), *(content if prompt in general else [("prompt", prompt)])]
        )
    return tags


def overlap(tests: Sequence[Question], trained: Iterable[Question]) -> Ints:
    """The test questions whose prompt and candidates, in any order, are also trained on."""
    everything = [
        (" ".join(words_of(one.prompt)), tuple(sorted(text.strip() for text in one.candidates)))
        for one in (*tests, *trained)
    ]
    known = set(everything[len(tests) :])
    return np.array([i for i, key in enumerate(everything[: len(tests)]) if key in known], dtype=np.int64)


def cues_in(given: Candidates, findings: Sequence[Finding], *, noun: str = "option") -> list[Cue]:
    """The findings that can be seen in some questions. noun: what a candidate is called."""
    wanted = {(one.level, one.pattern.place): one.points for one in findings}
    patterns = all_patterns(given, noun=noun)
    has = {key: one.has for one in patterns if (key := (one.family, one.name)) in wanted}
    return [
        Cue(name, family, wanted[family, name], has[family, name])
        for family, name in wanted
        if (family, name) in has
    ]


def with_form_exchanged(one: Question) -> Question:
    """The question with the form of its right candidate given to the first other one that has another form, and the other way round; itself if all have the same.

    The form is the space at both ends and a full stop. It says nothing about what is right, so a model that reads it as a cue is misled.

    >>> with_form_exchanged(Question("1", 0, "Where?", (" Rome.", "Oslo"), 0)).candidates
    ('Rome', ' Oslo.')
    """
    right, parts = one.right or 0, [_form(text) for text in one.candidates]
    mine, texts = parts[right], list(one.candidates)
    for at, (form, body) in enumerate(parts):
        if form != mine[0] and body != mine[1]:
            texts[right], texts[at] = mine[1].join(form), body.join(mine[0])
            return replace(one, candidates=tuple(texts))
    return one


def _form(text: str) -> tuple[tuple[str, str], str]:
    """What stands before and behind the words of a text, and these."""
    body = text.strip()
    body = body[:-1] if body.endswith(".") and not body.endswith("..") else body
    before, _, behind = text.partition(body) if body else ("", "", "")
    return (before, behind), body


def pointed_to(cues: Sequence[Cue], sets: Sets) -> Bools:
    """The one candidate of each question that the cues point to, by the sum of their points; none where several have the most."""
    votes: Floats = np.zeros(int(sets.starts[-1]))
    for cue in cues:
        votes += cue.points * cue.has
    top = votes >= np.maximum.reduceat(votes, sets.starts[:-1])[sets.question] - EVEN
    alone = sets.total(top.astype(np.int64)) == 1
    return np.asarray(top & alone[sets.question])


def parts_of(questions: Sequence[Question], cues: Sequence[Cue], sets: Sets) -> dict[str, Bools]:
    """The questions of each part of a test set, by its kind; parts without questions are left out."""
    parts = {ALL: np.ones(len(questions), dtype=bool)}
    if cues:
        supporting, against = sets.sides(pointed_to(cues, sets))
        parts |= {REVERSED: against, SUPPORTING: supporting}
        parts[CUES_BALANCED] = _evened(questions, supporting, against, sets.sizes)
    if (sets.sizes == 2).all():
        parts[LENGTH_BALANCED] = length_balanced(questions)
    return {kind: part for kind, part in parts.items() if part.any()}


def _evened(questions: Sequence[Question], one: Bools, many: Bools, group: Ints) -> Bools:
    """Of each group of questions with n candidates as many as possible: one of one side for n - 1 of the other, drawn by their texts."""
    kept = np.zeros(len(questions), dtype=bool)
    texts = ["\0".join((each.prompt, *sorted(each.candidates))) for each in questions]
    keys = [sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
    for number in np.unique(group):
        first, others = (order[(side & (group == number))[order]] for side in (one, many))
        ratio = len(questions[int(np.argmax(group == number))].candidates) - 1
        n = min(len(first), len(others) // ratio)
        kept[first[:n]] = kept[others[: n * ratio]] = True
    return kept


def length_balanced(questions: Sequence[Question]) -> Bools:
    """The pairs to keep so that length says nothing about which candidate is right.

    Pairs are sorted into ten groups by the ratio of the longer candidate's characters to the shorter one's. Of each group, as many pairs
    whose right candidate is the longer one are kept as pairs whose right one is the shorter, drawn by their texts. Pairs of equal
    length stay. A ranker that sees nothing but length is then right in half of the pairs that differ in length.
    """
    rights = [one.right or 0 for one in questions]
    lengths = [
        (len(one.candidates[right]), len(one.candidates[1 - right]))
        for one, right in zip(questions, rights, strict=True)
    ]
    gap = -np.diff(np.log(lengths), axis=1)[:, 0]  # of the right one's log length less that of the other
    size = np.abs(gap)
    kept = size == 0
    if kept.all():
        return kept
    group = np.searchsorted(np.quantile(size[~kept], np.arange(1, BINS) / BINS), size)
    return np.asarray(kept | _evened(questions, gap > 0, gap < 0, group))


# From answers to figures


@dataclass(frozen=True, slots=True)
class TestSet:
    """Questions to test on. parts: by kind, which of them. cues: findings of `before` in them."""

    name: str
    rows: Ints
    given: Candidates
    cues: Sequence[Cue]
    parts: Mapping[str, Bools]

    @property
    def sets(self) -> Sets:
        """Its candidates."""
        return self.given.sets

    def clusters(self, part: Bools) -> list[Ints]:
        """Questions of a part that repeat a prompt, as `metrics.intervals` takes them; empty if none do."""
        number = np.unique(self.given.group[part], return_inverse=True)[1]
        return [number] if len(number) > len(np.unique(number)) else []


class Answers:
    """Which test questions each ranker answered right.

    correct: (seeds, questions), 1 for right and 0 for wrong, by version, model and test set.
    """

    def __init__(self, correct: Mapping[tuple[str, str, str], Floats], tests: Sequence[TestSet]) -> None:
        self.correct, self.tests = correct, {test.name: test for test in tests}

    def figures(self) -> Iterator[Figure]:
        """The accuracy of each version and model on each part."""
        for (data, model, name), given in self.correct.items():
            test = self.tests[name]
            for kind, part in test.parts.items():
                found = accuracy_estimate(given[:, part], clusters=test.clusters(part))
                yield record_of(Figure, found, data, model, PLAIN, part_name(name, kind), metric=ACCURACY)

    def comparisons(self, changed: str, against: str) -> Iterator[Comparison]:
        """A changed version against another one on every part, with one q over all of them."""
        keys = [
            (model, test, kind, part)
            for (data, model, name) in self.correct
            if data == changed and (against, model, name) in self.correct
            for test in [self.tests[name]]
            for kind, part in test.parts.items()
        ]
        tested: list[Paired] = adjust(
            [
                paired(
                    self.correct[against, model, test.name][:, part],
                    self.correct[changed, model, test.name][:, part],
                    clusters=test.clusters(part),
                )
                for model, test, _, part in keys
            ]
        )
        for (model, test, kind, _), one in zip(keys, tested, strict=True):
            place = (changed, model, PLAIN, part_name(test.name, kind))
            yield record_of(Comparison, one, *place, metric=ACCURACY, against=against)

    def cue_groups(self) -> Iterator[CueGroup]:
        """The accuracy of each version and model where a cue supports the right candidate, and where it does not."""
        for (data, model, name), given in self.correct.items():
            test = self.tests[name]
            for cue in test.cues:
                parts = dict(zip(("supporting", "against"), test.sets.sides(cue.has), strict=True))
                if all(part.any() for part in parts.values()):
                    both = [_side(given, part, group, test) for group, part in parts.items()]
                    yield CueGroup(data, model, name, cue.name, cue.family, *both)

    def gaps(self) -> Iterator[GapChange]:
        """How much less each model relies on the cues, trained on `after` instead of `before`."""
        for test in self.tests.values():
            if not {REVERSED, SUPPORTING} <= test.parts.keys():
                continue
            group = test.clusters(test.parts[ALL])
            for model in dict.fromkeys(model for _, model, _ in self.correct):
                shares = [self.correct[data, model, test.name].mean(axis=0) for data in (BEFORE, AFTER)]
                before, after = (_gap(one, test, np.arange(len(one))) for one in shares)
                changed = shares[1] - shares[0]
                drawn = bootstrap(
                    lambda rows, changed=changed, test=test: _gap(changed, test, rows),  # type: ignore[misc]
                    len(changed),
                    together=group[0] if group else None,
                )
                low, high = np.nanquantile(drawn, [0.025, 0.975])
                yield GapChange(model, test.name, before, after, float(low), float(high))


def _gap(share: Floats, test: TestSet, rows: Ints) -> float:
    """Mean over supporting questions less that over reversed ones, of some rows; NaN if one has none."""
    sides_ = [rows[test.parts[kind][rows]] for kind in (SUPPORTING, REVERSED)]
    if not all(map(len, sides_)):
        return float("nan")
    return float(share[sides_[0]].mean() - share[sides_[1]].mean())


def _side(given: Floats, part: Bools, group: str, test: TestSet) -> GroupSide:
    found = group_accuracies(given[:, part], [group] * int(part.sum()), clusters=test.clusters(part))[0]
    return GroupSide(found.n, found.accuracy, found.low, found.high, group)


def part_name(test: str, kind: str) -> str:
    """The name of a part of a test set, as in the figures."""
    return test if kind == ALL else f"{test}, {kind}"
