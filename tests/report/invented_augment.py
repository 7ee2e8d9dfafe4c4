"""An augmentation to show: film reviews with triples. All sentences and figures are invented."""

import json
from math import sqrt

LABELS = {"negative": 1004, "positive": 996}
USED = sum(LABELS.values())
WORDS = [
    ("matinee", "negative", 93, 171, 0.0182, 0.0009, 0.037, 0.002),
    ("honestly", "negative", 110, 204, 0.0169, 0.0021, 0.034, -0.004),
    ("saturday", "positive", 88, 149, 0.0121, 0.0004, 0.031, 0.001),
    ("popcorn", "negative", 61, 102, 0.0064, 0.0011, 0.022, 0.003),
    ("director", "positive", 240, 391, 0.0012, 0.0019, 0.010, 0.012),
]
VERDICTS = [
    ("surface", None),
    ("kept words", None),
    ("label", 0.91),
    ("judge", 0.97),
]


def triple(kind, before, after, place):
    return {"kind": kind, "before": before, "after": after, "place": place}


TRACES = [
    (
        "r17",
        "Honestly, the matinee was dull. The hero walks through an empty town. He says almost nothing.",
        "She says almost nothing. Honestly, the matinee was gripping.",
        {
            "principal": ["dull"],
            "spurious": ["honestly", "matinee"],
            "triples": [
                triple("spurious", "the matinee | was, honestly, | dull", "the matinee | was, honestly, | gripping", 1),
                triple("normal", "The hero | walks through | an empty town", None, None),
                triple("normal", "He | says | almost nothing", "She | says | almost nothing", 0),
            ],
            "order": [2, 0],
            "dropped": [1],
            "gender": [["He", "She"]],
        },
    ),
    (
        "r204",
        "We saw it on a Saturday with the whole family. A warm and clever film that made us laugh.",
        "We saw it on a Saturday with the whole family. A cold and clumsy film that made us yawn.",
        {
            "principal": ["warm", "clever", "laugh"],
            "spurious": ["saturday"],
            "triples": [
                triple("spurious", "We | saw it on | a Saturday with the whole family", "We | saw it on | a Saturday with the whole family", 0),
                triple("principal", "A film | is | warm and clever", "A film | is | cold and clumsy", 1),
                triple("principal", "A film | made us | laugh", "A film | made us | yawn", 2),
            ],
            "order": [0, 1, 2],
            "dropped": [],
            "gender": [],
        },
    ),
]  # fmt: skip


def leak(accuracy, *, rows=USED, majority=0.502):
    half = 1.96 * sqrt(accuracy * (1 - accuracy) / rows)
    return {
        "part": "text", "columns": ["review"], "accuracy": accuracy, "low": accuracy - half, "high": accuracy + half,
        "majority": majority, "how": "5-fold cross-validation", "rows": rows,
    }  # fmt: skip


def addition(id_, before, after, trace, *, was="negative", now="positive", failed=None, number=1):
    """An addition as augment.json shows it; failed: the check that refused it."""
    names = [name for name, _ in VERDICTS]
    seen = VERDICTS[: names.index(failed) + 1] if failed else VERDICTS
    return {
        "id": f"{id_}+coba{number}", "field": "review", "before": before, "after": after, "label_before": was,
        "label_after": now, "method": "coba", "engine": "served:toy", "accepted": failed is None,
        "reason": f"{failed}: the word is gone" if failed else "",
        "verdicts": [
            {"check": name, "passed": name != failed, "score": score, "reason": "the word is gone" if name == failed else ""}
            for name, score in seen
        ],
        "score_before": None, "score_after": None, "round": 3, "how": "", "source": id_, "trace": trace,
        "context": None, "context_before": None,
    }  # fmt: skip


def finding(pattern, label, *figures):
    names = ("count_before", "share_before", "gain_before", "count_after", "share_after", "gain_after")
    found = {"level": "token", "pattern": pattern, "field": "review", "label": label, "marked": ""}
    points = (
        share * n / LABELS[label] - (1 - share) * n / (USED - LABELS[label])
        for n, share, _ in (figures[:3], figures[3:])
    )
    return found | dict(
        zip((*names, "points_before", "points_after"), (*figures, *(one / 2 for one in points)), strict=True)
    )


def augment():
    """The content of augment.json, passed through JSON as on disk."""
    first, second = (addition(*row) for row in TRACES)
    second |= {"label_before": "positive", "label_after": "negative"}
    plain = addition("r9", "A fine film.", "A bad film.", {}, was="positive", now="negative")
    refused = addition(*TRACES[0], failed="kept words", number=2)
    made = {
        "version": 1, "longway": "0.1.0", "created": "2026-11-15T10:00:00Z",
        "dataset": {
            "name": "reviews.csv", "split": None, "rows": 2003, "used": USED, "labels": LABELS,
            "fields": {"text": "review", "context": None, "label": "label"}, "guessed": ["text"],
            "fingerprint": "sha256:" + "9f2c41d7" * 8, "streamed": False,
        },
        "method": "coba", "engine": "served:toy", "judge": "served:toy",
        "settings": {"method": "coba", "engine": "served:toy", "models": ["bow", "nb", "cnn"], "seed": 0, "target": None},
        "asked": 2000, "candidates": 1710, "accepted": 1301, "rejected": 409, "added": 1301,
        "added_by_label": {"negative": 640, "positive": 661}, "labels_before": LABELS,
        "labels_after": {"negative": 1644, "positive": 1657},
        "stopped": "every row was gone through once",
        "rounds": [
            {"number": 1, "rows": 64, "candidates": 58, "accepted": 41, "rejected": {"kept words": 9, "label": 8},
             "refusals": {"the rules know no opposite of the label": 6}, "seconds": 12.4},
        ],
        "words": [
            {"word": word, "label": label, "rows_before": before, "rows_after": after, "mi_before": was, "mi_after": now,
             "points_before": worth_before, "points_after": worth_after}
            for word, label, before, after, was, now, worth_before, worth_after in WORDS
        ],
        "mean_mi": {"before": 0.01096, "after": 0.00128}, "mean_points": {"before": 0.0268, "after": 0.0044},
        "analysis": {
            "overlap": {"k": 5, "texts": 2000, "every": 0.64, "some": 0.33, "words": 0.41, "pairs": {"bow + nb": 0.52, "bow + cnn": 0.31}},
            "parts_of_speech": {
                "bow": {"noun": 0.31, "verb": 0.17, "adjective or adverb": 0.4, "other": 0.12},
                "nb": {"noun": 0.42, "verb": 0.15, "adjective or adverb": 0.33, "other": 0.1},
            },
            "models": ["bow", "nb", "cnn"], "votes": 2, "k": 5, "texts": 500, "principal_words": 2.4, "spurious_words": 5.1,
        },
        "leak": {"before": leak(0.842), "after": leak(0.701, rows=3301)}, "other_leaks": [],
        "found": {"before": 61, "after": 12},
        "findings": [
            finding("matinee", "negative", 93, 0.91, 0.0182, 171, 0.52, 0.0004),
            finding("director", "positive", 240, 0.54, 0.0012, 391, 0.56, 0.0019),
        ],
        "worse": [finding("gripping", "positive", 4, 0.75, 0.0001, 121, 0.98, 0.019)], "n_worse": 3,
        "checks": [
            {"check": "surface", "seen": 1710, "failed": 40, "error": None},
            {"check": "kept words", "seen": 1670, "failed": 211, "error": None},
            {"check": "label", "seen": 1459, "failed": 158, "error": {"false_accept": 0.08, "false_reject": 0.11}},
        ],
        "missing_checks": ["judge: no engine that can judge was given"],
        "expected_wrong": {"share": 0.084, "low": 0.05, "high": 0.13, "basis": "of 1710 candidates the checks rejected 409", "rows": None},
        "sample": [first, second, plain],
        "refused": [{"reason": "kept words", "count": 211, "example": refused}],
        "failed_calls": [{"reason": "status 502", "count": 2}],
        "cost": [{"engine": "served:toy", "kind": "write", "calls": 5120, "prompt_tokens": 2_100_000, "completion_tokens": 610_000, "cost": 0.68, "seconds": 4100.0}],
        "budget": 2.0,
    }  # fmt: skip
    return json.loads(json.dumps(made))


def pair_augment():
    """The same with an addition to a pair, whose context has triples, too."""
    made = augment()
    context = "A man plays the flute on a bridge."
    trace = {
        "principal": ["flute"], "spurious": ["man"],
        "triples": [triple("principal", "A man | is making | music", "A man | is making | no sound", 0)],
        "context_triples": [triple("spurious", "A man | plays | the flute on a bridge", "A woman | plays | the flute on a bridge", 0), "The bridge | is | old"],
        "order": [0], "dropped": [], "gender": [["man", "woman"]],
    }  # fmt: skip
    one = addition("p4", "A man is making music.", "A man is making no sound.", trace)
    one |= {"context_before": context, "context": "A woman plays the flute on a bridge."}
    made["sample"] = [one]
    return made


def text_to_text_augment():
    """The same for rows without labels: nothing that is about labels was measured."""
    made = augment()
    made["dataset"]["labels"] = {}
    trace = {
        "triples": [triple("principal", "I | gotta go | now", "I | gotta go | now", 1), triple("normal", "He | is | late", "She | is | late", 0)],
        "target_triples": [triple("principal", "I | must leave | now", "I | must leave | now", 1), triple("normal", "He | is | delayed", "She | is | delayed", 0)],
        "order": [1, 0],
    }  # fmt: skip
    one = addition("t1", "gotta go now, he is late", "she is late, gotta go now", trace)
    one |= {
        "label_before": "I must leave now. He is delayed.",
        "label_after": "She is delayed. I must leave now.",
    }
    made["sample"], made["refused"] = [one], []
    made |= {
        "added_by_label": {}, "labels_before": {}, "labels_after": {}, "words": [], "mean_mi": None, "mean_points": None, "analysis": None,
        "leak": None, "found": None, "findings": [], "worse": [], "n_worse": 0, "expected_wrong": None,
    }  # fmt: skip
    return made


def hostile_augment(text):
    """The same with hostile text wherever a dataset can put some, in far larger lists."""
    made = augment()
    labels = {text(at): 5000 - at for at in range(40)}
    names = list(labels)
    made["dataset"] |= {
        "name": text(0),
        "labels": labels,
        "fields": {"text": text(5), "context": text(9), "label": text(1)},
    }
    made |= {"labels_before": labels, "labels_after": labels, "added_by_label": labels, "stopped": text(3)}
    made["words"] = [made["words"][0] | {"word": text(at), "label": names[at % 40]} for at in range(120)]
    trace = {
        "principal": [text(at) for at in range(60)], "spurious": [text(at + 1) for at in range(60)],
        "triples": [triple(text(at), text(at), text(at + 1) if at % 3 else None, at if at % 3 else None) for at in range(90)],
        "context_triples": [triple("normal", text(at), text(at), at) for at in range(90)],
        "gender": [[text(at), text(at + 1)] for at in range(30)],
    }  # fmt: skip
    one = addition(text(2), text(3) * 40, text(4) * 40, trace, was=names[0], now=names[1])
    one |= {
        "context": text(5) * 20,
        "context_before": text(6) * 20,
        "how": text(7),
        "engine": text(8),
        "reason": text(1),
    }
    plain = one | {"trace": {}, "before": text(3), "after": text(4)}
    made["sample"] = [one, *[plain] * 24]
    made["refused"] = [{"reason": text(at), "count": 3, "example": plain} for at in range(30)]
    base = made["findings"][0]
    made["findings"] = [
        base | {"pattern": text(at), "field": text(at + 1), "label": names[at % 40]} for at in range(300)
    ]
    made["worse"] = made["findings"][:60]
    made["analysis"]["parts_of_speech"] = {text(at): {text(k): 0.1 for k in range(4)} for at in range(9)}
    made["analysis"]["overlap"]["pairs"] = {text(at): 0.5 for at in range(36)}
    made["analysis"] |= {"models": [text(at) for at in range(9)], "votes": 5, "no_parts_of_speech": text(3)}
    made["missing_checks"] = [text(at) for at in range(100)]
    made["failed_calls"] = [{"reason": text(at), "count": 1} for at in range(100)]
    made["rounds"][0]["refusals"] = {text(at): 2 for at in range(100)}
    made["checks"] = [{"check": text(at), "seen": 9, "failed": 1, "error": None} for at in range(90)]
    made["settings"] = {text(at): text(at + 1) for at in range(300)}
    return json.loads(json.dumps(made))
