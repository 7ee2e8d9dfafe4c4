"""What must not be written, and pairs whose label may no longer hold: every sentence that got through once is here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.methods.perturb.guards import label_warning, offence

OPPRESSION, SLUR = "a group as oppressor or oppressed", "a slur"


@pytest.mark.parametrize(
    ("text", "word", "other", "reason"),
    [
        # beside it
        ("a tired white-trash cliché", "white", "Black", SLUR),
        ("a criminal white man", "white", "black", SLUR),
        ("they preach white supremacy", "white", "Asian", OPPRESSION),
        ("the old talk of white guilt", "white", "Hispanic", OPPRESSION),
        ("a white slave owner", "white", "Native American", OPPRESSION),
        ("the white old colonizers", "white", "Hispanic", OPPRESSION),
        ("white slaveowning families", "white", "Black", OPPRESSION),
        ("white slave-owning families", "white", "Asian", OPPRESSION),
        ("white plantation owners met", "white", "Black", OPPRESSION),
        ("a white man who owned slaves", "white", "Black", OPPRESSION),
        # apposition
        ("the slave owner, a white man", "white", "Black", OPPRESSION),
        ("the terrorist, a white man", "white", "Hispanic", SLUR),
        ("The white man, a known terrorist, fled.", "white", "Asian", SLUR),
        # copula
        ("the thug was a white man", "white", "Black", SLUR),
        ("The white man was a violent criminal.", "white", "Black", SLUR),
        ("The plantation owner was a rich white man.", "white", "Asian", OPPRESSION),
        ("The slaves were Black.", "Black", "white", OPPRESSION),
        ("the slave owner who was white", "white", "Asian", OPPRESSION),
        # of, by
        ("the supremacy of white people", "white", "Asian", OPPRESSION),
        ("the lynching of a Black man", "Black", "white", OPPRESSION),
        ("They were enslaved by white traders.", "white", "Asian", OPPRESSION),
        ("The town was segregated by white officials.", "white", "Black", OPPRESSION),
        # verbs: who did it, and to whom
        ("white men enslaved Africans", "white", "Black", OPPRESSION),
        ("white men enslaved Africans", "Africans", "Europeans", OPPRESSION),
        ("white settlers colonized the island", "white", "Black", OPPRESSION),
        ("They had enslaved the Black villagers.", "Black", "white", OPPRESSION),
        ("enslaved Black people", "Black", "white", OPPRESSION),
        # master and slave
        ("white masters whipped black slaves", "white", "black", OPPRESSION),
        ("white masters whipped black slaves", "black", "white", OPPRESSION),
    ],
)
def test_offensive_results_are_named(text, word, other, reason):
    assert offence([text], [text]) == ""
    assert offence([text], [text.replace(word, other, 1)]).startswith(reason)


def test_an_inversion_of_both_sides_is_named():
    assert offence(["white masters whipped black slaves"], ["black masters whipped white slaves"])


@pytest.mark.parametrize(
    ("text", "word", "other"),
    [
        ("a white man spoke", "white", "Black"),
        ("the thugs ran from a white nurse", "white", "Black"),
        ("Thugs came. A white nurse called the police.", "white", "Black"),
        ("The thug was shot by a white officer.", "white", "Black"),
        ("White officers arrested criminals.", "White", "Black"),
        ("The terrorist killed white people.", "white", "Asian"),
        ("White supremacists attacked a Black man.", "a Black", "an Asian"),
        ("A white man took the flight to Rome.", "white", "Black"),
        ("The guilt of a white man was never shown.", "white", "Black"),
        ("The white master of the choir sang.", "white", "Black"),
        ("The white teacher spoke about slavery.", "white", "Black"),
        ("A white scholar wrote a history of apartheid.", "white", "Black"),
        ("The criminal lawyer met a white client.", "white", "Asian"),
    ],
)
def test_other_results_are_not(text, word, other):
    changed = text.replace(word, other, 1)
    assert changed != text
    assert offence([text], [changed]) == ""


def test_what_stood_there_before_is_no_offence():
    assert offence(["they preach white supremacy"], ["they preach white supremacy to women"]) == ""


@given(
    st.lists(
        st.sampled_from("the a white Black thug slaves enslaved man was of by , . who owned".split()),
        max_size=12,
    )
)
def test_a_text_that_stays_is_never_offensive(words):
    text = " ".join(words)
    assert offence([text, text], [text, text]) == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("John saw his aunt.", "John saw his uncle."), ("John saw his uncle.", "John saw his uncle.")),
        (("Ann saw her aunt.", "Ann saw her uncle."), ("Al saw his uncle.", "Al saw his uncle.")),
        (("Ann saw her aunt.", "Ann saw her aunt."), ("Al saw his aunt.", "Al saw his uncle.")),
        (("The man sings.", "A man sings."), ("The man sings.", "A woman sings.")),
        (("A lady sings.", "The woman sings."), ("A gentleman sings.", "The woman sings.")),
        (("She sleeps.", "She is a nurse."), ("He sleeps.", "She is a nurse.")),
        # ages in numbers
        (("Tom is 12.", "He is a child."), ("Tom is 70.", "He is a child.")),
        (("Tom is a twelve-year-old.", "Tom is a boy."), ("Tom is a seventy-year-old.", "Tom is a boy.")),
        (("Tom is 12.", "Tom is 13."), ("Tom is 18.", "Tom is 18.")),
        (("Tom is 12.", "Tom is 12."), ("Tom is 70.", "Tom is 12.")),
        (("He is 12.", "He is 12 years old."), ("He is 70.", "He is 65 years old.")),
        # one name, one mapping
        (("John left.", "John is gone."), ("Jane left.", "John is gone.")),
        (("We met Oyelaran.", "Oyelaran was there."), ("We met Oyelaran.", "Svensson was there.")),
        (("John's hat is red.", "It belongs to John."), ("Jane's hat is red.", "It belongs to John.")),
        (("John left.", "John is gone."), ("Jane left.", "Mary is gone.")),
    ],
)  # fmt: skip
def test_pairs_whose_label_may_have_changed_are_warned_of(before, after):
    assert label_warning(before, after)
    assert label_warning(before[::-1], after[::-1])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("A man sleeps.", "A man rests."), ("A woman sleeps.", "A woman rests.")),
        (("Ann met her sister.", "It rained."), ("Al met his sister.", "It rained.")),
        (("John saw his aunt.", "John saw his uncle."), ("Jane saw her aunt.", "Jane saw her uncle.")),
        (("A man sleeps.",), ("A woman sleeps.",)),
        (("Tom is 12.", "It is 12 degrees."), ("Tom is 12.", "It is 12 degrees.")),
        (("Tom is 12.", "Tom is twelve."), ("Tom is 18.", "Tom is eighteen.")),
        (("Tom is 12.", "Tom is 13."), ("Tom is 65.", "Tom is 66.")),
        (("Tom, aged 12, sang.", "A dog barked."), ("Tom, aged 18, sang.", "A dog barked.")),
        (("John's hat.", "John left."), ("Jane's hat.", "Jane left.")),
        (("John Hill left.", "Hill is gone."), ("Jane Hill left.", "Hill is gone.")),
        (("A Black man sang.", "A dog barked."), ("An Asian man sang.", "A dog barked.")),
        (("Is she here?", "Is Rome there?"), ("Are they here?", "Is Rome there?")),
    ],
)
def test_pairs_that_stand_to_each_other_as_before_are_not(before, after):
    assert label_warning(before, after) == ""
    assert label_warning(before[::-1], after[::-1]) == ""


NAMES = ["Ann", "Tom", "Oyelaran", "Svensson"]


@given(st.lists(st.sampled_from(NAMES), min_size=1), st.lists(st.sampled_from(NAMES), min_size=1), st.data())
def test_one_mapping_of_names_is_never_warned_of_and_half_of_one_always_is(first, second, data):
    """The slow obvious twin: all of a name becomes another, in both texts, or in the first only."""
    before = (" ".join(f"we met {name}" for name in first), " ".join(f"they saw {name}" for name in second))
    name = data.draw(st.sampled_from(sorted({*first, *second})))
    both = tuple(text.replace(name, "Quill") for text in before)
    assert label_warning(before, both) == ""
    half = (before[0].replace(name, "Quill"), before[1])
    assert bool(label_warning(before, half)) == (name in first and name in second)
