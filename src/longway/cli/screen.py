"""What people see in the terminal: colour where the terminal has it, plain text where not.

end(verdict, Step("Repair the data", "longway repair reviews.csv"), files={"Report": path})    the last lines of a command
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from longway.report.terminal import output

__all__ = [
    "Step",
    "clean",
    "end",
    "errors",
    "output",
    "own_file",
    "print_steps",
    "safe",
    "shortened",
]


def errors() -> Console:
    """The console for messages and progress."""
    return Console(stderr=True, highlight=False)


def clean(text: str) -> str:
    """The text without characters that steer a terminal; as long as the original, line breaks kept."""
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)


def shortened(text: str, n: int) -> str:
    """The clean text on one line, cut to n characters: a row must not be able to write a line of its own that looks like one of ours.

    >>> shortened("fine\\nReport: elsewhere", 40)
    'fine↵Report: elsewhere'
    """
    return clean(text if len(text) <= n else text[: n - 1] + "…").replace("\n", "↵")


def safe(text: str) -> str:
    """The text for a line with markup: no terminal codes, and its brackets are brackets."""
    return escape(clean(text))


@dataclass(frozen=True, slots=True)
class Step:
    """A command to run next. why: what it is for, as the start of a line."""

    why: str
    command: str


def end(verdict: str, *steps: Step, files: Mapping[str, Path] | None = None, note: str = "") -> None:
    """Print the last lines. A command is never wrapped by us, so that it can be copied whole. verdict: "" if a page above has it. note: about the files."""
    console = output()
    console.print()
    for name, path in (files or {}).items():
        console.print(Text.assemble(f"{name}: ", (clean(str(path)), "bold")), soft_wrap=True)
    if note:
        console.print(Text(clean(note), style="dim"))
    if verdict:
        words = Text.assemble(("Verdict: ", "bold"), clean(one_sentence(verdict)))
        console.print(words, soft_wrap=not console.is_terminal)
    print_steps(*steps)


def print_steps(*steps: Step) -> None:
    """Print commands to run next, one per line."""
    for step in steps:
        output().print(Text.assemble(f"{step.why}: ", (clean(step.command), "bold")), soft_wrap=True)


def own_file(sample: Path) -> None:
    """Print how the commands that name a sample are used on other data."""
    output().print(
        Text(f"To use a file of your own, write its name instead of {clean(str(sample))}."), soft_wrap=True
    )


def one_sentence(text: str) -> str:
    """The first sentence of a text.

    >>> one_sentence("It is 99.5% right. Strongest: the word x.")
    'It is 99.5% right.'
    """
    whole = " ".join(text.split())
    end_of_first = re.search(r"[.!?][”’\"')]*(?=\s+[A-Z0-9“‘])", whole)
    return whole[: end_of_first.end()] if end_of_first else whole
