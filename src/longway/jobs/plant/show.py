"""What was planted, on the terminal: a row per shortcut with its share of the label in training and in the test sets."""

from __future__ import annotations

from importlib.metadata import version

from longway.jobs.plant.planting import PlantTruth
from longway.jobs.plant.result import PlantResult
from longway.show.excerpts import cut
from longway.show.labels import label_named, label_span, labels_of
from longway.show.numbers import count, counted
from longway.show.sections import SCREEN, Column, Page, Row, Section, Table, Words

VALUE_LIMIT, LABEL_LIMIT = 36, 24  # characters


def plant_page(result: PlantResult) -> Page:
    """The planted shortcuts."""
    columns = [Column("Plant"), Column("Value"), Column("Predicts")]
    names = ("Rows", "Label’s share", "Reversed test", "Neutral test", "Showing it anyway")
    columns += [Column(name, number=True) for name in names]
    labels = labels_of(result.dataset.labels)
    rows = []
    for truths in zip(result.train, result.test_reversed, result.test_neutral, strict=True):
        train, plant = truths[0], truths[0].plant
        n, n_shown = len(train.ids), sum(train.shown.values())
        what: list[Words] = [
            plant.kind,
            cut(plant.value, VALUE_LIMIT),
            label_span(label_named(plant.label, labels)),
        ]
        shares = [f"{_share(truth):.0%}" for truth in truths]
        rows.append(Row([*what, count(n), *shares, count(n_shown - n)]))
    return Page(
        kicker="Longway bench plant",
        title=cut(result.dataset.name, VALUE_LIMIT),
        verdict=f"Planted in {counted(result.rows['train'], 'training row')}; {counted(result.rows['test'], 'test row')} ({result.test}).",
        facts=[],
        figures=[],
        sections=[Section("planted", "Planted shortcuts", [Table(columns, rows)], on=SCREEN)],
        version=version("longway"),
        fingerprint=result.dataset.fingerprint,
    )


def _share(truth: PlantTruth) -> float:
    n = sum(truth.planted.values())
    return truth.planted[truth.plant.label] / n if n else 0.0
