"""Opposites, reviewed by hand: what "not" before a word comes to.

    complement("possible")     "impossible": one of the two always holds, so "not possible" says the same
    contrary("include")        ("exclude", "leave out"): both cannot hold, though neither may

A complement keeps the meaning. A contrary keeps only the label, and only of a claim that is refuted: if it is false
that Dover does not include a castle, it includes one, and so it is false, too, that it excludes one.
"""

from __future__ import annotations

_COMPLEMENTS = """
    possible/impossible alive/dead true/false legal/illegal married/unmarried employed/unemployed available/unavailable
    successful/unsuccessful correct/incorrect complete/incomplete official/unofficial related/unrelated aware/unaware
    visible/invisible mortal/immortal active/inactive certain/uncertain inhabited/uninhabited armed/unarmed
    necessary/unnecessary accurate/inaccurate connected/unconnected lawful/unlawful constitutional/unconstitutional
    edible/inedible reliable/unreliable valid/invalid finite/infinite conscious/unconscious rated/unrated
    popular/unpopular important/unimportant significant/insignificant involved/uninvolved affected/unaffected
    finished/unfinished aired/unaired released/unreleased published/unpublished credited/uncredited paid/unpaid
    professional/nonprofessional religious/nonreligious fictional/nonfictional toxic/nontoxic
"""
_OF = {one: other for pair in _COMPLEMENTS.split() for one, _, other in [pair.partition("/")]}
COMPLEMENTS = _OF | {other: one for one, other in _OF.items()}

# Verb or participle: what cannot hold beside it. A form in several words is inflected at its first one.
_CONTRARIES: dict[str, tuple[str, ...]] = {
    "include": ("exclude", "leave out"),
    "contain": ("exclude", "lack"),
    "have": ("lack",),
    "possess": ("lack",),
    "feature": ("leave out", "omit"),
    "win": ("miss out on",),
    "accept": ("reject", "turn down"),
    "support": ("oppose",),
    "allow": ("forbid", "prohibit"),
    "permit": ("forbid", "prohibit"),
    "attend": ("skip", "miss"),
    "join": ("stay out of", "turn down"),
    "enter": ("stay out of",),
    "leave": ("remain in", "stay in"),
    "pass": ("fail",),
    "like": ("dislike",),
    "agree": ("disagree",),
    "receive": ("miss out on",),
    "remember": ("forget",),
    "end": ("prolong", "extend"),
    "prefer": ("shun", "avoid"),
    "use": ("avoid", "do without"),
    "eat": ("avoid",),
    "appear in": ("be absent from", "be left out of"),
    "star in": ("be absent from", "be passed over for", "be cut from"),
    "act in": ("be absent from", "be left out of"),
    "work in": ("stay away from",),
    "participate in": ("stay out of", "keep away from"),
    "belong to": ("be excluded from",),
    "require": ("do without",),
    "need": ("do without",),
    "succeed": ("fail",),
    "border": ("lie far from",),
    "work with": ("avoid",),
    "cause": ("prevent",),
}
# After a form of "be": "was not renewed", "is not famous".
_CONTRARY_PARTICIPLES: dict[str, tuple[str, ...]] = {
    "renewed": ("cancelled", "dropped"),
    "elected": ("defeated", "voted down"),
    "supported": ("opposed", "rejected"),
    "released": ("shelved", "withheld"),
    "published": ("suppressed", "withheld"),
    "included": ("left out", "excluded"),
    "nominated": ("passed over", "overlooked"),
    "accepted": ("rejected", "turned down"),
    "inhabited": ("deserted",),
    "famous": ("obscure", "little known"),
    "large": ("tiny", "small"),
    "big": ("tiny", "small"),
    "small": ("huge", "enormous"),
    "popular": ("obscure", "disliked"),
    "old": ("brand new",),
    "safe": ("dangerous", "hazardous"),
    "dangerous": ("harmless", "safe"),
    "hot": ("cold", "freezing"),
    "cold": ("hot", "boiling"),
    "rich": ("poor", "penniless"),
    "poor": ("rich", "wealthy"),
    "real": ("imaginary", "made up"),
    "fictional": ("real",),
    "tall": ("short",),
    "single": ("married",),
    "allowed": ("forbidden", "banned"),
    "written": ("left unwritten",),
    "aired": ("shelved",),
    "married": ("single",),
    "alive": ("dead",),
    "dead": ("alive",),
}


def complement(adjective: str) -> str | None:
    """The adjective that holds wherever this one does not; None where there is no such word.

    >>> complement("possible"), complement("unmarried"), complement("big")
    ('impossible', 'married', None)
    """
    return COMPLEMENTS.get(adjective)


def contrary(verb: str, particle: str = "") -> tuple[str, ...]:
    """Verbs that cannot hold beside a verb, with the preposition that follows it if that matters.

    >>> contrary("star", "in")[0], contrary("sing")
    ('be absent from', ())
    """
    return _CONTRARIES.get(f"{verb} {particle}") or _CONTRARIES.get(verb, ())


def takes_preposition(verb: str, particle: str) -> bool:
    """True where the contrary replaces the preposition, too: "star in" -> "be absent from"."""
    return f"{verb} {particle}" in _CONTRARIES


def contrary_participle(word: str) -> tuple[str, ...]:
    """What cannot be said beside "is renewed" or "is famous"."""
    return _CONTRARY_PARTICIPLES.get(word, ())
