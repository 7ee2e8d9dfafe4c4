"""The adapter as it ships: a GGUF file, and its description in about.json and card.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from longway.engines.model_files import fingerprint, installed_model
from longway.engines.writer_lines import VERSION
from writer_model import ALPHA

RELEASE = 2  # goes up with every adapter that ships


CARD = Path(__file__).parent / "writer_card.md"
JOBS = ("judge", "turn", "rewrite", "edit", "fill", "person", "alter", "triples", "say")


def export_all(source: Path, out: Path) -> None:
    """adapter.npz of a training run -> writer.gguf, about.json, card.md.

    The run's folder also holds counts.json (rows by job and source), training.md and figures.md (sentences for the card), and
    judge.json (how its judgement is calibrated) where it was measured.
    """
    tensors = dict(np.load(source / "adapter.npz"))
    rank = int(tensors["blk.0.attn_q.weight.lora_a"].shape[0])
    out.mkdir(parents=True, exist_ok=True)
    about: dict[str, Any] = {
        "version": RELEASE,
        "lines": VERSION,
        "base": fingerprint(installed_model()),
        "rank": rank,
        "alpha": ALPHA * rank,
        "edits": any(name.startswith("edit/") for name in counts_of(source)),
    }
    judge = source / "judge.json"
    if judge.exists():
        about["judge"] = json.loads(judge.read_text(encoding="utf-8"))
    write_gguf(out / "writer.gguf", tensors, alpha=ALPHA * rank)
    (out / "card.md").write_text(card(source, rank), encoding="utf-8")
    (out / "about.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    for path in sorted(out.iterdir()):
        print(path.name, f"{path.stat().st_size / 1e6:.1f} MB")


def counts_of(source: Path) -> dict[str, int]:
    """How many rows were trained on, by job and source."""
    return dict(json.loads((source / "counts.json").read_text(encoding="utf-8")))


def card(source: Path, rank: int) -> str:
    """The model card."""
    counts = counts_of(source)
    by_job: dict[str, list[str]] = {}
    for name, n in counts.items():
        job, _, part = name.partition("/")
        by_job.setdefault(job, []).append(f"{part} {n:,}")
    table = [
        "| job | rows by source |",
        "|---|---|",
        *(f"| {job} | {', '.join(by_job[job])} |" for job in JOBS),
    ]
    return CARD.read_text(encoding="utf-8").format(
        rank=rank,
        total=f"{sum(counts.values()):,}",
        counts="\n".join(table),
        training=(source / "training.md").read_text(encoding="utf-8").strip(),
        figures=(source / "figures.md").read_text(encoding="utf-8").strip(),
    )


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
