"""How each method of augmenting is set up, and the calls that it makes.

    plan_of(setup)                 a method with its checks and the words it is about
    estimate_augment(dataset, ...) the calls, tokens and cost of an augmentation, before it begins

Texts that an engine or a person wrote are all checked alike. EDA and CrossAug are used as published, without checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from longway.data import Dataset, shards
from longway.engines.asker import Asker
from longway.engines.engine import Engine
from longway.engines.paid import PaidWriting
from longway.engines.prompt import (
    TEXT_TO_TEXT,
    Prompt,
    alter_prompt,
    counterfactual_prompt,
    identify_prompt,
    judge_prompt,
    pick_prompt,
    realise_prompt,
    triples_prompt,
)
from longway.english.triples.triple import Triple
from longway.errors import BudgetSpent, DataError, SettingError
from longway.jobs.augment.result import WordAnalysis
from longway.jobs.augment.settings import OTHER, AugmentSettings
from longway.jobs.augment.words import Words, known_words, labelled, words_by_engine, words_by_models
from longway.jobs.engine_use import estimate_calls, estimate_rules, sampled
from longway.jobs.estimate import RunEstimate
from longway.jobs.repair.plan import has_english
from longway.jobs.rows import rows_of
from longway.jobs.run import Watcher
from longway.jobs.workload import CHECK, CHECKED, Workload
from longway.methods.additions import AT_ONCE
from longway.methods.coba import Coba, CobaSettings, Important
from longway.methods.coba.text_to_text import TextToText
from longway.methods.crossaug import CrossAug, CrossAugSettings, labels_of
from longway.methods.eda import Eda, EdaSettings
from longway.methods.method import Method, Round, Rows, Verify
from longway.methods.peers import (
    Counterfactual,
    CounterfactualSettings,
    Given,
    GivenRewrite,
    given_of,
)
from longway.methods.writers import EngineWriter, FirstWriter, RuleWriter, writer_of
from longway.models.ensemble import Ensemble
from longway.records import BUDGET_SPENT, Verdict
from longway.store import Journal
from longway.verify.check import Candidate
from longway.verify.verifier import ADDED, Verifier, verifier_for

WRITE = "write"  # a kind of work
WORDS_PER_TRIPLE = 6
AS_PUBLISHED = "all: with --paper, texts are added as published, without checks"
Ask = Callable[[int], Prompt]  # the prompt about a row


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

    def checked(self, verifier: Verifier) -> Verify:
        """The checks as part of the work, followed by the next texts."""
        check = self.work.checked(verifier)

        def verify(candidates: Sequence[Candidate]) -> Iterator[tuple[Verdict, ...]]:
            yield from check(candidates)
            self.begin_writing()

        return verify

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
    """A method ready to run.

    missing: checks that are not made, and why. important: the words whose correlation with the label is measured.
    """

    method: Method
    missing: Sequence[str] = ()
    important: Sequence[Important] = ()
    analysis: WordAnalysis | None = None


class OutOfBudget:
    """A method that ends at once, because the budget was spent on finding the words."""

    name = "none"

    def run(self, rows: Rows) -> Iterator[Round]:
        """One empty round."""
        yield Round(1, stopped=BUDGET_SPENT)


def plan_of(setup: Setup) -> Plan:
    """The method that the settings name, with its checks."""
    settings = setup.settings
    match settings.method:
        case "coba":
            return _coba(setup) if settings.labelled else _text_to_text(setup)
        case "eda":
            return _unchecked(settings, Eda(_eda_settings(settings)))
        case "crossaug":
            labels_of(
                setup.rows
            )  # raises for data that has no such labels, before rules and dictionaries are loaded
            return _unchecked(settings, CrossAug(CrossAugSettings(seed=settings.seed)))
    verifier = setup.verifier()
    verify = setup.checked(verifier)
    if settings.method == "given":
        method: Method = Given(setup.given, verify=verify)
    else:
        to = None if settings.to == OTHER else settings.to
        chosen = CounterfactualSettings(to, settings.variants, settings.seed)
        method = Counterfactual(chosen, write=setup.writer_of_texts, verify=verify)
    return Plan(method, verifier.missing, _named_words(settings))


def _eda_settings(settings: AugmentSettings) -> EdaSettings:
    rate = settings.rate
    return EdaSettings(rate, rate, rate, rate, add=settings.variants, seed=settings.seed)


def _unchecked(settings: AugmentSettings, method: Method) -> Plan:
    why = f"all: the method {settings.method} is used as published, and that is without checks"
    return Plan(method, (why,), _named_words(settings))


def _named_words(settings: AugmentSettings) -> list[Important]:
    """The spurious words that the user named; methods other than CoBA find none themselves."""
    words = tuple(known_words(settings.spurious))
    return [Important((), words)] if words else []


def _coba(setup: Setup) -> Plan:
    settings, ensemble = setup.settings, setup.ensemble()
    try:
        words = important_words(setup, ensemble)
    except BudgetSpent:
        return Plan(OutOfBudget())
    if settings.alter and not any(
        one.all_principal if settings.contexts else one.principal for one in words.important
    ):
        raise DataError(_no_principal_word(setup, words))
    verifier = setup.verifier()
    method = Coba(
        CobaSettings(
            alter=settings.alter,
            mixed=settings.mixed,
            gender=settings.gender,
            permute=settings.permute,
            drop=settings.drop_share if settings.drop else 0.0,
            contexts=settings.contexts,
            to="" if settings.to == OTHER else settings.to,
            variants=settings.variants,
            seed=settings.seed,
        ),
        writer=setup.writer_of_texts,
        important=words.important,
        verify=setup.checked(verifier),
    )
    return Plan(method, verifier.missing, words.important, words.analysis)


def _text_to_text(setup: Setup) -> Plan:
    """For rows with an output text instead of a label: nothing is altered, both texts are written anew (section 4.5)."""
    settings = setup.settings
    method = TextToText(
        CobaSettings(
            gender=settings.gender,
            permute=settings.permute,
            variants=settings.variants,
            seed=settings.seed,
        ),
        writer=setup.writer_of_texts,
        is_checked=not settings.paper,
    )
    return Plan(method, ("label: the rows have output texts and no label to check",))


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


@dataclass(frozen=True, slots=True)
class GivenFile:
    """The texts in a file of rewrites."""

    rewrites: Sequence[GivenRewrite]
    fingerprint: str


def read_given_file(path: Path, *, encoding: str = "") -> GivenFile:
    """The rewrites in a file of any format; DataError if columns are missing or there are no rows.

    encoding: of a file that is not UTF-8; "" if it should be recognised.
    """
    frame = shards.read_any(path, encoding=encoding).frame
    if not frame.height:
        raise DataError(f"{path} has no rows. Expected texts with their labels. Check the file.")
    rewrites = given_of(frame.iter_rows(named=True))
    digest = sha256()
    for rewrite in rewrites:
        digest.update(repr(rewrite).encode("utf-8", "backslashreplace"))
    return GivenFile(rewrites, f"sha256:{digest.hexdigest()}")


# The calls of each method


def estimate_augment(
    dataset: Dataset,
    settings: AugmentSettings,
    writer: Engine | None,
    judge: Engine | None = None,
    *,
    spent: float = 0.0,
    dry: bool = False,
) -> RunEstimate:
    """What augmenting the dataset may take, if every row gets its texts and every text is judged. Repeated calls are not included.

    dry: include free engines, and the time.
    """
    rows = rows_of(dataset, seed=settings.seed, labelled=settings.labelled, describe=settings.describe)
    some = sampled(len(rows))
    writes = []
    for ask, times in _prompts(rows, settings):
        prompts, n_calls = [ask(row) for row in some], len(rows) * times
        writes += estimate_calls(writer, prompts, n_calls, timed=dry, free=dry)
        writes += estimate_rules(settings.engine, n_calls) if dry else []
    judged = [judge_prompt(rows.task, rows.texts[row], context=rows.context(row)) for row in some]
    n_judged, labels = len(rows) * settings.variants, rows.task.labels
    judgements = estimate_calls(
        judge if settings.labelled else None, judged, n_judged, options=labels, timed=dry, free=dry
    )
    return RunEstimate.of(len(rows), writes, judgements, spent=spent)


def _prompts(rows: Rows, settings: AugmentSettings) -> list[tuple[Ask, int]]:
    """The prompts about a row, and how often each is sent."""
    task, n = rows.task, settings.variants

    def counterfactual(row: int) -> Prompt:
        other, context = _other_label(rows, row), rows.context(row)
        return counterfactual_prompt(
            task, rows.texts[row], label=rows.label(row), target=other, context=context
        )

    match settings.method:
        case "coba":
            return _coba_prompts(rows, settings) if settings.labelled else _text_to_text_prompts(rows, n)
        case "counterfactual":
            return [(counterfactual, n)]
    return []


def _coba_prompts(rows: Rows, settings: AugmentSettings) -> list[tuple[Ask, int]]:
    task, n = rows.task, settings.variants

    def identify(row: int) -> Prompt:
        text, context = rows.texts[row], rows.context(row)
        return identify_prompt(task, text, label=rows.label(row), k=settings.top_k, context=context)

    def triples(row: int) -> Prompt:
        return triples_prompt(task, rows.texts[row], context=rows.context(row))

    def alter(row: int) -> Prompt:
        return alter_prompt(
            task,
            _triples(rows.texts[row]),
            label=rows.label(row),
            target=_other_label(rows, row),
            text=rows.texts[row],
            context=rows.context(row),
        )

    def realise(row: int) -> Prompt:
        text, label = rows.texts[row], _other_label(rows, row)
        context = rows.context(row) if settings.contexts else None
        of_context = None if context is None else _triples(context)
        return realise_prompt(task, _triples(text), label=label, text=text, context_triples=of_context)

    first: list[tuple[Ask, int]] = [(identify, 1)] if settings.identify == "engine" else []
    return [*first, (triples, 1), *([(alter, n)] if settings.alter else []), (realise, n)]


def _text_to_text_prompts(rows: Rows, n: int) -> list[tuple[Ask, int]]:
    def triples(texts: Callable[[int], str]) -> Ask:
        return lambda row: triples_prompt(rows.task, texts(row))

    def realise(texts: Callable[[int], str]) -> Ask:
        return lambda row: realise_prompt(rows.task, _triples(texts(row)), label=None, text=texts(row))

    def pick(row: int) -> Prompt:
        return pick_prompt(_triples(rows.texts[row]), _triples(rows.label(row)))

    both = (rows.texts.__getitem__, rows.label)
    return [*((triples(texts), 1) for texts in both), (pick, 1), *((realise(texts), n) for texts in both)]


def _other_label(rows: Rows, row: int) -> str:
    return next((name for name in rows.label_names if name != rows.label(row)), rows.label(row))


def _triples(text: str) -> list[Triple]:
    """As many triples as a text of this length has, made of its words: only their size matters here."""
    words = text.split() or ["-"]
    parts = [words[i : i + WORDS_PER_TRIPLE] for i in range(0, len(words), WORDS_PER_TRIPLE)]
    return [Triple(" ".join(part[:2]), " ".join(part[2:3]), " ".join(part[3:])) for part in parts]
