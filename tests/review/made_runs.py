"""Run folders made by hand or by the real commands, for tests of what a review makes of them."""

import json
import random

import longway as lw
from longway.data import load
from longway.jobs.rewrite.settings import RewriteSettings
from longway.store import Run

WORDS = "good bad film plot actor scene dull bright slow quick story music never always".split()
COLUMNS = {"text": "text", "context": None, "label": "label", "id": None, "split": None}


def an_edit(id="1", before="a", after="b", **more):
    """One edit as edits.jsonl has it."""
    plain = {
        "label_before": "pos",
        "label_after": "pos",
        "method": "razor",
        "engine": "rules",
        "accepted": False,
    }
    rest = {
        "reason": "",
        "verdicts": [],
        "score_before": None,
        "score_after": None,
        "round": 1,
        "how": "",
        "source": "",
    }
    return {"id": id, "field": "text", "before": before, "after": after, **plain, **rest, "trace": {}, **more}


def made_run(folder, edits=None, *, command="rewrite", settings=COLUMNS, rows=None, **files):
    """A finished run folder that holds these edits, rows (as JSONL) and files (by name, `__` for a dot)."""
    asked = {"command": command, "settings": settings, "fingerprint": "sha256:0"}
    run = Run.open(folder, **asked)
    if edits is not None:
        lines = [json.dumps(edit, ensure_ascii=False) + "\n" for edit in edits]
        (folder / "edits.jsonl").write_text("".join(lines), encoding="utf-8")
    if rows is not None:
        (folder / "dataset.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
        )
    for name, value in files.items():
        run.write(name.replace("__", "."), value)
    run.finish()
    return folder


def reviews(n, seed=0):
    """So many short reviews; the bad ones end in the same word."""
    draw = random.Random(seed)
    rows = []
    for i in range(n):
        words = " ".join(draw.choice(WORDS) for _ in range(8))
        rows.append(
            {"text": f"{words} {'sadly' if i % 2 else 'today'}.", "label": ("pos", "neg")[i % 2], "n": i}
        )
    return rows


def rewritten(folder, data, **more):
    """A real rewrite by EDA, which needs no engine: the run folder."""
    run = lw.rewrite(load(data), settings=RewriteSettings(method="eda", **more), out=folder)
    return run.folder
