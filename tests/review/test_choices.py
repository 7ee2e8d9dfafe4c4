"""Runs on data with candidates in the review: questions with their options, decisions that apply to the dataset, audits with their rows."""

import json

import pytest

from longway.errors import RunError, SettingError
from longway.jobs.choices.audit.job import audit_choices
from longway.jobs.choices.repair.job import repair_choices
from longway.review.choice_rows import load_questions, merged_questions
from longway.review.edit_list import EditFilter
from longway.review.export import export_csv, export_dataset, export_json
from longway.review.hand_edit import write_by_hand
from longway.review.pages.edit_pages import data_page, edit_page, edits_page, row_page
from longway.review.pages.finding_pages import finding_page, findings_page
from longway.review.pages.run_pages import overview_page, run_page, summary_page
from longway.review.run_contents import RunContents
from tests.jobs.planted_choices import quiz
from tests.jobs.test_choice_repair import no_encoder, rewritten_pairs, styled_pairs  # noqa: F401

pytestmark = pytest.mark.usefixtures("few_repeats")


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


def test_a_refused_draft_is_shown_with_both_answers_in_their_places(monkeypatch, tmp_path):
    rewritten_pairs(monkeypatch, tmp_path / "run", reason="too dull", remedy="rewrite")
    contents = RunContents(tmp_path / "run")
    run = questions(contents, contents.dataset_path)
    refused = [one for one in contents.edits.all(EditFilter()) if not one.edit.accepted]
    assert len({one.edit.id for one in refused}) == len(refused) > 0
    for one in refused:
        view = edit_page(contents, {"key": one.key}).view["edit"].question
        texts = ["".join(piece.text for piece in each.text) for each in view.after]
        wanted = [f"{text} Indeed." for text in run[one.edit.id][0]]
        assert [text.split() for text in texts] == [text.split() for text in wanted]
    contents.decisions.write("edit", refused[0].key, {"choice": "accept"}, author="ada")
    after = questions(contents, export_dataset(contents, tmp_path / "dataset.jsonl"))
    changed = refused[0].edit.id
    assert after[changed][0] == tuple(f"{text} Indeed." for text in run[changed][0])
    contents.close()


def test_a_draft_with_two_equal_answers_does_not_stop_the_review(tmp_path):
    repair_choices(written(tmp_path, styled_pairs(n=100)), out=tmp_path / "run")
    path = tmp_path / "run" / "edits.jsonl"
    edits = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = (tmp_path / "run" / "dataset.jsonl").read_text(encoding="utf-8").splitlines()
    changed = {one["id"] for one in edits}
    row = next(row for row in map(json.loads, rows) if row["longway_id"] not in changed)
    draft = {**edits[0], "id": row["longway_id"], "field": "rejected", "before": row["rejected"], "after": row["chosen"]}  # fmt: skip
    draft |= {"accepted": False, "reason": "the same as another candidate", "drops": False, "source": ""}
    path.write_text("".join(json.dumps(one) + "\n" for one in [*edits, draft]), encoding="utf-8")
    fields = {"chosen": "chosen", "rejected": "rejected", "prompt": "prompt"}
    dataset, dropped = (next((tmp_path / "run").glob(f"{name}.*"), None) for name in ("dataset", "dropped"))
    lines = merged_questions(path, dataset=dataset, dropped=dropped, fields=fields)
    (edit,) = (edit for _, _, edit in lines if edit.id == row["longway_id"])
    assert edit.after == f"CHOSEN\n{row['chosen']}\n\nREJECTED\n{row['chosen']}"


def test_the_review_reads_answers_from_the_number_that_was_given(tmp_path):
    rows = [
        {"question": f"Ask {i}", "choices": [f"one {i}", f"two {i}", f"three {i}"], "answer": 1 + i % 2}
        for i in range(40)
    ]
    data = written(tmp_path, rows)
    repair_choices(data, out=tmp_path / "run", answer_base=1, remedy="normalise")
    contents = RunContents(tmp_path / "run", data=data)
    assert {right for _, right in questions(contents, data, own=False).values()} == {0, 1}
    assert {one.right for one in contents.questions(data).questions} == {0, 1}
    contents.close()
