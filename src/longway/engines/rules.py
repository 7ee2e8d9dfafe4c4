"""The rules engine: writes by grammatical rules, without a language model, and refuses if it is not sure.

    RulesEngine(seed=0)              writes; it cannot judge or embed
    engine.prepare(prompts)          parses many texts together, which is much faster than one by one

A text is parsed, every rule in `english/rules/` proposes edits, and up to three edits that do not overlap are combined. Texts that
remove label-correlated words come first; the seed decides among equals. `Written.how` names the rules of each text
("negation.fail_to + words.synonym"), prefixed with "label:" if the text says something else with the same label.

Prompts about triples (CoBA) are answered by the functions in the second half:

    triples          numbered triples; a sentence that the rules cannot split stays whole
    alter            triples changed towards another label: the other sentiment, or another relation to the context
    realise          a text made of the triples, in their order
    counterfactual   a whole text changed towards another label

Other prompts need a language model and are refused. So are texts in other languages, and texts longer than `LONGEST` words: parsing time grows faster than the text.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import blake2b
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import TypeVar

from longway.engines.costs import Call
from longway.engines.engine import Engine, Judgement, Sampling, Usage, Written
from longway.engines.prompt import Prompt
from longway.english.document import Change, Document, apply_changes
from longway.english.opposites import rotated
from longway.english.pipeline import EnglishPipeline, load_pipeline
from longway.english.rules import all_rephrasings
from longway.english.rules.rule import RuleDraft, Scene, choose, drafts
from longway.english.rules.titles import read, read_all
from longway.english.triples.contradict import affirmations, contradictions, shortened
from longway.english.triples.extract import triples_of
from longway.english.triples.oppose import oppose, opposed_text
from longway.english.triples.triple import MAX_TRIPLES, Triple, numbered, sentence_of, text_of, with_changes
from longway.english.wordnet_file import VERSION as WORDNET_VERSION
from longway.languages.row_languages import NOT_ENGLISH
from longway.task import Side
from longway.text.tokenizer import is_longer_than

T = TypeVar("T")
Parse = Callable[[str], Document]
Edits = list[list[Change]]
MAX_CACHED = 50_000  # parsed texts kept in memory
LONGEST = 1_500  # tokens of a text that is parsed
ENGLISH_FOLDER = Path(__file__).parents[1] / "english"
RULE_FILES = frozenset({".py", ".toml", ".tsv", ".txt", ".json", ".gz"})  # endings of code and word lists
_STRONG: dict[str, Side] = {"very positive": "positive", "very negative": "negative"}
_NEED_A_MODEL = {
    "identify": "finding the words that decide a label",
    "pick": "finding the triples that two texts are about",
    "without": "changing the topic or the tone of a text",
    "edit": "editing a text as instructed",
    "perturb": "changing a person by a prompt (the rules perturber works without one)",
}
_MAX_REPEATS = 16  # answers that are not new, after which the search ends


class RulesEngine(Engine):
    """Writes by rules. seed: decides among equally good texts. model: the English pipeline (`english/pipeline.py`)."""

    name = "rules"
    can = frozenset({"write"})
    seconds_a_call = 0.04
    by_shard = True

    def __init__(self, seed: int = 0, *, model: str = "longway") -> None:
        self.seed, self.model = seed, model
        self._documents: dict[str, Document] = {}

    def __reduce__(self) -> tuple[Callable[[int, str], RulesEngine], tuple[int, str]]:
        """In another process, one engine serves all shards, so that the pipeline is loaded once."""
        return _engine, (self.seed, self.model)

    @cached_property
    def _english(self) -> EnglishPipeline:
        """The pipeline, loaded when it is first used: that takes seconds."""
        return load_pipeline(self.model)

    @property
    def identity(self) -> Mapping[str, object]:
        """The rules and their word lists, the parser, the seed."""
        return {
            "engine": self.name,
            "version": version("longway"),
            "rules": rules_version(),
            "pipeline": self._english.fingerprint,
            "wordnet": WORDNET_VERSION,
            "seed": self.seed,
        }

    def prepare(self, prompts: Sequence[Prompt], *, processes: int = 1) -> None:
        """Parse the texts of many prompts together and cache them for `write`."""
        texts = dict.fromkeys(text for prompt in prompts if not prompt.language for text in _texts_of(prompt))
        new = [text for text in texts if text not in self._documents and not is_longer_than(text, LONGEST)]
        for document in read_all(self._english, new, processes=processes):
            self._cache(document)

    async def write(self, prompt: Prompt, n: int, sampling: Sampling, call: Call | None = None) -> Written:
        """Up to n different texts, those that remove the most label-correlated words first."""
        started = time.perf_counter()
        if prompt.language:
            return Written((), refusals=(NOT_ENGLISH,))
        if any(is_longer_than(text, LONGEST) for text in _texts_of(prompt)):
            return Written((), refusals=(f"longer than {LONGEST:,} words: too long for the rules",))
        order = f"{self.seed}\0{sampling.seed}\0{sampling.sample}\0{prompt.text}"
        if is_about_triples(prompt):
            written = answer(prompt, n, self._parse, key=order)
        else:
            written = self._rewrite(prompt, n, order)
        return replace(written, usage=Usage(cost=0.0, seconds=time.perf_counter() - started))

    async def judge(self, prompt: Prompt, options: Sequence[str], call: Call | None = None) -> Judgement:
        """Always a refusal."""
        return Judgement({}, refusal="the rules engine writes only; it cannot judge")

    async def close(self) -> None:
        """Forget the parsed texts."""
        self._documents.clear()

    def _rewrite(self, prompt: Prompt, n: int, order: str) -> Written:
        stance = prompt.task.stances.get(prompt.label) if prompt.label is not None else None
        avoid = frozenset(pattern.lower() for pattern in prompt.avoid)
        scene = Scene(self._parse(prompt.text), prompt.context, stance, avoid)
        chosen = choose(drafts(scene, all_rephrasings(scene), order=order), n)
        return Written(
            texts=tuple(draft.text for draft in chosen),
            refusals=() if chosen else ("no rule applies to this text",),
            how=tuple(map(_how, chosen)),
        )

    def _parse(self, text: str) -> Document:
        document = self._documents.get(text)
        if document is None:
            document = read(self._english, text)
            self._cache(document)
        return document

    def _cache(self, document: Document) -> None:
        if len(self._documents) >= MAX_CACHED:
            del self._documents[next(iter(self._documents))]  # the oldest
        self._documents[document.text] = document


@cache
def _engine(seed: int, model: str) -> RulesEngine:
    return RulesEngine(seed, model=model)


@cache
def rules_version() -> str:
    """A hash of this file and of the English code and word lists; the parser's model has a fingerprint of its own."""
    digest = blake2b(digest_size=8)
    for path in sorted([*ENGLISH_FOLDER.rglob("*"), Path(__file__)]):
        if path.suffix in RULE_FILES and "english_model" not in path.parts:
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _how(draft: RuleDraft) -> str:
    return ("label:" if draft.keeps == "label" else "") + " + ".join(draft.rules)


class NoRule(Exception):  # noqa: N818 - not an error of the program
    """The rules have no answer; the message says why."""


@dataclass(frozen=True, slots=True)
class TripleTask:
    """A prompt about triples. parse: returns the parsed text. key: decides among equally good answers."""

    prompt: Prompt
    parse: Parse
    key: str

    @property
    def triples(self) -> list[Triple]:
        """The triples of the prompt."""
        return [Triple(*parts) for parts in self.prompt.values["triples"]]

    @property
    def target(self) -> str:
        """The wanted label."""
        return str(self.prompt.values["target"])

    @property
    def keep(self) -> tuple[str, ...]:
        """Words that must remain."""
        return tuple(self.prompt.values.get("keep") or ())


def is_about_triples(prompt: Prompt) -> bool:
    """Whether `answer` handles the prompt."""
    return prompt.kind in _ANSWERS or prompt.kind in _NEED_A_MODEL


def _texts_of(prompt: Prompt) -> list[str]:
    """The texts that must be parsed to answer a prompt."""
    if not is_about_triples(prompt):
        return [prompt.text]
    if prompt.kind in _NEED_A_MODEL or prompt.kind == "realise":
        return []
    context = [] if prompt.context is None or not prompt.task.is_pair else [prompt.context]
    if prompt.kind == "alter":
        return [*(sentence_of(Triple(*parts)) for parts in prompt.values["triples"]), *context]
    return [prompt.text, *context]


def answer(prompt: Prompt, n: int, parse: Parse, *, key: str) -> Written:
    """Up to n different answers to a prompt about triples, or why there is none."""
    if prompt.kind in _NEED_A_MODEL:
        reason = f"the rules cannot do this: {_NEED_A_MODEL[prompt.kind]} takes a language model"
        return Written((), refusals=(reason,))
    try:
        texts = list(islice(_new(_ANSWERS[prompt.kind](TripleTask(prompt, parse, key)), prompt.text), n))
    except NoRule as why:
        return Written((), refusals=(str(why),))
    if not texts:
        return Written((), refusals=("the rules find no other way to write this text",))
    return Written(tuple(texts), how=(f"rules.{prompt.kind}",) * len(texts))


def _new(texts: Iterator[str], original: str) -> Iterator[str]:
    """Each text once, without the original; ends after too many repetitions."""
    seen, n_repeats = {original}, 0
    for text in texts:
        if text not in seen:
            seen.add(text)
            yield text
        elif (n_repeats := n_repeats + 1) > _MAX_REPEATS:
            return


def _extract(task: TripleTask) -> Iterator[str]:
    prompt = task.prompt
    is_pair = prompt.task.is_pair and prompt.context is not None
    text = triples_of(task.parse(prompt.text), most=MAX_TRIPLES // 2 if is_pair else MAX_TRIPLES)
    if not text:
        raise NoRule("the text has no words")
    if not is_pair:
        yield numbered(text)
        return
    context = triples_of(task.parse(prompt.context or ""), most=MAX_TRIPLES // 2)
    if not context:
        raise NoRule("the context has no words")
    yield numbered(context, part=1) + "\n" + numbered(text, part=2)


def _realise(task: TripleTask) -> Iterator[str]:
    context = [Triple(*parts) for parts in task.prompt.values.get("context_triples") or ()]
    for join in (True, False):  # neither way loses a word of the triples
        text = text_of(task.triples, join=join, like=task.prompt.text)
        if context:
            text = f"context: {text_of(context, join=join)}\ntext: {text}"
        yield text


def _alter(task: TripleTask) -> Iterator[str]:
    context = [Triple(*parts) for parts in task.prompt.values.get("context_triples") or ()]
    if context and not task.triples:
        raise NoRule("the rules change the text of a pair, not its context")
    if task.prompt.task.stances:
        for changed in _alter_pair(task):
            yield numbered([*context, *changed])
        return
    side = _sentiment(task)
    for number in range(MAX_TRIPLES):
        changed = [
            oppose(task.parse, triple, side, key=f"{task.key}\0{number}\0{place}", keep=task.keep) or triple
            for place, triple in enumerate(task.triples)
        ]
        if changed == task.triples:
            raise NoRule(f"nothing in the principal triples contradicts the label {task.target}")
        yield numbered(changed)


def _counterfactual(task: TripleTask) -> Iterator[str]:
    document = task.parse(task.prompt.text)
    if not task.prompt.task.stances:
        side = _sentiment(task)
        for number in range(MAX_TRIPLES):
            text, changes = opposed_text(document, side, key=f"{task.key}\0{number}", keep=task.keep)
            if not changes:
                raise NoRule(f"nothing in this text contradicts the label {task.target}")
            yield text
        return
    edits_of, from_context = _pair_edits(task)
    for changes in _rotated(edits_of(document), task.key):
        yield apply_changes(document.text, changes)
    for triple in from_context():
        yield text_of([triple], like=task.prompt.text)


def _sentiment(task: TripleTask) -> Side:
    """The sentiment of the target; the rules know no opposite of other labels."""
    about = task.prompt.task
    side = about.sides.get(task.target) or _STRONG.get(task.target.strip().lower().replace("_", " "))
    if side is None or about.kind != "sentiment":
        raise NoRule(f"the rules know no opposite of the label {task.prompt.label}")
    return side


def _alter_pair(task: TripleTask) -> Iterator[list[Triple]]:
    """The triples of a text that a context supports or refutes, changed for the other label."""
    edits_of, from_context = _pair_edits(task)
    others = from_context()
    options = []
    for place, triple in enumerate(task.triples):
        edits = _rotated(edits_of(task.parse(sentence_of(triple))), f"{task.key}\0{place}")
        new = [*(with_changes(triple, changes) for changes in edits), *others[place:], *others[:place]]
        if not new:
            raise NoRule(f"the rules cannot make this triple {task.target}: {triple}")
        options.append(sorted(dict.fromkeys(new), key=lambda other: _n_missing(other, triple, task.keep)))
    for number in range(max(map(len, options), default=0)):
        yield [some[number % len(some)] for some in options]


def _pair_edits(task: TripleTask) -> tuple[Callable[[Document], Edits], Callable[[], list[Triple]]]:
    """How a statement can be edited for the target, and which statements of the context already have it."""
    labels, label = task.prompt.task, task.prompt.label
    wanted, now = labels.stances.get(task.target), labels.stances.get(label or "")
    if wanted == "neutral":
        raise NoRule("the rules cannot write a text that is neutral to its context")
    if wanted is None:
        raise NoRule(f"the rules know no opposite of the label {label}")
    if wanted == "entails":
        return (affirmations if now == "contradicts" else _no_edits), lambda: _stated(task)
    return (contradictions if now == "entails" else _no_edits), lambda: _refuted(task)


def _no_edits(document: Document) -> Edits:
    return []


def _stated(task: TripleTask) -> list[Triple]:
    """Statements of the context, which it therefore entails. Shorter ones first: a copy of the context is easy to detect."""
    if task.prompt.context is None:
        return []
    triples = triples_of(task.parse(task.prompt.context), most=MAX_TRIPLES)
    split = [triple for triple in triples if not triple.is_whole]
    edits = [(triple, shortened(task.parse(sentence_of(triple)))) for triple in split]
    short = [with_changes(triple, changes) for triple, ways in edits for changes in ways]
    return [*_rotated(short, task.key), *_rotated(split, task.key)]


def _refuted(task: TripleTask) -> list[Triple]:
    """Statements of the context, negated."""
    negated = []
    for triple in _stated(task):
        edits = contradictions(task.parse(sentence_of(triple)), with_antonyms=False)
        negated += [with_changes(triple, changes) for changes in edits[:1]]
    return negated


def _rotated(items: Sequence[T], key: str) -> list[T]:
    """The items in an order that depends on the key."""
    if not items:
        return []
    return [items[int(place)] for place in rotated(tuple(map(str, range(len(items)))), key)]


def _n_missing(new: Triple, old: Triple, keep: Sequence[str]) -> int:
    """How many words to keep of the old triple the new one lacks."""
    return len(({word.lower() for word in keep} & old.words) - new.words)


_ANSWERS: dict[str, Callable[[TripleTask], Iterator[str]]] = {
    "triples": _extract,
    "alter": _alter,
    "realise": _realise,
    "counterfactual": _counterfactual,
}
