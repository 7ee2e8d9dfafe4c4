"""Candidates rewritten by an engine, so that the right one does not stand out: wrong ones to look like it, or a long better answer shortened.

    targets(question, scores)   the candidates to rewrite: wrong ones that a ranker takes for right most readily; of a pair, the better answer if it is much longer
    rewrite(questions, ...)     new texts, checked

Options take the first letter and the full stop of the right one. Rules check that a text is new, has nothing of the engine's prompt, does not repeat the question, has the
length that was asked for, the form of the right one, and the numbers and the language of the old one. The entailment model checks
that a wrong option of one sentence still says what it said, and not the same as the right one, and that the sentences of a shortened answer
follow from the long one on average and none contradicts it. Nothing but the judge checks longer wrong answers. Then a judge who
does not know which one is right must still choose it. Where one of two candidates fails, the other is still changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from longway.data.choices import Question
from longway.detect.choices.cues import CUES, words_of
from longway.engines.asker import Asker
from longway.engines.engine import Judgement, Written
from longway.engines.prompt import Prompt, answer_prompt, candidate_prompt, shorten_prompt
from longway.language_names import ENGLISH
from longway.languages.row_languages import foreign_language, function_words
from longway.methods.loop import until_spent
from longway.models.entailment import Entailment
from longway.records import Verdict
from longway.text.tokenizer import is_word, tokenize
from longway.verify.content_checks import numbers
from longway.verify.form_checks import leaked
from longway.verify.languages import language_fault

TEXTS = 2  # versions of each candidate
MOST = 2  # candidates of a question that are rewritten
SHORTEST, LONGEST = 0.85, 1.3  # of the words of the right one: what is asked for
SLACK = 0.25  # of these words that a version may differ more
MUCH_LONGER = 1.3  # times as many words as the other answer of a pair: the better one is shortened
LEAST_LEFT = 0.4  # of the words of an answer that is shortened
ROOT = 5  # letters of a word that are compared
ABOUT = frozenset("wrong incorrect correct answer answers option options question".split())
STEM = 3  # words at the beginning of a question that an option does not repeat
SENTENCE = 4  # words from which the entailment model can read an option
SAME = 0.5  # probability of entailment, both ways, from which two texts say the same
KEPT = 0.5  # probability that a new option entails the old one, below which it is refused
FOUNDED = 0.5  # mean probability that the long answer entails a sentence of the short one: 0.7 for its own sentences, 0.4 for another answer's
DENIED = (
    0.5  # probability that the long answer contradicts a sentence of the short one, above which it is refused
)
NOTHING = "the engine wrote nothing"
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
NO_ANSWER = "the judge gave no answer"


@dataclass(frozen=True, slots=True)
class RewrittenQuestion:
    """New texts of a question's candidates. reason: why they are not used; "" if they are."""

    question: Question
    texts: tuple[str, ...]
    verdicts: tuple[Verdict, ...] = ()
    reason: str = ""


def targets(question: Question, scores: Sequence[float], *, is_pair: bool = False) -> list[int]:
    """The candidates to rewrite: the wrong ones that a ranker scores highest, at most two; of a pair, the better one if it is much longer.

    >>> targets(Question("1", 0, "", ("a", "b", "c", "d"), 0), [9, 1, 3, 2])
    [2, 3]
    >>> targets(Question("1", 0, "", ("a b c d e f", "x y z"), 0), [9, 1], is_pair=True)
    [0]
    """
    right = question.right or 0
    wrong = [at for at in range(len(question.candidates)) if at != right]
    n = [len(text.split()) for text in question.candidates]
    if is_pair and n[right] > MUCH_LONGER * max(n[at] for at in wrong):
        return [right]
    return sorted(sorted(wrong, key=lambda at: -scores[at])[:MOST])


def request(question: Question, at: int, *, is_pair: bool) -> Prompt:
    """The prompt for a candidate. is_pair: of a preferred and another answer."""
    least, most = _bounds(question, at)
    text = question.candidates[at]
    if at == question.right:
        return shorten_prompt(question.prompt, text, least=least, most=most)
    right = question.candidates[question.right or 0]
    others = [text for i, text in enumerate(question.candidates) if i not in (at, question.right)]
    return candidate_prompt(question.prompt, text, right, others, least=least, most=most, is_pair=is_pair)


def rewrite(
    questions: Sequence[Question],
    chosen: Sequence[Sequence[int]],
    writer: Asker,
    judge: Asker | None,
    *,
    is_pair: bool,
    seed: int,
    entailment: Entailment | None = None,
    step: Callable[[str], object] = lambda name: None,
) -> tuple[list[RewrittenQuestion], bool]:
    """The questions with new texts for the chosen candidates, and whether the budget ended before all were done.

    entailment: None to leave out its check.
    """
    places = [(one, at) for one, mine in zip(questions, chosen, strict=True) for at in mine]
    step("rewriting candidates")
    written, is_spent = until_spent(
        lambda: writer.write_all([request(one, at, is_pair=is_pair) for one, at in places], TEXTS)
    )
    by_question: dict[str, list[tuple[int, Written]]] = {}
    for (one, at), texts in zip(places, written, strict=False):
        by_question.setdefault(one.id, []).append((at, texts))
    mine = [
        one
        for one, some in zip(questions, chosen, strict=True)
        if len(by_question.get(one.id, ())) == len(some)
    ]
    drafts = [_draft(one, by_question[one.id], entailment) for one in mine]
    if judge is None:
        return drafts, is_spent
    step("judging candidates")
    judged, is_judging_spent = _judged(drafts, judge, is_pair=is_pair, seed=seed)
    return judged, is_spent or is_judging_spent


def _draft(
    question: Question, written: Sequence[tuple[int, Written]], entailment: Entailment | None
) -> RewrittenQuestion:
    """The question with the first version of each candidate that passes the checks; refused if none of them does."""
    texts, verdicts = list(question.candidates), list[Verdict]()
    refused: list[RewrittenQuestion] = []
    for at, answer in written:
        version, said, reason = question.candidates[at], list[Verdict](), next(iter(answer.refusals), NOTHING)
        for number, text in enumerate(answer.texts):
            new = in_form(question, at, text)
            found = form_verdicts(question, tuple(texts), at, new)
            if entailment is not None and all(one.passed for one in found):
                found += meaning_verdicts(question, at, new, entailment)
            why = next((one.reason for one in found if not one.passed), "")
            if number == 0 or not why:  # of versions that fail, the first one is shown
                version, said, reason = new, found, why
            if not why:
                break
        if reason:
            new_texts = (*question.candidates[:at], version, *question.candidates[at + 1 :])
            refused.append(RewrittenQuestion(question, new_texts, tuple(said), reason))
        else:
            texts[at] = version
            verdicts += said
    is_changed = tuple(texts) != question.candidates
    return RewrittenQuestion(question, tuple(texts), tuple(verdicts)) if is_changed else refused[0]


def form_verdicts(question: Question, texts: tuple[str, ...], at: int, new: str) -> list[Verdict]:
    """What rules say of a new text for a candidate: different, prompt text, question, form, length, words, negation, numbers, language."""
    old, right = question.candidates[at], question.candidates[question.right or 0]
    is_right, prompt = at == question.right, question.prompt
    others = {_plain(text) for i, text in enumerate(texts) if i != at}
    least, most = _bounds(question, at)
    n = len(new.split())
    is_other_length = not least * (1 - SLACK) - 1 <= n <= most * (1 + SLACK) + 1
    known = f"{right} {old} {prompt}"
    about = sorted(ABOUT & set(words_of(new)) - set(words_of(known)))
    starts = [_plain(" ".join(text.split()[:STEM])) for text in (prompt, new, right)]
    repeats = len(prompt.split()) >= STEM and starts[0] == starts[1] != starts[2]
    denied, denies = CUES["negation"].measure(prompt, [old, new])
    kept, had = numbers(new), numbers(old)
    has_other_numbers = not kept <= had if is_right else kept != had
    forms = [
        (text[:1].isupper(), text[-1:] if text.endswith((".", "?", "!")) else "")
        for text in (new, old.strip(), right.strip())
    ]  # begins with a capital letter or without, and ends with a mark or without
    has_form = is_right or all(mine in those for mine, *those in zip(*forms, strict=True))
    same = "the same as another candidate" if _plain(new) in others or not new else ""
    faults = {
        "different": same or ("the same as before" if _plain(new) == _plain(old) else ""),
        "prompt text": leaked(known, new) or (f"prompt text: {about[0]!r}" if about else ""),
        "question": "repeats the question" if repeats else "",
        "form": "" if has_form else "not in the form of the right one",
        "length": f"{n} words instead of {least} to {most}" if is_other_length else "",
        "words": "" if is_right or keeps_words(old, new) else "does not have the words of the old one",
        "negation": "another negation" if bool(denied) != bool(denies) and not is_right else "",
        "numbers": "other numbers" if has_other_numbers else "",
        "language": language_fault(old, new, foreign_language(f"{prompt} {old}"), prompt),
    }
    return [Verdict(name, not reason, reason=reason) for name, reason in faults.items()]


def in_form(question: Question, at: int, new: str) -> str:
    """A new text for a wrong option of one line with the first letter and the full stop of the right one, where that is safe.

    >>> question = Question("1", 0, "Ice floats on", ("the water around it", "the air"), 0)
    >>> in_form(question, 1, "The air around it.")
    'the air around it'
    """
    new, right = new.strip(), question.candidates[question.right or 0].strip()
    if at == question.right or any("\n" in text for text in (new, right)):
        return new
    first = new.split(" ", 1)[0]
    known = " ".join((question.prompt, *question.candidates)).split()
    if right[:1].islower() and first.istitle() and first.lower() in known:
        new = new[:1].lower() + new[1:]
    elif right[:1].isupper() and first.islower():
        new = new[:1].upper() + new[1:]
    if new.endswith(".") and right[-1:].isalnum() and not SENTENCE_END.search(new):
        return new[:-1]
    return f"{new}." if right.endswith(".") and new[-1:].isalpha() else new


def meaning_verdicts(question: Question, at: int, new: str, entailment: Entailment) -> list[Verdict]:
    """What the entailment model says of a new text; nothing where it cannot read it: options of a few words, other answers of pairs."""
    right = question.candidates[question.right or 0]
    if at == question.right:
        parts = [part for part in SENTENCE_END.split(new) if len(part.split()) >= SENTENCE]
        if not parts:
            return []
        likely = entailment.probabilities([(right, part) for part in parts])
        founded = float(likely[:, 0].mean())
        is_denied = bool((likely[:, 1] > DENIED).any())
        reason = "" if founded >= FOUNDED and not is_denied else "says something else than the long answer"
        return [Verdict("entailment", not reason, founded, reason)]
    if min(len(right.split()), len(new.split())) < SENTENCE or len(SENTENCE_END.split(new.strip())) > 1:
        return []
    old = question.candidates[at]
    to_new, to_right, to_old = entailment.probabilities([(right, new), (new, right), (new, old)])[:, 0]
    same = float(min(to_new, to_right))
    reason = "" if same < SAME else "says the same as the right one"
    verdicts = [Verdict("entailment", not reason, 1 - same, reason)]
    if len(old.split()) >= SENTENCE:
        reason = "" if to_old >= KEPT else "does not say what it said before"
        verdicts.append(Verdict("claim", not reason, float(to_old), reason))
    return verdicts


def _judged(
    drafts: Sequence[RewrittenQuestion], judge: Asker, *, is_pair: bool, seed: int
) -> tuple[list[RewrittenQuestion], bool]:
    """The drafts with the verdict of a judge, who sees the candidates in a random order."""
    result, is_spent = {one.question.id: one for one in drafts if one.reason}, False
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
            result[one.question.id] = _with_verdict(one, str(order.index(one.question.right) + 1), answer)
    return [result[one.question.id] for one in drafts if one.question.id in result], is_spent


def _with_verdict(draft: RewrittenQuestion, right: str, answer: Judgement) -> RewrittenQuestion:
    if answer.best is None:
        return replace(draft, reason=answer.refusal or NO_ANSWER)
    score = answer.probabilities.get(right, 0.0)
    passed = answer.best == right and score > 0.5
    reason = "" if passed else "the judge does not choose the right one"
    return replace(draft, verdicts=(*draft.verdicts, Verdict("judge", passed, score, reason)), reason=reason)


def _bounds(question: Question, at: int) -> tuple[int, int]:
    """The fewest and the most words of a new text: about as many as the right one; if that one is shortened, as the other."""
    counts = [len(text.split()) for text in question.candidates]
    n = float(counts[question.right or 0])
    if at == question.right:
        n = max(LEAST_LEFT * n, *(other for i, other in enumerate(counts) if i != at))
    return max(1, round(SHORTEST * n)), max(2, round(LONGEST * n))


def keeps_words(old: str, new: str) -> bool:
    """Whether a text has the words of the old one that say something: all of a short one, more than half of a longer one.

    Nothing else shows whether an option of a few words still says the same. Endings may differ.

    >>> keeps_words("a balloon", "a large balloon"), keeps_words("a balloon", "a fallen tree"), keeps_words("海", "広い海に住む")
    (True, False, True)
    """
    words, new_words = ([token for token in tokenize(text.lower()) if is_word(token)] for text in (old, new))
    frequent = function_words(foreign_language(old) or ENGLISH)
    had = {word[:ROOT] for word in words if word not in frequent} or {word[:ROOT] for word in words}
    kept = had & {word[:ROOT] for word in new_words}
    return kept == had if len(words) < SENTENCE else len(kept) > len(had) / 2


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
