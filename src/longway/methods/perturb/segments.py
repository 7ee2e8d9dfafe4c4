"""The input and the output of models that perturb (section 4 and footnote 4 of the paper).

    ("Ann left.", "She is gone.")   ->  "Ann left. <SEP> She is gone."      the input of a model (`joined`)
    "Al left. <SEP> He is gone."    ->  ("Al left.", "He is gone.")         the output of a model, by field (`separated`)

Texts are read together, so a person who occurs in several fields is changed in all of them alike. The output of a model must have
as many segments as the input, none of them emptied; the white space around each is restored. A model that writes something else
altogether is detected by the number of changed words (`check_kept`).

A neural perturber reads the word, the target attribute, a mark and the text (`Form`):

    paper       "her gender:man <PERT_SEP> Ann lost her hat."
    released    "her, man <PERT_SEP> Ann lost her hat."

Both forms come from the same authors. The first is printed in section 4 and Table 1 and is what we train with. The second is what the
released model reads, as shown on the model card of facebook/perturber and in the training script of facebookresearch/ResponsibleNLP
(fairscore/seq2seq/train_perturber.py). A model understands only the form it was trained with, so its folder names it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longway.english.people.words import AXES, Attribute
from longway.errors import SettingError
from longway.text.tokenizer import is_word, tokenize

SEP = "<SEP>"
PERT_SEP = "<PERT_SEP>"
MARKS = (PERT_SEP, SEP)
# Words that may change: a few in any text, and a share of a longer one. All rewritings of mt_geneval and neutralrewriter
# (10,126 in both directions, by people and by rules) stay below it.
MAY_CHANGE, AND_SHARE = 3, 0.3


class Unfit(ValueError):  # noqa: N818 - says what happened
    """A text cannot be sent to a model, or its answer cannot be used; the message is a short reason."""


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation."""
    return [token for token in tokenize(text) if is_word(token)]


def n_changed(before: list[str], after: list[str]) -> int:
    """The smallest number of words inserted, deleted or replaced (the edit distance).

    >>> n_changed(words_of("She lost her hat."), words_of("He lost his old hat."))
    3
    """
    row = list(range(len(after) + 1))  # distance of the words so far to the first 0, 1, 2 ... of `after`
    for n, old in enumerate(before, 1):
        left, row[0] = row[0], n
        for place, new in enumerate(after, 1):
            left, row[place] = row[place], min(left + (old != new), row[place] + 1, row[place - 1] + 1)
    return row[-1]


def joined(segments: Sequence[str]) -> str:
    """The segments as one sequence. Raises Unfit if one of them contains a mark.

    >>> joined(["Ann left. ", "She is gone."])
    'Ann left. <SEP> She is gone.'
    """
    for mark in (SEP, PERT_SEP):
        if any(mark in segment for segment in segments):
            raise Unfit(f"the text itself contains {mark}")
    return f" {SEP} ".join(segment.strip() for segment in segments)


def separated(answer: str, segments: Sequence[str]) -> tuple[str, ...]:
    """The segments of an answer. Raises Unfit if they do not match the segments before, whose surrounding white space they get.

    >>> separated("Al left.<SEP>He is gone.", ["Ann left. ", "She is gone."])
    ('Al left. ', 'He is gone.')
    """
    if PERT_SEP in answer:
        raise Unfit(f"the answer contains {PERT_SEP}")
    parts = answer.split(SEP)
    if len(parts) != len(segments):
        raise Unfit(f"{len(segments)} segments were sent and {len(parts)} came back")
    return tuple(with_ends_of(before, part) for part, before in zip(parts, segments, strict=True))


def with_ends_of(before: str, after: str) -> str:
    """The new text with the surrounding white space of the old one. Raises Unfit if only one of them is empty.

    >>> with_ends_of(" she left\\n", "he left")
    ' he left\\n'
    """
    core, new = before.strip(), after.strip()
    if not core and not new:
        return before
    if not core or not new:
        raise Unfit("a text came back empty" if core else "an empty text came back with words")
    start = before.index(core)
    return before[:start] + new + before[start + len(core) :]


def check_kept(before: Sequence[str], after: Sequence[str]) -> None:
    """Raise Unfit if nothing was changed, or more words than a change of one person needs.

    >>> check_kept(["She lost her hat."], ["He lost his hat."])
    >>> check_kept(["She lost her hat."], ["Once upon a time there was a king."])
    Traceback (most recent call last):
    longway.methods.perturb.segments.Unfit: 8 of 4 words were changed, and 4 may be
    """
    if tuple(before) == tuple(after):
        raise Unfit("nothing was changed")
    words = [(words_of(old), words_of(new)) for old, new in zip(before, after, strict=True)]
    n_words = sum(len(old) for old, _ in words)
    n, most = sum(n_changed(*both) for both in words), int(MAY_CHANGE + AND_SHARE * n_words)
    if n > most:
        raise Unfit(f"{n} of {n_words} words were changed, and {most} may be")


# Table 1 of the paper prints gender:man, race:asian and age:young (18-44); the other ages follow section 2 in the same way.
_YEARS = {"child": "<18", "young": "18-44", "middle-aged": "45-64", "senior": "65+", "adult": "unspecified"}
_ATTRIBUTES = [Attribute(axis, name) for axis, names in AXES.items() for name in names]
_PAPER = {
    a: f"age:{a.name} ({_YEARS[a.name]})" if a.axis == "age" else f"{a.axis}:{a.name}" for a in _ATTRIBUTES
}
# The names on the card of facebook/perturber, which are ours without the axis; so are those of PANDA's column target_attribute.
_RELEASED = {attribute: attribute.name for attribute in _ATTRIBUTES}


@dataclass(frozen=True, slots=True)
class Form:
    """How a request is written for a model. pattern: with {word}, {attribute} and {text}. attributes: the name of each."""

    name: str
    pattern: str
    attributes: Mapping[Attribute, str]

    def source(self, segments: Sequence[str], word: str, target: Attribute) -> str:
        """The input of the model. Raises Unfit if the text or the word contains a mark.

        >>> from longway.english.people.words import parse_attribute
        >>> FORMS["released"].source(["Ann lost her hat."], "her", parse_attribute("man"))
        'her, man <PERT_SEP> Ann lost her hat.'
        """
        text, control = joined(segments), joined([word])
        return self.pattern.format(word=control, attribute=self.attributes[target], text=text)


FORMS: dict[str, Form] = {
    "paper": Form("paper", f"{{word}} {{attribute}} {PERT_SEP} {{text}}", _PAPER),
    "released": Form("released", f"{{word}}, {{attribute}} {PERT_SEP} {{text}}", _RELEASED),
}


def form_named(name: str) -> Form:
    """The form with this name."""
    if name not in FORMS:
        raise SettingError(f"There is no input form {name!r}. The forms are: {', '.join(FORMS)}.")
    return FORMS[name]
