"""Evaluation: whether a comparison is a fair one."""
