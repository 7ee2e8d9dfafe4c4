"""What a proof with candidates measures: from the answers of the rankers to figures, comparisons, reliance on cues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from longway.detect.choices.patterns import Candidates
from longway.detect.choices.ranker import Sets
from longway.jobs.choices.prove.parts import ALL, REVERSED, SUPPORTING, Bools, Cue, Floats, Ints, sides
from longway.jobs.choices.prove.result import AFTER, BEFORE, CueGroup, GapChange
from longway.jobs.prove.result import ACCURACY, Comparison, Figure, GroupSide
from longway.jobs.prove.settings import PLAIN
from longway.metrics.group_accuracy import group_accuracies
from longway.metrics.intervals import accuracy_estimate, bootstrap
from longway.metrics.paired import Paired, adjust, paired


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
        self.correct, self.tests = correct, tests

    def figures(self) -> Iterator[Figure]:
        """The accuracy of each version and model on each part."""
        for (data, model, name), given in self.correct.items():
            test = self._named(name)
            for kind, part in test.parts.items():
                found = accuracy_estimate(given[:, part], clusters=test.clusters(part))
                place = (data, model, PLAIN, part_name(name, kind), ACCURACY)
                yield Figure(*place, found.mean, _known(found.std), found.low, found.high, found.seeds)

    def comparisons(self, changed: str, against: str) -> Iterator[Comparison]:
        """A changed version against another one on every part, with one q over all of them."""
        keys = [
            (model, test, kind, part)
            for (data, model, name) in self.correct
            if data == changed and (against, model, name) in self.correct
            for test in [self._named(name)]
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
            yield Comparison(
                changed, model, PLAIN, part_name(test.name, kind), ACCURACY, against, one.difference, one.low, one.high, one.p, one.q,
                one.verdict, _known(one.seed_error), None, one.before, one.after,
            )  # fmt: skip

    def cue_groups(self) -> Iterator[CueGroup]:
        """The accuracy of each version and model where a cue supports the right candidate, and where it does not."""
        for (data, model, name), given in self.correct.items():
            test = self._named(name)
            for cue in test.cues:
                parts = dict(zip(("supporting", "against"), sides(cue.has, test.sets), strict=True))
                if all(part.any() for part in parts.values()):
                    both = [_side(given, part, group, test) for group, part in parts.items()]
                    yield CueGroup(data, model, name, cue.name, cue.family, *both)

    def gaps(self) -> Iterator[GapChange]:
        """How much less each model relies on the cues, trained on `after` instead of `before`."""
        for test in self.tests:
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

    def _named(self, name: str) -> TestSet:
        return next(one for one in self.tests if one.name == name)


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


def _known(value: float) -> float | None:
    return None if isnan(value) else value
