"""A hard budget: what was spent, what calls under way may cost at most, and whether one more fits.

A call is sent only if what was spent, what all calls under way can cost and what it can cost itself are within the budget together.
So the budget holds, whatever is answered in whatever order, as long as no call costs more than it was reserved at; and if calls do
(a server that keeps to no limit), by no more than what those under way cost beyond that: the next one sees it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from longway.store.journal import Journal


class Ledger:
    """Money in dollars. A call is reserved at the most it can cost before it is sent, and settled at what it did cost.

    budget: None for no limit. spent: before the first call. All of it happens in one event loop.
    """

    def __init__(self, budget: float | None, spent: float) -> None:
        self.budget, self.spent = budget, spent
        self.reserved = 0.0
        self.under_way = 0
        self._changed = asyncio.Event()

    def fits(self, most: float) -> bool:
        """Whether a call that costs so much at most cannot break the budget, whatever the others cost."""
        return self.budget is None or self.spent + self.reserved + most <= self.budget

    async def reserve(self, most: float) -> bool:
        """Reserve a call, waiting for others to be settled where needed; False where it cannot fit any more."""
        while not self.fits(most):
            if self.under_way == 0:
                return False
            self._changed.clear()
            await self._changed.wait()
        self.reserved += most
        self.under_way += 1
        return True

    def settle(self, most: float, cost: float) -> None:
        """Say what a reserved call did cost."""
        self.under_way -= 1
        # Nothing under way is nothing reserved: sums of floats would leave a crumb.
        self.reserved = self.reserved - most if self.under_way else 0.0
        self.spent += cost
        self._changed.set()


_open: WeakKeyDictionary[Journal, tuple[Ledger, int]] = WeakKeyDictionary()


@contextmanager
def ledger_of(journal: Journal, budget: float | None) -> Iterator[Ledger]:
    """The ledger of a journal: one for all who ask at the same time, so that each sees what the others reserve.

    The smallest budget of those who ask together holds for all. Enter and leave it in the loop that the calls are made in.
    """
    ledger, users = _open.get(journal) or (Ledger(budget, journal.spent()), 0)
    budgets = [one for one in (ledger.budget, budget) if one is not None]
    ledger.budget = min(budgets, default=None)
    _open[journal] = ledger, users + 1
    try:
        yield ledger
    finally:
        ledger, users = _open.pop(journal)
        if users > 1:
            _open[journal] = ledger, users - 1
