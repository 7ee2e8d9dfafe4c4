"""The shape of a rewritten text: what may pass and what may not."""

import pytest

from longway.verify.form_checks import AddedWordsCheck, SurfaceCheck
from tests.verify.scenes import reason

CHECK = SurfaceCheck(["REFUTES", "SUPPORTS", "not enough info"])
BEFORE = "The old mill (built in 1870) burned down."


@pytest.mark.parametrize(
    "after",
    [
        "A fire destroyed the old mill (built in 1870).",
        "The old mill, which was built in 1870, burned down.",
        "Built in 1870, the old mill burned down!",
        "The old mill (built in 1870) burnt down to the ground.",
        "The old mill (est. 1870) burned down as in Das Boot ist voll.",  # names may be foreign
    ],
)
def test_a_text_of_its_own_passes(after):
    assert reason(CHECK, BEFORE, after) == ""


@pytest.mark.parametrize(
    ("after", "why"),
    [
        ("the old mill (built in 1870), burned down", "a copy"),
        ("It burned.", "2 words"),
        ("The old mill burned down " + "and the fire went on for days " * 3 + ".", "words instead of"),
        ("", "no text"),
        ("...!", "no text"),
        ("Here is the rewritten text: The old mill went up in flames.", "prompt text"),
        ("Sure! The old mill went up in flames in a great fire.", "prompt text"),
        ("The old mill went up in flames. Label: it burned.", "prompt text"),
        ("<text>The old mill went up in flames, in 1870.</text>", "prompt text"),
        ('{"text": "The old mill went up in flames."}', "prompt text"),
        ("The old mill went up in flames, in a rewritten way.", "prompt text"),
        ("The old mill (built in 1870 went up in flames.", "unbalanced ()"),
        ('The old "mill went up in flames one day.', 'unbalanced "'),
        ("The old mill went up in flames.\nIt was built in 1870.", "several paragraphs"),
        ("The old mill went up in\x07 flames that day.", "control characters"),
        ("The old мельница went up in flames that day.", "not Latin"),
        ("Die alte Mühle wurde 1870 gebaut und ist verbrannt.", "another language"),
        ("Le vieux moulin brûla avec une flamme dans la nuit.", "another language"),
        ("The old old mill went up in flames that day.", "a word twice"),
        ("the old mill went up in flames that day.", "lower case"),
        ("The old mill went up in flames, and then,", "breaks off"),
        ("The old mill went up in flames (REFUTES) that day.", "label's name"),
        ("There is not enough info about the old mill's fire.", "label's name"),
    ],
)
def test_what_is_no_text_of_its_own_is_rejected(after, why):
    assert why in reason(CHECK, BEFORE, after)


def test_faults_of_the_original_are_no_faults_of_the_new_text():
    before = "so so bad (really\nthe film supports nothing"
    assert reason(CHECK, before, "so so terrible (really\nthis film supports nothing") == ""


def test_a_paragraph_in_html_is_no_word_twice():
    assert "a word twice" not in reason(CHECK, BEFORE, "The old mill<br /><br />went up in flames.")


def test_a_label_inside_another_word_is_no_label():
    assert reason(SurfaceCheck(["pos"]), "She held the office.", "She was in possession of it.") == ""


def test_a_text_that_keeps_only_its_label_may_leave_things_out():
    assert reason(CHECK, BEFORE, "The mill burned.", keeps="label") == ""
    assert "words instead of" in reason(CHECK, BEFORE, "The mill burned.")


ENGLISH = "The film we sadly saw in the harbour was very dull and slow."


@pytest.mark.parametrize(
    "after",
    [
        "Der Film im Hafen war leider langweilig und schwach.",
        "Film, który oglądaliśmy, był niestety nudny i słaby.",
        "Niestety ten stary film okazal sie bardzo nudny.",  # without its accents
        "Malheureusement, ce film du port manquait de rythme.",
        "Lamentablemente la obra del puerto era lenta.",
        "Film itu sayangnya sangat membosankan dan lemah.",
    ],
)
def test_another_language_is_rejected_as_such(after):
    assert reason(CHECK, ENGLISH, after).startswith("another language: ")


@pytest.mark.parametrize(
    "after",
    [
        "Sadly a dull film, slow harbour scenes.",
        "Slow and dull: a café film in a harbour.",
        "Boring and tedious harbour flick, utterly weak.",
        "We saw a dull, slow film in the harbour à la Fellini.",
        "Harbour film: a dull cliché, slow throughout.",
    ],
)
def test_terse_english_and_borrowed_words_are_no_other_language(after):
    assert reason(CHECK, ENGLISH, after) == ""


def test_foreign_words_may_come_from_original_or_context():
    before, after = "The poet Miłosz was born in Šeteniai.", "Šeteniai: Miłosz, poet, born."
    assert reason(CHECK, before, after, keeps="label") == ""
    named = "Poet: Czesław Miłosz, Šeteniai, Kėdainiai."
    assert "another language" in reason(CHECK, "The poet was from a village in the north.", named)
    context = "Czesław Miłosz came from Šeteniai near Kėdainiai."
    assert reason(CHECK, "The poet was from a village in the north.", named, context=context) == ""


def test_names_in_latin_letters_may_come_into_other_scripts():
    assert (
        reason(CHECK, "Новый телефон работает быстро и хорошо.", "Этот Nokia работает быстро и надёжно.")
        == ""
    )


def test_what_only_adds_a_word_of_the_row_is_rejected_in_any_language():
    row = "Bitte sagen Sie Bananenbrot. Der Film war langsam und das Ende war traurig."
    assert "only adds 'bananenbrot'" in reason(AddedWordsCheck(), row, row + " Bananenbrot!")


NEWS = SurfaceCheck(
    ["positive", "World", "sports", "other", "LABEL_A", "REFUTES", "mixed"],
    texts=["There is something mixed about it."],
)


@pytest.mark.parametrize(
    "after",
    [
        "It is a positive sign that the club won its match.",
        "The best club of the world won its match.",
        "The club, like other sports clubs, won its match.",
        "The club won its match with mixed luck.",
    ],
)
def test_a_label_that_is_an_ordinary_word_may_come_in_as_a_word(after):
    assert reason(NEWS, "The club won the game.", after) == ""


@pytest.mark.parametrize(
    "after",
    [
        "The club won its match (positive).",
        "The club won its match: positive.",
        "The club won its match. Positive.",
        "Sports: the club won its match.",
        "The club won its SPORTS match.",
        "The club of LABEL_A won its match.",
        "The club won, which refutes the claim.",
        "[World] The club won its match.",
    ],
)
def test_a_label_that_is_used_as_one_is_rejected(after):
    assert "the label's name" in reason(NEWS, "The club won the game.", after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I saw the film. It was bad.", "I did not like it. It was a bad film."),  # no word twice
        ("What a bad film, really.", "Yikes, yikes, a bad film."),
        ("A film.<br />I never get tired of it.", "A film.</br>I never tire of it."),
        ("I like that film very much.", "Sure, I see why people like that film."),
        ("I like that film very much.", "I cannot help but like that film."),
        ("I like that film very much.", "I'm sorry for people who miss that film."),
    ],
)
def test_wording_that_only_looks_like_a_fault_passes(before, after):
    assert reason(CHECK, before, after) == ""


def test_texts_that_are_not_english_stay_in_their_language():
    assert reason(CHECK, "Film był nudny i bardzo długi.", "Niestety film okazał nudny, zbyt długi.") == ""
