"""Masked language models trained on texts as they are and on the same texts perturbed (section 5.1 and Table 11 of the paper). Needs torch.

    windows, before and after  ->  two sets of packed sequences, row i of both from the same windows  ->  one training on each

    encoder = load_encoder("hf:FOLDER")      any model with a masked-LM head, or "new:small": from scratch, its tokenizer made from the texts
    packed = pack(pairs, encoder, length=128)
    train(encoder, packed.before, plan, folder)

Both trainings have the same start, number of steps, order of sequences and masked positions, so they differ only in the perturbed words.
As in RoBERTa (Liu et al. 2019), sequences are full (windows follow each other, with a mark between them), 15% of the tokens are masked anew
each time, 80% of these are hidden, 10% are replaced by a random token and 10% stay.

The settings are those of Table 11 as far as the size allows: AdamW (0.9, 0.999, 1e-8), weight decay 0.01, a learning rate that rises for
4.8% of the steps (24k of 500k) and falls linearly to 0. Gradients are clipped at 1; the paper does not clip.

What happens in a step depends only on the seed and its number, so a resumed training ends as an undisturbed one. On a GPU the
sequences are held in its memory, the network computes in bfloat16, and nothing is computed per token in Python.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.errors import DataError, SettingError, TrainingError
from longway.methods.perturb.checkpoints import Checkpoints
from longway.methods.perturb.networks import byte_pair_tokenizer, need_torch
from longway.store.atomic import write_json

Ints = NDArray[np.int32]
HF, NEW = "hf:", "new:"
MASKED, HIDDEN, RANDOM = 0.15, 0.8, 0.1  # of the tokens; of the masked tokens
WARM_UP = 0.048  # of the steps, Table 11: 24k of 500k
CLIP = 1.0
LEARNING_RATE, LEARNING_RATE_FROM_SCRATCH = 5e-5, 6e-4
NOTED = 20  # steps whose mean loss is noted; to look more often would make a GPU wait
SAVE_EVERY = 60.0  # seconds
EVALUATED = 64  # sequences at once
MASK_TOKEN = "<mask>"
PURPOSE = "Pretraining"


@dataclass(frozen=True, slots=True)
class NewEncoder:
    """The size of a RoBERTa from scratch. vocabulary: the most tokens."""

    layers: int
    width: int
    heads: int
    vocabulary: int


SIZES = {
    "tiny": NewEncoder(2, 64, 2, 2_000),
    "small": NewEncoder(4, 256, 4, 8_000),
    "medium": NewEncoder(8, 512, 8, 16_000),
    "base": NewEncoder(12, 768, 12, 32_000),  # the paper's size
}


@dataclass(frozen=True, slots=True)
class PretrainingPlan:
    """How long to train, and on what. batch: sequences per step. learning_rate: the highest; None for the default of the model."""

    steps: int = 200
    batch: int = 32
    learning_rate: float | None = None
    weight_decay: float = 0.01
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Encoder:
    """A model with a masked-LM head and its tokenizer on a device. name: as the user gave it."""

    name: str
    model: Any
    tokenizer: Any
    device: Any

    @property
    def is_new(self) -> bool:
        """Whether its weights are random."""
        return self.name.startswith(NEW)

    @property
    def longest(self) -> int:
        """The number of tokens that it reads at once."""
        from longway.classify.pretrained import positions_of

        limits = positions_of(self.model.config), int(self.tokenizer.model_max_length)
        return min(limit for limit in limits if limit > 0)

    @property
    def begin(self) -> int:
        """The token at the start of a sequence."""
        return int(self._first("cls_token_id", "bos_token_id"))

    @property
    def between(self) -> int:
        """The token after a window."""
        return int(self._first("sep_token_id", "eos_token_id"))

    def _first(self, *names: str) -> Any:
        return next(token for name in names if (token := getattr(self.tokenizer, name)) is not None)

    def save(self, folder: Path, *, more: Mapping[str, object] | None = None) -> None:
        """Write model and tokenizer as safetensors; the folder appears when it is complete. more: further JSON files, by name."""
        from longway.classify.pretrained import without_progress_bar

        without_progress_bar()
        part = folder.with_name(f".{folder.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        self.model.save_pretrained(part)
        self.tokenizer.save_pretrained(part)
        for name, content in (more or {}).items():
            write_json(part / name, content)
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)


def check_name(name: str) -> None:
    """Raise SettingError if this cannot be the name of a model to train."""
    if name.startswith(NEW) and name.removeprefix(NEW) not in SIZES:
        raise SettingError(
            f"There is no new model {name!r}. The sizes are: {', '.join(NEW + size for size in SIZES)}."
        )
    if not name.startswith((HF, NEW)) or name in (HF, NEW):
        raise SettingError(
            f"'model' must be {HF}FOLDER_OR_NAME (a model with a masked-language-model head) or {NEW}SIZE "
            f"({', '.join(SIZES)}: from scratch). Got {name!r}. Try {NEW}tiny."
        )


def load_encoder(
    name: str, texts: Iterable[str] = (), *, length: int = 128, seed: int = 0, device: str = "auto"
) -> Encoder:
    """The model with this name. texts: what the tokenizer of a new model is made from; length: of the sequences that a new model reads."""
    check_name(name)
    need_torch(PURPOSE)
    import torch

    from longway.classify.network_training import device_named

    where = device_named(device)
    if name.startswith(NEW):
        with torch.random.fork_rng(devices=()):
            torch.manual_seed(seed)
            model, tokenizer = _new(SIZES[name.removeprefix(NEW)], texts, length)
    else:
        model, tokenizer = _read(name)
    return Encoder(name, model.to(where), tokenizer, where)


def _read(name: str) -> tuple[Any, Any]:
    from transformers import AutoModelForMaskedLM

    from longway.classify.pretrained import check_whole, read_model
    from longway.engines.scoring.transformers_lm import head_of

    where = name.removeprefix(HF)
    if head_of(where) != "masked":
        raise SettingError(
            f"{name} cannot be trained to fill gaps: its config.json names no masked-language-model head (architectures). "
            f"Expected a model saved as ...ForMaskedLM, such as roberta-base. Choose another, or start from scratch with {NEW}small."
        )
    model, tokenizer, loading = read_model(
        AutoModelForMaskedLM, where, f"The model {where!r}", "name the folder: hf:FOLDER"
    )
    check_whole(where, loading)
    if tokenizer.mask_token_id is None:
        raise SettingError(
            f"The tokenizer of {where!r} has no mask token. A masked model was expected. Choose another."
        )
    return model, tokenizer


def _new(size: NewEncoder, texts: Iterable[str], length: int) -> tuple[Any, Any]:
    """A RoBERTa with random weights, and a tokenizer made from the texts."""
    from transformers import RobertaConfig, RobertaForMaskedLM

    tokenizer = byte_pair_tokenizer(texts, vocabulary=size.vocabulary, mask_token=MASK_TOKEN)
    config = RobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=size.width,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        intermediate_size=4 * size.width,
        max_position_embeddings=max(length, 128) + 2,  # two that no token uses, as in RoBERTa
        type_vocab_size=1,
        bos_token_id=tokenizer.bos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    return RobertaForMaskedLM(config), tokenizer


@dataclass(frozen=True, slots=True)
class Packed:
    """Sequences of token ids, (sequences, length) each: row i of both holds the same windows, as they are and perturbed."""

    before: Ints
    after: Ints


def pack(pairs: Sequence[tuple[str, str]], encoder: Encoder, *, length: int) -> Packed:
    """The pairs of texts as full sequences.

    A text that does not fit into the rest of a sequence continues in the next one, in both at the same token. The shorter of the two
    versions is padded, so that the following windows begin at the same place in both.
    """
    if length > encoder.longest or length < 8:
        raise SettingError(
            f"'length' must be from 8 to {encoder.longest}, which is what {encoder.name} reads. Got {length}. Try {min(128, encoder.longest)}."
        )
    if not pairs:
        raise DataError("There is no text to train on. Give a file with texts.")
    before, after = (_ids(encoder, side) for side in zip(*pairs, strict=True))
    pad, begin = encoder.tokenizer.pad_token_id, encoder.begin
    sides: tuple[list[list[int]], list[list[int]]] = ([], [])
    used = length
    for both in zip(before, after, strict=True):
        at, longest = 0, max(map(len, both))
        while at < longest:
            if used == length:
                for side in sides:
                    side.append([begin])
                used = 1
            n = min(longest - at, length - used)
            for side, ids in zip(sides, both, strict=True):
                piece = ids[at : at + n]
                side[-1] += piece + [pad] * (n - len(piece))
            at, used = at + n, used + n
    for side in sides:
        side[-1] += [pad] * (length - len(side[-1]))
    return Packed(*(np.array(side, np.int32) for side in sides))


def _ids(encoder: Encoder, texts: Sequence[str]) -> list[list[int]]:
    """The tokens of each text, with the mark that ends it."""
    read = encoder.tokenizer(list(texts), add_special_tokens=False, truncation=False, verbose=False)
    return [[*ids, encoder.between] for ids in read["input_ids"]]


def train(
    encoder: Encoder,
    sequences: Ints,
    plan: PretrainingPlan,
    checkpoints: Path,
    *,
    progress: Callable[[int, int], object] = lambda done, of: None,
) -> list[float]:
    """Train an encoder on sequences, in place; returns the mean loss of each `NOTED` steps.

    checkpoints: the folder for them; a training that was stopped is resumed from it.
    """
    import torch

    try:
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            saved = Checkpoints(checkpoints, unit="step", digits=8)
            return _Training(encoder, sequences, plan, saved).run(progress)
    except torch.OutOfMemoryError:
        raise SettingError(
            f"{plan.batch} sequences of {sequences.shape[1]} tokens do not fit into the GPU's memory. "
            f"Try --batch {max(1, plan.batch // 4)}, or a smaller --length."
        ) from None


class _Training:
    """The state of one training."""

    def __init__(
        self, encoder: Encoder, sequences: Ints, plan: PretrainingPlan, checkpoints: Checkpoints
    ) -> None:
        import torch

        self.encoder, self.plan, self.checkpoints = encoder, plan, checkpoints
        self.rate = plan.learning_rate or (LEARNING_RATE_FROM_SCRATCH if encoder.is_new else LEARNING_RATE)
        self.sequences = torch.from_numpy(sequences).to(encoder.device)
        self.masking = Masking(encoder)
        self.optimizer = torch.optim.AdamW(
            encoder.model.parameters(),
            lr=self.rate,
            betas=(0.9, 0.999),
            eps=1e-8,
            weight_decay=plan.weight_decay,
            fused=encoder.device.type == "cuda",
        )
        state = checkpoints.resume(encoder.model, self.optimizer)
        self.done: int = state.get("step", 0)
        self.losses: list[float] = list(state.get("losses", ()))
        self.orders: dict[int, NDArray[np.int64]] = {}

    def run(self, progress: Callable[[int, int], object]) -> list[float]:
        import torch

        model, steps = self.encoder.model, self.plan.steps
        model.train()
        saved, total = time.monotonic(), torch.zeros((), device=self.encoder.device)
        while self.done < steps:
            total += self._step()
            self.done += 1
            progress(self.done, steps)
            if self.done % NOTED and self.done < steps:
                continue
            self._note(float(total) / ((self.done - 1) % NOTED + 1))
            total.zero_()
            if self.done < steps and time.monotonic() - saved > SAVE_EVERY:
                state = {"step": self.done, "losses": self.losses}
                self.checkpoints.save(self.done, model, self.optimizer, state)
                saved = time.monotonic()
        model.eval()
        return self.losses

    def _note(self, loss: float) -> None:
        if not isfinite(loss):
            raise TrainingError(
                f"The loss became {loss}, so training stopped. The learning rate was {self.rate:g}. "
                f"Try a lower one, such as --lr {self.rate / 3:.0e}, in another --out."
            )
        self.losses.append(loss)

    def _step(self) -> Any:
        import torch

        for group in self.optimizer.param_groups:
            group["lr"] = self.rate * pace(self.done, self.plan.steps)
        # Dropout and masks of a step depend only on the seed and its number: both trainings, and a resumed one, have the same.
        torch.manual_seed(self.plan.seed * 1_000_003 + self.done)
        rows = torch.from_numpy(self._rows()).to(self.encoder.device)
        self.optimizer.zero_grad(set_to_none=True)
        sums, counts = self.masking.losses(self.sequences[rows].long())
        loss = sums.sum() / counts.sum().clamp(min=1)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.encoder.model.parameters(), CLIP)
        self.optimizer.step()
        return loss.detach()

    def _rows(self) -> NDArray[np.int64]:
        """The sequences of this step: all of them in random order, then again in another order."""
        n, batch = len(self.sequences), self.plan.batch
        places = np.arange(self.done * batch, (self.done + 1) * batch)
        self.orders = {
            epoch: self.orders[epoch] if epoch in self.orders else self._order(epoch)
            for epoch in np.unique(places // n).tolist()
        }
        return np.array([self.orders[place // n][place % n] for place in places.tolist()])

    def _order(self, epoch: int) -> NDArray[np.int64]:
        return np.random.default_rng([self.plan.seed, epoch]).permutation(len(self.sequences))


def pace(step: int, steps: int) -> float:
    """The factor of the learning rate at a step: it rises linearly, then falls linearly to 0.

    >>> [round(pace(step, 100), 2) for step in (0, 4, 5, 52, 99)]
    [0.2, 1.0, 1.0, 0.51, 0.01]
    """
    warm = max(1, round(WARM_UP * steps))
    return min((step + 1) / warm, (steps - step) / max(1, steps - warm))


class Masking:
    """Masks tokens of sequences, and computes how well the encoder predicts them."""

    def __init__(self, encoder: Encoder) -> None:
        import torch

        self.encoder = encoder
        self.mask, self.pad = encoder.tokenizer.mask_token_id, encoder.tokenizer.pad_token_id
        self.special = torch.tensor(sorted(set(encoder.tokenizer.all_special_ids)), device=encoder.device)

    def losses(self, ids: Any) -> tuple[Any, Any]:
        """The summed loss over the masked tokens of each sequence, and their number. ids: (sequences, length).

        On a GPU the network computes in 16 bits.
        """
        import torch

        places, hidden, labels = self._masked(ids)
        is_gpu = self.encoder.device.type == "cuda"
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=is_gpu):
            logits = self._logits(hidden, ids != self.pad, places)  # (sequences, masked, vocabulary)
        loss = torch.nn.functional.cross_entropy(
            logits.float().flatten(0, 1), labels.flatten(), ignore_index=-100, reduction="none"
        )
        return loss.view(labels.shape).sum(dim=1), (labels != -100).sum(dim=1)

    def _masked(self, ids: Any) -> tuple[Any, Any, Any]:
        """Places to predict, (sequences, masked); the sequences with them masked; the tokens that were there, -100 for none.

        The same number of places in each sequence: shapes that do not depend on the data let the GPU work without waiting.
        """
        import torch

        chance = torch.rand(ids.shape, device=ids.device)
        chance = chance.masked_fill(torch.isin(ids, self.special), 2.0)
        places = chance.topk(max(1, round(MASKED * ids.shape[1])), dim=1, largest=False).indices
        own = ids.gather(1, places)
        labels = own.masked_fill(chance.gather(1, places) > 1.5, -100)
        how = torch.rand(places.shape, device=ids.device)
        other = torch.randint(len(self.encoder.tokenizer), places.shape, device=ids.device)
        new = torch.where(how < HIDDEN, torch.full_like(own, self.mask), own)
        new = torch.where((how >= HIDDEN) & (how < HIDDEN + RANDOM), other, new)
        new = torch.where(labels == -100, own, new)
        return places, ids.scatter(1, places, new), labels

    def _logits(self, ids: Any, mask: Any, places: Any) -> Any:
        """The logits at some places. A RoBERTa computes the others not at all: they are most of its memory and much of its time."""
        model = self.encoder.model
        if type(model).__name__ == "RobertaForMaskedLM":
            states = model.roberta(input_ids=ids, attention_mask=mask).last_hidden_state
            chosen = states.gather(1, places.unsqueeze(-1).expand(-1, -1, states.shape[-1]))
            return model.lm_head(chosen)
        logits = model(input_ids=ids, attention_mask=mask).logits
        return logits.gather(1, places.unsqueeze(-1).expand(-1, -1, logits.shape[-1]))


def held_out_losses(encoder: Encoder, sequences: Ints, *, seed: int = 0) -> tuple[list[float], list[int]]:
    """The total log-likelihood of the masked tokens of each sequence, and their number; the same masks for every model."""
    import torch

    masking = Masking(encoder)
    encoder.model.eval()
    totals: list[float] = []
    counts: list[int] = []
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())), torch.inference_mode():
        for start in range(0, len(sequences), EVALUATED):
            torch.manual_seed(seed * 1_000_003 + start)
            ids = torch.from_numpy(sequences[start : start + EVALUATED]).to(encoder.device).long()
            sums, n = masking.losses(ids)
            totals += (-sums).tolist()
            counts += n.tolist()
    return totals, counts
