"""What all methods share: names, needs, what is handed to the classifier."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from longway.errors import SettingError
from longway.models.bag_of_words import Linear, NaiveBayes
from longway.models.classifier import Inputs, Labelled
from longway.models.training import TRAINING, Trainer, TrainingData, method_named
from longway.models.training.experts import biased_model, shortcut_features
from longway.models.training.weights import error_weights, limited
from tests.models.training.toy import PAIRS, SINGLE, found

DATA = PAIRS.rows(120, right=0.9, seed=0)


@pytest.mark.parametrize("name", TRAINING)
def test_every_method_says_its_name_and_needs(name):
    method = method_named(name)
    assert method.name == name
    assert method.needs in ("", "context", "shortcuts")


def test_an_unknown_name_is_answered_with_the_list():
    with pytest.raises(SettingError, match="erm, rew, poe, clever, jtt, drift, dro"):
        method_named("irm")


@pytest.mark.parametrize("name", sorted(TRAINING))
def test_seeds_fix_everything(name):
    validation, made = PAIRS.rows(40, right=0.9, seed=1), []

    def fresh(seed):
        made.append(seed)
        return Linear(seed=seed)

    data = TrainingData(DATA, validation, found(DATA))
    model = method_named(name).fit(data, Trainer(fresh, 7))
    again = method_named(name).fit(data, Trainer(fresh, 7))
    assert set(made) == {7}
    np.testing.assert_array_equal(model.logits(validation.inputs), again.logits(validation.inputs))


@pytest.mark.parametrize("name", ["poe", "drift", "dro"])
def test_a_classifier_that_takes_only_weights_says_so(name):
    data = SINGLE.rows(120, right=0.9, seed=0)
    with pytest.raises(SettingError, match="naive Bayes"):
        method_named(name).fit(
            TrainingData(data, shortcuts=found(data)), Trainer(lambda seed: NaiveBayes(seed=seed), 0)
        )


@pytest.mark.parametrize("name", sorted(TRAINING))
def test_three_labels_are_no_different(name):
    rng = np.random.default_rng(0)
    labels = [("no", "yes", "maybe")[i] for i in rng.integers(3, size=120)]
    data = TrainingData(type(DATA)(DATA.inputs, labels), shortcuts=found(DATA))
    model = method_named(name).fit(data, Trainer(lambda seed: Linear(seed=seed), 0))
    assert model.predict_proba(DATA.inputs).shape == (120, 3)


@pytest.mark.parametrize("name", sorted(set(TRAINING) - {"erm", "clever"}))
def test_one_label_is_nothing_to_learn(name):
    data = TrainingData(type(DATA)(DATA.inputs, ["yes"] * len(DATA)), shortcuts=found(DATA))
    with pytest.raises(SettingError, match="at least two labels"):
        method_named(name).fit(data, Trainer(lambda seed: Linear(seed=seed), 0))


# ---- a method that does no more than plain training says so ------------------------------------------------------------


def linear(seed):
    return Linear(seed=seed)


def told_by(name, data):
    told = []
    method_named(name).fit(data, Trainer(linear, 0, notify=told.append))
    return told


@pytest.mark.parametrize("name", sorted(set(TRAINING) - {"jtt"}))
def test_a_method_that_does_its_work_has_nothing_to_tell(name):
    data = PAIRS.rows(200, right=0.8, seed=0, genuine=1.0)
    assert told_by(name, TrainingData(data, shortcuts=found(data))) == []


@pytest.mark.parametrize("name", ["rew", "poe", "drift"])
def test_single_texts_without_any_shortcut_are_trained_on_plainly_and_it_is_told(name):
    """What was looked for and not found must not be replaced by the texts' own words, which are the real signal."""
    data = SINGLE.rows(200, right=0.5, seed=0, with_shortcut=0.0)
    none = TrainingData(data, shortcuts=csr_matrix((len(data), 0)))
    assert len(told_by(name, none)) == 1
    assert "plain training" in told_by(name, none)[0]
    model, plain = method_named(name).fit(none, Trainer(linear, 0)), linear(0).fit(data)
    same = np.array(model.predict(data.inputs)) == np.array(plain.predict(data.inputs))
    assert same.mean() > 0.9  # but for rows on the fence: the labels' own shares are taken off


def test_a_weak_expert_that_finds_no_telling_word_says_so():
    data = SINGLE.rows(200, right=0.5, seed=0, with_shortcut=0.0)
    assert "plain training" in told_by("poe", TrainingData(data))[0]


def test_training_twice_tells_where_errors_count_no_more_than_others():
    easy = Labelled(Inputs(["a fine day", "a foul day"] * 20), ["yes", "no"] * 20)
    easy = Labelled(Inputs([f"{text} {i}" for i, text in enumerate(easy.inputs.texts)]), easy.labels)
    assert told_by("jtt", TrainingData(easy)) == ["its first model got no row wrong: plain training"]
    noise = Labelled(easy.inputs, [("yes", "no")[i] for i in np.random.default_rng(0).integers(2, size=40)])
    (told,) = told_by("jtt", TrainingData(noise))
    assert told.endswith("plain training")
    assert "over 30% of the rows wrong" in told


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (2, ""),
        (20, "its first model got many rows wrong, so they count less than 5 times and have 30% of all weight"),
        (40, "its first model got over 30% of the rows wrong, so they count no more than the others: plain training"),
    ],
)  # fmt: skip
def test_training_twice_tells_how_much_errors_count(wrong, told):
    errors = np.arange(100) < wrong
    assert limited(errors, float(error_weights(errors).max())) == told


def test_groups_that_are_no_more_than_labels_are_told():
    data = SINGLE.rows(60, right=0.5, seed=0, with_shortcut=0.0)
    rare = csr_matrix(np.eye(60)[:, :1])
    assert "only labels are weighted" in told_by("dro", TrainingData(data, shortcuts=rare))[0]


def test_what_is_real_signal_is_no_n_gram_of_the_experts():
    every = shortcut_features(TrainingData(DATA)).shape[1]
    kept = shortcut_features(TrainingData(DATA, keep=(("indeed",),))).shape[1]
    texts_with = sum("indeed" in text.split() for text in DATA.inputs.texts)
    assert texts_with >= 5
    assert kept < every
    assert shortcut_features(TrainingData(DATA, keep=(("nowhere",),))).shape[1] == every


# ---- rules of a grammar ------------------------------------------------------------------------------------------------


def ruled(data, *, unparsed=0, more=()):
    """The shortcuts as rules of a grammar; the first rows were not parsed. more: further columns."""
    columns = [found(data).toarray(), np.ones((len(data), 1)), *more]  # and a rule that all trees use
    matrix = np.hstack(columns)
    matrix[:unparsed] = 0
    return TrainingData(data, shortcuts=csr_matrix(matrix), are_rules=True)


def test_all_methods_that_know_shortcuts_are_named():
    assert {name for name in TRAINING if method_named(name).knows_shortcuts} == {"rew", "poe", "drift", "dro"}


def test_rules_take_the_place_of_n_grams_in_pairs_unless_they_are_rare():
    rare = (np.arange(120) < 4).astype(float)[:, None]
    assert shortcut_features(ruled(DATA, more=[rare])).shape[1] == 3
    assert shortcut_features(ruled(DATA, more=[rare])).sum() == 2 * len(DATA)


@pytest.mark.parametrize("name", ["rew", "poe", "drift", "dro"])
def test_rules_change_what_a_method_learns_of_pairs(name):
    """The shortcut stands in the pair, not in n-grams that the method would find on its own: all that it knows is the rules."""
    data, trainer = PAIRS.rows(300, right=0.9, seed=0), Trainer(linear, 0)
    plain = method_named("erm").fit(TrainingData(data), trainer).predict_proba(data.inputs)
    hidden = TrainingData(
        data, shortcuts=csr_matrix(np.random.default_rng(0).integers(2, size=(300, 2))), are_rules=True
    )
    known, unknown = (
        np.abs(method_named(name).fit(one, trainer).predict_proba(data.inputs) - plain).mean()
        for one in (ruled(data), hidden)
    )
    assert known > 2 * unknown


def test_the_biased_model_of_drift_says_nothing_about_rows_that_were_not_parsed():
    data = ruled(PAIRS.rows(300, right=0.9, seed=0), unparsed=30)
    biased = biased_model(data, seed=0)
    np.testing.assert_allclose(biased[:30], 0.5)
    assert biased[np.arange(300), data.targets()][30:].mean() > 0.8


def test_a_parsed_row_without_a_rule_that_counts_is_not_an_unparsed_row():
    rows = PAIRS.rows(300, right=0.9, seed=0)
    matrix = found(rows)[:, :1]  # the rules that all trees use are real signal
    parsed = np.arange(300) >= 30
    data = TrainingData(rows, shortcuts=matrix, are_rules=True, parsed=parsed)
    biased, has_none = biased_model(data, seed=0), np.diff(matrix.indptr) == 0
    assert (has_none & parsed).any()
    np.testing.assert_allclose(biased[:30], 0.5)
    assert (np.abs(biased[has_none & parsed] - 0.5) > 0.1).all()


def test_the_biased_model_of_drift_is_the_default_l1_regression_of_scikit_learn():
    data = ruled(PAIRS.rows(300, right=0.8, seed=1))
    l1 = {"l1_ratio": 1.0} if LogisticRegression().l1_ratio is not None else {"penalty": "l1"}
    oracle = LogisticRegression(solver="liblinear", random_state=0, **l1)
    expected = oracle.fit(data.shortcuts, data.targets()).predict_proba(data.shortcuts)
    np.testing.assert_allclose(biased_model(data, seed=0), expected, atol=2e-4)


def test_groups_come_from_rules_that_surely_go_with_a_label():
    data = PAIRS.rows(300, right=0.9, seed=0)
    weak = np.random.default_rng(1).integers(2, size=(300, 40)).astype(float)
    told, made = [], []

    class Spy(Linear):
        def fit(self, rows, *, objective, **options):
            made.append(objective.groups)
            return super().fit(rows, objective=objective, **options)

    for one in (ruled(data), ruled(data, more=[weak])):
        method_named("dro").fit(one, Trainer(lambda seed: Spy(seed=seed), 0, notify=told.append))
    np.testing.assert_array_equal(*made)
    assert told == []
    nothing = TrainingData(data, shortcuts=csr_matrix(weak), are_rules=True)
    assert "only labels are weighted" in told_by("dro", nothing)[0]
