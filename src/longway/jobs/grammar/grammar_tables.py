"""What a grammar run found, as tables: plain JSON values for tables.json, the terminal and the report.

    composites   Tables 1-5: the most telling subtrees by root and label; phrases: the same of two words or more (Tables 11-14)
    rules        Table 15
    versions     Table 10: each composite as n-grams; Table 6: a classifier's accuracy on supporting and counter-examples
    wrong        section 6: which rules speak for a classifier's wrong answer
    contrast     Table 7: how often a classifier falls for contrast examples; None where none were asked for

The classifier is trained on the rows that the grammar was learned from and asked about those that were held out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from longway.classify.catalog import model_named
from longway.classify.classifier import Inputs, Labelled
from longway.detect.grammar_versions import Version, compare_versions
from longway.errors import LongwayError
from longway.grammar.forest import Forest
from longway.grammar.information import Composite, RuleShares, composites, for_and_against, informative_rules
from longway.grammar.trees import Tree, brackets, nodes, span
from longway.jobs.grammar.grammar import Induced, Part
from longway.jobs.grammar.grammar_contrast import Predict, contrast_table
from longway.methods.contrast import ContrastSet
from longway.records import Problem
from longway.store import now

SHOWN = 40  # composites of each table
COMPARED = 12  # composites whose versions are compared
PICTURED = 8  # composites with pictures of trees
PICTURES = 2  # of supporting examples, for each of them; one counter-example beside
LONGEST_PICTURE = 16  # leaves of a tree to draw, where there is a shorter one
WRONG = 8  # wrong answers explained
SPEAKING = 3  # rules told of each
BETWEEN = "\n"  # sentences of a row: no phrase goes on behind it

Ints = NDArray[np.int64]


def tables_of(induced: Induced, sets: Sequence[ContrastSet] | None = None) -> dict[str, Any]:
    """Everything but the findings, as plain JSON values. sets: contrast sets of the held-out rows, None where none were asked for."""
    labels, n_labels = induced.learned.labels, len(induced.label_names)
    found = composites(induced.forest, labels, n_labels)[:SHOWN]
    phrases = composites(induced.forest, labels, n_labels, min_leaves=2)[:SHOWN]
    predict, answers, problems = _answers(induced)
    held_out = Forest(induced.held_out.trees, like=induced.forest)
    return {
        "version": 1,
        "longway": version("longway"),
        "created": now(),
        "dataset": induced.dataset,
        "grammar": _about(induced),
        "composites": [_composite(one, induced) for one in found],
        "phrases": [_composite(one, induced) for one in phrases],
        "rules": _rules(induced),
        "versions": [_versions(one, induced, held_out, answers) for one in found[:COMPARED]],
        "classifier": _classifier(induced, answers),
        "pictures": [picture for one in found[:PICTURED] for picture in _pictures(one, induced)],
        "wrong": _wrong(induced, answers),
        "contrast": None if sets is None else contrast_table(sets, predict),
        "tested": induced.tested,
        "significant": induced.significant,
        "problems": [problem.to_dict() for problem in [*induced.problems, *problems]],
        "settings": {**asdict(induced.settings), **asdict(induced.sizes), "device": induced.device},
    }


def findings_of(induced: Induced) -> dict[str, Any]:
    """What findings.json holds: the findings of the level "grammar", and the same joined into kinds."""
    return {
        "version": 1,
        "longway": version("longway"),
        "created": now(),
        "dataset": induced.dataset,
        "problems": [problem.to_dict() for problem in induced.problems],
        "tested": induced.tested,
        "significant": induced.significant,
        "listed": sum(1 + len(finding.variants) for finding in induced.findings),
        "findings": [finding.to_dict() for finding in induced.findings],
        "kinds": [finding.to_dict() for finding in induced.kinds],
        "settings": asdict(induced.settings),
    }


def _about(induced: Induced) -> dict[str, Any]:
    trained = induced.grammar.trained
    return {
        "kind": induced.grammar.kind,
        "nonterminals": induced.grammar.nonterminals,
        "preterminals": induced.sizes.preterminals,
        "dimension": induced.sizes.dimension,
        "words": len(induced.grammar.vocabulary),
        "device": induced.device,
        "rows": len(induced.learned.documents),
        "labels": dict(zip(induced.label_names, _by_label(induced), strict=True)),
        "texts": trained.texts,
        "held_out": induced.held_out.name,
        "held_out_rows": len(induced.held_out.documents),
        "held_out_texts": trained.held_out_texts,
        "epochs": trained.epochs,
        "held_out_nats_per_word": trained.held_out_nats_per_word,
        "history": trained.history,
    }


def _by_label(induced: Induced) -> list[int]:
    """Rows learned from, of each label."""
    return np.bincount(induced.learned.labels, minlength=len(induced.label_names)).tolist()


def _composite(one: Composite, induced: Induced) -> dict[str, Any]:
    """A row of Tables 1-5. q: of its surest subtree, None where none was tested or none is tied to a label."""
    q = min((induced.piece_q.get(number, 1.0) for number in one.subtrees), default=1.0)
    return {
        "root": one.root,
        "label": induced.label_names[one.label],
        "spans": list(one.spans),
        "subtrees": len(one.subtrees),
        "count": one.count,
        "counts": dict(zip(induced.label_names, one.counts, strict=True)),
        "share": one.label_share,
        "mutual_information": one.mutual_information,
        "q": q if q <= induced.settings.max_q else None,
    }


def _rules(induced: Induced) -> list[dict[str, Any]]:
    found = informative_rules(induced.forest, induced.learned.labels, len(induced.label_names))
    return [
        {
            "rule": str(one.rule),
            "label": induced.label_names[one.label],
            "outlines": list(one.outlines),
            "count": sum(one.counts),
            "share": one.counts[one.label] / sum(one.counts),
            "mutual_information": one.mutual_information,
        }
        for one in found
    ]


def _answers(induced: Induced) -> tuple[Predict | None, list[str] | None, list[Problem]]:
    """A trained classifier, and what it says of the held-out rows; None where none was asked for or none can be trained."""
    if induced.settings.classifier is None:
        return None, None, []
    model = model_named(
        induced.settings.classifier, seed=induced.settings.seed, device=induced.settings.device
    )
    try:
        model.fit(_labelled(induced.learned))
        return model.predict, model.predict(_labelled(induced.held_out).inputs), []
    except LongwayError as error:
        message = f"The classifier {induced.settings.classifier} was not asked: it could not be trained."
        return None, None, [Problem("no_classifier", message, 1, str(error))]


def _labelled(part: Part) -> Labelled:
    examples = [document.example for document in part.documents]
    contexts = [example.context or "" for example in examples]
    has_context = any(example.context is not None for example in examples)
    inputs = Inputs([example.text for example in examples], contexts if has_context else None)
    return Labelled(inputs, [example.label for example in examples])


def _correct(induced: Induced, answers: list[str]) -> list[bool]:
    truth = [document.example.label for document in induced.held_out.documents]
    return [answer == label for answer, label in zip(answers, truth, strict=True)]


def _classifier(induced: Induced, answers: list[str] | None) -> dict[str, Any] | None:
    if answers is None:
        return None
    correct = _correct(induced, answers)
    return {
        "name": induced.settings.classifier,
        "accuracy": sum(correct) / len(correct),
        "rows": len(correct),
    }


def _versions(
    one: Composite, induced: Induced, held_out: Forest, answers: list[str] | None
) -> dict[str, Any]:
    """The composite in its three versions: counts in the rows learned from, accuracy in the held-out ones."""
    known = induced.grammar.vocabulary.known
    correct = None if answers is None else _correct(induced, answers)
    of_learned = compare_versions(one, induced.forest, _texts(induced.learned, known), induced.learned.labels)
    tested = compare_versions(
        one, held_out, _texts(induced.held_out, known), induced.held_out.labels, correct=correct
    )
    of_held_out = {version.name: version for version in tested}
    return {
        "root": one.root,
        "label": induced.label_names[one.label],
        "spans": list(one.spans),
        "versions": [_version(version, of_held_out[version.name]) for version in of_learned],
    }


def _version(learned: Version, held_out: Version) -> dict[str, Any]:
    return {
        "name": learned.name,
        "supporting": len(learned.supporting),
        "counter": len(learned.counter),
        "held_out_supporting": len(held_out.supporting),
        "held_out_counter": len(held_out.counter),
        "accuracy": None if held_out.accuracy is None else held_out.accuracy.to_dict(),
    }


def _texts(part: Part, known: Any) -> list[tuple[list[str], list[str]]]:
    """The words of each row as the grammar knows them; sentences one behind the other, with something between that is no word."""
    return [
        tuple([word for unit in document.units for word in (*known(unit[side]), BETWEEN)] for side in (0, 1))  # type: ignore[misc]
        for document in part.documents
    ]


def _pictures(one: Composite, induced: Induced) -> list[dict[str, Any]]:
    """Trees that have the composite, the subtrees marked: supporting examples of different words, and a counter-example."""
    label = one.label
    present = induced.forest.has_any(one.subtrees)
    sides = for_and_against(present, induced.learned.labels, label)
    found: list[dict[str, Any]] = []
    for name, rows, n in (("supporting", sides[0], PICTURES), ("counter", sides[1], 1)):
        seen: set[str] = set()
        for shown in _short_first(rows, one, induced):
            if len(seen) == n:
                break
            marked = span(induced.forest.subtrees.tree(shown.best), pair=induced.is_pair)
            if marked not in seen:
                seen.add(marked)
                about = {"root": one.root, "composite": induced.label_names[label], "side": name}
                found.append({**about, **_picture(shown, induced), "marked": marked})
    return found


class _Shown(NamedTuple):
    """A tree to draw. row: of the document it belongs to; best: its most telling subtree, which it has at `marks`."""

    row: int
    tree: Tree
    best: int
    marks: list[int]


def _short_first(rows: Ints, one: Composite, induced: Induced) -> list[_Shown]:
    """A tree of each row, in the order of the most telling subtree they have, long ones last."""
    rank = {number: i for i, number in enumerate(one.subtrees)}

    def key(shown: _Shown) -> tuple[bool, int, int]:
        leaves = sum(node.parts is None for node in nodes(shown.tree))
        return leaves > LONGEST_PICTURE, rank[shown.best], leaves

    trees = induced.learned.trees
    found = (_Shown(row, *_most_telling(trees[row], rank, induced.forest)) for row in rows.tolist())
    return sorted(found, key=key)


def _most_telling(trees: Sequence[Tree], rank: dict[int, int], forest: Forest) -> tuple[Tree, int, list[int]]:
    """The tree of a document with the best subtree by rank, that subtree's number, and where the tree has it."""
    numbered = [(tree, forest.subtrees.number_all(tree)) for tree in trees]
    best = min(
        (number for _, numbers in numbered for number in numbers if number in rank), key=rank.__getitem__
    )
    tree, numbers = next(both for both in numbered if best in both[1])
    return tree, best, [i for i, number in enumerate(numbers) if number == best]


def _picture(shown: _Shown, induced: Induced) -> dict[str, Any]:
    example = induced.learned.documents[shown.row].example
    tree = brackets(shown.tree, pair=induced.is_pair)
    return {"id": example.id, "label": example.label, "tree": tree, "marks": shown.marks}


def _wrong(induced: Induced, answers: list[str] | None) -> list[dict[str, Any]]:
    """Wrong answers that the rules speak most for."""
    if answers is None:
        return []
    names, part = induced.label_names, induced.held_out
    shares = RuleShares(induced.forest, induced.learned.labels, len(names))
    found: list[dict[str, Any]] = []
    for document, trees, answer in zip(part.documents, part.trees, answers, strict=True):
        if answer == document.example.label:
            continue
        speaks = shares.explain(trees, answer=names.index(answer), truth=document.label)[:SPEAKING]
        if not speaks or speaks[0].ratio <= 1:
            continue
        tree = next(tree for tree in trees if any(node is speaks[0].node for node in nodes(tree)))
        marks = [i for i, node in enumerate(nodes(tree)) if node is speaks[0].node]
        found.append(
            {
                "id": document.example.id,
                "label": document.example.label,
                "answer": answer,
                "tree": brackets(tree, pair=induced.is_pair),
                "marks": marks,
                "rules": [
                    {"rule": str(one.rule), "ratio": one.ratio, "span": span(one.node, pair=induced.is_pair)}
                    for one in speaks
                    if one.ratio > 1
                ],
            }
        )
    found.sort(key=lambda one: (len(one["tree"]) > 400, -one["rules"][0]["ratio"]))
    return found[:WRONG]
