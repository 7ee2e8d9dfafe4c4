"""From clean rows to rows with known shortcuts in them.

    rows, plants  ->  which rows carry which plant, drawn by the seed  ->  rows with new texts, and the truth

Ids, labels, contexts and the order of the rows stay. A row may carry several plants, but none that would break another.
What shows the pattern already is left alone and counted in the truth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from random import Random

import numpy as np

from longway.errors import SettingError
from longway.jobs.plant.kinds import KINDS, Kind, usual_length
from longway.jobs.plant.patterns import Bools, Tokens, tokens_of, words_of
from longway.jobs.plant.plants import Plant, Planted, PlantTruth
from longway.records import Example


def plant(rows: Sequence[Example], plants: Sequence[Plant], *, seed: int = 0) -> Planted:
    """The rows with the plants in place, each tied to its label as strongly as it asks for.

    >>> rows = [Example(str(i), f"seat {i} creaks in rain", "ab"[i % 2]) for i in range(40)]
    >>> planted = plant(rows, [Plant("word", label="a", strength=0.9, rate=0.5)])
    >>> planted.truth[0].planted, planted.rows[0].text
    ({'a': 18, 'b': 2}, 'seat 0 creaks incidentally in rain')
    """
    settled = [_settled(one, rows) for one in plants]
    return _put(rows, settled, [one.strength for one in settled], seed=seed, where="the training rows")


def reversed_test(rows: Sequence[Example], plants: Sequence[Plant], *, seed: int = 0) -> Planted:
    """Test rows with the plants tied to the other labels, as strongly as they were tied to their own.

    plants: `Planted.plants` of the training rows.
    """
    shares = [1 - one.strength for one in plants]
    return _put(rows, plants, shares, seed=seed, where="the reversed test rows")


def neutral_test(rows: Sequence[Example], plants: Sequence[Plant], *, seed: int = 0) -> Planted:
    """Test rows with the plants in all labels alike: they say nothing there. plants: as for `reversed_test`."""
    labels = Counter(row.label for row in rows)
    shares = [labels[one.label] / max(len(rows), 1) for one in plants]
    return _put(rows, plants, shares, seed=seed, where="the neutral test rows")


def showing(one: Plant, rows: Sequence[Example]) -> Bools:
    """Which rows show the plant's pattern, planted or not."""
    kind = KINDS[one.kind]
    texts, contexts = tokens_of([row.text for row in rows]), tokens_of([row.context for row in rows])
    found = [kind.shows(text, context, one.value) for text, context in zip(texts, contexts, strict=True)]
    return np.array(found, dtype=bool)


def _settled(one: Plant, rows: Sequence[Example]) -> Plant:
    """The plant with a value: of the usual ones the first that the fewest rows show."""
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
    places: dict[int, list[int]] = {}
    for i in sorted(range(len(plants)), key=lambda i: KINDS[plants[i].kind].order):
        current = [replace(row, text=text) for row, text in zip(rows, texts, strict=True)]
        planting = _Planting(plants[i], current, carried, seed=[seed, i])
        for place, text in planting.draw(shares[i], where):
            texts[place] = text
            carried[place].append(plants[i])
        places[i] = sorted(p for p, plants_here in enumerate(carried) if plants[i] in plants_here)
    result = [replace(row, text=text) for row, text in zip(rows, texts, strict=True)]
    seen = set().union(*tokens_of([row.text for row in rows]))
    truth = tuple(_truth(one, result, places[i], seen) for i, one in enumerate(plants))
    return Planted(result, truth)


def _check(rows: Sequence[Example], plants: Sequence[Plant], seed: int) -> None:
    labels = sorted({row.label for row in rows})
    if not plants:
        raise SettingError(
            "Nothing was asked for. At least one plant is needed. Add one, say of the kind 'word'."
        )
    if not 0 <= seed < 2**32:
        raise SettingError(f"'seed' must be from 0 to 4294967295. Got {seed}.")
    if len(labels) < 2:
        had = f"only {labels[0]!r}" if labels else "no row at all"
        raise SettingError(
            f"A plant gives a label away, and there must be another to tell it from. Got {had}. Check the label column."
        )
    for i, one in enumerate(plants):
        if one.label not in labels:
            known = ", ".join(map(repr, labels[:20]))
            raise SettingError(
                f"No row has the label {one.label!r}. The labels are {known}. Choose one of them."
            )
        if KINDS[one.kind].needs_context and not any(row.context for row in rows):
            raise SettingError(
                f"{one.kind!r} repeats words of a context, and the rows have none. Name its column, or plant another kind."
            )
        if any((one.kind, one.value) == (other.kind, other.value) for other in plants[:i]):
            raise SettingError(
                f"{one.kind!r} is to be planted twice with the same value, {one.value!r}. Give one of them another value."
            )


class _Planting:
    """One plant on its way into the rows."""

    def __init__(
        self, one: Plant, rows: Sequence[Example], carried: Sequence[Sequence[Plant]], *, seed: list[int]
    ) -> None:
        self.plant, self.rows, self.carried, self.seed = one, rows, carried, seed
        self.contexts = tokens_of([row.context for row in rows])
        self.shows = showing(one, rows)

    def draw(self, share: float, where: str) -> Iterator[tuple[int, str]]:
        """The places of the rows that take the plant, with their new texts; SettingError where they are too few."""
        n = round(self.plant.rate * len(self.rows))
        own = round(share * n)
        order = [i for i in np.random.default_rng(self.seed).permutation(len(self.rows)) if not self.shows[i]]
        is_own = [row.label == self.plant.label for row in self.rows]
        mine = self._first(own, (i for i in order if is_own[i]))
        others = self._first(n - own, (i for i in order if not is_own[i]))
        if n == 0 or len(mine) < own or len(others) < n - own:
            raise self._too_few(share, n, own, len(mine), len(others), where)
        yield from mine
        yield from others

    def _first(self, n: int, places: Iterator[int]) -> list[tuple[int, str]]:
        """The first n places whose rows can take the plant, with their new texts; as many as there are."""
        found: list[tuple[int, str]] = []
        while len(found) < n and (some := list(islice(places, n - len(found)))):
            texts = [self._text(self.rows[place]) for place in some]
            tokens = tokens_of(texts)
            found += [
                (place, text)
                for place, text, its_tokens in zip(some, texts, tokens, strict=True)
                if self._is_whole(place, its_tokens)
            ]
        return found

    def _text(self, row: Example) -> str:
        put, draw = KINDS[self.plant.kind].put, Random(f"{self.seed} {row.id}")
        return put(row.text, row.context or "", self.plant.value, draw)

    def _is_whole(self, place: int, tokens: Tokens) -> bool:
        """Whether a text shows the plant and all that the row carried before."""
        context = self.contexts[place]
        plants = (*self.carried[place], self.plant)
        return all(KINDS[one.kind].shows(tokens, context, one.value) for one in plants)

    def _too_few(self, share: float, n: int, own: int, mine: int, others: int, where: str) -> SettingError:
        name = f"The plant {self.plant.kind!r} ({self.plant.value!r}) for {self.plant.label!r}"
        if n == 0:
            return SettingError(
                f"{name} would be in none of {len(self.rows)} rows of {where}: its rate is {self.plant.rate:g}. "
                "Raise the rate, or give more rows."
            )
        limits = [n]
        if mine < own:
            limits.append(int(mine / share))
        if others < n - own:
            limits.append(int(others / (1 - share)))
        possible = int(min(limits) / len(self.rows) * 1000) / 1000
        next_step = f"Lower the rate to {possible:g}" if possible else "Give more rows"
        return SettingError(
            f"{name} cannot be in {self.plant.rate:.0%} of {where}: {own} with the label and {n - own} with another are needed, "
            f"{mine} and {others} were to be had. {next_step}, or choose another strength, label or value."
        )


def _truth(one: Plant, rows: Sequence[Example], places: Sequence[int], seen: set[str]) -> PlantTruth:
    kind: Kind = KINDS[one.kind]
    words = tuple(dict.fromkeys(kind.words(one.value)))
    labels = sorted({row.label for row in rows})
    planted = Counter(rows[i].label for i in places)
    shown = Counter(row.label for row, shows in zip(rows, showing(one, rows), strict=True) if shows)
    return PlantTruth(
        plant=one,
        ids=tuple(rows[i].id for i in places),
        planted={label: planted[label] for label in labels},
        shown={label: shown[label] for label in labels},
        words=words,
        new_words=tuple(word for word in words if word not in seen),
    )
