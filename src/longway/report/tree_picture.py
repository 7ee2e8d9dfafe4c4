r"""A tree as an SVG picture: a dot at each node, the words of both texts below the leaves, predictive subtrees in a label's colour.

            ·
          /   \
         ·     ·             a node is above the middle of its parts; the leaves are in one line
       /  \     |
      ·    ·    |
      a    man  sits         first text
      a  woman  sits         second text; – for no word

A picture has its own size and shrinks with its box. It is drawn by `templates/tree.svg.jinja`, whose environment escapes everything a dataset brings.
The grammar's symbols are not drawn: `trees.txt` of a run has them.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import NamedTuple

from jinja2 import Template
from markupsafe import Markup

from longway.grammars.trees import Tree, nodes, sides
from longway.grammars.vocabulary import UNKNOWN
from longway.report.excerpts import PATTERN_LIMIT, cut, cut_to_width, width_of
from longway.report.html import environment

MAX_LEAVES = 48  # of a tree that is drawn
LETTER = 7.6  # of 13 pixels, on average
WORD_COLUMNS = 14  # letters of a word at most
GAP = 14  # between words
LEVEL = 30  # between a node and its parts
LINE = 18  # of words
MARGIN = 12
NO_WORD, RARE = "–", "[rare]"


class _Node(NamedTuple):
    """Where a node stands: its middle, its height above the leaves, and the edges of its words."""

    number: int
    tree: Tree
    x: float
    level: int
    left: float
    right: float
    parts: tuple[int, ...]


def tree_picture(tree: Tree, marks: Collection[int], *, colour: str, pair: bool, key: str) -> Markup | None:
    """The picture; None where the tree is too large to be seen.

    marks: numbers of the telling nodes, parts before wholes as `trees.nodes` gives them. colour: the class of their label.
    key: unique on the page.
    """
    found = list(nodes(tree))
    if sum(node.parts is None for node in found) > MAX_LEAVES:
        return None
    placed = _placed(found)
    top = placed[-1].level
    base = MARGIN + LEVEL // 2 + top * LEVEL  # where the leaves' dots are
    lines = 2 if pair else 1
    height, width = base + 14 + lines * LINE + MARGIN, placed[-1].right + GAP
    outer = _outermost(placed, marks)
    inside = {number for mark in outer for number in _below(placed, mark)}
    texts = [" ".join(words) or NO_WORD for words in sides(tree)][:lines]
    return Markup(
        _template().render(
            placed=placed,
            bands=[placed[mark] for mark in outer],
            inside=inside,
            title=cut(" → ".join(texts), PATTERN_LIMIT),
            **{"base": base, "lines": lines, "height": height, "width": width, "colour": colour, "key": key},
        )
    )


def _placed(found: list[Tree]) -> list[_Node]:
    """All nodes with their places; `found` has parts before wholes, left before right."""
    placed: list[_Node] = []
    waiting: list[int] = []  # parts that wait for their whole
    at = float(GAP)
    for number, node in enumerate(found):
        if node.parts is None:
            wide = LETTER * max(width_of(_shown(word)) for word in node.words)
            placed.append(_Node(number, node, at + wide / 2, 0, at, at + wide, ()))
            at += wide + GAP
        else:
            right, left = waiting.pop(), waiting.pop()
            one, other = placed[left], placed[right]
            level = 1 + max(one.level, other.level)
            placed.append(
                _Node(number, node, (one.x + other.x) / 2, level, one.left, other.right, (left, right))
            )
        waiting.append(number)
    return placed


def _outermost(placed: list[_Node], marks: Collection[int]) -> list[int]:
    """The marked nodes that are in no other marked node."""
    known = [mark for mark in sorted(set(marks)) if 0 <= mark < len(placed)]
    inner = {number for mark in known for number in _below(placed, mark) if number != mark}
    return [mark for mark in known if mark not in inner]


def _below(placed: list[_Node], number: int) -> list[int]:
    """The node and everything in it."""
    found = [number]
    for one in found:
        found.extend(placed[one].parts)
    return found


def _shown(word: str) -> str:
    return cut_to_width(RARE if word == UNKNOWN else word, WORD_COLUMNS) if word else NO_WORD


@cache
def _template() -> Template:
    made = environment("longway.report")
    made.filters |= {"at": "{:.1f}".format, "shown": _shown}
    made.globals |= {"LEVEL": LEVEL, "GAP": GAP, "LINE": LINE}
    return made.get_template("tree.svg.jinja")
