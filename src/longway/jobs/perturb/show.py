"""The page of a perturbation: who is mentioned before and after, changed rows to read, objections, what was left unchanged, cost.

Every list is cut here and what is cut is counted, so the page stays small whatever the dataset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from longway.jobs.change_show import (
    MAX_REASONS,
    MAX_ROWS,
    SHEET,
    cost_section,
    encoding_section,
    reading_sections,
    reason_words,
    reasons_blocks,
    refusal,
    refused_section,
    verdict_chips,
)
from longway.jobs.edit_counts import ReasonCount
from longway.jobs.pages import dataset_page
from longway.jobs.perturb.result import (
    CONTRAST,
    FILE,
    OFFENSIVE,
    AttributeCount,
    AxisCount,
    PersonText,
    PerturbResult,
    ShownPerson,
)
from longway.show.change_charts import ChangeRow, change_chart
from longway.show.differences import versions
from longway.show.excerpts import PATTERN_LIMIT, TEXT_LIMIT, cut
from longway.show.labels import Labels, label_named, label_span, labels_of, setting_rows
from longway.show.numbers import NONE, arrow, count, counted, percent, short
from longway.show.sections import (
    CARD,
    REPORT,
    REPORT_AND_SCREEN,
    SCREEN,
    Blocks,
    Bullets,
    Card,
    Cards,
    Chart,
    Column,
    Facts,
    Grid,
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
)

OPEN_SAMPLE, MAX_SAMPLE = 4, 20  # per axis
OPEN_PAIRS, MAX_PAIRS = 12, 80
MAX_AXES = 6
MAX_ATTRIBUTES = 12
MAX_TEXTS = 4
MAX_CHAIN = 200
MAX_LEFT = 6
CHAIN, CHOSEN = 2, 3  # levels of unchanged words: they mention the person, or were chosen
STYLES = {CHAIN: "person", CHOSEN: "person chosen"}
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


def perturb_page(result: PerturbResult) -> Page:
    """All sections of a perturbation."""
    dataset = result.dataset
    labels = labels_of(dataset.labels)
    drawn = f"{result.settings.get('sampling')}, seed {result.settings.get('seed')}"
    settings = setting_rows(result.settings, source=FILE)
    cost = cost_section(result.cost, budget=result.budget, file=FILE)
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
            _guards_section(result),
            _refused_section(result, labels),
            _unchanged_section(result),
            _distance_section(result),
            replace(cost, on=REPORT_AND_SCREEN) if result.cost else cost,
            *_failed_section(result.failed_calls),
            Section("settings", "Settings", [Facts(settings, "settings")]),
            *encoding_section(result.encoding_note),
            *reading_sections(READING, NOTE, formulas=dataset.formulas),
            _card_section(result),
        ],
        sheets=(SHEET, "perturb.css"),
    )


def verdict(result: PerturbResult) -> str:
    """How many rows mention a gender, race or age, and in how many it was changed, in one sentence."""
    rows, could, done = result.rows, result.perturbable, result.perturbed
    if not could:
        return f"None of {counted(rows, 'row')} mentions a gender, race or age that could be changed: all are unchanged."
    those = f"the {count(could)} rows that mention" if could > 1 else "the one row that mentions"
    if not done:
        return f"Nothing was changed in {those} somebody’s gender, race or age."
    if result.added:
        were = "row was" if done == 1 else "rows were"
        return f"{count(done)} {were} added, made from {those} somebody’s gender, race or age: one person was changed in each."
    some = f"{count(done)} of {those}"
    if done == could:
        some = those if could == 1 else f"all {those.removeprefix('the ')}"
    return f"In {some} somebody’s gender, race or age, one person was changed; all {count(rows)} labels stay the same."


def _key_figures(result: PerturbResult) -> list[KeyFigure]:
    rows, could, done, far = result.rows, result.perturbable, result.perturbed, result.distances
    axes = sorted(result.axes, key=lambda row: -row.perturbed)[:MAX_AXES]
    shares = [f"{cut(row.axis)} {percent(row.perturbed / done)}" for row in axes] if done else []
    return [
        KeyFigure(
            "Rows that mention people",
            percent(could / rows) if rows else NONE,
            f"{count(could)} of {counted(rows, 'row')}",
        ),
        KeyFigure(
            "Rows added" if result.adds_rows else "Rows changed",
            count(done),
            f"{percent(done / could) if could else NONE} of these",
        ),
        KeyFigure("By axis", shares[0] if shares else NONE, ", ".join(shares[1:]) if shares else "nothing was changed"),
        KeyFigure(
            "Words changed per row",
            short(far.edits) if far else NONE,
            f"{percent(far.edit_share)} of its words" if far else "not measured",
        ),
        KeyFigure("Blocked as offensive", count(result.blocked), f"of {counted(result.tries, 'choice')} tried"),
        KeyFigure(
            "Labels in doubt",
            count(result.warned),
            f"{count(result.kept_warned)} of them kept" if result.warned else "by the contrast of pairs",
        ),
    ]  # fmt: skip


# Who is mentioned


def _balance_section(result: PerturbResult) -> Section:
    lead = (
        "Rows that have a word for each attribute. The pale bar is before, the narrow one inside it is after. A person whose gender is left "
        "open has no such word: rows changed to non-binary often leave one bar and enter none."
    )
    columns = [
        Column("Axis"),
        Column("Attribute"),
        Column("Rows before", number=True),
        Column("Rows after", number=True),
    ]
    rows = [
        Row([row.axis, row.attribute, count(row.rows_before), Span(count(row.rows_after), "strong")])
        for row in result.balance
        if row.rows_before or row.rows_after
    ]
    blocks: Blocks = [
        Only(REPORT, [Paragraph(lead, "lead"), Grid([_axis_chart(axis, result.balance) for axis in result.axes[:MAX_AXES]], "thirds")]),
        Only(SCREEN, [Table(columns, rows)]),
    ]  # fmt: skip
    on = REPORT_AND_SCREEN if result.perturbed else REPORT
    return Section("balance", "Who is mentioned, before and after", blocks, on=on)


def _axis_chart(axis: AxisCount, counts: Sequence[AttributeCount]) -> Chart:
    """Rows with a word for each attribute, before and after."""
    name = cut(axis.axis)
    rows = [
        ChangeRow(
            cut(row.attribute),
            row.rows_before,
            row.rows_after,
            arrow(count(row.rows_before), count(row.rows_after)),
            f"l{at % 8}",
        )
        for at, row in enumerate([row for row in counts if row.axis == axis.axis][:MAX_ATTRIBUTES])
    ]
    svg = change_chart(
        rows,
        key=f"balance-{name}",
        title=f"Rows that have a word for each attribute of {name}, before and after",
        desc="; ".join(f"{row.name}: {row.shown}" for row in rows) or "none",
        full=max((value for row in rows for value in (row.before, row.after)), default=0.0),
    )
    note = f"mentioned in {counted(axis.rows, 'row')}, changed in {count(axis.perturbed)}"
    return Chart(svg, Span(name, "data"), note)


def _pairs_section(result: PerturbResult) -> Section:
    columns = [
        Column("Axis"), Column("From"), Column("To"), Column("Rows", number=True), Column("Share", number=True),
    ]  # fmt: skip
    rows = [
        Row(
            [
                *(Span(cut(name), "data") for name in (pair.axis, pair.source, pair.target)),
                Span(count(pair.count), "strong"),
                percent(pair.count / result.perturbed) if result.perturbed else NONE,
            ]
        )
        for pair in result.pairs[:MAX_PAIRS]
    ]
    table = Table(columns, rows, "figures-only pairs", open=OPEN_PAIRS, more="pairs")
    blocks: Blocks = [table] if rows else [Paragraph("Nothing was changed.", "nothing")]
    blocks += left_out(max(len(result.pairs) - MAX_PAIRS, 0), "pairs are", FILE)
    if result.stopped:
        stopped = Span(cut(result.stopped, TEXT_LIMIT), "data")
        blocks.append(Paragraph(["Stopped because: ", stopped, "."], "rest"))
    return Section("pairs", "What became what", blocks)


# Rows to read


def _sample_section(result: PerturbResult, labels: Labels) -> Section:
    heading = "Added rows to read" if result.adds_rows else "Changed rows to read"
    if not result.sample:
        return Section("sample", heading, [Paragraph("Nothing was changed.", "nothing")])
    lead: Words = [
        f"A random sample of {counted(result.perturbed, 'perturbed row')} for each axis. Read each one: is everything about this person "
        "changed, and nobody else? Is it good English, and does the label still hold? ",
        Span("Words with a dotted line", "person"),
        " refer to the same person and are unchanged.",
    ]
    blocks: Blocks = [Paragraph(lead, "lead")]
    few: list[Card] = []
    for axis in result.axes[:MAX_AXES]:
        sample = [row for row in result.sample if row.axis == axis.axis]
        if not sample:
            continue
        cards = [person_card(row, labels) for row in sample[:MAX_SAMPLE]]
        few += cards[:1]
        blocks += [
            Heading(Span(cut(axis.axis), "data")),
            Cards(cards, open=OPEN_SAMPLE, more="rows"),
            *left_out(max(len(sample) - MAX_SAMPLE, 0), "are", FILE),
        ]
    return Section(
        "sample", heading, [Only(REPORT, blocks), Only(SCREEN, [Cards(few)])], on=REPORT_AND_SCREEN
    )


def person_card(row: ShownPerson, labels: Labels, *, hidden: bool = False) -> Card:
    """A choice in a row, with all its texts. hidden: leave out the new texts, as for those that were blocked as offensive."""
    between: Blocks = [_text_block(text, hidden=hidden) for text in row.texts[:MAX_TEXTS]]
    if hidden:
        between.append(Paragraph("The new text is not shown here; it is in edits.jsonl.", "rest"))
    if row.left:
        words = "; ".join(cut(left, TEXT_LIMIT) for left in row.left[:MAX_LEFT])
        between.append(Paragraph([Span("Left unchanged: ", "quiet"), Span(words, "data")], "kept"))
    if row.reason:
        between.append(refusal(row.reason))
    objections = [] if row.reason else [one for one in row.verdicts if not one.passed]
    chips = verdict_chips(objections)
    source = f", made from {cut(row.source_id)}" if row.source_id else ""
    return Card(
        facts=[
            Span(cut(f"{row.axis}: {row.source} to {row.target}", PATTERN_LIMIT), "data"),
            [Span("chosen word ", "quiet"), Span(cut(row.word), "strong")],
            label_span(label_named(row.label, labels)),
            Span(f"id {cut(row.id)}{source}", "quiet end"),
        ],
        between=between,
        chips=chips,
        n_more_chips=len(objections) - len(chips),
    )


def _text_block(text: PersonText, *, hidden: bool) -> Facts:
    """Both versions of a text; one of them if it is unchanged, or the new one is hidden."""
    name = cut(text.field)
    is_same = hidden or text.before == text.after
    before, after = versions(
        text.before, text.before if is_same else text.after, marks=_marks(text), styles=STYLES
    )
    if is_same:
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


# Objections, and what stayed unchanged


def _guards_section(result: PerturbResult) -> Section:
    seen = {check.check: check.seen for check in result.checks}
    sentences = []
    if OFFENSIVE in seen:
        n = result.blocked
        sentences.append(
            f"{count(n) if n else 'None'} of {counted(seen[OFFENSIVE], 'new text')} would have put a group beside a word of contempt, or made "
            f"it the oppressor, where it was not before.{' They were not used.' if n else ''}"
        )
    if CONTRAST in seen:
        kept = result.kept_warned
        used = f"{count(kept)} of these {'was' if kept == 1 else 'were'} kept, as requested, and marked in edits.jsonl."
        sentences.append(
            f"In {count(result.warned) if result.warned else 'none'} of {counted(seen[CONTRAST], 'new pair')} the texts no longer differ in who "
            "is mentioned, or differ now and did not before, so that the label may no longer hold. "
            + (used if kept else "They were not used." if result.warned else "")
        )
    heading = "Offence, and labels in doubt"
    if not sentences:
        nothing = Paragraph("No new text was written that could be checked.", "nothing")
        return Section("guards", heading, [nothing])
    note = Paragraph(
        "Both are rules over word lists. They catch the known cases and no others: read the sample.", "rest"
    )
    on = REPORT_AND_SCREEN if result.blocked or result.warned else REPORT
    return Section("guards", heading, [Bullets(sentences, "missing"), note], on=on)


def _refused_section(result: PerturbResult, labels: Labels) -> Section:
    n = sum(one.count for one in result.refused)
    return refused_section(
        result.refused,
        lambda one: person_card(one.example, labels, hidden=one.reason == OFFENSIVE),
        n_rejected=n,
        file=FILE,
        heading="Choices that could not be made",
        lead=f"{counted(n, 'choice')} could not be made, and others of the same row were tried instead. The reasons, most frequent first, "
        "with an example of each.",
        nothing="None: every choice could be made.",
    )


def _unchanged_section(result: PerturbResult) -> Section:
    stayed, left = result.stayed, result.left
    blocks: Blocks = []
    if stayed:
        total = sum(one.count for one in stayed)
        reasons = [reason_words(one, total) for one in stayed[:MAX_REASONS]]
        rest = left_out(max(len(stayed) - MAX_REASONS, 0), "reasons are", FILE)
        blocks += [Heading("Unchanged rows"), Bullets(reasons, "missing"), *rest]
    if left:
        columns = [Column("Reason"), Column("For example"), Column("Words", number=True)]
        rows = [
            Row(
                [
                    Span(cut(one.reason, TEXT_LIMIT), "data"),
                    Span(", ".join(f"{cut(word)} ({count(n)})" for word, n in one.words), "data"),
                    count(one.count),
                ]
            )
            for one in left[:MAX_ROWS]
        ]
        table = Table(columns, rows, "figures-only words-left", more="reasons")
        rest = left_out(max(len(left) - MAX_ROWS, 0), "reasons are", FILE)
        blocks += [Heading("Words that only look demographic"), table, *rest]
    blocks = blocks or [Paragraph("Nothing: every row was changed.", "nothing")]
    return Section("left", "What was left unchanged, and why", blocks)


def _distance_section(result: PerturbResult) -> Section:
    far, heading = result.distances, "How much the texts changed"
    if far is None:
        text = "Not measured: nothing was changed, or the extra prove is not installed."
        return Section("distance", heading, [Paragraph(text, "nothing")])
    text = (
        f"Measured on {counted(far.rows, 'perturbed row')}: {short(far.edits)} words inserted, deleted or replaced per row "
        f"({percent(far.edit_share)} of its words), BLEU {short(far.bleu)}, ROUGE-2 {short(far.rouge.rouge2)}."
    )
    return Section("distance", heading, [Paragraph(text, "lead")])


def _failed_section(failed: Sequence[ReasonCount]) -> list[Section]:
    if not failed:
        return []
    n = sum(one.count for one in failed)
    lost = (
        f"{counted(n, 'call')} to engines failed for a passing reason; run the same command again to retry."
    )
    blocks = [Paragraph(lost), *reasons_blocks(failed, "Show why calls failed", file=FILE)]
    return [Section("failed", "Failed calls", blocks, on=REPORT_AND_SCREEN)]


# The card


def _card_section(result: PerturbResult) -> Section:
    """The figures for whoever gets the file later; no text of the dataset."""
    dataset = result.dataset
    done = f"{result.changed:,} have another text, none was added"
    if result.adds_rows:
        done = f"{result.added:,} were added, none was changed"
    axes = ", ".join(
        f"{row.axis} in {row.perturbed:,} rows (of {row.rows:,} that mention one)" for row in result.axes
    )
    mentioned = ", ".join(
        f"{row.attribute} {row.rows_before:,} and {row.rows_after:,}"
        for row in result.balance
        if row.rows_before or row.rows_after
    )
    items = [
        f"Rows: {dataset.used:,} used of {dataset.rows:,}; {result.perturbable:,} mention somebody’s gender, race or age; {done}. Labels stay "
        "the same.",
        f"Changed: {axes}.",
        f"Who is mentioned, rows before and after: {mentioned or 'nobody'}.",
        f"Blocked as offensive: {result.blocked:,}. Label in doubt, because the change removed or created the contrast of a pair: "
        f"{result.warned:,}, of which {result.kept_warned:,} were kept.",
        f"Stopped because {result.stopped or 'it was done'}.",
    ]
    text: Words = [
        "Every change is in edits.jsonl, with the word that was chosen and its new attribute. The column ",
        Span("longway_id", "code"),
        " names the row. The categories are those of the US Census and leave people out.",
    ]
    return Section("card", "What was done", [Bullets(items), Paragraph(text)], on=CARD)
