"""The top of a proof's page: the verdict, what was proved with, the key figures."""

from __future__ import annotations

from collections.abc import Sequence

from longway.show.excerpts import NAME_LIMIT, cut
from longway.show.numbers import NONE, arrow, count, counted, duration, or_dash, percent
from longway.show.prove_groups import mean_gaps, whole_points
from longway.show.prove_results import (
    BETTER,
    FAIRSCORE,
    MAIN,
    WORSE,
    Comparison,
    Proof,
    Row,
    change,
    method_name,
    model_name,
    run_name,
)
from longway.show.prove_verdict import Verdict, main_comparisons, prove_verdict
from longway.show.prove_versions import LeakFigure
from longway.show.sections import KeyFigure

MAX_NAMED = 4  # models, methods, versions in a line


def verdict_of(results: Row, proof: Proof, worse: Sequence[Comparison]) -> Verdict:
    """The sentence at the top and what it rests on."""
    second = proof.versions[1] if len(proof.versions) > 1 else None
    others = [one for one in worse if one.data == second and one.metric != MAIN and not one.of_methods]
    return prove_verdict(
        main_comparisons(proof),
        fairscores=main_comparisons(proof, FAIRSCORE),
        seeds=_seeds(results),
        n_other_worse=len(others),
        n_failed=len(results["failed"]),
        n_refused=sum(bool(row.get("refused")) for row in results["concerns"]),
    )


def about(results: Row, proof: Proof) -> list[tuple[str, str]]:
    """What was trained on what, how often, when."""
    models = [model_name(name) for name in dict.fromkeys(model for model, _ in proof.runs)]
    methods = [method_name(name) for name in dict.fromkeys(method for _, method in proof.runs)]
    rows = [
        ("Versions", _few([cut(name, NAME_LIMIT) for name in proof.versions])),
        ("Models", _few(models)),
        ("Methods", _few(methods)),
        ("Test sets", _few([cut(name, NAME_LIMIT) for name in proof.tests])),
        ("Seeds", str(_seeds(results) or NONE)),
        ("Took", or_dash(results.get("seconds"), duration)),
    ]
    return [*rows, ("Made", cut(str(results["created"]), NAME_LIMIT))] if results.get("created") else rows


def key_figures(results: Row, proof: Proof, leaks: Sequence[LeakFigure]) -> list[KeyFigure]:
    """Six figures: what got better, the largest change each way, leak, gap, how much was changed."""
    changes = main_comparisons(proof)
    better = [one for one in changes if one.verdict == BETTER]
    worse = [one for one in changes if one.verdict == WORSE]
    n_unclear = len(changes) - len(better) - len(worse)
    return [
        KeyFigure(
            "Clearly better",
            f"{count(len(better))} of {count(len(changes))}" if changes else NONE,
            f"{count(len(worse))} clearly worse, {count(n_unclear)} no clear difference"
            if changes
            else "nothing was compared",
        ),
        _largest("Largest clear gain", better),
        _largest("Largest clear loss", worse),
        _leak(leaks, proof.versions),
        _gap(results["groups"], proof.versions),
        _changed(results["apart"], proof.versions),
    ]


def _seeds(results: Row) -> int | None:
    """How many seeds the best covered figure rests on; None where nothing was measured."""
    return max((row.get("seeds") or 1 for row in results["rows"]), default=None)


def _few(names: Sequence[str]) -> str:
    n_more = len(names) - MAX_NAMED
    return ", ".join(names[:MAX_NAMED]) + (f" and {count(n_more)} more" if n_more > 0 else "") or NONE


def _largest(name: str, some: Sequence[Comparison]) -> KeyFigure:
    if not some:
        return KeyFigure(name, NONE, "none")
    one = max(some, key=lambda each: abs(each.difference or 0.0))
    return KeyFigure(
        name,
        f"{change(one.difference)}",
        f"points: {run_name(one.run)} on {cut(one.test, NAME_LIMIT)}",
    )


def _leak(leaks: Sequence[LeakFigure], versions: Sequence[str]) -> KeyFigure:
    for one in leaks:
        if one.whole:
            continue
        found = [one.leaks[version] for version in versions[:2] if version in one.leaks]
        if len(found) == 2:
            change = arrow(percent(found[0].accuracy), percent(found[1].accuracy))
            return KeyFigure(
                f"Right from {one.name} alone", change, f"chance is {percent(found[0].majority)}"
            )
    return KeyFigure("Right from one part alone", NONE, "not measured")


def _gap(groups: Sequence[Row], versions: Sequence[str]) -> KeyFigure:
    name = "Gap, with and against patterns"
    before, after = mean_gaps(groups, versions)
    if before is None:
        return KeyFigure(name, NONE, "not measured")
    return KeyFigure(name, arrow(whole_points(before), whole_points(after)), "points of accuracy, on average")


def _changed(apart: Sequence[Row], versions: Sequence[str]) -> KeyFigure:
    """How much of the second version differs from the first."""
    for row in apart:
        if [row["against"], row["data"]] == versions[:2]:
            return KeyFigure(
                "Texts changed", or_dash(row["changed"], percent), f"of {counted(row['rows'], 'row')}"
            )
    return KeyFigure("Texts changed", NONE, "not measured")
