"""Contrast examples of a grammar run: held-out pairs that have a shortcut of the grammar but not its label.

    trees of the training rows  ->  the grammar's words  ->  held-out pairs, edited with them   contrast.jsonl
                                                         ->  a classifier's predictions         the table "contrast sets"

The edits are those of `methods.contrast` (section 4 of the paper, Table 7). They need pairs with labels for entailment, contradiction
and neutral, and the analysis of English.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

from longway.english.pipeline import load_pipeline
from longway.errors import SettingError
from longway.jobs.grammar.induced import Induced
from longway.jobs.grammar.result import ContrastExample, ContrastSummary
from longway.methods.contrast import EDITS, ContrastSet, GrammarWords, contrast_errors, contrast_sets
from longway.methods.contrast.grammar_words import is_hypernym
from longway.models.classifier import Inputs
from longway.task import Stance, stances_named

STANCES: Mapping[str, Stance] = {
    "entailment": "entails",
    "neutral": "neutral",
    "contradiction": "contradicts",
}
AS_IN = "--contrast-labels entailment=0,neutral=1,contradiction=2"

Predict = Callable[[Inputs], Sequence[str]]


def stances_of(
    labels: Sequence[str], *, context: str | None, given: Mapping[str, str] | None = None
) -> Mapping[str, Stance]:
    """The stance of each label; SettingError if no contrast example can be generated. Other labels are left out.

    context: the name of the context column, None for single texts. given: the labels for "entailment", "neutral" and
    "contradiction"; by default guessed from the names of the labels.

    >>> stances_of(["0", "1", "2"], context="premise", given={"entailment": "0", "neutral": "1", "contradiction": "2"})["2"]
    'contradicts'
    """
    if context is None:
        raise SettingError(
            "Contrast examples are made of pairs. Got single texts. Name the column of the premise with --context, or leave --contrast out."
        )
    known = ", ".join(map(repr, labels))
    if given is not None:
        chosen = set(given.values())
        if set(given) != set(STANCES) or not chosen <= set(labels) or len(chosen) < len(given):
            got = ",".join(f"{name}={label}" for name, label in given.items())
            raise SettingError(
                f"--contrast-labels must name a label of the data for each of entailment, neutral and contradiction. Got {got!r}, and the "
                f"data have {known}. Write it like {AS_IN}."
            )
        return {label: STANCES[name] for name, label in given.items()}
    stances = stances_named(labels)
    if not set(STANCES.values()) <= set(stances.values()):
        next_step = f"Say which is which, like {AS_IN}, or leave" if len(labels) >= len(STANCES) else "Leave"
        raise SettingError(
            "Contrast examples need labels for entailment, neutral and contradiction (or SUPPORTS, NOT ENOUGH INFO and REFUTES). "
            f"Got {known}. {next_step} --contrast out."
        )
    return stances


def check_english() -> None:
    """Raise MissingExtra if English cannot be analysed or inflected."""
    load_pipeline()
    is_hypernym("men", "people")  # uses inflection


def sets_of(induced: Induced) -> list[ContrastSet]:
    """The contrast sets of the held-out rows, with words from the trees of the training rows."""
    stances = stances_of(
        induced.label_names,
        context="context" if induced.is_pair else None,
        given=induced.settings.contrast_labels,
    )
    learned, held_out = induced.learned, induced.held_out
    words = GrammarWords.learn(
        [trees[0] for trees in learned.trees], [row.example.label for row in learned.rows], stances
    )
    rows = [row.example for row in held_out.rows]
    return contrast_sets(rows, [trees[0] for trees in held_out.trees], words, stances)


def contrast_table(sets: Sequence[ContrastSet], predict: Predict | None) -> tuple[ContrastSummary, ...]:
    """The sets of each kind of edit, how often a classifier is misled, and the first example.

    predict: the classifier's labels for pairs; None if there is no classifier.
    """
    errors = {one.edit: one.to_dict() for one in contrast_errors(sets, predict)} if predict else {}
    rows = []
    for edit in EDITS:
        if chosen := [one for one in sets if one.edit == edit]:
            error = {key: errors.get(edit, {}).get(key) for key in ("counted", "error", "low", "high")}
            n_examples = sum(len(one.members) for one in chosen)
            example = _example(chosen[0], predict)
            rows.append(ContrastSummary(edit, len(chosen), n_examples, chosen[0].shortcut, example, **error))
    return tuple(rows)


def _example(one: ContrastSet, predict: Predict | None) -> ContrastExample:
    """The first example of a set beside its row."""
    member, context = one.members[0], one.row.context or ""
    answer = predict(Inputs([member.after], [context]))[0] if predict else None
    return ContrastExample(**asdict(member), context=context, row_label=one.row.label, answer=answer)
