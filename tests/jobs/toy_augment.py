"""A server that takes the toy reviews apart, alters them and puts them together again, sensibly, for tests of whole runs."""

from __future__ import annotations

import json
import re

from tests.engines.loopback import Call, Reply, completion
from tests.jobs.toy_run import DULL, FINE, label_of

OPPOSITE = dict(zip(DULL + FINE, FINE + DULL, strict=True))
REVIEW = re.compile(r"The (\w+) we (sadly )?saw on day (\d+) was (\w+) and (\w+)\.")


def opposite(text):
    """The text with what it says turned round."""
    return re.sub(r"\w+", lambda word: OPPOSITE.get(word[0], word[0]), text)


def triples_of(text):
    noun, sadly, day, one, other = REVIEW.fullmatch(text).groups()
    return [
        f"We | {sadly or ''}saw | the {noun} on day {day}",
        f"The {noun} | was | {one}",
        f"The {noun} | was | {other}",
    ]


def text_of(triples):
    return " ".join(" ".join(part.strip() for part in triple.split("|")).strip() + "." for triple in triples)


def asked(call):
    """What is asked for: judge, triples, alter, realise, counterfactual, rewrite."""
    system = call.body["messages"][0]["content"]
    if call.kind == "judge":
        return "judge"
    for name, words in (
        ("triples", "take texts apart"),
        ("alter", "You change statements"),
        ("realise", "You put statements into words"),
    ):
        if words in system:
            return name
    return "text"


def listed(call):
    """The triples that stand in a prompt."""
    inside = re.search(r"<triples>\n(.*?)\n?</triples>", call.body["messages"][-1]["content"], re.DOTALL)[1]
    return [json.loads(line[line.index('"') :]) for line in inside.splitlines()]


def answer(call: Call) -> Reply:
    """Triples of a review, their opposites, a text made of them; the right label where a label is asked for."""
    kind = asked(call)
    if kind == "judge":
        return completion(json.dumps({"label": label_of(call.text)}))
    if kind == "triples":
        return lines(triples_of(call.text))
    if kind == "alter":
        return lines(map(opposite, listed(call)))
    text = text_of(listed(call)) if kind == "realise" else opposite(call.text)
    return completion(json.dumps({"rewrites": [text]}))


def lines(triples):
    numbered = [f"{number}. {triple}" for number, triple in enumerate(triples, 1)]
    return completion(json.dumps({"lines": numbered}))
