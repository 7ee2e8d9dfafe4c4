"""Evaluation: whether a comparison is a fair one, and what models answer to the benchmarks about people."""
