"""`longway audit DATA`: find the shortcuts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from longway.cli.options import ChoiceOptions, Data, DataOptions, On, OutputOptions, command, named_files
from longway.errors import SettingError
from longway.jobs.audit.settings import AUTO, AuditSettings, ChoiceAuditSettings
from longway.jobs.options import DATA, OUTPUT

if TYPE_CHECKING:
    from longway.cli.screen import Step
    from longway.data import Dataset
    from longway.data.choices import ChoiceDataset
    from longway.jobs.audit.gate import Limits, Reason
    from longway.jobs.audit.result import AuditResult
    from longway.jobs.audit.several import AuditLabelsResult
    from longway.jobs.results import Result

GATE = "Gate"
SLOW_LEVELS = ("grammar", "concept")
GRAMMAR = "Look for patterns that words miss"
NO_TEST = "--test measures the leak of labelled texts, and these data have candidates. Leave it out, and audit the other file separately: longway audit FILE."
CONCEPTS = "Look for topics and tones that predict the label (minutes)"
NOTHING = "No shortcut was found. See what models look at"
TAGS = "Repair takes one label per row: make a column that says whether a row has the tag. Look at the findings for {}"


@command
def audit(
    data: Data,
    source: DataOptions,
    choice: ChoiceOptions,
    settings: AuditSettings,
    output: OutputOptions,
    test: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]FILE",
            help="A held-out set: measure the leak on it and report shared rows. Repeatable.",
            rich_help_panel=DATA,
        ),
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, help="Findings to print; the report has more.", rich_help_panel=OUTPUT)
    ] = 10,
    fail_over: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LIMIT",
            help="Exit with 1 if the audit is over this limit: leak=0.6 (accuracy from one part alone), severity=critical, high or low. Repeatable.",
            rich_help_panel=GATE,
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            metavar="FINDINGS.JSON",
            help="An earlier audit (with several labels: its run folder): only findings that it does not have count. Alone, new findings of severity high or worse fail.",
            rich_help_panel=GATE,
        ),
    ] = None,
    junit: Annotated[
        Path | None,
        typer.Option(help="Write the result of the gate as JUnit XML.", rich_help_panel=GATE, hidden=True),
    ] = None,
    sarif: Annotated[
        Path | None,
        typer.Option(help="Write the result of the gate as SARIF.", rich_help_panel=GATE, hidden=True),
    ] = None,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", help="Print only why the gate failed.", rich_help_panel=GATE, hidden=True),
    ] = False,
    on: On = None,
) -> None:
    """Find what predicts the label: words, phrases, lengths, overlap.

    Writes findings.json, scores.parquet and report.html into a run folder. The same command again shows the finished run.

        longway audit reviews.csv

        longway audit claims.jsonl --text claim --context evidence --label label --test dev.jsonl

        longway audit claims.csv --fail-over leak=0.6 --fail-over severity=high

        longway audit comments.csv --label toxic --label obscene

        longway audit quiz.jsonl --choices options --answer correct

    Data with candidates are recognised by the usual column names: multiple choice (choices, answer), preference pairs (chosen, rejected),
    votes (response_a, response_b, winner). Their audit asks whether the right candidate can be found without the prompt.

    With several labels, or a label column of lists, there is one audit for each label or tag, and one report over all of them.
    """
    from longway.cli.ending import show_result
    from longway.cli.screen import errors, safe
    from longway.jobs.audit.gate import Limits

    limits = Limits.read(fail_over or ())
    if (questions := choice.load(data, source)) is not None:
        if test:
            raise SettingError(NO_TEST)
        done = _audit_candidates(data, questions, settings, output.out, baseline, limits)
    else:
        loaded = source.load(data, several_labels=True)
        tests = _tests(test or [], loaded, source.encoding)
        kind = _audit_labels if len(source.label) > 1 or loaded.columns.lists == "several" else _audit_texts
        done = kind(data, source, loaded, settings, tests, output.out, on, baseline, limits)
    reasons = done.reasons
    if output.json or not quiet:
        n = len(reasons)
        failed = f"The gate failed for {n} reason{'s' * (n != 1)}." if reasons else "The gate passed."
        verdict = failed if fail_over or baseline else ""
        show_result(done.result, *done.steps, as_json=output.json, top=top, verdict=verdict)
    _write(junit, done.junit)
    _write(sarif, done.sarif)
    for reason in reasons:
        errors().print(safe(reason.message), soft_wrap=True)
    if reasons:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class _Audited:
    """An audit that is done: its result, what to do next, why the gate failed, and the files of the gate."""

    result: Result
    steps: Sequence[Step]
    reasons: Sequence[Reason]
    junit: str
    sarif: str


def _audit_texts(
    data: str, source: DataOptions, loaded: Dataset, settings: AuditSettings, tests: Mapping[str, Dataset],
    out: Path | None, on: str | None, baseline: Path | None, limits: Limits,
) -> _Audited:  # fmt: skip
    """Audit texts with one label."""
    from longway.cli.ending import REPAIR, on_data
    from longway.cli.live import Live
    from longway.cli.screen import Step
    from longway.jobs.audit import gate
    from longway.jobs.audit.job import audit as run
    from longway.jobs.audit.result import AuditResult

    before = None if baseline is None else AuditResult.open(baseline)
    with Live(quiet=True) as live:
        result = run(
            loaded, settings, split=source.split, tests=tests, out=out or True, on=on, watcher=live
        )  # fmt: skip
    reasons = gate.gate(result, limits, baseline=before)
    repair = on_data("repair", data, source, loaded)
    # By default, a repair looks at the levels of a default audit.
    if settings.levels != (AUTO,) and any(one.level in SLOW_LEVELS for one in result.findings):
        repair += " --levels all"
    explain = Step(NOTHING, on_data("explain", data, source, loaded))
    steps = [Step(REPAIR, repair) if result.findings else explain]
    if _can_learn_grammar(result):
        steps.append(Step(GRAMMAR, on_data("grammar", data, source, loaded)))
    if settings.levels == (AUTO,) and _can_find_concepts(result):
        steps.append(Step(CONCEPTS, f"{on_data('audit', data, source, loaded)} --levels all"))
    sarif = gate.sarif(result, reasons, path=_path(data))
    return _Audited(result, steps, reasons, gate.junit(result, reasons), sarif)


def _audit_labels(
    data: str, source: DataOptions, loaded: Dataset, settings: AuditSettings, tests: Mapping[str, Dataset],
    out: Path | None, on: str | None, baseline: Path | None, limits: Limits,
) -> _Audited:  # fmt: skip
    """Audit texts with several labels."""
    from longway.cli.live import Live
    from longway.jobs.audit import gate
    from longway.jobs.audit.several import AuditLabelsResult, audit_labels

    before = None if baseline is None else AuditLabelsResult.open(baseline)
    with Live(quiet=True) as live:
        found = audit_labels(
            loaded, source.label, settings, split=source.split, tests=tests, out=out or True, on=on,
            watcher=live,
        )  # fmt: skip
    by_label = found.reasons(limits, baseline=before)
    reasons = [reason for some in by_label.values() for reason in some]
    junit = gate.junit_of_labels(loaded.source_name, by_label)
    sarif = gate.sarif(found.labels[0].audit, reasons, path=_path(data))
    return _Audited(found, _repairs(data, source, loaded, found), reasons, junit, sarif)


def _can_learn_grammar(result: AuditResult) -> bool:
    """Whether the audit left the grammar level out, and `longway grammar` can look at it."""
    return find_spec("torch") is not None and any(one.kind == "no_grammar" for one in result.problems)


def _can_find_concepts(result: AuditResult) -> bool:
    """Whether there are enough rows for the concept level, and its encoder for their languages is installed."""
    from longway.jobs.audit.concept_level import FEWEST, chosen_encoder, missing_encoder

    used = result.dataset.used
    encoder, _ = chosen_encoder(list(result.dataset.languages), used)
    return used >= FEWEST and bool(encoder) and missing_encoder(encoder) is None


def _audit_candidates(
    data: str, questions: ChoiceDataset, settings: AuditSettings, out: Path | None, baseline: Path | None, limits: Limits
) -> _Audited:  # fmt: skip
    """Audit data with candidates."""
    from longway.cli.ending import REPAIR, on_candidates
    from longway.cli.live import Live
    from longway.cli.screen import Step
    from longway.jobs.audit import gate
    from longway.jobs.choices.audit.job import audit_choices
    from longway.jobs.choices.audit.result import ChoiceAuditResult

    chosen = ChoiceAuditSettings(settings.max_q, settings.seed)
    before = None if baseline is None else ChoiceAuditResult.open(baseline)
    with Live(quiet=True) as live:
        result = audit_choices(questions, chosen, out=out or True, watcher=live)
    reasons = gate.gate(result, limits, baseline=before)
    steps = [Step(REPAIR, on_candidates("repair", data, questions.columns))] if result.findings else []
    sarif = gate.sarif(result, reasons, path=questions.path)
    return _Audited(result, steps, reasons, gate.junit(result, reasons), sarif)


def _path(data: str) -> Path | None:
    """The file of the data, if it is one."""
    return Path(data) if Path(data).is_file() else None


def _write(path: Path | None, content: str) -> None:
    """Write a file that was asked for, whole or not at all."""
    from longway.store.atomic import replacing

    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as whole:
            whole.write_text(content, encoding="utf-8")


def _repairs(data: str, source: DataOptions, loaded: Dataset, found: AuditLabelsResult) -> list[Step]:
    """One command for each label column with findings. A tag is no column: the next command looks at one tag."""

    from longway.cli.ending import REPAIR, on_data
    from longway.cli.screen import Step, shortened

    with_findings = [one for one in found.labels if one.audit.findings]
    steps = [
        Step(
            f"{REPAIR} for {shortened(one.name, 60)}",
            on_data("repair", data, source, loaded, label=one.column),
        )
        for one in with_findings
        if one.tag is None
    ]
    tags = [one for one in with_findings if one.tag is not None]
    if tags and found.folder is not None:
        folder = quote(str(found.folder / tags[0].folder))
        steps.append(Step(TAGS.format(shortened(tags[0].name, 60)), f"longway review {folder}"))
    if steps or found.labels[0].tag is not None:
        return steps or [Step("See all runs", "longway runs")]
    return [Step(NOTHING, on_data("explain", data, source, loaded, label=found.labels[0].column))]


def _tests(given: list[str], like: Dataset, encoding: str | None) -> dict[str, Dataset]:
    """The held-out sets by name, read with the columns of the audited data."""
    from longway.data import load

    columns = like.columns
    return {
        name: load(
            path,
            text=columns.text,
            context=columns.context or "",
            label=columns.label,
            encoding=encoding,
        )
        for name, path in named_files(given, "test").items()
    }
