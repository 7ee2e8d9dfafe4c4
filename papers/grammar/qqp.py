"""Shortcuts in QQP that a grammar of pairs finds, and whether classifiers rely on them (Tables 5, 6, 10 and 14 of the paper); also MultiNLI.

python papers/grammar/qqp.py                                                    a GPU; on a CPU it learns from 1,000 pairs
python papers/grammar/qqp.py --limit 600 --longest 80 --models bow              small and quick
python papers/grammar/qqp.py --data mnli                                        MultiNLI, which is not in the paper
python papers/grammar/qqp.py --trees dev_7600_trees.txt train_2k_trees.txt      trees of an earlier run

The paper learns from 65,000 pairs. Here are 9,600 pairs of QQP and 12,815 of MultiNLI, in two files each: the larger one is for training, the
smaller one is held out. The sample is balanced over labels, as in the paper. The authors named their features by hand. Here, a kind is a
regular expression, and its feature consists of all matching subtrees among the 1,000 with the highest mutual information.
Options: see shared.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import shared
from runs_common import common
from shared import Composite, Kind, Source, Tables, Trained, show_versions, strongest, trained
from snli import KINDS as INFERENCE_KINDS
from snli import LABELS as INFERENCE
from versions import GRAMMAR, NGRAM_PAIR, SECOND_ONLY

NO, YES = "not_duplicate", "duplicate"
ASKED = "(?:how|why|what|when|where|who|which|can|is|are|do|does|should)"
Groups = tuple[int, int]


@dataclass(frozen=True)
class Published:
    """The paper's figures for a kind: Table 5 (rows, share of the label in percent), Table 6 (BERT's accuracy on S and C), Table 10 (rows S, C)."""

    count: int
    majority: float
    bert: tuple[float, float]
    rows: dict[str, Groups] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """A dataset: its files, the kinds to look for, and the paper's figures for them."""

    train: Source
    held_out: Source
    kinds: Sequence[Kind]
    paper: dict[str, Published] = field(default_factory=dict)


QUESTIONS = (
    Kind("additions", r"^ε/", NO),
    Kind("deletions", r"/ε$", NO),
    Kind("change question word", rf"^({ASKED})/(?!\1$){ASKED}$", NO),
    Kind("how-to questions", r"^how (can|do|could|should|to)\b.*/", YES),
    Kind(
        "discussion topics", r"^(new year|world war|donald trump|hillary clinton|long distance)\b.*/\1", YES
    ),
    Kind("same question word", r"^(how|why|what|when|where|who|which)/\1$", YES),
)
PAPER = {
    "additions": Published(23_987, 60.7, (86.8, 85.1)),
    "deletions": Published(21_299, 61.6, (85.4, 86.8)),
    "change question word": Published(3_348, 70.8, (87.4, 81.2)),
    "how-to questions": Published(9_684, 66.2, (90.3, 71.2), {GRAMMAR: (6_415, 3_269), NGRAM_PAIR: (6_964, 3_587), SECOND_ONLY: (17_123, 14_370)}),
    "discussion topics": Published(2_179, 82.9, (98.4, 56.9), {GRAMMAR: (1_806, 373), NGRAM_PAIR: (2_210, 480), SECOND_ONLY: (2_891, 963)}),
    "same question word": Published(17_264, 60.3, (90.3, 75.0), {GRAMMAR: (10_403, 6_861), NGRAM_PAIR: (11_485, 7_634), SECOND_ONLY: (25_302, 24_279)}),
}  # fmt: skip
TASKS = {
    "qqp": Task(
        *(Source(f"qqp/{name}.jsonl.gz", (YES, NO), "question2", "question1") for name in ("dev_7600", "train_2k")),
        QUESTIONS,
        PAPER,
    ),
    "mnli": Task(
        *(Source(f"mnli/{name}.jsonl.gz", INFERENCE, "hypothesis", "premise") for name in ("dev_matched", "train_subset_3k")),
        INFERENCE_KINDS,
    ),
}  # fmt: skip


def main() -> None:
    parser = shared.parser_of(__doc__)
    parser.add_argument("--data", choices=list(TASKS), default="qqp")
    parser.add_argument("--test-limit", type=int, help="held-out rows")
    shared.add_classifiers(parser)
    options = parser.parse_args()
    task = TASKS[options.data]
    train, held_out = shared.parsed(options, task.train, task.held_out)
    tables = Tables(train, task.train.labels)
    found = tables.composites(min_leaves=1)
    tables.show("Composite features (Table 5)", found, n=24)
    tables.show("Two words or more (Table 14)", tables.composites(min_leaves=2), n=24)
    tables.show_rules()
    figures = tables.show_kinds(task.kinds, min_leaves=1)
    answers = [trained(one, options, train, held_out) for one in options.models]
    figures |= {f"accuracy_{one.name}": float(one.right.mean()) for one in answers}
    print("\nThe strongest features of each label")
    figures["features"] = show_versions(tables, held_out, strongest(found, tables.names), answers)
    print("\nThe paper's kinds")
    features = {kind.name: tables.kind(kind, min_leaves=1) for kind in task.kinds}
    kinds = {name: feature for name, feature in features.items() if feature is not None}
    versions = show_versions(tables, held_out, list(kinds.values()), answers)
    figures["of_kinds"] = dict(zip(kinds, versions, strict=True))
    if task.paper:
        show_beside(tables, kinds, versions, answers, task.paper)
    rows = {"data": options.data, "rows": len(train.rows), "held_out": len(held_out.rows)}
    common.finish("papers/grammar/qqp.py", **rows, **figures)


def show_beside(
    tables: Tables,
    kinds: dict[str, Composite],
    versions: Sequence[dict[str, Any]],
    answers: Sequence[Trained],
    paper: dict[str, Published],
) -> None:
    """Print Tables 5, 6 and 10 with the paper's figures beside ours."""
    n = len(tables.part.rows)
    heads = "".join(f"{one.name + ' S':>11}{one.name + ' C':>11}" for one in answers)
    print(f"\nTables 5 and 6, beside the paper's: {n} training pairs, the paper 65,000; S and C: accuracy on held-out rows with and against the kind")  # fmt: skip
    print(f"{'kind':22}{'label':>14}{'rows':>7}{'majority':>9}{heads}  |{'paper: rows':>13}{'majority':>9}{'BERT S':>8}{'BERT C':>8}")  # fmt: skip
    by_name = dict(zip(kinds, versions, strict=True))
    for name, theirs in paper.items():
        kind = kinds.get(name)
        ours = f"{'-':>14}{'-':>7}{'-':>9}" + f"{'-':>11}{'-':>11}" * len(answers)
        if kind is not None:
            cells = "".join(_share(value) for sides in by_name[name]["accuracy"].values() for value in sides)
            ours = f"{tables.names[kind.label]:>14}{kind.count:>7}{kind.label_share:>9.1%}{cells}"
        print(
            f"{name:22}{ours}  |{theirs.count:>13,}{theirs.majority:>8.1f}%{theirs.bert[0]:>8.1f}{theirs.bert[1]:>8.1f}"
        )
    print(f"\nTable 10, beside the paper's: training rows S and C, as a share of all\n{'kind':22}{'version':14}{'S':>8}{'C':>8}  |{'paper: S':>10}{'C':>8}")  # fmt: skip
    for name, theirs in paper.items():
        for version, (supporting, counter) in theirs.rows.items():
            counts = by_name[name]["rows"].get(version) if name in by_name else None
            ours = f"{counts[0] / n:>8.1%}{counts[1] / n:>8.1%}" if counts else f"{'-':>8}{'-':>8}"
            print(f"{name:22}{version:14}{ours}  |{supporting / 65_000:>10.1%}{counter / 65_000:>8.1%}")


def _share(value: float | None) -> str:
    return f"{'-':>11}" if value is None else f"{value:>11.1%}"


if __name__ == "__main__":
    main()
