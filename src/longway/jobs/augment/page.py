"""The page of an augmentation: spurious words, additions and how they were made, what models rely on, leaks and findings, checks, cost.

Every list is cut here and what is cut is counted, so the page stays small whatever the dataset.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from longway.jobs.augment.result import (
    FILE,
    AugmentResult,
    CobaTrace,
    TripleStep,
    WordAnalysis,
)
from longway.jobs.change.collect import ShownEdit
from longway.jobs.change.page import (
    bar_length,
    card_section,
    changed_words,
    compared_page,
    cost_figure,
    edit_card,
    leak_figure,
    leak_lines,
    points_cell,
    sample_section,
    stopped_words,
    worse_section,
)
from longway.jobs.model_words import overlap_table, speech_table
from longway.jobs.results import page_of
from longway.metrics.versions import WordInformation
from longway.records import Edit
from longway.report.differences import EDIT_LIMIT, versions
from longway.report.excerpts import PATTERN_LIMIT, READ_LIMIT, cut, data_span, harmless, pieces
from longway.report.labels import (
    POINTS,
    Labels,
    label_named,
    label_span,
    labels_of,
)
from longway.report.numbers import (
    NONE,
    arrow,
    count,
    counted,
    few,
    finite,
    percent,
    short,
)
from longway.report.sections import (
    REPORT_AND_SCREEN,
    Blocks,
    Bullet,
    Bullets,
    Card,
    Column,
    Grid,
    KeyFigure,
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
from longway.stats import is_stronger

OPEN_WORDS, MAX_WORDS, WORDS_ON_SCREEN = 20, 100, 5
OPEN_SAMPLE, MAX_SAMPLE, SAMPLE_ON_SCREEN = 6, 20, 3
MAX_LABEL_ROWS = 40
MAX_TRIPLES = 30
TRIPLE_LIMIT = 240  # characters
MAX_MARKED = 20  # words of each kind that are marked and listed
CONTEXT_LIMIT = 800
KINDS = ("spurious", "principal", "normal")
TRIPLE_COLUMNS = [
    Column("Kind"), Column("Before", short="Was"), Column("After", short="Is"), Column("Place", number=True),
]  # fmt: skip
STYLES = {1: "spurious", 2: "principal"}  # by level of marked words
READING = [
    ("Principal and spurious words", "Several classifiers of different kinds name the words of a text that they rely on most. A word that most of them name is principal: it carries the label. A word that only some name is spurious: it is merely correlated with the label here."),
    ("Triples", "The statements of a text, each as subject, predicate and object. Spurious triples stay, principal ones are changed until another label is true, normal ones may change places or be dropped. Then the triples are put into words again."),
    POINTS,
    ("Leak", "How well a model that sees only a bag of words from one part of the input predicts the label. An addition is similar to its source and has another label, so the leak should fall."),
    ("Similarity to the source", "The cosine of the sentence vectors of both texts. Near 1 little was changed; a text that has nothing to do with its source is near 0."),
    ("Checks", "A candidate is added only if all checks pass: the new label holds, the spurious words are still there, and it is a text and no copy. Every verdict is in edits.jsonl."),
]  # fmt: skip
NOTE: Words = [
    Span("More balanced, not fair.", "strong"),
    " The additions weaken the words above; a model may find other shortcuts, and the engine may have added new ones. Read the sample, "
    "then train on both versions and test on data from another source: ",
    Span("longway prove", "code"),
    ".",
]


@page_of(AugmentResult)
def augment_page(result: AugmentResult) -> Page:
    """All sections of an augmentation."""
    labels = labels_of(result.dataset.labels)
    return compared_page(
        result,
        "Augmentation of",
        verdict=verdict(result),
        figures=_key_figures(result),
        first=[_words_section(result, labels), _labels_section(result, labels)],
        worse=worse_section(result.comparison, labels),
        sample=_sample_section(result, labels),
        rest=_models_section(result.analysis),
        card=_card_section(result),
        wrong="The share of additions with a wrong label was not estimated: error rates of the checks are known for rewritten texts only.",
        edit=addition_card,
        reading=READING,
        note=NOTE,
        sheets=("augment.css",),
    )


def verdict(result: AugmentResult) -> str:
    """How many rows were added, and what the spurious words were and are worth, in one sentence."""
    n, used = result.added, result.dataset.used
    if not n:
        return f"Nothing was added to {counted(used, 'row')}: no new text passed the checks."
    added = f"{counted(n, 'row')} {'was' if n == 1 else 'were'} added to {count(used)}"
    mean = result.mean_points
    if mean is None:
        return f"{added}."
    before, after = (short(100 * value) for value in (mean.before, mean.after))
    words = f"the mean worth of {counted(len(result.words), 'spurious word')}"
    return f"{added}; {words} was {before} points of accuracy before and is {after} now."


def _key_figures(result: AugmentResult) -> list[KeyFigure]:
    mean, n_words = result.mean_points, len(result.words)
    accepted = percent(result.accepted / result.candidates) if result.candidates else NONE
    worth = NONE if mean is None else arrow(short(100 * mean.before), short(100 * mean.after))
    of_words = f"of accuracy, mean of {counted(n_words, 'word')}" if n_words else "no words were named"
    return [
        KeyFigure("Rows added", count(result.added), f"to {counted(result.dataset.used, 'row')}"),
        KeyFigure("New texts accepted", accepted, f"of {counted(result.candidates, 'candidate')}"),
        KeyFigure("Points of a spurious word", worth, of_words),
        leak_figure(result.comparison.leak),
        cost_figure(result.cost),
    ]


def _words_section(result: AugmentResult, labels: Labels) -> Section:
    heading, words = "Spurious words before and after", result.words
    if not words:
        return Section(
            "words", heading, [nothing("This method found no spurious words, and you named none.")]
        )
    lead = (
        "Words that should not predict the label: only some of the models rely on them, or you named them. The pale bar is what "
        "a word alone was worth before, in percentage points of accuracy; the narrow one inside it is what it is worth with the additions, "
        "which are there to lower it."
    )
    full = max(bar_length(value) for word in words for value in (word.points_before, word.points_after))
    columns = [
        Column("Word"), Column("Predicts", style="to"), Column("Rows", number=True), Column("Points", style="shares"),
    ]  # fmt: skip
    rows = [_word_row(word, labels, full) for word in words[:MAX_WORDS]]
    table = Table(columns, rows, "changes words", open=OPEN_WORDS, more="words", screen=WORDS_ON_SCREEN)
    rest = left_out(len(words) - MAX_WORDS, "words", FILE)
    return Section("words", heading, [Paragraph(lead, "lead"), table, *rest], on=REPORT_AND_SCREEN)


def _word_row(word: WordInformation, labels: Labels, full: float) -> Row:
    label = label_named(word.label, labels)
    name: list[str | Span] = [Span(cut(word.word, PATTERN_LIMIT), "pattern")]
    if is_stronger(finite(word.mi_before), finite(word.mi_after)):
        name += [" ", Span("▲ more than before", "remark stronger")]
    rows = changed_words(count(word.rows_before), count(word.rows_after))
    worth = points_cell(word.points_before, word.points_after, full=full)
    return Row([name, label_span(label), rows, worth], label.colour)


def _labels_section(result: AugmentResult, labels: Labels) -> Section:
    after, before, added = result.labels_after, result.labels_before, result.added_by_label
    total = sum(after.values()) or 1
    columns = [
        Column("Label", lambda name: label_span(label_named(name, labels))),
        Column("Rows before", lambda name: before.get(name, 0), number=True, short="Before"),
        Column("Added", lambda name: added.get(name, 0), number=True),
        Column("Rows now", after.get, number=True, short="Now"),
        Column("Share now", lambda name: percent(after[name] / total), number=True, short="Share"),
    ]
    names = sorted(after, key=lambda name: (-after[name], name))
    table = table_of(names, columns, "figures-only", limit=MAX_LABEL_ROWS, what="labels", file=FILE)
    blocks = table or [nothing("The rows have output texts instead of labels.")]
    return Section(
        "labels", "What was added", [*blocks, *stopped_words(result.stopped)], on=REPORT_AND_SCREEN
    )


def _sample_section(result: AugmentResult, labels: Labels) -> Section:
    lead: list[str | Span] = [
        f"A random sample of {counted(result.accepted, 'accepted addition')}. Read each one: is it good English, and does its label hold?"
    ]
    if result.words:
        lead += [
            " ", Span("Spurious words", "spurious"), " have a dotted line and should still be there; ",
            Span("principal words", "principal"), " have a full line and carry the label.",
        ]  # fmt: skip
    heading = "How new texts were made"
    return sample_section(result.sample, labels, lead, file=FILE, heading=heading, card=addition_card)


def addition_card(edit: ShownEdit, labels: Labels) -> Card:
    """An addition, step by step if CoBA made it."""
    card, trace = edit_card(edit, labels), CobaTrace.of(edit)
    if trace is None:
        return card
    facts = card.facts[1:] if trace.target_triples else card.facts  # an output text is no label
    return replace(card, facts=facts, versions=(), between=[steps_block(edit, trace, labels), *card.between])


def steps_block(edit: Edit, trace: CobaTrace, labels: Labels) -> Bullets:
    """How CoBA made a text: the source with its words, the triples, the new text."""
    tables: Blocks = []
    for triples, caption in (
        (trace.context_triples, "Of the context"),
        (trace.triples or (), "Of the text"),
        (trace.target_triples, "Of the output text"),
    ):
        if triples:
            rows = [_triple_row(triple) for triple in triples[:MAX_TRIPLES]]
            tables.append(Table(TRIPLE_COLUMNS, rows, "triples", caption))
            tables += left_out(len(triples) - MAX_TRIPLES, "triples", "edits.jsonl")
    marks = [(trace.spurious or (), 1), (trace.principal or (), 2)]
    source: Blocks = [Paragraph(marked_words(edit.before, marks), "data")]
    new: Blocks = [Paragraph(marked_words(edit.after, marks[:1]), "data")]
    named: Words = "The new text"
    if trace.target_triples:
        for blocks, text in ((source, edit.label_before), (new, edit.label_after)):
            blocks.append(Paragraph([Span("Output text: ", "quiet"), data_span(text, EDIT_LIMIT)]))
    elif edit.label_after != edit.label_before:
        named = ["The new text, as ", label_span(label_named(edit.label_after, labels))]
    for side, spurious, principal in (
        ("", trace.spurious, trace.principal),
        ("In the context: ", trace.context_spurious, trace.context_principal),
    ):
        if spurious is not None or principal is not None:
            words = [
                Span(f"{side}Spurious: ", "quiet"), Span(_listed(spurious or ()), "data"),
                Span(" Principal: ", "quiet"), Span(_listed(principal or ()), "data"),
            ]  # fmt: skip
            source.append(Paragraph(words, "found"))
    items = [
        Bullet("The text", below=source),
        Bullet("Its triples, and what became of them", below=tables),
        Bullet(named, below=new),
    ]
    return Bullets(items, "steps")


def marked_words(text: str, marks: Iterable[tuple[Sequence[str], int]]) -> list[str | Span]:
    """The text with some words marked; a word with two levels has the first.

    >>> marked_words("A dull film.", [(["film"], 1), (["dull"], 2)])[1].style
    'principal'
    """
    text = harmless(text[:READ_LIMIT])
    levels: dict[str, int] = {}
    for words, level in marks:
        for word in words[:MAX_MARKED]:
            levels.setdefault(harmless(word).casefold(), level)
    known = sorted((w for w in levels if w.strip() and len(w) <= PATTERN_LIMIT), key=len, reverse=True)
    spans: list[tuple[int, int, int]] = []
    if known:
        pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, known))})(?!\w)"
        for match in re.finditer(pattern, text, re.IGNORECASE):
            spans.append((*match.span(), levels.get(match[0].casefold(), 1)))
    shown = [
        Span(piece.text, STYLES[piece.level]) if piece.level else piece.text
        for piece in pieces(text, spans, limit=EDIT_LIMIT)
    ]
    return shown or ["(blank)"]


def _triple_row(triple: TripleStep | str) -> Row:
    """A triple before and after; a string was only read."""
    if isinstance(triple, str):
        return Row([Span("read", "kind read"), _triple_words(triple), Span("unchanged", "quiet"), NONE])
    kind = triple.kind if triple.kind in KINDS else "normal"
    before: Words = _triple_words(triple.before)
    after: Words = Span("the same", "quiet")
    style = ""
    if triple.after is None:
        after, style = Span("dropped", "quiet"), "dropped"
    elif triple.after != triple.before:
        before, after = versions(_triple_text(triple.before), _triple_text(triple.after))
    place = NONE if triple.place is None else str(triple.place + 1)
    return Row([Span(kind, f"kind {kind}"), before, after, place], style=style)


def _triple_text(triple: str) -> str:
    """A triple as it is shown; a sentence that was left whole has no bars.

    >>> _triple_text("|  | Well, what can I say?")
    'Well, what can I say?'
    """
    return cut(triple, TRIPLE_LIMIT).removeprefix("| | ")


def _triple_words(triple: str) -> Words:
    return Span(_triple_text(triple), "data")


def _listed(words: Sequence[str]) -> str:
    return few(list(map(cut, words)), MAX_MARKED) if words else "none"


def _models_section(analysis: WordAnalysis | None) -> list[Section]:
    if analysis is None:
        return []
    lead: Words = [
        "The top words of each classifier, compared text by text. A word that most of them have carries the label (principal); a word that "
        "few have is what some models rely on (spurious). ",
        Span(_votes(analysis), "data"),
    ]
    tables = [*overlap_table(analysis.overlap, "In common"), *speech_table(analysis.parts_of_speech)]
    return [Section("models", "What models rely on", [Paragraph(lead, "lead"), Grid(tables)])]


def _votes(analysis: WordAnalysis) -> str:
    """What named the words, how, and how many there were."""
    sentences = [f"The engine named up to {analysis.k} words of each kind."]
    if analysis.models:
        models = ", ".join(cut(name) for name in analysis.models)
        voted = f"{analysis.votes} of them have it among their top {analysis.k}"
        sentences = [f"Models: {models}. A word is principal if {voted}."]
    if analysis.principal_words is not None and analysis.spurious_words is not None:
        principal, spurious = short(analysis.principal_words), short(analysis.spurious_words)
        sentences.append(f"A text has {principal} principal and {spurious} spurious words on average.")
    return " ".join(sentences)


def _card_section(result: AugmentResult) -> Section:
    dataset, mean = result.dataset, result.mean_points
    by_label = ", ".join(f"{label} {n:,}" for label, n in result.added_by_label.items())
    items: list[Words] = [
        f"Rows: {dataset.used:,} used of {dataset.rows:,}, none of them changed; {result.added:,} were added "
        f"({by_label or 'the data has no labels'}).",
        f"Candidates: {result.candidates:,}, of which {result.rejected:,} were refused.",
    ]
    if mean is not None:
        items.append(
            f"Mean worth of {counted(len(result.words), 'spurious word')}: {short(100 * mean.before)} points of accuracy before, "
            f"{short(100 * mean.after)} with the additions."
        )
    return card_section(result, [*items, *leak_lines(result.comparison.leak)])
