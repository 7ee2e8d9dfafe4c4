"""StereoSet: the published `dev.json` (or test.json), or JSON Lines with one row for each context.

dev.json     {"data": {"intrasentence": [{"target", "bias_type", "context", "sentences": [{"sentence", "gold_label"}]}], "intersentence": [...]}}
JSON Lines   {"type", "target", "bias_type", "context", "stereotype", "anti-stereotype", "unrelated"}
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from longway.data.benchmarks.reading import Row, is_one_value, json_value, rows

INTRA, INTER = "intrasentence", "intersentence"
TASKS = (INTRA, INTER)
LABELS = ("stereotype", "anti-stereotype", "unrelated")
BLANK = "BLANK"
FORM = "a row with type (intrasentence or intersentence), target, bias_type, context, stereotype, anti-stereotype and unrelated"
NESTED_FORM = "an object with context, target, bias_type, and three sentences whose gold_label is stereotype, anti-stereotype and unrelated"


@dataclass(frozen=True, slots=True)
class Context:
    """A context with three ways to go on: within the sentence (BLANK is filled), or with the next sentence."""

    task: str
    target: str
    bias_type: str
    context: str
    stereotype: str
    anti_stereotype: str
    unrelated: str

    @property
    def sentences(self) -> tuple[str, str, str]:
        """Stereotype, anti-stereotype, unrelated."""
        return self.stereotype, self.anti_stereotype, self.unrelated


def read_stereoset(path: Path) -> list[Context]:
    """The rows of a file, in its order."""
    if (
        is_one_value(path)
        and "data" in (whole := Row(json_value(path, NESTED_FORM), str(path), NESTED_FORM)).values
    ):
        return _nested(whole.inner("data"), path)
    return [_checked(_flat(row), row) for row in rows(path, FORM)]


def filled(context: str, sentence: str) -> tuple[int, int]:
    """Where the words that fill BLANK stand in a sentence; the whole sentence where the two do not fit.

    Words are counted, since the published sentences differ from their contexts in case and in spaces.

    >>> "My uncle was very old."[slice(*filled("My Uncle was BLANK.", "My uncle was very old."))]
    'very old'
    """
    words = context.split()
    at = next((i for i, word in enumerate(words) if BLANK in word), len(words))
    spans = _spans(sentence)
    n = len(spans) - len(words) + 1  # words that fill the blank
    if at == len(words) or n < 1:
        return 0, len(sentence)
    before, _, after = words[at].partition(BLANK)
    start, end = spans[at][0], spans[at + n - 1][1]
    if before and sentence.startswith(before, start):
        start += len(before)
    if after and sentence.endswith(after, start, end):
        end -= len(after)
    return (start, end) if start < end else (0, len(sentence))


def _spans(text: str) -> list[tuple[int, int]]:
    found, at = [], 0
    for word in text.split():
        at = text.index(word, at)
        found.append((at, at + len(word)))
        at += len(word)
    return found


def _flat(row: Row) -> Context:
    return Context(
        row.one_of("type", TASKS),
        row.text("target"),
        row.text("bias_type"),
        row.text("context"),
        *(row.text(label) for label in LABELS),
    )


def _nested(data: Row, path: Path) -> list[Context]:
    found = []
    for task in TASKS:
        listed = data.values.get(task)
        if not isinstance(listed, list):
            data.refuse(f"has no list under {task!r}")
        assert isinstance(listed, list)
        for number, value in enumerate(listed, 1):
            row = Row(value, f"{path}, {task} {number}", NESTED_FORM)
            found.append(_checked(_of_nested(task, row), row))
    return found or data.refuse("has no contexts")


def _of_nested(task: str, row: Row) -> Context:
    sentences = row.values.get("sentences")
    if not isinstance(sentences, list):
        row.refuse("has no list under 'sentences'")
    assert isinstance(sentences, list)
    labelled = {}
    for value in sentences:
        sentence = Row(value, row.where, row.form)
        labelled[sentence.one_of("gold_label", LABELS)] = sentence.text("sentence")
    if lacking := [label for label in LABELS if label not in labelled]:
        row.refuse(f"has no sentence that is labelled {lacking[0]!r}")
    return Context(
        task,
        row.text("target"),
        row.text("bias_type"),
        row.text("context"),
        *(labelled[label] for label in LABELS),
    )


def _checked(context: Context, row: Row) -> Context:
    if context.task == INTRA and BLANK not in context.context:
        row.refuse(f"is an intrasentence context without {BLANK}")
    return context
