"""Gendered words of triples exchanged: pronouns, kin, titles, and words such as actress or policeman.

    swap_gender(triples)     the same statements about people of the other gender; names stay
    partner("waitress")      "waiter": the word for the other gender; None for a word without one

CoBA swaps all gendered words of a text at once. `methods/perturb` changes one person instead, and knows who that is. The words are those
of people/gender.tsv. A word that is used for everybody (author, poet) has no partner, but its feminine form has one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from longway.english.articles import with_articles
from longway.english.document import Change, Document, Word
from longway.english.inflection import match_case
from longway.english.people.pronouns import HE, SHE, pronoun_form
from longway.english.people.words import demographic_entries
from longway.english.pipeline import load_pipeline
from longway.english.triples.triple import Triple, sentence_of, with_changes

_OTHER = {"man": "woman", "woman": "man"}
_PRONOUNS = frozenset("he him his himself she her hers herself".split())


def swap_gender(triples: Sequence[Triple], *, read: Callable[[str], Document] | None = None) -> list[Triple]:
    """Return the triples with every gendered word swapped. read: analyses a text; default: the package's pipeline."""
    read = read or (lambda text: load_pipeline().analyse(text))
    return [
        with_changes(triple, gender_changes(read(sentence_of(triple)))) if _may_change(triple) else triple
        for triple in triples
    ]


def partner(word: str) -> str | None:
    """Return the word for the other gender; None for a word that is not listed.

    >>> partner("waitress"), partner("policemen"), partner("teacher")
    ('waiter', 'policewomen', None)
    """
    return _partners().get(word.lower())


def gender_changes(document: Document) -> list[Change]:
    """Return the changes that swap every gendered word of a text, with articles corrected."""
    swaps = [word.becomes(new) for word in document if (new := _other(document, word)) is not None]
    return sorted(with_articles(document, *swaps))


@lru_cache(maxsize=1)
def _partners() -> dict[str, str]:
    partners: dict[str, str] = {}
    # "queen" takes precedence over the title "Queen"
    for entry in sorted(demographic_entries("gender"), key=lambda entry: entry.pos == "PROPN"):
        other = entry.counterparts.get(_OTHER.get(entry.attribute.name, ""))
        if other is not None and entry.kind != "thing":
            partners.setdefault(entry.word.lower(), other)
    return partners


def _may_change(triple: Triple) -> bool:
    words = triple.text.lower().replace("-", " ").replace("'", " ").replace("’", " ").split()
    bare = {word.strip('.,;:!?"()') for word in words}
    return bool(bare & _PRONOUNS) or any(word in _partners() for word in bare | set(words))


def _other(document: Document, word: Word) -> str | None:
    if word.lower in _PRONOUNS:
        return _other_pronoun(document, word)
    new = partner(word.text)
    if new is None or word.upos in ("VERB", "AUX") or _is_surname(document, word):
        return None
    return new if any(c.isupper() for c in new) else match_case(new, word.text)


def _other_pronoun(document: Document, word: Word) -> str | None:
    mention = pronoun_form(document, word)
    if mention is None or mention.pronoun not in (HE, SHE):
        return None
    new = (SHE if mention.pronoun is HE else HE).form(mention.form)
    return match_case(new, word.text)


def _is_surname(document: Document, word: Word) -> bool:
    """True for the second word of "Stephen King"."""
    if not word.text[:1].isupper() or not word.index:
        return False
    before = document.words[word.index - 1]
    is_name = before.text[:1].isupper() and before.upos == "PROPN" and before.end + 1 == word.start
    return is_name and word.text.isalpha()
