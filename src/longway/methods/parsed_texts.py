"""English texts as the rules that write read them: parsed once, many together, and kept in memory.

parse = parsed_texts()
parse.add(texts)                        parses many together, which is much faster than one by one
parse(text)                             its `Document`
why_not_by_rules(task, text, *parsed)   why rules cannot write about a text, "" if they can
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from longway.english.document import Document
from longway.english.pipeline import load_pipeline
from longway.english.rules.sentence import read_all
from longway.language_names import ENGLISH
from longway.languages.row_languages import NOT_ENGLISH, language_in
from longway.task import Task
from longway.text.tokenizer import is_longer_than

SHARD = 64  # texts that another process writes together
LONGEST = 1_500  # tokens of a text that is parsed: parsing time grows faster than the text
MAX_CACHED = 50_000  # parsed texts kept in memory
TOO_LONG = f"longer than {LONGEST:,} words: too long for the rules"


class NoRule(Exception):  # noqa: N818 - not an error of the program
    """The rules have no answer; the message says why."""


class ParsedTexts:
    """Parses texts with the English pipeline, and keeps the latest."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}

    def __call__(self, text: str) -> Document:
        """The document of a text."""
        if text not in self._documents:
            self.add([text])
        return self._documents[text]

    def add(self, texts: Iterable[str]) -> None:
        """Parse many texts together, except those that are too long."""
        new = [
            text
            for text in dict.fromkeys(texts)
            if text not in self._documents and not is_longer_than(text, LONGEST)
        ]
        for document in read_all(load_pipeline(), new) if new else ():
            if len(self._documents) >= MAX_CACHED:
                del self._documents[next(iter(self._documents))]  # the oldest
            self._documents[document.text] = document


@cache
def parsed_texts() -> ParsedTexts:
    """The parsed texts of this process."""
    return ParsedTexts()


def why_not_by_rules(task: Task, text: str, *parsed: str) -> str:
    """Why rules cannot write about a text; "" if they can. parsed: texts that must be parsed for it."""
    if language_in(text, task.language or ENGLISH, task.languages) != ENGLISH:
        return NOT_ENGLISH
    return TOO_LONG if any(is_longer_than(one, LONGEST) for one in parsed) else ""
