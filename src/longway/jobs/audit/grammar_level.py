"""The grammar level of an audit: a small grammar of a sample, sized so that it takes a minute or two on two cores.

    short rows, the labels taking turns  ->  a small grammar, few epochs  ->  trees  ->  their subtrees, by `detect.grammar`

`longway grammar` learns a larger one from more rows. Of a text with many sentences the first ones are taken, so that enough texts are seen.
Where torch is not installed, too few rows are short enough, or the level would take long and was not asked for, it is left out and the
audit says so. How long it takes is estimated from the sample and not measured, so that the same data always get the same audit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from longway.data import Dataset
from longway.detect.reading import Reading
from longway.errors import install_command
from longway.records import Problem
from longway.report.numbers import duration

if TYPE_CHECKING:
    from longway.detect.grammar import GrammarDetector
    from longway.grammars.induction import InduceProgress
    from longway.grammars.parser import Grammar
    from longway.jobs.grammar.induced import LengthLimits, ParsableRow, RowSample, Trees

FEWEST = 200  # rows; fewer teach a grammar nothing
HELD_OUT = 0.1
# How long a pair (product of its lengths) or a sentence may be, and how many are taken; where too few are so short, the next.
LONGEST = 20  # words of a sentence or a side
SIZES = {True: [(42, 750), (72, 300)], False: [(42, 4000)]}
EPOCHS = 4
BATCH = 32
SYMBOLS, DIMENSION = (8, 24), 64
# Processor seconds on a slow core: to import torch, and for each batch of each epoch with the parse; measured on SST-2, Yelp and SNLI (notes/LOG.md).
START = 3.0
PER_BATCH = {True: 1.7, False: 0.135}  # pairs, sentences
QUICK = 10.0  # seconds
RATE = 0.005  # more than the paper's: there are few steps


@dataclass(frozen=True, slots=True)
class ParsedSample:
    """The trees of some rows. places: where the rows are in the reading, in ascending order.

    grammar: what they were parsed with. limits: how long texts may be. is_pair: whether it is a grammar of pairs.
    """

    trees: Trees
    places: list[int]
    grammar: Grammar
    limits: LengthLimits
    is_pair: bool

    def parse(self, texts: Sequence[str], contexts: Sequence[str | None]) -> Trees:
        """The trees of other texts with their contexts; none for those that are longer than the sample's."""
        from longway.jobs.grammar.induced import parse

        return parse(self.grammar, self._rows(texts, contexts))

    def n_unparsed(self, texts: Sequence[str], contexts: Sequence[str | None]) -> int:
        """How many of these texts with their contexts have no trees. Nothing is parsed."""
        return sum(not row.units for row in self._rows(texts, contexts))

    def _rows(self, texts: Sequence[str], contexts: Sequence[str | None]) -> list[ParsableRow]:
        from longway.jobs.grammar.induced import parsable_rows

        return parsable_rows(texts, contexts if self.is_pair else None, self.limits)


def grammar_detector(
    dataset: Dataset,
    reading: Reading,
    *,
    seed: int,
    only_if_quick: bool = False,
    step: Callable[[str], object] = lambda name: None,
) -> tuple[GrammarDetector | None, list[Problem]]:
    """The detector of a small grammar's subtrees and rules, or None; and what the user should know about it."""
    parsed, problems = parsed_sample(dataset, reading, seed=seed, only_if_quick=only_if_quick, step=step)
    return None if parsed is None else detector_of(parsed, reading), problems


def detector_of(parsed: ParsedSample, reading: Reading) -> GrammarDetector:
    """The detector that counts the subtrees of a sample by the labels of its reading."""
    from longway.detect.grammar import GrammarDetector

    return GrammarDetector(reading, parsed.trees, places=parsed.places, rules=False)


def expected_seconds(found: RowSample, *, pair: bool) -> float:
    """The processor time that learning from a sample takes on a slow core, roughly."""
    return START + PER_BATCH[pair] * EPOCHS * -(-found.units // BATCH)


def parsed_sample(
    dataset: Dataset,
    reading: Reading,
    *,
    seed: int,
    only_if_quick: bool = False,
    step: Callable[[str], object] = lambda name: None,
) -> tuple[ParsedSample | None, list[Problem]]:
    """Trees of a sample of the rows, or None; and what the user should know about it. Labels only choose the rows."""
    if find_spec("torch") is None:
        next_step = (
            f"Install it with: {install_command('neural')}. Or leave the level out: --levels -grammar."
        )
        return None, [Problem("no_grammar", "The grammar level was left out: it needs torch.", 1, next_step)]
    pair = dataset.columns.context is not None
    if reading.n_texts < FEWEST:
        return None, []  # nobody expects a grammar of so little
    from longway.jobs.grammar.induced import LengthLimits, sample_rows, split_off

    for product, texts in SIZES[pair]:
        limits = LengthLimits(product, LONGEST, of_a_row=texts // FEWEST)
        found = sample_rows(
            dataset, reading.rows, reading.labels.astype(np.int64), seed=seed, texts=texts, limits=limits
        )  # fmt: skip
        if len(found.rows) >= FEWEST:
            break
    else:
        unit = (
            f"pairs below {limits.pair} words times words, neither above {LONGEST}"
            if pair
            else f"sentences up to {LONGEST} words"
        )
        message = (
            f"The grammar level was left out: {len(found.rows):,} rows have {unit}, and it needs {FEWEST}."
        )
        next_step = "Look at longer ones with longway grammar; it also takes longer."
        return None, [Problem("no_grammar", message, reading.n_texts - len(found.rows), next_step)]
    seconds = expected_seconds(found, pair=pair)
    if only_if_quick and seconds > QUICK:
        message = f"The grammar level, which finds patterns that words miss, was left out: it takes about {duration(seconds)} longer."
        next_step = "Add --levels all to include it, or learn a larger grammar with longway grammar."
        return None, [Problem("no_grammar", message, reading.n_texts, next_step)]
    from longway.grammars.induction import InduceSettings, induce
    from longway.jobs.grammar.induced import parse

    def tell(at: InduceProgress) -> None:
        step(f"learning a small grammar: epoch {at.epoch} of {at.epochs}")

    learned, held_out = split_off(found.rows, HELD_OUT, seed)
    settings = InduceSettings(
        nonterminals=SYMBOLS[0], preterminals=SYMBOLS[1], dimension=DIMENSION, epochs=EPOCHS,
        learning_rate=RATE, batch=BATCH, seed=seed,
    )  # fmt: skip
    model = induce(
        [unit for row in learned for unit in row.units],
        validation=[unit for row in held_out for unit in row.units],
        settings=settings,
        progress=tell,
    )
    step("parsing with it")
    trees = parse(model, found.rows)
    places = [row.place for row in found.rows]
    return ParsedSample(trees, places, model, limits, pair), _sample_problem(found, reading.n_texts)


def _sample_problem(found: RowSample, of: int) -> list[Problem]:
    n = len(found.rows)
    seen = [f"a sample of {n:,} of {of:,} rows: short ones, the labels taking turns"] if n < of else []
    if found.cut_rows:
        seen.append(f"no more than the first {found.limits.of_a_row} short sentences of a row")
    if not seen:
        return []
    message = f"The grammar level saw {'; '.join(seen)}."
    return [Problem("sample", message, of - n or found.cut_rows, "longway grammar learns from more.")]
