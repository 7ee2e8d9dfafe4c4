"""What the local writer is given for each kind of prompt, and how its output is read.

    rewrite           paraphrase a sentence
    triples           list the triples of a sentence, on one line
    alter             change a triple to the other sentiment, or a triple of a pair to another relation, one step per triple
    realise           write triples as a sentence
    counterfactual    change a sentence to another label
    perturb           change one person in a sentence
    edit              put words into a sentence, shorten or lengthen it
    judge             choose a label (`label_words`, `judge_input`)

A prompt becomes one step or several; a step is an input in the lines the writer was trained on (`writer_lines.py`). Each draw
is read strictly: anything doubtful raises `Implausible` and is discarded. Whether the label holds is left to `verify`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from longway.classify.entailment import shortened, tidied
from longway.engines import prompt as prompts
from longway.engines.onnx_writer import Draw
from longway.engines.plausible import (
    content_of,
    in_form_of,
    invented_words,
    length_differs,
    plain,
    refusal,
    words_of,
)
from longway.engines.prompt import Prompt
from longway.engines.writer_lines import (
    BETWEEN_TRIPLES,
    CLOSE,
    LABELS,
    OPEN,
    alter_lines,
    edit_lines,
    judge_lines,
    person_lines,
    rewrite_lines,
    say_lines,
    triples_lines,
    turn_lines,
)
from longway.english.inflection import match_case
from longway.english.negation_words import COMMON_DENIALS, count_denials
from longway.english.triples.triple import BadTriples, Triple, numbered, parse
from longway.task import Task

LONGEST_TO_WRITE = 600  # characters, as in training
LONGEST_CONTEXT = 600
AVOID_NAMED = 3  # words to avoid in one input; training inputs had no more
PERSON_LONGER = 2  # words that a changed person may add or remove: "he's" and "they are"
MIN_COVERED = 0.7  # share of a sentence's words that its triples must have
MAX_ADDED = 3  # function words that a triple may add: a form of "be", an article, a pronoun
MIN_REALISED = 0.9  # share of the triples' words that a sentence made of them must have
PHRASE_LONGER = 2  # words by which a phrase may be longer than the one it replaces
MAX_STARTS = 12  # places at which words are put in
LEAST_LIKELY = (
    -3.0
)  # log-likelihood of a paraphrase's least likely token; below it, two of three read badly (notes/LOG.md)
MAX_INVENTED = 1  # content words that a shortened sentence may add
MAX_LONGER = 2.0  # times as long as the sentence or what was asked for
_PAIR_KINDS = ("rewrite", "counterfactual", "alter", "realise", "edit")
# Independent of the caller's order.
_LABEL_ORDER = ("positive", "negative", "entailment", "neutral", "contradiction")
_ARTICLES = frozenset({"a", "an", "the"})
# A subject or a predicate needs another word than these, and an object does not end in one.
_SMALL = _ARTICLES | frozenset(
    "of in on at to for by with from as and or but not although though while if because when than that which who so".split()
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


class UnsupportedPrompt(ValueError):  # noqa: N818 - describes the prompt
    """The writer was not trained for this prompt; the message says why."""


class Implausible(ValueError):  # noqa: N818 - describes the draw
    """A draw cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class WriterStep:
    """One input for the writer to continue.

    lines: the input. key: what the seed depends on. max_tokens: limit for the output. read: turns a draw into the wanted
    line, or raises Implausible. avoid: words and phrases that no line has. starts: what the lines begin with, in turn.
    least: the fewest words of a line.
    """

    lines: str
    key: str
    max_tokens: int
    read: Callable[[Draw], str]
    avoid: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()
    least: int = 0


def steps_for(prompt: Prompt) -> list[WriterStep]:
    """The steps that answer a prompt; raises UnsupportedPrompt if there are none."""
    if prompt.kind not in _STEPS:
        raise UnsupportedPrompt(f"the writer cannot do {prompt.template!r}; it does {', '.join(_STEPS)}")
    if len(prompt.text) > LONGEST_TO_WRITE:
        raise _too_long()
    if not prompt.text.strip():
        raise UnsupportedPrompt("there is no text to rewrite")
    if prompt.context is not None and prompt.kind not in _PAIR_KINDS:
        raise UnsupportedPrompt(f"the writer does {prompt.kind!r} for single texts only")
    return _STEPS[prompt.kind](prompt)


def without_invented_words(step: WriterStep, given: str, tokenizer: Any) -> WriterStep:
    """The step, refusing lines with a word that does not exist. given: the text and its context, whose words are accepted."""
    known = {word.lower() for word in re.findall(r"[^\W\d_]+", given)}

    def read(draw: Draw) -> str:
        line = step.read(draw)
        if invented := invented_words(line, known, tokenizer):
            raise Implausible(f"a word that does not exist: {invented[0]}")
        return line

    return replace(step, read=read)


def combine_lines(prompt: Prompt, parts: Sequence[Sequence[str]], n: int) -> list[str]:
    """Up to n answers made of the lines of each step; none if a step has no lines."""
    if not all(parts):
        return []
    most = max(map(len, parts))
    answers = [[lines[i % len(lines)] for lines in parts] for i in range(most)]
    if prompt.kind == "alter":
        return ["\n".join(f"{i}. {line}" for i, line in enumerate(lines, 1)) for lines in answers][:n]
    return [lines[0] for lines in answers][:n]


def label_words(task: Task, options: Sequence[str]) -> dict[str, str] | None:
    """The writer's word for each option; None if it was not trained on such labels.

    It was trained on the sentiment of single texts, and on pairs whose context entails, contradicts or is neutral to the text.
    """
    if task.is_pair:
        stances = (task.stances.get(option) for option in options)
        words = [LABELS.get(stance) if stance is not None else None for stance in stances]
    elif task.kind == "sentiment":
        words = [task.sides.get(option) for option in options]
    else:
        return None
    known = {option: word for option, word in zip(options, words, strict=True) if word is not None}
    return known if len(known) == len(options) == len(set(known.values())) else None


def judge_input(prompt: Prompt, names: Mapping[str, str]) -> tuple[str, list[str]]:
    """The input that asks for a label, and the label words in the order in which it lists them."""
    ordered = sorted(names.values(), key=_LABEL_ORDER.index)
    if prompt.task.is_pair:
        return judge_lines(tidied(prompt.text), ordered, context=_context_of(prompt) or ""), ordered
    return judge_lines(prompt.text, ordered), ordered


def _rewrite(prompt: Prompt) -> list[WriterStep]:
    words = set(words_of(prompt.text))
    avoid = [word for word in prompt.avoid if word.lower() in words][:AVOID_NAMED]
    lines = rewrite_lines(prompt.text, avoid=avoid)
    read = partial(read_rewritten, prompt.text)
    return [WriterStep(lines, prompt.text, _max_tokens(prompt.text), read, prompt.avoid)]


def _counterfactual(prompt: Prompt) -> list[WriterStep]:
    target, context = prompt.values["target"], _context_of(prompt)
    if context is None:
        lines = turn_lines(prompt.text, _sentiment_of(prompt.task, target))
    else:
        lines = turn_lines(tidied(prompt.text), _relation_of(prompt, target), context=context)
    read = partial(read_changed, prompt.text)
    return [WriterStep(lines, _key_of(prompt), _max_tokens(prompt.text), read)]


def _triples(prompt: Prompt) -> list[WriterStep]:
    text = plain(prompt.text)
    read = partial(read_triples, text)
    return [WriterStep(triples_lines(text), _key_of(prompt), len(text) // 2 + 40, read)]


def _alter(prompt: Prompt) -> list[WriterStep]:
    """One step per triple. A triple of a pair is changed as a sentence, since the writer learned relations from sentences."""
    context, target = _context_of(prompt), prompt.values["target"]
    if prompt.values.get("context_triples"):
        raise UnsupportedPrompt("the writer alters the triples of a text, not those of its context")
    keep = frozenset(word for phrase in prompt.values["keep"] for word in words_of(phrase))
    triples = [Triple(*parts) for parts in prompt.values["triples"]]
    steps = []
    if context is not None:
        to = _relation_of(prompt, target)
        for place, triple in enumerate(triples):
            said = tidied(triple.text)
            lines, read = turn_lines(said, to, context=context), partial(read_changed_triple, said, keep)
            steps.append(WriterStep(lines, f"{_key_of(prompt)}\0{place}", _max_tokens(said), read))
        return steps
    to = _sentiment_of(prompt.task, target)
    if any(triple.is_whole for triple in triples):
        raise UnsupportedPrompt("the writer alters triples, not a sentence that was not split into them")
    for place, triple in enumerate(triples):
        text, read = plain(str(triple)), partial(read_altered, triple, keep)
        steps.append(
            WriterStep(alter_lines(text, to), f"{_key_of(prompt)}\0{place}", _max_tokens(text), read)
        )
    return steps


def _realise(prompt: Prompt) -> list[WriterStep]:
    if prompt.values["context_triples"] is not None:
        raise UnsupportedPrompt("the writer realises the triples of one text, not of a pair")
    triples = [Triple(*parts) for parts in prompt.values["triples"]]
    said = ". ".join(triple.text for triple in triples)
    if len(said) > LONGEST_TO_WRITE:
        raise _too_long()
    keep = frozenset(word for phrase in prompt.values.get("keep", ()) for word in words_of(phrase))
    read = partial(read_realised, said, prompt.text, keep)
    return [WriterStep(say_lines(list(map(str, triples))), _key_of(prompt), _max_tokens(said), read)]


def _perturb(prompt: Prompt) -> list[WriterStep]:
    shown: Sequence[str] = prompt.values["shown"]
    if len(shown) > 1:
        raise UnsupportedPrompt("the writer changes a person in one line only")
    marked = shown[0].replace(prompts.OPEN, OPEN).replace(prompts.CLOSE, CLOSE)
    lines = person_lines(marked, prompt.values["target"].partition(" (")[0])
    read = partial(read_perturbed, prompt.text)
    return [WriterStep(lines, _key_of(prompt), _max_tokens(prompt.text), read)]


def _edit(prompt: Prompt) -> list[WriterStep]:
    """Words are put in at several places: a line begins with the text up to there, and the writer goes on."""
    wanted = {name: prompt.values[name] for name in ("include", "place", "least", "most")}
    lines = edit_lines(prompt.text, **wanted)
    read = partial(read_edited, prompt.text, **wanted)
    starts = starts_with(prompt.text, wanted["include"], wanted["place"])
    n_tokens = _max_tokens(prompt.text) + len(wanted["include"]) + 2 * (wanted["least"] or 0)
    return [WriterStep(lines, _key_of(prompt), n_tokens, read, starts=starts, least=wanted["least"] or 0)]


_STEPS: dict[str, Callable[[Prompt], list[WriterStep]]] = {
    "rewrite": _rewrite,
    "triples": _triples,
    "alter": _alter,
    "realise": _realise,
    "counterfactual": _counterfactual,
    "perturb": _perturb,
    "edit": _edit,
}


def _too_long() -> UnsupportedPrompt:
    return UnsupportedPrompt(f"longer than {LONGEST_TO_WRITE} characters: too long for the writer")


def _key_of(prompt: Prompt) -> str:
    """What the seed depends on. A prompt repeated after a rejected answer has another key, hence other draws."""
    return f"{prompt.template}\0{prompt.text}\0{prompt.values.get('wrong', '')}"


def _max_tokens(text: str) -> int:
    """A token has about four characters; a much longer output would be refused anyway."""
    return len(text) // 3 + 16


def _context_of(prompt: Prompt) -> str | None:
    """The context as in training: without treebank marks, and shortened to what concerns the text."""
    if prompt.context is None:
        return None
    return shortened(tidied(prompt.context), prompt.text)[:LONGEST_CONTEXT]


def _sentiment_of(task: Task, target: str) -> str:
    side = task.sides.get(target)
    if side is None:
        raise UnsupportedPrompt(f"the writer changes sentiment; it cannot aim at the label {target!r}")
    return side


def _relation_of(prompt: Prompt, target: str) -> str:
    stance = prompt.task.stances.get(target)
    if stance is None or stance not in LABELS:
        raise UnsupportedPrompt(
            f"the writer changes pairs to {', '.join(LABELS.values())}; it cannot aim at the label {target!r}"
        )
    return LABELS[stance]


def read_rewritten(text: str, draw: Draw) -> str:
    """The paraphrase, in the form of the text."""
    candidate = in_form_of(text, draw.text)
    _check_ended(draw)
    if draw.lowest < LEAST_LIKELY:
        raise Implausible("an unlikely word")
    if reason := refusal(text, candidate):
        raise Implausible(reason)
    return candidate


def read_triples(text: str, draw: Draw) -> str:
    """The triples of a text as numbered lines."""
    lines = [line.strip() for line in draw.text.split(BETWEEN_TRIPLES.strip())]
    triples = _parsed(draw, "\n".join(f"{i}. {line}" for i, line in enumerate(lines, 1)))
    before, after = words_of(text), words_of(". ".join(triple.text for triple in triples))
    _check_words(before, after, MIN_COVERED)
    added = [word for word in (Counter(after) - Counter(before)).elements() if not content_of([word])]
    if len(added) > MAX_ADDED * len(triples):
        raise Implausible("too many small words")
    old, each = content_of(before), [content_of(words_of(triple.text)) for triple in triples]
    if len(set(map(frozenset, each))) < len(each) or any(words - old for words in each):
        raise Implausible("repeats a statement")
    if not all(map(_is_statement, triples)):
        raise Implausible("no statement")
    return numbered(triples)


def read_altered(triple: Triple, keep: frozenset[str], draw: Draw) -> str:
    """A triple with the same subject and another statement. keep: words that must remain."""
    (altered,) = _parsed(draw, f"1. {draw.text}", n=1)
    if altered.subject.lower() != triple.subject.lower():
        raise Implausible("another subject")
    before, after = words_of(triple.text), words_of(altered.text)
    if content_of(before) == content_of(after):
        raise Implausible("copy")
    _check_kept(keep, before, after)
    _check_length(before, after)
    return str(Triple(triple.subject, altered.predicate, altered.object))


def read_changed_triple(said: str, keep: frozenset[str], draw: Draw) -> str:
    """A changed sentence, as a triple without parts. keep: words that must remain."""
    sentence = read_changed(said, draw)
    _check_kept(keep, words_of(said), words_of(sentence))
    return str(Triple.whole(sentence))


def read_realised(said: str, original: str, keep: frozenset[str], draw: Draw) -> str:
    """A text with the words of some triples (`said`), in the form of the original. keep: words that must remain."""
    candidate = _plain_text(draw, original)
    before, after = words_of(said), words_of(candidate)
    _check_words(before, after, MIN_REALISED)
    _check_kept(keep, before, after)
    _check_length(before, after)
    if content_of(after) - content_of(before):
        raise Implausible("repeats a statement")
    return candidate


def read_changed(text: str, draw: Draw) -> str:
    """The text with some words changed and most kept, in its form."""
    candidate = _plain_text(draw, text)
    before, after = words_of(text), words_of(candidate)
    old, new = content_of(before), content_of(after)
    if old == new:
        raise Implausible("copy")
    if not new - old:
        raise Implausible("only leaves words out")
    _check_shared(old, new, 0.5)
    _check_length(before, after)
    return candidate


def read_phrase(old: str, text: str, draw: Draw) -> str:
    """A few words that replace a phrase of the text, with the phrase's capitals."""
    phrase = in_form_of(text.rstrip(".!? "), draw.text.rstrip(". "))
    before, after = words_of(old), words_of(phrase)
    if not draw.ended or not after or not all(map(_WORD.fullmatch, phrase.split())):
        raise Implausible("not a few words")
    if len(after) > len(before) + PHRASE_LONGER:
        raise Implausible("length")
    if content_of(before) == content_of(after) or (len(after) == 1 and after[0] in words_of(text)):
        raise Implausible("copy")
    return match_case(phrase, old)


def read_perturbed(text: str, draw: Draw) -> str:
    """The text with a person changed, as a numbered line."""
    candidate = _plain_text(draw, text)
    before, after = words_of(text), words_of(candidate)
    if before == after:
        raise Implausible("copy")
    if abs(len(before) - len(after)) > PERSON_LONGER:
        raise Implausible("length")
    return f"1. {candidate}"


def read_edited(
    text: str, draw: Draw, *, include: str, place: str, least: int | None, most: int | None
) -> str:
    """The text with the words put in, or of the wanted length; most of what it says is still there."""
    candidate = _plain_text(draw, text)
    before, after, put_in = words_of(text), words_of(candidate), words_of(include)
    if before == after:
        raise Implausible("copy")
    if not _has_at(put_in, after, place):
        raise Implausible("the words to put in are missing")
    n_words = len(candidate.split())
    if n_words < (least or 0) or (most is not None and n_words > most):
        raise Implausible("not of the wanted length")
    if len(after) > MAX_LONGER * max(len(before) + len(put_in), least or 0):
        raise Implausible("length")
    old, new = content_of(before), content_of(after)
    if most is None:
        _check_shared(old, new, MIN_COVERED)
    elif len(set(new) - set(old)) > MAX_INVENTED:
        raise Implausible("words added")
    return candidate


def starts_with(text: str, include: str, place: str) -> tuple[str, ...]:
    """Beginnings of a text that end with the words to put in, each at another place; the first and the last word stay together.

    >>> starts_with("He sang all night.", "as far as I know", "")
    ('He as far as I know', 'He sang as far as I know', 'He sang all as far as I know')
    """
    if not include:
        return ()
    if place == "first":
        return (match_case(include, text.split()[0]),)
    words = text.split()
    if place == "last":
        return (f"{text.rstrip().rstrip('.!?')} {include}",)
    every = -(-(len(words) - 1) // MAX_STARTS) or 1
    return tuple(f"{' '.join(words[:k])} {include}" for k in range(1, len(words), every))


def _has_at(phrase: list[str], words: list[str], place: str) -> bool:
    """Whether words have a phrase: at the beginning, at the end, or anywhere."""
    n = len(phrase)
    if place == "first":
        return words[:n] == phrase
    if place == "last":
        return words[len(words) - n :] == phrase
    return any(words[k : k + n] == phrase for k in range(len(words) - n + 1))


def _check_ended(draw: Draw) -> None:
    if not draw.ended:
        raise Implausible("no end")


def _check_length(before: list[str], after: list[str]) -> None:
    if reason := length_differs(before, after):
        raise Implausible(reason)


def _check_shared(old: Counter[str], new: Counter[str], share: float) -> None:
    if sum((old & new).values()) < share * sum(old.values()):
        raise Implausible("little in common")


def _check_kept(keep: frozenset[str], before: Sequence[str], after: Sequence[str]) -> None:
    if keep & set(before) - set(after):
        raise Implausible("a word that must remain is missing")


def _check_words(before: list[str], after: list[str], share: float) -> None:
    """Refuses added content words, too many missing ones, and a negation added or lost."""
    old, new = content_of(before), content_of(after)
    if set(new) - set(old):
        raise Implausible("words added")
    if len(set(old) & set(new)) < share * len(old):
        raise Implausible("words missing")
    if count_denials(before, COMMON_DENIALS) % 2 != count_denials(after, COMMON_DENIALS) % 2:
        raise Implausible("negation changed")


def _is_statement(triple: Triple) -> bool:
    """Whether a triple can be a statement: it names a subject, has a predicate, and does not break off."""
    subject, predicate, last = (words_of(p) for p in (triple.subject, triple.predicate, triple.object))
    names_something = bool(set(subject) - _SMALL) and subject[0] not in _SMALL - _ARTICLES
    return names_something and bool(set(predicate) - _SMALL) and (not last or last[-1] not in _SMALL)


def _parsed(draw: Draw, answer: str, n: int | None = None) -> list[Triple]:
    _check_ended(draw)
    try:
        return parse(answer, n=n)
    except BadTriples as bad:
        raise Implausible(str(bad).partition(":")[0]) from None


def _plain_text(draw: Draw, original: str) -> str:
    """The draw in the form of the original; raises Implausible if it is not a text."""
    _check_ended(draw)
    if not words_of(draw.text) or re.search(r"[|<>]|^\w+:", draw.text) or BETWEEN_TRIPLES in draw.text:
        raise Implausible("not a plain text")
    return in_form_of(original, draw.text)
