"""Which columns hold the candidates of a question and which of them is right: given by the user, or guessed from common names.

Four kinds of data have candidates:

    choice      a list of options, or a column for each, and the answer: its number, its letter or its text
    preference  a chosen and a rejected answer, as texts or as lists of chat messages
    ranking     a list of candidates with a list of scores, of which the highest is right, or of ranks, of which the lowest is
    votes       two answers, and which of them a judge preferred
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from longway.data.columns import missing
from longway.errors import ColumnError, SettingError

Kind = Literal["choice", "preference", "ranking", "votes"]
ONLY_CANDIDATES = ("choices", "answer", "scores", "chosen", "rejected", "a", "b", "winner", "judge")
LISTS = (
    "choices",
    "options",
    "candidates",
    "endings",
    "alternatives",
    "answers",
    "responses",
    "completions",
    "mc1_targets",
)
ANSWERS = (
    "answer", "answerkey", "answer_key", "answer_index", "answer_idx", "correct", "correct_answer", "correct_option", "correct_index",
    "gold", "cop", "label", "target", "solution", "key",
)  # fmt: skip
PROMPTS = (
    "prompt",
    "question",
    "instruction",
    "query",
    "stem",
    "goal",
    "ctx",
    "input",
    "question_stem",
    "sentence",
    "context",
    "conversations",
)
SCORES = ("scores", "ratings", "rewards", "ranks", "rank", "ranking", "rankings")
PREFERENCES = (
    ("chosen", "rejected"),
    ("preferred", "dispreferred"),
    ("winner_response", "loser_response"),
    ("sentence_good", "sentence_bad"),
)
PAIRS = (
    ("response_a", "response_b"), ("answer_a", "answer_b"), ("output_a", "output_b"), ("completion_a", "completion_b"),
    ("response_0", "response_1"), ("response_1", "response_2"), ("output_1", "output_2"), ("a", "b"),
)  # fmt: skip
PAIRED = {"preference": ("chosen", "rejected"), "votes": ("a", "b")}  # roles of the two candidates
ANSWER_OF = {
    "choice": "answer",
    "ranking": "scores",
    "votes": "winner",
}  # role of the column that says which is right
WINNERS = ("winner", "preference", "vote", "preferred", "judgement", "judgment")
FLAG_OF_WINNER = re.compile(r"(?i)winner_(model_|response_)?([ab12]|tie)$")
JUDGES = ("judge", "judge_id", "annotator", "rater", "voter")
MAKERS = (("model_a", "model_b"), ("generator_a", "generator_b"), ("model_1", "model_2"))
STEMS = "option|opt|op|choice|ending|answer|candidate|alternative|solution|sol|response|completion|"
SERIES = re.compile(rf"(?i)({STEMS})[ _]?([a-j]|\d{{1,2}})$")  # option_a, choice1, ending0, A
INCOMPLETE: tuple[tuple[set[str], str], ...] = (  # what is missing beside one of these roles
    ({"chosen", "rejected"}, "Preferences need two columns. Name both: --chosen COLUMN --rejected COLUMN."),
    ({"a", "b", "winner"}, "Votes need three columns. Name them: --set a=COLUMN --set b=COLUMN --set winner=COLUMN."),
    ({"choices"}, "The column that says which option is right was not found. Name it: --answer COLUMN, or --set scores=COLUMN for a list of scores."),
    ({*ONLY_CANDIDATES}, "The options were not found. Name their column, or each of their columns: --choices COLUMN."),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChoiceColumns:
    """The columns of data with candidates. None: there is no such column.

    candidates: one column of lists, or a column for each candidate; of preferences the chosen and the rejected one, of votes the two answers.
    answer: what says which is right: the answer, the scores or the winner. judge: who voted. makers: who wrote each of the two answers.
    guessed: roles that the user did not give. answer_base: the number of the first option, where answers are numbers; None to find out.
    """

    kind: Kind
    candidates: tuple[str, ...]
    answer: str | None = None
    prompt: str | None = None
    id: str | None = None
    judge: str | None = None
    makers: tuple[str, ...] = ()
    guessed: tuple[str, ...] = ()
    answer_base: int | None = None

    def used(self) -> tuple[str, ...]:
        """The columns with a role, each once."""
        names = (*self.candidates, self.answer, self.prompt, self.id, self.judge, *self.makers)
        return tuple(dict.fromkeys(name for name in names if name))

    @property
    def roles(self) -> dict[str, Any]:
        """The column of each role as `load_choices` names it; of options all columns, in a tuple."""
        pair = PAIRED.get(self.kind)
        named = dict(zip(pair, self.candidates, strict=True)) if pair else {"choices": self.candidates}
        others = {ANSWER_OF.get(self.kind, ""): self.answer, "prompt": self.prompt, "judge": self.judge}
        return {**named, **{role: name for role, name in others.items() if role and name}}

    @property
    def as_given(self) -> GivenColumns:
        """The columns as a user would name them, to read other data in the same way. The id column is guessed again: a run writes ids of its own."""
        return GivenColumns(**{"prompt": "", **self.roles}, answer_base=self.answer_base)

    def fields(self) -> dict[str, str]:
        """The column of each role, for reports."""
        return {role: ", ".join(names) if role == "choices" else names for role, names in self.roles.items()}

    @property
    def recorded(self) -> dict[str, object]:
        """The columns for run.json, and the number of the first option where answers are numbers."""
        base = {} if self.answer_base is None else {"answer_base": self.answer_base}
        return {"columns": self.fields(), **base}


@dataclass(frozen=True, slots=True)
class GivenColumns:
    """What the user said about the columns; None or () to guess. prompt "": there is none. answer_base: the number of the first option, 0 or 1."""

    choices: tuple[str, ...] = ()
    answer: str | None = None
    scores: str | None = None
    chosen: str | None = None
    rejected: str | None = None
    a: str | None = None
    b: str | None = None
    winner: str | None = None
    judge: str | None = None
    prompt: str | None = None
    id: str | None = None
    answer_base: int | None = None

    @property
    def named(self) -> set[str]:
        """The roles that were named and that only data with candidates have."""
        return {role for role in ONLY_CANDIDATES if getattr(self, role)}

    def guessed(self, *roles: str) -> tuple[str, ...]:
        """Those of these roles that were not named."""
        return tuple(role for role in roles if not getattr(self, role))


def choice_columns(
    names: Sequence[str],
    lists: Sequence[str],
    given: GivenColumns,
    with_answers: Mapping[str, Kind] | None = None,
) -> ChoiceColumns | None:
    """The columns of data with candidates; None if the data have none and the user named none.

    names: all columns. lists: those whose cells are lists. with_answers: those that hold candidates and answers, and their kind. Raises ColumnError if what the user named is not there, or not enough.
    """
    if given.answer_base not in (None, 0, 1):
        raise SettingError(
            f"'answer_base' must be 0 or 1: the number of the first option. Got {given.answer_base}."
        )
    options = {f"choices {i + 1}" if i else "choices": name for i, name in enumerate(given.choices)}
    roles = {**options, **{role: getattr(given, role) for role in (*ONLY_CANDIDATES[1:], "prompt", "id")}}
    if faults := [
        missing(role, name, list(names)) for role, name in roles.items() if name and name not in names
    ]:
        raise ColumnError(" ".join(faults))
    chosen = (
        _preference(names, given) or _votes(names, given) or _choice(names, lists, given, with_answers or {})
    )
    if chosen is None:
        if given.named:
            raise ColumnError(next(words for roles, words in INCOMPLETE if given.named & roles))
        return None
    id_ = given.id or _first(names, ("id", "uid", "qid", "question_id", "longway_id"))
    prompt = None if given.prompt == "" else given.prompt or _first(names, PROMPTS, without=chosen.used())
    guessed = chosen.guessed if given.prompt is not None or prompt is None else (*chosen.guessed, "prompt")
    return replace(chosen, prompt=prompt, id=id_, guessed=guessed, answer_base=given.answer_base)


def _preference(names: Sequence[str], given: GivenColumns) -> ChoiceColumns | None:
    if given.chosen and given.rejected:
        return ChoiceColumns("preference", (given.chosen, given.rejected))
    pair = None if given.named else _pair(names, PREFERENCES)
    return pair and ChoiceColumns("preference", pair, guessed=("chosen", "rejected"))


def _votes(names: Sequence[str], given: GivenColumns) -> ChoiceColumns | None:
    if given.named & {"choices", "chosen", "rejected", "answer", "scores"}:
        return None
    pair = (given.a, given.b) if given.a and given.b else _pair(names, PAIRS)
    winner = given.winner or (pair and _first(names, WINNERS, without=pair))
    if pair and winner is None and (flags := [name for name in names if FLAG_OF_WINNER.match(name)]):
        raise ColumnError(
            f"The winner is in {len(flags)} columns: {', '.join(flags)}. Expected one column with a, b or tie. Add it, for example in pandas: "
            f"data['winner'] = data[{flags}].idxmax(axis=1).str.replace('winner_', '')."
        )
    if pair is None or winner is None:
        return None
    judge, makers = given.judge or _first(names, JUDGES, without=(*pair, winner)), _pair(names, MAKERS) or ()
    guessed = given.guessed("a", "b", "winner", "judge")
    return ChoiceColumns("votes", pair, winner, judge=judge, makers=makers, guessed=guessed)


def _choice(
    names: Sequence[str], lists: Sequence[str], given: GivenColumns, with_answers: Mapping[str, Kind]
) -> ChoiceColumns | None:
    candidates = given.choices or named_lists(lists)[:1] or _series(names)
    if not candidates or given.named & {"chosen", "rejected", "a", "b", "winner"}:
        return None
    scores = given.scores or (None if given.answer else _first(lists, SCORES, without=candidates))
    kind = with_answers.get(candidates[0])
    if kind and len(candidates) == 1 and not scores and not given.answer:
        return ChoiceColumns(kind, candidates, candidates[0], guessed=("choices",))
    if scores:
        return ChoiceColumns("ranking", candidates, scores, guessed=given.guessed("choices", "scores"))
    answer = given.answer or _first(names, ANSWERS, without=candidates)
    guessed = given.guessed("choices", "answer")
    return ChoiceColumns("choice", candidates, answer, guessed=guessed) if answer else None


def named_lists(lists: Sequence[str]) -> tuple[str, ...]:
    """The list columns with a usual name of options, the most usual first."""
    known = {name.casefold(): name for name in lists}
    return tuple(known[name] for name in LISTS if name in known)


def _series(names: Sequence[str]) -> tuple[str, ...]:
    """The longest row of columns such as option_a, option_b, ... or choice1, choice2, ..., in order."""
    series: dict[str, dict[int, str]] = {}
    for name in names:
        if match := SERIES.match(name):
            stem, mark = match.group(1).casefold(), match.group(2).casefold()
            number = int(mark) if mark.isdigit() else ord(mark) - ord("a")
            series.setdefault(f"{stem} {mark.isdigit()}", {})[number] = name
    best = max(series.values(), key=len, default={})
    order = sorted(best)
    is_row = len(order) > 1 and order == list(range(order[0], order[0] + len(order))) and order[0] <= 1
    return tuple(best[i] for i in order) if is_row else ()


def _pair(names: Sequence[str], pairs: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    known = {name.casefold(): name for name in names}
    return next(((known[one], known[two]) for one, two in pairs if one in known and two in known), None)


def _first(names: Sequence[str], wanted: Sequence[str], without: Sequence[str] = ()) -> str | None:
    known = {name.casefold(): name for name in names if name not in without}
    return next((known[name] for name in wanted if name in known), None)
