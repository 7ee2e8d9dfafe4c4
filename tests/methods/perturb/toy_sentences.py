"""Sentences of our own about he and she, as perturbations to learn from: a few patterns, filled in every which way."""

from random import Random

from longway.english.people.change import Place, Request
from longway.english.people.words import parse_attribute
from panda import PandaRow

WHO = "baker pilot teacher lawyer driver painter singer farmer judge clerk guard tailor dancer editor".split()
DID = "lost sold found hid broke cleaned painted forgot dropped fixed moved kept".split()
WHAT = "keys coat bike lamp hat boat desk clock phone ring bag shoes".split()
WHERE = [
    "at home",
    "in town",
    "near the river",
    "on Monday",
    "after work",
    "by the sea",
    "last week",
    "in May",
]
FORMS = {"man": ("he", "his", "himself"), "woman": ("she", "her", "herself")}
PATTERNS = (
    "The {who} said that {he} {did} {his} {what} {where}.",
    "{He} {did} {his} {what} {where}, and the {who} saw it.",
    "Yesterday {he} asked the {who} {where} about {his} {what}.",
    "The {who} {did} the {what} {himself} {where}.",
)


def toy_rows(n, *, seed=0):
    """n different rows, half of them to each gender."""
    rng = Random(seed)
    rows = {}
    while len(rows) < n:
        pattern, source = rng.choice(PATTERNS), ("man", "woman")[len(rows) % 2]
        words = {
            "who": rng.choice(WHO),
            "did": rng.choice(DID),
            "what": rng.choice(WHAT),
            "where": rng.choice(WHERE),
        }
        target = "woman" if source == "man" else "man"
        before, after = (_filled(pattern, words, gender) for gender in (source, target))
        word = next(
            word for word in before.replace(",", "").rstrip(".").split() if word.lower() in FORMS[source]
        )
        rows[before] = PandaRow((before,), word, parse_attribute(target), (after,))
    return list(rows.values())


def request_of(row):
    """The row as a perturber is asked about it; the chosen word is the first that is written so."""
    segment = next(i for i, text in enumerate(row.before) if row.word in text)
    start = row.before[segment].index(row.word)
    source = parse_attribute("woman" if row.target.name == "man" else "man")
    return Request(row.before, Place(segment, start, start + len(row.word)), source, row.target)


def learned(base, rows, out, *options, validation):
    """What the training of a perturber in a folder says at its end."""
    from train import options_of, trained

    return trained(rows, validation, options_of(["FILE", "--base", str(base), "--out", str(out), *options]))


def _filled(pattern, words, gender):
    he, his, himself = FORMS[gender]
    return pattern.format(he=he, He=he.capitalize(), his=his, himself=himself, **words)
