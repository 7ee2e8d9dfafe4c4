"""What a neural perturber reads: the word, what it is to become, a mark, the text (section 4 of the paper).

    paper       "her gender:man <PERT_SEP> Ann lost her hat."
    released    "her, man <PERT_SEP> Ann lost her hat."

Both come from the same authors. The first is what section 4 and Table 1 print, and what we train with; the second is what the model
they released reads: the model card of facebook/perturber and the training script of facebookresearch/ResponsibleNLP
(fairscore/seq2seq/train_perturber.py) show it. A model understands the form it was trained with and no other, so its folder says which that is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longway.english.people.demographics import AXES, Attribute, parse_attribute
from longway.errors import SettingError
from longway.methods.perturb.segments import PERT_SEP, SEP, joined

MARKS = (PERT_SEP, SEP)

# Table 1 of the paper prints gender:man, race:asian and age:young (18-44); the other ages are made likewise from section 2.
_YEARS = {"child": "<18", "young": "18-44", "middle-aged": "45-64", "senior": "65+", "adult": "unspecified"}
_PAPER = {
    Attribute(axis, name): f"age:{name} ({_YEARS[name]})" if axis == "age" else f"{axis}:{name}"
    for axis, names in AXES.items()
    for name in names
}
# The card of facebook/perturber lists these, which are ours without the axis; so does PANDA's column target_attribute.
_RELEASED = {Attribute(axis, name): name for axis, names in AXES.items() for name in names}


@dataclass(frozen=True, slots=True)
class Form:
    """How a request is written for a model. pattern: with {word}, {attribute} and {text}. attributes: what each is called."""

    name: str
    pattern: str
    attributes: Mapping[Attribute, str]

    def source(self, segments: Sequence[str], word: str, target: Attribute) -> str:
        """What the model reads; `segments.Unfit` where the text or the word holds a mark itself.

        >>> FORMS["released"].source(["Ann lost her hat."], "her", parse_attribute("man"))
        'her, man <PERT_SEP> Ann lost her hat.'
        """
        text, control = joined(segments), joined([word])
        return self.pattern.format(word=control, attribute=self.attributes[target], text=text)


FORMS: dict[str, Form] = {
    "paper": Form("paper", f"{{word}} {{attribute}} {PERT_SEP} {{text}}", _PAPER),
    "released": Form("released", f"{{word}}, {{attribute}} {PERT_SEP} {{text}}", _RELEASED),
}
_KNOWN = {called.lower(): known for form in FORMS.values() for known, called in form.attributes.items()}


def form_named(name: str) -> Form:
    """The form with this name."""
    if name not in FORMS:
        raise SettingError(f"There is no input form {name!r}. The forms are: {', '.join(FORMS)}.")
    return FORMS[name]


def attribute_called(name: str) -> Attribute:
    """The attribute that a file of perturbations calls so, in either form; SettingError where there is none.

    >>> str(attribute_called("woman")), str(attribute_called("age:young (18-44)"))
    ('gender:woman', 'age:young')
    """
    plain = name.strip().lower()
    return _KNOWN.get(plain) or parse_attribute(plain)
