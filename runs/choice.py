"""Can the right option of a benchmark be found without the question? Leak, interval, chance and the strongest patterns of public sets.

    python runs/choice.py                     all files of shared/data/choice
    python runs/choice.py obqa cqa --limit 200
    python runs/choice.py --permute 100       answers shuffled within questions: audits without a finding, leak intervals above chance
    python runs/choice.py --coverage 100      answers drawn from a fitted ranker, or at random: how often the interval of the leak has the true one
    python runs/choice.py --planted 20        cues planted in clean data, 20 datasets for each cue and strength: recall and false discoveries
    python runs/choice.py --repair            cues planted in clean data, one dataset each, repaired: leak before and after
    python runs/choice.py --speed 2000        processor time of an audit of so many questions

A planted cue is in one candidate of a question, drawn at random. With the given strength this candidate is the right one; otherwise the
right one is drawn at random, too. A cue is found if a finding, or a pattern that a finding explains, is of its kind. A finding is false if
neither it nor a pattern that it explains is.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import common
from longway.data.choices import ChoiceDataset, Question, load_choices
from longway.detect.choices.leak import REPEATS, feature_sets, leak_of, leaks, picks, repeated_picks
from longway.detect.choices.patterns import Candidates
from longway.detect.choices.ranker import Sets, fit, softmax
from longway.detect.choices.search import search
from longway.detect.choices.vectors import MiniLMEncoder
from longway.jobs.choices.job import as_choices, audit_choices
from longway.jobs.choices.repair import repair_choices
from longway.records import Finding, Leak

FILES = (
    "arc",
    "cqa",
    "goldenswag",
    "mmlu",
    "mmlu_pro",
    "obqa",
    "piqa",
    "qasc",
    "siqa",
    "truthful_qa",
    "arena_preferences",
)
PERMUTED = ("cqa", "truthful_qa", "arena_preferences")  # short options, sentences, long answers
LEAKS_PER = 5  # of so many permutations one is ranked, too
STRENGTHS = (0.2, 0.4, 0.8)
QUESTIONS, PAIRS = 600, 1000  # of a dataset with planted cues
SENTENCES = (2, 6)
MAX_Q = 0.05
Random = np.random.Generator


def read(name: str, limit: int | None) -> ChoiceDataset:
    given = load_choices(common.data(f"choice/{name}.jsonl.gz"), limit=limit)
    assert given is not None
    return given


# The benchmarks


def benchmarks(names: Sequence[str], limit: int | None, console: Console) -> dict[str, Any]:
    """The audit of each file."""
    table = Table(
        "data", "questions", "right without the prompt", "ranker", "chance", "findings", "strongest"
    )
    figures: dict[str, Any] = {}
    for name in names:
        result = audit_choices(read(name, limit))
        leak = result.headline
        strongest = [one.pattern.name for one in result.findings[:3]]
        interval = f"{leak.accuracy:.1%} ({100 * leak.low:.1f} to {100 * leak.high:.1f})"
        table.add_row(
            name,
            f"{leak.rows:,}",
            interval,
            leak.part,
            f"{leak.majority:.1%}",
            str(len(result.findings)),
            "; ".join(strongest),
        )
        figures[name] = {
            "leak": round(leak.accuracy, 4), "low": round(leak.low, 4), "high": round(leak.high, 4), "chance": round(leak.majority, 4),
            "ranker": leak.part, "findings": len(result.findings), "parts": {part: round(one.accuracy, 4) for part, one in result.leaks.items()}, "strongest": strongest,
        }  # fmt: skip
    console.print(table)
    return figures


# Answers shuffled within questions


def permuted(names: Sequence[str], audits: int, limit: int | None, console: Console) -> dict[str, Any]:
    """Audits of random answers: how many have no finding, and how many leaks are above chance."""
    figures: dict[str, Any] = {}
    for name in names:
        given = read(name, limit)
        measured = Candidates.of(given.questions)
        encoder = MiniLMEncoder()  # keeps the vectors: the candidates stay the same
        clean, above, ranked, found = 0, 0, 0, []
        for seed in range(audits):
            random = np.random.default_rng(seed)
            right = measured.sets.starts[:-1] + random.integers(measured.sets.sizes)
            drawn = replace(measured, sets=Sets(measured.sets.starts, right))
            findings, _, _ = search(drawn, is_ordered=given.is_ordered, max_q=MAX_Q, field="", label="right")
            clean += not findings
            found += [one.pattern.name for one in findings]
            if seed % LEAKS_PER == 0:
                made = leaks(drawn, is_ordered=given.is_ordered, columns=("",), seed=0, encoder=encoder)[0]
                above += sum(leak.low > leak.majority for leak in made.values())
                ranked += len(made)
        console.print(
            f"{name}: {clean} of {audits} audits of random answers without a finding; {above} of {ranked} leaks above chance. Found: {found[:8]}"
        )
        figures[name] = {"clean": clean, "audits": audits, "leaks_above": above, "leaks": ranked}
    return figures


# Intervals


def coverage(names: Sequence[str], draws: int, limit: int | None, console: Console) -> dict[str, Any]:
    """How often the interval of a leak has its expectation, for random answers and for answers drawn from a ranker that was fitted to the real ones."""
    table = Table("data", "ranker", "answers", "leak", "variance, once", "repeated", "interval has it")
    figures: dict[str, Any] = {}
    for name in names:
        given = read(name, limit)
        measured = Candidates.of(given.questions)
        for part in ("cues", "words"):
            features, penalty = feature_sets(measured, is_ordered=given.is_ordered)[part]
            for kind, scale in (("random", 0.0), ("fitted", 1.0)):
                p = softmax(scale * (features @ fit(features, measured.sets, penalty)), measured.sets)
                drawn = [answers_by(p, measured, np.random.default_rng(seed)) for seed in range(draws)]
                once = [picks(features, penalty, one.sets, one.group, 0).hit.mean() for one in drawn]
                found = [repeated_leak(features, penalty, one) for one in drawn]
                mean = float(np.mean([one.accuracy for one in found]))
                alone = mean * (1 - mean) / len(measured.questions)
                ratios = [
                    float(np.var(some, ddof=1)) / alone for some in (once, [one.accuracy for one in found])
                ]
                share = float(np.mean([one.low <= mean <= one.high for one in found]))
                table.add_row(
                    name, part, kind, f"{mean:.1%}", *(f"{one:.2f}" for one in ratios), f"{share:.0%}"
                )
                figures[f"{name} {part} {kind}"] = {
                    "once": ratios[0],
                    "repeated": ratios[1],
                    "covered": share,
                }
    console.print(table)
    return figures


def answers_by(p: np.ndarray, given: Candidates, random: Random) -> Candidates:
    """The questions with an answer drawn from the probabilities of their candidates."""
    right = [
        start + int(random.choice(end - start, p=p[start:end]))
        for start, end in pairwise(given.sets.starts.tolist())
    ]
    return replace(given, sets=Sets(given.sets.starts, np.array(right)))


def repeated_leak(features: Any, penalty: Any, given: Candidates) -> Leak:
    hit = np.mean([one.hit for one in repeated_picks(features, penalty, given, 0)], axis=0)
    return leak_of("", hit, given, ("",), REPEATS)


# Planted cues


@dataclass(frozen=True)
class Cue:
    """A cue to plant. families: kinds of findings that are the cue. carrier: the place of the candidate with the cue.

    insert: puts the cue into its text; other: changes the texts of the others."""

    name: str
    families: tuple[str, ...]
    insert: Callable[[str, str, Random], str] = lambda text, prompt, random: text
    carrier: Callable[[Question, Random], int] = lambda question, random: int(
        random.integers(len(question.candidates))
    )
    is_long: bool = False
    names: tuple[str, ...] = ()
    other: Callable[[str, str, Random], str] = lambda text, prompt, random: text

    def is_it(self, finding: Finding) -> bool:
        """Whether a finding, or a pattern that it explains, is the cue."""
        return any(
            one.level in self.families or any(name in one.pattern.name for name in self.names)
            for one in (finding, *finding.variants)
        )


def longest(question: Question, random: Random) -> int:
    lengths = [len(text) for text in question.candidates]
    top = [i for i, n in enumerate(lengths) if n == max(lengths)]
    return int(random.choice(top))


def echoed(text: str, prompt: str, random: Random) -> str:
    """The text with a longer word of the prompt."""
    words = long_words(prompt)
    return f"{text} {random.choice(words)}" if words else text


def of_another(text: str, prompt: str, random: Random) -> str:
    """The text with a longer word of another prompt: neither length nor the words themselves tell the candidates apart."""
    return f"{text} {random.choice(all_words())}"


def long_words(prompt: str) -> list[str]:
    return [word for word in (word.strip(".,?!") for word in prompt.split()) if len(word) > 3]


@cache
def all_words() -> list[str]:
    return [word for one in read("cqa", None).questions for word in long_words(one.prompt)]


CUES = (
    Cue("position", ("position",), carrier=lambda question, random: 1),
    Cue("longest", ("length",), carrier=longest),
    Cue("leading space", ("spacing",), lambda text, prompt, random: f" {text}"),
    Cue("absolute word", ("wording",), lambda text, prompt, random: f"{random.choice(['always', 'never', 'only'])} {text}", names=("always", "never", "only")),
    Cue("prompt echo", ("prompt",), echoed, other=of_another),
    Cue("list style", ("style",), lambda text, prompt, random: "\n".join(f"- {one}" for one in text.split("\n")), is_long=True),
)  # fmt: skip


def plant(questions: Sequence[Question], cue: Cue, strength: float, random: Random) -> list[Question]:
    """The questions with the cue in one candidate each, which is the right one as often as the strength says."""
    planted = []
    for one in questions:
        at = cue.carrier(one, random)
        texts = tuple(
            (cue.insert if i == at else cue.other)(text, one.prompt, random)
            for i, text in enumerate(one.candidates)
        )
        right = at if random.random() < strength else int(random.integers(len(texts)))
        planted.append(replace(one, candidates=texts, right=right))
    return planted


def clean_questions(random: Random) -> list[Question]:
    """Real questions in which nothing was found, some of them."""
    questions = read("cqa", None).questions
    return [questions[i] for i in random.choice(len(questions), QUESTIONS, replace=False)]


def clean_pairs(random: Random) -> list[Question]:
    """Pairs of answers of some lines, which are real questions in random order."""
    lines = [one.prompt for one in read("cqa", None).questions]

    def answer() -> str:
        return "\n".join(random.choice(lines, int(random.integers(*SENTENCES)), replace=False))

    return [Question(str(i), i, "", (answer(), answer()), 0) for i in range(PAIRS)]


def planted(datasets: int, console: Console) -> dict[str, Any]:
    """Recall and false discoveries for each cue, and over all."""
    table = Table("cue", *(f"found at {strength}" for strength in STRENGTHS), "false findings")
    by_cue: dict[str, Any] = {}
    found, runs, false, all_findings = 0, 0, 0, 0
    for cue in CUES:
        shares, wrong = [], []
        for strength in STRENGTHS:
            hits = 0
            for findings in audits_of(cue, strength, datasets):
                of_cue = [cue.is_it(one) for one in findings]
                hits += any(of_cue)
                wrong += [one.pattern.name for one in findings if not cue.is_it(one)]
                all_findings += len(of_cue)
            shares.append(hits / datasets)
            found, runs = found + hits, runs + datasets
        false += len(wrong)
        table.add_row(cue.name, *(f"{share:.0%}" for share in shares), f"{len(wrong)} {'; '.join(wrong[:4])}")
        by_cue[cue.name] = shares
    console.print(table)
    return {
        "recall": found / runs,
        "false_discovery": false / max(1, all_findings),
        "runs": runs,
        "recall_by_cue": by_cue,
    }


def audits_of(cue: Cue, strength: float, datasets: int) -> Iterator[list[Finding]]:
    """The findings in each of some datasets with a planted cue."""
    for seed in range(datasets):
        random = np.random.default_rng([seed, int(100 * strength)])
        questions = clean_pairs(random) if cue.is_long else clean_questions(random)
        given = Candidates.of(plant(questions, cue, strength, random))
        yield search(given, is_ordered=not cue.is_long, max_q=MAX_Q, field="", label="right")[0]


def repairs(console: Console) -> dict[str, Any]:
    """The leak of data with each planted cue before and after a repair."""
    table = Table(
        "cue", "before", "after", "chance", "questions", "added", "dropped", "right answers changed"
    )
    figures: dict[str, Any] = {}
    for cue in CUES:
        random = np.random.default_rng([1, 80])
        questions = clean_pairs(random) if cue.is_long else clean_questions(random)
        rows = [row_of(one, i) for i, one in enumerate(plant(questions, cue, STRENGTHS[-1], random))]
        result = repair_choices(rows)
        part = "overlap" if cue.name == "prompt echo" else "candidates"
        before, after = result.leaks_before[part], result.leaks_after[part]
        right = {one.id: one.candidates[one.right or 0] for one in as_choices(rows).questions}
        new = {one.id: one.candidates[one.right or 0] for one in result.data.questions}
        changed = sum(right[id_].strip() != text.strip() for id_, text in new.items() if id_ in right)
        table.add_row(
            cue.name, f"{before.accuracy:.1%}", f"{after.accuracy:.1%}", f"{after.majority:.1%}",
            f"{result.dataset.used:,} → {result.questions_after:,}", str(result.added), str(result.dropped), str(changed),
        )  # fmt: skip
        figures[cue.name] = {"before": round(before.accuracy, 4), "after": round(after.accuracy, 4), "chance": round(after.majority, 4), "questions": result.questions_after, "changed": changed}  # fmt: skip
    console.print(table)
    return figures


def row_of(one: Question, number: int) -> dict[str, Any]:
    """A question as a row of data; a pair if it has two candidates."""
    right = one.right or 0
    if len(one.candidates) == 2:
        return {"id": str(number), "prompt": f"p {number}", "chosen": one.candidates[right], "rejected": one.candidates[1 - right]}  # fmt: skip
    return {"id": one.id, "question": one.prompt, "choices": list(one.candidates), "answer": "ABCDE"[right]}


# Speed


def speed(n: int, console: Console) -> dict[str, Any]:
    """Processor seconds of an audit of n different questions, and of n pairs of long answers."""
    figures = {}
    for name, files in {"questions": ("mmlu", "arc", "mmlu_pro"), "pairs": ("arena_preferences",)}.items():
        questions = [one for file in files for one in read(file, None).questions][:n]
        given = replace(read(files[0], None), questions=tuple(questions))
        started = time.process_time()
        audit_choices(given)
        figures[name] = {"n": len(questions), "processor_s": round(time.process_time() - started, 1)}
        console.print(f"{len(questions):,} {name}: {figures[name]['processor_s']} s of processor time")
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="files to audit; all if none are named")
    parser.add_argument("--limit", type=int, help="questions of each file")
    parser.add_argument("--permute", type=int, metavar="N", help="audits of shuffled answers for each file")
    parser.add_argument("--coverage", type=int, metavar="N", help="datasets with drawn answers for each file")
    parser.add_argument("--planted", type=int, metavar="N", help="datasets for each planted cue and strength")
    parser.add_argument("--repair", action="store_true", help="repair data with planted cues")
    parser.add_argument("--speed", type=int, metavar="N", help="questions of the timed audit")
    options = parser.parse_args()
    console = Console(width=140)
    if options.permute:
        figures = permuted(options.names or PERMUTED, options.permute, options.limit, console)
    elif options.coverage:
        figures = coverage(options.names or ("obqa",), options.coverage, options.limit, console)
    elif options.planted:
        figures = planted(options.planted, console)
    elif options.repair:
        figures = repairs(console)
    elif options.speed:
        figures = speed(options.speed, console)
    else:
        figures = benchmarks(options.names or FILES, options.limit, console)
    common.finish("runs/choice.py", **figures)


if __name__ == "__main__":
    main()
