"""The shortcuts that a grammar of sentences finds in SUBJ: "the film" and "his wife" (Tables 3 and 12 of the paper).

python runs/grammar_subj.py                                  learns a small grammar here
python runs/grammar_subj.py --trees all_trees.txt            with what was parsed elsewhere

Options: see grammar_common.py.
"""

from __future__ import annotations

import common
import grammar_common
from grammar_common import Kind, Source, Tables

SENTENCES = Source("subj/all.jsonl.gz", ("objective", "subjective"), is_cut=False)
KINDS = (
    Kind("the film", r"^(a|the|this) (film|movie|screen)$", "subjective"),
    Kind("his wife", r"^(his|her|their) (wife|father|mother|life|lives|husband|son|daughter|brother|family)$", "objective"),
    Kind("finds himself", r"^(finds|falls|decides|discovers|begins)\b", "objective"),
)  # fmt: skip


def main() -> None:
    options = grammar_common.parser_of(__doc__).parse_args()
    (part,) = grammar_common.parsed(options, SENTENCES)
    tables = Tables(
        part, SENTENCES.labels
    )  # labels have no part in the learning: nothing need be held out here
    tables.show(
        "Composite features, two words or more (Tables 3 and 12)", tables.composites(min_leaves=2), n=24
    )
    tables.show_rules()
    figures = tables.show_kinds(KINDS, min_leaves=2)
    common.finish("runs/grammar_subj.py", rows=len(part.rows), **figures)


if __name__ == "__main__":
    main()
