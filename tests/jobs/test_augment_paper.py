"""`longway augment --paper`: CoBA as published, call by call, with the paper's values; and the options around the vote."""

import json

import numpy as np
import pytest

from longway.data import load
from longway.errors import SettingError
from longway.jobs.augment.job import augment
from longway.jobs.augment.methods import AS_PUBLISHED, Setup, plan_of
from longway.jobs.augment.result import WordAnalysis
from longway.jobs.augment.settings import PAPER_MODELS, AugmentSettings
from longway.jobs.augment.words import Words, labelled, words_by_models
from longway.jobs.engine_use import Engines
from longway.jobs.rows import rows_of
from longway.methods.coba import Important
from longway.models.ensemble import Ensemble
from tests.engines.loopback import Loopback, completion
from tests.jobs.toy_augment import asked, listed

pytestmark = pytest.mark.usefixtures("alone")


def run(monkeypatch, rows, words, answers, **more):
    """The additions of a run, and what the server was asked, in order. words: the important words by id; answers: by what is asked."""

    def known(data, ensemble, **options):
        return Words(
            [words.get(id_, Important()) for id_ in data.ids], WordAnalysis(models=("bow",), votes=1, k=5)
        )

    def answer(call):
        found = answers[asked(call)]
        reply = {"rewrites": [found]} if isinstance(found, str) else {"lines": found}
        return completion(json.dumps(reply))

    monkeypatch.setattr("longway.jobs.augment.methods.words_by_models", known)
    with Loopback(answer) as server:
        engines = Engines(server.url, options={"backoff": 0.001, "retries": 0})
        settings = AugmentSettings(
            **{"paper": True, "engine": "served:toy", "models": ("bow",), "drop": False} | more
        )
        data = load(
            rows, text="text", label="label", id="id", context="context" if "context" in rows[0] else ""
        )
        return augment(data, settings, engines=engines), server.calls


def user(call):
    return call.body["messages"][-1]["content"]


def test_the_example_of_section_3_3_goes_through_the_steps_of_the_paper(monkeypatch):
    rows = [
        {"id": "own", "text": "I love In-N-Out. Their burger feels incredibly fresh", "label": "positive"},
        {"id": "other", "text": "We waited for an hour.", "label": "negative"},
    ]
    answers = {
        "triples": ["1. I | love | In-N-Out", "2. Their burger | feels | incredibly fresh"],
        "alter": ["1. I | avoid | In-N-Out"],
        "realise": "I avoid In-N-Out. Their burger feels incredibly fresh.",
    }
    result, calls = run(monkeypatch, rows, {"own": Important(("love",), ("burger",))}, answers)
    own = [call for call in calls if "hour" not in user(call)]
    assert [asked(call) for call in own] == ["triples", "alter", "realise"]  # and nobody judges
    triples, alter, realise = own
    assert "I love In-N-Out. Their burger feels incredibly fresh" in user(triples)
    assert listed(alter) == ["I | love | In-N-Out"]
    assert 'the label becomes "negative"' in user(alter)
    assert listed(realise) == ["I | avoid | In-N-Out", "Their burger | feels | incredibly fresh"]
    assert '<keep>"burger"</keep>' in user(realise)
    (edit,) = result.edits
    assert (edit.after, edit.label_after, edit.accepted, edit.verdicts) == (
        answers["realise"],
        "negative",
        True,
        (),
    )
    assert result.missing_checks == (AS_PUBLISHED,)


def test_premise_and_hypothesis_are_both_changed(monkeypatch):
    """As in Table 9: another person on both sides, and a hypothesis that the premise now rules out."""
    rows = [
        {
            "id": "own",
            "context": "A woman reads a letter by the lake.",
            "text": "She plans a trip.",
            "label": "neutral",
        },
        {"id": "b", "context": "A dog runs.", "text": "A dog sleeps.", "label": "contradiction"},
    ]
    answers = {
        "triples": [
            "1-1. A woman | reads | a letter",
            "1-2. A woman | is by | the lake",
            "2-1. She | plans | a trip",
        ],
        "alter": ["1. A woman | burns | a letter", "2. She | reads | a letter"],
        "realise": ["context: A man burns a letter by the lake.", "text: He reads a letter."],
    }
    words = {"own": Important(("plans",), (), context=Important(("letter",), ("lake",)))}
    result, calls = run(monkeypatch, rows, words, answers, to="contradiction", permute=False)
    assert [asked(call) for call in calls] == ["triples", "alter", "realise"]
    _, alter, realise = calls
    assert '<context-triples>\n1. "A woman | reads | a letter"\n</context-triples>' in user(alter)
    assert '<triples>\n2. "She | plans | a trip"\n</triples>' in user(alter)
    assert '"A man | burns | a letter"' in user(realise)
    assert '"He | reads | a letter"' in user(realise)
    assert '<keep-in-context>"lake"</keep-in-context>' in user(realise)
    assert [(edit.field, edit.after) for edit in result.edits] == [
        ("text", "He reads a letter."),
        ("context", "A man burns a letter by the lake."),
    ]


def test_the_values_are_those_of_the_paper():
    chosen = AugmentSettings(paper=True)
    assert chosen.models == PAPER_MODELS
    assert (chosen.top_k, chosen.folds, chosen.mixed, chosen.contexts) == (5, 1, "spurious", True)
    assert (chosen.judge, chosen.rate, chosen.variants) == ("none", 0.2, 1)
    assert chosen.tuning() == {
        "learning_rate": 5e-5, "batch": 32, "epochs": 10, "patience": 10, "max_tokens": 300,
    }  # fmt: skip
    usual = AugmentSettings(models=("bow",))
    assert (usual.folds, usual.mixed, usual.contexts) == (2, "needed", False)
    assert (usual.judge, usual.rate) == ("auto", 0.1)
    assert usual.tuning() == {}
    assert AugmentSettings(paper=True, folds=3, epochs=2).tuning()["epochs"] == 2
    with pytest.raises(SettingError, match="CoBA as published checks none"):
        AugmentSettings(paper=True, judge="rules")


def toy(n=12):
    return [
        {"id": str(i), "text": f"day {i} was {'fine' if i % 2 else 'grey'}", "label": "ab"[i % 2]}
        for i in range(n)
    ]


def test_options_reach_the_models_that_vote(monkeypatch):
    made = []
    monkeypatch.setattr(
        "longway.models.ensemble.model_named", lambda name, **options: made.append((name, options))
    )
    rows = rows_of(load(toy(), text="text", label="label", id="id"))
    names = ("hf:x-full", "minilm-lora", "bow", "cnn", "hf:y-frozen")
    monkeypatch.setattr("longway.jobs.augment.settings._check_models", lambda names: None)
    setup = Setup(AugmentSettings(models=names, learning_rate=1e-4, epochs=7, folds=3), rows)
    assert setup.ensemble().n_folds == 3
    tuned = {
        name: {k: v for k, v in options.items() if k in ("learning_rate", "epochs")} for name, options in made
    }
    both = {"learning_rate": 1e-4, "epochs": 7}
    assert tuned == {
        "hf:x-full": both,
        "minilm-lora": both,
        "bow": {},
        "cnn": {"epochs": 5},
        "hf:y-frozen": {},
    }


def test_with_one_fold_models_learn_from_all_rows():
    rows = rows_of(load(toy(), text="text", label="label", id="id"))
    ensemble = Ensemble(labelled(rows), ("bow",), folds=1)
    seen = []

    class Spy:
        def fit(self, data):
            seen.extend(data.inputs.texts)
            return self

    ensemble._fresh = lambda name: Spy()
    ensemble.model("bow", 0)
    assert sorted(seen) == sorted(rows.texts)
    assert (ensemble.n_folds, set(np.unique(ensemble.fold))) == (1, {0})


def test_the_rate_of_eda_is_an_option(monkeypatch):
    shares = []
    monkeypatch.setattr("longway.jobs.augment.methods.eda", lambda rows, share, **_: shares.append(share))
    rows = rows_of(load(toy(), text="text", label="label", id="id"))
    for given, rate in ({}, 0.1), ({"paper": True}, 0.2), ({"rate": 0.5}, 0.5):
        plan_of(Setup(AugmentSettings(method="eda", models=("bow",), **given), rows))
        assert shares.pop() == rate


def test_words_with_a_label_count_in_the_rows_of_that_label():
    given = ("day\ta", "was")
    data = load(toy(), text="text", label="label", id="id")
    rows = rows_of(data)
    found = words_by_models(rows, Ensemble(labelled(rows), ("bow",)), k=1, given=given).important
    for row, one in enumerate(found):
        assert set(one.spurious) - {"fine", "grey", str(row)} == {"day", "was"} - (
            {"day"} if row % 2 else set()
        )
