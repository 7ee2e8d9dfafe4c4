"""From counts to findings: score everything, keep what is real, join what says the same thing.

    detectors count  ->  p of every pattern  ->  one q over all of them  ->  the strongest  ->  groups, examples

Rows that repeat a text or share a context are not independent. p, intervals and ranks take that into account (`clusters.py`): a pattern
that is not significant even if rows were independent is not looked at again; the others are scored by their design effect.

Patterns are ranked by what a model gains about their label by knowing them, in nats, and not by p: a frequent word with
a slight lean has a tiny p and little to give. Besides the strongest, the surest are kept: rare patterns that nearly
always come with one label ("10/10", an actor's name), by the low end of their share's interval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

import numpy as np
from scipy.sparse import csr_matrix, hstack, vstack

from longway.arrays import Bools, Floats, Ints
from longway.detect.clusters import FEW, Clusters, Grouping, effects
from longway.detect.detector import Description, Detector, Features
from longway.detect.groups import Together, explained_by_words, group_patterns
from longway.detect.levels import detectors_for
from longway.detect.reading import TEXT, Reading, ReadingPart
from longway.detect.words import SufficientDetector, TokenDetector
from longway.levels import CONCEPT, GRAMMAR
from longway.records import Finding, Pattern
from longway.stats import Scores, q_values, score_counts

if TYPE_CHECKING:
    from longway.detect.concepts.detector import ConceptDetector
    from longway.detect.grammar import GrammarDetector
    from longway.models.importance.sufficient_words import Sufficient


LONGEST_NAME = 200  # characters of a pattern; a token can be a megabyte
KEPT_IDS = 20  # supporting and counter-examples kept for each finding
PER_LEVEL = 100  # strongest patterns kept for each level and column; as many of the surest are kept too

MIN_ROWS = 2  # wrong answers that a set of words must be sufficient for


@dataclass(frozen=True, slots=True)
class Chosen:
    """A pattern worth telling about: where it came from, its scores, and examples by their place in the reading.

    leader: the place in the list of the pattern that says the same thing best; its own where it is that pattern.
    """

    detector: Detector
    key: int
    description: Description
    finding: Finding
    supporting: list[int] = field(default_factory=list)
    counter: list[int] = field(default_factory=list)
    leader: int = 0


@dataclass(frozen=True, slots=True)
class Tests:
    """All patterns that one detector tested, by key, with p and q of each. is_for_all: whether it looked at all examples."""

    detector: Detector
    keys: Ints
    p: Floats
    q: Floats
    is_for_all: bool = True


@dataclass(frozen=True, slots=True)
class Search:
    """Everything a search gave: the chosen patterns, strongest first, and how many were tested and significant.

    significant_rows: how many would be significant if every row were an independent observation.
    """

    chosen: list[Chosen]
    tested: dict[str, int]
    significant: dict[str, int]
    significant_rows: int
    tests: list[Tests]


@dataclass(frozen=True, slots=True)
class Counted:
    """What one detector counted. p_rows: p of each pattern if every row were an independent observation; scores: as the rows are."""

    detector: Detector
    features: Features
    p_rows: Floats
    scores: Scores
    effect: Floats


def search(
    reading: Reading,
    *,
    detectors: Sequence[Detector] | None = None,
    clusters: Clusters | None = None,
    max_q: float = 0.05,
    per_level: int = PER_LEVEL,
    step: Callable[[str], object] = lambda name: None,
) -> Search:
    """The patterns that are tied to a label beyond chance.

    detectors: those to look with; without, all that apply. clusters: which rows belong together, if that is known.
    per_level: how many of the strongest are kept of each level and column; as many of the surest are kept too.
    """
    step("looking for rows that belong together")
    clusters = Clusters.of(reading) if clusters is None else clusters
    groupings = clusters.groupings(reading)
    counted: list[Counted] = []
    for detector in detectors_for(reading) if detectors is None else detectors:
        step(f"looking at {detector.level} in {detector.field}")
        counted.append(_count(reading, detector, clusters, groupings, max_q))
    simpler = [one for one in counted if one.detector.level not in (GRAMMAR, CONCEPT)]
    for place, one in enumerate(counted):
        if one.detector.level == CONCEPT:
            from longway.detect.concepts.beyond import beyond_others

            counted[place] = beyond_others(reading, one, simpler, max_q)
    q = q_values(np.concatenate([np.zeros(0), *(one.scores.p for one in counted)]))
    q_rows = q_values(np.concatenate([np.zeros(0), *(one.p_rows for one in counted)]))
    parts = np.split(q, np.cumsum([len(one.p_rows) for one in counted]))
    tested: dict[str, int] = {}
    significant: dict[str, int] = {}
    chosen: list[Chosen] = []
    tests: list[Tests] = []
    for one, its_q in zip(counted, parts, strict=False):  # behind the last one there is an empty part
        real, level = its_q <= max_q, one.detector.level
        tested[level] = tested.get(level, 0) + len(real)
        significant[level] = significant.get(level, 0) + int(real.sum())
        tests.append(Tests(one.detector, one.features.keys, one.scores.p, its_q, one.features.rows is None))
        chosen += _strongest(reading, one, its_q, real, per_level)
    sampled = {id(one.detector) for one in counted if one.features.rows is not None}
    step("joining patterns that say the same")
    # Of equals the longer leads: "dana whitlock" before "dana" and "whitlock". What was counted in a sample leads nothing that was
    # counted in all examples: of those outside of the sample it knows nothing. Nor does the grammar lead words.
    chosen.sort(
        key=lambda c: (
            c.detector.level == CONCEPT,
            id(c.detector) in sampled or c.detector.level == GRAMMAR,
            -c.finding.gain,
            -len(c.description.phrase),
            c.finding.pattern.name,
        )
    )
    first = {id(one.detector): clusters.is_first(one.detector.role, one.features.rows) for one in counted}
    with_groups = _with_groups_and_examples(reading, chosen, first)
    return Search(with_groups, tested, significant, int((q_rows <= max_q).sum()), tests)


def _count(
    reading: Reading, detector: Detector, clusters: Clusters, groupings: Sequence[Grouping], max_q: float
) -> Counted:
    """groupings: of all rows."""
    features = detector.count(reading)
    rows = features.rows
    totals = reading.totals if rows is None else np.bincount(reading.labels[rows], minlength=reading.n_labels)
    scores = score_counts(features.counts, totals)
    # A pattern that is not significant with every row counted is not with fewer observations either.
    wanted = (scores.p <= max_q) | (len(scores.p) <= FEW)
    related = groupings if rows is None else clusters.groupings(reading, rows)
    effect = effects(reading, detector, features, related, wanted)
    p_rows = scores.p
    if (effect > 1).any():
        scores = score_counts(features.counts, totals, effect)
    return Counted(detector, features, p_rows, scores, effect)


def presence(chosen: Sequence[Chosen], reading: Reading) -> csr_matrix:
    """Which rows of a reading have which of these patterns: (rows, patterns), zeros and ones.

    The reading must share the vocabulary the patterns were searched in, and the vocabulary must have had all words before the search.
    """
    nothing = csr_matrix((0, len(chosen)), dtype=np.int64)
    parts = [_presence(piece, chosen) for piece in reading.pieces()]
    return csr_matrix(vstack([nothing, *parts], format="csr"))


def _strongest(reading: Reading, counted: Counted, q: Floats, real: Bools, n: int) -> list[Chosen]:
    detector, features, scores = counted.detector, counted.features, counted.scores
    places = np.flatnonzero(real)
    strongest = places[np.argsort(-scores.gain[places], kind="stable")[:n]]
    surest = places[np.argsort(-scores.share_low[places], kind="stable")[:n]]
    result = []
    for i in np.union1d(strongest, surest).tolist():
        description = detector.describe(int(features.keys[i]))
        finding = finding_of(reading, description.pattern, scores, i, q=float(q[i]))
        finding = replace(finding, effect=float(counted.effect[i]))
        result.append(Chosen(detector, int(features.keys[i]), description, finding))
    return result


def finding_of(reading: Reading, pattern: Pattern, scores: Scores, i: int, *, q: float) -> Finding:
    """The finding of a pattern with the scores at index i, without ids and example."""
    return Finding(
        pattern=pattern.shortened(LONGEST_NAME),
        label=reading.label_names[int(scores.label[i])],
        majority_label=reading.label_names[int(scores.majority[i])],
        count=int(scores.count[i]),
        q=q,
        label_share=float(scores.label_share[i]),
        share_low=float(scores.share_low[i]),
        base_rate=float(scores.base_rate[i]),
        points=float(scores.points[i]),
        gain=float(scores.gain[i]),
        mutual_information=float(scores.mutual_information[i]),
        z=float(scores.z[i]),
        pmi=float(scores.pmi[i]),
        lmi=float(scores.lmi[i]),
        p=float(scores.p[i]),
    )


def _with_groups_and_examples(
    reading: Reading, chosen: list[Chosen], first: Mapping[int, Bools]
) -> list[Chosen]:
    """first: by id of a detector, which rows have a text that no row before has."""
    labels = np.array([reading.label_names.index(c.finding.label) for c in chosen], dtype=np.int64)
    n_label = reading.totals[labels]
    detectors = np.array([id(c.detector) for c in chosen])
    n = len(chosen)
    both, own = np.zeros((n, n), dtype=np.int64), np.zeros((n, n), dtype=np.int64)
    texts = np.zeros(n, dtype=np.int64)
    supporting, counter = [list[int]() for _ in chosen], [list[int]() for _ in chosen]
    for piece in reading.pieces():
        present = _presence(piece, chosen)
        agrees = piece.labels[:, None] == labels
        with_label = csr_matrix(present.multiply(agrees))
        both += (present.T @ present).toarray()
        own += (with_label.T @ with_label).toarray()
        _keep(supporting, with_label, piece.start)
        _keep(counter, csr_matrix(present.multiply(~agrees)), piece.start)
        for detector in np.unique(detectors).tolist():
            mine, is_first = detectors == detector, first[detector]
            new = present[is_first[piece.start : piece.start + piece.n_texts]][:, mine]
            texts[mine] += np.asarray(new.sum(axis=0)).ravel()
    effect = np.array([c.finding.effect for c in chosen])
    together = Together(both, own, n_label, reading.n_texts, effect)
    explained = _explained(reading, chosen, labels, effect)
    of_concepts: dict[int, int] = {}
    if any(c.detector.level == CONCEPT for c in chosen):
        from longway.detect.concepts.beyond import concept_leaders

        of_concepts = concept_leaders(reading, chosen)
    alone = explained.keys() | of_concepts.keys()
    keys = [
        (label, chosen[i].detector.level == GRAMMAR, i if i in alone else None)
        for i, label in enumerate(labels.tolist())
    ]
    leader_of = group_patterns([c.description for c in chosen], keys, together)
    for phrase, word in explained.items():
        leader_of[phrase] = leader_of[word]
    for concept, leader in of_concepts.items():
        leader_of[concept] = leader
    # A text counts by its words. If only a later copy shows the pattern, by its case or spacing, there is at least one text.
    texts = np.maximum(texts, 1)
    return [
        replace(
            c,
            finding=replace(c.finding, texts=min(int(texts[i]), c.finding.count)),
            supporting=_typical(reading, c, supporting[i], is_own=True),
            counter=_typical(reading, c, counter[i], is_own=False),
            leader=leader_of[i],
        )
        for i, c in enumerate(chosen)
    ]


def _typical(reading: Reading, chosen: Chosen, first: list[int], *, is_own: bool) -> list[int]:
    """Tested rows with a concept that have its label, or another one, the most typical first; of other patterns, the first rows that were seen."""
    if chosen.detector.level != CONCEPT:
        return first
    detector = cast("ConceptDetector", chosen.detector)
    label = reading.label_names.index(chosen.finding.label)
    wanted = (reading.labels[detector.places] == label) == is_own
    return detector.examples(chosen.key, wanted)[:KEPT_IDS].tolist()


def _explained(reading: Reading, chosen: Sequence[Chosen], labels: Ints, effect: Floats) -> dict[int, int]:
    """For each pattern of the grammar that a simpler one explains, the place of the latter; counted in the examples that were parsed."""
    parsed = [cast("GrammarDetector", c.detector) for c in chosen if c.detector.level == GRAMMAR]
    if not parsed or all(c.detector.level in (GRAMMAR, CONCEPT) for c in chosen):
        return {}
    places = parsed[0].places
    present = _side_by_side(
        chosen, len(places), lambda detector, keys: detector.matrix_of(reading, keys, places)
    )
    is_grammar = np.array([c.detector.level == GRAMMAR for c in chosen])
    patterns = [c.description for c in chosen]
    return explained_by_words(patterns, present, reading.labels[places], labels, is_grammar, effect)


def _keep(kept: list[list[int]], present: csr_matrix, start: int) -> None:
    """Put the first rows of a piece with each pattern behind those of the pieces before, as long as there is room."""
    columns = present.tocsc()
    columns.eliminate_zeros()
    for places, low, high in zip(kept, columns.indptr, columns.indptr[1:], strict=False):
        more = columns.indices[low:high][: KEPT_IDS - len(places)]
        places.extend((more + start).tolist())


def _presence(piece: ReadingPart, chosen: Sequence[Chosen]) -> csr_matrix:
    """Examples of the piece x chosen patterns."""
    return _side_by_side(chosen, piece.n_texts, lambda detector, keys: detector.matrix(piece, keys))


def _side_by_side(
    chosen: Sequence[Chosen], n_rows: int, matrix_of: Callable[[Detector, Ints], csr_matrix]
) -> csr_matrix:
    """Examples x chosen patterns; each detector computes the columns of its patterns together."""
    by_detector: dict[int, list[int]] = {}
    for i, c in enumerate(chosen):
        by_detector.setdefault(id(c.detector), []).append(i)
    parts, order = [csr_matrix((n_rows, 0), dtype=np.int64)], list[int]()
    for places in by_detector.values():
        keys = np.array([chosen[i].key for i in places], dtype=np.int64)
        parts.append(matrix_of(chosen[places[0]].detector, keys))
        order += places
    back = np.argsort(np.array(order, dtype=np.int64), kind="stable")
    return csr_matrix(hstack(parts, format="csr")[:, back]).astype(np.int64)


def recurring_sets(
    found: Iterable[Sufficient | None], *, min_rows: int = MIN_ROWS
) -> dict[tuple[str, ...], int]:
    """The sets that are enough for at least so many wrong answers, most first; words in order of the alphabet.

    Answers that the model gives to no words at all do not count: there any set would do.
    """
    misled = (one for one in found if one is not None and not one.by_default)
    counts = Counter(tuple(sorted(set(one.words))) for one in misled)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {words: n for words, n in ordered if n >= min_rows}


def recurring(
    reading: Reading,
    found: Iterable[Sufficient | None],
    *,
    role: str = TEXT,
    max_q: float = 0.05,
    min_rows: int = MIN_ROWS,
) -> list[Chosen]:
    """The sets that recur and are tied to a label over the whole dataset, strongest first."""
    sets = list(recurring_sets(found, min_rows=min_rows))
    if not sets:
        return []
    detectors: list[Detector] = [TokenDetector(reading, role), SufficientDetector(reading, role, sets)]
    chosen = search(reading, detectors=detectors, max_q=max_q).chosen
    return [one for one in chosen if one.detector.level == SufficientDetector.level]
