"""How each method of augmenting is set up, and the calls that it makes.

    plan_of(setup)                 a method with its checks and the words it is about
    prompts_of(rows, settings)     the prompts that it will send, before it begins

Texts that an engine or a person wrote are all checked alike. EDA and CrossAug are used as published, without checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from longway.data import shards
from longway.engines.asker import Asker, PaidWriting
from longway.engines.prompt import (
    TEXT_TO_TEXT,
    Prompt,
    counterfactual_prompt,
    identify_prompt,
)
from longway.errors import BudgetSpent, DataError, SettingError
from longway.jobs.augment.result import WordAnalysis
from longway.jobs.augment.settings import OTHER, AugmentSettings
from longway.jobs.augment.words import Words, known_words, labelled, words_by_engine, words_by_models
from longway.jobs.engine_use import sampled
from longway.jobs.repair.plan import has_english
from longway.jobs.run import Watcher
from longway.jobs.workload import CHECK, CHECKED, Workload
from longway.methods.coba import Coba, CobaSettings, Important
from longway.methods.coba.steps import Split
from longway.methods.coba.text_to_text import text_to_text
from longway.methods.crossaug import crossaug, labels_of
from longway.methods.eda import eda
from longway.methods.loop import AT_ONCE
from longway.methods.method import Round, Rows
from longway.methods.peers import GivenRewrite, counterfactual, given, given_of
from longway.methods.writers import EngineWriter, FirstWriter, RuleWriter, writer_of
from longway.models.ensemble import Ensemble
from longway.records import BUDGET_SPENT
from longway.store import Journal
from longway.verify.verifier import ADDED, Verifier, verifier_for

WRITE = "write"  # a kind of work
AS_PUBLISHED = "all: with --paper, texts are added as published, without checks"


@dataclass(frozen=True)
class Setup:
    """What a method is made from. writer, judge: None if there is none. given: texts written elsewhere. journal: stores words and verdicts."""

    settings: AugmentSettings
    rows: Rows
    writer: Asker | None = None
    judge: Asker | None = None
    given: Sequence[GivenRewrite] = ()
    journal: Journal | None = None
    watcher: Watcher = field(default_factory=Watcher)

    @cached_property
    def writing(self) -> PaidWriting:
        """Calls the writing engine, with money kept for the judge."""
        if self.writer is None:
            raise SettingError(
                f"The words can be named by a language model only. Got the engine {self.settings.engine}. "
                "Use --identify models, or --engine served:MODEL."
            )
        judge = None if self.settings.paper or not self.settings.labelled else self.judge
        return PaidWriting(self.writer, judge=judge, task=self.rows.task)

    @property
    def is_spent(self) -> bool:
        """Whether the budget ended before all texts were written."""
        return self.writer is not None and self.writing.is_spent

    @cached_property
    def writer_of_texts(self) -> RuleWriter | EngineWriter | FirstWriter:
        """Writes texts with another label, by rules or by a model."""
        settings = self.settings
        write = writer_of(
            settings.engine,
            self.rows.task if settings.labelled else TEXT_TO_TEXT,
            writing=None if self.writer is None else self.writing,
            sampling=settings.sampling(),
            shard_map=None if self.journal is None else self.journal.shard_map,
        )
        assert write is not None  # the settings need one
        return write

    def ensemble(self) -> Ensemble:
        """The classifiers that vote."""
        settings = self.settings
        return Ensemble(
            labelled(self.rows),
            settings.models,
            folds=settings.folds,
            tuning=settings.tuning(),
            seed=settings.seed,
        )

    def verifier(self) -> Verifier:
        """The checks of new texts; none as published."""
        if self.settings.paper:
            return Verifier((), missing=(AS_PUBLISHED,))
        self.watcher.step("preparing the checks")
        return verifier_of(self.rows, judge=self.judge, journal=self.journal, seed=self.settings.seed)

    @cached_property
    def work(self) -> Workload:
        """The work of writing new texts and checking them; what engines do is part of it."""
        n = len(self.rows)
        load = Workload(self.watcher, {WRITE: n, CHECK: n * self.settings.variants}, guesses={CHECK: CHECKED})
        for asker in (self.writer, self.judge):
            if asker is not None:
                asker.progress = load.inside
        return load

    def begin_writing(self) -> None:
        """The next texts are being written."""
        done, n = int(self.work.done(WRITE)), len(self.rows)
        words = f"writing, {done:,} of {n:,} rows done"
        self.work.begin(WRITE, words, min(AT_ONCE, n - done))

    def end_round(self, done: Round) -> None:
        """Some rows have their texts; the others are expected to have as many."""
        self.work.did(done.figures.asked)
        if rows := self.work.done(WRITE):
            self.work.expect(CHECK, self.work.done(CHECK) / rows * len(self.rows))
        self.begin_writing()


def verifier_of(rows: Rows, *, judge: Asker | None, journal: Journal | None, seed: int) -> Verifier:
    """The checks of texts added to these rows."""
    return verifier_for(
        rows.task,
        list(rows.texts),
        [rows.label(row) for row in range(len(rows))],
        rows.contexts,
        kind=ADDED,
        judge=judge,
        journal=journal,
        seed=seed,
        is_english=has_english(rows),
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """The rounds of a method.

    missing: checks that are not made, and why. important: the words whose correlation with the label is measured.
    """

    rounds: Iterator[Round]
    missing: Sequence[str] = ()
    important: Sequence[Important] = ()
    analysis: WordAnalysis | None = None


def plan_of(setup: Setup) -> Plan:
    """The method that the settings name, with its checks."""
    settings, rows = setup.settings, setup.rows
    match settings.method:
        case "coba":
            return _coba(setup) if settings.labelled else _text_to_text(setup)
        case "eda":
            return _unchecked(
                setup, eda(rows, share=settings.rate, add=settings.variants, seed=settings.seed)
            )
        case "crossaug":
            labels_of(
                rows
            )  # raises for data that has no such labels, before rules and dictionaries are loaded
            return _unchecked(setup, crossaug(rows, seed=settings.seed))
    verifier = setup.verifier()
    verify = setup.work.checked(verifier, setup.begin_writing)
    if settings.method == "given":
        rounds = given(rows, setup.given, verify=verify)
    else:
        to = None if settings.to == OTHER else settings.to
        rounds = counterfactual(
            rows, write=setup.writer_of_texts, verify=verify, to=to, n=settings.variants, seed=settings.seed
        )
    return Plan(rounds, verifier.missing, _named_words(setup))


def _unchecked(setup: Setup, rounds: Iterator[Round]) -> Plan:
    why = f"all: the method {setup.settings.method} is used as published, and that is without checks"
    return Plan(rounds, (why,), _named_words(setup))


def _named_words(setup: Setup) -> list[Important]:
    """The spurious words that the user named; methods other than CoBA find none themselves."""
    words = tuple(known_words(setup.settings.spurious, tokenizer=setup.rows.tokenizer))
    return [Important((), words)] if words else []


def _coba(setup: Setup) -> Plan:
    settings, ensemble = setup.settings, setup.ensemble()
    try:
        words = important_words(setup, ensemble)
    except BudgetSpent:
        return Plan(iter([Round(1, stopped=BUDGET_SPENT)]))
    if settings.alter and not any(
        one.all_principal if settings.contexts else one.principal for one in words.important
    ):
        raise DataError(_no_principal_word(setup, words))
    verifier = setup.verifier()
    method = Coba(
        _coba_settings(settings),
        writer=setup.writer_of_texts,
        important=words.important,
        verify=setup.work.checked(verifier, setup.begin_writing),
    )
    return Plan(method.run(setup.rows), verifier.missing, words.important, words.analysis)


def _coba_settings(settings: AugmentSettings) -> CobaSettings:
    return CobaSettings(
        alter=settings.alter,
        mixed=settings.mixed,
        gender=settings.gender,
        permute=settings.permute,
        drop=settings.drop_share if settings.drop else 0.0,
        contexts=settings.contexts,
        to="" if settings.to == OTHER else settings.to,
        variants=settings.variants,
        seed=settings.seed,
    )


def _text_to_text(setup: Setup) -> Plan:
    """For rows with an output text instead of a label: nothing is altered, both texts are written anew (section 4.5)."""
    settings = setup.settings
    is_checked, writer = not settings.paper, setup.writer_of_texts
    rounds = text_to_text(setup.rows, _coba_settings(settings), writer=writer, is_checked=is_checked)
    return Plan(rounds, ("label: the rows have output texts and no label to check",))


def important_words(setup: Setup, ensemble: Ensemble) -> Words:
    """Principal and spurious words of each row: by a vote of models, or as the engine names them."""
    settings, rows = setup.settings, setup.rows
    setup.watcher.step("finding the words that matter")
    if settings.identify == "engine":
        ask = setup.writing
        return words_by_engine(rows, ask, k=settings.top_k, given=settings.spurious, seed=settings.seed)
    return words_by_models(
        rows,
        ensemble,
        k=settings.top_k,
        method=settings.importance,
        given=settings.spurious,
        contexts=settings.contexts,
        journal=setup.journal,
        watcher=setup.watcher,
    )


def _no_principal_word(setup: Setup, words: Words) -> str:
    settings = setup.settings
    if settings.identify == "engine":
        reason = next(iter(words.analysis.refusals), "none of its words occurs in the text")
        why = f"the engine {settings.engine} named no word ({reason})"
        next_step = "Try another --engine, or --identify models."
    else:
        why = f"no word is among the top {settings.top_k} of most models"
        next_step = "Try a larger --set top-k=K, --model fewer times, or --identify engine."
    return (
        f"No word of {setup.rows.task.text_name!r} is principal in any row: {why}. "
        f"CoBA changes the words that carry the label, and needs some. {next_step}"
    )


# Texts written elsewhere


def read_given_file(path: Path, *, encoding: str = "") -> list[GivenRewrite]:
    """The rewrites in a file of any format; DataError if columns are missing or there are no rows.

    encoding: of a file that is not UTF-8; "" if it should be recognised.
    """
    frame = shards.read_any(path, encoding=encoding).frame
    if not frame.height:
        raise DataError(f"{path} has no rows. Expected texts with their labels. Check the file.")
    return given_of(frame.iter_rows(named=True))


def fingerprint_of(rewrites: Sequence[GivenRewrite]) -> str:
    """What identifies these texts among the settings of a run."""
    written = "".join(map(repr, rewrites))
    return f"sha256:{sha256(written.encode('utf-8', 'backslashreplace')).hexdigest()}"


# The calls of each method


def prompts_of(rows: Rows, settings: AugmentSettings) -> Iterator[tuple[list[Prompt], int]]:
    """The prompts about some rows, each kind with the calls for all rows if every row gets its texts."""
    by_row = (_prompts(rows, row, settings) for row in sampled(len(rows)))
    for asked in zip(*by_row, strict=True):
        yield [prompt for prompt, _ in asked], len(rows) * asked[0][1]


def _prompts(rows: Rows, row: int, settings: AugmentSettings) -> list[tuple[Prompt, int]]:
    """The prompts about a row, and how often each is sent."""
    task, text, label, context = rows.task, rows.texts[row], rows.label(row), rows.context(row)
    prompts: list[tuple[Prompt, int]] = []
    if settings.method == "counterfactual":
        target = next((name for name in rows.label_names if name != label), label)
        prompt = counterfactual_prompt(task, text, label=label, target=target, context=context)
        prompts.append((prompt, settings.variants))
    if settings.method == "coba":
        if settings.labelled and settings.identify == "engine":
            prompts.append((identify_prompt(task, text, label=label, k=settings.top_k, context=context), 1))
        n, split = settings.variants, Split(text, context).prompt(task)
        # Triples are read, altered and written as a text; of a pair of texts the principal ones are picked.
        if settings.labelled:
            return [*prompts, (split, 1 + n * (1 + settings.alter))]
        return [(split, 2 + n), (Split(label).prompt(task), 1 + n)]
    return prompts
