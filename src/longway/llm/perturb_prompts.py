"""The question that changes one person of a text: gender, race or age, everything else kept (perturbation paper, section 2).

    perturb_prompt(lines, place, target)    the lines of a row with the person marked -> the same lines with the person changed
    in_words(target)                        what an attribute is called in the question: "a man", "a child (under 18)"

The wording is our own. The answer is as many numbered lines as were asked about (`line_answers.read_numbered`).
"""

from __future__ import annotations

from collections.abc import Sequence

from longway.demographics.axes import Attribute
from longway.errors import SettingError
from longway.llm.prompt import Prompt
from longway.llm.text_prompts import CLOSE, NO_LABELS, OPEN

_IN_WORDS = {
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


def perturb_prompt(lines: Sequence[str], place: tuple[int, int, int], target: Attribute) -> Prompt:
    """The question for lines in which one person is another.

    lines: of all texts of a row, without line breaks. place: the line, and where in it the word starts and ends that names the person.
    """
    number, start, end = place
    if not 0 <= number < len(lines) or not 0 <= start < end <= len(lines[number]):
        raise SettingError(f"'place' must be a word of one of the {len(lines)} lines. Got {place}.")
    if any(sign in line for line in lines for sign in (OPEN, CLOSE)):
        raise SettingError(
            f"The lines must not hold {OPEN} or {CLOSE}: these mark the person. Leave the row out."
        )
    line = lines[number]
    marked = f"{line[:start]}{OPEN}{line[start:end]}{CLOSE}{line[end:]}"
    values = {
        "shown": [marked if i == number else other for i, other in enumerate(lines)],
        "word": line[start:end],
        "axis": target.axis,
        "target": in_words(target),
    }
    return Prompt("perturb.v1", NO_LABELS, "\n".join(lines), values=values, reads="lines")


def in_words(target: Attribute) -> str:
    """What an attribute is called in the question."""
    return _IN_WORDS[str(target)]
