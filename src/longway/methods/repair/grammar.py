"""Patterns of a grammar in a repair: which rows have them, and contrast examples as rows to add.

    texts, contexts  ->  trees (parsed once for each pair of texts)  ->  the numbers of the patterns, after those of `features.py`

A row's words do not determine its tree, so a pattern of the grammar is looked for in trees and not in texts. With numbers of their own, such
patterns are balanced like words: rows are dropped, weighed and added until they say little about labels. Rows that are too long to parse are
unknown: they count neither as rows with a pattern nor as rows without it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from longway.grammars.trees import Tree, nodes, pattern_span
from longway.methods.contrast import GrammarWords, contrast_sets
from longway.methods.contrast.sets import ContrastSet
from longway.methods.loop import Draft, new_row
from longway.methods.method import Rows
from longway.methods.repair.features import N_FEATURES, Numbers
from longway.methods.repair.remedy import Target

Trees = Sequence[Tree]
Parse = Callable[[Sequence[str], Sequence[str | None]], Sequence[Trees]]


class GrammarPatterns:
    """Some patterns of a grammar, and the rows that have them.

    targets: the patterns, each the words of a subtree. parse: the trees of texts with their contexts; none for what is too long.
    parsed: the number that says of a row that it was parsed. It is no feature to balance; the numbers of the patterns follow.
    """

    def __init__(self, targets: Sequence[Target], parse: Parse, *, parsed: int = N_FEATURES) -> None:
        self.targets, self._parse, self.parsed = tuple(targets), parse, parsed
        patterns = [target.pattern for target in targets]
        self._features = {pattern.words[0]: parsed + 1 + i for i, pattern in enumerate(patterns)}
        self._is_pair = any(pattern.context for pattern in patterns)
        self._trees: dict[str, Trees] = {}

    def trees(self, texts: Sequence[str], contexts: Sequence[str | None] | None) -> list[Trees]:
        """The trees of each text; none for one that is too long."""
        contexts = contexts or [None] * len(texts)
        keys = [f"{context}\0{text}" for text, context in zip(texts, contexts, strict=True)]
        if new := {key: place for place, key in enumerate(keys) if key not in self._trees}:
            parsed = self._parse(
                [texts[place] for place in new.values()], [contexts[place] for place in new.values()]
            )
            self._trees.update(zip(new, parsed, strict=True))
        return [self._trees[key] for key in keys]

    def read(self, texts: Sequence[str], contexts: Sequence[str | None] | None) -> list[Numbers]:
        """For each text `parsed` and the numbers of the patterns that it has, ascending; nothing if it was not parsed."""
        return [
            np.concatenate([[self.parsed], self._numbers(trees)]) if trees else np.zeros(0, dtype=np.int64)
            for trees in self.trees(texts, contexts)
        ]

    def _numbers(self, trees: Trees) -> Numbers:
        spans = {pattern_span(node, pair=self._is_pair) for tree in trees for node in nodes(tree)}
        return np.array(sorted(self._features[s] for s in spans if s in self._features), dtype=np.int64)

    def counts(self, rows: Rows) -> tuple[Numbers, Numbers]:
        """Patterns x labels: rows that have a pattern and carry a label; and by label, the rows that were parsed."""
        counts = np.zeros((len(self.targets), len(rows.label_names)), dtype=np.int64)
        totals = np.zeros(len(rows.label_names), dtype=np.int64)
        for label, trees in zip(rows.labels.tolist(), self.trees(rows.texts, rows.contexts), strict=True):
            counts[self._numbers(trees) - self.parsed - 1, label] += 1
            totals[label] += bool(trees)
        return counts, totals


class ContrastCounterparts:
    """Contrast examples as rows to add (`methods.contrast`): they show a pattern of the grammar without its label.

    For pairs with labels for entailment, neutral and contradiction.
    """

    def __init__(self, rows: Rows, patterns: GrammarPatterns) -> None:
        self.rows, self.patterns = rows, patterns

    @cached_property
    def _words(self) -> GrammarWords:
        rows = self.rows
        parsed = [
            (trees[0], rows.label(row))
            for row, trees in enumerate(self.patterns.trees(rows.texts, rows.contexts))
            if trees
        ]
        return GrammarWords.learn(
            [tree for tree, _ in parsed], [label for _, label in parsed], rows.task.stances
        )

    def propose(self, rows: Sequence[int]) -> Iterator[Draft]:
        """The contrast examples of some rows, by row."""
        data = self.rows
        examples = [data.example(row) for row in rows]
        parsed = self.patterns.trees([one.text for one in examples], [one.context for one in examples])
        trees = [its[0] if its else None for its in parsed]
        sets: dict[str, list[ContrastSet]] = defaultdict(list)
        for made in contrast_sets(examples, trees, self._words, data.task.stances):
            sets[made.row.id].append(made)
        for row, example in zip(rows, examples, strict=True):
            for made in sets[example.id]:
                for one in made.members:
                    yield new_row(data, row, one.after, one.label, how=f"contrast.{one.edit}")
