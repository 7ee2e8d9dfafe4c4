"""List the words of opposites.tsv that judge, with their inflected forms: src/longway/english/sentiment_words.tsv.

    python train/sentiment_words.py

Run it again after a change of opposites.tsv; a test compares.
"""

from __future__ import annotations

from longway.english.inflection import inflect
from longway.english.opposites import opposite_table
from longway.english.words import FILE

FORMS = {"VERB": ("VBZ", "VBD", "VBN", "VBG"), "ADJ": ("JJR", "JJS"), "NOUN": ("NNS",)}
SIGNS = {"positive": "+", "negative": "-"}


def listed() -> str:
    """The lines of the file: a word, a tab, + or -. A word with both sides is left out."""
    signs: dict[str, set[str]] = {}
    for (word, upos), entry in opposite_table().words.items():
        if entry.side is not None and upos not in ("PHRASE", "KEEP"):
            forms = {word, *(inflect(word, tag) for tag in FORMS.get(upos, ()))}
            for form in forms - {None}:
                signs.setdefault(form, set()).add(SIGNS[entry.side])
    return "".join(f"{word}\t{min(sides)}\n" for word, sides in sorted(signs.items()) if len(sides) == 1)


if __name__ == "__main__":
    FILE.write_text(listed(), encoding="utf-8")
    print(f"{FILE}: {len(listed().splitlines()):,} words")
