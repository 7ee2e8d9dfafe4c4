"""Windows of long texts: a few sentences each, which are perturbed independently of each other (section 5.1 of the paper).

    a document of 900 tokens  ->  windows_of  ->  4 windows of at most 256 tokens  ->  one person changed in each

The windows cover the text without gaps, so joining them returns it. A window ends at the end of a sentence; only a sentence that is itself
longer than a window is cut, between two tokens. The paper draws sequences of 256 tokens of its corpus and does not say where they end.

For labelled rows, `longway perturb` changes one person in the whole row, however long. Windows are for corpora to pretrain on.
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.errors import SettingError
from longway.tokens.sentences import sentences_of
from longway.tokens.tokenizer import token_spans

WINDOW = 256  # words and punctuation marks


def windows_of(text: str, *, most: int = WINDOW) -> list[str]:
    """The windows of a text, in order; none if it is blank. most: words and punctuation marks in one of them.

    >>> windows_of("She left. He stayed here. They met.", most=8)
    ['She left. He stayed here. ', 'They met.']
    >>> windows_of("one two three four five", most=2)
    ['one two ', 'three four ', 'five']
    """
    if most < 1:
        raise SettingError(f"A window must have at least 1 token. Got {most}. The default is {WINDOW}.")
    starts, room = [], 0
    for start, n_tokens in _pieces(text, most):
        if n_tokens > room:
            starts.append(start)
            room = most
        room -= n_tokens
    if not starts:
        return []
    ends = [*starts[1:], len(text)]
    return [text[start:end] for start, end in zip([0, *starts[1:]], ends, strict=True)]


def _pieces(text: str, most: int) -> Iterator[tuple[int, int]]:
    """Start and number of tokens of each sentence; a sentence with more than `most` tokens is several pieces."""
    at = 0
    for sentence in sentences_of(text):
        at = text.index(sentence, at)
        tokens = token_spans(sentence)
        for first in range(0, len(tokens), most):
            yield at + (tokens[first][1] if first else 0), len(tokens[first : first + most])
        at += len(sentence)
