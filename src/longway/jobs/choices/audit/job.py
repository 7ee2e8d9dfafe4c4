"""Audit of candidates: read the questions, measure the leak without the prompt, test what the right candidates have in common.

The run folder holds findings.json, report.html and card.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import numpy as np

from longway.data.choices import ROLES, ChoiceDataset, Question, load_choices
from longway.detect.choices.candidates import Candidates, Test, search
from longway.detect.choices.leak import Encoder, encoder_of, installed, leaks
from longway.detect.choices.preferences import judge_report, style_effects
from longway.errors import DataError, SettingError, with_checked_arguments
from longway.jobs.audit.settings import ChoiceAuditSettings
from longway.jobs.choices.audit.page import UNITS
from longway.jobs.choices.audit.result import (
    NO_ENCODER_OF_LANGUAGE,
    ChoiceAuditResult,
    ChoiceExample,
    ChoiceSummary,
)
from longway.jobs.options import settings_from
from longway.jobs.run import ActiveRun, RunIdentity, Watcher, run_job
from longway.models.encoders import VectorCache
from longway.models.multilingual import MULTILINGUAL, PACKAGE
from longway.records import Finding, Problem
from longway.report.numbers import counted
from longway.store import now

FEWEST = 20  # questions
SHOWN = 12  # findings with examples
EXAMPLES = 2
LONGEST = 2000  # characters of a text in an example
VECTORS = "vectors.sqlite"
LABELS = {"choice": "right", "preference": "chosen", "ranking": "best", "votes": "winner"}


@with_checked_arguments
def audit_choices(
    data: object,
    settings: ChoiceAuditSettings | None = None,
    *,
    out: Path | str | Literal[True] | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> ChoiceAuditResult:
    """Audit data with candidates: can the right one be found without reading the prompt, and by what?

    data: a ChoiceDataset, or anything that `load` reads. out: write a run folder; True chooses one in longway-runs.
    options: columns as in `load_choices` (choices, answer, chosen, rejected ...), and the options of `longway audit` by name, such as `max_q=0.01`.
    """
    given, options = choices_with_columns(data, options)
    chosen = settings_from(ChoiceAuditSettings, settings, options)
    watcher = watcher or Watcher()
    encoders = {"encoders": installed()} if chosen.encoder else {}
    recorded = {**asdict(chosen), **given.columns.recorded, **encoders}
    identity = RunIdentity("audit", recorded, given.fingerprint, given.source_name)

    def work(run: ActiveRun) -> ChoiceAuditResult:
        vectors = None if run.kept is None else run.kept / VECTORS
        result = _audit(given, chosen, watcher, vectors)
        if vectors is not None:
            VectorCache.delete(vectors)
        return result

    return run_job(ChoiceAuditResult, identity, work, out, watcher)


def choices_with_columns(
    data: object, options: Mapping[str, object]
) -> tuple[ChoiceDataset, dict[str, object]]:
    """The questions, read with the columns among the options; and the other options."""
    columns = {name: value for name, value in options.items() if name in ROLES}
    others = {name: value for name, value in options.items() if name not in ROLES}
    return as_choices(data, columns), others


def as_choices(data: object, columns: Mapping[str, Any] | None = None) -> ChoiceDataset:
    """The dataset itself, or what `load_choices` makes of it; DataError if it has no candidates."""
    if isinstance(data, ChoiceDataset):
        if columns:
            raise SettingError(
                f"'{next(iter(columns))}' names a column, but the dataset is already loaded. Name its columns in lw.load_choices(data, choices=..., answer=...)."
            )
        return data
    given = load_choices(data, **(columns or {}))
    if given is None:
        raise DataError(
            "The data have no candidates. Expected columns such as choices and answer, or chosen and rejected. Name them: choices=..., answer=..."
        )
    return given


def _audit(
    given: ChoiceDataset, settings: ChoiceAuditSettings, watcher: Watcher, vectors: Path | None = None
) -> ChoiceAuditResult:
    """Audit the questions. vectors: a file that keeps what the sentence encoder computed, for a run that is interrupted."""
    check_enough(given)
    watcher.step("measuring the candidates")
    candidates = Candidates.of(given.questions, given.columns.kind)
    findings, tested, tests = search_in(given, candidates, settings.max_q, watcher.step)
    encoder, problems = _encoder(candidates.texts, vectors) if settings.encoder else (None, [])
    found = leaks(
        candidates,
        columns=given.columns.candidates,
        seed=settings.seed,
        encoder=encoder,
        step=watcher.step,
        progress=watcher.progress,
    )
    return ChoiceAuditResult(
        dataset=summary_of(given),
        leaks=found,
        findings=tuple(findings),
        tested=tested,
        effects=tuple(style_effects(candidates, given.columns.kind)),
        judges=judge_report(given.questions, given.ties) if given.columns.kind == "votes" else None,
        examples=_examples(findings[:SHOWN], tests, candidates),
        problems=(*given.problems, *problems),
        settings=settings,
        longway=version("longway"),
        created=now(),
    )


def check_enough(given: ChoiceDataset) -> None:
    """Raise DataError if there are too few questions to say anything."""
    if len(given.questions) < FEWEST:
        raise DataError(
            f"{given.source_name} has {counted(len(given.questions), 'question')} with one right candidate. Expected at least {FEWEST}. Add more questions."
        )


def search_in(
    given: ChoiceDataset,
    candidates: Candidates,
    max_q: float,
    step: Callable[[str], object] = lambda name: None,
) -> tuple[list[Finding], dict[str, int], list[Test]]:
    """The findings among candidates of the data; tests by family; all tests."""
    columns = given.columns
    return search(
        candidates,
        max_q=max_q,
        field=" + ".join(columns.candidates),
        label=LABELS[columns.kind],
        noun=UNITS[columns.kind].candidate,
        step=step,
    )


def places_of(questions: Sequence[Question]) -> tuple[int, ...]:
    """How often the right candidate is at each place."""
    counts = Counter(one.right for one in questions)
    return tuple(counts[place] for place in range(max(len(one.candidates) for one in questions)))


def _encoder(texts: Sequence[str], cache: Path | None) -> tuple[Encoder | None, list[Problem]]:
    """The sentence encoder of the candidates' language, and what the user should know if they are not English."""
    encoder, why = encoder_of(texts, cache)
    if why:
        message = f"The meaning of the candidates was not measured: {why}."
        return None, [Problem(NO_ENCODER_OF_LANGUAGE, message, len(texts), "Nothing else depends on it.")]
    if encoder is not None and encoder.name == MULTILINGUAL:
        message = f"The candidates are not English: their meaning was measured by {PACKAGE}."
        return encoder, [Problem("multilingual_encoder", message, len(texts), "Nothing to do.")]
    return encoder, []


def summary_of(given: ChoiceDataset) -> ChoiceSummary:
    """What the data are."""
    sizes = Counter(len(one.candidates) for one in given.questions)
    return ChoiceSummary(
        name=given.source_name,
        kind=given.columns.kind,
        rows=given.n_rows,
        used=len(given.questions),
        candidates=sum(len(one.candidates) for one in given.questions),
        fields=given.columns.fields(),
        guessed=given.columns.guessed,
        sizes={str(n): sizes[n] for n in sorted(sizes)},
        places=places_of(given.questions) if given.is_ordered else (),
        fingerprint=given.fingerprint,
    )


def _examples(
    findings: Sequence[Finding], tests: Sequence[Test], given: Candidates
) -> tuple[ChoiceExample, ...]:
    """For each finding a question that it solves; the one with the shortest candidates, for reading."""
    by_name = {(one.pattern.family, one.pattern.name): one.pattern for one in tests}
    starts, found = given.sets.starts, []
    for number, finding in enumerate(findings):
        has = by_name[finding.level, finding.pattern.place].has
        only, supporting = given.sets.total(has.astype(np.int64)), given.sets.sides(has)[0]
        solved = np.flatnonzero(supporting).tolist()
        solved.sort(key=lambda at: (only[at], sum(map(len, given.questions[at].candidates))))
        for at in solved[:EXAMPLES]:
            one = given.questions[at]
            mine = tuple(bool(value) for value in has[starts[at] : starts[at + 1]])
            texts = tuple(text[:LONGEST] for text in one.candidates)
            found.append(ChoiceExample(number, one.id, one.prompt[:LONGEST], texts, one.right or 0, mine))
    return tuple(found)
