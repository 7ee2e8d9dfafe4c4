"""Batches: the requests are those of the served engine, and whatever comes back in whatever order, nothing is lost or asked twice."""

import json
import random
import shutil
from contextlib import closing
from dataclasses import replace
from importlib.util import find_spec

import pytest

import longway as lw
from longway.batch.answer_files import MAX_TRIES, AnswerCollector
from longway.batch.request_files import BatchFolder, BatchRequest, RequestWriter
from longway.batch.rewrite_batch import WAITING, BatchAsker, BatchCosts, collect_batches, write_batch
from longway.data import load
from longway.engines.asker import Asker
from longway.engines.costs import Price
from longway.engines.prompt import triples_prompt
from longway.errors import BudgetSpent, DataError, EngineError, RunError, SettingError
from longway.jobs.engine_use import Engines
from longway.store import Journal
from tests.batch.batch_runs import (
    HOW,
    KEY,
    LABELS,
    OPTIONS,
    SETTINGS,
    TEXTS,
    ask,
    collect,
    put_down,
    reply_to,
    run,
    sent_in,
    toy_data,
)
from tests.batch.batch_server import BatchLoopback, answered, failed, lines_of
from tests.engines.conftest import REVIEWS, engine_of, judging, writing
from tests.engines.loopback import Loopback, Reply, completion, echo, error, script
from tests.jobs import toy_run


@pytest.fixture
def journal(tmp_path):
    opened = Journal(tmp_path / "journal.sqlite")
    yield opened
    opened.close()


def kept(journal):
    """Everything of a journal but the time it took."""
    return [replace(entry, seconds=0.0) for entry in journal.entries()]


# What is sent


@pytest.mark.parametrize("reads", ["texts", "lines"])
def test_requests_are_what_the_served_engine_sends_and_named_by_the_journals_keys(tmp_path, journal, reads):
    prompts = [triples_prompt(REVIEWS, text) for text in TEXTS] if reads == "lines" else writing(*TEXTS)

    def answer(call):
        is_triples = reads == "lines" and call.kind == "write"
        return completion('{"lines": ["1. a | b | c"]}') if is_triples else echo(call)

    with Loopback(answer) as server:
        batch = BatchFolder(tmp_path)
        with RequestWriter(batch) as files:
            asker = BatchAsker(engine_of(server), journal, batch, files, costs=BatchCosts(batch, journal))
            assert asker.write_all(prompts, 2, HOW)[0].refusals == (WAITING,)
            asker.judge_all(judging(*TEXTS), LABELS)
        assert not server.calls
        assert len(journal) == 0
        assert asker.waiting == asker.written == 16
        with Asker(engine_of(server), journal) as plain:
            plain.write_all(prompts, 2, HOW)
            plain.judge_all(judging(*TEXTS), LABELS)
        sent = {call.key.split("-")[0]: call.body for call in server.calls}
    requests = sent_in(batch)
    assert {line["custom_id"]: line["body"] for line in requests} == sent
    assert {(line["method"], line["url"]) for line in requests} == {("POST", "/v1/chat/completions")}
    assert {line["custom_id"] for line in requests} == {call.key for call in journal.entries()}


@pytest.mark.parametrize(("max_lines", "max_bytes"), [(3, 10**9), (1, 10**9), (100, 8000), (16, 10**9)])
def test_files_are_split_and_nothing_is_lost_or_doubled(tmp_path, journal, max_lines, max_bytes):
    with Loopback() as server:
        batch = put_down(engine_of(server), journal, tmp_path, max_lines=max_lines, max_bytes=max_bytes)
        whole = put_down(engine_of(server), journal, tmp_path / "whole")
    assert sent_in(batch) == sent_in(whole)
    sizes = [(file.requests, batch.path(file).stat().st_size) for file in batch.files]
    assert all(n <= max_lines and size <= max_bytes for n, size in sizes)
    assert sum(n for n, _ in sizes) == 16
    # As few files as hold them: two that follow one another would not fit into one.
    for (n, size), (_, _), following in zip(sizes, sizes[1:], batch.files[1:], strict=False):
        first = len(batch.path(following).read_bytes().splitlines(keepends=True)[0])
        assert n == max_lines or size + first > max_bytes


def test_a_question_that_has_a_request_is_not_written_again(tmp_path, journal):
    with Loopback() as server:
        put_down(engine_of(server), journal, tmp_path)
        batch = put_down(engine_of(server), journal, tmp_path, texts=[*TEXTS, "One more."])
    assert [file.requests for file in batch.files] == [16, 2]
    names = [line["custom_id"] for line in sent_in(batch)]
    assert len(names) == len(set(names))


def test_a_writer_that_was_broken_off_leaves_nothing_that_counts(tmp_path, journal):
    batch = BatchFolder(tmp_path)
    files = RequestWriter(batch)
    files.add(BatchRequest("a" * 64, "write", "served:m", "http://x/v1", {}, {}))
    files.__exit__(RuntimeError, RuntimeError("killed"), None)
    assert not BatchFolder(tmp_path).files
    assert list(batch.folder.iterdir()) == []


def test_a_writer_that_was_broken_off_removes_the_files_that_were_full(tmp_path):
    def broken_off(keys):
        with RequestWriter(BatchFolder(tmp_path), max_lines=1) as files:
            for key in keys:
                files.add(BatchRequest(key * 64, "write", "served:m", "http://x/v1", {}, {}))
            raise RuntimeError

    with RequestWriter(BatchFolder(tmp_path)) as files:
        files.add(BatchRequest("0" * 64, "write", "served:m", "http://x/v1", {}, {}))
    before = {path.name: path.read_bytes() for path in (tmp_path / "batch").iterdir()}
    with pytest.raises(RuntimeError):
        broken_off("abc")
    assert {path.name: path.read_bytes() for path in (tmp_path / "batch").iterdir()} == before


def test_two_models_go_to_two_files(tmp_path, journal):
    batch = BatchFolder(tmp_path)
    with RequestWriter(batch) as files:
        for model, key in zip("abab", "1234", strict=True):
            files.add(BatchRequest(key * 64, "write", f"served:{model}", "http://x/v1", {"model": model}, {}))
    assert [{line["body"]["model"] for line in sent_in(batch, [file])} for file in batch.files] == [
        {"a"},
        {"b"},
    ]


@pytest.mark.parametrize("requests", [0, 3, 16])
def test_a_budget_holds_as_many_requests_as_it_can_pay_at_the_most(tmp_path, journal, requests):
    with Loopback() as server:
        engine = engine_of(server, price=Price(100.0, 100.0), retries=0)
        most = [engine.max_write_cost(prompt, 2, HOW) for prompt in writing(*TEXTS)]
        most += [engine.max_judge_cost(prompt, LABELS) for prompt in judging(*TEXTS)]
        budget = sum(most[:requests]) + 1e-9
        if requests == 16:
            assert len(sent_in(put_down(engine, journal, tmp_path, budget=budget))) == 16
            return
        batch = BatchFolder(tmp_path)
        files, outstanding = RequestWriter(batch), BatchCosts(batch, journal)
        asker = BatchAsker(engine, journal, batch, files, costs=outstanding, budget=budget)
        with pytest.raises(BudgetSpent, match="does not allow another request"):
            ask(asker)
        files.__exit__(None, None, None)
    assert len(sent_in(batch)) == asker.written == requests


# What comes back


def test_answers_in_any_order_leave_the_journal_that_asking_one_by_one_leaves(tmp_path, journal):
    with Loopback() as server:
        engine = engine_of(server)
        batch = put_down(engine, journal, tmp_path, max_lines=5)
        results = [reply_to(request) for request in sent_in(batch)]
        random.Random(1).shuffle(results)
        collected, again = collect(tmp_path, journal, results[:7], results[7:])
        assert collected.counts == {"answered": 16}
        assert not again
        assert not server.calls
        with closing(Journal(None)) as one_by_one, Asker(engine_of(server), one_by_one) as asker:
            answers = ask(asker)
            assert kept(journal) == kept(one_by_one)
        with Asker(engine_of(server), journal) as later:
            assert ask(later) == answers
            assert (later.found, later.asked) == (16, 0)


def wrong_shape(request):
    return answered(request, Reply({"choices": []}))


# What becomes of one line in the midst of good ones: how it is counted, and whether it is asked again as it was.
LINES = {
    "expired": (lambda r: failed(r, "batch_expired", "not in time"), "expired", True),
    "failed": (lambda r: failed(r, "server_error", "oh"), "failed", True),
    "500": (lambda r: answered(r, error(500, "oh")), "failed", True),
    "429": (lambda r: answered(r, error(429, "slow down")), "failed", True),
    "wrong shape": (wrong_shape, "failed", True),
    "error in 200": (lambda r: answered(r, Reply({"error": {"message": "overloaded"}})), "failed", True),
    "no body": (lambda r: {"custom_id": r["custom_id"], "response": None, "error": None}, "failed", True),
    "a body that is a list": (lambda r: answered(r, Reply([1])), "failed", True),
    "status that is none": (lambda r: answered(r, Reply({}, status="?")), "failed", True),
    "content filter": (lambda r: answered(r, error(400, "x", code="content_filter")), "refused", False),
    "too long": (lambda r: answered(r, error(400, "maximum context length is 10")), "refused", False),
    "declined": (lambda r: answered(r, completion(None, refusal="I cannot.")), "refused", False),
    "cut off": (lambda r: json.dumps(reply_to(r))[:-40], "broken", False),
    "no JSON": (lambda r: "<html>", "broken", False),
    "no object": (lambda r: "[]", "broken", False),
    "no id": (lambda r: {"response": {}}, "broken", False),
    "of another run": (lambda r: reply_to(r) | {"custom_id": "f" * 64}, "not of this run", False),
    "an id of another kind": (lambda r: reply_to(r) | {"custom_id": 7}, "not of this run", False),
}  # fmt: skip


@pytest.mark.parametrize("name", LINES)
def test_a_bad_line_costs_no_other_one(tmp_path, journal, name):
    spoil, counted, is_again = LINES[name]
    place = -1 if name in ("expired", "cut off", "too long", "wrong shape") else 3  # a judgement comes last
    with Loopback() as server:
        requests = sent_in(put_down(engine_of(server), journal, tmp_path))
        lines = [reply_to(request) for request in requests]
        lines[place] = spoil(requests[place])
        collected, again = collect(tmp_path, journal, lines)
        assert collected.counts == {"answered": 15, counted: 1}
        assert len(journal) == 15 + (counted == "refused")
        assert [line["body"] for line in again] == ([requests[place]["body"]] if is_again else [])
        assert not is_again or again[0]["custom_id"] not in {line["custom_id"] for line in requests}
        assert all(len(line["custom_id"]) <= 64 for line in again)
        if counted == "refused":
            return
        # Nothing is lost: what was asked again is answered under its new name, the rest with --missing.
        if not is_again:
            collected, again = collect(tmp_path, journal, [], missing=True)
        collect(tmp_path, journal, [reply_to(line) for line in again])
        with closing(Journal(None)) as one_by_one, Asker(engine_of(server), one_by_one) as asker:
            ask(asker)
            assert kept(journal) == kept(one_by_one)


def test_an_answer_that_comes_twice_counts_once_and_the_first_holds(tmp_path, journal):
    with Loopback() as server:
        requests = sent_in(put_down(engine_of(server), journal, tmp_path))
        other = answered(requests[0], completion('{"rewrites": ["Another."]}'))
        collected, _ = collect(tmp_path, journal, [*map(reply_to, requests), other], [other])
    assert collected.counts == {"answered": 16, "answered before": 2}
    assert "Indeed" in journal.get(requests[0]["custom_id"])["texts"][0]


def test_collecting_the_same_failures_again_asks_for_nothing_more(tmp_path, journal):
    with Loopback() as server:
        requests = sent_in(put_down(engine_of(server), journal, tmp_path))
    lines = [failed(request, "batch_expired") for request in requests]
    assert len(collect(tmp_path, journal, lines, lines)[1]) == 16
    collected, again = collect(tmp_path, journal, lines)
    assert collected.counts == {"answered before": 16}
    assert not again
    assert len(BatchFolder(tmp_path).files) == 2


def test_tries_are_bounded_and_then_it_is_told(tmp_path, journal):
    with Loopback() as server:
        requests = sent_in(put_down(engine_of(server), journal, tmp_path, texts=TEXTS[:1]))
    sent = 0
    while requests:
        sent += 1
        collected, requests = collect(
            tmp_path, journal, [failed(request, "server_error") for request in requests]
        )
    assert sent == MAX_TRIES
    assert all("is left out" in why for _, _, why in collected.listed)
    assert len(journal) == 0


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Here you are!", '{"rewrites": ["A dull film."]}'),
        ("Here you are!", "Again no JSON"),
        ("", '{"rewrites": ["A dull film."]}'),
        ("<think>hm", '{"rewrites": ["A dull film."]}'),
    ],
)
def test_an_answer_that_cannot_be_read_is_repaired_as_the_served_engine_does(
    tmp_path, journal, first, second
):
    replies = [completion(first, finish="length" if first == "<think>hm" else "stop"), completion(second)]
    with Loopback(script(*replies)) as server, closing(Journal(None)) as one_by_one:
        with Asker(engine_of(server), one_by_one) as asker:
            asker.write_all(writing(TEXTS[0]), 1, HOW)
        batch = BatchFolder(tmp_path)
        with RequestWriter(batch) as files:
            BatchAsker(engine_of(server), journal, batch, files, costs=BatchCosts(batch, journal)).write_all(
                writing(TEXTS[0]), 1, HOW
            )
        collected, again = collect(tmp_path, journal, [answered(sent_in(batch)[0], replies[0])])
        assert collected.counts == {"to be repaired": 1}
        assert again[0]["body"] == server.calls[1].body
        # The first answer once more, after its repair was written: it is not taken for the repair's.
        assert not collect(tmp_path, journal, [answered(sent_in(batch)[0], replies[0])])[1]
        collect(tmp_path, journal, [answered(again[0], replies[1])])
        assert kept(journal) == kept(one_by_one)


def test_a_server_that_does_not_know_a_parameter_gets_requests_without_it(tmp_path, journal):
    def answer(call):
        return error(400, "Unknown field: response_format") if call.has_schema else echo(call)

    with Loopback(answer) as server:
        first = sent_in(put_down(engine_of(server), journal, tmp_path))
        collected, again = collect(tmp_path, journal, [reply_to(request, answer) for request in first])
        assert collected.counts == {"not taken by the server": 16}
        assert not again
        batch = put_down(engine_of(server), journal, tmp_path)
        assert [file.requests for file in batch.files] == [16, 16]
        second = sent_in(batch, batch.files[1:])
        collected, _ = collect(tmp_path, journal, [reply_to(request, answer) for request in second])
        assert collected.counts == {"answered": 16}
        # What the first ones found out holds for the next.
        batch = put_down(engine_of(server), journal, tmp_path, texts=["One more."])
        assert all("response_format" not in line["body"] for line in sent_in(batch, batch.files[2:]))
        with closing(Journal(None)) as one_by_one, Asker(engine_of(server), one_by_one) as asker:
            ask(asker)
            assert kept(journal) == kept(one_by_one)


def test_a_key_in_an_error_or_an_answer_goes_nowhere(tmp_path, journal, monkeypatch):
    monkeypatch.setenv("LONGWAY_API_KEY", KEY)
    with Loopback() as server:
        requests = sent_in(put_down(engine_of(server), journal, tmp_path, texts=TEXTS[:1]))
    said = [
        failed(requests[0], "x", f"wrong key {KEY}"),
        answered(requests[1], completion(f'{{"label": "{KEY}"}}')),
    ]
    collected, _ = collect(tmp_path, journal, said)
    assert KEY not in str(collected)
    journal.close()
    assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.parametrize("damage", ["{", '{"files": 3}', "[]", '{"files": [{"name": "x"}]}', "\udcff"])
def test_damaged_state_is_told(tmp_path, journal, damage):
    with Loopback() as server:
        put_down(engine_of(server), journal, tmp_path)
    (tmp_path / "batch" / "batch.json").write_bytes(damage.encode("utf-8", "surrogateescape"))
    with pytest.raises(
        RunError, match=r"batch\.json is not what .* wrote.* Submitted batches are paid for: first download"
    ):
        BatchFolder(tmp_path)


def of_first(change):
    """A damage to the first line of a file of JSON lines."""
    return lambda lines: [json.dumps(change(json.loads(lines[0]))), *lines[1:]]


DAMAGE = {
    "a line less": lambda lines: lines[:-1],
    "a line more": lambda lines: [*lines, lines[0]],
    "cut off": lambda lines: [*lines[:-1], lines[-1][:-9]],
    "another order": lambda lines: lines[::-1],
    "empty object": lambda lines: ["{}", *lines[1:]],
    "no object": lambda lines: ["7", *lines[1:]],
    "too deep": lambda lines: ["[" * 100_000, *lines[1:]],
    "no custom_id": of_first(lambda line: {name: line[name] for name in line if name != "custom_id"}),
    "another custom_id": of_first(lambda line: line | {"custom_id": "f" * 64}),
}


@pytest.mark.parametrize("name", ["asked-0001.jsonl", "requests-0001.jsonl"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_request_files_are_told_and_the_way_out_pays_nothing_twice(tmp_path, journal, name, damage):
    with Loopback() as server:
        requests = sent_in(put_down(engine_of(server), journal, tmp_path, texts=TEXTS[:2]))
        path = tmp_path / "batch" / name
        path.write_text("\n".join(DAMAGE[damage](path.read_text().splitlines())) + "\n")
        with pytest.raises(
            RunError, match=r"jsonl is not what .* wrote.* Submitted batches are paid for: first download"
        ):
            collect(tmp_path, journal, [failed(request, "server_error") for request in requests])
        # What it advises: answers of the batches that were lost sight of fit the requests that are written again.
        shutil.rmtree(tmp_path / "batch")
        put_down(engine_of(server), journal, tmp_path, texts=TEXTS[:2])
    assert collect(tmp_path, journal, map(reply_to, requests))[0].counts == {"answered": 4}


@pytest.mark.parametrize("field", ["features", "used", "asked", "number", "key"])
@pytest.mark.parametrize("value", [None, "x", [1], {}])
def test_a_value_of_another_kind_is_told(tmp_path, journal, field, value):
    with Loopback() as server:
        batch = put_down(engine_of(server), journal, tmp_path, texts=TEXTS[:1])
    path = tmp_path / "batch" / "asked-0001.jsonl"
    lines = of_first(lambda line: line | {field: value})(path.read_text().splitlines())
    path.write_text("\n".join(lines))
    if (field, value) == ("asked", {}):
        return  # nothing tells that it is not what was asked
    with pytest.raises(RunError, match=r"asked-0001\.jsonl is not what"):
        list(batch.requests())


def test_an_answer_file_that_is_not_there_is_told(tmp_path, journal):
    with Loopback() as server:
        put_down(engine_of(server), journal, tmp_path)
    with pytest.raises(DataError, match=r"nothing\.jsonl cannot be read"):
        AnswerCollector(BatchFolder(tmp_path), journal).read(tmp_path / "nothing.jsonl")


# The whole way, with a server that takes batches


@pytest.fixture
def alone(monkeypatch, tmp_path):
    return toy_data(monkeypatch, tmp_path)


def test_a_rewrite_by_the_batch_ends_as_one_by_calls_and_asks_nothing_in_the_end(alone, tmp_path):
    """Some requests expire, some fail, some answers cannot be read at first: each question is paid for in the end, once."""
    seen = {}

    def outcome(request):
        number = seen[request["custom_id"]] = seen.get(request["custom_id"], 0) + 1
        assert number == 1  # no name is sent twice
        if "-" not in request["custom_id"]:
            if request["custom_id"][0] in "01":
                return failed(request, "batch_expired")
            if request["custom_id"][0] in "23":
                return answered(request, error(503, "busy"))
            if request["custom_id"][0] in "45":
                return answered(request, completion("what?"))
        return answered(request, server.chat(request))

    with BatchLoopback(toy_run.answer, outcome=outcome, looks=1) as server:
        for _ in range(20):
            told = run("write", alone, *OPTIONS, "--base-url", server.url)
            if "Everything is answered" in told:
                break
            assert "request" in told
            run("submit")
            assert "1 batch running" in run("collect")
            while "To be repeated" in run("collect"):
                run("submit")
                run("collect")
        else:
            pytest.fail("it came to no end")
        assert not server.calls
        found = lw.rewrite(load(alone), SETTINGS, engines=Engines(server.url), out=True)
        assert not server.calls
        assert found.accepted > 0
        same = lw.rewrite(load(alone), SETTINGS, engines=Engines(server.url), out="online")
        assert server.calls
    assert {letter for name in seen for letter in name[0]} & set("012345")
    for name in ("dataset.csv", "edits.jsonl"):
        assert (found.folder / name).read_bytes() == (same.folder / name).read_bytes()
    with (
        closing(Journal(found.folder / "journal.sqlite")) as ours,
        closing(Journal(same.folder / "journal.sqlite")) as theirs,
    ):
        answers = [{entry.key: entry.answer for entry in one.entries()} for one in (ours, theirs)]
    assert answers[1].items() <= answers[0].items()  # by the batch, all candidates are judged at once
    assert same.accepted == found.accepted


def test_a_file_is_submitted_once(alone):
    with BatchLoopback(toy_run.answer) as server:
        run("write", alone, *OPTIONS, "--base-url", server.url)
        run("submit")
        assert "There is nothing to submit." in run("submit")
        assert server.requests == [("POST", "/v1/files"), ("POST", "/v1/batches")]


def test_request_files_do_not_follow_a_redirect(alone):
    with BatchLoopback(toy_run.answer) as other, BatchLoopback(toy_run.answer) as server:
        away = {"location": f"{other.url}/files"}
        server._routed = lambda call: error(307, "moved", headers=away)
        run("write", alone, *OPTIONS, "--base-url", server.url)
        with pytest.raises(EngineError, match=f"redirects to {other.url}/files .*--base-url"):
            run("submit")
        assert not other.requests


def test_a_batch_that_was_not_taken_is_asked_again_and_says_why(alone):
    with BatchLoopback(outcome=lambda _: None, status="failed", errors=["line 3 is no JSON"]) as server:
        run("write", alone, *OPTIONS, "--base-url", server.url)
        run("submit")
        told = run("collect")
    assert "6 failed" in told
    assert "line 3 is no JSON" in told
    assert "To be repeated, in" in told
    assert "requests-0002.jsonl: 6 requests" in told


def test_a_server_without_batches_is_told_and_files_go_by_hand(alone):
    with BatchLoopback(toy_run.answer) as server:
        server._routed = lambda call: error(404, "no")
        run("write", alone, *OPTIONS, "--base-url", server.url)
        with pytest.raises(EngineError, match=r"takes no batches .* longway batch collect"):
            run("submit")
        with pytest.raises(RunError, match="was submitted"):
            run("collect")


def test_json_is_printed_where_it_is_asked_for(alone, tmp_path):
    with BatchLoopback(toy_run.answer) as server:
        written = json.loads(run("write", alone, *OPTIONS, "--base-url", server.url, "--json"))
        assert (written["round"], written["waiting"], written["answered"]) == (1, 6, False)
        lines = lines_of(tmp_path / written["files"][0]["path"])
        (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(answered(r, server.chat(r))) for r in lines))
        found = json.loads(run("collect", "a.jsonl", "--json"))
    assert found["counts"] == {"answered": 6}
    assert (found["missing"], found["again"]) == (0, [])


def test_files_that_speak_of_no_request_of_the_run_are_an_error(alone, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "other.jsonl").write_text(json.dumps(answered({"custom_id": "x"}, completion("hi"))))
    with BatchLoopback(toy_run.answer) as server:
        run("write", alone, *OPTIONS, "--base-url", server.url)
    with pytest.raises(
        DataError, match=r"reviews.csv is about a request .*: 13 broken\. Expected output or error files"
    ):
        run("collect", alone)
    with pytest.raises(DataError, match=r"1 not of this run\..*--run"):
        run("collect", "other.jsonl")
    with pytest.raises(DataError, match="empty"):
        run("collect", "empty")


def test_a_rewrite_without_any_request_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"film {number} is fine,{('neg', 'pos')[number % 2]}" for number in range(30)]
    (tmp_path / "same.csv").write_text("\n".join(["text,label", *rows]))
    told = run("write", "same.csv", "--engine", "served:toy", "--judge", "none", "--rounds", "1", "--k", "3")
    assert "No request is needed;" in told
    assert "answered" not in told


def test_mistakes_are_told_with_the_next_step(alone, tmp_path):
    with pytest.raises(RunError, match="No run in longway-runs has batch files"):
        run("collect", "x.jsonl")
    with pytest.raises(SettingError, match=r"Batches need a served model\. Got the engine 'rules'"):
        run("write", alone, "--engine", "rules")
    (file := tmp_path / "own.gguf").write_bytes(b"GGUF")
    if find_spec("xllamacpp") is not None:
        with pytest.raises(SettingError, match=r"needs no batches.*Use `longway rewrite`"):
            run("write", alone, "--engine", f"gguf:{file}")
    with pytest.raises(RunError, match="has no batch files"):
        run("submit", "--run", tmp_path)
    for name in ("one", "two"):
        write_batch(
            load(alone),
            settings=SETTINGS,
            engines=Engines("http://127.0.0.1:9/v1"),
            out=f"longway-runs/{name}",
        )
    with pytest.raises(RunError, match=r"Several runs have batch files: longway-runs/one, longway-runs/two"):
        run("collect")


def test_answers_that_are_missing_are_not_asked_again_while_a_batch_is_under_way(alone):
    with BatchLoopback(toy_run.answer, looks=5) as server:
        step = write_batch(load(alone), settings=SETTINGS, engines=Engines(server.url))
        run("submit")
        before = sorted(path.name for path in (step.folder / "batch").iterdir())
        with pytest.raises(RunError, match=r"^1 batch is running\. New calls would be paid twice"):
            collect_batches(step.folder, again_missing=True)
    assert sorted(path.name for path in (step.folder / "batch").iterdir()) == before
    assert "requests-0001.jsonl" in before
    assert len(BatchFolder(step.folder).files) == 1
