"""Can the right option of a benchmark be found without the question? Leak, interval, chance and the strongest patterns of public sets.

    python runs/choice.py                     all files of shared/data/choice
    python runs/choice.py obqa cqa --limit 200
    python runs/choice.py --permute 100       answers shuffled within questions: audits without a finding, leaks above chance, repairs that leave a question out
    python runs/choice.py --coverage 100      answers drawn from a fitted ranker, or at random: how often the interval of the leak has the true one
    python runs/choice.py --planted 20        cues planted in clean data, 20 datasets for each cue and strength: recall and false discoveries
    python runs/choice.py --repair            the files, and cues planted in clean data, repaired: leak before and after
    python runs/choice.py --speed 2000        processor time of an audit of so many questions

--workers N runs files, cues and permutations in N processes. Rows are printed as they are measured. What
needs the sentence encoder is left out if it is not installed.

A planted cue is in one candidate of a question, drawn at random. With the given strength this candidate is the right one; otherwise the
right one is drawn at random, too. A cue is found if a finding, or a pattern that a finding explains, is of its kind. A finding is false if
neither it nor a pattern that it explains is.
"""

from __future__ import annotations

import argparse
import string
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

import common
from longway.data.choices import ChoiceDataset, Question, load_choices
from longway.detect.choices.candidates import Candidates, Sets, fit, search, softmax
from longway.detect.choices.leak import (
    ENCODER,
    REPEATS,
    Encoder,
    encoder_features,
    feature_sets,
    leak_of,
    picks,
    repeated_hits,
    sampled,
)
from longway.jobs.choices.audit.job import as_choices, audit_choices
from longway.jobs.choices.repair.job import repair_choices
from longway.models import minilm
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
COVERED = ("obqa", "truthful_qa", "arena_preferences")
PARTS = ("candidates", ENCODER, "cues", "words", "overlap")
RANKED_PER = 5  # of so many permutations one is ranked with the encoder, too
PER_TASK = 10  # permutations
STRENGTHS = (0.2, 0.4, 0.8)
QUESTIONS, PAIRS = 600, 1000  # of a dataset with planted cues
SENTENCES = (2, 6)
MAX_Q = 0.05
Random = np.random.Generator
Figures = dict[str, Any]


def read(name: str, limit: int | None) -> ChoiceDataset:
    given = load_choices(common.data(f"choice/{name}.jsonl.gz"), limit=limit)
    assert given is not None
    return given


def line(widths: Sequence[int], *cells: object) -> None:
    """Print a row of a table; the last cell may be of any length."""
    print(
        *(str(cell).ljust(width) for cell, width in zip(cells, [*widths, 0], strict=True)),
        sep="  ",
        flush=True,
    )


def interval(leak: Leak) -> str:
    return f"{leak.accuracy:.1%} ({100 * leak.low:.1f} to {100 * leak.high:.1f})"


# The benchmarks


def benchmarks(names: Sequence[str], limit: int | None, workers: int) -> Figures:
    """The audit of each file."""
    widths = (18, 9, 24, 10, 7, 8)
    line(widths, "data", "questions", "right without the prompt", "ranker", "chance", "findings", "strongest")
    figures: Figures = {}
    for name, result in zip(
        names, common.each(audited, [(name, limit) for name in names], workers), strict=True
    ):
        leak, strongest = result.headline, [one.pattern.name for one in result.findings[:3]]
        line(
            widths,
            name,
            leak.rows,
            interval(leak),
            leak.part,
            f"{leak.majority:.1%}",
            len(result.findings),
            "; ".join(strongest),
        )
        figures[name] = {
            "leak": round(leak.accuracy, 4), "low": round(leak.low, 4), "high": round(leak.high, 4), "chance": round(leak.majority, 4),
            "ranker": leak.part, "findings": len(result.findings), "parts": {part: round(one.accuracy, 4) for part, one in result.leaks.items()}, "strongest": strongest,
        }  # fmt: skip
    return figures


def audited(name: str, limit: int | None) -> Any:
    return audit_choices(read(name, limit))


# Answers shuffled within questions


def permuted(names: Sequence[str], audits: int, limit: int | None, workers: int) -> Figures:
    """Random answers: how many audits have no finding, how many leaks are above chance, and how many repairs leave a question out."""
    widths = (18, 18, 22, 22, 20)
    line(
        widths,
        "data",
        "without a finding",
        "leaks above chance",
        "of these the encoder's",
        "repairs that drop",
        "found",
    )
    figures: Figures = {}
    for name in names:
        tasks = [(repaired_at_random, name, range(at, min(at + PER_TASK, audits)), limit) for at in range(0, audits, PER_TASK)]  # fmt: skip
        if minilm.is_installed():
            tasks.insert(0, (ranked_at_random, name, range(0, audits, RANKED_PER), limit))
        made = [one for some in common.each(called, tasks, workers) for one in some]
        rows, encoder = ([one for one in made if isinstance(one, kind)] for kind in (dict, Leak))
        all_leaks = [leak for row in rows for leak in row["leaks"]] + encoder
        above = [sum(leak.low > leak.majority for leak in some) for some in (all_leaks, encoder)]
        clean, drops = sum(not row["found"] for row in rows), [row["dropped"] for row in rows if row["dropped"]]  # fmt: skip
        line(
            widths, name, f"{clean} of {len(rows)}", f"{above[0]} of {len(all_leaks)}", f"{above[1]} of {len(encoder)}",
            f"{len(drops)}, most {max(drops, default=0)}", "; ".join(text for row in rows for text in row["found"]),
        )  # fmt: skip
        figures[name] = {
            "clean": clean, "audits": len(rows), "leaks_above": above[0], "leaks": len(all_leaks), "encoder_above": above[1], "encoder_leaks": len(encoder),
            "repairs_that_drop": len(drops), "dropped": drops,
        }  # fmt: skip
    return figures


def called(work: Callable[..., Any], *task: Any) -> Any:
    return work(*task)


def repaired_at_random(name: str, seeds: Sequence[int], limit: int | None) -> list[Figures]:
    """For each seed the findings and leaks of shuffled answers, and how many questions a repair leaves out."""
    given, made = read(name, limit), []
    for seed in seeds:
        random = np.random.default_rng(seed)
        drawn = [replace(one, right=int(random.integers(len(one.candidates)))) for one in given.questions]
        rows = [row_of(one, i, is_pair=not given.is_ordered) for i, one in enumerate(drawn)]
        result = repair_choices(rows, remedy="drop")
        made.append({"found": [one.name for one in result.findings], "leaks": list(result.leaks_before.values()), "dropped": result.dropped})  # fmt: skip
    return made


def ranked_at_random(name: str, seeds: Sequence[int], limit: int | None) -> list[Leak]:
    """For each seed the leak of shuffled answers to the sentence encoder, which reads the candidates once."""
    given = read(name, limit)
    measured = Candidates.of(given.questions, given.columns.kind)
    made = encoded(measured)
    drawn = [shuffled(made[0], np.random.default_rng(seed)) for seed in seeds]
    return [repeated_leak(*made[1:], one) for one in drawn]


def encoded(given: Candidates) -> tuple[Candidates, Any, Any]:
    """The questions that the sentence encoder reads, with their features and penalties."""
    encoder = Encoder()
    some = given.part(sampled(given, encoder, 0))
    return some, *encoder_features(some, encoder)


def shuffled(given: Candidates, random: Random) -> Candidates:
    right = given.sets.starts[:-1] + random.integers(given.sets.sizes)
    return replace(given, sets=Sets(given.sets.starts, right))


# Intervals


def coverage(names: Sequence[str], draws: int, limit: int | None, workers: int) -> Figures:
    """How often the interval of a leak has its expectation, for random answers and for answers drawn from a ranker that was fitted to the real ones."""
    widths = (18, 11, 8, 7, 15, 9)
    line(widths, "data", "ranker", "answers", "leak", "variance, once", "repeated", "interval has it")
    parts = [part for part in PARTS if part != ENCODER or minilm.is_installed()]
    tasks = [(name, part, scale, draws, limit) for name in names for part in parts for scale in (0.0, 1.0)]
    figures: Figures = {}
    for (name, part, scale, *_), row in zip(tasks, common.each(covered, tasks, workers), strict=True):
        kind = "fitted" if scale else "random"
        line(
            widths,
            name,
            part,
            kind,
            f"{row['leak']:.1%}",
            f"{row['once']:.2f}",
            f"{row['repeated']:.2f}",
            f"{row['covered']:.0%}",
        )
        figures[f"{name} {part} {kind}"] = row
    return figures


def covered(name: str, part: str, scale: float, draws: int, limit: int | None) -> Figures:
    """The variance of a leak over drawn answers, in units of that of independent answers, and how often its interval has the mean."""
    given = read(name, limit)
    measured = Candidates.of(given.questions, given.columns.kind)
    if part == ENCODER:
        measured, features, penalty = encoded(measured)
    else:
        features, penalty = feature_sets(measured)[part]
    p = softmax(scale * (features @ fit(features, measured.sets, penalty)), measured.sets)
    drawn = [answers_by(p, measured, np.random.default_rng(seed)) for seed in range(draws)]
    once = [picks(features, penalty, one.sets, one.group, 0).hit.mean() for one in drawn]
    found = [repeated_leak(features, penalty, one) for one in drawn]
    mean = float(np.mean([one.accuracy for one in found]))
    alone = mean * (1 - mean) / len(measured.questions)
    ratios = [float(np.var(some, ddof=1)) / alone for some in (once, [one.accuracy for one in found])]
    share = float(np.mean([one.low <= mean <= one.high for one in found]))
    return {"leak": mean, "once": ratios[0], "repeated": ratios[1], "covered": share}


def answers_by(p: np.ndarray, given: Candidates, random: Random) -> Candidates:
    """The questions with an answer drawn from the probabilities of their candidates."""
    right = [
        start + int(random.choice(end - start, p=p[start:end]))
        for start, end in pairwise(given.sets.starts.tolist())
    ]
    return replace(given, sets=Sets(given.sets.starts, np.array(right)))


def repeated_leak(features: Any, penalty: Any, given: Candidates) -> Leak:
    hit = repeated_hits(features, penalty, given, 0)
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


def planted(datasets: int, workers: int) -> Figures:
    """Recall and false discoveries for each cue, and over all."""
    widths = (18, 9, 8, 14)
    line(widths, "cue", "strength", "found", "false findings", "these")
    tasks = [(number, strength, datasets) for number in range(len(CUES)) for strength in STRENGTHS]
    by_cue: dict[str, list[float]] = {cue.name: [] for cue in CUES}
    n_found, n_findings, n_false = 0, 0, 0
    for (number, strength, _), (found, findings, wrong) in zip(tasks, common.each(audits_of, tasks, workers), strict=True):  # fmt: skip
        name = CUES[number].name
        line(widths, name, strength, f"{found / datasets:.0%}", len(wrong), "; ".join(wrong[:4]))
        by_cue[name].append(found / datasets)
        n_found, n_findings, n_false = n_found + found, n_findings + findings, n_false + len(wrong)
    runs = len(tasks) * datasets
    print(f"Found in {n_found} of {runs} datasets; {n_false} of {n_findings} findings are false.")
    return {"recall": n_found / runs, "false_discovery": n_false / max(1, n_findings), "runs": runs, "recall_by_cue": by_cue}  # fmt: skip


def audits_of(number: int, strength: float, datasets: int) -> tuple[int, int, list[str]]:
    """In how many datasets with a planted cue it is found, how many findings there are, and the names of false ones."""
    cue, found, findings, wrong = CUES[number], 0, 0, []
    for seed in range(datasets):
        random = np.random.default_rng([seed, int(100 * strength)])
        questions = clean_pairs(random) if cue.is_long else clean_questions(random)
        kind = "preference" if cue.is_long else "choice"
        given = Candidates.of(plant(questions, cue, strength, random), kind)
        made = search(given, max_q=MAX_Q, field="", label="right")[0]
        found += any(map(cue.is_it, made))
        findings += len(made)
        wrong += [one.pattern.name for one in made if not cue.is_it(one)]
    return found, findings, wrong


# Repairs


def repairs(names: Sequence[str], limit: int | None, workers: int) -> Figures:
    """The leak of the files, and of data with each planted cue, before and after a repair: that of the audit's headline, and by surface and words."""
    widths = (18, 8, 24, 7, 15, 6, 8, 9, 18)
    line(
        widths,
        "data",
        "before",
        "after",
        "chance",
        "questions",
        "added",
        "dropped",
        "at random",
        "by words",
        "right answers changed",
    )
    tasks = [("", name, limit) for name in names] + [(cue.name, "", limit) for cue in CUES]
    figures: Figures = {}
    for (cue, name, _), row in zip(tasks, common.each(repaired, tasks, workers), strict=True):
        line(
            widths, name or cue, f"{row['before']:.1%}", interval(row.pop("leak")), f"{row['chance']:.1%}", f"{row['given']:,} → {row['questions']:,}",
            row["added"], row["dropped"], f"{row['random']:.1%}" if row["random"] else "", " → ".join(f"{share:.1%}" for share in row["words"]), row["changed"],
        )  # fmt: skip
        figures[name or cue] = row
    return figures


def repaired(cue_name: str, name: str, limit: int | None) -> Figures:
    """The repair of a file, or of clean data with a planted cue."""
    if name:
        rows: Any = read(name, limit)
    else:
        random, cue = np.random.default_rng([1, 80]), next(one for one in CUES if one.name == cue_name)
        questions = clean_pairs(random) if cue.is_long else clean_questions(random)
        drawn = plant(questions, cue, STRENGTHS[-1], random)[:limit]
        rows = [row_of(one, i, is_pair=cue.is_long) for i, one in enumerate(drawn)]
    given, result = as_choices(rows), repair_choices(rows)
    before, after = result.leak_before, result.leak_after
    if cue_name == "prompt echo":
        before, after = result.leaks_before["overlap"], result.leaks_after["overlap"]
    words = [round(leaks["candidates"].accuracy, 4) for leaks in (result.leaks_before, result.leaks_after)]
    right = {one.id: one.candidates[one.right or 0] for one in given.questions}
    new = {one.id: one.candidates[one.right or 0] for one in result.data.questions if one.id in right}
    return {
        "leak": after, "before": round(before.accuracy, 4), "after": round(after.accuracy, 4), "chance": round(after.majority, 4),
        "given": result.dataset.used, "questions": result.questions_after, "added": result.added, "dropped": result.dropped,
        "random": round(result.random.accuracy, 4) if result.random else None, "words": words,
        "findings": (result.found_before, result.found_after), "changed": sum(plain(right[id_]) != plain(text) for id_, text in new.items()),
    }  # fmt: skip


def plain(text: str) -> str:
    """A text without what rules make the same: spaces, the first letter's case, the full stop."""
    return " ".join(text.split()).casefold().rstrip(".")


def row_of(one: Question, number: int, *, is_pair: bool) -> dict[str, Any]:
    """A question as a row of data."""
    right = one.right or 0
    if is_pair:
        return {"id": str(number), "prompt": one.prompt or f"p {number}", "chosen": one.candidates[right], "rejected": one.candidates[1 - right]}  # fmt: skip
    return {"id": one.id, "question": one.prompt, "choices": list(one.candidates), "answer": string.ascii_uppercase[right]}  # fmt: skip


# Speed


def speed(n: int) -> Figures:
    """Processor seconds of an audit of n different questions, and of n pairs of long answers."""
    figures: Figures = {}
    for name, files in {"questions": ("mmlu", "arc", "mmlu_pro"), "pairs": ("arena_preferences",)}.items():
        questions = [one for file in files for one in read(file, None).questions][:n]
        given = replace(read(files[0], None), questions=tuple(questions))
        started = time.process_time()
        audit_choices(given)
        figures[name] = {"n": len(questions), "processor_s": round(time.process_time() - started, 1)}
        print(f"{len(questions):,} {name}: {figures[name]['processor_s']} s of processor time", flush=True)
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
    parser.add_argument("--repair", action="store_true", help="repair the files, and data with planted cues")
    parser.add_argument("--speed", type=int, metavar="N", help="questions of the timed audit")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes")
    options = parser.parse_args()
    if options.permute:
        figures = permuted(options.names or PERMUTED, options.permute, options.limit, options.workers)
    elif options.coverage:
        figures = coverage(options.names or COVERED, options.coverage, options.limit, options.workers)
    elif options.planted:
        figures = planted(options.planted, options.workers)
    elif options.repair:
        figures = repairs(options.names or FILES, options.limit, options.workers)
    elif options.speed:
        figures = speed(options.speed)
    else:
        figures = benchmarks(options.names or FILES, options.limit, options.workers)
    common.finish("runs/choice.py", **figures)


if __name__ == "__main__":
    main()
