"""A question to an engine: a versioned template and the row it is about.

Templates are files in `prompts/`, named after what they ask and their version (`rewrite.v1.jinja`); wording that
changes gets a new version. Engines that read language render `messages()`; the rule-based one looks at the
fields. A row is data: it enters fenced and escaped, and never as part of an instruction.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from longway.task import Task


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is asked, about which row.

    template: "rewrite.v1", "judge.v1" ... text, context: the row. label: the one to keep, None where it is asked for.
    avoid: words and phrases that give the label away and should go. values: what only this template needs.
    """

    template: str
    task: Task
    text: str
    context: str | None = None
    label: str | None = None
    avoid: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)

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


def fenced(text: str) -> str:
    """The text as a JSON string, so that nothing in it can end the fence or pass for an instruction.

    >>> fenced('say "hi"')
    '"say \\\\"hi\\\\""'
    """
    # "<" and ">" are written as codes: a row cannot close or open one of the template's tags.
    return json.dumps(text, ensure_ascii=False).replace("<", "\\u003c").replace(">", "\\u003e")


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
