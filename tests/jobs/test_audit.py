"""A whole audit, from rows to the run folder."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import longway as lw
from longway.errors import SettingError
from longway.jobs.audit.job import audit
from longway.jobs.held_out import arrange
from longway.store import RUN_FILE, Run, read_json
from tests import oracles
from tests.conftest import dataset_of
from tests.jobs.watching import watching


@pytest.fixture(scope="module")
def claims():
    arranged = arrange(lw.load(lw.sample_path("claims")))
    return arranged.dataset, arranged.held_out


@pytest.fixture(scope="module")
def finished(claims, tmp_path_factory):
    dataset, held_out = claims
    result = audit(dataset, tests=held_out, out=tmp_path_factory.mktemp("runs") / "claims")
    return Run(result.folder), result.to_dict()


def test_the_run_folder_holds_what_the_design_says(finished):
    run, findings = finished
    names = "card.md croissant.json findings.json report.html run.json scores.parquet"
    assert sorted(path.name for path in run.folder.iterdir()) == names.split()
    assert read_json(run.folder / RUN_FILE)["state"] == "done"
    assert read_json(run.folder / "findings.json") == json.loads(json.dumps(findings))


def test_findings_have_the_keys_of_the_contract(finished):
    _, findings = finished
    assert set(findings["dataset"]) >= {"rows", "labels", "fields", "fingerprint"}
    keys = {*"level pattern field label count label_share base_rate mutual_information match".split()}
    keys |= {"z", "lmi", "p", "q", "supporting", "counter"}
    assert all(keys <= set(finding) for finding in findings["findings"])
    assert findings["findings"][0]["pattern"] == "negation in claim"


def test_people_are_counted_by_axis_attribute_and_label(finished, claims):
    rows = {(row["field"], row["attribute"]): row for row in finished[1]["people"]}
    frame = claims[0].frame
    says_her = frame.filter(frame["claim"].str.contains(r"(?i)\b(she|her|hers|herself)\b"))
    assert rows["claim", "woman"]["axis"] == "gender"
    assert sum(rows["claim", "woman"]["texts"].values()) >= len(says_her) > 0
    assert all(
        row["texts"][label] <= row["mentions"][label] for row in rows.values() for label in row["texts"]
    )
    tested = [row for row in rows.values() if row["q"] is not None]
    assert len(tested) == finished[1]["tested"]["people"]


def test_supporting_ids_carry_the_label_and_counter_ids_do_not(finished, claims):
    labels = dict(claims[0].frame.select("id", "label").iter_rows())
    for finding in finished[1]["findings"]:
        assert {labels[i] for i in finding["supporting"]} == {finding["label"]}
        assert finding["label"] not in {labels[i] for i in finding["counter"]}


def test_scores_have_a_row_for_each_example_with_the_papers_gamma(finished, claims):
    scores = pl.read_parquet(finished[0].folder / "scores.parquet")
    frame = claims[0].frame
    assert scores["id"].to_list() == frame["id"].to_list()
    codes = [sorted(set(frame["label"])).index(label) for label in frame["label"]]
    few = list(range(0, len(frame), 9))
    texts = [frame["claim"][i] for i in few]
    slow = oracles.gammas(texts, [codes[i] for i in few], variant="mean", dimensions=64)
    again = audit(dataset_of(texts, [frame["label"][i] for i in few])).scores["gamma"]
    np.testing.assert_allclose(again.to_numpy(), slow, atol=2e-5)


def test_held_out_splits_tell_a_shortcut_from_knowledge(finished):
    leak = finished[1]["leak"]
    assert leak["text"]["low"] > 0.75
    assert leak["held_out"]["test"]["text"]["high"] < 0.65
    assert leak["held_out"]["flipped"]["text"]["high"] < 0.5


def test_the_same_run_again_is_read_not_repeated(finished, claims):
    run, findings = finished
    before = {path.name: path.stat().st_mtime_ns for path in run.folder.iterdir()}
    again = audit(claims[0], tests=claims[1], out=run.folder)
    assert json.loads(json.dumps(again.to_dict())) == json.loads(json.dumps(findings))
    assert {path.name: path.stat().st_mtime_ns for path in run.folder.iterdir()} == before


def test_a_run_that_was_stopped_starts_again(claims, tmp_path):
    def stop(name):
        if name.startswith("measuring"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit(claims[0], out=tmp_path / "run", watcher=watching(step=stop))
    assert read_json(tmp_path / "run" / RUN_FILE)["state"] == "running"
    assert not (tmp_path / "run" / "findings.json").exists()
    audit(claims[0], out=tmp_path / "run")
    assert Run(tmp_path / "run").is_done


def test_a_streamed_audit_finds_the_same(claims, tmp_path):
    path = lw.save(claims[0], tmp_path / "claims.parquet")
    whole, streamed = (audit(lw.load(path, stream=stream)).to_dict() for stream in (False, True))
    assert streamed["dataset"].pop("streamed")
    assert not whole["dataset"].pop("streamed")
    assert {**whole, "created": ""} == {**streamed, "created": ""}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("a b", "x")] * 9, "one label only"),
        ([(f"t {i}", f"label{i}") for i in range(300)], "300 different values"),
    ],
)
def test_labels_that_cannot_be_audited_are_told(rows, words):
    with pytest.raises(lw.DataError, match=words):
        audit(dataset_of(*zip(*rows, strict=True)))


@pytest.mark.parametrize("n", [1, 2, 4])
def test_tiny_datasets_have_no_findings_and_no_crash(n):
    result = audit(dataset_of(["one text", "another text"] * n, ["x", "y"] * n))
    assert result.findings == ()
    assert json.loads(json.dumps(result.to_dict()))["leak"]["text"]["rows"] == 2 * n


@pytest.mark.soak
def test_fever_shows_its_known_give_aways(shared):
    result = audit(lw.load(shared("fever/paper_test_supports_refutes.jsonl.gz")))
    top = [finding for finding in result.findings if finding.field == "claim"][:10]
    words = {word for finding in top if finding.label == "REFUTES" for word in finding.pattern.name.split()}
    assert {"not", "only", "incapable", "yet"} <= words
    assert result.leaks["text"].low < 0.69 < result.leaks["text"].high
    assert result.leaks["text"].accuracy > 0.675
    assert result.leaks["context"].low < 0.5 < result.leaks["context"].high


def test_train_is_audited_and_the_other_splits_are_held_out():
    result = audit(lw.load(lw.sample_path("claims")))
    assert (result.dataset.split, result.dataset.rows) == ("train", 320)
    assert set(result.held_out) == {"test", "flipped"}


def test_a_held_out_set_must_not_be_called_like_a_split(claims):
    with pytest.raises(lw.SettingError, match="flipped"):
        audit(lw.load(lw.sample_path("claims")), tests={"flipped": claims[0]})


def test_what_went_wrong_while_reading_is_told_for_a_split_too(tmp_path):
    lines = [
        json.dumps({"text": f"{w} word", "label": w, "split": s}) for w in "ab" for s in ("train", "test")
    ]
    path = tmp_path / "d.jsonl"
    path.write_text("\n".join([*lines * 5, "{broken"]))
    assert [p.kind for p in audit(lw.load(path)).problems][:1] == ["broken_line"]


def split_rows(**labels):
    return [
        {"text": f"{split} {i}", "label": label, "split": None if split == "none" else split}
        for split, names in labels.items()
        for i, label in enumerate(names * 8)
    ]


def test_a_split_without_labels_is_left_out_and_told():
    arranged = arrange(lw.load(split_rows(train=["a", "b"], test=[None, None])))
    assert arranged.held_out == {}
    assert [p.kind for p in arranged.problems] == ["split_unusable"]


def test_rows_in_no_split_are_told_and_train_may_have_capitals():
    arranged = arrange(lw.load(split_rows(Train=["a", "b"], dev=["a", "b"], none=["a", "b"])))
    assert arranged.dataset.split == "Train"
    assert [(p.kind, p.count) for p in arranged.problems] == [("no_split", 16)]


def test_splits_without_a_train_are_audited_together_and_told():
    arranged = arrange(lw.load(split_rows(north=["a", "b"], south=["a", "b"])))
    assert arranged.dataset.n_used == 32
    assert [p.kind for p in arranged.problems] == ["splits_together"]


def test_held_out_labels_that_nobody_knows_are_told_not_scored():
    data, other = (lw.load(split_rows(train=names)) for names in (["a", "b"], ["X", "Y"]))
    arranged = arrange(data, tests={"other": other})
    assert arranged.held_out == {}
    assert [p.kind for p in arranged.problems] == ["unknown_labels"]


def test_labels_that_differ_in_case_are_told():
    result = audit(dataset_of(["one", "two", "three"] * 4, ["pos", "Pos ", "neg"] * 4))
    assert "similar_labels" in [p.kind for p in result.problems]


def test_a_finished_run_that_lost_a_file_is_made_again(claims, tmp_path):
    findings = audit(claims[0], out=tmp_path / "run")
    (findings.folder / "report.html").write_text("cut off")
    (findings.folder / "findings.json").unlink()
    same = audit(claims[0], out=tmp_path / "run")
    assert same == replace(findings, created=same.created)
    assert (same.folder / "report.html").stat().st_size > 10_000


@pytest.mark.parametrize("content", ["[]", "null", "{", '{"settings": []}', '{"state": "done"}'])
def test_a_damaged_run_file_is_a_clear_error(claims, tmp_path, content):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / RUN_FILE).write_text(content)
    with pytest.raises(lw.RunError, match=r"run\.json"):
        audit(claims[0], out=tmp_path / "run")


def test_a_place_that_cannot_be_written_is_a_clear_error(claims, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(lw.RunError, match="--out"):
        audit(claims[0], out=tmp_path / "file" / "run")


def test_telling_texts_have_their_give_away_marked_strongest():
    result = audit(lw.load(lw.sample_path("claims")))
    by_lean = [text for text in result.space.telling if text.chosen_by == "lean" and text.label == "REFUTES"]
    strongest = [max(text.tokens, key=lambda token: token[1])[0].lower() for text in by_lean]
    assert set(strongest) <= {*"not no never doesn't didn't does did has isn't wasn't".split()}
    leans = [text.lean for text in by_lean]
    assert leans == sorted(leans, reverse=True)
    gammas = [
        text.gamma for text in result.space.telling if text.chosen_by == "gamma" and text.label == "REFUTES"
    ]
    assert gammas == sorted(gammas, reverse=True)


def test_streaming_measures_the_leak_on_the_rows_it_says(tmp_path, monkeypatch):
    monkeypatch.setattr("longway.detect.leak.MAX_TOKENS", 16_000)
    rows = [{"text": f"w{i % 50} " * 8, "label": "xy"[i % 2]} for i in range(2500)]
    path = lw.save(lw.load(rows).frame, tmp_path / "d.parquet")
    leak = audit(lw.load(path, stream=False)).leaks["text"]
    assert (leak.rows, "drawn at random" in leak.how) == (2000, True)
    assert audit(lw.load(path, stream=True)).leaks["text"].rows == 1000


def test_a_finding_about_people_marks_the_word_that_told_it():
    who = ["Her aunt", "My wife", "Karen", "His uncle", "My husband", "Gary"]
    texts = [f"{who[i % 6]} waited {i // 6} times." for i in range(72)]
    result = audit(dataset_of(texts, ["complaint" if i % 6 < 3 else "praise" for i in range(72)]))
    finding = next(one for one in result.findings if one.pattern.name == "speaks of a woman")
    ((start, end),) = finding.marks
    assert finding.label == "complaint"
    assert finding.example[start:end] in {"Her", "aunt", "wife", "Karen"}
    woman = next(one for one in result.people if one.attribute == "woman")
    assert (dict(woman.texts), woman.q) == ({"complaint": 36, "praise": 0}, finding.q)
    assert dict(woman.mentions) == {"complaint": 48, "praise": 0}
    assert dict(woman.words) == {"her": 12, "aunt": 12, "wife": 12, "Karen": 12}


def test_columns_can_be_named_in_the_call_and_results_are_frames():
    frame = reviews_frame().rename(columns={"text": "review", "label": "stars"})
    found = lw.audit(frame, text="review", label="stars", levels=("token",))
    assert found.leak is found.leaks["text"]
    assert list(found.findings.to_pandas()["label"]) == [one.label for one in found.findings]
    assert found.to_pandas().equals(found.findings.to_pandas())
    assert "<html" in found.report.html
    assert "srcdoc" in found.report._repr_html_()
    with pytest.raises(SettingError, match="already loaded"):
        lw.audit(lw.load(frame, text="review", label="stars"), text="review")


def reviews_frame():
    rows = [
        {"text": f"{'sadly' if i % 2 else 'well'} film {words}", "label": "bad" if i % 2 else "good"}
        for i, words in enumerate(f"{a} {b} {c}" for a in "pqrs" for b in "uvwx" for c in "klmnoz")
    ]
    return pd.DataFrame(rows)
