"""The pipeline that analyses English texts, and the cache of analyses.

    load_pipeline()                       our own pipeline, or a spaCy pipeline of the user
    load_pipeline().analyse(text)         one Document
    load_pipeline().analyse_all(texts)    many: in batches, optionally in several processes and with a cache on disk

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
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from hashlib import blake2b
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Self

from longway.english.document import Document, Word
from longway.english.inflection import lemmas
from longway.errors import SettingError
from longway.shard_map import ShardMap, in_shards
from longway.store.journal import sqlite_errors

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

MODEL_PATH = Path(__file__).parent / "english_model"
# Labels of the ClearNLP scheme (en_core_web_*) that Universal Dependencies does not have.
_CLEARNLP_LABELS = frozenset("acomp attr auxpass dobj nsubjpass pobj".split())
CLOSED_CLASSES = frozenset("ADP AUX CCONJ DET PART PRON SCONJ".split())  # their lemmas have no capitals
MAX_PIECE = 10_000  # characters parsed at once; longer texts are split
BATCH_CHARACTERS = 50_000  # the pipeline needs about ten kilobytes of memory per word
MAX_RUN = 300  # characters without white space; the tokeniser is quadratic in them
PIECES_PER_PROCESS = 24  # pieces sent to a process at once
SHARD = 64  # texts that a `shard_map` analyses together
COMMIT_EVERY = 200  # documents; at most this many are analysed again after an interrupted run
READ_AHEAD = 500_000  # characters of cached texts that may wait for earlier texts

_LONG_RUN = re.compile(rf"\S{{{MAX_RUN}}}")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_HTML_BREAKS = re.compile(r"(?:\s*<br\s*/?>\s*)+", re.IGNORECASE)
_SPLIT_POINTS = tuple(map(re.compile, (r"\n", r"[.!?][\"')\]]*\s", r"\s")))  # of long paragraphs, best first
_SURROGATE = re.compile("[\ud800-\udfff]")

_Piece = tuple[int, int, str]  # number of the text, offset of the piece in it, the whole text


def load_pipeline(model: str = "longway") -> EnglishPipeline:
    """Return a pipeline for English. Each pipeline is loaded once.

    model: "longway" for our own pipeline, or the name or path of an installed spaCy pipeline whose parser uses Universal
    Dependencies labels.
    """
    return _load(model)


@lru_cache(maxsize=4)
def _load(model: str) -> EnglishPipeline:
    import spacy

    try:
        nlp = spacy.load(MODEL_PATH if model == "longway" else model)
    except (OSError, ValueError) as error:
        raise SettingError(
            f"'model' must be longway or an installed spaCy pipeline for English. Got {model!r}, which spaCy cannot load "
            f"({str(error).splitlines()[0]}). Use longway, the pipeline of this package."
        ) from None
    missing = [name for name in ("tagger", "parser") if name not in nlp.pipe_names]
    if missing or nlp.lang != "en":
        raise SettingError(
            f"'model' must be a spaCy pipeline for English with a tagger and a parser. Got {model!r} with the language "
            f"{nlp.lang!r} and the components {', '.join(nlp.pipe_names) or 'none'}. Use longway, the pipeline of this package."
        )
    clearnlp = sorted(_CLEARNLP_LABELS.intersection(nlp.pipe_labels["parser"]))
    if clearnlp:
        raise SettingError(
            f"'model' must be a spaCy pipeline with Universal Dependencies labels (obj, obl, nsubj:pass ...). Got {model!r}, "
            f"whose parser has ClearNLP labels: {', '.join(clearnlp)}. Use longway, the pipeline of this package."
        )
    return EnglishPipeline(nlp)


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
        return next(self._analyse([text], processes=1))

    def analyse_all(
        self,
        texts: Iterable[str],
        *,
        processes: int = 1,
        cache: Path | str | None = None,
        shard_map: ShardMap | None = None,
    ) -> Iterator[Document]:
        """Yield one document per text, in order, as soon as it is ready.

        processes: number of worker processes; pays off from some thousand words on.
        cache: SQLite file that stores analyses and returns them in later runs.
        shard_map: analyses texts in other processes; only with the package's own pipeline.
        """
        if isinstance(texts, str):
            raise SettingError(
                f"'texts' must be several texts, such as a list. Got one text: {texts[:40]!r}. "
                "Use analyse(text) for a single text."
            )
        if processes < 1:
            raise SettingError(f"'processes' must be 1 or more. Got {processes}. Use 1 for a single process.")
        analyse = partial(self._analyse, processes=processes)
        if shard_map is not None:
            analyse = partial(_analyse_shards, shard_map=shard_map)
        return analyse(texts) if cache is None else self._analyse_cached(Path(cache), iter(texts), analyse)

    def _analyse_cached(
        self, path: Path, texts: Iterator[str], analyse: Callable[[Iterable[str]], Iterator[Document]]
    ) -> Iterator[Document]:
        queue: deque[Document | None] = deque()  # one entry per text read; None: sent to the pipeline
        n_waiting = n_stored = 0  # characters of cached documents in the queue; documents stored in the cache
        is_read = False

        def uncached() -> Iterator[str]:
            nonlocal n_waiting, is_read
            for text in texts:
                queue.append(cache.find(_checked(text)))
                if queue[-1] is None:
                    yield text
                else:
                    n_waiting += len(text)
                if n_waiting >= READ_AHEAD:
                    return
            is_read = True

        with AnalysisCache(path, pipeline=self.fingerprint) as cache:
            while not is_read:
                for document in analyse(uncached()):
                    while (cached := queue.popleft()) is not None:
                        n_waiting -= len(cached.text)
                        yield cached
                    cache.store(document)
                    n_stored += 1
                    if n_stored % COMMIT_EVERY == 0:
                        cache.commit()
                    yield document
                while queue:  # cached texts behind the last one that went through the pipeline
                    cached = queue.popleft()
                    assert cached is not None
                    n_waiting -= len(cached.text)
                    yield cached

    def _analyse(self, texts: Iterable[str], processes: int) -> Iterator[Document]:
        pieces = (
            (piece, (number, start, text))
            for number, text in enumerate(texts)
            for start, piece in _pieces(text)
        )
        parsed = self._pipe(pieces) if processes == 1 else self._pipe_in_processes(pieces, processes)
        for (_, text), group in groupby(parsed, key=lambda pair: (pair[1][0], pair[1][2])):
            yield self._document(text, ((start, doc) for doc, (_, start, _) in group))

    def _pipe_in_processes(
        self, pieces: Iterable[tuple[str, _Piece]], processes: int
    ) -> Iterator[tuple[Doc, _Piece]]:
        """Run spaCy's worker processes. They hang if the output is not read to the end, so it is always drained."""
        is_stopped = False
        errors: list[Exception] = []

        def feed() -> Iterator[tuple[str, _Piece]]:
            try:
                for piece in pieces:
                    if is_stopped:
                        return
                    yield piece
            except Exception as error:  # raised below, when the processes have ended
                errors.append(error)

        parsed = self._nlp.pipe(feed(), as_tuples=True, n_process=processes, batch_size=PIECES_PER_PROCESS)
        try:
            for item in parsed:  # noqa: UP028 - "yield from" would close `parsed`, too
                yield item
        finally:
            is_stopped = True
            deque(parsed, maxlen=0)
        if errors:
            raise errors[0]

    def _pipe(self, pieces: Iterable[tuple[str, _Piece]]) -> Iterator[tuple[Doc, _Piece]]:
        """Batch by characters. spaCy batches by texts, and a batch of long texts would need gigabytes."""
        batch: list[tuple[str, _Piece]] = []
        size = 0
        for piece in pieces:
            batch.append(piece)
            size += len(piece[0])
            if size >= BATCH_CHARACTERS:
                yield from self._nlp.pipe(batch, as_tuples=True)
                batch, size = [], 0
        yield from self._nlp.pipe(batch, as_tuples=True)

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


def _analyse_shards(texts: Iterable[str], shard_map: ShardMap) -> Iterator[Document]:
    for documents in shard_map(_analyse_shard, in_shards(texts, SHARD)):
        yield from documents


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
    """A SQLite file of analyses by one pipeline. Use it as a context manager, or call `close`.

    The key is a hash of the pipeline's fingerprint and the text; the text itself is not stored. A damaged entry is ignored;
    a file that cannot be used raises `RunError`.
    """

    def __init__(self, path: Path, *, pipeline: str) -> None:
        self.path, self._pipeline = path, pipeline
        with self._reporting():
            path.parent.mkdir(parents=True, exist_ok=True)
            # Several processes may write to the file: each waits for the others.
            self._database = sqlite3.connect(path, timeout=60, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS analyses (key BLOB PRIMARY KEY, words BLOB NOT NULL) WITHOUT ROWID"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Commit and close the file."""
        self.commit()
        self._database.close()

    def find(self, text: str) -> Document | None:
        """Return the stored analysis of a text, or None."""
        query = "SELECT words FROM analyses WHERE key = ?"
        with self._reporting():
            row = self._database.execute(query, (self._key(text),)).fetchone()
        return _unpack(text, row[0]) if row else None

    def store(self, document: Document) -> None:
        """Store an analysis; it is on disk after the next `commit`."""
        entry = (self._key(document.text), _pack(document))
        with self._reporting():
            self._database.execute("INSERT OR REPLACE INTO analyses VALUES (?, ?)", entry)

    def commit(self) -> None:
        """Write all stored analyses to disk."""
        with self._reporting():
            self._database.commit()

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        with sqlite_errors(
            self.path,
            what="cache of analyses",
            in_use="Delete it or choose another file: the cache of analyses only saves time.",
        ):
            yield

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
