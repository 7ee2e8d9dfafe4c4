"""What a small model may write at all, as a grammar in llama.cpp's notation (GBNF).

    triples_of_words(text)    triples on one line, made of the words of the text and a few that carry no meaning
    triple_about(subject)     one triple with this subject
    text_of_words(text)       a text made of these words and of connecting ones

Left to itself the model of 135 million parameters keeps to the form of a triple about one time in ten and makes words up. Under
a grammar it cannot, and what is left to it is the choice among words that stand there.
"""

from __future__ import annotations

import json

# Words that triples may have although the text has not: none of them says anything about the world.
HELPERS = (
    "a an the is are was were has have had it he she they this that who which of in on at to for by with from as and not"
).split()
CONNECTING = [
    *HELPERS,
    "but",
    "or",
    "although",
    "while",
    "so",
    "also",
    "because",
    "its",
    "his",
    "her",
    "their",
]
_MARKS = '.,;:!?"()[]{}“”'
_TRIPLE = '" | "'
_END = '"\\n"'  # as the examples end; without it the model would have to go on


def triples_of_words(text: str, *, most: int = 6) -> str:
    """A grammar for one to `most` triples between which " ; " stands."""
    return "\n".join(
        (
            f'root ::= " " triple (" ; " triple){{0,{most - 1}}} {_END}',
            f"triple ::= part {_TRIPLE} part {_TRIPLE} part",
            'part ::= word (" " word){0,7}',
            f"word ::= {_any([*_words(text), *HELPERS])}",
        )
    )


def triple_about(subject: str) -> str:
    """A grammar for one triple with this subject and any predicate and object."""
    return "\n".join(
        (
            f"root ::= {_literal(f' {subject} | ')} part {_TRIPLE} part {_END}",
            'part ::= word (" " word){0,7}',
            "word ::= [A-Za-z0-9] [A-Za-z0-9'-]{0,14}",
        )
    )


def text_of_words(text: str) -> str:
    """A grammar for sentences that consist of the words of a text, in any order and number, and connecting ones."""
    return "\n".join(
        (
            f'root ::= " " word (","? " " word){{1,60}} "."? {_END}',
            f"word ::= {_any([*_words(text), *CONNECTING])}",
        )
    )


def _words(text: str) -> list[str]:
    return [word for piece in text.split() if (word := piece.strip(_MARKS)) and word != "|"]


def _any(words: list[str]) -> str:
    """Any of the words, with a capital or without; by first letters, since each alternative is tried for every token."""
    rests: dict[str, dict[str, None]] = {}
    for word in words:
        rests.setdefault(word[:1].lower(), {})[word[1:]] = None
    return " | ".join(_beginning(first, list(rest)) for first, rest in rests.items())


def _beginning(first: str, rests: list[str]) -> str:
    letter = f"[{first.upper()}{first}]" if first.isascii() and first.isalpha() else _literal(first)
    others = " | ".join(_literal(rest) for rest in rests if rest)
    return f"{letter} ({others}){'?' if '' in rests else ''}" if others else letter


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
