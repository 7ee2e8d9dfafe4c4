"""Finding denials: which words of a text are a verb group that says that something is not so.

    denials(document)    every such group that is plain; `rules/denial.py` says what one is

A group is read word by word: "did" + "not" + "win", "is" + "incapable" + "of" + "winning", "has" + "yet" + "to" + "win". One with
odd adverbs or capitals inside, and all that stands in a question, gives nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.rules.denial import Denial, Kind, Time, number_of, subject_of
from longway.text.document import Document, Word
from longway.text.finite import NEGATIONS
from longway.text.inflect import inflect, lemmas

_BE = {"is": False, "was": False, "are": True, "were": True}
_HAVE = {"has": False, "have": True, "had": None}
_DO = {"does": False, "do": True, "did": None}
_CAN = {"can": "present", "ca": "present", "could": "past"}
_FAIL = {"fail": "fail", "neglect": "fail", "refuse": "refuse", "decline": "refuse"}
_AVOID = {"avoid": "", "refrain": "from", "abstain": "from"}
_FILLERS = frozenset({"ever", "even", "actually", "really"})
# After "is not" these leave open what is denied: "is not only", "is not also".
_SCOPE = frozenset(
    "only also just merely solely simply sometimes always often necessarily even until as so too very really "
    "quite entirely exactly all every everyone everything to going about supposed exclusively".split()
)


def denials(document: Document) -> Iterator[Denial]:
    """Every denied verb of a text whose group can be taken apart."""
    for number in range(len(document.sentences)):
        words = document.sentence(number)
        if not words or words[-1].text == "?":
            continue
        for place in range(1, len(words)):
            found = _at(document, words, place)
            if found is not None:
                yield found


def _at(document: Document, words: tuple[Word, ...], place: int) -> Denial | None:
    """The denial whose group begins at a place of a sentence."""
    first = words[place]
    if not first.text.islower() or not _follows_a_subject(words, place):
        return None
    rest = words[place + 1 :]
    lower = first.lower
    if lower in _BE:
        return _after_be(document, first, rest)
    if lower in _DO:
        return _after_do(document, first, rest)
    if lower in _HAVE:
        return _after_have(document, first, rest)
    if lower in _CAN:
        return _after_can(document, first, rest)
    if lower == "never":
        return _never(document, first, rest)
    if first.tag not in ("VBD", "VBZ", "VBP"):
        return None
    return _governing(document, first, first, rest, "past" if first.tag == "VBD" else "present")


def _follows_a_subject(words: tuple[Word, ...], place: int) -> bool:
    before = words[place - 1]
    return before.upos not in ("AUX", "PART") and before.lower not in ("to", "why", "how", "what", "nor")


def _after_be(document: Document, be: Word, rest: tuple[Word, ...]) -> Denial | None:
    time: Time = "past" if be.lower in ("was", "were") else "present"
    plural = _BE[be.lower]
    if _is(rest, 0, "unable", "incapable"):
        return _ability(document, be, rest, time, plural)
    if _is(rest, 0, "never"):
        return _be_denial(document, be, rest, 0, "never", time, plural)
    if not _is_negation(rest, 0):
        return None
    if _is(rest, 1, "able", "capable"):
        return _ability(document, be, rest[1:], time, plural)
    if _is(rest, 1, "ever"):
        return _be_denial(document, be, rest, 1, "never", time, plural)
    return _be_denial(document, be, rest, 0, "not", time, plural)


def _be_denial(
    document: Document,
    be: Word,
    rest: tuple[Word, ...],
    place: int,
    kind: Kind,
    time: Time,
    plural: bool | None,
) -> Denial | None:
    after = rest[place + 1] if place + 1 < len(rest) else None
    if after is None or after.lower in _SCOPE or after.upos == "PUNCT" or after.tag == "VBG":
        return None
    return _denial(kind, kind, be, rest[place], time, plural, "be")


def _ability(
    document: Document, first: Word, rest: tuple[Word, ...], time: Time, plural: bool | None
) -> Denial | None:
    """ "unable to V", "not able to V", "incapable of V-ing", "not capable of V-ing"; `rest` begins with the adjective."""
    word = rest[0].lower
    if not _is(rest, 1, "to" if word.endswith("able") and "cap" not in word else "of"):
        return None
    verb = _infinitive(rest[2:]) if rest[1].lower == "to" else _gerund(rest[2:])
    return _denial("unable", word, first, verb, time, plural)


def _after_do(document: Document, do: Word, rest: tuple[Word, ...]) -> Denial | None:
    if not _is_negation(rest, 0):
        return None
    time: Time = "past" if do.lower == "did" else "present"
    is_ever = _is(rest, 1, "ever")
    verb = _infinitive(rest[1:])
    if verb is None or _is_to(rest, verb):
        return None
    plural = _DO[do.lower] if time == "present" else _number(document, verb)
    return _denial("never" if is_ever else "not", "not", do, verb, time, plural)


def _after_have(document: Document, have: Word, rest: tuple[Word, ...]) -> Denial | None:
    time: Time = "pluperfect" if have.lower == "had" else "perfect"
    if _is(rest, 0, "yet") and _is(rest, 1, "to"):
        verb = _infinitive(rest[2:])
        return _denial("yet", "yet to", have, verb, time, _have_number(document, have, have))
    still = 1 if _is(rest, 0, "still") else 0
    if _is_negation(rest, still) or _is(rest, 0, "never"):
        by = "never" if _is(rest, 0, "never") else "not"
        after = rest[still + 1 :]
        has_yet = bool(still) or _is(after, 0, "yet")
        kind: Kind = "yet" if has_yet else "never" if by == "never" or _is(after, 0, "ever") else "not"
        skip = 1 if _is(after, 0, "yet", "ever") else 0
        verb = after[skip] if skip < len(after) and after[skip].tag in ("VBN", "VBD") else None
        if verb is None or not verb.text.islower():
            return None
        return _denial(kind, by, have, verb, time, _have_number(document, have, verb))
    if rest and rest[0].tag in ("VBN", "VBD"):
        if _is(rest, 0, "been") and _is(rest, 1, "unable", "incapable"):
            return _ability(document, have, rest[1:], time, _have_number(document, have, rest[1]))
        return _governing(document, have, rest[0], rest[1:], time)
    return None


def _after_can(document: Document, can: Word, rest: tuple[Word, ...]) -> Denial | None:
    if not _is_negation(rest, 0):
        return None
    verb = _infinitive(rest[1:])
    time: Time = "present" if _CAN[can.lower] == "present" else "past"
    plural = None if verb is None else _number(document, verb)
    return _denial("unable", "can", can, verb, time, plural)


def _never(document: Document, never: Word, rest: tuple[Word, ...]) -> Denial | None:
    verb = rest[0] if rest else None
    if verb is None or not verb.text.islower() or verb.tag not in ("VBD", "VBZ", "VBP"):
        return None
    if verb.lower in ("did", "does", "do", "has", "have", "had") and verb.upos == "AUX":
        return None
    plural = {"VBZ": False, "VBP": True}.get(verb.tag, _number(document, verb))
    if verb.lower in _BE:
        plural = _BE[verb.lower]
    time: Time = "past" if verb.tag == "VBD" else "present"
    return _denial("never", "never", never, verb, time, plural)


def _governing(
    document: Document, first: Word, verb: Word, rest: tuple[Word, ...], time: Time
) -> Denial | None:
    """ "failed to V", "refused to V", "avoided V-ing", "refrained from V-ing"."""
    lemma = verb.lemma.lower()
    plural = {"VBZ": False, "VBP": True}.get(first.tag) if first is verb else None
    if plural is None:
        plural = _have_number(document, first, verb) if first is not verb else _number(document, verb)
    if lemma in _FAIL and _is(rest, 0, "to"):
        denied = _infinitive(rest[1:])
        kind: Kind = "fail" if _FAIL[lemma] == "fail" else "refuse"
    elif lemma in _AVOID:
        skip = 1 if _AVOID[lemma] else 0
        if skip and not _is(rest, 0, _AVOID[lemma]):
            return None
        denied, kind = _gerund(rest[skip:]), "avoid"
    else:
        return None
    return _denial(kind, lemma, first, denied, time, plural)


def _infinitive(words: tuple[Word, ...]) -> Word | None:
    """The plain verb that stands next, "ever" left out; None where it is not plain."""
    words = words[1:] if _is(words, 0, "ever") else words
    verb = words[0] if words else None
    if verb is None or not verb.text.islower() or verb.tag not in ("VB", "VBP"):
        return None
    return verb


def _gerund(words: tuple[Word, ...]) -> Word | None:
    words = words[1:] if _is(words, 0, "ever") else words
    verb = words[0] if words else None
    if verb is None or not verb.text.islower() or not verb.text.endswith("ing"):
        return None
    is_last = len(words) == 1 or words[1].upos == "PUNCT"  # "incapable of boxing": a noun for the tagger
    return verb if verb.tag == "VBG" or (verb.tag == "NN" and is_last and lemmas(verb.text, "VERB")) else None


def _lemma(verb: Word) -> str:
    if verb.lower in ("be", "been", "being", "is", "was", "are", "were"):
        return "be"
    return lemmas(verb.text, "VERB")[0] if verb.tag == "NN" else verb.lemma.lower()


def _number(document: Document, verb: Word) -> bool | None:
    for one in (verb, *document.ancestors(verb)):
        subject = subject_of(document, one)
        if subject is not None:
            return number_of(document, subject)
        if one.relation not in ("xcomp", "conj", "aux", "cop", "advcl", "ccomp"):
            return None
    return None


def _have_number(document: Document, have: Word, verb: Word) -> bool | None:
    known = _HAVE.get(have.lower)
    return known if known is not None else _number(document, verb)


def _is(words: tuple[Word, ...], place: int, *wanted: str) -> bool:
    return place < len(words) and words[place].text in wanted


def _is_to(words: tuple[Word, ...], verb: Word) -> bool:
    return any(w.index == verb.index + 1 and w.lower == "to" for w in words)


def _is_negation(words: tuple[Word, ...], place: int) -> bool:
    return place < len(words) and words[place].text in NEGATIONS


def _denial(
    kind: Kind, by: str, first: Word, last: Word | None, time: Time, plural: bool | None, verb: str = ""
) -> Denial | None:
    if last is None:
        return None
    verb = verb or _lemma(last)
    if inflect(verb, "VBN") is None or not verb.isalpha():
        return None
    return Denial(kind, by, first.index, last.index, first.start, last.end, verb, time, plural)
