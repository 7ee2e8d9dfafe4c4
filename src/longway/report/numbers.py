"""Numbers as people read them on the page. A number that is none (nan, infinity) is shown as a dash."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite

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


def points(difference: float) -> str:
    """A difference of two shares in points, with its sign.

    >>> points(0.0214), points(-0.003), points(0.0001)
    ('+2.1', '−0.3', '0.0')
    """
    return signed(100 * difference, digits=1)


def signed(value: float, *, digits: int = 3) -> str:
    """A difference with its sign; what rounds to nothing has none.

    >>> signed(0.0214), signed(-0.1), signed(-0.0001)
    ('+0.021', '−0.100', '0.000')
    """
    if not isfinite(value):
        return NONE
    size = f"{abs(value):,.{digits}f}"
    if not size.strip("0.,"):
        return size
    return f"{'+' if value > 0 else '−'}{size}"


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


def three_digits(value: float) -> str:
    """A figure with three digits that count, zeros too, so that a column of them lines up.

    >>> three_digits(0.45), three_digits(0.012345), three_digits(123.4)
    ('0.450', '0.0123', '123')
    """
    return f"{value:#.3g}".rstrip(".") if isfinite(value) else NONE


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


def approximate_time(seconds: float) -> str:
    """A duration for people.

    >>> approximate_time(0.2), approximate_time(75), approximate_time(7300), approximate_time(200_000)
    ('1 s', '75 s', '2.0 h', '2.3 days')
    """
    for unit, size in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return (
                f"{seconds / size:,.1f} {unit}" if seconds < 100 * size else f"{seconds / size:,.0f} {unit}"
            )
    return f"{max(1, seconds):.0f} s"


def money(dollars: float) -> str:
    """An amount of money; what is not nothing is never shown as nothing.

    >>> money(0.0), money(0.0004), money(1234.5)
    ('$0.00', 'under $0.01', '$1,234.50')
    """
    if not isfinite(dollars):
        return NONE
    return "under $0.01" if 0 < dollars < 0.01 else f"${dollars:,.2f}"


def duration(seconds: float) -> str:
    """A time as people say it.

    >>> duration(0.42), duration(31.2), duration(252), duration(7500)
    ('0.4 s', '31 s', '4 min 12 s', '2 h 05 min')
    """
    if not isfinite(seconds):
        return NONE
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60:,} h {minutes % 60:02d} min"


def or_dash(value: float | None, form: Callable[[float], str]) -> str:
    """The value in its form; a dash where there is none.

    >>> or_dash(None, percent), or_dash(0.5, percent)
    ('–', '50.0%')
    """
    return NONE if value is None else form(value)


def arrow(before: str, after: str) -> str:
    """A figure before and now.

    >>> arrow("68.1%", "60.1%")
    '68.1% → 60.1%'
    """
    return f"{before} → {after}"


def few(names: Sequence[str], limit: int) -> str:
    """The first names, and how many more there are.

    >>> few(["a", "b", "c"], 2), few([], 2)
    ('a, b and 1 more', '–')
    """
    n_more = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {count(n_more)} more" if n_more > 0 else "") or NONE
