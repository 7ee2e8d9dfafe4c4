"""Reading and writing labelled text datasets.

    load(path, frame, rows ...)  ->  Dataset: columns, labels, problems, batches()  ->  save(dataset or frame, path)

Files are read by formats.py (csv_file.py, json_file.py, arrow_file.py), found by shards.py, and turned into batches by
columns.py (which column is the text?) and batches.py. Published fairness benchmarks are read by benchmarks/.
"""

from longway.data.batches import Batch
from longway.data.columns import Columns
from longway.data.dataset import Dataset
from longway.data.loading import as_dataset, load, save

__all__ = ["Batch", "Columns", "Dataset", "as_dataset", "load", "save"]
