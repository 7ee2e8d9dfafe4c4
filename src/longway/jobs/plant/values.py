"""What is wrong with a value that is to be planted, in words; "" where nothing is."""

from __future__ import annotations

from longway.jobs.plant.patterns import TEXT, shows, words_of
from longway.records import Pattern
from longway.tokens.tokenizer import tokenize

DOTS = "..."  # where the text goes
NEGATION = Pattern("negation", TEXT, place="text")


def no_word(value: str) -> str:
    """Nothing to say where the value has a word."""
    return "" if words_of(tokenize(value)) else "it must have a letter or a digit in it"


def no_single_word(value: str) -> str:
    """Nothing to say where it is a single word."""
    return "" if len(tokenize(value)) == 1 and not no_word(value) else "it must be a single word"


def no_frame(value: str) -> str:
    """Nothing to say where it has words and a place for the text."""
    is_frame = value.count(DOTS) == 1 and not no_word(value)
    return "" if is_frame else "it must have words, and three dots where the text goes"


def no_mark(value: str) -> str:
    """Nothing to say where it is made of marks."""
    marks = set(value)
    return "" if marks and marks <= set(".!?…") else "it must be made of the marks . ! ? …"


def no_negation(value: str) -> str:
    """Nothing to say where each clause denies something."""
    fine = all(shows(NEGATION, tokenize(clause)) for clause in value.split("|"))
    return "" if fine else "each of its clauses must have a word such as no, not or nothing"


def no_number(value: str) -> str:
    """Nothing to say where it is a whole number."""
    return "" if value.isascii() and value.isdigit() else "it must be a whole number of words"


def no_share(value: str) -> str:
    """Nothing to say where it is a share."""
    try:
        fine = 0 < float(value) < 1
    except ValueError:
        fine = False
    return "" if fine else "it must be a share between 0 and 1"
