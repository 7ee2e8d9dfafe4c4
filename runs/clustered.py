"""Do findings survive clustered data? Random labels per cluster, and planted words, on rows that repeat claims or share evidence.

    python runs/clustered.py                        all sizes and kinds, 100 audits each (some minutes)
    python runs/clustered.py --audits 20 --only context
    python runs/clustered.py --grammar              random labels with the grammar level, too: rows cut short, a minute per kind and size to learn it
    python runs/clustered.py --intervals            intervals and verdicts of a proof on simulated test sets
    python runs/clustered.py --picture docs/images/clustered.svg

Rows are made of FEVER's claims and evidence. A cluster of the kind "claim" repeats one claim with different evidence; "context" has one
evidence with different claims cut from it, so that they share words; in "both" some rows share the claim and others the evidence, connected by one row. Sizes are 1, 2, 8 or drawn as in real files
("skewed": many small clusters, a few of a hundred rows). Each cluster has a random label: whatever is found is false. Three ways to
test are compared: every row counts (rows), one row of each cluster is drawn (one each), and the design effect, which is what `longway audit`
uses. For power, a word is put into 30% of the clusters of one label and 3% of the other, and once more into single rows (6% and 1%) of clusters with
mixed labels, where every row is an observation.

The grammar level parses short pairs only, so `--grammar` cuts claims and evidence to a few words. Labels do not enter into the grammar, only into the
choice of the rows that it is learned from: it is learned once for each kind and size, from a sample that knows no labels, and the labels are drawn over its trees.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from pathlib import Path

import numpy as np

import common
from longway.data import Dataset, as_dataset
from longway.detect.clusters import Clusters
from longway.detect.findings import search
from longway.detect.levels import detectors_for
from longway.detect.reading import Reading
from longway.jobs.audit.grammar_level import ParsedSample, detector_of, parsed_sample
from longway.metrics.group_accuracy import group_accuracies
from longway.metrics.intervals import accuracy_estimate
from longway.metrics.paired import paired

SIZES = ("1", "2", "8", "skewed")
KINDS = ("claim", "context", "both")
WAYS = ("rows", "one each", "design effect")
N_ROWS = 1_200
WORD = "honestly"
SHORT = {"claim": 5, "evidence": 6}  # words, with the grammar level


def sizes_of(name: str, random: np.random.Generator) -> list[int]:
    """Cluster sizes that add up to about N_ROWS."""
    if name != "skewed":
        return [int(name)] * (N_ROWS // int(name))
    sizes: list[int] = []
    while sum(sizes) < N_ROWS:
        sizes.append(int(min(120, np.ceil(random.pareto(0.9) + 0.01))))
    return sizes


def made_rows(
    kind: str, sizes: list[int], pool: list[dict[str, str]], random: np.random.Generator
) -> list[dict[str, object]]:
    """Rows with the number of their cluster."""
    order = iter(random.permutation(len(pool)))
    rows: list[dict[str, object]] = []
    for cluster, size in enumerate(sizes):
        own = pool[next(order)]
        words = own["evidence"].split()
        for i in range(size):
            start = int(random.integers(0, max(1, len(words) - 9)))
            claim, evidence = " ".join(words[start : start + 9]), own["evidence"]
            if kind == "claim" or (kind == "both" and (i == 0 or i % 2)):
                claim = own["claim"]
            if kind == "claim" or (kind == "both" and i % 2):
                evidence = pool[int(random.integers(len(pool)))]["evidence"]
            rows.append({"claim": claim, "evidence": evidence, "cluster": cluster})
    return rows


def dataset_of(rows: list[dict[str, object]]) -> Dataset:
    """The rows as a dataset; labels take turns."""
    return as_dataset(
        [
            {"claim": row["claim"], "evidence": row["evidence"], "label": "ab"[i % 2]}
            for i, row in enumerate(rows)
        ]
    )


def reading_of(rows: list[dict[str, object]]) -> Reading:
    return Reading.of(dataset_of(rows))


def shortened(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """The rows with the first words of each text, so that the grammar level can parse them."""
    return [row | {name: " ".join(str(row[name]).split()[:n]) for name, n in SHORT.items()} for row in rows]


def without_clusters(reading: Reading) -> Clusters:
    every = {role: np.arange(reading.n_texts) for role in reading.columns}
    keys = {role: numbers.astype(np.uint64) + np.uint64(1) for role, numbers in every.items()}
    return Clusters(every, every, keys)


def levels_found(
    reading: Reading,
    way: str,
    one_each: Reading | None,
    clusters: Clusters,
    parsed: ParsedSample | None = None,
) -> Counter[str]:
    """Levels with a significant pattern, and "any". parsed: trees for the grammar level."""
    if way == "one each":
        assert one_each is not None
        found = search(one_each, clusters=without_clusters(one_each))
    else:
        detectors = [*detectors_for(reading), *([detector_of(parsed, reading)] if parsed else [])]
        given = clusters if way == "design effect" else without_clusters(reading)
        found = search(reading, detectors=detectors, clusters=given)
    levels = Counter(level for level, n in found.significant.items() if n)
    levels["any"] = bool(levels)
    return levels


def power(
    kind: str, pool: list[dict[str, str]], audits: int, ways: list[str], *, mixed: bool
) -> dict[str, int]:
    """How often each way finds a planted word. mixed: labels and the word are those of single rows, not of clusters."""
    found = Counter[str]()
    for audit in range(audits):
        random = np.random.default_rng([1, audit])
        sizes = [8] * (N_ROWS // 8)
        rows = made_rows("context" if mixed else kind, sizes, pool, random)
        of = np.array([row["cluster"] for row in rows])
        unit = np.arange(len(rows)) if mixed else of
        labels = random.integers(0, 2, unit.max() + 1)
        planted = random.random(unit.max() + 1) < np.where(
            labels == 1, *((0.06, 0.01) if mixed else (0.3, 0.03))
        )
        for row, number in zip(rows, unit, strict=True):
            row["claim"] = f"{row['claim']} {WORD}" if planted[number] else row["claim"]
        reading = reading_of(rows)
        reading.labels = labels[unit].astype(np.int32)
        drawn = sorted(int(random.choice(np.flatnonzero(of == c))) for c in range(of.max() + 1))
        single = reading_of([rows[i] for i in drawn])
        single.labels = reading.labels[drawn]
        for way in ways:
            looked_at = single if way == "one each" else reading
            clusters = Clusters.of(reading) if way == "design effect" else without_clusters(looked_at)
            names = {chosen.finding.pattern.name for chosen in search(looked_at, clusters=clusters).chosen}
            found[way] += any(WORD in name for name in names)
    return {way: found[way] for way in ways}


SETS = {  # clusters, rows of each (None: skewed), accuracy, how often a row is answered as its cluster
    "400 single rows": (400, 1, 0.8, 1.0),
    "100 pairs": (100, 2, 0.8, 0.5),
    "40 clusters of 8": (40, 8, 0.8, 0.9),
    "15 clusters of 8": (15, 8, 0.8, 0.9),
    "100 skewed clusters": (100, None, 0.7, 0.9),
}


def intervals(runs: int) -> dict[str, dict[str, float]]:
    """How often intervals of simulated test sets hold the true accuracy, and how often equal models are called different."""
    figures = {}
    for name, (n, size, accuracy, agree) in SETS.items():
        counts = Counter[str]()
        for run in range(runs):
            random = np.random.default_rng(run)
            skewed = np.minimum(60, np.ceil(random.pareto(1.0, n) + 0.01)).astype(int)
            of = np.repeat(np.arange(n), skewed if size is None else size)
            shared, alone = random.random(n) < accuracy, random.random(len(of)) < accuracy
            correct = np.where(random.random(len(of)) < agree, shared[of], alone)
            other = np.where(
                (random.random(n) < 0.3)[of], (random.random(n) < accuracy)[of], correct
            )  # a model that is as good
            for way, clusters in (("rows", []), ("clusters", [of] if len(of) > n else [])):
                group = group_accuracies(correct, [0] * len(of), clusters=clusters)[0]
                whole = accuracy_estimate(correct, clusters=clusters, draws=300)
                verdict = paired(correct, other, clusters=clusters, draws=300).verdict
                counts[f"test set, {way}"] += whole.low <= accuracy <= whole.high
                counts[f"group, {way}"] += group.low <= accuracy <= group.high
                counts[f"false verdicts, {way}"] += verdict != "no clear difference"
        figures[name] = {key: count / runs for key, count in sorted(counts.items())}
        print(
            f"{name:<22}" + "  ".join(f"{key} {share:.1%}" for key, share in figures[name].items()),
            flush=True,
        )
    return figures


def picture(clean: dict[str, dict[str, int]], audits: int) -> str:
    """Audits with false findings, as bars: one pair for each kind and size."""
    ways, colours = ("rows", "design effect"), ("#b4533a", "#2f6f8f")
    names = {"rows": "every row counts", "design effect": "design effect"}
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 300" font-family="system-ui, sans-serif" font-size="12" role="img">',
        "<title>Share of audits with false findings</title>",
        '<text x="50" y="20" font-size="14">Audits with false findings, labels drawn at random for each cluster</text>',
    ]
    for at, way in enumerate(ways):
        parts.append(f'<rect x="{50 + 170 * at}" y="32" width="12" height="12" fill="{colours[at]}"/>')
        parts.append(f'<text x="{68 + 170 * at}" y="43">{names[way]}</text>')
    for share in (0, 50, 100):
        y = 250 - 1.8 * share
        parts.append(
            f'<line x1="45" x2="710" y1="{y}" y2="{y}" stroke="#ccc"/><text x="40" y="{y + 4}" text-anchor="end">{share}%</text>'
        )
    for number, (name, counts) in enumerate(clean.items()):
        x = 52 + 55 * number
        for at, way in enumerate(ways):
            height = 180 * (audits - counts.get(way, audits)) / audits
            parts.append(
                f'<rect x="{x + 20 * at}" y="{250 - height}" width="18" height="{max(height, 1)}" fill="{colours[at]}"/>'
            )
        kind, size = name.split()
        parts.append(f'<text x="{x + 19}" y="266" text-anchor="middle">{size}</text>')
        if number % len(SIZES) == 0:
            parts.append(
                f'<text x="{x + 100}" y="288" text-anchor="middle">cluster size, {kind} shared</text>'
            )
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--audits", type=int, default=100)
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--size", choices=SIZES)
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--grammar", action="store_true", help="with the grammar level; no planted words")
    parser.add_argument(
        "--intervals", action="store_true", help="only: intervals and verdicts of a proof, simulated"
    )
    parser.add_argument("--picture", type=Path, help="draw the result into this SVG file")
    options = parser.parse_args()
    if options.intervals:
        common.finish("runs/clustered.py", intervals=intervals(4 * options.audits))
        return
    path = common.data("fever/paper_test_supports_refutes.jsonl.gz")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        pool = [json.loads(line) for line in file]
    ways = [way for way in options.ways.split(",") if not options.grammar or way != "one each"]
    figures: dict[str, dict[str, int]] = {}
    print(f"Audits of {options.audits} without a finding, labels random by cluster")
    print(f"{'kind':<9}{'size':<8}{'way':<15}any  by level (where a level was not always clean)")
    for kind in [options.only] if options.only else KINDS:
        for size in [options.size] if options.size else SIZES:
            random = np.random.default_rng([options.seed, KINDS.index(kind), SIZES.index(size)])
            rows = made_rows(kind, sizes_of(size, random), pool, random)
            rows = shortened(rows) if options.grammar else rows
            dataset = dataset_of(rows)
            reading = Reading.of(dataset)
            parsed = parsed_sample(dataset, reading, seed=options.seed)[0] if options.grammar else None
            of = np.array([row["cluster"] for row in rows])
            clusters = Clusters.of(reading)
            drawn = [int(random.choice(np.flatnonzero(of == c))) for c in range(of.max() + 1)]
            single = reading_of([rows[i] for i in sorted(drawn)]) if "one each" in ways else None
            dirty = {way: Counter[str]() for way in ways}
            for audit in range(options.audits):
                labels = np.random.default_rng([options.seed, audit]).integers(0, 2, of.max() + 1)
                reading.labels = labels[of].astype(np.int32)
                if single is not None:
                    single.labels = labels[of[sorted(drawn)]].astype(np.int32)
                for way in ways:
                    dirty[way].update(+levels_found(reading, way, single, clusters, parsed))
            for way in ways:
                clean = options.audits - dirty[way]["any"]
                worst = {level: options.audits - n for level, n in dirty[way].items() if level != "any"}
                print(f"{kind:<9}{size:<8}{way:<15}{clean:>3}  {worst or ''}", flush=True)
                figures.setdefault(f"{kind} {size}", {})[way] = clean
    powers: dict[str, dict[str, int]] = {}
    if options.grammar:
        common.finish("runs/clustered.py", audits=options.audits, grammar=True, clean=figures)
        return
    print(f"Audits of {options.audits} that find a planted word, clusters of 8")
    for name, kind, mixed in (
        ("by claim", "claim", False),
        ("by context", "context", False),
        ("mixed labels", "context", True),
    ):
        powers[name] = power(kind, pool, options.audits, ways, mixed=mixed)
        print(f"{name:<15}" + "  ".join(f"{way} {n}" for way, n in powers[name].items()), flush=True)
    if options.picture is not None:
        options.picture.write_text(picture(figures, options.audits), encoding="utf-8")
    common.finish("runs/clustered.py", audits=options.audits, clean=figures, power=powers)


if __name__ == "__main__":
    main()
