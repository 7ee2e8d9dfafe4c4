"""Shortcut grammars: a grammar induced from the texts, and which of its subtrees and rules predict the label.

    texts  ->  vocabulary.py  ->  induction.py  ->  parser.py: a tree per text  ->  forest.py  ->  information.py: tables, findings

Without torch: `trees` (trees and bracket notation), `vocabulary` (tokens), `forest` (all subtrees and rules as integers),
`information` (their mutual information with the label, and which rules explain a wrong prediction). Inducing a grammar and
parsing need torch: `model` (rule probabilities), `chart`, `semiring`, `partition`, `backtrace` (the recursion), `gpu` (its
Triton kernels). All of it follows "Finding Dataset Shortcuts with Grammar Induction" (Friedman, Wettig, Chen 2022).
"""
