"""What label names tell: the task, and for pairs the stance of each label."""

import pytest

from longway.task import task_of


@pytest.mark.parametrize(
    "name", ["not_entailment", "not entailment", "NOT_ENTAILMENT", "non-entailment", "not-entailment"]
)
def test_not_entailment_is_not_taken_for_neutral(name):
    task = task_of(["entailment", name], text_name="hypothesis", context_name="premise")
    assert task.kind == "inference"
    assert task.stances == {"entailment": "entails", name: "does not entail"}


@pytest.mark.parametrize("name", ["not enough info", "NOT_ENOUGH_INFO", "not-enough-info", "neutral"])
def test_what_is_left_open_is_neutral(name):
    task = task_of(["SUPPORTS", "REFUTES", name], text_name="claim", context_name="evidence")
    assert task.stances == {"SUPPORTS": "entails", "REFUTES": "contradicts", name: "neutral"}


@pytest.mark.parametrize("labels", [["neutral", "not_entailment"], ["entailment", "something else"]])
def test_labels_tell_no_stance_unless_all_are_known_and_one_entails(labels):
    assert task_of(labels, context_name="premise").stances == {}


def test_an_engine_is_told_what_not_entailment_means():
    from longway.engines.prompt import judge_prompt

    task = task_of(["entailment", "not_entailment"], context_name="premise")
    prompt = judge_prompt(task, "It rains.", context="It pours.")
    system = prompt.messages(options=task.labels)[0]
    assert '"not_entailment": the context does not show that the text is true' in system["content"]


@pytest.mark.parametrize("labels", [["good", "bad"], ["POS", "neg"], ["Positive", "negative", "neutral"]])
def test_the_names_of_judgements_are_a_sentiment(labels):
    task = task_of(labels)
    assert task.kind == "sentiment"
    assert [task.sides[label] for label in labels[:2]] == ["positive", "negative"]
    assert set(task.sides) == set(labels[:2])


@pytest.mark.parametrize("labels", [["0", "1"], ["good", "evil"], ["yes", "no"]])
def test_other_names_alone_tell_no_sentiment(labels):
    assert task_of(labels).kind == "labels"
    assert task_of(labels).sides == {}
