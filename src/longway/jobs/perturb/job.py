"""Perturb: change one person's gender, race or age in each row that mentions one; labels and everything else stay.

    rows -> people mentioned -> one choice per row -> new texts -> guards -> the changed dataset, and who is mentioned before and after

Writes perturb.json, edits.jsonl, people.jsonl, the dataset, report.html and card.md into a run folder. Analyses of texts are kept in the folder until the
run is done, so a resumed run does not repeat them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from longway.data import as_dataset, with_columns
from longway.data.edited import writing_note
from longway.engines.engine import Engine
from longway.english.people.change import as_one, place_in
from longway.english.people.demographic_mentions import Demographics, find_demographics
from longway.english.people.words import AXES, Attribute
from longway.errors import MissingExtra, with_checked_arguments
from longway.jobs.change.collect import CandidateCounts, reason_counts
from longway.jobs.change.job import ChangeJob
from longway.jobs.documents import ANALYSES_FILE
from longway.jobs.engine_use import Engines, close, costs, costs_money, failed_calls
from longway.jobs.estimate import RunEstimate
from longway.jobs.held_out import MAX_LABELS, arrange
from longway.jobs.language import check_english
from longway.jobs.options import settings_from
from longway.jobs.perturb.page import perturb_page  # noqa: F401  (registers the page of the result)
from longway.jobs.perturb.perturbing import (
    METHOD,
    NOT_DRAWN,
    TOO_LITTLE,
    Outcome,
    Perturbing,
    Try,
    Who,
    calls_of,
    edits_of,
    who_perturbs,
)
from longway.jobs.perturb.result import (
    CONTRAST,
    OFFENSIVE,
    PEOPLE_FILE,
    AttributeChange,
    AttributeCount,
    AxisCount,
    MentionedWord,
    PersonText,
    PerturbResult,
    RefusedChoices,
    RowPeople,
    ShownPerson,
    SkippedWords,
)
from longway.jobs.perturb.settings import PerturbSettings
from longway.jobs.run import ActiveRun, Watcher
from longway.languages.dataset import languages_in
from longway.methods.method import fresh_id
from longway.metrics.versions import VersionDistance, compare_versions
from longway.records import BUDGET_SPENT
from longway.store import now, replacing

WORDS = 5  # examples of words that were left unchanged for one reason
MOST_MEASURED = 2000  # rows that distances are measured on
DRY_SAMPLE = 200, 20_000  # texts and characters that a dry run analyses at most
READING = "reading who is mentioned"
EXCLUDED = (NOT_DRAWN, TOO_LITTLE, BUDGET_SPENT)  # rows that the settings leave unchanged, not the perturber
FOR_EVERYBODY = "used for everybody"
PERTURB_NEXT = "Perturb a dataset in English; `longway audit` and `longway repair` work in any language."


@with_checked_arguments
def perturb(
    data: object,
    settings: PerturbSettings | None = None,
    *,
    split: str | None = None,
    engines: Engines | None = None,
    out: Path | str | Literal[True] | None = None,
    on: str | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> PerturbResult:
    """Change one person's gender, race or age in each row that mentions one; labels stay.

    data: a dataset, or what `load` reads. split: the split to perturb (default: "train" if there are several); the others are copied
    unchanged. engines: addresses, a budget, and where a network computes. out: the run folder; True for a folder in `longway-runs/` named
    after the data; None to write nothing. The same call with the same folder resumes the run, or reads it if it is done.
    on: "ray" or "ray://host:port" to let Ray's workers read who is mentioned, and change people by rules. watcher: its progress counts rows, from 0 in each step.
    options: columns as in `load` (text, context, label, id), and the options of `longway perturb` by name, such as `axes=("gender",)`.
    """
    data, options = with_columns(data, options)
    chosen, watcher = settings_from(PerturbSettings, settings, options), watcher or Watcher()
    with prepared(data, split, chosen, engines or Engines()) as (job, who):
        return job.run(PerturbResult, partial(_perturb, who=who), out, watcher, on)


@with_checked_arguments
def perturb_estimate(
    data: object,
    settings: PerturbSettings,
    *,
    split: str | None = None,
    engines: Engines | None = None,
    watcher: Watcher | None = None,
) -> RunEstimate:
    """What `perturb` may take; writes nothing and calls no server. A sample of the texts is analysed to find the people in them."""
    watcher = watcher or Watcher()
    with (
        prepared(data, split, settings, engines or Engines()) as (job, who),
        TemporaryDirectory() as folder,
    ):
        watcher.step(READING)
        cache = Path(folder) / ANALYSES_FILE
        perturbing = Perturbing(
            job.part, who.settings, cache=cache, sample=DRY_SAMPLE, progress=watcher.progress
        )
        return _estimate(perturbing, who.engine, dry=True)


def _estimate(
    perturbing: Perturbing, engine: Engine | None, *, spent: float = 0.0, dry: bool = False
) -> RunEstimate:
    """The calls of all chosen rows if each takes as many tries as it may; most take one. dry: include free engines, and the time."""
    n_read, n_rows = len(perturbing.rows), perturbing.n_rows
    share = n_read / n_rows if n_rows else 1.0
    calls = calls_of(engine, perturbing, dry=dry)
    estimate = RunEstimate.of(round(len(perturbing.chosen) / share), calls, spent=spent)
    return replace(estimate, sampled=n_read, texts=n_rows) if n_read < n_rows else estimate


@contextmanager
def prepared(
    data: object, split: str | None, settings: PerturbSettings, engines: Engines
) -> Iterator[tuple[ChangeJob[PerturbSettings], Who]]:
    """The job with its engine, which is closed at the end; and who changes texts."""
    whole = as_dataset(data)
    part = arrange(whole, split, labelled=False).dataset
    check_english(languages_in(part), "The people that a perturbation changes are found in", PERTURB_NEXT)
    who = who_perturbs(settings, engines)
    more = {"model_fingerprint": who.fingerprint} if who.fingerprint else {}
    try:
        yield (
            ChangeJob("perturb", whole, part, who.settings, who.engine, budget=engines.budget, more=more),
            who,
        )
    finally:
        close(who.engine)


def _perturb(run: ActiveRun, job: ChangeJob[PerturbSettings], who: Who) -> PerturbResult:
    """Perturb the rows, write edits and dataset, and count who is mentioned after."""
    settings, watcher, engine = job.settings, run.watcher, job.writer
    watcher.step(READING)
    perturbing = Perturbing(
        job.part,
        settings,
        cache=run.folder / ANALYSES_FILE,
        shard_map=run.shard_map,
        progress=watcher.progress,
    )
    if costs_money(engine):
        watcher.estimate(_estimate(perturbing, engine, spent=run.journal.spent()))
    asker = who.asker(perturbing, run.journal, budget=job.budget, say=watcher.say)
    watcher.step("perturbing")
    shard_map = run.shard_map if who.is_rules else None
    read = perturbing.documents if shard_map is None else None
    perturber = who.perturber(journal=run.journal, asker=asker, read=read)
    made, new = _Collected(perturbing), dict[int, tuple[str, ...]]()
    ids = set(perturbing.rows.ids)
    with (
        run.edit_log() as log,
        replacing(run.folder / PEOPLE_FILE) as temporary,
        temporary.open("w", encoding="utf-8") as people_file,
    ):
        for outcome in perturbing.run(perturber, shard_map=shard_map):
            id_ = perturbing.rows.ids[outcome.row]
            if settings.add and outcome.tries:
                id_ = fresh_id(ids, id_, METHOD)
            if outcome.taken is not None:
                new[outcome.row] = outcome.taken.perturbed.segments
            made.add(outcome, id=id_, engine=perturber.name)
            log.write(edits_of(perturbing, outcome, id=id_, engine=perturber.name))
            if (people := row_people(perturbing, outcome)) is not None:
                people_file.write(json.dumps(asdict(people)) + "\n")
    written = run.write_dataset(job.whole, job.part, log.changes)
    watcher.step("reading who is mentioned now")
    after = mentioned_after(perturbing, new, watcher.progress)
    before = [seen.found for seen in perturbing.seen]
    summary = run.summary(job.part)
    result = PerturbResult(
        dataset=summary if len(summary.labels) <= MAX_LABELS else replace(summary, labels={}),
        engine=settings.engine,
        settings=run.identity.settings,
        rows=len(perturbing.rows),
        perturbable=sum(bool(perturbing.options(row)) for row in range(len(perturbing.rows))),
        chosen=len(perturbing.chosen),
        perturbed=made.n_accepted,
        changed=0 if settings.add else made.n_accepted,
        added=made.n_accepted if settings.add else 0,
        tries=made.n,
        blocked=made.failed[OFFENSIVE],
        warned=made.failed[CONTRAST],
        kept_warned=made.n_warned,
        stopped=BUDGET_SPENT if made.stayed[BUDGET_SPENT] else "",
        axes=made.axes(),
        pairs=tuple(AttributeChange(*pair, n) for pair, n in made.pairs.most_common()),
        balance=balance(before, after, axes=settings.axes, added=settings.add),
        stayed=reason_counts(made.stayed),
        refused=made.refused(RefusedChoices),
        checks=made.checks(),
        left=_skipped_words(perturbing),
        distances=_distances(perturbing, new),
        sample=made.sample(),
        failed_calls=reason_counts(failed_calls(asker)),
        cost=costs(run.journal, engine),
        budget=job.budget,
        encoding_note=writing_note(job.whole, written),
        longway=version("longway"),
        created=now(),
    )
    perturbing.documents.forget()
    return result


def row_people(perturbing: Perturbing, outcome: Outcome) -> RowPeople | None:
    """The demographic words of a row; None if it has none, or if the settings exclude the row."""
    if outcome.stayed in EXCLUDED:
        return None
    fields, found = perturbing.fields(outcome.row), perturbing.seen[outcome.row].found
    segments = perturbing.segments(outcome.row)
    spans = [
        (one.start, one.stop, one.attribute.axis, one.attribute.name, FOR_EVERYBODY if one.is_generic else "")
        for one in found.words
        if one.attribute.axis in perturbing.settings.axes
    ]
    spans += [(one.start, one.stop, "", "", one.reason) for one in found.skipped]
    words = []
    for start, stop, *rest in sorted(spans):
        place = place_in(segments, start, stop)
        if place is not None:
            word = segments[place.segment][place.start : place.end]
            words.append(MentionedWord(fields[place.segment][0], place.start, place.end, word, *rest))
    return RowPeople(perturbing.rows.ids[outcome.row], outcome.stayed, tuple(words)) if words else None


class _Collected(CandidateCounts[ShownPerson]):
    """Counts outcomes and keeps examples, row by row. n_warned: perturbed rows with a label in doubt."""

    def __init__(self, perturbing: Perturbing) -> None:
        super().__init__(seed=perturbing.settings.seed)
        self._perturbing = perturbing
        self.n_warned = 0
        self.pairs: Counter[tuple[str, str, str]] = Counter()
        self.stayed: Counter[str] = Counter()

    def add(self, outcome: Outcome, *, id: str, engine: str) -> None:
        """Include a row. id, engine: as its edits have them."""
        for one in outcome.tries:
            self.check(one.verdicts)
            show = partial(shown_person, self._perturbing, outcome.row, one, id=id, engine=engine)
            if one.reason:
                self.refuse(one.why, show)
                continue
            source, target = one.request.source, one.request.target
            self.n_warned += not all(verdict.passed for verdict in one.verdicts)
            self.pairs[target.axis, source.name, target.name] += 1
            self.accept(self._perturbing.rows.ids[outcome.row], show, group=target.axis)
        if outcome.taken is None:
            self.stayed[outcome.stayed] += 1

    def axes(self) -> tuple[AxisCount, ...]:
        """Rows that mention each axis, and rows that were perturbed on it."""
        rows = range(len(self._perturbing.rows))
        could = Counter(
            axis for row in rows for axis in {option.axis for option in self._perturbing.options(row)}
        )
        done = Counter(axis for axis, _, _ in self.pairs.elements())
        return tuple(AxisCount(axis, could[axis], done[axis]) for axis in self._perturbing.settings.axes)


def shown_person(perturbing: Perturbing, row: int, one: Try, *, id: str, engine: str) -> ShownPerson:
    """A choice with all texts of its row. id: of the row, or of the added row. engine: as edits name it."""
    request, perturbed, place = one.request, one.perturbed, one.request.place
    texts = zip(perturbing.fields(row), perturbed.segments, strict=True)
    return ShownPerson(
        id=id,
        source_id=perturbing.source(row),
        label=perturbing.rows.label(row),
        axis=request.target.axis,
        source=request.source.name,
        target=request.target.name,
        word=request.word,
        engine=engine,
        reason=one.reason,
        verdicts=one.verdicts,
        left=tuple(perturbed.left),
        perturbability=perturbing.score(row),
        texts=tuple(
            PersonText(
                name,
                before,
                after,
                tuple((at.start, at.end) for at in perturbed.chain if at.segment == number),
                (place.start, place.end) if place.segment == number else None,
            )
            for number, ((name, before), after) in enumerate(texts)
        ),
    )


def mentioned_after(
    perturbing: Perturbing, new: Mapping[int, Sequence[str]], progress: Callable[[int, int], object]
) -> dict[int, Demographics]:
    """The people that the perturbed rows mention now."""
    found: dict[int, Demographics] = {}
    documents = perturbing.documents.all(map(as_one, new.values()))
    for row, document in zip(new, documents, strict=True):
        found[row] = find_demographics(document)
        progress(len(found), len(new))
    return found


def balance(
    before: Sequence[Demographics],
    new: Mapping[int, Demographics],
    *,
    axes: Iterable[str] = tuple(AXES),
    added: bool = False,
) -> tuple[AttributeCount, ...]:
    """Rows and words for each attribute, before and after.

    before: one for each row. new: for the rows that were perturbed. added: the original rows are still there.
    """
    unchanged = before if added else [one for row, one in enumerate(before) if row not in new]
    rows, words = _counts(before)
    rows_after, words_after = _counts([*unchanged, *new.values()])
    return tuple(
        AttributeCount(axis, name, rows[one], rows_after[one], words[one], words_after[one])
        for axis in axes
        for name in AXES[axis]
        for one in [Attribute(axis, name)]
    )


def _counts(found: Iterable[Demographics]) -> tuple[Counter[Attribute], Counter[Attribute]]:
    """Rows and words by attribute; a man's word that is used for everybody ("actor") does not count."""
    rows: Counter[Attribute] = Counter()
    words: Counter[Attribute] = Counter()
    for one in found:
        attributes = [word.attribute for word in one.words if not word.is_generic]
        words.update(attributes)
        rows.update(set(attributes))
    return rows, words


def _skipped_words(perturbing: Perturbing) -> tuple[SkippedWords, ...]:
    """Words that look demographic and were left unchanged, by reason, with the most frequent of them."""
    words: dict[str, Counter[str]] = {}
    for row, seen in enumerate(perturbing.seen):
        text = perturbing.text(row) if seen.found.skipped else ""
        for skipped in seen.found.skipped:
            words.setdefault(skipped.reason, Counter())[text[skipped.start : skipped.stop].lower()] += 1
    return tuple(
        SkippedWords(reason, found.total(), tuple(found.most_common(WORDS)))
        for reason, found in sorted(words.items(), key=lambda item: (-item[1].total(), item[0]))
    )


def _distances(perturbing: Perturbing, new: Mapping[int, Sequence[str]]) -> VersionDistance | None:
    """How much the perturbed rows changed; None if there are none, or the extra is not installed."""
    rows = sorted(new)[:: max(1, -(-len(new) // MOST_MEASURED))]
    if not rows:
        return None
    try:
        return compare_versions([perturbing.text(row) for row in rows], [as_one(new[row]) for row in rows])
    except MissingExtra:
        return None
