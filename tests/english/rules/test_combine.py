"""Texts out of rephrasings: compared with trying every combination."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from longway.english.document import Change, Document
from longway.english.rules.rule import (
    MAX_COMBINED,
    Rephrasing,
    RuleDraft,
    Scene,
    are_compatible,
    choose,
    drafts,
    has_flaw,
)

TEXT = "one two three four five six"
WORDS = [(0, 3), (4, 7), (8, 13), (14, 18), (19, 23), (24, 27)]


def swap(place, text, rule):
    start, end = WORDS[place]
    return Rephrasing(rule, (Change(start, end, text),))


def scene(telling=()):
    return Scene(Document(TEXT, (), ()), avoid=frozenset(telling))


REWRITINGS = st.lists(
    st.builds(
        swap,
        st.integers(0, 5),
        st.sampled_from(["red", "blue", "big"]),
        st.sampled_from(["words.a", "words.b", "phrases.c", "negation.d", "passive.e"]),
    ),
    max_size=6,
    unique_by=lambda one: (one.rule, one.changes),
)


def all_texts(rephrasings):
    """The slow twin: every set of one to three, whatever the order, that may stand together."""
    found = set()
    for size in (1, 2, 3):
        for parts in combinations(rephrasings, size):
            places = [part.changes[0].start for part in parts]
            rules = [part.rule for part in parts]
            if len(set(places)) < size or len(set(rules)) < size:
                continue
            if {"negation.d", "passive.e"} <= set(rules):
                continue
            words = list(TEXT)
            for part in sorted(parts, key=lambda p: -p.changes[0].start):
                change = part.changes[0]
                words[change.start : change.end] = change.text
            found.add("".join(words))
    return {text for text in found if not has_flaw(TEXT, text)}


@given(REWRITINGS)
def test_drafts_are_all_combinations_that_go_together(rephrasings):
    assert len(rephrasings) <= MAX_COMBINED
    first_of_text = {}  # two rules that make the same text count once, so the twin sees only the first of them
    for one in rephrasings:
        first_of_text.setdefault(one.changes, one)
    unique = list(first_of_text.values())
    assert {draft.text for draft in drafts(scene(), unique)} == all_texts(unique)


@given(REWRITINGS, st.integers(0, 5), st.text(max_size=3))
def test_the_choice_is_the_same_each_time_and_has_no_text_twice(rephrasings, n, order):
    found = drafts(scene({"two"}), rephrasings, order=order)
    chosen = choose(found, n)
    assert chosen == choose(drafts(scene({"two"}), rephrasings, order=order), n)
    assert len({draft.text for draft in chosen}) == len(chosen) == min(n, len(found))
    assert TEXT not in {draft.text for draft in found}


def test_what_takes_away_telling_words_comes_first():
    rephrasings = [swap(0, "red", "words.a"), swap(1, "blue", "words.b"), swap(2, "big", "phrases.c")]
    found = drafts(scene({"two", "three", "absent"}), rephrasings)
    assert found[0].n_removed == 2
    assert [draft.n_removed for draft in found] == sorted((draft.n_removed for draft in found), reverse=True)


def test_rules_are_spread():
    many = [RuleDraft(f"a{i}", (swap(0, "red", "words.a"),), 0) for i in range(5)]
    other = RuleDraft("b", (swap(1, "red", "phrases.c"),), 0)
    chosen = choose([*many, other], 3)
    assert [draft.text for draft in chosen] == ["a0", "b", "a1"]


def test_a_label_keeping_part_makes_the_whole_label_keeping():
    label = Rephrasing("contrast.x", (Change(0, 3, "red"),), keeps="label")
    assert RuleDraft("x", (swap(1, "a", "words.a"), label), 0).keeps == "label"


def test_neighbours_and_two_rebuilders_do_not_go_together():
    assert are_compatible(swap(0, "a", "words.a"), swap(2, "b", "words.b"))
    assert not are_compatible(swap(0, "a", "words.a"), swap(0, "b", "words.b"))
    assert not are_compatible(swap(0, "a", "negation.a"), swap(2, "b", "passive.b"))
    touching = Rephrasing("words.b", (Change(3, 3, "!"),))
    assert not are_compatible(swap(0, "a", "words.a"), touching)


def test_flaws_that_were_not_there_before_are_seen():
    assert has_flaw("A dog.", "A  dog.")
    assert has_flaw("A dog.", "An dog.")
    assert has_flaw("A dog barks.", "A dog dog barks.")
    assert has_flaw("By Roe Jr.", "By Roe Jr..")
    assert not has_flaw("it 's fine , too .", "it 's fine , really .")
    assert not has_flaw("A dog.", "An owl.")
