"""Active and passive, and captions. Families: passive, there, aspect.

    passive   "Ann Roe directed Blue Sky."   <->  "Blue Sky was directed by Ann Roe."
    there     "A man is sleeping outside."   <->  "There is a man sleeping outside."
              "Two men riding a horse."       ->  "Two men are riding a horse."
              "Lima is a city."              <->  "There is a city called Lima."
              "Lima is a city."               ->  "One example of a city is Lima."
    aspect    "A man is riding a horse."     <->  "A man rides a horse."

The voice changes in plain sentences of one clause; tense, number, negation and the case of pronouns are preserved. A passive without
an agent stays ("was released in 1999"). Only verbs that are common in the passive are changed: "has", "costs" and "stars" are
not. Quantified phrases ("only", "every", "no") and objects that refer to the subject ("his own") stay as well.

Captions have indefinite subjects ("a man", "two men"), never "no" or "not". In a caption both forms of the present mean
the same; with a named person they do not ("Ann directs films"), nor with state verbs ("knows") or words like "often".
"""

from __future__ import annotations

from itertools import pairwise

from longway.english.denials import be_form, conjugated
from longway.english.document import Change, Document, Word, any_lower, any_tag
from longway.english.inflection import inflect
from longway.english.rules.rule import Rephrasing, Rephrasings, Scene
from longway.english.rules.sentence import (
    MONTH_WORDS,
    Clause,
    WordSpan,
    as_sentence_start,
    clauses,
    has_scope,
    is_person,
    is_plural_span,
    is_plural_subject,
    is_year,
    name_indices,
    plain_sentences,
    span_of,
)
from longway.english.words import listed_words

_LISTS = listed_words(__name__)
PASSIVE_VERBS = _LISTS["passive_verbs"]
_TO_OBJECT = {"he": "him", "she": "her", "they": "them", "it": "it"}
_TO_SUBJECT = {"him": "he", "her": "she", "them": "they", "it": "it"}
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
    yield Rephrasing.of(
        "passive.to_passive",
        clause.subject.becomes(as_sentence_start(document, clause.sentence, subject)),
        Change(clause.verbs[0].start, patient.end, f"{verbs} by {clause.subject.inside}"),
    )


def _object(document: Document, head: Word, rest: WordSpan) -> WordSpan | None:
    """Return the object right after the verb, without a time or place at its end."""
    span = span_of(document, head)
    if span is None or span.first != rest.first or head.lemma.lower() in _LISTS.idiom_nouns:
        return None
    for modifier in document.children(head, "nmod", "obl"):
        case = next(iter(document.children(modifier, "case")), None)
        if case is not None and case.index > head.index and case.lower not in _LISTS.noun_prepositions:
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
    if participle is None or any(w.lower not in _LISTS.adverbs for w in clause.adverbs):
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
        case [modal], "VB" if modal in _LISTS.modals:
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
    is_title = verb.lemma in _LISTS.title_verbs and _is_capitalised(clause.subject)
    patient = clause.subject.text if is_title else clause.subject.inside
    patient = _TO_OBJECT.get(clause.subject.text.lower(), patient)
    yield Rephrasing.of(
        "passive.to_active",
        clause.subject.becomes(subject),
        Change(clause.verbs[0].start, agent.end, f"{verbs} {patient}{middle}"),
    )


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
    return is_noun and not is_bare and not is_date and word.lemma.lower() not in _LISTS.no_agents


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
    if any(w.lower not in _LISTS.adverbs for w in clause.adverbs):
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
        case [modal, "be"] if modal in _LISTS.modals:
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
        if len(span) > _MAX_WORDS or any(w.lower in _LISTS.quantifiers or w.text == "," for w in outside):
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
        w.tag == "PRP$" or w.lower in _LISTS.reflexives or w.lower in ("each", "one")
        for w in _outside_names(span)
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


_PHRASE_POS = frozenset(("DET", "ADJ", "NOUN", "NUM", "PROPN"))
_LONGEST_PHRASE = 7  # of the noun phrase in "One example of a tall round tower is ..."


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
    is_amount = subject.words[0].lower in _LISTS.amounts
    if clause.finite.lower not in ("is", "are") or not is_amount or has_scope(clause.verbs):
        return
    is_doing = clause.head.tag == "VBG" and len(clause.verbs) == 2 and clause.head is clause.verbs[-1]
    rest = clause.rest
    is_somewhere = (
        rest is not None and len(clause.verbs) == 1 and rest.words[0].lower in _LISTS.place_prepositions
    )
    is_somewhere = is_somewhere and clause.head.upos == "NOUN" and not is_doing
    if not is_doing and not is_somewhere:
        return
    if any_tag(subject.words, ("WDT", "WP", "VBG", "VBN", "CC")):
        return
    is_mixed = clause.finite.lower == "are" and subject.words[0].lower in ("a", "an")  # "a group of men are"
    if is_mixed or not any(w.upos == "NOUN" for w in subject.words):
        return
    joined = document.children(clause.head, "conj", "parataxis")
    if any(document.children(w, "nsubj") for w in joined):
        return
    there = as_sentence_start(document, clause.sentence, "there")
    yield Rephrasing.of(
        "there.there_is",
        Change(subject.start, subject.start + 1, f"{there} {clause.finite.lower} {subject.inside[0]}"),
        Change(subject.end, clause.finite.end, ""),
    )


def _undo_there_is(document: Document, number: int, sentence: WordSpan) -> Rephrasings:
    """Rephrase "There is a man sleeping." as "A man is sleeping."."""
    words = sentence.words
    if len(words) < 5 or words[0].lower != "there" or words[1].lower not in ("is", "are") or has_scope(words):
        return
    if words[2].lower not in _LISTS.amounts or any_tag(words[2:], ("WP", "WDT", "VBZ", "VBP", "VBD")):
        return
    places = [w for w in words[3:] if w.upos == "ADP" and w.lower in _LISTS.place_prepositions]
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
    if root is None or root.tag not in ("NN", "NNS") or words[0].lower not in _LISTS.amounts | {"the"}:
        return
    after = document.words[root.index + 1] if root.index < sentence.last else None
    is_finite = any_tag(words, ("VBZ", "VBD", "VBP", "MD"))
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
    is_known = noun.lemma.lower() in _LISTS.named_things or (
        noun.upos == "NOUN" and is_person(document, noun)
    )
    if not is_name or not is_bare or not is_known or noun.tag != "NN" or noun.index in names:
        return
    texts = {"named": f"there {clause.finite.lower} {rest.text} called {subject.text}"}
    if clause.finite.lower == "is" and len(rest) <= _LONGEST_PHRASE and not is_person(document, noun):
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
    is_being = is_person(document, heads[0]) or heads[0].lemma.lower() in _LISTS.animals
    joined = document.children(clause.head, "conj", "advcl", "ccomp", "parataxis") or _continues(clause)
    is_habit = any_lower(around, _LISTS.habit_words)
    return is_being and not joined and not is_habit and subject.words[0].lower in _LISTS.determiners


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
    if clause.verbs != (verb,) or verb.tag not in ("VBZ", "VBP") or verb.lemma.lower() in _LISTS.state_verbs:
        return
    form = inflect(verb.lemma.lower(), "VBG")
    if form is not None and is_plural is not None and not clause.document.children(verb, "xcomp"):
        yield Rephrasing.of("aspect.progressive", verb.becomes(f"{be_form('present', is_plural)} {form}"))
