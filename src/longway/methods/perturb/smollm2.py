"""The small model that Longway installs (SmolLM2-135M, a Llama in a GGUF file) as a causal network that can be trained further.

Its weights were packed into four and eight bits; unpacked they are those it writes with, not quite those it was made with. A GGUF file keeps
the rows of queries and keys in another order, in which the numbers that are turned together stand side by side.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from longway.engines.model_files import installed_model
from longway.engines.scoring.gguf_weights import Floats, GgufFile, read_gguf
from longway.engines.scoring.llama import tokenizer_of
from longway.methods.perturb.networks import Network, prepared

SMOLLM2 = "smollm2"
END = "<|endoftext|>"
_PARTS = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}


def smollm2_network(*, device: Any) -> Network:
    """The model and its tokenizer, ready to be trained."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    file = read_gguf(installed_model())
    about, embedding = file.settings, file.tensors["token_embd.weight"]
    tokenizer = _tokenizer(about)
    config = LlamaConfig(
        vocab_size=len(embedding),
        hidden_size=embedding.shape[1],
        intermediate_size=int(about["llama.feed_forward_length"]),
        num_hidden_layers=int(about["llama.block_count"]),
        num_attention_heads=int(about["llama.attention.head_count"]),
        num_key_value_heads=int(about["llama.attention.head_count_kv"]),
        max_position_embeddings=int(about["llama.context_length"]),
        rms_norm_eps=float(about["llama.attention.layer_norm_rms_epsilon"]),
        rope_parameters={"rope_type": "default", "rope_theta": float(about["llama.rope.freq_base"])},
        tie_word_embeddings="output.weight" not in file.tensors,
        bos_token_id=tokenizer.eos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.eos_token_id,
    )
    model = LlamaForCausalLM(config)  # type: ignore[no-untyped-call]
    weights = {
        name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in _weights(file, config).items()
    }
    model.load_state_dict(weights, strict=not config.tie_word_embeddings)
    return prepared(model, tokenizer, device, marks=True)


def _weights(file: GgufFile, config: Any) -> dict[str, Floats]:
    """The weights under the names that transformers has for them."""
    found = {
        "model.embed_tokens.weight": file.tensors["token_embd.weight"],
        "model.norm.weight": file.tensors["output_norm.weight"],
    }
    if "output.weight" in file.tensors:
        found["lm_head.weight"] = file.tensors["output.weight"]
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    for layer in range(config.num_hidden_layers):
        for ours, theirs in _PARTS.items():
            array = file.tensors[f"blk.{layer}.{ours}.weight"]
            if ours in heads:
                array = _halves(array, heads[ours])
            found[f"model.layers.{layer}.{theirs}.weight"] = array
    return found


def _halves(array: Floats, heads: int) -> Floats:
    """Rows in the order of transformers: of each head first the even ones, then the odd ones."""
    rows, width = array.shape
    return array.reshape(heads, rows // heads // 2, 2, width).swapaxes(1, 2).reshape(rows, width)


def _tokenizer(settings: Any) -> Any:
    from tokenizers import decoders
    from transformers import PreTrainedTokenizerFast

    pieces = tokenizer_of(settings)
    pieces.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=pieces, bos_token=END, eos_token=END, pad_token=END
    )
