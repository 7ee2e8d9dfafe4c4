"""The tables of a grammar run, as the result holds them.

    composites   Tables 1-5: the most informative subtrees by root and label; phrases: those of two words or more (Tables 11-14)
    rules        Table 15
    versions     Table 10: each composite as n-grams; Table 6: a classifier's accuracy on supporting and counter-examples
    wrong        section 6, Table 9: the rules that favour a classifier's wrong prediction, beside its saliency map
    contrast     Table 7: how often contrast examples mislead a classifier; None without contrast examples

The classifier is trained on the rows that the grammar was learned from, and tested on the held-out rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import cast

import numpy as np

from longway.classify.catalog import model_named
from longway.classify.classifier import Classifier, Inputs, Labelled
from longway.detect.grammar_versions import compare_versions
from longway.errors import LongwayError
from longway.grammars.forest import Forest
from longway.grammars.information import Composite, RuleShares, composites, for_and_against, informative_rules
from longway.grammars.trees import Tree, brackets, leaves, nodes, span
from longway.jobs.grammar.contrast_examples import contrast_table
from longway.jobs.grammar.induced import Induced, ParsedRows
from longway.jobs.grammar.result import (
    ClassifierSummary,
    GrammarResult,
    GrammarSummary,
    KindVersions,
    PhraseKind,
    RuleRatio,
    RuleSummary,
    TreeExample,
    VersionAccuracy,
    VersionCounts,
    WrongPrediction,
)
from longway.jobs.grammar.saliency import with_saliency
from longway.jobs.grammar.settings import Device
from longway.json_values import from_json
from longway.methods.contrast import ContrastSet
from longway.records import Problem
from longway.store import now

SHOWN = 40  # composites per table
COMPARED = 12  # composites whose versions are compared
PICTURED = 8  # composites with pictures of trees
PICTURES = 2  # supporting examples of each; besides one counter-example
LONGEST_PICTURE = 16  # leaves of a tree to draw, if there is a shorter one
WRONG = 8  # wrong predictions explained
LONGEST_WRONG = 400  # characters of the tree of one, if there is a shorter one
RULES_PER_TREE = 3
BETWEEN = "\n"  # separates the sentences of a row: no phrase crosses it


@dataclass(frozen=True, slots=True)
class _Answers:
    """A trained classifier and its predictions for the held-out rows."""

    model: Classifier
    predicted: Sequence[str]
    correct: Sequence[bool]


def result_of(induced: Induced, sets: Sequence[ContrastSet] | None = None) -> GrammarResult:
    """The result of a run. sets: contrast sets of the held-out rows, None if none were generated."""
    learned, held_out, settings, sizes = induced.learned, induced.held_out, induced.settings, induced.sizes
    labels, n_labels = learned.labels, len(induced.label_names)
    found = composites(induced.forest, labels, n_labels)[:SHOWN]
    phrases = composites(induced.forest, labels, n_labels, min_leaves=2)[:SHOWN]
    answers, problems = _answers(induced)
    held_out_forest = Forest(held_out.trees, like=induced.forest)
    model, trained = induced.grammar, induced.grammar.trained
    from longway.grammars.minibatch import TRAINING

    by_label = np.bincount(labels, minlength=n_labels).tolist()
    return GrammarResult(
        dataset=induced.dataset,
        grammar=GrammarSummary(
            kind=model.kind,
            nonterminals=model.nonterminals,
            preterminals=sizes.preterminals,
            dimension=sizes.dimension,
            words=len(model.vocabulary),
            device=cast(Device, induced.device),
            rows=len(learned.rows),
            labels=dict(zip(induced.label_names, by_label, strict=True)),
            texts=trained.texts,
            held_out=held_out.name,
            held_out_rows=len(held_out.rows),
            held_out_texts=trained.held_out_texts,
            epochs=trained.epochs,
            held_out_nats_per_word=trained.held_out_nats_per_word,
            history=tuple(trained.history),
            max_texts=sizes.texts,
        ),
        composites=tuple(_phrase_kind(one, induced) for one in found),
        phrases=tuple(_phrase_kind(one, induced) for one in phrases),
        rules=tuple(
            RuleSummary(
                str(one.rule),
                induced.label_names[one.label],
                one.outlines,
                sum(one.counts),
                one.counts[one.label] / sum(one.counts),
                one.mutual_information,
            )
            for one in informative_rules(induced.forest, labels, n_labels)
        ),
        versions=tuple(_versions(one, induced, held_out_forest, answers) for one in found[:COMPARED]),
        classifier=None
        if answers is None or settings.classifier is None
        else ClassifierSummary(
            settings.classifier, sum(answers.correct) / len(answers.correct), len(answers.correct)
        ),
        pictures=tuple(picture for one in found[:PICTURED] for picture in _pictures(one, induced)),
        wrong=() if answers is None else _wrong(induced, answers),
        contrast=None if sets is None else contrast_table(sets, answers.model.predict if answers else None),
        tested=induced.tested,
        significant=induced.significant,
        problems=(*induced.problems, *problems),
        settings=settings.recorded(
            sizes,
            batch=sizes.batch or TRAINING[induced.device].size,
            device=cast(Device, induced.device),
        ),
        longway=version("longway"),
        created=now(),
        findings=tuple(induced.findings),
        kinds=tuple(induced.kinds),
        model=model,
    )


def _phrase_kind(one: Composite, induced: Induced) -> PhraseKind:
    q = min((induced.piece_q.get(number, 1.0) for number in one.subtrees), default=1.0)
    return PhraseKind(
        one.root,
        induced.label_names[one.label],
        one.spans,
        len(one.subtrees),
        one.count,
        dict(zip(induced.label_names, one.counts, strict=True)),
        one.label_share,
        one.mutual_information,
        q if q <= induced.settings.max_q else None,
    )


def _answers(induced: Induced) -> tuple[_Answers | None, list[Problem]]:
    """A trained classifier with its predictions; None if there is none or it cannot be trained."""
    settings = induced.settings
    if settings.classifier is None:
        return None, []
    model = model_named(settings.classifier, seed=settings.seed, device=settings.device, **settings.tuning())
    held_out = _labelled(induced.held_out)
    try:
        model.fit(_labelled(induced.learned))
        predicted = model.predict(held_out.inputs)
    except LongwayError as error:
        message = f"The classifier {settings.classifier} could not be trained, so its tables are missing."
        return None, [Problem("no_classifier", message, 1, str(error))]
    correct = [answer == label for answer, label in zip(predicted, held_out.labels, strict=True)]
    return _Answers(model, predicted, correct), []


def _labelled(part: ParsedRows) -> Labelled:
    examples = [row.example for row in part.rows]
    has_context = any(example.context is not None for example in examples)
    contexts = [example.context or "" for example in examples] if has_context else None
    return Labelled(
        Inputs([example.text for example in examples], contexts), [example.label for example in examples]
    )


def _versions(
    one: Composite, induced: Induced, held_out_forest: Forest, answers: _Answers | None
) -> KindVersions:
    """The composite in its versions: counts in the training rows, accuracy in the held-out rows."""
    learned, held_out, known = induced.learned, induced.held_out, induced.grammar.vocabulary.known
    found = compare_versions(one, induced.forest, texts_of(learned, known), learned.labels)
    correct = None if answers is None else answers.correct
    tested = compare_versions(
        one, held_out_forest, texts_of(held_out, known), held_out.labels, correct=correct
    )
    by_name = {each.name: each for each in tested}
    versions = []
    for each in found:
        other = by_name[each.name]
        accuracy = from_json(VersionAccuracy, other.accuracy.to_dict()) if other.accuracy else None
        versions.append(
            VersionCounts(
                each.name,
                len(each.supporting),
                len(each.counter),
                len(other.supporting),
                len(other.counter),
                accuracy,
            )
        )
    return KindVersions(one.root, induced.label_names[one.label], one.spans, tuple(versions))


def texts_of(
    part: ParsedRows, known: Callable[[list[str]], Sequence[str]]
) -> list[tuple[list[str], list[str]]]:
    """The words of each row as the grammar knows them, its sentences separated by `BETWEEN`."""
    return [
        tuple([word for unit in row.units for word in (*known(unit[side]), BETWEEN)] for side in (0, 1))  # type: ignore[misc]
        for row in part.rows
    ]


def _pictures(one: Composite, induced: Induced) -> list[TreeExample]:
    """Trees with the composite's subtrees highlighted: supporting examples with different words, and a counter-example."""
    sides = for_and_against(induced.forest.has_any(one.subtrees), induced.learned.labels, one.label)
    found: list[TreeExample] = []
    for side, rows, n in (("supporting", sides[0], PICTURES), ("counter", sides[1], 1)):
        drawn: dict[str, TreeExample] = {}  # by the highlighted words
        for row, tree, best, marks in _short_first(rows.tolist(), one, induced):
            if len(drawn) == n:
                break
            marked = span(induced.forest.subtrees.tree(best), pair=induced.is_pair)
            example, text = induced.learned.rows[row].example, brackets(tree, pair=induced.is_pair)
            label = induced.label_names[one.label]
            shown = TreeExample(one.root, label, side, example.id, example.label, text, tuple(marks), marked)
            drawn.setdefault(marked, shown)
        found += drawn.values()
    return found


def _short_first(rows: list[int], one: Composite, induced: Induced) -> list[tuple[int, Tree, int, list[int]]]:
    """Each row with a tree, its most informative subtree and where the tree has it; sorted by these subtrees, long trees last."""
    rank = {number: i for i, number in enumerate(one.subtrees)}
    found = [(row, *_most_informative(induced.learned.trees[row], rank, induced.forest)) for row in rows]

    def key(shown: tuple[int, Tree, int, list[int]]) -> tuple[bool, int, int]:
        n_leaves = len(leaves(shown[1]))
        return n_leaves > LONGEST_PICTURE, rank[shown[2]], n_leaves

    return sorted(found, key=key)


def _most_informative(
    trees: Sequence[Tree], rank: dict[int, int], forest: Forest
) -> tuple[Tree, int, list[int]]:
    """The tree of a row with the best subtree by rank, that subtree's number, and where the tree has it."""
    numbered = [(tree, forest.subtrees.number_all(tree)) for tree in trees]
    best = min(
        (number for _, numbers in numbered for number in numbers if number in rank), key=rank.__getitem__
    )
    tree, numbers = next(both for both in numbered if best in both[1])
    return tree, best, [i for i, number in enumerate(numbers) if number == best]


def _wrong(induced: Induced, answers: _Answers) -> tuple[WrongPrediction, ...]:
    """The wrong predictions that rules favour most, short trees first."""
    names, part, pair = induced.label_names, induced.held_out, induced.is_pair
    shares = RuleShares(induced.forest, induced.learned.labels, len(names))
    found, examples = [], {}
    for row, trees, answer in zip(part.rows, part.trees, answers.predicted, strict=True):
        label = row.example.label
        if answer == label:
            continue
        evidence = shares.explain(trees, answer=names.index(answer), truth=row.label)[:RULES_PER_TREE]
        if not evidence or evidence[0].ratio <= 1:
            continue
        best = evidence[0].node
        tree = next(tree for tree in trees if any(node is best for node in nodes(tree)))
        marks = tuple(i for i, node in enumerate(nodes(tree)) if node is best)
        rules = tuple(RuleRatio(str(one.rule), one.ratio, span(one.node, pair=pair)) for one in evidence if one.ratio > 1)  # fmt: skip
        found.append(WrongPrediction(row.example.id, label, answer, brackets(tree, pair=pair), marks, rules))
        examples[row.example.id] = row.example
    found.sort(key=lambda one: (len(one.tree) > LONGEST_WRONG, -one.rules[0].ratio))
    shown = found[:WRONG]
    return with_saliency(shown, [examples[one.id] for one in shown], answers.model)
