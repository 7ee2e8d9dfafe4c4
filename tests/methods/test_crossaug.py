"""Negative claims by rules, and CrossAug's contrastive rows."""

from random import Random

import pytest

from longway.english.contradict import negated
from longway.english.pipeline import load_pipeline
from longway.errors import SettingError
from longway.methods.crossaug import crossaug, replace_in, substituted
from tests.methods.parts import rows_of

CLAIMS = ["Anna won the race.", "The album has 12 songs.", "Mia lives in Lyon.", "Bob is not a cook."]
EVIDENCE = ["In May, Anna won the race.", "It has twelve songs.", "Mia moved to Lyon.", "Bob is a cook."]
LABELS = [1, 1, 1, 0]
NAMES = ["REFUTES", "SUPPORTS"]


def negations(text, seed=0):
    return list(negated(load_pipeline().analyse(text), Random(f"{seed}|0|{text}")))


def pairs():
    return rows_of(CLAIMS, LABELS, EVIDENCE, NAMES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Anna won the race.", {"Anna lost the race.", "Anna did not win the race."}),
        ("The film is a comedy.", {"The film is not a comedy."}),
        ("He can swim.", {"He cannot swim."}),
        ("Bob loves her.", {"Bob hates her.", "Bob does not love her."}),
        ("They have played there since May.", {"They have not played there since May."}),
        ("There is a lake in Ardo.", {"There is not a lake in Ardo."}),
        ("The band does not tour.", {"The band tours."}),
        ("Kim isn't a doctor.", {"Kim is a doctor."}),
        ("Dover is a large town.", {"Dover is a small town.", "Dover is not a large town."}),
        # an opposite that does not contradict: who won a prize may have lost another
        ("Kim has won a prize.", {"Kim has not won a prize."}),
        ("Dover has an official name.", {"Dover does not have an official name."}),
        ("Kim has a sister.", {"Kim does not have a sister."}),
        # where the negation would be unclear, could be true as well, or is no good English: nothing
        ("Some dogs bark.", set()),
        ("Part of the road was built by Romans.", set()),
        ("All cats are black.", set()),
        ("Mia sings and dances.", set()),
        ("The bridges are old and were built by Romans.", set()),
        ("Is it red?", set()),
        ("Tom can't swim.", set()),
        ("He's a doctor.", set()),
        ("Jane Roe", set()),
        ("It rained. The game was late.", set()),
        ("", set()),
    ],
)
def test_negations_of_a_sentence(text, expected):
    assert {one.text for one in negations(text)} == expected


def test_another_number_is_not_put_into_bounds_names_or_subjects():
    hows = lambda text: {n.how for n in negations(text)}  # noqa: E731
    assert "negate.number" in hows("The album has 12 songs.")
    assert "negate.number" not in hows("The town has more than 20 schools.")
    assert "negate.number" not in hows("Apollo 13 was a flight.")
    assert "negate.number" not in hows("Peru belongs to the Group of 15.")
    assert "negate.number" not in hows("The song is on a top 10 list.")
    assert "negate.number" not in hows("Dover was the capital from 1995 to 2017.")
    assert "negate.number" not in hows("The town had a lot of schools in 2014.")
    assert "negate.number" not in hows("Perth hosted a game in 2014.")
    assert "negate.number" not in hows("Perth was a port between 1990 and 1995.")
    assert "negate.number" not in hows("The 1998 edition was short.")


def test_another_day_is_one_that_every_month_has():
    for seed in range(20):
        (day, *_) = (
            n.text for n in negations("Kim was born on May 30.", seed=seed) if n.how == "negate.number"
        )
        assert 1 <= int(day.rstrip(".").split()[-1]) <= 28


def test_a_time_before_the_subject_is_not_denied():
    hows = {n.how for n in negations("In 1999, the bridge was built.")}
    assert hows == {"negate.number"}


def test_another_number_depends_on_the_seed_alone():
    texts = {seed: negations("The album has 12 songs.", seed=seed)[0].text for seed in range(6)}
    assert texts == {seed: negations("The album has 12 songs.", seed=seed)[0].text for seed in range(6)}
    assert len(set(texts.values())) > 1
    assert "The album has 12 songs." not in texts.values()


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Anna won the race.", "Anna lost the race.", ("won", "lost")),
        ("Anna won.", "Anna did not win.", ("won", "did not win")),
        ("It is a film.", "It is not a film.", None),
        ("Same.", "Same.", None),
        ("An old car.", "A new car.", ("An old", "A new")),
        ("a a b", "a b", ("a", "")),
    ],
)
def test_the_substituted_words(before, after, expected):
    assert substituted(before, after) == (None if expected and not expected[1] else expected)


def test_words_are_replaced_whole_everywhere_and_with_their_capitals():
    assert replace_in("Won? He won; wonder.", "won", "lost") == "Lost? He lost; wonder."
    assert replace_in("Nothing here.", "won", "lost") is None
    assert replace_in("The old car.", "an old", "a new") == "The new car."


def test_a_supported_claim_becomes_four_rows():
    rows = pairs()
    (round_,) = crossaug(rows)
    assert rows.texts == CLAIMS
    of_first = [(e.text, e.context, e.label) for e in rows.added_by(round_.edits) if e.id.startswith("r0+")]
    assert of_first == [
        ("Anna lost the race.", "In May, Anna won the race.", "REFUTES"),
        ("Anna lost the race.", "In May, Anna lost the race.", "SUPPORTS"),
        ("Anna won the race.", "In May, Anna lost the race.", "REFUTES"),
    ]
    assert not [
        e for e in rows.added_by(round_.edits) if e.id.startswith("r3")
    ]  # a refuted claim stays alone
    ids = [e.id for e in rows.added_by(round_.edits)]
    assert len(set(ids)) == len(ids)


def test_each_changed_column_is_an_edit_with_both_labels():
    (round_,) = crossaug(pairs())
    edits = [e for e in round_.edits if e.id.startswith("r0+")]
    assert [(e.field, e.label_before, e.label_after) for e in edits] == [
        ("claim", "SUPPORTS", "REFUTES"),
        ("claim", "SUPPORTS", "SUPPORTS"),
        ("evidence", "SUPPORTS", "SUPPORTS"),
        ("evidence", "SUPPORTS", "REFUTES"),
    ]
    assert all(e.how == "negate.antonym" and e.engine == "negate" for e in edits)


def test_without_the_words_in_the_evidence_only_the_negative_claim_is_added():
    rows = pairs()
    (round_,) = crossaug(rows)
    (only,) = (e for e in rows.added_by(round_.edits) if e.id.startswith("r2+"))
    assert (only.text, only.context, only.label) == ("Mia does not live in Lyon.", EVIDENCE[2], "REFUTES")


def test_a_negative_claim_that_is_objected_to_is_not_used():
    (round_,) = crossaug(pairs(), objection=lambda id, before, after: "no" if "lost" in after else "")
    assert "Anna did not win the race." in {edit.after for edit in round_.edits if edit.id.startswith("r0+")}
    assert not any("lost" in edit.after for edit in round_.edits)


def test_it_needs_pairs_with_stances():
    with pytest.raises(SettingError, match="needs pairs of claim and evidence"):
        list(crossaug(rows_of(["a", "b"], [0, 1])))
