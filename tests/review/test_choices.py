"""Runs on data with candidates in the review: questions with their options, decisions that apply to the dataset, audits with their rows."""

import json

import pytest

from longway.errors import RunError, SettingError
from longway.jobs.choices.job import audit_choices
from longway.jobs.choices.repair import repair_choices
from longway.review.choice_rows import load_questions
from longway.review.edit_list import EditFilter
from longway.review.export import export_csv, export_dataset, export_json
from longway.review.hand_edit import write_by_hand
from longway.review.pages.edit_pages import data_page, edit_page, edits_page, row_page
from longway.review.pages.finding_pages import finding_page, findings_page
from longway.review.pages.run_pages import overview_page, run_page, summary_page
from longway.review.run_contents import RunContents
from tests.jobs.planted_choices import quiz
from tests.jobs.test_choice_repair import styled_pairs


def written(folder, rows):
    path = folder / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def repairs(tmp_path_factory):
    """The folders of a repaired quiz and of repaired pairs, each with its data."""
    found = {}
    for name, rows in {"quiz": quiz("longest", n=100, share=0.7), "pairs": styled_pairs(n=100)}.items():
        folder = tmp_path_factory.mktemp(name)
        data = written(folder, rows)
        repair_choices(data, out=folder / "run")
        found[name] = (folder / "run", data)
    return found


@pytest.fixture(params=["quiz", "pairs"])
def repaired(request, repairs):
    folder, data = repairs[request.param]
    contents = RunContents(folder)
    contents.database.execute("delete from log")
    contents.database.execute("delete from held")
    yield contents, data
    contents.close()


def questions(contents, path, *, own=True):
    return {
        one.id: (one.candidates, one.right)
        for one in load_questions(path, contents.choice_fields, own=own).questions
    }


def test_an_edit_shows_both_versions_of_its_question(repaired):
    contents, data = repaired
    before, after = questions(contents, data, own=False), questions(contents, contents.dataset_path)
    for reviewed in contents.edits.all(EditFilter()):
        view = edit_page(contents, {"key": reviewed.key}).view["edit"].question
        texts = lambda side: tuple("".join(piece.text for piece in one.text) for one in side)  # noqa: E731
        flat = lambda some: tuple(" ".join(text.split()) for text in some)  # noqa: E731
        edit = reviewed.edit
        assert flat(texts(view.before)) == flat(before[edit.source or edit.id][0])
        if not edit.drops:
            assert flat(texts(view.after)) == flat(after[edit.id][0])
            assert [one.is_right for one in view.after].index(True) == after[edit.id][1]


def test_rejected_edits_restore_the_question(repaired, tmp_path):
    contents, data = repaired
    edits = list(contents.edits.all(EditFilter()))
    kinds = [
        lambda edit: edit.drops,
        lambda edit: edit.source,
        lambda edit: not edit.drops and not edit.source,
    ]
    rejected = [one for kind in kinds for one in [one for one in edits if kind(one.edit)][:2]]
    for one in rejected:
        contents.decisions.write("edit", one.key, {"choice": "reject"}, author="ada")
    path = export_dataset(contents, tmp_path / "dataset.jsonl")
    before, run = questions(contents, data, own=False), questions(contents, contents.dataset_path)
    expected = dict(run)
    for one in rejected:
        expected.pop(one.edit.id, None)
        if not one.edit.source:
            expected[one.edit.id] = before[one.edit.id]
    assert questions(contents, path) == expected


def test_without_any_accepted_edit_the_data_are_as_they_were(repaired, tmp_path):
    contents, data = repaired
    path = export_dataset(contents, tmp_path / "dataset.jsonl", undecided="reject")
    assert questions(contents, path) == questions(contents, data, own=False)


def test_all_pages_open_and_everything_is_exported(repaired, tmp_path):
    contents, _ = repaired
    for page in (overview_page, run_page, summary_page, findings_page, edits_page, data_page):
        assert page(contents, {}).view is not None
    key = contents.all_findings()[0].key
    assert finding_page(contents, {"key": key}).view["finding"].figures.is_change
    assert row_page(contents, {"id": next(iter(contents.edits.all(EditFilter()))).edit.id}).view["edits"]
    assert export_csv(contents, tmp_path / "edits.csv").stat().st_size > 0
    assert json.loads(export_json(contents, tmp_path / "all.json").read_text(encoding="utf-8"))["edits"]


def test_questions_are_not_edited_by_hand(repaired):
    contents, _ = repaired
    key = next(iter(contents.edits.all(EditFilter()))).key
    assert edit_page(contents, {"key": key}).view["hand_text"] is None
    with pytest.raises(SettingError, match="Accept or reject"):
        write_by_hand(contents, key, "text", author="ada")


def test_an_audit_shows_questions_with_a_pattern_and_without(tmp_path):
    data = written(tmp_path, quiz("longest"))
    audit_choices(data, out=tmp_path / "run")
    contents = RunContents(tmp_path / "run", data=data)
    assert "Right without the prompt" in str(overview_page(contents, {}).data["key_figures"])
    view = finding_page(contents, {"key": contents.all_findings()[0].key}).view
    assert view["supporting"]
    assert view["counter"]
    contents.close()


def test_other_data_are_refused(tmp_path):
    audit_choices(written(tmp_path, quiz("longest")), out=tmp_path / "run")
    (tmp_path / "other").mkdir()
    with pytest.raises(RunError, match="is not the data of"):
        RunContents(tmp_path / "run", data=written(tmp_path / "other", quiz("longest", seed=1)))
