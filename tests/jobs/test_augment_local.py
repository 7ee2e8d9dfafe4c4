"""CoBA from a text to a verdict with the embedded model itself: what it says may differ, what becomes of it may not."""

from longway.data import load
from longway.engines.asker import Asker
from longway.engines.local import LocalEngine
from longway.jobs.augment.methods import Setup, plan_of
from longway.jobs.augment.result import WordAnalysis
from longway.jobs.augment.settings import AugmentSettings
from longway.jobs.augment.words import Words
from longway.jobs.rows import rows_of
from longway.methods.coba import Important
from longway.store import Journal
from tests.engines.llama_cpp import model_or_skip

ROWS = [
    {"id": "cold", "text": "The soup was cold.", "label": "negative"},
    {"id": "fun", "text": "The play was funny.", "label": "positive"},
]
WORDS = [Important(("cold",), ("soup",)), Important()]


def test_the_embedded_model_goes_the_whole_way_and_a_text_ends_as_a_row_or_with_a_reason(monkeypatch):
    known = Words(WORDS, WordAnalysis())
    monkeypatch.setattr("longway.jobs.augment.methods.words_by_models", lambda rows, ensemble, **more: known)

    monkeypatch.setattr("longway.engines.local.LADDER", (1.3,))  # fewer draws: the wording is not tested
    journal = Journal(None)
    local = Asker(LocalEngine(model_or_skip()), journal)
    settings = AugmentSettings(engine="local", models=("bow",), to="positive", mixed="principal")
    rows = rows_of(load(ROWS, text="text", label="label", id="id"))
    (done,) = plan_of(Setup(settings, rows, local, journal=journal)).method.run(rows)

    asked = [call.asked.get("template") for call in journal.entries()]
    assert done.figures.asked == 1
    assert len(done.edits) + sum(done.figures.refusals.values()) == 1
    steps = ["triples.v2", "alter.v2", "realise.v2"]
    n_steps = sum(step in asked for step in steps)
    assert set(steps[:n_steps]) <= set(asked)  # one after the other
    assert n_steps == 3 or done.figures.refusals
    for edit in done.edits:
        assert edit.accepted == (not edit.reason)
        assert (edit.source, edit.label_before, edit.label_after) == ("cold", "negative", "positive")
        assert edit.trace["triples"][0]["before"] != edit.trace["triples"][0]["after"]
