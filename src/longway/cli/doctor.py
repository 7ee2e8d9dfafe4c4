"""`longway doctor`: what is installed, what is missing, and the command that installs it."""

from __future__ import annotations

import importlib.util
import platform
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

PURPOSES = {
    "core": "audit",
    "rules": "English analysis, rules",
    "served": "served LLMs",
    "gguf": "GGUF files",
    "local": "sentence encoder",
    "prove": "distances in prove",
    "neural": "neural models",
    "review": "review page",
    "ray": "many machines",
    "hub": "hf: datasets",
    "xlsx": "Excel files",
    "dev": "development",
}
UNIONS = {"all", "demo"}  # extras that only combine others


@dataclass(frozen=True, slots=True)
class Extra:
    """The core or an extra: its packages with their installed versions (None if missing), and the command that installs it."""

    purpose: str
    packages: Mapping[str, str | None]
    install: str

    @property
    def is_complete(self) -> bool:
        """Whether all its packages are installed."""
        return all(self.packages.values())


def command(
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Show what is installed, what is missing and the command that installs it."""
    from importlib.metadata import version

    extras = installed_extras()
    english = _english() if extras["rules"].is_complete else {}
    versions = {"longway": version("longway"), "python": platform.python_version()}
    if json:
        import json as json_module

        parts = {name: {**asdict(extra), "complete": extra.is_complete} for name, extra in extras.items()}
        parts["rules"]["uses"] = english
        typer.echo(json_module.dumps({**versions, **parts}, indent=1))
    else:
        _show(versions, extras, english)
    if not extras["core"].is_complete:
        raise typer.Exit(2)


def installed_extras() -> dict[str, Extra]:
    """The core and each extra of the package, by name."""
    from importlib.metadata import requires  # takes 20 ms, so only here

    from longway.errors import install_command

    packages: dict[str, dict[str, str | None]] = {name: {} for name in PURPOSES}
    for requirement in requires("longway") or []:
        package = re.split(r"[<>=!~;\[ ]", requirement, maxsplit=1)[0]
        extra = re.search(r"extra == ['\"](\w+)['\"]", requirement)
        packages.setdefault(extra[1] if extra else "core", {})[package] = _version(package)
    return {
        name: Extra(
            PURPOSES.get(name, name),
            versions,
            "pip install --upgrade longway" if name == "core" else install_command(name),
        )
        for name, versions in packages.items()
        if name not in UNIONS and (name != "dev" or _is_checkout())
    }


def _is_checkout() -> bool:
    """Whether this is a copy of the repository, for development."""
    return (Path(__file__).parents[3] / "pyproject.toml").exists()


def _english() -> dict[str, str]:
    """The pipeline that analyses English, and the WordNet that is used."""
    from longway.english.wordnet_file import VERSION

    return {"pipeline": "longway", "wordnet": VERSION}


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _show(versions: Mapping[str, str], extras: Mapping[str, Extra], english: Mapping[str, str]) -> None:
    from rich.table import Table

    from longway.cli.ending import Step, end
    from longway.cli.screen import output

    console = output()
    console.print(f"longway {versions['longway']} on Python {versions['python']}\n")
    table = Table("part", "for", "state", "packages", box=None, pad_edge=False, header_style="dim")
    for name, extra in extras.items():
        packages = [f"{p} {v}" if v else f"[red]{p} missing[/]" for p, v in extra.packages.items()]
        state = "[green]ok[/]" if extra.is_complete else "[yellow]not complete[/]"
        table.add_row(name, extra.purpose, state, ", ".join(packages))
    console.print(table)
    if english:
        console.print(
            f"\nEnglish pipeline: {english['pipeline']}; WordNet: {english['wordnet']}", markup=False
        )
    if importlib.util.find_spec("torch") is None:
        console.print("\ntorch is not installed; an audit does not need it.", style="dim")
    missing = {name: extra.install for name, extra in extras.items() if not extra.is_complete}
    steps = [Step(f"Complete {name}", install) for name, install in missing.items()]
    if "core" not in missing:
        steps.append(Step("Try it", "longway demo"))
    if missing and _is_checkout():
        console.print(
            "\nIn a checkout, '.' replaces longway: pip install '.[hub]'", style="dim", markup=False
        )
    end(_verdict(missing), *steps)


def _verdict(missing: Iterable[str]) -> str:
    """What can be used, in one sentence."""
    names = list(missing)
    if not names:
        return "Everything is installed."
    if "core" in names:
        return "Longway itself is not complete."
    return f"Audits work; {', '.join(names)} {'is' if len(names) == 1 else 'are'} not complete."
