"""Agreement: he, she and they exchanged, with every verb that must follow.

    "He's tall and has a dog, hasn't he?"   he -> they   "They're tall and have a dog, haven't they?"
    "They think they know."                 they -> she  "She thinks she knows."
    "She said she hates her job."           she -> he    "He said he hates his job."

    change_pronouns(document, {index: THEY})   the changes of the pronouns and of their verbs

Left alone: one half of "he or she", the verb of "he and his brother" (plural already), "'em".
"If they were rich" becomes "if he was rich": which of was and were the writer would have chosen is written
nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from longway.errors import SettingError
from longway.text.capitals import like
from longway.text.changes import Change
from longway.text.document import Document, Word
from longway.text.finite import (
    APOSTROPHES,
    NEGATIONS,
    SHORT_PLURAL,
    SHORT_SINGULAR,
    in_number,
    is_auxiliary,
    is_base_form,
    is_participle,
)
from longway.text.pronouns import PRONOUNS, Form, Pronoun, PronounForm, doubled, form_of
from longway.text.subject_verbs import FILLERS, verbs_of

# What "'s" stands for before a participle. Surely "has", since nobody is come, arrived or had:
_PERFECT = frozenset(
    "been got gotten had become come arrived died fallen happened disappeared lived slept".split()
)
# most likely "has", since a person is seldom decided or waited:
_SELDOM_PASSIVE = frozenset(
    "decided tried started begun continued managed learned agreed refused promised failed chosen "
    "seemed wanted hoped tended worked waited stayed walked run stood sat returned appeared grown "
    "changed moved said thought".split()
)
# perhaps "is", though an object follows: "he's called Tom".
_PASSIVE_WITH_OBJECT = frozenset(
    "given told shown offered asked called named paid taught awarded denied granted sent considered "
    "elected appointed made declared deemed crowned labelled labeled dubbed convinced informed "
    "assured".split()
)
_NO_OBJECTS = frozenset("every each twice today yesterday tomorrow tonight there".split())
# What a tokeniser cuts off "s/he" and "(s)he", by what it leaves.
_CUT_OFF = {"he": re.compile(r"(?<![\w'’])s/$|\(s\)$", re.IGNORECASE), "s)he": re.compile(r"\($")}


def change_pronouns(document: Document, becoming: Mapping[int, Pronoun | str]) -> list[Change]:
    """The changes that turn each pronoun into another one and make its verbs agree.

    becoming: what each word, given by its index, is to become: "he", "she", "it", "they", or a `Pronoun`. The two halves of
    "he or she" become one word where both are to become the same; a single half is left alone.
    """
    wanted = {index: _pronoun_called(pronoun) for index, pronoun in becoming.items()}
    changes: dict[tuple[int, int], Change] = {}
    for index, pronoun in sorted(wanted.items()):
        word = document.words[index] if 0 <= index < len(document) else None
        mention = form_of(document, word) if word is not None else None
        if word is None or mention is None:
            raise SettingError(
                "'becoming' must name third-person pronouns by their index. "
                f"Got {index}, which is {repr(word.text) if word else f'no word of the {len(document)}'}. "
                "Take the indices from longway.text.pronouns.pronouns_in(document)."
            )
        for change in _changes_of(document, word, mention, wanted, pronoun):
            changes.setdefault((change.start, change.end), change)
    return sorted(changes.values())


def _pronoun_called(name: Pronoun | str) -> Pronoun:
    if isinstance(name, Pronoun):
        return name
    if name not in PRONOUNS:
        raise SettingError(
            f"'becoming' must name pronouns that are known. Got {name!r}. Known: {', '.join(PRONOUNS)}."
        )
    return PRONOUNS[name]


def _changes_of(
    document: Document, word: Word, mention: PronounForm, becoming: Mapping[int, Pronoun], pronoun: Pronoun
) -> Iterator[Change]:
    other = doubled(document, word)
    if other is not None and other.index not in becoming:
        return
    if other is None or becoming[other.index] != pronoun:
        yield _pronoun_change(document, word, pronoun.form(mention.form))
    elif other.index > word.index:
        clear = other if word.lower == "her" else word  # "him or her": "him" says which form "her" is
        yield Change(word.start, other.end, like(pronoun.form(_form(document, clear)), word.text))
    if mention.pronoun.plural_verb != pronoun.plural_verb:
        for verb in verbs_of(document, word):
            yield from _verb_change(document, word, verb, plural=pronoun.plural_verb)


def _form(document: Document, word: Word) -> Form:
    mention = form_of(document, word)
    assert mention is not None
    return mention.form


def _pronoun_change(document: Document, word: Word, new: str) -> Change:
    """The change of one pronoun; "s/he" and "(s)he", which tokenisers cut up, are taken as a whole."""
    start = word.start
    cut_off = _CUT_OFF.get(word.lower)
    before = cut_off.search(document.text[max(0, start - 4) : start]) if cut_off else None
    if before is not None:
        start -= len(before[0])
    return Change(start, word.end, like(new, document.text[start : word.end]))


def _verb_change(document: Document, pronoun: Word, verb: Word, *, plural: bool) -> Iterator[Change]:
    if verb.lower in (SHORT_SINGULAR if plural else SHORT_PLURAL):
        yield _short_change(document, pronoun, verb, plural=plural)
        return
    if not plural and (_is_past(verb) or _is_modal(document, verb)):
        return
    new = in_number(verb.text, plural=plural, lemma=verb.lemma)
    if new is not None:
        yield Change(verb.start, verb.end, new)


def _is_past(verb: Word) -> bool:
    """True for the "put" of "they put it there yesterday"."""
    return verb.tag == "VBD" and not is_auxiliary(verb.lower)


def _is_modal(document: Document, verb: Word) -> bool:
    """True for the "need" of "they need not go"."""
    after = document.words[verb.index + 1].lower if verb.index + 1 < len(document) else ""
    return verb.lower in ("need", "dare") and after in NEGATIONS


def _short_change(document: Document, pronoun: Word, verb: Word, *, plural: bool) -> Change:
    """The change of "'s" to "'re" or "'ve" and back; after a question word ("what's he") it is written out."""
    letters = verb.text.lstrip("".join(APOSTROPHES))
    apostrophe = verb.text.removesuffix(letters)
    if not plural:
        new = apostrophe + "s"
    elif verb.index > pronoun.index:
        new = apostrophe + ("ve" if _short_for(document, verb) == "have" else "re")
    else:
        is_apart = document.text[verb.start - 1 : verb.start].isspace()
        full = _short_for(document, verb).replace("be", "are")
        new = full if is_apart else f" {full}"
    return Change(verb.start, verb.end, new.upper() if letters.isupper() else new)


def _short_for(document: Document, verb: Word) -> Literal["be", "have", "do"]:
    """What "'s" stands for: is, has, or (only in "what's he want?") does."""
    near = document.words[verb.index + 1 : verb.index + 7]
    rest = [w for w in near if w.lower not in NEGATIONS | FILLERS and w.upos != "ADV"]
    asked = bool(rest) and rest[0] is near[0] and rest[0].tag == "PRP"  # "what's he ..."
    if len(rest) <= asked:
        return "be"
    after = rest[asked]
    if after.lower in _PERFECT or _has_only_itself(near):
        return "have"
    if asked and after.tag in ("VB", "VBP") and is_base_form(after.lower):
        return "do"
    if after.lower == "gone":
        follows = document.words[after.index + 1 : after.index + 2]
        return "have" if any(w.upos in ("ADP", "ADV", "NOUN") for w in follows) else "be"
    return "have" if is_participle(after.lower) and _is_perfect(document, verb, after) else "be"


def _is_perfect(document: Document, verb: Word, participle: Word) -> bool:
    """True for "he's seen her", not for "he's seen by her"."""
    if participle.lower in _SELDOM_PASSIVE:
        return True
    if participle.tag not in ("VBN", "VBD", "NN", "VB", "VBP"):
        return False  # "he's tired", an adjective
    if _has_an_object(document, participle):
        return participle.lower not in _PASSIVE_WITH_OBJECT
    follows = document.words[participle.index + 1 : participle.index + 2]
    if participle.tag not in ("VBN", "VBD") or any(word.lower in ("to", "by") for word in follows):
        return False  # "he's supposed to go"
    return verb.dep == "aux" or (verb.lemma == "have" and verb.dep not in ("aux:pass", "cop"))


def _has_an_object(document: Document, participle: Word) -> bool:
    """True where a noun phrase or a clause follows at once: "he's done things", "he's shown that it works"."""
    rest = document.words[participle.index + 1 : participle.index + 3]
    if not rest or rest[0].lower in _NO_OBJECTS:
        return False
    after, *further = rest
    if after.upos == "ADJ":
        return any(word.upos == "NOUN" for word in further)
    return after.upos in ("DET", "PRON", "NOUN", "PROPN", "NUM") or after.lower in ("that", "how", "what")


def _has_only_itself(near: tuple[Word, ...]) -> bool:
    """True for "she's only herself to blame"."""
    lower = [word.lower for word in near[:3]]
    return (
        len(lower) == 3 and lower[0] == "only" and lower[1].endswith(("self", "selves")) and lower[2] == "to"
    )
