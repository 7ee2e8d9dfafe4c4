"""The shortcuts that a grammar of sentences finds in IMDb reviews: ratings, durations, names (Tables 1, 2 and 11 of the paper).

python runs/grammar_imdb.py                                  learns a small grammar here
python runs/grammar_imdb.py --trees train_trees.txt          with what was parsed elsewhere

Reviews are parsed sentence by sentence; a review has a feature where one of its sentences has. Options: see grammar_common.py.
"""

from __future__ import annotations

import re

import common
import grammar_common
from grammar_common import Kind, Source, Tables
from longway.grammars.information import Composite
from longway.grammars.trees import span

REVIEWS = Source("imdb/train.jsonl.gz", ("negative", "positive"))
KINDS = (
    Kind("negative ratings", r"\b[1-4] (/|out of) 10\b|\b1 / 2 from", "negative"),
    Kind("positive ratings", r"\b([7-9]|10) (/|out of) 10\b", "positive"),
    Kind("negative durations", r"\b(minutes?|hours?)\b", "negative"),
    Kind("waste of time", r"\bwaste (of|your)\b", "negative"),
    Kind("highly recommended", r"\bhighly recommend", "positive"),
)
RATING = re.compile(r"\b\d+ / 10\b")
SHOWN_RATINGS = 20


def main() -> None:
    options = grammar_common.parser_of(__doc__).parse_args()
    (part,) = grammar_common.parsed(options, REVIEWS)
    tables = Tables(
        part, REVIEWS.labels
    )  # labels have no part in the learning: nothing need be held out here
    found = tables.composites(min_leaves=2)
    tables.show("Composite features, two words or more (Tables 1 and 11)", found, n=24)
    show_ratings(tables, found)
    tables.show_rules()
    figures = tables.show_kinds(KINDS, min_leaves=2)
    common.finish("runs/grammar_imdb.py", rows=len(part.rows), **figures)


def show_ratings(tables: Tables, found: list[Composite]) -> None:
    """All that the roots of ratings write, as Table 2: are letter grades and stars of the same kind?"""
    print("\nWhat the roots of ratings write (Table 2)")
    for one in found:
        spans = [span(tables.forest.subtrees.tree(n), pair=False) for n in one.subtrees]
        if sum(bool(RATING.search(each)) for each in spans) >= 2:
            print(
                f"{tables.names[one.label]:>14} {one.root:>5} {one.count:>7} {one.label_share:>9.1%}  {' , '.join(map(grammar_common.short, spans[:SHOWN_RATINGS]))}"
            )


if __name__ == "__main__":
    main()
