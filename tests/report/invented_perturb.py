"""A perturbation to show: claims with their evidence. All sentences and figures are invented."""

import json

LABELS = {"supports": 820, "refutes": 680}
USED = sum(LABELS.values())
ATTRIBUTES = {
    "gender": {"man": (610, 402), "woman": (220, 371), "non-binary": (4, 61)},
    "race": {"white": (80, 52), "black": (12, 24), "hispanic": (9, 21), "asian": (17, 26), "native-american": (1, 12), "pacific-islander": (0, 9)},
    "age": {"child": (44, 31), "young": (20, 27), "middle-aged": (1, 18), "senior": (38, 29), "adult": (6, 15)},
}  # fmt: skip


def verdict(check, reason=""):
    return {"check": check, "passed": not reason, "score": None, "reason": reason}


def person(id_, axis, source, target, word, texts, *, label="supports", reason="", left=(), verdicts=()):
    """A row as perturb.json shows it; texts: column, before, after, the words of the person."""
    shown = [
        {"field": field, "before": before, "after": after, "chain": spots(before, chain), "word": (spots(before, [word]) or [None])[0]}
        for field, before, after, chain in texts
    ]  # fmt: skip
    return {
        "id": id_, "source_id": "", "label": label, "axis": axis, "source": source, "target": target, "word": word, "engine": "rules",
        "reason": reason, "verdicts": list(verdicts), "left": list(left), "perturbability": 0.31, "texts": shown,
    }  # fmt: skip


def spots(text, words):
    """Where words stand, each once, in order."""
    found, at = [], 0
    for word in words:
        start = text.find(word, at)
        if start >= 0:
            found.append([start, start + len(word)])
            at = start + len(word)
    return found


SAMPLE = [
    person(
        "c12", "gender", "woman", "man", "her",
        [
            ("evidence", "Mira Sol moved to Oslo with her sister.", "Milo Sol moved to Oslo with his sister.", ["Mira Sol", "her"]),
            ("claim", "Sol lives in Oslo.", "Sol lives in Oslo.", ["Sol"]),
        ],
        left=["'sister': another person"], verdicts=[verdict("offensive"), verdict("label contrast")],
    ),
    person(
        "c40", "gender", "man", "woman", "uncle",
        [
            ("evidence", "Otto saw his aunt.", "Otto saw his aunt.", []),
            ("claim", "Otto saw his uncle.", "Otto saw his aunt.", ["uncle"]),
        ],
        label="refutes",
        verdicts=[verdict("offensive"), verdict("label contrast", "the texts differ in 'aunt' and 'uncle', and no longer do")],
    ),
    person("c7", "age", "child", "senior", "boy", [("claim", "A boy crossed the river.", "An old man crossed the river.", ["A boy"])]),
]  # fmt: skip


def perturb():
    """The content of perturb.json, passed through JSON as on disk."""
    slur = person(
        "c99", "race", "white", "asian", "white",
        [("claim", "They called him names.", "They called him worse names.", ["him"])],
        reason="offensive: a slur", verdicts=[verdict("offensive", "a slur")],
    )  # fmt: skip
    nameless = person(
        "c3", "age", "senior", "adult", "67", [("claim", "Ada, 67, sings.", "Ada, 67, sings.", ["Ada"])], reason="there is no other word for it",
    )  # fmt: skip
    made = {
        "version": 1, "longway": "0.1.0", "created": "2026-11-15T10:00:00Z",
        "dataset": {
            "name": "claims.csv", "split": None, "rows": 1503, "used": USED, "labels": LABELS,
            "fields": {"text": "claim", "context": "evidence", "label": "label"}, "guessed": ["text"],
            "fingerprint": "sha256:" + "9f2c41d7" * 8, "streamed": False,
        },
        "engine": "rules",
        "settings": {"axes": ["gender", "race", "age"], "to": [], "sampling": "balanced", "engine": "rules", "add": False, "seed": 0},
        "rows": USED, "perturbable": 900, "chosen": 880, "perturbed": 812, "changed": 812, "added": 0, "tries": 1040,
        "blocked": 7, "warned": 31, "kept_warned": 1, "stopped": "",
        "axes": [
            {"axis": "gender", "rows": 830, "perturbed": 531},
            {"axis": "race", "rows": 119, "perturbed": 101},
            {"axis": "age", "rows": 109, "perturbed": 180},
        ],
        "pairs": [
            {"axis": "gender", "source": "man", "target": "woman", "count": 260},
            {"axis": "age", "source": "child", "target": "senior", "count": 18},
        ],
        "balance": [
            {"axis": axis, "attribute": name, "rows_before": was, "rows_after": now, "words_before": 3 * was, "words_after": 3 * now}
            for axis, names in ATTRIBUTES.items()
            for name, (was, now) in names.items()
        ],
        "stayed": [{"reason": "no word expresses a gender, race or age that can be changed", "count": 600}, {"reason": "label contrast", "count": 88}],
        "refused": [
            {"reason": "there is no other word for it", "count": 120, "example": nameless},
            {"reason": "offensive", "count": 7, "example": slur},
        ],
        "checks": [{"check": "offensive", "seen": 920, "failed": 7}, {"check": "label contrast", "seen": 900, "failed": 31}],
        "left": [{"reason": "a colour", "count": 61, "words": [["black", 40], ["white", 21]]}],
        "distances": {"rows": 812, "changed": 1.0, "bleu": 81.2, "rouge": {"rouge1": 0.91, "rouge2": 0.84, "rouge_l": 0.91}, "edits": 2.4, "edit_share": 0.113, "embedding": None},
        "sample": SAMPLE,
        "failed_calls": [],
        "cost": [],
        "budget": None,
    }  # fmt: skip
    return json.loads(json.dumps(made))


def hostile_perturb(text):
    """The same with hostile text wherever a dataset can put some, in far larger lists."""
    made = perturb()
    labels = {text(at): 5000 - at for at in range(40)}
    names = list(labels)
    made["dataset"] |= {
        "name": text(0),
        "labels": labels,
        "fields": {"text": text(5), "context": text(9), "label": text(1)},
    }
    shown = [
        {
            "field": text(at + 1), "before": f"{text(at)} {text(at + 3)}", "after": f"{text(at + 5)} {text(at + 3)}",
            "chain": [[5, 90], [-4, 2], [8, 9], [7, 10**9]] * 20, "word": [0, 3],
        }
        for at in range(12)
    ]  # fmt: skip
    cards = [
        made["sample"][0]
        | {
            "id": text(at), "source_id": text(at + 1), "label": names[at % 40], "axis": ("gender", "race", "age")[at % 3], "source": text(at + 2),
            "word": text(at + 3), "engine": text(at + 4), "reason": text(at + 5) if at % 2 else "", "left": [text(at + k) for k in range(20)],
            "texts": [shown[at % 12], shown[(at + 1) % 12]], "verdicts": [verdict(text(at), text(at + 1))] * 30,
        }
        for at in range(90)
    ]  # fmt: skip
    made |= {
        "engine": text(2), "stopped": text(3), "sample": cards,
        "pairs": [{"axis": text(at), "source": text(at + 1), "target": text(at + 2), "count": at} for at in range(300)],
        "stayed": [{"reason": text(at), "count": at + 1} for at in range(300)],
        "refused": [{"reason": text(at), "count": at + 1, "example": cards[at % 90]} for at in range(300)],
        "left": [{"reason": text(at), "count": at, "words": [[text(at + k), k] for k in range(5)]} for at in range(300)],
        "failed_calls": [{"reason": text(at), "count": at + 1} for at in range(300)],
        "settings": made["settings"] | {text(at): text(at + 1) for at in range(300)},
    }  # fmt: skip
    return made
