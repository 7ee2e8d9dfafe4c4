"""Plain clauses that rules can rebuild, and the persons they are about.

clauses(document)                       plain clauses: subject, verbs, rest
is_plural_span(document, span)          True, False, or None if unsure: what a verb must agree with
is_plain_statement(document, index)     one main clause that starts with its subject, nothing joined to it
embedded_after(scene, first, words)     the change that puts "It is false that" before a sentence
is_person(document, word), is_known_person(scene, subject)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from longway.english.denials import subject_of
from longway.english.document import Change, Document, Word, Words
from longway.english.people.mentions import find_mentions, person_noun_kind
from longway.english.rules.rule import Scene
from longway.english.rules.spans import TITLE_WORDS, WordSpan, name_indices, plain_sentences

_PLURAL_PRONOUNS = frozenset("they we you these those both many several few".split())
_SINGULAR_PRONOUNS = frozenset(
    "he she it this that one someone somebody everyone everybody nobody each another".split()
)
_SAME_IN_PLURAL = frozenset("series species fish sheep deer aircraft staff media people police".split())
NOT_WORDS = frozenset({"not", "n't", "n’t"})


@dataclass(frozen=True, slots=True)
class Clause:
    """A plain sentence: subject, verbs, rest.

    sentence: its number. subject: the phrase before the verbs. head: the main verb, or the predicate after "be". verbs:
    auxiliaries, negation, adverbs and the main verb, in order. rest: the words after them, if any.
    """

    document: Document
    sentence: int
    subject: WordSpan
    head: Word
    verbs: Words
    rest: WordSpan | None

    @property
    def finite(self) -> Word:
        """The verb that agrees with the subject."""
        return self.verbs[0]

    @property
    def negation(self) -> Word | None:
        """The "not" among the verbs."""
        return next((word for word in self.verbs if word.lower in NOT_WORDS), None)

    @property
    def adverbs(self) -> Words:
        """The adverbs among the verbs, without "not"."""
        return tuple(w for w in self.verbs if w.upos in ("ADV", "PART") and w.lower not in NOT_WORDS)

    @property
    def auxiliaries(self) -> Words:
        """The verbs before the main one, including "be"."""
        return tuple(w for w in self.verbs if w.upos in ("AUX", "VERB") and w.index != self.head.index)


def clauses(document: Document) -> Iterator[Clause]:
    """Yield the clauses that make up a plain sentence, at most one per sentence.

    Sentences with anything but the subject before the verbs are skipped.
    """
    for number, sentence in plain_sentences(document):
        clause = _parse_clause(document, number, sentence)
        if clause is not None:
            yield clause


def _parse_clause(document: Document, number: int, sentence: WordSpan) -> Clause | None:
    head = next((w for w in sentence.words if w.dep == "root"), None)
    if head is None:
        return None
    below = document.children(head, "aux", "cop")
    is_verb = head.upos in ("VERB", "AUX")
    if not is_verb and not any(w.relation == "cop" for w in below):
        return None
    verbs = [w.index for w in below if w.index <= head.index] + ([head.index] if is_verb else [])
    if not verbs:
        return None  # "be" after its predicate
    first, last = min(verbs), max(verbs)
    while first - 1 > sentence.first and _is_verbal_adverb(document, document.words[first - 1], head):
        first -= 1
    if first == sentence.first or last > sentence.last:
        return None
    if not is_verb:
        while last + 1 < head.index and _is_verbal_adverb(document, document.words[last + 1], head):
            last += 1
    group = document.words[first : last + 1]
    if any(w.upos not in ("AUX", "VERB", "ADV", "PART") for w in group):
        return None
    subject = WordSpan(document, sentence.first, first - 1)
    rest = WordSpan(document, last + 1, sentence.last) if last < sentence.last else None
    clause = Clause(document, number, subject, head, group, rest)
    return clause if _is_plain(clause) else None


def _is_verbal_adverb(document: Document, word: Word, head: Word) -> bool:
    is_adverb = word.upos == "ADV" or word.lower in NOT_WORDS
    return is_adverb and word.head == head.index and word.index not in name_indices(document)


def _is_plain(clause: Clause) -> bool:
    """Return True if one noun phrase precedes the verbs, and no verb is shared or missing."""
    document, subject = clause.document, clause.subject
    if clause.finite.tag not in ("VBD", "VBZ", "VBP", "MD") and not clause.adverbs:
        return False
    names = name_indices(document)
    if any(w.index in names for w in clause.verbs):
        return False
    if all(w.index in names or w.tag == "DT" for w in subject.words):
        return True  # a name, however "Born in Paris" was parsed
    heads = [w for w in document.children(clause.head, "nsubj") if w.index <= subject.last]
    if len(heads) != 1:
        return False
    below = document.subtree(heads[0])
    return len(below) == len(subject) and below[0].index == subject.first and below[-1].index == subject.last


def is_plural_span(document: Document, span: WordSpan) -> bool | None:
    """Return True if a phrase is plural for a verb, False if it is singular, None if unsure."""
    words, names = span.words, name_indices(document)
    if all(w.index in names or w.tag == "DT" for w in words):
        return None if _may_be_several(words) else False
    inside = {w.index for w in words}
    heads = [w for w in words if w.head not in inside or w.dep == "root"]
    if len(heads) != 1:
        return None
    head = heads[0]
    if any(w.index in inside for w in document.children(head, "conj")):
        return True if any(w.lower == "and" for w in words) else None
    if head.upos == "PRON":
        return True if head.lower in _PLURAL_PRONOUNS else False if head.lower in _SINGULAR_PRONOUNS else None
    if head.tag in ("NNS", "NNPS"):
        return True if head.index not in names else None
    is_single = any(w.lower in ("a", "an", "this", "one") for w in words)
    if head.lemma.lower() in _SAME_IN_PLURAL and not is_single:
        return None
    return False if head.tag in ("NN", "NNP", "VBG", "CD") else None


def _may_be_several(words: Words) -> bool:
    """Return True for names such as "Jane and Joan" (two people, or a title) and "The Kinks"."""
    lower = [w.lower for w in words]
    if "and" in lower or "&" in lower or any(w.tag == "NNPS" for w in words):
        return True
    return lower[0] == "the" and lower[-1].endswith("s") and not lower[-1].endswith("ss")


def is_plural_subject(clause: Clause) -> bool | None:
    """Return the number that the verb shows, else that of the subject."""
    verb = clause.finite.lower
    if verb in ("is", "was", "has", "does", "isn", "wasn") or clause.finite.tag == "VBZ":
        return False
    is_first = clause.subject.words[0].lower == "i"
    shows_plural = clause.finite.tag == "VBP" and verb not in ("am", "have", "do") and not is_first
    if verb in ("are", "were") or shows_plural:
        return True
    if is_first and len(clause.subject) == 1:
        return None
    return is_plural_span(clause.document, clause.subject)


_EXTRA_CLAUSES = ("conj", "parataxis", "advcl", "ccomp", "csubj", "discourse", "dislocated", "vocative")
_PERSON_PATTERN = re.compile(
    r"\bborn\b|\b(?:he|she|his|her) \b|\b(?:actor|actress|singer|politician|director|writer|author|player|musician|producer"
    r"|model|comedian|rapper|wrestler|painter|lawyer|businessman|businesswoman|journalist|philosopher|composer|king|queen"
    r"|emperor|screenwriter|novelist|poet|boxer|footballer|coach|racing driver|scientist|songwriter|host)\b"
)


def main_clause_root(document: Document, index: int) -> Word | None:
    """Return the root of the sentence if the word belongs to its main verb group, else None."""
    word: Word | None = document.words[index]
    while word is not None and word.relation != "root":
        if word.relation not in ("aux", "cop", "xcomp", "advcl", "ccomp", "advmod", "obl"):
            return None
        word = document.head(word)
    return word


def is_plain_statement(document: Document, index: int) -> bool:
    """Return True if a word belongs to the main verb of a sentence that is a single statement starting with its subject."""
    main = main_clause_root(document, index)
    if main is None or document.children(main, *_EXTRA_CLAUSES):
        return False
    words = document.sentence_of(main)
    subject = subject_of(document, main)
    if subject is None or words[-1].text not in (".", "!") or _is_beside_fragment(document, main):
        return False
    phrase = document.subtree(subject)
    is_first = phrase[0].index == words[0].index and phrase[-1].index < index
    return is_first and not any(w.text in (";", ":", "?") for w in words if w.index > index)


def _is_beside_fragment(document: Document, main: Word) -> bool:
    """Return True next to a sentence of one or two words: probably a name with initials that was split."""
    number = document.sentence_number(main)
    neighbours = [n for n in (number - 1, number + 1) if 0 <= n < len(document.sentences)]
    return any(len(document.sentence(n)) < 3 for n in neighbours)


def is_known_person(scene: Scene, subject: Word | None) -> bool:
    """Return True if a subject is surely one person, judging by the name and the context."""
    if subject is None:
        return False
    mention = next((m for m in find_mentions(scene.document) if m.start <= subject.index < m.end), None)
    if mention is None or mention.number != "sing" or mention.kind == "pronoun":
        return mention is not None and mention.number == "sing"
    if mention.kind != "name":
        return True
    opening = (scene.context or "")[:400]
    return mention.certain and len(mention.parts) > 1 and bool(_PERSON_PATTERN.search(opening))


def lowercase_first(scene: Scene, first: Word) -> str | None:
    """Return the first word of a sentence as written inside one; None if unknown."""
    text, document = first.text, scene.document
    small = text[:1].lower() + text[1:]
    if text == "I" or text == small or text[1:] != text[1:].lower():
        return text
    after = document.words[first.index + 1].text if first.index + 1 < len(document) else ""
    context = scene.context or ""
    if first.upos == "DET" or first.tag == "PRP$":
        if not after[:1].isupper():
            return small
        in_context = re.search(rf"\w ({text}|{small}) {re.escape(after)}\b", context)
        if in_context is not None:
            return in_context[1]
        # "an American band", "the Corvane Bridge"; but a title has its capital from the first word on.
        head = document.head(first)
        is_plain_noun = head is not None and head.text.islower()
        opening = re.findall("[a-z]+", context[:400].lower())
        is_work = first.index in name_indices(document) or not TITLE_WORDS.isdisjoint(opening)
        return small if is_plain_noun or (text == "The" and not is_work) else text
    if first.index in name_indices(document):
        return text
    if first.upos == "PRON" or re.search(rf"\b{re.escape(small)}\b", context):
        return small
    if re.search(rf"\b{re.escape(text)}\b", context):  # a title of one word: "Reanimation"
        return text
    return small if first.tag in ("NNS", "JJ") and not after[:1].isupper() else None


def embedded_after(scene: Scene, first: Word, words: str) -> Change | None:
    """Return the change that puts words before a sentence: "It is false that", with the first word in lower case."""
    new = lowercase_first(scene, first)
    return None if new is None else first.becomes(f"{words} {new}")


_PERSON_PRONOUNS = frozenset("he she i we you who".split())


def is_person(document: Document, word: Word) -> bool:
    """Return True if a word surely denotes a person."""
    if word.lower in _PERSON_PRONOUNS or (word.upos == "NOUN" and person_noun_kind(word) is not None):
        return word.index not in name_indices(document) or word.lower in _PERSON_PRONOUNS
    names = (m for m in find_mentions(document) if m.kind == "name" and m.certain)
    return any(name.start <= word.index < name.end for name in names)
