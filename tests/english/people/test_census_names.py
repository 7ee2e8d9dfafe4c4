"""The census's names: what is looked up, and what the table says of names that everybody knows."""

import pytest

from longway.english.people.person_names import (
    CENSUS_GROUPS,
    census_first_name,
    census_surname,
    gender_of_first_name,
)


def test_a_double_name_is_looked_up_whole_then_by_its_first_part():
    assert census_first_name("Mary-Jane").name == "maryjane"
    assert census_surname("Smith-Qwxyz").name == "smith"
    assert census_surname("O'Brien").name == "obrien"


@pytest.mark.parametrize("written", ["", "-", "Qwxyz", "Ω", "123"])
def test_what_the_census_does_not_list_is_none(written):
    assert census_first_name(written) is None
    assert census_surname(written) is None
    assert gender_of_first_name(written) is None


def test_gender_is_given_where_nearly_all_bearers_share_it():
    assert (gender_of_first_name("Mary"), gender_of_first_name("Robert"), gender_of_first_name("Jessie")) == (
        "feminine",
        "masculine",
        None,
    )
    assert gender_of_first_name("Jessie", sure=0.5) == "feminine"


@pytest.mark.parametrize(("name", "group"), [("Nguyen", "api"), ("Garcia", "hispanic"), ("Olson", "white")])
def test_the_largest_group_of_a_surname(name, group):
    found = census_surname(name)
    assert found.group == group
    assert sum(found.groups) == pytest.approx(1)
    assert len(found.groups) == len(CENSUS_GROUPS)
