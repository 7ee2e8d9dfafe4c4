"""Writes docs/commands.md from what `longway --help` and `longway COMMAND --help` are made of.

    python docs/make_commands.py            # after a change of a command
    python docs/make_commands.py --check    # exit 1 where the page is out of date

It reads the commands themselves, not the text that `--help` prints: that text changes with the width of the
terminal and the version of typer, and the page must not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import Any

import typer

from longway.cli import app

PAGE = Path(__file__).parent / "commands.md"
TOP = """# Commands

<!-- Written by docs/make_commands.py from the help of the commands. Change the help, then run the script. -->

{help}

| command | what it does |
| --- | --- |
{rows}

`longway --version` prints the version. `longway COMMAND --help` prints what is below.

A command exits with 0 when it did its work, with 2 when an option or the data is wrong (standard error says what
to do), with 1 when `longway doctor` finds the core incomplete or you answered no, and with 130 when it was stopped by Ctrl-C.
"""


def page() -> str:
    """The whole page."""
    group: Any = typer.main.get_command(app)
    commands = dict(all_commands(group))
    rows = "\n".join(
        f"| [`longway {name}`](#longway-{name.replace(' ', '-')}) | {_first_line(command)} |"
        for name, command in commands.items()
    )
    sections = [_section(name, command) for name, command in commands.items()]
    return "\n".join([TOP.format(help=_lines(group.help), rows=rows), *sections])


def all_commands(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every command by its name, those of a command's own (`engines install`) behind it."""
    for name, command in group.commands.items():
        yield before + name, command
        if hasattr(command, "commands"):
            yield from all_commands(command, f"{before}{name} ")


def _section(name: str, command: Any) -> str:
    arguments = [p for p in command.params if not p.opts[0].startswith("-")]
    options = [p for p in command.params if p.opts[0].startswith("-") and p.name != "help"]
    usage = " ".join(["longway", name, *(_place(argument) for argument in arguments), "[OPTIONS]"])
    parts = [f"## longway {name}", f"```text\n{usage}\n```", _lines(command.help)]
    if arguments:
        parts.append(_table("argument", [(f"`{_place(a)}`", a) for a in arguments]))
    if options:
        parts.append(_table("option", [(_flags(o), o) for o in options]))
    return "\n\n".join(parts) + "\n"


def _place(argument: Any) -> str:
    return argument.name.upper() if argument.required else f"[{argument.name.upper()}]"


def _flags(option: Any) -> str:
    """The option with a word for its value, as in `--limit LIMIT`; a flag has none."""
    names = " / ".join([*option.opts, *option.secondary_opts])
    value = "" if getattr(option, "is_flag", False) else f" {option.metavar or option.name.upper()}"
    return f"`{names}{value}`"


def _table(kind: str, rows: list[tuple[str, Any]]) -> str:
    lines = [f"| {kind} | meaning | default |", "| --- | --- | --- |"]
    lines += [f"| {name} | {_cell(parameter.help)} | {_default(parameter)} |" for name, parameter in rows]
    return "\n".join(lines)


def _default(parameter: Any) -> str:
    shown = parameter.default
    return "" if shown is None or isinstance(shown, bool) or callable(shown) else f"`{shown}`"


def _first_line(command: Any) -> str:
    return _cell(_lines(command.help).partition("\n")[0])


def _lines(text: str | None) -> str:
    return "\n".join(line.rstrip() for line in cleandoc(text or "").splitlines())


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(PAGE.read_text(encoding="utf-8") != page())
    PAGE.write_text(page(), encoding="utf-8")
