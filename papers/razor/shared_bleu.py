"""BLEU of texts that all have the same references.

RAZOR's Table 4 reports corpus BLEU of a training set "evaluated on" a test set, without saying which sentence is compared with which.
`shared_bleu(train, test)` uses every test sentence as a reference of every training text, which sacrebleu cannot do; it is high if the
training texts consist of phrases of the test texts.
"""

from __future__ import annotations

from collections.abc import Sequence

from longway.metrics.bleu import Bleu, _allowed, _Tally, _words


def shared_bleu(texts: Sequence[str], references: Sequence[str], *, n: int = 4) -> Bleu:
    """BLEU of each text against all references at once. It rises with the number of references."""
    reference_words = _words(references)
    allowed = _allowed(reference_words, n)
    lengths = sorted(set(map(len, reference_words)))
    tally = _Tally(n)
    for words in _words(texts):
        tally.add(words, allowed, lengths)
    return tally.bleu()
