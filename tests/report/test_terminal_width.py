"""The terminal at every width: tables drop columns instead of examples, and what an example is about is in view."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from longway.report.differences import versions
from longway.report.sections import SCREEN, Column, Page, Paragraph, Row, Section, Span, Table
from longway.report.terminal import output, show

LONG = "word " * 40


def page_of(*examples):
    columns = [
        Column("Pattern"), Column("Severity", drop=1), Column("Predicts", style="to"), Column("Rows", number=True, drop=3),
        Column("Label’s share", style="shares", drop=2), Column("Points", number=True),
    ]  # fmt: skip
    rows = [
        Row(
            [f"pattern {i}", "critical", "negative", "1,234", "100.0% base rate 50.0%", "+28.5"],
            below=[Paragraph(words, "example")],
        )
        for i, words in enumerate(examples)
    ]
    section = Section("findings", "Findings", [Table(columns, rows)], on=SCREEN)
    return Page("", "Title", "Verdict.", facts=[], figures=[], sections=[section], version="", fingerprint="")


def shown(page, width):
    out = io.StringIO()
    show(page, Console(file=out, width=width, highlight=False))
    return out.getvalue()


@pytest.mark.parametrize("width", [60, 72, 80, 100, 120, 200])
@pytest.mark.parametrize("before", ["", "A few words and ", LONG])
def test_the_highlighted_words_of_an_example_are_in_view(width, before):
    text = shown(page_of([before, Span("marked words", "m5"), " " + LONG]), width)
    assert "marked words" in text
    assert all(cell_len(line.rstrip()) <= width for line in text.splitlines())
    assert "+28.5" in text


WIDE = {
    "zh": "这家餐厅的菜很好吃，服务员也很热情，",
    "ja": "この店の料理はとてもおいしくて、店員も親切でした。",
    "ko": "이 식당의 음식은 정말 맛있고 직원들도 아주 친절했습니다. ",
    "th": "อาหารที่ร้านนี้อร่อยมากและพนักงานก็ใจดีมาก ",
    "ar": "كان الطعام في هذا المطعم لذيذا جدا وكان الموظفون لطفاء. ",
}


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("language", WIDE)
@pytest.mark.parametrize("n", [0, 1, 4])
def test_examples_are_cut_by_the_columns_of_the_screen_that_characters_take(language, width, n):
    sentence = WIDE[language]
    text = shown(page_of([n * sentence, Span("标记 marked", "m5"), 4 * sentence]), width)
    lines = text.splitlines()
    row = next(line for line in lines if line.startswith("pattern 0"))
    assert "标记 marked" in row
    assert row.rstrip().endswith("…")
    assert all(cell_len(line.rstrip()) <= width for line in lines)
    assert ("critical" in row) == (width > 60)


def test_a_wide_example_that_fits_is_not_cut():
    text = shown(page_of([WIDE["zh"][:10], Span("标记", "m5")]), 80)
    assert "这家餐厅的菜很好吃，标记" in text
    assert "…" not in text


def test_at_80_columns_the_least_important_columns_are_dropped_and_named():
    text = shown(page_of(["Some text with ", Span("a mark", "m5")]), 80)
    assert "Rows" not in text.split("Pattern 0")[0].split("Not shown")[0]
    assert "Severity" in text
    assert "Not shown for lack of space: Rows, Label’s share." in text
    wide = shown(page_of(["Some text with ", Span("a mark", "m5")]), 120)
    assert "1,234" in wide
    assert "lack of space" not in wide


def test_an_example_begins_with_the_first_of_several_highlighted_words():
    text = shown(page_of([Span("First", "m5"), f" {LONG}", Span("second", "m5")]), 80)
    assert "First" in text


def test_numbers_are_never_cut():
    columns = [Column("Name"), *(Column(f"Figure {i}", number=True) for i in range(12))]
    table = Table(columns, [Row(["row", *(f"{i}234.5%" for i in range(12))])])
    page = Page("", "T", "V.", facts=[], figures=[], sections=[Section("t", "T", [table], on=SCREEN)], version="", fingerprint="")  # fmt: skip
    text = shown(page, 80)
    assert "…" not in text
    assert "0234.5%" in text
    assert "Figure 11" in text.split("lack of space:")[1]


@pytest.mark.parametrize(
    ("before", "after", "side", "words"),
    [
        (LONG * 6 + "the end.", LONG * 6 + "the end. Sent from my phone.", 0, "the end."),
        (LONG * 6 + "the end.", LONG * 6 + "the end. Sent from my phone.", 1, "Sent from my phone."),
        ("The start. " + LONG * 6, "Honestly, the start. " + LONG * 6, 0, "The start."),
        (LONG * 6 + "was dull " + LONG * 6, LONG * 6 + "was fine " + LONG * 6, 1, "fine"),
    ],
)
def test_a_long_text_is_cut_to_the_place_of_the_change_in_both_versions(before, after, side, words):
    text = "".join(
        part if isinstance(part, str) else part.text for part in versions(before, after, limit=300)[side]
    )
    assert words in text
    assert len(text) < 400


def test_piped_output_is_as_wide_as_columns_says_and_120_without_a_terminal(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.setattr("sys.stderr", io.StringIO())
    monkeypatch.setattr("sys.stdout", io.StringIO())
    monkeypatch.delenv("COLUMNS", raising=False)
    assert output().width == 120
    monkeypatch.setenv("COLUMNS", "80")
    assert output().width == 80
    monkeypatch.setenv("COLUMNS", "10")
    assert output().width == 40
