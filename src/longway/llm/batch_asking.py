"""An asker that asks nobody: what the journal does not have becomes a request in a batch file.

    asker = BatchAsker(engine, journal, batch, writer)
    asker.write_all(prompts, 4)       what the journal has, and "it waits for its batch" for the rest
    asker.waiting                     questions without an answer

The keys are those of a plain `Asker`, and the bodies what `ServedEngine` would send, so that answers which are collected into
the journal are found by the same run. A question that has a request already is not written again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from longway.errors import BudgetSpent, SettingError
from longway.llm.asking import Asker
from longway.llm.batch import BatchFolder, Request, RequestWriter
from longway.llm.request import Call, Features, size_of
from longway.llm.round import Question
from longway.llm.served import ServedEngine
from longway.store.journal import Journal

WAITS = "it waits for its batch"


class Outstanding:
    """The requests of a folder that have no answer, by question: the last one of each, and what they can cost.

    spent: what was spent and what requests without an answer may still cost, in dollars.
    """

    def __init__(self, batch: BatchFolder, journal: Journal) -> None:
        last = {request.key: request for request in batch.requests()}
        answered = set(journal.get_all(last))
        self.last = {key: request for key, request in last.items() if key not in answered}
        self.spent = journal.spent() + sum(request.most for request in self.last.values())

    def put(self, request: Request) -> None:
        """Take a new request into account; what a question may cost is reserved once, for all of its requests."""
        if request.key not in self.last:
            self.spent += request.most
        self.last[request.key] = request


class BatchAsker(Asker):
    """Writes down what it would have to ask.

    waiting: questions without an answer so far. written: those put down now; left_out: those asked often enough by the batch.
    """

    def __init__(
        self,
        engine: ServedEngine,
        journal: Journal,
        batch: BatchFolder,
        writer: RequestWriter,
        *,
        outstanding: Outstanding,
        budget: float | None = None,
    ) -> None:
        super().__init__(engine, journal, budget=budget)
        self.engine: ServedEngine = engine
        self.batch, self.writer, self.outstanding = batch, writer, outstanding
        self.waiting = self.written = self.left_out = 0

    async def _ask(self, questions: Iterator[Question], take: Callable[[str, dict[str, Any]], None]) -> None:
        for question in questions:
            if question.request is None or question.failed is None:
                raise SettingError(
                    f"A call to {question.kind} cannot wait for a batch. Texts and labels can. Use an engine that embeds here."
                )
            self._put_down(question, question.request)
            self.waiting += 1
            for key in question.keys:
                take(key, question.failed(WAITS))

    def _put_down(self, question: Question, call_of: Callable[[], Call]) -> None:
        """Write the request, unless there is one that the server may still answer."""
        (key,) = question.keys
        before = self.outstanding.last.get(key)
        if before is not None and before.custom_id not in self.batch.rejected:
            self.left_out += before.custom_id in self.batch.left_out
            return
        if before is None:
            self._check_fits(question.most)
        features = self._features(question.kind, before)
        call = call_of()
        body = call.body(self.engine.model, features)
        request = Request(
            key=key,
            kind=question.kind,
            engine=self.engine.name,
            base_url=self.engine.base_url,
            body=body,
            asked=question.asked,
            reads=call.reads,
            features=features,
            number=1 if before is None else before.number + 1,
            most=question.most,
            sent=size_of(body["messages"]),
            used=(0, 0, 0.0) if before is None else before.used,
        )
        self.writer.add(request)
        self.outstanding.put(request)
        self.written += 1

    def _features(self, kind: str, before: Request | None) -> Features:
        """What to ask a server for: less than it rejected, or what it is known to take."""
        if before is not None:
            return self.batch.rejected[before.custom_id]
        return self.batch.features_of(self.engine.name, self.engine.base_url, kind) or Features()

    def _check_fits(self, most: float) -> None:
        spent = self.outstanding.spent
        if self.budget is not None and spent + most > self.budget:
            raise BudgetSpent(
                f"The budget of ${self.budget:.4g} holds no further request: ${spent:.4f} are spent or may be spent by requests "
                f"that are written, and the next can cost up to ${most:.4f}. Collect first, or give a larger --budget."
            )
