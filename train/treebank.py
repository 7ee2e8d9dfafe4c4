"""A treebank in CoNLL-U as spaCy documents: what `train/english.py` learns from.

    FILE.conllu.gz  ->  sentences with their words and offsets  ->  spaCy Docs of a few sentences each

A multi-word token ("don't" = do + n't) is written with its parts, which together spell it; so every
word has a place in the text. Sentences of one paragraph are joined, because a pipeline that only ever
saw single sentences never learns where one ends.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import conllu
from spacy.tokens import Doc
from spacy.vocab import Vocab

Sentence = list[dict[str, Any]]  # words: form, lemma, upos, xpos, feats, head (0 = root), deprel, space_after


def sentences(path: Path) -> Iterator[tuple[str, Sentence]]:
    """(paragraph key, words) for each sentence of a file; paragraphs are numbered through the file."""
    paragraph = 0
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for tokens in conllu.parse_incr(file):
            if {"newpar", "newdoc", "newpar id", "newdoc id"} & set(tokens.metadata):
                paragraph += 1
            yield str(paragraph), list(_words(tokens))


def _words(tokens: conllu.TokenList) -> Iterator[dict[str, Any]]:
    inside, space_after_group, last = False, True, 0
    for token in tokens:
        space = (token["misc"] or {}).get("SpaceAfter") != "No"
        if isinstance(token["id"], tuple):
            if token["id"][1] == "-":  # a multi-word token: its parts follow without spaces between them
                inside, last, space_after_group = True, token["id"][2], space
            continue  # an empty node (8.1) is not in the text
        if inside:
            space = space_after_group if token["id"] == last else False
            inside = token["id"] != last
        yield {
            "form": token["form"].replace(" ", "\u00a0"),  # a few numbers are written "1 000": one word here
            "lemma": token["lemma"] if token["lemma"] != "_" or token["form"] == "_" else token["form"],
            "upos": token["upos"],
            "xpos": token["xpos"],
            "feats": "|".join(f"{name}={value}" for name, value in sorted((token["feats"] or {}).items())),
            "head": token["head"],
            "deprel": token["deprel"],
            "space_after": space,
        }


def documents(path: Path, vocab: Vocab, *, longest: int = 8) -> Iterator[Doc]:
    """The file as Docs of at most `longest` sentences of one paragraph."""
    for _, group in groupby(sentences(path), key=lambda pair: pair[0]):
        paragraph = [words for _, words in group]
        for first in range(0, len(paragraph), longest):
            yield document(paragraph[first : first + longest], vocab)


def document(parts: Iterable[Sentence], vocab: Vocab) -> Doc:
    """One Doc of the given sentences, with everything a pipeline can be taught."""
    words: list[dict[str, Any]] = []
    heads: list[int] = []
    starts: list[bool] = []
    for sentence in parts:
        base = len(words)
        for i, word in enumerate(sentence):
            heads.append(base + (word["head"] - 1 if word["head"] else i))
            starts.append(i == 0)
        words.extend(sentence)
    doc = Doc(
        vocab,
        words=[w["form"] for w in words],
        spaces=[w["space_after"] for w in words],
        lemmas=[w["lemma"] for w in words],
        pos=[w["upos"] for w in words],
        tags=[w["xpos"] for w in words],
        morphs=[w["feats"] for w in words],
        heads=heads,
        deps=["ROOT" if w["head"] == 0 else w["deprel"] for w in words],
    )
    assert [token.is_sent_start for token in doc] == starts  # heads decide: a broken tree would show here
    return doc
