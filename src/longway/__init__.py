"""Longway finds the shortcuts in a labelled text dataset; rewriting them away comes next.

    import longway as lw

    ds = lw.load("claims.csv")
    found = lw.audit(ds)
    found.findings[0].pattern

Names are loaded when they are first used, so `import longway` itself costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from longway.data import Dataset, load, save
    from longway.errors import (
        ColumnError,
        DataError,
        LongwayError,
        MissingExtra,
        RunError,
        SettingError,
    )
    from longway.live_space import LiveSpace
    from longway.recipes.audit import Audit, AuditSettings, audit
    from longway.recipes.run_audit import run_audit
    from longway.records import Example, Finding, Leak, Problem, Telling
    from longway.report import write_report
    from longway.sample import sample_path
    from longway.shortcut_space import ShortcutSpace

_HOME = {
    "longway.data": ("Dataset", "load", "save"),
    "longway.errors": (
        "ColumnError",
        "DataError",
        "LongwayError",
        "MissingExtra",
        "RunError",
        "SettingError",
    ),
    "longway.live_space": ("LiveSpace",),
    "longway.recipes.audit": ("Audit", "AuditSettings", "audit"),
    "longway.recipes.run_audit": ("run_audit",),
    "longway.records": ("Example", "Finding", "Leak", "Problem", "Telling"),
    "longway.report": ("write_report",),
    "longway.sample": ("sample_path",),
    "longway.shortcut_space": ("ShortcutSpace",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "Audit",
    "AuditSettings",
    "ColumnError",
    "DataError",
    "Dataset",
    "Example",
    "Finding",
    "Leak",
    "LiveSpace",
    "LongwayError",
    "MissingExtra",
    "Problem",
    "RunError",
    "SettingError",
    "ShortcutSpace",
    "Telling",
    "audit",
    "load",
    "run_audit",
    "sample_path",
    "save",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'longway' has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
