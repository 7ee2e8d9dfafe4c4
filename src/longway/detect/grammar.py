"""Pieces of a grammar: "a man/a woman", "ε/to work", "rule 19 → 44 10".

    trees of the examples (`longway.grammars`)  ->  complete subtrees and binary rules  ->  one yes/no question each

A subtree of a pair stands for words that go together: the context's before the slash, the text's behind it, ε for none.
Its name begins with the symbol at its root, which stands for what the grammar learned as one kind of phrase. In a single text
subtrees have two words or more, since single words have a level of their own. A subtree inside a larger one that stands in the
same examples is told once, like all patterns that say the same thing (see `groups`).

Parsing takes longer than counting, so that the trees may be those of a sample: then all counts and scores are of the sample.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from scipy.sparse import csr_matrix

from longway.detect.detector import (
    Description,
    Detector,
    Features,
    Ints,
    Spans,
    TokenizedRow,
    TokenizedText,
    columns_of,
    enough,
    tagged,
)
from longway.detect.reading import CONTEXT, TEXT, Reading, ReadingPart
from longway.errors import SettingError
from longway.grammars.forest import Forest, rule_of
from longway.grammars.information import count_rules, count_subtrees, subtrees_of_rule
from longway.grammars.trees import Tree, brackets, sides
from longway.grammars.vocabulary import UNKNOWN
from longway.records import Pattern
from longway.tokens.tokenizer import tokenize

SHOWN = 2  # subtrees that show what a rule makes
_RULE = 1 << 62  # marks the key of a rule
_CUT_NUMBER = re.compile(r"(?<=\d) ([.,/:]) (?=\d)")  # as `grammar.vocabulary` splits numbers


class GrammarDetector(Detector):
    """Has the example's tree this subtree, or this rule?

    documents: the trees of each example that was parsed; several where its text was parsed sentence by sentence.
    places: where those examples stand in the reading, in ascending order; without, they are all of it.
    rules: whether rules are looked at, too. A text of many sentences has more of them, so that many rules tell its length and little else.
    It knows the trees of the reading that it was made of, and of no other: another one is refused.
    """

    level = "grammar"

    def __init__(
        self,
        reading: Reading,
        documents: Iterable[Iterable[Tree]],
        *,
        places: Sequence[int] | None = None,
        rules: bool = True,
    ) -> None:
        super().__init__(reading, TEXT)
        self._reading, self.forest = reading.number, Forest(documents)
        rows = np.arange(reading.n_texts) if places is None else np.array(places, dtype=np.int64)
        self.places: Ints = _checked(rows, self.forest.n_documents, reading)
        self.rules = rules
        self.is_pair = self.forest.subtrees.has_pairs
        self._context = reading.columns[CONTEXT] if self.is_pair else ""
        if self.is_pair:
            self.field = f"{reading.columns[TEXT]} + {reading.columns[CONTEXT]}"
            self.reads = (TEXT, CONTEXT)
        labels, n_labels = reading.labels[self.places].astype(np.int64), reading.n_labels
        min_leaves = 1 if self.is_pair else 2
        self._subtrees = count_subtrees(self.forest, labels, n_labels, min_leaves=min_leaves)
        self._rules = count_rules(self.forest, labels, n_labels)
        self._features = self._often_enough(reading)
        subtrees = [key for key in self._features.keys.tolist() if not key & _RULE]
        names = Counter(self._pattern(self.forest.subtrees.tree(key)).name for key in subtrees)
        self._ambiguous = {name for name, n in names.items() if n > 1}

    def _often_enough(self, reading: Reading) -> Features:
        """The subtrees and rules that stand in enough examples to say anything."""
        parts = []
        for counted, mark in ((self._subtrees, 0), (self._rules, _RULE)):
            kept = enough(counted.counts, reading.min_count, n_texts=len(self.places))
            parts.append((counted.keys[kept] | mark, counted.counts[kept]))
        (subtrees, of_subtrees), (rules, of_rules) = parts
        if not self.rules:
            rules, of_rules = rules[:0], of_rules[:0]
        counts = np.concatenate([of_subtrees, of_rules])
        seen = self.places if len(self.places) < reading.n_texts else None
        return Features(np.concatenate([subtrees, rules]), counts, seen)

    def count(self, reading: Reading) -> Features:
        """How often each subtree and each rule stands with each label."""
        _check_own(reading.number == self._reading)
        return self._features

    def describe(self, key: int) -> Description:
        """The words of a subtree, or a rule with the words of some subtrees that it makes."""
        return self._describe_rule(key & ~_RULE) if key & _RULE else self._describe_subtree(key)

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which examples have which subtrees and rules; none where an example was not parsed."""
        _check_own(piece.of == self._reading)
        parts = (self.forest.subtree_places(), self.forest.rule_places())
        documents = np.concatenate([documents for documents, _ in parts])
        found = np.concatenate([parts[0][1], parts[1][1] | _RULE])
        rows = self.places[documents] - piece.start
        here = (rows >= 0) & (rows < piece.n_texts)
        return columns_of(rows[here], found[here], keys, piece.n_texts)

    def matrix_at(self, piece: ReadingPart, keys: Ints, rows: Ints) -> csr_matrix:
        """`matrix` for some rows of the piece: trees are known by their place in the reading."""
        return csr_matrix(self.matrix(piece, keys)[rows])

    def root(self, key: int) -> int | None:
        """The symbol at the root of a subtree; None for a rule."""
        return None if key & _RULE else self.forest.subtrees.tree(key).symbol

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """The words of the subtree, or of the first subtree of a rule or kind that the row contains.

        A row's words do not determine its tree, so this only looks for the words of the subtrees that the pattern lists.
        """
        columns = [text for column in pattern.columns if (text := row.get(column)) is not None]
        if len(columns) != len(pattern.columns):
            return None
        for span in pattern.words:
            *first, last = span.split("\t")  # of a pair: the context's words, the text's words
            phrases = (last, *first)
            spans = {
                name: _as_cut(text, tuple(phrase.split(" ")))
                for name, text, phrase in zip(pattern.columns, columns, phrases, strict=False)
                if phrase
            }
            if spans and all(spans.values()):
                return spans
        return None

    def span(self, tree: Tree) -> str:
        """The words of a subtree as a pattern holds them; for pairs, the context's words, a tab and the text's words."""
        first, second = (" ".join(words) for words in sides(tree))
        return f"{first}\t{second}" if self.is_pair else first

    def pattern(self, place: str, spans: Iterable[str]) -> Pattern:
        """The pattern of some subtrees. place: their root, the rule that makes them, or one tree in brackets."""
        return Pattern(self.level, self.field, tuple(spans), place, context=self._context)

    def _pattern(self, tree: Tree) -> Pattern:
        return self.pattern(str(tree.symbol), [self.span(tree)])

    def _describe_subtree(self, number: int) -> Description:
        tree = self.forest.subtrees.tree(number)
        pattern = self._pattern(tree)
        if pattern.name in self._ambiguous:  # the same words in different trees
            pattern = self.pattern(brackets(tree, pair=self.is_pair), pattern.words)
        role, phrase = self._shown(tree)
        return Description(pattern, self._tags(tree), role, phrase, others=as_written(phrase))

    def _describe_rule(self, key: int) -> Description:
        label = int(self._rules.labels[self._rules.keys == key][0])
        numbers = subtrees_of_rule(self.forest.subtrees, self._subtrees, key, label, SHOWN)
        made = [self.forest.subtrees.tree(number) for number in numbers]
        pattern = self.pattern(f"rule {rule_of(key)}", dict.fromkeys(map(self.span, made)))
        shown = [self._shown(tree) for tree in made]
        roles = {role for role, _ in shown}
        role = roles.pop() if len(roles) == 1 else TEXT
        phrases = [phrase for its_role, phrase in shown if its_role == role]
        others = tuple(each for phrase in phrases for each in as_written(phrase) or (phrase,))
        return Description(pattern, frozenset(), role, others=others)

    def _shown(self, tree: Tree) -> tuple[str, tuple[str, ...]]:
        """The column to show a subtree in, and its words there."""
        first, second = sides(tree)
        if not self.is_pair:
            return TEXT, first
        return (TEXT, second) if second else (CONTEXT, first)

    def _tags(self, tree: Tree) -> frozenset[str]:
        first, second = ([word for word in words if word != UNKNOWN] for words in sides(tree))
        if not self.is_pair:
            return tagged(TEXT, *first)
        return tagged(CONTEXT, *first) | tagged(TEXT, *second)


def as_written(phrase: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The phrase and the same with whole numbers ("10/10" of "10 / 10"), where it has any; else nothing.

    >>> as_written(("10", "/", "10", "!")), as_written(("a", "man"))
    ((('10/10', '!'), ('10', '/', '10', '!')), ())
    """
    whole = tuple(tokenize(_CUT_NUMBER.sub(r"\1", " ".join(phrase))))
    return (whole, phrase) if len(whole) < len(phrase) else ()


def _as_cut(text: TokenizedText, phrase: tuple[str, ...]) -> Spans:
    """The spans of words as a grammar cuts them: it reads "10/10" as three."""
    found = (text.phrases(each, wildcard=UNKNOWN) for each in as_written(phrase) or (phrase,))
    return next((spans for spans in found if spans), [])


def _check_own(is_own: bool) -> None:
    if not is_own:
        raise SettingError(
            "The grammar level must be asked about the reading whose trees it was given. Got another one. "
            "Parse the other reading's examples, and make a detector of their trees."
        )


def _checked(places: Ints, n_documents: int, reading: Reading) -> Ints:
    inside = len(places) == 0 or (places[0] >= 0 and places[-1] < reading.n_texts)
    if len(places) != n_documents or not inside or (np.diff(places) <= 0).any():
        raise SettingError(
            f"'places' must name a different row of {reading.n_texts} for each of {n_documents} documents, in ascending order. "
            f"Got {len(places)}. Give the trees of all rows, or the places of those that were parsed."
        )
    return places
