"""Other ways to add rows, for comparison with CoBA: each a small method on the same interface.

paraphrase.py          the text in other words, label kept (AugGPT-like)
back_translation.py    through another language and back
contextual.py          some words replaced by what an engine puts there
counterfactual.py      the smallest change to another label (Human-CAD-like)
given.py               rewrites made elsewhere
"""

from longway.methods.additions import Ask
from longway.methods.peers.adding import Peer
from longway.methods.peers.back_translation import BackTranslation, BackTranslationSettings
from longway.methods.peers.contextual import Contextual, ContextualSettings
from longway.methods.peers.counterfactual import Counterfactual, CounterfactualSettings
from longway.methods.peers.given import Given, GivenRewrite, given_of
from longway.methods.peers.paraphrase import Paraphrase, ParaphraseSettings

PEERS: dict[str, type[Peer]] = {
    peer.name: peer for peer in (Paraphrase, BackTranslation, Contextual, Counterfactual)
}

__all__ = [
    "PEERS",
    "Ask",
    "BackTranslation",
    "BackTranslationSettings",
    "Contextual",
    "ContextualSettings",
    "Counterfactual",
    "CounterfactualSettings",
    "Given",
    "GivenRewrite",
    "Paraphrase",
    "ParaphraseSettings",
    "Peer",
    "given_of",
]
