"""Training a perturber on perturbations that people or rules wrote (section 4 and appendix F of the paper). Needs torch.

    rows  ->  "word attribute <PERT_SEP> text" and its perturbation  ->  BART, T5, GPT ...  ->  a folder for `NeuralPerturber`

    train(base, rows, out)      base: a folder, a name on the Hugging Face hub, or "tiny" (from scratch, without a download)

The settings are those of Table 10: AdamW, a learning rate of 1e-5 after a warm-up, batches of 64, gradients clipped at 0.1, a learning
rate decay of 0.01, and early stopping after ten epochs without a lower validation loss. The weights with the lowest validation loss
are kept. At the end, these rewrite the validation rows, for the figures of section 4: BLEU and perplexity.

The paper trained with ParlAI and does not explain the decay. We read it as ParlAI's `--lr-scheduler-decay` with its default scheduler,
reduceonplateau: after more than `--lr-scheduler-patience` validations (ParlAI's default is 3; the table has none) without a lower
loss, the learning rate is multiplied by it (`plateau_factor`). Validations during the warm-up do not count. In ParlAI, patience counts
validations, too, and the authors' script mentions four validations per epoch (`-veps 0.25 -vp 10`: 2.5 epochs). Appendix F says
epochs, and so do we: there is one validation per epoch, and ten epochs stop early only with a lower `patience`.

After each epoch everything that is needed to continue is on disk (`checkpoints.py`), so the same call resumes a killed training and ends
with the same weights.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from math import exp, isfinite
from pathlib import Path
from typing import Any

import numpy as np

from longway.errors import DataError, SettingError, TrainingError
from longway.methods.perturb.checkpoints import Checkpoints
from longway.methods.perturb.networks import (
    TINY,
    Network,
    Tokens,
    load_network,
    need_torch,
    tiny_network,
)
from longway.methods.perturb.neural import ABOUT_FILE, NeuralPerturber
from longway.methods.perturb.panda import PandaRow, fingerprint_of, request_of
from longway.methods.perturb.perturber import Perturbed
from longway.methods.perturb.segments import form_named, joined
from longway.metrics.bleu import sacre_bleu
from longway.metrics.rewrites import word_distance
from longway.store import Run, holding
from longway.store.atomic import read_json

LEARNING_RATE, LEARNING_RATE_FROM_SCRATCH = 1e-5, 3e-3
PIECE = (
    8192  # tokens that go through the network together; a larger batch is split, and its gradients are summed
)
HELD_OUT = 0.1
IMPROVED = 1e-4  # a loss that is lower by a smaller share is not lower, as in ReduceLROnPlateau
REWRITTEN_AT_ONCE = 64  # validation rows between two reports of progress
COMMAND = "perturb train"


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """How to train; the defaults are Table 10 of the paper.

    learning_rate: default 1e-5, or 3e-3 for a network from scratch. warm_up: steps in which it rises, at most a tenth of all.
    patience: epochs without a lower validation loss before training stops. decay: what the learning rate is multiplied by after more than
    `decay_patience` epochs without a lower validation loss; 1 leaves it as it is. clip: the longest gradient. form: see `segments.py`.
    """

    epochs: int = 10
    learning_rate: float | None = None
    batch_size: int = 64
    weight_decay: float = 0.01
    warm_up: int = 1200
    patience: int = 10
    decay: float = 0.01
    decay_patience: int = 3
    clip: float = 0.1
    seed: int = 0
    form: str = "paper"

    def __post_init__(self) -> None:
        counts = {"epochs": self.epochs, "batch_size": self.batch_size, "patience": self.patience}
        for name, value in counts.items():
            if value < 1:
                raise SettingError(f"'{name}' must be at least 1. Got {value}. Try the default.")
        if self.learning_rate is not None and not 0 < self.learning_rate < 1:
            raise SettingError(
                f"'learning_rate' must be between 0 and 1, both excluded. Got {self.learning_rate}. Try 1e-5."
            )
        if not 0 < self.decay <= 1:
            raise SettingError(
                f"'decay' must be above 0 and at most 1. Got {self.decay}. 0.01 is the paper's; 1 leaves the learning rate as it is."
            )
        if self.decay_patience < 0:
            raise SettingError(f"'decay_patience' must be 0 or more. Got {self.decay_patience}. Try 3.")
        form_named(self.form)


@dataclass(frozen=True, slots=True)
class TrainedEpoch:
    """The result of one epoch; losses are means over tokens. is_best: whether its validation loss is the lowest so far.

    learning_rate: at its end; None in folders of earlier versions.
    """

    number: int
    loss: float
    validation_loss: float
    is_best: bool
    learning_rate: float | None = None

    @property
    def perplexity(self) -> float:
        """Of the validation rows, per token."""
        return exp(self.validation_loss)


@dataclass(frozen=True, slots=True)
class ValidationScores:
    """What the trained network writes for the validation rows: BLEU, 0 to 100, against two references, as in section 4 of the paper.

    source: against the text before ("measured against the source"). people: against the rewrite in the file. copied: what the text
    before, unchanged, scores against that. exact: rewrites that are word for word those in the file. refused: answers that cannot be
    the same text with another person, as in `neural.py`; they count as unchanged.
    """

    rows: int
    source: float
    people: float
    copied: float
    exact: int
    refused: int


@dataclass(frozen=True, slots=True)
class TrainedPerturber:
    """A finished training. folder: of the model. too_long: rows that were skipped because the network cannot read them.

    validation: what it writes for the validation rows; None without the packages that compute BLEU.
    """

    folder: Path
    epochs: tuple[TrainedEpoch, ...]
    rows: int
    validation_rows: int
    too_long: int
    validation: ValidationScores | None = None

    @property
    def best(self) -> TrainedEpoch:
        """The epoch whose weights were kept."""
        return next(epoch for epoch in reversed(self.epochs) if epoch.is_best)


def train(
    base: str,
    rows: Sequence[PandaRow],
    out: Path,
    *,
    plan: TrainingPlan | None = None,
    validation: Sequence[PandaRow] | None = None,
    device: str = "auto",
    step: Callable[[str], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> TrainedPerturber:
    """Train a perturber and save it in a folder.

    validation: rows for early stopping; default the rows of a tenth of the texts. step: called with the name of each step.
    progress: called with the number of finished batches and of all batches.
    """
    need_torch("Training a perturber")
    import torch

    from longway.classify.pretrained import without_progress_bar

    without_progress_bar()
    plan = plan or TrainingPlan()
    learn, stop = (rows, validation) if validation is not None else _held_out(rows, plan.seed)
    if not learn or not stop:
        raise DataError(
            f"{len(rows)} perturbations are too few: some are for training and some for validation. "
            "At least two different texts were expected. Give more, or separate validation rows."
        )
    data = fingerprint_of(rows)
    asked = {"base": base, **asdict(plan), "validation": fingerprint_of(stop), "base_hash": _hash_of(base)}
    with holding(out):
        run = Run.open(out, command=COMMAND, settings=asked, fingerprint=data)
        if not run.is_done:
            try:
                with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
                    training = _Training(base, learn, stop, run, plan, device)
                    training.run_epochs(step or _silent, progress or _silent)
            except torch.OutOfMemoryError:
                raise SettingError(
                    f"{base!r} and {PIECE:,} tokens of text do not fit into the GPU's memory together. "
                    "Choose a smaller --base, or --device cpu."
                ) from None
            about = training.save(asked, data)
            del training  # the network is loaded again, without its optimizer
            (step or _silent)("rewriting the validation rows")
            scores = _validation_scores(out, stop, plan.form, device, progress or _silent)
            run.write(ABOUT_FILE, {**about, "validation": None if scores is None else asdict(scores)})
            run.finish()
        Checkpoints(out / "checkpoints").remove()
        return _trained(out)


def plateau_factor(losses: Sequence[float], *, decay: float, patience: int) -> float:
    """What the learning rate is multiplied by after these validation losses, as by torch's ReduceLROnPlateau.

    After more than `patience` losses in a row that are not lower than the best by one part in ten thousand, it is multiplied by
    `decay`, and counting starts again.

    >>> [plateau_factor([3, 2, 2, 2, 2, 2][:n], decay=0.01, patience=3) for n in (4, 5, 6)]
    [1.0, 1.0, 0.01]
    """
    factor, best, n_bad = 1.0, float("inf"), 0
    for loss in losses:
        if loss < best * (1 - IMPROVED):
            best, n_bad = loss, 0
        else:
            n_bad += 1
        if n_bad > patience:
            factor, n_bad = factor * decay, 0
    return factor


class _Training:
    """The state of one training."""

    def __init__(
        self,
        base: str,
        learn: Sequence[PandaRow],
        stop: Sequence[PandaRow],
        run: Run,
        plan: TrainingPlan,
        device: str,
    ) -> None:
        import torch

        self.base, self.run, self.plan = base, run, plan
        torch.manual_seed(plan.seed)
        form = form_named(plan.form)
        texts = [
            [(form.source(row.before, row.word, row.target), joined(row.after)) for row in some]
            for some in (learn, stop)
        ]
        self.network = _network(base, [text for pair in texts[0] for text in pair], device)
        self.learn, self.stop = (self._readable(some) for some in texts)
        self.too_long = len(learn) + len(stop) - len(self.learn) - len(self.stop)
        if not self.learn or not self.stop:
            raise DataError(
                f"No row is short enough for {base!r}, which reads {self.network.longest} tokens. "
                "Cut the texts, or choose a base that reads more."
            )
        self.rate = plan.learning_rate or (LEARNING_RATE_FROM_SCRATCH if base == TINY else LEARNING_RATE)
        self.optimizer = torch.optim.AdamW(
            self.network.model.parameters(),
            lr=self.rate,
            betas=(0.9, 0.999),
            eps=1e-8,
            weight_decay=plan.weight_decay,
        )
        self.batches = -(-len(self.learn) // plan.batch_size)  # of one epoch
        self.checkpoints = Checkpoints(run.folder / "checkpoints")
        state = self.checkpoints.resume(self.network.model, self.optimizer)
        self.epochs = [TrainedEpoch(**epoch) for epoch in state.get("epochs", ())]

    def run_epochs(self, step: Callable[[str], None], progress: Callable[[int, int], None]) -> None:
        """Run the remaining epochs; each is saved when it is done."""
        while not self._is_over():
            number = len(self.epochs) + 1
            step(f"epoch {number}")
            loss = self._epoch(number, progress)
            step(f"epoch {number}, validation")
            validation_loss = self._validation_loss()
            is_best = all(validation_loss < epoch.validation_loss for epoch in self.epochs)
            rate = self.optimizer.param_groups[0]["lr"]
            self.epochs.append(TrainedEpoch(number, loss, validation_loss, is_best, rate))
            state = {"epochs": [asdict(epoch) for epoch in self.epochs], "epoch": number}
            self.checkpoints.save(number, self.network.model, self.optimizer, state, is_best=is_best)

    def save(self, asked: Mapping[str, object], data: str) -> dict[str, object]:
        """Write the best weights and the tokenizer to the run's folder; returns their description. data: hash of the rows."""
        self.checkpoints.load_best(self.network.model)
        part = self.run.folder / ".model.part"
        shutil.rmtree(part, ignore_errors=True)
        self.network.model.save_pretrained(part)
        self.network.tokenizer.save_pretrained(part)
        for path in part.iterdir():
            path.replace(self.run.folder / path.name)
        part.rmdir()
        return {
            "form": self.plan.form,
            "kind": "causal" if self.network.is_causal else "seq2seq",
            "settings": {**asked, "learning_rate": self.rate},
            "fingerprint": data,
            "rows": len(self.learn),
            "validation_rows": len(self.stop),
            "too_long": self.too_long,
            "epochs": [asdict(epoch) for epoch in self.epochs],
        }

    def _is_over(self) -> bool:
        since = next((i for i, epoch in enumerate(reversed(self.epochs)) if epoch.is_best), 0)
        return len(self.epochs) >= self.plan.epochs or since >= self.plan.patience

    def _epoch(self, number: int, progress: Callable[[int, int], None]) -> float:
        import torch

        # Order and dropout of an epoch depend only on the seed and its number: a repeated epoch is the same.
        rng = np.random.default_rng([self.plan.seed, number])
        torch.manual_seed(self.plan.seed * 1_000_003 + number)
        self.network.model.train()
        total = n_tokens = 0.0
        order = rng.permutation(len(self.learn))
        done = (number - 1) * self.batches
        for start in range(0, len(order), self.plan.batch_size):
            some = [self.learn[place] for place in order[start : start + self.plan.batch_size]]
            n = sum(example.n_learned for example in some)
            total, n_tokens = total + self._step(some, done) * n, n_tokens + n
            done += 1
            progress(done, self.plan.epochs * self.batches)
        return total / n_tokens

    def _step(self, examples: Sequence[Tokens], number: int) -> float:
        import torch

        for group in self.optimizer.param_groups:
            group["lr"] = self.rate * self._pace(number)
        self.optimizer.zero_grad()
        n = sum(example.n_learned for example in examples)
        loss = 0.0
        for piece in _pieces(examples):
            share = self._loss(piece) * (sum(example.n_learned for example in piece) / n)
            share.backward()
            loss += float(share.detach())
        self._check(loss)
        torch.nn.utils.clip_grad_norm_(self.network.model.parameters(), self.plan.clip)
        self.optimizer.step()
        return loss

    def _loss(self, examples: Sequence[Tokens]) -> Any:
        """The mean loss over the learned tokens; on a GPU the network computes in 16 bits."""
        import torch

        is_gpu = self.network.device.type == "cuda"
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=is_gpu):
            return self.network.model(**self.network.batch(examples)).loss

    def _validation_loss(self) -> float:
        import torch

        self.network.model.eval()
        total = n_tokens = 0.0
        with torch.inference_mode():
            for piece in _pieces(self.stop):
                n = sum(example.n_learned for example in piece)
                total, n_tokens = total + float(self._loss(piece)) * n, n_tokens + n
        self._check(total)
        return total / n_tokens

    def _check(self, loss: float) -> None:
        if not isfinite(loss):
            raise TrainingError(
                f"The loss became {loss}, so training stopped. The learning rate was {self.rate:g}. "
                f"Try a lower one, such as {self.rate / 3:.0e}, in another --out."
            )

    def _pace(self, step: int) -> float:
        """The factor of the learning rate at a step; it rises during the warm-up and falls where the validation loss does not."""
        warm = max(1, min(self.plan.warm_up, self.plan.epochs * self.batches // 10))
        losses = [epoch.validation_loss for epoch in self.epochs if epoch.number * self.batches > warm]
        decayed = plateau_factor(losses, decay=self.plan.decay, patience=self.plan.decay_patience)
        return min(1.0, (step + 1) / warm) * decayed

    def _readable(self, texts: Sequence[tuple[str, str]]) -> list[Tokens]:
        read = [self.network.pair(source, target) for source, target in texts]
        return [example for example in read if len(example) <= self.network.longest]


def _network(base: str, texts: Sequence[str], device: str) -> Network:
    if base != TINY:
        return load_network(base, device=device, marks=True)
    from longway.classify.network_training import device_named

    return tiny_network(texts, device=device_named(device))


def _held_out(rows: Sequence[PandaRow], seed: int) -> tuple[list[PandaRow], list[PandaRow]]:
    """The training rows and the validation rows, those of a tenth of the texts, so that no text is in both."""
    texts = sorted({row.before for row in rows})
    n = min(max(1, round(HELD_OUT * len(texts))), len(texts) - 1)
    chosen = {texts[place] for place in np.random.default_rng(seed).permutation(len(texts))[: max(0, n)]}
    return [row for row in rows if row.before not in chosen], [row for row in rows if row.before in chosen]


def _pieces(examples: Sequence[Tokens]) -> list[list[Tokens]]:
    """The examples in pieces of at most `PIECE` tokens after padding."""
    pieces: list[list[Tokens]] = []
    for example in sorted(examples, key=len, reverse=True):
        if pieces and len(pieces[-1][0]) * (len(pieces[-1]) + 1) <= PIECE:
            pieces[-1].append(example)
        else:
            pieces.append([example])
    return pieces


def _hash_of(base: str) -> str:
    """A hash of the base's files: another model of the same name is another run."""
    if base == TINY:
        return ""
    from longway.classify.pretrained import folder_of
    from longway.classify.saved import folder_hash

    return folder_hash(folder_of(base, what=f"The model {base!r}"))


def _validation_scores(
    folder: Path, rows: Sequence[PandaRow], form: str, device: str, progress: Callable[[int, int], None]
) -> ValidationScores | None:
    """What the network in a folder writes for rows; None without the packages that compute BLEU."""
    if any(find_spec(package) is None for package in ("sacrebleu", "rapidfuzz")):
        return None
    asked = [(row, request) for row in rows if (request := request_of(row)) is not None]
    perturber = NeuralPerturber(folder, device=device, form=form)
    done: list[Perturbed] = []
    for start in range(0, len(asked), REWRITTEN_AT_ONCE):
        done += perturber.perturb([request for _, request in asked[start : start + REWRITTEN_AT_ONCE]])
        progress(len(done), len(asked))
    if not asked:
        return None
    before, wanted = ([" ".join(getattr(row, side)) for row, _ in asked] for side in ("before", "after"))
    wrote = [" ".join(one.segments) for one in done]
    return ValidationScores(
        rows=len(asked),
        source=sacre_bleu(wrote, before),
        people=sacre_bleu(wrote, wanted),
        copied=sacre_bleu(before, wanted),
        exact=sum(word_distance(*pair)[0] == 0 for pair in zip(wrote, wanted, strict=True)),
        refused=sum(bool(one.reason) for one in done),
    )


def _trained(folder: Path) -> TrainedPerturber:
    about = read_json(folder / ABOUT_FILE)
    epochs = tuple(TrainedEpoch(**epoch) for epoch in about["epochs"])
    scores = about.get("validation")
    return TrainedPerturber(
        folder,
        epochs,
        about["rows"],
        about["validation_rows"],
        about["too_long"],
        None if scores is None else ValidationScores(**scores),
    )


def _silent(*_: object) -> None:
    pass
