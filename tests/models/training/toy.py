"""Rows whose signal and whose shortcut are known: what a classifier should read, and what it should not.

    single texts    four words of the label's own list, right in 85 of 100 rows; and "indeed" or "perhaps", the shortcut
    pairs           the text's words come back in the context ("yes") or not ("no"), right in 85 of 100 rows; same shortcut in the text

In training the shortcut is right in 95 of 100 rows that have it, in the reversed test in 5, in the control half the time.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from longway.models.classifier import Inputs, Labelled

SHORTCUTS = ("indeed", "perhaps")
_FILLERS = [f"{a}{b}" for a in ("ba", "de", "ki", "lo", "mu", "ra") for b in "bdfgklmnprst"]
_ENDS = [
    f"{a}{b}"
    for a in "aeiou"
    for b in ("nor", "vel", "tis", "gan", "lum", "rop", "sed", "wic", "zan", "pug", "mot", "bry")
]
_OF_LABEL = [[start + end for end in _ENDS] for start in ("h", "f")]


@dataclass(frozen=True)
class Kind:
    pairs: bool
    labels: tuple[str, str] = ("no", "yes")

    def rows(self, n, *, right, seed, genuine=0.85, with_shortcut=1.0):
        """Labelled rows. right: how often the shortcut is right."""
        rng = np.random.default_rng(seed)
        target = rng.integers(2, size=n)
        read = np.where(rng.random(n) < genuine, target, 1 - target)
        tell = np.where(rng.random(n) < right, target, 1 - target)
        has = rng.random(n) < with_shortcut
        texts, contexts = [], []
        for i in range(n):
            words = list(rng.choice(_FILLERS, 6, replace=False))
            if self.pairs:
                other = list(rng.choice(_FILLERS, 6, replace=False))
                contexts.append(" ".join(rng.permutation(words) if read[i] else other))
            else:
                words[:4] = rng.choice(_OF_LABEL[read[i]], 4, replace=False)
            words += [SHORTCUTS[tell[i]]] if has[i] else []
            texts.append(" ".join(rng.permutation(words)))
        return Labelled(Inputs(texts, contexts if self.pairs else None), [self.labels[t] for t in target])


SINGLE, PAIRS = Kind(pairs=False), Kind(pairs=True)


def found(data):
    """Rows x shortcuts: which rows have which."""
    return csr_matrix([[float(word in text.split()) for word in SHORTCUTS] for text in data.inputs.texts])


def accuracy(model, data):
    return float(np.mean(np.array(model.predict(data.inputs)) == np.array(data.labels)))
