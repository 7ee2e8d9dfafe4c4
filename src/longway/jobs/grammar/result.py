"""What `grammar` returns: the content of tables.json as typed values, with the findings of findings.json and the learned grammar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import polars as pl

from longway.data.summary import DatasetSummary
from longway.jobs.grammar.settings import GrammarSettings
from longway.jobs.results import Result, check_version, read
from longway.records import Finding, Problem
from longway.store import read_json

FILE, FINDINGS = "tables.json", "findings.json"


@dataclass(frozen=True, slots=True)
class GrammarSummary:
    """Size and training of a grammar.

    kind: "pair" or "sentence". rows, labels, texts: of the training data. held_out: name of the held-out split, or "held out".
    history: epoch and held-out nats per word of each check. max_texts: the limit of texts, if there was one.
    kinds: of phrases, all that were tested. tested_rows: rows that kinds were tested on; those before chose phrases only.
    min_word_count: how often a word must occur to be known; others are rare words.
    """

    kind: str
    nonterminals: int
    preterminals: int
    dimension: int
    words: int
    device: str
    rows: int
    labels: Mapping[str, int]
    texts: int
    held_out: str
    held_out_rows: int
    held_out_texts: int
    epochs: int
    held_out_nats_per_word: float
    history: tuple[Mapping[str, float], ...]
    max_texts: int | None = None
    kinds: int | None = None
    tested_rows: int | None = None
    min_word_count: int = 3


@dataclass(frozen=True, slots=True)
class RowExample:
    """A row with a phrase. marks, context_marks: where the phrase is in the text and in the context. phrase: its name."""

    id: str
    text: str
    context: str
    marks: tuple[tuple[int, int], ...]
    context_marks: tuple[tuple[int, int], ...]
    phrase: str = ""


@dataclass(frozen=True, slots=True)
class SideAccuracy:
    """Accuracy on supporting or counter-examples; None without rows."""

    group: str
    n: int
    accuracy: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class KindAccuracy:
    """Accuracy of the classifier on held-out rows that have a kind of phrase, with its label and with another (Table 6)."""

    supporting: SideAccuracy
    counter: SideAccuracy
    gap: float | None


@dataclass(frozen=True, slots=True)
class PhraseKind:
    """Subtrees with one root symbol and one relation that predict one label (Tables 1-5 and 11-14 of the paper).

    spans: words of the first few, as in the paper; subtrees: how many there are. count, counts: rows with any of them, by label. share: the
    label's. q: of the kind in rows that did not choose its subtrees; None if it is not significant. name: in plain English.
    tested, tested_share, points: rows with the kind among those rows, the label's share of them, and the points of accuracy (`stats.points_of`), not the
    difference of shares that a report shows.
    low, high: the 95% interval of tested_share. relation: "replaced", "added", "left out", "copied", or "phrase" for single texts.
    examples: rows with the label. accuracy: of the classifier, for the strongest significant kinds. same_as: the place in the table of a more informative kind with the same label and nearly the same rows.
    """

    root: int
    label: str
    spans: tuple[str, ...]
    subtrees: int
    count: int
    counts: Mapping[str, int]
    share: float
    mutual_information: float
    q: float | None
    name: str = ""
    tested: int = 0
    tested_share: float = 0.0
    points: float = 0.0
    examples: tuple[RowExample, ...] = ()
    same_as: int | None = None
    low: float | None = None
    high: float | None = None
    relation: str = ""
    accuracy: KindAccuracy | None = None


@dataclass(frozen=True, slots=True)
class RuleSummary:
    """A rule that predicts a label (Table 15), with its most informative subtrees as outlines.

    q: None if it is not significant. name: what its two parts are, in plain English.
    """

    rule: str
    label: str
    outlines: tuple[str, ...]
    count: int
    share: float
    mutual_information: float
    q: float | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class ClassifierSummary:
    """The accuracy of the classifier on held-out rows."""

    name: str
    accuracy: float
    rows: int


@dataclass(frozen=True, slots=True)
class TreeExample:
    """A tree that has a kind of phrase. composite: the kind's label; side: "supporting" or "counter"; marks: nodes to highlight; marked: their words.

    name: the kind in plain English.
    """

    root: int
    composite: str
    side: str
    id: str
    label: str
    tree: str
    marks: tuple[int, ...]
    marked: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class RuleRatio:
    """A rule of a tree, its words, and how many times as frequent it is in rows of the predicted label as in rows of the true one.

    name: its words in plain English.
    """

    rule: str
    ratio: float
    span: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class WrongPrediction:
    """A wrong prediction (answer) and the rules of its tree that favour it, the first of them highlighted (Table 9)."""

    id: str
    label: str
    answer: str
    tree: str
    marks: tuple[int, ...]
    rules: tuple[RuleRatio, ...]


@dataclass(frozen=True, slots=True)
class ContrastExample:
    """A contrast example beside its row. label: the correct label; answer: the classifier's prediction, if there is a classifier."""

    id: str
    edit: str
    before: str
    after: str
    label: str
    what: str
    context: str
    row_label: str
    answer: str | None


@dataclass(frozen=True, slots=True)
class ContrastSummary:
    """How often the classifier is misled by one kind of edit (Table 7).

    shortcut: the label that the edit suggests. counted: sets whose row is predicted correctly before the edit; error: the share of
    these in which an example gets the shortcut's label, with its 95% interval; None without a classifier.
    """

    edit: str
    sets: int
    examples: int
    shortcut: str
    example: ContrastExample
    counted: int | None = None
    error: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class GrammarResult(Result):
    """A grammar learned from texts, and which of its phrases and rules predict the label.

    composites: kinds of phrases, significant ones first, then by information in the rows they were tested on. contrast: None if no contrast examples were
    generated. tested, significant: phrases and rules. findings: strongest first; kinds: significant composites as findings.
    model: the learned `grammars.parser.Grammar`; None if a finished run was read. folder: the run folder, if any.
    symbols: whether the page also prints the grammar's symbols on the terminal.
    """

    file: ClassVar[str] = FILE
    command: ClassVar[str] = "grammar"

    dataset: DatasetSummary
    grammar: GrammarSummary
    composites: tuple[PhraseKind, ...]
    rules: tuple[RuleSummary, ...]
    classifier: ClassifierSummary | None
    pictures: tuple[TreeExample, ...]
    wrong: tuple[WrongPrediction, ...]
    contrast: tuple[ContrastSummary, ...] | None
    tested: Mapping[str, int]
    significant: Mapping[str, int]
    problems: tuple[Problem, ...]
    settings: GrammarSettings
    longway: str
    created: str
    findings: tuple[Finding, ...] = field(default=(), compare=False)
    kinds: tuple[Finding, ...] = field(default=(), compare=False)
    model: Any = field(default=None, compare=False)
    folder: Path | None = field(default=None, compare=False)
    symbols: bool = field(default=False, compare=False)

    def _frame(self) -> pl.DataFrame:
        """One row per kind of phrase."""
        rows = [asdict(kind) for kind in self.composites]
        hidden = ("counts", "examples", "accuracy")
        return pl.DataFrame([{key: value for key, value in row.items() if key not in hidden} for row in rows])

    def _computed(self) -> Mapping[str, object]:
        """The settings, with the number of texts that was chosen."""
        return {"settings": {**asdict(self.settings), "texts": self.grammar.max_texts}}

    @classmethod
    def from_dict(cls, content: object, folder: Path | None = None) -> Self:
        """The result in the content of a tables.json; its findings are in another file of the run folder."""
        listed = {} if folder is None else read_json(folder / FINDINGS)
        found = {name: listed.get(name, ()) for name in ("findings", "kinds")}
        given = {**check_version(content, cls), **found, "model": None, "symbols": False, "folder": folder}
        return read(cls, given, file=FILE)
