"""One-line names of concepts by a language model, each checked: given only the name, the model must find the rows of the concept.

    10 typical rows and 10 similar rows without the concept   ->  the engine writes a name
    the name and 20 other rows, 10 with the concept           ->  the engine says of each whether it belongs
    Fisher's exact test of these 20 answers                   ->  the name is kept if they are clearly better than chance

The name is shown next to the words that name the concept without a model, and is marked as the engine's. Findings do not depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from longway.data import Dataset
from longway.detect.concepts.detector import ConceptDetector
from longway.detect.reading import TEXT, Reading
from longway.engines.asker import Asker
from longway.engines.engine import Engine, Sampling
from longway.engines.prompt import belongs_prompt, name_prompt
from longway.engines.registry import engine_named
from longway.errors import BudgetSpent, SettingError
from longway.jobs.audit.examples import examples_by_place
from longway.jobs.audit.map import MAX_CONCEPTS, concept_findings
from longway.jobs.engine_use import Engines, RunEstimate, costs, estimate_calls
from longway.jobs.run import Watcher
from longway.methods.method import BUDGET_SPENT
from longway.records import Finding, Pattern, Problem
from longway.store import CallTotals, Journal

NONE = "none"
SHOWN = ASKED = 10  # rows with and without the concept that the name is made from, and that it is checked on
MAX_P = 0.01
YES, NO = "yes", "no"
MAX_CHARACTERS = 400  # of a row that the engine reads
LONGEST = 100  # characters of a name
NAMING = Sampling(temperature=0.0, top_p=1.0, max_tokens=64)

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ConceptName:
    """A name by an engine. pattern, field, label: of the finding. right: of the `asked` rows those it sorted right. p: of the exact test.

    is_kept: whether the engine finds the rows by the name alone, clearly better than chance.
    """

    pattern: str
    field: str
    label: str
    name: str
    engine: str
    right: int
    asked: int
    p: float
    is_kept: bool


@dataclass(frozen=True, slots=True)
class Naming:
    """What naming gave. failed_calls: calls without an answer, which the same command tries again. stopped: why names are missing, if the budget was spent."""

    findings: tuple[Finding, ...]
    names: tuple[ConceptName, ...] = ()
    problems: tuple[Problem, ...] = ()
    costs: tuple[CallTotals, ...] = ()
    failed_calls: int = 0
    stopped: str = ""
    budget: float | None = None


def naming_engine(name: str, engines: Engines, *, seed: int) -> Engine | None:
    """The engine that names concepts; None for "none". SettingError if it is no language model that writes and judges."""
    if name == NONE:
        return None
    engine = engine_named(name, base_url=engines.base_url, seed=seed, **engines.options)
    if not (engine.reads_messages and {"write", "judge"} <= engine.can):
        raise SettingError(
            f"The engine {engine.name} cannot name concepts. Expected a language model. Try --engine served:MODEL."
        )
    return engine


@dataclass(frozen=True)
class ConceptRows:
    """The rows that a concept is named from and checked on, by their places in the reading."""

    finding: Finding
    shown: Ints
    similar: Ints
    asked: Ints
    is_member: tuple[bool, ...]

    @classmethod
    def of(cls, finding: Finding, detector: ConceptDetector, seed: int) -> ConceptRows:
        """The most typical rows and the nearest rows without the concept; the check has others of both."""
        key = detector.number_of(finding.pattern)
        ranked = detector.places[detector.ranked(key)]
        n = detector.n_members(key)
        random = np.random.default_rng([seed, key])
        members, others = ranked[SHOWN:n], ranked[n : n + 4 * ASKED]
        members = random.permutation(members)[:ASKED]
        others = random.permutation(others)
        asked = np.concatenate([members, others[:ASKED]])
        order = random.permutation(len(asked))
        is_member = (np.arange(len(asked)) < len(members))[order]
        return cls(
            finding,
            ranked[: min(n, SHOWN)],
            others[ASKED : ASKED + SHOWN],
            asked[order],
            tuple(is_member.tolist()),
        )

    @cached_property
    def places(self) -> Ints:
        """All of them."""
        return np.concatenate([self.shown, self.similar, self.asked])


def name_concepts(
    findings: Sequence[Finding],
    detectors: Sequence[ConceptDetector],
    dataset: Dataset,
    reading: Reading,
    *,
    engine: Engine,
    journal: Journal,
    budget: float | None,
    watcher: Watcher,
    seed: int,
) -> Naming:
    """Names of the strongest concepts. The cost is estimated, and may be declined, before anything is sent."""
    concepts = [
        ConceptRows.of(finding, detector, seed)
        for detector in detectors
        for finding in concept_findings(findings, detector.field)[:MAX_CONCEPTS]
    ]
    if not concepts:
        return Naming(tuple(findings))
    texts = _Texts(concepts, dataset, reading)
    prompts = [name_prompt(texts.of(one, one.shown), texts.of(one, one.similar)) for one in concepts]
    checks = [belongs_prompt("x" * LONGEST, text) for one in concepts for text in texts.of(one, one.asked)]
    asker = Asker(engine, journal, budget=budget, progress=watcher.progress, say=watcher.say)
    watcher.step("naming concepts")
    watcher.estimate(
        RunEstimate.of(
            len(concepts),
            [estimate_calls(engine, prompts, len(prompts))],
            [estimate_calls(engine, checks, len(checks), options=(YES, NO))],
            spent=journal.spent(),
        )
    )
    problems, stopped = [], ""
    names: list[ConceptName] = []
    kept: dict[Pattern, str] = {}
    try:
        written = asker.write_all(prompts, 1, NAMING)
        watcher.step("checking the names of concepts")
        named = [
            (one, _one_line(answer.texts[0]))
            for one, answer in zip(concepts, written, strict=True)
            if answer.texts
        ]
        questions = [belongs_prompt(name, text) for one, name in named for text in texts.of(one, one.asked)]
        answers = iter(asker.judge_all(questions, (YES, NO)))
        for one, name in named:
            said = [next(answers).best for _ in one.asked]
            checked = _checked(one, name, said, engine.name)
            names.append(checked)
            if checked.is_kept:
                kept[one.finding.pattern] = checked.name
    except BudgetSpent as error:
        stopped = BUDGET_SPENT
        message = f"Concepts were named only in part: {error}"
        problems.append(
            Problem(
                "budget",
                message,
                len(concepts),
                "Run the same command with a higher --budget to name the others.",
            )
        )
    return Naming(
        tuple(_with_name(finding, kept) for finding in findings),
        tuple(names),
        tuple(problems),
        costs(journal, engine),
        asker.failed,
        stopped,
        budget,
    )


def fisher_p(members: int, of_members: int, others: int, of_others: int) -> float:
    """Probability that at least so many of the rows said to belong are members, if the answers were drawn at random: the one-sided exact test.

    members, others: rows that were said to belong. of_members, of_others: rows asked about.

    >>> fisher_p(10, 10, 0, 10) < 1e-5, round(fisher_p(6, 10, 4, 10), 2)
    (True, 0.33)
    """
    said, total = members + others, of_members + of_others
    ways = comb(total, said)
    more = range(members, min(of_members, said) + 1)
    return sum(comb(of_members, k) * comb(of_others, said - k) for k in more) / ways


class _Texts:
    """The texts of the rows, read from the data at once and cut."""

    def __init__(self, concepts: Sequence[ConceptRows], dataset: Dataset, reading: Reading) -> None:
        places = np.unique(np.concatenate([one.places for one in concepts]))
        self._examples = examples_by_place(dataset, reading, places)
        self._text_column = reading.columns[TEXT]

    def of(self, one: ConceptRows, places: Ints) -> list[str]:
        examples = [self._examples[place] for place in places.tolist()]
        is_text = one.finding.field == self._text_column
        return [
            ((example.text if is_text else example.context) or "")[:MAX_CHARACTERS] for example in examples
        ]


def _one_line(name: str) -> str:
    return " ".join(name.split()).strip(" .\"'“”")[:LONGEST]


def _checked(one: ConceptRows, name: str, said: Sequence[str | None], engine: str) -> ConceptName:
    answers = [
        (answer == YES, is_member) for answer, is_member in zip(said, one.is_member, strict=True) if answer
    ]
    members, others = ([yes for yes, is_member in answers if is_member is wanted] for wanted in (True, False))
    p = fisher_p(sum(members), len(members), sum(others), len(others))
    right = sum(members) + len(others) - sum(others)
    finding = one.finding
    is_kept = bool(name) and p <= MAX_P
    return ConceptName(
        str(finding.pattern), finding.field, finding.label, name, engine, right, len(answers), p, is_kept
    )


def _with_name(finding: Finding, names: Mapping[Pattern, str]) -> Finding:
    variants = tuple(_with_name(one, names) for one in finding.variants)
    return replace(finding, called=names.get(finding.pattern, ""), variants=variants)
