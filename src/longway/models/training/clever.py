"""CLEVER: subtract the text-only prediction at test time (Xu et al. 2023).

"Counterfactual Debiasing for Fact Verification", section 3. Two classifiers are trained separately, with the plain loss: one on
text and context together, one on the text alone. Both may learn the shortcut; the prediction subtracts it:

    y = argmax_y  log p_fusion(y | text, context)  -  strength x log p_text(y | text)

With strength 1 this compares labels by log p(context | y, text), up to a term that is the same for all labels: how well the
context fits the text and the label, regardless of how often the text's words occur with the label. On data like the training
data this costs accuracy, since there the text is informative. It needs pairs.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from scipy.special import log_softmax

from longway.models.classifier import Classifier, FitData, Floats, Inputs
from longway.models.saved import SavedModel
from longway.models.training.trainer import Trainer, TrainingData

FUSION, TEXT_ONLY = "fusion", "text_only"  # folders of the saved classifiers


def train_clever(data: TrainingData, trainer: Trainer, *, strength: float = 1.0) -> Classifier:
    """Text and context minus text alone. strength: weight of the text-only classifier."""
    both = Difference(trainer.fresh(trainer.seed), trainer.fresh(trainer.seed), strength=strength)
    return both.fit(data.labelled, validation=data.validation)


class Difference(Classifier):
    """A classifier of pairs minus a classifier of their texts."""

    name: ClassVar[str] = "clever"

    def __init__(self, fusion: Classifier, text_only: Classifier, *, strength: float = 1.0) -> None:
        self.fusion, self.text_only, self.strength = fusion, text_only, strength

    def _fit(self, given: FitData) -> None:
        """Train both separately; the objective is that of the one that sees text and context."""
        stop = given.validation
        self.fusion.fit(given.data, objective=given.objective, validation=stop)
        self.text_only.fit(given.data.text_only(), validation=stop and stop.text_only())

    def logits(self, inputs: Inputs) -> Floats:
        """(n, labels): the difference of the two classifiers' log-probabilities."""
        fusion = log_softmax(self.fusion.logits(inputs), axis=1)
        text = log_softmax(self.text_only.logits(inputs.text_only()), axis=1)
        return fusion - self.strength * text

    def save(self, folder: Path) -> None:
        """Write both classifiers, each in its own subfolder."""
        self.fusion.save(folder / FUSION)
        self.text_only.save(folder / TEXT_ONLY)
        SavedModel(self.name, self.labels_, strength=self.strength).write(folder)
