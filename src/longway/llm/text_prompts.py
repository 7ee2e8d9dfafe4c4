"""Questions of the methods that CoBA is compared with: a text goes in, other texts come back.

counterfactual_prompt      the smallest change that makes another label true
translate_prompt           the text in another language
translate_back_prompt      and back
fill_prompt                some words replaced by others that fit
"""

from __future__ import annotations

from collections.abc import Sequence

from longway.errors import SettingError
from longway.llm.prompt import Prompt, without_row
from longway.task import Task

NO_LABELS = Task("labels", ())
OPEN, CLOSE = "⟦", "⟧"  # around the words to be replaced; a text that has them is shown without


def counterfactual_prompt(
    task: Task, text: str, *, label: str, target: str, context: str | None = None
) -> Prompt:
    """The question for the smallest change that makes the label `target` true."""
    about = without_row(task, text, context)
    return Prompt("counterfactual.v1", about, text, context, label, values={"target": target})


def translate_prompt(text: str, *, language: str) -> Prompt:
    """The question how a text reads in another language."""
    return Prompt("translate.v1", NO_LABELS, text, values={"language": language, "source": None})


def translate_back_prompt(text: str, *, language: str, into: str = "English") -> Prompt:
    """The question how a translation reads in the language it came from. language: the one it is in."""
    return Prompt("translate.v1", NO_LABELS, text, values={"language": into, "source": language})


def fill_prompt(
    task: Task, text: str, *, label: str | None, marked: Sequence[tuple[int, int]], context: str | None = None
) -> Prompt:
    """The question for other words in some places of a text. marked: where they start and end, in order."""
    places = [0, *(place for span in marked for place in span), len(text)]
    if not marked or places != sorted(places):
        raise SettingError(
            f"'marked' must be places inside the text, in order and apart. Got {list(marked)} in {len(text)} characters."
        )
    values = {"marked": [list(span) for span in marked], "shown": _shown(text, marked)}
    return Prompt("fill.v1", without_row(task, text, context), text, context, label, values=values)


def _shown(text: str, marked: Sequence[tuple[int, int]]) -> str:
    """The text with the words to be replaced in brackets of their own.

    >>> _shown("a red car", [(2, 5)])
    'a ⟦red⟧ car'
    """
    parts, end = [], 0
    for start, stop in marked:
        parts += [_bare(text[end:start]), OPEN, _bare(text[start:stop]), CLOSE]
        end = stop
    return "".join([*parts, _bare(text[end:])])


def _bare(text: str) -> str:
    return text.replace(OPEN, "[").replace(CLOSE, "]")
