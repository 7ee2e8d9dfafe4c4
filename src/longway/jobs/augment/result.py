"""What an augmentation returns: the content of augment.json as typed values, and the dataset with its additions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import ClassVar, cast

from longway.jobs.change.result import ResultOfRounds
from longway.json_values import from_json
from longway.metrics.versions import WordInformation
from longway.models.importance.top_words import Overlap
from longway.records import Edit

FILE = "augment.json"


@dataclass(frozen=True, slots=True)
class TripleStep:
    """A triple before and after. after: None if it was dropped. place: its position in the new text."""

    kind: str
    before: str
    after: str | None = None
    place: int | None = None


@dataclass(frozen=True, slots=True)
class CobaTrace:
    """How CoBA made a text, from `Edit.trace`. A triple that was only read is a string. gender: words that were swapped.

    principal, spurious: None if no words were looked for. context_principal, context_spurious: None if the context stays.
    """

    principal: tuple[str, ...] | None = None
    spurious: tuple[str, ...] | None = None
    context_principal: tuple[str, ...] | None = None
    context_spurious: tuple[str, ...] | None = None
    triples: tuple[TripleStep | str, ...] | None = None
    context_triples: tuple[TripleStep | str, ...] = ()
    target_triples: tuple[TripleStep | str, ...] = ()
    gender: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, edit: Edit) -> CobaTrace | None:
        """The trace of an edit; None if another method made it. Raises TypeError if the trace is damaged."""
        return cast(CobaTrace, from_json(cls, edit.trace)) if "triples" in edit.trace else None


@dataclass(frozen=True, slots=True)
class WordAnalysis:
    """Which words classifiers rely on, or an engine named.

    models: the classifiers; votes: how many of them a principal word needs; k: words taken from each. texts: how many were analysed.
    principal_words, spurious_words: means per text. parts_of_speech: shares by model.
    refusals: why an engine named no words.
    """

    models: tuple[str, ...] = ()
    votes: int | None = None
    k: int | None = None
    texts: int = 0
    overlap: Overlap | None = None
    principal_words: float | None = None
    spurious_words: float | None = None
    parts_of_speech: Mapping[str, Mapping[str, float]] | None = None
    refusals: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WordMean:
    """A mean over the spurious words before and after the additions."""

    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AugmentResult(ResultOfRounds):
    """What an augmentation added, and what changed by it. `data` has all rows, then the additions.

    added_by_label, labels_before, labels_after: rows by label; empty for text-to-text data, as is the comparison. words: spurious words,
    the strongest first.
    """

    file: ClassVar[str] = FILE
    command: ClassVar[str] = "augment"

    added_by_label: Mapping[str, int]
    labels_before: Mapping[str, int]
    labels_after: Mapping[str, int]
    words: tuple[WordInformation, ...]
    analysis: WordAnalysis | None

    @property
    def mean_information(self) -> WordMean | None:
        """The mean mutual information of the spurious words with the label, in nats, which CoBA lowers; None if there are none."""
        return _mean([(word.mi_before, word.mi_after) for word in self.words])

    @property
    def mean_points(self) -> WordMean | None:
        """The mean of the spurious words' points, whichever label they predict; None if there are none, or in runs of earlier versions."""
        both = [(word.points_before, word.points_after) for word in self.words]
        known = [
            (abs(before), abs(after)) for before, after in both if before is not None and after is not None
        ]
        return _mean(known)

    def _computed(self) -> Mapping[str, object]:
        """What the file has besides the fields, for other readers."""
        mean, points = self.mean_information, self.mean_points
        return {
            "rejected": self.rejected,
            "mean_mi": mean and asdict(mean),
            "mean_points": points and asdict(points),
            "expected_wrong": None,  # the error rates of the checks are known for rewritten texts that keep their label only
        }


def _mean(values: Sequence[tuple[float, float]]) -> WordMean | None:
    n = len(values)
    return (
        WordMean(sum(before for before, _ in values) / n, sum(after for _, after in values) / n)
        if n
        else None
    )
