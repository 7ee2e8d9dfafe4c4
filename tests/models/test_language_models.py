"""Hugging Face models that score texts: against the same model asked token by token."""

import pytest

from longway.errors import DataError, SettingError
from longway.models.language_models import LanguageModel, ScoredText, head_of
from tests.tiny_language_models import WORDS, save_bert, save_gpt2

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

TEXTS = [
    "The baker is old.",
    "She was not kind.",
    "People",
    "The nurse from here is a rude woman and not young.",
]


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory):
    return LanguageModel(save_gpt2(tmp_path_factory.mktemp("gpt2")), "causal", device="cpu")


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return LanguageModel(save_bert(tmp_path_factory.mktemp("bert")), "masked", device="cpu")


def slow_causal(model, text):
    """Each token asked for after those before it, one call a token."""
    ids = [5, *model.loaded[1](text, add_special_tokens=False)["input_ids"]]
    with torch.inference_mode():
        return [
            float(model.loaded[0](torch.tensor([ids[:k]])).logits[0, -1].log_softmax(-1)[ids[k]])
            for k in range(1, len(ids))
        ]


def slow_masked(model, text):
    """Each token hidden in turn, one call a token."""
    ids = model.loaded[1](text)["input_ids"]
    found = []
    with torch.inference_mode():
        for k in range(1, len(ids) - 1):
            hidden = [*ids[:k], WORDS.index("[MASK]"), *ids[k + 1 :]]
            found.append(float(model.loaded[0](torch.tensor([hidden])).logits[0, k].log_softmax(-1)[ids[k]]))
    return found


def test_a_causal_model_gives_each_token_after_those_before_it(gpt2):
    for text, found in zip(TEXTS, gpt2.scores([ScoredText(text) for text in TEXTS]), strict=True):
        assert found.log_p == pytest.approx(slow_causal(gpt2, text), abs=1e-4)
        assert found.total == pytest.approx(sum(found.log_p))
        assert found.mean == pytest.approx(found.total / len(found.tokens))


def test_a_masked_model_gives_each_token_hidden_in_turn(bert):
    for text, found in zip(TEXTS, bert.scores([ScoredText(text) for text in TEXTS]), strict=True):
        assert found.log_p == pytest.approx(slow_masked(bert, text), abs=1e-4)
        assert list(found.tokens) == bert.loaded[1](text)["input_ids"][1:-1]


def test_only_the_part_is_scored_and_the_rest_is_read(gpt2, bert):
    text = "She is here. The nurse is old."
    start = text.index("The")
    for model, slow in ((gpt2, slow_causal), (bert, slow_masked)):
        found = model.scores([ScoredText(text, part=(start, len(text)))])[0]
        assert found.log_p == pytest.approx(slow(model, text)[-5:], abs=1e-4)


def test_a_gap_is_filled_from_left_to_right(bert):
    """ "bakers" is two tokens: the first is asked for without the second, the second after the first."""
    text = "The bakers are old."
    found = bert.scores([ScoredText(text, part=(4, 10), fill=True)])[0]
    ids, mask = bert.loaded[1](text)["input_ids"], WORDS.index("[MASK]")
    assert [WORDS[i] for i in found.tokens] == ["baker", "##s"]
    rows = [[*ids[:2], mask, *ids[4:]], [*ids[:3], mask, *ids[4:]]]
    with torch.inference_mode():
        expected = [
            float(bert.loaded[0](torch.tensor([row])).logits[0, k].log_softmax(-1)[ids[k]])
            for row, k in zip(rows, (2, 3), strict=True)
        ]
    assert found.log_p == pytest.approx(expected, abs=1e-4)


def test_the_kind_of_model_is_read_from_its_settings(gpt2, bert, tmp_path):
    assert (head_of(gpt2.name), head_of(bert.name)) == ("causal", "masked")
    assert head_of(save_bert(tmp_path, head=False)) is None


def test_another_model_has_another_identity(gpt2, tmp_path):
    other = LanguageModel(save_gpt2(tmp_path, seed=1), "causal", device="cpu")
    assert other.identity["hash"] != gpt2.identity["hash"]
    assert gpt2.identity["hash"] == LanguageModel(gpt2.name, "causal").identity["hash"]


def test_a_text_that_is_too_long_or_empty_is_refused(gpt2, bert):
    for model in (gpt2, bert):
        with pytest.raises(DataError, match=r"too long for this model: .* reads 2"):
            model.scores([ScoredText("the old man " * 10)])
        with pytest.raises(DataError, match="no token"):
            model.scores([ScoredText("The man", part=(3, 3))])


def test_a_folder_that_is_no_model_is_told_with_the_next_step(tmp_path):
    with pytest.raises(SettingError, match="cannot be read"):
        head_of(str(tmp_path))


def test_a_discriminator_is_no_language_model(tmp_path):
    """Electra's "ForPreTraining" tells which words were replaced: it has no likelihoods to ask for."""
    import transformers

    config = transformers.ElectraConfig(
        vocab_size=len(WORDS), hidden_size=16, embedding_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
    )  # fmt: skip
    transformers.ElectraForPreTraining(config).save_pretrained(tmp_path)
    assert head_of(str(tmp_path)) is None


def test_a_model_saved_for_pretraining_with_a_head_is_masked(tmp_path):
    import transformers

    whole = LanguageModel(save_bert(tmp_path / "a"), "masked", device="cpu")
    other = transformers.BertForPreTraining(whole.loaded[0].config)
    other.save_pretrained(tmp_path / "b")
    whole.loaded[1].save_pretrained(tmp_path / "b")
    assert head_of(str(tmp_path / "b")) == "masked"
    assert (
        LanguageModel(str(tmp_path / "b"), "masked", device="cpu")
        .scores([ScoredText("The baker is old.")])[0]
        .total
        < 0
    )


@pytest.mark.parametrize("kind", ["masked", "causal"])
def test_a_checkpoint_without_the_head_its_config_names_is_refused(tmp_path, kind):
    """Otherwise a random head would give likelihoods, and CrowS-Pairs near 50."""
    import json

    folder = save_bert(tmp_path, head=False)
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    named = {"architectures": ["BertForMaskedLM" if kind == "masked" else "BertLMHeadModel"]}
    (tmp_path / "config.json").write_text(json.dumps(config | named | {"is_decoder": kind == "causal"}))
    assert head_of(folder) == kind
    with pytest.raises(SettingError, match=r"lack weights it needs: cls\.predictions"):
        LanguageModel(folder, kind, device="cpu").scores([ScoredText("The baker is old.")])
