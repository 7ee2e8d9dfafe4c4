"""What a rewriting rule is: a function that looks at one analysed text and says how it can be put differently.

    Scene       the text with everything a rule may look at
    Rewriting   one way to put it differently: the changes, and which rule made them

A rule gives nothing where it is not sure: no rewriting is better than a bad sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from longway.task import Stance
from longway.text.changes import Change, apply_changes
from longway.text.document import Document


@dataclass(frozen=True, slots=True)
class Scene:
    """One text, and what a rule may know about it.

    context: the evidence or premise, never changed. stance: what the context says about the text; None for single
    texts and where the labels do not say. telling: lower-case words and phrases that give the label away.
    """

    document: Document
    context: str | None = None
    stance: Stance | None = None
    telling: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Rewriting:
    """One way to put a text differently.

    rule: which one, "file.case" ("negation.fail_to"). changes: at places of the original text, not overlapping.
    keeps: "meaning" where the new text says the same; "label" where it says something else that has the same label
    (another false claim for a refuted one).
    """

    rule: str
    changes: tuple[Change, ...]
    keeps: str = "meaning"

    def of(self, document: Document) -> str:
        """The document's text with the changes made."""
        return apply_changes(document.text, self.changes)


Rule = Callable[[Scene], Iterator[Rewriting]]
