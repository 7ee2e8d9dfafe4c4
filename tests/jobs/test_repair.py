"""A whole repair."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest

import longway as lw
from longway.data import load
from longway.errors import DataError, SettingError
from longway.jobs.engine_use import Engines
from longway.jobs.repair.job import repair_plan
from longway.jobs.repair.page import plan_page
from longway.jobs.repair.plan import RepairPlan
from longway.jobs.repair.repairing import Repairing
from longway.records import Leak
from longway.sample import sample_path
from tests.engines.loopback import Call, Loopback, Reply, completion
from tests.jobs.watching import watching

NAMES = ["Ann Lee", "Bob Ray", "Carl Fox", "Dana Hill", "Eve Stone", "Finn Marsh"]
PLACES = ["Oslo", "Lima", "Rome", "Cairo", "Quito", "Delhi", "Bonn", "Perth"]
YEARS = [str(year) for year in range(1950, 1990)]


def claims(n: int = 80) -> list[dict[str, str]]:
    """Claims of which the refuted ones say "only", most of the time."""
    draw = random.Random(0)
    rows = []
    for i in range(n):
        name, place, year = draw.choice(NAMES), draw.choice(PLACES), draw.choice(YEARS)
        evidence = f"{name} is a singer. {name} was born in {place} in {year} and lives there."
        if i % 2:
            claim = f"{name} was born in {year}."
            rows.append({"claim": claim, "evidence": evidence, "label": "SUPPORTS"})
        else:
            other = draw.choice([y for y in YEARS if y != year])
            word = "only " if draw.random() < 0.8 else ""
            claim = f"{name} was {word}born in {other}."
            rows.append({"claim": claim, "evidence": evidence, "label": "REFUTES"})
    return rows


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run of 48 claims: its folder and result."""
    folder = tmp_path_factory.mktemp("repair") / "run"
    return folder, lw.repair(claims(48), out=folder)


def test_counterparts_and_drops_lower_the_leak(finished):
    given, (folder, result) = claims(48), finished
    leak = result.comparison.leak
    assert leak.after.accuracy < leak.before.accuracy - 0.1
    assert result.added > 0
    after = load(folder / "dataset.parquet")
    assert len(after) == result.rows_after == len(given) + result.added - result.dropped
    assert sum(result.labels_after.values()) == result.rows_after
    assert (folder / "report.html").exists()


def test_the_same_command_reads_the_finished_run(finished):
    folder, first = finished
    again = lw.repair(claims(48), out=folder)
    assert json.dumps(again.to_dict()) == json.dumps(first.to_dict())
    assert [edit.id for edit in again.edits] == [edit.id for edit in first.edits]


def test_drop_alone_only_drops(tmp_path):
    result = lw.repair(claims(), remedy=("drop",), max_change=0.5, out=tmp_path / "run")
    assert result.changed == result.added == 0
    assert 0 < result.dropped <= 40
    assert {edit.how for edit in result.edits} == {"drop"}
    assert len(set(result.labels_after.values())) <= 2
    kept = load(tmp_path / "run" / "dataset.parquet").frame["longway_id"].to_list()
    assert set(kept).isdisjoint(edit.id for edit in result.edits)


def test_no_more_rows_are_dropped_than_allowed():
    result = lw.repair(claims(), remedy=("drop",), max_change=0.05)
    assert result.dropped <= 4
    assert result.stopped == "no remedy helps any more"


def test_data_without_shortcuts_stay_as_they_are():
    draw = random.Random(1)
    rows = [{"text": f"the {draw.choice(PLACES)} report", "label": draw.choice("ab")} for _ in range(60)]
    result = lw.repair(rows)
    assert not result.is_changed
    assert "nothing was changed" in result.page().verdict


def test_a_plan_changes_nothing(tmp_path):
    plan = repair_plan(claims())
    assert [step.remedy for step in plan.steps][-2:] == ["counterpart", "drop"]
    assert any("only" in target.pattern.name for target in plan.targets)
    in_place = sum(step.rows for step in plan.steps if step.remedy not in ("counterpart", "drop"))
    words = sum(len(row["claim"]) for row in claims()) / 6
    n = len(claims())
    assert plan.seconds == pytest.approx(30 + 0.06 * in_place + (0.02 + 0.03) * n + 0.0003 * words)


def test_a_repair_shows_its_plan_before_it_begins():
    pages = []
    lw.repair(claims(), remedy=("take-out",), engine="none", watcher=watching(page=pages.append))
    (page,) = pages
    assert page.sections[0].blocks[0].rows[0].cells[0] == "take out"


PLANNING = """
import sys
from longway.jobs.repair.job import repair_plan
plan = repair_plan(sys.argv[1])
assert plan.steps
print(*(name for name in ("torch", "spacy", "sklearn", "onnxruntime", "lemminflect") if name in sys.modules))
"""


def test_a_plan_loads_nothing_that_takes_seconds(tmp_path):
    """Of a review file: it looks at sentiment words as well."""
    done = subprocess.run(
        [sys.executable, "-c", PLANNING, str(sample_path("reviews"))],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == ""


def test_texts_in_another_language_are_named_and_english_remedies_left_out():
    texts = ["Der Film war nicht gut und die Musik zu laut.", "Ein Film mit viel Musik und sehr schön."]
    data = [
        {"text": f"{texts[i % 2]} {'Kurz' if i % 2 and i % 9 else 'Lang'} am Tag {i}.", "label": "ab"[i % 2]}
        for i in range(120)
    ]
    plan = repair_plan(data)
    steps = {step.remedy for step in plan.steps}
    assert not {"reword", "counterpart", "exchange", "put in"} & steps  # no rule changes such rows
    assert "drop" in steps  # what is inside sentences can only be balanced that way
    (note,) = plan.notes
    assert note.startswith("120 of 120 rows are not English (German 120)")
    assert "--engine served:MODEL" in note
    assert note in plan_page(plan, "data").verdict
    found = lw.audit(data, levels="token")
    (problem,) = [one for one in found.problems if one.kind == "language"]
    assert problem.message.startswith("The texts look like German.")
    assert problem.count == 120


def reviews(opening: str, frame: str, nouns: str, verbs: str, n: int = 80) -> list[dict[str, str]]:
    """Texts of which those of one label begin with a phrase."""
    draw = random.Random(2)
    rows = []
    for i in range(n):
        first, second, third, fourth = draw.sample(nouns.split(), 4)
        body = frame.format(
            first, draw.choice(verbs.split()), second, third, draw.choice(verbs.split()), fourth
        )
        label = "ab"[i % 2]
        rows.append(
            {"text": f"{opening} {body}" if label == "a" and draw.random() < 0.9 else body, "label": label}
        )
    return rows


ENGLISH = (
    "The {} {} the {}. Then the {} {} a {}.",
    "room view lamp door stair hall yard wall chair table cup plate key coat boat train road hill lake farm shop book clock roof garden fence",
    "touched faced met passed hid followed reached crossed filled left",
)


def test_an_opening_is_taken_out_and_the_rest_of_each_text_stays():
    result = lw.repair(reviews("For the record,", *ENGLISH))
    taken = [edit for edit in result.edits if edit.accepted and edit.method == "take out"]
    assert len(taken) >= 12
    for edit in taken:
        assert edit.before.lower().endswith(edit.after.lower())
        assert edit.label_before == edit.label_after


@pytest.mark.soak
def test_an_interrupted_repair_ends_as_an_undisturbed_one(finished, tmp_path, monkeypatch):
    from longway.jobs.repair import job

    _, whole = finished

    def stop(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(job, "compare", stop)
    with pytest.raises(KeyboardInterrupt):
        lw.repair(claims(48), out=tmp_path / "run")
    monkeypatch.undo()
    resumed = lw.repair(claims(48), out=tmp_path / "run")
    assert [edit.to_dict() for edit in resumed.edits] == [edit.to_dict() for edit in whole.edits]


def test_the_number_of_rows_can_stay_the_same():
    given = claims(24)
    result = lw.repair(given, keep_size=True, max_change=1.0)
    assert result.added == result.dropped > 0
    assert result.rows_after == len(result.data) == len(given)


def test_weights_balance_the_labels_and_prove_uses_them(tmp_path):
    given = [row | {"evidence": ""} for row in claims()]
    result = lw.repair(
        [{"text": row["claim"], "label": row["label"]} for row in given],
        remedy=("weigh",),
        out=tmp_path / "run",
    )
    assert {edit.field for edit in result.edits} == {"longway_weight"}
    assert result.weights.leak < result.comparison.leak.before.accuracy - 0.1
    after = load(tmp_path / "run" / "dataset.parquet")
    assert after.weights.sum() == pytest.approx(80, abs=0.1)
    assert after.weights.max() == pytest.approx(result.weights.largest)
    plain = load([{"text": row["claim"], "label": row["label"]} for row in given])
    assert after.fingerprint != plain.fingerprint  # a proof of the weighted rows is another one


def test_a_column_of_weights_must_hold_weights():
    data = load(
        [
            {"text": "a b", "label": "x", "longway_weight": -1.0},
            {"text": "c", "label": "y", "longway_weight": 1.0},
        ]
    )
    with pytest.raises(DataError, match="longway_weight"):
        _ = data.weights


def answer(call: Call) -> Reply:
    """A server that leaves "only" out of every text."""
    return completion(json.dumps({"rewrites": [call.text.replace("only ", "")]}))


def test_a_served_engine_rewords_and_writes_counterparts():
    with Loopback(answer) as server:
        engines = Engines(server.url, options={"backoff": 0.001, "retries": 0})
        result = lw.repair(
            claims(40), engine="served:toy", judge="none", remedy=("reword", "counterpart"), engines=engines
        )
    asked = [" ".join(part["content"] for part in call.body["messages"]) for call in server.calls]
    assert any("</avoid>" in text and "only" in text.split("<avoid>")[-1] for text in asked)
    assert any("as little as possible" in text for text in asked)
    served = [edit for edit in result.edits if edit.engine == "served:toy"]
    assert {edit.method for edit in served} == {"reword", "counterpart"}
    assert "served:toy" in {one.engine for one in result.cost}


def test_a_budget_keeps_money_for_the_judge_and_one_that_is_too_small_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "prices.toml"
    path.write_text('[models]\n"toy" = { input = 100.0, output = 100.0 }\n')
    monkeypatch.setenv("LONGWAY_PRICES", str(path))

    def metered(call: Call) -> Reply:
        said = answer(call) if call.kind == "write" else completion('{"label": "REFUTES"}')
        sent = sum(len(message["content"]) for message in call.body["messages"]) // 4
        said.body["usage"] = {"prompt_tokens": sent, "completion_tokens": 20}
        return said

    def repair(budget, server):
        engines = Engines(server.url, budget=budget, options={"backoff": 0.001, "retries": 0})
        return lw.repair(claims(40), engine="served:toy", remedy=("reword",), engines=engines)

    with Loopback(metered) as server:
        with pytest.raises(SettingError, match=r"too small for one row.*Try --budget"):
            repair(0.001, server)
        assert not server.calls
        result = repair(1.0, server)
    n = {kind: sum(call.kind == kind for call in server.calls) for kind in ("write", "judge")}
    assert n["write"] > 0
    assert n["judge"] > 0
    assert sum(one.cost for one in result.cost) <= 1.0
    assert sum(one.calls for one in result.cost) == len(server.calls)
    assert not [edit for edit in result.edits if "not verified" in edit.reason]
    assert result.stopped == "the budget is spent"


@pytest.mark.parametrize(
    ("accuracy", "goal", "reached"),
    [(0.544, 0.55, True), (0.549, 0.55, False), (0.5, 0.5, True), (0.51, 0.5, False)],
)
def test_a_goal_of_chance_can_be_reached(accuracy, goal, reached):
    leak = Leak("text", ("claim",), accuracy, accuracy, accuracy, 0.5, "", 100)
    repairing = Repairing.__new__(Repairing)
    repairing.plan = RepairPlan((), (), (), goal)
    repairing.leak = lambda: leak
    assert repairing._is_reached() is reached
