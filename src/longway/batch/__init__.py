"""Rewrites by batch files of a provider. Nothing but `cli` imports this folder.

rewrite_batch.py    writes, submits and collects the batches of a rewrite
request_files.py    the files of requests in a run folder
provider.py         a server that supports batches
answer_files.py     reads answers into the journal
"""
