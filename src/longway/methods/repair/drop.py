"""Drop: the fewest rows left out such that what is left says little about labels.

drop                   until the leak is at the goal
drop_leftovers         rows that still show what most rows have lost
drop_for_patterns      for patterns that no text is written for: of a grammar, and concepts
shrink                 as many rows as were added
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from longway.methods.method import Round
from longway.methods.repair.balance import Balance, best_drops
from longway.methods.repair.features import N_FEATURES
from longway.methods.repair.remedy import Target
from longway.methods.repair.repair import FEW_LEFT, Repair

MEASURES = 200  # parts of the rows; a leak is measured after some of them were dropped
REST = 0.25  # share of a pattern's rows that still show it, up to which they may be dropped


def drop(repair: Repair, is_reached: Callable[[], bool]) -> Iterator[Round]:
    """Drop rows until the goal is reached, or the most rows are changed, or no removal helps.

    Rows that were added and make the data less balanced go first, whatever the leak: a counterpart must not bring a shortcut of its own.
    The order of the others is computed to its end; the shortest part of it that reaches the goal is found by bisection.
    """
    balance = repair.balance
    n_rows = len(repair.texts) + len(repair.added)
    order = list(best_drops(balance, range(len(repair.rows), len(balance.features)), repair.shares))
    repair.dropped.update(order)
    if not is_reached():
        more = list(_drops(repair))
        order += more[: _fewest(repair, more, max(1, n_rows // MEASURES), is_reached)]
    yield repair.dropped_round(order, n_rows)


def drop_leftovers(repair: Repair, targets: Sequence[Target]) -> Iterator[Round]:
    """Drop rows that still show a pattern which was taken out of most rows, until it is balanced: no remedy reached them.

    Of fewer than five rows all are dropped: what only they have would point at them. A pattern that most rows keep is left alone: that
    would cost too many rows.
    """
    balance = repair.balance
    n_shown, order = 0, list[int]()
    for target in (*targets, *repair.aside_targets):
        shown = repair.shown(target)
        if not 0 < len(shown) <= REST * repair.shown_at_first(target, shown):
            continue
        n_shown += len(shown)
        by_label: dict[int, list[int]] = {}
        for row in sorted(shown.numbers(), key=lambda row: (-repair.telling_of(row), row)):
            by_label.setdefault(int(repair.rows.labels[row]), []).append(row)
        while repair.room > 0 and (shown.gain(balance.totals) > balance.bound or 0 < len(shown) < FEW_LEFT):
            left = [rows for rows in by_label.values() if rows]
            best = min(left, key=lambda rows: shown.gain(balance.totals, row=rows[-1])).pop()
            shown.set(best, False)
            repair.dropped.add(best)
            balance.drop(best)
            order.append(best)
    if order:
        yield repair.dropped_round(order, n_shown)


def drop_for_patterns(repair: Repair) -> Iterator[Round]:
    """Drop the fewest rows such that the patterns of a grammar and concepts say little about labels, or as many as may be dropped.

    No text is written for such patterns: they are about how a text is built, or what it is about. The labels keep their shares.
    """
    if not repair.balanced:
        return
    balance = repair.balance
    rows = repair.kept
    features = [balance.features[row] for row in rows]
    own = [numbers[numbers >= N_FEATURES] - N_FEATURES for numbers in features]
    labels, parsed = [balance.labels[row] for row in rows], repair.parsed - N_FEATURES
    apart = Balance(own, labels, balance.counts.shape[1] - N_FEATURES, parsed=parsed)
    order: list[int] = []
    strictly = best_drops(apart, range(len(rows)), repair.shares)
    left = (number for number in range(len(rows)) if rows[number] not in repair.dropped)
    for number in chain(strictly, best_drops(apart, left, repair.shares, strict=False)):
        row = rows[number]
        if row < len(repair.rows) and repair.room <= 0:
            break
        repair.dropped.add(row)
        balance.drop(row)
        order.append(row)
        if not apart.excess():
            break
    if order:
        yield repair.dropped_round(order, sum(bool((numbers != parsed).any()) for numbers in own))


def shrink(repair: Repair) -> Iterator[Round]:
    """Drop as many rows as were added, so that the dataset keeps its size."""
    order = list(_drops(repair, size=len(repair.rows)))
    repair.dropped.update(order)
    yield repair.dropped_round(order, len(repair.texts) + len(repair.added))


def _drops(repair: Repair, *, size: int | None = None) -> Iterator[int]:
    """Rows to drop, best first; rows that were added as well, and of the others as many as may change."""
    balance, n, room = repair.balance, len(repair.rows), repair.room
    left = repair.kept
    taken: set[int] = set()
    order = best_drops(balance, left, repair.shares, size=size)
    if size is None and not repair.rows.task.is_pair:
        # A length that rows of one label have ends the strict order soon.
        rest = (row for row in left if row not in taken)
        order = chain(order, best_drops(balance, rest, repair.shares, strict=False))
    for row in order:
        if row < n and room <= 0:
            balance.drop(row, times=-1)
            break
        room -= row < n
        taken.add(row)
        yield row
    else:
        return
    added = [row for row in left if row >= n and row not in taken]
    yield from best_drops(balance, added, repair.shares, size=size)


def _fewest(repair: Repair, order: Sequence[int], step: int, is_enough: Callable[[], bool]) -> int:
    """How many of these rows, in this order, must be dropped; all if that is not enough either."""
    kept = frozenset(repair.dropped)
    ends = [*range(step, len(order), step), len(order)]

    def reaches(end: int) -> bool:
        repair.dropped = {*kept, *order[:end]}
        return is_enough()

    n = ends[bisect_left(ends, True, hi=len(ends) - 1, key=reaches)]
    repair.dropped = {*kept, *order[:n]}
    for row in order[n:]:
        repair.balance.drop(row, times=-1)
    return n
