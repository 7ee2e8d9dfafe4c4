"""Person chains: which mentions of people in a document are the same person.

    find_chains(document)    chains in order of their first mention; a mention is in at most one chain

Links are made in three steps:

    names     same_name: "Nora Vance", "Vance", "Nora"
    nouns     apposed_name: "the nurse, Ann", "his wife Ann", "Ann is a nurse"; same_noun: "a nurse ... the nurse"
    pronouns  reflexive_subject, subject_pronoun, only_person, goes_on: links by grammar. The other pronouns are scored
              against all people near them by `RULES` and linked if one of them is likely enough

Weights and bounds are in `chain_weights.json`, fitted by `train/chains.py` on the GAP corpus (Webster et al. 2018). At the default
bound more than 85% of the links on GAP are right; `runs/people.py` measures it. Use a higher `sure` for more certainty.

Each rule is a function of one pronoun and one person, and returns a number, 1 and 0 for yes and no. Its weight in each situation is
fitted. Marked gender and number are conditions, not rules: a person that does not fit is no candidate (`PronounContext.people`).
The rules follow the constraints and preferences of Hobbs 1978, Lappin and Leass 1994, and the GAP paper. In their comments "the
mention" is the person's nearest mention before the pronoun, else the first one after it (`pair.ahead`).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import exp, log, log1p
from pathlib import Path

from longway.english.document import Document, Word, any_lower
from longway.english.people.discourse import (
    SITUATIONS,
    AntecedentPair,
    Discourse,
    Entity,
    PronounContext,
    is_finite,
)
from longway.english.people.mentions import Mention, find_mentions, without_generation
from longway.english.people.person_names import gender_of_first_name
from longway.english.people.words import KIN, OPENING_PHRASES, PATRONYMICS, ROLES, SPEECH_VERBS

WEIGHTS_PATH = Path(__file__).parent / "chain_weights.json"
LIKELY = 0.7  # from this probability on a link is used for resolving later pronouns
LAST_NAMESAKES = 20  # entities with a name in common that a new mention is compared with
THEY_NAMED = 0.95  # most of one gender among the bearers of a first name that "they" may refer to
NOUN_SENTENCES = 5  # how far back "the nurse" may refer to "a nurse"

# Rules

Pair = AntecedentPair


def _people_between(pair: Pair) -> float:
    if pair.ahead:
        return 0
    between = pair.scene.mentions_between(pair.mention.end, pair.pronoun.start)
    return log1p(len({pair.scene.owner(m) for m in between if m.kind == "name"} - {pair.person}))


def _verbs_between(pair: Pair) -> float:
    if pair.ahead or pair.sentences_back:
        return 0
    words = pair.scene.words[pair.mention.end : pair.pronoun.start]
    return min(3, sum(map(is_finite, words))) / 2


def _steps_in_the_tree(pair: Pair) -> float:
    return min(pair.scene.steps(pair.head, pair.spot.word), 12) / 4 if pair.sentences_back == 0 else 0


def _word_before(pair: Pair, *, where: bool) -> Word | None:
    return pair.scene.before(pair.mention) if where else None


def _is_behind_a_preposition(pair: Pair) -> bool:
    before = _word_before(pair, where=not pair.ahead)
    return before is not None and before.upos == "ADP"


def _is_behind_a_verb(pair: Pair) -> bool:
    before = _word_before(pair, where=pair.in_last_sentence)
    return before is not None and before.upos == "VERB"


def _is_behind_a_comma(pair: Pair, *, where: bool) -> bool:
    before = _word_before(pair, where=where)
    return before is not None and before.text == ","


def _is_subject_in(pair: Pair, mentions: list[Mention], sentence: int) -> bool:
    scene = pair.scene
    return any(scene.sentence(m) == sentence and scene.is_subject_like(m) for m in mentions)


def _is_first_in_its_sentence(pair: Pair) -> bool:
    first, _ = pair.scene.bounds(pair.sentence)
    before = pair.scene.mentions_between(first, pair.mention.start)
    return not pair.ahead and all(m.kind == "pronoun" for m in before)


def _is_described(pair: Pair) -> bool:
    behind = pair.scene.next_words(pair.mention, 2)
    return len(behind) == 2 and behind[0].text == "," and behind[1].upos in ("DET", "PRON", "NOUN")


def _is_another(pair: Pair, subject: Mention | None) -> bool:
    return subject is not None and subject.kind != "pronoun" and not pair.is_mine(subject)


def _subject_of_upper_clause(pair: Pair) -> float:
    steps = (step for step, subject in enumerate(pair.spot.upper_subjects) if pair.is_mine(subject))
    nearest = next(steps, None)
    return 0 if nearest is None else 1 / (1 + nearest)


def _is_right_before_and(pair: Pair) -> bool:
    between = pair.scene.words[pair.mention.end : pair.pronoun.start]
    return len(between) == 1 and between[0].lower in ("and", "or")


def _is_named_below_the_pronoun(pair: Pair) -> bool:
    spot, scene = pair.spot, pair.scene
    clause = scene.document.head(spot.word)
    if clause is None or spot.word.relation != "nsubj" or pair.pronoun.form != "subject":
        return False
    names = (scene.words[m.head] for m in pair.after if m.kind == "name")
    return any(word.index != clause.index and scene.is_below(word, clause) for word in names)


def _is_name_of_a_relative(pair: Pair) -> bool:
    if pair.pronoun.form != "possessive" or not pair.after:
        return False
    between = [w.lower for w in pair.scene.words[pair.pronoun.end : pair.after[0].start]]
    if not 0 < len(between) <= 4 or not {"and", "with", "of", "by", "to"}.isdisjoint(between):
        return False
    return any(word in KIN or word in ROLES for word in between[-2:])


def _are_quoted(pair: Pair) -> tuple[bool, bool]:
    return pair.scene.quoted[pair.pronoun.start], pair.scene.quoted[pair.mention.start]


def _is_speaker_of_another_sentence(pair: Pair) -> bool:
    theirs, own = pair.scene.verb(pair.mention), pair.scene.verb(pair.pronoun)
    return not pair.ahead and theirs in SPEECH_VERBS and own != "" and own not in SPEECH_VERBS


def _is_behind_an_opening_phrase(pair: Pair) -> bool:
    scene, spot = pair.scene, pair.spot
    opener = scene.words[spot.first]
    opens = opener.lower in OPENING_PHRASES or opener.upos in ("SCONJ", "ADP") or opener.tag == "VBG"
    if not (pair.ahead and opens and pair.sentences_back == 0) or spot.names_before:
        return False
    later = scene.mentions_between(pair.pronoun.end, spot.end)
    first = next(m for m in later if m.kind == "name" or m is pair.mention)
    between = scene.words[pair.pronoun.end : pair.mention.start]
    return first is pair.mention and any(word.text == "," for word in between)


def _is_later_possessor(pair: Pair) -> bool:
    behind = (pair.scene.next_words(mention, 1) for mention in pair.after)
    return any(words and words[0].lower in ("'s", "'") for words in behind)


def _agreement(pair: Pair, *, full: bool) -> float:
    """Log odds of the pronoun's gender among the bearers of the first name; 0 if the gender is marked."""
    person = pair.person
    is_usable = person.is_named and not person.marked_gender and person.has_full_name == full
    return person.agreement(pair.pronoun.gender) if is_usable else 0


PAIR_RULES: dict[str, Callable[[Pair], float]] = {
    # Where the person was mentioned last
    "stands_before": lambda p: not p.ahead,
    "same_sentence": lambda p: not p.ahead and p.sentences_back == 0,
    "two_sentences_back": lambda p: p.sentences_back == 2,
    "further_back": lambda p: max(0, p.sentences_back - 2),
    "words_between": lambda p: 0 if p.ahead else log(p.pronoun.start - p.mention.end + 2),
    "words_ahead": lambda p: log(p.mention.start - p.pronoun.start + 1) if p.ahead else 0,
    "people_between": _people_between,  # other people named between, on a log scale
    "verbs_between": _verbs_between,  # finite verbs between, within one sentence; three count as many
    "steps_in_the_tree": _steps_in_the_tree,  # distance in the parse, within one sentence
    # What the mention is in its clause
    "deep_in_the_tree": lambda p: min(p.scene.depths[p.mention.head], 6) / 3,
    "is_object": lambda p: not p.ahead and p.slot == "object",
    "is_possessor": lambda p: not p.ahead and p.head.dep == "nmod:poss",
    "in_a_list": lambda p: not p.ahead and p.in_list,  # Ann in "Bob and Ann"
    "behind_of": lambda p: any_lower(p.scene.document.children(p.head, "case"), ("of",)),
    "behind_a_preposition": _is_behind_a_preposition,
    "verb_follows": lambda p: not p.ahead and p.scene.verb_follows(p.mention.end),
    "verb_follows_in_last_sentence": lambda p: p.in_last_sentence and p.scene.verb_follows(p.mention.end),
    "behind_a_verb_in_last_sentence": _is_behind_a_verb,
    "behind_a_comma_in_last_sentence": lambda p: _is_behind_a_comma(p, where=p.in_last_sentence),
    "opens_last_sentence": lambda p: p.in_last_sentence and p.scene.before(p.mention) is None,
    "subject_in_last_sentence": lambda p: _is_subject_in(p, p.before, p.spot.sentence - 1),
    "first_in_its_sentence": _is_first_in_its_sentence,  # apart from pronouns
    "is_described": _is_described,  # "Ann, a nurse", "Ann, who"
    "often_subject": lambda p: log1p(sum(p.scene.slot(mention)[0] == "subject" for mention in p.before)),
    "last_subject": lambda p: p.spot.last_subject is p.person,  # no candidate was a subject more recently
    # How pronoun and person are related in the sentence
    "subject_of_own_clause": lambda p: p.pronoun.form != "subject" and p.is_mine(p.spot.clause_subject),
    "own_clause_has_another_subject": lambda p: (
        p.pronoun.form != "subject" and _is_another(p, p.spot.clause_subject)
    ),
    "subject_of_upper_clause": _subject_of_upper_clause,  # 1 for the next clause above, less for those further up
    "upper_clause_has_another_subject": lambda p: _is_another(p, next(iter(p.spot.upper_subjects), None)),
    "right_before_and": _is_right_before_and,  # "Ann and her brother"
    "behind_the_subject": lambda p: any(
        map(p.is_mine, p.spot.behind_subject)
    ),  # Ann in "Eve met Ann and her"
    "named_below_the_pronoun": _is_named_below_the_pronoun,  # "she said that Ann ..." is not Ann
    "name_of_a_relative": _is_name_of_a_relative,  # "her friend Ann" is not Ann's friend
    # Speech
    "speaks_outside": lambda p: not p.ahead and _are_quoted(p) == (True, False),  # a speaker says "I"
    "both_quoted": lambda p: all(_are_quoted(p)),
    "speaker_of_another_sentence": _is_speaker_of_another_sentence,
    # What comes after the pronoun
    "behind_an_opening_phrase": _is_behind_an_opening_phrase,  # "In her youth, Ann ..."
    "ahead_behind_a_comma": lambda p: _is_behind_a_comma(p, where=p.ahead),
    "later_in_the_sentence": lambda p: any(p.scene.sentence(m) == p.spot.sentence for m in p.after),
    "later_subject_in_the_sentence": lambda p: _is_subject_in(p, p.after, p.spot.sentence),
    "later_subject": lambda p: any(map(p.scene.is_subject_like, p.after)),
    "later_possessor": _is_later_possessor,
    "named_on_both_sides": lambda p: bool(p.before and p.after),
    # Who the person is
    "most_mentioned": lambda p: 1 < p.spot.counts[p.person] == p.spot.most[0],
    "clearly_most_mentioned": lambda p: p.spot.counts[p.person] == p.spot.most[0] > p.spot.most[1],
    "mentioned_once_so_far": lambda p: len(p.before) == 1,
    "mentioned_more_than_once": lambda p: len(p.before) > 1,
    "one_name_only": lambda p: p.person.is_named and not p.person.has_full_name,
    "certainly_a_person": lambda p: any(name.certain for name in p.person.names),
    "gender_is_marked": lambda p: bool(p.person.marked_gender),  # by a title, kin term or role
    "full_name_agrees": lambda p: _agreement(p, full=True),
    "lone_name_agrees": lambda p: _agreement(p, full=False),  # it may be a surname
    "claimed_by_the_other_gender": lambda p: (
        p.claimed
    ),  # probability that a pronoun of the other gender means the person
}
SPOT_RULES: dict[str, Callable[[PronounContext], float]] = {
    "nobody": lambda spot: 1,
    "nobody_among_many": lambda spot: log1p(len(spot.people)),
}
RULES = (*PAIR_RULES, *SPOT_RULES)


def rule_values(pair: Pair) -> list[float]:
    """Return the value of each of `RULES` for a pronoun and a person."""
    return [*(float(rule(pair)) for rule in PAIR_RULES.values()), *(0.0 for _ in SPOT_RULES)]


def no_antecedent_values(spot: PronounContext) -> list[float]:
    """Return the value of each of `RULES` for "nobody who is named here"."""
    return [*(0.0 for _ in PAIR_RULES), *(float(rule(spot)) for rule in SPOT_RULES.values())]


@dataclass(frozen=True, slots=True)
class Chain:
    """A person and the mentions of them, in text order.

    name: the longest name as written, or "". gender: "masculine", "feminine", or "" if neither words, pronouns nor first name show it.
    number: "sing" or "plur".
    """

    mentions: tuple[Mention, ...]
    name: str = ""
    gender: str = ""
    number: str = "sing"


@dataclass(frozen=True)
class Weights:
    """The weight of each rule in each situation, and the probability from which a pronoun is linked.

    sure: the bound with more than 85% correct links. balanced: the bound with the best F1.
    """

    table: Mapping[str, tuple[float, ...]]
    sure: float
    balanced: float


@lru_cache(maxsize=1)
def load_weights() -> Weights:
    """Load the fitted weights."""
    stored = json.loads(WEIGHTS_PATH.read_text(encoding="utf-8"))
    return weights_from_table(stored["weights"], **stored["bounds"])


def weights_from_table(rules: Mapping[str, Mapping[str, float]], *, sure: float, balanced: float) -> Weights:
    """Weights from a table rule -> situation -> number; missing rules have weight 0."""
    table = {s: tuple(rules.get(rule, {}).get(s, 0.0) for rule in RULES) for s in SITUATIONS}
    return Weights(table, sure, balanced)


def find_chains(document: Document) -> tuple[Chain, ...]:
    """Return the people of a document with their mentions, in order of the first mention.

    A pronoun is linked from the probability `Weights.sure`. A lower bound links more pronouns, and more of them wrongly.
    """
    weights = load_weights()
    reading = PronounResolver(document, weights)
    for pronoun in reading.pronouns:
        reading.resolve(pronoun)
    return tuple(_assemble(reading.scene, reading.links, weights.sure))


# Names and nouns


def build_discourse(document: Document) -> Discourse:
    """A document with its mentions; names and nouns are already grouped into entities."""
    scene = Discourse(document, find_mentions(document))
    _join_names(scene)
    _join_nouns(scene)
    return scene


def _join_names(scene: Discourse) -> None:
    namesakes: defaultdict[str, list[Entity]] = defaultdict(list)
    for mention in scene.mentions:
        if mention.kind != "name":
            continue
        near = {p: None for part in mention.parts for p in namesakes[part][-LAST_NAMESAKES:]}
        scored = [(_likeness(person, mention), person.starts[-1], person) for person in near]
        best = max(scored, key=lambda item: item[:2], default=(0, 0, Entity()))
        person = best[2] if best[0] > 0 else Entity()
        person.add(mention)
        scene.person_of[mention.start] = person
        for part in mention.parts:
            if person not in namesakes[part]:
                namesakes[part].append(person)


def _likeness(person: Entity, mention: Mention) -> int:
    names = person.names[-LAST_NAMESAKES:]
    is_surname = not mention.title and any(
        name.parts[1:] and mention.parts == name.parts[-1:] for name in names
    )
    if not is_surname and mention.gender and any(name.gender not in ("", mention.gender) for name in names):
        return 0
    return max(same_name(name.parts, mention.parts) for name in names)


def same_name(earlier: tuple[str, ...], later: tuple[str, ...]) -> int:
    """How well a name can refer to an earlier one; 0 for not at all.

    >>> same_name(("nora", "vance"), ("vance",)), same_name(("nora", "vance"), ("nora",))
    (2, 2)

    A surname does not introduce a full name: after "Vance", "Nora Vance" is another member of the family.
    >>> same_name(("vance",), ("nora", "vance")), same_name(("nora",), ("nora", "vance"))
    (0, 2)
    """
    if earlier == later:
        return 3
    first, other = without_generation(earlier), without_generation(later)
    marks = {earlier[len(first) :], later[len(other) :]}
    if len(marks) > 1 and len(first) > 1 and len(other) > 1:
        return 0  # "Ann Roe" and "Ann Roe Jr."
    if first == other:
        return 2 if () in marks else 0  # "Henry VIII" and "Henry", but not "Henry VII"
    if len(first) == 1 or len(other) == 1:
        return _lone_name(first, other)
    if first[0] == other[0] and first[-1] == other[-1]:
        return 3
    longer, shorter = sorted((first, other), key=len, reverse=True)
    is_end = longer[-len(shorter) :] == shorter and PATRONYMICS.isdisjoint(longer)
    lengths = (len(first[0].rstrip(".")), len(other[0].rstrip(".")))
    is_initial = first[-1] == other[-1] and first[0][0] == other[0][0] and 1 in lengths
    return 2 if is_initial or is_end or longer[: len(shorter)] == shorter else 0


def _lone_name(earlier: tuple[str, ...], later: tuple[str, ...]) -> int:
    if len(later) > 1:
        return 2 if earlier[0] == later[0] else 0
    if later[0] in (earlier[0], earlier[-1]):
        return 2
    return int(later[0] in earlier and len(later[0]) > 2)


def _join_nouns(scene: Discourse) -> None:
    taken_up: dict[tuple[str, str], Mention] = {}  # (noun, number) -> its last mention
    for mention in scene.mentions:
        if mention.title:
            taken_up[mention.title, "sing"] = mention
        if mention.kind not in ("kin", "title", "role"):
            continue
        key = (scene.words[mention.head].lemma.lower(), mention.number)
        other = apposed_name(scene, mention) or same_noun(scene, mention, taken_up.get(key))
        person = scene.owner(other) or Entity()
        person.add(mention)
        scene.person_of[mention.start] = person
        taken_up[key] = mention


def apposed_name(scene: Discourse, noun: Mention) -> Mention | None:
    """The name of the person that a noun describes: "the nurse, Ann", "nurse Ann", "his wife Ann", "Ann is a nurse".

    Also the noun in "my mother is a nurse".
    """
    if noun.number != "sing":
        return None
    for word in _apposed(scene, noun):
        name = scene.mention_of(word)
        kinds = ("name", "kin", "role") if word.relation == "nsubj" else ("name",)
        if name is not None and name.kind in kinds and word.relation != "conj":
            return None if {name.gender, noun.gender} == {"masculine", "feminine"} else name
    return None


def _apposed(scene: Discourse, noun: Mention) -> Iterator[Word]:
    document, word = scene.document, scene.words[noun.head]
    yield from document.children(word, "appos", "flat")
    above = document.head(word)
    if above is not None and (
        word.relation in ("appos", "compound", "flat", "amod") or word.dep == "nmod:desc"
    ):
        yield above
    behind = scene.words[noun.end] if noun.end < len(scene.words) else None
    name = scene.mention_of(behind)
    if behind is not None and name is not None and name.kind == "name":
        tied = noun.kind == "kin" or behind.head == word.index or word.head == name.head
        yield from [behind] if tied else []
    yield from _between_commas(scene, noun)
    if document.children(word, "cop"):
        yield from document.children(word, "nsubj")


def _between_commas(scene: Discourse, noun: Mention) -> Iterator[Word]:
    """Ann in "the nurse, Ann Lee, came", even if the parser reads a list: no "and" follows."""
    words = scene.words
    if noun.end + 1 >= len(words) or words[noun.end].text != ",":
        return
    name = scene.mention_of(words[noun.end + 1])
    if name is None or name.kind != "name" or name.end + 1 >= len(words) or words[name.end].text != ",":
        return
    after = words[name.end + 1]
    is_list = after.upos == "CCONJ" or scene.mention_of(after) is not None
    # The word that the relation is read from must not be the "conj" of a wrong parse.
    yield from () if is_list else (replace(words[name.head], dep="appos"),)


def same_noun(scene: Discourse, noun: Mention, earlier: Mention | None) -> Mention | None:
    """What "the nurse" refers to: "a nurse" or "Nurse Roe" a few sentences back, without a possessor."""
    if earlier is None or scene.sentence(noun) - scene.sentence(earlier) > NOUN_SENTENCES:
        return None
    document, word = scene.document, scene.words[noun.head]
    is_definite = any_lower(document.children(word, "det"), ("the", "this", "that"))
    is_owned = any(
        not m.start <= w.index < m.end
        for m in (noun, earlier)
        for w in document.children(scene.words[m.head], "nmod")
    )
    return earlier if is_definite and not is_owned else None


# Pronouns


@dataclass(frozen=True, slots=True)
class Link:
    """The antecedent of a pronoun: an earlier mention, or an entity with a probability."""

    same_as: Mention | None = None
    person: Entity | None = None
    probability: float = 0.0


class PronounResolver:
    """Resolves the pronouns of a document from left to right; `links` is filled on the way."""

    def __init__(self, document: Document, weights: Weights) -> None:
        self.scene, self.weights = build_discourse(document), weights
        self.pronouns = [mention for mention in self.scene.mentions if mention.kind == "pronoun"]
        self.claims = first_look(self.scene, weights)
        self.links: dict[int, Link] = {}  # by the start of the pronoun
        self._meant: dict[int, tuple[Entity | None, float]] = {}
        self._speakers: dict[tuple[int, str, int], Mention] = {}

    def resolve(self, pronoun: Mention) -> None:
        """Resolve one pronoun; all earlier ones must have been resolved."""
        spot = PronounContext(self.scene, pronoun)
        same = reflexive_subject(spot) or subject_pronoun(spot) or only_person(spot) or self._speaker(pronoun)
        if same is not None:
            link = Link(same_as=same)
        elif is_weighed(pronoun):
            link = self._weighed(spot)
        else:
            link = Link(same_as=goes_on(spot) or they_refers_to(spot))
        self.links[pronoun.start] = link
        person, probability = (
            (link.person, link.probability) if link.same_as is None else self.meant(link.same_as)
        )
        self._meant[pronoun.start] = person, probability
        if person is not None and probability >= LIKELY:
            person.pronouns.append(pronoun)
            self.scene.person_of[pronoun.start] = person

    def _weighed(self, spot: PronounContext) -> Link:
        """The most likely entity; if none is likely, or the last pronoun is more certain of the same one, that pronoun."""
        odds = weigh(spot, self.weights, self.claims)
        best = max(odds, key=lambda person: odds[person], default=None)
        link = Link(person=best, probability=0.0 if best is None else odds[best])
        last = goes_on(spot)
        if last is None:
            return link
        person, probability = self.meant(last)
        is_surer = person is link.person and probability > link.probability
        return Link(same_as=last) if is_surer or link.probability < LIKELY else link

    def meant(self, mention: Mention) -> tuple[Entity | None, float]:
        """The entity of a mention and its probability; None for an unresolved pronoun."""
        if mention.kind == "pronoun":
            return self._meant.get(mention.start, (None, 0.0))
        return self.scene.person_of[mention.start], 1.0

    def _speaker(self, pronoun: Mention) -> Mention | None:
        """The last "I", "you" or "we" outside quotation marks, or inside the same quotation."""
        if pronoun.person == 3:
            return None
        key = (pronoun.person, pronoun.number, self.scene.quotes[pronoun.start])
        earlier = self._speakers.get(key)
        self._speakers[key] = pronoun
        return earlier


def is_weighed(pronoun: Mention) -> bool:
    """True for "he" and "she" in all forms except the reflexive, which grammar resolves."""
    return pronoun.kind == "pronoun" and pronoun.gender != "" and pronoun.form != "reflexive"


def reflexive_subject(spot: PronounContext) -> Mention | None:
    """The subject that "herself" refers to, if number, person and gender agree."""
    subject = spot.clause_subject
    if spot.pronoun.form != "reflexive" or subject is None:
        return None
    return subject if _fits(spot, subject) else None


def subject_pronoun(spot: PronounContext) -> Mention | None:
    """The pronoun that "her" refers to in "she lost her keys": the subject of the clause, with no other candidate between."""
    subject = spot.clause_subject
    if spot.pronoun.form != "possessive" or subject is None or subject.kind != "pronoun":
        return None
    between = spot.scene.mentions_between(subject.end, spot.pronoun.start)
    fits = _fits(spot, subject) and subject.start < spot.pronoun.start
    return subject if fits and not any(_could_be(spot, other) for other in between) else None


def only_person(spot: PronounContext) -> Mention | None:
    """The wife in "He thanked his wife. She smiled.": the gender is marked, and nobody else near fits."""
    gender = spot.pronoun.gender
    fitting = [p for p in spot.people if all(mention.gender in ("", gender) for mention in p.pronouns)]
    if not is_weighed(spot.pronoun) or len(fitting) != 1 or fitting[0].marked_gender != gender:
        return None
    before = fitting[0].before(spot.pronoun.start)
    if not before or spot.sentence - spot.scene.sentence(before[-1]) > 1:
        return None
    return None if _are_arguments(spot, before[-1]) else before[-1]


def goes_on(spot: PronounContext) -> Mention | None:
    """The last pronoun of the same kind, if no other candidate was mentioned since: "She came. She saw."."""
    scene, pronoun = spot.scene, spot.pronoun
    low, _ = scene.bounds(spot.sentence, back=1)
    for earlier in reversed(scene.mentions_between(low, pronoun.start)):
        if earlier.kind == "pronoun" and _fits(spot, earlier):
            differs = scene.quoted[earlier.start] != scene.quoted[pronoun.start]
            return None if differs or _are_arguments(spot, earlier) else earlier
        if _could_be(spot, earlier):
            return None
    return None


def they_refers_to(spot: PronounContext) -> Mention | None:
    """The people that "they" refers to, or the one person; only if nothing else in this sentence and the last can be meant.

    "My parent said they were tired", "Mx. Roe left their keys"; not "John said they were tired", where John would be "he".
    """
    if (spot.pronoun.number, spot.pronoun.person) != ("plur", 3):
        return None
    scene, start = spot.scene, spot.pronoun.start
    low, _ = scene.bounds(spot.sentence, back=1)
    near = [m for m in scene.mentions_between(low, start) if m.person == 3]
    several = [m for m in near if m.number == "plur"]
    plurals = [w for w in scene.words[low:start] if w.tag in ("NNS", "NNPS")]
    nouns = [m for m in several if m.kind != "pronoun"]
    if len(nouns) == 1 and len(plurals) <= 1:
        return nouns[0]
    if several or plurals:
        return None
    owners = {id(owner): m for m in near if m.kind != "pronoun" and (owner := scene.owner(m)) is not None}
    open_to_they = [m for m in owners.values() if _may_be_they(scene, m)]
    return open_to_they[0] if len(open_to_they) == 1 else None


def _may_be_they(scene: Discourse, mention: Mention) -> bool:
    """True for a certain person whose gender no word, pronoun or first name shows."""
    owner, head = scene.owner(mention), scene.words[mention.head]
    if head.relation == "conj" or scene.document.children(head, "conj"):  # "Parker and a friend"
        return False
    if owner is None or not mention.certain or owner.marked_gender or any(p.gender for p in owner.pronouns):
        return False
    return 1 - THEY_NAMED <= owner.female <= THEY_NAMED or not owner.is_named


def _fits(spot: PronounContext, other: Mention) -> bool:
    pronoun = spot.pronoun
    if (pronoun.person, pronoun.number) != (other.person, other.number):
        return False
    return other.gender == pronoun.gender or (
        other.kind != "pronoun" and "" in (other.gender, pronoun.gender)
    )


def _could_be(spot: PronounContext, other: Mention) -> bool:
    """True for a name or noun that the pronoun may refer to."""
    return other.kind != "pronoun" and _fits(spot, other)


def _are_arguments(spot: PronounContext, other: Mention) -> bool:
    """True for "he" and "him" in "he saw him": two arguments of one verb are two people."""
    own, theirs = spot.word, spot.scene.words[other.head]
    places = ("nsubj", "obj", "iobj", "obl")
    if own.relation not in places or theirs.relation not in places:
        return False
    return own.head == theirs.head or (own.relation != "nsubj" and spot.clause_subject is other)


def first_look(scene: Discourse, weights: Weights) -> dict[int, dict[Entity, float]]:
    """For each pronoun the probabilities of the entities near it, before pronouns are compared with one another."""
    weighed = (PronounContext(scene, mention) for mention in scene.mentions if is_weighed(mention))
    return {spot.pronoun.start: weigh(spot, weights, {}) for spot in weighed}


def weigh(
    spot: PronounContext, weights: Weights, claims: Mapping[int, Mapping[Entity, float]]
) -> dict[Entity, float]:
    """The probability of each entity near a pronoun; the rest to 1 is "none of them"."""
    row = weights.table[spot.situation]
    scores = [sum(map(float.__mul__, row, values)) for _, values in rule_values_of_candidates(spot, claims)]
    no_antecedent = sum(map(float.__mul__, row, no_antecedent_values(spot)))
    top = max([*scores, no_antecedent])
    odds = [exp(score - top) for score in scores]
    total = sum(odds) + exp(no_antecedent - top)
    return {person: odd / total for person, odd in zip(spot.people, odds, strict=True)}


def rule_values_of_candidates(
    spot: PronounContext, claims: Mapping[int, Mapping[Entity, float]]
) -> list[tuple[Entity, list[float]]]:
    """The entities that a pronoun may refer to, each with its rule values."""
    others = [
        m for m in spot.scene.mentions_between(*spot.around) if m.gender not in ("", spot.pronoun.gender)
    ]
    rival_claims = [claims[m.start] for m in others if m.start in claims]
    candidates = []
    for person in spot.people:
        claimed = max((claim.get(person, 0.0) for claim in rival_claims), default=0.0)
        candidates.append((person, rule_values(AntecedentPair(spot, person, claimed))))
    return candidates


# Putting the chains together


def _assemble(scene: Discourse, links: Mapping[int, Link], bound: float) -> list[Chain]:
    groups: dict[int, set[int]] = {}  # starts of the mentions that are one person, by the start of each
    for first, second in _joined(scene, links, bound):
        pair = (groups.setdefault(first, {first}), groups.setdefault(second, {second}))
        small, large = sorted(pair, key=len)
        if small is not large:
            large |= small
            groups.update(dict.fromkeys(small, large))
    members: defaultdict[int, list[Mention]] = defaultdict(list)
    for mention in scene.mentions:
        if mention.start in groups:
            members[id(groups[mention.start])].append(mention)
    return [_chain(scene, tuple(mentions)) for mentions in members.values() if _is_person(mentions)]


def _joined(scene: Discourse, links: Mapping[int, Link], bound: float) -> Iterator[tuple[int, int]]:
    """Yield pairs of mentions, by their starts, that are the same person."""
    for mention in scene.mentions:
        if mention.kind != "pronoun":
            yield mention.start, scene.person_of[mention.start].starts[0]
    for start, link in links.items():
        if link.same_as is not None:
            yield start, link.same_as.start
        elif link.person is not None and link.probability >= bound:
            yield start, link.person.starts[0]
    for noun, subject in _said_of_pronouns(scene):
        yield noun.start, subject.start


def _is_person(mentions: list[Mention]) -> bool:
    """True unless a group is a single pronoun or has only uncertain names."""
    is_open = len(mentions) == 1 and mentions[0].kind == "pronoun"
    return not is_open and any(mention.certain for mention in mentions)


def _said_of_pronouns(scene: Discourse) -> Iterator[tuple[Mention, Mention]]:
    """Nouns and the pronouns they are predicated of: "she is a nurse"."""
    for noun in scene.mentions:
        person = scene.owner(noun)
        if noun.kind == "pronoun" or person is None or person.is_named:
            continue
        word = scene.words[noun.head]
        subjects = scene.document.children(word, "nsubj") if scene.document.children(word, "cop") else ()
        subject = scene.mention_of(subjects[0]) if subjects else None
        is_pronoun = subject is not None and subject.kind == "pronoun" and subject.number == noun.number
        if subject is not None and is_pronoun and {subject.gender, noun.gender} != {"masculine", "feminine"}:
            yield noun, subject


def _chain(scene: Discourse, mentions: tuple[Mention, ...]) -> Chain:
    names = [mention for mention in mentions if mention.kind == "name"]
    longest = max(names, key=lambda name: (len(name.parts), -name.start), default=None)
    words = () if longest is None else scene.words[longest.start : longest.end]
    name = scene.document.text[words[0].start : words[-1].end] if words else ""
    gendered = [m for m in mentions if m.gender]
    marked = [m.gender for m in gendered if m.kind != "name"] or [m.gender for m in gendered]
    gender = marked[0] if marked else ""
    if not marked and longest is not None:
        gender = gender_of_first_name(longest.parts[0]) or ""
    number = "plur" if all(mention.number == "plur" for mention in mentions) else "sing"
    return Chain(mentions, name, gender, number)
