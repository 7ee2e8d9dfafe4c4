"""Untrained networks of other architectures as folders, for the tests of the neural perturber."""

import pytest

from tests.methods.perturb.toy_sentences import toy_rows


@pytest.fixture(scope="session")
def bases(tmp_path_factory):
    """Gives the folder of a small causal model, T5 or BART, which have learned nothing."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    made = {}

    def base(kind):
        if kind not in made:
            made[kind] = tmp_path_factory.mktemp(kind)
            _make(kind, made[kind])
        return made[kind]

    return base


def _make(kind, folder):
    import torch
    from transformers import (
        BartConfig,
        BartForConditionalGeneration,
        GPT2Config,
        GPT2LMHeadModel,
        T5Config,
        T5ForConditionalGeneration,
    )

    from bases import byte_pair_tokenizer
    from longway.methods.perturb.segments import MARKS

    texts = [text for row in toy_rows(100) for text in row.before + row.after]
    tokenizer = byte_pair_tokenizer(texts, special=MARKS)
    ids = {"pad_token_id": tokenizer.pad_token_id, "eos_token_id": tokenizer.eos_token_id}
    torch.manual_seed(0)
    if kind == "causal":
        config = GPT2Config(
            vocab_size=len(tokenizer), n_embd=64, n_layer=2, n_head=4, n_positions=256, bos_token_id=0, **ids
        )
        model = GPT2LMHeadModel(config)
    elif kind == "bart":
        config = BartConfig(
            vocab_size=len(tokenizer), d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
            decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16, max_position_embeddings=48,
            decoder_start_token_id=tokenizer.eos_token_id, forced_eos_token_id=None, **ids,
        )  # fmt: skip
        model = BartForConditionalGeneration(config)
    else:
        config = T5Config(
            vocab_size=len(tokenizer), d_model=32, d_kv=8, d_ff=64, num_layers=1, num_heads=4,
            decoder_start_token_id=tokenizer.pad_token_id, **ids,
        )  # fmt: skip
        model = T5ForConditionalGeneration(config)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
