"""Each kind of phrase in its simpler versions: how many rows have it, and how often a classifier is right on them (Figure 2 of the paper).

python papers/grammar/snli.py | tail -n 1 > build/snli.json
python papers/grammar/figure2.py build/snli.json --out build/figure2.html

The figures are those of the last line of snli.py or qqp.py. On the left, training rows with the kind, with its label (full) and with another
(pale); on the right, the accuracy on such held-out rows, with its label (dots) and with another (rings).
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from longway.report.excerpts import cut
from longway.report.html import style_sheet
from runs_common import common
from side_charts import SideGroup, SideLine, side_bars, side_dots
from versions import GRAMMAR, NGRAM_PAIR, SECOND_ONLY

DRAWN = 6  # kinds, as in the paper
ENOUGH = 10  # rows of a side for its accuracy to be drawn
NAMES = {GRAMMAR: "in its tree", NGRAM_PAIR: "in both texts", SECOND_ONLY: "in the second text"}
NAME_WIDTH = 40  # characters of a kind above its lines
STYLE = """
main { display: grid; grid-template-columns: 1fr 1fr; gap: 48px; }
.second { opacity: 0.35; }
.between { stroke: var(--c); stroke-width: 2px; opacity: 0.45; }
.dot-full { fill: var(--c); }
.ring { fill: var(--page); stroke: var(--c); stroke-width: 2px; }
"""


def main() -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("figures", type=Path, help="file with the last line of snli.py or qqp.py")
    parser.add_argument("--out", type=Path, required=True, help="the HTML file to write")
    options = parser.parse_args()
    features = json.loads(options.figures.read_text(encoding="utf-8"))["features"]
    charts = drawn(features[:DRAWN])
    head = Markup('<!doctype html>\n<meta charset="utf-8">\n<title>Figure 2</title>\n<style>{}</style>\n')
    style = Markup(style_sheet("style.css") + STYLE)
    options.out.write_text(head.format(style) + Markup("<main>{}</main>\n").format(Markup("").join(charts)))
    print(f"{len(features[:DRAWN])} kinds, {len(charts)} charts: {options.out}")
    common.finish("papers/grammar/figure2.py", kinds=len(features[:DRAWN]), charts=len(charts))


def drawn(features: Sequence[Mapping[str, Any]]) -> list[Markup]:
    """The chart of the rows, and one of the accuracy of each classifier."""
    labels = {label: f"l{at}" for at, label in enumerate(sorted({one["label"] for one in features}))}

    def groups(lines: Mapping[int, Sequence[SideLine]]) -> list[SideGroup]:
        return [
            SideGroup(
                cut(", ".join(one["spans"][:2]), NAME_WIDTH), one["label"], labels[one["label"]], lines[at]
            )
            for at, one in enumerate(features)
        ]

    most = max(sum(rows) for one in features for rows in one["rows"].values())
    counts = {at: [_rows(*each) for each in one["rows"].items()] for at, one in enumerate(features)}
    charts = [
        side_bars(groups(counts), key="rows", title="Training rows", desc="Rows with each kind.", full=most)
    ]
    for number, model in enumerate(features[0]["tested"]):
        lines = {
            at: [_accuracy(*each) for each in one["tested"][model].items()] for at, one in enumerate(features)
        }
        title = f"Accuracy of {model} on rows with each kind"
        charts.append(side_dots(groups(lines), key=f"accuracy-{number}", title=title, desc="Held-out rows."))
    return charts


def _rows(version: str, rows: Sequence[int]) -> SideLine:
    shown = f"{rows[0]:,} with its label, {rows[1]:,} with another"
    return SideLine(NAMES[version], rows[0], rows[1], shown)


def _accuracy(version: str, sides: Sequence[tuple[float | None, int]]) -> SideLine:
    words = [f"{round((accuracy or 0) * n):,} of {n:,}" for accuracy, n in sides]
    first, second = (accuracy if n >= ENOUGH else None for accuracy, n in sides)
    return SideLine(
        NAMES[version], first, second, f"right on {words[0]} with its label, {words[1]} with another"
    )


if __name__ == "__main__":
    main()
