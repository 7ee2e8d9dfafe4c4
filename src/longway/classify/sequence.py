"""A finished classifier of Hugging Face (`...ForSequenceClassification`), by folder or name. Needs torch and transformers.

    SequenceClassifier.load("my-bert").predict(Inputs(texts))        the labels that its config.json names

It is asked, never trained: what Longway trains itself is `encoder.py`. Weights are read from safetensors only, and no code that comes with a
model is run.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib.util import find_spec
from typing import Any, Self

import numpy as np

from longway.classify.batches import by_length
from longway.classify.classifier import Floats, FromLogits, Inputs
from longway.errors import MissingExtra, SettingError

HEAD = "ForSequenceClassification"
MAX_TOKENS = 512
TOKENS_A_BATCH = 4096


class SequenceClassifier(FromLogits):
    """A network with a head for labels, and its tokenizer. base: how rows are read (`pretrained.Pretrained`)."""

    def __init__(self, base: Any) -> None:
        self.base = base
        names = base.model.config.id2label
        self.labels_ = tuple(str(names[place]) for place in sorted(names))

    @classmethod
    def load(cls, name: str, *, device: str = "auto") -> Self:
        """The classifier in a folder, or of a name on the hub; an error where it is none."""
        if find_spec("torch") is None or find_spec("transformers") is None:
            raise MissingExtra("transformers", extra="neural", purpose=f"the classifier {name!r}")
        import torch
        from transformers import AutoModelForSequenceClassification, AutoTokenizer
        from transformers.utils.logging import disable_progress_bar

        from longway.classify.pretrained import Pretrained, folder_of
        from longway.classify.saved import folder_hash
        from longway.classify.training import device_named

        disable_progress_bar()  # type: ignore[no-untyped-call] # of reading weights; fetching them still shows one
        try:
            tokenizer = AutoTokenizer.from_pretrained(name, trust_remote_code=False)
            model, loading = AutoModelForSequenceClassification.from_pretrained(
                name,
                use_safetensors=True,
                trust_remote_code=False,
                dtype=torch.float32,
                output_loading_info=True,
            )
        except (OSError, ValueError, KeyError) as error:
            raise SettingError(
                f"The classifier {name!r} cannot be read: {str(error).strip().splitlines()[0]} Expected a folder with config.json, "
                "model.safetensors and tokenizer files, or a name on the Hugging Face hub that this machine can reach. "
                "Fetch it where there is a network (huggingface-cli download NAME --local-dir FOLDER) and name the folder: hf:FOLDER."
            ) from None
        _check(name, model.config, loading)
        where = folder_hash(folder_of(name))
        return cls(Pretrained(model.eval(), tokenizer, base_hash=where, device=device_named(device)))

    def logits(self, inputs: Inputs) -> Floats:
        """(n, labels): what softmax makes probabilities of. Of pairs, the context is read first."""
        import torch

        read = self.base.read(inputs.texts, inputs.contexts, max_tokens=MAX_TOKENS)
        found = np.zeros((len(read), len(self.labels_)))
        with torch.inference_mode():
            for places in by_length([len(row["input_ids"]) for row in read], size=TOKENS_A_BATCH):
                batch = self.base.batch([read[i] for i in places])
                found[places] = self.base.model(**batch).logits.cpu().double().numpy()
        return found


def _check(name: str, config: Any, loading: Mapping[str, Collection[Any]]) -> None:
    """An error where the model does not give each text one of several labels, or would do so with random weights."""
    from longway.classify.pretrained import check_whole

    architectures = tuple(getattr(config, "architectures", None) or ())
    if not any(one.endswith(HEAD) for one in architectures):
        raise SettingError(
            f"{name!r} is no classifier: its config.json names {', '.join(architectures) or 'no architecture'}. "
            f"A model saved as ...{HEAD} was expected. Choose another."
        )
    if config.num_labels < 2 or config.problem_type in ("regression", "multi_label_classification"):
        raise SettingError(
            f"{name!r} does not choose one of several labels (labels: {config.num_labels}, problem_type: {config.problem_type}). "
            "A classifier that gives each text one label was expected. Choose another."
        )
    check_whole(name, loading)
