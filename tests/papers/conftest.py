"""What the tests of the papers' scripts share."""

from tests.methods.perturb.conftest import bases

__all__ = ["bases"]
