"""A pattern in context: a few words of a text around it, with the places to mark."""

from __future__ import annotations

from longway.tokens.tokenizer import token_spans

WIDTH = 110  # characters of an example


def in_context(
    text: str, phrase: tuple[str, ...], *, last: bool = False
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The part of the text around the phrase, and where the phrase stands in that part.

    last: take the last place where the phrase stands instead of the first.

    >>> in_context("It is NOT a film.", ("is", "not"))
    ('It is NOT a film.', ((3, 9),))
    """
    tokens = token_spans(text[:20_000])  # far enough for an example, whatever the text
    n = len(phrase)
    places = [
        i for i in range(len(tokens) - n + 1) if n and tuple(t for t, _, _ in tokens[i : i + n]) == phrase
    ]
    if not places:
        return _flat(text[:WIDTH]) + ("…" if len(text) > WIDTH else ""), ()
    first = places[-1 if last else 0]
    start, end = tokens[first][1], tokens[first + n - 1][2]
    left, right = _window(text, start, end)
    before = "…" if left > 0 else ""
    shift = len(before) - left
    after = "…" if right < len(text) else ""
    return before + _flat(text[left:right]) + after, ((start + shift, end + shift),)


def _window(text: str, start: int, end: int) -> tuple[int, int]:
    """A stretch of about WIDTH characters around start..end that cuts no word in two."""
    room = max(0, WIDTH - (end - start))
    left, right = max(0, start - room // 2), min(len(text), end + room // 2)
    while 0 < left < start and not text[left - 1].isspace():
        left += 1
    while end < right < len(text) and not text[right].isspace():
        right -= 1
    return left, right


def _flat(text: str) -> str:
    """The text on one line, character for character."""
    return "".join(" " if c.isspace() or not c.isprintable() else c for c in text)
