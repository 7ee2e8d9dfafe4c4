"""`longway perturb pretrain`: two trainings on a small corpus, their measures, and runs that are broken off."""

import json

import pytest
from typer.testing import CliRunner

from longway.cli import app
from longway.data import load_texts
from longway.errors import ColumnError, DataError, LongwayError, SettingError
from longway.jobs.perturb.settings import PerturbSettings
from longway.jobs.pretrain.corpus import cut, perturb_windows
from longway.jobs.pretrain.job import pretrain
from longway.jobs.pretrain.result import AFTER, BEFORE, START, PretrainResult, table_3
from longway.jobs.pretrain.settings import PretrainSettings
from longway.jobs.run import Watcher
from longway.methods.perturb import pretraining
from longway.methods.perturb.pretraining import NewEncoder
from longway.show.html import render
from tests.environment import without_settings_of_the_user
from tests.jobs.people_benchmarks import write_all
from tests.tiny_language_models import save_bert

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
NAMES = "Mary John Alice Robert Emma James Linda Peter Susan David".split()
TEXTS = [f"{name} sold a boat in May. The {thing} was old. It was raining in {name}'s town." for name in NAMES for thing in ("hat", "car", "cup")]  # fmt: skip
QUICK = {"model": "new:tiny", "steps": 3, "batch": 2, "length": 16, "window": 12, "device": "cpu"}


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    without_settings_of_the_user(monkeypatch, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(pretraining.SIZES, "tiny", NewEncoder(2, 32, 2, 300))
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    paths = write_all(tmp_path_factory.mktemp("benchmarks"), n=6)
    return {name: paths[name] for name in ("crows_pairs", "weat", "holistic")}


def texts(n=None):
    return [{"text": text} for text in TEXTS[:n]]


# The corpus


def test_each_window_has_its_own_person_changed_and_the_rest_is_kept():
    windows = cut(TEXTS[:6], most=12)
    made = perturb_windows(windows, PerturbSettings(axes=("gender",)))
    assert [(one.document, one.before) for one in made] == windows
    changed = [one for one in made if one.change]
    assert len(changed) >= 6
    assert all(one.after != one.before and one.change[0] == "gender" for one in changed)
    assert all(one.after == one.before and one.stayed for one in made if not one.change)
    mary = [one for one in made if one.document == 0]
    assert "Mary" not in mary[0].after
    assert mary[0].before.startswith("Mary")


def test_the_perturbation_of_a_window_does_not_depend_on_the_others():
    windows = cut(TEXTS[:4], most=12)
    settings = PerturbSettings(sampling="uniform")
    assert perturb_windows(windows, settings)[:3] == perturb_windows(windows[:3], settings)


# A run


def test_both_models_are_trained_saved_and_measured(tmp_path, files):
    result = pretrain(texts(), out=tmp_path / "run", measure_limit=4, per_descriptor=8, **QUICK, **files)
    assert [model.name for model in result.models] == [START, BEFORE, AFTER]
    assert result.corpus.documents == len(TEXTS)
    assert 0 < result.corpus.changed < result.corpus.windows
    for name in (BEFORE, AFTER):
        assert (tmp_path / "run" / name / "model.safetensors").is_file()
    assert not list((tmp_path / "run").rglob("*.bin"))
    assert not (tmp_path / "run" / "checkpoints" / BEFORE).exists()
    for model in result.models:
        assert {"HolisticBias, age", "WEAT/SEAT, % significant", "CrowS-Pairs, gender"} <= set(table_3(model.measures))  # fmt: skip
    start, before, after = result.models
    assert before.on_original.perplexity != after.on_original.perplexity != start.on_original.perplexity
    content = json.loads((tmp_path / "run" / "pretrain.json").read_text())
    assert PretrainResult.from_dict(content).models == result.models
    rows = json.loads((tmp_path / "run" / "results.json").read_text())["rows"]
    assert {row["model"] for row in rows} == {START, BEFORE, AFTER}
    page = (tmp_path / "run" / "report.html").read_text()
    assert "What these numbers cannot say" in page
    assert "Another --seed changes these figures" in page


def test_the_two_trainings_differ_only_in_the_perturbed_words(tmp_path):
    """Without a person in the corpus both end with the same weights."""
    nobody = [{"text": f"The {thing} was old. It rained on the {thing} in May."} for thing in "hat car cup road hill ship door tree".split() * 4]  # fmt: skip
    result = pretrain(nobody, out=tmp_path / "run", **{**QUICK, "window": 8})
    assert result.corpus.changed == 0
    before, after = ((tmp_path / "run" / name / "model.safetensors").read_bytes() for name in (BEFORE, AFTER))
    assert before == after
    assert result.model(BEFORE).on_original == result.model(AFTER).on_original


def test_a_finished_run_is_measured_later_without_another_training(tmp_path, files):
    plain = pretrain(texts(), out=tmp_path / "run", **QUICK)
    assert plain.models[-1].measures is None
    for more in ({"crows_pairs": files["crows_pairs"]}, {"weat": files["weat"], "measure_limit": 1}):
        watcher = Stopping()
        measured = pretrain(texts(), out=tmp_path / "run", watcher=watcher, **QUICK, **more)
        assert not any(step.startswith(("training", "perturbing")) for step in watcher.steps)
        assert measured.models[-1].losses == plain.models[-1].losses
        assert len(list(measured.models[-1].measures)) == 1


class Stopping(Watcher):
    """Stops a run at a step, and records all steps."""

    def __init__(self, at=""):
        self.at, self.steps = at, []

    def step(self, name):
        self.steps.append(name)
        if self.at and name.startswith(self.at):
            raise KeyboardInterrupt


@pytest.mark.parametrize("at", ["perturbing", "training on the perturbed", "testing the perturbed"])
def test_a_run_that_was_stopped_is_resumed_and_ends_the_same(tmp_path, at):
    whole = pretrain(texts(), out=tmp_path / "whole", **QUICK)
    with pytest.raises(KeyboardInterrupt):
        pretrain(texts(), out=tmp_path / "stopped", watcher=Stopping(at), **QUICK)
    watcher = Stopping()
    again = pretrain(texts(), out=tmp_path / "stopped", watcher=watcher, **QUICK)
    assert [(m.on_original, m.on_perturbed, m.losses) for m in again.models] == [(m.on_original, m.on_perturbed, m.losses) for m in whole.models]  # fmt: skip
    if at != "perturbing":
        assert "perturbing" not in watcher.steps
        assert "training on the original text" not in watcher.steps
    finished = Stopping()
    pretrain(texts(), out=tmp_path / "stopped", watcher=finished, **QUICK)
    assert finished.steps == ["opening the data"]


def test_a_model_that_came_is_trained_further_and_its_files_stay(tmp_path):
    folder = save_bert(tmp_path / "bert")
    before = (tmp_path / "bert" / "model.safetensors").read_bytes()
    result = pretrain(texts(12), out=tmp_path / "run", **{**QUICK, "model": f"hf:{folder}"}, compare=False)
    assert [model.name for model in result.models] == [START, AFTER]
    assert (tmp_path / "bert" / "model.safetensors").read_bytes() == before
    assert not (tmp_path / "run" / START).exists()
    assert "effect cannot be seen" in result.page().verdict
    assert "No file was given" in render(result.page())


def test_too_little_text_and_wrong_settings_are_named(tmp_path):
    with pytest.raises(DataError, match="At least 20 windows in 2 documents"):
        pretrain(texts(2), **QUICK)
    with pytest.raises(SettingError, match="once for every window"):
        PretrainSettings(perturber="served:gpt-4o-mini")
    with pytest.raises(SettingError, match="'lr' must be between 0 and 1"):
        PretrainSettings(lr=2.0)
    with pytest.raises(SettingError, match="one or more of gender, race, age"):
        PretrainSettings(axes=("height",))


# Texts without labels


def test_texts_need_no_label(tmp_path):
    (tmp_path / "lines.txt").write_text("She left.\nHe stayed.\n", encoding="utf-8")
    (tmp_path / "parts.txt").write_bytes("She left.\r\nHe stayed.\r\n\r\nCafé.\r\n".encode("cp1252"))
    (tmp_path / "rows.csv").write_text("id,review\n1,She left.\n2,\n3,He stayed.\n", encoding="utf-8")
    (tmp_path / "one.jsonl").write_text('{"body of it": "She left."}\n', encoding="utf-8")
    assert load_texts(tmp_path / "lines.txt").texts == ("She left.", "He stayed.")
    assert load_texts(tmp_path / "parts.txt").texts == ("She left.\nHe stayed.", "Café.")
    assert load_texts(tmp_path / "rows.csv").texts == ("She left.", "He stayed.")
    assert load_texts(tmp_path / "rows.csv", limit=1).texts == ("She left.",)
    assert load_texts(tmp_path / "one.jsonl").texts == ("She left.",)
    assert load_texts(tmp_path / "rows.csv", text="id").texts == ("1", "2", "3")
    with pytest.raises(ColumnError, match=r"no column 'reviews' for the text\. Did you mean 'review'"):
        load_texts(tmp_path / "rows.csv", text="reviews")
    with pytest.raises(DataError, match="There is no file"):
        load_texts(tmp_path / "none.txt")


def test_other_texts_have_another_fingerprint():
    first, second = (load_texts([{"text": text} for text in some]) for some in (["ab", "c"], ["a", "bc"]))
    assert first.fingerprint != second.fingerprint


# The command


def run(*options):
    return CliRunner().invoke(app, ["perturb", "pretrain", *options])


def test_the_command_says_what_it_found_and_how_to_see_whether_it_holds(tmp_path):
    (tmp_path / "books.txt").write_text("\n".join(TEXTS), encoding="utf-8")
    options = [text for name, value in QUICK.items() for text in (f"--{name}", str(value))]
    first = run("books.txt", *options)
    assert first.exit_code == 0, first.output
    assert "Held-out text" in first.output
    assert "Perturbed text" in first.output
    assert first.output.rstrip().endswith("--seed 1")
    assert (tmp_path / "longway-runs" / "books-pretrain" / "report.html").is_file()
    again = run("books.txt", *options, "--json")
    assert json.loads(again.output)["corpus"]["documents"] == len(TEXTS)
    assert len(list((tmp_path / "longway-runs").iterdir())) == 1


def test_a_missing_file_is_one_sentence_with_the_next_step():
    told = run("nowhere.txt")
    assert isinstance(told.exception, LongwayError)
    assert "There is no file nowhere.txt" in str(told.exception)
