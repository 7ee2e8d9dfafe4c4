"""What a job writes to disk: its run folder (`run_store.py`), atomic files (`atomic.py`), the journal of calls (`journal.py`).

One process at a time writes to a folder (`holding`).
"""

from longway.store.atomic import RUN_FILE, read_json, replacing, sizes_in, write_json
from longway.store.journal import CHECKED, JOURNAL_FILE, WORDS, CallTotals, Journal, JournalEntry
from longway.store.run_store import DROPPED, Run, free_folder, holding, list_runs, now

__all__ = [
    "CHECKED",
    "DROPPED",
    "JOURNAL_FILE",
    "RUN_FILE",
    "WORDS",
    "CallTotals",
    "Journal",
    "JournalEntry",
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
