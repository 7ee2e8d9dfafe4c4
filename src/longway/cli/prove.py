"""`longway prove BEFORE AFTER`: train on both, test where shortcuts do not help."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from longway.cli.options import ChoiceOptions, DataOptions, OutputOptions, ServerOptions, command, named_files
from longway.jobs.options import DATA
from longway.jobs.prove.settings import ChoiceProveSettings, ProveSettings

if TYPE_CHECKING:
    from longway.cli.screen import Step
    from longway.data import Dataset
    from longway.data.choices import ChoiceDataset
    from longway.jobs.prove.result import ProveResult

ENOUGH = 10  # seeds
NOISE = 1e-9  # of a figure that is the same for all seeds


@command
def prove(
    before: Annotated[
        str, typer.Argument(help="The original dataset: a file, or anything `longway audit` reads.")
    ],
    after: Annotated[
        str, typer.Argument(help="The changed dataset: a file, or the run folder that wrote it.")
    ],
    source: DataOptions,
    choice: ChoiceOptions,
    settings: ProveSettings,
    servers: ServerOptions,
    output: OutputOptions,
    test: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]FILE",
            help="A test set. Repeatable. Splits that are not trained on are tested on anyway.",
            rich_help_panel=DATA,
        ),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]FILE",
            help="A further version of the training data. Repeatable.",
            hidden=True,
            rich_help_panel=DATA,
        ),
    ] = None,
) -> None:
    """Train on the data before and after, and compare.

    Reports for each model and test set what changed, with an interval and a paired test; the accuracy on counter-examples of each
    shortcut; what the text alone still predicts; and what got worse. Stops if the comparison would be wrong: test rows in the training
    data, other labels, a test set that was rewritten. Without a test set or another split, a fifth of the original rows is held out: neither
    version is trained on them or on rows made from them. The same command again resumes the run.

        longway prove claims.jsonl longway-runs/claims-rewrite --test symmetric=symmetric.jsonl

        longway prove reviews.csv reviews-new.csv --test other=other.csv --model bow --model minilm --method erm --method poe

        longway prove reviews.csv reviews-new.csv --test other=other.csv --method rew --method dro --keep great --keep awful

        longway prove pairs.jsonl pairs-new.jsonl --test other=other.jsonl --method drift --features grammar

        longway prove reviews.csv longway-runs/reviews-perturb --test other=other.csv --fairscore

        longway prove quiz.jsonl longway-runs/quiz-repair

    Data with candidates (multiple choice, preference pairs, votes) are recognised as by `longway audit`. Rankers are then trained on both
    versions, and tested on questions where the cues of the original point to a wrong candidate. Without a test set, all questions are
    tested by cross-validation.
    """
    from longway.cli.ending import show_result
    from longway.cli.live import Live
    from longway.cli.screen import errors
    from longway.jobs.prove import job

    if (questions := choice.load(str(job.dataset_file(before)), source)) is not None:
        _prove_candidates(questions, after, source, settings, output, test, also)
        return
    first = source.load(str(job.dataset_file(before)))
    with errors().status("opening the data"):
        versions = {
            name: job.load_version(
                path,
                like=first,
                id=source.id,
                split=source.split_column,
                limit=None if job.is_run(path) else source.limit,  # rows that a run added come last
                encoding=source.encoding,
            )
            for name, path in {"after": after, **named_files(also, "also")}.items()
        }
        tests = {
            name: job.load_version(path, like=first, encoding=source.encoding)
            for name, path in named_files(test, "test").items()
        }
    with Live(quiet=True, ask=servers.asks) as live:
        result = job.prove(
            first,
            versions.pop("after"),
            settings,
            tests=tests,
            also=versions,
            split=source.split,
            engines=servers.engines(),
            out=output.out or True,
            watcher=live,
        )
    step = _next(result, after, source, settings, output, first)
    show_result(result, step, as_json=output.json)


def _prove_candidates(
    questions: ChoiceDataset, after: str, source: DataOptions, settings: ProveSettings, output: OutputOptions,
    test: list[str] | None, also: list[str] | None,
) -> None:  # fmt: skip
    """Prove with candidates, and show the result."""
    from longway.cli.ending import LEFT, show_result
    from longway.cli.live import Live
    from longway.cli.screen import Step, errors
    from longway.jobs.choices.prove.job import load_like, prove_choices
    from longway.jobs.choices.prove.page import is_unclear
    from longway.jobs.prove.job import dataset_file

    chosen = ChoiceProveSettings.of(settings)
    with errors().status("opening the data"):
        changed = load_like(after, questions, encoding=source.encoding)
        tests, further = (
            {
                name: load_like(path, questions, encoding=source.encoding)
                for name, path in named_files(given, option).items()
            }
            for given, option in ((test, "test"), (also, "also"))
        )
    with Live(quiet=True) as live:
        result = prove_choices(
            questions,
            changed,
            chosen,
            tests=tests,
            also=further,
            split=source.split,
            split_column=source.split_column,
            out=output.out or True,
            watcher=live,
        )
    left = Step(LEFT, f"longway audit {quote(str(dataset_file(after)))}")
    seeds = Step(
        "Train with more seeds, which shows smaller differences", output.again("--out", seeds=ENOUGH)
    )
    step = seeds if is_unclear(result) and chosen.seeds < ENOUGH else left
    show_result(result, step, as_json=output.json)


def _next(
    result: ProveResult,
    after: str,
    source: DataOptions,
    settings: ProveSettings,
    output: OutputOptions,
    first: Dataset,
) -> Step:
    """More seeds if nothing is clear; else a look at what was changed, or at what is left."""
    from longway.cli.ending import LEFT, REVIEW, on_data
    from longway.cli.screen import Step
    from longway.jobs.prove.job import is_run
    from longway.jobs.prove.verdict import is_unclear

    varies = any((row.std or 0.0) > NOISE for row in result.rows)  # over seeds
    if is_unclear(result) and varies and settings.seeds < ENOUGH:
        return Step(
            "Train with more seeds, which shows smaller differences", output.again("--out", seeds=ENOUGH)
        )
    if is_run(after):
        return Step(REVIEW, f"longway review {quote(after)}")
    return Step(LEFT, on_data("audit", after, source, first))
