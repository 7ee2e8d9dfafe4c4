"""Trees for tests: made by hand, or of any shape by hypothesis."""

from hypothesis import strategies as st

from longway.grammars.trees import Tree, read_brackets

WORDS = ["a", "man", "woman", "dog", "[UNK]"]


def leaf_words(words, *, pair):
    """The words of a leaf: never nothing on both sides."""
    if not pair:
        return words.map(lambda word: (word, ""))
    return st.tuples(words | st.just(""), words | st.just("")).filter(any)


def any_tree(words=None, *, pair=True, max_leaves=6, n_symbols=3):
    """Any tree; few symbols and words, so that subtrees occur again."""
    symbol = st.integers(0, n_symbols - 1)
    words = st.sampled_from(WORDS) if words is None else words
    leaf = st.builds(lambda s, w: Tree(n_symbols + s, words=w), symbol, leaf_words(words, pair=pair))
    return st.recursive(
        leaf, lambda part: st.builds(Tree, symbol, st.tuples(part, part)), max_leaves=max_leaves
    )


def documents_of(*texts):
    """Documents of one tree each, given in brackets."""
    return [[read_brackets(text)] for text in texts]
