"""Names of grammar patterns: what a stranger reads instead of symbols, slashes and ε."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.grammar_names import grammar_name, phrase_of
from longway.records import Pattern

WORDS = st.lists(st.sampled_from(["a", "the", "man", "woman", "to", "work", "10", "/", "’", ","]), max_size=3)
PAIRS = st.tuples(WORDS, WORDS).filter(any).map(lambda sides: "\t".join(map(" ".join, sides)))
TEXTS = WORDS.filter(bool).map(" ".join)


@pytest.mark.parametrize(
    ("spans", "name"),
    [
        (["a man\ta woman"], "a man → a woman"),
        (["\tto work"], "added: to work"),
        (["in the\t"], "left out: in the"),
        (["walking\twalking"], "copied: walking"),
        (["a man\ta tall man"], "a ___ man (added: tall)"),
        (["the old man\tthe man"], "the ___ man (left out: old)"),
        (["the film"], "the film"),
        (["man\twoman", "boy\tgirl", "dog\tcat", "girl\tboy", "woman\tman"], "man → woman, boy → girl, dog → cat or 2 more"),
        (["man\twoman", "boy\tgirl", "dog\tcat", "girl\tboy"], "man → woman, boy → girl, dog → cat or girl → boy"),
        (["a man\ta woman", "a boy\ta girl"], "a ___ (man → woman or boy → girl)"),
        (["a man\ta woman", "the boy\tthe girl"], "a man → a woman or the boy → the girl"),
        (["in the grass\toutside", "down the street\toutside"], "in the grass or down the street → outside"),
        (["man\tperson", "man\thuman"], "man → person or human"),
        (["\tto work", "\tto get", "\tto buy"], "added: to ___ (work, get or buy)"),
        (["\tto", "\tfor"], "added: to or for"),
        (["a man\ta tall man", "a man\ta sad man"], "a ___ man (added: tall or sad)"),
        (["a man\ta tall man", "the dog\tthe sad dog"], "added: tall or sad"),
        (["his life", "his wife"], "his ___ (life or wife)"),
        (["10 / 10", "8 / 10"], "10/10 or 8/10"),
        (["don ’ t bother", "isn ’ t"], "don’t bother or isn’t"),
        (["\t[UNK]"], "added: [rare word]"),
        (["\t,"], "added: “,”"),
        (["man\twoman", "\tto work"], "man → woman; or added: to work"),
        (["man\twoman", "\tto", "a\ta", "b\tb", "c\tc"], "man → woman; added: to; copied: a; or 2 more"),
        (["\tor", "\tand"], "added: “or” or and"),
        (["a\tthe", "two\tthe", "four\tthe", "one\tthe", "six\tthe"], "a, two, four or 2 more → the"),
        (["man\twoman", "\tto", "a\ta", "b\tb"], "man → woman; added: to; or copied: a or b"),
        ([], ""),
    ],
)  # fmt: skip
def test_a_pattern_is_named_by_its_words_and_what_they_have_in_common(spans, name):
    assert grammar_name(spans) == name


def test_the_number_of_listed_phrases_can_be_chosen():
    spans = [f"{word}\t" for word in ("in", "on", "at", "by", "of")]
    assert grammar_name(spans, shown=1) == "left out: in or 4 more"


@given(PAIRS)
def test_a_phrase_keeps_all_words_of_both_texts(span):
    phrase = phrase_of(span)
    sides = [" ".join((*phrase.before, *side, *phrase.after)) for side in (phrase.first, phrase.second)]
    assert "\t".join(sides) == span


@given(st.lists(PAIRS | TEXTS, min_size=1, max_size=8))
def test_a_name_has_no_symbols_and_is_the_same_for_repeated_phrases(spans):
    name = grammar_name(spans)
    assert name
    assert "ε" not in name
    assert "\t" not in name
    assert grammar_name([*spans, *spans]) == name


def test_the_name_of_a_pattern_is_this_name_and_a_rule_is_named_by_what_it_builds():
    spans = ("a man\ta woman", "a boy\ta girl")
    kind = Pattern("grammar", "text + context", spans, "14", context="context")
    assert kind.name == grammar_name(spans)
    rule = Pattern("grammar", "text + context", spans, "rule 14 → 41 32", context="context")
    assert rule.name == f"built like {grammar_name(spans)}"
