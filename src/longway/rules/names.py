"""Names of people exchanged for others of the same gender, in single texts where a name gives the label away.

Never for pairs: there the context speaks of the same person. All mentions of the person change together; pronouns stay right
since the gender does. What the text says of the person is no longer true of the new name, so only the label is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from longway.rules.rule import Rewriting, Scene
from longway.text.capitals import like
from longway.text.chains import Chain, chains
from longway.text.changes import Change
from longway.text.document import Document

FIRST_NAMES = {
    "masculine": "James Robert David Daniel Thomas Martin Peter Andrew Simon Patrick Henry Oliver George Edward Victor "
    "Philip Walter Hugo Leon Marcus Adrian Felix Gordon Stuart".split(),
    "feminine": "Mary Laura Susan Helen Karen Emily Julia Alice Diana Rachel Clara Nora Edith Sylvia Martha Irene Frances "
    "Louise Vera Joan Miriam Teresa Olivia Beatrice".split(),
}
# Where neither the name nor a pronoun tells the gender, the new name must not tell it either.
UNTOLD = "Robin Jamie Casey Morgan Jordan Leslie Alex Kim Sidney Quinn Rowan Harper Reese Skyler Avery Marley Shannon Kelly".split()
SURNAMES = (
    "Walker Turner Parker Collins Morris Cooper Bennett Foster Hughes Palmer Barnes Chapman Dawson Ellis Fletcher Grant "
    "Harding Ingram Jennings Kendall Lawson Mercer Norris Osborne Pearson Quigley Rhodes Sutton Thornton Underwood"
).split()
_VARIANTS = 4  # other names offered for one person


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """The text with one person called by another name throughout."""
    if scene.context is not None or not scene.telling:
        return
    for chain in chains(scene.document):
        if chain.number == "sing" and _is_telling(chain, scene):
            for variant in range(_VARIANTS):
                changes = _renamed(scene.document, chain, variant)
                if changes is not None:
                    yield Rewriting("names.exchanged", changes, keeps="label")


def _is_telling(chain: Chain, scene: Scene) -> bool:
    names = {" ".join(m.parts) for m in chain.mentions} | {part for m in chain.mentions for part in m.parts}
    return bool(names & scene.telling)


def _renamed(document: Document, chain: Chain, variant: int) -> tuple[Change, ...] | None:
    full = max((m.parts for m in chain.mentions), key=len)
    if not 1 <= len(full) <= 2:
        return None  # middle names, "de la" and "Jr." follow too many customs
    taken = {w.lower for w in document}
    key = f"{document.text}\0{variant}\0"
    first_names = FIRST_NAMES.get(chain.gender, UNTOLD)
    new = {}
    if len(full) == 2:
        new[full[0]] = _pick(first_names, key + full[0], taken)
        new[full[1]] = _pick(SURNAMES, key + full[1], taken)
    else:
        is_titled = any(m.title for m in chain.mentions)
        new[full[0]] = _pick(SURNAMES if is_titled else first_names, key + full[0], taken)
    changes = []
    for mention in chain.mentions:
        if mention.kind != "name":
            continue
        for word in document.words[mention.start : mention.end]:
            if word.lower in new:
                changes.append(Change(word.start, word.end, like(new[word.lower], word.text)))
    return tuple(changes) or None


def _pick(names: list[str], key: str, taken: set[str]) -> str:
    """A name that the text does not have yet; another one for each text, so that none becomes telling."""
    free = [name for name in names if name.lower() not in taken]
    return free[
        int.from_bytes(blake2b(key.encode("utf-8", "replace"), digest_size=4).digest(), "big") % len(free)
    ]
