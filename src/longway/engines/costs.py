"""Prices of served models, and a hard budget.

    price_of("gpt-4o-mini", base_url=...)     dollars per million tokens; None if unknown
    ledger_of(journal, budget)                reserves and settles the cost of each call

Prices come from `prices.toml` in this folder; the user's own table (`LONGWAY_PRICES`, or `~/.config/longway/prices.toml`) takes precedence.
"gpt-4o" is the price of gpt-4o and its dated versions (gpt-4o-2024-08-06), but not of gpt-4o-mini; "my-*" matches every model with
that prefix. A model that is not in a table has no price: its cost is None, never 0. Servers on this machine are free.

A request is sent only if the money spent, the most that all running requests can cost, and the most that it can cost itself are
within the budget together. A call that needs another request (a retry, a repair) reserves it when it is needed, so that a small budget is not
blocked by what rarely happens. So the budget holds in whatever order the answers come, unless a server exceeds the limits it was
given; then it is exceeded by no more than the running calls cost beyond their reservation.
"""

from __future__ import annotations

import asyncio
import math
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from longway.errors import SettingError
from longway.store.journal import Journal


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens, read and written."""

    input: float
    output: float

    def of(self, prompt_tokens: float, completion_tokens: float) -> float:
        """The cost of so many tokens, in dollars.

        >>> Price(0.15, 0.60).of(1_000_000, 500_000)
        0.45
        """
        return (prompt_tokens * self.input + completion_tokens * self.output) / 1_000_000


FREE = Price(0.0, 0.0)


def price_of(model: str, *, base_url: str) -> Price | None:
    """The price of a model; None if it is in no table."""
    own = _own_table()
    if own is not None and (
        price := _best_match(_read_table(own.read_text(encoding="utf-8"), str(own)), model)
    ):
        return price
    if is_local(base_url):
        return FREE
    ours = files("longway.engines").joinpath("prices.toml").read_text(encoding="utf-8")
    return _best_match(_read_table(ours, "prices.toml"), model)


def is_local(base_url: str) -> bool:
    """Whether a server is on this machine.

    >>> is_local("http://127.0.0.1:8000/v1"), is_local("https://api.openai.com/v1")
    (True, False)
    """
    host = (urlsplit(base_url).hostname or "").rstrip(".")
    if host in ("localhost", "::1", "0.0.0.0") or host.endswith(".localhost"):
        return True
    parts = host.split(".")  # 127.0.0.1.example.org is another machine
    return len(parts) == 4 and all(part.isdigit() for part in parts) and parts[0] == "127"


def _own_table() -> Path | None:
    named = os.environ.get("LONGWAY_PRICES")
    if named:
        path = Path(named).expanduser()
        if not path.is_file():
            raise SettingError(
                f"LONGWAY_PRICES names the price table {path}, which does not exist. Expected a TOML file with a [models] section. "
                "Correct the path, or unset LONGWAY_PRICES."
            )
        return path
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser()
    path = folder / "longway" / "prices.toml"
    return path if path.is_file() else None


def _read_table(text: str, source: str) -> dict[str, Price]:
    try:
        models = tomllib.loads(text)["models"]
        prices = {
            name: Price(float(price["input"]), float(price["output"])) for name, price in models.items()
        }
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise SettingError(
            f"The price table {source} cannot be read: {error}. Expected lines such as "
            '"my-model" = { input = 0.15, output = 0.60 } under [models]. Correct it, or remove it.'
        ) from None
    for name, price in prices.items():
        if not (0 <= price.input < math.inf and 0 <= price.output < math.inf):
            raise SettingError(
                f"The price of {name!r} in {source} must be a number, 0 or more. Got {price.input} and {price.output}. "
                "Correct this line."
            )
    return prices


def _best_match(prices: Mapping[str, Price], model: str) -> Price | None:
    matches = [name for name in prices if _matches(name, model)]
    return prices[max(matches, key=len)] if matches else None


def _matches(name: str, model: str) -> bool:
    # Larger models of a family share the prefix and cost more, so a prefix alone is not enough.
    if name.endswith("*"):
        return model.startswith(name[:-1])
    return re.fullmatch(re.escape(name) + r"(-\d{4}.*|-latest)?", model) is not None


class Ledger:
    """Reserves the most a request can cost before it is sent, and settles a call at its actual cost. Used in one event loop.

    budget: in dollars; None for no limit. spent: before the first call. held: kept for later calls that must follow; at least `kept`.
    """

    def __init__(self, budget: float | None, spent: float) -> None:
        self.budget, self.spent = budget, spent
        self.reserved = self.held = self.kept = 0.0
        self.running = self.waiting = 0
        self._changed = asyncio.Event()

    def fits(self, most: float, held: float = 0.0) -> bool:
        """Whether a call that costs at most so much cannot exceed the budget, whatever the others cost. held: kept because of it."""
        kept = max(self.held + held, self.kept)
        return self.budget is None or self.spent + kept + self.reserved + most <= self.budget

    async def reserve(self, most: float, held: float = 0.0) -> bool:
        """Reserve a call, waiting for others to be settled if necessary; False if it can no longer fit. held: as in `Ledger`."""
        while not self.fits(most, held):
            if self.running == 0:
                return False
            self._changed.clear()
            await self._changed.wait()
        self.reserved += most
        self.held += held
        self.running += 1
        return True

    async def extend(self, more: float) -> bool:
        """Reserve more for a running call, waiting for others; False if all running calls would wait for one another."""
        while not self.fits(more):
            if self.waiting + 1 >= self.running:
                return False
            self.waiting += 1
            self._changed.clear()
            try:
                await self._changed.wait()
            finally:
                self.waiting -= 1
        self.reserved += more
        return True

    def settle(self, most: float, cost: float) -> None:
        """Replace the reservation of a call by its cost."""
        self.running -= 1
        # Without running calls nothing is reserved: float sums would leave a remainder.
        self.reserved = self.reserved - most if self.running else 0.0
        self.spent += cost
        self._changed.set()


@dataclass(slots=True)
class Call:
    """A call that is running: what it has reserved of a ledger, what it has used of that, and its key in the journal."""

    ledger: Ledger
    amount: float
    key: str = ""
    used: float = 0.0

    async def covers(self, most: float) -> bool:
        """Whether another request that costs at most so much may be sent; reserves what is missing."""
        missing = self.used + most - self.amount
        if missing <= 0:
            return True
        if not await self.ledger.extend(missing):
            return False
        self.amount += missing
        return True


_ledgers: WeakKeyDictionary[Journal, tuple[Ledger, int]] = WeakKeyDictionary()


@contextmanager
def ledger_of(journal: Journal, budget: float | None) -> Iterator[Ledger]:
    """The ledger of a journal, shared by all who use it at the same time; the smallest of their budgets holds.

    Enter and leave it in the loop in which the calls are made.
    """
    ledger, users = _ledgers.get(journal) or (Ledger(budget, journal.spent()), 0)
    budgets = [limit for limit in (ledger.budget, budget) if limit is not None]
    ledger.budget = min(budgets, default=None)
    _ledgers[journal] = ledger, users + 1
    try:
        yield ledger
    finally:
        ledger, users = _ledgers.pop(journal)
        if users > 1:
            _ledgers[journal] = ledger, users - 1
