"""Models that know only the shortcut: what they are shown, and how they are asked about rows they have not seen.

    rows with a context     the n-grams of their text: whatever the text alone tells is a shortcut
    single texts            the shortcuts that were found; where nobody looked for any, the text's own n-grams, which
                            hold the real signal too, so that a method can only tell them apart by strength

`held_out` asks each row's label of a model that was trained without it: a model that has learned its rows by heart would
look certain of all of them, and there would be nothing left to learn for the classifier beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from sklearn.linear_model import LogisticRegression

from longway.classify.classifier import Classifier, Floats, Ints, Labelled, Watch
from longway.classify.methods.training import Fresh, Tell, Training
from longway.classify.objectives import CrossEntropy
from longway.errors import SettingError
from longway.text.real_signal import is_real_signal
from longway.text.tokens import tokenize_column

Ask = Callable[[Ints, Ints], tuple[Ints, Floats]]
LEAST = 1e-4  # no probability is below this: one sure mistake must not drown all other rows
SAME = 0.02  # probabilities that are closer than this say the same
NOTHING_TOLD = (
    "the model it is trained beside says the same of every row and takes off no more than how common each label is: "
    "as good as plain training"
)


def fit_beside(
    biased: Floats, fresh: Fresh, data: Training, *, seed: int, watch: Watch | None, tell: Tell
) -> Classifier:
    """A classifier trained in product with what a biased model says, (n, labels): it learns what that one leaves over."""
    if says_nothing(biased):
        tell(NOTHING_TOLD)
    objective = CrossEntropy(data.targets(), offsets=np.log(biased))
    return fresh(seed).fit(data.labelled, objective=objective, validation=data.validation, watch=watch)


def ngrams(
    texts: Sequence[str], *, longest: int = 2, fewest: int = 5, keep: Sequence[Sequence[str]] = ()
) -> csr_matrix:
    """Texts x n-grams of up to `longest` words that stand in at least `fewest` texts: 1 where a text has one.

    keep: phrases that are real signal; n-grams about them are left out.

    >>> ngrams(["it is not", "it is", "so it is"], fewest=3).toarray().tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    of_text = [
        _ngrams(tokens, longest) for tokens in tokenize_column(pl.Series(list(texts), dtype=pl.String))
    ]
    often = Counter(ngram for found in of_text for ngram in found)
    wanted = (n for n, count in often.items() if count >= fewest and not is_real_signal(n.split(), keep))
    column = {ngram: i for i, ngram in enumerate(sorted(wanted))}
    known = [sorted(column[ngram] for ngram in found if ngram in column) for found in of_text]
    starts = np.cumsum([0, *map(len, known)])
    columns = np.array([number for found in known for number in found], np.int64)
    return csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(of_text), len(column)))


def telling_features(data: Training) -> csr_matrix:
    """What the text alone can tell of a pair's label; of a single text's, the shortcuts that were found.

    Where some were looked for in single texts and none found, there is nothing to tell: the n-grams are the real signal then.
    """
    if not data.is_pairs and data.shortcuts is not None:
        return data.shortcuts
    return ngrams(data.labelled.inputs.texts, keep=data.keep)


def folds(data: Labelled, n: int, *, seed: int) -> Ints:
    """For each row which of n parts it is in: rows with the same text or context together, labels spread evenly.

    Datasets of pairs have one context for several labels. A model that has seen it with one label takes its words for a sign
    of that label, and is wrong about the row that was left out, whatever its text.
    """
    group = _numbers(data.inputs.texts)
    if data.inputs.contexts is not None:
        linked = _linked(group, _numbers(data.inputs.contexts))
        if n * np.bincount(linked).max() <= len(linked):  # or one part would hold more than its share
            group = linked
    _, first = np.unique(group, return_index=True)
    shuffled = np.random.default_rng(seed).permutation(len(first))
    by_label = shuffled[np.argsort(np.array(data.labels)[first[shuffled]], kind="stable")]
    fold = np.empty(len(first), np.int64)
    fold[by_label] = np.arange(len(first)) % n
    return fold[group]


def held_out(ask: Ask, fold: Ints, n_labels: int) -> Floats:
    """Probabilities of each row by a model trained on the other parts, none below `LEAST`.

    ask: given rows to learn from and rows to tell, the numbers of the labels it learned and their probabilities.
    """
    told = np.zeros((len(fold), n_labels))
    for part in np.unique(fold):
        rows = np.flatnonzero(fold == part)
        labels, probabilities = ask(np.flatnonzero(fold != part), rows)
        told[np.ix_(rows, labels)] = probabilities
    return at_least(told)


def probabilities(
    data: Training, features: csr_matrix, *, strength: float, sparse: bool = False, n_folds: int, seed: int
) -> Floats:
    """(n, labels): what a logistic regression over the features says of rows that it has not seen."""
    targets = data.targets()
    if features.shape[1] == 0:
        features = csr_matrix((len(data.labelled), 1))  # all it can say is how often each label comes

    def ask(learn: Ints, tell: Ints) -> tuple[Ints, Floats]:
        model = logistic(features[learn], targets[learn], strength=strength, sparse=sparse)
        return model.classes_, model.predict_proba(features[tell])

    by_text = Labelled(data.labelled.inputs.text_only(), data.labelled.labels)  # nothing else is shown
    return held_out(ask, folds(by_text, n_folds, seed=seed), int(targets.max()) + 1)


def logistic(
    features: csr_matrix, targets: Ints, *, strength: float, sparse: bool = False
) -> LogisticRegression:
    """A logistic regression with an L2 penalty, or with an L1 penalty where `sparse`; strength: scikit-learn's C."""
    if len(np.unique(targets)) < 2:
        raise SettingError(
            "A model that knows only the shortcut is asked about texts it has not seen, and without some of them only one label "
            "was left to learn from. Use rows with at least two different texts for each label."
        )
    if not sparse:
        return LogisticRegression(C=strength, max_iter=500).fit(features, targets)
    # scikit-learn 1.8 took another name for it. liblinear is the quick solver and knows two labels only.
    l1 = {"l1_ratio": 1.0} if LogisticRegression().l1_ratio is not None else {"penalty": "l1"}
    if len(np.unique(targets)) == 2:
        return LogisticRegression(C=strength, solver="liblinear", random_state=0, **l1).fit(features, targets)
    model = LogisticRegression(C=strength, solver="saga", tol=1e-3, max_iter=500, random_state=0, **l1)
    return model.fit(features, targets)


def says_nothing(told: Floats) -> bool:
    """Whether a model says the same of every row: nothing is left out by training beside it.

    >>> says_nothing(np.array([[0.5, 0.5], [0.51, 0.49]])), says_nothing(np.array([[0.5, 0.5], [0.8, 0.2]]))
    (True, False)
    """
    return bool((np.abs(told - told.mean(axis=0)) < SAME).all())


def at_least(probabilities: Floats, least: float = LEAST) -> Floats:
    """The probabilities mixed with so much of an even guess that none is below `least`; rows still sum to one."""
    probabilities = probabilities / probabilities.sum(axis=1, keepdims=True)
    return (1 - probabilities.shape[1] * least) * probabilities + least


def _numbers(texts: Sequence[str]) -> Ints:
    """For each text the number of its kind, without gaps."""
    return np.unique(np.array(texts, object), return_inverse=True)[1].astype(np.int64)


def _linked(texts: Ints, contexts: Ints) -> Ints:
    """For each row the number of its group: rows that share a text or a context, directly or by way of others."""
    n_texts = int(texts.max()) + 1
    n = n_texts + int(contexts.max()) + 1
    links = csr_matrix((np.ones(len(texts)), (texts, n_texts + contexts)), shape=(n, n))
    return np.unique(connected_components(links, directed=False)[1][texts], return_inverse=True)[1].astype(
        np.int64
    )


def _ngrams(tokens: Sequence[str], longest: int) -> set[str]:
    return {" ".join(tokens[i : i + n]) for n in range(1, longest + 1) for i in range(len(tokens) - n + 1)}
