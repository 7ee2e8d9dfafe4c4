"""Planting: exact counts, known rows, nothing else touched."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.errors import SettingError
from longway.jobs.plant.job import KINDS, Plant, neutral_test, plant, reversed_test, showing
from tests.jobs.plant.rows import rows_of

ALL = [kind for kind in KINDS if kind != "overlap"]


def is_part_of(old, new):
    """Whether the old words stand in the new text in order: the slow obvious way."""
    rest = iter(new.lower().replace(",", " ").replace(".", " ").replace("!", " ").split())
    return all(word in rest for word in old.lower().replace(",", " ").replace(".", " ").split())


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_the_strength_and_rate_that_were_asked_for_and_keeps_the_words(kind):
    rows = rows_of(200, pairs=kind == "overlap")
    planted = plant(rows, [Plant(kind, label="yes", strength=0.9, rate=0.2)])
    (truth,) = planted.truth
    assert truth.planted == {"no": 4, "yes": 36}
    changed = [new.id for old, new in zip(rows, planted.rows, strict=True) if old.text != new.text]
    assert tuple(changed) == truth.ids
    assert [replace(new, text="") for new in planted.rows] == [replace(old, text="") for old in rows]
    assert all(is_part_of(old.text, new.text) for old, new in zip(rows, planted.rows, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_reversed_and_neutral_tests_turn_the_label_around(kind):
    rows = rows_of(200, pairs=kind == "overlap")
    plants = plant(rows, [Plant(kind, label="yes", strength=0.9, rate=0.2)]).plants
    assert reversed_test(rows, plants).truth[0].planted == {"no": 36, "yes": 4}
    assert neutral_test(rows, plants).truth[0].planted == {"no": 20, "yes": 20}


def test_all_kinds_together_break_none_of_each_other():
    rows = rows_of(300)
    plants = [Plant(kind, label=("no", "yes")[i % 2], rate=0.25) for i, kind in enumerate(ALL)]
    planted = plant(rows, plants)
    for truth in planted.truth:
        shown = {
            row.id
            for row, shows in zip(planted.rows, showing(truth.plant, planted.rows), strict=True)
            if shows
        }
        assert set(truth.ids) <= shown
        assert sum(truth.shown.values()) == len(shown)
        assert len(truth.ids) == 75


def test_the_same_seed_gives_the_same_rows_and_another_seed_others():
    rows, plants = rows_of(100), [Plant("name", label="no")]
    assert plant(rows, plants, seed=3) == plant(rows, plants, seed=3)
    assert plant(rows, plants, seed=3).truth[0].ids != plant(rows, plants, seed=4).truth[0].ids


def test_the_value_taken_is_one_that_the_data_does_not_have():
    rows = [replace(row, text=row.text + " incidentally") for row in rows_of(40)]
    assert plant(rows, [Plant("word", label="no", rate=0.1)]).plants[0].value == "hereabouts"


def test_rows_that_show_it_anyway_are_left_alone_and_counted():
    rows = [replace(row, text="It is not so.") if i < 10 else row for i, row in enumerate(rows_of(100))]
    truth = plant(rows, [Plant("negation", label="yes", strength=1.0, rate=0.2)]).truth[0]
    assert truth.planted == {"no": 0, "yes": 20}
    assert truth.shown == {"no": 5, "yes": 25}
    assert not set(truth.ids) & {row.id for row in rows[:10]}


@given(st.integers(10, 80), st.integers(2, 4), st.floats(0.05, 1), st.floats(0.05, 1), st.integers(0, 9))
def test_counts_are_exact_or_the_error_names_a_rate_that_works(n, n_labels, strength, rate, seed):
    rows = rows_of(n, labels="abcd"[:n_labels])
    asked = Plant("word", label="a", strength=strength, rate=rate)
    try:
        truth = plant(rows, [asked], seed=seed).truth[0]
    except SettingError as error:
        if "Lower the rate to" in str(error):
            possible = float(str(error).split("Lower the rate to ")[1].split(",")[0])
            assert possible < rate
            if round(possible * n):
                assert plant(rows, [replace(asked, rate=possible)], seed=seed).truth[0].ids
        return
    assert len(truth.ids) == round(rate * n)
    assert truth.planted["a"] == round(strength * round(rate * n))
    labels = {row.id: row.label for row in rows}
    assert Counter(labels[id_] for id_ in truth.ids) == Counter(truth.planted)


@pytest.mark.parametrize(
    ("plants", "says"),
    [
        ([], "nothing to plant"),
        ([Plant("word", label="maybe")], "No row has the label 'maybe'. The labels are 'no', 'yes'"),
        ([Plant("word", label="yes", rate=0.9)], "Lower the rate to 0.52"),
        ([Plant("word", label="yes", rate=0.001)], "in none of 100 rows"),
        ([Plant("overlap", label="yes")], "the rows have none"),
        ([Plant("word", label="yes", value="x"), Plant("word", label="no", value="x")], "planted twice"),
    ],
)
def test_what_cannot_be_had_is_told_with_what_can(plants, says):
    with pytest.raises(SettingError, match=says):
        plant(rows_of(100), plants)


def test_one_label_only_is_told():
    with pytest.raises(SettingError, match="only 'no'"):
        plant(rows_of(10, labels=["no"]), [Plant("word", label="no")])
    with pytest.raises(SettingError, match="no row at all"):
        plant([], [Plant("word", label="no")])


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("word", "two words"),
        ("word", "!"),
        ("phrase", "?!"),
        ("position", "no dots"),
        ("template", "... and ..."),
        ("punctuation", "a"),
        ("negation", "all fine"),
        ("length", "-3"),
        ("length", "²"),
        ("overlap", "2"),
        ("overlap", "much"),
    ],
)
def test_a_value_that_is_no_such_thing_is_refused(kind, value):
    with pytest.raises(SettingError, match=f"cannot be planted as '{kind}'"):
        Plant(kind, label="no", value=value)


@pytest.mark.parametrize("options", [{"strength": 0}, {"strength": 1.1}, {"rate": 0}, {"rate": float("nan")}])
def test_strength_and_rate_are_shares(options):
    with pytest.raises(SettingError, match="must be more than 0 and at most 1"):
        Plant("word", label="no", **options)


def test_an_unknown_kind_is_told_with_those_there_are():
    with pytest.raises(SettingError, match="The kinds are word, phrase"):
        Plant("colour", label="no")
