"""The input and the base class of all checks.

    Candidate   a rewritten text with the text before, its context and its label
    Origin      for a row that was rewritten earlier: the text as loaded
    Check       candidates -> one verdict per candidate

Checks receive many candidates at once, which lets models run in batches.
"""

from __future__ import annotations

import re
from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from longway.records import Verdict
from longway.text.sentences import OTHER_MARKS

_MARKS = f".!?…,;: ，、；：،؛{OTHER_MARKS}"


@dataclass(frozen=True, slots=True)
class Origin:
    """The starting point of a text that was rewritten before.

    text: as loaded. keeps: "label" if any edit since then kept only the label, otherwise "meaning".
    telling, asides: of these edits, as in `Candidate`.
    """

    text: str
    keeps: str = "meaning"
    telling: frozenset[str] = frozenset()
    asides: frozenset[str] = frozenset()


@dataclass(slots=True)
class Candidate:
    """A rewritten text and what it must agree with.

    row: position in the dataset. keeps: "meaning", or "label" if the text may say something else with the same label.
    telling: words and phrases that the edit was meant to remove; losing them is no fault.
    asides: sentences, openings and closings that the edit was meant to remove or to put in, and that say nothing about the rest
    ("Sent from my phone.", "For the record,").
    origin: None if `before` is the text as loaded. may_copy: whether a copy of `before` is acceptable.
    language: of the row, as an ISO 639 code; "" for English. The verifier finds it.
    keep: words that must remain: a counterbias text contains the spurious words of its source. context_keep: the same for its context.
    """

    row: int
    before: str
    after: str
    label: str
    context: str | None = None
    keeps: str = "meaning"
    telling: frozenset[str] = frozenset()
    origin: Origin | None = None
    may_copy: bool = False
    keep: frozenset[str] = frozenset()
    context_keep: frozenset[str] = frozenset()
    asides: frozenset[str] = frozenset()
    language: str = ""

    def without(self, text: str) -> str:
        """A text without the asides, which were removed or put in on purpose, whatever marks end them; the text itself if nothing would remain."""
        for aside in sorted(self.asides, key=len, reverse=True):
            words = re.escape(aside.strip(_MARKS))
            if not words:
                continue
            rest = re.sub(rf"(?<!\w){words}(?!\w)\s*[{_MARKS}]*", "", text, flags=re.IGNORECASE).strip()
            text = rest if any(map(str.isalnum, rest)) else text
        return text

    @property
    def origin_now(self) -> Origin:
        """The origin of the row's text once this candidate is accepted."""
        first = self.origin or Origin(self.before)
        keeps = "label" if "label" in (first.keeps, self.keeps) else "meaning"
        return Origin(first.text, keeps, first.telling | self.telling, first.asides | self.asides)

    def from_the_start(self) -> Candidate:
        """The candidate compared with the text as loaded, as if all edits were one."""
        whole = self.origin_now
        return replace(
            self,
            before=whole.text,
            keeps=whole.keeps,
            telling=whole.telling,
            asides=whole.asides,
            origin=None,
            may_copy=True,
        )


class Check(ABC):
    """One way in which a rewritten text can be wrong.

    A subclass implements `verdict`, or `__call__` if it works in batches. about_label: False for checks of the form of a text,
    which say nothing about its label: they do not count towards the expected share of wrong labels.
    english_only: whether it knows English only; texts in other languages get no verdict from it.
    english_vectors: whether it reads all texts with an encoder that knows English only; the report says so if there are others.
    at_once: candidates for which it is called at a time, so that progress can be shown in between; 0 for all, if an engine is called.
    """

    name: str
    about_label: ClassVar[bool] = True
    english_only: bool = False
    english_vectors: bool = False
    at_once: ClassVar[int] = 64

    @property
    def has_model(self) -> bool:
        """Whether it reads candidates with a model in this process: it works in batches, and calls no engine."""
        return bool(self.at_once) and type(self).__call__ is not Check.__call__

    def concerns(self, candidate: Candidate) -> bool:
        """Whether the check applies to this candidate; if not, the candidate gets no verdict from it."""
        return True

    def applies(self, candidate: Candidate) -> bool:
        """Whether the candidate gets a verdict: the check concerns it and knows its language."""
        return not (self.english_only and candidate.language) and self.concerns(candidate)

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict per candidate, in order."""
        return [self.verdict(candidate) for candidate in candidates]

    def verdict(self, candidate: Candidate) -> Verdict:
        """The verdict on one candidate."""
        raise NotImplementedError
