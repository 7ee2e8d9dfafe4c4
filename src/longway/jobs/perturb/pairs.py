"""A counterfactual test set: for every axis and every change of one attribute into another, pairs of a row before and after.

    rows -> people mentioned -> every possible change of every row -> new texts -> guards -> pairs, balanced

`longway perturb` changes one person in each row. A test set has several pairs of one row: each of its words, each other attribute, as far as
the perturber and the guards allow. There are `per_axis` pairs for each axis, shared evenly by its changes (man to woman, woman to
non-binary ...). Where rows for one change run out, the others of its axis get more; where those of an axis run out, it stays smaller.

Which rows are drawn depends on the seed and their ids, not on their order.

    check_pairs("pairs.jsonl", model).check(fairscore=2)

asks a model about both texts of each pair. The fairscore is equation 1 of the perturbation paper, in percent. Several pairs of one row are
not independent: each interval is Wilson's with as many observations as the pairs count for (`metrics.intervals.observations`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Literal

import numpy as np

from longway.data import Dataset, with_columns
from longway.english.people.change import Request
from longway.english.people.words import AXES
from longway.errors import DataError, SettingError, with_checked_arguments
from longway.jobs.change.collect import CandidateCounts
from longway.jobs.documents import ANALYSES_FILE
from longway.jobs.engine_use import Engines
from longway.jobs.fairness.models import AskedClassifier, classifier_of
from longway.jobs.held_out import MAX_LABELS
from longway.jobs.options import settings_from
from longway.jobs.perturb.job import READING, prepared, shown_person
from longway.jobs.perturb.page import pairs_page  # noqa: F401  (registers the pages of the results)
from longway.jobs.perturb.perturbing import AT_ONCE, Perturber, Perturbing, Try, Who, judged
from longway.jobs.perturb.result import (
    PAIRS_FILE,
    AxisPairs,
    ChangePairs,
    Flip,
    PairsCheck,
    PairShare,
    PairsResult,
    PersonPair,
    RefusedChoices,
    ShownPerson,
    inputs_of,
    read_pairs,
    write_pairs,
)
from longway.jobs.perturb.settings import RULES, PairSettings
from longway.jobs.run import ActiveRun, RunIdentity, Watcher, folder_of, run_job
from longway.methods.perturb.choosing import PossibleChange
from longway.metrics.fairness.fairscore import Changed, ChangedShare, fairscore_of, kept
from longway.models.catalog import names_of
from longway.models.own_model import plain_label
from longway.store import now

Candidate = tuple[int, Changed]  # a row, and a change that may be made in it
COMMAND = "perturb-pairs"  # as run.json names it
REPEATED = "the same pair was made from another row"


@with_checked_arguments
def perturb_pairs(
    data: object,
    settings: PairSettings | None = None,
    *,
    split: str | None = None,
    engines: Engines | None = None,
    out: Path | str | Literal[True] | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> PairsResult:
    """A counterfactual test set: pairs of texts that differ in one person's gender, race or age, balanced over all axes.

    data: a dataset, or what `load` reads. split: the split to use (default: "train" if there are several). engines: where a network
    computes. out: the run folder; True for a folder in `longway-runs/` named after the data; None to write nothing.
    options: columns as in `load` (text, context, label, id), and the options of `longway perturb` by name, such as `per_axis=100`.
    `check_pairs` asks a model about the pairs.
    """
    data, options = with_columns(data, options)
    chosen, watcher = settings_from(PairSettings, settings, options), watcher or Watcher()
    with prepared(data, split, chosen, engines or Engines()) as (job, who), folder_of(out) as folder:
        identity = RunIdentity.of(COMMAND, job.part, chosen, more=job.more)
        work = partial(_made, part=job.part, settings=chosen, who=who)
        result = run_job(PairsResult, identity, work, folder or True, watcher)
        assert result.folder is not None
        pairs = tuple(read_pairs(result.folder / PAIRS_FILE)) if result.n_pairs else ()
        return replace(result, folder=result.folder if out else None, pairs=pairs)


def _made(run: ActiveRun, part: Dataset, settings: PairSettings, who: Who) -> PairsResult:
    """Make the pairs, write them, and count."""
    run.watcher.step(READING)
    cache, progress = run.folder / ANALYSES_FILE, run.watcher.progress
    perturbing = Perturbing(part, settings, cache=cache, progress=progress)
    summary = run.summary(part)
    if len(summary.labels) > MAX_LABELS:
        summary = replace(summary, labels={})
    run.watcher.step("making pairs")
    perturber = who.perturber(journal=run.journal, asker=None, read=perturbing.documents)
    making = PairMaking(perturbing, perturber, engine=perturber.name, progress=run.watcher.progress)
    pairs = making.pairs()
    write_pairs(run.folder / PAIRS_FILE, pairs)
    perturbing.documents.forget()
    return PairsResult(
        dataset=summary,
        engine=who.settings.engine,
        settings=run.identity.settings,
        rows=len(perturbing.rows),
        perturbable=len({row for rows in making.possible.values() for row in rows}),
        used=len({pair.id for pair in pairs}),
        n_pairs=len(pairs),
        tries=making.tried.n,
        axes=making.axes(),
        changes=making.changes(),
        refused=making.tried.refused(RefusedChoices),
        checks=making.tried.checks(),
        sample=making.tried.sample(),
        longway=version("longway"),
        created=now(),
    )


class PairMaking:
    """Pairs of a dataset being made.

    possible: rows in which each change could be tried. taken, failed: pairs and refused choices by change. tried: all choices.
    """

    def __init__(
        self,
        perturbing: Perturbing,
        perturber: Perturber,
        *,
        engine: str,
        progress: Callable[[int, int], object] = lambda done, of: None,
    ) -> None:
        settings = perturbing.settings
        assert isinstance(settings, PairSettings)
        self.settings: PairSettings = settings
        self._perturbing, self._perturber, self._engine = perturbing, perturber, engine
        self._progress = progress
        self.possible: Mapping[Changed, Sequence[int]] = self._possible()
        self.taken: Counter[Changed] = Counter()
        self.failed: Counter[Changed] = Counter()
        self.tried: CandidateCounts[ShownPerson] = CandidateCounts(seed=settings.seed)
        self._texts: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()

    def _possible(self) -> dict[Changed, list[int]]:
        found: dict[Changed, list[int]] = defaultdict(list)
        for row, seen in enumerate(self._perturbing.seen):
            if seen.perturbability >= self.settings.at_least:
                for change in dict.fromkeys(map(_change, self._perturbing.options(row))):
                    found[change].append(row)
        return found

    def pairs(self) -> list[PersonPair]:
        """All pairs, in order of their rows."""
        ids, seed = self._perturbing.rows.ids, self.settings.seed
        waiting: dict[Changed, list[int]] = {}  # in random order, to be taken from the end
        for change, rows in sorted(self.possible.items()):
            drawn = {row: Random(f"{seed}:{change}:{ids[row]}").random() for row in rows}
            waiting[change] = sorted(rows, key=drawn.__getitem__)
        made: dict[Candidate, PersonPair] = {}
        while wanted := [one for axis in self.settings.axes for one in self._next(axis, waiting)]:
            for candidate, pair in self._tried(wanted):
                made[candidate] = pair
                self.taken[candidate[1]] += 1
        return [made[candidate] for candidate in sorted(made)]

    def _next(self, axis: str, waiting: Mapping[Changed, list[int]]) -> Iterator[Candidate]:
        """As many candidates as the axis needs, each for the change that has fewest."""
        expected = {change: self.taken[change] for change in waiting if change[0] == axis}
        for _ in range(self.settings.per_axis - sum(expected.values())):
            left = [change for change in expected if waiting[change]]
            if not left:
                return
            change = min(left, key=lambda one: (expected[one], one))
            expected[change] += 1
            yield waiting[change].pop(), change

    def _tried(self, wanted: Sequence[Candidate]) -> Iterator[tuple[Candidate, PersonPair]]:
        """The pairs of the candidates that work."""
        perturbing = self._perturbing
        in_rows = sorted(wanted)  # each text is analysed once
        for start in range(0, len(in_rows), AT_ONCE):
            part = in_rows[start : start + AT_ONCE]
            if self.settings.engine == RULES:
                perturbing.documents.at_hand(dict.fromkeys(perturbing.text(row) for row, _ in part))
            yield from self._first_that_works(part)
            n_taken = self.taken.total()
            self._progress(n_taken, max(n_taken, self.settings.per_axis * len(self.settings.axes)))

    def _first_that_works(self, part: Sequence[Candidate]) -> Iterator[tuple[Candidate, PersonPair]]:
        """For each candidate the first of its requests whose result is accepted: the first requests of all, then the second ones."""
        waiting = {one: self._requests(one) for one in part}
        while waiting := {one: requests for one, requests in waiting.items() if requests}:
            asked = {one: requests.pop(0) for one, requests in waiting.items()}
            answers = self._perturber.perturb(list(asked.values()))
            for (candidate, request), answer in zip(asked.items(), answers, strict=True):
                tried = judged(request, answer, keep_warned=self._perturbing.settings.keep_warned)
                done = self._judged(candidate, tried)
                if not done.reason:
                    del waiting[candidate]
                    yield candidate, self._pair(candidate, done)

    def _requests(self, candidate: Candidate) -> list[Request]:
        """What is tried for a change, in this order: its words and their places, in random order."""
        row, change = candidate
        options = [one for one in self._perturbing.options(row) if _change(one) == change]
        random = Random(f"{self.settings.seed}:{change}:{self._perturbing.rows.ids[row]}")
        return self._perturbing.requests_for(row, options, random.choice(options), random)

    def _judged(self, candidate: Candidate, done: Try) -> Try:
        """The try with its reason if the pair is there already; counted."""
        texts = done.request.segments, done.perturbed.segments
        if not done.reason and texts in self._texts:
            done = replace(done, reason=REPEATED, why=REPEATED)
        self.tried.check(done.verdicts)
        row, change = candidate
        id_ = self._perturbing.rows.ids[row]
        show = partial(shown_person, self._perturbing, row, done, id=id_, engine=self._engine)
        if done.reason:
            self.failed[change] += 1
            self.tried.refuse(done.why, show)
        else:
            self._texts.add(texts)
            self.tried.accept(self._name(candidate), show, group=change[0])
        return done

    def _name(self, candidate: Candidate) -> str:
        row, (axis, source, target) = candidate
        return f"{self._perturbing.rows.ids[row]}:{axis}:{source}>{target}"

    def _pair(self, candidate: Candidate, done: Try) -> PersonPair:
        before, after = done.request.segments, done.perturbed.segments
        row, rows = candidate[0], self._perturbing.rows
        context = rows.context(row)
        return PersonPair(
            self._name(candidate),
            rows.ids[row],
            rows.label(row),
            *candidate[1],
            done.request.word,
            before[-1],
            after[-1],
            context if len(before) == 1 else before[0],
            context if len(after) == 1 else after[0],
        )

    def axes(self) -> tuple[AxisPairs, ...]:
        """Rows and pairs of each axis."""
        rows = {
            axis: {row for change, some in self.possible.items() if change[0] == axis for row in some}
            for axis in self.settings.axes
        }
        pairs = Counter(axis for axis, _, _ in self.taken.elements())
        return tuple(AxisPairs(axis, len(rows[axis]), pairs[axis]) for axis in self.settings.axes)

    def changes(self) -> tuple[ChangePairs, ...]:
        """Every change that was possible in a row, in the order of axes and attributes."""
        places = {(axis, name): at for axis, names in AXES.items() for at, name in enumerate(names)}
        axes = list(self.settings.axes)

        def order(change: Changed) -> tuple[int, int, int]:
            axis, source, target = change
            return axes.index(axis), places[axis, source], places[axis, target]

        return tuple(
            ChangePairs(*change, len(self.possible[change]), self.taken[change], self.failed[change])
            for change in sorted(self.possible, key=order)
        )


# A model's answers


@with_checked_arguments
def check_pairs(pairs: PairsResult | Iterable[PersonPair] | Path | str, model: object) -> PairsCheck:
    """Ask a model about both texts of every pair, and count the answers that change.

    pairs: the pairs.jsonl of `longway perturb --test-set`, its folder, or what `perturb_pairs` returned.
    model: anything with `predict` or `predict_proba` on a list of texts, a Hugging Face pipeline, a function that takes a list of texts and
    returns a label for each, or the name of a model as in `longway fairness`. A context follows the text after a line break.
    """
    if isinstance(pairs, str | Path):
        given = read_pairs(Path(pairs))
    else:
        given = list(pairs.pairs if isinstance(pairs, PairsResult) else pairs)
    if not given:
        raise DataError("There are no pairs to check. Make some: longway perturb DATA --test-set.")
    (name,) = names_of([model])
    classifier = classifier_of(name)
    if isinstance(classifier, AskedClassifier):
        raise SettingError(
            f"A language model is not asked about pairs. Got {name!r}. Expected a classifier. "
            "Pass a function that calls the language model, or use `longway fairness --fairscore DATA --model served:MODEL`."
        )
    answers = list(map(str, classifier.predict(inputs_of(given))))
    called = model if isinstance(model, str) else getattr(model, "__name__", type(model).__name__)
    return checked(given, answers[: len(given)], answers[len(given) :], model=called)


def checked(
    pairs: Sequence[PersonPair], before: Sequence[str], after: Sequence[str], *, model: str = ""
) -> PairsCheck:
    """The check from the answers to both texts of each pair."""
    changed = [(pair.axis, pair.source, pair.target) for pair in pairs]
    found = fairscore_of(kept(before, after, changed), changed, groups=[pair.id for pair in pairs])

    def share(one: ChangedShare, ids: Iterable[str]) -> PairShare:
        return PairShare(one.rows, len(set(ids)), one.differ, one.score)

    known = {plain_label(pair.label) for pair in pairs}
    is_known = not known.isdisjoint(map(plain_label, [*before, *after]))
    return PairsCheck(
        model=model,
        overall=share(found.overall, [pair.id for pair in pairs]),
        by_axis={
            axis: share(one, [pair.id for pair in pairs if pair.axis == axis])
            for axis, one in found.by_axis.items()
        },
        by_change={
            change: share(one, [pair.id for pair, own in zip(pairs, changed, strict=True) if own == change])
            for change, one in found.by_pair.items()
        },
        flips=tuple(
            Flip(pair, old, new)
            for pair, old, new in zip(pairs, before, after, strict=True)
            if old != new
        ),
        accuracy_before=_accuracy(pairs, before) if is_known else None,
        accuracy_after=_accuracy(pairs, after) if is_known else None,
        pairs=tuple(pairs),
        longway=version("longway"),
    )  # fmt: skip


def _accuracy(pairs: Sequence[PersonPair], answers: Sequence[str]) -> float:
    right = [plain_label(pair.label) == plain_label(one) for pair, one in zip(pairs, answers, strict=True)]
    return 100 * float(np.mean(right))


def _change(option: PossibleChange) -> Changed:
    return option.axis, option.source.name, option.target.name
