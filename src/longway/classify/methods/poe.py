"""Product of experts: the classifier is trained beside an expert that knows only the shortcut, and used alone.

Karimi Mahabadi et al. 2020 ("End-to-End Bias Mitigation by Modelling Biases in Corpora", section 3.2), Clark et al. 2019,
after Hinton 2002:

    p_product(y | x) = softmax_y( log p_main(y | x) + log p_bias(y | x_bias) )
    L = 1/n sum_i -log p_product(y_i | x_i)

Where the expert is right and sure, the product is right whatever the classifier says, and its gradient is small; where the
expert is wrong, the classifier has to outdo it. No gradient of L reaches the expert. softmax forgets what is added to all
classes alike, so that the classifier's logits can stand for log p_main.

The paper trains both side by side, the expert with a loss of its own. Here the expert is trained before (as in Clark et al.),
and each row's probabilities come from an expert that has not seen the row, nor any row with the same text: it is a logistic
regression over the text's n-grams, and on its own rows it would be far surer than it has reason to be.

Single texts hold both the shortcut and the real signal. The expert sees the shortcuts that were found. Where nobody looked
for any, it is a weak one: a regression over single words with an L1 penalty so strong that only the most telling ones count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from longway.classify.classifier import Classifier, Floats, Watch
from longway.classify.methods.biased import (
    fit_beside,
    ngrams,
    probabilities,
    telling_features,
)
from longway.classify.methods.training import Fresh, Tell, Training


@dataclass(frozen=True, slots=True)
class ProductOfExperts:
    """Trained in product with a text-only expert.

    folds: parts for the expert's answers. strength: of the expert, scikit-learn's C.
    weak: the same for the weak expert of single texts, to be divided by the number of rows: a word counts for anything only
    where it changes a label's chances in more than 1 / weak of all rows (rows with it x how far the share is off).
    """

    name: ClassVar[str] = "poe"
    needs: ClassVar[frozenset[str]] = frozenset()

    folds: int = 5
    strength: float = 1.0
    weak: float = 20.0

    def fit(
        self,
        fresh: Fresh,
        data: Training,
        *,
        seed: int,
        watch: Watch | None = None,
        tell: Tell = lambda text: None,
    ) -> Classifier:
        """A classifier that was trained in product with the expert."""
        expert = self.expert(data, seed=seed)
        return fit_beside(expert, fresh, data, seed=seed, watch=watch, tell=tell)

    def expert(self, data: Training, *, seed: int) -> Floats:
        """(n, labels): what an expert that has not seen a row says of it."""
        if data.is_pairs or data.shortcuts is not None:
            features = telling_features(data)
            return probabilities(data, features, strength=self.strength, n_folds=self.folds, seed=seed)
        words = ngrams(data.labelled.inputs.texts, longest=1, keep=data.keep)
        weak = self.weak / len(data.labelled)
        return probabilities(data, words, strength=weak, sparse=True, n_folds=self.folds, seed=seed)
