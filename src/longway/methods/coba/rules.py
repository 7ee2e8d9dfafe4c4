"""Changing the label of a text by rules, without a language model.

    turned(change, text)           texts with another label
    altered(change, triples)       triples with another label

The label of a single text is changed by turning its sentiment round, that of a pair by negating a statement, by taking a negation
out, or by a statement of the context. Other labels have no opposite that the rules know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from longway.english.contradict import affirmations, contradictions, shortened
from longway.english.document import Change, Document, apply_changes
from longway.english.opposites import rotated
from longway.english.triples.extract import triples_of
from longway.english.triples.oppose import opposing_changes
from longway.english.triples.triple import MAX_TRIPLES, Triple, sentence_of, text_of, with_changes
from longway.methods.parsed_texts import NoRule, parsed_texts
from longway.task import Side, Task

T = TypeVar("T")
Edits = list[list[Change]]
Triples = list[Triple]
_STRONG: dict[str, Side] = {"very positive": "positive", "very negative": "negative"}


@dataclass(frozen=True, slots=True)
class LabelChange:
    """A change of label. context: of the text; never changed. key: decides among equally good ways. keep: words that must stay."""

    task: Task
    label: str
    target: str
    context: str | None
    key: str
    keep: Sequence[str] = ()

    @property
    def side(self) -> Side:
        """The sentiment of the target."""
        side = self.task.sides.get(self.target) or _STRONG.get(self.target.strip().lower().replace("_", " "))
        if side is None or self.task.kind != "sentiment":
            raise NoRule(f"the rules know no opposite of the label {self.label}")
        return side

    @property
    def entails(self) -> bool:
        """Whether the context must entail the new text; otherwise it must refute it."""
        wanted = self.task.stances.get(self.target)
        if wanted == "neutral":
            raise NoRule("the rules cannot write a text that is neutral to its context")
        if wanted is None:
            raise NoRule(f"the rules know no opposite of the label {self.label}")
        return wanted == "entails"

    def edits(self, document: Document) -> Edits:
        """The ways to change a statement so that it has the target."""
        now = self.task.stances.get(self.label)
        if self.entails:
            return affirmations(document) if now == "contradicts" else []
        return contradictions(document) if now == "entails" else []

    def statements(self) -> Triples:
        """Statements of the context, or their negations, that have the target. Shorter ones first: a copy of the context is easy to detect."""
        if self.context is None:
            return []
        read = parsed_texts()
        triples = triples_of(read(self.context), most=MAX_TRIPLES)
        split = [triple for triple in triples if not triple.is_whole]
        cut = [with_changes(one, changes) for one in split for changes in shortened(read(sentence_of(one)))]
        stated = [*_rotated(cut, self.key), *_rotated(split, self.key)]
        if self.entails:
            return stated
        ways = [(one, contradictions(read(sentence_of(one)), with_antonyms=False)) for one in stated]
        return [with_changes(one, edits[0]) for one, edits in ways if edits]


def turned(change: LabelChange, text: str) -> Iterator[str]:
    """Texts with another label, some of them more than once. Raises NoRule if the rules know none."""
    document = parsed_texts()(text)
    if change.task.stances:
        for changes in _rotated(change.edits(document), change.key):
            yield apply_changes(text, changes)
        for triple in change.statements():
            yield text_of([triple], like=text)
        return
    side = change.side
    for number in range(MAX_TRIPLES):
        changes = opposing_changes(document, side, key=f"{change.key}\0{number}", keep=change.keep)
        if not changes:
            raise NoRule(f"nothing in this text contradicts the label {change.target}")
        yield apply_changes(text, changes)


def altered(change: LabelChange, triples: Triples) -> Triples:
    """The triples of a text with another label. Raises NoRule if the rules know none."""
    if change.task.stances:
        return _altered_pair(change, triples)
    side, changed = change.side, Triples()
    for place, triple in enumerate(triples):
        document, key = parsed_texts()(sentence_of(triple)), "\0".join((change.key, "0", str(place)))
        changed.append(with_changes(triple, opposing_changes(document, side, key=key, keep=change.keep)))
    if changed == triples:
        raise NoRule(f"nothing in the principal triples contradicts the label {change.target}")
    return changed


def _altered_pair(change: LabelChange, triples: Triples) -> Triples:
    """The triples of a text that a context supports or refutes, changed for the other label."""
    _ = change.entails  # raises NoRule for other labels
    others, changed = change.statements(), Triples()
    for place, triple in enumerate(triples):
        edits = _rotated(change.edits(parsed_texts()(sentence_of(triple))), f"{change.key}\0{place}")
        new = [*(with_changes(triple, changes) for changes in edits), *others[place:], *others[:place]]
        if not new:
            raise NoRule(f"the rules cannot make this triple {change.target}: {triple}")
        kept = {word.lower() for word in change.keep} & triple.words
        changed.append(min(new, key=lambda other, kept=kept: len(kept - other.words)))  # type: ignore[misc]
    return changed


def _rotated(items: Sequence[T], key: str) -> list[T]:
    """The items in an order that depends on the key."""
    if not items:
        return []
    return [items[int(place)] for place in rotated(tuple(map(str, range(len(items)))), key)]
