"""Misuse of the public functions ends in one error of Longway's: one line that names what is wrong and what to do."""

import inspect
from dataclasses import fields
from typing import get_type_hints

import numpy as np
import pandas as pd
import pytest

import longway as lw

FRAME = pd.DataFrame(
    {
        "id": [f"r{i}" for i in range(20)],
        "text": [f"The cook served {'warm' if i % 2 else 'cold'} soup on day {i}." for i in range(20)],
        "label": ["good" if i % 2 else "bad" for i in range(20)],
    }
)
QUESTIONS = [{"question": f"{i} + 1?", "choices": [str(i), str(i + 1)], "answer": i % 2} for i in range(40)]
SETTINGS = [name for name in lw.__all__ if name.endswith("Settings")]
FUNCTIONS = [name for name in lw.__all__ if inspect.isfunction(getattr(lw, name))]
NO_TYPE = object()  # a value of no type that any option has
NEEDED = {"data": FRAME, "before": FRAME, "after": FRAME, "source": FRAME, "path": "out.csv", "spec": "rules"}
NEEDED |= {"folder": ".", "pairs": ".", "model": len, "plants": [lw.Plant("word", "good")]}


def refused(call, *words):
    """Check that a call ends in an error of Longway's: one line that has these words and a next step."""
    with pytest.raises(lw.LongwayError) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message
    assert ". " in message  # what is wrong, then what to do
    assert len(message) < 900
    assert not [word for word in words if word not in message], message


def option_cases():
    for name in SETTINGS:
        for field in fields(getattr(lw, name)):
            if not getattr(field.metadata.get("option"), "objects", False):
                yield pytest.param(name, field.name, id=f"{name}.{field.name}")


@pytest.mark.parametrize(("settings", "option"), [*option_cases()])
def test_an_option_of_a_wrong_type_is_refused_with_its_name(settings, option):
    refused(lambda: getattr(lw, settings)(**{option: NO_TYPE}), f"'{option}' must be")


def argument_cases():
    for name in FUNCTIONS:
        parameters = inspect.signature(getattr(lw, name)).parameters
        for one in parameters.values():
            if one.kind is not one.VAR_KEYWORD:
                yield pytest.param(name, one.name, id=f"{name}({one.name})")


@pytest.mark.parametrize(("function", "argument"), [*argument_cases()])
def test_an_argument_of_a_wrong_type_is_refused(function, argument, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    called = getattr(lw, function)
    needed = [
        one.name
        for one in inspect.signature(called).parameters.values()
        if one.default is one.empty and one.kind is not one.VAR_KEYWORD
    ]
    given = {name: NEEDED[name] for name in needed} | {argument: NO_TYPE}
    takes_anything = get_type_hints(called)[argument] is object
    refused(lambda: called(**given), *([] if takes_anything else [f"'{argument}' must be"]))


def fails(texts):
    return [0.5 for _ in texts]


# function, its arguments after the data, words of the message; each kind of wrong type once, as the tests above try every option
MISUSES = [
    ("audit", {"text": 0}, "'text'"),
    ("audit", {"text": "txt"}, "'txt'"),
    ("audit", {"label": ["label"]}, "'label'"),
    ("audit", {"label": "lable"}, "'lable'"),
    ("audit", {"language": "klingon"}, "klingon"),
    ("audit", {"settings": {"levels": "token"}}, "'settings'"),
    ("audit", {"settings": lw.RepairSettings()}, "'settings'"),
    ("audit", {"levels": None}, "'levels'"),
    ("audit", {"levels": "tokens"}, "'levels'"),
    ("audit", {"levels": ("token", 3)}, "'levels'"),
    ("audit", {"levels": []}, "'levels'"),
    ("audit", {"lvels": "token"}, "'lvels'"),
    ("audit", {"dimensions": "64"}, "'dimensions'"),
    ("audit", {"dimensions": 2.5}, "'dimensions'"),
    ("audit", {"dimensions": 1}, "'dimensions'"),
    ("audit", {"max_q": "high"}, "'max_q'"),
    ("audit", {"max_q": 0}, "'max_q'"),
    ("audit", {"max_q": float("nan")}, "'max_q'"),
    ("audit", {"per_level": 0}, "'per_level'"),
    ("audit", {"per_level": True}, "'per_level'"),
    ("audit", {"seed": -1}, "'seed'"),
    ("audit", {"seed": np.arange(2)}, "'seed'"),
    ("audit", {"variant": ["mean"]}, "'variant'"),
    ("audit", {"tests": FRAME}, "'tests'"),
    ("audit", {"tests": {"later": 3}}, "int"),
    ("audit", {"watcher": print}, "'watcher'"),
    ("audit", {"engines": "served:some-model"}, "'engines'"),
    ("audit", {"out": 3}, "'out'"),
    ("audit", {"split": "later"}, "'later'"),
    ("audit_labels", {"labels": ["toxic"]}, "'toxic'"),
    ("audit_choices", {"choices": "options"}, "'options'"),
    ("repair", {"keep": FRAME}, "'keep'"),
    ("repair", {"keep": {"a", 3}}, "'keep'"),
    ("repair", {"keep": ""}, "'keep'"),
    ("repair", {"remedy": "drops"}, "'drops'"),
    ("repair", {"goal": 55}, "'goal'"),
    ("repair", {"goal": "high"}, "'goal'"),
    ("repair", {"max_change": "many"}, "'max_change'"),
    ("repair", {"keep_size": "yes"}, "'keep_size'"),
    ("repair_choices", {"remedy": "take-out"}, "'take out'"),
    ("rewrite", {"k": "many"}, "'k'"),
    ("rewrite", {"k": 0}, "'k'"),
    ("rewrite", {"decisions": "folder"}, "'decisions'"),
    ("rewrite", {"method": "rasor"}, "'method'"),
    ("augment", {"model": ("bow", "nb")}, "'models'"),
    ("perturb", {"axis": "sex"}, "'axes'"),
    ("perturb", {"share": 0}, "'share'"),
    ("perturb_pairs", {"add": True}, "'add'"),
    ("grammar", {"device": "tpu"}, "'device'"),
    ("explain", {"rows": 0}, "'rows'"),
    ("explain", {"ids": "r99"}, "'r99'"),
    ("explain", {"model": 3}, "own:int"),
    ("explain", {"model": "svm"}, "'svm'"),
    ("fairness", {"model": 3}, "own:int"),
    ("fairness", {"axis": "sex", "model": fails}, "'axes'"),
    ("prove", {"tests": FRAME}, "'tests'"),
    ("prove", {"also": {"before": FRAME}}, "'before'"),
    ("plant_shortcuts", {"plants": [3]}, "'plants'"),
    ("plant_shortcuts", {"plants": [lw.Plant("word", "good")], "seed": -1}, "'seed'"),
    ("prove", {"baseline": "edda"}, "'baselines'"),
    ("prove", {"method": "plain"}, "'plain'"),
    ("prove", {"device": "gpu"}, "'device'"),
    ("prove", {"model": 3}, "own:int"),
    ("prove", {"model": fails}, "cannot be trained"),
    ("prove_choices", {"model": fails}, "'models'"),
    ("load", {"limit": 0}, "'limit'"),
    ("load", {"encoding": "utf-77"}, "'utf-77'"),
    ("load_choices", {"chosen": "better"}, "'better'"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "options", "words"),
    [pytest.param(*case, id=f"{case[0]}-{'-'.join(case[1])}-{at}") for at, case in enumerate(MISUSES)],
)
def test_misuse_ends_in_one_sentence_that_names_it(function, options, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = QUESTIONS if "choices" in function else FRAME
    both = [data, data] if function.startswith("prove") else [data]
    refused(lambda: getattr(lw, function)(*both, **options), words)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: lw.save(FRAME, "out.csv"), "lw.load"),
        (lambda: lw.save(3, "out.csv"), "'data'"),
        (lambda: lw.sample_path("films"), "'films'"),
        (lambda: lw.decisions_of("nowhere"), "nowhere"),
        (lambda: lw.engine_named("rule"), "'rule'"),
        (lambda: lw.engine_named([3]), "'spec'"),
        (lambda: lw.check_pairs([3], fails), "'pairs'"),
        (lambda: lw.check_pairs("nowhere", fails), "nowhere"),
        (lambda: lw.Engines(budget="5"), "'budget'"),
        (lambda: lw.Engines(device="gpu"), "'device'"),
        (lambda: lw.Engines(batch_size=0), "'batch_size'"),
        (lambda: lw.ShortcutSpace(dimensions="64"), "'dimensions'"),
        (lambda: lw.ShortcutSpace(variant="mode"), "'variant'"),
        (lambda: lw.LiveSpace(["a", "b"], [0, 1], dimensions=2.5), "'dimensions'"),
    ],
)
def test_misuse_of_other_public_names(call, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(call, words)


@pytest.mark.parametrize(
    ("settings", "options", "expected"),
    [
        (lw.RepairSettings, {"keep": "on hand"}, ("on hand",)),
        (lw.RepairSettings, {"only": "“hand”"}, ("“hand”",)),
        (lw.RepairSettings, {"remedy": "take-out"}, ("take out",)),
        (lw.RepairSettings, {"max_change": "20%"}, 0.2),
        (lw.RepairSettings, {"keep": pd.Series(["on", "off"])}, ("on", "off")),
        (lw.AuditSettings, {"levels": "token,ngram"}, ("token", "ngram")),
        (lw.AuditSettings, {"seed": np.int64(7)}, 7),
        (lw.ProveSettings, {"models": "bow"}, ("bow",)),
        (lw.ExplainSettings, {"ids": "a, b"}, ("a", "b")),
        (lw.GrammarSettings, {"contrast_labels": "entailment=0"}, {"entailment": "0"}),
        (lw.FairnessSettings, {"axes": "all"}, ("all",)),
    ],
)
def test_a_single_string_for_a_list_is_a_list_of_it(settings, options, expected):
    made = settings(**options)
    value = getattr(made, next(iter(options)))
    assert value == expected
    assert type(value) is type(expected)


def test_a_key_among_the_options_of_an_engine_is_not_shown():
    with pytest.raises(lw.SettingError) as raised:
        lw.Engines(options=[("api_key", "sk-of-a-test")])
    assert "sk-of-a-test" not in str(raised.value)
    with pytest.raises(lw.SettingError) as raised:
        lw.engine_named("served:some-model", api_key=b"sk-of-a-test")
    assert "sk-of-a-test" not in str(raised.value)


def test_the_table_has_every_public_function():
    assert {case[0] for case in MISUSES} >= set(FUNCTIONS) - {
        "save", "sample_path", "decisions_of", "engine_named", "check_pairs",
    }  # fmt: skip


def test_what_users_have_at_hand_is_accepted():
    """Numbers of numpy, sets and paths of other libraries are what they look like."""
    rows = [{"text": f"film number {i}", "label": "ab"[i % 2]} for i in range(40)]
    assert len(lw.load(rows, limit=np.int64(30))) == 30
    assert lw.RepairSettings(keep={"hand"}) == lw.RepairSettings(keep=("hand",))
    assert lw.RewriteSettings(keep={"b": 1, "a": 2}.keys()).keep == ("a", "b")


def test_an_empty_frame_says_what_was_expected():
    with pytest.raises(lw.DataError, match="is empty"):
        lw.load(pd.DataFrame())
