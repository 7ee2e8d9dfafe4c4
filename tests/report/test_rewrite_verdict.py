"""The sentence at the top of a rewrite's page, for each way the numbers can fall."""

from dataclasses import replace

import pytest
from invented_rewrite import rewrite

from longway import RewriteResult
from longway.jobs.before_after import LeakChange
from longway.jobs.rewrite.page import verdict
from longway.records import Leak


def measured(accuracy, margin=0.01):
    return Leak("text", ("claim",), accuracy, accuracy - margin, accuracy + margin, 0.5, "cv", 1000)


def said(before, after, *, n_worse=0, **changes):
    result = RewriteResult.from_dict(rewrite())
    leak = None if before is None else LeakChange(measured(before), measured(after))
    comparison = replace(result.comparison, leak=leak, worse=(), n_worse=n_worse)
    return verdict(replace(result, comparison=comparison, **changes))


def test_a_leak_that_fell_is_reported_with_both_figures():
    assert said(0.681, 0.601) == (
        "From the claim alone a bag of words now gets 60.1% right instead of 68.1% (chance: 50.0%); "
        "1,204 of 6,666 texts were rewritten and no label changed."
    )


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (0.681, 0.505, "now gets 50.5% right instead of 68.1%, no better than chance (50.0%);"),
        (0.601, 0.681, "now gets 68.1% right, more than the 60.1% before (chance: 50.0%);"),
        (0.681, 0.675, "gets 67.5% right, 68.1% before (chance: 50.0%), a difference that may be chance;"),
        (0.675, 0.681, "gets 68.1% right, 67.5% before (chance: 50.0%), a difference that may be chance;"),
        (0.681, 0.681, "still gets 68.1% right, as before (chance: 50.0%);"),
    ],
)
def test_the_leak_is_reported_as_it_is(before, after, words):
    assert words in said(before, after)


def test_a_run_that_did_nothing_says_so():
    assert said(0.681, 0.681, changed=0).endswith("; no text was rewritten and no label changed.")


@pytest.mark.parametrize(("n", "words"), [(1, "1 label changed"), (12, "12 labels changed")])
def test_labels_that_changed_are_counted(n, words):
    assert f"were rewritten and {words}." in said(0.681, 0.601, labels_changed=n)


@pytest.mark.parametrize(("n", "words"), [(1, "1 pattern predicts"), (3, "3 patterns predict")])
def test_patterns_that_got_stronger_are_reported_at_the_top(n, words):
    assert said(0.681, 0.601, n_worse=n).endswith(f" {words} a label better than before.")


def test_a_leak_that_was_not_measured_is_not_made_up():
    assert said(None, None).startswith("The leak was not measured before and after; 1,204 of 6,666 texts")


def test_one_text_is_singular():
    assert "; 1 of 6,666 texts was rewritten" in said(0.681, 0.681, changed=1)
