"""What a proof shows, in one sentence and a few figures, built from the numbers alone.

A difference is told as one only where its test says so; where none does, that is what is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longway.show.excerpts import NAME_LIMIT, cut
from longway.show.numbers import arrow, count, counted
from longway.show.prove_results import (
    BETTER,
    MAIN,
    WORSE,
    Comparison,
    Proof,
    change,
    change_interval,
    figure,
    run_name,
)

MAX_TESTS = 3  # named in the sentence


def main_comparisons(proof: Proof, metric: str = MAIN) -> list[Comparison]:
    """The comparisons that the verdict is about: accuracy, the second version against the first, same method."""
    second = proof.versions[1] if len(proof.versions) > 1 else None
    return [
        one
        for one in proof.comparisons
        if (one.data, one.against, one.metric) == (second, proof.first, metric) and not one.of_methods
    ]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer in one sentence, and the figures it rests on in a few."""

    sentence: str
    details: str


def prove_verdict(
    changes: Sequence[Comparison],
    *,
    fairscores: Sequence[Comparison] = (),
    seeds: int | None = None,
    n_other_worse: int = 0,
    n_failed: int = 0,
    n_refused: int = 0,
) -> Verdict:
    """Did the change help, where, how surely, and what got worse, in plain words.

    changes: accuracy after against before, one for each run and test; fairscores: the same of the fairscore.
    seeds: how many each rests on, where known.
    n_other_worse: other measures that got clearly worse. n_refused: concerns that make a comparison unsound.

    >>> made = Comparison("after", "before", ("bow", "erm"), "erm", "dev", "accuracy", 0.5, 0.52, 0.02, -0.01, 0.05, 0.3, "no clear difference")
    >>> print(prove_verdict([made]).sentence)
    No clear difference: trained on after or on before, the model is right about as often on dev, as far as 1 comparison can tell.
    >>> print(prove_verdict([made]).details)
    The largest difference: on dev, bag of words gets 50.0% → 52.0% (+2.0 points, 95% interval −1.0 to +5.0).
    """
    better = [one for one in changes if one.verdict == BETTER]
    worse = [one for one in changes if one.verdict == WORSE]
    sentence = _sentence(changes, better, worse)
    if n_refused:
        sentence += " Not all of it is a fair comparison: read the concerns first."
    details = _details(changes, better, worse) + _of_fairscores(fairscores)
    if n_other_worse:
        details.append(f"By other measures, {counted(n_other_worse, 'figure')} got clearly worse; see below.")
    if changes and seeds == 1:
        details.append("One seed only: it tells two models apart, not yet the data they were trained on.")
    if n_failed:
        details.append(
            f"{counted(n_failed, 'training')} failed and {'is' if n_failed == 1 else 'are'} not in it."
        )
    return Verdict(sentence, " ".join(details))


def _sentence(
    changes: Sequence[Comparison], better: Sequence[Comparison], worse: Sequence[Comparison]
) -> str:
    if not changes:
        return "Nothing could be compared: no model has figures for both versions."
    new, old = cut(changes[0].data, NAME_LIMIT), cut(changes[0].against, NAME_LIMIT)
    if not better and not worse:
        models = "the model is" if len({one.run for one in changes}) == 1 else "models are"
        return (
            f"No clear difference: trained on {new} or on {old}, {models} right about as often on "
            f"{_tests(changes)}, as far as {counted(len(changes), 'comparison')} can tell."
        )
    if not worse:
        return f"It helped on {_tests(better)}: {_clear(better, len(changes))} better with {new} than with {old}, none worse."
    if not better:
        return f"It did harm on {_tests(worse)}: {_clear(worse, len(changes))} worse with {new} than with {old}, none better."
    return (
        f"Mixed: it helped on {_tests(better)} and did harm on {_tests(worse)}. Of {count(len(changes))} comparisons of "
        f"{new} with {old}, {count(len(better))} {_are(better)} clearly better and {count(len(worse))} clearly worse."
    )


def _details(
    changes: Sequence[Comparison], better: Sequence[Comparison], worse: Sequence[Comparison]
) -> list[str]:
    """The largest difference each way, and how many are not clear."""
    if not changes:
        return []
    if not better and not worse:
        return [f"The largest difference: {_told(_largest(changes))}."]
    told = []
    if better:
        told.append(f"The largest gain: {_told(_largest(better))}.")
    if worse:
        told.append(f"The largest loss: {_told(_largest(worse))}.")
    if n_unclear := len(changes) - len(better) - len(worse):
        told.append(f"{count(n_unclear)} {'shows' if n_unclear == 1 else 'show'} no clear difference.")
    return told


def _of_fairscores(changes: Sequence[Comparison]) -> list[str]:
    """Whether fewer answers change with the person, by the largest clear difference each way."""
    words = {BETTER: "Fewer answers change", WORSE: "More answers change"}
    told = []
    for verdict, what in words.items():
        if clear := [one for one in changes if one.verdict == verdict]:
            one = _largest(clear)
            figures = arrow(figure(one.before, one.metric), figure(one.after, one.metric))
            told.append(
                f"{what} when a person’s gender, race or age does: the fairscore of {run_name(one.run)} on "
                f"{cut(one.test, NAME_LIMIT)} goes {figures}."
            )
    return told or ["The fairscore shows no clear difference."] * bool(changes)


def _clear(some: Sequence[Comparison], n: int) -> str:
    """ "5 of 12 comparisons are clearly", or of the only one."""
    if n == 1:
        return "the one comparison is clearly"
    return f"{count(len(some))} of {count(n)} comparisons {_are(some)} clearly"


def _are(some: Sequence[Comparison]) -> str:
    return "is" if len(some) == 1 else "are"


def _tests(some: Sequence[Comparison]) -> str:
    """The names of the tests, most affected first."""
    ordered = sorted(some, key=lambda one: -abs(one.difference or 0.0))
    names = list(dict.fromkeys(cut(one.test, NAME_LIMIT) for one in ordered))
    shown, n_more = names[:MAX_TESTS], len(names) - MAX_TESTS
    if n_more > 0:
        return f"{', '.join(shown)} and {counted(n_more, 'more test set')}"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def _largest(some: Sequence[Comparison]) -> Comparison:
    return max(some, key=lambda one: abs(one.difference or 0.0))


def _told(one: Comparison) -> str:
    """One comparison with its figures."""
    interval = change_interval(one)
    sure = f", 95% interval {interval}" if interval else ""
    figures = arrow(figure(one.before), figure(one.after))
    return f"on {cut(one.test, NAME_LIMIT)}, {run_name(one.run)} gets {figures} ({change(one.difference)} points{sure})"
