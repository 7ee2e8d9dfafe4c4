"""Which column is the text, the context, the label, the id, the split: given by the user, or guessed from common names.

    sample, given by the user  ->  choose()      ->  Columns
    a table, Columns           ->  role_frame()  ->  a frame with the columns text, context, label, id, split, usable

A role is guessed only if there is one candidate. Two names of the same rank ("text" and "review") are an error that names the
option to use.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import polars as pl

from longway.data.label_lists import Lists, has_tag, only_tag, tag_lists
from longway.data.table import RAW, DataTable, scalar_text
from longway.errors import ColumnError

# Ranked groups of names: the first group with a column in the data decides.
COMMON_NAMES: dict[str, tuple[tuple[str, ...], ...]] = {
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
CONTEXTS = {context for context, _ in PAIRS}
ROLES = tuple(COMMON_NAMES)
ID_COLUMN = "longway_id"  # of a row in a dataset that Longway wrote
WEIGHT_COLUMN = "longway_weight"  # of a row in training; written by `longway repair --remedy weigh`
NEEDED = ("text", "label")
MOST_VALUES, FEW_ROWS = (
    20,
    3,
)  # of a column that could be the label: most values, and fewest rows of each on average
USUAL_LABELS = frozenset(
    "0 1 -1 2 true false yes no y n pos neg positive negative neutral good bad spam ham toxic entailment contradiction".split()
)
LONG, VARIED = 15, 0.5  # least mean characters and share of distinct values of a text


@dataclass(frozen=True, slots=True)
class Columns:
    """The column of each role; `guessed` lists the roles that the user did not give.

    lists: whether the cells of the label column are lists (see label_lists.py). tag: the label is whether a row has this tag.
    language: of the texts, if the user gave it (see languages/dataset.py).
    """

    text: str
    context: str | None
    label: str
    id: str | None
    split: str | None
    guessed: tuple[str, ...] = ()
    lists: Lists = ""
    tag: str | None = None
    language: str | None = None

    def used(self) -> tuple[str, ...]:
        """The columns that have a role, each once."""
        names = (self.text, self.context, self.label, self.id, self.split)
        return tuple(dict.fromkeys(name for name in names if name is not None))

    def plain(self) -> Columns:
        """The same columns of a table that `plain_roles` returned."""
        return replace(self, lists="") if self.lists == "single" else self


def choose(sample: pl.DataFrame, given: Mapping[str, str | None]) -> tuple[Columns | None, list[str]]:
    """The columns of a dataset, or None and what is wrong.

    sample: the first rows, with all columns.
    given: the user's choice for each role; None to guess, "" for a role that stays empty.
    """
    names = sample.columns
    faults = [missing(role, name, names) for role, name in given.items() if name and name not in names]
    faults += _twice({role: name for role, name in given.items() if name})
    chosen = {role: name for role, name in given.items() if name}
    guesses, ties = _guess(names, chosen, closed={role for role, name in given.items() if name == ""})
    faults += ties.values()
    chosen |= guesses
    if "text" not in chosen and not ties and (lone := _lone_text(sample, chosen)):
        chosen["text"] = guesses["text"] = lone
    if unknown := [role for role in NEEDED if role not in chosen and role not in ties]:
        faults.append(_not_found(unknown, names))
    if faults:
        return None, faults
    guessed = tuple(role for role in ROLES if role in guesses)
    context, id_, split = (chosen.get(role) for role in ("context", "id", "split"))
    return Columns(chosen["text"], context, chosen["label"], id_, split, guessed), []


def _twice(chosen: Mapping[str, str]) -> list[str]:
    """A message for each column that was given for two roles."""
    roles = [role for role in ("text", "context", "label") if role in chosen]
    return [
        f"Column {chosen[a]!r} was given for both {a} and {b}. Each needs its own column. Change --{b}."
        for i, a in enumerate(roles)
        for b in roles[i + 1 :]
        if chosen[a] == chosen[b]
    ]


def _guess(
    names: list[str], chosen: Mapping[str, str], *, closed: set[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """The roles that can be guessed; and a message for each role with several candidates."""
    free = {name.strip().lower(): name for name in reversed(names) if name not in chosen.values()}
    guesses, ties = _guess_pair(free, chosen, closed), {}
    for role in ROLES:
        if role in chosen or role in guesses or role in closed:
            continue
        if role == "context" and chosen.get("text", "").strip().lower() in CONTEXTS:
            continue  # the user's text is usually a context
        taken = set(guesses.values())
        candidates = _candidates(role, {low: name for low, name in free.items() if name not in taken})
        if len(candidates) == 1:
            guesses[role] = candidates[0]
        elif candidates:
            or_none = "" if role in NEEDED else f", or use --{role} '' if there is none"
            ties[role] = (
                f"The {role} column could be {' or '.join(map(repr, candidates))}. Only one can be used. "
                f"Name it with --{role} (in Python: {role}=...){or_none}."
            )
    return guesses, ties


def _guess_pair(free: Mapping[str, str], chosen: Mapping[str, str], closed: set[str]) -> dict[str, str]:
    """Text and context whose names form a pair, if there is exactly one such pair."""
    known = dict(free) | {
        name.strip().lower(): name for role, name in chosen.items() if role in ("text", "context")
    }
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


def _candidates(role: str, free: Mapping[str, str]) -> list[str]:
    for group in COMMON_NAMES[role]:
        candidates = [free[name] for name in group if name in free]
        if candidates:
            return candidates
    return []


def _lone_text(sample: pl.DataFrame, chosen: Mapping[str, str]) -> str | None:
    """The only other column of words, if its values are long and varied."""
    rest = [name for name in sample.columns if name not in chosen.values() and _has_words(sample[name])]
    return rest[0] if len(rest) == 1 and _text_length(sample[rest[0]]) >= LONG else None


def _has_words(series: pl.Series) -> bool:
    """Whether the column is text and not numbers written as text, as in a CSV file."""
    if series.dtype != pl.String:
        return False
    values = series.drop_nulls()
    return len(values) > 0 and bool(values.cast(pl.Float64, strict=False).is_null().any())


def missing(role: str, name: str, names: list[str]) -> str:
    """The message for a column that does not exist."""
    lower = {existing.lower(): existing for existing in names}
    near = get_close_matches(name.lower(), lower, n=1, cutoff=0.6)
    hint = f" Did you mean {lower[near[0]]!r}?" if near else ""
    return f"There is no column {name!r} for the {role}.{hint} The columns are {_list(names)}."


def _not_found(roles: Sequence[str], names: list[str]) -> str:
    options, arguments = (
        " and ".join(f"--{role}" for role in roles),
        ", ".join(f"{role}=..." for role in roles),
    )
    return (
        f"No column could be recognised as the {' or the '.join(roles)}. The columns are {_list(names)}. "
        f"Name {'it' if len(roles) == 1 else 'them'} with {options} (in Python: {arguments})."
    )


def likely_columns(sample: pl.DataFrame, given: Mapping[str, str | None]) -> dict[str, str]:
    """The columns that look like the text and the label, to suggest them: the longest varied texts, and the fewest values.

    Columns that the user named, and those with a usual name, are kept. Empty if there is none for one of the two.

    >>> rows = pl.DataFrame({"nr": range(40), "opinion": [f"This is opinion number {i}" for i in range(40)], "good": ["0", "1"] * 20})
    >>> likely_columns(rows, {})
    {'text': 'opinion', 'label': 'good'}
    """
    named = {role: name for role, name in given.items() if name and name in sample.columns}
    guesses, _ = _guess(sample.columns, named, closed={role for role, name in given.items() if name == ""})
    found = {role: name for role, name in {**guesses, **named}.items() if role in NEEDED}
    if "text" not in found:
        lengths = {name: _text_length(sample[name]) for name in sample.columns if name not in found.values()}
        if (longest := max(lengths, key=lambda name: lengths[name], default="")) and lengths[longest] >= LONG:
            found = {"text": longest, **found}
    if "label" not in found:
        counts = {name: _label_values(sample[name]) for name in sample.columns if name not in found.values()}
        few = [name for name, values in counts.items() if 2 <= len(values) <= MOST_VALUES]
        # Of columns with equally few values, those with the usual ones of a label come first.
        few.sort(key=lambda name: (len(counts[name]), not counts[name] <= USUAL_LABELS))
        found |= {"label": few[0]} if few else {}
    return found if len(found) == len(NEEDED) else {}


def _text_length(series: pl.Series) -> float:
    """The mean length of texts; 0 if they are not varied."""
    values = series.drop_nulls()
    if not _has_words(series) or values.n_unique() < VARIED * len(values):
        return 0.0
    mean = values.str.len_chars().mean()
    return mean if isinstance(mean, float) else 0.0


def _label_values(series: pl.Series) -> set[str]:
    """The values of a column that could be labels; empty if it has many or cannot be one."""
    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
        return set()
    values = series.drop_nulls().cast(pl.String).str.strip_chars().str.to_lowercase()
    values = values.filter(values != "")
    return set(values.unique()) if len(values) > FEW_ROWS * values.n_unique() else set()


def _list(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:20]))
    return f"{shown} and {len(names) - 20} more" if len(names) > 20 else shown or "none"


NOT_BLANK = r"\S"


def role_frame(table: DataTable, columns: Columns) -> pl.DataFrame:
    """The roles of the table's rows as text; `usable` if a row has a text and a label."""
    roles = {
        "text": columns.text,
        "context": columns.context,
        "id": columns.id,
        "split": columns.split,
    }
    series = [_role(table, name, role) for role, name in roles.items() if name is not None]
    frame = pl.DataFrame([*series, _label(table, columns)])
    if "context" in frame.columns:
        frame = frame.with_columns(pl.col("context").fill_null(""))
    return frame.with_columns(
        pl.when(pl.col("label").str.contains(NOT_BLANK)).then("label").alias("label"),
        pl.col("text").str.contains(NOT_BLANK).fill_null(False).alias("has_text"),
    ).with_columns((pl.col("has_text") & pl.col("label").is_not_null()).alias("usable"))


def plain_roles(table: DataTable, columns: Columns) -> DataTable:
    """The table with plain text in text, context and label columns that are kept as JSON text."""
    names = table.json_columns & {columns.text, columns.context, columns.label}
    if columns.lists:
        names -= {columns.label}
    frame = table.frame.with_columns(_from_json(table.frame[name]) for name in names if name is not None)
    if columns.lists == "single" and columns.label in frame.columns:
        frame = frame.with_columns(_label(table, columns).alias(columns.label)).drop(RAW, strict=False)
        table = table.without_raw()  # all rows are written with labels instead of lists
        names |= {columns.label}
    return replace(table, frame=frame, json_columns=table.json_columns - names)


def changed(table: DataTable, known: DataTable, name: str) -> pl.Series:
    """Whether each cell of a column differs from that of its row in `known`, the original rows as a table."""
    now = table.frame[name]
    before = known.with_frame(known.frame.select(name)[table.frame[RAW]])
    if now.dtype == before.frame[name].dtype and name not in known.json_columns - table.json_columns:
        return before.frame[name].ne_missing(now)
    return _role(before, name, name).ne_missing(as_text(now))


def _role(table: DataTable, name: str, role: str) -> pl.Series:
    if name not in table.frame.columns:  # a chunk of JSON Lines in which no row has this key
        return pl.Series(role, [None] * table.frame.height, dtype=pl.String)
    series = table.frame[name]
    texts = _from_json(series) if name in table.json_columns else as_text(series)
    return texts.alias(role)


def _label(table: DataTable, columns: Columns) -> pl.Series:
    if not columns.lists and columns.tag is None:
        return _role(table, columns.label, "label")
    labels = tag_lists(table, columns.label)
    if columns.tag is not None:
        labels = has_tag(labels, columns.tag)
    elif columns.lists == "single":
        labels = only_tag(labels)
    return labels.alias("label")


def as_text(series: pl.Series) -> pl.Series:
    """The cells as text: 1 and 1.0 as "1", True as "true".

    >>> as_text(pl.Series([1.0, 2.5, None])).to_list()
    ['1', '2.5', None]
    """
    dtype = series.dtype
    if dtype == pl.String:
        return series
    if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
        raise _not_text(series.name, str(dtype))
    if dtype.is_float():
        return _float_text(series)
    try:
        return series.cast(pl.String)
    except pl.exceptions.InvalidOperationError:  # a duration, for example
        raise _not_text(series.name, str(dtype)) from None


def _float_text(series: pl.Series) -> pl.Series:
    number = pl.col("x")
    is_whole = number.is_finite() & (number == number.round(0)) & (number.abs() < 2**53)
    text = (
        pl.when(is_whole)
        .then(pl.when(is_whole).then(number).cast(pl.Int64).cast(pl.String))
        .when(number.is_not_nan())
        .then(number.cast(pl.String))
    )
    return pl.DataFrame({"x": series}).select(text.alias(series.name)).to_series()


def _from_json(series: pl.Series) -> pl.Series:
    """The text of cells that are kept as JSON text because they have several types."""
    cells = [
        None if cell is None else _scalar_text(json.loads(cell), series.name) for cell in series.to_list()
    ]
    return pl.Series(series.name, cells, dtype=pl.String)


def _scalar_text(value: Any, name: str) -> str:
    if isinstance(value, list | dict):
        raise _not_text(name, "lists" if isinstance(value, list) else "objects")
    return scalar_text(value)


def _not_text(name: str, content: str) -> ColumnError:
    return ColumnError(
        f"The column {name!r} cannot be used. Expected text, numbers or true/false; got {content}. "
        "Name another column, or convert it to text first."
    )
