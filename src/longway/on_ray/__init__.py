"""Jobs on Ray: embedded on this machine, or on a cluster by its address. Nothing else in the package imports this folder.

    session.py        starts Ray, and stops what it started
    pieces.py         what the workers keep, what is done with it, and files that they write
    ray_reading.py    a dataset read and counted by Ray's workers: a `detect.reading.Reading`
    ray_engine.py     an engine whose calls are answered by actors

`jobs.placement` imports this package by name when `--on` is given; `jobs.placement.RayBackend` lists what it uses. Only this folder imports
Ray. What is counted is defined by functions of `detect`, which are the same on Ray and without it; Ray Data moves them to
the rows. So the result is that of a local run, finding for finding.
"""

from longway.on_ray.pieces import write_shards
from longway.on_ray.ray_engine import engines_on_ray
from longway.on_ray.ray_reading import parts_of, parts_read, reader_on_ray
from longway.on_ray.session import check_place

__all__ = ["check_place", "engines_on_ray", "parts_of", "parts_read", "reader_on_ray", "write_shards"]
