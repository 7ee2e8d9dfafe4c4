"""Contrast examples of a grammar run: held-out pairs that have a shortcut of the grammar and not its label, and who falls for them.

    trees of the rows learned from  ->  the grammar's words  ->  held-out pairs, edited with them   contrast.jsonl
                                                             ->  a classifier asked about them      the table "contrast sets"

The edits are those of `rewrite.contrast` (section 4 of the paper, Table 7). They need pairs with labels for entailment, contradiction
and neutral, and the analysis of English.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from longway.classify.classifier import Inputs
from longway.english.pipeline import load_pipeline
from longway.errors import SettingError
from longway.jobs.grammar.grammar import Induced
from longway.methods.contrast import EDITS, ContrastSet, GrammarWords, contrast_errors, contrast_sets
from longway.methods.contrast.words import is_hypernym
from longway.task import Stance, stances_named

CONTRAST = "contrast.jsonl"
STANCES: Mapping[str, Stance] = {
    "entailment": "entails",
    "neutral": "neutral",
    "contradiction": "contradicts",
}
AS_IN = "--contrast-labels entailment=0,neutral=1,contradiction=2"
NOT_MEASURED = {"counted": None, "error": None, "low": None, "high": None}

Predict = Callable[[Inputs], Sequence[str]]


def named_labels(text: str) -> dict[str, str]:
    """What --contrast-labels says: the label that stands for each of the three.

    >>> named_labels("entailment=0, neutral=1, contradiction=2")
    {'entailment': '0', 'neutral': '1', 'contradiction': '2'}
    """
    parts = [part.partition("=") for part in text.split(",")]
    return {name.strip(): label.strip() for name, _, label in parts}


def stances_of(
    labels: Sequence[str], *, context: str | None, given: Mapping[str, str] | None = None
) -> Mapping[str, Stance]:
    """What each label says of a pair; SettingError where no contrast example can be made. Other labels are left out.

    context: the name of the column that is read beside the text, None for single texts. given: the labels that stand for
    "entailment", "neutral" and "contradiction"; guessed from the labels' names where it is None.

    >>> stances_of(["0", "1", "2"], context="premise", given={"entailment": "0", "neutral": "1", "contradiction": "2"})["2"]
    'contradicts'
    """
    if context is None:
        raise SettingError(
            "Contrast examples are made of pairs. Got single texts. Name the column of the premise with --context, or leave --contrast out."
        )
    there = ", ".join(map(repr, labels))
    if given is not None:
        told, known = list(given.values()), set(labels)
        if set(given) != set(STANCES) or not set(told) <= known or len(set(told)) < len(told):
            asked = ",".join(f"{name}={label}" for name, label in given.items())
            raise SettingError(
                f"--contrast-labels must name a label of the data for each of entailment, neutral and contradiction. Got {asked!r}, and the "
                f"data have {there}. Write it like {AS_IN}."
            )
        return {label: STANCES[name] for name, label in given.items()}
    stances = stances_named(labels)
    if not set(STANCES.values()) <= set(stances.values()):
        next_step = f"Say which is which, like {AS_IN}, or leave" if len(labels) >= len(STANCES) else "Leave"
        raise SettingError(
            "Contrast examples need labels for entailment, neutral and contradiction (or SUPPORTS, NOT ENOUGH INFO and REFUTES). "
            f"Got {there}. {next_step} --contrast out."
        )
    return stances


def needs_english() -> None:
    """Raise MissingExtra where English cannot be analysed, DataError where there is no WordNet; call it before a training."""
    load_pipeline()
    is_hypernym("men", "people")  # inflects, and looks into WordNet


def sets_of(induced: Induced) -> list[ContrastSet]:
    """The contrast sets of the held-out rows, made of the words that the trees of the other rows have."""
    stances = stances_of(
        induced.label_names,
        context="context" if induced.is_pair else None,
        given=induced.settings.contrast_labels,
    )
    learned, held_out = induced.learned, induced.held_out
    words = GrammarWords.learn(
        [trees[0] for trees in learned.trees],
        [document.example.label for document in learned.documents],
        stances,
    )
    rows = [document.example for document in held_out.documents]
    return contrast_sets(rows, [trees[0] for trees in held_out.trees], words, stances)


def lines_of(sets: Sequence[ContrastSet]) -> str:
    """What contrast.jsonl holds: an example a line."""
    lines = [json.dumps(asdict(member), ensure_ascii=False) for one in sets for member in one.members]
    return "".join(f"{line}\n" for line in lines)


def contrast_table(sets: Sequence[ContrastSet], predict: Predict | None) -> list[dict[str, Any]]:
    """For each kind of edit how many sets there are, how often a classifier gives the shortcut's label, and the first example.

    predict: the classifier's labels for pairs; None where there is none, so that the error is not known.
    """
    errors = {one.edit: one.to_dict() for one in contrast_errors(sets, predict)} if predict else {}
    rows = []
    for edit in EDITS:
        its = [one for one in sets if one.edit == edit]
        if its:
            counts = {"edit": edit, "sets": len(its), "examples": sum(len(one.members) for one in its)}
            measured = errors.get(edit, counts | NOT_MEASURED)
            rows.append({**measured, "shortcut": its[0].shortcut, "example": _example(its[0], predict)})
    return rows


def _example(one: ContrastSet, predict: Predict | None) -> dict[str, Any]:
    """The first example of a set beside its row. answer: the classifier's, None where there is none."""
    member, context = one.members[0], one.row.context or ""
    answer = predict(Inputs([member.after], [context]))[0] if predict else None
    return {**asdict(member), "context": context, "row_label": one.row.label, "answer": answer}
