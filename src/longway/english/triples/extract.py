"""Triples from a text, by rules over its parse.

    triples_of(document)    its triples in reading order

    The waiter was rude and brought cold soup.    The waiter | was | rude          The waiter | brought | cold soup
    A poor film that fails to move anybody.       The film | is | poor             The film | fails to move | anybody
    Well, what can I say?                         | | Well, what can I say?

A sentence is split at predicates joined by "and" or "but", at relative clauses, and between subject, verbs and rest. All
words of a triple are in the sentence, except "is" and "are" before an adjective and "the" before something already
mentioned. All words of the sentence are in a triple, except "and", "but", relative pronouns and punctuation. A sentence for which this does not
hold is not split.
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.english.document import Document, Word, Words
from longway.english.triples.clause_parts import (
    JOINING,
    MARKS,
    ClauseParts,
    cut_relatives,
    fragment,
    is_break,
    text_from,
    trimmed,
    verb_group,
)
from longway.english.triples.triple import MAX_TRIPLES, BadTriples, Triple, numbered, parse

_FINITE_TAGS = frozenset({"VBZ", "VBD", "VBP", "MD"})
_MAX_WORDS = 60  # of a sentence that is split
_MAX_WORDS_BEFORE_MOVED = 12
_SEPARATORS = frozenset({";", ",", "--", "-", "–", "—"})
_FIXED_ADVERBS = frozenset("when why how where not never so even just only almost quite both".split())
_NEGATIVE_OPENERS = (
    "not ",
    "never ",
    "only ",
    "neither ",
    "nor ",
)  # after these the verb precedes the subject


def triples_of(document: Document, *, most: int | None = None) -> list[Triple]:
    """Return the triples of a text in reading order; a sentence that cannot be split is one triple.

    most: the maximum number. If there are more, sentences are left whole, the last ones first; if there are still too
    many, neighbours are merged.
    """
    by_sentence = [sentence_triples(document, number) for number in range(len(document.sentences))]
    wholes = [_whole(document, number) for number in range(len(by_sentence))] if most is not None else []
    last = len(by_sentence) - 1
    while most is not None and last >= 0 and sum(map(len, by_sentence)) > most:
        by_sentence[last] = [Triple.whole(wholes[last])] if by_sentence[last] else []
        last -= 1
    triples = [triple for sentence in by_sentence for triple in sentence]
    if most is None or len(triples) <= most:
        return triples
    size = -(-len(triples) // most)
    parts = (triples[start : start + size] for start in range(0, len(triples), size))
    return [Triple.whole(" ".join(triple.text for triple in part)) for part in parts]


def _whole(document: Document, number: int) -> str:
    words = [word for word in document.sentence(number) if not is_break(word)]
    return text_from(document, words, ends=True).replace("|", "/")


def sentence_triples(document: Document, number: int) -> list[Triple]:
    """Return the triples of one sentence, or the sentence itself if it cannot be split."""
    words = tuple(word for word in document.sentence(number) if not is_break(word))
    whole = _whole(document, number)
    if not any(c.isalnum() for c in whole):
        return []
    can_split = len(words) <= _MAX_WORDS and "?" not in whole and not any(w.text == "|" for w in words)
    clauses = _clause_parts(document, words) if can_split else None
    if clauses is None or not _is_complete(words, clauses):
        return [Triple.whole(whole)]
    triples = [triple for clause in clauses if (triple := _triple(document, clause)) is not None]
    is_sound = len(triples) == len(clauses) and all(map(_is_sound, triples)) and _reads_back(triples)
    return triples if is_sound else [Triple.whole(whole)]


def _reads_back(triples: list[Triple]) -> bool:
    """Return True if the notation of the triples parses back to them; brackets around all words break it."""
    try:
        return parse(numbered(triples[:MAX_TRIPLES])) == triples[:MAX_TRIPLES]
    except BadTriples:
        return False


def _is_sound(triple: Triple) -> bool:
    """Return True if no brackets or quotation marks were split."""
    text = triple.text
    return (
        text.count("(") == text.count(")")
        and text.count('"') % 2 == 0
        and text.count("“") == text.count("”")
        and text.count("-lrb-") == text.count("-rrb-")
        and not triple.subject.lower().startswith(_NEGATIVE_OPENERS)
        and bool(triple.subject and triple.predicate)
    )


def _is_complete(words: Words, clauses: list[ClauseParts]) -> bool:
    """Return True if every content word is in a clause."""
    used = {index for clause in clauses for index in clause.used}
    unused = [word for word in words if word.index not in used]
    return all(
        word.upos in ("PUNCT", "SYM")
        or word.lower in JOINING
        or (word.lower in ("a", "an") and word.upos == "DET")
        for word in unused
    )


def _triple(document: Document, clause: ClauseParts) -> Triple | None:
    subject = clause.subject_text or text_from(document, clause.subject)
    rest = text_from(document, clause.object)
    if clause.moved:
        moved = text_from(document, clause.moved, opens=True)
        rest = f"{rest}{clause.separator} {moved}" if rest else moved
    if not subject or _ends_in_mark(clause.subject):
        return None
    return Triple(subject, clause.predicate_text or text_from(document, clause.predicate), rest)


def _ends_in_mark(subject: Words) -> bool:
    """Return True if the comma after "Ann, my friend," would be lost; not if the words before it were cut out."""
    ends = len(subject) > 1 and subject[-1].text in MARKS
    return ends and subject[-2].index == subject[-1].index - 1


def _clause_parts(document: Document, words: Words) -> list[ClauseParts] | None:
    """Return the statements of a sentence; None if it is too complex."""
    roots = [word for word in words if word.head == word.index]
    if len(roots) != 1:
        return None
    root, inner = roots[0], _without_marks(words)
    is_open = root.upos not in ("VERB", "AUX") or root.tag == "VBG"
    if is_open and not document.children(root, "cop", "aux"):
        return fragment(document, root, inner)
    clauses: list[ClauseParts] = []
    last: ClauseParts | None = None
    for head, part in _coordinated(document, root, inner):
        clause = _clause(document, head, part, last)
        if clause is None:
            return None
        clauses += cut_relatives(document, head, clause)
        last = clause
    return clauses


def _without_marks(words: Words) -> list[Word]:
    """Return the words of a sentence without final punctuation and an initial conjunction."""
    inner = list(words)
    while inner and inner[-1].upos == "PUNCT" and inner[-1].text not in (")", '"', "”", "''"):
        inner.pop()
    if inner and inner[0].upos == "CCONJ" and inner[0].lower in JOINING:
        inner.pop(0)
    return inner


def _coordinated(document: Document, root: Word, inner: list[Word]) -> Iterator[tuple[Word, list[Word]]]:
    """Yield the independent predicates of a sentence, each with its words."""
    heads = [
        word for word in document.children(root, "conj", "parataxis") if _is_separate(document, word, inner)
    ]
    below = {head.index: {w.index for w in document.subtree(head)} for head in heads}
    used = set().union(*below.values()) if below else set()
    yield root, trimmed([word for word in inner if word.index not in used])
    for head in heads:
        part = [word for word in inner if word.index in below[head.index]]
        first = 0
        while first < len(part) and (part[first].upos in ("PUNCT", "CCONJ")):
            first += 1
        yield head, trimmed(part[first:])


def _is_separate(document: Document, head: Word, inner: list[Word]) -> bool:
    """Return True for a joined predicate that is finite and ends the sentence or precedes another one."""
    verbs = [*document.children(head, "aux", "cop"), *([head] if head.upos in ("VERB", "AUX") else [])]
    if not verbs or min(verbs, key=lambda w: w.index).tag not in _FINITE_TAGS:
        return False
    subjects = document.children(head, "nsubj", "csubj", "expl")
    has_subject = bool(subjects) and subjects[0].lower not in ("that", "which", "who")
    joins = [w for w in document.children(head, "cc") if w.index < head.index]
    if any(w.lower not in JOINING for w in joins) or not (joins or has_subject):
        return False
    phrase = document.subtree(head)
    is_contiguous = phrase[-1].index - phrase[0].index + 1 == len(phrase)
    after = phrase[-1].index + 1
    is_last = after > inner[-1].index or document.words[after].upos in ("PUNCT", "CCONJ")
    if head.relation == "parataxis":
        is_apart = bool({document.lower_at(phrase[0].index - 1), phrase[0].text} & _SEPARATORS)
        return is_contiguous and is_last and has_subject and is_apart
    return is_contiguous and is_last


def _clause(
    document: Document, head: Word, part: list[Word], before: ClauseParts | None
) -> ClauseParts | None:
    """Return a clause as subject, verbs and rest. before: the clause whose subject may be shared."""
    verbs = [w for w in document.children(head, "aux", "cop") if w.index < head.index or w.relation == "cop"]
    verbs += [head] if head.upos in ("VERB", "AUX") else []
    verbs = sorted(set(verbs), key=lambda w: w.index)
    if not verbs or verbs[0].tag not in _FINITE_TAGS:
        return None
    subjects = document.children(head, "nsubj", "csubj", "expl")
    subjects = tuple(w for w in subjects if w.index < verbs[0].index) or subjects
    moved: list[Word] = []
    subject: Words = ()
    if subjects:
        subject = _without_joining(document.subtree(subjects[0]))
        moved = [w for w in part if w.index < subject[0].index]
        if len(subjects) > 1 or any(w.index > verbs[0].index for w in subject):
            return None  # "neither is the snow"
    elif before is None or head.relation != "conj":
        return None
    start = subject[-1].index + 1 if subject else part[0].index
    separator = _movable(document, head, moved)
    if separator is None:
        return None
    rest = [w for w in part if w.index >= start]
    size = verb_group(document, head, verbs, rest)
    if size is None or (size < len(rest) and rest[size].upos == "CCONJ"):
        return None
    if moved and len(rest) - size > _MAX_WORDS_BEFORE_MOVED:
        return None  # at the end it would seem to modify something else
    parts = ClauseParts(subject, tuple(rest[:size]), tuple(rest[size:]), tuple(trimmed(moved)), separator)
    return parts if subject else parts.after(before)


def _without_joining(words: Words) -> Words:
    while len(words) > 1 and (words[0].lower in JOINING or words[0].text in MARKS):
        words = words[1:]
    return words


def _movable(document: Document, head: Word, moved: list[Word]) -> str | None:
    """Return the separator for words moved from before the subject to the end: a comma or nothing; None if they cannot move."""
    words = trimmed(moved)
    if not words:
        return ""
    comma = next((w for w in moved[len(words) :] if w.text == ","), None)
    separator = "" if comma is None else " ," if document.text[comma.start - 1].isspace() else ","
    tops = [w for w in words if w.head == head.index and w.upos != "PUNCT"]
    if len(tops) != 1 or len(words) > 14 or any(w.text in ('"', "(", ":", ";") for w in words):
        return None
    top = tops[0]
    if {w.index for w in words} - {w.index for w in document.subtree(top)}:
        return None
    is_adverb = top.relation == "advmod" and top.upos == "ADV" and len(words) <= 2
    if is_adverb and not any(w.lower in _FIXED_ADVERBS for w in words):
        return separator or ","
    introduced = {"obl": "case", "advcl": "mark"}.get(top.relation, "")
    return separator if any(w.relation == introduced for w in document.children(top)) else None
