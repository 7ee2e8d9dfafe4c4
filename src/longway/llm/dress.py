"""The outer form of a text: capitals, the final mark, the spaces of a tokenised dataset, "a" and "an".

A rewriting that ends in a full stop where no other row has one would give itself away by that alone. So a model gets
the text in its usual form (`plain`), and what it writes is put into the form of the original (`dressed`).
"""

from __future__ import annotations

import re

from longway.text.articles import article_before

_APART = re.compile(r" (?:[.,!?;:]|n't|'(?:s|re|ve|ll|d|m))(?= |$)")  # "it 's good ."
_JOIN = re.compile(r" (?=(?:[.,!?;:%]|n't|'(?:s|re|ve|ll|d|m))(?: |$))")
_SPLIT = re.compile(r"(?<=\w)(?=(?:n't|'(?:s|re|ve|ll|d|m))\b)|(?<=[\w'\")])(?=[.,!?;:]+(?:\s|$))")
_ARTICLE = re.compile(r"\b([Aa])n? (?=([^\W_][\w'’-]*))")
_AFTER_A_LETTER = frozenset("is was and or of as in on at if are".split())  # "vitamin A is": no article
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
    >>> dressed("It is a odd film", like="The film is strange")
    'It is an odd film'
    >>> dressed("She sings well.", like="A good singer")
    'She sings well'
    """
    text = _with_articles(" ".join(candidate.split()), like.lower())
    if like == like.lower():
        text = text.lower()
    final = _FINAL.search(like.rstrip())
    if final is None:
        text = _FINAL.sub("", text)
    elif not _FINAL.search(text):
        text += final.group().strip()
    return _SPLIT.sub(" ", text) if _APART.search(like) else text


def _with_articles(text: str, given: str) -> str:
    """The text with "a" and "an" as the next word wants them, but for what the original has, right or wrong."""

    def mended(found: re.Match[str]) -> str:
        letter, word = found.groups()
        if word.lower() in _AFTER_A_LETTER or f"{found.group()}{word}".lower() in given:
            return found.group()
        return f"{letter}{article_before(word)[1:]} "

    return _ARTICLE.sub(mended, text)
