"""The recursion of `grammar/chart.py` and `grammar/backtrace.py` on a GPU, in Triton, with the same numbers.

The differences to these slow twins:

    all cells with the same wa + wb, of all items, are one launch; a program computes one cell of one item (inside.py)
    a program reads its parts directly from the chart (rows of N numbers) and keeps the N x N outer product in
    registers; only that product goes to memory, for one large matrix product with the rules (products.py)
    in the backward pass it is recomputed, and the parts' outside values are added atomically (outside.py), so the
    last digits of a gradient may differ between runs
    a tree is one program that processes its own list of nodes (backtrace_kernel.py)

`recursion.py` is what the recursion uses, `products.py` what single products use. Importing them needs Triton, which comes with PyTorch's
CUDA builds.
"""
