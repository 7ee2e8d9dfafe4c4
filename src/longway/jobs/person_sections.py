"""What pages about a fairscore show alike: changed words, and the texts of a row whose answer changes with a person.

Used by `fairness` and `prove`. Texts of a row are cut to what changed, with the changed words marked.
"""

from __future__ import annotations

from collections.abc import Sequence

from longway.jobs.prove.result import PerturbedText
from longway.metrics.fairness.fairscore import FEWEST
from longway.report.differences import versions
from longway.report.excerpts import cut
from longway.report.sections import Span, Words

WORDS_HEADING = "Which words change the answer"
WORDS_NOTE = (
    f"A row counts for every word that was changed in it, so a word may only stand beside the one that matters. Changes in fewer than {FEWEST} rows "
    "are left out. The order is that of the lower ends of the intervals; with many words, some are high by chance."
)


def change_words(before: str, after: str) -> list[str | Span]:
    """A word and what it became."""
    return [
        Span(cut(before) if before else "(nothing)", "del" if before else "quiet"),
        " → ",
        Span(cut(after) if after else "(nothing)", "ins" if after else "quiet"),
    ]


def both_versions(texts: Sequence[PerturbedText]) -> list[tuple[Words, Words]]:
    """The texts of a row before and after, side by side."""
    shown: list[tuple[Words, Words]] = []
    for text in texts:
        before, after = versions(text.before, text.after)
        shown += [(f"{cut(text.field)}, original", before), ("perturbed", after)]
    return shown
