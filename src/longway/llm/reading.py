"""What a completion of a server says: texts or a label. Asked one by one or by the batch, answers are read in the same way.

    texts_in(completion, ...)     -> Written
    label_in(completion, ...)     -> Judged

Both raise what `answers.py` raises: `Misread` where a repair may help, `Declined` where nothing will.
"""

from __future__ import annotations

from collections.abc import Sequence

from longway.llm.answers import Completion, Misread, label_of, rewrites_of
from longway.llm.engine import Judged, Written
from longway.llm.likelihood import likelihoods
from longway.llm.line_answers import lines_of


def texts_in(completion: Completion, *, form: str, reads: str, n: int, original: str) -> Written:
    """Up to n different texts; one answer where lines were asked for. form: "json" or "lines"; reads: as in `Prompt`."""
    if reads == "lines":
        found = lines_of(completion, form=form)
    else:
        found = rewrites_of(completion, n, original=original, form=form)
    return Written(found.texts, found.notes)


def label_in(completion: Completion, *, form: str, options: Sequence[str]) -> Judged:
    """How likely each option is: from the tokens' probabilities where the server gave them, else 1 for its answer."""
    names = tuple(options)
    return Judged(likelihoods(completion.tokens, label_of(completion, names, form=form), names))


def not_read(misread: Misread) -> str:
    """The refusal for an answer that could not be read twice."""
    return f"the answer could not be read, not even after a repair: {misread}"
