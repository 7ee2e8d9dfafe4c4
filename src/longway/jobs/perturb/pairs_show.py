"""The pages of a counterfactual test set: how many pairs there are, some to read, what was refused; and of a model's answers to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from longway.jobs.change_show import SHEET, reading_sections, refused_section
from longway.jobs.pages import dataset_page
from longway.jobs.perturb.pairs_result import FILE, ChangePairs, PairsResult
from longway.jobs.perturb.result import OFFENSIVE, PersonText, ShownPerson
from longway.jobs.perturb.show import READING, person_card
from longway.show.excerpts import PATTERN_LIMIT, cut
from longway.show.labels import Labels, labels_of, setting_rows
from longway.show.numbers import count, counted, percent
from longway.show.sections import (
    REPORT,
    REPORT_AND_SCREEN,
    SCREEN,
    Blocks,
    Cards,
    Column,
    Facts,
    Heading,
    KeyFigure,
    Only,
    Page,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Words,
)

if TYPE_CHECKING:
    from longway.jobs.perturb.pair_check import PairsCheck, PairShare

OPEN_SAMPLE, OPEN_CHANGES, OPEN_FLIPS, MAX_FLIPS, FLIPS_ON_SCREEN, MAX_WORDS = 4, 12, 8, 60, 3, 20
WARNING: Words = [
    Span("A model that passes such a test is not fair because of it.", "strong"),
    " The pairs change listed words and names in the texts of one dataset. Read some of them: rules made them, and some are wrong.",
]
NOTE: Words = "Every pair is in pairs.jsonl, with its row, its word and both texts. The categories are those of the US Census and leave people out."


def pairs_page(result: PairsResult) -> Page:
    """All sections of a test set."""
    dataset, labels = result.dataset, labels_of(result.dataset.labels)
    n = result.n_refused
    return dataset_page(
        result,
        "Longway perturb, test set",
        "Counterfactual test set of",
        verdict=_pairs_verdict(result),
        warning=WARNING,
        facts=[
            ("Changed by", cut(result.engine)),
        ],
        figures=[
            KeyFigure("Pairs", count(result.n_pairs), f"of {counted(result.used, 'row')}"),
            *(
                KeyFigure(f"Pairs, {axis.axis}", count(axis.pairs), f"{counted(axis.rows, 'row')} mention one")
                for axis in result.axes
            ),
            KeyFigure("Changes", count(sum(one.pairs > 0 for one in result.changes)), "of one attribute into another"),
            KeyFigure("Refused", count(n), f"of {counted(result.tries, 'choice')} tried"),
        ],
        figures_style="three",
        sections=[
            _changes_section(result.changes, is_full=_is_full(result)),
            _sample_section(result.sample, [axis.axis for axis in result.axes], labels),
            refused_section(
                result.refused,
                lambda one: person_card(one.example, labels, hidden=one.reason == OFFENSIVE),
                n_rejected=n,
                file=FILE,
                heading="Choices that were refused",
                lead=f"{counted(n, 'choice')} could not be made, or a check rejected the result. The reasons, most frequent first, with an "
                "example of each.",
                nothing="None: every choice could be made.",
            ),
            Section("settings", "Settings", [Facts(setting_rows(result.settings, source=FILE), "settings")]),
            *reading_sections(READING, NOTE, formulas=dataset.formulas),
        ],
        sheets=(SHEET, "perturb.css"),
    )  # fmt: skip


def _pairs_verdict(result: PairsResult) -> str:
    if not result.n_pairs:
        return "No pair could be made: no row mentions a person whose gender, race or age could be changed."
    axes = ", ".join(f"{axis.axis} {count(axis.pairs)}" for axis in result.axes)
    return f"{counted(result.n_pairs, 'pair')} were made from {counted(result.used, 'row')}: {axes}."


def _is_full(result: PairsResult) -> bool:
    return all(axis.pairs == result.settings.get("per_axis") for axis in result.axes)


def _changes_section(changes: Sequence[ChangePairs], *, is_full: bool) -> Section:
    columns = [
        Column("Axis"),
        Column("From"),
        Column("To"),
        Column("Rows", number=True),
        Column("Refused", number=True),
        Column("Pairs", number=True),
    ]
    rows = [
        Row(
            [
                *(Span(cut(name), "data") for name in (one.axis, one.source, one.target)),
                count(one.possible),
                count(one.refused),
                Span(count(one.pairs), "strong"),
            ]
        )
        for one in changes
    ]
    lead = "Rows that mention the first attribute, choices that were tried and refused, and pairs. Pairs are shared evenly by the changes of an axis, as far as there are rows."
    blocks: Blocks = [Paragraph(lead, "lead")]
    blocks.append(
        Table(columns, rows, "figures-only pairs", open=OPEN_CHANGES, more="changes", screen=OPEN_CHANGES)
    )
    if not is_full:
        text = "There are fewer pairs than requested: the rows have no more. Use more data for larger axes."
        blocks.append(Paragraph(text, "rest"))
    return Section("changes", "Pairs by change", blocks, on=REPORT_AND_SCREEN)


def _sample_section(sample: Sequence[ShownPerson], axes: Sequence[str], labels: Labels) -> Section:
    if not sample:
        return Section("sample", "Pairs to read", [Paragraph("There are none.", "nothing")])
    lead = "A random sample of each axis. Read each one: is everything about this person changed, and nobody else? Does the label still hold?"
    blocks: Blocks = [Paragraph(lead, "lead")]
    few = []
    for axis in axes:
        if cards := [person_card(one, labels) for one in sample if one.axis == axis]:
            few += cards[:1]
            blocks += [
                Heading(Span(cut(axis), "data")),
                Cards(cards, open=OPEN_SAMPLE, more="pairs"),
            ]
    return Section("sample", "Pairs to read", [Only(REPORT, blocks), Only(SCREEN, [Cards(few)])], on=REPORT_AND_SCREEN)  # fmt: skip


# A model's answers


def check_page(result: PairsCheck) -> Page:
    """All sections of a check."""
    worst = [axis for axis, share in result.by_axis.items() if share.differ]
    figures = [KeyFigure("Pairs", count(result.overall.pairs), f"of {counted(result.overall.rows, 'row')}")]
    figures.append(_figure("Fairscore", result.overall))
    figures += [_figure(f"Fairscore, {axis}", share) for axis, share in result.by_axis.items()]
    if result.accuracy_before is not None:
        figures.append(
            KeyFigure(
                "Accuracy",
                f"{result.accuracy_before:.1f}%",
                f"{result.accuracy_after:.1f}% on the changed texts",
            )
        )
    share = result.overall
    return Page(
        kicker="Longway, check of a test set",
        title="Answers to pairs of texts",
        verdict=f"{count(share.differ)} of {counted(share.pairs, 'answer')} change if a person’s gender, race or age does ({_score(share)})"
        + (f": {', '.join(worst)}." if worst else "."),
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
    tried = Counter(pair.word.lower() for pair in result.pairs)
    flipped = Counter(flip.pair.word.lower() for flip in result.flips)
    if not flipped:
        return Section(
            "words", "Words that change the answer", [Paragraph("None: no answer changed.", "nothing")]
        )
    columns = [Column("Word"), Column("Pairs", number=True), Column("Change", number=True), Column("Share", number=True)]  # fmt: skip
    rows = [
        Row([Span(cut(word), "data"), count(tried[word]), count(n), percent(n / tried[word])])
        for word, n in flipped.most_common(MAX_WORDS)
    ]
    table = Table(columns, rows, "figures-only pairs", open=OPEN_CHANGES, more="words", screen=6)
    return Section("words", "Words that change the answer", [table], on=REPORT_AND_SCREEN)


def _flips_section(result: PairsCheck) -> Section:
    if not result.flips:
        return Section("flips", "Answers that change", [Paragraph("None.", "nothing")], on=REPORT_AND_SCREEN)
    labels = labels_of(Counter(pair.label for pair in result.pairs))
    cards = [
        person_card(
            ShownPerson(
                pair.pair, "", pair.label, pair.axis, pair.source, pair.target, pair.word, "", "", (), (), 0.0,
                (
                    *((PersonText("context", pair.context_before, pair.context_after or "", (), None),) if pair.context_before else ()),
                    PersonText("text", pair.text_before, pair.text_after, (), None),
                    PersonText("answer", flip.before, flip.after, (), None),
                ),
            ),
            labels,
        )
        for flip in result.flips[:MAX_FLIPS]
        for pair in [flip.pair]
    ]  # fmt: skip
    more = len(result.flips) - len(cards)
    rest: Blocks = [Paragraph(f"{more:,} more are in `flips`.", "rest")] if more else []
    blocks: Blocks = [
        Only(REPORT, [Cards(cards, open=OPEN_FLIPS, more="answers"), *rest]),
        Only(SCREEN, [Cards(cards[:FLIPS_ON_SCREEN])]),
    ]
    return Section("flips", "Answers that change", blocks, on=REPORT_AND_SCREEN)
