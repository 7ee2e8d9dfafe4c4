import pytest

from longway.english.people.words import (
    AGE_RANGES,
    AXES,
    Attribute,
    age_attribute,
    other_attributes,
    parse_attribute,
)
from longway.errors import SettingError


def test_an_attribute_is_found_by_its_name_with_and_without_its_axis():
    for axis, names in AXES.items():
        for name in names:
            assert parse_attribute(name) == parse_attribute(f"{axis}:{name}") == Attribute(axis, name)


@pytest.mark.parametrize("name", ["", "women", "age:woman", "gender:", ":woman", "gender:woman:"])
def test_what_is_no_attribute_is_refused_with_the_list(name):
    with pytest.raises(SettingError, match="pacific-islander"):
        parse_attribute(name)


def test_the_others_are_the_rest_of_the_axis():
    assert {str(one) for one in other_attributes(parse_attribute("man"))} == {
        "gender:woman",
        "gender:non-binary",
    }


def test_every_age_has_the_attribute_of_its_range():
    for years in range(0, 121):
        name = age_attribute(years).name
        low, high = AGE_RANGES[name]
        assert low <= years <= high
    assert age_attribute(121).name == "senior"
