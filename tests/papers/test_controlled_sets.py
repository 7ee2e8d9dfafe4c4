"""The controlled test of antonyms: the pairs of the paper's Table 16, and the pairs that they cannot be made of."""

import pytest

from controlled_sets import control_counts, controlled_sets
from longway.errors import SettingError
from longway.grammars.trees import Tree
from longway.methods.contrast import GrammarWords
from longway.records import Example
from longway.task import task_of

pytest.importorskip("spacy")

E, C, N = "entailment", "contradiction", "neutral"
STANCES = task_of([C, E, N], context_name="premise").stances
WORDS = GrammarWords(
    hypernyms={},
    opposites={"white": ("black",), "black": ("white",), "old": ("young",)},
    added=(),
    side_by_side=frozenset(),
    before_kinds=frozenset(
        {
            ("white", "noun.artifact"),
            ("white", "noun.act"),
            ("black", "noun.artifact"),
            ("old", "noun.artifact"),
        }
    ),
)
PREMISE, HYPOTHESIS = "a white dog running down a path", "a black dog sitting on a bush"


@pytest.fixture(scope="module")
def pipeline():
    from longway.english.pipeline import load_pipeline

    return load_pipeline()


def leaf(first, second):
    return Tree(1, (Tree(40, words=("a", "a")), Tree(41, words=(first, second))))


@pytest.fixture
def controlled(pipeline):
    def make(premise, hypothesis, label=C, tree=None, words=WORDS):
        return controlled_sets(
            [Example("r", hypothesis, label, premise)], [tree], words, STANCES, pipeline=pipeline
        )

    return make


@pytest.mark.parametrize("words", [WORDS, None])
def test_the_five_pairs_are_made_as_in_table_16(controlled, words):
    (found,) = controlled(PREMISE, HYPOTHESIS, tree=leaf("white", "black"), words=words)
    assert [(pair.name, pair.premise, pair.hypothesis, pair.label) for pair in found.pairs] == [
        ("x1", "a white dog running down a path", "a black dog running down a path", C),
        ("x2", "a white dog running down a path", "a dog running down a path", E),
        ("x3", "a dog running down a white path", "a dog running down a path", E),
        ("x4", "a dog running down a path", "a black dog running down a path", N),
        ("x5", "a dog running down a white path", "a black dog running down a path", N),
    ]
    assert (found.adjective, found.opposite, found.object) == ("white", "black", "path")


def test_a_thing_that_both_texts_have_serves_as_well_as_the_subject(controlled):
    (found,) = controlled("A man in a white shirt throws a ball.", "A man wears a black shirt.")
    assert found.pairs[4].premise == "A man in a shirt throws a white ball."
    assert found.pairs[4].hypothesis == "A man in a black shirt throws a ball."
    assert controlled("A man in a white shirt throws a ball.", "A man in a black hat.") == []


def test_articles_and_capitals_follow_the_adjective(controlled):
    (found,) = controlled("An old dog sleeps on a chair.", "A young dog runs.")
    assert found.pairs[2].premise == "A dog sleeps on an old chair."
    assert found.pairs[0].hypothesis == "A young dog sleeps on a chair."
    (found,) = controlled("White dogs run over a bridge.", "Black dogs sleep.")
    assert found.pairs[2].premise == "Dogs run over a white bridge."
    assert found.pairs[0].hypothesis == "Black dogs run over a bridge."


@pytest.mark.parametrize(
    ("premise", "hypothesis", "label", "tree"),
    [
        (PREMISE, HYPOTHESIS, N, None),  # the label is not that of the shortcut
        (PREMISE, HYPOTHESIS, C, leaf("dog", "dog")),  # the tree does not align the adjectives
        ("a white dog running", HYPOTHESIS, C, None),  # no object
        ("a white dog running down a brown path", HYPOTHESIS, C, None),  # the object has its own colour
        ("a white dog running down a path to a black one", HYPOTHESIS, C, None),  # the opposite is there
        ("a white cat on a path", "a dog on a black mat", C, None),  # of different things
        ("a black and white dog running down a path", HYPOTHESIS, C, None),  # both are true
        ("a white dog is not running down a path", HYPOTHESIS, C, None),
        ("a white man running down a path", "a black man sitting", C, None),  # about people
        ("a tall dog running down a path", "a short dog sitting", C, None),  # no words of this grammar
        ("a dog running down a path", HYPOTHESIS, C, None),  # nothing to move
    ],
)
def test_a_pair_without_the_feature_or_with_an_uncertain_label_has_no_set(
    controlled, premise, hypothesis, label, tree
):
    assert controlled(premise, hypothesis, label, tree) == []


def test_controls_and_tests_are_counted_apart(controlled):
    sets = controlled(PREMISE, HYPOTHESIS)

    def cheats(inputs):
        """Predicts contradiction wherever the texts have both adjectives: wrong for the test only."""
        found = []
        for text, context in zip(inputs.texts, inputs.contexts, strict=True):
            if "black" in text:
                found.append(C if "white" in context else N)
            else:
                found.append(E)
        return found

    counts = control_counts(sets, cheats, STANCES)
    assert (counts.controls_right, counts.controls) == (4, 4)
    assert (counts.tests_wrong, counts.tempted, counts.tests, counts.original) == (1, 1, 1, 1)
    guesses = control_counts(sets, lambda inputs: [N] * len(inputs), STANCES)
    assert (guesses.controls_right, guesses.tests_wrong, guesses.original) == (1, 0, 0)
    assert control_counts([], cheats, STANCES).sets == 0


def test_all_three_labels_are_needed():
    with pytest.raises(SettingError, match="three-way"):
        controlled_sets([], [], WORDS, {"yes": "entails", "no": "contradicts"})
