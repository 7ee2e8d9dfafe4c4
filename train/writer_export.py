"""The adapter as it ships: GGUF for llama.cpp, safetensors for everybody else, and what it is in about.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from longway.llm.gguf import fingerprint, installed_model
from longway.llm.writer_lines import VERSION
from writer_model import ALPHA

RELEASE = 1  # goes up with every adapter that ships


def export_all(source: Path, out: Path) -> None:
    """adapter.npz of a training run -> writer.gguf, writer.safetensors, about.json."""
    from safetensors.numpy import save_file

    tensors = dict(np.load(source / "adapter.npz"))
    rank = int(tensors["blk.0.attn_q.weight.lora_a"].shape[0])
    out.mkdir(parents=True, exist_ok=True)
    about: dict[str, Any] = {
        "version": RELEASE,
        "lines": VERSION,
        "base": fingerprint(installed_model()),
        "rank": rank,
        "alpha": ALPHA * rank,
    }
    judge = source / "judge.json"
    if judge.exists():
        about["judge"] = json.loads(judge.read_text(encoding="utf-8"))
    write_gguf(out / "writer.gguf", tensors, alpha=ALPHA * rank)
    save_file(tensors, out / "writer.safetensors", metadata={"rank": str(rank), "alpha": str(ALPHA * rank)})
    (out / "about.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    for path in sorted(out.iterdir()):
        print(path.name, f"{path.stat().st_size / 1e6:.1f} MB")


def write_gguf(path: Path, tensors: dict[str, np.ndarray], *, alpha: float) -> None:
    """An adapter in llama.cpp's format."""
    from gguf import GGUFWriter

    writer = GGUFWriter(str(path), "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    for name, values in tensors.items():
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
