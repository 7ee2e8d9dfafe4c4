"""Shortcuts among the candidates of one question: what the right option, or the preferred answer, has that the others do not have.

questions  ->  cues.py: a number per candidate and cue      ->  candidates.py: "the longest", "the only one with", ...
                                                            ->  search.py: findings, tested against random answers
                                                            ->  leak.py: how often a ranker without the prompt is right
"""
