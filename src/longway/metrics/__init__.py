"""Metrics: plain functions of texts and counts, one family a file.

bleu.py         how much texts share with references
divergence.py   how differently labels are spread
terms.py        how often given words stand in texts
"""
