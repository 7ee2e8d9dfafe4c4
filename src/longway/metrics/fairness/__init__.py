"""Measures of how a model treats people: plain numbers in, numbers out.

preferences.py   CrowS-Pairs and StereoSet: which sentence a language model finds more likely, and how good a model it is
weat.py          WEAT and SEAT: associations of vectors, with effect size and permutation test
holistic.py      HolisticBias: pairs of descriptors whose sentences are not equally likely
fairscore.py     predictions that change when a person's group is changed

None of them can show that a model is fair. Each looks for one kind of unfairness, and a model without any knowledge of
language passes most of them.
"""
