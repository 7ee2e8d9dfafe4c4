"""Perturbing by a network that was trained for it: the paper's own method (section 4).

    "her gender:man <PERT_SEP> Ann lost her hat."   ->  network, the likeliest token each time  ->  "Al lost his hat."

    NeuralPerturber("facebook/perturber")       the model of the paper's authors, or a folder written by `longway perturb train`

An answer is accepted only if it can be the same text with another person. One that was cut off, lost a segment, or changed nothing
or far too much is refused with the reason. Whether the right words were changed is not checked here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longway.errors import SettingError
from longway.methods.perturb.networks import IGNORE, Network, Tokens, load_network, need_torch
from longway.methods.perturb.perturber import Perturbed, Request, unchanged
from longway.methods.perturb.segments import Form, Unfit, check_kept, form_named, joined, separated
from longway.store.atomic import read_json

ABOUT_FILE = "perturber.json"
LONGER, AND_MORE = 1.5, 16  # an answer has at most so many times the tokens of the input, and some more
CUT = "the model's answer was cut off"


@dataclass(frozen=True, slots=True)
class Likelihood:
    """The log-likelihood of a text, in nats, and the number of its tokens. The perplexity is exp(-log_likelihood / tokens)."""

    log_likelihood: float
    tokens: int


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
        from longway.classify.pretrained import folder_of
        from longway.classify.saved import folder_hash

        folder = folder_of(str(model), what=f"The model {str(model)!r}")
        self.name = f"neural:{folder.name if folder == Path(model) else model}"
        self.form: Form = form_named(form or _form_in(folder))
        self.network: Network = load_network(str(model), device=device)
        self.network.model.eval()
        self.network.model.generation_config = _greedy(self.network)
        self.fingerprint = folder_hash(folder)

    def perturb(self, requests: Sequence[Request]) -> list[Perturbed]:
        """The result of each request, in order."""
        found: dict[int, Perturbed] = {}
        read: dict[int, list[int]] = {}
        for place, request in enumerate(requests):
            try:
                read[place] = self._read(request)
            except Unfit as why:
                found[place] = unchanged(request, str(why))
        # Similar lengths together, the longest first: less padding, and running out of memory shows at once.
        order = sorted(read, key=lambda place: (-len(read[place]), place))
        for start in range(0, len(order), self.batch_size):
            places = order[start : start + self.batch_size]
            answers = self._written([read[place] for place in places])
            for place, answer in zip(places, answers, strict=True):
                found[place] = _answered(requests[place], answer)
        return [found[place] for place in range(len(requests))]

    def likelihoods(
        self, requests: Sequence[Request], rewrites: Sequence[Sequence[str]]
    ) -> list[Likelihood | None]:
        """How likely the network finds given rewrites, one for each request; None if one is too long for it or cannot be written."""
        examples: dict[int, Tokens] = {}
        for place, (request, rewrite) in enumerate(zip(requests, rewrites, strict=True)):
            try:
                source = self.form.source(request.segments, request.word, request.target)
                example = self.network.pair(source, joined(rewrite))
            except Unfit:
                continue
            if len(example) <= self.network.longest:
                examples[place] = example
        found: list[Likelihood | None] = [None] * len(requests)
        order = sorted(examples, key=lambda place: (-len(examples[place]), place))
        for start in range(0, len(order), self.batch_size):
            places = order[start : start + self.batch_size]
            batch = [examples[place] for place in places]
            for place, likelihood in zip(places, self._likelihoods(batch), strict=True):
                found[place] = likelihood
        return found

    def _likelihoods(self, examples: Sequence[Tokens]) -> list[Likelihood]:
        import torch

        batch = self.network.batch(examples)
        with torch.inference_mode():
            scores = self.network.model(**batch).logits.float()
        labels = batch["labels"]
        if self.network.is_causal:  # the scores at a place are those of the next token
            scores, labels = scores[:, :-1], labels[:, 1:]
        losses = torch.nn.functional.cross_entropy(
            scores.transpose(1, 2), labels, ignore_index=IGNORE, reduction="none"
        )
        totals = losses.sum(dim=1).tolist()
        return [Likelihood(-total, one.n_learned) for total, one in zip(totals, examples, strict=True)]

    def _read(self, request: Request) -> list[int]:
        tokens = self.network.read(self.form.source(request.segments, request.word, request.target))
        room = self.network.longest
        needed = len(tokens) + (self._most(tokens) if self.network.is_causal else 0)
        if needed > room:
            raise Unfit(f"too long for the model: {needed} tokens where it takes {room}")
        return tokens

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
                f"Try {max(1, self.batch_size // 4)} (--batch-size), or --device cpu."
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
