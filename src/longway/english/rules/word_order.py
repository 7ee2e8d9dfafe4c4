"""Word order: clauses and times moved. Family: fronting. `clause_order` is a function of its own, by which a repair changes how texts begin.

    clause_order    "Although it rained, they played."   <->  "They played, although it rained."
    fronting        "Ann was born in Rome in 1984."      <->  "In 1984, Ann was born in Rome."
                    "Ann died in Rome."                  <->  "Rome is where Ann died."
                    "Ann wrote the song."                <->  "It was Ann who wrote the song."
                    "Ann is the owner of the house."     <->  "The owner of the house is Ann."

A pronoun is never moved before its name. Nothing is moved across "not", "only" and the like: their scope could change.
"""

from __future__ import annotations

from longway.english.document import Change, Document, Word, any_lower, any_tag, any_upos
from longway.english.rules.phrase_groups import kinds_of
from longway.english.rules.rule import Rephrasing, Rephrasings, Scene
from longway.english.rules.sentence import (
    MONTH_WORDS,
    Clause,
    WordSpan,
    as_sentence_start,
    clauses,
    comma_style,
    has_scope,
    is_person,
    is_plural_span,
    is_year,
    name_indices,
    plain_sentences,
    span_of,
)
from longway.english.rules.voice import PASSIVE_VERBS
from longway.english.words import listed_words

_LISTS = listed_words(__name__)


def clause_order(scene: Scene) -> Rephrasings:
    """Yield the text with one subordinate clause at the other end of its sentence."""
    document = scene.document
    for number, sentence in plain_sentences(document):
        for word in sentence.words:
            if word.relation == "advcl" and document.words[word.head].dep == "root":
                yield from _moved_clause(document, number, sentence, word)


def _moved_clause(document: Document, number: int, sentence: WordSpan, head: Word) -> Rephrasings:
    clause = _subordinate_clause(document, head)
    if clause is None:
        return
    mark = document.words[clause.first].lower
    if clause.first == sentence.first:
        yield from _to_the_end(document, number, sentence, clause, mark)
    elif clause.last == sentence.last:
        yield from _to_the_front(document, number, sentence, clause, mark)


def _subordinate_clause(document: Document, head: Word) -> WordSpan | None:
    """Return the clause, its conjunction first; None if it is not a whole clause."""
    span = span_of(document, head)
    if span is not None and document.words[span.first].text == "," and span.first < head.index:
        span = WordSpan(document, span.first + 1, span.last)
    if span is None or document.words[span.first].lower not in _LISTS.subordinators:
        return None
    while span.last > span.first and document.words[span.last].text == ",":
        span = WordSpan(document, span.first, span.last - 1)
    has_subject = bool(document.children(head, "nsubj"))
    is_finite = any_tag([head, *document.children(head, "aux", "cop")], ("VBD", "VBZ", "VBP", "MD"))
    marks = [w for w in document.children(head, "mark", "advmod") if w.index == span.first]
    return span if has_subject and is_finite and marks and len(span) > 2 else None


def _to_the_end(
    document: Document, number: int, sentence: WordSpan, clause: WordSpan, mark: str
) -> Rephrasings:
    comma = document.words[clause.last + 1]
    if comma.text != "," or clause.last + 2 > sentence.last:
        return
    main = WordSpan(document, clause.last + 2, sentence.last)
    if not _is_main(main) or _is_order_bound(clause, main):
        return
    joint = " " if mark in _LISTS.without_comma else f"{comma_style(document)} "
    yield Rephrasing.of(
        "clause_order.to_the_end",
        Change(clause.start, main.words[0].end, as_sentence_start(document, number, main.words[0].text)),
        Change(sentence.end, sentence.end, f"{joint}{clause.inside}"),
    )


def _to_the_front(
    document: Document, number: int, sentence: WordSpan, clause: WordSpan, mark: str
) -> Rephrasings:
    last = clause.first - 1
    if document.words[last].text == ",":
        last -= 1
    if last < sentence.first:
        return
    main = WordSpan(document, sentence.first, last)
    before = document.words[last]
    if not _is_main(main) or _is_order_bound(main, clause) or main.words[0].upos == "ADV":
        return
    if before.lower in _LISTS.tied_words or (mark == "when" and before.upos == "NOUN"):
        return  # "only because", "the year when"
    first = WordSpan(document, main.first, main.first)
    front = as_sentence_start(document, number, clause.text)
    yield Rephrasing.of(
        "clause_order.to_the_front",
        first.becomes(f"{front}{comma_style(document)} {first.inside}"),
        Change(main.end, sentence.end, ""),
    )


def _is_main(main: WordSpan) -> bool:
    """Return True for an independent main clause: nothing joined to it, no other clause in front, no question."""
    words, document = main.words, main.document
    first, root = words[0], next((w for w in words if w.dep == "root"), None)
    if root is None or len(words) < 3 or first.lower in ("then", "there", "it"):
        return False
    is_joined = any_upos(document.children(root, "conj"), ("VERB", "AUX"))
    opens = first.upos not in ("CCONJ", "SCONJ", "PUNCT", "VERB", "AUX")
    return opens and not is_joined and bool(document.children(root, "nsubj"))


def _is_order_bound(first: WordSpan, second: WordSpan) -> bool:
    """Return True if the second clause has a pronoun that may refer to the first one."""
    has_pronoun = any_lower(second.words, _LISTS.back_references)
    starts_with_one = (
        first.words[0].lower in _LISTS.back_references or first.words[1].lower in _LISTS.back_references
    )
    return has_pronoun and not starts_with_one


def fronting(scene: Scene) -> Rephrasings:
    """Yield the text with one sentence reordered."""
    document = scene.document
    for clause in clauses(document):
        yield from _time_to_front(clause)
        yield from _where(clause)
        yield from _inverted(clause)
        yield from _cleft(clause)
    for number, sentence in plain_sentences(document):
        yield from _time_to_end(document, number, sentence)
        yield from _undo_cleft(document, number, sentence)
        yield from _undo_where(document, number, sentence)


# Times


def _time_to_front(clause: Clause) -> Rephrasings:
    document = clause.document
    if clause.rest is None or clause.head.upos != "VERB" or has_scope(clause.verbs + clause.rest.words):
        return
    time = _final_time(clause.rest)
    if time is None or clause.subject.words[0].lower in ("it", "there", "this", "that"):
        return
    last = time.first - 1
    if document.words[last].text == ",":
        last -= 1
    between = document.words[clause.verbs[-1].index + 1 : last + 1]
    if any(w.upos in ("VERB", "AUX") and w.index not in name_indices(document) for w in between):
        return  # "an actor born in 1982"
    if last < clause.verbs[-1].index or document.words[last].upos in ("CCONJ", "ADP", "SCONJ", "NUM"):
        return
    subject = WordSpan(document, clause.subject.first, clause.subject.first)
    front = as_sentence_start(document, clause.sentence, time.text)
    yield Rephrasing.of(
        "fronting.time_to_front",
        subject.becomes(f"{front}{comma_style(document)} {subject.inside}"),
        Change(document.words[last].end, time.end, ""),
    )


def _final_time(rest: WordSpan) -> WordSpan | None:
    """Return the time that ends a sentence, with its preposition: "in 1984", "on May 5, 1984", "in the 20th century"."""
    for index in range(rest.last, rest.first - 1, -1):
        word = rest.document.words[index]
        if word.upos == "ADP" and word.lower in ("in", "on", "during"):
            span = WordSpan(rest.document, index, rest.last)
            return span if len(span) > 1 and _is_time_phrase(span) else None
        if not _is_date_word(word):
            return None
    return None


def _is_time_phrase(span: WordSpan) -> bool:
    words = span.words[1:]
    has_date = any(is_year(w) or w.lower in MONTH_WORDS or w.lower == "century" for w in words)
    return has_date and not (words[0].upos == "NUM" and not is_year(words[0]))


def _is_date_word(word: Word) -> bool:
    is_number = word.upos == "NUM" or (word.text[:1].isdigit() and len(word.text) < 6)
    return is_number or is_year(word) or word.lower in MONTH_WORDS or word.lower in _LISTS.date_words


def _time_to_end(document: Document, number: int, sentence: WordSpan) -> Rephrasings:
    words = sentence.words
    if words[0].lower not in ("in", "on", "during") or has_scope(words):
        return
    commas = (w for w in words if w.text == "," and w.index < sentence.last)
    comma = next((w for w in commas if not _is_in_date(document, w)), None)
    if comma is None:
        return
    time = WordSpan(document, sentence.first, comma.index - 1)
    main = WordSpan(document, comma.index + 1, sentence.last)
    if not all(map(_is_date_word, time.words[1:])) or not _is_time_phrase(time) or _final_time(main):
        return
    root = next((w for w in main.words if w.dep == "root"), None)
    if root is None or root.upos != "VERB" or not document.children(root, "nsubj"):
        return
    if document.children(root, "conj", "advcl", "ccomp") or any(w.text == "," for w in main.words):
        return
    first = main.words[0]
    yield Rephrasing.of(
        "fronting.time_to_end",
        Change(time.start, first.end, as_sentence_start(document, number, first.text)),
        Change(sentence.end, sentence.end, f" {time.inside}"),
    )


def _is_in_date(document: Document, comma: Word) -> bool:
    """Return True for the comma in "May 5, 1984"."""
    return is_year(document.words[comma.index + 1]) and document.words[comma.index - 1].text[:1].isdigit()


# Places


def _where(clause: Clause) -> Rephrasings:
    """Rephrase "Ann died in Rome." as "Rome is where Ann died."."""
    document, rest = clause.document, clause.rest
    if (
        rest is None
        or clause.finite.tag != "VBD"
        or clause.head.lower not in ("born", "died", "raised", "lived", "filmed")
    ):
        return
    if len(clause.verbs) > 2 or has_scope(clause.verbs) or rest.words[0].lower != "in" or len(rest) < 2:
        return
    place = WordSpan(document, rest.first + 1, rest.last)
    is_name = all(w.index in name_indices(document) or w.tag == "DT" for w in place.words)
    if not is_name or place.words[0].lower in MONTH_WORDS or any(is_year(w) for w in place.words):
        return
    verbs = WordSpan(document, clause.verbs[0].index, clause.verbs[-1].index)
    subject = clause.subject
    yield Rephrasing.of(
        "fronting.where",
        subject.becomes(
            f"{as_sentence_start(document, clause.sentence, place.text)} is where {subject.inside}"
        ),
        Change(verbs.end, rest.end, ""),
    )


def _undo_where(document: Document, number: int, sentence: WordSpan) -> Rephrasings:
    """Rephrase "Rome is where Ann died." or "Rome is the place where Ann died." as "Ann died in Rome."."""
    words = sentence.words
    positions = [w.index for w in words if w.lower == "where"]
    if len(positions) != 1 or has_scope(words):
        return
    before = [w.lower for w in document.words[sentence.first : positions[0]]]
    size = 1 if before[-1:] == ["is"] else 3 if before[-3:] == ["is", "the", "place"] else 0
    if not size or positions[0] - size <= sentence.first or positions[0] + 2 > sentence.last:
        return
    place = WordSpan(document, sentence.first, positions[0] - size - 1)
    main = WordSpan(document, positions[0] + 1, sentence.last)
    verb = main.words[-1]
    is_name = all(w.index in name_indices(document) or w.tag == "DT" for w in place.words)
    if not is_name or verb.tag not in ("VBD", "VBN"):
        return
    yield Rephrasing.of(
        "fronting.plain_for_where",
        Change(place.start, main.words[0].end, as_sentence_start(document, number, main.words[0].text)),
        Change(sentence.end, sentence.end, f" in {place.inside}"),
    )


# Who it is


def _inverted(clause: Clause) -> Rephrasings:
    """Swap subject and predicate of "Ann is the owner of the house."; both must be single and definite."""
    document, subject, rest = clause.document, clause.subject, clause.rest
    if rest is None or len(clause.verbs) != 1 or clause.finite.lower not in ("is", "was"):
        return
    if not (_is_definite(subject) and _is_name(rest)) and not (_is_name(subject) and _is_definite(rest)):
        return
    definite = rest if _is_definite(rest) else subject
    words = [w.lower for w in definite.words]
    if (
        "of" not in words
        or not {"same", "one", "a", "an", ","}.isdisjoint(words)
        or has_scope(definite.words)
    ):
        return
    if any_tag(definite.words, ("WDT", "WP", "WRB", "VBD", "VBZ", "CC")):
        return
    yield Rephrasing.of(
        "fronting.inverted",
        subject.becomes(as_sentence_start(document, clause.sentence, rest.text)),
        rest.becomes(subject.inside),
    )


def _is_name(span: WordSpan) -> bool:
    names = name_indices(span.document)
    return all(w.index in names for w in span.words) and is_plural_span(span.document, span) is False


def _is_definite(span: WordSpan) -> bool:
    names, first = name_indices(span.document), span.words[0]
    if first.lower != "the" or first.index in names:
        return False
    return span.words[1].index not in names and not is_plural_span(span.document, span)


def _cleft(clause: Clause) -> Rephrasings:
    """Rephrase "Ann wrote the song." as "It was Ann who wrote the song."."""
    document, verb = clause.document, clause.head
    things = document.children(verb, "obj")
    is_past = clause.verbs == (verb,) and verb.tag == "VBD"
    if not is_past or verb.lemma.lower() not in PASSIVE_VERBS or len(things) != 1:
        return
    determiners = document.children(things[0], "det")
    if things[0].index not in name_indices(document) and not any(w.lower == "the" for w in determiners):
        return  # "It was Ann who made films" would add emphasis
    if clause.rest is not None and has_scope(clause.rest.words):
        return
    if not _is_name(clause.subject) or not any(is_person(document, w) for w in clause.subject.words):
        return
    it = as_sentence_start(document, clause.sentence, "it")
    yield Rephrasing.of(
        "fronting.cleft",
        Change(clause.subject.start, clause.subject.start, f"{it} was "),
        Change(clause.subject.end, clause.subject.end, " who"),
    )


def _undo_cleft(document: Document, number: int, sentence: WordSpan) -> Rephrasings:
    """Rephrase "It was Ann who wrote the song." as "Ann wrote the song."."""
    words = sentence.words
    if words[0].lower != "it" or words[1].lower not in ("is", "was") or has_scope(words):
        return
    pronouns = [w for w in words[3:-1] if w.lower in ("who", "that") and w.tag in ("WP", "WDT", "IN")]
    if not pronouns:
        return
    who, verb = pronouns[0], document.words[pronouns[0].index + 1]
    subject = WordSpan(document, words[2].index, who.index - 1)
    finite = verb.tag in ("VBD", "VBZ", "MD") and verb.index not in name_indices(document)
    is_noun = subject.words[0].upos in ("PROPN", "DET", "NOUN") and "end" not in kinds_of(document, verb)
    if not finite or not is_noun or any_upos(subject.words, ("VERB", "AUX", "PUNCT", "ADP")):
        return
    yield Rephrasing.of(
        "fronting.plain_for_cleft",
        Change(
            words[0].start, subject.words[0].end, as_sentence_start(document, number, subject.words[0].text)
        ),
        Change(subject.end, who.end, ""),
    )
