"""The steps of CoBA that write: a text becomes triples, triples become other triples, triples become a text.

Each step can be taken by a language model (`prompt`, which also reads the answer) or by rules (`by_rules`); `methods/writers.py` has who
takes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from longway.engines.answers import checked_pair, checked_text
from longway.engines.prompt import Prompt, alter_prompt, pick_prompt, realise_prompt, triples_prompt
from longway.english.triples.extract import triples_of
from longway.english.triples.triple import (
    MAX_TRIPLES,
    numbered,
    parse,
    sentence_of,
    text_of,
)
from longway.methods.coba.rules import LabelChange, Triples, altered
from longway.methods.loop import Refused
from longway.methods.parsed_texts import NoRule, parsed_texts
from longway.task import Task

Pair = tuple[Triples, Triples]  # of a context, and of its text; of a source, and of its target
NewText = tuple[str | None, str]  # the context, if it is new as well
Positions = tuple[Sequence[int], Sequence[int]]
A = TypeVar("A", covariant=True)


@dataclass(frozen=True, slots=True)
class Step(Generic[A]):
    """One step about one text. variant: number of the draw."""

    text: str
    context: str | None = None
    variant: int = 0

    def prompt(self, task: Task) -> Prompt:
        """What a language model is asked for."""
        raise NotImplementedError

    def parsed(self, task: Task) -> list[str]:
        """The texts that the rules must parse."""
        return []

    def by_rules(self, task: Task, key: str) -> A:
        """What the rules make of it; raises NoRule or BadTriples if they cannot. key: decides among equally good answers."""
        raise NotImplementedError


class TripleWriter(Protocol):
    """Takes steps."""

    @property
    def name(self) -> str:
        """As in the option --engine."""

    def take(self, steps: Sequence[Step[A]]) -> Sequence[A | Refused]:
        """An answer per step, in order, or why there is none."""


@dataclass(frozen=True, slots=True)
class Split(Step[Pair]):
    """Section 3.3.1: the triples of the context, empty without one, and of the text."""

    def prompt(self, task: Task) -> Prompt:
        """As in `Step`."""
        return triples_prompt(task, self.text, context=self.context)

    def parsed(self, task: Task) -> list[str]:
        """As in `Step`."""
        return [self.text, self.context] if task.is_pair and self.context is not None else [self.text]

    def by_rules(self, task: Task, key: str) -> Pair:
        """A sentence that the rules cannot split stays whole."""
        texts = self.parsed(task)
        sides = [triples_of(parsed_texts()(text), most=MAX_TRIPLES // len(texts)) for text in texts]
        for name, triples in zip(("text", "context"), sides, strict=False):
            if not triples:
                raise NoRule(f"the {name} has no words")
        text, *context = (parse(numbered(triples), may_be_whole=True) for triples in sides)
        return (context[0] if context else []), text


@dataclass(frozen=True, slots=True, kw_only=True)
class Alteration(Step[Triples]):
    """Section 3.3.2: triples changed for another label, those of the context first.

    context_triples: those of the context, if it may change as well. keep: words of the triples that must remain.
    """

    label: str
    target: str
    triples: Triples
    context_triples: Triples
    keep: Sequence[str]

    def prompt(self, task: Task) -> Prompt:
        """As in `Step`."""
        return alter_prompt(
            task,
            self.triples,
            label=self.label,
            target=self.target,
            keep=self.keep,
            text=self.text,
            context=self.context,
            context_triples=self.context_triples,
        )

    def parsed(self, task: Task) -> list[str]:
        """As in `Step`."""
        context = [self.context] if task.is_pair and self.context is not None else []
        return [*map(sentence_of, self.triples), *context]

    def by_rules(self, task: Task, key: str) -> Triples:
        """As in `Step`."""
        if self.context_triples and not self.triples:
            raise NoRule("the rules change the text of a pair, not its context")
        change = LabelChange(task, self.label, self.target, self.context, key, self.keep)
        new = [*self.context_triples, *altered(change, self.triples)]
        return parse(numbered(new), n=len(self.context_triples) + len(self.triples), may_be_whole=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Realisation(Step[NewText]):
    """Section 3.3.3: a text made of triples. text: their source.

    label: of the new text. context_triples: None if the context stays. keep, context_keep: words that the text and its context must have.
    """

    triples: Triples
    label: str | None = None
    context_triples: Triples | None = None
    keep: Sequence[str] = ()
    context_keep: Sequence[str] = ()

    def prompt(self, task: Task) -> Prompt:
        """As in `Step`."""
        return realise_prompt(
            task,
            self.triples,
            label=self.label,
            text=self.text,
            keep=self.keep,
            context_triples=self.context_triples,
            context_keep=self.context_keep,
        )

    def by_rules(self, task: Task, key: str) -> NewText:
        """Neighbours with the same subject become one sentence, unless that is the source. No word of the triples is lost."""
        for join in (True, False):
            text = text_of(self.triples, join=join, like=self.text)
            if self.context_triples is not None:
                return checked_pair(text_of(self.context_triples, join=join), text)
            if text != self.text:
                return None, checked_text(text)
        raise NoRule("the rules find no other way to write this text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick(Step[Positions]):
    """Section 4.5: the positions of the triples on each side that carry what the pair is about."""

    pair: Pair

    def prompt(self, task: Task) -> Prompt:
        """As in `Step`."""
        return pick_prompt(*self.pair)

    def by_rules(self, task: Task, key: str) -> Positions:
        """Always a refusal."""
        raise NoRule(
            "the rules cannot do this: finding the triples that two texts are about takes a language model"
        )
