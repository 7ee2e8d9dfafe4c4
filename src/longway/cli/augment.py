"""`longway augment DATA`: add texts that keep the words models rely on and have another label."""

from __future__ import annotations

from dataclasses import replace

from longway.cli.options import Data, DataOptions, DryRun, EngineOptions, On, OutputOptions, command
from longway.errors import SettingError
from longway.jobs.augment.settings import AugmentSettings


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
    from longway.cli.change import change
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
