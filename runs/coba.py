"""CoBA: does adding counterbias rows make words stop predicting the label, and models hold where shortcuts do not help?

python runs/coba.py                                            IMDb and SNLI, 2,000 rows, the rules engine, bag of words
python runs/coba.py --data imdb --model bow minilm
python runs/coba.py --made DIR --device cuda --model minilm-full      only train, on versions that an earlier run left in DIR
python runs/coba.py --engine served:MODEL --base-url http://localhost:8000/v1 --budget 2

Hate speech (--data hate) is for the paper's appendix E: human contrast pairs, of which a fifth is held out; the rules know no
opposite of hate, so that it is measured with the pairs as given rewrites.

Versions of the data: plain; eda, one text added for each row; coba, by the engine; and, from other originals, given: rewrites by
large language models, recorded, that go through the same checks (given_plain are their originals alone). Trained on each with
three seeds, tested on the test set, on human counterfactuals and out of domain (AUROC there, as in the paper). The checks and the number of words were chosen with
"cad" in view (notes/LOG.md); "cad_more", the other human counterfactuals, had no part in that. spurious_mi:
mean nats that the most common spurious words tell about the label. gender: the share of predictions on test rows that change when
somebody's gender in them is changed by rules.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from argparse import Namespace
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import common
from longway.classify.catalog import model_named
from longway.classify.classifier import Inputs, Labelled
from longway.jobs.run import Watcher

DATA: dict[str, dict[str, Any]] = {
    "imdb": {
        "train": "imdb/train.jsonl.gz",
        "tests": {
            "test": "imdb/test.jsonl.gz",
            "cad": "human_cad_imdb/dev.jsonl.gz",
            "cad_more": "human_cad_imdb/train.jsonl.gz",
            "sst2": "sst2_sentences/test.jsonl.gz",
            "yelp": "yelp_sentences/dev_sample.jsonl.gz",
        },
        "text": "text",
        "context": None,
    },
    "snli": {
        "train": "snli/train_balanced.jsonl.gz",
        "tests": {
            "test": "snli/test.jsonl.gz",
            "cad": "human_cad_snli/revised_combined_dev.jsonl.gz",
            "mnli": "mnli/dev_matched.jsonl.gz",
        },
        "text": "hypothesis",
        "context": "premise",
    },
    "hate": {
        "train": "hate_speech_human_cf/dev.jsonl.gz",
        "tests": {"test": "hate_speech_human_cf/dev.jsonl.gz", "cad": "hate_speech_human_cf/dev.jsonl.gz"},
        "text": "text",
        "context": None,
    },
}
VERSIONS = ("plain", "eda", "coba", "given_plain", "given")
GENDER_ROWS = 1000  # test rows that are looked through for somebody whose gender can be changed
FIELDS = ("id", "text", "context", "label")
Row = dict[str, str]


class Printing(Watcher):
    """Prints each step of a run."""

    def __init__(self, name: str) -> None:
        self.name = name

    def step(self, name: str) -> None:
        print(f"  {self.name}: {name}", flush=True)


def lines_of(file: str) -> list[dict[str, Any]]:
    with gzip.open(common.data(file), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def read(name: str, file: str, *, limit: int | None, seed: int = 0, part: str = "train") -> list[Row]:
    """Rows with id, text, context and label, drawn at random where there are more than wanted.

    part: only matters where one file has all: "train", "test" or "cad".
    """
    task, rows = DATA[name], lines_of(file)
    if name == "hate":
        rows = hate(rows, part)
    order = np.random.default_rng(seed).permutation(len(rows))[: limit or len(rows)]
    return [
        {
            "id": str(i),
            "text": rows[i][task["text"]],
            "label": rows[i]["label"],
            **({"context": rows[i][task["context"]]} if task["context"] else {}),
        }
        for i in sorted(order.tolist())
    ]


def hate(rows: list[dict[str, Any]], part: str) -> list[dict[str, Any]]:
    """Four fifths to train on; of the rest the texts, or the contrasts that people wrote to them."""
    rows = [row for i, row in enumerate(rows) if (i % 5 == 4) == (part != "train")]
    return [{"text": row["cf_text"], "label": row["cf_label"]} for row in rows] if part == "cad" else rows


def given_hate(limit: int) -> tuple[list[Row], list[Row]]:
    """Texts, and the contrasts that people wrote to them."""
    pairs = hate(lines_of(DATA["hate"]["train"]), "train")[:limit]
    rows = [{"id": str(i), "text": pair["text"], "label": pair["label"]} for i, pair in enumerate(pairs)]
    new = [
        {"source": str(i), "text": pair["cf_text"], "label": pair["cf_label"]} for i, pair in enumerate(pairs)
    ]
    return rows, new


def given_imdb(limit: int) -> tuple[list[Row], list[Row]]:
    """Reviews, and what language models made of them; none that is among the human counterfactuals tested on."""
    tested = {row["text"] for row in lines_of(DATA["imdb"]["tests"]["cad"])}
    pairs = [pair for pair in lines_of("llm_counterfactuals_imdb/pairs.jsonl.gz") if pair["split"] == "train"]
    pairs = [pair for pair in pairs if pair["original"] not in tested]
    originals = {pair["original"]: pair["original_label"] for pair in pairs}
    kept = dict(list(originals.items())[:limit])
    rows = [{"id": str(i), "text": text, "label": label} for i, (text, label) in enumerate(kept.items())]
    new = [
        {"source": pair["original"], "text": pair["counterfactual"], "label": pair["counterfactual_label"]}
        for pair in pairs
        if pair["original"] in kept
    ]
    return rows, new


def given_snli(limit: int) -> tuple[list[Row], list[Row]]:
    """Pairs, and what language models made of them: the side that was not revised says which pair it was."""
    rows = [
        {"id": str(i), "text": row["hypothesis"], "context": row["premise"], "label": row["label"]}
        for i, row in enumerate(lines_of("human_cad_snli/original_train.jsonl.gz")[:limit])
    ]
    sides = {"premise": "text", "hypothesis": "context"}  # what stayed where this one was revised
    known = {side: {row[side]: row["id"] for row in rows} for side in sides.values()}
    new = []
    for row in lines_of("llm_counterfactuals_snli/revised.jsonl.gz"):
        stayed = sides[row["revised"]]
        source = known[stayed].get(row["hypothesis" if stayed == "text" else "premise"])
        if row["split"] == "train" and source is not None:
            new.append(
                {
                    "source": source,
                    "text": row["hypothesis"],
                    "context": row["premise"],
                    "label": row["label"],
                }
            )
    return rows, new


def some_of_each(new: list[Row], most: int, seed: int) -> list[Row]:
    """At most so many rewrites of each source, drawn at random, in their old order."""
    taken: Counter[str] = Counter()
    kept = []
    for i in np.random.default_rng(seed).permutation(len(new)).tolist():
        if taken[new[i]["source"]] < most:
            taken[new[i]["source"]] += 1
            kept.append(i)
    return [new[i] for i in sorted(kept)]


GIVEN = {"imdb": given_imdb, "snli": given_snli, "hate": given_hate}


def make(name: str, options: Namespace, folder: Path) -> dict[str, Any]:
    """Write every version of the data into the folder; gives what the augmentations say of themselves."""
    from longway.jobs.augment.settings import AugmentSettings

    rows = read(name, DATA[name]["train"], limit=options.limit, seed=options.seed)
    write(folder / f"{name}-plain.jsonl", rows)
    more = {"models": tuple(options.classifiers)} if options.classifiers else {}
    about = {
        "eda": augmented(
            name, "eda", rows, folder, options, AugmentSettings(method="eda", seed=options.seed)
        ),
        "coba": augmented(
            name,
            "coba",
            rows,
            folder,
            options,
            AugmentSettings(
                engine=options.engine,
                judge=options.judge,
                variants=options.variants,
                top_k=options.top_k,
                mixed="principal",
                importance=options.importance,
                seed=options.seed,
                **more,
            ),
        ),
    }
    originals, new = GIVEN[name](options.limit)
    write(folder / f"{name}-given_plain.jsonl", originals)
    write(folder / f"{name}-rewrites.jsonl", some_of_each(new, options.rewrites, options.seed))
    settings = AugmentSettings(
        method="given",
        rewrites=str(folder / f"{name}-rewrites.jsonl"),
        judge="none",
        seed=options.seed,
        **more,
    )
    about["given"] = augmented(name, "given", originals, folder, options, settings)
    (folder / f"{name}-about.json").write_text(json.dumps(about), encoding="utf-8")
    return about


def augmented(
    name: str, version: str, rows: list[Row], folder: Path, options: Namespace, settings: Any
) -> dict[str, Any]:
    """Run one augmentation, write its dataset, and give the part of augment.json that is shown."""
    from longway.data import load
    from longway.data.dataset import examples_of
    from longway.jobs.augment.job import augment
    from longway.jobs.engine_use import Engines

    columns = {
        "text": "text",
        "label": "label",
        "id": "id",
        "context": "context" if "context" in rows[0] else "",
    }
    result = augment(
        load(rows, **columns),
        settings,
        engines=Engines(options.base_url, budget=options.budget),
        out=folder / f"{name}-{version}-run",
        watcher=Printing(f"{name} {version}"),
    )
    after = examples_of(load(next(result.folder.glob("dataset.*")), **columns))
    found = result.to_dict()
    write(
        folder / f"{name}-{version}.jsonl",
        [
            {field: getattr(one, field) for field in FIELDS if getattr(one, field) is not None}
            for one in after
        ],
    )
    keys = (
        "asked",
        "candidates",
        "accepted",
        "refused",
        "words",
        "diversity",
        "cost",
        "added_by_label",
        "refusals",
    )
    return {key: found[key] for key in keys if key in found} | {"analysis": found.get("analysis")}


def write(path: Path, rows: list[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def make_gender(name: str, options: Namespace, folder: Path) -> None:
    """Write test rows in which one person's gender was changed: what the fairscore is measured on."""
    from longway.data import load
    from longway.jobs.perturb.perturbing import Perturbing
    from longway.jobs.perturb.settings import PerturbSettings
    from longway.methods.perturb.rule_perturber import RulePerturber

    rows = read(
        name,
        DATA[name]["tests"]["test"],
        limit=min(GENDER_ROWS, options.test_limit),
        seed=options.seed,
        part="test",
    )
    context = "context" if "context" in rows[0] else ""
    perturbing = Perturbing(
        load(rows, text="text", label="label", id="id", context=context), PerturbSettings(axes=("gender",))
    )
    pairs = []
    for outcome in perturbing.run(RulePerturber(read=perturbing.documents)):
        if outcome.taken is not None:
            segments = outcome.taken.perturbed.segments
            new = {"text": segments[-1], **({"context": segments[0]} if len(segments) > 1 else {})}
            pairs.append({**rows[outcome.row], "new": {**rows[outcome.row], **new}})
    write(folder / f"{name}-gender.jsonl", pairs)


def rows_in(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def show_made(name: str, about: dict[str, Any]) -> None:
    for version in ("coba", "given"):
        made = about[version]
        asked = made["asked"] or 1
        print(
            f"\n{name}, {version}: {made['asked']} rows asked, {made['candidates']} texts, {made['accepted']} added "
            f"({made['accepted'] / asked:.0%} of the rows)"
        )
        for refused in made.get("refused", [])[:6]:
            print(f"  refused: {refused['reason'][:70]:72}{refused['count']:>6}")
        for reason, n in list((made.get("refusals") or {}).items())[:4]:
            print(f"  no text: {reason[:70]:72}{n:>6}")
    words = about["coba"]["words"]
    if words:
        before, after = (np.mean([word[f"mi_{side}"] for word in words]) for side in ("before", "after"))
        print(
            f"  spurious words, mean nats about the label: {before:.5f} -> {after:.5f} ({len(words)} words)"
        )
        for word in words[:8]:
            print(
                f"    {word['word']:16}{word['label']:12}{word['rows_before']:>6} -> {word['rows_after']:<6}"
                f"{word['mi_before']:>9.4f} -> {word['mi_after']:.4f}"
            )


def labelled(rows: list[Row]) -> Labelled:
    contexts = [row["context"] for row in rows] if "context" in rows[0] else None
    return Labelled(Inputs([row["text"] for row in rows], contexts), [row["label"] for row in rows])


def train(name: str, folder: Path, options: Namespace) -> list[dict[str, Any]]:
    """Train every model on every version; accuracy on test and counterfactuals, AUROC out of domain."""
    tests = {
        test: labelled(
            read(name, file, limit=options.test_limit if not test.startswith("cad") else None, part=test)
        )
        for test, file in DATA[name]["tests"].items()
    }
    pairs = rows_in(folder / f"{name}-gender.jsonl") if (folder / f"{name}-gender.jsonl").exists() else []
    results = []
    for model in options.model:
        print(
            f"\n{name}, {model}, mean of {options.seeds} seeds; gender: fairscore on {len(pairs)} test rows"
        )
        print(f"  {'trained on':16}{'rows':>8}" + "".join(f"{test:>16}" for test in [*tests, "gender"]))
        for version in options.versions:
            path = folder / f"{name}-{version}.jsonl"
            if not path.exists():
                continue
            rows = rows_in(path)
            found: dict[str, list[float]] = {test: [] for test in [*tests, "gender"]}
            for seed in range(options.seeds):
                fitted = model_named(model, seed=seed, device=options.device, cache=options.cache).fit(
                    labelled(rows)
                )
                for test, data in tests.items():
                    if test == "cad_more" and version.startswith("given"):
                        found[test].append(float("nan"))  # the originals of these rewrites are among them
                        continue
                    found[test].append(
                        measure(fitted, data, auroc=test != "test" and not test.startswith("cad"))
                    )
                found["gender"].append(moved(fitted, pairs) if pairs else float("nan"))
            cells = "".join(f"{np.mean(each):>9.1%} ± {np.std(each):<4.1%}" for each in found.values())
            print(f"  {version:16}{len(rows):>8}{cells}", flush=True)
            results.append(
                {"data": name, "model": model, "version": version, "rows": len(rows)}
                | {test: float(np.mean(each)) for test, each in found.items()}
                | {f"{test}_std": float(np.std(each)) for test, each in found.items()}
            )
    return results


def moved(model: Any, pairs: list[dict[str, Any]]) -> float:
    """The share of predictions that change with a person's gender (the fairscore, Eq. 1 of the perturbation paper)."""
    before, after = labelled(pairs), labelled([pair["new"] for pair in pairs])
    answers = zip(model.predict(before.inputs), model.predict(after.inputs), strict=True)
    return float(np.mean([old != new for old, new in answers]))


def measure(model: Any, data: Labelled, *, auroc: bool) -> float:
    if not auroc:
        return float(np.mean([a == b for a, b in zip(model.predict(data.inputs), data.labels, strict=True)]))
    from sklearn.metrics import roc_auc_score

    known = model.predict_proba(data.inputs)
    truth = [model.labels_.index(label) for label in data.labels]
    if len(model.labels_) == 2:
        return float(roc_auc_score(truth, known[:, 1]))
    return float(roc_auc_score(truth, known, multi_class="ovr"))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", nargs="+", default=["imdb", "snli"], choices=list(DATA))
    parser.add_argument("--limit", type=int, default=2000, help="training rows")
    parser.add_argument(
        "--test-limit", type=int, default=2000, help="rows of each test set; human counterfactuals: all"
    )
    parser.add_argument("--model", nargs="+", default=["bow"], help="what is trained on the versions")
    parser.add_argument(
        "--classifiers", nargs="+", help="models of the vote; the five of the product by default"
    )
    parser.add_argument("--top-k", type=int, default=20, help="words of each classifier; the paper has 5")
    parser.add_argument("--importance", default="ig", choices=["ig", "lime", "shapley"])
    parser.add_argument("--engine", default="rules")
    parser.add_argument("--judge", default="none")
    parser.add_argument("--base-url")
    parser.add_argument("--budget", type=float)
    parser.add_argument("--variants", type=int, default=1)
    parser.add_argument(
        "--rewrites", type=int, default=4, help="at most so many given rewrites of one source"
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--cache", type=Path, help="file that keeps an encoder's vectors from run to run")
    parser.add_argument("--versions", nargs="+", default=list(VERSIONS), choices=VERSIONS)
    parser.add_argument(
        "--made", type=Path, help="folder that keeps the versions; where they are there, only trains"
    )
    options = parser.parse_args()
    folder = options.made or Path(tempfile.mkdtemp())
    about: dict[str, Any] = {}
    results: list[dict[str, Any]] = []
    for name in options.data:
        kept = folder / f"{name}-about.json"
        about[name] = json.loads(kept.read_text("utf-8")) if kept.exists() else make(name, options, folder)
        if not (folder / f"{name}-gender.jsonl").exists():
            make_gender(name, options, folder)
        show_made(name, about[name])
        results += train(name, folder, options)
    common.finish("runs/coba.py", rows=results, **figures(options, about, results))


def figures(options: Namespace, about: dict[str, Any], results: list[dict[str, Any]]) -> dict[str, Any]:
    """The keys that other tools read, for the first data and model; the rest is in `rows`."""
    name, model = options.data[0], options.model[0]
    of = {row["version"]: row for row in results if (row["data"], row["model"]) == (name, model)}
    words = about[name]["coba"]["words"]
    made = Counter({version: each["accepted"] for version, each in about[name].items()})
    return {
        **{f"cad_{version}": row["cad"] for version, row in of.items()},
        **{f"test_{version}": row["test"] for version, row in of.items()},
        "spurious_mi_before": float(np.mean([word["mi_before"] for word in words])) if words else None,
        "spurious_mi_after": float(np.mean([word["mi_after"] for word in words])) if words else None,
        "accepted": dict(made),
    }


if __name__ == "__main__":
    main()
