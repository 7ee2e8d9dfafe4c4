"""Shards of a job on Ray: embedded on this machine, or on a cluster by its address. Nothing else in the package imports this folder.

    session.py    starts Ray, and stops what it started
    shards.py     applies a function to shards, by `ray.data`

`jobs.run` imports this package by name when `--on` is given. Only this
folder imports Ray.
"""

from longway.on_ray.session import check_place
from longway.on_ray.shards import shards_on_ray

__all__ = ["check_place", "shards_on_ray"]
