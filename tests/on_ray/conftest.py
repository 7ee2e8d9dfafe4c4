"""Ray for these tests, started once, small, on this machine; and small shards, so that few rows make many."""

from __future__ import annotations

import pytest

from longway.errors import MissingExtra
from longway.models.minilm import MiniLM


@pytest.fixture(scope="session")
def same_in_any_batch():
    """Skips tests that compare scores of the encoder where the processor rounds them by the size of the batch."""
    try:
        encoder = MiniLM.load().rounded
    except MissingExtra as why:
        pytest.skip(str(why))
    texts = [f"This film is number {i} of {2 * i}." for i in range(60)]
    apart = [encoder.embed([text])[0].tolist() for text in texts]
    if encoder.embed(texts).tolist() != apart:
        pytest.skip("the 8-bit encoder rounds by the size of the batch on this processor")


@pytest.fixture(scope="session")
def ray_here():
    """A shard map of two workers; tests are skipped, with the reason, where Ray is not installed."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'longway[ray]'")
    from longway.on_ray.shards import shards_on_ray

    with shards_on_ray("ray", processors=2, store_bytes=150 * 2**20) as shard_map:
        yield shard_map


@pytest.fixture
def small_shards(monkeypatch):
    """Shards of a few rows."""
    monkeypatch.setattr("longway.text.corpus._BLOCK_BYTES", 3_000)
    monkeypatch.setattr("longway.methods.writers.SHARD", 5)
    monkeypatch.setattr("longway.verify.model_cache.AT_ONCE", 7)
    monkeypatch.setattr("longway.english.pipeline.SHARD", 5)
    monkeypatch.setattr("longway.jobs.perturb.perturbing.AT_ONCE", 6)
