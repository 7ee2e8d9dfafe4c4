"""The pages of a counterfactual test set: how many pairs there are, some to read, what was refused; and of a model's answers to them."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING

from longway.jobs.change_sections import SHEET, reading_sections
from longway.jobs.pages import dataset_page
from longway.jobs.perturb.page import READING, people_section, person_card, refused_choices
from longway.jobs.perturb.pairs_result import FILE, PairsResult
from longway.jobs.perturb.result import PersonText, ShownPerson
from longway.jobs.results import page_of
from longway.report.excerpts import PATTERN_LIMIT, cut, data_span
from longway.report.labels import labels_of, setting_rows
from longway.report.numbers import count, counted, percent
from longway.report.sections import (
    REPORT,
    REPORT_AND_SCREEN,
    Blocks,
    Cards,
    Column,
    KeyFigure,
    Only,
    Page,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Words,
    nothing,
    table_of,
)

if TYPE_CHECKING:
    from longway.jobs.perturb.pair_check import Flip, PairsCheck, PairShare

OPEN_CHANGES, OPEN_FLIPS, MAX_FLIPS, FLIPS_ON_SCREEN, MAX_WORDS = 12, 8, 60, 3, 20
WARNING: Words = [
    Span("A model that passes such a test is not fair because of it.", "strong"),
    " The pairs change listed words and names in the texts of one dataset. Read some of them: rules made them, and some are wrong.",
]
NOTE: Words = "Every pair is in pairs.jsonl, with its row, its word and both texts. The categories are those of the US Census and leave people out."


@page_of(PairsResult)
def pairs_page(result: PairsResult) -> Page:
    """All sections of a test set."""
    dataset, labels = result.dataset, labels_of(result.dataset.labels)
    figures = [KeyFigure("Pairs", count(result.n_pairs), f"of {counted(result.used, 'row')}")]
    for axis in result.axes:
        mentioned = f"{counted(axis.rows, 'row')} mention one"
        figures.append(KeyFigure(f"Pairs, {axis.axis}", count(axis.pairs), mentioned))
    n_changes = sum(one.pairs > 0 for one in result.changes)
    n = result.n_refused
    figures += [
        KeyFigure("Changes", count(n_changes), "of one attribute into another"),
        KeyFigure("Refused", count(n), f"of {counted(result.tries, 'choice')} tried"),
    ]
    read = "A random sample of each axis. Read each one: is everything about this person changed, and nobody else? Does the label still hold?"
    refused = f"{counted(n, 'choice')} could not be made, or a check rejected the result. The reasons, most frequent first, with an example of each."
    heading = "Choices that were refused"
    return dataset_page(
        result,
        "Longway perturb, test set",
        "Counterfactual test set of",
        verdict=_pairs_verdict(result),
        warning=WARNING,
        facts=[("Changed by", cut(result.engine))],
        figures=figures,
        figures_style="three",
        sections=[
            _changes_section(result),
            people_section(
                result.sample, labels, read, heading="Pairs to read", none="There are none.", what="pairs"
            ),
            refused_choices(result.refused, labels, refused, n=n, file=FILE, heading=heading),
            *reading_sections(READING, NOTE, formulas=dataset.formulas),
        ],
        settings=setting_rows(result.settings, source=FILE),
        sheets=(SHEET, "perturb.css"),
    )


def _pairs_verdict(result: PairsResult) -> str:
    if not result.n_pairs:
        return "No pair could be made: no row mentions a person whose gender, race or age could be changed."
    axes = ", ".join(f"{axis.axis} {count(axis.pairs)}" for axis in result.axes)
    return f"{counted(result.n_pairs, 'pair')} were made from {counted(result.used, 'row')}: {axes}."


def _changes_section(result: PairsResult) -> Section:
    columns = [
        Column("Axis", "axis", data_span),
        Column("From", "source", data_span),
        Column("To", "target", data_span),
        Column("Rows", "possible", number=True),
        Column("Refused", "refused", number=True),
        Column("Pairs", "pairs", number=True),
    ]
    lead = "Rows that mention the first attribute, choices that were tried and refused, and pairs. Pairs are shared evenly by the changes of an axis, as far as there are rows."
    table = table_of(
        result.changes, columns, "figures-only pairs", what="changes", open=OPEN_CHANGES, screen=OPEN_CHANGES
    )
    blocks: Blocks = [Paragraph(lead, "lead"), *table]
    if any(axis.pairs != result.settings.get("per_axis") for axis in result.axes):
        text = "There are fewer pairs than requested: the rows have no more. Use more data for larger axes."
        blocks.append(Paragraph(text, "rest"))
    return Section("changes", "Pairs by change", blocks, on=REPORT_AND_SCREEN)


# A model's answers


def check_page(result: PairsCheck) -> Page:
    """All sections of a check."""
    share = result.overall
    figures = [KeyFigure("Pairs", count(share.pairs), f"of {counted(share.rows, 'row')}")]
    figures.append(_figure("Fairscore", share))
    figures += [_figure(f"Fairscore, {axis}", one) for axis, one in result.by_axis.items()]
    if result.accuracy_before is not None:
        changed = f"{result.accuracy_after:.1f}% on the changed texts"
        figures.append(KeyFigure("Accuracy", f"{result.accuracy_before:.1f}%", changed))
    verdict = f"{count(share.differ)} of {counted(share.pairs, 'answer')} change if a person’s gender, race or age does ({_score(share)})"
    if worst := [axis for axis, one in result.by_axis.items() if one.differ]:
        verdict += f": {', '.join(worst)}"
    return Page(
        kicker="Longway, check of a test set",
        title="Answers to pairs of texts",
        verdict=f"{verdict}.",
        warning=WARNING,
        facts=[("Model", cut(result.model, PATTERN_LIMIT))],
        figures=figures,
        figures_style="three",
        sections=[_shares_section(result), _words_section(result), _flips_section(result)],
        sheets=(SHEET, "perturb.css"),
        version=result.longway,
        fingerprint=_fingerprint(result),
        fingerprint_of="Fingerprint of the pairs",
    )


def _fingerprint(result: PairsCheck) -> str:
    texts = "\0".join(
        text for pair in result.pairs for text in (pair.pair, pair.text_before, pair.text_after)
    )
    return f"sha256:{sha256(texts.encode(errors='replace')).hexdigest()}"


def _score(share: PairShare) -> str:
    """A fairscore with its interval."""
    return f"{share.score.value:.1f}%, {share.score.low:.1f} to {share.score.high:.1f}"


def _figure(name: str, share: PairShare) -> KeyFigure:
    note = f"{share.score.low:.1f} to {share.score.high:.1f}, {counted(share.pairs, 'pair')}"
    return KeyFigure(name, f"{share.score.value:.1f}%", note)


def _shares_section(result: PairsCheck) -> Section:
    columns = [Column("Axis"), Column("From"), Column("To"), Column("Pairs", number=True), Column("Change", number=True), Column("Fairscore, %", number=True)]  # fmt: skip
    rows = [
        Row([*change, count(share.pairs), count(share.differ), _score(share).replace("%", "")])
        for change, share in sorted(result.by_change.items(), key=lambda item: -item[1].score.low)
    ]
    lead = "Answers that change, for each change of one attribute into another, with the 95% interval; the surest first."
    table = Table(columns, rows, "figures-only pairs", open=OPEN_CHANGES, more="changes", screen=6)
    return Section("changes", "Answers by change", [Paragraph(lead, "lead"), table], on=REPORT_AND_SCREEN)


def _words_section(result: PairsCheck) -> Section:
    heading = "Words that change the answer"
    tried = Counter(pair.word.lower() for pair in result.pairs)
    flipped = Counter(flip.pair.word.lower() for flip in result.flips)
    if not flipped:
        return Section("words", heading, [nothing("None: no answer changed.")])
    columns = [Column("Word"), *(Column(name, number=True) for name in ("Pairs", "Change", "Share"))]
    rows = [
        Row([data_span(word), count(tried[word]), count(n), percent(n / tried[word])])
        for word, n in flipped.most_common(MAX_WORDS)
    ]
    table = Table(columns, rows, "figures-only pairs", open=OPEN_CHANGES, more="words", screen=6)
    return Section("words", heading, [table], on=REPORT_AND_SCREEN)


def _flips_section(result: PairsCheck) -> Section:
    if not result.flips:
        return Section("flips", "Answers that change", [nothing("None.")], on=REPORT_AND_SCREEN)
    labels = labels_of(Counter(pair.label for pair in result.pairs))
    cards = [person_card(_flipped(flip), labels) for flip in result.flips[:MAX_FLIPS]]
    listed = Cards(cards, open=OPEN_FLIPS, more="answers", screen=FLIPS_ON_SCREEN)
    blocks: Blocks = [listed]
    if n_more := len(result.flips) - len(cards):
        blocks.append(Only(REPORT, [Paragraph(f"{n_more:,} more are in `flips`.", "rest")]))
    return Section("flips", "Answers that change", blocks, on=REPORT_AND_SCREEN)


def _flipped(flip: Flip) -> ShownPerson:
    """A pair with both answers, as a card shows it."""
    pair = flip.pair
    texts = [("text", pair.text_before, pair.text_after), ("answer", flip.before, flip.after)]
    if pair.context_before:
        texts.insert(0, ("context", pair.context_before, pair.context_after or ""))
    shown = tuple(PersonText(*text, (), None) for text in texts)
    person = (pair.axis, pair.source, pair.target, pair.word)
    return ShownPerson(pair.pair, "", pair.label, *person, "", "", (), (), 0.0, shown)
