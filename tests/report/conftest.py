"""An audit to show: claims and evidence in the manner of FEVER. All sentences and figures are invented."""

import json
import os
from functools import cache
from math import exp, log, sqrt

import pytest
from invented_augment import augment, hostile_augment
from invented_explain import explanation, hostile_explanation
from invented_fairness import classifier, fairness, hostile_fairness, render_fairness
from invented_grammar import hostile_tables, tables
from invented_people import people
from invented_perturb import hostile_perturb, perturb
from invented_prove import hostile_proof, proof
from invented_rewrite import hostile_rewrite, rewrite
from tests.jobs.proved import render_prove

from longway import AuditResult, AugmentResult, ExplainResult, GrammarResult, PerturbResult, RewriteResult
from longway.report.html import render


def render_rewrite(content):
    """The page of a rewrite, from the content of a rewrite.json."""
    return render(RewriteResult.from_dict(content).page())


def render_report(findings):
    """The page of an audit, from the content of a findings.json."""
    return render(AuditResult.from_dict(findings).page())


def render_grammar(content):
    """The page of a grammar run, from the content of a tables.json."""
    return render(GrammarResult.from_dict(content).page())


def render_explain(content):
    """The page of an explanation, from the content of an explain.json."""
    return render(ExplainResult.from_dict(content).page())


LABELS = {"REFUTES": 3333, "SUPPORTS": 3327}
USED = sum(LABELS.values())

# pattern, level, texts with it, texts among them with the label, example
REFUTED = [
    ("not", "token", 702, 655, "The lighthouse at Varnholm is not open in the winter months."),
    ("only", "token", 390, 356, "Ines Calderon has only ever recorded music for the radio."),
    ("was unable to", "ngram", 161, 158, "The orchestra was unable to perform before 1970."),
    ("incapable", "token", 118, 117, "Harbour seals are incapable of resting on land."),
    ("first word: there", "position", 144, 128, "There is a bridge in Ostmark that nobody has ever crossed."),
    ("negation in claim, none in evidence", "negation", 611, 561, "Lake Minnow does not freeze."),
    ("at most 5 words", "length", 420, 266, "Pelda is a desert."),
    ("last word: only", "position", 31, 29, "The ferry to Sandholm carries bicycles only."),
]
SUPPORTED = [
    (
        "at least 60% of the claim in the evidence",
        "overlap",
        2210,
        1423,
        "Mirela Antic was born in a village.",
    ),
    (
        "more than 14 words",
        "length",
        655,
        430,
        "The festival, held each August, brings together many players.",
    ),
    ("was in a", "ngram", 210, 164, "Dario Venn was in a play about the building of the canal."),
    ("contains a digit", "surface", 1240, 712, "The tower was finished in 1889 and painted 7 times since."),
    ("American", "token", 406, 252, "Leland Marsh is an American designer of board games."),
    ("claim: film + evidence: directed", "pair", 244, 153, "Paper Lanterns is a film shown in Lisbon first."),
]
VARIANTS = {
    "not": ["is not", "does not", "not a", "did not", "was not", "are not", "has not", "not in"],
    "was unable to": ["unable", "unable to", "was unable"],
    "incapable": ["incapable of", "is incapable"],
    "was in a": ["in a", "was in"],
}
TELLING = {
    "REFUTES": [
        ("412", 0.988, "The harbour museum is not only closed, it was never open.", {"not": 1.0, "only": 0.7, "never": 0.85, "closed": 0.2}),
        ("2077", 0.985, "Otto Brandeis was unable to finish a single symphony.", {"unable": 0.95, "was": 0.12, "single": 0.35}),
        ("93", 0.981, "There is not a person alive who has yet to see the river Aune.", {"There": 0.4, "not": 0.9, "yet": 0.65}),
        ("5120", 0.979, "Copper is incapable of conducting heat.", {"incapable": 1.0, "heat": 0.12}),
    ],
    "SUPPORTS": [
        ("3301", 0.974, "Carla Imhof is an American person who worked on an award-winning film.", {"American": 0.6, "person": 0.8, "worked": 0.5, "award": 0.55}),
        ("871", 0.972, "Blue Meridian was in a list of the ten most watched series of 2014.", {"was": 0.3, "in": 0.35, "a": 0.2, "2014": 0.45}),
        ("60", 0.969, "The Long Afternoon stars Edda Lind and was shown in 1998.", {"stars": 0.75, "1998": 0.4}),
    ],
}  # fmt: skip


def finding(label, pattern, level, count, with_label, example, *, base=None):
    """A finding with its scores worked out from the counts."""
    base = base or LABELS[label] / USED
    inside, outside = count / USED, 1 - count / USED
    share = with_label / count
    other_share = (base - share * inside) / outside
    information = sum(
        weight * part * log(part / whole)
        for weight, label_share in ((inside, share), (outside, other_share))
        for part, whole in ((label_share, base), (1 - label_share, 1 - base))
        if part > 0
    )
    field = "claim + evidence" if level in ("overlap", "pair", "negation") else "claim"
    z = (share - base) / sqrt(base * (1 - base) / count)
    return {
        "level": level, "pattern": pattern, "field": field, "label": label, "majority_label": label,
        "count": count, "label_share": share, "share_low": max(0.0, share - 2 * sqrt(share * (1 - share) / count + 1 / count**2)), "base_rate": base, "gain": information, "mutual_information": information,
        "z": z, "pmi": log(share / base), "lmi": inside * share * log(share / base), "p": exp(-z * z / 2), "q": exp(-z * z / 2.2),
        "variants": [], "supporting": ["12", "40"], "counter": ["77"], "example": example, "marks": marks(pattern, level, example),
    }  # fmt: skip


def marks(pattern, level, example):
    """Where a pattern made of words stands in its example."""
    words = pattern.rpartition(": ")[2].lower()
    start = example.lower().find(words) if level in ("token", "ngram", "position") else -1
    return [[start, start + len(words)]] if start >= 0 else []


def all_findings():
    rows = [("REFUTES", *row) for row in REFUTED] + [("SUPPORTS", *row) for row in SUPPORTED]
    found = []
    for label, pattern, level, count, with_label, example in rows:
        leader = finding(label, pattern, level, count, with_label, example)
        leader["variants"] = [
            finding(label, variant, "ngram", count // 3, with_label // 3, example)
            for variant in VARIANTS.get(pattern, [])
        ]
        found.append(leader)
    return sorted(found, key=lambda row: -row["mutual_information"])


def bell(n_bins, *, centre, width, total):
    """Counts of a bell-shaped histogram."""
    weights = [exp(-(((at + 0.5) / n_bins - centre) ** 2) / (2 * width**2)) for at in range(n_bins)]
    return [round(total * weight / sum(weights)) for weight in weights]


def leak(part, columns, accuracy, *, majority=0.5005, how="5-fold cross-validation", rows=USED):
    half = 1.96 * sqrt(accuracy * (1 - accuracy) / rows)
    return {
        "part": part, "columns": columns, "accuracy": accuracy, "low": accuracy - half, "high": accuracy + half,
        "majority": majority, "how": how, "rows": rows,
    }  # fmt: skip


def telling():
    return [
        {
            "id": id_,
            "label": label,
            "chosen_by": "lean" if at < 3 else "gamma",
            "gamma": gamma,
            "lean": 0.1 + gamma / 9,
            "text": text,
            "tokens": [[word, weights.get(word.strip(".,"), 0.02)] for word in text.replace(".", "").split()],
        }
        for label, rows in TELLING.items()
        for at, (id_, gamma, text, weights) in enumerate(rows)
    ]


def audit():
    """The content of findings.json, passed through JSON as on disk."""
    edges = [0.6 + 0.01 * at for at in range(41)]
    made = {
        "version": 1,
        "longway": "0.1.0",
        "created": "2026-11-15T10:00:00Z",
        "dataset": {
            "name": "claims.csv", "rows": 6666, "used": USED, "labels": LABELS,
            "fields": {"text": "claim", "context": "evidence", "label": "label"},
            "guessed": ["text", "label"], "fingerprint": "sha256:" + "9f2c41d7" * 8, "streamed": False,
        },
        "leak": {
            "majority": 0.5005,
            "text": leak("text", ["claim"], 0.673),
            "context": leak("context", ["evidence"], 0.512),
            "both": leak("both", ["claim", "evidence"], 0.691),
            "held_out": {"symmetric.jsonl": {
                "text": leak("text", ["claim"], 0.498, majority=0.5, how="symmetric.jsonl", rows=717),
                "context": leak("context", ["evidence"], 0.506, majority=0.5, how="symmetric.jsonl", rows=717),
                "both": leak("both", ["claim", "evidence"], 0.542, majority=0.5, how="symmetric.jsonl", rows=717),
            }},
        },
        "problems": [
            {"kind": "null_label", "message": "Rows without a label were left out.", "count": 4, "next_step": "Fill in the labels, or delete the rows.", "rows": [17, 802, 1553, 4090], "ids": []},
            {"kind": "blank_text", "message": "Rows with an empty claim were left out.", "count": 2, "next_step": "Look at these rows in the source.", "rows": [66, 5001], "ids": []},
            {"kind": "near_duplicate", "message": "Claims that differ in case or punctuation only, 9 of them with different labels.", "count": 138, "next_step": "Keep one of each, or put all copies in the same split.", "rows": [3, 41, 44, 102, 230, 231, 377, 410, 512, 600, 601], "ids": []},
        ],
        "tested": {"token": 1200, "ngram": 3400, "position": 400, "length": 12, "surface": 20, "overlap": 9, "negation": 3, "pair": 800},
        "significant": {"token": 148, "ngram": 121, "position": 19, "length": 5, "surface": 4, "overlap": 3, "negation": 2, "pair": 31},
        "listed": 300,
        "findings": all_findings(),
        "people": people(),
        "shortcut_space": {
            "variant": "mean", "dimensions": 64, "mean_gamma": {"REFUTES": 0.863, "SUPPORTS": 0.814},
            "histogram": {
                "edges": edges,
                "counts": {
                    "REFUTES": bell(40, centre=0.66, width=0.13, total=3333),
                    "SUPPORTS": bell(40, centre=0.53, width=0.10, total=3327),
                },
            },
            "telling": telling(),
        },
        "lengths": {
            "edges": list(range(31)),
            "counts": {
                "REFUTES": bell(30, centre=0.27, width=0.10, total=3333),
                "SUPPORTS": bell(30, centre=0.33, width=0.12, total=3327),
            },
        },
        "settings": {"seed": 0, "min_count": 10, "max_ngram": 3, "folds": 5, "max_q": 0.05, "limit": None},
    }  # fmt: skip
    return json.loads(json.dumps(made))


HOSTILE = [
    "</style><script>alert(1)</script>",
    "</title></svg><img src=x onerror=alert(1)>",
    "{{7*7}}{% include 'x' %}",
    "\u202egnirts desrever\u202c \u2066isolate",
    "\x00\x07\x1b[31m\ud800",
    "W" * 30_000,
    '"' * 30_000,
    "👩\u200d🚀" * 500,
    "שלום עולם مرحبا " * 40,
    "宽" * 400,
    "' onmouseover='alert(1) javascript:alert(1) http://example.org/x.png",
    " ",
]


def hostile_text(at):
    return f"{HOSTILE[at % len(HOSTILE)]} {at}"


def hostile_audit():
    """The same audit with hostile text wherever a dataset can put some, in far larger lists."""
    findings = audit()
    labels = {hostile_text(at): 5000 - at for at in range(40)}
    names = list(labels)
    base = dict(findings["findings"][0])
    findings["dataset"] |= {"name": hostile_text(0), "labels": labels, "fields": {"text": hostile_text(5), "context": hostile_text(9), "label": hostile_text(1)}}  # fmt: skip
    for measured in (findings["leak"], *findings["leak"]["held_out"].values()):
        for part in ("text", "context", "both"):
            measured[part] |= {"columns": [hostile_text(5), hostile_text(7)], "how": hostile_text(1)}
    findings["problems"] = [
        {"kind": "k", "message": hostile_text(at), "count": at + 20, "next_step": hostile_text(at + 1), "rows": list(range(100)), "ids": []}
        for at in range(500)
    ]  # fmt: skip
    findings["findings"] = [
        base | {"pattern": hostile_text(at), "field": hostile_text(at + 1), "label": names[at % 40], "example": hostile_text(at), "marks": [[5, 90], [-4, 2], [8, 9], [7, 10**9]], "level": hostile_text(at + 2), "variants": [base | {"pattern": hostile_text(at + k)} for k in range(9)]}
        for at in range(300)
    ]  # fmt: skip
    findings["people"] = people(names, lambda word: hostile_text(len(word))) * 40
    space = findings["shortcut_space"]
    space["mean_gamma"] = dict.fromkeys(names, 0.9)
    space["histogram"]["counts"] = {name: list(range(40)) for name in names}
    space["telling"] = [
        {"id": hostile_text(at), "label": names[at % 40], "gamma": 0.9, "lean": 0.1, "chosen_by": "gamma", "text": '" ' * 1000, "tokens": [['"', 0.9]] * 1000}
        for at in range(480)
    ]  # fmt: skip
    findings["lengths"] = {"edges": list(range(5001)), "counts": {name: [3] * 5000 for name in names}}
    findings["settings"] = {hostile_text(at): hostile_text(at + 1) for at in range(300)}
    return findings


@pytest.fixture
def findings():
    """An audit that a test may change."""
    return audit()


@pytest.fixture
def hostile_page(made):
    """The page of the hostile audit."""
    return made("hostile audit")


@pytest.fixture
def rewritten():
    """A rewrite that a test may change."""
    return rewrite()


@pytest.fixture
def hostile_rewrite_page(made):
    """The page of the hostile rewrite."""
    return made("hostile rewrite")


@pytest.fixture
def proved():
    """A proof that a test may change."""
    return proof()


@pytest.fixture
def hostile_prove_page(made):
    """The page of the hostile proof."""
    return made("hostile prove")


PAGES = {
    "audit": lambda: render_report(audit()),
    "hostile audit": lambda: render_report(hostile_audit()),
    "rewrite": lambda: render_rewrite(rewrite()),
    "hostile rewrite": lambda: render_rewrite(hostile_rewrite(hostile_text)),
    "prove": lambda: render_prove(proof()),
    "hostile prove": lambda: render_prove(hostile_proof(hostile_text)),
    "prove of three": lambda: render_prove(proof(versions=("before", "after", "eda"))),
    "augment": lambda: render(AugmentResult.from_dict(augment()).page()),
    "hostile augment": lambda: render(AugmentResult.from_dict(hostile_augment(hostile_text)).page()),
    "explain": lambda: render_explain(explanation(n_texts=3)),
    "hostile explain": lambda: render_explain(hostile_explanation(hostile_text)),
    "fairness": lambda: render_fairness(fairness()),
    "fairness of a classifier": lambda: render_fairness(classifier()),
    "hostile fairness": lambda: render_fairness(hostile_fairness(hostile_text)),
    "grammar": lambda: render_grammar(tables()),
    "hostile grammar": lambda: render_grammar(hostile_tables(hostile_text)),
    "perturb": lambda: render(PerturbResult.from_dict(perturb()).page()),
    "hostile perturb": lambda: render(PerturbResult.from_dict(hostile_perturb(hostile_text)).page()),
}


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Gives a page by its name. Hostile ones take seconds, so that the processes of one test run share them as files."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "pages"
    folder.mkdir(exist_ok=True)

    @cache
    def page_named(name):
        path = folder / f"{name}.html"
        if not path.exists():
            part = folder / f"{name}.{os.getpid()}"
            part.write_bytes(PAGES[name]().encode())
            part.replace(path)
        return path.read_bytes().decode()

    return page_named


@pytest.fixture(params=PAGES)
def page(request, made):
    """Each kind of page, of ordinary and of hostile data."""
    return made(request.param)
