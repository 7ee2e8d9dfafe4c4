"""What a larger model, the teacher, writes for the writer's jobs, as rows to learn from.

    questions(shared, each)      sources with a job each: rewrite, turn, edit; saved as questions.jsonl
    ask(folder, ...)             the teacher's answers, with the product's own prompts; needs a server, and no dataset
    taught(folder, shared)       rows from those answers that the product's checks and models of other training confirm
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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from longway.engines.engine import Sampling
from longway.engines.plausible import words_of
from longway.engines.prompt import Prompt, counterfactual_prompt, edit_prompt, rewrite_prompt
from longway.engines.registry import engine_named
from longway.engines.writer_lines import edit_lines, rewrite_lines, turn_lines
from longway.errors import CallFailed
from writer_data import SENTENCE_END, Row, Shared, avoided, untagged
from writer_made import TASKS, Source, sources, verified
from writer_sampled import MOST, confirmed, same_both_ways

TEXTS = 4  # asked for at once
QUESTIONS, ANSWERS = "questions.jsonl", "answers.jsonl"
_LOWER = re.compile(r"\b[a-z']+\b")


@dataclass(frozen=True, slots=True)
class Question:
    """A source and what is to become of it. wanted: the label to turn it to, words to avoid, or what an edit must reach."""

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
        if self.job == "turn":
            return counterfactual_prompt(
                task, one.text, label=one.label, context=one.context, target=self.wanted["to"]
            )
        return edit_prompt(task, one.text, label=one.label, context=one.context, **self.wanted)

    @property
    def lines(self) -> str:
        """The question as the writer is asked it."""
        if self.job == "rewrite":
            return rewrite_lines(self.source.text)
        if self.job == "turn":
            return turn_lines(self.source.text, self.wanted["to"], context=self.source.context)
        return edit_lines(self.source.text, **self.wanted)


def questions(shared: Shared, each: int, seed: int = 21) -> list[Question]:
    """A rewrite and a turn of every source, and an edit of about half of them, in random order."""
    chance = random.Random(seed)
    found: list[Question] = []
    for name, part in (
        sources(shared, each, seed) | {"imdb": review_sentences(shared, each, chance)}
    ).items():
        words = [word for one in part for word in _LOWER.findall(one.text)]
        for one in part:
            own = _LOWER.findall(one.text)
            avoid = chance.sample(own, min(len(own), chance.choice((0, 1, 1, 2, 3))))
            others = [label for label in TASKS[name].labels if label != one.label]
            found.append(Question("rewrite", name, one, {"avoid": avoid}))
            found.append(Question("turn", name, one, {"to": chance.choice(others)}))
            if edit := some_edit(len(one.text.split()), words, chance):
                found.append(Question("edit", name, one, edit))
    chance.shuffle(found)
    return found


def review_sentences(shared: Shared, n: int, chance: random.Random) -> list[Source]:
    """Sentences of reviews, with the label of the review."""
    found = []
    for row in chance.sample(list(shared.rows("imdb/train")), n):
        fit = [s for s in SENTENCE_END.split(untagged(row["text"])) if 6 <= len(s.split()) <= 40]
        found += [Source(sentence, row["label"]) for sentence in chance.sample(fit, min(2, len(fit)))]
    return found[:n]


def some_edit(n_words: int, words: Sequence[str], chance: random.Random) -> dict[str, Any] | None:
    """A phrase to put in, fewer words or more; often nothing."""
    kind = chance.choice(("include", "include", "most", "least", "", ""))
    if kind == "include":
        start = chance.randrange(len(words) - 1)
        return {"include": " ".join(words[start : start + chance.choice((1, 1, 2))])}
    if kind == "most" and n_words > 7:
        return {"most": int(n_words * chance.uniform(0.5, 0.8))}
    return {"least": int(n_words * chance.uniform(1.2, 1.6)) + 2} if kind == "least" else None


def ask(folder: Path, *, model: str, base_url: str | None, minutes: float, at_once: int) -> None:
    """Have a server answer as many questions as the time allows; those that have an answer are not asked again."""
    with (folder / ANSWERS).open("a", encoding="utf-8") as file:
        done = {number for number, _ in read_answers(folder)}
        waiting = ((i, one) for i, one in enumerate(read_questions(folder)) if i not in done)
        asyncio.run(_ask(waiting, file, model, base_url, time.time() + 60 * minutes, at_once))


async def _ask(
    waiting: Iterator[tuple[int, Question]],
    file: Any,
    model: str,
    base_url: str | None,
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


def write_questions(folder: Path, found: Iterable[Question]) -> None:
    """Questions as lines."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(asdict(one), ensure_ascii=False) for one in found]
    (folder / QUESTIONS).write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(QUESTIONS, len(lines), "questions", flush=True)


def read_questions(folder: Path) -> list[Question]:
    """The questions in a folder."""
    lines = map(json.loads, (folder / QUESTIONS).read_text("utf-8").splitlines())
    return [Question(**{**one, "source": Source(**one["source"])}) for one in lines]


def read_answers(folder: Path) -> list[tuple[int, list[str]]]:
    """Numbers of questions with their texts; a last line that was cut off does not count."""
    lines = (folder / ANSWERS).read_text("utf-8").split("\n")[:-1]
    return [(one["number"], one["texts"]) for one in map(json.loads, lines)]


def taught(folder: Path, shared: Shared) -> Iterator[Row]:
    """Rows from the answers in a folder, at most so many from one question."""
    asked = read_questions(folder)
    by_job: dict[tuple[str, str], list[tuple[Question, list[str]]]] = defaultdict(list)
    for number, texts in read_answers(folder):
        by_job[asked[number].job, asked[number].data].append((asked[number], texts))
    chance = random.Random(2)
    for (job, data), found in sorted(by_job.items(), key=lambda item: item[0]):
        rows = list(_ROWS[job](data, found, shared, chance))
        n_kept = len({row.ask for row in rows})
        print(f"{job} {data}: {len(found)} answers, {len(rows)} rows of {n_kept} questions", flush=True)
        yield from rows


def pairs_of(folder: Path, rows: Sequence[Row], seed: int = 4) -> list[Row]:
    """For each row a pair: its answer, and then an answer to the same question that was not accepted."""
    asked, chance = read_questions(folder), random.Random(seed)
    accepted: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for row in rows:
        accepted[_key(row.ask)].add(row.answer)
    refused: dict[tuple[str, ...], list[str]] = {}
    for number, texts in read_answers(folder):
        key = _key(asked[number].lines)
        worse = [new for new in texts if new.strip() and "\n" not in new and new not in accepted[key]]
        refused.setdefault(key, []).extend(dict.fromkeys(worse))
    found = []
    for row in rows:
        # Of a question with as many rows as one may have, more answers may have passed.
        if len(accepted[_key(row.ask)]) < MOST and (worse := refused.get(_key(row.ask))):
            found += [row, replace(row, answer=chance.choice(worse))]
    return found


def _key(ask: str) -> tuple[str, ...]:
    """A question without the words to avoid, which are chosen after the answer."""
    return tuple(line for line in ask.split("\n") if not line.startswith("avoid: "))


Answered = Sequence[tuple[Question, Sequence[str]]]


def _rewritten(data: str, found: Answered, shared: Shared, chance: random.Random) -> Iterator[Row]:
    passed = verified(data, [one.source for one, _ in found], [texts for _, texts in found])
    for one, new in same_both_ways(_some(passed, chance)):
        lines = rewrite_lines(one.text, avoid=avoided(one.text, new, chance))
        yield Row("rewrite", f"taught_{data}", lines, new)


def _turned(data: str, found: Answered, shared: Shared, chance: random.Random) -> Iterator[Row]:
    wanted = [(one.source, one.wanted["to"], list(texts)) for one, texts in found]
    for one, to, new in confirmed(wanted, shared):
        yield Row("turn", f"taught_{data}", turn_lines(one.text, to, context=one.context), new)


def _edited(data: str, found: Answered, shared: Shared, chance: random.Random) -> Iterator[Row]:
    reached = [[new for new in texts if is_reached(new, **one.wanted)] for one, texts in found]
    wanted = {one.source: one.wanted for one, _ in found}
    for one, new in _some(verified(data, [one.source for one, _ in found], reached, keeps="label"), chance):
        yield Row("edit", f"taught_{data}", edit_lines(one.text, **wanted[one]), new)


def is_reached(text: str, *, include: str = "", least: int = 0, most: int | None = None) -> bool:
    """Whether a text has the words put in and the length asked for.

    >>> is_reached("A film, as far as I know.", include="as far as"), is_reached("A film.", most=1)
    (True, False)
    """
    has = not include or f" {' '.join(words_of(include))} " in f" {' '.join(words_of(text))} "
    n_words = len(text.split())
    return has and least <= n_words and (most is None or n_words <= most)


def _some(passed: Iterable[tuple[Source, str]], chance: random.Random) -> list[tuple[Source, str]]:
    """At most so many new texts of one source."""
    by_source: dict[Source, list[str]] = defaultdict(list)
    for one, new in passed:
        by_source[one].append(new)
    return [
        (one, new) for one, found in by_source.items() for new in chance.sample(found, min(MOST, len(found)))
    ]


_ROWS = {"rewrite": _rewritten, "turn": _turned, "edit": _edited}
