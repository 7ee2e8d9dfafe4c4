"""A rewrite to show: claims in the manner of FEVER. All sentences and figures are invented."""

import json
from math import sqrt

LABELS = {"REFUTES": 3333, "SUPPORTS": 3333}
USED = sum(LABELS.values())

# pattern, level, label, texts and share and gain (nats) before, the same after
PATTERNS = [
    ("not", "token", "REFUTES", 702, 0.933, 0.0424, 331, 0.692, 0.0041),
    ("only", "token", "REFUTES", 390, 0.913, 0.0209, 201, 0.631, 0.0011),
    ("negation in claim, none in evidence", "negation", "REFUTES", 611, 0.918, 0.0341, 402, 0.741, 0.0083),
    ("was unable to", "ngram", "REFUTES", 161, 0.981, 0.0129, 12, 0.667, 0.0001),
    ("incapable", "token", "REFUTES", 118, 0.992, 0.0102, 4, 1.0, 0.0004),
    ("never", "token", "REFUTES", 155, 0.871, 0.0067, 84, 0.643, 0.0005),
    ("at least 60% of the claim in the evidence", "overlap", "SUPPORTS", 2210, 0.644, 0.0149, 2102, 0.639, 0.0139),
    ("yet to", "ngram", "REFUTES", 84, 0.988, 0.0069, 3, 1.0, 0.0003),
    ("person", "token", "SUPPORTS", 188, 0.777, 0.0044, 171, 0.754, 0.0034),
    ("first word: there", "position", "REFUTES", 144, 0.889, 0.0069, 61, 0.803, 0.0017),
    ("more than 14 words", "length", "SUPPORTS", 655, 0.656, 0.0051, 688, 0.671, 0.0064),
    ("American", "token", "SUPPORTS", 406, 0.621, 0.0018, 406, 0.621, 0.0018),
    ("last word: only", "position", "REFUTES", 31, 0.935, 0.0019, 6, 0.667, 0.0),
    ("contains a digit", "surface", "SUPPORTS", 1240, 0.574, 0.0024, 1240, 0.574, 0.0024),
]  # fmt: skip
WORSE = [
    ("failed to", "ngram", "REFUTES", 21, 0.762, 0.0005, 118, 0.907, 0.0063),
    ("more than 14 words", "length", "SUPPORTS", 655, 0.656, 0.0051, 688, 0.671, 0.0064),
]

EVIDENCE = (
    "The harbour museum of Ostmark keeps its doors shut from November to March. The building, a former "
    "customs house, was given to the town in 1921 and holds some four hundred ship models."
)
EDITS = [
    ("412", "REFUTES", "The harbour museum does not open in the winter months.", "The harbour museum stays closed in the winter months.", "words.antonym", 0.988, 0.801, EVIDENCE),
    ("2077", "REFUTES", "Otto Brandeis did not finish a single symphony before 1970.", "Otto Brandeis failed to finish a single symphony before 1970.", "negation.fail_to", 0.985, 0.842, None),
    ("93", "REFUTES", "Ines Calderon has only ever recorded music for the radio.", "Ines Calderon has recorded music for nothing but the radio.", "restrictors.nothing_but", 0.981, 0.815, "Calderon recorded three albums and wrote for film."),
    ("5120", "REFUTES", "Copper is incapable of conducting heat.", "Copper cannot conduct heat.", "negation.incapable", 0.979, 0.836, None),
    ("871", "SUPPORTS", "Blue Meridian was in a list of the ten most watched series of 2014.", "A list of the ten most watched series of 2014 had Blue Meridian in it.", "passive + fronting", 0.972, 0.811, EVIDENCE),
    ("60", "SUPPORTS", "The Long Afternoon stars Edda Lind, Per Voss and two actors from Norway.", "The Long Afternoon stars Per Voss, Edda Lind and two actors from Norway.", "list_order", 0.969, 0.913, None),
    ("1333", "REFUTES", "There is not a bridge in Varnholm that nobody has ever crossed.", "Varnholm has no bridge that nobody has ever crossed.", "negation.no_noun", 0.966, 0.858, None),
    ("4410", "SUPPORTS", "The festival, held each August in the old quarter, brings together players from more than thirty countries.", "Held each August in the old quarter, the festival brings together players from over thirty countries.", "clause_order + words.synonym", 0.951, 0.804, EVIDENCE),
]  # fmt: skip
REFUSED = [
    ("another candidate stands out less", 3414, ("412", "REFUTES", "The harbour museum does not open in the winter months.", "The harbour museum fails to open in the winter months.", "negation.fail_to", 0.988, 0.874, EVIDENCE), None),
    ("negation changed", 310, ("3021", "REFUTES", "Lake Minnow does not freeze.", "Lake Minnow freezes.", "words.drop", 0.961, 0.702, None), "negation"),
    ("a number changed", 128, ("18", "SUPPORTS", "The tower was painted 7 times since 1889.", "The tower was painted 8 times since 1889.", "sample 3", 0.94, 0.88, None), "numbers"),
    ("too far in meaning", 96, ("77", "REFUTES", "Pelda is a desert.", "Pelda, which many travellers visit, is a dry place of great beauty.", "sample 1", 0.93, 0.71, EVIDENCE), "meaning"),
    ("a copy of the text", 61, ("140", "SUPPORTS", "Night Orchard won an award.", "Night Orchard won an award.", "sample 5", 0.9, 0.9, None), "copy"),
]  # fmt: skip
CHECKS = [
    ("copy", 5400, 61, None),
    ("numbers", 5339, 128, {"false_accept": 0.0, "false_reject": 0.012}),
    ("negation", 5211, 310, {"false_accept": 0.031, "false_reject": 0.084}),
    ("names", 4901, 44, {"false_accept": 0.008, "false_reject": 0.021}),
    ("meaning", 4857, 96, {"false_accept": 0.114, "false_reject": 0.052}),
    ("entailment", 4761, 803, {"false_accept": 0.064, "false_reject": 0.171}),
]


def leak(accuracy, *, columns=("claim",), how="5-fold cross-validation", majority=0.5, rows=USED):
    """A measured leak as rewrite.json has it."""
    half = 1.96 * sqrt(accuracy * (1 - accuracy) / rows)
    return {
        "part": "text", "columns": list(columns), "accuracy": accuracy, "low": accuracy - half,
        "high": accuracy + half, "majority": majority, "how": how, "rows": rows,
    }  # fmt: skip


def finding(pattern, level, label, *figures, marked=""):
    """A pattern with its figures before and after."""
    names = ("count_before", "share_before", "gain_before", "count_after", "share_after", "gain_after")
    field = "claim + evidence" if level in ("overlap", "negation") else "claim"
    found = {"level": level, "pattern": pattern, "field": field, "label": label, "marked": marked}
    points = (
        (2 * share - 1) * n / USED for n, share, _ in (figures[:3], figures[3:])
    )  # labels are equally frequent
    return found | dict(zip((*names, "points_before", "points_after"), (*figures, *points), strict=True))


def edit(id_, label, before, after, how, score_before, score_after, context, *, failed=None):
    """An edit with its verdicts; failed: the check that refused it."""
    checks = [
        ("copy", None),
        ("numbers", None),
        ("negation", None),
        ("names", None),
        ("meaning", 0.93),
        ("entailment", 0.88),
    ]
    verdicts = [
        {
            "check": name,
            "passed": name != failed,
            "score": score,
            "reason": f"{name} is not as it was" if name == failed else "",
        }
        for name, score in checks
    ]
    stop = next((at + 1 for at, (name, _) in enumerate(checks) if name == failed), len(checks))
    return {
        "id": id_, "field": "claim", "before": before, "after": after, "label_before": label, "label_after": label,
        "method": "razor", "engine": "rules", "accepted": failed is None, "reason": f"{failed} failed" if failed else "",
        "verdicts": verdicts[:stop], "score_before": score_before, "score_after": score_after, "round": 2, "how": how,
        "context": context,
    }  # fmt: skip


def rounds(n=8):
    """Round 0 as the data came, then n rounds that do less and less."""
    made = []
    for number in range(n + 1):
        left = 0.62**number
        made.append(
            {"number": number, "rows": 300 if number else USED, "candidates": 1800 if number else 0,
             "accepted": 110 + round(170 * left) if number else 0, "objective": 0.513 - 0.101 * left, "kl": 0.12 + 0.19 * left,
             "mean_gamma": 0.55 + 0.06 * left, "leak": 0.601 + 0.08 * left, "seconds": 3.1 + 9 * left,
             "refusals": {"no rule can put this text differently": 40, "status 502": 1 if number == 1 else 0} if number else {}}
        )  # fmt: skip
    return made


def rewrite():
    """The content of rewrite.json, passed through JSON as on disk."""
    edits = [edit(*row) for row in EDITS]
    made = {
        "version": 1, "longway": "0.1.0", "created": "2026-11-15T10:00:00Z",
        "dataset": {
            "name": "claims.csv", "split": None, "rows": 6670, "used": USED, "labels": LABELS,
            "fields": {"text": "claim", "context": "evidence", "label": "label"},
            "guessed": ["text", "label"], "fingerprint": "sha256:" + "9f2c41d7" * 8, "streamed": False,
        },
        "method": "razor", "engine": "rules", "judge": "none",
        "settings": {"seed": 0, "k": 300, "candidates": 6, "balance": False, "stop": "cosine", "rounds": 20, "patience": 2, "space": "surface", "temperature": 0.7, "top_p": 0.9},
        "changed": 1204, "asked": 2400, "candidates": 5400, "accepted": 1391, "rejected": 4009, "labels_changed": 0,
        "stopped": "the sum of cosines (Eq. 14) no longer rises",
        "rounds": rounds(),
        "leak": {"before": leak(0.681), "after": leak(0.601)},
        "other_leaks": [
            {"name": "evidence", "before": leak(0.512, columns=("evidence",)), "after": leak(0.514, columns=("evidence",))},
        ],
        "findings": [finding(*row, marked="real signal, left alone" if row[0] == "American" else "") for row in PATTERNS],
        "worse": [finding(*row) for row in WORSE], "n_worse": len(WORSE),
        "bleu": 0.712,
        "checks": [{"check": name, "seen": seen, "failed": failed, "error": error} for name, seen, failed, error in CHECKS],
        "missing_checks": ["judge: no engine that can judge was given"],
        "expected_wrong": {"share": 0.031, "low": 0.012, "high": 0.058, "basis": "pairs of texts with known labels, 1,200 of them; each check's errors taken together", "rows": {"share": 0.036, "low": 0.014, "high": 0.067}},
        "sample": (edits * 3)[:20],
        "strongest": edits,
        "refused": [{"reason": reason, "count": count, "example": edit(*row, failed=failed)} for reason, count, row, failed in REFUSED],
        "failed_calls": [{"reason": "the server did not answer within 60 seconds", "count": 7}, {"reason": "status 502", "count": 2}],
        "cost": [
            {"engine": "rules", "kind": "write", "calls": 2400, "prompt_tokens": 0, "completion_tokens": 0, "cost": 0.0, "seconds": 131.4},
            {"engine": "served: a-small-model", "kind": "judge", "calls": 1986, "prompt_tokens": 812344, "completion_tokens": 20411, "cost": 0.134, "seconds": 402.0},
        ],
        "budget": 5.0,
    }  # fmt: skip
    return json.loads(json.dumps(made))


def many_rounds(n):
    return [{**one, "number": at} for at, one in enumerate(rounds(50) * (n // 51 + 1))][:n]


def hostile_rewrite(hostile_text):
    """The same rewrite with hostile text wherever a dataset or an engine can put some, in far larger lists."""
    made = rewrite()
    labels = {hostile_text(at): 5000 - at for at in range(40)}
    names = list(labels)
    base = made["sample"][0]
    bad = hostile_text
    edits = [
        base | {"id": bad(at), "field": bad(at + 1), "before": bad(at), "after": bad(at + 1), "label_before": names[at % 40], "label_after": names[(at // 2) % 40],
                "engine": bad(at + 3), "how": bad(at + 4), "reason": bad(at + 5), "context": bad(at + 6),
                "verdicts": [{"check": bad(at + k), "passed": k % 2 == 0, "score": None, "reason": bad(at + k + 1)} for k in range(30)]}
        for at in range(48)
    ]  # fmt: skip
    edits += [base | {"before": '" ' * 5000, "after": '" < ' * 5000}]
    patterns = [
        finding(bad(at), bad(at + 1), names[at % 40], 10**9, 0.9, 0.4, 0, 0.0, 0.0, marked=bad(at + 2)) | {"field": bad(at + 3)}
        for at in range(300)
    ]  # fmt: skip
    leaks = {
        "before": leak(0.9, columns=(bad(5), bad(7)), how=bad(1)),
        "after": leak(0.95, columns=(bad(5), bad(7)), how=bad(1)),
    }
    return made | {
        "dataset": made["dataset"] | {"name": bad(0), "labels": labels, "fields": {"text": bad(5), "context": bad(9), "label": bad(1)}},
        "method": bad(1), "engine": bad(5), "judge": bad(3), "created": bad(2), "stopped": bad(5),
        "settings": {bad(at): bad(at + 1) for at in range(300)},
        "leak": leaks, "other_leaks": [leaks | {"name": bad(at)} for at in range(30)],
        "rounds": [*many_rounds(9_999), {**rounds(1)[1], "refusals": {f"{bad(at)} {at}": 10**9 for at in range(300)}}],
        "findings": patterns, "worse": patterns[::-1], "n_worse": 10**6,
        "failed_calls": [{"reason": bad(at), "count": 10**9} for at in range(300)],
        "missing_checks": [bad(at) for at in range(300)],
        "checks": [{"check": bad(at), "seen": 10**9, "failed": at, "error": None} for at in range(300)],
        "expected_wrong": {"share": 0.1, "low": 0.0, "high": 0.2, "basis": bad(0), "rows": None},
        "sample": edits * 41, "strongest": edits * 41,
        "refused": [{"reason": bad(at), "count": 10**9, "example": edits[at % len(edits)]} for at in range(300)],
        "cost": [{"engine": bad(at), "kind": bad(at + 1), "calls": 10**9, "prompt_tokens": 10**12, "completion_tokens": 10**12, "cost": 10.0**9, "seconds": 1e9} for at in range(300)],
    }  # fmt: skip
