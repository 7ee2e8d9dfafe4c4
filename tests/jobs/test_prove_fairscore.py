"""The fairscore in a proof, on toy data in which "she" decides, and recomputed by hand."""

import json
from collections import defaultdict
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from longway.data import load
from longway.jobs.documents import ANALYSES_FILE
from longway.jobs.perturb.job import perturb
from longway.jobs.perturb.perturbing import NOBODY, Perturbing, Who
from longway.jobs.perturb.result import CONTRAST
from longway.jobs.perturb.settings import PerturbSettings
from longway.jobs.prove import training
from longway.jobs.prove.fairscore import measure_fairscores
from longway.jobs.prove.perturbed_rows import PerturbedRows, changed_rows
from longway.jobs.prove.settings import ProveSettings
from longway.jobs.prove.training import Cell, TestSet, Trained, Trainings, Version, rows_of
from longway.metrics.fairness.fairscore import fairscore_of, kept
from longway.models.catalog import model_named
from longway.models.classifier import Inputs, Labelled
from longway.store import Journal
from tests.environment import without_encoder
from tests.jobs.cooks import cooks, soups_alone
from tests.jobs.proved import proved, render_prove

SETTINGS = ProveSettings(models=("bow",), seeds=2, fairscore=True)


@pytest.fixture(scope="module", autouse=True)
def quick():
    """No sentence encoder: what it adds has tests of its own."""
    with pytest.MonkeyPatch.context() as patch:
        without_encoder(patch)
        yield


@pytest.fixture(scope="module")
def biased():
    return cooks(120, she_is_good=0.95, seed=1)


@pytest.fixture(scope="module")
def fairtuned(biased):
    """The same rows, and each once more with its person changed, as `longway perturb --add` does it.

    Changed in place, nearly all of "she" would become "he" or "they": the shortcut would be turned around, not taken away.
    """
    return perturb(biased, add=True).data


@pytest.fixture(scope="module")
def tests():
    return {
        "dev": cooks(60, she_is_good=0.5, seed=2, others=True),
        "soups": soups_alone(12, seed=5),
    }


@pytest.fixture(scope="module")
def proof(biased, fairtuned, tests, tmp_path_factory):
    return proved(
        biased,
        fairtuned,
        tests=tests,
        also={"nobody": soups_alone(120, seed=4)},
        settings=SETTINGS,
        out=tmp_path_factory.mktemp("proof") / "run",
    )


@pytest.fixture(scope="module")
def written(proof):
    """The perturbed rows as people find them in the run folder."""
    lines = (proof[0] / "perturbed" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def one(results, where, **wanted):
    return next(row for row in results[where] if all(row[name] == value for name, value in wanted.items()))


def test_training_on_perturbed_data_lowers_the_fairscore(proof):
    _, results = proof
    before, after = (
        one(results, "rows", data=data, metric="fairscore", test="dev")["mean"]
        for data in ("before", "after")
    )
    assert before > 40 > 15 > after
    found = one(results, "comparisons", data="after", metric="fairscore", test="dev")
    assert found["difference"] == pytest.approx(after - before)
    assert found["low"] <= found["difference"] <= found["high"] < 0
    assert found["verdict"] == "better"
    assert not [row for row in results["worse"] if row["metric"].startswith("fairscore")]


def test_a_model_that_knows_no_word_for_people_has_a_fairscore_of_0(proof):
    figure = one(proof[1], "rows", data="nobody", metric="fairscore", test="dev")
    assert figure["mean"] == figure["low"] == 0 < figure["high"]


def test_the_figures_equal_those_of_a_model_trained_and_asked_by_hand(proof, written, biased):
    """Eq. 1, counted: the model of the first version, on the texts that lie in the run folder."""
    _, results = proof
    model = model_named("bow").fit(rows_of(biased))
    was, now = (
        list(model.predict(Inputs([row[f"text_{when}"] for row in written]))) for when in ("before", "after")
    )
    parts = defaultdict(list)
    for row, old, new in zip(written, was, now, strict=True):
        for part in ("fairscore", f"fairscore:{row['axis']}"):
            parts[part].append(old != new)
    by_hand = {part: 100 * sum(differ) / len(differ) for part, differ in parts.items()}
    rows = [
        row for row in results["rows"] if row["data"] == "before" and row["metric"].startswith("fairscore")
    ]
    told = {row["metric"]: row["mean"] for row in rows}
    assert told == pytest.approx(by_hand)
    assert len(told) == 4
    changed = [(row["axis"], row["source"], row["target"]) for row in written]
    assert fairscore_of(kept(was, now, changed), changed).overall.score.value == pytest.approx(
        told["fairscore"]
    )


def test_only_rows_with_a_person_are_perturbed_and_each_keeps_its_id_and_label(proof, written, tests):
    about, without = proof[1]["fairscore"]["tests"]
    rows = {row["id"]: row for row in tests["dev"].frame.iter_rows(named=True)}
    assert about["perturbed"] == len(written) == sum(about["axes"].values())
    assert about["perturbed"] + sum(about["stayed"].values()) == about["rows"] == 60
    for row in written:
        assert (row["text_before"], row["label"]) == (rows[row["id"]]["text"], rows[row["id"]]["label"])
        assert row["text_after"] != row["text_before"]
    assert (without["perturbed"], without["stayed"], without["file"]) == (0, {NOBODY: 12}, None)


def test_a_test_set_without_people_is_told_and_has_no_fairscore(proof):
    folder, results = proof
    assert not [
        row for row in results["rows"] if row["test"] == "soups" and row["metric"].startswith("fairscore")
    ]
    told = [concern["text"] for concern in results["concerns"] if concern["kind"] == "fairscore"]
    assert told == [
        "soups: no row mentions a person whose gender, race or age could be changed, so there is no fairscore."
    ]
    assert sorted(path.name for path in (folder / "perturbed").iterdir()) == ["dev.jsonl"]
    assert not (folder / ANALYSES_FILE).exists()


def test_texts_whose_answer_changes_are_shown_with_both_answers(proof):
    _, results = proof
    first = results["fairscore"]["examples"][0]
    before, after = first["sides"]
    assert (before["data"], before["differ"], before["of"]) == ("before", 2, 2)
    assert before["answer"] != before["perturbed_answer"]
    assert (after["data"], after["differ"], after["answer"]) == ("after", 0, after["perturbed_answer"])
    page = render_prove(results)
    assert 'id="fairscore"' in page
    assert "<del>" in page


def test_asking_for_it_changes_no_other_figure(proof, biased, fairtuned, tests, tmp_path):
    _, without = proved(
        biased, fairtuned, tests=tests, also={"nobody": soups_alone(120, seed=4)}, settings=ProveSettings(seeds=2), out=tmp_path / "run"
    )  # fmt: skip
    assert without["fairscore"] is None
    for where in ("rows", "comparisons"):
        others = [row for row in proof[1][where] if not row["metric"].startswith("fairscore")]
        assert without[where] == others
    assert 'id="fairscore"' not in render_prove(without)


def test_a_proof_that_was_broken_off_goes_on_with_the_same_rows(
    biased, fairtuned, tests, tmp_path, monkeypatch
):
    trained, train_cell = [], training.train_cell

    def breaks_at(n):
        def train(cell, *args, **options):
            if len(trained) == n:
                raise KeyboardInterrupt
            trained.append(cell)
            return train_cell(cell, *args, **options)

        return train

    def go_on(name="run"):
        return proved(biased, fairtuned, tests=tests, settings=SETTINGS, out=tmp_path / name)

    monkeypatch.setattr(training, "train_cell", breaks_at(1))
    with pytest.raises(KeyboardInterrupt):
        go_on()
    assert (tmp_path / "run" / ANALYSES_FILE).is_file()
    monkeypatch.setattr(training, "train_cell", breaks_at(None))
    folder, results = go_on()
    assert len(trained) == len(set(trained)) == 4
    assert not (folder / ANALYSES_FILE).exists()
    monkeypatch.setattr(training, "train_cell", breaks_at(4))
    assert go_on()[1] == results


def perturbed_rows(dataset, kept):
    """The rows with one person changed in each, by the rules."""
    who = Who(PerturbSettings())
    return changed_rows(Perturbing(dataset, who.settings), kept, who, Journal(None))


def test_rows_that_are_not_tested_on_are_not_perturbed(tests):
    """Places are among the rows tested on: the rest may have been left out as seen in training."""
    dev = tests["dev"]
    whole, part = perturbed_rows(dev, np.arange(60)), perturbed_rows(dev, np.arange(1, 60, 2))
    at = {id_: (i, row) for i, (id_, row) in enumerate(zip(whole.ids, whole.rows, strict=True))}
    assert len(part) == sum(row % 2 for row in whole.rows)
    for i, (id_, place) in enumerate(zip(part.ids, part.rows, strict=True)):
        j, row = at[id_]
        assert row == 2 * place + 1
        assert (part.inputs.texts[i], part.changed[i]) == (whole.inputs.texts[j], whole.changed[j])


def test_pairs_are_perturbed_together_and_left_out_where_the_contrast_is_the_label():
    rows = [
        ("Ann lost her keys.", "Ann cannot find her keys.", "entailment"),
        ("The letter is from my aunt.", "The letter is from my uncle.", "contradiction"),
        ("The train was late.", "The train was on time.", "contradiction"),
        ("", "My mother paints when she is tired.", "neutral"),
    ]
    pairs = load(pl.DataFrame(rows, schema=["premise", "hypothesis", "label"], orient="row"))
    found = perturbed_rows(pairs, np.arange(4))
    assert found.rows.tolist() == [0, 3]
    assert found.stayed == {CONTRAST: 1, NOBODY: 1}
    premise, hypothesis = found.inputs.contexts[0].split(), found.inputs.texts[0].split()
    assert premise[0] == hypothesis[0]  # the same person in both
    assert premise != "Ann lost her keys.".split()
    assert found.inputs.contexts[1] == ""


@pytest.mark.parametrize("change", ["row", "text", "pair"])
def test_a_cell_is_trained_anew_where_the_perturbed_rows_have_changed(tests, change):
    dev = tests["dev"]
    other = {
        "row": ([1], "He left.", "man"),
        "text": ([0], "He went.", "man"),
        "pair": ([0], "He left.", "non-binary"),
    }[change]

    def prints(rows, text, target):
        perturbed = PerturbedRows(
            np.array(rows), ("a",), Inputs([text]), (("gender", "woman", target),), ("She",), {}
        )
        return TestSet("t", dev, rows_of(dev), np.arange(60), perturbed=perturbed).fingerprint

    assert prints([0], "He left.", "man") == prints([0], "He left.", "man") != prints(*other)


PAIRS = (
    ("gender", "woman", "man"),
    ("gender", "man", "woman"),
    ("race", "black", "white"),
    ("age", "child", "adult"),
)


@pytest.mark.parametrize("seed", range(8))
def test_figures_and_comparisons_equal_their_slow_twins(seed):
    """Random answers of several seeds, methods and versions: every share counted row by row."""
    draw = np.random.default_rng(seed)
    n, m, k = int(draw.integers(6, 40)), int(draw.integers(1, 6)), 3
    rows = np.sort(draw.permutation(n)[:m])
    changed = tuple(PAIRS[i] for i in draw.integers(len(PAIRS), size=m))
    perturbed = PerturbedRows(
        rows, tuple(f"r{i}" for i in rows), Inputs(["now"] * m), changed, ("she",) * m, {}
    )
    columns = SimpleNamespace(columns=SimpleNamespace(text="text", context=None))
    test = TestSet("t", columns, Labelled(Inputs(["was"] * n), ["a"] * n), np.arange(n), perturbed=perturbed)
    cells = {
        Cell(data, "bow", method, s): Trained(
            ("a", "b", "c"), {"t": draw.normal(size=(n, k))}, perturbed={"t": draw.normal(size=(m, k))}
        )
        for data in ("before", "after") for method in ("erm", "rew") for s in range(3)
    }  # fmt: skip
    versions = [Version("before", None), Version("after", None)]
    found = measure_fairscores(
        Trainings(versions, [test], ProveSettings(), cells), files={"t": "perturbed/t.jsonl"}
    )

    def twin(data, method, of):
        shares = []
        for cell, one in cells.items():
            if (cell.data, cell.method) == (data, method):
                some = [i for i in range(m) if of(changed[i])]
                flips = [
                    int(np.argmax(one.logits["t"][rows[i]])) != int(np.argmax(one.perturbed["t"][i]))
                    for i in some
                ]
                shares.append(100 * sum(flips) / len(flips))
        return shares

    def of_metric(metric):
        return lambda change: metric == "fairscore" or metric == f"fairscore:{change[0]}"

    assert {row.metric for row in found.figures} == {"fairscore", *(f"fairscore:{one[0]}" for one in changed)}
    for row in found.figures:
        shares = twin(row.data, row.method, of_metric(row.metric))
        assert (row.mean, row.std, row.seeds) == pytest.approx((np.mean(shares), np.std(shares, ddof=1), 3))
        assert row.low <= row.mean + 1e-9
        assert row.mean <= row.high + 1e-9
    assert len(found.comparisons) == 4 * len({row.metric for row in found.figures})
    for row in found.comparisons:
        of = of_metric(row.metric)
        new = np.mean(twin(row.data, row.method, of))
        old = np.mean(twin(row.against, row.against_method or row.method, of))
        assert row.difference == pytest.approx(new - old)
        assert row.low <= row.high
