"""Calls and answers as they are stored: the key of a call, its answer as JSON, recordings, and the engine that replays them.

    CallKeys.of(engine)                              the keys of an engine's calls
    record("run/journal.sqlite", "answers.jsonl")    every answer of a run, one JSON object per line
    ReplayEngine("answers.jsonl")                    gives the same answers to the same calls; refuses others

The key is the hash of everything that affects the answer: the engine, the messages, the parameters. A journal can be replayed directly. Recordings contain the texts that were sent and
written, and never a key of a server.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypedDict, cast

from longway.engines.costs import Call
from longway.engines.engine import Engine, Judgement, Sampling, Written
from longway.engines.prompt import Prompt
from longway.errors import DataError
from longway.store.atomic import replacing
from longway.store.journal import Journal, key_of

FORMAT = 1  # of the journal's answers
ANSWERS = frozenset({"write", "judge"})  # kinds of journal rows that hold an engine's answer
LOST = "lost"  # kind of a journal row without an answer: only what a failed call may have cost
CHECKED = "verify"  # the kind of rows that are outputs of checks, which are no calls to an engine
WORDS = "words"  # the kind of rows that hold the important words of a dataset, which are no calls either
_SQLITE = b"SQLite format 3\x00"
_REFUSAL = "the recording has no answer to this question"


class StoredAnswer(TypedDict, total=False):
    """An answer in the journal. A written one has texts, refusals and how; a judged one probabilities and refusal."""

    texts: list[str]
    refusals: list[str]
    how: list[str]
    probabilities: dict[str, float]
    refusal: str


class Asked(TypedDict, total=False):
    """What the journal stores of a call besides its key: the engine's identity, the prompt in short, the parameters."""

    identity: Mapping[str, object]
    template: str
    text: str
    label: str | None
    n: int
    sampling: Mapping[str, float]
    options: list[str]


class _RecordedCall(TypedDict):
    """One line of a recording."""

    key: str
    kind: str
    asked: Asked
    answer: StoredAnswer


@dataclass(frozen=True, slots=True)
class CallKeys:
    """The keys of calls to one engine. identity: see `Engine`."""

    identity: Mapping[str, object]

    @staticmethod
    def of(engine: Engine) -> CallKeys:
        """The keys of an engine's calls."""
        return CallKeys(dict(engine.identity))

    def write_key(self, prompt: Prompt, n: int, sampling: Sampling) -> str:
        """The key of a call to `write`."""
        return self._key("write", self._prompt(prompt, n=n), n=n, sampling=asdict(sampling))

    def judge_key(self, prompt: Prompt, options: Sequence[str]) -> str:
        """The key of a call to `judge`."""
        return self._key("judge", self._prompt(prompt, options=tuple(options)), options=list(options))

    def asked(self, prompt: Prompt, **parameters: object) -> Asked:
        """What the journal stores of a call. parameters: n and sampling, or options."""
        asked = cast(Asked, {"identity": self.identity, **parameters})
        return asked | Asked(template=prompt.template, text=prompt.text, label=prompt.label)

    def _key(self, kind: str, asked: object, **more: object) -> str:
        return key_of({"format": FORMAT, "kind": kind, "engine": self.identity, "asked": asked, **more})

    def _prompt(self, prompt: Prompt, **more: object) -> dict[str, object]:
        # Only if it differs from the default, so that keys in older journals stay valid.
        reads = {} if prompt.reads == "texts" else {"reads": prompt.reads}
        return reads | {"template": prompt.template, "messages": prompt.messages(form="json", **more)}


def answers_in(journal: Journal) -> int:
    """The number of engine answers in a journal, which also stores results of checks and lost calls."""
    return sum(one.calls for one in journal.totals() if one.kind in ANSWERS)


def answer_of(result: Written | Judgement) -> StoredAnswer:
    """A result as JSON values."""
    if isinstance(result, Written):
        return StoredAnswer(texts=list(result.texts), refusals=list(result.refusals), how=list(result.how))
    return StoredAnswer(probabilities=dict(result.probabilities), refusal=result.refusal)


def written_of(answer: StoredAnswer) -> Written:
    """Texts from JSON values."""
    return Written(tuple(answer["texts"]), tuple(answer["refusals"]), tuple(answer["how"]))


def judged_of(answer: StoredAnswer) -> Judgement:
    """A judgement from JSON values."""
    return Judgement(dict(answer["probabilities"]), answer["refusal"])


def record(journal: Journal | Path | str, out: Path | str) -> int:
    """Write the answers of a journal to `out`, one JSON object per line, sorted by key; return their number."""
    opened = journal if isinstance(journal, Journal) else _open(Path(journal))
    n = 0
    try:
        with replacing(Path(out)) as temporary, temporary.open("w", encoding="utf-8") as lines:
            for entry in opened.entries():
                if entry.kind in ANSWERS:
                    lines.write(json.dumps(asdict(entry), sort_keys=True) + "\n")
                    n += 1
    finally:
        if opened is not journal:
            opened.close()
    return n


class ReplayEngine(Engine):
    """Answers from a recording: JSON lines, or the journal of a run."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.name = f"replay:{self.path.name}"
        self._answers: dict[str, str] = {}
        self._keys: dict[str, list[CallKeys]] = {kind: [] for kind in sorted(ANSWERS)}
        seen: set[tuple[str, str]] = set()
        digest = hashlib.sha256()
        for call in _recorded(self.path):
            kind, key, asked = call["kind"], call["key"], call["asked"]
            self._answers[key] = json.dumps(call["answer"])
            digest.update(f"{key} {json.dumps(call['answer'], sort_keys=True)}\n".encode())
            engine = json.dumps(asked["identity"], sort_keys=True)
            if (kind, engine) not in seen:
                seen.add((kind, engine))
                self._keys[kind].append(CallKeys(asked["identity"]))
        self._digest = digest.hexdigest()
        kinds = {kind for kind, keys in self._keys.items() if keys}
        self.can = frozenset(kinds | ({"edit"} if "write" in kinds else set()))

    @property
    def identity(self) -> Mapping[str, object]:
        """The contents of the recording."""
        return {"engine": "replay", "recording": self._digest}

    def fits(self, prompt: Prompt, n: int, sampling: Sampling) -> bool:
        """Whether the text was recorded as a whole; otherwise its passages may have been."""
        return self._find(keys.write_key(prompt, n, sampling) for keys in self._keys["write"]) is not None

    async def write(self, prompt: Prompt, n: int, sampling: Sampling, call: Call | None = None) -> Written:
        """The recorded texts."""
        answer = self._find(keys.write_key(prompt, n, sampling) for keys in self._keys["write"])
        return Written((), (_REFUSAL,)) if answer is None else written_of(answer)

    async def judge(self, prompt: Prompt, options: Sequence[str], call: Call | None = None) -> Judgement:
        """The recorded judgement."""
        answer = self._find(keys.judge_key(prompt, options) for keys in self._keys["judge"])
        return Judgement({}, _REFUSAL) if answer is None else judged_of(answer)

    def _find(self, keys: Iterable[str]) -> StoredAnswer | None:
        return next((json.loads(self._answers[key]) for key in keys if key in self._answers), None)


def _recorded(path: Path) -> Iterator[_RecordedCall]:
    """The answered calls of a recording or a journal."""
    if not path.is_file():
        raise DataError(
            f"{path} does not exist. Expected a recording (JSON lines) or a run's journal.sqlite. "
            "Create one with longway.engines.recording.record."
        )
    with path.open("rb") as start:
        is_journal = start.read(len(_SQLITE)) == _SQLITE
    if not is_journal:
        yield from (call for call in _of_lines(path) if call["kind"] in ANSWERS)
        return
    with closing(Journal(path)) as journal:
        yield from (
            cast(_RecordedCall, asdict(entry)) for entry in journal.entries() if entry.kind in ANSWERS
        )


def _open(path: Path) -> Journal:
    if not path.is_file():
        raise DataError(f"{path} does not exist. Expected a run's journal.sqlite. Check the run's folder.")
    return Journal(path)


def _of_lines(path: Path) -> Iterator[_RecordedCall]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                call = json.loads(line)
                is_call = {"key", "kind", "asked", "answer"} <= call.keys() and "identity" in call["asked"]
            except (ValueError, AttributeError):
                is_call = False
            if not is_call:
                raise DataError(
                    f"Line {number} of {path} is not a recorded call. Expected an object with key, kind, asked and answer. "
                    "Create the recording again with longway.engines.recording.record."
                )
            yield call
