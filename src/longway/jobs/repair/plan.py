"""The plan of a repair: which remedy is for which patterns and rows, before anything is changed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from longway.detect.findings import Chosen, Search
from longway.english.opposites import opposite_table
from longway.english.words import word_sides
from longway.jobs.language import ENGLISH_ONLY
from longway.jobs.repair.settings import RepairSettings
from longway.languages.row_languages import not_english_note
from longway.levels import CONCEPT, GRAMMAR
from longway.methods.method import Rows
from longway.methods.repair import COUNTERPART, DROP, EXCHANGE, PUT_IN, REMEDIES, RESHAPE, WEIGH
from longway.methods.repair.features import N_FEATURES
from longway.methods.repair.remedy import Target
from longway.records import Pattern
from longway.task import two_numbers
from longway.text.keep import is_real_signal
from longway.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from longway.detect.concepts.detector import ConceptDetector
    from longway.jobs.estimate import RunEstimate
    from longway.methods.repair.concepts import ConceptPatterns
    from longway.methods.repair.grammar import GrammarPatterns, Parse

CHANGING = [remedy for remedy in REMEDIES.values() if remedy.levels]
TYPICAL = 3  # texts of a concept that an engine is shown
TYPICAL_WORDS = 60  # of each
# Seconds of repairs on two slow cores: to load models, and for each word of the texts (notes/LOG.md).
LOADING, PER_WORD, LETTERS = 30.0, 0.0003, 6


@dataclass(frozen=True, slots=True)
class PlannedRemedy:
    """One step of a plan. patterns: those that it is for. rows: rows that it may look at."""

    remedy: str
    patterns: tuple[str, ...]
    rows: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class RepairPlan:
    """targets: patterns to weaken, strongest first. signal: patterns that are left alone. steps: remedies in order. goal: the leak to reach.

    notes: what the plan assumes about labels and texts. seconds: how long it may take. calls: what engines that cost money may take; None if
    there are none. grammar, concepts: patterns that only a grammar or vectors of texts see, to be balanced by rows; None if there are none.
    """

    targets: tuple[Target, ...]
    signal: tuple[str, ...]
    steps: tuple[PlannedRemedy, ...]
    goal: float
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    calls: RunEstimate | None = None
    grammar: GrammarPatterns | None = None
    concepts: ConceptPatterns | None = None

    def to_dict(self) -> dict[str, object]:
        """The plan as JSON values."""
        hidden: dict[str, Any] = {"targets": (), "grammar": None, "concepts": None}
        return {name: value for name, value in asdict(replace(self, **hidden)).items() if name not in hidden}

    def targets_of(self, remedy: str) -> list[Target]:
        """The targets that a remedy can weaken."""
        return [target for target in self.targets if target.pattern.level in REMEDIES[remedy].levels]


def plan_of(
    rows: Rows, found: Search, settings: RepairSettings, *, goal: float, parse: Parse | None = None
) -> RepairPlan:
    """The plan for the findings of an audit. parse: parses texts with the grammar, if the audit looked at that level."""
    asks = settings.engine not in ("rules", "none")  # an engine that writes any text
    writes_any = not set(settings.engine.split(",")) <= {*ENGLISH_ONLY, "none"}  # in any language
    # No rule changes a topic or a tone.
    changed = frozenset().union(*(remedy.levels for remedy in CHANGING)) - (
        {CONCEPT} if not writes_any else set()
    )
    signal_words = sentiment_words() if rows.task.kind == "sentiment" else frozenset()
    targets, signal = [], []
    counts, in_english = list[int](), list[int]()  # rows with each target, and those of them that are English
    repaired: set[int] = set()  # groups that have a target: of patterns that say the same, one is enough
    for one in found.chosen:
        pattern = one.finding.pattern
        if (
            one.leader in repaired
            or pattern.columns[0] != rows.task.text_name
            or pattern.level not in changed
        ):
            continue
        if _is_signal(one, settings, signal_words, rows.tokenizer):
            signal.append(pattern.name)
            continue
        repaired.add(one.leader)
        targets.append(_target(one, rows))
        counts.append(one.finding.count)
        in_english.append(round(_english_share(one, rows) * one.finding.count))
    of_grammar = [
        one for place, one in enumerate(found.chosen) if one.leader == place and one.detector.level == GRAMMAR
    ]
    of_concepts = [
        one for place, one in enumerate(found.chosen) if one.leader == place and one.detector.level == CONCEPT
    ]
    left_alone = [
        one for one in (*of_grammar, *of_concepts) if _is_signal(one, settings, signal_words, rows.tokenizer)
    ]
    signal += [one.finding.pattern.name for one in left_alone]
    concepts = _concept_patterns([one for one in of_concepts if one not in left_alone], rows)
    parsed = N_FEATURES + (0 if concepts is None else len(concepts.targets))
    grammar = _grammar_patterns([one for one in of_grammar if one not in left_alone], parse, parsed)
    wanted = set(settings.remedy)
    is_reworded = writes_any or has_english(rows)
    steps = []
    for remedy in CHANGING:
        if remedy.english_rules and not is_reworded:
            continue
        aimed = {}
        for target, n, n_english in zip(targets, counts, in_english, strict=True):
            may_change = n if writes_any or in_any_language(remedy.name, target.pattern) else n_english
            if may_change and target.pattern.level in remedy.levels:
                aimed[target.pattern] = may_change
        if aimed and (not wanted or remedy.name in wanted):
            names = tuple(pattern.name for pattern in aimed)
            steps.append(PlannedRemedy(remedy.name, names, sum(aimed.values())))
    if (not wanted or COUNTERPART in wanted) and (asks or has_counterparts(rows)):
        steps.append(
            PlannedRemedy(
                COUNTERPART,
                (),
                len(rows) if writes_any else sum(map(rows.is_english, range(len(rows)))),
                "adds rows with another label that keep what gives it away",
            )
        )
    by_rows = [*(() if grammar is None else grammar.targets), *(() if concepts is None else concepts.targets)]
    built = tuple(target.pattern.name for target in by_rows)
    # Without rules that reword, what is inside sentences can only be balanced by dropping rows.
    if DROP in wanted or (not wanted and (rows.task.is_pair or not is_reworded)):
        why = f"{'other rows ' * bool(built)}only if the leak is still above {goal:.0%}"
        steps.append(PlannedRemedy(DROP, built, len(rows), why))
    if WEIGH in wanted:
        steps.append(PlannedRemedy(WEIGH, (), len(rows), "adds the column longway_weight"))
    words = sum(map(len, rows.texts)) / LETTERS
    seconds = sum(REMEDIES[step.remedy].seconds * step.rows for step in steps)
    return RepairPlan(
        tuple(targets),
        tuple(dict.fromkeys(signal)),
        tuple(steps),
        goal,
        tuple(_notes(rows, writes_any=writes_any)),
        LOADING + seconds + words * PER_WORD,
        grammar=grammar,
        concepts=concepts,
    )


def in_any_language(remedy: str, pattern: Pattern) -> bool:
    """Whether the rules of a remedy for a pattern change rows in other languages than English, too."""
    if remedy == EXCHANGE:
        return any(map(str.isdigit, "".join(pattern.words)))  # names cannot be told from other words
    if remedy == PUT_IN:
        return pattern.level == "surface"
    if remedy == RESHAPE:
        return pattern.level == "length" and pattern.place == "at least"
    return not REMEDIES[remedy].english_rules


def _english_share(one: Chosen, rows: Rows) -> float:
    """The share of English among the rows that show a pattern, as far as its examples tell."""
    places = (*one.supporting, *one.counter) or range(len(rows))
    return sum(map(rows.is_english, places)) / max(1, len(places))


def _target(one: Chosen, rows: Rows) -> Target:
    finding = one.finding
    is_concept = finding.pattern.level == CONCEPT
    places = one.supporting[:TYPICAL] if is_concept else ()
    typical = tuple(" ".join(rows.texts[place].split()[:TYPICAL_WORDS]) for place in places)
    # The name in a finding may be cut, but not what a concept is found by.
    pattern = one.description.pattern if is_concept else finding.pattern
    concepts = cast("ConceptDetector", one.detector).concepts if is_concept else None
    return Target(pattern, finding.label, finding.effect, typical, concepts)


def _grammar_patterns(chosen: Sequence[Chosen], parse: Parse | None, parsed: int) -> GrammarPatterns | None:
    """The patterns of the grammar with the means to find them in rows; None if there are none. parsed: as `GrammarPatterns` takes it."""
    # Of a pattern with a very long name, a finding has no words; a rule has a place.
    targets = [
        Target(one.description.pattern, one.finding.label, one.finding.effect)
        for one in chosen
        if one.finding.pattern.words and not one.finding.pattern.place
    ]
    if not targets or parse is None:
        return None
    from longway.methods.repair.grammar import GrammarPatterns

    return GrammarPatterns(targets, parse, parsed=parsed)


def _concept_patterns(chosen: Sequence[Chosen], rows: Rows) -> ConceptPatterns | None:
    """The concepts with the means to find them in rows; None if there are none."""
    targets = [_target(one, rows) for one in chosen]
    if not targets:
        return None
    from longway.methods.repair.concepts import ConceptPatterns

    return ConceptPatterns(targets, rows.task.text_name)


def _notes(rows: Rows, *, writes_any: bool) -> Iterator[str]:
    """What the plan assumes. writes_any: whether an engine writes in any language."""
    if two_numbers(rows.task.labels) and (sides := rows.task.sides):
        read = " and ".join(f"{label} is {side}" for label, side in sides.items())
        yield f"The labels are read as sentiment, because the texts praise and find fault accordingly: {read}. If they mean something else, say so with --describe."
    if not writes_any and (note := not_english_note(rows.languages)):
        yield f"{note} To reword them and add counterparts, use --engine served:MODEL."


def has_english(rows: Rows) -> bool:
    """Whether there is a row that is English."""
    return any(map(rows.is_english, range(len(rows))))


def has_counterparts(rows: Rows) -> bool:
    """Whether the rules can write rows with another label."""
    if not has_english(rows):
        return False
    stances = set(rows.task.stances.values())
    return rows.task.kind == "sentiment" or {"entails", "contradicts"} <= stances


@cache
def sentiment_words() -> frozenset[str]:
    """Words that judge something, in all their forms: in texts labelled by sentiment they are no shortcuts."""
    return frozenset({word for word, _ in opposite_table().words} | word_sides().keys())


def _is_signal(
    one: Chosen, settings: RepairSettings, signal_words: Collection[str], tokenizer: Tokenizer
) -> bool:
    pattern = one.finding.pattern
    words = tuple(word for phrase in pattern.words for word in phrase.split())  # the grammar's are phrases
    if settings.only and pattern.name.lower() not in {name.lower() for name in settings.only}:
        return True
    if settings.keep and (
        pattern.name.lower() in {name.lower() for name in settings.keep}
        or is_real_signal(words, [tuple(tokenizer.tokens(phrase)) for phrase in settings.keep])
    ):
        return True
    return any(word in signal_words for word in words)
