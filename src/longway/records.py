"""The nouns of Longway: small frozen records that every layer may pass around.

    Example   one row: id, fields, label, split
    Problem   something about the data itself that the user should know (a broken row, a duplicate)
    Pattern   a yes/no question about one row
    Finding   a pattern that is correlated with a label
    Mentions  how often the texts speak of people with one attribute, by label
    Leak      how well a bag of words predicts the label from part of the input
    Verdict   what one check said of a rewritten text
    Edit      what was done to one example, and why it was accepted or not

Nothing here computes anything; `to_dict` is what the run folder's JSON files hold.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from longway.json_values import FLAT, JsonRecord
from longway.levels import LEVELS

BUDGET_SPENT = "the budget is spent"  # why a run or a row stopped


@dataclass(frozen=True, slots=True)
class Example:
    """One row of a dataset as the methods see it."""

    id: str
    text: str
    label: str
    context: str | None = None
    split: str | None = None


@dataclass(frozen=True, slots=True)
class Problem(JsonRecord):
    """Something about the data that the user should know, told once with a count.

    kind: short name for programs, e.g. "null_label", "near_duplicate".
    rows: numbers of the first few rows concerned, as a person counts them (the first row is 1; a header is row 0).
    next_step: what to do about it.
    """

    kind: str
    message: str
    count: int
    next_step: str
    rows: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Pattern:
    """A yes/no question about one row: "does the review contain *not*?", "has the claim 20 or more words?".

    level: the detector that answers it ("token", "ngram", "position", "length", ...), see `levels.LEVELS`.
    field: the column it is about; "claim + evidence" for a pattern across two columns.
    words: the words that the text must contain; what they mean exactly depends on the level.
    place: which of the level's questions it is: a position ("first word"), a comparison ("at least"), a trait ("a comma").
    bound: the number to compare with, for lengths and shares.
    context: the second of the two columns, for a pattern across two columns.
    language: of the words that a level knows by itself (negations), as an ISO 639 code; "" for English.

    The name is derived from these values and is never parsed. A pattern that is known by its name only (one whose words are too
    long to be kept, or one from a run of an older version) has the name as its `place` and no words: no row shows it.

    >>> Pattern("position", "review", ("honestly",), "first word").name
    'first word: honestly'
    """

    level: str
    field: str
    words: tuple[str, ...] = ()
    place: str = ""
    bound: float | None = None
    context: str = ""
    language: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it is about: the text and, for a pattern across two columns, its context."""
        return (
            (self.field.removesuffix(f" + {self.context}"), self.context) if self.context else (self.field,)
        )

    @property
    def name(self) -> str:
        """The pattern in English: "first word: honestly", "20 or more words"."""
        wording = LEVELS[self.level].wording if self.level in LEVELS else None
        if wording and (self.words or self.bound is not None or self.level == "negation"):
            return wording(self)
        words = " ".join(self.words)
        return f"{self.place}: {words}" if self.place and words else self.place or words

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(self.name, spec)

    def shortened(self, longest: int) -> Pattern:
        """The pattern, or its name only if the name has more characters than `longest`: a word can be a megabyte long."""
        if len(self.name) <= longest:
            return self
        return Pattern(self.level, self.field, place=self.name[:longest] + "…", context=self.context)

    def to_dict(self) -> dict[str, Any]:
        """The pattern as plain JSON values: level, pattern (its name), field and match (everything else)."""
        match = {
            "words": list(self.words),
            "place": self.place,
            "bound": self.bound,
            "context": self.context,
            **({"language": self.language} if self.language else {}),
        }
        return {"level": self.level, "pattern": self.name, "field": self.field, "match": match}

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Pattern:
        """The pattern of a JSON object that `to_dict` wrote; known by its name only if "match" is missing or malformed."""
        level, name, field = (str(row.get(key) or "") for key in ("level", "pattern", "field"))
        named = cls(level, field, place=name)
        match = row.get("match")
        if not isinstance(match, Mapping):
            return named
        words, bound = match.get("words"), match.get("bound")
        place, context, language = (match.get(name, "") for name in ("place", "context", "language"))
        texts = (place, context, language)
        if not isinstance(words, list) or not all(isinstance(text, str) for text in (*words, *texts)):
            return named
        if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int | float)):
            return named
        pattern = cls(level, field, tuple(words), place, bound, context, language)
        try:
            return pattern if pattern.name else named
        except ValueError:  # a pair of three words, a share of no context
            return named


@dataclass(frozen=True, slots=True)
class Finding(JsonRecord):
    """A pattern that is correlated with a label.

    label: the label that the pattern predicts best (largest z). majority_label: the most frequent label among texts with the pattern.
    count: rows with the pattern; texts: different texts among them (pairs of texts, if it is about both). effect: how many of the rows count as
    one observation because rows repeat a text or share a context (the design effect). label_share: the label's share among them. base_rate: its share overall.
    share_low: the low end of label_share's 95% interval; high for patterns that are nearly certain.
    points: how much more often than by chance the label is right if it is predicted for exactly the rows with the pattern, were the label and all
    others equally frequent: 0.03 is three percentage points of accuracy.
    gain: nats that a model gains on average about this label, against all others, by knowing the pattern.
    mutual_information: the same about all labels at once (grammar paper, section 2.3); equal with two labels.
    z, pmi, lmi: the label's excess; p: test of independence; q: Benjamini-Hochberg over everything tested.
    variants: weaker patterns that say the same thing; the finding itself is the strongest of them.
    supporting, counter: ids of the first texts with the pattern that have the label, and that have another.
    example: one supporting text, cut to the words around the pattern; marks: the pattern's spans in it.
    typical, untypical: of a concept, the most typical texts that have the label, and that have another.
    judgement: whether the pattern is a shortcut, part of the task, or open, which is all that an audit decides so far; reasons: for it.
    """

    pattern: Pattern = dataclasses.field(metadata=FLAT)
    label: str
    majority_label: str
    count: int
    label_share: float
    share_low: float
    base_rate: float
    gain: float
    mutual_information: float
    z: float
    pmi: float
    lmi: float
    p: float
    q: float
    points: float = 0.0
    texts: int | None = None
    effect: float = 1.0
    supporting: tuple[str, ...] = ()
    counter: tuple[str, ...] = ()
    example: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    typical: tuple[str, ...] = ()
    untypical: tuple[str, ...] = ()
    variants: tuple[Finding, ...] = ()
    judgement: Literal["shortcut", "task", "open"] = "open"
    reasons: tuple[str, ...] = ()

    @property
    def level(self) -> str:
        """The detector that found the pattern."""
        return self.pattern.level

    @property
    def field(self) -> str:
        """The column of the pattern; "a + b" for a pattern across two columns."""
        return self.pattern.field


@dataclass(frozen=True, slots=True)
class Mentions(JsonRecord):
    """How often the texts of each label speak of people with one demographic attribute.

    axis, attribute: "gender" and "woman" (`demographics.axes`). pattern: what a finding about it is called.
    texts: by label, texts that do. mentions: by label, how often they do. words: those that told it and the texts they stand in.
    p, q: of the test that a finding has to pass; None where too few texts have it, or too few have not.
    """

    field: str
    axis: str
    attribute: str
    pattern: str
    texts: Mapping[str, int]
    mentions: Mapping[str, int]
    words: tuple[tuple[str, int], ...]
    p: float | None
    q: float | None


@dataclass(frozen=True, slots=True)
class Leak(JsonRecord):
    """How well a simple model predicts the label from one part of the input.

    part: "text", "context" or "both"; columns: the columns read.
    families: if the model sees more than words, the accuracy that is lost without each kind of feature.
    accuracy with its 95% interval (low, high); majority: what always answering the commonest label gets.
    how: "5-fold cross-validation" or the name of the held-out set; rows: rows it was measured on. 0 rows: it could not be measured, the
    accuracy is that of chance and the interval is from 0 to 1. observations: independent rows that the interval counts; 0: not known.
    """

    part: str
    columns: tuple[str, ...]
    accuracy: float
    low: float
    high: float
    majority: float
    how: str
    rows: int
    families: Mapping[str, float] = field(default_factory=dict)
    observations: float = 0.0

    @property
    def is_measured(self) -> bool:
        """Whether there was enough to measure it on."""
        return self.rows > 0

    def differs_from(self, other: Leak) -> bool:
        """Whether each accuracy is outside the interval of the other."""
        return not (self.low <= other.accuracy <= self.high or other.low <= self.accuracy <= other.high)


@dataclass(frozen=True, slots=True)
class Telling(JsonRecord):
    """A document that stands out on its surface, with the words that give its label away.

    chosen_by: "gamma" (most unlike the other labels: RAZOR's choice) or "lean" (most like its own rather than others).
    tokens: (word, weight) in reading order; weight in [0, 1], higher means it tells more about the label.
    """

    id: str
    label: str
    chosen_by: str
    gamma: float
    lean: float
    text: str
    tokens: tuple[tuple[str, float], ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Verdict(JsonRecord):
    """What one check said of a rewritten text.

    check: its name ("judge", "negation", "numbers", "meaning" ...). score: the number it looked at, where it has one.
    reason: why it failed, in words for people; "" where it passed.
    """

    check: str
    passed: bool
    score: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Edit(JsonRecord):
    """What was done to one example, as edits.jsonl holds it.

    how: what the engine did, where it can say ("negation.fail_to"). round: counted from 1.
    reason: why it was not accepted; "" where it was. score_before, score_after: gamma (Eq. 12), lower is better.
    source: for a text that is added, the id of the row it was made from; "" where a row's own text was changed.
    drops: whether the row is left out of the dataset.
    trace: the steps on the way, for methods that can show them (CoBA's triples).
    """

    id: str
    field: str
    before: str
    after: str
    label_before: str
    label_after: str
    method: str
    engine: str
    accepted: bool
    reason: str = ""
    verdicts: tuple[Verdict, ...] = ()
    score_before: float | None = None
    score_after: float | None = None
    round: int = 1
    how: str = ""
    source: str = ""
    drops: bool = False
    trace: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Edit:
        """As in `JsonRecord`, without a look at the types: files of edits are long."""
        known = {one.name: values[one.name] for one in dataclasses.fields(cls) if one.name in values}
        return cls(**known | {"verdicts": tuple(Verdict(**verdict) for verdict in known.get("verdicts", ()))})
