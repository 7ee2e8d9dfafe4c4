"""A question to an engine: a versioned template and the row it is about.

Templates are files in `prompts/`, named after what they ask and their version (`rewrite.v1.jinja`); wording that
changes gets a new version. Engines that read language render `messages()`; the rule-based one looks at the
fields. A row is data: it enters fenced and escaped, and never as part of an instruction.

    rewrite_prompt(task, text, label=...)   asks for other ways to put a text, label kept
    judge_prompt(task, text)                asks which label a text has, in a conversation of its own
    triple_prompts.py, text_prompts.py      what CoBA and the methods it is compared with ask
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from longway.task import Task


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is asked, about which row.

    template: "rewrite.v1", "judge.v1" ... text, context: the row. label: the one to keep, None where it is asked for.
    avoid: words and phrases that give the label away and should go. values: what only this template needs.
    reads: what the answer is: "texts", or "lines" for one answer of several lines (numbered triples, for example).
    """

    template: str
    task: Task
    text: str
    context: str | None = None
    label: str | None = None
    avoid: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    reads: str = "texts"

    def messages(self, **more: Any) -> list[dict[str, str]]:
        """The prompt as chat messages, system first. more: values the engine adds, such as how many texts it wants."""
        parts = _template(self.template).render(
            task=self.task,
            text=self.text,
            context=self.context,
            label=self.label,
            avoid=self.avoid,
            **self.values,
            **more,
        )
        system, _, user = parts.partition("\n=== user ===\n")
        return [
            {"role": "system", "content": system.strip()},
            {"role": "user", "content": user.strip()},
        ]


def rewrite_prompt(
    task: Task, text: str, *, label: str, context: str | None = None, avoid: Sequence[str] = ()
) -> Prompt:
    """The question how a text can be put differently so that its label still holds.

    avoid: words and phrases that give the label away and should go.
    """
    return Prompt("rewrite.v1", without_row(task, text, context), text, context, label, tuple(avoid))


def judge_prompt(task: Task, text: str, *, context: str | None = None, original: str | None = None) -> Prompt:
    """The question which label a text has; it tells neither the label it should have nor the text it was made from.

    original: the text it was made from. It is only used to leave that row out of the examples.
    """
    return Prompt("judge.v1", without_row(task, original, context), text, context)


def without_row(task: Task, text: str | None, context: str | None) -> Task:
    """The task without the row itself among its examples: the answer would stand in the question."""
    kept = tuple(
        example
        for example in task.examples
        if example.text != text and (context is None or example.context != context)
    )
    return task if len(kept) == len(task.examples) else replace(task, examples=kept)


def fenced(text: str) -> str:
    """The text as a JSON string, so that nothing in it can end the fence or pass for an instruction.

    >>> fenced('say "hi"')
    '"say \\\\"hi\\\\""'
    """
    # "<" and ">" are written as codes: a row cannot close or open one of the template's tags.
    fence = json.dumps(text, ensure_ascii=False).replace("<", "\\u003c").replace(">", "\\u003e")
    # A lone surrogate has no UTF-8 form and could not be sent; its escape has.
    return fence.encode("utf-8", "backslashreplace").decode("utf-8")


@cache
def _template(name: str) -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("longway.llm", "prompts"),
        undefined=StrictUndefined,
        autoescape=False,  # not HTML; rows enter through `fenced`
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["fenced"] = fenced
    return environment.get_template(f"{name}.jinja")
