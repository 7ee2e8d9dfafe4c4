"""RAZOR's Eq. 13: a judge that sees neither the label nor the original must give the new text the label it should have."""

from __future__ import annotations

from collections.abc import Sequence

from longway.llm.asking import Asker
from longway.llm.engine import Judged
from longway.llm.prompt import judge_prompt
from longway.records import Verdict
from longway.task import Task
from longway.verify.check import Candidate


class Judge:
    """The check by an engine that judges. least: what the label's probability must reach besides being the highest."""

    name = "judge"

    def __init__(self, task: Task, asker: Asker, *, least: float = 0.0) -> None:
        self.task, self.asker, self.least = task, asker, least

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict for each; score: the label's probability."""
        prompts = [
            judge_prompt(self.task, c.after, context=c.context, original=c.origin_now.text)
            for c in candidates
        ]
        answers = self.asker.judge_all(prompts, self.task.labels)
        return [self._verdict(c.label, judged) for c, judged in zip(candidates, answers, strict=True)]

    def _verdict(self, label: str, judged: Judged) -> Verdict:
        if judged.best is None:
            return Verdict(self.name, False, None, f"no answer from the judge: {judged.refusal}".rstrip(": "))
        own = float(judged.probabilities.get(label, 0.0))
        if judged.best != label:
            return Verdict(self.name, False, own, f"judged {judged.best}")
        if own < self.least:
            return Verdict(self.name, False, own, f"judged {label}, but only {own:.2f} likely")
        return Verdict(self.name, True, own)
