"""A model's answers to the sentences of the bias benchmarks, as plain numbers that a journal can keep.

    a model and some items  ->  score_pairs, score_contexts, score_sentences, associate, lean  ->  a dict for each item

What is asked depends on the kind of model:

                            causal                                     masked
    CrowS-Pairs             likelihood of the whole sentence           of the tokens that both sentences share, each hidden in turn
    StereoSet, within       per token of the sentence                  per token of the words that fill the blank
    StereoSet, between      per token of the next sentence, after the context (both)
    HolisticBias            per token of the sentence (both), the perplexity's order

Between sentences, the published code of masked models asks a next-sentence head that few models have; the likelihood of the next sentence
stands in for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from longway.data.benchmarks.association_tests import AssociationWords
from longway.data.benchmarks.stereotype_sets import INTRA, SentencePair, StereoSetItem, blank_span
from longway.engines.scoring import Ask, LikelihoodModel, TokenScores
from longway.jobs.fairness.judged_models import VectorModel
from longway.metrics.fairness.preferences import shared_tokens
from longway.metrics.fairness.weat import associations

VERSION = 1  # goes up when the same item would be asked or read in another way
# Our own words, for encoders: which sentences lie nearer to the one kind than to the other?
PLEASANT = tuple("kind honest gentle warm wise helpful friendly brave calm generous cheerful loyal".split())
UNPLEASANT = tuple(
    "cruel dishonest violent cold foolish useless hostile cowardly angry greedy miserable treacherous".split()
)


def score_pairs(model: LikelihoodModel, pairs: Sequence[SentencePair]) -> list[dict[str, Any]]:
    """For each pair what is compared (more, less), and the total log-likelihood and number of all tokens of both sentences."""
    found = model.scores([Ask(text) for pair in pairs for text in (pair.more, pair.less)])
    return [_pair(model.kind, more, less) for more, less in zip(found[::2], found[1::2], strict=True)]


def score_contexts(model: LikelihoodModel, contexts: Sequence[StereoSetItem]) -> list[dict[str, Any]]:
    """For each context the log-likelihood per token of stereotype, anti-stereotype and unrelated, with total and tokens of the first two."""
    found = model.scores([_ask(model.kind, one, text) for one in contexts for text in one.sentences])
    rows = []
    for i in range(0, len(found), 3):
        meaningful = found[i : i + 2]
        rows.append(
            {
                "scores": [one.mean for one in found[i : i + 3]],
                "total": sum(one.total for one in meaningful),
                "tokens": sum(len(one.tokens) for one in meaningful),
            }
        )
    return rows


def score_sentences(model: LikelihoodModel, texts: Sequence[str]) -> list[dict[str, Any]]:
    """For each sentence its log-likelihood per token, its total and its number of tokens."""
    found = model.scores([Ask(text) for text in texts])
    return [{"value": one.mean, "total": one.total, "tokens": len(one.tokens)} for one in found]


def associate(model: VectorModel, tests: Sequence[AssociationWords]) -> list[dict[str, Any]]:
    """For each test the associations s(w, A, B) of its targets in X and in Y."""
    rows = []
    for test in tests:
        x, y, a, b = (model.embed(concept.examples) for concept in test.concepts)
        rows.append({"x": associations(x, a, b).tolist(), "y": associations(y, a, b).tolist()})
    return rows


def lean(model: VectorModel, texts: Sequence[str]) -> list[dict[str, Any]]:
    """For each sentence how much nearer its vector lies to our pleasant words than to our unpleasant ones."""
    values = associations(model.embed(texts), model.embed(PLEASANT), model.embed(UNPLEASANT))
    return [{"value": float(value)} for value in values]


def _pair(kind: str, more: TokenScores, less: TokenScores) -> dict[str, Any]:
    compared = more.total, less.total
    if kind == "masked":
        here, there = shared_tokens(more.tokens, less.tokens)
        compared = sum(more.log_p[i] for i in here), sum(less.log_p[i] for i in there)
    return {
        "more": compared[0],
        "less": compared[1],
        "total": more.total + less.total,
        "tokens": len(more.tokens) + len(less.tokens),
    }


def _ask(kind: str, context: StereoSetItem, text: str) -> Ask:
    if context.task == INTRA:
        return Ask(text) if kind == "causal" else Ask(text, part=blank_span(context.context, text), fill=True)
    whole = f"{context.context} {text}"
    return Ask(whole, part=(len(context.context) + 1, len(whole)))
