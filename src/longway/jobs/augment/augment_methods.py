"""How each way to augment is put together: its settings, the checks on what it makes, the words it is about.

    parts_of(setup)  ->  Parts: the method, its verifier, the important words, what models look at

`MAKERS` finds them by name, as `AugmentSettings.method` has it. All that an engine or a person wrote is checked alike; EDA and
CrossAug are used as published, and that is without checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longway.classify.ensemble import Ensemble
from longway.engines.asker import Asker
from longway.errors import BudgetSpent, DataError
from longway.jobs.augment.augment_settings import OTHER, AugmentSettings
from longway.jobs.augment.important_words import Words, by_models, from_engine, labelled
from longway.jobs.run import Watcher
from longway.methods.coba import Coba, CobaSettings, Important
from longway.methods.coba.text_to_text import TextToText, TextToTextSettings
from longway.methods.crossaug import CrossAug, CrossAugSettings, labels_of
from longway.methods.eda import Eda, EdaSettings
from longway.methods.method import BUDGET_SPENT, Method, Round, Rows
from longway.methods.peers import (
    BackTranslation,
    BackTranslationSettings,
    Contextual,
    ContextualSettings,
    Counterfactual,
    CounterfactualSettings,
    Given,
    Paraphrase,
    ParaphraseSettings,
)
from longway.store import Journal, JournalEntry
from longway.tokens.tokenizer import tokenize
from longway.verify.counterbias import counterbias_verifier
from longway.verify.verifier import Verifier


@dataclass(frozen=True, slots=True)
class Setup:
    """What a method is made from. writer, judge: how engines are asked, None where there is none.

    given: rewrites made elsewhere. journal: remembers what models said.
    """

    settings: AugmentSettings
    rows: Rows
    writer: Asker | None = None
    judge: Asker | None = None
    given: Sequence[Any] = ()
    journal: Journal | None = None
    watcher: Watcher = field(default_factory=Watcher)

    @property
    def asks(self) -> Asker:
        """How the writing engine is asked."""
        assert self.writer is not None  # `Augmenting` has checked it
        return self.writer


@dataclass(frozen=True, slots=True)
class Parts:
    """A method ready to run.

    missing: checks that are not made, and why. important: the words whose hold on the label is followed.
    analysis: what models look at, as augment.json holds it.
    """

    method: Method
    missing: Sequence[str] = ()
    important: Sequence[Important] = ()
    analysis: Mapping[str, Any] | None = None


class Penniless:
    """A method that ends before it begins, because the budget was spent on the way to it."""

    name = "none"

    def run(self, rows: Rows) -> Iterator[Round]:
        """One round with nothing in it."""
        yield Round(1, stopped=BUDGET_SPENT)


def parts_of(setup: Setup) -> Parts:
    """The method that the settings name, with all it needs."""
    return MAKERS[setup.settings.method](setup)


def _coba(setup: Setup) -> Parts:
    settings = setup.settings
    if not settings.labelled:
        return _text_to_text(setup)
    ensemble = _ensemble(setup)
    try:
        words = _important_words(setup, ensemble)
    except BudgetSpent:
        return Parts(Penniless())
    if settings.alter and not any(one.principal for one in words.important):
        raise DataError(_nothing_principal(setup, words))
    verifier = _verifier(setup, ensemble)
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
            temperature=settings.temperature,
            top_p=settings.top_p,
            seed=settings.seed,
        ),
        ask=setup.asks.write_all,
        engine_name=setup.asks.engine.name,
        important=words.important,
        verify=verifier.verify,
    )
    return Parts(method, verifier.missing, words.important, words.tables)


def _nothing_principal(setup: Setup, words: Words) -> str:
    """What to tell where there is nothing to change."""
    settings = setup.settings
    if settings.identify == "engine":
        said = next(iter(words.tables["refusals"]), "none that stands in its text")
        why = f"the engine {setup.asks.engine.name} named no word ({said})"
        what = "Try another --engine, or --identify models."
    else:
        why = f"no word is among the top {settings.top_k} of most models"
        what = "Try a larger --top-k, --model fewer times, or --identify engine."
    return (
        f"No word of {setup.rows.task.text_name!r} is principal in any row: {why}. "
        f"CoBA changes the words that carry the label, and needs some. {what}"
    )


def _text_to_text(setup: Setup) -> Parts:
    """For rows whose label is a text: nothing is altered, and both texts are put together anew (section 4.5)."""
    settings = setup.settings
    method = TextToText(
        TextToTextSettings(
            gender=settings.gender,
            permute=settings.permute,
            variants=settings.variants,
            temperature=settings.temperature,
            top_p=settings.top_p,
            seed=settings.seed,
        ),
        ask=setup.asks.write_all,
        engine_name=setup.asks.engine.name,
    )
    return Parts(method, ("label: the rows have a text of their own each, and no label to check",))


def _important_words(setup: Setup, ensemble: Ensemble) -> Words:
    """Principal and spurious words of each row: by a vote of models, or as the engine names them."""
    settings, rows = setup.settings, setup.rows
    setup.watcher.step("finding the words that matter")
    if settings.identify == "engine":
        ask = setup.asks.write_all
        return from_engine(rows, ask, k=settings.top_k, given=settings.spurious, seed=settings.seed)
    return by_models(
        rows,
        ensemble,
        k=settings.top_k,
        method=settings.importance,
        given=settings.spurious,
        remember=_remembering(setup.journal),
        step=setup.watcher.step,
        progress=setup.watcher.progress,
    )


def _remembering(
    journal: Journal | None,
) -> Callable[[str, Callable[[], dict[str, Any]]], dict[str, Any]]:
    """Keeps what each model says in the journal: a run that is started again does not ask it twice."""

    def remember(name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        if journal is None:
            return make()
        if (kept := journal.get(name)) is None:
            kept = make()
            journal.put(JournalEntry(name, kind="words", engine=name.removeprefix("words "), answer=kept))
        return dict(kept)

    return remember


def _ensemble(setup: Setup) -> Ensemble:
    return Ensemble(labelled(setup.rows), setup.settings.models, seed=setup.settings.seed)


def _verifier(setup: Setup, ensemble: Ensemble | None = None) -> Verifier:
    return counterbias_verifier(
        setup.rows.task,
        ensemble=ensemble or _ensemble(setup),
        judge=setup.judge,
        journal=setup.journal,
    )


def _named(settings: AugmentSettings) -> list[Important]:
    """The words that the user named: what the methods that look for none are measured by."""
    words = tuple(dict.fromkeys(word for phrase in settings.spurious for word in tokenize(phrase)))
    return [Important((), words)] if words else []


def _peer(make: Callable[[AugmentSettings, dict[str, Any]], Method]) -> Callable[[Setup], Parts]:
    """A method that has an engine write, and its texts checked."""

    def parts(setup: Setup) -> Parts:
        verifier = _verifier(setup)
        more = {
            "ask": setup.asks.write_all,
            "name_of_engine": setup.asks.engine.name,
            "verify": verifier.verify,
        }
        return Parts(make(setup.settings, more), verifier.missing, _named(setup.settings))

    return parts


def _paraphrase(settings: AugmentSettings, more: dict[str, Any]) -> Method:
    return Paraphrase(ParaphraseSettings(settings.variants, settings.sampling()), **more)


def _back_translation(settings: AugmentSettings, more: dict[str, Any]) -> Method:
    how = BackTranslationSettings(settings.language, n=settings.variants, sampling=settings.sampling())
    return BackTranslation(how, **more)


def _contextual(settings: AugmentSettings, more: dict[str, Any]) -> Method:
    how = ContextualSettings(n=settings.variants, seed=settings.seed, sampling=settings.sampling())
    return Contextual(how, **more)


def _counterfactual(settings: AugmentSettings, more: dict[str, Any]) -> Method:
    to = None if settings.to == OTHER else settings.to
    how = CounterfactualSettings(to, settings.variants, settings.seed, settings.sampling())
    return Counterfactual(how, **more)


def _given(setup: Setup) -> Parts:
    verifier = _verifier(setup)
    return Parts(Given(setup.given, verify=verifier.verify), verifier.missing, _named(setup.settings))


def _eda(setup: Setup) -> Parts:
    settings = setup.settings
    return _as_published(settings, Eda(EdaSettings(add=settings.variants, seed=settings.seed)))


def _crossaug(setup: Setup) -> Parts:
    labels_of(setup.rows)  # says what is wrong with other data before rules and dictionaries are opened
    return _as_published(setup.settings, CrossAug(CrossAugSettings(seed=setup.settings.seed)))


def _as_published(settings: AugmentSettings, method: Method) -> Parts:
    why = f"all: the method {settings.method} is used as published, and that is without checks"
    return Parts(method, (why,), _named(settings))


MAKERS: dict[str, Callable[[Setup], Parts]] = {
    "coba": _coba,
    "counterfactual": _peer(_counterfactual),
    "paraphrase": _peer(_paraphrase),
    "back-translation": _peer(_back_translation),
    "contextual": _peer(_contextual),
    "eda": _eda,
    "crossaug": _crossaug,
    "given": _given,
}
