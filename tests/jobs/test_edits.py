"""The dataset of a run is its input with the accepted edits of edits.jsonl applied, and nothing else: for every command, resumed or not."""

import json

import pytest

import longway as lw
from longway.data import load, save
from longway.data.edited import apply_edits, read_edits
from longway.jobs.augment import job as augment_job
from longway.jobs.augment.settings import AugmentSettings
from longway.jobs.engine_use import Engines
from longway.jobs.perturb import job as perturb_job
from longway.jobs.perturb.settings import PerturbSettings
from longway.jobs.rewrite.settings import RewriteSettings
from longway.store import read_json
from tests.engines.loopback import Loopback
from tests.jobs import toy_augment, toy_perturb, toy_run
from tests.jobs.watching import watching

pytestmark = pytest.mark.usefixtures("alone")

REWRITE = {"engine": "served:toy", "rounds": 2, "k": 6, "candidates": 2, "stop": "never"}
COBA = {"engine": "served:toy", "models": ("bow",), "identify": "models", "alter": False, "judge": "none"}


def rewrite(settings, data, server, **more):
    return lw.rewrite(
        data, settings=RewriteSettings(**settings), engines=Engines(server.url), out="run", **more
    )


def augment(settings, data, server, **more):
    result = augment_job.augment(
        data, AugmentSettings(**settings), engines=Engines(server.url), out="run", **more
    )
    return result, result.to_dict()


def perturb(settings, data, server, **more):
    result = perturb_job.perturb(
        data, PerturbSettings(**settings), engines=Engines(server.url), out="run", **more
    )
    return result, result.to_dict()


def reviews(path):
    return toy_run.write_csv(path)


def claims(path):
    pairs = [("Anna won the race.", "In May, Anna won the race.", "SUPPORTS")] * 4
    pairs += [("Mia lost it.", "Mia won it.", "REFUTES")] * 4
    rows = [
        {"n": str(i), "claim": claim, "evidence": evidence, "label": label}
        for i, (claim, evidence, label) in enumerate(pairs)
    ]
    return toy_perturb.write(path, rows)


def people(path):
    return toy_perturb.write(path, toy_perturb.rows_of(16))


def pairs_of_people(path):
    return toy_perturb.write(path, toy_perturb.pairs_of(8))


CASES = {
    "razor": (rewrite, REWRITE, reviews, toy_run.answer),
    "eda": (rewrite, {"method": "eda"}, reviews, toy_run.answer),
    "crossaug": (rewrite, {"method": "crossaug"}, claims, toy_run.answer),
    "coba": (augment, COBA, reviews, toy_augment.answer),
    "added eda": (augment, {"method": "eda", "balance": True}, reviews, toy_run.answer),
    "added crossaug": (augment, {"method": "crossaug"}, claims, toy_run.answer),
    "perturb": (perturb, {}, people, toy_perturb.answer),
    "perturb pairs": (perturb, {}, pairs_of_people, toy_perturb.answer),
    "perturb and add": (perturb, {"add": True}, pairs_of_people, toy_perturb.answer),
}


@pytest.mark.parametrize("name", CASES)
def test_the_dataset_is_the_input_with_the_accepted_edits(name, tmp_path):
    run_command, settings, write, answer = CASES[name]
    path = write(tmp_path / "data.csv")
    with Loopback(answer) as server:
        with pytest.raises(KeyboardInterrupt):
            run_command(settings, load(path), server, watcher=watching(step=stopping_at_the_report))
        assert read_json(tmp_path / "run" / "run.json")["state"] == "running"
        run_command(settings, load(path), server)
    folder = tmp_path / "run"
    edits = list(read_edits(folder / "edits.jsonl"))
    assert any(edit.accepted for edit in edits)
    lines = (folder / "edits.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [json.loads(json.dumps(edit.to_dict())) for edit in edits]
    tables = apply_edits(load(path), edits, with_sources=run_command is not rewrite)
    again = save(tables, tmp_path / "again.csv")
    assert again.read_bytes() == (folder / "dataset.csv").read_bytes() != path.read_bytes()


def stopping_at_the_report(name):
    if name == "writing the report":
        raise KeyboardInterrupt
