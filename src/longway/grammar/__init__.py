"""Shortcut grammars: a grammar learned from the texts, and which of its pieces give the label away.

    texts  ->  words.py  ->  a trained grammar  ->  one tree for each text  ->  forest.py  ->  features.py  ->  tables, findings

Without torch: `trees` (a tree, and brackets), `words` (tokens and the vocabulary), `forest` (all subtrees and rules as integers),
`features` (what they tell about the label), `attribution` (which rules speak for one wrong answer). Learning a grammar and
parsing with it need torch and are imported only there. All of it is "Finding Dataset Shortcuts with Grammar Induction"
(Friedman, Wettig, Chen 2022).
"""
