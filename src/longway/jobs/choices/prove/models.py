"""Rankers that a proof trains: from the prompt and the candidates to a score per candidate.

    bow           surface, words and places of the candidates, overlap with the prompt, pairs of a prompt's and a candidate's word
    minilm        vectors of the frozen sentence encoder: candidate c, |p - c|, p * c and the cosine, for the vector p of the prompt
    minilm-full   the encoder itself, fine-tuned on prompt and candidate together; also -lora, and hf:NAME-full or -lora

The first two are a conditional logit (`detect.choices.ranker`), the last one minimises the same loss. Features are computed once for all
questions of a proof, so that both versions of the data have the same features and differ only in what is trained on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from longway.data.choices import Question
from longway.detect.choices.candidates import Candidates, Floats, Ints, fit
from longway.detect.choices.cues import words_of
from longway.detect.choices.leak import (
    CUE_PENALTY,
    WORD_PENALTY,
    Progress,
    places,
    relative,
    vectors_of,
    weighted,
    within,
)
from longway.errors import SettingError
from longway.models.catalog import check_named
from longway.models.minilm import model_folder

BOW, MINILM = "bow", "minilm"
TUNINGS = ("lora", "full")
MOST_WORDS = 10  # of a prompt and of a candidate, rarest first, that make pairs
MOST_PAIRS = 50_000
VECTOR_PENALTY = 3000.0  # of each number of the vectors; the cosine has that of a cue


class LinearRanker:
    """A conditional logit on features of all candidates: learns from some questions and scores the candidates of others, given by number."""

    def __init__(self, given: Candidates, features: Any, penalty: Floats | float) -> None:
        self.sets, self.features, self.penalty = given.sets, features, penalty

    def scores(self, train: Ints, test: Ints, seed: int) -> Floats:
        """A score for each candidate of the test questions, in order. The seed changes nothing."""
        learned, rows = self.sets.part(train)
        weights = fit(self.features[rows], learned, self.penalty)
        return np.asarray(self.features[self.sets.part(test)[1]] @ weights, dtype=np.float64)


class NetworkRanker:
    """A fine-tuned encoder that reads prompt and candidate together. training: options of `EncoderRanker`."""

    def __init__(self, questions: Sequence[Question], encoder: str, **training: Any) -> None:
        self.questions, self.encoder, self.training = questions, encoder, training

    def scores(self, train: Ints, test: Ints, seed: int) -> Floats:
        """A score for each candidate of the test questions, in order."""
        from longway.models.ranking import EncoderRanker

        model = EncoderRanker(self.encoder, seed=seed, **self.training)
        read = [(one.prompt, one.candidates) for one in self.questions]
        rights = [self.questions[i].right or 0 for i in train]
        model.fit_questions([read[i] for i in train], rights)
        return model.scores([read[i] for i in test])


Ranker = LinearRanker | NetworkRanker


def check_model(name: str) -> None:
    """SettingError if there is no such ranker; MissingExtra if a package for it is missing."""
    if name == MINILM:
        model_folder()
    elif name != BOW:
        _parts(name)
        check_named(name)


def ranker_named(
    name: str,
    given: Candidates,
    *,
    is_ordered: bool,
    cache: Path | None = None,
    progress: Progress = lambda done, total: None,
    **training: Any,
) -> Ranker:
    """The ranker with this name for all questions of a proof. cache: a file that keeps vectors of texts. training: options of fine-tuned ones."""
    if name == BOW:
        return LinearRanker(given, *bow_features(given, is_ordered=is_ordered))
    if name == MINILM:
        features = vector_features(given, cache, progress)
        penalty = np.append(np.full(features.shape[1] - 1, VECTOR_PENALTY), CUE_PENALTY)
        return LinearRanker(given, features, penalty)
    encoder, tuning = _parts(name)
    return NetworkRanker(given.questions, encoder, tuning=tuning, **training)


def _parts(name: str) -> tuple[str, str]:
    """The encoder and its tuning."""
    base, _, tuning = name.removeprefix("hf:").rpartition("-")
    if base and tuning in TUNINGS and (name.startswith("hf:") or base == MINILM):
        return base, tuning
    raise SettingError(
        f"'model' must be {BOW}, {MINILM}, {MINILM}-lora, {MINILM}-full, hf:NAME-lora or hf:NAME-full for data with candidates. Got {name!r}."
    )


def bow_features(given: Candidates, *, is_ordered: bool) -> tuple[Any, Floats]:
    """Candidates by features, sparse, and the penalty of each feature."""
    surface = relative(given.cues, given.sets)
    if is_ordered:
        surface = np.hstack([surface, places(given.sets)])
    words = sp.hstack([weighted(given.words), pair_features(given)]).tocsr()
    penalty = [np.full(surface.shape[1], CUE_PENALTY), np.full(words.shape[1], WORD_PENALTY)]
    return sp.hstack([sp.csr_matrix(surface), words]).tocsr(), np.concatenate(penalty)


def pair_features(given: Candidates) -> Any:
    """Pairs of a word of the prompt and a word of the candidate that occur with several candidates; every candidate has length 1."""
    counts = Counter(word for one in given.questions for word in {*words_of(one.prompt)})
    counts.update(word for text in given.texts for word in {*words_of(text)})

    def rarest(text: str) -> list[str]:
        known = [word for word in sorted({*words_of(text)}) if counts[word] > 1]
        return sorted(known, key=counts.__getitem__)[:MOST_WORDS]

    bags = [
        [(first, second) for second in rarest(text) for first in prompt]
        for one in given.questions
        for prompt in [rarest(one.prompt)]
        for text in one.candidates
    ]
    frequent = Counter(pair for bag in bags for pair in bag).most_common(MOST_PAIRS)
    index = {pair: i for i, (pair, n) in enumerate(frequent) if n > 1}
    rows = [[index[pair] for pair in bag if pair in index] for bag in bags]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    columns = np.array([column for row in rows for column in row], dtype=np.int64)
    lengths = np.repeat([max(1, len(row)) ** -0.5 for row in rows], [len(row) for row in rows])
    return sp.csr_matrix((lengths, columns, starts), shape=(len(bags), max(1, len(index))))


def vector_features(given: Candidates, cache: Path | None, progress: Progress) -> Floats:
    """Candidates by features of the frozen encoder, each less the mean of its question, in standard deviations."""
    from longway.models.frozen import Frozen

    texts = [*(one.prompt for one in given.questions), *given.texts]
    vectors = vectors_of(texts, Frozen(MINILM, cache=cache).embedded, progress)
    n = len(given.questions)
    p, c = vectors[:n][given.sets.question], vectors[n:]
    cosine = (p * c).sum(axis=1, keepdims=True)
    return within(np.hstack([c, np.abs(p - c), p * c, cosine]), given.sets)
