"""Parts of parse trees: "a man → a woman", "added: to work", "built like walking → walking".

    trees of the examples (`longway.grammars`)  ->  words of complete subtrees, binary rules  ->  one yes/no question each

A complete subtree writes words in one or both texts: in a pair, words of the context and the words of the text that the tree aligns with
them. Subtrees with the same words are one pattern, whatever their symbols. In a single text they have two words or more, since
single words have a level of their own. A pattern inside a larger one that occurs in the same examples is listed once, like all patterns
that say the same thing (see `groups`).

Parsing takes longer than counting, so that the trees may be those of a sample: then all counts and scores are of the sample.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from longway.arrays import Floats, Ints
from longway.detect.detector import (
    Description,
    Features,
    SampledDetector,
    Spans,
    TokenizedRow,
    TokenizedText,
    frequent,
    tagged,
)
from longway.detect.reading import CONTEXT, TEXT, Reading
from longway.errors import SettingError
from longway.grammars.forest import Forest, rule_of
from longway.grammars.information import count_features, count_rules, count_subtrees, subtrees_of_rule
from longway.grammars.trees import Tree, pattern_span, sides
from longway.grammars.vocabulary import UNKNOWN
from longway.records import Pattern
from longway.text.tokenizer import tokenize

SHOWN = 2  # subtrees that show what a rule makes
_RULE = 1 << 62  # marks the key of a rule
_CUT_NUMBER = re.compile(r"(?<=\d) ([.,/:]) (?=\d)")  # as `grammar.vocabulary` splits numbers


class GrammarDetector(SampledDetector):
    """Does the example's tree have a subtree with these words, or this rule?

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
        self.forest = Forest(documents)
        rows = np.arange(reading.n_texts) if places is None else np.array(places, dtype=np.int64)
        super().__init__(reading, TEXT, _checked(rows, self.forest.n_documents, reading))
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
        self._places = self._word_places(min_leaves)
        self._words = count_features(*self._places, labels, n_labels)
        counted = [(self._words, 0), *([(self._rules, _RULE)] if rules else [])]
        self._features = frequent(
            np.concatenate([each.keys | mark for each, mark in counted]),
            np.concatenate([each.counts for each, _ in counted]),
            reading.min_count,
            n_texts=len(self.places),
            rows=self.places if len(self.places) < reading.n_texts else None,
        )

    def _word_places(self, min_leaves: int) -> tuple[Ints, Ints]:
        """Every (document, words) that occurs. Words have the number of the first subtree that writes them."""
        documents, numbers = self.forest.subtree_places()
        large = (self.forest.subtrees.n_leaves() >= min_leaves)[numbers]
        same, n = self.forest.subtrees.same_words(), max(1, len(self.forest.subtrees))
        once = np.unique(documents[large] * n + same[numbers[large]])
        return once // n, once % n

    def count(self, reading: Reading) -> Features:
        """How often the words of each subtree, and each rule, occur with each label."""
        self.check(reading.number)
        return self._features

    def describe(self, key: int) -> Description:
        """The words of a subtree, or a rule with the words of some subtrees that it makes."""
        return self._describe_rule(key & ~_RULE) if key & _RULE else self._describe_subtree(key)

    @property
    def present(self) -> tuple[Ints, Ints]:
        """The document and the key of the words of every subtree, and of every rule."""
        (documents, words), (others, rules) = self._places, self.forest.rule_places()
        return np.concatenate([documents, others]), np.concatenate([words, rules | _RULE])

    def rule_q(self, keys: Ints, q: Floats) -> dict[int, float]:
        """The q of each rule among tested patterns, by the rule's key (`forest.rule_key`)."""
        return {key & ~_RULE: one for key, one in zip(keys.tolist(), q.tolist(), strict=True) if key & _RULE}

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

    def spans(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """The words of subtrees as patterns hold them, each once."""
        trees = (self.forest.subtrees.tree(number) for number in numbers)
        return tuple(dict.fromkeys(pattern_span(tree, pair=self.is_pair) for tree in trees))

    def _pattern(self, place: str, spans: Iterable[str]) -> Pattern:
        """place: empty if it is about the words alone, whatever their symbol."""
        return Pattern(self.level, self.field, tuple(spans), place, context=self._context)

    def _describe_subtree(self, number: int) -> Description:
        tree = self.forest.subtrees.tree(number)
        role, phrase = self._shown(tree)
        return Description(
            self._pattern("", self.spans([number])), self._tags(tree), role, phrase, others=as_written(phrase)
        )

    def _describe_rule(self, key: int) -> Description:
        label = int(self._rules.labels[self._rules.keys == key][0])
        numbers = subtrees_of_rule(self.forest.subtrees, self._subtrees, key, label, SHOWN)
        return self.describe_any(f"rule {rule_of(key)}", numbers)

    def describe_any(self, place: str, numbers: Sequence[int]) -> Description:
        """The pattern of rows with any of these subtrees. place: their root symbol, or the rule at their root."""
        made = [self.forest.subtrees.tree(number) for number in numbers]
        shown = [self._shown(tree) for tree in made]
        roles = {role for role, _ in shown}
        role = roles.pop() if len(roles) == 1 else TEXT
        phrases = [phrase for its_role, phrase in shown if its_role == role]
        others = tuple(each for phrase in phrases for each in as_written(phrase) or (phrase,))
        return Description(self._pattern(place, self.spans(numbers)), frozenset(), role, others=others)

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


def _checked(places: Ints, n_documents: int, reading: Reading) -> Ints:
    inside = len(places) == 0 or (places[0] >= 0 and places[-1] < reading.n_texts)
    if len(places) != n_documents or not inside or (np.diff(places) <= 0).any():
        raise SettingError(
            f"'places' must name a different row of {reading.n_texts} for each of {n_documents} documents, in ascending order. "
            f"Got {len(places)}. Give the trees of all rows, or the places of those that were parsed."
        )
    return places
