"""A grammar run on invented pairs and texts: real, tiny trainings."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import longway as lw
from longway.errors import DataError, MissingExtra, RunError, SettingError, TrainingError
from longway.grammars.trees import nodes, read_brackets, sides
from longway.jobs.audit import grammar_level as audit_grammar
from longway.jobs.audit.job import audit
from longway.jobs.audit.settings import AuditSettings, levels_named
from longway.jobs.grammar import induced as recipe
from longway.jobs.grammar import job
from longway.jobs.grammar.induced import LengthLimits, in_turn, labels_as, sample_rows, split_off
from longway.jobs.grammar.tables import result_of
from longway.jobs.held_out import arrange
from longway.jobs.run import Watcher
from tests.jobs.toy_pairs import toy_dataset, toy_pairs

TINY = lw.GrammarSettings(nonterminals=3, preterminals=6, dimension=8, epochs=2, device="cpu")


def induce(data):
    arranged = arrange(data)
    sizes = TINY.sizes("cpu", pair=arranged.dataset.columns.context is not None, rows=63)
    return recipe.induce_grammar(arranged, TINY, sizes, "cpu", Watcher())


@pytest.fixture(scope="module")
def induced():
    return induce(toy_dataset(150, long=2))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "toy"
    return lw.grammar(toy_dataset(150), TINY, out=folder)


class Steps(Watcher):
    """Collects the steps of a run; raises in the step that begins with `stop`."""

    def __init__(self, stop=None):
        self.steps, self.stop = [], stop

    def step(self, name):
        self.steps.append(name)
        if self.stop and name.startswith(self.stop):
            raise Stopped


def test_labels_take_turns_until_one_has_no_rows_left():
    labels = np.array([0] * 50 + [1] * 20 + [2] * 3)
    turns = labels[in_turn(labels)].tolist()
    assert turns[:9] == [0, 1, 2] * 3
    assert turns[9:43] == [0, 1] * 17
    assert set(turns[43:]) == {0}
    assert sorted(in_turn(labels).tolist()) == list(range(73))


def test_a_sample_has_as_many_rows_of_each_label_as_there_are():
    data = toy_dataset(90, long=6)
    rows, labels = labels_as(data, data.labels)
    found = sample_rows(data, rows, labels, seed=1, limit=30)
    assert np.bincount([document.label for document in found.rows]).tolist() == [10, 10, 10]
    assert [document.place for document in found.rows] == sorted(d.place for d in found.rows)
    everything = sample_rows(data, rows, labels, seed=1, limit=None)
    assert (len(everything.rows), everything.long_rows) == (90, 6)
    assert "6 pairs were not parsed" in everything.problems(pair=True)[0].message


def test_a_sample_is_full_where_one_label_has_few_rows_and_many_are_too_long():
    short = [{"text": "it is fine", "label": "common"}] * 80
    long = [{"text": "so " * 200, "label": "common"}] * 160
    data = lw.load([{"text": "it is odd", "label": "rare"}] * 5 + short + long)
    rows, labels = labels_as(data, data.labels)
    for wanted in ({"limit": 60}, {"texts": 60}):
        found = sample_rows(data, rows, labels, seed=0, **wanted)
        assert np.bincount([document.label for document in found.rows]).tolist() == [55, 5]
    assert len(sample_rows(data, rows, labels, seed=0, limit=200).rows) == 85


def test_a_pair_with_one_long_side_is_told_as_such():
    data = lw.load(
        [{"text": "so " * 129, "context": "", "label": "ab"[i]} for i in range(2)], context="context"
    )
    found = sample_rows(data, *labels_as(data, data.labels), seed=0)
    (told,) = found.problems(pair=True)
    assert told.message.startswith("2 pairs were not parsed")
    assert told.message.endswith("or one side has more than 128.")


def test_a_pair_is_context_then_text_and_a_text_is_its_sentences():
    pair = toy_dataset(3)
    (document,) = sample_rows(pair, *labels_as(pair, pair.labels), seed=0, limit=1).rows
    ((first, second),) = document.units
    assert (first, second) == (
        document.example.context.lower().split(),
        document.example.text.lower().split(),
    )
    texts = lw.load([{"text": "Fine. " + "So " * 200, "label": "a"}, {"text": "One. Two!", "label": "b"}])
    found = sample_rows(texts, *labels_as(texts, texts.labels), seed=0, limit=None)
    assert [document.units for document in found.rows] == [
        ((["fine", "."], []),),
        ((["one", "."], []), (["two", "!"], [])),
    ]
    assert (found.long_sentences, found.long_rows) == (1, 0)


def test_sentences_are_taken_until_there_are_enough():
    rows = [{"text": "One. Two. Three.", "label": "ab"[i % 2]} for i in range(40)]
    data = lw.load(rows)
    found = sample_rows(data, *labels_as(data, data.labels), seed=0, texts=12)
    assert (len(found.rows), found.units) == (4, 12)


def test_a_part_of_each_label_is_held_out_and_no_row_is_in_both():
    data = toy_dataset(60)
    documents = sample_rows(data, *labels_as(data, data.labels), seed=0, limit=None).rows
    learned, held_out = split_off(documents, 0.15, 0)
    assert np.bincount([document.label for document in held_out]).tolist() == [3, 3, 3]
    places = [document.place for document in (*learned, *held_out)]
    assert sorted(places) == list(range(60))


def test_a_rare_label_is_not_held_out_as_a_whole():
    data = lw.load([{"text": "it is", "label": "rare" if i < 3 else "common"} for i in range(60)])
    documents = sample_rows(data, *labels_as(data, data.labels), seed=0).rows
    for seed in range(5):
        learned, held_out = split_off(documents, 0.15, seed)
        assert len(held_out) == 9
        assert sum(document.example.label == "rare" for document in learned) >= 2


def rows_of(**texts):
    """What is taken of a dataset with twenty-six rows for each label, all with this text."""
    data = lw.load([{"text": text, "label": label} for label, text in texts.items() for _ in range(26)])
    arranged = arrange(data)
    sizes = TINY.sizes("cpu", pair=False, rows=52)
    return recipe.rows_to_parse(arranged, recipe.Reading.of(arranged.dataset), TINY, sizes)


def test_a_label_whose_texts_are_all_too_long_is_told():
    *_, problems = rows_of(a="it is", b="it was", c="so " * 200)
    assert "no row of the label 'c'" in next(one.message for one in problems if one.kind == "lost_label")
    with pytest.raises(DataError, match="They have 1, and none of 'b'"):
        rows_of(a="it is", b="so " * 200)
    with pytest.raises(DataError, match=r"52 rows have no other\. Give more rows, or shorter texts"):
        rows_of(a="so " * 200, b="so " * 200)


def test_rows_with_labels_that_were_not_learned_are_left_out():
    data = toy_dataset(6)
    _, labels = labels_as(data, ("no", "yes"))
    assert sorted(set(labels.tolist())) == [-1, 0, 1]


def test_every_parsed_row_has_the_tree_of_its_words(induced):
    assert len(induced.learned.rows) + len(induced.held_out.rows) == 150
    for part in (induced.learned, induced.held_out):
        for document, trees in zip(part.rows, part.trees, strict=True):
            known = induced.grammar.vocabulary.known
            expected = [tuple(tuple(known(side)) for side in unit) for unit in document.units]
            assert [sides(tree) for tree in trees] == expected


def test_findings_are_of_the_level_grammar_and_name_rows_that_have_them(induced):
    assert induced.findings_dict()["tested"].keys() == {"grammar"}
    assert induced.findings, "a swapped subject is tied to a label"
    rows = {document.example.id: document.example for document in induced.learned.rows}
    for finding in induced.findings:
        assert (finding.level, finding.field) == ("grammar", "hypothesis + premise")
        assert all(rows[id_].label == finding.label for id_ in finding.supporting)
        assert not any(rows[id_].label == finding.label for id_ in finding.counter)
    assert {kind.level for kind in induced.kinds} == {"grammar"}


def test_the_tables_are_json_and_their_pictures_show_what_they_mark(induced):
    result = result_of(induced)
    tables = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert lw.GrammarResult.from_dict(tables) == result
    assert tables["classifier"]["rows"] == len(induced.held_out.rows)
    assert any("2 pairs were not parsed" in problem["message"] for problem in tables["problems"])
    assert tables["composites"][0]["name"] == "added: to or for"
    has_q = [row["q"] is not None for row in tables["composites"]]
    assert has_q == sorted(has_q, reverse=True)
    assert True in has_q
    assert False in has_q
    significant = {(row["root"], row["label"]) for row in tables["composites"] if row["q"] is not None}
    assert {(one["root"], one["composite"]) for one in tables["pictures"]} <= significant
    tested = [row for row in tables["composites"] if row["accuracy"] is not None]
    assert {(row["root"], row["label"]) for row in tested} <= significant
    assert tested[0]["accuracy"]["supporting"]["n"] > 0
    for row in tables["composites"]:
        assert sum(row["counts"].values()) == row["count"]
        assert all(example["text"] and example["context"] for example in row["examples"])
        assert row["share"] == pytest.approx(row["counts"][row["label"]] / row["count"])
        if row["same_as"] is not None:
            other = tables["composites"][row["same_as"]]
            assert (other["label"], other["same_as"]) == (row["label"], None)
    assert any(row["same_as"] is not None for row in tables["composites"])
    first = tables["composites"][0]["examples"]
    assert len(first) == 3
    assert {one["text"][start:end] for one in first for start, end in one["marks"]} == {"to", "for"}
    for picture in tables["pictures"]:
        found = list(nodes(read_brackets(picture["tree"])))
        words = [" ".join(part) or "ε" for part in sides(found[picture["marks"][0]])]
        assert "/".join(words) == picture["marked"]
        assert (picture["label"] == picture["composite"]) == (picture["side"] == "supporting")
    drawn = [(picture["root"], picture["composite"], picture["side"]) for picture in tables["pictures"]]
    assert set(Counter(drawn).values()) <= {1, 2}
    assert all(n == 1 for (*_, side), n in Counter(drawn).items() if side == "counter")
    marked = [(*of, picture["marked"]) for of, picture in zip(drawn, tables["pictures"], strict=True)]
    assert len(marked) == len(set(marked))
    assert tables["settings"]["batch"] == 16
    for one in tables["wrong"]:
        assert one["answer"] != one["label"]
        assert one["rules"][0]["ratio"] > 1


def test_kinds_are_findings_with_their_evidence(induced):
    significant = [kind for kind in induced.composites if kind.is_significant(0.05)]
    assert [(kind.q, kind.count) for kind in induced.kinds] == [
        (kind.evidence.q, kind.composite.count) for kind in significant
    ]
    assert induced.kinds[0].pattern.name == "added: to or for"


class CannotLearn:
    def fit(self, rows):
        raise TrainingError("The loss became not-a-number.")


def test_a_classifier_that_cannot_be_trained_costs_its_tables_only(induced, monkeypatch):
    monkeypatch.setattr("longway.jobs.grammar.tables.model_named", lambda *args, **options: CannotLearn())
    result = result_of(induced)
    assert (result.classifier, result.wrong) == (None, ())
    assert result.composites
    problem = next(problem for problem in result.problems if problem.kind == "no_classifier")
    assert problem.next_step == "The loss became not-a-number."


def test_an_unknown_classifier_is_an_error_before_anything_is_done(tmp_path):
    watcher = Steps()
    with pytest.raises(SettingError, match="nosuch"):
        lw.grammar(toy_dataset(150), TINY, classifier="nosuch", out=tmp_path / "run", watcher=watcher)
    assert watcher.steps == []
    assert not (tmp_path / "run").exists()


def test_findings_are_written_even_if_the_tables_fail(induced, monkeypatch, tmp_path):
    def fails(*args):
        raise Stopped

    monkeypatch.setattr(job, "induce_grammar", lambda *args: induced)
    monkeypatch.setattr(job, "result_of", fails)
    with pytest.raises(Stopped):
        lw.grammar(toy_dataset(150, long=2), TINY, out=tmp_path / "run")
    assert json.loads((tmp_path / "run" / "findings.json").read_text(encoding="utf-8"))["findings"]


def test_a_validation_split_is_held_out_where_there_is_one():
    rows = toy_pairs(60, split=lambda i: "dev" if i % 6 == 5 or i % 6 == 0 else "train")
    data = lw.load(rows, text="hypothesis", context="premise", label="label", id="id")
    arranged = arrange(data)
    reading = recipe.Reading.of(arranged.dataset)
    sizes = TINY.sizes("cpu", pair=True, rows=60)
    learned, held_out, name, _ = recipe.rows_to_parse(arranged, reading, TINY, sizes)
    assert (len(learned), len(held_out), name) == (40, 20, "dev")


def test_the_run_folder_holds_the_grammar_the_trees_and_the_tables(finished):
    names = "findings.json grammar.json grammar.safetensors report.html run.json tables.json trees.txt"
    assert sorted(path.name for path in finished.folder.iterdir()) == names.split()
    trees = (finished.folder / "trees.txt").read_text(encoding="utf-8")
    lines = [line.split("\t") for line in trees.splitlines()]
    assert {name for name, _, _ in lines} == {"learned", "held out"}
    assert sorted(id_ for _, id_, _ in lines) == sorted(f"p{i}" for i in range(150))
    from longway.grammars.parser import Grammar

    read = Grammar.load(finished.folder)
    tree, row = lines[0][2], toy_pairs(150)[int(lines[0][1][1:])]
    assert read.parse([(row["premise"].lower().split(), row["hypothesis"].lower().split())]) == [
        read_brackets(tree)
    ]
    assert finished.grammar.epochs == 2


def test_a_finished_run_is_read_and_another_one_refused(finished):
    again = lw.grammar(toy_dataset(150), TINY, out=finished.folder)
    assert again == finished
    assert (again.findings, again.kinds) == (finished.findings, finished.kinds)
    assert again.findings
    with pytest.raises(RunError, match="seed"):
        lw.grammar(toy_dataset(150), seed=3, device="cpu", out=finished.folder)


def test_a_result_is_a_frame_of_phrases_and_has_the_learned_grammar(finished):
    frame = finished.to_frame()
    assert frame["root"].to_list() == [kind.root for kind in finished.composites]
    (tree,) = finished.model.parse([(["a", "man", "sits"], ["a", "woman", "sits"])])
    assert len(sides(tree)[0]) == 3


class Stopped(BaseException):
    pass


def test_a_run_that_is_stopped_goes_on_from_its_last_epoch(finished, tmp_path):
    data, stopped, resumed = toy_dataset(150), Steps(stop="epoch 2"), Steps()
    with pytest.raises(Stopped):
        lw.grammar(data, TINY, out=tmp_path / "run", watcher=stopped)
    assert any(name.startswith("epoch 1") for name in stopped.steps)
    result = lw.grammar(data, TINY, out=tmp_path / "run", watcher=resumed)
    assert not any(name.startswith("epoch 1") for name in resumed.steps)
    assert any(name.startswith("epoch 2") for name in resumed.steps)
    assert not (result.folder / recipe.CHECKPOINT).exists()
    for file in ("trees.txt", "grammar.safetensors"):
        assert (result.folder / file).read_bytes() == (finished.folder / file).read_bytes()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"nonterminals": 0}, "'nonterminals' must be 1 or more"),
        ({"max_q": 0}, "'max_q' must be"),
        ({"device": "tpu"}, "auto, cpu, cuda"),
        ({"seed": -1}, "'seed' must be"),
    ],
)
def test_an_impossible_setting_is_an_error(settings, words):
    with pytest.raises(SettingError, match=words):
        lw.GrammarSettings(**settings)


def test_the_sizes_are_the_papers_on_a_gpu_and_smaller_on_a_cpu():
    usual = lw.GrammarSettings()
    gpu = usual.sizes("cuda", pair=True, rows=65_000)
    assert (gpu.nonterminals, gpu.preterminals, gpu.dimension) == (32, 64, 256)
    assert (gpu.epochs, gpu.texts) == (10, None)
    cpu = usual.sizes("cpu", pair=False, rows=65_000)
    assert (cpu.nonterminals, cpu.preterminals, cpu.texts) == (16, 32, 4000)
    asked = lw.GrammarSettings(preterminals=7, limit=50).sizes("cpu", pair=True, rows=65_000)
    assert (asked.preterminals, asked.texts) == (7, None)


def test_with_paper_all_settings_are_those_of_appendix_b():
    paper = lw.GrammarSettings(paper=True)
    pairs, sentences = paper.sizes("cuda", pair=True, rows=99_000), paper.sizes("cpu", pair=False, rows=99)
    for sizes in (pairs, sentences):
        assert (sizes.nonterminals, sizes.preterminals, sizes.dimension, sizes.texts) == (32, 64, 256, None)
    assert (pairs.epochs, pairs.batch, pairs.check) == (10, 4, 16384)
    assert (pairs.rows, pairs.held_out) == (65000, 16000)
    assert (sentences.epochs, sentences.batch, sentences.check, sentences.rows) == (40, 16, 65536, None)
    assert (paper.learning_rate, paper.patience, paper.words, paper.longest) == (1e-3, 5, 20000, 225)
    assert paper.classifier == "hf:google-bert/bert-base-uncased-full"
    assert paper.tuning() == {
        "learning_rate": 1e-5, "batch": 16, "epochs": 20, "check": 4096, "patience": 5, "warm_up": None,
    }  # fmt: skip
    recorded = paper.recorded(pairs, batch=4, device="cuda")
    assert (recorded.epochs, recorded.check) == (10, 16384)
    chosen = lw.GrammarSettings(paper=True, batch=8, limit=99, classifier="bow", epochs=3)
    assert (chosen.classifier, chosen.tuning()) == ("bow", {})
    sizes = chosen.sizes("cuda", pair=True, rows=99_000)
    assert (sizes.batch, sizes.rows, sizes.epochs, sizes.check) == (8, 99, 3, 16384)


def test_the_settings_of_the_training_reach_it_and_are_recorded(monkeypatch):
    given = {}

    def learn(texts, *, settings, **others):
        given["settings"] = settings
        raise Stopped

    monkeypatch.setattr("longway.grammars.induction.induce", learn)
    options = {"words": 50, "batch": 3, "learning_rate": 0.01, "check": 7, "patience": 2, "device": "cpu"}
    with pytest.raises(Stopped):
        lw.grammar(toy_dataset(63), **options)
    assert {name: getattr(given["settings"], name) for name in options} == options


def test_shorter_pairs_only_are_parsed_where_asked(induced):
    longest = max(len(first) * len(second) for row in induced.learned.rows for first, second in row.units)
    settings = replace(TINY, longest=longest)
    arranged = arrange(toy_dataset(63, long=2))
    sizes = settings.sizes("cpu", pair=True, rows=63)
    learned, held_out, *_ = recipe.rows_to_parse(
        arranged, recipe.Reading.of(arranged.dataset), settings, sizes
    )
    assert len(learned) + len(held_out) < len(induced.learned.rows) + len(induced.held_out.rows)
    assert all(len(a) * len(b) < longest for row in (*learned, *held_out) for a, b in row.units)


def test_an_encoder_that_cannot_be_read_is_an_error_before_anything_is_done(tmp_path):
    pytest.importorskip("transformers")
    watcher = Steps()
    with pytest.raises(SettingError, match=r"cannot be read.*--classifier none"):
        lw.grammar(toy_dataset(63), TINY, classifier=f"hf:{tmp_path}-full", watcher=watcher)
    assert watcher.steps == []


@pytest.mark.parametrize(
    ("device", "pair", "rows", "limit", "symbols", "epochs"),
    [
        ("cpu", False, 150, None, (4, 12), 40),
        ("cpu", True, 150, None, (4, 12), 33),
        ("cpu", True, 65_000, None, (8, 24), 5),  # a sample of 1,000
        ("cpu", True, 65_000, 300, (4, 12), 16),
        ("cuda", True, 150, None, (4, 12), 10),
        ("cuda", False, 5_000, None, (16, 32), 40),
        ("cuda", True, 65_000, 2_000, (8, 24), 10),
    ],
)
def test_few_rows_get_fewer_symbols_and_more_passes(device, pair, rows, limit, symbols, epochs):
    sizes = lw.GrammarSettings(limit=limit).sizes(device, pair=pair, rows=rows)
    assert (sizes.nonterminals, sizes.preterminals) == symbols
    assert sizes.epochs == epochs


def test_too_few_rows_and_a_missing_torch_are_told(monkeypatch):
    with pytest.raises(DataError, match="At least 20 are needed"):
        lw.grammar(toy_dataset(12), TINY)
    monkeypatch.setattr(recipe, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="neural"):
        lw.grammar(toy_dataset(60), TINY)


SHORT = LengthLimits(pair=42, sentence=20)


@pytest.fixture
def tiny_level(monkeypatch):
    """The grammar level of an audit, real and tiny."""
    monkeypatch.setattr("longway.jobs.audit.job.grammar_detector", audit_grammar.grammar_detector)
    for name, value in {
        "FEWEST": 60,
        "SYMBOLS": (3, 6),
        "DIMENSION": 8,
        "EPOCHS": 2,
        "QUICK": 60.0,
        "SIZES": {True: [(42, 90), (400, 80)], False: [(42, 60)]},
    }.items():
        monkeypatch.setattr(audit_grammar, name, value)


def test_an_audit_looks_at_the_grammar_of_a_sample_and_says_so(tiny_level):
    data = toy_dataset(150)
    found = audit(data)
    assert found.tested["grammar"] > 0
    of_grammar = [finding for finding in found.findings if finding.level == "grammar"]
    assert all(finding.count <= 90 and not finding.pattern.place for finding in of_grammar)
    assert [finding.gain for finding in found.findings] == sorted(
        (f.gain for f in found.findings), reverse=True
    )
    assert any("sample of 90 of 150 rows" in problem.message for problem in found.problems)


def test_an_audit_names_grammar_patterns_in_plain_english(tiny_level):
    names = [finding.pattern.name for finding in audit(toy_dataset(150), levels=("grammar",)).findings]
    assert names
    assert not any(set("ε/") & set(name) for name in names)
    assert any(name.startswith("added: ") for name in names)


def test_a_slow_grammar_level_is_left_out_unless_it_is_asked_for(tiny_level, monkeypatch):
    monkeypatch.setattr(audit_grammar, "QUICK", 4.0)
    data = toy_dataset(150)
    found = audit(data)
    assert "grammar" not in found.tested
    assert {"token", "ngram", "length"} <= set(found.tested)
    (noted,) = [problem for problem in found.problems if problem.kind == "no_grammar"]
    assert noted.message.endswith("was left out: it takes about 13 s longer.")  # 3 + 1.7 * 2 * 3
    assert "--levels all" in noted.next_step
    assert "longway grammar" in noted.next_step
    asked = audit(data, levels="all")
    assert asked.tested["grammar"] > 0
    assert audit(data, levels=("token", "grammar")).tested["grammar"] > 0


def test_texts_of_many_sentences_are_looked_at_by_their_first_ones(tiny_level):
    rows = [
        {"text": ("It is fine. " if i % 2 else "It was bad. ") * 20, "label": "ab"[i % 2]} for i in range(70)
    ]
    data = lw.load(rows)
    detector, (told,) = audit_grammar.grammar_detector(data, recipe.Reading.of(data), seed=0)
    assert detector.forest.n_documents == 60
    assert told.message.endswith(
        "60 of 70 rows: short ones, the labels taking turns; no more than the first 1 short sentences of a row."
    )


def test_where_too_few_pairs_are_short_longer_ones_are_looked_at(tiny_level):
    words = ["man", "woman", "dog", "child", "girl", "boy"]
    rows = [
        {"premise": f"the {words[i % 6]} goes down the long street with a red bag", "hypothesis": f"a {words[i % 5]} is out there", "label": "ab"[i % 2]}
        for i in range(100)
    ]  # fmt: skip
    data = lw.load(rows, text="hypothesis", context="premise", label="label")
    detector, (told,) = audit_grammar.grammar_detector(data, recipe.Reading.of(data), seed=0)
    assert detector.forest.n_documents == 80
    assert "sample of 80 of 100 rows" in told.message


def test_levels_are_chosen_by_name(tiny_level):
    data = toy_dataset(150)
    found = audit(data, settings=AuditSettings(levels=levels_named("token, ngram")))
    assert set(found.tested) == {"token", "ngram"}
    assert "grammar" not in audit(data, settings=AuditSettings(levels=levels_named("-grammar"))).tested
    for wrong in ("tokens", "-tokens", " , "):
        with pytest.raises(SettingError, match="level"):
            AuditSettings(levels=levels_named(wrong))


def test_a_level_that_cannot_be_looked_at_is_told(tiny_level, monkeypatch):
    few = pl.DataFrame({"text": ["Fine."] * 40, "label": ["a", "b"] * 20})
    found = audit(lw.load(few))
    assert "grammar" not in found.tested
    assert not [problem for problem in found.problems if problem.kind == "no_grammar"]
    long = lw.load(toy_pairs(30, long=60), text="hypothesis", context="premise", label="label", id="id")
    alone = audit(
        long, settings=AuditSettings(levels=levels_named("grammar"))
    )  # and nothing is left to look at
    assert not alone.tested
    assert not alone.findings
    told = [problem for problem in alone.problems if problem.kind == "no_grammar"]
    assert "30 rows have pairs" in told[0].message
    monkeypatch.setattr(audit_grammar, "find_spec", lambda name: None)
    (told,) = [problem for problem in audit(toy_dataset(150)).problems if problem.kind == "no_grammar"]
    assert "needs torch" in told.message
