"""The nouns of Longway: small frozen records that every layer may pass around.

    Example   one row: id, fields, label, split
    Problem   something about the data itself that the user should know (a broken row, a duplicate)
    Finding   a pattern on the surface that is tied to a label
    Mentions  how often the texts speak of people with one attribute, by label
    Leak      how well a bag of words predicts the label from part of the input
    Verdict   what one check said of a rewritten text
    Edit      what was done to one example, and why it was accepted or not

Nothing here computes anything; `to_dict` is what the run folder's JSON files hold.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Example:
    """One row of a dataset as the methods see it."""

    id: str
    text: str
    label: str
    context: str | None = None
    split: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
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

    def to_dict(self) -> dict[str, Any]:
        """The problem as plain JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Finding:
    """A yes/no pattern of the surface that is tied to a label.

    level: which detector saw it ("token", "ngram", "position", "length", ...).
    pattern: the pattern in words, e.g. "not" or "first word: honestly".
    field: the column it was seen in; "a + b" for a pattern across two columns.
    label: the label that the pattern speaks for most (largest z).
    majority_label: the most frequent label among texts with the pattern.
    count: texts with the pattern. label_share: the label's share among them. base_rate: its share overall.
    share_low: the low end of label_share's 95% interval; high for patterns that are nearly certain.
    gain: nats that a model gains on average about this label, against all others, by knowing the pattern.
    mutual_information: the same about all labels at once (grammar paper, section 2.3); equal with two labels.
    z, pmi, lmi: the label's excess; p: test of independence; q: Benjamini-Hochberg over everything tested.
    variants: weaker patterns that say the same thing; the finding itself is the strongest of them.
    supporting, counter: ids of texts with the pattern that carry the label, and that do not (first few).
    example: one supporting text, cut to the words around the pattern; marks: where the pattern stands in it.
    """

    level: str
    pattern: str
    field: str
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
    supporting: tuple[str, ...] = ()
    counter: tuple[str, ...] = ()
    example: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    variants: tuple[Finding, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Mentions:
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

    def to_dict(self) -> dict[str, Any]:
        """The mentions as plain JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Leak:
    """How well a bag of words predicts the label from one part of the input.

    part: "text", "context" or "both"; columns: the columns read.
    accuracy with its 95% interval (low, high); majority: what always answering the commonest label gets.
    how: "5-fold cross-validation" or the name of the held-out set; rows: rows it was measured on.
    """

    part: str
    columns: tuple[str, ...]
    accuracy: float
    low: float
    high: float
    majority: float
    how: str
    rows: int

    def to_dict(self) -> dict[str, Any]:
        """The leak as plain JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Telling:
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

    def to_dict(self) -> dict[str, Any]:
        """The document as plain JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one check said of a rewritten text.

    check: its name ("judge", "negation", "numbers", "meaning" ...). score: the number it looked at, where it has one.
    reason: why it failed, in words for people; "" where it passed.
    """

    check: str
    passed: bool
    score: float | None = None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Edit:
    """What was done to one example, as edits.jsonl holds it.

    how: what the engine did, where it can say ("negation.fail_to"). round: counted from 1.
    reason: why it was not accepted; "" where it was. score_before, score_after: gamma (Eq. 12), lower is better.
    source: for a text that is added, the id of the row it was made from; "" where a row's own text was changed.
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
    trace: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The edit as plain JSON values."""
        return asdict(self)
