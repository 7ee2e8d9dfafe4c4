"""Random samples of edits that people rate, for an error rate with an interval.

    draw_sample(contents, name="first", size=100, seed=0, author="ada")     which edits, the same for all raters
    tag(contents, "first", key, ["label kept", "unnatural"], author="ada")  one rater's tags for one edit
    sample_state(contents, "first", rater="ada")                            items, own tags, progress, error rate, agreement

Samples are drawn from the edits in effect: kept by the run and neither rejected nor rewritten by a reviewer, or accepted by a
reviewer. They are stratified by label and method (`metrics/judgements.py`), and the sample stores the size of each stratum. One item in
five of a perturbation's sample is a row with a demographic word that was left unchanged; these rows are a stratum of their own.

The tags (`tags.py`) follow the hand audit of "Perturbation Augmentation for Fairer NLP" (Qian et al. 2022, appendix E), where two experts
checked each of 300 examples. As in its table 9, each tag has the share of items that one of the raters gave it to (occurrence), and the
agreement of the raters.

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
from longway.review.tags import EDITED, PERTURBED, UNPERTURBED, Scheme, ordered

UNCHANGED = "left unchanged"  # the method of the stratum of unchanged rows
UNCHANGED_SHARE = 0.2  # of a perturbation's sample
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
    """A drawn sample. asked: the requested size. keys: in the order to be rated. population: edits drawn from.

    scheme: "perturbation" for the tags of the perturbation paper, "edits" for the shorter list, which samples of earlier versions have.
    """

    name: str
    seed: int
    asked: int
    keys: list[str]
    strata: list[SampleStratum]
    population: int
    scheme: str = "edits"

    @classmethod
    def of(cls, drawn: Decision) -> DrawnSample:
        """The sample of a decision of kind "sample"."""
        value = drawn.value
        strata = [SampleStratum(**stratum) for stratum in value["strata"]]
        scheme = value.get("scheme", "edits")
        return cls(
            drawn.key, value["seed"], value["asked"], value["keys"], strata, value["population"], scheme
        )

    def scheme_of(self, stratum: SampleStratum) -> Scheme:
        """The tags for the items of a stratum."""
        if self.scheme != "perturbation":
            return EDITED
        return UNPERTURBED if stratum.method == UNCHANGED else PERTURBED

    @property
    def schemes(self) -> dict[str, Scheme]:
        """The tags for each item, by key."""
        return {key: self.scheme_of(stratum) for stratum in self.strata for key in stratum.keys}

    @property
    def tags(self) -> list[str]:
        """Every tag that an item of the sample can have."""
        return ordered(name for stratum in self.strata for name in self.scheme_of(stratum).names)

    @property
    def errors(self) -> frozenset[str]:
        """The tags that make an edit wrong."""
        return (PERTURBED if self.scheme == "perturbation" else EDITED).errors


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
    """An edit or an unchanged row to rate.

    number: from 1. tags: own, [] if not rated. seen: for `tag`. others: tags by rater; empty while blind. kind: "edit" or "row".
    """

    key: str
    number: int
    tags: list[str]
    seen: int
    others: dict[str, list[str]]
    kind: str = "edit"


@dataclass(frozen=True, slots=True)
class Estimates:
    """The error rate, and the share of edits with each tag; None while a stratum has no rated edit."""

    error: EstimatedShare | None
    tags: dict[str, EstimatedShare | None]


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How far two raters agree on errors, None without edits, and on each tag, among the items that can have it."""

    raters: list[str]
    error: Agreement | None
    tags: dict[str, Agreement]


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """The agreement of each two raters. alpha, alphas: Krippendorff's, on errors and on each tag, if there are more than two raters."""

    pairs: list[PairAgreement]
    alpha: float | None
    alphas: dict[str, float | None]


@dataclass(frozen=True, slots=True)
class SampleState:
    """All that one rater may know about a sample.

    is_blind: whether other raters' tags are hidden. is_closed: whether one's own tags can no longer change. estimates: by visible
    rater, and "either" for those who are done. estimate: the one to quote. agreement: None until two raters are done.
    """

    summary: SampleSummary
    rater: str
    drawn: DrawnSample
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
            for s in self.drawn.strata
        ]
        return {
            **asdict(self.summary),
            "rater": self.rater,
            "scheme": self.drawn.scheme,
            "tags": self.drawn.tags,
            "errors": sorted(self.drawn.errors),
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
    strata, population = _strata(contents, size, seed)
    keys = sorted(key for stratum in strata for key in stratum.keys)
    Random(f"{seed}|order").shuffle(keys)
    scheme = "perturbation" if contents.command == "perturb" else "edits"
    sample = DrawnSample(name, seed, size, keys, strata, population, scheme)
    return contents.decisions.write(
        "sample", name, asdict(sample), author=author, seen=known.seq if known else 0
    )


def tag(
    contents: RunContents, sample: str, key: str, tags: Iterable[str], *, author: str, seen: int | None = None
) -> Decision:
    """Store a rater's tags for an item of a sample. Exactly one of the two verdicts must be among them."""
    schemes = DrawnSample.of(_drawn(contents, sample)).schemes
    if key not in schemes:
        raise SettingError(f"The edit {key!r} is not in the sample {sample!r}. Choose one that is.")
    value = {"rater": author, "tags": ordered(schemes[key].checked(tags))}
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
    mine, schemes = tags.get(rater, {}), drawn.schemes
    seqs = {decision.key: decision.seq for decision in contents.decisions.current("tag").values()}
    estimates = {who: _estimates(drawn, [theirs]) for who, theirs in {rater: mine, **visible}.items()}
    if len(visible) > 1:
        estimates["either"] = _estimates(drawn, list(visible.values()))
    items = [
        SampleItem(
            key,
            number,
            tags=ordered(mine.get(key, ())),
            seen=seqs.get(_tag_key(name, key, rater), 0),
            others={who: ordered(theirs[key]) for who, theirs in sorted(visible.items()) if who != rater},
            kind="row" if schemes[key] is UNPERTURBED else "edit",
        )
        for number, key in enumerate(drawn.keys, 1)
    ]
    return SampleState(
        _summary(decision, tags),
        rater,
        drawn,
        items,
        is_blind=len(visible) < 2,
        is_closed=rater in done and len(done) > 1,
        estimates=estimates,
        agreement=_agreement(visible, drawn) if len(visible) > 1 else None,
    )


def finished_agreement(contents: RunContents, name: str, *, reader: str = "") -> RaterAgreement | None:
    """The agreement of all raters who are done; None if there are not two, or if the reader is rating the sample and not done."""
    drawn, tags = DrawnSample.of(_drawn(contents, name)), _tags(contents, name)
    done = _done(tags, drawn.keys)
    is_blind = reader in tags and reader not in done
    return None if is_blind or len(done) < 2 else _agreement({who: tags[who] for who in done}, drawn)


def tags_by_key(contents: RunContents) -> dict[str, dict[str, dict[str, list[str]]]]:
    """All tags by the key of the edit or row, the sample and the rater, for exports."""
    found: dict[str, dict[str, dict[str, list[str]]]] = {}
    for sample in samples(contents):
        for rater, theirs in sorted(_tags(contents, sample.name).items()):
            for key, tags in theirs.items():
                found.setdefault(key, {}).setdefault(sample.name, {})[rater] = ordered(tags)
    return found


def _strata(contents: RunContents, size: int, seed: int) -> tuple[list[SampleStratum], int]:
    """The strata with the keys drawn from each, and the number of edits in effect."""
    members, unchanged = _edits_in_effect(contents), contents.unchanged_rows()
    n_edits = sum(map(len, members.values()))
    if not members and not unchanged:
        raise SettingError(
            "No edit of this run is in effect, so there is nothing to rate. Accept some first."
        )
    n_rows = min(len(unchanged), max(round(size * UNCHANGED_SHARE), size - n_edits))
    strata = _draw(members, size - n_rows, seed) if members and size > n_rows else []
    if n_rows:
        keys = sorted(Random(f"{seed}|{UNCHANGED}").sample(unchanged, n_rows))
        strata.append(SampleStratum("", UNCHANGED, len(unchanged), keys))
    return strata, n_edits


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
    """Shares over all edits or rows drawn from. An item has a tag if one of the raters gave it; only items that all of them rated count."""

    def share(wanted: frozenset[str], strata: Iterable[SampleStratum]) -> EstimatedShare | None:
        counts = []
        for stratum in strata:
            rated = [key for key in stratum.keys if all(key in theirs for theirs in raters)]
            hits = sum(any(wanted & theirs[key] for theirs in raters) for key in rated)
            counts.append(Stratum(stratum.members, len(rated), hits))
        return estimate_share(counts)

    def strata_with(name: str) -> list[SampleStratum]:
        return [stratum for stratum in drawn.strata if name in drawn.scheme_of(stratum).names]

    edits = [stratum for stratum in drawn.strata if drawn.scheme_of(stratum).errors]
    tags = {name: share(frozenset({name}), strata_with(name)) for name in drawn.tags}
    return Estimates(share(drawn.errors, edits), tags)


def _agreement(raters: Mapping[str, Tags], drawn: DrawnSample) -> RaterAgreement:
    """The agreement on errors, among edits, and on each tag, among the items that can have it."""
    schemes = drawn.schemes
    edits = [key for key in drawn.keys if schemes[key].errors]
    keys = {name: [key for key in drawn.keys if name in schemes[key].names] for name in drawn.tags}

    def answers(who: str, wanted: frozenset[str], among: Sequence[str]) -> list[bool]:
        return [bool(wanted & raters[who][key]) for key in among]

    def between(pair: Iterable[str], wanted: frozenset[str], among: Sequence[str]) -> Agreement:
        return agreement(*(answers(who, wanted, among) for who in pair))

    def alpha(wanted: frozenset[str], among: Sequence[str]) -> float | None:
        by_rater = [answers(who, wanted, among) for who in raters]
        return krippendorff_alpha(list(zip(*by_rater, strict=True)))

    pairs = [
        PairAgreement(
            list(pair),
            between(pair, drawn.errors, edits) if edits else None,
            {name: between(pair, frozenset({name}), among) for name, among in keys.items()},
        )
        for pair in combinations(sorted(raters), 2)
    ]
    if len(raters) < 3:
        return RaterAgreement(pairs, None, {})
    alphas = {name: alpha(frozenset({name}), among) for name, among in keys.items()}
    return RaterAgreement(pairs, alpha(drawn.errors, edits), alphas)


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


def _tag_key(sample: str, key: str, rater: str) -> str:
    return f"{sample}:{key}:{rater}"  # neither a sample's name nor an edit's key contains a colon
