"""Negations in other words. Family: negation.

"did not win"         "failed to win"               "never won"       "at no time won", "did not once win"
"was not able to V"   "was unable to V"             "could not V"     "was incapable of V-ing"
"has yet to V"        "still has not V-ed"          "refused to V"    "declined to V", "was unwilling to V"
"is not a poet"       "is anything but a poet"      "X did not V"     "It is false that X V-ed"
"is not possible"     "is impossible"               "rarely"          "seldom", "hardly ever"
"has no money"        "lacks money"                 "won zero races"  "did not win a single race"
"produced nothing"    "did not produce anything"    "No one came"     "Not one person came"
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from longway.english.articles import with_articles
from longway.english.denials import (
    DO_FORMS,
    Denial,
    DenialKind,
    Tense,
    conjugated,
    denials,
    finite_plural,
    subject_of,
)
from longway.english.document import Change, Document, Word, any_tag
from longway.english.inflection import MASS_NOUNS, inflect, lemmas
from longway.english.opposites import COMPLEMENTS
from longway.english.people.mentions import person_noun_kind
from longway.english.rules.rule import Rephrasing, Rephrasings, Scene
from longway.english.rules.sentence import embedded_after, is_plain_statement, main_clause_root
from longway.english.wordnet import word_lists
from longway.english.words import listed_words

_LISTS = listed_words(__name__)
ATTEMPT_VERBS = _LISTS["attempt_verbs"]

CHOICE_VERBS = _LISTS["choice_verbs"]


_PAST_MODALS = {"can": "could", "will": "would"}
_FALSE_THAT = {
    "false_that": ("It is false that", ""),
    "untrue_that": ("It is untrue that", ""),
    "myth_that": ("It is a myth that", ""),
    "claim_that": ("The claim that", " is false"),
    "no_truth": ("There is no truth in the claim that", ""),
}
_SELDOM = ("rarely", "seldom", "hardly ever", "scarcely ever", "infrequently")
_NOT_A = {"anything_but": "anything but", "far_from": "far from being", "in_no_way": "in no way"}


def negation(scene: Scene) -> Rephrasings:
    """Yield the ways to rephrase the negations of a text."""
    for denial in denials(scene.document):
        before = scene.document.text[denial.start : denial.end]
        for name, words in _WAYS[denial.kind].items():
            text = in_other_words(denial, words) if _may_become(denial, name) else None
            if text is not None and text != before:
                yield Rephrasing.of(f"negation.{name}", denial.becomes(text))
        if denial.kind == "not" and denial.verb == "be":
            yield from _not_a(scene, denial)
        yield from false_that(scene, denial)
    yield from _seldom(scene)
    yield from absences(scene.document)


# The ways to write a denied verb group, by its kind; see `in_other_words`.
_WAYS: dict[DenialKind, dict[str, str]] = {
    "not": {"fail_to": "fail to {verb}", "not_succeed": "not succeed in {gerund}"},
    "fail": {
        "did_not": "+not",
        "not_manage": "not manage to {verb}",
        "not_succeed": "not succeed in {gerund}",
    },
    "never": {
        "never": "~never",
        "at_no_time": "~at no time",
        "at_no_point": "~at no point",
        "not_once": "+not once",
        "not_ever": "+not ever",
    },
    "unable": {
        "could_not": "can not {verb}",
        "unable_to": "be unable to {verb}",
        "incapable_of": "be incapable of {gerund}",
        "not_able_to": "not be able to {verb}",
        "lack_ability": "lack the ability to {verb}",
    },
    "yet": {
        "not_yet": "+not yet",
        "yet_to": "have yet to {verb}",
        "still_not": "+still not",
        "so_far_not": "+so far not",
    },
    "refuse": {
        "decline_to": "decline to {verb}",
        "refuse_to": "refuse to {verb}",
        "unwilling_to": "be unwilling to {verb}",
        "not_willing_to": "not be willing to {verb}",
        "would_not": "will not {verb}",
    },
    "avoid": {
        "stay_away": "stay away from {gerund}",
        "steer_clear": "steer clear of {gerund}",
        "refrain_from": "refrain from {gerund}",
    },
}
# The way that a denial has been written in already.
_OWN = {
    ("never", "never"): "never", ("unable", "can"): "could_not", ("unable", "unable"): "unable_to",
    ("unable", "incapable"): "incapable_of", ("unable", "able"): "not_able_to", ("yet", "yet to"): "yet_to",
    ("yet", "not"): "not_yet", ("yet", "never"): "not_yet", ("refuse", "refuse"): "refuse_to",
    ("refuse", "decline"): "decline_to", ("avoid", "refrain"): "refrain_from",
}  # fmt: skip
_NOT_OF_BE = ("did_not", "not_manage", "not_succeed", "not_once", "lack_ability")


def _may_become(denial: Denial, way: str) -> bool:
    if denial.kind == "not":
        return denial.verb in ATTEMPT_VERBS and denial.tense != "present"
    if (denial.verb == "be" and way in _NOT_OF_BE) or _OWN.get((denial.kind, denial.marker)) == way:
        return False
    allowed = {"could_not": ("past", "present"), "would_not": ("past",)}
    return denial.tense in allowed.get(way, (denial.tense,))


def in_other_words(denial: Denial, words: str) -> str | None:
    """Return a denial in other words; None if the number of the verb is unknown.

    words: a verb with more words ("fail to {verb}" for "failed to win"), also negated ("not be able to {verb}"); "~" and an adverb
    for `with_adverb`; "+" and a word in the position of "not".
    """
    if words[0] in "~+":
        return with_adverb(denial, words[1:]) if words[0] == "~" else denial.with_auxiliary(words[1:])
    tense: Tense = "past" if denial.tense in ("past", "pluperfect") else "present"
    words = words.format(verb=denial.verb, gerund=denial.gerund)
    verb, _, rest = words.removeprefix("not ").partition(" ")
    group: str | None
    if words.startswith("not "):
        group = replace(denial, verb=verb).with_auxiliary("not")
    elif verb == "can" and tense == "present":
        return f"cannot {denial.verb}"
    elif verb in _PAST_MODALS:
        group = _PAST_MODALS[verb]
    else:
        group = conjugated(verb, tense if words.startswith("have yet") else denial.tense, denial.plural)
    return group and f"{group} {rest}"


def with_adverb(denial: Denial, adverb: str) -> str | None:
    """Return the denied verb with an adverb instead of "not": "never won", "was never", "has never won"."""
    if denial.tense in ("perfect", "pluperfect") or denial.verb == "be":
        return denial.with_auxiliary(adverb)
    form = denial.conjugated()
    return form and f"{adverb} {form}"


def _not_a(scene: Scene, denial: Denial) -> Rephrasings:
    """Rephrase "is not possible" with a complement, "is not a poet" with words for "not"."""
    be = denial.conjugated("be")
    words = scene.document.words[denial.last + 1 : denial.last + 3]
    if be is None or len(words) < 2 or denial.tense in ("perfect", "pluperfect"):
        return
    first, after = words
    opposite = COMPLEMENTS.get(first.lower) if first.text.islower() else None
    if opposite is not None and (
        after.upos == "PUNCT" or after.lower in ("in", "to", "by", "at", "since", "with")
    ):
        yield Rephrasing.of("negation.complement", Change(denial.start, first.end, f"{be} {opposite}"))
    if not _is_noun_phrase(scene, first):
        return
    for name, text in _NOT_A.items():
        if first.lower != "the" or name == "in_no_way":
            yield Rephrasing.of(f"negation.{name}", denial.becomes(f"{be} {text}"))
    if first.lower in ("a", "an") and denial.tense == "present" and (do := denial.conjugated("do")):
        yield Rephrasing.of("negation.not_count_as", denial.becomes(f"{do} not count as"))


def _is_noun_phrase(scene: Scene, first: Word) -> bool:
    """Return True if an article after the copula starts the predicate of the main clause."""
    head = scene.document.head(first)
    if first.lower not in ("a", "an", "the") or head is None or first.relation != "det":
        return False
    return head.relation == "root" and head.upos in ("NOUN", "PROPN")


def false_that(scene: Scene, denial: Denial) -> Rephrasings:
    """Yield ways to call the whole statement false: "It is false that X won" for "X did not win"."""
    document = scene.document
    if denial.kind not in ("not", "never", "unable") or not is_plain_statement(document, denial.last):
        return
    if denial.kind == "unable":
        positive = in_other_words(denial, "be able to {verb}")
    else:
        positive = with_adverb(denial, "ever") if denial.kind == "never" else denial.conjugated()
    main = main_clause_root(document, denial.last)
    if positive is None or main is None:
        return
    words = document.sentence_of(main)
    for name, (before, after) in _FALSE_THAT.items():
        change = embedded_after(scene, words[0], before)
        if change is not None and change.end <= denial.start:
            end = [Change(words[-1].start, words[-1].start, after)] if after else []
            yield Rephrasing.of(f"negation.{name}", change, denial.becomes(positive), *end)


def _seldom(scene: Scene) -> Rephrasings:
    """Exchange "rarely", "seldom", "hardly ever", inside a clause."""
    words = scene.document.words
    for word in words[1:]:
        pair = words[word.index : word.index + 2]
        text = " ".join(w.text for w in pair)
        last = pair[-1] if text in _SELDOM else word
        adverb = text if text in _SELDOM else word.text
        after = scene.document.after(last)
        if adverb not in _SELDOM or after is None or after.upos in ("PUNCT", "ADJ", "ADV"):
            continue
        for new in _SELDOM:
            if new != adverb:
                yield Rephrasing(
                    f"negation.{new.replace(' ', '_')}",
                    with_articles(scene.document, Change(word.start, last.end, new)),
                )


_NO_WORDS = frozenset({"no", "zero"})
# Verbs with "no" and what replaces them: rule, verb, words after it.
_WITHOUT = {
    "have": (("lack", "lack", ""), ("without", "be", " without")),
    "possess": (("lack", "lack", ""), ("without", "be", " without")),
    "contain": (("lack", "lack", ""),),
    "include": (("lack", "lack", ""),),
    "feature": (("lack", "lack", ""),),
    "receive": (("go_without", "go", " without"),),
    "get": (("go_without", "go", " without"),),
}


def absences(document: Document) -> Rephrasings:
    """Yield the ways to rephrase that something is missing."""
    for word in document.words[1:]:
        if not word.text.islower():
            continue
        if word.lower in _NO_WORDS:
            yield from _no(document, word)
        elif word.lower == "nothing":
            yield from _nothing(document, word)
        elif word.lower in ("lacks", "lacked", "lack") and word.upos == "VERB":
            yield from _lack(document, word)
    yield from chain(_not_any(document), _any_dropped(document), _there_is_no(document), _nobody(document))


def _verb_before(document: Document, word: Word) -> tuple[Word, Tense, bool | None] | None:
    """Return the finite verb right before a word, its tense, and the number of its subject."""
    verb = document.before(word)
    if (
        verb is None
        or not verb.text.islower()
        or verb.upos not in ("VERB", "AUX")
        or verb.tag not in DO_FORMS
    ):
        return None
    if verb.lemma == "be" or document.words[max(0, verb.index - 1)].upos in ("AUX", "PART"):
        return None
    subject = subject_of(document, verb)
    depends = verb.index in (word.head, document.words[word.head].head)
    if subject is None or subject.index > verb.index or not depends:
        return None
    return verb, "past" if verb.tag == "VBD" else "present", finite_plural(document, verb, subject)


def _no(document: Document, no: Word) -> Rephrasings:
    """Rephrase "has no N", "won zero N": `no` determines the object of a finite verb."""
    noun = document.words[no.head]
    other = "no" if no.lower == "zero" else "zero"
    is_plural = noun.tag == "NNS"
    if no.relation not in ("det", "nummod", "advmod") or noun.upos != "NOUN" or noun.index < no.index:
        return
    if other == "no" or is_plural:
        yield Rephrasing.of(f"negation.{other}", no.becomes(other))
    governor = _verb_before(document, no)
    if governor is None or noun.relation != "obj" or not _is_plain_noun(document, no, noun):
        return
    verb, time, plural = governor
    base = verb.lemma.lower()
    if do := conjugated("do", time, plural):
        if is_plural or _is_mass(noun):  # no "did not have any mother"
            yield Rephrasing.of("negation.not_any", Change(verb.start, no.end, f"{do} not {base} any"))
        if single := _singular_change(document, no, noun):
            yield Rephrasing.of(
                "negation.not_a_single", Change(verb.start, no.end, f"{do} not {base} a single"), single
            )
    yield from _without(verb, no, noun, time, plural)


def _without(verb: Word, no: Word, noun: Word, tense: Tense, plural: bool | None) -> Rephrasings:
    if verb.lemma in ("have", "possess") and (noun.tag == "NNS" or person_noun_kind(noun) is not None):
        return  # no "lacks sisters", "is without songs"
    some = "" if noun.tag == "NNS" or _is_mass(noun) else " any"
    for name, lemma, rest in _WITHOUT.get(verb.lemma, ()):
        if form := conjugated(lemma, tense, plural):
            yield Rephrasing.of(f"negation.{name}", Change(verb.start, no.end, f"{form}{rest}{some}"))


def _any_dropped(document: Document) -> Rephrasings:
    """Rephrase "failed to win any awards" as "failed to win awards", "failed to win a single award"."""
    denied_verbs = [denial.last for denial in denials(document)]
    for word in document:
        noun = document.words[word.head]
        if word.text != "any" or word.relation != "det" or noun.index < word.index or noun.upos != "NOUN":
            continue
        if not any(0 < word.index - last <= 6 for last in denied_verbs) or not _is_plain_noun(
            document, word, noun
        ):
            continue
        if noun.tag == "NNS":
            after = document.words[word.index + 1]
            yield Rephrasing.of("negation.any_dropped", Change(word.start, after.start, ""))
            if single := _singular_change(document, word, noun):
                yield Rephrasing.of("negation.a_single", word.becomes("a single"), single)
        elif noun.tag == "NN" and not _is_mass(noun):
            yield Rephrasing.of("negation.a_single", word.becomes("a single"))


def _is_plain_noun(document: Document, no: Word, noun: Word) -> bool:
    """Return False for "no longer", "no more than ten", "no stranger to"."""
    between = document.words[no.index + 1 : noun.index]
    return all(w.upos in ("ADJ", "NOUN", "PROPN") for w in between) and not any_tag(between, ("JJR", "RBR"))


def _singular_change(document: Document, no: Word, noun: Word) -> Change | None:
    """Return the change of a plural noun to its singular, if it is countable."""
    if noun.tag != "NNS":
        return None
    known = lemmas(noun.text, "NOUN")
    singular = known[0] if known else noun.lemma
    is_counted = inflect(singular, "NNS") == noun.text and singular != noun.text
    return noun.becomes(singular) if is_counted and not _is_mass(noun) else None


def _is_mass(noun: Word) -> bool:
    is_listed = noun.lemma.lower() in MASS_NOUNS | word_lists().mass
    return is_listed or noun.lower in ("experience", "support", "interest")


def _nothing(document: Document, nothing: Word) -> Rephrasings:
    governor = _verb_before(document, nothing)
    if governor is None:
        return
    verb, time, plural = governor
    after = [w.text for w in document.words[nothing.index + 1 : nothing.index + 4]]
    if verb.lemma == "have" and after == ["to", "do", "with"]:
        end = document.words[nothing.index + 3].end
        for words in ("unrelated to", "unconnected with"):
            if be := conjugated("be", time, plural):
                yield Rephrasing.of(f"negation.{words.split()[0]}", Change(verb.start, end, f"{be} {words}"))
        yield Rephrasing.of(
            "negation.no_connection", Change(verb.start, end, f"{verb.text} no connection with")
        )
        return
    if after[:1] == ["but"]:
        return
    if do := conjugated("do", time, plural):
        yield Rephrasing.of(
            "negation.not_anything", Change(verb.start, nothing.end, f"{do} not {verb.lemma} anything")
        )


def _lack(document: Document, lack: Word) -> Rephrasings:
    """Rephrase "lacks support" as "has no support", "does not have support"."""
    noun = next(iter(document.children(lack, "obj")), None)
    subject = subject_of(document, lack)
    after = document.words[lack.index + 1]
    if noun is None or subject is None or subject.index > lack.index or noun.index < lack.index:
        return
    tense: Tense = "past" if lack.tag == "VBD" else "present"
    plural = finite_plural(document, lack, subject)
    have, do, be = (conjugated(verb, tense, plural) for verb in ("have", "do", "be"))
    has_article = after.lower in ("a", "an", "any")
    if have and (has_article or after.upos in ("NOUN", "ADJ")):
        end = after.end if has_article else lack.end
        yield Rephrasing.of("negation.has_no", Change(lack.start, end, f"{have} no"))
    if do:
        yield Rephrasing.of("negation.not_have", lack.becomes(f"{do} not have"))
    if be:
        yield Rephrasing.of("negation.without", lack.becomes(f"{be} without"))


def _not_any(document: Document) -> Rephrasings:
    """Rephrase "did not win any awards" as "won no awards", "was not seen by anyone" as "was seen by no one"."""
    for denial in denials(document):
        if denial.kind != "not":
            continue
        any_word = _any_after(document, denial)
        positive = denial.conjugated()
        if any_word is None or positive is None:
            continue
        new = {"any": "no", "anything": "nothing", "anyone": "no one", "anybody": "nobody"}[any_word.lower]
        yield Rephrasing.of("negation.any_to_no", denial.becomes(positive), any_word.becomes(new))
        if new == "no" and document.words[any_word.head].tag == "NNS":
            yield Rephrasing.of("negation.any_to_zero", denial.becomes(positive), any_word.becomes("zero"))


def _any_after(document: Document, denial: Denial) -> Word | None:
    """Return the "any" right after the verb, or after its preposition or participle."""
    for word in document.words[denial.last + 1 : denial.last + 4]:
        if word.text in ("any", "anything", "anyone", "anybody"):
            return word
        if word.upos != "ADP" and word.tag != "VBN":
            return None
    return None


def _there_is_no(document: Document) -> Rephrasings:
    for there in document.words:
        rest = document.words[there.index + 1 : there.index + 3]
        if there.lower != "there" or there.relation != "expl" or len(rest) < 2:
            continue
        be, no = rest
        if be.lower not in ("is", "are", "was", "were") or no.lower not in _NO_WORDS:
            continue
        noun = document.words[no.head]
        if noun.upos != "NOUN" or not _is_plain_noun(document, no, noun):
            continue
        yield Rephrasing.of("negation.there_is_not_any", Change(be.start, no.end, f"{be.text} not any"))
        is_past = be.lower in ("was", "were")
        if single := _singular_change(document, no, noun):
            new = f"{'was' if is_past else 'is'} not a single"
            yield Rephrasing.of("negation.there_is_not_a_single", Change(be.start, no.end, new), single)
        if noun.index + 1 < len(document) and document.words[noun.index + 1].upos in ("ADP", "PUNCT"):
            exist = conjugated("exist", "past" if is_past else "present", noun.tag == "NNS")
            no_word = "No" if there.text[0].isupper() else "no"
            yield Rephrasing.of(
                "negation.none_exist",
                Change(there.start, no.end, no_word),
                Change(noun.end, noun.end, f" {exist}"),
            )


def _nobody(document: Document) -> Rephrasings:
    """Exchange "Nobody", "No one" and "Not one person" as subjects."""
    for word in document.words:
        after = document.words[word.index + 1 : word.index + 2]
        is_no_one = word.lower == "no" and bool(after) and after[0].text == "one"
        if not is_no_one and word.lower != "nobody":
            continue
        end = after[0].end if is_no_one else word.end
        head = after[0] if is_no_one else word
        follows = document.words[head.index + 1 : head.index + 2]
        is_qualified = not follows or follows[0].lower in ("but", "else", "except", "'s", "’s", "of")
        if head.relation != "nsubj" or is_qualified:
            continue
        before = document.text[word.start : end].lower()
        for new in ("nobody", "no one", "not one person", "not a single person"):
            if new != before:
                text = new[0].upper() + new[1:] if word.text[0].isupper() else new
                yield Rephrasing.of(f"negation.{new.replace(' ', '_')}", Change(word.start, end, text))
