"""Longway finds the shortcuts in a labelled text dataset and rewrites them away, and proves what that changed.

    import longway as lw

    ds = lw.load("claims.csv")
    found = lw.audit(ds)
    found.findings[0].pattern
    lw.rewrite(ds).data

Names are loaded when they are first used, so `import longway` itself costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from longway.data import Dataset, load, save
    from longway.data.choices import ChoiceDataset, load_choices
    from longway.engines.registry import engine_named
    from longway.errors import (
        BudgetSpent,
        ColumnError,
        DataError,
        EngineError,
        LongwayError,
        MissingExtra,
        RunError,
        SettingError,
        TrainingError,
    )
    from longway.jobs.audit.job import audit
    from longway.jobs.audit.result import AuditResult
    from longway.jobs.audit.settings import AuditSettings, ChoiceAuditSettings
    from longway.jobs.audit.several import AuditLabelsResult, audit_labels
    from longway.jobs.augment.job import augment
    from longway.jobs.augment.result import AugmentResult
    from longway.jobs.augment.settings import AugmentSettings
    from longway.jobs.choices.audit.job import audit_choices
    from longway.jobs.choices.audit.result import ChoiceAuditResult
    from longway.jobs.choices.prove.job import prove_choices
    from longway.jobs.choices.prove.result import ChoiceProveResult
    from longway.jobs.choices.repair.job import repair_choices
    from longway.jobs.choices.repair.result import ChoiceRepairResult
    from longway.jobs.engine_use import Engines
    from longway.jobs.explain.job import explain
    from longway.jobs.explain.result import ExplainResult
    from longway.jobs.explain.settings import ExplainSettings
    from longway.jobs.fairness.job import fairness
    from longway.jobs.fairness.result import FairnessResult
    from longway.jobs.fairness.settings import FairnessSettings
    from longway.jobs.grammar.job import grammar
    from longway.jobs.grammar.result import GrammarResult
    from longway.jobs.grammar.settings import GrammarSettings
    from longway.jobs.perturb.job import perturb
    from longway.jobs.perturb.pairs import check_pairs, perturb_pairs
    from longway.jobs.perturb.result import PairsCheck, PairsResult, PerturbResult
    from longway.jobs.perturb.settings import PairSettings, PerturbSettings
    from longway.jobs.plant.job import Plant, PlantedData, plant_shortcuts
    from longway.jobs.prove.job import prove
    from longway.jobs.prove.result import ProveResult
    from longway.jobs.prove.settings import ChoiceProveSettings, ProveSettings
    from longway.jobs.repair.job import repair
    from longway.jobs.repair.result import RepairResult
    from longway.jobs.repair.settings import ChoiceRepairSettings, RepairSettings
    from longway.jobs.rewrite.job import rewrite
    from longway.jobs.rewrite.result import RewriteResult
    from longway.jobs.rewrite.settings import RewriteSettings
    from longway.jobs.run import Watcher
    from longway.records import Edit, Example, Finding, Leak, Problem, Telling, Verdict
    from longway.review.export import decisions_of
    from longway.sample import sample_path
    from longway.space.live_space import LiveSpace
    from longway.space.shortcut import ShortcutSpace

_HOME = {
    "longway.data": ("Dataset", "load", "save"),
    "longway.data.choices": ("ChoiceDataset", "load_choices"),
    "longway.errors": (
        "BudgetSpent",
        "ColumnError",
        "DataError",
        "EngineError",
        "LongwayError",
        "MissingExtra",
        "RunError",
        "SettingError",
        "TrainingError",
    ),
    "longway.space.live_space": ("LiveSpace",),
    "longway.engines.registry": ("engine_named",),
    "longway.jobs.audit.job": ("audit",),
    "longway.jobs.audit.page": ("AuditResult",),
    "longway.jobs.audit.settings": ("AuditSettings", "ChoiceAuditSettings"),
    "longway.jobs.audit.several": ("AuditLabelsResult", "audit_labels"),
    "longway.jobs.augment.job": ("augment",),
    "longway.jobs.augment.page": ("AugmentResult",),
    "longway.jobs.augment.settings": ("AugmentSettings",),
    "longway.jobs.choices.audit.job": ("audit_choices",),
    "longway.jobs.choices.audit.page": ("ChoiceAuditResult",),
    "longway.jobs.choices.prove.job": ("prove_choices",),
    "longway.jobs.choices.prove.page": ("ChoiceProveResult",),
    "longway.jobs.choices.repair.job": ("repair_choices",),
    "longway.jobs.choices.repair.page": ("ChoiceRepairResult",),
    "longway.jobs.engine_use": ("Engines",),
    "longway.jobs.explain.job": ("explain",),
    "longway.jobs.explain.page": ("ExplainResult",),
    "longway.jobs.explain.settings": ("ExplainSettings",),
    "longway.jobs.fairness.job": ("fairness",),
    "longway.jobs.fairness.page": ("FairnessResult",),
    "longway.jobs.fairness.settings": ("FairnessSettings",),
    "longway.jobs.grammar.job": ("grammar",),
    "longway.jobs.grammar.page": ("GrammarResult",),
    "longway.jobs.grammar.settings": ("GrammarSettings",),
    "longway.jobs.perturb.job": ("perturb",),
    "longway.jobs.perturb.pairs": ("check_pairs", "perturb_pairs"),
    "longway.jobs.perturb.page": ("PairsCheck", "PairsResult", "PerturbResult"),
    "longway.jobs.perturb.settings": ("PairSettings", "PerturbSettings"),
    "longway.jobs.plant.job": ("Plant", "PlantedData", "plant_shortcuts"),
    "longway.jobs.prove.job": ("prove",),
    "longway.jobs.prove.page": ("ProveResult",),
    "longway.jobs.prove.settings": ("ProveSettings", "ChoiceProveSettings"),
    "longway.jobs.repair.job": ("repair",),
    "longway.jobs.repair.page": ("RepairResult",),
    "longway.jobs.repair.settings": ("RepairSettings", "ChoiceRepairSettings"),
    "longway.jobs.rewrite.job": ("rewrite",),
    "longway.jobs.rewrite.page": ("RewriteResult",),
    "longway.jobs.rewrite.settings": ("RewriteSettings",),
    "longway.jobs.run": ("Watcher",),
    "longway.records": ("Edit", "Example", "Finding", "Leak", "Problem", "Telling", "Verdict"),
    "longway.review.export": ("decisions_of",),
    "longway.sample": ("sample_path",),
    "longway.space.shortcut": ("ShortcutSpace",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "AuditLabelsResult",
    "AuditResult",
    "AuditSettings",
    "AugmentResult",
    "AugmentSettings",
    "BudgetSpent",
    "ChoiceAuditResult",
    "ChoiceAuditSettings",
    "ChoiceDataset",
    "ChoiceProveResult",
    "ChoiceProveSettings",
    "ChoiceRepairResult",
    "ChoiceRepairSettings",
    "ColumnError",
    "DataError",
    "Dataset",
    "Edit",
    "EngineError",
    "Engines",
    "Example",
    "ExplainResult",
    "ExplainSettings",
    "FairnessResult",
    "FairnessSettings",
    "Finding",
    "GrammarResult",
    "GrammarSettings",
    "Leak",
    "LiveSpace",
    "LongwayError",
    "MissingExtra",
    "PairSettings",
    "PairsCheck",
    "PairsResult",
    "PerturbResult",
    "PerturbSettings",
    "Plant",
    "PlantedData",
    "Problem",
    "ProveResult",
    "ProveSettings",
    "RepairResult",
    "RepairSettings",
    "RewriteResult",
    "RewriteSettings",
    "RunError",
    "SettingError",
    "ShortcutSpace",
    "Telling",
    "TrainingError",
    "Verdict",
    "Watcher",
    "audit",
    "audit_choices",
    "audit_labels",
    "augment",
    "check_pairs",
    "decisions_of",
    "engine_named",
    "explain",
    "fairness",
    "grammar",
    "load",
    "load_choices",
    "perturb",
    "perturb_pairs",
    "plant_shortcuts",
    "prove",
    "prove_choices",
    "repair",
    "repair_choices",
    "rewrite",
    "sample_path",
    "save",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'longway' has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
