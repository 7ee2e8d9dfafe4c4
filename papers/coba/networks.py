"""Networks that `tables.py` trains itself, for Tables 5 and 8: language models pretrained further, and models that write texts.

    pretrained("hf:NAME", texts, folder)    the model after an epoch over the texts, saved for `longway fairness`
    bleu_of("tiny", train, test)            BLEU-4 of a network that learned to write the second text of a pair from the first

"tiny" is an encoder-decoder from scratch, others are names or folders of
Hugging Face models: BERT and T5, as in the paper, where they can be had. Needs torch.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from longway.methods.perturb.networks import Network
from longway.metrics.bleu import corpus_bleu

sys.path.append(str(Path(__file__).resolve().parents[1] / "perturbation"))

BATCH, MAX_TOKENS, MASKED = 8, 256, 0.15
PRETRAINING_RATE, WRITING_RATE, TINY_RATE = 5e-5, 1e-4, 2e-3  # the paper has the first, for classifiers
Pair = tuple[str, str]


def learn(
    model: Any, losses: Callable[[Sequence[int]], Any], n: int, *, epochs: int, rate: float, seed: int
) -> None:
    """Train with AdamW. losses: the mean loss over the rows of these numbers."""
    import torch

    torch.manual_seed(seed)
    order, optimizer = np.random.default_rng(seed), torch.optim.AdamW(model.parameters(), lr=rate)
    model.train()
    for _ in range(epochs):
        places = order.permutation(n).tolist()
        for start in range(0, n, BATCH):
            optimizer.zero_grad()
            losses(places[start : start + BATCH]).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    model.eval()


# Table 5


def pretrained(name: str, texts: Sequence[str], folder: Path, *, device: str = "auto", seed: int = 0) -> None:
    """Train a language model on texts for one epoch, causal or with masked words as it is, and save it in the folder."""
    network = language_network(name, device=device)
    masked = type(network.model).__name__.endswith("ForMaskedLM")
    tokens = [network.tokenizer(text, truncation=True, max_length=MAX_TOKENS)["input_ids"] for text in texts]
    draws = np.random.default_rng(seed)

    def losses(places: Sequence[int]) -> Any:
        read, mask = network.padded([tokens[place] for place in places])
        if masked:
            read, labels = hidden(read, mask, network.tokenizer, draws)
        else:
            labels = read.masked_fill(mask == 0, -100)
        return network.model(input_ids=read, attention_mask=mask, labels=labels).loss

    learn(network.model, losses, len(tokens), epochs=1, rate=PRETRAINING_RATE, seed=seed)
    network.model.save_pretrained(folder)
    network.tokenizer.save_pretrained(folder)


def hidden(read: Any, mask: Any, tokenizer: Any, draws: np.random.Generator) -> tuple[Any, Any]:
    """Tokens with 15% of a text's own ones masked, at least one of the batch, and the labels: only what was masked is learned."""
    import torch

    special = torch.isin(read, torch.tensor(tokenizer.all_special_ids, device=read.device))
    may = (mask == 1) & ~special
    chosen = may & torch.tensor(draws.random(tuple(read.shape)) < MASKED, device=read.device)
    if not bool(chosen.any()):
        chosen = may
    return read.masked_fill(chosen, tokenizer.mask_token_id), read.masked_fill(~chosen, -100)


def language_network(name: str, *, device: str) -> Network:
    """A causal or masked language model with its tokenizer."""
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

    from longway.models.language_models import head_of
    from longway.models.network_training import device_named
    from longway.models.pretrained import read_model

    where, folder = device_named(device), name.removeprefix("hf:")
    auto = AutoModelForMaskedLM if head_of(folder) == "masked" else AutoModelForCausalLM
    model, tokenizer, _ = read_model(auto, folder, f"The model {name!r}", "name the folder")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return Network(model.to(where), tokenizer, where)


# Table 8


def bleu_of(
    name: str,
    train: Sequence[Pair],
    test: Sequence[Pair],
    *,
    epochs: int,
    device: str = "auto",
    seed: int = 0,
) -> float:
    """BLEU-4 on the test pairs, from 0 to 100."""
    from bases import TINY, base_network, batch, pair

    network = base_network(
        name.removeprefix("hf:"), [text for texts in train for text in texts], device=device
    )
    examples = [pair(network, *texts) for texts in train]
    examples = [example for example in examples if len(example) <= network.longest]
    rate = TINY_RATE if name == TINY else WRITING_RATE
    learn(
        network.model,
        lambda places: network.model(**batch(network, [examples[place] for place in places])).loss,
        len(examples),
        epochs=epochs,
        rate=rate,
        seed=seed,
    )
    written = [
        text
        for start in range(0, len(test), BATCH)
        for text in _written(network, test[start : start + BATCH])
    ]
    return 100 * corpus_bleu(written, [target for _, target in test])


def _written(network: Network, pairs: Sequence[Pair]) -> list[str]:
    """What the network writes for each source, the likeliest word each time."""
    import torch

    read = [network.read(source) for source, _ in pairs]
    tokens, mask = network.padded(read, in_front=network.is_causal)
    most = min(2 * max(map(len, read)) + 8, network.longest - (tokens.shape[1] if network.is_causal else 1))
    with torch.inference_mode():
        written = network.model.generate(
            input_ids=tokens,
            attention_mask=mask,
            max_new_tokens=most,
            do_sample=False,
            num_beams=1,
            pad_token_id=network.tokenizer.pad_token_id,
        )
    start, end = (tokens.shape[1] if network.is_causal else 1), network.tokenizer.eos_token_id
    rows = written[:, start:].tolist()
    return [network.text_of(row[: row.index(end)] if end in row else row).strip() for row in rows]
