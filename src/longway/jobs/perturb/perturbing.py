"""One person of each row gets another gender, race or age, and everything else stays (Algorithm 1 of the paper).

    rows -> people mentioned -> a word and its new attribute -> the perturber -> guards -> edits, or why the row stays unchanged

    who = who_perturbs(settings, engines)          the engine by name, before anything is loaded
    calls_of(who.engine, perturbing)               the calls that it may take
    who.asker(perturbing, journal)                 calls the engine, within the budget
    who.perturber(journal, asker, read)            changes texts: the rules, a network or an engine

What is drawn for a row depends on the seed and the id of the row alone, and with balanced sampling on how many rows mention each axis:
neither on the order of the rows nor on which were perturbed before. If the perturber refuses, or a guard objects, other choices are tried.
Rules are quick and need no journal. A network's answers are kept in it, like those of engines: the same command resumes.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from longway.data import Dataset
from longway.engines.asker import Asker, PaidWriting
from longway.engines.engine import Engine
from longway.engines.prompt import Prompt
from longway.english.document import Document
from longway.english.people.change import (
    Perturbed,
    Request,
    Rules,
    as_one,
    change_person,
    place_in,
)
from longway.english.people.demographic_mentions import Demographics, find_demographics, find_persons
from longway.errors import BudgetSpent
from longway.jobs.documents import Documents
from longway.jobs.engine_use import Engines, check_can_write, close, engines_of, estimate_calls, sampled
from longway.jobs.estimate import CallsEstimate
from longway.jobs.perturb.result import CONTRAST, OFFENSIVE
from longway.jobs.perturb.settings import RULES, PerturbSettings
from longway.jobs.rows import rows_of
from longway.methods.method import Rows
from longway.methods.perturb.asked import perturb_by_prompts, prompt_of, sampling_of
from longway.methods.perturb.choosing import (
    PossibleChange,
    axis_weights,
    choose,
    in_order,
    options_of,
    perturbability,
)
from longway.methods.perturb.guards import label_warning, offence
from longway.records import BUDGET_SPENT, Edit, Verdict
from longway.shard_map import ShardMap, in_shards
from longway.store.journal import Journal, JournalEntry, key_of
from longway.text.tokenizer import is_longer_than

METHOD = "perturb"  # as edits name it
AT_ONCE = 64  # rows that a perturber gets together
KEPT_AT_ONCE = (
    32  # answers of a network that are computed before they are put on disk; a whole batch if that is larger
)
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
    """What became of a row. stayed: why it is unchanged, else ""."""

    row: int
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

    def score(self, row: int) -> float:
        """The perturbability of a row, as files have it."""
        return round(self.seen[row].perturbability, 4)

    def segments(self, row: int) -> tuple[str, ...]:
        """The texts of a row in reading order."""
        return tuple(text for _, text in self.fields(row))

    def source(self, row: int) -> str:
        """The id of a row if the new text is added; "" if it replaces the row."""
        return self.rows.ids[row] if self.settings.add else ""

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
        options, random = self.options(row), Random(f"{self.settings.seed}:{self.rows.ids[row]}")
        first = choose(options, random, self.weights)
        return [] if first is None else self.requests_for(row, options, first, random)

    def requests_for(
        self, row: int, options: Sequence[PossibleChange], first: PossibleChange, random: Random
    ) -> list[Request]:
        """What is tried if one of the options was chosen."""
        segments = self.segments(row)
        return [
            Request(segments, place, found.attribute, target)
            for found, target in in_order(options, first, random)[: self.settings.tries]
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
                yield Outcome(row, *outcomes.get(row, ((), self._stays(row) or NOT_DRAWN)))
            last = part[-1] + 1
            self.done += len(part)
            self.tell(0)
        for row in range(last, len(self.rows)):
            yield Outcome(row, stayed=self._stays(row) or NOT_DRAWN)

    def tell(self, answered: int) -> None:
        """Report how many rows are done; answered: how many of the next ones have an answer."""
        self._progress(min(self.done + answered, len(self.chosen)), len(self.chosen))

    def _shard(self, part: Sequence[int], *, is_here: bool) -> dict[int, list[Request]]:
        """What is tried in some rows. is_here: in this process, which has their analyses at hand then."""
        if is_here and self.settings.engine == RULES:
            self.documents.at_hand(map(self.text, part))
        return {row: self.requests(row) for row in part}

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
        drawn = Random(f"{self.settings.seed}:share:{self.rows.ids[row]}").random()
        return "" if drawn < self.settings.share else NOT_DRAWN


def _tried(
    perturber: Perturber, keep_warned: bool, requests: Mapping[int, Sequence[Request]]
) -> dict[int, tuple[tuple[Try, ...], str]]:
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
    return {row: (tuple(tries[row]), stayed[row]) for row in requests}


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


def edits_of(perturbing: Perturbing, outcome: Outcome, *, id: str, engine: str) -> Iterator[Edit]:
    """For each choice that was tried, an edit of each column that differs; if none does, of the column of the chosen word.

    id: of the row, or of the added row. engine: as edits name it.
    """
    rows = perturbing.rows
    for tried in outcome.tries:
        request, perturbed, label = tried.request, tried.perturbed, rows.label(outcome.row)
        names = [name for name, _ in perturbing.fields(outcome.row)]
        columns = list(zip(names, request.segments, perturbed.segments, strict=True))
        differ = [column for column in columns if column[1] != column[2]]
        trace = {
            "word": request.word,
            "axis": request.target.axis,
            "source": request.source.name,
            "target": request.target.name,
            "chain": [[names[at.segment], at.start, at.end] for at in perturbed.chain],
            "left": list(perturbed.left),
            "perturbability": perturbing.score(outcome.row),
        }
        for name, before, after in differ or [columns[request.place.segment]]:
            yield Edit(
                id=id,
                field=name,
                before=before,
                after=after,
                label_before=label,
                label_after=label,
                method=METHOD,
                engine=engine,
                accepted=not tried.reason,
                reason=tried.reason,
                verdicts=tried.verdicts,
                how=f"{request.target.axis}: {request.source.name} to {request.target.name}",
                source=perturbing.source(outcome.row),
                trace=trace,
            )


# What perturbs


@dataclass(frozen=True, slots=True)
class Perturber:
    """What changes texts. name: as edits name it. perturb: the result of each request, in order."""

    name: str
    perturb: Callable[[Sequence[Request]], list[Perturbed]]


@dataclass(frozen=True, slots=True)
class Who:
    """Who perturbs.

    settings: with the engine by name. engine: the one that is called; None for rules and networks. fingerprint: of a network's files.
    device, batch_size: of a network.
    """

    settings: PerturbSettings
    engine: Engine | None = None
    fingerprint: str = ""
    device: str = "auto"
    batch_size: int = 16

    @property
    def is_rules(self) -> bool:
        """Whether neither an engine nor a network perturbs."""
        return self.engine is None and self.settings.model is None

    def asker(
        self,
        perturbing: Perturbing,
        journal: Journal,
        *,
        budget: float | None = None,
        say: Callable[[str], None] | None = None,
    ) -> Asker | None:
        """Calls the engine; None if there is none. SettingError if the budget is too small for one row."""
        if self.engine is None:
            return None
        asker = Asker(
            self.engine, journal, budget=budget, progress=lambda done, of: perturbing.tell(done), say=say
        )
        some = _some_prompts(perturbing)
        PaidWriting(asker).check(some, 1, [sampling_of(prompt) for prompt in some])
        return asker

    def perturber(
        self, *, journal: Journal, asker: Asker | None, read: Callable[[str], Document] | None
    ) -> Perturber:
        """What changes texts. asker: calls the engine. read: analyses a text, for the rules; None for the package's pipeline."""
        settings = self.settings
        if asker is not None:
            perturb = partial(perturb_by_prompts, asker=asker, seed=settings.seed)
            return Perturber(asker.engine.name, perturb)
        if settings.model is not None:
            from longway.methods.perturb.neural import NeuralPerturber

            network = NeuralPerturber(settings.model, device=self.device, batch_size=self.batch_size)
            at_once = max(KEPT_AT_ONCE, self.batch_size)
            named = Perturber(network.name, network.perturb)
            return with_journal(named, journal, version=self.fingerprint, at_once=at_once)
        rules = Rules(
            everyone=settings.everyone,
            names=settings.names,
            keep_entities=settings.keep_entities,
            change_famous=settings.change_famous,
            pronouns=settings.pronouns,
            reflexive=settings.reflexive,
            key=str(settings.seed),
        )
        return by_rules(rules, read=read)


def who_perturbs(settings: PerturbSettings, engines: Engines) -> Who:
    """The engine for the settings; an error if it cannot write."""
    if settings.model is not None:
        from longway.methods.perturb.networks import need_torch
        from longway.models.saved import folder_hash

        need_torch("A neural perturber")
        from longway.models.pretrained import folder_of

        fingerprint = folder_hash(folder_of(settings.model, what=f"The model {settings.model!r}"))
        return Who(settings, None, fingerprint, engines.device, engines.batch_size)
    name, writer, _ = engines_of(settings, engines)
    if writer is None or name.split(",")[0] == RULES:  # "auto" where no language model is named
        close(writer)
        return Who(replace(settings, engine=RULES))
    check_can_write(writer)
    return Who(replace(settings, engine=writer.name), writer)


def calls_of(engine: Engine | None, perturbing: Perturbing, *, dry: bool = False) -> list[CallsEstimate]:
    """The calls of all chosen rows if each takes as many tries as it may; most take one. dry: include free engines, and the time."""
    share = len(perturbing.rows) / perturbing.n_rows if perturbing.n_rows else 1.0
    n_calls = round(sum(len(perturbing.requests(row)) for row in perturbing.chosen) / share)
    return estimate_calls(engine, _some_prompts(perturbing), n_calls, timed=dry, free=dry)


def _some_prompts(perturbing: Perturbing) -> list[Prompt]:
    """The prompts of a sample of the chosen rows."""
    rows = perturbing.chosen
    prompts = (prompt_of(perturbing.requests(rows[i])[0]) for i in sampled(len(rows)))
    return [prompt for prompt in prompts if prompt is not None]


def by_rules(rules: Rules, *, read: Callable[[str], Document] | None = None) -> Perturber:
    """The perturber without a model."""
    return Perturber(RULES, partial(_changed_alike, rules=rules, read=read))


def _changed_alike(
    requests: Sequence[Request], *, rules: Rules, read: Callable[[str], Document] | None
) -> list[Perturbed]:
    """One person is changed; in pairs all people with the attribute, if one alone would change the contrast of the texts.

    "A man sleeps." and "A man is awake." mention a man each. They need not be the same, but if one of them became a woman, the texts
    would differ in something that they did not differ in before.
    """
    answers = []
    for request in requests:
        answer = change_person(request, rules, read=read)
        if not answer.reason and label_warning(request.segments, answer.segments):
            wider = change_person(request, replace(rules, everyone=True), read=read)
            is_better = not wider.reason and not label_warning(request.segments, wider.segments)
            answer = wider if is_better else answer
        answers.append(answer)
    return answers


def with_journal(
    perturber: Perturber, journal: Journal, *, version: str, at_once: int = KEPT_AT_ONCE
) -> Perturber:
    """The same perturber; its answers are put into the journal before they are used.

    version: changes if the answers may. at_once: answers that are computed before they are put on disk.
    """

    def key(request: Request) -> str:
        place = request.place
        return key_of(
            {
                "perturber": version,
                "segments": request.segments,
                "place": [place.segment, place.start, place.end],
                "target": str(request.target),
            }
        )

    def perturb(requests: Sequence[Request]) -> list[Perturbed]:
        keys = [key(request) for request in requests]
        known: dict[str, Any] = journal.get_all(dict.fromkeys(keys))
        waiting = {key: one for key, one in zip(keys, requests, strict=True) if key not in known}
        for part in in_shards(waiting, at_once):
            started = time.perf_counter()
            found = perturber.perturb([waiting[key] for key in part])
            seconds = (time.perf_counter() - started) / len(part)
            answers = [{"segments": list(one.segments), "reason": one.reason} for one in found]
            new = dict(zip(part, answers, strict=True))
            journal.put_all(
                JournalEntry(key, "perturb", perturber.name, answer, seconds=seconds)
                for key, answer in new.items()
            )
            known |= new
        return [Perturbed(tuple(known[key]["segments"]), known[key]["reason"]) for key in keys]

    return Perturber(perturber.name, perturb)
