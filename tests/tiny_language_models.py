"""Language models small enough for tests, as folders: a random GPT-2 and a random BERT with a head, over a few words."""

from pathlib import Path

import pytest

WORDS = (
    "[PAD] [CLS] [SEP] [UNK] [MASK] [BOS] the a he she is was old young kind rude baker nurse people are not i love "
    "hate being man woman men women person from here there . ##s"
).split()


def tokenizer_of(**special):
    """Cuts at white space and marks; words ending in s are cut once more where the rest is known."""
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    if "cls_token" in special:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
        )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", **special
    )


def save_gpt2(folder: Path, *, seed=0) -> str:
    """The folder of a random causal model."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    import transformers

    config = transformers.GPT2Config(
        vocab_size=len(WORDS), n_embd=16, n_layer=2, n_head=2, n_positions=24, initializer_range=0.4,
        resid_pdrop=0, embd_pdrop=0, attn_pdrop=0, bos_token_id=5, eos_token_id=5,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    tokenizer_of(bos_token="[BOS]").save_pretrained(folder)
    return str(folder)


def save_bert(folder: Path, *, seed=0, head=True) -> str:
    """The folder of a random masked model, or of an encoder without a head."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    import transformers

    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=24, initializer_range=0.4, hidden_dropout_prob=0, attention_probs_dropout_prob=0,
    )  # fmt: skip
    kind = transformers.BertForMaskedLM if head else transformers.BertModel
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        kind(config).save_pretrained(folder)
    tokenizer_of(cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]").save_pretrained(folder)
    return str(folder)
