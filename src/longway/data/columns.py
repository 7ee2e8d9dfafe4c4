"""Which column plays which part: given by the user, or guessed from the usual names.

A guess is made only where there is one answer. Two names of the same rank ("text" beside "review") are a
question for the user, and the error names the flag that answers it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

import polars as pl

# Ranked groups of names: the first group with a column in the data decides.
USUAL: dict[str, tuple[tuple[str, ...], ...]] = {
    "text": (
        ("text", "sentence", "review", "claim", "hypothesis", "question2", "sentence2", "tweet", "comment",
         "utterance"),
        ("content", "body", "document", "message", "post", "review_body", "review_text", "comment_text",
         "tweet_text"),
        ("headline", "title", "question", "statement", "response"),
    ),
    "context": (("context", "premise", "evidence", "question1", "sentence1", "passage", "paragraph"),),
    "label": (
        ("label", "labels", "gold_label"),
        ("sentiment", "class", "category", "target", "stance", "is_duplicate", "polarity", "verdict",
         "emotion", "intent"),
        ("label_text", "y", "gold", "topic", "toxic", "spam"),
    ),
    "id": (("longway_id",), ("id",), ("uid",), ("guid",), ("pairid",)),
    "split": (("split",), ("fold",), ("partition",)),
}  # fmt: skip
PAIRS = (  # context, text
    ("premise", "hypothesis"),
    ("evidence", "claim"),
    ("question1", "question2"),
    ("sentence1", "sentence2"),
    ("question", "sentence"),
    ("passage", "question"),
    ("context", "response"),
)
ROLES = tuple(USUAL)
NEEDED = ("text", "label")
LONG, VARIED = 15, 0.5  # mean characters and share of distinct values that make a lone column a text


@dataclass(frozen=True, slots=True)
class Columns:
    """The column of each role; `guessed` names the roles that nobody gave."""

    text: str
    context: str | None
    label: str
    id: str | None
    split: str | None
    guessed: tuple[str, ...] = ()

    def used(self) -> tuple[str, ...]:
        """The columns that play a part, each once."""
        names = (self.text, self.context, self.label, self.id, self.split)
        return tuple(dict.fromkeys(name for name in names if name is not None))


def choose(sample: pl.DataFrame, given: Mapping[str, str | None]) -> tuple[Columns | None, list[str]]:
    """The columns of a dataset and what is wrong with them; no columns where something is.

    sample: the first rows, with all columns.
    given: the user's choice for each role; None to guess, "" for a role that is to stay empty.
    """
    names = sample.columns
    faults = [_missing(role, name, names) for role, name in given.items() if name and name not in names]
    faults += _twice({role: name for role, name in given.items() if name})
    chosen = {role: name for role, name in given.items() if name}
    guesses, ties = _guess(names, chosen, closed={role for role, name in given.items() if name == ""})
    faults += ties.values()
    chosen |= guesses
    if "text" not in chosen and not ties and (lone := _lone_text(sample, chosen)):
        chosen["text"] = guesses["text"] = lone
    faults += [_not_found(role, names) for role in NEEDED if role not in chosen and role not in ties]
    if faults:
        return None, faults
    guessed = tuple(role for role in ROLES if role in guesses)
    columns = {role: chosen.get(role) for role in ("context", "id", "split")}
    return Columns(text=chosen["text"], label=chosen["label"], **columns, guessed=guessed), []


def _twice(chosen: Mapping[str, str]) -> list[str]:
    """What to say where one column was given for two roles."""
    roles = [role for role in ("text", "context", "label") if role in chosen]
    return [
        f"Column {chosen[a]!r} was given for both {a} and {b}. Each needs a column of its own. Change --{b}."
        for i, a in enumerate(roles)
        for b in roles[i + 1 :]
        if chosen[a] == chosen[b]
    ]


def _guess(
    names: list[str], chosen: Mapping[str, str], *, closed: set[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """The roles nobody gave, guessed; and for roles with several candidates, what to say about them."""
    free = {name.lower(): name for name in reversed(names) if name not in chosen.values()}
    guesses, ties = _guess_pair(free, chosen, closed), {}
    for role in ROLES:
        if role in chosen or role in guesses or role in closed:
            continue
        if role == "context" and _is_context_of_a_pair(chosen.get("text")):
            continue
        taken = set(guesses.values())
        candidates = _candidates(role, {low: name for low, name in free.items() if name not in taken})
        if len(candidates) == 1:
            guesses[role] = candidates[0]
        elif candidates:
            ties[role] = _tie(role, candidates)
    return guesses, ties


def _guess_pair(free: Mapping[str, str], chosen: Mapping[str, str], closed: set[str]) -> dict[str, str]:
    """Text and context that belong together by name, where exactly one such pair is there."""
    known = dict(free) | {name.lower(): name for role, name in chosen.items() if role in ("text", "context")}
    pairs = [(known[c], known[t]) for c, t in PAIRS if c in known and t in known]
    pairs = [
        (context, text)
        for context, text in pairs
        if chosen.get("text", text) == text and chosen.get("context", context) == context
    ]
    rivals = set(_candidates("text", free)) - {name for pair in pairs for name in pair}
    if len(pairs) != 1 or (rivals and "text" not in chosen and "context" not in chosen):
        return {}
    pair = {"context": pairs[0][0], "text": pairs[0][1]}
    return {role: name for role, name in pair.items() if role not in chosen and role not in closed}


def _is_context_of_a_pair(text: str | None) -> bool:
    """Whether the user's text is what is usually the context: then its partner is no context for it."""
    return text is not None and text.lower() in {context for context, _ in PAIRS}


def _candidates(role: str, free: Mapping[str, str]) -> list[str]:
    for group in USUAL[role]:
        found = [free[name] for name in group if name in free]
        if found:
            return found
    return []


def _lone_text(sample: pl.DataFrame, chosen: Mapping[str, str]) -> str | None:
    """The only column of words besides those chosen, if its values are long and varied."""
    rest = [name for name in sample.columns if name not in chosen.values() and _has_words(sample[name])]
    if len(rest) != 1:
        return None
    values = sample[rest[0]].drop_nulls().cast(pl.String)
    mean_length = values.str.len_chars().mean()
    if not isinstance(mean_length, float) or mean_length < LONG or values.n_unique() < VARIED * len(values):
        return None
    return rest[0]


def _has_words(series: pl.Series) -> bool:
    """Whether the column is text and not numbers written as text, as all are in a CSV file."""
    if series.dtype != pl.String:
        return False
    values = series.drop_nulls()
    return len(values) > 0 and bool(values.cast(pl.Float64, strict=False).is_null().any())


def _missing(role: str, name: str, names: list[str]) -> str:
    lower = {existing.lower(): existing for existing in names}
    near = get_close_matches(name.lower(), lower, n=1, cutoff=0.6)
    hint = f" Did you mean {lower[near[0]]!r}?" if near else ""
    return f"There is no column {name!r} for the {role}.{hint} The columns are {_list(names)}."


def _not_found(role: str, names: list[str]) -> str:
    return (
        f"No column could be recognised as the {role}. The columns are {_list(names)}. "
        f"Name it with --{role} (in Python: {role}=...)."
    )


def _tie(role: str, candidates: list[str]) -> str:
    or_none = "" if role in NEEDED else f", or say with --{role} '' that there is none"
    return (
        f"The {role} column could be {' or '.join(map(repr, candidates))}. Only one of them can be it. "
        f"Name it with --{role} (in Python: {role}=...){or_none}."
    )


def _list(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:20]))
    return f"{shown} and {len(names) - 20} more" if len(names) > 20 else shown or "none"
