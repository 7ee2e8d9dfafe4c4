"""Causal and masked language models of Hugging Face, by folder or name. Needs torch and transformers.

    CausalModel      each token after those before it
    MaskedModel      each token hidden in turn, all others seen: the pseudo-log-likelihood of Salazar et al. 2020

Weights are read from safetensors only, and no code that comes with a model is run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Literal

from longway.classify.classifier import by_length
from longway.engines.scoring import Ask, TokenScores, refuse_long, scored_places
from longway.errors import MissingExtra, SettingError

Kind = Literal["causal", "masked"]

TOKENS_A_BATCH = 1024  # each has a logit for the whole vocabulary
VERSION = 1  # goes up when the same model would give other numbers
CAUSAL, MASKED = ("ForCausalLM", "LMHeadModel"), ("ForMaskedLM", "ForPreTraining")
DISCRIMINATORS = (
    "ElectraForPreTraining",
    "FunnelForPreTraining",
)  # tell which words were replaced, not how likely they are


def head_of(name: str) -> Kind | None:
    """What kind of language model a folder or name on the hub is; None for an encoder without a head."""
    if find_spec("torch") is None or find_spec("transformers") is None:
        raise MissingExtra("transformers", extra="neural", purpose=f"the model {name!r}")
    from transformers import AutoConfig

    try:
        config = AutoConfig.from_pretrained(name, trust_remote_code=False)
    except (OSError, ValueError, KeyError) as error:
        raise _unreadable(name, error) from None
    architectures = tuple(getattr(config, "architectures", None) or ())
    if any(one.endswith(CAUSAL) for one in architectures):
        return "causal"
    is_masked = any(one.endswith(MASKED) and one not in DISCRIMINATORS for one in architectures)
    return "masked" if is_masked else None


class _Loaded:
    """A model and its tokenizer, read when first asked. name: a folder or a name on the hub. device: auto, cpu or cuda."""

    _auto: str

    def __init__(self, name: str, *, device: str = "auto") -> None:
        self.name, self._device = name, device

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """The files it is read from, and how."""
        from longway.classify.pretrained import folder_of
        from longway.classify.saved import folder_hash

        return {"model": self.name, "hash": folder_hash(folder_of(self.name)), "reading": VERSION}

    @cached_property
    def tokenizer(self) -> Any:
        """Its tokenizer, which must tell where each token stands in the text."""
        from transformers import AutoTokenizer

        try:
            tokenizer = AutoTokenizer.from_pretrained(self.name, trust_remote_code=False)
        except (OSError, ValueError, KeyError) as error:
            raise _unreadable(self.name, error) from None
        if not tokenizer.is_fast:
            raise SettingError(
                f"The tokenizer of {self.name!r} does not tell where its tokens stand. A fast one (tokenizer.json) was expected. "
                "Save the model again with a fast tokenizer, or choose another."
            )
        return tokenizer

    @cached_property
    def model(self) -> Any:
        """The network, ready to answer."""
        import torch
        import transformers
        from transformers.utils.logging import disable_progress_bar

        from longway.classify.network_training import device_named
        from longway.classify.pretrained import check_whole

        disable_progress_bar()  # type: ignore[no-untyped-call] # of reading weights; fetching them still shows one
        try:
            model, loading = getattr(transformers, self._auto).from_pretrained(
                self.name,
                use_safetensors=True,
                trust_remote_code=False,
                dtype=torch.float32,
                output_loading_info=True,
            )
        except (OSError, ValueError, KeyError) as error:
            raise _unreadable(self.name, error) from None
        check_whole(self.name, loading)
        return model.to(device_named(self._device)).eval()

    @property
    def most_tokens(self) -> int:
        """How many tokens it reads, special ones included."""
        config = self.model.config
        positions = int(getattr(config, "max_position_embeddings", 0) or 0)
        if "roberta" in str(config.model_type):  # counts from the padding token on: two places no token gets
            positions -= 2
        return min(limit for limit in (positions, int(self.tokenizer.model_max_length)) if limit > 0)

    def _read(
        self, asks: Sequence[Ask], *, special: bool
    ) -> tuple[list[list[int]], list[list[tuple[int, int]]]]:
        """Token ids of each text, and where each token stands in it."""
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
        """The logits of some rows, filled up on the right: (rows, tokens, vocabulary)."""
        import torch

        longest = max(map(len, rows))
        ids = torch.zeros((len(rows), longest), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for place, row in enumerate(rows):
            ids[place, : len(row)], mask[place, : len(row)] = torch.tensor(row), 1
        device = self.model.device
        return self.model(input_ids=ids.to(device), attention_mask=mask.to(device)).logits.float()


class CausalModel(_Loaded):
    """A model that reads from left to right."""

    kind: Kind = "causal"
    _auto = "AutoModelForCausalLM"

    def scores(self, asks: Sequence[Ask]) -> list[TokenScores]:
        """The scored tokens of each ask."""
        import torch

        texts, spans = self._read(asks, special=False)
        rows = [[self._start(), *ids] for ids in texts]
        found: list[TokenScores] = [TokenScores((), ())] * len(asks)
        with torch.inference_mode():
            for places in by_length([len(row) for row in rows], size=TOKENS_A_BATCH):
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
        """What stands before a text, so that its first token has a likelihood too."""
        for start in (self.tokenizer.bos_token_id, self.tokenizer.eos_token_id):
            if start is not None:
                return int(start)
        raise SettingError(
            f"The tokenizer of {self.name!r} has no token that begins a text. A bos_token or eos_token was expected. "
            "Add one to its tokenizer_config.json."
        )


class MaskedModel(_Loaded):
    """A model that fills gaps."""

    kind: Kind = "masked"
    _auto = "AutoModelForMaskedLM"

    def scores(self, asks: Sequence[Ask]) -> list[TokenScores]:
        """The scored tokens of each ask."""
        import torch

        texts, spans = self._read(asks, special=True)
        chosen = [scored_places(ask, own) for ask, own in zip(asks, spans, strict=True)]
        hidden = [(number, place) for number, places in enumerate(chosen) for place in places]
        rows = [
            self._hidden(texts[n], place, chosen[n][-1] if asks[n].fill else place) for n, place in hidden
        ]
        log_p = [0.0] * len(rows)
        with torch.inference_mode():
            for some in by_length([len(row) for row in rows], size=TOKENS_A_BATCH):
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
        """The tokens with a mask in one place, and without those behind it up to `last`."""
        return [*ids[:place], int(self.tokenizer.mask_token_id), *ids[last + 1 :]]


def _unreadable(name: str, error: Exception) -> SettingError:
    return SettingError(
        f"The model {name!r} cannot be read: {str(error).strip().splitlines()[0]} Expected a folder with config.json, model.safetensors "
        "and tokenizer.json, or a name on the Hugging Face hub that this machine can reach. "
        "Fetch it where there is a network (huggingface-cli download NAME --local-dir FOLDER) and name the folder: hf:FOLDER."
    )
