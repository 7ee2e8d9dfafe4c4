"""RAZOR's shortcut space: `shortcut.py` scores a corpus; `live_space.py` keeps the scores current while rows are rewritten."""
