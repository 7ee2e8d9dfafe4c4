"""What pages about a fairscore show alike: changed words, and the texts of a row whose answer changes with a person.

Used by `fairness` and `prove`. Texts of a row are cut to what changed, with the changed words marked.
"""

from __future__ import annotations

from collections.abc import Sequence

from longway.jobs.prove.result import PerturbedText
from longway.metrics.fairness.fairscore import FEWEST
from longway.show.differences import COMPARE_LIMIT, differences, versions
from longway.show.excerpts import cut, harmless
from longway.show.sections import Span, Words

AROUND = 60  # characters of an unchanged stretch that the terminal shows on both sides of a change
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


def in_one_line(text: PerturbedText) -> list[str | Span]:
    """Both versions as one text for the terminal, without colours too: what was changed is in brackets.

    >>> "".join(part if isinstance(part, str) else part.text for part in in_one_line(PerturbedText("text", "He is late.", "She is late.")))
    '[He → She] is late.'
    """
    found = differences(harmless(text.before[:COMPARE_LIMIT]), harmless(text.after[:COMPARE_LIMIT]))
    words: list[str | Span] = []
    for at, change in enumerate(found):
        if change.kind == "same":
            words.append(_shortened(change.text, is_first=not at, is_last=at == len(found) - 1))
        elif change.kind == "removed":
            is_replaced = at + 1 < len(found) and found[at + 1].kind == "added"
            words += ["[", Span(change.text, "del"), " → ", *([] if is_replaced else ["nothing]"])]
        else:
            is_new = not at or found[at - 1].kind != "removed"
            words += [*(["[nothing → "] if is_new else []), Span(change.text, "ins"), "]"]
    return words


def _shortened(text: str, *, is_first: bool, is_last: bool) -> str:
    """An unchanged stretch, cut to what is near a change."""
    if len(text) <= 2 * AROUND:
        return text
    left = "" if is_first else text[:AROUND]
    right = "" if is_last else text[-AROUND:]
    return f"{left} … {right}".lstrip() if is_first else f"{left} … {right}"
