"""Pretrained encoders small enough for tests, as files: random models over the words of `toy.py`."""

import pytest

from tests.models.toy import BAD, GOOD, THINGS

WORDS = "[PAD] [CLS] [SEP] [UNK] the was a we saw there here".split() + THINGS + GOOD + BAD


def saved(folder, kind, **config):
    """The folder with a random model of this kind of transformers, and its tokenizer."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]", unk_token="[UNK]"
    )
    if kind != "Bert":
        fast.model_input_names = ["input_ids", "attention_mask"]
    with torch.random.fork_rng():
        torch.manual_seed(0)
        made = getattr(transformers, f"{kind}Config")(vocab_size=len(WORDS), **config)
        getattr(transformers, f"{kind}Model")(made).save_pretrained(folder)
    fast.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory):
    return saved(
        tmp_path_factory.mktemp("tiny_bert"), "Bert",
        hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=24, initializer_range=0.3,
        hidden_dropout_prob=0, attention_probs_dropout_prob=0,
    )  # fmt: skip


@pytest.fixture(scope="session", params=["Bart", "T5"])
def tiny_encoder_decoder(request, tmp_path_factory):
    """A BART or a T5: an encoder with a decoder."""
    own = {
        "Bart": {
            "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2,
            "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "max_position_embeddings": 24, "init_std": 0.3, "dropout": 0.0,
        },
        "T5": {"d_kv": 16, "d_ff": 32, "num_layers": 1, "num_heads": 2, "dropout_rate": 0.0},
    }  # fmt: skip
    folder = tmp_path_factory.mktemp(request.param)
    return saved(folder, request.param, d_model=32, pad_token_id=0, **own[request.param])


@pytest.fixture
def offered(monkeypatch):
    """The accuracy of each state that a training has offered as its best."""
    from longway.models.objectives import Best

    accuracies, offer = [], Best.offer

    def recorded(self, accuracy, loss, model):
        accuracies.append(accuracy)
        offer(self, accuracy, loss, model)

    monkeypatch.setattr(Best, "offer", recorded)
    return accuracies
