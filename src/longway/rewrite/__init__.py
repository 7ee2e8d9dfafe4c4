"""Rewriting methods, one a file: RAZOR, EDA, CrossAug, and one that does nothing, as control."""
