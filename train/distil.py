"""spaCy's word vectors learned in torch: the same network, number for number, trained where there is a GPU.

    Docs with the teacher's labels -> hash rows of each word -> Tok2Vec (torch) -> tags, arcs, relations -> loss
    weights in the order of spaCy's own layers -> `put_into` a pipeline's tok2vec

spaCy trains on one processor; millions of words would take it hours. So the part that all components share learns here, and spaCy
goes on from there with its own parser on top. `Tok2Vec` is spaCy's MultiHashEmbed + MaxoutWindowEncoder; the tests hold the two
side by side. The heads on top (softmaxes, a small biaffine parser) only serve training and are thrown away.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import NumpyOps
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

LAYERS = ("pos", "tag", "morph")
FIRST_SEED = 8  # spaCy gives its hash tables the seeds 8, 9, ...
IGNORE = -100


class Maxout(nn.Module):
    """thinc's Maxout followed by its LayerNorm."""

    def __init__(self, inputs: int, outputs: int, pieces: int = 3) -> None:
        super().__init__()
        self.W = nn.Parameter(
            torch.empty(outputs, pieces, inputs).uniform_(-1, 1) * math.sqrt(6 / (inputs + outputs))
        )
        self.b = nn.Parameter(torch.zeros(outputs, pieces))
        self.norm = nn.LayerNorm(outputs, eps=1e-8)

    def forward(self, x: Tensor) -> Tensor:
        """(n, inputs) to (n, outputs)."""
        outputs, pieces, inputs = self.W.shape
        y = nn.functional.linear(x, self.W.reshape(outputs * pieces, inputs)) + self.b.reshape(-1)
        return self.norm(y.view(-1, outputs, pieces).amax(-1))


class Tok2Vec(nn.Module):
    """spaCy's MultiHashEmbed and MaxoutWindowEncoder with a window of one word."""

    def __init__(self, width: int, depth: int, rows: Sequence[int]) -> None:
        super().__init__()
        self.tables = nn.ParameterList([torch.empty(n, width).uniform_(-0.1, 0.1) for n in rows])
        self.embed = Maxout(width * len(rows), width)
        self.layers = nn.ModuleList([Maxout(3 * width, width) for _ in range(depth)])

    def forward(self, keys: Tensor, places: Tensor, *, dropout: float = 0.0) -> Tensor:
        """Vectors of all words of a batch.

        keys: (n words, tables, 4) rows of the hash tables.
        places: (n words,) where each word stands in the flat batch, which has `depth` empty places around each document.
        """
        parts = [table[keys[:, i]].sum(1) for i, table in enumerate(self.tables)]
        x = _drop(self.embed(torch.cat(parts, -1)), dropout)  # (n, width)
        flat = x.new_zeros(int(places[-1]) + 1 + len(self.layers), x.size(-1))
        flat = flat.index_copy(0, places, x)
        for layer in self.layers:
            window = torch.cat(
                [nn.functional.pad(flat[:-1], (0, 0, 1, 0)), flat, nn.functional.pad(flat[1:], (0, 0, 0, 1))],
                -1,
            )
            flat = flat + _drop(layer(window), dropout)
        return flat[places]

    def arrays(self) -> list[NDArray[np.float32]]:
        """The weights in the order in which spaCy's layers are walked."""
        found = [*self.tables]
        for maxout in (self.embed, *self.layers):
            found += [maxout.W, maxout.b, maxout.norm.weight, maxout.norm.bias]
        return [p.detach().float().cpu().numpy() for p in found]


def _drop(x: Tensor, rate: float) -> Tensor:
    return nn.functional.dropout(x, rate) if rate else x


def put_into(nlp: Language, arrays: Sequence[NDArray[np.float32]]) -> None:
    """Set the weights of a pipeline's tok2vec."""
    waiting = list(arrays)
    names = {"hashembed": ("E",), "maxout": ("W", "b"), "layernorm": ("G", "b")}
    for node in nlp.get_pipe("tok2vec").model.walk():
        for name in names.get(node.name, ()):
            array = waiting.pop(0)
            assert node.get_param(name).shape == array.shape, (
                node.name,
                name,
                node.get_param(name).shape,
                array.shape,
            )
            node.set_param(name, node.ops.asarray(array))
    assert not waiting


class Data:
    """Documents as tensors: hash rows of every word, labels, and where documents and sentences begin."""

    def __init__(
        self,
        docs: Sequence[Doc],
        *,
        attrs: Sequence[str],
        rows: Sequence[int],
        labels: dict[str, list[str]] | None = None,
    ) -> None:
        words = np.concatenate([doc.to_array(list(attrs)) for doc in docs])  # (words, attrs) of 64-bit hashes
        self.unique: list[NDArray[np.int64]] = []
        indices = []
        for i, n_rows in enumerate(rows):
            values, index = np.unique(words[:, i], return_inverse=True)
            hashed = NumpyOps().hash(values.astype("uint64"), FIRST_SEED + i) % n_rows
            self.unique.append(hashed.astype(np.int64))
            indices.append(index.astype(np.int64))
        self.index = np.stack(indices, 1)  # (words, attrs) into `unique`
        self.doc_starts = np.cumsum([0, *(len(doc) for doc in docs)])
        self.labels = labels or {
            "pos": sorted({t.pos_ for d in docs for t in d}),
            "tag": sorted({t.tag_ for d in docs for t in d}),
            "morph": sorted({str(t.morph) for d in docs for t in d}),
            "dep": sorted({t.dep_ for d in docs for t in d}),
        }
        number = {layer: {name: i for i, name in enumerate(names)} for layer, names in self.labels.items()}
        flat = [t for doc in docs for t in doc]
        self.targets = {
            "pos": np.array([number["pos"].get(t.pos_, IGNORE) for t in flat]),
            "tag": np.array([number["tag"].get(t.tag_, IGNORE) for t in flat]),
            "morph": np.array([number["morph"].get(str(t.morph), IGNORE) for t in flat]),
            "dep": np.array([number["dep"].get(t.dep_, IGNORE) for t in flat]),
        }
        starts = [(d, s.start, s.end) for d, doc in enumerate(docs) for s in doc.sents]
        self.sentences = np.array([(d, self.doc_starts[d] + a, self.doc_starts[d] + b) for d, a, b in starts])
        self.first_sentence = np.searchsorted(self.sentences[:, 0], np.arange(len(docs) + 1))
        sentence_start = np.repeat(self.sentences[:, 1], self.sentences[:, 2] - self.sentences[:, 1])
        heads = np.array([self.doc_starts[d] + t.head.i for d, doc in enumerate(docs) for t in doc])
        own = np.arange(len(heads))
        self.targets["head"] = np.where(
            heads == own, 0, heads - sentence_start + 1
        )  # inside the sentence; 0 = root

    def batches(self, size: int, chance: random.Random) -> list[list[int]]:
        """Numbers of documents, about `size` words together."""
        order = list(range(len(self.doc_starts) - 1))
        chance.shuffle(order)
        groups: list[list[int]] = [[]]
        n = 0
        for d in order:
            groups[-1].append(d)
            n += int(self.doc_starts[d + 1] - self.doc_starts[d])
            if n >= size:
                groups.append([])
                n = 0
        return [g for g in groups if g]


class Student(nn.Module):
    """Tok2Vec with the heads that teach it."""

    def __init__(self, tok2vec: Tok2Vec, labels: dict[str, list[str]], width: int) -> None:
        super().__init__()
        self.tok2vec = tok2vec
        self.tags = nn.ModuleDict({layer: nn.Linear(width, len(labels[layer])) for layer in LAYERS})
        self.root = nn.Parameter(torch.zeros(width))
        self.arc_tail, self.arc_head = nn.Linear(width, 256), nn.Linear(width, 256)
        self.rel_tail, self.rel_head = nn.Linear(width, 96), nn.Linear(width, 96)
        self.arc = nn.Parameter(torch.zeros(257, 256))
        self.rel = nn.Parameter(torch.zeros(len(labels["dep"]), 97, 97))

    def losses(
        self, data: Data, batch: Sequence[int], unique: Sequence[Tensor], *, dropout: float
    ) -> dict[str, tuple[Tensor, float]]:
        """For each task its loss and its accuracy on a batch of documents."""
        device, depth = self.root.device, len(self.tok2vec.layers)
        spans = [(int(data.doc_starts[d]), int(data.doc_starts[d + 1])) for d in batch]
        words = np.concatenate([np.arange(a, b) for a, b in spans])
        places, place = [], 0
        for a, b in spans:
            place += depth
            places.append(np.arange(place, place + b - a))
            place += b - a
        index = torch.from_numpy(data.index[words]).to(device)
        keys = torch.stack([u[index[:, i]] for i, u in enumerate(unique)], 1)
        x = self.tok2vec(
            keys, torch.from_numpy(np.concatenate(places)).to(device), dropout=dropout
        )  # (n, width)
        target = {name: torch.from_numpy(values[words]).to(device) for name, values in data.targets.items()}
        found = {layer: _loss(head(x), target[layer]) for layer, head in self.tags.items()}

        new_place = np.cumsum([0, *(b - a for a, b in spans)])
        sentences = [
            (int(s) - a + int(base), int(e) - a + int(base))
            for (a, _), base, d in zip(spans, new_place, batch, strict=False)
            for _, s, e in data.sentences[data.first_sentence[d] : data.first_sentence[d + 1]]
        ]
        sentences = [(s, e) for s, e in sentences if e - s <= 120]
        at = pad_sequence([torch.arange(s, e) for s, e in sentences], batch_first=True, padding_value=-1).to(
            device
        )
        inside = at >= 0
        h = x[at.clamp(min=0)]  # (b, m, width)
        h = torch.cat([self.root.expand(len(sentences), 1, -1), h], 1)
        head = torch.where(inside, target["head"][at.clamp(min=0)], IGNORE)
        rel = torch.where(inside, target["dep"][at.clamp(min=0)], IGNORE)
        scores = torch.einsum(
            "bnx,xy,bmy->bnm", _one(_act(self.arc_tail(h[:, 1:]))), self.arc, _act(self.arc_head(h))
        )
        allowed = torch.cat([torch.ones_like(inside[:, :1]), inside], 1)
        found["arc"] = _loss(
            scores.float().masked_fill(~allowed[:, None, :], -1e4).flatten(0, 1), head.flatten()
        )
        rel_heads = _act(self.rel_head(h)).gather(1, head.clamp(min=0)[..., None].expand(-1, -1, 96))
        rels = torch.einsum(
            "bnx,lxy,bny->bnl", _one(_act(self.rel_tail(h[:, 1:]))), self.rel, _one(rel_heads)
        )
        found["rel"] = _loss(rels.flatten(0, 1), rel.flatten())
        return found


def _act(x: Tensor) -> Tensor:
    return nn.functional.leaky_relu(x, 0.1)


def _one(x: Tensor) -> Tensor:
    return torch.cat([x, torch.ones_like(x[..., :1])], -1)


def _loss(scores: Tensor, target: Tensor) -> tuple[Tensor, float]:
    known = target != IGNORE
    right = (scores.detach().argmax(-1) == target)[known].float().mean().item() if known.any() else 0.0
    return nn.functional.cross_entropy(scores.float(), target, ignore_index=IGNORE), right


def train(gold: Sequence[Doc], silver: Sequence[Doc], dev: Sequence[Doc], *, attrs: Sequence[str], width: int, depth: int, rows: Sequence[int],
          seed: int, steps: int, device: str, gold_share: float = 0.25, size: int = 6_000) -> list[NDArray[np.float32]]:  # fmt: skip
    """The weights of a tok2vec that learned from the teacher's labels and the treebank's."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    labels = Data([*gold], attrs=attrs, rows=rows).labels
    parts = {
        name: Data(docs, attrs=attrs, rows=rows, labels=labels)
        for name, docs in (("gold", gold), ("silver", silver), ("dev", dev))
    }
    unique = {name: [torch.from_numpy(u).to(device) for u in data.unique] for name, data in parts.items()}
    model = Student(Tok2Vec(width, depth, rows), labels, width).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min((s + 1) / 300, max(0.02, 0.5 * (1 + math.cos(math.pi * s / steps))))
    )
    queues: dict[str, list[list[int]]] = {"gold": [], "silver": []}
    for step in range(steps):
        part = "gold" if chance.random() < gold_share else "silver"
        if not queues[part]:
            queues[part] = parts[part].batches(size, chance)
        model.train()
        found = model.losses(parts[part], queues[part].pop(), unique[part], dropout=0.1)
        loss = sum(value for value, _ in found.values())
        optimizer.zero_grad()
        loss.backward()  # type: ignore[union-attr]
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        schedule.step()
        if step % 500 == 499 or step == steps - 1:
            model.eval()
            with torch.no_grad():
                all_dev = model.losses(parts["dev"], range(len(dev)), unique["dev"], dropout=0.0)
            print(
                f"tok2vec {width}x{depth} step {step + 1}: {part} "
                + ", ".join(f"{k} {100 * a:.2f}" for k, (_, a) in all_dev.items()),
                flush=True,
            )
    return model.tok2vec.arrays()
