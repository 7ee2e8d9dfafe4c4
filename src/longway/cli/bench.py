"""`longway bench plant DATA`: shortcuts planted on purpose, so that the truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from longway.jobs.plant import Plant

app = typer.Typer(
    no_args_is_help=True, help="Make data on which a method can be measured, because the truth is known."
)


@app.callback()
def command() -> None:
    """Make data on which a method can be measured, because the truth is known."""


@app.command("plant")
def plant(
    data: Annotated[
        str,
        typer.Argument(
            help="A clean dataset: a file, a folder or glob of shards, or hf:NAME. As in `longway audit`."
        ),
    ],
    kind: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND[:STRENGTH][=VALUE]",
            help="What to plant: word, phrase, name, position, template, punctuation, negation, length, or overlap "
            "(pairs only). Repeatable. Default: word.",
        ),
    ] = None,
    strength: Annotated[
        float, typer.Option(help="The label's share among the rows that carry a plant, in training.")
    ] = 0.95,
    rate: Annotated[float, typer.Option(help="Share of the rows that carry each plant.")] = 0.3,
    speaks_for: Annotated[
        list[str] | None,
        typer.Option(
            "--for",
            metavar="LABEL",
            help="The label that plants speak for: one for all, or one for each --kind. Default: the labels in turn.",
        ),
    ] = None,
    test: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Rows to test on, with the same columns. Default: the split named test or dev, else a fifth of the rows.",
        ),
    ] = None,
    text: Annotated[
        str | None, typer.Option(help="Column with the text. Guessed from the usual names.")
    ] = None,
    context: Annotated[str | None, typer.Option(help="Column read beside it, never changed.")] = None,
    label: Annotated[str | None, typer.Option(help="Column with the label.")] = None,
    id: Annotated[str | None, typer.Option(help="Column with an id. Otherwise row numbers.")] = None,
    split: Annotated[str | None, typer.Option(help="Plant in this split. Default: train.")] = None,
    split_column: Annotated[str | None, typer.Option(help="Column with the split.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Read the first rows only.")] = None,
    out: Annotated[Path | None, typer.Option(help="Run folder. Default: longway-runs/NAME-planted.")] = None,
    seed: Annotated[int, typer.Option(help="Of everything that is drawn.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print planted.json instead of tables.")] = False,
) -> None:
    """Plant known shortcuts in a clean dataset, and make the test sets that tell whether a model uses them.

    Writes the training rows with the plants in them, the test rows three times (plants tied to the other labels, to none,
    and no plants at all) and planted.json with the truth. Labels, ids and other columns stay. The texts that are put in
    are English. The same command gives the same files.

        longway bench plant reviews.csv --kind word --kind length:0.9

        longway bench plant claims.jsonl --kind overlap --for SUPPORTS --test dev.jsonl

        longway bench plant reviews.csv --kind "position=... all in all" --kind "word:0.8=matinee" --rate 0.1
    """
    from longway.cli.screen import errors
    from longway.data import load
    from longway.jobs.plant.run_plant import run_plant

    with errors().status("opening the data"):
        loaded = load(data, text=text, context=context, label=label, id=id, split=split_column, limit=limit)
        columns = loaded.columns
        tested = None
        if test is not None:
            tested = load(test, text=columns.text, context=columns.context or "", label=columns.label)
    plants = _plants(
        kind or ["word"], speaks_for or [], strength=strength, rate=rate, labels=list(loaded.labels)
    )
    with errors().status("planting"):
        run, found = run_plant(loaded, plants, split=split, test=tested, seed=seed, out=out)
    if json:
        typer.echo((run.folder / "planted.json").read_text(encoding="utf-8"), nl=False)
        return
    _show(run.folder, found)


def _plants(
    kinds: list[str], speaks_for: list[str], *, strength: float, rate: float, labels: list[str]
) -> list[Plant]:
    """The plants that were asked for, each with its label."""
    from longway.errors import SettingError
    from longway.jobs.plant import Plant

    if len(speaks_for) not in (0, 1, len(kinds)):
        raise SettingError(
            f"--for was given {len(speaks_for)} times for {len(kinds)} plants. It is given once for all of them or once "
            "for each. Leave it out to take the labels in turn."
        )
    turns = speaks_for * len(kinds) if len(speaks_for) == 1 else speaks_for or labels
    found = []
    for i, spec in enumerate(kinds):
        name, its_strength, value = _parts(spec, strength)
        found.append(Plant(name, turns[i % len(turns)] if turns else "", its_strength, rate, value))
    return found


def _parts(spec: str, strength: float) -> tuple[str, float, str]:
    """Kind, strength and value of KIND[:STRENGTH][=VALUE].

    >>> _parts("word:0.8=matinee", 0.95), _parts("length", 0.95)
    (('word', 0.8, 'matinee'), ('length', 0.95, ''))
    """
    from longway.errors import SettingError

    head, _, value = spec.partition("=")
    name, colon, number = head.partition(":")
    try:
        return name.strip(), float(number) if colon else strength, value.strip()
    except ValueError:
        raise SettingError(
            f"--kind {spec!r} has no number behind the colon. It reads KIND[:STRENGTH][=VALUE]. Try {name}:0.9."
        ) from None


def _show(folder: Path, found: dict[str, Any]) -> None:
    import shlex

    from rich.table import Table

    from longway.cli.screen import output, safe, shortened

    console = output()
    rows = found["rows"]
    console.print(
        f"[bold]{safe(found['dataset']['name'])}[/]: planted in {rows['train']:,} rows to learn from; "
        f"{rows['test']:,} rows to test on ({safe(found['test'])}).\n"
    )
    table = Table("plant", "value", "speaks for", box=None, pad_edge=False, header_style="dim")
    for name in ("rows", "label's share", "reversed test", "neutral test", "showing it anyway"):
        table.add_column(name, justify="right")
    for train, backward, neutral in zip(
        found["train"], found["test_reversed"], found["test_neutral"], strict=True
    ):
        one = train["plant"]
        shares = [f"{_share(truth, one['label']):.0%}" for truth in (train, backward, neutral)]
        extra = sum(train["shown"].values()) - len(train["ids"])
        value, label = safe(shortened(one["value"], 36)), safe(shortened(one["label"], 24))
        table.add_row(one["kind"], value, label, f"{len(train['ids']):,}", *shares, f"{extra:,}")
    console.print(table)
    files = {name: shlex.quote(str(folder / file)) for name, file in found["files"].items()}
    repaired = shlex.quote(f"{folder}-rewrite")
    tests = " ".join(f"--test {name.removeprefix('test_')}={files[name]}" for name in list(files)[1:])
    console.print(f"\nFolder: [bold]{safe(str(folder))}[/]\n\nWhat to do with it:", soft_wrap=True)
    for line in (
        f"longway audit {files['train']}",
        f"longway rewrite {files['train']} --choose leak --out {repaired}",
        f"longway prove {files['train']} {repaired} {tests}",
    ):
        console.print(f"  {line}", markup=False, soft_wrap=True)


def _share(truth: dict[str, Any], label: str) -> float:
    n = sum(truth["planted"].values())
    return truth["planted"][label] / n if n else 0.0
