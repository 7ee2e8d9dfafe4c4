"""Small LoRA adapters for the embedded model, written byte by byte: with zeros, which change nothing, or with random numbers.

writer_folder(folder, size=0.0)      a folder as `writer_at` reads it, and the adapter's matrices by the name of the weight
"""

import json
import struct

import numpy as np

from longway.engines.model_files import ABOUT, FILE, fingerprint
from longway.engines.scoring.gguf_weights import read_settings
from longway.engines.writer_lines import VERSION

RANK, ALPHA = 4, 8.0
ALIGN = 32
TEXT, FLOAT, HALF = 8, 6, 1  # types of a setting, and of a tensor


def writer_folder(folder, model_path, *, size, **about):
    """A writer whose adapter is random numbers of this size; its matrices (a, b) by the name of the weight they are added to."""
    folder.mkdir(exist_ok=True)
    pairs = matrices(read_settings(model_path), size)
    tensors = {
        f"{name}.lora_{part}": m for name, pair in pairs.items() for part, m in zip("ab", pair, strict=True)
    }
    (folder / FILE).write_bytes(adapter_bytes(tensors))
    told = {"version": 7, "lines": VERSION, "base": fingerprint(model_path), "rank": RANK, "alpha": ALPHA}
    (folder / ABOUT).write_text(json.dumps({**told, **about}))
    return pairs


def matrices(settings, size):
    """Random a (rank, in) and b (out, rank) for every linear layer."""
    width, inner = settings["llama.embedding_length"], settings["llama.feed_forward_length"]
    keys = width // settings["llama.attention.head_count"] * settings["llama.attention.head_count_kv"]
    shapes = {
        "attn_q": (width, width), "attn_k": (keys, width), "attn_v": (keys, width), "attn_output": (width, width),
        "ffn_gate": (inner, width), "ffn_up": (inner, width), "ffn_down": (width, inner),
    }  # fmt: skip
    chance = np.random.default_rng(0)
    return {
        f"blk.{layer}.{name}.weight": (
            (chance.standard_normal((RANK, n_in)) * n_in**-0.5).astype(np.float16),
            (chance.standard_normal((n_out, RANK)) * size).astype(np.float16),
        )
        for layer in range(settings["llama.block_count"])
        for name, (n_out, n_in) in shapes.items()
    }


def adapter_bytes(tensors):
    """A GGUF file: head, settings, names and places of tensors, then the tensors, each padded."""
    settings = {"general.type": "adapter", "general.architecture": "llama", "adapter.type": "lora"}
    head = [struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(settings) + 1)]
    head += [text(name) + struct.pack("<I", TEXT) + text(value) for name, value in settings.items()]
    head.append(text("adapter.lora.alpha") + struct.pack("<If", FLOAT, ALPHA))
    data, at = [], 0
    for name, tensor in tensors.items():
        sizes = struct.pack("<IQQ", 2, *reversed(tensor.shape))
        head.append(text(name) + sizes + struct.pack("<IQ", HALF, at))
        data.append(padded(tensor.tobytes()))
        at += len(data[-1])
    return padded(b"".join(head)) + b"".join(data)


def text(value):
    return struct.pack("<Q", len(value)) + value.encode()


def padded(data):
    return data + bytes(-len(data) % ALIGN)
