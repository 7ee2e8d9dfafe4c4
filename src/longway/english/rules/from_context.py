"""Another claim about the same thing, drawn from the context: a true or a false one. Family: from_context.

    context        "Mira Sol (born 4 May 1959) is a Peruvian painter who ..."
    entails        "Mira Sol is a Peruvian painter.", "Mira Sol was born in 1959."
    contradicts    "Mira Sol is a Norwegian painter.", "Mira Sol was born in 1947."

RAZOR asks a language model for the same: a new claim from the same evidence with the same label. True claims repeat the
context; false ones replace one value by another that excludes it. Both look alike, so the form does not predict the
label. The context must have a sentence that starts with a name of the claim (`context_facts.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b

from longway.english.articles import article_before
from longway.english.document import Change, Document
from longway.english.rules.context_facts import ContextFact, facts, openings
from longway.english.rules.rule import Rephrasing, Rephrasings, Scene
from longway.english.rules.sisters import sister_classes
from longway.english.rules.spans import name_indices

MAX_FALSE_CLAIMS = 3  # per fact
LAST_YEAR = 2016  # for new years


def from_context(scene: Scene) -> Rephrasings:
    """Yield claims with the same label about the first name of the text that the context describes."""
    if scene.context is None or len(scene.document.sentences) != 1:
        return
    for name in _names(scene.document):
        claims = list(_claims(scene, scene.context, name))
        if claims:
            whole = len(scene.document.text)
            yield from (Rephrasing(rule, (Change(0, whole, text),), keeps="label") for rule, text in claims)
            return


def _claims(scene: Scene, context: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the rule and text of each distinct claim about a name."""
    seen = {scene.document.text}
    for rule, statement in _statements(scene, context, name):
        text = _with_articles(statement)
        text = text if text.endswith(".") else f"{text}."
        if text not in seen:
            seen.add(text)
            yield rule, text


def _statements(scene: Scene, context: str, name: str) -> Iterator[tuple[str, str]]:
    for opening in openings(context, name):
        for fact in facts(opening):
            if fact.value in name:
                continue
            if scene.stance == "entails":
                yield f"from_context.{fact.rule}", fact.text
            elif scene.stance == "contradicts":
                for other in _false_values(scene, fact):
                    yield f"from_context.other_{fact.kind}", f"{fact.before}{other}{fact.after}"


def _names(document: Document) -> Iterator[str]:
    """Yield the names in a claim, in order, with brackets after them."""
    names = name_indices(document)
    first = 0
    while first < len(document.words):
        last = first
        while last in names:
            last += 1
        before = document.words[first - 1].text if first else ""
        is_cut = before == "I" or (first > 1 and before[:1].isupper())  # the end of "I Love Lima"
        if last > first and not is_cut:
            words = document.words[first:last]
            name = document.text[words[0].start : words[-1].end]
            if 2 < len(name) < 60 and not name.endswith(("'s", "’s", ",")):
                yield name
            if words[-1].text in ("'s", "’s") and len(words) > 1:
                yield document.text[words[0].start : words[-2].end]
        first = last + 1


def _false_values(scene: Scene, fact: ContextFact) -> list[str]:
    """Return values that exclude the fact's value and are not in the context or claim; they depend on the text."""
    if "(" in fact.before and fact.kind in ("year", "work", "profession"):
        return []  # "The Gate (1984 film)" has it in its name
    known_text = f"{scene.context} {scene.document.text}"
    if fact.kind == "year":
        year = int(fact.value)
        candidates = [str(y) for y in range(year - 30, min(year + 31, LAST_YEAR + 1)) if abs(y - year) > 2]
    else:
        candidates = [
            term.text
            for sister_class in sister_classes()
            if sister_class.name == fact.kind
            for term in sister_class.replacements
            if not any(re.search(rf"\b{re.escape(alias)}", known_text) for alias in term.aliases)
        ]
    unused = [
        term
        for term in candidates
        if not re.search(rf"\b{re.escape(term.removeprefix('the '))}", known_text, re.IGNORECASE)
    ]
    key = f"{scene.document.text}\0{fact.text}\0"
    return sorted(unused, key=lambda term: blake2b((key + term).encode(), digest_size=8).digest())[
        :MAX_FALSE_CLAIMS
    ]


def _with_articles(text: str) -> str:
    """Return the text with the right article after "is"."""
    return re.sub(
        r"\b(is|was|are|were) an? (\S+)",
        lambda match: f"{match[1]} {article_before(match[2])} {match[2]}",
        text,
        count=1,
    )
