"""Scenes of a few sentences written by hand, for the rules of person chains."""

from __future__ import annotations

from dataclasses import replace

from longway.english.document import Document
from longway.english.people.chains import build_discourse
from longway.english.people.discourse import AntecedentPair, Discourse, PronounContext
from tests.english.handmade import document_of


def text_of(*sentences: str) -> Document:
    """A document of several sentences, each written as for `document_of`."""
    text, words, bounds = "", [], []
    for annotated in sentences:
        part = document_of(annotated)
        base, offset = len(words), len(text)
        for word in part.words:
            place = {"index": word.index + base, "head": word.head + base}
            words.append(replace(word, start=word.start + offset, end=word.end + offset, **place))
        bounds.append((base, len(words)))
        text += part.text + " "
    return Document(text.rstrip(), tuple(words), tuple(bounds))


def scene_of(*sentences: str) -> Discourse:
    """The scene of some sentences, people put together, pronouns open."""
    return build_discourse(text_of(*sentences))


def mention(scene: Discourse, words: str):
    """The first mention that reads like this."""
    return next(m for m in scene.mentions if words == " ".join(w.text for w in scene.words[m.start : m.end]))


def pair(scene: Discourse, pronoun: str, person: str, **options) -> AntecedentPair:
    """A pronoun of the scene and somebody it may stand for."""
    return AntecedentPair(
        PronounContext(scene, mention(scene, pronoun)), scene.owner(mention(scene, person)), **options
    )
