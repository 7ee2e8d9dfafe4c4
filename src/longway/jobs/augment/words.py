"""Principal and spurious words of each row (CoBA, sections 3.2 and 3.3.2), and how well they predict the label.

    rows -> an ensemble of classifiers -> top words of each -> a vote -> Important for each row
                                                            -> overlap (Table 1), parts of speech (Table 2)

`words_by_engine` lets an engine name the words instead (the paper's "LLM-identification").
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from longway.engines.engine import Sampling
from longway.engines.prompt import identify_prompt
from longway.errors import DataError, TrainingError
from longway.jobs.augment.result import WordAnalysis
from longway.jobs.run import Watcher
from longway.jobs.workload import Workload
from longway.methods.coba.votes import Important, vote, votes_needed
from longway.methods.loop import AskEngine, Refused, ask_structured
from longway.methods.method import Rows
from longway.metrics.versions import WordInformation, compare_word_information
from longway.models.classifier import Inputs, Labelled
from longway.models.ensemble import Ensemble
from longway.models.importance import MaskableText, WordScores
from longway.models.importance.top_words import overlap, parts_of_speech
from longway.records import Example
from longway.report.numbers import approximate_time
from longway.store import WORDS, Journal, JournalEntry
from longway.text.tokenizer import PLAIN, Tokenizer

ANALYSED = 500  # texts whose words the tables compare
WORDS_MEASURED = 200  # spurious words that are measured before and after, the most frequent
AT_ONCE = 64
TIMED_TRAINING, TIMED = 64, 4  # texts that a model is trained on, and explains, to time it


@dataclass(frozen=True, slots=True)
class Words:
    """The important words of each row, and what the report says about them."""

    important: list[Important]
    analysis: WordAnalysis


@dataclass(frozen=True, slots=True)
class TopWords:
    """The words that one model relies on, as the journal stores them: top words per row, and their places in some rows.

    context_top: those of the contexts, among the same k words of a row; empty if contexts stay as they are.
    """

    top: list[list[str]]
    places: list[list[int]]
    context_top: list[list[str]] = field(default_factory=list)


def labelled(rows: Rows) -> Labelled:
    """The rows as classifiers take them."""
    return Labelled(
        Inputs(list(rows.texts), rows.contexts, rows.tokenizer), [rows.label(i) for i in range(len(rows))]
    )


def words_by_models(
    rows: Rows,
    ensemble: Ensemble,
    *,
    k: int = 5,
    method: str = "ig",
    given: Iterable[str] = (),
    contexts: bool = False,
    journal: Journal | None = None,
    watcher: Watcher | None = None,
) -> Words:
    """The vote of an ensemble's models on each row's words.

    k: words per model. method: ig, lime or shapley. given: as in `vote`. contexts: the k words are those of context and text together,
    as both may change. journal: stores the words of each model.
    """
    watcher, journal = watcher or Watcher(), Journal(None) if journal is None else journal
    needed = votes_needed(len(ensemble.names))
    both = contexts and rows.contexts is not None
    tops: list[list[list[str]]] = []  # by model, by row
    context_tops: list[list[list[str]]] = []
    scores: dict[str, list[WordScores]] = {}
    analysed = np.sort(np.random.default_rng(ensemble.seed).permutation(len(rows))[:ANALYSED]).tolist()
    work = _vote_work(ensemble, method, journal, watcher, n=len(rows) * (1 + both))
    for number, name in enumerate(ensemble.names, 1):
        work.begin(name, f"vote, model {number} of {len(ensemble.names)}: {name}", len(rows) * (1 + both))
        advance = _counting(work, len(rows) * (1 + both))
        found = _top_words(ensemble, name, k, method, analysed, journal, advance, contexts=both)
        work.did(len(rows) * (1 + both))
        tops.append(found.top)
        context_tops.append(found.context_top)
        scores[name] = [
            _scores(rows.texts[row], places, rows.tokenizer)
            for row, places in zip(analysed, found.places, strict=True)
        ]
    known = [known_words(given, rows.label(row), rows.tokenizer) for row in range(len(rows))]
    important = [
        vote(each, votes=needed, given=words, words=rows.tokenizer.tokens(text) if words else ())
        for words, text, each in zip(known, rows.texts, zip(*tops, strict=True), strict=True)
    ]
    if both:
        important = [
            replace(one, context=vote(each, votes=needed, given=words, words=rows.tokenizer.tokens(context)))
            for one, words, context, each in zip(
                important, known, rows.contexts or (), zip(*context_tops, strict=True), strict=True
            )
        ]
    return Words(
        important,
        _analysis(ensemble.names, scores, [rows.texts[row] for row in analysed], important, k, needed),
    )


def words_by_engine(
    rows: Rows, ask: AskEngine, *, k: int = 5, given: Iterable[str] = (), seed: int = 0
) -> Words:
    """The words that an engine names as principal and spurious; rows without a usable answer have none."""
    important: list[Important] = []
    refusals: Counter[str] = Counter()
    for start in range(0, len(rows), AT_ONCE):
        part = range(start, min(start + AT_ONCE, len(rows)))
        prompts = [
            identify_prompt(rows.task, rows.texts[row], label=rows.label(row), k=k, context=rows.context(row))
            for row in part
        ]
        samplings = [Sampling(temperature=0.0, seed=seed)] * len(prompts)
        answers = ask_structured(ask, prompts, samplings, [prompt.read for prompt in prompts])
        for row, found in zip(part, answers, strict=True):
            if isinstance(found, Refused):
                refusals[found.reason] += 1
                found = (), ()
            context, known = rows.context(row), set(known_words(given, rows.label(row), rows.tokenizer))
            of_context = None if context is None else _words_in(context, found, known, rows.tokenizer)
            important.append(
                replace(_words_in(rows.texts[row], found, known, rows.tokenizer), context=of_context)
            )
    return Words(important, WordAnalysis(k=k, refusals=dict(refusals.most_common())))


def _words_in(
    text: str, found: tuple[Iterable[str], Iterable[str]], known: set[str], tokenizer: Tokenizer
) -> Important:
    """The named words that a text has. found: principal and spurious ones. known: words that are spurious in any case."""
    in_text = set(tokenizer.tokens(text))
    principal, spurious = ([word.lower() for word in words if word.lower() in in_text] for words in found)
    spurious += sorted(known & in_text - set(spurious))
    return Important(tuple(word for word in principal if word not in known), tuple(spurious))


def known_words(given: Iterable[str], label: str | None = None, tokenizer: Tokenizer = PLAIN) -> list[str]:
    r"""The words that the user named as spurious, for rows of a label, or for all.

    given: words or phrases, with a tab and a label if they are for rows of that label only.

    >>> known_words(["sadly", "he said\tbad"], "bad"), known_words(["sadly", "he said\tbad"], "good")
    (['sadly', 'he', 'said'], ['sadly'])
    """
    pairs = (phrase.partition("\t")[::2] for phrase in given)
    chosen = (phrase for phrase, of in pairs if label is None or of in ("", label))
    return list(dict.fromkeys(word for phrase in chosen for word in tokenizer.tokens(phrase)))


def read_spurious_words(path: Path, labels: Collection[str]) -> tuple[str, ...]:
    """The words in a file, as `known_words` takes them: one per line, or with a comma or tab and a label. Skips comments (#) and a header."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"The spurious words in {path} cannot be read: {error}. Expected a UTF-8 text file. Check 'spurious_words'."
        ) from None
    found = []
    for number, line in enumerate(lines, 1):
        word, _, label = (part.strip() for part in line.replace(",", "\t", 1).partition("\t"))
        if not word or word.startswith("#") or (number == 1 and word.lower() == "word"):
            continue
        if label and label not in labels:
            raise DataError(
                f"Line {number} of {path} has the label {label!r}. Expected one of {', '.join(labels)}, or no second column."
            )
        found.append(f"{word}\t{label}" if label else word)
    if not found:
        raise DataError(f"{path} has no words. Expected one per line. Check 'spurious_words'.")
    return tuple(found)


def words_before_and_after(
    rows: Rows, added: Sequence[Example], important: Sequence[Important]
) -> tuple[WordInformation, ...]:
    """How well the most frequent spurious words predicted the label, and do now; the strongest first."""
    counts = Counter(word for each in important for word in each.spurious)
    words = [word for word, _ in counts.most_common(WORDS_MEASURED)]
    labels = [rows.label(row) for row in range(len(rows))]
    texts = [*rows.texts, *(example.text for example in added)]
    after = texts, [*labels, *(example.label for example in added)]
    return tuple(compare_word_information(words, (rows.texts, labels), after, rows.tokenizer))


def _top_words(
    ensemble: Ensemble,
    name: str,
    k: int,
    method: str,
    analysed: Sequence[int],
    journal: Journal,
    advance: Callable[[int], None],
    *,
    contexts: bool,
) -> TopWords:
    """What one model relies on; a resumed run finds it in the journal."""
    key = f"words {name}"
    if (kept := journal.get(key)) is not None:
        return TopWords(**kept)
    scores = ensemble.word_scores(name, method=method, progress=advance)
    top, context_top = [one.top(k) for one in scores], []
    if contexts:
        of_contexts = ensemble.word_scores(name, method=method, field="context", progress=advance)
        both = [top_of_both(text, context, k) for text, context in zip(scores, of_contexts, strict=True)]
        top, context_top = [one for one, _ in both], [one for _, one in both]
    found = TopWords(top, [scores[row].top_places(k) for row in analysed], context_top)
    journal.put(JournalEntry(key, kind=WORDS, engine=name, answer=asdict(found)))
    return found


def top_of_both(text: WordScores, context: WordScores, k: int) -> tuple[list[str], list[str]]:
    """The words of a text and of its context that are among the k most important ones of the two together."""
    ranked = sorted(
        [
            (-side.scores[place], number, place)
            for number, side in enumerate((text, context))
            for place in side.top_places(k)
        ]
    )[:k]
    first, second = (
        [side.words[place] for _, number, place in ranked if number == which]
        for which, side in enumerate((text, context))
    )
    return first, second


def _vote_work(ensemble: Ensemble, method: str, journal: Journal, watcher: Watcher, *, n: int) -> Workload:
    """The work of the vote, one part per text and model, after saying what it is and about how long it takes.

    Each model is timed on a few rows. n: texts and contexts that each model explains.
    """
    waiting = [name for name in ensemble.names if journal.get(f"words {name}") is None]
    seconds = {}
    for name in waiting:
        watcher.step(f"timing {name} on a few texts")
        with suppress(
            TrainingError
        ):  # a model of one's own may need more rows than these; then its time is not known
            seconds[name] = _seconds_per_text(ensemble, name, method)
    if waiting:
        total = approximate_time(n * sum(seconds.values()))
        watcher.say(
            f"The vote of {', '.join(waiting)} on what the words of {n:,} texts are worth: each is trained {ensemble.n_folds} times and "
            f"explains every text by {method}; about {total}."
        )
    return Workload(watcher, dict.fromkeys(waiting, float(n)), guesses=seconds)


def _seconds_per_text(ensemble: Ensemble, name: str, method: str) -> float:
    """The seconds that training on a text and explaining it take, from a few texts."""
    drawn = np.random.default_rng(ensemble.seed).permutation(len(ensemble.data))[:TIMED_TRAINING].tolist()
    one_of_each = {label: row for row, label in enumerate(ensemble.data.labels)}.values()
    trained = sorted({*drawn, *one_of_each})
    small = Ensemble(
        ensemble.data.take(np.array(trained)),
        [name],
        folds=1,
        tuning=ensemble.tuning,
        seed=ensemble.seed,
        device=ensemble.device,
    )
    started = time.perf_counter()
    small.model(name, 0)
    fitted = time.perf_counter()
    explained = list(range(min(TIMED, len(trained))))
    small.word_scores(name, method=method, rows=explained)
    each = (time.perf_counter() - fitted) / max(len(explained), 1)
    # All folds but one are trained on; with one fold, everything is.
    times = max(ensemble.n_folds - 1, 1)
    return each + times * (fitted - started) / max(len(trained), 1)


def _counting(work: Workload, total: int) -> Callable[[int], None]:
    done = 0

    def advance(more: int) -> None:
        nonlocal done
        done += more
        work.inside(done, total)

    return advance


def _scores(text: str, places: Sequence[int], tokenizer: Tokenizer) -> WordScores:
    """Scores with the same top words, as `overlap` and `parts_of_speech` need them."""
    words = MaskableText.of(text, tokenizer)
    values = np.zeros(len(words))
    values[list(places)] = np.arange(len(places), 0, -1)
    return WordScores(words.words, words.spans, values, "")


def _analysis(
    names: Sequence[str],
    scores: dict[str, list[WordScores]],
    texts: Sequence[str],
    important: Sequence[Important],
    k: int,
    needed: int,
) -> WordAnalysis:
    return WordAnalysis(
        models=tuple(names),
        votes=needed,
        k=k,
        texts=len(texts),
        overlap=overlap(scores, k=k) if len(names) > 1 else None,
        principal_words=float(np.mean([len(one.principal) for one in important])) if important else 0.0,
        spurious_words=float(np.mean([len(one.spurious) for one in important])) if important else 0.0,
        parts_of_speech=parts_of_speech(scores, texts, k=k),
    )
