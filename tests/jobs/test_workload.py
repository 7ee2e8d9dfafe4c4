"""Progress over all of the work: checks are part of it, and so of the time that is left."""

import pytest

from longway.data import load
from longway.jobs.augment.words import labelled, words_by_models
from longway.jobs.repair.job import repair
from longway.jobs.rewrite.job import rewrite
from longway.jobs.rows import rows_of
from longway.jobs.run import Watcher
from longway.jobs.workload import Workload
from longway.models.ensemble import Ensemble
from longway.records import Verdict
from longway.verify.check import Candidate, Check
from longway.verify.verifier import Verifier
from tests.jobs.toy_run import rows_of as toy_rows
from tests.jobs.watching import watching


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_the_time_left_includes_the_checks_before_any_was_made(clock):
    seen = []
    work = Workload(
        watching(work=lambda *given: seen.append(given)),
        {"write": 60, "check": 60},
        guesses={"check": 0.5},
        clock=clock,
    )
    work.begin("write", "writing", 60)
    assert seen[-1] == ("writing", 0.0, None)  # nothing is known about writing yet
    clock.now = 10
    work.inside(60, 60)  # all is written, in 10 seconds
    _, share, left = seen[-1]
    assert left == pytest.approx(30)
    assert share == pytest.approx(0.25)


def test_measured_times_replace_guesses_and_finished_work_has_none_left(clock):
    work = Workload(Watcher(), {"write": 10, "check": 10}, guesses={"check": 100.0}, clock=clock)
    work.begin("write", "writing", 10)
    clock.now = 5
    work.did(10)
    work.begin("check", "checking", 10)
    clock.now = 7
    work.inside(1, 2)
    assert work.left() == pytest.approx(2)  # five checks took two seconds
    clock.now = 9
    work.did(10)
    assert work.left() == 0


def test_kinds_without_a_guess_take_as_long_as_the_average_part(clock):
    work = Workload(Watcher(), {"a": 2, "b": 4}, usual=7.0, clock=clock)
    assert work.left() == 42
    work.begin("a", "a", 1)
    clock.now = 3
    work.did(1)
    assert work.left() == pytest.approx(5 * 3)


class Slow(Check):
    name = "slow"
    at_once = 4

    def __init__(self):
        self.sizes = []

    def __call__(self, candidates):
        self.sizes.append(len(candidates))
        return [Verdict("slow", candidate.row % 2 == 0) for candidate in candidates]


def test_a_verifier_reports_its_progress_while_a_check_runs():
    check, second, seen = Slow(), Slow(), []
    verifier = Verifier([check, second])
    verifier.progress = lambda done, total: seen.append((done, total))
    verdicts = list(verifier.verify([Candidate(i, "a", "b", "x") for i in range(10)]))
    assert len(verdicts) == 10
    assert check.sizes == [4, 4, 2]
    assert {total for _, total in seen} == {20}
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (20, 20)


@pytest.mark.parametrize("job", [repair, rewrite])
def test_a_run_says_that_it_checks_and_how_long_all_of_it_takes(job, alone, tmp_path):
    pytest.importorskip("spacy")
    seen = []
    watcher = watching(work=lambda words, share, left: seen.append((words, share, left)))
    rows = [
        row | {"review": f"Honestly, {row['review'][0].lower()}{row['review'][1:]}"}
        if row["label"] == "bad"
        else row
        for row in toy_rows(60)
    ]
    data = load(rows, text="review", label="label")
    job(data, engine="rules", out=tmp_path / "run", watcher=watcher)
    checking = [(share, left) for words, share, left in seen if "checking" in words]
    assert checking
    assert all(left is not None for _, left in checking)
    assert all(0 <= share <= 1 for share, _ in checking)


def test_the_vote_says_its_steps(alone):
    rows = rows_of(load(toy_rows(40), text="review", label="label"))
    events = []
    watcher = watching(
        say=lambda sentence: events.append(sentence), work=lambda words, share, left: events.append(words)
    )
    words_by_models(rows, Ensemble(labelled(rows), ["bow"]), watcher=watcher)
    assert events[0] == "vote, model 1 of 1: bow"
