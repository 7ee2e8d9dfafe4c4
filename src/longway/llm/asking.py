"""The one way to ask an engine: nothing is asked twice, nothing is used before it is on disk, no budget is broken.

    asker = Asker(engine, journal, budget=2.50)
    asker.write_all(prompts, 4)             one `Written` for each prompt, in order
    asker.judge_all(prompts, labels)        one `Judged` for each
    asker.embed_all(texts)                  one vector for each
    asker.estimate(prompts, 4)              what those that are not answered yet would take

Answers that the journal has are taken from there; equal questions are asked once. A refusal is an answer and is kept. A
call that failed for a passing reason is not kept and comes back as an empty answer that says why: the same command again
asks it again. Ctrl-C abandons the calls under way; what was answered before is in the journal. What calls cost is
told by `journal.totals()`; an answer's own `usage` is empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, TypeVar

from longway.errors import SettingError
from longway.llm.budget import ledger_of
from longway.llm.engine import Engine, Judged, Sampling, Usage, Written
from longway.llm.loop import run
from longway.llm.prices import FREE
from longway.llm.prompt import Prompt
from longway.llm.recorded import Speaker, answer_of, judged_of, packed, unpacked, written_of
from longway.llm.request import Call, size_of
from longway.llm.round import Answers, Question, Round
from longway.llm.transport import tokens_in
from longway.store.journal import Journal

T = TypeVar("T")
EMBED_AT_ONCE = 64
PREPARED_AT_ONCE = 256
_WRAPPING = 8  # tokens around one text or label of an answer


@dataclass(frozen=True, slots=True)
class Estimate:
    """What calls are likely to take. cost: in dollars, None where the model's price is not known."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


class Asker:
    """Asks one engine, with a journal and a budget.

    budget: dollars that all calls in this journal may cost together, those of earlier runs and other engines included.
    progress: called with the questions answered so far and all of them, from another thread.
    asked, found, failed: questions that were answered now, found in the journal, and left without an answer; why: the
    reasons of the last, counted.
    """

    def __init__(
        self,
        engine: Engine,
        journal: Journal,
        *,
        budget: float | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.engine, self.journal, self.budget, self.progress = engine, journal, budget, progress
        self.asked = self.found = 0
        self.why: Counter[str] = Counter()
        if budget is not None:
            self._check_budget(budget)

    @property
    def failed(self) -> int:
        """Questions left without an answer."""
        return self.why.total()

    def write_all(
        self, prompts: Sequence[Prompt], n: int, samplings: Sampling | Sequence[Sampling] | None = None
    ) -> list[Written]:
        """Up to n texts for each prompt, in order. samplings: one for all, or one for each."""
        self._check_can("write")
        if n < 1:
            raise SettingError(f"'n' must be at least 1. Got {n}. Ask for one text or more.")
        each = _each(samplings, len(prompts))
        speaker = Speaker.of(self.engine)
        keys = [speaker.write_key(prompt, n, how) for prompt, how in zip(prompts, each, strict=True)]

        def question(row: int) -> Question:
            prompt, how = prompts[row], each[row]
            asked = speaker.asked(prompt, n=n, sampling=asdict(how))
            most = self._most("write", prompt, n, how)
            ask = partial(self._write, prompt, n, how)
            return Question(
                "write", (keys[row],), asked, most, ask, _no_texts, self._request("write", prompt, n, how)
            )

        return self._answers(keys, lambda rows: map(question, self._prepared(prompts, rows)), written_of)

    def judge_all(self, prompts: Sequence[Prompt], options: Sequence[str]) -> list[Judged]:
        """How likely each option is, for each prompt, in order."""
        self._check_can("judge")
        if len(set(options)) < 2 or len(set(options)) != len(options):
            raise SettingError(f"'options' must be two labels or more, each once. Got {list(options)}.")
        speaker = Speaker.of(self.engine)
        keys = [speaker.judge_key(prompt, options) for prompt in prompts]

        def question(row: int) -> Question:
            prompt = prompts[row]
            asked = speaker.asked(prompt, options=list(options))
            most = self._most("judge", prompt, options)
            ask = partial(self._judge, prompt, options)
            return Question(
                "judge", (keys[row],), asked, most, ask, _no_label, self._request("judge", prompt, options)
            )

        return self._answers(keys, lambda rows: map(question, rows), judged_of)

    def embed_all(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text, in order; single precision. A failed call ends it: half of the vectors are of no use."""
        self._check_can("embed")
        if self.budget is not None and getattr(self.engine, "embedding_price", FREE) is None:
            raise _no_price(self.engine.name)
        speaker = Speaker.of(self.engine)
        keys = [speaker.embed_key(text) for text in texts]

        def question(rows: list[int]) -> Question:
            part, part_keys = [texts[row] for row in rows], tuple(keys[row] for row in rows)
            most = self._most("embed", part)
            return Question("embed", part_keys, speaker.asked(), most, lambda: self._embed(part), None)

        return self._answers(keys, lambda rows: map(question, _parts(rows, EMBED_AT_ONCE)), unpacked)

    def estimate(
        self,
        prompts: Sequence[Prompt],
        n: int = 1,
        *,
        samplings: Sampling | Sequence[Sampling] | None = None,
        options: Sequence[str] | None = None,
    ) -> Estimate:
        """What asking those that are not answered yet would take. options: given where labels are asked for, not texts."""
        speaker, each = Speaker.of(self.engine), _each(samplings, len(prompts))
        if options is None:
            keys = [speaker.write_key(prompt, n, how) for prompt, how in zip(prompts, each, strict=True)]
        else:
            keys = [speaker.judge_key(prompt, options) for prompt in prompts]
        rows = self._missing(keys, self.journal.get_all(dict.fromkeys(keys)))
        if not speaker.renders:
            return Estimate(len(rows), 0, 0, 0.0)
        read = written = 0
        for row in rows:
            more: dict[str, Any] = {"n": n} if options is None else {"options": options}
            read += tokens_in(size_of(prompts[row].messages(form="json", **more)))
            written += _written(prompts[row], n) if options is None else 2 * _WRAPPING
        price = getattr(self.engine, "price", FREE)
        return Estimate(len(rows), read, written, None if price is None else price.of(read, written))

    def close(self) -> None:
        """Let the engine go; the journal stays open."""
        run(self.engine.close())

    def __enter__(self) -> Asker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answers(
        self,
        keys: Sequence[str],
        questions: Callable[[list[int]], Iterator[Question]],
        decode: Callable[[dict[str, Any]], T],
    ) -> list[T]:
        """An answer for each key: from the journal where it is there, from the engine where not."""
        found = self.journal.get_all(dict.fromkeys(keys))
        results = {key: decode(answer) for key, answer in found.items()}
        rows = self._missing(keys, found)
        self.found += len(found)
        total = len(found) + len(rows)
        del found

        def take(key: str, answer: dict[str, Any]) -> None:
            results[key] = decode(answer)
            if self.progress is not None:
                self.progress(len(results), total)

        if self.progress is not None:
            self.progress(len(results), total)
        if rows:
            run(self._ask(questions(rows), take))
        return [results[key] for key in keys]

    @staticmethod
    def _missing(keys: Sequence[str], found: dict[str, Any]) -> list[int]:
        """The first row of each key that was not found."""
        first: dict[str, int] = {}
        for row, key in enumerate(keys):
            if key not in found:
                first.setdefault(key, row)
        return list(first.values())

    async def _ask(self, questions: Iterator[Question], take: Callable[[str, dict[str, Any]], None]) -> None:
        self.journal.check_writable()
        with ledger_of(self.journal, self.budget) as ledger:
            asking = Round(self.engine, self.journal, ledger, take=take)
            try:
                await asking.run(questions)
            finally:
                self.asked += asking.asked
                self.why.update(asking.failed)

    async def _write(self, prompt: Prompt, n: int, sampling: Sampling) -> tuple[Answers, Usage]:
        written = await self.engine.write(prompt, n, sampling)
        return [answer_of(written)], written.usage

    async def _judge(self, prompt: Prompt, options: Sequence[str]) -> tuple[Answers, Usage]:
        judged = await self.engine.judge(prompt, options)
        return [answer_of(judged)], judged.usage

    async def _embed(self, texts: list[str]) -> tuple[Answers, Usage]:
        vectors = await self.engine.embed(texts)
        return [packed(vector) for vector in vectors], getattr(vectors, "usage", Usage())

    def _prepared(self, prompts: Sequence[Prompt], rows: Sequence[int]) -> Iterator[int]:
        """The rows, after the engine had a look at many of them together, where that makes it faster."""
        prepare = getattr(self.engine, "prepare", None)
        for part in _parts(rows, PREPARED_AT_ONCE):
            if prepare is not None:
                prepare([prompts[row] for row in part])
            yield from part

    def _most(self, kind: str, *about: Any) -> float:
        """The most that a call can cost; engines that compute here cost nothing and do not say."""
        most = getattr(self.engine, f"most_to_{kind}", None)
        return most(*about) if most is not None else 0.0

    def _request(self, kind: str, *about: Any) -> Callable[[], Call] | None:
        """What a server is sent; None where the engine is no server."""
        request = getattr(self.engine, f"{kind}_call", None)
        return None if request is None else partial(request, *about)

    def _check_can(self, kind: str) -> None:
        if kind not in self.engine.can:
            can = ", ".join(sorted(self.engine.can)) or "nothing"
            raise SettingError(
                f"The engine {self.engine.name} cannot {kind}. It can: {can}. "
                "`longway engines` lists the others."
            )

    def _check_budget(self, budget: float) -> None:
        if not budget >= 0:
            raise SettingError(f"The budget must be 0 dollars or more. Got {budget}. Try --budget 5.")
        if getattr(self.engine, "price", FREE) is None:
            raise _no_price(self.engine.name)


def _no_price(name: str) -> SettingError:
    return SettingError(
        f"No budget can be kept with {name}: its price is not known. Expected a line in the price table. "
        'Add "MODEL" = { input = 0.15, output = 0.60 } (dollars per million tokens) under [models] in '
        "~/.config/longway/prices.toml, or go without --budget."
    )


def _each(samplings: Sampling | Sequence[Sampling] | None, n: int) -> Sequence[Sampling]:
    if samplings is None or isinstance(samplings, Sampling):
        return [samplings or Sampling()] * n
    if len(samplings) != n:
        raise SettingError(f"'samplings' must be one for each of the {n} prompts. Got {len(samplings)}.")
    return samplings


def _parts(rows: Sequence[int], size: int) -> Iterator[list[int]]:
    for start in range(0, len(rows), size):
        yield list(rows[start : start + size])


def _written(prompt: Prompt, n: int) -> int:
    """About how many tokens an answer has: texts as long as the row's, or its statements in lines."""
    if prompt.reads == "lines":
        row = prompt.text + (prompt.context or "")
        return tokens_in(len(row.encode("utf-8", "replace"))) * 3 // 2 + 2 * _WRAPPING
    return n * (tokens_in(len(prompt.text.encode("utf-8", "replace"))) + _WRAPPING) + _WRAPPING


def _no_texts(reason: str) -> dict[str, Any]:
    return {"texts": [], "refusals": [reason], "how": []}


def _no_label(reason: str) -> dict[str, Any]:
    return {"probabilities": {}, "refusal": reason}
