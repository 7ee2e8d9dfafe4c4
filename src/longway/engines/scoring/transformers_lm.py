"""Causal and masked language models of Hugging Face, by folder or name. Needs torch and transformers.

    CausalModel      each token given those before it
    MaskedModel      each token hidden in turn, all others visible: the pseudo-log-likelihood of Salazar et al. 2020

Weights are read from safetensors only, and code that comes with a model is never run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Literal

from longway.engines.scoring import ScoredText, TokenScores, refuse_long, scored_places
from longway.errors import MissingExtra, SettingError
from longway.models.classifier import by_length

Kind = Literal["causal", "masked"]

TOKENS_A_BATCH, TOKENS_ON_A_GPU = 1024, 8192  # each has a logit for the whole vocabulary
VERSION = 1  # increases when the same model would give other numbers
CAUSAL, MASKED = ("ForCausalLM", "LMHeadModel"), ("ForMaskedLM", "ForPreTraining")
DISCRIMINATORS = ("ElectraForPreTraining", "FunnelForPreTraining")  # they detect replaced words
_ADVICE = "name the folder: hf:FOLDER"


def head_of(name: str) -> Kind | None:
    """The kind of language model that a folder or a name on the hub is; None for an encoder without a head."""
    if find_spec("torch") is None or find_spec("transformers") is None:
        raise MissingExtra("transformers", extra="neural", purpose=f"the model {name!r}")
    from longway.models.pretrained import read_config

    architectures = read_config(name, f"The model {name!r}", _ADVICE).architectures or ()
    if any(architecture.endswith(CAUSAL) for architecture in architectures):
        return "causal"
    is_masked = any(a.endswith(MASKED) and a not in DISCRIMINATORS for a in architectures)
    return "masked" if is_masked else None


class _LanguageModel:
    """A model and its tokenizer, loaded on first use. name: a folder or a name on the hub. device: auto, cpu or cuda."""

    kind: Kind

    def __init__(self, name: str, *, device: str = "auto") -> None:
        self.name, self._device = name, device

    @cached_property
    def identity(self) -> Mapping[str, object]:
        """The files it is read from, and how."""
        from longway.models.pretrained import folder_of
        from longway.models.saved import folder_hash

        return {"model": self.name, "hash": folder_hash(folder_of(self.name)), "reading": VERSION}

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """The network, ready to answer, and its tokenizer, which must report the position of each token in the text."""
        from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

        from longway.models.network_training import device_named
        from longway.models.pretrained import check_whole, read_model

        auto = AutoModelForCausalLM if self.kind == "causal" else AutoModelForMaskedLM
        model, tokenizer, loading = read_model(auto, self.name, f"The model {self.name!r}", _ADVICE)
        if not tokenizer.is_fast:
            raise SettingError(
                f"The tokenizer of {self.name!r} does not report the positions of its tokens. A fast one (tokenizer.json) was "
                "expected. Save the model again with a fast tokenizer, or choose another."
            )
        check_whole(self.name, loading)
        return model.to(device_named(self._device)).eval(), tokenizer

    @property
    def model(self) -> Any:
        """The network."""
        return self._loaded[0]

    @property
    def tokenizer(self) -> Any:
        """The tokenizer."""
        return self._loaded[1]

    @property
    def most_tokens(self) -> int:
        """The number of tokens it reads, including special ones."""
        from longway.models.pretrained import positions_of

        limits = positions_of(self.model.config), int(self.tokenizer.model_max_length)
        return min(limit for limit in limits if limit > 0)

    @property
    def _tokens_a_batch(self) -> int:
        return TOKENS_A_BATCH if self.model.device.type == "cpu" else TOKENS_ON_A_GPU

    def _read(
        self, asks: Sequence[ScoredText], *, special: bool
    ) -> tuple[list[list[int]], list[list[tuple[int, int]]]]:
        """Token ids of each text, and the span of each token in it."""
        read = self.tokenizer(
            [ask.text for ask in asks],
            add_special_tokens=special,
            return_offsets_mapping=True,
            truncation=False,
        )
        room = self.most_tokens - (not special)
        for ask, ids in zip(asks, read["input_ids"], strict=True):
            refuse_long(ask.text, len(ids), room)
        return read["input_ids"], read["offset_mapping"]

    def _logits(self, rows: Sequence[Sequence[int]]) -> Any:
        """The logits of some rows, padded on the right: (rows, tokens, vocabulary)."""
        import torch

        longest = max(map(len, rows))
        ids = torch.zeros((len(rows), longest), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for place, row in enumerate(rows):
            ids[place, : len(row)], mask[place, : len(row)] = torch.tensor(row), 1
        device = self.model.device
        return self.model(input_ids=ids.to(device), attention_mask=mask.to(device)).logits.float()


class CausalModel(_LanguageModel):
    """A model that reads from left to right."""

    kind: Kind = "causal"

    def scores(self, asks: Sequence[ScoredText]) -> list[TokenScores]:
        """The scored tokens of each text."""
        import torch

        texts, spans = self._read(asks, special=False)
        rows = [[self._start(), *ids] for ids in texts]
        found: list[TokenScores] = [TokenScores((), ())] * len(asks)
        with torch.inference_mode():
            for places in by_length([len(row) for row in rows], size=self._tokens_a_batch):
                logits = self._logits([rows[i] for i in places])
                for i, own in zip(places, logits, strict=True):
                    ids = torch.tensor(texts[i], device=own.device)
                    before = own[: len(ids)]  # the logits before each token
                    log_p = before.gather(1, ids[:, None])[:, 0] - before.logsumexp(dim=1)
                    chosen = scored_places(asks[i], spans[i])
                    values = log_p.cpu().tolist()
                    found[i] = TokenScores(
                        tuple(texts[i][j] for j in chosen), tuple(values[j] for j in chosen)
                    )
        return found

    def _start(self) -> int:
        """The token before a text, so that its first token has a likelihood too."""
        for start in (self.tokenizer.bos_token_id, self.tokenizer.eos_token_id):
            if start is not None:
                return int(start)
        raise SettingError(
            f"The tokenizer of {self.name!r} has no token that begins a text. A bos_token or eos_token was expected. "
            "Add one to its tokenizer_config.json."
        )


class MaskedModel(_LanguageModel):
    """A model that fills gaps."""

    kind: Kind = "masked"

    def scores(self, asks: Sequence[ScoredText]) -> list[TokenScores]:
        """The scored tokens of each text."""
        import torch

        texts, spans = self._read(asks, special=True)
        chosen = [scored_places(ask, own) for ask, own in zip(asks, spans, strict=True)]
        hidden = [(number, place) for number, places in enumerate(chosen) for place in places]
        rows = [
            self._hidden(texts[n], place, chosen[n][-1] if asks[n].fill else place) for n, place in hidden
        ]
        log_p = [0.0] * len(rows)
        with torch.inference_mode():
            for some in by_length([len(row) for row in rows], size=self._tokens_a_batch):
                logits = self._logits([rows[i] for i in some])
                at = torch.tensor([hidden[i][1] for i in some], device=logits.device)
                own = logits[torch.arange(len(some), device=logits.device), at]  # (rows, vocabulary)
                ids = torch.tensor([texts[hidden[i][0]][hidden[i][1]] for i in some], device=logits.device)
                values = own.gather(1, ids[:, None])[:, 0] - own.logsumexp(dim=1)
                for i, value in zip(some, values.cpu().tolist(), strict=True):
                    log_p[i] = value
        found, at_row = [], 0
        for tokens, places in zip(texts, chosen, strict=True):
            own_p = tuple(log_p[at_row : at_row + len(places)])
            found.append(TokenScores(tuple(tokens[j] for j in places), own_p))
            at_row += len(places)
        return found

    def _hidden(self, ids: Sequence[int], place: int, last: int) -> list[int]:
        """The tokens with a mask at one place, and without those after it up to `last`."""
        return [*ids[:place], int(self.tokenizer.mask_token_id), *ids[last + 1 :]]
