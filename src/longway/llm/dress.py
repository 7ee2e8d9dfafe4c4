"""The outer form of a text: capitals, the final mark, the spaces of a tokenised dataset.

A rewriting that ends in a full stop where no other row has one would give itself away by that alone. So a model gets
the text in its usual form (`plain`), and what it writes is put into the form of the original (`dressed`).
"""

from __future__ import annotations

import re

_APART = re.compile(r" (?:[.,!?;:]|n't|'(?:s|re|ve|ll|d|m))(?= |$)")  # "it 's good ."
_JOIN = re.compile(r" (?=(?:[.,!?;:%]|n't|'(?:s|re|ve|ll|d|m))(?: |$))")
_SPLIT = re.compile(r"(?<=\w)(?=(?:n't|'(?:s|re|ve|ll|d|m))\b)|(?<=[\w'\")])(?=[.,!?;:]+(?:\s|$))")
_FINAL = re.compile(r"\s*[.!?]+$")


def plain(text: str) -> str:
    """The text on one line as people write it, without the codes by which a model's file marks turns.

    >>> plain("it 's a fine film , is n't it ?")
    "it's a fine film, isn't it?"
    """
    line = " ".join(text.encode("utf-8", "replace").decode().split())
    return _JOIN.sub("", line).replace("<|", "< |")


def dressed(candidate: str, *, like: str) -> str:
    """The candidate with the capitals, the final mark and the spaces of the original.

    >>> dressed("It isn't a good film.", like="the film is bad .")
    "it is n't a good film ."
    >>> dressed("She sings well.", like="A good singer")
    'She sings well'
    """
    text = " ".join(candidate.split())
    if like == like.lower():
        text = text.lower()
    final = _FINAL.search(like.rstrip())
    if final is None:
        text = _FINAL.sub("", text)
    elif not _FINAL.search(text):
        text += final.group().strip()
    return _SPLIT.sub(" ", text) if _APART.search(like) else text
