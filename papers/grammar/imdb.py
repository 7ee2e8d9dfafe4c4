"""The shortcuts that a grammar of sentences finds in IMDb reviews: ratings, durations, names (Tables 1, 2 and 11 of the paper).

python papers/grammar/imdb.py                                  learns a small grammar here
python papers/grammar/imdb.py --trees train_trees.txt          with what was parsed elsewhere

Reviews are parsed sentence by sentence; a review has a feature where one of its sentences has. Options: see shared.py.
"""

from __future__ import annotations

import re

import shared
from longway.grammars.information import Composite
from longway.grammars.trees import span
from runs_common import common
from shared import Kind, Source, Tables

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
    options = shared.parser_of(__doc__).parse_args()
    (part,) = shared.parsed(options, REVIEWS)
    tables = Tables(
        part, REVIEWS.labels
    )  # labels have no part in the learning: nothing need be held out here
    found = tables.composites(min_leaves=2)
    tables.show("Composite features, two words or more (Tables 1 and 11)", found, n=24)
    show_ratings(tables, found)
    tables.show_rules()
    figures = tables.show_kinds(KINDS, min_leaves=2)
    common.finish("papers/grammar/imdb.py", rows=len(part.rows), **figures)


def show_ratings(tables: Tables, found: list[Composite]) -> None:
    """All that the roots of ratings write, as Table 2: are letter grades and stars of the same kind?"""
    print("\nWhat the roots of ratings write (Table 2)")
    for one in found:
        spans = [span(tables.forest.subtrees.tree(n), pair=False) for n in one.subtrees]
        if sum(bool(RATING.search(each)) for each in spans) >= 2:
            print(
                f"{tables.names[one.label]:>14} {one.root:>5} {one.count:>7} {one.label_share:>9.1%}  {' , '.join(map(shared.short, spans[:SHOWN_RATINGS]))}"
            )


if __name__ == "__main__":
    main()
