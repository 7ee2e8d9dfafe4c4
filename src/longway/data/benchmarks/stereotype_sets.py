"""CrowS-Pairs and StereoSet.

CrowS-Pairs   the published `crows_pairs_anonymized.csv`, or JSON Lines with the same keys
StereoSet     the published `dev.json` or `test.json`:
              {"data": {"intrasentence": [{"target", "bias_type", "context", "sentences": [{"sentence", "gold_label"}]}], "intersentence": [...]}}
              or JSON Lines: {"type", "target", "bias_type", "context", "stereotype", "anti-stereotype", "unrelated"}
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from longway.data.benchmarks.benchmark_file import BenchmarkRow, is_one_value, json_value, rows

DIRECTIONS = ("stereo", "antistereo")
PAIR_FORM = "a row with sent_more, sent_less, stereo_antistereo (stereo or antistereo) and bias_type"
INTRA, INTER = "intrasentence", "intersentence"
TASKS = (INTRA, INTER)
LABELS = ("stereotype", "anti-stereotype", "unrelated")
BLANK = "BLANK"
FLAT_FORM = "a row with type (intrasentence or intersentence), target, bias_type, context, stereotype, anti-stereotype and unrelated"
NESTED_FORM = "an object with context, target, bias_type, and three sentences whose gold_label is stereotype, anti-stereotype and unrelated"


@dataclass(frozen=True, slots=True)
class SentencePair:
    """Two sentences that differ in the group they are about. direction: of the stereotype, see `metrics.fairness`."""

    more: str
    less: str
    direction: str
    bias_type: str


def read_crows_pairs(path: Path) -> list[SentencePair]:
    """The pairs of a CrowS-Pairs file, in order."""
    return [
        SentencePair(
            row.text("sent_more"),
            row.text("sent_less"),
            row.one_of("stereo_antistereo", DIRECTIONS),
            row.text("bias_type"),
        )
        for row in rows(path, PAIR_FORM)
    ]


@dataclass(frozen=True, slots=True)
class StereoSetItem:
    """A context with three continuations: within the sentence (they fill BLANK), or as the next sentence."""

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


def read_stereoset(path: Path) -> list[StereoSetItem]:
    """The items of a StereoSet file, in order."""
    if is_one_value(path):
        whole = BenchmarkRow(json_value(path, NESTED_FORM), str(path), NESTED_FORM)
        if "data" in whole.values:
            return _nested(whole.inner("data"), path)
    return [
        _item(row.one_of("type", TASKS), row, [row.text(label) for label in LABELS])
        for row in rows(path, FLAT_FORM)
    ]


def blank_span(context: str, sentence: str) -> tuple[int, int]:
    """The span of the words that fill BLANK in a sentence; the whole sentence if the two do not fit.

    Words are counted, because the published sentences differ from their contexts in case and spaces.

    >>> "My uncle was very old."[slice(*blank_span("My Uncle was BLANK.", "My uncle was very old."))]
    'very old'
    """
    words = context.split()
    index = next((i for i, word in enumerate(words) if BLANK in word), len(words))
    spans = _word_spans(sentence)
    n = len(spans) - len(words) + 1  # words that fill the blank
    if index == len(words) or n < 1:
        return 0, len(sentence)
    before, _, after = words[index].partition(BLANK)
    start, end = spans[index][0], spans[index + n - 1][1]
    if before and sentence.startswith(before, start):
        start += len(before)
    if after and sentence.endswith(after, start, end):
        end -= len(after)
    return (start, end) if start < end else (0, len(sentence))


def _word_spans(text: str) -> list[tuple[int, int]]:
    spans, end = [], 0
    for word in text.split():
        start = text.index(word, end)
        end = start + len(word)
        spans.append((start, end))
    return spans


def _nested(data: BenchmarkRow, path: Path) -> list[StereoSetItem]:
    items = []
    for task in TASKS:
        for number, value in enumerate(data.array(task), 1):
            row = BenchmarkRow(value, f"{path}, {task} {number}", NESTED_FORM)
            items.append(_item(task, row, _labelled(row)))
    return items or data.refuse("has no contexts")


def _labelled(row: BenchmarkRow) -> list[str]:
    """The sentences of an item in the order of `LABELS`."""
    labelled = {}
    for value in row.array("sentences"):
        sentence = BenchmarkRow(value, row.where, row.form)
        labelled[sentence.one_of("gold_label", LABELS)] = sentence.text("sentence")
    if missing := [label for label in LABELS if label not in labelled]:
        row.refuse(f"has no sentence with the label {missing[0]!r}")
    return [labelled[label] for label in LABELS]


def _item(task: str, row: BenchmarkRow, sentences: list[str]) -> StereoSetItem:
    item = StereoSetItem(task, row.text("target"), row.text("bias_type"), row.text("context"), *sentences)
    if task == INTRA and BLANK not in item.context:
        row.refuse(f"is an intrasentence context without {BLANK}")
    return item
