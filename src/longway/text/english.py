"""English analysis: texts in, `Document`s out, by the pipeline that comes with the package or the user's own.

    english()                    the pipeline: the user's en_core_web_* if one is installed, else ours
    english().analyse(text)      one Document
    english().analyse_all(texts) many: in batches, on several processors, from the cache where it can

Our pipeline (`english_model/`, its card and licence beside it) was trained by `train/english.py` on the English Web
Treebank. spaCy runs it; spaCy's types do not leave this file.

Analysing is total: any string gives a document. A sentence never goes across a blank line or a <br>; a paragraph that is too long for
the parser is read in pieces that end where a line, a sentence or at least a word does.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from importlib.metadata import version
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longway.errors import MissingExtra, SettingError
from longway.text.analysis_cache import AnalysisCache
from longway.text.clear import is_clear, to_universal
from longway.text.document import Document, Word
from longway.text.inflect import lemmas

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

OWN_MODEL = Path(__file__).parent / "english_model"
PREFERRED = (
    "en_core_web_trf",
    "en_core_web_lg",
    "en_core_web_md",
    "en_core_web_sm",
)  # the user's own, best first
CLOSED = frozenset("ADP AUX CCONJ DET PART PRON SCONJ".split())  # no names: their lemmas have no capitals
LONGEST_PIECE = 10_000  # characters that are parsed as one; longer texts are read in pieces
BATCH = 50_000  # characters that go through the pipeline together; it needs some ten kilobytes for each word
LONGEST_RUN = 300  # characters without white space; the tokeniser's time grows with their square
PIECES_AT_ONCE = 24  # that a process is handed together: at most as much as some `BATCH`es
COMMIT_EVERY = 200  # documents; what a broken-off run may have to analyse again
READ_AHEAD = 500_000  # characters of texts from the cache that may wait for their turn

_RUN = re.compile(rf"\S{{{LONGEST_RUN}}}")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
# Where a long paragraph is cut, best place first.
_BREAKS = re.compile(
    r"(?:\s*<br\s*/?>\s*)+", re.IGNORECASE
)  # the line breaks of web pages, which glue words together
_ENDS = tuple(map(re.compile, (r"\n", r"[.!?][\"')\]]*\s", r"\s")))
_SURROGATE = re.compile("[\ud800-\udfff]")


@lru_cache(maxsize=4)
def english(model: str = "auto") -> English:
    """The pipeline that analyses English; loaded once.

    model: "auto" (the user's en_core_web_* if one is installed, else ours), "longway" (ours), the name of an
    installed spaCy pipeline or the path of one.
    """
    if find_spec("spacy") is None:
        raise MissingExtra("spacy", extra="rules", purpose="Analysing English")
    import spacy

    if model == "auto":
        model = installed_pipeline()
    try:
        nlp = spacy.load(OWN_MODEL if model == "longway" else model)
    except (OSError, ValueError) as error:
        raise SettingError(
            f"'model' must be auto, longway, or an installed spaCy pipeline for English. Got {model!r}, which spaCy cannot load "
            f"({str(error).splitlines()[0]}). Write longway for the pipeline that comes with the package."
        ) from None
    missing = [name for name in ("tagger", "parser") if name not in nlp.pipe_names]
    if missing or nlp.lang != "en":
        raise SettingError(
            f"'model' must name a spaCy pipeline for English with a tagger and a parser. Got {model!r}, with the language "
            f"{nlp.lang!r} and the parts {', '.join(nlp.pipe_names) or 'none'}. Write longway for the pipeline that comes with the package."
        )
    return English(nlp)


def installed_pipeline() -> str:
    """The pipeline that "auto" stands for on this machine: the best installed en_core_web_*, else longway."""
    return next((name for name in PREFERRED if find_spec(name)), "longway")


class English:
    """A pipeline that turns English texts into `Document`s.

    name: the pipeline's name and version. fingerprint: changes when the pipeline or Longway does.
    """

    def __init__(self, nlp: Language) -> None:
        self._nlp = nlp
        self._is_clear = is_clear(nlp.pipe_labels["parser"])
        self.name: str = f"{nlp.lang}_{nlp.meta['name']} {nlp.meta['version']}"
        made_with = json.dumps([version("longway"), nlp.meta], sort_keys=True)
        self.fingerprint = blake2b(made_with.encode(), digest_size=8).hexdigest()

    def analyse(self, text: str) -> Document:
        """The words of one text, what they are and how they hang together."""
        return next(self._analyse([text], processes=1))

    def analyse_all(
        self, texts: Iterable[str], *, processes: int = 1, cache: Path | str | None = None
    ) -> Iterator[Document]:
        """One document for each text, in order, as soon as it is ready.

        processes: how many processors work on it; worth it from some thousand words on.
        cache: a file in which analyses are kept and found again, however the run ends.
        """
        if isinstance(texts, str):
            raise SettingError(
                f"'texts' must be several texts, such as a list. Got one: {texts[:40]!r}. "
                "Write analyse(text) for a single text."
            )
        if processes < 1:
            raise SettingError(
                f"'processes' must be 1 or more. Got {processes}. Write 1 to work on one processor."
            )
        return (
            self._analyse(texts, processes)
            if cache is None
            else self._analyse_through(Path(cache), iter(texts), processes)
        )

    def _analyse_through(self, cache: Path, texts: Iterator[str], processes: int) -> Iterator[Document]:
        waiting: deque[Document | None] = deque()  # one for each text read so far; None: the pipeline has it
        n_known = n_kept = 0  # characters of the documents that wait; documents given to the cache
        is_read = False

        def unknown() -> Iterator[str]:
            nonlocal n_known, is_read
            for text in texts:
                waiting.append(known.find(_checked(text)))
                if waiting[-1] is None:
                    yield text
                else:
                    n_known += len(text)
                if n_known >= READ_AHEAD:
                    return
            is_read = True

        with AnalysisCache(cache, pipeline=self.fingerprint) as known:
            while not is_read:
                for document in self._analyse(unknown(), processes):
                    while (found := waiting.popleft()) is not None:
                        n_known -= len(found.text)
                        yield found
                    known.keep(document)
                    n_kept += 1
                    if n_kept % COMMIT_EVERY == 0:
                        known.commit()
                    yield document
                while waiting:  # what stands behind the last text that the pipeline was given
                    found = waiting.popleft()
                    assert found is not None
                    n_known -= len(found.text)
                    yield found

    def _analyse(self, texts: Iterable[str], processes: int) -> Iterator[Document]:
        pieces = (
            (piece, (number, start, text))
            for number, text in enumerate(texts)
            for start, piece in _pieces(text)
        )
        done = self._pipe(pieces) if processes == 1 else self._pipe_in_processes(pieces, processes)
        for (_, text), group in groupby(done, key=lambda pair: (pair[1][0], pair[1][2])):
            yield self._document(text, ((start, doc) for doc, (_, start, _) in group))

    def _pipe_in_processes(
        self, pieces: Iterable[tuple[str, Any]], processes: int
    ) -> Iterator[tuple[Doc, Any]]:
        """spaCy waits for ever for its processes if somebody stops reading: so no more is sent, and the rest is read."""
        is_over = False
        errors: list[Exception] = []

        def sent() -> Iterator[tuple[str, Any]]:
            try:
                for piece in pieces:
                    if is_over:
                        return
                    yield piece
            except Exception as error:  # told below, when the processes have ended
                errors.append(error)

        done = self._nlp.pipe(sent(), as_tuples=True, n_process=processes, batch_size=PIECES_AT_ONCE)
        try:
            for one in done:  # noqa: UP028 - "yield from" would close `done`, too
                yield one
        finally:
            is_over = True
            deque(done, maxlen=0)
        if errors:
            raise errors[0]

    def _pipe(self, pieces: Iterable[tuple[str, Any]]) -> Iterator[tuple[Doc, Any]]:
        """spaCy's own `pipe` counts texts, not characters: a batch of long ones would need gigabytes."""
        batch: list[tuple[str, Any]] = []
        size = 0
        for piece in pieces:
            batch.append(piece)
            size += len(piece[0])
            if size >= BATCH:
                yield from self._nlp.pipe(batch, as_tuples=True)
                batch, size = [], 0
        yield from self._nlp.pipe(batch, as_tuples=True)

    def _document(self, text: str, parts: Iterable[tuple[int, Doc]]) -> Document:
        words: list[Word] = []
        sentences: list[tuple[int, int]] = []
        for offset, doc in parts:
            places = _places(doc, first=len(words))
            words += [_word(text, token, offset, places) for token in doc if token.i in places]
            for sentence in doc.sents:
                inside = [places[token.i] for token in sentence if token.i in places]
                if inside:
                    sentences.append((inside[0], inside[-1] + 1))
        universal = to_universal(words) if self._is_clear else tuple(words)
        return Document(text, universal, tuple(sentences))


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The text in stretches that the pipeline can take, each with where it starts; an empty text is one piece."""
    # spaCy stores strings as UTF-8; the length stays the same
    text = _SURROGATE.sub("\ufffd", _checked(text))
    start = 0
    while start < len(text) or start == 0:
        end = _end_of_piece(text, start)
        yield start, text[start:end]
        start = max(end, 1)


def _checked(text: str) -> str:
    if not isinstance(text, str):
        raise SettingError(
            f"A text must be a string. Got {text!r:.40}, which is {type(text).__name__}. "
            "Leave rows without a text out, or write an empty string for them."
        )
    return text


def _end_of_piece(text: str, start: int) -> int:
    limit = start + LONGEST_PIECE
    ends = [m.end() for m in (_BLANK_LINE.search(text, start, limit), _RUN.search(text, start, limit)) if m]
    if breaks := _BREAKS.search(text, start, limit):  # a piece of their own
        ends.append(breaks.start() if breaks.start() > start else breaks.end())
    if ends:
        return min(ends)
    if limit >= len(text):
        return len(text)
    for pattern in _ENDS:
        ends = [match.end() for match in pattern.finditer(text, start + LONGEST_PIECE // 2, limit)]
        if ends:
            return ends[-1]
    return limit


def _places(doc: Doc, *, first: int) -> dict[int, int]:
    """For each token that is not white space, its index among the document's words."""
    return {token.i: first + n for n, token in enumerate(token for token in doc if not token.is_space)}


def _word(text: str, token: Token, offset: int, places: dict[int, int]) -> Word:
    start = offset + token.idx
    head = _head(token, places)
    return Word(
        index=places[token.i],
        start=start,
        end=start + len(token),
        text=text[start : start + len(token)],
        lemma=_lemma(token),
        upos=token.pos_ or "X",
        tag=token.tag_,
        morph=str(token.morph),
        head=places[head.i],
        dep="root" if head.i == token.i else token.dep_ or "dep",
        entity=token.ent_type_,
    )


def _lemma(token: Token) -> str:
    """The pipeline's lemma, unless it is a verb or a common noun whose form the dictionary knows better.

    The lemmatizer spells by rules it learned ("runne" for running); on treebank text the dictionary corrects one verb in fourteen.
    """
    guessed = token.lemma_ or token.text
    if token.lower_.replace("’", "'") == "n't":
        return "not"
    if token.pos_ in CLOSED and len(token) > 1 and guessed != "I":
        return guessed.lower()  # "HIM" in a text in capitals
    if token.pos_ == "VERB" or (token.pos_ == "NOUN" and token.tag_ in ("NN", "NNS")):
        known = lemmas(token.lower_, token.pos_)
        return guessed if guessed in known or not known else known[0]
    return guessed


def _head(token: Any, places: dict[int, int]) -> Any:
    """The nearest head that is a word; the token itself where there is none."""
    head = token.head
    while head.i not in places and head.head.i != head.i:
        head = head.head
    return head if head.i in places else token
