"""Augmentations into a run folder, with a server on this machine that takes a small dataset apart and puts it together."""

import csv
import json
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from longway.data import load
from longway.engines.engine import Engine, Written
from longway.english.contradict import Negated
from longway.errors import ColumnError, DataError, SettingError
from longway.jobs.augment.job import NOT_NEEDED, added_in, augment, balanced, estimate_of
from longway.jobs.augment.methods import Setup, important_words
from longway.jobs.augment.result import WordAnalysis
from longway.jobs.augment.settings import AugmentSettings
from longway.jobs.augment.words import Words, labelled
from longway.jobs.change.job import ChangeJob
from longway.jobs.engine_use import Engines
from longway.jobs.rows import rows_of as rows_in
from longway.methods.coba import Important
from longway.methods.method import Figures, Round, Rows
from longway.records import Edit
from longway.store import RUN_FILE, Journal, read_json
from longway.task import task_of
from longway.verify.verifier import CHECKS
from tests.engines.loopback import Loopback, completion
from tests.environment import without_encoder, without_settings_of_the_user
from tests.jobs.test_run_rewrite import PAIRS
from tests.jobs.toy_augment import answer, asked, listed, opposite, text_of
from tests.jobs.toy_run import label_of, rows_of, write_csv
from tests.jobs.watching import watching

pytestmark = pytest.mark.usefixtures("alone")

FILES = {"augment.json", "card.md", "dataset.csv", "edits.jsonl", "journal.sqlite", "report.html", "run.json"}
WORDS = {"bad": Important(("dull", "slow", "bleak", "weak"), ("sadly",)),
         "good": Important(("bright", "quick", "warm", "strong"), ("saw",))}  # fmt: skip


def set_apart(monkeypatch, folder):
    without_settings_of_the_user(monkeypatch, folder)
    without_encoder(monkeypatch)
    monkeypatch.chdir(folder)


def know_words(monkeypatch):
    """The important words are known: what models look at is tested elsewhere."""

    def known(rows, ensemble, **more):
        found = [WORDS[rows.label(row)] for row in range(len(rows))]
        return Words(found, WordAnalysis(models=("bow",), votes=1, k=5))

    monkeypatch.setattr("longway.jobs.augment.methods.words_by_models", known)


def believe(monkeypatch):
    """The bag of words gives texts the label that a careful reader would."""
    say(monkeypatch, lambda text, label: 0.9 if label_of(text) == label else 0.1)


def say(monkeypatch, likely):
    """Let the bag of words of the checks find a label of a text as likely as a function says; the sentiment model says nothing."""

    def own(self, rows, texts, names):
        return [(likely(*each),) * 2 for each in zip(texts, names, strict=True)]

    monkeypatch.setattr("longway.verify.counterbias.words_accuracy", lambda words, **_: 1.0)
    monkeypatch.setattr("longway.verify.model_checks.ClassifiersCheck.own", own)
    others = tuple(check for check in CHECKS if check.name != "sentiment")
    monkeypatch.setattr("longway.verify.verifier.CHECKS", others)


@pytest.fixture
def words(monkeypatch):
    know_words(monkeypatch)


@pytest.fixture
def believing(monkeypatch):
    believe(monkeypatch)


@pytest.fixture
def data(tmp_path):
    return write_csv(tmp_path / "reviews.csv", 24)


@pytest.fixture
def server():
    with Loopback(answer) as running:
        yield running


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run: the data, its folder, augment.json, and what the server was asked."""
    folder = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patch, Loopback(answer) as server:
        set_apart(patch, folder)
        know_words(patch)
        believe(patch)
        data = write_csv(folder / "reviews.csv", 24)
        run, found = run_on(data, server)
        n = len(server.calls)
        again, same = run_on(data, server)
        assert (again.folder, same, len(server.calls)) == (run.folder, found, n)  # it is read, not repeated
    return SimpleNamespace(
        data=data, name=str(run.folder), folder=folder / run.folder, found=found, calls=server.calls
    )


def settings(**more):
    return AugmentSettings(**{"engine": "served:toy", "models": ("bow",)} | more)


def run_on(data, server=None, *, budget=None, out=None, estimate=None, **more):
    engines = Engines(server.url if server else None, budget=budget, options={"backoff": 0.001, "retries": 0})
    watcher = watching(estimate=estimate) if estimate else None
    result = augment(load(data), settings(**more), engines=engines, out=out or True, watcher=watcher)
    return result, json.loads(json.dumps(result.to_dict()))


def table(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_run_leaves_everything_it_promises(finished):
    folder, found = finished.folder, finished.found
    assert finished.name == "longway-runs/reviews-augment"
    assert {path.name for path in folder.iterdir()} == FILES
    assert read_json(folder / RUN_FILE)["state"] == "done"
    assert found == read_json(folder / "augment.json")
    assert {asked(call) for call in finished.calls} == {"triples", "alter", "realise", "judge"}
    assert found["added"] == found["accepted"] == 24
    assert found["added_by_label"] == {"bad": 12, "good": 12}
    assert found["labels_after"] == {"bad": 24, "good": 24}
    assert found["sample"][0]["trace"]["triples"]
    assert found["leak"]["before"]["accuracy"] > 0.5
    assert "Principal" in (folder / "report.html").read_text(encoding="utf-8")
    assert "24 were added (bad 12, good 12)" in (folder / "card.md").read_text(encoding="utf-8")


def test_rows_stay_and_additions_say_what_they_were_made_from(finished):
    before, after = table(finished.data), table(finished.folder / "dataset.csv")
    assert list(after[0]) == [*before[0], "longway_id", "longway_source"]
    assert [{name: row[name] for name in before[0]} for row in after[:24]] == before
    assert {row["longway_source"] for row in after[:24]} == {""}
    by_id = {row["id"]: row for row in before}
    for row in after[24:]:
        source = by_id[row["longway_source"]]
        assert row["longway_id"].startswith(f"{source['id']}+coba")
        assert row["stars"] == source["stars"]
        assert {row["label"], source["label"]} == {"bad", "good"}
        assert ("sadly" in row["review"]) == ("sadly" in source["review"])
    edits = lines(finished.folder / "edits.jsonl")
    assert {edit["id"]: edit["source"] for edit in edits} == {
        row["longway_id"]: row["longway_source"] for row in after[24:]
    }


def test_what_the_words_tell_is_measured_before_and_after(finished):
    sadly = next(word for word in finished.found["words"] if word["word"] == "sadly")
    assert (sadly["label"], sadly["rows_before"], sadly["rows_after"]) == ("bad", 8, 16)
    assert sadly["mi_after"] < sadly["mi_before"] / 10
    mean = finished.found["mean_mi"]
    assert mean["after"] < mean["before"]


def test_real_models_vote_on_the_words_and_are_asked_once(data, server, monkeypatch):
    from longway.models.ensemble import Ensemble

    seen = []
    setup = Setup(
        settings(spurious=("sadly",)),
        rows_in(load(data)),
        journal=Journal(None),
        watcher=watching(work=lambda words, share, left: seen.append((words, left))),
    )
    ensemble = Ensemble(labelled(setup.rows), ("bow",))
    found = important_words(setup, ensemble)
    assert seen[0][0] == "vote, model 1 of 1: bow"
    assert seen[-1][1] == 0
    assert any("sadly" in one.spurious for one in found.important)
    assert any(one.principal for one in found.important)
    monkeypatch.setattr(Ensemble, "word_scores", None)  # it is kept in the journal
    assert important_words(setup, ensemble).important == found.important


def test_without_any_principal_word_it_says_so(data, server, monkeypatch):
    nothing = Words([Important((), ("sadly",))] * 24, WordAnalysis())
    monkeypatch.setattr("longway.jobs.augment.methods.words_by_models", lambda *_, **__: nothing)
    with pytest.raises(DataError, match=r"No word of 'review' is principal .* larger --set top-k=K"):
        run_on(data, server)
    assert not server.calls


def test_an_engine_that_can_name_no_words_is_told_with_its_reason(data, monkeypatch):
    class Mute(Engine):
        name, can, identity = "mute", frozenset({"write"}), {}

        async def write(self, prompt, n, sampling, call=None):
            return Written((), ("that takes a language model",))

        async def close(self):
            pass

    monkeypatch.setattr("longway.jobs.engine_use.engine_named", lambda name, **more: Mute())
    with pytest.raises(DataError, match=r"engine mute named no word \(that takes .* or --identify models"):
        run_on(data, engine="mute", identify="engine")


def test_refused_candidates_keep_their_reason_and_one_example(data, server, words):
    with pytest.MonkeyPatch.context() as patch:
        say(patch, lambda text, label: 0.2)
        run, found = run_on(data, server)
    assert (found["candidates"], found["accepted"], found["rejected"]) == (24, 0, 24)
    assert [(row["reason"], row["count"]) for row in found["refused"]] == [("new label", 24)]
    assert found["refused"][0]["example"]["trace"]["principal"]
    assert {edit["reason"] for edit in lines(run.folder / "edits.jsonl")} == {
        "new label: the label good is 0.20 likely, and 0.20 for its source",
        "new label: the label bad is 0.20 likely, and 0.20 for its source",
    }


def test_a_budget_ends_it_in_good_order_and_a_larger_one_goes_on(data, server, prices, words, believing):
    run, short = run_on(data, server, budget=0.0)
    assert (short["stopped"], short["added"], len(server.calls)) == ("the budget is spent", 0, 0)
    _, found = run_on(data, server, budget=100.0)
    assert found["added"] == 24
    assert set(Counter(call.content for call in server.calls).values()) == {1}
    whole, _ = run_on(data, server, budget=100.0, out="whole")
    for name in ("dataset.csv", "edits.jsonl"):
        assert (run.folder / name).read_bytes() == (whole.folder / name).read_bytes()


def test_no_money_for_the_words_ends_it_in_good_order(data, server, prices):
    _, found = run_on(data, server, budget=0.0, identify="engine")
    assert (found["stopped"], found["added"]) == ("the budget is spent", 0)


@pytest.mark.parametrize(
    ("more", "calls"),
    [
        ({"identify": "engine"}, 4),
        ({"alter": False}, 2),
        ({"variants": 2}, 5),
        ({"method": "counterfactual", "variants": 3}, 3),
    ],
)
def test_a_forecast_counts_the_calls_of_each_method(data, server, prices, more, calls):
    from longway.engines.registry import engine_named

    toy = engine_named("served:toy", base_url=server.url)
    rows, how = load(data), settings(**more)
    job = ChangeJob("augment", rows, rows, how, writer=toy)
    assert estimate_of(job, job.rows()).writes == 24 * calls


@pytest.fixture
def few_synonyms(monkeypatch):
    """A synonym for every word."""
    monkeypatch.setattr("longway.methods.eda.synonyms_of", lambda word: (f"{word}ish",))


def test_eda_adds_rows_and_needs_no_engine(data, monkeypatch, few_synonyms):
    monkeypatch.setattr("longway.jobs.engine_use.engine_named", None)
    run, found = run_on(data, method="eda", variants=2, spurious=("sadly",))
    after = table(run.folder / "dataset.csv")
    assert found["added"] == len(after) - 24 > 40
    assert all(row["longway_id"].startswith(f"{row['longway_source']}+eda") for row in after[24:])
    assert (found["engine"], found["judge"]) == ("none", "none")
    assert "without checks" in found["missing_checks"][0]
    assert [word["word"] for word in found["words"]] == ["sadly"]


def test_crossaug_adds_pairs_and_shows_both_contexts(tmp_path, monkeypatch):
    def negated(document, random):
        text = document.text.replace("won", "lost").replace("is ", "is not ")
        return iter([Negated(text, "toy")])

    monkeypatch.setattr("longway.methods.crossaug.negated", negated)
    rows = [
        {"claim": claim, "evidence": evidence, "label": label, "id": f"p{i}"}
        for i, (claim, evidence, label) in enumerate(PAIRS)
    ]
    data = load(rows, text="claim", context="evidence", label="label", id="id")
    result = augment(data, settings(method="crossaug"), out=tmp_path / "run")
    after = load(result.folder / "dataset.parquet", text="claim").frame
    assert after.height == len(rows) + result.added > len(rows)
    assert after["longway_source"].to_list()[: len(rows)] == [None] * len(rows)
    assert set(after["longway_source"].to_list()[len(rows) :]) <= {row["id"] for row in rows}
    assert all(edit.context_before for edit in result.sample)
    assert any(edit.context != edit.context_before for edit in result.sample)


def test_counterfactuals_of_an_engine_are_added(data, server, believing):
    _, found = run_on(data, server, method="counterfactual")
    assert found["added"] == 24
    assert found["sample"][0]["after"] == opposite(found["sample"][0]["before"])


def test_texts_made_elsewhere_are_checked_and_added(data, tmp_path, believing):
    made = [{"id": row["id"], "text": opposite(row["review"]), "label": row["label"]} for row in rows_of(24)]
    for row in made:
        row["label"] = label_of(row["text"])
    made[0] |= {"label": "bad"}  # wrong: it is good now
    made[1] |= {"id": "nobody"}
    path = tmp_path / "made.jsonl"
    path.write_text("\n".join(map(json.dumps, made)))
    _, found = run_on(data, method="given", rewrites=str(path))
    assert (found["added"], found["rejected"], found["engine"]) == (22, 1, "none")
    assert found["rounds"][0]["refusals"] == {"no row has this id or text": 1}
    path.write_text("\n".join(map(json.dumps, made[2:])))
    run, _ = run_on(data, method="given", rewrites=str(path))
    assert run.folder.name == "reviews-augment-2"  # the file is another one


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        ("text,label\nA film.,good\n", ColumnError, "no column original or source or id"),
        ("id,label\nr1,good\n", ColumnError, "no column counterfactual or revised or text"),
        ("id,text,label\n", DataError, "no rows"),
        ("id,text,label\nr1,,good\n", DataError, "lack a source, a text or a label"),
    ],
)
def test_a_file_of_rewrites_that_cannot_be_read_is_told(data, tmp_path, content, error, words):
    path = tmp_path / "made.csv"
    path.write_text(content)
    with pytest.raises(error, match=words):
        run_on(data, method="given", rewrites=str(path))
    assert not (tmp_path / "longway-runs").exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"method": "magic"}, "'method' must be one of coba, counterfactual"),
        ({"models": ("bow", "nb")}, "odd number of different models.*Got 2: bow, nb"),
        ({"models": ("bow", "bow", "nb")}, "odd number of different models"),
        ({"models": ("bow", "nb", "magic")}, "'model' must be one of bow, nb.*Got 'magic'"),
        ({"importance": "guess"}, "'importance' must be one of lime, shapley, ig"),
        ({"identify": "me"}, "'identify' must be one of models, engine"),
        ({"top_k": 0}, "'top_k' must be 1 or more"),
        ({"variants": 0}, "'variants' must be 1 or more"),
        ({"drop_share": 1.0}, "'drop_share' must be less than 1"),
        ({"drop_share": -0.1}, "'drop_share' must be from 0 to 1"),
        ({"spurious": (" ",)}, "'spurious' must be words"),
        ({"method": "given"}, "Got method 'given' and no file"),
        ({"rewrites": "x.csv"}, "Got method 'coba' and the file 'x.csv'"),
        ({"target": "out", "method": "eda"}, "'target'.* is for the method coba"),
        ({"to": "good", "method": "eda"}, "'to' is for methods that change the label.*the method eda"),
        ({"to": "good", "alter": False}, "Got 'good' and coba without its step alter"),
        ({"seed": -1}, "'seed' must be"),
    ],
)
def test_a_setting_that_cannot_be_is_told(more, words):
    with pytest.raises(SettingError, match=words):
        settings(**more)


def test_a_label_that_is_not_there_is_told(data, server):
    with pytest.raises(SettingError, match=r"'to' must be a label of the data.*'bad', 'good'"):
        run_on(data, server, to="neutral")
    assert not (data.parent / "longway-runs").exists()


@pytest.mark.parametrize(
    ("content", "words"), [("", "empty"), ("review,label\nA fine film.,good\n", "one label only")]
)
def test_data_that_cannot_be_augmented_leaves_no_run(tmp_path, server, content, words):
    path = tmp_path / "odd.csv"
    path.write_text(content)
    with pytest.raises(DataError, match=words):
        run_on(path, server)
    assert not (tmp_path / "longway-runs").exists()


def test_an_engine_that_cannot_write_is_told(data, monkeypatch):
    async def close():
        pass

    mute = SimpleNamespace(name="mute", can=frozenset({"judge"}), close=close)
    monkeypatch.setattr("longway.jobs.engine_use.engine_named", lambda name, **more: mute)
    with pytest.raises(SettingError, match="The engine mute cannot write"):
        run_on(data)


def test_rows_with_a_text_instead_of_a_label_are_put_together_anew(tmp_path, monkeypatch):
    texts = {"triples": ["1. {0} | {0} | he", "2. We | go | now"], "pick": ["source: 2", "target: 2"]}

    def toy(call):
        system = call.body["messages"][0]["content"]
        kind = asked(call)
        if kind == "realise":
            return completion(json.dumps({"rewrites": [text_of(listed(call))]}))
        word = call.text.split()[0] if call.text else ""
        known = texts["triples" if "take texts apart" in system else "pick"]
        return completion(json.dumps({"lines": [line.format(word) for line in known]}))

    monkeypatch.setattr("longway.jobs.held_out.MAX_LABELS", 5)  # more would be refused as labels
    rows = [{"text": f"t{i} he went, we go now", "formal": f"f{i} he went, we go now"} for i in range(8)]
    with Loopback(toy) as server:
        result = augment(
            rows,
            settings(target="formal", gender=False),  # that would need English
            engines=Engines(server.url),
            out=tmp_path / "run",
        )
    assert (result.added, result.dataset.labels) == (8, {})
    assert (result.comparison.leak, result.words, result.labels_after) == (None, (), {})
    after = load(result.folder / "dataset.parquet", text="text", label="formal").frame
    assert after["text"][8] == "t0 t0 he. We go now."
    assert after["formal"][8] == "f0 f0 he. We go now."
    assert "Output text" in (result.folder / "report.html").read_text(encoding="utf-8")


def test_a_call_without_a_folder_returns_the_dataset_with_its_additions(data, few_synonyms, tmp_path):
    result = augment(data, method="eda")
    assert len(result.data) == 24 + result.added
    sources = [edit.source for edit in result.edits]
    assert result.data.frame["longway_source"].drop_nulls().to_list() == sources
    assert result.to_frame()["source"].to_list() == sources
    assert (result.folder, (tmp_path / "longway-runs").exists()) == (None, False)
    again = augment(result.data, method="eda")  # sources of the first run are kept
    assert again.data.frame["longway_source"].to_list()[24:48] == sources


def test_a_run_on_disk_is_the_same_result(data, few_synonyms, tmp_path):
    first, again = (augment(data, method="eda", out=tmp_path / "run") for _ in range(2))
    assert again == first  # read, not repeated
    assert again.data.frame.equals(first.data.frame)
    assert again.edits == first.edits == augment(data, method="eda").edits


def toy_rows(labels):
    texts = [f"text {i}" for i in range(len(labels))]
    names = sorted(set(labels))
    numbers = np.array([names.index(label) for label in labels])
    return Rows([str(i) for i in range(len(labels))], texts, numbers, names, task_of(names))


def toy_round(*labels):
    edits = tuple(
        Edit(f"{i}+x1", "text", "old", f"new {i}", "a", label, "x", "none", True, source=f"{i}")
        for i, label in enumerate(labels)
    )
    return Round(1, edits, Figures(asked=9, candidates=len(edits), accepted=len(edits)))


def test_balanced_additions_leave_all_labels_with_the_same_number():
    done = balanced([toy_round("a", "a", "a", "b", "b")], toy_rows("aab"))[0]
    counts = Counter(added_in(done.edits).values())
    assert (counts["a"], counts["b"]) == (1, 2)  # 2 + 1 = 1 + 2
    out = [edit for edit in done.edits if not edit.accepted]
    assert [edit.reason for edit in out] == [NOT_NEEDED, NOT_NEEDED]
    assert done.figures.accepted == 3
    assert done.figures.rejected == {NOT_NEEDED: 2}


def test_a_label_that_nothing_can_be_added_to_keeps_its_rows():
    done = balanced([toy_round("b", "b", "b", "b", "b")], toy_rows("aaab"))[0]
    assert Counter(added_in(done.edits).values()) == {"b": 2}


def test_a_run_can_be_balanced(data, server, words, believing):
    _, found = run_on(data, server, to="good", balance=True)
    assert found["labels_after"] == {"bad": 12, "good": 12}
    assert [row["reason"] for row in found["refused"]] == [NOT_NEEDED]


def metered(call):
    """The same answer, with about as many tokens as the texts have."""
    reply = answer(call)
    sent = sum(len(message["content"]) for message in call.body["messages"]) // 4
    written = len(reply.body["choices"][0]["message"]["content"]) // 4
    reply.body["usage"] = {"prompt_tokens": sent, "completion_tokens": written}
    return reply


def test_answers_that_were_paid_for_become_rows(data, prices, words, believing):
    """Money is kept for the next steps and the judge: no text stays without its next step and its judgement."""
    with Loopback(metered) as server:
        _, whole = run_on(data, server, budget=1000.0, out="whole")
        budget = 0.5 * sum(one["cost"] for one in whole["cost"])
        server.calls.clear()
        _, found = run_on(data, server, budget=budget, out="short")
    kinds = Counter(asked(call) for call in server.calls)
    assert found["stopped"] == "the budget is spent"
    assert sum(one["cost"] for one in found["cost"]) <= budget
    assert sum(one["calls"] for one in found["cost"]) == len(server.calls)
    assert kinds == dict.fromkeys(("triples", "alter", "realise", "judge"), found["added"])
    assert 0 < found["added"] < whole["added"]
