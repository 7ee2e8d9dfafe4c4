"""The parts of a rewrite, put together for one dataset.

rows -> engine writes -> checks verify -> method chooses, round after round -> edits
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from longway.detect.findings import search
from longway.detect.leak import leak_by_folds, rows_measured
from longway.detect.reading import Reading
from longway.detect.words import FIRST, LAST
from longway.engines.asker import Asker, PaidWriting
from longway.engines.engine import Sampling, Written
from longway.errors import SettingError
from longway.jobs.rewrite.decisions import AppliedDecisions, feature_of, features_of
from longway.jobs.rewrite.settings import RewriteSettings
from longway.jobs.rows import dataset_of
from longway.jobs.run import Watcher
from longway.jobs.workload import CHECK, CHECKED, Workload
from longway.methods.crossaug import crossaug
from longway.methods.eda import eda
from longway.methods.leak_aware import GiveAway
from longway.methods.method import Objection, RewriteRequest, Round, Rows, Verify, Write, no_objection
from longway.methods.razor import Razor, RazorSettings, count_of
from longway.methods.writers import writer_of
from longway.models.encoders import CachedEncoder
from longway.records import Leak, Pattern
from longway.shard_map import in_shards
from longway.space.live_space import Embed
from longway.store import Journal
from longway.text.corpus import Corpus
from longway.verify.calibration import CheckReport
from longway.verify.model_cache import ModelCache
from longway.verify.verifier import Verifier, names_of, verifier_for

RARER = 0.5  # a predictive pattern may occur in half as many texts as before, whatever their label
MOST_TIMES = 2  # rewrites of a text if the leak chooses; each moves it further from the original
WRITE, MEASURE = "write", "measure"  # kinds of work
AT_ONCE = 256  # texts that are written before the page shows it


def razor_settings(settings: RewriteSettings) -> RazorSettings:
    """The settings of RAZOR's loop."""
    by_leak = settings.choose == "leak"
    return RazorSettings(
        k=settings.k,
        m=settings.candidates,
        balance=settings.balance,
        rounds=settings.rounds,
        stop=settings.stop,
        patience=settings.patience,
        per_row=MOST_TIMES if by_leak and settings.per_row is None else settings.per_row,
        only_better=settings.only_better or by_leak,
        verify="best first",  # the same choice by gamma, with far fewer calls of models and judges
        space=settings.space,
        dimensions=settings.dimensions,
        may_return=settings.paper,
        until_chance=not settings.paper,
    )


class RewriteWork:
    """The work of a rewrite: in each round texts are written, checked, and measured.

    It is a writer itself. write: writes the texts. k: texts of a round. rounds: the most.
    """

    def __init__(self, write: Write, watcher: Watcher, k: int, rounds: int) -> None:
        self.rounds, self.number = rounds, 1
        self.write, self.name = write, write.name
        expected = {WRITE: k * rounds, CHECK: k * rounds, MEASURE: rounds}
        self.load = Workload(watcher, expected, guesses={CHECK: CHECKED})
        self.load.begin(MEASURE, "measuring", 1)

    def __call__(self, requests: Sequence[RewriteRequest]) -> Iterator[Written]:
        """What is written for each request, in order."""
        for part in in_shards(requests, AT_ONCE):
            n = len(part)
            self.load.begin(WRITE, f"{self._words()}writing {n:,} text{'s' * (n != 1)}", n)
            yield from self.write(part)
            self.load.did(n)

    def checked(self, verifier: Verifier) -> Verify:
        """The checks, which are followed by the measures of the round."""
        return self.load.checked(verifier, self._measure, prefix=self._words)

    def _measure(self) -> None:
        self.load.begin(MEASURE, f"{self._words()}measuring", 1)

    def end_round(self, done: Round) -> None:
        """A round is complete: those to come are expected to have as many checks."""
        self.load.did(1)
        if done.number:
            self.load.expect(CHECK, self.load.done(CHECK) / done.number * self.rounds)
        self.load.expect(MEASURE, self.rounds + 1)
        self.number = done.number + 1

    def _words(self) -> str:
        return f"round {self.number}/{self.rounds}: "


class Rewriting:
    """One dataset being rewritten.

    rows: those that may change. writer, judge: call models; None if none writes or judges.
    """

    def __init__(
        self,
        rows: Rows,
        settings: RewriteSettings,
        journal: Journal,
        *,
        writer: Asker | None = None,
        judge: Asker | None = None,
        watcher: Watcher | None = None,
    ) -> None:
        if settings.paper:
            rows = replace(rows, task=rows.task.without_examples())
        self.settings, self.rows = settings, rows
        self.verifier: Verifier | None = None
        self.work: RewriteWork | None = None
        self._embed: Embed | None = None
        self.decisions: AppliedDecisions | None = None
        if settings.decisions is not None:
            self.decisions = AppliedDecisions.of(
                settings.decisions,
                text=rows.task.text_name,
                aims=settings.needs_engine and settings.choose == "leak",
                tokenizer=rows.tokenizer,
            )
        if not settings.needs_engine:
            return
        if settings.space == "embedding":
            self._embed = CachedEncoder.of(rows.task.spoken[:1], ModelCache(journal))
        self.verifier = verifier_for(
            rows.task,
            list(rows.texts),
            [rows.label(i) for i in range(len(rows))],
            rows.contexts,
            judge=judge,
            seed=settings.seed,
            journal=journal,
            names=names_of(settings.checks, has_judge=judge is not None),
        )
        sampling = Sampling(settings.temperature, settings.top_p, seed=settings.seed)
        write = writer_of(
            settings.engine,
            rows.task,
            writing=None if writer is None else PaidWriting(writer, judge=judge, task=rows.task),
            sampling=sampling,
            repeats=not settings.paper,
            shard_map=journal.shard_map,
        )
        if write is None:
            raise SettingError(f"The method {settings.method} needs an engine. Got none. Give `writer`.")
        k = count_of(settings.k, len(rows))
        self.work = RewriteWork(write, watcher or Watcher(), k, settings.rounds)
        for asker in (writer, judge):
            if asker is not None:
                asker.progress = self.work.load.inside

    def run(self) -> Iterator[Round]:
        """The rounds, each complete when it is yielded."""
        for done in self._rounds():
            if self.work is not None:
                self.work.end_round(done)
            yield done

    def _rounds(self) -> Iterator[Round]:
        settings = self.settings
        objection: Objection = no_objection
        if self.decisions is not None:  # rows that CrossAug adds remove no signal from others
            keeps_signal = settings.method != "crossaug"
            objection = self.decisions.objection(self.rows.task.text_name, keeps_signal=keeps_signal)
        if settings.method == "eda":
            return eda(self.rows, seed=settings.seed, objection=objection)
        if settings.method == "crossaug":
            return crossaug(self.rows, seed=settings.seed, objection=objection)
        if settings.method == "none":  # the control
            return iter([Round(0, stopped="nothing is rewritten by this method")])
        assert self.work is not None and self.verifier is not None  # noqa: PT018
        razor, give_away, phrases = razor_settings(settings), None, None
        if settings.choose == "leak":
            if not self.rows.task.is_pair:
                razor = replace(razor, least=0.0)  # a text without a known shortcut is left alone
            give_away = give_away_of(self.rows, keep=self.keep, decisions=self.decisions)
            phrases = self._phrases(give_away)
        method = Razor(
            razor,
            write=self.work,
            objection=objection,
            verify=self.work.checked(self.verifier),
            leak=LeakOfRounds(self.rows, seed=settings.seed),
            embed=self._embed,
            chooser=give_away,
            phrases=phrases,
        )
        return method.run(self.rows)

    def _phrases(self, give_away: GiveAway) -> Callable[[str, str], tuple[str, ...]]:
        number = {name: i for i, name in enumerate(self.rows.label_names)}
        return lambda text, label: give_away.telling(text, number[label])

    def check_report(self, n_accepted: int, edits: Sequence[int]) -> CheckReport:
        """What the report says about the checks, see `Verifier.report`."""
        if self.verifier is not None:
            return self.verifier.report(n_accepted, edits)
        missing = f"all: the method {self.settings.method} is used as published, which is without checks"
        return CheckReport(missing=(missing,) if n_accepted else ())

    @property
    def keep(self) -> tuple[str, ...]:
        """Words that count as real signal: named by the user, or marked in the review of an earlier run."""
        return (*self.settings.keep, *(self.decisions.keep if self.decisions else ()))

    @property
    def left_alone(self) -> tuple[str, ...]:
        """The names of patterns that count as real signal, as findings have them."""
        return (*self.keep, *(self.decisions.names if self.decisions else ()))


class LeakOfRounds:
    """The leak from the texts after each round, on the same rows each time.

    A leak is measured on a bounded number of rows (see `detect/leak.py`). They are drawn once, before anything is read, so that a round
    does not read a million rows to measure a few thousand, and two rounds differ in their texts only.
    """

    def __init__(self, rows: Rows, *, seed: int) -> None:
        self.seed = seed
        self.places = rows_measured(
            len(rows), Corpus.from_texts(rows.texts, rows.tokenizer).n_tokens, seed=seed
        )

    def __call__(self, rows: Rows) -> Leak:
        """The leak by cross-validation."""
        part = rows.at(self.places.tolist())
        leak = leak_by_folds(Reading.of(dataset_of(part)), "text", seed=self.seed)
        if len(part) == len(rows):
            return leak
        return replace(leak, how=f"{leak.how} on {len(part):,} rows drawn at random")


def give_away_of(
    rows: Rows, *, keep: Sequence[str] = (), decisions: AppliedDecisions | None = None
) -> GiveAway:
    """What a model that sees only the surface could use. keep: real signal. decisions: of a review.

    The text of a pair alone should not predict the label, so all of its words count. A single text has nothing else to
    predict it from: only patterns that an audit finds count, and real signal does not.
    """
    first = [f for pattern in decisions.shortcuts for f in features_of(pattern)] if decisions else []
    ignores_lengths = decisions is not None and "length" in decisions.whole_text
    only, has_lengths = None, True
    if not rows.task.is_pair:
        found = search(Reading.of(dataset_of(rows))).chosen
        patterns = [chosen.description.pattern for chosen in found]
        only = [*(feature_of(pattern) for pattern in patterns if _is_phrase(pattern)), *first]
        has_lengths = any(chosen.finding.level == "length" for chosen in found)
    return GiveAway(
        rows.texts,
        rows.labels,
        keep=keep,
        only=only,
        lengths=has_lengths and not ignores_lengths,
        rarer=RARER,
        first=first,
        tokenizer=rows.tokenizer,
    )


def _is_phrase(pattern: Pattern) -> bool:
    """Whether a pattern is a sequence of words, anywhere in a text or at its ends."""
    is_end = pattern.level == "position" and pattern.place in (FIRST, LAST)
    return is_end or pattern.level in ("token", "ngram")
