"""`longway augment DATA`: add texts that keep the words models fall for and carry another label."""

from __future__ import annotations

import typer

from longway.cli import augment_options as own
from longway.cli import rewrite_options as options
from longway.cli.options import Id, Label, Limit, On, SplitColumn, Text


def command(
    data: options.Data,
    method: own.Method = "coba",
    engine: options.Engine = "auto",
    judge: options.Judge = "auto",
    base_url: options.BaseUrl = None,
    judge_base_url: options.JudgeBaseUrl = None,
    budget: options.Budget = None,
    model: own.Model = None,
    importance: own.Importance = "ig",
    top_k: own.TopK = 5,
    identify: own.Identify = "models",
    spurious: own.Spurious = None,
    mixed: own.Mixed = "spurious",
    alter: own.Alter = True,
    permute: own.Permute = True,
    drop: own.Drop = True,
    drop_share: own.DropShare = 0.1,
    gender: own.Gender = True,
    contexts: own.Contexts = False,
    to: own.To = "other",
    variants: own.Variants = 1,
    balance: own.Balance = False,
    language: own.Language = "German",
    rewrites: own.Rewrites = None,
    target: own.Target = None,
    temperature: options.Temperature = 0.7,
    top_p: options.TopP = 0.9,
    text: Text = None,
    context: options.Context = None,
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
    """Add texts with another label that keep the words models fall for, so that these words stop telling the label.

    Several classifiers name the words they look at. What most of them name carries the label and is changed; what only some name
    stays. Each new text is checked: does its label hold, are the words still there, is it a text and no copy. Writes the
    dataset with the additions in its own format, edits.jsonl with every candidate and how it was made, and report.html. The
    same command again goes on where it stopped and pays nothing twice.

        longway augment reviews.csv --engine served:gpt-4o-mini --budget 2

        longway augment reviews.csv --engine rules --spurious matinee --spurious nancy

        longway augment reviews.csv --method given --rewrites written-elsewhere.csv
    """
    from longway.cli.augment_tables import AugmentLive, show_augment
    from longway.cli.live import show_dry_run
    from longway.cli.screen import errors
    from longway.data import load
    from longway.errors import SettingError
    from longway.jobs.augment.augment import AugmentSettings, default_models
    from longway.jobs.augment.run_augment import dry_run_augment, run_augment
    from longway.jobs.engine_use import Engines

    if target is not None and label is not None:
        raise SettingError(
            f"--target and --label were both given ({target!r} and {label!r}). The data has texts or labels as its answers. "
            "Leave one of them out."
        )
    if on is not None:
        from longway.jobs.placement import check_place

        check_place(on)
    settings = AugmentSettings(
        method=method,
        engine=engine,
        judge=judge,
        models=tuple(model) if model else default_models(),
        importance=importance,
        top_k=top_k,
        identify=identify,  # type: ignore[arg-type]
        spurious=tuple(spurious or ()),
        alter=alter,
        permute=permute,
        drop=drop,
        gender=gender,
        mixed=mixed,  # type: ignore[arg-type]
        drop_share=drop_share,
        contexts=contexts,
        to=to,
        variants=variants,
        balance=balance,
        language=language,
        rewrites=None if rewrites is None else str(rewrites),
        target=target,
        temperature=temperature,
        top_p=top_p,
        seed=seed,
    )
    with errors().status("opening the data"):
        loaded = load(
            data, text=text, context=context, label=target or label, id=id, split=split_column, limit=limit
        )
    asked = Engines(base_url, judge_base_url, budget)
    if dry_run:
        with errors().status("estimating"):
            estimate = dry_run_augment(loaded, split=split, settings=settings, engines=asked)
        show_dry_run("augment", estimate, as_json=json)
        return
    with AugmentLive(quiet=json, ask=not yes and budget is None) as live:
        run, found = run_augment(
            loaded,
            split=split,
            settings=settings,
            engines=asked,
            out=out,
            on=on,
            watcher=live,
        )
    if json:
        typer.echo((run.folder / "augment.json").read_text(encoding="utf-8"), nl=False)
        return
    show_augment(found, run.folder, data)
