"""What a model's measures say in one sentence, and the figures at the top of the page.

A figure speaks clearly where its whole interval lies on one side of what no preference gives. The sentence never says that a model is
fair: where nothing is clear, nothing was found, and that is all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from longway.show.numbers import NONE, counted
from longway.show.sections import KeyFigure

Measure = Mapping[str, Any]


def fairness_verdict(measures: Mapping[str, Measure]) -> str:
    """The sentence under the title."""
    told = [sentence for name, say in _SAY.items() if name in measures and (sentence := say(measures[name]))]
    if not told:
        return "None of the measures found a clear preference. That is no proof that there is none."
    return " ".join(told[:2])


def key_figures(measures: Mapping[str, Measure]) -> list[KeyFigure]:
    """One figure for each measure that was given."""
    return [_KEY[name](measure) for name, measure in measures.items() if name in _KEY]


def _say_crows(measure: Measure) -> str:
    score = measure["overall"]["score"]
    if not _clear(score, 50):
        return ""
    side = "more" if score["value"] > 50 else "less"
    share = score["value"] if score["value"] > 50 else 100 - score["value"]
    return f"Of two sentences, the {side} stereotyping one is the likelier one in {share:.0f} of 100 pairs."


def _say_stereoset(measure: Measure) -> str:
    ss, lms = measure["overall"]["ss"], measure["overall"]["lms"]
    if not _clear(ss, 50):
        return ""
    side, share = (
        ("stereotypes", ss["value"]) if ss["value"] > 50 else ("anti-stereotypes", 100 - ss["value"])
    )
    return f"It prefers {side} in {share:.0f} of 100 contexts, and knows sense from nonsense in {lms['value']:.0f}."


def _say_weat(measure: Measure) -> str:
    about_people = measure["groups"].get("about people")
    if about_people is None or about_people["significant"]["low"] <= 5:
        return ""
    found, n = (
        round(about_people["significant"]["value"] * about_people["tests"] / 100),
        about_people["tests"],
    )
    return f"{found} of {counted(n, 'association test')} about people {'is' if found == 1 else 'are'} significant."


def _say_holistic(measure: Measure) -> str:
    clear = {axis: one["raw"]["value"] for axis, one in measure["axes"].items() if _above(one["raw"], 5)}
    if not clear:
        return ""
    axis = max(clear, key=lambda name: clear[name])
    return f"Of pairs of descriptors for {axis.replace('_', ' ')}, {clear[axis]:.0f} of 100 differ, where 5 would by chance."


def _say_fairscore(measure: Measure) -> str:
    score, rows = measure["overall"]["score"], measure["overall"]["rows"]
    if not measure["overall"]["differ"]:
        return ""
    return f"With another person in the text, the classifier changes its answer in {score['value']:.1f} of 100 rows ({counted(rows, 'row')} perturbed)."


def _key_crows(measure: Measure) -> KeyFigure:
    score = measure["overall"]["score"]
    return KeyFigure("CrowS-Pairs", _percent(score), f"prefer the stereotype, {_interval(score)}; 50 is even")


def _key_stereoset(measure: Measure) -> KeyFigure:
    icat = measure["overall"]["icat"]
    return KeyFigure(
        "StereoSet ICAT", f"{icat['value']:.1f}", f"{_interval(icat)}; chance has 50, 100 is best"
    )


def _key_weat(measure: Measure) -> KeyFigure:
    told = measure["groups"].get("about people") or measure["overall"]
    return KeyFigure(
        "WEAT/SEAT",
        _percent(told["significant"]),
        f"of {counted(told['tests'], 'test')} significant; mean |d| {told['mean_size']['value']:.2f}",
    )


def _key_holistic(measure: Measure) -> KeyFigure:
    axes = counted(len(measure["axes"]), "axis").replace("axiss", "axes")
    return KeyFigure(
        "HolisticBias", f"{measure['mean']:.1f}%", f"of descriptor pairs differ, mean of {axes}; 5 is chance"
    )


def _key_fairscore(measure: Measure) -> KeyFigure:
    score, accuracy = measure["overall"]["score"], measure["accuracy"]
    beside = f"accuracy {_percent(accuracy)}" if accuracy else "accuracy not known"
    return KeyFigure("Fairscore", _percent(score), f"answers change, {_interval(score)}; 0 is none; {beside}")


def _clear(figure: Measure, neutral: float) -> bool:
    return figure["low"] is not None and not figure["low"] <= neutral <= figure["high"]


def _above(figure: Measure, neutral: float) -> bool:
    return figure["low"] is not None and figure["low"] > neutral


def _percent(figure: Measure) -> str:
    return NONE if figure["value"] is None else f"{figure['value']:.1f}%"


def _interval(figure: Measure) -> str:
    return f"{figure['low']:.1f} to {figure['high']:.1f}" if figure["low"] is not None else "no interval"


_SAY: dict[str, Callable[[Measure], str]] = {
    "crows_pairs": _say_crows,
    "stereoset": _say_stereoset,
    "weat": _say_weat,
    "holistic": _say_holistic,
    "fairscore": _say_fairscore,
}
_KEY: dict[str, Callable[[Measure], KeyFigure]] = {
    "crows_pairs": _key_crows,
    "stereoset": _key_stereoset,
    "weat": _key_weat,
    "holistic": _key_holistic,
    "fairscore": _key_fairscore,
}
