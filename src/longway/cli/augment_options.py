"""The options of `longway augment`: what each is called and what its help says. Defaults are in `cli/augment.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Method = Annotated[
    str,
    typer.Option(
        help="coba; counterfactual, paraphrase, back-translation, contextual (through an engine), eda and crossaug "
        "(without) for comparison; given takes texts made elsewhere, see --rewrites."
    ),
]

# Which words should not tell the label.
Model = Annotated[
    list[str] | None,
    typer.Option(
        help="A classifier that votes on the words: bow, nb, minilm, cnn, gru, dan, minilm-lora, minilm-full or hf:NAME. "
        "Repeatable, an odd number of times. Default: five of them, as far as they are installed."
    ),
]
Importance = Annotated[
    str,
    typer.Option(help="How the words that a classifier looks at are found: ig (gradients), lime or shapley."),
]
TopK = Annotated[int, typer.Option(min=1, help="Words taken of each classifier and text.")]
Identify = Annotated[
    str, typer.Option(help="Who names principal and spurious words: models (by vote), or engine.")
]
Spurious = Annotated[
    list[str] | None,
    typer.Option(help="A word that should not tell the label, whatever the vote says. Repeatable."),
]

# The steps of CoBA, each of which can be left out.
Mixed = Annotated[
    str,
    typer.Option(
        help="What a triple is that has spurious and principal words: spurious, and it stays (the paper), or principal, and it "
        "is changed around its spurious words. The latter makes more of long sentences."
    ),
]
Alter = Annotated[
    bool, typer.Option("--alter/--no-alter", help="Change the principal triples towards another label.")
]
Permute = Annotated[bool, typer.Option("--permute/--no-permute", help="Let normal triples change places.")]
Drop = Annotated[bool, typer.Option("--drop/--no-drop", help="Leave out some normal triples.")]
DropShare = Annotated[float, typer.Option(min=0, max=1, help="How likely a normal triple is left out.")]
Gender = Annotated[
    bool,
    typer.Option(
        "--gender/--no-gender",
        help="Swap gendered words, he for she, in all triples; of pairs only with --contexts, so that both texts agree.",
    ),
]

Contexts = Annotated[
    bool,
    typer.Option(
        "--contexts", help="Take the contexts of pairs apart, too. Otherwise they stay as they are."
    ),
]

# What is added.
To = Annotated[
    str, typer.Option(help="The label of new texts: a label of the data, or other (any but the row's own).")
]
Variants = Annotated[int, typer.Option(min=1, help="New texts for each row.")]
Balance = Annotated[
    bool,
    typer.Option("--balance", help="Leave out additions so that all labels have the same number of rows."),
]
Language = Annotated[str, typer.Option(help="For back-translation: the language on the way.")]
Rewrites = Annotated[
    Path | None,
    typer.Option(
        help="For --method given: a file with texts made elsewhere, in the columns original (or source, or id: the row "
        "it was made from), text and label."
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        help="Column with the text that each text is to be turned into, for data that has texts instead of labels."
    ),
]

Split = Annotated[
    str | None,
    typer.Option(help="Make additions to this split; the others stay as they are. Default: train."),
]
Out = Annotated[Path | None, typer.Option(help="Run folder. Default: longway-runs/NAME-augment.")]
Json = Annotated[bool, typer.Option("--json", help="Print augment.json instead of tables.")]
