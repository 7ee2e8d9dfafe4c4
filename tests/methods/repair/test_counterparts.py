"""Rows with another label, by rules."""

from __future__ import annotations

import numpy as np
import pytest

from longway.methods.method import Rows
from longway.methods.repair.counterparts import PairCounterparts, sentiment_counterparts
from longway.methods.repair.other_contexts import OtherContexts
from longway.task import task_of

EVIDENCE = "Night Road is a film. It was directed by Bob Ray in Oslo in April 1968."


def pairs(*rows, labels=("REFUTES", "SUPPORTS")):
    texts, contexts, names = zip(*rows, strict=True)
    task = task_of(labels, text_name="claim", context_name="evidence")
    of = np.array([labels.index(name) for name in names])
    return Rows([str(i) for i in range(len(rows))], list(texts), of, labels, task, list(contexts))


def proposed(*rows):
    given = pairs(*rows)
    every = list(PairCounterparts(given).propose(range(len(given))))
    return [
        [(one.after, one.label, one.context) for one in every if one.row == row] for row in range(len(given))
    ]


def test_a_supported_claim_is_negated_with_and_without_its_evidence():
    (found,) = proposed(("Night Road was directed in 1968.", EVIDENCE, "SUPPORTS"))
    labels = {(text, label) for text, label, _ in found}
    assert ("Night Road was not directed in 1968.", "REFUTES") in labels
    changed = [(text, label, context) for text, label, context in found if "1968" not in context]
    assert changed
    for text, label, context in changed:
        year = next(word.strip(".") for word in context.split() if word.strip(".").isdigit())
        assert (year in text) == (label == "SUPPORTS")


def test_a_false_variant_that_is_denied_is_supported():
    (found,) = proposed(("Night Road was directed in 1968.", EVIDENCE, "SUPPORTS"))
    denied = [
        text
        for text, label, context in found
        if label == "SUPPORTS" and " not " in text and context == EVIDENCE
    ]
    assert denied
    assert all("1968" not in text for text in denied)


def test_an_origin_is_exchanged_in_claim_and_evidence_so_that_neither_alone_tells():
    (found,) = proposed(("Eva Lind is an Irish singer.", "Eva Lind is an Irish singer.", "SUPPORTS"))
    exchanged = [(text, label, context) for text, label, context in found if "not" not in text]
    assert len(exchanged) == 3
    for text, label, context in exchanged:
        assert (text == context) == (label == "SUPPORTS")
        assert "Irish" not in text or "Irish" not in context


def test_an_origin_that_the_evidence_tells_in_other_words_stays():
    (found,) = proposed(
        ("Eva Lind is an Irish singer.", "Eva Lind, an Irish singer, left Ireland.", "SUPPORTS")
    )
    assert all("not" in text for text, _, _ in found)


def test_the_one_thing_that_a_claim_gets_wrong_is_exchanged_for_the_right_one():
    right, wrong = "Eva Lind is an Irish singer.", "Eva Lind is a Peruvian singer."
    (found,) = proposed((wrong, right, "REFUTES"))
    assert {(right, "SUPPORTS", right), (right, "REFUTES", wrong), (wrong, "SUPPORTS", wrong)} <= set(found)
    (found,) = proposed(("Eva Lind is only a Peruvian singer.", right, "REFUTES"))
    assert not [text for text, _, _ in found if "Irish" in text]


def test_a_person_is_exchanged_for_one_of_the_same_gender_in_the_same_place():
    others = ("John Ray", "Mark Fox", "Paul Lee", "Mary Moon", "Anna Stone", "Peter Vale")
    rows = [
        (f"Play {i} was painted by {name}.", f"{name} painted it.", "REFUTES")
        for i, name in enumerate(others)
    ]
    found = proposed(
        ("Gull was painted by Robert Kay.", "Gull was painted by Robert Kay.", "SUPPORTS"), *rows
    )[0]
    new = {text for text, label, context in found if text == context and label == "SUPPORTS"}
    assert len(new) == 1
    assert new < {
        f"Gull was painted by {name}." for name in ("John Ray", "Mark Fox", "Paul Lee", "Peter Vale")
    }


def test_a_wrong_name_is_exchanged_for_that_at_the_same_place():
    (found,) = proposed(("Night Road was directed by Carl Fox.", EVIDENCE, "REFUTES"))
    assert ("Night Road was directed by Bob Ray.", "SUPPORTS", EVIDENCE) in found
    assert (
        "Night Road was directed by Carl Fox.",
        "SUPPORTS",
        EVIDENCE.replace("Bob Ray", "Carl Fox"),
    ) in found


def test_a_name_is_not_exchanged_for_one_at_another_place():
    (found,) = proposed(("Night Road was shown at Perth.", EVIDENCE, "REFUTES"))
    assert not [text for text, _, _ in found if "April" in text or "Oslo" in text or "Bob" in text]


def test_the_evidence_is_changed_only_for_a_number():
    (found,) = proposed(
        ("Bob Ray directed Night Road.", "Bob Ray directed Night Road, for which he won a prize.", "SUPPORTS")
    )
    assert {label for _, label, _ in found} == {"REFUTES"}
    assert {context for _, _, context in found} == {"Bob Ray directed Night Road, for which he won a prize."}


def test_a_number_is_not_exchanged_for_one_of_another_thing():
    evidence = "The hall has 146 seats and 99 windows."
    (found,) = proposed(("The hall has 92 doors.", evidence, "REFUTES"))
    assert not found
    (found,) = proposed(("The hall has 92 windows.", evidence, "REFUTES"))
    assert ("The hall has 99 windows.", "SUPPORTS", evidence) in found


def test_an_opposite_stands_before_the_same_word_in_the_evidence():
    def opposite(claim, evidence):
        (found,) = proposed((claim, evidence, "REFUTES"))
        return [text for text, label, _ in found if label == "SUPPORTS"]

    assert opposite("Dover is a minor port.", "Dover is a major port in Kent.") == ["Dover is a major port."]
    assert not opposite("Dover is the smallest port.", "Dover is the 3rd largest port in Kent.")
    assert not opposite("Dover is only a minor port.", "Dover is a major port in Kent.")


def test_judgements_are_turned_round():
    task = task_of(["neg", "pos"])
    rows = Rows(["0", "1"], ["A great film.", "We met at noon."], np.array([1, 1]), ["neg", "pos"], task)
    (only,) = sentiment_counterparts(rows, [0, 1])
    assert (only.row, only.label) == (0, "neg")
    assert "great" not in only.after


@pytest.mark.parametrize(
    ("text", "is_turned"),
    [
        ("A great film.", True),
        ("A great film about two brothers who drive along the coast of Norway in an old bus.", False),
        ("A great and moving film about two brothers who drive along the coast of Norway.", True),
        ("We drove to the old town on the hill that evening. The acting is great.", False),
        ("Predictable but great.", False),
        ("A quiet but great film.", True),
    ],
)
def test_enough_of_a_text_is_turned_round(text, is_turned):
    rows = Rows(["0"], [text], np.array([1]), ["neg", "pos"], task_of(["neg", "pos"]))
    found = list(sentiment_counterparts(rows, [0]))
    assert bool(found) == is_turned


def test_a_text_beside_another_context_gets_the_label_that_the_judge_is_sure_of():
    labels = ("contradiction", "entailment", "neutral")
    given = pairs(
        ("A man sleeps.", "A man is running outside.", "contradiction"),
        ("A dog runs.", "A man sleeps on a bench.", "contradiction"),
        labels=labels,
    )

    def judge(pairs):
        return np.array(
            [
                [0.95, 0.03, 0.02] if "sleeps" in context and "sleeps" in text else [0.4, 0.3, 0.3]
                for context, text in pairs
            ]
        )

    (only,) = OtherContexts(given, judge).propose([0, 1])
    assert (only.after, only.context, only.label) == (
        "A man sleeps.",
        "A man sleeps on a bench.",
        "entailment",
    )


def test_a_denied_opposite_is_neither_a_double_negation_nor_a_verb():
    for claim in ("The road is available.", "Bob Ray won the race.", "Bob Ray is a tall man and a poet."):
        (found,) = proposed((claim, claim, "SUPPORTS"))
        assert not [text for text, label, _ in found if label == "SUPPORTS"]
    (found,) = proposed(("Night Road was directed by a man.", "A man directed Night Road.", "SUPPORTS"))
    assert ("Night Road was not directed by a woman.", "SUPPORTS", "A man directed Night Road.") in found


def test_a_part_of_a_longer_name_is_not_exchanged():
    evidence = "The feast celebrates the Peace of Oslo."
    (found,) = proposed(("The feast celebrates the Treaty of Perth.", evidence, "REFUTES"))
    assert not found
