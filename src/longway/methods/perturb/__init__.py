"""Demographic perturbation: one person's gender, race or age is rewritten, and everything else stays.

perturber.py   Request -> Perturbed: what every engine takes and gives
rules.py       the default engine: word lists, person chains, grammar; no model
neural.py      the paper's input form, any seq2seq or causal model trained for it; networks.py, forms.py: what it is and reads
training.py    trains one on perturbations in PANDA's form (panda.py); tiny.py, smollm2.py: bases without a download; checkpoints.py
asked.py       a language model that is asked
segments.py    several texts of a row as one, and back
choosing.py    which word of which row becomes what (Algorithm 1)
guards.py      what must not be written (offences.py finds it), and labels that would no longer hold
"""
