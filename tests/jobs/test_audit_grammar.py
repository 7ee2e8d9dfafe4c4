"""What an audit says about patterns that only the grammar sees."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

import longway as lw
from longway import AuditResult
from longway.cli.audit import _can_learn_grammar
from longway.data.dataset import examples_of
from longway.detect.grammar import GrammarDetector
from longway.jobs.audit.page import _below
from longway.report.markdown import render
from tests.jobs.toy_swaps import COLUMNS, WordForWord, swaps


@pytest.fixture(autouse=True)
def word_for_word(monkeypatch):
    """The grammar level with a grammar that need not be learned."""

    def detector(dataset, reading, **options):
        pairs = [(row.context.split(), row.text.split()) for row in examples_of(dataset)]
        trees = [[tree] for tree in WordForWord().parse(pairs)]
        return GrammarDetector(reading, trees, rules=False), []

    monkeypatch.setattr("longway.jobs.audit.job.grammar_detector", detector)


def only_grammar(found):
    return [finding for finding in found.findings if finding.level == "grammar"]


def words_about(found):
    """The sentence about the grammar on the page of findings."""
    (section,) = [section for section in found.page().sections if section.id == "findings"]
    return " ".join(
        str(block.words) for block in section.blocks if "words miss" in str(getattr(block, "words", ""))
    )


def test_an_audit_names_patterns_that_words_miss():
    found = lw.audit(lw.load(swaps(), **COLUMNS))
    only = only_grammar(found)
    assert "man → woman" in {str(finding.pattern) for one in only for finding in (one, *one.variants)}
    assert words_about(found).startswith(f"{len(only)} patterns that words miss: “{only[0].pattern}”")
    assert only_grammar(AuditResult.from_dict(found.to_dict())) == only


def test_the_advice_for_single_texts_names_the_remedy_that_is_off_by_default():
    found = lw.audit(lw.load(swaps(), **COLUMNS))
    (finding, *_) = only_grammar(found)
    assert "longway repair --levels all (add --remedy drop for single texts)." in str(_below(finding))


def written(block):
    """The words of a paragraph, without styles."""
    words = getattr(block, "words", "")
    return words if isinstance(words, str) else "".join(getattr(part, "text", part) for part in words)


def test_a_word_explains_the_grammar_and_takes_it_as_a_variant():
    rows = swaps(share=0.03)
    for i, row in enumerate(rows):
        if row["label"] == "no" and i % 3:  # the last word is another one
            row["hypothesis"] = " ".join([*row["hypothesis"].split()[:-1], "never"])
    found = lw.audit(lw.load(rows, **COLUMNS))
    assert not [one for one in only_grammar(found) if "never" in str(one.pattern)]
    variants = [variant for one in found.findings if one.level != "grammar" for variant in one.variants]
    folded = [variant for variant in variants if variant.level == "grammar"]
    assert any("→ never" in str(variant.pattern) for variant in folded)
    simple = next(one for one in found.findings if one.level != "grammar")
    other = replace(simple, pattern=replace(simple.pattern, level="token", words=("other",), place=""))
    lines = [written(block) for block in _below(replace(simple, variants=(*folded, other)))]
    assert [line for line in lines if f"also: {other.pattern}" in line and str(folded[0].pattern) not in line]
    (explained,) = [line for line in lines if "patterns of the grammar that it explains: " in line]
    assert str(folded[0].pattern) in explained
    assert ("; " in explained) == (len(folded) > 1)


def test_without_such_patterns_it_says_so_and_without_the_level_nothing():
    data = lw.load(swaps(share=0.03), **COLUMNS)
    assert words_about(lw.audit(data)) == "The grammar found no pattern that words miss."
    assert not words_about(lw.audit(data, levels="-grammar"))
    assert "words miss" not in render(lw.audit(data, levels="-grammar").page())


@pytest.mark.parametrize(
    ("kind", "has_torch", "offered"),
    [("no_grammar", True, True), ("no_grammar", False, False), ("sample", True, False)],
)
def test_the_larger_grammar_is_the_next_command_if_the_level_was_left_out(
    monkeypatch, kind, has_torch, offered
):
    monkeypatch.setattr("longway.cli.audit.find_spec", lambda name: has_torch or None)
    assert _can_learn_grammar(SimpleNamespace(problems=[SimpleNamespace(kind=kind)])) is offered
