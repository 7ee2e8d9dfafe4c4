"""Models of the user's own: copied for each training, asked for texts, and refused with a reason if they are no models."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.pipeline import make_pipeline

import longway as lw
from longway.errors import SettingError, TrainingError
from longway.jobs.prove.settings import ProveSettings
from longway.models.catalog import model_named, names_of
from longway.models.classifier import Inputs, Labelled
from longway.models.objectives import CrossEntropy
from longway.models.own_model import OwnModel

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
    with pytest.raises(TrainingError, match=r"answered 'a'. Expected the labels of the data: neg, pos"):
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
            "own_broken_function",
            "def made(): return 1 / 0",
            "made",
            r"could not make a model: ZeroDivisionError.*no arguments",
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


class Finished:
    """A trained model of some library: it cannot be trained here."""

    classes_ = ("neg", "pos")

    def predict_proba(self, texts):
        return [[0.2, 0.8] if "good" in text or "fine" in text else [0.9, 0.1] for text in texts]


class LikeHuggingFace:
    """Answers as a pipeline of Hugging Face does: the best label and its score, in its own capitals."""

    def __call__(self, inputs, **options):
        found = [("POS", 0.7) if "good" in text or "fine" in text else ("NEG", 0.6) for text in inputs]
        return [{"label": label, "score": score} for label, score in found]


def all_scores(texts):
    return [[{"label": "LABEL_1", "score": 0.25}, {"label": "LABEL_0", "score": 0.75}] for _ in texts]


def labels_alone(texts):
    return np.array([1 if "good" in text or "fine" in text else 0 for text in texts])


def made_finished():
    return Finished()


@pytest.mark.parametrize("given", [Finished(), LikeHuggingFace(), made_finished])
def test_a_finished_model_is_asked_and_not_trained(given):
    model = own(given).fit(DATA)
    assert not model.trains
    assert model.predict(DATA.inputs) == LABELS
    assert model.labels_ == ("neg", "pos")


def test_probabilities_of_finished_models_keep_their_label():
    two = Labelled(Inputs(["good", "bad"]), ["0", "1"])
    np.testing.assert_allclose(own(all_scores).fit(two).predict_proba(two.inputs), [[0.75, 0.25]] * 2)
    np.testing.assert_allclose(
        own(labels_alone).fit(two).predict_proba(two.inputs), [[0, 1], [1, 0]], atol=1e-6
    )
    shared = own(LikeHuggingFace()).fit(Labelled(Inputs(["good", "bad", "so so"]), ["pos", "neg", "mixed"]))
    np.testing.assert_allclose(
        shared.predict_proba(Inputs(["good"])), [[0.15, 0.15, 0.7]]
    )  # mixed, neg, pos: the rest is shared


class Nonsense(Constant):
    """Answers what it never saw, to some of the texts."""

    def predict(self, texts):
        return ["pos" if "good" in text else "banana" for text in texts]


def test_a_trained_model_that_answers_no_label_of_the_data_is_refused():
    trained = own(Nonsense).fit(DATA)
    assert trained.predict(Inputs(["good film"])) == ["pos"]
    with pytest.raises(TrainingError, match=r"answered 'banana'. Expected the labels of the data: neg, pos"):
        trained.predict(DATA.inputs)
    rows = [{"text": f"{text} {i}", "label": LABELS[i]} for i, text in enumerate(WORDS)]
    with pytest.raises(TrainingError, match="answered 'banana'"):
        lw.prove(rows[:36], rows[4:36], tests={"new": rows[36:]}, model=Nonsense, seeds=1)


def test_labels_that_differ_in_case_alone_are_different_labels():
    two = Labelled(Inputs(["one", "two"]), ["No", "no"])
    always = own(lambda texts: ["No"] * len(texts)).fit(two)
    assert always.predict(two.inputs) == ["No", "No"]


def test_a_finished_model_with_other_labels_or_too_few_answers_is_refused():
    with pytest.raises(TrainingError, match=r"answered 'POS'. Expected the labels of the data: a, b"):
        own(LikeHuggingFace()).fit(Labelled(Inputs(["good", "bad"]), ["a", "b"])).predict(Inputs(["good"]))
    with pytest.raises(TrainingError, match="gave 1 answers for 40 texts"):
        own(lambda texts: ["pos"]).fit(DATA).predict(DATA.inputs)
    untrained = OwnModel(pipeline(), called="my_models:pipeline")
    with pytest.raises(TrainingError, match=r"NotFittedError: .*\. It is asked as it is here\. Train it"):
        untrained.answers(DATA.inputs)
    with pytest.raises(TrainingError, match="ZeroDivisionError"):
        own(lambda texts: 1 / 0).fit(DATA).predict(DATA.inputs)


def test_prove_refuses_a_model_that_cannot_be_trained():
    with pytest.raises(SettingError, match="cannot be trained, and prove trains"):
        ProveSettings(models=(LikeHuggingFace(),))


def test_objects_with_other_content_have_other_names():
    plain, fitted = pipeline(), pipeline().fit(WORDS, LABELS)
    other = pipeline().fit(WORDS, LABELS[::-1])
    assert names_of([plain]) == names_of([pipeline()])
    assert len({*names_of([plain, fitted, other])}) == 3
    assert names_of([labels_alone]) == names_of([labels_alone]) != names_of([all_scores])


MODULE = """
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
model = make_pipeline(CountVectorizer(), MultinomialNB())
"""


def test_a_changed_module_is_another_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        {"text": f"{text} {i % 7}", "label": label}
        for i, (text, label) in enumerate(zip(WORDS, LABELS, strict=True))
    ]
    file = tmp_path / "own_that_changes.py"
    file.write_text(MODULE)

    def explained():
        return lw.explain(rows, model="own_that_changes:model", rows=4, folds=2, out=True).folder

    first = explained()
    assert explained() == first
    file.write_text(MODULE + "# other settings\n")
    assert explained() != first
    recorded = (first / "run.json").read_text(encoding="utf-8")
    assert '"model_sources"' in recorded
