"""Principal and spurious words of each row (CoBA, sections 3.2 and 3.3.2), and how well they predict the label.

    rows -> an ensemble of classifiers -> top words of each -> a vote -> Important for each row
                                                            -> overlap (Table 1), parts of speech (Table 2)

`words_by_engine` lets an engine name the words instead (the paper's "LLM-identification").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace

import numpy as np

from longway.engines.engine import Sampling
from longway.engines.prompt import identify_prompt
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
from longway.store import WORDS, Journal, JournalEntry
from longway.text.tokenizer import PLAIN, Tokenizer

ANALYSED = 500  # texts whose words the tables compare
WORDS_MEASURED = 200  # spurious words that are measured before and after, the most frequent
AT_ONCE = 64


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
    n_texts = len(rows) * (1 + both)
    waiting = [name for name in ensemble.names if journal.get(_key(name)) is None]
    work = Workload(watcher, dict.fromkeys(waiting, n_texts))
    for number, name in enumerate(ensemble.names, 1):
        work.begin(name, f"vote, model {number} of {len(ensemble.names)}: {name}", n_texts)
        advance = _counting(work, n_texts)
        found = _top_words(ensemble, name, k, method, analysed, journal, advance, contexts=both)
        work.did(n_texts)
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
    analysis = WordAnalysis(
        models=tuple(ensemble.names),
        votes=needed,
        k=k,
        texts=len(analysed),
        overlap=overlap(scores, k=k) if len(scores) > 1 else None,
        principal_words=float(np.mean([len(one.principal) for one in important])) if important else 0.0,
        spurious_words=float(np.mean([len(one.spurious) for one in important])) if important else 0.0,
        parts_of_speech=parts_of_speech(scores, [rows.texts[row] for row in analysed], k=k),
    )
    return Words(important, analysis)


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
    if (kept := journal.get(_key(name))) is not None:
        return TopWords(**kept)
    scores = ensemble.word_scores(name, method=method, progress=advance)
    top, context_top = [one.top(k) for one in scores], []
    if contexts:
        of_contexts = ensemble.word_scores(name, method=method, field="context", progress=advance)
        both = [top_of_both(text, context, k) for text, context in zip(scores, of_contexts, strict=True)]
        top, context_top = [one for one, _ in both], [one for _, one in both]
    found = TopWords(top, [scores[row].top_places(k) for row in analysed], context_top)
    journal.put(JournalEntry(_key(name), kind=WORDS, engine=name, answer=asdict(found)))
    return found


def _key(name: str) -> str:
    return f"words {name}"


def top_of_both(text: WordScores, context: WordScores, k: int) -> tuple[list[str], list[str]]:
    """The words of a text and of its context that are among the k most important ones of the two together."""
    sides = (text, context)
    places = [(number, place) for number, side in enumerate(sides) for place in side.top_places(k)]
    best = sorted(places, key=lambda at: -sides[at[0]].scores[at[1]])[:k]  # of equals the text's come first
    first, second = (
        [side.words[place] for at, place in best if at == number] for number, side in enumerate(sides)
    )
    return first, second


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
