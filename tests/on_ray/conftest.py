"""Ray for these tests: started once, small, on this machine."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def ray_here():
    """An open session with two workers; tests are skipped, saying so, where Ray is not installed."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'longway[ray]'")
    from longway.on_ray.session import session

    with session("ray", processors=2, store_bytes=150 * 2**20):
        yield


@pytest.fixture
def small_pieces(monkeypatch):
    """Pieces of a few rows, here and on Ray, so that little data makes many of them; `small_pieces(n)`: n of them in a block."""
    monkeypatch.setattr("longway.tokens.corpus._BLOCK_BYTES", 30_000)

    def in_blocks_of(n):
        monkeypatch.setattr("longway.on_ray.ray_reading.MAX_PIECES_PER_BLOCK", n)
        monkeypatch.setattr("longway.on_ray.ray_reading.BLOCKS_PER_CPU", 1e-9)

    return in_blocks_of
