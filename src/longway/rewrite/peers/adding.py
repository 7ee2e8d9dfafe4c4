"""What the peers share: rows are gone through in parts, an engine is asked, and texts that pass are added.

    Ask             prompts -> what was written for each (`llm.asking.Asker.write_all`)
    Proposed        what came of one part
    add_in_parts    parts -> rounds

A part is a round of its own: what was done before the budget ends, or before Ctrl-C, stays done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from longway.errors import SettingError
from longway.llm.engine import Sampling, Written
from longway.llm.prompt import Prompt
from longway.llm.request import tokens_for
from longway.rewrite.additions import Adder, Proposal
from longway.rewrite.drafts import until_spent
from longway.rewrite.method import Figures, Round, Rows, Verify
from longway.rewrite.stopping import BUDGET_SPENT

AT_ONCE = 64  # rows of one round
ALL_DONE = "every row was gone through once"


class Ask(Protocol):
    """Has an engine write."""

    def __call__(self, prompts: Sequence[Prompt], n: int, samplings: Sequence[Sampling]) -> Iterable[Written]:
        """Up to n texts for each prompt, in order; may end early with `BudgetSpent`."""
        ...


@dataclass(slots=True)
class Proposed:
    """What came of one part. refusals: what the engine said about rows it gave no text for, or why its text is of no use."""

    proposals: list[Proposal] = field(default_factory=list)
    refusals: Counter[str] = field(default_factory=Counter)
    is_spent: bool = False


def add_in_parts(
    adder: Adder, parts: Sequence[Sequence[int]], propose: Callable[[Sequence[int]], Proposed]
) -> Iterator[Round]:
    """One round for each part, the last of which says why it is the last."""
    for number, part in enumerate(parts or [()], 1):
        proposed = propose(part)
        added = adder.add(proposed.proposals, number=number)
        figures = Figures(
            asked=len(part),
            candidates=len(proposed.proposals),
            accepted=len(added.rows),
            rejected=dict(added.rejected.most_common()),
            refusals=dict(proposed.refusals.most_common()),
        )
        is_spent = proposed.is_spent or added.is_spent
        stopped = BUDGET_SPENT if is_spent else ALL_DONE if number >= len(parts) else ""
        yield Round(number, tuple(added.edits), tuple(added.rows), figures, stopped)
        if is_spent:
            return


class Peer:
    """A method that asks an engine about each row and adds what it wrote.

    ask: has the engine write. name_of_engine: as edits name it. verify: None where texts are believed.
    """

    name = ""

    def __init__(self, *, ask: Ask, name_of_engine: str, verify: Verify | None = None) -> None:
        self.ask, self.engine, self.verify = ask, name_of_engine, verify

    def run(self, rows: Rows) -> Iterator[Round]:
        """Rounds of 64 rows each, which add rows and change none."""
        adder = Adder(rows, method=self.name, engine=self.engine, verify=self.verify)
        yield from add_in_parts(adder, parts_of(range(len(rows))), lambda part: self.propose(rows, part))

    def propose(self, rows: Rows, part: Sequence[int]) -> Proposed:
        """What could be added for some rows."""
        raise NotImplementedError

    def written(
        self, prompts: Sequence[Prompt], n: int, sampling: Sampling, result: Proposed
    ) -> list[Written]:
        """What was written for each prompt, as far as the budget goes; `result` takes note of refusals."""
        if not prompts:
            return []
        samplings = [_roomy(sampling, prompt, n) for prompt in prompts]
        found, is_spent = until_spent(lambda: self.ask(prompts, n, samplings))
        result.is_spent = result.is_spent or is_spent
        for written in found:
            if not written.texts:
                result.refusals.update(written.refusals[:1] or ["the engine gave no text"])
        return found


def parts_of(rows: Sequence[int]) -> list[Sequence[int]]:
    """The rows in parts of 64."""
    return [rows[start : start + AT_ONCE] for start in range(0, len(rows), AT_ONCE)]


def check_n(n: int) -> None:
    """SettingError where no text would be asked for."""
    if n < 1:
        raise SettingError(f"'n' must be at least 1. Got {n}. Ask for one new text or more for each row.")


def hows(written: Written) -> Mapping[str, str]:
    """What was done for each text, "" where the engine does not say."""
    return dict(zip(written.texts, written.how or ("",) * len(written.texts), strict=True))


def _roomy(sampling: Sampling, prompt: Prompt, n: int) -> Sampling:
    """The sampling with room for n texts as long as the row's."""
    return replace(sampling, max_tokens=max(sampling.max_tokens, tokens_for(prompt.text, n=n)))
