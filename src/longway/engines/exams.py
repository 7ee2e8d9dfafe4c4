"""Results of exams (`longway engines exam`): stored by the identity of the engine, and read by `--engine auto`.

    folder_of(engine)       where the exam of an engine is stored: exam.json, and a journal per job
    grades_of(engine)       the grades of its last exam; None if there was none
    fingerprint()           identifies the questions and the prompts; grades of others are out of date

They are in the user's data folder: LONGWAY_DATA, or else ~/.local/share/longway (XDG_DATA_HOME).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from longway.engines.engine import Engine

FILE, VERSION = "exam.json", 1
Grade = Literal["good", "fair", "weak", "unknown", "none"]


@dataclass(frozen=True, slots=True)
class Grades:
    """How good an engine is at judging and at writing. unknown: too few questions. none: it cannot do it. created: when.

    questions: the fingerprint of the exam that it took.
    """

    judge: Grade
    writer: Grade
    created: str = ""
    questions: str = ""

    @property
    def is_current(self) -> bool:
        """Whether the exam has the same questions and prompts today."""
        return self.questions == fingerprint()


def questions_file() -> str:
    """The questions with their answers, as JSON lines; see `jobs/exam/questions.py`."""
    return files("longway").joinpath("jobs", "exam", "questions.jsonl").read_text(encoding="utf-8")


@cache
def fingerprint() -> str:
    """Identifies the questions and the prompts by which they are asked."""
    digest = hashlib.sha256(questions_file().encode("utf-8"))
    prompts = files("longway.engines").joinpath("prompts")
    for file in sorted(prompts.iterdir(), key=lambda one: one.name):
        if file.name.endswith((".jinja", ".toml")):
            digest.update(f"\0{file.name}\0{file.read_text(encoding='utf-8')}".encode())
    return digest.hexdigest()[:16]


def data_folder() -> Path:
    """The user's data folder of Longway."""
    if named := os.environ.get("LONGWAY_DATA"):
        return Path(named).expanduser()
    return Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "longway"


def folder_of(engine: Engine) -> Path:
    """The folder of an engine's exam; it may not exist."""
    identity = json.dumps(dict(engine.identity), sort_keys=True, ensure_ascii=False)
    return data_folder() / "exams" / hashlib.sha256(identity.encode("utf-8")).hexdigest()[:16]


def grades_of(engine: Engine) -> Grades | None:
    """The grades of an engine's last exam; None if there is none that this release reads."""
    try:
        content = json.loads((folder_of(engine) / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(content, Mapping) or content.get("version") != VERSION:
        return None
    judge, writer = content.get("judge_grade", "unknown"), content.get("writer_grade", "unknown")
    return Grades(judge, writer, str(content.get("created", "")), str(content.get("questions", "")))
