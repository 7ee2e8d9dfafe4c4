"""Long texts in passages: a text that is too long for one answer is rewritten passage by passage.

    text  ->  passage_spans  ->  PassagePlan: one prompt per passage to rewrite  ->  answers  ->  whole texts again

A passage is one or more whole sentences, about 120 words together. Only passages with words to avoid are rewritten; if there are no such
words, all are. The others stay word for word. Each prompt shows the text around its passage. `Asker.write_all` uses this, so that
every passage is a call of its own: stored, priced and resumed like any other.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from longway.engines.engine import Sampling, Usage, Written
from longway.engines.prompt import Prompt, shown_rewrites
from longway.engines.requests import tokens_for
from longway.languages.words import tokenizer_for
from longway.text.sentences import sentences_of
from longway.text.tokenizer import PLAIN, Tokenizer, token_spans

LONGEST_PASSAGE = 140  # about 120 words
SHOWN_AROUND = 350  # tokens before and after a passage that are shown
NO_PASSAGE = "no passage of the long text was rewritten"
Span = tuple[int, int]
# Sentences of scripts that need no space after a mark, and clauses.
_FULL_STOP = re.compile(r"[。！？｡؟۔।॥]+[\"'”’」』）)\]]*")
_CLAUSE = re.compile(r"[,;:–—]+(?!\d)|[，；：、،؛]+")  # not inside of 1,000 or 10:30


def passage_spans(text: str, *, longest: int = LONGEST_PASSAGE, tokenizer: Tokenizer = PLAIN) -> list[Span]:
    """The passages of a text, in order. Between them is nothing but white space and line breaks.

    A sentence of more than `longest` tokens is divided at commas, and at words if that is not enough.

    >>> text = "A fine film. It is long. I saw it twice."
    >>> [text[start:end] for start, end in passage_spans(text, longest=8)]
    ['A fine film. It is long.', 'I saw it twice.']
    """
    tokens = tokenizer.spans(text)
    starts = [start for _, start, _ in tokens]
    passages: list[Span] = []
    for start, end in _units(text, tokens, starts, longest):
        first = passages[-1][0] if passages else start
        if passages and bisect_left(starts, end) - bisect_left(starts, first) <= longest:
            passages[-1] = first, end
        else:
            passages.append((start, end))
    return passages


def put_together(text: str, passages: Sequence[Span], new: Mapping[int, str]) -> str:
    """The text with other passages. new: by number.

    >>> put_together("One. Two. Three.", [(0, 4), (5, 9), (10, 16)], {1: "2!"})
    'One. 2! Three.'
    """
    parts, place = [], 0
    for number, (start, end) in enumerate(passages):
        parts += [text[place:start], new.get(number, text[start:end])]
        place = end
    return "".join([*parts, text[place:]])


@dataclass(frozen=True, slots=True)
class PassagePlan:
    """How one row is requested. prompts: the calls. numbers: their passages; empty if the row is requested as a whole."""

    prompt: Prompt
    prompts: tuple[Prompt, ...]
    passages: tuple[Span, ...] = ()
    numbers: tuple[int, ...] = ()

    @classmethod
    def whole(cls, prompt: Prompt) -> PassagePlan:
        """One call for the whole text."""
        return cls(prompt, (prompt,))

    @classmethod
    def of(cls, prompt: Prompt) -> PassagePlan:
        """The passages of a rewrite; the whole text for other prompts, for the papers' zero-shot prompts, and if it cannot be divided."""
        passages = (
            passage_spans(prompt.text, tokenizer=tokenizer_for(prompt.task.spoken))
            if may_divide(prompt)
            else []
        )
        if len(passages) < 2:
            return cls.whole(prompt)
        words: dict[int, dict[str, None]] = {number: {} for number in range(len(passages))}
        for word, place in _evidence(prompt):
            for number in _touched(passages, place):
                words[number][word] = None
        numbers = tuple(number for number in words if words[number]) or tuple(words)
        prompts = tuple(_passage_prompt(prompt, passages[i], tuple(words[i])) for i in numbers)
        return cls(prompt, prompts, tuple(passages), numbers)

    def samplings(self, sampling: Sampling, n: int) -> list[Sampling]:
        """The sampling of each call; a passage needs less room than the text."""
        if not self.numbers:
            return [sampling]
        rooms = (min(sampling.max_tokens, tokens_for(prompt.text, n=n)) for prompt in self.prompts)
        return [replace(sampling, max_tokens=room) for room in rooms]

    def joined(self, answers: Sequence[Written | None]) -> Written | None:
        """Whole texts from the answers, each passage from its next text, or its last one; None if there is no answer at all.

        A passage without a text stays as it is.
        """
        if not self.numbers:
            return answers[0]
        given = [answer for answer in answers if answer is not None]
        if not given:
            return None
        refusals = tuple(dict.fromkeys(reason for answer in given for reason in answer.refusals))
        usage = sum((answer.usage for answer in given), Usage(cost=0.0))
        drafts = {
            number: list(zip_longest(answer.texts, answer.how, fillvalue=""))
            for number, answer in zip(self.numbers, answers, strict=True)
            if answer is not None and answer.texts
        }
        texts: dict[str, str] = {}  # with how they were written
        for k in range(max(map(len, drafts.values()), default=0)):
            chosen = {number: some[min(k, len(some) - 1)] for number, some in drafts.items()}
            new = {number: text for number, (text, _) in chosen.items()}
            whole = put_together(self.prompt.text, self.passages, new)
            texts.setdefault(whole, "+".join(dict.fromkeys(how for _, how in chosen.values() if how)))
        how = tuple(texts.values()) if any(texts.values()) else ()
        return Written(tuple(texts), refusals if texts else refusals or (NO_PASSAGE,), how, usage)


def may_divide(prompt: Prompt) -> bool:
    """Whether the text of a prompt may be rewritten passage by passage: the papers' prompts show whole texts."""
    return prompt.kind == "rewrite" and not prompt.task.is_zero_shot


def _passage_prompt(prompt: Prompt, span: Span, words: tuple[str, ...]) -> Prompt:
    """The prompt for one passage, which must keep its meaning. What was refused before was a whole text, and is not shown."""
    start, end = span
    values = {
        **prompt.values,
        "stance": None,
        "shown": shown_rewrites(prompt.task, None),
        "refused": None,
        "before": _last(prompt.text[:start]),
        "after": _first(prompt.text[end:]),
    }
    return replace(prompt, text=prompt.text[start:end], avoid=words, values=values)


def _evidence(prompt: Prompt) -> Iterator[tuple[str, Span]]:
    """Where the words to avoid occur in the text."""
    tokenizer = tokenizer_for(prompt.task.spoken)
    tokens = tokenizer.spans(prompt.text)
    words = [token for token, _, _ in tokens]
    for one in prompt.avoid:
        phrase = tokenizer.tokens(one)
        for at in range(len(words) - len(phrase) + 1 if phrase else 0):
            if words[at : at + len(phrase)] == phrase:
                yield one, (tokens[at][1], tokens[at + len(phrase) - 1][2])


def _touched(passages: Sequence[Span], place: Span) -> range:
    """The numbers of the passages that have a part of a place; a phrase may go over the end of a sentence."""
    first = bisect_right(passages, place[0], key=lambda span: span[1])
    return range(first, bisect_left(passages, place[1], key=lambda span: span[0]))


def _units(
    text: str, tokens: Sequence[tuple[str, int, int]], starts: Sequence[int], longest: int
) -> Iterator[Span]:
    """The smallest parts of which passages are made: sentences, and parts of those that are too long."""
    for sentence in _sentences(text):
        is_long = bisect_left(starts, sentence[1]) - bisect_left(starts, sentence[0]) > longest
        for start, end in _divided(text, sentence, _CLAUSE) if is_long else [sentence]:
            inside = tokens[bisect_left(starts, start) : bisect_left(starts, end)]
            firsts = range(longest, len(inside), longest)
            yield from zip(
                [start, *(inside[i][1] for i in firsts)],
                [*(inside[i - 1][2] for i in firsts), end],
                strict=True,
            )


def _sentences(text: str) -> Iterator[Span]:
    place = 0
    for sentence in sentences_of(text):
        start = text.index(sentence, place)
        place = start + len(sentence)
        yield from _divided(text, (start, place), _FULL_STOP)


def _divided(text: str, span: Span, mark: re.Pattern[str]) -> Iterator[Span]:
    """The parts of a span, each up to and including a mark, without white space at their ends."""
    place = span[0]
    ends = [match.end() for match in mark.finditer(text, *span)]
    for end in (*ends, span[1]):
        part = text[place:end]
        if part.strip():
            start = place + len(part) - len(part.lstrip())
            yield start, place + len(part.rstrip())
        place = end


def _last(text: str) -> str:
    """The end of a text, as much as is shown."""
    tokens = token_spans(text)
    return text.strip() if len(tokens) <= SHOWN_AROUND else "… " + text[tokens[-SHOWN_AROUND][1] :].strip()


def _first(text: str) -> str:
    """The beginning of a text, as much as is shown."""
    tokens = token_spans(text)
    return text.strip() if len(tokens) <= SHOWN_AROUND else text[: tokens[SHOWN_AROUND - 1][2]].strip() + " …"
