"""The people of a perturbed row: who was changed, and the stages that led there (appendix B of the perturbation paper).

person_view(edit)            the changed person, with the words for them marked in the original text
edit_stages(edit, people)    words that express an attribute (1), the attribute and the person of each (2), the change (3)
row_stages(people)           the same for a row that was left unchanged
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import islice

from longway.jobs.perturb.page import CHAIN
from longway.jobs.perturb.result import MentionedWord, RowPeople
from longway.records import Edit
from longway.report.edit_view import COMPARE_LIMIT, side_by_side
from longway.report.excerpts import NAME_LIMIT, TEXT_LIMIT, Piece, Span, cut, harmless

MAX_CHAIN = 200
MAX_LEFT = 6
MAX_WORDS = 60  # demographic words of a row
MAX_GROUPS = 16  # more than there are attributes

Groups = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class PersonView:
    """The person that a perturbation changed; `before` marks the words that refer to the person. left: words left unchanged."""

    word: str
    how: str
    before: list[Piece]
    after: list[Piece]
    left: list[str]


@dataclass(frozen=True, slots=True)
class StagesView:
    """The stages of one row.

    words: by axis. skipped: words that only look demographic, with the reason. person: the words for the person who was changed.
    others: the other words by attribute. how: the change, "" if the row is unchanged.
    """

    words: Groups
    skipped: str
    person: str
    others: Groups
    how: str = ""
    left: Sequence[str] = ()


def person_view(edit: Edit, notes: Sequence[Span] = (), *, limit: int) -> PersonView | None:
    """The person that a perturbation changed; None for an edit of another method. notes: spans of the original text. limit: characters."""
    trace = edit.trace
    if "chain" not in trace:
        return None
    before, after = (harmless(text[:COMPARE_LIMIT]) for text in (edit.before, edit.after))
    marks = [(start, end, CHAIN) for name, start, end in _chain(edit) if name == edit.field]
    old, new = side_by_side(before, after, marks=marks, notes=(notes, ()), limit=limit)
    return PersonView(
        word=cut(str(trace.get("word", ""))),
        how=cut(f"{trace.get('axis')}: {trace.get('source')} to {trace.get('target')}", TEXT_LIMIT),
        before=old,
        after=new,
        left=[cut(str(words), TEXT_LIMIT) for words in (trace.get("left") or [])[:MAX_LEFT]],
    )


def edit_stages(edit: Edit, person: PersonView, people: RowPeople | None) -> StagesView:
    """The stages of an edit; a run of an earlier version knows the chosen word only (people: None)."""
    trace, chain = edit.trace, _chain(edit)
    words = people.words[:MAX_WORDS] if people else ()
    others = [
        one
        for one in words
        if not any(one.field == name and one.start < end and start < one.end for name, start, end in chain)
    ]
    mentions = dict.fromkeys(edit.before[start:end] for name, start, end in chain if name == edit.field)
    return StagesView(
        words=_grouped("axis", words) or [(cut(str(trace.get("axis"))), person.word)],
        skipped=_skipped(words),
        person=cut(f"{trace.get('source')}: {', '.join(mentions) or person.word}", TEXT_LIMIT),
        others=_grouped("attribute", others),
        how=person.how,
        left=person.left,
    )


def row_stages(people: RowPeople) -> StagesView:
    """The stages of a row that was left unchanged."""
    words = people.words[:MAX_WORDS]
    return StagesView(_grouped("axis", words), _skipped(words), "", _grouped("attribute", words))


def row_pieces(people: RowPeople, text: str, field: str, *, limit: int) -> list[Piece]:
    """The text of an unchanged row with its demographic words marked. field: the column of the text."""
    shown = harmless(text[:COMPARE_LIMIT])
    marks = [(one.start, one.end, CHAIN) for one in people.words[:MAX_WORDS] if one.field == field]
    return side_by_side(shown, shown, marks=marks, limit=limit)[0]


def _chain(edit: Edit) -> list[tuple[str, int, int]]:
    return [(str(name), int(start), int(end)) for name, start, end in edit.trace["chain"][:MAX_CHAIN]]


def _skipped(words: Iterable[MentionedWord]) -> str:
    skipped = ", ".join(f"{one.word} ({one.skipped})" for one in words if one.skipped)
    return cut(skipped, TEXT_LIMIT) if skipped else ""


def _grouped(by: str, words: Iterable[MentionedWord]) -> Groups:
    """The demographic words by axis or attribute, each word once.

    >>> _grouped("axis", [MentionedWord("text", 0, 2, "He", "gender", "man"), MentionedWord("text", 3, 8, "Asian", "race", "asian")])
    [('gender', 'He'), ('race', 'Asian')]
    """
    groups: dict[str, dict[str, None]] = {}
    for one in words:
        if not one.skipped:
            groups.setdefault(getattr(one, by), {})[one.word] = None
    return [
        (cut(name), cut(", ".join(some), TEXT_LIMIT)) for name, some in islice(groups.items(), MAX_GROUPS)
    ]


def words_json(people: RowPeople | None) -> list[dict[str, object]]:
    """The demographic words of a row as JSON, cut."""
    texts = ("field", "word", "axis", "attribute", "skipped")
    words = people.words[:MAX_WORDS] if people else ()
    return [{**asdict(one), **{name: getattr(one, name)[:NAME_LIMIT] for name in texts}} for one in words]
