import pytest

from longway.rewrite.perturb.guards import label_warning, offence


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("a tired white-trash cliché", "a tired Black-trash cliché", "a slur"),
        ("they preach white supremacy", "they preach Asian supremacy", "a group as oppressor"),
        ("a white slave owner", "a Native American slave owner", "a group as oppressor"),
        ("the white old colonizers", "the Hispanic old colonizers", "a group as oppressor"),
    ],
)
def test_offensive_results_are_named(before, after, reason):
    assert offence([before], [after]).startswith(reason)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a white man spoke", "a Black man spoke"),
        ("they preach white supremacy", "they preach white supremacy to women"),
        ("the thugs ran from a white nurse", "the thugs ran from a Black nurse"),
    ],
)
def test_other_results_are_not(before, after):
    assert offence([before], [after]) == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("John saw his aunt.", "John saw his uncle."), ("John saw his uncle.", "John saw his uncle.")),
        (("Ann saw her aunt.", "Ann saw her uncle."), ("Al saw his uncle.", "Al saw his uncle.")),
        (("Ann saw her aunt.", "Ann saw her aunt."), ("Al saw his aunt.", "Al saw his uncle.")),
        (("The man sings.", "A man sings."), ("The man sings.", "A woman sings.")),
        (("A lady sings.", "The woman sings."), ("A gentleman sings.", "The woman sings.")),
        (("She sleeps.", "She is a nurse."), ("He sleeps.", "She is a nurse.")),
    ],
)
def test_pairs_whose_label_may_have_changed_are_warned_of(before, after):
    assert label_warning(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("A man sleeps.", "A man rests."), ("A woman sleeps.", "A woman rests.")),
        (("Ann met her sister.", "It rained."), ("Al met his sister.", "It rained.")),
        (("John saw his aunt.", "John saw his uncle."), ("Jane saw her aunt.", "Jane saw her uncle.")),
        (("A man sleeps.",), ("A woman sleeps.",)),
    ],
)
def test_pairs_that_stand_to_each_other_as_before_are_not(before, after):
    assert label_warning(before, after) == ""
