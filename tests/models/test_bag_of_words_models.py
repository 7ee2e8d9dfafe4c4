"""bow and nb: they learn, say the same twice, come back from disk, and answer bad input."""

from math import exp, log

import numpy as np
import pytest

from longway.errors import MissingExtra, SettingError
from longway.models import catalog
from longway.models.bag_of_words import Linear, NaiveBayes
from longway.models.catalog import MODELS, load_model, model_named
from longway.models.classifier import Inputs, Labelled
from longway.models.objectives import CrossEntropy, GroupDRO
from tests.models.toy import accuracy, agreements, column_names, reviews


@pytest.mark.parametrize("name", ["bow", "nb"])
def test_texts_are_learned(name):
    model = model_named(name).fit(reviews(120))
    assert accuracy(model, reviews(seed=1)) == 1.0
    assert np.allclose(model.predict_proba(reviews().inputs).sum(axis=1), 1)


def test_a_linear_model_can_compare_text_and_context():
    assert accuracy(Linear().fit(agreements(200)), agreements(seed=1)) == 1.0


@pytest.mark.parametrize("name", ["bow", "nb"])
@pytest.mark.parametrize("rows", [reviews(), agreements()])
def test_it_comes_back_from_disk(name, rows, tmp_path):
    model = model_named(name).fit(rows)
    model.save(tmp_path)
    again = load_model(tmp_path)
    assert again.labels_ == model.labels_
    np.testing.assert_array_equal(again.logits(rows.inputs), model.logits(rows.inputs))
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".safetensors"}


@pytest.mark.parametrize("name", ["bow", "nb"])
def test_two_fits_say_the_same(name):
    one, two = (model_named(name, seed=3).fit(reviews()).logits(reviews().inputs) for _ in range(2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("name", ["bow", "nb"])
def test_empty_and_new_texts_get_the_label_that_is_most_frequent(name):
    rows = reviews()
    more = Labelled(Inputs([*rows.inputs.texts, *["a good day"] * 9]), [*rows.labels, *["pos"] * 9])
    found = model_named(name).fit(more).predict_proba(Inputs(["", "zzz qqq"]))
    assert (found[:, 1] > 0.5).all()
    np.testing.assert_allclose(found[0], found[1])


@pytest.mark.parametrize("name", ["bow", "nb"])
def test_no_rows_give_no_logits(name):
    assert model_named(name).fit(reviews()).logits(Inputs([])).shape == (0, 2)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("rows", [Labelled(Inputs(["a"]), ["x"]), Labelled(Inputs(["a", "b"]), ["x", "x"])])
def test_one_row_or_one_label_is_not_enough(name, rows):
    if name not in ("bow", "nb"):
        pytest.importorskip("torch", reason="torch is not installed")
    with pytest.raises(SettingError, match="at least two labels"):
        model_named(name).fit(rows)


def test_a_label_may_be_missing_among_the_validation_rows(offered):
    rows = reviews()
    Linear().fit(rows, validation=Labelled(Inputs(["a good film"]), ["pos"]))
    assert offered[-1] == 1.0


def test_a_label_that_only_the_validation_rows_have_is_named():
    with pytest.raises(SettingError, match="'mixed' was not among"):
        Linear().fit(reviews(), validation=Labelled(Inputs(["so so"]), ["mixed"]))


def test_weights_count_rows_as_often_as_they_weigh():
    texts, labels = ["a b", "a c", "b c", "a a c"], ["x", "y", "y", "x"]
    twice = Labelled(Inputs([*texts, texts[3]]), [*labels, labels[3]])
    rows = Labelled(Inputs(texts), labels)
    for model in (Linear(min_rows=1), NaiveBayes(min_rows=1)):
        objective = CrossEntropy(np.array([0, 1, 1, 0]), weights=np.array([1, 1, 1, 2.0]) * 4 / 5)
        found = model.fit(rows, objective=objective)
        assert found.predict_proba(Inputs(["a a c"]))[0, 0] > 0.5
    # naive Bayes scales weights to a mean of 1, so counts (and smoothing with them) are those of 4 rows
    words = {"x": {"a": 1 + 2, "b": 1, "c": 2, "a b": 1, "a a": 2, "a c": 2}}
    total = sum(words["x"].values())
    naive = NaiveBayes(min_rows=1, smoothing=0.8).fit(rows, objective=objective)
    same = NaiveBayes(min_rows=1, smoothing=1.0).fit(twice)
    np.testing.assert_allclose(naive.predict_proba(rows.inputs), same.predict_proba(rows.inputs))
    column = column_names(same.words_).index("a")
    assert exp(same.regression_.weights[column, 0]) == pytest.approx(
        (3 + 1) / (total + len(same.words_.kept))
    )
    assert same.regression_.bias[0] == pytest.approx(log((3 + 1) / (5 + 2)))


@pytest.mark.parametrize(
    "objective",
    [
        CrossEntropy(np.array([0, 1] * 20), offsets=np.zeros((40, 2))),
        GroupDRO(np.array([0, 1] * 20), np.zeros(40, int)),
    ],
)
def test_naive_bayes_cannot_lower_any_loss(objective):
    with pytest.raises(SettingError, match=r"naive Bayes counts.*choose bow"):
        NaiveBayes().fit(reviews(), objective=objective)


def test_unknown_names_options_and_devices_are_told():
    with pytest.raises(SettingError, match=r"must be one of bow, nb, .* Got 'svm'"):
        model_named("svm")
    with pytest.raises(SettingError, match="does not take these options: depth"):
        model_named("bow", depth=3)
    with pytest.raises(SettingError, match=r"'device' must be auto, cpu or cuda. Got 'tpu'"):
        model_named("bow", device="tpu")


def test_a_missing_torch_is_told_with_what_installs_it(monkeypatch):
    monkeypatch.setattr(catalog, "find_spec", lambda name: None)
    for name in (
        "cnn",
        "gru",
        "dan",
        "minilm-lora",
        "minilm-full",
        "hf:some/encoder",
        "hf:some/encoder-frozen",
    ):
        with pytest.raises(MissingExtra, match=r"needs the package 'torch'.*longway\[neural\]"):
            model_named(name)
    assert model_named("minilm").name == "frozen"


def test_a_folder_without_a_classifier_is_told(tmp_path):
    with pytest.raises(SettingError, match=r"classifier\.json is missing"):
        load_model(tmp_path)
    (tmp_path / "classifier.json").write_text('{"model": "oracle"}')
    with pytest.raises(SettingError, match="of the kind 'oracle'"):
        load_model(tmp_path)


def test_a_classifier_that_is_not_whole_is_told(tmp_path):
    Linear().fit(reviews()).save(tmp_path)
    (tmp_path / "weights.safetensors").unlink()
    with pytest.raises(SettingError, match=r"weights\.safetensors is missing"):
        load_model(tmp_path)
