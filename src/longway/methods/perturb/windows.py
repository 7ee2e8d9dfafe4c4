"""Windows of long texts: a few sentences each, which are perturbed independently of each other (section 5.1 of the paper).

    a document of 900 tokens  ->  windows_of  ->  4 windows of at most 256 tokens  ->  one person changed in each

The windows cover the text without gaps, so joining them returns it. A window ends at the end of a sentence; only a sentence that is itself
longer than a window is cut, between two tokens. The paper draws sequences of 256 tokens of its corpus and does not say where they end.

For labelled rows, `longway perturb` changes one person in the whole row, however long. Windows are for corpora to pretrain on, and for
networks that cannot read a long row at once (`in_windows`): those with a mention of the person are sent, and either all of them are changed
or none. A person who is named in several windows is refused, since a network could choose another new name in each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from longway.english.document import Document
from longway.english.people.change import Perturbed, Place, Request, place_in, starts_of, unchanged
from longway.english.people.demographic_mentions import DescribedPerson, find_demographics, find_persons
from longway.errors import SettingError
from longway.methods.perturb.segments import Unfit
from longway.text.sentences import sentences_of
from longway.text.tokenizer import token_spans

WINDOW = 256  # words and punctuation marks
NOBODY = "it is not clear whom the word refers to outside its window"
NAMED_TWICE = "the person is named in several windows of a text that is too long for the model"
Spot = tuple[int, int]  # numbers of a segment and of a window in it


def windows_of(text: str, *, most: int = WINDOW) -> list[str]:
    """The windows of a text, in order; none if it is blank. most: words and punctuation marks in one of them.

    >>> windows_of("She left. He stayed here. They met.", most=8)
    ['She left. He stayed here. ', 'They met.']
    >>> windows_of("one two three four five", most=2)
    ['one two ', 'three four ', 'five']
    """
    if most < 1:
        raise SettingError(f"A window must have at least 1 token. Got {most}. The default is {WINDOW}.")
    starts, room = [], 0
    for start, n_tokens in _pieces(text, most):
        if n_tokens > room:
            starts.append(start)
            room = most
        room -= n_tokens
    if not starts:
        return []
    ends = [*starts[1:], len(text)]
    return [text[start:end] for start, end in zip([0, *starts[1:]], ends, strict=True)]


def _pieces(text: str, most: int) -> Iterator[tuple[int, int]]:
    """Start and number of tokens of each sentence; a sentence with more than `most` tokens is several pieces."""
    at = 0
    for sentence in sentences_of(text):
        at = text.index(sentence, at)
        tokens = token_spans(sentence)
        for first in range(0, len(tokens), most):
            yield at + (tokens[first][1] if first else 0), len(tokens[first : first + most])
        at += len(sentence)


@dataclass(frozen=True, slots=True)
class Windowed:
    """A request in parts.

    windows: those of each segment; none if the request is sent as a whole. sent: a request for each window that is to be changed.
    refused: why nothing is sent.
    """

    request: Request
    windows: tuple[tuple[str, ...], ...]
    sent: Mapping[Spot, Request]
    refused: str = ""

    def joined(self, answers: Sequence[Perturbed]) -> Perturbed:
        """The result of the request from the answers to the parts; unchanged if one of them was refused."""
        if refused := self.refused or next((answer.reason for answer in answers if answer.reason), ""):
            return unchanged(self.request, refused)
        if not self.windows:
            return answers[0]
        new = {spot: answer.segments[0] for spot, answer in zip(self.sent, answers, strict=True)}
        return Perturbed(
            tuple(
                "".join(new.get((number, place), text) for place, text in enumerate(texts))
                for number, texts in enumerate(self.windows)
            )
        )


def in_windows(request: Request, document: Document, *, most: int = WINDOW) -> Windowed:
    """A request in windows. document: the analysis of all segments as one text. Raises Unfit if the person cannot be changed in parts.

    Pronouns with the attribute to change are sent with their window, wherever they are.
    """
    windows = tuple(tuple(windows_of(segment, most=most)) or (segment,) for segment in request.segments)
    sent = {_spot(windows, request.place): request}
    person = _person(request, document)
    for start, end in _named(person, document, request.target.axis):
        place = place_in(request.segments, start, end)
        if place is not None and _spot(windows, place) not in sent:
            raise Unfit(NAMED_TWICE)
    for word in person.words:
        place = place_in(request.segments, word.start, word.stop)
        if place is not None and word.kind == "pronoun" and word.attribute == request.source:
            further = Request(request.segments, place, request.source, request.target)
            sent.setdefault(_spot(windows, place), further)
    return Windowed(
        request, windows, {spot: _alone(windows, spot, one) for spot, one in sorted(sent.items())}
    )


def _person(request: Request, document: Document) -> DescribedPerson:
    at = starts_of(request.segments)[request.place.segment] + request.place.start
    people = find_persons(document, find_demographics(document))
    person = next((one for one in people if any(w.start <= at < w.stop for w in one.words)), None)
    if person is None:
        raise Unfit(NOBODY)
    return person


def _named(person: DescribedPerson, document: Document, axis: str) -> Iterator[tuple[int, int]]:
    """The spans of names of a person, and of other words than pronouns that express an attribute on the axis."""
    for mention in person.mentions:
        if mention.kind == "name":
            yield document.words[mention.start].start, document.words[mention.end - 1].end
    for word in person.words:
        if word.kind != "pronoun" and word.attribute.axis == axis:
            yield word.start, word.stop


def _spot(windows: Sequence[Sequence[str]], place: Place) -> Spot:
    """The window that contains a place."""
    ends = list(accumulate(map(len, windows[place.segment])))
    return place.segment, next(number for number, end in enumerate(ends) if place.start < end)


def _alone(windows: Sequence[Sequence[str]], spot: Spot, request: Request) -> Request:
    """A request for one window instead of all segments."""
    segment, number = spot
    before = sum(map(len, windows[segment][:number]))
    place = Place(0, request.place.start - before, request.place.end - before)
    return Request((windows[segment][number],), place, request.source, request.target)
