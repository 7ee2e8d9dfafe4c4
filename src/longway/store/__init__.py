"""What a job leaves on disk: its run folder (`run.py`), whole files (`files.py`), the journal of calls (`journal.py`).

One process at a time writes to a folder (`hold.py`).
"""

from longway.store.files import RUN_FILE, read_json, replacing, sizes_in, write_json
from longway.store.hold import holding
from longway.store.journal import JOURNAL_FILE, Journal
from longway.store.run import Run, free_folder, list_runs, now

__all__ = [
    "JOURNAL_FILE",
    "RUN_FILE",
    "Journal",
    "Run",
    "free_folder",
    "holding",
    "list_runs",
    "now",
    "read_json",
    "replacing",
    "sizes_in",
    "write_json",
]
