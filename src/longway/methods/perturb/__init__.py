"""Demographic perturbation: one person's gender, race or age is rewritten, and everything else stays.

perturber.py        Request -> Perturbed: the interface of all perturbers
rule_perturber.py   the default perturber: word lists, coreference chains, grammar; no model
neural.py           a trained network, the paper's method; networks.py loads it (papers/perturbation/train.py trains one)
windows.py          long texts in windows that are perturbed one by one
asked.py            a language model that is prompted
segments.py         several texts of a row as one, and back; the input of a network
choosing.py         which word of which row becomes what (Algorithm 1)
guards.py           perturbations that may offend, and labels that may no longer hold
"""
