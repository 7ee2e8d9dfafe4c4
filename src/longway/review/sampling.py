"""A random sample of edits for people to rate: the number a team can defend.

    draw_sample(book, name="first", size=100, seed=0, author="ada")     which edits, once and for all raters
    tag(book, "first", key, ["label kept", "unnatural"], author="ada")  what one rater says of one edit
    sample_state(book, "first", rater="ada")                            items, my tags, progress, error rate, agreement

The edits drawn from are those that stand: accepted by the run and not rejected or rewritten by a person since, or accepted by a
person. They are drawn by label and method (`metrics/stratified.py`), and the sample keeps how many there were of each.

The tags follow the hand audit of "Perturbation Augmentation for Fairer NLP" (Qian et al. 2022, appendix E), where two experts looked
at each of 300 examples for changes of fact, incomplete or incorrect changes and unnatural language; that the label holds is ours. As in
its table 9 each tag has the share of edits that one of the raters gave it to, and how often the raters agree.

Raters are blind to one another: a rater sees what others said once all items have their own tags and the others are done too. From
then on those raters' tags are closed, since what is changed after a look at the other's tags is no second opinion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product
from random import Random
from typing import Any

from longway.errors import SettingError
from longway.metrics.agreement import agreement, krippendorff_alpha
from longway.metrics.stratified import Stratum, allocate, estimate_share
from longway.review.book import Book, EditFilter
from longway.review.decisions import Decision, LookupFailed

KEPT, CHANGED = "label kept", "label changed"
TAGS = (KEPT, CHANGED, "unnatural", "incomplete", "factual change")
ERRORS = frozenset({CHANGED, "factual change"})  # what makes an edit wrong, and not only ugly
_WANTED = {"error": ERRORS, **{one: frozenset({one}) for one in TAGS}}  # what is estimated and agreed upon
LARGEST = 2000  # edits in one sample: nobody rates more, and a page lists them
MOST_STRATA = 200
LONGEST_NAME = 60
_NAME = re.compile(r"\w[\w .-]*")

Tags = Mapping[str, frozenset[str]]  # edit key -> what one rater said of it


def draw_sample(book: Book, *, name: str, size: int, seed: int, author: str) -> Decision:
    """The sample of this name, drawn now and kept; the same one where it was drawn before in the same way."""
    _check_name(name)
    if not 1 <= size <= LARGEST:
        raise SettingError(f"'size' must be from 1 to {LARGEST}. Got {size}. Try 100.")
    known = book.decisions.of("sample", name)
    if known is not None and known.value.get("keys"):
        if (known.value["asked"], known.value["seed"]) == (size, seed):
            return known
        raise SettingError(
            f"There is a sample {name!r} already, of {known.value['asked']} edits with seed {known.value['seed']}. "
            f"Got {size} edits and seed {seed}. Give the new sample another name."
        )
    members = _standing(book)
    if not members:
        raise SettingError("No edit of this run stands, so that there is nothing to rate. Accept some first.")
    strata = _drawn(members, size, seed)
    keys = sorted(key for stratum in strata for key in stratum["keys"])
    Random(f"{seed}|order").shuffle(keys)
    value = {
        "name": name,
        "seed": seed,
        "asked": size,
        "keys": keys,
        "strata": strata,
        "population": sum(stratum["members"] for stratum in strata),
    }
    return book.decisions.write("sample", name, value, author=author, seen=known.seq if known else 0)


def tag(
    book: Book, sample: str, key: str, tags: Iterable[str], *, author: str, seen: int | None = None
) -> Decision:
    """What a rater says of an edit of a sample, kept at once. Just one of "label kept" and "label changed" must be among the tags."""
    drawn = _sample(book, sample)
    said = frozenset(tags)
    if key not in drawn.value["keys"]:
        raise SettingError(f"The edit {key!r} is not in the sample {sample!r}. Choose one that is.")
    if unknown := sorted(said - set(TAGS)):
        raise SettingError(
            f"'tags' must be among {', '.join(TAGS)}. Got {', '.join(unknown)}. Choose others."
        )
    if len(said & {KEPT, CHANGED}) != 1:
        raise SettingError(
            f"'tags' must say whether the label holds: either {KEPT!r} or {CHANGED!r}. "
            f"Got {', '.join(sorted(said)) or 'nothing'}. Add one of them."
        )
    value = {"rater": author, "tags": [one for one in TAGS if one in said]}
    with book.database.writing():  # nobody becomes done between the question and the answer
        if sample in _closed(book, author):
            raise _are_closed(author, sample)
        return book.decisions.write("tag", _tag_key(sample, key, author), value, author=author, seen=seen)


def undo(book: Book, *, author: str, batch: int | None = None) -> list[Decision]:
    """The decisions that take back the author's last ones, as `Decisions.undo` does; tags that are compared stay, and rated samples."""
    with book.database.writing():  # all of it is taken back where something must stay
        closed = _closed(book, author)
        rated = {name: said for name in book.decisions.current("sample") if (said := _said(book, name))}
        written = book.decisions.undo(author=author, batch=batch)
        for one in written:
            name = one.key.partition(":")[0]
            if one.kind == "tag" and name in closed:
                raise _are_closed(author, name)
            if one.kind == "sample" and name in rated:
                raise SettingError(
                    f"The sample {name!r} stays: {', '.join(sorted(rated[name]))} rated edits of it. "
                    "Draw another one under another name."
                )
        return written


def _closed(book: Book, rater: str) -> set[str]:
    """The samples that a rater is done with and another one, too: their tags are compared, and no second opinion any more."""
    drawn = book.decisions.current("sample")
    done = {name: _done(_said(book, name), one.value.get("keys") or ()) for name, one in drawn.items()}
    return {name for name, raters in done.items() if rater in raters and len(raters) > 1}


def _are_closed(rater: str, sample: str) -> SettingError:
    return SettingError(
        f"The tags of {rater} in the sample {sample!r} are closed: another rater is done, too, and their tags are "
        "compared. Draw another sample to rate again."
    )


def samples(book: Book) -> list[dict[str, Any]]:
    """The samples of a run: name, seed, how many edits, when and by whom drawn, and how far each rater is; newest first."""
    drawn = sorted(book.decisions.current("sample").values(), key=lambda one: -one.seq)
    return [
        {
            **_about(one),
            "progress": {rater: len(theirs) for rater, theirs in sorted(_said(book, one.key).items())},
        }
        for one in drawn
        if one.value.get("keys")
    ]


def sample_state(book: Book, name: str, *, rater: str) -> dict[str, Any]:
    """All that one rater may know of a sample, as plain JSON values.

    items: the edits in the order to be rated: "key", "number" (from 1), "tags" (my own, [] for none yet), "seen" (for `tag`), "others"
    (by rater; empty while blind). progress: edits rated, by rater. is_blind: whether others' tags are still hidden; is_closed: whether
    mine can no longer be changed. estimates: by rater as far as visible, and "either" of those who are done. estimate: the one to
    quote. agreement: None until two are done.
    """
    drawn = _sample(book, name)
    keys: list[str] = drawn.value["keys"]
    said = _said(book, name)
    done = _done(said, keys)
    visible = {who: said[who] for who in done if who == rater or rater in done}
    mine = said.get(rater, {})
    seqs = {one.key: one.seq for one in book.decisions.current("tag").values()}
    estimates = {who: _estimates(drawn, [theirs]) for who, theirs in {rater: mine, **visible}.items()}
    if len(visible) > 1:
        estimates["either"] = _estimates(drawn, list(visible.values()))
    return {
        **_about(drawn),
        "rater": rater,
        "tags": list(TAGS),
        "errors": sorted(ERRORS),
        "strata": [
            {**{k: v for k, v in one.items() if k != "keys"}, "drawn": len(one["keys"])}
            for one in drawn.value["strata"]
        ],
        "items": [
            {
                "key": key,
                "number": number,
                "tags": _ordered(mine.get(key, ())),
                "seen": seqs.get(_tag_key(name, key, rater), 0),
                "others": {
                    who: _ordered(theirs[key]) for who, theirs in sorted(visible.items()) if who != rater
                },
            }
            for number, key in enumerate(keys, 1)
        ],
        "rated": len(mine),
        "next": next((key for key in keys if key not in mine), None),
        "progress": {who: len(theirs) for who, theirs in sorted(said.items())},
        "is_blind": len(visible) < 2,
        "is_closed": rater in done and len(done) > 1,
        "estimates": estimates,
        "estimate": estimates.get("either", estimates[rater]),
        "agreement": _agreement(visible, keys) if len(visible) > 1 else None,
    }


def _standing(book: Book) -> dict[tuple[str, str], list[str]]:
    """The keys of the edits that stand, by label and method; all together where each row has a label of its own."""
    facets = book.facets()
    kinds = list(product(sorted(facets.get("label", {})), sorted(facets.get("method", {}))))
    if len(kinds) > MOST_STRATA or any("" in kind for kind in kinds):
        kinds = [("", "")]
    found: dict[tuple[str, str], list[str]] = {}
    for label, method in kinds:
        undecided = EditFilter(status="kept", choice="none", label=label, method=method)
        accepted = EditFilter(status="all", choice="accept", label=label, method=method)
        if keys := {*book.keys(undecided), *book.keys(accepted)}:
            found[label, method] = sorted(keys)
    return found


def _drawn(members: Mapping[tuple[str, str], Sequence[str]], size: int, seed: int) -> list[dict[str, Any]]:
    """The strata, each with the keys drawn from it; all edits are one stratum where there are fewer draws than strata."""
    if size < len(members):
        members = {("", ""): sorted(key for keys in members.values() for key in keys)}
    counts = allocate({name: len(keys) for name, keys in members.items()}, size)
    return [
        {
            "label": label,
            "method": method,
            "members": len(keys),
            "keys": sorted(Random(f"{seed}|{label}|{method}").sample(list(keys), counts[label, method])),
        }
        for (label, method), keys in members.items()
    ]


def _estimates(drawn: Decision, raters: Sequence[Tags]) -> dict[str, Any]:
    """The error rate and the share of each tag over all edits drawn from; an edit has a tag where one of the raters gave it.

    Only edits that all of these raters have rated count; None where some stratum has no such edit yet.
    """
    found: dict[str, Any] = {}
    for what, tags in _WANTED.items():
        strata = []
        for stratum in drawn.value["strata"]:
            rated = [key for key in stratum["keys"] if all(key in theirs for theirs in raters)]
            hits = sum(any(tags & theirs[key] for theirs in raters) for key in rated)
            strata.append(Stratum(stratum["members"], len(rated), hits))
        share = estimate_share(strata)
        found[what] = None if share is None else share.to_dict()
    return {"error": found.pop("error"), "tags": found}


def _agreement(raters: Mapping[str, Tags], keys: Sequence[str]) -> dict[str, Any]:
    """How far each two raters agree on what is an error and on each tag; with more than two, alpha over all of them."""
    pairs = []
    for one, other in combinations(sorted(raters), 2):
        by_tag = {
            what: agreement(
                [bool(tags & raters[one][key]) for key in keys],
                [bool(tags & raters[other][key]) for key in keys],
            ).to_dict()
            for what, tags in _WANTED.items()
        }
        pairs.append({"raters": [one, other], "error": by_tag.pop("error"), "tags": by_tag})
    alpha = krippendorff_alpha([[bool(ERRORS & theirs[key]) for theirs in raters.values()] for key in keys])
    return {"pairs": pairs, "alpha": alpha if len(raters) > 2 else None}


def _said(book: Book, sample: str) -> dict[str, dict[str, frozenset[str]]]:
    """What each rater said of the edits of a sample, by rater and key."""
    found: dict[str, dict[str, frozenset[str]]] = {}
    for one in book.decisions.current("tag").values():
        name, _, rest = one.key.partition(":")
        if name == sample and one.value.get("tags"):
            found.setdefault(one.value["rater"], {})[rest.partition(":")[0]] = frozenset(one.value["tags"])
    return found


def _done(said: Mapping[str, Tags], keys: Sequence[str]) -> list[str]:
    """The raters who have rated everything, by name."""
    return sorted(rater for rater, theirs in said.items() if all(key in theirs for key in keys))


def _sample(book: Book, name: str) -> Decision:
    drawn = book.decisions.of("sample", name)
    if drawn is None or not drawn.value.get("keys"):
        known = ", ".join(one["name"] for one in samples(book))
        raise LookupFailed(
            f"There is no sample {name!r} in this run. Known: {known or 'none'}. Draw one first."
        )
    return drawn


def _about(drawn: Decision) -> dict[str, Any]:
    value = drawn.value
    return {
        "name": drawn.key,
        "seed": value["seed"],
        "size": len(value["keys"]),
        "population": value["population"],
        "drawn_by": drawn.author,
        "drawn_at": drawn.time,
    }


def _ordered(tags: Iterable[str]) -> list[str]:
    given = set(tags)
    return [one for one in TAGS if one in given]


def _tag_key(sample: str, key: str, rater: str) -> str:
    return f"{sample}:{key}:{rater}"  # a sample's name has no colon, neither has an edit's key


def _check_name(name: str) -> None:
    """A name stands in addresses and in front of a colon in keys."""
    if not _NAME.fullmatch(name) or len(name) > LONGEST_NAME or name.endswith(".json"):
        raise SettingError(
            f"'name' must be up to {LONGEST_NAME} letters, digits, spaces, dots, dashes or underscores, the first a letter or "
            f"digit, and not end in .json. Got {name[:80]!r}. Try a short word."
        )
