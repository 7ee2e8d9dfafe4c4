"""Batches and money: nothing that a provider may be answering is asked a second time, and what was paid is counted."""

import json
import shutil
from contextlib import closing

import pytest

import longway as lw
from longway.batch.answer_files import MAX_TRIES, AnswerCollector, answer_files
from longway.batch.provider import BatchProvider
from longway.batch.request_files import BatchFolder
from longway.batch.rewrite_batch import collect_batches, submit_batches, write_batch
from longway.data import load
from longway.engines.asker import Asker
from longway.engines.recording import LOST
from longway.errors import EngineError, RunError, SettingError
from longway.jobs.engine_use import Engines
from longway.jobs.rewrite.settings import RewriteSettings
from longway.store import Journal
from tests.batch.batch_runs import (
    HOW,
    KEY,
    TEXTS,
    ask,
    collect,
    put_down,
    reply_to,
    run,
    sent_in,
    toy_data,
    write_lines,
)
from tests.batch.batch_server import BatchLoopback, answered, failed
from tests.engines.conftest import engine_of, writing
from tests.engines.loopback import Loopback, Reply, completion, error
from tests.jobs import toy_run

ROUND = RewriteSettings(
    engine="served:toy", judge="none", paper=True, rounds=1, k=6, candidates=2, stop="never"
)
OPTIONS = "--engine served:toy --judge none --paper --rounds 1 --k 6 --candidates 2 --stop never".split()
PAID = {"usage": {"prompt_tokens": 1000, "completion_tokens": 100}}  # $0.11 at 100 dollars a million


@pytest.fixture
def alone(monkeypatch, tmp_path):
    return toy_data(monkeypatch, tmp_path)


@pytest.fixture
def journal(tmp_path):
    with closing(Journal(tmp_path / "journal.sqlite")) as opened:
        yield opened


@pytest.fixture
def dear(monkeypatch, tmp_path):
    """100 dollars for a million tokens of any model."""
    prices = tmp_path / "prices.toml"
    prices.write_text('[models]\n"*" = { input = 100.0, output = 100.0 }\n')
    monkeypatch.setenv("LONGWAY_PRICES", str(prices))


def paid(line):
    """An answer with a usage of $0.11."""
    line["response"]["body"] |= PAID
    return line


def asked_for(folder):
    """How often each question was written down for a provider."""
    return [request.key for request in BatchFolder(folder).requests()]


# Submitting


class LosesTheAnswer(BatchLoopback):
    """Begins a batch and breaks off, once; `lists` is whether it lists its batches."""

    lists, n_lost = True, 0

    async def _reply(self, call, writer):
        if (call.method, call.path) == ("POST", "/v1/batches") and not self.n_lost:
            self.n_lost += 1
            self._routed(call)
            return False
        return await super()._reply(call, writer)

    def _routed(self, call):
        if call.method == "GET" and call.path.split("?")[0] == "/v1/batches" and not self.lists:
            return error(405, "no")
        return super()._routed(call)


def test_a_batch_whose_beginning_got_lost_is_found_again_and_not_begun_twice(tmp_path, journal):
    with LosesTheAnswer() as server:
        put_down(engine_of(server), journal, tmp_path)
        with pytest.raises(EngineError, match="Run the same command again later"):
            submit_batches(tmp_path)
        assert len(server.batches) == 1
        told = collect_batches(tmp_path, [write_lines(tmp_path / "none.jsonl", [])])
        assert (told.in_doubt, told.under_way) == (["requests-0001.jsonl"], 1)
        with pytest.raises(RunError, match=r"requests-0001\.jsonl was begun.* batch submit"):
            collect_batches(tmp_path, [tmp_path / "none.jsonl"], again_missing=True)
        assert [file.batch_id for file in submit_batches(tmp_path)] == ["batch-1"]
        assert len(server.batches) == 1
        assert collect_batches(tmp_path).collected.counts == {"answered": 16}


def test_a_lost_beginning_is_left_to_people_where_the_server_lists_no_batches(tmp_path, journal):
    with LosesTheAnswer() as server:
        server.lists = False
        requests = sent_in(put_down(engine_of(server), journal, tmp_path))
        with pytest.raises(EngineError):
            submit_batches(tmp_path)
        with pytest.raises(EngineError, match=r"does not list batches.*your provider's page"):
            submit_batches(tmp_path)
        assert len(server.batches) == 1
        # Its answers by hand: nothing is in doubt any more.
        path = write_lines(tmp_path / "answers.jsonl", map(reply_to, requests[1:]))
        assert not collect_batches(tmp_path, [path]).in_doubt
        assert [file.requests for file in collect_batches(tmp_path, [path], again_missing=True).again] == [1]


def test_a_server_that_lists_no_batches_takes_them_all_the_same(tmp_path, journal):
    with LosesTheAnswer() as server:
        server.lists, server.n_lost = False, 1
        put_down(engine_of(server), journal, tmp_path)
        assert len(submit_batches(tmp_path)) == 1
        assert server.requests == [
            ("POST", "/v1/files"),
            ("POST", "/v1/batches"),
        ]  # nothing else is looked at


def test_a_batch_that_the_server_refused_is_not_in_doubt(tmp_path, journal):
    class Full(BatchLoopback):
        def _routed(self, call):
            is_begin = (call.method, call.path) == ("POST", "/v1/batches")
            return error(400, "too many batches") if is_begin else super()._routed(call)

    with Full() as server:
        put_down(engine_of(server), journal, tmp_path)
        with pytest.raises(EngineError, match="too many batches"):
            submit_batches(tmp_path)
        BatchFolder(tmp_path).check_none_running()
        assert ("GET", "/v1/batches") not in server.requests


@pytest.mark.parametrize("made", ["files", "batches"])
def test_a_server_that_gives_no_id_is_told(tmp_path, journal, made):
    class Nameless(BatchLoopback):
        def _routed(self, call):
            reply = super()._routed(call)
            return Reply(reply.body | {"id": None}) if call.path == f"/v1/{made}" else reply

    with Nameless() as server:
        put_down(engine_of(server), journal, tmp_path)
        with pytest.raises(EngineError, match="it has no id"):
            submit_batches(tmp_path)
    file = BatchFolder(tmp_path).files[0]
    assert not file.is_submitted
    assert file.is_in_doubt == (made == "batches")


@pytest.mark.parametrize("at", [1, 2, 3])  # after the upload, before the batch is begun, after it was
@pytest.mark.parametrize("is_saved", [True, False])
def test_a_kill_at_any_moment_of_submitting_begins_no_second_batch(tmp_path, journal, at, is_saved):
    with BatchLoopback() as server:
        batch = put_down(engine_of(server), journal, tmp_path)
        n_saves = 0

        def save():
            nonlocal n_saves
            n_saves += 1
            if n_saves != at or is_saved:
                batch.save()
            if n_saves == at:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            BatchProvider(server.url).submit(batch.path(batch.files[0]), batch.files[0], save)
        submit_batches(tmp_path)
        assert len(server.batches) == 1
        assert [path for method, path in server.requests if method == "POST"].count("/v1/files") == (
            2 if (at, is_saved) == (1, False) else 1
        )
        assert BatchFolder(tmp_path).files[0].batch_id == "batch-1"


def test_files_whose_questions_are_answered_are_not_submitted(alone, tmp_path):
    with BatchLoopback(toy_run.answer) as server:
        step = write_batch(load(alone), settings=ROUND, engines=Engines(server.url))
        requests = sent_in(BatchFolder(step.folder))
        lines = [answered(request, server.chat(request)) for request in requests]
        run("collect", write_lines(tmp_path / "a.jsonl", lines))
        assert "Verdict: There is nothing to submit." in run("submit")
        assert not server.requests


def test_a_file_whose_questions_were_all_asked_one_by_one_is_not_submitted(tmp_path, journal):
    with BatchLoopback() as server:
        put_down(engine_of(server), journal, tmp_path)
        ask(Asker(engine_of(server), journal))
        assert submit_batches(tmp_path) == []
        assert not server.requests


@pytest.mark.parametrize("damage", [None, "{}", "[", ""])
def test_a_request_file_that_was_damaged_is_not_submitted(tmp_path, journal, damage):
    with BatchLoopback() as server:
        batch = put_down(engine_of(server), journal, tmp_path, texts=TEXTS[:1])
        path = batch.path(batch.files[0])
        path.unlink() if damage is None else path.write_text(damage)
        with pytest.raises(RunError, match=r"requests-0001\.jsonl is not what"):
            submit_batches(tmp_path)
        assert not server.requests


def test_a_file_that_was_uploaded_by_hand_is_not_submitted_too(tmp_path, journal):
    """Answers came for a part of it, so a provider has it; the others may be on their way."""
    with BatchLoopback() as server:
        batch = put_down(engine_of(server), journal, tmp_path)
        collect(tmp_path, journal, map(reply_to, sent_in(batch)[:3]))
        assert submit_batches(tmp_path) == []
        assert not server.requests


def test_questions_that_were_answered_meanwhile_are_not_submitted_with_the_others(tmp_path, journal):
    with BatchLoopback() as server:
        batch = put_down(engine_of(server), journal, tmp_path)
        before = sorted(path.name for path in batch.folder.iterdir())
        requests = sent_in(batch)
        Asker(engine_of(server), journal).write_all(
            writing(*TEXTS[:3]), 2, HOW
        )  # as `longway rewrite` does that is stopped soon
        submit_batches(tmp_path)
        sent = [json.loads(line) for line in server.files["file-1"].splitlines()]
        assert sent == requests[3:]
        found = collect_batches(tmp_path)
        assert found.collected.counts == {"answered": 13}
        assert (found.again, found.waiting.n) == ([], 0)
    assert sorted(path.name for path in batch.folder.iterdir()) == before
    assert len(journal) == 16


# Under way or not


@pytest.mark.parametrize("named", ["queued", "IN_PROGRESS", "cancelling", ""])
def test_a_batch_of_a_status_that_we_do_not_know_may_still_answer(tmp_path, journal, named):
    class Other(BatchLoopback):
        def _shown(self, name):
            shown = super()._shown(name)
            return shown | {"status": named if shown["status"] == "in_progress" else "Completed"}

    with Other(looks=1) as server:
        put_down(engine_of(server), journal, tmp_path)
        submit_batches(tmp_path)
        found = collect_batches(tmp_path)
        assert (found.under_way, found.again, dict(found.collected.counts)) == (1, [], {})
        found = collect_batches(tmp_path)
        assert (found.under_way, found.again, dict(found.collected.counts)) == (0, [], {"answered": 16})


def test_what_waits_in_a_file_that_was_not_submitted_is_not_missing(tmp_path, journal):
    """One request fails and one is forgotten by the server: each of them is asked once more, and only once."""
    n = 0

    def outcome(request):
        nonlocal n
        n += 1
        return {1: None, 2: failed(request, "server_error")}.get(n, reply_to(request))

    with BatchLoopback(outcome=outcome) as server:
        put_down(engine_of(server), journal, tmp_path)
        submit_batches(tmp_path)
        found = collect_batches(tmp_path)
        assert ([file.requests for file in found.again], found.waiting.missing) == ([1], 1)
        found = collect_batches(tmp_path, again_missing=True)
        assert [file.requests for file in found.again] == [1]
        assert (found.waiting.missing, found.waiting.unsent) == (0, 1)
        submit_batches(tmp_path)
        assert not collect_batches(tmp_path, again_missing=True).again
        assert n == 18
        assert len(journal) == 16


def test_missing_answers_are_not_asked_again_with_files_either_while_a_batch_is_under_way(tmp_path, journal):
    with BatchLoopback(looks=9) as server:
        batch = put_down(engine_of(server), journal, tmp_path)
        submit_batches(tmp_path)
        path = write_lines(tmp_path / "a.jsonl", [reply_to(sent_in(batch)[0])])
        with pytest.raises(RunError, match=r"^1 batch is running\."):
            collect_batches(tmp_path, [path], again_missing=True)
    assert len(asked_for(tmp_path)) == 16
    assert len(journal) == 1  # what was read is kept all the same


def test_a_rewrite_is_refused_while_a_batch_is_answering_its_questions(alone):
    with BatchLoopback(toy_run.answer, looks=1) as server:
        step = write_batch(load(alone), settings=ROUND, engines=Engines(server.url))
        run("submit")
        with pytest.raises(
            RunError, match=r"^1 batch is running\. New calls would be paid twice\. .*collect"
        ):
            lw.rewrite(load(alone), ROUND, engines=Engines(server.url), out=True)
        run("collect")
        run("collect")
        done = lw.rewrite(load(alone), ROUND, engines=Engines(server.url), out=True)
        assert done.folder == step.folder
        assert not server.calls
        # And a run that is finished has nothing to write.
        assert "This run is finished." in run("write", alone, *OPTIONS, "--base-url", server.url)
        assert json.loads(run("write", alone, *OPTIONS, "--base-url", server.url, "--json"))["finished"]


@pytest.mark.parametrize("is_batch", [True, False], ids=["the batch", "its answers"])
def test_a_batch_that_the_server_forgot_is_asked_again_only_on_demand(alone, is_batch):
    with BatchLoopback(toy_run.answer) as server:
        run("write", alone, *OPTIONS, "--base-url", server.url)
        run("submit")
        routed, lost = server._routed, "/batches/batch-1" if is_batch else "/content"

        def forgetful(call):
            return error(404, "no such thing") if call.path.endswith(lost) else routed(call)

        server._routed = forgetful
        for _ in range(2):
            told = run("collect")
            assert "The server has forgotten the batch of requests-0001.jsonl" in told
            assert "under way" not in told
        assert list(json.loads(run("collect", "--json"))["forgotten"]) == ["requests-0001.jsonl"]
        with pytest.raises(RunError, match="would be paid twice"):
            lw.rewrite(load(alone), ROUND, engines=Engines(server.url), out=True)

        told = run("collect", "--missing")
        assert "forgotten" not in told
        assert "requests-0002.jsonl: 6 requests" in told
        server._routed = routed
        run("submit")
        assert "6 answered" in run("collect")
        assert len(server.batches) == 2


def test_the_answers_of_a_forgotten_batch_can_be_brought_by_hand(alone, tmp_path):
    with BatchLoopback(toy_run.answer) as server:
        run("write", alone, *OPTIONS, "--base-url", server.url)
        run("submit")
        (tmp_path / "answers.jsonl").write_bytes(server.files["file-2"])
        server._routed = lambda call: error(404, "no such thing")
        assert "6 answered" in run("collect", "answers.jsonl")
        assert "Everything is answered" in run("collect", "--missing")
        lw.rewrite(load(alone), ROUND, engines=Engines(server.url), out=True)
        assert not server.calls


def test_several_batches_under_way_are_counted(tmp_path, journal):
    with BatchLoopback(looks=9) as server:
        put_down(engine_of(server), journal, tmp_path, max_lines=8)
        submit_batches(tmp_path)
    with pytest.raises(RunError, match=r"^2 batches are running\."):
        BatchFolder(tmp_path).check_none_running()
    BatchFolder(tmp_path).check_none_running(ended=["requests-0001.jsonl", "requests-0002.jsonl"])


def test_a_judge_of_several_engines_is_refused_before_it_is_asked(alone):
    settings = RewriteSettings(
        engine="served:toy", judge="served:toy+served:other", paper=True, rounds=1, k=6
    )
    with BatchLoopback(toy_run.answer) as server:
        with pytest.raises(SettingError, match=r"several engines .* 'served:toy\+served:other'.* --judge"):
            write_batch(load(alone), settings=settings, engines=Engines(server.url))
        assert not server.calls


# What is asked again


def test_request_files_are_not_taken_for_answers(tmp_path, journal):
    with Loopback() as server:
        batch = put_down(engine_of(server), journal, tmp_path)
    collecting = AnswerCollector(batch, journal)
    for path in answer_files([batch.folder]):
        collecting.read(path)
    assert collecting.collected.counts == {"broken": 32}  # the requests, and what was asked
    assert [why for _, _, why in collecting.collected.listed] == [
        "a line is not an answer of a batch; is it a file of requests?"
    ]
    assert not collecting.finish()
    assert not any(file.is_heard for file in batch.files)


def test_a_question_answered_later_in_the_same_collect_is_not_asked_again(tmp_path, journal):
    with Loopback() as server:
        requests = sent_in(put_down(engine_of(server), journal, tmp_path))
        expired = [failed(request, "batch_expired") for request in requests]
        (again,) = collect(tmp_path, journal, expired, map(reply_to, requests[1:]))[1]
        # The second request of the one that is left fails, and then the answer to its first comes after all.
        assert not collect(tmp_path, journal, [failed(again, "x")], [reply_to(requests[0])])[1]
    assert len(journal) == 16


def test_a_batch_that_expired_counts_each_request_once_and_keeps_what_was_rejected(tmp_path, journal):
    def outcome(request):
        kind = kinds[request["custom_id"]]
        lines = {
            "rejected": answered(request, error(400, "Unknown field: response_format")),
            "expired": failed(request, "batch_expired"),
            "turned away": answered(request, error(401, "who are you?")),
        }
        return lines.get(kind)

    with BatchLoopback(outcome=outcome, status="expired") as server:
        requests = sent_in(put_down(engine_of(server), journal, tmp_path))
        names = ["rejected", "expired", "turned away", "nothing"]
        kinds = {request["custom_id"]: names[number % 4] for number, request in enumerate(requests)}
        submit_batches(tmp_path)
        found = collect_batches(tmp_path)
    assert found.collected.counts == {
        "not taken by the server": 4,
        "expired": 4,
        "turned away": 4,
        "failed": 4,
    }
    assert sum(file.requests for file in found.again) == 8  # what expired, and what no line spoke of
    assert (found.waiting.rejected, found.waiting.missing) == (4, 4)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_was_turned_away_is_told_once_and_asked_again_only_on_demand(tmp_path, journal, status):
    with Loopback() as server:
        requests = sent_in(put_down(engine_of(server), journal, tmp_path))
    lines = [answered(request, error(status, "no such model")) for request in requests]
    collected, again = collect(tmp_path, journal, lines)
    assert collected.counts == {"turned away": 16}
    assert [why for _, _, why in collected.listed] == [f"status {status}: no such model"]
    assert not again
    assert len(collect(tmp_path, journal, [], missing=True)[1]) == 16
    assert collect(tmp_path, journal, lines)[0].counts == {"answered before": 16}


def test_what_was_asked_often_enough_is_told_apart_and_left_to_the_rewrite(alone):
    with BatchLoopback(toy_run.answer, outcome=lambda request: failed(request, "server_error")) as server:
        run("write", alone, *OPTIONS, "--base-url", server.url)
        for _ in range(MAX_TRIES):
            run("submit")
            told = run("collect")
        assert len(server.batches) == MAX_TRIES
        left_out = "6 calls left out: repeated too often."
        assert left_out in told
        assert "--missing" not in told
        assert "Everything is answered" not in told
        told = run("collect", "--missing")
        assert left_out in told
        assert "To be repeated" not in told
        told = run("write", alone, *OPTIONS, "--base-url", server.url)
        assert left_out in told
        assert "waits for" not in told
        assert json.loads(run("collect", "--json"))["left_out"] == 6
        assert "There is nothing to submit." in run("submit")
        lw.rewrite(load(alone), ROUND, engines=Engines(server.url), out=True)
        assert len(server.calls) == 6


# What was paid


def test_the_tokens_of_an_answer_that_repeats_the_key_are_counted(tmp_path, journal, dear, monkeypatch):
    monkeypatch.setenv("LONGWAY_API_KEY", KEY)
    with Loopback() as server:
        requests = sent_in(put_down(engine_of(server), journal, tmp_path, texts=TEXTS[:1]))
    lines = [paid(answered(requests[0], completion(f'{{"rewrites": ["{KEY}"]}}')))]
    assert collect(tmp_path, journal, lines)[0].counts == {"refused": 1}
    assert journal.spent() == pytest.approx(0.11)


def test_the_last_answer_counts_even_where_it_cannot_be_read(tmp_path, journal, dear):
    with Loopback() as server:
        request = sent_in(put_down(engine_of(server), journal, tmp_path, texts=TEXTS[:1]))[0]
    for _ in range(MAX_TRIES - 1):
        (request,) = collect(tmp_path, journal, [failed(request, "batch_expired")])[1]
    collected, again = collect(tmp_path, journal, [paid(answered(request, completion("what?")))])
    assert (collected.counts, again) == ({"refused": 1}, [])
    assert journal.spent() == pytest.approx(0.11)


def test_what_was_paid_before_a_question_was_left_out_is_counted(tmp_path, journal, dear):
    with Loopback() as server:
        request = sent_in(put_down(engine_of(server), journal, tmp_path, texts=TEXTS[:1]))[0]
    (request,) = collect(tmp_path, journal, [paid(answered(request, completion("what?")))])[1]
    for _ in range(MAX_TRIES - 1):
        again = collect(tmp_path, journal, [failed(request, "batch_expired")])[1]
        request = again[0] if again else request
    assert not again
    assert journal.spent() == pytest.approx(0.11)


@pytest.mark.parametrize("says_usage", [True, False])
def test_a_body_of_the_wrong_shape_is_counted_once_however_often_it_is_read(
    tmp_path, journal, dear, says_usage
):
    with Loopback() as server:
        batch = put_down(engine_of(server), journal, tmp_path, texts=TEXTS[:1])
    request = sent_in(batch)[0]
    most = next(batch.requests()).most
    assert most > 0
    bad = answered(request, Reply({"choices": []} | (PAID if says_usage else {})))
    (second,) = collect(tmp_path, journal, [bad, bad], [bad])[1]
    lost = 0.11 if says_usage else most / 2
    assert journal.spent() == pytest.approx(lost)
    collect(tmp_path, journal, [bad], [paid(reply_to(second))])
    assert journal.spent() == pytest.approx(lost + 0.11)
    assert sorted(call.kind for call in journal.entries()) == [LOST, "write"]


def test_a_budget_that_holds_no_judgement_is_told(alone, tmp_path, monkeypatch):
    (tmp_path / "p.toml").write_text(
        '[models]\n"toy" = { input = 1.0, output = 1.0 }\n"dear" = { input = 1e5, output = 1e5 }\n'
    )
    monkeypatch.setenv("LONGWAY_PRICES", str(tmp_path / "p.toml"))
    with BatchLoopback(toy_run.answer) as server:
        options = [*OPTIONS, "--judge", "served:dear", "--base-url", server.url]
        with pytest.raises(SettingError, match=r"too small for one row.* Nothing was sent. Try --budget \d"):
            run("write", alone, *options, "--budget", "1")
        assert not server.calls


def test_a_budget_that_holds_no_request_is_told(alone, dear):
    with BatchLoopback(toy_run.answer) as server, pytest.raises(SettingError, match="too small for one row"):
        run("write", alone, *OPTIONS, "--base-url", server.url, "--budget", "0.000001")


# What stays on disk and goes to the screen


def test_answers_that_a_server_gave_do_not_stay_in_the_run_folder(tmp_path, journal, monkeypatch):
    monkeypatch.setenv("LONGWAY_API_KEY", KEY)
    with BatchLoopback(lambda call: completion(KEY)) as server:
        batch = put_down(engine_of(server), journal, tmp_path, texts=TEXTS[:1])
        before = {path.name for path in batch.folder.iterdir()}
        submit_batches(tmp_path)
        assert collect_batches(tmp_path).collected.counts == {"refused": 2}
        assert any(KEY.encode() in content for content in server.files.values())
    journal.close()
    assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert {path.name for path in batch.folder.iterdir()} == before


def test_answers_that_are_left_by_a_kill_are_tidied_up(alone, tmp_path, monkeypatch):
    """A process that is killed while it reads an answer file leaves it; the next command that opens the run removes it."""
    with BatchLoopback(toy_run.answer) as server:
        step = write_batch(load(alone), settings=ROUND, engines=Engines(server.url))
        run("submit")
        file = BatchFolder(step.folder).files[0]
        look = BatchProvider(server.url).progress(file)
        while look.is_running:
            look = BatchProvider(server.url).progress(file)
        with BatchProvider(server.url).fetched(look.outputs[0], step.folder / "batch") as path:
            shutil.copy(path, kept := tmp_path / "kept")
        assert not path.exists()
        kept.rename(path)
        write_batch(load(alone), settings=ROUND, engines=Engines(server.url))
    assert not path.exists()


def test_json_of_what_a_server_said_can_be_printed(alone):
    with BatchLoopback(toy_run.answer, outcome=lambda request: failed(request, "x", "bad \ud800")) as server:
        run("write", alone, *OPTIONS, "--base-url", server.url)
        run("submit")
        told = run("collect", "--json")
    assert told.isascii()
    assert json.loads(told)["listed"][0]["why"] == "bad \ud800"
