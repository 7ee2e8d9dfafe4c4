"""Words of a text in colour, by how much they contribute to a label: blue for, orange against, five strengths of each.

    text, (start, end, score) of its words  ->  spans with classes  ->  <span class="w for5" title="...">

People who do not see red and green can distinguish blue and orange; words against the label are also underlined, for print and grey screens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from longway.report.excerpts import N_LEVELS, READ_LIMIT
from longway.report.numbers import points
from longway.report.sections import Span

FAINTEST = 0.06  # of the strongest word; below it a word has no colour
LIMIT = 2_000  # characters of a text that are shown

Word = Sequence[float]  # start, end, score


def scored_words(
    text: str, words: Iterable[Word], *, strongest: float | None = None, label: str = "", limit: int = LIMIT
) -> list[str | Span]:
    """The text as words of a section, coloured by their scores.

    strongest: the score with the full colour; by default the largest of these words, so texts side by side need a common one.
    label: the label that the words are scored for, shown when the mouse rests on a word.
    """
    scored = [(int(start), int(end), float(score)) for start, end, score in words]
    most = strongest if strongest is not None else max((abs(score) for _, _, score in scored), default=0.0)
    towards = f" points for {label}" if label else " points"
    shown = text[: min(limit, READ_LIMIT)]
    parts: list[str | Span] = []
    at = 0
    for start, end, score in scored:
        style = css_class(score, most)
        if style and at <= start and end <= len(shown):
            parts += [shown[at:start], Span(shown[start:end], f"w {style}", title=points(score) + towards)]
            at = end
    return [*parts, shown[at:], " …" if len(shown) < len(text) else ""]


def css_class(score: float, strongest: float) -> str:
    """The classes of a word: "for1" to "for5", "against1" to "against5"; "" for a word with almost no score.

    >>> css_class(0.4, 0.4), css_class(-0.1, 0.4), css_class(0.001, 0.4)
    ('for5', 'against2', '')
    """
    if not strongest > 0 or not abs(score) >= FAINTEST * strongest:  # also for nan
        return ""
    level = min(N_LEVELS, int(abs(score) / strongest * N_LEVELS) + 1)
    return f"{'for' if score > 0 else 'against'}{level}"
