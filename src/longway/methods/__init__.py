"""Published methods that change or add texts, the remedies of a repair, and the loop under all of them (`loop.py`)."""
