"""The page of a perturbation: who is mentioned before and after, what became of whom, what was left unchanged, and the warning."""

import pytest
from invented_perturb import perturb
from seen import Elements, section

from longway import PerturbResult
from longway.report.differences import side_by_side
from longway.report.html import render
from longway.report.markdown import render as render_card


def render_perturb(content):
    return render(PerturbResult.from_dict(content).page())


@pytest.fixture(scope="module")
def page():
    return render_perturb(perturb())


def test_the_page_says_what_was_done(page):
    text = Elements(page).text
    assert (
        "900 of 1,500 rows mention a gender, race or age that can be changed; "
        "one person was changed in 812 of them, and all labels stay the same." in text
    )
    assert "Rows that mention people 60.0% 900 of 1,500 rows" in text
    assert "Rows changed 812 90.2% of these" in text
    assert "By axis gender 65.4% age 22.2%, race 12.4%" in text
    assert "Words changed per row 2.4 11.3% of its words" in text
    assert "Blocked as offensive 7 of 1,040 choices tried" in text
    assert "Labels in doubt 31 1 of them kept" in text


def test_the_warning_stands_at_the_top_and_at_the_end(page):
    text = Elements(page).text
    assert text.index("Perturbed data does not make a model fair.") < text.index("Who is mentioned")
    assert "as in hate speech" in text
    assert "Facts about real people may no longer be true" in text
    assert "Do not call a model fair because its training data was perturbed." in section(page, "reading")


def test_who_is_mentioned_is_drawn_before_and_after(page):
    text = section(page, "balance")
    assert "gender mentioned in 830 rows, changed in 531" in text
    assert "gender woman 220 → 371" in text
    assert "pacific-islander 0 → 9" in text
    assert page.count('class="bar before"') == 14
    assert page.count('class="bar now"') == 14


def test_what_became_what_is_counted(page):
    assert "gender man woman 260 32.0%" in section(page, "pairs")


def test_a_changed_row_shows_what_changed_and_who_is_meant(page):
    assert '<del>Mira</del> <span class="person">Sol</span> moved to Oslo with <del>her</del> sister.' in page
    assert "<ins>Milo</ins> Sol moved to Oslo with <ins>his</ins> sister." in page
    assert '<span class="person">Sol</span> lives in Oslo.' in page
    text = section(page, "sample")
    assert "gender: woman to man chosen word her supports id c12" in text
    assert "claim, unchanged Sol lives in Oslo." in text
    assert "Left unchanged: 'sister': another person" in text


def test_a_row_whose_label_is_in_doubt_says_so(page):
    assert "✗ label contrast the texts differ in 'aunt' and 'uncle', and no longer do" in section(
        page, "sample"
    )
    checks = section(page, "checks")
    assert "label contrast 900 31 3.4%" in checks
    assert "offensive 920 7 0.8%" in checks
    assert "Both checks are rules over word lists." in checks


def test_refused_choices_have_their_reason_and_offensive_ones_no_text(page):
    text = section(page, "refused")
    assert "127 choices could not be made" in text
    assert "120 there is no other word for it 94.5%" in text
    assert "The new text is not shown here; it is in edits.jsonl." in text
    assert "worse names" not in page


def test_the_chosen_word_is_marked_where_nothing_changed(page):
    assert '<span class="person">Ada</span>, <span class="person chosen">67</span>, sings.' in page


def test_what_was_left_unchanged_has_its_reason(page):
    text = section(page, "left")
    assert "600 no word expresses a gender, race or age that can be changed 87.2%" in text
    assert "a colour black (40), white (21) 61" in text


def test_the_verdict_says_whether_rows_were_added():
    settings = perturb()["settings"] | {"add": True}
    made = perturb() | {"settings": settings, "added": 812, "changed": 0}
    assert (
        "can be changed; 812 rows with one changed person were added." in Elements(render_perturb(made)).text
    )


def test_a_run_without_any_change_is_shown_too():
    made = perturb()
    made |= {
        "perturbed": 0,
        "changed": 0,
        "sample": [],
        "pairs": [],
        "refused": [],
        "checks": [],
        "stayed": [],
        "left": [],
        "distances": None,
    }
    text = Elements(render_perturb(made)).text
    for words in ("Nothing was changed.", "None: every choice could be made.", "Nothing was checked."):
        assert words in text


def test_marks_are_laid_over_what_stayed_the_same():
    old, new = side_by_side("Ann saw her dog.", "Al saw his dog.", marks=[(0, 3, 2), (8, 11, 2), (12, 15, 2)])
    assert [(piece.text, piece.level) for piece in old] == [("Ann", 1), (" saw ", 0), ("her", 1), (" ", 0), ("dog", 2), (".", 0)]  # fmt: skip
    assert "".join(piece.text for piece in new) == "Al saw his dog."


def test_the_card_has_figures_the_warning_and_no_text_of_the_data():
    card = render_card(PerturbResult.from_dict(perturb()).page())
    assert "900 mention somebody’s gender, race or age; 812 have another text, none was added." in card
    assert "woman 220 and 371" in card
    assert "**Perturbed data does not make a model fair.**" in card
    assert "Oslo" not in card
