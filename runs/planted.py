"""Where the truth is known: are planted shortcuts found, are they repaired, what is harmed, and does a model still use them?

python runs/planted.py
python runs/planted.py --prove                                what a model gets right where the plants point the wrong way
python runs/planted.py --prove --seeds 3 --only sst2 snli      means over three plantings
python runs/planted.py --prove --made DIR --model minilm-full --device cuda   with data that an earlier run left in DIR
python runs/planted.py --limit 200 --only claims

First the built-in sample, then every kind of plant in clean data (SST-2 sentences; SNLI for pairs), all kinds at once.

recall: planted shortcuts that the audit lists. false_discovery: patterns called findings where labels were shuffled, as a
share of what was tested. repaired: the mean share of what the planted shortcuts told about their label that is gone
after `longway repair` with its defaults. new_shortcuts: patterns that are stronger than a tenth of the weakest plant and
were not before, nor in the clean data (what a plant hides comes back with the repair). labels_changed: rows whose label in the written file is another.
Of clean data besides: rank of each plant among the findings; precision, plants among findings that the clean data did
not have; harm, the share of the real words that the repair changed. With --prove the accuracy on test rows that carry
a plant tied to the other label: trained on the clean data (as good as a repair could be), on the planted data, on the
repaired data, and by each method on the planted data.
"""

from __future__ import annotations

import argparse
import tempfile
from argparse import Namespace
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import common
from longway.data import Dataset, load
from longway.data.dataset import examples_of
from longway.detect.levels import where
from longway.errors import SettingError
from longway.jobs.audit.job import audit
from longway.jobs.audit.settings import AuditSettings, levels_named
from longway.jobs.before_after import PatternChange
from longway.jobs.plant.job import (
    KINDS,
    Plant,
    Planted,
    PlantedChange,
    information,
    plant,
    planted_changes,
    reversed_test,
)
from longway.jobs.prove.training import Cell, Version, train_cell
from longway.jobs.repair.job import repair as run_repair
from longway.jobs.repair.result import RepairResult
from longway.jobs.repair.settings import RepairSettings
from longway.models.classifier import Inputs, Labelled
from longway.models.training import TRAINING
from longway.records import Example, Finding
from longway.sample import NAMES, planted, sample_path
from plant_measures import Detection, Repair, detection, repair

SINGLE = tuple(sorted(kind for kind in KINDS if not KINDS[kind].needs_context))
CLEAN = {  # training rows, test rows, what is planted in them
    "sst2": ("sst2_sentences/train.jsonl.gz", "sst2_sentences/test.jsonl.gz", SINGLE),
    "snli": (
        "snli/train_balanced.jsonl.gz",
        "snli/test.jsonl.gz",
        ("overlap", "negation", "word", "template"),
    ),
}
RATE, STRENGTH, TEST_RATE = 0.1, 0.95, 0.2
ROWS, TEST_ROWS = 800, 600
QUICK = AuditSettings(levels=levels_named("-grammar"))


def is_listed(shortcut: dict[str, Any], found: list[Finding]) -> bool:
    """Whether the audit lists the shortcut, by itself or among the variants of another."""
    words = shortcut["match"]["words"]
    for finding in found:
        for one in (finding, *finding.variants):
            same_level = one.level == shortcut["level"] and one.label == shortcut["label"]
            if same_level and (one.level in ("length", "negation") or set(words) & set(one.pattern.words)):
                return True
    return False


def shuffled(dataset: Dataset, seed: int) -> Dataset:
    """The same texts with their labels in another order."""
    frame, columns = dataset.frame, dataset.columns
    order = np.random.default_rng(seed).permutation(frame.height)
    return load(
        frame.with_columns(frame[columns.label][order]),
        text=columns.text,
        context=columns.context or "",
        label=columns.label,
    )


def repaired(dataset: Dataset, options: Namespace) -> tuple[RepairResult, Dataset]:
    """The result of a repair with its defaults, and the dataset it wrote."""
    folder = Path(tempfile.mkdtemp()) / "run"
    result = run_repair(dataset, RepairSettings(seed=options.seed), out=folder)
    columns = dataset.columns
    after = load(
        next(folder.glob("dataset.*")),
        text=columns.text,
        context=columns.context or "",
        label=columns.label,
        split=columns.split,
    )
    return result, after


def new_shortcuts(result: RepairResult, mended: Repair, clean: Dataset) -> list[str]:
    """Patterns that became stronger than a tenth of the weakest plant, and were weaker in the clean data too."""
    bound = min(one.before.nats for one in mended.plants) / 10
    stronger = [one for one in result.comparison.worse if one.gain_after > bound >= one.gain_before]
    return [one.pattern.name for one in stronger if information_in(clean, one) <= bound]


def information_in(dataset: Dataset, one: PatternChange) -> float:
    """What a pattern says about its label in a dataset, in nats per row."""
    columns, rows = dataset.columns, examples_of(dataset)
    shown = [
        where(one.pattern, {columns.text: row.text, columns.context or "": row.context or ""}) is not None
        for row in rows
    ]
    return information(np.array(shown), [row.label for row in rows], one.label).nats


def one_sample(name: str, options: Namespace) -> dict[str, Any]:
    whole = load(sample_path(name), limit=options.limit)
    train = whole.select_split("train")
    found = audit(whole, settings=QUICK).findings
    null = audit(shuffled(train, options.seed), settings=QUICK)
    result, after = repaired(whole, options)
    leak = result.comparison.leak
    assert leak is not None  # the samples have labels
    return {
        "listed": [is_listed(shortcut, found) for shortcut in planted(name)],
        "false": sum(null.significant.values()),
        "tested": sum(null.tested.values()),
        "fates": planted_changes(name, train, after.select_split("train")),
        "labels_changed": labels_changed(train, after),
        "leak": (leak.before.accuracy, leak.after.accuracy),
        "changed": result.changed,
    }


def labels_changed(before: Dataset, after: Dataset) -> int:
    """Rows of the data whose label is another one after the repair."""
    was = {row.id: row.label for row in examples_of(before)}
    return sum(was.get(row.id, row.label) != row.label for row in examples_of(after))


def show(name: str, found: dict[str, Any]) -> None:
    print(
        f"\n{name}: {found['changed']} texts changed, leak {found['leak'][0]:.1%} -> {found['leak'][1]:.1%}"
    )
    print(f"  {'planted':24}{'found':8}{'rows':>12}{'share':>14}{'repaired':>10}")
    fate: PlantedChange
    for fate, listed in zip(found["fates"], found["listed"], strict=True):
        rows = f"{fate.before.count} -> {fate.after.count}"
        share = f"{fate.before.share:.0%} -> {fate.after.share:.0%}"
        print(f"  {fate.pattern:24}{'yes' if listed else 'no':8}{rows:>12}{share:>14}{fate.repaired:>10.0%}")
    print(f"  labels shuffled: {found['false']} of {found['tested']:,} patterns called findings")


def dataset_of(rows: Sequence[Example]) -> Dataset:
    """The rows as a dataset."""
    has_context = rows[0].context is not None
    listed = [
        {"id": row.id, "text": row.text, "label": row.label}
        | ({"context": row.context} if has_context else {})
        for row in rows
    ]
    return load(listed, text="text", label="label", id="id", context="context" if has_context else "")


def one_corpus(name: str, options: Namespace) -> dict[str, Any]:
    """Every kind planted in clean data at once: found, repaired, harmed, and proved where that is asked for."""
    train, test, kinds = CLEAN[name]
    data = load(common.DATA / train, limit=min(options.limit or ROWS, ROWS))
    clean = examples_of(data)
    asked = [
        Plant(kind, label=data.labels[i % len(data.labels)], strength=STRENGTH, rate=RATE)
        for i, kind in enumerate(kinds)
    ]
    made = plant(clean, asked, seed=options.seed)
    before = dataset_of(made.rows)
    own = audit(data, settings=replace(QUICK, max_q=1.0)).findings
    found = detection(audit(before, settings=QUICK).findings, made.truth, clean=own)
    after, compared = repaired_once(name, before, options)
    mended = repair(made.truth, clean, made.rows, examples_of(after))
    new = [] if compared is None else new_shortcuts(compared, mended, dataset_of(clean))
    result = {"found": found, "repair": mended, "new": new}
    if options.prove:
        test_rows = examples_of(load(common.DATA / test, limit=min(options.limit or TEST_ROWS, TEST_ROWS)))
        result["proof"] = prove(data, before, after, test_rows, made, options)
    return result


def repaired_once(name: str, before: Dataset, options: Namespace) -> tuple[Dataset, RepairResult | None]:
    """The repaired dataset, from the folder of an earlier run if it is there; and the result of the repair, None if it was made earlier."""
    kept = (
        None if options.made is None else options.made / f"{name}-{before.frame.height}-{options.seed}.jsonl"
    )
    if kept is not None and kept.exists():
        has_context = before.columns.context is not None
        found = load(kept, text="text", label="label", id="id", context="context" if has_context else "")
        return found, None
    result, after = repaired(before, options)
    after = dataset_of(examples_of(after))
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        after.frame.write_ndjson(kept)
    return after, result


def prove(
    clean: Dataset,
    before: Dataset,
    after: Dataset,
    test_rows: list[Example],
    made: Planted,
    options: Namespace,
) -> dict[str, dict[str, float]]:
    """For each way of training the accuracy on clean test rows, and on those that carry each plant reversed."""
    tests = {"clean": labelled(test_rows)}
    for one in made.plants:
        turned = reversed_test(test_rows, [replace(one, rate=TEST_RATE)], seed=options.seed)
        carrying = set(turned.truth[0].ids)
        tests[one.kind] = labelled([row for row in turned.rows if row.id in carrying])
    datasets = {"clean": clean, "before": before, "after": after}
    versions = {name: Version(name, dataset) for name, dataset in datasets.items()}
    cells = [*((name, "erm") for name in versions), *(("before", name) for name in TRAINING if name != "erm")]
    return {
        f"{name} {data}" if name == "erm" else name: accuracies(versions[data], name, tests, options)
        for data, name in cells
    }


def accuracies(
    version: Version, method: str, tests: dict[str, Labelled], options: Namespace
) -> dict[str, float]:
    """The accuracy on each test set; none where the method cannot work on the data."""
    cell = Cell(version.name, options.model, method, options.seed)
    inputs = {name: test.inputs for name, test in tests.items()}
    try:
        trained = train_cell(cell, version.training_data(method), inputs, device=options.device)
    except SettingError as error:
        print(f"  {method}: {error}")
        return {}
    answers = {name: logits.argmax(axis=1) for name, logits in trained.logits.items()}
    return {
        name: float(
            np.mean([trained.labels[i] == label for i, label in zip(answers[name], test.labels, strict=True)])
        )
        for name, test in tests.items()
    }


def labelled(rows: Sequence[Example]) -> Labelled:
    contexts = [row.context or "" for row in rows] if rows and rows[0].context is not None else None
    return Labelled(Inputs([row.text for row in rows], contexts), [row.label for row in rows])


def show_corpus(name: str, results: list[dict[str, Any]]) -> None:
    """The mean over the plantings; how a plant is called is the first planting's."""
    found: list[Detection] = [result["found"] for result in results]
    mended: list[Repair] = [result["repair"] for result in results]
    print(
        f"\n{name}, all kinds planted, {len(results)} planting{'s' if len(results) > 1 else ''}: "
        f"precision {mean(one.precision for one in found):.0%}, recall {mean(one.recall for one in found):.0%}, "
        f"harm {mean(one.harm for one in mended):.1%} of the real words, "
        f"{sum(one.labels_changed for one in mended)} labels changed"
    )
    print(f"  {'plant':13}{'ranks':>14}  {'found as':28}{'rows':>12}{'share':>14}{'repaired':>10}")
    for i, first in enumerate(found[0].plants):
        fate = [one.plants[i] for one in mended]
        rows = f"{mean(f.before.count for f in fate):.0f} -> {mean(f.after.count for f in fate):.0f}"
        share = f"{mean(f.before.share for f in fate):.0%} -> {mean(f.after.share for f in fate):.0%}"
        ranks = " ".join("-" if one.plants[i].rank is None else str(one.plants[i].rank) for one in found)
        gone = mean(f.gone for f in fate)
        print(f"  {first.kind:13}{ranks:>14}  {first.pattern[:26]:28}{rows:>12}{share:>14}{gone:>10.0%}")
    if proof := mean_proof(results):
        show_proof(proof)


def mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def mean_proof(results: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """The accuracies of all plantings, averaged; a way that failed in one of them is left out."""
    proofs = [result.get("proof", {}) for result in results]
    return {
        way: {test: mean(proof[way][test] for proof in proofs) for test in by_test}
        for way, by_test in proofs[0].items()
        if all(proof[way] for proof in proofs)
    }


def show_proof(proof: dict[str, dict[str, float]]) -> None:
    print("\n  accuracy on test rows that carry the plant, reversed; clean: on all test rows as they are")
    print(f"  {'plant':13}" + "".join(f"{way:>12}" for way in proof))
    for test in next(iter(proof.values())):
        print(f"  {test:13}" + "".join(f"{proof[way][test]:>12.0%}" for way in proof))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=int, help="rows of each sample and dataset")
    parser.add_argument("--only", nargs="+", default=[*NAMES, *CLEAN], choices=[*NAMES, *CLEAN])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--prove", action="store_true", help="train before and after, and by every method")
    parser.add_argument("--model", default="bow", help="what is trained, with --prove")
    parser.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    parser.add_argument(
        "--seeds", type=int, default=1, help="plantings of the clean data, from --seed upwards"
    )
    parser.add_argument("--made", type=Path, help="folder that keeps the repaired data from run to run")
    options = parser.parse_args()
    results = {name: one_sample(name, options) for name in options.only if name in NAMES}
    for name, found in results.items():
        show(name, found)
    planted_in: dict[str, list[dict[str, Any]]] = {}
    for name in (name for name in options.only if name in CLEAN):
        if not (common.DATA / CLEAN[name][0]).exists():
            print(f"\n{name}: left out, {common.DATA / CLEAN[name][0]} is not there")
            continue
        seeds = range(options.seed, options.seed + options.seeds)
        planted_in[name] = [one_corpus(name, Namespace(**{**vars(options), "seed": s})) for s in seeds]
        show_corpus(name, planted_in[name])
    listed = [yes for found in results.values() for yes in found["listed"]]
    gone = [fate.repaired for found in results.values() for fate in found["fates"]]
    tested = sum(found["tested"] for found in results.values())
    common.finish(
        "runs/planted.py",
        recall=sum(listed) / len(listed) if listed else None,
        false_discovery=sum(found["false"] for found in results.values()) / tested if tested else None,
        repaired=float(np.mean(gone)) if gone else None,
        repaired_by_kind=by_kind(planted_in.values()),
        new_shortcuts=[name for each in planted_in.values() for one in each for name in one["new"]],
        labels_changed=sum(found["labels_changed"] for found in results.values())
        + sum(one["repair"].labels_changed for each in planted_in.values() for one in each),
        by_shortcut={fate.pattern: fate.repaired for found in results.values() for fate in found["fates"]},
        clean={name: figures(results) for name, results in planted_in.items()},
    )


def by_kind(planted_in: Iterable[list[dict[str, Any]]]) -> dict[str, float]:
    """The mean share of each kind of plant that is gone."""
    shares: dict[str, list[float]] = {}
    for result in (one for each in planted_in for one in each):
        for fate in result["repair"].plants:
            shares.setdefault(fate.kind, []).append(fate.gone)
    return {kind: mean(given) for kind, given in sorted(shares.items())}


def figures(results: list[dict[str, Any]]) -> dict[str, Any]:
    """What the closing line says of one dataset: means over its plantings."""
    repairs: list[Repair] = [result["repair"] for result in results]
    kinds = [one.kind for one in repairs[0].plants]
    return {
        "plantings": len(results),
        "precision": mean(result["found"].precision for result in results),
        "recall": mean(result["found"].recall for result in results),
        "rank": {
            kind: [result["found"].plants[i].rank for result in results] for i, kind in enumerate(kinds)
        },
        "repaired": {kind: mean(one.plants[i].gone for one in repairs) for i, kind in enumerate(kinds)},
        "harm": mean(one.harm for one in repairs),
        "labels_changed": sum(one.labels_changed for one in repairs),
        "lost": sum(one.lost for one in repairs),
        "proof": mean_proof(results),
    }


if __name__ == "__main__":
    main()
