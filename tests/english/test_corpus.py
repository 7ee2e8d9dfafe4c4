"""A column of texts as integers."""

import errno
import resource

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.text import corpus as corpus_module
from longway.text.corpus import RARE, Block, Corpus, Vocabulary
from tests import oracles

texts = st.lists(st.text(alphabet="abc .", max_size=12), max_size=12)


def texts_of(corpus):
    """The tokens of each text, spelled out."""
    words = corpus.vocabulary.words
    return [
        [words[c] for c in block.codes[block.offsets[i] : block.offsets[i + 1]]]
        for block in corpus.blocks()
        for i in range(block.n_texts)
    ]


@given(texts)
def test_document_frequency_counts_texts_not_tokens(column):
    corpus = Corpus.from_texts(column)
    documents = [set(oracles.words(text)) for text in column]
    expected = [sum(word in document for document in documents) for word in corpus.vocabulary.words]
    assert corpus.document_frequency().tolist() == expected


def test_blocks_in_files_equal_blocks_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_module, "_BLOCK_BYTES", 20)
    column = pl.Series([f"word{i % 5} and {i}" for i in range(40)])
    in_memory, in_files = Corpus(), Corpus(spill=tmp_path)
    in_memory.add(column)
    in_files.add(column)
    assert len(list(tmp_path.iterdir())) == len(list(in_memory.blocks())) > 5
    assert texts_of(in_files) == texts_of(in_memory) == [oracles.words(text) for text in column]


def test_a_full_disk_is_reported_with_the_error_of_the_system(tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large") as raised:
            Corpus(spill=tmp_path).add(pl.Series([f"word{i} and" for i in range(4_000)]))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert raised.value.errno == errno.EFBIG


def test_a_full_vocabulary_counts_new_words_as_one():
    vocabulary = Vocabulary(max_words=3)
    assert vocabulary.add(["a", "b", "c", "d", "a"]).tolist() == [0, 1, 2, 2, 0]
    assert vocabulary.is_full
    assert vocabulary.words == ["a", "b", RARE]
    assert vocabulary.word_mask().tolist() == [True, True, False]


def test_chosen_texts_of_a_block_keep_their_tokens():
    block = Block(np.array([5, 6, 7, 8], dtype=np.int32), np.array([0, 2, 2, 4]))
    taken = block.take(np.array([2, 1, 0]))
    assert (taken.codes.tolist(), taken.offsets.tolist()) == ([7, 8, 5, 6], [0, 2, 2, 4])


@pytest.mark.parametrize("column", [[], [""], ["", "a", ""]])
def test_empty_texts_are_texts(column):
    corpus = Corpus.from_texts(column)
    assert corpus.n_texts == len(column)
    assert len(corpus.lengths()) == len(column)
