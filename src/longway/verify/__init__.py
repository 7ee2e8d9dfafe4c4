"""Verification: does a rewritten text still deserve its label? Checks by what they read, combined in `verifier.py`."""
