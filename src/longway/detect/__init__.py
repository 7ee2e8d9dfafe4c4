"""Detectors: each looks at one kind of surface pattern, and all of them answer to the same two verbs.

`detectors_for(reading)` lists those that apply; adding one is adding a file and a line here. The level "grammar" is apart: its detector
needs trees (`detect.grammar`), which whoever asks for it has to make first.
"""

from collections.abc import Callable, Collection

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

GRAMMAR = "grammar"
LEVELS = (*OF_ONE_COLUMN, *OF_THE_EXAMPLE, *OF_A_PAIR, GRAMMAR)


def detectors_for(reading: Reading, levels: Collection[str] = LEVELS) -> list[Detector]:
    """The detectors of these levels that have something to look at in this dataset.

    The context is read, not rewritten: there only words, length, surface and people are looked at.
    """
    found: list[Detector] = [make(reading, TEXT) for level, make in OF_ONE_COLUMN.items() if level in levels]
    found += [make(reading) for level, make in OF_THE_EXAMPLE.items() if level in levels]
    if CONTEXT in reading.columns:
        found += [OF_ONE_COLUMN[level](reading, CONTEXT) for level in OF_THE_CONTEXT if level in levels]
        found += [make(reading) for level, make in OF_A_PAIR.items() if level in levels]
    return found


__all__ = ["GRAMMAR", "LEVELS", "Detector", "detectors_for"]
