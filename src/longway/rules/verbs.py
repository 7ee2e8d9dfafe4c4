"""Verbs by what one can do about them: try in vain, or choose; reviewed by hand, as lemmas."""

from __future__ import annotations

# What one can try in vain: "failed to win". Statives ("failed to like") are not here.
TRIED = frozenset(
    "achieve acknowledge advance appear arrive attend attract beat break build capture chart complete conquer convince "
    "create defeat deliver demonstrate describe develop discover earn end enter escape establish explain finish gain get "
    "graduate impress improve inspire invent join land launch make match obtain open pass pay perform persuade premiere "
    "prevent produce prove provide publish qualify raise reach receive recognize recover register release return save "
    "score secure sell show sign solve stop succeed survive top unite win".split()
)

# What a person may choose to do or not to do.
CHOSEN = frozenset(
    "act appear attend become box campaign coach collaborate compete compose dance design direct donate draw fight film "
    "found host join lead make manage marry meet model move paint participate perform photograph play portray produce "
    "publish race record run serve sign sing star study support teach tour travel visit voice vote work wrestle write".split()
)
