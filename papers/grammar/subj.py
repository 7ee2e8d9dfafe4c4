"""The shortcuts that a grammar of sentences finds in SUBJ: "the film" and "his wife" (Tables 3 and 12 of the paper).

python papers/grammar/subj.py                                  learns a small grammar here
python papers/grammar/subj.py --trees all_trees.txt            with what was parsed elsewhere

Options: see shared.py.
"""

from __future__ import annotations

import shared
from runs_common import common
from shared import Kind, Source, Tables

SENTENCES = Source("subj/all.jsonl.gz", ("objective", "subjective"), is_cut=False)
KINDS = (
    Kind("the film", r"^(a|the|this) (film|movie|screen)$", "subjective"),
    Kind("his wife", r"^(his|her|their) (wife|father|mother|life|lives|husband|son|daughter|brother|family)$", "objective"),
    Kind("finds himself", r"^(finds|falls|decides|discovers|begins)\b", "objective"),
)  # fmt: skip


def main() -> None:
    options = shared.parser_of(__doc__).parse_args()
    (part,) = shared.parsed(options, SENTENCES)
    tables = Tables(
        part, SENTENCES.labels
    )  # labels have no part in the learning: nothing need be held out here
    tables.show(
        "Composite features, two words or more (Tables 3 and 12)", tables.composites(min_leaves=2), n=24
    )
    tables.show_rules()
    figures = tables.show_kinds(KINDS, min_leaves=2)
    common.finish("papers/grammar/subj.py", rows=len(part.rows), **figures)


if __name__ == "__main__":
    main()
