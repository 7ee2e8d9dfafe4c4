"""The last lines of every command: files to open, the verdict in one sentence, and the next command, complete and ready to paste.

show_result(result, Step("Repair the data", on_data("repair", data, source, loaded)), ...)    a page, then its last lines
end(verdict, Step(...), files={"Report": path})                                                       the last lines alone
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, cast

from longway.cli.screen import Step, end, output

if TYPE_CHECKING:
    from longway.cli.look import FairscoreOptions
    from longway.cli.options import ColumnOptions
    from longway.data import Dataset
    from longway.data.choice_columns import ChoiceColumns
    from longway.jobs.results import Result

REPAIR, REVIEW, PROVE = "Repair the data", "Look at every edit and decide", "Measure the effect"
LEFT = "See which shortcuts are left"
READING = {
    "id": "id",
    "split": "split",
    "split-column": "split_column",
    "encoding": "encoding",
    "language": "language",
}


def show_result(
    result: Result,
    *steps: Step,
    as_json: bool,
    top: int | None = None,
    verdict: str = "",
    note: str = "",
    files: Mapping[str, Path] | None = None,
) -> None:
    """Print the JSON file of a run; or its page, which begins with its verdict, where its files are, and what to do next.

    verdict: a second one, such as that of a gate. note: about the files. files: others to open, beside the report.
    """
    import typer

    from longway.report.terminal import show

    folder: Path = cast(Any, result).folder  # commands always write one
    if as_json:
        whole = (
            folder / result.file
        ).read_bytes()  # UTF-8 as in the file, whatever the terminal's encoding is
        typer.echo(whole, nl=False)
        return
    show(result.page(), output(), top=top)
    end(verdict, *steps, files={"Report": folder / "report.html", **(files or {})}, note=note)


def on_data(
    command: str,
    data: str,
    source: ColumnOptions | FairscoreOptions,
    loaded: Dataset,
    *more: str,
    label: str | None = None,
) -> str:
    """A command on the data of this one, with the columns that were used and the options that it was read with.

    command: its name. more: arguments behind the data. label: another label column.
    """
    columns = loaded.columns
    named = {
        "text": columns.text,
        "context": columns.context or source.context,
        "label": label or columns.label,
    }
    given = {option: getattr(source, name, None) for option, name in READING.items()}
    options = [f"--{name} {quote(value)}" for name, value in {**named, **given}.items() if value is not None]
    if (stream := getattr(source, "stream", None)) is not None:
        options.append("--stream" if stream else "--no-stream")
    if (limit := getattr(source, "limit", None)) is not None:
        options.append(f"--limit {limit}")
    return " ".join(["longway", command, quote(data), *map(quote, more), *options])


def on_candidates(command: str, data: str, columns: ChoiceColumns) -> str:
    """A command on data with candidates, with the columns and the answer base that were not guessed.

    Not the judge of votes: commands that change data have an option --judge for the engine that judges.
    """
    from longway.cli.options import CandidateOptions, typed

    given: dict[str, object] = {
        role: columns.candidates if role == "choices" else name
        for role, name in columns.fields().items()
        if role != "judge" and role not in columns.guessed
    }
    if "answer_base" not in columns.guessed:
        given["answer_base"] = columns.answer_base
    return " ".join(["longway", command, quote(data), *typed(CandidateOptions, given)])
