"""Engines that write and judge text, behind one contract (`engine.py`); use them through `asker.py`."""
