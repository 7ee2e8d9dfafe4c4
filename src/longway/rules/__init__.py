"""Rewriting rules: each file a family of ways to put a sentence differently without a model."""
