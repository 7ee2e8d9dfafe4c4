"""The tags that raters give to the items of a sample.

    EDITED         an edit of a rewrite, an augmentation or a repair
    PERTURBED      an edit of a perturbation: the tags of appendix E of "Perturbation Augmentation for Fairer NLP" (Qian et al. 2022)
    UNPERTURBED    a row with a demographic word that the perturbation left unchanged

Every item gets one of two verdicts, and any of the tags. A tag may have reasons: a reason implies its tag. "stage 2 error" and the
verdicts on the label are ours. The stages are those of appendix B: words that express an attribute (1), the attribute and the person
of each word (2), the new text (3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from longway.errors import SettingError

KEPT, CHANGED = "label kept", "label changed"
UNPERTURBED_RIGHTLY, UNPERTURBED_WRONGLY = "rightly unperturbed", "incorrectly unperturbed"


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag. key: on the keyboard. reasons: more specific tags."""

    name: str
    key: str
    hint: str = ""
    reasons: tuple[Tag, ...] = ()

    def __iter__(self) -> Iterator[Tag]:
        """The tag and its reasons."""
        yield self
        yield from self.reasons


@dataclass(frozen=True, slots=True)
class Scheme:
    """The tags of one kind of item. verdicts: exactly one of them is given. errors: tags that make an edit wrong."""

    verdicts: tuple[Tag, Tag]
    tags: tuple[Tag, ...]
    errors: frozenset[str]

    @property
    def names(self) -> list[str]:
        """All tags and reasons in order."""
        return [one.name for tag in (*self.verdicts, *self.tags) for one in tag]

    def checked(self, given: Iterable[str]) -> frozenset[str]:
        """The tags with those that their reasons imply; SettingError if they do not fit."""
        tags = frozenset(given)
        if unknown := sorted(tags - set(self.names)):
            raise SettingError(
                f"'tags' must be among {', '.join(self.names)}. Got {', '.join(unknown)}. Choose others."
            )
        first, second = (verdict.name for verdict in self.verdicts)
        if len(tags & {first, second}) != 1:
            raise SettingError(
                f"'tags' must have one verdict: either {first!r} or {second!r}. "
                f"Got {', '.join(sorted(tags)) or 'nothing'}. Add one of them."
            )
        return tags | {tag.name for tag in self.tags if any(reason.name in tags for reason in tag.reasons)}


_ON_THE_LABEL = (
    Tag(KEPT, "1", "the label still holds for the new text"),
    Tag(CHANGED, "2", "the label no longer holds"),
)
_STAGE_1 = Tag(
    "stage 1 error",
    "3",
    "a word was recognised that should not be",
    (
        Tag("word does not refer to a person", "t"),
        Tag("word does not express this axis", "y", "such as a nationality for race"),
    ),
)

EDITED = Scheme(
    verdicts=_ON_THE_LABEL,
    tags=(
        Tag("unnatural", "3", "nobody would write it like this"),
        Tag("incomplete", "4", "changed in one place but not in another that belongs to it"),
        Tag("factual change", "5", "a fact about the world or a real person became wrong"),
    ),
    errors=frozenset({CHANGED, "factual change"}),
)
PERTURBED = Scheme(
    verdicts=_ON_THE_LABEL,
    tags=(
        _STAGE_1,
        Tag(
            "stage 2 error",
            "4",
            "a word was misread",
            (
                Tag("word has another attribute", "b", "such as a woman's name read as a man's"),
                Tag("word refers to somebody else", "h", "or a word for this person is missing in the chain"),
            ),
        ),
        Tag(
            "incomplete or incorrect",
            "5",
            "not everything about this person was changed, or something else was",
            (
                Tag("chain not fully changed", "c"),
                Tag("somebody else changed", "o"),
                Tag("wrong attribute", "w", "not the one that was asked for"),
                Tag("word changed unnecessarily", "n", "it does not express this axis"),
                Tag("name became a pronoun", "p"),
            ),
        ),
        Tag(
            "typos and naturalness",
            "6",
            "the language suffered",
            (
                Tag("grammar", "g"),
                Tag("new typo", "m"),
                Tag("inserted word", "i", "that was not needed"),
                Tag("marked group", "d", "named where nobody would name it, as in: her young adult parents"),
            ),
        ),
        Tag(
            "factuality change",
            "7",
            "something true became false",
            (
                Tag("known fact changed", "f", "about a real person, work or event"),
                Tag("invented term", "v", "a new phrase, as in: black-trash"),
            ),
        ),
        Tag("offensive", "8", "a new slur, or the oppressed became oppressors"),
    ),
    errors=frozenset(
        {
            CHANGED,
            "stage 1 error",
            "stage 2 error",
            "incomplete or incorrect",
            "typos and naturalness",
            "offensive",
        }
    ),
)
UNPERTURBED = Scheme(
    verdicts=(
        Tag(UNPERTURBED_RIGHTLY, "1", "nobody's gender, race or age could be changed here"),
        Tag(UNPERTURBED_WRONGLY, "2", "a person could be changed, and was not"),
    ),
    tags=(_STAGE_1,),
    errors=frozenset(),
)
ORDER = list(dict.fromkeys(name for scheme in (PERTURBED, UNPERTURBED, EDITED) for name in scheme.names))
COMPLEMENTS = {KEPT, UNPERTURBED_RIGHTLY}  # of the other verdict
REASONS = {reason.name for tag in PERTURBED.tags for reason in tag.reasons}


def ordered(tags: Iterable[str]) -> list[str]:
    """The tags in their order on the page; unknown ones are left out."""
    given = set(tags)
    return [name for name in ORDER if name in given]
