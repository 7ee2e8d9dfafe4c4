"""Perturbing by a network that was trained for it: the paper's own way (section 4).

    "her gender:man <PERT_SEP> Ann lost her hat."   ->  network, the likeliest token each time  ->  "Al lost his hat."

    NeuralPerturber("facebook/perturber")       the model of the paper's authors, or a folder that `longway perturb train` made

What a network writes is believed only where it can be the same text with another person: an answer that was cut off, that lost a
segment, that changed nothing or far too much is refused with the reason. Whether it changed the right words nobody checks here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from longway.errors import SettingError
from longway.methods.perturb.forms import Form, form_named
from longway.methods.perturb.networks import Network, folder_of, load_network, need_torch
from longway.methods.perturb.perturber import Perturbed, Request, unchanged
from longway.methods.perturb.segments import Unfit, check_kept, separated
from longway.store.atomic import read_json

ABOUT_FILE = "perturber.json"
LONGER = 1.5  # times as many tokens as were read an answer may have,
AND_MORE = 16  # and some more; who writes longer than that does not come to an end
CUT = "the model's answer was cut off"


class NeuralPerturber:
    """A trained network.

    model: a folder, or a name on the Hugging Face hub. device: auto, cpu or cuda. batch_size: requests computed together.
    form: how requests are written for it (`forms.py`); what its folder says, or that of the released model where it says nothing.
    fingerprint: changes with the model's files.
    """

    def __init__(
        self, model: str | Path, *, device: str = "auto", batch_size: int = 16, form: str | None = None
    ) -> None:
        if batch_size < 1:
            raise SettingError(f"'batch_size' must be at least 1. Got {batch_size}. Try 16.")
        self.batch_size = batch_size
        need_torch("A neural perturber")
        from longway.classify.saved import folder_hash

        folder = folder_of(str(model))
        self.name = f"neural:{folder.name if folder == Path(model) else model}"
        self.form: Form = form_named(form or _form_in(folder))
        self.network: Network = load_network(str(model), device=device)
        self.network.model.eval()
        self.network.model.generation_config = _greedy(self.network)
        self.fingerprint = folder_hash(folder)

    def perturb(self, requests: Sequence[Request]) -> list[Perturbed]:
        """What becomes of each request, in order."""
        found: dict[int, Perturbed] = {}
        read: dict[int, list[int]] = {}
        for place, request in enumerate(requests):
            try:
                read[place] = self._read(request)
            except Unfit as why:
                found[place] = unchanged(request, str(why))
        # Of like length together, the longest first: there is less to fill up, and what does not fit shows at once.
        order = sorted(read, key=lambda place: (-len(read[place]), place))
        for start in range(0, len(order), self.batch_size):
            places = order[start : start + self.batch_size]
            answers = self._written([read[place] for place in places])
            for place, answer in zip(places, answers, strict=True):
                found[place] = _answered(requests[place], answer)
        return [found[place] for place in range(len(requests))]

    def _read(self, request: Request) -> list[int]:
        tokens = self.network.read(self.form.source(request.segments, request.word, request.target))
        room = self.network.longest
        needed = len(tokens) + (self._most(tokens) if self.network.is_causal else 0)
        if needed > room:
            raise Unfit(f"too long for the model: {needed} tokens where it takes {room}")
        return tokens

    def _written(self, read: Sequence[list[int]]) -> Iterator[str | None]:
        """What the network writes for each, None where it did not come to an end."""
        import torch

        network = self.network
        tokens, mask = network.filled(read, in_front=network.is_causal)
        most = max(map(self._most, read))
        try:
            with torch.inference_mode():
                written = network.model.generate(input_ids=tokens, attention_mask=mask, max_new_tokens=most)
        except torch.OutOfMemoryError:
            raise SettingError(
                f"{len(read)} texts at once do not fit into the GPU's memory. Expected a smaller 'batch_size' than {self.batch_size}. "
                f"Try {max(1, self.batch_size // 4)} (--batch-size), or --device cpu."
            ) from None
        # An encoder-decoder's answer opens with its start token, which often is the end token as well.
        start, end = (tokens.shape[1] if network.is_causal else 1), network.tokenizer.eos_token_id
        for own, row in zip(read, written[:, start:].tolist(), strict=True):
            answer = row[: self._most(own)]  # what it would get alone
            yield network.text_of(answer[: answer.index(end)]) if end in answer else None

    def _most(self, read: list[int]) -> int:
        """How many tokens an answer may have."""
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
    """The likeliest token each time. What a base model's own settings would add is left out: beams, or that no phrase comes twice."""
    from transformers import GenerationConfig

    own, tokenizer = network.model.generation_config, network.tokenizer
    return GenerationConfig(  # type: ignore[no-untyped-call]
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
