"""Models of the user's own: copied for each training, asked for texts, and refused with a reason if they are no models."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.pipeline import make_pipeline

import longway as lw
from longway.classify.catalog import model_named, names_of
from longway.classify.classifier import Inputs, Labelled
from longway.classify.objectives import CrossEntropy
from longway.errors import SettingError, TrainingError

WORDS = ["good film", "fine play", "bad film", "poor play"] * 10
LABELS = ["pos", "pos", "neg", "neg"] * 10
DATA = Labelled(Inputs(WORDS), LABELS)


def pipeline(model=None):
    return make_pipeline(CountVectorizer(), model or LogisticRegression())


class Odd:
    """Answers with columns of labels that it was not asked for."""

    def fit(self, texts, labels):
        self.classes_ = ["a", "b", "c"]

    def predict_proba(self, texts):
        return np.ones((len(texts), 3)) / 3


class Constant:
    """Knows no probabilities, and writes down what it was given."""

    def fit(self, texts, labels):
        self.texts = texts

    def predict(self, texts):
        return ["pos"] * len(texts)


def own(model):
    (name,) = names_of([model])
    return model_named(name, seed=3)


def test_an_estimator_is_copied_and_gives_its_probabilities():
    given = pipeline()
    model = own(given).fit(DATA)
    assert not hasattr(given[-1], "coef_")
    direct = pipeline(LogisticRegression(random_state=3)).fit(WORDS, LABELS)
    np.testing.assert_allclose(model.predict_proba(DATA.inputs), direct.predict_proba(WORDS), atol=1e-8)
    assert model.labels_ == ("neg", "pos")
    assert model.model[-1].random_state == 3


def test_a_model_without_probabilities_predicts():
    model = own(pipeline(Perceptron())).fit(DATA)
    assert model.predict(DATA.inputs) == LABELS
    assert own(Constant).fit(DATA).predict(DATA.inputs) == ["pos"] * 40


def test_a_pair_comes_as_text_line_break_context():
    model = own(Constant).fit(Labelled(Inputs(["a", "b"], ["c", "d"]), ["neg", "pos"]))
    assert model.model.texts == ["a\nc", "b\nd"]


def test_weights_are_passed_on():
    seen = {}

    class Weighed(Constant):
        def fit(self, texts, labels, sample_weight=None):
            seen["weights"] = sample_weight

    objective = CrossEntropy(np.array([0, 1] * 20), weights=np.arange(1.0, 41.0))
    own(Weighed).fit(DATA, objective=objective)
    np.testing.assert_allclose(seen["weights"], objective.weights)


@pytest.mark.parametrize("given", [42, "no such thing".upper, Constant()])
def test_what_is_no_model_or_cannot_be_copied_is_refused(given):
    with pytest.raises(SettingError):
        own(given)


def test_wrong_answers_and_failed_trainings_are_told():
    with pytest.raises(TrainingError, match=r"labels a, b, c.*neg, pos"):
        own(Odd).fit(DATA).predict(DATA.inputs)
    with pytest.raises(TrainingError, match="could not be trained on 40 texts"):
        own(LogisticRegression()).fit(DATA)


def test_a_model_is_found_in_a_module_of_the_working_folder(tmp_path, monkeypatch):
    (tmp_path / "my_models_of_a_test.py").write_text(
        "from sklearn.feature_extraction.text import CountVectorizer\n"
        "from sklearn.naive_bayes import MultinomialNB\n"
        "from sklearn.pipeline import make_pipeline\n"
        "def made(): return make_pipeline(CountVectorizer(), MultinomialNB())\n"
    )
    monkeypatch.chdir(tmp_path)
    assert model_named("my_models_of_a_test:made").fit(DATA).predict(DATA.inputs) == LABELS
    with pytest.raises(SettingError, match="my_models:pipeline"):
        model_named("my_models_of_a_test:nothing")


@pytest.mark.parametrize(
    ("module", "source", "name", "expected"),
    [
        ("own_broken_import", "raise KeyError('boom')", "made", r"could not be imported: KeyError: 'boom'"),
        ("own_broken_syntax", "def made(:", "made", r"could not be imported: SyntaxError"),
        (
            "own_with_argument",
            "def made(a): return a",
            "made",
            r"could not make a model: TypeError.*no arguments",
        ),
    ],
)
def test_an_error_in_a_module_of_the_user_is_named(module, source, name, expected, tmp_path, monkeypatch):
    (tmp_path / f"{module}.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingError, match=expected):
        model_named(f"{module}:{name}")


def test_prove_and_explain_take_a_model_of_ones_own():
    rows = [
        {"text": f"{text} {i % 7}", "label": label}
        for i, (text, label) in enumerate(zip(WORDS, LABELS, strict=True))
    ]
    test = [{"text": "a good play", "label": "pos"}, {"text": "a bad play", "label": "neg"}]
    result = lw.prove(rows, rows[4:], tests={"new": test}, model=pipeline(), seeds=1)
    (name,) = result.settings["models"]
    assert name.startswith("own:Pipeline-")
    explained = lw.explain(rows, model=pipeline(), rows=4, folds=2)
    assert explained.settings.models == (name,)
