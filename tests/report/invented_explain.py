"""An explanation to show: one claim in the manner of FEVER. All sentences and figures are invented."""

from copy import deepcopy

from longway.records import Pattern


def explanation(text="The mill is not open.", label="REFUTES", model="bow", n_texts=1):
    """An explanation to show; all sentences and figures are invented."""
    words = [[0, 3, 0.01], [4, 8, -0.1], [9, 11, 0.02], [12, 15, 0.4], [16, 20, 0.0]]
    enough = {"row": 0, "places": [3], "words": ["not"], "predicted": label, "truth": "SUPPORTS", "of": 6, "exact": True, "by_default": False}  # fmt: skip
    view = {"model": model, "predicted": label, "probability": 0.81, "baseline": 0.5, "words": words, "top": ["not"], "sufficient": enough}  # fmt: skip
    row = {
        "id": "7",
        "label": "SUPPORTS",
        "text": text,
        "context": "It opened in 1903.",
        "explanations": [view],
    }
    finding = {
        "level": "sufficient", "pattern": "not", "field": "claim", "match": {"words": ["not"], "place": "", "bound": None, "context": ""},
        "label": label, "majority_label": label, "count": 115,
        "label_share": 0.84, "share_low": 0.76, "base_rate": 0.5, "gain": 0.1, "mutual_information": 0.1, "z": 7.3, "pmi": 0.5,
        "lmi": 0.1, "p": 1e-9, "q": 1e-8, "supporting": ["1"], "counter": ["7"], "example": text, "marks": [[12, 15]], "variants": [],
    }  # fmt: skip
    return {
        "version": 1, "longway": "0.1", "created": "2026-01-01T00:00:00Z",
        "dataset": {"name": "claims.csv", "rows": 320, "used": 320, "labels": {label: 160, "SUPPORTS": 160}, "fields": {"text": "claim"}, "guessed": [], "fingerprint": "f"},
        "models": [{"name": model, "accuracy": 0.8, "wrong": 64, "searched": 60, "sets": 50, "by_default": 20, "mean_size": 1.2}],
        "texts": [row] * n_texts, "overlap": {"k": 5, "texts": 1, "every": 0.25, "some": 0.5, "words": 0.4, "pairs": {"bow + nb": 0.3}},
        "parts_of_speech": {model: {"noun": 0.4, "verb": 0.3, "adjective or adverb": 0.2, "other": 0.1}},
        "sufficient": [{"words": ["not"], "wrong": 18}, {"words": ["of"], "wrong": 7}], "findings": [finding], "problems": [],
        "settings": {"method": "lime", "field": "text", "top": 5},
    }  # fmt: skip


def hostile_explanation(hostile_text):
    """The same explanation with hostile text wherever a dataset can put some, in far larger lists."""
    bad = hostile_text
    made = explanation()
    made["dataset"] |= {
        "name": bad(0),
        "labels": {bad(at): 500 - at for at in range(40)},
        "fields": {"text": bad(5)},
    }
    model, (row,), (finding,) = made["models"][0], made["texts"], made["findings"]
    made["models"] = [model | {"name": bad(at)} for at in range(3)]
    made["texts"] = [hostile_row(row, bad, at) for at in range(250)]
    made["findings"] = [
        finding
        | Pattern("sufficient", "claim", (bad(at), bad(at + 1))).to_dict()
        | {"label": bad(at), "example": bad(at)}
        for at in range(90)
    ]
    made["sufficient"] = [{"words": [bad(at + i) for i in range(40)], "wrong": at} for at in range(90)]
    made["overlap"]["pairs"] = {bad(at): 0.5 for at in range(3)}
    made["parts_of_speech"] = {bad(at): {"noun": 0.5, "other": 0.5} for at in range(3)}
    return made


def hostile_row(row, bad, at):
    """One row, as three models see it."""
    view = deepcopy(row["explanations"][0])
    view["sufficient"]["words"] = [bad(at), bad(at + 1)]
    text = bad(at)
    words = [[i, i + 3, (-1) ** i * 0.1 * i] for i in range(0, min(len(text), 400), 4)]
    views = [view | {"model": bad(at + i), "predicted": bad(at + i), "words": words} for i in range(3)]
    return {"id": bad(at), "label": bad(at), "text": text, "context": bad(at + 2), "explanations": views}
