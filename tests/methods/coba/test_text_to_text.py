"""CoBA for rows whose label is a text."""

import numpy as np

from longway.engines.engine import Written
from longway.engines.prompt import TEXT_TO_TEXT
from longway.methods.coba import CobaSettings
from longway.methods.coba.text_to_text import text_to_text
from longway.methods.method import Rows
from longway.task import task_of
from tests.methods.parts import model

SOURCE = "gotta say he rocks. the bus was late. we ate pie. it rained."
TARGET = "I must say that he is excellent. The bus was late. We ate pie. It rained."
LINES = {
    SOURCE: "1. i | gotta say | he rocks\n2. the bus | was | late\n3. we | ate | pie\n4. it | rained |",
    TARGET: "1. I | must say | that he is excellent\n2. The bus | was | late\n3. We | ate | pie\n4. It | rained |",
}


def rows():
    names = [TARGET]
    return Rows(["a"], [SOURCE], np.array([0]), names, task_of(names))


def engine(pick="source: 1\ntarget: 1"):
    def ask(prompts, n, samplings):
        found = []
        for prompt in prompts:
            if prompt.template.startswith("triples"):
                answer = LINES[prompt.text]
            elif prompt.template.startswith("pick"):
                answer = pick
            else:
                answer = ". ".join(" ".join(filter(None, t)) for t in prompt.values["triples"]) + "."
            found.append(Written((answer,)))
        return found

    return ask


def test_both_texts_are_shuffled_alike_and_gender_is_swapped_in_both():
    found = []
    for seed in range(6):
        (done,) = text_to_text(rows(), CobaSettings(seed=seed), writer=model(engine(), TEXT_TO_TEXT))
        found += rows().added_by(done.edits)
        for new in rows().added_by(done.edits):
            source, target = new.text.split(". "), new.label.split(". ")
            assert source[0] == "i gotta say she rocks"
            assert target[0] == "I must say that she is excellent"
            assert [s.split()[0].lower() for s in source[1:]] == [t.split()[0].lower() for t in target[1:]]
    assert len({new.text for new in found}) > 2


def test_without_a_change_the_copy_is_refused():
    settings = CobaSettings(gender=False, permute=False)
    (done,) = text_to_text(rows(), settings, writer=model(engine(), TEXT_TO_TEXT))
    assert not any(edit.accepted for edit in done.edits)
    assert done.figures.rejected == {"surface": 1}
    assert done.edits[0].reason == "surface: a copy"


def test_a_pick_that_names_no_triple_is_refused():
    (done,) = text_to_text(rows(), writer=model(engine("source: 9\ntarget: 1"), TEXT_TO_TEXT))
    assert list(done.figures.refusals) == [
        "not even after a repair: source has no triple 9: the numbers go from 1 to 4"
    ]


def test_a_trace_shows_both_sides():
    (done,) = text_to_text(rows(), CobaSettings(seed=1), writer=model(engine(), TEXT_TO_TEXT))
    trace = done.edits[0].trace
    assert [t["kind"] for t in trace["triples"]] == ["principal", "normal", "normal", "normal"]
    assert sorted(t["place"] for t in trace["target_triples"]) == [0, 1, 2, 3]
    assert done.edits[0].accepted
    assert done.edits[0].how == "gender + permute"


def test_each_variant_is_a_draw_of_its_own():
    samples = []

    def ask(prompts, n, samplings):
        samples.append([sampling.sample for sampling in samplings])
        return engine()(prompts, n, samplings)

    list(text_to_text(rows(), CobaSettings(variants=2), writer=model(ask, TEXT_TO_TEXT)))
    assert samples[-1] == [0, 0, 1, 1]  # both texts of the first variant, both of the second
