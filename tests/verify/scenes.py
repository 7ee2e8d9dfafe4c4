"""What the tests of checks share: candidates in few words, and models whose answers are written down."""

import numpy as np

from longway.languages.row_languages import language_in
from longway.verify.check import Candidate


def candidate(before, after, label="yes", *, row=0, context=None, keeps="meaning", telling=(), language=None):
    """One candidate in the language of its row, as the verifier finds it."""
    language = language or language_in(before)
    return Candidate(
        row,
        before,
        after,
        label,
        context,
        keeps,
        frozenset(telling),
        language="" if language == "en" else language,
    )


def reason(check, before, after, **more):
    """Why a check rejects; "" where it passes."""
    verdict = check([candidate(before, after, **more)])[0]
    assert verdict.passed == (verdict.reason == "")
    return verdict.reason


class Vectors:
    """Gives each text the vector that was written down for it, and counts what it was asked."""

    def __init__(self, known):
        self.known, self.asked = known, []

    def __call__(self, texts):
        self.asked += texts
        found = np.array([self.known[text] for text in texts], np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)


class Stances:
    """Gives each (context, text) the probabilities that were written down."""

    version = "written down"

    def __init__(self, known):
        self.known, self.asked = known, []

    def probabilities(self, pairs):
        self.asked += pairs
        return np.array([self.known[text] for _, text in pairs])
