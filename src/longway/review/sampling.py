"""Random samples of edits that people rate, for an error rate with an interval.

    draw_sample(contents, name="first", size=100, seed=0, author="ada")     which edits, the same for all raters
    tag(contents, "first", key, ["label kept", "unnatural"], author="ada")  one rater's tags for one edit
    sample_state(contents, "first", rater="ada")                            items, own tags, progress, error rate, agreement

Samples are drawn from the edits in effect: kept by the run and neither rejected nor rewritten by a reviewer, or accepted by a
reviewer. They are stratified by label and method (`metrics/judgements.py`), and the sample stores the size of each stratum.

The tags follow the hand audit of "Perturbation Augmentation for Fairer NLP" (Qian et al. 2022, appendix E), where two experts checked
300 examples for factual changes, incomplete or incorrect changes and unnatural language; "label kept" is our addition. As in its
table 9, each tag has the share of edits that one of the raters gave it to, and the agreement of the raters.

Raters are blind: a rater sees the tags of others once all items are tagged, and only of raters who are done, too. From then on
these tags are closed, because a tag changed after seeing another rater's is no second opinion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, product
from random import Random

from longway.errors import SettingError
from longway.metrics.judgements import (
    Agreement,
    EstimatedShare,
    Stratum,
    agreement,
    allocate,
    estimate_share,
    krippendorff_alpha,
)
from longway.review.decisions import Decision, LookupFailed
from longway.review.edit_list import EditFilter
from longway.review.run_contents import RunContents

KEPT, CHANGED = "label kept", "label changed"
TAGS = (KEPT, CHANGED, "unnatural", "incomplete", "factual change")
ERRORS = frozenset({CHANGED, "factual change"})  # tags that make an edit wrong, not just ugly
MAX_SIZE = 2000  # edits in a sample: nobody rates more, and a page lists them
MAX_STRATA = 200
MAX_NAME = 60
_NAME = re.compile(r"\w[\w .-]*")

Tags = Mapping[str, frozenset[str]]  # edit key -> tags of one rater


@dataclass(frozen=True, slots=True)
class SampleStratum:
    """Edits of one label and method. members: how many there are. keys: those drawn."""

    label: str
    method: str
    members: int
    keys: list[str]


@dataclass(frozen=True, slots=True)
class DrawnSample:
    """A drawn sample. asked: the requested size. keys: in the order to be rated. population: edits drawn from."""

    name: str
    seed: int
    asked: int
    keys: list[str]
    strata: list[SampleStratum]
    population: int

    @classmethod
    def of(cls, drawn: Decision) -> DrawnSample:
        """The sample of a decision of kind "sample"."""
        value = drawn.value
        strata = [SampleStratum(**stratum) for stratum in value["strata"]]
        return cls(drawn.key, value["seed"], value["asked"], value["keys"], strata, value["population"])


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
    """An edit to rate. number: from 1. tags: own, [] if not rated. seen: for `tag`. others: tags by rater; empty while blind."""

    key: str
    number: int
    tags: list[str]
    seen: int
    others: dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Estimates:
    """The error rate, and the share of edits with each tag; None while a stratum has no rated edit."""

    error: EstimatedShare | None
    tags: dict[str, EstimatedShare | None]


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How far two raters agree on errors and on each tag."""

    raters: list[str]
    error: Agreement
    tags: dict[str, Agreement]


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """The agreement of each two raters; alpha: over all raters if there are more than two."""

    pairs: list[PairAgreement]
    alpha: float | None


@dataclass(frozen=True, slots=True)
class SampleState:
    """All that one rater may know about a sample.

    is_blind: whether other raters' tags are hidden. is_closed: whether one's own tags can no longer change. estimates: by visible
    rater, and "either" for those who are done. estimate: the one to quote. agreement: None until two raters are done.
    """

    summary: SampleSummary
    rater: str
    strata: list[SampleStratum]
    items: list[SampleItem]
    is_blind: bool
    is_closed: bool
    estimates: dict[str, Estimates]
    agreement: RaterAgreement | None

    @property
    def rated(self) -> int:
        """How many edits the rater has tagged."""
        return sum(bool(item.tags) for item in self.items)

    @property
    def estimate(self) -> Estimates:
        """The estimate to quote."""
        return self.estimates.get("either", self.estimates[self.rater])

    def to_dict(self) -> dict[str, object]:
        """The state as plain JSON values."""
        strata = [
            {"label": s.label, "method": s.method, "members": s.members, "drawn": len(s.keys)}
            for s in self.strata
        ]
        return {
            **asdict(self.summary),
            "rater": self.rater,
            "tags": list(TAGS),
            "errors": sorted(ERRORS),
            "strata": strata,
            "items": [asdict(item) for item in self.items],
            "rated": self.rated,
            "next": next((item.key for item in self.items if not item.tags), None),
            "is_blind": self.is_blind,
            "is_closed": self.is_closed,
            "estimates": {rater: asdict(estimate) for rater, estimate in self.estimates.items()},
            "estimate": asdict(self.estimate),
            "agreement": None if self.agreement is None else asdict(self.agreement),
        }


def draw_sample(contents: RunContents, *, name: str, size: int, seed: int, author: str) -> Decision:
    """Draw and store a sample; returns the existing one if it was drawn with the same size and seed."""
    if (
        not _NAME.fullmatch(name) or len(name) > MAX_NAME or name.endswith(".json")
    ):  # part of addresses and keys
        raise SettingError(
            f"'name' must be up to {MAX_NAME} letters, digits, spaces, dots, dashes or underscores, start with a letter or "
            f"digit, and not end in .json. Got {name[:80]!r}. Try a short word."
        )
    if not 1 <= size <= MAX_SIZE:
        raise SettingError(f"'size' must be from 1 to {MAX_SIZE}. Got {size}. Try 100.")
    known = contents.decisions.of("sample", name)
    if known is not None and known.value.get("keys"):
        if (known.value["asked"], known.value["seed"]) == (size, seed):
            return known
        raise SettingError(
            f"There is a sample {name!r} already, of {known.value['asked']} edits with seed {known.value['seed']}. "
            f"Got {size} edits and seed {seed}. Give the new sample another name."
        )
    members = _edits_in_effect(contents)
    if not members:
        raise SettingError(
            "No edit of this run is in effect, so there is nothing to rate. Accept some first."
        )
    strata = _draw(members, size, seed)
    keys = sorted(key for stratum in strata for key in stratum.keys)
    Random(f"{seed}|order").shuffle(keys)
    sample = DrawnSample(name, seed, size, keys, strata, sum(stratum.members for stratum in strata))
    return contents.decisions.write(
        "sample", name, asdict(sample), author=author, seen=known.seq if known else 0
    )


def tag(
    contents: RunContents, sample: str, key: str, tags: Iterable[str], *, author: str, seen: int | None = None
) -> Decision:
    """Store a rater's tags for an edit of a sample. Exactly one of "label kept" and "label changed" must be among them."""
    drawn = DrawnSample.of(_drawn(contents, sample))
    given = frozenset(tags)
    if key not in drawn.keys:
        raise SettingError(f"The edit {key!r} is not in the sample {sample!r}. Choose one that is.")
    if unknown := sorted(given - set(TAGS)):
        raise SettingError(
            f"'tags' must be among {', '.join(TAGS)}. Got {', '.join(unknown)}. Choose others."
        )
    if len(given & {KEPT, CHANGED}) != 1:
        raise SettingError(
            f"'tags' must say whether the label holds: either {KEPT!r} or {CHANGED!r}. "
            f"Got {', '.join(sorted(given)) or 'nothing'}. Add one of them."
        )
    value = {"rater": author, "tags": _ordered(given)}
    with contents.database.writing():  # no other rater can finish in between
        if sample in _closed(contents, author):
            raise _closed_error(author, sample)
        return contents.decisions.write("tag", _tag_key(sample, key, author), value, author=author, seen=seen)


def undo(contents: RunContents, *, author: str, batch: int | None = None) -> list[Decision]:
    """Undo the author's last decisions, as `Decisions.undo` does; refused for closed tags and for rated samples."""
    with contents.database.writing():  # rolled back on an error
        closed = _closed(contents, author)
        rated = {
            name: tags for name in contents.decisions.current("sample") if (tags := _tags(contents, name))
        }
        written = contents.decisions.undo(author=author, batch=batch)
        for decision in written:
            name = decision.key.partition(":")[0]
            if decision.kind == "tag" and name in closed:
                raise _closed_error(author, name)
            if decision.kind == "sample" and name in rated:
                raise SettingError(
                    f"The sample {name!r} cannot be removed: {', '.join(sorted(rated[name]))} rated edits of it. "
                    "Draw another sample under another name."
                )
        return written


def samples(contents: RunContents) -> list[SampleSummary]:
    """The samples of a run, newest first."""
    drawn = sorted(contents.decisions.current("sample").values(), key=lambda decision: -decision.seq)
    return [
        _summary(decision, _tags(contents, decision.key)) for decision in drawn if decision.value.get("keys")
    ]


def sample_state(contents: RunContents, name: str, *, rater: str) -> SampleState:
    """All that one rater may know about a sample."""
    decision = _drawn(contents, name)
    drawn, tags = DrawnSample.of(decision), _tags(contents, name)
    done = _done(tags, drawn.keys)
    visible = {who: tags[who] for who in done if who == rater or rater in done}
    mine = tags.get(rater, {})
    seqs = {decision.key: decision.seq for decision in contents.decisions.current("tag").values()}
    estimates = {who: _estimates(drawn, [theirs]) for who, theirs in {rater: mine, **visible}.items()}
    if len(visible) > 1:
        estimates["either"] = _estimates(drawn, list(visible.values()))
    items = [
        SampleItem(
            key,
            number,
            tags=_ordered(mine.get(key, ())),
            seen=seqs.get(_tag_key(name, key, rater), 0),
            others={who: _ordered(theirs[key]) for who, theirs in sorted(visible.items()) if who != rater},
        )
        for number, key in enumerate(drawn.keys, 1)
    ]
    return SampleState(
        _summary(decision, tags),
        rater,
        drawn.strata,
        items,
        is_blind=len(visible) < 2,
        is_closed=rater in done and len(done) > 1,
        estimates=estimates,
        agreement=_agreement(visible, drawn.keys) if len(visible) > 1 else None,
    )


def _edits_in_effect(contents: RunContents) -> dict[tuple[str, str], list[str]]:
    """The keys of the edits in effect, by label and method; one group if each row has its own label."""
    facets = contents.edits.facets()
    kinds = list(product(sorted(facets.get("label", {})), sorted(facets.get("method", {}))))
    if len(kinds) > MAX_STRATA or any("" in kind for kind in kinds):
        kinds = [("", "")]
    groups: dict[tuple[str, str], list[str]] = {}
    for label, method in kinds:
        undecided = EditFilter(status="kept", choice="none", label=label, method=method)
        accepted = EditFilter(status="all", choice="accept", label=label, method=method)
        if keys := {*contents.edits.keys(undecided), *contents.edits.keys(accepted)}:
            groups[label, method] = sorted(keys)
    return groups


def _draw(members: Mapping[tuple[str, str], Sequence[str]], size: int, seed: int) -> list[SampleStratum]:
    """The strata with the keys drawn from each; a single stratum if there are fewer draws than strata."""
    if size < len(members):
        members = {("", ""): sorted(key for keys in members.values() for key in keys)}
    counts = allocate({name: len(keys) for name, keys in members.items()}, size)
    return [
        SampleStratum(
            label,
            method,
            len(keys),
            sorted(Random(f"{seed}|{label}|{method}").sample(list(keys), counts[label, method])),
        )
        for (label, method), keys in members.items()
    ]


def _estimates(drawn: DrawnSample, raters: Sequence[Tags]) -> Estimates:
    """Shares over all edits drawn from. An edit has a tag if one of the raters gave it; only edits that all of them rated count."""

    def share(wanted: frozenset[str]) -> EstimatedShare | None:
        strata = []
        for stratum in drawn.strata:
            rated = [key for key in stratum.keys if all(key in theirs for theirs in raters)]
            hits = sum(any(wanted & theirs[key] for theirs in raters) for key in rated)
            strata.append(Stratum(stratum.members, len(rated), hits))
        return estimate_share(strata)

    return Estimates(share(ERRORS), {name: share(frozenset({name})) for name in TAGS})


def _agreement(raters: Mapping[str, Tags], keys: Sequence[str]) -> RaterAgreement:
    def between(first: str, second: str, wanted: frozenset[str]) -> Agreement:
        return agreement(*([bool(wanted & raters[who][key]) for key in keys] for who in (first, second)))

    pairs = [
        PairAgreement(
            [a, b],
            between(a, b, ERRORS),
            {name: between(a, b, frozenset({name})) for name in TAGS},
        )
        for a, b in combinations(sorted(raters), 2)
    ]
    alpha = krippendorff_alpha([[bool(ERRORS & theirs[key]) for theirs in raters.values()] for key in keys])
    return RaterAgreement(pairs, alpha if len(raters) > 2 else None)


def _tags(contents: RunContents, sample: str) -> dict[str, dict[str, frozenset[str]]]:
    """The tags of a sample by rater and edit key."""
    tags: dict[str, dict[str, frozenset[str]]] = {}
    for decision in contents.decisions.current("tag").values():
        name, _, rest = decision.key.partition(":")
        if name == sample and decision.value.get("tags"):
            tags.setdefault(decision.value["rater"], {})[rest.partition(":")[0]] = frozenset(
                decision.value["tags"]
            )
    return tags


def _done(tags: Mapping[str, Tags], keys: Sequence[str]) -> list[str]:
    """The raters who rated everything, by name."""
    return sorted(rater for rater, theirs in tags.items() if all(key in theirs for key in keys))


def _closed(contents: RunContents, rater: str) -> set[str]:
    """The samples that this rater and another one have finished."""
    drawn = contents.decisions.current("sample")
    done = {
        name: _done(_tags(contents, name), decision.value.get("keys") or ())
        for name, decision in drawn.items()
    }
    return {name for name, raters in done.items() if rater in raters and len(raters) > 1}


def _closed_error(rater: str, sample: str) -> SettingError:
    return SettingError(
        f"The tags of {rater} in the sample {sample!r} are closed: another rater is done, too, and their tags are "
        "compared. Draw another sample to rate again."
    )


def _drawn(contents: RunContents, name: str) -> Decision:
    drawn = contents.decisions.of("sample", name)
    if drawn is None or not drawn.value.get("keys"):
        known = ", ".join(sample.name for sample in samples(contents))
        raise LookupFailed(
            f"There is no sample {name!r} in this run. Known: {known or 'none'}. Draw one first."
        )
    return drawn


def _summary(drawn: Decision, tags: Mapping[str, Tags]) -> SampleSummary:
    sample = DrawnSample.of(drawn)
    progress = {rater: len(theirs) for rater, theirs in sorted(tags.items())}
    return SampleSummary(
        sample.name, sample.seed, len(sample.keys), sample.population, drawn.author, drawn.time, progress
    )


def _ordered(tags: Iterable[str]) -> list[str]:
    given = set(tags)
    return [tag for tag in TAGS if tag in given]


def _tag_key(sample: str, key: str, rater: str) -> str:
    return f"{sample}:{key}:{rater}"  # neither a sample's name nor an edit's key contains a colon
