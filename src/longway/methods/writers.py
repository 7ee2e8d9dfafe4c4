"""Who writes: rules, a language model, or a model where no rule applies.

    write = writer_of("rules,served:gpt-4o-mini", task, writing=...)
    write(requests)             a `Written` for each request, in order
    write.take(steps)           an answer for each step of CoBA, in order, or why there is none

Rules parse a text; every rule in `english/rules/` proposes edits, and up to three edits that do not overlap are combined. Texts that
remove the most words to avoid come first; the seed decides among equals. `Written.how` names the rules of each text
("negation.fail_to + words.synonym"), prefixed with "label:" if the text says something else with the same label. Rules refuse if they
are not sure, and texts that are not English or longer than `LONGEST` words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

from longway.engines.engine import NOT_ASKED, RULES, Sampling, Written
from longway.engines.prompt import (
    Prompt,
    counterfactual_prompt,
    outside_names,
    rewrite_prompt,
    without_prompt,
)
from longway.english.rules import all_rephrasings
from longway.english.rules.rule import Scene, choose, drafts
from longway.english.triples.triple import BadTriples
from longway.errors import BudgetSpent
from longway.methods.coba.rules import LabelChange, turned
from longway.methods.coba.steps import Split, Step
from longway.methods.loop import Refused, ask_structured
from longway.methods.method import RewriteRequest
from longway.methods.parsed_texts import SHARD, NoRule, parsed_texts, why_not_by_rules
from longway.shard_map import ShardMap, in_shards
from longway.task import Task

if TYPE_CHECKING:
    from longway.engines.asker import PaidWriting

A = TypeVar("A")
TOKENS = 512  # room for an answer about triples; more for long texts
AT_ONCE = 256  # requests to a model before the answers are used
NO_RULE = "no rule applies to this text"
NO_OTHER = "the rules find no other way to write this text"
NEEDS_A_MODEL = "the rules cannot do this: changing the topic or the tone of a text takes a language model"
_MAX_REPEATS = 16  # texts that are not new, after which the search ends


@dataclass(frozen=True, slots=True)
class RuleWriter:
    """Writes by rules. seed: decides among equally good texts. shard_map: computes in other processes."""

    task: Task
    seed: int = 0
    shard_map: ShardMap = map

    @property
    def name(self) -> str:
        """As in the option --engine."""
        return RULES

    def __call__(self, requests: Sequence[RewriteRequest]) -> Iterator[Written]:
        """What the rules write for each request, in order."""
        steps = (ByRules(one.text, one.context, one.sample, request=one) for one in requests)
        for answer in self._answers(steps):
            yield Written((), (answer.reason,)) if isinstance(answer, Refused) else answer

    def take(self, steps: Sequence[Step[A]]) -> Sequence[A | Refused]:
        """What the rules make of each step, in order."""
        return list(self._answers(steps))

    def _answers(self, steps: Iterable[Step[A]]) -> Iterator[A | Refused]:
        take = partial(take_by_rules, self.task, self.seed)
        return chain.from_iterable(self.shard_map(take, in_shards(steps, SHARD)))


def take_by_rules(task: Task, seed: int, steps: Sequence[Step[A]]) -> list[A | Refused]:
    """What the rules make of each step."""
    parsed_texts().add(text for step in steps for text in step.parsed(task))
    answers: list[A | Refused] = []
    for step in steps:
        try:
            if why_not := why_not_by_rules(task, step.text, *step.parsed(task)):
                raise NoRule(why_not)
            answers.append(step.by_rules(task, f"{seed}\0{seed}\0{step.variant}\0{step.text}"))
        except (NoRule, BadTriples) as why:
            answers.append(Refused(str(why)))
    return answers


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRules(Step[Written]):
    """A request as a step that rules take."""

    request: RewriteRequest

    def parsed(self, task: Task) -> list[str]:
        """As in `Step`."""
        return Split(self.text, self.context).parsed(task) if self.request.target else [self.text]

    def by_rules(self, task: Task, key: str) -> Written:
        """Up to n texts."""
        request = self.request
        if request.typical is not None:
            raise NoRule(NEEDS_A_MODEL)
        if request.target:
            change = LabelChange(task, request.label, request.target, request.context, key)
            texts = tuple(islice(_new(turned(change, request.text), request.text), request.n))
            return Written(texts, () if texts else (NO_OTHER,), ("rules.counterfactual",) * len(texts))
        avoid = frozenset(phrase.lower() for phrase in outside_names(request.avoid, request.text))
        stance = task.stances.get(request.label)
        scene = Scene(parsed_texts()(request.text), request.context, stance, avoid)
        chosen = choose(drafts(scene, all_rephrasings(scene), order=key), request.n)
        how = tuple(("label:" if one.keeps == "label" else "") + " + ".join(one.rules) for one in chosen)
        return Written(tuple(one.text for one in chosen), () if chosen else (NO_RULE,), how)


def _new(texts: Iterator[str], original: str) -> Iterator[str]:
    """Each text once, without the original; ends after too many repetitions."""
    seen, n_repeats = {original}, 0
    for text in texts:
        if text not in seen:
            seen.add(text)
            yield text
        elif (n_repeats := n_repeats + 1) > _MAX_REPEATS:
            return


class EngineWriter:
    """Lets a model write. repeats: whether it is shown the last text that was refused for a row, and why."""

    def __init__(
        self, writing: PaidWriting, task: Task, sampling: Sampling, *, repeats: bool = False
    ) -> None:
        self.writing, self.task, self.sampling, self.repeats = writing, task, sampling, repeats
        self.name: str = writing.asker.engine.name

    def __call__(self, requests: Sequence[RewriteRequest]) -> Iterator[Written]:
        """What was written for each request, in order; `BudgetSpent` after the answers that were paid for."""
        for part in in_shards(requests, AT_ONCE):
            prompts = [self._prompt(request) for request in part]
            samplings = [replace(self.sampling, sample=request.sample) for request in part]
            yield from self.writing(prompts, part[0].n, samplings)
            if self.writing.is_spent:
                raise BudgetSpent(NOT_ASKED)

    def take(self, steps: Sequence[Step[A]]) -> Sequence[A | Refused]:
        """The answer to each step, in order. Triples repeat subjects, so they need about twice the tokens of a text of so many characters."""
        prompts = [step.prompt(self.task) for step in steps]
        sizes = (max(TOKENS, len(step.text) + len(step.context or "")) for step in steps)
        samplings = [
            replace(self.sampling, max_tokens=size, sample=step.variant)
            for step, size in zip(steps, sizes, strict=True)
        ]
        return ask_structured(self.writing, prompts, samplings, [prompt.read for prompt in prompts])

    def _prompt(self, request: RewriteRequest) -> Prompt:
        task, text, label, context = self.task, request.text, request.label, request.context
        if request.target:
            return counterfactual_prompt(task, text, label=label, target=request.target, context=context)
        if request.typical is not None:
            words, typical = request.avoid, request.typical
            return without_prompt(task, text, label=label, context=context, words=words, typical=typical)
        refused = request.refused if self.repeats else None
        return rewrite_prompt(task, text, label=label, context=context, avoid=request.avoid, refused=refused)


class FirstWriter:
    """The rules, and a model for what they refuse."""

    def __init__(self, first: RuleWriter, second: EngineWriter) -> None:
        self.first, self.second = first, second
        self.name: str = f"{first.name},{second.name}"

    def __call__(self, requests: Sequence[RewriteRequest]) -> Iterator[Written]:
        """What either wrote for each request, in order."""
        for part in in_shards(requests, AT_ONCE):
            first = list(self.first(part))
            missing = [request for request, one in zip(part, first, strict=True) if not one.texts]
            second = iter(self.second(missing))
            for refused in first:
                if refused.texts:
                    yield refused
                    continue
                written = next(second)
                refusals = [f"{self.first.name}: {reason}" for reason in refused.refusals]
                refusals += [f"{self.second.name}: {reason}" for reason in written.refusals]
                how = tuple(done or self.second.name for done in written.how or ("",) * len(written.texts))
                yield replace(written, refusals=tuple(refusals), how=how)

    def take(self, steps: Sequence[Step[A]]) -> Sequence[A | Refused]:
        """The answer of either to each step, in order."""
        answers = list(self.first.take(steps))
        missing = [place for place, answer in enumerate(answers) if isinstance(answer, Refused)]
        again = self.second.take([steps[place] for place in missing]) if missing else ()
        for place, answer in zip(missing, again, strict=True):
            answers[place] = answer
        return answers


def writer_of(
    name: str,
    task: Task,
    *,
    writing: PaidWriting | None = None,
    sampling: Sampling | None = None,
    repeats: bool = False,
    shard_map: ShardMap | None = None,
) -> RuleWriter | EngineWriter | FirstWriter | None:
    """The writer of a name such as "rules,served:MODEL"; None for "none". writing: calls the model, if there is one."""
    sampling = sampling or Sampling()
    rules = RuleWriter(task, sampling.seed, shard_map or map)
    if writing is None:
        return rules if name == RULES else None
    model = EngineWriter(writing, task, sampling, repeats=repeats)
    return FirstWriter(rules, model) if name.startswith(f"{RULES},") else model
