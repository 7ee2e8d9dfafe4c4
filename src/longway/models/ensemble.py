"""Several classifiers of different kinds over the same rows, each row seen by models that were not trained on it.

    ensemble = Ensemble(data, ("bow", "nb", "dan", "cnn", "gru"), folds=2)
    ensemble.word_scores("bow", method="ig")     one model's word scores of every row

CoBA (section 3.3.2) uses such models to find important words. Models are trained on first use, one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from longway.errors import SettingError
from longway.models.catalog import model_named
from longway.models.classifier import Classifier, Ints, Labelled
from longway.models.folds import folds_of, numbered
from longway.models.importance import MaskableText, WordScores, word_importance
from longway.models.importance.masking import field_texts
from longway.models.own_model import OwnModel

DEFAULT = ("bow", "nb", "dan", "cnn", "gru")
MASKED = 64  # masked texts for a model without gradients: enough to rank words
STEPS = 8  # of integrated gradients: enough to rank words
# Smaller networks: they rank words and vote, and need not be as accurate as possible. The recurrent one is by far the slowest.
QUICK: dict[str, dict[str, int]] = {
    "dan": {"epochs": 5, "max_words": 128, "hidden": 32},
    "cnn": {"epochs": 5, "max_words": 128, "hidden": 32},
    "gru": {"epochs": 4, "max_words": 64, "hidden": 32},
}


class Ensemble:
    """Classifiers by name, each trained once per fold on the other folds.

    folds: with 1, each is trained once on all rows and explains the rows it has seen, as in the paper. tuning: options of the encoders
    that are trained as a whole, such as `learning_rate`. Rows with equal texts stay in one fold.
    """

    def __init__(
        self,
        data: Labelled,
        names: Sequence[str] = DEFAULT,
        *,
        folds: int = 2,
        tuning: Mapping[str, Any] | None = None,
        seed: int = 0,
        device: str = "auto",
    ) -> None:
        if len(set(names)) != len(names) or not names:
            raise SettingError(
                f"An ensemble needs models of different names. Got {', '.join(names) or 'none'}. Name each once."
            )
        self.data, self.names, self.seed = data, tuple(names), seed
        self.device, self.tuning = device, dict(tuning or {})
        self.fold = _folds(data, folds, seed)
        for name in self.names:
            self._fresh(name)  # raises for an unknown name or a missing package before anything is trained
        self._fitted: dict[tuple[str, int], Classifier] = {}

    def _fresh(self, name: str) -> Classifier:
        options: Mapping[str, Any] = QUICK.get(name, {})
        if name.startswith(("hf:", "minilm-")) and not name.endswith("-frozen"):
            options = self.tuning
        return model_named(name, seed=self.seed, device=self.device, **options)

    @property
    def n_folds(self) -> int:
        """The number of folds."""
        return int(self.fold.max(initial=0)) + 1

    def model(self, name: str, fold: int) -> Classifier:
        """The model that was not trained on the rows of a fold."""
        if (name, fold) not in self._fitted:
            others = np.flatnonzero((self.fold != fold) | (self.n_folds == 1))
            self._fitted[name, fold] = self._fresh(name).fit(self.data.take(others))
        return self._fitted[name, fold]

    def word_scores(
        self,
        name: str,
        *,
        method: str = "ig",
        field: str = "text",
        progress: Callable[[int], object] | None = None,
    ) -> list[WordScores]:
        """One model's word scores for the label of each row, from the fit that has not seen the row; zeros for a label it has never seen.

        field: "text" or "context".
        """
        by_row: dict[int, WordScores] = {}
        for fold in range(self.n_folds):
            model = self.model(name, fold)
            rows = np.flatnonzero(self.fold == fold).tolist()
            known = [row for row in rows if self.data.labels[row] in model.labels_]
            has_gradients = not isinstance(model, OwnModel)
            scores = word_importance(
                model,
                self.data.inputs.take(known),
                method=method if has_gradients or method != "ig" else "lime",
                field=field,
                target=[self.data.labels[row] for row in known],
                samples=None if method != "ig" else STEPS if has_gradients else MASKED,
                seed=self.seed,
                progress=progress,
            )
            by_row.update(zip(known, scores, strict=True))
        for row, text in enumerate(field_texts(self.data.inputs, field)):
            if row not in by_row:
                words = MaskableText.of(text, self.data.inputs.tokenizer)
                by_row[row] = WordScores(words.words, words.spans, np.zeros(len(words)), "", field)
        return [by_row[row] for row in range(len(self.data))]


def _folds(data: Labelled, folds: int, seed: int) -> Ints:
    groups = numbered(np.array(data.inputs.texts, object))
    n_groups = int(groups.max(initial=-1)) + 1
    if folds < 1 or n_groups < max(2, folds):
        raise SettingError(
            f"An ensemble needs at least 1 fold, and as many different texts. Got {folds} folds and {n_groups} texts. "
            "Use more rows."
        )
    return folds_of(groups, folds, seed=seed)
