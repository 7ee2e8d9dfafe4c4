"""Detectors: each looks at one kind of surface pattern, and all of them answer to the same two verbs.

`detectors_for(reading)` lists those that apply; adding one is adding a file and a line here.
"""

from collections.abc import Callable

from longway.detect.features import Detector
from longway.detect.length import LengthDetector
from longway.detect.negation import NegationDetector
from longway.detect.ngram import NgramDetector
from longway.detect.overlap import OverlapDetector
from longway.detect.pair import PairDetector
from longway.detect.people import PeopleDetector
from longway.detect.position import PositionDetector
from longway.detect.reading import CONTEXT, TEXT, Reading
from longway.detect.surface import SurfaceDetector
from longway.detect.token import TokenDetector

OF_ONE_COLUMN: dict[str, Callable[[Reading, str], Detector]] = {
    "token": TokenDetector,
    "ngram": NgramDetector,
    "position": PositionDetector,
    "length": LengthDetector,
    "surface": SurfaceDetector,
    "people": PeopleDetector,
}
OF_THE_CONTEXT = ("token", "length", "surface", "people")
OF_THE_EXAMPLE: dict[str, Callable[[Reading], Detector]] = {"negation": NegationDetector}
OF_A_PAIR: dict[str, Callable[[Reading], Detector]] = {"overlap": OverlapDetector, "pair": PairDetector}

LEVELS = (*OF_ONE_COLUMN, *OF_THE_EXAMPLE, *OF_A_PAIR)


def detectors_for(reading: Reading) -> list[Detector]:
    """The detectors that have something to look at in this dataset.

    The context is read, not rewritten: there only words, length, surface and people are looked at.
    """
    found: list[Detector] = [make(reading, TEXT) for make in OF_ONE_COLUMN.values()]
    found += [make(reading) for make in OF_THE_EXAMPLE.values()]
    if CONTEXT in reading.columns:
        found += [OF_ONE_COLUMN[level](reading, CONTEXT) for level in OF_THE_CONTEXT]
        found += [make(reading) for make in OF_A_PAIR.values()]
    return found


__all__ = ["LEVELS", "Detector", "detectors_for"]
