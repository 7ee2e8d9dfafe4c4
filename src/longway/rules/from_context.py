"""Another claim about the same thing, drawn from what the context says of it: a true one, or a false one.

    context        "Mira Sol (born 4 May 1959) is a Peruvian painter who ..."
    entails        "Mira Sol is a Peruvian painter.", "Mira Sol was born in 1959."
    contradicts    "Mira Sol is a Norwegian painter.", "Mira Sol was born in 1947."

This is what RAZOR asks of a language model: a new claim from the same evidence, with the same label. True claims repeat the
context; false ones change one thing in what it says, to something that excludes it. Both kinds look alike, which is the
point. The context must be about the claim's subject, by name and at the start of a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from longway.rules.rule import Rewriting, Scene
from longway.rules.sister_classes import sister_classes
from longway.rules.stretches import in_names
from longway.text.articles import article_before
from longway.text.changes import Change
from longway.text.document import Document

MOST = 3  # false claims made of one statement
_BRACKETS = re.compile(r"-LSB-.*?-RSB-|-LRB-.*?-RRB-|\([^()]*\)|\[[^\[\]]*\]")
_QUOTES = re.compile(r"``|''|[\"“”]")
_YEAR = re.compile(r"\b(?:1[5-9]\d\d|20[01]\d)\b")
_IS_A = re.compile(
    r"(is|was) an? ((?:[\w-]+ ){0,6}?)([a-z][a-z-]+)(?= (?:who|that|which|by|from|in|of|for|and|best|based|known)\b| \w+ed\b|,|\.|$| written| starring)"
)
_BORN = re.compile(
    r"\bborn (?:[\w .]*? )?(?:on )?(?:[A-Z][a-z]+ \d{1,2} ?, ?|\d{1,2} [A-Z][a-z]+ )?(\d{4})\b"
)
_RELEASED = re.compile(
    r"\bwas (released|published|founded|established)(?: [\w-]+){0,3}? (?:on|in) [A-Za-z0-9 ,]*?\b(1[5-9]\d\d|20[01]\d)\b"
)
# What these say of their noun is taken back, or hangs on something that would be left out.
_UNSAFE = frozenset(
    "former fictional fictitious alleged possible proposed planned upcoming future late retired ex first second third last "
    "only same other one such series set part member type kind form number group pair piece line version edition "
    "adaptation sequel prequel spin-off remake subsidiary division branch result example term name word variety list "
    "side lot total half person".split()
)
_PLAIN = re.compile(r"[A-Za-z][A-Za-z-]*|\d{4}")


@dataclass(frozen=True, slots=True)
class Statement:
    """What the context says of the subject: the words around what can be something else, and that."""

    rule: str
    before: str
    value: str
    after: str
    kind: str

    @property
    def text(self) -> str:
        """The statement as the context has it."""
        return f"{self.before}{self.value}{self.after}"


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """Other claims about the text's subject that have the same label."""
    subject = _subject(scene.document)
    if scene.context is None or scene.stance not in ("entails", "contradicts") or subject is None:
        return
    seen = {scene.document.text.rstrip(". ")}
    for statement in _statements(scene.context, subject):
        if scene.stance == "entails":
            made = [(f"from_context.{statement.rule}", statement.text)]
        else:
            made = [
                (f"from_context.other_{statement.kind}", f"{statement.before}{other}{statement.after}")
                for other in _others(scene, statement)
            ]
        for rule, text in made:
            text = _with_articles(text)
            if text not in seen:
                seen.add(text)
                yield Rewriting(rule, (Change(0, len(scene.document.text), f"{text}."),), keeps="label")


def _subject(document: Document) -> str | None:
    """The name that a claim of one sentence opens with, None where it opens with something else."""
    if len(document.sentences) != 1 or not document.words:
        return None
    names = in_names(document)
    end = 0
    while end < len(document.words) and end in names:
        end += 1
    if end in (0, len(document.words)) or document.words[end].lower not in _VERBS:
        return None
    name = document.text[: document.words[end - 1].end]
    return name if 2 < len(name) < 60 else None


_VERBS = frozenset(
    "is was are were has had did does do can could cannot will would never only exclusively rarely always won stars starred "
    "features featured directed wrote played plays appeared died came began refused failed lacks received released".split()
)


def _statements(context: str, subject: str) -> Iterator[Statement]:
    """What the context says of the subject, each statement once."""
    bare = re.sub(r" \([^()]*\)$", "", subject)
    for sentence in re.split(r" \. |\.\s|\.$| \.$", context):
        plain = _plain(sentence)
        if not plain.startswith(f"{bare} ") and not plain.startswith(f"{bare}, "):
            continue
        rest = plain[len(bare) :].lstrip(" ,")
        if (born := _BORN.search(_QUOTES.sub("", sentence))) and rest.startswith(("is ", "was ")):
            yield Statement("born", f"{subject} was born in ", born[1], "", "year")
        if found := _IS_A.match(rest):
            yield from _is_a(subject, found)
        if found := _RELEASED.search(plain):
            yield Statement(found[1], f"{subject} was {found[1]} in ", found[2], "", "year")


def _plain(sentence: str) -> str:
    """The sentence without brackets and quotes, and with the spaces that people write."""
    text = _QUOTES.sub("", _BRACKETS.sub(" ", _BRACKETS.sub(" ", sentence)))
    return re.sub(r"\s+", " ", re.sub(r"\s+([,;:])", r"\1", text)).strip()


def _is_a(subject: str, found: re.Match[str]) -> Iterator[Statement]:
    """ "X is a 2013 American film" and the same without the year; one statement for each thing that can be another."""
    verb, words, noun = found[1], found[2].split(), found[3]
    if noun in _UNSAFE or not all(_PLAIN.fullmatch(w) and w.lower() not in _UNSAFE for w in words):
        return
    nations = _class("nationality")
    without_year = [w for w in words if not _YEAR.fullmatch(w)]
    for modifiers in (words, without_year) if without_year != words else (words,):
        for place, word in enumerate(modifiers):
            kind = "year" if _YEAR.fullmatch(word) else "nationality" if word in nations else ""
            if kind:
                before = " ".join([subject, verb, "a", *modifiers[:place], ""])
                yield Statement("is_a", before, word, " " + " ".join([*modifiers[place + 1 :], noun]), kind)
        last = [w for w in modifiers if w in nations or _YEAR.fullmatch(w)]
        kind = next((name for name in ("work", "profession") if noun in _class(name)), "nothing_known")
        yield Statement("is_a", " ".join([subject, verb, "a", *last, ""]), noun, "", kind)
    yield Statement("is_a", " ".join([subject, verb, "a", *words, ""]), noun, "", "nothing_known")


def _others(scene: Scene, statement: Statement) -> list[str]:
    """What excludes the statement's value and stands neither in the context nor in the claim; others for each text."""
    told = f"{scene.context} {scene.document.text}"
    if statement.kind == "year":
        year = int(statement.value)
        given = [str(y) for y in range(year - 30, min(year + 31, 2017)) if abs(y - year) > 2]
    else:
        given = [
            term.text
            for one in sister_classes()
            if one.name == statement.kind
            for term in one.given
            if not any(re.search(rf"\b{re.escape(alias)}", told) for alias in term.aliases)
        ]
    free = [term for term in given if not re.search(rf"\b{re.escape(term)}", told, re.IGNORECASE)]
    key = f"{scene.document.text}\0{statement.text}\0"
    return sorted(free, key=lambda term: blake2b((key + term).encode(), digest_size=8).digest())[:MOST]


def _class(name: str) -> frozenset[str]:
    return frozenset(term.text for one in sister_classes() if one.name == name for term in one.terms)


def _with_articles(text: str) -> str:
    """The text with the "a" of "is a" as the next word asks for it."""
    return re.sub(
        r"\b(is|was) an? (\S+)",
        lambda found: f"{found[1]} {article_before(found[2])} {found[2]}",
        text,
        count=1,
    )
