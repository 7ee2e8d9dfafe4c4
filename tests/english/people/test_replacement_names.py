"""Names to write: chosen by the rule that is told, changed the same way every time, with the wanted attribute and no other one."""

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.people.person_names import (
    ANY_GROUP,
    CENSUS_GROUPS,
    NAMES_PATH,
    census_first_name,
    census_surname,
    gender_attribute,
    group_attribute,
    replacement_name,
    replacement_names,
)
from longway.english.people.words import AXES, Attribute, entries_for, parse_attribute

SCRIPT = Path(__file__).resolve().parents[3] / "train" / "demographic_names.py"
CENSUS = {"white": "white", "black": "black", "asian": "api", "hispanic": "hispanic"}
FIRST = [row.name for row in replacement_names() if row.kind == "first"]
LAST = [row.name for row in replacement_names() if row.kind == "surname"]
GENDERS, RACES = ([Attribute(axis, name) for name in AXES[axis]] for axis in ("gender", "race"))


def test_the_table_is_what_the_script_makes_of_the_census():
    spec = importlib.util.spec_from_file_location("demographic_names", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.written(script.rows()) == NAMES_PATH.read_text(encoding="utf-8")


def test_names_from_the_census_are_those_of_the_group_and_the_gender():
    for row in replacement_names():
        if row.source == "hand":
            assert row.group in ("native-american", "pacific-islander")
            continue
        known = census_first_name(row.name) if row.kind == "first" else census_surname(row.name)
        shares = dict(zip(CENSUS_GROUPS, known.groups, strict=True))
        if row.group != ANY_GROUP:
            assert shares[CENSUS[row.group]] >= 0.74  # shares of whole percents, made to sum to 1
        if row.kind == "first":
            low, high = {"man": (0, 0.03), "woman": (0.97, 1), "non-binary": (0.25, 0.75)}[row.gender]
            assert low <= known.female <= high, row


def test_there_are_enough_names_of_each_kind():
    def count(kind, group, gender):
        return sum((row.kind, row.group, row.gender) == (kind, group, gender) for row in replacement_names())

    for group in CENSUS:
        assert min(count("first", group, "man"), count("first", group, "woman")) >= 70
        assert count("surname", group, "-") >= 40
    assert count("first", ANY_GROUP, "non-binary") >= 60
    assert min(count("surname", group, "-") for group in ("native-american", "pacific-islander")) >= 35


def test_the_count_of_names_is_told_honestly():
    told = NAMES_PATH.with_name("word_lists.md").read_text(encoding="utf-8")
    assert (
        f"| `replacement_names.tsv` | {len(replacement_names()):,} | {len(FIRST):,} first names, {len(LAST)} surnames |"
        in told
    )


def test_no_name_is_a_word_of_the_lists_or_has_two_lines():
    assert [row.name for row in replacement_names() if entries_for(row.name)] == []
    assert len({(row.kind, row.name) for row in replacement_names()}) == len(replacement_names())


@given(st.sampled_from(FIRST), st.sampled_from(GENDERS), st.text(max_size=3))
def test_another_gender_keeps_the_group_as_far_as_names_of_it_are_known(name, target, key):
    new = replacement_name(name, target, kind="first", key=key)
    assert gender_attribute(new) == target.name
    assert group_attribute(new) in (group_attribute(name), ANY_GROUP)
    assert (new == name) == (gender_attribute(name) == target.name)


@given(st.sampled_from(FIRST), st.sampled_from(RACES), st.text(max_size=3))
def test_another_group_keeps_the_gender(name, target, key):
    new = replacement_name(name, target, kind="first", key=key)
    assert gender_attribute(new) == gender_attribute(name)
    assert group_attribute(new) == target.name or gender_attribute(name) == "non-binary"
    assert (new == name) == (group_attribute(name) == target.name)


@given(st.sampled_from(LAST), st.sampled_from(RACES))
def test_a_surname_becomes_a_surname(name, target):
    new = replacement_name(name, target, kind="surname")
    assert group_attribute(new, kind="surname") == target.name
    assert new in LAST


@given(st.sampled_from(FIRST), st.sampled_from(GENDERS + RACES), st.integers(0, 5))
def test_the_new_name_is_the_nearest_that_is_not_taken(name, target, steps):
    """Against a slow twin: taking the answers away one by one never brings a nearer one."""

    def distance(other):
        return (name[0] != other[0], max(1, abs(len(name) - len(other))))

    taken, last = set(), None
    for _ in range(steps):
        new = replacement_name(name, target, kind="first", taken=taken)
        if new in (None, name):
            return
        assert new.lower() not in taken
        assert new == replacement_name(name, target, kind="first", taken=taken)
        assert last is None or distance(last) <= distance(new)
        taken.add(new.lower())
        last = new


def test_nothing_is_written_where_all_names_are_taken():
    assert (
        replacement_name(
            "Robert", parse_attribute("woman"), taken={row.name.upper() for row in replacement_names()}
        )
        is None
    )


def test_a_key_gives_other_names_and_the_same_key_the_same():
    new = {key: replacement_name("Robert", parse_attribute("woman"), key=key) for key in "abcdefgh"}
    assert len(set(new.values())) > 1
    assert new == {key: replacement_name("Robert", parse_attribute("woman"), key=key) for key in "abcdefgh"}


@pytest.mark.parametrize("written", ["Zoë", "ZOE", "zoe"])
def test_accents_and_capitals_do_not_matter_for_the_first_letter(written):
    assert replacement_name(written, parse_attribute("man"))[0] == "Z"
    assert gender_attribute(written) == "woman"


def test_names_say_nothing_of_age_and_surnames_nothing_of_gender():
    assert replacement_name("Robert", parse_attribute("senior")) is None
    assert replacement_name("Garcia", parse_attribute("woman")) == "Garcia"


def test_an_unknown_name_can_get_a_gender_but_no_group():
    assert gender_attribute(replacement_name("Qwxyz", parse_attribute("woman"))) == "woman"
    assert replacement_name("Qwxyz", parse_attribute("black")) is None


def test_what_more_people_are_called_decides_between_first_name_and_surname():
    assert replacement_name("Washington", parse_attribute("asian")) in LAST
    assert replacement_name("Washington", parse_attribute("asian"), kind="first") in FIRST
    assert replacement_name("Deepak", parse_attribute("black")) in FIRST
