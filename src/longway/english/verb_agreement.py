"""Agreement: he, she and they exchanged, together with the verbs that must follow.

    "He's tall and has a dog, hasn't he?"   he -> they   "They're tall and have a dog, haven't they?"
    "They think they know."                 they -> she  "She thinks she knows."

    change_pronouns(document, {index: THEY})   the changes of the pronouns and of their verbs
    verbs_of(document, he)                     sings, dances in "He sings and never dances."

Unchanged: one half of "he or she", the verb of "he and his brother" (already plural), "'em". "If they were rich" becomes "if
he was rich", because the text does not show which form the writer would have chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from longway.english.document import Change, Document, Word, Words, any_lower, any_tag, any_upos
from longway.english.inflection import (
    APOSTROPHES,
    CONTRACTED_PLURAL,
    CONTRACTED_SINGULAR,
    is_auxiliary,
    is_base_form,
    is_participle,
    is_singular_auxiliary,
    is_surely_third_person,
    is_third_person_form,
    match_case,
    takes_base_forms,
    verb_in_number,
)
from longway.english.people.pronouns import (
    HE,
    Form,
    Pronoun,
    PronounForm,
    paired_pronoun,
    pronoun_form,
)
from longway.english.words import NOT_TOKENS, listed_words
from longway.errors import SettingError

_LISTS = listed_words(__name__)
_PERFECT = _LISTS["perfect"]
_SELDOM_PASSIVE = _LISTS["seldom_passive"]
_PASSIVE_WITH_OBJECT = _LISTS["passive_with_object"]
_NO_OBJECTS = frozenset("every each twice today yesterday tomorrow tonight there".split())
# What a tokeniser splits off "s/he" and "(s)he", by the rest of the word.
_CUT_OFF = {"he": re.compile(r"(?<![\w'’])s/$|\(s\)$", re.IGNORECASE), "s)he": re.compile(r"\($")}


def change_pronouns(document: Document, becoming: Mapping[int, Pronoun]) -> list[Change]:
    """Return the changes that turn pronouns into others and make their verbs agree.

    becoming: word index -> new pronoun. The two halves of "he or she" become one word
    if both get the same pronoun; a single half is left alone.
    """
    changes: dict[tuple[int, int], Change] = {}
    for index, pronoun in sorted(becoming.items()):
        word = document.word_at(index)
        form = pronoun_form(document, word) if word is not None else None
        if word is None or form is None:
            raise SettingError(
                "'becoming' must name third-person pronouns by their index. "
                f"Got {index}, which is {repr(word.text) if word else f'no word of the {len(document)}'}. "
                "Take the indices from longway.english.people.pronouns.find_pronouns(document)."
            )
        for change in _changes_of(document, word, form, becoming, pronoun):
            changes.setdefault((change.start, change.end), change)
    return sorted(changes.values())


def _changes_of(
    document: Document, word: Word, form: PronounForm, becoming: Mapping[int, Pronoun], pronoun: Pronoun
) -> Iterator[Change]:
    other = paired_pronoun(document, word)
    if other is not None and other.index not in becoming:
        return
    if other is None or becoming[other.index] != pronoun:
        yield _pronoun_change(document, word, pronoun.form(form.form))
    elif other.index > word.index:
        unambiguous = other if word.lower == "her" else word  # "him or her": "him" says which form "her" is
        yield Change(word.start, other.end, match_case(pronoun.form(_form(document, unambiguous)), word.text))
    if form.pronoun.plural_verb != pronoun.plural_verb:
        for verb in verbs_of(document, word):
            yield from _verb_change(document, word, verb, plural=pronoun.plural_verb)


def _form(document: Document, word: Word) -> Form:
    reading = pronoun_form(document, word)
    assert reading is not None
    return reading.form


def _pronoun_change(document: Document, word: Word, new: str) -> Change:
    """The change of one pronoun. "s/he" and "(s)he", which tokenisers split, are taken as a whole."""
    start = word.start
    cut_off = _CUT_OFF.get(word.lower)
    before = cut_off.search(document.text[max(0, start - 4) : start]) if cut_off else None
    if before is not None:
        start -= len(before[0])
    return Change(start, word.end, match_case(new, document.text[start : word.end]))


def _verb_change(document: Document, pronoun: Word, verb: Word, *, plural: bool) -> Iterator[Change]:
    if verb.lower in (CONTRACTED_SINGULAR if plural else CONTRACTED_PLURAL):
        yield _short_change(document, pronoun, verb, plural=plural)
        return
    is_past = verb.tag == "VBD" and not is_auxiliary(verb.lower)  # "they put it there yesterday"
    is_modal = verb.lower in ("need", "dare") and document.lower_at(verb.index + 1) in NOT_TOKENS
    if not plural and (is_past or is_modal):
        return
    new = verb_in_number(verb.text, plural=plural, lemma=verb.lemma)
    if new is not None:
        yield verb.becomes(new)


def _short_change(document: Document, pronoun: Word, verb: Word, *, plural: bool) -> Change:
    """The change of "'s" to "'re" or "'ve" and back; after a question word ("what's he") and where it stands apart ("he 's") it is written out."""
    letters = verb.text.lstrip("".join(APOSTROPHES))
    apostrophe = verb.text.removesuffix(letters)
    if not plural:
        new = apostrophe + "s"
        return verb.becomes(new.upper() if letters.isupper() else new)
    is_apart = document.text[verb.start - 1 : verb.start].isspace()
    if verb.index > pronoun.index and not (is_apart and apostrophe):
        new = apostrophe + ("ve" if _short_for(document, verb) == "have" else "re")
    else:
        full = _short_for(document, verb).replace("be", "are")
        new = full if is_apart else f" {full}"
    return verb.becomes(new.upper() if letters.isupper() else new)


def _short_for(document: Document, verb: Word) -> Literal["be", "have", "do"]:
    """What "'s" is short for: is, has, or (only in "what's he want?") does."""
    near = document.words[verb.index + 1 : verb.index + 7]
    rest = [w for w in near if w.lower not in _BETWEEN and w.upos != "ADV"]
    is_question = bool(rest) and rest[0] is near[0] and rest[0].tag == "PRP"  # "what's he ..."
    if len(rest) <= is_question:
        return "be"
    after = rest[is_question]
    if after.lower in _PERFECT or _has_only_itself(near):
        return "have"
    if is_question and after.tag in ("VB", "VBP") and is_base_form(after.lower):
        return "do"
    if after.lower == "gone":
        follows = document.words[after.index + 1 : after.index + 2]
        return "have" if any_upos(follows, ("ADP", "ADV", "NOUN")) else "be"
    return "have" if is_participle(after.lower) and _is_perfect(document, verb, after) else "be"


def _is_perfect(document: Document, verb: Word, participle: Word) -> bool:
    """True for "he's seen her", not for "he's seen by her"."""
    if participle.lower in _SELDOM_PASSIVE:
        return True
    if participle.tag not in ("VBN", "VBD", "NN", "VB", "VBP"):
        return False  # "he's tired", an adjective
    if _has_object_phrase(document, participle):
        return participle.lower not in _PASSIVE_WITH_OBJECT
    follows = document.words[participle.index + 1 : participle.index + 2]
    if participle.tag not in ("VBN", "VBD") or any_lower(follows, ("to", "by")):
        return False  # "he's supposed to go"
    return verb.dep == "aux" or (verb.lemma == "have" and verb.dep not in ("aux:pass", "cop"))


def _has_object_phrase(document: Document, participle: Word) -> bool:
    """True if a noun phrase or a clause follows directly: "he's done things", "he's shown that it works"."""
    rest = document.words[participle.index + 1 : participle.index + 3]
    if not rest or rest[0].lower in _NO_OBJECTS:
        return False
    after, *further = rest
    if after.upos == "ADJ":
        return any(word.upos == "NOUN" for word in further)
    return after.upos in ("DET", "PRON", "NOUN", "PROPN", "NUM") or after.lower in ("that", "how", "what")


def _has_only_itself(near: Words) -> bool:
    """True for "she's only herself to blame"."""
    match [word.lower for word in near[:3]]:
        case ["only", pronoun, "to"]:
            return pronoun.endswith(("self", "selves"))
    return False


FILLERS = _LISTS["fillers"]
_FILLING_PAIRS = frozenset({
    ("soon", "after"), ("shortly", "after"), ("of", "course"), ("in", "fact"), ("at", "least"), ("at", "last"),
    ("at", "first"), ("at", "times"), ("in", "turn"), ("in", "general"), ("for", "one"), ("as", "well"), ("no", "longer"),
    ("once", "again"), ("at", "once"), ("kind", "of"), ("sort", "of"), ("all", "but"), ("by", "now"), ("for", "now"),
})  # fmt: skip
_BETWEEN = NOT_TOKENS | FILLERS
_SUBJECT = ("nsubj", "csubj", "expl")
_SHORT = CONTRACTED_SINGULAR | CONTRACTED_PLURAL
_FINITE_TAGS = ("VBZ", "VBP", "VBD", "VB")  # VB too: taggers mix it up with VBP
_QUESTION_WORDS = frozenset("what where when why how who whom whose which whatever wherever whoever".split())
_AUXILIARY_FIRST = _LISTS["auxiliary_first"]
_CLAUSE_ENDS = frozenset({".", "!", "?", ";", ")", "]", "”"})
_SELDOM_NOUNS = frozenset({"steals", "wins"})  # "she who dares wins", where taggers see a noun
_REACH = 60  # words that are searched for a verb that shares the subject


def verbs_of(document: Document, word: Word) -> Words:
    """The finite verbs whose subject a pronoun is, in text order, including those without number ("can", "went").

    Word order is more reliable than the parse. The verb is next to its subject pronoun: behind it ("he never knows"), or before it
    in questions ("does he", "nor is she"). The parse decides if neither neighbour is a verb ("he, like most people, thinks"), and for
    verbs that share the subject ("he sings and dances").
    """
    form = pronoun_form(document, word)
    if form is None or form.form in ("determiner", "possessive"):
        return ()
    verbs = set(_verbs_of_relative_clause(document, word, form.pronoun))
    is_subject = form.form == "subject" or (
        form.form == "reflexive" and _verb_before(document, word) is not None
    )
    if is_subject and not _is_first_of_several(document, word):
        main = _main_verb(document, word, form.pronoun)
        if verbs and (main is None or main in verbs):
            main = _next_singular(document, max(verb.index for verb in verbs))
        elif verbs and main is not None and document.lower_at(main.index - 1) == "it":
            main = None  # "it is he who knows"
        if main is not None:
            verbs |= set(_with_joined(document, word, main, form.pronoun))
    return tuple(sorted(verbs, key=lambda verb: verb.index))


# --- the verb beside the pronoun ---------------------------------------------------------------------


def _main_verb(document: Document, word: Word, pronoun: Pronoun) -> Word | None:
    """The finite verb of the clause whose subject is a pronoun."""
    before, after = _verb_before(document, word), _verb_after(document, word, pronoun)
    if before is None or (after is not None and _is_surely_singular(after, pronoun)):
        return after or _verb_by_parse(document, word)
    is_tag = document.lower_at(word.index + 1).startswith("?")  # "she gets to you doesn't she?"
    if is_tag or _opens_its_clause(document, before):
        return before
    return before if _governs(document, before, word) else after or _verb_by_parse(document, word)


def _verb_after(document: Document, word: Word, pronoun: Pronoun) -> Word | None:
    """The verb behind the pronoun, skipping adverbs and the like."""
    skipped = word.index
    for other in document.words[word.index + 1 : word.index + 9]:
        if other.index <= skipped or other.lower in APOSTROPHES:
            continue
        if _is_finite(document, other, word, pronoun):
            return other
        if (other.lower, document.lower_at(other.index + 1)) in _FILLING_PAIRS:
            skipped = other.index + 1
        elif not (other.upos in ("ADV", "INTJ", "PART") or other.lower in _BETWEEN or _is_ly_adverb(other)):
            return None
    return None


def _is_ly_adverb(word: Word) -> bool:
    """True for "calmly", even if tagged as a verb; not for "rely"."""
    return word.lower.endswith("ly") and not is_base_form(word.lower)


def _is_finite(document: Document, other: Word, word: Word, pronoun: Pronoun) -> bool:
    """True if a word behind the pronoun is a verb by its form or tag, or in spite of a wrong tag."""
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
    return is_third_person_form(other.lower)


def _verb_before(document: Document, word: Word) -> Word | None:
    """The auxiliary directly before the pronoun: "is he", "doesn't she", "what's he"; also "says she"."""
    verb = _last_but(document, word.index, NOT_TOKENS | APOSTROPHES | {"t"})
    if verb is None:
        return None
    if verb.lower in _SHORT:
        question = _last_but(document, verb.index, APOSTROPHES)
        return verb if question is not None and question.lower in _QUESTION_WORDS else None
    says = word.head == verb.index and word.relation == "nsubj" and verb.tag in ("VBZ", "VBP", "VBD")
    return verb if says or is_auxiliary(verb.lower) else None


def _opens_its_clause(document: Document, verb: Word) -> bool:
    """True if no subject can precede an auxiliary, so the pronoun behind it is its subject."""
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
    """True if the parse gives a full verb a subject before it."""
    return any(
        s.index < verb.index and s.tag not in ("WP", "WDT") for s in document.children(verb, *_SUBJECT)
    )


def _governs(document: Document, verb: Word, word: Word) -> bool:
    """True if the parse attaches an auxiliary to the pronoun behind it."""
    head = document.head(verb) if verb.relation in ("aux", "cop") else verb
    if head is None or word.head != head.index or word.relation not in _SUBJECT:
        return False
    subjects = document.children(head, *_SUBJECT)
    return not any(s.index < verb.index and s.tag not in ("WP", "WDT") for s in subjects)


def _is_surely_singular(verb: Word, pronoun: Pronoun) -> bool:
    """True for a verb that cannot follow its subject in a question: "is", "knows"."""
    if pronoun.plural_verb:
        return False
    by_form = verb.lower in CONTRACTED_SINGULAR or is_singular_auxiliary(verb.lower)
    return by_form or is_surely_third_person(verb.lower, verb.tag)


def _verb_by_parse(document: Document, word: Word) -> Word | None:
    """The finite verb of the pronoun by the parse, unless a nearer subject is between them."""
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
    by_form = is_auxiliary(first.lower) or is_third_person_form(first.lower)
    return first if by_form or first.tag in (*_FINITE_TAGS, "MD", "POS", "NN") else None


# --- verbs further on ---------------------------------------------------------------------------------


def _is_first_of_several(document: Document, word: Word) -> bool:
    """True for the "he" of "he and his brother": the verb agrees with both of them, or with the second one."""
    joint = document.lower_at(word.index + 1)
    return joint in ("and", "&", "or", "nor", "/") and paired_pronoun(document, word) is None


def _with_joined(document: Document, word: Word, main: Word, pronoun: Pronoun) -> list[Word]:
    """A verb and the verbs that share its subject."""
    near = [main, *_listed(document, word, main), *_joined_by_order(document, word, main, pronoun)]
    return [*near, *_joined_by_parse(document, word, near, pronoun)]


def _verbs_of_relative_clause(document: Document, word: Word, pronoun: Pronoun) -> Iterator[Word]:
    """The verbs of "he who knows", "she, who sings and dances", "it is they who know and who tell"."""
    is_apart = word.lower == pronoun.subject and document.lower_at(word.index + 1) == ","
    place = word.index + (2 if is_apart else 1)
    joint = document.lower_at(place)
    if joint == "who" and word.lower not in ("him", "her", "them"):  # "I asked him who is there" is none
        verb = _verb_after(document, document.words[place], HE)
    else:
        clause = _relative_clause(document, word) if joint in ("who", "that") else None
        verb = None if clause is None else _finite_of(document, clause)
    while verb is not None:
        yield from _with_joined(document, document.words[place], verb, pronoun)
        place, verb = _next_relative_clause(document, verb)


def _next_relative_clause(document: Document, verb: Word) -> tuple[int, Word | None]:
    """The position of "who" in "he who knows and who tells", and its verb; None if no second clause is joined."""
    for who in document.words[verb.index + 1 : verb.index + 20]:
        if who.text in _CLAUSE_ENDS:
            break
        if who.tag in ("WP", "WDT", "WRB"):
            is_joined = who.lower == "who" and document.lower_at(who.index - 1) in ("and", "or", "but")
            return who.index, _verb_after(document, who, HE) if is_joined else None
    return verb.index, None


def _relative_clause(document: Document, word: Word) -> Word | None:
    """The relative clause of a pronoun by the parse, if the word behind the pronoun is its subject."""
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
    """The verbs of a bare list, "he walks, talks and sings", even if tagged as plural nouns.

    A comma directly behind the first verb shows that no objects follow, so all members are verbs.
    """
    if document.lower_at(main.index + 1) != "," or not is_third_person_form(main.lower):
        return []
    if _is_insertion(document, word, main):
        return []
    verbs: list[Word] = []
    is_joined, is_last = False, False
    for other in document.words[main.index + 1 : main.index + _REACH]:
        if other.text == "," or other.upos == "CCONJ":
            is_joined, is_last = True, is_last or other.upos == "CCONJ"
        elif is_joined and is_third_person_form(other.lower):
            verbs.append(other)
            is_joined = False
        elif other.upos != "ADV":
            # "he works, cats and dogs play": subjects of another verb
            is_subject = other.tag in ("VBD", "MD") or is_base_form(other.lower)
            is_last = not is_subject and not is_joined and (is_last or other.text in _CLAUSE_ENDS)
            break
    return verbs if is_last and len(verbs) > 1 else []


def _joined_by_parse(document: Document, word: Word, near: list[Word], pronoun: Pronoun) -> Iterator[Word]:
    """The verbs that the parse joins to those already found and that have no subject."""
    heads = {v.index for v in near} | {v.head for v in near if v.relation in ("aux", "cop")}
    stack = [document.words[i] for i in heads | ({word.head} if word.relation in _SUBJECT else set())]
    while stack:
        for joined in document.children(stack.pop(), "conj"):
            if joined.index < word.index or document.children(joined, *_SUBJECT):
                continue
            verb = _finite_of(document, joined)
            if verb is None or _has_subject_before_it(document, verb, word):
                continue
            if _agrees(document, joined, verb, near, pronoun):
                yield verb
            stack.append(joined)


def _has_subject_before_it(document: Document, verb: Word, word: Word) -> bool:
    """True if a noun phrase that the parse missed opens the clause of a joined verb: "and someone was late"."""
    for place in range(verb.index - 1, max(word.index, verb.index - 15), -1):
        if document.words[place].upos == "CCONJ":
            first = document.words[place + 1]
            return first.index < verb.index and first.upos in ("NOUN", "PROPN", "PRON", "DET", "NUM")
    return False


def _agrees(document: Document, joined: Word, verb: Word, near: list[Word], pronoun: Pronoun) -> bool:
    """True if a joined verb is finite, rather than governed by the main verb ("they can sing and dance")."""
    is_verb = verb.upos in ("VERB", "AUX") or any(joined.head == v.index for v in near)  # else perhaps a noun
    if pronoun.plural_verb:
        main = near[0]
        if verb.lower in ("are", "were"):
            return True
        is_past = main.tag == "VBD" and not is_auxiliary(main.lower)
        is_governed = is_past or takes_base_forms(main.lower, main.relation)
        return is_verb and not is_governed and (is_auxiliary(verb.lower) or is_base_form(verb.lower))
    if is_auxiliary(verb.lower) or verb.tag == "VBZ":
        return True
    return is_verb and is_third_person_form(verb.lower) and _follows_a_joint(document, verb)


def _joined_by_order(document: Document, word: Word, main: Word, pronoun: Pronoun) -> Iterator[Word]:
    """Third-person verbs directly behind "and" or "but", up to the next word that could be their subject.

    Behind a comma only if such an "and" follows ("he sits, writes and sleeps"), because a comma may also end an insertion ("the
    man, he thinks, is a fool").
    """
    if pronoun.plural_verb:
        return
    start = max(main.index, word.index) + 1
    listed: list[Word] = []
    for verb in document.words[start : start + _REACH]:
        if verb.text in _CLAUSE_ENDS or verb.relation in _SUBJECT or verb.tag in ("WP", "WDT", "WRB"):
            return
        is_finite = _is_third_person(document, verb) or (bool(listed) and is_third_person_form(verb.lower))
        if not is_finite or _has_subject_behind(document, verb):
            continue
        if _follows_a_joint(document, verb):
            yield from [*listed, verb]
            listed = []
        elif document.words[verb.index - 1].text == "," and not _is_insertion(document, word, main):
            listed.append(verb)


def _is_third_person(document: Document, verb: Word) -> bool:
    by_form = is_singular_auxiliary(verb.lower) or is_surely_third_person(verb.lower, verb.tag)
    return by_form or _has_object_pronoun(document, verb)


def _is_insertion(document: Document, word: Word, main: Word) -> bool:
    """True for ", she thinks,"."""
    return document.lower_at(word.index - 1) == "," and document.lower_at(main.index + 1) == ","


def _has_object_pronoun(document: Document, verb: Word) -> bool:
    """True for the "whips" of "he chains him and whips him", even if tagged as a plural noun."""
    after = document.words[verb.index + 1 : verb.index + 2]
    return any_tag(after, ("PRP", "PRP$", "DT")) and verb.tag == "NNS" and is_third_person_form(verb.lower)


def _has_subject_behind(document: Document, verb: Word) -> bool:
    """True if the subject follows the verb: "or is it late?", "and says the teacher"."""
    rest = document.words[verb.index + 1 : verb.index + 5]
    after = next((w for w in rest if w.lower not in NOT_TOKENS | APOSTROPHES | {"t"}), None)
    if after is None or after.relation not in _SUBJECT:
        return False
    return is_auxiliary(verb.lower) or after.head == verb.index


def _follows_a_joint(document: Document, verb: Word) -> bool:
    """True if "and", "or", "but" or "then" precedes a verb, ignoring adverbs and dots.

    A comma is not enough: "the man, he thinks, is a fool".
    """
    for other in reversed(document.words[max(0, verb.index - 6) : verb.index]):
        if other.upos == "CCONJ" or other.lower == "then":
            return True
        if other.upos != "ADV" and other.text not in ("...", "…"):
            return False
    return False


def _last_but(document: Document, index: int, skipped: frozenset[str]) -> Word | None:
    """The last word before an index that is not to be skipped."""
    words = reversed(document.words[max(0, index - 6) : index])
    return next((word for word in words if word.lower not in skipped), None)
