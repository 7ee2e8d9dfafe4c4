"""A text that a person wrote in the place of a machine's: checked like a machine's, kept in any case, marked where it fails.

    write_by_hand(book, key, text, author="ada", seen=0)  ->  the decision, with "passed" and "verdicts"

Which checks a run's own edits went through depends on the command:

    rewrite    `verifier_for` the dataset as it came: surface, added words, orders, negation, numbers, names, meaning, classifiers or entailment, drift
    augment    `counterbias_verifier`: a text of its own that has the kept words and carries the label it should have
    perturb    the guards: nothing that may hurt, and for pairs nothing that may have changed the label

They are put together with the first text that is checked, and kept as long as the book is: models are trained once, and what they
read is remembered in RUN/review/checks.sqlite. `prepare` has it done while a person still writes. Nothing is asked that needs a key
or a network: a served judge is left out, and the decision names what was not checked ("missing").
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from longway.classify.ensemble import Ensemble
from longway.errors import LongwayError, RunError, SettingError
from longway.llm.asking import Asker
from longway.llm.engines import engine_named
from longway.recipes.augment_settings import AugmentSettings
from longway.recipes.decided import Decided, Heeded
from longway.recipes.held_out import arrange
from longway.recipes.important_words import labelled
from longway.recipes.perturb import CONTRAST, OFFENSIVE
from longway.recipes.rewrite import give_away_of
from longway.recipes.rows import rows_of, task_with_examples
from longway.records import Verdict
from longway.review.book import Book, EditFilter
from longway.review.database import REVIEW_FOLDER
from longway.review.decisions import Decision
from longway.rewrite.leak_aware import GiveAway
from longway.rewrite.method import Rows, keeps_of
from longway.rewrite.perturb.guards import label_warning, offence
from longway.store import JOURNAL_FILE, Journal
from longway.text.tokens import tokenize
from longway.verify.check import Candidate, Origin
from longway.verify.counterbias import counterbias_verifier
from longway.verify.surface import Surface
from longway.verify.verifier import Verifier, passed, verifier_for

LONGEST = 50_000  # characters; a longer text is no edit of a row
AT_ONCE = 200
CHECKS_FILE = "checks.sqlite"  # in the folder of the review

_checkers: WeakKeyDictionary[Book, Checker] = WeakKeyDictionary()
_lock = threading.Lock()  # models are trained once, and what they remember is not for several threads


def write_by_hand(book: Book, key: str, text: str, *, author: str, seen: int | None = None) -> Decision:
    """The decision for a text written by hand, with what the checks said of it; it is kept whether they pass it or not.

    seen: as in `Decisions.write`.
    """
    edit = book.edit(key)
    text = with_line_ends_of(edit["before"], text.strip())
    _check_text(edit, text)
    with _lock:
        verdicts, missing = _checker(book).check(edit, text)
    value = {
        "choice": "hand",
        "text": text,
        "passed": passed(verdicts),
        "verdicts": [verdict.to_dict() for verdict in verdicts],
        "missing": list(missing),
    }
    return book.decisions.write("edit", key, value, author=author, seen=seen)


def prepare(book: Book, key: str) -> None:
    """Have the models of the checks learn, so that the first text does not wait for them; nothing where they are at work already."""
    edit = book.edit(key)
    if _lock.acquire(blocking=False):
        try:
            _checker(book).check(edit, edit["before"])  # passes, so that every check has its turn
        finally:
            _lock.release()


def _checker(book: Book) -> Checker:
    if book not in _checkers:
        _checkers[book] = checker_of(book)
    return _checkers[book]


def with_line_ends_of(before: str, text: str) -> str:
    """The text with the line ends of another one: a browser sends its own.

    >>> with_line_ends_of("one\\r\\ntwo", "three\\nfour"), with_line_ends_of("one", "three\\r\\nfour")
    ('three\\r\\nfour', 'three\\nfour')
    """
    own = re.search(r"\r\n|\n|\r", before)
    return re.sub(r"\r\n|\n|\r", own[0] if own else "\n", text)


def _check_text(edit: Mapping[str, Any], text: str) -> None:
    if not text:
        raise SettingError(
            "The text is empty. A row needs a text. Write one, or reject the edit to keep the old text."
        )
    if len(text) > LONGEST:
        raise SettingError(
            f"The text has {len(text):,} characters. At most {LONGEST:,} were expected. Shorten it."
        )
    if text == with_line_ends_of(edit["before"], edit["after"].strip()):
        raise SettingError(
            "The text is what the machine wrote. A different one was expected. Accept the edit instead."
        )
    if text == edit["before"].strip():
        raise SettingError(
            "The text is what was there before. A different one was expected. Reject the edit instead."
        )


class Checker(Protocol):
    """What looks at hand-written texts of one run."""

    def check(self, edit: Mapping[str, Any], text: str) -> tuple[Sequence[Verdict], Sequence[str]]:
        """The verdicts on a text in the place of an edit's, and what could not be checked."""
        ...


def checker_of(book: Book) -> Checker:
    """The checker that fits the command of a run."""
    makers: dict[str, Callable[[Book], Checker]] = {
        "rewrite": Rewritten,
        "augment": Augmented,
        "perturb": Perturbed,
    }
    if book.command not in makers:
        raise RunError(
            f"{book.folder} is a run of `longway {book.command}`, whose edits cannot be written by hand. "
            f"Expected one of: {', '.join(makers)}. Review such a run."
        )
    return makers[book.command](book)


@dataclass(frozen=True, slots=True)
class Both:
    """Text and context of a row before and after; contexts are None for single texts."""

    text: tuple[str, str]
    context: tuple[str | None, str | None]


def both_of(book: Book, edit: Mapping[str, Any], new: str, *, text_name: str) -> Both:
    """The row of an edit as it would be with a new text in the edited column.

    Where the same change has an edit in the other column, that one stands, too.
    """
    row = book.row(edit["source"] or edit["id"])
    others = [
        one
        for one in book.row(edit["id"])["edits"]
        if one["id"] == edit["id"]
        and one["field"] != edit["field"]
        and all(one[name] == edit[name] for name in ("round", "how", "accepted"))
    ]
    mine = edit["before"], new
    other = (others[0]["before"], _text_of(others[0])) if others else None
    if edit["field"] == text_name:
        return Both(mine, other or (row["context"], row["context"]))
    return Both(other or (row["text"], row["text"]), mine)


def _text_of(edit: Mapping[str, Any]) -> str:
    """What an edit puts in: the text by hand where there is one."""
    value = (edit["decision"] or {}).get("value", {})
    return str(value["text"]) if value.get("choice") == "hand" else str(edit["after"])


class Rewritten:
    """Checks of `longway rewrite`."""

    def __init__(self, book: Book) -> None:
        self.book, self.settings = book, book.about["settings"]
        self.rows, self._chains = rows_as_they_came(book)
        self.journal = journal_of(book)
        self._place = {id: place for place, id in enumerate(self.rows.ids)}
        self._verifiers: dict[str, Verifier] = {}

    def check(self, edit: Mapping[str, Any], text: str) -> tuple[Sequence[Verdict], Sequence[str]]:
        """The verdicts on a text in the place of an edit's, and what could not be checked."""
        kind = "added" if edit["source"] else "rewritten"
        if kind not in self._verifiers:
            self._verifiers[kind] = self._added() if edit["source"] else self._rewritten()
        verifier = self._verifiers[kind]
        (verdicts,) = verifier.verify([self._candidate(edit, text)])
        return verdicts, verifier.missing

    def _rewritten(self) -> Verifier:
        rows = self.rows
        labels = [rows.label(place) for place in range(len(rows))]
        return verifier_for(
            rows.task,
            rows.texts,
            labels,
            rows.contexts,
            judge=judge_of(self.settings),
            seed=self.settings["seed"],
            journal=self.journal,
        )

    def _added(self) -> Verifier:
        """For rows that a rewrite adds (CrossAug): pairs, whose label the context decides."""
        return counterbias_verifier(self.rows.task, journal=self.journal, judge=judge_of(self.settings))

    def _candidate(self, edit: Mapping[str, Any], text: str) -> Candidate:
        id = edit["source"] or edit["id"]
        if id not in self._place:
            raise RunError(
                f"The row {id!r} is not in the dataset of {self.book.folder}. Check the run folder."
            )
        place = self._place[id]
        both = both_of(self.book, edit, text, text_name=self.rows.task.text_name)
        before, after = both.text
        first = self.rows.texts[place]
        return Candidate(
            row=place,
            before=before,
            after=after,
            label=edit["label_after"],
            context=both.context[1] if self.rows.contexts is not None else None,
            keeps="label" if edit["source"] else keeps_of(edit["how"]),
            telling=self._telling(edit, edit["before"]),
            origin=None if before == first or edit["source"] else self._origin(edit, first),
            may_copy=before == after,
            keep=_kept_words(edit),
        )

    def _origin(self, edit: Mapping[str, Any], first: str) -> Origin:
        """What the text before comes from, and what the edits since then kept: its meaning, or only its label."""
        hows = [how for number, how in self._chains.get(edit["id"], ()) if number < edit["round"]]
        keeps = "label" if "label" in map(keeps_of, hows) else "meaning"
        return Origin(first, keeps, self._telling(edit, first))

    def _telling(self, edit: Mapping[str, Any], text: str) -> frozenset[str]:
        """Words of a text of the row that were meant to go, where the run looked for such words."""
        if self.settings.get("choose") != "leak" or edit["field"] != self.rows.task.text_name:
            return frozenset()
        label = list(self.rows.label_names).index(edit["label_before"])
        return frozenset(self._give_away.telling(text, label))

    @cached_property
    def _give_away(self) -> GiveAway:
        """What gave labels away when the run began."""
        settings, heeded = self.settings, None
        if told := settings.get("decisions"):
            heeded = Heeded.of(Decided.from_told(told), text=self.rows.task.text_name, aims=True)
        keep = (*settings["keep"], *(heeded.keep if heeded else ()))
        return give_away_of(self.rows, keep=keep, heeded=heeded)


class Augmented(Rewritten):
    """Checks of `longway augment`: all texts are added."""

    def _added(self) -> Verifier:
        settings = self.settings
        if not self.rows.task.labels:
            why = "label: the rows have a text of their own each, and no label to check"
            return Verifier([Surface(shortest=0.25, longest=2.5)], missing=[why])
        models = settings.get("models") or AugmentSettings().models
        ensemble = Ensemble(labelled(self.rows), models, seed=settings["seed"])
        return counterbias_verifier(
            self.rows.task, ensemble=ensemble, journal=self.journal, judge=judge_of(settings)
        )


class Perturbed:
    """The guards of `longway perturb`: they look at text and context together."""

    def __init__(self, book: Book) -> None:
        self.book, self.settings = book, book.about["settings"]

    def check(self, edit: Mapping[str, Any], text: str) -> tuple[Sequence[Verdict], Sequence[str]]:
        """The verdicts on a text in the place of an edit's, and what could not be checked."""
        both = both_of(self.book, edit, text, text_name=self.settings["text"])
        before, after = ([one for one in (both.context[when], both.text[when]) if one] for when in (0, 1))
        found = {OFFENSIVE: offence(before, after)}
        if len(before) > 1:
            found[CONTRAST] = label_warning(before, after)
        return [Verdict(name, not reason, reason=reason) for name, reason in found.items()], ()


Chains = dict[str, list[tuple[int, str]]]  # id -> round and `how` of the row's kept edits


def rows_as_they_came(book: Book) -> tuple[Rows, Chains]:
    """The rows that a run worked on, with the texts that they came with: its own dataset, with every edit taken back."""
    settings = book.about["settings"]
    is_labelled = settings.get("target") is None
    rows = rows_of(
        arrange(book.dataset(), settings.get("split"), labelled=is_labelled).dataset,
        seed=settings["seed"],
        labelled=is_labelled,
    )
    first: dict[tuple[str, str], str] = {}
    added: set[str] = set()
    chains: Chains = {}
    for edit in _kept(book):
        if edit["source"]:
            added.add(edit["id"])
        else:
            first.setdefault((edit["id"], edit["field"]), edit["before"])
            chains.setdefault(edit["id"], []).append((edit["round"], edit["how"]))
    places = [place for place, id in enumerate(rows.ids) if id not in added]
    task = rows.task
    ids = [rows.ids[place] for place in places]
    texts = [first.get((rows.ids[place], task.text_name), rows.texts[place]) for place in places]
    contexts = None if rows.contexts is None else [rows.contexts[place] for place in places]
    came = Rows(ids, texts, rows.labels[places], rows.label_names, task, contexts)
    if is_labelled:
        came.task = task_with_examples(came, seed=settings["seed"])
    return came, chains


def _kept(book: Book) -> Iterable[dict[str, Any]]:
    """The edits that the run kept, in the order in which they were made."""
    number, pages = 1, 1
    while number <= pages:
        page = book.edits(EditFilter(status="kept"), page=number, size=AT_ONCE)
        yield from page.rows
        number, pages = number + 1, page.pages


def _kept_words(edit: Mapping[str, Any]) -> frozenset[str]:
    """The spurious words that a counterbias text must still have: those of the triples that were put into it."""
    trace = edit.get("trace") or {}
    put_in = {word for one in trace.get("triples", ()) for word in tokenize(one["after"] or "")}
    return frozenset(trace.get("spurious", ())) & put_in


class _Remembered(Journal):
    """What models said of texts: in the run, whose journal is read and never added to, and since then in the review."""

    def __init__(self, run: Journal | None, path: Path) -> None:
        super().__init__(path)
        self._run = run

    def get_all(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The answers that are there, by key."""
        wanted = list(keys)
        known = {} if self._run is None else self._run.get_all(wanted)
        return known | super().get_all(key for key in wanted if key not in known)


def journal_of(book: Book) -> Journal:
    """What models said in the run and in its review, so that a text is read once."""
    path = book.folder / JOURNAL_FILE
    run = Journal(path) if path.exists() else None
    return _Remembered(run, book.folder / REVIEW_FOLDER / CHECKS_FILE)


def judge_of(settings: Mapping[str, Any]) -> Asker | None:
    """The run's judge where it is the small model on this machine; others need a key or a server."""
    if settings.get("judge") != "local":
        return None
    try:
        return Asker(engine_named("local", seed=settings["seed"]), Journal(None))
    except LongwayError:
        return None  # told as missing by the verifier
