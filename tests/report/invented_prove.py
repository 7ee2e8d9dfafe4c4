"""A proof to show: claims in the manner of FEVER, before and after a rewrite. All names and figures are invented."""

import json
from math import sqrt

LABELS = ["REFUTES", "SUPPORTS"]
COUNTS = {"REFUTES": 3333, "SUPPORTS": 3333}
VERSIONS = ["before", "after", "eda"]
TESTS = {"symmetric": 708, "dev": 1200, "mixed-up": 400}
RUNS = [("bow", "erm"), ("bow", "poe"), ("minilm", "erm")]
METRICS = ["accuracy", "macro_f1", "binary_f1", "auroc", "calibration_error", "brier", "worst_group_accuracy"]

# accuracy before and after and with eda, by run and test
ACCURACY = {
    ("bow", "erm"): {"symmetric": (0.504, 0.581, 0.509), "dev": (0.702, 0.671, 0.699), "mixed-up": (0.528, 0.541, 0.525)},
    ("bow", "poe"): {"symmetric": (0.561, 0.592, 0.566), "dev": (0.688, 0.679, 0.684), "mixed-up": (0.544, 0.556, 0.541)},
    ("minilm", "erm"): {"symmetric": (0.612, 0.668, 0.615), "dev": (0.781, 0.779, 0.783), "mixed-up": (0.577, 0.601, 0.58)},
}  # fmt: skip
PATTERNS = [
    ("not", "token", "REFUTES", 0.95, 0.20, 0.88, 0.52),
    ("was unable to", "ngram", "REFUTES", 0.99, 0.08, 0.84, 0.41),
    ("negation in claim, none in evidence", "negation", "REFUTES", 0.91, 0.31, 0.86, 0.48),
    ("first word: there", "position", "REFUTES", 0.87, 0.35, 0.82, 0.43),
    ("person", "token", "SUPPORTS", 0.83, 0.42, 0.81, 0.47),
    ("more than 14 words", "length", "SUPPORTS", 0.79, 0.51, 0.80, 0.49),
    ("award", "token", "SUPPORTS", 0.78, None, 0.74, None),
]


def margin(value, n):
    return 1.96 * sqrt(max(value * (1 - value), 0.0) / n)


def score(data, run, test, metric, mean, *, seeds=3):
    """A figure with its interval, as results.json has it."""
    half = margin(min(mean, 1.0), TESTS.get(test, 500))
    return {
        "data": data, "model": run[0], "method": run[1], "test": test, "metric": metric,
        "mean": mean, "std": 0.004 if seeds > 1 else None, "low": max(mean - half, 0.0), "high": min(mean + half, 1.0), "seeds": seeds,
    }  # fmt: skip


def figure_of(metric, accuracy):
    """Another measure that goes with an accuracy."""
    return {
        "accuracy": accuracy, "macro_f1": accuracy - 0.01, "binary_f1": accuracy + 0.012, "auroc": min(accuracy + 0.06, 1.0),
        "calibration_error": max(0.34 - accuracy / 3, 0.0), "brier": 0.5 - accuracy / 3, "worst_group_accuracy": accuracy - 0.28,
    }[metric]  # fmt: skip


def verdict(difference, metric="accuracy"):
    gain = -difference if metric in ("calibration_error", "brier") else difference
    return "better" if gain > 0.02 else "worse" if gain < -0.02 else "no clear difference"


def compared(run, test, metric, before, after, *, data="after", against="before", than=None):
    """A comparison of two figures."""
    difference = after - before
    row = {
        "data": data, "against": against, "model": run[0], "method": run[1], "test": test, "metric": metric,
        "difference": difference, "low": difference - 0.018, "high": difference + 0.018,
        "before": before, "after": after, "p": 0.02, "q": 0.04 if abs(difference) > 0.02 else 0.31, "verdict": verdict(difference, metric),
    }  # fmt: skip
    return row | ({"against_method": than} if than else {})


def scores(versions):
    return [
        score(data, run, test, metric, figure_of(metric, by_test[test][VERSIONS.index(data)]))
        for run, by_test in ACCURACY.items() for test in TESTS for data in versions for metric in METRICS
    ]  # fmt: skip


def comparisons(versions):
    found = []
    for run, by_test in ACCURACY.items():
        for test in TESTS:
            for data in versions[1:]:
                pair = (by_test[test][0], by_test[test][VERSIONS.index(data)])
                for metric in METRICS[:6]:
                    before, after = (figure_of(metric, accuracy) for accuracy in pair)
                    found.append(compared(run, test, metric, before, after, data=data))
    for at, data in enumerate(versions):
        for test in TESTS:
            plain, method = ACCURACY["bow", "erm"][test][at], ACCURACY["bow", "poe"][test][at]
            found.append(compared(("bow", "poe"), test, "accuracy", plain, method, data=data, against=data, than="erm"))  # fmt: skip
    return found


def side(n, accuracy):
    if accuracy is None:
        return {"n": 0, "accuracy": None, "low": None, "high": None}
    half = margin(accuracy, n)
    return {"n": n, "accuracy": accuracy, "low": max(accuracy - half, 0.0), "high": min(accuracy + half, 1.0)}


def groups(versions, runs=(("bow", "erm"), ("minilm", "erm")), tests=("dev",)):
    made = []
    for model, method in runs:
        for test in tests:
            for pattern, level, label, *shares in PATTERNS:
                for data in versions:
                    supporting, counter = shares[2:] if data == "after" else shares[:2]
                    made.append({
                        "level": level, "pattern": pattern, "field": "claim", "label": label, "test": test, "data": data,
                        "model": model, "method": method, "supporting": side(120, supporting), "counter": side(30, counter),
                    })  # fmt: skip
    return made


def leak(data, accuracy, *, part="text", name="claim"):
    half = margin(accuracy, 6666)
    return {"data": data, "part": part, "name": name, "accuracy": accuracy, "low": accuracy - half, "high": accuracy + half, "majority": 0.5}  # fmt: skip


def proof(*, versions=("before", "after")):
    """The content of results.json, passed through JSON as on disk."""
    versions = list(versions)
    compares = comparisons(versions)
    leaks = {"before": (0.681, 0.512), "after": (0.601, 0.514), "eda": (0.679, 0.511)}
    made = {
        "version": 1, "longway": "0.1.0",
        "settings": {"models": ["bow", "minilm"], "methods": ["erm", "poe"], "seeds": 3, "metrics": METRICS, "resamples": 2000, "device": "cpu"},
        "labels": LABELS,
        "versions": [{"name": name, "source": f"{name}.jsonl", "rows": 6666 + 12 * (name == "after"), "labels": COUNTS, "fingerprint": "sha256:" + "9f2c41d7" * 8} for name in versions],
        "tests": [{"name": name, "source": f"tests/{name}.jsonl", "rows": rows, "labels": {"REFUTES": rows // 2, "SUPPORTS": rows // 2}, "majority": 0.5, "left_out": 9 * (name == "dev")} for name, rows in TESTS.items()],
        "concerns": [
            {"kind": "unequal sizes", "count": 12, "text": "after has 12 rows more than before.", "refused": False, "ids": []},
            {"kind": "seen in training", "count": 9, "text": "9 texts of dev are also in the training data; they were left out of it.", "refused": False, "ids": [17, 80, 155, 409, 530, 611, 702, 840, 902]},
        ],
        "rows": scores(versions),
        "comparisons": compares,
        "groups": groups(versions),
        "worst": [
            {"data": data, "model": "bow", "method": "erm", "test": test, "group": "“not”, SUPPORTS", "n": 30, "accuracy": accuracy}
            for test in ("dev", "symmetric") for data, accuracy in zip(versions, (0.2, 0.52, 0.21), strict=False)
        ],
        "leaks": [leak(data, leaks[data][at], part=part, name=name) for at, (part, name) in enumerate((("text", "claim"), ("context", "evidence"))) for data in versions],
        "apart": [{"data": data, "against": "before", "rows": 6666, "changed": 0.38} for data in versions[1:]],
        "failed": [],
        "seconds": 83.1,
    }  # fmt: skip
    return json.loads(json.dumps(made))


FAIRSCORES = {
    "fairscore": (31.0, 4.2),
    "fairscore:gender": (40.0, 3.0),
    "fairscore:race": (10.0, 12.5),
}  # before, after


def perturbed(test, rows, axes, file):
    """The rows of a test set whose people were changed."""
    n, why = sum(axes.values()), "nobody is spoken of"
    return {"test": test, "rows": rows, "perturbed": n, "axes": axes, "stayed": {why: rows - n}, "file": file}


def with_fairscore(made):
    """The same proof with the fairscore of a bag of words on two test sets, one of which speaks of nobody."""
    run = ("bow", "erm")
    for metric, figures in FAIRSCORES.items():
        for data, mean in zip(("before", "after"), figures, strict=True):
            made["rows"].append(
                score(data, run, "dev", metric, 0.5)
                | {"mean": mean, "low": mean - 2, "high": mean + 2, "std": 0.5}
            )
        row = compared(run, "dev", metric, *(figure / 100 for figure in figures))
        percents = {name: 100 * row[name] for name in ("difference", "low", "high", "before", "after")}
        made["comparisons"].append(
            row | percents | {"verdict": "better" if row["difference"] < -0.02 else "worse"}
        )
    change = {"test": "dev", "axis": "gender", "source": "woman", "target": "man"}
    texts = [{"field": "claim", "before": "Ada gave her book away.", "after": "Al gave his book away."}]
    sides = [
        {"data": "before", "answer": "SUPPORTS", "perturbed_answer": "REFUTES", "differ": 3, "of": 3},
        {"data": "after", "answer": "SUPPORTS", "perturbed_answer": "SUPPORTS", "differ": 0, "of": 3},
    ]
    made["fairscore"] = {
        "tests": [
            perturbed("dev", 1200, {"gender": 80, "race": 40}, "perturbed/dev.jsonl"),
            perturbed("symmetric", 708, {}, None),
        ],
        "examples": [
            {**change, "id": "r7", "label": "SUPPORTS", "texts": texts, "sides": sides},
        ],
    }
    return made  # fmt: skip


def hostile_fairscore(bad, versions, runs, tests):
    """A fairscore with hostile text wherever a file can put some, in far larger lists."""
    changed = [{"axis": bad(at), "source": bad(at + 1), "target": bad(at + 2)} for at in range(60)]
    sides = [
        {"data": data, "answer": bad(1), "perturbed_answer": bad(2), "differ": 10**9, "of": 10**9}
        for data in versions[:2]
    ]
    texts = [{"field": bad(3), "before": bad(4) * 50, "after": bad(5) * 50}] * 2
    return {
        "tests": [{"test": test, "rows": 10**9, "perturbed": 10**9, "axes": {bad(at): 10**9 for at in range(40)}, "stayed": {bad(at): 10**9 for at in range(40)}, "file": bad(6)} for test in tests],
        "examples": [one | {"test": tests[0], "id": bad(7), "label": bad(8), "texts": texts, "sides": sides} for one in changed],
    }  # fmt: skip


def hostile_proof(hostile_text):
    """The same proof with hostile text wherever a file or a model can put some, in far larger lists."""
    bad = hostile_text
    made = proof()
    names = [bad(at) for at in range(40)]
    versions, tests, models, methods = (
        [f"{bad(at + shift)}{kind}" for at in range(n)]
        for kind, shift, n in (("v", 5, 9), ("t", 1, 20), ("m", 7, 8), ("k", 3, 4))
    )
    runs = [(model, method) for model in models for method in methods]
    cells = [(data, run, test) for data in versions for run in runs for test in tests]
    compares = [
        compared(run, test, "accuracy", 0.5, 0.6 if at % 2 else 0.4, data=data, against=versions[0])
        for at, (data, run, test) in enumerate(cells)
        if data != versions[0]
    ]
    compares += [
        compared(
            (model, methods[1]),
            test,
            "accuracy",
            0.5,
            0.4,
            data=versions[0],
            against=versions[0],
            than=methods[0],
        )
        for model in models
        for test in tests
    ]
    group, patterns = made["groups"][0], [bad(at) for at in range(200)]
    return made | {
        "settings": {bad(at): bad(at + 1) for at in range(300)},
        "labels": names,
        "versions": [made["versions"][0] | {"name": name, "source": bad(1), "labels": {label: 5000 - at for at, label in enumerate(names)}, "fingerprint": bad(5)} for name in versions],
        "tests": [made["tests"][0] | {"name": name, "source": bad(2), "labels": dict.fromkeys(names, 10**9), "left_out": 10**9} for name in tests],
        "concerns": [{"kind": bad(at), "count": 10**9, "text": bad(at + 1), "refused": True, "ids": list(range(40))} for at in range(300)],
        "rows": [score(data, run, test, names[at], 0.5) for data, run, test in cells for at in range(3)] + [score(data, run, test, "accuracy", 0.5) for data, run, test in cells] + [score(data, run, tests[0], metric, 50.0) for data in versions for run in runs for metric in ("fairscore", f"fairscore:{bad(0)}")],
        "fairscore": hostile_fairscore(bad, versions, runs, tests),
        "comparisons": compares,
        "groups": [group | {"model": model, "method": method, "test": tests[0], "data": data, "pattern": patterns[at], "level": names[at % 40], "field": names[(at + 1) % 40], "label": names[at % 40]} for model, method in runs[:8] for at in range(200) for data in versions],
        "worst": [{"data": data, "model": run[0], "method": run[1], "test": test, "group": names[at % 40], "n": 10**9, "accuracy": 0.1} for at, (data, run, test) in enumerate(cells)],
        "leaks": [leak(data, 0.5 + at / 50, part=bad(at), name=bad(at + 5)) for at in range(20) for data in versions],
        "apart": [made["apart"][0] | {"data": data, "against": versions[0], "rows": 10**9} for data in versions * 9],
        "failed": [{"data": versions[0], "model": models[0], "method": methods[0], "seed": at, "error": bad(at + 2)} for at in range(300)],
        "seconds": 1e12,
    }  # fmt: skip
