"""Nouns for actions, possession and origin. Families: nominal, origins.

    nominal    "Ann directed Blue Sky."       <->  "Ann was the director of Blue Sky."
               "Ann directed Blue Sky."        ->  "The director of Blue Sky was Ann."
               "Blue Sky's script"            <->  "the script of Blue Sky"
    origins    "a 1999 film"                  <->  "a film from 1999"
               "an Italian actor"             <->  "an actor from Italy"

The words are in `nominal.toml`. Nouns with a list or a clause attached are skipped: the attachment is ambiguous ("an
Italian actor and singer").
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from longway.english.articles import fix_articles
from longway.english.denials import conjugated
from longway.english.document import Change, Document, Word, any_tag
from longway.english.rules.rule import Rephrasing, Rephrasings, Scene
from longway.english.rules.sentence import (
    NOT_WORDS,
    Clause,
    WordSpan,
    as_sentence_start,
    clauses,
    is_plural_span,
    is_year,
    name_indices,
    span_of,
)

WORDS_PATH = Path(__file__).parent / "nominal.toml"
# "Hodgkin's disease" is not the disease of Hodgkin.
_NAMED_AFTER = frozenset(
    "disease syndrome day law theorem palsy eve principle paradox constant number end sake".split()
)


_NEVER_AFTER = (",", "-", "(", "'s", "'", "from", "of")


@dataclass(frozen=True)
class NominalWords:
    """The word lists of `nominal.toml`."""

    nouns: dict[str, str]
    verbs: dict[str, str]
    lasting: frozenset[str]
    nations: dict[str, str]
    countries: dict[str, str]
    people: frozenset[str]
    works: frozenset[str]
    belongings: frozenset[str]


@lru_cache(maxsize=1)
def nominal_words() -> NominalWords:
    """Read the word lists once."""
    table = tomllib.loads(WORDS_PATH.read_text(encoding="utf-8"))
    nouns, nations, lists = table["nouns"], table["nations"], table["words"]
    return NominalWords(
        nouns=nouns,
        verbs={noun: verb for verb, noun in nouns.items()} | {"author": "write"},
        lasting=frozenset(table["lasting"]),
        nations=nations,
        countries={country.lower(): nation for nation, country in nations.items()},
        people=frozenset(lists["people"]),
        works=frozenset(lists["works"]),
        belongings=frozenset(lists["belongings"]),
    )


def nominal(scene: Scene) -> Rephrasings:
    """Yield the text with one noun phrase or verb rephrased."""
    document = scene.document
    for clause in clauses(document):
        yield from _agent_noun(clause)
        yield from _verb_for_noun(clause)
    for word in document:
        if word.upos != "NOUN" or word.index in name_indices(document):
            continue
        yield from _of(document, word)
        yield from _owned(document, word)


# Who did it


def _agent_noun(clause: Clause) -> Rephrasings:
    """Rephrase "Blue Sky was directed by Ann." and "Ann directed Blue Sky." with "the director of"."""
    document, rest = clause.document, clause.rest
    noun = nominal_words().nouns.get(clause.head.lemma.lower())
    if noun is None or clause.head.upos != "VERB" or rest is None or clause.adverbs:
        return
    helpers = [w.lower for w in clause.auxiliaries]
    by = rest.words[0].lower == "by"
    if helpers in (["was"], ["is"]) and clause.head.tag == "VBN" and by and len(rest) > 1:
        agent, thing = WordSpan(document, rest.first + 1, rest.last), clause.subject
        be = helpers[0]
    elif not helpers and clause.head.tag in ("VBD", "VBZ") and document.children(clause.head, "obj"):
        agent, thing = clause.subject, rest
        be = "was" if clause.head.tag == "VBD" else "is"
    else:
        return
    if not _is_single(agent) or not _is_single(thing):
        return
    yield from _with_noun(clause, agent, thing, noun, f"{be} not" if clause.negation else be)


def _with_noun(clause: Clause, agent: WordSpan, thing: WordSpan, noun: str, verbs: str) -> Rephrasings:
    document, number = clause.document, clause.sentence
    start, end = clause.subject.start, clause.rest.end if clause.rest else clause.verbs[-1].end
    forms = {
        "was_the": f"{agent.inside if agent is clause.subject else agent.text} {verbs} the {noun} of {thing.inside}",
        "the_was": f"the {noun} of {thing.inside} {verbs} {agent.inside}",
    }
    if thing.words[0].lower in ("a", "an"):
        del forms["the_was"]  # no "The writer of a novel was Ann"
    for name, text in forms.items():
        if agent is clause.subject and name == "was_the":
            change = Change(clause.verbs[0].start, clause.verbs[-1].end, f"{verbs} the {noun} of")
        else:
            change = Change(start, end, as_sentence_start(document, number, text))
        yield Rephrasing.of(f"nominal.{name}", change)


_COMPLEX_TAGS = frozenset({"CC", "WP", "WDT", "WRB", "PRP", "PRP$", "VBD", "VBG", ","})
_COMPLEX_WORDS = frozenset("every all no any each only by in on at during with".split())


def _is_single(span: WordSpan) -> bool:
    """Return True for a single person or thing: a name, or a short phrase without list, clause or time."""
    document, names = span.document, name_indices(span.document)
    outside = [w for w in span.words if w.index not in names]
    if len(span) > 8 or any(w.tag in _COMPLEX_TAGS or w.lower in _COMPLEX_WORDS for w in outside):
        return False
    opens = span.words[0].lower in ("the", "a", "an") or span.first in names
    return opens and is_plural_span(document, span) is False


def _verb_for_noun(clause: Clause) -> Rephrasings:
    """Rephrase "Ann was the director of Blue Sky." as "Ann directed Blue Sky."."""
    document, rest = clause.document, clause.rest
    if rest is None or clause.finite.lower not in ("is", "was") or len(clause.verbs) > 2:
        return
    if len(clause.verbs) == 2 and clause.verbs[1].lower not in NOT_WORDS:
        return
    if len(rest) < 4 or rest.words[0].lower != "the" or rest.words[2].lower != "of":
        return
    verb = nominal_words().verbs.get(rest.words[1].lower)
    thing = WordSpan(document, rest.first + 3, rest.last)
    if verb is None or not _is_single(thing) or not _is_single(clause.subject):
        return
    is_past = verb not in nominal_words().lasting or clause.finite.lower == "was"
    negated = f"{'did' if is_past else 'does'} not {verb}"
    form = negated if clause.negation else conjugated(verb, "past" if is_past else "present", False)
    if form is not None:
        yield Rephrasing.of("nominal.verb", Change(clause.verbs[0].start, rest.words[2].end, form))


# What belongs to whom


def _of(document: Document, noun: Word) -> Rephrasings:
    """Rephrase "Blue Sky's script" as "the script of Blue Sky"."""
    owner = next((w for w in document.children(noun, "nmod:poss") if w.index in name_indices(document)), None)
    possessor = None if owner is None else span_of(document, owner)
    if owner is None or possessor is None or document.words[possessor.last].lower not in ("'s", "’s"):
        return
    name = WordSpan(document, possessor.first, possessor.last - 1)
    thing = WordSpan(document, possessor.last + 1, noun.index)
    names = name_indices(document)
    if name.first - 1 in names:
        return  # "Ann and the Bees's singer"
    if not all(w.index in names for w in name.words) or any(w.text == "," for w in name.words):
        return
    if any(w.upos not in ("ADJ", "NOUN") or w.index in names for w in thing.words) or noun.tag == "NNS":
        return
    if noun.lemma.lower() in _NAMED_AFTER or any_tag(thing.words, ("JJS", "JJR")):
        return
    if _is_followed(document, noun, ("of", ",", "-", "'s", "’s")) or document.children(
        noun, "conj", "acl", "appos"
    ):
        return
    the = "the"
    if name.first in {first for first, _ in document.sentences}:
        the = as_sentence_start(document, document.sentence_number(noun), the)
    elif document.words[name.first - 1].tag in ("DT", "PRP$", "JJ", "NN", "NNP"):
        return
    yield Rephrasing.of("nominal.of", Change(name.start, thing.end, f"{the} {thing.text} of {name.inside}"))


def _owned(document: Document, noun: Word) -> Rephrasings:
    """Rephrase "the capital of Peru" as "Peru's capital"."""
    if noun.lemma.lower() not in nominal_words().belongings or noun.tag != "NN":
        return
    of = document.words[noun.index + 1] if noun.index + 2 < len(document) else None
    owners = [w for w in document.children(noun, "nmod") if w.index > noun.index]
    owner = span_of(document, owners[0]) if len(owners) == 1 else None
    determiner = document.before(noun)
    if of is None or of.lower != "of" or owner is None or determiner is None or determiner.lower != "the":
        return
    name = WordSpan(document, of.index + 1, owner.last)
    names = name_indices(document)
    is_name = len(name) > 0 and all(w.index in names for w in name.words) and name.last - name.first < 4
    if not is_name or name.text.endswith(("s", ")", ".")):
        return
    if any(w.upos in ("ADP", "CCONJ", "PUNCT") or w.lower in ("and", "of", "in") for w in name.words):
        return
    after = document.word_at(name.last + 1)
    if after is not None and (after.index in names or after.lower in ("'s", "’s", "and", "or", ",")):
        return
    yield Rephrasing.of("nominal.owned", Change(determiner.start, name.end, f"{name.text}'s {noun.text}"))


def origins(scene: Scene) -> Rephrasings:
    """Yield the text with one year or nationality on the other side of its noun."""
    document = scene.document
    for word in document:
        if word.upos != "NOUN" or word.index in name_indices(document):
            continue
        yield from _year_behind(document, word)
        yield from _year_before(document, word)
        yield from _nation_behind(document, word)
        yield from _nation_before(document, word)


def _phrase_before(document: Document, noun: Word) -> tuple[Word, list[Word]] | None:
    """Return the article of a noun and the words between; None if the phrase is not plain."""
    modifiers: list[Word] = []
    for index in range(noun.index - 1, max(-1, noun.index - 6), -1):
        word = document.words[index]
        if word.lower in ("a", "an", "the", "this"):
            return word, modifiers[::-1]
        if word.upos not in ("ADJ", "NOUN", "NUM", "PROPN") and word.text != "-":
            return None
        modifiers.append(word)
    return None


def _year_behind(document: Document, noun: Word) -> Rephrasings:
    is_work = noun.lemma.lower() in nominal_words().works and not _is_followed(document, noun)
    phrase = _phrase_before(document, noun) if is_work else None
    if phrase is None or not phrase[1] or not is_year(phrase[1][0]) or phrase[0].lower == "the":
        return
    year = phrase[1][0]
    yield _behind("origins.year_behind", document, noun, year, document.words[year.index + 1], year.text)


def _behind(rule: str, document: Document, noun: Word, first: Word, following: Word, text: str) -> Rephrasing:
    """Return the rephrasing that moves the words from `first` up to `following` behind the noun, as a text after "from"."""
    removed = Change(first.start, following.start, "")
    added = Change(noun.end, noun.end, f" from {text}")
    return Rephrasing(rule, (removed, added, *fix_articles(document, [removed])))


def _before(rule: str, document: Document, noun: Word, first: Word, last: Word, text: str) -> Rephrasing:
    """Return the rephrasing that puts a text before a word, in place of the words behind the noun up to `last`."""
    added = Change(first.start, first.start, f"{text} ")
    return Rephrasing(rule, (added, Change(noun.end, last.end, ""), *fix_articles(document, [added])))


def _year_before(document: Document, noun: Word) -> Rephrasings:
    if noun.lemma.lower() not in nominal_words().works or noun.index + 2 >= len(document):
        return
    preposition, year = document.words[noun.index + 1], document.words[noun.index + 2]
    phrase = _phrase_before(document, noun)
    if preposition.lower != "from" or not is_year(year) or not year.text.isdigit():
        return
    if phrase is None or phrase[0].lower == "this" or any(is_year(w) for w in phrase[1]):
        return
    first = next(iter(phrase[1]), noun)
    yield _before("origins.year_before", document, noun, first, year, year.text)


def _nation_behind(document: Document, noun: Word) -> Rephrasings:
    lists = nominal_words()
    known = noun.lemma.lower() in lists.people | lists.works
    phrase = _phrase_before(document, noun) if known and not _is_followed(document, noun) else None
    if phrase is None or phrase[0].lower == "this" or noun.tag == "NNS":
        return
    for size in (2, 1):
        adjective = " ".join(w.text for w in phrase[1][:size])
        country = lists.nations.get(adjective) if len(phrase[1]) >= size else None
        if country is None:
            continue
        following = document.words[phrase[1][size - 1].index + 1]
        if following.text == "-" or following.index in name_indices(document):
            return  # "American-born", "American Football"
        yield _behind("origins.nation_behind", document, noun, phrase[1][0], following, country)
        return


def _nation_before(document: Document, noun: Word) -> Rephrasings:
    lists = nominal_words()
    if noun.lemma.lower() not in lists.people | lists.works or noun.index + 2 >= len(document):
        return
    phrase = _phrase_before(document, noun)
    if document.words[noun.index + 1].lower != "from" or phrase is None or phrase[0].lower == "this":
        return
    for size in (3, 2, 1):
        place = document.words[noun.index + 2 : noun.index + 2 + size]
        nation = lists.countries.get(" ".join(w.lower for w in place)) if len(place) == size else None
        if nation is None:
            continue
        after = document.after(place[-1])
        is_end = after is None or after.text in (".", "!") or after.lower in ("who", "that", "by", "with")
        if not is_end or any(w.text in lists.nations for w in phrase[1]):
            return
        first = next((w for w in phrase[1] if not is_year(w)), noun)
        yield _before("origins.nation_before", document, noun, first, place[-1], nation)
        return


def _is_followed(document: Document, noun: Word, also: tuple[str, ...] = _NEVER_AFTER) -> bool:
    """Return True if another noun or a list follows: "an American actor and singer", "a 1999 film festival"."""
    after = document.after(noun)
    return after is not None and (after.upos in ("NOUN", "PROPN", "CCONJ") or after.lower in also)
