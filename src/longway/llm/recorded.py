"""How calls and answers are written down: the key of a call, and its answer as JSON values and back.

The key is the hash of everything that shapes the answer. An engine that reads messages (`renders`) is shaped by those; one
that looks at the prompt's fields, by the fields. `asked` is what a person or a replay needs to know besides.
"""

from __future__ import annotations

import base64
from array import array
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from typing import Any

from longway.llm.engine import Judged, Sampling, Written
from longway.llm.prompt import Prompt
from longway.store.journal import Journal, key_of
from longway.task import Task

FORMAT = 1  # of the journal's answers
# The key of the call that is under way, "" outside of one: an engine can tell a server by it that a call was sent before.
current_key: ContextVar[str] = ContextVar("current_key", default="")
ANSWERS = frozenset({"write", "judge", "embed"})  # kinds of rows in a journal that an engine answered
LOST = "lost"  # kind of a row that holds no answer, only what a failed call may have cost


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who is asked, as far as it shapes the answers."""

    identity: Mapping[str, Any]
    renders: bool
    # A task is the same object for thousands of prompts; it stays here so that its id stays its own.
    _tasks: dict[int, tuple[Task, str]] = field(default_factory=dict, compare=False, repr=False)

    @staticmethod
    def of(engine: Any) -> Speaker:
        """What an engine says of itself."""
        return Speaker(dict(engine.identity), bool(getattr(engine, "renders", False)))

    def write_key(self, prompt: Prompt, n: int, sampling: Sampling) -> str:
        """The key of a call that asks for texts."""
        return self._key("write", self._prompt(prompt, n=n), n=n, sampling=asdict(sampling))

    def judge_key(self, prompt: Prompt, options: Sequence[str]) -> str:
        """The key of a call that asks for a label."""
        return self._key("judge", self._prompt(prompt, options=tuple(options)), options=list(options))

    def embed_key(self, text: str) -> str:
        """The key of one text's vector."""
        return self._key("embed", text)

    def asked(self, prompt: Prompt | None = None, **more: Any) -> dict[str, Any]:
        """What is kept of the question, besides its key."""
        about = {"identity": self.identity, "renders": self.renders, **more}
        if prompt is None:
            return about
        return about | {"template": prompt.template, "text": prompt.text, "label": prompt.label}

    def _key(self, kind: str, asked: Any, **more: Any) -> str:
        return key_of({"format": FORMAT, "kind": kind, "engine": self.identity, "asked": asked, **more})

    def _prompt(self, prompt: Prompt, **more: Any) -> dict[str, Any]:
        # Only where it is not as it always was: keys of older journals stay what they are.
        reads = {} if prompt.reads == "texts" else {"reads": prompt.reads}
        if self.renders:
            return reads | {"template": prompt.template, "messages": prompt.messages(form="json", **more)}
        return reads | {
            "template": prompt.template,
            "task": self._task(prompt.task),
            "text": prompt.text,
            "context": prompt.context,
            "label": prompt.label,
            "avoid": prompt.avoid,
            "values": dict(prompt.values),
        }

    def _task(self, task: Task) -> str:
        if id(task) not in self._tasks:
            self._tasks[id(task)] = task, key_of(asdict(task) | {"stances": dict(task.stances)})
        return self._tasks[id(task)][1]


def answers_in(journal: Journal) -> int:
    """How many answers of engines a journal holds; it also holds what checks computed, and what was lost."""
    return sum(row["calls"] for row in journal.totals() if row["kind"] in ANSWERS)


def key_of_all(keys: Sequence[str]) -> str:
    """One key for a call that has several answers; that of a single answer is its own."""
    return keys[0] if len(keys) == 1 else key_of({"keys": list(keys)})


def answer_of(result: Written | Judged) -> dict[str, Any]:
    """An answer as JSON values."""
    if isinstance(result, Written):
        return {"texts": list(result.texts), "refusals": list(result.refusals), "how": list(result.how)}
    return {"probabilities": dict(result.probabilities), "refusal": result.refusal}


def written_of(answer: Mapping[str, Any]) -> Written:
    """Texts from JSON values."""
    return Written(tuple(answer["texts"]), tuple(answer["refusals"]), tuple(answer["how"]))


def judged_of(answer: Mapping[str, Any]) -> Judged:
    """A judgement from JSON values."""
    return Judged(dict(answer["probabilities"]), answer["refusal"])


def packed(vector: Sequence[float]) -> dict[str, Any]:
    """A vector as JSON values: single precision, a quarter of the length that digits would take."""
    return {"f32": base64.b64encode(array("f", vector).tobytes()).decode()}


def unpacked(answer: Mapping[str, Any]) -> list[float]:
    """A vector from JSON values."""
    values = array("f")
    values.frombytes(base64.b64decode(answer["f32"]))
    return values.tolist()
