"""The three edits of a hypothesis: small, chosen from what the grammar writes, and with a label that is known.

    edit         rows                      change                                                      label    shortcut's label
    hypernym     neutral, contradiction    A man → person is asleep.        the subject, aligned       stays    entailment
    antonym      entailment, neutral       The dogs chase a +white ball.    premise: two black dogs    neutral  contradiction
    adjective    contradiction             A +sad man is asleep.            the subject                stays    neutral

A classifier that has learned the shortcut predicts the shortcut's label. No edit is made if the new label would not be certain: the
hypothesis denies something, it has "every" or "all", "a person" could mean another person in the premise, the ball of the premise has its own
colour, or the object is the subject in other words ("a white animal").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from longway.english.articles import fix_articles
from longway.english.document import Change, Document, Word, apply_changes
from longway.english.inflection import capitalise, match_case
from longway.english.wordnet import frequency, is_expression, senses
from longway.english.words import is_negation, listed_words
from longway.grammars.trees import Tree, leaves
from longway.methods.contrast.grammar_words import (
    GrammarWords,
    is_above,
    is_colour,
    is_opposite,
    kind_of,
    may_be_person,
    noun_lemmas,
)
from longway.task import Stance

MOST = 3  # edits of one kind in one row

_WORDS = listed_words(__name__)
_QUANTIFIERS = _WORDS["quantifiers"]
_BEFORE_A_NOUN = frozenset({"det", "nummod", "nmod:poss", "case"})
_OBJECTS = frozenset({"obj", "obl", "nmod"})
_THINGS = frozenset({"noun.artifact", "noun.food", "noun.animal"})
_NO_QUALITY = _WORDS["no_quality"]
_MANY = frozenset({"group", "crowd", "couple", "team", "family", "pair"})
_PERSONAL = _WORDS["personal"]


@dataclass(frozen=True, slots=True)
class ReadPair:
    """A pair of analysed texts, and its tree by the grammar, if it was parsed."""

    premise: Document
    hypothesis: Document
    tree: Tree | None


@dataclass(frozen=True, slots=True)
class EditedHypothesis:
    """A hypothesis after an edit. at: the start of the new word. relation, head: those that it must have in the sentence."""

    text: str
    what: str
    at: int
    relation: str
    head: str


@dataclass(frozen=True, slots=True)
class ContrastExample:
    """A contrast example. id: of its row. label: the correct one. what: the change, as "man → person" or "+sad man"."""

    id: str
    edit: str
    before: str
    after: str
    label: str
    what: str


@dataclass(frozen=True, slots=True)
class EditKind:
    """One kind of edit. rows: the stances it applies to; becomes: the stance after it, None for the same; shortcut: the shortcut's stance."""

    drafts: Callable[[ReadPair, GrammarWords], Iterator[EditedHypothesis]]
    rows: frozenset[Stance]
    becomes: Stance | None
    shortcut: Stance


def subject_of(document: Document) -> Word | None:
    """The subject of a sentence or a caption; None if it is no common noun or there are several sentences."""
    if len(document.sentences) != 1:
        return None
    root = next((word for word in document if word.head == word.index), None)
    if root is None:
        return None
    subjects = document.children(root, "nsubj")
    noun = subjects[0] if subjects else root
    is_noun = noun.upos == "NOUN" and noun.text.isalpha()
    # "a blond": an adjective used as a noun is modified in other ways
    return noun if is_noun and frequency(noun.lower, "NOUN") >= frequency(noun.lower, "ADJ") else None


def hypernyms(pair: ReadPair, words: GrammarWords) -> Iterator[EditedHypothesis]:
    """Make the subject's noun more general, if the tree aligns it with the same noun of the premise."""
    noun = _subject_to_edit(pair.hypothesis)
    if noun is None or pair.tree is None or _times(noun.lower, pair.hypothesis) != 1:
        return
    there = [word for word in pair.premise if word.lower == noun.lower]
    is_aligned = any(leaf.words == (noun.lower, noun.lower) for leaf in leaves(pair.tree))
    if len(there) != 1 or not is_aligned or pair.hypothesis.children(noun, "compound", "conj"):
        return
    if noun.tag == "NN" and not pair.hypothesis.children(noun, "det", "nummod", "nmod:poss"):
        return  # "Man swims" can be read, "Person swims" hardly
    for general in words.hypernyms.get(noun.lower, ()):
        if not _others(pair.premise, there[0], general) and not _times(general, pair.hypothesis):
            change = Change(noun.start, noun.end, match_case(general, noun.text))
            relation, head = noun.relation, pair.hypothesis.words[noun.head].lower
            head = general if noun.head == noun.index else head
            yield _draft(pair.hypothesis, change, f"{noun.lower} → {general}", relation, head)


def antonyms(pair: ReadPair, words: GrammarWords) -> Iterator[EditedHypothesis]:
    """Put an opposite of the adjective of the premise's subject before a thing in the hypothesis."""
    subject = subject_of(pair.premise)
    if subject is None or denies(pair.hypothesis):
        return
    said = [w for w in pair.premise.children(subject, "amod") if w.tag == "JJ"]
    others = [w.lower for w in pair.premise if w.upos == "ADJ" and w not in said]
    for adjective in said:
        for opposite in words.opposites.get(adjective.lower, ()):
            if any(one == opposite or is_opposite(one, opposite) for one in others):
                continue
            for noun in things(pair.hypothesis):
                if suits(opposite, noun, words) and not is_same(subject, noun):
                    yield _with_adjective(pair.hypothesis, noun, opposite)


def adjectives(pair: ReadPair, words: GrammarWords) -> Iterator[EditedHypothesis]:
    """Put an adjective that the grammar adds before the subject's noun."""
    noun = _subject_to_edit(pair.hypothesis)
    if noun is None or not _is_bare(pair.hypothesis, noun):
        return
    for adjective in words.added:
        is_new = not _times(adjective, pair.premise) and not _times(adjective, pair.hypothesis)
        is_denied = any(
            is_opposite(word.lower, adjective) for word in pair.hypothesis
        )  # "the young man is old"
        if is_new and not is_denied and _is_said_of(adjective, noun, words):
            yield _with_adjective(pair.hypothesis, noun, adjective)


EDITS: Mapping[str, EditKind] = {
    "hypernym": EditKind(hypernyms, frozenset({"neutral", "contradicts"}), None, "entails"),
    "antonym": EditKind(antonyms, frozenset({"entails", "neutral"}), "neutral", "contradicts"),
    "adjective": EditKind(adjectives, frozenset({"contradicts"}), None, "neutral"),
}


def reads_well(draft: EditedHypothesis, document: Document) -> bool:
    """Whether the analysis of the edited text has the new word as intended: a noun in the same place, or an adjective."""
    word = next((word for word in document if word.start == draft.at), None)
    if word is None or len(document.sentences) != 1:
        return False
    is_right = word.upos == "ADJ" and word.tag == "JJ" if draft.relation == "amod" else word.upos == "NOUN"
    return is_right and word.relation == draft.relation and document.words[word.head].lower == draft.head


def _times(word: str, document: Document) -> int:
    return sum(one.lower == word for one in document)


def _subject_to_edit(document: Document) -> Word | None:
    noun = subject_of(document)
    if noun is None or denies(document) or _is_quantified(document, noun):
        return None
    return noun


def denies(document: Document) -> bool:
    """Whether a text has a negation."""
    return any(is_negation(word.lower) for word in document)


def _is_quantified(document: Document, noun: Word) -> bool:
    return any(word.lower in _QUANTIFIERS for word in document.children(noun))


def _is_bare(document: Document, noun: Word) -> bool:
    """Whether only an article, a number or a possessive precedes the noun: "the dog", "her two dogs"."""
    before = [word for word in document.children(noun) if word.index < noun.index]
    is_apart = noun.start == 0 or document.text[noun.start - 1] == " "
    return is_apart and all(word.dep in _BEFORE_A_NOUN for word in before)


def things(document: Document) -> list[Word]:
    """Objects and obliques that are things or animals and have no adjective."""
    return [word for word in bare_objects(document) if kind_of(word.lower) in _THINGS]


def bare_objects(document: Document) -> list[Word]:
    """Objects and obliques that have an article, or are plural, and no adjective."""
    found = []
    for word in document:
        is_object = word.upos == "NOUN" and word.dep in _OBJECTS
        # Without an article the noun may not be a thing: "plays guitar", "in front".
        has_article = word.tag == "NNS" or bool(document.children(word, "det", "nmod:poss"))
        if is_object and has_article and _is_bare(document, word) and not _is_quantified(document, word):
            found.append(word)
    return found


def suits(adjective: str, thing: Word, words: GrammarWords) -> bool:
    """Whether the adjective is used with such things, and does not form an expression with the noun ("hot dog")."""
    is_expressed = is_expression(f"{adjective} {thing.lemma.lower()}")
    return (adjective, kind_of(thing.lower)) in words.before_kinds and not is_expressed


def _is_said_of(adjective: str, noun: Word, words: GrammarWords) -> bool:
    """Whether the adjective is used with this noun; a colour before a person would refer to race."""
    if adjective in _NO_QUALITY or (adjective, noun.lower) not in words.side_by_side:
        return False
    # "American": the grammar's words are in lower case
    has_capitals = any(one.has_capitals(adjective) for one in senses(adjective, "ADJ")[:1])
    return not has_capitals and not (is_colour(adjective) and may_be_person(noun.lower))


def is_same(subject: Word, noun: Word) -> bool:
    """Whether both nouns may refer to one thing: "dog" and "animal"."""
    one, other = subject.lemma.lower(), noun.lemma.lower()
    return one == other or is_above(one, other) or is_above(other, one)


def _others(premise: Document, noun: Word, general: str) -> bool:
    """Whether the more general word could mean somebody or something else in the premise."""
    kind = noun_lemmas(general)[0]
    is_person = is_above("man", kind)
    return any(
        _is_one(word, kind) or (is_person and (word.upos == "PROPN" or word.lower in _PERSONAL))
        for word in premise
        if word != noun
    )


def _is_one(word: Word, kind: str) -> bool:
    lemma = noun_lemmas(word.lower)[0]
    return word.upos == "NOUN" and (lemma == kind or lemma in _MANY or is_above(lemma, kind))


def _with_adjective(document: Document, noun: Word, adjective: str) -> EditedHypothesis:
    change = Change(noun.start, noun.start, f"{adjective} ")
    if noun.index == 0 and noun.text[:1].isupper():  # "Dogs bark" -> "Big dogs bark"
        change = Change(noun.start, noun.end, f"{capitalise(adjective)} {noun.lower}")
    return _draft(document, change, f"+{adjective} {noun.lower}", "amod", noun.lower)


def _draft(document: Document, change: Change, what: str, relation: str, head: str) -> EditedHypothesis:
    articles = fix_articles(document, [change])
    moved = sum(len(one.text) - (one.end - one.start) for one in articles if one.start < change.start)
    return EditedHypothesis(
        apply_changes(document.text, [change, *articles]), what, change.start + moved, relation, head
    )
