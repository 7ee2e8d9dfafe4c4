"""CLEVER: what the text alone says is taken off at prediction time (Xu et al. 2023).

"Counterfactual Debiasing for Fact Verification", section 3. Two classifiers are trained apart, with the plain loss: one on
text and context together, one on the text alone. Training lets both learn the shortcut; prediction subtracts it:

    y = argmax_y  log p_fusion(y | text, context)  -  strength x log p_text(y | text)

With strength 1 this compares labels by log p(context | y, text), up to a term that is the same for all labels: how well the
context fits the text and the label, with no regard to how often the text's words stand with the label. On the data it was
trained on this costs accuracy, since there the text does tell something. It needs pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

from scipy.special import log_softmax

from longway.classify.classifier import (
    Classifier,
    Floats,
    FromLogits,
    Inputs,
    Labelled,
    Watch,
    read_about,
    write_about,
)
from longway.classify.methods.training import CONTEXT, Fresh, Tell, Training, require
from longway.classify.objectives import Objective


@dataclass(frozen=True, slots=True)
class Clever:
    """Text and context minus text alone. strength: how much of the text's own say is taken off."""

    name: ClassVar[str] = "clever"
    needs: ClassVar[frozenset[str]] = frozenset({CONTEXT})

    strength: float = 1.0

    def fit(
        self,
        fresh: Fresh,
        data: Training,
        *,
        seed: int,
        watch: Watch | None = None,
        tell: Tell = lambda text: None,
    ) -> Classifier:
        """Both classifiers as one. watch: told of the training on text and context."""
        require(self, data)
        both = Difference(fresh(seed), fresh(seed), strength=self.strength)
        return both.fit(data.labelled, validation=data.validation, watch=watch)


class Difference(FromLogits):
    """A classifier of pairs minus one of their texts."""

    name: ClassVar[str] = "clever"

    def __init__(self, fusion: Classifier, text_only: Classifier, *, strength: float = 1.0) -> None:
        self.fusion, self.text_only, self.strength = fusion, text_only, strength

    def fit(
        self,
        data: Labelled,
        *,
        objective: Objective | None = None,
        validation: Labelled | None = None,
        watch: Watch | None = None,
    ) -> Self:
        """Train both, each on its own. objective, watch: of the one that sees text and context."""
        self.fusion.fit(data, objective=objective, validation=validation, watch=watch)
        self.text_only.fit(
            _without_context(data), validation=None if validation is None else _without_context(validation)
        )
        self.labels_ = self.fusion.labels_
        return self

    def logits(self, inputs: Inputs) -> Floats:
        """(n, labels): the difference of the two classifiers' log-probabilities."""
        fusion = log_softmax(self.fusion.logits(inputs), axis=1)
        text = log_softmax(self.text_only.logits(inputs.text_only()), axis=1)
        return fusion - self.strength * text

    def save(self, folder: Path) -> None:
        """Write both classifiers, each in a folder of its own."""
        self.fusion.save(folder / "fusion")
        self.text_only.save(folder / "text_only")
        write_about(folder, {"model": self.name, "labels": list(self.labels_), "strength": self.strength})

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The pair of classifiers that was saved there."""
        from longway.classify.models import load_model

        about = read_about(folder)
        both = cls(
            load_model(folder / "fusion"), load_model(folder / "text_only"), strength=about["strength"]
        )
        both.labels_ = tuple(about["labels"])
        return both


def _without_context(data: Labelled) -> Labelled:
    return Labelled(data.inputs.text_only(), data.labels)
