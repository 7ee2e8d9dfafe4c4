"""What the rules engine answers to questions about triples (CoBA): taking a text apart, changing statements, the way back.

    triples          numbered triples; a sentence the rules cannot take apart stays whole
    alter            the triples changed towards another label: sentiment, or what a context says about a text
    realise          a text that says what triples say, in their order
    counterfactual   a whole text changed towards another label

Everything else that is asked about triples needs a language model; the refusal says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from longway.llm.engine import Written
from longway.llm.prompt import Prompt
from longway.text.changes import Change, apply_changes
from longway.text.document import Document
from longway.triples.contradict import affirmations, contradictions, shortened
from longway.triples.extract import triples_of
from longway.triples.oppose import in_parts, oppose, opposed_text, sentence_of
from longway.triples.opposites import Side, choose
from longway.triples.realise import text_of
from longway.triples.triple import LONGEST, Triple, numbered

T = TypeVar("T")
Read = Callable[[str], Document]
Ways = list[list[Change]]
_SIDES: dict[str, Side] = {
    "positive": "positive", "pos": "positive", "very positive": "positive", "good": "positive",
    "negative": "negative", "neg": "negative", "very negative": "negative", "bad": "negative",
}  # fmt: skip
_NEED_A_MODEL = {
    "identify": "telling which words carry a label",
    "pick": "telling which triples carry what two texts are about",
    "translate": "translating",
    "fill": "filling in fitting words",
    "perturb": "changing a person by a prompt (the perturber by rules is asked without one)",
}
_TRIES = 4  # keys tried for each answer that is wanted


class CannotAnswer(Exception):  # noqa: N818 - no error of the program
    """The rules have no answer; the message says why."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what it takes to answer it. key: decides among answers that are equally good."""

    prompt: Prompt
    read: Read
    key: str

    @property
    def triples(self) -> list[Triple]:
        """The triples that the question is about."""
        return [Triple(*parts) for parts in self.prompt.values["triples"]]

    @property
    def target(self) -> str:
        """The label that is wanted."""
        return str(self.prompt.values["target"])

    @property
    def keep(self) -> tuple[str, ...]:
        """Words that must stay."""
        return tuple(self.prompt.values.get("keep") or ())


def kind_of(prompt: Prompt) -> str:
    """What a prompt asks for: the name of its template without the version."""
    return prompt.template.partition(".")[0]


def is_about_triples(prompt: Prompt) -> bool:
    """Whether this file answers a prompt."""
    return kind_of(prompt) in _ANSWERS or kind_of(prompt) in _NEED_A_MODEL


def texts_to_read(prompt: Prompt) -> list[str]:
    """The texts that must be analysed to answer, so that many can be analysed together."""
    kind = kind_of(prompt)
    if kind in _NEED_A_MODEL or kind == "realise":
        return []
    context = [] if prompt.context is None or not prompt.task.is_pair else [prompt.context]
    if kind == "alter":
        return [*(sentence_of(Triple(*parts)) for parts in prompt.values["triples"]), *context]
    return [prompt.text, *context]


def answer(prompt: Prompt, n: int, read: Read, *, key: str) -> Written:
    """Up to n different answers, or why there is none."""
    kind = kind_of(prompt)
    if kind in _NEED_A_MODEL:
        reason = f"the rules cannot do this: {_NEED_A_MODEL[kind]} takes a language model"
        return Written((), refusals=(reason,))
    try:
        found = list(islice(_different(_ANSWERS[kind](Asked(prompt, read, key)), prompt.text), n))
    except CannotAnswer as why:
        return Written((), refusals=(str(why),))
    if not found:
        return Written((), refusals=("the rules find no other way to put this text",))
    return Written(tuple(found), how=(f"rules.{kind}",) * len(found))


def _different(texts: Iterator[str], original: str) -> Iterator[str]:
    """Each text once, and never the original; gives up after many that are not new."""
    seen, old = {original}, 0
    for text in texts:
        if text not in seen:
            seen.add(text)
            yield text
        elif (old := old + 1) > _TRIES * 4:
            return


def _take_apart(asked: Asked) -> Iterator[str]:
    prompt = asked.prompt
    is_pair = prompt.task.is_pair and prompt.context is not None
    text = triples_of(asked.read(prompt.text), most=LONGEST // 2 if is_pair else LONGEST)
    if not text:
        raise CannotAnswer("the text has no words")
    if not is_pair:
        yield numbered(text)
        return
    context = triples_of(asked.read(prompt.context or ""), most=LONGEST // 2)
    if not context:
        raise CannotAnswer("the context has no words")
    yield numbered(context, part=1) + "\n" + numbered(text, part=2)


def _realise(asked: Asked) -> Iterator[str]:
    prompt = asked.prompt
    context = [Triple(*parts) for parts in prompt.values.get("context_triples") or ()]
    for join in (True, False):
        text = text_of(asked.triples, join=join, like=prompt.text)
        if context:
            text = f"context: {text_of(context, join=join)}\ntext: {text}"
        yield text


def _alter(asked: Asked) -> Iterator[str]:
    if asked.prompt.task.stances:
        yield from _altered_pair(asked)
        return
    side = _side(asked)
    for number in range(LONGEST):
        changed = [
            oppose(asked.read, triple, side, key=f"{asked.key}\0{number}\0{place}", keep=asked.keep) or triple
            for place, triple in enumerate(asked.triples)
        ]
        if changed == asked.triples:
            raise CannotAnswer(f"nothing in the principal triples speaks against the label {asked.target}")
        yield numbered(changed)


def _counterfactual(asked: Asked) -> Iterator[str]:
    prompt = asked.prompt
    document = asked.read(prompt.text)
    if not prompt.task.stances:
        side = _side(asked)
        for number in range(LONGEST):
            text, changes = opposed_text(document, side, key=f"{asked.key}\0{number}", keep=asked.keep)
            if not changes:
                raise CannotAnswer(f"nothing in this text speaks against the label {asked.target}")
            yield text
        return
    own, from_context = _ways(asked)
    for changes in _turned(own(document), asked.key):
        yield apply_changes(document.text, changes)
    for triple in from_context():
        yield text_of([triple], like=prompt.text)


def _side(asked: Asked) -> Side:
    """The side that a label stands for; no other labels have an opposite that rules know."""
    side = _SIDES.get(asked.target.strip().lower().replace("_", " "))
    if side is None or asked.prompt.task.kind != "sentiment":
        raise CannotAnswer(f"the rules know no opposite of the label {asked.prompt.label}")
    return side


def _altered_pair(asked: Asked) -> Iterator[str]:
    """The triples of a text that a context supports or refutes, for the other label."""
    own, from_context = _ways(asked)
    others = from_context()
    options = []
    for place, triple in enumerate(asked.triples):
        document = asked.read(sentence_of(triple))
        changed = [in_parts(triple, changes) for changes in _turned(own(document), f"{asked.key}\0{place}")]
        found = [*changed, *others[place:], *others[:place]]
        if not found:
            raise CannotAnswer(f"the rules cannot make this triple {asked.target}: {triple}")
        options.append(sorted(dict.fromkeys(found), key=lambda one: _n_missing(one, triple, asked.keep)))
    for number in range(max(map(len, options), default=0)):
        yield numbered([some[number % len(some)] for some in options])


def _ways(asked: Asked) -> tuple[Callable[[Document], Ways], Callable[[], list[Triple]]]:
    """How a statement itself can be changed for the wanted stance, and which statements of the context have it."""
    task, label = asked.prompt.task, asked.prompt.label
    wanted, now = task.stances.get(asked.target), task.stances.get(label or "")
    if wanted == "neutral":
        raise CannotAnswer("the rules cannot write a text that the context leaves open")
    if wanted is None:
        raise CannotAnswer(f"the rules know no opposite of the label {label}")
    if wanted == "entails":
        return (affirmations if now == "contradicts" else _none), lambda: _stated(asked)
    return (contradictions if now == "entails" else _none), lambda: _refuted(asked)


def _none(document: Document) -> Ways:
    return []


def _stated(asked: Asked) -> list[Triple]:
    """Statements of the context, which therefore are so."""
    if asked.prompt.context is None:
        return []
    triples = triples_of(asked.read(asked.prompt.context), most=LONGEST)
    plain = [triple for triple in triples if not triple.is_whole]
    ways = [(triple, shortened(asked.read(sentence_of(triple)))) for triple in plain]
    short = [in_parts(triple, changes) for triple, found in ways for changes in found]
    # Shorter ones first: a text that only repeats its context would be found by its words.
    return [*_turned(short, asked.key), *_turned(plain, asked.key)]


def _refuted(asked: Asked) -> list[Triple]:
    """Statements of the context made false."""
    found = []
    for triple in _stated(asked):
        ways = contradictions(asked.read(sentence_of(triple)), with_antonyms=False)
        found += [in_parts(triple, changes) for changes in ways[:1]]
    return found


def _turned(items: Sequence[T], key: str) -> list[T]:
    """The items, another one first for another key."""
    if not items:
        return []
    order = choose(tuple(map(str, range(len(items)))), key)
    return [items[int(place)] for place in order]


def _n_missing(new: Triple, old: Triple, keep: Sequence[str]) -> int:
    """How many of the words to keep, where the old triple had them, are gone."""
    wanted = {word.lower() for word in keep} & old.words
    return len(wanted - new.words)


_ANSWERS: dict[str, Callable[[Asked], Iterator[str]]] = {
    "triples": _take_apart,
    "alter": _alter,
    "realise": _realise,
    "counterfactual": _counterfactual,
}
