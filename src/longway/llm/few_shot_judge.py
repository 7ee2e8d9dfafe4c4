"""Judging with a small model that was not trained for it: examples, then the likelihood of each label, set against its habit.

    FewShotJudge(likelihoods)(prompt, options)      how likely each option is for a single text

After the idea of Zhao et al. 2021 (contextual calibration): how much likelier is a label here than the model says it anyway? What
it says anyway is measured on texts that together favour no label.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from math import exp

from longway.llm.dress import plain
from longway.llm.few_shot_steps import parts_of
from longway.llm.prompt import Prompt
from longway.records import Example
from longway.task import Task

TEMPLATE = "local-judge.v1"
ROOM_FOR_SHOTS = 1200  # characters, all examples together
NOTHING = "N/A"  # a text that says nothing: what the model answers here is its habit, not its judgement
_SENTIMENTS = {"pos": "positive", "neg": "negative"}
_OWN_SHOTS = (
    Example("", "I enjoyed every minute of it.", "positive"),
    Example("", "It was dull and far too long.", "negative"),
    Example("", "A charming, well made piece of work.", "positive"),
    Example("", "Nothing about it works.", "negative"),
)
_OWN_SCALE = (
    Example("", "The best evening I have had this year.", "positive"),
    Example("", "The worst evening I have had this year.", "negative"),
    Example("", "Good songs, strong actors, a lovely ending.", "positive"),
    Example("", "Bad songs, weak actors, a silly ending.", "negative"),
    Example("", "It made me laugh and I would watch it again.", "positive"),
    Example("", "It made me yawn and I would not watch it again.", "negative"),
)
Likelihoods = Callable[[str, str, Sequence[str]], list[list[float]]]


class FewShotJudge:
    """Judges single texts. likelihoods: `Model.likelihoods`; it is given with each call, since the model may be let go."""

    def __init__(self) -> None:
        self._habits: dict[tuple[str, tuple[str, ...]], list[float]] = {}

    def shares(self, prompt: Prompt, options: Sequence[str], likelihoods: Likelihoods) -> dict[str, float]:
        """The probability of each option."""
        names = tuple(_name(option, prompt.task) for option in options)
        asked = replace(
            prompt,
            template=TEMPLATE,
            text=plain(prompt.text) or NOTHING,
            values={"names": names, "shots": _shots(prompt.task)},
        )
        said = [f" {name}" for name in names]
        head, tail = parts_of(asked)
        habits = self._habit(asked, head, said, likelihoods)
        found = _means(likelihoods(head, tail, said))
        weights = [exp(likelihood - habit) for likelihood, habit in zip(found, habits, strict=True)]
        return {option: weight / sum(weights) for option, weight in zip(options, weights, strict=True)}

    def _habit(self, asked: Prompt, head: str, said: Sequence[str], likelihoods: Likelihoods) -> list[float]:
        """How likely each option is on average over texts that favour none; computed once for the same examples."""
        key = head, tuple(said)
        if key not in self._habits:
            found = [
                _means(likelihoods(head, parts_of(replace(asked, text=text))[1], said))
                for text in _scale(asked.task)
            ]
            self._habits[key] = [sum(column) / len(column) for column in zip(*found, strict=True)]
        return self._habits[key]


def _means(likelihoods: Sequence[Sequence[float]]) -> list[float]:
    return [sum(tokens) / max(1, len(tokens)) for tokens in likelihoods]


def _name(label: str, task: Task) -> str:
    """The label as the model reads it."""
    name = plain(label) or "none"
    return _SENTIMENTS.get(name.lower(), name.lower()) if task.kind == "sentiment" else name


def _shots(task: Task) -> list[Example]:
    """Examples for the model, the labels taking turns: what it saw last it would say more often."""
    rows = _by_label(task)
    if not all(rows):
        return list(_OWN_SHOTS) if _is_plus_minus(task) else []
    turns = [e for turn in zip_longest(*(row[: _each(task)] for row in rows)) for e in turn if e is not None]
    return [replace(e, text=plain(e.text), label=_name(e.label, task)) for e in turns]


def _scale(task: Task) -> list[str]:
    """Texts that together favour no label: as many for each, and none that is shown as an example.

    A text that says nothing is a poor scale: on SST-2 the small model then said "positive" to 78 of 100.
    """
    if _is_plus_minus(task):
        return [example.text for example in _OWN_SCALE]
    rest = [row[_each(task) :] for row in _by_label(task)]
    n = min(map(len, rest), default=0)
    return [plain(example.text) for row in rest for example in row[:n]] or [NOTHING]


def _by_label(task: Task) -> list[list[Example]]:
    longest = ROOM_FOR_SHOTS // max(1, _each(task) * len(task.labels))
    usable = [example for example in task.examples if 0 < len(example.text) <= longest]
    return [[example for example in usable if example.label == label] for label in task.labels]


def _each(task: Task) -> int:
    """How many examples of each label are shown."""
    return 2 if len(task.labels) <= 3 else 1


def _is_plus_minus(task: Task) -> bool:
    names = {_name(label, task) for label in task.labels}
    return task.kind == "sentiment" and names == {"positive", "negative"}
