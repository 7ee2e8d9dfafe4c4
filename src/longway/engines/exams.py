"""Results of exams (`longway engines exam`): stored by the identity of the engine, and read by `--engine auto`.

    folder_of(engine)       where the exam of an engine is stored: exam.json, and a journal per job
    grades_of(engine)       the grades of its last exam; None if there was none

They are in the user's data folder: LONGWAY_DATA, or else ~/.local/share/longway (XDG_DATA_HOME).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from longway.engines.engine import Engine

FILE, VERSION = "exam.json", 1
Grade = Literal["good", "fair", "weak", "unknown", "none"]


@dataclass(frozen=True, slots=True)
class Grades:
    """How good an engine is at judging and at writing. unknown: too few questions. none: it cannot do it. created: when."""

    judge: Grade
    writer: Grade
    created: str = ""


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
    return Grades(judge, writer, str(content.get("created", "")))
