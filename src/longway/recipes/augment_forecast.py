"""What an augmentation may cost, told before money is spent.

augment_forecast(dataset, settings, writer, judge, spent=0.0)  ->  Forecast: calls, tokens, dollars

A row of CoBA takes a call for its triples, and for each variant one to alter them and one to put them into words; the peers take one or
two for each variant. It supposes that every row gets all the way and every new text is judged: most runs take less. An answer
that must be asked for again because it could not be read is not foreseen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from longway.data import Dataset
from longway.llm.asking import Asker, Estimate
from longway.llm.engine import Engine
from longway.llm.prompt import Prompt, judge_prompt, rewrite_prompt
from longway.llm.text_prompts import (
    counterfactual_prompt,
    fill_prompt,
    translate_back_prompt,
    translate_prompt,
)
from longway.llm.triple_prompts import (
    alter_prompt,
    identify_prompt,
    pick_prompt,
    realise_prompt,
    triples_prompt,
)
from longway.recipes.augment_settings import AugmentSettings
from longway.recipes.forecast import SAMPLED, Forecast, engines_in
from longway.recipes.rows import rows_of
from longway.rewrite.method import Rows
from longway.store import Journal
from longway.triples.triple import Triple

WORDS_IN_A_TRIPLE = 6
Ask = Callable[[int], Prompt]  # the question about a row


def augment_forecast(
    dataset: Dataset,
    settings: AugmentSettings,
    writer: Engine | None,
    judge: Engine | None = None,
    *,
    spent: float = 0.0,
    n_rows: int | None = None,
    free: bool = False,
) -> Forecast:
    """What augmenting the dataset may take.

    n_rows: how many rows there are where the dataset is a sample of them. free: count calls that cost nothing, too.
    """
    rows = rows_of(dataset, seed=settings.seed, labelled=settings.labelled)
    n_rows = len(rows) if n_rows is None else n_rows
    writes = [
        _for_all(engine, rows, ask, n_rows * times)
        for engine in engines_in(writer, free=free)
        for ask, times in _questions(rows, settings)
    ]
    judgements = [
        _for_all(engine, rows, _judged(rows), n_rows * settings.variants, options=rows.task.labels)
        for engine in engines_in(judge, free=free)
        if settings.labelled and "judge" in engine.can
    ]
    return Forecast.of(writes, judgements, spent)


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


def _judged(rows: Rows) -> Ask:
    return lambda row: judge_prompt(rows.task, rows.texts[row], context=rows.context(row))


def _made_up(text: str) -> list[Triple]:
    """As many triples as a text of this length has, of its own words: only their size matters here."""
    words = text.split() or ["-"]
    parts = [words[i : i + WORDS_IN_A_TRIPLE] for i in range(0, len(words), WORDS_IN_A_TRIPLE)]
    return [Triple(" ".join(part[:2]), " ".join(part[2:3]), " ".join(part[3:])) for part in parts]


def _for_all(
    engine: Engine, rows: Rows, ask: Ask, n: int, *, options: Sequence[str] | None = None
) -> Estimate:
    """What n calls take, from the prompts of a few rows."""
    prompts = [ask(row) for row in range(0, len(rows), max(1, len(rows) // SAMPLED))]
    found = Asker(engine, Journal(None)).estimate(prompts, options=options)
    scale = n / max(1, found.calls)
    return Estimate(
        n,
        round(found.prompt_tokens * scale),
        round(found.completion_tokens * scale),
        None if found.cost is None else found.cost * scale,
    )
