"""What every result has in common: it is displayed in notebooks, prints in one line, and converts to JSON and to data frames.

A result is a frozen dataclass in `jobs/*/result.py`. Its page of sections comes from `jobs/*/show.py`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, cast, overload

import polars as pl

from longway.data import Dataset
from longway.data.edited import edited_dataset, read_edits
from longway.errors import RunError
from longway.json_values import from_json, to_json
from longway.records import Edit

if TYPE_CHECKING:
    import pandas as pd

    from longway.show.sections import Page

Kind = TypeVar("Kind")
EDITS_FILE = "edits.jsonl"
HEIGHT = 640  # pixels of a report inside a notebook


@dataclass(frozen=True, slots=True)
class Report:
    """A report. html: the whole page, which needs no other file."""

    html: str = field(repr=False)

    def save(self, path: Path | str) -> None:
        """Write the page to a file."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        document = escape(self.html, quote=True)
        return f'<iframe srcdoc="{document}" width="100%" height="{HEIGHT}" frameborder="0" sandbox></iframe>'


class Result:
    """A result of a job."""

    __slots__ = ()

    @abstractmethod
    def page(self) -> Page:
        """The sections of the report."""

    @abstractmethod
    def to_dict(self) -> dict[str, object]:
        """The result as JSON values, as the run folder holds it."""

    @abstractmethod
    def _frame(self) -> pl.DataFrame:
        """The main table of the result."""

    @overload
    def to_frame(self, kind: Literal["polars"] = "polars") -> pl.DataFrame: ...
    @overload
    def to_frame(self, kind: Literal["pandas"]) -> pd.DataFrame: ...
    def to_frame(self, kind: Literal["polars", "pandas"] = "polars") -> pl.DataFrame | pd.DataFrame:
        """The main table of the result (findings, edits, scores) as a Polars or pandas frame."""
        frame = self._frame()
        return frame.to_pandas() if kind == "pandas" else frame

    def to_pandas(self) -> pd.DataFrame:
        """The main table of the result as a pandas frame."""
        return self.to_frame("pandas")

    @property
    def report(self) -> Report:
        """The report, which notebooks display."""
        from longway.show.html import render

        return Report(render(self.page()))

    def __repr__(self) -> str:
        page = self.page()
        return f"<{type(self).__name__}: {page.verdict} {', '.join(f'{f.name}: {f.value}' for f in page.figures)}>"

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class EditedResult(Result):
    """The result of a job that changes data.

    encoding_note: why the dataset is not in the encoding it came in, if so. original: the dataset before. folder: the run folder, None if
    nothing was written. edits_made: the edits, if there is no folder.
    """

    encoding_note: str = ""
    original: Dataset | None = field(default=None, compare=False)
    folder: Path | None = field(default=None, compare=False)
    edits_made: tuple[Edit, ...] = field(default=(), compare=False)

    @property
    def edits(self) -> tuple[Edit, ...]:
        """Every candidate, accepted or not."""
        return self.edits_made if self.folder is None else tuple(read_edits(self.folder / EDITS_FILE))

    @property
    @abstractmethod
    def is_changed(self) -> bool:
        """Whether an edit was accepted."""

    @property
    def data(self) -> Dataset:
        """The dataset with the accepted edits, in memory, with the column longway_id."""
        if self.original is None:
            raise RunError(
                "This result was read from a file and does not have its dataset. Load dataset.* from the run folder."
            )
        return edited_dataset(self.original, self.edits)

    def of(self, original: Dataset, folder: Path, *, keeps_folder: bool) -> Self:
        """The result with its dataset and edits, which are read into memory if the folder is temporary."""
        if keeps_folder:
            return replace(self, original=original, folder=folder)
        return replace(self, original=original, edits_made=tuple(read_edits(folder / EDITS_FILE)))

    def _frame(self) -> pl.DataFrame:
        """One row per edit."""
        hidden = ("verdicts", "trace")
        rows = [{name: v for name, v in edit.to_dict().items() if name not in hidden} for edit in self.edits]
        return pl.DataFrame(rows, infer_schema_length=None)


def content_of(result: Any, version: int) -> dict[str, object]:
    """The fields of a result as JSON values, for its `to_dict`. Fields that are not compared (its folder) are left out."""
    values = {each.name: to_json(getattr(result, each.name)) for each in fields(result) if each.compare}
    return {"version": version, "longway": result.longway, "created": result.created, **values}


def read(kind: type[Kind], value: object, *, file: str) -> Kind:
    """A record from JSON values; unknown keys are ignored, missing or wrong ones raise RunError.

    >>> from longway.records import Verdict
    >>> read(Verdict, {"check": "judge", "passed": True, "later": 1}, file="edits.jsonl").check
    'judge'
    """
    try:
        return cast(Kind, from_json(kind, value))
    except (TypeError, ValueError, LookupError) as error:
        raise RunError(
            f"{file} cannot be read: {error}. Expected what this version of Longway writes. Run the command again."
        ) from None


def check_version(content: object, version: int, *, file: str, command: str) -> Mapping[str, object]:
    """The JSON object of a result file, if it has the version that this release reads."""
    got = content.get("version") if isinstance(content, Mapping) else None
    if not isinstance(content, Mapping) or got != version:
        raise RunError(
            f"{file} has a form that this release does not read. Expected version {version}, got {got!r}. "
            f"Run `longway {command}` again."
        )
    return content
