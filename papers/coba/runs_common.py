"""Imports runs/common.py of this checkout: where the datasets are, and the closing line."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "runs"))

import common

__all__ = ["common"]
