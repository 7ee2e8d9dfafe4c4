"""The section of an audit about single rows: bits that words give away, and labels that may be wrong."""

from __future__ import annotations

from longway.detect.row_checks import CERTAIN, ENCODER, UNLIKELY, WORDS
from longway.jobs.audit.rows import PossibleError, RowSummary
from longway.report.excerpts import cut, cut_to_width
from longway.report.labels import Labels, label_named, label_span
from longway.report.numbers import count, counted, percent
from longway.report.sections import (
    REPORT,
    REPORT_AND_SCREEN,
    Blocks,
    Column,
    Heading,
    Only,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
)

SHOWN = 10  # possible errors in the report
ON_SCREEN = 3
WIDTH = 300
NEIGHBOURS = 3


def rows_section(rows: RowSummary | None, labels: Labels) -> list[Section]:
    """Nothing if words predict no label and no label looks wrong."""
    if rows is None:
        return []
    words = rows.information[WORDS]
    blocks: Blocks = []
    if words.low > 0 and rows.solved:
        blocks.append(
            Paragraph(
                f"Words alone predict {words.bits:.2f} of the {words.entropy:.2f} bits that a label has (95% interval {words.low:.2f} to {words.high:.2f}). "
                f"They solve {percent(rows.solved / max(rows.measured, 1))} of the rows: the label is at least {CERTAIN:.0%} certain from them. "
                "A model can label these rows from single words (solved in scores.parquet)."
            )
        )
    if blocks and ENCODER in rows.information:
        encoder = rows.information[ENCODER]
        blocks.append(
            Paragraph(
                f"A linear model of sentence vectors reads {encoder.bits:.2f} bits ({encoder.low:.2f} to {encoder.high:.2f}).",
                "rest",
            )
        )
    if rows.possible_errors:
        blocks += _errors(rows, labels)
    return [Section("rows", "Single rows", blocks, on=REPORT_AND_SCREEN)] if blocks else []


def _errors(rows: RowSummary, labels: Labels) -> Blocks:
    n = rows.n_possible_errors or 0
    text = (
        f"{counted(n, 'label')} may be wrong: of rows like these, at least {1 - UNLIKELY:.0%} have another label. "
        "Read them before you change anything: an unusual text looks the same."
    )
    columns = [Column("Row"), Column("Label"), Column("More likely label"), Column("Certain", number=True)]
    shown = [_error_row(one, labels) for one in rows.possible_errors[:SHOWN]]
    table = Table(columns, shown, "possible-errors", screen=ON_SCREEN, more="rows")
    blocks: Blocks = [Only(REPORT, [Heading("Possible wrong labels")]), Paragraph(text), table]
    if n > SHOWN:
        rest = f"{count(n - SHOWN)} more are in findings.json and in longway review; may_be_wrong in scores.parquet has all of them."
        blocks.append(Only(REPORT, [Paragraph(rest, "rest")]))
    return blocks


def _error_row(one: PossibleError, labels: Labels) -> Row:
    mine, likely = label_named(one.label, labels), label_named(one.likely, labels)
    below: Blocks = [Paragraph(cut_to_width(one.text, WIDTH), "example")] if one.text else []
    for similar in one.neighbours[:NEIGHBOURS]:
        words: list[str | Span] = [
            "similar: ",
            label_span(label_named(similar.label, labels)),
            f" {cut_to_width(similar.text, WIDTH // 2)}",
        ]
        below.append(Paragraph(words, "also"))
    return Row(
        [cut(one.id), label_span(mine), label_span(likely), percent(one.p_likely)],
        below=[Only(REPORT, below)],
    )
