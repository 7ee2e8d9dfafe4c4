"""Semantic triples (CoBA, section 3.3): a text as numbered statements of subject, predicate and object, and back.

triple.py       Triple, its notation, and the way back to a text
extract.py      triples from a text, by rules
oppose.py       triples and texts changed towards the opposite sentiment
gender.py       gendered words swapped
"""
