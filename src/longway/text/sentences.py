"""Splitting a text into sentences by simple rules, without a parser: fast, and the same on any machine.

    "Great fun. I laughed!<br />See it."   ->   "Great fun."  "I laughed!"  "See it."

A sentence ends at a full stop, question mark or exclamation mark followed by white space and no lower-case letter; at such a mark
between white space (in tokenised texts: "a film . it works"); and at a line break or `<br />`. A full stop after a title or a single
letter does not end a sentence. Marks of other scripts (。！？ ؟ ।) end one whatever follows, and so does a space between two Thai, Lao or Khmer
letters: these scripts have spaces between sentences, not between words.
"""

from __future__ import annotations

import re

OTHER_MARKS = "。！？｡؟۔।॥။។"  # end sentences in Chinese, Japanese, Arabic, Urdu, Hindi, Burmese, Khmer
_LINE = re.compile(r"(?:\s*<br\s*/?>\s*)+|\s*\n\s*", re.IGNORECASE)
_END = re.compile(
    r"""(?P<alone>(?<=\s)[.!?]+(?=\s))|[.!?…]+["'”’)\]]*(?=\s+(?P<next>\S))|"""
    rf"""(?P<other>[{OTHER_MARKS}]+["'”’」』）)\]»]*|(?<=[\u0e00-\u0e45\u0e47-\u0eff\u1780-\u17ff)\]”])\s+(?=[\u0e00-\u0eff\u1780-\u17ff]))"""
)
_NO_END = re.compile(r"\b(?:mr|mrs|ms|dr|prof|st|jr|sr|vs|etc|e\.g|i\.e|no|vol|fig|[a-z])\.$", re.IGNORECASE)
_LOOK_BACK = 6  # characters of the longest title and the boundary before it


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, in order, without blank ones.

    >>> sentences_of("Dr. Okoye laughed. Why? nobody knew")
    ['Dr. Okoye laughed.', 'Why? nobody knew']
    """
    return [sentence for line in _LINE.split(text) for sentence in _of_line(line)]


def _of_line(line: str) -> list[str]:
    found, start = [], 0
    for match in _END.finditer(line):
        if match["alone"] is None and match["other"] is None:
            before = line[max(start, match.end() - _LOOK_BACK) : match.end()]
            if match["next"].islower() or _NO_END.search(before):
                continue
        found.append(line[start : match.end()].strip())
        start = match.end()
    return [sentence for sentence in (*found, line[start:].strip()) if sentence]
