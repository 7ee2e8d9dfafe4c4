"""Contrast examples of a grammar run: invented pairs whose trees are known, and what must be told before a training."""

import json
from dataclasses import replace

import pytest

import longway as lw
from longway.errors import MissingExtra, SettingError
from longway.grammar.trees import Tree
from longway.recipes.grammar_contrast import contrast_table, lines_of, sets_of, stances_of
from longway.recipes.grammar_tables import tables_of
from longway.stats import wilson_interval
from longway.text import english as analysis
from tests.recipes.toy_pairs import KIND, inference_dataset, toy_dataset

pytest.importorskip("spacy")
pytest.importorskip("nltk")

TINY = lw.GrammarSettings(nonterminals=3, preterminals=6, dimension=8, epochs=1, device="cpu")
E, C, N = "entailment", "contradiction", "neutral"


def word_by_word(unit):
    """A tree that sets the words of both texts against each other in their order; what the second has more is added."""
    first, second = unit
    first = [*first, *[""] * (len(second) - len(first))]
    leaves = [Tree(40, words=both) for both in zip(first, second, strict=True)]
    tree = leaves[-1]
    for leaf in reversed(leaves[:-1]):
        tree = Tree(1, (leaf, tree))
    return tree


@pytest.fixture(scope="module")
def real():
    return lw.induce_grammar(inference_dataset(120), settings=TINY)


@pytest.fixture(scope="module")
def induced(real):
    """A run whose trees are those that a good grammar would give."""
    learned, held_out = (
        replace(part, trees=[[word_by_word(document.units[0])] for document in part.documents])
        for part in (real.learned, real.held_out)
    )
    return replace(real, learned=learned, held_out=held_out)


@pytest.fixture(scope="module")
def sets(induced):
    return sets_of(induced)


def test_held_out_rows_with_a_purpose_get_a_more_general_subject_and_stay_neutral(induced, sets):
    rows = {document.example.id: document.example for document in induced.held_out.documents}
    purposes = [row for row in rows.values() if row.label == N]
    assert len(sets) > len(purposes) / 2, "the analysis may misread some"
    for one in sets:
        (member,) = one.members
        row = rows[member.id]
        subject = row.text.split()[1]
        assert (one.edit, one.shortcut, row.label, member.label) == ("hypernym", E, N, N)
        assert member.what == f"{subject} → {KIND[subject]}"
        expected = row.text.replace(subject, KIND[subject]).replace("A animal", "An animal")
        assert (member.before, member.after) == (row.text, expected)


def test_the_file_has_an_example_a_line(sets):
    lines = [json.loads(line) for line in lines_of(sets).splitlines()]
    assert [list(line) for line in lines] == [["id", "edit", "before", "after", "label", "what"]] * len(sets)
    assert [line["after"] for line in lines] == [one.members[0].after for one in sets]


def test_the_table_counts_a_classifier_that_goes_by_the_general_word(sets):
    def predict(inputs):
        return [E if set(text.split()) & {"person", "animal"} else N for text in inputs.texts]

    (row,) = contrast_table(sets, predict)
    n_wrong = sum("child" not in one.members[0].after for one in sets)
    assert 0 < n_wrong < len(sets)
    assert (row["edit"], row["sets"], row["counted"], row["shortcut"]) == (
        "hypernym",
        len(sets),
        len(sets),
        E,
    )
    assert row["error"] == pytest.approx(n_wrong / len(sets))
    assert (row["low"], row["high"]) == wilson_interval(row["error"], len(sets))
    example = row["example"]
    assert example["answer"] == (N if "child" in example["after"] else E)
    assert (example["context"], example["row_label"]) == (sets[0].row.context, N)


def test_without_a_classifier_the_error_is_not_known(sets):
    (row,) = contrast_table(sets, None)
    assert (row["sets"], row["examples"], row["counted"], row["error"]) == (len(sets), len(sets), None, None)
    assert row["example"]["answer"] is None
    assert contrast_table([], None) == []


def test_the_tables_of_a_run_ask_its_own_classifier(real, sets):
    tables = json.loads(json.dumps(tables_of(real, sets), allow_nan=False))
    (row,) = tables["contrast"]
    assert row["counted"] <= row["sets"] == len(sets)
    assert row["example"]["answer"] in (C, E, N)
    assert tables_of(real)["contrast"] is None


def test_the_usual_names_of_labels_are_known():
    assert stances_of(["NOT ENOUGH INFO", "REFUTES", "SUPPORTS"], context="evidence") == {
        "NOT ENOUGH INFO": "neutral",
        "REFUTES": "contradicts",
        "SUPPORTS": "entails",
    }


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (toy_dataset(60), "Got 'maybe', 'no', 'yes'. Rename the labels"),
        (
            lw.load([{"text": f"Film {i}.", "label": (E, C, N)[i % 3]} for i in range(60)]),
            "made of pairs. Got single texts",
        ),
        (inference_dataset(60, leave_out=N), "Got 'contradiction', 'entailment'. Rename the labels"),
    ],
)
def test_data_that_cannot_be_edited_are_refused_before_anything_is_learned(data, words, tmp_path):
    told = []
    with pytest.raises(SettingError, match=words):
        lw.run_grammar(data, settings=replace(TINY, contrast=True), out=tmp_path / "run", step=told.append)
    assert not told
    assert not (tmp_path / "run").exists()


def test_a_missing_extra_is_told_before_anything_is_learned(monkeypatch, tmp_path):
    analysis.english.cache_clear()
    monkeypatch.setattr(analysis, "find_spec", lambda name: None)
    told = []
    with pytest.raises(MissingExtra, match=r"longway\[rules\]"):
        lw.run_grammar(
            inference_dataset(60),
            settings=replace(TINY, contrast=True),
            out=tmp_path / "run",
            step=told.append,
        )
    assert not told
    assert not (tmp_path / "run").exists()
