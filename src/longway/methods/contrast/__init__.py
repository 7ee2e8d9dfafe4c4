"""Contrast examples: pairs that show a shortcut of the grammar without its label (Friedman et al. 2022, section 4).

grammar_words.py   the words that the grammar writes for a word, and those it adds, from the leaves of the training trees
edits.py           hypernym, antonym, adjective: one small change of the hypothesis, after which the label is known
sets.py            the contrast sets of rows, and a classifier's error rate on them
"""

from longway.methods.contrast.edits import EDITS
from longway.methods.contrast.grammar_words import GrammarWords
from longway.methods.contrast.sets import ContrastError, ContrastSet, contrast_errors, contrast_sets

__all__ = ["EDITS", "ContrastError", "ContrastSet", "GrammarWords", "contrast_errors", "contrast_sets"]
