"""Captions and simple descriptions. Families: there, aspect.

    there     "A man is sleeping outside."   <->  "There is a man sleeping outside."
              "Two men riding a horse."       ->  "Two men are riding a horse."
              "Lima is a city."              <->  "There is a city called Lima."
              "Lima is a city."               ->  "One example of a city is Lima."
    aspect    "A man is riding a horse."     <->  "A man rides a horse."

Applies to indefinite subjects ("a man", "two men"), never with "no" or "not". In a caption both forms of the present mean
the same; with a named person they do not ("Ann directs films"), nor with state verbs ("knows") or words like "often".
"""

from __future__ import annotations

from itertools import pairwise

from longway.english.denials import be_form, conjugated
from longway.english.document import Change, Document
from longway.english.inflection import inflect
from longway.english.listed_words import listed_words
from longway.english.rules.clauses import Clause, clauses, is_person, is_plural_subject
from longway.english.rules.rule import Rephrasing, Rephrasings, Scene
from longway.english.rules.spans import WordSpan, as_sentence_start, name_indices, plain_sentences
from longway.english.rules.word_order import has_scope

_LISTS = listed_words(__name__)
_AMOUNTS = frozenset("a an two three four five six seven eight nine ten several some many another".split())
_PLACE_PREPOSITIONS = frozenset("near on in at outside inside behind under beside by next".split())

_NAMED_THINGS = _LISTS["named_things"]
_PHRASE_POS = frozenset(("DET", "ADJ", "NOUN", "NUM", "PROPN"))
_MAX_WORDS = 7  # of the noun phrase in "One example of a tall round tower is ..."


def there(scene: Scene) -> Rephrasings:
    """Yield the text with a "there is" added or removed, or with a missing verb added."""
    document = scene.document
    for clause in clauses(document):
        yield from _there_is(clause)
        yield from _named(clause)
    for number, sentence in plain_sentences(document):
        yield from _undo_named(document, number, sentence)
        yield from _undo_there_is(document, number, sentence)
        yield from _add_verb(document, sentence)


def _there_is(clause: Clause) -> Rephrasings:
    """Rephrase "A man is sleeping." as "There is a man sleeping."."""
    document, subject = clause.document, clause.subject
    is_amount = subject.words[0].lower in _AMOUNTS
    if clause.finite.lower not in ("is", "are") or not is_amount or has_scope(clause.verbs):
        return
    is_doing = clause.head.tag == "VBG" and len(clause.verbs) == 2 and clause.head is clause.verbs[-1]
    rest = clause.rest
    is_somewhere = rest is not None and len(clause.verbs) == 1 and rest.words[0].lower in _PLACE_PREPOSITIONS
    is_somewhere = is_somewhere and clause.head.upos == "NOUN" and not is_doing
    if not is_doing and not is_somewhere:
        return
    if any(w.tag in ("WDT", "WP", "VBG", "VBN", "CC") for w in subject.words):
        return
    is_mixed = clause.finite.lower == "are" and subject.words[0].lower in ("a", "an")  # "a group of men are"
    if is_mixed or not any(w.upos == "NOUN" for w in subject.words):
        return
    joined = document.children(clause.head, "conj", "parataxis")
    if any(document.children(w, "nsubj") for w in joined):
        return
    there = as_sentence_start(document, clause.sentence, "there")
    changes = (
        Change(subject.start, subject.start + 1, f"{there} {clause.finite.lower} {subject.inside[0]}"),
        Change(subject.end, clause.finite.end, ""),
    )
    yield Rephrasing("there.there_is", changes)


def _undo_there_is(document: Document, number: int, sentence: WordSpan) -> Rephrasings:
    """Rephrase "There is a man sleeping." as "A man is sleeping."."""
    words = sentence.words
    if len(words) < 5 or words[0].lower != "there" or words[1].lower not in ("is", "are") or has_scope(words):
        return
    if words[2].lower not in _AMOUNTS or any(w.tag in ("WP", "WDT", "VBZ", "VBP", "VBD") for w in words[2:]):
        return
    places = [w for w in words[3:] if w.upos == "ADP" and w.lower in _PLACE_PREPOSITIONS]
    end = next((w.index for w in words[3:] if w.tag == "VBG" or w in places), None)
    if end is None or document.words[end - 1].upos != "NOUN" or end == sentence.last:
        return
    subject = WordSpan(document, words[2].index, end - 1)
    if any(w.upos not in ("DET", "NUM", "ADJ", "NOUN") for w in subject.words):
        return
    text = f"{as_sentence_start(document, number, subject.text)} {words[1].text}"
    yield Rephrasing.of("there.plain", Change(words[0].start, subject.end, text))


def _add_verb(document: Document, sentence: WordSpan) -> Rephrasings:
    """Rephrase "Two men riding a horse." as "Two men are riding a horse."."""
    words = sentence.words
    root = next((w for w in words if w.dep == "root"), None)
    if root is None or root.tag not in ("NN", "NNS") or words[0].lower not in _AMOUNTS | {"the"}:
        return
    after = document.words[root.index + 1] if root.index < sentence.last else None
    is_finite = any(w.tag in ("VBZ", "VBD", "VBP", "MD") for w in words)
    if after is None or after.tag != "VBG" or after.head != root.index or is_finite:
        return
    subject = document.words[sentence.first : root.index + 1]
    if any(w.upos not in ("DET", "NUM", "ADJ", "NOUN") for w in subject):
        return
    form = "are" if root.tag == "NNS" else "is"
    yield Rephrasing.of("there.finite", Change(root.end, root.end, f" {form}"))


def _named(clause: Clause) -> Rephrasings:
    """Rephrase "Lima is a city." as "There is a city called Lima." and "One example of a city is Lima."; the latter not of people."""
    document, subject, rest = clause.document, clause.subject, clause.rest
    if rest is None or clause.finite.lower not in ("is", "was") or len(clause.verbs) > 1:
        return
    noun, names = rest.words[-1], name_indices(document)
    is_name = all(w.index in names for w in subject.words) and "(" not in subject.text
    is_bare = rest.words[0].lower in ("a", "an") and all(w.upos in _PHRASE_POS for w in rest.words)
    is_known = noun.lemma.lower() in _NAMED_THINGS or (noun.upos == "NOUN" and is_person(document, noun))
    if not is_name or not is_bare or not is_known or noun.tag != "NN" or noun.index in names:
        return
    texts = {"named": f"there {clause.finite.lower} {rest.text} called {subject.text}"}
    if clause.finite.lower == "is" and len(rest) <= _MAX_WORDS and not is_person(document, noun):
        texts["example"] = f"one example of {rest.text} is {subject.text}"
    for name, text in texts.items():
        change = Change(subject.start, rest.end, as_sentence_start(document, clause.sentence, text))
        yield Rephrasing.of(f"there.{name}", change)


def _undo_named(document: Document, number: int, sentence: WordSpan) -> Rephrasings:
    """Rephrase "There is a film called Blue Sky." as "Blue Sky is a film."."""
    words, names = sentence.words, name_indices(document)
    if len(words) < 6 or words[0].lower != "there" or words[1].lower not in ("is", "was"):
        return
    called = next((w for w in words[4:-1] if w.lower in ("called", "named")), None)
    if called is None or words[2].lower not in ("a", "an"):
        return
    name = WordSpan(document, called.index + 1, sentence.last)
    thing = WordSpan(document, words[2].index, called.index - 1)
    if any(w.index not in names for w in name.words) or any(w.upos not in _PHRASE_POS for w in thing.words):
        return
    if thing.words[-1].upos == "NOUN":
        text = as_sentence_start(document, number, f"{name.text} {words[1].text} {thing.text}")
        yield Rephrasing.of("there.called", Change(words[0].start, name.end, text))


_STATE_VERBS = _LISTS["state_verbs"]
_HABIT_WORDS = _LISTS["habit_words"]
_DETERMINERS = frozenset("a an the two three four five six several some".split())
_ANIMALS = frozenset("dog cat horse bird puppy kitten animal cow sheep crowd group couple".split())


def aspect(scene: Scene) -> Rephrasings:
    """Yield the text with one verb in the other form of the present."""
    for clause in clauses(scene.document):
        if _describes_scene(clause):
            yield from _simple(clause)
            yield from _progressive(clause)


def _describes_scene(clause: Clause) -> bool:
    document, subject = clause.document, clause.subject
    heads = [w for w in document.children(clause.head, "nsubj") if subject.first <= w.index <= subject.last]
    if len(heads) != 1 or heads[0].index in name_indices(document):
        return False
    around = document.sentence(clause.sentence)
    is_being = is_person(document, heads[0]) or heads[0].lemma.lower() in _ANIMALS
    joined = document.children(clause.head, "conj", "advcl", "ccomp", "parataxis") or _continues(clause)
    is_habit = any(w.lower in _HABIT_WORDS for w in around)
    return is_being and not joined and not is_habit and subject.words[0].lower in _DETERMINERS


def _continues(clause: Clause) -> bool:
    """Return True if "and" and another verb in -ing follow, however they were parsed."""
    words = clause.rest.words if clause.rest is not None else ()
    return any(first.upos == "CCONJ" and second.lower.endswith("ing") for first, second in pairwise(words))


def _simple(clause: Clause) -> Rephrasings:
    """Rephrase "is riding" as "rides"."""
    verb = clause.head
    is_plain = [w.index for w in clause.verbs] == [clause.finite.index, verb.index]
    if verb.tag != "VBG" or clause.finite.lower not in ("is", "are") or not is_plain:
        return
    if verb.lemma.lower() in ("go", "get", "have", "be", "try"):
        return
    form = conjugated(verb.lemma.lower(), "present", is_plural_subject(clause))
    if form is not None:
        yield Rephrasing.of("aspect.simple", Change(clause.finite.start, verb.end, form))


def _progressive(clause: Clause) -> Rephrasings:
    """Rephrase "rides" as "is riding"."""
    verb, is_plural = clause.head, is_plural_subject(clause)
    if clause.verbs != (verb,) or verb.tag not in ("VBZ", "VBP") or verb.lemma.lower() in _STATE_VERBS:
        return
    form = inflect(verb.lemma.lower(), "VBG")
    if form is not None and is_plural is not None and not clause.document.children(verb, "xcomp"):
        yield Rephrasing.of("aspect.progressive", verb.becomes(f"{be_form('present', is_plural)} {form}"))
