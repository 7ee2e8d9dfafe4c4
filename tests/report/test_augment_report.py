"""The page of an augmentation: what was added, how each text was made, how well the words predict the label now."""

from dataclasses import replace

import pytest
from invented_augment import augment, pair_augment, text_to_text_augment
from seen import Elements, section

from longway import AugmentResult
from longway.jobs.augment.page import marked_words
from longway.report.html import render
from longway.report.markdown import render as render_card
from longway.report.sections import Span


def render_augment(content):
    return render(AugmentResult.from_dict(content).page())


@pytest.fixture(scope="module")
def page():
    return render_augment(augment())


def test_the_page_says_what_was_done(page):
    text = Elements(page).text
    assert (
        "1,301 rows were added to 2,000; the mean worth of 5 spurious words was 2.7 points of accuracy before and is 0.44 now."
        in text
    )
    assert "New texts accepted 76.1% of 1,710 candidates" in text
    assert "Right from review alone 84.2% → 70.1% chance is 50.2%" in text
    assert "Cost $0.68" in text
    assert "sha256:9f2c41d7" in text


def test_words_have_their_points_before_and_after(page):
    text = section(page, "words")
    assert "matinee negative 93 → 171 +3.7 → +0.2" in text
    assert "director ▲ more than before positive 240 → 391 +1.0 → +1.2" in text


def test_rows_by_label_are_counted(page):
    assert "negative 1,004 640 1,644 49.8%" in section(page, "labels")


def test_an_addition_can_be_followed_step_by_step(page):
    text = section(page, "sample")
    assert "negative → positive" in text
    assert "Spurious: honestly, matinee Principal: dull" in text
    assert "spurious the matinee | was, honestly, | dull the matinee | was, honestly, | gripping 2" in text
    assert "normal The hero | walks through | an empty town dropped –" in text
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


def test_what_models_rely_on_is_shown(page):
    text = section(page, "models")
    assert "Models: bow, nb, cnn. A word is principal if 2 of them have it among their top 5." in text
    assert "texts in which all models share a top word 64.0%" in text
    assert "nb 42.0% 15.0% 33.0% 10.0%" in text


def test_a_pair_shows_the_triples_of_its_context():
    text = section(render_augment(pair_augment()), "sample")
    assert "Of the context" in text
    assert "spurious A man | plays | the flute on a bridge A woman | plays | the flute on a bridge 1" in text
    assert "read The bridge | is | old unchanged" in text
    assert "Context, before and after" in text


def test_rows_without_labels_show_their_output_texts():
    page = render_augment(text_to_text_augment())
    assert "Output text: She is delayed. I must leave now." in section(page, "sample")
    assert "The rows have output texts instead of labels." in section(page, "labels")
    assert 'id="models"' not in page


def test_a_run_that_added_nothing_says_so():
    made = augment()
    made |= {"added": 0, "accepted": 0, "sample": [], "words": []}
    assert (
        "Nothing was added to 2,000 rows: no new text passed the checks."
        in Elements(render_augment(made)).text
    )


FILM = ["The ", Span("film", "spurious"), " is ", Span("FILM", "spurious"), "-like: filmed."]


@pytest.mark.parametrize(
    ("words", "expected"), [(["film"], FILM), (["a+b", "(", ""], ["The film is FILM-like: filmed."])]
)
def test_whole_words_are_marked(words, expected):
    assert marked_words("The film is FILM-like: filmed.", [(words, 1)]) == expected


def test_more_points_are_not_called_a_success():
    result = AugmentResult.from_dict(augment())
    director = result.words[-1]
    verdicts = [
        replace(result, words=(word,)).page().verdict
        for word in (director, replace(director, points_after=director.points_before))
    ]
    assert (
        "the mean worth of 1 spurious word was 1.0 points of accuracy before and is 1.2 now." in verdicts[0]
    )
    assert "was 1.0 points of accuracy before and is 1.0 now." in verdicts[1]


def test_words_of_an_earlier_version_have_no_points():
    words = [{**word, "points_before": None, "points_after": None} for word in augment()["words"]]
    result = AugmentResult.from_dict(augment() | {"words": words})
    assert result.mean_points is None
    assert result.page().verdict == "1,301 rows were added to 2,000."
    assert "93 → 171 – → –" in section(render(result.page()), "words")


def test_the_card_has_figures_and_no_text_of_the_data():
    card = render_card(AugmentResult.from_dict(augment()).page())
    assert "1,301 were added (negative 640, positive 661)" in card
    assert "Leak from review alone: 84.2% (" in card
    assert "longwaysource" in card or "longway_source" in card
    assert "matinee" not in card
