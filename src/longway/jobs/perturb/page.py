"""The page of a perturbation: who is mentioned before and after, changed rows to read, objections, what was left unchanged, cost.

Every list is cut here and what is cut is counted, so the page stays small whatever the dataset.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from longway.jobs.change.page import (
    MAX_ROWS,
    SHEET,
    card_section,
    changed_words,
    checks_section,
    cost_section,
    encoding_section,
    failed_blocks,
    reading_sections,
    reasons_blocks,
    refusal,
    refused_section,
    stopped_words,
    verdict_chips,
)
from longway.jobs.perturb.result import (
    OFFENSIVE,
    AttributeCount,
    Flip,
    PairsCheck,
    PairsResult,
    PersonText,
    PerturbResult,
    RefusedChoices,
    ShownPerson,
    SkippedWords,
)
from longway.jobs.results import dataset_page, page_of
from longway.report.charts import change_bar
from longway.report.differences import versions
from longway.report.excerpts import PATTERN_LIMIT, TEXT_LIMIT, cut, data_span
from longway.report.labels import Labels, label_named, label_span, labels_of, setting_rows
from longway.report.numbers import NONE, count, counted, percent, short
from longway.report.sections import (
    REPORT,
    REPORT_AND_SCREEN,
    Blocks,
    Card,
    Cards,
    Cell,
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
    left_out,
    nothing,
    table_of,
)

OPEN_SAMPLE, MAX_SAMPLE = 4, 20  # per axis
OPEN_PAIRS, MAX_PAIRS = 12, 80
MAX_CHAIN = 200
MAX_LEFT = 6
CHAIN, CHOSEN = 2, 3  # levels of unchanged words: they mention the person, or were chosen
STYLES = {CHAIN: "person", CHOSEN: "person chosen"}
GUARDS = "Both checks are rules over word lists. They catch the known cases and no others: read the sample."
WARNING: Words = [
    Span("Perturbed data does not make a model fair.", "strong"),
    " It weakens what a model can learn from the words that were changed, harmless and harmful associations alike. Facts about real people "
    "may no longer be true. Be careful if the label depends on who is meant, as in hate speech, or if facts must hold, as in fact checking.",
]
READING: list[tuple[str, Words]] = [
    ("Axis and attribute", "Gender (man, woman, non-binary or unspecified), race and ethnicity (six groups of the US Census), age (five). Every such list leaves people out: it defines what was counted here, not what exists."),
    ("Chosen word", "One demographic word of each row and another attribute of its axis are drawn. Everything that refers to the same person is changed with it: pronouns with their verbs, names, kinship, titles."),
    ("Balanced", "The axis is drawn first, the rarer ones more often, so that race and age are not lost among pronouns. Uniform: every word and attribute is equally likely, as in the paper’s Algorithm 1."),
    ("Never changed", "Words that are merely associated with a group, such as occupations and colours: breaking up these associations is the point."),
    ("Labels in doubt", "In “John saw his aunt” and “John saw his uncle”, the contrast carries the label. If a change removes or creates such a contrast, the row stays unchanged, unless --keep-warned was given."),
    ("Names", "A name describes a population, never a person. Names are changed because models learn from them all the same."),
]  # fmt: skip
NOTE: Words = [
    Span("What this does not prove.", "strong"),
    " A model trained on this data may still treat people unequally, and so may a model whose answers do not change under such a "
    "perturbation. Measure it on your task before and after, together with its accuracy: ",
    Span("longway prove", "code"),
    " and ",
    Span("longway fairness", "code"),
    ". Do not call a model fair because its training data was perturbed.",
]


@page_of(PerturbResult)
def perturb_page(result: PerturbResult) -> Page:
    """All sections of a perturbation."""
    dataset = result.dataset
    labels = labels_of(dataset.labels)
    drawn = f"{result.settings.get('sampling')}, seed {result.settings.get('seed')}"
    failed = failed_blocks(result.failed_calls, file=result.file)
    cost = cost_section(result.cost, budget=result.budget, file=result.file)
    return dataset_page(
        result,
        "Longway perturb",
        "Perturbation of",
        verdict=verdict(result),
        warning=WARNING,
        facts=[
            ("Changed by", cut(result.engine)),
            ("Drawn", cut(drawn)),
        ],
        figures=_key_figures(result),
        figures_style="three",
        sections=[
            _balance_section(result),
            _pairs_section(result),
            _sample_section(result, labels),
            checks_section(result.checks, (), GUARDS, file=result.file),
            _refused_section(result, labels),
            _unchanged_section(result),
            replace(cost, on=REPORT_AND_SCREEN) if result.cost else cost,
            *([Section("failed", "Failed calls", failed, on=REPORT_AND_SCREEN)] if failed else []),
            *encoding_section(result.encoding_note),
            *reading_sections(READING, NOTE, formulas=dataset.formulas),
            _card_section(result),
        ],
        settings=setting_rows(result.settings, source=result.file),
        sheets=(SHEET, "perturb.css"),
    )


def verdict(result: PerturbResult) -> str:
    """How many rows mention a person who can be changed, and in how many one was, in one sentence."""
    done = f"one person was changed in {count(result.changed)} of them, and all labels stay the same"
    if result.adds_rows:
        were = "was" if result.added == 1 else "were"
        done = f"{counted(result.added, 'row')} with one changed person {were} added"
    mention = f"{count(result.perturbable)} of {counted(result.rows, 'row')} mention a gender, race or age that can be changed"
    return f"{mention}; {done}."


def _key_figures(result: PerturbResult) -> list[KeyFigure]:
    rows, could, done, far = result.rows, result.perturbable, result.perturbed, result.distances
    axes = sorted(result.axes, key=lambda row: -row.perturbed)
    shares = [f"{row.axis} {percent(row.perturbed / done)}" for row in axes] if done else [NONE]
    words, edits = (
        (NONE, "not measured")
        if far is None
        else (short(far.edits), f"{percent(far.edit_share)} of its words")
    )
    kept = f"{count(result.kept_warned)} of them kept" if result.kept_warned else "by the contrast of pairs"
    return [
        KeyFigure(
            "Rows that mention people",
            percent(could / (rows or 1)),
            f"{count(could)} of {counted(rows, 'row')}",
        ),
        KeyFigure(f"Rows {_done(result)}", count(done), f"{percent(done / (could or 1))} of these"),
        KeyFigure("By axis", shares[0], ", ".join(shares[1:])),
        KeyFigure("Words changed per row", words, edits),
        KeyFigure(
            "Blocked as offensive", count(result.blocked), f"of {counted(result.tries, 'choice')} tried"
        ),
        KeyFigure("Labels in doubt", count(result.warned), kept),
    ]


def _done(result: PerturbResult) -> str:
    return "added" if result.adds_rows else "changed"


def _balance_section(result: PerturbResult) -> Section:
    lead = (
        "Rows that have a word for each attribute, before and after. A person whose gender is left open has no such word: rows changed to "
        "non-binary often leave one attribute and enter none."
    )
    rows = _mentioned(result)
    full = max((max(row.rows_before, row.rows_after) for row in rows), default=0)

    def cell(row: AttributeCount) -> Cell:
        words = changed_words(count(row.rows_before), count(row.rows_after))
        return Cell(words, change_bar(row.rows_before, row.rows_after, full=full))

    columns = [
        Column("Axis", "axis", data_span),
        Column("Attribute", "attribute", data_span),
        Column("Rows", cell, style="shares"),
    ]
    blocks: Blocks = [Paragraph(lead, "lead"), *table_of(rows, columns, "changes")]
    axes = [
        f"{cut(axis.axis)} mentioned in {counted(axis.rows, 'row')}, changed in {count(axis.perturbed)}"
        for axis in result.axes
    ]
    blocks.append(Paragraph(f"{'; '.join(axes)}.", "rest"))
    on = REPORT_AND_SCREEN if result.perturbed else REPORT
    return Section("balance", "Who is mentioned, before and after", blocks, on=on)


def _mentioned(result: PerturbResult) -> list[AttributeCount]:
    """The attributes that some row mentions."""
    return [row for row in result.balance if row.rows_before or row.rows_after]


def _pairs_section(result: PerturbResult) -> Section:
    columns = [
        Column("Axis", "axis", data_span),
        Column("From", "source", data_span),
        Column("To", "target", data_span),
        Column("Rows", "count", number=True),
        Column("Share", lambda pair: percent(pair.count / (result.perturbed or 1)), number=True),
    ]
    table = table_of(
        result.pairs,
        columns,
        "figures-only pairs",
        limit=MAX_PAIRS,
        what="pairs",
        file=result.file,
        open=OPEN_PAIRS,
    )
    blocks = table or [nothing("Nothing was changed.")]
    return Section("pairs", "What became what", [*blocks, *stopped_words(result.stopped)])


def _sample_section(result: PerturbResult, labels: Labels) -> Section:
    heading = f"Rows that were {_done(result)}, to read"
    lead: Words = [
        f"A random sample of {counted(result.perturbed, 'perturbed row')} for each axis. Read each one: is everything about this person "
        "changed, and nobody else? Is it good English, and does the label still hold? ",
        Span("Words with a dotted line", "person"),
        " refer to the same person and are unchanged.",
    ]
    return people_section(result.sample, labels, lead, heading=heading, none="Nothing was changed.")


def people_section(
    sample: Sequence[ShownPerson],
    labels: Labels,
    lead: Words,
    *,
    heading: str,
    none: str,
    what: str = "rows",
) -> Section:
    """Changed persons to read, by axis. none: what to say if there are none. what: they are."""
    if not sample:
        return Section("sample", heading, [nothing(none)])
    blocks: Blocks = [Paragraph(lead, "lead")]
    for axis in dict.fromkeys(row.axis for row in sample):
        cards = [person_card(row, labels) for row in sample if row.axis == axis][:MAX_SAMPLE]
        blocks += [Heading(data_span(axis)), Cards(cards, open=OPEN_SAMPLE, more=what)]
    return Section("sample", heading, blocks)


def person_card(row: ShownPerson, labels: Labels, *, hidden: bool = False) -> Card:
    """A choice in a row, with all its texts. hidden: leave out the new texts, as for those that were blocked as offensive."""
    between: Blocks = [_text_block(text, hidden=hidden) for text in row.texts]
    if hidden:
        between.append(Paragraph("The new text is not shown here; it is in edits.jsonl.", "rest"))
    if row.left:
        words = "; ".join(cut(left, TEXT_LIMIT) for left in row.left[:MAX_LEFT])
        between.append(Paragraph([Span("Left unchanged: ", "quiet"), Span(words, "data")], "kept"))
    if row.reason:
        between.append(refusal(row.reason))
    objections = [] if row.reason else [one for one in row.verdicts if not one.passed]
    source = f", made from {cut(row.source_id)}" if row.source_id else ""
    facts: list[Words] = [
        data_span(f"{row.axis}: {row.source} to {row.target}", PATTERN_LIMIT),
        [Span("chosen word ", "quiet"), Span(cut(row.word), "strong")],
        label_span(label_named(row.label, labels)),
        Span(f"id {cut(row.id)}{source}", "quiet end"),
    ]
    return Card(facts, between=between, chips=verdict_chips(objections))


def _text_block(text: PersonText, *, hidden: bool) -> Facts:
    """Both versions of a text; one of them if it is unchanged, or the new one is hidden."""
    name = cut(text.field)
    new = text.before if hidden else text.after
    before, after = versions(text.before, new, marks=_marks(text), styles=STYLES)
    if new == text.before:
        return Facts([(f"{name}, {'before' if hidden else 'unchanged'}", before)], "versions whole")
    return Facts([(f"{name}, before", before), (f"{name}, after", after)], "versions")


def _marks(text: PersonText) -> list[tuple[int, int, int]]:
    """Where the person is mentioned; the chosen word has its own mark, also inside a longer mention."""
    chain = text.chain[:MAX_CHAIN]
    if text.word is None:
        return [(start, end, CHAIN) for start, end in chain]
    first, last = text.word
    around = [part for start, end in chain for part in ((start, min(end, first)), (max(start, last), end))]
    return [(first, last, CHOSEN), *((start, end, CHAIN) for start, end in around if start < end)]


def _refused_section(result: PerturbResult, labels: Labels) -> Section:
    n = sum(one.count for one in result.refused)
    lead = f"{counted(n, 'choice')} could not be made, and others of the same row were tried instead. The reasons, most frequent first, with an example of each."
    return refused_choices(
        result.refused, labels, lead, n=n, file=result.file, heading="Choices that could not be made"
    )


def refused_choices(
    refused: Sequence[RefusedChoices], labels: Labels, lead: str, *, n: int, file: str, heading: str
) -> Section:
    """Why choices could not be made; new texts that were blocked as offensive are hidden."""
    return refused_section(
        refused,
        lambda one: [person_card(one.example, labels, hidden=one.reason == OFFENSIVE)],
        n_rejected=n,
        file=file,
        heading=heading,
        lead=lead,
        none="None: every choice could be made.",
    )


def _examples(left: SkippedWords) -> Span:
    return Span(", ".join(f"{cut(word)} ({count(n)})" for word, n in left.words), "data")


def _unchanged_section(result: PerturbResult) -> Section:
    stayed, left = result.stayed, result.left
    blocks: Blocks = []
    if stayed:
        blocks += reasons_blocks(stayed, "Unchanged rows", file=result.file)
    if left:
        columns = [
            Column("Reason", "reason", data_span),
            Column("For example", _examples),
            Column("Words", "count", number=True),
        ]
        style = "figures-only words-left"
        table = table_of(left, columns, style, limit=MAX_ROWS, what="reasons", file=result.file)
        blocks += [Heading("Words that only look demographic"), *table]
    blocks = blocks or [nothing("Nothing: every row was changed.")]
    return Section("left", "What was left unchanged, and why", blocks)


def _card_section(result: PerturbResult) -> Section:
    dataset = result.dataset
    done = f"{result.changed:,} have another text, none was added"
    if result.adds_rows:
        done = f"{result.added:,} were added, none was changed"
    axes = [f"{row.axis} in {row.perturbed:,} rows (of {row.rows:,} that mention one)" for row in result.axes]
    mentioned = [f"{row.attribute} {row.rows_before:,} and {row.rows_after:,}" for row in _mentioned(result)]
    people = f"{result.perturbable:,} mention somebody’s gender, race or age"
    items: list[Words] = [
        f"Rows: {dataset.used:,} used of {dataset.rows:,}; {people}; {done}. Labels stay the same.",
        f"Changed: {', '.join(axes)}.",
        f"Who is mentioned, rows before and after: {', '.join(mentioned) or 'nobody'}.",
        f"Blocked as offensive: {result.blocked:,}. Label in doubt, because the change removed or created the contrast of a pair: "
        f"{result.warned:,}, of which {result.kept_warned:,} were kept.",
        "The categories are those of the US Census and leave people out.",
    ]
    return card_section(result, items, limits="Perturbed data does not make a model fair.")


# A counterfactual test set, and a model's answers to it

OPEN_CHANGES, OPEN_FLIPS, MAX_FLIPS, FLIPS_ON_SCREEN = 12, 8, 60, 3
PAIRS_WARNING: Words = [
    Span("A model that passes such a test is not fair because of it.", "strong"),
    " The pairs change listed words and names in the texts of one dataset. Read some of them: rules made them, and some are wrong.",
]
PAIRS_NOTE: Words = "Every pair is in pairs.jsonl, with its row, its word and both texts. The categories are those of the US Census and leave people out."


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
        warning=PAIRS_WARNING,
        facts=[("Changed by", cut(result.engine))],
        figures=figures,
        figures_style="three",
        sections=[
            _changes_section(result),
            people_section(
                result.sample, labels, read, heading="Pairs to read", none="There are none.", what="pairs"
            ),
            refused_choices(result.refused, labels, refused, n=n, file=result.file, heading=heading),
            *reading_sections(READING, PAIRS_NOTE, formulas=dataset.formulas),
        ],
        settings=setting_rows(result.settings, source=result.file),
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


@page_of(PairsCheck)
def check_page(result: PairsCheck) -> Page:
    """All sections of a check."""
    share = result.overall
    figures = [KeyFigure("Pairs", count(share.pairs), f"of {counted(share.rows, 'row')}")]
    for name, one in {
        "Fairscore": share,
        **{f"Fairscore, {axis}": own for axis, own in result.by_axis.items()},
    }.items():
        figures.append(KeyFigure(name, one.interval, f"of {counted(one.pairs, 'pair')}"))
    if result.accuracy_before is not None:
        changed = f"{result.accuracy_after:.1f}% on the changed texts"
        figures.append(KeyFigure("Accuracy", f"{result.accuracy_before:.1f}%", changed))
    texts = "\0".join(f"{pair.pair}\0{pair.text_before}\0{pair.text_after}" for pair in result.pairs)
    return Page(
        kicker="Longway, check of a test set",
        title="Answers to pairs of texts",
        verdict=f"{count(share.differ)} of {counted(share.pairs, 'answer')} change if a person’s gender, race or age does.",
        warning=PAIRS_WARNING,
        facts=[("Model", cut(result.model, PATTERN_LIMIT))],
        figures=figures,
        figures_style="three",
        sections=[_shares_section(result), _flips_section(result)],
        sheets=(SHEET, "perturb.css"),
        version=result.longway,
        fingerprint=f"sha256:{sha256(texts.encode(errors='replace')).hexdigest()}",
        fingerprint_of="Fingerprint of the pairs",
    )


def _shares_section(result: PairsCheck) -> Section:
    columns = [Column("Axis"), Column("From"), Column("To"), Column("Pairs", number=True), Column("Change", number=True), Column("Fairscore", number=True)]  # fmt: skip
    rows = [
        Row([*change, count(share.pairs), count(share.differ), share.interval])
        for change, share in sorted(result.by_change.items(), key=lambda item: -item[1].score.low)
    ]
    lead = "Answers that change, for each change of one attribute into another, with the 95% interval; the surest first."
    table = Table(columns, rows, "figures-only pairs", open=OPEN_CHANGES, more="changes", screen=6)
    return Section("changes", "Answers by change", [Paragraph(lead, "lead"), table], on=REPORT_AND_SCREEN)


def _flips_section(result: PairsCheck) -> Section:
    labels = labels_of(Counter(pair.label for pair in result.pairs))
    cards = [person_card(_flipped(flip), labels) for flip in result.flips[:MAX_FLIPS]]
    listed = Cards(cards, open=OPEN_FLIPS, more="answers", screen=FLIPS_ON_SCREEN)
    rest = Only(REPORT, left_out(len(result.flips) - MAX_FLIPS, "answers", "`flips`"))
    blocks: Blocks = [listed, rest] if cards else [nothing("None.")]
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
