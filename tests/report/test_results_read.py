"""Results of all commands, read from the content of their files: as they were written, or refused in words."""

import json
from dataclasses import replace

import pytest
from invented_augment import augment
from invented_explain import explanation
from invented_fairness import classifier, fairness
from invented_grammar import tables
from invented_perturb import perturb
from invented_prove import proof
from invented_rewrite import rewrite

from conftest import audit
from longway import (
    AuditResult,
    AugmentResult,
    ExplainResult,
    FairnessResult,
    GrammarResult,
    PerturbResult,
    ProveResult,
    RewriteResult,
)
from longway.errors import RunError
from longway.records import Finding, Pattern

RESULTS = [
    (AuditResult, audit),
    (AugmentResult, augment),
    (ExplainResult, explanation),
    (FairnessResult, classifier),
    (FairnessResult, fairness),
    (GrammarResult, tables),
    (PerturbResult, perturb),
    (ProveResult, proof),
    (RewriteResult, rewrite),
]


@pytest.mark.parametrize(("kind", "made"), RESULTS)
def test_a_result_is_read_back_as_it_was_written(kind, made):
    result = kind.from_dict(made())
    assert kind.from_dict(json.loads(json.dumps(result.to_dict()))) == result
    assert set(made()) <= set(result.to_dict())


@pytest.mark.parametrize("kind", dict.fromkeys(kind for kind, _ in RESULTS))
@pytest.mark.parametrize(("content", "version"), [([], None), ({"version": 7}, 7)])
def test_another_version_is_refused(kind, content, version):
    with pytest.raises(RunError, match=f"Expected version 1, got {version}"):
        kind.from_dict(content)


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        (AuditResult, {"version": 1}, "findings.json cannot be read: AuditResult has no 'dataset'"),
        (AuditResult, audit() | {"dataset": 7}, "findings.json cannot be read: dataset must be an object, not int"),
        (ExplainResult, explanation() | {"models": "bow"}, "explain.json cannot be read: models must be a list"),
        (GrammarResult, tables() | {"rules": "3 → 14 7"}, "tables.json cannot be read: rules must be a list"),
        (ProveResult, {"version": 1}, "results.json cannot be read: ProveResult has no 'labels'"),
        (ProveResult, proof() | {"versions": []}, "results.json cannot be read: it has no versions"),
        (ProveResult, proof() | {"rows": [{}]}, "results.json cannot be read: Figure has no 'data'"),
        (RewriteResult, {"version": 1}, "rewrite.json cannot be read: .*Run the command again"),
    ],
)  # fmt: skip
def test_damaged_content_is_refused_with_its_place(kind, content, message):
    with pytest.raises(RunError, match=message):
        kind.from_dict(content)


def test_a_finding_is_open_and_its_judgement_survives_the_file():
    finding = Finding(
        Pattern("token", "text", ("great",)),
        "pos",
        "pos",
        10,
        1.0,
        0.7,
        0.5,
        0.1,
        0.1,
        3.0,
        1.0,
        0.1,
        0.01,
        0.02,
    )
    assert (finding.to_dict()["judgement"], finding.to_dict()["reasons"]) == ("open", [])
    judged = replace(finding, judgement="task", reasons=("it is what the label means",))
    assert Finding.from_dict(json.loads(json.dumps(judged.to_dict()))) == judged
