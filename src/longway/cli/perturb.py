"""`longway perturb DATA`: change one person's gender, race or age in each row."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Literal

from longway.cli.options import Data, DataOptions, DryRun, On, OutputOptions, ServerOptions, command
from longway.errors import SettingError
from longway.jobs.options import ENGINE, option
from longway.jobs.perturb.settings import PairSettings, PerturbSettings


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
    from longway.cli.change import change
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
    from longway.jobs.perturb.result import PAIRS_FILE, PairsResult

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
    show_result(result, result.folder, *steps, file=PairsResult.file, as_json=output.json)
