"""The control: a method that changes nothing, so that everything around it can be measured without it."""

from __future__ import annotations

from collections.abc import Iterator

from longway.rewrite.method import Round, Rows


class NoOp:
    """Leaves every row as it is."""

    name = "none"

    def run(self, rows: Rows) -> Iterator[Round]:
        """Round 0 alone."""
        yield Round(0, stopped="nothing is rewritten by this method")
