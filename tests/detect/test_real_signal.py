"""What a user called real signal, among the patterns that were found."""

import pytest

from longway.detect.features import Pattern
from longway.detect.real_signal import RealSignal

WORD = Pattern("great", frozenset(["great"]), phrase=("great",))
PHRASE = Pattern("a great film", frozenset(["a", "great", "film"]), phrase=("a", "great", "film"))
FIRST = Pattern("first word: honestly", frozenset(["honestly"]), phrase=("honestly",))
HONESTLY = Pattern("honestly", frozenset(["honestly"]), phrase=("honestly",))
LONG = Pattern("37 or more words", frozenset(["<length>"]))
ALL = [WORD, PHRASE, FIRST, HONESTLY, LONG]


@pytest.mark.parametrize(
    ("keep", "covered"),
    [
        ("great", [WORD, PHRASE]),  # a word stands for the phrases that have it
        ("Great Film", [WORD, PHRASE]),  # and a phrase for its words
        ("honestly", [FIRST, HONESTLY]),
        ("first word: Honestly", [FIRST]),  # a name as printed stands for itself alone
        ("37 or more words", [LONG]),
        ("words", []),
    ],
)
def test_what_is_covered(keep, covered):
    real = RealSignal.of([keep], ALL)
    assert [one for one in ALL if real.covers(one)] == covered
    assert real.unused == (() if covered else (keep,))
