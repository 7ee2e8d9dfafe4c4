"""Small datasets and readings for all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from longway.data import load
from longway.detect.reading import Reading

# Slow machines are no failure; and what CI tries is the same each time, so that red means that something changed.
settings.register_profile("longway", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("longway")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared():
    """Path of a real dataset; the test is skipped, saying so, where it is not there."""

    def path(name):
        if not (SHARED / name).exists():
            pytest.skip(f"the real dataset {name} is not beside the project")
        return SHARED / name

    return path


def dataset_of(texts, labels, contexts=None):
    """A dataset of a few rows."""
    rows = [{"text": text, "label": label} for text, label in zip(texts, labels, strict=True)]
    for row, context in zip(rows, contexts or [], strict=False):
        row["context"] = context
    return load(rows, text="text", label="label", context="context" if contexts else None)


def reading_of(texts, labels, contexts=None):
    """The reading of a few rows."""
    return Reading.of(dataset_of(texts, labels, contexts))
