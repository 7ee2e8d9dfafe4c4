"""Reading and writing labelled text datasets.

    load(path, frame, rows ...)  ->  Dataset: columns, labels, problems, batches()  ->  save(dataset or frame, path)

Files are read by formats.py (csv_file.py, json_file.py, arrow_file.py, excel_file.py; text in any encoding by encoding.py), found by
shards.py, and turned into batches by columns.py (which column is the text?) and dataset.py. csv_raw.py writes a CSV file as it was
read. Published fairness benchmarks are read by benchmarks.py.
"""

from longway.data.columns import Columns
from longway.data.dataset import Batch, Dataset
from longway.data.loading import as_dataset, load, save, with_columns

__all__ = ["Batch", "Columns", "Dataset", "as_dataset", "load", "save", "with_columns"]
