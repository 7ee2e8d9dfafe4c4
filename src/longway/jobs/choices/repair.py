"""Repair of data with candidates: so that the right one cannot be found without the prompt.

    audit -> plan -> normalise -> rewrite, if there is an engine -> positions -> drop -> the repaired data -> the same audit again

Writes repair.json, edits.jsonl, the dataset, the rows that were left out, report.html and card.md into a run folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from importlib.metadata import version
from pathlib import Path
from shlex import quote
from typing import Any, Literal, cast

import numpy as np

from longway.classify.entailment import Entailment
from longway.data import save
from longway.data.choice_cells import NOT_WRITABLE, ChoiceCells, Draft, apply_choice_edits, ids_of
from longway.data.choice_columns import GivenColumns
from longway.data.choices import ChoiceDataset, Question, load_choices
from longway.detect.choices.cues import CUES
from longway.detect.choices.effects import MORE
from longway.detect.choices.leak import CANDIDATES, FOLDS, feature_sets, leaks, picks
from longway.detect.choices.patterns import Candidates
from longway.detect.choices.search import Test, search
from longway.engines.asker import Asker
from longway.engines.engine import Engine
from longway.engines.prompt import answer_prompt
from longway.errors import DataError, RunError, SettingError
from longway.jobs.about import ending
from longway.jobs.choices.job import FEWEST, LABELS, as_choices, summary_of
from longway.jobs.choices.repair_result import (
    FILE,
    ChangedQuestion,
    ChoicePlan,
    ChoiceRepairResult,
    ChoiceStep,
    CueChange,
)
from longway.jobs.choices.repair_settings import (
    COUNTER,
    DROP,
    NORMALISE,
    POSITIONS,
    REMEDIES,
    REWRITE,
    ChoiceRepairSettings,
)
from longway.jobs.choices.repair_show import choice_plan_page
from longway.jobs.edit_counts import CheckCount, CheckCounter, reason_counts
from longway.jobs.engine_use import (
    Engines,
    RunEstimate,
    addresses_of,
    asker_of,
    check_can_write,
    close,
    costs,
    costs_money,
    engines_in,
    engines_of,
    estimate_calls,
    failed_calls,
    name_of,
    sampled,
)
from longway.jobs.options import settings_from
from longway.jobs.run import ActiveRun, PlannedRun, RunIdentity, Watcher, folder_of
from longway.json_values import to_json
from longway.methods.choices import drop
from longway.methods.choices.counter import RULES, counter_pairs
from longway.methods.choices.drop import Dropped
from longway.methods.choices.normalise import Normaliser
from longway.methods.choices.positions import balanced, is_balanced, must_stay, new_order
from longway.methods.choices.rewrite import MOST, TEXTS, RewrittenQuestion, request, rewrite, targets
from longway.methods.method import BUDGET_SPENT
from longway.records import Edit, Finding, Leak
from longway.show import html, markdown
from longway.store import DROPPED, Journal, now

CUE_NAMES = {cue.name: cue.high for cue in CUES}
LISTED = 40  # findings
SAMPLED = 6  # changed questions of each remedy
MAX_Q = 0.05
WORSE = 0.01  # points that a pattern must gain to count as stronger
VOTES_STAY = "The order of two answers is what the judge saw, so positions are not changed."
AIMS_OF_REWRITE = {
    False: "wrong candidates, to look like the right one",
    True: "much longer better answers shortened, other answers like the better one",
}
WITH_ENGINE = {
    False: "Rules cannot change how long candidates are. A language model can, so that fewer questions are left out: longway repair {data} --engine served:MODEL",
    True: "Rules cannot change how long answers are. A language model can shorten the better ones, so that fewer pairs are left out: longway repair {data} --engine served:MODEL",
}
UNJUDGED = (
    "Without a judge, only rules check new texts of several sentences. Read them before you use the data."
)
UNSEEN = "The order of the candidates means nothing in these data, so positions are not changed."


def repair_choices(
    data: object,
    settings: ChoiceRepairSettings | None = None,
    *,
    engines: Engines | None = None,
    out: Path | str | Literal[True] | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> ChoiceRepairResult:
    """Repair data with candidates: one form for all candidates of a question, right ones at every place equally often, few questions left out.

    data: a ChoiceDataset, or anything that `load` reads. engines: addresses and a budget. out: the run folder; True for a folder in `longway-runs/` named after the data;
    None to write nothing. The same call with the same folder resumes the run, or reads it if it is done. options: columns (choices,
    answer, chosen, rejected, prompt, id ...), and the options of `longway repair` by name, such as `remedy="positions"`.
    """
    given, options = _with_columns(data, options)
    chosen, watcher = (
        settings_from(ChoiceRepairSettings, settings, _one_remedy(options)),
        watcher or Watcher(),
    )
    with folder_of(out) as folder, _engines(chosen, engines or Engines()) as made:
        planned = _planned(given, chosen, made, folder)
        if (content := planned.finished(FILE, budget=made.budget)) is not None:
            result = ChoiceRepairResult.from_dict(content)
        else:
            with planned.start(watcher) as run:
                result = _repair(run, given, chosen, made)
                watcher.step("writing the report")
                page = result.page()
                run.finish(FILE, result.to_dict(), report=html.render(page), card=markdown.render(page))
        repaired = _read_back(planned.folder, given)
        return result.of(repaired, planned.folder, keeps_folder=bool(out))


def choice_repair_plan(
    data: object,
    settings: ChoiceRepairSettings | None = None,
    *,
    engines: Engines | None = None,
    watcher: Watcher | None = None,
) -> ChoicePlan:
    """The plan of `repair_choices`; changes and writes nothing, and calls no server."""
    given, chosen = as_choices(data), settings or ChoiceRepairSettings()
    with _engines(chosen, engines or Engines()) as made:
        return _Repair(given, chosen, made, watcher or Watcher()).plan()


@dataclass(frozen=True, slots=True)
class _Made:
    """The engines of a repair; None where there is none."""

    writer: Engine | None
    judge: Engine | None
    budget: float | None


@contextmanager
def _engines(settings: ChoiceRepairSettings, engines: Engines) -> Iterator[_Made]:
    """The engines that the settings name; closed at the end."""
    writer, judge = engines_of(settings, engines)
    check_can_write(writer, judge)
    if writer is not None and judge is None and settings.judge == "auto":
        close(writer)
        raise SettingError(
            f"The engine {writer.name} cannot judge. Name a judge: --judge served:MODEL, or --judge none."
        )
    try:
        yield _Made(writer, judge, engines.budget)
    finally:
        close(writer, judge)


def _one_remedy(options: Mapping[str, object]) -> dict[str, object]:
    """The options with a single remedy as a tuple."""
    found = dict(options)
    if isinstance(remedy := found.get("remedy"), str | list):
        found["remedy"] = (remedy,) if isinstance(remedy, str) else tuple(remedy)
    return found


def _with_columns(data: object, options: Mapping[str, object]) -> tuple[ChoiceDataset, dict[str, object]]:
    """The questions, read with the columns among the options; and the other options."""
    names = {one.name for one in fields(GivenColumns)}
    columns: dict[str, Any] = {name: value for name, value in options.items() if name in names}
    rest = {name: value for name, value in options.items() if name not in names}
    if not columns or isinstance(data, ChoiceDataset):
        return as_choices(data), rest
    if isinstance(choices := columns.get("choices"), str | list):
        columns["choices"] = (choices,) if isinstance(choices, str) else tuple(choices)
    found = load_choices(data, GivenColumns(**columns))
    assert found is not None  # columns were named
    return found, rest


def _planned(
    given: ChoiceDataset, settings: ChoiceRepairSettings, made: _Made, out: Path | None
) -> PlannedRun:
    entries = {**asdict(settings), "data": given.source_name, "columns": given.columns.fields()}
    entries |= given.columns.answer_fields()
    if made.writer is None:
        entries |= {"engine": "", "judge": ""}
    else:
        entries |= {
            "engine": name_of(made.writer),
            "judge": name_of(made.judge),
            **addresses_of(made.writer, made.judge),
        }
    identity = RunIdentity("repair", cast(dict[str, object], to_json(entries)), given.fingerprint)
    return PlannedRun.choose(identity, given.source_name, out)


@dataclass(frozen=True, slots=True)
class _Measured:
    """Questions as an audit sees them."""

    candidates: Candidates
    findings: Sequence[Finding]
    tests: Mapping[tuple[str, str], Test]
    leaks: Mapping[str, Leak]


class _Repair:
    """The steps of a repair, on questions in memory."""

    def __init__(
        self, given: ChoiceDataset, settings: ChoiceRepairSettings, made: _Made, watcher: Watcher
    ) -> None:
        if len(given.questions) < FEWEST:
            raise DataError(
                f"{given.source_name} has {len(given.questions)} questions with one right candidate. Expected at least {FEWEST}. Add more questions."
            )
        self.given, self.settings, self.made, self.watcher = given, settings, made, watcher
        self.cells = ChoiceCells(given)
        self.drafts = {one.id: Draft.of(one) for one in given.questions}
        self.sources: dict[str, str] = {}  # of rows that are added: the row that each was made from
        self.steps: list[ChoiceStep] = []
        self.forms: dict[str, tuple[str, ...]] = {}  # by id: what was normalised
        self.normal: dict[str, tuple[str, ...]] = {}  # by id: the texts before they were rewritten
        self.rewritten: dict[str, RewrittenQuestion] = {}
        self.is_spent = False
        self.cue_names = ""
        self.askers: tuple[Asker | None, ...] = ()
        self.dropped = drop.Dropped({}, 0, True, "")
        watcher.step("looking for shortcuts")
        self.before = self.measure(given.questions)
        self.current = self.before.leaks

    @property
    def questions(self) -> list[Question]:
        """The questions as they are now; those that were left out, too."""
        return [draft.result for draft in self.drafts.values()]

    @property
    def kept(self) -> list[Question]:
        """The questions that stay, as they are now."""
        return [one for at, one in enumerate(self.questions) if at not in self.dropped.margins]

    @property
    def moves(self) -> bool:
        """Whether candidates change places."""
        return self.settings.uses(POSITIONS) and self.given.columns.kind == "choice"

    def measure(self, questions: Sequence[Question]) -> _Measured:
        """The findings and leaks of some questions."""
        candidates = Candidates.of(questions)
        findings, tests = self.search(candidates)
        return _Measured(candidates, findings, tests, self.leaks(candidates))

    def search(self, candidates: Candidates) -> tuple[list[Finding], dict[tuple[str, str], Test]]:
        """The findings, and all tests by the family and the name of their pattern."""
        columns = self.given.columns
        findings, _, tests = search(
            candidates,
            is_ordered=self.given.is_ordered,
            max_q=MAX_Q,
            field=" + ".join(columns.candidates),
            label=LABELS[columns.kind],
        )
        return findings, {(one.pattern.family, one.pattern.name): one for one in tests}

    def leaks(self, candidates: Candidates) -> dict[str, Leak]:
        """How often rankers without the prompt are right, by what they see."""
        return leaks(
            candidates,
            is_ordered=self.given.is_ordered,
            columns=self.given.columns.candidates,
            seed=self.settings.seed,
        )[0]

    def goal(self, chance: float) -> float:
        """The accuracy to reach."""
        return self.settings.goal_at(chance)

    def plan(self) -> ChoicePlan:
        """What will be done: the first two remedies are tried, dropping is estimated."""
        self.watcher.step("planning")
        if self.settings.uses(NORMALISE):
            self.normalise()
        if self.settings.uses(COUNTER) and self.given.columns.kind == "preference":
            self.counter()
        if self.moves:
            self.move()
        before = self.before.leaks[CANDIDATES]
        goal = self.goal(before.majority)
        steps = [*self.steps]
        now = self.current[CANDIDATES]
        is_over = now.accuracy > goal and now.low > now.majority
        n = drop.needed(now.accuracy * len(self.drafts), len(self.drafts), goal) if is_over else 0
        to_write = 0
        if self.made.writer is not None:
            self.dropped = self._chosen(fewest=FOLDS, step="choosing the questions to rewrite")
            to_write = len(self.dropped.margins)
            steps.append(ChoiceStep(REWRITE, AIMS_OF_REWRITE[self._is_pair], to_write, about=True))
        if self.settings.uses(DROP):
            steps.append(ChoiceStep(DROP, _aim_of_drop(n), n, min(now.accuracy, goal), about=n > 0))
        return ChoicePlan(tuple(steps), before, goal, tuple(self._notes(n)), self._estimate(to_write))

    def _notes(self, n: int) -> Iterable[str]:
        if self.settings.uses(POSITIONS) and not self.moves:
            yield VOTES_STAY if self.given.columns.kind == "votes" else UNSEEN
        if self.made.writer is not None and self.made.judge is None:
            yield UNJUDGED
        if n and self.made.writer is None and not self.settings.remedy:
            yield WITH_ENGINE[self._is_pair].format(
                data=quote(str(self.given.path or self.given.source_name))
            )

    def _estimate(self, n: int) -> RunEstimate | None:
        """What engines that cost money may take: two texts for the wrong candidates of n questions, and a judgement of each."""
        if not costs_money(self.made.writer, self.made.judge):
            return None
        some = [self.questions[i] for i in sampled(len(self.drafts))]
        prompts = [
            request(
                one,
                targets(one, [0.0] * len(one.candidates), is_pair=self._is_pair)[0],
                is_pair=self._is_pair,
            )
            for one in some
        ]
        judging = [answer_prompt(one.prompt, one.candidates, is_pair=self._is_pair) for one in some]
        each = min(MOST, max(len(one.candidates) for one in some) - 1)
        writes = [
            estimate_calls(one, prompts, n * each, n=TEXTS, timed=True)
            for one in engines_in(self.made.writer)
        ]
        judgements = [
            estimate_calls(one, judging, n, options=("1", "2"), timed=True)
            for one in engines_in(self.made.judge)
        ]
        return RunEstimate.of(n, writes, judgements)

    @property
    def _is_pair(self) -> bool:
        return self.given.columns.kind in ("preference", "votes")

    def rewrite(self, journal: Journal) -> None:
        """Let an engine rewrite candidates of the questions that would be left out; not of counter-pairs, nor where one refers to others."""
        writer, judge = (
            asker_of(one, journal, self.made.budget, self.watcher)
            for one in (self.made.writer, self.made.judge)
        )
        assert writer is not None  # checked by the caller
        self.askers = (writer, judge)
        candidates = Candidates.of(self.questions)
        features, penalty = feature_sets(candidates, is_ordered=self.given.is_ordered)[CANDIDATES]
        scores = picks(features, penalty, candidates.sets, candidates.group, self.settings.seed).scores
        starts, drafts = candidates.sets.starts, list(self.drafts.values())
        places = [
            at
            for at in sorted(self.dropped.margins)
            if drafts[at].question.id not in self.sources and not must_stay(drafts[at].question)
        ]
        chosen, wanted = [], []
        for at in places:
            draft = drafts[at]
            of_place = scores[starts[at] : starts[at + 1]]
            own = [
                float(of_place[draft.order.index(i)]) for i in range(len(draft.texts))
            ]  # in the order of the texts
            chosen.append(replace(draft.question, candidates=draft.texts))
            wanted.append(targets(chosen[-1], own, is_pair=self._is_pair))
        done, self.is_spent = rewrite(
            chosen,
            wanted,
            writer,
            judge,
            is_pair=self._is_pair,
            seed=self.settings.seed,
            entailment=Entailment.load(),
            step=self.watcher.step,
        )
        left: Counter[str] = Counter()
        for one in done:
            draft = self.drafts[one.question.id]
            new = replace(draft, texts=one.texts)
            if not one.reason and self.cells.changed(new) is None:
                one = replace(one, reason=NOT_WRITABLE)
            self.rewritten[one.question.id] = one
            self.normal[one.question.id] = draft.texts
            if one.reason:
                left[one.reason] += 1
            else:
                self.drafts[one.question.id] = new
        self.dropped = drop.Dropped({}, 0, True, "")
        n = sum(not one.reason for one in done)
        self._add(REWRITE, AIMS_OF_REWRITE[self._is_pair], n, left)

    def normalise(self) -> None:
        """Make the form of the candidates of each question the same."""
        normaliser = Normaliser(self.given.questions)
        left: Counter[str] = Counter()
        done: Counter[str] = Counter()
        for id_, draft in self.drafts.items():
            texts, forms = normaliser.normalise(draft.question)
            if not forms:
                continue
            new = replace(draft, texts=texts)
            if self.cells.changed(new) is None:
                left[NOT_WRITABLE] += 1
                continue
            self.drafts[id_], self.forms[id_] = new, forms
            done.update(forms)
        aim = ", ".join(f"{name} in {n:,}" for name, n in done.most_common())
        self._add(NORMALISE, aim or "nothing differs", len(self.forms), left)

    def counter(self) -> None:
        """Add pairs whose better answer comes without a style that better answers have more often."""
        keys = set(_keys(self.before.findings))
        patterns = [test.pattern for key, test in self.before.tests.items() if key in keys]
        cues = {one.cue: 1 if one.name == CUE_NAMES[one.cue] else -1 for one in patterns if one.cue in RULES}
        left: Counter[str] = Counter()
        for one in counter_pairs([self.drafts[id_].result for id_ in self.drafts], cues):
            id_ = f"{one.id}-counter"
            draft = Draft.of(replace(self.drafts[one.id].question, id=id_))
            draft = replace(draft, texts=one.candidates)
            if self.cells.changed(draft) is None or id_ in self.drafts:
                left[NOT_WRITABLE] += 1
                continue
            self.drafts[id_], self.sources[id_] = draft, one.id
        self.cue_names = ", ".join(MORE.get(name, name) for name in cues)
        aim = (
            f"added: the better answer without {self.cue_names}" if cues else "no style that rules can change"
        )
        self._add(COUNTER, aim, len(self.sources), left)

    def move(self) -> None:
        """Put the right candidates of the questions that stay at all places equally often."""
        ids = [one.id for one in self.kept]
        before = {
            id_: replace(self.drafts[id_], order=Draft.of(self.drafts[id_].question).order) for id_ in ids
        }
        reasons = {id_: self._must_stay(before[id_]) for id_ in ids}
        left = Counter(reason for reason in reasons.values() if reason)
        questions = [before[id_].result for id_ in ids]
        if is_balanced(questions):
            self.drafts |= before
            self._add(POSITIONS, "right ones are at all places equally often", 0, Counter())
            return
        places = balanced(
            [one.right or 0 for one in questions],
            [len(one.candidates) for one in questions],
            [bool(reasons[one.id]) for one in questions],
            seed=self.settings.seed,
        )
        n = 0
        for one, place in zip(questions, places, strict=True):
            draft = before[one.id]
            if not reasons[one.id]:
                draft = replace(draft, order=new_order(draft.question, place, seed=self.settings.seed))
            self.drafts[one.id] = draft
            n += draft.order != before[one.id].order
        self._add(POSITIONS, "right ones at all places equally often", n, left)

    def _must_stay(self, draft: Draft) -> str:
        why = must_stay(draft.question) or self.cells.cannot_move(draft.question)
        if why:
            return why
        turned = replace(draft, order=(*draft.order[1:], draft.order[0]))
        return NOT_WRITABLE if self.cells.changed(turned) is None else ""

    def drop(self) -> None:
        """Choose the questions to leave out."""
        n_may_go = round(self.settings.max_drop * len(self.given.questions))
        fewest = max(FEWEST, len(self.drafts) - n_may_go)
        self.dropped = self._chosen(fewest=fewest, step="choosing the questions to leave out")
        ids = [id_ for at, id_ in enumerate(self.drafts) if at in self.dropped.margins]
        n = sum(id_ not in self.sources for id_ in ids)
        self.steps = [
            replace(step, questions=len(self.sources) - len(ids) + n) if step.remedy == COUNTER else step
            for step in self.steps
        ]
        self.steps.append(ChoiceStep(DROP, _aim_of_drop(n), n))

    def _chosen(self, *, fewest: int, step: str) -> Dropped:
        """The questions without which the goal is reached, but for the `fewest` that must stay."""
        self.watcher.step(step)
        candidates = Candidates.of(self.questions)
        findings, tests = self.search(candidates)
        known = [tests[key].pattern.has for key in _keys(findings)]
        rankers = {part for part, leak in self.current.items() if leak.low > leak.majority}
        return drop.choose(
            candidates,
            is_ordered=self.given.is_ordered,
            goal=self.goal,
            fewest=fewest,
            rankers=rankers | ({CANDIDATES} if known else set()),
            rules=known,
            seed=self.settings.seed,
            progress=lambda share: self.watcher.progress(round(100 * share), 100),
        )

    def _add(self, remedy: str, aim: str, n: int, left: Counter[str]) -> None:
        if n:
            self.current = self.leaks(Candidates.of(self.kept))
        leak = self.current[CANDIDATES].accuracy if n else None
        self.steps.append(ChoiceStep(remedy, aim, n, leak, left=reason_counts(left)))

    def edits(self) -> Iterable[Edit]:
        """One edit for each cell that changes and each row that is left out, in the order of the rows."""
        for at, (id_, draft) in enumerate(self.drafts.items()):
            if at in self.dropped.margins:
                if id_ not in self.sources:
                    yield from self._refused_edits(draft)
                    yield self._drop_edit(draft, self.dropped.margins[at])
                continue
            plain = Draft.of(draft.question)
            form = replace(plain, texts=self.normal.get(id_, draft.texts))
            if source := self.sources.get(id_):
                yield from (replace(edit, source=source) for edit in self._edits(plain, form, COUNTER, self.cue_names))  # fmt: skip
            else:
                yield from self._edits(plain, form, NORMALISE, ", ".join(self.forms.get(id_, ())))
            if (rewritten := self.rewritten.get(id_)) is not None:
                yield from self._rewrite_edits(form, rewritten)
                form = replace(form, texts=draft.texts)
            yield from self._edits(
                form, draft, POSITIONS, f"right one at place {(draft.result.right or 0) + 1}"
            )

    def _refused_edits(self, draft: Draft) -> Iterable[Edit]:
        """The refused texts of a row that is left out."""
        rewritten = self.rewritten.get(draft.question.id)
        if rewritten is not None and rewritten.reason:
            before = replace(Draft.of(draft.question), texts=self.normal[draft.question.id])
            yield from self._rewrite_edits(before, rewritten)

    def _edits(self, before: Draft, after: Draft, method: str, how: str) -> Iterable[Edit]:
        if before == after:
            return
        id_ = after.question.id
        old, new = self._all_cells(before), self._all_cells(after)
        answer = self.given.columns.answer
        labels = [
            cells[answer] if answer in cells else LABELS[self.given.columns.kind] for cells in (old, new)
        ]
        for name in new:
            if old[name] != new[name]:
                yield Edit(
                    id_, name, self.cells.text(name, old[name]), self.cells.text(name, new[name]), _text(labels[0]), _text(labels[1]),
                    method, "rules", accepted=True, how=how,
                )  # fmt: skip

    def _rewrite_edits(self, before: Draft, one: RewrittenQuestion) -> Iterable[Edit]:
        """The edits of rewritten candidates; of refused ones, with the reason."""
        writer = name_of(self.made.writer)
        if not one.reason:
            for edit in self._edits(before, replace(before, texts=one.texts), REWRITE, ""):
                yield replace(edit, engine=writer, verdicts=one.verdicts)
            return
        draft = replace(before, texts=one.texts)
        if self.cells.changed(draft) is not None:
            for edit in self._edits(before, draft, REWRITE, ""):
                yield replace(edit, engine=writer, accepted=False, reason=one.reason, verdicts=one.verdicts)

    def _all_cells(self, draft: Draft) -> dict[str, Any]:
        """The cells of the candidates and the answer of a draft."""
        names = (*self.given.columns.candidates, *self.cells.answer_columns)
        changed = self.cells.changed(draft)
        assert changed is not None  # tried when the draft was made
        return {name: changed.get(name, self.cells.before(name, draft.question.row)) for name in names}

    def _drop_edit(self, draft: Draft, margin: float) -> Edit:
        name = self.given.columns.candidates[0]
        cell = self.cells.text(name, self.cells.before(name, draft.question.row))
        answer = self.given.columns.answer
        label = (
            _text(self.cells.before(answer, draft.question.row))
            if answer
            else LABELS[self.given.columns.kind]
        )
        return Edit(
            draft.question.id, name, cell, cell, label, label, DROP, "rules", accepted=True, score_before=margin, how="drop", drops=True,
        )  # fmt: skip


def _keys(findings: Iterable[Finding]) -> Iterable[tuple[str, str]]:
    """The family and the name of each pattern that was found, of those that others explain, too."""
    for finding in findings:
        yield from ((one.level, one.pattern.place) for one in (finding, *finding.variants))


def _text(cell: object) -> str:
    return cell if isinstance(cell, str) else str(cell)


def _aim_of_drop(n: int) -> str:
    return "right ones that a ranker picks without the prompt" if n else "no ranker is clearly above the goal"


def _repair(
    run: ActiveRun, given: ChoiceDataset, settings: ChoiceRepairSettings, made: _Made
) -> ChoiceRepairResult:
    watcher = run.watcher
    work = _Repair(given, settings, made, watcher)
    plan = work.plan()
    watcher.page(choice_plan_page(plan, given.source_name))
    if made.writer is not None:
        if plan.calls is not None:
            watcher.estimate(replace(plan.calls, spent=run.journal.spent()))
        work.rewrite(run.journal)
    if settings.uses(DROP):
        work.drop()
    if (work.dropped.margins or work.rewritten) and work.moves:
        work.steps = [step for step in work.steps if step.remedy != POSITIONS]
        work.move()
    watcher.step("writing the data")
    with run.edit_log() as log:
        edits = list(work.edits())
        log.write(edits)
    _write(run.folder, given, edits, work.kept)
    watcher.step("looking for shortcuts in the repaired data")
    after = work.measure(work.kept) if edits else work.before
    gone = [id_ for at, id_ in enumerate(work.drafts) if at in work.dropped.margins]
    n = sum(id_ not in work.sources for id_ in gone)
    return ChoiceRepairResult(
        dataset=summary_of(given),
        settings=run.identity.settings,
        goal=work.goal(after.leaks[CANDIDATES].majority),
        stopped=BUDGET_SPENT if work.is_spent else work.dropped.stopped,
        steps=tuple(_ordered(work.steps)),
        changed=sum(work.drafts[one.id].is_changed and one.id not in work.sources for one in work.kept),
        added=sum(one.id in work.sources for one in work.kept),
        dropped=n,
        leaks_before=work.before.leaks,
        leaks_after=after.leaks,
        random=_at_random(work, len(gone)) if n else None,
        found_before=len(work.before.findings),
        found_after=len(after.findings),
        findings=tuple(_changes(work.before.findings[:LISTED], work.before, after)),
        worse=tuple(_worse(work.before, after))[:LISTED],
        places_before=_places(given.questions) if given.is_ordered else (),
        places_after=_places(work.kept) if given.is_ordered else (),
        sample=tuple(_sample(work)),
        checks=_checks(work.rewritten.values()),
        cost=costs(run.journal, made.writer, made.judge) if made.writer is not None else (),
        failed_calls=reason_counts(failed_calls(*work.askers)),
        budget=made.budget,
        longway=version("longway"),
        created=now(),
    )  # fmt: skip


def _ordered(steps: Sequence[ChoiceStep]) -> list[ChoiceStep]:
    """The steps in the order of the plan; positions are assigned again after some questions were left out."""
    return sorted(steps, key=lambda step: REMEDIES.index(step.remedy))


def _checks(rewritten: Iterable[RewrittenQuestion]) -> tuple[CheckCount, ...]:
    counter = CheckCounter()
    for one in rewritten:
        counter.add(one.verdicts)
    return counter.counts()


def _write(folder: Path, given: ChoiceDataset, edits: Sequence[Edit], kept: Sequence[Question]) -> None:
    """Write the repaired data and the rows that were left out; RunError if they are not read as they were meant."""
    path = _dataset_path(folder, given)
    save(apply_choice_edits(given, edits), path)
    gone = folder / f"{DROPPED}.{ending(given.format)}"
    gone.unlink(missing_ok=True)
    if ids := {edit.id for edit in edits if edit.drops}:
        others = (Edit(id_, "", "", "", "", "", DROP, "", accepted=True, drops=True) for id_ in ids_of(given) if id_ not in ids)  # fmt: skip
        save(apply_choice_edits(given, others), gone)
    read = [(one.id, one.candidates, one.right) for one in _read_back(folder, given).questions]
    if read != [(one.id, one.candidates, one.right) for one in kept]:
        raise RunError(
            f"{path} is not read as it was meant. Save the input as .jsonl, and run the command again."
        )


def _dataset_path(folder: Path, given: ChoiceDataset) -> Path:
    return folder / f"dataset.{ending(given.format)}"


def _read_back(folder: Path, given: ChoiceDataset) -> ChoiceDataset:
    """The repaired data in a run folder, read with the columns of the original."""
    named = replace(given.columns.as_given, id="longway_id")
    read = load_choices(_dataset_path(folder, given), named, encoding=given.encoding or None)
    assert read is not None  # columns were named
    return read


def _at_random(work: _Repair, n: int) -> Leak:
    """The leak if as many questions are left out at random."""
    questions = work.questions
    gone = set(drop.at_random(Candidates.of(questions), n, seed=work.settings.seed))
    left = [one for at, one in enumerate(questions) if at not in gone]
    return work.leaks(Candidates.of(left))[CANDIDATES]


def _changes(findings: Sequence[Finding], before: _Measured, after: _Measured) -> Iterable[CueChange]:
    for finding in findings:
        key = (finding.level, finding.pattern.place)
        was, is_now = _figures(before.tests.get(key)), _figures(after.tests.get(key))
        yield CueChange(key[0], key[1], *was, *is_now)


def _figures(test: Test | None) -> tuple[int, float, float, float]:
    if test is None or not test.applies:
        return 0, 0.0, 0.0, 0.0
    return test.applies, test.share, test.expected / test.applies, test.points


def _worse(before: _Measured, after: _Measured) -> list[CueChange]:
    """Findings of the repaired data that are stronger than they were, strongest first."""
    changes = _changes(after.findings, before, after)
    worse = [one for one in changes if one.points_after > one.points_before + WORSE]
    return sorted(worse, key=lambda one: one.points_before - one.points_after)


def _places(questions: Sequence[Question]) -> tuple[int, ...]:
    counts = Counter(one.right for one in questions)
    return tuple(counts[place] for place in range(max(len(one.candidates) for one in questions)))


def _sample(work: _Repair) -> Iterable[ChangedQuestion]:
    """A few questions for each remedy, drawn at random."""
    rng = np.random.default_rng(work.settings.seed)
    drafts = list(work.drafts.values())
    gone = work.dropped.margins
    groups = {
        REWRITE: [at for at, one in enumerate(drafts) if at not in gone and one.texts != work.normal.get(one.question.id, one.texts)],
        NORMALISE: [at for at, one in enumerate(drafts) if at not in gone and one.question.id in work.forms],
        COUNTER: [at for at, one in enumerate(drafts) if at not in gone and one.question.id in work.sources],
        POSITIONS: [at for at, one in enumerate(drafts) if at not in gone and one.result.candidates != one.texts],
        DROP: sorted(gone),
    }  # fmt: skip
    for remedy, places in groups.items():
        for at in sorted(rng.permutation(places)[:SAMPLED].tolist()):
            draft = drafts[int(at)]
            question, result = draft.question, draft.result
            in_place = remedy in (NORMALISE, COUNTER)
            after = () if remedy == DROP else draft.texts if in_place else result.candidates
            right = question.right if in_place else result.right
            yield ChangedQuestion(question.id, remedy, question.prompt, question.candidates, after, question.right or 0, right or 0)  # fmt: skip
