"""Rewrite: take the texts whose surface gives their label away, and put others in their place that do not.

    rows -> engine writes -> checks verify -> method chooses, round after round -> the same dataset, rewritten

`Rewriting` puts the parts together for one dataset; `run_rewrite` (in its own file) fills a run folder with what it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from longway.classify.minilm import MiniLM
from longway.detect.findings import Chosen, search
from longway.detect.position import FIRST, LAST
from longway.detect.reading import Reading
from longway.engines.asker import Asker
from longway.engines.engine import Sampling, Written
from longway.engines.prompt import rewrite_prompt
from longway.errors import SettingError
from longway.jobs.rewrite.decided import Decided, Heeded, Heeding, feature_of, features_of
from longway.jobs.rewrite.leak_of_rounds import LeakOfRounds
from longway.jobs.rows import dataset_of
from longway.methods import METHODS, plain_method
from longway.methods.leak_aware import Feature, GiveAway
from longway.methods.method import Method, Objection, RewriteRequest, Round, Rows, Write
from longway.methods.razor import Balance, Razor, RazorSettings, Stop
from longway.space.live_space import Embed, SpaceName
from longway.task import Task
from longway.tokens.tokenizer import tokenize
from longway.verify.model_cache import CachedEncoder, ModelCache
from longway.verify.verifier import Verifier, verifier_for

Choose = Literal["gamma", "leak"]
RARER = 0.5  # a telling pattern may stand in half as many texts as it did, whichever label they have
MOST_TIMES = (
    2  # a text is rewritten with the leak in view; each time it moves a little further from what it was
)
AT_ONCE = 256  # prompts put to an engine before what came back is used


@dataclass(frozen=True, slots=True)
class RewriteSettings:
    """What a rewrite can be told.

    method: one of `rewrite.METHODS`. engine, judge: who writes and who judges (see `llm/engines.py`); judge "auto" is the
    writing engine in a conversation of its own where it can judge.
    choose: which texts are rewritten and which candidate is taken: "gamma" is RAZOR's Eq. 12, "leak" what a surface-only
    model could use. keep: words and phrases that are real signal and not to be counted as shortcuts.
    decisions: what people decided when they reviewed a run on the same data (`longway.decisions_of`), see `recipes/decided.py`.
    k, candidates, rounds, patience, stop, balance, space, only_better, rerank, per_row: see `rewrite/razor.py`.
    """

    method: str = "razor"
    engine: str = "auto"
    judge: str = "auto"
    choose: Choose = "gamma"
    k: int | float = 0.1
    candidates: int = 4
    rounds: int = 10
    patience: int = 1
    stop: Stop = "cosine"
    balance: Balance = "none"
    space: SpaceName = "mean"
    only_better: bool = False
    rerank: bool = False
    per_row: int | None = None
    keep: tuple[str, ...] = ()
    decisions: Decided | None = None
    temperature: float = 0.7
    top_p: float = 0.9
    seed: int = 0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise SettingError(
                f"'method' must be one of {', '.join(METHODS)}. Got {self.method!r}. Choose one of them."
            )
        if self.choose not in get_args(Choose):
            raise SettingError(
                f"'choose' must be one of {', '.join(get_args(Choose))}. Got {self.choose!r}. "
                "Use 'gamma' for the paper's choice."
            )
        if not 0 <= self.seed < 2**32:
            raise SettingError(f"'seed' must be from 0 to 4294967295. Got {self.seed}.")
        if self.keep and self.choose != "leak":
            raise SettingError(
                f"'keep' is for the choice by 'leak': gamma looks at no single words. Got choose {self.choose!r}. "
                "Add --choose leak, or leave --keep out."
            )
        if any(not tokenize(phrase) for phrase in self.keep):
            raise SettingError(
                f"'keep' must be words or phrases. Got {list(self.keep)}. Leave the empty one out."
            )
        self.razor()  # checks its own

    @property
    def needs_engine(self) -> bool:
        """Whether the method has texts written; the baselines do without engine and checks, as published."""
        return self.method == "razor"

    @property
    def looks_at_words(self) -> bool:
        """Whether single words and phrases decide which texts are rewritten."""
        return self.method == "razor" and self.choose == "leak"

    def razor(self) -> RazorSettings:
        """The part of the settings that RAZOR's loop takes."""
        leak_aware = self.choose == "leak"
        return RazorSettings(
            k=self.k,
            m=self.candidates,
            balance=self.balance,
            rounds=self.rounds,
            stop=self.stop,
            patience=self.patience,
            per_row=MOST_TIMES if leak_aware and self.per_row is None else self.per_row,
            only_better=self.only_better or leak_aware,
            rerank=self.rerank,
            verify="best first",  # the same choice by gamma; models and judges are asked far less
            space=self.space,
        )

    def sampling(self, sample: int) -> Sampling:
        """How an engine draws texts, for the n-th time for the same text."""
        return Sampling(self.temperature, self.top_p, seed=self.seed, sample=sample)


class Writer:
    """Has texts written by an engine, a bounded number of prompts at a time."""

    def __init__(self, asker: Asker, task: Task, settings: RewriteSettings) -> None:
        self.asker, self.task, self.settings = asker, task, settings
        self.name: str = asker.engine.name

    def __call__(self, requests: Sequence[RewriteRequest]) -> Iterator[Written]:
        """What was written for each row, in order."""
        for start in range(0, len(requests), AT_ONCE):
            part = requests[start : start + AT_ONCE]
            prompts = [
                rewrite_prompt(self.task, one.text, label=one.label, context=one.context, avoid=one.avoid)
                for one in part
            ]
            samplings = [self.settings.sampling(one.sample) for one in part]
            yield from self.asker.write_all(prompts, part[0].n, samplings)


class Rewriting:
    """One dataset being rewritten.

    rows: those that may change. writer, judge: how engines are asked; writer: None for methods that need none.
    """

    def __init__(
        self,
        rows: Rows,
        settings: RewriteSettings,
        *,
        writer: Asker | None = None,
        judge: Asker | None = None,
    ) -> None:
        self.settings = settings
        self.rows = rows
        self.writer: Writer | None = None
        self.verifier: Verifier | None = None
        self._embed: Embed | None = None
        self.heeded: Heeded | None = None
        if settings.decisions is not None:
            self.heeded = Heeded.of(
                settings.decisions, text=self.rows.task.text_name, aims=settings.looks_at_words
            )
        if writer is None:
            return
        if settings.space == "embedding":
            self._embed = CachedEncoder(MiniLM.load(), ModelCache(writer.journal))
        self.verifier = verifier_for(
            self.rows.task,
            list(self.rows.texts),
            [self.rows.label(i) for i in range(len(self.rows))],
            self.rows.contexts,
            judge=judge,
            seed=settings.seed,
            journal=writer.journal,
        )
        self.writer = Writer(writer, self.rows.task, settings)

    def run(self) -> Iterator[Round]:
        """The rounds, each complete when it is yielded."""
        yield from self._method().run(self.rows)

    def _method(self) -> Method:
        settings = self.settings
        if not settings.needs_engine:
            return plain_method(settings.method, seed=settings.seed, objection=self._objection())
        if self.writer is None or self.verifier is None:
            raise SettingError(
                f"The method {settings.method} has texts written, and needs an engine. Got none. Give `writer`."
            )
        razor = settings.razor()
        parts: dict[str, Any] = {}
        if settings.choose == "leak":
            if not self.rows.task.is_pair:
                razor = replace(razor, least=0.0)  # a text without a found shortcut is left alone
            give_away = give_away_of(self.rows, keep=self.keep, heeded=self.heeded)
            parts = {"rank_by": give_away, "choose_by": give_away, "phrases": self._telling(give_away)}
        return Razor(
            razor,
            write=self._heeding(self.writer),
            verify=self.verifier.verify,
            leak=LeakOfRounds(self.rows, seed=settings.seed),
            embed=self._embed,
            **parts,
        )

    def _heeding(self, write: Write) -> Write:
        """The writer, held against what people decided, if anything."""
        objection = self._objection()
        return write if objection is None else Heeding(write, self.rows.ids, objection)

    def _objection(self) -> Objection | None:
        """What speaks against a text by what people decided; rows that CrossAug adds take no signal out of others."""
        if self.heeded is None:
            return None
        keeps_signal = self.settings.method != "crossaug"
        return self.heeded.objection(self.rows.task.text_name, keeps_signal=keeps_signal)

    def checks(self, n_accepted: int, edits: Sequence[int]) -> dict[str, Any]:
        """What the report says about the checks, see `Verifier.report`."""
        if self.verifier is not None:
            report = self.verifier.report(n_accepted, edits)
            errors = {name: asdict(error) for name, error in report.errors.items()}
            wrong = None if report.wrong is None else asdict(report.wrong)
            return {"errors": errors, "missing": list(report.missing), "expected_wrong": wrong}
        missing = [f"all: the method {self.settings.method} is used as published, and that is without checks"]
        return {"errors": {}, "missing": missing if n_accepted else [], "expected_wrong": None}

    @property
    def keep(self) -> tuple[str, ...]:
        """What counts as real signal: named by the user, or marked in the review of an earlier run."""
        return (*self.settings.keep, *(self.heeded.keep if self.heeded else ()))

    @property
    def left_alone(self) -> tuple[str, ...]:
        """The names of patterns that count as real signal, as findings have them."""
        return (*self.keep, *(self.heeded.names if self.heeded else ()))

    def _telling(self, give_away: GiveAway) -> Callable[[str, str], tuple[str, ...]]:
        number = {name: i for i, name in enumerate(self.rows.label_names)}
        return lambda text, label: give_away.telling(text, number[label])


def give_away_of(rows: Rows, *, keep: Sequence[str] = (), heeded: Heeded | None = None) -> GiveAway:
    """What a surface-only model could use. keep: real signal; heeded: what people decided.

    The text of a pair should say nothing about the label alone, so that all of it counts. A single text is all there
    is: there, only patterns that an audit finds count, and what the user called real signal does not.
    """
    first = [f for pattern in heeded.shortcuts for f in features_of(pattern)] if heeded else []
    leaves_lengths = heeded is not None and "length" in heeded.whole
    if rows.task.is_pair:
        return GiveAway(
            rows.texts, rows.labels, keep=keep, lengths=not leaves_lengths, rarer=RARER, first=first
        )
    found = search(Reading.of(dataset_of(rows)))
    only = [f for chosen in found.chosen if (f := _feature(chosen)) is not None]
    lengths = any(chosen.finding.level == "length" for chosen in found.chosen) and not leaves_lengths
    return GiveAway(
        rows.texts, rows.labels, keep=keep, only=[*only, *first], lengths=lengths, rarer=RARER, first=first
    )


def _feature(chosen: Chosen) -> Feature | None:
    """A finding as a feature of single texts; None for what is no sequence of words."""
    pattern = chosen.description.pattern
    if pattern.level in ("token", "ngram") or (
        pattern.level == "position" and pattern.place in (FIRST, LAST)
    ):
        return feature_of(pattern)
    return None
