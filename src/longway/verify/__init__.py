"""Verification: does a rewritten text still deserve its label? One check a file, put together in `verifier.py`."""
