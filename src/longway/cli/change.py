"""What all commands that change a dataset share: the estimate, the run with its progress, and the last lines."""

from __future__ import annotations

from collections.abc import Callable
from shlex import quote
from typing import TYPE_CHECKING, Any

from longway.cli.options import (
    DataOptions,
    OutputOptions,
    ServerOptions,
)

if TYPE_CHECKING:
    from longway.data import Dataset
    from longway.jobs.change.result import EditedResult
    from longway.jobs.estimate import RunEstimate


def change(
    command: str,
    data: str,
    source: DataOptions,
    loaded: Dataset,
    settings: object,
    engines: ServerOptions,
    output: OutputOptions,
    *options: str,
    run: Callable[..., EditedResult],
    estimate: Callable[..., RunEstimate] | None,
    on: str | None,
    adds_rows: bool = False,
) -> None:
    """Run a command on the data and print the result; with `estimate`, print that instead.

    data: the dataset as the user named it. options: further options of `longway prove`, for the next command.
    """
    from longway.cli.ending import LEFT, PROVE, REVIEW, on_data, show_result
    from longway.cli.live import Live, show_dry_run
    from longway.cli.screen import Step, errors

    where: dict[str, Any] = {"split": source.split, "engines": engines.engines()}
    if estimate is not None:
        with errors().status("estimating"):
            estimated = estimate(loaded, settings, **where)
        show_dry_run(command, estimated, output.again("--dry-run"), as_json=output.json)
        return
    with Live(quiet=output.json, ask=engines.asks, adds_rows=adds_rows) as live:
        result = run(loaded, settings, **where, out=output.out or True, on=on, watcher=live)
    folder = result.folder
    assert folder is not None  # commands always write a run folder
    steps = [Step(REVIEW, f"longway review {quote(str(folder))}")]
    dataset = next(iter(sorted(folder.glob("dataset.*"))), folder)
    if result.is_changed and _has_test_rows(loaded, source.split):
        steps.append(Step(PROVE, on_data("prove", data, source, loaded, str(folder), *options)))
    elif result.is_changed:
        steps.append(Step(LEFT, on_data("audit", str(dataset), source, loaded)))
    show_result(result, *steps, as_json=output.json, note=_form(result, loaded), files={"Dataset": dataset})


def _has_test_rows(loaded: Dataset, split: str | None) -> bool:
    """Whether a proof has rows to test on: another split, or some that it can hold out, which it cannot for data that is streamed."""
    from longway.jobs.held_out import arrange

    return not loaded.streamed or bool(arrange(loaded, split, labelled=False).held_out)


def _form(result: EditedResult, loaded: Dataset) -> str:
    """In which form a table was written: it opens where the original did, in Excel for instance."""
    kind = loaded.format.partition(".")[0]
    if kind not in ("csv", "tsv"):
        return ""
    form = "separator" if result.encoding_note else "separator and encoding"
    return f"It has the columns, {form} of {loaded.source_name}, and new ones that begin with longway_; what opens one opens the other."
