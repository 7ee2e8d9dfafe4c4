"""What training methods know as shortcuts of the training rows (`--features`).

    patterns         the patterns that an audit finds in the rows; the default
    grammar          the rules of a grammar that is learned from the rows of the first version
    grammar:FOLDER   the rules of the grammar in the folder of a `longway grammar` run

The rules are those of "Finding Dataset Shortcuts with Grammar Induction" (Friedman, Wettig, Chen 2022, section 5): a feature for each
production rule, 1 if the tree of a row uses it. One grammar parses all versions, so their rules are the same. Rows that are too long for the
grammar have no features.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.data import Dataset
from longway.detect.findings import presence, search
from longway.detect.reading import Reading
from longway.detect.real_signal import RealSignal
from longway.errors import DataError, SettingError
from longway.grammars.production import production_matrix
from longway.grammars.trees import Tree, brackets, read_brackets
from longway.jobs.grammar.induced import LengthLimits, Unit, device_of, labels_as, sample_rows
from longway.jobs.grammar.job import grammar as learn_grammar
from longway.jobs.grammar.result import FILE as TABLES
from longway.jobs.grammar.result import GrammarResult
from longway.jobs.grammar.settings import GrammarSettings
from longway.jobs.prove.result import Concern, GrammarFeatures, RuleCounts
from longway.jobs.prove.settings import ProveSettings
from longway.jobs.run import Watcher, Within
from longway.store.atomic import read_json
from longway.text.keep import is_real_signal
from longway.text.tokenizer import tokenize

if TYPE_CHECKING:
    from longway.grammars.parser import Grammar

Phrases = tuple[tuple[str, ...], ...]
AT_ONCE = {"cpu": 128, "cuda": 4096}  # texts that are parsed before their trees are stored


@dataclass(frozen=True, slots=True)
class KnownShortcuts:
    """(rows, shortcuts), 1 if a row has one; the phrases that are real signal; whether the shortcuts are rules of a grammar, and which rows it parsed."""

    matrix: csr_matrix
    keep: Phrases
    are_rules: bool = False
    parsed: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True)
class AuditPatterns:
    """The patterns that an audit finds in the rows and that are no real signal."""

    @property
    def key(self) -> Mapping[str, object]:
        """Nothing: the patterns follow from the data."""
        return {}

    def shortcuts_of(self, dataset: Dataset, keep: Sequence[str]) -> KnownShortcuts:
        """Which rows have which patterns."""
        reading = Reading.of(dataset)
        chosen = search(reading).chosen
        real = RealSignal.of(keep, [one.description for one in chosen], reading.tokenizer)
        kept = [one for one in chosen if not real.covers(one.description)]
        return KnownShortcuts(presence(kept, reading), real.phrases)


class GrammarRules:
    """The rules of a grammar that the trees of the rows use.

    folder: where the grammar was read from. trees: the file that keeps the trees.
    """

    def __init__(self, grammar: Grammar, folder: Path, trees: Path, watcher: Watcher) -> None:
        self._grammar, self._folder, self._watcher = grammar, folder, watcher
        self._fingerprint, self._limits = fingerprint_of(folder), LengthLimits(pair=longest_of(folder))
        self._trees = TreeFile(trees.with_name(f"{trees.stem}-{self._fingerprint[:12]}{trees.suffix}"))
        self._documents: dict[str, list[list[Tree]]] = {}  # of each dataset, the trees of its rows

    @property
    def key(self) -> Mapping[str, object]:
        """The grammar, and how long pairs may be."""
        return {"grammar": self._fingerprint, "longest": self._limits.pair}

    def shortcuts_of(self, dataset: Dataset, keep: Sequence[str]) -> KnownShortcuts:
        """Which rows use which rules; rules that write a word of the real signal are left out."""
        documents = self._documents[dataset.fingerprint]
        matrix, rules = production_matrix(documents)
        phrases = tuple(tuple(tokenize(phrase)) for phrase in keep)
        kept = [
            i
            for i, rule in enumerate(rules)
            if not any(is_real_signal([word], phrases) for word in rule.words if word)
        ]
        parsed = np.array([bool(trees) for trees in documents])
        return KnownShortcuts(matrix[:, kept], phrases, are_rules=True, parsed=parsed)

    def parse(self, name: str, dataset: Dataset) -> RuleCounts:
        """Parse the rows of a version, and count them; DataError if none is short enough."""
        self._watcher.step(f"parsing the rows of {name}")
        sample = sample_rows(dataset, *labels_as(dataset, dataset.labels), seed=0, limits=self._limits)
        if not sample.rows:
            problems = sample.problems(pair=dataset.columns.context is not None)
            raise DataError(
                f"The grammar can parse no row of {name}. {' '.join(one.message for one in problems)} Leave --features out, or give shorter texts."
            )
        units = [unit for row in sample.rows for unit in row.units]
        trees = iter(self._trees.parse(self._grammar, units, self._watcher))
        documents: list[list[Tree]] = [[] for _ in range(dataset.n_used)]
        for row in sample.rows:
            documents[row.place] = [next(trees) for _ in row.units]
        self._documents[dataset.fingerprint] = documents
        n_rules = production_matrix(documents)[0].shape[1]
        return RuleCounts(
            name,
            dataset.n_used,
            len(sample.rows),
            sample.long_rows,
            sample.blank,
            n_rules,
            sample.long_sentences,
        )

    def about(self, versions: Sequence[RuleCounts]) -> GrammarFeatures:
        """The grammar and what it parsed."""
        trained = self._grammar.trained
        return GrammarFeatures(
            str(self._folder), trained.texts, trained.held_out_nats_per_word, tuple(versions)
        )


class TreeFile:
    """Trees in a file, a line each: a key of the words, and the tree in brackets. A damaged line is parsed again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._trees: dict[str, Tree] = {}
        if path.is_file():
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                key, _, written = line.partition("\t")
                try:
                    self._trees[key] = read_brackets(written)
                except DataError:
                    continue

    def parse(self, grammar: Grammar, units: Sequence[Unit], watcher: Watcher) -> list[Tree]:
        """The most likely trees; those that the file lacks are parsed and added to it."""
        keys = [sha256(json.dumps(unit).encode()).hexdigest()[:32] for unit in units]
        missing = {key: unit for key, unit in zip(keys, units, strict=True) if key not in self._trees}
        todo = sorted(missing.items(), key=lambda item: (len(item[1][0]), len(item[1][1])))
        at_once = AT_ONCE[grammar.device.type]
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8", errors="replace") as file:
            file.write("\n")  # after a line that was not finished
            for start in range(0, len(todo), at_once):
                watcher.progress(start, len(todo))
                some = todo[start : start + at_once]
                for (key, _), tree in zip(some, grammar.parse([unit for _, unit in some]), strict=True):
                    self._trees[key] = tree
                    file.write(f"{key}\t{brackets(tree, pair=grammar.kind == 'pair')}\n")
                file.flush()
        watcher.progress(len(todo), len(todo))
        return [self._trees[key] for key in keys]


def fingerprint_of(folder: Path) -> str:
    """A hash of the files of a grammar."""
    files = [folder / name for name in ("grammar.json", "grammar.safetensors")]
    return sha256(b"".join(sha256(file.read_bytes()).digest() for file in files)).hexdigest()


def longest_of(folder: Path) -> int:
    """`longest` of the grammar run in the folder; the default if there is a grammar without the tables of a run."""
    file = folder / TABLES
    if not file.is_file():
        return GrammarSettings().longest
    return GrammarResult.from_dict(read_json(file)).settings.longest


def check_features(settings: ProveSettings, dataset: Dataset) -> dict[str, object]:
    """What a run's settings record of a given grammar. SettingError if it does not fit the data, DataError if it cannot be read."""
    if not settings.uses_grammar:
        return {}
    device_of(GrammarSettings())  # raises if torch is missing
    if (folder := settings.grammar_folder) is None:
        return {}
    _loaded(folder, dataset, "cpu")
    return {"grammar_fingerprint": fingerprint_of(folder), "grammar_longest": longest_of(folder)}


def grammar_rules(
    settings: ProveSettings, dataset: Dataset, run_folder: Path, watcher: Watcher
) -> GrammarRules:
    """The rules of the given grammar, or of one that is learned from the dataset and kept in the run folder."""
    inner = GrammarSettings(classifier=None, device=settings.device)
    folder = settings.grammar_folder
    if folder is None:
        folder = run_folder / "grammar"
        learn_grammar(dataset, inner, out=folder, watcher=Within(watcher, "grammar"))
    model = _loaded(folder, dataset, device_of(inner))
    return GrammarRules(model, folder, run_folder / "trees.txt", watcher)


def unparsed_concerns(versions: Sequence[RuleCounts]) -> list[Concern]:
    """The rows without features, for each version that has some; and the sentences that were not parsed."""
    found = []
    for one in versions:
        reasons = {"too long to parse": one.too_long, "without words": one.no_words}
        why = ", ".join(f"{n:,} {reason}" for reason, n in reasons.items() if n)
        text = (
            f"{one.data}: {one.rows - one.parsed:,} of {one.rows:,} rows have no grammar features ({why}). "
            "Training methods treat them as rows without a shortcut."
        )
        if one.parsed < one.rows:
            found.append(Concern.remark("features", one.rows - one.parsed, text))
        if one.long_sentences:
            text = f"{one.data}: {one.long_sentences:,} sentences are too long to parse. Their rows have only the rules of their other sentences."
            found.append(Concern.remark("features", one.long_sentences, text))
    return found


def _loaded(folder: Path, dataset: Dataset, device: str) -> Grammar:
    from longway.grammars.parser import Grammar

    model = Grammar.load(folder, device=device)
    is_pair = dataset.columns.context is not None
    if (model.kind == "pair") != is_pair:
        grammars, data = ("pairs", "single texts") if model.kind == "pair" else ("single texts", "pairs")
        raise SettingError(
            f"The grammar in {folder} is one of {grammars}, and the data are {data}. Give the run of `longway grammar` on data of the same "
            "kind, or --features grammar to learn one."
        )
    return model
