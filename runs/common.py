"""What the scripts in runs/ share: where the real datasets are, tables, the closing line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def data(name: str) -> Path:
    """The path of one dataset; says what is missing and stops where it is not there."""
    path = DATA / name
    if not path.exists():
        sys.exit(f"This script reads {path}, which is not there. Put the dataset in place and run it again.")
    return path


def finish(script: str, **figures: Any) -> None:
    """Print the closing line for programs."""
    print(json.dumps({"script": script, **figures}))
