"""Pieces of a grammar: "a man/a woman", "ε/to work", "rule 19 → 44 10".

    trees of the examples (`longway.grammar`)  ->  complete subtrees and binary rules  ->  one yes/no question each

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
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_matrix

from longway.detect.features import Features, Ints, Pattern, columns_of, enough, tagged
from longway.detect.findings import KEPT_IDS, Chosen, Search, finding_of
from longway.detect.reading import CONTEXT, TEXT, Piece, Reading
from longway.errors import SettingError
from longway.grammar.features import count_rules, count_subtrees, for_and_against, spans_of, subtrees_of_rule
from longway.grammar.forest import Forest, rule_of
from longway.grammar.trees import Tree, brackets, sides, span
from longway.grammar.words import UNKNOWN
from longway.stats import score_counts
from longway.text.tokens import tokenize

SHOWN = 2  # subtrees that show what a rule makes
_RULE = 1 << 62  # marks the key of a rule
_CUT_NUMBER = re.compile(r"(?<=\d) ([.,/:]) (?=\d)")  # as `grammar.words` cuts numbers


class GrammarDetector:
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
        self._reading, self.forest = reading.number, Forest(documents)
        rows = np.arange(reading.n_texts) if places is None else np.array(places, dtype=np.int64)
        self.places: Ints = _checked(rows, self.forest.n_documents, reading)
        self.rules = rules
        self.is_pair = self.forest.subtrees.has_pairs
        self.field = reading.columns[TEXT]
        if self.is_pair:
            self.field = f"{reading.columns[TEXT]} + {reading.columns[CONTEXT]}"
        labels, n_labels = reading.labels[self.places].astype(np.int64), reading.n_labels
        min_leaves = 1 if self.is_pair else 2
        self._subtrees = count_subtrees(self.forest, labels, n_labels, min_leaves=min_leaves)
        self._rules = count_rules(self.forest, labels, n_labels)
        self._features = self._often_enough(labels, n_labels, reading.min_count)
        names = Counter(self._name(key) for key in self._features.keys.tolist() if not key & _RULE)
        self._shared_names = {name for name, n in names.items() if n > 1}

    def _often_enough(self, labels: Ints, n_labels: int, min_count: int) -> Features:
        """The subtrees and rules that stand in enough examples to say anything."""
        parts = []
        for counted, mark in ((self._subtrees, 0), (self._rules, _RULE)):
            kept = enough(counted.counts, min_count, n_texts=len(labels))
            parts.append((counted.keys[kept] | mark, counted.counts[kept]))
        (subtrees, of_subtrees), (rules, of_rules) = parts
        if not self.rules:
            rules, of_rules = rules[:0], of_rules[:0]
        totals = np.bincount(labels, minlength=n_labels)
        return Features(np.concatenate([subtrees, rules]), np.concatenate([of_subtrees, of_rules]), totals)

    def count(self, reading: Reading) -> Features:
        """How often each subtree and each rule stands with each label."""
        _check_own(reading.number == self._reading)
        return self._features

    def describe(self, key: int) -> Pattern:
        """The words of a subtree, or a rule with the words of some subtrees that it makes."""
        return self._describe_rule(key & ~_RULE) if key & _RULE else self._describe_subtree(key)

    def matrix(self, piece: Piece, keys: Ints) -> csr_matrix:
        """Which examples have which subtrees and rules; none where an example was not parsed."""
        _check_own(piece.of == self._reading)
        parts = (self.forest.subtree_places(), self.forest.rule_places())
        documents = np.concatenate([documents for documents, _ in parts])
        found = np.concatenate([parts[0][1], parts[1][1] | _RULE])
        rows = self.places[documents] - piece.start
        here = (rows >= 0) & (rows < piece.n_texts)
        return columns_of(rows[here], found[here], keys, piece.n_texts)

    def root(self, key: int) -> int | None:
        """The symbol at the root of a subtree; None for a rule."""
        return None if key & _RULE else self.forest.subtrees.tree(key).symbol

    def _name(self, number: int) -> str:
        tree = self.forest.subtrees.tree(number)
        return f"{tree.symbol}: {span(tree, pair=self.is_pair)}"

    def _describe_subtree(self, number: int) -> Pattern:
        tree, name = self.forest.subtrees.tree(number), self._name(number)
        if name in self._shared_names:  # the same words, put together in different ways
            name = brackets(tree, pair=self.is_pair)
        role, phrase = self._shown(tree)
        return Pattern(name, self._words(tree), role, phrase, others=as_written(phrase))

    def _describe_rule(self, key: int) -> Pattern:
        label = int(self._rules.labels[self._rules.keys == key][0])
        numbers = subtrees_of_rule(self.forest.subtrees, self._subtrees, key, label, SHOWN)
        made = [self.forest.subtrees.tree(number) for number in numbers]
        spans = ", ".join(dict.fromkeys(span(tree, pair=self.is_pair) for tree in made))
        shown = [self._shown(tree) for tree in made]
        roles = {role for role, _ in shown}
        role = roles.pop() if len(roles) == 1 else TEXT
        phrases = [phrase for its_role, phrase in shown if its_role == role]
        others = tuple(one for phrase in phrases for one in as_written(phrase) or (phrase,))
        name = f"rule {rule_of(key)}" + (f": {spans}" if spans else "")
        return Pattern(name, frozenset(), role, others=others)

    def _shown(self, tree: Tree) -> tuple[str, tuple[str, ...]]:
        """The column to show a subtree in, and its words there."""
        first, second = sides(tree)
        if not self.is_pair:
            return TEXT, first
        return (TEXT, second) if second else (CONTEXT, first)

    def _words(self, tree: Tree) -> frozenset[str]:
        first, second = ([word for word in words if word != UNKNOWN] for words in sides(tree))
        if not self.is_pair:
            return tagged(TEXT, *first)
        return tagged(CONTEXT, *first) | tagged(TEXT, *second)


def kinds(found: Search, reading: Reading, detector: GrammarDetector) -> list[Chosen]:
    """The subtrees of a search that have one root and speak for one label, joined (the paper's composite features).

    An example has a kind where it has any of its subtrees; the subtrees are the finding's variants. Which subtrees belong to it was
    chosen by looking at the labels, so that a test of the kind itself would flatter it: p and q are those of its surest subtree.
    """
    members: dict[tuple[int, str], list[Chosen]] = {}
    for one in found.chosen:
        if one.detector is detector and (root := detector.root(one.key)) is not None:
            members.setdefault((root, one.finding.label), []).append(one)
    joined = [_kind(root, its, reading, detector) for (root, _), its in members.items()]
    joined.sort(key=lambda one: (-one.finding.gain, one.pattern.name))
    return [replace(one, leader=place) for place, one in enumerate(joined)]


def _kind(root: int, members: list[Chosen], reading: Reading, detector: GrammarDetector) -> Chosen:
    labels, subtrees = reading.labels[detector.places].astype(np.int64), [one.key for one in members]
    present = detector.forest.has_any(subtrees)
    counts = np.bincount(labels[present], minlength=reading.n_labels)
    scores = score_counts(counts[None, :], np.bincount(labels, minlength=reading.n_labels))
    spans = ", ".join(spans_of(detector.forest.subtrees, subtrees, len(subtrees)))
    strongest = members[0].pattern
    others = tuple(
        phrase
        for one in members
        for phrase in one.pattern.others or (one.pattern.phrase,)
        if one.pattern.role == strongest.role
    )
    pattern = replace(strongest, name=f"{root}: {spans}", others=others)
    surest = min((one.finding for one in members), key=lambda finding: finding.p)
    finding = replace(
        finding_of(reading, detector, pattern, scores, 0, q=surest.q),
        p=surest.p,
        variants=tuple(one.finding for one in members),
    )
    supporting, counter = (
        detector.places[rows][:KEPT_IDS].tolist()
        for rows in for_and_against(present, labels, int(scores.label[0]))
    )
    return Chosen(detector, root, pattern, finding, supporting, counter)


def as_written(phrase: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The phrase and the same with whole numbers ("10/10" of "10 / 10"), where it has any; else nothing.

    >>> as_written(("10", "/", "10", "!")), as_written(("a", "man"))
    ((('10/10', '!'), ('10', '/', '10', '!')), ())
    """
    whole = tuple(tokenize(_CUT_NUMBER.sub(r"\1", " ".join(phrase))))
    return (whole, phrase) if len(whole) < len(phrase) else ()


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
