"""`longway rewrite DATA`: put other texts in the place of those that give their label away."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from longway.cli import rewrite_options as options
from longway.cli.options import Id, Label, Limit, On, SplitColumn, Text

if TYPE_CHECKING:
    from longway.jobs.rewrite.decided import Decided
    from longway.jobs.rewrite.rewrite import RewriteSettings


def command(
    data: options.Data,
    method: options.Method = "razor",
    engine: options.Engine = "auto",
    judge: options.Judge = "auto",
    base_url: options.BaseUrl = None,
    judge_base_url: options.JudgeBaseUrl = None,
    budget: options.Budget = None,
    choose: options.Choose = "gamma",
    rerank: options.Rerank = False,
    keep: options.Keep = None,
    decisions: options.Decisions = None,
    k: options.K = "0.1",
    candidates: options.Candidates = 4,
    rounds: options.Rounds = 10,
    patience: options.Patience = 1,
    stop: options.Stop = "cosine",
    balance: options.Balance = "none",
    space: options.Space = "mean",
    temperature: options.Temperature = 0.7,
    top_p: options.TopP = 0.9,
    text: Text = None,
    context: options.Context = None,
    label: Label = None,
    id: Id = None,
    split: options.Split = None,
    split_column: SplitColumn = None,
    limit: Limit = None,
    out: options.Out = None,
    seed: options.Seed = 0,
    on: On = None,
    yes: options.Yes = False,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Rewrite the texts whose surface gives their label away; labels, ids and size stay.

    Each new text is checked: does the label still hold, are negation, numbers and names as they were, is the meaning
    close, is it a text at all. Writes the dataset in its own format, edits.jsonl with every candidate and verdict,
    and report.html with before and after. The same command again goes on where it stopped and pays nothing twice.

        longway rewrite claims.jsonl --text claim --context evidence --label label

        longway rewrite reviews.csv --choose leak --keep great --keep awful

        longway rewrite reviews.csv --engine served:gpt-4o-mini --budget 2

        longway rewrite reviews.csv --choose leak --decisions longway-runs/reviews-rewrite
    """
    from longway.cli.live import Live, show_dry_run
    from longway.cli.rewrite_tables import show_rewrite
    from longway.cli.screen import errors
    from longway.data import load
    from longway.jobs.engine_use import Engines
    from longway.jobs.rewrite.run_rewrite import dry_run_rewrite, run_rewrite

    if on is not None:
        from longway.jobs.placement import check_place

        check_place(on)
    settings = settings_of(
        method=method,
        engine=engine,
        judge=judge,
        choose=choose,
        rerank=rerank,
        k=k,
        candidates=candidates,
        rounds=rounds,
        patience=patience,
        stop=stop,
        balance=balance,
        space=space,
        keep=keep,
        decisions=decisions,
        temperature=temperature,
        top_p=top_p,
        seed=seed,
    )
    with errors().status("opening the data"):
        loaded = load(data, text=text, context=context, label=label, id=id, split=split_column, limit=limit)
    asked = Engines(base_url, judge_base_url, budget)
    if dry_run:
        with errors().status("estimating"):
            estimate = dry_run_rewrite(loaded, split=split, settings=settings, engines=asked)
        show_dry_run("rewrite", estimate, as_json=json)
        return
    with Live(quiet=json, ask=not yes and budget is None) as live:
        run, found = run_rewrite(
            loaded,
            split=split,
            settings=settings,
            engines=asked,
            out=out,
            on=on,
            watcher=live,
        )
    if json:
        typer.echo((run.folder / "rewrite.json").read_text(encoding="utf-8"), nl=False)
        return
    show_rewrite(found, run.folder)


def settings_of(
    *, k: str, keep: Sequence[str] | None = None, decisions: Path | None = None, **others: Any
) -> RewriteSettings:
    """The settings that the options of a rewrite stand for. decisions: the run that was reviewed; others: as in `RewriteSettings`."""
    from longway.jobs.rewrite.rewrite import RewriteSettings

    decided = None if decisions is None else _decided_in(decisions)
    return RewriteSettings(k=share_of(k), keep=tuple(keep or ()), decisions=decided, **others)


def _decided_in(folder: Path) -> Decided:
    """What people decided in the review of a run."""
    from longway.review.export import decisions_of

    return decisions_of(folder)


def share_of(text: str) -> int | float:
    """A number of rows, or a share of them.

    >>> share_of("500"), share_of("0.1"), share_of("10%")
    (500, 0.1, 0.1)
    """
    from longway.errors import SettingError

    try:
        if text.endswith("%"):
            return float(text[:-1]) / 100
        return float(text) if "." in text else int(text)
    except ValueError:
        raise SettingError(
            f"'k' must be a number of texts or a share of them. Got {text!r}. Try 500, 0.1 or 10%."
        ) from None
