"""Prompts: a versioned template and the row it is about.

A prompt is a row of `PROMPTS`, which names its template, the form of its answer and the function that reads it, and a function that makes it.
Templates are files in `prompts/`, named after their purpose and version (`rewrite.v2.jinja`); a changed wording gets a new version.
Engines send `Prompt.messages()`. A row of a dataset is data: it is inserted fenced and escaped, and never becomes part of an instruction.

    rewrite_prompt, judge_prompt             RAZOR: rewrite a text, choose its label
    triples_prompt, alter_prompt, realise_prompt, identify_prompt, pick_prompt      CoBA, section 3.3 and appendix H; our own wording
    edit_prompt                              repair: put a phrase in, or change the length
    without_prompt                           repair: change the topic or the tone
    counterfactual_prompt                    the smallest change to another label
    candidate_prompt, shorten_prompt, answer_prompt      repair of data with candidates: rewrite a wrong one, shorten the better answer, choose the right one
    perturb_prompt                           perturbation paper, section 2: change one person; our own wording
    mended                                   the same prompt after an answer that could not be used
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

from longway.engines.answers import checked_text, read_identified, read_numbered, read_pair, read_picked
from longway.english.people.words import Attribute
from longway.english.triples.triple import Triple, parse, parse_pair
from longway.errors import SettingError
from longway.language_names import ENGLISH, UNKNOWN, name_of
from longway.languages.row_languages import language_in
from longway.task import Keeps, Stance, Task

NO_LABELS = Task("labels", ())
TEXT_TO_TEXT = NO_LABELS  # a text and the text generated from it
OPEN, CLOSE = "⟦", "⟧"  # mark words of a text
SHORTENED = 40  # words of an example
LONGEST_REPEATED = 4000  # characters of a rejected answer that are shown again
_DESCRIPTIONS = {
    "gender:man": "a man",
    "gender:woman": "a woman",
    "gender:non-binary": "a person whose gender is non-binary or left open (they, them, their, themselves)",
    "race:white": "a white person",
    "race:black": "a Black person",
    "race:hispanic": "a Hispanic or Latino person",
    "race:asian": "an Asian person",
    "race:native-american": "a Native American or Alaska Native person",
    "race:pacific-islander": "a Native Hawaiian or Pacific Islander",
    "age:child": "a child (under 18)",
    "age:young": "a young adult (18 to 44)",
    "age:middle-aged": "a middle-aged person (45 to 64)",
    "age:senior": "an old person (65 or over)",
    "age:adult": "an adult, with no more said about the age",
}


_TURN = re.compile(r"^=== (user|assistant) ===\n", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")  # between parts of a template; rows have no line breaks, they are fenced
_WORD = re.compile(r"[a-z]+")
_WITHOUT_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_NAME = re.compile(r"(?<![.!?] )(?<!^)[A-Z][\w'’-]*(?: (?:(?:of|the|and|for) )?[A-Z][\w'’-]*)+")
_TOXIC = frozenset("toxic hate hateful offensive abusive abuse insult insulting harassment spam".split())
_DENIALS = frozenset("no non not none never".split())
_TOPICS = frozenset(
    "world sports sport business sci tech science technology politics political health entertainment culture travel food finance education weather art arts".split()
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request to an engine about one row.

    kind: a name of `PROMPTS`. text, context: the row. label: the label to keep; None if it is to be found.
    avoid: label-correlated words and phrases to remove. values: other values that the template needs.
    """

    kind: str
    task: Task
    text: str
    context: str | None = None
    label: str | None = None
    avoid: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def template(self) -> str:
        """The file of its wording, "rewrite.v2"."""
        return PROMPTS[self.kind].template

    @property
    def has_lines(self) -> bool:
        """Whether the answer is one list of lines, such as numbered triples, and not several texts or a label."""
        return PROMPTS[self.kind].reads == "lines"

    def read(self, answer: str) -> Any:
        """What an answer in lines, or one of its texts, says; raises BadTriples if it cannot be used."""
        return PROMPTS[self.kind].read(self, answer)

    @property
    def language(self) -> str:
        """The language of the text, as an ISO 639 code; "" for English, "und" if it is unknown but not English."""
        found = language_in(self.text, self.task.language or ENGLISH, self.task.languages)
        return "" if found == ENGLISH else found

    def messages(self, **more: Any) -> list[dict[str, str]]:
        """The prompt as chat messages, system first. more: values set by the engine, such as the number of texts."""
        parts = _template(self.template).render(
            task=self.task,
            text=self.text,
            context=self.context,
            label=self.label,
            avoid=self.avoid,
            written_in="" if self.language in ("", UNKNOWN) else name_of(self.language),
            **self.values,
            **more,
        )
        system, *turns = _TURN.split(_BLANK_LINES.sub("\n\n", parts))
        messages = [{"role": "system", "content": system.strip()}]
        for role, content in zip(turns[::2], turns[1::2], strict=True):
            messages.append({"role": role, "content": content.strip()})
        return messages


def _read_text(prompt: Prompt, answer: str) -> str:
    return answer


def _read_triples(prompt: Prompt, answer: str) -> tuple[list[Triple], list[Triple]]:
    """The triples of the context, empty without one, and of the text."""
    if prompt.context is None:
        return [], parse(answer, may_be_whole=True)
    return parse_pair(answer, may_be_whole=True)


def _read_altered(prompt: Prompt, answer: str) -> list[Triple]:
    """As many triples as there were, those of the context first."""
    n = len(prompt.values["context_triples"]) + len(prompt.values["triples"])
    return parse(answer, n=n, may_be_whole=True)


def _read_realised(prompt: Prompt, answer: str) -> tuple[None, str]:
    """No new context, and the text."""
    return None, checked_text(answer)


def _read_realised_pair(prompt: Prompt, answer: str) -> tuple[str, str]:
    return read_pair(answer)


def _read_words(prompt: Prompt, answer: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return read_identified(answer)


def _read_positions(prompt: Prompt, answer: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return read_picked(answer, len(prompt.values["source"]), len(prompt.values["target"]))


def _read_perturbed(prompt: Prompt, answer: str) -> list[str]:
    """As many lines as there were."""
    return read_numbered(answer, len(prompt.values["shown"]))


class PromptKind(NamedTuple):
    """A row of `PROMPTS`.

    template: its wording, a file of `prompts/` with its version. reads: the form of the answer: "texts", "lines", or "label" for engines that judge.
    read: what an answer says. calls_after: calls of the method that follow from an answer, about as long as this one.
    is_first: whether it begins such a chain, so that money for all of it must be left when it is sent.
    """

    template: str
    reads: Literal["texts", "lines", "label"] = "texts"
    read: Callable[[Prompt, str], Any] = _read_text
    calls_after: int = 0
    is_first: bool = False


PROMPTS = {
    "rewrite": PromptKind("rewrite.v2"),
    "edit": PromptKind("edit.v2"),
    "without": PromptKind("without.v1"),
    "counterfactual": PromptKind("counterfactual.v2"),
    "identify": PromptKind("identify.v2", "lines", _read_words, calls_after=3, is_first=True),
    "triples": PromptKind("triples.v2", "lines", _read_triples, calls_after=2, is_first=True),
    "alter": PromptKind("alter.v2", "lines", _read_altered, calls_after=1),
    "pick": PromptKind("pick.v1", "lines", _read_positions, calls_after=1),
    "realise": PromptKind("realise.v2", "texts", _read_realised),
    "realise a pair": PromptKind("realise.v2", "lines", _read_realised_pair),
    "perturb": PromptKind("perturb.v2", "lines", _read_perturbed),
    "candidate": PromptKind("candidate.v3"),
    "shorten": PromptKind("shorten.v1"),
    "judge": PromptKind("judge.v2", "label"),
    "answer": PromptKind("answer.v1", "label"),
}


def rewrite_prompt(
    task: Task,
    text: str,
    *,
    label: str,
    context: str | None = None,
    avoid: Sequence[str] = (),
    refused: tuple[str, str] | None = None,
    keeps: Keeps | None = None,
) -> Prompt:
    """Asks for texts that keep the label, or even the meaning: as the task and the label want it, unless `keeps` says so.

    avoid: label-correlated words and phrases to remove; those that only occur in names stay. refused: an earlier text, and why.
    """
    is_free = (keeps or task.keeps(label)) == "label" and context is not None
    stance = task.stances[label] if is_free else None
    kept = outside_names(avoid, text)
    values = {
        "stance": stance,
        "shown": shown_rewrites(task, stance),
        "refused": refused,
    }
    about = without_row(task, text, context)
    return Prompt("rewrite", about, text, context, label, kept, values=values)


def shown_rewrites(task: Task, stance: Stance | None) -> list[dict[str, Any]]:
    """Rewrites that show what is wanted: for the stance of a label, or for the family of the task."""
    stance = "neutral" if stance == "does not entail" else stance
    if task.is_zero_shot:
        return []
    name = stance or ("pair" if task.is_pair else family_of(task))
    return [{"context": None, **one} for one in _shown("shown-rewrites.v2.toml")[name]]


def family_of(task: Task) -> str:
    """The family of tasks that single texts belong to, by the names of the labels: sentiment, topic, toxicity or other.

    >>> family_of(Task("labels", ("World", "Sports", "Sci/Tech")))
    'topic'
    """
    words = [set(_WORD.findall(label.lower())) for label in task.labels]
    if task.kind == "sentiment":
        return "sentiment"
    if any(each & _TOXIC for each in words):
        return "toxicity"
    return "topic" if sum(bool(each & _TOPICS) for each in words) >= 2 else "other"


def outside_names(phrases: Sequence[str], text: str) -> tuple[str, ...]:
    """The phrases with letters that a text has outside of names."""
    return tuple(one for one in phrases if any(map(str.isalpha, one)) and not _is_in_names(one, text))


def _is_in_names(phrase: str, text: str) -> bool:
    """Whether a phrase is part of a name of several words wherever it occurs in a text.

    >>> _is_in_names("world", "The Times World Rankings rank the best."), _is_in_names("best", "The Times World Rankings rank the best.")
    (True, False)
    """
    places = [
        match.span() for match in re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE)
    ]
    words = [word for word in text.split() if word[0].isalpha()]
    if 4 * sum(word[0].isupper() for word in words) > 3 * len(words):
        return False  # capitals tell nothing in a headline
    names = [match.span() for match in _NAME.finditer(text)]
    inside = [any(start <= a and b <= end for start, end in names) for a, b in places]
    return bool(places) and all(inside)


def edit_prompt(
    task: Task,
    text: str,
    *,
    label: str,
    context: str | None = None,
    include: str = "",
    place: Literal["", "first", "last"] = "",
    least: int | None = None,
    most: int | None = None,
) -> Prompt:
    """Asks for one change that keeps the label: words to include, and where; the fewest or the most words."""
    wanted = {"include": include, "place": place, "least": least, "most": most}
    kinds = [
        place or "include" if include else "",
        "" if least is None else "least",
        "" if most is None else "most",
    ]
    examples = [one for kind in kinds if kind for one in _shown("shown-edits.v2.toml")[kind]]
    nothing = {"include": "", "place": "", "least": None, "most": None}
    values = {**wanted, "shown": [] if task.is_zero_shot else [nothing | one for one in examples]}
    return Prompt("edit", without_row(task, text, context), text, context, label, values=values)


def without_prompt(
    task: Task,
    text: str,
    *,
    label: str,
    context: str | None = None,
    words: Sequence[str],
    typical: Sequence[str] = (),
) -> Prompt:
    """Asks for texts without a topic or tone that keep the label. words, typical: words and texts that show the topic or tone."""
    values = {"words": tuple(words), "typical": tuple(typical)}
    return Prompt("without", without_row(task, text, context), text, context, label, values=values)


def judge_prompt(task: Task, text: str, *, context: str | None = None, original: str | None = None) -> Prompt:
    """Asks for the label of a text, without showing the expected label or the original.

    original: the text it was generated from; used only to exclude that row from the examples.
    """
    values = {"shown": shown_judgements(task)}
    return Prompt("judge", without_row(task, original, context), text, context, values=values)


def candidate_prompt(
    question: str, wrong: str, right: str, others: Sequence[str], *, least: int, most: int, is_pair: bool
) -> Prompt:
    """Asks for a wrong candidate in the form of the right one, with so many words. is_pair: of two answers, not of several options."""
    values = {"right": right, "others": tuple(others), "least": least, "most": most, "is_pair": is_pair}
    return Prompt("candidate", NO_LABELS, wrong, question, values=values)


def shorten_prompt(question: str, answer: str, *, least: int, most: int) -> Prompt:
    """Asks for a shorter version of an answer, with so many words."""
    return Prompt("shorten", NO_LABELS, answer, question, values={"least": least, "most": most})


def answer_prompt(question: str, candidates: Sequence[str], *, is_pair: bool) -> Prompt:
    """Asks which of the candidates is right, by its number from 1."""
    values = {"shown": tuple(candidates), "is_pair": is_pair}
    return Prompt("answer", NO_LABELS, "\n".join(candidates), question, values=values)


def shown_judgements(task: Task) -> list[dict[str, str | None]]:
    """Judged rows that show what the labels mean; none if their names do not tell what they stand for."""
    if task.is_zero_shot:
        return []
    labels = _labels_by_meaning(task)
    shown = _shown("shown-judgements.v2.toml")["shown"]
    meant = [(one, labels.get(one.get("stance") or one["sentiment"])) for one in shown]
    return [
        {"text": one["text"], "context": one.get("context"), "label": label} for one, label in meant if label
    ]


def _labels_by_meaning(task: Task) -> dict[str, str]:
    """The label for each stance or side: {"entails": "SUPPORTS", ...}, {"positive": "pos", ...}; empty if the names do not tell."""
    if task.kind == "sentiment":
        return {side: label for label, side in task.sides.items()}
    if family_of(task) == "toxicity" and len(task.labels) == 2:
        words = [set(_WORD.findall(label.lower())) for label in task.labels]
        toxic = [bool(each & _TOXIC) and not each & _DENIALS for each in words]
        if sum(toxic) == 1:
            return dict(zip(("toxic", "not toxic"), task.labels[:: 1 if toxic[0] else -1], strict=True))
    labels: dict[str, str] = {stance: label for label, stance in task.stances.items()}
    if "does not entail" in labels:
        labels |= {"contradicts": labels["does not entail"], "neutral": labels["does not entail"]}
    return labels


def triples_prompt(task: Task, text: str, *, context: str | None = None) -> Prompt:
    """Asks for the triples of a text; with a context, for those of both."""
    examples = _shown("shown-triples.v2.toml")["text" if context is None else "pair"]
    values = {"shown": [{"context": None, **one} for one in examples]}
    return Prompt("triples", without_row(task, text, context), text, context, values=values)


def alter_prompt(
    task: Task,
    triples: Sequence[Triple],
    *,
    label: str,
    target: str,
    keep: Sequence[str] = (),
    text: str,
    context: str | None = None,
    context_triples: Sequence[Triple] = (),
) -> Prompt:
    """Asks how triples of a text must change for another label. The answer has one line for each triple, those of the context first.

    label: its label; target: the wanted one. keep: words of the triples that must remain. text: the whole text.
    context_triples: those of the context, if it may change as well.
    """
    values = {
        "triples": _parts(triples),
        "context_triples": _parts(context_triples),
        "target": target,
        "keep": list(keep),
    }
    about = without_row(task, text, context)
    return Prompt("alter", about, text, context, label, values=values)


def realise_prompt(
    task: Task,
    triples: Sequence[Triple],
    *,
    label: str | None,
    text: str,
    keep: Sequence[str] = (),
    context_triples: Sequence[Triple] | None = None,
    context_keep: Sequence[str] = (),
) -> Prompt:
    """Asks for a text that says what the triples say, in their order.

    label: the label of the new text. text: the source of the triples; it is not shown, and a copy of it is no answer.
    keep: words of the triples that the text must have. context_triples: those of the context, if it is to be written as well.
    context_keep: words that the context must have.
    """
    pair = None if context_triples is None else _parts(context_triples)
    values = {
        "triples": _parts(triples),
        "keep": list(keep),
        "context_triples": pair,
        "context_keep": list(context_keep),
    }
    kind = "realise" if context_triples is None else "realise a pair"
    return Prompt(kind, without_row(task, text, None), text, None, label, values=values)


def identify_prompt(task: Task, text: str, *, label: str, k: int, context: str | None = None) -> Prompt:
    """Asks for up to k words that decide the label, and up to k that are merely correlated with it."""
    about, labels = without_row(task, text, context), _labels_by_meaning(task)
    examples = _shown("shown-words.v2.toml")["pair" if context is not None else family_of(task)]
    shown = [
        {"context": None, **one, "label": labels.get(one.get("meaning", ""), one["label"])}
        for one in ([] if task.is_zero_shot else examples)
    ]
    values = {"k": k, "shown": shown}
    return Prompt("identify", about, text, context, label, values=values)


def pick_prompt(source_triples: Sequence[Triple], target_triples: Sequence[Triple]) -> Prompt:
    """Asks for the triples of a text, and of the text generated from it, that carry the topic of the pair (section 4.5)."""
    values = {"source": _parts(source_triples), "target": _parts(target_triples)}
    text, other = (". ".join(triple.text for triple in side) for side in (source_triples, target_triples))
    return Prompt("pick", TEXT_TO_TEXT, text, other, values=values)


def counterfactual_prompt(
    task: Task, text: str, *, label: str, target: str, context: str | None = None
) -> Prompt:
    """Asks for the smallest change that makes the label `target` true."""
    stance = task.stances.get(target) if context is not None else None
    values = {"target": target, "stance": stance, "shown": shown_counterparts(task, target, stance)}
    return Prompt("counterfactual", without_row(task, text, context), text, context, label, values=values)


def shown_counterparts(task: Task, target: str, stance: Stance | None) -> list[dict[str, Any]]:
    """Counterparts that show what is wanted, with the dataset's own names of labels where their meaning is known."""
    if task.is_zero_shot or (task.is_pair and stance is None):
        return []
    stance = "contradicts" if stance == "does not entail" else stance
    labels = _labels_by_meaning(task)
    if stance is None:
        labels = {label.lower(): label for label in task.labels} | labels
    shown = []
    for one in _shown("shown-counterparts.v2.toml")[stance or family_of(task)]:
        if stance is None:
            label, after = labels.get(one["from"], one["from"]), labels.get(one["to"], one["to"])
        elif one["from"] in labels:
            label, after = labels[one["from"]], target
        else:
            continue
        shown.append({"context": None, **one, "label": label, "target": after})
    return shown


def perturb_prompt(lines: Sequence[str], place: tuple[int, int, int], target: Attribute) -> Prompt:
    """Asks for the same lines with one person changed (gender, race or age).

    lines: all texts of a row, line by line. place: the line, and the span in it of the word that names the person.
    """
    number, start, end = place
    if not 0 <= number < len(lines) or not 0 <= start < end <= len(lines[number]):
        raise SettingError(f"'place' must be a word of one of the {len(lines)} lines. Got {place}.")
    if any(sign in line for line in lines for sign in (OPEN, CLOSE)):
        raise SettingError(
            f"The lines must not contain {OPEN} or {CLOSE}, which mark the person. Skip this row."
        )
    line = lines[number]
    marked = f"{line[:start]}{OPEN}{line[start:end]}{CLOSE}{line[end:]}"
    values = {
        "shown": [marked if i == number else other for i, other in enumerate(lines)],
        "word": line[start:end],
        "axis": target.axis,
        "target": description_of(target),
        "examples": [
            one | {"target": _DESCRIPTIONS[one["target"]]}
            for one in _shown("shown-perturbations.v2.toml")[target.axis]
        ],
    }
    return Prompt("perturb", NO_LABELS, "\n".join(lines), values=values)


def description_of(target: Attribute) -> str:
    """What an attribute is called in a prompt: "a man", "a child (under 18)"."""
    return _DESCRIPTIONS[str(target)]


def mended(prompt: Prompt, answer: str, reason: str) -> Prompt:
    """The same prompt, with an earlier answer that could not be used, and why."""
    wrong = {"answer": answer[:LONGEST_REPEATED], "reason": reason}
    return replace(prompt, values={**prompt.values, "wrong": wrong})


def without_row(task: Task, text: str | None, context: str | None) -> Task:
    """The task without this row among its examples, which would reveal the answer."""
    kept = tuple(
        example
        for example in task.examples
        if example.text != text and (context is None or example.context != context)
    )
    return task if len(kept) == len(task.examples) else replace(task, examples=kept)


def fenced(text: str) -> str:
    """The text as a JSON string, so that nothing in it can end the fence or look like an instruction.

    >>> fenced('say "hi"')
    '"say \\\\"hi\\\\""'
    """
    # "<" and ">" are escaped so that a row cannot open or close one of the template's tags.
    fence = json.dumps(text, ensure_ascii=False).replace("<", "\\u003c").replace(">", "\\u003e")
    # A lone surrogate has no UTF-8 form; its escape can be sent.
    return fence.encode("utf-8", "backslashreplace").decode("utf-8")


def _parts(triples: Sequence[Triple]) -> list[list[str]]:
    return [[triple.subject, triple.predicate, triple.object] for triple in triples]


@cache
def _shown(name: str) -> dict[str, list[dict[str, Any]]]:
    file = files("longway.engines") / "prompts" / name
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _shortened(text: str) -> str:
    """The first words of a text, enough to see what its label means."""
    words = text.split()
    return text if len(words) <= SHORTENED else " ".join([*words[:SHORTENED], "..."])


def _is_without_spaces(text: str) -> bool:
    """Whether most letters of a text are of a script without spaces between words."""
    return 2 * len(_WITHOUT_SPACES.findall(text)) > sum(map(str.isalpha, text))


def _length_in_words(text: str) -> int:
    """The length of a text in words; in characters if it has no spaces between words.

    >>> _length_in_words("A long film"), _length_in_words("电影很长。")
    (3, 5)
    """
    return len("".join(text.split())) if _is_without_spaces(text) else len(text.split())


@cache
def _template(name: str) -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("longway.engines", "prompts"),
        undefined=StrictUndefined,
        autoescape=False,  # not HTML; rows are inserted through `fenced`
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["fenced"] = fenced
    environment.filters["shortened"] = _shortened
    environment.filters["length_in_words"] = _length_in_words
    environment.filters["unit"] = lambda text: "characters" if _is_without_spaces(text) else "words"
    return environment.get_template(f"{name}.jinja")
