"""The table of opposites: large, on two sides, and readable for the rules."""

from collections import Counter

from longway.english.inflection import inflect
from longway.english.opposites import TABLE_PATH, opposite_table


def rows():
    lines = TABLE_PATH.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def test_every_row_has_four_columns_and_stands_once():
    assert all(len(row) == 4 for row in rows())
    assert max(Counter((word, upos) for word, upos, *_ in rows()).values()) == 1
    assert {upos for _, upos, *_ in rows()} == {"ADJ", "ADV", "VERB", "NOUN", "PHRASE", "KEEP"}


def test_there_are_enough_words_and_expressions_on_both_sides():
    sides = Counter(side for _, upos, side, _ in rows() if upos not in ("KEEP", "PHRASE"))
    assert min(sides["positive"], sides["negative"]) >= 350
    assert sum(upos == "PHRASE" for _, upos, *_ in rows()) >= 60


def test_no_opposite_is_on_the_same_side():
    for (word, upos), entry in opposite_table().words.items():
        for opposite in entry.opposites:
            other = opposite_table().words.get((opposite, upos))
            assert other is None or upos == "KEEP" or other.side != entry.side, (word, opposite)


def test_opposites_of_verbs_have_all_forms():
    for (word, upos), entry in opposite_table().words.items():
        if upos == "VERB":
            for opposite in entry.opposites:
                assert opposite == "not" or all(inflect(opposite, tag) for tag in ("VBD", "VBG", "VBZ")), word
