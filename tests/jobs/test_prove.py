"""A proof on toy data where the truth is known."""

import json

import numpy as np
import polars as pl
import pytest

from longway import ProveResult
from longway.data import load
from longway.errors import SettingError, TrainingError
from longway.jobs.prove import training
from longway.jobs.prove.job import prove
from longway.jobs.prove.measure import matched_texts
from longway.jobs.prove.settings import ProveSettings
from longway.jobs.prove.training import Cell, CellStore, Trained, Version
from tests.environment import without_encoder
from tests.jobs.proved import proved, render_prove
from tests.jobs.shortcut_data import BAD, GOOD, soups

KEYS = {"data", "model", "method", "test", "metric", "mean", "std", "low", "high", "seeds"}


@pytest.fixture(scope="module", autouse=True)
def quick():
    """No sentence encoder: what it adds has tests of its own."""
    with pytest.MonkeyPatch.context() as patch:
        without_encoder(patch)
        yield


@pytest.fixture(scope="module")
def versions():
    return soups(240, honest_with="good", seed=1), soups(240, honest_with=None, seed=1)


@pytest.fixture(scope="module")
def reversed_test():
    return soups(160, honest_with="bad", seed=2)


@pytest.fixture(scope="module")
def proof(versions, reversed_test, tmp_path_factory):
    folder = tmp_path_factory.mktemp("proof") / "run"
    return proved(*versions, tests={"reversed": reversed_test}, settings=ProveSettings(seeds=2), out=folder)


def one(results, where, **wanted):
    return next(row for row in results[where] if all(row[name] == value for name, value in wanted.items()))


def test_a_model_without_the_shortcut_is_better_where_it_is_reversed(proof):
    _, results = proof
    before = one(results, "rows", data="before", metric="accuracy", test="reversed")["mean"]
    after = one(results, "rows", data="after", metric="accuracy", test="reversed")["mean"]
    assert before < 0.5 < 0.75 < after
    found = one(results, "comparisons", data="after", test="reversed")
    assert found["verdict"] == "better"
    assert found["difference"] == pytest.approx(after - before)
    assert results["worse"] == []


def test_counter_examples_of_the_shortcut_are_answered_only_after(proof):
    _, results = proof
    strongest = results["groups"][0]["pattern"]  # "honestly" under one of its names
    groups = [group for group in results["groups"] if group["pattern"] == strongest]
    counter = {group["data"]: group["counter"]["accuracy"] for group in groups}
    assert counter["before"] < 0.4 < 0.7 < counter["after"]


def test_rows_that_were_put_right_show_the_shortcut_before_and_not_after(proof):
    _, results = proof
    row = results["examples"][0]
    before, after = row["sides"]
    assert (before["answer"], after["answer"]) == ({"good": "bad", "bad": "good"}[row["label"]], row["label"])

    def score(side, word):
        return sum(s for a, b, s in side["text_words"] if row["text"][int(a) : int(b)].lower() == word)

    if row["text"].startswith("Honestly"):
        assert score(before, "honestly") < -0.05 < score(after, "honestly")
    assert 'id="examples"' in render_prove(results)


def test_every_figure_has_its_interval_and_every_file_is_there(proof):
    folder, results = proof
    assert all(row.keys() >= KEYS for row in results["rows"])
    for row in results["rows"]:
        if row["metric"] == "accuracy":
            assert row["low"] <= row["mean"] <= row["high"]
            assert row["seeds"] == 2
    assert "<html" in (folder / "report.html").read_text()
    assert json.loads((folder / "run.json").read_text())["state"] == "done"
    read = ProveResult.from_dict(results)
    assert json.loads(json.dumps(read.to_dict())) == results
    assert read.to_frame().columns == [*read.to_frame("pandas")]
    assert {"leaks", "apart"} <= results.keys()
    assert one(results, "apart", data="after")["changed"] > 0.4
    assert render_prove(results)


def test_a_finished_proof_is_read_and_one_that_was_broken_off_goes_on(
    versions, reversed_test, proof, tmp_path, monkeypatch
):
    """What a kill leaves: some cells, no results. The rest is trained, and the result is the same."""
    trained, train_cell = [], training.train_cell

    def breaks_at(n):
        def train(cell, *args, **options):
            if len(trained) == n:
                raise KeyboardInterrupt
            trained.append(cell)
            return train_cell(cell, *args, **options)

        return train

    def go_on():
        return proved(
            *versions,
            tests={"reversed": reversed_test},
            settings=ProveSettings(seeds=2),
            out=tmp_path / "run",
        )

    monkeypatch.setattr(training, "train_cell", breaks_at(3))
    with pytest.raises(KeyboardInterrupt):
        go_on()
    assert len(trained) == 3
    monkeypatch.setattr(training, "train_cell", breaks_at(None))
    _, results = go_on()
    assert len(trained) == len(set(trained)) == 4
    same = set(results) - {"seconds", "created"}
    assert {name: results[name] for name in same} == {name: proof[1][name] for name in same}
    monkeypatch.setattr(training, "train_cell", breaks_at(4))
    assert go_on()[1] == results


def test_a_damaged_cell_is_trained_again(tmp_path):
    store, cell = CellStore(tmp_path), Cell("before", "bow", "erm", 0)
    store.put(cell, {"data": "x"}, Trained(("a", "b"), {"t": np.array([[1.0, 2.0]])}, [(1, 0.5, 0.5, 0.5)]))
    assert store.get(cell, {"data": "x"}).logits["t"].tolist() == [[1.0, 2.0]]
    assert store.get(cell, {"data": "y"}) is None
    path = next(tmp_path.glob("*.npz"))
    path.write_bytes(path.read_bytes()[:40])
    assert store.get(cell, {"data": "x"}) is None
    assert not path.exists()


def test_what_cannot_be_trained_is_told_and_the_rest_goes_on(versions, reversed_test, tmp_path):
    settings = ProveSettings(models=("nb",), methods=("erm", "poe"), seeds=1)
    _, results = proved(*versions, tests={"reversed": reversed_test}, settings=settings, out=tmp_path / "run")
    assert {cell["method"] for cell in results["failed"]} == {"poe"}
    assert {row["method"] for row in results["rows"]} == {"erm"}


def test_methods_are_told_the_shortcuts_that_were_found(versions, reversed_test, tmp_path):
    """Without them, reweighting balances all words of single texts away and is far worse than plain training (0.17, 0.44)."""
    settings = ProveSettings(methods=("rew",), seeds=1)
    _, results = proved(*versions, tests={"reversed": reversed_test}, settings=settings, out=tmp_path / "run")
    plain, weighted = (
        one(results, "rows", data="before", method=method, metric="accuracy")["mean"]
        for method in ("erm", "rew")
    )
    assert weighted > plain - 0.1


def test_nothing_trained_at_all_is_an_error(versions, reversed_test, tmp_path, monkeypatch):
    def fails(*args, **options):
        raise TrainingError("The loss became not-a-number.")

    monkeypatch.setattr(training, "train_cell", fails)
    with pytest.raises(TrainingError, match="Nothing could be trained"):
        proved(
            *versions,
            tests={"reversed": reversed_test},
            settings=ProveSettings(seeds=1),
            out=tmp_path / "run",
        )


def test_test_rows_that_were_trained_on_are_refused_or_dropped(versions, reversed_test, tmp_path):
    before, after = versions
    mixed = load(pl.concat([before.frame.head(10), reversed_test.frame]))
    with pytest.raises(SettingError, match="are also in"):
        proved(before, after, tests={"mixed": mixed}, settings=ProveSettings(seeds=1), out=tmp_path / "a")
    _, results = proved(
        before,
        after,
        tests={"mixed": mixed},
        settings=ProveSettings(seeds=1, drop_overlap=True),
        out=tmp_path / "b",
    )
    assert results["tests"][0]["left_out"] == 10
    assert results["tests"][0]["rows"] == reversed_test.n_used


@pytest.mark.parametrize("n", [1, 2])
def test_a_test_of_one_row_or_of_one_label_has_no_auroc_and_no_crash(versions, tmp_path, n):
    tiny = load(pl.DataFrame({"text": ["A soup nobody made", "Warm stew"][:n], "label": ["good"] * n}))
    _, results = proved(
        *versions, tests={"tiny": tiny}, settings=ProveSettings(seeds=1), out=tmp_path / "run"
    )
    assert one(results, "rows", metric="auroc", data="before")["mean"] is None
    assert render_prove(results)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("seeds", 0),
        ("methods", ("nonsense",)),
        ("methods", ()),
        ("models", ("bow", "bwo")),
        ("baselines", ("razor",)),
        ("baselines", ("eda", "eda")),
        ("keep", ("",)),
        ("device", "gpu"),
    ],
)
def test_bad_settings_are_told_before_anything_is_read(field, value):
    with pytest.raises(SettingError):
        ProveSettings(**{field: value})


@pytest.mark.soak
def test_what_is_kept_as_real_signal_is_not_told_to_the_methods_and_no_shortcut(
    versions, reversed_test, tmp_path
):
    """Told of the real words too, methods unlearn them; told of "honestly" alone, they unlearn that."""
    keep = tuple(GOOD + BAD)
    told = {}
    for name, kept in (("all", ()), ("kept", (*keep, "hnestly"))):
        settings = ProveSettings(methods=("rew", "drift"), seeds=1, keep=kept)
        _, told[name] = proved(
            *versions, tests={"reversed": reversed_test}, settings=settings, out=tmp_path / name
        )
    patterns = {name: {group["pattern"] for group in results["groups"]} for name, results in told.items()}
    assert any("warm" in pattern or "cold" in pattern for pattern in patterns["all"])
    assert any("honestly" in pattern for pattern in patterns["kept"])
    assert not any(word in pattern for pattern in patterns["kept"] for word in keep)
    for method in ("rew", "drift"):
        wanted = {"data": "before", "method": method, "metric": "accuracy"}
        assert one(told["kept"], "rows", **wanted)["mean"] >= one(told["all"], "rows", **wanted)["mean"]
    assert [c["kind"] for c in told["kept"]["concerns"]] == ["keep"]
    assert "'hnestly'" in told["kept"]["concerns"][0]["text"]
    notes = {(note["data"], note["method"]) for note in told["kept"]["notes"]}
    assert notes == {("after", "rew"), ("after", "drift")}  # nothing is left to unlearn there
    assert "equivalent to plain training" in render_prove(told["kept"])


def test_without_a_folder_nothing_is_left_behind(versions, reversed_test, proof, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before, after = (version.frame.to_dicts() for version in versions)
    result = prove(before, after, tests={"reversed": reversed_test.frame.to_pandas()}, seeds=2)
    assert result.folder is None
    assert [row.mean for row in result.rows] == [row["mean"] for row in proof[1]["rows"]]
    assert "after against before" in result._repr_html_()
    assert repr(result).startswith("<ProveResult: It helped on reversed")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SettingError, match="needs a run folder"):
        prove(before, after, tests={"reversed": reversed_test}, save_models=True)


def test_the_other_versions_need_names_of_their_own(versions, reversed_test):
    with pytest.raises(SettingError, match="'before', 'after', 'eda' are taken"):
        prove(*versions, also={"eda": reversed_test}, baselines=("eda",))


def test_a_cell_is_trained_anew_where_what_is_kept_or_left_out_has_changed(versions, reversed_test, tmp_path):
    before, _ = versions
    rows = training.rows_of(reversed_test)
    first, other = (training.TestSet("t", reversed_test, rows, np.array(kept)) for kept in ([0, 1], [0, 2]))
    assert first.fingerprint != other.fingerprint
    asked = []

    class Store(CellStore):
        def get(self, cell, key):
            asked.append(key)
            return Trained(("bad", "good"), {})

    for method in ("erm", "rew"):
        for keep in ((), ("warm",)):
            version = training.Version("before", before, keep=keep)
            cell = Cell("before", "bow", method, 0)
            training._trained(cell, version, [first], ProveSettings(), Store(tmp_path))
    plain, plain_kept, told, told_kept = asked
    assert plain == plain_kept
    assert told != told_kept


def test_a_refused_comparison_leaves_no_run_behind(versions, tmp_path):
    before, after = versions
    with pytest.raises(SettingError, match="are also in"):
        proved(before, after, tests={"same": before}, settings=ProveSettings(seeds=1), out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_rows_without_a_text_are_told(versions, reversed_test, tmp_path):
    before, after = versions
    holes = load(
        before.frame.with_columns(text=pl.when(pl.int_range(pl.len()) < 7).then(None).otherwise("text"))
    )
    _, results = proved(
        holes, after, tests={"reversed": reversed_test}, settings=ProveSettings(seeds=1), out=tmp_path / "run"
    )
    told = [concern["text"] for concern in results["concerns"] if concern["kind"] == "data"]
    assert told == ["before: 7 rows without a text, skipped."]


def test_versions_without_validation_rows_of_their_own_stop_on_those_of_the_first(
    versions, reversed_test, tmp_path, monkeypatch
):
    before, after = versions
    split = before.frame.with_columns(
        split=pl.when(pl.int_range(pl.len()) < 200).then(pl.lit("train")).otherwise(pl.lit("dev"))
    )
    given, train_cell = [], training.train_cell

    def noted(cell, data, *args, **options):
        given.append((cell.data, data.validation))
        return train_cell(cell, data, *args, **options)

    monkeypatch.setattr(training, "train_cell", noted)
    one_part = load(after.frame.head(200))
    tests = {"reversed": reversed_test}
    proved(load(split), one_part, tests=tests, settings=ProveSettings(seeds=1), out=tmp_path / "run")
    assert [(name, len(rows)) for name, rows in given] == [("before", 40), ("after", 40)]
    dev = load(split.filter(pl.col("split") == "dev").drop("split"))
    with pytest.raises(SettingError, match=r"validation rows of 'before'.*--drop-overlap"):
        proved(load(split), one_part, tests={"x": dev}, settings=ProveSettings(seeds=1), out=tmp_path / "b")


def test_the_rows_shown_are_read_by_the_models_that_were_measured(versions, reversed_test, tmp_path):
    """Also where training stops on validation rows, which makes another model."""
    split = [
        load(
            one.frame.with_columns(
                split=pl.when(pl.int_range(pl.len()) < 200).then(pl.lit("train")).otherwise(pl.lit("dev"))
            )
        )
        for one in versions
    ]
    _, results = proved(
        *split, tests={"reversed": reversed_test}, settings=ProveSettings(seeds=1), out=tmp_path / "run"
    )
    assert results["examples"]
    for row in results["examples"]:
        right = [side["answer"] == row["label"] for side in row["sides"]]
        assert right in ([False, True], [True, False])  # put right, or put wrong


def test_encoders_are_fine_tuned_as_asked_and_other_models_as_ever():
    plain = ProveSettings(models=("bow",), learning_rate=1e-4, epochs=2)
    assert plain.options_of("minilm-full") == {"learning_rate": 1e-4, "epochs": 2}
    assert plain.options_of("bow") == plain.options_of("minilm") == {}
    paper = ProveSettings(models=("bow",), tuning="grammar-paper", epochs=4, model_options={"batch": 8})
    assert paper.options_of("hf:some/bert-full") == {
        "learning_rate": 1e-5, "batch": 8, "epochs": 4, "check": 4096, "patience": 5, "warm_up": None,
    }  # fmt: skip
    with pytest.raises(SettingError, match="usual, grammar-paper"):
        ProveSettings(models=("bow",), tuning="hard")


def without_ids(dataset):
    return dataset.frame.drop("id")


@pytest.mark.parametrize(
    ("made", "n", "changed"),
    [
        (lambda frame: frame.sample(100, shuffle=True, seed=0), 0, None),
        (lambda frame: frame.sample(fraction=1, shuffle=True, seed=0), 0, None),
        (lambda frame: frame.sample(fraction=1, shuffle=True, seed=0).sort("label"), 0, None),
        (lambda frame: frame.filter(pl.int_range(pl.len()) != 3), 0, None),
        (lambda frame: frame.head(100), 100, 0),
        (lambda frame: frame.with_columns(text="Well: " + pl.col("text")), 240, 240),
        (lambda frame: pl.concat([frame, frame.head(9).with_columns(text=pl.lit("New."))]), 240, 0),
    ],
)  # fmt: skip
def test_rows_without_ids_are_matched_only_if_they_are_in_the_same_order(versions, made, n, changed):
    before = without_ids(versions[0])
    found = matched_texts(Version("before", load(before)), Version("after", load(made(before))))
    assert len(found) == n
    assert changed is None or sum(old != new for old, new in found) == changed


def test_rows_in_the_order_of_their_labels_are_not_matched_by_their_number(versions):
    before = without_ids(versions[0]).sort("label")
    shuffled = before.sample(fraction=1, shuffle=True, seed=0).sort("label")
    assert matched_texts(Version("before", load(before)), Version("after", load(shuffled))) == []


def test_rows_are_matched_by_id_in_any_order_also_by_the_id_that_a_run_wrote(versions):
    before = versions[0].frame
    after = before.sample(100, shuffle=True, seed=0)
    same = Version("before", load(before)), Version("after", load(after))
    assert [old == new for old, new in matched_texts(*same)] == [True] * 100
    rewritten = without_ids(versions[0]).with_columns(
        text="Well: " + pl.col("text"), longway_id=pl.int_range(pl.len()).cast(pl.String)
    )
    found = matched_texts(
        Version("before", load(without_ids(versions[0]))), Version("after", load(rewritten.reverse()))
    )
    assert found == [(text, f"Well: {text}") for text in before["text"]]


def test_rows_whose_ids_repeat_are_not_matched_by_them(versions):
    twice = versions[0].frame.with_columns(id=pl.lit("r"))
    after = twice.sample(fraction=1, shuffle=True, seed=0)
    assert matched_texts(Version("before", load(twice)), Version("after", load(after))) == []


def test_a_shuffled_part_without_ids_has_no_share_of_changed_texts_and_the_report_says_so(
    versions, reversed_test
):
    before = without_ids(versions[0])
    result = prove(
        before, before.sample(160, shuffle=True, seed=0), tests={"reversed": reversed_test}, seeds=1
    )
    assert result.apart == ()
    assert "cannot be matched" in " ".join(one.text for one in result.concerns)
    assert "Texts changed: –" in str(result)
