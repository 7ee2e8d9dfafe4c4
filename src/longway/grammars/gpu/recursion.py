"""The whole recursion on a GPU: inside, outside, and trees."""

from longway.grammars.gpu.backtrace_kernel import backtrace
from longway.grammars.gpu.inside import inside
from longway.grammars.gpu.outside import outside

__all__ = ["backtrace", "inside", "outside"]
