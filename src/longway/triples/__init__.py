"""Semantic triples (CoBA, section 3.3): a text as numbered statements of subject, predicate and object, and back.

triple.py       Triple; how triples are written down, and read strictly from an answer
extract.py      a text taken apart by rules; pieces.py, relative.py and fragments.py are its parts
realise.py      the way back, triples as a text
oppose.py       statements changed towards the other sentiment; opposites.tsv and opposites.py have the words, scope.py
                tells what is denied, affirm.py takes negations away, replaced.py puts opposites in
contradict.py   what cannot be true beside a statement
gender.py       gendered words swapped, by the list of longway.demographics
"""
