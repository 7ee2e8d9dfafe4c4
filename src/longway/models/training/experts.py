"""Training in product with an expert that sees only the shortcut: `product_of_experts` (poe) and `residual_fit` (drift).

    p_product(y | x) = softmax_y( log p_main(y | x) + log p_bias(y | x_bias) )
    L = 1/n sum_i -log p_product(y_i | x_i)

If the expert is right and certain, the product is right whatever the classifier predicts, and its gradient is small; if the
expert is wrong, the classifier has to outweigh it. No gradient reaches the expert, and the classifier is used alone. softmax
ignores constants added to all classes, so the classifier's logits can replace log p_main.

What the expert sees:

    rows with a context     the n-grams of their text: whatever the text alone predicts is a shortcut
    single texts            the known shortcuts; if no search was made, the text's own n-grams, which also hold the real
                            signal, so that a method can separate them only by strength
    rules of a grammar      these rules, where they are the known shortcuts, for pairs and single texts

Each row's probabilities come from an expert that was trained without it (`held_out_probabilities`), nor with any row of the same
text: an expert that memorized its rows would be certain of all of them and leave nothing to learn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix

from longway.errors import SettingError
from longway.models.classifier import Classifier, Floats, Ints, Labelled
from longway.models.folds import balanced_folds, linked
from longway.models.nbsvm import LIBLINEAR
from longway.models.objectives import CrossEntropy
from longway.models.training.trainer import Trainer, TrainingData
from longway.text.keep import is_real_signal
from longway.text.tokenizer import PLAIN, Tokenizer

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

# rows to learn, rows to predict -> labels, probabilities
Predict = Callable[[Ints, Ints], tuple[Ints, Floats]]
FOLDS = 5  # for predictions of rows that were not learned
STRENGTH = 1.0  # of the other model, scikit-learn's C
# Of a weak model, divided by the number of rows: a word counts only if it changes a label's probability in more than 1 / WEAK of all
# rows (rows with it x deviation of the share).
WEAK = 20.0
LEAST = 1e-4  # the lowest probability: one certain mistake must not outweigh all other rows
FEWEST = 5  # rows with an n-gram or a rule that counts
SAME = 0.02  # probabilities closer than this count as equal
UNINFORMATIVE = (
    "the model it is trained beside predicts the same for every row and removes no more than the label frequencies: "
    "equivalent to plain training"
)


def product_of_experts(data: TrainingData, trainer: Trainer) -> Classifier:
    """A classifier trained in product with a text-only expert.

    Karimi Mahabadi et al. 2020 ("End-to-End Bias Mitigation by Modelling Biases in Corpora", section 3.2), Clark et al. 2019,
    after Hinton 2002. The paper trains both together, the expert with its own loss. Here the expert, a logistic regression
    over the text's n-grams, is trained first (as in Clark et al.).
    """
    return fit_beside(text_expert(data, seed=trainer.seed), data, trainer)


def text_expert(data: TrainingData, *, seed: int) -> Floats:
    """(n, labels): the prediction of an expert that has not seen the row.

    For single texts without known shortcuts it is a weak one: a regression over single words with an L1 penalty so strong that only the
    most predictive words count.
    """
    if data.is_pairs or data.shortcuts is not None:
        return held_out_regression(data, shortcut_features(data), strength=STRENGTH, seed=seed)
    inputs = data.labelled.inputs
    words = ngrams(inputs.texts, longest=1, keep=data.keep, tokenizer=inputs.tokenizer)
    return held_out_regression(data, words, strength=WEAK / len(data.labelled), sparse=True, seed=seed)


def residual_fit(data: TrainingData, trainer: Trainer) -> Classifier:
    """DRiFt: fit the residual of a biased model of shortcut features.

    He et al. 2019, "Unlearn Dataset Bias in Natural Language Inference by Fitting the Residual", section 3:

        p_a(y | x) = softmax_y( f(x)_y + log p_b(y | x) ),      L = 1/n sum_i -log p_a(y_i | x_i)

    The loss is that of `product_of_experts`; they differ in what the other model sees: here known shortcuts come first, there
    whatever the text of a pair predicts.
    """
    return fit_beside(biased_model(data, seed=trainer.seed), data, trainer)


def biased_model(data: TrainingData, *, seed: int) -> Floats:
    """(n, labels): the biased model's prediction for each row.

    It is a logistic regression with an L1 penalty, as in "Finding Dataset Shortcuts with Grammar Induction" (Friedman et al. 2022),
    appendix B, over the known shortcuts (n-grams, grammar rules ...), few and frequent, so it is fitted once. A row that the grammar
    could not parse counts as in plain training: the biased model gives all labels the same probability. Without known
    shortcuts, its features are the n-grams of the text, and its predictions are held out; in single texts, where
    n-grams also hold the real signal, the penalty is so strong that only the most predictive ones count.
    """
    if data.shortcuts is None or not data.has_shortcuts:
        strength = STRENGTH if data.is_pairs else WEAK / len(data.labelled)
        return held_out_regression(data, shortcut_features(data), strength=strength, sparse=True, seed=seed)
    targets, seen = data.targets(), data.seen
    model = logistic(data.shortcuts[seen], targets[seen], strength=STRENGTH, sparse=True)
    n_labels = int(targets.max()) + 1
    predicted = np.full((len(targets), n_labels), 1 / n_labels)
    predicted[seen] = 0
    predicted[np.ix_(seen, model.classes_)] = model.predict_proba(data.shortcuts[seen])
    return at_least(predicted)


def fit_beside(biased: Floats, data: TrainingData, trainer: Trainer) -> Classifier:
    """A classifier trained in product with a biased model's predictions, (n, labels)."""
    if (np.abs(biased - biased.mean(axis=0)) < SAME).all():
        trainer.notify(UNINFORMATIVE)
    return trainer.train(data, CrossEntropy(data.targets(), offsets=np.log(biased)))


def ngrams(
    texts: Sequence[str],
    *,
    longest: int = 2,
    fewest: int = FEWEST,
    keep: Sequence[Sequence[str]] = (),
    tokenizer: Tokenizer = PLAIN,
) -> csr_matrix:
    """(texts, n-grams) of up to `longest` words that are in at least `fewest` texts: 1 if a text has it.

    keep: phrases that are real signal; n-grams that contain them are left out.

    >>> ngrams(["it is not", "it is", "so it is"], fewest=3).toarray().tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    of_text = [_ngrams(tokens, longest) for tokens in tokenizer.lists(texts)]
    n_texts = Counter(ngram for in_text in of_text for ngram in in_text)
    wanted = (n for n, count in n_texts.items() if count >= fewest and not is_real_signal(n.split(), keep))
    column = {ngram: i for i, ngram in enumerate(sorted(wanted))}
    known = [sorted(column[ngram] for ngram in in_text if ngram in column) for in_text in of_text]
    starts = np.cumsum([0, *map(len, known)])
    columns = np.array([number for in_text in known for number in in_text], np.int64)
    return csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(of_text), len(column)))


def shortcut_features(data: TrainingData) -> csr_matrix:
    """The features of an expert: n-grams of a pair's text; of a single text, the known shortcuts; rules of a grammar for both.

    If a search in single texts found none, there are no features: the n-grams are then the real signal.
    """
    if data.shortcuts is not None and (data.are_rules or not data.is_pairs):
        return data.rules_in(FEWEST)
    inputs = data.labelled.inputs
    return ngrams(inputs.texts, keep=data.keep, tokenizer=inputs.tokenizer)


def folds(data: Labelled, n: int, *, seed: int) -> Ints:
    """The fold of each row: rows with the same text or context together, labels spread evenly.

    Datasets of pairs have one context for several labels. A model that has seen it with one label associates its words
    with that label, and is wrong about the held-out row, whatever its text.
    """
    group = by_text = _alphabetical(data.inputs.texts)
    if data.inputs.contexts is not None:
        both = linked([by_text, _alphabetical(data.inputs.contexts)])
        if n * np.bincount(both).max() <= len(both):  # else one fold would be too large
            first_text = np.full(len(both), len(both))
            np.minimum.at(first_text, both, by_text)
            group = _alphabetical(first_text[both])
    _, first = np.unique(group, return_index=True)
    return balanced_folds(group, np.array(data.labels)[first], n, seed=seed)


def _alphabetical(keys: Sequence[str] | Ints) -> Ints:
    """Numbers from 0 for different keys, in their order."""
    array = keys if isinstance(keys, np.ndarray) else np.array(keys, object)
    return np.unique(array, return_inverse=True)[1].astype(np.int64)


def held_out_probabilities(predict: Predict, fold: Ints, n_labels: int) -> Floats:
    """Probabilities of each row by a model trained on the other folds, none below `LEAST`.

    predict: takes rows to learn and rows to predict; returns the indices of the labels it learned and their probabilities.
    """
    result = np.zeros((len(fold), n_labels))
    for number in np.unique(fold):
        rows = np.flatnonzero(fold == number)
        labels, predicted = predict(np.flatnonzero(fold != number), rows)
        result[np.ix_(rows, labels)] = predicted
    return at_least(result)


def held_out_regression(
    data: TrainingData, features: csr_matrix, *, strength: float, sparse: bool = False, seed: int
) -> Floats:
    """(n, labels): the predictions of a logistic regression over the features for rows it has not seen."""
    targets = data.targets()
    if features.shape[1] == 0:
        features = csr_matrix((len(data.labelled), 1))  # it then predicts the label frequencies

    def predict(learn: Ints, rows: Ints) -> tuple[Ints, Floats]:
        model = logistic(features[learn], targets[learn], strength=strength, sparse=sparse)
        return model.classes_, model.predict_proba(features[rows])

    fold = folds(data.labelled.text_only(), FOLDS, seed=seed)
    return held_out_probabilities(predict, fold, int(targets.max()) + 1)


def logistic(
    features: csr_matrix, targets: Ints, *, strength: float, sparse: bool = False
) -> LogisticRegression:
    """A logistic regression with an L2 penalty, or an L1 penalty if `sparse`; strength: scikit-learn's C."""
    if len(np.unique(targets)) < 2:
        raise SettingError(
            "The expert predicts texts it has not seen, and without some of them only one label is left to learn from. "
            "Use rows with at least two different texts for each label."
        )
    from sklearn.linear_model import LogisticRegression  # takes a second to import

    if not sparse:
        return LogisticRegression(C=strength, max_iter=500).fit(features, targets)
    # scikit-learn 1.8 renamed the option. liblinear is the fast solver and supports only two labels.
    l1 = {"l1_ratio": 1.0} if LogisticRegression().l1_ratio is not None else {"penalty": "l1"}
    if len(np.unique(targets)) == 2:
        with LIBLINEAR:
            return LogisticRegression(C=strength, solver="liblinear", random_state=0, **l1).fit(
                features, targets
            )
    model = LogisticRegression(C=strength, solver="saga", tol=1e-3, max_iter=500, random_state=0, **l1)
    return model.fit(features, targets)


def at_least(probabilities: Floats, least: float = LEAST) -> Floats:
    """The probabilities mixed with a uniform distribution, so that none is below `least`; rows still sum to one."""
    probabilities = probabilities / probabilities.sum(axis=1, keepdims=True)
    return (1 - probabilities.shape[1] * least) * probabilities + least


def _ngrams(tokens: Sequence[str], longest: int) -> set[str]:
    return {" ".join(tokens[i : i + n]) for n in range(1, longest + 1) for i in range(len(tokens) - n + 1)}
