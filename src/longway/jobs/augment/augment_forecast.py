"""What an augmentation may cost, before money is spent: `estimate_augment`.

CoBA asks for the triples of a row, and for each variant to alter them and to put them into words; the other methods take one or
two calls per variant. The estimate assumes that every row goes all the way and every new text is judged. Answers that must be
repaired are not included.
"""

from __future__ import annotations

from collections.abc import Callable

from longway.data import Dataset
from longway.engines.engine import Engine
from longway.engines.prompt import (
    Prompt,
    alter_prompt,
    counterfactual_prompt,
    fill_prompt,
    identify_prompt,
    judge_prompt,
    pick_prompt,
    realise_prompt,
    rewrite_prompt,
    translate_back_prompt,
    translate_prompt,
    triples_prompt,
)
from longway.english.triples.triple import Triple
from longway.jobs.augment.augment_settings import AugmentSettings
from longway.jobs.engine_use import RunEstimate, engines_in, estimate_calls, sampled
from longway.jobs.rows import rows_of
from longway.methods.method import Rows

WORDS_IN_A_TRIPLE = 6
Ask = Callable[[int], Prompt]  # the question about a row


def estimate_augment(
    dataset: Dataset,
    settings: AugmentSettings,
    writer: Engine | None,
    judge: Engine | None = None,
    *,
    spent: float = 0.0,
    dry: bool = False,
) -> RunEstimate:
    """What augmenting the dataset may take. dry: include free engines, and the time."""
    rows = rows_of(dataset, seed=settings.seed, labelled=settings.labelled)
    some = sampled(len(rows))
    writes = [
        estimate_calls(engine, [ask(row) for row in some], len(rows) * times, timed=dry)
        for engine in engines_in(writer, free=dry)
        for ask, times in _questions(rows, settings)
    ]
    judged = [judge_prompt(rows.task, rows.texts[row], context=rows.context(row)) for row in some]
    judgements = [
        estimate_calls(engine, judged, len(rows) * settings.variants, options=rows.task.labels, timed=dry)
        for engine in engines_in(judge, free=dry)
        if settings.labelled and "judge" in engine.can
    ]
    return RunEstimate.of(len(rows), writes, judgements, spent=spent)


def _questions(rows: Rows, settings: AugmentSettings) -> list[tuple[Ask, int]]:
    """What is asked about a row, and how often."""
    task, n = rows.task, settings.variants

    def other(row: int) -> str:
        return next((name for name in rows.label_names if name != rows.label(row)), rows.label(row))

    def text(row: int) -> str:
        return rows.texts[row]

    if settings.method == "coba":
        return _coba(rows, settings, other)
    by_method: dict[str, list[tuple[Ask, int]]] = {
        "paraphrase": [
            (lambda row: rewrite_prompt(task, text(row), label=rows.label(row), context=rows.context(row)), n)
        ],
        "counterfactual": [
            (
                lambda row: counterfactual_prompt(
                    task, text(row), label=rows.label(row), target=other(row), context=rows.context(row)
                ),
                n,
            )
        ],
        "back-translation": [
            (lambda row: translate_prompt(text(row), language=settings.language), n),
            (lambda row: translate_back_prompt(text(row), language=settings.language), n),
        ],
        "contextual": [(lambda row: fill_prompt(task, text(row), label=rows.label(row), marked=[(0, 1)]), n)],
    }
    return by_method.get(settings.method, [])


def _coba(rows: Rows, settings: AugmentSettings, other: Callable[[int], str]) -> list[tuple[Ask, int]]:
    task, n = rows.task, settings.variants

    def of_text(row: int) -> list[Triple]:
        return _made_up(rows.texts[row])

    def of_context(row: int) -> list[Triple] | None:
        context = rows.context(row) if settings.contexts else None
        return None if context is None else _made_up(context)

    def alter(row: int) -> Prompt:
        return alter_prompt(
            task,
            of_text(row),
            label=rows.label(row),
            target=other(row),
            text=rows.texts[row],
            context=rows.context(row),
        )

    def realise(row: int) -> Prompt:
        return realise_prompt(
            task, of_text(row), label=other(row), text=rows.texts[row], context_triples=of_context(row)
        )

    def triples(row: int) -> Prompt:
        return triples_prompt(task, rows.texts[row], context=rows.context(row))

    def identify(row: int) -> Prompt:
        return identify_prompt(
            task, rows.texts[row], label=rows.label(row), k=settings.top_k, context=rows.context(row)
        )

    if not settings.labelled:  # a text and the one it is turned into
        return [
            (triples, 1),
            (lambda row: triples_prompt(task, rows.label(row)), 1),
            (lambda row: pick_prompt(of_text(row), _made_up(rows.label(row))), 1),
            (lambda row: realise_prompt(task, of_text(row), label=None, text=rows.texts[row]), n),
            (
                lambda row: realise_prompt(task, _made_up(rows.label(row)), label=None, text=rows.label(row)),
                n,
            ),
        ]
    asked: list[tuple[Ask, int]] = [(identify, 1)] if settings.identify == "engine" else []
    return [*asked, (triples, 1), *([(alter, n)] if settings.alter else []), (realise, n)]


def _made_up(text: str) -> list[Triple]:
    """As many triples as a text of this length has, of its own words: only their size matters here."""
    words = text.split() or ["-"]
    parts = [words[i : i + WORDS_IN_A_TRIPLE] for i in range(0, len(words), WORDS_IN_A_TRIPLE)]
    return [Triple(" ".join(part[:2]), " ".join(part[2:3]), " ".join(part[3:])) for part in parts]
