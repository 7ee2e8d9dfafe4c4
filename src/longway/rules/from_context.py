"""Another claim about the same thing, drawn from what the context says of it: a true one, or a false one.

    context        "Mira Sol (born 4 May 1959) is a Peruvian painter who ..."
    entails        "Mira Sol is a Peruvian painter.", "Mira Sol was born in 1959."
    contradicts    "Mira Sol is a Norwegian painter.", "Mira Sol was born in 1947."

This is what RAZOR asks of a language model: a new claim from the same evidence, with the same label. True claims repeat the
context; false ones change one thing in what it says, to something that excludes it. Both kinds look alike, which is the
point. The context must open a sentence with a name that the claim has (`context_openings.py`); what counts as
said of it is in `context_facts.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b

from longway.rules.context_facts import facts
from longway.rules.context_kinds import Statement
from longway.rules.context_openings import openings
from longway.rules.rule import Rewriting, Scene
from longway.rules.sister_classes import sister_classes
from longway.rules.stretches import in_names
from longway.text.articles import article_before
from longway.text.changes import Change
from longway.text.document import Document

MOST = 3  # false claims made of one statement
LAST_YEAR = 2016  # of those that are made up


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """Other claims that have the same label, about the first of the text's names of which the context tells something."""
    if scene.context is None or len(scene.document.sentences) != 1:
        return
    for name in _names(scene.document):
        found = list(_claims(scene, scene.context, name))
        if found:
            whole = len(scene.document.text)
            yield from (Rewriting(rule, (Change(0, whole, text),), keeps="label") for rule, text in found)
            return


def _claims(scene: Scene, context: str, name: str) -> Iterator[tuple[str, str]]:
    """The rule and the text of each claim about a name, no text twice."""
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
                for other in _others(scene, fact):
                    yield f"from_context.other_{fact.kind}", f"{fact.before}{other}{fact.after}"


def _names(document: Document) -> Iterator[str]:
    """The names of a claim, in order; brackets behind them belong to them."""
    names = in_names(document)
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


def _others(scene: Scene, statement: Statement) -> list[str]:
    """What excludes the statement's value and stands neither in the context nor in the claim; others for each text."""
    if "(" in statement.before and statement.kind in ("year", "work", "profession"):
        return []  # "The Gate (1984 film)" says it in its name
    told = f"{scene.context} {scene.document.text}"
    if statement.kind == "year":
        year = int(statement.value)
        given = [str(y) for y in range(year - 30, min(year + 31, LAST_YEAR + 1)) if abs(y - year) > 2]
    else:
        given = [
            term.text
            for one in sister_classes()
            if one.name == statement.kind
            for term in one.given
            if not any(re.search(rf"\b{re.escape(alias)}", told) for alias in term.aliases)
        ]
    free = [
        term
        for term in given
        if not re.search(rf"\b{re.escape(term.removeprefix('the '))}", told, re.IGNORECASE)
    ]
    key = f"{scene.document.text}\0{statement.text}\0"
    return sorted(free, key=lambda term: blake2b((key + term).encode(), digest_size=8).digest())[:MOST]


def _with_articles(text: str) -> str:
    """The text with the "a" of "is a" as the next word asks for it."""
    return re.sub(
        r"\b(is|was|are|were) an? (\S+)",
        lambda found: f"{found[1]} {article_before(found[2])} {found[2]}",
        text,
        count=1,
    )
