"""Run folders that the tests of the review share, each made once by the real commands."""

import json
from types import SimpleNamespace

import pytest

import longway as lw
from longway.data import load
from longway.jobs.audit.job import audit
from longway.jobs.audit.settings import AuditSettings, levels_named
from longway.jobs.rewrite.settings import RewriteSettings
from tests.review.made_runs import an_edit, made_run, reviews, rewritten

ATTACKS = (
    '<script>alert("x")</script>',
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "' onmouseover='alert(1)",
    "</textarea><svg/onload=alert(1)>",
    "{{ 7 * 7 }}${7*7}<%= 7 %>",
    "]]><!-- --><style>*{}</style>",
    "\u202e\u2066 \x00 \x1b[31m \U0001f600",
)
WORDS = "good bad film plot actor scene dull bright slow quick story music never always".split()


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    """Folders of a rewrite and of an audit whose texts, labels, ids, columns and file name are attacks; `data`: the file."""
    folder = tmp_path_factory.mktemp("hostile")
    text, label = '<b onclick="alert(1)">text', "label'><i onclick=alert(1)>"
    labels = ('pos"><script>alert(1)</script>', "neg' onclick='alert(1)")
    data = folder / "<img src=x onerror=alert(1)>.jsonl"
    rows = [
        {
            text: f"{ATTACKS[i % 8]} the {WORDS[i % 14]} {WORDS[i * 5 % 14]} was {WORDS[(i * 3 + 1) % 14]} "
            + " ".join(f"{word}{i}" for word in WORDS[:9])  # no row is nearly another
            + " "
            + ("giveaway<script>" if i % 2 else ""),
            label: labels[i % 2],
            "id<": f"{i}/../<script>{i}",
        }
        for i in range(60)
    ]
    data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    dataset = load(data, text=text, label=label, id="id<")
    lw.rewrite(dataset, settings=RewriteSettings(method="eda"), out=folder / "rewrite<script>")
    audit(dataset, settings=AuditSettings(levels=levels_named("-grammar")), out=folder / "audit<script>")
    return SimpleNamespace(
        rewrite=folder / "rewrite<script>",
        audit=folder / "audit<script>",
        made=_made(folder / "made", text, label, labels, folder / "rewrite<script>" / "rewrite.json"),
        data=data,
        labels=labels,
        text=text,
    )


def _made(folder, text, label, labels, summary):
    """A run whose every value is an attack, those that our own commands choose among them: a folder can come from anyone."""
    traces = (
        {"triples": [], "spurious": list(ATTACKS), "principal": list(ATTACKS), "gender": [ATTACKS[:2]]},
        {
            "chain": [[ATTACKS[1], 0, 5]],
            "word": ATTACKS[0],
            "axis": ATTACKS[1],
            "source": ATTACKS[3],
            "left": ATTACKS[:3],
        },
        {},
    )
    edits = [
        an_edit(
            id=f"{attack}{i}",
            field=text,
            before=f"{attack} giveaway<script> before",
            after=f"{attack} after {ATTACKS[i % 8]}",
            label_before=labels[0],
            label_after=labels[1],
            method=attack,
            engine=attack,
            reason=attack,
            how=attack,
            accepted=bool(i % 2),
            verdicts=[{"check": attack, "passed": bool(i % 3), "reason": attack, "score": 0.5}],
            trace=traces[i % len(traces)],
        )
        for i, attack in enumerate(ATTACKS * 2)
    ]
    rows = [{text: edit["after"], label: edit["label_after"], "longway_id": edit["id"]} for edit in edits]
    columns = {"text": text, "context": None, "label": label, "id": None, "split": None, "data": ATTACKS[1]}
    return made_run(folder, edits, rows=rows, settings=columns, rewrite__json=json.loads(summary.read_text()))


@pytest.fixture(scope="session")
def small_rewrite(tmp_path_factory):
    """The folder of a real rewrite of sixty short reviews. Copy it before deciding anything."""
    folder = tmp_path_factory.mktemp("small")
    data = folder / "reviews.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in reviews(60)), encoding="utf-8")
    return rewritten(folder / "run", data)
