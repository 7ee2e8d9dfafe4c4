"""Does the concept level find topics and tones that no word carries, and nothing where there is nothing?

    python runs/concepts.py                          planted concepts on three datasets
    python runs/concepts.py --only snli --rows 4000
    python runs/concepts.py --permute 100            audits of permuted labels: how many have no finding of the level
    python runs/concepts.py --time                   minutes and memory of the level on 10,000 rows
    python runs/concepts.py --list imdb              the concepts found in a dataset, with names and rows, to be judged by hand

A planted concept is 5% of the rows: about a topic (by a list of words, which the audit does not know, each in about as many rows), or rows of another dataset (another genre or tone). All of them get one label;
the labels of all other rows are permuted, so that every other finding is false. Texts are cut to lower-case words. Then the words that the audit finds are taken out of the planted rows, and it is run
again, until it finds none or after 15 rounds (`planted_with_words_left` counts those). A planted concept counts as found if the audit lists a concept for its label in whose rows planted ones are at least
three times as frequent as in all. A finding is false if they are less than twice as frequent. Beside it: the topics of a non-negative matrix factorization (NMF) of words, tested in the same way.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import resource
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import common
from longway.data import Dataset, as_dataset, load
from longway.detect import detectors_for
from longway.detect.clusters import Clusters
from longway.detect.concepts.concepts import Concepts
from longway.detect.concepts.detector import ConceptDetector, SampledRows
from longway.detect.concepts.kmeans import bounds_for
from longway.detect.findings import Search, search
from longway.detect.reading import TEXT, Reading
from longway.jobs.audit.concept_level import concept_detectors, out_of_fold

SETS = {
    "mr": ("rotten_tomatoes_mr/all.jsonl.gz", "text"),
    "snli": ("snli/train_balanced.jsonl.gz", "hypothesis"),
    "fever": ("fever_claims/paper_dev.jsonl.gz", "claim"),
}
REAL = {
    "sst2": ("sst2_sentences/train.jsonl.gz", ("text",)),
    "imdb": ("imdb/train.jsonl.gz", ("text",)),
    "fever": ("fever/paper_test_supports_refutes.jsonl.gz", ("claim", "evidence")),
    "snli": ("snli/train_balanced.jsonl.gz", ("hypothesis", "premise")),
    "hate": ("hate_speech_human_cf/dev.jsonl.gz", ("text",)),
}
# Rows of another dataset: restaurant reviews, questions, plots and opinions about films, captions, encyclopedic claims.
GUESTS = {
    "yelp": ("yelp_sentences/dev_sample.jsonl.gz", "text"),
    "questions": ("qqp/dev_7600.jsonl.gz", "question1"),
    "films": ("subj/all.jsonl.gz", "text"),
    "captions": ("snli/dev.jsonl.gz", "premise"),
    "claims": ("fever_claims/paper_dev.jsonl.gz", "claim"),
}
TOPICS = {
    "animals": "dog dogs cat cats horse horses bird birds puppy cow cows sheep animal animals fish bear lion elephant monkey goat pig duck rabbit tiger wolf pet pets snake kitten",
    "food": "food eat eats eating dinner lunch breakfast pizza sandwich bread cake fruit apple meal cook cooks cooking chef soup meat cheese chicken burger rice salad snack coffee tea beer wine drink drinks drinking kitchen restaurant",
    "music": "music musical song songs singer sing sings singing band album guitar piano drums concert musician rapper pop rock jazz orchestra violin tune melody recorded singles soundtrack",
    "sports": "ball soccer football basketball baseball tennis team teams game games player players race racing swim swimming bike bikes skateboard surfing ski golf hockey league season cup olympic boxing match champion coach",
    "war": "war battle army soldier soldiers military weapon weapons gun guns killed murder crime criminal police prison terrorist violence violent killer bomb enemy fight fighting",
    "family": "family mother father son daughter brother sister wife husband married parents child children baby kids kid grandfather grandmother marriage wedding divorce",
}  # fmt: skip
PLANTED = {
    "mr": ("yelp", "questions", "war", "music", "family"),
    "snli": ("claims", "films", "animals", "food", "sports"),
    "fever": ("yelp", "captions", "music", "sports", "family"),
}
SHARE = 0.05
ROUNDS = 15
TELL_TALES = ("token", "ngram", "position")
WORD_LEVELS = ("token", "ngram", "position", "length", "surface", "people", "negation")
TOPIC_SIZES = (16, 64)
FOUND, FALSE = 3.0, 2.0  # times as frequent as in all rows


def texts_of(file: str, column: str) -> list[str]:
    """The texts of a column as lower-case words, each once."""
    with gzip.open(common.data(file), "rt", encoding="utf-8") as opened:
        texts = (" ".join(re.findall(r"\w+", json.loads(line)[column].lower())) for line in opened)
        return list(dict.fromkeys(text for text in texts if len(text.split()) >= 4))


def planted_rows(
    name: str, concept: str, n: int, random: np.random.Generator
) -> tuple[list[str], np.ndarray]:
    """Texts, and which of them are planted."""
    host, wanted = texts_of(*SETS[name]), round(SHARE * n)
    if concept in GUESTS:
        low, high = np.quantile([len(text.split()) for text in host], [0.1, 0.9])
        known = set(host)
        about = [
            text
            for text in texts_of(*GUESTS[concept])
            if low <= len(text.split()) <= high and text not in known
        ]
        about, others = [about[i] for i in random.permutation(len(about))[:wanted]], host
    else:
        words = TOPICS[concept].split()
        others = [text for text in host if not set(words) & set(text.split())]
        about = in_turn(host, words)[:wanted]
    if len(about) < 0.5 * wanted:
        raise SystemExit(
            f"{name} has {len(about)} rows about {concept}; {wanted} are wanted. Use fewer rows."
        )
    others = others[: n - len(about)]  # the same ones for all concepts
    order = random.permutation(len(about) + len(others))
    return [(about + others)[i] for i in order], order < len(about)


def in_turn(texts: list[str], words: list[str]) -> list[str]:
    """Texts with one of the words, the words taking turns, so that none of them is frequent."""
    found = {word: [text for text in texts if word in text.split()] for word in words}
    turns = [
        some[turn]
        for turn in range(max(map(len, found.values())))
        for some in found.values()
        if turn < len(some)
    ]
    return list(dict.fromkeys(turns))


def dataset_of(texts: list[str], labels: np.ndarray) -> Dataset:
    rows = [{"text": text, "label": "ab"[label]} for text, label in zip(texts, labels, strict=True)]
    return as_dataset(rows)


def without_tell_tales(
    texts: list[str], labels: np.ndarray, planted: np.ndarray
) -> tuple[list[str], int, int]:
    """The texts without words that an audit of words finds in planted rows; how many words were taken out, and the findings left."""
    texts, gone = list(texts), set[str]()
    for _ in range(ROUNDS):
        reading = Reading.of(dataset_of(texts, labels))
        found = search(reading, detectors=detectors_for(reading, TELL_TALES)).chosen
        new = {word for one in found for word in one.finding.pattern.words} - gone
        if not new:
            break
        gone |= new
        for i in np.flatnonzero(planted).tolist():
            texts[i] = " ".join(word for word in texts[i].split() if word not in gone) or "x"
    return texts, len(gone), len(found)


def nmf_detector(reading: Reading, texts: list[str], like: ConceptDetector, seed: int) -> ConceptDetector:
    """The topics of a factorization of words as concepts, made from and tested on the same rows as others."""
    from sklearn.decomposition import NMF
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = TfidfVectorizer(min_df=3, stop_words="english", sublinear_tf=True)
    made = np.flatnonzero(~like.is_tested)
    words.fit([texts[i] for i in made])
    features = words.transform(texts)
    loads, kept_bounds = [], []
    for size in TOPIC_SIZES:
        model = NMF(size, init="nndsvda", max_iter=200, random_state=seed).fit(features[made])
        load = model.transform(features).astype(np.float32)
        load /= np.maximum(np.linalg.norm(load, axis=1, keepdims=True), 1e-9)
        members = np.bincount(load[made].argmax(axis=1)[load[made].max(axis=1) > 0], minlength=size)
        kept_bounds.append(np.maximum(bounds_for(load[made], np.maximum(members, 1)), 1e-6))
        loads.append(load)
    vectors = np.concatenate(loads, axis=1) / np.sqrt(len(TOPIC_SIZES), dtype=np.float32)
    width = vectors.shape[1]
    topics = Concepts(
        np.zeros(width, np.float32),
        np.eye(width, dtype=np.float32),
        np.concatenate(kept_bounds) / np.sqrt(len(TOPIC_SIZES), dtype=np.float32),
        tuple("NMF" for _ in range(width)),
        "text",
    )
    return ConceptDetector(
        reading, TEXT, topics, SampledRows(like.places, vectors, like.is_tested, like.surface)
    )


def judged(found: Search, detector: ConceptDetector, planted: np.ndarray) -> dict[str, object]:
    """Whether the planted concept was found, and how many findings there are and are false."""
    chosen = [one for one in found.chosen if one.detector is detector]
    base = planted.mean()
    lift = [
        float(planted[detector.places][detector.members[:, one.key].toarray().ravel() > 0].mean() / base)
        for one in chosen
    ]
    right = [x for one, x in zip(chosen, lift, strict=True) if one.finding.label == "a"]
    names = [
        f"{one.finding.pattern.name} ({x:.1f}x)"
        for one, x in sorted(zip(chosen, lift, strict=True), key=lambda pair: -pair[1])[:2]
    ]
    return {
        "found": any(x >= FOUND for x in right),
        "findings": len(chosen),
        "false": sum(x < FALSE for x in lift),
        "names": names,
    }


def detectors_of(
    data: Dataset, reading: Reading, clusters: Clusters, options: argparse.Namespace
) -> ConceptDetector:
    made, problems = concept_detectors(data, reading, clusters, seed=options.seed, cache=options.cache)
    if not made:
        raise SystemExit(problems[0].message)
    return made[0]


def plant(options: argparse.Namespace) -> None:
    figures: dict[str, dict[str, list[object]]] = {}
    started = time.process_time()
    for name in options.only or SETS:
        for concept in PLANTED[name]:
            if options.concept and concept not in options.concept:
                continue
            random = np.random.default_rng(options.seed)
            texts, planted = planted_rows(name, concept, options.rows, random)
            labels = random.permutation(len(texts)) % 2
            labels[planted] = 0
            texts, gone, left = without_tell_tales(texts, labels, planted)
            data = dataset_of(texts, labels)
            reading = Reading.of(data)
            clusters = Clusters.of(reading)
            detector = detectors_of(data, reading, clusters, options)
            for way, own in (
                ("concepts", detector),
                ("nmf", nmf_detector(reading, texts, detector, options.seed)),
            ):
                found = search(
                    reading, detectors=[*detectors_for(reading, WORD_LEVELS), own], clusters=clusters
                )
                one = {**judged(found, own, planted), "words_left": left}
                figures.setdefault(name, {}).setdefault(way, []).append(one)
                print(
                    f"{name:6} {concept:10} {way:9} found {one['found']!s:5} findings {one['findings']:3} false {one['false']:2}"
                    f"  words taken out {gone}, left {left}  {'; '.join(one['names'])}  {time.process_time() - started:.0f} s",
                    flush=True,
                )
    totals = {}
    for way in ("concepts", "nmf"):
        all_of = [one for by_way in figures.values() for one in by_way.get(way, ())]
        n_findings = sum(one["findings"] for one in all_of)
        totals[way] = {
            "recall": sum(one["found"] for one in all_of) / max(len(all_of), 1),
            "false_discovery": sum(one["false"] for one in all_of) / max(n_findings, 1),
            "findings": n_findings,
            "planted": len(all_of),
            "planted_with_words_left": sum(one["words_left"] > 0 for one in all_of),
        }
        print(
            f"{way}: recall {totals[way]['recall']:.0%}, false discovery {totals[way]['false_discovery']:.1%} of {n_findings} findings, {len(all_of)} planted concepts"
        )
    common.finish("runs/concepts.py", rows=options.rows, **totals["concepts"], nmf=totals["nmf"])


def permute(options: argparse.Namespace) -> None:
    figures = {}
    for name in options.only or SETS:
        random = np.random.default_rng(options.seed)
        texts = texts_of(*SETS[name])
        texts = [texts[i] for i in random.permutation(len(texts))[: options.rows]]
        data = dataset_of(texts, np.arange(len(texts)) % 2)
        reading = Reading.of(data)
        clusters = Clusters.of(reading)
        detector = detectors_of(data, reading, clusters, options)
        related = np.arange(len(texts))
        clean = 0
        for audit in range(options.permute):
            reading.labels[:] = np.random.default_rng(audit).permutation(len(texts)) % 2
            detector.surface = out_of_fold(reading, TEXT, detector.places, related, audit)[detector.is_tested]
            found = search(
                reading, detectors=[*detectors_for(reading, ("token",)), detector], clusters=clusters
            )
            clean += not found.significant["concept"]
        figures[name] = clean
        print(f"{name}: {clean} of {options.permute} audits of permuted labels have no concept", flush=True)
    common.finish("runs/concepts.py", rows=options.rows, permutations=options.permute, clean=figures)


def timed(options: argparse.Namespace) -> None:
    figures = {}
    for name, (file, columns) in REAL.items():
        if options.only and name not in options.only:
            continue
        rows = list(real_rows(file, columns, options.rows))
        data = load(rows, text=columns[0], context=columns[1] if len(columns) > 1 else "", label="label")
        reading = Reading.of(data)
        clusters = Clusters.of(reading)
        started, cpu = time.monotonic(), time.process_time()
        found, _ = concept_detectors(data, reading, clusters, seed=options.seed, cache=options.cache)
        search(reading, detectors=[*detectors_for(reading, ("token",)), *found], clusters=clusters)
        minutes, cpu_minutes = (time.monotonic() - started) / 60, (time.process_time() - cpu) / 60
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        figures[name] = {
            "rows": len(rows),
            "minutes": round(minutes, 2),
            "processor_minutes": round(cpu_minutes, 2),
            "peak_mb": round(peak),
        }
        print(
            f"{name}: {len(rows):,} rows, {minutes:.1f} minutes, {cpu_minutes:.1f} of processor time, peak {peak:.0f} MB",
            flush=True,
        )
    common.finish("runs/concepts.py", **figures)


def real_rows(file: str, columns: tuple[str, ...], n: int) -> Iterator[dict[str, str]]:
    with gzip.open(common.data(file), "rt", encoding="utf-8") as opened:
        for line, _ in zip(opened, range(n), strict=False):
            row = json.loads(line)
            yield {name: row[name] for name in (*columns, "label")}


def listed(options: argparse.Namespace) -> None:
    import longway as lw

    file, columns = REAL[options.list]
    rows = list(real_rows(file, columns, options.rows))
    result = lw.audit(
        rows, text=columns[0], context=columns[1] if len(columns) > 1 else "", label="label", levels="all"
    )
    found = [finding for finding in result.findings if finding.level == "concept"]
    for finding in found:
        print(
            f"{finding.pattern.name}  ->  {finding.label} {finding.label_share:.0%} of {finding.count} (usual {finding.base_rate:.0%})"
        )
        print(f"    {finding.example}")
    common.finish("runs/concepts.py", dataset=options.list, rows=len(rows), concepts=len(found))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--concept", nargs="+", help="planted concepts to try")
    parser.add_argument("--permute", type=int, metavar="N")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--list", choices=REAL)
    parser.add_argument("--cache", type=Path, help="a file that keeps vectors between runs")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    action = timed if options.time else permute if options.permute else listed if options.list else plant
    action(options)


if __name__ == "__main__":
    main()
