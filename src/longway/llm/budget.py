"""A hard budget: what was spent, what calls under way may cost at most, and whether one more fits."""

from __future__ import annotations

import asyncio


class Ledger:
    """Money in dollars. A call is reserved at the most it can cost before it is sent, and settled at what it did cost.

    budget: None for no limit. spent: before the first call.
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
