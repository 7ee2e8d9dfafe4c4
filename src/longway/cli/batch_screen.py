"""What `longway batch` tells: the next step of a rewrite, and what was collected; for people and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longway.cli.screen import output, safe, shortened
from longway.llm.batch import FOLDER

if TYPE_CHECKING:
    from longway.llm.batch import RequestFile
    from longway.recipes.batch import Answered, Step


def show_step(found: Step) -> None:
    """Print what `longway batch write` came to."""
    console = output()

    def tell(text: str) -> None:
        console.print(text, soft_wrap=True)

    folder = safe(str(found.folder))
    if found.note:
        tell(f"{safe(found.note)}.")
    if found.is_finished:
        tell(f"This run is finished. Its results are in {folder}.")
        return
    for file in found.files:
        path = safe(str(_path(found.folder, file)))
        tell(f"{path}: {count_of(file.requests, 'request')} for {safe(file.engine)}")
    if found.is_needless:
        tell(
            f"No request is needed. Finish with the same options, it says why: [bold]longway rewrite ... --out {folder}[/]"
        )
        return
    if found.is_answered:
        tell(
            f"Everything is answered. Finish with the same options: [bold]longway rewrite ... --out {folder}[/]"
        )
        return
    if found.is_spent and not found.waiting:
        tell(f"The budget holds not one request of round {found.round}. Give a larger --budget.")
        return
    if found.is_spent:
        tell("The budget holds no further request. Collect these first, or give a larger --budget.")
    before = found.waiting - found.left_out - sum(file.requests for file in found.files)
    if before > 0:
        tell(f"{count_of(before, 'request')} of earlier files without an answer.")
    if found.left_out:
        tell(_left_out(found.left_out))
    if found.waiting > found.left_out:
        tell(
            f"Round {found.round} waits for {count_of(found.waiting - found.left_out, 'answer')}. Next: [bold]longway batch submit[/] where "
            "the server takes batches, or upload the files to your provider; then [bold]longway batch collect[/]."
        )


def _left_out(n: int) -> str:
    return (
        f"{count_of(n, 'question')} left out: asked by the batch often enough. Next: [bold]longway rewrite[/] with the same options asks "
        "them one by one, and whatever comes after."
    )


def show_answered(found: Answered) -> None:
    """Print what `longway batch collect` came to."""
    console, waiting = output(), found.waiting

    def tell(text: str) -> None:
        console.print(text, soft_wrap=True)

    tell(f"Collected into {safe(str(found.folder))}: {found.collected.told()}.")
    for kind, custom_id, why in found.collected.listed:
        name = f" {custom_id[:12]}" if custom_id else ""
        tell(f"  {kind}{safe(name)}: {safe(shortened(why, 160))}")
    if under_way := found.under_way - len(found.in_doubt) - len(found.forgotten):
        tell(f"{count_of(under_way, 'batch', 'batches')} under way. Collect again later.")
    for doubtful in found.in_doubt:
        tell(
            f"Whether the batch of {safe(doubtful)} was begun is not known. [bold]longway batch submit[/] looks for it."
        )
    for name, why in found.forgotten.items():
        tell(
            f"The batch of {safe(name)} is forgotten: {safe(shortened(why, 200))}. Collect its answers if you have them: longway batch "
            "collect ANSWERS. Then [bold]longway batch collect --missing[/] asks again for those that are lost, and pays again."
        )
    for file in found.again:
        path = safe(str(_path(found.folder, file)))
        tell(f"Asked again in {path}: {count_of(file.requests, 'request')}. Submit it, or upload it.")
    if waiting.rejected:
        tell(
            f"{count_of(waiting.rejected, 'request')} that the server does not take. `longway batch write` with the options of before "
            "writes them without the part in question."
        )
    if waiting.unsent:
        tell(
            f"{count_of(waiting.unsent, 'question')} in files without any answer yet. Submit or upload them, unless you did."
        )
    if waiting.missing:
        later = (
            "" if found.under_way else " If no batch is under way any more: longway batch collect --missing."
        )
        tell(f"{count_of(waiting.missing, 'question')} without an answer so far.{later}")
    if waiting.left_out:
        tell(_left_out(waiting.left_out))
    if not waiting.n and not found.again:
        tell(
            "All is answered. Next: [bold]longway batch write[/] for the next step, or [bold]longway rewrite[/]."
        )


def step_json(found: Step) -> dict[str, Any]:
    """The same as `show_step`, as JSON values."""
    return {
        "run": str(found.folder),
        "files": [file_json(found.folder, file) for file in found.files],
        "round": found.round,
        "waiting": found.waiting,
        "left_out": found.left_out,
        "budget_spent": found.is_spent,
        "answered": found.is_answered,
        "finished": found.is_finished,
    }


def answered_json(found: Answered) -> dict[str, Any]:
    """The same as `show_answered`, as JSON values."""
    return {
        "run": str(found.folder),
        "counts": dict(found.collected.counts),
        "listed": [
            {"kind": kind, "custom_id": name, "why": why} for kind, name, why in found.collected.listed
        ],
        "again": [file_json(found.folder, file) for file in found.again],
        **asdict(found.waiting),
        "under_way": found.under_way,
        "in_doubt": found.in_doubt,
        "forgotten": found.forgotten,
    }


def _path(folder: Path, file: RequestFile) -> Path:
    """Where a file of requests of a run is."""
    return folder / FOLDER / file.name


def file_json(folder: Path, file: RequestFile) -> dict[str, Any]:
    """What is to be known of a file of requests, as JSON values."""
    return {
        "path": str(_path(folder, file)),
        "engine": file.engine,
        "requests": file.requests,
        "batch_id": file.batch_id,
        "status": file.status,
    }


def count_of(number: int, one: str, many: str = "") -> str:
    """A number with what it counts.

    >>> count_of(1, "batch", "batches"), count_of(2000, "file")
    ('1 batch', '2,000 files')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
