"""The concept level of an audit: topics and tones that predict the label beyond words, in a sample of the rows.

    a sample of rows  ->  vectors of each column  ->  concepts of some of them  ->  counted and tested in the others, by `detect.findings`

Rows that share a text or a context are on the same side, unless that links more than a fifth of the rows: then those that share the text of the column. The sample bounds time and memory: 2,000 sentences take half a minute
of processor time, most of it for the encoder. Where it is not installed or there are too few rows or different texts, the level is left out and the
audit says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from longway.data import Dataset
from longway.data.dataset import examples_at
from longway.detect.clusters import Clusters
from longway.detect.leak import FEWEST_GROUPS, LARGEST_GROUP, linked_rows, word_features
from longway.detect.reading import TEXT, Reading
from longway.errors import LongwayError, MissingExtra
from longway.language_names import ENGLISH, name_of
from longway.languages.dataset import described
from longway.models.folds import folds_of
from longway.models.multilingual import LANGUAGES, MINILM, MULTILINGUAL, Multilingual, encoder_for
from longway.models.nbsvm import NbSvm
from longway.records import Problem
from longway.report.numbers import counted

if TYPE_CHECKING:
    from longway.detect.concepts.concepts import Concepts
    from longway.detect.concepts.detector import ConceptDetector

MAX_ROWS = 10_000
AUTO = "auto"  # the embedded encoder that knows the languages of the data
FILES = "concepts-{}.safetensors"  # by role
VECTORS = "vectors.sqlite"  # in the run folder
FEWEST = 500  # rows; fewer show no concept that a test could confirm
FEWEST_TEXTS = 100  # different texts of a column, and rows that concepts are made from
MADE_FROM = 0.25  # share of the rows; the others are tested
FOLDS = 5

Ints = NDArray[np.int64]
Step = Callable[[str], object]


def concept_detectors(
    dataset: Dataset,
    reading: Reading,
    clusters: Clusters,
    *,
    seed: int,
    encoder: str = AUTO,
    folder: Path | None = None,
    step: Step = lambda name: None,
) -> tuple[list[ConceptDetector], list[Problem]]:
    """A detector for each column, and what the user should know about them.

    encoder: as in the settings of an audit. folder: keeps the concepts, and the vectors of texts between runs.
    """
    if reading.n_texts < FEWEST:
        message = (
            f"The concept level was left out: there are {reading.n_texts:,} rows, and it needs {FEWEST}."
        )
        return [], [Problem("no_concept", message, reading.n_texts, "Audit more rows to include it.")]
    languages, problems = reading.tokenizer.languages, list[Problem]()
    if encoder == AUTO:
        encoder, problems = chosen_encoder(languages, reading.n_texts)
    if (missing := missing_encoder(encoder)) is not None:
        problems = [
            _left_out(missing, "Install the encoder, or leave the level out: audit without --levels.")
        ]
    if not encoder or missing is not None:
        return [], problems
    from longway.detect.concepts.concepts import Concepts
    from longway.detect.concepts.detector import ConceptDetector, SampledRows, n_rows_with
    from longway.detect.concepts.vectors import TextVectors

    random = np.random.default_rng(seed)
    places = np.arange(reading.n_texts)
    if len(places) > MAX_ROWS:
        places = np.sort(random.choice(places, MAX_ROWS, replace=False))
    examples = examples_at(dataset, reading.rows[places])
    vectors = TextVectors(encoder, cache=None if folder is None else folder / VECTORS)
    found = []
    for role, column in reading.columns.items():
        texts = [(one.text if role == TEXT else one.context) or "" for one in examples]
        related = linked_rows(reading, places, (role,), clusters)
        is_tested = held_apart(related, random)
        if (few := _too_few(column, texts, related, is_tested)) is not None:
            problems.append(few)
            continue

        def progress(done: int, total: int, column: str = column) -> None:
            step(f"computing vectors of {column}: {done:,} of {total:,}")

        computed = vectors.of(texts, progress=progress)
        tokens = reading.block_of(role, places).spelled(reading.vocabulary.words)
        concepts = Concepts.make(
            computed[~is_tested],
            column=column,
            by=vectors,
            tokens=[tokens[row] for row in np.flatnonzero(~is_tested).tolist()],
            n_rows_with=n_rows_with(tokens),
            n_rows=len(places),
            seed=seed,
            tokenizer=reading.tokenizer,
            step=step,
        )
        step(f"comparing concepts with the words of {column}")
        surface = out_of_fold(reading, role, places, related, seed)[is_tested]
        found.append(
            ConceptDetector(reading, role, concepts, SampledRows(places, computed, is_tested, surface))
        )
    if folder is not None:
        for detector in found:
            detector.concepts.save(folder / FILES.format(detector.role))
    return found, problems + [_sample_problem(one, reading.n_texts) for one in found[:1]]


def chosen_encoder(languages: Sequence[str], n_texts: int) -> tuple[str, list[Problem]]:
    """The embedded encoder for these languages, "" if the level must be left out; and what the user should know."""
    readable = [one for one in languages if one in LANGUAGES]
    unknown = [name_of(one) for one in languages if one not in LANGUAGES]
    if readable and unknown:
        encoder, problems = chosen_encoder(readable, n_texts)
        message = f"The concept level reads texts in all languages, and its encoder does not know {' and '.join(unknown)}."
        advice = f"Trust concepts of rows in {' and '.join(map(name_of, readable))} only."
        return encoder, [*problems, Problem("unknown_language", message, n_texts, advice)]
    try:
        return encoder_for(languages), []
    except LongwayError as error:
        shares = dict.fromkeys(languages[:1], 1.0)
        if ENGLISH not in languages:
            why = f"The texts are in {described(shares)}, and {error}."
            first = "Install it, or name" if isinstance(error, MissingExtra) else "Name"
            return "", [_left_out(why, f"{first} an encoder of the language: --encoder NAME.")]
        message = f"The concept level reads texts in other languages with an encoder that knows English only: {error}."
        advice = "Install it, or trust concepts of English rows only."
        return MINILM, [Problem("english_encoder", message, n_texts, advice)]


def _left_out(why: str, advice: str) -> Problem:
    return Problem("no_concept", f"The concept level was left out. {why}", 1, advice)


def load_concepts(folder: Path) -> list[Concepts]:
    """The concepts of a run; `detect.where` knows them from then on. None if its audit left the level out."""
    from longway.detect.concepts.concepts import Concepts

    paths = sorted(folder.glob(FILES.format("*")))
    return [Concepts.load(path, cache=folder / VECTORS) for path in paths]


def held_apart(related: Ints, random: np.random.Generator) -> NDArray[np.bool_]:
    """Which rows concepts are tested in and not made from; rows with the same number are together. A group of more than a fifth of the rows is tested."""
    numbers, which = np.unique(related, return_inverse=True)
    order = random.permutation(len(numbers))
    sizes = np.bincount(which)[order]
    tested = np.zeros(len(numbers), dtype=bool)
    is_large = sizes > LARGEST_GROUP * sizes.sum()
    tested[order] = is_large | (np.cumsum(np.where(is_large, 0, sizes)) > MADE_FROM * sizes.sum())
    return np.asarray(tested[which])


def out_of_fold(reading: Reading, role: str, places: Ints, related: Ints, seed: int) -> NDArray[np.float64]:
    """Rows x labels: the scores of a bag of words that was trained on the other folds. related: rows with the same number are in one fold."""
    features = word_features([reading], (role,), [places])
    labels = reading.labels[places]
    fold = folds_of(related, FOLDS, seed=seed)
    scores = np.zeros((len(places), reading.n_labels))
    for k in range(FOLDS):
        test = fold == k
        if test.any() and not test.all():
            model = NbSvm(seed=seed).fit(features[~test], labels[~test])
            found = model.scores(features[test])
            if len(model.labels_) > 1:
                scores[np.ix_(test, model.labels_)] = found
    return scores


def missing_encoder(encoder: str = MINILM) -> str | None:
    """Why an embedded encoder cannot run; None if it can, and for others."""
    from longway.models.minilm import can_run, model_folder

    try:
        if encoder == MULTILINGUAL:
            Multilingual()
        if encoder != MINILM:
            return None
        model_folder()
        if not can_run():
            raise MissingExtra("onnxruntime", extra="local", purpose="the sentence encoder")
    except MissingExtra as error:
        return str(error)
    return None


def _too_few(
    column: str, texts: Sequence[str], related: Ints, is_tested: NDArray[np.bool_]
) -> Problem | None:
    """Why a column has no concepts, if its texts are too few or too many of them are linked."""
    different, groups, made = len(set(texts)), len(np.unique(related)), int((~is_tested).sum())
    if different < FEWEST_TEXTS:
        reason = f"it has {counted(different, 'different text')}, and needs {FEWEST_TEXTS}"
    elif groups < FEWEST_GROUPS:
        reason = (
            f"its rows form {groups:,} groups that share a text or a context, and it needs {FEWEST_GROUPS}"
        )
    elif made < FEWEST_TEXTS or not is_tested.any():
        reason = f"its largest groups of rows that share a text leave {made:,} rows to make concepts from, and it needs {FEWEST_TEXTS}"
    else:
        return None
    message = f"The concept level left out {column}: {reason}."
    return Problem("no_concept", message, len(texts), "Audit rows with more different texts to include it.")


def _sample_problem(detector: ConceptDetector, of: int) -> Problem:
    n, tested = len(detector.places), len(detector.tested)
    sample = f"a sample of {n:,} of {of:,} rows" if n < of else f"{n:,} rows"
    encoder = "" if detector.concepts.encoder == MINILM else f" with the encoder {detector.concepts.encoder}"
    message = f"The concept level read {sample}{encoder}: concepts were made from {n - tested:,} of them and counted in the other {tested:,}."
    return Problem(
        "sample",
        message,
        of - tested,
        "Nothing to do: concepts must be tested on rows they were not made from.",
    )
