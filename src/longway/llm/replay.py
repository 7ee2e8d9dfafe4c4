"""The engine that answers from a recording only: for tests, and for sharing a run without sharing its server.

    record("run/journal.sqlite", "answers.jsonl")       every answer of a run, one JSON object a line
    ReplayEngine("answers.jsonl")                       gives the same answers to the same questions; refuses others

A question is the same if everything that shaped its answer is: engine, prompt, parameters, sample number. A journal can be
replayed directly, too. Recordings hold the texts that were sent and written, and never a key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from longway.errors import CallFailed, DataError
from longway.llm.engine import Judged, Sampling, Written
from longway.llm.prompt import Prompt
from longway.llm.recorded import ANSWERS, Speaker, judged_of, unpacked, written_of
from longway.store.files import replacing
from longway.store.journal import Journal

_SQLITE = b"SQLite format 3\x00"
_REFUSAL = "the recording has no answer to this question"


def record(journal: Journal | Path | str, out: Path | str) -> int:
    """The number of answers written to `out`, one JSON object a line, in the order of their keys."""
    opened = journal if isinstance(journal, Journal) else _open(Path(journal))
    n = 0
    try:
        with replacing(Path(out)) as temporary, temporary.open("w", encoding="utf-8") as lines:
            for call in opened.calls():
                if call["kind"] in ANSWERS:  # not what checks computed, and not what was lost
                    lines.write(json.dumps(call, sort_keys=True) + "\n")
                    n += 1
    finally:
        if opened is not journal:
            opened.close()
    return n


class ReplayEngine:
    """Answers from a recording (JSON lines, or a run's journal).

    max_in_flight is not set: there is nothing to wait for.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.name = f"replay:{self.path.name}"
        self._answers: dict[str, str] = {}
        self._speakers: dict[str, list[Speaker]] = {kind: [] for kind in sorted(ANSWERS)}
        seen: set[tuple[str, str]] = set()
        digest = hashlib.sha256()
        for kind, key, asked, answer in _read(self.path):
            self._answers[key] = json.dumps(answer)
            digest.update(f"{key} {json.dumps(answer, sort_keys=True)}\n".encode())
            who = json.dumps([asked["identity"], asked["renders"]], sort_keys=True)
            if (kind, who) not in seen:
                seen.add((kind, who))
                self._speakers[kind].append(Speaker(asked["identity"], asked["renders"]))
        self._digest = digest.hexdigest()
        self.can = frozenset(kind for kind, speakers in self._speakers.items() if speakers)

    @property
    def identity(self) -> Mapping[str, Any]:
        """The recording: its contents, not its name."""
        return {"engine": "replay", "recording": self._digest}

    async def write(self, prompt: Prompt, n: int, sampling: Sampling) -> Written:
        """The texts that were recorded."""
        answer = self._find(speaker.write_key(prompt, n, sampling) for speaker in self._speakers["write"])
        return Written((), (_REFUSAL,)) if answer is None else written_of(answer)

    async def judge(self, prompt: Prompt, options: Sequence[str]) -> Judged:
        """The judgement that was recorded."""
        answer = self._find(speaker.judge_key(prompt, options) for speaker in self._speakers["judge"])
        return Judged({}, _REFUSAL) if answer is None else judged_of(answer)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors that were recorded."""
        vectors = []
        for text in texts:
            answer = self._find(speaker.embed_key(text) for speaker in self._speakers["embed"])
            if answer is None:
                raise CallFailed(
                    f"{self.path} has no vector for one of {len(texts)} texts. Expected a recording of this very run. "
                    "Record it again, or choose another engine."
                )
            vectors.append(unpacked(answer))
        return vectors

    async def close(self) -> None:
        """Nothing to let go of."""

    def _find(self, keys: Iterator[str]) -> dict[str, Any] | None:
        for key in keys:
            if key in self._answers:
                return json.loads(self._answers[key])
        return None


def _read(path: Path) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """Kind, key, question and answer of every call in a recording, in the order of the keys."""
    if not path.is_file():
        raise DataError(
            f"{path} is not there. Expected a recording (JSON lines) or a run's journal.sqlite. "
            "Make one with longway.llm.replay.record."
        )
    with path.open("rb") as start:
        is_journal = start.read(len(_SQLITE)) == _SQLITE
    for call in _of_journal(path) if is_journal else _of_lines(path):
        if call["kind"] in ANSWERS:
            yield call["kind"], call["key"], call["asked"], call["answer"]


def _of_journal(path: Path) -> Iterator[dict[str, Any]]:
    journal = _open(path)
    try:
        yield from journal.calls()
    finally:
        journal.close()


def _open(path: Path) -> Journal:
    if not path.is_file():
        raise DataError(f"{path} is not there. Expected a run's journal.sqlite. Check the run's folder.")
    return Journal(path)


def _of_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                call = json.loads(line)
                is_sound = {"key", "kind", "asked", "answer"} <= call.keys() and (
                    {"identity", "renders"} <= call["asked"].keys()
                )
            except (ValueError, AttributeError):
                is_sound = False
            if not is_sound:
                raise DataError(
                    f"Line {number} of {path} is no recorded call. Expected an object with key, kind, asked and answer. "
                    "Make the recording again with longway.llm.replay.record."
                )
            yield call
