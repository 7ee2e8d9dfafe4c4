"""DRiFt: fit what a model of shortcut features left over (He et al. 2019).

"Unlearn Dataset Bias in Natural Language Inference by Fitting the Residual", section 3. First a biased model p_b is trained
on shortcut features alone; then the classifier f is trained to add what is missing, and used alone:

    p_a(y | x) = softmax_y( f(x)_y + log p_b(y | x) )
    L = 1/n sum_i -log p_a(y_i | x_i)

The biased model is scikit-learn's logistic regression with an L1 penalty, as in "Finding Dataset Shortcuts with Grammar
Induction" (Friedman et al. 2022), appendix B, over whatever shortcuts were found (n-grams, grammar rules ...). Where none
were, in pairs its features are the n-grams of the text, and so they are in single texts where nobody looked. There it would learn its own rows by heart, so that each row's
probabilities come from a model that has not seen it; with found shortcuts, few and seen in many rows, it is fitted once.
In single texts the n-grams hold the real signal too; there the penalty is so strong that only the most telling ones count.

The loss is the product of experts' (`poe.py`); they differ in what the other model sees: here the found shortcuts come first,
there whatever the text of a pair tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from longway.classify.classifier import Classifier, Floats, Watch
from longway.classify.methods.biased import (
    at_least,
    fit_beside,
    logistic,
    probabilities,
    telling_features,
)
from longway.classify.methods.training import Fresh, Tell, Training


@dataclass(frozen=True, slots=True)
class Drift:
    """Trained on what a biased model leaves over.

    strength: of the biased model, scikit-learn's C. weak: the same where it sees n-grams of single texts, as in `poe.py`.
    folds: parts for its answers where it sees n-grams.
    """

    name: ClassVar[str] = "drift"
    needs: ClassVar[frozenset[str]] = frozenset()

    strength: float = 1.0
    weak: float = 20.0
    folds: int = 5

    def fit(
        self,
        fresh: Fresh,
        data: Training,
        *,
        seed: int,
        watch: Watch | None = None,
        tell: Tell = lambda text: None,
    ) -> Classifier:
        """A classifier of what the shortcuts leave over."""
        biased = self.biased(data, seed=seed)
        return fit_beside(biased, fresh, data, seed=seed, watch=watch, tell=tell)

    def biased(self, data: Training, *, seed: int) -> Floats:
        """(n, labels): what the biased model says of each row."""
        if data.has_shortcuts:
            model = logistic(data.shortcuts, data.targets(), strength=self.strength, sparse=True)
            return at_least(model.predict_proba(data.shortcuts))
        features = telling_features(data)
        strength = self.strength if data.is_pairs else self.weak / len(data.labelled)
        return probabilities(data, features, strength=strength, sparse=True, n_folds=self.folds, seed=seed)
