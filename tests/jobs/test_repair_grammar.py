"""Patterns that only a grammar sees are repaired by rows: dropped, weighed, and contrasted by counterparts."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import longway as lw
from longway.data.dataset import examples_of
from longway.errors import SettingError
from longway.jobs.audit import grammar_level
from longway.jobs.before_after import Comparison, with_patterns
from longway.jobs.engine_use import Engines
from longway.jobs.grammar.induced import LengthLimits
from longway.jobs.repair.job import plan_for, prepared, repair_plan, repairing_for
from longway.jobs.repair.page import repair_page
from longway.jobs.repair.settings import RepairSettings
from longway.jobs.run import Watcher
from longway.methods.method import Rows
from longway.methods.repair.drop import drop_for_patterns
from longway.methods.repair.features import N_FEATURES
from longway.methods.repair.grammar import ContrastCounterparts, GrammarPatterns
from longway.methods.repair.remedy import Target
from longway.methods.repair.repair import Repair
from longway.records import Pattern
from longway.report.html import render
from longway.store import Journal
from longway.task import task_of
from tests.jobs.toy_swaps import COLUMNS, ENDS, VERBS, WordForWord, is_swapped, swaps


@pytest.fixture
def word_for_word(monkeypatch):
    """The grammar level with a grammar that need not be learned: all rows are its sample."""

    def sample(dataset, reading, **options):
        rows = examples_of(dataset)
        limits = LengthLimits(pair=60, sentence=20)
        parsed = grammar_level.ParsedSample([], list(range(len(rows))), WordForWord(), limits, True)
        trees = parsed.parse([row.text for row in rows], [row.context for row in rows])
        return grammar_level.ParsedSample(trees, parsed.places, parsed.grammar, limits, True), []

    monkeypatch.setattr("longway.jobs.repair.job.parsed_sample", sample)


def share_of_swaps(rows, label, weights=None):
    mine = [
        (is_swapped(row), 1.0 if weights is None else weights[row["id"]])
        for row in rows
        if row["label"] == label
    ]
    return sum(weight for swapped, weight in mine if swapped) / sum(weight for _, weight in mine)


@pytest.fixture
def repaired(word_for_word, tmp_path):
    """A repair of the swaps, and the rows after it."""
    result = lw.repair(lw.load(swaps(), **COLUMNS), levels="all", out=tmp_path / "run")
    frame = pl.read_parquet(next((tmp_path / "run").glob("dataset.*")))
    return result, frame.to_dicts()


def test_rows_are_dropped_until_a_swap_says_little(repaired):
    before, (result, after) = swaps(), repaired
    gap = share_of_swaps(before, "no") - share_of_swaps(before, "yes")
    assert gap > 0.2
    assert share_of_swaps(after, "no") - share_of_swaps(after, "yes") < gap / 3
    assert 0 < result.dropped <= 0.3 * len(before)
    assert result.changed == result.added == 0
    assert abs(result.labels_after["no"] - result.labels_after["yes"]) <= 2


def test_the_report_has_the_pattern_before_and_after(repaired):
    result, after = repaired
    of_grammar = [change for change in result.comparison.findings if change.pattern.level == "grammar"]
    change = next(change for change in of_grammar if change.pattern.name == "man → woman")
    assert change.label == "no"
    assert change.count_before == sum("man" in _replaced(row, "woman") for row in swaps())
    assert change.count_after == sum("man" in _replaced(row, "woman") for row in after)
    assert change.points_after < 0.5 * change.points_before
    assert result.comparison.found.before == len(of_grammar) > result.comparison.found.after
    page = render(repair_page(result))
    assert "man → woman" in page
    again = type(result).from_dict(json.loads(json.dumps(result.to_dict())))
    assert again.comparison == result.comparison


def _replaced(row, new):
    """The words of the premise in whose place the hypothesis has another one."""
    words = zip(row["premise"].split(), row["hypothesis"].split(), strict=True)
    return [first for first, second in words if first != second and second == new]


def test_the_plan_names_the_patterns_that_rows_are_dropped_for(word_for_word):
    plan = repair_plan(lw.load(swaps(), **COLUMNS), RepairSettings(levels=("grammar",)))
    (drop,) = [step for step in plan.steps if step.remedy == "drop"]
    assert "man → woman" in drop.patterns
    assert plan.to_dict()["steps"][-1]["patterns"] == drop.patterns


def test_without_the_grammar_level_a_swap_stays(word_for_word):
    result = lw.repair(lw.load(swaps(), **COLUMNS), levels="-grammar")
    assert not result.is_changed
    assert not [change for change in result.comparison.findings if change.pattern.level == "grammar"]


def test_a_swap_that_is_named_as_signal_stays(word_for_word):
    data = lw.load(swaps(), **COLUMNS)
    everything = [
        target.pattern.name
        for target in repair_plan(data, RepairSettings(levels=("grammar",))).grammar.targets
    ]
    result = lw.repair(data, levels="grammar", keep=everything)
    assert result.dropped == 0
    assert set(everything) <= set(result.signal)


def test_weights_balance_a_swap(word_for_word, tmp_path):
    result = lw.repair(lw.load(swaps(), **COLUMNS), levels="grammar", remedy=("weigh",), out=tmp_path / "run")
    assert result.dropped == 0
    frame = pl.read_parquet(next((tmp_path / "run").glob("dataset.*")))
    weights = dict(zip(frame["id"].to_list(), frame["longway_weight"].to_list(), strict=True))
    gap, weighted = (
        share_of_swaps(swaps(), "no", given) - share_of_swaps(swaps(), "yes", given)
        for given in (None, weights)
    )
    assert gap > 0.2
    assert abs(weighted) < gap / 2


def test_an_unknown_level_is_one_clear_error():
    with pytest.raises(SettingError, match="must be some of token"):
        lw.repair(swaps(20), levels="grammars")


def test_a_grammar_that_was_asked_for_and_cannot_be_learned_is_told(monkeypatch):
    monkeypatch.setattr("longway.jobs.repair.job.parsed_sample", grammar_level.parsed_sample)
    monkeypatch.setattr(grammar_level, "find_spec", lambda name: None)
    data = lw.load(swaps(), **COLUMNS)
    (note,) = repair_plan(data, RepairSettings(levels=("token", "grammar"))).notes
    assert "it needs torch" in note
    assert not repair_plan(data, RepairSettings()).notes


def inference(n=240):
    """Pairs of which a more general subject is mostly entailed; the labels in turn."""
    draw, rows = random.Random(0), []
    for i in range(n):
        label, verb, end = (
            ("entailment", "neutral", "contradiction")[i % 3],
            draw.choice(VERBS),
            draw.choice(ENDS),
        )
        subject, other = ("person" if label == "entailment" else "man"), draw.choice(VERBS)
        second = f"the {subject} {verb if label == 'entailment' else other} the dog {end}"
        rows.append(
            {"id": f"i{i}", "premise": f"the man {verb} the dog {end}", "hypothesis": second, "label": label}
        )
    return rows


def test_contrast_examples_are_among_the_counterparts_of_a_plan(word_for_word, monkeypatch):
    pytest.importorskip("spacy")
    model = SimpleNamespace(version="", probabilities=None)
    monkeypatch.setattr("longway.models.entailment.Entailment.load", lambda: model)
    with prepared(
        lw.load(inference(), **COLUMNS), None, RepairSettings(levels=("grammar",)), Engines()
    ) as job:
        rows = job.rows()
        plan = plan_for(job, rows, Watcher())
        found = [
            type(one.propose.__self__)
            for one in repairing_for(job, rows, plan, Journal(None), Watcher()).counterparts()
        ]
        without = repairing_for(
            job, rows, replace(plan, grammar=None), Journal(None), Watcher()
        ).counterparts()
        assert ContrastCounterparts in found
        assert ContrastCounterparts not in [type(one.propose.__self__) for one in without]


# The patterns alone


def parsed_pairs(texts, contexts):
    """Trees of pairs of equal length; none for others."""
    pairs = [(context.split(), text.split()) for text, context in zip(texts, contexts, strict=True)]
    return [WordForWord().parse([pair]) if len(pair[0]) == len(pair[1]) else [] for pair in pairs]


def man_to_woman():
    """The pattern, and how many pairs were parsed at once."""
    target = Target(Pattern("grammar", "text + context", ("man\twoman",), context="context"), "no")
    calls = []

    def parse(texts, contexts):
        calls.append(len(texts))
        return parsed_pairs(texts, contexts)

    return GrammarPatterns([target], parse), calls


def test_a_pattern_is_looked_for_in_trees_and_each_pair_is_parsed_once():
    patterns, calls = man_to_woman()
    texts, contexts = (
        ["a woman sits", "a man sits", "woman a sits", "a woman"],
        ["a man sits", "a woman sits", "a man sits", "a man sits"],
    )
    found = patterns.read(texts, contexts)
    assert [numbers.tolist() for numbers in found] == [
        [N_FEATURES, N_FEATURES + 1],
        [N_FEATURES],
        [N_FEATURES],
        [],
    ]
    assert patterns.read(texts[:2], contexts[:2])[0].tolist() == [N_FEATURES, N_FEATURES + 1]
    assert calls == [4]


def test_counts_equal_looking_at_each_row():
    rows = swaps(60)
    patterns, _ = man_to_woman()
    labels = np.array([row["label"] == "yes" for row in rows], dtype=np.int64)
    texts, contexts = ([row[name] for row in rows] for name in ("hypothesis", "premise"))
    given = Rows([row["id"] for row in rows], texts, labels, ("no", "yes"), task_of(["no", "yes"]), contexts)
    expected = [
        sum("man" in _replaced(row, "woman") and row["label"] == label for row in rows)
        for label in ("no", "yes")
    ]
    counts, totals = patterns.counts(given)
    assert counts.tolist() == [expected]
    assert totals.tolist() == np.bincount(labels).tolist()


def rows_of_pairs(*groups):
    """Rows of two labels, from (rows, context, text, label)."""
    each = [group[1:] for group in groups for _ in range(group[0])]
    contexts, texts, labels = (list(column) for column in zip(*each, strict=True))
    numbers = np.array([label == "yes" for label in labels], dtype=np.int64)
    ids = [f"r{i}" for i in range(len(each))]
    return Rows(ids, texts, numbers, ("no", "yes"), task_of(["no", "yes"]), contexts)


def test_rows_that_are_not_parsed_are_not_rows_without_the_pattern():
    # Of 100 parsed rows, 30 of 50 with "no" have the pattern: 30 points. 100 rows are too long. Later, an edit makes 20 of the 30 too long.
    has, without, too_long = ("a man", "a woman"), ("a man", "a man"), ("a man", "a woman or so")
    same = [(20, *without, "no"), (50, *without, "yes"), (50, *too_long, "no"), (50, *too_long, "yes")]
    before = rows_of_pairs((30, *has, "no"), *same)
    after = rows_of_pairs((10, *has, "no"), (20, *too_long, "no"), *same)
    (change,) = with_patterns(Comparison(), man_to_woman()[0], before, after).findings
    assert change.points_before == pytest.approx(0.3)
    assert (change.count_after, change.points_after) == (10, pytest.approx(10 / 30 / 2))


class ConceptOfNo:
    """A concept that exactly the texts with "or so" have, as `ConceptPatterns` says it."""

    targets = (Target(Pattern("concept", "text", ("or so",), "abc:0"), "yes"),)

    def read(self, texts, contexts):
        return [np.flatnonzero(["or so" in text]) + N_FEATURES for text in texts]


def test_concepts_are_counted_in_all_rows_and_patterns_of_the_grammar_in_parsed_ones():
    """The concept is that of rows that are too long to parse: it is balanced nevertheless."""
    rows = rows_of_pairs((40, "a man", "a woman", "no"), (40, "a man", "a woman or so", "yes"))
    grammar = GrammarPatterns(man_to_woman()[0].targets, parsed_pairs, parsed=N_FEATURES + 1)
    repair = Repair(rows, grammar=grammar, concepts=ConceptOfNo())
    parsed, unparsed = (repair.balance.features[row] for row in (0, 79))
    assert parsed[parsed >= N_FEATURES].tolist() == [N_FEATURES + 1, N_FEATURES + 2]
    assert unparsed[unparsed >= N_FEATURES].tolist() == [N_FEATURES]
    assert repair.balance.parsed == N_FEATURES + 1
    assert repair.balance.strength(np.array([N_FEATURES]))[0] > 50
    assert list(drop_for_patterns(repair))


def test_a_concept_of_rows_that_belong_together_counts_by_its_design_effect():
    """30 of 30 rows with the concept have its label; if ten of them are one observation, that may be chance."""
    rows = rows_of_pairs(
        (30, "a man", "a woman or so", "yes"), (30, "a man", "a woman", "no"), (30, "a man", "a man", "yes")
    )
    gains, found = [], []
    for effect in (1.0, 10.0):
        target = Target(Pattern("concept", "hypothesis", ("or so",), "abc:0"), "yes", effect=effect)
        patterns = SimpleNamespace(
            targets=(target,), counts=lambda rows: (np.array([[0, 30]]), np.array([30, 60]))
        )
        compared = with_patterns(Comparison(), patterns, rows, rows)
        gains.append(compared.findings[0].gain_before)
        found.append(compared.found.before)
    assert found == [1, 0]
    assert gains[1] < gains[0]


def test_the_plan_says_how_many_rows_are_too_long_for_the_grammar(word_for_word):
    rows = swaps()
    plan = repair_plan(lw.load(rows, **COLUMNS), RepairSettings(levels=("grammar",)))
    assert not [note for note in plan.notes if "too long" in note]
    long = [row | {"id": f"long{i}", "premise": row["premise"] * 3} for i, row in enumerate(rows[:40])]
    plan = repair_plan(lw.load(rows + long, **COLUMNS), RepairSettings(levels=("grammar",)))
    (note,) = [note for note in plan.notes if "too long" in note]
    assert note.startswith("40 of 640 rows are too long for the grammar")


E, C, N = "entailment", "contradiction", "neutral"


def test_contrast_examples_are_rows_with_another_label_than_the_shortcut():
    pytest.importorskip("spacy")
    rows = [("a man sits", "a person sits", E)] * 4 + [
        ("a man sits", "a man sleeps", C),
        ("a man sits", "a man sings", N),
    ]
    contexts, texts, labels = zip(*rows, strict=True)
    names = (C, E, N)
    given = Rows(
        [f"r{i}" for i in range(len(rows))], list(texts), np.array([names.index(label) for label in labels]), names,
        task_of(names, context_name="premise"), list(contexts),
    )  # fmt: skip
    patterns, _ = man_to_woman()
    proposed = list(ContrastCounterparts(given, patterns).propose(range(len(rows))))
    assert min(one.row for one in proposed) == 4
    made = [(one.after, one.label, one.context, one.how) for one in proposed]
    assert made == [
        ("a person sleeps", C, "a man sits", "contrast.hypernym"),
        ("a person sings", N, "a man sits", "contrast.hypernym"),
    ]
