"""CrossAug: contrastive rows for fact checking (Lee et al. 2021, "CrossAug: A Contrastive Data Augmentation Method").

For each claim that its evidence supports, a negative claim is written; if the evidence contains the changed words, they are
changed there too. One row becomes four:

    claim            evidence            supported    (as it was)
    negative claim   evidence            refuted
    negative claim   changed evidence    supported
    claim            changed evidence    refuted

so neither the claim nor the evidence alone predicts the label. The published generator is a fine-tuned BART; here the rules of
`english/contradict.py` write. Rows are added, none is changed, and as published nothing is checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from random import Random

from longway.english.contradict import negated
from longway.english.inflection import match_case
from longway.english.pipeline import load_pipeline
from longway.errors import SettingError
from longway.languages.row_languages import NOT_ENGLISH
from longway.methods.loop import Draft
from longway.methods.method import ALL_DONE, Figures, Objection, Round, Rows, fresh_id, no_objection
from longway.records import Edit
from longway.text.tokenizer import is_word, token_spans

ARTICLES = ("a ", "an ", "the ")
CANDIDATES = (
    4  # negative claims; the first whose words can be changed in the evidence is taken, else the first
)
NO_NEGATION = "no rule can negate this text"


def crossaug(rows: Rows, *, seed: int = 0, objection: Objection = no_objection) -> Iterator[Round]:
    """Yield one round that adds up to three rows for each supported claim. objection: why a negative claim may not be used."""
    supported, refuted = labels_of(rows)
    chosen = [row for row in range(len(rows)) if rows.label(row) == supported]
    texts = [rows.texts[row] if rows.is_english(row) else "" for row in chosen]
    figures, edits, taken = Figures(asked=len(chosen)), list[Edit](), set(rows.ids)
    for row, document in zip(chosen, load_pipeline().analyse_all(texts), strict=True):
        text, evidence, id_ = rows.texts[row], rows.context(row) or "", rows.ids[row]
        claims = list(islice(negated(document, Random(f"{seed}|0|{text}")), CANDIDATES))
        figures.candidates += len(claims)
        if not claims:
            figures.refusals[NO_NEGATION if rows.is_english(row) else NOT_ENGLISH] += 1
        claims = [claim for claim in claims if not objection(id_, text, claim.text)]
        if not claims:
            continue
        figures.accepted += 1
        both = [(claim, changed_too(evidence, text, claim.text)) for claim in claims]
        claim, changed = next((pair for pair in both if pair[1] is not None), both[0])
        new = [(claim.text, evidence, refuted)]
        if changed is not None:
            new += [(claim.text, changed, supported), (text, changed, refuted)]
        for after, context, label in new:
            added = Draft(row, text, after, label, context, how=claim.how, engine="negate", reason="")
            added.id = fresh_id(taken, id_, "crossaug")
            own = added.edits(rows, method="crossaug", number=1)
            edits += [edit for edit in own if edit.before != edit.after]
    yield Round(1, tuple(edits), figures, ALL_DONE)


def changed_too(evidence: str, claim: str, other: str) -> str | None:
    """The evidence with the words that another claim replaces replaced as well; None if it does not have them."""
    change = substituted(claim, other)
    return None if change is None else replace_in(evidence, *change)


def labels_of(rows: Rows) -> tuple[str, str]:
    """The label of supported and the label of refuted claims; SettingError for other data."""
    by_stance = {stance: label for label, stance in rows.task.stances.items()}
    if rows.contexts is None or not {"entails", "contradicts"} <= set(by_stance):
        raise SettingError(
            "CrossAug needs pairs of claim and evidence, labelled as supported or refuted. "
            f"Got the labels {', '.join(map(str, rows.label_names))}"
            f"{' and no evidence' if rows.contexts is None else ''}. Use another method, or name the context column."
        )
    return by_stance["entails"], by_stance["contradicts"]


def substituted(before: str, after: str) -> tuple[str, str] | None:
    """The words of a text that are replaced in another one, and their replacement; None if nothing was removed.

    >>> substituted("Anna won the race.", "Anna lost the race.")
    ('won', 'lost')
    >>> substituted("It is a film.", "It is not a film.") is None
    True
    """
    old, new = token_spans(before), token_spans(after)
    start = _common([t for t, *_ in old], [t for t, *_ in new])
    left = min(len(old), len(new)) - start
    end = min(left, _common([t for t, *_ in old[::-1]], [t for t, *_ in new[::-1]]))
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    if not any(is_word(token) for token, *_ in old) or not new:
        return None
    return before[old[0][1] : old[-1][2]], after[new[0][1] : new[-1][2]]


def replace_in(text: str, old: str, new: str) -> str | None:
    """The text with all occurrences of some words replaced, whole words only; None if there is none.

    >>> replace_in("Won in May, won in June.", "won", "lost")
    'Lost in May, lost in June.'
    """
    pattern = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)", re.IGNORECASE)
    if pattern.search(text):
        return pattern.sub(lambda found: match_case(new, found[0]) if found[0] != old else new, text)
    for article in ARTICLES:  # "a large" -> "a small", but the evidence may have "the large"
        if old.lower().startswith(article):
            return replace_in(text, old[len(article) :], new.partition(" ")[2] or new)
    return None


def _common(one: list[str], other: list[str]) -> int:
    """The length of the common beginning of two lists."""
    return next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
