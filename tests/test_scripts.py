"""The scripts in bench/, runs/ and papers/ run on a few rows and end with the line that programs read."""

import dataclasses
import importlib
import json
import os
import runpy
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

from longway.grammars.trees import read_brackets
from longway.models.bag_of_words import Linear
from tests.environment import forget_scripts

ROOT = Path(__file__).resolve().parents[1]
GRAMMAR = "--epochs 1 --nonterminals 3 --preterminals 6 --dimension 16 --device cpu"
PERTURBATIONS = "".join(
    json.dumps({"original": f"She sold her {thing}.", "selected_word": "She", "target_attribute": "man", "perturbed": f"He sold his {thing}."}) + "\n"
    for thing in ("hat", "car", "boat", "desk")
)  # fmt: skip
FEATURE = {  # a kind in the last line of papers/grammar/snli.py
    "label": "neutral", "spans": ["ε/to"], "rows": {"grammar": [3, 1]}, "tested": {"bow": {"grammar": [[0.5, 12], [0.25, 11]]}},
}  # fmt: skip
SMALL = {  # options, and keys of the last line
    "bench/score.py": ("--rows 2000", "ratio_to_sklearn, rows, seconds, peak_mb, growth_10x"),
    "bench/audit.py": ("--limit 2000", "rows, seconds, ratio_to_sklearn"),
    "bench/quick.py": ("--rows 100", "rows, audit_sst2, repair_dry_run_sst2, audit_fever, doctor"),
    "runs/sentiment_labels.py": ("--rows 100 --limit 200 --draws 3", "rows, missed, false"),
    "bench/encoder.py": ("--rows 8", "torch_texts_s, onnx_texts_s, onnx_int8_texts_s, onnx_int8_cosine"),
    "bench/scale.py": ("--rows 500 2000", "rows, seconds, peak_mb"),
    "bench/round.py": ("--rows 500 1000 --rounds 1 --k 10", "rows, round_seconds, ratio_to_anew, peak_mb"),
    "runs/row_checks.py": ("--rows 60 --only subj", "rows, turned, subj"),
    "runs/choice.py": ("cqa --limit 60", "cqa"),
    "runs/sample.py": (
        "--limit 80 --model bow",
        "test_plain_bow, test_before_bow, flipped_before_bow, test_after_bow, flipped_after_bow",
    ),
    "runs/languages.py": ("--only en th --rows 200 --seeds 1 --rates 0.15", "rows, seeds, rates"),
    "bench/languages.py": ("--only de --characters 20000", "characters, ratio, languages"),
    "runs/redteam.py": ("--engine obedient --limit 6 --learn 80", "obey, through, share_through"),
    "runs/form_replay.py": ("--limit 20", "imdb, snli, disco"),
    "bench/stream.py": ("--file-mb 2 --limit-mb 1500", "rows, file_mb, limit_mb, peak_mb, found"),
    "bench/served.py": ("--rows 200 --seconds 0.2", "share_of_server, in_flight, peak_mb"),
    "bench/review.py": (
        "--rows 300 --times 1",
        "rows, index_seconds, slowest_first_byte_ms, ratio_to_http_server, largest_page_kb",
    ),
    "bench/grammar.py": (
        "--rows 3 --words 100 --longest 7",
        "device, scfg_train_pairs_s, scfg_parse_pairs_s, pcfg_train_sents_s, peak_gib, ratio_to_torch_struct",
    ),
    "bench/razor.py": (
        "--rows 2000 --rounds 3 --k 50",
        "seconds_per_round, growth_over_rounds, ratio_to_naive, rows",
    ),
    "runs/analysis.py": ("--limit 4", "upos, uas, las, lemma, tokens_s, gap_precision, gap_f1"),
    "runs/people.py": ("--limit 25", "gap_precision, gap_f1, gum_link_precision"),
    "runs/singular_they.py": ("--limit 30", "reddit, opensubtitles, both"),
    "runs/perturb.py": (
        "--limit 8 --texts 8",
        "exact_to_masculine, exact_to_feminine, bleu, neutral_wer, false_change",
    ),
    "papers/perturbation/train.py": ("FILE --base tiny --epochs 1 --out OUT", "rows, epochs, validation"),
    "papers/perturbation/score.py": ("--limit 4", "mt_geneval, neutralrewriter"),
    "papers/perturbation/fairtuning.py": (
        "--data rte --limit 40 --dev-limit 20 --pool 10 --per-axis 6 --tuning orig. fair both --seeds 1",
        "rte_bow_orig, rte_bow_fair, rte_bow_both, rows, comparisons, perturbed, effect",
    ),
    "papers/perturbation/pretrain.py": (
        "--made OUT --windows 60 --model tiny --steps 2 --batch 2 --length 32 --seeds 1 --measure-limit 2 --per-descriptor 8 --device cpu",
        "windows, changed, rows",
    ),
    "runs/wordnet.py": ("--limit 5 --n 6", "coverage, judged"),
    "runs/baselines.py": (
        "--data fever imdb --model bow --method erm rew --limit 60 --test-limit 40",
        "rows, fever_text_bow_erm_dev, fever_bow_rew_symmetric, imdb_bow_erm_human_cad",
    ),
    "runs/concepts.py": ("--permute 1 --rows 520 --only snli", "clean"),
    "runs/clustered.py": ("--audits 1 --only claim --size 8", "clean, power"),
    "runs/gate.py": ("--audits 1 --rows 60", "fever, sst2"),
    "runs/audit.py": ("--limit 1500 --only fever", "fever"),
    "papers/razor/shortcut_space.py": ("--limit 1500", "fever, snli"),
    "papers/razor/fever.py": (
        "--limit 60 --test-limit 60 --no-encoder",
        "leak_before, leak_after, negations_before, negations_after, symmetric_before, symmetric_after, accepted",
    ),
    "papers/razor/tables.py": (
        "--tables rounds,repetition --rows 40 --test-rows 40 --out OUT",
        "tables, failed, out",
    ),
    "runs/calibration.py": (
        "--limit 2",
        "bounds, false_accept_pair, false_reject_pair, false_accept_single, false_reject_single",
    ),
    "bench/trace.py": ("--rows 20", "rows, files, forms, audit_modules, repair_modules"),
    "runs/counterbias_checks.py": ("--data snli --limit 4", "snli"),
    "papers/coba/tables.py": (
        "--tables 6 --rows 6 --test-rows 10 --voters bow --out OUT",
        "tables, accepted",
    ),
    "papers/grammar/snli.py": (
        f"{GRAMMAR} --limit 6 --test-limit 6 --models bow=5 --seeds 2",
        "kinds, kinds_found, features, accuracy_bow, sets_hypernym, sets_antonym, sets_adjective",
    ),
    "papers/grammar/table9.py": (f"{GRAMMAR} --limit 12 --test-limit 12 --models bow", "rows, held_out, bow"),
    "papers/grammar/figure2.py": ("FEATURES --out OUT/figure2.html", "kinds, charts"),
    "papers/grammar/controls.py": ("--limit 300 --models bow=60", "paper, sets, bow_drawn, bow_all"),
    "papers/grammar/table8.py": (
        f"{GRAMMAR} --limit 30 --test-limit 6 --longest 30 --unparsed 6 --models bow=24",
        "rows, held_out, sets_hypernym, sets_antonym, sets_adjective, bow",
    ),
    "papers/grammar/qqp.py": (
        f"{GRAMMAR} --limit 8 --test-limit 6 --longest 40 --models bow",
        "kinds, kinds_found, features, of_kinds, accuracy_bow",
    ),
    "papers/grammar/imdb.py": (f"{GRAMMAR} --limit 3 --batch 8", "kinds, kinds_found"),
    "papers/grammar/subj.py": (f"{GRAMMAR} --limit 10", "kinds, kinds_found"),
    "runs/plant.py": (
        "src/longway/sample/reviews.jsonl --kind word --kind length:0.9 --rate 0.1 --out OUT",
        "rows, test_rows",
    ),
    "runs/planted.py": (
        "--limit 40 --only claims",
        "recall, false_discovery, repaired, repaired_by_kind, new_shortcuts, labels_changed, clean",
    ),
    "runs/prompts.py": ("--engine rules --rows 2 --jobs rewrite --families sentiment", "rewrite sentiment"),
    "runs/repair.py": ("--data imdb --limit 40 --test-limit 20 --model bow", "imdb"),
}
# What they measure is tested elsewhere; they themselves are run by `make soak`.
LONG = {
    "runs/sample.py",
    "bench/review.py", "bench/scale.py", "bench/encoder.py", "bench/stream.py", "bench/round.py", "bench/grammar.py", "bench/served.py",
    "bench/score.py", "bench/trace.py", "runs/calibration.py", "runs/redteam.py", "runs/form_replay.py", "runs/people.py",
    "runs/analysis.py", "papers/grammar/snli.py", "papers/grammar/qqp.py", "bench/audit.py", "bench/razor.py", "runs/planted.py", "runs/repair.py", "runs/prompts.py",
    "bench/quick.py", "bench/languages.py", "papers/perturbation/pretrain.py",
}  # fmt: skip
# These make up their own rows.
NEED_NO_DATA = {
    "papers/grammar/figure2.py", "papers/perturbation/train.py", "bench/stream.py", "bench/served.py", "bench/grammar.py",
    "bench/razor.py", "bench/trace.py", "runs/plant.py", "runs/planted.py", "runs/redteam.py",
}  # fmt: skip


def test_every_script_is_listed_above():
    folders = [ROOT / "bench", ROOT / "runs", *(ROOT / "papers").iterdir()]
    scripts = {str(path.relative_to(ROOT)) for folder in folders for path in folder.glob("*.py")}
    parts = {name for name in scripts if name.startswith(("papers/coba/", "papers/razor/"))}
    parts -= set(SMALL)
    shared = {
        "bench/common.py",
        "runs/common.py",
        "papers/grammar/shared.py",
        *(
            f"papers/grammar/{name}.py"
            for name in ("controlled_sets", "runs_common", "saliency", "side_charts", "twice", "versions")
        ),
        "runs/on_ray.py",
        "runs/plant_measures.py",
        *(f"papers/perturbation/{name}.py" for name in ("bases", "panda", "perturbed_rows")),
    }
    assert scripts - shared - parts == set(SMALL)


@pytest.mark.parametrize(
    "script", [pytest.param(name, marks=pytest.mark.soak if name in LONG else ()) for name in SMALL]
)
def test_a_script_ends_with_its_figures(script, shared, monkeypatch, capsys, tmp_path):
    if script not in NEED_NO_DATA:
        shared("sst2/train.jsonl.gz")
    options, keys = SMALL[script]
    (tmp_path / "rows.jsonl").write_text(PERTURBATIONS, encoding="utf-8")
    (tmp_path / "features.json").write_text(json.dumps({"features": [FEATURE]}), encoding="utf-8")
    given = {"FILE": str(tmp_path / "rows.jsonl"), "FEATURES": str(tmp_path / "features.json")}
    given |= {"OUT": str(tmp_path), "OUT/figure2.html": str(tmp_path / "figure2.html")}
    options = [given.get(option, option) for option in options.split()]
    if script.startswith("bench/"):
        printed = in_a_process_of_its_own(script, options)  # it measures its memory
    else:
        printed = in_this_process(script, options, monkeypatch, capsys)
    figures = json.loads(printed.splitlines()[-1])
    assert figures["script"] == script
    assert set(keys.split(", ")) <= set(figures)


def in_a_process_of_its_own(script, options):
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, script, *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def in_this_process(script, options, monkeypatch, capsys):
    """As `python script options`, without importing everything anew."""
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(ROOT / Path(script).parent)
    monkeypatch.setattr(sys, "argv", [script, *options])
    forget_scripts()
    for name in ("common", "plant_measures"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    capsys.readouterr()
    runpy.run_path(str(ROOT / script), run_name="__main__")
    return capsys.readouterr().out


# bench/grammar.py


@pytest.fixture
def bench_grammar(monkeypatch):
    pytest.importorskip("torch", reason="the benchmark needs torch (longway[neural])")
    monkeypatch.syspath_prepend(ROOT / "bench")
    monkeypatch.delitem(sys.modules, "common", raising=False)
    yield runpy.run_path(str(ROOT / "bench" / "grammar.py"), run_name="bench_grammar")
    sys.modules.pop("common")  # runs/ has another one


def test_sentences_are_drawn_with_the_wanted_mean_length(bench_grammar):
    of_mean = bench_grammar["of_mean"]
    rng = np.random.default_rng(0)
    texts = [([i] * n, []) for i, n in enumerate(rng.integers(1, 40, size=3000))]
    for mean in (15.0, 24.4):
        drawn = of_mean(mean, texts, 300, np.random.default_rng(1))
        assert np.mean([len(first) for first, _ in drawn]) == pytest.approx(mean, abs=0.2)
        assert len({first[0] for first, _ in drawn}) == 300
    assert of_mean(50.0, texts, 300, rng) == texts[:300]  # none is that long
    assert of_mean(24.4, texts, 5000, rng) == texts


# papers/perturbation/fairtuning.py


@pytest.fixture
def fairtuning():
    return importlib.import_module("fairtuning")


def answered(fairtuning, stays, rows):
    stays = np.atleast_2d(stays)
    return fairtuning.Answered(stays, np.asarray(rows), ("gender",) * stays.shape[1])


def compared(fairtuning, first, second, rows):
    both = (answered(fairtuning, one, rows) for one in (first, second))
    return fairtuning.compare(*both, ("rte", "bow", "fair", "dev"))


def test_copies_of_a_pair_make_a_fairtuning_no_surer_and_more_of_them_are_needed(fairtuning):
    generator = np.random.default_rng(5)
    first, second = (generator.random(60) < share for share in (0.7, 0.85))
    once = compared(fairtuning, first, second, np.arange(60))
    copied = compared(fairtuning, np.repeat(first, 5), np.repeat(second, 5), np.repeat(np.arange(60), 5))
    assert copied.test.difference == once.test.difference
    assert copied.test.p == pytest.approx(once.test.p, abs=0.02)
    assert copied.power == pytest.approx(once.power, abs=0.01)
    assert copied.needed == pytest.approx(5 * once.needed, rel=0.05)


def test_the_pairs_of_a_fairtuning_are_the_rows_that_were_changed(fairtuning):
    old = [{"text": text} for text in "abc"]
    new = [{"text": "a"}, {"text": "x", "changed": ["age", "young", "senior"]}, {"text": "c"}]
    pairs = fairtuning.dev_pairs(old, new)
    assert (pairs.before.texts, pairs.after.texts, pairs.axes) == (["b"], ["x"], ("age",))
    larger = [
        {"id": id_, "axis": "race", "text_before": "a", "text_after": "b", "context_before": "c", "context_after": "d"}
        for id_ in ("r1", "r2", "r1")
    ]  # fmt: skip
    pairs = fairtuning.larger_pairs(larger)
    assert pairs.rows.tolist() == [0, 1, 0]
    assert pairs.after.contexts == ["d"] * 3


def test_all_tasks_together_keep_their_rows_apart(fairtuning):
    first, second = answered(fairtuning, [True, False], [0, 0]), answered(fairtuning, [True], [0])
    both = fairtuning.together([first, second])
    assert both.rows.tolist() == [0, 0, 1]
    assert both.stays.tolist() == [[True, False, True]]


def test_a_limit_draws_the_same_rows_of_every_version(fairtuning):
    plain = [{"id": f"train-{i}"} for i in range(20)]
    both = [*plain, {"id": "train-3+"}, {"id": "train-4+"}]
    some = {row["id"] for row in fairtuning.some_of(plain, 7, 0)}
    assert len(some) == 7
    assert {row["id"].rstrip("+") for row in fairtuning.some_of(both, 7, 0)} == some
    assert fairtuning.some_of(both, 0, 0) == both


@pytest.mark.parametrize(("lost", "won", "n"), [(0.02, 0.06, 400), (0.03, 0.0384, 3000), (0.1, 0.1, 500)])
def test_the_power_is_that_of_simulated_tests(fairtuning, lost, won, n):
    generator = np.random.default_rng(0)
    drawn = generator.multinomial(n, [lost, won, 1 - lost - won], size=4000)
    b, c = drawn[:, 0], drawn[:, 1]
    significant = (b - c) ** 2 / np.maximum(b + c, 1) > 1.959964**2  # McNemar's test, one dataset a row
    if lost == won:  # the power against nothing is the level, on both sides
        assert significant.mean() == pytest.approx(2 * fairtuning.power_of(n, 0.0, lost + won), abs=0.015)
        return
    assert fairtuning.power_of(n, won - lost, won + lost) == pytest.approx(significant.mean(), abs=0.03)
    needed = fairtuning.rows_needed(won - lost, won + lost)
    assert fairtuning.power_of(needed, won - lost, won + lost) == pytest.approx(0.8)


def test_the_mean_square_is_the_share_of_rows_that_differ_with_one_seed(fairtuning):
    differences = np.array([1, 1, 1, -1] + [0] * 96, float)
    assert fairtuning.mean_square_of(differences, 0.02, 1) == pytest.approx(0.04)
    assert fairtuning.mean_square_of(np.zeros(50), 0.02, 5) == 0.02 / 5  # never less than the effect allows


def test_settings_are_chosen_by_the_median_of_runs(fairtuning, monkeypatch):
    scores = {(1e-5, 16): [60, 61, 95], (2e-5, 16): [70, 10, 71]}
    monkeypatch.setattr(fairtuning, "settings_of", lambda model: list(scores))
    monkeypatch.setattr(fairtuning, "score", lambda name, answers, dev: answers)
    monkeypatch.setattr(
        fairtuning,
        "trained",
        lambda trainings, folder, options: [
            {"dev": scores[one.rate, one.batch][one.seed]} for one in trainings
        ],
    )
    options = Namespace(data=["rte"], model=["minilm-full"], tuning=["orig.", "fair"], one_choice=True, first=0, sweep_seeds=3)  # fmt: skip
    chosen = fairtuning.chosen({"rte": Namespace(dev=[])}, Path(), options)
    assert set(chosen.values()) == {(2e-5, 16)}
    assert len(chosen) == 2


# papers/grammar/shared.py


@pytest.fixture
def grammar_common(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "papers/grammar")
    forget_scripts()
    return importlib.import_module("shared")


@pytest.fixture
def reviews(grammar_common, monkeypatch, tmp_path):
    """A source of five short texts: two of one label, three of the other, one of them without words, one of two sentences."""
    texts = ["It rains. It snows.", "It is hot.", " ! ", "It is cold.", "It is dry."]
    rows = [json.dumps({"text": text, "label": "wet" if i < 2 else "dry"}) for i, text in enumerate(texts)]
    (tmp_path / "rows.jsonl").write_text("\n".join(rows), encoding="utf-8")
    monkeypatch.setattr(grammar_common.common, "DATA", tmp_path)
    return grammar_common.Source("rows.jsonl", ("dry", "wet"))


def test_the_grammar_scripts_draw_rows_in_turn_and_name_them_by_their_line(reviews):
    rows = reviews.documents(limit=None, texts=None, seed=0)
    assert [(row.place, row.label, len(row.units)) for row in rows][:2] == [(0, 1, 2), (1, 1, 1)]
    drawn = reviews.documents(limit=4, texts=None, seed=3)
    assert sorted(row.label for row in drawn) == [0, 0, 1, 1]
    assert [row.place for row in drawn] == sorted(row.place for row in drawn)


def test_texts_that_are_one_sentence_each_are_not_cut(reviews):
    whole = dataclasses.replace(reviews, is_cut=False).documents(limit=None, texts=None, seed=0)
    assert whole[0].units == ((["it", "rains", ".", "it", "snows", "."], []),)


def test_trees_that_the_grammar_scripts_write_are_read_back(grammar_common, reviews, tmp_path, capsys):
    rows = reviews.documents(limit=None, texts=None, seed=0)[:2]
    trees = [["(1 (8 it) (9 rains))", "(1 (8 it) (9 snows))"], ["(1 (8 it) (9 hot))"]]
    part = grammar_common.ParsedRows("rows.jsonl", rows, [list(map(read_brackets, its)) for its in trees])
    grammar_common.write_trees(tmp_path / "trees.txt", part, pair=False)
    assert (
        grammar_common.given_trees(tmp_path / "trees.txt", "rows.jsonl", rows[::-1]).trees == part.trees[::-1]
    )
    assert "other sentences" not in capsys.readouterr().out
    (tmp_path / "trees.txt").write_text(f"0\t{trees[0][0]}\n", encoding="utf-8")
    assert grammar_common.given_trees(tmp_path / "trees.txt", "rows.jsonl", rows).rows == rows[:1]
    assert "1 of them are now split into other sentences" in capsys.readouterr().out
    with pytest.raises(SystemExit, match=r"no trees of rows of rows\.jsonl"):
        grammar_common.given_trees(tmp_path / "trees.txt", "rows.jsonl", rows[1:])


def test_an_interrupted_write_leaves_no_file_of_trees(grammar_common, reviews, tmp_path, monkeypatch):
    rows = reviews.documents(limit=None, texts=None, seed=0)[:2]
    part = grammar_common.ParsedRows("rows.jsonl", rows, [[read_brackets("(8 it)")], [None]])
    with pytest.raises(AttributeError):
        grammar_common.write_trees(tmp_path / "trees.txt", part, pair=False)
    assert not (tmp_path / "trees.txt").exists()


@pytest.fixture
def learned(grammar_common, reviews, tmp_path, monkeypatch):
    """Parses the reviews with --out and these options; the grammars that were learned so far are counted."""
    learned = []

    class Pretended:
        def parse(self, texts, progress=None):
            return [read_brackets("(8 it)") for _ in texts]

    def learn(options, rows, device):
        learned.append(options.epochs)
        return Pretended()

    monkeypatch.setattr(grammar_common, "_grammar", learn)

    def parsed(*options):
        parser = grammar_common.parser_of("")
        given = parser.parse_args(["--out", str(tmp_path / "out"), "--device", "cpu", *options])
        grammar_common.parsed(given, reviews)
        return len(learned)

    return parsed


def test_the_grammar_scripts_resume_with_the_same_settings_only(learned, tmp_path):
    assert learned("--limit", "4") == 1
    assert learned("--limit", "4") == 1  # from the trees in --out
    with pytest.raises(SystemExit, match=r"out was made with epochs None instead of 3\. Name another folder"):
        learned("--limit", "4", "--epochs", "3")
    with pytest.raises(SystemExit, match="made with other rows"):
        learned("--limit", "2")
    (tmp_path / "out" / "made_with.json").unlink()
    with pytest.raises(SystemExit, match="not the settings they were made with"):
        learned("--limit", "4")


def test_the_classifier_s_settings_name_the_cell_of_table_8(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "papers/grammar")
    forget_scripts()
    table = importlib.import_module("table8")
    options = Namespace(device="cpu", cache=None)
    names = [table.cell_file(options, *cell, ["rows"]) for cell in (("bow", "erm", 0), ("bow", "erm", 1), ("bow", "rew", 0), ("nb", "erm", 0))]  # fmt: skip
    assert len(set(names)) == 4
    assert table.cell_file(options, "bow", "erm", 0, ["other rows"]) != names[0]
    monkeypatch.setattr(table, "model_named", lambda name, **given: Linear(strength=9.0))
    assert table.cell_file(options, "bow", "erm", 0, ["rows"]) != names[0]
