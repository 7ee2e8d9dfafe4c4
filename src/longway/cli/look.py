"""`longway explain DATA`, `grammar DATA` and `fairness`: what models look at, learn and prefer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from longway.cli.options import (
    ColumnOptions,
    Data,
    DataOptions,
    OutputOptions,
    ServerOptions,
    command,
    one_label,
)
from longway.errors import SettingError
from longway.jobs.explain.settings import ExplainSettings
from longway.jobs.fairness.settings import FairnessSettings
from longway.jobs.grammar.settings import GrammarSettings
from longway.jobs.options import DATA, ENGINE, OUTPUT, option

if TYPE_CHECKING:
    from longway.data import Dataset


@command
def explain(data: Data, source: DataOptions, settings: ExplainSettings, output: OutputOptions) -> None:
    """Show which words models look at, and which mislead them.

    Trains models by cross-validation, so that each row is explained by a model that was not trained on it. Writes explain.json and
    report.html, with the words of each text in colour, into a run folder. The same command again resumes the run, or shows it if it is finished.

        longway explain claims.jsonl --wrong

        longway explain reviews.csv --model bow --model nb --method shapley --rows 20
    """
    from longway.cli.ending import REPAIR, on_data, show_result
    from longway.cli.live import Live
    from longway.cli.screen import Step
    from longway.jobs.explain.job import explain as run

    loaded = source.load(data)
    with Live(quiet=True) as live:
        result = run(loaded, settings, split=source.split, out=output.out or True, watcher=live)
    repair = Step(REPAIR, on_data("repair", data, source, loaded))
    show_result(result, repair, as_json=output.json)


@command
def grammar(
    data: Data,
    source: ColumnOptions,
    settings: GrammarSettings,
    output: OutputOptions,
    top: Annotated[
        int,
        typer.Option(min=1, help="Patterns to print; the report has more.", rich_help_panel=OUTPUT),
    ] = 8,
    symbols: Annotated[
        bool,
        typer.Option(
            "--symbols", help="Also print the grammar's symbols, rules and training.", rich_help_panel=OUTPUT
        ),
    ] = False,
) -> None:
    """Learn a grammar; list phrases and rules that predict labels.

    Finds what no single word shows: in a pair, the subject swapped for its opposite (a man → a woman), words that were added
    (to work) or left out; in a text, phrases like "his wife". Rows with a context are parsed as pairs. Writes findings.json, tables.json,
    trees.txt, the grammar and report.html with pictures of trees into a run folder. You can stop it with Ctrl-C: the same command resumes it.
    A validation split is held out. Needs the extra `neural`.

        longway grammar pairs.jsonl --text hypothesis --context premise --label label

        longway grammar reviews.csv --limit 500 --epochs 3
    """
    from longway.cli.ending import REPAIR, on_data, show_result
    from longway.cli.live import Live
    from longway.cli.screen import Step
    from longway.jobs.grammar.job import grammar as run

    loaded = source.load(data)
    with Live(quiet=True) as live:
        result = run(loaded, settings, split=source.split, out=output.out or True, watcher=live)
    repair = Step(REPAIR, on_data("repair", data, source, loaded))
    show_result(
        replace(result, symbols=symbols),
        repair,
        as_json=output.json,
        top=top,
    )


COMPARED = "hf:gpt2"  # the causal model that the published measures are most often compared on


@dataclass(frozen=True, slots=True)
class FairscoreOptions:
    """The data of the fairscore."""

    fairscore: str | None = option(
        None,
        "The fairscore of a classifier: labelled data, as in `longway audit`, that it was not trained on.",
        group=DATA,
    )
    text: str | None = option(
        None, "Column with the text. Default: guessed from the usual names.", group=DATA
    )
    context: str | None = option(
        None, 'Column with the premise or evidence; "" if the classifier reads the text alone.', group=DATA
    )
    label: tuple[str, ...] = option((), "Column with the label.", group=DATA)
    split: str | None = option(
        None, "Split of the fairscore's data to use, if it has several.", group=DATA, advanced=True
    )
    encoding: str | None = option(
        None,
        "Encoding of the fairscore's data if it is not UTF-8. Default: recognised, as by audit.",
        group=DATA,
        advanced=True,
        metavar="NAME",
    )

    def load(self) -> Dataset | None:
        """Load the data, if there is any."""
        if self.fairscore is None:
            if self.text or self.context or self.label or self.split:
                raise SettingError(
                    "--text, --context, --label and --split describe the data of --fairscore, which was not given. "
                    "Add --fairscore DATA, or remove them."
                )
            return None
        from longway.cli.screen import errors
        from longway.data import load

        with errors().status("opening the data"):
            return load(
                self.fairscore,
                text=self.text,
                context=self.context,
                label=one_label(self.label),
                encoding=self.encoding,
            )


@dataclass(frozen=True, slots=True)
class TwoServerOptions(ServerOptions):
    """Where a served model and a served perturber are, and what they may cost."""

    judge_base_url: str | None = option(
        None,
        "Address of the server of --model, if that of the perturber is another.",
        group=ENGINE,
        name="model-base-url",
        metavar="URL",
        advanced=True,
    )


@command
def fairness(
    settings: FairnessSettings, source: FairscoreOptions, servers: TwoServerOptions, output: OutputOptions
) -> None:
    """Measure stereotypes and the fairscore of a model.

    Give at least one of the published files (CrowS-Pairs, StereoSet, WEAT/SEAT, HolisticBias), which are not part of Longway. Or give labelled data: one person in each row gets another
    gender, race or age, and the fairscore is how many of the classifier's predictions change, and with which words. Every figure has an interval
    and comes with the quality of the model, because a poor model looks fair. Writes fairness.json, results.json, report.html and card.md.
    The same command again resumes an interrupted run. None of the figures can show that a model is fair.

        longway fairness --model hf:gpt2 --crows-pairs crows_pairs_anonymized.csv --stereoset dev.json --limit 200

        longway fairness --model minilm --weat sent-bias/tests --holistic ResponsibleNLP/holistic_bias/dataset/v1.1

        longway fairness --model hf:my-bert --crows-pairs crows_pairs_anonymized.csv --holistic dataset --axis age

        longway fairness --model longway-runs/reviews-prove/models/before-bow-erm-0 --fairscore reviews-test.csv

        longway fairness --model my_models:pipeline --fairscore reviews-test.csv --limit 1000

        longway fairness --model served:gpt-4o-mini --fairscore reviews-test.csv --limit 1000 --budget 1
    """
    from longway.cli.ending import on_data, show_result
    from longway.cli.live import Live
    from longway.cli.screen import Step
    from longway.jobs.fairness import job

    data = source.load()
    with Live(quiet=True, ask=servers.asks) as live:
        result = job.fairness(
            data,
            settings,
            split=source.split,
            engines=servers.engines(),
            out=output.out or True,
            watcher=live,
        )
    if data is not None and source.fairscore is not None:
        step = Step("Change people in the data", on_data("perturb", source.fairscore, source, data))
    elif settings.limit is not None:
        step = Step("Measure it on all of the data", output.again("--limit", "--out"))
    elif settings.model != COMPARED:
        step = Step("Compare it with another model", output.again("--out", model=COMPARED))
    else:
        step = Step("See all runs", "longway runs")
    show_result(result, step, as_json=output.json)
