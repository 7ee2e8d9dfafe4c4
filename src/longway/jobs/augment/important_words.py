"""Which words of each row are principal and which spurious, and what that says about the models (CoBA, sections 3.2 and 3.3.2).

    rows -> an ensemble of classifiers -> top words of each -> a vote -> Important for each row
                                                            -> overlap (Table 1), parts of speech (Table 2)

`from_engine` lets an engine name the words instead (the paper's "LLM-identification").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from longway.classify.classifier import Inputs, Labelled
from longway.classify.ensemble import Ensemble
from longway.classify.importance import WordScores
from longway.classify.importance.top_words import overlap, parts_of_speech
from longway.engines.engine import Sampling
from longway.engines.line_answers import read_identified
from longway.engines.prompt import identify_prompt
from longway.errors import MissingExtra
from longway.methods.additions import Ask
from longway.methods.coba.structured import Refused, ask_structured
from longway.methods.coba.words import Important, vote, votes_needed
from longway.methods.method import Rows
from longway.metrics.versions import WordInformation, compare_word_information
from longway.records import Example
from longway.tokens.tokenizer import tokenize

LOOKED_AT = 500  # texts whose words the tables compare
WORDS_SHOWN = 200  # spurious words that are followed, the commonest
AT_ONCE = 64
Remember = Callable[[str, Callable[[], dict[str, Any]]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Words:
    """The important words of each row. tables: what the report shows of how they were found."""

    important: list[Important]
    tables: dict[str, Any]


def labelled(rows: Rows) -> Labelled:
    """The rows as classifiers take them."""
    return Labelled(Inputs(list(rows.texts), rows.contexts), [rows.label(i) for i in range(len(rows))])


def by_models(
    rows: Rows,
    ensemble: Ensemble,
    *,
    k: int = 5,
    method: str = "ig",
    samples: int | None = None,
    votes: int | None = None,
    given: Iterable[str] = (),
    remember: Remember = lambda name, make: make(),
    step: Callable[[str], object] = lambda name: None,
    progress: Callable[[int, int], object] = lambda done, of: None,
) -> Words:
    """The vote of an ensemble's models over each row's words.

    k: words of each model. method: ig, lime or shapley. votes, given: see `vote`. remember: keeps what one model says.
    step: called with the model whose turn it is. progress: called with the rows it has explained and all rows.
    """
    needed = votes_needed(len(ensemble.names)) if votes is None else votes
    tops: list[list[list[str]]] = []  # by model, by row
    scores: dict[str, list[WordScores]] = {}
    shown = np.sort(np.random.default_rng(ensemble.seed).permutation(len(rows))[:LOOKED_AT]).tolist()
    for number, name in enumerate(ensemble.names, 1):
        step(f"finding the words that matter: {name}, model {number} of {len(ensemble.names)}")
        done = 0

        def advance(more: int) -> None:
            nonlocal done
            done += more
            progress(done, len(rows))

        make = partial(_one_model, ensemble, name, k, method, samples, shown, advance)
        found = remember(f"words {name}", make)
        tops.append(found["top"])
        scores[name] = [
            _scores(rows.texts[row], places) for row, places in zip(shown, found["places"], strict=True)
        ]
    known = [word for phrase in given for word in tokenize(phrase)]
    important = [
        vote(each, votes=needed, given=known, words=tokenize(text) if known else ())
        for text, each in zip(rows.texts, zip(*tops, strict=True), strict=True)
    ]
    return Words(
        important, _tables(ensemble.names, scores, [rows.texts[row] for row in shown], important, k, needed)
    )


def from_engine(rows: Rows, ask: Ask, *, k: int = 5, given: Iterable[str] = (), seed: int = 0) -> Words:
    """The words that an engine names as deciding and as merely going along; rows without a usable answer have none."""
    known = {word for phrase in given for word in tokenize(phrase)}
    important: list[Important] = []
    refusals: Counter[str] = Counter()
    for start in range(0, len(rows), AT_ONCE):
        part = range(start, min(start + AT_ONCE, len(rows)))
        prompts = [
            identify_prompt(rows.task, rows.texts[row], label=rows.label(row), k=k, context=rows.context(row))
            for row in part
        ]
        samplings = [Sampling(temperature=0.0, seed=seed)] * len(prompts)
        for row, found in zip(
            part, ask_structured(ask, prompts, samplings, [read_identified] * len(prompts)), strict=True
        ):
            there = set(tokenize(rows.texts[row]))
            if isinstance(found, Refused):
                refusals[found.reason] += 1
                found = (), ()
            principal, spurious = (
                [word.lower() for word in words if word.lower() in there] for words in found
            )
            spurious += sorted(known & there - set(spurious))
            important.append(Important(tuple(w for w in principal if w not in known), tuple(spurious)))
    return Words(important, {"models": [], "votes": None, "k": k, "refusals": dict(refusals.most_common())})


def words_before_and_after(
    rows: Rows, added: Sequence[Example], important: Sequence[Important]
) -> list[WordInformation]:
    """What the spurious words told about the label, and tell now: the commonest ones, those that told most first."""
    counts = Counter(word for each in important for word in each.spurious)
    words = [word for word, _ in counts.most_common(WORDS_SHOWN)]
    labels = [rows.label(row) for row in range(len(rows))]
    texts = [*rows.texts, *(example.text for example in added)]
    return compare_word_information(
        words, (rows.texts, labels), (texts, [*labels, *(e.label for e in added)])
    )


def _one_model(
    ensemble: Ensemble,
    name: str,
    k: int,
    method: str,
    samples: int | None,
    shown: Sequence[int],
    advance: Callable[[int], object],
) -> dict[str, Any]:
    """What one model looks at, as plain JSON values: the top words of each row, and their places in some."""
    scores = ensemble.word_scores(name, method=method, samples=samples, progress=advance)
    return {
        "top": [one.top(k) for one in scores],
        "places": [scores[row].top_places(k) for row in shown],
    }


def _scores(text: str, places: Sequence[int]) -> WordScores:
    """Scores with the same top words, as the tables need them."""
    from longway.classify.importance.word_scores import MaskableText as Cut

    words = Cut.of(text)
    values = np.zeros(len(words))
    values[list(places)] = np.arange(len(places), 0, -1)
    return WordScores(words.words, words.spans, values, "")


def _tables(
    names: Sequence[str],
    scores: dict[str, list[WordScores]],
    texts: Sequence[str],
    important: Sequence[Important],
    k: int,
    needed: int,
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "models": list(names),
        "votes": needed,
        "k": k,
        "texts": len(texts),
        "overlap": overlap(scores, k=k).to_dict() if len(names) > 1 else None,
        "principal_words": float(np.mean([len(one.principal) for one in important])) if important else 0.0,
        "spurious_words": float(np.mean([len(one.spurious) for one in important])) if important else 0.0,
    }
    try:
        found["parts_of_speech"] = parts_of_speech(scores, texts, k=k)
    except MissingExtra as error:
        found["parts_of_speech"], found["no_parts_of_speech"] = None, str(error)
    return found
