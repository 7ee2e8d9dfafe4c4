"""Words of a text in colour, by how much they speak for a label: blue for, orange against, five strengths of each.

    text, (start, end, score) of its words  ->  pieces of text with classes  ->  <span class="w for5" title="...">

Blue and orange are told apart by people who do not see red and green; what speaks against is underlined too, so that print and
grey screens tell the same. Everything is escaped; colours are classes, as our pages allow no `style` attribute.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

from longway.show.excerpts import N_LEVELS, READ_LIMIT, harmless
from longway.show.numbers import points

FAINTEST = 0.06  # of the strongest word; below it a word has no colour
LIMIT = 2_000  # characters of a text that are shown

Word = Sequence[float]  # start, end, score


def highlighted(
    text: str, words: Iterable[Word], *, strongest: float | None = None, label: str = "", limit: int = LIMIT
) -> Markup:
    """The text as HTML, its words coloured by their scores.

    strongest: the score that has the full colour; without, the largest of these words, so that texts side by side need one in common.
    label: what the words speak for, told when the mouse rests on one.
    """
    scored = [(int(start), int(end), float(score)) for start, end, score in words]
    most = strongest if strongest is not None else max((abs(score) for _, _, score in scored), default=0.0)
    shown = text[: min(limit, READ_LIMIT)]
    parts, at = [Markup()], 0
    for start, end, score in scored:
        if start < at or end > len(shown):
            continue
        css = css_class(score, most)
        if css:
            parts += [_plain(shown[at:start]), _marked(shown[start:end], css, score, label)]
            at = end
    parts += [_plain(shown[at:]), Markup(" …" if len(shown) < len(text) else "")]
    return Markup().join(parts)


def css_class(score: float, strongest: float) -> str:
    """The classes of a word: "for1" to "for5", "against1" to "against5"; "" for a word that says next to nothing.

    >>> css_class(0.4, 0.4), css_class(-0.1, 0.4), css_class(0.001, 0.4)
    ('for5', 'against2', '')
    """
    if not strongest > 0 or not abs(score) >= FAINTEST * strongest:  # also for nan
        return ""
    level = min(N_LEVELS, int(abs(score) / strongest * N_LEVELS) + 1)
    return f"{'for' if score > 0 else 'against'}{level}"


def _marked(text: str, css: str, score: float, label: str) -> Markup:
    towards = f" points for {label}" if label else " points"
    return Markup('<span class="w {}" title="{}">{}</span>').format(
        css, harmless(points(score) + towards), harmless(text)
    )


def _plain(text: str) -> Markup:
    return escape(harmless(text))
