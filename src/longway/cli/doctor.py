"""`longway doctor`: what is installed, what is missing, and the line that installs it."""

from __future__ import annotations

import importlib.util
import platform
import re
from typing import Annotated, Any

import typer

PURPOSES = {
    "": "audit",
    "rules": "English analysis, rules",
    "served": "served LLMs",
    "local": "small LLM, encoder",
    "neural": "neural models",
    "review": "review page",
    "ray": "many machines",
    "hub": "hf: datasets",
    "dev": "development",
}


def command(
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Show what is installed, what is missing and the line that installs it."""
    found = examine()
    if json:
        import json as json_module

        typer.echo(json_module.dumps(found, indent=1))
    else:
        _show(found)
    if not found["core"]["complete"]:
        raise typer.Exit(1)


def examine() -> dict[str, Any]:
    """For the core and for each extra: its packages with the installed version, and the line that completes it."""
    from importlib.metadata import requires, version  # twenty milliseconds that no other command needs

    groups: dict[str, dict[str, str | None]] = {name: {} for name in PURPOSES}
    for requirement in requires("longway") or []:
        package = re.split(r"[<>=!~;\[ ]", requirement, maxsplit=1)[0]
        extra = re.search(r"extra == ['\"](\w+)['\"]", requirement)
        groups.setdefault(extra.group(1) if extra else "", {})[package] = _installed(package)
    result: dict[str, Any] = {"longway": version("longway"), "python": platform.python_version()}
    for name, packages in groups.items():
        result[name or "core"] = {
            "purpose": PURPOSES.get(name, name),
            "packages": packages,
            "complete": all(packages.values()),
            "install": f"pip install 'longway[{name}]'" if name else "pip install --upgrade longway",
        }
    result["rules"]["uses"] = _english() if result["rules"]["complete"] else {}
    return result


def _english() -> dict[str, str]:
    """Which pipeline analyses English here, and which WordNet is read."""
    from longway.english.wordnet import wordnet_source
    from longway.errors import DataError

    try:
        source = wordnet_source()
        wordnet = f"{source.version}, {source.origin}"
    except DataError as error:
        wordnet = str(error)
    return {"pipeline": "longway", "wordnet": wordnet}


def _installed(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _show(found: dict[str, Any]) -> None:
    from rich.table import Table

    from longway.cli.screen import output

    console = output()
    console.print(f"longway {found['longway']} on Python {found['python']}\n")
    table = Table("part", "for", "state", "packages", box=None, pad_edge=False, header_style="dim")
    for name, part in found.items():
        if not isinstance(part, dict):
            continue
        packages = ", ".join(f"{p} {v}" if v else f"[red]{p} missing[/]" for p, v in part["packages"].items())
        table.add_row(
            name, part["purpose"], "[green]ok[/]" if part["complete"] else "[yellow]not complete[/]", packages
        )
    console.print(table)
    if uses := found["rules"]["uses"]:
        console.print(
            f"\nEnglish is analysed by {uses['pipeline']}; WordNet: {uses['wordnet']}", markup=False
        )
    missing = [part["install"] for part in found.values() if isinstance(part, dict) and not part["complete"]]
    if missing:
        console.print(
            "\nTo complete a part (in a checkout, write '.' for longway: pip install '.[hub]'):", markup=False
        )
        for line in missing:
            console.print(f"  {line}", markup=False)
    _show_torch_note(console)


def _show_torch_note(console: Any) -> None:
    if importlib.util.find_spec("torch") is None:
        console.print("\ntorch is not installed; nothing that is needed for an audit uses it.", style="dim")
