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

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from longway.english.document import Document, Word, Words, any_lower, any_tag
from longway.english.inflection import capitalise
from longway.english.triples.triple import MAX_TRIPLES, BadTriples, Triple, numbered, parse
from longway.english.words import is_negation, listed_words

_LISTS = listed_words(__name__)
JOINING = frozenset({"and", "but"})
NOT_WORDS = frozenset({"not", "n't", "never"})
_BREAK = re.compile(r"(?:<br\s*/?>|\s)+", re.IGNORECASE)


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
    if not opens or not kept:
        return text
    first = kept[0]
    is_name = first.upos == "PROPN" or first.text in ("I", "I'm") or any(c.isupper() for c in first.text[1:])
    return text if is_name else text[:1].lower() + text[1:]


def _without_loose_marks(words: Sequence[Word]) -> list[Word]:
    """Drop commas and dashes at the ends of the words and next to gaps."""
    kept: list[Word] = []
    for word in words:
        has_gap = bool(kept) and word.index != kept[-1].index + 1
        while has_gap and kept and kept[-1].text in _LISTS.marks:
            kept.pop()
        if word.text in _LISTS.marks and (not kept or has_gap):
            continue
        kept.append(word)
    while kept and kept[-1].text in _LISTS.marks:
        kept.pop()
    return kept


def is_break(word: Word) -> bool:
    """Return True for the line breaks of web pages, which are parsed as words."""
    return word.text[:1] == "<" and not _BREAK.sub("", word.text)


def trimmed(words: list[Word]) -> list[Word]:
    """Drop punctuation and conjunctions at the end."""
    while words and (words[-1].text in _LISTS.marks or words[-1].upos == "CCONJ"):
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


def cut_relatives(document: Document, head: Word, parts: ClauseParts) -> list[ClauseParts]:
    """Return the statement without relative clauses that can be statements, followed by those.

    A clause is cut only if that changes nothing: "no film that works", "I want a film that works" and "a film is not a thing that
    works" do not imply that something works, and "people who sing" does not imply that people do.
    """
    if any(is_negation(w.lower) or w.tag == "MD" for w in parts.predicate):
        return [parts]
    relatives_cut: list[ClauseParts] = []
    for noun in (head, *document.children(head, "nsubj", "obj", "obl")):
        is_wish = noun.relation in ("obj", "obl") and head.lemma in _LISTS.wish_verbs
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
    if document.children(noun, "conj") or any_tag(words, ("JJS", "RBS")):
        return None
    first = words[0]
    if noun.upos == "PROPN":
        return text_from(document, words)
    is_fragment = document.head(noun) is None and not document.children(noun, "cop")
    has_no_article = is_fragment and first.upos in ("ADJ", "NOUN")
    if first.lower not in _LISTS.definite and not has_no_article:
        return None
    if first.lower in ("a", "an"):
        return "The " + text_from(document, words[1:])
    text = text_from(document, words)
    return text[:1].upper() + text[1:]


def _relative_parts(document: Document, verb: Word, words: list[Word]) -> ClauseParts | None:
    """Return the verbs and rest of a relative clause whose first word is its subject."""
    verbs = [*document.children(verb, "aux", "cop"), *([verb] if verb.upos in ("VERB", "AUX") else [])]
    first = min(verbs, key=lambda w: w.index, default=None)
    if not words or first is None or first.tag not in ("VBZ", "VBD", "VBP"):
        return None
    pronoun = words[0]
    if (
        pronoun.lower not in ("who", "which", "that")
        or pronoun.relation != "nsubj"
        or pronoun.head != verb.index
    ):
        return None
    rest = words[1:]
    size = verb_group(document, verb, sorted(verbs, key=lambda w: w.index), rest)
    if size is None:
        return None
    group, rest = rest[:size], rest[size:]
    if document.children(verb, "conj") or any(w.text in (";", ":") for w in rest):
        return None
    return ClauseParts((), tuple(group), tuple(rest), more=(pronoun,))


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
    """Return one statement per adjective of a noun phrase, and its relative clauses."""
    if root.upos != "NOUN" or root.tag not in ("NN", "NNS"):
        return None
    if {w.index for w in inner} - {w.index for w in document.subtree(root)}:
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
    be = "are" if root.tag == "NNS" else "is"
    article = determiners[0].lower if determiners and determiners[0].lower == "this" else "the"
    (cut, *relatives) = cut_relatives(document, root, ClauseParts((), (), kept))
    phrase = cut.object
    if not phrase or phrase[-1].upos == "PUNCT" or any(w.dep == "acl:relcl" for w in phrase):
        return None
    name = capitalise(f"{article} {text_from(document, phrase, opens=True)}")
    pieces = []
    for adjective in adjectives:
        phrase_of = document.subtree(adjective)
        content = [w.index for w in phrase_of if w.upos not in ("PUNCT", "CCONJ")]
        joined = tuple(w for w in phrase_of if content[0] <= w.index <= content[-1])
        pieces.append(ClauseParts(phrase, (), joined, subject_text=name, predicate_text=be, more=determiners))
    return [*pieces, *(replace(relative, subject_text=name) for relative in relatives)]


def _is_predicative(document: Document, word: Word) -> bool:
    """Return True for an adjective that can follow "is": "poor", not "main" or "third"."""
    if word.tag != "JJ" or word.lower in _LISTS.attributive_only or word.upos != "ADJ":
        return False
    phrase = document.subtree(word)
    return len(phrase) <= 6 and all(w.upos in ("ADJ", "ADV", "PUNCT", "CCONJ") for w in phrase)


_MAX_WORDS = 60  # of a sentence that is split
_MAX_WORDS_BEFORE_MOVED = 12
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
    return all(
        word.index in used
        or word.upos in ("PUNCT", "SYM")
        or word.lower in JOINING
        or (word.lower in ("a", "an") and word.upos == "DET")
        for word in words
    )


def _triple(document: Document, clause: ClauseParts) -> Triple | None:
    subject = clause.subject_text or text_from(document, clause.subject)
    rest = text_from(document, clause.object)
    if clause.moved:
        moved = text_from(document, clause.moved, opens=True)
        rest = f"{rest}{clause.separator} {moved}" if rest else moved
    last = clause.subject[-2:]
    if not subject or (
        len(last) == 2 and last[1].text in _LISTS.marks and last[0].index == last[1].index - 1
    ):
        return (
            None  # the comma after "Ann, my friend," would be lost; not if the words before it were cut out
        )
    return Triple(subject, clause.predicate_text or text_from(document, clause.predicate), rest)


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
    if not verbs or min(verbs, key=lambda w: w.index).tag not in _LISTS.finite_tags:
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
        is_apart = bool({document.lower_at(phrase[0].index - 1), phrase[0].text} & _LISTS.separators)
        return is_contiguous and is_last and has_subject and is_apart
    return is_contiguous and is_last


def _clause(
    document: Document, head: Word, part: list[Word], before: ClauseParts | None
) -> ClauseParts | None:
    """Return a clause as subject, verbs and rest. before: the clause whose subject may be shared."""
    verbs = [w for w in document.children(head, "aux", "cop") if w.index < head.index or w.relation == "cop"]
    verbs += [head] if head.upos in ("VERB", "AUX") else []
    verbs = sorted(set(verbs), key=lambda w: w.index)
    if not verbs or verbs[0].tag not in _LISTS.finite_tags:
        return None
    subjects = document.children(head, "nsubj", "csubj", "expl")
    subjects = tuple(w for w in subjects if w.index < verbs[0].index) or subjects
    moved: list[Word] = []
    subject: Words = ()
    if subjects:
        subject = document.subtree(subjects[0])
        while len(subject) > 1 and (subject[0].lower in JOINING or subject[0].text in _LISTS.marks):
            subject = subject[1:]
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
    if is_adverb and not any_lower(words, _LISTS.fixed_adverbs):
        return separator or ","
    introduced = {"obl": "case", "advcl": "mark"}.get(top.relation, "")
    return separator if any(w.relation == introduced for w in document.children(top)) else None
