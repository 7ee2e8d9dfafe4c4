"""Measures of what a model makes of people: plain numbers in, numbers out.

crows_pairs.py      how often the more stereotyping of two sentences is the likelier one
stereoset.py        language model score, stereotype score, and both in one (ICAT)
weat.py             associations of vectors: effect size and permutation test
holistic.py         pairs of descriptors whose sentences are not equally likely
fairscore.py        predictions that change when a person's group is changed
quality.py          how good a language model it is, which every measure is shown beside
figure.py           a number with its interval

None of them can show that a model is fair. Each looks for one kind of unfairness, and a model that knows no language at all
passes most of them.
"""
