"""The view of a text that person chains are built on: clauses, subjects, quotations, mentions.

    Entity            mentions that are one person, judging by names, appositions and "is a"
    Discourse         a document with its mentions, and the position of each in its clause
    PronounContext    a pronoun and the people that it may refer to
    AntecedentPair    a pronoun and one of these people, the argument of the rules in `chains.py`

Grammar is read in two ways, from the parse and from word order ("a finite verb follows"), because parsers err most on long
sentences, which have the most pronouns.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from math import log

from longway.english.document import Document, Word, Words
from longway.english.people.mentions import Mention
from longway.english.words import listed_words

SENTENCES_BACK, SENTENCES_AHEAD = 5, 1  # how far away a candidate may be mentioned
AROUND = 5  # sentences on both sides in which the mentions of a person are counted
MENTIONS_BACK, MENTIONS_AHEAD = 40, 10  # the same, for texts without sentences
FAR = 60  # maximum distance in words or steps
CLAUSES = frozenset(("root", "ccomp", "xcomp", "advcl", "acl", "parataxis", "csubj"))
FINITE = frozenset(("VBD", "VBZ", "VBP", "MD"))
OBJECT_CONTROL = listed_words(__name__)["object_control"]
SLOTS = {
    "nsubj": "subject", "obj": "object", "iobj": "object", "obl": "oblique", "nmod": "noun", "root": "root",
}  # fmt: skip


@dataclass(eq=False)
class Entity:
    """Mentions of one person. pronouns: those that were resolved to the person."""

    mentions: list[Mention] = field(default_factory=list)
    pronouns: list[Mention] = field(default_factory=list)

    def add(self, mention: Mention) -> None:
        """Add a mention."""
        self.mentions.append(mention)
        self.mentions.sort(key=lambda m: m.start)
        self.__dict__.pop("starts", None)

    @cached_property
    def starts(self) -> list[int]:
        """The start of each mention."""
        return [mention.start for mention in self.mentions]

    def before(self, place: int) -> list[Mention]:
        """The mentions that start before a word, the nearest last."""
        end = bisect_left(self.starts, place)
        return self.mentions[max(0, end - MENTIONS_BACK) : end]

    def after(self, place: int) -> list[Mention]:
        """The mentions that start after a word, the nearest first."""
        first = bisect_left(self.starts, place + 1)
        return self.mentions[first : first + MENTIONS_AHEAD]

    def count(self, first: int, end: int) -> int:
        """How many mentions start in a stretch of words."""
        return bisect_left(self.starts, end) - bisect_left(self.starts, first)

    @property
    def names(self) -> list[Mention]:
        """The mentions by name."""
        return [mention for mention in self.mentions if mention.kind == "name"]

    @property
    def is_named(self) -> bool:
        """Whether the person has a name."""
        return any(mention.kind == "name" for mention in self.mentions)

    @property
    def has_full_name(self) -> bool:
        """Whether a mention has more than one name."""
        return any(len(mention.parts) > 1 for mention in self.mentions)

    @property
    def number(self) -> str:
        """ "plur" if all mentions are plural, else "sing"."""
        return "plur" if all(mention.number == "plur" for mention in self.mentions) else "sing"

    @property
    def marked_gender(self) -> str:
        """The gender that a title, kin term or role expresses, or ""."""
        marks = (m.gender for m in self.mentions if m.gender and (m.kind != "name" or m.title))
        return next(marks, "")

    @property
    def gender(self) -> str:
        """The marked gender, else that of a full name, or ""."""
        return self.marked_gender or next((m.gender for m in self.mentions if m.gender), "")

    @property
    def female(self) -> float:
        """Share of women among the bearers of the first name; 0.5 if unknown."""
        names = self.names
        full = [name for name in names if len(name.parts) > 1]
        return (full or names)[0].female if names else 0.5

    def agreement(self, gender: str) -> float:
        """Log odds that a bearer of the name has a gender; 0 if unknown."""
        if gender not in ("masculine", "feminine"):
            return 0.0
        share = min(max(self.female, 0.02), 0.98)
        return log(share / (1 - share)) * (1 if gender == "feminine" else -1)


class Discourse:
    """A document with its mentions, and the facts about its grammar that rules need."""

    def __init__(self, document: Document, mentions: tuple[Mention, ...]) -> None:
        self.document, self.words, self.mentions = document, document.words, mentions
        self.person_of: dict[int, Entity] = {}  # by the start of a mention
        self.starts = [mention.start for mention in mentions]
        self._subject_like: dict[int, bool] = {}

    def owner(self, mention: Mention | None) -> Entity | None:
        """The person of a mention, or None for an unresolved pronoun."""
        return None if mention is None else self.person_of.get(mention.start)

    def sentence(self, mention: Mention) -> int:
        """The number of the sentence of a mention."""
        return self.document.sentence_number(self.words[mention.head])

    def bounds(self, sentence: int, *, back: int = 0, ahead: int = 0) -> tuple[int, int]:
        """First word and end of a sentence. back, ahead: number of sentences to include before and after it."""
        sentences = self.document.sentences
        return sentences[max(0, sentence - back)][0], sentences[min(len(sentences) - 1, sentence + ahead)][1]

    def mentions_between(self, first: int, end: int) -> tuple[Mention, ...]:
        """The mentions that start in a stretch of words."""
        return self.mentions[bisect_left(self.starts, first) : bisect_left(self.starts, end)]

    def mention_of(self, word: Word | None) -> Mention | None:
        """The mention that a word is part of."""
        place = -1 if word is None else bisect_left(self.starts, word.index + 1) - 1
        mention = self.mentions[place] if place >= 0 else None
        return mention if word is not None and mention is not None and word.index < mention.end else None

    # The parse

    @cached_property
    def depths(self) -> list[int]:
        """The depth of each word in the parse."""
        depths = [-1] * len(self.words)
        for word in self.words:
            path = []
            current: Word | None = word
            while current is not None and depths[current.index] < 0:
                path.append(current.index)
                current = self.document.head(current)
            base = depths[current.index] if current is not None else -1
            for step, index in enumerate(reversed(path), start=1):
                depths[index] = base + step
        return depths

    def above(self, word: Word) -> Iterator[Word]:
        """The word, its head, the head of that head and so on, up to `FAR` words."""
        yield from islice(chain([word], self.document.ancestors(word)), FAR)

    def is_below(self, word: Word, top: Word) -> bool:
        """True if `top` is the word or one of its ancestors."""
        return any(step.index == top.index for step in self.above(word))

    def steps(self, word: Word, other: Word) -> int:
        """Number of steps in the parse from one word to another; `FAR` if there is no path."""
        way = {above.index: step for step, above in enumerate(self.above(word))}
        return next((way[w.index] + step for step, w in enumerate(self.above(other)) if w.index in way), FAR)

    def is_clause(self, word: Word) -> bool:
        """True for the head of a clause."""
        if word.relation == "conj":
            return word.upos in ("VERB", "AUX") or bool(self.document.children(word, "nsubj", "cop"))
        return word.relation in CLAUSES

    def clause(self, word: Word) -> Word:
        """The head of the clause that contains a word."""
        return next((w for w in self.above(word) if self.is_clause(w)), word)

    def upper_clause(self, clause: Word) -> Word | None:
        """The clause that a clause depends on."""
        above = self.document.head(clause)
        return None if above is None else self.clause(above)

    def subject(self, clause: Word | None) -> Word | None:
        """The subject of a clause, even if it is omitted ("... and left", "asked her to come")."""
        for _ in range(10):
            if clause is None:
                return None
            own = self.document.children(clause, "nsubj")
            if own:
                return own[0]
            if clause.relation == "acl":
                return self.document.head(clause)
            if clause.relation not in ("conj", "xcomp", "advcl"):
                return None
            controller = self._controller(clause)
            if controller is not None:
                return controller
            clause = self.upper_clause(clause)
        return None

    def _controller(self, clause: Word) -> Word | None:
        """Mary in "asked Mary to come": the object that is the subject of an infinitive."""
        above = self.document.head(clause)
        is_infinitive = clause.relation == "advcl" and any(
            w.lower == "to" for w in self.document.children(clause, "mark")
        )
        if above is None or not (
            clause.relation == "xcomp" or (is_infinitive and above.lemma.lower() in OBJECT_CONTROL)
        ):
            return None
        objects = self.document.children(above, "obj", "iobj")
        return objects[0] if objects and objects[0].index < clause.index else None

    def slot(self, mention: Mention) -> tuple[str, bool]:
        """The role of a mention in its clause, and whether it is a later member of a list.

        "subject", "object", "agent", "possessor", "oblique", "noun" (inside a noun phrase), "root" or "other".
        """
        word, in_list = self.words[mention.head], False
        for _ in range(10):
            above = self.document.head(word)
            is_member = word.relation == "conj" and not self.is_clause(word)
            if above is None or not (is_member or word.relation in ("appos", "flat", "compound")):
                break
            in_list, word = in_list or is_member, above
        special = {"obl:agent": "agent", "nmod:poss": "possessor"}
        return special.get(word.dep) or SLOTS.get(word.relation, "other"), in_list

    def verb(self, mention: Mention) -> str:
        """The lemma of the verb whose subject a mention is, or ""."""
        word = self.words[mention.head]
        above = self.document.head(word)
        return above.lemma.lower() if above is not None and word.relation == "nsubj" else ""

    # The order of words

    @cached_property
    def quotes(self) -> list[int]:
        """For each word the number of the quotation that contains it, 0 outside."""
        number, inside, since, numbers = 0, False, 0, []
        for word in self.words:
            opens = word.text in ("``", "“", "`") or (word.text == '"' and not inside)
            if opens and not (inside and since <= 2):  # two backticks may be two words
                number, inside, since = number + 1, True, 0
            elif word.text in ("''", "”", '"'):
                inside = False
            since += 1
            inside = inside and since <= 2 * FAR  # a mark that is never closed
            numbers.append(number if inside else 0)
        return numbers

    @cached_property
    def quoted(self) -> list[bool]:
        """For each word whether it is inside quotation marks."""
        return [number > 0 for number in self.quotes]

    def before(self, mention: Mention) -> Word | None:
        """The word before a mention, None at the start of its sentence."""
        first, _ = self.bounds(self.sentence(mention))
        return self.words[mention.start - 1] if mention.start > first else None

    def next_words(self, mention: Mention, n: int) -> Words:
        """The next n words after a mention."""
        return self.words[mention.end : mention.end + n]

    def verb_follows(self, place: int) -> bool:
        """True if there is a finite verb at a position, or after a few adverbs."""
        for word in self.words[place : place + 4]:
            if word.upos != "ADV":
                return is_finite(word)
        return False

    def is_subject_like(self, mention: Mention) -> bool:
        """True if a mention is a subject by word order: a finite verb follows, no preposition precedes.

        Adverbs, a bracket and a phrase between commas may come between: "Ann, then a nurse, moved".
        """
        if mention.start not in self._subject_like:
            self._subject_like[mention.start] = self._read_subject(mention)
        return self._subject_like[mention.start]

    def _read_subject(self, mention: Mention) -> bool:
        if mention.kind == "pronoun":
            return mention.form == "subject"
        before = self.before(mention)
        if before is not None and before.upos == "ADP" and before.relation != "mark":
            return False
        place, asides = mention.end, 0
        _, limit = self.bounds(self.sentence(mention))
        while place < limit and asides < 2:
            if self.verb_follows(place):
                return True
            end = self._end_of_aside(place, limit)
            if end is None:
                return False
            place, asides = end, asides + 1
        return False

    def _end_of_aside(self, place: int, limit: int) -> int | None:
        """The position after a bracket or a phrase between commas that starts at a position."""
        closing = {"(": ")", ",": ","}.get(self.words[place].text)
        for index in range(place + 1, min(limit, place + 16)):
            if self.words[index].text == closing:
                return index + 1
        return None


def is_finite(word: Word) -> bool:
    """True for a verb that can carry a sentence."""
    return word.tag in FINITE or (word.upos == "AUX" and word.tag not in ("VB", "VBG", "VBN"))


class PronounContext:
    """A pronoun and its surroundings."""

    def __init__(self, scene: Discourse, pronoun: Mention) -> None:
        self.scene, self.pronoun = scene, pronoun
        self.word = scene.words[pronoun.head]
        self.sentence = scene.sentence(pronoun)
        self.first, self.end = scene.bounds(self.sentence)
        self.around = scene.bounds(self.sentence, back=AROUND, ahead=AROUND)
        self.near = scene.bounds(self.sentence, back=SENTENCES_BACK, ahead=SENTENCES_AHEAD)

    @cached_property
    def people(self) -> list[Entity]:
        """The people mentioned near the pronoun, in order of their first mention there, if number and gender fit."""
        scene, place = self.scene, self.pronoun.start
        before = scene.mentions_between(self.near[0], place)[-MENTIONS_BACK:]
        behind = scene.mentions_between(place + 1, self.near[1])[:MENTIONS_AHEAD]
        owners = dict.fromkeys(scene.owner(mention) for mention in (*before, *behind))
        return [person for person in owners if person is not None and self._fits(person)]

    def _fits(self, person: Entity) -> bool:
        if not person.mentions or person.number != self.pronoun.number:
            return False
        if self._shares_the_verb(person) or self._owns(person):
            return False
        return not person.gender or person.gender == self.pronoun.gender

    def _shares_the_verb(self, person: Entity) -> bool:
        """True for John in "John saw him": the subject's own object would be "himself"."""
        is_object = self.word.relation in ("obj", "iobj") and self.pronoun.form == "object"
        subject = self.clause_subject
        return is_object and subject is not None and self.scene.owner(subject) is person

    def _owns(self, person: Entity) -> bool:
        """True for the friend in "her friend": nobody is their own."""
        owned = self.scene.document.head(self.word) if self.pronoun.form == "possessive" else None
        mention = self.scene.mention_of(owned)
        return mention is not None and self.scene.owner(mention) is person

    @cached_property
    def rivals(self) -> list[Entity]:
        """The people whose names are compatible with the pronoun's gender."""
        gender = self.pronoun.gender
        return [p for p in self.people if p.is_named and (p.marked_gender or p.agreement(gender) > -1)]

    @cached_property
    def counts(self) -> dict[Entity, int]:
        """The number of mentions of each person near the pronoun."""
        return {person: person.count(*self.around) for person in self.people}

    @cached_property
    def most(self) -> tuple[int, int]:
        """The two highest counts among the rivals."""
        ranked = sorted((self.counts[person] for person in self.rivals), reverse=True)
        return (*ranked, 0, 0)[0], (*ranked, 0, 0)[1]

    @cached_property
    def last_subject(self) -> Entity | None:
        """The rival that was the most recent subject."""
        subjects = [
            (mention.start, person)
            for person in self.rivals
            for mention in person.before(self.pronoun.start)
            if self.scene.slot(mention)[0] == "subject"
        ]
        return max(subjects, key=lambda subject: subject[0], default=(0, None))[1]

    @cached_property
    def behind_subject(self) -> tuple[Mention, ...]:
        """The mentions between the nearest subject of the sentence, by word order, and the pronoun."""
        before = self.scene.mentions_between(self.first, self.pronoun.start)[-MENTIONS_BACK:]
        for place in range(len(before) - 1, -1, -1):
            if self.scene.is_subject_like(before[place]):
                return before[place + 1 :]
        return before

    @cached_property
    def clause_subject(self) -> Mention | None:
        """The subject of the pronoun's own clause, by the parse."""
        return self.scene.mention_of(self.scene.subject(self.scene.clause(self.word)))

    @cached_property
    def upper_subjects(self) -> list[Mention | None]:
        """The subjects of the clauses above, nearest first."""
        subjects: list[Mention | None] = []
        clause = self.scene.upper_clause(self.scene.clause(self.word))
        while clause is not None and len(subjects) < 4:
            subjects.append(self.scene.mention_of(self.scene.subject(clause)))
            clause = self.scene.upper_clause(clause)
        return subjects

    @cached_property
    def names_before(self) -> bool:
        """Whether somebody is named earlier in the sentence."""
        return any(m.kind == "name" for m in self.scene.mentions_between(self.first, self.pronoun.start))

    @cached_property
    def situation(self) -> str:
        """The position and form of the pronoun; each situation has its own weights."""
        if self.pronoun.form in ("object", "reflexive"):
            return "object"
        return f"{'later' if self.names_before else 'opening'} {self.pronoun.form}"


SITUATIONS = ("opening subject", "later subject", "opening possessive", "later possessive", "object")


class AntecedentPair:
    """A pronoun and one person that it may refer to.

    mention: the nearest one before the pronoun, else the first one after it (`ahead`). An earlier pronoun for the person
    counts only if no other mention is near.
    """

    def __init__(self, spot: PronounContext, person: Entity, claimed: float = 0.0) -> None:
        self.spot, self.person, self.scene, self.pronoun = spot, person, spot.scene, spot.pronoun
        self.claimed = claimed
        place, low = self.pronoun.start, spot.near[0]
        pronouns = [m for m in person.pronouns if low <= m.start < place]
        self.before = [m for m in person.before(place) if m.start >= low] or pronouns[-1:]
        self.after = [m for m in person.after(place) if m.start < spot.around[1]]
        self.ahead = not self.before
        self.mention = self.before[-1] if self.before else self.after[0]
        self.sentence = self.scene.sentence(self.mention)
        self.sentences_back = spot.sentence - self.sentence
        self.slot, self.in_list = self.scene.slot(self.mention)

    @property
    def head(self) -> Word:
        """The main word of the mention."""
        return self.scene.words[self.mention.head]

    @property
    def in_last_sentence(self) -> bool:
        """Whether the nearest mention is in the sentence before the pronoun's."""
        return not self.ahead and self.sentences_back == 1

    def is_mine(self, mention: Mention | None) -> bool:
        """True for a mention of the person."""
        return mention is not None and self.scene.owner(mention) is self.person
