"""Longway finds the shortcuts in a labelled text dataset and rewrites them away, and proves what that changed.

    import longway as lw

    ds = lw.load("claims.csv")
    found = lw.audit(ds)
    found.findings[0].pattern
    run, result = lw.run_rewrite(ds)

Names are loaded when they are first used, so `import longway` itself costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from longway.data import Dataset, load, save
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
    from longway.live_space import LiveSpace
    from longway.llm.engines import engine_named
    from longway.recipes.audit import Audit, AuditSettings, audit
    from longway.recipes.augment import AugmentSettings
    from longway.recipes.augmentation import Augmentation, augment
    from longway.recipes.engine_runs import Engines
    from longway.recipes.explain import explain
    from longway.recipes.explanation import ExplainSettings, Explanation
    from longway.recipes.fairness import FairnessSettings
    from longway.recipes.grammar import Induced, induce_grammar
    from longway.recipes.grammar_settings import GrammarSettings
    from longway.recipes.perturb_settings import PerturbSettings
    from longway.recipes.perturbation import Perturbation, perturb
    from longway.recipes.prove import ProveSettings
    from longway.recipes.rewrite import RewriteSettings
    from longway.recipes.run_audit import run_audit
    from longway.recipes.run_augment import run_augment
    from longway.recipes.run_explain import run_explain
    from longway.recipes.run_fairness import run_fairness
    from longway.recipes.run_grammar import run_grammar
    from longway.recipes.run_perturb import run_perturb
    from longway.recipes.run_prove import run_prove
    from longway.recipes.run_rewrite import run_rewrite
    from longway.records import Edit, Example, Finding, Leak, Problem, Telling, Verdict
    from longway.report import write_report
    from longway.review.decided import decisions_of
    from longway.sample import sample_path
    from longway.shortcut_space import ShortcutSpace
    from longway.text.agreement import change_pronouns
    from longway.text.chains import chains, unresolved
    from longway.text.changes import Change, apply_changes
    from longway.text.document import Document, Word
    from longway.text.english import english
    from longway.text.pronouns import singular_they
    from longway.text.replacements import antonyms, hypernyms, synonyms, with_article

_HOME = {
    "longway.data": ("Dataset", "load", "save"),
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
    "longway.live_space": ("LiveSpace",),
    "longway.llm.engines": ("engine_named",),
    "longway.recipes.audit": ("Audit", "AuditSettings", "audit"),
    "longway.recipes.augment": ("AugmentSettings",),
    "longway.recipes.augmentation": ("Augmentation", "augment"),
    "longway.recipes.engine_runs": ("Engines",),
    "longway.recipes.explain": ("explain",),
    "longway.recipes.explanation": ("ExplainSettings", "Explanation"),
    "longway.recipes.fairness": ("FairnessSettings",),
    "longway.recipes.grammar": ("Induced", "induce_grammar"),
    "longway.recipes.grammar_settings": ("GrammarSettings",),
    "longway.recipes.perturb_settings": ("PerturbSettings",),
    "longway.recipes.perturbation": ("Perturbation", "perturb"),
    "longway.recipes.prove": ("ProveSettings",),
    "longway.recipes.rewrite": ("RewriteSettings",),
    "longway.recipes.run_audit": ("run_audit",),
    "longway.recipes.run_augment": ("run_augment",),
    "longway.recipes.run_prove": ("run_prove",),
    "longway.recipes.run_explain": ("run_explain",),
    "longway.recipes.run_fairness": ("run_fairness",),
    "longway.recipes.run_grammar": ("run_grammar",),
    "longway.recipes.run_perturb": ("run_perturb",),
    "longway.recipes.run_rewrite": ("run_rewrite",),
    "longway.records": ("Edit", "Example", "Finding", "Leak", "Problem", "Telling", "Verdict"),
    "longway.report": ("write_report",),
    "longway.review.decided": ("decisions_of",),
    "longway.sample": ("sample_path",),
    "longway.shortcut_space": ("ShortcutSpace",),
    "longway.text.agreement": ("change_pronouns",),
    "longway.text.chains": ("chains", "unresolved"),
    "longway.text.changes": ("Change", "apply_changes"),
    "longway.text.document": ("Document", "Word"),
    "longway.text.english": ("english",),
    "longway.text.pronouns": ("singular_they",),
    "longway.text.replacements": ("antonyms", "hypernyms", "synonyms", "with_article"),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "Audit",
    "AuditSettings",
    "AugmentSettings",
    "Augmentation",
    "BudgetSpent",
    "Change",
    "ColumnError",
    "DataError",
    "Dataset",
    "Document",
    "Edit",
    "EngineError",
    "Engines",
    "Example",
    "ExplainSettings",
    "Explanation",
    "FairnessSettings",
    "Finding",
    "GrammarSettings",
    "Induced",
    "Leak",
    "LiveSpace",
    "LongwayError",
    "MissingExtra",
    "PerturbSettings",
    "Perturbation",
    "Problem",
    "ProveSettings",
    "RewriteSettings",
    "RunError",
    "SettingError",
    "ShortcutSpace",
    "Telling",
    "TrainingError",
    "Verdict",
    "Word",
    "antonyms",
    "apply_changes",
    "audit",
    "augment",
    "chains",
    "change_pronouns",
    "decisions_of",
    "engine_named",
    "english",
    "explain",
    "hypernyms",
    "induce_grammar",
    "load",
    "perturb",
    "run_audit",
    "run_augment",
    "run_explain",
    "run_fairness",
    "run_grammar",
    "run_perturb",
    "run_prove",
    "run_rewrite",
    "sample_path",
    "save",
    "singular_they",
    "synonyms",
    "unresolved",
    "with_article",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'longway' has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
