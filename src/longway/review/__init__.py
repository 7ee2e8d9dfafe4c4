"""A run folder on a page of this machine: look at findings and edits, decide, export what was decided.

    a run folder  ->  Book        what it holds, paged and searched (`book.py`, `index.py`)
    a person      ->  Decisions   what was decided, in RUN/review/review.sqlite (`decisions.py`, `database.py`)
    both          ->  chosen()    which text every row ends with (`chosen.py`)  ->  a dataset, CSV or JSON (`export.py`)

The files of the run itself are read and never written: what people decide stands beside them.
"""
