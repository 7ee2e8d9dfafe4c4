"""Labels that are numbers: a sentiment where the texts make it obvious, and nothing else."""

import runpy
from pathlib import Path

import pytest

import longway as lw
from longway.engines.prompt import judge_prompt
from longway.english.words import FILE, sentiment_agreement
from longway.jobs.repair.job import repair_plan
from longway.jobs.repair.settings import RepairSettings
from longway.jobs.rows import rows_of

PRAISE = ["a charming film", "brilliant and funny", "we loved it", "not boring at all", "a wonderful cast"]
BLAME = ["a dull film", "awful and tedious", "we hated it", "not funny at all", "a terrible cast"]
PLAIN = ["it opens in May", "a story of two brothers", "shot in Spain", "the second of three", "with music"]


def rows(first, second, n=60, labels=("1", "0")):
    return [
        {"text": f"{texts[i % 5]}, seen on day {i}", "label": label}
        for i in range(n)
        for texts, label in ((first, labels[0]), (second, labels[1]))
    ]


def task_of_rows(data, **options):
    return rows_of(lw.load(data), **options).task


def test_the_list_is_made_of_the_table_of_opposites():
    script = Path(__file__).parents[2] / "train" / "sentiment_words.py"
    assert runpy.run_path(str(script))["listed"]() == FILE.read_text(encoding="utf-8")


@pytest.mark.parametrize("labels", [("1", "0"), ("1", "-1"), ("4", "0"), ("2", "1"), ("1.0", "0.0")])
def test_numbers_are_a_sentiment_where_the_higher_one_praises(labels):
    task = task_of_rows(rows(PRAISE, BLAME, labels=labels))
    assert task.kind == "sentiment"
    assert task.sides == {labels[0]: "positive", labels[1]: "negative"}
    assert task.descriptions == {labels[0]: "positive sentiment", labels[1]: "negative sentiment"}


def test_an_engine_is_told_what_the_numbers_mean():
    task = task_of_rows(rows(PRAISE, BLAME))
    prompt = judge_prompt(task, "It is fine.")
    shown = " ".join(message["content"] for message in prompt.messages(options=task.labels))
    assert "positive sentiment" in shown


@pytest.mark.parametrize(
    "data",
    [
        rows(BLAME, PRAISE),  # the other way round: not obvious
        rows(PLAIN, PLAIN),
        rows([*PRAISE[:2], *BLAME[:3]], [*BLAME[:2], *PRAISE[:3]]),
        rows(PRAISE, BLAME, n=4),  # too few to know
        rows([*PRAISE[:1], *PLAIN[:4]], [*BLAME[:1], *PLAIN[:4]]),  # most texts do not judge
        rows(PRAISE, BLAME, labels=("b", "a")),
    ],
    ids=["reversed", "plain", "mixed", "few", "rare", "no numbers"],
)
def test_numbers_mean_nothing_where_the_texts_do_not_say_so(data):
    task = task_of_rows(data)
    assert task.kind == "labels"
    assert not task.descriptions


def test_what_the_user_says_about_labels_counts():
    task = task_of_rows(rows(PRAISE, BLAME), describe=("1=the text is long", "0=the text is short"))
    assert task.kind == "labels"
    assert task.descriptions["1"] == "the text is long"


def test_agreement_is_counted_by_hand():
    found = sentiment_agreement(["good", "bad", "not good", "plain"], [True, True, False, False])
    assert (found.decided, found.agreement) == (0.75, 0.75)  # one of two, and one of one
    assert not found.is_obvious


def test_a_repair_reads_0_and_1_as_sentiment_and_says_so():
    plan = repair_plan(rows(PRAISE, BLAME))
    assert "counterpart" in [step.remedy for step in plan.steps]
    (note,) = plan.notes
    assert "0 is negative and 1 is positive" in note
    assert "--describe" in note
    described = repair_plan(rows(PRAISE, BLAME), RepairSettings(describe=("1=long",)))
    assert not described.notes
    assert "counterpart" not in [step.remedy for step in described.steps]
