"""A watcher that calls given functions: `watching(step=steps.append)`."""

from longway.jobs.run import Watcher


def watching(**functions):
    """A watcher whose methods of these names are the given functions."""
    watcher = Watcher()
    for name, function in functions.items():
        assert hasattr(Watcher, name), name
        setattr(watcher, name, function)
    return watcher
