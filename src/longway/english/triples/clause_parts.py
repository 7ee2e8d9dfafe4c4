"""Clauses as subject, predicate and object: the words of each part, relative clauses, and noun phrases without a verb.

ClauseParts(subject, predicate, object)      words of a document
text_from(document, words)                   their text, without gaps
cut_relatives(document, head, parts)         "It is a film that fails."  ->  It | is | a film     The film | fails |
fragment(document, root, words)              "A dull, predictable film." ->  The film | is | dull ...
                                             "A boy riding a horse."     ->  A boy | is riding | a horse
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from longway.english.document import Document, Word, Words
from longway.english.inflection import capitalise
from longway.english.listed_words import listed_words
from longway.english.negation_words import is_negation

_LISTS = listed_words(__name__)
JOINING = frozenset({"and", "but"})
NOT_WORDS = frozenset({"not", "n't", "never"})
_BREAK = re.compile(r"(?:<br\s*/?>|\s)+", re.IGNORECASE)
MARKS = frozenset({",", ";", ":", "-", "--", "–", "—"})


@dataclass(frozen=True, slots=True)
class ClauseParts:
    """The words of one statement.

    moved: words before the subject that go to the end, after `separator` (a comma or nothing). subject_text, predicate_text:
    the text of a part if it differs from its words ("The film" for "a film", "is"). more: other words that it covers.
    """

    subject: Words
    predicate: Words
    object: Words
    moved: Words = ()
    separator: str = ""
    subject_text: str = ""
    predicate_text: str = ""
    more: Words = ()

    @property
    def used(self) -> set[int]:
        """Indices of all its words."""
        parts = (self.subject, self.predicate, self.object, self.moved, self.more)
        return {word.index for part in parts for word in part}

    def after(self, before: ClauseParts | None) -> ClauseParts:
        """Return the statement with the subject of the one before it."""
        assert before is not None
        return replace(self, subject=before.subject, subject_text=before.subject_text)

    def without(self, indices: set[int]) -> ClauseParts:
        """Return the statement without some of its words."""

        parts = (self.subject, self.predicate, self.object, self.moved)
        left = [tuple(word for word in part if word.index not in indices) for part in parts]
        return replace(self, subject=left[0], predicate=left[1], object=left[2], moved=left[3])

    def named(self, subject_text: str) -> ClauseParts:
        """Return the statement with another subject text."""
        return replace(self, subject_text=subject_text)


def text_from(document: Document, words: Sequence[Word], *, opens: bool = False, ends: bool = False) -> str:
    """Return the text of some words, with one space per gap; punctuation next to a gap is dropped.

    opens: the words started a sentence and are now inside one, so the first is lowercased. ends: keep all punctuation.
    """
    kept = list(words) if ends else _without_loose_marks(words)
    runs: list[tuple[Word, Word]] = []
    for word in kept:
        if runs and runs[-1][1].index == word.index - 1:
            runs[-1] = (runs[-1][0], word)
        else:
            runs.append((word, word))
    text = " ".join(document.text[first.start : last.end] for first, last in runs)
    text = " ".join(_BREAK.sub(" ", text).split())
    return _lowercase_first(kept[0], text) if opens and kept else text


def _without_loose_marks(words: Sequence[Word]) -> list[Word]:
    """Drop commas and dashes at the ends of the words and next to gaps."""
    kept: list[Word] = []
    for word in words:
        has_gap = bool(kept) and word.index != kept[-1].index + 1
        while has_gap and kept and kept[-1].text in MARKS:
            kept.pop()
        if word.text in MARKS and (not kept or has_gap):
            continue
        kept.append(word)
    while kept and kept[-1].text in MARKS:
        kept.pop()
    return kept


def _lowercase_first(first: Word, text: str) -> str:
    is_name = first.upos == "PROPN" or first.text in ("I", "I'm") or any(c.isupper() for c in first.text[1:])
    return text if is_name else text[:1].lower() + text[1:]


def is_break(word: Word) -> bool:
    """Return True for the line breaks of web pages, which are parsed as words."""
    return word.text[:1] == "<" and not _BREAK.sub("", word.text)


def trimmed(words: list[Word]) -> list[Word]:
    """Drop punctuation and conjunctions at the end."""
    while words and (words[-1].text in MARKS or words[-1].upos == "CCONJ"):
        words = words[:-1]
    return words


def verb_group(document: Document, head: Word, verbs: list[Word], rest: list[Word]) -> int | None:
    """Return how many words of the rest are verbs, adverbs, particle and preposition; None if others intervene."""
    last = verbs[-1].index
    size = sum(w.index <= last for w in rest)
    if any(w.upos not in ("AUX", "VERB", "ADV", "PART") and w.index != head.index for w in rest[:size]):
        return None
    size = _with_not(rest, size)
    size = _with_complements(document, rest, size)
    following = rest[size] if size < len(rest) else None
    if following is not None and following.upos == "ADP" and following.relation == "case":
        noun = document.head(following)
        belongs = noun is not None and (noun.index == head.index or noun.head == rest[size - 1].index)
        if belongs and size + 1 < len(rest):
            size += 1
    return size


def _with_not(rest: list[Word], size: int) -> int:
    """Extend the group by a "not" after it and an adverb before that: "is just not"."""
    while size < len(rest):
        after = rest[size + 1].lower if size + 1 < len(rest) else ""
        if rest[size].lower not in NOT_WORDS and not (rest[size].upos == "ADV" and after in NOT_WORDS):
            break
        size += 1
    return size


def _with_complements(document: Document, rest: list[Word], size: int) -> int:
    """Extend the group by its particle and by verbs after "to": "fails to give up"."""
    while size < len(rest):
        word, verb = rest[size], rest[size - 1]
        if word.dep == "compound:prt" and word.head == verb.index:
            size += 1
        elif word.tag == "TO" and size + 1 < len(rest) and rest[size + 1].tag == "VB":
            infinitive = rest[size + 1]
            is_complement = infinitive.relation == "xcomp" and infinitive.head == verb.index
            if not is_complement or word.head != infinitive.index:
                break
            size += 2
        else:
            break
    return size


_RELATIVE_PRONOUNS = frozenset({"who", "which", "that"})
_DEFINITE = frozenset("a an the this that these those his her its their my our your".split())
_RELATIVE_TAGS = frozenset({"VBZ", "VBD", "VBP"})
_WISH_VERBS = _LISTS["wish_verbs"]


def cut_relatives(document: Document, head: Word, parts: ClauseParts) -> list[ClauseParts]:
    """Return the statement without relative clauses that can be statements, followed by those.

    A clause is cut only if that changes nothing: "no film that works", "I want a film that works" and "a film is not a thing that
    works" do not imply that something works, and "people who sing" does not imply that people do.
    """
    if any(is_negation(w.lower) or w.tag == "MD" for w in parts.predicate):
        return [parts]
    relatives_cut: list[ClauseParts] = []
    for noun in (head, *document.children(head, "nsubj", "obj", "obl")):
        is_wish = noun.relation in ("obj", "obl") and head.lemma in _WISH_VERBS
        relatives = document.children(noun, "acl:relcl") if not is_wish else ()
        if len(relatives) == 1:
            cut = _cut_relative(document, noun, relatives[0], parts)
            if cut is not None:
                parts = cut[0]
                relatives_cut.append(cut[1])
    return [parts, *relatives_cut]


def _cut_relative(
    document: Document, noun: Word, relative: Word, parts: ClauseParts
) -> tuple[ClauseParts, ClauseParts] | None:
    clause = document.subtree(relative)
    inside = {w.index for w in clause}
    if len(inside) != clause[-1].index - clause[0].index + 1 or clause[0].index < noun.index:
        return None
    statement = _relative_parts(
        document, relative, [w for w in clause if w.upos != "PUNCT" or w.index > relative.index]
    )
    antecedent = [w for w in document.subtree(noun) if w.index not in inside and w.index < clause[0].index]
    antecedent = [w for w in antecedent if w.index >= _phrase_start(document, noun)]
    name = _antecedent_name(document, noun, antecedent)
    if statement is None or name is None:
        return None
    kept = parts.without(inside)
    if len(kept.used) == len(parts.used):
        return None
    is_subject = any(w.index == noun.index for w in parts.subject)
    rest = [w for w in kept.object if w.index > clause[-1].index]
    if not is_subject and (rest or kept.moved):
        return None  # the words after it may belong to either
    relative_parts = replace(statement, subject=tuple(antecedent), subject_text="" if is_subject else name)
    return kept, relative_parts


def _phrase_start(document: Document, noun: Word) -> int:
    """Return the index where the noun phrase starts: a predicate noun also has the subject and "be" below it."""
    modifiers = document.children(noun, "det", "amod", "nummod", "compound", "nmod")
    starts = (document.subtree(w)[0].index for w in modifiers if w.index < noun.index)
    return min(starts, default=noun.index)


def _antecedent_name(document: Document, noun: Word, antecedent: list[Word]) -> str | None:
    """Return how to mention the noun again: "The film" for "a film"; None for an indefinite one."""
    words = [w for w in antecedent if w.upos != "PUNCT"]
    if noun.upos not in ("NOUN", "PROPN") or not words or len(words) > 8:
        return None
    if document.children(noun, "conj") or any(w.tag in ("JJS", "RBS") for w in words):
        return None
    first = words[0]
    if noun.upos == "PROPN":
        return text_from(document, words)
    is_fragment = document.head(noun) is None and not document.children(noun, "cop")
    has_no_article = is_fragment and first.upos in ("ADJ", "NOUN")
    if first.lower not in _DEFINITE and not has_no_article:
        return None
    if first.lower in ("a", "an"):
        return "The " + text_from(document, words[1:])
    text = text_from(document, words)
    return text[:1].upper() + text[1:]


def _relative_parts(document: Document, verb: Word, words: list[Word]) -> ClauseParts | None:
    """Return the verbs and rest of a relative clause whose first word is its subject."""
    verbs = [*document.children(verb, "aux", "cop"), *([verb] if verb.upos in ("VERB", "AUX") else [])]
    first = min(verbs, key=lambda w: w.index, default=None)
    if not words or first is None or first.tag not in _RELATIVE_TAGS:
        return None
    pronoun = words[0]
    if pronoun.lower not in _RELATIVE_PRONOUNS or pronoun.relation != "nsubj" or pronoun.head != verb.index:
        return None
    rest = words[1:]
    size = verb_group(document, verb, sorted(verbs, key=lambda w: w.index), rest)
    if size is None:
        return None
    group, rest = rest[:size], rest[size:]
    if document.children(verb, "conj") or any(w.text in (";", ":") for w in rest):
        return None
    return ClauseParts((), tuple(group), tuple(rest), more=(pronoun,))


_ATTRIBUTIVE_ONLY = _LISTS["attributive_only"]


def fragment(document: Document, root: Word, inner: list[Word]) -> list[ClauseParts] | None:
    """Return the statements of a sentence without a finite verb; None if there are none."""
    if not inner:
        return None
    pair = _participle_pair(document, root)
    if pair is None:
        return _adjective_clauses(document, root, inner)
    return _participle_clause(document, *pair, inner)


def _participle_pair(document: Document, root: Word) -> tuple[Word, Word] | None:
    """Return the noun and verb of "A boy riding a horse", whichever is the head."""
    if root.tag == "VBG" and not document.children(root, "aux", "cop"):
        subjects = document.children(root, "nsubj")
        return (subjects[0], root) if len(subjects) == 1 and subjects[0].upos == "NOUN" else None
    verbs = [w for w in document.children(root, "acl") if w.tag == "VBG" and w.index > root.index]
    return (root, verbs[0]) if root.upos == "NOUN" and len(verbs) == 1 else None


def _participle_clause(
    document: Document, noun: Word, verb: Word, inner: list[Word]
) -> list[ClauseParts] | None:
    is_head = noun.head == verb.index
    phrase = [w for w in inner if w.index >= verb.index] if is_head else document.subtree(verb)
    inside = {w.index for w in phrase}
    subject = tuple(w for w in inner if w.index not in inside and w.index < verb.index)
    rest = [w for w in inner if w.index in inside]
    is_all = len(subject) + len(rest) == len(inner)
    if not is_all or not rest or rest[0].index != verb.index or not subject or subject[-1].upos == "PUNCT":
        return None
    if document.children(noun, "conj", "acl:relcl") or document.children(verb, "conj"):
        return None
    size = verb_group(document, verb, [verb], rest)
    if size is None:
        return None
    be = "are" if noun.tag == "NNS" else "is"
    predicate = f"{be} {text_from(document, rest[:size])}"
    return [ClauseParts(subject, tuple(rest[:size]), tuple(rest[size:]), predicate_text=predicate)]


def _adjective_clauses(document: Document, root: Word, inner: list[Word]) -> list[ClauseParts] | None:
    """Return one statement per adjective of a noun phrase."""
    if root.upos != "NOUN" or root.tag not in ("NN", "NNS"):
        return None
    phrase = document.subtree(root)
    if {w.index for w in inner} - {w.index for w in phrase}:
        return None
    allowed = ("det", "amod", "nmod", "compound", "acl", "punct")
    children = [w for w in document.children(root) if w.index <= inner[-1].index]
    if any(w.relation not in allowed or w.dep == "nmod:desc" for w in children):
        return None
    determiners = document.children(root, "det")
    if any(w.lower not in ("a", "an", "the", "this") for w in determiners) or len(determiners) > 1:
        return None
    adjectives = [w for w in document.children(root, "amod") if w.index < root.index]
    if not adjectives or any(not _is_predicative(document, w) for w in adjectives):
        return None
    removed = {w.index for adjective in adjectives for w in document.subtree(adjective)}
    kept = tuple(w for w in inner if w.index not in removed and w not in determiners)
    if any(w.upos == "PUNCT" and w.index < root.index for w in kept):
        kept = tuple(w for w in kept if w.upos != "PUNCT" or w.index > root.index)
    return _adjective_statements(document, root, adjectives, kept, determiners)


def _adjective_statements(
    document: Document,
    root: Word,
    adjectives: list[Word],
    kept: Words,
    determiners: Words,
) -> list[ClauseParts] | None:
    be = "are" if root.tag == "NNS" else "is"
    article = determiners[0].lower if determiners and determiners[0].lower == "this" else "the"
    phrase_parts = ClauseParts((), (), kept)
    parts = cut_relatives(document, root, phrase_parts)
    phrase, relatives = parts[0].object, parts[1:]
    if not phrase or phrase[-1].upos == "PUNCT" or any(w.dep == "acl:relcl" for w in phrase):
        return None
    name = capitalise(f"{article} {text_from(document, phrase, opens=True)}")
    pieces = []
    for adjective in adjectives:
        phrase_of = document.subtree(adjective)
        inner = [w.index for w in phrase_of if w.upos not in ("PUNCT", "CCONJ")]
        joined = tuple(w for w in phrase_of if inner[0] <= w.index <= inner[-1])
        pieces.append(ClauseParts(phrase, (), joined, subject_text=name, predicate_text=be, more=determiners))
    return [*pieces, *(relative.named(name) for relative in relatives)]


def _is_predicative(document: Document, word: Word) -> bool:
    """Return True for an adjective that can follow "is": "poor", not "main" or "third"."""
    if word.tag != "JJ" or word.lower in _ATTRIBUTIVE_ONLY or word.upos != "ADJ":
        return False
    phrase = document.subtree(word)
    return len(phrase) <= 6 and all(w.upos in ("ADJ", "ADV", "PUNCT", "CCONJ") for w in phrase)
