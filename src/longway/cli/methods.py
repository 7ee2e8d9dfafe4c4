"""`longway rewrite`, `augment` and `perturb DATA`: the commands of one published method each."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from longway.cli.change import change
from longway.cli.options import (
    Data,
    DataOptions,
    DryRun,
    EngineOptions,
    On,
    OutputOptions,
    ServerOptions,
    command,
)
from longway.errors import SettingError
from longway.jobs.augment.settings import AugmentSettings
from longway.jobs.options import ENGINE, METHOD, option
from longway.jobs.perturb.settings import PairSettings, PerturbSettings
from longway.jobs.rewrite.settings import RewriteSettings

DecisionsOf = Annotated[
    Path | None,
    typer.Option(
        "--decisions",
        metavar="RUN",
        help="Run folder with a review: its real signal is left alone, its shortcuts are removed first (not with --choose gamma), its "
        "rejected texts are not proposed again.",
        hidden=True,
        rich_help_panel=METHOD,
    ),
]


@command
def rewrite(
    data: Data,
    source: DataOptions,
    settings: RewriteSettings,
    engines: EngineOptions,
    output: OutputOptions,
    reviewed: DecisionsOf = None,  # not "decisions": a field of the settings has that name
    dry_run: DryRun = False,
    on: On = None,
) -> None:
    """Rewrite texts whose surface predicts their label (RAZOR).

    Labels, ids and size stay. Each new text is checked: does the label still hold, are negation, numbers and names preserved, is the meaning close, is it a
    text at all. Writes the dataset in its own format, edits.jsonl with every candidate and verdict, and report.html with before
    and after. The same command again resumes the run and pays for nothing twice. --paper runs RAZOR as published.

        longway rewrite claims.jsonl --text claim --context evidence --label label

        longway rewrite reviews.csv --keep great --keep awful

        longway rewrite reviews.csv --engine served:gpt-4o-mini --budget 2

        longway rewrite reviews.csv --decisions longway-runs/reviews-rewrite
    """
    from longway.jobs.rewrite import job

    change(
        "rewrite",
        data,
        source,
        source.load(data),
        with_decisions(settings, reviewed),
        engines,
        output,
        run=job.rewrite,
        estimate=job.rewrite_estimate if dry_run else None,
        on=on,
    )


def with_decisions(settings: RewriteSettings, folder: Path | None) -> RewriteSettings:
    """The settings with the decisions of a review. folder: of the run that was reviewed."""
    if folder is None:
        return settings
    from longway.review.export import decisions_of

    return replace(settings, decisions=decisions_of(folder))


@command
def augment(
    data: Data,
    source: DataOptions,
    settings: AugmentSettings,
    engines: EngineOptions,
    output: OutputOptions,
    dry_run: DryRun = False,
    on: On = None,
) -> None:
    """Add texts with another label that keep the shortcuts (CoBA).

    Several classifiers name the words they rely on. Words that most of them name carry the label and are changed; words that only some
    name stay. Each new text is checked: does its label hold, are the words still there, is it a text and no copy. Writes the dataset with
    the additions in its own format, edits.jsonl with every candidate and how it was made, and report.html. The same command again
    resumes the run and pays for nothing twice.

        longway augment reviews.csv --engine served:gpt-4o-mini --budget 2

        longway augment reviews.csv --engine rules --spurious matinee --spurious nancy

        longway augment reviews.csv --method given --rewrites written-elsewhere.csv
    """
    from longway.jobs.augment import job

    if settings.target is not None and source.label:
        raise SettingError(
            f"--target and --label were both given ({settings.target!r} and {source.label[0]!r}). A row has an output text or a label. "
            "Leave out one of them."
        )
    loaded = replace(source, label=(settings.target,) if settings.target else source.label).load(data)
    change(
        "augment",
        data,
        source,
        loaded,
        settings,
        engines,
        output,
        run=job.augment,
        estimate=job.augment_estimate if dry_run else None,
        on=on,
        adds_rows=True,
    )


@dataclass(frozen=True, slots=True)
class PerturberOptions(ServerOptions):
    """Where an engine or a network is, and what it may cost."""

    device: Literal["auto", "cpu", "cuda"] = option(
        "auto", "Where a network (neural:) computes: auto, cpu or cuda.", group=ENGINE, advanced=True
    )
    batch_size: int = option(
        16,
        "Texts that a network computes at once; fewer need less memory.",
        group=ENGINE,
        at_least=1,
        rare=True,
    )


@dataclass(frozen=True, slots=True)
class TestSetOptions:
    """A test set instead of a dataset."""

    test_set: bool = option(
        False,
        "Write pairs of texts before and after, for all axes and attributes, instead of a dataset: "
        "pairs.jsonl, for `lw.check_pairs` in regression tests.",
        flag=True,
    )
    per_axis: int | None = option(
        None,
        "With --test-set: pairs for each axis, spread evenly over its changes of one attribute into "
        "another. Default: 300.",
        at_least=1,
        advanced=True,
    )

    def pair_settings(self, settings: PerturbSettings) -> PairSettings:
        """The settings of the test set."""
        made = PairSettings(**asdict(settings))
        return made if self.per_axis is None else replace(made, per_axis=self.per_axis)


@command
def perturb(
    data: Data,
    source: DataOptions,
    settings: PerturbSettings,
    pairs: TestSetOptions,
    engines: PerturberOptions,
    output: OutputOptions,
    dry_run: DryRun = False,
    on: On = None,
) -> None:
    """Change one person's gender, race or age per row (PANDA).

    Draws a word that tells a gender, race or age, and another attribute for it; everything that refers to the same person is changed with
    it: pronouns with their verbs, names, kinship, titles. Labels and everything else stay. Colours, quotations, titles of works and occupations stay unchanged. Results that
    would hurt a group are blocked, and pairs whose label depends on the contrast stay unchanged. Writes the dataset in its own format,
    edits.jsonl with every change, and report.html with who is mentioned before and after. The same command again resumes the run.

        longway perturb reviews.csv

        longway perturb claims.jsonl --axis gender --to non-binary --keep-entities

        longway perturb reviews.csv --engine served:gpt-4o-mini --budget 2 --add

        longway perturb reviews.csv --test-set --per-axis 100

    Perturbed data does not make a model fair; `longway prove` and `longway fairness` measure the effect.
    """
    from longway.jobs.perturb import job

    if pairs.test_set:
        _write_test_set(data, source, pairs.pair_settings(settings), engines, output, dry_run=dry_run, on=on)
        return
    if pairs.per_axis is not None:
        raise SettingError("--per-axis is the size of a test set. Give --test-set too, or leave it out.")
    change(
        "perturb",
        data,
        source,
        source.load(data),
        settings,
        engines,
        output,
        "--fairscore",
        run=job.perturb,
        estimate=job.perturb_estimate if dry_run else None,
        on=on,
    )


def _write_test_set(
    data: str,
    source: DataOptions,
    settings: PairSettings,
    engines: PerturberOptions,
    output: OutputOptions,
    *,
    dry_run: bool,
    on: str | None,
) -> None:
    """Make a counterfactual test set, and print it."""
    from longway.cli.ending import show_result
    from longway.cli.live import Live
    from longway.cli.screen import Step
    from longway.jobs.perturb.pairs import perturb_pairs
    from longway.jobs.perturb.result import PAIRS_FILE

    if dry_run or on is not None:
        raise SettingError(
            f"--test-set has no {'--dry-run' if dry_run else '--on'}: it costs nothing and runs on this machine. Leave it out."
        )
    loaded = source.load(data)
    with Live(quiet=output.json) as live:
        result = perturb_pairs(
            loaded,
            settings,
            split=source.split,
            engines=engines.engines(),
            out=output.out or True,
            watcher=live,
        )
    assert result.folder is not None  # commands always write a run folder
    call = f"lw.check_pairs({str(result.folder / PAIRS_FILE)!r}, model)"
    steps = [Step("Check a model, in Python", call)] if result.n_pairs else []
    show_result(result, *steps, as_json=output.json)
