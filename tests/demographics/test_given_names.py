"""Names to write: chosen by the rule that is told, changed the same way every time, with the wanted attribute and no other one."""

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.demographics.axes import AXES, Attribute, attribute
from longway.demographics.given_names import ANY, TABLE, gender_of, group_of, name_for, names
from longway.demographics.words import readings
from longway.text.names import GROUPS, first_name, surname

SCRIPT = Path(__file__).resolve().parents[2] / "train" / "demographic_names.py"
CENSUS = {"white": "white", "black": "black", "asian": "api", "hispanic": "hispanic"}
FIRST = [row.name for row in names() if row.kind == "first"]
LAST = [row.name for row in names() if row.kind == "surname"]
GENDERS, RACES = ([Attribute(axis, name) for name in AXES[axis]] for axis in ("gender", "race"))


def test_the_table_is_what_the_script_makes_of_the_census():
    spec = importlib.util.spec_from_file_location("demographic_names", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.written(script.rows()) == TABLE.read_text(encoding="utf-8")


def test_names_from_the_census_are_those_of_the_group_and_the_gender():
    for row in names():
        if row.source == "hand":
            assert row.group in ("native-american", "pacific-islander")
            continue
        known = first_name(row.name) if row.kind == "first" else surname(row.name)
        shares = dict(zip(GROUPS, known.groups, strict=True))
        if row.group != ANY:
            assert shares[CENSUS[row.group]] >= 0.74  # shares of whole percents, made to sum to 1
        if row.kind == "first":
            low, high = {"man": (0, 0.03), "woman": (0.97, 1), "non-binary": (0.25, 0.75)}[row.gender]
            assert low <= known.female <= high, row


def test_there_are_enough_names_of_each_kind():
    def count(kind, group, gender):
        return sum((row.kind, row.group, row.gender) == (kind, group, gender) for row in names())

    for group in CENSUS:
        assert min(count("first", group, "man"), count("first", group, "woman")) >= 70
        assert count("surname", group, "-") >= 40
    assert count("first", ANY, "non-binary") >= 60
    assert min(count("surname", group, "-") for group in ("native-american", "pacific-islander")) >= 35


def test_the_count_of_names_is_told_honestly():
    told = TABLE.with_name("words.md").read_text(encoding="utf-8")
    assert f"| `names.tsv` | {len(names()):,} | {len(FIRST):,} first names, {len(LAST)} surnames |" in told


def test_no_name_is_a_word_of_the_lists_or_has_two_lines():
    assert [row.name for row in names() if readings(row.name)] == []
    assert len({(row.kind, row.name) for row in names()}) == len(names())


@given(st.sampled_from(FIRST), st.sampled_from(GENDERS), st.text(max_size=3))
def test_another_gender_keeps_the_group_as_far_as_names_of_it_are_known(name, target, key):
    new = name_for(name, target, kind="first", key=key)
    assert gender_of(new) == target.name
    assert group_of(new) in (group_of(name), ANY)
    assert (new == name) == (gender_of(name) == target.name)


@given(st.sampled_from(FIRST), st.sampled_from(RACES), st.text(max_size=3))
def test_another_group_keeps_the_gender(name, target, key):
    new = name_for(name, target, kind="first", key=key)
    assert gender_of(new) == gender_of(name)
    assert group_of(new) == target.name or gender_of(name) == "non-binary"
    assert (new == name) == (group_of(name) == target.name)


@given(st.sampled_from(LAST), st.sampled_from(RACES))
def test_a_surname_becomes_a_surname(name, target):
    new = name_for(name, target, kind="surname")
    assert group_of(new, kind="surname") == target.name
    assert new in LAST


@given(st.sampled_from(FIRST), st.sampled_from(GENDERS + RACES), st.integers(0, 5))
def test_the_new_name_is_the_nearest_that_is_not_taken(name, target, steps):
    """Against a slow twin: taking the answers away one by one never brings a nearer one."""

    def distance(other):
        return (name[0] != other[0], max(1, abs(len(name) - len(other))))

    taken, last = set(), None
    for _ in range(steps):
        new = name_for(name, target, kind="first", taken=taken)
        if new in (None, name):
            return
        assert new.lower() not in taken
        assert new == name_for(name, target, kind="first", taken=taken)
        assert last is None or distance(last) <= distance(new)
        taken.add(new.lower())
        last = new


def test_nothing_is_written_where_all_names_are_taken():
    assert name_for("Robert", attribute("woman"), taken={row.name.upper() for row in names()}) is None


def test_a_key_gives_other_names_and_the_same_key_the_same():
    new = {key: name_for("Robert", attribute("woman"), key=key) for key in "abcdefgh"}
    assert len(set(new.values())) > 1
    assert new == {key: name_for("Robert", attribute("woman"), key=key) for key in "abcdefgh"}


@pytest.mark.parametrize("written", ["Zoë", "ZOE", "zoe"])
def test_accents_and_capitals_do_not_matter_for_the_first_letter(written):
    assert name_for(written, attribute("man"))[0] == "Z"
    assert gender_of(written) == "woman"


def test_names_say_nothing_of_age_and_surnames_nothing_of_gender():
    assert name_for("Robert", attribute("senior")) is None
    assert name_for("Garcia", attribute("woman")) == "Garcia"


def test_an_unknown_name_can_get_a_gender_but_no_group():
    assert gender_of(name_for("Qwxyz", attribute("woman"))) == "woman"
    assert name_for("Qwxyz", attribute("black")) is None


def test_what_more_people_are_called_decides_between_first_name_and_surname():
    assert name_for("Washington", attribute("asian")) in LAST
    assert name_for("Washington", attribute("asian"), kind="first") in FIRST
    assert name_for("Deepak", attribute("black")) in FIRST
