"""The fairscore of models that people have (a pipeline, a function, a language model), and with other perturbers than the rules."""

import json
from contextlib import closing

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from longway.cli import app
from longway.data import load, save
from longway.errors import BudgetSpent, EngineError, LongwayError, SettingError
from longway.jobs.engine_use import Engines
from longway.jobs.fairness.job import fairness
from longway.jobs.prove.job import prove
from longway.jobs.prove.perturbed_rows import changes_of
from longway.jobs.prove.settings import ProveSettings
from longway.jobs.prove.training import rows_of
from longway.report import markdown
from longway.store import Journal
from tests.engines.loopback import Loopback, Reply, completion
from tests.environment import without_encoder
from tests.jobs import toy_perturb
from tests.jobs.cooks import cooks
from tests.jobs.test_classifier_fairscore import WORDS, lines, save_sequence_classifier
from tests.jobs.watching import watching

FAST = {"backoff": 0.001, "retries": 0}


def sees_she(text):
    return "good" if "she" in text.lower().split() else "bad"


def judge(call):
    """A language model that looks at nothing but the person."""
    return completion(json.dumps({"label": sees_she(call.text)}))


@pytest.fixture(scope="module")
def data():
    return cooks(60, she_is_good=0.5, seed=2, others=True)


@pytest.fixture
def invoke(data, tmp_path, monkeypatch):
    save(data, tmp_path / "dev.csv")
    monkeypatch.chdir(tmp_path)

    def run(*args):
        return CliRunner().invoke(app, ["fairness", "--fairscore", "dev.csv", *map(str, args)])

    return run


def served(data, server, *, budget=None, model="served:toy", **options):
    engines = Engines(server.url, budget=budget, options=FAST)
    return fairness(data, model=model, engines=engines, **options)


def check_counted(result):
    """Equation 1 on the rows of the run folder, for a model that sees "she" alone."""
    rows = lines(result)
    for row in rows:
        for when in ("before", "after"):
            assert row[f"answer_{when}"] == sees_she(row[f"text_{when}"]), row
    differ = sum(row["answer_before"] != row["answer_after"] for row in rows)
    overall = result.measures.fairscore.overall
    assert (overall.rows, overall.differ) == (len(rows), differ)
    assert differ > 0


# ---- pipelines and functions ------------------------------------------------------------------------------------------------


def test_a_pipeline_of_hugging_face_reads_long_texts_too(data, invoke, tmp_path):
    save_sequence_classifier(tmp_path / "bert", WORDS)
    (tmp_path / "own_hf.py").write_text(
        "from transformers import AutoTokenizer, pipeline\n"
        "tokenizer = AutoTokenizer.from_pretrained('bert', model_max_length=64)\n"
        "classifier = pipeline('text-classification', model='bert', tokenizer=tokenizer, device=-1)\n"
    )
    frame = data.frame.head(20).with_columns(text=pl.col("text") + " of a week" * 20)
    save(load(frame), tmp_path / "dev.csv")
    result = invoke("--model", "own_hf:classifier", "--out", "run")
    assert result.exit_code == 0, f"{result.output}\n{result.exception!r}"
    measure = json.loads((tmp_path / "run" / "fairness.json").read_text())["measures"]["fairscore"]
    assert measure["overall"]["rows"] == 20
    assert set(measure["labels"]) <= {"bad", "good"}


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def f(texts): return [0.5 + i / 99 for i, _ in enumerate(texts)]", "a score and not a label"),
        ("def f(texts): return 'good'", "one answer for all texts"),
        ("def f(texts): return ['good']", "gave 1 answers for 64 texts"),
        ("def f(texts): raise RuntimeError('no weights')", "RuntimeError: no weights"),
        ("f = 3", "is no finished model"),
    ],
)
def test_a_function_that_returns_no_labels_is_refused_with_the_reason(invoke, tmp_path, source, words):
    module = f"own_{abs(hash(source))}"
    (tmp_path / f"{module}.py").write_text(source)
    result = invoke("--model", f"{module}:f")
    assert isinstance(result.exception, LongwayError), result.exception
    assert words in str(result.exception)
    assert "list of texts" in str(result.exception)


def test_a_file_may_be_named_as_such(invoke, tmp_path):
    (tmp_path / "own_path.py").write_text(
        "def f(texts): return ['good' if 'She' in text else 'bad' for text in texts]"
    )
    result = invoke("--model", "own_path.py:f", "--limit", "20")
    assert result.exit_code == 0, f"{result.output}\n{result.exception!r}"


def test_a_pickle_is_never_loaded(invoke, tmp_path):
    path = tmp_path / "model.joblib"
    path.write_bytes(b"cos\nsystem\n(S'touch loaded'\ntR.")
    result = invoke("--model", "model.joblib")
    assert isinstance(result.exception, SettingError)
    assert "joblib.load('model.joblib')" in str(result.exception)
    assert "my_models:model" in str(result.exception)
    assert not (tmp_path / "loaded").exists()


# ---- a language model on a server --------------------------------------------------------------------------------------------


def test_a_served_model_is_asked_for_the_label_of_both_versions(data, tmp_path):
    with Loopback(judge) as server:
        result = served(data, server, out=tmp_path / "run")
        n = len(server.calls)
        again = served(data, server, out=tmp_path / "run")
    check_counted(result)
    assert again.measures == result.measures
    assert len(server.calls) == n
    assert result.measures.fairscore.labels == ("bad", "good")
    assert result.measures.fairscore.accuracy is not None
    ((kind, calls),) = [(one.kind, one.calls) for one in result.cost]
    assert (kind, calls) == ("judge", n)


def test_both_versions_are_asked_with_the_same_examples(data):
    with Loopback(judge) as server:
        served(data, server, describe=("good=the soup is good",))
    examples = {}
    for call in server.calls:
        day = call.text.partition(" on ")[2]
        about = [message["content"].replace(json.dumps(call.text), "") for message in call.body["messages"]]
        assert any("the soup is good" in content for content in about)
        examples.setdefault(day, set()).add(json.dumps(about))
    assert len(examples) == 60
    assert all(len(one) == 1 for one in examples.values())


def test_a_server_that_dies_loses_nothing(data, tmp_path):
    answered = []

    def dies(call):
        answered.append(call.text)
        return (
            judge(call) if len(answered) <= 30 else Reply({"error": {"message": "out of memory"}}, status=401)
        )

    with Loopback(dies) as server, pytest.raises(EngineError, match="did not accept the key"):
        served(data, server, out=tmp_path / "run")
    port = server.port
    with Loopback(judge, port=port) as server:
        result = served(data, server, out=tmp_path / "run")
    check_counted(result)
    assert not set(answered[:30]) & {call.text for call in server.calls}


def test_rows_without_a_usable_answer_are_left_out_and_counted(data, tmp_path):
    def lies(call):
        return completion('{"label": "purple"}') if "day 1" in call.text else judge(call)

    with Loopback(lies) as server:
        result = served(data, server, out=tmp_path / "run")
    measure = result.measures.fairscore
    lost = sum("day 1" in text for text in rows_of(data).inputs.texts)
    assert sum(measure.unanswered.values()) == lost > 0
    assert measure.overall.rows == 60 - lost
    purple = Loopback(lambda call: completion('{"label": "purple"}'))
    with (
        purple as server,
        pytest.raises(EngineError, match="none of its first 5 answers had the requested form"),
    ):
        served(data, server, out=tmp_path / "none")


def test_calls_that_failed_in_passing_are_made_by_the_same_command(data, tmp_path):
    failing = [True]

    def sometimes(call):
        return Reply({}, status=503) if failing[0] and "day 7 " in call.text else judge(call)

    with Loopback(sometimes) as server:
        first = served(data, server, out=tmp_path / "run")
        assert first.failed_calls
        assert "The same command tries them again" in str(first.page().warning)
        failing[0] = False
        n = len(server.calls)
        second = served(data, server, out=tmp_path / "run")
    assert 1 <= len(server.calls) - n <= 2
    assert not second.failed_calls
    check_counted(second)


def with_usage(answer):
    """The same answers, for 1,000 tokens each: 10 cents."""

    def told(call):
        reply = answer(call)
        reply.body["usage"] = {"prompt_tokens": 950, "completion_tokens": 50, "total_tokens": 1000}
        return reply

    return told


def test_money_is_estimated_before_it_is_spent_and_the_budget_holds(data, prices, tmp_path):
    estimates = []

    watcher = watching(estimate=estimates.append)
    with Loopback(with_usage(judge)) as server:
        with pytest.raises(BudgetSpent, match="larger --budget"):
            served(data, server, budget=2.0, out=tmp_path / "run", watcher=watcher)
        assert 0 < len(server.calls) < 100
        result = served(data, server, budget=50.0, out=tmp_path / "run", watcher=watcher)
    (first, second), texts = estimates, [call.text for call in server.calls]
    assert (first.judgements, first.writes) == (120, 0)
    assert first.cost > 2
    assert 0 < second.spent <= 2
    assert len(texts) == len(set(texts))
    check_counted(result)


def test_the_command_asks_before_it_spends(invoke, prices, monkeypatch):
    with Loopback(judge) as server:
        monkeypatch.setenv("LONGWAY_BASE_URL", server.url)
        result = invoke("--model", "served:toy")
        assert isinstance(result.exception, SettingError)
        assert "120 to judge" in str(result.exception)
        assert "--budget DOLLARS, or --yes" in str(result.exception)
        assert not server.calls
        assert invoke("--model", "served:toy", "--yes").exit_code == 0
        assert server.calls


# ---- other perturbers ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def bakers():
    return load(toy_perturb.bakers_of(20), id="id", text="text", label="label")


def sees_he(texts):
    return ["x" if " he " in text else "y" for text in texts]


def test_people_are_changed_by_a_served_model(bakers, tmp_path):
    with Loopback(toy_perturb.answer) as server:
        result = fairness(
            bakers,
            model=sees_he,
            perturber="served:toy",
            engines=Engines(server.url, options=FAST),
            out=tmp_path / "run",
        )
        n = len(server.calls)
        assert n > 0
    measure = result.measures.fairscore
    assert measure.perturber == "served:toy"
    assert (measure.overall.rows, measure.overall.differ) == (20, 20)
    assert all(" he " not in row["text_after"] for row in lines(result))
    assert [one.kind for one in result.cost] == ["write"]
    told = json.loads((tmp_path / "run" / "run.json").read_text())["settings"]
    assert told["perturber_identity"]["base_url"] == server.url


def test_a_budget_that_ends_while_people_are_changed_stops_the_run(bakers, prices, tmp_path):
    def measured(server, budget):
        engines = Engines(server.url, budget=budget, options=FAST)
        return fairness(bakers, model=sees_he, perturber="served:toy", engines=engines, out=tmp_path / "run")

    with Loopback(with_usage(toy_perturb.answer)) as server:
        with pytest.raises(BudgetSpent, match=r"rows still to be changed by served:toy.*larger --budget"):
            measured(server, 1.5)
        n = len(server.calls)
        assert n > 0
        result = measured(server, 100.0)
        texts = [call.content for call in server.calls]
    assert len(texts) == len(set(texts)) > n
    assert result.measures.fairscore.overall.rows == 20


def test_a_proof_takes_the_same_perturbers(bakers, tmp_path, monkeypatch):
    without_encoder(monkeypatch)
    train = load(toy_perturb.bakers_of(90)[30:], id="id", text="text", label="label")
    settings = ProveSettings(models=("bow",), seeds=1, fairscore=True, perturber="served:toy")
    with Loopback(toy_perturb.answer) as server:
        engines = Engines(server.url, options=FAST)
        after = load(toy_perturb.bakers_of(100)[50:], id="id", text="text", label="label")
        result = prove(train, after, settings, tests={"dev": bakers}, engines=engines, out=tmp_path / "run")
        n = len(server.calls)
    assert n > 0
    assert result.fairscore.perturber == "served:toy"
    (test,) = result.fairscore.tests
    assert test.perturbed == 20
    changes = [json.loads(line) for line in (tmp_path / "run" / test.file).read_text().splitlines()]
    assert len(changes) == 20
    assert all(row["text_before"] != row["text_after"] for row in changes)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": "minilm", "perturber": "served:toy", "crows_pairs": "none.csv"}, "Add --fairscore DATA"),
        ({"model": "minilm", "perturber": "rule"}, "Unknown engine 'rule'. Expected rules, neural:"),
    ],
)
def test_a_perturber_without_a_fairscore_or_that_is_none_is_refused(options, words):
    with pytest.raises(SettingError) as raised:
        fairness(**options)
    assert words in str(raised.value)
    with pytest.raises(SettingError, match="'perturber' is what changes people"):
        ProveSettings(perturber="served:toy")


# ---- what is shown -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def measured(data, tmp_path_factory):
    out = tmp_path_factory.mktemp("shown") / "run"
    return fairness(data, model=lambda texts: [sees_she(text) for text in texts], out=out)


def test_words_are_counted_on_the_rows_in_the_run_folder(measured):
    rows = lines(measured)
    differ = np.array([row["answer_before"] != row["answer_after"] for row in rows])
    changes = [set(changes_of(row["text_before"], row["text_after"])) for row in rows]
    words = measured.measures.fairscore.by_word
    for word in words:
        own = np.array([(word.before, word.after) in some for some in changes])
        assert (word.rows, word.differ) == (own.sum(), (own & differ).sum())
    lows = [word.score.low for word in words]
    assert lows == sorted(lows, reverse=True)
    assert {word.rows >= 5 for word in words} == {True}
    assert words[0].before in ("he", "she")
    assert len(set().union(*changes)) > len(words)


def test_small_groups_are_counted_and_examples_show_what_was_changed(measured):
    measure = measured.measures.fairscore
    small = [one for one in measure.by_pair if one.rows < 5]
    large = [one for one in measure.by_pair if one.rows >= 5]
    assert small
    assert large
    card = markdown.render(measured.page())
    assert f"{len(small)} more pairs are in fairness.json" in card
    for one in large:
        assert f"{one.axis}: {one.source} to {one.target}" in card
    assert not any(f"{one.axis}: {one.source} to {one.target}" in card for one in small)
    assert "cannot show that a model is fair" in card
    page = (measured.folder / "report.html").read_text(encoding="utf-8")
    assert "<del>" in page
    assert measured.measures.fairscore.examples
    for example in measure.examples:
        assert example.answer != example.perturbed_answer
        (text,) = example.texts
        assert sees_she(text.before) == example.answer
        assert sees_she(text.after) == example.perturbed_answer


def test_the_terminal_shows_both_versions_of_a_text_without_colours(invoke, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "own_seen.py").write_text(
        "def f(texts): return ['good' if 'she' in text.lower().split() else 'bad' for text in texts]"
    )
    result = invoke("--model", "own_seen:f")
    assert result.exit_code == 0, f"{result.output}\n{result.exception!r}"
    assert "Which words change the answer" in result.output
    assert "he → she" in result.output
    assert "text, original: " in result.output
    assert "perturbed: " in result.output
    assert all(
        len(line) <= 80
        for line in result.output.splitlines()
        if "Report" not in line and "Verdict" not in line
    )


def test_a_network_changes_people_and_what_it_said_is_kept(data, tmp_path):
    """A network that has learned nothing: whatever it says is refused, so there is no fairscore."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tests.methods.perturb.conftest import _make

    _make("bart", tmp_path / "network")
    run = tmp_path / "run"
    some = load(data.frame.head(4))
    with pytest.raises(SettingError, match="In none of 4 rows"):
        fairness(some, model=sees_he, perturber=f"neural:{tmp_path / 'network'}", device="cpu", out=run)
    settings = json.loads((run / "run.json").read_text())["settings"]
    assert settings["perturber_fingerprint"]
    with closing(Journal(run / "journal.sqlite")) as journal:
        assert {call.kind for call in journal.entries()} == {"perturb"}
