"""Several texts of a row as one, and back (footnote 4 of the perturbation paper).

    ("Ann left.", "She is gone.")   ->  "Ann left. <SEP> She is gone."      what a model reads
    "Al left. <SEP> He is gone."    ->  ("Al left.", "He is gone.")         what a model wrote, field by field

    ("Ann left.", "She is gone.")   ->  "Ann left.\n\nShe is gone."         what rules read (`as_one`), with changes at exact places,
    Change(11, 14, "He")            ->  ("Ann left.", "He is gone.")        made in the segment they lie in (`with_changes`)

Whoever stands in several fields is changed in all of them alike, since they are read together. A model's way back is exact or not
at all: as many segments as there were, none emptied, and the white space around each as it was. A model that writes something else
altogether is caught by how many words it changed (`check_kept`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from longway.engines.plausible import n_changed, words_of
from longway.english.document import Change, apply_changes
from longway.methods.perturb.perturber import Place

BETWEEN = "\n\n"  # what a reader of one text takes for the end of a paragraph
SEP = "<SEP>"
PERT_SEP = "<PERT_SEP>"
# Words that may change: a few in any text, and a share of a longer one. All rewritings of mt_geneval and neutralrewriter
# (10,126 in both directions, by people and by rules) stay below it.
MAY_CHANGE, AND_SHARE = 3, 0.3


class Unfit(ValueError):  # noqa: N818 - says what happened
    """A text cannot be sent to a model, or its answer cannot be used; the message says why in a few words."""


def as_one(segments: Iterable[str]) -> str:
    """The segments as one text, so that a person in several of them is one person."""
    return BETWEEN.join(segments)


def starts_of(segments: Sequence[str]) -> list[int]:
    """Where each segment begins in the one text.

    >>> starts_of(["Ann left.", "", "She is gone."])
    [0, 11, 13]
    """
    return list(accumulate((len(segment) + len(BETWEEN) for segment in segments[:-1]), initial=0))


def place_in(segments: Sequence[str], start: int, end: int) -> Place | None:
    """The stretch of the one text as a place in its segment; None where it goes across two of them.

    >>> place_in(["Ann left.", "She is gone."], 11, 14)
    Place(segment=1, start=0, end=3)
    """
    for number, (segment, first) in enumerate(zip(segments, starts_of(segments), strict=True)):
        if first <= start and end <= first + len(segment):
            return Place(number, start - first, end - first)
    return None


def with_changes(segments: Sequence[str], changes: Iterable[Change]) -> tuple[str, ...]:
    """The segments with the changes of the one text made in each; a change that goes across two is not made.

    >>> with_changes(["Ann left.", "She is gone."], [Change(11, 14, "He")])
    ('Ann left.', 'He is gone.')
    """
    inside: list[list[Change]] = [[] for _ in segments]
    for change in changes:
        place = place_in(segments, change.start, change.end)
        if place is not None:
            inside[place.segment].append(Change(place.start, place.end, change.text))
    return tuple(map(apply_changes, segments, inside))


def joined(segments: Sequence[str]) -> str:
    """The segments as one sequence; Unfit where one of them holds a mark itself.

    >>> joined(["Ann left. ", "She is gone."])
    'Ann left. <SEP> She is gone.'
    """
    for mark in (SEP, PERT_SEP):
        if any(mark in segment for segment in segments):
            raise Unfit(f"the text itself holds {mark}")
    return f" {SEP} ".join(segment.strip() for segment in segments)


def separated(answer: str, segments: Sequence[str]) -> tuple[str, ...]:
    """The segments of an answer, one for each of those asked about; Unfit where they do not match.

    segments: as they were before; their white space at both ends is put back.

    >>> separated("Al left.<SEP>He is gone.", ["Ann left. ", "She is gone."])
    ('Al left. ', 'He is gone.')
    """
    if PERT_SEP in answer:
        raise Unfit(f"{PERT_SEP} stands in the answer")
    parts = answer.split(SEP)
    if len(parts) != len(segments):
        raise Unfit(f"of segments, {len(segments)} were sent and {len(parts)} came back")
    return tuple(with_ends_of(before, part) for part, before in zip(parts, segments, strict=True))


def with_ends_of(before: str, after: str) -> str:
    """The new text with the white space that the old one has around it; Unfit where one is empty and the other is not.

    >>> with_ends_of(" she left\\n", "he left")
    ' he left\\n'
    """
    core, new = before.strip(), after.strip()
    if not core and not new:
        return before
    if not core or not new:
        raise Unfit("a text came back empty" if core else "an empty text came back with words")
    start = before.index(core)
    return before[:start] + new + before[start + len(core) :]


def check_kept(before: Sequence[str], after: Sequence[str]) -> None:
    """Unfit where nothing was changed, or more words than one person's can be.

    >>> check_kept(["She lost her hat."], ["He lost his hat."])
    >>> check_kept(["She lost her hat."], ["Once upon a time there was a king."])
    Traceback (most recent call last):
    longway.methods.perturb.segments.Unfit: 8 of 4 words were changed, and 4 may be
    """
    if tuple(before) == tuple(after):
        raise Unfit("nothing was changed")
    words = [(words_of(old), words_of(new)) for old, new in zip(before, after, strict=True)]
    n_words = sum(len(old) for old, _ in words)
    n, most = sum(n_changed(*both) for both in words), int(MAY_CHANGE + AND_SHARE * n_words)
    if n > most:
        raise Unfit(f"{n} of {n_words} words were changed, and {most} may be")
