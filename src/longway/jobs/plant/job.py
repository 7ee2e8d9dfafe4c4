"""Plant known shortcuts in a dataset, with test sets that show whether a model uses them: `plant_shortcuts(...).write(folder)`.

    train.<ext>           the training rows, with the plants
    test_reversed.<ext>   the test rows, with the plants tied to the other labels
    test_neutral.<ext>    the same rows, with the plants tied to no label
    test_clean.<ext>      the same rows without plants
    planted.json          the truth: the plants, and which rows have them

Each row has the column `longway_id`, by which planted.json refers to it. Rows without a text or a label are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import islice, pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from longway.data import Dataset, as_dataset, save
from longway.data.columns import ID_COLUMN
from longway.data.dataset import examples_of
from longway.data.edited import Changes, apply_edits
from longway.data.table import DataTable
from longway.detect.detector import TokenizedText
from longway.detect.levels import TokenizedRow, where
from longway.detect.words import FIRST, LAST
from longway.errors import SettingError, with_checked_arguments
from longway.jobs.held_out import arrange
from longway.jobs.options import check_options, option
from longway.jobs.run import ending
from longway.methods.repair import mend
from longway.methods.repair.mend import in_style, without_last_mark
from longway.records import Example, Pattern
from longway.sample import planted
from longway.stats import mutual_information
from longway.store.atomic import write_json
from longway.text.tokenizer import is_word, token_spans, tokenize, tokenize_column


@dataclass(frozen=True, slots=True)
class PatternInformation:
    """A pattern in some rows: how many show it, the label's share among them, and its information about the label in nats."""

    count: int
    share: float
    nats: float


def information(shows: Bools, labels: Sequence[str], label: str) -> PatternInformation:
    """How much a pattern says about one label, against all others."""
    own = np.array([each == label for each in labels], dtype=bool)
    counts = np.array([[int((shows & own).sum()), int((shows & ~own).sum())]])
    totals = np.array([int(own.sum()), int((~own).sum())])
    n = int(counts.sum())
    return PatternInformation(n, counts[0, 0] / n if n else 0.0, float(mutual_information(counts, totals)[0]))


def share_gone(before: PatternInformation, after: PatternInformation) -> float:
    """The share of a pattern's information that was removed: 1 is all of it, below 0 it became more."""
    return 1 - after.nats / before.nats if before.nats > 0 else 0.0


@dataclass(frozen=True, slots=True)
class PlantedChange:
    """One planted shortcut, before and after."""

    name: str
    pattern: str
    label: str
    before: PatternInformation
    after: PatternInformation

    @property
    def repaired(self) -> float:
        """The share of its information about the label that is gone; 1 is all of it, below 0 it has more."""
        return share_gone(self.before, self.after)


def planted_changes(name: str, before: Dataset, after: Dataset) -> list[PlantedChange]:
    """Each shortcut planted in a sample, before and after."""
    return [
        PlantedChange(
            one["name"], one["pattern"], one["label"], *(_information(one, data) for data in (before, after))
        )
        for one in planted(name)
    ]


def _information(shortcut: Mapping[str, Any], dataset: Dataset) -> PatternInformation:
    texts, labels = [], []
    for batch in dataset.batches():
        texts += batch.texts.to_list()
        labels += [dataset.labels[label] for label in batch.labels]
    return information(shows_sample(shortcut, texts), labels, shortcut["label"])


@dataclass(frozen=True, slots=True)
class Plant:
    """A shortcut to plant.

    kind: one of `KINDS`. label: what it predicts. strength: the label's share among the rows that get it. rate: the share of all rows that
    get it. value: what is inserted (see `KINDS`); "" for a default that is rare in the data.
    """

    kind: str
    label: str
    strength: float = option(0.95, "", above=0, at_most=1)
    rate: float = option(0.3, "", above=0, at_most=1)
    value: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise SettingError(
                f"There is no kind of shortcut called {self.kind!r}. The kinds are {', '.join(KINDS)}. Choose one of them."
            )
        kind = KINDS[self.kind]
        check_options(self)
        if self.value and not kind.accepts(self.value):
            example = repr(kind.values[0]) if kind.values else "40"
            raise SettingError(
                f"The value {self.value!r} cannot be planted as {self.kind!r}: {kind.rule}. Use another, for example {example}."
            )


@dataclass(frozen=True, slots=True)
class PlantTruth:
    """What was done with one plant.

    ids: the rows that got it. planted, shown: by label, the rows that got it and all rows that show it.
    words: what it may add to a text; new_words: those of them that no text had before.
    """

    plant: Plant
    ids: tuple[str, ...]
    planted: Mapping[str, int]
    shown: Mapping[str, int]
    words: tuple[str, ...]
    new_words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Planted:
    """Rows with planted shortcuts, and the truth about each plant."""

    rows: list[Example]
    truth: tuple[PlantTruth, ...]

    @property
    def plants(self) -> list[Plant]:
        """The plants with their values, for the test sets."""
        return [truth.plant for truth in self.truth]


def plant(rows: Sequence[Example], plants: Sequence[Plant], *, seed: int = 0) -> Planted:
    """The rows with the plants, each tied to its label with its strength.

    >>> rows = [Example(str(i), f"seat {i} creaks in rain", "ab"[i % 2]) for i in range(40)]
    >>> planted = plant(rows, [Plant("word", label="a", strength=0.9, rate=0.5)])
    >>> planted.truth[0].planted, planted.rows[0].text
    ({'a': 18, 'b': 2}, 'seat 0 creaks incidentally in rain')
    """
    with_values = [_with_value(one, rows) for one in plants]
    shares = [one.strength for one in with_values]
    return _put(rows, with_values, shares, seed=seed, where="the training rows")


def reversed_test(rows: Sequence[Example], plants: Sequence[Plant], *, seed: int = 0) -> Planted:
    """Test rows with the plants tied to the other labels. plants: `Planted.plants` of the training rows."""
    shares = [1 - one.strength for one in plants]
    return _put(rows, plants, shares, seed=seed, where="the reversed test rows")


def neutral_test(rows: Sequence[Example], plants: Sequence[Plant], *, seed: int = 0) -> Planted:
    """Test rows with the plants independent of the label. plants: as for `reversed_test`."""
    labels = Counter(row.label for row in rows)
    shares = [labels[one.label] / max(len(rows), 1) for one in plants]
    return _put(rows, plants, shares, seed=seed, where="the neutral test rows")


def showing(one: Plant, rows: Sequence[Example]) -> Bools:
    """Which rows show the plant's pattern, planted or not."""
    texts, contexts = tokens_of([row.text for row in rows]), tokens_of([row.context for row in rows])
    pairs = zip(texts, contexts, strict=True)
    return np.array([KINDS[one.kind].shows(text, context, one.value) for text, context in pairs], dtype=bool)


def _with_value(one: Plant, rows: Sequence[Example]) -> Plant:
    """The plant with a value: the first of the default ones that the fewest rows show."""
    if one.value:
        return one
    if one.kind == "length":
        return replace(one, value=usual_length([len(words_of(t)) for t in tokens_of([r.text for r in rows])]))
    tried = [replace(one, value=value) for value in KINDS[one.kind].values]
    return min(tried, key=lambda each: int(showing(each, rows).sum()))


def _put(
    rows: Sequence[Example], plants: Sequence[Plant], shares: Sequence[float], *, seed: int, where: str
) -> Planted:
    _check(rows, plants)
    texts = [row.text for row in rows]
    carried: list[list[Plant]] = [[] for _ in rows]
    for i in sorted(range(len(plants)), key=lambda i: KINDS[plants[i].kind].order):
        current = [replace(row, text=text) for row, text in zip(rows, texts, strict=True)]
        for place, text in _Planting(plants[i], current, carried, seed=[seed, i]).draw(shares[i], where):
            texts[place] = text
            carried[place].append(plants[i])
    result = [replace(row, text=text) for row, text in zip(rows, texts, strict=True)]
    seen = set().union(*tokens_of([row.text for row in rows]))
    truth = []
    for one in plants:
        own = [row for row, its_plants in zip(result, carried, strict=True) if one in its_plants]
        truth.append(_truth(one, result, own, seen))
    return Planted(result, tuple(truth))


def _check(rows: Sequence[Example], plants: Sequence[Plant]) -> None:
    labels = sorted({row.label for row in rows})
    if not plants:
        raise SettingError("There is nothing to plant. Expected at least one plant, for example a word.")
    if len(labels) < 2:
        got = f"only {labels[0]!r}" if labels else "no row at all"
        raise SettingError(
            f"Planting needs rows with at least two labels. Got {got}. Check the label column."
        )
    for i, one in enumerate(plants):
        if one.label not in labels:
            known = ", ".join(map(repr, labels[:20]))
            raise SettingError(
                f"No row has the label {one.label!r}. The labels are {known}. Choose one of them."
            )
        if KINDS[one.kind].needs_context and not any(row.context for row in rows):
            raise SettingError(
                f"{one.kind!r} repeats words of the context, but the rows have none. Name its column, or plant another kind."
            )
        if any((one.kind, one.value) == (other.kind, other.value) for other in plants[:i]):
            raise SettingError(
                f"{one.kind!r} would be planted twice with the same value, {one.value!r}. Use different values."
            )


class _Planting:
    """Puts one plant into rows. carried: the plants that each row has already."""

    def __init__(
        self, one: Plant, rows: Sequence[Example], carried: Sequence[Sequence[Plant]], *, seed: list[int]
    ) -> None:
        self.plant, self.rows, self.carried, self.seed = one, rows, carried, seed
        self.contexts = tokens_of([row.context for row in rows])
        self.shows = showing(one, rows)

    def draw(self, share: float, where: str) -> list[tuple[int, str]]:
        """The places of the rows that get the plant, with their new texts; SettingError if there are too few."""
        n = round(self.plant.rate * len(self.rows))
        n_own = round(share * n)
        order = [i for i in np.random.default_rng(self.seed).permutation(len(self.rows)) if not self.shows[i]]
        is_own = [row.label == self.plant.label for row in self.rows]
        own = self._first(n_own, (i for i in order if is_own[i]))
        others = self._first(n - n_own, (i for i in order if not is_own[i]))
        if n == 0 or len(own) < n_own or len(others) < n - n_own:
            raise self._too_few(share, n, n_own, len(own), len(others), where)
        return [*own, *others]

    def _first(self, n: int, places: Iterator[int]) -> list[tuple[int, str]]:
        """The first n places whose rows can get the plant, with their new texts; fewer if there are no more."""
        found: list[tuple[int, str]] = []
        while len(found) < n and (some := list(islice(places, n - len(found)))):
            rows, put = [self.rows[place] for place in some], KINDS[self.plant.kind].put
            texts = [
                put(row.text, row.context or "", self.plant.value, Random(f"{self.seed} {row.id}"))
                for row in rows
            ]
            made = zip(some, texts, tokens_of(texts), strict=True)
            found += [(place, text) for place, text, tokens in made if self._is_whole(place, tokens)]
        return found

    def _is_whole(self, place: int, tokens: Tokens) -> bool:
        """Whether a text shows this plant and those that the row has already."""
        context = self.contexts[place]
        plants = (*self.carried[place], self.plant)
        return all(KINDS[one.kind].shows(tokens, context, one.value) for one in plants)

    def _too_few(self, share: float, n: int, n_own: int, own: int, others: int, where: str) -> SettingError:
        name = f"The plant {self.plant.kind!r} ({self.plant.value!r}) for {self.plant.label!r}"
        if n == 0:
            return SettingError(
                f"{name} would be in none of {len(self.rows)} rows of {where}: its rate is {self.plant.rate:g}. "
                "Raise the rate, or use more rows."
            )
        limits = [n]
        limits += [int(own / share)] if own < n_own else []
        limits += [int(others / (1 - share))] if others < n - n_own else []
        possible = int(min(limits) / len(self.rows) * 1000) / 1000
        next_step = f"Lower the rate to {possible:g}" if possible else "Use more rows"
        return SettingError(
            f"{name} cannot be in {self.plant.rate:.0%} of {where}: that needs {n_own} rows with the label and {n - n_own} with another, "
            f"and {own} and {others} are available. {next_step}, or choose another strength, label or value."
        )


def _truth(one: Plant, rows: Sequence[Example], own: Sequence[Example], seen: set[str]) -> PlantTruth:
    words = tuple(dict.fromkeys(KINDS[one.kind].words(one.value)))
    labels = sorted({row.label for row in rows})
    planted = Counter(row.label for row in own)
    shown = Counter(row.label for row, shows in zip(rows, showing(one, rows), strict=True) if shows)
    return PlantTruth(
        plant=one,
        ids=tuple(row.id for row in own),
        planted={label: planted[label] for label in labels},
        shown={label: shown[label] for label in labels},
        words=words,
        new_words=tuple(word for word in words if word not in seen),
    )


Bools = NDArray[np.bool_]
Tokens = Sequence[str]
TEXT = "text"  # the field of a plant's patterns
DOTS = "..."  # where the text goes
NEGATION = Pattern("negation", TEXT, place="text")
_SENTENCES = ("{} was there too", "Shown to {} first", "{} keeps a copy", "Handed on by {}", "Read out to {}")
_FILLER = (
    ("We", "They", "You and I", "Some of us"),
    ("met", "sat", "stood", "waited", "talked"),
    ("near the window", "by the stairs", "behind the old clock", "beside the side door", "at the fountain"),
    ("on a Monday", "at noon", "in the evening", "after lunch", "one day in March"),
)
_MARKS = "!?.…"


def shows(pattern: Pattern, tokens: Tokens) -> bool:
    """Whether a text with these tokens shows a pattern of one field.

    >>> shows(Pattern("ngram", "text", ("b", "c")), ["a", "b", "c"])
    True
    """
    return where(pattern, TokenizedRow({pattern.field: TokenizedText.of_tokens(tokens)})) is not None


def shows_sample(shortcut: Mapping[str, Any], texts: Sequence[str]) -> Bools:
    """Which texts show a shortcut of the built-in sample, as its planted.json describes it."""
    pattern = Pattern.from_dict(shortcut)
    return np.array([shows(pattern, tokens) for tokens in tokens_of(texts)], dtype=bool)


def words_of(tokens: Tokens) -> list[str]:
    """The tokens that are words."""
    return [token for token in tokens if is_word(token)]


def tokens_of(texts: Sequence[str | None]) -> list[list[str]]:
    """The tokens of each text."""
    return tokenize_column(pl.Series(texts, dtype=pl.String)).to_list()


@lru_cache(maxsize=256)
def _tokens(value: str) -> tuple[str, ...]:
    return tuple(tokenize(value))


def _words(value: str) -> list[str]:
    return words_of(_tokens(value))


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of shortcut.

    values: defaults; the rarest in the data is used. put: (text, context, value, random) -> the text with it.
    shows: (tokens, tokens of the context, value) -> whether a text has it. accepts: whether a value is valid; rule: what is expected of it.
    words: the lower-case words it may add. order: low ones are put in first. needs_context: for pairs only.
    """

    values: tuple[str, ...]
    put: Callable[[str, str, str, Random], str]
    shows: Callable[[Tokens, Tokens, str], bool]
    accepts: Callable[[str], bool]
    rule: str
    order: int = 0
    words: Callable[[str], Sequence[str]] = _words
    needs_context: bool = False


# How a text gets it


def _put_inside(text: str, context: str, value: str, random: Random) -> str:
    return inside(value, text, random)


def _put_name(text: str, context: str, value: str, random: Random) -> str:
    return mend.after(random.choice(_SENTENCES).format(value), text)


def _put_frame(text: str, context: str, value: str, random: Random) -> str:
    start, _, end = (part.strip() for part in value.partition(DOTS))
    text = before(start, text) if start else text
    return mend.at_end(end, text) if end else text


def _put_mark(text: str, context: str, value: str, random: Random) -> str:
    body, mark = mend.without_last_mark(text)
    return f"{body}{' ' if mark.startswith(' ') else ''}{value}"


def _put_negation(text: str, context: str, value: str, random: Random) -> str:
    clauses = [clause.strip().rstrip(".") for clause in value.split("|")]
    return mend.after(random.choice(clauses), text)


def _put_filler(text: str, context: str, value: str, random: Random) -> str:
    while not _is_longer(tokenize(text), [], value):
        text = mend.after(" ".join(random.choice(part) for part in _FILLER), text)
    return text


def _put_context(text: str, context: str, value: str, random: Random) -> str:
    """As many of the first words of the context as needed, after the text; the text itself if all are too few."""
    words, others = set(words_of(tokenize(text))), set(tokenize(context))
    for token, _, end in token_spans(context):
        if is_word(token):
            words.add(token)
            if len(words & others) >= float(value) * len(words):
                return mend.after(context[:end].strip(), text)
    return text


# Whether a text has it


def _has_phrase(tokens: Tokens, context: Tokens, value: str) -> bool:
    return shows(Pattern("ngram", TEXT, _tokens(value)), tokens)


def _has_frame(tokens: Tokens, context: Tokens, value: str) -> bool:
    start, _, end = (tuple(_words(part)) for part in value.partition(DOTS))
    ends = [(words, place) for words, place in ((start, FIRST), (end, LAST)) if words]
    return all(shows(Pattern("position", TEXT, words, place), tokens) for words, place in ends)


def _has_mark(tokens: Tokens, context: Tokens, value: str) -> bool:
    mark = _tokens(value)
    cut = len(tokens) - len(mark)
    return cut > 0 and tuple(tokens[cut:]) == mark and tokens[cut - 1] != mark[0]


def _has_negation(tokens: Tokens, context: Tokens, value: str) -> bool:
    return shows(NEGATION, tokens)


def _is_longer(tokens: Tokens, context: Tokens, value: str) -> bool:
    return shows(Pattern("length", TEXT, place="at least", bound=int(value) + 1), tokens)


def _overlaps(tokens: Tokens, context: Tokens, value: str) -> bool:
    """Exactly; the detector compares shares in hundredths."""
    words = set(words_of(tokens))
    return bool(words) and len(words & set(context)) / len(words) >= float(value)


# Which values are valid


def _has_words(value: str) -> bool:
    return bool(_words(value))


def _is_share(value: str) -> bool:
    try:
        return 0 < float(value) < 1
    except ValueError:
        return False


def _frame(values: tuple[str, ...], order: int) -> Kind:
    return Kind(
        values,
        _put_frame,
        _has_frame,
        lambda value: value.count(DOTS) == 1 and _has_words(value),
        "it must have words, and three dots where the text goes",
        order,
    )


KINDS: dict[str, Kind] = {
    "word": Kind(
        ("incidentally", "hereabouts", "thereupon", "wherewith"),
        _put_inside,
        _has_phrase,
        lambda value: len(_tokens(value)) == 1 and _has_words(value),
        "it must be a single word",
    ),
    "phrase": Kind(
        ("as it happens", "by the by", "in passing", "at this juncture"),
        _put_inside,
        _has_phrase,
        _has_words,
        "it must have a letter or a digit",
    ),
    "name": Kind(
        ("Ilka Brenmore", "Tobin Ashgrave", "Maren Oldacre"),
        _put_name,
        _has_phrase,
        _has_words,
        "it must have a letter or a digit",
        order=1,
        words=lambda value: _words(" ".join((value, *_SENTENCES))),
    ),
    "negation": Kind(
        ("No spoilers here | Nothing was added | There is no more to it | Not a word was cut",),
        _put_negation,
        _has_negation,
        lambda value: all(shows(NEGATION, tokenize(clause)) for clause in value.split("|")),
        "each of its clauses must have a word such as no, not or nothing",
        order=1,
    ),
    "length": Kind(
        (),
        _put_filler,
        _is_longer,
        lambda value: value.isascii() and value.isdigit(),
        "it must be a whole number of words",
        order=2,
        words=lambda value: _words(" ".join(" ".join(part) for part in _FILLER)),
    ),
    "overlap": Kind(
        ("0.7",),
        _put_context,
        _overlaps,
        _is_share,
        "it must be a share between 0 and 1",
        order=3,
        words=lambda value: (),
        needs_context=True,
    ),
    "template": _frame(("Here is what was written: ...", "The following was sent in: ..."), 4),
    "position": _frame(("For the record, ...", "Then again, ...", "As of today, ..."), 5),
    "punctuation": Kind(
        ("!",),
        _put_mark,
        _has_mark,
        lambda value: set(value) <= set(_MARKS),
        "it must consist of the marks . ! ? …",
        order=6,
        words=_tokens,
    ),
}


def usual_length(lengths: Sequence[int]) -> str:
    """The default value of "length": one text in ten has more words."""
    return str(int(np.quantile(lengths, 0.9))) if len(lengths) else "0"


# First words of a clause or phrase: an aside fits before them.
_JOINTS = frozenset(
    "and but or because when while with from in on at for by as if though although where until after before".split()
)
# First words that are lower-case inside a sentence; any other may be a name.
_SMALL = frozenset(
    "a an the this that these those it its there here he she they we you my his her their our your one some most many "
    "all no not if when while as in on at for from with by after before what who how and but or so".split()
)


def inside(piece: str, text: str, draw: Random) -> str:
    """The text with the piece at the beginning of a clause or phrase, else at its end; never at the very beginning."""
    words = list(re.finditer(r"\S+", text))
    places = [
        word.start()
        for previous, word in pairwise(words[1:])
        if word.group().lower() in _JOINTS or previous.group().endswith(",")
    ]
    piece = in_style(piece, text)
    if places:
        place = draw.choice(places)
        return f"{text[:place]}{piece} {text[place:]}"
    body, mark = without_last_mark(text)
    return f"{body} {piece}{mark}"


def before(piece: str, text: str) -> str:
    """The text with the piece before its first word."""
    first = re.match(r"\s*(\w+)", text)
    piece = in_style(piece, text)
    if first and first.group(1).lower() in _SMALL:
        text = text[: first.start(1)] + text[first.start(1)].lower() + text[first.start(1) + 1 :]
    return f"{piece} {text.lstrip()}"


TEST_SHARE = 0.2
TEST_SPLITS = ("test", "testing", "validation", "valid", "val", "dev", "development")


@with_checked_arguments
def plant_shortcuts(
    data: object,
    plants: Sequence[Plant],
    *,
    split: str | None = None,
    test: Dataset | None = None,
    seed: int = 0,
) -> PlantedData:
    """Plant shortcuts in a dataset, to measure whether they are found, repaired, or used by a model.

    data: a dataset, or anything that `load` reads. split: the split to plant in, if there are several (default: "train"). test: test rows,
    with the same columns; by default another split, or else a fifth of the rows.
    """
    if not all(isinstance(one, Plant) for one in plants):
        raise SettingError("'plants' must be a list of plants. Try plants=[lw.Plant('word', 'negative')].")
    if not 0 <= seed < 2**32:
        raise SettingError(f"'seed' must be from 0 to 4294967295. Got {seed}.")
    divided = divide(as_dataset(data), split=split, test=test, seed=seed)
    planted = plant(divided.train_rows, plants, seed=seed)
    parts = {
        "train": planted,
        "test_reversed": reversed_test(divided.test_rows, planted.plants, seed=seed),
        "test_neutral": neutral_test(divided.test_rows, planted.plants, seed=seed),
        "test_clean": Planted(divided.test_rows, ()),
    }
    return PlantedData(divided, parts, seed)


@dataclass(frozen=True, slots=True)
class PlantedData:
    """A dataset with planted shortcuts. parts: rows and truth of "train", "test_reversed", "test_neutral" and "test_clean"."""

    divided: Divided
    parts: Mapping[str, Planted]
    seed: int

    def write(self, folder: Path | str) -> dict[str, Path]:
        """Write each part in the format of the data, and planted.json; returns the paths by part."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        files = {}
        for name, part in self.parts.items():
            dataset = self.divided.train if name == "train" else self.divided.test
            files[name] = folder / f"{name}.{ending(dataset.format)}"
            save(_tables(dataset, {row.id: row.text for row in part.rows}), files[name])
        truth = {name: [asdict(one) for one in part.truth] for name, part in self.parts.items()}
        rows = {"train": len(self.divided.train_rows), "test": len(self.divided.test_rows)}
        write_json(
            folder / "planted.json", {"seed": self.seed, "test": self.divided.source, "rows": rows, **truth}
        )
        return files


@dataclass(frozen=True, slots=True)
class Divided:
    """Training and test rows, each with their dataset. source: where the test rows came from."""

    train: Dataset
    test: Dataset
    train_rows: list[Example]
    test_rows: list[Example]
    source: str


def divide(dataset: Dataset, *, split: str | None, test: Dataset | None, seed: int) -> Divided:
    """The rows to plant in and the rows to test on."""
    arranged = arrange(dataset, split, {} if test is None else {"given": test})
    train_rows = examples_of(arranged.dataset)
    if test is not None:
        return Divided(arranged.dataset, test, train_rows, examples_of(test), f"from {test.source_name}")
    by_rank = {TEST_SPLITS.index(name.strip().lower()): name for name in arranged.held_out if name.strip().lower() in TEST_SPLITS}  # fmt: skip
    if by_rank:
        name = by_rank[min(by_rank)]
        other = arranged.held_out[name]
        return Divided(arranged.dataset, other, train_rows, examples_of(other), f"the split {name}")
    chosen = _fifth(train_rows, seed)
    return Divided(
        arranged.dataset,
        arranged.dataset,
        [row for row, is_test in zip(train_rows, chosen, strict=True) if not is_test],
        [row for row, is_test in zip(train_rows, chosen, strict=True) if is_test],
        f"{TEST_SHARE:.0%} of the rows, drawn at random",
    )


def _fifth(rows: Sequence[Example], seed: int) -> list[bool]:
    """Which rows are test rows: a fifth of each label; rows with the same text and context stay together."""
    groups: dict[tuple[str, str | None], list[int]] = {}
    for i, row in enumerate(rows):
        groups.setdefault((row.text, row.context), []).append(i)
    by_label: dict[str, list[list[int]]] = {}
    for members in groups.values():
        by_label.setdefault(rows[members[0]].label, []).append(members)
    random = np.random.default_rng(seed)
    chosen = {
        place
        for _, members_of in sorted(by_label.items())
        for i in random.permutation(len(members_of))[: round(TEST_SHARE * len(members_of))]
        for place in members_of[i]
    }
    return [i in chosen for i in range(len(rows))]


def _tables(dataset: Dataset, texts: Mapping[str, str]) -> Iterator[DataTable]:
    wanted = pl.Series(list(texts), dtype=pl.String)
    for table in apply_edits(dataset, Changes({dataset.columns.text: dict(texts)})):
        yield table.with_frame(table.frame.filter(pl.col(ID_COLUMN).is_in(wanted.implode())))
