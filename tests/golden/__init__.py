"""Golden recordings: what every command writes, before and after a change of the code.

    python tests/golden/record.py --out /tmp/golden/after             about six minutes of processor time
    python tests/golden/record.py --out /tmp/golden/after --only reviews-rewrite-leak
    python tests/golden/compare.py /tmp/golden/before /tmp/golden/after

`--digest FILE` also writes hashes of rows and edits, and figures, without any text; `compare.py` reads such files as well.
Where public datasets lie beside the repository, 300 rows of each are recorded too (`real_data.py`).

`record.py` runs the commands of the `longway` that Python imports; set PYTHONPATH to record another checkout:

    PYTHONPATH=../old-checkout/src python tests/golden/record.py --out /tmp/golden/before

`compare.py` exits with 1 if data differs. Its tables at the top list what it ignores and what it takes for wording.
A recording holds texts of the built-in samples only, and belongs outside of the repository.
"""
