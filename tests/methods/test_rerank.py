"""Places by score, meaning and label, added up; against a count by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.methods.loop import drafts_of, written
from longway.methods.method import RewriteRequest
from longway.methods.razor import choose_drafts, combined_ranks
from longway.records import Verdict
from tests.methods.parts import Writer


def drafts_for(texts):
    request = RewriteRequest(0, "before", "label 0", len(texts))
    ((_, answer),), _ = written(Writer(lambda *_: texts), [request])
    return list(drafts_of(request, answer, "script"))


def verdicts(meaning, judge):
    found = [("surface", None), ("meaning", meaning), ("judge", judge)]
    return tuple(Verdict(check, True, score) for check, score in found)


def test_a_text_that_gives_a_little_more_away_wins_if_it_says_the_same():
    scores = [0.10, 0.11, 0.50]
    says = [verdicts(0.60, 0.70), verdicts(0.95, 0.99), verdicts(0.99, 0.90)]
    # by score 0, 1, 2; by meaning 2, 1, 0; by label 2, 0, 1
    assert combined_ranks(scores, says) == [2.0, 1.5, 2.5]


def test_checks_without_a_number_and_texts_without_a_score_count_for_nothing():
    nothing = [(), ()]
    first, second = combined_ranks([0.1, 0.2], nothing)
    assert first < second
    assert combined_ranks([float("nan"), 0.2], nothing)[0] > combined_ranks([float("nan"), 0.2], nothing)[1]
    assert combined_ranks([0.1, 0.1000000001], nothing) == [1.0, 1.0]  # equal: the noise of sums


values = st.sampled_from([0.1, 0.2, 0.3, 0.4])


@given(st.lists(st.tuples(values, values, values), min_size=1, max_size=6))
def test_places_are_counted(candidates):
    def place(column, i, sign):
        own = sign * candidates[i][column]
        others = [sign * one[column] for j, one in enumerate(candidates) if j != i]
        return sum(other < own for other in others) + sum(other == own for other in others) / 2

    wanted = [place(0, i, 1) + (place(1, i, -1) + place(2, i, -1)) / 2 for i in range(len(candidates))]
    assert combined_ranks(
        [c[0] for c in candidates], [verdicts(c[1], c[2]) for c in candidates]
    ) == pytest.approx(wanted)


@pytest.mark.parametrize(("rerank", "taken"), [(False, "strange"), (True, "close")])
def test_the_choice_is_made_among_what_passed(rerank, taken):
    drafts = drafts_for(["strange", "close", "worse", "failed"])
    for draft, score, says in zip(
        drafts,
        [0.10, 0.11, 0.4, 0.0],
        [
            verdicts(0.6, 0.7),
            verdicts(0.9, 0.9),
            verdicts(0.8, 0.8),
            (Verdict("judge", False, 0.1, "judged other"),),
        ],
        strict=True,
    ):
        draft.score = score
        draft.judge(says)
    assert choose_drafts(drafts, lambda _: 0.5, rerank=rerank) == {0: taken}


def test_with_only_better_no_text_is_taken_that_gives_more_away():
    drafts = drafts_for(["lower", "higher"])
    for draft, score, says in zip(drafts, [0.4, 0.6], [verdicts(0.5, 0.5), verdicts(1.0, 1.0)], strict=True):
        draft.score = score
        draft.judge(says)
    assert choose_drafts(drafts, lambda _: 0.5, rerank=True, only_better=True) == {0: "lower"}
