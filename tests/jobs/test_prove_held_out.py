"""Without a test set, some of the original rows are held out of both versions."""

import polars as pl
import pytest

from longway.data import load
from longway.data.dataset import examples_of
from longway.errors import SettingError
from longway.jobs.prove.concerns import HELD_OUT, can_hold_out, hold_out
from longway.jobs.prove.job import prove
from tests.jobs.toy_run import rows_of


def versions(n=80):
    """The toy reviews, and the same with one row changed, one left out, and a copy of each row added."""
    before = load(rows_of(n), text="review", label="label", id="")
    rows = pl.DataFrame(rows_of(n)).drop("id").with_row_index("longway_id").cast(pl.String)
    rows = rows.with_columns(longway_source=pl.lit(""))
    copies = rows.with_columns(
        longway_source=pl.col("longway_id"),
        longway_id=pl.col("longway_id") + "+x1",
        review="So: " + pl.col("review"),
    )
    changed = rows.with_columns(
        review=pl.when(pl.col("longway_id") == "3").then(pl.lit("Quite another one.")).otherwise("review")
    )
    after = pl.concat([changed.filter(pl.col("longway_id") != "5"), copies])
    return before, load(after, text="review", label="label")


def test_rows_that_are_tested_on_are_in_no_version_nor_anything_made_from_them():
    before, after = versions()
    assert can_hold_out(before, {"after": after})
    kept, test = hold_out(before, {"before": before, "after": after})
    tested = {example.id for example in examples_of(test)}
    assert len(tested) == 16
    assert tested.isdisjoint(example.id for example in examples_of(kept["before"]))
    origins = {example.id.removesuffix("+x1") for example in examples_of(kept["after"])}
    assert tested.isdisjoint(origins)
    assert len(kept["before"]) + len(test) == len(before)
    assert origins == {example.id for example in examples_of(kept["before"])}
    assert {example.text for example in examples_of(test)} <= {
        example.text for example in examples_of(before)
    }


def test_rows_made_from_added_rows_go_with_the_first_original():
    """The original is itself the result of a run."""

    def made(word, id_, source):
        """Fifty rows with ids and sources of this form."""
        return [
            {"text": f"{word} {i}", "label": "ab"[i % 2], "longway_id": id_.format(i), "longway_source": source.format(i)}
            for i in range(50)
        ]  # fmt: skip

    first, added, again = made("number", "{}", ""), made("also", "{}+a", "{}"), made("again", "{}+b", "{}+a")
    before = load(pl.DataFrame(first + added), text="text", label="label")
    # A second run does not know what the first one added.
    second = [{**row, "longway_source": ""} for row in first[1:] + added]
    after = load(pl.DataFrame(second + again), text="text", label="label")
    assert can_hold_out(before, {"after": after})
    kept, test = hold_out(before, {"before": before, "after": after})
    tested = set(test.frame["longway_id"].str.replace(r"\+.*", ""))
    for version in kept.values():
        assert tested.isdisjoint(version.frame["longway_id"].str.replace(r"\+.*", ""))
    assert len(kept["before"]) + len(test) == 100


def test_the_same_texts_are_on_the_same_side():
    rows = [{"text": f"number {i % 40}", "label": "ab"[i % 2]} for i in range(80)]
    kept, test = hold_out(load(rows), {"before": load(rows)})
    texts = {example.text for example in examples_of(test)}
    assert texts.isdisjoint(example.text for example in examples_of(kept["before"]))


def test_a_proof_without_a_test_set_tests_on_them():
    before, after = versions()
    result = prove(before, after, models=("bow",), seeds=1)
    assert {row.test for row in result.rows} == {HELD_OUT}


def test_data_that_cannot_be_traced_is_refused_with_the_option_to_give():
    before, _ = versions()
    other = load(
        [{"review": row["review"], "label": row["label"]} for row in rows_of(80)],
        text="review",
        label="label",
    )
    with pytest.raises(SettingError, match=r"nothing to test on.*longway_id.*--test NAME=FILE"):
        prove(before, other, models=("bow",))
