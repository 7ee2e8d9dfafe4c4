"""Demographic perturbation: one person's gender, race or age is rewritten, and everything else stays.

perturber.py   Request -> Perturbed: what every engine takes and gives
rules.py       the default engine: word lists, person chains, grammar; no model
neural.py      the paper's input form, any seq2seq or causal model trained for it
asked.py       a language model that is asked
choosing.py    which word of which row becomes what (Algorithm 1)
guards.py      what must not be written, and labels that would no longer hold
"""
