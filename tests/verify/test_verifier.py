"""All checks together: their order, what they save, what is missing, what the report says."""

import pytest

from longway.engines.asker import Asker
from longway.models import minilm
from longway.records import Verdict
from longway.store.journal import Journal
from longway.task import task_of
from longway.verify import verifier as module
from longway.verify.calibration import CheckReport, ErrorRates, Rate
from longway.verify.check import Check
from longway.verify.verifier import Verifier, passed, verifier_for
from tests.verify.scenes import candidate
from tests.verify.test_judge import Answers

CLAIMS = task_of(["REFUTES", "SUPPORTS"], text_name="claim", context_name="evidence")
REVIEWS = task_of(["neg", "pos"])


class Shorter(Check):
    """Passes texts shorter than n, and remembers what it saw."""

    def __init__(self, name, n):
        self.name, self.n, self.seen = name, n, []

    def __call__(self, candidates):
        self.seen += [c.after for c in candidates]
        return [
            Verdict(self.name, len(c.after) < self.n, reason="" if len(c.after) < self.n else "long")
            for c in candidates
        ]


def test_later_checks_see_only_what_passed_and_every_verdict_is_kept():
    first, second = Shorter("first", 5), Shorter("second", 3)
    checks = Verifier([first, second])
    found = list(checks.verify([candidate("", after) for after in ("abcdef", "ab", "abcd")]))
    assert [[(v.check, v.passed) for v in verdicts] for verdicts in found] == [
        [("first", False)],
        [("first", True), ("second", True)],
        [("first", True), ("second", False)],
    ]
    assert second.seen == ["ab", "abcd"]
    assert [passed(verdicts) for verdicts in found] == [False, True, False]
    assert (checks.seen["second"], checks.failed["second"]) == (2, 1)


def test_verdicts_come_in_parts_so_that_a_spent_budget_loses_little(monkeypatch):
    monkeypatch.setattr(module, "AT_ONCE", 2)
    check = Shorter("only", 9)
    verdicts = Verifier([check]).verify([candidate("", str(i)) for i in range(5)])
    next(verdicts)
    assert check.seen == ["0", "1"]
    assert len(list(verdicts)) == 4


def test_no_candidates_give_no_verdicts():
    assert list(Verifier([Shorter("only", 9)]).verify([])) == []


@pytest.fixture
def without_models(monkeypatch):
    """As if the optional packages were not installed."""
    monkeypatch.setattr(minilm, "_load", minilm.model_folder)
    monkeypatch.setattr(minilm, "find_spec", lambda name: None)


@pytest.mark.usefixtures("without_models")
def test_without_optional_packages_fewer_checks_remain_and_are_listed(monkeypatch):
    from longway.models import entailment

    monkeypatch.setattr(entailment, "_load", minilm.model_folder)
    found = verifier_for(CLAIMS, ["A mill burned."], ["REFUTES"], ["It stands."], judge=None)
    assert [check.name for check in found.checks] == [
        "surface",
        "added words",
        "orders",
        "context",
        "negation",
        "numbers",
        "names",
        "other label",
        "drift",
    ]
    assert [line.partition(":")[0] for line in found.missing] == ["meaning", "entailment", "judge"]
    assert "longway[local]" in found.missing[0]
    verdicts = list(
        found.verify([candidate("A mill burned.", "A mill did not burn.", "REFUTES", context="It stands.")])
    )
    assert verdicts[0][-1].reason == "negation changed"


@pytest.mark.usefixtures("without_models")
def test_single_texts_get_classifiers_and_the_judge():
    texts = [f"a {word} film" for word in ("fine", "dull") * 10]
    labels = ["pos", "neg"] * 10
    asker = Asker(Answers({"a really fine film": {"neg": 0.1, "pos": 0.9}}), Journal(None))
    found = verifier_for(REVIEWS, texts, labels, None, judge=asker, seed=1)
    assert [check.name for check in found.checks] == [
        "surface",
        "added words",
        "orders",
        "negation",
        "numbers",
        "names",
        "classifiers",
        "drift",
        "judge",
    ]
    verdicts = next(iter(found.verify([candidate("a fine film", "a really fine film", "pos")])))
    assert passed(verdicts)
    assert verdicts[-1].check == "judge"


def test_labels_without_a_stance_have_no_entailment_check():
    task = task_of(["a", "b"], context_name="context")
    found = verifier_for(task, names=["entailment"])
    assert [check.name for check in found.checks] == ["surface", "orders"]
    assert found.missing[0] == "entailment: the labels do not say how a text relates to its context"


def test_the_report_has_what_a_run_needs():
    report = Verifier([Shorter("only", 9)], missing=["judge: none"]).report(0)
    assert report == CheckReport({}, ("judge: none",), None)


def test_the_report_expects_more_wrong_labels_where_more_was_rejected(monkeypatch):
    rates = {
        "only": ErrorRates(Rate(0.1, 0.1, 0.1, 100), Rate(0.1, 0.1, 0.1, 100)),
        "all": ErrorRates(
            false_accept=Rate(0.2, 0.1, 0.3, 100),
            false_reject=Rate(0.1, 0.05, 0.2, 100),
        ),
    }
    for name in ("longway.verify.verifier.error_rates", "longway.verify.calibration.error_rates"):
        monkeypatch.setattr(name, lambda kind: rates)

    def wrong(n_long):
        checks = Verifier([Shorter("only", 3)])
        list(checks.verify([candidate("", "long" if i < n_long else "ok") for i in range(100)]))
        return checks.report(100 - n_long, [1, 2, 3]).wrong

    few, many = wrong(15), wrong(60)
    assert few.share < many.share
    assert many.low < many.share < many.high
    assert "of 100 candidates the checks rejected 60" in many.basis
    for end in ("share", "low", "high"):  # a row goes wrong where any of its edits does
        right = 1 - getattr(many, end)
        assert getattr(many.rows, end) == pytest.approx(1 - (right + right**2 + right**3) / 3)
