"""Back-translation as new rows (Sennrich et al. 2016): into another language and back, the label kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from longway.engines.engine import Sampling
from longway.engines.prompt import translate_back_prompt, translate_prompt
from longway.errors import SettingError
from longway.methods.additions import Ask, Proposal, Proposed
from longway.methods.method import Rows, Verify
from longway.methods.peers.adding import Peer, check_n


@dataclass(frozen=True, slots=True)
class BackTranslationSettings:
    """language: through which the way leads. into: the language of the texts. n: new texts for each row."""

    language: str = "German"
    into: str = "English"
    n: int = 1
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        check_n(self.n)
        if not self.language.strip() or self.language.strip().lower() == self.into.strip().lower():
            raise SettingError(
                f"'language' must be another one than that of the texts ({self.into}). Got {self.language!r}. "
                "Try German."
            )


class BackTranslation(Peer):
    """Adds what is left of each text after a way through another language."""

    name = "back-translation"

    def __init__(
        self,
        settings: BackTranslationSettings | None = None,
        *,
        ask: Ask,
        name_of_engine: str,
        verify: Verify | None = None,
    ) -> None:
        super().__init__(ask=ask, name_of_engine=name_of_engine, verify=verify)
        self.settings = settings or BackTranslationSettings()

    def propose(self, rows: Rows, part: Sequence[int]) -> Proposed:
        """The texts that came back. Variety comes from the first way: each translation is translated back once."""
        result, settings = Proposed(), self.settings
        there = [translate_prompt(rows.texts[row], language=settings.language) for row in part]
        answers = self.written(there, settings.n, settings.sampling, result)
        foreign = [(row, text) for row, w in zip(part, answers, strict=False) for text in w.texts]
        back = [
            translate_back_prompt(text, language=settings.language, into=settings.into) for _, text in foreign
        ]
        answers = self.written(back, 1, settings.sampling, result)
        for (row, text), written in zip(foreign, answers, strict=False):
            result.proposals += [
                Proposal(
                    row,
                    new,
                    rows.label(row),
                    rows.context(row),
                    how=f"through {settings.language}",
                    keeps="meaning",
                    trace={"language": settings.language, "translation": text},
                )
                for new in written.texts
            ]
        return result
