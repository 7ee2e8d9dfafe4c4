"""The engine that needs no model: rules put a text differently, and say nothing where they are not sure.

    RulesEngine(seed=0)              writes; does not judge and has no vectors
    engine.prepare(prompts)          analyses many texts together, which is much faster than one by one

A text is analysed, every rule of `rules/` says what it could do, and up to three ways that do not get into each
other's way are combined. What takes away words that give the label away comes first; among equals the seed decides.
`Written.how` names the rules of each text ("negation.fail_to + words.synonym"); it begins with "label:" where the new
text says something else that has the same label (`Rewriting.keeps`). Questions about triples are answered by `rule_triples.py`.
A text of more than `LONGEST` words is not analysed and gets no other: the time that it takes grows faster than the text.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from longway.errors import MissingExtra, SettingError
from longway.llm.engine import Judged, Sampling, Usage, Written
from longway.llm.prompt import Prompt
from longway.llm.rule_triples import answer, is_about_triples, texts_to_read
from longway.rules import all_rewritings
from longway.rules.combine import Draft, choose, drafts
from longway.rules.reading import read, read_all
from longway.rules.rule import Scene
from longway.rules.words import wordnet_version
from longway.text.document import Document
from longway.text.english import English, english
from longway.text.tokens import is_longer_than

MOST_KEPT = 50_000  # analyses kept in memory
LONGEST = 1_500  # words and marks of a text that is analysed
RULES_FOLDER = Path(__file__).parents[1] / "rules"
TRIPLES_FOLDER = Path(__file__).parents[1] / "triples"


class RulesEngine:
    """Writes by rules.

    seed: decides among texts that are equally good. model: the pipeline that analyses (`text/english.py`).
    """

    name = "rules"
    can = frozenset({"write"})

    def __init__(self, seed: int = 0, *, model: str = "auto") -> None:
        if find_spec("lemminflect") is None:
            raise MissingExtra("lemminflect", extra="rules", purpose="Rewriting by rules")
        self.seed = seed
        self._english: English = english(model)
        self._documents: dict[str, Document] = {}

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything that shapes the answers: the rules and their word lists, the analysis, the seed."""
        return {
            "engine": self.name,
            "version": version("longway"),
            "rules": rules_version(),
            "pipeline": self._english.fingerprint,
            "wordnet": wordnet_version(),
            "seed": self.seed,
        }

    def prepare(self, prompts: Iterable[Prompt], *, processes: int = 1) -> None:
        """Analyse the texts of many prompts together; `write` finds them then."""
        asked = (text for prompt in prompts for text in _texts_of(prompt))
        texts = [
            text
            for text in dict.fromkeys(asked)
            if text not in self._documents and not is_longer_than(text, LONGEST)
        ]
        for document in read_all(self._english, texts, processes=processes):
            self._keep(document)

    async def write(self, prompt: Prompt, n: int, sampling: Sampling) -> Written:
        """Up to n different texts, the ones that take away the most telling words first."""
        started = time.perf_counter()
        if any(is_longer_than(text, LONGEST) for text in _texts_of(prompt)):
            return Written((), refusals=(f"longer than {LONGEST:,} words: too long for the rules",))
        if is_about_triples(prompt):
            written = answer(prompt, n, self._read, key=self._order(prompt.text, sampling))
            return replace(written, usage=Usage(cost=0.0, seconds=time.perf_counter() - started))
        scene = self._scene(prompt)
        found = drafts(scene, all_rewritings(scene), order=self._order(prompt.text, sampling))
        chosen = choose(found, n)
        return Written(
            texts=tuple(draft.text for draft in chosen),
            refusals=() if chosen else ("no rule applies to this text",),
            how=tuple(map(_how, chosen)),
            usage=Usage(cost=0.0, seconds=time.perf_counter() - started),
        )

    async def judge(self, prompt: Prompt, options: Sequence[str]) -> Judged:
        """No answer: rules cannot judge."""
        return Judged({}, refusal="the rules engine writes only; it cannot judge")

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Always an error: rules have no vectors."""
        raise SettingError(
            "The rules engine has no vectors. An engine that can embed was expected, got 'rules', which can write only. "
            "Choose another engine for embedding."
        )

    async def close(self) -> None:
        """Forget the analyses."""
        self._documents.clear()

    def _scene(self, prompt: Prompt) -> Scene:
        document = self._read(prompt.text)
        stance = prompt.task.stances.get(prompt.label) if prompt.label is not None else None
        telling = frozenset(pattern.lower() for pattern in prompt.avoid)
        return Scene(document, prompt.context, stance, telling)

    def _read(self, text: str) -> Document:
        document = self._documents.get(text)
        if document is None:
            document = read(self._english, text)
            self._keep(document)
        return document

    def _keep(self, document: Document) -> None:
        if len(self._documents) >= MOST_KEPT:
            del self._documents[next(iter(self._documents))]  # the oldest
        self._documents[document.text] = document

    def _order(self, text: str, sampling: Sampling) -> str:
        return f"{self.seed}\0{sampling.seed}\0{sampling.sample}\0{text}"


@cache
def rules_version() -> str:
    """A hash of the rules and their word lists: changes when one of them does."""
    digest = blake2b(digest_size=8)
    own = [Path(__file__), Path(__file__).with_name("rule_triples.py")]
    for path in sorted([*RULES_FOLDER.iterdir(), *TRIPLES_FOLDER.iterdir(), *own]):
        if path.is_file():
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _texts_of(prompt: Prompt) -> Sequence[str]:
    """The texts that must be analysed to answer a prompt."""
    return texts_to_read(prompt) if is_about_triples(prompt) else (prompt.text,)


def _how(draft: Draft) -> str:
    return ("label:" if draft.keeps == "label" else "") + " + ".join(draft.rules)
