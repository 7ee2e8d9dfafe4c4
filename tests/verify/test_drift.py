"""Drift: each step is near the last, and the end must still be near the start."""

import pytest

from longway.engines.asker import Asker
from longway.records import Example
from longway.store.journal import Journal
from longway.task import task_of
from longway.verify.check import Candidate, Origin
from longway.verify.content_checks import NamesCheck, NegationCheck, NumbersCheck
from longway.verify.model_checks import MeaningCheck
from longway.verify.verifier import DriftCheck, Verifier, verifier_for
from tests.verify.scenes import Vectors, candidate
from tests.verify.test_judge import Answers

# A quarter turn in three steps: each is near the last, the third is far from the first.
STEPS = {"start": [1, 0], "one": [0.9, 0.44], "two": [0.62, 0.78], "three": [0.2, 0.98], "back": [1, 0.001]}


def meaning():
    return MeaningCheck(Vectors(STEPS), low=0.8, low_label=0.1, high=0.9999)


def again(before, after, origin, **more):
    """A candidate for a row that was rewritten before."""
    return Candidate(0, before, after, "yes", origin=origin, **more)


def test_steps_that_are_near_each_other_may_not_lead_far_away():
    checks = Verifier([meaning(), DriftCheck([meaning()])])
    origin = Origin("start")
    near, far = checks.verify([again("start", "one", None), again("one", "two", origin)])
    assert [(v.check, v.passed) for v in near] == [("meaning", True)]  # nothing to compare with but itself
    assert [(v.check, v.passed) for v in far] == [("meaning", True), ("drift", False)]
    assert far[-1].reason == "meaning: far from the original: 0.62, at least 0.80 expected"
    assert (checks.seen["drift"], checks.failed["drift"]) == (1, 1)


def test_models_are_not_asked_about_rows_that_are_as_they_came():
    vectors = Vectors(STEPS)
    check = DriftCheck([MeaningCheck(vectors, low=0.8, low_label=0.1, high=0.9999)])
    list(Verifier([check]).verify([again("start", "one", None), again("one", "start", Origin("start"))]))
    assert vectors.asked == []


def test_a_way_back_to_the_text_as_it_came_is_open():
    checks = Verifier([DriftCheck([meaning()])])
    exact, nearly = checks.verify(
        [again("two", "start", Origin("start")), again("two", "back", Origin("start"))]
    )
    assert exact == ()
    assert nearly[-1].passed  # nearly a copy of the original is no fault


@pytest.mark.parametrize(
    ("check", "start", "before", "after"),
    [
        (NumbersCheck(), "It has 3 rooms.", "It has rooms.", "It has some rooms."),
        (
            NamesCheck({"it", "was", "made", "by", "a", "man"}),
            "It was made by Ann.",
            "It was made.",
            "Made it was.",
        ),
        (NegationCheck(), "It is not dry.", "It is dry.", "It is quite dry."),
    ],
)
def test_what_an_earlier_step_lost_is_seen_unless_it_kept_only_the_label(check, start, before, after):
    drift = DriftCheck([check])
    assert check([candidate(before, after)])[0].passed
    assert drift([again(before, after, Origin(start))])[0].reason.startswith(check.name)
    if check.name != "negation":  # the same with the negation gone has another label, whatever was on the way
        assert drift([again(before, after, Origin(start, keeps="label"))])[0].passed


def test_words_that_were_meant_to_go_in_any_step_are_no_loss():
    first = candidate("It has 3 rooms.", "It has rooms.", telling=["3"])
    second = again("It has rooms.", "It has halls.", first.origin_now)
    assert second.origin_now == Origin("It has 3 rooms.", "meaning", frozenset({"3"}))
    assert DriftCheck([NumbersCheck()])([second])[0].passed


def test_one_step_that_kept_only_the_label_counts_for_all_that_follow():
    step = again("b", "c", Origin("a"), keeps="label")
    assert again("c", "d", step.origin_now).origin_now == Origin("a", "label")


def test_every_verifier_has_it_after_the_other_checks_and_before_the_judge():
    texts, labels = [f"a {word} film" for word in ("fine", "dull") * 10], ["pos", "neg"] * 10
    asker = Asker(Answers({}), Journal(None))
    found = verifier_for(task_of(["neg", "pos"]), texts, labels, None, judge=asker)
    names = [check.name for check in found.checks]
    assert names[-2:] == ["drift", "judge"]  # what costs money comes last
    drift = next(check for check in found.checks if check.name == "drift")
    assert [check.name for check in drift.checks] == names[3:-2]  # all but those of a text's shape


def test_the_judge_is_never_shown_the_row_itself_as_it_came():
    task = task_of(
        ["neg", "pos"], examples=[Example("r0", "as it came", "pos"), Example("r1", "other", "neg")]
    )
    seen = []

    class Looks(Answers):
        async def judge(self, prompt, options, call=None):
            seen.append([example.text for example in prompt.task.examples])
            return await super().judge(prompt, options)

    from longway.verify.model_checks import JudgeCheck

    asker = Asker(Looks({"new": {"neg": 0.1, "pos": 0.9}}), Journal(None))
    JudgeCheck(task, asker)([Candidate(0, "rewritten once", "new", "pos", origin=Origin("as it came"))])
    assert seen == [["other"]]
