"""Remedies for data with candidates: where the right one stands, how the candidates are written, which questions stay.

surface.py     spaces, capital letters and full stops, the same for all candidates of a question; style cues of pairs, exchanged
positions.py   the right candidate at every place equally often
drop.py        the fewest questions to leave out, so that a ranker without the prompt is at chance
rewrite.py     other candidates rewritten by an engine, so that they look like the right one
"""
