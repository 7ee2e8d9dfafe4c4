"""What a new text must keep: by task and label where a language model wrote it, by the rule where a rule did."""

import pytest

from longway.methods.method import keeps_of


@pytest.mark.parametrize("how", ["", "served:gpt-4o", "served", "gguf:model.gguf", "reword.engine"])
def test_a_language_model_keeps_what_it_was_asked_to_keep(how):
    assert keeps_of(how, "label") == "label"
    assert keeps_of(how, "meaning") == "meaning"


@pytest.mark.parametrize(("how", "kept"), [("phrases.film", "meaning"), ("label:contrast.not", "label")])
def test_a_rule_keeps_what_it_promises(how, kept):
    assert keeps_of(how, "label") == kept
