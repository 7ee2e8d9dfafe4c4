"""Planting shortcuts on purpose, so that the truth is known: what was put in, where, and how strongly.

    plant(rows, [Plant("word", label="positive")])     training rows in which a word gives the label away
    reversed_test(test_rows, planted.plants)           the same word, tied to the other labels
    neutral_test(test_rows, planted.plants)            the same word, tied to no label

`measure.py` says whether the plants were found, whether they are gone and what was harmed.
"""

from longway.jobs.plant.kinds import KINDS
from longway.jobs.plant.planting import neutral_test, plant, reversed_test
from longway.jobs.plant.plants import Plant, Planted, PlantTruth

__all__ = ["KINDS", "Plant", "PlantTruth", "Planted", "neutral_test", "plant", "reversed_test"]
