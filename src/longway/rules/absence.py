"""Absence said in other words: no, zero, not any, nothing, nobody, lacking, without.

absences(scene)    every way, e.g.

"has no children"        "does not have any children", "lacks children", "is without children"
"won zero awards"        "won no awards", "did not win any awards", "did not win a single award"
"did not win any awards" "won no awards"
"produced nothing"       "did not produce anything"
"had nothing to do with" "was unrelated to", "was unconnected with"
"There are no bridges"   "There is not a single bridge", "No bridges exist"
"No one came"            "Nobody came", "Not one person came"
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from longway.rules.denial import Denial, Time, finite, number_of, subject_of
from longway.rules.denials import denials
from longway.rules.rule import Rewriting, Scene
from longway.text.changes import Change
from longway.text.document import Document, Word
from longway.text.inflect import MASS_NOUNS, inflect, lemmas
from longway.text.word_lists import word_lists

_NONE = frozenset({"no", "zero"})
_NOBODY = ("nobody", "no one")
# "had nothing to do with": what it comes to.
_WITHOUT = {
    "have": (("lack", "lack", ""), ("without", "be", " without")),
    "possess": (("lack", "lack", ""), ("without", "be", " without")),
    "contain": (("lack", "lack", ""),),
    "include": (("lack", "lack", ""),),
    "feature": (("lack", "lack", ""),),
    "receive": (("go_without", "go", " without"),),
    "get": (("go_without", "go", " without"),),
}
_UNRELATED = ("unrelated to", "unconnected with")


def absences(scene: Scene) -> Iterator[Rewriting]:
    """The ways to say in other words that something is not there."""
    document = scene.document
    for word in document.words[1:]:
        if not word.text.islower():
            continue
        if word.lower in _NONE:
            yield from _no(document, word)
        elif word.lower == "nothing":
            yield from _nothing(document, word)
        elif word.lower in ("lacks", "lacked", "lack") and word.upos == "VERB":
            yield from _lack(document, word)
    yield from chain(_not_any(document), _any_dropped(document), _there_is_no(document), _nobody(document))


def _verb_before(document: Document, word: Word) -> tuple[Word, Time, bool | None] | None:
    """The finite verb right before a word, its time, and the number of its subject."""
    verb = document.words[word.index - 1] if word.index else None
    if (
        verb is None
        or not verb.text.islower()
        or verb.upos not in ("VERB", "AUX")
        or verb.tag not in ("VBD", "VBZ", "VBP")
    ):
        return None
    if verb.lemma == "be" or document.words[max(0, verb.index - 1)].upos in ("AUX", "PART"):
        return None
    subject = subject_of(document, verb)
    if (
        subject is None
        or subject.index > verb.index
        or (word.head != verb.index and document.words[word.head].head != verb.index)
    ):
        return None
    plural = {"VBZ": False, "VBP": True}.get(verb.tag, number_of(document, subject))
    return verb, "past" if verb.tag == "VBD" else "present", plural


def _no(document: Document, no: Word) -> Iterator[Rewriting]:
    """ "has no N", "won zero N": `no` determines the object of a plain finite verb."""
    noun = document.words[no.head]
    other = "no" if no.lower == "zero" else "zero"
    is_plural = noun.tag == "NNS"
    if no.relation not in ("det", "nummod", "advmod") or noun.upos != "NOUN" or noun.index < no.index:
        return
    if other == "no" or is_plural:
        yield Rewriting(f"negation.{other}", (Change(no.start, no.end, other),))
    found = _verb_before(document, no)
    if found is None or noun.relation != "obj" or not _is_plain_noun(document, no, noun):
        return
    verb, time, plural = found
    start = verb.start
    base = "have" if verb.lemma == "have" else verb.lemma.lower()
    if do := finite("do", time, plural):
        yield Rewriting("negation.not_any", (Change(start, no.end, f"{do} not {base} any"),))
        if single := _single(document, no, noun):
            changes = (Change(start, no.end, f"{do} not {base} a single"), single)
            yield Rewriting("negation.not_a_single", changes)
    yield from _without(verb, no, noun, time, plural)


def _without(verb: Word, no: Word, noun: Word, time: Time, plural: bool | None) -> Iterator[Rewriting]:
    some = "" if noun.tag == "NNS" or _is_mass(noun) else " any"
    for name, lemma, rest in _WITHOUT.get(verb.lemma, ()):
        if form := finite(lemma, time, plural):
            yield Rewriting(f"negation.{name}", (Change(verb.start, no.end, f"{form}{rest}{some}"),))


def _any_dropped(document: Document) -> Iterator[Rewriting]:
    """ "failed to win any awards" -> "failed to win awards", "failed to win a single award"."""
    denied = [denial.last for denial in denials(document)]
    for word in document:
        noun = document.words[word.head]
        if word.text != "any" or word.relation != "det" or noun.index < word.index or noun.upos != "NOUN":
            continue
        if not any(0 < word.index - last <= 6 for last in denied) or not _is_plain_noun(document, word, noun):
            continue
        if noun.tag == "NNS":
            after = document.words[word.index + 1]
            yield Rewriting("negation.any_dropped", (Change(word.start, after.start, ""),))
            if single := _single(document, word, noun):
                yield Rewriting("negation.a_single", (Change(word.start, word.end, "a single"), single))
        elif noun.tag == "NN" and not _is_mass(noun):
            yield Rewriting("negation.a_single", (Change(word.start, word.end, "a single"),))


def _is_plain_noun(document: Document, no: Word, noun: Word) -> bool:
    """False for "no longer", "no more than ten", "no stranger to"."""
    between = document.words[no.index + 1 : noun.index]
    return all(w.upos in ("ADJ", "NOUN", "PROPN") for w in between) and not any(
        w.tag in ("JJR", "RBR") for w in between
    )


def _single(document: Document, no: Word, noun: Word) -> Change | None:
    """The change of a plural noun to its singular, where it is counted."""
    if noun.tag != "NNS":
        return None
    known = lemmas(noun.text, "NOUN")
    singular = known[0] if known else noun.lemma
    is_counted = inflect(singular, "NNS") == noun.text and singular != noun.text
    return Change(noun.start, noun.end, singular) if is_counted and not _is_mass(noun) else None


def _is_mass(noun: Word) -> bool:
    return noun.lemma.lower() in MASS_NOUNS | word_lists().mass or noun.lower in (
        "experience",
        "support",
        "interest",
    )


def _nothing(document: Document, nothing: Word) -> Iterator[Rewriting]:
    found = _verb_before(document, nothing)
    if found is None:
        return
    verb, time, plural = found
    after = [w.text for w in document.words[nothing.index + 1 : nothing.index + 4]]
    if verb.lemma == "have" and after == ["to", "do", "with"]:
        end = document.words[nothing.index + 3].end
        for words in _UNRELATED:
            if be := finite("be", time, plural):
                yield Rewriting(f"negation.{words.split()[0]}", (Change(verb.start, end, f"{be} {words}"),))
        have = verb.text
        yield Rewriting("negation.no_connection", (Change(verb.start, end, f"{have} no connection with"),))
        return
    if after[:1] == ["but"]:
        return
    if do := finite("do", time, plural):
        yield Rewriting(
            "negation.not_anything", (Change(verb.start, nothing.end, f"{do} not {verb.lemma} anything"),)
        )


def _lack(document: Document, lack: Word) -> Iterator[Rewriting]:
    """ "lacks support" -> "has no support", "does not have support"."""
    noun = next(iter(document.children(lack, "obj")), None)
    subject = subject_of(document, lack)
    after = document.words[lack.index + 1]
    if noun is None or subject is None or subject.index > lack.index or noun.index < lack.index:
        return
    time: Time = "past" if lack.tag == "VBD" else "present"
    plural = {"VBZ": False, "VBP": True}.get(lack.tag, number_of(document, subject))
    have, do, be = (finite(verb, time, plural) for verb in ("have", "do", "be"))
    if after.lower in ("a", "an", "any"):
        if have:
            yield Rewriting("negation.has_no", (Change(lack.start, after.end, f"{have} no"),))
    elif after.upos in ("NOUN", "ADJ") and have:
        yield Rewriting("negation.has_no", (Change(lack.start, lack.end, f"{have} no"),))
    if do:
        yield Rewriting("negation.not_have", (Change(lack.start, lack.end, f"{do} not have"),))
    if be:
        yield Rewriting("negation.without", (Change(lack.start, lack.end, f"{be} without"),))


def _not_any(document: Document) -> Iterator[Rewriting]:
    """ "did not win any awards" -> "won no awards"; "was not seen by anyone" -> "was seen by no one"."""
    for denial in denials(document):
        if denial.kind != "not":
            continue
        any_word = _any_after(document, denial)
        positive = denial.finite()
        if any_word is None or positive is None:
            continue
        new = {"any": "no", "anything": "nothing", "anyone": "no one", "anybody": "nobody"}[any_word.lower]
        changes = (denial.becoming(positive), Change(any_word.start, any_word.end, new))
        yield Rewriting("negation.any_to_no", changes)
        if new == "no" and document.words[any_word.head].tag == "NNS":
            zero = Change(any_word.start, any_word.end, "zero")
            yield Rewriting("negation.any_to_zero", (denial.becoming(positive), zero))


def _any_after(document: Document, denial: Denial) -> Word | None:
    """The "any" right after the verb, or after its preposition or participle and preposition."""
    for word in document.words[denial.last + 1 : denial.last + 4]:
        if word.text in ("any", "anything", "anyone", "anybody"):
            return word
        if word.upos != "ADP" and word.tag != "VBN":
            return None
    return None


def _there_is_no(document: Document) -> Iterator[Rewriting]:
    for there in document.words:
        rest = document.words[there.index + 1 : there.index + 3]
        if there.lower != "there" or there.relation != "expl" or len(rest) < 2:
            continue
        be, no = rest
        if be.lower not in ("is", "are", "was", "were") or no.lower not in _NONE:
            continue
        noun = document.words[no.head]
        if noun.upos != "NOUN" or not _is_plain_noun(document, no, noun):
            continue
        yield Rewriting("negation.there_is_not_any", (Change(be.start, no.end, f"{be.text} not any"),))
        is_past = be.lower in ("was", "were")
        if single := _single(document, no, noun):
            new = f"{'was' if is_past else 'is'} not a single"
            yield Rewriting("negation.there_is_not_a_single", (Change(be.start, no.end, new), single))
        if noun.index + 1 < len(document) and document.words[noun.index + 1].upos in ("ADP", "PUNCT"):
            exist = finite("exist", "past" if is_past else "present", noun.tag == "NNS")
            no_word = "No" if there.text[0].isupper() else "no"
            changes = (Change(there.start, no.end, no_word), Change(noun.end, noun.end, f" {exist}"))
            yield Rewriting("negation.none_exist", changes)


def _nobody(document: Document) -> Iterator[Rewriting]:
    """ "Nobody" and "No one" as a subject, for one another and for "Not one person"."""
    for word in document.words:
        after = document.words[word.index + 1 : word.index + 2]
        is_two = word.lower == "no" and bool(after) and after[0].text == "one"
        if not is_two and word.lower != "nobody":
            continue
        end = after[0].end if is_two else word.end
        head = after[0] if is_two else word
        follows = document.words[head.index + 1 : head.index + 2]
        if (
            head.relation != "nsubj"
            or not follows
            or follows[0].lower in ("but", "else", "except", "'s", "’s", "of")
        ):
            continue
        written = document.text[word.start : end].lower()
        for new in (*_NOBODY, "not one person", "not a single person"):
            if new != written:
                text = new[0].upper() + new[1:] if word.text[0].isupper() else new
                yield Rewriting(f"negation.{new.replace(' ', '_')}", (Change(word.start, end, text),))
