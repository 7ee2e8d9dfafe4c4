"""Contrast examples: pairs that have a shortcut of the grammar and not its label (Friedman et al. 2022, section 4).

words.py    which words the grammar writes for a word, and which it adds, told by the leaves of the training trees
edits.py    hypernym, antonym, adjective: one small change of the hypothesis, after which the label is known
sets.py     the contrast sets of rows, and how often a classifier falls for them
"""

from longway.methods.contrast.edits import EDITS, Contrast
from longway.methods.contrast.sets import ContrastError, ContrastSet, contrast_errors, contrast_sets
from longway.methods.contrast.words import GrammarWords

__all__ = [
    "EDITS",
    "Contrast",
    "ContrastError",
    "ContrastSet",
    "GrammarWords",
    "contrast_errors",
    "contrast_sets",
]
