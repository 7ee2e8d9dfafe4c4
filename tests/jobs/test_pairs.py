"""Counterfactual test sets: balanced, checked, the same again; and a model's answers to them."""

import json
from collections import Counter

import pytest
from typer.testing import CliRunner

import longway as lw
from longway.cli import app
from longway.english.people.change import Perturbed, unchanged
from longway.errors import DataError, SettingError
from longway.jobs.perturb.pairs import PairMaking, checked
from longway.jobs.perturb.perturbing import Perturbing
from longway.jobs.perturb.result import PersonPair, read_pairs
from longway.jobs.perturb.settings import PairSettings
from longway.metrics.intervals import percentage
from tests.jobs.toy_perturb import pairs_of, rows_of, write


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A finished test set of 32 rows, as the command makes it."""
    folder = tmp_path_factory.mktemp("pairs")
    data = write(folder / "notes.csv", rows_of(32))
    arguments = ["perturb", str(data), "--test-set", "--per-axis", "12", "--out", str(folder / "run")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    return folder, done.stdout


def answers(texts):
    """A model that a word decides."""
    return ["good" if " she " in text or " aunt " in text else "bad" for text in texts]


def test_the_command_writes_pairs_counts_and_a_report_and_no_dataset(made):
    folder, printed = made
    assert {path.name for path in (folder / "run").iterdir()} >= {"pairs.jsonl", "pairs.json", "report.html", "run.json"}  # fmt: skip
    assert not [*(folder / "run").glob("dataset.*")]
    pairs = read_pairs(folder / "run")
    assert "lw.check_pairs(" in printed
    assert f"{len(pairs)} pairs were made from" in printed
    found = json.loads((folder / "run" / "pairs.json").read_text())
    assert found["n_pairs"] == len(pairs)
    assert {one["axis"]: one["pairs"] for one in found["axes"]} == Counter(pair.axis for pair in pairs)
    assert found["tries"] == len(pairs) + sum(one["count"] for one in found["refused"])


def test_every_pair_is_a_row_with_another_text_and_its_label(made):
    folder, _ = made
    rows = {row["id"]: row for row in rows_of(32)}
    pairs = read_pairs(folder / "run" / "pairs.jsonl")
    assert len({pair.pair for pair in pairs}) == len(pairs)
    for pair in pairs:
        assert pair.text_before == rows[pair.id]["text"]
        assert pair.text_after != pair.text_before
        assert pair.label == rows[pair.id]["label"]
        assert pair.word in pair.text_before


def test_axes_have_the_number_that_was_asked_for_and_changes_share_it(made):
    folder, _ = made
    pairs = read_pairs(folder / "run")
    assert Counter(pair.axis for pair in pairs) == {"gender": 12, "race": 12, "age": 12}
    by_change = Counter((pair.axis, pair.source, pair.target) for pair in pairs)
    race = [n for (axis, *_), n in by_change.items() if axis == "race"]
    assert max(race) - min(race) <= 1  # four rows for each


def test_the_python_call_returns_the_same_pairs_in_any_order_of_the_rows(made):
    folder, _ = made
    rows = rows_of(32)[::-1]
    result = lw.perturb_pairs(rows, text="text", label="label", id="id", per_axis=12)
    assert {pair.pair: pair for pair in result.pairs} == {pair.pair: pair for pair in read_pairs(folder / "run")}  # fmt: skip
    assert result.folder is None
    assert result.to_frame().height == result.n_pairs
    again = lw.perturb_pairs(folder / "notes.csv", text="text", label="label", id="id", per_axis=12, out=folder / "run")  # fmt: skip
    assert again == lw.PairsResult.from_dict(json.loads((folder / "run" / "pairs.json").read_text()))


def test_a_row_of_a_pair_has_its_context_before_and_after():
    result = lw.perturb_pairs(
        pairs_of(4), text="hypothesis", context="premise", label="label", id="pairid", per_axis=20
    )
    ann = [pair for pair in result.pairs if pair.id == "p0"]
    assert ann
    for pair in ann:
        assert (pair.context_before, pair.text_before) == ("Ann lost her keys in the garden.", "Ann cannot find her keys.")  # fmt: skip
        assert pair.context_after != pair.context_before
    mother = [pair for pair in result.pairs if pair.id == "p3"]  # its context is empty
    assert all((pair.context_before, pair.context_after) == ("", "") for pair in mother)


def test_pairs_whose_label_hangs_on_the_contrast_are_refused_and_counted():
    result = lw.perturb_pairs(
        pairs_of(2), text="hypothesis", context="premise", label="label", id="pairid", axes=("gender",)
    )
    reasons = {one.reason: one.count for one in result.refused}
    assert reasons["label contrast"] > 0
    assert not [pair for pair in result.pairs if pair.id == "p1" and pair.word in ("aunt", "uncle")]
    assert sum(one.refused for one in result.changes) == result.n_refused


class Picky:
    """Changes the first letter, but not in every text."""

    name = "picky"

    def __init__(self, refuses):
        self.refuses = refuses

    def perturb(self, requests):
        return [
            unchanged(request, "'x': not this one")
            if self.refuses(request)
            else Perturbed((f"{request.target.name} {request.segments[0]}",))
            for request in requests
        ]


def making(refuses, rows, **settings):
    data = lw.load(rows, text="text", label="label", id="id")
    perturbing = Perturbing(data, PairSettings(**settings))
    return PairMaking(perturbing, Picky(refuses), engine="picky")


def test_where_one_change_runs_out_the_others_of_its_axis_get_more():
    made = making(lambda request: request.target.name == "man", rows_of(32), axes=("gender",), per_axis=20)
    pairs = made.pairs()
    assert len(pairs) == 20
    assert not [pair for pair in pairs if pair.target == "man"]
    assert made.tried.reasons["not this one"] == made.failed.total() > 0


def test_the_same_texts_are_one_pair():
    rows = [{"id": f"r{i}", "text": "She left.", "label": "xy"[i % 2]} for i in range(4)]
    made = making(lambda request: False, rows, axes=("gender",))
    assert sorted(pair.target for pair in made.pairs()) == ["man", "non-binary"]
    assert made.tried.reasons.total() == 6


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"per_axis": 0}, "'per_axis' must be 1 or more"),
        ({"add": True}, "has no option 'add'"),
        ({"share": 0.5}, "has no option 'share'"),
        ({"engine": "served:some"}, "made by the rules or by a network"),
    ],
)
def test_settings_that_a_test_set_does_not_have_are_refused(options, words):
    with pytest.raises(SettingError, match=words):
        lw.perturb_pairs(rows_of(4), text="text", label="label", id="id", **options)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--per-axis", "5"], "Give --test-set"), (["--test-set", "--dry-run"], "no --dry-run")],
)
def test_options_that_do_not_go_together_are_refused(arguments, words, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    data = write(tmp_path / "notes.csv", rows_of(4))
    done = CliRunner().invoke(app, ["perturb", str(data), *arguments])
    assert done.exit_code != 0
    assert words in (done.output + str(done.exception))


# The answers of a model


def pair(at, row="r0", axis="gender", label="good"):
    return PersonPair(f"p{at}", row, label, axis, "woman", "man", "she", "so she left", "so he left")


def test_a_model_is_asked_about_both_texts_and_flips_are_listed(made):
    folder, _ = made
    result = lw.check_pairs(folder / "run", answers)
    pairs = read_pairs(folder / "run")
    expected = [one for one in pairs if answers([one.text_before]) != answers([one.text_after])]
    assert expected
    assert [flip.pair for flip in result.flips] == expected
    assert result.fairscore == pytest.approx(100 * len(expected) / len(pairs))
    assert result.by_axis["gender"].differ + result.by_axis["race"].differ + result.by_axis["age"].differ == len(expected)  # fmt: skip
    assert sum(share.pairs for share in result.by_change.values()) == len(pairs)
    assert result.to_frame().height == len(expected)
    assert expected[0].text_before in str(result)
    assert "Answers that change" in result._repr_html_()


def test_a_model_that_always_says_the_same_has_no_flips_and_its_accuracy_is_shown():
    result = lw.check_pairs([pair(0), pair(1, "r1", label="bad")], lambda texts: ["good"] * len(texts))
    assert (result.fairscore, result.flips, result.accuracy_before) == (0.0, (), 50.0)
    assert "Accuracy" in str(result)
    other = lw.check_pairs([pair(0)], lambda texts: ["LABEL_7"] * len(texts))
    assert other.accuracy_before is None


def test_a_check_fails_on_every_axis_over_the_limit_and_names_a_pair():
    pairs = [pair(0), pair(1, "r1", "age"), pair(2, "r2", "race"), pair(3, "r3", "race")]
    result = checked(pairs, ["good"] * 4, ["bad", "good", "bad", "good"])
    result.check(fairscore=100)
    with pytest.raises(AssertionError) as failed:
        result.check(fairscore=50)
    assert str(failed.value).startswith("gender: 1 of 1 answers change, 100.0%")
    assert "the limit is 50%. For example p0: 'good' for 'so she left', 'bad' for 'so he left'." in str(failed.value)  # fmt: skip
    with pytest.raises(AssertionError) as failed:
        result.check(fairscore=2)
    assert [line.partition(":")[0] for line in str(failed.value).splitlines()] == ["gender", "race"]


def test_intervals_are_wilsons_and_pairs_of_one_row_count_less():
    apart = checked([pair(i, f"r{i}") for i in range(40)], ["a"] * 40, ["b"] * 10 + ["a"] * 30)
    assert apart.overall.score == percentage(10, 40)
    together = checked([pair(i, f"r{i // 10}") for i in range(40)], ["a"] * 40, ["b"] * 10 + ["a"] * 30)
    assert together.overall.rows == 4
    assert together.overall.score.high > apart.overall.score.high + 10


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "has no pairs"),
        ('{"pair": "p0"}\n', "cannot be read, line 1"),
        ("no json\n", "cannot be read, line 1"),
    ],
)
def test_a_file_that_is_no_test_set_is_an_error_in_words(content, words, tmp_path):
    (tmp_path / "pairs.jsonl").write_text(content)
    with pytest.raises(DataError, match=words):
        lw.check_pairs(tmp_path / "pairs.jsonl", answers)


def test_a_file_that_is_not_there_and_no_pairs_are_errors_in_words(tmp_path):
    with pytest.raises(DataError, match=r"cannot be read.*--test-set"):
        lw.check_pairs(tmp_path / "none.jsonl", answers)
    with pytest.raises(DataError, match="no pairs to check"):
        lw.check_pairs([], answers)


def test_data_without_people_gives_an_empty_test_set():
    rows = [replace_text(row) for row in rows_of(4)]
    result = lw.perturb_pairs(rows, text="text", label="label", id="id")
    assert (result.n_pairs, result.pairs) == (0, ())
    assert "No pair could be made" in repr(result)


def replace_text(row):
    return {**row, "text": "The bread was stale."}
