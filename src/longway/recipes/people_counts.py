"""Demographic mentions by column, axis, attribute and label, each with the test it stood as a pattern."""

from __future__ import annotations

from collections.abc import Sequence

from longway.detect.findings import Tests
from longway.detect.people import ATTRIBUTES, PeopleDetector, pattern_of
from longway.records import Mentions

KEPT_WORDS = 20  # of each attribute


def people_counts(tests: Sequence[Tests], label_names: Sequence[str]) -> list[Mentions]:
    """What the people detectors of a search counted, attributes that no text speaks of left out."""
    return [
        mentions
        for one in tests
        if isinstance(one.detector, PeopleDetector)
        for mentions in _of_one_column(one, one.detector, label_names)
    ]


def _of_one_column(tests: Tests, detector: PeopleDetector, label_names: Sequence[str]) -> list[Mentions]:
    tested = {
        key: (float(p), float(q)) for key, p, q in zip(tests.keys.tolist(), tests.p, tests.q, strict=True)
    }
    return [
        Mentions(
            field=detector.field,
            axis=attribute.axis,
            attribute=attribute.name,
            pattern=pattern_of(attribute),
            texts=dict(zip(label_names, detector.texts[key].tolist(), strict=True)),
            mentions=dict(zip(label_names, detector.mentions[key].tolist(), strict=True)),
            words=tuple(detector.words(key)[:KEPT_WORDS]),
            p=tested.get(key, (None, None))[0],
            q=tested.get(key, (None, None))[1],
        )
        for key, attribute in enumerate(ATTRIBUTES)
        if detector.texts[key].any()
    ]
