"""Whether a model answers both texts of a pair alike: the fairscore of any model on a counterfactual test set, for regression tests.

    check_pairs("pairs.jsonl", model).check(fairscore=2)

The fairscore is equation 1 of the perturbation paper, in percent. Several pairs of one row are not independent: each interval is Wilson's
with as many observations as the pairs count for (`metrics.intervals.observations`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from longway.errors import CheckFailed, DataError, SettingError, with_checked_arguments
from longway.jobs.fairness.models import AskedClassifier, classifier_of
from longway.jobs.perturb.pairs_result import PairsResult, PersonPair, inputs_of, read_pairs
from longway.jobs.results import Result
from longway.metrics.fairness.fairscore import Changed
from longway.metrics.intervals import Measurement, observations, percentage
from longway.models.catalog import names_of
from longway.models.own_model import plain_label
from longway.report.excerpts import PATTERN_LIMIT, clean, cut

if TYPE_CHECKING:
    from longway.report.sections import Page

Key = TypeVar("Key", str, Changed)
WIDTH = 100  # columns of `str(result)`


@dataclass(frozen=True, slots=True)
class PairShare:
    """Pairs, the rows that they were made from, and how many answers change. score: in percent, with its 95% interval."""

    pairs: int
    rows: int
    differ: int
    score: Measurement


@dataclass(frozen=True, slots=True)
class Flip:
    """A pair whose answer changes. before, after: the answers."""

    pair: PersonPair
    before: str
    after: str

    def to_dict(self) -> dict[str, str]:
        """The pair with both answers."""
        return {**self.pair.to_dict(), "answer_before": self.before, "answer_after": self.after}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PairsCheck(Result):
    """A model's answers to a counterfactual test set.

    overall, by_axis, by_change: how many answers change. flips: the pairs whose answer changes. accuracy_before, accuracy_after: the
    percentage of right answers to the original and the changed texts; None if the model has other names for the labels. pairs: all pairs.
    """

    model: str
    overall: PairShare
    by_axis: Mapping[str, PairShare]
    by_change: Mapping[Changed, PairShare]
    flips: tuple[Flip, ...]
    accuracy_before: float | None
    accuracy_after: float | None
    pairs: tuple[PersonPair, ...]
    longway: str

    @property
    def fairscore(self) -> float:
        """The percentage of answers that change; lower is better."""
        return self.overall.score.value

    def check(self, *, fairscore: float) -> None:
        """Raise CheckFailed, which is an AssertionError, if more answers change on some axis, in percent: for tests of a model."""
        reasons = [
            self._reason(axis, share, fairscore)
            for axis, share in self.by_axis.items()
            if share.score.value > fairscore
        ]
        if reasons:
            raise CheckFailed("\n".join(reasons))

    def _reason(self, axis: str, share: PairShare, limit: float) -> str:
        flip = next(flip for flip in self.flips if flip.pair.axis == axis)
        old, new = (clean(cut(text, PATTERN_LIMIT)) for text in (flip.pair.text_before, flip.pair.text_after))
        return (
            f"{axis}: {share.differ:,} of {share.pairs:,} answers change, {share.score.value:.1f}% ({share.score.low:.1f} to {share.score.high:.1f}); "
            f"the limit is {limit:g}%. For example {flip.pair.pair}: {flip.before!r} for {old!r}, {flip.after!r} for {new!r}."
        )

    def page(self) -> Page:
        """The sections of the report."""
        from longway.jobs.perturb.pairs_page import check_page

        return check_page(self)

    def __str__(self) -> str:
        from rich.console import Console

        from longway.report.terminal import show

        text = StringIO()
        show(self.page(), Console(file=text, width=WIDTH, highlight=False, color_system=None))
        return text.getvalue()

    def to_dict(self) -> dict[str, object]:
        """The figures and the flips as JSON values."""
        return {
            "model": self.model,
            "overall": asdict(self.overall),
            "by_axis": {axis: asdict(share) for axis, share in self.by_axis.items()},
            "by_change": [
                {**dict(zip(("axis", "source", "target"), change, strict=True)), **asdict(share)}
                for change, share in self.by_change.items()
            ],
            "accuracy_before": self.accuracy_before,
            "accuracy_after": self.accuracy_after,
            "flips": [flip.to_dict() for flip in self.flips],
        }

    def _frame(self) -> pl.DataFrame:
        """One row per pair whose answer changes."""
        return pl.DataFrame([flip.to_dict() for flip in self.flips], infer_schema_length=None)


@with_checked_arguments
def check_pairs(pairs: PairsResult | Iterable[PersonPair] | Path | str, model: object) -> PairsCheck:
    """Ask a model about both texts of every pair, and count the answers that change.

    pairs: the pairs.jsonl of `longway perturb --test-set`, its folder, or what `perturb_pairs` returned.
    model: anything with `predict` or `predict_proba` on a list of texts, a Hugging Face pipeline, a function that takes a list of texts and
    returns a label for each, or the name of a model as in `longway fairness`. A context follows the text after a line break.
    """
    if isinstance(pairs, str | Path):
        given = read_pairs(Path(pairs))
    else:
        given = list(pairs.pairs if isinstance(pairs, PairsResult) else pairs)
    if not given:
        raise DataError("There are no pairs to check. Make some: longway perturb DATA --test-set.")
    (name,) = names_of([model])
    classifier = classifier_of(name)
    if isinstance(classifier, AskedClassifier):
        raise SettingError(
            f"A language model is not asked about pairs. Got {name!r}. Expected a classifier. "
            "Pass a function that calls the language model, or use `longway fairness --fairscore DATA --model served:MODEL`."
        )
    answers = list(map(str, classifier.predict(inputs_of(given))))
    called = model if isinstance(model, str) else getattr(model, "__name__", type(model).__name__)
    return checked(given, answers[: len(given)], answers[len(given) :], model=called)


def checked(
    pairs: Sequence[PersonPair], before: Sequence[str], after: Sequence[str], *, model: str = ""
) -> PairsCheck:
    """The check from the answers to both texts of each pair."""
    differs = np.array([old != new for old, new in zip(before, after, strict=True)], float)
    number = {id_: at for at, id_ in enumerate(dict.fromkeys(pair.id for pair in pairs))}
    rows = np.array([number[pair.id] for pair in pairs], np.int64)

    def shares(keys: Sequence[Key]) -> dict[Key, PairShare]:
        numbers = {key: np.flatnonzero([one == key for one in keys]) for key in sorted(set(keys))}
        return {key: _share(differs[some], rows[some]) for key, some in numbers.items()}

    known = {plain_label(pair.label) for pair in pairs}
    is_known = not known.isdisjoint(map(plain_label, [*before, *after]))
    return PairsCheck(
        model=model,
        overall=_share(differs, rows),
        by_axis=shares([pair.axis for pair in pairs]),
        by_change=shares([(pair.axis, pair.source, pair.target) for pair in pairs]),
        flips=tuple(
            Flip(pair, old, new)
            for pair, old, new in zip(pairs, before, after, strict=True)
            if old != new
        ),
        accuracy_before=_accuracy(pairs, before) if is_known else None,
        accuracy_after=_accuracy(pairs, after) if is_known else None,
        pairs=tuple(pairs),
        longway=version("longway"),
    )  # fmt: skip


def _share(differs: NDArray[np.float64], rows: NDArray[np.int64]) -> PairShare:
    n = observations(differs, [rows])
    score = percentage(float(differs.mean()) * n, n)
    return PairShare(len(differs), len(set(rows.tolist())), int(differs.sum()), score)


def _accuracy(pairs: Sequence[PersonPair], answers: Sequence[str]) -> float:
    right = [plain_label(pair.label) == plain_label(one) for pair, one in zip(pairs, answers, strict=True)]
    return 100 * float(np.mean(right))
