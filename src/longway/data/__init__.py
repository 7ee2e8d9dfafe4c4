"""Reading and writing labelled text datasets.

load(path or frame)  ->  Dataset: columns, labels, problems, batches()  ->  save(dataset or frame, path)
"""

from longway.data.batches import Batch
from longway.data.columns import Columns
from longway.data.dataset import Dataset
from longway.data.loading import load
from longway.data.saving import save

__all__ = ["Batch", "Columns", "Dataset", "load", "save"]
