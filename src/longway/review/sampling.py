"""Random samples of edits that people rate, for an error rate with an interval.

    draw_sample(contents, name="first", size=100, seed=0, author="ada")     which edits, the same for all raters
    tag(contents, "first", key, ["label kept", "unnatural"], author="ada")  one rater's tags for one edit
    sample_state(contents, "first", rater="ada")                            items, own tags, progress, error rate

Samples are drawn from the edits in effect: kept by the run and neither rejected nor rewritten by a reviewer, or accepted by a
reviewer. Each is as likely to be drawn as any other, and the order is random too, so that the first ones rated are a sample as well.

Raters are independent: no page shows the tags of another rater. The exports hold the tags of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from random import Random
from typing import NamedTuple

from longway.errors import SettingError
from longway.metrics.judgements import EstimatedShare, estimate_share
from longway.review.decisions import Decision, LookupFailed
from longway.review.edit_list import EditFilter
from longway.review.run_contents import RunContents

RaterTags = dict[str, frozenset[str]]  # by the key of the edit


class Tag(NamedTuple):
    """A tag. key: on the keyboard."""

    name: str
    key: str
    hint: str


# Exactly one of the two verdicts is given, and any of the other tags.
VERDICTS = (
    Tag("label kept", "1", "the label still holds for the new text"),
    Tag("label changed", "2", "the label no longer holds"),
)
OTHER_TAGS = (
    Tag("unnatural", "3", "nobody would write it like this"),
    Tag("incomplete", "4", "changed in one place but not in another that belongs to it"),
    Tag("factual change", "5", "a fact about the world or a real person became wrong"),
)
TAGS = [tag.name for tag in (*VERDICTS, *OTHER_TAGS)]
ERRORS = ("factual change", "label changed")  # the tags that make an edit wrong


@dataclass(frozen=True, slots=True)
class SampleSummary:
    """A sample in a list. progress: number of rated edits by rater."""

    name: str
    seed: int
    size: int
    population: int
    drawn_by: str
    drawn_at: str
    progress: dict[str, int]


@dataclass(frozen=True, slots=True)
class SampleItem:
    """An edit to rate. number: from 1. tags: of the rater, [] if not rated. seen: for `tag`."""

    key: str
    number: int
    tags: list[str]
    seen: int


@dataclass(frozen=True, slots=True)
class SampleState:
    """A sample as one rater sees it.

    error: the error rate; tags: the share of edits with each tag; None while no edit is rated.
    """

    summary: SampleSummary
    rater: str
    items: list[SampleItem]
    error: EstimatedShare | None
    tags: dict[str, EstimatedShare | None]

    @property
    def rated(self) -> int:
        """How many edits the rater has tagged."""
        return sum(bool(item.tags) for item in self.items)

    def to_dict(self) -> dict[str, object]:
        """The state as plain JSON values."""
        return {
            **asdict(self.summary),
            "rater": self.rater,
            "tags": TAGS,
            "errors": list(ERRORS),
            "items": [asdict(item) for item in self.items],
            "rated": self.rated,
            "next": next((item.key for item in self.items if not item.tags), None),
            "estimate": {
                "error": None if self.error is None else asdict(self.error),
                "tags": {tag: None if share is None else asdict(share) for tag, share in self.tags.items()},
            },
        }


def draw_sample(contents: RunContents, *, name: str, size: int, seed: int, author: str) -> Decision:
    """Draw and store a sample; returns the existing one if it was drawn with the same size and seed."""
    known = contents.decisions.of("sample", name)
    if known is not None and known.value.get("keys"):
        if (known.value["asked"], known.value["seed"]) == (size, seed):
            return known
        raise SettingError(
            f"There is a sample {name!r} already, of {known.value['asked']} edits with seed {known.value['seed']}. "
            f"Got {size} edits and seed {seed}. Give the new sample another name."
        )
    undecided, accepted = EditFilter(status="kept", choice="none"), EditFilter(choice="accept")
    members = sorted({*contents.edits.keys(undecided), *contents.edits.keys(accepted)})
    if not members:
        raise SettingError(
            "No edit of this run is in effect, so there is nothing to rate. Accept some first."
        )
    keys = Random(seed).sample(members, min(size, len(members)))
    sample = {"name": name, "seed": seed, "asked": size, "keys": keys, "population": len(members)}
    return contents.decisions.write("sample", name, sample, author=author, seen=known.seq if known else 0)


def tag(
    contents: RunContents, sample: str, key: str, tags: Iterable[str], *, author: str, seen: int | None = None
) -> Decision:
    """Store a rater's tags for an edit of a sample. Exactly one of the two verdicts must be among them."""
    if key not in _drawn(contents, sample).value["keys"]:
        raise SettingError(f"The edit {key!r} is not in the sample {sample!r}. Choose one that is.")
    value = {"rater": author, "tags": ordered(_checked(frozenset(tags)))}
    return contents.decisions.write("tag", _tag_key(sample, key, author), value, author=author, seen=seen)


def _checked(tags: frozenset[str]) -> frozenset[str]:
    if unknown := sorted(tags.difference(TAGS)):
        raise SettingError(
            f"'tags' must be among {', '.join(TAGS)}. Got {', '.join(unknown)}. Choose others."
        )
    first, second = (verdict.name for verdict in VERDICTS)
    if len(tags & {first, second}) != 1:
        raise SettingError(
            f"'tags' must have one verdict: either {first!r} or {second!r}. "
            f"Got {', '.join(sorted(tags)) or 'nothing'}. Add one of them."
        )
    return tags


def ordered(tags: Iterable[str]) -> list[str]:
    """The tags in their order on the page; unknown ones are left out."""
    given = set(tags)
    return [name for name in TAGS if name in given]


def undo(contents: RunContents, *, author: str, batch: int | None = None) -> list[Decision]:
    """Undo the author's last decisions, as `Decisions.undo` does; refused for samples with rated edits."""
    with contents.database.writing():  # rolled back on an error
        rated = {
            name: tags for name in contents.decisions.current("sample") if (tags := _tags(contents, name))
        }
        written = contents.decisions.undo(author=author, batch=batch)
        for decision in written:
            if decision.kind == "sample" and decision.key in rated:
                raise SettingError(
                    f"The sample {decision.key!r} cannot be removed: {', '.join(sorted(rated[decision.key]))} rated edits "
                    "of it. Draw another sample under another name."
                )
        return written


def samples(contents: RunContents) -> list[SampleSummary]:
    """The samples of a run, newest first."""
    drawn = sorted(contents.decisions.current("sample").values(), key=lambda decision: -decision.seq)
    return [
        _summary(decision, _tags(contents, decision.key)) for decision in drawn if decision.value.get("keys")
    ]


def sample_state(contents: RunContents, name: str, *, rater: str) -> SampleState:
    """A sample with the tags of one rater."""
    decision, tags = _drawn(contents, name), _tags(contents, name)
    mine, population = tags.get(rater, {}), decision.value["population"]
    seqs = {decision.key: decision.seq for decision in contents.decisions.current("tag").values()}
    items = [
        SampleItem(key, number, ordered(mine.get(key, ())), seqs.get(_tag_key(name, key, rater), 0))
        for number, key in enumerate(decision.value["keys"], 1)
    ]
    shares = {tag: _share(population, mine, {tag}) for tag in TAGS}
    error = _share(population, mine, set(ERRORS))
    return SampleState(_summary(decision, tags), rater, items, error, shares)


def tags_by_key(contents: RunContents) -> dict[str, dict[str, dict[str, list[str]]]]:
    """All tags by the key of the edit, the sample and the rater, for exports."""
    found: dict[str, dict[str, dict[str, list[str]]]] = {}
    for sample in samples(contents):
        for rater, theirs in sorted(_tags(contents, sample.name).items()):
            for key, tags in theirs.items():
                found.setdefault(key, {}).setdefault(sample.name, {})[rater] = ordered(tags)
    return found


def _share(population: int, tags: RaterTags, wanted: set[str]) -> EstimatedShare | None:
    """The share of edits, of all that were drawn from, that the rater gave one of the tags."""
    hits = sum(bool(wanted & some) for some in tags.values())
    return estimate_share(population, len(tags), hits)


def _tags(contents: RunContents, sample: str) -> dict[str, RaterTags]:
    """The tags of a sample by rater."""
    tags: dict[str, RaterTags] = {}
    for decision in contents.decisions.current("tag").values():
        name, _, rest = decision.key.partition(":")
        if name == sample and decision.value.get("tags"):
            key = rest.partition(":")[0]
            tags.setdefault(decision.value["rater"], {})[key] = frozenset(decision.value["tags"])
    return tags


def _drawn(contents: RunContents, name: str) -> Decision:
    drawn = contents.decisions.of("sample", name)
    if drawn is None or not drawn.value.get("keys"):
        known = ", ".join(sample.name for sample in samples(contents))
        raise LookupFailed(
            f"There is no sample {name!r} in this run. Known: {known or 'none'}. Draw one first."
        )
    return drawn


def _summary(drawn: Decision, tags: Mapping[str, RaterTags]) -> SampleSummary:
    value, progress = drawn.value, {rater: len(theirs) for rater, theirs in sorted(tags.items())}
    size = len(value["keys"])
    return SampleSummary(
        drawn.key, value["seed"], size, value["population"], drawn.author, drawn.time, progress
    )


def _tag_key(sample: str, key: str, rater: str) -> str:
    return f"{sample}:{key}:{rater}"  # neither a sample's name nor an edit's key contains a colon
