"""The fairscore of finished classifiers, saved by a proof or by Hugging Face, and counted again by hand."""

import json

import numpy as np
import polars as pl
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from typer.testing import CliRunner

from longway.cli import app
from longway.data import load, save
from longway.errors import LongwayError, SettingError, TrainingError
from longway.jobs.documents import ANALYSES_FILE
from longway.jobs.fairness.classifier import ClassifierRows
from longway.jobs.fairness.job import fairness
from longway.jobs.fairness.models import classifier_of
from longway.jobs.prove import training
from longway.jobs.prove.settings import ProveSettings
from longway.jobs.prove.training import Cell, rows_of
from longway.models.catalog import load_model, model_named
from longway.models.classifier import Inputs
from longway.store import Run
from tests.environment import without_encoder
from tests.jobs.cooks import cooks, soups_alone
from tests.jobs.proved import proved
from tests.jobs.watching import watching


@pytest.fixture(scope="module")
def data():
    return cooks(60, she_is_good=0.5, seed=2, others=True)


@pytest.fixture(scope="module")
def biased(tmp_path_factory):
    """A saved bag of words that learned that "she" is good."""
    folder = tmp_path_factory.mktemp("classifier")
    model_named("bow").fit(rows_of(cooks(120, she_is_good=0.95, seed=1))).save(folder)
    return folder


@pytest.fixture(scope="module")
def measured(biased, data, tmp_path_factory):
    out = tmp_path_factory.mktemp("fairness") / "run"
    return fairness(data, model=str(biased), out=out)


def lines(result):
    return [
        json.loads(line)
        for line in (result.folder / result.measures.fairscore.file).read_text("utf-8").splitlines()
    ]


def test_it_is_equation_1_counted_on_the_rows_in_the_run_folder(measured, biased, data):
    measure = measured.measures.fairscore
    rows, model = lines(measured), load_model(biased)
    was, now = (model.predict(Inputs([row[f"text_{when}"] for row in rows])) for when in ("before", "after"))
    assert [(row["answer_before"], row["answer_after"]) for row in rows] == list(zip(was, now, strict=True))
    differ = [old != new for old, new in zip(was, now, strict=True)]
    assert measure.overall.score.value == pytest.approx(100 * sum(differ) / len(rows))
    assert measure.overall.score.value > 40  # it was built to look at the person
    for axis, share in measure.by_axis.items():
        own = [one for one, row in zip(differ, rows, strict=True) if row["axis"] == axis]
        assert (share.rows, share.differ) == (len(own), sum(own))
    for share in measure.by_pair:
        own = [
            one
            for one, row in zip(differ, rows, strict=True)
            if all(row[key] == getattr(share, key) for key in ("axis", "source", "target"))
        ]
        assert (share.rows, share.differ) == (len(own), sum(own))
        assert share.score.low <= share.score.value <= share.score.high
    assert {"gender", "race", "age"} == set(measure.by_axis)
    right = [
        said == label
        for said, label in zip(model.predict(rows_of(data).inputs), rows_of(data).labels, strict=True)
    ]
    assert measure.accuracy.value == pytest.approx(100 * np.mean(right))
    assert measure.rows == measure.of == 60
    assert measure.overall.rows + sum(measure.stayed.values()) == 60


def test_rows_and_ids_are_those_of_the_data(measured, data):
    texts = {row["id"]: row["text"] for row in data.frame.iter_rows(named=True)}
    for row in lines(measured):
        assert row["text_before"] == texts[row["id"]] != row["text_after"]
    assert not (measured.folder / ANALYSES_FILE).exists()
    keys = ["data", "model", "method", "test", "metric", "mean", "std", "low", "high", "seeds"]
    rows = measured.to_dict()["rows"]
    assert all(list(row) == keys for row in rows)
    assert {row["metric"] for row in rows} == {"fairscore", "accuracy"}
    assert any(row["test"].startswith("Fairscore: gender, woman to") for row in rows)


def test_a_classifier_that_knows_no_word_for_people_has_0(data, tmp_path):
    model_named("bow").fit(rows_of(soups_alone(80, seed=4))).save(tmp_path / "model")
    result = fairness(data, model=str(tmp_path / "model"))
    score = result.measures.fairscore.overall.score
    assert score.value == score.low == 0 < score.high
    assert result.measures.fairscore.file == ""


def test_a_run_that_was_broken_off_asks_nothing_twice(biased, data, tmp_path, monkeypatch):
    from longway.models.bag_of_words import Linear

    asked, predict = [], Linear.predict

    def counted(self, inputs):
        asked.extend(inputs.texts)
        return predict(self, inputs)

    monkeypatch.setattr(Linear, "predict", counted)

    def go(watcher=None):
        return fairness(data, model=str(biased), out=tmp_path / "run", watcher=watcher)

    def stop(done, total):
        if asked:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        go(watching(progress=stop))
    assert 0 < len(asked) < 100
    result = go()
    assert len(asked) == len(set(asked))
    n = len(asked)
    assert go().measures == result.measures
    assert len(asked) == n


def test_with_a_limit_rows_are_drawn_and_keep_their_ids(data):
    some = ClassifierRows.of(data, limit=20, seed=3)
    ids = [str(one) for batch in data.batches() for one in batch.ids]
    assert (len(some.rows), some.n_all) == (20, 60)
    whole = rows_of(data)
    for id_, text, label in zip(some.ids, some.rows.inputs.texts, some.rows.labels, strict=True):
        assert (text, label) == (whole.inputs.texts[ids.index(id_)], whole.labels[ids.index(id_)])
    assert (
        some.ids
        == ClassifierRows.of(data, limit=20, seed=3).ids
        != ClassifierRows.of(data, limit=20, seed=4).ids
    )


def test_of_data_with_splits_one_must_be_named(data):
    frame = data.frame.with_columns(split=pl.Series(["train", "test"] * 30))
    split = load(frame)
    with pytest.raises(SettingError, match=r"the splits train, test.*--split"):
        ClassifierRows.of(split)
    assert len(ClassifierRows.of(split, split="test").rows) == 30


def test_data_without_people_has_no_fairscore(biased, tmp_path):
    with pytest.raises(SettingError, match=r"In none of 12 rows .* no fairscore"):
        fairness(soups_alone(12, seed=5), model=str(biased), out=tmp_path / "run")


# ---- classifiers that a proof saved ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def proof(data, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        without_encoder(patch)
        before, after = (cooks(80, she_is_good=share, seed=seed) for share, seed in ((0.95, 1), (0.5, 7)))
        settings = ProveSettings(seeds=2, methods=("rew",), fairscore=True, save_models=True)
        folder = tmp_path_factory.mktemp("proof") / "run"
        yield proved(before, after, tests={"dev": data}, settings=settings, out=folder)


def test_a_saved_classifier_has_the_fairscore_that_the_proof_tells(proof, data, tmp_path):
    """Eq. 1 through both ways, on the same rows."""
    folder, results = proof
    names = {path.name for path in (folder / "models").iterdir()}
    assert names == {f"{d}-bow-{m}-{s}" for d in ("before", "after") for m in ("erm", "rew") for s in (0, 1)}
    for method in ("erm", "rew"):
        shares = []
        for seed in (0, 1):
            model = folder / "models" / f"before-bow-{method}-{seed}"
            result = fairness(data, model=str(model), out=tmp_path / f"{method}{seed}")
            shares.append(result.measures.fairscore.overall.score.value)
        told = next(
            row["mean"]
            for row in results["rows"]
            if (row["data"], row["method"], row["metric"]) == ("before", method, "fairscore")
        )
        assert told == pytest.approx(np.mean(shares))


def test_a_classifier_that_was_lost_is_trained_again(proof, data, monkeypatch):
    folder, _ = proof
    trained, train_cell = [], training.train_cell
    monkeypatch.setattr(
        training, "train_cell", lambda cell, *rest, **options: trained.append(cell) or train_cell(cell, *rest, **options)
    )  # fmt: skip
    without_encoder(monkeypatch)
    (folder / "models" / "after-bow-erm-1" / "classifier.json").unlink()
    Run(folder).reopen()
    before, after = (cooks(80, she_is_good=share, seed=seed) for share, seed in ((0.95, 1), (0.5, 7)))
    settings = ProveSettings(seeds=2, methods=("rew",), fairscore=True, save_models=True)
    proved(before, after, tests={"dev": data}, settings=settings, out=folder)
    assert trained == [Cell("after", "bow", "erm", 1)]
    assert (folder / "models" / "after-bow-erm-1" / "classifier.json").is_file()


def test_a_classifier_made_of_two_is_another_where_one_of_them_is(biased, tmp_path):
    """What its answers are kept under: its own files, and those of its parts."""
    import shutil

    for name in ("one", "two"):
        for part in ("fusion", "text_only"):
            shutil.copytree(biased, tmp_path / name / part)
        (tmp_path / name / "classifier.json").write_text("{}", encoding="utf-8")
    about = tmp_path / "two" / "fusion" / "classifier.json"
    text = about.read_text(encoding="utf-8")
    assert "soup" in text
    about.write_text(text.replace("soup", "stew"), encoding="utf-8")
    one, two = (classifier_of(str(tmp_path / name)).identity["hash"] for name in ("one", "two"))
    assert one != two


# ---- Hugging Face, and the command -----------------------------------------------------------------------------------------


def save_sequence_classifier(
    folder, words, *, labels=("bad", "good"), she=3.0, kind="BertForSequenceClassification"
):
    """A BERT whose answer is good where a text has "she", by hand-set weights: nothing of it was trained."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    names = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", *words]
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(names)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]"
    )
    config = transformers.BertConfig(
        vocab_size=len(names), hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8, max_position_embeddings=64,
        id2label=dict(enumerate(labels)), label2id={name: i for i, name in enumerate(labels)},
    )  # fmt: skip
    model = getattr(transformers, kind)(config)
    if kind == "BertForSequenceClassification" and she is not None:
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.zero_()
            embeddings, layer = model.bert.embeddings, model.bert.encoder.layer[0]
            embeddings.word_embeddings.weight[:, 0] = -1.0  # LayerNorm needs a spread
            embeddings.word_embeddings.weight[names.index("she"), 1] = 50.0
            for norm in (embeddings.LayerNorm, layer.attention.output.LayerNorm, layer.output.LayerNorm):
                norm.weight.fill_(1.0)
            layer.attention.self.value.weight.copy_(torch.eye(8))  # every token gets the mean of all
            layer.attention.output.dense.weight.copy_(torch.eye(8))
            model.bert.pooler.dense.weight.copy_(torch.eye(8))
            model.classifier.weight[1, 1] = she
            model.classifier.bias[0] = (
                she * float(torch.tanh(torch.tensor(0.378))) + 0.05
            )  # what [CLS] has there without her
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


WORDS = "she he her his they their served guests soup on day of week a an cook".split()


def test_a_classifier_of_hugging_face_is_asked_as_it_is(data, tmp_path):
    folder = save_sequence_classifier(tmp_path / "bert", WORDS)
    result = fairness(data, model=f"hf:{folder}", device="cpu", out=tmp_path / "run")
    for row in lines(result):
        for when in ("before", "after"):
            is_she = "she" in row[f"text_{when}"].lower().split()
            assert row[f"answer_{when}"] == ("good" if is_she else "bad"), row
    assert result.measures.fairscore.by_axis["gender"].score.value > 0
    assert result.model.kind == "classifier"
    assert result.measures.fairscore.accuracy is not None


def test_labels_that_nobody_named_have_no_accuracy(data, tmp_path):
    folder = save_sequence_classifier(tmp_path / "bert", WORDS, labels=("LABEL_0", "LABEL_1"))
    result = fairness(data, model=f"hf:{folder}", device="cpu")
    measure = result.measures.fairscore
    assert measure.accuracy is None
    assert measure.overall.differ > 0
    assert {row.metric for row in result.rows} == {"fairscore"}


def test_numbered_labels_are_those_of_data_with_numbers(data, tmp_path):
    folder = save_sequence_classifier(tmp_path / "bert", WORDS, labels=("LABEL_0", "LABEL_1"))
    numbered = load(data.frame.with_columns(label=(pl.col("label") == "good").cast(pl.Int64)))
    result = fairness(numbered, model=f"hf:{folder}", device="cpu")
    rows = rows_of(numbered)
    right = [
        (label == "1") == ("she" in text.lower().split())
        for text, label in zip(rows.inputs.texts, rows.labels, strict=True)
    ]
    assert result.measures.fairscore.accuracy.value == pytest.approx(100 * np.mean(right))


@pytest.fixture
def invoke(data, tmp_path, monkeypatch):
    save(data, tmp_path / "dev.csv")
    monkeypatch.chdir(tmp_path)

    def run(*args):
        return CliRunner().invoke(app, ["fairness", *map(str, args)])

    return run


def test_the_command_tells_it_in_the_terminal_as_json_and_as_a_page(invoke, biased, tmp_path):
    result = invoke("--model", biased, "--fairscore", "dev.csv", "--limit", "40", "--out", "run")
    assert result.exit_code == 0, f"{result.output}\n{result.exception!r}"
    for words in (
        "Fairscore",
        "40 rows of 60, 40 of them perturbed",
        "gender: woman to",
        "Accuracy: ",
        "perturbed/dev.jsonl",
        "cannot show that a model is fair",
    ):
        assert words in result.output, words
    assert 'id="fairscore"' in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    told = invoke("--model", biased, "--fairscore", "dev.csv", "--limit", "40", "--out", "run", "--json")
    assert json.loads(told.stdout)["measures"]["fairscore"]["rows"] == 40


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--model", "minilm", "--fairscore", "dev.csv"], "minilm is not a trained classifier"),
        (["--model", ".", "--fairscore", "dev.csv"], "prove --save-models"),
        (["--model", "http://localhost:8000/predict", "--fairscore", "dev.csv"], "MODULE:NAME for a model of your own"),
        (["--model", "minilm", "--label", "label"], "which was not given"),
        (["--model", "hf:head", "--fairscore", "dev.csv"], "'head' is not a classifier: its config.json names BertForMaskedLM"),
        (["--model", "hf:headless", "--fairscore", "dev.csv"], "lack weights it needs: classifier."),
        (["--model", "hf:one", "--fairscore", "dev.csv"], "does not choose one of several labels"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_in_words_with_the_next_step(invoke, tmp_path, args, words):
    if args[1] == "hf:head":
        save_sequence_classifier(tmp_path / "head", WORDS, kind="BertForMaskedLM")
    elif args[1] == "hf:headless":
        folder = save_sequence_classifier(tmp_path / "headless", WORDS, kind="BertModel")
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        (folder / "config.json").write_text(
            json.dumps(config | {"architectures": ["BertForSequenceClassification"]})
        )
    elif args[1] == "hf:one":
        save_sequence_classifier(tmp_path / "one", WORDS, labels=("score",), she=None)
    result = invoke(*args)
    assert isinstance(result.exception, LongwayError), result.exception
    assert words in str(result.exception)
    assert not (tmp_path / "longway-runs").exists()


MODULE = """
def sees_she(texts):
    return [GOOD if " she " in f" {text.lower()} " else BAD for text in texts]
"""


def test_a_model_of_ones_own_has_a_fairscore(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    labels = sorted(set(rows_of(data).labels))
    source = MODULE.replace("GOOD", repr(labels[-1])).replace("BAD", repr(labels[0]))
    (tmp_path / "own_fair.py").write_text(source)
    found = fairness(data, model="own_fair:sees_she", out=True)
    measure = found.measures.fairscore
    changed = [row for row in lines(found) if row["axis"] == "gender"]
    was, now = (
        [" she " in f" {row[f'text_{when}'].lower()} " for row in changed] for when in ("before", "after")
    )
    differ = sum(one != other for one, other in zip(was, now, strict=True))
    assert (measure.by_axis["gender"].rows, measure.by_axis["gender"].differ) == (len(changed), differ)
    assert differ > 0
    assert measure.labels == tuple(labels)
    assert measure.accuracy is not None
    assert fairness(data, model="own_fair:sees_she", out=True).folder == found.folder
    (tmp_path / "own_fair.py").write_text(source + "# changed\n")
    assert fairness(data, model="own_fair:sees_she", out=True).folder != found.folder


def test_a_fitted_pipeline_has_a_fairscore_as_it_is(data):
    rows = rows_of(cooks(120, she_is_good=0.95, seed=1))
    fitted = make_pipeline(CountVectorizer(), LogisticRegression()).fit(rows.inputs.texts, rows.labels)
    found = fairness(data, model=fitted).measures.fairscore
    assert found.labels == tuple(fitted.classes_)
    assert found.accuracy.value == pytest.approx(
        100 * fitted.score(rows_of(data).inputs.texts, rows_of(data).labels)
    )


@pytest.mark.parametrize("answer", ["banana", None, 1, ["good", "banana"]])
def test_answers_that_are_no_label_of_the_data_are_refused(data, answer):
    def model(texts):
        return [answer[i % 2] if isinstance(answer, list) else answer for i, _ in enumerate(texts)]

    with pytest.raises(
        TrainingError, match=r"answered '(banana|None|1)'. Expected the labels of the data: bad, good"
    ):
        fairness(data, model=model)


def test_a_model_may_know_more_labels_than_the_data_and_rows_may_lack_one(data):
    class Three:
        classes_ = ("bad", "good", "mixed")

        def predict(self, texts):
            return ["mixed" if "She" in text else "GOOD" for text in texts]

    assert fairness(data, model=Three()).measures.fairscore.accuracy.value < 100
    rare = data.frame.with_columns(
        label=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("rare")).otherwise("label")
    )
    found = fairness(load(rare), model=lambda texts: ["rare"] * len(texts), limit=12)
    assert found.measures.fairscore.rows == 12


def test_what_is_no_finished_model_is_refused(data):
    with pytest.raises(SettingError, match="no finished model"):
        fairness(data, model=LogisticRegression)
