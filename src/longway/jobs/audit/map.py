"""The map of an audit with the concept level: its rows in two dimensions, with the concepts that predict a label outlined.

sentence vectors  ->  principal components, or UMAP where it is installed  ->  a sample of points; an ellipse around half of the rows of each concept
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longway.data import Dataset
from longway.detect import CONCEPT
from longway.detect.concepts.detector import ConceptDetector
from longway.detect.reading import TEXT, Reading
from longway.jobs.audit.examples import examples_by_place
from longway.metrics.vectors import project
from longway.records import Finding
from longway.show.map_chart import HEIGHT, WIDTH

MAX_POINTS = 2_000
MAX_CONCEPTS = 12
MAX_IDS = 50  # rows of a concept, the most typical first
MARGIN = 0.04
FAR = 0.005  # share of the rows at each end that are drawn at the border
INSIDE = 0.5  # share of a concept's rows that its outline holds, if they were normally distributed

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MappedConcept:
    """A concept that predicts a label. rows: those with it in the sample. x, y, wide, high, angle: its ellipse; the angle is in degrees.

    ids: rows with it, the most typical first. called: the name that an engine gave it, if it passed its check.
    """

    name: str
    label: str
    rows: int
    x: int
    y: int
    wide: int
    high: int
    angle: int
    ids: tuple[str, ...]
    called: str = ""


@dataclass(frozen=True, slots=True)
class ConceptMap:
    """The rows of one column in two dimensions. method: "PCA" or "UMAP". share: of the variance that PCA shows; None for UMAP.

    rows: those with a vector. points: x, y and number of the label, in `labels`, of a sample of them.
    """

    column: str
    method: str
    share: float | None
    rows: int
    labels: tuple[str, ...]
    points: tuple[tuple[int, int, int], ...]
    concepts: tuple[MappedConcept, ...]


def concept_maps(
    detectors: Sequence[ConceptDetector],
    findings: Sequence[Finding],
    dataset: Dataset,
    reading: Reading,
    *,
    seed: int,
) -> tuple[ConceptMap, ...]:
    """A map of the texts, and of the contexts if a concept of theirs predicts a label."""
    maps = []
    for detector in detectors:
        mine = concept_findings(findings, detector.field)[:MAX_CONCEPTS]
        if mine or detector.role == TEXT:
            maps.append(_map_of(detector, mine, dataset, reading, seed))
    return tuple(maps)


def concept_findings(findings: Sequence[Finding], column: str) -> list[Finding]:
    """The concepts listed of a column, strongest first; of several that say the same, one."""
    mine = [one for one in findings if one.level == CONCEPT and one.field == column]
    return sorted(mine, key=lambda one: -one.gain)


def _map_of(
    detector: ConceptDetector, findings: Sequence[Finding], dataset: Dataset, reading: Reading, seed: int
) -> ConceptMap:
    flat, method, share = in_two_dimensions(detector.units, seed)
    points = _on_page(flat)
    n = len(points)
    drawn = np.arange(n)
    if n > MAX_POINTS:
        drawn = np.random.default_rng(seed).choice(n, MAX_POINTS, replace=False)  # and so in random order
    labels = reading.labels[detector.places]
    return ConceptMap(
        column=detector.field,
        method=method,
        share=share,
        rows=n,
        labels=tuple(reading.label_names),
        points=tuple(
            (int(x), int(y), int(labels[i])) for i, (x, y) in zip(drawn, points[drawn], strict=True)
        ),
        concepts=tuple(_mapped(finding, detector, points, dataset, reading) for finding in findings),
    )


def _mapped(
    finding: Finding, detector: ConceptDetector, points: Floats, dataset: Dataset, reading: Reading
) -> MappedConcept:
    key = detector.number_of(finding.pattern)
    members = np.flatnonzero(detector.members[:, [key]].toarray().ravel() & detector.is_tested)
    typical = detector.typical(key)[:MAX_IDS]
    examples = examples_by_place(dataset, reading, np.sort(typical))
    x, y, wide, high, angle = (round(number) for number in ellipse(points[members]))
    ids = tuple(examples[place].id for place in typical.tolist())
    return MappedConcept(
        str(finding.pattern), finding.label, len(members), x, y, wide, high, angle, ids, finding.called
    )


def in_two_dimensions(vectors: NDArray[np.float32], seed: int) -> tuple[Floats, str, float | None]:
    """The vectors in two dimensions, the method, and the share of the variance that is left."""
    try:
        from umap import UMAP
    except ImportError:  # not installed, or another package of that name
        found = project(vectors)
        return found.points, "PCA", sum(found.shares)
    points = UMAP(metric="cosine", random_state=seed).fit_transform(vectors)
    return np.asarray(points, np.float64), "UMAP", None


def ellipse(points: Floats) -> tuple[float, float, float, float, float]:
    """Centre, half axes and angle in degrees of the ellipse that holds half of normally distributed points like these.

    >>> [round(number) for number in ellipse(np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 2.0], [4.0, 2.0]]))]
    [2, 1, 2, 1, 0]
    """
    centre = points.mean(axis=0)
    moved = points - centre
    values, directions = np.linalg.eigh(moved.T @ moved / max(len(points), 1))
    high, wide = np.sqrt(np.maximum(values, 0) * -2 * np.log(1 - INSIDE))  # the longer axis last
    angle = float(np.degrees(np.arctan2(directions[1, 1], directions[0, 1])))
    return float(centre[0]), float(centre[1]), float(wide), float(high), (angle + 90) % 180 - 90


def _on_page(points: Floats) -> Floats:
    """The points in the box of the chart, those far outside of most others at its border."""
    low, high = np.quantile(points, [FAR, 1 - FAR], axis=0)
    shares = np.clip((points - low) / np.maximum(high - low, 1e-12), 0.0, 1.0)
    box = np.array([WIDTH, HEIGHT])
    return np.asarray(np.rint((MARGIN + (1 - 2 * MARGIN) * shares) * box))
