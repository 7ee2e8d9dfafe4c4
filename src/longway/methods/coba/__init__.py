"""CoBA: texts that keep the spurious words and carry another label are added (Jin et al., "CoBA", sections 3.3 and 4.5).

words.py          which words are principal and which spurious: a vote of models
arrange.py        triples by kind; the order in which they are put together again
structured.py     answers of several lines: asked, read strictly, repaired once
coba.py           the method for labelled rows
text_to_text.py   the method for rows whose label is a text
"""

from longway.methods.coba.coba import Coba, CobaSettings
from longway.methods.coba.words import Important, vote

__all__ = ["Coba", "CobaSettings", "Important", "vote"]
