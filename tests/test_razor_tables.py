"""papers/razor/tables.py: what it computes, and a whole small run with a server on this machine, on made-up claims."""

import gzip
import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from longway.data import load
from longway.jobs.prove.training import rows_of
from tests.engines.loopback import Loopback, completion, error
from tests.environment import forget_scripts

SCRIPTS = Path(__file__).resolve().parents[1] / "papers" / "razor"
FILMS = "Alder Birch Cedar Dahlia Elm Fern Ginkgo Hazel Iris Juniper Larch Maple".split()
PLACES = "Rome Oslo Lima Cairo Paris Delhi".split()


@pytest.fixture
def razor(monkeypatch, tmp_path):
    """Imports a part of the script, which reads made-up data."""
    monkeypatch.syspath_prepend(SCRIPTS)
    forget_scripts()
    runs = importlib.import_module("experiments")
    monkeypatch.setattr(runs.common, "DATA", tmp_path / "data")
    for file, year in (
        (runs.TRAINING["FEVER"], 1990),
        (runs.TESTS["FEVER"], 1970),
        (runs.TESTS["Symmetric"], 1950),
    ):
        path = tmp_path / "data" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(path, "wt", encoding="utf-8") as lines:
            lines.writelines(json.dumps(row) + "\n" for row in claims(year))
    yield importlib.import_module
    forget_scripts()


def claims(year):
    """Twelve films with a true claim and a false one, which has "not" most of the time."""
    for i, film in enumerate(FILMS):
        place, other = PLACES[i % 6], PLACES[(i + 1) % 6]
        evidence = f"{film} is a film of {year + i}. It was made in {place}."
        false = f"{film} was not made in {place}." if i % 4 else f"{film} was made in {other}."
        yield {"claim": f"{film} was made in {place}.", "evidence": evidence, "label": "SUPPORTS"}
        yield {"claim": false, "evidence": evidence, "label": "REFUTES"}


def answer(call):
    """New claims with the label that is asked for, which the judge finds again."""
    if call.kind == "judge":
        return completion(json.dumps({"label": "REFUTES" if "1200" in call.text else "SUPPORTS"}))
    film, is_false = call.text.split()[0], " not " in call.text
    year = "in 1200" if is_false else "after 1900"
    return completion(
        json.dumps({"rewrites": [f"{film} is a film from {year}.", f"{film} came out {year}."]})
    )


@pytest.fixture
def run(razor, alone, monkeypatch, capsys, tmp_path):
    """Runs the script in this process; returns its exit code, and what it printed."""
    script = razor("tables")

    def call(*options):
        fixed = ["--model", "bow", "--rows", "24", "--test-rows", "24", "--out", str(tmp_path / "out")]
        monkeypatch.setattr(sys, "argv", ["tables.py", *fixed, *options])
        capsys.readouterr()
        code = 0
        try:
            script.main()
        except SystemExit as stop:
            code = stop.code
        return code, capsys.readouterr()

    return call


def served(server):
    return ["--engine", "served:toy", "--base-url", server.url, "--set", "rounds=1", "k=6", "candidates=2"]


def test_a_run_with_a_server_is_stopped_and_goes_on_without_asking_twice(run, razor, monkeypatch, tmp_path):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    with Loopback(answer) as server:
        with monkeypatch.context() as patch:
            patch.setattr(razor("experiments"), "prove", interrupted)
            code, printed = run("--tables", "rounds,fig3", *served(server))
        assert code == 130
        assert "the same command goes on" in printed.err
        assert (tmp_path / "out" / "rounds.json").is_file()
        n = len(server.calls)
        assert n > 6
        code, printed = run("--tables", "rounds,fig3", *served(server))
        assert (code, len(server.calls)) == (0, n)
        assert set(server.counts.values()) == {1}
    figures = json.loads(printed.out.splitlines()[-1])
    assert set(figures["tables"]) == {"rounds", "fig3"}
    assert "rewritten by served:toy (judge: served:toy)" in printed.out
    assert "in place of BERT and RoBERTa, bow: bag of words" in printed.out
    lines = dict(figures["tables"]["fig3"]["rows"])
    assert lines["Original"][0] > lines["RAZOR"][0]  # "not" was written away
    assert lines["RAZOR"][1] == pytest.approx(100 * (lines["RAZOR"][0] / lines["Original"][0] - 1))


@pytest.mark.soak
def test_two_engines_fill_both_lines_of_table_1_and_its_proof_is_used_again(run, razor):
    with Loopback(answer) as server:
        options = served(server)
        options[1:2] = ["served:toy", "served:other"]
        code, printed = run("--tables", "1,4,fig6,repetition", *options)
        assert {call.body["model"] for call in server.calls} == {"toy", "other"}
    tables = json.loads(printed.out.splitlines()[-1])["tables"]
    assert code == 0
    lines = [cells for _, cells in tables["1"]["rows"] if cells]
    assert len(lines) == 16
    assert all(len(cells) == 7 and None not in cells for cells in lines)
    assert [cells[-1] for _, cells in tables["4"]["rows"]] == [24, 24]
    assert printed.err.count("training bow") == 1
    assert max(map(len, printed.out.splitlines()[:-1])) <= 100 + len("picture: ")


def test_a_finished_table_is_printed_again_and_computed_anew_for_other_settings(run, razor, monkeypatch):
    with Loopback(answer) as server:
        _, first = run("--tables", "rounds", *served(server))
        n = len(server.calls)
        with monkeypatch.context() as patch:
            patch.setitem(razor("tables").TABLES, "rounds", None)
            _, again = run("--tables", "rounds", *served(server))
        assert again.out == first.out
        assert len(server.calls) == n
        run("--tables", "rounds", *served(server), "--seed", "1")
        assert len(server.calls) > n


def test_a_table_with_failed_calls_is_not_final(run, tmp_path):
    broken, refused = [True], []

    def judged(call):
        """Whether it is the first text to be judged."""
        refused[:] = refused or [call.text]
        return call.text in refused

    with Loopback(
        lambda call: error(422, "no") if broken[0] and call.kind == "judge" and judged(call) else answer(call)
    ) as server:
        _, printed = run("--tables", "rounds", *served(server))
        assert "NOT FINAL" in printed.out
        assert not (tmp_path / "out" / "rounds.json").exists()
        broken[0] = False
        written = sum(call.kind == "write" for call in server.calls)
        _, printed = run("--tables", "rounds", *served(server))
        assert "NOT FINAL" not in printed.out
        assert sum(call.kind == "write" for call in server.calls) == written


def test_a_table_that_cannot_be_made_is_named_and_the_others_are_made(run):
    code, printed = run("--tables", "fig3,rounds", "--set", "rounds=1", "k=1", "method=none")
    assert code == 1
    figures = json.loads(printed.out.splitlines()[-1])
    assert (list(figures["failed"]), list(figures["tables"])) == (["fig3"], ["rounds"])


def test_an_unreachable_server_is_asked_for_one_table_only(run):
    code, printed = run(
        "--tables", "rounds,1", "--engine", "served:toy", "--base-url", "http://127.0.0.1:9/v1"
    )
    assert code == 1
    assert list(json.loads(printed.out.splitlines()[-1])["failed"]) == ["rounds"]


@pytest.mark.parametrize("given", [["--tables", "7"], ["--engine", "a", "b", "c"], ["--set", "rounds"]])
def test_wrong_options_are_refused(run, given):
    assert run(*given)[0] == 2


def test_more_rows_include_the_fewer(razor, tmp_path):
    runs = razor("experiments")
    path = tmp_path / "data" / runs.TRAINING["FEVER"]
    few, many = (runs.drawn_rows(path, n, seed=3) for n in (5, 11))
    assert {row["row"] for row in few} < {row["row"] for row in many}
    assert [int(row["row"]) for row in many] == sorted(int(row["row"]) for row in many)
    assert len(runs.drawn_rows(path, 999, seed=3)) == 24


def test_pairs_are_the_rows_whose_text_changed(razor):
    rows = [
        {"id": str(i), "claim": f"claim {i}", "label": "ab"[i % 2], "evidence": f"e{i}"} for i in range(8)
    ]
    new = [{**row, "claim": row["claim"] + (" new" if i < 5 else "")} for i, row in enumerate(rows)]
    columns = {"text": "claim", "label": "label", "context": "evidence", "id": "id"}
    pairs = razor("experiments").changed_pairs(load(rows, **columns), load(new, **columns), 4, seed=0)
    old, changed = (rows_of(one) for one in pairs)
    assert len(old) == 4
    assert [text + " new" for text in old.inputs.texts] == list(changed.inputs.texts)
    assert [text.replace("claim ", "e") for text in old.inputs.texts] == list(old.inputs.contexts)
    assert list(old.labels) == list(changed.labels) == ["ab"[int(text[-1]) % 2] for text in old.inputs.texts]


def test_confusion_equals_the_slow_count(razor):
    rng = np.random.default_rng(0)
    points = [(float(x), float(y), int(label)) for x, y, label in zip(*rng.normal(size=(2, 60)), rng.integers(0, 3, 60), strict=True)]  # fmt: skip
    means = {
        label: np.mean([p[:2] for p in points if p[2] == label], axis=0) for label in {p[2] for p in points}
    }
    nearest = [min(means, key=lambda label: np.linalg.norm(means[label] - point[:2])) for point in points]
    wrong = sum(name != point[2] for name, point in zip(nearest, points, strict=True))
    assert razor("results").confusion(points) == pytest.approx(wrong / 60)


def test_repetition_counts_texts_and_phrases(razor):
    repetition = razor("results").repetition
    test = ["It was made in Rome.", "She sings"]
    assert repetition(["it was made in Rome .", "He sings"], test, n=3) == (0.5, 1.0)
    assert repetition(["He was made in Oslo"], test, n=3) == (0.0, pytest.approx(1 / 3))
    assert repetition(["Short"], test, n=3) == (0.0, 0.0)
    assert repetition([], test, n=3) == (None, None)


@pytest.mark.parametrize(
    ("number", "deltas"),
    [
        ("2", "2.08 1.44 .33 .42 2.04 .78 1.27 .37 5.63 8.14 1.34 1.52 1.69 1.55 .11 .17"),
        ("3", ".12 .04 .77 .77 1.26 -1.06 .66 .05 5.85 9.56 .18 .98 1.36 1.17 .58 .74"),
    ],
)
def test_the_papers_figures_give_the_papers_differences(razor, number, deltas):
    """Its differences are relative. That of the second cell of Table 2 does not follow from the figures beside it."""
    lines = razor("published").table_nli(number).values()
    found = [
        100 * (new[0] / old[0] - 1) for before, after in lines for old, new in zip(before, after, strict=True)
    ]
    printed = [float(delta) for delta in deltas.split()]
    wrong = [i for i, (x, y) in enumerate(zip(found, printed, strict=True)) if abs(x - y) > 0.035]
    assert wrong == ([1] if number == "2" else [])


def test_every_line_of_table_1_is_one_of_ours(razor):
    paper, results = razor("published"), razor("results")
    for test in results.OURS:
        assert set(paper.table_1(test)) == set(results.STRATEGIES)
        assert all(len(figures) == 4 for figures in paper.table_1(test).values())


def test_projected_logits_equal_those_of_a_covariance(razor):
    results = razor("results")
    vectors = np.random.default_rng(1).normal(size=(20, 3)) * np.arange(1, 4)
    points = results.project(vectors)
    variances = np.linalg.eigvalsh(np.cov(vectors.T))[::-1]
    assert points.var(axis=0, ddof=1) == pytest.approx(variances[:2])
    assert results.picture([(x, y, 0) for x, y in points]).count("<circle") == 20
    assert results.project(np.array([[1.0, 2.0], [1.0, 2.0]])).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_words_are_counted_as_in_plain_python(razor):
    occurrences = razor("results").occurrences
    assert occurrences(["At no time, no.", "NOT. nothing", "it is not", ""]) == 4
