"""Who perturbs: the rules, a network, or an engine that is asked; and what they said, kept for the next start of a run.

    who = who_perturbs(settings, engines)          the engine by name, before anything is loaded
    calls_of(who.engine, perturbing)               what its calls may take
    who.asker(perturbing, journal)                 asks the engine, within the budget
    who.perturber(journal, read=...)               what changes texts

Rules are quick and need no journal. A network's answers are kept in it, as those of engines are: the same command goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from longway.engines.asker import Asker
from longway.engines.engine import Engine
from longway.engines.paid import PaidWriting
from longway.engines.prompt import Prompt
from longway.english.document import Document
from longway.jobs.engine_use import Engines, check_can_write, close, engines_of, estimate_calls, sampled
from longway.jobs.estimate import CallsEstimate
from longway.jobs.perturb.perturbing import Perturbing
from longway.jobs.perturb.settings import RULES, PerturbSettings
from longway.methods.perturb.asked import prompt_of, sampling_of
from longway.methods.perturb.guards import label_warning
from longway.methods.perturb.perturber import Perturbed, Perturber, Request
from longway.methods.perturb.rule_perturber import RulePerturber
from longway.store.journal import Journal, JournalEntry, key_of

AT_ONCE = 32  # answers of a network that are computed before they are put on disk; a whole batch where that is larger


@dataclass(frozen=True, slots=True)
class Who:
    """Who perturbs.

    settings: with the engine by name. engine: the one that is asked; None for rules and networks. fingerprint: of a network's files.
    device, batch_size: of a network.
    """

    settings: PerturbSettings
    engine: Engine | None = None
    fingerprint: str = ""
    device: str = "auto"
    batch_size: int = 16

    @property
    def is_rules(self) -> bool:
        """Whether neither an engine nor a network perturbs."""
        return self.engine is None and self.settings.model is None

    def asker(
        self,
        perturbing: Perturbing,
        journal: Journal,
        *,
        budget: float | None = None,
        say: Callable[[str], None] | None = None,
    ) -> Asker | None:
        """Asks the engine; None if there is none. SettingError if the budget is too small for one row."""
        if self.engine is None:
            return None
        asker = Asker(
            self.engine, journal, budget=budget, progress=lambda done, of: perturbing.tell(done), say=say
        )
        some = _some_prompts(perturbing)
        PaidWriting(asker).check(some, 1, [sampling_of(prompt) for prompt in some])
        return asker

    def perturber(
        self, *, journal: Journal, asker: Asker | None, read: Callable[[str], Document] | None
    ) -> Perturber:
        """What changes texts. asker: how the engine is asked. read: analyses a text, for the rules; None for the package's pipeline."""
        settings = self.settings
        if asker is not None:
            from longway.methods.perturb.asked import AskedPerturber

            return AskedPerturber(asker, seed=settings.seed)
        if settings.model is not None:
            from longway.methods.perturb.neural import NeuralPerturber

            network = NeuralPerturber(settings.model, device=self.device, batch_size=self.batch_size)
            return Kept(network, journal, version=self.fingerprint, at_once=max(AT_ONCE, self.batch_size))
        rules = partial(
            RulePerturber,
            names=settings.names,
            keep_entities=settings.keep_entities,
            change_famous=settings.change_famous,
            pronouns=settings.pronouns,
            reflexive=settings.reflexive,
            key=str(settings.seed),
            read=read,
        )
        return rules(everyone=True) if settings.everyone else Alike(rules(), rules(everyone=True))


def who_perturbs(settings: PerturbSettings, engines: Engines) -> Who:
    """The engine for the settings; an error where it cannot write."""
    if settings.model is not None:
        from longway.methods.perturb.networks import need_torch
        from longway.models.saved import folder_hash

        need_torch("A neural perturber")
        from longway.models.pretrained import folder_of

        return Who(
            settings,
            fingerprint=folder_hash(folder_of(settings.model, what=f"The model {settings.model!r}")),
            device=engines.device,
            batch_size=engines.batch_size,
        )
    name, writer, _ = engines_of(settings, engines)
    if writer is None or name.split(",")[0] == RULES:  # "auto" where no language model is named
        close(writer)
        return Who(replace(settings, engine=RULES))
    check_can_write(writer)
    return Who(replace(settings, engine=writer.name), writer)


def calls_of(engine: Engine | None, perturbing: Perturbing, *, dry: bool = False) -> list[CallsEstimate]:
    """The calls of all chosen rows if each takes as many tries as it may; most take one. dry: include free engines, and the time."""
    share = len(perturbing.rows) / perturbing.n_rows if perturbing.n_rows else 1.0
    n_calls = round(sum(len(perturbing.requests(row)) for row in perturbing.chosen) / share)
    known = _some_prompts(perturbing)
    return estimate_calls(engine, known, n_calls, timed=dry, free=dry)


def _some_prompts(perturbing: Perturbing) -> list[Prompt]:
    """The prompts of a sample of the chosen rows."""
    rows = perturbing.chosen
    prompts = (prompt_of(perturbing.requests(rows[i])[0]) for i in sampled(len(rows)))
    return [prompt for prompt in prompts if prompt is not None]


class Alike:
    """Changes one person; of pairs all people with the attribute, where one alone would change what the label may hang on.

    "A man sleeps." and "A man is awake." name a man each. Nothing says that it is the same one, but with one of them made a woman the
    texts would differ in what they did not differ in before.

    one, everyone: perturbers that change the one, and all of them.
    """

    def __init__(self, one: Perturber, everyone: Perturber) -> None:
        self.name: str = one.name
        self._one, self._everyone = one, everyone

    def perturb(self, requests: Sequence[Request]) -> list[Perturbed]:
        """What becomes of each request, in order."""
        answers = zip(requests, self._one.perturb(requests), strict=True)
        return [self._alike(request, answer) for request, answer in answers]

    def _alike(self, request: Request, answer: Perturbed) -> Perturbed:
        if answer.reason or not label_warning(request.segments, answer.segments):
            return answer
        (wider,) = self._everyone.perturb([request])
        is_better = not wider.reason and not label_warning(request.segments, wider.segments)
        return wider if is_better else answer


class Kept:
    """A perturber whose answers are in the journal before they are used.

    version: changes when its answers may. at_once: answers that are computed before they are put on disk.
    """

    def __init__(
        self, perturber: Perturber, journal: Journal, *, version: str, at_once: int = AT_ONCE
    ) -> None:
        self.name: str = perturber.name
        self._perturber, self._journal, self._version = perturber, journal, version
        self._at_once = at_once

    def perturb(self, requests: Sequence[Request]) -> list[Perturbed]:
        """What becomes of each request, in order; asked for once."""
        keys = [self._key(request) for request in requests]
        known = self._journal.get_all(dict.fromkeys(keys))
        missing = {key: one for key, one in zip(keys, requests, strict=True) if key not in known}
        waiting = list(missing.items())
        for start in range(0, len(waiting), self._at_once):
            known |= self._asked(waiting[start : start + self._at_once])
        return [Perturbed(tuple(known[key]["segments"]), known[key]["reason"]) for key in keys]

    def _asked(self, part: Sequence[tuple[str, Request]]) -> dict[str, dict[str, Any]]:
        started = time.perf_counter()
        answers = [
            {"segments": list(answer.segments), "reason": answer.reason}
            for answer in self._perturber.perturb([request for _, request in part])
        ]
        seconds = (time.perf_counter() - started) / len(part)
        self._journal.put_all(
            JournalEntry(key, "perturb", self.name, answer, seconds=seconds)
            for (key, _), answer in zip(part, answers, strict=True)
        )
        return {key: answer for (key, _), answer in zip(part, answers, strict=True)}

    def _key(self, request: Request) -> str:
        place = request.place
        return key_of(
            {
                "perturber": self._version,
                "segments": request.segments,
                "place": [place.segment, place.start, place.end],
                "target": str(request.target),
            }
        )
