"""A contents of a run folder: filters, search, order and pages against plain lists; every kind of run; folders that are none."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.data import load
from longway.errors import RunError
from longway.jobs.audit.job import audit
from longway.jobs.audit.settings import AuditSettings, levels_named
from longway.jobs.perturb.job import perturb
from longway.records import Pattern
from longway.review import index
from longway.review.decisions import LookupFailed
from longway.review.edit_list import EditFilter, Neighbours
from longway.review.index import edit_key, finding_key
from longway.review.run_contents import FindingFilter, RunContents
from longway.sample import sample_path
from longway.store import Run
from tests.jobs.toy_perturb import rows_of
from tests.review.made_runs import an_edit, made_run, reviews, rewritten

CHECKS = ("negation", "numbers", "meaning")
PIECES = ("ab", "aB", "A", "ß", "ss", "Ä", " ", '"', "'", "%", "_", "*", "\n", "\0", "é", "-", "AND ")
TEXTS = st.lists(st.sampled_from(PIECES), max_size=5).map("".join)
VERDICTS = st.lists(
    st.fixed_dictionaries({"check": st.sampled_from(CHECKS), "passed": st.booleans(), "reason": st.just("")}),
    max_size=3,
)
SCORES = st.none() | st.sampled_from([-1.0, 0.0, 0.25, 2.0])
EDITS = st.builds(
    an_edit,
    id=st.sampled_from(["1", "2", "Ab3"]),
    before=TEXTS,
    after=TEXTS,
    label_after=st.sampled_from(["pos", "neg"]),
    method=st.sampled_from(["razor", "eda"]),
    engine=st.sampled_from(["rules", "served:x"]),
    accepted=st.booleans(),
    reason=st.just("not chosen"),
    verdicts=VERDICTS,
    score_before=SCORES,
    score_after=SCORES,
)


def any_or(*values):
    """One of the values, or most of the time nothing that would filter."""
    return st.sampled_from(["", "", *values])


FILTERS = st.builds(
    EditFilter,
    status=st.sampled_from(["all", "all", "kept", "refused"]),
    choice=any_or("none", "accept", "reject"),
    label=any_or("pos"),
    method=any_or("eda"),
    engine=any_or("rules"),
    check=any_or("numbers", "not chosen"),
    search=any_or() | TEXTS,
    order=st.sampled_from(["file", "score"]),
)


def lets_through(filter, edit, choice):
    """Slow and obvious: whether a filter lets an edit through."""
    failed = [verdict["check"] for verdict in edit["verdicts"] if not verdict["passed"]]
    why = failed or ([] if edit["accepted"] else ["not chosen"])
    text = "\n".join((edit["id"], edit["before"], edit["after"])).casefold().replace("\0", " ")
    return (
        filter.status in ("all", "kept" if edit["accepted"] else "refused")
        and filter.choice in ("", choice)
        and filter.label in ("", edit["label_after"])
        and filter.method in ("", edit["method"])
        and filter.engine in ("", edit["engine"])
        and (not filter.check or filter.check in why)
        and filter.search.strip().casefold().replace("\0", " ") in text
    )


def gain(edit):
    """How edits are ordered by score: the most improved first, those without a score last."""
    if edit["score_before"] is None or edit["score_after"] is None:
        return (1, 0.0)
    return (0, edit["score_after"] - edit["score_before"])


@given(
    st.lists(EDITS, min_size=4, max_size=12),
    st.lists(st.sampled_from(["none", "accept", "reject"]), min_size=12, max_size=12),
    st.lists(FILTERS, min_size=1, max_size=4),
    st.booleans(),
)
def test_filters_search_order_and_neighbours_equal_those_of_a_list(edits, choices, filters, has_trigrams):
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "HAS_TRIGRAMS", has_trigrams)
        contents = RunContents(made_run(Path(folder) / "run", edits, command="perturb"))  # nothing is merged
        keys = contents.edits.keys(EditFilter())
        for key, choice in zip(keys, choices, strict=False):
            if choice != "none":
                contents.decisions.write("edit", key, {"choice": choice}, author="ann")
        for filter in filters:
            wanted = [i for i, edit in enumerate(edits) if lets_through(filter, edit, choices[i])]
            if filter.order == "score":
                wanted.sort(key=lambda i: gain(edits[i]))
            expected = [keys[i] for i in wanted]
            pages = [contents.edits.page(filter, page=number, size=5) for number in (1, 2, 3)]
            assert [row.key for page in pages[: pages[0].pages] for row in page.rows] == expected
            assert {page.total for page in pages} == {len(expected)}
            assert contents.edits.keys(filter) == expected
            for place, key in enumerate(expected):
                around = [None, *expected, None]
                assert contents.edits.neighbours(key, filter) == Neighbours(
                    around[place], around[place + 2], place + 1, len(expected)
                )
        for row, edit in zip(contents.edits.page(EditFilter()).rows, edits, strict=True):
            assert edit.items() <= row.to_dict().items()
        contents.close()


def test_an_edit_that_a_filter_no_longer_lets_through_still_knows_its_neighbours(tmp_path):
    contents = RunContents(made_run(tmp_path / "run", [an_edit(id=str(i)) for i in range(5)]))
    filter = EditFilter(choice="none")
    keys = contents.edits.keys(filter)
    assert contents.edits.page(filter).total == 5
    contents.decisions.write("edit", keys[2], {"choice": "accept"}, author="ann")
    assert contents.edits.neighbours(keys[2], filter) == Neighbours(keys[1], keys[3], 0, 4)
    assert contents.edits.get(keys[2]).decision.value == {"choice": "accept"}
    contents.decisions.undo(author="ann")
    assert contents.edits.page(filter).total == 5


def test_the_random_order_is_the_same_each_time_and_holds_everything(tmp_path):
    contents = RunContents(made_run(tmp_path / "run", [an_edit(id=str(i % 30)) for i in range(40)]))
    filter = EditFilter(order="random")
    keys = contents.edits.keys(filter)
    assert keys == [row.key for page in (1, 2) for row in contents.edits.page(filter, page=page).rows]
    assert keys != contents.edits.keys(EditFilter())
    assert [contents.edits.neighbours(key, filter).next for key in keys] == [*keys[1:], None]
    assert sorted(keys) == sorted(contents.edits.keys(EditFilter()))


def test_threads_that_read_and_decide_at_once_agree_in_the_end(tmp_path):
    contents = RunContents(made_run(tmp_path / "run", [an_edit(id=str(i)) for i in range(60)]))
    keys = contents.edits.keys(EditFilter())

    def work(number):
        for key in keys[number::4]:
            contents.decisions.write(
                "edit", key, {"choice": ("accept", "reject")[number % 2]}, author=f"rater {number}"
            )
            filter = EditFilter(
                choice=("accept", "none")[number % 2], search="a", order=("file", "random")[number // 2]
            )
            assert 0 <= contents.edits.page(filter).total <= 60
            assert contents.edits.get(key).decision.author == f"rater {number}"

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert contents.edits.facets()["choice"] == {"none": 0, "accept": 30, "reject": 30, "hand": 0}
    assert contents.edits.page(EditFilter(choice="accept")).total == 30


def test_facets_count_everything_and_follow_what_is_decided(tmp_path):
    failed = [{"check": "numbers", "passed": False, "reason": "3 is gone"}]
    edits = [
        an_edit("1", accepted=True),
        an_edit("2", verdicts=failed),
        an_edit("3", reason="not verified", label_after="neg"),
    ]
    contents = RunContents(made_run(tmp_path / "run", edits))
    assert contents.edits.facets()["choice"] == {"none": 3, "accept": 0, "reject": 0, "hand": 0}
    contents.decisions.write("edit", contents.edits.keys(EditFilter())[0], {"choice": "reject"}, author="ann")
    contents.decisions.write("edit", "a key of no edit", {"choice": "reject"}, author="ann")
    facets = contents.edits.facets()
    assert facets["choice"] == {"none": 2, "accept": 0, "reject": 1, "hand": 0}
    assert facets["status"] == {"refused": 2, "kept": 1}
    assert facets["label"] == {"pos": 2, "neg": 1}
    assert facets["check"] == {"not verified": 1, "numbers": 1}


def test_repeated_edits_have_keys_of_their_own_that_survive_a_run_that_goes_on(tmp_path):
    edits = [an_edit("1"), an_edit("2"), an_edit("1"), an_edit("1")]
    key, other = edit_key(edits[0]), edit_key(edits[1])
    folder = made_run(tmp_path / "run", edits)
    contents = RunContents(folder)
    assert contents.edits.keys(EditFilter()) == [key, other, f"{key}-2", f"{key}-3"]
    contents.decisions.write("edit", f"{key}-2", {"choice": "accept"}, author="ann")
    contents.close()
    made_run(folder, [*edits, an_edit("9", after="new")])  # the run went on
    again = RunContents(folder)
    assert again.edits.page(EditFilter()).total == 5
    assert again.edits.get(f"{key}-2").decision.value == {"choice": "accept"}


def test_a_run_that_is_opened_again_is_not_read_again(tmp_path):
    folder, steps = made_run(tmp_path / "run", [an_edit(str(i)) for i in range(2500)]), []
    RunContents(folder, progress=lambda done, of: steps.append((done, of))).close()
    assert steps == sorted(steps)
    assert len(steps) >= 2
    size = (folder / "edits.jsonl").stat().st_size
    assert all(0 < done <= of == size for done, of in steps)
    steps.clear()
    assert (
        RunContents(folder, progress=lambda done, of: steps.append(done)).edits.page(EditFilter()).total
        == 2500
    )
    assert steps == []


def test_reading_that_is_broken_off_leaves_what_was_there(tmp_path):
    folder = made_run(tmp_path / "run", [an_edit("old")])
    RunContents(folder).close()
    made_run(folder, [an_edit(str(i)) for i in range(2500)])

    def stop(done, of):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        RunContents(folder, progress=stop)
    assert RunContents(folder).edits.page(EditFilter()).total == 2500


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """A rewrite of a few reviews by the real command."""
    folder = tmp_path_factory.mktemp("real")
    data = folder / "reviews.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in reviews(40)), encoding="utf-8")
    return RunContents(rewritten(folder / "run", data))


def test_a_rewrite_has_edits_and_rows_with_their_history(real):
    assert (real.command, real.has("edits"), real.has("rows"), real.has("trees")) == (
        "rewrite",
        True,
        True,
        False,
    )
    assert real.summary["method"] == "eda"
    edit = real.edits.page(EditFilter(status="kept")).rows[0]
    found = real.row(edit.edit.id)
    assert found.row.text == edit.edit.after
    assert [one.key for one in found.edits] == [edit.key]
    written = real.decisions.write("edit", edit.key, {"choice": "reject"}, author="ann")
    assert real.row(edit.edit.id).history == [written]
    assert real.rows().total == 40
    assert real.rows(label="neg").total == 20
    assert {one.label for one in real.rows(search="SADLY").rows} == {"neg"}
    assert real.rows(search="zz").total == real.rows(search="zzzz").total == 0


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audit")
    audit(load(sample_path()), settings=AuditSettings(levels=levels_named("token,ngram")), out=folder / "run")
    return folder / "run"


def test_an_audit_has_findings_and_with_its_data_their_examples(audited):
    contents = RunContents(audited)
    assert (contents.has("findings"), contents.has("edits"), contents.has("rows")) == (True, False, False)
    listed = contents.findings(size=500)
    assert listed.total == len(json.loads((audited / "findings.json").read_text())["findings"])
    assert contents.examples(listed.rows[0].finding, supporting=True) == []
    assert (
        contents.edits.page(EditFilter()).total,
        contents.edits.keys(EditFilter()),
        contents.rows().total,
    ) == (
        0,
        [],
        0,
    )
    contents.close()
    contents = RunContents(audited, data=sample_path())
    for finding in (contents.finding(one.key).finding for one in listed.rows):
        supporting, counter = (contents.examples(finding, supporting=which) for which in (True, False))
        assert tuple(one.id for one in supporting) == finding.supporting
        assert {one.label for one in supporting} <= {finding.label}
        assert finding.label not in {one.label for one in counter}
    contents.close()


def test_findings_are_filtered_as_a_list_is(audited):
    contents = RunContents(audited)
    every = contents.findings(size=500).rows
    contents.decisions.write("finding", every[0].key, {"choice": "signal"}, author="ann")
    some = every[len(every) // 2].finding
    name = some.pattern
    for asked, keeps in (
        ({"level": "token"}, lambda one: one.finding.level == "token"),
        ({"label": some.label}, lambda one: one.finding.label == some.label),
        ({"field": "nothing"}, lambda one: False),
        ({"max_q": some.q}, lambda one: one.finding.q <= some.q),
        ({"search": name.upper()}, lambda one: name.lower() in one.finding.pattern.lower()),
        ({"choice": "signal"}, lambda one: one.key == every[0].key),
        ({"choice": "none"}, lambda one: one.key != every[0].key),
    ):
        found = [one.key for one in contents.findings(FindingFilter(**asked), size=500).rows]
        assert found == [one.key for one in every if keeps(one)], asked
    assert contents.finding(every[0].key).decision.value == {"choice": "signal"}
    assert contents.finding_neighbours(every[0].key)[1] == every[1].key == finding_key(every[1].values)
    contents.close()


def test_a_finding_without_examples_gets_rows_that_have_its_words(tmp_path):
    texts = [("It is NOT good.", "neg"), ("Nothing here.", "neg"), ("why not?", "pos"), ("so be it", "pos")]
    rows = [{"text": text, "label": label, "longway_id": str(i)} for i, (text, label) in enumerate(texts)]
    fate = {**Pattern("token", "text", ("not",)).to_dict(), "label": "neg"}
    other = {**Pattern("negation", "text", place="text").to_dict(), "label": "neg"}
    summary = {"findings": [fate], "worse": [other, fate]}
    contents = RunContents(made_run(tmp_path / "run", [], rows=rows, rewrite__json=summary))
    assert [one.finding.pattern for one in contents.findings().rows] == ["not", "negation in text"]
    found, denied = (contents.finding(finding_key(one)).finding for one in (fate, other))
    assert [one.id for one in contents.examples(found, supporting=True)] == ["0"]
    assert [one.id for one in contents.examples(found, supporting=False)] == ["2"]
    assert [one.id for one in contents.examples(denied, supporting=True)] == ["0", "1"]
    assert [one.id for one in contents.examples(denied, supporting=False)] == ["2"]


def test_data_that_the_audit_was_not_made_from_is_refused(audited, tmp_path):
    rows = sample_path().read_text(encoding="utf-8").splitlines(keepends=True)
    other = tmp_path / "other.jsonl"
    other.write_text("".join(rows[1:]), encoding="utf-8")
    with pytest.raises(RunError, match=r"is not the data of .*: its texts or labels differ"):
        RunContents(audited, data=other)
    with pytest.raises(RunError, match="does not exist"):
        RunContents(audited, data=tmp_path / "nothing.jsonl")


def test_a_perturbation_with_added_rows_opens(tmp_path):
    data = load(rows_of(12), id="id")
    perturb(data, add=True, out=tmp_path / "perturb")
    contents = RunContents(tmp_path / "perturb")
    kept = contents.edits.page(EditFilter(status="kept")).rows
    assert contents.row(kept[0].edit.source).edits[-1].key == kept[0].key
    assert contents.rows().total == 12 + len({one.edit.id for one in kept})
    contents.close()


@pytest.mark.parametrize(
    ("command", "file", "has"),
    [
        ("grammar", "tables__json", "trees"),
        ("prove", "results__json", "proof"),
        ("fairness", "fairness__json", None),
    ],
)
def test_runs_of_other_commands_open_with_their_summary(tmp_path, command, file, has):
    contents = RunContents(made_run(tmp_path / "run", command=command, **{file: {"rows": [1]}}))
    assert contents.summary == {"rows": [1]}
    assert [what for what in ("edits", "findings", "rows", "trees", "proof") if contents.has(what)] == [
        has
    ] * bool(has)


def test_unknown_keys_are_named_and_impossible_pages_are_the_nearest(real):
    for look in (real.edits.get, real.finding, real.row):
        with pytest.raises(LookupFailed, match=r"There is no \w+ '../../etc/passwd' in this run"):
            look("../../etc/passwd")
    assert real.edits.page(EditFilter(), page=10**12).number == real.edits.page(EditFilter()).pages
    assert real.edits.page(EditFilter(), page=-3).number == 1
    assert real.edits.page(EditFilter(search="'; drop table log; --")).total == 0


def test_a_report_that_was_edited_or_deleted_keeps_nobody_from_reviewing(tmp_path):
    folder = made_run(tmp_path / "run", [an_edit()], report__html="as it was")
    (folder / "report.html").write_text("with a remark")
    assert RunContents(folder).edits.page(EditFilter()).total == 1
    (folder / "report.html").unlink()
    assert RunContents(folder).edits.page(EditFilter()).total == 1


def test_folders_that_cannot_be_reviewed_say_why_and_what_to_do(tmp_path):
    with pytest.raises(RunError, match=r"does not exist\..*longway runs"):
        RunContents(tmp_path / "nowhere")
    with pytest.raises(RunError, match=r"holds no run\..*longway runs"):
        RunContents(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match=r"is a file\."):
        RunContents(tmp_path / "file")
    folder = made_run(tmp_path / "run", [an_edit()])
    about = json.loads((folder / "run.json").read_text())
    (folder / "edits.jsonl").write_text("{}\n")
    with pytest.raises(
        RunError,
        match=r"has changed since its run finished: edits.jsonl.*Run the same `longway rewrite` again",
    ):
        RunContents(folder)
    for damaged in ("[]", "{", '{"state": "done"}'):
        (folder / "run.json").write_text(damaged)
        with pytest.raises(RunError, match=r"run\.json"):
            RunContents(folder)
    (folder / "run.json").write_text(json.dumps({**about, "files": {"edits.jsonl": 3}}))
    with pytest.raises(
        RunError, match=r"edits\.jsonl, line 1, is damaged: Edit has no 'id'.*Run the same command again"
    ):
        RunContents(folder)
    (folder / "run.json").write_text(json.dumps({**about, "state": "running"}))
    with pytest.raises(RunError, match=r"was interrupted.*it resumes"):
        RunContents(folder)
    assert not (tmp_path / "nowhere").exists()


HOLD = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from longway.store.run_store import holding

with holding(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_run_that_is_still_going_is_waited_for(tmp_path):
    folder = made_run(tmp_path / "run", [an_edit()])
    about = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**about, "state": "running"}))
    command = [sys.executable, "-c", HOLD, folder]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        with pytest.raises(RunError, match=r"still being written by `longway rewrite`.*Wait"):
            RunContents(folder)
        process.stdin.close()


def test_a_dataset_in_shards_is_found_and_missed_where_one_goes(tmp_path):
    rows = [{"text": f"text {i}", "label": "ab"[i % 2], "longway_id": str(i)} for i in range(6)]
    folder = made_run(tmp_path / "run", [an_edit(id="1")], rows=rows)
    path = folder / "dataset.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.unlink()
    path.mkdir()
    for number, part in enumerate((lines[:2], lines[2:])):
        (path / f"part-0000{number}.jsonl").write_text("".join(part))
    Run(folder).finish()
    contents = RunContents(folder)
    assert contents.dataset_path == path
    assert contents.dataset().n_used == 6
    contents.close()
    (path / "part-00001.jsonl").unlink()
    with pytest.raises(RunError, match=r"has changed since its run finished: dataset\.jsonl"):
        RunContents(folder)
