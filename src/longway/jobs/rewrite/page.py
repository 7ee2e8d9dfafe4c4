"""The page of a rewrite: leak, rounds, patterns and words before and after, edits, refusals, checks and costs.

Every list is cut here and what is cut is counted, so the page stays small whatever the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import isfinite

from longway.jobs.change.collect import RoundSummary
from longway.jobs.change.page import (
    card_section,
    compared_page,
    cost_figure,
    leak_figure,
    leak_lines,
    leak_sentence,
    n_worse,
    sample_section,
    stopped_words,
    worse_section,
    wrong_words,
)
from longway.jobs.results import page_of
from longway.jobs.rewrite.decisions import DecisionSummary
from longway.jobs.rewrite.result import FILE, RewriteResult
from longway.report.excerpts import PATTERN_LIMIT, cut
from longway.report.labels import (
    POINTS,
    labels_of,
)
from longway.report.numbers import NONE, count, counted, duration, few, or_dash, percent, three_digits
from longway.report.sections import (
    REPORT_AND_SCREEN,
    SCREEN,
    Blocks,
    Bullets,
    Column,
    KeyFigure,
    Page,
    Paragraph,
    Section,
    Span,
    Words,
    left_out,
    nothing,
    table_of,
)

OPEN_ROUNDS, MAX_ROUNDS = 12, 100  # the first number is visible at once, the second after a click
MAX_DECISIONS = 6
OF_ROUNDS = ("rows", "candidates", "accepted")
HARDLY = 0.02  # a leak that fell by less has hardly fallen
READING = [
    ("Leak", "How often a model that sees only a bag of words from one part of the input predicts the right label. Lower is better, down to chance."),
    ("Label’s share", "The share of the texts with a pattern that carry the label."),
    POINTS,
    ("Mean cosine", "How similar the texts of different labels are in the space of word weights and word positions. It should rise."),
    ("KL divergence", "How much the word statistics of the labels differ. It should fall, to 0 if they are the same."),
    ("Gamma", "How different a text is from the texts of all other labels. The texts with the highest gamma are rewritten first, by the candidate with the lowest."),
    ("Checks", "A candidate is used only if all checks pass: the label holds, and negation, numbers, names and meaning are preserved. Every verdict is in edits.jsonl."),
    ("Labels expected to be wrong", "The share of rewritten texts whose label no longer fits, estimated from the errors of the checks on data with known answers. A text that was rewritten twice had two chances to go wrong. Your data may be harder."),
    ("BLEU", "How much of the original wording is left in the rewritten texts: 1 is a copy, 0 shares nothing."),
]  # fmt: skip
NOTE: Words = [
    Span("Fewer shortcuts, not none.", "strong"),
    " The page counts what this program can see: words, phrases, positions, lengths. A model may find others. Longway reduces shortcuts; "
    "it does not certify that a dataset or a model is fair, or that a model trained on it reads as it should. Look at the sample, then "
    "train on both versions and test on other data.",
]


@page_of(RewriteResult)
def rewrite_page(result: RewriteResult) -> Page:
    """All sections of a rewrite."""
    labels, wrong = labels_of(result.dataset.labels), wrong_words(result.expected_wrong)
    read = (
        f"Drawn at random from {counted(result.accepted, 'accepted edit')}. Read each one: does the label still hold, and is it good "
        "English? Words with a dashed line were removed, words with a full line added."
    )
    strongest = "The edits that lowered gamma most."
    return compared_page(
        result,
        "Rewrite of",
        verdict=verdict(result),
        figures=_key_figures(result),
        first=_decisions_section(result.decisions),
        worse=worse_section(result.comparison, labels, objections=_less_alike(result.rounds)),
        sample=sample_section(result.sample, labels, read, file=FILE),
        rest=[
            sample_section(result.strongest, labels, strongest, file=FILE, id="strongest", heading="Strongest edits"),
            _rounds_section(result),
            *_notes_section(result),
        ],
        card=_card_section(result, wrong),
        wrong=wrong,
        reading=READING,
        note=NOTE,
    )  # fmt: skip


def verdict(result: RewriteResult) -> str:
    """The result in one or two sentences: the leak, the rewritten texts, and patterns that got stronger."""
    n_labels, changed = result.labels_changed, result.changed
    labels = f"{counted(n_labels, 'label')} changed" if n_labels else "no label changed"
    texts = f"{count(changed)} of {count(result.dataset.used)} texts {'was' if changed == 1 else 'were'} rewritten"
    done = f"{texts if changed else 'no text was rewritten'} and {labels}"
    n = n_worse(result.comparison)
    worse = (
        f" {counted(n, 'pattern')} {'predicts' if n == 1 else 'predict'} a label better than before."
        if n
        else ""
    )
    return f"{leak_sentence(result.comparison.leak)}; {done}.{worse}"


def _key_figures(result: RewriteResult) -> list[KeyFigure]:
    n_labels, wrong = result.labels_changed, result.expected_wrong
    expected = KeyFigure("Labels expected to be wrong", NONE, "not estimated")
    if wrong is not None:
        shown, whose = (wrong.rows, "rewritten texts") if wrong.rows else (wrong, "accepted edits")
        note = f"of the {whose}; 95% interval {percent(shown.low)} to {percent(shown.high)}"
        expected = KeyFigure(expected.name, percent(shown.share), note)
    rewritten = (
        f"of {count(result.dataset.used)}; {counted(n_labels, 'label') if n_labels else 'no label'} changed"
    )
    if result.added:
        rewritten += f"; {counted(result.added, 'row')} added"
    return [
        leak_figure(result.comparison.leak),
        KeyFigure("Texts rewritten", count(result.changed), rewritten),
        KeyFigure("Edits accepted", count(result.accepted), f"of {counted(result.candidates, 'candidate')}"),
        expected,
        KeyFigure("Similarity to the originals", or_dash(result.bleu, "{:.2f}".format), "BLEU; 1 is a copy"),
        cost_figure(result.cost),
    ]


def _decisions_section(decisions: DecisionSummary | None) -> list[Section]:
    """What was applied from the review of an earlier run."""
    if decisions is None:
        return []
    parts = []
    if decisions.signal:
        parts.append(f"left alone as real signal: {few(list(map(cut, decisions.signal)), MAX_DECISIONS)}")
    if decisions.shortcuts:
        parts.append(f"removed first: {few(list(map(cut, decisions.shortcuts)), MAX_DECISIONS)}")
    if n := decisions.rejected:
        parts.append(f"{counted(n, 'rejected text')} {'is' if n == 1 else 'are'} not proposed again")
    applied = "; ".join(parts) or "none could be used"
    blocks: Blocks = [Paragraph(f"Decisions of {cut(decisions.source)}: {applied}.")]
    if unused := decisions.left_out:
        items = [f"Not applied: {cut(one.pattern.name, PATTERN_LIMIT)}: {one.why}" for one in unused]
        blocks.append(Bullets(items[:MAX_DECISIONS], "missing"))
        blocks += left_out(len(items) - MAX_DECISIONS, "decisions that were not applied", FILE)
    return [Section("decisions", "Decisions of a review", blocks, on=REPORT_AND_SCREEN)]


def _rounds_section(result: RewriteResult) -> Section:
    rounds, stopped = result.rounds, stopped_words(result.stopped)
    if not rounds:
        return Section("rounds", "Round by round", [nothing("There were no rounds."), *stopped])
    lead = "Each round rewrites the texts that stand out most, and measures the whole dataset again."
    columns = [
        Column("Round", _round_name),
        *(Column(name.capitalize(), partial(_of_round, name), number=True) for name in OF_ROUNDS),
        Column("Leak", "leak", percent, number=True),
        Column("Mean cosine", "objective", three_digits, number=True, short="Cosine"),
        Column("KL", "kl", three_digits, number=True),
        Column("Mean gamma", "mean_gamma", three_digits, number=True, short="Gamma"),
        Column("Time", "seconds", duration, number=True),
    ]
    style = "rounds figures-only"
    newest_first = [rounds[0], *reversed(rounds[1:])]
    table = table_of(
        newest_first, columns, style, limit=MAX_ROUNDS, what="rounds", file=FILE, open=OPEN_ROUNDS
    )
    return Section("rounds", "Round by round", [Paragraph(lead, "lead"), *table, *stopped])


def _of_round(name: str, one: RoundSummary) -> int | None:
    """A count of a round; None for the original data, which no round has changed."""
    return getattr(one, name) if one.number else None


def _round_name(one: RoundSummary) -> str:
    return f"Round {one.number}" if one.number else "Original"


def _less_alike(rounds: Sequence[RoundSummary]) -> list[str]:
    """Sentences about labels that are less alike than before, by the two figures of the paper."""
    sentences = []
    for key, figure, moved, sign in (
        ("objective", "mean cosine", "fell", -1),
        ("kl", "divergence", "rose", 1),
    ):
        found = [getattr(one, key) for one in rounds]
        values = [value for value in found if value is not None and isfinite(value)]
        ends = [three_digits(value) for value in (*values[:1], *values[-1:])]
        if len(set(ends)) == 2 and sign * (values[-1] - values[0]) > 0:
            change = f"{moved} from {' to '.join(ends)}"
            sentences.append(f"The labels are less alike: the {figure} between them {change}.")
    return sentences


# The card, and notes on the terminal


def _card_section(result: RewriteResult, wrong: str) -> Section:
    dataset, found = result.dataset, result.comparison.found
    items: list[Words] = [
        f"Rows: {dataset.used:,} used of {dataset.rows:,}; {result.changed:,} have another text, {result.added:,} were added, "
        f"{result.labels_changed:,} have another label.",
        *leak_lines(result.comparison.leak),
    ]
    if found is not None:
        stronger = f"{n_worse(result.comparison):,} got stronger"
        items.append(
            f"Patterns correlated with a label: {found.before:,} before, {found.after:,} after; {stronger}."
        )
    return card_section(result, [*items, wrong])


def _notes_section(result: RewriteResult) -> list[Section]:
    """Hints at the end of the terminal output."""
    leak = result.comparison.leak
    blocks: Blocks = []
    if leak is not None and result.method == "razor" and result.settings.get("choose") == "gamma":
        fell = leak.before.accuracy - leak.after.accuracy
        if fell < HARDLY < leak.before.accuracy - leak.before.majority:
            hint = "The leak hardly fell. Without --paper and --choose gamma, rows are chosen by what a model that sees only the surface could use."
            blocks.append(Paragraph(hint))
    if result.method == "razor" and result.settings.get("choose") == "leak" and not result.asked:
        hint = "No text was selected: none has a pattern that an audit finds. --choose gamma selects unusual texts whatever they contain."
        blocks.append(Paragraph(hint))
    return [Section("notes", "Notes", blocks, on=SCREEN)] if blocks else []
