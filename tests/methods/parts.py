"""Small real parts for the loop: rows, a writer that answers from a function, a verifier that asks a function."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from longway.engines.engine import Sampling, Written
from longway.errors import BudgetSpent
from longway.methods.method import Rows
from longway.methods.writers import EngineWriter
from longway.records import Verdict
from longway.task import task_of


def rows_of(texts, labels, contexts=None, names=None):
    names = names or [f"label {n}" for n in range(max(labels) + 1)]
    task = task_of(names, text_name="claim", context_name=None if contexts is None else "evidence")
    ids = [f"r{i}" for i in range(len(texts))]
    return Rows(ids, list(texts), np.array(labels, dtype=np.int64), names, task, contexts)


def texts_after(rows, rounds):
    """The texts of the rows once the accepted edits of the rounds are applied; the rows themselves must not have changed."""
    texts = dict(zip(rows.ids, rows.texts, strict=True))
    for edit in (edit for round_ in rounds for edit in round_.edits if edit.accepted and not edit.source):
        assert texts[edit.id] == edit.before
        texts[edit.id] = edit.after
    return list(texts.values())


class Calls:
    """Calls a function in place of a model."""

    def __init__(self, ask, name):
        self.ask, self.is_spent = ask, False
        self.asker = SimpleNamespace(engine=SimpleNamespace(name=name))

    def __call__(self, prompts, n, samplings):
        return self.ask(prompts, n, samplings)


def model(ask, task, *, name="fixed", sampling=None, **more):
    """A writer whose model is a function of prompts, n and samplings."""
    return EngineWriter(Calls(ask, name), task, sampling or Sampling(), **more)


class Writer:
    """Answers with `texts_for(text, sample)`, at most `budget` times."""

    name = "script"

    def __init__(self, texts_for, budget=None):
        self.texts_for, self.budget, self.asked = texts_for, budget, []

    def __call__(self, asked):
        for one in asked:
            if self.budget is not None and len(self.asked) >= self.budget:
                raise BudgetSpent("The budget is spent.")
            self.asked.append(one)
            texts = self.texts_for(one.text, one.sample)
            yield Written(tuple(texts), refusals=() if texts else ("nothing to say",))


class Verifier:
    """Passes what `passes(before, after)` says; keeps what it saw."""

    def __init__(self, passes=lambda before, after: True, budget=None):
        self.passes, self.budget, self.seen = passes, budget, []

    def __call__(self, candidates):
        for candidate in candidates:
            if self.budget is not None and len(self.seen) >= self.budget:
                raise BudgetSpent("The budget is spent.")
            self.seen.append(candidate)
            passed = self.passes(candidate.before, candidate.after)
            yield (Verdict("judge", passed, 1.0, "" if passed else "the label is lost"),)
