"""The last lines of every command: files to open, the verdict in one sentence, and the next command, complete and ready to paste.

show_result(result, folder, Step("Repair the data", on_data("repair", data, source, loaded)), ...)    a page, then its last lines
end(verdict, Step(...), files={"Report": path})                                                       the last lines alone
again("--dry-run")                                                                                    this command, without an option
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from rich.text import Text

from longway.cli.screen import clean, output

if TYPE_CHECKING:
    from longway.cli.fairness import FairscoreOptions
    from longway.cli.options import ColumnOptions
    from longway.data import Dataset
    from longway.data.choice_columns import ChoiceColumns
    from longway.jobs.change.result import EditedResult
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


@dataclass(frozen=True, slots=True)
class Step:
    """A command to run next. why: what it is for, as the start of a line."""

    why: str
    command: str


def end(verdict: str, *steps: Step, files: Mapping[str, Path] | None = None, note: str = "") -> None:
    """Print the last lines. A command is never wrapped by us, so that it can be copied whole. note: about the files."""
    console = output()
    console.print()
    for name, path in (files or {}).items():
        console.print(Text.assemble(f"{name}: ", (clean(str(path)), "bold")), soft_wrap=True)
    if note:
        console.print(Text(clean(note), style="dim"))
    console.print(
        Text.assemble(("Verdict: ", "bold"), clean(one_sentence(verdict))), soft_wrap=not console.is_terminal
    )
    print_steps(*steps)


def print_steps(*steps: Step) -> None:
    """Print commands to run next, one per line."""
    for step in steps:
        output().print(Text.assemble(f"{step.why}: ", (clean(step.command), "bold")), soft_wrap=True)


def own_file(sample: Path) -> None:
    """Print how the commands that name a sample are used on other data."""
    output().print(
        Text(f"To use a file of your own, write its name instead of {clean(str(sample))}."), soft_wrap=True
    )


def show_result(
    result: Result,
    folder: Path,
    *steps: Step,
    file: str,
    as_json: bool,
    top: int | None = None,
    verdict: str = "",
    files: Mapping[str, Path] | None = None,
) -> None:
    """Print the JSON file of a run; or its page of sections, its verdict, and what to do next.

    verdict: instead of that of the page. files: others to open, beside the report.
    """
    if not printed_json(folder / file, as_json):
        _show(result, folder, steps, files or {}, top=top, verdict=verdict)


def show_edited(
    result: EditedResult,
    data: str,
    source: ColumnOptions,
    loaded: Dataset,
    *options: str,
    file: str,
    as_json: bool,
) -> None:
    """Print the JSON file of a run that changed data; or its page, its verdict, and the commands to review and to prove it.

    Without rows to test on, the command is to audit it again.

    data: the dataset as the user named it. options: further options of `longway prove`.
    """
    folder = result.folder
    assert folder is not None  # commands always write a run folder
    if printed_json(folder / file, as_json):
        return
    steps = [Step(REVIEW, f"longway review {quote(str(folder))}")]
    dataset = next(iter(sorted(folder.glob("dataset.*"))), folder)
    if result.is_changed and _has_test_rows(loaded, source.split):
        steps.append(Step(PROVE, on_data("prove", data, source, loaded, str(folder), *options)))
    elif result.is_changed:
        steps.append(Step(LEFT, on_data("audit", str(dataset), source, loaded)))
    _show(result, folder, steps, {"Dataset": dataset}, note=_form(result, loaded))


def _has_test_rows(loaded: Dataset, split: str | None) -> bool:
    """Whether a proof has rows to test on: another split, or some that it can hold out, which it cannot for data that is streamed."""
    from longway.jobs.held_out import arrange

    return not loaded.streamed or bool(arrange(loaded, split, labelled=False).held_out)


def printed_json(file: Path, as_json: bool) -> bool:
    """Print the file if JSON was asked for. Returns whether it was."""
    if as_json:
        import typer

        typer.echo(file.read_bytes(), nl=False)  # UTF-8 as in the file, whatever the terminal's encoding is
    return as_json


def _show(
    result: Result,
    folder: Path,
    steps: Sequence[Step],
    files: Mapping[str, Path],
    *,
    top: int | None = None,
    note: str = "",
    verdict: str = "",
) -> None:
    from longway.report.terminal import show

    page = result.page()
    show(page, output(), top=top)
    end(verdict or page.verdict, *steps, files={"Report": folder / "report.html", **files}, note=note)


def _form(result: EditedResult, loaded: Dataset) -> str:
    """In which form a table was written: it opens where the original did, in Excel for instance."""
    kind = loaded.format.partition(".")[0]
    if kind not in ("csv", "tsv"):
        return ""
    form = "separator" if result.encoding_note else "separator and encoding"
    return f"It has the columns, {form} of {loaded.source_name}, and new ones that begin with longway_; what opens one opens the other."


def one_sentence(text: str) -> str:
    """The first sentence of a text.

    >>> one_sentence("It is 99.5% right. Strongest: the word x.")
    'It is 99.5% right.'
    """
    whole = " ".join(text.split())
    end_of_first = re.search(r"[.!?][”’\"')]*(?=\s+[A-Z0-9“‘])", whole)
    return whole[: end_of_first.end()] if end_of_first else whole


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


def again(*without: str, **changed: object) -> str:
    """The command that runs now, as it was typed. without: options to leave out. changed: options with another value."""
    from longway.cli.options import RUNNING

    context = RUNNING.get()
    words = ["longway", *_names(context)]
    words += _typed(context, {*without, *(f"--{name.replace('_', '-')}" for name in changed)})
    words += [f"--{name.replace('_', '-')} {quote(str(value))}" for name, value in changed.items()]
    return " ".join(words)


def _without_password(value: object) -> object:
    """The value; an address without the user and the password in it, which are never printed or written.

    >>> _without_password("https://me:secret@example.org/v1")
    'https://example.org/v1'
    """
    return re.sub(r"(?<=://)[^/\s]*@", "", value) if isinstance(value, str) else value


def _names(context: Any) -> list[str]:
    """The words of the command itself: batch, write."""
    return [] if context.parent is None else [*_names(context.parent), str(context.info_name)]


def _typed(context: Any, without: set[str]) -> list[str]:
    """The arguments and options of a command that were typed, arguments first."""
    arguments, options = [], []
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name)
        value = context.params.get(parameter.name)
        if source is None or source.name != "COMMANDLINE" or set(parameter.opts) & without:
            continue
        values = [_without_password(one) for one in (value if isinstance(value, list | tuple) else [value])]
        if parameter.param_type_name == "argument":
            arguments += [quote(str(one)) for one in values]
        elif isinstance(value, bool):
            options.append((parameter.opts if value else parameter.secondary_opts)[0])
        else:
            options += [f"{parameter.opts[0]} {quote(str(one))}" for one in values]
    return [*arguments, *options]
