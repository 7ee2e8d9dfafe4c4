"""Texts and triples changed towards the opposite sentiment, a few words at a time.

    opposing_changes(document, "negative")    the changes of a text

    I loved the witty script.       I hated the corny script.
    It was not good at all.         It was good.
    Never boring.                   Never exciting.

Words with the other sentiment are replaced by an opposite in the same form (`english/opposites.py`). The key decides among several
opposites, so none of them becomes a new shortcut. A negated word counts for the other side. Names, quotations, and words that already have
the wanted sentiment stay.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from longway.english.articles import fix_articles
from longway.english.denials import DO_FORMS, do_not, without_negation
from longway.english.document import Change, Document, Word, any_lower
from longway.english.inflection import MASS_NOUNS, inflect, inflect_like, match_case
from longway.english.opposites import SentimentMention, rotated, sentiment_mentions
from longway.english.wordnet import word_lists
from longway.english.words import listed_words
from longway.task import Side

_LISTS = listed_words(__name__)
_MAX_QUOTE_WORDS = 15  # longer quotations are not titles
_QUOTES = {'"': '"', "“": "”", "``": "''", "`": "'"}  # opening and closing marks


def opposing_changes(
    document: Document, towards: Side, *, key: str = "", keep: Collection[str] = ()
) -> list[Change]:
    """Return the changes of a text towards one sentiment, with articles corrected.

    key: selects among the opposites. keep: words that must stay.
    """
    changes: list[Change] = []
    protected = protected_words(document, keep)
    all_mentions = list(sentiment_mentions(document, protected))
    sides = {mention.word.index: mention.side for mention in all_mentions}
    for mention in all_mentions:
        mention_key = f"{key}\0{mention.first}\0{document.text[:40]}"
        for change in _changes(document, mention, towards, mention_key, sides):
            if not any(change.start < other.end and other.start < change.end for other in changes):
                changes.append(change)
    changes = sorted(set(changes))
    return sorted([*changes, *fix_articles(document, changes)])


def protected_words(document: Document, keep: Collection[str] = ()) -> frozenset[int]:
    """Return the indices of words that must stay: names, quotations, and those to keep."""
    kept = {word.lower() for word in keep}
    names = {w.index for w in document if _is_name(document, w) or w.lower in kept or w.lemma.lower() in kept}
    quoted: set[int] = set()
    opened: Word | None = None
    for word in document:
        is_near = opened is not None and word.index - opened.index <= _MAX_QUOTE_WORDS
        if opened is not None and is_near and word.text == _QUOTES[opened.text]:
            quoted.update(range(opened.index, word.index))
            opened = None
        elif word.text in _QUOTES:
            opened = word
    return frozenset(names | quoted)


def _is_name(document: Document, word: Word) -> bool:
    """Return True for a capital inside a sentence; words in all capitals are only emphasised."""
    if not word.text[:1].isupper() or (word.text.isupper() and len(word.text) > 1 and word.upos != "PROPN"):
        return False
    first, _ = document.sentences[document.sentence_number(word)]
    before = document.words[word.index - 1].text if word.index > first else ""
    return word.upos == "PROPN" or (
        word.index > first and before not in ('"', "“", "...", "-", "(", ":", "*")
    )


def _changes(
    document: Document, mention: SentimentMention, towards: Side, key: str, sides: dict[int, Side]
) -> list[Change]:
    scope = scope_of(document, mention.word)
    if scope.is_unclear:
        return []
    if scope.negation is None or mention.first <= scope.negation.index <= mention.last:
        is_fine = mention.side == towards or _only_strengthens(document, mention, sides)
        if is_fine or _is_excess(document, mention):
            return []
        return replaced_by_opposite(document, mention, key) or []
    if mention.side != towards:
        return []  # "not bad" is already positive
    without = without_negation(document, scope.negation)
    swapped = replaced_by_opposite(document, mention, key)
    prefers_removal = towards == "positive" or swapped is None or rotated(("out", "in"), key)[0] == "out"
    return without if without is not None and prefers_removal else swapped or []


def _only_strengthens(document: Document, mention: SentimentMention, sides: dict[int, Side]) -> bool:
    """Return True for "terribly" in "terribly funny": an intensifier of a word with the other sentiment."""
    if mention.word.upos != "ADV" or mention.is_phrase:
        return False
    head = document.head(mention.word)
    is_modifier = head is not None and head.upos in ("ADJ", "ADV")
    return head is not None and is_modifier and sides.get(head.index) not in (None, mention.side)


def _is_excess(document: Document, mention: SentimentMention) -> bool:
    """Return True for "too good" and "too dull to watch": the opposite would mean something else."""
    before = document.children(mention.word, "advmod")
    is_too = any(w.lower == "too" and w.index < mention.word.index for w in before)
    leads_on = any(w.tag == "VB" for w in document.children(mention.word))
    return is_too and (mention.side == "positive" or leads_on)


_COMPARATIVE_OPPOSITES = {"good": "bad", "great": "bad", "bad": "good", "poor": "good"}  # "worse", "best"
_ABSTRACT = re.compile(r".*(?:ness|ence|ance|tude|ity|ism|dom|cy)")


def replaced_by_opposite(document: Document, mention: SentimentMention, key: str) -> list[Change] | None:
    """Return the changes that insert an opposite; None if none fits."""
    options = rotated(mention.entry.opposites, key)
    if mention.word.tag in ("JJR", "JJS"):
        options = [_COMPARATIVE_OPPOSITES.get(mention.entry.words[0], options[0]), *options]
    for opposite in options:
        if opposite == "not":
            changes = _negate_verb(document, mention.word)
        elif mention.is_phrase:
            changes = _replace_phrase(document, mention, opposite)
        else:
            changes = _replace_word(document, mention, opposite)
        if changes is not None:
            return [*changes, *_degree(document, mention.word)]
    return None


def _replace_word(document: Document, mention: SentimentMention, opposite: str) -> list[Change] | None:
    word = mention.word
    if word.upos == "NOUN" and not _counts_alike(document, word, opposite):
        return None
    form = match_case(opposite, word.text) if mention.is_form else inflect_like(opposite, word)
    if form is None or form.lower() == word.lower:
        return None
    if word.upos == "NOUN" and form == word.text:
        return None
    return [word.becomes(form)]


def _counts_alike(document: Document, noun: Word, opposite: str) -> bool:
    """Return True if a noun fits the article that is there, or its absence."""
    last = opposite.rpartition(" ")[2]
    is_mass = last in _LISTS.mass | MASS_NOUNS | word_lists().mass or _ABSTRACT.fullmatch(last) is not None
    determiners = {w.lower for w in document.children(noun, "det", "nmod:poss", "nummod")}
    if determiners & {"a", "an", "one", "another", "each", "every"} or noun.tag == "NNS":
        return not is_mass or last in _LISTS.both
    return bool(determiners) or is_mass


def _replace_phrase(document: Document, mention: SentimentMention, opposite: str) -> list[Change] | None:
    first, last = document.words[mention.first], document.words[mention.last]
    after = document.lower_at(last.index + 1)
    if opposite == "wealth of" and after in ("a", "an", "any", "the"):
        return None
    tag = mention.word.tag
    forms = [inflect(part[1:], tag) if part.startswith("~") else part for part in opposite.split()]
    text = " ".join(form for form in forms if form is not None)
    return None if None in forms else [Change(first.start, last.end, match_case(text, first.text))]


def _negate_verb(document: Document, verb: Word) -> list[Change] | None:
    """Return the changes that negate the verb and drop intensifiers: "do not recommend", "would not recommend"."""
    start, before = verb.start, verb.index - 1
    while document.lower_at(before) in _LISTS.intensifiers and document.words[before].head == verb.index:
        start = document.words[before].start
        before -= 1
    helpers = [w for w in document.children(verb, "aux") if w.index < verb.index and w.lower != "to"]
    if helpers:
        last = helpers[-1] if verb.tag in ("VBN", "VBG") and len(helpers) == 1 else helpers[0]
        if last.index != before or last.lower in ("'ll", "'d", "’d", "’ll"):
            return None
        word = "not " if last.lower == "can" else " not "
        dropped = [Change(start, verb.start, "")] if start != verb.start else []
        return [Change(last.end, start, word), *dropped]
    if verb.tag == "VBN":
        first = document.text[start]
        return [Change(start, verb.end, f"{match_case('not', first + 'x')} {verb.lower}")]
    if not document.children(verb, "nsubj") or verb.tag not in DO_FORMS:
        return None
    return [replace(do_not(verb), start=start)]


def _degree(document: Document, word: Word) -> list[Change]:
    """Rephrase "too slow" as "very brisk"."""
    changes = []
    for too in document.children(word, "advmod"):
        if too.lower == "too" and too.index < word.index:
            before = document.before(too)
            is_far = before is not None and before.lower in ("far", "way", "just")  # "far too slow"
            start = before.start if before is not None and is_far else too.start
            changes.append(Change(start, too.end, match_case("very", too.text)))
    return changes


class Scope(NamedTuple):
    """The negation that a word is under, if any. is_unclear: the word is not asserted at all."""

    negation: Word | None = None
    is_unclear: bool = False


def scope_of(document: Document, word: Word) -> Scope:
    """Return the negation that a word is under, and whether the word is asserted at all.

    not a good film, is never dull, do not think it is bad, nothing good      negated
    would have been great, if it were good, tries to be funny, lacks charm    unclear
    """
    if any(_is_conditional(document, ancestor) for ancestor in (word, *document.ancestors(word))):
        return Scope(is_unclear=True)
    current = word
    for _ in range(5):
        if _is_irrealis(document, current):
            return Scope(is_unclear=True)
        negation = _negation_at(document, current, word)
        if negation is not None:
            return Scope(negation)
        above = document.head(current)
        if above is None:
            break
        if _is_unrealised(document, current, above):
            return Scope(is_unclear=True)
        if not _scope_passes(document, current, above):
            break
        current = above
    return Scope()


def _negation_at(document: Document, current: Word, word: Word) -> Word | None:
    """Return the word that directly negates this one."""
    if current.lower == "nothing":
        return current
    for child in document.children(current, "advmod", "det", "cc", "case"):
        if child.lower not in _LISTS.negation_words or child.index > word.index:
            continue
        if child.lower in ("less", "least") and current.index != word.index:
            continue
        after = document.words[child.index + 1].lower
        if after in _LISTS.focus_words or (
            child.lower == "no" and after in ("doubt", "matter", "wonder", "less")
        ):
            continue
        return child
    return None


def _is_irrealis(document: Document, word: Word) -> bool:
    """Return True for "would have been great", "could be better"."""
    helpers = {w.lower for w in document.children(word, "aux", "cop")}
    return bool(helpers & _LISTS.modals) and (bool(helpers & {"have", "'ve"}) or word.tag in ("JJR", "RBR"))


def _is_conditional(document: Document, word: Word) -> bool:
    if word.relation != "advcl":
        return False
    return any_lower(document.children(word, "mark", "advmod"), ("if", "unless", "whether"))


def _is_unrealised(document: Document, word: Word, above: Word) -> bool:
    """Return True for what is tried, missing or wanted: "tries to be funny", "lacks charm", "a lack of wit"."""
    if word.relation == "xcomp":
        return above.lemma in _LISTS.attempt_verbs or above.lemma == "fail"
    if word.relation in ("obj", "conj") and above.lemma in _LISTS.lack_verbs:
        return True
    if word.relation == "ccomp" and above.lemma in ("wish", "hope", "doubt", "pretend"):
        return True
    if word.relation in ("obj", "xcomp") and above.lemma == "deserve":
        return True
    return word.relation in ("nmod", "obl") and above.lemma in _LISTS.lack_nouns


def _scope_passes(document: Document, word: Word, above: Word) -> bool:
    """Return True if a "not" at the word above also negates this one."""
    relation = word.relation
    if relation == "conj":
        joins = {w.lower for w in document.children(word, "cc")}
        is_alike = word.upos == above.upos and word.tag == above.tag
        return is_alike and not joins & {"but", "yet"} and not document.children(word, "nsubj", "aux", "cop")
    if relation == "amod":
        return _is_asserted(document, above)
    if relation == "advmod":
        return True
    if relation == "xcomp":
        return above.lemma in _LISTS.copular_verbs
    if relation == "ccomp":
        return above.lemma in _LISTS.opinion_verbs
    return relation == "obj" and _is_open(document, word)


def _is_asserted(document: Document, noun: Word) -> bool:
    """Return True if a noun phrase asserts something: "is a good film", "a good film.", "has good jokes"; not "the good film"."""
    if document.children(noun, "cop") or document.head(noun) is None or noun.lower == "nothing":
        return True
    if any_lower(document.children(noun, "det", "case"), ("no", "without")):
        return True
    return noun.relation in ("obj", "conj", "nsubj") and _is_open(document, noun)


def _is_open(document: Document, noun: Word) -> bool:
    determiners = document.children(noun, "det", "nmod:poss")
    return all(w.lower in ("a", "an", "any", "much", "many", "no") for w in determiners)
