"""Proofs with candidates: what is trained and tested, what comes out, and what is refused."""

import json
import re
from dataclasses import replace
from hashlib import sha256
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import longway as lw
from longway import ChoiceProveResult
from longway.cli import app
from longway.data.choices import Question, load_choices
from longway.detect.choices.candidates import Candidates
from longway.errors import DataError, SettingError
from longway.jobs.choices.prove import job
from longway.jobs.choices.prove.measure import (
    ALL,
    CUES_BALANCED,
    LENGTH_BALANCED,
    REVERSED,
    SUPPORTING,
    Cue,
    LinearRanker,
    bow_features,
    length_balanced,
    parts_of,
    pointed_to,
    together,
    with_form_exchanged,
)
from longway.jobs.choices.prove.page import is_unclear
from longway.jobs.choices.prove.result import AFTER, BEFORE, CONTROL
from longway.jobs.prove.settings import check_ranker
from longway.review.pages.run_pages import in_pages
from tests.jobs.quizzes import evened, pairs, quiz

QUIZ = quiz()


@pytest.fixture(scope="module")
def proof():
    return lw.prove_choices(QUIZ, evened(QUIZ), models=("bow",), seeds=2)


def only(found):
    (one,) = found
    return one


# ---- what a proof finds


def test_training_without_the_cue_helps_where_the_cue_points_the_wrong_way(proof):
    change = only(proof.compared(REVERSED))
    assert change.verdict == "better"
    assert change.after > change.before + 0.2
    assert "the longest, in characters" in proof.cues
    assert proof.page().verdict.startswith("Clearly better where the cues point the wrong way: bag of words")


def test_before_and_after_are_what_was_given_first_and_second(proof):
    """The same versions in the other order: what got better gets worse on the same questions."""
    figures = {(row.data, row.test): row.mean for row in proof.rows}
    change = only(proof.compared(REVERSED))
    assert (change.before, change.after) == (figures[BEFORE, change.test], figures[AFTER, change.test])
    tests = {"other": quiz(120, seed=7)}
    forth, back = (
        lw.prove_choices(*versions, models=("bow",), seeds=1, tests=tests)
        for versions in ((QUIZ, evened(QUIZ)), (evened(QUIZ), QUIZ))
    )
    gain, loss = (only(one.compared(ALL)).difference for one in (forth, back))
    assert gain == pytest.approx(-loss)
    assert gain != 0


def test_the_gap_between_supporting_and_reversed_questions_shrinks(proof):
    gap = only(proof.gaps)
    assert gap.after < gap.before
    assert gap.high < 0
    supporting, against = only(proof.compared(SUPPORTING)), only(proof.compared(REVERSED))
    assert gap.before == pytest.approx(supporting.before - against.before)
    assert gap.change == pytest.approx(supporting.difference - against.difference)


def test_each_cue_has_its_own_supporting_and_reversed_questions(proof):
    longest = [one for one in proof.groups if one.pattern == "the longest, in characters"]
    assert {one.data for one in longest} == {BEFORE, AFTER}
    questions = load_choices(QUIZ).questions
    lengths = [[len(text) for text in one.candidates] for one in questions]
    n = sum(max(some) > some[one.right] for one, some in zip(questions, lengths, strict=True))
    assert {one.against.n for one in longest} == {n}
    before, after = (next(one for one in longest if one.data == data) for data in (BEFORE, AFTER))
    assert after.gap < before.gap


def test_rows_have_the_form_of_every_proof(proof):
    row = json.loads(json.dumps(proof.to_dict()))["rows"][0]
    assert set(row) == {"data", "model", "method", "test", "metric", "mean", "std", "low", "high", "seeds"}
    assert (row["metric"], row["method"], row["seeds"]) == ("accuracy", "erm", 2)
    assert ChoiceProveResult.from_dict(json.loads(json.dumps(proof.to_dict()))) == proof
    assert len(proof.to_frame()) == len(proof.rows)


def test_the_review_shows_a_proof_with_candidates(proof):
    pages, sections = in_pages(proof.page())
    assert [one.id for one in sections] == ["scores", "cues", "reading"]
    assert "Reliance on each cue" in "".join(map(str, pages))


def test_shuffled_answers_are_reported_as_no_better_than_chance():
    wrong = [{**row, "answer": "ABCD"[i % 4]} for i, row in enumerate(evened(QUIZ))]
    result = lw.prove_choices(QUIZ, wrong, models=("bow",), seeds=1)
    assert "is no better than chance (25.0%)" in result.page().details
    assert "(worse)" in result.page().verdict


def test_a_drop_is_compared_with_a_random_drop_of_as_many():
    after = QUIZ[:120]
    result = lw.prove_choices(QUIZ, after, models=("bow",), seeds=1)
    assert [(one.name, one.questions) for one in result.versions] == [
        (BEFORE, 200),
        (AFTER, 120),
        (CONTROL, 120),
    ]
    assert only(result.compared(ALL, CONTROL)).verdict == "no clear difference"
    assert any(one.id == "control" for one in result.page().sections)


def test_pairs_are_tested_at_balanced_length():
    rows = pairs()
    even = [{**row, "rejected": f"{row['rejected'].split()[0]} softly", "chosen": f"{row['chosen'].split()[0]} softly"} for row in rows]  # fmt: skip
    result = lw.prove_choices(rows, even, models=("bow",), seeds=1)
    change = only(result.compared(LENGTH_BALANCED))
    assert change.difference > 0
    assert next(one.chance for one in result.tests if one.kind == LENGTH_BALANCED) == 0.5


def test_the_frozen_encoder_ranks_candidates(tmp_path):
    rows = QUIZ[:60]
    result = lw.prove_choices(rows, evened(rows), models=("minilm",), seeds=1, out=tmp_path / "run")
    assert {row.model for row in result.rows} == {"minilm"}
    assert not (tmp_path / "run" / "vectors.sqlite").exists()


def test_a_removed_cue_that_was_always_right_is_not_called_worse():
    rows = quiz(supporting=1.0)
    result = lw.prove_choices(rows, evened(rows), models=("bow",), seeds=1)
    assert only(result.compared(ALL)).verdict == "worse"
    verdict = result.page().verdict
    assert verdict.startswith(
        "The effect cannot be judged: too few questions have cues that point to a wrong"
    )
    assert "clearly worse" not in verdict.lower()
    assert not is_unclear(result)


def test_the_form_of_candidates_is_exchanged_where_it_always_points_to_the_right_one():
    rows = evened(QUIZ)
    marked = [
        {**row, "choices": [" " * (at == "ABCD".index(row["answer"])) + text for at, text in enumerate(row["choices"])]}
        for row in rows
    ]  # fmt: skip
    result = lw.prove_choices(marked, rows, models=("bow",), seeds=1)
    change = only(result.compared(REVERSED))
    assert change.before < 0.1  # the space is on a wrong option
    assert change.verdict == "better"
    assert result.page().verdict.startswith("Clearly better where the cues point the wrong way")
    assert any("exchanged spaces and full stops" in note for note in result.notes)


def test_a_question_with_one_form_is_not_changed():
    asked = Question("1", 0, "Where?", ("In Rome.", "In Oslo."), 0)
    assert with_form_exchanged(asked) is asked


def test_balanced_cues_decide_where_few_cues_point_the_wrong_way(proof):
    few = [one for one in proof.tests if one.kind != REVERSED]
    verdict = replace(proof, tests=tuple(few)).page().verdict
    assert " where the cues cancel out: bag of words" in verdict


# ---- what is trained on, and what is tested


class Spy:
    """A ranker that remembers what it was trained and tested on."""

    def __init__(self, given):
        self.given, self.calls = given, []

    def scores(self, train, test, seed):
        self.calls.append((train, test))
        return np.zeros(int(self.given.sets.sizes[test].sum()))


@pytest.fixture
def spies(monkeypatch):
    made = []

    def named(name, given, **options):
        made.append(Spy(given))
        return made[-1]

    monkeypatch.setattr(job, "ranker_named", named)
    return made


def farms_of(spy, rows):
    return {spy.given.questions[i].prompt.split("farm ")[1].split()[0] for i in rows}


def test_no_question_is_tested_by_a_ranker_that_trained_on_it_or_on_what_was_made_from_it(spies):
    """Prompts are rewritten, so that only longway_id says what a row was made from."""
    after = [
        {
            **row,
            "longway_id": row["id"],
            "id": f"new{i}",
            "question": f"Say what you hear on farm {i} today: a what?",
        }
        for i, row in enumerate(evened(QUIZ))
    ]
    lw.prove_choices(QUIZ, after, models=("bow",), seeds=2)
    (spy,) = spies
    assert len(spy.calls) == 2 * 2 * 5  # versions, seeds, folds
    for train, test in spy.calls:
        assert len(train) > 100
        assert not farms_of(spy, train) & farms_of(spy, test)
    tested = np.concatenate([test for _, test in spy.calls[:5]])
    assert sorted(tested) == list(range(len(QUIZ)))


def test_with_a_test_set_each_seed_leaves_out_other_questions_the_same_in_both_versions(spies):
    tests = {"other": quiz(40, seed=9)}
    lw.prove_choices(QUIZ, evened(QUIZ), models=("bow",), seeds=2, tests=tests)
    (spy,) = spies
    trained = [farms_of(spy, train) for train, _ in spy.calls]
    assert trained[0] == trained[2]
    assert trained[1] == trained[3]
    assert trained[0] != trained[1]
    assert {len(some) for some in trained} == {180}


def test_other_splits_are_tested_on(spies):
    rows = [{**row, "split": "train" if i < 150 else "dev"} for i, row in enumerate(QUIZ)]
    even = [{**row, "split": old["split"]} for row, old in zip(evened(QUIZ), rows, strict=True)]
    result = lw.prove_choices(rows, even, models=("bow",), seeds=1)
    assert {one.source for one in result.tests} == {"dev"}
    assert result.versions[1].questions == 150
    with pytest.raises(SettingError, match=r"no split 'exam'\. It has train, dev"):
        lw.prove_choices(rows, even, models=("bow",), split="exam")


def test_a_pattern_that_is_real_signal_groups_no_questions(spies):
    keep = ("the longest, in characters", "no such pattern")
    result = lw.prove_choices(QUIZ, evened(QUIZ), models=("bow",), seeds=1, keep=keep)
    assert keep[0] not in result.cues
    assert any("'no such pattern' was to be kept" in note for note in result.notes)


def test_rows_belong_together_by_id_by_source_and_by_prompt():
    before = load_choices([{**QUIZ[i], "id": f"q{i}"} for i in range(4)])
    after = load_choices([
        {**QUIZ[0], "question": "other?", "longway_id": "q0", "longway_source": None},
        {**QUIZ[1], "question": "new?", "longway_id": "n1", "longway_source": "q3"},
        {**QUIZ[2], "longway_id": "q2", "longway_source": None},
    ])  # fmt: skip
    old, new = together(before, after)
    assert new.tolist() == [old[0], old[3], old[2]]
    assert len(set(old)) == 4


def test_rows_with_a_common_instruction_do_not_belong_together():
    rows = [{"prompt": "Summarize.", "chosen": f"good {i % 25}", "rejected": "no"} for i in range(50)]
    (numbers,) = together(load_choices(rows))
    assert numbers[:25].tolist() == numbers[25:].tolist()
    assert len(set(numbers)) == 25


def test_what_cannot_be_traced_is_refused_without_a_test_set():
    lost = [{**row, "question": f"Another question {i}?", "id": f"x{i}"} for i, row in enumerate(QUIZ)]
    with pytest.raises(DataError, match=r"200 of 200 questions .* cannot be traced .*longway_id.* --test"):
        lw.prove_choices(QUIZ, lost, models=("bow",))


def test_what_cannot_be_traced_is_compared_on_a_test_set():
    lost = [
        {**row, "question": f"Another question {i}?", "id": f"x{i}"} for i, row in enumerate(evened(QUIZ))
    ]
    tests = {"other": quiz(n=60, seed=5)}
    result = lw.prove_choices(QUIZ, lost[:150], models=("bow",), seeds=1, tests=tests, drop_overlap=True)
    control = only(one for one in result.versions if one.name == CONTROL)
    assert control.questions == 150


# ---- parts of a test set


def question(i, lengths, right=0):
    return Question(str(i), i, f"{i}?", tuple("x" * n for n in lengths), right)


lengths = st.tuples(st.integers(1, 60), st.integers(1, 60))


@given(st.lists(lengths, min_size=1, max_size=60))
def test_length_balanced_accuracy_equals_the_slow_count(sizes):
    """The twin sorts pairs into tenths by loops, and takes pairs from each side while both have some."""
    asked = [question(i, both) for i, both in enumerate(sizes)]
    gaps = {one: log(len(one.candidates[0])) - log(len(one.candidates[1])) for one in asked}
    differing = [abs(gap) for gap in gaps.values() if gap]
    edges = [np.quantile(differing, k / 10) for k in range(1, 10)] if differing else []
    kept = [one for one in asked if not gaps[one]]
    for tenth in range(10):
        inside = [one for one in asked if gaps[one] and sum(edge < abs(gaps[one]) for edge in edges) == tenth]
        inside.sort(
            key=lambda one: sha256("\0".join([one.prompt, *sorted(one.candidates)]).encode()).digest()
        )
        longer, shorter = ([one for one in inside if (gaps[one] > 0) == side] for side in (True, False))
        while longer and shorter:
            kept += [longer.pop(0), shorter.pop(0)]
    found = [one for one, is_kept in zip(asked, length_balanced(asked), strict=True) if is_kept]
    assert {one.id for one in found} == {one.id for one in kept}
    by_length = [one for one in found if gaps[one]]
    assert sum(gaps[one] > 0 for one in by_length) * 2 == len(
        by_length
    )  # choosing the longer one is right in half


def test_following_the_cues_is_right_as_often_as_chance_where_they_are_balanced():
    rows = [question(i, (9, 5, 5, 5), 0 if i % 3 else 1) for i in range(30)]
    given_ = Candidates.of(rows)
    has = given_.cues[:, 0] == 9
    parts = parts_of(rows, [Cue("the longest", "length", 0.3, has)], given_.sets)
    assert {kind: int(part.sum()) for kind, part in parts.items()} == {ALL: 30, REVERSED: 10, SUPPORTING: 20, CUES_BALANCED: 12}  # fmt: skip
    balanced = np.flatnonzero(parts[CUES_BALANCED])
    assert sum(rows[i].right == 0 for i in balanced) == len(balanced) / 4


def test_cues_point_to_the_candidate_with_the_most_points_and_nowhere_if_several_have_them():
    rows = [question(0, (3, 3, 3)), question(1, (3, 3, 3))]
    strong = Cue("a", "word", 0.3, np.array([0, 1, 0, 0, 0, 0], bool))
    weak = Cue("b", "word", 0.1, np.array([1, 0, 0, 1, 1, 0], bool))
    assert pointed_to([strong, weak], Candidates.of(rows).sets).tolist() == [False, True, *[False] * 4]


def test_the_words_of_the_prompt_decide_if_the_candidates_alone_say_nothing():
    """Each option is right as often as wrong; only the animal in the prompt says which."""
    questions = load_choices(evened(quiz(200, supporting=0.25))).questions
    given_ = Candidates.of(questions)
    ranker = LinearRanker(given_, *bow_features(given_))
    train, test = np.arange(160), np.arange(160, 200)
    part, _ = given_.sets.part(test)
    assert job.hits(ranker.scores(train, test, 0), part).mean() > 0.6


# ---- runs


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def prove_command(tmp_path, *options):
    before, after = write(tmp_path / "quiz.jsonl", QUIZ), write(tmp_path / "after.jsonl", evened(QUIZ))
    out = ["--out", str(tmp_path / "run"), "--model", "bow", "--seeds", "1"]
    return CliRunner().invoke(app, ["prove", before, after, *out, *options], env={"COLUMNS": "80"})


def test_the_command_recognises_candidates_and_fits_80_columns(tmp_path):
    done = prove_command(tmp_path)
    assert done.exit_code == 0, done.output
    assert "Reliance on each cue" in done.output
    assert "Report: " in done.output
    tables = done.output.split("Report: ")[0]
    assert max(map(len, tables.splitlines())) <= 80
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "Reliance on each cue" in page


def test_further_versions_are_compared_with_before(tmp_path):
    some = write(tmp_path / "half.jsonl", QUIZ[::2])
    done = prove_command(tmp_path, "--also", f"half={some}")
    assert done.exit_code == 0, done.output
    assert "Before and half" in done.output
    rows = json.loads((tmp_path / "run" / "results.json").read_text(encoding="utf-8"))["comparisons"]
    assert {(one["data"], one["against"]) for one in rows} == {("after", "before"), ("half", "before")}


def test_a_further_version_has_a_name_of_its_own(tmp_path):
    some = write(tmp_path / "half.jsonl", QUIZ[::2])
    done = prove_command(tmp_path, "--also", f"before={some}")
    assert "cannot be called 'before'" in str(done.exception or done.output)


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        (("--method", "poe"), "--method does not apply to data with candidates.*--also"),
        (("--baseline", "eda"), "--baseline does not apply.*at random is compared anyway"),
        (("--fairscore",), "--fairscore does not apply"),
        (("--tuning", "grammar-paper"), "--tuning does not apply.*--set epochs=N"),
    ],
)
def test_options_that_make_no_sense_are_refused_with_a_reason(tmp_path, option, reason):
    done = prove_command(tmp_path, *option)
    assert done.exit_code != 0
    assert re.search(reason, " ".join(str(done.exception or done.output).split()))


def test_a_finished_proof_is_shown_again_without_training(tmp_path, monkeypatch):
    first = prove_command(tmp_path)
    monkeypatch.setattr(job, "ranker_named", None)
    assert prove_command(tmp_path).output == first.output


def test_an_interrupted_proof_resumes_with_the_next_training(tmp_path, monkeypatch, spies):
    trained = []

    def breaks_off(self, *args):
        trained.append(args[1].name)
        if len(trained) == 3:
            raise KeyboardInterrupt
        return answers(self, *args)

    answers = job._Proof._answers
    monkeypatch.setattr(job._Proof, "_answers", breaks_off)
    given_ = (QUIZ, evened(QUIZ))
    with pytest.raises(KeyboardInterrupt):
        lw.prove_choices(*given_, models=("bow",), seeds=2, out=tmp_path / "run")
    result = lw.prove_choices(*given_, models=("bow",), seeds=2, out=tmp_path / "run")
    assert trained == [BEFORE, BEFORE, AFTER, AFTER, AFTER]
    assert result == ChoiceProveResult.open(tmp_path / "run")
    whole = lw.prove_choices(*given_, models=("bow",), seeds=2)
    assert whole.rows == result.rows


# ---- what is refused


def test_the_same_data_twice_is_refused():
    with pytest.raises(SettingError, match="has the same questions"):
        lw.prove_choices(QUIZ, QUIZ, models=("bow",))


def test_test_questions_that_are_trained_on_are_refused_or_left_out():
    tests = {"dev": [*quiz(60, seed=5), *QUIZ[:3]]}
    with pytest.raises(
        SettingError, match=r"3 of 63 questions of the test set 'dev' are also trained on .*--drop-overlap"
    ):
        lw.prove_choices(QUIZ, evened(QUIZ), models=("bow",), tests=tests)
    result = lw.prove_choices(QUIZ, evened(QUIZ), models=("bow",), seeds=1, tests=tests, drop_overlap=True)
    assert next(one.questions for one in result.tests if one.kind == ALL) == 60
    assert any("3 questions left out" in note for note in result.notes)


@pytest.mark.parametrize("name", ["nb", "cnn", "minilm-frozen", "-full"])
def test_a_model_that_ranks_nothing_is_refused(name):
    with pytest.raises(SettingError, match="'model' must be bow, minilm"):
        check_ranker(name)


def test_options_of_most_questions_do_not_connect_them():
    """Without a prompt, questions belong together by a shared option, but not by yes and no."""
    rows = [{"longway_id": f"r{i}", "choices": ["yes", "no"], "answer": "AB"[i % 2]} for i in range(30)]
    given = load_choices(rows)
    assert len(set(together(given, given)[0].tolist())) == 30


def first_votes(n=60, mark=""):
    """Votes that the first answer wins in nine of ten pairs."""
    return [
        {"id": f"v{i}", "prompt": f"Number {i}?", "a": f"moo {i}{mark}", "b": f"baa {i}{mark}", "winner": "b" if i % 10 == 0 else "a"}
        for i in range(n)
    ]  # fmt: skip


def test_answers_of_votes_are_called_answers_as_in_the_audit():
    result = lw.prove_choices(first_votes(), first_votes(mark="!"), models=("bow",), seeds=1)
    assert "the first answer" in result.cues
    assert result.groups
