"""What the labels of a dataset mean: the task, told by the names of its labels and columns.

    fact checking   claim and evidence; SUPPORTS, REFUTES ...
    inference       premise and hypothesis; entailment, contradiction, neutral; or entailment and not entailment
    sentiment       positive, negative, good, bad ...; 0 and 1 where the texts make it obvious (`jobs/rows.py`)
    labels          anything else: the label names and a few examples say it

For pairs each label has a *stance*: what the context says about the text. It decides what a rewriting rule may do
(a refuted claim may become another false one) and what the entailment check expects. "Not entailment" is a stance of its own:
the context contradicts the text or leaves it open, and the label does not say which.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from longway.errors import SettingError
from longway.language_names import ENGLISH
from longway.records import Example

Stance = Literal["entails", "contradicts", "neutral", "does not entail"]
Keeps = Literal["meaning", "label"]
Side = Literal["positive", "negative"]
Kind = Literal["fact checking", "inference", "sentiment", "labels"]

_STANCES: dict[Stance, tuple[str, ...]] = {
    "entails": ("entailment", "entails", "entailed", "supports", "supported", "support", "true", "correct"),
    "contradicts": ("contradiction", "contradicts", "contradicted", "refutes", "refuted", "refute", "false"),
    "neutral": ("neutral", "not enough info", "nei", "unknown"),
    "does not entail": ("not entailment", "non entailment", "no entailment", "not entailed", "not entails"),
}
_FACT_CHECKING = ("supports", "supported", "support", "refutes", "refuted", "refute")
_SIDES: dict[str, Side] = {
    "positive": "positive", "pos": "positive", "good": "positive",
    "negative": "negative", "neg": "negative", "bad": "negative",
}  # fmt: skip
_SENTIMENT = (*_SIDES, "neutral", "mixed", "very positive", "very negative")


_NUMBER = re.compile(r"-?[0-9]{1,3}(\.0)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked of a text.

    stances: for pairs, what the context says about a text with that label; empty where the labels do not say.
    examples: up to three for each label, shown to engines that can read them.
    text_name, context_name: the columns' names, as people know them; context_name is None for single texts.
    descriptions: what labels mean, in the user's words. is_zero_shot: prompts show no examples.
    language: of most texts, as an ISO 639 code; "" for English, and if nothing is known.
    languages: those that the user named; of mixed data, those that it has, the most frequent first.
    """

    kind: Kind
    labels: tuple[str, ...]
    text_name: str = "text"
    context_name: str | None = None
    stances: Mapping[str, Stance] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()
    descriptions: Mapping[str, str] = field(default_factory=dict)
    is_zero_shot: bool = False
    language: str = ""
    languages: tuple[str, ...] = ()

    def without_examples(self) -> Task:
        """The same task, for prompts that show no examples."""
        return replace(self, examples=(), is_zero_shot=True)

    @property
    def spoken(self) -> tuple[str, ...]:
        """The languages of the texts, the most frequent first."""
        return self.languages or (self.language or ENGLISH,)

    @property
    def is_pair(self) -> bool:
        """Whether a text is judged beside a context."""
        return self.context_name is not None

    @property
    def sides(self) -> dict[str, Side]:
        """The labels that mean a positive or a negative judgement. Of two numbers, the higher one is positive.

        >>> Task("sentiment", ("Bad", "good", "mixed")).sides, Task("sentiment", ("0", "1")).sides, Task("labels", ("0", "1")).sides
        ({'Bad': 'negative', 'good': 'positive'}, {'0': 'negative', '1': 'positive'}, {})
        """
        if self.kind != "sentiment":
            return {}
        if numbers := two_numbers(self.labels):
            return dict(zip(numbers, ("negative", "positive"), strict=True))
        plain = {label: label.strip().lower() for label in self.labels}
        return {label: _SIDES[name] for label, name in plain.items() if name in _SIDES}

    def keeps(self, label: str) -> Keeps:
        """What a new text with this label must keep of the old one. In a pair whose label says what the context says about the text,
        another text with the same label will do: the context decides. A single text must mean the same."""
        return "label" if label in self.stances else "meaning"


def two_numbers(labels: Sequence[str]) -> tuple[str, str] | None:
    """The labels, lower one first, if they are two numbers.

    >>> two_numbers(["1", "0"]), two_numbers(["-1", "1.0"]), two_numbers(["0", "1", "2"]), two_numbers(["no", "yes"])
    (('0', '1'), ('-1', '1.0'), None, None)
    """
    if len(labels) != 2 or not all(_NUMBER.fullmatch(label.strip()) for label in labels):
        return None
    low, high = sorted(labels, key=float)
    return low, high


def descriptions_of(given: Sequence[str], labels: Sequence[str]) -> dict[str, str]:
    """The meaning of labels, from texts such as "1=the review recommends the product"; SettingError if a label is unknown.

    >>> descriptions_of(["1=the text is spam"], ["0", "1"])
    {'1': 'the text is spam'}
    """
    found = {}
    for one in given:
        label, sign, meaning = one.partition("=")
        if not sign or not meaning.strip() or label.strip() not in labels:
            raise SettingError(
                f"'describe' must be a label, =, and what it means. Got {one!r}. The labels are {', '.join(map(repr, labels))}. "
                f"""Try --describe {labels[0]}="..."."""
            )
        found[label.strip()] = meaning.strip()
    return found


def stances_named(labels: Sequence[str]) -> dict[str, Stance]:
    """The stance of each label whose name tells it.

    >>> stances_named(["entailment", "Not-Entailment", "-"])
    {'entailment': 'entails', 'Not-Entailment': 'does not entail'}
    """
    plain = {label: label.strip().lower().replace("_", " ").replace("-", " ") for label in labels}
    return {label: stance for label, name in plain.items() for stance in _STANCES if name in _STANCES[stance]}


def task_of(
    labels: Sequence[str],
    *,
    text_name: str = "text",
    context_name: str | None = None,
    examples: Sequence[Example] = (),
) -> Task:
    """The task that these label names tell.

    >>> task_of(["REFUTES", "SUPPORTS"], text_name="claim", context_name="evidence").kind
    'fact checking'
    >>> task_of(["neg", "pos"]).kind
    'sentiment'
    >>> task_of(["entailment", "not_entailment"], context_name="premise").stances["not_entailment"]
    'does not entail'
    """
    lower = {label: label.strip().lower() for label in labels}
    kind: Kind = "labels"
    stances: dict[str, Stance] = {}
    if context_name is not None:
        stances = stances_named(labels)
        if len(stances) == len(labels) and "entails" in stances.values():
            kind = "fact checking" if any(name in _FACT_CHECKING for name in lower.values()) else "inference"
        else:
            stances = {}
    elif len(labels) > 1 and all(name in _SENTIMENT for name in lower.values()):
        kind = "sentiment"
    return Task(kind, tuple(labels), text_name, context_name, stances, tuple(examples))
