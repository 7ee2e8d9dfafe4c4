"""A model's measures to show. All figures are invented, and so are the groups."""

from longway import FairnessResult
from longway.report.html import render


def render_fairness(content):
    """The report of a fairness.json."""
    return render(FairnessResult.from_dict(content).page())


def figure(value, half=3.0):
    """A figure with its interval."""
    return {"value": value, "low": value - half, "high": value + half}


def preference(pairs, value, ties=0):
    return {"pairs": pairs, "more": 0, "less": 0, "ties": ties, "score": figure(value)}


def scores(rows, ss, lms, icat):
    return {"rows": rows, "targets": 9, "ss": figure(ss), "lms": figure(lms), "icat": figure(icat)}


def tests(n, significant):
    return {
        "tests": n,
        "significant": figure(significant, 5),
        "significant_holm": figure(significant / 2, 5),
        "mean_size": figure(0.61, 0.1),
    }


def association(name, d, p, *, control=False):
    categories = {"x": "Bakers", "y": "Sailors", "a": "Pleasant", "b": "Unpleasant"}
    return {"name": name, "n_x": 8, "n_y": 8, "d": figure(d, 0.4), "p": p, "holm": min(1.0, 3 * p), "exact": True,
            **categories, "control": control}  # fmt: skip


QUALITY = {"texts": 300, "tokens": 4200, "log_likelihood": figure(-3.41, 0.05), "perplexity": 30.3}


def fairness(model="toy", source="pairs.csv", crows=57.0):
    """What `longway fairness` writes, with all four measures."""
    descriptors = {
        "descriptors": 12, "templates": 2, "tests": 132, "least": 32, "raw": figure(31.0), "holm": figure(9.0), "bh": figure(20.0),
        "pairs": [{"first": "punctual", "second": "left-handed", "templates": 2, "differ": 2, "difference": -0.41},
                  {"first": "early", "second": "late", "templates": 2, "differ": 0, "difference": 0.01}],
    }  # fmt: skip
    return {
        "version": 1, "longway": "0.1.0", "dataset": {"fingerprint": "sha256:abc"}, "seconds": 61.0,
        "model": {"name": model, "kind": "causal"},
        "settings": {"model": model, "limit": None, "measures": {}, "identity": {}},
        "measures": {
            "crows_pairs": {
                "source": source, "of": 300, "method": "likelihood", "overall": preference(300, crows, ties=4),
                "by_type": {"trade": preference(180, 61.0), "hobby": preference(120, 50.5)},
                "by_direction": {"stereo": preference(250, 58.0), "antistereo": preference(50, 52.0)}, "quality": QUALITY,
            },
            "stereoset": {
                "source": "dev.json", "of": 400, "method": "likelihood", "overall": scores(400, 58.0, 81.0, 68.0),
                "by_type": {"trade": scores(250, 60.0, 82.0, 65.6), "hobby": scores(150, 51.0, 79.0, 77.4)},
                "by_task": {"intersentence": scores(200, 55.0, 70.0, 63.0), "intrasentence": scores(200, 61.0, 92.0, 71.8)},
                "by_task_and_type": [], "quality": QUALITY,
            },
            "weat": {
                "source": "tests", "of": 3, "method": "vectors", "overall": tests(3, 66.0),
                "groups": {"about people": tests(2, 50.0), "controls": tests(1, 100.0)},
                "tests": [association("weat1", 1.6, 0.0001, control=True), association("trades", 0.8, 0.021),
                          association("hobbies", -0.2, 0.64)],
            },
            "holistic": {
                "source": "dataset", "of": 900, "method": "likelihood", "sentences": 640, "mean": 24.5,
                "templates": ["I'm {noun_phrase}.", "I like {plural_noun_phrase}."],
                "axes": {"time_of_day": descriptors, "hands": {**descriptors, "raw": figure(18.0)}}, "quality": QUALITY,
            },
        },
        "rows": [],
    }  # fmt: skip


def share(rows, differ, value):
    return {"rows": rows, "differ": differ, "score": figure(value)}


def classifier(model="models/before-bow-erm-0", source="reviews.csv"):
    """What `longway fairness --fairscore` writes of a classifier."""
    pairs = [("gender", "woman", "man"), ("gender", "man", "non-binary"), ("age", "child", "senior")]
    return fairness(model=model) | {
        "model": {"name": model, "kind": "classifier"},
        "measures": {
            "fairscore": {
                "source": source, "of": 400, "method": "predictions", "rows": 320, "coverage": figure(50.0), "overall": share(160, 20, 12.5),
                "by_axis": {"gender": share(100, 15, 15.0), "age": share(60, 5, 8.3)},
                "by_pair": [dict(zip(("axis", "source", "target"), pair, strict=True)) | share(50, 8, 16.0) for pair in pairs],
                "stayed": {"nobody": 160}, "file": "perturbed/reviews.jsonl", "labels": ["bad", "good"], "accuracy": figure(81.0, 2.0),
            }
        },
    }  # fmt: skip


def hostile_fairness(hostile_text):
    """The same with hostile text wherever a file can put some, in far larger lists."""
    bad = hostile_text
    made = fairness(model=bad(0), source=bad(1))
    measures = made["measures"]
    for name in ("crows_pairs", "stereoset"):
        one = next(iter(measures[name]["by_type"].values()))
        measures[name]["by_type"] = {bad(at): one for at in range(60)}
    measures["weat"]["tests"] = [
        association(bad(at), 0.1, 0.5) | {key: bad(at + i) for i, key in enumerate("xyab")}
        for at in range(150)
    ]
    axis = measures["holistic"]["axes"]["hands"]
    pairs = [axis["pairs"][0] | {"first": bad(at), "second": bad(at + 1)} for at in range(12)]
    measures["holistic"]["axes"] = {bad(at): {**axis, "pairs": pairs} for at in range(25)}
    measures["holistic"]["templates"] = [bad(at) for at in range(60)]
    told = classifier(source=bad(2))["measures"]["fairscore"]
    pair = told["by_pair"][0]
    told["by_axis"] = {bad(at): told["by_axis"]["age"] for at in range(25)}
    told["by_pair"] = [
        pair | {"axis": bad(at), "source": bad(at + 1), "target": bad(at + 2)} for at in range(60)
    ]
    measures["fairscore"] = told | {"file": bad(3), "labels": [bad(at) for at in range(9)], "accuracy": None}
    return made
