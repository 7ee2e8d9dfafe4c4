"""What kind of words a model looks at: nouns, verbs, adjectives and adverbs, others (CoBA, section 3.2, Table 2).

    texts  ->  English analysis (`text.english`)  ->  part of speech of each top word  ->  shares by model

Names are nouns, "is" and "has" are verbs, as in the paper's tag set. English only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from longway.classify.importance.words import WordScores
from longway.text.document import Document
from longway.text.english import english

GROUPS = {
    "noun": ("NOUN", "PROPN"),
    "verb": ("VERB", "AUX"),
    "adjective or adverb": ("ADJ", "ADV"),
    "other": (),
}
_GROUP_OF = {tag: group for group, tags in GROUPS.items() for tag in tags}


def parts_of_speech(
    scores: Mapping[str, Sequence[WordScores]], texts: Sequence[str], *, k: int = 5
) -> dict[str, dict[str, float]]:
    """For each model, the share of each kind among its top k words. scores: by model, of these texts in this order."""
    documents = list(english().analyse_all(texts))
    return {name: _shares(of_model, documents, k) for name, of_model in scores.items()}


def _shares(scores: Sequence[WordScores], documents: Sequence[Document], k: int) -> dict[str, float]:
    found = Counter(
        group_of(document, one.spans[place])
        for one, document in zip(scores, documents, strict=True)
        for place in one.top_places(k)
    )
    total = sum(found.values()) or 1
    return {group: found[group] / total for group in GROUPS}


def group_of(document: Document, span: tuple[int, int]) -> str:
    """The kind of the word that covers most of a stretch of text; of equals the first."""
    start, end = span
    best, group = 0, "other"
    for word in document.words:
        shared = min(word.end, end) - max(word.start, start)
        if shared > best:
            best, group = shared, _GROUP_OF.get(word.upos, "other")
    return group
