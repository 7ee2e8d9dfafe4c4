"""Capitals: a new word takes over those of the word it replaces.

    like("house", "Cottage")   "House"
    like("house", "COTTAGE")   "HOUSE"
    like("house", "cottage")   "house"; a name keeps its own capitals: like("Paris", "cottage") is "Paris"
    like("house", "iPhone")    "house"; capitals in odd places say nothing about the place in the sentence

A word of one letter is a riddle: "A" may open a sentence or be shouted, "I" is always a capital. The text around
it solves it (`around`, the sentence it stands in).
"""

from __future__ import annotations

from itertools import pairwise


def like(written: str, model: str, *, around: str = "") -> str:
    """The word `written` with the capitals of the word `model`.

    around: the sentence that the model stands in; only read where the model has a single letter.

    >>> like("an", "A"), like("an", "A", around="A MAN SHOUTS"), like("they", "I", around="I think I know")
    ('An', 'AN', 'They')
    """
    letters = [c for c in model if c.isalpha()]
    if len(letters) == 1:
        return _like_one_letter(written, letters[0], around)
    if letters and all(c.isupper() for c in letters):
        return written.upper()
    return capitalised(written) if letters and letters[0].isupper() else written


def capitalised(word: str) -> str:
    """The word with a capital first letter; one with capitals of its own ("iPhone") stays as it is.

    >>> capitalised("house"), capitalised("iPhone"), capitalised("'tis")
    ('House', 'iPhone', "'Tis")
    """
    if any(c.isupper() for c in word.partition(" ")[0]):
        return word
    place = next((i for i, c in enumerate(word) if c.isalpha()), None)
    if place is None or len(word[place].upper()) != 1:  # "ß" has no capital of one letter
        return word
    return word[:place] + word[place].upper() + word[place + 1 :]


def is_shouted(text: str) -> bool:
    """True where a text is written in capitals: no small letter, and a word of two capitals or more.

    >>> is_shouted("GIVE ME A DOG!"), is_shouted("I, A."), is_shouted("NASA is big")
    (True, False, False)
    """
    has_small_letter = any(c.islower() for c in text)
    return not has_small_letter and any(a.isupper() and b.isupper() for a, b in pairwise(text))


def _like_one_letter(written: str, letter: str, around: str) -> str:
    if not letter.isupper():
        return written
    if is_shouted(around):
        return written.upper()
    if letter == "I" and not around.lstrip("\"'“‘([*-–— ").startswith("I"):
        return written
    return capitalised(written)
