"""Which verbs have a pronoun as their subject: the ones that must change with it.

    verbs_of(document, he)   sings, dances in "He sings and never dances."; does in "What does he want?"

A parser errs more often than English word order does, so both are asked. Next to a subject pronoun stands its
verb: behind it ("he never knows"), or before it in questions and the like ("does he", "nor is she"). Where neither
neighbour is a verb ("he, like most people, thinks"), and for verbs that share the subject ("he sings and dances"),
the parse answers.
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.text.document import Document, Word
from longway.text.finite import (
    APOSTROPHES,
    NEGATIONS,
    SHORT_PLURAL,
    SHORT_SINGULAR,
    governs_plain_forms,
    is_auxiliary,
    is_base_form,
    is_s_form,
    is_singular_auxiliary,
    is_surely_s_form,
)
from longway.text.pronouns import HE, Pronoun, doubled, form_of

# Words that may stand between a subject and its verb, whatever a tagger takes them for.
FILLERS = frozenset(
    "all both each alone himself herself itself themselves themself too either also never ever always "
    "just only really still already probably certainly actually then now so well even yet soon "
    "sometimes often usually maybe perhaps currently clearly obviously basically literally apparently "
    "kinda sorta like probs prolly uh um er".split()
)
_FILLING_PAIRS = frozenset({
    ("soon", "after"), ("shortly", "after"), ("of", "course"), ("in", "fact"), ("at", "least"), ("at", "last"),
    ("at", "first"), ("at", "times"), ("in", "turn"), ("in", "general"), ("for", "one"), ("as", "well"), ("no", "longer"),
    ("once", "again"), ("at", "once"), ("kind", "of"), ("sort", "of"), ("all", "but"), ("by", "now"), ("for", "now"),
})  # fmt: skip
_SUBJECT = ("nsubj", "csubj", "expl")
_SHORT = SHORT_SINGULAR | SHORT_PLURAL
_FINITE_TAGS = ("VBZ", "VBP", "VBD", "VB")  # VB too: taggers mix it up with VBP
_QUESTION_WORDS = frozenset("what where when why how who whom whose which whatever wherever whoever".split())
_AUXILIARY_FIRST = frozenset(
    "so neither nor than as never rarely seldom hardly only not no and but or then".split()
)
_CLAUSE_ENDS = frozenset({".", "!", "?", ";", ")", "]", "”"})
_SELDOM_NOUNS = frozenset({"steals", "wins"})  # "she who dares wins", where taggers see a noun
_REACH = 60  # words that are searched for a verb that shares the subject


def verbs_of(document: Document, word: Word) -> tuple[Word, ...]:
    """The finite verbs whose subject a pronoun is, in order; also those that know no number ("can", "went")."""
    mention = form_of(document, word)
    if mention is None or mention.form in ("determiner", "possessive"):
        return ()
    found = set(_verbs_of_relative_clause(document, word, mention.pronoun))
    is_subject = mention.form == "subject" or (
        mention.form == "reflexive" and _verb_before(document, word) is not None
    )
    if is_subject and not _is_first_of_several(document, word):
        main = _main_verb(document, word, mention.pronoun)
        if found and (main is None or main in found):
            main = _next_singular(document, max(verb.index for verb in found))
        elif found and main is not None and _lower_at(document, main.index - 1) == "it":
            main = None  # "it is he who knows"
        if main is not None:
            found |= set(_with_joined(document, word, main, mention.pronoun))
    return tuple(sorted(found, key=lambda verb: verb.index))


# --- the verb beside the pronoun ---------------------------------------------------------------------


def _main_verb(document: Document, word: Word, pronoun: Pronoun) -> Word | None:
    """The finite verb of the clause that a pronoun is the subject of."""
    before, after = _verb_before(document, word), _verb_after(document, word, pronoun)
    if before is None or (after is not None and _is_surely_singular(after, pronoun)):
        return after or _verb_by_parse(document, word)
    if _opens_its_clause(document, before) or _ends_a_question(document, word):
        return before
    return before if _governs(document, before, word) else after or _verb_by_parse(document, word)


def _verb_after(document: Document, word: Word, pronoun: Pronoun) -> Word | None:
    """The verb behind the pronoun, adverbs and the like left out."""
    skipped = word.index
    for other in document.words[word.index + 1 : word.index + 9]:
        if other.index <= skipped or other.lower in APOSTROPHES:
            continue
        if _is_finite(document, other, word, pronoun):
            return other
        if (other.lower, _lower_at(document, other.index + 1)) in _FILLING_PAIRS:
            skipped = other.index + 1
        elif not _may_stand_between(other):
            return None
    return None


def _may_stand_between(word: Word) -> bool:
    return word.upos in ("ADV", "INTJ", "PART") or word.lower in NEGATIONS | FILLERS or _is_ly_adverb(word)


def _is_ly_adverb(word: Word) -> bool:
    """True for "calmly", also where the tagger took it for a verb; not for "rely"."""
    return word.lower.endswith("ly") and not is_base_form(word.lower)


def _is_finite(document: Document, other: Word, word: Word, pronoun: Pronoun) -> bool:
    """True where a word behind the pronoun is a verb by its form, by its tag, or in spite of a wrong tag."""
    if other.lower in _SHORT:
        between = document.words[word.index + 1 : other.index]
        is_prefix = document.text[other.end : other.end + 1] == "-"  # "they re-opened it"
        return all(w.lower in APOSTROPHES for w in between) and not is_prefix
    if other.lower in FILLERS and not pronoun.plural_verb:  # "he like makes": the verb would be "likes"
        return False
    if is_auxiliary(other.lower) or (other.tag in _FINITE_TAGS and not _is_ly_adverb(other)):
        return True
    if other.tag.startswith("RB") or other.lower in FILLERS:
        return False
    if pronoun.plural_verb:
        return word.head == other.index and is_base_form(other.lower)
    return is_s_form(other.lower)


def _verb_before(document: Document, word: Word) -> Word | None:
    """The auxiliary right before the pronoun: "is he", "doesn't she", "what's he"; also "says she"."""
    verb = _last_but(document, word.index, NEGATIONS | APOSTROPHES | {"t"})
    if verb is None:
        return None
    if verb.lower in _SHORT:
        asked = _last_but(document, verb.index, APOSTROPHES)
        return verb if asked is not None and asked.lower in _QUESTION_WORDS else None
    says = word.head == verb.index and word.relation == "nsubj" and verb.tag in ("VBZ", "VBP", "VBD")
    return verb if says or is_auxiliary(verb.lower) else None


def _opens_its_clause(document: Document, verb: Word) -> bool:
    """True where no subject can stand before an auxiliary, so that the pronoun behind it is its subject."""
    first, _ = document.sentences[document.sentence_number(verb)]
    if verb.lower in _SHORT or verb.index == first:
        return True
    before = document.words[verb.index - 1]
    if before.lower in _QUESTION_WORDS | _AUXILIARY_FIRST or before.upos == "CCONJ":
        return True
    if before.upos == "PUNCT":  # ", is he?", but not "the point, however, is he left"
        return not (before.text == "," and _has_subject_before(document, verb))
    return before.upos == "ADV" and before.lower != "there"


def _has_subject_before(document: Document, verb: Word) -> bool:
    """True where the parse gives a verb that is no auxiliary a subject before it."""
    return any(
        s.index < verb.index and s.tag not in ("WP", "WDT") for s in document.children(verb, *_SUBJECT)
    )


def _ends_a_question(document: Document, word: Word) -> bool:
    """True for the last word of "she gets to you doesn't she?"."""
    return _lower_at(document, word.index + 1).startswith("?")


def _governs(document: Document, verb: Word, word: Word) -> bool:
    """True where the parse says that an auxiliary belongs to the pronoun behind it."""
    head = document.head(verb) if verb.relation in ("aux", "cop") else verb
    if head is None or word.head != head.index or word.relation not in _SUBJECT:
        return False
    subjects = document.children(head, *_SUBJECT)
    return not any(s.index < verb.index and s.tag not in ("WP", "WDT") for s in subjects)


def _is_surely_singular(verb: Word, pronoun: Pronoun) -> bool:
    """True for a verb that no question would have behind its subject: "is", "knows"."""
    if pronoun.plural_verb:
        return False
    by_form = verb.lower in SHORT_SINGULAR or is_singular_auxiliary(verb.lower)
    return by_form or is_surely_s_form(verb.lower, verb.tag)


def _verb_by_parse(document: Document, word: Word) -> Word | None:
    """The finite verb that the parse gives the pronoun, unless a nearer subject stands between them."""
    head = document.head(word)
    if head is None or word.relation not in _SUBJECT:
        return None
    verb = _finite_of(document, head)
    if verb is None:
        return None
    nearer = [s for s in document.children(head, *_SUBJECT) if word.index < s.index < verb.index]
    return None if any(subject.tag == "PRP" for subject in nearer) else verb


def _finite_of(document: Document, head: Word) -> Word | None:
    """The finite verb of a clause: its first auxiliary, or its head."""
    if any(mark.tag == "TO" for mark in document.children(head, "mark")):
        return None
    first = min((*document.children(head, "aux", "cop"), head), key=lambda verb: verb.index)
    by_form = is_auxiliary(first.lower) or is_s_form(first.lower)
    return first if by_form or first.tag in (*_FINITE_TAGS, "MD", "POS", "NN") else None


# --- verbs further on ---------------------------------------------------------------------------------


def _is_first_of_several(document: Document, word: Word) -> bool:
    """True for the "he" of "he and his brother": the verb agrees with both of them, or with the second one."""
    joint = _lower_at(document, word.index + 1)
    return joint in ("and", "&", "or", "nor", "/") and doubled(document, word) is None


def _with_joined(document: Document, word: Word, main: Word, pronoun: Pronoun) -> list[Word]:
    """A verb with those that share its subject."""
    near = [main, *_listed(document, word, main), *_joined_by_order(document, word, main, pronoun)]
    return [*near, *_joined_by_parse(document, word, near, pronoun)]


def _verbs_of_relative_clause(document: Document, word: Word, pronoun: Pronoun) -> Iterator[Word]:
    """The verbs of "he who knows", "she, who sings and dances", "it is they who know and who tell"."""
    is_apart = word.lower == pronoun.subject and _lower_at(document, word.index + 1) == ","
    place = word.index + (2 if is_apart else 1)
    joint = _lower_at(document, place)
    if joint == "who" and word.lower not in ("him", "her", "them"):  # "I asked him who is there" is none
        verb = _verb_after(document, document.words[place], HE)
    else:
        clause = _relative_clause(document, word) if joint in ("who", "that") else None
        verb = None if clause is None else _finite_of(document, clause)
    while verb is not None:
        yield from _with_joined(document, document.words[place], verb, pronoun)
        place, verb = _next_relative_clause(document, verb)


def _next_relative_clause(document: Document, verb: Word) -> tuple[int, Word | None]:
    """Where "who" stands in "he who knows and who tells", and its verb; None where no second clause is joined."""
    for who in document.words[verb.index + 1 : verb.index + 20]:
        if who.text in _CLAUSE_ENDS:
            break
        if who.tag in ("WP", "WDT", "WRB"):
            is_joined = who.lower == "who" and _lower_at(document, who.index - 1) in ("and", "or", "but")
            return who.index, _verb_after(document, who, HE) if is_joined else None
    return verb.index, None


def _relative_clause(document: Document, word: Word) -> Word | None:
    """The clause that the parse hangs on a pronoun, where the word behind the pronoun is its subject."""
    for clause in document.children(word, "acl"):
        if any(subject.index == word.index + 1 for subject in document.children(clause, *_SUBJECT)):
            return clause
    return None


def _next_singular(document: Document, index: int) -> Word | None:
    """The verb behind a relative clause: the "is" of "he who seeks the truth is wise"."""
    for verb in document.words[index + 1 : index + 12]:
        if verb.text in _CLAUSE_ENDS or verb.tag in ("WP", "WDT", "WRB", "CC"):
            return None
        if is_singular_auxiliary(verb.lower) or verb.tag == "VBZ" or verb.lower in _SELDOM_NOUNS:
            return verb
    return None


def _listed(document: Document, word: Word, main: Word) -> list[Word]:
    """The verbs of a bare list, "he walks, talks and sings", also where they were taken for plural nouns.

    A comma right behind the first verb tells that no objects follow, so that all members are verbs.
    """
    if _lower_at(document, main.index + 1) != "," or not is_s_form(main.lower):
        return []
    if _is_insertion(document, word, main):
        return []
    found: list[Word] = []
    is_joined, is_last = False, False
    for other in document.words[main.index + 1 : main.index + _REACH]:
        if other.text == "," or other.upos == "CCONJ":
            is_joined, is_last = True, is_last or other.upos == "CCONJ"
        elif is_joined and is_s_form(other.lower):
            found.append(other)
            is_joined = False
        elif other.upos != "ADV":
            # "he works, cats and dogs play": subjects of another verb
            is_subject = other.tag in ("VBD", "MD") or is_base_form(other.lower)
            is_last = not is_subject and not is_joined and (is_last or other.text in _CLAUSE_ENDS)
            break
    return found if is_last and len(found) > 1 else []


def _joined_by_parse(document: Document, word: Word, near: list[Word], pronoun: Pronoun) -> Iterator[Word]:
    """The verbs that the parse joins to those already found and that have no subject of their own."""
    heads = {v.index for v in near} | {v.head for v in near if v.relation in ("aux", "cop")}
    waiting = [document.words[i] for i in heads | ({word.head} if word.relation in _SUBJECT else set())]
    while waiting:
        for joined in document.children(waiting.pop(), "conj"):
            if joined.index < word.index or document.children(joined, *_SUBJECT):
                continue
            verb = _finite_of(document, joined)
            if verb is None or _has_subject_before_it(document, verb, word):
                continue
            if _agrees(document, joined, verb, near, pronoun):
                yield verb
            waiting.append(joined)


def _has_subject_before_it(document: Document, verb: Word, word: Word) -> bool:
    """True where a noun phrase opens the clause of a joined verb, unseen by the parse: "and someone was late"."""
    for place in range(verb.index - 1, max(word.index, verb.index - 15), -1):
        if document.words[place].upos == "CCONJ":
            first = document.words[place + 1]
            return first.index < verb.index and first.upos in ("NOUN", "PROPN", "PRON", "DET", "NUM")
    return False


def _agrees(document: Document, joined: Word, verb: Word, near: list[Word], pronoun: Pronoun) -> bool:
    """True where a joined verb is finite itself, rather than governed by the main one ("they can sing and dance")."""
    is_verb = verb.upos in ("VERB", "AUX") or any(joined.head == v.index for v in near)  # else perhaps a noun
    if pronoun.plural_verb:
        main = near[0]
        if verb.lower in ("are", "were"):
            return True
        is_past = main.tag == "VBD" and not is_auxiliary(main.lower)
        is_governed = is_past or governs_plain_forms(main.lower, main.relation)
        return is_verb and not is_governed and (is_auxiliary(verb.lower) or is_base_form(verb.lower))
    if is_auxiliary(verb.lower) or verb.tag == "VBZ":
        return True
    return is_verb and is_s_form(verb.lower) and _follows_a_joint(document, verb)


def _joined_by_order(document: Document, word: Word, main: Word, pronoun: Pronoun) -> Iterator[Word]:
    """Verbs in the third person right behind "and" or "but", up to the next word that could be their subject.

    Behind a comma only where an "and" of that kind follows ("he sits, writes and sleeps"), since a comma may also
    end an insertion ("the man, he thinks, is a fool").
    """
    if pronoun.plural_verb:
        return
    start = max(main.index, word.index) + 1
    listed: list[Word] = []
    for verb in document.words[start : start + _REACH]:
        if verb.text in _CLAUSE_ENDS or verb.relation in _SUBJECT or verb.tag in ("WP", "WDT", "WRB"):
            return
        is_finite = _is_third_person(document, verb) or (bool(listed) and is_s_form(verb.lower))
        if not is_finite or _has_subject_behind(document, verb):
            continue
        if _follows_a_joint(document, verb):
            yield from [*listed, verb]
            listed = []
        elif document.words[verb.index - 1].text == "," and not _is_insertion(document, word, main):
            listed.append(verb)


def _is_third_person(document: Document, verb: Word) -> bool:
    by_form = is_singular_auxiliary(verb.lower) or is_surely_s_form(verb.lower, verb.tag)
    return by_form or _has_an_object(document, verb)


def _is_insertion(document: Document, word: Word, main: Word) -> bool:
    """True for ", she thinks,"."""
    return _lower_at(document, word.index - 1) == "," and _lower_at(document, main.index + 1) == ","


def _has_an_object(document: Document, verb: Word) -> bool:
    """True for the "whips" of "he chains him and whips him", also where it was taken for a plural noun."""
    after = document.words[verb.index + 1 : verb.index + 2]
    return any(w.tag in ("PRP", "PRP$", "DT") for w in after) and verb.tag == "NNS" and is_s_form(verb.lower)


def _has_subject_behind(document: Document, verb: Word) -> bool:
    """True where a verb has its subject behind it: "or is it late?", "and says the teacher"."""
    rest = document.words[verb.index + 1 : verb.index + 5]
    after = next((w for w in rest if w.lower not in NEGATIONS | APOSTROPHES | {"t"}), None)
    if after is None or after.relation not in _SUBJECT:
        return False
    return is_auxiliary(verb.lower) or after.head == verb.index


def _follows_a_joint(document: Document, verb: Word) -> bool:
    """True where "and", "or", "but" or "then" stands before a verb, adverbs and dots left out.

    A comma is not enough: "the man, he thinks, is a fool".
    """
    for other in reversed(document.words[max(0, verb.index - 6) : verb.index]):
        if other.upos == "CCONJ" or other.lower == "then":
            return True
        if other.upos != "ADV" and other.text not in ("...", "…"):
            return False
    return False


def _last_but(document: Document, index: int, skipped: frozenset[str]) -> Word | None:
    """The last word before an index that is none of those to skip."""
    words = reversed(document.words[max(0, index - 6) : index])
    return next((word for word in words if word.lower not in skipped), None)


def _lower_at(document: Document, index: int) -> str:
    return document.words[index].lower if 0 <= index < len(document) else ""
