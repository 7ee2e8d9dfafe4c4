"""Judging with the writer: it learned to say the label, so that the likelihoods of the label words are read off and calibrated.

    names_of(task, options)      what the writer calls the options; None where it did not learn such labels
    lines_for(prompt, names)     the lines that ask

It knows praise and blame of single texts, and of pairs whether the context entails, contradicts or leaves open the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longway.classify.entailment import tidied
from longway.llm.prompt import Prompt
from longway.llm.writer_lines import LABELS, SIDES, judge_lines
from longway.llm.writer_steps import context_of
from longway.task import Task

_ORDER = (
    "positive",
    "negative",
    "entailment",
    "neutral",
    "contradiction",
)  # the answer may not hang on the options' order


def names_of(task: Task, options: Sequence[str]) -> dict[str, str] | None:
    """For each option what the writer calls it; None where it did not learn to tell these labels."""
    if task.is_pair:
        stances = (task.stances.get(option) for option in options)
        found = [LABELS.get(stance) if stance is not None else None for stance in stances]
    elif task.kind == "sentiment":
        found = [SIDES.get(option.strip().lower()) for option in options]
    else:
        return None
    names = {option: name for option, name in zip(options, found, strict=True) if name is not None}
    return names if len(names) == len(options) == len(set(names.values())) else None


def lines_for(prompt: Prompt, names: Mapping[str, str]) -> tuple[str, list[str]]:
    """The lines that ask, and the label words in the order in which the lines name them."""
    ordered = sorted(names.values(), key=_ORDER.index)
    if prompt.task.is_pair:
        return judge_lines(tidied(prompt.text), ordered, context=context_of(prompt) or ""), ordered
    return judge_lines(prompt.text, ordered), ordered
