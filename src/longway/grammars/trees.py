r"""Trees of one text, or of two texts at once, and their bracket notation.

              14                       (14 (41 a/a) (32 man/woman))
            /    \
          41      32          ->       as a span: "a man/a woman"
           |       |
          a/a  man/woman               first text "a man", second text "a woman"

A leaf writes a word in each text, or a word in one and nothing (ε) in the other; never nothing in both. In the tree of a
single text the second word is always ε, and the brackets omit it: `(3 (40 the) (41 film))`. Both texts are the leaves from
left to right: a rule never swaps its parts.

Brackets can be read back exactly. In a word the characters ( ) / \ ε are escaped with a backslash, and white space by its
code, `\{20}`, so a tree is one line and a word has no space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from longway.errors import DataError

NOTHING = "ε"
_SPECIAL = re.compile(rf"[()/\\{NOTHING}]")
_TOKEN = re.compile(r"[()]|(?:[^\s()\\]++|\\\{[0-9a-f]+\}|\\.)++")
_WORD = re.compile(r"(?:[^/\\]++|\\\{[0-9a-f]+\}|\\.)*+")
_ESCAPE = re.compile(r"\\(?:\{([0-9a-f]+)\}|(.))")


@dataclass(frozen=True, slots=True)
class Tree:
    """A node: a rule applied to two parts, or a leaf that writes a word in each text (or in one).

    symbol: 0 to N - 1 for nonterminals, N to N + P - 1 for preterminals. parts: of a nonterminal.
    words: of a preterminal, the first text's word and the second text's; "" is ε.
    """

    symbol: int
    parts: tuple[Tree, Tree] | None = None
    words: tuple[str, str] = ("", "")


def nodes(tree: Tree) -> Iterator[Tree]:
    """All nodes: parts before the whole, left before right.

    >>> [node.symbol for node in nodes(read_brackets("(3 (40 the) (4 (41 old) (42 film)))"))]
    [40, 41, 42, 4, 3]
    """
    waiting, result = [tree], []
    while waiting:  # no recursion: the tree of a text of a thousand words may be as deep
        node = waiting.pop()
        result.append(node)
        if node.parts is not None:
            waiting.extend(node.parts)
    return reversed(result)


def leaves(tree: Tree) -> list[Tree]:
    """The leaves from left to right."""
    return [node for node in nodes(tree) if node.parts is None]


def sides(tree: Tree) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of the tree in the first text and in the second.

    >>> sides(read_brackets("(4 (41 a/ε) (4 (33 ε/there) (43 ε/is)))"))
    (('a',), ('there', 'is'))
    """
    written = [leaf.words for leaf in leaves(tree)]
    first, second = (tuple(words[side] for words in written if words[side]) for side in (0, 1))
    return first, second


def span(tree: Tree, *, pair: bool) -> str:
    """The words of a subtree for display: "a man/a woman", "ε/to work", "the film".

    pair: whether it is from a grammar of pairs.
    """
    first, second = (" ".join(words) for words in sides(tree))
    return f"{first or NOTHING}/{second or NOTHING}" if pair else first


def pattern_span(tree: Tree, *, pair: bool) -> str:
    """The words of a subtree as `records.Pattern` holds them: for pairs, the first text's words, a tab and the second text's words.

    >>> pattern_span(read_brackets("(14 (41 a/a) (32 man/woman))"), pair=True)
    'a man\\ta woman'
    """
    first, second = (" ".join(words) for words in sides(tree))
    return f"{first}\t{second}" if pair else first


def outline(tree: Tree, *, pair: bool) -> str:
    """A subtree with the rule at its root and the words of its two parts.

    >>> outline(read_brackets("(2 (17 ε/to) (2 (49 ε/get) (50 ε/in)))"), pair=True)
    '(2 (17 ε/to) (2 ε/get in))'
    """
    if tree.parts is None:
        return f"({tree.symbol} {span(tree, pair=pair)})"
    inside = " ".join(f"({part.symbol} {span(part, pair=pair)})" for part in tree.parts)
    return f"({tree.symbol} {inside})"


def brackets(tree: Tree, *, pair: bool | None = None) -> str:
    """The tree on one line, in the format of `read_brackets`.

    pair: whether it is from a grammar of pairs; default: whether a leaf has a word in the second text.
    """
    if pair is None:
        pair = any(node.words[1] for node in nodes(tree))
    written: list[str] = []
    waiting: list[Tree | str] = [tree]
    while waiting:  # no recursion and no repeated copying: a tree may be deep
        node = waiting.pop()
        if isinstance(node, str):
            written.append(node)
        elif node.parts is None:
            written.append(f"({node.symbol} {_written(node.words, pair)})")
        else:
            left, right = node.parts
            written.append(f"({node.symbol} ")
            waiting += [")", right, " ", left]
    return "".join(written)


def read_brackets(text: str) -> Tree:
    """The tree that `brackets` wrote.

    >>> read_brackets("(49 ε/to)")
    Tree(symbol=49, parts=None, words=('', 'to'))
    """
    root: list[Tree] = []
    open_nodes: list[tuple[int, list[Tree | tuple[str, str]]]] = []
    tokens = iter(_tokens(text))
    for token in tokens:
        if root:
            raise _unreadable(text, "text follows the tree")
        if token == "(":
            symbol = next(tokens, "")
            if not symbol.isdecimal() or len(symbol) > 9:
                raise _unreadable(text, f"a number must follow '(', not {symbol!r}")
            open_nodes.append((int(symbol), []))
        elif not open_nodes:
            raise _unreadable(text, f"{token!r} is outside of the brackets")
        elif token == ")":
            node = _node(*open_nodes.pop(), text)
            (open_nodes[-1][1] if open_nodes else root).append(node)
        else:
            open_nodes[-1][1].append(_read_words(token, text))
    if not root:
        raise _unreadable(text, "a bracket is not closed" if open_nodes else "it is empty")
    return root[0]


def _node(symbol: int, inside: list[Tree | tuple[str, str]], text: str) -> Tree:
    if len(inside) == 2:
        left, right = inside
        if isinstance(left, Tree) and isinstance(right, Tree):
            return Tree(symbol, (left, right))
    elif len(inside) == 1 and isinstance(inside[0], tuple):
        return Tree(symbol, words=inside[0])
    raise _unreadable(text, f"node {symbol} must hold two nodes, or one word or pair of words")


def _tokens(text: str) -> list[str]:
    tokens = _TOKEN.findall(text)
    if sum(map(len, tokens)) != sum(len(part) for part in text.split()):
        raise _unreadable(text, "a backslash escapes nothing")
    return tokens


def _written(words: tuple[str, str], pair: bool) -> str:
    first, second = (_escaped(word) or NOTHING for word in words)
    return f"{first}/{second}" if pair or words[1] else first


def _escaped(word: str) -> str:
    word = _SPECIAL.sub(r"\\\g<0>", word)
    return re.sub(r"\s", lambda blank: f"\\{{{ord(blank[0]):x}}}", word)


def _read_words(token: str, text: str) -> tuple[str, str]:
    first = _WORD.match(token)
    assert first is not None  # it may be empty
    rest = token[first.end() :]
    second = _WORD.fullmatch(rest, 1) if rest else None
    if not first[0] or (rest and (second is None or not second[0])):
        raise _unreadable(text, f"{token!r} is not a word or pair of words")
    try:
        return _plain(first[0]), _plain(second[0]) if second else ""
    except (ValueError, OverflowError):
        raise _unreadable(text, f"{token!r} escapes an unknown character") from None


def _plain(word: str) -> str:
    return "" if word == NOTHING else _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else m[2], word)


def _unreadable(text: str, why: str) -> DataError:
    shown = text if len(text) <= 80 else text[:80] + "…"
    return DataError(
        f"{shown!r} is not a tree in brackets: {why}. Expected something like '(3 (40 the) (41 film))'. "
        "Use trees as Longway wrote them."
    )
