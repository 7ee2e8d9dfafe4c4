"""A proof whose training methods know the rules of a grammar: that they reach the methods, and what is said about them."""

import json
from dataclasses import replace
from functools import partial
from shutil import copytree

import numpy as np
import pytest

import longway as lw
from longway.data.dataset import examples_of
from longway.errors import DataError, SettingError
from longway.grammars.parser import Grammar
from longway.grammars.production import production_matrix
from longway.grammars.vocabulary import words_of
from longway.jobs.prove import features, training
from longway.jobs.prove.features import AuditPatterns, TreeFile
from longway.jobs.prove.settings import ProveSettings
from longway.jobs.prove.training import Cell, CellStore, Version
from longway.jobs.run import Watcher
from longway.models.training import TrainingMethod
from tests.environment import without_encoder
from tests.jobs.proved import proved, render_prove
from tests.jobs.toy_pairs import toy_pairs
from tests.jobs.watching import watching

TINY = {"nonterminals": 3, "preterminals": 6, "dimension": 8, "epochs": 1, "device": "cpu"}
METHODS = ("drift", "rew", "dro")
N, LONG = 60, 4


def pairs(n, *, day, long=0, opening=""):
    """Toy pairs, each on another day, so that no two rows are the same. opening: begins every third text."""
    rows = toy_pairs(n, seed=day, long=long)
    for i, row in enumerate(rows):
        row["premise"] += f" on day {day + i}"
        row["hypothesis"] = (opening if i % 3 == 0 else "") + row["hypothesis"]
    return lw.load(rows, text="hypothesis", context="premise", label="label", id="id")


@pytest.fixture(scope="module", autouse=True)
def quick():
    with pytest.MonkeyPatch.context() as patch:
        without_encoder(patch)
        yield


@pytest.fixture(scope="module")
def versions():
    return pairs(N, day=0, long=LONG), pairs(N, day=0, long=LONG, opening="Surely ")


@pytest.fixture(scope="module")
def grammar_run(versions, tmp_path_factory):
    folder = tmp_path_factory.mktemp("grammar") / "run"
    lw.grammar(versions[0], lw.GrammarSettings(**TINY, classifier=None), out=folder)
    return folder


@pytest.fixture(scope="module")
def proof(versions, tmp_path_factory):
    """A proof that learns a tiny grammar, and what each method was given: (method, data)."""
    given, steps = [], []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(features, "GrammarSettings", partial(lw.GrammarSettings, **TINY))
        patch.setattr(TrainingMethod, "fit", _spied(TrainingMethod.fit, given))
        settings = ProveSettings(models=("bow",), methods=METHODS, seeds=1, features="grammar", device="cpu")
        folder, results = proved(
            *versions,
            tests={"later": pairs(30, day=900)},
            settings=settings,
            out=tmp_path_factory.mktemp("proof") / "run",
            watcher=watching(step=steps.append),
        )
    return folder, results, given, steps


def _spied(fit, given):
    def spy(self, data, trainer):
        if self.knows_shortcuts:
            given.append((self.name, data))
        return fit(self, data, trainer)

    return spy


def rules_by_hand(grammar, dataset):
    """Rows x rules of the short rows, each parsed alone."""
    documents = []
    for example in examples_of(dataset):
        unit = (words_of(example.context), words_of(example.text))
        is_short = len(unit[0]) * len(unit[1]) < 225
        documents.append(grammar.parse([unit]) if is_short else [])
    return production_matrix(documents)[0]


def test_every_method_gets_the_rules_of_the_trees_of_its_version(proof, versions):
    folder, _, given, _ = proof
    grammar = Grammar.load(folder / "grammar")
    expected = [rules_by_hand(grammar, dataset) for dataset in versions]
    assert {name for name, _ in given} == set(METHODS)
    assert len(given) == 2 * len(METHODS)
    for _, data in given:
        assert data.are_rules
        is_after = any(text.startswith("Surely") for text in data.labelled.inputs.texts)
        np.testing.assert_array_equal(data.shortcuts.toarray(), expected[is_after].toarray())
        has_any = data.shortcuts.getnnz(axis=1) > 0
        assert has_any.tolist() == [True] * N + [False] * LONG


def test_the_result_says_which_grammar_and_how_many_rows_it_could_not_parse(proof):
    folder, results, *_ = proof
    told = results["features"]
    assert told["folder"] == str(folder / "grammar")
    assert [(one["data"], one["rows"], one["parsed"], one["too_long"]) for one in told["versions"]] == [
        ("before", N + LONG, N, LONG),
        ("after", N + LONG, N, LONG),
    ]
    assert all(one["rules"] > 20 for one in told["versions"])
    concerns = [one["text"] for one in results["concerns"] if one["kind"] == "features"]
    assert concerns[0].startswith(
        f"before: {LONG} of {N + LONG} rows have no grammar features ({LONG} too long"
    )
    page = render_prove(results)
    assert "rules of a grammar learned from" in page
    assert "have no grammar features" in page


def test_learning_and_parsing_are_steps_of_the_proof(proof):
    *_, steps = proof
    at = [steps.index(name) for name in ("grammar: learning a grammar", "parsing the rows of before", "parsing the rows of after")]  # fmt: skip
    assert at == sorted(at)
    assert at[-1] < steps.index("bow by drift on before, seed 0")


def test_the_same_command_reads_the_trees_instead_of_parsing_again(proof, versions, monkeypatch):
    folder, results, *_ = proof
    monkeypatch.setattr(features, "GrammarSettings", partial(lw.GrammarSettings, **TINY))
    monkeypatch.setattr(Grammar, "parse", lambda self, texts: pytest.fail(f"parsed {texts[0]}") if texts else [])  # fmt: skip
    about = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(about | {"state": "running"}))
    settings = ProveSettings(models=("bow",), methods=METHODS, seeds=1, features="grammar", device="cpu")
    _, again = proved(*versions, tests={"later": pairs(30, day=900)}, settings=settings, out=folder)
    assert again["features"] == results["features"]
    assert again["rows"] == results["rows"]


def test_a_given_grammar_is_used_as_it_is(versions, grammar_run, tmp_path):
    settings = ProveSettings(models=("bow",), methods=("drift",), seeds=1, features=f"grammar:{grammar_run}")
    folder, results = proved(
        *versions, tests={"later": pairs(30, day=900)}, settings=settings, out=tmp_path / "run"
    )
    assert results["features"]["folder"] == str(grammar_run)
    assert not (folder / "grammar").exists()
    assert results["settings"]["grammar_fingerprint"] == features.fingerprint_of(grammar_run)


def test_a_stored_training_belongs_to_its_features(versions, grammar_run, tmp_path):
    asked = {}

    class Store(CellStore):
        def get(self, cell, key):
            asked[cell.method, sources.index(source)] = key
            return training.Trained(("maybe", "no", "yes"), {})

    grammar = Grammar.load(grammar_run)
    rules = features.GrammarRules(grammar, grammar_run, tmp_path / "trees.txt", Watcher())
    sources = [AuditPatterns(), rules]
    for source in sources:
        for method in ("erm", "jtt", "drift"):
            version = Version("before", versions[0], features=source)
            training._trained(Cell("before", "bow", method, 0), version, [], ProveSettings(), Store(tmp_path))
    assert asked["drift", 0] != asked["drift", 1]
    for method in ("erm", "jtt"):
        assert asked[method, 0] == asked[method, 1]


def test_rules_with_words_of_the_real_signal_are_left_out(versions, grammar_run, tmp_path):
    rules = features.GrammarRules(Grammar.load(grammar_run), grammar_run, tmp_path / "trees.txt", Watcher())
    rules.parse("before", versions[0])
    everything = rules.shortcuts_of(versions[0], ())
    without = rules.shortcuts_of(versions[0], ("person",))
    assert without.matrix.shape[1] < everything.matrix.shape[1]
    assert without.keep == (("person",),)


def test_rows_whose_rules_are_all_real_signal_count_as_parsed(versions, grammar_run, tmp_path):
    rules = features.GrammarRules(Grammar.load(grammar_run), grammar_run, tmp_path / "trees.txt", Watcher())
    rules.parse("before", versions[0])
    version = Version("before", versions[0], features=rules)
    assert version.training_data("drift").seen.tolist() == [True] * N + [False] * LONG
    known = rules.shortcuts_of(versions[0], ())
    rules.shortcuts_of = lambda *given: replace(known, matrix=known.matrix[:, :0])
    nothing = Version("before", versions[0], features=rules)
    assert nothing.training_data("drift").seen.tolist() == [True] * N + [False] * LONG


def test_pairs_may_be_as_long_as_in_the_run_of_the_grammar(versions, grammar_run, tmp_path):
    folder = tmp_path / "run"
    copytree(grammar_run, folder)
    tables = json.loads((folder / "tables.json").read_text())
    lengths = [len(words_of(one.context)) * len(words_of(one.text)) for one in examples_of(versions[0])]
    limit = max(n for n in lengths if n < 225)
    assert 0 < sum(n < limit for n in lengths) < N
    (folder / "tables.json").write_text(
        json.dumps(tables | {"settings": tables["settings"] | {"longest": limit}})
    )
    both = [
        features.GrammarRules(Grammar.load(each), each, tmp_path / "trees.txt", Watcher())
        for each in (grammar_run, folder)
    ]
    assert [rules.parse("before", versions[0]).parsed for rules in both] == [
        N,
        sum(n < limit for n in lengths),
    ]
    assert both[0].key != both[1].key


def test_long_sentences_in_parsed_rows_are_counted_and_said(tmp_path):
    rows = [
        {"text": f"It rains on day {i}. " + "So " * (150 * (i < 7)), "label": "ab"[i % 2]} for i in range(60)
    ]
    data, folder = lw.load(rows, text="text", label="label", context=""), tmp_path / "run"
    lw.grammar(data, lw.GrammarSettings(**TINY, classifier=None), out=folder)
    rules = features.GrammarRules(Grammar.load(folder), folder, tmp_path / "trees.txt", Watcher())
    counts = rules.parse("before", data)
    assert (counts.parsed, counts.too_long, counts.long_sentences) == (60, 0, 7)
    (concern,) = features.unparsed_concerns([counts])
    assert concern.text.startswith("before: 7 sentences are too long to parse.")


def test_trees_are_kept_line_by_line_and_a_damaged_line_is_parsed_again(grammar_run, tmp_path):
    grammar, path = Grammar.load(grammar_run), tmp_path / "trees.txt"
    units = [(["a", "man"], ["a", word]) for word in ("man", "woman", "dog")]
    trees = TreeFile(path).parse(grammar, units, Watcher())
    assert trees == grammar.parse(units)
    lines = [line for line in path.read_text().splitlines() if line]
    path.write_text("\n".join([*lines[:2], lines[2][:50]]))  # as a kill leaves it
    parsed = []

    class Counting(Grammar):
        def parse(self, texts, **options):
            parsed.extend(texts)
            return grammar.parse(texts)

    again = TreeFile(path).parse(Counting(grammar.model, grammar.vocabulary), units, Watcher())
    assert (again, len(parsed)) == (trees, 1)
    assert TreeFile(path).parse(grammar, units[:1], Watcher()) == trees[:1]


# ---- what cannot work is said before anything is trained -----------------------------------------------------------------


@pytest.mark.parametrize("given", ["rules", "grammar:", "patterns:x", ""])
def test_an_unknown_source_of_features_is_refused(given):
    with pytest.raises(SettingError, match="'features' must be patterns, grammar or grammar:FOLDER"):
        ProveSettings(methods=("drift",), features=given)


def test_features_without_a_method_that_knows_them_are_refused():
    with pytest.raises(SettingError, match=r"the methods are erm, jtt\. Add --method drift"):
        ProveSettings(methods=("erm", "jtt"), features="grammar")


def refused(before, after, folder, tmp_path, error, match):
    settings = ProveSettings(models=("bow",), methods=("drift",), seeds=1, features=f"grammar:{folder}")
    with pytest.raises(error, match=match):
        lw.prove(before, after, settings, tests={"later": pairs(30, day=900)}, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_folder_without_a_grammar_is_refused(versions, tmp_path):
    refused(*versions, tmp_path / "none", tmp_path, DataError, "No grammar can be read from")


def test_a_grammar_of_pairs_does_not_fit_single_texts(grammar_run, tmp_path):
    before, after, test = ([{"text": f"{opening}it rains on day {day + i}", "label": "ab"[i % 2]} for i in range(20)] for opening, day in (("", 0), ("well, ", 0), ("", 90)))  # fmt: skip
    settings = ProveSettings(models=("bow",), methods=("drift",), seeds=1, features=f"grammar:{grammar_run}")
    with pytest.raises(SettingError, match="is one of pairs, and the data are single texts"):
        lw.prove(before, after, settings, tests={"t": test}, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_data_of_which_no_row_can_be_parsed_is_refused(grammar_run, tmp_path):
    long = pairs(0, day=0, long=9)
    rules = features.GrammarRules(Grammar.load(grammar_run), grammar_run, tmp_path / "trees.txt", Watcher())
    with pytest.raises(DataError, match=r"can parse no row of before\. 9 pairs were not parsed"):
        rules.parse("before", long)
