"""Texts written by hand: they go through the checks of the run, are kept in any case, and say what the checks said."""

import shutil
from dataclasses import replace
from types import SimpleNamespace

import pytest

import longway as lw
from longway.data import load
from longway.errors import RunError, SettingError
from longway.jobs.augment.job import augment
from longway.jobs.augment.settings import AugmentSettings
from longway.jobs.engine_use import Engines
from longway.jobs.perturb.result import CONTRAST, OFFENSIVE
from longway.jobs.rewrite.settings import RewriteSettings
from longway.jobs.rows import rows_of
from longway.review import hand_edit
from longway.review.decisions import Conflict, LookupFailed
from longway.review.edit_list import EditFilter
from longway.review.hand_edit import MAX_LENGTH, checker_of, journal_of, prepare, write_by_hand
from longway.review.row_edits import steps_of
from longway.review.run_contents import RunContents
from longway.store import JOURNAL_FILE, Journal, JournalEntry
from longway.verify.check import Candidate
from longway.verify.verifier import verifier_for
from tests.engines.loopback import Loopback
from tests.environment import without_encoder, without_settings_of_the_user
from tests.jobs import toy_augment, toy_run
from tests.review.made_runs import COLUMNS, an_edit, made_run

KEPT = EditFilter(status="kept")


pytestmark = pytest.mark.usefixtures("alone")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with the runs `rewrite` (two rounds), `leak` (one) and `augment` of toy reviews."""
    folder = tmp_path_factory.mktemp("by hand")
    with pytest.MonkeyPatch.context() as patch:
        without_settings_of_the_user(patch, folder)
        without_encoder(patch)
        data = load(toy_run.write_csv(folder / "reviews.csv", 40))
        with Loopback(toy_run.answer) as server:
            engines = Engines(server.url, options={"backoff": 0.001, "retries": 0})
            asked = RewriteSettings(
                engine="served:toy", paper=True, rounds=2, k=20, candidates=3, stop="never", checks="all"
            )
            lw.rewrite(data, settings=asked, engines=engines, out=folder / "rewrite")
            asked = replace(asked, choose="leak", rounds=1)
            lw.rewrite(data, settings=asked, engines=engines, out=folder / "leak")
        with Loopback(toy_augment.answer) as server:
            engines = Engines(server.url, options={"backoff": 0.001, "retries": 0})
            more = AugmentSettings(engine="served:toy", method="counterfactual", models=("bow",))
            augment(data, more, engines=engines, out=folder / "augment")
    return SimpleNamespace(folder=folder, data=data)


@pytest.fixture
def opened(made, tmp_path):
    """Opens a run, on which nothing was decided yet."""
    opened = []

    def contents(name):
        shutil.copytree(made.folder / name, tmp_path / name, ignore=shutil.ignore_patterns("review"))
        opened.append(RunContents(tmp_path / name))
        return opened[-1]

    yield contents
    for one in opened:
        one.close()


def first(contents, filter=KEPT):
    return contents.edits.get(contents.edits.keys(filter)[0])


@pytest.mark.parametrize(("name", "expected"), [("rewrite", {1, 2}), ("leak", {1})])
def test_a_machines_texts_get_the_verdicts_that_they_got_in_the_run(opened, name, expected):
    """All that was verified, kept or refused, but for the judge, which is a server."""
    contents = opened(name)
    checker, rounds = checker_of(contents), set()
    for reviewed in contents.edits.all(EditFilter()):
        for edit in steps_of(reviewed.edit) or [reviewed.edit]:
            said = [verdict for verdict in edit.verdicts if verdict.check != "judge"]
            if edit.verdicts:
                verdicts, _ = checker.check(edit, edit.after)
                assert list(verdicts) == said
                rounds.add(edit.round)
    assert rounds == expected


def test_a_text_by_hand_has_the_verdicts_of_a_verifier_of_the_data_as_it_came(opened, made):
    contents = opened("rewrite")
    edit, rows = first(contents), rows_of(made.data)
    labels = [rows.label(place) for place in range(len(rows))]
    verifier = verifier_for(rows.task, rows.texts, labels, None, seed=0)
    for text in (
        edit.edit.after + " So it was.",
        edit.edit.before.replace(" was ", " was not "),
        "Completely different.",
    ):
        found = write_by_hand(contents, edit.key, text, author="ann")
        row = list(rows.ids).index(edit.edit.id)
        candidate = Candidate(row, edit.edit.before, text, edit.edit.label_after)
        (expected,) = verifier.verify([candidate])
        assert found.value["verdicts"] == [verdict.to_dict() for verdict in expected]
        assert found.value["passed"] == all(verdict.passed for verdict in expected)


def test_a_text_that_fails_is_kept_and_marked(opened):
    contents = opened("rewrite")
    edit = first(contents)
    text = edit.edit.before.replace(" was ", " was not ")
    found = write_by_hand(contents, edit.key, text, author="ann", seen=0)
    assert (found.kind, found.key, found.author) == ("edit", edit.key, "ann")
    assert (found.value["choice"], found.value["text"], found.value["passed"]) == ("hand", text, False)
    assert found.value["verdicts"][-1]["check"] == "negation"
    assert contents.edits.get(edit.key).decision.value == found.value
    assert any("judge" in missing for missing in found.value["missing"])


def test_a_text_that_passes_is_not_marked(opened):
    contents = opened("rewrite")
    edit = first(contents)
    found = write_by_hand(
        contents, edit.key, "  " + edit.edit.before.replace("we ", "that we ") + "\r\n", author="ann"
    )
    assert found.value["passed"]
    assert found.value["text"] == edit.edit.before.replace("we ", "that we ")


def test_lines_end_as_they_did_in_the_text_before(tmp_path):
    """A form sends \\r\\n whatever the text had."""
    befores = ("one\r\ntwo", "one\ntwo", "one\rtwo", "one")
    edits = [an_edit(str(i), before, "x", method="perturb") for i, before in enumerate(befores)]
    rows = [
        {"longway_id": str(i), "text": before, "label": ("a", "b")[i % 2]} for i, before in enumerate(befores)
    ]
    columns = {**COLUMNS, "seed": 0}
    contents = RunContents(made_run(tmp_path / "run", edits, command="perturb", settings=columns, rows=rows))
    for key, end in zip(contents.edits.keys(EditFilter()), ("\r\n", "\n", "\r", "\n"), strict=True):
        for sent in ("three\r\nfour", "three\nfour"):
            assert write_by_hand(contents, key, sent, author="ann").value["text"] == f"three{end}four"
    with pytest.raises(SettingError, match="equals the original"):
        write_by_hand(contents, contents.edits.keys(EditFilter())[0], "one\ntwo", author="ann")
    contents.close()


def test_texts_that_are_no_edit_are_refused_and_nothing_is_written(opened):
    contents = opened("rewrite")
    edit = first(contents)
    for text, words in (
        (" \n ", "empty. .* reject the edit"),
        (edit.edit.after + "\n", "equals the edit. .* Accept the edit"),
        (edit.edit.before, "equals the original. .* Reject the edit"),
        ("x" * (MAX_LENGTH + 1), "at most 50,000"),
    ):
        with pytest.raises(SettingError, match=words):
            write_by_hand(contents, edit.key, text, author="ann")
    assert contents.decisions.of("edit", edit.key) is None
    with pytest.raises(LookupFailed):
        write_by_hand(contents, "no such key", "A text.", author="ann")


def test_two_tabs_do_not_lose_each_others_text(opened):
    contents = opened("rewrite")
    edit = first(contents)
    one = write_by_hand(contents, edit.key, "One text.", author="ann", seen=0)
    with pytest.raises(Conflict):
        write_by_hand(contents, edit.key, "Another text.", author="bob", seen=0)
    assert contents.decisions.of("edit", edit.key) == one


def test_the_verifier_is_made_once_for_a_book(opened, monkeypatch):
    contents, made = opened("rewrite"), []
    monkeypatch.setattr(hand_edit, "verifier_for", lambda *a, **k: made.append(a) or verifier_for(*a, **k))
    for text in ("One text.", "Another text.", "A third one."):
        write_by_hand(contents, first(contents).key, text, author="ann")
    assert len(made) == 1


def test_the_checks_get_ready_while_a_person_still_writes(opened, monkeypatch):
    contents = opened("rewrite")
    key = first(contents).key
    prepare(contents, key)
    monkeypatch.setattr(hand_edit, "verifier_for", None)  # nothing is left to be made
    monkeypatch.setattr("longway.verify.model_checks._Words", None)
    assert write_by_hand(contents, key, "One text.", author="ann").value["verdicts"]
    assert len(contents.decisions.history("edit", key)) == 1
    with hand_edit._lock:
        prepare(contents, key)  # they are at work: this one does not wait


def test_what_models_read_is_remembered_by_the_review_and_not_added_to_the_run(tmp_path):
    entry = JournalEntry("0" * 16, "verify", "minilm", {"row": "new"})
    of_run = Journal(tmp_path / JOURNAL_FILE)
    of_run.put(JournalEntry("old", kind="verify", engine="minilm", answer={"row": "old"}))
    contents = SimpleNamespace(folder=tmp_path)
    (tmp_path / "review").mkdir()
    journal_of(contents).put_all([entry])
    again = journal_of(contents)
    assert again.get_all(["old", entry.key, "none"]) == {"old": {"row": "old"}, entry.key: {"row": "new"}}
    assert of_run.get(entry.key) is None


def test_the_run_itself_stays_as_it_was(opened):
    contents = opened("rewrite")
    before = {path.name: path.read_bytes() for path in contents.folder.iterdir() if path.is_file()}
    write_by_hand(contents, first(contents).key, "One text.", author="ann")
    after = {path.name: path.read_bytes() for path in contents.folder.iterdir() if path.is_file()}
    for name in before:
        assert name.startswith("journal") or before[name] == after[name]
    assert {name for name in after if not name.startswith("journal")} == {
        name for name in before if not name.startswith("journal")
    }
    RunContents(contents.folder).close()  # still a finished run


def test_an_added_text_must_carry_its_new_label(opened):
    contents = opened("augment")
    edit = first(contents, EditFilter())
    assert edit.edit.label_after != edit.edit.label_before
    good, bad = (
        "The meal we saw was bright and quick and warm.",
        "The meal we saw was dull and slow and weak.",
    )
    right, wrong = (good, bad) if edit.edit.label_after == "good" else (bad, good)
    assert write_by_hand(contents, edit.key, right, author="ann").value["passed"]
    found = write_by_hand(contents, edit.key, wrong, author="ann").value
    assert not found["passed"]
    assert found["verdicts"][-1]["check"] in ("new label", "sentiment")  # whichever sees it first


@pytest.fixture
def perturbed(tmp_path):
    """A perturbation of pairs: one was changed on both sides, of the other only the hypothesis."""
    both = {"id": "p0", "method": "perturb", "accepted": True, "how": "gender: woman to man"}
    edits = [
        an_edit(before="Ann lost her keys.", after="Bob lost his keys.", field="premise", **both),
        an_edit(before="Ann has no keys.", after="Bob has no keys.", field="hypothesis", **both),
        an_edit("p1", "John saw his uncle.", "John saw his aunt.", field="hypothesis", method="perturb"),
    ]
    texts = (
        ("Bob lost his keys.", "Bob has no keys.", "yes"),
        ("John saw his aunt.", "John saw his uncle.", "no"),
    )
    rows = [
        {"longway_id": f"p{i}", **dict(zip(("premise", "hypothesis", "label"), row, strict=True))}
        for i, row in enumerate(texts)
    ]
    columns = {**COLUMNS, "text": "hypothesis", "context": "premise", "seed": 0}
    contents = RunContents(
        made_run(tmp_path / "perturb", edits, command="perturb", settings=columns, rows=rows)
    )
    yield contents
    contents.close()


def test_a_perturbed_text_must_not_hurt(perturbed):
    key = perturbed.edits.keys(KEPT)[1]
    fine = write_by_hand(perturbed, key, "Bob has no keys now.", author="ann").value
    assert [(one["check"], one["passed"]) for one in fine["verdicts"]] == [
        (OFFENSIVE, True),
        (CONTRAST, True),
    ]
    hurts = write_by_hand(perturbed, key, "Bob is black trash.", author="ann").value
    assert next((one["check"], one["passed"]) for one in hurts["verdicts"]) == (OFFENSIVE, False)
    assert not hurts["passed"]


def test_a_pair_is_looked_at_as_it_would_be_with_the_other_sides_edit(perturbed):
    premise, hypothesis = perturbed.edits.keys(KEPT)
    lost = write_by_hand(perturbed, hypothesis, "Jim has no keys.", author="ann").value
    assert lost["verdicts"][1]["reason"] == "'Ann' stands in both texts, and was replaced by different names"
    write_by_hand(perturbed, premise, "Jim lost his keys.", author="ann")  # now the other side says the same
    assert write_by_hand(perturbed, hypothesis, "Jim has no keys now.", author="ann").value["passed"]


def test_a_pair_that_no_longer_differs_is_marked(perturbed):
    key = perturbed.edits.keys(EditFilter(status="refused"))[0]
    same = write_by_hand(perturbed, key, "John saw his dear aunt.", author="ann").value
    assert "told the texts apart, and no longer do" in same["verdicts"][1]["reason"]
    assert not same["passed"]


def test_a_run_without_edits_is_told(made, tmp_path):
    contents = SimpleNamespace(command="audit", folder=tmp_path)
    with pytest.raises(RunError, match="whose edits cannot be written by hand"):
        checker_of(contents)
