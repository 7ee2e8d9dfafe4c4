"""Perturbing by a network that was trained for it: the paper's own method (section 4).

    "her gender:man <PERT_SEP> Ann lost her hat."   ->  network, the likeliest token each time  ->  "Al lost his hat."

    NeuralPerturber("facebook/perturber")       the model of the paper's authors, or a folder written by papers/perturbation/train.py

An answer is accepted only if it can be the same text with another person. One that was cut off, lost a segment, or changed nothing
or far too much is refused with the reason. A row that is too long for the network is sent in windows, and changed in all of them or not at
all. Whether the right words were changed is not checked here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from longway.english.people.change import Perturbed, Request, as_one, unchanged
from longway.english.pipeline import load_pipeline
from longway.errors import SettingError
from longway.methods.perturb.networks import Network, load_network, need_torch
from longway.methods.perturb.segments import Form, Unfit, check_kept, form_named, separated
from longway.methods.perturb.windows import WINDOW, Windowed, in_windows
from longway.store.atomic import read_json

ABOUT_FILE = "perturber.json"
LONGER, AND_MORE = 1.5, 16  # an answer has at most so many times the tokens of the input, and some more
SHORTEST = 16  # tokens of a window
CUT = "the model's answer was cut off"


class NeuralPerturber:
    """A trained network.

    model: a folder, or a name on the Hugging Face hub. device: auto, cpu or cuda. batch_size: requests computed together.
    form: how requests are written for it (`segments.Form`); default the form that its folder names, or that of the released model.
    fingerprint: changes with the model's files.
    """

    def __init__(
        self, model: str | Path, *, device: str = "auto", batch_size: int = 16, form: str | None = None
    ) -> None:
        if batch_size < 1:
            raise SettingError(f"'batch_size' must be at least 1. Got {batch_size}. Try 16.")
        self.batch_size = batch_size
        need_torch("A neural perturber")
        from longway.models.pretrained import folder_of
        from longway.models.saved import folder_hash

        folder = folder_of(str(model), what=f"The model {str(model)!r}")
        self.name = f"neural:{folder.name if folder == Path(model) else model}"
        self.form: Form = form_named(form or _form_in(folder))
        self.network: Network = load_network(str(model), device=device)
        self.network.model.eval()
        self.network.model.generation_config = _greedy(self.network)
        self.fingerprint = folder_hash(folder)

    def perturb(self, requests: Sequence[Request]) -> list[Perturbed]:
        """The result of each request, in order. A row that is too long for the network is sent in windows (`windows.py`)."""
        plans = [self._plan(request) for request in requests]
        answers = iter(self._answers([part for plan in plans for part in plan.sent.values()]))
        return [plan.joined([next(answers) for _ in plan.sent]) for plan in plans]

    def _plan(self, request: Request) -> Windowed:
        """The request as a whole if it is short enough, else in windows; nothing is sent if it cannot be answered."""
        try:
            is_long = self._is_too_long(request)
            return self._in_windows(request) if is_long else Windowed(request, (), {(0, 0): request})
        except Unfit as why:
            return Windowed(request, (), {}, refused=str(why))

    def _in_windows(self, request: Request) -> Windowed:
        """The request in windows that are short enough. Raises Unfit if the person cannot be changed in parts."""
        document = load_pipeline().analyse(as_one(request.segments))
        most = WINDOW
        while most > SHORTEST:
            parts = in_windows(request, document, most=most)
            if not any(map(self._is_too_long, parts.sent.values())):
                return parts
            most //= 2
        raise Unfit(f"too long for the model: a sentence does not fit into {self.network.longest} tokens")

    def _is_too_long(self, request: Request) -> bool:
        return self._needed(self._tokens(request)) > self.network.longest

    def _answers(self, requests: Sequence[Request]) -> list[Perturbed]:
        """The result of each request; all are short enough."""
        found: dict[int, Perturbed] = {}
        read = [self._tokens(request) for request in requests]
        # Similar lengths together, the longest first: less padding, and running out of memory shows at once.
        order = sorted(range(len(read)), key=lambda place: (-len(read[place]), place))
        for start in range(0, len(order), self.batch_size):
            places = order[start : start + self.batch_size]
            for place, answer in zip(places, self._written([read[i] for i in places]), strict=True):
                found[place] = _answered(requests[place], answer)
        return [found[place] for place in range(len(requests))]

    def _tokens(self, request: Request) -> list[int]:
        return self.network.read(self.form.source(request.segments, request.word, request.target))

    def _needed(self, tokens: list[int]) -> int:
        """The room that a question needs in the network; for a causal one, with its answer."""
        return len(tokens) + (self._most(tokens) if self.network.is_causal else 0)

    def _written(self, read: Sequence[list[int]]) -> Iterator[str | None]:
        """The answer to each input; None if it did not end."""
        import torch

        network = self.network
        tokens, mask = network.padded(read, in_front=network.is_causal)
        most = max(map(self._most, read))
        try:
            with torch.inference_mode():
                written = network.model.generate(input_ids=tokens, attention_mask=mask, max_new_tokens=most)
        except torch.OutOfMemoryError:
            raise SettingError(
                f"{len(read)} texts at once do not fit into the GPU's memory. 'batch_size' is {self.batch_size}. "
                f"Try {max(1, self.batch_size // 4)} (--set batch-size), or --device cpu."
            ) from None
        # The answer of an encoder-decoder begins with its start token, which is often the end token as well.
        start, end = (tokens.shape[1] if network.is_causal else 1), network.tokenizer.eos_token_id
        for own, row in zip(read, written[:, start:].tolist(), strict=True):
            answer = row[: self._most(own)]  # the limit it would have alone
            yield network.text_of(answer[: answer.index(end)]) if end in answer else None

    def _most(self, read: list[int]) -> int:
        """The most tokens of an answer."""
        most = int(LONGER * len(read)) + AND_MORE
        return most if self.network.is_causal else min(most, self.network.longest - 1)


def _answered(request: Request, answer: str | None) -> Perturbed:
    if answer is None:
        return unchanged(request, CUT)
    try:
        segments = separated(answer, request.segments)
        check_kept(request.segments, segments)
    except Unfit as why:
        return unchanged(request, str(why))
    return Perturbed(segments)


def _greedy(network: Network) -> Any:
    """The likeliest token each time, without the beams or the ban on repetitions of a base model's own settings."""
    from transformers import GenerationConfig

    own, tokenizer = network.model.generation_config, network.tokenizer
    return GenerationConfig(
        do_sample=False,
        num_beams=1,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        decoder_start_token_id=own.decoder_start_token_id,
        forced_bos_token_id=own.forced_bos_token_id,
    )


def _form_in(folder: Path) -> str:
    path = folder / ABOUT_FILE
    if not path.exists():
        return "released"
    about = read_json(path)
    if not isinstance(about, dict) or not isinstance(about.get("form"), str):
        raise SettingError(f"{path} does not say which form the model reads. Train it again, or give 'form'.")
    return str(about["form"])
