"""What a served model costs: a small table that anyone can edit.

The table is `prices.toml` beside this file; the user's own (`LONGWAY_PRICES`, or `~/.config/longway/prices.toml`) goes first.
"gpt-4o" is the price of gpt-4o and of its dated versions (gpt-4o-2024-08-06), not of gpt-4o-mini; "my-*" is that of every
model whose name begins so. A model that is in no table has no price: its cost is None, never 0. Servers on this machine are free.
"""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from longway.errors import SettingError


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens, read and written."""

    input: float
    output: float

    def of(self, prompt_tokens: float, completion_tokens: float) -> float:
        """What so many tokens cost, in dollars.

        >>> Price(0.15, 0.60).of(1_000_000, 500_000)
        0.45
        """
        return (prompt_tokens * self.input + completion_tokens * self.output) / 1_000_000


FREE = Price(0.0, 0.0)


def price_of(model: str, *, base_url: str) -> Price | None:
    """The price of a model; None where no table knows it."""
    own = _own_path()
    if own is not None and (found := _longest(_read(own.read_text(encoding="utf-8"), str(own)), model)):
        return found
    if is_local(base_url):
        return FREE
    ours = files("longway.llm").joinpath("prices.toml").read_text(encoding="utf-8")
    return _longest(_read(ours, "prices.toml"), model)


def is_local(base_url: str) -> bool:
    """Whether a server is on this machine.

    >>> is_local("http://127.0.0.1:8000/v1"), is_local("https://api.openai.com/v1")
    (True, False)
    """
    host = (urlsplit(base_url).hostname or "").rstrip(".")
    return host in ("localhost", "::1", "0.0.0.0") or host.endswith(".localhost") or _is_loopback(host)


def _is_loopback(host: str) -> bool:
    # By its digits, not by its beginning: 127.0.0.1.example.org is somewhere else.
    parts = host.split(".")
    return len(parts) == 4 and all(part.isdigit() for part in parts) and parts[0] == "127"


def _own_path() -> Path | None:
    named = os.environ.get("LONGWAY_PRICES")
    if named:
        path = Path(named).expanduser()
        if not path.is_file():
            raise SettingError(
                f"The price table {path} named in LONGWAY_PRICES is not there. Expected a TOML file with a [models] part. "
                "Mend the path, or unset LONGWAY_PRICES."
            )
        return path
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser()
    path = folder / "longway" / "prices.toml"
    return path if path.is_file() else None


def _read(text: str, where: str) -> dict[str, Price]:
    try:
        models: Mapping[str, Any] = tomllib.loads(text)["models"]
        prices = {
            name: Price(float(price["input"]), float(price["output"])) for name, price in models.items()
        }
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise SettingError(
            f"The price table {where} cannot be read: {error}. Expected lines such as "
            '"my-model" = { input = 0.15, output = 0.60 } under [models]. Mend it, or remove it.'
        ) from None
    for name, price in prices.items():
        if not (0 <= price.input < math.inf and 0 <= price.output < math.inf):
            raise SettingError(
                f"The price of {name!r} in {where} must be a number from 0 on. Got {price.input} and {price.output}. Mend the line."
            )
    return prices


def _longest(prices: Mapping[str, Price], model: str) -> Price | None:
    fitting = [name for name in prices if _fits(name, model)]
    return prices[max(fitting, key=len)] if fitting else None


def _fits(name: str, model: str) -> bool:
    # A family's bigger models begin with the same name and cost more, so that a bare beginning must not be enough.
    if name.endswith("*"):
        return model.startswith(name[:-1])
    return re.fullmatch(re.escape(name) + r"(-\d{4}.*|-latest)?", model) is not None
