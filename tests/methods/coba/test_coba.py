"""CoBA from end to end with fixed triples: every step and every switch, without a model; then by rules."""

import numpy as np
import pytest

from longway.engines.engine import Written
from longway.errors import BudgetSpent
from longway.methods.coba import Coba, CobaSettings, Important
from longway.methods.coba.coba import NOTHING_ALTERED, NOTHING_PRINCIPAL
from longway.methods.method import ALL_DONE, Rows
from longway.methods.writers import RuleWriter
from longway.records import BUDGET_SPENT, Verdict
from longway.task import task_of
from tests.methods.parts import model

TEXT = "Nancy watched it. The plot was great. He liked the music. We sat near the door. It rained."
TRIPLES = """1. Nancy | watched | it
2. The plot | was | great
3. He | liked | the music
4. We | sat near | the door
5. It | rained |"""
IMPORTANT = Important(("great",), ("nancy", "he"))
NO_SHUFFLE = {"permute": False, "drop": 0.0, "gender": False}


def rows_of(*texts, labels=("negative", "positive"), own=None, contexts=None):
    names = list(labels)
    own = own or ["positive"] * len(texts)
    task = task_of(names, context_name="premise" if contexts else None)
    return Rows(
        [f"r{i}" for i in range(len(texts))],
        list(texts),
        np.array([names.index(label) for label in own]),
        names,
        task,
        contexts,
    )


class Engine:
    """Answers by template; what it was asked is kept."""

    def __init__(self, **answers):
        self.answers = {"triples": TRIPLES, "alter": "1. The plot | was | awful", "realise": None} | answers
        self.asked = []

    def __call__(self, prompts, n, samplings):
        assert len(prompts) == len(samplings)
        self.asked += prompts
        return [self._one(prompt) for prompt in prompts]

    def _one(self, prompt):
        answer = self.answers[prompt.template.partition(".")[0]]
        if isinstance(answer, list):
            answer = answer.pop(0) if len(answer) > 1 else answer[0]
        if isinstance(answer, Exception):
            raise answer
        if answer is None:
            answer = ". ".join(" ".join(filter(None, triple)) for triple in prompt.values["triples"]) + "."
        return Written((answer,) if answer else (), () if answer else ("would not say",))

    def of(self, template):
        return [prompt for prompt in self.asked if prompt.template.startswith(template)]


def coba(engine, rows, verify=None, important=IMPORTANT, **settings):
    method = Coba(
        CobaSettings(**settings),
        writer=model(engine, rows.task),
        important=[important] * len(rows),
        verify=verify,
    )
    return list(method.run(rows))


def test_the_principal_triple_is_changed_and_all_else_is_kept():
    engine, rows = Engine(), rows_of(TEXT)
    (done,) = coba(engine, rows, **NO_SHUFFLE)
    (new,) = rows.added_by(done.edits)
    assert (
        new.text
        == "Nancy watched it. The plot was awful. He liked the music. We sat near the door. It rained."
    )
    assert (new.label, new.id, rows.texts) == ("negative", "r0+coba1", [TEXT])
    assert done.stopped == ALL_DONE
    (alter,) = engine.of("alter")
    assert alter.values["triples"] == [["The plot", "was", "great"]]
    assert (alter.label, alter.values["target"]) == ("positive", "negative")


def test_an_edit_says_every_step():
    (done,) = coba(Engine(), rows_of(TEXT), permute=True, drop=0.5, gender=True, seed=2)
    (edit,) = done.edits
    assert (edit.source, edit.label_before, edit.label_after) == ("r0", "positive", "negative")
    kinds = [triple["kind"] for triple in edit.trace["triples"]]
    assert kinds == ["spurious", "principal", "spurious", "normal", "normal"]
    assert edit.trace["triples"][1]["before"] == "The plot | was | great"
    assert edit.trace["triples"][1]["after"] == "The plot | was | awful"
    assert ["he", "she"] in edit.trace["gender"]
    kept = [t["place"] for t in edit.trace["triples"] if t["place"] is not None]
    assert sorted(kept) == list(range(len(kept)))
    assert edit.how.startswith("alter + gender")


def test_each_step_is_a_switch():
    rows = rows_of(TEXT)

    def text(**settings):
        return rows.added_by(coba(Engine(), rows, **(NO_SHUFFLE | settings))[0].edits)[0]

    assert "She liked the music" in text(gender=True).text
    texts = [text(permute=True, seed=seed).text for seed in range(8)]
    shuffled = {one.index("rained") < one.index("door") for one in texts}
    assert shuffled == {True, False}
    assert len(text(drop=0.9).text) < len(text().text)
    (done,) = coba(Engine(), rows, alter=False, gender=True, permute=False, drop=0.0)
    (unchanged,) = rows.added_by(done.edits)
    assert unchanged.label == "positive"
    assert "great" in unchanged.text


def test_the_same_seed_gives_the_same_rows_and_variants_differ():
    def texts(seed, variants=3):
        rows = rows_of(TEXT, TEXT + " Really.")
        (done,) = coba(Engine(), rows, seed=seed, variants=variants, drop=0.3)
        return [new.text for new in rows.added_by(done.edits)]

    assert texts(1) == texts(1)
    assert texts(1) != texts(2)
    assert len(set(texts(1))) == len(texts(1)) > 2


def test_an_answer_that_cannot_be_read_is_asked_for_once_more_and_then_refused():
    engine = Engine(triples=["Sure! Here they are.", TRIPLES])
    (done,) = coba(engine, rows_of(TEXT))
    assert done.figures.accepted == len(done.edits) == 1
    first, second = engine.of("triples")
    assert "does not begin with its number" in second.values["wrong"]["reason"]
    assert first.values.get("wrong") is None

    (done,) = coba(Engine(triples=["Sure!", "Really!"]), rows_of(TEXT))
    assert not done.edits
    (reason,) = done.figures.refusals
    assert reason.startswith("not even after a repair: this line does not begin with its number")


@pytest.mark.parametrize(
    ("answers", "important", "reason"),
    [
        ({"triples": ""}, IMPORTANT, "would not say"),
        ({}, Important((), ("nancy",)), NOTHING_PRINCIPAL),
        ({"alter": "1. The plot | was | great"}, IMPORTANT, NOTHING_ALTERED),
        ({"realise": ""}, IMPORTANT, "would not say"),
    ],
)
def test_a_row_that_cannot_be_made_is_counted_with_its_reason(answers, important, reason):
    (done,) = coba(Engine(**answers), rows_of(TEXT), important=important)
    assert done.figures.accepted == 0
    assert not any(edit.accepted for edit in done.edits)
    assert done.figures.refusals == {reason: 1}


def test_alter_must_answer_as_many_triples_as_it_was_given():
    (done,) = coba(Engine(alter="1. a | b | c\n2. d | e | f"), rows_of(TEXT))
    assert list(done.figures.refusals) == ["not even after a repair: 2 triples instead of 1"]


def test_rejected_rows_keep_their_reason_and_the_label_goes_to_the_check():
    seen = []

    def verify(candidates):
        for candidate in candidates:
            seen.append(candidate)
            yield (Verdict("new label", False, 0.2, "1 of 3 classifiers give it the new label"),)

    (done,) = coba(Engine(), rows_of(TEXT), verify=verify, **NO_SHUFFLE)
    assert done.figures.accepted == 0
    assert not any(edit.accepted for edit in done.edits)
    assert done.edits[0].reason == "new label: 1 of 3 classifiers give it the new label"
    assert done.figures.rejected == {"new label": 1}
    assert (seen[0].label, seen[0].keep) == ("negative", frozenset({"nancy", "he"}))


def test_a_swapped_word_need_not_be_kept():
    seen = []
    coba(Engine(), rows_of(TEXT), verify=lambda c: seen.extend(c) or [()] * len(c), gender=True)
    assert seen[0].keep == frozenset({"nancy"})


def test_the_budget_ends_it_and_what_was_made_is_kept():
    texts = [f"{TEXT} Number {i}." for i in range(70)]
    engine = Engine(triples=[TRIPLES] * 64 + [BudgetSpent("spent")])
    engine.answers["triples"] += [BudgetSpent("spent")]
    rounds = coba(engine, rows_of(*texts), drop=0.0)
    assert [done.figures.accepted > 0 for done in rounds] == [True, False]
    assert rounds[-1].stopped == BUDGET_SPENT


def test_triples_with_words_of_both_kinds_stay_or_are_changed():
    important = Important(("great", "liked"), ("nancy", "he"))
    engine = Engine(alter="1. The plot | was | awful")
    coba(engine, rows_of(TEXT), important=important)
    assert engine.of("alter")[0].values["triples"] == [["The plot", "was", "great"]]
    engine = Engine(alter="1. The plot | was | awful\n2. He | hated | the music")
    (done,) = coba(engine, rows_of(TEXT), important=important, mixed="principal", **NO_SHUFFLE)
    assert "He hated the music" in done.edits[0].after
    assert engine.of("alter")[0].values["keep"] == ["he"]


def test_a_wanted_label_is_the_only_one_and_its_own_rows_are_left_alone():
    rows = rows_of(TEXT, TEXT + " So.", own=["positive", "negative"])
    (done,) = coba(Engine(), rows, to="negative")
    assert [(new.id, new.label) for new in rows.added_by(done.edits)] == [("r0+coba1", "negative")]


PAIR = "1-1. A man | plays | a guitar\n1-2. He | sits on | a chair\n2-1. A man | makes | music"


def test_a_pair_keeps_its_context_unless_asked():
    rows = rows_of(
        "A man makes music.",
        labels=("contradiction", "entailment", "neutral"),
        own=["entailment"],
        contexts=["A man plays a guitar. He sits on a chair."],
    )
    important = Important(("music",), ("man",))
    engine = Engine(triples=PAIR, alter="1. A man | is | silent", realise=None)
    (done,) = coba(engine, rows, important=important, gender=True, to="contradiction")
    (new,) = rows.added_by(done.edits)
    assert (new.text, new.context) == ("A man is silent.", rows.contexts[0])
    assert engine.of("alter")[0].context == rows.contexts[0]

    both = "context: A woman sits on a chair and plays a guitar.\ntext: A woman is silent."
    engine = Engine(triples=PAIR, alter="1. A man | is | silent", realise=both)
    (done,) = coba(engine, rows, important=important, contexts=True, to="contradiction")
    (new,) = rows.added_by(done.edits)
    assert (new.text, new.context) == (
        "A woman is silent.",
        "A woman sits on a chair and plays a guitar.",
    )
    assert {edit.field for edit in done.edits} == {"text", "premise"}


def test_the_words_of_a_context_decide_what_becomes_of_its_triples():
    rows = rows_of(
        "A man makes music.",
        labels=("contradiction", "entailment", "neutral"),
        own=["entailment"],
        contexts=["A man plays a guitar. He sits on a chair."],
    )
    important = Important((), ("music",), context=Important(("guitar",), ("chair",)))
    engine = Engine(
        triples=PAIR,
        alter="1. A man | holds | a broom",
        realise="context: A man holds a broom and sits on a chair.\ntext: A man makes music.",
    )
    seen = []
    (done,) = coba(
        engine,
        rows,
        verify=lambda candidates: seen.extend(candidates) or [()] * len(candidates),
        important=important,
        contexts=True,
        to="contradiction",
        **NO_SHUFFLE,
    )
    (alter,), (realise,) = engine.of("alter"), engine.of("realise")
    assert alter.values["context_triples"] == [["A man", "plays", "a guitar"]]
    assert alter.values["triples"] == []
    assert '1. "A man | plays | a guitar"' in alter.messages(form="text")[1]["content"]
    assert realise.values["context_triples"] == [["A man", "holds", "a broom"], ["He", "sits on", "a chair"]]
    assert (realise.values["keep"], realise.values["context_keep"]) == (["music"], ["chair"])
    assert (seen[0].keep, seen[0].context_keep) == ({"music"}, {"chair"})
    (new,) = rows.added_by(done.edits)
    assert (new.text, new.context) == ("A man makes music.", "A man holds a broom and sits on a chair.")
    trace = done.edits[0].trace
    assert [step["kind"] for step in trace["context_triples"]] == ["principal", "spurious"]
    assert (trace["context_principal"], trace["context_spurious"]) == (["guitar"], ["chair"])


def test_without_contexts_the_words_of_the_context_change_nothing():
    rows = rows_of("A man makes music.", contexts=["A man plays a guitar."])
    important = Important((), ("music",), context=Important(("guitar",), ()))
    (done,) = coba(Engine(triples=PAIR), rows, important=important)
    assert done.figures.refusals == {NOTHING_PRINCIPAL: 1}


def test_the_engine_is_told_which_words_the_text_must_keep():
    engine = Engine()
    coba(engine, rows_of(TEXT), **NO_SHUFFLE)
    (realise,) = engine.of("realise")
    assert realise.values["keep"] == ["he", "nancy"]
    for form in ("text", "json"):
        system, user = (message["content"] for message in realise.messages(n=1, form=form))
        assert '<keep>"he", "nancy"</keep>' in user
        assert "in exactly this form" in system
    engine = Engine()
    coba(engine, rows_of(TEXT), permute=False, drop=0.0, gender=True)
    assert engine.of("realise")[0].values["keep"] == ["nancy"]  # "he" became "she"


def test_the_rules_go_the_whole_way():
    rows = rows_of("The acting was great. Nancy plays the lead. The music is wonderful.")
    important = Important(("great", "wonderful"), ("nancy",))
    method = Coba(
        CobaSettings(permute=False, drop=0.0), writer=RuleWriter(rows.task), important=[important] * len(rows)
    )
    (done,) = method.run(rows)
    (new,) = rows.added_by(done.edits)
    assert (new.label, done.edits[0].engine) == ("negative", "rules")
    assert "Nancy plays the lead" in new.text
    assert "great" not in new.text
    assert "wonderful" not in new.text


def test_a_spurious_word_that_a_swap_replaced_need_not_be_kept_whatever_mark_follows_it():
    kept = []

    def verify(candidates):
        kept.extend(candidate.keep for candidate in candidates)
        return iter([(Verdict("any", True),)] * len(candidates))

    triples = "1. Nancy | thanked | him, a friend\n2. The plot | was | great"
    engine = Engine(triples=triples)
    coba(engine, rows_of("x"), verify, Important(("great",), ("nancy", "him")), permute=False, drop=0.0)
    assert kept == [{"nancy"}]
