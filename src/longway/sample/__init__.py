"""The built-in sample: two small datasets with shortcuts that were planted on purpose, and the list of them.

    reviews   820 film reviews to learn from; columns id, review, sentiment, split
    claims    320 claims about evidence texts; columns id, evidence, claim, label, split

Besides `train` both have the splits `test`, where the planted patterns say nothing about the label, and
`flipped`, the same rows as `test` with the patterns tied to the other label. All texts were written for
Longway; `sample-source/` in the repository holds the raw material and the script that puts them together.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from longway.errors import SettingError, with_checked_arguments

NAMES = ("reviews", "claims")
_FOLDER = Path(__file__).parent


@with_checked_arguments
def sample_path(name: str = "reviews") -> Path:
    """The JSONL file of a built-in dataset.

    >>> sample_path("claims").name
    'claims.jsonl'
    """
    return _FOLDER / f"{_known(name)}.jsonl"


def planted(name: str = "reviews") -> list[dict[str, Any]]:
    """The shortcuts planted in a built-in dataset, as planted.json lists them.

    Each has name, dataset, level, pattern, field, label, strength and why; `strength[split][label]` is the
    number of rows of that split and label that show the pattern.

    >>> [shortcut["name"] for shortcut in planted("reviews")]
    ['name', 'word', 'opener', 'remark', 'length']
    """
    _known(name)
    listed = json.loads((_FOLDER / "planted.json").read_text(encoding="utf-8"))
    return [shortcut for shortcut in listed if shortcut["dataset"] == name]


def _known(name: str) -> str:
    if name not in NAMES:
        raise SettingError(
            f"There is no built-in sample called {name!r}. The 'name' must be one of: {', '.join(NAMES)}. "
            "To use your own data, give the path of a file instead."
        )
    return name
