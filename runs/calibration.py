"""How often does each check of rewritten texts err? Measured on data with known answers; sets the checks' thresholds.

python runs/calibration.py
python runs/calibration.py --limit 20                  a few rows, to see that it runs
python runs/calibration.py --limit 300 --write         also writes src/longway/verify/calibration.json
python runs/calibration.py --limit 300 --keep --write  measures the rates of the thresholds in use

Wrong candidates, whose label is another one than claimed: human counterfactuals (Kaushik et al. 2020; hypotheses with the premise
kept, film reviews), FEVER Symmetric's other claim about the same evidence, supported claims negated by rules, and counterfactuals
written by Llama-2, Mistral and Mixtral, whose labels nobody checked: some did not change, so their share of false accepts is too high.
Right candidates: rewrites by our rules, a few of which are wrong, so the share of false rejects is too high, too.
MRPC and QQP pairs that people called the same are shown beside them for closeness of meaning.

Thresholds are chosen on one half of the rows, error rates measured on the other.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from common import data, finish
from longway.english.contradict import negated
from longway.english.pipeline import load_pipeline
from longway.methods.method import RewriteRequest, keeps_of
from longway.methods.writers import RuleWriter
from longway.models.encoders import CachedEncoder
from longway.models.entailment import Entailment
from longway.models.minilm import MiniLM
from longway.records import Verdict
from longway.task import Task, task_of
from longway.verify.calibration import FILE, Rate
from longway.verify.check import Candidate, Check
from longway.verify.content_checks import NamesCheck, NegationCheck, NumbersCheck, OtherLabelCheck
from longway.verify.form_checks import AddedWordsCheck, OrdersCheck, SurfaceCheck
from longway.verify.model_cache import ModelCache
from longway.verify.model_checks import Bounds, ClassifiersCheck, EntailmentCheck, MeaningCheck

FEVER = task_of(["REFUTES", "SUPPORTS"], text_name="claim", context_name="evidence")
NLI = task_of(["contradiction", "entailment", "neutral"], text_name="hypothesis", context_name="premise")
SENTIMENT = task_of(["negative", "positive"])
# Where the words that are written small are read from, as a verifier reads them from its dataset.
WORDS = (
    ("fever/paper_test_supports_refutes.jsonl.gz", "claim"),
    ("snli/test.jsonl.gz", "premise"),
    ("human_cad_imdb/train.jsonl.gz", "text"),
)
FALSE_REJECTS = 0.03  # of right candidates that closeness of meaning may cost


@dataclass
class Set:
    """Candidates of one origin. is_right: whether their labels hold."""

    name: str
    task: Task
    is_right: bool
    candidates: list[Candidate]
    verdicts: dict[str, list[Verdict]] = field(default_factory=dict)
    own: tuple[list[Any], list[Any]] = ([], [])  # what the classifiers said of the new texts and the old


def rows(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(data(name), "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def some(rows_: Sequence[Any], limit: int, seed: int) -> list[Any]:
    return random.Random(seed).sample(list(rows_), min(limit, len(rows_)))


# Wrong candidates


def human_hypotheses(limit: int, seed: int) -> Set:
    """Hypotheses that people changed so that the label is another one, the premise kept."""
    originals = {row["premise"]: row for row in rows("human_cad_snli/original_dev.jsonl.gz")}
    found = [
        Candidate(0, old["hypothesis"], row["hypothesis"], old["label"], old["premise"])
        for row in rows("human_cad_snli/revised_combined_dev.jsonl.gz")
        if (old := originals.get(row["premise"])) and old["label"] != row["label"]
    ]
    return Set("human counterfactuals, SNLI", NLI, False, some(found, limit, seed))


def written_hypotheses(limit: int, seed: int) -> Set:
    """The same, written by language models; their labels are those asked for."""
    originals = {row["premise"]: row for row in rows("human_cad_snli/original_dev.jsonl.gz")}
    found = [
        Candidate(0, old["hypothesis"], row["hypothesis"], old["label"], old["premise"])
        for row in rows("llm_counterfactuals_snli/revised.jsonl.gz")
        if row["split"] == "dev"
        and row["revised"] == "hypothesis"
        and (old := originals.get(row["premise"]))
        and old["label"] != row["label"]
    ]
    return Set("LLM counterfactuals, SNLI (unverified)", NLI, False, some(found, limit, seed))


def symmetric_claims(limit: int, seed: int) -> Set:
    """Two claims about one evidence with different labels, the second in place of the first."""
    by_evidence: dict[str, list[dict[str, Any]]] = {}
    for name in ("v0.1_generated", "v0.2_dev"):
        for row in rows(f"fever_symmetric/{name}.jsonl.gz"):
            by_evidence.setdefault(row["evidence"], []).append(row)
    found = [
        Candidate(0, one["claim"], other["claim"], one["label"], evidence)
        for evidence, group in by_evidence.items()
        for one in group[:2]
        for other in group
        if one["label"] != other["label"]
    ]
    return Set("Symmetric's other claim, FEVER", FEVER, False, some(found, limit, seed))


def negated_claims(limit: int, seed: int) -> Set:
    """Supported claims, negated or with another number or an opposite."""
    supported = [r for r in rows("fever/paper_test_supports_refutes.jsonl.gz") if r["label"] == "SUPPORTS"]
    chosen = some(supported, limit, seed)
    documents = load_pipeline().analyse_all(row["claim"] for row in chosen)
    found = [
        Candidate(0, row["claim"], made.text, "SUPPORTS", row["evidence"])
        for row, document in zip(chosen, documents, strict=True)
        for made in islice(negated(document, random.Random(f"{seed}|0|{document.text}")), 1)
    ]
    return Set("negated by rules, FEVER", FEVER, False, found)


def human_reviews(limit: int, seed: int) -> Set:
    """Reviews that people turned into their opposite."""
    pairs: dict[str, list[dict[str, Any]]] = {}
    for row in rows("human_cad_imdb/dev.jsonl.gz"):
        pairs.setdefault(row["pair_id"], []).append(row)
    found = [
        Candidate(0, one["text"], two["text"], one["label"])
        for one, two in (pair for pair in pairs.values() if len(pair) == 2)
    ]
    return Set("human counterfactuals, IMDb", SENTIMENT, False, some(found, limit, seed))


def written_reviews(limit: int, seed: int) -> Set:
    """The same by language models; their labels are those asked for."""
    found = [
        Candidate(0, row["original"], row["counterfactual"], row["original_label"].lower())
        for row in rows("llm_counterfactuals_imdb/pairs.jsonl.gz")
        if row["split"] == "dev" and row["original_label"] != row["counterfactual_label"]
    ]
    return Set("LLM counterfactuals, IMDb (unverified)", SENTIMENT, False, some(found, limit, seed))


# Right candidates


def by_rules(name: str, task: Task, chosen: Sequence[tuple[str, str, str | None]]) -> Set:
    """Texts rewritten by our rules, one rewrite each."""
    requests = [RewriteRequest(0, text, label, 1, context) for text, label, context in chosen]
    found = [
        Candidate(0, text, written.texts[0], label, context, keeps_of(written.how[0]))
        for (text, label, context), written in zip(chosen, RuleWriter(task)(requests), strict=True)
        if written.texts
    ]
    return Set(name, task, True, found)


def rule_claims(limit: int, seed: int) -> Set:
    chosen = some(list(rows("fever/paper_test_supports_refutes.jsonl.gz")), limit, seed + 1)
    return by_rules("by rules, FEVER", FEVER, [(r["claim"], r["label"], r["evidence"]) for r in chosen])


def rule_hypotheses(limit: int, seed: int) -> Set:
    chosen = some(list(rows("snli/test.jsonl.gz")), limit, seed + 1)
    return by_rules("by rules, SNLI", NLI, [(r["hypothesis"], r["label"], r["premise"]) for r in chosen])


def rule_reviews(limit: int, seed: int) -> Set:
    chosen = some(list(rows("sst2_sentences/test.jsonl.gz")), limit, seed + 1)
    return by_rules("by rules, SST-2", SENTIMENT, [(r["text"], r["label"], None) for r in chosen])


def same_questions(limit: int, seed: int) -> Set:
    """Pairs that people called the same: for closeness of meaning only."""
    found = [
        Candidate(0, row["question1"], row["question2"], "")
        for row in rows("qqp/train_2k.jsonl.gz")
        if row["label"] == "duplicate"
    ] + [
        Candidate(0, row["sentence1"], row["sentence2"], "")
        for row in rows("mrpc/validation.jsonl.gz")
        if row["label"] == "paraphrase"
    ]
    return Set("called the same, QQP and MRPC", SENTIMENT, True, some(found, limit, seed))


KINDS: dict[str, tuple[Callable[[int, int], Set], ...]] = {
    "pair": (
        human_hypotheses,
        written_hypotheses,
        symmetric_claims,
        negated_claims,
        rule_claims,
        rule_hypotheses,
    ),
    "single": (human_reviews, written_reviews, rule_reviews),
}


# Checks and thresholds


class Models:
    """The models behind the checks, and what they said, each text once."""

    def __init__(self, limit: int, seed: int) -> None:
        self.memory = ModelCache()
        self.encoded = CachedEncoder(MiniLM.load(), self.memory)
        self.entailment = Entailment.load()
        self.names = NamesCheck.of(row[column] for name, column in WORDS for row in islice(rows(name), 3000))
        self.seed = seed
        self._classifiers: dict[str, ClassifiersCheck] = {}
        self.rows = max(60, min(800, 4 * limit))

    def classifiers(self, name: str, bounds: dict[str, float]) -> ClassifiersCheck:
        """Trained on film reviews or on sentences from them, as the candidates are."""
        source = "sst2_sentences/train.jsonl.gz" if "SST" in name else "imdb/train.jsonl.gz"
        if source not in self._classifiers:
            # The candidates come from other files: all have the number 0, which is any row.
            chosen = some(list(islice(rows(source), 3 * self.rows)), self.rows, self.seed)
            texts, labels = [r["text"] for r in chosen], [str(r["label"]) for r in chosen]
            self._classifiers[source] = ClassifiersCheck(
                texts, labels, Bounds(**bounds), vectors=self.encoded, seed=self.seed
            )
        found = self._classifiers[source]
        found.bounds = Bounds(**bounds)
        return found

    def checks(self, group: Set, bounds: dict[str, dict[str, float]]) -> list[Check]:
        """What a verifier of this set's dataset would have, without a judge."""
        found: list[Check] = [
            SurfaceCheck(group.task.labels),
            AddedWordsCheck(),
            OrdersCheck(),
            NegationCheck(),
            NumbersCheck(),
            self.names,
        ]
        if group.task.is_pair:
            found.append(OtherLabelCheck(group.task))
        found.append(MeaningCheck(self.encoded, **bounds["meaning"]))
        if group.task.is_pair:
            found.append(EntailmentCheck(group.task, self.entailment, self.memory, **bounds["entailment"]))
        else:
            found.append(self.classifiers(group.name, bounds["classifiers"]))
        return found


def judge_all(groups: Sequence[Set], models: Models, bounds: dict[str, dict[str, float]]) -> None:
    """Let every check look at every candidate."""
    for group in groups:
        group.verdicts = {check.name: check(group.candidates) for check in models.checks(group, bounds)}


def choose_bounds(kinds: dict[str, list[Set]], models: Models, bounds: Any) -> dict[str, Any]:
    """Thresholds from the first half of the rows: closeness by what right candidates need, the rest by fewest errors."""
    right = [g for groups in kinds.values() for g in groups if g.is_right]
    cosines = [v.score for g in right for v in _half(g.verdicts["meaning"], 0) if v.score is not None]
    if cosines:
        bounds["meaning"]["low"] = round(float(np.clip(np.quantile(cosines, FALSE_REJECTS), 0.6, 0.9)), 2)
    for check, grid in GRIDS.items():
        kind = "pair" if check == "entailment" else "single"
        best = (9.0, bounds[check])
        for values in grid:
            tried = {**bounds, check: values}
            judge_only(kinds[kind], models, tried, check)
            errors = mean_error(kinds[kind], check, 0)
            best = min(best, (errors, values), key=lambda pair: pair[0])
        bounds[check] = best[1]
    return bounds


GRIDS: dict[str, list[dict[str, float]]] = {
    "entailment": [
        {"least": least, "share": share, "mutual": mutual, "least_label": max(0.6, least)}
        for least in (0.3, 0.4, 0.5, 0.6)
        for share in (0.6, 0.8, 0.95)
        for mutual in (0.8, 0.9, 0.95, 2.0)
    ],
    "classifiers": [
        {"least": least, "share": share, "doubt": doubt}
        for least in (0.3, 0.4, 0.5)
        for share in (0.5, 0.65, 0.8)
        for doubt in (0.5, 0.6, 0.7)
    ],
}


def judge_only(groups: Sequence[Set], models: Models, bounds: Any, name: str) -> None:
    """Let one check look again, with other thresholds; what its model said is known."""
    for group in groups:
        check = next(c for c in models.checks(group, bounds) if c.name == name)
        if isinstance(check, ClassifiersCheck):
            if not group.own[0]:
                labels = [c.label for c in group.candidates]
                group.own = tuple(
                    check.own([0] * len(labels), [getattr(c, side) for c in group.candidates], labels)
                    for side in ("after", "before")
                )
            group.verdicts[name] = [check.compare(*one) for one in zip(*group.own, strict=True)]
        else:
            group.verdicts[name] = check(group.candidates)


def mean_error(groups: Sequence[Set], check: str, half: int) -> float:
    """The mean of both error rates, each set counting alike."""
    sides = []
    for is_right in (True, False):
        shares = [
            np.mean([v.passed != is_right for v in part])
            for g in groups
            if g.is_right == is_right and (part := _half(g.verdicts[check], half))
        ]
        sides.append(float(np.mean(shares)) if shares else 0.0)
    return sum(sides) / 2


def _half(items: Sequence[Any], half: int) -> list[Any]:
    return list(items[half::2])


def rates_of(groups: Sequence[Set]) -> dict[str, Any]:
    """Error rates of each check and of all together, on the second half of the rows."""
    names = list(groups[0].verdicts)
    found = {}
    for name in [*names, "all"]:
        counts = {True: [0, 0], False: [0, 0]}
        for group in groups:
            for verdicts in _half(_passes(group, names if name == "all" else [name]), 1):
                counts[group.is_right][0] += verdicts != group.is_right
                counts[group.is_right][1] += 1
        found[name] = {
            "false_accept": asdict(Rate.of(*counts[False])),
            "false_reject": asdict(Rate.of(*counts[True])),
        }
    return found


def _passes(group: Set, names: Sequence[str]) -> list[bool]:
    return [all(group.verdicts[name][i].passed for name in names) for i in range(len(group.candidates))]


def tables(kinds: dict[str, list[Set]], rates: dict[str, Any], same: Set) -> None:
    console = Console()
    for kind, groups in kinds.items():
        table = Table("check", "false accepts", "false rejects", title=f"{kind}: error rates, 95% intervals")
        for name, sides in rates[kind].items():
            table.add_row(name, *(_shown(sides[side]) for side in ("false_accept", "false_reject")))
        console.print(table)
        table = Table(
            "candidates", "label", "n", "passed all", title=f"{kind}: all checks together, all rows"
        )
        for group in groups:
            passes = _passes(group, list(group.verdicts))
            label = "holds" if group.is_right else "another"
            table.add_row(group.name, label, str(len(passes)), f"{np.mean(passes) if passes else 0:.1%}")
        console.print(table)
    cosines = np.array([v.score for v in same.verdicts["meaning"]])
    console.print(
        f"{same.name}: cosine {np.mean(cosines):.2f} on average, 5% below {np.quantile(cosines, 0.05):.2f}"
    )


def _shown(side: dict[str, float]) -> str:
    return f"{side['share']:.1%} ({side['low']:.1%} to {side['high']:.1%}, n = {side['n']})"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=int, default=200, help="candidates of each origin")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--keep", action="store_true", help="keep the thresholds; measure the error rates alone"
    )
    parser.add_argument("--write", action="store_true", help="write calibration.json")
    args = parser.parse_args()
    bounds = json.loads(FILE.read_text(encoding="utf-8"))["bounds"]
    kinds = {kind: [make(args.limit, args.seed) for make in makers] for kind, makers in KINDS.items()}
    same = same_questions(args.limit, args.seed)
    models = Models(args.limit, args.seed)
    for groups in kinds.values():
        judge_all(groups, models, bounds)
    same.verdicts["meaning"] = MeaningCheck(models.encoded, **bounds["meaning"])(same.candidates)
    if not args.keep:
        bounds = choose_bounds(kinds, models, bounds)
        for kind, groups in kinds.items():
            for name in ("meaning", "entailment" if kind == "pair" else "classifiers"):
                judge_only(groups, models, bounds, name)
    rates = {kind: rates_of(groups) for kind, groups in kinds.items()}
    tables(kinds, rates, same)
    if args.write:
        FILE.write_text(json.dumps({"bounds": bounds, "rates": rates}, indent=1) + "\n", encoding="utf-8")
    finish(
        "runs/calibration.py",
        bounds=bounds,
        **{
            f"{side}_{kind}": rates[kind]["all"][side]["share"]
            for kind in rates
            for side in ("false_accept", "false_reject")
        },
    )


if __name__ == "__main__":
    main()
