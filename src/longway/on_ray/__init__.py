"""The same recipes on Ray: embedded on this machine, or on a cluster by its address.

    session.py    opens Ray, and closes what it opened
    pieces.py     what the workers keep, and what is done with it; from inside the cluster, or through an actor from outside
    shards.py     files that the workers write
    reading.py    a dataset read and counted where Ray's workers are: answers to all that `detect.reading.Reading` answers to
    engine.py     an engine whose calls are answered by actors

Only this folder imports Ray, and only when it is asked for. What is counted is told by `detect`, in functions that are the same here
and there; Ray Data moves them to the rows. So the result is that of a local run, finding for finding.
"""
