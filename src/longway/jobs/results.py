"""What every result has in common: it is displayed in notebooks, prints in one line, and converts to JSON and to data frames.

A result is a frozen dataclass in `jobs/*/result.py`. Its page of sections comes from `jobs/*/page.py`.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self, TypeVar, cast, overload

import polars as pl

from longway.data.label_lists import tag_name
from longway.data.summary import DatasetSummary
from longway.errors import RunError
from longway.json_values import fields_as_json, from_json
from longway.report import html
from longway.report.excerpts import PATTERN_LIMIT, cut
from longway.report.sections import KeyFigure, Page, Section, Words

if TYPE_CHECKING:
    import pandas as pd

    from longway.jobs.choices.audit.result import ChoiceSummary

Kind = TypeVar("Kind")
PageFunction = TypeVar("PageFunction", bound=Callable[[Any], Page])
PAGES: dict[type[Result], Callable[[Any], Page]] = {}  # filled by `page_of`
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
    """A result of a job.

    file: its name in the run folder. command: the one that makes it. version: of the form of the file. has_card: whether card.md, the
    dataset card, is written, too.
    """

    __slots__ = ()
    file: ClassVar[str]
    command: ClassVar[str]
    version: ClassVar[int] = 1
    has_card: ClassVar[bool] = False

    def page(self) -> Page:
        """The sections of the report."""
        return PAGES[type(self)](self)

    def to_dict(self) -> dict[str, Any]:
        """The content of the file: the fields as JSON values, but for those that are not compared, such as the run folder."""
        return {"version": self.version, **fields_as_json(self), **self._computed()}

    def in_folder(self, folder: Path | None) -> Self:
        """The result of a run in this folder."""
        return cast(Self, replace(cast(Any, self), folder=folder))

    def _computed(self) -> Mapping[str, object]:
        """What the file has besides the fields, for other readers."""
        return {}

    @classmethod
    def from_dict(cls, content: object, folder: Path | None = None) -> Self:
        """The result in the content of its file, in this run folder; RunError if it is not one that this release reads."""
        given = check_version(content, cls)
        with readable(cls.file):
            return cast(Self, from_json(cls, {**cls._fields_in(given), "folder": folder}))

    @classmethod
    def _fields_in(cls, content: Mapping[str, Any]) -> Mapping[str, object]:
        """The fields in the content of the file, where these differ; the reverse of `to_dict`."""
        return content

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """The result in a file or in a run folder."""
        file = Path(path) / cls.file if Path(path).is_dir() else Path(path)
        try:
            return cls.from_dict(json.loads(file.read_text(encoding="utf-8")), file.parent)
        except (OSError, ValueError) as error:
            raise RunError(
                f"{file} could not be read as a result of longway {cls.command} ({error}). "
                f"Expected a {cls.file}. Run longway {cls.command} to make one."
            ) from None

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
        return Report(html.render(self.page()))

    def __repr__(self) -> str:
        page = self.page()
        return f"<{type(self).__name__}: {page.verdict} {', '.join(f'{f.name}: {f.value}' for f in page.figures)}>"

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


def page_of(kind: type[Result]) -> Callable[[PageFunction], PageFunction]:
    """Register the decorated function: it makes the page of results of this kind."""

    def register(function: PageFunction) -> PageFunction:
        PAGES[kind] = function
        return function

    return register


class OfDataset(Protocol):
    """A result of one dataset."""

    @property
    def dataset(self) -> DatasetSummary | ChoiceSummary:
        """The dataset that was read."""

    @property
    def longway(self) -> str:
        """The version of Longway that made it."""

    @property
    def created(self) -> str:
        """When."""


def dataset_page(
    result: OfDataset,
    command: str,
    title: str,
    *,
    verdict: str,
    facts: Sequence[tuple[str, str]] = (),
    figures: Sequence[KeyFigure],
    figures_style: str = "",
    sections: Sequence[Section],
    sheets: Sequence[str] = (),
    settings: Sequence[tuple[str, str]] = (),
    warning: Words = "",
) -> Page:
    """A page; see `Page`. title: what comes before the name of the dataset. facts: besides the dataset, its columns and the date."""
    dataset = result.dataset
    name = cut(dataset.name, PATTERN_LIMIT)
    made = ("Made", cut(result.created))
    return Page(
        kicker=command,
        title=cut(f"{title} {dataset.name}", PATTERN_LIMIT),
        verdict=verdict,
        facts=[("Dataset", name), ("Columns", _roles(dataset)), *facts, made],
        figures=figures,
        figures_style=figures_style,
        sections=sections,
        sheets=sheets,
        version=result.longway,
        fingerprint=dataset.fingerprint,
        streamed=dataset.streamed,
        settings=settings,
        warning=warning,
    )


def _roles(dataset: DatasetSummary | ChoiceSummary) -> str:
    """The column of each role; guessed columns are marked."""
    roles = [
        f"{role} = {cut(column)}{' (guessed)' if role in dataset.guessed else ''}"
        for role, column in dataset.fields.items()
        if column
    ]
    tag = [] if dataset.tag is None else [f"tag = {cut(tag_name(dataset.tag))}"]
    return ", ".join([*roles, *tag])


def read(kind: type[Kind], value: object, *, file: str) -> Kind:
    """A record from JSON values; unknown keys are ignored, missing or wrong ones raise RunError.

    >>> from longway.records import Verdict
    >>> read(Verdict, {"check": "judge", "passed": True, "later": 1}, file="edits.jsonl").check
    'judge'
    """
    with readable(file):
        return cast(Kind, from_json(kind, value))


@contextmanager
def readable(file: str) -> Iterator[None]:
    """Raise RunError where the content of a file is not what was expected."""
    try:
        yield
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise RunError(
            f"{file} cannot be read: {error}. Expected what this version of Longway writes. Run the command again."
        ) from None


def check_version(content: object, kind: type[Result]) -> Mapping[str, Any]:
    """The JSON object of a result file, if it has the version that this release reads."""
    got = content.get("version") if isinstance(content, Mapping) else None
    if not isinstance(content, Mapping) or got != kind.version:
        raise RunError(
            f"{kind.file} has a form that this release does not read. Expected version {kind.version}, got {got!r}. "
            f"Run `longway {kind.command}` again."
        )
    return content
