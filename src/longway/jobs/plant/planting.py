"""From clean rows to rows with known shortcuts, planted on purpose so that the truth is known.

    rows, plants  ->  which rows get which plant, drawn with the seed  ->  rows with new texts, and the truth

Ids, labels, contexts and the order of rows stay. A row may get several plants, but none that would destroy another.
Rows that show the pattern already are left alone and counted in the truth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random

import numpy as np

from longway.errors import SettingError
from longway.jobs.plant.kinds import KINDS, Bools, Tokens, tokens_of, usual_length, words_of
from longway.records import Example


@dataclass(frozen=True, slots=True)
class Plant:
    """A shortcut to plant.

    kind: one of `KINDS`. label: what it predicts. strength: the label's share among the rows that get it. rate: the share of all rows that
    get it. value: what is inserted (see `kinds.py`); "" for a default that is rare in the data.
    """

    kind: str
    label: str
    strength: float = 0.95
    rate: float = 0.3
    value: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise SettingError(
                f"There is no kind of shortcut called {self.kind!r}. The kinds are {', '.join(KINDS)}. Choose one of them."
            )
        kind = KINDS[self.kind]
        for name, number, usual in (("strength", self.strength, 0.95), ("rate", self.rate, 0.3)):
            if not 0 < number <= 1:
                raise SettingError(
                    f"'{name}' must be above 0 and at most 1. Got {number!r} for {self.kind!r}. A usual value is {usual}."
                )
        if self.value and not kind.accepts(self.value):
            example = repr(kind.values[0]) if kind.values else "40"
            raise SettingError(
                f"The value {self.value!r} cannot be planted as {self.kind!r}: {kind.rule}. Use another, for example {example}."
            )


@dataclass(frozen=True, slots=True)
class PlantTruth:
    """What was done with one plant.

    ids: the rows that got it. planted, shown: by label, the rows that got it and all rows that show it.
    words: what it may add to a text; new_words: those of them that no text had before.
    """

    plant: Plant
    ids: tuple[str, ...]
    planted: Mapping[str, int]
    shown: Mapping[str, int]
    words: tuple[str, ...]
    new_words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Planted:
    """Rows with planted shortcuts, and the truth about each plant."""

    rows: list[Example]
    truth: tuple[PlantTruth, ...]

    @property
    def plants(self) -> list[Plant]:
        """The plants with their values, for the test sets."""
        return [truth.plant for truth in self.truth]


def plant(rows: Sequence[Example], plants: Sequence[Plant], *, seed: int = 0) -> Planted:
    """The rows with the plants, each tied to its label with its strength.

    >>> rows = [Example(str(i), f"seat {i} creaks in rain", "ab"[i % 2]) for i in range(40)]
    >>> planted = plant(rows, [Plant("word", label="a", strength=0.9, rate=0.5)])
    >>> planted.truth[0].planted, planted.rows[0].text
    ({'a': 18, 'b': 2}, 'seat 0 creaks incidentally in rain')
    """
    with_values = [_with_value(one, rows) for one in plants]
    shares = [one.strength for one in with_values]
    return _put(rows, with_values, shares, seed=seed, where="the training rows")


def reversed_test(rows: Sequence[Example], plants: Sequence[Plant], *, seed: int = 0) -> Planted:
    """Test rows with the plants tied to the other labels. plants: `Planted.plants` of the training rows."""
    shares = [1 - one.strength for one in plants]
    return _put(rows, plants, shares, seed=seed, where="the reversed test rows")


def neutral_test(rows: Sequence[Example], plants: Sequence[Plant], *, seed: int = 0) -> Planted:
    """Test rows with the plants independent of the label. plants: as for `reversed_test`."""
    labels = Counter(row.label for row in rows)
    shares = [labels[one.label] / max(len(rows), 1) for one in plants]
    return _put(rows, plants, shares, seed=seed, where="the neutral test rows")


def showing(one: Plant, rows: Sequence[Example]) -> Bools:
    """Which rows show the plant's pattern, planted or not."""
    texts, contexts = tokens_of([row.text for row in rows]), tokens_of([row.context for row in rows])
    pairs = zip(texts, contexts, strict=True)
    return np.array([KINDS[one.kind].shows(text, context, one.value) for text, context in pairs], dtype=bool)


def _with_value(one: Plant, rows: Sequence[Example]) -> Plant:
    """The plant with a value: the first of the default ones that the fewest rows show."""
    if one.value:
        return one
    if one.kind == "length":
        return replace(one, value=usual_length([len(words_of(t)) for t in tokens_of([r.text for r in rows])]))
    tried = [replace(one, value=value) for value in KINDS[one.kind].values]
    return min(tried, key=lambda each: int(showing(each, rows).sum()))


def _put(
    rows: Sequence[Example], plants: Sequence[Plant], shares: Sequence[float], *, seed: int, where: str
) -> Planted:
    _check(rows, plants, seed)
    texts = [row.text for row in rows]
    carried: list[list[Plant]] = [[] for _ in rows]
    for i in sorted(range(len(plants)), key=lambda i: KINDS[plants[i].kind].order):
        current = [replace(row, text=text) for row, text in zip(rows, texts, strict=True)]
        for place, text in _Planting(plants[i], current, carried, seed=[seed, i]).draw(shares[i], where):
            texts[place] = text
            carried[place].append(plants[i])
    result = [replace(row, text=text) for row, text in zip(rows, texts, strict=True)]
    seen = set().union(*tokens_of([row.text for row in rows]))
    truth = []
    for one in plants:
        own = [row for row, its_plants in zip(result, carried, strict=True) if one in its_plants]
        truth.append(_truth(one, result, own, seen))
    return Planted(result, tuple(truth))


def _check(rows: Sequence[Example], plants: Sequence[Plant], seed: int) -> None:
    labels = sorted({row.label for row in rows})
    if not plants:
        raise SettingError("There is nothing to plant. Expected at least one plant, for example a word.")
    if not 0 <= seed < 2**32:
        raise SettingError(f"'seed' must be from 0 to 4294967295. Got {seed}.")
    if len(labels) < 2:
        got = f"only {labels[0]!r}" if labels else "no row at all"
        raise SettingError(
            f"Planting needs rows with at least two labels. Got {got}. Check the label column."
        )
    for i, one in enumerate(plants):
        if one.label not in labels:
            known = ", ".join(map(repr, labels[:20]))
            raise SettingError(
                f"No row has the label {one.label!r}. The labels are {known}. Choose one of them."
            )
        if KINDS[one.kind].needs_context and not any(row.context for row in rows):
            raise SettingError(
                f"{one.kind!r} repeats words of the context, but the rows have none. Name its column, or plant another kind."
            )
        if any((one.kind, one.value) == (other.kind, other.value) for other in plants[:i]):
            raise SettingError(
                f"{one.kind!r} would be planted twice with the same value, {one.value!r}. Use different values."
            )


class _Planting:
    """Puts one plant into rows. carried: the plants that each row has already."""

    def __init__(
        self, one: Plant, rows: Sequence[Example], carried: Sequence[Sequence[Plant]], *, seed: list[int]
    ) -> None:
        self.plant, self.rows, self.carried, self.seed = one, rows, carried, seed
        self.contexts = tokens_of([row.context for row in rows])
        self.shows = showing(one, rows)

    def draw(self, share: float, where: str) -> list[tuple[int, str]]:
        """The places of the rows that get the plant, with their new texts; SettingError if there are too few."""
        n = round(self.plant.rate * len(self.rows))
        n_own = round(share * n)
        order = [i for i in np.random.default_rng(self.seed).permutation(len(self.rows)) if not self.shows[i]]
        is_own = [row.label == self.plant.label for row in self.rows]
        own = self._first(n_own, (i for i in order if is_own[i]))
        others = self._first(n - n_own, (i for i in order if not is_own[i]))
        if n == 0 or len(own) < n_own or len(others) < n - n_own:
            raise self._too_few(share, n, n_own, len(own), len(others), where)
        return [*own, *others]

    def _first(self, n: int, places: Iterator[int]) -> list[tuple[int, str]]:
        """The first n places whose rows can get the plant, with their new texts; fewer if there are no more."""
        found: list[tuple[int, str]] = []
        while len(found) < n and (some := list(islice(places, n - len(found)))):
            texts = [self._text(self.rows[place]) for place in some]
            made = zip(some, texts, tokens_of(texts), strict=True)
            found += [(place, text) for place, text, tokens in made if self._is_whole(place, tokens)]
        return found

    def _text(self, row: Example) -> str:
        put, random = KINDS[self.plant.kind].put, Random(f"{self.seed} {row.id}")
        return put(row.text, row.context or "", self.plant.value, random)

    def _is_whole(self, place: int, tokens: Tokens) -> bool:
        """Whether a text shows this plant and those that the row has already."""
        context = self.contexts[place]
        plants = (*self.carried[place], self.plant)
        return all(KINDS[one.kind].shows(tokens, context, one.value) for one in plants)

    def _too_few(self, share: float, n: int, n_own: int, own: int, others: int, where: str) -> SettingError:
        name = f"The plant {self.plant.kind!r} ({self.plant.value!r}) for {self.plant.label!r}"
        if n == 0:
            return SettingError(
                f"{name} would be in none of {len(self.rows)} rows of {where}: its rate is {self.plant.rate:g}. "
                "Raise the rate, or use more rows."
            )
        limits = [n]
        limits += [int(own / share)] if own < n_own else []
        limits += [int(others / (1 - share))] if others < n - n_own else []
        possible = int(min(limits) / len(self.rows) * 1000) / 1000
        next_step = f"Lower the rate to {possible:g}" if possible else "Use more rows"
        return SettingError(
            f"{name} cannot be in {self.plant.rate:.0%} of {where}: that needs {n_own} rows with the label and {n - n_own} with another, "
            f"and {own} and {others} are available. {next_step}, or choose another strength, label or value."
        )


def _truth(one: Plant, rows: Sequence[Example], own: Sequence[Example], seen: set[str]) -> PlantTruth:
    words = tuple(dict.fromkeys(KINDS[one.kind].words(one.value)))
    labels = sorted({row.label for row in rows})
    planted = Counter(row.label for row in own)
    shown = Counter(row.label for row, shows in zip(rows, showing(one, rows), strict=True) if shows)
    return PlantTruth(
        plant=one,
        ids=tuple(row.id for row in own),
        planted={label: planted[label] for label in labels},
        shown={label: shown[label] for label in labels},
        words=words,
        new_words=tuple(word for word in words if word not in seen),
    )
