"""The page of an augmentation: what was added, how each text was made, what the words tell now."""

import json
import re

import pytest
from invented_augment import augment, pair_augment, text_to_text_augment
from seen import Elements

from longway.errors import RunError
from longway.show import render_augment, write_augment_report
from longway.show.augment_steps import marked_words


@pytest.fixture(scope="module")
def page():
    return render_augment(augment())


def section(page, name):
    """The words of one section."""
    return Elements(re.search(rf'<section id="{name}">.*?</section>', page, re.DOTALL).group(0)).text


def test_the_page_says_what_was_done(page):
    text = Elements(page).text
    assert (
        "1,301 rows were added to 2,000; 5 spurious words tell 1.8 thousandths of a bit about the label on average instead of 15.8."
        in text
    )
    assert "New texts accepted 76.1% of 1,710 candidates" in text
    assert "Right from the text alone 84.2% → 70.1% chance is 50.2%" in text
    assert "Cost $0.68" in text
    assert "sha256:9f2c41d7" in text


def test_the_sections_come_in_reading_order(page):
    ids = [attributes.get("id") for attributes in Elements(page).named("section")]
    assert ids == ["words", "labels", "sample", "refused", "unwritten", "models", "leak", "findings", "worse", "diversity", "checks", "cost", "settings", "reading"]  # fmt: skip


def test_words_stand_with_what_they_told_and_tell(page):
    text = section(page, "words")
    assert "matinee negative 93 → 171 26.3 → 1.3" in text
    assert "director ▲ more than before positive 240 → 391 1.7 → 2.7" in text


def test_rows_by_label_are_counted(page):
    assert "negative 1,004 640 1,644 49.8%" in section(page, "labels")


def test_an_addition_can_be_followed_step_by_step(page):
    text = section(page, "sample")
    assert "negative → positive" in text
    assert "Spurious: honestly, matinee Principal: dull" in text
    assert "spurious the matinee | was, honestly, | dull the matinee | was, honestly, | gripping 2" in text
    assert "normal The hero | walks through | an empty town dropped –" in text
    assert "Besides: 1 triple dropped; the order changed; gendered words swapped (He → She)." in text
    assert '<span class="spurious">matinee</span> was <span class="principal">dull</span>' in page
    assert '<span class="spurious">matinee</span> was gripping' in page


def test_an_addition_without_triples_shows_both_texts(page):
    assert "A <del>fine</del> film." in page
    assert "A <ins>bad</ins> film." in page


def test_refused_candidates_have_reason_and_steps(page):
    text = section(page, "refused")
    assert "409 candidates were not used" in text
    assert "211 kept words 51.6%" in text
    assert "✗ kept words: the word is gone" in text


def test_what_models_look_at_is_told(page):
    text = section(page, "models")
    assert "Asked: bow, nb, cnn. A word is principal where 2 of them have it among their top 5." in text
    assert "texts where all models share a top word64.0%" in text
    assert "nb42.0%15.0%33.0%10.0%" in text


def test_how_new_the_additions_are_is_told(page):
    text = section(page, "diversity")
    assert "a cosine of 0.712 on average" in text
    assert "The 50 strongest directions hold 49.8% of the variance of the additions and 52.4%" in text


def test_a_pair_shows_the_triples_of_its_context():
    text = section(render_augment(pair_augment()), "sample")
    assert "Of the context" in text
    assert "spurious A man | plays | the flute on a bridge A woman | plays | the flute on a bridge 1" in text
    assert "read The bridge | is | old left alone" in text
    assert "Context, as it was and as it is" in text


def test_rows_without_labels_show_what_texts_are_turned_into():
    page = render_augment(text_to_text_augment())
    assert "is turned into She is delayed. I must leave now." in section(page, "sample")
    assert "The rows have no labels" in section(page, "labels")
    assert 'id="models"' not in page


def test_nothing_added_is_said_plainly():
    made = augment()
    made |= {"added": 0, "accepted": 0, "sample": [], "mean_mi": None, "words": [], "diversity": None}
    assert "Nothing was added to 2,000 rows: no new text passed." in Elements(render_augment(made)).text


WHOLE = [("The ", 0), ("film", 1), (" is ", 0), ("FILM", 1), ("-like: filmed.", 0)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [(["film"], WHOLE), (["a+b", "(", ""], [("The film is FILM-like: filmed.", 0)])],
)
def test_words_are_marked_where_they_stand_whole(words, expected):
    found = marked_words("The film is FILM-like: filmed.", [(words, 1)])
    assert [(piece.text, piece.level) for piece in found] == expected


def test_the_report_is_written_beside_its_file(tmp_path):
    (tmp_path / "augment.json").write_text(json.dumps(augment()), encoding="utf-8")
    assert write_augment_report(tmp_path).read_text(encoding="utf-8").startswith("<!doctype html>")
    (tmp_path / "augment.json").write_text('{"version": 7}', encoding="utf-8")
    with pytest.raises(RunError, match="Expected version 1, got 7"):
        write_augment_report(tmp_path)
