"""The review of a run on a local web page: look at findings and edits, decide, export.

    a run folder  ->  RunContents paged and searched (`run_contents.py`, `edit_list.py`, `index.py`)
    reviewers     ->  Decisions   stored in RUN/review/review.sqlite (`decisions.py`, `database.py`)
    both          ->  chosen()    the final text of every row (`chosen.py`)  ->  a dataset, CSV or JSON (`export.py`)

The files of the run itself are only read: decisions are stored beside them.
"""
