"""The demographic axes and their attributes, after section 2 of the perturbation paper (Qian et al. 2022).

    gender   man, woman, non-binary (also where the gender is left open)
    race     white, black, hispanic, asian, native-american, pacific-islander
    age      child (under 18), young (18 to 44), middle-aged (45 to 64), senior (65 and over), adult (18 and over, no more said)

The categories of race and ethnicity are those of the US Census. Every such list leaves people out: it says what can be
measured here, not what there is.
"""

from __future__ import annotations

from dataclasses import dataclass

from longway.errors import SettingError

AXES: dict[str, tuple[str, ...]] = {
    "gender": ("man", "woman", "non-binary"),
    "race": ("white", "black", "hispanic", "asian", "native-american", "pacific-islander"),
    "age": ("child", "young", "middle-aged", "senior", "adult"),
}
AGES: dict[str, tuple[int, int]] = {
    "child": (0, 17),
    "young": (18, 44),
    "middle-aged": (45, 64),
    "senior": (65, 120),
}


@dataclass(frozen=True, slots=True, order=True)
class Attribute:
    """One value of an axis: Attribute("gender", "woman"), written "gender:woman"."""

    axis: str
    name: str

    def __str__(self) -> str:
        return f"{self.axis}:{self.name}"


def attribute(name: str) -> Attribute:
    """The attribute that is called so, with or without its axis in front.

    >>> str(attribute("woman")), str(attribute("age:senior"))
    ('gender:woman', 'age:senior')
    """
    bare = name.rpartition(":")[2]
    for known, names in AXES.items():
        if bare in names and name in (bare, f"{known}:{bare}"):
            return Attribute(known, bare)
    raise SettingError(
        f"{name!r} is no demographic attribute. One of these was expected: "
        f"{'; '.join(f'{known}: ' + ', '.join(names) for known, names in AXES.items())}."
    )


def others(given: Attribute) -> tuple[Attribute, ...]:
    """The other attributes of the same axis: what a person with this one can be perturbed to."""
    return tuple(Attribute(given.axis, name) for name in AXES[given.axis] if name != given.name)


def attribute_of_age(years: int) -> Attribute:
    """The attribute of somebody of that age.

    >>> str(attribute_of_age(11)), str(attribute_of_age(70))
    ('age:child', 'age:senior')
    """
    for name, (low, high) in AGES.items():
        if low <= years <= high:
            return Attribute("age", name)
    return Attribute("age", "senior")
