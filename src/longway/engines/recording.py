"""Calls and answers as they are stored: the key of a call, its answer as JSON, and the engine that replays a journal.

    CallKeys.of(engine)                        the keys of an engine's calls
    ReplayEngine("run/journal.sqlite")         gives the same answers to the same calls; refuses others

The key is the hash of everything that affects the answer: the engine, the messages, the parameters. A journal contains the texts
that were sent and written, and never a key of a server.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypedDict, cast

from longway.engines.costs import Call
from longway.engines.engine import Engine, Judgement, Sampling, Written
from longway.engines.prompt import Prompt
from longway.errors import DataError
from longway.store.journal import Journal, key_of

FORMAT = 1  # of the journal's answers
ANSWERS = frozenset({"write", "judge"})  # kinds of journal rows that hold an engine's answer
LOST = "lost"  # kind of a journal row without an answer: only what a failed call may have cost
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
        reads = {"reads": "lines"} if prompt.has_lines else {}
        return reads | {"template": prompt.template, "messages": prompt.messages(**more)}


def answers_in(journal: Journal) -> int:
    """The number of engine answers in a journal, which also stores results of checks and lost calls."""
    return sum(one.calls for one in journal.totals() if one.kind in ANSWERS)


def answer_of(result: Written | Judgement) -> StoredAnswer:
    """A result as JSON values."""
    if isinstance(result, Written):
        return StoredAnswer(texts=list(result.texts), refusals=list(result.refusals), how=list(result.how))
    return StoredAnswer(probabilities=dict(result.probabilities), refusal=result.refusal)


def result_of(answer: StoredAnswer) -> Written | Judgement:
    """A result from JSON values."""
    if "texts" in answer:
        return Written(tuple(answer["texts"]), tuple(answer["refusals"]), tuple(answer["how"]))
    return Judgement(dict(answer["probabilities"]), answer["refusal"])


def failure_of(kind: str, reason: str) -> StoredAnswer:
    """The answer to a call that failed. kind: "write" or "judge"."""
    return answer_of(Written((), (reason,)) if kind == "write" else Judgement({}, reason))


class ReplayEngine(Engine):
    """Answers from the journal of a run."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.name = f"replay:{self.path.name}"
        self._answers: dict[str, str] = {}
        if not self.path.is_file():
            raise DataError(
                f"{path} does not exist. Expected a run's journal.sqlite. Check the run's folder."
            )
        kinds: set[str] = set()
        identities: dict[str, Mapping[str, object]] = {}
        digest = hashlib.sha256()
        with closing(Journal(self.path)) as journal:
            for entry in journal.entries():
                if entry.kind not in ANSWERS:
                    continue
                self._answers[entry.key] = json.dumps(entry.answer)
                digest.update(f"{entry.key} {json.dumps(entry.answer, sort_keys=True)}\n".encode())
                kinds.add(entry.kind)
                identity = cast(Asked, entry.asked)["identity"]
                identities[json.dumps(identity, sort_keys=True)] = identity
        self._digest = digest.hexdigest()
        self._keys = [CallKeys(one) for one in identities.values()]
        self.can = frozenset(kinds | ({"edit"} if "write" in kinds else set()))

    @property
    def identity(self) -> Mapping[str, object]:
        """The contents of the recording."""
        return {"engine": "replay", "recording": self._digest}

    def fits(self, prompt: Prompt, n: int, sampling: Sampling) -> bool:
        """Whether the text was recorded as a whole; otherwise its passages may have been."""
        return self._find(keys.write_key(prompt, n, sampling) for keys in self._keys) is not None

    async def write(self, prompt: Prompt, n: int, sampling: Sampling, call: Call | None = None) -> Written:
        """The recorded texts."""
        answer = self._find(keys.write_key(prompt, n, sampling) for keys in self._keys)
        return cast(Written, result_of(answer or failure_of("write", _REFUSAL)))

    async def judge(self, prompt: Prompt, options: Sequence[str], call: Call | None = None) -> Judgement:
        """The recorded judgement."""
        answer = self._find(keys.judge_key(prompt, options) for keys in self._keys)
        return cast(Judgement, result_of(answer or failure_of("judge", _REFUSAL)))

    def _find(self, keys: Iterable[str]) -> StoredAnswer | None:
        return next((json.loads(self._answers[key]) for key in keys if key in self._answers), None)
