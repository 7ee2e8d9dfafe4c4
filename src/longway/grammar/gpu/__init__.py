"""The recursion of `grammar/chart.py` and `grammar/descend.py` on a GPU, in Triton.

The same numbers as their slow twins. What is different:

    all cells with the same wa + wb, of all items, are one launch; a program is one cell of one item (inside.py)
    a program reads its parts straight from the chart (rows of N numbers) and keeps the N x N outer product in
    registers; only that product goes to memory, for one large matrix product with the rules (products.py)
    on the way back it is computed again, and the parts' outside values are added atomically (outside.py), so the
    last digits of a derivative may differ from run to run
    a tree is one program that follows its own list of nodes (descend.py)

Importing this package needs Triton, which comes with PyTorch's CUDA builds.
"""

from longway.grammar.gpu.descend import descend
from longway.grammar.gpu.inside import inside
from longway.grammar.gpu.outside import outside
from longway.grammar.gpu.products import max_product
from longway.grammar.gpu.words import log_totals, shares_

__all__ = ["descend", "inside", "log_totals", "max_product", "outside", "shares_"]
