"""`longway perturb pretrain DATA`: train a masked language model on perturbed text, and measure what that changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from longway.cli.options import OutputOptions, command
from longway.jobs.options import DATA, option
from longway.jobs.pretrain.settings import PretrainSettings

Texts = Annotated[
    str,
    typer.Argument(
        help="Texts, no labels: a .txt file (one document a line, or blank lines between documents), or anything `longway audit` reads.",
    ),
]


@dataclass(frozen=True, slots=True)
class TextOptions:
    """Which texts to read.

    text: Column with the text. Default: guessed from the usual names.
    limit: Read only the first documents.
    encoding: Encoding of text files that are not UTF-8. Default: recognised, as by audit.
    """

    text: str | None = option(None, group=DATA)
    limit: int | None = option(None, group=DATA, at_least=1)
    encoding: str | None = option(None, group=DATA, advanced=True, metavar="NAME")


@command
def pretrain(data: Texts, source: TextOptions, settings: PretrainSettings, output: OutputOptions) -> None:
    """Train a masked language model on texts as they are and on the same texts perturbed, and measure both.

    Long documents are cut into windows of 256 tokens, and one person in each window gets another gender, race or age. Both trainings have the
    same start, steps, order and masks. With the published files, the measures of the paper's Table 3 (CrowS-Pairs, WEAT/SEAT, HolisticBias)
    are computed for the model as it came and for both trained ones. The same command again resumes the run, and reuses everything it has.

        longway perturb pretrain books.txt --model new:tiny

        longway perturb pretrain reviews.csv --model hf:roberta-base --steps 5000 --crows-pairs crows_pairs_anonymized.csv --weat sent-bias/tests

    Perturbed text does not make a model fair, and a small model tells little about a large one. A folder called pretrain is ./pretrain.
    """
    from longway.cli.ending import Step, again, show_result
    from longway.cli.live import Live
    from longway.jobs.pretrain.job import pretrain as run_job
    from longway.jobs.pretrain.result import FILE

    with Live(quiet=True) as live:
        result = run_job(
            data,
            settings,
            text=source.text,
            limit=source.limit,
            encoding=source.encoding,
            out=output.out or True,
            watcher=live,
        )
    assert result.folder is not None  # `out` was given
    step = Step("See whether another training agrees", again("--out", seed=str(settings.seed + 1)))
    show_result(result, result.folder, step, file=FILE, as_json=output.json)
