"""Repair of data with candidates, end to end: planted cues, every row accounted for, right answers still right."""

import json
import random
from collections import Counter
from functools import cache

import pytest

import longway as lw
from longway import ChoiceRepairResult
from longway.data.choices import load_choices
from longway.detect.choices.cues import words_of
from longway.engines.engine import Engine, Judgement, Written
from longway.errors import DataError, SettingError
from longway.jobs.choices.repair.job import choice_repair_plan, repair_choices
from longway.methods.choices.rewrite import RewrittenQuestion
from tests.detect.choices.test_choice_vectors import Letters
from tests.jobs.planted_choices import CUES, WORDS, quiz

pytestmark = pytest.mark.usefixtures("few_repeats")
ALWAYS = ("position", "longest", "space")
CASES = [cue if cue in ALWAYS else pytest.param(cue, marks=pytest.mark.soak) for cue in CUES]


@pytest.fixture(autouse=True, scope="module")
def no_encoder():
    """Reading candidates takes most of the time of a repair; tests of the encoder bring one of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("longway.jobs.choices.repair.job.encoder_of", lambda texts, cache=None: (None, ""))
        yield


@pytest.fixture(scope="module")
def repaired():
    """The repair of a quiz with a cue."""
    return cache(lambda cue: repair_choices(quiz(cue)))


@pytest.mark.parametrize("cue", CASES)
def test_a_planted_cue_is_repaired_to_chance(cue, repaired):
    result = repaired(cue)
    part = "overlap" if cue == "echo" else "candidates"
    assert result.leaks_before[part].accuracy > result.leaks_before[part].majority + 0.1
    assert result.leaks_after[part].accuracy <= result.leaks_after[part].majority + 0.03


@pytest.mark.parametrize("cue", CASES)
def test_every_row_comes_out_once_or_is_listed_as_dropped(cue, repaired):
    result, before = repaired(cue), load_choices(quiz(cue))
    kept = result.data.table.frame["longway_id"].to_list()
    dropped = [edit.id for edit in result.edits if edit.drops]
    assert Counter([*kept, *dropped]) == Counter(one.id for one in before.questions)
    assert len(dropped) == result.dropped


@pytest.mark.parametrize("cue", CASES)
def test_right_answers_stay_right(cue, repaired):
    """By text: only the form may differ."""
    before = {one.id: one.candidates[one.right] for one in load_choices(quiz(cue)).questions}
    for one in repaired(cue).data.questions:
        assert one.candidates[one.right].strip() == before[one.id].strip()


@pytest.mark.parametrize("cue", CASES)
def test_right_ones_are_at_all_places_equally_often(cue, repaired):
    places = Counter(one.right for one in repaired(cue).data.questions)
    assert max(places.values()) - min(places[place] for place in range(4)) <= 1


@pytest.mark.parametrize("cue", ["position", "space"])
def test_what_rules_can_repair_costs_no_question(cue, repaired):
    assert repaired(cue).dropped == 0


def test_the_chosen_questions_do_more_than_random_ones(repaired):
    result = repaired("longest")
    assert result.random.accuracy > result.leak_after.accuracy + 0.1


def test_a_clean_quiz_keeps_its_questions():
    result = repair_choices(quiz(), remedy="drop")
    assert result.dropped == 0
    assert not result.is_changed
    assert [one.candidates for one in result.data.questions] == [tuple(row["choices"]) for row in quiz()]


def test_a_floor_of_questions_is_kept_and_reported():
    result = repair_choices(quiz("longest", share=0.9, n=120), max_drop=0.2, remedy="drop")
    assert result.dropped == 24
    assert not result.reached
    assert "The goal of 27.0% was not reached: 96 questions must be left." in result.page().verdict


@pytest.mark.soak
def test_a_goal_is_an_accuracy():
    few = repair_choices(quiz("longest"), goal=0.45, remedy="drop")
    assert 0 < few.dropped < repair_choices(quiz("longest"), remedy="drop").dropped


def test_questions_that_refer_to_places_keep_their_order():
    rows = quiz("position", share=1.0)
    for row in rows[:40]:
        row["choices"][3] = "All of the above"
    result = repair_choices(rows, remedy=["positions"])
    after = {one.id: one.candidates for one in result.data.questions}
    assert all(after[row["id"]] == tuple(row["choices"]) for row in rows[:40])
    (step,) = result.steps
    assert [(one.reason, one.count) for one in step.left] == [("refers to other options", 40)]
    assert Counter(one.right for one in result.data.questions) == {0: 40, 1: 40, 2: 40, 3: 40}


def test_the_plan_changes_nothing_and_says_what_to_expect():
    plan = choice_repair_plan(load_choices(quiz("longest")))
    drop = plan.steps[-1]
    assert [step.remedy for step in plan.steps] == ["normalise", "positions", "drop"]
    assert drop.about
    assert drop.questions > 40
    assert plan.leak.accuracy > plan.goal


def test_pairs_are_dropped_and_not_moved():
    rows = [
        {
            "prompt": row["question"],
            "chosen": f"{row['choices'][0]} {row['choices'][1]}",
            "rejected": row["choices"][2],
        }
        for row in quiz(n=120)
    ]
    result = repair_choices(rows, max_drop=0.3)
    assert {step.remedy for step in result.steps} == {"normalise", "counter", "drop"}
    assert result.dropped == 36
    assert set(result.data.table.frame.columns) == {"prompt", "chosen", "rejected", "longway_id"}


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_a_run_folder_has_the_data_in_its_format(ending, tmp_path):
    data = load_choices(quiz("space", n=60)).table.frame
    path = tmp_path / f"quiz.{ending}"
    lw.save(data, path)
    result = lw.repair_choices(path, out=tmp_path / "run")
    files = {file.name for file in (tmp_path / "run").iterdir()}
    assert files >= {f"dataset.{ending}", "edits.jsonl", "repair.json", "report.html", "card.md", "run.json"}
    assert len(load_choices(tmp_path / "run" / f"dataset.{ending}").questions) == 60
    again = lw.repair_choices(path, out=tmp_path / "run")
    assert again == result
    assert [one.candidates for one in again.data.questions] == [
        one.candidates for one in result.data.questions
    ]


def test_the_result_is_read_from_its_file(tmp_path):
    result = repair_choices(quiz("space", n=60), out=tmp_path / "run")
    content = json.loads((tmp_path / "run" / "repair.json").read_text(encoding="utf-8"))
    assert ChoiceRepairResult.from_dict(content) == result
    assert content["questions_after"] == 60


def styled_pairs(n=160, share=0.85, seed=0):
    """Pairs whose better answer is a list in a share of them; both have about the same length."""
    draw = random.Random(seed)
    rows = []
    for i in range(n):
        both = [
            [f"{draw.choice(WORDS)} {draw.choice(WORDS)}.".capitalize() for _ in range(4)] for _ in range(2)
        ]
        styled = 0 if draw.random() < share else 1
        texts = ["\n".join(f"- {one}" for one in some) if at == styled else " ".join(some) for at, some in enumerate(both)]  # fmt: skip
        rows.append({"id": f"p{i}", "prompt": f"Ask {i}", "chosen": texts[0], "rejected": texts[1]})
    return rows


def test_counter_pairs_make_a_style_even_and_keep_the_pairs(tmp_path):
    rows = styled_pairs()
    result = repair_choices(rows, out=tmp_path / "run")
    assert result.leak_before.accuracy > 0.75
    assert result.leak_after.low < 0.5 < result.leak_before.low
    assert result.findings[0].points_before > 0.3
    assert result.findings[0].points_after <= 0.02
    assert result.added > 50
    assert result.dropped < 40
    frame = result.data.table.frame
    added = frame.filter(frame["longway_source"].is_not_null())
    assert added.height == result.added
    chosen = {row["id"]: row["chosen"] for row in rows}
    for source, text in zip(added["longway_source"], added["chosen"], strict=True):
        assert words_of(text) == words_of(chosen[source])
    assert result.questions_after == frame.height == 160 + result.added - result.dropped


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"remedy": "weigh"}, "There is no remedy 'weigh'"),
        ({"remedy": "rewrite"}, "needs an engine"),
        ({"max_drop": 2}, "max_drop"),
    ],
)
def test_wrong_options_are_explained(options, words):
    with pytest.raises(SettingError, match=words):
        repair_choices(quiz(n=30), **options)


def test_too_few_questions_are_an_error():
    with pytest.raises(DataError, match="Expected at least 20"):
        repair_choices(quiz(n=10))


def test_labelled_texts_have_other_remedies():
    rows = [{"text": f"text {i}", "label": str(i % 2)} for i in range(30)]
    with pytest.raises(SettingError, match="needs data with candidates"):
        lw.repair(rows, remedy=("positions",))


class Author(Engine):
    """Lengthens a wrong option to the words it is asked for, and knows the right answers."""

    name, can = "author", frozenset({"write", "judge"})
    identity = {"engine": "author"}  # noqa: RUF012

    def __init__(self, rows):
        self.right = {row["choices"]["ABCD".index(row["answer"])] for row in rows}
        self.calls = 0

    async def write(self, prompt, n, sampling, call=None):
        self.calls += 1
        draw = random.Random(prompt.text)
        n = draw.randint(prompt.values["least"], prompt.values["most"])
        words = [*prompt.text.split(), *draw.choices(WORDS, k=20)]
        return Written((" ".join(words[:n]),))

    async def judge(self, prompt, options, call=None):
        shown = prompt.values["shown"]
        best = next(i for i, text in enumerate(shown) if text in self.right)
        return Judgement({option: float(option == str(best + 1)) for option in options})


def test_an_engine_rewrites_wrong_options_and_fewer_questions_go(monkeypatch, tmp_path, repaired):
    rows, n_dropped = quiz("longest"), repaired("longest").dropped
    author = Author(rows)
    monkeypatch.setattr(
        "longway.jobs.change.job.engines_of", lambda settings, engines: (author.name, author, author)
    )
    result = repair_choices(rows, engine="served:toy", out=tmp_path / "run")
    used = [edit for edit in result.edits if edit.method == "rewrite" and edit.accepted]
    assert len(used) > 10
    assert all(any(one.check == "judge" for one in edit.verdicts) for edit in used)
    assert result.dropped < n_dropped
    before = {row["id"]: row["choices"]["ABCD".index(row["answer"])] for row in rows}
    assert all(one.candidates[one.right] == before[one.id] for one in result.data.questions)
    calls = author.calls
    assert repair_choices(rows, engine="served:toy", out=tmp_path / "run") == result
    assert author.calls == calls


def test_questions_whose_options_refer_to_others_are_not_rewritten(monkeypatch):
    rows = quiz("longest", n=100)
    for row in rows[:50]:
        at = next(i for i in range(4) if i != "ABCD".index(row["answer"]))
        row["choices"][at] = "all of the above"
    author = Author(rows)
    monkeypatch.setattr(
        "longway.jobs.change.job.engines_of", lambda settings, engines: (author.name, author, author)
    )
    result = repair_choices(rows, engine="served:toy")
    rewritten = {edit.id for edit in result.edits if edit.method == "rewrite"}
    assert rewritten
    assert not rewritten & {row["id"] for row in rows[:50]}


def rewritten_pairs(monkeypatch, folder, *, reason="", **options):
    """A repair of pairs in which drafts add a word to both answers. reason: why all of them are refused."""

    def redraft(questions, chosen, writer, judge, **rest):
        asked.extend(one.id for one in questions)
        texts = [tuple(f"{text} Indeed." for text in one.candidates) for one in questions]
        return [
            RewrittenQuestion(one, new, (), reason) for one, new in zip(questions, texts, strict=True)
        ], False

    asked: list[str] = []
    rows = styled_pairs(n=100)
    for row in rows[:70]:  # length is a further cue, which counter-pairs leave
        row["chosen"] += f" {' '.join(WORDS[:6])}."
    author = Author(quiz(n=20))
    monkeypatch.setattr(
        "longway.jobs.change.job.engines_of", lambda settings, engines: (author.name, author, author)
    )
    monkeypatch.setattr("longway.jobs.choices.repair.job.rewrite", redraft)
    return repair_choices(rows, engine="served:toy", out=folder, **options), asked


def test_counter_pairs_are_not_rewritten(monkeypatch, tmp_path):
    result, asked = rewritten_pairs(monkeypatch, tmp_path / "run")
    assert asked
    assert result.added
    assert not [id_ for id_ in asked if id_.endswith("-counter")]


def test_refused_texts_are_listed_in_their_own_column_also_of_dropped_rows(monkeypatch, tmp_path):
    result, asked = rewritten_pairs(monkeypatch, tmp_path / "run", reason="too dull")
    refused = [edit for edit in result.edits if edit.method == "rewrite"]
    assert {edit.id for edit in refused} == set(asked)
    assert {edit.id for edit in refused} & {edit.id for edit in result.edits if edit.drops}
    assert {edit.field for edit in refused} == {"chosen", "rejected"}
    assert {edit.reason for edit in refused} == {"too dull"}


def test_the_most_that_may_go_is_a_share_of_the_pairs_given():
    rows = styled_pairs(n=100)
    for row in rows[:90]:
        row["chosen"] += f" {' '.join(WORDS[:6])}."
    result = repair_choices(rows, max_drop=0.1)
    assert result.dropped <= 10
    assert result.added > 0


def test_the_leak_after_a_step_is_measured_as_that_of_the_result():
    result = repair_choices(quiz("position"), remedy="positions")
    assert result.steps[0].leak == result.leak_after.accuracy


def test_answers_of_votes_are_called_answers_as_in_the_audit():
    rows = [
        {"prompt": f"Number {i}?", "a": f"moo {i}", "b": f"baa {i}", "winner": "b" if i % 10 == 0 else "a"}
        for i in range(60)
    ]
    result = lw.repair_choices(rows, encoder=False)
    assert "the first answer" in {one.name for one in result.findings}


# What the candidates mean


@pytest.fixture
def by_letters(monkeypatch):
    monkeypatch.setattr(
        "longway.jobs.choices.repair.job.encoder_of", lambda texts, cache=None: (Letters(), "")
    )


def quiz_of_letters(n=160):
    """The right option has most a's, which only an encoder of letters sees: every word occurs once."""
    draw = random.Random(0)

    def word(letters):
        return "".join(draw.choices(letters, k=14))

    rows = []
    for number in range(n):
        right = draw.randrange(3)
        options = [word("abcdef") for _ in range(3)]
        options[right] = word("aabcdef")
        rows.append(
            {"id": f"q{number}", "question": f"{number}?", "choices": options, "answer": "ABC"[right]}
        )
    return rows


def test_what_only_the_meaning_reveals_is_lowered_too(by_letters):
    result = repair_choices(quiz_of_letters())
    before, after = (leaks["encoder"] for leaks in (result.leaks_before, result.leaks_after))
    assert before.low > before.majority
    assert result.leaks_before["candidates"].low < before.majority
    assert result.dropped
    assert after.accuracy <= after.majority + 0.03
    assert (result.leak_before, result.leak_after) == (before, after)


def test_without_the_encoder_only_surface_and_words_are_lowered(by_letters):
    result = repair_choices(quiz_of_letters(), encoder=False)
    assert not result.dropped
    assert "encoder" not in result.leaks_before


def test_candidates_too_long_to_read_are_measured_in_a_sample(by_letters, monkeypatch):
    monkeypatch.setattr("longway.jobs.choices.repair.job.REPAIR_BUDGET", 3000)
    result = repair_choices(quiz_of_letters())
    assert result.leaks_before["encoder"].rows < 160
    assert not result.dropped
    plan = choice_repair_plan(quiz_of_letters())
    assert any("measured in a sample" in note for note in plan.notes)
