"""`longway perturb score FILE`: measure how close perturbers are to what people wrote."""

from __future__ import annotations

from typing import Annotated

import typer

from longway.cli.options import OutputOptions, command
from longway.cli.perturb import PerturberOptions
from longway.jobs.perturb_score.settings import PerturbScoreSettings

File = Annotated[
    str,
    typer.Argument(
        help="Texts that people rewrote, in PANDA's form: columns original, selected_word, target_attribute, perturbed. "
        "A file, or anything `longway audit` reads."
    ),
]


@command
def score(
    file: File, settings: PerturbScoreSettings, engines: PerturberOptions, output: OutputOptions
) -> None:
    """Measure how close perturbers are to what people wrote: BLEU, ROUGE-2, word distance, exact matches, perplexity.

    Each perturber gets the text, the word and the target attribute of every row, and its rewrite is compared with that of the file (Table 2
    of the paper), beside the source copied unchanged; by axis and by target attribute, with intervals. Where several rows rewrite the same
    person of a text, the agreement of people with each other and with each perturber follows (Table 8). Use rows that no network was
    trained on. Writes score.json, results.json, rewrites.jsonl and report.html. The same command again resumes the run.

        longway perturb score panda-test.jsonl

        longway perturb score panda-test.jsonl --perturber rules --perturber neural:my-perturber --limit 500

        longway perturb score pairs.csv --perturber rules --perturber served:gpt-4o-mini --budget 2
    """
    from longway.cli.ending import Step, again, show_result
    from longway.cli.live import Live
    from longway.jobs.perturb_score.job import perturb_score

    with Live(quiet=output.json, ask=not engines.yes and engines.budget is None) as live:
        result = perturb_score(
            file, settings, engines=engines.engines(), out=output.out or True, watcher=live
        )
    assert result.folder is not None  # `out` was given
    if settings.limit is not None:
        step = Step("Score all rows", again("--limit", "--out"))
    elif len(settings.perturbers) == 1:
        step = Step("Compare with another perturber", f"{again('--out')} {_another(settings)}")
    else:
        step = Step("See all runs", "longway runs")
    show_result(result, result.folder, step, file="score.json", as_json=output.json)


def _another(settings: PerturbScoreSettings) -> str:
    """The option that adds a perturber to the one that was scored."""
    if settings.perturbers == ("rules",):
        return "--perturber rules --perturber served:MODEL"
    return "--perturber rules"
