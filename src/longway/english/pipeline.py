"""The pipeline that analyses English texts, and the cache of analyses.

    load_pipeline()                       our own pipeline
    load_pipeline().analyse(text)         one Document
    load_pipeline().analyse_all(texts)    many: in batches, optionally in other processes and with a cache on disk

Our pipeline (`english_model/`, with its card and licence) was trained by `train/english.py` on the English Web Treebank. It
runs on spaCy, whose types are used in this file only.

Every string can be analysed. Sentences never cross a blank line or a <br>. A paragraph that is too long for the parser is
split at a line end, else at a sentence end, else between words.
"""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import cache, partial
from hashlib import blake2b
from importlib.metadata import version
from itertools import chain, groupby, tee
from pathlib import Path
from typing import TYPE_CHECKING

from longway.english.document import Document, Word
from longway.english.inflection import lemmas
from longway.errors import SettingError
from longway.shard_map import ShardMap, in_shards
from longway.store.journal import sqlite_errors

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

MODEL_PATH = Path(__file__).parent / "english_model"
CLOSED_CLASSES = frozenset("ADP AUX CCONJ DET PART PRON SCONJ".split())  # their lemmas have no capitals
MAX_PIECE = 10_000  # characters parsed at once; longer texts are split
BATCH_CHARACTERS = 50_000  # the pipeline needs about ten kilobytes of memory per word
MAX_RUN = 300  # characters without white space; the tokeniser is quadratic in them
SHARD = 32  # texts that a `shard_map` analyses together
READ_AHEAD = 500_000  # characters of texts that are looked up in a cache together; at most these are analysed again after an interrupted run

_LONG_RUN = re.compile(rf"\S{{{MAX_RUN}}}")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_HTML_BREAKS = re.compile(r"(?:\s*<br\s*/?>\s*)+", re.IGNORECASE)
_SPLIT_POINTS = tuple(map(re.compile, (r"\n", r"[.!?][\"')\]]*\s", r"\s")))  # of long paragraphs, best first
_SURROGATE = re.compile("[\ud800-\udfff]")


@cache
def load_pipeline(model: Path | str = MODEL_PATH) -> EnglishPipeline:
    """Return a pipeline, loaded once: that of this package, or a spaCy pipeline whose parser uses Universal Dependencies labels."""
    import spacy

    return EnglishPipeline(spacy.load(model))


class EnglishPipeline:
    """Turns English texts into `Document`s.

    name: name and version of the spaCy pipeline. fingerprint: changes with the pipeline or the version of Longway.
    """

    def __init__(self, nlp: Language) -> None:
        self._nlp = nlp
        self.name: str = f"{nlp.lang}_{nlp.meta['name']} {nlp.meta['version']}"
        identity = json.dumps([version("longway"), nlp.meta], sort_keys=True)
        self.fingerprint = blake2b(identity.encode(), digest_size=8).hexdigest()

    def analyse(self, text: str) -> Document:
        """Analyse one text."""
        return next(self._analyse([text]))

    def analyse_all(
        self,
        texts: Iterable[str],
        *,
        cache: Path | str | None = None,
        shard_map: ShardMap | None = None,
    ) -> Iterator[Document]:
        """Yield one document per text, in order.

        cache: SQLite file that stores analyses and returns them in later runs.
        shard_map: analyses texts in other processes; only with the package's own pipeline.
        """
        if isinstance(texts, str):
            raise SettingError(
                f"'texts' must be several texts, such as a list. Got one text: {texts[:40]!r}. "
                "Use analyse(text) for a single text."
            )
        analyse = self._analyse if shard_map is None else partial(_analyse_shards, shard_map)
        return analyse(texts) if cache is None else self._analyse_cached(Path(cache), texts, analyse)

    def _analyse_cached(
        self, path: Path, texts: Iterable[str], analyse: Callable[[Iterable[str]], Iterator[Document]]
    ) -> Iterator[Document]:
        with closing(AnalysisCache(path, pipeline=self.fingerprint)) as cache:
            for batch in _batches(map(_checked, texts), READ_AHEAD):
                documents = {text: cache.find(text) for text in batch}
                new = list(analyse([text for text, document in documents.items() if document is None]))
                cache.store(new)
                documents |= {document.text: document for document in new}
                yield from (document for text in batch if (document := documents[text]) is not None)

    def _analyse(self, texts: Iterable[str]) -> Iterator[Document]:
        pieces, places = tee(
            (piece, number, start, text)
            for number, text in enumerate(texts)
            for start, piece in _pieces(text)
        )
        # spaCy batches by texts, and a batch of long texts would need gigabytes.
        batches = _batches((piece for piece, *_ in pieces), BATCH_CHARACTERS)
        parsed = chain.from_iterable(map(self._nlp.pipe, batches))
        by_text = groupby(zip(places, parsed, strict=True), key=lambda pair: (pair[0][1], pair[0][3]))
        for (_, text), group in by_text:
            yield self._document(text, ((start, doc) for (_, _, start, _), doc in group))

    def _document(self, text: str, parts: Iterable[tuple[int, Doc]]) -> Document:
        words: list[Word] = []
        sentences: list[tuple[int, int]] = []
        for offset, doc in parts:
            tokens = [token for token in doc if not token.is_space]
            index_of = {token.i: len(words) + n for n, token in enumerate(tokens)}
            words += [_word(text, token, offset, index_of) for token in tokens]
            for sentence in doc.sents:
                inside = [index_of[token.i] for token in sentence if token.i in index_of]
                if inside:
                    sentences.append((inside[0], inside[-1] + 1))
        return Document(text, tuple(words), tuple(sentences))


def _batches(texts: Iterable[str], most: int) -> Iterator[list[str]]:
    """The texts in lists, each ended by the text with which it reaches a number of characters."""
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= most:
            yield batch
            batch, size = [], 0
    yield batch


def _analyse_shards(shard_map: ShardMap, texts: Iterable[str]) -> Iterator[Document]:
    return chain.from_iterable(shard_map(_analyse_shard, in_shards(texts, SHARD)))


def _analyse_shard(texts: Sequence[str]) -> list[Document]:
    return list(load_pipeline().analyse_all(texts))


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Split a text into pieces that the pipeline can take, each with its offset. An empty text is one piece."""
    text = _SURROGATE.sub("\ufffd", _checked(text))  # spaCy stores UTF-8; the length stays the same
    start = 0
    while start < len(text) or start == 0:
        end = _end_of_piece(text, start)
        yield start, text[start:end]
        start = max(end, 1)


def _checked(text: str) -> str:
    if not isinstance(text, str):
        raise SettingError(
            f"A text must be a string. Got {text!r:.40} of type {type(text).__name__}. "
            "Drop rows without a text, or use an empty string for them."
        )
    return text


def _end_of_piece(text: str, start: int) -> int:
    limit = start + MAX_PIECE
    ends = [m.end() for p in (_BLANK_LINE, _LONG_RUN) if (m := p.search(text, start, limit))]
    if breaks := _HTML_BREAKS.search(text, start, limit):  # a piece by themselves
        ends.append(breaks.start() if breaks.start() > start else breaks.end())
    if ends:
        return min(ends)
    if limit >= len(text):
        return len(text)
    for pattern in _SPLIT_POINTS:
        ends = [match.end() for match in pattern.finditer(text, start + MAX_PIECE // 2, limit)]
        if ends:
            return ends[-1]
    return limit


def _word(text: str, token: Token, offset: int, index_of: dict[int, int]) -> Word:
    start = offset + token.idx
    head = _head(token, index_of)
    return Word(
        index=index_of[token.i],
        start=start,
        end=start + len(token),
        text=text[start : start + len(token)],
        lemma=_lemma(token),
        upos=token.pos_ or "X",
        tag=token.tag_,
        morph=str(token.morph),
        head=index_of[head.i],
        dep="root" if head.i == token.i else token.dep_ or "dep",
        entity=token.ent_type_,
    )


def _lemma(token: Token) -> str:
    """The pipeline's lemma, corrected by the dictionary for verbs and common nouns.

    The lemmatizer applies spelling rules that it learned ("runne" for running). On treebank text the dictionary corrects
    one verb in fourteen.
    """
    predicted = token.lemma_ or token.text
    if token.lower_.replace("’", "'") == "n't":
        return "not"
    if token.pos_ in CLOSED_CLASSES and len(token) > 1 and predicted != "I":
        return predicted.lower()  # "HIM" in an all-caps text
    if token.pos_ == "VERB" or (token.pos_ == "NOUN" and token.tag_ in ("NN", "NNS")):
        known = lemmas(token.lower_, token.pos_)
        return predicted if predicted in known or not known else known[0]
    return predicted


def _head(token: Token, index_of: dict[int, int]) -> Token:
    """The nearest ancestor that is not white space, or the token itself."""
    head = token.head
    while head.i not in index_of and head.head.i != head.i:
        head = head.head
    return head if head.i in index_of else token


# --- cache --------------------------------------------------------------------------------------------

_FORMAT = "1"  # of an entry; a new value invalidates old entries


class AnalysisCache:
    """A SQLite file of analyses by one pipeline.

    The key is a hash of the pipeline's fingerprint and the text; the text itself is not stored. A damaged entry is ignored;
    a file that cannot be used raises `RunError`.
    """

    def __init__(self, path: Path, *, pipeline: str) -> None:
        self._pipeline = pipeline
        self._reporting = partial(
            sqlite_errors,
            path,
            what="cache of analyses",
            in_use="Delete it or choose another file: the cache of analyses only saves time.",
        )
        with self._reporting():
            path.parent.mkdir(parents=True, exist_ok=True)
            # Several processes may write to the file: each waits for the others.
            self._database = sqlite3.connect(path, timeout=60, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS analyses (key BLOB PRIMARY KEY, words BLOB NOT NULL) WITHOUT ROWID"
            )

    def find(self, text: str) -> Document | None:
        """Return the stored analysis of a text, or None."""
        query = "SELECT words FROM analyses WHERE key = ?"
        with self._reporting():
            row = self._database.execute(query, (self._key(text),)).fetchone()
        return _unpack(text, row[0]) if row else None

    def store(self, documents: Iterable[Document]) -> None:
        """Store analyses; they are on disk when this returns."""
        entries = [(self._key(document.text), _pack(document)) for document in documents]
        with self._reporting(), self._database:
            self._database.executemany("INSERT OR REPLACE INTO analyses VALUES (?, ?)", entries)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _key(self, text: str) -> bytes:
        parts = (_FORMAT, self._pipeline, text)
        return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _pack(document: Document) -> bytes:
    rows = ((w.start, w.end, w.lemma, w.upos, w.tag, w.morph, w.head, w.dep, w.entity) for w in document)
    columns = list(zip(*rows, strict=True)) or [()] * 9
    return zlib.compress(json.dumps([columns, document.sentences]).encode(), level=1)


def _unpack(text: str, packed: bytes) -> Document | None:
    try:
        columns, sentences = json.loads(zlib.decompress(packed))
        words = tuple(
            Word(i, start, end, text[start:end], *rest)
            for i, (start, end, *rest) in enumerate(zip(*columns, strict=True))
        )
        return Document(text, words, tuple(map(tuple, sentences)))
    except (zlib.error, ValueError, TypeError):
        return None
