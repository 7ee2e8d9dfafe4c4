"""Texts written by hand: checked like the engine's, stored in any case, marked if a check fails.

    write_by_hand(contents, key, text, author="ada", seen=0)  ->  the decision, with "passed" and "verdicts"

The checks depend on the command:

    rewrite    `verifier_for` the dataset as loaded: all checks of a rewrite
    augment    `verifier_for` added texts: the text contains the kept words and has the intended label
    repair     those of a rewrite; for added rows those of a row with another label
    perturb    the guards: nothing offensive, and for pairs nothing that may have changed the label

They are built for the first text and kept with the contents: models are trained once, and their outputs are cached in
RUN/review/checks.sqlite. `prepare` does this while the reviewer is still typing. Nothing here needs a key or a network: a served
judge is left out, and the decision lists the checks that did not run ("missing").
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from longway.errors import RunError, SettingError
from longway.jobs.augment.methods import verifier_of
from longway.jobs.held_out import arrange
from longway.jobs.perturb.result import CONTRAST, OFFENSIVE
from longway.jobs.rewrite.decisions import AppliedDecisions
from longway.jobs.rewrite.rewriting import give_away_of
from longway.jobs.rewrite.settings import Decisions
from longway.jobs.rows import rows_of, task_with_examples
from longway.methods.leak_aware import GiveAway
from longway.methods.method import Rows, keeps_of
from longway.methods.perturb.guards import label_warning, offence
from longway.records import Edit, Verdict
from longway.review.database import REVIEW_FOLDER
from longway.review.decisions import Decision
from longway.review.edit_list import EditFilter
from longway.review.row_edits import RowTrace, steps_of
from longway.review.run_contents import RunContents
from longway.store import JOURNAL_FILE, Journal
from longway.task import Keeps
from longway.text.tokenizer import Tokenizer
from longway.verify.check import Candidate, Origin
from longway.verify.form_checks import SurfaceCheck
from longway.verify.verifier import ADDED, Verifier, names_of, passed, verifier_for

MAX_LENGTH = 50_000  # characters
CHECKS_FILE = "checks.sqlite"  # in the folder of the review

_checkers: WeakKeyDictionary[RunContents, Checker] = WeakKeyDictionary()
_lock = threading.Lock()  # models are trained once, and their caches are not thread-safe


def write_by_hand(
    contents: RunContents, key: str, text: str, *, author: str, seen: int | None = None
) -> Decision:
    """Check a text written by hand and store it, whether it passes or not. seen: as in `Decisions.write`."""
    edit = contents.edits.get(key).edit
    if contents.choice_fields is not None:
        raise SettingError(
            "Questions with candidates cannot be edited by hand here. Expected a text. Accept or reject the edit."
        )
    if edit.drops:
        raise SettingError(
            "The run dropped this row, so there is no new text to change. Expected an edit of a text. Reject the edit to keep the row."
        )
    text = with_line_ends_of(edit.before, text.strip())
    _check_text(edit, text)
    with _lock:
        verdicts, missing = checker_of(contents).check(edit, text)
    value = {
        "choice": "hand",
        "text": text,
        "passed": passed(verdicts),
        "verdicts": [verdict.to_dict() for verdict in verdicts],
        "missing": list(missing),
    }
    return contents.decisions.write("edit", key, value, author=author, seen=seen)


def prepare(contents: RunContents, key: str) -> None:
    """Train the models of the checks in advance; does nothing if a check is running."""
    edit = contents.edits.get(key).edit
    if _lock.acquire(blocking=False):
        try:
            checker_of(contents).check(edit, edit.before)  # passes, which runs every check
        finally:
            _lock.release()


def with_line_ends_of(before: str, text: str) -> str:
    """The text with the line ends of another one: browsers send their own.

    >>> with_line_ends_of("one\\r\\ntwo", "three\\nfour"), with_line_ends_of("one", "three\\r\\nfour")
    ('three\\r\\nfour', 'three\\nfour')
    """
    own = re.search(r"\r\n|\n|\r", before)
    return re.sub(r"\r\n|\n|\r", own[0] if own else "\n", text)


def _check_text(edit: Edit, text: str) -> None:
    if not text:
        raise SettingError(
            "The text is empty. A row needs a text. Write one, or reject the edit to keep the old text."
        )
    if len(text) > MAX_LENGTH:
        raise SettingError(
            f"The text has {len(text):,} characters. Expected at most {MAX_LENGTH:,}. Shorten it."
        )
    if text == with_line_ends_of(edit.before, edit.after.strip()):
        raise SettingError("The text equals the edit. Expected a different one. Accept the edit instead.")
    if text == edit.before.strip():
        raise SettingError("The text equals the original. Expected a different one. Reject the edit instead.")


COMMANDS = ("rewrite", "repair", "augment", "perturb")  # whose edits can be written by hand


def checker_of(contents: RunContents) -> Checker:
    """The checks of hand-written texts of a run, made once."""
    if contents.command not in COMMANDS:
        raise RunError(
            f"{contents.folder} is a run of `longway {contents.command}`, whose edits cannot be written by hand. "
            f"Expected one of: {', '.join(COMMANDS)}. Review such a run."
        )
    if contents not in _checkers:
        _checkers[contents] = Checker(contents)
    return _checkers[contents]


class Checker:
    """The checks of hand-written texts of one run; their models are trained when they are first used."""

    def __init__(self, contents: RunContents) -> None:
        self.contents, self.settings = contents, contents.settings
        if contents.command != "perturb":  # its guards need neither
            self._rows, self._chains = rows_as_loaded(contents)
            self._journal = journal_of(contents)

    def check(self, edit: Edit, text: str) -> tuple[Sequence[Verdict], Sequence[str]]:
        """The verdicts on a text in place of an edit's, and the checks that did not run."""
        if self.contents.command == "perturb":
            return self._guards(edit, text), ()
        verifier = self._added if edit.source else self._rewritten
        (verdicts,) = verifier.verify([self._candidate(edit, text)])
        return verdicts, verifier.missing

    @cached_property
    def _rewritten(self) -> Verifier:
        rows, settings = self._rows, self.settings
        has_judge = settings.get("judge", "none") != "none"
        return verifier_for(
            rows.task,
            rows.texts,
            [rows.label(index) for index in range(len(rows))],
            rows.contexts,
            seed=settings["seed"],
            journal=self._journal,
            names=names_of(settings.get("checks", "all"), has_judge=has_judge),
        )

    @cached_property
    def _added(self) -> Verifier:
        """For added rows: those of an augmentation, and pairs whose label depends on the context."""
        rows = self._rows
        if self.contents.command != "augment":
            return verifier_for(rows.task, kind=ADDED, journal=self._journal)
        if not rows.task.labels:
            why = "label: each row has its own target text, and no label to check"
            return Verifier([SurfaceCheck(shortest=0.25, longest=2.5)], missing=[why])
        return verifier_of(rows, judge=None, journal=self._journal, seed=self.settings["seed"])

    def _guards(self, edit: Edit, text: str) -> list[Verdict]:
        """The guards of a perturbation, which read text and context together."""
        texts, contexts = row_change(self.contents, edit, text, text_name=self.settings["text"])
        before, after = ([part for part in version if part] for version in zip(contexts, texts, strict=True))
        reasons = {OFFENSIVE: offence(before, after)}
        if len(before) > 1:
            reasons[CONTRAST] = label_warning(before, after)
        return [Verdict(name, not reason, reason=reason) for name, reason in reasons.items()]

    def _candidate(self, edit: Edit, text: str) -> Candidate:
        rows, id = self._rows, edit.source or edit.id
        if id not in rows.ids:
            raise RunError(
                f"The row {id!r} is not in the dataset of {self.contents.folder}. Check the run folder."
            )
        index = list(rows.ids).index(id)
        first = rows.texts[index]
        (before, after), contexts = row_change(self.contents, edit, text, text_name=rows.task.text_name)
        origin = None
        if before != first and not edit.source:
            hows = [how for round_, how in self._chains.get(edit.id, ()) if round_ < edit.round]
            kept = [self._keeps(edit, how) for how in hows]
            # what the edits since loading kept: the meaning, or only the label
            origin = Origin(first, "label" if "label" in kept else "meaning", self._telling(edit, first))
        return Candidate(
            row=index,
            before=before,
            after=after,
            label=edit.label_after,
            context=contexts[1] if rows.contexts is not None else None,
            keeps="label" if edit.source else self._keeps(edit, edit.how),
            telling=self._telling(edit, edit.before),
            origin=origin,
            may_copy=before == after,
            keep=_kept_words(edit, rows.tokenizer),
        )

    def _keeps(self, edit: Edit, how: str) -> Keeps:
        return keeps_of(how, self._rows.task.keeps(edit.label_before))

    def _telling(self, edit: Edit, text: str) -> frozenset[str]:
        """Words of a text that the edit was meant to remove, if the run looked for such words."""
        if self.settings.get("choose") != "leak" or edit.field != self._rows.task.text_name:
            return frozenset()
        label = list(self._rows.label_names).index(edit.label_before)
        return frozenset(self._give_away.telling(text, label))

    @cached_property
    def _give_away(self) -> GiveAway:
        """The words that predicted labels when the run started."""
        rows, decisions = self._rows, None
        if content := self.settings.get("decisions"):
            decisions = AppliedDecisions.of(
                Decisions.from_dict(content), text=rows.task.text_name, aims=True, tokenizer=rows.tokenizer
            )
        keep = (*self.settings["keep"], *(decisions.keep if decisions else ()))
        return give_away_of(rows, keep=keep, decisions=decisions)


class RowChange(NamedTuple):
    """Text and context of a row, each before and after; contexts are None for single texts."""

    text: tuple[str, str]
    context: tuple[str | None, str | None]


def row_change(contents: RunContents, edit: Edit, new: str, *, text_name: str) -> RowChange:
    """The row of an edit with a new text in the edited column; an edit of the other column by the same candidate is included."""
    row = contents.row(edit.source or edit.id).row
    if trace := RowTrace.of(edit):
        others = list(trace.columns.values())
    else:
        same = ("id", "round", "how", "accepted")
        others = [
            (reviewed.edit.before, reviewed.text)
            for reviewed in contents.row(edit.id).edits
            if reviewed.edit.field != edit.field
            and all(getattr(reviewed.edit, name) == getattr(edit, name) for name in same)
        ]
    if edit.field == text_name:
        return RowChange((edit.before, new), others[0] if others else (row.context, row.context))
    return RowChange(others[0] if others else (row.text or "", row.text or ""), (edit.before, new))


Chains = dict[str, list[tuple[int, str]]]  # id -> round and `how` of the row's kept edits


def rows_as_loaded(contents: RunContents) -> tuple[Rows, Chains]:
    """The rows of a run before any edit: its dataset with every edit undone, and the kept edits by row."""
    settings = contents.settings
    is_labelled = settings.get("target") is None
    rows = rows_of(
        arrange(contents.dataset(), settings.get("split"), labelled=is_labelled).dataset,
        seed=settings["seed"],
        labelled=is_labelled,
        describe=settings.get("describe", ()),
    )
    first: dict[tuple[str, str], str] = {}
    added: set[str] = set()
    chains: Chains = {}
    for reviewed in contents.edits.all(EditFilter(status="kept")):
        edit = reviewed.edit
        if edit.source:
            added.add(edit.id)
        else:
            first.setdefault((edit.id, edit.field), edit.before)
            steps = [step for step in steps_of(edit) if step.accepted] or [edit]
            chains.setdefault(edit.id, []).extend((step.round, step.how) for step in steps)
    kept = [index for index, id in enumerate(rows.ids) if id not in added]
    task = rows.task
    ids = [rows.ids[index] for index in kept]
    texts = [first.get((rows.ids[index], task.text_name), rows.texts[index]) for index in kept]
    contexts = None if rows.contexts is None else [rows.contexts[index] for index in kept]
    loaded = Rows(ids, texts, rows.labels[kept], rows.label_names, task, contexts)
    if is_labelled:
        loaded.task = replace(
            task_with_examples(loaded, seed=settings["seed"]), descriptions=task.descriptions
        )
        if settings.get("paper"):
            loaded.task = loaded.task.without_examples()
    return loaded, chains


def _kept_words(edit: Edit, tokenizer: Tokenizer) -> frozenset[str]:
    """The spurious words that a counterbias text must contain: those of the triples it was made from."""
    triples = edit.trace.get("triples", ())
    words = {word for triple in triples for word in tokenizer.tokens(triple["after"] or "")}
    return frozenset(edit.trace.get("spurious", ())) & words


class _ReviewJournal(Journal):
    """Model outputs: those in the journal of the run, which is only read, and new ones in the review's own file."""

    def __init__(self, run: Journal | None, path: Path) -> None:
        super().__init__(path)
        self._run = run

    def get_all(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The known answers, by key."""
        wanted = list(keys)
        known = {} if self._run is None else self._run.get_all(wanted)
        return known | super().get_all(key for key in wanted if key not in known)


def journal_of(contents: RunContents) -> Journal:
    """The model outputs of the run and of its review."""
    path = contents.folder / JOURNAL_FILE
    run = Journal(path) if path.exists() else None
    return _ReviewJournal(run, contents.folder / REVIEW_FOLDER / CHECKS_FILE)
