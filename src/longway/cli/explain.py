"""`longway explain DATA`: which words models look at."""

from __future__ import annotations

from longway.cli.options import Data, DataOptions, OutputOptions, command
from longway.jobs.explain.settings import ExplainSettings


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
    assert result.folder is not None  # `out` was given
    repair = Step(REPAIR, on_data("repair", data, source, loaded))
    show_result(result, result.folder, repair, file="explain.json", as_json=output.json)
