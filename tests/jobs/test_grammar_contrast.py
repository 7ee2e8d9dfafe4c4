"""Contrast examples of a grammar run: invented pairs whose trees are known, and what must be told before a training."""

import json
from dataclasses import replace

import pytest

import longway as lw
from longway.errors import SettingError
from longway.grammars.trees import Tree
from longway.jobs.grammar.induced import induce_grammar
from longway.jobs.grammar.settings import labels_named
from longway.jobs.grammar.tables import contrast_table, result_of, sets_of, stances_of
from longway.jobs.held_out import arrange
from longway.jobs.run import Watcher
from longway.stats import wilson_interval
from tests.jobs.toy_pairs import KIND, inference_dataset, toy_dataset

pytest.importorskip("spacy")

TINY = lw.GrammarSettings(nonterminals=3, preterminals=6, dimension=8, epochs=1, device="cpu")
E, C, N = "entailment", "contradiction", "neutral"
INFERENCE_TOLD = {E: "yes", N: "maybe", C: "no"}


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
    sizes = TINY.sizes("cpu", pair=True, rows=90)
    return induce_grammar(arrange(inference_dataset(120)), TINY, sizes, "cpu", Watcher())


@pytest.fixture(scope="module")
def induced(real):
    """A run whose trees are those that a good grammar would give."""
    learned, held_out = (
        replace(part, trees=[[word_by_word(document.units[0])] for document in part.rows])
        for part in (real.learned, real.held_out)
    )
    return replace(real, learned=learned, held_out=held_out)


@pytest.fixture(scope="module")
def sets(induced):
    return sets_of(induced)


def test_held_out_rows_with_a_purpose_get_a_more_general_subject_and_stay_neutral(induced, sets):
    rows = {document.example.id: document.example for document in induced.held_out.rows}
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


def test_the_table_counts_a_classifier_that_goes_by_the_general_word(sets):
    def predict(inputs):
        return [E if set(text.split()) & {"person", "animal"} else N for text in inputs.texts]

    (row,) = contrast_table(sets, predict)
    n_wrong = sum("child" not in one.members[0].after for one in sets)
    assert 0 < n_wrong < len(sets)
    assert (row.edit, row.sets, row.counted, row.shortcut) == ("hypernym", len(sets), len(sets), E)
    assert row.error == pytest.approx(n_wrong / len(sets))
    assert (row.low, row.high) == wilson_interval(row.error, len(sets))
    assert row.example.answer == (N if "child" in row.example.after else E)
    assert (row.example.context, row.example.row_label) == (sets[0].row.context, N)


def test_without_a_classifier_the_error_is_not_known(sets):
    (row,) = contrast_table(sets, None)
    assert (row.sets, row.examples, row.counted, row.error) == (len(sets), len(sets), None, None)
    assert row.example.answer is None
    assert contrast_table([], None) == ()


def test_the_tables_of_a_run_ask_its_own_classifier(real, sets):
    result = result_of(real, sets)
    (row,) = result.contrast
    assert row.counted <= row.sets == len(sets)
    assert row.example.answer in (C, E, N)
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert lw.GrammarResult.from_dict(content) == result
    assert result_of(real).contrast is None


def test_the_usual_names_of_labels_are_known():
    assert stances_of(["NOT ENOUGH INFO", "REFUTES", "SUPPORTS"], context="evidence") == {
        "NOT ENOUGH INFO": "neutral",
        "REFUTES": "contradicts",
        "SUPPORTS": "entails",
    }


def test_labels_that_say_nothing_of_a_pair_are_left_out():
    assert set(stances_of(["-", C, E, N], context="premise")) == {C, E, N}


def test_labels_of_any_name_may_be_told():
    assert labels_named("entailment=yes,neutral=maybe, contradiction = no") == INFERENCE_TOLD
    told = toy_dataset(60).labels
    assert stances_of(told, context="premise", given=INFERENCE_TOLD) == {
        "yes": "entails",
        "maybe": "neutral",
        "no": "contradicts",
    }


def test_what_was_told_decides_which_rows_are_edited(induced, sets):
    turned = {
        "entailment": C,
        "neutral": N,
        "contradiction": E,
    }  # its words for "more general" would be man/woman
    settings = replace(induced.settings, contrast_labels=turned)
    assert sets
    assert not sets_of(replace(induced, settings=settings))


@pytest.mark.parametrize(
    "told",
    [
        "entailment=yes,neutral=maybe",
        "entailment=yes,neutral=maybe,contradiction=never",
        "entailment=yes,neutral=no,contradiction=no",
        "entails=yes,neutral=maybe,contradiction=no",
        "yes",
    ],
)
def test_labels_told_wrongly_are_refused_with_those_that_exist(told):
    with pytest.raises(
        SettingError, match=r"the data have 'maybe', 'no', 'yes'\. Write it like --contrast-labels"
    ):
        stances_of(["maybe", "no", "yes"], context="premise", given=labels_named(told))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (toy_dataset(60), "Got 'maybe', 'no', 'yes'. Say which is which, like --contrast-labels entailment="),
        (
            lw.load([{"text": f"Film {i}.", "label": (E, C, N)[i % 3]} for i in range(60)]),
            "made of pairs. Got single texts",
        ),
        (inference_dataset(60, leave_out=N), r"Got 'contradiction', 'entailment'\. Leave --contrast out"),
    ],
)
def test_data_that_cannot_be_edited_are_refused_before_anything_is_learned(data, words, tmp_path):
    with pytest.raises(SettingError, match=words):
        lw.grammar(data, TINY, contrast=True, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
