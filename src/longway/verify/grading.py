"""How good a judge is, measured on rows whose labels are known.

grade(asker, task, rows)        asks the judge for the label of each row, without showing it
graded_rows(labels, n)          which rows of a dataset to ask about: as many of each label
grade(...).is_good_enough       whether its verdicts may be used on this dataset
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longway.engines.asker import Asker
from longway.engines.prompt import judge_prompt
from longway.metrics.classification import brier_of
from longway.records import Example
from longway.task import Task
from longway.verify.calibration import Rate

ROWS = 40  # enough to see that a judge of two labels is right about more than two thirds of them
LEAST_RIGHT = 0.65


@dataclass(frozen=True, slots=True)
class Grade:
    """The answers of a judge to rows with known labels.

    answered: rows with a readable answer. right: share of all rows, with its interval; no answer counts as wrong.
    chance: what answering at random gets. brier: mean squared error of the probabilities, from 0 to 1; None without answers.
    """

    answered: int
    right: Rate
    chance: float
    brier: float | None

    @property
    def is_good_enough(self) -> bool:
        """Whether it is right about at least 65% of the rows, and certainly better than chance."""
        return self.right.share >= LEAST_RIGHT and self.right.low > self.chance

    def __str__(self) -> str:
        interval = f"{self.right.low:.0%} to {self.right.high:.0%}"
        return f"{self.right.share:.0%} of {self.right.n} labels right (95% interval {interval}, chance {self.chance:.0%})"


def grade(asker: Asker, task: Task, rows: Sequence[Example]) -> Grade:
    """The grade of a judge on these rows. Answers are kept in the asker's journal."""
    prompts = [judge_prompt(task, row.text, context=row.context) for row in rows]
    answers = asker.judge_all(prompts, task.labels)
    answered = [(row, answer) for row, answer in zip(rows, answers, strict=True) if answer.best is not None]
    right = sum(answer.best == row.label for row, answer in answered)
    brier = None
    if answered:
        labels = np.array([task.labels.index(row.label) for row, _ in answered])
        probabilities = np.array(
            [[answer.probabilities[name] for name in task.labels] for _, answer in answered]
        )
        brier = round(float(brier_of(labels, probabilities, np.ones((1, len(labels))))[0]), 4)
    return Grade(len(answered), Rate.of(right, len(rows)), 1 / len(task.labels), brier)


def graded_rows(labels: Sequence[str], n: int = ROWS) -> list[int]:
    """The numbers of n rows spread over the dataset, as many of each label as possible, in order.

    >>> graded_rows(["a", "a", "a", "a", "b", "a"], 4)
    [0, 1, 3, 4]
    """
    of_label: dict[str, list[int]] = defaultdict(list)
    for row, label in enumerate(labels):
        of_label[label].append(row)
    chosen: list[int] = []
    for left, rows in enumerate(sorted(of_label.values(), key=len)):
        share = min(len(rows), (n - len(chosen)) // (len(of_label) - left))
        chosen += [rows[i * len(rows) // share] for i in range(share)]
    return sorted(chosen)
