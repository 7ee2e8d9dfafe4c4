"""What a run says about its data, and where it goes: shared by all runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from longway.data import Dataset
from longway.language_names import ENGLISH, codes_of
from longway.languages.lemmas import LANGUAGES as WITH_LEMMAS
from longway.languages.lemmas import PACKAGE as SIMPLEMMA
from longway.languages.words import EXTRAS, languages_in_use
from longway.models.multilingual import LANGUAGES, MODULE

RUNS_FOLDER = Path("longway-runs")


def inputs_of(dataset: Dataset, held_out: Mapping[str, Dataset]) -> dict[str, Any]:
    """What a run's settings say about the data it was given."""
    columns = dataset.columns
    return {
        "data": dataset.source_name,
        "split": dataset.split,
        "id": columns.id,
        "text": columns.text,
        "context": columns.context,
        "label": columns.label,
        **({"tag": columns.tag} if columns.tag is not None else {}),
        "held_out": {name: data.fingerprint for name, data in held_out.items()},
        **({"encoding": dataset.encoding} if dataset.encoding else {}),
        **({"language": list(codes_of(columns.language))} if columns.language else {}),
        **({"languages": list(languages)} if (languages := languages_in_use()) != (ENGLISH,) else {}),
        **({"packages": found} if (found := _packages(languages)) else {}),
    }


def _packages(languages: Sequence[str]) -> list[str]:
    """The optional packages for these languages that are installed: with others, a run finds other words and concepts."""
    needed = [package for language in languages for package in EXTRAS.get(language, ())]
    others = [MODULE] if set(languages) & LANGUAGES - {ENGLISH} else []
    others += [SIMPLEMMA] if set(languages) & WITH_LEMMAS else []
    return [package for package in (*needed, *others) if find_spec(package) is not None]


def stem(name: str) -> str:
    """A folder name from a file name: no endings, nothing a shell or a file system dislikes.

    >>> stem("data/my reviews.csv.gz")
    'my-reviews'
    """
    first = name.split("/")[-1].split(".")[0]
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in first) or "data"


def ending(format: str) -> str:
    """The ending of a file to write for a dataset that came in this format: its own, Parquet for what was no file.

    >>> ending("jsonl.gz"), ending("frame")
    ('jsonl.gz', 'parquet')
    """
    known = {"csv", "tsv", "jsonl", "json", "parquet", "arrow", "xlsx"}
    return format if format.partition(".")[0] in known else "parquet"
