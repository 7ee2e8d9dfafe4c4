"""The words of pairs: voted on in text and context together, and each kept with the text that it is in."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from longway.engines.engine import Written
from longway.jobs.augment.settings import AugmentSettings
from longway.jobs.augment.words import labelled, top_of_both, words_by_engine, words_by_models
from longway.methods.coba import Important
from longway.methods.method import Rows
from longway.models.catalog import names_of
from longway.models.ensemble import Ensemble
from longway.models.importance import WordScores
from longway.task import task_of

LABELS = ["no", "yes"]


def pairs(n=24):
    """Contexts with "rain" are yes, with "sun" no; the texts say the same in all rows."""
    yes = [i % 2 == 0 for i in range(n)]
    return Rows(
        [str(i) for i in range(n)],
        [f"the street number {i} is wet" for i in range(n)],
        np.array([int(one) for one in yes]),
        LABELS,
        task_of(LABELS, text_name="claim", context_name="evidence"),
        [f"{'rain' if one else 'sun'} on the street all day" for one in yes],
    )


@pytest.fixture(scope="module")
def rows():
    return pairs()


def test_words_of_the_context_are_voted_on_if_it_may_change(rows):
    ensemble = Ensemble(labelled(rows), ("bow",))
    found = words_by_models(rows, ensemble, k=1, contexts=True).important
    assert {one.context.principal for one in found} == {("rain",), ("sun",)}
    assert all(not one.principal for one in found)
    alone = words_by_models(rows, ensemble, k=1).important
    assert all(one.context is None for one in alone)


def test_a_word_that_the_user_names_is_spurious_on_its_own_side(rows):
    ensemble = Ensemble(labelled(rows), ("bow",))
    (first, *_) = words_by_models(rows, ensemble, k=1, contexts=True, given=["rain", "wet"]).important
    assert first == Important((), ("wet",), context=Important((), ("rain",)))


def test_models_of_ones_own_vote_by_masked_words(rows):
    numbered = [f"{context} {i}" for i, context in enumerate(rows.contexts)]
    texts = Rows(rows.ids, numbered, rows.labels, LABELS, task_of(LABELS))
    trained = make_pipeline(CountVectorizer(), LogisticRegression())

    def finished(texts):
        return ["yes" if "rain" in text else "no" for text in texts]

    for model in (trained, finished):
        ensemble = Ensemble(labelled(texts), names_of([model]))
        found = words_by_models(texts, ensemble, k=1).important
        assert {one.principal for one in found[::2]} == {("rain",)}
        assert model is finished or {one.principal for one in found[1::2]} == {("sun",)}


def test_settings_take_models_of_ones_own():
    own = make_pipeline(CountVectorizer(), LogisticRegression())
    (name, *_) = AugmentSettings(models=(own, "bow", "nb")).models
    assert name.startswith("own:Pipeline-")


SCORES = st.lists(st.sampled_from([-0.2, 0.0, 0.1, 0.3, 0.5, 0.9]), min_size=1, max_size=6)


@given(SCORES, SCORES, st.integers(1, 8))
def test_the_best_words_of_both_equal_a_slow_search(text, context, k):
    def scored(values, prefix):
        words = tuple(f"{prefix}{i}" for i in range(len(values)))
        return WordScores(words, tuple((i, i + 1) for i in range(len(values))), np.array(values), "yes")

    sides = scored(text, "t"), scored(context, "c")
    pool = [
        (score, side, word)
        for side, one in enumerate(sides)
        for score, word in zip(one.scores, one.words, strict=True)
    ]
    best = []
    while len(best) < k and any(score > 0 for score, *_ in pool):
        best.append(max(pool, key=lambda one: (one[0], -one[1], -int(one[2][1:]))))
        pool.remove(best[-1])
    wanted = tuple([word for _, side, word in best if side == number] for number in (0, 1))
    assert top_of_both(*sides, k) == wanted


def test_an_engine_may_name_words_of_either_text(rows):
    def ask(prompts, n, samplings):
        return [Written(("principal: rain, wet\nspurious: street, number, absent",))] * len(prompts)

    first = words_by_engine(rows, ask).important[0]
    assert first == Important(("wet",), ("street", "number"), context=Important(("rain",), ("street",)))
