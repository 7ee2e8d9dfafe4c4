"""A small encoder-decoder from scratch, with a tokenizer made from the data: training that can be tried without a download.

Two layers of width 64 (about a quarter of a million weights) of BART's kind (Lewis et al. 2020). It learns to copy and to exchange
the words it has seen exchanged, and nothing else: for sentences of one pattern, not for English.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from longway.methods.perturb.forms import MARKS
from longway.methods.perturb.networks import Network, prepared

TINY = "tiny"
MOST_PIECES = 8000  # tokens of the vocabulary
_BEGIN, _FILL, _END = "<s>", "<pad>", "</s>"


def tiny_network(texts: Iterable[str], *, device: Any) -> Network:
    """A network that has learned nothing yet. texts: what its tokenizer is made from."""
    from transformers import BartConfig, BartForConditionalGeneration

    tokenizer = _tokenizer(texts)
    config = BartConfig(
        vocab_size=len(tokenizer),
        d_model=64,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=128,
        decoder_ffn_dim=128,
        max_position_embeddings=512,
        dropout=0.0,
        scale_embedding=True,  # without it the places drown out the words at the start
        bos_token_id=tokenizer.bos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.eos_token_id,
        forced_eos_token_id=None,
    )
    return prepared(BartForConditionalGeneration(config), tokenizer, device, marks=True)


def _tokenizer(texts: Iterable[str]) -> Any:
    """Pieces of words over bytes, so that any text can be written and comes back as it was."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    pieces = Tokenizer(models.BPE())
    pieces.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pieces.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=MOST_PIECES,
        special_tokens=[_BEGIN, _FILL, _END, *MARKS],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    pieces.train_from_iterator(texts, trainer)
    pieces.post_processor = processors.TemplateProcessing(
        single=f"{_BEGIN} $A {_END}",
        special_tokens=[(name, pieces.token_to_id(name)) for name in (_BEGIN, _END)],
    )
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=pieces, bos_token=_BEGIN, pad_token=_FILL, eos_token=_END
    )
