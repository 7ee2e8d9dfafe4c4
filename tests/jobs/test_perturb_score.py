"""Scores of perturbers: figures against direct computation, people beside perturbers, and nothing asked twice."""

import json
import math
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

import longway as lw
from longway.engines.engine import Sampling
from longway.engines.transport import tokens_for
from longway.errors import BudgetSpent, DataError, MissingExtra, SettingError
from longway.jobs.engine_use import Engines
from longway.jobs.perturb_score.job import NOT_THERE, PEOPLE, PEOPLE_IN_PAIRS
from longway.jobs.perturb_score.result import COPIED, PerturbScoreResult
from longway.methods.perturb.asked import prompt_of
from longway.methods.perturb.panda import read_panda, write_panda
from longway.methods.perturb.panda import request_of as panda_request
from longway.metrics.bleu import sacre_bleu
from longway.metrics.rewrites import AGREEMENTS, agreement, word_distance
from longway.show.terminal import show
from longway.store.atomic import read_json
from tests.engines.loopback import Loopback, error
from tests.environment import without_settings_of_the_user
from tests.jobs.toy_perturb import answer
from tests.jobs.watching import watching
from tests.methods.perturb.toy_sentences import request_of, toy_rows

pytest.importorskip("spacy")


def row(original, word, target, perturbed):
    return {
        "original": original,
        "selected_word": word,
        "target_attribute": target,
        "perturbed": perturbed,
    }


BY_PEOPLE = [
    row("She sold her hat.", "She", "man", "He sold his hat."),
    row("She sold her hat.", "She", "man", "He sold his cap."),
    row("A white teacher sang. <SEP> The wall is white.", "white", "black", "A Black teacher sang. <SEP> The wall is white."),
    row("The mayor opened the bridge.", "mayor", "woman", "The mayoress opened the bridge."),
]  # fmt: skip
LEFT_OUT = [row("The clock stopped.", "she", "man", "The clock stopped."), row("He left.", "He", "elf", "x")]


def on_screen(result):
    """The page as a terminal of 80 columns shows it."""
    console = Console(width=80, record=True, file=StringIO())
    show(result.page(), console)
    return console.export_text()


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    without_settings_of_the_user(monkeypatch, tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def scored():
    return lw.perturb_score([*BY_PEOPLE, *LEFT_OUT])


def test_figures_are_those_of_the_rewrites(scored):
    copied, rules = scored.perturbers
    assert (copied.name, rules.name, scored.rows, scored.texts) == (COPIED, "rules", 4, 3)
    before = [one["original"].replace(" <SEP>", "") for one in BY_PEOPLE]
    wanted = [one["perturbed"].replace(" <SEP>", "") for one in BY_PEOPLE]
    wrote = [wanted[0], wanted[0], wanted[2], before[3]]
    assert copied.overall.bleu.value == pytest.approx(sacre_bleu(before, wanted))
    assert rules.overall.bleu.value == pytest.approx(sacre_bleu(wrote, wanted))
    distances = [word_distance(*pair)[0] for pair in zip(wrote, wanted, strict=True)]
    assert distances == [0, 1, 0, 1]
    assert rules.overall.distance.value == pytest.approx(np.mean(distances))
    assert rules.overall.exact.value == pytest.approx(50)
    assert copied.overall.unchanged.value == 100
    assert rules.overall.perplexity is None


def test_what_is_refused_counts_as_unchanged_and_its_reason_is_counted(scored):
    rules = scored.perturbers[1]
    assert (rules.overall.refused, rules.overall.unchanged.value) == (1, 25)
    assert [bool(why.reason) for why in rules.refused] == [True]
    assert rules.refused[0].count == 1


def test_rows_that_cannot_be_scored_are_counted(scored):
    assert {(why.reason, why.count) for why in scored.skipped} == {
        (NOT_THERE, 1),
        ("'elf' is not a demographic attribute", 1),
    }
    with pytest.raises(DataError, match="no row that can be scored"):
        lw.perturb_score(LEFT_OUT)


def test_parts_are_axes_and_attributes_and_hold_all_rows(scored):
    parts = {part.name: part for part in scored.perturbers[1].parts}
    assert list(parts) == ["all", "gender", "race", "gender:man", "gender:woman", "race:black"]
    assert [parts[name].rows for name in parts] == [4, 3, 1, 2, 1, 1]
    assert parts["race"].exact.value == 100
    assert parts["gender:woman"].unchanged.value == 100


def test_people_who_rewrote_the_same_person_are_compared_and_perturbers_with_them(scored):
    by_name = {one.name: one for one in scored.agreement}
    assert list(by_name) == [PEOPLE, COPIED, "rules"]
    wanted = [one["perturbed"] for one in BY_PEOPLE[:2]]
    mine = [agreement([wanted[0], other]) for other in wanted]
    for i, name in enumerate(AGREEMENTS):
        assert getattr(by_name[PEOPLE], name).value == pytest.approx(agreement(wanted)[i])
        assert getattr(by_name["rules"], name).value == pytest.approx((mine[0][i] + mine[1][i]) / 2)
    assert by_name["rules"].full.value == 75
    assert by_name[PEOPLE].tasks == 1


def test_of_three_people_each_two_are_compared_as_well_and_of_one_nobody():
    third = row("She sold her hat.", "She", "man", "He sold his hat.")
    three = lw.perturb_score([*BY_PEOPLE, third])
    by_name = {one.name: one for one in three.agreement}
    assert by_name[PEOPLE].full.value == pytest.approx(200 / 3)
    assert by_name[PEOPLE_IN_PAIRS].full.value == pytest.approx((100 + 50 + 50) / 3)
    assert lw.perturb_score(BY_PEOPLE[1:]).agreement == ()


def test_a_run_folder_holds_the_result_its_figures_and_all_rewrites(tmp_path):
    found = lw.perturb_score(BY_PEOPLE, out=tmp_path / "run")
    assert found.folder == tmp_path / "run"
    rows = read_json(found.folder / "results.json")["rows"]
    columns = ("data", "model", "method", "test", "metric", "mean", "std", "low", "high", "seeds")
    assert {tuple(one) for one in rows} == {columns}
    exact = [one for one in rows if (one["model"], one["test"], one["metric"]) == ("rules", "all", "exact")]
    assert [one["mean"] for one in exact] == [50]
    lines = [json.loads(line) for line in (found.folder / "rewrites.jsonl").read_text().splitlines()]
    assert lines[2]["rewrites"]["rules"] == {
        "texts": ["A Black teacher sang.", "The wall is white."],
        "reason": "",
    }
    assert lines[3]["rewrites"]["rules"]["reason"] == found.perturbers[1].refused[0].reason
    assert "Against what people wrote" in (found.folder / "report.html").read_text()
    assert PerturbScoreResult.from_dict(read_json(found.folder / "score.json")) == found
    assert not list(found.folder.glob("analyses*"))
    assert len(found.to_frame()) == len(rows)


def test_the_same_call_reads_the_finished_run(tmp_path):
    first = lw.perturb_score(BY_PEOPLE, out=tmp_path / "run")
    watcher = watching(start=lambda started: pytest.fail("started again"))
    assert lw.perturb_score(BY_PEOPLE, out=tmp_path / "run", watcher=watcher) == first


def test_the_page_fits_on_a_terminal_and_has_every_measure(scored):
    shown = on_screen(scored)
    for words in ("BLEU", "ROUGE-2", "Distance", "Exact, %", "Unchanged, %", "Perplexity", "By axis", "By target attribute", "sacreBLEU", "ROUGE-Lsum", "Why rows were refused"):  # fmt: skip
        assert words in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert "rules writes 50.0% word for word" in " ".join(shown.split())


def test_a_perturber_that_is_no_closer_than_the_source_is_told():
    found = lw.perturb_score([BY_PEOPLE[3]])
    assert found.page().verdict.startswith(
        "No perturber is closer to what people wrote than the source copied"
    )


def test_options_that_cannot_be_are_told():
    with pytest.raises(SettingError, match="Unknown engine 'magic'"):
        lw.perturb_score(BY_PEOPLE, perturber="magic")
    with pytest.raises(SettingError, match="at least one perturber"):
        lw.perturb_score(BY_PEOPLE, perturbers=())
    assert lw.PerturbScoreSettings(perturbers=("rules", "rules")).perturbers == ("rules",)


def served(data, server, *, budget=None, out=None, perturbers=("served:toy",)):
    engines = Engines(server.url, budget=budget, options={"backoff": 0.001, "retries": 0})
    return lw.perturb_score(data, perturbers=perturbers, engines=engines, out=out)


BAKERS = [
    row(f"The baker said he lost his hat on day {i}.", "he", "woman", f"The baker said she lost her hat on day {i}.")
    for i in range(6)
]  # fmt: skip


def test_a_language_model_is_scored_beside_the_rules_and_each_person_is_asked_about_once():
    with Loopback(answer) as server:
        found = served([*BAKERS, *BAKERS], server, perturbers=("rules", "served:toy"))
        assert len(server.calls) == 6
    assert [one.name for one in found.perturbers] == [COPIED, "rules", "served:toy"]
    assert found.perturbers[2].overall.exact.value == 100
    assert (found.rows, found.texts) == (12, 6)
    assert found.cost[0].calls == 6


def test_calls_that_failed_are_counted_and_asked_again_by_the_same_call(tmp_path):
    is_down = True

    def sometimes(call):
        return error(503, "busy") if is_down and "day 3" in call.content else answer(call)

    with Loopback(sometimes) as server:
        found = served(BAKERS, server, out=tmp_path / "run")
        assert (found.perturbers[1].overall.refused, found.failed_calls[0].count) == (1, 1)
        is_down, n = False, len(server.calls)
        found = served(BAKERS, server, out=tmp_path / "run")
        assert (found.perturbers[1].overall.refused, found.failed_calls) == (0, ())
        assert len(server.calls) == n + 1


def test_a_budget_that_ends_gives_no_score_and_more_money_continues(tmp_path, monkeypatch):
    prices = tmp_path / "prices.toml"
    prices.write_text('[models]\n"toy" = { input = 1000.0, output = 1000.0 }\n')
    monkeypatch.setenv("LONGWAY_PRICES", str(prices))
    with Loopback(answer) as server:
        cost = served(BAKERS, server, out=tmp_path / "whole").cost[0].cost
        engine = lw.engine_named("served:toy", base_url=server.url, retries=0)
        prompt = prompt_of(panda_request(read_panda(BAKERS).rows[0]))
        most = engine.first_write_cost(prompt, 1, Sampling(max_tokens=tokens_for(prompt.text)))
        with pytest.raises(BudgetSpent, match="budget"):
            served(BAKERS, server, budget=cost / 2 + most, out=tmp_path / "run")
        n = len(server.calls) - 6
        assert 0 < n < 6
        assert served(BAKERS, server, budget=100.0, out=tmp_path / "run").perturbers[1].overall.rows == 6
        assert len(server.calls) == 12


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from longway.methods.perturb.training import TrainingPlan, train

    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("network") / "mine"
    return train("tiny", toy_rows(40), folder, plan=TrainingPlan(epochs=2, batch_size=8)).folder


def test_a_network_has_a_perplexity_and_needs_no_analysis_of_english(network, tmp_path, monkeypatch):
    def missing():
        raise MissingExtra("spacy", extra="rules", purpose="Analysing English")

    monkeypatch.setattr("longway.jobs.documents.load_pipeline", missing)
    rows = toy_rows(12, seed=3)
    found = lw.perturb_score(write_panda(rows, tmp_path / "toy.csv"), perturber=f"neural:{network}")
    from longway.methods.perturb.neural import NeuralPerturber

    perturber = NeuralPerturber(network)
    known = perturber.likelihoods([request_of(one) for one in rows], [one.after for one in rows])
    total, tokens = sum(one.log_likelihood for one in known), sum(one.tokens for one in known)
    overall = found.perturbers[1].overall
    assert overall.perplexity.value == pytest.approx(math.exp(-total / tokens), rel=1e-3)
    assert overall.perplexity.low < overall.perplexity.value < overall.perplexity.high
    assert found.perturbers[0].overall.perplexity is None
    with pytest.raises(MissingExtra, match="rules"):
        lw.perturb_score(tmp_path / "toy.csv")


def test_an_interrupted_run_computes_no_answer_of_a_network_twice(network, tmp_path, monkeypatch):
    from longway.methods.perturb.neural import NeuralPerturber

    rows = toy_rows(80, seed=3)
    data, asked = write_panda(rows, tmp_path / "toy.csv"), []
    write, score = NeuralPerturber.perturb, NeuralPerturber.likelihoods

    def counted(self, requests):
        asked.extend(requests)
        return write(self, requests)

    def broken(self, requests, rewrites):
        raise KeyboardInterrupt

    monkeypatch.setattr(NeuralPerturber, "perturb", counted)
    monkeypatch.setattr(NeuralPerturber, "likelihoods", broken)
    with pytest.raises(KeyboardInterrupt):
        lw.perturb_score(data, perturber=f"neural:{network}", out=tmp_path / "run")
    monkeypatch.setattr(NeuralPerturber, "likelihoods", score)
    lw.perturb_score(data, perturber=f"neural:{network}", out=tmp_path / "run")
    assert len(asked) == len(read_panda(data).rows) == 80


def test_a_text_that_is_too_long_for_a_network_has_no_perplexity_and_is_counted(network, tmp_path):
    long = row("he " * 600, "he", "woman", "she " * 600)
    found = lw.perturb_score([*BAKERS, long], perturber=f"neural:{network}")
    assert found.perturbers[1].unlikely == 1
    assert "no perplexity" in on_screen(found)
