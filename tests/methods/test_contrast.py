"""ContrastExample examples: hand-made trees say what a grammar writes, and short sentences are edited with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.errors import SettingError
from longway.grammars.trees import Tree
from longway.methods.contrast import ContrastSet, GrammarWords, contrast_errors, contrast_sets
from longway.methods.contrast.edits import ContrastExample
from longway.methods.contrast.grammar_words import is_above, is_hypernym, is_opposite
from longway.records import Example
from longway.stats import wilson_interval
from longway.task import task_of

pytest.importorskip("spacy")

E, C, N = "entailment", "contradiction", "neutral"
STANCES = task_of([C, E, N], context_name="premise").stances
WORDS = GrammarWords(
    hypernyms={"man": ("person",), "women": ("people",), "dog": ("animal",)},
    opposites={"black": ("white",), "young": ("old",)},
    added=("sad", "old", "other", "black", "to", "american", "long"),
    side_by_side=frozenset(
        {("sad", "man"), ("old", "man"), ("other", "man"), ("black", "man"), ("black", "cat"), ("sad", "dogs"), ("to", "man"), ("american", "man"), ("long", "blond")}
    ),
    before_kinds=frozenset({("white", "noun.artifact"), ("old", "noun.artifact"), ("white", "noun.animal")}),
)  # fmt: skip


def chain(*words):
    """A tree of these leaves, given as "a/b"; "/b" writes in the second text alone."""
    leaf = [Tree(40, words=tuple(pair.split("/"))) for pair in words]
    tree = leaf[-1]
    for one in reversed(leaf[:-1]):
        tree = Tree(1, (one, tree))
    return tree


@pytest.fixture(scope="module")
def pipeline():
    from longway.english.pipeline import load_pipeline

    return load_pipeline()


@pytest.fixture
def edited(pipeline):
    """What one pair becomes by one edit, with the label and the change."""

    def edit(kind, premise, hypothesis, label, tree=None):
        sets = contrast_sets(
            [Example("r", hypothesis, label, premise)],
            [tree],
            WORDS,
            STANCES,
            edits=(kind,),
            pipeline=pipeline,
        )
        return {(one.after, one.label, one.what) for found in sets for one in found.members}

    return edit


ALIGNED = chain("a/a", "man/man", "sits/swims")


@pytest.mark.parametrize("label", [C, N])
def test_an_aligned_subject_becomes_more_general_and_the_label_stays(edited, label):
    found = edited("hypernym", "A man sits on a bench.", "A man swims in the lake.", label, ALIGNED)
    assert found == {("A person swims in the lake.", label, "man → person")}


@pytest.mark.parametrize(
    ("premise", "hypothesis", "label", "tree"),
    [
        ("A man sits on a bench.", "A man swims.", E, ALIGNED),  # entailment would stay entailment
        ("A man sits on a bench.", "A man swims.", C, None),  # not parsed
        ("A man sits on a bench.", "A man swims.", C, chain("a/a", "man/", "/man")),  # not aligned
        ("A man sits beside a woman.", "A man swims.", C, ALIGNED),  # the person who swims could be the woman
        ("A man sits beside Anna.", "A man swims.", C, ALIGNED),
        ("A man sits on a bench.", "No man swims.", C, ALIGNED),
        ("A man sits on a bench.", "Every man swims.", C, ALIGNED),
        ("A man sits on a bench.", "A man is not outside.", C, ALIGNED),
        ("A man sits on a bench.", "A man and a man swim.", C, ALIGNED),
        ("A man sits on a bench.", "Man is swimming.", C, ALIGNED),  # "Person is swimming." reads badly
    ],
)
def test_a_subject_stays_where_the_label_would_not_be_sure(edited, premise, hypothesis, label, tree):
    assert not edited("hypernym", premise, hypothesis, label, tree)


def test_articles_capitals_and_the_plural_are_those_of_the_place(edited):
    tree = chain("a/a", "dog/dog")
    assert edited("hypernym", "A dog runs.", "A dog sleeps.", C, tree) == {
        ("An animal sleeps.", C, "dog → animal")
    }
    found = edited("hypernym", "Two women run.", "Women are asleep.", C, chain("two/", "women/women"))
    assert found == {("People are asleep.", C, "women → people")}


def test_the_opposite_of_the_subjects_adjective_goes_to_a_thing_and_the_pair_becomes_neutral(edited):
    found = edited("antonym", "Two black dogs run on the beach.", "The dogs are chasing a ball.", E)
    assert found == {("The dogs are chasing a white ball.", N, "+white ball")}
    found = edited("antonym", "A young boy plays outside.", "A boy plays with his toys.", N)
    assert found == {("A boy plays with his old toys.", N, "+old toys")}
    found = edited("antonym", "A young boy plays outside.", "A boy sits in a car.", N)
    assert found == {("A boy sits in an old car.", N, "+old car")}


@pytest.mark.parametrize(
    ("premise", "hypothesis", "label"),
    [
        ("Two black dogs run on the beach.", "The dogs are chasing a ball.", C),
        ("Two dogs run on a black road.", "The dogs are chasing a ball.", E),  # no adjective at the subject
        ("A black dog chases a red ball.", "A dog chases a ball.", E),  # the ball has a colour
        ("A black dog chases a white bird.", "A dog chases a bird.", E),
        ("A black dog runs.", "Somebody pets a dog.", E),  # the object is the subject
        ("A black dog runs.", "Somebody pets an animal.", E),
        ("A black dog runs to a boy.", "A dog is running to a boy.", E),  # no thing
        ("A black dog runs.", "The dog is chasing a small ball.", N),  # has an adjective
        ("A black dog runs.", "The dog does not have a ball.", N),
        ("A black dog runs.", "The dog has every ball.", N),
        ("A black dog runs in front of a shop.", "A dog runs near a house.", N),  # the White House
    ],
)
def test_no_opposite_is_added_where_the_label_would_not_be_sure(edited, premise, hypothesis, label):
    assert not edited("antonym", premise, hypothesis, label)


def test_an_adjective_that_the_grammar_adds_goes_before_the_subject_of_a_contradiction(edited):
    found = edited("adjective", "A man sits.", "A man is asleep.", C)
    assert found == {("A sad man is asleep.", C, "+sad man"), ("An old man is asleep.", C, "+old man")}
    assert edited("adjective", "Dogs run.", "Dogs are asleep.", C) == {
        ("Sad dogs are asleep.", C, "+sad dogs")
    }
    assert edited("adjective", "A dog runs.", "A cat sleeps.", C) == {
        ("A black cat sleeps.", C, "+black cat")
    }


@pytest.mark.parametrize(
    ("premise", "hypothesis", "label"),
    [
        ("A man sits.", "A man is asleep.", N),
        ("A man sits.", "No man is asleep.", C),
        ("A man sits.", "A tall man is asleep.", C),
        ("A man sits.", "A business man is asleep.", C),
        ("A sad old man sits.", "A man is asleep.", C),  # the premise has the words
        ("A man sits.", "A man is sad and old.", C),
        ("A man sits.", "A man is glad and young.", C),  # a sad man is not glad, an old man not young
        ("A child sits.", "A blond is asleep.", C),
        ("A man sits.", "A woman is asleep.", C),  # no text has one of them before this noun
    ],
)
def test_no_adjective_is_added_where_it_would_say_nothing_new_or_read_badly(
    edited, premise, hypothesis, label
):
    assert not edited("adjective", premise, hypothesis, label)


def test_the_words_are_those_of_leaves_that_speak_for_the_right_label():
    trees = [
        chain("a/a", "man/person"), chain("the/a", "man/person"), chain("man/person", "/to"),  # entailment
        chain("man/woman", "big/small"), chain("a/a", "man/woman"), chain("big/small", "dog/cat"),  # contradiction
        chain("a/a", "/sad", "man/man"), chain("a/a", "/sad", "man/man"), chain("man/outside", "/[UNK]"),  # neutral
    ]  # fmt: skip
    labels = [E] * 3 + [C] * 3 + [N] * 3
    words = GrammarWords.learn(trees, labels, STANCES, at_least=2)
    assert words.hypernyms == {"man": ("person",)}
    assert words.opposites == {"big": ("small",), "small": ("big",)}  # man/woman: no adjectives
    assert words.added == ("sad",)
    assert words.side_by_side == {("a", "man"), ("a", "sad"), ("sad", "man"), ("a", "person")}
    assert GrammarWords.learn(trees, labels, STANCES, at_least=4).hypernyms == {}


def test_a_leaf_goes_with_the_rare_label_that_it_speaks_for():
    """Three of the five pairs with the leaf are neutral, as most pairs are; but both contradictions have it."""
    trees = [chain("a/a", "big/small")] * 5 + [chain("a/a", "dog/dog")] * 20
    words = GrammarWords.learn(trees, [N] * 3 + [C] * 2 + [N] * 20, STANCES)
    assert words.opposites == {"big": ("small",), "small": ("big",)}


def test_more_general_and_opposite_words_are_told_from_others():
    assert is_above("man", "human")
    assert is_above("girl", "child")
    assert not is_above("person", "man")
    assert is_hypernym("men", "people")
    assert not is_hypernym("man", "people")
    assert not is_hypernym("man", "woman")
    assert not is_hypernym("man", "someone")
    assert is_opposite("black", "white")
    assert is_opposite("black", "brown")
    assert not is_opposite("big", "large")
    assert not is_opposite("big", "big")
    assert not is_opposite("inside", "outside")


def test_data_without_the_three_labels_are_refused(pipeline):
    two = {"yes": "entails", "no": "contradicts"}
    with pytest.raises(SettingError, match=r"'neutral'.*three-way inference"):
        contrast_sets([], [], WORDS, two, pipeline=pipeline)


def test_rows_and_leaves_of_a_label_that_says_nothing_are_left_out(edited):
    assert not edited("hypernym", "A man sits on a bench.", "A man swims in the lake.", "-", ALIGNED)
    trees = [chain("a/a", "man/person"), chain("the/a", "man/person"), chain("a/a", "dog/animal")]
    words = GrammarWords.learn([*trees, trees[2]], [E, E, "-", "-"], STANCES, at_least=2)
    assert words.hypernyms == {"man": ("person",)}


# ---- the error rate --------------------------------------------------------------------------------------------------

LABELS = [E, C, N]


def made_set(number, truth, edit, shortcut, n):
    row = Example(str(number), f"h{number}", truth, f"p{number}")
    members = tuple(ContrastExample(row.id, edit, row.text, f"h{number}.{i}", N, "+x y") for i in range(n))
    return ContrastSet(row, edit, shortcut, members)


@given(
    st.lists(
        st.tuples(*[st.sampled_from(LABELS)] * 3, st.lists(st.sampled_from(LABELS), min_size=1, max_size=3)),
        max_size=8,
    )
)
def test_the_error_rate_equals_its_definition(rows):
    """rows: (label, answer before, shortcut's label, answers after)."""
    sets = [
        made_set(i, truth, "adjective", shortcut, len(after))
        for i, (truth, _, shortcut, after) in enumerate(rows)
    ]
    answers = {f"h{i}": before for i, (_, before, _, _) in enumerate(rows)}
    answers |= {f"h{i}.{k}": label for i, (*_, after) in enumerate(rows) for k, label in enumerate(after)}

    def predict(inputs):
        assert [text.split(".")[0][1:] for text in inputs.texts] == [one[1:] for one in inputs.contexts]
        return [answers[text] for text in inputs.texts]

    counted = [shortcut in after for truth, before, shortcut, after in rows if truth == before]
    found = contrast_errors(sets, predict)
    assert len(found) == bool(rows)
    for one in found:
        assert (one.sets, one.counted, one.examples) == (
            len(rows),
            len(counted),
            sum(len(row[3]) for row in rows),
        )
        if counted:
            assert one.error == pytest.approx(sum(counted) / len(counted))
            assert (one.low, one.high) == wilson_interval(one.error, len(counted))
        else:
            assert one.to_dict()["error"] is None


def test_kinds_of_edits_are_counted_apart():
    sets = [made_set(0, E, "antonym", C, 1), made_set(0, E, "hypernym", N, 2)]
    found = {
        one.edit: one.error
        for one in contrast_errors(sets, lambda inputs: [E if "." not in t else C for t in inputs.texts])
    }
    assert found == {"antonym": 1.0, "hypernym": 0.0}
