"""Denied verb groups: find them, rebuild them, add a negation to a clause or remove one.

    denials(document)                        every denied verb group
    denial.with_auxiliary("not")             "did not win"
    denial.conjugated("fail")                "failed", in the tense and number of the group
    not_after(auxiliary), do_not(verb)       "is" -> "is not", "won" -> "did not win"
    without_negation(document, negation)     "was not good" -> "was good", "no good jokes" -> "good jokes"

    "Ann did not win a race."           not      win   past
    "Ann has never been to Rome."       never    be    perfect
    "Ann was incapable of winning."     unable   win   past
    "Ann has yet to win."               yet      win   perfect

In copulas and passives the denied verb is "be"; the text after it is kept as written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from longway.english.articles import article_before
from longway.english.document import Change, Document, Word, Words, any_lower, any_tag
from longway.english.inflection import MASS_NOUNS, inflect, lemmas, match_case
from longway.english.wordnet import word_lists
from longway.english.words import NOT_TOKENS, listed_words

_LISTS = listed_words(__name__)

DenialKind = Literal["not", "never", "fail", "refuse", "unable", "yet", "avoid"]
Tense = Literal["past", "present", "perfect", "pluperfect"]

DO_FORMS = {"VBP": "do", "VBZ": "does", "VBD": "did"}
_DO_TAGS = {form: tag for tag, form in DO_FORMS.items()}
# Auxiliaries whose form shows whether they are plural.
_PLURAL_FORMS = dict.fromkeys(("is", "was", "has", "does"), False) | dict.fromkeys(
    ("are", "were", "have", "do"), True
)
_TAG_PLURAL = {"VBZ": False, "VBP": True}
_CAN_TENSES: dict[str, Tense] = {"can": "present", "ca": "present", "could": "past"}
_TENSES: dict[str, Tense] = {
    "is": "present", "are": "present", "was": "past", "were": "past", "does": "present", "do": "present", "did": "past",
    "has": "perfect", "have": "perfect", "had": "pluperfect", **_CAN_TENSES,
}  # fmt: skip
_FAIL_VERBS: dict[str, DenialKind] = {
    "fail": "fail", "neglect": "fail", "refuse": "refuse", "decline": "refuse",
}  # fmt: skip
_AVOID_VERBS = {"avoid": "", "refrain": "from", "abstain": "from"}
_SCOPE_WORDS = listed_words(__name__)["scope_words"]
_FULL_FORMS = {"ca": "can", "wo": "will", "sha": "shall"}
_AFFIRMATIVE = {"any": "some", "anything": "something", "or": "and"}
_SWAPPED = {"less": "more", "least": "most", "without": "with", "nothing": "something"}


@dataclass(frozen=True, slots=True)
class Denial:
    """One denied verb group.

    marker: the denying word ("refuse" and "decline" are both of the kind "refuse"). first, last: word indices of
    the group. start, end: its offsets in the text. verb: the lemma of the denied verb. plural: the number of the
    subject, None if unknown.
    """

    kind: DenialKind
    marker: str
    first: int
    last: int
    start: int
    end: int
    verb: str
    tense: Tense
    plural: bool | None

    @property
    def participle(self) -> str:
        """The verb as "been", "won"."""
        return inflect(self.verb, "VBN") or self.verb

    @property
    def gerund(self) -> str:
        """The verb as "being", "winning"."""
        return inflect(self.verb, "VBG") or self.verb

    def conjugated(self, lemma: str | None = None) -> str | None:
        """Return a verb, by default the denied one, in the tense and number of the group; None if the number is unknown.

        >>> Denial("not", "not", 0, 2, 0, 11, "win", "past", False).conjugated("be")
        'was'
        """
        return conjugated(lemma or self.verb, self.tense, self.plural)

    def with_auxiliary(self, word: str) -> str | None:
        """Return the verb with a word in the position of "not": "did not win", "was never", "has still not won"."""
        if self.tense in ("perfect", "pluperfect"):
            have = conjugated("have", "past" if self.tense == "pluperfect" else "present", self.plural)
            return have and f"{have} {word} {self.participle}"
        auxiliary = conjugated("be" if self.verb == "be" else "do", self.tense, self.plural)
        if self.verb == "be":
            return auxiliary and f"{auxiliary} {word}"
        return auxiliary and f"{auxiliary} {word} {self.verb}"

    def becomes(self, text: str) -> Change:
        """Return the change that replaces the group."""
        return Change(self.start, self.end, text)


def conjugated(lemma: str, tense: Tense, plural: bool | None) -> str | None:
    """Return a verb in a tense and number; None if the number matters and is unknown.

    >>> conjugated("be", "past", True), conjugated("win", "present", None)
    ('were', None)
    """
    if tense in ("perfect", "pluperfect"):
        have = conjugated("have", "past" if tense == "pluperfect" else "present", plural)
        participle = inflect(lemma, "VBN")
        return f"{have} {participle}" if have and participle else None
    if plural is None and (tense == "present" or lemma == "be"):
        return None
    if lemma == "be":
        return be_form(tense, bool(plural))
    if tense == "past":
        return inflect(lemma, "VBD")
    return lemma if plural else inflect(lemma, "VBZ")


def be_form(tense: Tense, plural: bool) -> str:
    """Return the past or present form of "be"."""
    singular_and_plural = ("was", "were") if tense == "past" else ("is", "are")
    return singular_and_plural[plural]


def is_plural(document: Document, subject: Word) -> bool | None:
    """Return True for a plural subject, False for a singular one, None if unknown."""
    if subject.lower in _LISTS.plural_pronouns:
        return True
    if subject.lower in _LISTS.singular_pronouns:
        return False
    joined = document.children(subject, "conj")
    if subject.tag in ("NNPS", "PRP") or joined:
        is_name = subject.tag in ("NNP", "NNPS") or any_tag(joined, ("NNP", "NNPS"))
        return True if joined and not is_name else None
    if subject.tag == "NNS":
        return True
    return False if subject.tag in ("NN", "NNP", "VBG") else None


def subject_of(document: Document, word: Word, *, shared_by: tuple[str, ...] = ()) -> Word | None:
    """Return the subject of a verb, or of the predicate that an auxiliary or copula belongs to.

    shared_by: relations of verbs that may share the subject of the verb above them: "conj" for "came and left". The verb of
    "The point is that it lacks wit", to which the parse gives two subjects, then has none.
    """
    predicate: Word | None = word
    while predicate is not None:
        subjects = document.children(predicate, "nsubj")
        if subjects:
            return None if shared_by and len(subjects) > 1 else subjects[0]
        is_helper = predicate is word and word.relation in ("aux", "cop")
        predicate = document.head(predicate) if is_helper or predicate.relation in shared_by else None
    return None


def finite_plural(document: Document, verb: Word, subject: Word) -> bool | None:
    """Return the number that a finite verb shows, else that of its subject."""
    return _TAG_PLURAL[verb.tag] if verb.tag in _TAG_PLURAL else is_plural(document, subject)


# Finding denials. A group is matched word by word: "did" + "not" + "win", "is" + "incapable" + "of" + "winning".
# Groups with other adverbs or capitals inside, and groups in questions, are skipped.


def denials(document: Document) -> Iterator[Denial]:
    """Yield the denied verb groups of a text."""
    for number in range(len(document.sentences)):
        words = document.sentence(number)
        if not words or words[-1].text == "?":
            continue
        for position in range(1, len(words)):
            denial = _denial_at(document, words, position)
            if denial is not None:
                yield denial


def _denial_at(document: Document, words: Words, position: int) -> Denial | None:
    before, first, rest = words[position - 1], words[position], words[position + 1 :]
    is_open = before.upos in ("AUX", "PART") or before.lower in ("to", "why", "how", "what", "nor")
    if is_open or not first.text.islower():
        return None
    return _READERS.get(first.lower, _after_finite)(document, first, rest)


def _after_be(document: Document, be: Word, rest: Words) -> Denial | None:
    is_denied = _is_not(rest, 0)
    rest = rest[is_denied:]
    if _word_is(rest, 0, *(("able", "capable") if is_denied else ("unable", "incapable"))):
        return _ability(document, be, rest, be)
    is_never = _word_is(rest, 0, "ever" if is_denied else "never")
    after = rest[is_never] if len(rest) > is_never else None
    if not (is_denied or is_never) or after is None:
        return None
    if after.lower in _SCOPE_WORDS or after.upos == "PUNCT" or after.tag == "VBG":
        return None
    kind: DenialKind = "never" if is_never else "not"
    return _make_denial(document, kind, kind, be, document.before(after), be, verb="be")


def _ability(document: Document, first: Word, rest: Words, below: Word) -> Denial | None:
    """Match "unable to V", "not able to V", "incapable of V-ing"; `rest` starts with the adjective."""
    adjective = rest[0].lower
    if not _word_is(rest, 1, "to" if adjective in ("able", "unable") else "of"):
        return None
    verb = _infinitive(rest[2:]) if rest[1].lower == "to" else _gerund(rest[2:])
    return _make_denial(document, "unable", adjective, first, verb, below)


def _after_do(document: Document, do: Word, rest: Words) -> Denial | None:
    verb = _infinitive(rest[1:]) if _is_not(rest, 0) else None
    if verb is None or any(w.index == verb.index + 1 and w.lower == "to" for w in rest):
        return None
    kind: DenialKind = "never" if _word_is(rest, 1, "ever") else "not"
    return _make_denial(document, kind, "not", do, verb, verb)


def _after_have(document: Document, have: Word, rest: Words) -> Denial | None:
    if _word_is(rest, 0, "yet") and _word_is(rest, 1, "to"):
        return _make_denial(document, "yet", "yet to", have, _infinitive(rest[2:]), have)
    still, is_never = _word_is(rest, 0, "still"), _word_is(rest, 0, "never")
    if _is_not(rest, still) or is_never:
        after = rest[still + 1 :]
        has_yet = still or _word_is(after, 0, "yet")
        kind: DenialKind = "yet" if has_yet else "never" if is_never or _word_is(after, 0, "ever") else "not"
        verb = next(iter(after[_word_is(after, 0, "yet", "ever") :]), None)
        if verb is None or verb.tag not in ("VBN", "VBD") or not verb.text.islower():
            return None
        return _make_denial(document, kind, "never" if is_never else "not", have, verb, verb)
    if not rest or rest[0].tag not in ("VBN", "VBD"):
        return None
    if _word_is(rest, 0, "been") and _word_is(rest, 1, "unable", "incapable"):
        return _ability(document, have, rest[1:], rest[1])
    return _after_verb(document, have, rest[0], rest[1:])


def _after_can(document: Document, can: Word, rest: Words) -> Denial | None:
    verb = _infinitive(rest[1:]) if _is_not(rest, 0) else None
    return _make_denial(document, "unable", "can", can, verb, verb)


def _after_never(document: Document, never: Word, rest: Words) -> Denial | None:
    verb = rest[0] if rest else None
    if verb is None or not verb.text.islower() or verb.tag not in DO_FORMS:
        return None
    if verb.upos == "AUX" and verb.lower in ("does", "do", "did", "has", "have", "had"):
        return None
    return _make_denial(document, "never", "never", never, verb, verb)


def _after_finite(document: Document, verb: Word, rest: Words) -> Denial | None:
    return _after_verb(document, verb, verb, rest) if verb.tag in DO_FORMS else None


_READERS = (
    dict.fromkeys(("is", "was", "are", "were"), _after_be)
    | dict.fromkeys(("does", "do", "did"), _after_do)
    | dict.fromkeys(("has", "have", "had"), _after_have)
    | dict.fromkeys(_CAN_TENSES, _after_can)
    | {"never": _after_never}
)


def _after_verb(document: Document, first: Word, verb: Word, rest: Words) -> Denial | None:
    """Match "failed to V", "refused to V", "avoided V-ing", "refrained from V-ing"."""
    lemma = verb.lemma.lower()
    if lemma in _FAIL_VERBS and _word_is(rest, 0, "to"):
        return _make_denial(document, _FAIL_VERBS[lemma], lemma, first, _infinitive(rest[1:]), verb)
    preposition = _AVOID_VERBS.get(lemma)
    if preposition is None or (preposition and not _word_is(rest, 0, preposition)):
        return None
    return _make_denial(document, "avoid", lemma, first, _gerund(rest[bool(preposition) :]), verb)


def _infinitive(words: Words) -> Word | None:
    """Return the infinitive at the start of some words, after an optional "ever"."""
    verb = next(iter(words[_word_is(words, 0, "ever") :]), None)
    return verb if verb is not None and verb.text.islower() and verb.tag in ("VB", "VBP") else None


def _gerund(words: Words) -> Word | None:
    words = words[_word_is(words, 0, "ever") :]
    if not words or not words[0].text.islower() or not words[0].text.endswith("ing"):
        return None
    verb, is_last = (
        words[0],
        len(words) == 1 or words[1].upos == "PUNCT",
    )  # "incapable of boxing": tagged as a noun
    return verb if verb.tag == "VBG" or (verb.tag == "NN" and is_last and lemmas(verb.text, "VERB")) else None


def _plural_at(document: Document, finite: Word, verb: Word) -> bool | None:
    """Return the number that a finite verb shows, else that of the nearest subject above a verb."""
    if finite.lower in _PLURAL_FORMS:
        return _PLURAL_FORMS[finite.lower]
    if finite is verb and verb.tag in _TAG_PLURAL:
        return _TAG_PLURAL[verb.tag]
    for word in (verb, *document.ancestors(verb)):
        subject = subject_of(document, word)
        if subject is not None:
            return is_plural(document, subject)
        if word.relation not in ("xcomp", "conj", "aux", "cop", "advcl", "ccomp"):
            return None
    return None


def _word_is(words: Words, position: int, *options: str) -> bool:
    return position < len(words) and words[position].text in options


def _is_not(words: Words, position: int) -> bool:
    return _word_is(words, position, *NOT_TOKENS)


def _make_denial(
    document: Document,
    kind: DenialKind,
    marker: str,
    first: Word,
    last: Word | None,
    below: Word | None,
    *,
    verb: str = "",
) -> Denial | None:
    """Return the denial; None if there is no verb. below: a verb whose subject, or that of a verb above it, is the subject of the group."""
    if last is None or below is None:
        return None
    if not verb:
        is_be = last.lower in ("be", "been", "being", "is", "was", "are", "were")
        verb = "be" if is_be else lemmas(last.text, "VERB")[0] if last.tag == "NN" else last.lemma.lower()
    if inflect(verb, "VBN") is None or not verb.isalpha():
        return None
    finite = below if first.lower == "never" else first
    tense = _TENSES.get(first.lower, "past" if finite.tag == "VBD" else "present")
    plural = _plural_at(document, finite, below)
    return Denial(kind, marker, first.index, last.index, first.start, last.end, verb, tense, plural)


# Adding and removing negations.


def not_after(auxiliary: Word) -> Change:
    """Return the change that negates an auxiliary: "is" -> "is not", "can" -> "cannot"."""
    return Change(auxiliary.end, auxiliary.end, "not" if auxiliary.lower == "can" else " not")


def do_not(verb: Word) -> Change:
    """Return the change that negates a finite verb, one with a tag of `DO_FORMS`: "won" -> "did not win"."""
    return verb.becomes(f"{DO_FORMS[verb.tag]} not {verb.lemma}")


def remove_not(document: Document, auxiliary: Word, negation: Word, verb: Word | None) -> list[Change] | None:
    """Return the changes that remove a "not" after an auxiliary: "was not" -> "was", "did not win" -> "won".

    verb: the main verb, needed only after "do". Returns None if it has no finite form.
    """
    if auxiliary.lower not in _DO_TAGS:
        return [Change(auxiliary.end, negation.end, "")]
    form = inflect(verb.lemma, _DO_TAGS[auxiliary.lower]) if verb is not None else None
    if form is None or verb is None:
        return None
    after = document.words[negation.index + 1]
    return [Change(auxiliary.start, after.start, ""), verb.becomes(form)]


def without_negation(document: Document, negation: Word) -> list[Change] | None:
    """Return the changes that remove a negation; None if the rest would not be good English."""
    clause = _clause_after(document, negation)
    if any_lower(clause, _LISTS.need_negation):
        return None
    changes = _removal(document, negation)
    if changes is None or negation.lower in ("less", "least"):
        return changes
    changed = {offset for change in changes for offset in range(change.start, change.end)}
    return changes + [change for change in _affirmative(document, clause) if change.start not in changed]


def _clause_after(document: Document, negation: Word) -> list[Word]:
    """Return the words after a negation up to the end of its clause."""
    clause = []
    _, end = document.sentences[document.sentence_number(negation)]
    for word in document.words[negation.index + 1 : end]:
        if word.text in (".", ";", "!", "?", "--") or word.lower in ("but", "because", "although"):
            break
        clause.append(word)
    return clause


def _affirmative(document: Document, clause: list[Word]) -> Iterator[Change]:
    """Yield changes of words that need a negation: "any" -> "some", "at all" -> nothing."""
    for word in clause:
        after = document.after(word)
        if word.lower == "at" and after is not None and after.lower == "all":
            yield Change(document.words[word.index - 1].end, after.end, "")
        elif word.lower in _AFFIRMATIVE and (word.lower != "or" or word.upos == "CCONJ"):
            yield word.becomes(match_case(_AFFIRMATIVE[word.lower], word.text))


def _removal(document: Document, negation: Word) -> list[Change] | None:
    lower = negation.lower
    if lower in _SWAPPED:
        return [negation.becomes(match_case(_SWAPPED[lower], negation.text))]
    if lower == "no":
        return _removed_no(document, negation)
    if lower in _LISTS.negative_adverbs:
        return None if negation.index == _sentence_start(document, negation) else _dropped(document, negation)
    return _removed_not(document, negation) if lower in ("not", "n't") else None


def _dropped(document: Document, word: Word) -> list[Change] | None:
    """Drop a word and pass its capital on to the next one."""
    if word.index + 1 >= len(document):
        return None
    after = document.words[word.index + 1]
    if not word.text[:1].isupper():
        return [Change(word.start, after.start, "")]
    return [Change(word.start, after.end, match_case(after.text, word.text.capitalize()))]


def _removed_no(document: Document, no: Word) -> list[Change] | None:
    noun = document.head(no)
    if noun is None or no.index + 1 >= len(document):
        return None
    if no.index and document.words[no.index - 1].lower in _LISTS.approximators:
        return None
    is_mass = noun.lemma in MASS_NOUNS or noun.lemma in word_lists().mass
    if noun.upos != "NOUN" or noun.tag == "NNS" or is_mass:
        return _dropped(document, no)
    article = article_before(document.words[no.index + 1].text)
    return [no.becomes(match_case(article, no.text))]


def _removed_not(document: Document, negation: Word) -> list[Change] | None:
    first = _sentence_start(document, negation)
    before = document.before(negation) if negation.index > first else None
    if before is None or before.upos not in ("AUX", "VERB"):
        return _dropped(document, negation) if negation.lower == "not" else None
    after = document.after(negation)
    is_inverted = before.index == first or (after is not None and after.relation == "nsubj")
    if is_inverted or before.lower == "ai":  # "Isn't it good"
        return None
    if before.lower in _DO_TAGS:
        verb = document.head(negation)
        if (
            verb is None
            or verb.tag not in ("VB", "VBP")
            or verb.index <= negation.index
            or verb.lemma == "be"
        ):
            return None
        if not document.children(verb, "nsubj") and verb.relation != "conj":
            return None  # "Don't miss it"
        return remove_not(document, before, negation, verb)
    if before.lower in _FULL_FORMS and negation.lower == "n't":
        return [Change(before.start, negation.end, match_case(_FULL_FORMS[before.lower], before.text))]
    return remove_not(document, before, negation, None)


def _sentence_start(document: Document, word: Word) -> int:
    return document.sentence_of(word)[0].index
