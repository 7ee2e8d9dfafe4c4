"""Samples of edits for people to rate: what is drawn, who sees whose tags, and the numbers that come out."""

import json
import shutil
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longway.errors import SettingError
from longway.review.decisions import Conflict, LookupFailed
from longway.review.edit_list import EditFilter
from longway.review.pages import PAGES
from longway.review.routes import ACTIONS, MAX_SAMPLE, BadRequest, read_fields
from longway.review.run_contents import RunContents
from longway.review.sampling import (
    OTHER_TAGS,
    TAGS,
    VERDICTS,
    draw_sample,
    sample_state,
    samples,
    tag,
    undo,
)
from tests.review.made_runs import an_edit, made_run

KEPT, CHANGED = (verdict.name for verdict in VERDICTS)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run folder with edits of two labels and two methods, some of them refused."""
    edits = [
        an_edit(
            f"r{i}",
            f"text {i}",
            f"new text {i}",
            label_after=("good", "bad")[i % 2],
            method="razor" if i % 10 == 0 else "eda",
            accepted=i % 7 != 3,
        )
        for i in range(80)
    ]
    return made_run(tmp_path_factory.mktemp("sampled") / "run", edits)


@pytest.fixture
def contents(made, tmp_path):
    shutil.copytree(made, tmp_path / "run", ignore=shutil.ignore_patterns("review"))
    opened = RunContents(tmp_path / "run")
    yield opened
    opened.close()


def rate(contents, name, rater, wrong=(), among=None):
    """Give every edit of a sample tags; wrong: keys whose label changed."""
    for item in sample_state(contents, name, rater=rater).items:
        if among is None or item.key in among:
            said = CHANGED if item.key in wrong else KEPT
            tag(contents, name, item.key, [said], author=rater, seen=item.seen)


def keys_of(contents, name="first"):
    return contents.decisions.of("sample", name).value["keys"]


def test_a_sample_is_drawn_from_the_edits_that_the_run_kept(contents):
    drawn = draw_sample(contents, name="first", size=30, seed=3, author="ann").value
    kept = contents.edits.keys(EditFilter(status="kept"))
    assert len(drawn["keys"]) == len(set(drawn["keys"])) == 30
    assert set(drawn["keys"]) <= set(kept)
    assert drawn["population"] == len(kept)


def test_a_sample_is_drawn_once_and_again_the_same_way(contents):
    first = draw_sample(contents, name="first", size=20, seed=3, author="ann")
    assert draw_sample(contents, name="first", size=20, seed=3, author="bob") == first
    other = draw_sample(contents, name="second", size=20, seed=3, author="bob")
    assert other.value["keys"] == first.value["keys"]
    assert (
        draw_sample(contents, name="third", size=20, seed=4, author="bob").value["keys"]
        != first.value["keys"]
    )
    with pytest.raises(SettingError, match="There is a sample 'first' already, of 20 edits with seed 3"):
        draw_sample(contents, name="first", size=21, seed=3, author="ann")


def test_every_edit_is_as_likely_to_be_drawn(contents):
    """Over many seeds, each of the edits that stand is drawn about equally often."""
    times = Counter()
    for seed in range(60):
        times.update(draw_sample(contents, name=f"s{seed}", size=20, seed=seed, author="ann").value["keys"])
    kept = contents.edits.keys(EditFilter(status="kept"))
    expected = 60 * 20 / len(kept)
    assert all(abs(times[key] - expected) < 5 * expected**0.5 for key in kept)


def test_what_a_person_rejected_or_wrote_is_not_drawn_and_what_one_accepted_is(contents):
    kept, refused = (contents.edits.keys(EditFilter(status=status)) for status in ("kept", "refused"))
    contents.decisions.write("edit", kept[0], {"choice": "reject"}, author="ann")
    contents.decisions.write("edit", kept[1], {"choice": "hand", "text": "mine"}, author="ann")
    contents.decisions.write("edit", refused[0], {"choice": "accept"}, author="ann")
    drawn = draw_sample(contents, name="all", size=MAX_SAMPLE, seed=0, author="ann").value["keys"]
    assert set(drawn) == {*kept[2:], refused[0]}


def test_nothing_that_stands_is_an_error(contents):
    contents.decisions.write_many(
        "edit", {key: {"choice": "reject"} for key in contents.edits.keys(EditFilter())}, author="ann"
    )
    with pytest.raises(SettingError, match="nothing to rate"):
        draw_sample(contents, name="first", size=3, seed=0, author="ann")


@pytest.mark.parametrize("name", ["", " ", "a:b", "a/b", "x" * 61, "a\nb", "../x", "x.json", "<b>"])
def test_names_that_would_break_a_key_or_an_address_are_refused(name):
    with pytest.raises(BadRequest, match="name must"):
        read_fields({"name": name, "size": 3, "seed": 0}, ACTIONS["sample"])


def test_an_unknown_sample_names_those_that_exist(contents):
    draw_sample(contents, name="first", size=3, seed=0, author="ann")
    with pytest.raises(LookupFailed, match=r"no sample 'frist' in this run\. Known: first"):
        sample_state(contents, "frist", rater="ann")


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ([], "Got nothing"),
        (["unnatural"], "one verdict"),
        ([KEPT, CHANGED], "one verdict"),
        ([KEPT, "silly"], "Got silly"),
    ],
)
def test_tags_must_say_one_thing_of_the_label(contents, tags, message):
    draw_sample(contents, name="first", size=5, seed=0, author="ann")
    with pytest.raises(SettingError, match=message):
        tag(contents, "first", keys_of(contents)[0], tags, author="ann")


def test_an_edit_outside_the_sample_cannot_be_tagged(contents):
    draw_sample(contents, name="first", size=5, seed=0, author="ann")
    other = next(key for key in contents.edits.keys(EditFilter()) if key not in keys_of(contents))
    with pytest.raises(SettingError, match="is not in the sample 'first'"):
        tag(contents, "first", other, [KEPT], author="ann")


def test_two_tabs_of_one_rater_do_not_lose_each_others_tags(contents):
    draw_sample(contents, name="first", size=5, seed=0, author="ann")
    key = keys_of(contents)[0]
    tag(contents, "first", key, [KEPT], author="ann", seen=0)
    with pytest.raises(Conflict):
        tag(contents, "first", key, [CHANGED], author="ann", seen=0)
    tag(contents, "first", key, [CHANGED], author="bob", seen=0)  # another rater's is another key
    state = sample_state(contents, "first", rater="ann")
    assert state.items[0].tags == [KEPT]
    tag(contents, "first", key, [CHANGED], author="ann", seen=state.items[0].seen)
    assert sample_state(contents, "first", rater="ann").items[0].tags == [CHANGED]


def test_each_rater_has_own_tags_and_an_own_estimate(contents):
    draw_sample(contents, name="first", size=20, seed=0, author="ann")
    keys = keys_of(contents)
    rate(contents, "first", "ann", wrong=keys[:2])
    rate(contents, "first", "bob", wrong=keys[1:4], among=keys[:-1])
    for rater, wrong in (("ann", keys[:2]), ("bob", keys[1:4])):
        state = sample_state(contents, "first", rater=rater)
        assert [item.key for item in state.items if item.tags == [CHANGED]] == wrong
        assert state.summary.progress == {"ann": 20, "bob": 19}
        assert state.error.hits == len(wrong)
        assert state.error.low < state.error.share < state.error.high
    assert sample_state(contents, "first", rater="ann").error.share == 2 / 20
    assert sample_state(contents, "first", rater="bob").to_dict()["next"] == keys[-1]
    assert sample_state(contents, "first", rater="eve").error is None


def test_a_change_of_fact_is_an_error_and_an_unnatural_text_is_none(contents):
    draw_sample(contents, name="first", size=8, seed=0, author="ann")
    for number, key in enumerate(keys_of(contents)):
        tag(contents, "first", key, [KEPT, "factual change" if number == 0 else "unnatural"], author="ann")
    estimate = sample_state(contents, "first", rater="ann")
    assert estimate.error.hits == 1
    assert estimate.tags["unnatural"].hits == 7


def test_there_is_an_estimate_as_soon_as_one_edit_is_rated(contents):
    draw_sample(contents, name="first", size=20, seed=0, author="ann")
    assert sample_state(contents, "first", rater="ann").error is None
    rate(contents, "first", "ann", among=keys_of(contents)[:1])
    assert sample_state(contents, "first", rater="ann").error.hits == 0


def test_samples_and_tags_can_be_taken_back(contents):
    draw_sample(contents, name="first", size=5, seed=0, author="ann")
    key = keys_of(contents)[0]
    tag(contents, "first", key, [KEPT], author="ann")
    undo(contents, author="ann")
    assert sample_state(contents, "first", rater="ann").rated == 0
    undo(contents, author="ann")
    assert samples(contents) == []
    again = draw_sample(contents, name="first", size=6, seed=0, author="ann")
    assert len(again.value["keys"]) == 6


def test_a_sample_that_somebody_rated_stays(contents):
    draw_sample(contents, name="first", size=3, seed=0, author="ann")
    rate(contents, "first", "bob", among=keys_of(contents)[:1])
    with pytest.raises(SettingError, match="'first' cannot be removed: bob rated edits of it"):
        undo(contents, author="ann")
    assert [one.name for one in samples(contents)] == ["first"]
    undo(contents, author="bob")
    assert undo(contents, author="ann")[0].kind == "sample"


def test_what_another_rater_said_is_in_no_page(contents):
    draw_sample(contents, name="first", size=3, seed=0, author="ann")
    rate(contents, "first", "ann", wrong=keys_of(contents))
    rate(contents, "first", "bob")
    said = {
        rater: [one["value"] for one in PAGES["run"](contents, {"author": rater}).data["history"]]
        for rater in ("ann", "bob")
    }
    assert sum(CHANGED in value.get("tags", ()) for value in said["ann"]) == 3
    assert not any(CHANGED in value.get("tags", ()) for value in said["bob"])
    page = PAGES["sample/{name}"](contents, {"author": "bob", "name": "first"})
    assert CHANGED not in json.dumps(page.data["items"])


def test_the_list_of_samples_says_how_far_each_rater_is(contents):
    draw_sample(contents, name="first", size=5, seed=0, author="ann")
    draw_sample(contents, name="second", size=4, seed=0, author="bob")
    tag(contents, "first", keys_of(contents)[0], [KEPT], author="a:b")  # a colon in a name does no harm
    listed = samples(contents)
    assert [(one.name, one.size, one.progress) for one in listed] == [
        ("second", 4, {}),
        ("first", 5, {"a:b": 1}),
    ]
    json.dumps(sample_state(contents, "first", rater="ann").to_dict(), allow_nan=False)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["ann", "bob"]),
            st.integers(0, 5),
            st.sets(st.sampled_from([one.name for one in OTHER_TAGS])),
            st.booleans(),
        ),
        max_size=24,
    )
)
def test_any_order_of_tags_against_a_slow_twin(contents, said):
    """What each rater said last of each edit, kept by hand in a dict."""
    sample = f"sample {len(samples(contents))}"
    draw_sample(contents, name=sample, size=6, seed=1, author="ann")
    keys, twin = keys_of(contents, sample), {"ann": {}, "bob": {}}
    for rater, place, more, is_changed in said:
        tags = [CHANGED if is_changed else KEPT, *more]
        tag(contents, sample, keys[place], tags, author=rater)
        twin[rater][keys[place]] = set(tags)
    for rater, theirs in twin.items():
        state = sample_state(contents, sample, rater=rater)
        assert {item.key: set(item.tags) for item in state.items if item.tags} == theirs
        assert state.rated == len(theirs)


def test_every_tag_has_a_name_and_a_key_of_its_own():
    every = (*VERDICTS, *OTHER_TAGS)
    assert len({one.name for one in every}) == len({one.key for one in every}) == len(every) == len(TAGS)
    assert not {one.key for one in every} & set("jku")  # next, previous, undo
