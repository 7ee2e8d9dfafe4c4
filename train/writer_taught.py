"""Questions for the writer's jobs, the answers of a larger model or of the writer itself, and the rows to learn from them.

    questions(shared, each)      sources with a job each: rewrite or turn; saved as questions.jsonl, and as tokens for the writer (sample.npz)
    ask(folder, ...)             a larger model's answers, with the product's own prompts; needs a server, and no dataset
    read_answers(folder)         answers.jsonl and answers.npz together
    taught(folder, shared)       rows from those answers that the product's checks, models of other training and the judge confirm
    pairs_of(folder, rows)       each of them with an answer that was refused

An answer is kept with its question's number, so that asking goes on where it stopped.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from longway.classify.entailment import Entailment
from longway.engines.engine import Sampling
from longway.engines.model_files import installed_model
from longway.engines.plausible import in_form_of, refusal
from longway.engines.prompt import Prompt, counterfactual_prompt, rewrite_prompt
from longway.engines.registry import engine_named
from longway.engines.scoring.gguf_weights import read_gguf
from longway.engines.scoring.llama import tokenizer_of
from longway.engines.writer_lines import rewrite_lines, turn_lines
from longway.errors import CallFailed
from writer_data import SURE, Row, Shared, alike, avoided, sentiment
from writer_made import TASKS, Source, review_sentences, sources, verified

TEXTS = 4  # asked for at once
MOST = 2  # rows from one question
SAME = 0.8  # how likely each of two texts must entail the other
# How likely the judge must find an answer good, or its label right; below the second figure it finds it bad.
GOOD = {"rewrite": (0.85, 0.3), "sentiment": (0.5, 0.2), "pair": (0.6, 0.2)}
QUESTIONS, ANSWERS, SAMPLED = "questions.jsonl", "answers.jsonl", "answers.npz"
_LOWER = re.compile(r"\b[a-z']+\b")


@dataclass(frozen=True, slots=True)
class Question:
    """A source and what is to become of it. wanted: the label to turn it to, or words to avoid."""

    job: str
    data: str
    source: Source
    wanted: dict[str, Any] = field(default_factory=dict)

    @property
    def prompt(self) -> Prompt:
        """The question as the product would ask it."""
        task, one = TASKS[self.data], self.source
        if self.job == "rewrite":
            return rewrite_prompt(
                task, one.text, label=one.label, context=one.context, keeps="meaning", **self.wanted
            )
        return counterfactual_prompt(
            task, one.text, label=one.label, context=one.context, target=self.wanted["to"]
        )

    @property
    def lines(self) -> str:
        """The question as the writer is asked it."""
        if self.job == "rewrite":
            return rewrite_lines(self.source.text, avoid=self.wanted["avoid"])
        return turn_lines(self.source.text, self.wanted["to"], context=self.source.context)

    @property
    def kind(self) -> str:
        """What a judge is asked about an answer."""
        if self.job == "rewrite":
            return "rewrite"
        return "sentiment" if self.source.context is None else "pair"


def questions(shared: Shared, each: int, seed: int = 21) -> list[Question]:
    """A rewrite and a turn of every source, in random order."""
    chance = random.Random(seed)
    found: list[Question] = []
    for name, part in (
        sources(shared, each, seed) | {"imdb": review_sentences(shared, each, chance)}
    ).items():
        for one in part:
            own = _LOWER.findall(one.text)
            avoid = chance.sample(own, min(len(own), chance.choice((0, 1, 1, 2, 3))))
            others = [label for label in TASKS[name].labels if label != one.label]
            found.append(Question("rewrite", name, one, {"avoid": avoid}))
            found.append(Question("turn", name, one, {"to": chance.choice(others)}))
    chance.shuffle(found)
    return found


def ask(folder: Path, *, model: str, base_url: str, minutes: float, at_once: int) -> None:
    """Have a server answer as many questions as the time allows; those that have an answer are not asked again."""
    with whole_lines(folder / ANSWERS) as file:
        done = {number for number, _ in _asked_already(folder)}
        waiting = ((i, one) for i, one in enumerate(read_questions(folder)) if i not in done)
        asyncio.run(_ask(waiting, file, model, base_url, time.time() + 60 * minutes, at_once))


async def _ask(
    waiting: Iterator[tuple[int, Question]],
    file: Any,
    model: str,
    base_url: str,
    end: float,
    at_once: int,
) -> None:
    engine, counts = engine_named(f"served:{model}", base_url=base_url), Counter[str]()

    async def worker() -> None:
        for number, question in waiting:
            if time.time() > end:
                return
            try:
                written = await engine.write(question.prompt, TEXTS, Sampling(0.8, 0.95, seed=number))
            except CallFailed as failed:
                counts["failed"] += 1
                print(f"question {number}: {failed}", flush=True)
                continue
            counts.update(answers=1, texts=len(written.texts), tokens=written.usage.completion_tokens)
            file.write(json.dumps({"number": number, "texts": written.texts}, ensure_ascii=False) + "\n")
            if counts["answers"] % 500 == 0:
                file.flush()
                print(dict(counts), flush=True)

    await asyncio.gather(*(worker() for _ in range(at_once)))
    await engine.close()
    print(dict(counts), flush=True)


def write_questions(folder: Path, found: Sequence[Question]) -> None:
    """Questions as lines, and as tokens for `writer.py sample`."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(asdict(one), ensure_ascii=False) for one in found]
    (folder / QUESTIONS).write_text("\n".join(lines) + "\n", encoding="utf-8")
    tokenizer = tokenizer_of(read_gguf(installed_model()).settings)
    encoded = tokenizer.encode_batch([one.lines for one in found], add_special_tokens=False)
    texts = [np.array(one.ids, np.uint16) for one in encoded]
    starts = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    np.savez_compressed(folder / "sample.npz", tokens=np.concatenate(texts), starts=starts)
    (folder / "ends.json").write_text(json.dumps(ends_of(tokenizer)))
    print(QUESTIONS, len(lines), "questions", flush=True)


def ends_of(tokenizer: Any) -> list[int]:
    """Every token that begins a new line."""
    return sorted(i for token, i in tokenizer.get_vocab().items() if token.startswith("Ċ"))


def read_questions(folder: Path) -> list[Question]:
    """The questions in a folder."""
    lines = map(json.loads, (folder / QUESTIONS).read_text("utf-8").splitlines())
    return [Question(**{**one, "source": Source(**one["source"])}) for one in lines]


def read_answers(folder: Path) -> list[tuple[int, list[str]]]:
    """Numbers of questions with their texts, a larger model's and the writer's; a last line that was cut off does not count."""
    found = _asked_already(folder)
    if (folder / SAMPLED).exists():
        n = len(np.load(folder / "sample.npz")["starts"]) - 1
        found += list(enumerate(sampled(folder / SAMPLED, n)))
    return found


def whole_lines(path: Path) -> TextIO:
    """A file to add lines to; a last line that was cut off is taken away."""
    file = path.open("a+", encoding="utf-8")
    file.seek(0)
    kept = file.read().rpartition("\n")
    file.truncate(len((kept[0] + kept[1]).encode("utf-8")))
    return file


def _asked_already(folder: Path) -> list[tuple[int, list[str]]]:
    if not (folder / ANSWERS).exists():
        return []
    lines = (folder / ANSWERS).read_text("utf-8").split("\n")[:-1]
    return [(one["number"], one["texts"]) for one in map(json.loads, lines)]


def sampled(path: Path, n: int) -> list[list[str]]:
    """What the writer answered to each of n questions; a zero ends each, and all questions were asked in turn several times."""
    from tokenizers import decoders

    tokenizer = tokenizer_of(read_gguf(installed_model()).settings)
    tokenizer.decoder = decoders.ByteLevel()
    tokens = np.load(path)["tokens"]
    ends = np.flatnonzero(tokens == 0)
    lists = np.split(tokens, ends + 1)[: len(ends)]
    found: list[list[str]] = [[] for _ in range(n)]
    for number, text in enumerate(tokenizer.decode_batch([one[:-1].tolist() for one in lists])):
        found[number % n].append(text.strip())
    return found


def taught(folder: Path, shared: Shared) -> Iterator[Row]:
    """Rows from the answers in a folder, at most so many from one question, those that the judge finds best first."""
    from writer_judged import judged

    asked, shares = read_questions(folder), judged(folder)
    by_job: dict[tuple[str, str], dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for number, texts in read_answers(folder):
        one = asked[number]
        ordered = sorted(dict.fromkeys(texts), key=lambda new, n=number: -shares.get((n, new), 0.0))
        good = [new for new in ordered if not shares or shares.get((number, new), 0.0) >= GOOD[one.kind][0]]
        by_job[one.job, one.data][number] += [in_form_of(one.source.text, new) for new in good]
    chance = random.Random(2)
    for (job, data), given in sorted(by_job.items(), key=lambda item: item[0]):
        found = [(asked[number], texts) for number, texts in given.items()]
        rows = list((_rewritten if job == "rewrite" else _turned)(data, found, shared, chance))
        n_kept = len({row.ask for row in rows})
        print(f"{job} {data}: {len(found)} questions, {len(rows)} rows of {n_kept}", flush=True)
        yield from rows


def pairs_of(folder: Path, rows: Sequence[Row], seed: int = 4) -> list[Row]:
    """For each question a pair: an accepted answer, and then one that the judge finds bad, or that was not accepted where nobody judged."""
    from writer_judged import judged

    asked, shares, chance = read_questions(folder), judged(folder), random.Random(seed)
    accepted: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for row in rows:
        accepted[_key(row.ask)].add(row.answer)
    refused: dict[tuple[str, ...], list[str]] = {}
    for number, texts in read_answers(folder):
        one = asked[number]
        key, low = _key(one.lines), GOOD[one.kind][1]
        plain = [new for new in texts if new.strip() and "\n" not in new]
        worse = [new for new in plain if not {new, in_form_of(one.source.text, new)} & accepted[key]]
        worse = [new for new in worse if shares.get((number, new), 0.0) < low]
        refused.setdefault(key, []).extend(dict.fromkeys(worse))
    found = []
    for row in {_key(row.ask): row for row in reversed(rows)}.values():
        if worse := refused.get(_key(row.ask)):
            found += [row, replace(row, answer=chance.choice(worse))]
    return found


def _key(ask: str) -> tuple[str, ...]:
    """A question without the words to avoid, which are chosen after the answer."""
    return tuple(line for line in ask.split("\n") if not line.startswith("avoid: "))


Answered = Sequence[tuple[Question, Sequence[str]]]


def _rewritten(data: str, found: Answered, shared: Shared, chance: random.Random) -> Iterator[Row]:
    asked = {one.source: one for one, _ in found}
    possible = [[new for new in texts if not refusal(one.source.text, new)] for one, texts in found]
    passed = verified(data, [one.source for one, _ in found], possible)
    kept = Counter[Source]()
    for source, new in same_both_ways(list(passed)):
        if kept[source] < MOST:
            kept[source] += 1
            gone = [word for word in asked[source].wanted["avoid"] if word not in _LOWER.findall(new.lower())]
            lines = rewrite_lines(source.text, avoid=gone or avoided(source.text, new, chance))
            yield Row("rewrite", f"taught_{data}", lines, new)


def _turned(data: str, found: Answered, shared: Shared, chance: random.Random) -> Iterator[Row]:
    wanted = [(one.source, one.wanted["to"], list(texts)) for one, texts in found]
    for one, to, new in confirmed(wanted, shared):
        yield Row("turn", f"taught_{data}", turn_lines(one.text, to, context=one.context), new)


def same_both_ways(pairs: list[tuple[Source, str]]) -> list[tuple[Source, str]]:
    """Those of which each text entails the other."""
    model = Entailment.load()
    there = model.probabilities([(one.text, new) for one, new in pairs])[:, 0]
    back = model.probabilities([(new, one.text) for one, new in pairs])[:, 0]
    return [pair for pair, share in zip(pairs, np.minimum(there, back), strict=True) if share > SAME]


def confirmed(
    wanted: Sequence[tuple[Source, str, Sequence[str]]], shared: Shared
) -> Iterator[tuple[Source, str, str]]:
    """Texts that have the label asked for, according to models that were trained on other rows, and are still alike.

    wanted: sources, the label asked for, and the texts. The likeliest ones of each, at most so many: source, label, text.
    """
    stances = ("entailment", "contradiction", "neutral")
    found = [
        (i, new)
        for i, (one, _, texts) in enumerate(wanted)
        for new in dict.fromkeys(texts)
        if 0.5 < alike(one.text, new) < 1
    ]
    pairs = [(i, new) for i, new in found if wanted[i][0].context]
    sure: dict[tuple[int, str], float] = {}
    if pairs:
        likely = Entailment.load().probabilities([(wanted[i][0].context, new) for i, new in pairs])
        for (i, new), shares in zip(pairs, likely, strict=True):
            sure[i, new] = float(shares[stances.index(wanted[i][1])])
    singles = [(i, new) for i, new in found if not wanted[i][0].context]
    for (i, new), share in zip(singles, sentiment(shared, [new for _, new in singles]), strict=True):
        sure[i, new] = float(share if wanted[i][1] == "positive" else 1 - share)
    by_question: dict[int, list[tuple[float, str]]] = defaultdict(list)
    for (i, new), share in sure.items():
        if share > SURE:
            by_question[i].append((share, new))
    for i, good in by_question.items():
        for _, new in sorted(good, reverse=True)[:MOST]:
            yield wanted[i][0], wanted[i][1], new


def write(path: Path, rows: list[Row]) -> None:
    """Rows as lines."""
    lines = [json.dumps(asdict(row), ensure_ascii=False) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(path.name, len(rows), "rows", flush=True)
