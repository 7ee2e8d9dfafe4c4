"""Contrast sets, and a classifier's error rate on them (section 4 of the paper, Table 7).

    rows, their trees, the grammar's words  ->  contrast_sets    the contrast examples of one row and one kind of edit
    sets, a classifier                      ->  contrast_errors  the share of sets in which it predicts the shortcut's label

A set is an error if the classifier predicts the shortcut's label for any of its examples. Only sets whose original row it classifies
correctly are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from longway.english.pipeline import EnglishPipeline, load_pipeline
from longway.errors import SettingError
from longway.grammars.trees import Tree
from longway.methods.contrast.edits import (
    EDITS,
    MOST,
    ContrastExample,
    EditedHypothesis,
    ReadPair,
    reads_well,
)
from longway.methods.contrast.grammar_words import GrammarWords
from longway.metrics import json_values
from longway.models.classifier import Inputs
from longway.records import Example
from longway.stats import wilson_interval
from longway.task import Stance


@dataclass(frozen=True, slots=True)
class ContrastSet:
    """The contrast examples of one row and one kind of edit. shortcut: the label that the shortcut predicts."""

    row: Example
    edit: str
    shortcut: str
    members: tuple[ContrastExample, ...]


@dataclass(frozen=True, slots=True)
class ContrastError:
    """A classifier's error rate for one kind of edit.

    sets: all of them; counted: those whose original row was classified correctly. error: the share of these in which an example
    got the shortcut's label, NaN if there are none; low, high: its 95% interval (Wilson).
    """

    edit: str
    sets: int
    examples: int
    counted: int
    error: float
    low: float
    high: float

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values; None for what is not known."""
        return json_values(asdict(self))


def contrast_sets(
    rows: Sequence[Example],
    trees: Sequence[Tree | None],
    words: GrammarWords,
    stances: Mapping[str, Stance],
    *,
    edits: Iterable[str] = tuple(EDITS),
    pipeline: EnglishPipeline | None = None,
) -> list[ContrastSet]:
    """The sets of all rows, in order; a row that cannot be edited has none.

    rows: the text is the hypothesis, the context the premise. trees: of the rows, None for a row that was not parsed.
    words: those of the grammar, learned from training trees. stances: the stance of each label (`task.task_of`); rows with
    other labels have no set.
    """
    labels = labels_by_stance(stances)
    pipeline = pipeline or load_pipeline()
    made = [
        (row, kind, draft)
        for row, pair in zip(rows, read_pairs(rows, trees, pipeline), strict=True)
        for kind in edits
        if stances.get(row.label) in EDITS[kind].rows
        for draft in islice(EDITS[kind].drafts(pair, words), 2 * MOST)  # some will not read well
    ]
    read = pipeline.analyse_all([draft.text for *_, draft in made])
    found: dict[tuple[str, str], tuple[Example, list[EditedHypothesis]]] = {}
    for (row, kind, draft), document in zip(made, read, strict=True):
        if reads_well(draft, document):
            found.setdefault((kind, row.id), (row, []))[1].append(draft)
    return [_set(row, kind, drafts[:MOST], labels, stances) for (kind, _), (row, drafts) in found.items()]


def contrast_errors(
    sets: Sequence[ContrastSet], predict: Callable[[Inputs], Sequence[str]]
) -> list[ContrastError]:
    """The error rate of a classifier for each kind of edit that has a set. predict: returns its labels for pairs."""
    if not sets:
        return []
    rows = {one.row.id: one.row for one in sets}
    before = predict(
        Inputs([row.text for row in rows.values()], [row.context or "" for row in rows.values()])
    )
    is_right = {row.id: label == row.label for row, label in zip(rows.values(), before, strict=True)}
    members = [(one, member) for one in sets for member in one.members]
    after = predict(
        Inputs([member.after for _, member in members], [one.row.context or "" for one, _ in members])
    )
    tempted = {
        (one.edit, one.row.id)
        for (one, _), label in zip(members, after, strict=True)
        if label == one.shortcut
    }
    found = []
    for edit in EDITS:
        its = [one for one in sets if one.edit == edit]
        if not its:
            continue
        counted = [one for one in its if is_right[one.row.id]]
        n_wrong = sum((edit, one.row.id) in tempted for one in counted)
        error = n_wrong / len(counted) if counted else float("nan")
        examples = sum(len(one.members) for one in its)
        found.append(
            ContrastError(
                edit, len(its), examples, len(counted), error, *wilson_interval(error, len(counted))
            )
        )
    return found


def labels_by_stance(stances: Mapping[str, Stance]) -> dict[Stance, str]:
    """The label of each stance. SettingError if there is none for entailment, contradiction or neutral."""
    labels = {stance: label for label, stance in stances.items()}
    if missing := [stance for stance in ("entails", "contradicts", "neutral") if stance not in labels]:
        raise SettingError(
            f"Contrast examples need labels for entailment, contradiction and neutral. Got {', '.join(map(repr, stances)) or 'none'}, "
            f"and none of them {missing[0]!r}. Use a dataset of three-way inference."
        )
    return labels


def read_pairs(
    rows: Sequence[Example], trees: Sequence[Tree | None], pipeline: EnglishPipeline
) -> Iterable[ReadPair]:
    """Each row with both texts analysed: the context is the premise, the text the hypothesis."""
    premises = pipeline.analyse_all([row.context or "" for row in rows])
    hypotheses = pipeline.analyse_all([row.text for row in rows])
    return map(ReadPair, premises, hypotheses, trees)


def _set(
    row: Example,
    kind: str,
    drafts: Sequence[EditedHypothesis],
    labels: Mapping[Stance, str],
    stances: Mapping[str, Stance],
) -> ContrastSet:
    edit = EDITS[kind]
    label = labels[edit.becomes or stances[row.label]]
    members = tuple(
        ContrastExample(row.id, kind, row.text, draft.text, label, draft.what) for draft in drafts
    )
    return ContrastSet(row, kind, labels[edit.shortcut], members)
