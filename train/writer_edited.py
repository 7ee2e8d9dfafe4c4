"""Rows for the job "edit", from texts that people wrote: a part that a sentence can do without is cut out.

    put words in     the shorter sentence, and words of the part   ->  the sentence as it was written
    lengthen         the shorter sentence, and its length before   ->  the sentence as it was written
    shorten          the sentence, and fewer words                 ->  the shorter sentence

So the writer learns to put in what a person had put there. Parts are adverbs, adjectives, phrases with a preposition, asides.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence

from longway.engines.writer_lines import edit_lines
from longway.english.articles import with_articles
from longway.english.document import Change, Document, Word, apply_changes
from longway.english.negation_words import COMMON_DENIALS, count_denials
from longway.english.pipeline import load_pipeline
from writer_data import Row

LOOSE = frozenset({"advmod", "amod", "discourse", "appos", "acl", "advcl", "parataxis"})
NEEDED_AFTER = frozenset({"obj", "obl", "xcomp", "ccomp", "advmod"})  # one of these must stay behind a verb
LONGEST_PART, SHORTEST_REST = 10, 3  # words
LONGEST_PUT_IN = 3  # words of the part that are named
_WORDS = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def edited(texts: Iterable[str], source: str, seed: int = 0) -> Iterator[Row]:
    """For each text one row of each kind, with parts drawn at random."""
    chance = random.Random(seed)
    for document in load_pipeline().analyse_all(texts):
        found = [(part, rest) for part in removable(document) if (rest := without(document, part))]
        if not found:
            continue
        part, rest = chance.choice(found)
        text, n_before, n_after = document.text, len(document.text.split()), len(rest.split())
        phrase, place = some_words(document, part, chance)
        if phrase:
            yield Row("edit", f"put_in_{source}", edit_lines(rest, include=phrase, place=place), text)
        if n_before - n_after > 1:
            yield Row(
                "edit",
                f"longer_{source}",
                edit_lines(rest, least=n_before - chance.randrange(2)),
                text,
            )
            most = n_after + chance.randrange(min(3, n_before - n_after))
            yield Row("edit", f"shorter_{source}", edit_lines(text, most=most), rest)


def removable(document: Document) -> list[Sequence[Word]]:
    """Parts of a text that stand together and that the rest can do without."""
    found = []
    for word in document:
        if not _is_loose(document, word):
            continue
        part = sorted([word, *_below(document, word)], key=lambda one: one.index)
        is_together = part[-1].index - part[0].index == len(part) - 1
        denies = count_denials([one.lower for one in part], COMMON_DENIALS)
        if is_together and len(part) <= LONGEST_PART and not denies and _WORDS.search(word.text):
            found.append(part)
    return found


def without(document: Document, part: Sequence[Word]) -> str:
    """The text without a part, commas around it and what no longer fits before it; nothing where too little is left."""
    text, start, end = document.text, part[0].start, part[-1].end
    before, after = text[:start].rstrip(), text[end:]
    if after.lstrip().startswith(",") and (not before or before.endswith(",")):
        end = text.index(",", end) + 1
    elif before.endswith(",") and re.match(r"\s*[.!?]?\s*$", after):
        start = len(before) - 1
    if start == 0:
        end += len(text[end:]) - len(text[end:].lstrip())
    else:
        start = len(text[:start].rstrip())
    changes = with_articles(document, Change(start, end, ""))
    rest = apply_changes(text, changes).strip()
    if text[:1].isupper() and rest:
        rest = rest[0].upper() + rest[1:]
    words = _WORDS.findall(rest)
    is_whole = len(words) >= SHORTEST_REST and not rest.startswith((",", ";", ":", "-", "."))
    return rest if is_whole and "  " not in rest else ""


def some_words(document: Document, part: Sequence[Word], chance: random.Random) -> tuple[str, str]:
    """Some neighbouring words of a part, in lower case, and whether they open or close the text."""
    words = [one for one in part if _WORDS.fullmatch(one.text)]
    if not words:
        return "", ""
    n = chance.randint(1, min(LONGEST_PUT_IN, len(words)))
    first = chance.randrange(len(words) - n + 1)
    chosen = words[first : first + n]
    if chosen[-1].index - chosen[0].index != n - 1:
        return "", ""
    ends = [one.index for one in document if _WORDS.search(one.text)]
    place = "first" if chosen[0].index == ends[0] else "last" if chosen[-1].index == ends[-1] else ""
    return " ".join(one.lower for one in chosen), place if chance.random() < 0.7 else ""


def _is_loose(document: Document, word: Word) -> bool:
    cases, head = document.children(word, "case"), document.head(word)
    if word.relation == "obl" and cases and head is not None:
        return len([one for one in document.children(head) if one.relation in NEEDED_AFTER]) > 1
    if word.dep == "nmod" and cases:
        return cases[0].lower != "of"
    return word.relation in LOOSE


def _below(document: Document, word: Word) -> Iterator[Word]:
    for child in document.children(word):
        yield child
        yield from _below(document, child)
