"""The tables of a grammar run, as the result holds them.

    composites   Tables 1-5: the most informative subtrees by root and label, significant kinds first
    rules        Table 15
                 accuracy, Table 6: a classifier's on supporting and counter-examples
    wrong        section 6, Table 9: the rules that favour a classifier's wrong prediction
    contrast     Table 7: how often contrast examples mislead a classifier; None without contrast examples

The classifier is trained on the rows that the grammar was learned from, and tested on the held-out rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from itertools import islice, zip_longest
from typing import cast

import numpy as np

from longway.detect.grammar_kinds import Kind
from longway.detect.levels import where
from longway.english.pipeline import load_pipeline
from longway.errors import LongwayError, SettingError
from longway.grammar_names import grammar_name, phrase_of, rule_name
from longway.grammars.forest import Forest, rule_key
from longway.grammars.information import (
    Composite,
    InformativeRule,
    RuleShares,
    for_and_against,
    informative_rules,
)
from longway.grammars.trees import Tree, brackets, leaves, nodes, pattern_span, sides, span
from longway.grammars.vocabulary import AT_LEAST
from longway.jobs.grammar.induced import Induced, ParsedRows
from longway.jobs.grammar.result import (
    ClassifierSummary,
    ContrastExample,
    ContrastSummary,
    GrammarResult,
    GrammarSummary,
    KindAccuracy,
    PhraseKind,
    RowExample,
    RuleRatio,
    RuleSummary,
    TreeExample,
    WrongPrediction,
)
from longway.jobs.grammar.settings import Device
from longway.json_values import from_json
from longway.methods.contrast import EDITS, ContrastSet, GrammarWords, contrast_errors, contrast_sets
from longway.methods.contrast.grammar_words import is_hypernym
from longway.metrics.group_accuracy import pattern_accuracy
from longway.models.catalog import model_named
from longway.models.classifier import Classifier, Inputs, Labelled
from longway.records import Pattern, Problem
from longway.store import now
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
            example = _contrast_example(chosen[0], predict)
            rows.append(ContrastSummary(edit, len(chosen), n_examples, chosen[0].shortcut, example, **error))
    return tuple(rows)


def _contrast_example(one: ContrastSet, predict: Predict | None) -> ContrastExample:
    """The first example of a set beside its row."""
    member, context = one.members[0], one.row.context or ""
    answer = predict(Inputs([member.after], [context]))[0] if predict else None
    return ContrastExample(**asdict(member), context=context, row_label=one.row.label, answer=answer)


SHOWN = 40  # composites per table
COMPARED = 12  # composites on which the classifier is tested
PICTURED = 8  # composites with pictures of trees
PICTURES = 2  # supporting examples of each; besides one counter-example
EXAMPLES = 3  # rows of each composite
LOOKED_AT = 200  # rows among which these are chosen
LONGEST_PICTURE = 16  # leaves of a tree to draw, if there is a shorter one
WRONG = 8  # wrong predictions explained
LONGEST_WRONG = 400  # characters of the tree of one, if there is a shorter one
RULES_PER_TREE = 3


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
    same_as = _same_as(induced.composites[:SHOWN], induced)
    leaders = [
        kind
        for kind, other in zip(induced.composites, same_as, strict=False)
        if other is None and kind.is_significant(settings.max_q)
    ]
    answers, problems = _answers(induced)
    accuracies = {} if answers is None else _accuracies(leaders, induced, answers.correct)
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
            kinds=len(induced.composites),
            tested_rows=sum(induced.composites[0].evidence.totals) if induced.composites else None,
            min_word_count=cast(int, trained.settings.get("at_least", AT_LEAST)),
        ),
        composites=tuple(
            replace(
                _phrase_kind(kind, induced),
                same_as=other,
                accuracy=accuracies.get((kind.composite.root, kind.composite.label)),
            )
            for kind, other in zip(induced.composites, same_as, strict=False)
        ),
        rules=_rules(induced),
        classifier=None
        if answers is None or settings.classifier is None
        else ClassifierSummary(
            settings.classifier, sum(answers.correct) / len(answers.correct), len(answers.correct)
        ),
        pictures=tuple(picture for kind in leaders[:PICTURED] for picture in _pictures(kind, induced)),
        wrong=()
        if answers is None
        else wrong_predictions(induced.forest, learned, held_out, induced.label_names, answers.predicted),
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


def _phrase_kind(kind: Kind, induced: Induced) -> PhraseKind:
    one, evidence = kind.composite, kind.evidence
    low, high = evidence.interval(one.label)
    return PhraseKind(
        root=one.root,
        label=induced.label_names[one.label],
        spans=one.spans,
        subtrees=len(one.subtrees),
        count=one.count,
        counts=dict(zip(induced.label_names, one.counts, strict=True)),
        share=one.label_share,
        mutual_information=one.mutual_information,
        q=evidence.q if kind.is_significant(induced.settings.max_q) else None,
        name=grammar_name(kind.spans),
        tested=sum(evidence.counts),
        tested_share=evidence.share(one.label),
        points=evidence.points(one.label),
        low=low,
        high=high,
        relation=phrase_of(kind.spans[0]).relation,
        examples=_examples(one, induced),
    )


def _same_as(kinds: Sequence[Kind], induced: Induced) -> list[int | None]:
    """For each kind the place of the first one before it with the same label and at least half of all rows of both; None if there is none."""
    rows = [induced.forest.has_any(kind.composite.subtrees) for kind in kinds]
    found: list[int | None] = []
    for i, kind in enumerate(kinds):
        similar = (
            j
            for j in range(i)
            if found[j] is None
            and kinds[j].composite.label == kind.composite.label
            and 2 * (rows[i] & rows[j]).sum() >= (rows[i] | rows[j]).sum()
        )
        found.append(next(similar, None))
    return found


def _examples(one: Composite, induced: Induced) -> tuple[RowExample, ...]:
    """Rows with the composite and its label, short ones with different phrases first."""
    rows, _ = for_and_against(induced.forest.has_any(one.subtrees), induced.learned.labels, one.label)
    by_phrase: dict[str, list[RowExample]] = {}
    for row, tree, best, marks in _short_first(rows[:LOOKED_AT].tolist(), one, induced):
        words = pattern_span(induced.forest.subtrees.tree(best), pair=induced.is_pair)
        unit = next(i for i, each in enumerate(induced.learned.trees[row]) if each is tree)
        as_written = _as_written(tree, marks[0], induced.learned.rows[row].units[unit])
        by_phrase.setdefault(words, []).append(_example(row, as_written, induced))
    turns = zip_longest(*by_phrase.values())  # another phrase each time, as long as there are some
    return tuple(islice((each for turn in turns for each in turn if each is not None), EXAMPLES))


def _as_written(tree: Tree, mark: int, unit: Sequence[Sequence[str]]) -> str:
    """The words of a node as a pattern holds them, with rare words. mark: the place of the node; unit: the words of the texts."""
    through = list(nodes(tree))[: mark + 1]
    written = [leaf.words for leaf in through if leaf.parts is None]
    phrases = []
    for side, own in enumerate(sides(through[-1])):
        end = sum(bool(words[side]) for words in written)
        phrases.append(" ".join(unit[side][end - len(own) : end]))
    return "\t".join(phrases) if unit[1] else phrases[0]


def _example(row: int, words: str, induced: Induced) -> RowExample:
    example = induced.learned.rows[row].example
    texts = {"text": example.text} | ({"context": example.context or ""} if induced.is_pair else {})
    pattern = Pattern("grammar", "text", (words,), context="context" if induced.is_pair else "")
    found = where(pattern, texts) or {}
    marks, context_marks = (tuple(found.get(name, ())[:1]) for name in ("text", "context"))
    return RowExample(example.id, example.text, example.context or "", marks, context_marks, pattern.name)


def _rules(induced: Induced) -> tuple[RuleSummary, ...]:
    """The most informative rules, significant ones first."""
    found = informative_rules(induced.forest, induced.learned.labels, len(induced.label_names))
    rules = [_rule(one, induced) for one in found]
    return tuple(sorted(rules, key=lambda rule: rule.q is None))


def _rule(one: InformativeRule, induced: Induced) -> RuleSummary:
    q = induced.rule_q.get(rule_key(one.rule), 1.0)
    trees = (induced.forest.subtrees.tree(number) for number in one.subtrees)
    parts = [
        tuple(pattern_span(part, pair=induced.is_pair) for part in tree.parts) for tree in trees if tree.parts
    ]
    return RuleSummary(
        rule=str(one.rule),
        label=induced.label_names[one.label],
        outlines=one.outlines,
        count=sum(one.counts),
        share=one.counts[one.label] / sum(one.counts),
        mutual_information=one.mutual_information,
        q=q if q <= induced.settings.max_q else None,
        name=rule_name(parts),
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


def _accuracies(
    leaders: Sequence[Kind], induced: Induced, correct: Sequence[bool]
) -> dict[tuple[int, int], KindAccuracy]:
    """The accuracy of the classifier on held-out rows with each of the strongest kinds, by root and label."""
    forest, labels = Forest(induced.held_out.trees, like=induced.forest), induced.held_out.labels
    found = {}
    for kind in leaders[:COMPARED]:
        one = kind.composite
        accuracy = pattern_accuracy(correct, forest.has_any(one.subtrees), labels == one.label)
        found[one.root, one.label] = from_json(KindAccuracy, accuracy.to_dict())
    return found


def _pictures(kind: Kind, induced: Induced) -> list[TreeExample]:
    """Trees with the composite's subtrees highlighted: supporting examples with different words, and a counter-example."""
    one, name = kind.composite, grammar_name(kind.spans)
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
            shown = TreeExample(
                one.root, label, side, example.id, example.label, text, tuple(marks), marked, name
            )
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


def wrong_predictions(
    forest: Forest,
    learned: ParsedRows,
    held_out: ParsedRows,
    names: Sequence[str],
    predicted: Sequence[str],
) -> tuple[WrongPrediction, ...]:
    """The wrong predictions of held-out rows that rules favour most, short trees first. forest: of the rows learned from."""
    shares, pair = RuleShares(forest, learned.labels, len(names)), forest.subtrees.has_pairs
    found = []
    for row, trees, answer in zip(held_out.rows, held_out.trees, predicted, strict=True):
        label = row.example.label
        if answer == label:
            continue
        evidence = shares.explain(trees, answer=names.index(answer), truth=row.label)[:RULES_PER_TREE]
        if not evidence or evidence[0].ratio <= 1:
            continue
        best = evidence[0].node
        tree = next(tree for tree in trees if any(node is best for node in nodes(tree)))
        marks = tuple(i for i, node in enumerate(nodes(tree)) if node is best)
        rules = tuple(
            RuleRatio(str(one.rule), one.ratio, span(one.node, pair=pair), grammar_name([pattern_span(one.node, pair=pair)]))
            for one in evidence
            if one.ratio > 1
        )  # fmt: skip
        found.append(WrongPrediction(row.example.id, label, answer, brackets(tree, pair=pair), marks, rules))
    found.sort(key=lambda one: (len(one.tree) > LONGEST_WRONG, -one.rules[0].ratio))
    return tuple(found[:WRONG])
