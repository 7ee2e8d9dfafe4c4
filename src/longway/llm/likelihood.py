"""How likely each label was, read off the token probabilities of one greedy answer.

A server that gives log probabilities tells, for each token of its answer, how likely the other tokens were at that place. Where an
alternative begins another label ("REF" instead of "SUP"), its probability is that label's. The walk ends at the first
token after which one label only is left; what was not given away by then is the chosen label's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import exp

Tokens = Sequence[tuple[str, float, Sequence[tuple[str, float]]]]


def likelihoods(tokens: Tokens, chosen: str, options: Sequence[str]) -> dict[str, float]:
    """The probability of each option, summing to 1; 1.0 for the chosen one where the tokens do not tell.

    >>> tokens = [("yes", -0.2231, [("yes", -0.2231), ("no", -1.6094)])]
    >>> {label: round(p, 2) for label, p in likelihoods(tokens, "yes", ["yes", "no"]).items()}
    {'yes': 0.8, 'no': 0.2}
    """
    mass = dict.fromkeys(options, 0.0)
    start = _start("".join(token for token, _, _ in tokens), chosen)
    reach, place = 1.0, 0  # how likely the answer up to here was, and its length
    for token, log_p, alternatives in tokens if start is not None else ():
        assert start is not None
        if place + len(token) > start:
            for other, other_log_p in alternatives:
                if other and other != token and (fits := _fitting(place - start, other, chosen, options)):
                    for option in fits:
                        mass[option] += reach * exp(other_log_p) / len(fits)
            reach *= exp(log_p)
            if len(_fitting(place - start, token, chosen, options)) <= 1:
                break
        place += len(token)
    mass[chosen] += reach
    total = sum(mass.values())
    if not total > 0:  # so unlikely, token by token, that nothing is left
        return {option: float(option == chosen) for option in options}
    return {option: p / total for option, p in mass.items()}


def _start(answer: str, chosen: str) -> int | None:
    """Where the label stands in the answer: its last place, since a model may think about labels before."""
    for written in (json.dumps(chosen, ensure_ascii=False)[1:-1], chosen):
        if (start := answer.rfind(written)) >= 0:
            return start
    start = answer.casefold().rfind(chosen.casefold())
    return start if start >= 0 else None


def _fitting(place: int, token: str, chosen: str, options: Sequence[str]) -> list[str]:
    """The options that the answer may still become when `token` follows `place` characters of the chosen one.

    A negative place means that the token begins before the label, with its quote.
    """
    if place >= 0:
        so_far = (chosen[:place] + token).casefold()
    elif len(token) > -place:
        so_far = token[-place:].casefold()
    else:
        return []
    return [option for option in options if _agree(so_far, option.casefold())]


def _agree(so_far: str, option: str) -> bool:
    """Whether the answer so far is the beginning of the option, or the option with what may follow it."""
    if len(so_far) <= len(option):
        return option.startswith(so_far)
    return so_far.startswith(option) and not so_far[len(option)].isalnum()
