"""All checks of a dataset combined: cheap checks first, models only for candidates that passed so far, every verdict kept.

    verifier = verifier_for(task, texts, labels, contexts, judge=asker, seed=0)
    for verdicts in verifier.verify(candidates): ...        passed(verdicts): whether all checks passed

`CHECKS` lists the checks of all edits in order. Checks whose optional packages are not installed are skipped and listed in `missing`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal, NamedTuple

from longway.errors import BudgetSpent, LongwayError, SettingError, install_command
from longway.language_names import ENGLISH, name_of
from longway.languages.row_languages import language_in
from longway.models.encoders import CachedEncoder
from longway.models.multilingual import LANGUAGES, MULTILINGUAL, Multilingual, is_installed
from longway.models.sentiment import SentimentHead
from longway.records import Verdict
from longway.store.journal import Journal
from longway.task import Task
from longway.verify import counterbias
from longway.verify.calibration import (
    CheckErrors,
    CheckReport,
    ExpectedWrong,
    Interval,
    TaskKind,
    base_rate,
    bounds,
    error_rates,
    expected_wrong,
    wrong_rows,
)
from longway.verify.check import Candidate, Check
from longway.verify.content_checks import NamesCheck, NegationCheck, NumbersCheck, OtherLabelCheck
from longway.verify.form_checks import (
    LEAST_LONG,
    MOST_LONG,
    AddedWordsCheck,
    KeptWordsCheck,
    NewContextCheck,
    OrdersCheck,
    SameContextCheck,
    SurfaceCheck,
)
from longway.verify.model_cache import ModelCache
from longway.verify.model_checks import Bounds, ClassifiersCheck, EntailmentCheck, JudgeCheck, MeaningCheck

if TYPE_CHECKING:
    from longway.engines.asker import Asker

EditKind = Literal["changed", "added"]
CHANGED: EditKind = "changed"
ADDED: EditKind = "added"
AT_ONCE = 512  # candidates that pass through all checks together
AT_ONCE_BY_SHARD = 8192  # the same if models compute in other processes


def passed(verdicts: Sequence[Verdict]) -> bool:
    """Whether every check passed."""
    return all(verdict.passed for verdict in verdicts)


class Verifier:
    """Checks in order, with counts of what they saw.

    missing: checks that were skipped, "name: why". kind: which error rates apply. language: of most rows, "" for English. languages: as in `Task`.
    by_shard: whether models compute in other processes, so that checks get many candidates at a time. seen, failed: number of candidates by check. progress: called with the number of checks made and of all checks of the candidates.
    """

    def __init__(
        self,
        checks: Sequence[Check],
        *,
        missing: Sequence[str] = (),
        kind: TaskKind = "single",
        language: str = "",
        languages: tuple[str, ...] = (),
        by_shard: bool = False,
    ) -> None:
        self.checks, self.by_shard = tuple(checks), by_shard
        self._missing = tuple(missing)
        self.kind, self.language, self.languages = kind, language, languages
        self._foreign: Counter[str] = Counter()  # candidates by language
        self.seen: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.progress: Callable[[int, int], object] = lambda done, total: None

    @property
    def missing(self) -> tuple[str, ...]:
        """Checks that were skipped, for all candidates or for those in other languages, "name: why"."""
        english = [check.name for check in self.checks if check.english_only]
        by_english = [check.name for check in self.checks if check.english_vectors]
        if not self._foreign:
            return self._missing
        names = ", ".join(name_of(language) for language, _ in self._foreign.most_common(3))
        notes = {
            f"{', '.join(english)}: not for texts in other languages ({names})": english,
            f"{', '.join(by_english)}: texts in {names} were read by a sentence encoder that knows English only{self._hint}": by_english,
        }
        return (*self._missing, *(note for note, checks in notes.items() if checks))

    @property
    def _hint(self) -> str:
        """How to install the encoder that knows the languages of the candidates; "" if it is installed or does not know them."""
        if is_installed() or not LANGUAGES & self._foreign.keys():
            return ""
        return f"; another one is installed with: {install_command(MULTILINGUAL)}"

    def _with_language(self, candidate: Candidate) -> Candidate:
        language = language_in(candidate.before, self.language or ENGLISH, self.languages)
        if language == ENGLISH:
            return candidate
        self._foreign[language] += 1
        return replace(candidate, language=language)

    def verify(self, candidates: Sequence[Candidate]) -> Iterator[tuple[Verdict, ...]]:
        """The verdicts on each candidate, in order; if a check failed, its verdict is the last.

        If the budget ends midway, BudgetSpent is raised after the verdicts that were paid for; candidates without one have failed.
        """
        candidates = [self._with_language(candidate) for candidate in candidates]
        at_once = AT_ONCE_BY_SHARD if self.by_shard else AT_ONCE
        for start in range(0, len(candidates), at_once):
            part = candidates[start : start + at_once]
            verdicts, spent = self._batch(part, before=start, total=len(candidates))
            yield from verdicts
            if spent is not None:
                raise spent

    def _batch(
        self, candidates: Sequence[Candidate], *, before: int, total: int
    ) -> tuple[list[tuple[Verdict, ...]], BudgetSpent | None]:
        """The verdicts on some candidates. before: candidates that were checked before them. total: all candidates."""
        n, finished = len(self.checks), before
        verdicts: list[tuple[Verdict, ...]] = [() for _ in candidates]
        ended: BudgetSpent | None = None
        waiting = list(range(len(candidates)))
        for place, check in enumerate(self.checks):
            concerned = [i for i in waiting if check.applies(candidates[i])]
            if not concerned:
                continue
            given: list[Verdict | None] = []
            if self.by_shard and check.has_model:
                # Its models compute all of them by shard, and keep what they computed for the parts below.
                check([candidates[i] for i in concerned])
            size = check.at_once or len(concerned)
            for start in range(0, len(concerned), size):
                part = [candidates[i] for i in concerned[start : start + size]]
                try:
                    given += check(part)
                except BudgetSpent as spent:
                    ended = spent
                    given += spent.answers or [None] * len(part)
                self.progress(n * finished + place * len(waiting) + len(given), n * total)
            for i, verdict in zip(concerned, given, strict=True):
                if verdict is None:
                    verdicts[i] += (Verdict(check.name, False, reason="the budget is spent"),)
                    continue
                verdicts[i] += (verdict,)
                self.seen[check.name] += 1
                self.failed[check.name] += not verdict.passed
            waiting = [i for i in waiting if passed(verdicts[i])]
            finished = before + len(candidates) - len(waiting)
        return verdicts, ended

    def report(self, n_accepted: int, edits: Sequence[int] = ()) -> CheckReport:
        """What the report says about the checks. edits: number of accepted edits per changed row."""
        rates = error_rates(self.kind)
        errors = {
            check.name: CheckErrors(
                rates[check.name].false_accept.share, rates[check.name].false_reject.share
            )
            for check in self.checks
            if check.name in rates
        }
        return CheckReport(errors, self.missing, self._expected_wrong(n_accepted, edits))

    def _expected_wrong(self, n_accepted: int, edits: Sequence[int]) -> ExpectedWrong | None:
        needed = set(error_rates(self.kind)) - {"all", "judge"}
        if not n_accepted or needed - {check.name for check in self.checks}:
            return None
        names = [check.name for check in self.checks if check.about_label]
        tried = self.seen[names[0]]
        rejected = sum(self.failed[name] for name in dict.fromkeys(names))
        wrong = base_rate(self.kind, rejected / tried, tried) if tried else Interval(0.0, 0.0, 1.0)
        found = expected_wrong(self.kind, wrong)
        basis = (
            f"of {tried} candidates the checks rejected {rejected}; by their error rates on data with known answers, about "
            f"{wrong.share:.0%} of the candidates were wrong before checking, if these err as those do"
        )
        shares = found.share, found.low, found.high
        rows = Interval(*(wrong_rows(share, edits) for share in shares)) if edits else None
        return ExpectedWrong(*shares, basis, rows)


class DriftCheck(Check):
    """The check against the text as loaded, for rows that were rewritten before. checks: those to repeat, cheap ones first.

    Every other check compares a candidate with the text before it. Over several rounds small steps add up: each is close to the last,
    and the end is far from the start. So the checks of label, meaning, negation, numbers and names are repeated against
    the text as loaded. If an edit on the way kept only the label, so does the comparison. Going back to the text as loaded always passes.
    """

    name = "drift"

    def __init__(self, checks: Sequence[Check]) -> None:
        self.checks = tuple(checks)

    def concerns(self, candidate: Candidate) -> bool:
        """Only rows that were rewritten before, and texts other than the one loaded."""
        return candidate.origin is not None and candidate.origin.text != candidate.after

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict per candidate. reason: the check that failed, and why."""
        whole = [candidate.from_the_start() for candidate in candidates]
        found, _ = Verifier(self.checks)._batch(whole, before=0, total=len(whole))
        last = (None if passed(repeated) else repeated[-1] for repeated in found)
        return [
            Verdict(
                self.name,
                one is None,
                one.score if one else None,
                f"{one.check}: {one.reason}" if one else "",
            )
            for one in last
        ]


class CheckUnavailableError(LongwayError):
    """A check that cannot run here; the message says why."""


@dataclass
class CheckSetup:
    """What checks are built from: the dataset as loaded, and the engine that judges.

    contexts: None for single texts. kind: of edits, "changed" or "added". likely: the check of the labels of added single texts in a repair.
    is_english: whether the sentiment of short added texts is checked. checks: built so far.
    """

    task: Task
    texts: Sequence[str]
    labels: Sequence[str]
    contexts: Sequence[str] | None
    judge: Asker | None = None
    seed: int = 0
    journal: Journal | None = None
    kind: EditKind = CHANGED
    likely: counterbias.LikelyLabelCheck | None = None
    is_english: bool = False
    checks: list[Check] = field(default_factory=list)

    @cached_property
    def cache(self) -> ModelCache:
        """The outputs of models, shared by the checks."""
        return ModelCache(self.journal)

    @cached_property
    def encoder(self) -> CachedEncoder:
        """MiniLM; LongwayError if it is not installed."""
        return CachedEncoder.of([ENGLISH], self.cache)


def _surface(setup: CheckSetup) -> Check:
    if setup.kind == ADDED:  # SurfaceCheck halves `shortest` for texts that keep only a label
        return SurfaceCheck(setup.task.labels, shortest=2 * LEAST_LONG, longest=MOST_LONG)
    return SurfaceCheck(setup.task.labels, texts=setup.texts)


def _context(setup: CheckSetup) -> Check | None:
    if setup.contexts is None:
        return None
    if setup.kind == ADDED:
        return NewContextCheck(setup.task.labels, setup.contexts)
    return SameContextCheck(setup.contexts)


def _meaning(setup: CheckSetup) -> Check | None:
    if setup.task.language:
        raise CheckUnavailableError("how close vectors must be was measured in English only")
    return MeaningCheck(setup.encoder, **bounds("meaning"))


def _entailment(setup: CheckSetup) -> Check | None:
    if not setup.task.is_pair:
        return None
    if not setup.task.stances:
        raise CheckUnavailableError("the labels do not say how a text relates to its context")
    if setup.task.language:
        raise CheckUnavailableError("the entailment model knows English only")
    from longway.models.entailment import Entailment

    check = EntailmentCheck(setup.task, Entailment.load(), setup.cache, **bounds("entailment"))
    if setup.kind == CHANGED or not setup.labels:
        return check
    likely = partial(counterbias.likely_by_stance, check, setup.contexts or ())
    shift = counterbias.LabelShiftCheck("new entailment", likely, setup.labels, **bounds("new entailment"))
    shift.english_only = True
    return shift


def _classifiers(setup: CheckSetup) -> Check | None:
    if setup.task.is_pair:
        return None
    # The bound on closeness is of English, but a classifier on vectors of other languages is trained on the rows.
    has_encoder = bool(setup.task.language) or any(check.name == "meaning" for check in setup.checks)
    vectors = _encoder_of(setup) if has_encoder else None
    check = ClassifiersCheck(
        setup.texts, setup.labels, Bounds(**bounds("classifiers")), vectors=vectors, seed=setup.seed
    )
    check.english_vectors = vectors is not None and not isinstance(vectors.encoder, Multilingual)
    return check


def _encoder_of(setup: CheckSetup) -> CachedEncoder | None:
    """The encoder of the rows' languages, as far as one knows them; else the English one; None if neither is installed."""
    of_rows = setup.task.languages or (setup.task.language or ENGLISH,)
    for languages in ([language for language in of_rows if language in LANGUAGES], [ENGLISH]):
        try:
            return CachedEncoder.of(languages, setup.cache)
        except LongwayError:
            continue
    return None


def _sentiment(setup: CheckSetup) -> Check | None:
    sides = setup.task.sides
    is_two_sided = len(setup.task.labels) == 2 and set(sides.values()) == {"positive", "negative"}
    if not setup.is_english or not is_two_sided or setup.judge is not None:
        return None
    return counterbias.SentimentCheck(
        sides, setup.labels, SentimentHead.load(), setup.encoder, **bounds("sentiment")
    )


def _new_label(setup: CheckSetup) -> Check | None:
    """A bag of words, if it learns the labels of this dataset; short texts are for the sentiment check, if there is one."""
    if setup.task.is_pair:
        if setup.labels and not setup.task.stances and setup.judge is None:
            raise CheckUnavailableError("only a judge can check the labels of such pairs; add --judge")
        return None
    if setup.likely is not None:
        if setup.judge is None:
            raise CheckUnavailableError(f"texts of more than {counterbias.MOST_WORDS} words; add --judge")
        return None
    if not setup.labels:
        raise CheckUnavailableError("no classifiers were given")
    given = Bounds(**bounds("classifiers"))
    words = ClassifiersCheck(setup.texts, setup.labels, given, vectors=None, seed=setup.seed)
    accuracy = counterbias.words_accuracy(words, seed=setup.seed)
    if accuracy < (needed := counterbias.words_needed(setup.labels)):
        raise CheckUnavailableError(
            f"a bag of words predicts {accuracy:.0%} of the labels of other rows; with less than {needed:.0%} it decides nothing"
        )
    has_sentiment = any(check.name == "sentiment" for check in setup.checks)
    shortest = counterbias.MOST_WORDS + 1 if has_sentiment else 0
    likely = partial(counterbias.likely_by_words, words)
    return counterbias.LabelShiftCheck(
        "new label", likely, setup.labels, shortest=shortest, **bounds("turned label")
    )


def _judge(setup: CheckSetup) -> Check | None:
    if setup.judge is None:
        raise CheckUnavailableError("no engine that can judge was given")
    engine = setup.judge.engine
    if "judge" not in engine.can:
        raise CheckUnavailableError(f"the engine {engine.name} cannot judge")
    return JudgeCheck(setup.task, setup.judge)


class ListedCheck(NamedTuple):
    """One check of `CHECKS`.

    name: as in verdicts and in `calibration.json`. build: returns None if the check does not apply to the task, and raises
    LongwayError if it cannot run here. kinds: of the edits it concerns. is_always: whether it is made even if others were chosen.
    """

    name: str
    build: Callable[[CheckSetup], Check | None]
    kinds: tuple[EditKind, ...] = (CHANGED,)
    is_always: bool = False


# All checks of all edits, in order: cheap ones first.
BOTH = (CHANGED, ADDED)
CHECKS = (
    ListedCheck("surface", _surface, BOTH, is_always=True),  # an answer that is no text is never used
    ListedCheck("added words", lambda setup: AddedWordsCheck()),
    ListedCheck("orders", lambda setup: OrdersCheck(), BOTH, is_always=True),  # nor one that obeys the row
    ListedCheck("kept words", lambda setup: KeptWordsCheck(), (ADDED,)),
    ListedCheck("context", _context, BOTH),
    ListedCheck("negation", lambda setup: NegationCheck(setup.labels)),
    ListedCheck("numbers", lambda setup: NumbersCheck()),
    ListedCheck("names", lambda setup: NamesCheck.of([*setup.texts, *(setup.contexts or ())])),
    ListedCheck(
        "other label", lambda setup: OtherLabelCheck(setup.task) if setup.contexts is not None else None
    ),
    ListedCheck("meaning", _meaning),
    ListedCheck("new label", lambda setup: None if setup.task.is_pair else setup.likely, (ADDED,)),
    ListedCheck("entailment", _entailment, BOTH),
    ListedCheck("classifiers", _classifiers),
    ListedCheck("drift", lambda setup: DriftCheck([check for check in setup.checks if check.about_label])),
    ListedCheck("sentiment", _sentiment, (ADDED,)),
    ListedCheck("new label", _new_label, (ADDED,)),
    ListedCheck("judge", _judge, BOTH),
)


def names_of(checks: str, *, has_judge: bool = True) -> Collection[str] | None:
    """The checks of changed texts in a list such as "judge,negation"; None for all. SettingError if one is unknown.

    Equation 13 is the only check of the paper: without a judge, all others are made in place of `judge` alone.
    """
    if checks == "all" or (checks == "judge" and not has_judge):
        return None
    known = [check.name for check in CHECKS if CHANGED in check.kinds]
    names = frozenset(name.strip() for name in checks.split(",") if name.strip())
    if names - set(known) or not names:
        raise SettingError(
            f"'checks' must be all, or names of checks. Got {checks!r}. The checks are {', '.join(known)}. Try --checks judge,negation."
        )
    return names


def verifier_for(
    task: Task,
    texts: Sequence[str] = (),
    labels: Sequence[str] = (),
    contexts: Sequence[str] | None = None,
    *,
    kind: EditKind = CHANGED,
    judge: Asker | None = None,
    seed: int = 0,
    journal: Journal | None = None,
    names: Collection[str] | None = None,
    likely: counterbias.LikelyLabelCheck | None = None,
    is_english: bool = False,
) -> Verifier:
    """The verifier of one kind of edits of a dataset.

    texts, labels, contexts: the dataset as loaded. Labels of added texts are checked against those of their sources if they are given.
    judge: an engine that can judge. journal: caches the outputs of models. names: the checks to make, None for all; prompts, orders
    and empty texts are always refused. likely, is_english: as in `CheckSetup`.
    """
    contexts = contexts if task.is_pair else None
    setup = CheckSetup(task, texts, labels, contexts, judge, seed, journal, kind, likely, is_english)
    offered = [check for check in CHECKS if kind in check.kinds]
    wanted = [check for check in offered if names is None or check.name in names or check.is_always]
    missing = []
    for one in wanted:
        try:
            check = one.build(setup)
        except LongwayError as error:
            missing.append(f"{one.name}: {error}")
            continue
        if check is not None:
            setup.checks.append(check)
    if len(wanted) < len(offered):
        missing.append("all other checks: not asked for")
    return Verifier(
        setup.checks,
        missing=missing,
        kind="pair" if task.is_pair else "single",
        language=task.language,
        languages=task.languages,
        by_shard=journal is not None and journal.shard_map is not None,
    )
