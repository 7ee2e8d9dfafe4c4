"""Numbers as people read them on the page. A number that is none (nan, infinity) is shown as a dash."""

from __future__ import annotations

from math import isfinite, log

NONE = "–"


def finite(value: float) -> float:
    """The value, or 0 where it is no number a chart can draw."""
    return float(value) if isfinite(value) else 0.0


def percent(share: float) -> str:
    """A share as per cent.

    >>> percent(0.6731)
    '67.3%'
    """
    return f"{100 * share:.1f}%" if isfinite(share) else NONE


def count(number: int) -> str:
    """A count with thousands set apart.

    >>> count(6660)
    '6,660'
    """
    return f"{number:,}"


def counted(number: int, noun: str) -> str:
    """A count with its noun.

    >>> counted(1, "row"), counted(6660, "row")
    ('1 row', '6,660 rows')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def millibits(nats: float) -> float:
    """Nats in thousandths of a bit: an even two-way label holds 1000 of them.

    >>> round(millibits(log(2)))
    1000
    """
    return finite(nats) * 1000 / log(2)


def short(value: float) -> str:
    """A figure with as many decimals as tell something.

    >>> short(41.234), short(0.0412), short(1234.5)
    ('41.2', '0.04', '1,234')
    """
    if not isfinite(value):
        return NONE
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1f}" if abs(value) >= 1 else f"{value:.2f}"


def gamma(value: float) -> str:
    """Gamma or lean with three digits that count: on some data all of it lies near 0.01, on some near 0.9.

    >>> gamma(0.91234), gamma(0.012345)
    ('0.912', '0.0123')
    """
    return f"{value:.3g}" if isfinite(value) else NONE


def length(words: float) -> str:
    """A number of words on an axis.

    >>> length(7.5), length(30), length(1250.5)
    ('7.5', '30', '1,250')
    """
    return f"{words:,.0f}" if words >= 100 or float(words).is_integer() else f"{words:.1f}"


def q_value(q: float) -> str:
    """A q-value; the very small ones are not worth their zeros.

    >>> q_value(1e-30), q_value(0.0312)
    ('<0.001', '0.031')
    """
    if not isfinite(q):
        return NONE
    return "<0.001" if q < 0.001 else f"{q:.3f}"
