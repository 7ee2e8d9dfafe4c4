"""What blocks of pieces counted, put together, is what one walk over all pieces counts: by this, counting may go anywhere."""

from __future__ import annotations

import numpy as np
import pytest

import longway as lw
from longway.data import load
from longway.detect import detectors_for
from longway.detect.findings import recount, search
from longway.detect.reading import Reading, plus
from longway.detect.surface_scores import score_surface


class InBlocks(Reading):
    """A reading that counts so many pieces by themselves and then merges, and asks about pieces one by one."""

    size = 1
    is_here = False

    def total(self, empty, add, merge=plus):
        pieces, result = list(self.pieces()), empty()
        for start in range(0, len(pieces), self.size):
            part = empty()
            for piece in pieces[start : start + self.size]:
                add(part, piece)
            merge(result, part)
        return result


@pytest.fixture
def claims(monkeypatch):
    """Pairs, so that all detectors have something to look at, in many pieces."""
    monkeypatch.setattr("longway.tokens.corpus._BLOCK_BYTES", 12_000)
    return load(lw.sample_path("claims"))


def told(found):
    chosen = [(c.key, c.description, c.finding, c.supporting, c.counter, c.leader) for c in found.chosen]
    return chosen, found.tested, [(t.keys.tolist(), t.p.tolist(), t.q.tolist()) for t in found.tests]


@pytest.mark.parametrize("size", [1, 3])
def test_every_detector_counts_the_same_in_blocks(claims, monkeypatch, size):
    monkeypatch.setattr(InBlocks, "size", size)
    whole, parts = Reading.of(claims), InBlocks.of(claims)
    assert len(list(parts.pieces())) > 2 * size
    here, there = (
        search(whole, max_q=1.0),
        search(parts, max_q=1.0),
    )  # all that was tested, not only what is sure
    assert told(there) == told(here)
    assert {c.detector.level for c in here.chosen} == {d.level for d in detectors_for(whole)}
    np.testing.assert_array_equal(recount(here.chosen, parts), recount(here.chosen, whole))


@pytest.mark.parametrize("variant", ["mean", "token"])
def test_documents_are_scored_the_same_where_a_space_has_to_ask(claims, variant):
    here, there = (
        score_surface(kind.of(claims), variant=variant, dimensions=8) for kind in (Reading, InBlocks)
    )
    np.testing.assert_array_equal(there.gamma, here.gamma)
    np.testing.assert_array_equal(there.lean, here.lean)
    assert [(d.place, d.chosen_by, d.pulls.tolist()) for d in there.documents] == [
        (d.place, d.chosen_by, d.pulls.tolist()) for d in here.documents
    ]
