"""`longway perturb DATA`: change one person's gender, race or age in each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from longway.cli.options import Data, DataOptions, DryRun, On, OutputOptions, command
from longway.jobs.options import ENGINE, option
from longway.jobs.perturb.settings import PerturbSettings

if TYPE_CHECKING:
    from longway.jobs.engine_use import Engines


@dataclass(frozen=True, slots=True)
class PerturberOptions:
    """Where an engine or a network is, and what it may cost.

    base_url: Address of the server. Default: LONGWAY_BASE_URL, then OpenAI's.
    budget: Most to spend, in dollars, over all starts of this run.
    yes: Do not ask before money is spent. With --budget nothing is asked either.
    device: Where a network (neural:) computes: auto, cpu or cuda.
    batch_size: Texts that a network computes at once; fewer need less memory.
    """

    base_url: str | None = option(None, group=ENGINE, advanced=True)
    budget: float | None = option(None, group=ENGINE, at_least=0)
    yes: bool = option(False, group=ENGINE, flag=True)
    device: str = option("auto", group=ENGINE, advanced=True)
    batch_size: int = option(16, group=ENGINE, at_least=1, advanced=True)

    def engines(self) -> Engines:
        """The options as jobs take them."""
        from longway.jobs.engine_use import Engines

        return Engines(self.base_url, None, self.budget, device=self.device, batch_size=self.batch_size)


@command
def perturb(
    data: Data,
    source: DataOptions,
    settings: PerturbSettings,
    engines: PerturberOptions,
    output: OutputOptions,
    dry_run: DryRun = False,
    on: On = None,
) -> None:
    """Change one person's gender, race or age in each row that mentions one; labels and everything else stay.

    Draws a word that tells a gender, race or age, and another attribute for it; everything that refers to the same person is changed with
    it: pronouns with their verbs, names, kinship, titles. Colours, quotations, titles of works and occupations stay unchanged. Results that
    would hurt a group are blocked, and pairs whose label depends on the contrast stay unchanged. Writes the dataset in its own format,
    edits.jsonl with every change, and report.html with who is mentioned before and after. The same command again resumes the run.

        longway perturb reviews.csv

        longway perturb claims.jsonl --axis gender --to non-binary --keep-entities

        longway perturb reviews.csv --engine served:gpt-4o-mini --budget 2 --add

    Perturbed data does not make a model fair; `longway prove` and `longway fairness` measure the effect. A folder called train or score is
    ./train or ./score.
    """
    from longway.cli.ending import show_edited
    from longway.cli.live import Live, show_dry_run
    from longway.cli.screen import errors
    from longway.jobs.perturb.job import perturb as run_job
    from longway.jobs.perturb.job import perturb_estimate

    if on is not None:
        from longway.jobs.placement import check_place

        check_place(on)
    loaded = source.load(data)
    if dry_run:
        with errors().status("estimating"):
            estimate = perturb_estimate(loaded, settings, split=source.split, engines=engines.engines())
        show_dry_run("perturb", estimate, as_json=output.json)
        return
    with Live(quiet=output.json, ask=not engines.yes and engines.budget is None) as live:
        result = run_job(
            loaded,
            settings,
            split=source.split,
            engines=engines.engines(),
            out=output.out or True,
            on=on,
            watcher=live,
        )
    show_edited(result, data, source, loaded, "--fairscore", file="perturb.json", as_json=output.json)
