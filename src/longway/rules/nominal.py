"""Nouns for what is done and what belongs: "directed" and "the director of", "Rome's mayor".

    "Ann directed Blue Sky."       ->  "Ann was the director of Blue Sky.", "The director of Blue Sky was Ann."
    "Ann is the owner of it."      ->  "Ann owns it."
    "Blue Sky's script"            ->  "the script of Blue Sky"              and back

The words are in `nominal.toml`. Where a list or a clause hangs on the noun, nothing is done: what belongs to what is not sure then.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from longway.rules.clauses import NOT_WORDS, Clause, be, clauses, number_of, verb_form
from longway.rules.rule import Rewriting, Scene
from longway.rules.stretches import Piece, in_names, opening, piece_of
from longway.text.changes import Change
from longway.text.document import Document, Word

PATH = Path(__file__).parent / "nominal.toml"
# "Hodgkin's disease" is not the disease of Hodgkin.
_NAMED_AFTER = frozenset(
    "disease syndrome day law theorem palsy eve principle paradox constant number end sake".split()
)


@dataclass(frozen=True)
class Words:
    """What the file holds."""

    nouns: dict[str, str]
    verbs: dict[str, str]
    lasting: frozenset[str]
    nations: dict[str, str]
    countries: dict[str, str]
    people: frozenset[str]
    works: frozenset[str]
    belongings: frozenset[str]


@lru_cache(maxsize=1)
def words() -> Words:
    """The word lists, read once."""
    table = tomllib.loads(PATH.read_text(encoding="utf-8"))
    nouns, nations, lists = table["nouns"], table["nations"], table["words"]
    return Words(
        nouns=nouns,
        verbs={noun: verb for verb, noun in nouns.items()} | {"author": "write"},
        lasting=frozenset(table["lasting"]),
        nations=nations,
        countries={country.lower(): nation for nation, country in nations.items()},
        people=frozenset(lists["people"]),
        works=frozenset(lists["works"]),
        belongings=frozenset(lists["belongings"]),
    )


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """The text with one noun phrase or one verb put the other way."""
    document = scene.document
    for clause in clauses(document):
        yield from _agent_noun(clause)
        yield from _verb_for_noun(clause)
    for word in document:
        if word.upos != "NOUN" or word.index in in_names(document):
            continue
        yield from _of(document, word)
        yield from _owned(document, word)


# Who did it


def _agent_noun(clause: Clause) -> Iterator[Rewriting]:
    """ "Blue Sky was directed by Ann." and "Ann directed Blue Sky." with "the director of"."""
    document, rest = clause.document, clause.rest
    noun = words().nouns.get(clause.head.lemma.lower())
    if noun is None or clause.head.upos != "VERB" or rest is None or clause.adverbs:
        return
    helpers = [w.lower for w in clause.auxiliaries]
    by = rest.words[0].lower == "by"
    if helpers in (["was"], ["is"]) and clause.head.tag == "VBN" and by and len(rest) > 1:
        agent, thing = Piece(document, rest.first + 1, rest.last), clause.subject
        tense = "past" if helpers == ["was"] else "present"
    elif not helpers and clause.head.tag in ("VBD", "VBZ") and document.children(clause.head, "obj"):
        agent, thing = clause.subject, rest
        tense = "past" if clause.head.tag == "VBD" else "present"
    else:
        return
    if not _is_one(agent) or not _is_one(thing):
        return
    yield from _with_noun(
        clause, agent, thing, noun, f"{be(tense, 'sing')}{' not' if clause.negation else ''}"
    )


def _with_noun(clause: Clause, agent: Piece, thing: Piece, noun: str, verbs: str) -> Iterator[Rewriting]:
    document, number = clause.document, clause.sentence
    start, end = clause.subject.start, clause.rest.end if clause.rest else clause.verbs[-1].end
    forms = {
        "was_the": f"{agent.inside if agent is clause.subject else agent.text} {verbs} the {noun} of {thing.inside}",
        "the_was": f"the {noun} of {thing.inside} {verbs} {agent.inside}",
    }
    for name, text in forms.items():
        if agent is clause.subject and name == "was_the":
            change = Change(clause.verbs[0].start, clause.verbs[-1].end, f"{verbs} the {noun} of")
        else:
            change = Change(start, end, opening(document, number, text))
        yield Rewriting(f"nominal.{name}", (change,))


def _is_one(piece: Piece) -> bool:
    """True for a single person or thing: a name, or a short phrase without a list, a clause or a time in it."""
    document, names = piece.document, in_names(piece.document)
    outside = [w for w in piece.words if w.index not in names]
    if len(piece) > 8 or any(
        w.tag in ("CC", "WP", "WDT", "WRB", "PRP", "PRP$", "VBD", "VBG", ",") for w in outside
    ):
        return False
    if any(
        w.lower in ("every", "all", "no", "any", "each", "only", "by", "in", "on", "at", "during", "with")
        for w in outside
    ):
        return False
    opens = piece.words[0].lower in ("the", "a", "an") or piece.first in names
    return opens and number_of(document, piece) == "sing"


def _verb_for_noun(clause: Clause) -> Iterator[Rewriting]:
    """As in "Ann was the director of Blue Sky." -> "Ann directed Blue Sky."."""
    document, rest = clause.document, clause.rest
    if rest is None or clause.finite.lower not in ("is", "was") or len(clause.verbs) > 2:
        return
    if len(clause.verbs) == 2 and clause.verbs[1].lower not in NOT_WORDS:
        return
    if len(rest) < 4 or rest.words[0].lower != "the" or rest.words[2].lower != "of":
        return
    verb = words().verbs.get(rest.words[1].lower)
    thing = Piece(document, rest.first + 3, rest.last)
    if verb is None or not _is_one(thing) or not _is_one(clause.subject):
        return
    is_past = verb not in words().lasting or clause.finite.lower == "was"
    tense = "past" if is_past else "present"
    negated = f"{'did' if is_past else 'does'} not {verb}"
    form = negated if clause.negation is not None else verb_form(verb, tense, "sing")
    if form is not None:
        change = Change(clause.verbs[0].start, rest.words[2].end, form)
        yield Rewriting("nominal.verb", (change,))


# What belongs to whom


def _of(document: Document, noun: Word) -> Iterator[Rewriting]:
    """As in "Blue Sky's script" -> "the script of Blue Sky"."""
    owner = next((w for w in document.children(noun, "nmod:poss") if w.index in in_names(document)), None)
    piece = None if owner is None else piece_of(document, owner)
    if owner is None or piece is None or document.words[piece.last].lower not in ("'s", "’s"):
        return
    name = Piece(document, piece.first, piece.last - 1)
    thing = Piece(document, piece.last + 1, noun.index)
    names = in_names(document)
    if name.first - 1 in names:
        return  # "Ann and the Bees's singer"
    if not all(w.index in names for w in name.words) or any(w.text == "," for w in name.words):
        return
    if any(w.upos not in ("ADJ", "NOUN") or w.index in names for w in thing.words) or noun.tag == "NNS":
        return
    if (
        noun.lemma.lower() in _NAMED_AFTER
        or _goes_on(document, noun)
        or any(w.tag in ("JJS", "JJR") for w in thing.words)
    ):
        return
    the = "the"
    if name.first in {first for first, _ in document.sentences}:
        the = opening(document, document.sentence_number(noun), the)
    elif document.words[name.first - 1].tag in ("DT", "PRP$", "JJ", "NN", "NNP"):
        return
    yield Rewriting("nominal.of", (Change(name.start, thing.end, f"{the} {thing.text} of {name.inside}"),))


def _owned(document: Document, noun: Word) -> Iterator[Rewriting]:
    """As in "the capital of Peru" -> "Peru's capital"."""
    if noun.lemma.lower() not in words().belongings or noun.tag != "NN":
        return
    of = document.words[noun.index + 1] if noun.index + 2 < len(document) else None
    owners = [w for w in document.children(noun, "nmod") if w.index > noun.index]
    piece = piece_of(document, owners[0]) if len(owners) == 1 else None
    determiner = document.words[noun.index - 1] if noun.index else None
    if of is None or of.lower != "of" or piece is None or determiner is None or determiner.lower != "the":
        return
    name = Piece(document, of.index + 1, piece.last)
    names = in_names(document)
    is_name = len(name) > 0 and all(w.index in names for w in name.words) and name.last - name.first < 4
    if (
        not is_name
        or name.text.endswith(("s", ")", "."))
        or any(w.text == "," or w.lower in ("and", "of", "in") for w in name.words)
    ):
        return
    after = document.words[name.last + 1] if name.last + 1 < len(document) else None
    if after is not None and (after.index in names or after.lower in ("'s", "’s", "and", "or", ",")):
        return
    yield Rewriting("nominal.owned", (Change(determiner.start, name.end, f"{name.text}'s {noun.text}"),))


def _goes_on(document: Document, noun: Word) -> bool:
    """True where a list, a clause or an "of" hangs on the noun."""
    after = document.words[noun.index + 1] if noun.index + 1 < len(document) else None
    if (after is not None and after.upos in ("NOUN", "PROPN", "CCONJ")) or (
        after is not None and after.lower in ("of", ",", "-")
    ):
        return True
    return bool(document.children(noun, "conj", "acl", "appos"))
