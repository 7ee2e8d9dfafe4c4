"""Several texts as one sequence and back: exact, or refused with the reason."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.document import Change
from longway.english.people.change import Place, as_one, place_in, starts_of, with_changes
from longway.methods.perturb.segments import (
    AND_SHARE,
    MAY_CHANGE,
    PERT_SEP,
    SEP,
    Unfit,
    check_kept,
    joined,
    separated,
)

TEXTS = st.text(st.characters(exclude_characters="<")).filter(str.strip)


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_joining_and_separating_gives_the_segments_back(segments):
    if any(mark in segment for segment in segments for mark in (SEP, PERT_SEP)):
        with pytest.raises(Unfit, match="holds"):
            joined(segments)
    else:
        assert separated(joined(segments), segments) == tuple(segments)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
def test_other_words_come_back_in_their_own_segment_with_the_old_ends(pairs):
    before, after = zip(*pairs, strict=True)
    found = separated(joined(after), before)
    for old, new, whole in zip(before, after, found, strict=True):
        assert whole.strip() == new.strip()
        assert whole[: len(whole) - len(whole.lstrip())] == old[: len(old) - len(old.lstrip())]
        assert whole[len(whole.rstrip()) :] == old[len(old.rstrip()) :]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("Al left.", "2 segments were sent and 1 came back"),
        ("Al <SEP> left. <SEP> He is gone.", "2 segments were sent and 3 came back"),
        ("Al left. <SEP>  ", "came back empty"),
        (" <SEP> He is gone.", "came back empty"),
        ("he, man <PERT_SEP> Al left. <SEP> He is gone.", "the answer contains <PERT_SEP>"),
    ],
)
def test_an_answer_that_lost_or_won_a_segment_is_refused(answer, why):
    with pytest.raises(Unfit, match=why):
        separated(answer, ["Ann left.", "She is gone."])


def test_an_empty_segment_must_stay_empty():
    assert separated("Al left. <SEP> ", ["Ann left.", " \n"]) == ("Al left.", " \n")
    with pytest.raises(Unfit, match="empty text came back with words"):
        separated("Al left. <SEP> He is gone.", ["Ann left.", ""])


def test_marks_without_spaces_around_them_separate_as_well():
    assert separated("Al left.<SEP>He is gone.", ["Ann left.", "She is gone.\n"]) == (
        "Al left.",
        "He is gone.\n",
    )


def least_changes(before, after):
    """The slow twin: words put in, taken out or exchanged, by trying all ways."""
    if not before or not after:
        return len(before) + len(after)
    if before[0] == after[0]:
        return least_changes(before[1:], after[1:])
    ways = [(before[1:], after), (before, after[1:]), (before[1:], after[1:])]
    return 1 + min(least_changes(*way) for way in ways)


def passes(before, after):
    try:
        check_kept([" ".join(before)], [" ".join(after)])
    except Unfit:
        return False
    return True


@given(st.lists(st.sampled_from("abc"), max_size=7), st.lists(st.sampled_from("abc"), max_size=7))
def test_what_passes_has_some_changes_and_few(before, after):
    allowed = int(MAY_CHANGE + AND_SHARE * len(before))
    assert passes(before, after) == (0 < least_changes(before, after) <= allowed)


def test_changes_are_counted_over_all_segments():
    long = "the quick brown fox jumps over the lazy dog near the old stone bridge by the river " * 3
    check_kept([long, "She left with her hat."], [long, "He left with his cap."])
    with pytest.raises(Unfit, match="5 of 5 words were changed, and 4 may be"):
        check_kept(["She left with her hat."], ["Once there was a king."])


def test_human_rewritings_are_all_within_the_bound(shared):
    pairs = pl.read_ndjson(shared("mt_geneval") / "part_a.jsonl.gz")
    for feminine, masculine in pairs.select("feminine", "masculine").iter_rows():
        check_kept([feminine], [masculine])
        check_kept([masculine], [feminine])


SEGMENTS = st.lists(st.text("ab \n", max_size=5), min_size=1, max_size=4)


def spots(segments):
    """The slow twin: for each character of the one text its segment and its place there, None for what stands between."""
    found = []
    for number, segment in enumerate(segments):
        found += [None, None] if number else []
        found += [(number, place) for place in range(len(segment))]
    return found


@given(SEGMENTS)
def test_a_place_of_the_one_text_is_a_place_of_its_segment(segments):
    text, found = as_one(segments), spots(segments)
    assert len(found) == len(text)
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            inside = found[start:end]
            is_whole = None not in inside
            expected = Place(inside[0][0], inside[0][1], inside[-1][1] + 1) if is_whole else None
            assert place_in(segments, start, end) == expected


@given(SEGMENTS)
def test_segments_begin_where_they_are_found(segments):
    text = as_one(segments)
    parts = [
        text[start : start + len(part)] for start, part in zip(starts_of(segments), segments, strict=True)
    ]
    assert parts == segments


@given(SEGMENTS, st.data())
def test_changes_of_the_one_text_are_made_in_their_segment(segments, data):
    letters = [i for i, spot in enumerate(spots(segments)) if spot is not None]
    chosen = data.draw(st.sets(st.sampled_from(letters)) if letters else st.just(set()))
    changed = with_changes(segments, [Change(i, i + 1, "<>") for i in chosen])
    text, found = as_one(segments), spots(segments)
    expected = ["" for _ in segments]
    for i in letters:
        expected[found[i][0]] += "<>" if i in chosen else text[i]
    assert changed == tuple(expected)


def test_a_change_across_two_segments_is_not_made():
    assert with_changes(["Ann left.", "She is gone."], [Change(8, 12, "!")]) == ("Ann left.", "She is gone.")
