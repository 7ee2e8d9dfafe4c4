"""CrossAug: contrastive rows for fact checking (Lee et al. 2021, "CrossAug: A Contrastive Data Augmentation Method").

For each claim that its evidence supports, a negative claim is written; if the evidence contains the changed words, they are
changed there too. One row becomes four:

    claim            evidence            supported    (as it was)
    negative claim   evidence            refuted
    negative claim   changed evidence    supported
    claim            changed evidence    refuted

so neither the claim nor the evidence alone predicts the label. The published generator is a fine-tuned BART; here it is
`write`, by default the rules of `negate.py`. Rows are added, none is changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from longway.engines.engine import Written
from longway.english.inflection import match_case
from longway.errors import SettingError
from longway.methods.drafts import NOT_VERIFIED, first_failure, until_spent, with_how
from longway.methods.method import (
    ALL_DONE,
    Figures,
    Objection,
    RewriteRequest,
    Round,
    Rows,
    Verify,
    Write,
    fresh_id,
)
from longway.methods.negate import RuleNegator
from longway.records import BUDGET_SPENT, Edit, Verdict
from longway.text.tokenizer import is_word, token_spans
from longway.verify.check import Candidate

ARTICLES = ("a ", "an ", "the ")


@dataclass(frozen=True, slots=True)
class CrossAugSettings:
    """Settings of CrossAug.

    candidates: negative claims to write; the first whose words can be changed in the evidence is taken, else the first.
    evidence: also add rows with changed evidence.
    seed: seed of the rules.
    """

    candidates: int = 4
    evidence: bool = True
    seed: int = 0


@dataclass(frozen=True, slots=True)
class NegativeClaim:
    """A negative claim for a row, and the evidence changed to support it, None if that is not possible."""

    row: int
    claim: str
    how: str
    evidence: str | None
    verdicts: tuple[Verdict, ...] = ()


class CrossAug:
    """CrossAug over given pairs.

    write: writes negative claims; None for the rules. verify: checks each negative claim with its new label; None, as
    published, for no check. objection: why a negative claim may not be used.
    """

    name = "crossaug"

    def __init__(
        self,
        settings: CrossAugSettings | None = None,
        *,
        write: Write | None = None,
        verify: Verify | None = None,
        objection: Objection | None = None,
    ) -> None:
        self.settings = CrossAugSettings() if settings is None else settings
        self.objection = objection
        self.write: Write = RuleNegator(self.settings.seed) if write is None else write
        self.verify = verify

    def run(self, rows: Rows) -> Iterator[Round]:
        """Yield one round that adds up to three rows for each supported claim."""
        supported, refuted = labels_of(rows)
        requests = [
            RewriteRequest(
                row,
                rows.texts[row],
                supported,
                self.settings.candidates,
                rows.context(row),
                language="" if rows.is_english(row) else rows.languages[row],
            )
            for row in range(len(rows))
            if rows.label(row) == supported
        ]
        answers, is_spent = until_spent(lambda: self.write(requests))
        contrasts = [
            self._contrast(request, written, rows.ids[request.row])
            for request, written in zip(requests, answers, strict=not is_spent)
        ]
        kept, rejected = self._verified(rows, [c for c in contrasts if c is not None], refuted)
        edits = self._edits(rows, kept, refuted)
        figures = Figures(
            asked=len(requests),
            candidates=sum(len(answer.texts) for answer in answers),
            accepted=len(kept),
            rejected=rejected,
            refusals=dict(Counter(r for answer in answers for r in answer.refusals).most_common()),
        )
        stopped = BUDGET_SPENT if is_spent else ALL_DONE
        yield Round(1, tuple(edits), figures, stopped)

    def _contrast(self, request: RewriteRequest, written: Written, id: str) -> NegativeClaim | None:
        found = [
            NegativeClaim(request.row, text, done, self._evidence(request, text))
            for text, done in with_how(written)
            if not (self.objection and self.objection(id, request.text, text))
        ]
        return next((c for c in found if c.evidence is not None), found[0] if found else None)

    def _evidence(self, request: RewriteRequest, negative: str) -> str | None:
        change = substituted(request.text, negative) if self.settings.evidence else None
        return None if change is None else replace_in(request.context or "", *change)

    def _verified(
        self, rows: Rows, contrasts: list[NegativeClaim], refuted: str
    ) -> tuple[list[NegativeClaim], dict[str, int]]:
        """The contrasts whose negative claim passes, and the others counted by reason."""
        if self.verify is None:
            return contrasts, {}
        verify = self.verify
        candidates = [
            Candidate(c.row, rows.texts[c.row], c.claim, refuted, rows.context(c.row), keeps="label")
            for c in contrasts
        ]
        verdicts, _ = until_spent(lambda: verify(candidates))
        kept: list[NegativeClaim] = []
        rejected: Counter[str] = Counter({NOT_VERIFIED: len(contrasts) - len(verdicts)})
        for contrast, theirs in zip(contrasts, verdicts, strict=False):
            if (failure := first_failure(theirs)) is None:
                kept.append(replace(contrast, verdicts=theirs))
            else:
                rejected[failure[1]] += 1
        return kept, {why: n for why, n in rejected.most_common() if n}

    def _edits(self, rows: Rows, contrasts: list[NegativeClaim], refuted: str) -> Iterator[Edit]:
        """The added rows: one edit for each column in which a new row differs from the one it was made from."""
        taken = set(rows.ids)
        text_name, context_name = rows.task.text_name, rows.task.context_name or "context"
        for contrast in contrasts:
            row = contrast.row
            claim, evidence, supported = rows.texts[row], rows.context(row) or "", rows.label(row)
            new = [(contrast.claim, evidence, refuted)]
            if contrast.evidence is not None:
                new += [(contrast.claim, contrast.evidence, supported), (claim, contrast.evidence, refuted)]
            for text, context, label in new:
                id_ = fresh_id(taken, rows.ids[row], self.name)
                for field, before, after in ((text_name, claim, text), (context_name, evidence, context)):
                    if before != after:
                        yield Edit(
                            id=id_,
                            field=field,
                            before=before,
                            after=after,
                            label_before=supported,
                            label_after=label,
                            method=self.name,
                            engine=self.write.name,
                            accepted=True,
                            verdicts=contrast.verdicts,
                            how=contrast.how,
                            source=rows.ids[row],
                        )


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
