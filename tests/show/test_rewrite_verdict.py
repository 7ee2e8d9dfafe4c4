"""The sentence at the top of a rewrite's page, for each way the numbers can fall."""

import pytest

from longway.records import Leak
from longway.show.rewrite_verdict import rewrite_verdict

DONE = {"changed": 1204, "rows": 6666, "labels_changed": 0, "n_worse": 0}


def measured(accuracy, *, columns=("claim",), margin=0.01):
    return Leak("text", columns, accuracy, accuracy - margin, accuracy + margin, 0.5, "cv", 1000)


def said(before, after, **changes):
    return rewrite_verdict(measured(before), measured(after), **(DONE | changes))


def test_a_leak_that_fell_is_told_with_both_figures():
    assert said(0.681, 0.601) == (
        "From the claim alone a bag of words now gets 60.1% right instead of 68.1% (chance is 50.0%); "
        "1,204 of 6,666 texts were rewritten and no label changed."
    )


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (0.681, 0.505, "now gets 50.5% right instead of 68.1%, no better than chance (50.0%);"),
        (0.601, 0.681, "now gets 68.1% right, more than the 60.1% before (chance is 50.0%);"),
        (0.681, 0.675, "gets 67.5% right, 68.1% before (chance is 50.0%), a difference that may be luck;"),
        (0.675, 0.681, "gets 68.1% right, 67.5% before (chance is 50.0%), a difference that may be luck;"),
        (0.681, 0.681, "still gets 68.1% right, as before (chance is 50.0%);"),
    ],
)
def test_the_leak_is_told_as_it_is(before, after, words):
    assert words in said(before, after)


def test_a_run_that_did_nothing_says_so():
    assert said(0.681, 0.681, changed=0).endswith("; no text was rewritten and no label changed.")


@pytest.mark.parametrize(("n", "words"), [(1, "1 label changed"), (12, "12 labels changed")])
def test_labels_that_changed_are_counted(n, words):
    assert f"were rewritten and {words}." in said(0.681, 0.601, labels_changed=n)


@pytest.mark.parametrize(("n", "words"), [(1, "1 pattern tells more"), (3, "3 patterns tell more")])
def test_patterns_that_got_stronger_are_told_at_the_top(n, words):
    assert said(0.681, 0.601, n_worse=n).endswith(f" {words} than before.")


def test_a_leak_that_was_not_measured_is_not_made_up():
    sentence = rewrite_verdict(None, measured(0.6), **DONE)
    assert sentence.startswith("The leak was not measured before and after; 1,204 of 6,666 texts")


def test_one_text_is_singular():
    assert "; 1 of 6,666 texts was rewritten" in said(0.681, 0.681, changed=1)
