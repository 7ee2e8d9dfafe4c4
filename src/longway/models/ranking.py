"""A fine-tuned encoder that ranks the candidates of a question: it reads prompt and candidate together and gives one score. Needs torch.

    p(candidate i is right | question) = exp(score_i) / sum over the candidates j of the same question of exp(score_j)

Training is that of classifiers (`network_training`): a question is a row, and the places of its candidates are its labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from longway.models.classifier import Floats, Inputs
from longway.models.encoder import Encoder
from longway.models.network_training import NetworkPlan, NetworkTraining, TrainingTask
from longway.models.objectives import CrossEntropy, held_out
from longway.models.pretrained import Read

Asked = tuple[str, Sequence[str]]  # a prompt and its candidates
NO_CANDIDATE = -1e4  # the score of places that a question does not have


@dataclass(eq=False)
class EncoderRanker(Encoder):
    """A pretrained encoder with one score per candidate. Options as for `Encoder`; a batch is so many questions."""

    name: ClassVar[str] = "ranker"

    batch: int = 8
    max_tokens: int = 256

    def fit_questions(self, questions: Sequence[Asked], right: Sequence[int]) -> None:
        """Train, and keep the best state on a tenth of the questions. right: the place of each right candidate."""
        self.labels_ = ("score",)
        targets = np.asarray(right, np.int64)
        rows, stop = held_out(targets, seed=self.seed)
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            torch.manual_seed(self.seed)
            self._build()
            read = [self._read_question(one) for one in questions]
            width = max(len(one) for one in read)
            lengths = [max(self._lengths(one)) for one in read]
            task = TrainingTask(
                CrossEntropy(targets),
                rows,
                lengths,
                lambda batch: self._table([read[i] for i in batch], width),
                lambda: (self._stopping([read[i] for i in stop], width), targets[stop]),
            )
            NetworkTraining(self.network_, task, NetworkPlan.of(self)).run()

    def scores(self, questions: Sequence[Asked]) -> Floats:
        """The score of each candidate, question after question."""
        read = [one for question in questions for one in self._read_question(question)]
        return self._logits(read)[:, 0]

    def _read_question(self, question: Asked) -> Read:
        prompt, candidates = question
        return self._read(Inputs(candidates, [prompt] * len(candidates) if prompt else None))

    def _table(self, questions: Sequence[Read], width: int) -> Tensor:
        """(questions, width): the scores of their candidates."""
        scores: Tensor = self.network_([one for question in questions for one in question])[:, 0]
        return _by_question(scores, questions, width)

    def _stopping(self, questions: Sequence[Read], width: int) -> Floats:
        scores = self._logits([one for question in questions for one in question])[:, 0]
        table: Floats = _by_question(torch.from_numpy(scores), questions, width).numpy()
        return table


def _by_question(scores: Tensor, questions: Sequence[Read], width: int) -> Tensor:
    """(questions, width): scores of candidates, question after question, in a table."""
    places = [at * width + i for at, question in enumerate(questions) for i in range(len(question))]
    table = scores.new_full((len(questions) * width,), NO_CANDIDATE)
    filled = table.index_put((torch.tensor(places, device=scores.device),), scores)
    return filled.reshape(len(questions), width)
