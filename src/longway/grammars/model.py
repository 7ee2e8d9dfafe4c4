"""Neural grammars: small networks that compute the probability of every rule.

    p(S -> a)    ~ exp(f1(v_S) . u_a)            S: the start; a: any symbol
    p(a -> b c)  ~ exp(f2(v_a) . u_bc)           a: a nonterminal; b, c: any symbols
    p(a -> w)    ~ exp(f3(v_a) . u_w)            a: a preterminal of a sentence grammar

A pair grammar writes a word in the first text, in the second, or in both. A preterminal first picks
the kind of leaf, then the first text's word, then the second's (appendix A of the paper):

    p(a -> wa/wb) = p(kind | a) p(wa | a, kind) p(wb | a, kind, wa)
    p(kind | a)  ~ exp(f3(v_ak) . u_kind)        kinds: copy, word/word, word/ε, ε/word
    p(wa | ...)  ~ exp(f4(v_aa) . u_wa)          1 if the first word is ε
    p(wb | ...)  ~ exp(f5(v_ab + v_wa) . u_wb)   1 if the second word is ε or the copy of the first;
                                                 in word/word it is any word except wa

Two unknown words are copies of each other, because the grammar sees the same word [UNK]. f1 to f5 are
networks of two residual layers (Kim et al. 2019); v and u are learned vectors of `dimension` numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from longway.grammars.chart import Rules
from longway.grammars.device import gpu_kernels

COPY, CHANGE, GONE, NEW = range(4)  # kinds of leaves
Distinct = tuple[
    tuple[Tensor, Tensor], ...
]  # for each text: its distinct words, and the index of each word among them
_CHUNK = 1 << 27  # logits computed at once
_FEW = 1 << 24  # logits that are kept for the backward pass on a CPU


class _Residual(nn.Module):
    """A linear layer and two residual ones."""

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.first = nn.Linear(dimension, dimension)
        self.layers = nn.ModuleList(
            nn.Sequential(
                nn.Linear(dimension, dimension), nn.ReLU(), nn.Linear(dimension, dimension), nn.ReLU()
            )
            for _ in range(2)
        )

    def forward(self, vectors: Tensor) -> Tensor:
        return self._later(self.first(vectors))

    def of_sums(self, vectors: Tensor, others: Tensor) -> Tensor:
        """The network of every sum of an other vector and a vector, [other, vector, d]; the linear layer sees each vector once."""
        return self._later(self.first(vectors) + (others @ self.first.weight.T).unsqueeze(1))

    def _later(self, vectors: Tensor) -> Tensor:
        for layer in self.layers:
            vectors = layer(vectors) + vectors
        return vectors


class NeuralGrammar(nn.Module, ABC):
    """Base class: the start and the binary rules."""

    kind: str

    def __init__(self, *, nonterminals: int, preterminals: int, dimension: int, words: int) -> None:
        super().__init__()
        self.sizes = {
            "nonterminals": nonterminals, "preterminals": preterminals, "dimension": dimension, "words": words,
        }  # fmt: skip
        symbols = nonterminals + preterminals
        self.start = nn.Parameter(torch.empty(1, dimension))
        self.start_net = _Residual(dimension)
        self.start_to = nn.Parameter(torch.empty(symbols, dimension))
        self.whole = nn.Parameter(torch.empty(nonterminals, dimension))
        self.whole_net = _Residual(dimension)
        self.parts = nn.Parameter(torch.empty(symbols * symbols, dimension))

    def initialise(self) -> None:
        """Initialize the weights: Xavier for matrices, unit normal for the vectors of symbols."""
        for name, weight in self.named_parameters():
            if name in ("start", "whole", "writes", "kind_of", "first_of", "second_of"):
                nn.init.normal_(weight)
            elif weight.dim() > 1:
                nn.init.xavier_uniform_(weight)

    def rules(self) -> Rules:
        """Log probabilities of the start and of the binary rules."""
        symbols = self.start_to.shape[0]
        root = (self.start_net(self.start) @ self.start_to.T).squeeze(0).log_softmax(-1)
        binary = (self.whole_net(self.whole) @ self.parts.T).log_softmax(-1)
        return Rules(root, binary.unflatten(-1, (symbols, symbols)))

    @abstractmethod
    def leaves(self, first: Tensor, second: Tensor, distinct: Distinct | None = None) -> Tensor:
        """Log probabilities of all leaves of a batch, [batch, leaf, preterminal], as `chart.prepare` takes them.

        distinct: for both texts the distinct words and the index of each word among them, if known.
        """


class SentenceGrammar(NeuralGrammar):
    """A grammar of single sentences (PCFG)."""

    kind = "sentence"

    def __init__(self, *, nonterminals: int, preterminals: int, dimension: int, words: int) -> None:
        super().__init__(
            nonterminals=nonterminals, preterminals=preterminals, dimension=dimension, words=words
        )
        self.writes = nn.Parameter(torch.empty(preterminals, dimension))
        self.writes_net = _Residual(dimension)
        self.word = nn.Parameter(torch.empty(words, dimension))
        self.initialise()

    def leaves(self, first: Tensor, second: Tensor, distinct: Distinct | None = None) -> Tensor:
        """[batch, n, preterminal]: every word is a leaf."""
        logs = (self.writes_net(self.writes) @ self.word.T).log_softmax(-1)
        return logs.T[first]


class PairGrammar(NeuralGrammar):
    """A grammar that writes two texts at once (synchronous PCFG)."""

    kind = "pair"

    def __init__(self, *, nonterminals: int, preterminals: int, dimension: int, words: int) -> None:
        super().__init__(
            nonterminals=nonterminals, preterminals=preterminals, dimension=dimension, words=words
        )
        self.kind_of = nn.Parameter(torch.empty(preterminals, dimension))
        self.kind_net = _Residual(dimension)
        self.kinds = nn.Parameter(torch.empty(4, dimension))
        self.first_of = nn.Parameter(torch.empty(preterminals, dimension))
        self.first_net = _Residual(dimension)
        self.first_word = nn.Parameter(torch.empty(words, dimension))
        self.second_of = nn.Parameter(torch.empty(preterminals, dimension))
        self.given_word = nn.Parameter(torch.empty(words + 1, dimension))  # the last: ε
        self.second_net = _Residual(dimension)
        self.second_word = nn.Parameter(torch.empty(words, dimension))
        self.initialise()

    def leaves(self, first: Tensor, second: Tensor, distinct: Distinct | None = None) -> Tensor:
        """All (word, ε), then (ε, word), then (word, word), each for every position of the other text."""
        n, m = first.shape[1], second.shape[1]
        kinds = (self.kind_net(self.kind_of) @ self.kinds.T).log_softmax(-1).T  # [kind, P]
        # [batch, n, P]
        of_first = (self.first_net(self.first_of) @ self.first_word.T).log_softmax(-1).T[first]
        if distinct is None:
            distinct = tuple(words.unique(return_inverse=True) for words in (first, second))
        of_second, when_new = self._second(*distinct)
        gone = kinds[GONE] + of_first
        new = kinds[NEW] + when_new
        copied = (first.unsqueeze(2) == second.unsqueeze(1)).unsqueeze(-1)  # [batch, n, m, 1]
        both = of_first.unsqueeze(2) + torch.where(copied, kinds[COPY], kinds[CHANGE] + of_second)
        return torch.cat(
            [
                gone.unsqueeze(2).expand(-1, -1, m + 1, -1).flatten(1, 2),
                new.unsqueeze(1).expand(-1, n + 1, -1, -1).flatten(1, 2),
                both.flatten(1, 2),
            ],
            1,
        )

    def _second(self, first: tuple[Tensor, Tensor], second: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        """Log probabilities of the second word after each first one [batch, n, m, P], and after ε [batch, m, P]."""
        (given, given_at), (asked, asked_at) = first, second
        given = torch.nn.functional.pad(given, (0, 1), value=self.given_word.shape[0] - 1)  # and ε
        hidden = self.second_net.of_sums(self.second_of, self.given_word[given])  # [given, P, d]
        totals = log_totals(hidden.flatten(0, 1), self.second_word, given.repeat_interleave(hidden.shape[1]))
        logits = hidden @ self.second_word[asked].T  # [given, P, asked]
        logs = (logits - totals.view(hidden.shape[:2]).unsqueeze(-1)).transpose(1, 2)  # [given, asked, P]
        where = given_at.unsqueeze(2) * len(asked) + asked_at.unsqueeze(1)
        of_second = logs.flatten(0, 1).index_select(0, where.flatten()).view(*where.shape, hidden.shape[1])
        return of_second, logs[-1].index_select(0, asked_at.flatten()).view(*asked_at.shape, hidden.shape[1])


class _LogTotals(torch.autograd.Function):
    """log sum exp(hidden @ words), a few rows at a time; the logits are recomputed in the backward pass unless they are few."""

    @staticmethod
    def forward(ctx: Any, hidden: Tensor, words: Tensor, without: Tensor) -> Tensor:
        if not hidden.is_cuda and len(hidden) * len(words) <= _FEW:
            ctx.logits = _left_out_(_logits(hidden, words), without)
            totals = ctx.logits.logsumexp(-1)
        else:
            ctx.logits = None
            found = [_totals(_logits(part, words), out) for part, out in _portions(words, hidden, without)]
            totals = torch.cat(found)
        ctx.save_for_backward(hidden, words, without, totals)
        return totals

    @staticmethod
    def backward(ctx: Any, *given: Tensor) -> tuple[Tensor, Tensor, None]:
        hidden, words, without, totals = ctx.saved_tensors
        if ctx.logits is not None:
            share = (ctx.logits - totals.unsqueeze(1)).exp_().mul_(given[0].unsqueeze(1))
            return share @ words, share.T @ hidden, None
        to_words = torch.zeros_like(words)
        to_hidden = []
        for part, out, total, grad in _portions(words, hidden, without, totals, given[0]):
            share = _shares_(_logits(part, words), out, total, grad)
            with _quick_products(words):
                to_hidden.append(share @ words)
                to_words.addmm_(share.T, part)
        return torch.cat(to_hidden), to_words, None


def log_totals(hidden: Tensor, words: Tensor, without: Tensor) -> Tensor:
    """For each row of `hidden` the log of the sum over all words except one of exp(hidden . word).

    without: the id of the word that each row leaves out; an id past the last word leaves out none.
    """
    return _LogTotals.apply(hidden, words, without)


def _portions(words: Tensor, *rows: Tensor) -> list[tuple[Tensor, ...]]:
    size = max(1, _CHUNK // len(words))
    return list(zip(*(each.split(size) for each in rows), strict=True))


def _logits(hidden: Tensor, words: Tensor) -> Tensor:
    with _quick_products(words):
        return hidden @ words.T


def _totals(logits: Tensor, without: Tensor) -> Tensor:
    if logits.is_cuda and (gpu := gpu_kernels()) is not None:
        return gpu.log_totals(logits, without)
    return _left_out_(logits, without).logsumexp(-1)


def _shares_(logits: Tensor, without: Tensor, totals: Tensor, given: Tensor) -> Tensor:
    if logits.is_cuda and (gpu := gpu_kernels()) is not None:
        return gpu.shares_(logits, without, totals, given)
    return _left_out_(logits, without).sub_(totals.unsqueeze(1)).exp_().mul_(given.unsqueeze(1))


def _left_out_(logits: Tensor, without: Tensor) -> Tensor:
    rows = (without < logits.shape[1]).nonzero().squeeze(1)
    logits[rows, without[rows]] = -torch.inf
    return logits


@contextmanager
def _quick_products(like: Tensor) -> Iterator[None]:
    """On a GPU, compute products of 32-bit numbers as TF32, only here: factors are rounded to 10 bits of mantissa instead of 23.

    Each term of a logit is then off by up to 2^-10 of itself, in either direction, so most of the error cancels in the sum of
    `dimension` terms, and again in the sum over all words. With logits of 20, as after training, about 2e-5 of a text's log
    probability remains (measured on a CPU; tests/grammar/test_kernels.py allows 1e-4 on a GPU). The words of a text keep their
    full 32-bit logits, and the chart's products are TF32 in three parts (`gpu/layout.py`).
    """
    if not like.is_cuda:
        yield
        return
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = True
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before


GRAMMARS: dict[str, type[SentenceGrammar | PairGrammar]] = {"sentence": SentenceGrammar, "pair": PairGrammar}
