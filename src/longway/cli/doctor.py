"""`longway doctor`: what is installed, what is missing and the command that installs it, the engines, and a trial of one."""

from __future__ import annotations

import json as json_module
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from longway.errors import ALONE, install_command

if TYPE_CHECKING:
    from longway.engines.available import EngineStatus
    from longway.jobs.trial import Trial

PURPOSES = {
    "core": "everything on this machine",
    "served": "served LLMs",
    "gguf": "GGUF files",
    "local": "sentence encoder",
    "prove": "distances in prove",
    "neural": "neural models",
    "review": "review page",
    "ray": "many machines",
    "hub": "hf: datasets",
    "xlsx": "Excel files",
    "zh": "Chinese words",
    "ja": "Japanese words",
    "lemmas": "joined word forms",
    "multilingual": "an encoder of 15 languages",
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
    engine: Annotated[
        str | None,
        typer.Option(
            "--try",
            metavar="ENGINE",
            help="Have an engine judge and rewrite five built-in rows: rules, served:MODEL or gguf:FILE.",
        ),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="Address of an OpenAI-compatible server.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Show what is installed, and which engines can be used.

    longway doctor --try served:gpt-4o-mini
    """
    from importlib.metadata import version

    if engine is not None:
        _try(engine, base_url, json)
        return
    from longway.engines.available import choose, states

    extras, engines, auto = installed_extras(), states(base_url), choose(base_url)
    versions = {"longway": version("longway"), "python": platform.python_version()}
    if json:
        parts = {name: {**asdict(extra), "complete": extra.is_complete} for name, extra in extras.items()}
        listed = {"engines": [asdict(status) for status in engines], "auto": asdict(auto)}
        typer.echo(json_module.dumps({**versions, **parts, **listed}, indent=1))
    else:
        _show(versions, extras, engines, f"{auto.spec}: {auto.why}")
    if not extras["core"].is_complete:
        raise typer.Exit(2)


def installed_extras() -> dict[str, Extra]:
    """The core and each extra of the package, by name."""
    from importlib.metadata import requires

    packages: dict[str, dict[str, str | None]] = {name: {} for name in PURPOSES}
    for requirement in requires("longway") or []:
        package = re.split(r"[<>=!~;\[ ]", requirement, maxsplit=1)[0]
        extra = re.search(r"extra == ['\"](\w+)['\"]", requirement)
        packages.setdefault(extra[1] if extra else "core", {})[package] = _version(package)
    for name, package in ALONE.items():
        packages[name][package] = _version(package)
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


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _show(
    versions: Mapping[str, str], extras: Mapping[str, Extra], engines: Sequence[EngineStatus], auto: str
) -> None:
    from rich.table import Table

    from longway.cli.screen import Step, end, output, safe

    console = output()
    console.print(f"longway {versions['longway']} on Python {versions['python']}\n")
    table = Table("part", "for", "state", "packages", box=None, pad_edge=False, header_style="dim")
    for name, extra in extras.items():
        packages = [f"{p} {v}" if v else f"[red]{p} missing[/]" for p, v in extra.packages.items()]
        state = "[green]ok[/]" if extra.is_complete else "[yellow]not complete[/]"
        table.add_row(name, extra.purpose, state, ", ".join(packages))
    console.print(table)
    if find_spec("torch") is None:
        console.print("\ntorch is not installed; only neural models need it.", style="dim")
    listed = Table("engine", "state", "what it is", box=None, pad_edge=False, header_style="dim")
    for status in engines:
        state = "[green]ready[/]" if status.ready else "[yellow]not ready[/]"
        listed.add_row(status.name, state, safe(status.detail))
    console.print()
    console.print(listed)
    console.print(f"\n--engine auto uses {safe(auto)}.", soft_wrap=True)
    missing = {name: extra.install for name, extra in extras.items() if not extra.is_complete}
    steps = [Step(f"Complete {name}", install) for name, install in missing.items()]
    if "core" not in missing:
        steps.append(Step("Try it", "longway demo"))
    if missing and _is_checkout():
        console.print(
            "\nIn a checkout, '.' replaces longway: pip install '.[hub]'", style="dim", markup=False
        )
    end(_verdict(missing), *steps)


def _try(engine: str, base_url: str | None, as_json: bool) -> None:
    """Have an engine judge and rewrite a few rows, and print what it answered."""
    from longway.cli.live import Live
    from longway.jobs.trial import try_engine

    with Live() as live:
        trial = try_engine(engine, base_url=base_url, watcher=live)
    if as_json:
        typer.echo(json_module.dumps(asdict(trial), indent=1))
    else:
        _show_trial(trial)


def _show_trial(trial: Trial) -> None:
    from rich.table import Table

    from longway.cli.screen import Step, end, output, safe
    from longway.sample import sample_path

    console = output()
    table = Table(
        "label", "judged", "text, and how it was rewritten", box=None, pad_edge=False, header_style="dim"
    )
    for answer in trial.answers:
        table.add_row(answer.label, safe(answer.judged or "-"), safe(answer.text))
        table.add_row("", "", safe(answer.rewritten or f"not rewritten: {answer.why_not}"))
    console.print(table)
    command = f"longway rewrite {quote(str(sample_path('claims')))} --engine {quote(trial.engine)}"
    end(trial.verdict, Step("Use it on the whole sample", command))


def _verdict(missing: Iterable[str]) -> str:
    """What can be used, in one sentence."""
    names = list(missing)
    if not names:
        return "Everything is installed."
    if "core" in names:
        return "Longway itself is not complete."
    return f"Audits work; {', '.join(names)} {'is' if len(names) == 1 else 'are'} not complete."
