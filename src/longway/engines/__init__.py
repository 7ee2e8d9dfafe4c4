"""Engines that write and judge text, behind one protocol (`engine.py`); ask them through `asking.py`."""
