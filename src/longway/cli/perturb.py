"""`longway perturb DATA`: one person of each row gets another gender, race or age."""

from __future__ import annotations

import typer

from longway.cli import perturb_options as own
from longway.cli import rewrite_options as options
from longway.cli.options import Id, Label, Limit, On, SplitColumn, Text


def command(
    data: own.Data,
    axis: own.Axis = None,
    to: own.To = None,
    sampling: own.Sampling = "balanced",
    engine: own.Engine = "rules",
    base_url: options.BaseUrl = None,
    budget: options.Budget = None,
    everyone: own.Everyone = False,
    keep_names: own.KeepNames = False,
    keep_entities: own.KeepEntities = False,
    reflexive: own.Reflexive = "themselves",
    device: own.Device = "auto",
    batch_size: own.BatchSize = 16,
    share: own.Share = 1.0,
    at_least: own.AtLeast = 0.0,
    m0: own.M0 = 1.0,
    m1: own.M1 = 1.0,
    tries: own.Tries = 3,
    keep_warned: own.KeepWarned = False,
    add: own.Add = False,
    text: Text = None,
    context: own.Context = None,
    label: Label = None,
    id: Id = None,
    split: own.Split = None,
    split_column: SplitColumn = None,
    limit: Limit = None,
    out: own.Out = None,
    seed: options.Seed = 0,
    on: On = None,
    yes: options.Yes = False,
    dry_run: options.DryRun = False,
    json: own.Json = False,
) -> None:
    """Rewrite one person's gender, race or age in each row that tells one; labels and all else stay.

    Draws a word that tells who somebody is, and what it becomes; whatever stands for the same person goes with it: pronouns with their verbs,
    names, kinship, titles. Colours, quotations, titles of works and occupations are left alone. Results that would hurt a group are
    blocked, and pairs whose label hangs on the contrast stay as they are. Writes the dataset in its own format, edits.jsonl with every change, and
    report.html with who is spoken of before and now. The same command again goes on where it stopped.

        longway perturb reviews.csv

        longway perturb claims.jsonl --axis gender --to non-binary --keep-entities

        longway perturb reviews.csv --engine served:gpt-4o-mini --budget 2 --add

    Perturbed data does not make a model fair; `longway prove` and `longway fairness` measure what became of it.
    """
    from longway.cli.live import show_dry_run
    from longway.cli.perturb_tables import PerturbLive, show_perturb
    from longway.cli.screen import errors
    from longway.data import load
    from longway.english.people.demographics import AXES
    from longway.jobs.engine_use import Engines
    from longway.jobs.perturb.perturb_settings import PerturbSettings
    from longway.jobs.perturb.run_perturb import dry_run_perturb, run_perturb

    if on is not None:
        from longway.jobs.placement import check_place

        check_place(on)
    settings = PerturbSettings(
        axes=tuple(dict.fromkeys(axis)) if axis else tuple(AXES),
        to=tuple(to or ()),
        sampling=sampling,  # type: ignore[arg-type]
        engine=engine,
        everyone=everyone,
        names=not keep_names,
        keep_entities=keep_entities,
        reflexive=reflexive,  # type: ignore[arg-type]
        share=share,
        tries=tries,
        at_least=at_least,
        m0=m0,
        m1=m1,
        keep_warned=keep_warned,
        add=add,
        seed=seed,
    )
    with errors().status("opening the data"):
        loaded = load(data, text=text, context=context, label=label, id=id, split=split_column, limit=limit)
    asked = Engines(base_url, None, budget, device=device, batch_size=batch_size)
    if dry_run:
        with errors().status("estimating"):
            estimate = dry_run_perturb(loaded, split=split, settings=settings, engines=asked)
        show_dry_run("perturb", estimate, as_json=json)
        return
    with PerturbLive(quiet=json, ask=not yes and budget is None) as live:
        run, found = run_perturb(
            loaded,
            split=split,
            settings=settings,
            engines=asked,
            out=out,
            on=on,
            watcher=live,
        )
    if json:
        typer.echo((run.folder / "perturb.json").read_text(encoding="utf-8"), nl=False)
        return
    show_perturb(found, run.folder, data)
