"""A grammar run on invented pairs and texts: real, tiny trainings."""

import json
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

import longway as lw
from longway.detect.findings import search
from longway.errors import DataError, MissingExtra, RunError, SettingError, TrainingError
from longway.grammar.information import composites
from longway.grammar.trees import nodes, read_brackets, sides
from longway.jobs.audit import grammar_level as audit_grammar
from longway.jobs.audit.job import audit
from longway.jobs.audit.settings import AuditSettings, levels_named
from longway.jobs.grammar import grammar as recipe
from longway.jobs.grammar import grammar_settings
from longway.jobs.grammar.grammar_rows import Limits, gather, in_turn, labels_as, split_off
from longway.jobs.grammar.grammar_tables import _texts as texts_of
from longway.jobs.grammar.grammar_tables import findings_of, tables_of
from tests.jobs.toy_pairs import toy_dataset, toy_pairs

TINY = lw.GrammarSettings(nonterminals=3, preterminals=6, dimension=8, epochs=2, device="cpu")


@pytest.fixture(scope="module")
def induced():
    return lw.induce_grammar(toy_dataset(63, long=2), settings=TINY)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "toy"
    return lw.run_grammar(toy_dataset(63), settings=TINY, out=folder)


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
    found = gather(data, rows, labels, seed=1, limit=30)
    assert np.bincount([document.label for document in found.documents]).tolist() == [10, 10, 10]
    assert [document.place for document in found.documents] == sorted(d.place for d in found.documents)
    everything = gather(data, rows, labels, seed=1, limit=None)
    assert (len(everything.documents), everything.long_rows) == (90, 6)
    assert "6 pairs were not parsed" in everything.problems(Limits(), pair=True)[0].message


def test_a_sample_is_full_where_one_label_has_few_rows_and_many_are_too_long():
    short = [{"text": "it is fine", "label": "common"}] * 80
    long = [{"text": "so " * 200, "label": "common"}] * 160
    data = lw.load([{"text": "it is odd", "label": "rare"}] * 5 + short + long)
    rows, labels = labels_as(data, data.labels)
    for wanted in ({"limit": 60}, {"texts": 60}):
        found = gather(data, rows, labels, seed=0, **wanted)
        assert np.bincount([document.label for document in found.documents]).tolist() == [55, 5]
    assert len(gather(data, rows, labels, seed=0, limit=200).documents) == 85


def test_a_pair_with_one_long_side_is_told_as_such():
    data = lw.load(
        [{"text": "so " * 129, "context": "", "label": "ab"[i]} for i in range(2)], context="context"
    )
    found = gather(data, *labels_as(data, data.labels), seed=0)
    (told,) = found.problems(Limits(), pair=True)
    assert told.message.startswith("2 pairs were not parsed")
    assert told.message.endswith("or one side has more than 128.")


def test_a_pair_is_context_then_text_and_a_text_is_its_sentences():
    pair = toy_dataset(3)
    (document,) = gather(pair, *labels_as(pair, pair.labels), seed=0, limit=1).documents
    ((first, second),) = document.units
    assert (first, second) == (
        document.example.context.lower().split(),
        document.example.text.lower().split(),
    )
    texts = lw.load([{"text": "Fine. " + "So " * 200, "label": "a"}, {"text": "One. Two!", "label": "b"}])
    found = gather(texts, *labels_as(texts, texts.labels), seed=0, limit=None)
    assert [document.units for document in found.documents] == [
        ((["fine", "."], []),),
        ((["one", "."], []), (["two", "!"], [])),
    ]
    assert (found.long_sentences, found.long_rows) == (1, 0)


def test_sentences_are_taken_until_there_are_enough():
    rows = [{"text": "One. Two. Three.", "label": "ab"[i % 2]} for i in range(40)]
    data = lw.load(rows)
    found = gather(data, *labels_as(data, data.labels), seed=0, texts=12)
    assert (len(found.documents), found.units) == (4, 12)


def test_a_part_of_each_label_is_held_out_and_no_row_is_in_both():
    data = toy_dataset(60)
    documents = gather(data, *labels_as(data, data.labels), seed=0, limit=None).documents
    learned, held_out = split_off(documents, 0.15, 0)
    assert np.bincount([document.label for document in held_out]).tolist() == [3, 3, 3]
    places = [document.place for document in (*learned, *held_out)]
    assert sorted(places) == list(range(60))


def test_a_rare_label_is_not_held_out_as_a_whole():
    data = lw.load([{"text": "it is", "label": "rare" if i < 3 else "common"} for i in range(60)])
    documents = gather(data, *labels_as(data, data.labels), seed=0).documents
    for seed in range(5):
        learned, held_out = split_off(documents, 0.15, seed)
        assert len(held_out) == 9
        assert sum(document.example.label == "rare" for document in learned) >= 2


def rows_of(**texts):
    """What is taken of a dataset with twenty-six rows for each label, all with this text."""
    data = lw.load([{"text": text, "label": label} for label, text in texts.items() for _ in range(26)])
    arranged = recipe.arrange(data)
    sizes = TINY.sizes("cpu", pair=False)
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
    assert len(induced.learned.documents) + len(induced.held_out.documents) == 63
    for part in (induced.learned, induced.held_out):
        for document, trees in zip(part.documents, part.trees, strict=True):
            known = induced.grammar.vocabulary.known
            expected = [tuple(tuple(known(side)) for side in unit) for unit in document.units]
            assert [sides(tree) for tree in trees] == expected


def test_findings_are_of_the_level_grammar_and_name_rows_that_have_them(induced):
    findings = findings_of(induced)
    assert findings["tested"].keys() == {"grammar"}
    assert induced.findings, "a swapped subject is tied to a label in 53 rows"
    rows = {document.example.id: document.example for document in induced.learned.documents}
    for finding in induced.findings:
        assert (finding.level, finding.field) == ("grammar", "hypothesis + premise")
        assert all(rows[id_].label == finding.label for id_ in finding.supporting)
        assert not any(rows[id_].label == finding.label for id_ in finding.counter)
    assert {kind.level for kind in induced.kinds} == {"grammar"}


def test_the_tables_are_json_and_their_pictures_show_what_they_mark(induced):
    tables = json.loads(json.dumps(tables_of(induced), allow_nan=False))
    assert tables["classifier"]["rows"] == len(induced.held_out.documents)
    assert any("2 pairs were not parsed" in problem["message"] for problem in tables["problems"])
    assert tables["composites"]
    for row in tables["composites"]:
        assert sum(row["counts"].values()) == row["count"]
        assert row["share"] == pytest.approx(row["counts"][row["label"]] / row["count"])
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
    for row in tables["versions"]:
        ours, words = row["versions"][:2]
        assert ours["supporting"] <= words["supporting"], (
            "where the tree has the phrases, the texts have them"
        )
    for one in tables["wrong"]:
        assert one["answer"] != one["label"]
        assert one["rules"][0]["ratio"] > 1


def test_a_kind_has_the_q_of_its_surest_subtree_even_if_that_is_no_finding(induced, monkeypatch):
    monkeypatch.setattr(recipe, "_induce", lambda *args: induced.grammar)
    monkeypatch.setattr(recipe, "search", partial(search, per_level=1))
    data = toy_dataset(63, long=2)
    few = lw.induce_grammar(data, settings=TINY)
    reading = recipe.Reading.of(data)
    detector = recipe.GrammarDetector(
        reading, few.learned.trees, places=[one.place for one in few.learned.documents]
    )
    q = {one.key: one.finding.q for one in search(reading, detectors=[detector], per_level=10**6).chosen}
    kinds = composites(few.forest, few.learned.labels, 3)
    told = [row["q"] for row in tables_of(few)["composites"]]
    assert told == [min((q[one] for one in kind.subtrees if one in q), default=None) for kind in kinds[:40]]
    assert sum(one is not None for one in told) > len(few.kinds)


def test_a_row_has_no_phrase_across_two_of_its_sentences(induced):
    texts = lw.load([{"text": "One man. Two dogs.", "label": "a"}])
    documents = gather(texts, *labels_as(texts, texts.labels), seed=0).documents
    ((first, _),) = texts_of(recipe.Part("learned", documents, []), list)
    assert [word for word in first if word.strip()] == ["one", "man", ".", "two", "dogs", "."]
    assert (".", "two") not in set(pairwise(first))


class CannotLearn:
    def fit(self, rows):
        raise TrainingError("The loss became not-a-number.")


def test_a_classifier_that_cannot_be_trained_costs_its_tables_only(induced, monkeypatch):
    monkeypatch.setattr(
        "longway.jobs.grammar.grammar_tables.model_named", lambda *args, **options: CannotLearn()
    )
    tables = tables_of(induced)
    assert (tables["classifier"], tables["wrong"]) == (None, [])
    assert tables["composites"]
    told = next(problem for problem in tables["problems"] if problem["kind"] == "no_classifier")
    assert told["next_step"] == "The loss became not-a-number."


def test_a_classifier_that_there_is_not_is_told_before_anything_is_done(tmp_path):
    told = []
    with pytest.raises(SettingError, match="nosuch"):
        lw.run_grammar(
            toy_dataset(63),
            settings=replace(TINY, classifier="nosuch"),
            out=tmp_path / "run",
            step=told.append,
        )
    assert told == []
    assert not (tmp_path / "run").exists()


def test_findings_are_written_even_if_the_tables_fail(induced, monkeypatch, tmp_path):
    def fails(*args):
        raise Stopped

    monkeypatch.setattr("longway.jobs.grammar.run_grammar.induce_grammar", lambda *args, **options: induced)
    monkeypatch.setattr("longway.jobs.grammar.run_grammar.tables_of", fails)
    with pytest.raises(Stopped):
        lw.run_grammar(toy_dataset(63, long=2), settings=TINY, out=tmp_path / "run")
    assert json.loads((tmp_path / "run" / "findings.json").read_text(encoding="utf-8"))["findings"]


def test_a_validation_split_is_held_out_where_there_is_one():
    rows = toy_pairs(60, split=lambda i: "dev" if i % 6 == 5 or i % 6 == 0 else "train")
    data = lw.load(rows, text="hypothesis", context="premise", label="label", id="id")
    arranged = recipe.arrange(data)
    reading = recipe.Reading.of(arranged.dataset)
    sizes = TINY.sizes("cpu", pair=True)
    learned, held_out, name, _ = recipe.rows_to_parse(arranged, reading, TINY, sizes)
    assert (len(learned), len(held_out), name) == (40, 20, "dev")


def test_the_run_folder_holds_the_grammar_the_trees_and_the_tables(finished):
    run, tables = finished
    assert sorted(path.name for path in run.folder.iterdir()) == [
        "findings.json",
        "grammar.json",
        "grammar.safetensors",
        "report.html",
        "run.json",
        "tables.json",
        "trees.txt",
    ]
    lines = [line.split("\t") for line in (run.folder / "trees.txt").read_text(encoding="utf-8").splitlines()]
    assert {name for name, _, _ in lines} == {"learned", "held out"}
    assert sorted(id_ for _, id_, _ in lines) == sorted(f"p{i}" for i in range(63))
    from longway.grammar.parser import Grammar

    read = Grammar.load(run.folder)
    tree, row = lines[0][2], toy_pairs(63)[int(lines[0][1][1:])]
    assert read.parse([(row["premise"].lower().split(), row["hypothesis"].lower().split())]) == [
        read_brackets(tree)
    ]
    assert tables["grammar"]["epochs"] == 2


def test_a_finished_run_is_read_and_another_one_refused(finished):
    run, tables = finished
    again, same = lw.run_grammar(toy_dataset(63), settings=TINY, out=run.folder)
    assert (again.folder, same) == (run.folder, tables)
    with pytest.raises(RunError, match="seed"):
        lw.run_grammar(toy_dataset(63), settings=lw.GrammarSettings(seed=3, device="cpu"), out=run.folder)


class Stopped(BaseException):
    pass


def test_a_run_that_is_stopped_goes_on_from_its_last_epoch(finished, tmp_path):
    seen = []

    def stop_in_epoch_2(name):
        seen.append(name)
        if name.startswith("epoch 2"):
            raise Stopped

    data = toy_dataset(63)
    with pytest.raises(Stopped):
        lw.run_grammar(data, settings=TINY, out=tmp_path / "run", step=stop_in_epoch_2)
    assert any(name.startswith("epoch 1") for name in seen)
    told = []
    run, _ = lw.run_grammar(data, settings=TINY, out=tmp_path / "run", step=told.append)
    assert not any(name.startswith("epoch 1") for name in told)
    assert any(name.startswith("epoch 2") for name in told)
    assert not (run.folder / recipe.CHECKPOINT).exists()
    whole = finished[0].folder
    for file in ("trees.txt", "grammar.safetensors"):
        assert (run.folder / file).read_bytes() == (whole / file).read_bytes()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"nonterminals": 0}, "'nonterminals' must be at least 1"),
        ({"max_q": 0}, "'max_q' must be"),
        ({"device": "tpu"}, "auto, cpu or cuda"),
        ({"seed": -1}, "'seed' must be"),
    ],
)
def test_a_setting_that_cannot_be_is_told(settings, words):
    with pytest.raises(SettingError, match=words):
        lw.GrammarSettings(**settings)


def test_the_sizes_are_the_papers_on_a_gpu_and_smaller_on_a_cpu():
    usual = lw.GrammarSettings()
    gpu, cpu = usual.sizes("cuda", pair=True), usual.sizes("cpu", pair=True)
    assert (gpu.nonterminals, gpu.preterminals, gpu.dimension, gpu.epochs, gpu.texts) == (
        32,
        64,
        256,
        10,
        None,
    )
    assert cpu.nonterminals < gpu.nonterminals
    assert cpu.texts is not None
    asked = lw.GrammarSettings(preterminals=7, limit=50).sizes("cpu", pair=True)
    assert (asked.preterminals, asked.texts) == (7, None)


def test_too_few_rows_and_a_missing_torch_are_told(monkeypatch):
    with pytest.raises(DataError, match="At least 20 are needed"):
        lw.induce_grammar(toy_dataset(12), settings=TINY)
    monkeypatch.setattr(grammar_settings, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="neural"):
        lw.induce_grammar(toy_dataset(60), settings=TINY)


SHORT = Limits(pair=42, sentence=20)


@pytest.fixture
def tiny_level(monkeypatch):
    """The grammar level of an audit, real and tiny."""
    monkeypatch.setattr("longway.jobs.audit.job.grammar_detector", audit_grammar.grammar_detector)
    for name, value in {
        "FEWEST": 60,
        "SYMBOLS": (3, 6),
        "DIMENSION": 8,
        "EPOCHS": 2,
        "SIZES": {True: [(SHORT, 90), (replace(SHORT, pair=400), 80)], False: [(SHORT, 60)]},
    }.items():
        monkeypatch.setattr(audit_grammar, name, value)


def test_an_audit_looks_at_the_grammar_of_a_sample_and_says_so(tiny_level):
    data = toy_dataset(150)
    found = audit(data)
    assert found.tested["grammar"] > 0
    of_grammar = [finding for finding in found.findings if finding.level == "grammar"]
    assert all(finding.count <= 90 and not finding.pattern.name.startswith("rule ") for finding in of_grammar)
    assert [finding.gain for finding in found.findings] == sorted(
        (f.gain for f in found.findings), reverse=True
    )
    assert any("sample of 90 of 150 rows" in problem.message for problem in found.problems)


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
