"""How close are perturbers to people? Section 4 with Table 2, and Table 8 (appendix D), of the perturbation
paper.

python papers/perturbation/score.py                           our rules, on two public datasets
python papers/perturbation/score.py people.jsonl --perturber rules neural:FOLDER
                                                              on files with PANDA's columns (panda.py)

Every perturber gets the text, the word and the target attribute of a row; what it refuses counts as
unchanged, and the checks of `longway perturb` are not applied. Use rows that no network was trained on. The
source copied is the baseline: most words of a text stay.

    bleu         0 to 100, corpus BLEU of sacrebleu; case counts
    rouge2       0 to 100, F1 of shared word pairs in lower case, mean over rows
    distance     words inserted, deleted or replaced (footnote 7), mean over rows; case counts
    exact        percentage of rows that are word for word what the person wrote
    unchanged    percentage of rows that came back as they were
    perplexity   of the person's rewrite under a network, per token; rows that are too long for it have none

Intervals are of 95%, by resampling texts. Where several rows have the same text, word and target, people are
compared with each other and with each perturber (Table 8); people in pairs: two at a time, as a perturber is.

Without files: mt_geneval, Wikipedia sentences that people rewrote from women to men, in both directions. They
changed everybody and kept names; a perturber is asked about one person, the one of the first word that
differs, and may change the name. neutralrewriter: sentences that people rewrote to singular "they"; rows that
are the same before and after are left out. Repeated rows count once.
"""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, permutations, zip_longest
from math import exp, isnan
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.bleu import BLEU

from longway.engines.asker import Asker
from longway.english.people.change import Perturbed, Request, as_one
from longway.english.people.words import parse_attribute
from longway.jobs.documents import Documents
from longway.jobs.engine_use import Engines, close
from longway.jobs.perturb.perturbing import who_perturbs
from longway.jobs.perturb.settings import PerturbSettings
from longway.methods.perturb.neural import NeuralPerturber
from longway.methods.perturb.segments import Unfit, joined
from longway.metrics.intervals import Measurement, bootstrap, resampled
from longway.metrics.versions import rouge_rows
from longway.store import Journal
from longway.text.tokenizer import token_spans
from panda import PandaRow, read_panda, request_of, rows_of_pair
from perturbed_rows import data, finish, rows_in, write

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MAN, WOMAN, THEY = (parse_attribute(name) for name in ("man", "woman", "non-binary"))
MEASURES = ("bleu", "rouge2", "distance", "exact", "unchanged", "perplexity")
AGREEMENTS = ("full", "tokens", "bleu", "rouge1", "rouge2", "rouge_l", "rouge_lsum", "distance")
COPIED, PEOPLE, PAIRS = "source copied", "people", "people in pairs"
CORPUS, SENTENCE = (
    BLEU(force=True),
    BLEU(effective_order=True),
)  # no warning about tokenized texts; short texts
LSUM = RougeScorer(["rougeLsum"])


# ---- rewriting ---------------------------------------------------------------------------------------------


def rewritten(name: str, requests: Sequence[Request], read: Documents, options: Namespace) -> list[Perturbed]:
    """What a perturber makes of each request; each is asked once."""
    engines = Engines(budget=options.budget, device=options.device, batch_size=options.batch_size)
    who = who_perturbs(PerturbSettings(engine=name, seed=options.seed), engines)
    journal = Journal(options.journal)
    asker = None if who.engine is None else Asker(who.engine, journal, budget=options.budget)
    distinct = list(dict.fromkeys(requests))
    try:
        answers = who.perturber(journal=journal, asker=asker, read=read).perturb(distinct)
    finally:
        close(who.engine)
    known = dict(zip(distinct, answers, strict=True))
    return [known[request] for request in requests]


def likelihoods(
    perturber: NeuralPerturber, requests: Sequence[Request], rewrites: Sequence[Sequence[str]]
) -> Floats:
    """(rows, 2): the log-likelihood of a rewrite for each request, in nats, and its tokens; 0 and 0 if the
    network cannot read it."""
    import torch

    from bases import batch, pair

    network, found = perturber.network, np.zeros((len(requests), 2))
    for row, (request, rewrite) in enumerate(zip(requests, rewrites, strict=True)):
        try:
            source = perturber.form.source(request.segments, request.word, request.target)
            example = pair(network, source, joined(rewrite))
        except Unfit:
            continue
        if len(example) <= network.longest:
            with torch.inference_mode():
                mean = float(network.model(**batch(network, [example])).loss)
            found[row] = -mean * example.n_learned, example.n_learned
    return found


# ---- Table 2 -----------------------------------------------------------------------------------------------


def written_words(text: str) -> list[str]:
    """The words and punctuation marks of a text as they are written.

    >>> written_words("She isn’t  here.")
    ['She', 'isn’t', 'here', '.']
    """
    return [text[start:end] for _, start, end in token_spans(text)]


def word_distance(text: str, other: str) -> tuple[int, int]:
    """The words to insert, delete or replace to turn one text into the other; and the number of words of the
    longer text.

    >>> word_distance("She left.", "Then he left.")
    (2, 4)
    """
    words, others = written_words(text), written_words(other)
    return int(Levenshtein.distance(words, others)), max(len(words), len(others))


def closeness_rows(rewrites: Sequence[str], references: Sequence[str], before: Sequence[str]) -> Floats:
    """(rows, 14): for each rewrite sacrebleu's counts (10), ROUGE-2, the word distance, whether it is exact,
    and whether nothing changed."""
    scores = [
        CORPUS.corpus_score([text], [[other]]) for text, other in zip(rewrites, references, strict=True)
    ]
    counts = [(*one.counts, *one.totals, one.sys_len, one.ref_len) for one in scores]
    rouge2 = 100 * rouge_rows(references, rewrites)[:, 1]
    distances = np.array([word_distance(*both)[0] for both in zip(rewrites, references, strict=True)])
    unchanged = [100.0 * (text == old) for text, old in zip(rewrites, before, strict=True)]
    return np.column_stack([counts, rouge2, distances, 100 * (distances == 0), unchanged])


def measures(rows: Floats) -> list[float]:
    """`MEASURES` of some rows of `closeness_rows` and `likelihoods`."""
    *counts, length, reference_length = rows[:, :10].sum(axis=0).astype(int).tolist()
    bleu = BLEU.compute_bleu(counts[:4], counts[4:], length, reference_length, smooth_method="exp").score
    likelihood, tokens = rows[:, 14:].sum(axis=0)
    return [bleu, *rows[:, 10:14].mean(axis=0), exp(-likelihood / tokens) if tokens else float("nan")]


def with_intervals(
    names: Sequence[str],
    statistic: Callable[[Floats], Sequence[float]],
    rows: Floats,
    together: Ints,
    seed: int,
) -> dict[str, Measurement]:
    """Statistics of rows, each with its interval. together: a number for each row, the same for those of one
    text."""
    drawn = bootstrap(lambda chosen: statistic(rows[chosen]), len(rows), together=together, seed=seed)
    found = {}
    for at, (name, value) in enumerate(zip(names, statistic(rows), strict=True)):
        n = 0 if name in ("distance", "perplexity") else len(np.unique(together))  # of a percentage
        found[name] = resampled(value, drawn[:, at], n=n)
    return found


# ---- Table 8 -----------------------------------------------------------------------------------------------


def agreement(rewrites: Sequence[str]) -> Floats:
    """(8,): how much two or more rewrites of one text agree, by `AGREEMENTS`; percentages, but the distance
    is a share from 0 to 1.

    full: percentage of the rewrites that are equal to the most frequent one. tokens: at each token position,
    the percentage of the rewrites that have its most frequent token there; mean over positions. A rewrite
    that has ended before a position has none of its tokens. The others compare every two rewrites in both
    directions, mean over them; the distance is a share of the longer one's words.
    """
    tokens = [tuple(written_words(text)) for text in rewrites]
    shared = [max(Counter(place).values()) for place in zip_longest(*tokens)]
    pairs = list(permutations(rewrites, 2))
    distances = [d / max(longer, 1) for d, longer in (word_distance(*both) for both in pairs)]
    return np.array(
        [
            100 * max(Counter(tokens).values()) / len(tokens),
            100 * float(np.mean(shared)) / len(tokens) if shared else 100.0,
            np.mean([SENTENCE.sentence_score(text, [other]).score for text, other in pairs]),
            *(100 * rouge_rows(*zip(*pairs, strict=True)).mean(axis=0)),
            100 * np.mean([LSUM.score(*both)["rougeLsum"].fmeasure for both in pairs]),
            np.mean(distances),
        ]
    )


def agreements(
    rows: Sequence[PandaRow], texts: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, list[Floats], list[int]]]:
    """The agreement of people on each text that several of them rewrote, and of each perturber with them;
    with the rows of these texts.

    texts: what each perturber wrote for each row.
    """
    tasks: dict[tuple[object, ...], list[int]] = {}
    for place, row in enumerate(rows):
        tasks.setdefault((row.before, row.word, row.target), []).append(place)
    several = [places for places in tasks.values() if len(places) > 1]
    people = [[" ".join(rows[place].after) for place in places] for places in several]
    firsts = [places[0] for places in several]
    yield PEOPLE, [agreement(some) for some in people], firsts
    yield (
        PAIRS,
        [np.mean([agreement(two) for two in combinations(some, 2)], axis=0) for some in people],
        firsts,
    )
    for name, wrote in texts.items():
        mine = [
            [agreement((wrote[first], other)) for other in some]
            for first, some in zip(firsts, people, strict=True)
        ]
        yield name, [np.mean(some, axis=0) for some in mine], firsts


# ---- one file ----------------------------------------------------------------------------------------------


def scored(name: str, given: Sequence[PandaRow], options: Namespace) -> dict[str, object]:
    """The scores of all perturbers on some rows; printed."""
    read = Documents(None)
    read.at_hand(as_one(row.before) for row in given)
    asked = [
        (row, request) for row in given if (request := request_of(row, read(as_one(row.before)))) is not None
    ]
    print(f"\n{name}: {len(asked):,} rows; {len(given) - len(asked):,} without the selected word in the text")
    rows, requests = [row for row, _ in asked], [request for _, request in asked]
    numbers = {text: number for number, text in enumerate(dict.fromkeys(row.before for row in rows))}
    together = np.array([numbers[row.before] for row in rows], np.int64)
    before, wanted = ([" ".join(getattr(row, side)) for row in rows] for side in ("before", "after"))
    texts, values, reasons = {COPIED: before}, {COPIED: np.zeros((len(rows), 2))}, {COPIED: [""] * len(rows)}
    for perturber in options.perturber:
        done = rewritten(perturber, requests, read, options)
        texts[perturber] = [" ".join(one.segments) for one in done]
        reasons[perturber] = [one.reason for one in done]
        values[perturber] = values[COPIED]
        if perturber.startswith("neural:"):
            network = NeuralPerturber(perturber.removeprefix("neural:"), device=options.device)
            values[perturber] = likelihoods(network, requests, [row.after for row in rows])
    if options.out:
        lines = (
            {
                "original": before[i],
                "selected_word": row.word,
                "target_attribute": str(row.target),
                "perturbed": wanted[i],
                **{one: [texts[one][i], reasons[one][i]] for one in options.perturber},
            }
            for i, row in enumerate(rows)
        )
        write(options.out / f"{name}.jsonl", lines)
    found: dict[str, object] = {}
    for one, wrote in texts.items():
        by_row = np.hstack([closeness_rows(wrote, wanted, before), values[one]])
        print(
            f"\n{one}: {sum(map(bool, reasons[one]))} refused\n{'':24}{'rows':>7}"
            + "".join(f"{measure:>22}" for measure in MEASURES)
        )
        for part in [
            "",
            *sorted({row.target.axis for row in rows}),
            *sorted({str(row.target) for row in rows}),
        ]:
            chosen = np.array([part in ("", row.target.axis, str(row.target)) for row in rows])
            figures = with_intervals(MEASURES, measures, by_row[chosen], together[chosen], options.seed)
            print(f"{part or 'all':24}{chosen.sum():>7,}" + "".join(map(shown, figures.values())))
            found.setdefault(one, values_of(figures))  # of all rows
    for one, tasks, firsts in agreements(rows, texts):
        if not tasks:
            break
        if one == PEOPLE:
            print(
                f"\nAgreement on {len(tasks):,} texts{'':8}"
                + "".join(f"{measure:>22}" for measure in AGREEMENTS)
            )
        figures = with_intervals(
            AGREEMENTS, lambda some: some.mean(axis=0), np.array(tasks), together[firsts], options.seed
        )
        print(f"{one:31}" + "".join(map(shown, figures.values())))
        found[f"agreement, {one}"] = values_of(figures)
    return found


def shown(figure: Measurement) -> str:
    """A figure with its interval, right-aligned."""
    interval = "" if isnan(figure.low) else f" [{figure.low:.2f}, {figure.high:.2f}]"
    return f"{'-' if isnan(figure.value) else f'{figure.value:.2f}{interval}':>22}"


def values_of(figures: Mapping[str, Measurement]) -> dict[str, float]:
    """The values of those that are known."""
    return {name: figure.value for name, figure in figures.items() if not isnan(figure.value)}


# ---- public datasets ---------------------------------------------------------------------------------------


def mt_geneval(limit: int, seed: int) -> list[PandaRow]:
    """Both directions of some sentences."""
    pairs = rows_in(data("mt_geneval/part_a.jsonl.gz"))
    chosen = Random(seed).sample(pairs, min(limit, len(pairs)))
    found = (rows_of_pair(one["feminine"], one["masculine"], has=WOMAN, other_has=MAN) for one in chosen)
    return [row for rows in found for row in rows]


def neutralrewriter(limit: int, seed: int) -> list[PandaRow]:
    """Some sentences with singular they; only this direction, since "they" does not say who was meant
    before."""
    pairs = [
        row
        for part in ("reddit", "opensubtitles")
        for row in rows_in(data(f"neutralrewriter/{part}.jsonl.gz"))
    ]
    pairs = [row for row in pairs if row["original"] != row["gender_neutral"]]
    chosen = Random(seed).sample(pairs, min(limit, len(pairs)))
    found = (rows_of_pair(one["original"], one["gender_neutral"], has=MAN, other_has=THEY) for one in chosen)
    return [rows[0] for rows in found if rows]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", help="with PANDA's columns; default: two public datasets")
    parser.add_argument("--perturber", nargs="+", default=["rules"], help="as --engine of `longway perturb`")
    parser.add_argument(
        "--limit", type=int, default=200, help="rows of a file, sentences of a public dataset"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="folder for every rewrite of every row")
    parser.add_argument("--budget", type=float, help="most to spend on a served model, in dollars")
    parser.add_argument("--journal", type=Path, help="file that keeps a served model's answers")
    parser.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--batch-size", type=int, default=16, help="texts that a network computes at once")
    options = parser.parse_args()
    given = {Path(file).stem: read_panda(file, limit=options.limit) for file in options.files}
    if not given:
        given = {
            one.__name__: list(dict.fromkeys(one(options.limit, options.seed)))
            for one in (mt_geneval, neutralrewriter)
        }
    finish(
        "papers/perturbation/score.py", **{name: scored(name, rows, options) for name, rows in given.items()}
    )


if __name__ == "__main__":
    main()
