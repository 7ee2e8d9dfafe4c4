"""How close perturbers are to what people wrote, on two public datasets read as PANDA's rows (`longway perturb score`).

python runs/perturb_score.py                                      our rules
python runs/perturb_score.py --perturber rules neural:FOLDER      beside a network, which must not be trained on these rows
python runs/perturb_score.py --out FOLDER                         keeps the run folders, with report.html

mt_geneval: Wikipedia sentences that people rewrote from women to men, in both directions. Its people changed everybody and kept names;
a perturber is asked about one person, the one of the first word that differs, and may change the name. `runs/perturb.py` measures the
rules with everybody changed and names kept, so its figures are higher. neutralrewriter: sentences that people rewrote to singular
"they"; rows that are the same before and after are left out, as they name nobody. Repeated rows count once.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import common
from longway import PerturbScoreResult, perturb_score
from longway.cli.screen import output
from longway.english.people.demographics import parse_attribute
from longway.methods.perturb.panda import PandaRow, rows_of_pair, write_panda
from longway.show.terminal import show
from perturb import lines_of

MAN, WOMAN, THEY = (parse_attribute(name) for name in ("man", "woman", "non-binary"))


def mt_geneval(limit: int, seed: int) -> list[PandaRow]:
    """Both directions of some sentences."""
    pairs = lines_of("mt_geneval/part_a.jsonl.gz")
    chosen = Random(seed).sample(pairs, min(limit, len(pairs)))
    return [
        row
        for pair in chosen
        for row in rows_of_pair(pair["feminine"], pair["masculine"], has=WOMAN, other_has=MAN)
    ]


def neutralrewriter(limit: int, seed: int) -> list[PandaRow]:
    """Some sentences with singular they; only this direction, since "they" does not say who was meant before."""
    pairs = [
        row for part in ("reddit", "opensubtitles") for row in lines_of(f"neutralrewriter/{part}.jsonl.gz")
    ]
    pairs = [row for row in pairs if row["original"] != row["gender_neutral"]]
    chosen = Random(seed).sample(pairs, min(limit, len(pairs)))
    found = (rows_of_pair(row["original"], row["gender_neutral"], has=MAN, other_has=THEY) for row in chosen)
    return [rows[0] for rows in found if rows]


def scored(name: str, rows: list[PandaRow], options: argparse.Namespace, folder: Path) -> PerturbScoreResult:
    """The score on one dataset, printed."""
    file = write_panda(dict.fromkeys(rows), folder / f"{name}.jsonl")
    result = perturb_score(
        file, perturbers=tuple(options.perturber), seed=options.seed, out=folder / f"{name}-score"
    )
    show(result.page(), output())
    return result


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--perturber", nargs="+", default=["rules"], help="as in longway perturb score")
    parser.add_argument("--limit", type=int, default=200, help="sentences of each dataset, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="folder that keeps the runs")
    options = parser.parse_args()
    figures: dict[str, object] = {}
    with TemporaryDirectory() as temporary:
        folder = options.out or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name, read in (("mt_geneval", mt_geneval), ("neutralrewriter", neutralrewriter)):
            result = scored(name, read(options.limit, options.seed), options, folder)
            figures[name] = {
                one.name: {metric: value.value for metric, value in one.overall.measures()}
                for one in result.perturbers
            }
    common.finish("runs/perturb_score.py", **figures)


if __name__ == "__main__":
    main()
