"""One person of each row gets another gender, race or age, and everything else stays (Algorithm 1 of the paper).

    rows -> people mentioned -> a word and its new attribute -> the perturber -> guards -> edits, or why the row stays unchanged

What is drawn for a row depends on the seed and the id of the row alone, and with balanced sampling on how many rows mention each axis:
neither on the order of the rows nor on which were perturbed before. If the perturber refuses, or a guard objects, other choices are tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from random import Random

import numpy as np

from longway.data import Dataset
from longway.english.document import Document
from longway.english.people.demographic_mentions import Demographics, find_demographics, find_persons
from longway.errors import BudgetSpent
from longway.jobs.documents import Documents
from longway.jobs.perturb.result import CONTRAST, OFFENSIVE
from longway.jobs.perturb.settings import RULES, PerturbSettings
from longway.jobs.rows import rows_of
from longway.methods.method import Rows, fresh_id
from longway.methods.perturb.choosing import (
    PossibleChange,
    axis_weights,
    choose,
    in_order,
    options_of,
    perturbability,
)
from longway.methods.perturb.guards import label_warning, offence
from longway.methods.perturb.perturber import Perturbed, Perturber, Request
from longway.methods.perturb.segments import as_one, place_in
from longway.records import BUDGET_SPENT, Edit, Verdict
from longway.shard_map import ShardMap, in_shards
from longway.text.tokenizer import is_longer_than

METHOD = "perturb"  # as edits name it
AT_ONCE = 64  # rows that a perturber gets together
NOBODY = "no word expresses a gender, race or age that can be changed"
FAMOUS = "only widely known people are mentioned"
TOO_LITTLE = "its perturbability is too low"
NOT_DRAWN = "it was not drawn"
TOO_LONG = "it is too long to be analysed"
NOT_ENGLISH = "not English: people are found in English texts only"
LONGEST = 5_000  # words and marks; beyond, the time that the analysis takes grows faster than the text
FEWEST_SAMPLED = 20  # rows, however long they are
SAME = "the text came back as it was"
_WORD_IN_FRONT = re.compile(r"""^(['"]).*?\1: (?=.)""", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Seen:
    """The people that a row mentions. found: without the chains, which take much memory. famous: starts of words about widely known people."""

    found: Demographics
    perturbability: float
    famous: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Try:
    """One choice for a row, and its outcome.

    reason: why it was not taken, "" if it was; why: the same in short, to be counted.
    """

    request: Request
    perturbed: Perturbed
    verdicts: tuple[Verdict, ...] = ()
    reason: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a row. fields: the columns that were read, one for each segment. stayed: why it is unchanged, else ""."""

    row: int
    fields: tuple[str, ...]
    tries: tuple[Try, ...] = ()
    stayed: str = ""

    @property
    def taken(self) -> Try | None:
        """The choice that was made; None if the row stays unchanged."""
        return None if self.stayed else self.tries[-1]


class Perturbing:
    """One dataset being perturbed.

    dataset: the rows that may change. cache: the file that stores analyses. sample: rows and characters to read at most, of rows
    drawn at random; None to read all. shard_map: analyses texts in other processes.
    rows: those that are read; n_rows: all there are. seen: the people that each mentions. done: how many of the chosen rows `run` has finished.
    """

    def __init__(
        self,
        dataset: Dataset,
        settings: PerturbSettings,
        *,
        cache: Path | None = None,
        sample: tuple[int, int] | None = None,
        shard_map: ShardMap | None = None,
        progress: Callable[[int, int], object] = lambda done, of: None,
    ) -> None:
        self.settings = settings
        self.rows: Rows = rows_of(dataset, seed=settings.seed, labelled=False)
        self.n_rows = len(self.rows)
        if sample is not None:
            self.rows = self.rows.at(self._drawn(*sample))
        self.documents = Documents(cache, shard_map=shard_map)
        self.done = 0
        self._progress = progress
        self.seen: list[Seen] = []
        texts = map(self.text, range(len(self.rows)))
        self._too_long = frozenset(row for row, text in enumerate(texts) if is_longer_than(text, LONGEST))
        self._foreign = frozenset(row for row in range(len(self.rows)) if not self.rows.may_be_english(row))
        skipped = self._too_long | self._foreign
        read = ("" if row in skipped else self.text(row) for row in range(len(self.rows)))
        for document in self.documents.all(read):
            self.seen.append(self._seen(document))
            progress(len(self.seen), len(self.rows))

    def _drawn(self, most_rows: int, most_characters: int) -> list[int]:
        """Random rows until there are enough of them or of their characters."""
        drawn = Random(self.settings.seed).sample(range(self.n_rows), min(most_rows, self.n_rows))
        lengths = np.cumsum([len(self.text(row)) for row in drawn])
        return sorted(drawn[: max(FEWEST_SAMPLED, int(np.searchsorted(lengths, most_characters, "right")))])

    def _seen(self, document: Document) -> Seen:
        found = find_demographics(document)
        score = perturbability(document, found, m0=self.settings.m0, m1=self.settings.m1)
        people = () if self.settings.change_famous else find_persons(document, found)
        famous = frozenset(word.start for person in people if person.is_widely_known for word in person.words)
        return Seen(Demographics(found.words, found.skipped, ()), score, famous)

    def fields(self, row: int) -> tuple[tuple[str, str], ...]:
        """The columns of a row with their texts, in reading order: the context, if there is one, and the text."""
        task, context = self.rows.task, self.rows.context(row)
        text = (task.text_name, self.rows.texts[row])
        return (
            (text,) if not context or context.isspace() else ((task.context_name or "context", context), text)
        )

    def segments(self, row: int) -> tuple[str, ...]:
        """The texts of a row in reading order."""
        return tuple(text for _, text in self.fields(row))

    def text(self, row: int) -> str:
        """The texts of a row as one, as they are analysed."""
        return as_one(self.segments(row))

    def options(self, row: int) -> list[PossibleChange]:
        """Everything that could be changed in a row: K of Algorithm 1."""
        settings, segments, seen = self.settings, self.segments(row), self.seen[row]
        found = [
            one
            for one in seen.found.words
            if one.start not in seen.famous and place_in(segments, one.start, one.stop) is not None
        ]
        return options_of(self.text(row), found, axes=settings.axes, targets=settings.targets)

    @cached_property
    def chosen(self) -> tuple[int, ...]:
        """The rows that are to be perturbed."""
        return tuple(row for row in range(len(self.rows)) if not self._stays(row))

    @cached_property
    def weights(self) -> Mapping[str, float] | None:
        """How likely each axis is drawn if a row has several; None if all options are equally likely."""
        if self.settings.sampling == "uniform":
            return None
        return axis_weights(self.options(row) for row in self.chosen)

    def requests(self, row: int) -> list[Request]:
        """What is tried in a row, in this order."""
        segments, options, random = self.segments(row), self.options(row), self._random(row)
        first = choose(options, random, self.weights)
        if first is None:
            return []
        tried = in_order(options, first, random)[: self.settings.tries]
        return [
            Request(segments, place, found.attribute, target)
            for found, target in tried
            if (place := place_in(segments, found.start, found.stop)) is not None
        ]

    def run(
        self,
        perturber: Perturber,
        *,
        only: Collection[int] | None = None,
        shard_map: ShardMap | None = None,
    ) -> Iterator[Outcome]:
        """What becomes of each row, in order.

        only: the rows that are perturbed, if not all. shard_map: lets a perturber by rules work in other processes.
        """
        last = 0
        parts = list(in_shards((row for row in self.chosen if only is None or row in only), AT_ONCE))
        work = partial(_tried, perturber, self.settings.keep_warned)
        shards = (self._shard(part, is_here=shard_map is None) for part in parts)
        for part, outcomes in zip(parts, (shard_map or map)(work, shards), strict=True):
            for row in range(last, part[-1] + 1):
                yield self._outcome(row, *outcomes.get(row, ((), self._stays(row) or NOT_DRAWN)))
            last = part[-1] + 1
            self.done += len(part)
            self.tell(0)
        for row in range(last, len(self.rows)):
            yield self._outcome(row, stayed=self._stays(row) or NOT_DRAWN)

    def tell(self, answered: int) -> None:
        """Report how many rows are done; answered: how many of the next ones have an answer."""
        self._progress(min(self.done + answered, len(self.chosen)), len(self.chosen))

    def _shard(self, part: Sequence[int], *, is_here: bool) -> dict[int, list[Request]]:
        """What is tried in some rows. is_here: in this process, which has their analyses at hand then."""
        if is_here and self.settings.engine == RULES:
            self.documents.at_hand(map(self.text, part))
        return {row: self.requests(row) for row in part}

    def _outcome(self, row: int, tries: Sequence[Try] = (), stayed: str = "") -> Outcome:
        return Outcome(row, tuple(name for name, _ in self.fields(row)), tuple(tries), stayed)

    def _stays(self, row: int) -> str:
        """Why a row is not perturbed at all; "" if it is to be."""
        if row in self._foreign:
            return NOT_ENGLISH
        if row in self._too_long:
            return TOO_LONG
        if not self.options(row):
            return FAMOUS if self.seen[row].famous else NOBODY
        if self.seen[row].perturbability < self.settings.at_least:
            return TOO_LITTLE
        return "" if self._is_drawn(row) else NOT_DRAWN

    def _is_drawn(self, row: int) -> bool:
        return Random(f"{self.settings.seed}:share:{self.rows.ids[row]}").random() < self.settings.share

    def _random(self, row: int) -> Random:
        return Random(f"{self.settings.seed}:{self.rows.ids[row]}")


def _tried(
    perturber: Perturber, keep_warned: bool, requests: Mapping[int, Sequence[Request]]
) -> dict[int, tuple[list[Try], str]]:
    """The tries of rows that are perturbed together, the first ones of all, then the second ones; and why a row stays, if it does."""
    waiting, tries = dict(requests), {row: list[Try]() for row in requests}
    stayed: dict[int, str] = {}
    while asked := {row: some[len(tries[row])] for row, some in waiting.items()}:
        for row, answer in zip(asked, _answers(perturber, list(asked.values())), strict=True):
            if answer is None:
                stayed[row] = BUDGET_SPENT
                del waiting[row]
                continue
            tries[row].append(judged(asked[row], answer, keep_warned=keep_warned))
            is_taken = not tries[row][-1].reason
            if is_taken or len(tries[row]) == len(waiting[row]):
                stayed[row] = "" if is_taken else tries[row][0].why
                del waiting[row]
    return {row: (tries[row], stayed[row]) for row in requests}


def judged(request: Request, perturbed: Perturbed, *, keep_warned: bool) -> Try:
    """The answer with the verdicts of the guards. keep_warned: whether a label in doubt is no reason against it."""
    if perturbed.reason or perturbed.segments == request.segments:
        reason = perturbed.reason or SAME
        return Try(request, perturbed, (), reason, in_short(reason))
    texts = request.segments, perturbed.segments
    verdicts = [_verdict(OFFENSIVE, offence(*texts))]
    if len(request.segments) > 1:
        verdicts.append(_verdict(CONTRAST, label_warning(*texts)))
    failed = [v for v in verdicts if not v.passed and not (v.check == CONTRAST and keep_warned)]
    reason, why = (f"{failed[0].check}: {failed[0].reason}", failed[0].check) if failed else ("", "")
    return Try(request, perturbed, tuple(verdicts), reason, why)


def in_short(reason: str) -> str:
    """A reason without the word it is about, to be counted.

    >>> in_short("'Prince': there is no other word for it")
    'there is no other word for it'
    """
    return _WORD_IN_FRONT.sub("", reason)


def _answers(perturber: Perturber, requests: Sequence[Request]) -> list[Perturbed | None]:
    """The answer to each request; None if the budget does not allow the call.

    If the budget ends on the way, the requests are repeated one by one: the answers that were paid for are in the journal.
    """
    try:
        return list(perturber.perturb(requests))
    except BudgetSpent:
        return [_answers(perturber, [request])[0] for request in requests] if len(requests) > 1 else [None]


def _verdict(check: str, reason: str) -> Verdict:
    return Verdict(check, not reason, reason=reason)


class Editing:
    """Turns outcomes into edits, which change a row or add one. engine: as edits name it. new: the segments of perturbed rows."""

    def __init__(self, perturbing: Perturbing, *, engine: str) -> None:
        self._perturbing, self._engine = perturbing, engine
        self._rows: Rows = perturbing.rows
        self._adds: bool = perturbing.settings.add
        self._ids = set(perturbing.rows.ids)
        self.new: dict[int, tuple[str, ...]] = {}

    def take(self, outcome: Outcome) -> list[Edit]:
        """An edit for every choice that was tried and each column it concerns; an added row has its own id."""
        row = outcome.row
        id_ = self._rows.ids[row]
        if self._adds and outcome.tries:
            id_ = fresh_id(self._ids, id_, METHOD)
        if outcome.taken is not None:
            self.new[row] = outcome.taken.perturbed.segments
        return [edit for one in outcome.tries for edit in self._edits(outcome, one, id_)]

    def _edits(self, outcome: Outcome, one: Try, id_: str) -> Iterator[Edit]:
        """One for each column that differs; if none does, one for the column of the chosen word."""
        request, perturbed, label = one.request, one.perturbed, self._rows.label(outcome.row)
        columns = list(zip(outcome.fields, request.segments, perturbed.segments, strict=True))
        differ = [column for column in columns if column[1] != column[2]]
        trace = {
            "word": request.word,
            "axis": request.target.axis,
            "source": request.source.name,
            "target": request.target.name,
            "chain": [[outcome.fields[at.segment], at.start, at.end] for at in perturbed.chain],
            "left": list(perturbed.left),
            "perturbability": round(self._perturbing.seen[outcome.row].perturbability, 4),
        }
        for name, before, after in differ or [columns[request.place.segment]]:
            yield Edit(
                id=id_,
                field=name,
                before=before,
                after=after,
                label_before=label,
                label_after=label,
                method=METHOD,
                engine=self._engine,
                accepted=not one.reason,
                reason=one.reason,
                verdicts=one.verdicts,
                how=f"{request.target.axis}: {request.source.name} to {request.target.name}",
                source=self._rows.ids[outcome.row] if self._adds else "",
                trace=trace,
            )
