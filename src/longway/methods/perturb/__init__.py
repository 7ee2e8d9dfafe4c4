"""Demographic perturbation: one person's gender, race or age is rewritten, and everything else stays.

The rules, which are the default, are in `english/people/change.py`.

neural.py           a trained network, the paper's method; networks.py loads it (papers/perturbation/train.py trains one)
windows.py          long texts in windows that are perturbed one by one
asked.py            a language model that is prompted
segments.py         the input and the output of a network
choosing.py         which word of which row becomes what (Algorithm 1)
guards.py           perturbations that may offend, and labels that may no longer hold
"""
