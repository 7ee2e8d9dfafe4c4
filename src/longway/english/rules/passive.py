"""Active and passive: "Ann Roe directed Blue Sky" <-> "Blue Sky was directed by Ann Roe". Family: passive.

Applies to plain sentences of one clause; tense, number, negation and the case of pronouns are preserved. A passive without
an agent stays ("was released in 1999"). Only verbs that are common in the passive are changed: "has", "costs" and "stars" are
not. Quantified phrases ("only", "every", "no") and objects that refer to the subject ("his own") stay as well.
"""

from __future__ import annotations

from longway.english.denials import be_form
from longway.english.document import Change, Document, Word
from longway.english.inflection import inflect
from longway.english.listed_words import listed_words
from longway.english.rules.clauses import Clause, clauses, is_plural_span
from longway.english.rules.rule import Rephrasing, Rephrasings, Scene
from longway.english.rules.spans import (
    MONTH_WORDS,
    WordSpan,
    as_sentence_start,
    is_year,
    name_indices,
    span_of,
)

_LISTS = listed_words(__name__)
PASSIVE_VERBS = _LISTS["passive_verbs"]
_QUANTIFIERS = _LISTS["quantifiers"]
_ADVERBS = _LISTS["adverbs"]
_IDIOM_NOUNS = _LISTS["idiom_nouns"]
_REFLEXIVES = frozenset("himself herself itself themselves myself yourself ourselves".split())
_TO_OBJECT = {"he": "him", "she": "her", "they": "them", "it": "it"}
_TO_SUBJECT = {"him": "he", "her": "she", "them": "they", "it": "it"}
_NO_AGENTS = _LISTS["no_agents"]
_NOUN_PREPOSITIONS = _LISTS["noun_prepositions"]
_TITLE_VERBS = frozenset("direct write produce create compose record publish release".split())
_MODALS = frozenset("will would can could must should may might".split())
_MAX_WORDS = 14  # of a phrase that is moved


def passive(scene: Scene) -> Rephrasings:
    """Yield the text with one sentence in the other voice."""
    for clause in clauses(scene.document):
        yield from _to_passive(clause)
        yield from _to_active(clause)


# Active to passive


def _to_passive(clause: Clause) -> Rephrasings:
    document, verb = clause.document, clause.head
    if verb.lemma.lower() not in PASSIVE_VERBS or verb.upos != "VERB" or clause.rest is None:
        return
    if clause.subject.words[-1].upos in ("PRON", "NUM"):
        return  # "was directed by him" is good grammar and poor style
    if document.children(
        verb, "conj", "iobj", "xcomp", "ccomp", "advcl", "aux:pass", "compound:prt", "parataxis"
    ):
        return
    objects = document.children(verb, "obj")
    patient = _object(document, objects[0], clause.rest) if len(objects) == 1 else None
    if patient is None or _is_tied(patient) or not _may_move(clause.subject, patient):
        return
    if clause.verbs == (verb,) and verb.tag in ("VBZ", "VBP") and _is_bare(patient):
        return  # "Ann makes films" does not mean that films are made by Ann
    is_plural = is_plural_span(document, patient)
    verbs = None if is_plural is None else _passive_verbs(clause, is_plural)
    if verbs is None or not _has_simple_tail(document, patient, clause.rest):
        return
    subject = _TO_SUBJECT.get(patient.text.lower(), patient.text)
    changes = (
        Change(
            clause.subject.start, clause.subject.end, as_sentence_start(document, clause.sentence, subject)
        ),
        Change(clause.verbs[0].start, patient.end, f"{verbs} by {clause.subject.inside}"),
    )
    yield Rephrasing("passive.to_passive", changes)


def _object(document: Document, head: Word, rest: WordSpan) -> WordSpan | None:
    """Return the object right after the verb, without a time or place at its end."""
    span = span_of(document, head)
    if span is None or span.first != rest.first or head.lemma.lower() in _IDIOM_NOUNS:
        return None
    for modifier in document.children(head, "nmod", "obl"):
        case = next(iter(document.children(modifier, "case")), None)
        if case is not None and case.index > head.index and case.lower not in _NOUN_PREPOSITIONS:
            span = WordSpan(document, span.first, min(span.last, case.index - 1))
    if any(w.tag == "VBG" for w in document.children(head, "conj")):
        return None
    if span.words[-1].upos in ("ADV", "ADP") or any(
        w.tag in ("WDT", "WP", "WRB") or w.text in (",", "(") for w in _outside_names(span)
    ):
        return None
    return span


def _is_bare(span: WordSpan) -> bool:
    """Return True for a noun phrase that denotes a kind: "films", "music"."""
    first = span.words[0]
    return first.index not in name_indices(span.document) and first.tag not in ("DT", "CD", "PRP", "PRP$")


def _passive_verbs(clause: Clause, is_plural: bool) -> str | None:
    """Return the passive verbs: "was directed", "has not been directed"."""
    participle = inflect(clause.head.lemma.lower(), "VBN")
    if participle is None or any(w.lower not in _ADVERBS for w in clause.adverbs):
        return None
    match [w.lower for w in clause.auxiliaries], clause.head.tag:
        case ([], "VBD") | (["did"], "VB"):
            first, last = be_form("past", is_plural), ""
        case ([], "VBZ" | "VBP") | (["does" | "do"], "VB"):
            first, last = be_form("present", is_plural), ""
        case ["has" | "have"], "VBN":
            first, last = ("have" if is_plural else "has"), " been"
        case ["had"], "VBN":
            first, last = "had", " been"
        case [("is" | "are" | "was" | "were") as be], "VBG":
            first, last = be_form("past" if be in ("was", "were") else "present", is_plural), " being"
        case [modal], "VB" if modal in _MODALS:
            first, last = modal, " be"
        case _:
            return None
    adverbs = "".join(f" {w.text}" for w in clause.adverbs)
    return f"{first}{' not' if clause.negation else ''}{adverbs}{last} {participle}"


# Passive to active


def _to_active(clause: Clause) -> Rephrasings:
    document, verb = clause.document, clause.head
    heads = [verb, *document.children(verb, "conj")]
    if verb.tag != "VBN" or clause.rest is None or not document.children(verb, "aux:pass"):
        return
    if (
        document.children(verb, "obj", "iobj", "xcomp", "ccomp", "advcl", "parataxis", "compound:prt")
        or len(heads) > 2
    ):
        return
    if clause.subject.first != document.sentences[clause.sentence][0] or not _may_be_object(clause.subject):
        return
    agents = [a for head in heads for a in document.children(head, "obl") if _is_agent(document, a)]
    agent = _agent(document, agents[0], clause.rest) if len(agents) == 1 else None
    if agent is None or _is_tied(clause.subject) or _is_tied(agent):
        return
    is_plural = is_plural_span(document, agent)
    if is_plural is None and [w.lower for w in clause.auxiliaries] in (["was"], ["were"]):
        is_plural = False  # "directed" and "did not direct" have no number
    if is_plural is None or not _may_move(clause.subject, agent):
        return
    verbs = _active_verbs(clause, heads, is_plural)
    between = (
        WordSpan(document, clause.rest.first, agent.first - 2)
        if agent.first - 2 >= clause.rest.first
        else None
    )
    middle = "" if between is None or len(heads) == 2 else f" {between.text}"
    if verbs is None or (between is not None and not _is_middle(document, between, heads)):
        return
    if not _has_simple_tail(document, agent, clause.rest):
        return
    subject = as_sentence_start(document, clause.sentence, _TO_SUBJECT.get(agent.text.lower(), agent.text))
    is_title = verb.lemma in _TITLE_VERBS and _is_capitalised(clause.subject)
    patient = clause.subject.text if is_title else clause.subject.inside
    patient = _TO_OBJECT.get(clause.subject.text.lower(), patient)
    changes = (
        clause.subject.becomes(subject),
        Change(clause.verbs[0].start, agent.end, f"{verbs} {patient}{middle}"),
    )
    yield Rephrasing("passive.to_active", changes)


def _is_capitalised(span: WordSpan) -> bool:
    """Return True for "The Old Man": of works that are written or directed, the article is part of the title."""
    return len(span) > 1 and span.words[1].text[:1].isupper()


def _may_be_object(subject: WordSpan) -> bool:
    """Return False if it is unclear how the subject is written inside a sentence: "An Old Man" and "In the Sun" (titles), "$5"."""
    first, after = subject.words[0], subject.words[1:2]
    is_title = first.text in ("A", "An") and bool(after) and after[0].text[:1].isupper()
    is_joined = bool(after) and after[0].text.startswith("-")
    return first.text[:1].isalpha() and first.upos != "ADP" and not is_title and not is_joined


def _is_agent(document: Document, word: Word) -> bool:
    """Return True for "by" and an agent; not for "by 1999", "by car", "by singing"."""
    cases = document.children(word, "case")
    if not cases or cases[0].lower != "by" or len(cases) > 1 or cases[0].index > word.index:
        return False
    is_bare = word.tag == "NN" and not document.children(word, "det", "nmod:poss", "amod", "compound")
    is_noun = word.upos in ("NOUN", "PROPN") or word.index in name_indices(document)
    is_date = is_year(word) or word.lower in MONTH_WORDS
    return is_noun and not is_bare and not is_date and word.lemma.lower() not in _NO_AGENTS


def _agent(document: Document, head: Word, rest: WordSpan) -> WordSpan | None:
    """Return the agent without "by" and without a date at its end ("by Ann Roe in 1999")."""
    span = span_of(document, head)
    if span is None or not rest.first <= span.first or document.words[span.first].lower != "by":
        return None
    last = span.last
    for modifier in document.children(head, "nmod", "obl", "acl"):
        case = next(iter(document.children(modifier, "case")), None)
        is_date = any(is_year(w) or w.lower in MONTH_WORDS for w in document.subtree(modifier))
        if case is not None and case.index > head.index and is_date:
            last = min(last, case.index - 1)
        elif case is not None and case.index > head.index and head.upos == "PROPN" and case.lower != "of":
            return None  # "by Ann Roe for the firm": it belongs to the verb
    span = WordSpan(document, span.first + 1, last)
    if any(w.tag in ("WDT", "WP", "WRB") or w.text in (",", "(") for w in _outside_names(span)):
        return None
    return span


def _is_middle(document: Document, between: WordSpan, heads: list[Word]) -> bool:
    """Return True if only a time, a named place or the second verb separates the verb and "by".

    In "based on the book Blue Sky by Ann Roe" the agent is that of the book.
    """
    if len(heads) == 2:
        return [w.lower for w in between.words] == ["and", heads[1].lower]
    is_plain = not any(w.upos == "DET" for w in between.words) or any(is_year(w) for w in between.words)
    return between.words[0].upos == "ADP" and len(between) <= 6 and is_plain


def _active_verbs(clause: Clause, heads: list[Word], is_plural: bool) -> str | None:
    """Return the active verbs: "directed", "did not direct", "has written and directed"."""
    if any(w.lower not in _ADVERBS for w in clause.adverbs):
        return None
    first: str | None = None
    match [w.lower for w in clause.auxiliaries]:
        case [("was" | "were" | "is" | "are") as be]:
            is_past, tag = be in ("was", "were"), "VB"
            if clause.negation:
                first = "did" if is_past else "do" if is_plural else "does"
            else:
                tag = "VBD" if is_past else "VB" if is_plural else "VBZ"
        case ["has" | "have", "been"]:
            first, tag = "have" if is_plural else "has", "VBN"
        case ["had", "been"]:
            first, tag = "had", "VBN"
        case [("is" | "are" | "was" | "were") as be, "being"]:
            first, tag = be_form("past" if be in ("was", "were") else "present", is_plural), "VBG"
        case [modal, "be"] if modal in _MODALS:
            first, tag = modal, "VB"
        case _:
            return None
    forms = [inflect(head.lemma.lower(), tag) for head in heads]
    if None in forms:
        return None
    verbs = "".join(f"{w.text} " for w in clause.adverbs) + " and ".join(form for form in forms if form)
    return f"{first}{' not' if clause.negation else ''} {verbs}" if first else verbs


# What both need


def _may_move(first: WordSpan, second: WordSpan) -> bool:
    """Return True if both phrases are short and have no word whose meaning depends on its position."""
    for span in (first, second):
        outside = _outside_names(span)
        if len(span) > _MAX_WORDS or any(w.lower in _QUANTIFIERS or w.text == "," for w in outside):
            return False
        if (
            span.words[0].tag in ("PRP", "WP", "EX", "WDT")
            and span.text.lower() not in _TO_OBJECT | _TO_SUBJECT
        ):
            return False
    return True


def _is_tied(span: WordSpan) -> bool:
    """Return True for "his", "himself": the phrase refers to the other one."""
    return any(
        w.tag == "PRP$" or w.lower in _REFLEXIVES or w.lower in ("each", "one") for w in _outside_names(span)
    )


def _has_simple_tail(document: Document, span: WordSpan, rest: WordSpan) -> bool:
    """Return True if only a time or a named place follows the phrase.

    "He watched a bird in the sky" must not become "was watched by him in the sky".
    """
    if span.last >= rest.last:
        return span.last == rest.last
    after, names = WordSpan(document, span.last + 1, rest.last), name_indices(document)
    if span.last in names and after.first in names:
        return False  # "Trouble with the Horse": the end of the name is unclear
    is_case = after.words[0].lower in ("in", "on", "at", "during", "for", "since", "until")
    known = [is_year(w) or w.lower in MONTH_WORDS or w.index in names or w.upos == "NUM" for w in after.words]
    small = [w.upos in ("ADP", "DET") or w.text == "," or w.lower == "century" for w in after.words]
    is_plain = all(map(any, zip(known, small, strict=True))) and any(known)
    return is_case and is_plain and len(after) <= 9


def _outside_names(span: WordSpan) -> list[Word]:
    return [w for w in span.words if w.index not in name_indices(span.document)]
