"""What the peers share: an engine is asked about each row, and texts that pass are added (`rewrite/additions.py`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from longway.engines.engine import Sampling, Written
from longway.engines.prompt import Prompt
from longway.engines.transport import tokens_for
from longway.errors import SettingError
from longway.methods.additions import Adder, Ask, Proposed, add_in_parts
from longway.methods.drafts import until_spent
from longway.methods.method import Round, Rows, Verify


class Peer(ABC):
    """A method that asks an engine about each row and adds what it wrote.

    ask: has the engine write. name_of_engine: as edits name it. verify: None where texts are believed.
    """

    name = ""

    def __init__(self, *, ask: Ask, name_of_engine: str, verify: Verify | None = None) -> None:
        self.ask, self.engine, self.verify = ask, name_of_engine, verify

    def run(self, rows: Rows) -> Iterator[Round]:
        """Rounds of 64 rows each, which add rows and change none."""
        adder = Adder(rows, method=self.name, engine=self.engine, verify=self.verify)
        yield from add_in_parts(adder, range(len(rows)), lambda part: self.propose(rows, part))

    @abstractmethod
    def propose(self, rows: Rows, part: Sequence[int]) -> Proposed:
        """What could be added for some rows."""

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
