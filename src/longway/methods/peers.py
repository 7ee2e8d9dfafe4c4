"""Other ways to add rows, for comparison with CoBA. Each is a small method on the same interface.

    Paraphrase         the text in other words, label kept, as AugGPT does (Dai et al. 2023)
    BackTranslation    through another language and back, label kept (Sennrich et al. 2016)
    Contextual         some words replaced by what an engine puts there (after Wu et al. 2019, "Conditional BERT")
    Counterfactual     the smallest change to another label (Kaushik et al. 2020, there by people)
    Given              rewrites made elsewhere, by people or by another program

The first four ask an engine about each row. All add the texts that pass the checks (`additions.py`) and change no row.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import ClassVar, Generic, TypeVar

from longway.engines.engine import Sampling, Written
from longway.engines.prompt import (
    CLOSE,
    OPEN,
    Prompt,
    counterfactual_prompt,
    fill_prompt,
    rewrite_prompt,
    translate_back_prompt,
    translate_prompt,
)
from longway.engines.transport import tokens_for
from longway.errors import ColumnError, DataError, SettingError
from longway.language_names import ENGLISH, UNKNOWN, name_of
from longway.methods.additions import Adder, AskEngine, Proposal, Proposed, add_in_parts
from longway.methods.drafts import until_spent
from longway.methods.eda import STOP_WORDS
from longway.methods.method import Round, Rows, Verify, keeps_of
from longway.tokens.tokenizer import token_spans

S = TypeVar("S")
Span = tuple[int, int]
NOTHING_TO_REPLACE = "the text has no words to replace"
CHANGED_MORE = "the engine changed more than the marked words"
NO_SOURCE = "no row has this id or text"
# Column names of given rewrites; the first one present is used.
SOURCES = ("original", "source", "id")
TEXTS = ("counterfactual", "revised", "text")  # "text" beside another one is the text before
LABELS = ("counterfactual_label", "new_label", "label")
CONTEXT = "context"


class Peer(ABC, Generic[S]):
    """A method that asks an engine about each row and adds what it wrote.

    ask: calls the engine. name_of_engine: its name in edits. verify: None to accept texts without checks.
    """

    name: ClassVar[str]
    default: ClassVar[type]  # of the settings

    def __init__(
        self, settings: S | None = None, *, ask: AskEngine, name_of_engine: str, verify: Verify | None = None
    ) -> None:
        self.settings: S = settings or self.default()
        self.ask, self.engine, self.verify = ask, name_of_engine, verify

    def run(self, rows: Rows) -> Iterator[Round]:
        """Yield rounds of 64 rows each."""
        adder = Adder(rows, method=self.name, engine=self.engine, verify=self.verify)
        yield from add_in_parts(adder, range(len(rows)), lambda part: self.propose(rows, part))

    @abstractmethod
    def propose(self, rows: Rows, part: Sequence[int]) -> Proposed:
        """The rows that could be added for some rows."""

    def written(
        self, prompts: Sequence[Prompt], n: int, sampling: Sampling, result: Proposed
    ) -> list[Written]:
        """The texts written for each prompt, as far as the budget goes; refusals are counted in `result`."""
        if not prompts:
            return []
        # Room for n texts as long as the row's.
        samplings = [
            replace(sampling, max_tokens=max(sampling.max_tokens, tokens_for(prompt.text, n=n)))
            for prompt in prompts
        ]
        answers, is_spent = until_spent(lambda: self.ask(prompts, n, samplings))
        result.is_spent = result.is_spent or is_spent
        for written in answers:
            if not written.texts:
                result.refusals.update(written.refusals[:1] or ["the engine gave no text"])
        return answers


def _check_n(n: int) -> None:
    if n < 1:
        raise SettingError(f"'n' must be at least 1. Got {n}. Ask for one new text or more for each row.")


def _with_how(written: Written) -> Iterator[tuple[str, str]]:
    """Each text with what was done; "" if the engine does not say."""
    return zip(written.texts, written.how or ("",) * len(written.texts), strict=True)


@dataclass(frozen=True, slots=True)
class ParaphraseSettings:
    """n: new texts per row. sampling: how the engine draws."""

    n: int = 1
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        _check_n(self.n)


class Paraphrase(Peer[ParaphraseSettings]):
    """Adds each text in other words."""

    name = "paraphrase"
    default = ParaphraseSettings

    def propose(self, rows: Rows, part: Sequence[int]) -> Proposed:
        """The texts in other words."""
        result = Proposed()
        prompts = [
            rewrite_prompt(
                rows.task,
                rows.texts[row],
                label=rows.label(row),
                context=rows.context(row),
                keeps="meaning",
            )
            for row in part
        ]
        answers = self.written(prompts, self.settings.n, self.settings.sampling, result)
        for row, written in zip(part, answers, strict=False):
            result.proposals += [
                Proposal(row, text, rows.label(row), rows.context(row), how=how, keeps=keeps_of(how))
                for text, how in _with_how(written)
            ]
        return result


@dataclass(frozen=True, slots=True)
class BackTranslationSettings:
    """language: the intermediate language. into: the language of the texts. n: new texts per row."""

    language: str = "German"
    into: str = "English"
    n: int = 1
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        _check_n(self.n)
        if not self.language.strip() or self.language.strip().lower() == self.into.strip().lower():
            raise SettingError(
                f"'pivot' must differ from the language of the texts ({self.into}). Got {self.language!r}. "
                "Try German."
            )


class BackTranslation(Peer[BackTranslationSettings]):
    """Adds each text translated into another language and back."""

    name = "back-translation"
    default = BackTranslationSettings

    def propose(self, rows: Rows, part: Sequence[int]) -> Proposed:
        """The texts translated back. Several come from several translations; each is translated back once."""
        result, settings = Proposed(), self.settings
        prompts = [translate_prompt(rows.texts[row], language=settings.language) for row in part]
        answers = self.written(prompts, settings.n, settings.sampling, result)
        foreign = [(row, text) for row, w in zip(part, answers, strict=False) for text in w.texts]
        prompts = [
            translate_back_prompt(text, language=settings.language, into=_language(rows, row, settings.into))
            for row, text in foreign
        ]
        answers = self.written(prompts, 1, settings.sampling, result)
        for (row, text), written in zip(foreign, answers, strict=False):
            how = f"through {settings.language}"
            trace = {"language": settings.language, "translation": text}
            result.proposals += [
                Proposal(row, new, rows.label(row), rows.context(row), how=how, keeps="meaning", trace=trace)
                for new in written.texts
            ]
        return result


def _language(rows: Rows, row: int, default: str) -> str:
    """The English name of the language of a row; the default if it is English or unknown."""
    language = rows.languages[row]
    return default if language in (ENGLISH, UNKNOWN) else name_of(language)


@dataclass(frozen=True, slots=True)
class ContextualSettings:
    """share: of the words, at least one. n: new texts per row, each with its own choice of words. seed: of the choice."""

    share: float = 0.15
    n: int = 1
    seed: int = 0
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        _check_n(self.n)
        if not 0 < self.share <= 1:
            raise SettingError(
                f"'share' must be above 0 and at most 1. Got {self.share}. Try 0.15, the usual rate."
            )


class Contextual(Peer[ContextualSettings]):
    """Adds each text with some words replaced.

    A share of the content words is chosen at random. The engine sees the text with these words marked, and the label. A text in
    which it changed anything else is refused.
    """

    name = "contextual"
    default = ContextualSettings

    def propose(self, rows: Rows, part: Sequence[int]) -> Proposed:
        """The texts with other words in the chosen places."""
        result = Proposed()
        asked: list[tuple[int, tuple[Span, ...]]] = []
        for row in part:
            choices = {self._chosen(rows, row, number) for number in range(self.settings.n)}
            asked += [(row, spans) for spans in sorted(choices) if spans]
            if () in choices:
                result.refusals[NOTHING_TO_REPLACE] += 1
        prompts = [
            fill_prompt(
                rows.task, rows.texts[row], label=rows.label(row), marked=spans, context=rows.context(row)
            )
            for row, spans in asked
        ]
        answers = self.written(prompts, 1, self.settings.sampling, result)
        for (row, spans), written in zip(asked, answers, strict=False):
            for text in written.texts:
                plain = text.replace(OPEN, "").replace(CLOSE, "")  # the marks may be left
                self._add(rows, row, spans, plain, result)
        return result

    def _add(self, rows: Rows, row: int, spans: Sequence[Span], text: str, result: Proposed) -> None:
        words = replaced(rows.texts[row], spans, text)
        if words is None:
            result.refusals[CHANGED_MORE] += 1
            return
        pairs = [(rows.texts[row][start:end], new) for (start, end), new in zip(spans, words, strict=True)]
        how = ", ".join(f"{old} -> {new}" for old, new in pairs)
        trace = {"replaced": [list(pair) for pair in pairs]}
        result.proposals.append(Proposal(row, text, rows.label(row), rows.context(row), how=how, trace=trace))

    def _chosen(self, rows: Rows, row: int, number: int) -> tuple[Span, ...]:
        text = rows.texts[row]
        words = [
            (start, end)
            for token, start, end in token_spans(text)
            if token.isalpha() and len(token) > 2 and token not in STOP_WORDS
        ]
        n = min(len(words), max(1, round(self.settings.share * len(text.split()))))
        return tuple(sorted(Random(f"{self.settings.seed}|{rows.ids[row]}|{number}").sample(words, n)))


def replaced(text: str, spans: Sequence[Span], new: str) -> list[str] | None:
    """The words of a new text in the marked places of an old one; None if anything else differs.

    >>> replaced("The soup was cold.", [(4, 8), (13, 17)], "The tea was hot.")
    ['tea', 'hot']
    >>> replaced("The soup was cold.", [(4, 8)], "A tea was cold.") is None
    True
    """
    pattern, end = "", 0
    for start, stop in spans:
        pattern += _any_space(text[end:start]) + r"(\S.{0,60}?)"
        end = stop
    match = re.fullmatch(pattern + _any_space(text[end:]), new, re.DOTALL)
    return None if match is None else list(match.groups())


def _any_space(piece: str) -> str:
    """A pattern of the piece that matches any white space where the piece has some."""
    return r"\s+".join(map(re.escape, re.split(r"\s+", piece)))


@dataclass(frozen=True, slots=True)
class CounterfactualSettings:
    """to: the target label; rows that have it are skipped. None: any other label, at random. n: new texts per row."""

    to: str | None = None
    n: int = 1
    seed: int = 0
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        _check_n(self.n)


class Counterfactual(Peer[CounterfactualSettings]):
    """Adds each text, changed to have another label."""

    name = "counterfactual"
    default = CounterfactualSettings

    def propose(self, rows: Rows, part: Sequence[int]) -> Proposed:
        """The texts changed towards another label."""
        result = Proposed()
        targets = {row: target for row in part if (target := self._target(rows, row)) is not None}
        prompts = [
            counterfactual_prompt(
                rows.task, rows.texts[row], label=rows.label(row), target=target, context=rows.context(row)
            )
            for row, target in targets.items()
        ]
        answers = self.written(prompts, self.settings.n, self.settings.sampling, result)
        for (row, target), written in zip(targets.items(), answers, strict=False):
            result.proposals += [
                Proposal(row, text, target, rows.context(row), how=how) for text, how in _with_how(written)
            ]
        return result

    def _target(self, rows: Rows, row: int) -> str | None:
        names, to = list(rows.label_names), self.settings.to
        if len(names) < 2 or (to is not None and to not in names):
            raise SettingError(
                f"A counterfactual needs another label{'' if to is None else f', and the data have no {to!r}'}. "
                f"Got the labels {', '.join(names)}. Choose one of them, or other data."
            )
        others = [name for name in names if name != rows.label(row)]
        if to is not None:
            return to if to in others else None
        return Random(f"{self.settings.seed}|{rows.ids[row]}").choice(others)


@dataclass(frozen=True, slots=True)
class GivenRewrite:
    """A text made elsewhere. source: the id of the row it was made from, or that row's exact text.

    context: None for the context of the row.
    """

    source: str
    text: str
    label: str
    context: str | None = None


class Given:
    """Adds given rewrites to the rows they were made from.

    name_of_engine: who made them, as named in edits. verify: None to accept them without checks.
    """

    name = "given"

    def __init__(
        self,
        rewrites: Sequence[GivenRewrite],
        *,
        name_of_engine: str = "given",
        verify: Verify | None = None,
    ) -> None:
        self.rewrites, self.engine, self.verify = rewrites, name_of_engine, verify

    def run(self, rows: Rows) -> Iterator[Round]:
        """Yield rounds of 64 rewrites each."""
        adder = Adder(rows, method=self.name, engine=self.engine, verify=self.verify)
        ids = {id_: row for row, id_ in enumerate(rows.ids)}
        texts: dict[str, list[int]] = defaultdict(list)
        for row, text in enumerate(rows.texts):
            texts[text].append(row)

        def source_of(rewrite: GivenRewrite) -> int | None:
            """By id or text; of several rows with the text, the one with the same context, else the first."""
            if rewrite.source in ids:
                return ids[rewrite.source]
            with_text = texts.get(rewrite.source, [])
            same = [row for row in with_text if rows.context(row) == rewrite.context]
            return next(iter(same or with_text), None)

        def propose(part: Sequence[int]) -> Proposed:
            result = Proposed()
            for number in part:
                rewrite = self.rewrites[number]
                row = source_of(rewrite)
                if row is None:
                    result.refusals[NO_SOURCE] += 1
                elif rewrite.label not in rows.label_names:
                    result.refusals[f"the dataset has no label {rewrite.label!r}"] += 1
                else:
                    own, new = rows.context(row), rewrite.context
                    context = own if own is None or new is None else new
                    result.proposals.append(Proposal(row, rewrite.text, rewrite.label, context))
            return result

        yield from add_in_parts(adder, range(len(self.rewrites)), propose)


def given_of(rows: Iterable[Mapping[str, object]]) -> list[GivenRewrite]:
    """Rewrites from the plain rows of a file with these columns.

    source: original, source or id. new text: counterfactual, revised or text. label: counterfactual_label, new_label or label.
    new context, optional: context.
    """
    rewrites: list[GivenRewrite] = []
    empty: list[int] = []
    columns: list[str | None] | None = None
    for number, row in enumerate(rows, 1):
        columns = columns or _columns(list(row))
        source, text, label, context = (None if name is None else row.get(name) for name in columns)
        if any(value is None or not str(value).strip() for value in (source, text, label)):
            empty.append(number)
        else:
            new_context = None if context is None else str(context)
            rewrites.append(GivenRewrite(str(source), str(text), str(label), new_context))
    if empty:
        raise DataError(
            f"{len(empty)} of the given rewrites lack a source, a text or a label (first: row {empty[0]}). "
            "Expected all three in each row. Fill them in, or take these rows out."
        )
    return rewrites


def _columns(names: list[str]) -> list[str | None]:
    """The columns of source, text, label and context."""
    known = {name.strip().lower(): name for name in reversed(names)}
    columns: list[str | None] = []
    for wanted in (SOURCES, TEXTS, LABELS):
        columns.append(next((known[name] for name in wanted if name in known), None))
        if columns[-1] is None:
            raise ColumnError(
                f"The given rewrites have no column {' or '.join(wanted)}. Got {', '.join(names) or 'no columns'}. "
                "Rename the columns to source, text and label."
            )
    return [*columns, known.get(CONTEXT)]
