"""CrossAug: contrastive rows for fact checking (Lee et al. 2021, "CrossAug: A Contrastive Data Augmentation Method").

For each claim that its evidence supports, a negative claim is written; where the words that were changed stand in the
evidence, they are changed there, too. One row becomes four:

    claim            evidence            supported    (as it was)
    negative claim   evidence            refuted
    negative claim   changed evidence    supported
    claim            changed evidence    refuted

so that neither the claim nor the evidence alone tells the label. The published generator is a fine-tuned BART; here it is
whatever `write` asks, by default the rules of `rewrite/negate.py`. Rows are added and none is changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from longway.errors import SettingError
from longway.llm.engine import Written
from longway.records import Edit, Example, Verdict
from longway.rewrite.drafts import until_spent
from longway.rewrite.method import Asked, Figures, Objection, Round, Rows, Verify, Write, fresh_id
from longway.rewrite.negate import RuleNegator
from longway.rewrite.stopping import BUDGET_SPENT
from longway.text.capitals import like
from longway.text.tokens import is_word, token_spans
from longway.verify.check import Candidate

ARTICLES = ("a ", "an ", "the ")


@dataclass(frozen=True, slots=True)
class CrossAugSettings:
    """candidates: negative claims asked for; the first whose words can be changed in the evidence is taken, else the first.

    evidence: also make rows with changed evidence. seed: of the rules.
    """

    candidates: int = 4
    evidence: bool = True
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Contrast:
    """A negative claim for a row, and the evidence changed to support it where that was possible."""

    row: int
    claim: str
    how: str
    evidence: str | None
    verdicts: tuple[Verdict, ...] = ()


class CrossAug:
    """CrossAug over given pairs.

    write: gives negative claims; None for the rules. verify: looks at each negative claim under the label that it should have
    now; None, as published, for no check. objection: what speaks against a negative claim before that.
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
        """One round that adds up to three rows for each supported claim."""
        supported, refuted = labels_of(rows)
        asked = [
            Asked(row, rows.texts[row], supported, self.settings.candidates, rows.context(row), avoid=())
            for row in range(len(rows))
            if rows.label(row) == supported
        ]
        answers, is_spent = until_spent(lambda: self.write(asked))
        contrasts = [
            self._contrast(one, w, rows.ids[one.row]) for one, w in zip(asked, answers, strict=not is_spent)
        ]
        kept, rejected = self._verified(rows, [c for c in contrasts if c is not None], refuted)
        edits, added = self._rows(rows, kept, refuted, set(rows.ids))
        figures = Figures(
            asked=len(asked),
            candidates=sum(len(answer.texts) for answer in answers),
            accepted=len(kept),
            rejected=rejected,
            refusals=dict(Counter(r for answer in answers for r in answer.refusals).most_common()),
        )
        stopped = BUDGET_SPENT if is_spent else "every row was gone through once"
        yield Round(1, tuple(edits), tuple(added), figures, stopped)

    def _contrast(self, one: Asked, written: Written, id: str) -> Contrast | None:
        how = written.how or ("",) * len(written.texts)
        found = [
            Contrast(one.row, text, done, self._evidence(one, text))
            for text, done in zip(written.texts, how, strict=True)
            if not (self.objection and self.objection(id, one.text, text))
        ]
        return next((c for c in found if c.evidence is not None), found[0] if found else None)

    def _evidence(self, one: Asked, negative: str) -> str | None:
        change = substituted(one.text, negative) if self.settings.evidence else None
        return None if change is None else replace_in(one.context or "", *change)

    def _verified(
        self, rows: Rows, contrasts: list[Contrast], refuted: str
    ) -> tuple[list[Contrast], dict[str, int]]:
        """The contrasts whose negative claim passes, and why others did not."""
        if self.verify is None:
            return contrasts, {}
        verify = self.verify
        candidates = [
            Candidate(c.row, rows.texts[c.row], c.claim, refuted, rows.context(c.row), keeps="label")
            for c in contrasts
        ]
        verdicts, _ = until_spent(lambda: verify(candidates))
        kept: list[Contrast] = []
        rejected: Counter[str] = Counter({"not verified": len(contrasts) - len(verdicts)})
        for contrast, theirs in zip(contrasts, verdicts, strict=False):
            failed = next((verdict.check for verdict in theirs if not verdict.passed), None)
            if failed is None:
                kept.append(Contrast(contrast.row, contrast.claim, contrast.how, contrast.evidence, theirs))
            else:
                rejected[failed] += 1
        return kept, {why: n for why, n in rejected.most_common() if n}

    def _rows(
        self, rows: Rows, contrasts: list[Contrast], refuted: str, taken: set[str]
    ) -> tuple[list[Edit], list[Example]]:
        edits: list[Edit] = []
        added: list[Example] = []
        for c in contrasts:
            claim, evidence, supported = rows.texts[c.row], rows.context(c.row) or "", rows.label(c.row)
            new = [(c.claim, evidence, refuted)]
            if c.evidence is not None:
                new += [(c.claim, c.evidence, supported), (claim, c.evidence, refuted)]
            for text, context, label in new:
                example = Example(fresh_id(taken, rows.ids[c.row], "crossaug"), text, label, context)
                added.append(example)
                edits += self._edits(rows, c, example)
        return edits, added

    def _edits(self, rows: Rows, contrast: Contrast, example: Example) -> Iterator[Edit]:
        """One edit for each column in which the new row differs from the one it was made from."""
        columns = [
            (rows.task.text_name, rows.texts[contrast.row], example.text),
            (rows.task.context_name or "context", rows.context(contrast.row) or "", example.context or ""),
        ]
        for field, before, after in columns:
            if before != after:
                yield Edit(
                    id=example.id,
                    field=field,
                    before=before,
                    after=after,
                    label_before=rows.label(contrast.row),
                    label_after=example.label,
                    method=self.name,
                    engine=self.write.name,
                    accepted=True,
                    verdicts=contrast.verdicts,
                    how=contrast.how,
                    source=rows.ids[contrast.row],
                )


def labels_of(rows: Rows) -> tuple[str, str]:
    """The label of supported claims and that of refuted ones."""
    by_stance = {stance: label for label, stance in rows.task.stances.items()}
    if rows.contexts is None or not {"entails", "contradicts"} <= set(by_stance):
        raise SettingError(
            "CrossAug needs pairs of claim and evidence, labelled as supported or refuted. "
            f"Got the labels {', '.join(map(str, rows.label_names))}"
            f"{' and no evidence' if rows.contexts is None else ''}. Use another method, or name the context column."
        )
    return by_stance["entails"], by_stance["contradicts"]


def substituted(before: str, after: str) -> tuple[str, str] | None:
    """The words of a text that another one has replaced, and by what; None where nothing was taken away.

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
    """The text with all occurrences of some words replaced, whole words only; None where it has none.

    >>> replace_in("Won in May, won in June.", "won", "lost")
    'Lost in May, lost in June.'
    """
    pattern = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)", re.IGNORECASE)
    if pattern.search(text):
        return pattern.sub(lambda found: like(new, found[0]) if found[0] != old else new, text)
    for article in ARTICLES:  # "a large" became "a small": the evidence may have "the large"
        if old.lower().startswith(article):
            return replace_in(text, old[len(article) :], new.partition(" ")[2] or new)
    return None


def _common(one: list[str], other: list[str]) -> int:
    """How many words two lists begin with together."""
    return next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
