"""The teacher: a pretrained encoder with a tagger and a graph-based parser on top, fine-tuned on the treebank.

    words of a sentence -> MiniLM (first piece of each word) + letter shapes -> BiLSTM -> tags | who depends on whom

It is far too big to ship; it labels plain texts, from which the small pipeline learns (`distil.py`, `english.py`). The parser is
the deep biaffine one of Dozat and Manning (2017). Several teachers with different seeds vote by averaging their probabilities.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from transformers import AutoModel

LAYERS = ("upos", "xpos", "feats")
SHAPES = 64
IGNORE = -100


@dataclass
class Labels:
    """The names behind the numbers of every layer, and of the relations."""

    names: dict[str, list[str]]

    @classmethod
    def of(cls, sentences: Sequence[list[dict[str, Any]]]) -> Labels:
        """All labels of the training part."""
        layers = (*LAYERS, "deprel")
        return cls({layer: sorted({word[layer] for s in sentences for word in s}) for layer in layers})

    def number(self, layer: str, name: str) -> int:
        """The number of a label, IGNORE for one that training never saw."""
        try:
            return self.names[layer].index(name)
        except ValueError:
            return IGNORE


def shape(word: str) -> int:
    """A small number for the letters' outline: capitals, digits, marks, length; the encoder sees lower case only."""
    first, rest = word[:1], word[1:]
    return (
        first.isupper() * 1
        + (any(c.isupper() for c in rest)) * 2
        + any(c.isdigit() for c in word) * 4
        + (not any(c.isalnum() for c in word)) * 8
        + (len(word) > 3) * 16
        + ("-" in rest or "." in rest) * 32
    )


class Teacher(nn.Module):
    """Encoder, BiLSTM, one softmax for each layer of tags, biaffine arcs and relations."""

    def __init__(
        self, encoder_folder: Path, labels: Labels, *, hidden: int = 400, arc: int = 500, rel: int = 128
    ) -> None:
        super().__init__()
        self.tokenizer = Tokenizer.from_file(str(encoder_folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(max_length=510)
        self.encoder = AutoModel.from_pretrained(encoder_folder, add_pooling_layer=False)
        width = self.encoder.config.hidden_size
        self.labels = labels
        self.mix = nn.Parameter(torch.zeros(self.encoder.config.num_hidden_layers + 1))
        self.shapes = nn.Embedding(SHAPES, 64)
        self.root = nn.Parameter(torch.randn(width + 64) * 0.02)
        self.lstm = nn.LSTM(
            width + 64, hidden, num_layers=2, batch_first=True, bidirectional=True, dropout=0.33
        )
        self.drop = nn.Dropout(0.33)
        self.tags = nn.ModuleDict(
            {layer: nn.Linear(2 * hidden, len(labels.names[layer])) for layer in LAYERS}
        )
        self.arc_head, self.arc_tail = _mlp(2 * hidden, arc), _mlp(2 * hidden, arc)
        self.rel_head, self.rel_tail = _mlp(2 * hidden, rel), _mlp(2 * hidden, rel)
        self.arc = nn.Parameter(torch.zeros(arc + 1, arc))
        self.rel = nn.Parameter(torch.zeros(len(labels.names["deprel"]), rel + 1, rel + 1))

    def forward(self, sentences: Sequence[Sequence[str]]) -> dict[str, Tensor]:
        """Scores: each layer (b, n, labels); arcs (b, n, n+1) over heads, 0 = root; relations (b, n, n+1, labels)."""
        device = self.root.device
        encoded = self.tokenizer.encode_batch([list(s) for s in sentences], is_pretokenized=True)
        ids = pad_sequence([torch.tensor(e.ids) for e in encoded], batch_first=True).to(device)
        mask = pad_sequence([torch.tensor(e.attention_mask) for e in encoded], batch_first=True).to(device)
        states = self.encoder(input_ids=ids, attention_mask=mask, output_hidden_states=True).hidden_states
        weights = self.mix.softmax(0)
        mixed = sum(w * s for w, s in zip(weights, states, strict=True))  # (b, pieces, width)
        firsts = pad_sequence(
            [torch.tensor(_first_pieces(e, len(s))) for e, s in zip(encoded, sentences, strict=True)],
            batch_first=True,
        )
        words = mixed.gather(1, firsts.to(device)[..., None].expand(-1, -1, mixed.size(-1)))  # (b, n, width)
        shapes = pad_sequence([torch.tensor([shape(w) for w in s]) for s in sentences], batch_first=True).to(
            device
        )
        words = torch.cat([words, self.shapes(shapes)], -1)
        words = torch.cat([self.root.expand(len(sentences), 1, -1), words], 1)  # (b, n+1, width)
        lengths = torch.tensor([len(s) + 1 for s in sentences])
        packed = pack_padded_sequence(self.drop(words), lengths, batch_first=True, enforce_sorted=False)
        h, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)  # (b, n+1, 2 hidden)
        h = self.drop(h)
        scores = {layer: head(h[:, 1:]) for layer, head in self.tags.items()}
        tail, head = _one(self.arc_tail(h[:, 1:])), self.arc_head(h)
        arcs = torch.einsum("bnx,xy,bmy->bnm", tail, self.arc, head)  # (b, n, n+1)
        inside = torch.arange(h.size(1))[None, :] < lengths[:, None]
        scores["arc"] = arcs.float().masked_fill(~inside[:, None, :].to(device), -1e4)
        rel_tail, rel_head = _one(self.rel_tail(h[:, 1:])), _one(self.rel_head(h))
        scores["rel"] = torch.einsum("bnx,lxy,bmy->bnml", rel_tail, self.rel, rel_head)
        return scores


def _mlp(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(nn.Linear(inputs, outputs), nn.LeakyReLU(0.1), nn.Dropout(0.33))


def _one(x: Tensor) -> Tensor:
    return torch.cat([x, torch.ones_like(x[..., :1])], -1)


def _first_pieces(encoded: Any, n: int) -> list[int]:
    places = [0] * n  # a word that the tokeniser dropped or cut off gets the state of [CLS]
    for piece, word in reversed(list(enumerate(encoded.word_ids))):
        if word is not None:
            places[word] = piece
    return places


def batches(
    sentences: Sequence[Any], size: int, *, chance: random.Random | None, length: Any = len
) -> Iterator[list[int]]:
    """Numbers of sentences of like length, about `size` words to a batch."""
    order = sorted(
        range(len(sentences)), key=lambda i: (length(sentences[i]), chance.random() if chance else i)
    )
    groups: list[list[int]] = [[]]
    for i in order:
        if groups[-1] and (len(groups[-1]) + 1) * length(sentences[i]) > size:
            groups.append([])
        groups[-1].append(i)
    if chance:
        chance.shuffle(groups)
    yield from groups


def train(
    encoder: Path,
    gold: list[list[dict[str, Any]]],
    dev: list[list[dict[str, Any]]],
    *,
    seed: int,
    epochs: int,
    device: str,
) -> Teacher:
    """A teacher fine-tuned on the gold sentences."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    model = Teacher(encoder, Labels.of(gold)).to(device)
    pretrained = list(model.encoder.parameters())
    fresh = [p for name, p in model.named_parameters() if not name.startswith("encoder.")]
    optimizer = torch.optim.AdamW(
        [{"params": pretrained, "lr": 1e-4}, {"params": fresh, "lr": 1e-3}],
        weight_decay=0.01,
        betas=(0.9, 0.98),
    )
    steps = epochs * sum(1 for _ in batches(gold, 1_600, chance=None))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min((s + 1) / 200, max(0.02, 0.5 * (1 + math.cos(math.pi * s / steps))))
    )
    for epoch in range(epochs):
        model.train()
        total, n = 0.0, 0
        for batch in batches(gold, 1_600, chance=chance):
            part = [gold[i] for i in batch]
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
                loss = _loss(model([[w["form"] for w in s] for s in part]), part, model.labels)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            schedule.step()
            total, n = total + loss.item(), n + 1
        if epoch % 5 == 4 or epoch == epochs - 1:
            print(
                f"teacher seed {seed} epoch {epoch + 1}: loss {total / n:.3f}, dev {accuracy([model], dev)}",
                flush=True,
            )
    return model


def _loss(scores: dict[str, Tensor], gold: list[list[dict[str, Any]]], labels: Labels) -> Tensor:
    device = scores["arc"].device

    def padded(values: list[list[int]]) -> Tensor:
        return pad_sequence([torch.tensor(v) for v in values], batch_first=True, padding_value=IGNORE).to(
            device
        )

    loss = torch.zeros((), device=device)
    for layer in LAYERS:
        target = padded([[labels.number(layer, w[layer]) for w in s] for s in gold])
        loss = loss + nn.functional.cross_entropy(
            scores[layer].float().flatten(0, 1), target.flatten(), ignore_index=IGNORE
        )
    heads = padded([[w["head"] for w in s] for s in gold])
    loss = loss + nn.functional.cross_entropy(
        scores["arc"].flatten(0, 1), heads.flatten(), ignore_index=IGNORE
    )
    rels = padded([[labels.number("deprel", w["deprel"]) for w in s] for s in gold])
    at_head = _at(scores["rel"], heads.clamp(min=0))
    return loss + nn.functional.cross_entropy(
        at_head.float().flatten(0, 1), rels.flatten(), ignore_index=IGNORE
    )


def _at(rel: Tensor, heads: Tensor) -> Tensor:
    index = heads[..., None, None].expand(-1, -1, 1, rel.size(-1))
    return rel.gather(2, index).squeeze(2)  # (b, n, labels)


@torch.no_grad()
def label(
    teachers: Sequence[Teacher], sentences: Sequence[Sequence[str]], *, size: int = 6_000
) -> list[dict[str, Any] | None]:
    """The teachers' common answer for each sentence: upos, xpos, feats, head, deprel; None where the heads are no tree."""
    labels = teachers[0].labels
    device = teachers[0].root.device.type
    answers: list[dict[str, Any] | None] = [None] * len(sentences)
    for teacher in teachers:
        teacher.eval()
    for batch in batches(sentences, size, chance=None):
        part = [sentences[i] for i in batch]
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            each = [teacher(part) for teacher in teachers]
        arcs = sum(scores["arc"].float().softmax(-1) for scores in each)
        heads = arcs.argmax(-1)  # type: ignore[union-attr]
        rels = sum(_at(scores["rel"], heads).float().softmax(-1) for scores in each).argmax(-1).tolist()  # type: ignore[union-attr]
        tags = {
            layer: sum(s[layer].float().softmax(-1) for s in each).argmax(-1).tolist() for layer in LAYERS
        }  # type: ignore[union-attr]
        sure = (arcs.max(-1).values / len(teachers)).tolist()  # type: ignore[union-attr]
        heads = heads.tolist()
        for row, i in enumerate(batch):
            n = len(sentences[i])
            if not is_tree(heads[row][:n]):
                continue
            answers[i] = {
                "head": heads[row][:n],
                "deprel": [labels.names["deprel"][r] for r in rels[row][:n]],
                "sure": min(sure[row][:n]),
                **{layer: [labels.names[layer][t] for t in tags[layer][row][:n]] for layer in LAYERS},
            }
    return answers


def is_tree(heads: Sequence[int]) -> bool:
    """True where exactly one word hangs on the root (0) and every word reaches it.

    >>> is_tree([2, 0, 2]), is_tree([2, 1, 0]), is_tree([0, 0])
    (True, False, False)
    """
    if sum(h == 0 for h in heads) != 1:
        return False
    for start in range(1, len(heads) + 1):
        word, steps = start, 0
        while word and steps <= len(heads):
            word, steps = heads[word - 1], steps + 1
        if word:
            return False
    return True


def accuracy(teachers: Sequence[Teacher], gold: list[list[dict[str, Any]]]) -> dict[str, float]:
    """Share of words with the right tag, head, head and relation; sentences without a tree count as wrong."""
    answers = label(teachers, [[w["form"] for w in s] for s in gold])
    n = sum(map(len, gold))
    right = dict.fromkeys([*LAYERS, "uas", "las", "trees"], 0)
    for sentence, answer in zip(gold, answers, strict=True):
        if answer is None:
            continue
        right["trees"] += len(sentence)
        for i, word in enumerate(sentence):
            for layer in LAYERS:
                right[layer] += answer[layer][i] == word[layer]
            attached = answer["head"][i] == word["head"]
            right["uas"] += attached
            right["las"] += attached and answer["deprel"][i] == word["deprel"]
    return {name: round(100 * value / n, 2) for name, value in right.items()}
