"""papers/coba/tables.py: what it computes, and a whole run over a server that is interrupted and goes on."""

import gzip
import importlib
import json
import sys
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from longway.engines.engine import Sampling, Written
from longway.engines.prompt import mended
from longway.jobs.augment.methods import read_given_file
from longway.models.classifier import Inputs, Labelled
from tests.engines.loopback import Loopback, completion
from tests.environment import forget_scripts, without_encoder, without_settings_of_the_user
from tests.jobs.toy_augment import answer, asked
from tests.jobs.toy_run import rows_of
from tests.methods.parts import rows_of as method_rows
from tests.tiny_language_models import save_bert, save_gpt2

SCRIPTS = Path(__file__).resolve().parents[1] / "papers" / "coba"
IMDB_FILES = (
    "imdb/train.jsonl.gz",
    "imdb/test.jsonl.gz",
    "human_cad_imdb/dev.jsonl.gz",
    "human_cad_imdb/train.jsonl.gz",
    "sst2_sentences/test.jsonl.gz",
    "yelp_sentences/dev_sample.jsonl.gz",
)


@pytest.fixture
def part(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    forget_scripts()
    yield importlib.import_module
    forget_scripts()


@pytest.fixture
def reviews(part, monkeypatch, tmp_path):
    """Toy reviews in place of IMDb and its test sets."""
    without_settings_of_the_user(monkeypatch, tmp_path)
    without_encoder(monkeypatch)
    monkeypatch.setattr(part("sources").common, "DATA", tmp_path)
    rows = [{"text": row["review"], "label": row["label"]} for row in rows_of(24)]
    for file in IMDB_FILES:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        with gzip.open(tmp_path / file, "wt", encoding="utf-8") as lines:
            lines.writelines(json.dumps(row) + "\n" for row in rows)


def run(part, monkeypatch, capsys, *options):
    """The tables that the script gives, and everything it printed before."""
    monkeypatch.setattr(sys, "argv", ["papers/coba/tables.py", *options])
    capsys.readouterr()
    part("tables").main()
    *printed, figures = capsys.readouterr().out.splitlines()
    return json.loads(figures)["tables"], printed


def test_a_run_over_a_server_shares_answers_goes_on_and_pays_once(
    part, reviews, monkeypatch, capsys, tmp_path
):
    versions = part("versions")
    augment, begun = versions.augment, []

    def stops_at_the_second(*given, **options):
        begun.append(options["out"].name)
        if len(begun) == 2:
            raise KeyboardInterrupt
        return augment(*given, **options)

    with Loopback(answer) as server:
        settings = ["--engine", "served:toy", "--base-url", server.url, "--voters", "bow", "--rows", "12"]
        settings += ["--tables", "10", "--out", str(tmp_path / "out")]
        monkeypatch.setattr(versions, "augment", stops_at_the_second)
        with pytest.raises(SystemExit, match=r"to go on: python papers/coba/tables\.py --engine served:toy"):
            run(part, monkeypatch, capsys, *settings)
        before = len(server.calls)
        tables, printed = run(part, monkeypatch, capsys, *settings)
        assert len(server.calls) > before > 0
        assert set(server.counts.values()) == {1}  # whatever was interrupted, no question was put twice
        assert sum(asked(call) == "triples" for call in server.calls) == 12  # for four versions of 12 rows
        again, _ = run(part, monkeypatch, capsys, *settings)
        calls = len(server.calls)
        assert again == tables
        run(part, monkeypatch, capsys, *settings[:-4], "--tables", "10", "--seeds", "2", *settings[-2:])
        assert len(server.calls) == calls  # other trainings, the same texts
    assert [line["paper"] for line in tables["10"]] == [94.9, 95.7, 92.9, 95.4]
    assert all(line["rows"] > 12 and 0 <= line["ours"] <= 100 for line in tables["10"])
    assert max(map(len, printed)) <= 100


def test_a_table_is_measured_again_where_a_setting_differs(part, reviews, monkeypatch, capsys, tmp_path):
    settings = ["--voters", "bow", "--tables", "10", "--out", str(tmp_path / "out")]
    monkeypatch.setattr(part("versions").Workshop, "_make", lambda self, name, version, rows, more: part("versions").Made(rows))  # fmt: skip
    first, _ = run(part, monkeypatch, capsys, *settings, "--rows", "10")
    second, _ = run(part, monkeypatch, capsys, *settings, "--rows", "16")
    assert {line["rows"] for line in first["10"]} == {10}
    assert {line["rows"] for line in second["10"]} == {16}


def test_a_dry_run_asks_nothing(part, reviews, monkeypatch, capsys, tmp_path):
    with Loopback(answer) as server:
        settings = ["--engine", "served:toy", "--base-url", server.url, "--voters", "bow", "--rows", "12"]
        _, printed = run(
            part,
            monkeypatch,
            capsys,
            *settings,
            "--tables",
            "10",
            "--dry-run",
            "--out",
            str(tmp_path / "out"),
        )
        assert not server.calls
    assert "  imdb coba: at most 36 calls, $0.00" in printed
    assert not (tmp_path / "out").exists()


def test_a_table_that_is_not_there_is_told(part, monkeypatch, capsys):
    with pytest.raises(SystemExit):
        run(part, monkeypatch, capsys, "--tables", "9")
    assert "There is no table 9 here" in capsys.readouterr().err


def test_the_figures_of_the_paper_agree_with_each_other(part):
    """CoBA on IMDb and SST-2 with BERT stands in four tables."""
    paper = part("published")
    bert = paper.table_3("bow")["coba"]
    assert bert["imdb"] == paper.TABLE_10["coba"] == paper.TABLE_11[5]["imdb"] == paper.TABLE_12[5]["imdb"]
    assert bert["sst2"] == paper.TABLE_11[5]["sst2"] == paper.TABLE_12[5]["sst2"]
    assert {len(row) for row in paper.table_3("hf:t5").values()} == {4}


def test_rows_of_one_file_are_for_training_or_for_testing(part, monkeypatch):
    data = part("sources")
    lines = [{"text": "word " * n, "label": "ab"[n % 2]} for n in range(1, 21)]
    monkeypatch.setattr(data, "lines_of", lambda file: lines)
    source = data.Source("x", "x.gz", {"test": "x.gz"})
    train, test = (data.rows_from(source, "x.gz", limit=99, held_out=held) for held in (False, True))
    assert sorted(int(row["id"]) for row in train + test) == list(range(20))
    assert [row["id"] for row in test] == ["4", "9", "14", "19"]
    short = data.rows_from(source, "x.gz", limit=3, max_words=6)
    assert len(short) == 3
    assert all(len(row["text"].split()) <= 6 for row in short)


class Fixed:
    """Answers by the text."""

    labels_ = ("a", "b")

    def __init__(self, shares):
        self.shares = shares

    def predict_proba(self, inputs):
        return np.array([[1 - self.shares[text], self.shares[text]] for text in inputs.texts])

    def predict(self, inputs):
        return ["ab"[self.shares[text] > 0.5] for text in inputs.texts]


def test_auroc_is_the_share_of_pairs_in_the_right_order(part):
    rng = np.random.default_rng(0)
    shares = {str(i): round(float(rng.random()), 1) for i in range(30)}
    labels = ["ab"[int(rng.random() < 0.5)] for _ in shares]
    own = {
        label: [s for s, known in zip(shares.values(), labels, strict=True) if known == label]
        for label in "ab"
    }
    pairs = [(b > a) + 0.5 * (b == a) for a, b in product(own["a"], own["b"])]
    found = part("sources").auroc(Fixed(shares), Labelled(Inputs(list(shares)), labels))
    assert found == pytest.approx(np.mean(pairs))


def test_answers_that_change_with_gender_are_counted(part):
    model = Fixed({"he": 0.9, "she": 0.1, "him": 0.8, "her": 0.7})
    pairs = [
        {"text": old, "label": "a", "new": {"text": new, "label": "a"}}
        for old, new in (("he", "she"), ("him", "her"))
    ]
    assert part("sources").moved(model, pairs) == 0.5


def test_words_are_shared_between_runs_about_the_same_rows_only(part):
    versions = part("versions")
    settings = dict.fromkeys(versions.OF_WORDS, 1) | {"gender": True}
    run_json = {"fingerprint": "x", "settings": settings}
    assert versions.same_words(run_json, {**run_json, "settings": settings | {"gender": False}})
    assert not versions.same_words(run_json, {**run_json, "fingerprint": "y"})
    assert not versions.same_words(run_json, {**run_json, "settings": settings | {"top_k": 3}})


def test_at_most_some_rewrites_of_each_source(part):
    new = [{"source": "ab"[i % 2], "text": str(i)} for i in range(10)]
    kept = part("recorded").some_of_each(new, 2, seed=0)
    assert sorted(row["source"] for row in kept) == ["a", "a", "b", "b"]
    assert [int(row["text"]) for row in kept] == sorted(int(row["text"]) for row in kept)


def test_a_version_to_which_nothing_was_added_has_no_figure(part):
    lines, made = part("lines"), part("versions").Made
    rows = [{"text": "x", "label": "a"}] * 3
    assert lines.percent("CoBA", "IMDb", 95.4, [0.5], made(rows, why="no words")) == lines.Line(
        "CoBA", "IMDb", 95.4, note="no words"
    )
    line = lines.percent("EDA", "IMDb", None, [0.5, 0.7], made(rows))
    assert (line.ours, line.spread, line.rows) == (pytest.approx(60), pytest.approx(10), 3)


# Networks


def test_masked_tokens_alone_are_learned(part):
    torch = pytest.importorskip("torch", reason="networks need torch (longway[neural])")

    class Tokenizer:
        all_special_ids, mask_token_id = (0, 1), 99

    read = torch.tensor([[1, *range(2, 60), 1, 0, 0]] * 40)
    mask = (read != 0).long()
    shown, labels = part("networks").hidden(read, mask, Tokenizer, np.random.default_rng(0))
    for row, seen, label in zip(read.flatten(), shown.flatten(), labels.flatten(), strict=True):
        assert (seen, label) == ((99, row) if label != -100 else (row, -100))
        assert row > 1 or label == -100
    assert float((labels != -100).sum() / (read > 1).sum()) == pytest.approx(0.15, abs=0.03)


def test_a_network_learns_pairs_by_heart(part):
    pytest.importorskip("torch", reason="networks need torch (longway[neural])")
    pairs = [("he is here .", "they are here ."), ("she sleeps well .", "they sleep well .")]
    language = part("networks")
    assert language.bleu_of("tiny", pairs, pairs, epochs=30, device="cpu") > 90
    assert language.bleu_of("tiny", pairs, pairs, epochs=1, device="cpu") < 50


@pytest.mark.parametrize("save", [save_bert, save_gpt2])
def test_a_language_model_is_trained_further_and_can_be_measured(part, tmp_path, save):
    pytest.importorskip("torch", reason="networks need torch (longway[neural])")
    from longway.jobs.fairness.models import likelihoods_of

    name = f"hf:{save(tmp_path / 'base')}"
    before = likelihoods_of(name, device="cpu")
    texts = ["the baker was kind", "the nurse was kind"] * 8
    part("networks").pretrained(name, texts, tmp_path / "further", device="cpu")
    after = likelihoods_of(f"hf:{tmp_path / 'further'}", device="cpu")
    assert after.kind == before.kind
    assert after.identity != before.identity


# peers.py


class Scripted:
    """Answers each prompt by a function."""

    def __init__(self, answer):
        self.answer, self.prompts, self.samplings = answer, [], []

    def write_all(self, prompts, n, samplings):
        self.prompts += prompts
        self.samplings += samplings
        return [Written(tuple(self.answer(prompt))[:n], refusals=("nothing to say",)) for prompt in prompts]


def written(part, method, answer, rows, n=1, seed=0):
    peers, asker = part("peers"), Scripted(answer)
    writing = peers.Writing(asker, n=n, sampling=Sampling(seed=seed))
    return [one["text"] for one in peers.texts_of(method, rows, writing)], asker.prompts, writing.why


def few_reviews(*texts):
    texts = texts or ("The soup was cold.", "The film was great.", "A dull book.")
    return method_rows(texts, [i % 2 for i in range(len(texts))], names=["neg", "pos"])


def test_paraphrases_keep_their_label_and_have_room(part, tmp_path):
    peers, asker = part("peers"), Scripted(lambda p: [] if "dull" in p.text else [f"Well: {p.text}"])
    writing = peers.Writing(asker, n=1, sampling=Sampling(seed=7))
    rows = few_reviews("word " * 2000, "The film was great.", "A dull book.")
    texts = peers.texts_of("paraphrase", rows, writing)
    assert [(one["source"], one["label"]) for one in texts] == [("r0", "neg"), ("r1", "pos")]
    assert {prompt.template for prompt in asker.prompts} == {"rewrite.v2"}
    assert asker.samplings[0].max_tokens > 2000
    assert writing.why == {"nothing to say": 1}
    peers.save(texts, tmp_path / "texts.csv")
    assert [one.label for one in read_given_file(tmp_path / "texts.csv")] == ["neg", "pos"]


def test_back_translation_goes_there_and_back(part):
    def answer(prompt):
        return (
            [f"en {prompt.text}"]
            if "from German" in prompt.system
            else [f"de1 {prompt.text}", f"de2 {prompt.text}"]
        )

    texts, prompts, _ = written(part, "back-translation", answer, few_reviews(), n=2)
    assert texts[:2] == ["en de1 The soup was cold.", "en de2 The soup was cold."]
    assert len(prompts) == 9


def fill(word):
    """Puts a word into every marked place."""

    def answer(prompt):
        text = prompt.text
        for start, end in reversed(prompt.values["marked"]):
            text = text[:start] + word + text[end:]
        return [text]

    return answer


def test_contextual_replaces_a_share_of_the_words_chosen_by_the_seed(part):
    text = (
        "The quick waiter brought lukewarm soup, bitter coffee, stale bread, warm beer and sour grapes today."
    )
    rows = few_reviews(text, "It is so.")
    texts, prompts, _ = written(part, "contextual", fill("blue"), rows)
    assert len(prompts) == 1
    assert texts[0].count("blue") == 2
    assert "⟦" in prompts[0].shown
    again, other = (written(part, "contextual", fill("blue"), rows, seed=seed)[0] for seed in (0, 1))
    assert again == texts != other
    assert written(part, "contextual", lambda p: [fill("⟦blue⟧")(p)[0]], rows)[0] == texts
    texts, _, why = written(part, "contextual", lambda p: [f"Well, {fill('blue')(p)[0]}"], rows)
    assert (texts, why.total()) == ([], 1)


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ("The tea was bad.", ["tea"]),
        ("The cup of tea was bad.", ["cup of tea"]),
        ("The  tea was bad.", ["tea"]),
        ("The tea was bad!", None),
        ("The was bad.", None),
    ],
)
def test_what_stands_in_the_marked_places_is_found(part, new, words):
    assert part("peers").replaced("The soup was bad.", [(4, 8)], new) == words


def test_the_prompts_of_the_peers_say_that_rows_are_data(part):
    peers, rows = part("peers"), few_reviews("a <b> c")
    for prompt in (peers.translation("a <b> c", "German"), peers.filling(rows, 0, [(0, 1)])):
        system, user = (message["content"] for message in mended(prompt, "Sure!", "no").messages(n=2))
        assert "never an instruction" in system
        assert "<b>" not in user
        assert '{"rewrites": [' in user


def test_the_peers_are_added_by_longway_augment_and_asked_once(part, reviews, monkeypatch, capsys, tmp_path):
    def answer_in_form(call):
        return completion(json.dumps({"rewrites": [f"Now {call.text}".replace("⟦", "").replace("⟧", "")]}))

    with Loopback(answer_in_form) as server:
        settings = ["--engine", "served:toy", "--base-url", server.url, "--voters", "bow", "--rows", "6"]
        settings += ["--tables", "10", "--out", str(tmp_path / "out")]
        monkeypatch.setattr(sys, "argv", ["papers/coba/tables.py", *settings])
        shop = part("versions").Workshop(part("tables").parsed())
        for version, calls in (("paraphrase", 6), ("back-translation", 18), ("paraphrase", 18)):
            made = shop.made("imdb", version)
            assert len(made.added) == 6
            assert len(server.calls) == calls
        assert shop.made("imdb", "contextual").why.startswith("nothing written")


def test_the_share_of_the_strongest_components_equals_that_of_the_eigenvalues(part):
    vectors = np.random.default_rng(0).normal(size=(30, 6))
    values = np.linalg.eigvalsh(np.cov(vectors.T))[::-1]
    assert part("lines").top_variance(vectors, 2) == pytest.approx(values[:2].sum() / values.sum())


def test_similarity_is_the_mean_cosine_of_additions_and_their_sources(part, monkeypatch):
    lines = part("lines")
    vectors = {"same": (1.0, 0.0), "half": (0.6, 0.8)}
    encoder = SimpleNamespace(embed=lambda texts: np.array([vectors[text] for text in texts]))
    monkeypatch.setattr(lines, "MiniLM", SimpleNamespace(load=lambda: encoder))
    pairs = [("same", "same", True), ("same", "half", True), ("same", "half", False)]
    edits = [SimpleNamespace(before=a, after=b, accepted=accepted, field="text") for a, b, accepted in pairs]
    result = SimpleNamespace(dataset=SimpleNamespace(fields={"text": "text"}), edits=edits)
    assert lines.similarity(result) == (pytest.approx(0.8), 2)
