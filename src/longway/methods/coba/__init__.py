"""CoBA: adds texts that keep the spurious words and have another label (Jin et al., "CoBA", sections 3.3 and 4.5).

votes.py          principal and spurious words by a vote of models; triples by their words, and their new order
coba.py           the method for labelled rows
text_to_text.py   the method for rows whose label is a text
"""

from longway.methods.coba.coba import Coba, CobaSettings
from longway.methods.coba.votes import Important, vote

__all__ = ["Coba", "CobaSettings", "Important", "vote"]
