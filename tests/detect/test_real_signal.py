"""What a user called real signal, among the patterns that were found."""

import pytest

from longway.detect.detector import Description
from longway.detect.real_signal import RealSignal
from longway.records import Pattern


def described(*words, place=""):
    """A pattern of words."""
    level = "position" if place else "ngram"
    return Description(Pattern(level, "text", words, place), frozenset(words), phrase=words)


WORD, PHRASE, HONESTLY = described("great"), described("a", "great", "film"), described("honestly")
FIRST = described("honestly", place="first word")
LONG = Description(Pattern("length", "text", place="at least", bound=37), frozenset(["<length>"]))
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
