"""Which columns hold the candidates of a question and which of them is right, given by the user or guessed from common names; and how answers are read.

Four kinds of data have candidates:

    choice      a list of options, or a column for each, and the answer: its number, its letter or its text
    preference  a chosen and a rejected answer, as texts or as lists of chat messages
    ranking     a list of candidates with a list of scores, of which the highest is right, or of ranks, of which the lowest is
    votes       two answers, and which of them a judge preferred

    reading = reading_of(columns, answers, sets)        decided once, by all answers of the column
    reading.decode("B", ["red", "blue"], [])            1; what is wrong with the answer, if it names no candidate

Votes are "A", "model_b", "[[A>B]]", the name of a model, the text of an answer, true or false, or a number. Numbers have no fixed meaning:
`numbers_of` decides by all votes of the column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from typing import Any, Literal

from longway.data.columns import missing
from longway.data.table import scalar_text
from longway.errors import ColumnError, SettingError

Kind = Literal["choice", "preference", "ranking", "votes"]
ONLY_CANDIDATES = ("choices", "answer", "scores", "chosen", "rejected", "a", "b", "winner", "judge")
USUAL = {  # names of the column of each role, the most usual first
    "choices": "choices options candidates endings alternatives answers responses completions mc1_targets",
    "answer": "answer answerkey answer_key answer_index answer_idx correct correct_answer correct_option correct_index gold cop label target solution key",
    "scores": "scores ratings rewards ranks rank ranking rankings",
    "winner": "winner preference vote preferred judgement judgment",
    "judge": "judge judge_id annotator rater voter",
    "prompt": "prompt question instruction query stem goal ctx input question_stem sentence context conversations",
    "id": "id uid qid question_id longway_id",
}
PAIRS = {  # usual names of two columns
    "preference": "chosen rejected, preferred dispreferred, winner_response loser_response, sentence_good sentence_bad",
    "votes": "response_a response_b, answer_a answer_b, output_a output_b, completion_a completion_b, response_0 response_1, response_1 response_2, output_1 output_2, a b",
    "makers": "model_a model_b, generator_a generator_b, model_1 model_2",
}
PAIRED = {"preference": ("chosen", "rejected"), "votes": ("a", "b")}  # roles of the two candidates
ANSWER_OF = {
    "choice": "answer",
    "ranking": "scores",
    "votes": "winner",
}  # role of the column that says which is right
FLAG_OF_WINNER = re.compile(r"(?i)winner_(model_|response_)?([ab12]|tie)$")
STEMS = "option|opt|op|choice|ending|answer|candidate|alternative|solution|sol|response|completion|"
SERIES = re.compile(rf"(?i)({STEMS})[ _]?([a-j]|\d{{1,2}})$")  # option_a, choice1, ending0, A
INCOMPLETE: tuple[tuple[set[str], str], ...] = (  # what is missing beside one of these roles
    ({"chosen", "rejected"}, "Preferences need two columns. Name both: --chosen COLUMN --rejected COLUMN."),
    ({"a", "b", "winner"}, "Votes need three columns. Name them: --set a=COLUMN --set b=COLUMN --set winner=COLUMN."),
    ({"choices"}, "The column that says which option is right was not found. Name it: --answer COLUMN, or --set scores=COLUMN for a list of scores."),
    ({*ONLY_CANDIDATES}, "The options were not found. Name their column, or each of their columns: --choices COLUMN."),
)  # fmt: skip

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LETTER = re.compile(r"\(?([A-Za-z])\)?[.):]?$")
INDEX = ("index", "idx")  # in the name of a column whose numbers count from 0
SEVERAL = re.compile(r"\(?[A-Z]\)?(?:\s*(?:[,;&/+]|and)\s*\(?[A-Z]\)?)+")  # A,C
LETTERED = re.compile(r"\s*\(?([A-Z])[).:]+\s*(\S.*)", re.S)  # (B) the text of the option
NEARLY_ALL = 0.95  # of the answers
SCORE_KEYS = ("overall_score", "score", "rating", "reward")
RANKS = re.compile(r"(?i)(?<![a-z])rank(?:s|ing|ings)?(?![a-z])|Rank")  # in the name of a column of ranks
TIES = frozenset(
    "tie|both|tied|draw|equal|none|neither|same|tie (bothbad)|tie (both bad)|bothbad|both_bad|0.5|c".split(
        "|"
    )
)
WORDS = {"a": 0, "b": 1, "left": 0, "right": 1, "first": 0, "second": 1}
FLAGS = {"true": "1", "false": "0"}
STEM = re.compile(r"^(model|response|answer|output|assistant|completion)[ _]?")
WHOLE = re.compile(r"-?\d")
COMPARED = re.compile(r"([ab])\s*(<|>|=)\2*\s*([ab])")  # A>B, B>>A, A=B
Decoder = Callable[[Any, Sequence[str], Sequence[str]], int | str]


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

    def column(self, role: str, names: Sequence[str], without: Sequence[str] = ()) -> str | None:
        """The column of a role: the one that was named, or the first of these with a usual name."""
        known = {name.casefold(): name for name in names if name not in without}
        usual = (known[name] for name in USUAL[role].split() if name in known)
        return getattr(self, role) or next(usual, None)


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
    prompt = None if given.prompt == "" else given.column("prompt", names, without=chosen.used())
    guessed = chosen.guessed if given.prompt is not None or prompt is None else (*chosen.guessed, "prompt")
    id_ = given.column("id", names)
    return replace(chosen, prompt=prompt, id=id_, guessed=guessed, answer_base=given.answer_base)


def _preference(names: Sequence[str], given: GivenColumns) -> ChoiceColumns | None:
    pair = None if given.named else _pair(names, "preference")
    if given.chosen and given.rejected:
        pair = (given.chosen, given.rejected)
    return pair and ChoiceColumns("preference", pair, guessed=given.guessed("chosen", "rejected"))


def _votes(names: Sequence[str], given: GivenColumns) -> ChoiceColumns | None:
    if given.named & {"choices", "chosen", "rejected", "answer", "scores"}:
        return None
    pair = (given.a, given.b) if given.a and given.b else _pair(names, "votes")
    winner = given.column("winner", names if pair else (), without=pair or ())
    if pair and winner is None and (flags := [name for name in names if FLAG_OF_WINNER.match(name)]):
        raise ColumnError(
            f"The winner is in {len(flags)} columns: {', '.join(flags)}. Expected one column with a, b or tie. Add it, for example in pandas: "
            f"data['winner'] = data[{flags}].idxmax(axis=1).str.replace('winner_', '')."
        )
    if pair is None or winner is None:
        return None
    judge, makers = given.column("judge", names, without=(*pair, winner)), _pair(names, "makers") or ()
    guessed = given.guessed("a", "b", "winner", "judge")
    return ChoiceColumns("votes", pair, winner, judge=judge, makers=makers, guessed=guessed)


def _choice(
    names: Sequence[str], lists: Sequence[str], given: GivenColumns, with_answers: Mapping[str, Kind]
) -> ChoiceColumns | None:
    candidates = given.choices or named_lists(lists)[:1] or _series(names)
    if not candidates or given.named & {"chosen", "rejected", "a", "b", "winner"}:
        return None
    scores = given.column("scores", () if given.answer else lists, without=candidates)
    kind = with_answers.get(candidates[0])
    if kind and len(candidates) == 1 and not scores and not given.answer:
        return ChoiceColumns(kind, candidates, candidates[0], guessed=("choices",))
    if scores:
        return ChoiceColumns("ranking", candidates, scores, guessed=given.guessed("choices", "scores"))
    answer = given.column("answer", names, without=candidates)
    guessed = given.guessed("choices", "answer")
    return ChoiceColumns("choice", candidates, answer, guessed=guessed) if answer else None


def named_lists(lists: Sequence[str]) -> tuple[str, ...]:
    """The list columns with a usual name of options, the most usual first."""
    known = {name.casefold(): name for name in lists}
    return tuple(known[name] for name in USUAL["choices"].split() if name in known)


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


def _pair(names: Sequence[str], role: str) -> tuple[str, str] | None:
    known = {name.casefold(): name for name in names}
    pairs = (pair.split() for pair in PAIRS[role].split(", "))
    return next(((known[one], known[two]) for one, two in pairs if one in known and two in known), None)


# How the answers of a column are read


@dataclass(frozen=True, slots=True)
class Reading:
    """How the answers of a column are read.

    decode: from an answer, the candidates and their letters (of votes, who wrote them) to the place of the right one, "tie", or what is wrong.
    way: "text", "letter" or "number" of options. base: the number of the first candidate, where answers are numbers. is_assumed: whether
    the numbers do not show it; has_both: because 0 and the number of the last candidate both occur. are_also_numbers: whether answers that
    are read as texts could be numbers. are_ranks: the lowest is best. coding: what votes that are numbers mean, in words.
    """

    decode: Decoder
    way: str = ""
    base: int | None = None
    is_assumed: bool = False
    has_both: bool = False
    are_also_numbers: bool = False
    are_ranks: bool = False
    coding: str = ""


def reading_of(columns: ChoiceColumns, answers: Sequence[Any], sets: Sequence[Sequence[str]]) -> Reading:
    """How these answers are read. sets: the candidates of each.

    Options are named in the way in which most answers name one; numbers go before texts if it is known from where they count. They count from
    0 or from 1 as the user says, else so that more of them name a candidate. Only 0 and the number of the last candidate show it. If neither
    occurs, or both equally often, a column answer_index, or option columns that count from 0 or 1 themselves, say what is likely; without
    them numbers count from 0.

    >>> columns = ChoiceColumns("choice", ("options",), "key")
    >>> reading_of(columns, ["B", "C"], [("x", "y"), ("x", "y", "z")]).way
    'letter'
    >>> found = [reading_of(columns, [1, 2, last], [("a", "b", "c")] * 3) for last in (3, 1)]
    >>> [(one.base, one.is_assumed) for one in found]
    [(1, False), (0, True)]
    >>> reading_of(columns, [0, 1], [("1", "0"), ("1", "0")]).are_also_numbers
    True
    """
    if columns.kind == "preference":
        return Reading(lambda answer, texts, letters: 0)
    if columns.kind == "ranking":
        are_ranks = _are_ranks(columns.answer or "", answers)
        return Reading(partial(_by_score, -1 if are_ranks else 1), are_ranks=are_ranks)
    plain = [plain_answer(answer) for answer in answers]
    if columns.kind == "votes":
        start, numbered = numbers_of({vote_word(answer) for answer in plain}, columns.answer_base)
        decode = partial(_by_vote, {**WORDS, **dict.fromkeys(TIES, "tie"), **numbered})
        return Reading(decode, base=start, coding=coding_of(numbered))
    numbers = [_number(answer) for answer in plain]
    n_zero = numbers.count(0)
    n_last = sum(number == len(texts) > 0 for number, texts in zip(numbers, sets, strict=True))
    base, has_both = columns.answer_base, n_zero > 0 and n_last > 0
    first = _usual_base(columns) if n_zero == n_last else int(n_last > n_zero)
    by_number = partial(_by_number, first if base is None else base)
    ways: dict[str, Decoder] = {"text": _by_text, "letter": _by_letter, "number": by_number}
    places_by = {
        name: [by(answer, texts, ()) for answer, texts in zip(plain, sets, strict=True)]
        for name, by in ways.items()
    }
    hits = {name: sum(isinstance(place, int) for place in places) for name, places in places_by.items()}
    is_known = base is not None and 2 * hits["number"] > len(plain)
    way = "number" if is_known else max(hits, key=hits.__getitem__)
    decode = partial(_by_option, ways[way])
    if way == "number":
        is_shown = base is not None or (n_zero != n_last and not has_both)
        return Reading(decode, way, first if base is None else base, not is_shown, has_both and base is None)
    both = [
        one
        for one in zip(places_by["text"], places_by["number"], strict=True)
        if set(map(type, one)) == {int}
    ]
    is_both = len(both) >= NEARLY_ALL * len(plain) and any(text != number for text, number in both)
    return Reading(decode, way, are_also_numbers=way == "text" and is_both)


def _usual_base(columns: ChoiceColumns) -> int:
    """The number of the first option, where the answers do not show it."""
    is_index = any(word in (columns.answer or "").casefold() for word in INDEX)
    first = re.search(r"\d+$", columns.candidates[0])
    return int(first is not None and int(first[0]) == 1 and not is_index)


def _by_option(by: Decoder, answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
    """The place of the option that an answer names; or what is wrong with it."""
    if isinstance(answer, Mapping) and isinstance(answer.get("labels"), list):
        answer = answer["labels"]  # beside the options
    if isinstance(answer, list) and len(answer) > 1:
        return _by_flag(answer, texts)
    value = plain_answer(answer)
    if value is None or value == "":
        return "no_answer"
    if letters and value in letters:
        return letters.index(value)
    place = by(value, texts, letters)
    if place != "foreign_answer":
        return place
    if value.casefold() == "nan":
        return "no_answer"
    return "several_answers" if SEVERAL.fullmatch(value) else place


def plain_answer(answer: Any) -> Any:
    """An answer without the list around it; None if there is none, or several."""
    if isinstance(answer, list):
        return plain_answer(answer[0]) if len(answer) == 1 else None
    if isinstance(answer, Mapping):
        return scalar_text(answer.get("text", ""))
    return None if answer is None else re.sub(r"^(-?\d+)\.0$", r"\1", scalar_text(answer))


def _by_text(answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
    if answer in texts:
        return list(texts).index(answer)
    same = [i for i, text in enumerate(texts) if text.strip().casefold() == str(answer).strip().casefold()]
    if same:
        return same[0] if len(same) == 1 else "same_candidates"
    match = LETTERED.fullmatch(str(answer))
    place = LETTERS.index(match[1]) if match else len(texts)
    is_there = match is not None and place < len(texts) and texts[place].strip().casefold() == match[2].strip().casefold()  # fmt: skip
    return place if is_there else "foreign_answer"


def _by_flag(answer: Sequence[Any], texts: Sequence[str]) -> int | str:
    """The place of the only 1 in a list with a 0 or a 1 for each candidate."""
    if len(answer) != len(texts) or not all(flag in (0, 1) for flag in answer):
        return "several_answers"
    return answer.index(1) if sum(answer) == 1 else "several_answers" if sum(answer) else "no_answer"


def _by_letter(answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
    match = LETTER.match(str(answer).strip())
    place = LETTERS.index(match.group(1).upper()) if match else len(texts)
    return place if place < len(texts) else "foreign_answer"


def _by_number(start: int, answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
    number = _number(answer)
    place = -1 if number is None else number - start
    return place if 0 <= place < len(texts) else "foreign_answer"


def _number(answer: Any) -> int | None:
    return int(answer) if isinstance(answer, str) and re.fullmatch(r"\d{1,3}", answer.strip()) else None


def _are_ranks(name: str, answers: Sequence[Any]) -> bool:
    """Whether a list column holds ranks, of which the lowest is best: it is called so, and has whole numbers up to the number of candidates.

    >>> _are_ranks("rank", [[2, 1, 3], [1, 2]])
    True
    """
    if not RANKS.search(name):
        return False
    lists = [scores for answer in answers if isinstance(answer, list) and (scores := _scores(answer))]
    fitting = [all(score.is_integer() and 0 <= score <= len(scores) for score in scores) for scores in lists]
    return bool(fitting) and sum(fitting) >= NEARLY_ALL * len(fitting)


def score_of(entry: Mapping[str, Any]) -> Any:
    """The score in an object that holds a candidate; None if it has none."""
    return next((entry[key] for key in SCORE_KEYS if entry.get(key) is not None), None)


def _scores(answer: Sequence[Any]) -> list[float] | None:
    """The scores as numbers; None if one is no finite number."""
    try:
        scores = [float(score_of(score) if isinstance(score, Mapping) else score) for score in answer]
    except (TypeError, ValueError):
        return None
    return scores if all(map(isfinite, scores)) else None


def _by_score(sign: int, answer: Any, texts: Sequence[str], letters: Sequence[str]) -> int | str:
    if not isinstance(answer, list) or not answer:
        return "no_answer"
    if len(answer) != len(texts):
        return "other_length"
    scores = _scores(answer)
    if scores is None:
        return "not_numbers"
    best = sign * max(sign * score for score in scores)
    return scores.index(best) if scores.count(best) == 1 else "several_answers"


def numbers_of(votes: Iterable[str], base: int | None = None) -> tuple[int | None, dict[str, int | str]]:
    """The number of the first answer, None if no vote is a number; and the place that each number names, "tie" where it names none.

    base: the number of the first answer, if known. Negative numbers: the sign decides, and 0 is a tie; 1 is the second answer, or with the base 1
    the first. Else with 0: the first answer is 0, the second 1; with the base 1, 1 and 2, or 1 and 0 if no vote is 2. Without 0: 1 and 2. Other
    numbers are ties.

    >>> coding_of(numbers_of(["-1", "0", "1"])[1])
    '-1 = first answer, 0 = tie, 1 = second answer'
    >>> coding_of(numbers_of(["0", "1", "2"], base=1)[1])
    '0 = tie, 1 = first answer, 2 = second answer'
    """
    numbers = {vote for vote in votes if WHOLE.fullmatch(vote)}
    if not numbers:
        return None, {}
    if any(number.startswith("-") for number in numbers):
        sign = 1 if base == 1 else -1
        signs = {number: "tie" if number == "0" else int(int(number) * sign < 0) for number in numbers}
        return int(base == 1), signs
    start = base if base is not None else int("0" not in numbers)
    second = 0 if start == 1 and "0" in numbers and numbers <= {"0", "1"} else start + 1
    ties = dict.fromkeys((number for number in numbers if int(number) < 4), "tie")
    return start, {**ties, str(start): 0, str(second): 1}


def coding_of(places: Mapping[str, int | str]) -> str:
    """What numbers mean, in words."""
    names = {0: "first answer", 1: "second answer", "tie": "tie"}
    return ", ".join(f"{number} = {names[places[number]]}" for number in sorted(places, key=int))


def _by_vote(
    places: Mapping[str, int | str], answer: Any, texts: Sequence[str], makers: Sequence[str]
) -> int | str:
    """The winner of a vote. places: of the words and numbers that name an answer."""
    plain = plain_answer(answer)
    word = vote_word(plain)
    if word in ("", "nan"):
        return "no_answer"
    if word in places:
        return places[word]
    if match := COMPARED.fullmatch(word):
        left, sign, right = match.groups()
        winner: int | str = "foreign_answer" if left == right else WORDS[(left, right)[sign == "<"]]
        return "tie" if sign == "=" else winner
    whole = str(plain).strip()
    for offered in (list(makers), [text.strip() for text in texts]):
        if offered.count(whole) == 1:
            return offered.index(whole)
    return "foreign_answer"


def vote_word(answer: str | None) -> str:
    """A vote without brackets and without what all votes may begin with; true and false as numbers.

    >>> vote_word("model_a"), vote_word("[[B]]"), vote_word("True")
    ('a', 'b', '1')
    """
    word = (answer or "").strip().strip("[]").strip().casefold()
    return FLAGS.get(word, STEM.sub("", word))
