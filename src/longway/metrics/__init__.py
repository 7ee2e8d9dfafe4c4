"""Metrics: plain functions of texts, counts and predictions, one family a file.

bleu.py             how much texts share with references
cartography.py      which training rows are learned easily, never, or now and then
classification.py   how well labels are told, and whether probabilities mean what they say
divergence.py       how differently labels are spread
diversity.py        how spread out texts are
fairness/           what a model makes of people
groups.py           accuracy of groups, and with and against a pattern
intervals.py        how sure a number is
paired.py           whether before and after differ
projection.py       logits or vectors as points in the plane
terms.py            how often given words stand in texts
versions.py         how far two versions of texts are apart
"""
