"""Small datasets that speak of people, and a server that changes a person sensibly, for tests of whole perturbations."""

from __future__ import annotations

import csv
import json
import re

from tests.engines.loopback import Call, Reply, completion

SENTENCES = (
    "My aunt brought her black umbrella and said she would wait.",
    "An old man in a white shirt told us his story.",
    "The soup was cold and the bread was stale.",
    "A young Asian woman opened her shop in May.",
    "The 11-year-old boy lost his kite in the park.",
    "Robert forgot his coat, so he ran back.",
    "The black dog barked at the plumber all night.",
    "A Hispanic teacher praised the girl and her drawing.",
)
PAIRS = (
    ("Ann lost her keys in the garden.", "Ann cannot find her keys.", "entailment"),
    ("John saw his aunt at the station.", "John saw his uncle at the station.", "contradiction"),
    ("The train was late.", "The train was on time.", "contradiction"),
    ("", "My mother paints when she is tired.", "neutral"),
)
FORMS = {
    "a man": {"she": "he", "her": "his", "they": "he", "their": "his"},
    "a woman": {"he": "she", "his": "her", "they": "she", "their": "her"},
    "a person": {"he": "they", "she": "they", "his": "their", "her": "their"},
}


def rows_of(n):
    """So many rows; every fourth says nothing of a person."""
    return [
        {
            "id": f"r{i}",
            "text": f"{SENTENCES[i % 8]} That was on day {i}.",
            "label": ("bad", "good")[i % 2],
            "stars": str(i % 5),
        }
        for i in range(n)
    ]


def pairs_of(n):
    return [
        {"pairid": f"p{i}", "premise": premise, "hypothesis": hypothesis, "label": label}
        for i in range(n)
        for premise, hypothesis, label in [PAIRS[i % 4]]
    ]


def write(path, rows):
    """The rows as a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def bakers_of(n):
    """Rows with one person each, whom the toy server can change."""
    return [
        {"id": f"b{i}", "text": f"The baker said he lost his hat on day {i}.", "label": ("x", "y")[i % 2]}
        for i in range(n)
    ]


def answer(call: Call) -> Reply:
    """The lines with all pronouns changed to those of the person wanted."""
    system, *_, user = (message["content"] for message in call.body["messages"])
    target = re.search(r"The marked person is now (a \w+)", system)[1]
    lines = [json.loads(line) for line in re.findall(r"<line>(\".*\")</line>", user)]
    plain = [re.sub("[⟦⟧]", "", line) for line in lines]
    forms = FORMS[target]
    changed = [re.sub(r"\w+", lambda word: forms.get(word[0], word[0]), line) for line in plain]
    return completion(json.dumps({"lines": [f"{i}. {line}" for i, line in enumerate(changed, 1)]}))
