"""Controlled tests of the shortcut "adjective antonym" (appendix D.3 of the paper, Table 16): four controls and one test from one premise.

        premise                                hypothesis                              label
    x1  a white dog running down a path      a black dog running down a path       contradiction   the shortcut alone
    x2  a white dog running down a path      a dog running down a path             entailment      control: no second adjective
    x3  a dog running down a white path      a dog running down a path             entailment      control: the adjective moved
    x4  a dog running down a path            a black dog running down a path       neutral         control: no first adjective
    x5  a dog running down a white path      a black dog running down a path       neutral         the test: both, of different things

The paper wrote these by hand for ten validation pairs. Here they are made by rules from pairs that have the feature: their label is
contradiction, a noun of the premise has an adjective, the same noun of the hypothesis (or both subjects) has an opposite one, and the tree, if
the pair has one, aligns the adjectives. All five are made of the premise alone, so other differences between both texts of the pair play no
part. No pair is used if the labels would not be certain: the premise already has the opposite, the noun has another adjective that excludes
it, or there is no other thing that the adjective could describe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from longway.english.articles import fix_articles
from longway.english.document import Change, Document, Word, apply_changes
from longway.english.inflection import capitalise, match_case
from longway.english.pipeline import EnglishPipeline, load_pipeline
from longway.english.wordnet import is_expression, senses
from longway.grammars.trees import Tree, leaves
from longway.methods.contrast.edits import ReadPair, bare_objects, denies, is_same, subject_of, suits
from longway.methods.contrast.grammar_words import GrammarWords, is_colour, is_opposite, may_be_person
from longway.methods.contrast.sets import labels_by_stance, read_pairs
from longway.models.classifier import Inputs
from longway.records import Example
from longway.task import Stance

TEST = "x5"  # all others are controls
SENSES = 3  # of a noun, of which one must be concrete
_CONCRETE = frozenset(
    f"noun.{field}" for field in ("artifact", "food", "animal", "plant", "object", "location")
)


@dataclass(frozen=True, slots=True)
class ControlledPair:
    """One of the five pairs. name: x1 to x5."""

    name: str
    premise: str
    hypothesis: str
    label: str


@dataclass(frozen=True, slots=True)
class ControlledSet:
    """The five pairs of one row. adjective, opposite: the feature, as "white" and "black"; object: what the adjective is moved to."""

    row: Example
    adjective: str
    opposite: str
    object: str
    pairs: tuple[ControlledPair, ...]


@dataclass(frozen=True, slots=True)
class ControlCounts:
    """What a classifier predicts. tempted: tests predicted as contradiction. original: sets whose row it predicts correctly."""

    sets: int
    original: int
    controls: int
    controls_right: int
    tests: int
    tests_wrong: int
    tempted: int


def controlled_sets(
    rows: Sequence[Example],
    trees: Sequence[Tree | None],
    words: GrammarWords | None,
    stances: Mapping[str, Stance],
    *,
    pipeline: EnglishPipeline | None = None,
) -> list[ControlledSet]:
    """The sets of all rows, in order, at most one per row; a row without the feature has none.

    rows: the text is the hypothesis, the context the premise. trees: of the rows, None for a row that was not parsed. words: those of the
    grammar; without them, adjectives are colours. stances: the stance of each label; only contradictions are used.
    """
    labels = labels_by_stance(stances)
    pipeline = pipeline or load_pipeline()
    chosen = [
        (row, tree) for row, tree in zip(rows, trees, strict=True) if stances.get(row.label) == "contradicts"
    ]
    pairs = read_pairs([row for row, _ in chosen], [tree for _, tree in chosen], pipeline)
    found = []
    for (row, _), pair in zip(chosen, pairs, strict=True):
        for draft in _drafts(pair, words):
            texts = draft.texts(pair.premise)
            if texts is not None and draft.reads_well(*pipeline.analyse_all(list(texts))):
                found.append(_set(row, draft, pair.premise.text, texts, labels))
                break
    return found


def control_counts(
    sets: Sequence[ControlledSet],
    predict: Callable[[Inputs], Sequence[str]],
    stances: Mapping[str, Stance],
) -> ControlCounts:
    """How many controls a classifier predicts correctly, and how many tests it does not. predict: returns its labels for pairs."""
    every = [pair for one in sets for pair in one.pairs]
    if not every:
        return ControlCounts(0, 0, 0, 0, 0, 0, 0)
    answers = predict(Inputs([pair.hypothesis for pair in every], [pair.premise for pair in every]))
    rows = [one.row for one in sets]
    before = predict(Inputs([row.text for row in rows], [row.context or "" for row in rows]))
    controls = [(pair, answer) for pair, answer in zip(every, answers, strict=True) if pair.name != TEST]
    tests = [(pair, answer) for pair, answer in zip(every, answers, strict=True) if pair.name == TEST]
    return ControlCounts(
        sets=len(sets),
        original=sum(answer == row.label for answer, row in zip(before, rows, strict=True)),
        controls=len(controls),
        controls_right=sum(answer == pair.label for pair, answer in controls),
        tests=len(tests),
        tests_wrong=sum(answer != pair.label for pair, answer in tests),
        tempted=sum(stances.get(answer) == "contradicts" for _, answer in tests),
    )


@dataclass(frozen=True, slots=True)
class _Draft:
    """An adjective of a noun of the premise, its opposite in the hypothesis, and the object to move it to."""

    noun: Word
    adjective: Word
    opposite: str
    thing: Word

    def texts(self, premise: Document) -> tuple[str, str, str] | None:
        """The premise without the adjective, with it at the object, and with the opposite; None if it cannot be taken out cleanly."""
        gone = _taken_out(premise, self.adjective)
        if gone is None:
            return None
        moved = Change(self.thing.start, self.thing.start, f"{self.adjective.lower} ")
        swapped = self.adjective.becomes(match_case(self.opposite, self.adjective.text))
        bare, at_object, opposite = (
            apply_changes(premise.text, [*changes, *fix_articles(premise, changes)])
            for changes in ([gone], [gone, moved], [swapped])
        )
        return bare, at_object, opposite

    def reads_well(self, bare: Document, at_object: Document, opposite: Document) -> bool:
        """Whether the adjectives of the new texts belong to what they should."""
        noun, thing, said = self.noun.lower, self.thing.lower, self.adjective.lower
        return (
            _adjectives(bare) == _adjectives(at_object) - {(said, thing)}
            and (said, thing) in _adjectives(at_object)
            and (said, noun) not in _adjectives(at_object)
            and (self.opposite, noun) in _adjectives(opposite)
        )


def _drafts(pair: ReadPair, words: GrammarWords | None) -> Iterator[_Draft]:
    premise, hypothesis = pair.premise, pair.hypothesis
    if len(premise.sentences) != 1 or denies(premise) or denies(hypothesis):
        return
    aligned = None if pair.tree is None else {leaf.words for leaf in leaves(pair.tree)}
    for adjective, noun in _described(premise):
        for opposite, other in _described(hypothesis):
            said, excluded = adjective.lower, opposite.lower
            is_feature = aligned is None or (said, excluded) in aligned
            if not is_feature or not _excludes(said, excluded, words) or not _is_one(pair, noun, other):
                continue
            if any(word.lower == excluded for word in premise) or _is_mixed(
                premise, noun, adjective, excluded
            ):
                continue
            if is_colour(said) and may_be_person(noun.lower):  # it would refer to race
                continue
            for thing in _objects(premise):
                if thing.index != noun.index and _fits(said, thing, words) and not is_same(noun, thing):
                    yield _Draft(noun, adjective, excluded, thing)


def _described(document: Document) -> list[tuple[Word, Word]]:
    """The adjectives before nouns, each with its noun."""
    found = [(word, document.words[word.head]) for word in document if word.relation == "amod"]
    return [(word, noun) for word, noun in found if word.tag == "JJ" and noun.upos == "NOUN"]


def _is_one(pair: ReadPair, noun: Word, other: Word) -> bool:
    """Whether nouns of both texts mean the same: both are subjects, or the same word that each text has once."""
    if noun == subject_of(pair.premise) and other == subject_of(pair.hypothesis):
        return True
    return noun.lower == other.lower and all(
        sum(word.lower == noun.lower for word in document) == 1
        for document in (pair.premise, pair.hypothesis)
    )


def _is_mixed(premise: Document, noun: Word, adjective: Word, opposite: str) -> bool:
    """Whether other words about the noun exclude the opposite, or are joined to the adjective: "a black and white dog"."""
    others = [word for word in premise.children(noun) if word != adjective]
    return bool(premise.children(adjective)) or any(is_opposite(word.lower, opposite) for word in others)


def _objects(document: Document) -> list[Word]:
    """Objects and obliques without an adjective that can have a colour or a size: things, places, plants."""
    return [
        word
        for word in bare_objects(document)
        if _CONCRETE & {one.field for one in senses(word.lemma.lower(), "NOUN")[:SENSES]}
    ]


def _excludes(adjective: str, opposite: str, words: GrammarWords | None) -> bool:
    if words is not None:
        return opposite in words.opposites.get(adjective, ())
    return is_colour(adjective) and is_colour(opposite) and adjective != opposite


def _fits(adjective: str, thing: Word, words: GrammarWords | None) -> bool:
    if words is not None:
        return suits(adjective, thing, words)
    return not is_expression(f"{adjective} {thing.lemma.lower()}")


def _taken_out(document: Document, adjective: Word) -> Change | None:
    """The change that takes an adjective out; None if it is beside a comma, a hyphen or "and"."""
    following = document.words[adjective.index + 1]
    is_apart = document.text[adjective.end : following.start] == " " and following.text.isalpha()
    is_joined = adjective.start > 0 and document.text[adjective.start - 1] != " "
    before = document.words[adjective.index - 1].lower if adjective.index else ""
    if not is_apart or is_joined or following.lower == "and" or before in ("and", ","):
        return None
    if adjective.index == 0:
        return Change(adjective.start, following.end, capitalise(following.text))
    return Change(adjective.start, following.start, "")


def _adjectives(document: Document) -> set[tuple[str, str]]:
    """Each adjective with the noun it modifies."""
    return {(word.lower, document.words[word.head].lower) for word in document if word.relation == "amod"}


def _set(
    row: Example, draft: _Draft, premise: str, texts: tuple[str, str, str], labels: Mapping[Stance, str]
) -> ControlledSet:
    bare, at_object, opposite = texts
    made: list[tuple[str, str, Stance]] = [
        (premise, opposite, "contradicts"),
        (premise, bare, "entails"),
        (at_object, bare, "entails"),
        (bare, opposite, "neutral"),
        (at_object, opposite, "neutral"),
    ]
    pairs = tuple(
        ControlledPair(f"x{number}", first, second, labels[stance])
        for number, (first, second, stance) in enumerate(made, 1)
    )
    return ControlledSet(row, draft.adjective.lower, draft.opposite, draft.thing.lower, pairs)
