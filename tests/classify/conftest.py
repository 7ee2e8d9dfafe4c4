"""A pretrained encoder small enough for tests, as files: a random BERT over the words of `toy.py`."""

import pytest

from tests.classify.toy import BAD, GOOD, THINGS

WORDS = "[PAD] [CLS] [SEP] [UNK] the was a we saw there here".split() + THINGS + GOOD + BAD


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory):
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
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=24, initializer_range=0.3,
        hidden_dropout_prob=0, attention_probs_dropout_prob=0,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("tiny_bert")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        transformers.BertModel(config).save_pretrained(folder)
    fast.save_pretrained(folder)
    return str(folder)
