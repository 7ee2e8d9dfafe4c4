"""Wrong candidates rewritten by an engine, so that they look like the right one, which is never changed.

    targets(question, scores)   the wrong candidates that a ranker takes for right most readily
    rewrite(questions, ...)     new texts, checked: still different, of the length asked for, same numbers and language; and a judge who
                                does not know which one is right must still choose it

A question is changed as a whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from longway.data.choices import Question
from longway.engines.engine import Judgement, Written
from longway.engines.prompt import Prompt, answer_prompt, candidate_prompt
from longway.methods.drafts import until_spent
from longway.records import Verdict
from longway.verify.content_checks import numbers
from longway.verify.languages import strange

TEXTS = 2  # versions of each candidate
MOST = 2  # candidates of a question that are rewritten
SHORTEST, LONGEST = 0.85, 1.3  # of the words of the right one: what is asked for
SLACK = 0.25  # of these words that a version may differ more
NOTHING = "the engine wrote nothing"
NO_ANSWER = "the judge gave no answer"


class Writes(Protocol):
    """What writes texts: an Asker."""

    def write_all(self, prompts: Sequence[Prompt], n: int) -> list[Written]:
        """Up to n texts per prompt, in order; may end with `BudgetSpent`."""


class Judges(Protocol):
    """What judges texts: an Asker."""

    def judge_all(self, prompts: Sequence[Prompt], options: Sequence[str]) -> list[Judgement]:
        """The probability of each option, per prompt, in order; may end with `BudgetSpent`."""


@dataclass(frozen=True, slots=True)
class RewrittenQuestion:
    """New texts of a question's candidates. reason: why they are not used; "" if they are."""

    question: Question
    texts: tuple[str, ...]
    verdicts: tuple[Verdict, ...] = ()
    reason: str = ""


def targets(question: Question, scores: Sequence[float]) -> list[int]:
    """The wrong candidates to rewrite: those that a ranker scores highest, at most two.

    >>> targets(Question("1", 0, "", ("a", "b", "c", "d"), 0), [9, 1, 3, 2])
    [2, 3]
    """
    wrong = [at for at in range(len(question.candidates)) if at != question.right]
    return sorted(sorted(wrong, key=lambda at: -scores[at])[:MOST])


def request(question: Question, at: int, *, is_pair: bool) -> Prompt:
    """The prompt for a candidate. is_pair: of a preferred and another answer."""
    right = question.candidates[question.right or 0]
    others = [text for i, text in enumerate(question.candidates) if i not in (at, question.right)]
    least, most = _bounds(right)
    return candidate_prompt(
        question.prompt, question.candidates[at], right, others, least=least, most=most, is_pair=is_pair
    )


def rewrite(
    questions: Sequence[Question],
    chosen: Sequence[Sequence[int]],
    writer: Writes,
    judge: Judges | None,
    *,
    is_pair: bool,
    seed: int,
    step: Callable[[str], object] = lambda name: None,
) -> tuple[list[RewrittenQuestion], bool]:
    """The questions with new texts for the chosen candidates, and whether the budget ended before all were done."""
    places = [(one, at) for one, mine in zip(questions, chosen, strict=True) for at in mine]
    step("rewriting candidates")
    written, is_spent = until_spent(
        lambda: writer.write_all([request(one, at, is_pair=is_pair) for one, at in places], TEXTS)
    )
    by_question: dict[int, list[tuple[int, Written]]] = {}
    for (one, at), texts in zip(places, written, strict=False):
        by_question.setdefault(one.row, []).append((at, texts))
    mine = [
        one
        for one, some in zip(questions, chosen, strict=True)
        if len(by_question.get(one.row, ())) == len(some)
    ]
    drafts = [_draft(one, by_question[one.row]) for one in mine]
    if judge is None:
        return drafts, is_spent
    step("judging candidates")
    judged, is_judging_spent = _judged(drafts, judge, is_pair=is_pair, seed=seed)
    return judged, is_spent or is_judging_spent


def _draft(question: Question, written: Sequence[tuple[int, Written]]) -> RewrittenQuestion:
    """The question with the first version of each candidate that passes the checks of its form."""
    texts = list(question.candidates)
    verdicts: list[Verdict] = []
    for at, answer in written:
        if not answer.texts:
            reason = next(iter(answer.refusals), NOTHING)
            return RewrittenQuestion(question, tuple(texts), tuple(verdicts), reason)
        tried = [
            (text.strip(), form_verdicts(question, tuple(texts), at, text.strip())) for text in answer.texts
        ]
        text, said = next((one for one in tried if all(verdict.passed for verdict in one[1])), tried[0])
        texts[at] = text
        verdicts += said
        if failed := next((verdict for verdict in said if not verdict.passed), None):
            return RewrittenQuestion(question, tuple(texts), tuple(verdicts), failed.reason)
    return RewrittenQuestion(question, tuple(texts), tuple(verdicts))


def form_verdicts(question: Question, texts: tuple[str, ...], at: int, new: str) -> list[Verdict]:
    """What rules say of a new text for a candidate: different, length, numbers, language."""
    right, old = question.candidates[question.right or 0], question.candidates[at]
    others = {_plain(text) for i, text in enumerate(texts) if i != at}
    least, most = _bounds(right)
    n = len(new.split())
    is_long = not least * (1 - SLACK) - 1 <= n <= most * (1 + SLACK) + 1
    faults = {
        "different": "the same as another candidate" if _plain(new) in others or not new else "",
        "length": f"{n} words instead of {least} to {most}" if is_long else "",
        "numbers": "other numbers" if numbers(new) != numbers(old) else "",
        "language": strange(old, new, question.prompt),
    }
    return [Verdict(name, not reason, reason=reason) for name, reason in faults.items()]


def _judged(
    drafts: Sequence[RewrittenQuestion], judge: Judges, *, is_pair: bool, seed: int
) -> tuple[list[RewrittenQuestion], bool]:
    """The drafts with the verdict of a judge, who sees the candidates in a random order."""
    result, is_spent = {one.question.row: one for one in drafts if one.reason}, False
    for size in sorted({len(one.texts) for one in drafts}):
        mine = [one for one in drafts if len(one.texts) == size and not one.reason]
        orders = [np.random.default_rng([seed, one.question.row]).permutation(size).tolist() for one in mine]
        prompts = [
            answer_prompt(one.question.prompt, [one.texts[i] for i in order], is_pair=is_pair)
            for one, order in zip(mine, orders, strict=True)
        ]
        options = [str(i + 1) for i in range(size)]
        answers, spent = until_spent(lambda prompts=prompts, options=options: judge.judge_all(prompts, options) if prompts else [])  # type: ignore[misc]  # fmt: skip
        is_spent |= spent
        for one, order, answer in zip(mine, orders, answers, strict=False):
            result[one.question.row] = _with_verdict(one, str(order.index(one.question.right) + 1), answer)
    return [result[one.question.row] for one in drafts if one.question.row in result], is_spent


def _with_verdict(draft: RewrittenQuestion, right: str, answer: Judgement) -> RewrittenQuestion:
    if answer.best is None:
        reason = answer.refusal or NO_ANSWER
        return replace(draft, reason=reason)
    score = answer.probabilities.get(right, 0.0)
    passed = answer.best == right and score > 0.5
    reason = "" if passed else "the judge does not choose the right one"
    return replace(draft, verdicts=(*draft.verdicts, Verdict("judge", passed, score, reason)), reason=reason)


def _bounds(right: str) -> tuple[int, int]:
    n = len(right.split())
    return max(1, round(SHORTEST * n)), max(2, round(LONGEST * n))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
