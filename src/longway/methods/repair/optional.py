"""Which words of an analysed English text can be left out."""

from __future__ import annotations

from longway.english.document import Document, Word
from longway.english.listed_words import listed_words
from longway.english.negation_words import WEAK_RESTRICTIONS, is_negation
from longway.english.opposites import sentiment_mentions
from longway.english.wordnet import senses
from longway.methods.eda import STOP_WORDS

NEEDED = listed_words(__name__)["needed"] | WEAK_RESTRICTIONS
# How a phrase that can be left out depends on the rest.
LOOSE = frozenset(["advmod", "discourse", "parataxis", "obl", "advcl", "nmod", "fixed", "dep", "vocative"])
_ADVERBIAL = frozenset(["advmod", "discourse"])
_ATTRACTED = LOOSE | {"punct", "conj", "cc", "mark"}
_JOINTS = frozenset(["ADP", "SCONJ", "CCONJ", "PUNCT"])
_INTRODUCING = frozenset(["case", "det", "nummod", "fixed"])
_AMOUNTS = frozenset("much many more less little few".split())
_DEGREES = frozenset("so too as how more most less least that".split())
CLOSED = frozenset(["ADP", "SCONJ", "CCONJ", "DET", "PRON", "AUX", "PART", "NUM"])
_MODIFIED = frozenset(["VERB", "ADJ", "AUX", "ADV", "NOUN"])


def is_closed(document: Document, start: int, end: int, *, strict: bool = True) -> bool:
    """Whether the words of a stretch depend on the rest as something optional, and no word outside depends on them.

    strict: False if modifiers outside may depend on them: an aside in the middle of a sentence often attracts what follows it.
    """
    inside = document.words_between(start, end)
    indices = {word.index for word in inside}
    if not inside or any(_is_needed_outside(word, indices) for word in inside):
        return False
    children = (child for word in inside for child in document.children(word))
    free = _ATTRACTED if not strict else frozenset(["punct"])
    return all(child.relation in free for child in children if child.index not in indices)


def introduces(document: Document, start: int, end: int) -> bool:
    """Whether words of a stretch belong to a word behind it: "at all" in "at all costs", "in a" in "in a way"."""
    inside = document.words_between(start, end)
    if not inside:
        return False
    last = inside[-1].index
    heads = [word.head for word in inside if word.head > last and word.relation in _INTRODUCING]
    between = document.words[last + 1 : min(heads, default=last)]
    return bool(heads) and not any(word.upos in _JOINTS for word in between)


def is_adverb_only(word: str) -> bool:
    """Whether a word is known as an adverb and as nothing else: "forthwith", "nonetheless"; not "well", "back"."""
    if word in NEEDED or word in STOP_WORDS:
        return False
    return bool(senses(word, "ADV")) and not any(senses(word, upos) for upos in ("NOUN", "VERB", "ADJ"))


def may_be_adverb(document: Document, word: Word) -> bool:
    """Whether a word is known as an adverb only, and may be left out although the analysis attaches it in another way."""
    return word.upos not in CLOSED and is_adverb_only(word.lower) and not _matters(document, word)


def is_optional_adverb(document: Document, word: Word) -> bool:
    """Whether a word is an adverb or interjection that the sentence does not need: "frankly", "incredibly"; not "only", "here"."""
    if word.upos not in ("ADV", "INTJ") or word.relation not in _ADVERBIAL or _matters(document, word):
        return False
    if word.upos == "INTJ" and not _opens(document, word):
        return False  # "and yeah, it works"
    above = document.head(word)
    return above is not None and above.upos in _MODIFIED and is_closed(document, word.start, word.end)


def _matters(document: Document, word: Word) -> bool:
    """Whether an adverb changes what is said: it limits, compares or judges, is denied, or belongs to a word beside it."""
    if word.lower in NEEDED or word.tag in ("WRB", "RBR", "RBS", "RP") or is_negation(word.lower):
        return True
    before, above = document.before(word), document.head(word)
    if before is not None and (is_negation(before.lower) or before.lower in _DEGREES):
        return True  # "not really", "so incredibly"
    if above is not None:
        if above.lower in _AMOUNTS:
            return True  # "pretty much", "any more"
        denied = (other for other in document.children(above) if is_negation(other.lower))
        if any(other.index < word.index < above.index for other in denied):
            return True  # "did not completely fail"
    return _is_joined(document, word) or has_sentiment(document, word.start, word.end)


def _opens(document: Document, word: Word) -> bool:
    """Whether a word begins a sentence, or stands between two commas."""
    before, after = document.before(word), document.after(word)
    is_first = word.index == document.sentence_of(word)[0].index
    is_between = before is not None and after is not None and before.text == after.text == ","
    return is_first or is_between


def has_sentiment(document: Document, start: int, end: int) -> bool:
    """Whether a stretch has a word that judges."""
    words = document.words_between(start, end)
    if not words:
        return False
    first, last = words[0].index, words[-1].index
    return any(mention.first <= last and mention.last >= first for mention in sentiment_mentions(document))


def has_names_or_numbers(document: Document, start: int, end: int) -> bool:
    """Whether a stretch has a name or a number."""
    words = document.words_between(start, end)
    return any(word.upos in ("PROPN", "NUM") or any(c.isdigit() for c in word.text) for word in words)


def _is_needed_outside(word: Word, indices: set[int]) -> bool:
    """Whether a word depends on a word outside, but not as something optional."""
    if word.head in indices and word.head != word.index:
        return False
    return word.relation not in LOOSE or word.head == word.index or word.dep == "obl:unmarked"


def _is_joined(document: Document, word: Word) -> bool:
    """Whether a word is part of a list of words: "slowly and carefully", "well-made"."""
    around = document.text[max(0, word.start - 1) : word.start] + document.text[word.end : word.end + 1]
    return "-" in around or bool(document.children(word, "conj", "cc"))
