"""Causal and masked language models of Hugging Face that score a text token by token, by folder or name. Needs torch and transformers.

    LanguageModel(name, "causal").scores([ScoredText("He is old.")])      each token given those before it
    LanguageModel(name, "masked").scores([ScoredText("He is old.")])      each token hidden in turn, all others visible: the
                                                                          pseudo-log-likelihood of Salazar et al. 2020

Weights are read from safetensors only, and code that comes with a model is never run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from itertools import chain, islice
from typing import Any, Literal

from longway.errors import DataError, MissingExtra, SettingError
from longway.models.classifier import by_length

Kind = Literal["causal", "masked"]

TOKENS_A_BATCH, TOKENS_ON_A_GPU = 1024, 8192  # each has a logit for the whole vocabulary
VERSION = 1  # increases when the same model would give other numbers
CAUSAL, MASKED = ("ForCausalLM", "LMHeadModel"), ("ForMaskedLM", "ForPreTraining")
DISCRIMINATORS = ("ElectraForPreTraining", "FunnelForPreTraining")  # they detect replaced words
_ADVICE = "name the folder: hf:FOLDER"


@dataclass(frozen=True, slots=True)
class ScoredText:
    """A text to score.

    part: the span (start, end) whose tokens are scored; the rest is only context. None scores all tokens.
    fill: whether the part fills a gap. A masked model then sees only the tokens of the part before the scored one.
    """

    text: str
    part: tuple[int, int] | None = None
    fill: bool = False


@dataclass(frozen=True, slots=True)
class TokenScores:
    """The ids of the scored tokens of a text, and the log-likelihood of each in nats."""

    tokens: tuple[int, ...]
    log_p: tuple[float, ...]

    @property
    def total(self) -> float:
        """The sum of the log-likelihoods."""
        return sum(self.log_p)

    @property
    def mean(self) -> float:
        """The mean log-likelihood per token."""
        return self.total / len(self.log_p)


def scored_places(ask: ScoredText, spans: Sequence[tuple[int, int]]) -> list[int]:
    """The indices of the scored tokens of a text. spans: of each token in the text, (0, 0) for tokens that are not in it.

    >>> scored_places(ScoredText("He is old", part=(6, 9)), [(0, 2), (2, 5), (5, 9)])
    [2]
    """
    start, end = ask.part or (0, len(ask.text))
    found = [i for i, (left, right) in enumerate(spans) if left < end and right > start]
    if not found:
        raise DataError(
            f"The model has no token for {ask.text[start:end][:60]!r}. A text with letters was expected. Remove this row."
        )
    return found


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


class LanguageModel:
    """A model and its tokenizer, loaded on first use. name: a folder or a name on the hub. device: auto, cpu or cuda."""

    def __init__(self, name: str, kind: Kind, *, device: str = "auto") -> None:
        self.name, self.kind, self._device = name, kind, device

    @cached_property
    def identity(self) -> Mapping[str, object]:
        """Everything that affects its scores: the files it is read from, and how."""
        from longway.models.pretrained import folder_of
        from longway.models.saved import folder_hash

        return {"model": self.name, "hash": folder_hash(folder_of(self.name)), "reading": VERSION}

    @cached_property
    def loaded(self) -> tuple[Any, Any]:
        """The network, ready to answer, and its tokenizer, which must report the position of each token in the text."""
        from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

        from longway.models.network_training import device_named
        from longway.models.pretrained import check_whole, read_model

        auto = AutoModelForCausalLM if self.kind == "causal" else AutoModelForMaskedLM
        network, tokenizer, loading = read_model(auto, self.name, f"The model {self.name!r}", _ADVICE)
        if not tokenizer.is_fast:
            raise SettingError(
                f"The tokenizer of {self.name!r} does not report the positions of its tokens. A fast one (tokenizer.json) was "
                "expected. Save the model again with a fast tokenizer, or choose another."
            )
        check_whole(self.name, loading)
        return network.to(device_named(self._device)).eval(), tokenizer

    def scores(self, asks: Sequence[ScoredText]) -> list[TokenScores]:
        """The scored tokens of each text."""
        _, tokenizer = self.loaded
        is_masked, texts = self.kind == "masked", [ask.text for ask in asks]
        read = tokenizer(texts, add_special_tokens=is_masked, return_offsets_mapping=True, truncation=False)
        start = [] if is_masked else [self._start()]
        scored: list[tuple[int, ...]] = []
        rows: list[list[int]] = []
        places: list[list[int]] = []  # in each row, whose logits are read
        for ask, ids, spans in zip(asks, read["input_ids"], read["offset_mapping"], strict=True):
            self._refuse_long(ask.text, len(ids) + len(start))
            chosen = scored_places(ask, spans)
            scored.append(tuple(ids[place] for place in chosen))
            if not is_masked:
                rows.append([*start, *ids])
                places.append(
                    chosen
                )  # the logits of a token are those of the one before it, and the start comes first
                continue
            for place in chosen:
                end = chosen[-1] if ask.fill else place
                rows.append([*ids[:place], int(tokenizer.mask_token_id), *ids[end + 1 :]])
                places.append([place])
        left = chain.from_iterable(self._log_p(rows, places, list(chain.from_iterable(scored))))
        return [TokenScores(tokens, tuple(islice(left, len(tokens)))) for tokens in scored]

    def _log_p(
        self, rows: Sequence[Sequence[int]], places: Sequence[Sequence[int]], tokens: Sequence[int]
    ) -> list[list[float]]:
        """The log-likelihoods at some places of each row. tokens: that are expected there, of all rows in order."""
        import torch

        left = iter(tokens)
        expected = [list(islice(left, len(own))) for own in places]
        found: list[list[float]] = [[] for _ in rows]
        network, _ = self.loaded
        size = TOKENS_A_BATCH if network.device.type == "cpu" else TOKENS_ON_A_GPU
        with torch.inference_mode():
            for part in by_length([len(row) for row in rows], size=size):
                longest = max(len(rows[i]) for i in part)
                ids = torch.zeros((len(part), longest), dtype=torch.long)  # padded on the right
                mask = torch.zeros_like(ids)
                for at, i in enumerate(part):
                    ids[at, : len(rows[i])], mask[at, : len(rows[i])] = torch.tensor(rows[i]), 1
                here = network.device
                logits = network(input_ids=ids.to(here), attention_mask=mask.to(here)).logits.float()
                log_p = []
                for i, of_row in zip(part, logits, strict=True):
                    own = of_row[places[i]]  # (places, vocabulary)
                    wanted = torch.tensor(expected[i], device=here)
                    log_p.append(own.gather(1, wanted[:, None])[:, 0] - own.logsumexp(dim=1))
                values = iter(torch.cat(log_p).cpu().tolist())
                for i in part:
                    found[i] = list(islice(values, len(places[i])))
        return found

    def _refuse_long(self, text: str, tokens: int) -> None:
        """Raise DataError if a text has more tokens than the model reads: scoring a part would score another text."""
        from longway.models.pretrained import positions_of

        network, tokenizer = self.loaded
        limits = positions_of(network.config), int(tokenizer.model_max_length)
        most = min(limit for limit in limits if limit > 0)
        if tokens > most:
            raise DataError(
                f"A text is too long for this model: {tokens} tokens, and it reads {most}. It begins {text[:60]!r}. "
                "Shorten or remove it, or choose a model that reads more."
            )

    def _start(self) -> int:
        """The token before a text, so that its first token has a likelihood too."""
        _, tokenizer = self.loaded
        for start in (tokenizer.bos_token_id, tokenizer.eos_token_id):
            if start is not None:
                return int(start)
        raise SettingError(
            f"The tokenizer of {self.name!r} has no token that begins a text. A bos_token or eos_token was expected. "
            "Add one to its tokenizer_config.json."
        )
