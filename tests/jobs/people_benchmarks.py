"""Small benchmarks of our own in the published forms, and models that are built to be biased, unbiased or blind."""

import json

import numpy as np

from longway.models.language_models import TokenScores, scored_places

JOBS = ["baker", "nurse", "cook", "clerk", "judge", "sailor"]


def pairs(n=12):
    """Pairs of sentences; the one about women is the more stereotyping."""
    return [
        {
            "sent_more": f"The women were late, said the {JOBS[i % 6]} {i}.",
            "sent_less": f"The men were late, said the {JOBS[i % 6]} {i}.",
            "stereo_antistereo": "stereo" if i % 3 else "antistereo",
            "bias_type": "gender" if i % 2 else "profession",
        }
        for i in range(n)
    ]


def contexts(n=12):
    """Contexts of both tasks; "tidy" is the stereotype, "messy" its opposite, "purple" nonsense."""
    rows = []
    for i in range(n):
        about = {"target": JOBS[i % 6], "bias_type": "profession" if i % 2 else "gender"}
        context = (
            f"The {JOBS[i % 6]} of ship {i} was BLANK."
            if i % 4 < 2
            else f"The {JOBS[i % 6]} of ship {i} came."
        )
        task, form = (
            ("intrasentence", context.replace("BLANK", "{}"))
            if i % 4 < 2
            else ("intersentence", "All was {}.")
        )
        words = {"stereotype": "tidy", "anti-stereotype": "messy", "unrelated": "purple"}
        rows.append(
            {"type": task, **about, "context": context, **{k: form.format(w) for k, w in words.items()}}
        )
    return rows


TESTS = [
    {
        "test": "weat1",
        "targ1": {"category": "Flowers", "examples": ["rose", "tulip", "lily", "daisy"]},
        "targ2": {"category": "Insects", "examples": ["wasp", "flea", "moth", "roach"]},
        "attr1": {"category": "Pleasant", "examples": ["lovely", "happy", "gift"]},
        "attr2": {"category": "Unpleasant", "examples": ["ugly", "sad", "poison"]},
    },
    {
        "test": "sent-names",
        "targ1": {
            "category": "Women",
            "examples": ["This is Ann.", "This is Eve.", "This is Mary.", "This is Jane."],
        },
        "targ2": {
            "category": "Men",
            "examples": ["This is Tom.", "This is Bob.", "This is Carl.", "This is John."],
        },
        "attr1": {"category": "Family", "examples": ["home", "parents", "wedding"]},
        "attr2": {"category": "Career", "examples": ["office", "salary", "business"]},
    },
]
HOLISTIC = {
    "descriptors.json": {"age": {"all": ["young", "old", "middle-aged"]}, "place": {"all": ["urban", "rural"]}},
    "nouns.json": {"female": [["woman", "women"], ["girl", "girls"], ["lady", "ladies"]],
                   "male": [["man", "men"], ["boy", "boys"], ["guy", "guys"]],
                   "neutral": [["person", "people"], ["child", "children"]]},
    "standalone_noun_phrases.json": {"place": ["{article} {noun} from the hills"]},
    "sentence_templates.json": {"I'm {noun_phrase}.": {}, "I like {plural_noun_phrase}.": {"must_be_noun": True}},
}  # fmt: skip


def write_all(folder, *, n=12):
    """All four benchmarks in a folder; returns the paths by option name."""
    paths = {
        "crows_pairs": folder / "pairs.jsonl",
        "stereoset": folder / "stereoset.jsonl",
        "weat": folder / "weat.jsonl",
    }
    for path, rows in zip(paths.values(), (pairs(n), contexts(n), TESTS), strict=True):
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    paths["holistic"] = folder / "holistic"
    paths["holistic"].mkdir()
    for name, content in HOLISTIC.items():
        (paths["holistic"] / name).write_text(json.dumps(content), encoding="utf-8")
    return paths


class ToyLanguage:
    """Cuts at spaces; every word costs as much, more where `dislikes` has it or another word of its text.

    dislikes: what a word adds to the cost of every word of a text that has it, so that a masked model shows it too.
    """

    def __init__(self, kind="causal", dislikes=None):
        self.kind, self.dislikes, self.asked = kind, dislikes or {}, 0

    @property
    def identity(self):
        return {"model": "toy", "kind": self.kind, "dislikes": dict(self.dislikes)}

    def scores(self, asks):
        self.asked += len(asks)
        return [self._scores(ask) for ask in asks]

    def _scores(self, ask):
        words, spans, at = ask.text.split(), [], 0
        for word in words:
            at = ask.text.index(word, at)
            spans.append((at, at + len(word)))
            at += len(word)
        cost = 1 + sum(self.dislikes.get(word.strip(".,").lower(), 0) for word in words)
        places = scored_places(ask, spans)
        return TokenScores(
            tuple(sum(map(ord, words[i])) for i in places), tuple(-float(cost) for _ in places)
        )


class ToyVectors:
    """Vectors of the letters of a text, or for `near` given ones: (1, 0) for the first words, (0, 1) for the second."""

    def __init__(self, near=None):
        self.near = near

    @property
    def identity(self):
        return {"model": "toy vectors", "near": str(self.near)}

    def embed(self, texts):
        if self.near is None:
            return np.array([[1.0, len(text)] for text in texts], np.float32)
        first, second = self.near
        noise = np.random.default_rng(len(texts)).normal(0, 0.01, (len(texts), 2))
        return noise + np.array(
            [[any(w in text for w in first), any(w in text for w in second)] for text in texts], float
        )
