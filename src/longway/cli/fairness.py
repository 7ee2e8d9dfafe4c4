"""`longway fairness`: what a language model, an encoder or a classifier makes of people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from longway.cli.options import Label, Text


def command(
    model: Annotated[
        str,
        typer.Option(
            help="local (the embedded language model), minilm (the embedded encoder), hf:NAME_OR_FOLDER (a causal or masked model, an encoder, or a "
            "classifier), or the folder of a classifier that `longway prove --save-models` wrote."
        ),
    ] = "local",
    crows_pairs: Annotated[
        Path | None, typer.Option(help="CrowS-Pairs: the published CSV, or JSON Lines with the same keys.")
    ] = None,
    stereoset: Annotated[
        Path | None,
        typer.Option(help="StereoSet: the published dev.json, or JSON Lines with a context a line."),
    ] = None,
    weat: Annotated[
        Path | None,
        typer.Option(help="WEAT and SEAT: a test file of sent-bias, or a folder of them. Needs vectors."),
    ] = None,
    holistic: Annotated[
        Path | None,
        typer.Option(
            help="HolisticBias: the folder with descriptors.json, nouns.json, sentence_templates.json and standalone_noun_phrases.json."
        ),
    ] = None,
    fairscore: Annotated[
        str | None,
        typer.Option(
            help="The fairscore of a classifier: data with labels, as in `longway audit`, that it was not trained on. Needs the extra `rules`."
        ),
    ] = None,
    text: Text = None,
    context: Annotated[
        str | None, typer.Option(help='Column read beside it; "" where the classifier reads the text alone.')
    ] = None,
    label: Label = None,
    split: Annotated[
        str | None, typer.Option(help="The split of the fairscore's data that is used, where it has several.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, help="Use so many pairs, contexts, tests and rows of each file, drawn at random."
        ),
    ] = None,
    axis: Annotated[
        list[str] | None,
        typer.Option(
            help="An axis of HolisticBias, or all. Repeatable. Default: gender_and_sex, race_ethnicity, age."
        ),
    ] = None,
    per_descriptor: Annotated[
        int,
        typer.Option(
            min=8, help="HolisticBias: sentences for each descriptor, at most; the same ones for all of them."
        ),
    ] = 64,
    seed: Annotated[int, typer.Option(min=0, help="Of what is drawn at random.")] = 0,
    device: Annotated[str, typer.Option(help="Where hf models run: auto, cpu or cuda.")] = "auto",
    out: Annotated[
        Path | None, typer.Option(help="Run folder. Default: longway-runs/MODEL-fairness.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print fairness.json instead of tables.")] = False,
) -> None:
    """Measure stereotypes in a language model or encoder (CrowS-Pairs, StereoSet, WEAT/SEAT, HolisticBias), or the fairscore of a classifier.

    Give the published files, any of them; Longway does not come with them. Or give data with labels: one person of each row is given another
    gender, race or age, and it is told how many of the classifier's answers change. Every figure has an interval, and beside it stands how good the
    model is: a poor one looks fair. Writes fairness.json, results.json and report.html. The same command again goes on where it stopped. None of
    the figures can show that a model is fair.

        longway fairness --model local --crows-pairs crows_pairs_anonymized.csv --stereoset dev.json --limit 200

        longway fairness --model minilm --weat sent-bias/tests --holistic ResponsibleNLP/holistic_bias/dataset/v1.1

        longway fairness --model hf:my-bert --crows-pairs crows_pairs_anonymized.csv --holistic dataset --axis age

        longway fairness --model longway-runs/reviews-prove/models/before-bow-erm-0 --fairscore reviews-test.csv
    """
    from longway.cli.fairness_tables import show_fairness
    from longway.cli.screen import cells_progress, errors
    from longway.data import load
    from longway.errors import SettingError
    from longway.jobs.fairness.fairness import FairnessSettings
    from longway.jobs.fairness.run_fairness import run_fairness

    settings = FairnessSettings(
        model=model,
        limit=limit,
        axes=tuple(axis or ()),
        per_descriptor=per_descriptor,
        seed=seed,
        device=device,
    )
    data = None
    if fairscore is None and (text or context or label or split):
        raise SettingError(
            "--text, --context, --label and --split are about the data of --fairscore, and none was given. "
            "Give it, or leave them out."
        )
    if fairscore is not None:
        with errors().status("opening the data"):
            data = load(fairscore, text=text, context=context, label=label)
    with cells_progress() as bar:
        run, result = run_fairness(
            crows_pairs=crows_pairs,
            stereoset=stereoset,
            weat=weat,
            holistic=holistic,
            fairscore=data,
            split=split,
            settings=settings,
            out=out,
            step=bar.step,
            progress=bar.progress,
        )
    if json:
        typer.echo((run.folder / "fairness.json").read_text(encoding="utf-8"), nl=False)
        return
    show_fairness(result, run.folder)
