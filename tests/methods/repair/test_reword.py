"""Rewording by the rules, and by an engine that does not avoid what it should."""

from __future__ import annotations

import numpy as np

from longway.engines.engine import Written
from longway.methods.method import Rows
from longway.methods.repair.remedy import RepairRow, Target
from longway.methods.repair.reword import LONGEST, reworded, reworded_copies
from longway.methods.writers import RuleWriter
from longway.records import Pattern
from longway.task import task_of
from tests.methods.parts import model

TASK = task_of(["REFUTES", "SUPPORTS"], text_name="claim", context_name="evidence")
ONLY = Target(Pattern("token", "claim", ("only",)), "REFUTES")
EVIDENCE = "The bridge is in Oslo and Bergen."


def row(text: str) -> RepairRow:
    return RepairRow(0, text, "REFUTES", EVIDENCE)


def test_the_rules_reword_without_the_pattern():
    (drafts,) = reworded(RuleWriter(TASK), TASK, True, [row("The bridge is only in Oslo.")], ONLY)
    assert drafts
    assert all("only" not in draft.after.split() for draft in drafts)
    assert all(draft.how.startswith("reword.") for draft in drafts)


def test_a_text_that_still_shows_the_pattern_is_no_draft():
    def write(prompts, n, samplings):
        return [
            Written(("The bridge is, and only is, in Oslo.", "The bridge is just in Oslo.")) for _ in prompts
        ]

    engine = model(write, TASK, name="served:toy")
    (drafts,) = reworded(engine, TASK, False, [row("The bridge is only in Oslo.")], ONLY)
    assert [(draft.after, draft.engine) for draft in drafts] == [
        ("The bridge is just in Oslo.", "served:toy")
    ]


def test_rules_leave_long_texts_alone_and_other_engines_do_not():
    long = "The bridge is only in Oslo. " * (LONGEST // 5)
    asked = []

    def write(prompts, n, samplings):
        asked.extend(prompts)
        return [Written(("It is in Oslo.",)) for _ in prompts]

    assert reworded(model(write, TASK), TASK, True, [row(long)], ONLY) == [[]]
    assert not asked
    assert len(reworded(model(write, TASK), TASK, False, [row(long)], ONLY)[0]) == 1


def test_copies_keep_the_label_and_avoid_what_predicts_it():
    rows = Rows(
        ["a", "b"],
        ["He only sings.", "He sings."],
        np.array([0, 1]),
        ["REFUTES", "SUPPORTS"],
        TASK,
        ["x", "y"],
    )
    seen = []

    def write(prompts, n, samplings):
        seen.extend(prompt.avoid for prompt in prompts)
        return [Written(("He just sings.",), how=("restrictors.just",)), Written(())]

    telling = lambda text, label: ("only",) if "only" in text else ()  # noqa: E731
    (first,) = reworded_copies(model(write, TASK), rows, telling, [0, 1])
    assert seen == [("only",), ()]
    assert (first.row, first.after, first.label, first.keeps) == (0, "He just sings.", "REFUTES", "meaning")
