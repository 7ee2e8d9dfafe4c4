"""The progress line: it covers all of the work, fits 80 columns, and never says that nothing is left while something is done."""

import io

import pytest
from rich.console import Console

from longway.cli.live import LeftColumn, Live, PartsColumn


@pytest.fixture
def live(monkeypatch):
    console = Console(file=io.StringIO(), force_terminal=True, width=80)
    monkeypatch.setattr("longway.cli.live.errors", lambda: console)
    return Live()


def line_of(live):
    """The line of the current task, as plain text."""
    console = Console(file=io.StringIO(), width=80)
    console.print(live._bar.make_tasks_table(live._bar.tasks))
    return console.file.getvalue().rstrip("\n")


def test_work_is_shown_as_a_share_with_the_time_left(live):
    live.work("take out: checking 256 texts", 0.5, 150.0)
    line = line_of(live)
    assert "take out: checking 256 texts" in line
    assert "50%" in line
    assert "2.5 min left" in line
    assert "\n" not in line
    assert "…" not in line


def test_the_clock_goes_on_while_the_words_of_the_work_change(live):
    live.work("writing", 0.1, 60.0)
    (first,) = live._bar.tasks
    live.work("checking", 0.2, 50.0)
    (second,) = live._bar.tasks
    assert first.id == second.id
    assert second.description == "checking"
    live.step("writing the report")
    (third,) = live._bar.tasks
    assert (third.id != first.id, third.fields) == (True, {})


def test_a_step_that_is_done_does_not_say_that_nothing_is_left(live):
    live.step("reading")
    live.progress(60, 60)
    (task,) = live._bar.tasks
    assert PartsColumn().render(task).plain == "60/60"
    assert LeftColumn().render(task).plain == ""
    live.work("checking", 0.9, 0.0)
    (task,) = live._bar.tasks
    assert LeftColumn().render(task).plain == ""


def test_unknown_work_shows_no_numbers(live):
    live.work("writing", 0.0, None)
    (task,) = live._bar.tasks
    assert PartsColumn().render(task).plain == ""
    assert LeftColumn().render(task).plain == ""
