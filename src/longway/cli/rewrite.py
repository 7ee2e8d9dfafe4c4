"""`longway rewrite DATA`: put other texts in the place of those that give their label away."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    data: Annotated[
        str,
        typer.Argument(
            help="The dataset: a file, a folder or glob of shards, or hf:NAME. As in `longway audit`."
        ),
    ],
    method: Annotated[
        str, typer.Option(help="razor; eda and crossaug are baselines; none changes nothing, as control.")
    ] = "razor",
    engine: Annotated[
        str,
        typer.Option(
            help="Who writes: rules (no model), local (small LLM on this machine), served:MODEL (any OpenAI-compatible "
            "server), rules+local, replay:FILE, or auto. `longway engines` says which answer."
        ),
    ] = "auto",
    judge: Annotated[
        str,
        typer.Option(
            help="Who checks that the label still holds: an engine, none, or auto (the writer, in a conversation of its own)."
        ),
    ] = "auto",
    base_url: Annotated[
        str | None, typer.Option(help="Address of the server. Default: LONGWAY_BASE_URL, then OpenAI's.")
    ] = None,
    judge_base_url: Annotated[
        str | None, typer.Option(help="Address of the judge's server, where it is another.")
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(min=0, help="Most to spend in dollars, over all starts of this run. Never more."),
    ] = None,
    choose: Annotated[
        str,
        typer.Option(
            help="What decides which texts go and which candidate is taken. gamma: RAZOR to the letter; "
            "leak: what a model that sees only the surface could use. The report measures both."
        ),
    ] = "gamma",
    keep: Annotated[
        list[str] | None,
        typer.Option(
            help="A word or phrase that is real signal, not a shortcut. Repeatable; for --choose leak."
        ),
    ] = None,
    k: Annotated[
        str, typer.Option(help="Texts taken up each round: a number, or a share such as 0.1 or 10%.")
    ] = "0.1",
    candidates: Annotated[int, typer.Option(min=1, help="Candidates for each text.")] = 4,
    rounds: Annotated[int, typer.Option(min=1, help="Most rounds.")] = 10,
    patience: Annotated[int, typer.Option(min=1, help="Rounds without a gain after which it stops.")] = 1,
    stop: Annotated[
        str,
        typer.Option(
            help="What must gain. cosine: equation 14; kl: Algorithm 1's divergence; leak: what a bag of words gets right; "
            "never: go on until the rounds are done."
        ),
    ] = "cosine",
    balance: Annotated[str, typer.Option(help="Labels taken up: none, equal or alternate.")] = "none",
    space: Annotated[
        str, typer.Option(help="Where texts are compared: mean, token, or embedding (the paper's ablation).")
    ] = "mean",
    temperature: Annotated[float, typer.Option(min=0, help="Of the writing engine.")] = 0.7,
    top_p: Annotated[float, typer.Option(min=0, max=1, help="Of the writing engine.")] = 0.9,
    text: Annotated[
        str | None, typer.Option(help="Column with the text. Guessed from the usual names.")
    ] = None,
    context: Annotated[str | None, typer.Option(help="Column read beside it, never changed.")] = None,
    label: Annotated[str | None, typer.Option(help="Column with the label.")] = None,
    id: Annotated[str | None, typer.Option(help="Column with an id. Otherwise row numbers.")] = None,
    split: Annotated[
        str | None, typer.Option(help="Rewrite this split; the others stay as they are. Default: train.")
    ] = None,
    split_column: Annotated[str | None, typer.Option(help="Column with the split.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Read the first rows only.")] = None,
    out: Annotated[Path | None, typer.Option(help="Run folder. Default: longway-runs/NAME-rewrite.")] = None,
    seed: Annotated[int, typer.Option(help="Of everything that is drawn.")] = 0,
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask before money is spent; neither does --budget.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print rewrite.json instead of tables.")] = False,
) -> None:
    """Rewrite the texts whose surface gives their label away; labels, ids and size stay.

    Each new text is checked: does the label still hold, are negation, numbers and names as they were, is the meaning
    close, is it a text at all. Writes the dataset in its own format, edits.jsonl with every candidate and verdict,
    and report.html with before and after. The same command again goes on where it stopped and pays nothing twice.

        longway rewrite claims.jsonl --text claim --context evidence --label label

        longway rewrite reviews.csv --choose leak --keep great --keep awful

        longway rewrite reviews.csv --engine served:gpt-4o-mini --budget 2
    """
    from longway.cli.live import Live
    from longway.cli.rewrite_tables import show_rewrite
    from longway.cli.screen import errors
    from longway.data import load
    from longway.recipes.rewrite import RewriteSettings
    from longway.recipes.run_rewrite import Engines, run_rewrite

    settings = RewriteSettings(
        method=method,
        engine=engine,
        judge=judge,
        choose=choose,  # type: ignore[arg-type]
        k=_share(k),
        candidates=candidates,
        rounds=rounds,
        patience=patience,
        stop=stop,  # type: ignore[arg-type]
        balance=balance,  # type: ignore[arg-type]
        space=space,  # type: ignore[arg-type]
        keep=tuple(keep or ()),
        temperature=temperature,
        top_p=top_p,
        seed=seed,
    )
    with errors().status("opening the data"):
        loaded = load(data, text=text, context=context, label=label, id=id, split=split_column, limit=limit)
    with Live(quiet=json, ask=not yes and budget is None) as live:
        run, found = run_rewrite(
            loaded,
            split=split,
            settings=settings,
            engines=Engines(base_url, judge_base_url, budget),
            out=out,
            step=live.step,
            progress=live.progress,
            on_start=live.start,
            on_estimate=live.estimate,
            on_round=live.round,
        )
    if json:
        typer.echo((run.folder / "rewrite.json").read_text(encoding="utf-8"), nl=False)
        return
    show_rewrite(found, run.folder)


def _share(text: str) -> int | float:
    """A number of rows, or a share of them.

    >>> _share("500"), _share("0.1"), _share("10%")
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
