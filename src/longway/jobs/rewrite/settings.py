"""Settings of `longway rewrite`, and the decisions of a review that a rewrite follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Literal

from longway.errors import SettingError
from longway.jobs.options import ENGINE, check_options, fill_in, option
from longway.json_values import FLAT, IF_ANY, JsonRecord
from longway.records import Pattern

# The names of `methods`, repeated here so that `--help` need not import them.
Method = Literal["razor", "eda", "crossaug", "none"]
Choose = Literal["gamma", "leak"]
Stop = Literal["cosine", "kl", "leak", "never"]
Balance = Literal["none", "equal", "alternate"]
Space = Literal["mean", "token", "embedding"]


@dataclass(frozen=True, slots=True)
class MarkedFinding(JsonRecord):
    """A finding that a person marked in a review. why: why a rewrite could not use it, "" if it could."""

    pattern: Pattern = field(metadata=FLAT)
    label: str = ""
    why: str = field(default="", metadata=IF_ANY)


@dataclass(frozen=True, slots=True)
class Decisions:
    """What people decided in the review of a run.

    source: the run's name. signal, shortcuts: findings marked as such. rejected: `decisions.fingerprint` of every rejected edit.
    """

    source: str
    signal: tuple[MarkedFinding, ...] = ()
    shortcuts: tuple[MarkedFinding, ...] = ()
    rejected: frozenset[str] = field(default_factory=frozenset)

    def to_dict(self) -> dict[str, object]:
        """The decisions as the settings of a run record them; rejected texts by their number and one fingerprint."""
        digest = blake2b(digest_size=16)
        for one in sorted(self.rejected):
            digest.update(one.encode())
        return {
            "source": self.source,
            "signal": [one.to_dict() for one in self.signal],
            "shortcuts": [one.to_dict() for one in self.shortcuts],
            "rejected": len(self.rejected),
            "rejected_fingerprint": digest.hexdigest(),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Decisions:
        """The decisions that the settings of a run record, without the rejected texts."""
        signal, shortcuts = (
            tuple(map(MarkedFinding.from_dict, content[name])) for name in ("signal", "shortcuts")
        )
        return cls(content["source"], signal, shortcuts)


def share_of(text: str) -> int | float:
    """A number of rows, or a share of them.

    >>> share_of("500"), share_of("0.1"), share_of("10%")
    (500, 0.1, 0.1)
    """
    try:
        if text.endswith("%"):
            return float(text[:-1]) / 100
        return float(text) if "." in text else int(text)
    except ValueError:
        raise SettingError(
            f"'k' must be a number of texts or a share of them. Got {text!r}. Try 500, 0.1 or 10%."
        ) from None


@dataclass(frozen=True, slots=True)
class RewriteSettings:
    """How texts are rewritten.

    only_better: replace a text only if the new one scores lower; always so with choose "leak".
    per_row: how often a row may be replaced; None for any number, or twice with choose "leak".
    decisions: of the review of a run on the same data (`longway.decisions_of`).
    """

    method: Method = option(
        "razor", "razor; eda and crossaug are baselines; none changes nothing, as a control."
    )
    engine: str = option(
        "auto",
        "Writes the texts: rules (no model, English only), gguf:FILE (a model file of yours), "
        "served:MODEL (any OpenAI-compatible server), rules,served:MODEL (the model if no rule applies), "
        "replay:FILE, or auto (served if you named a model or server for "
        "Longway, else rules). `longway doctor` lists those that work here.",
        group=ENGINE,
    )
    judge: str = option(
        "auto",
        "Checks that the label still holds: an engine, none, or auto (the writer, in a separate "
        "conversation).",
        group=ENGINE,
        advanced=True,
    )
    paper: bool = option(
        False, "RAZOR as published: the options that are not given get the paper's values.", flag=True
    )
    choose: Choose = option(
        "leak",
        "What chooses the texts to rewrite and the candidate to take. leak: what a model that sees only "
        "the surface could use; gamma: RAZOR as published.",
        paper="gamma",
    )
    k: int | float = option(
        0.25,
        "Texts rewritten in each round: a number, or a share such as 0.1 or 10%.",
        paper=0.1,
        parse=share_of,
        metavar="NUMBER",
        advanced=True,
    )
    candidates: int = option(12, "Candidates for each text.", paper=4, at_least=1, advanced=True)
    rounds: int = option(9, "The most rounds.", paper=10, at_least=1)
    patience: int = option(2, "Rounds without a gain before it stops.", paper=1, at_least=1, rare=True)
    stop: Stop = option(
        "leak",
        "The figure that must improve. leak: the accuracy of a bag of words; cosine: equation 14; kl: the"
        " divergence of Algorithm 1; never: stop after all rounds, or if the leak is at chance.",
        paper="cosine",
        advanced=True,
    )
    balance: Balance = option("none", "Labels taken in each round: none, equal or alternate.", advanced=True)
    space: Space = option(
        "mean",
        "Space in which texts are compared: mean, token, or embedding (the paper's ablation).",
        advanced=True,
    )
    dimensions: int = option(
        64,
        "Dimensions of the code of positions in the spaces mean and token: lambda of equation 9. The "
        "paper does not say how many.",
        at_least=2,
        at_most=4096,
        rare=True,
    )
    only_better: bool = False
    per_row: int | None = None
    keep: tuple[str, ...] = option(
        (), "A word or phrase that is real signal, not a shortcut. Repeatable; not for --choose gamma."
    )
    describe: tuple[str, ...] = option(
        (),
        'What a label means, for a language model: LABEL="...", for labels such as 0 and 1. Repeatable.',
        group=ENGINE,
        metavar="LABEL=TEXT",
        advanced=True,
    )
    checks: str = option(
        "all",
        "Checks that a new text must pass: all, or some of them, such as judge,negation. Names and error "
        "rates: docs/rewriting.md.",
        paper="judge",
        advanced=True,
    )
    decisions: Decisions | None = None
    temperature: float = option(
        0.7, "Sampling temperature of the engine.", group=ENGINE, at_least=0, rare=True
    )
    top_p: float = option(
        0.9, "Nucleus sampling of the engine.", group=ENGINE, at_least=0, at_most=1, rare=True
    )
    seed: int = option(0, "Seed of everything random.", at_least=0, at_most=2**32 - 1, advanced=True)

    def __post_init__(self) -> None:
        fill_in(self)
        check_options(self)
        if not (self.k >= 1 if isinstance(self.k, int) else 0 < self.k <= 1):
            raise SettingError(
                f"'k' must be a number of rows from 1, or a share above 0 and up to 1.0. Got {self.k}. Try 0.1."
            )
        if self.keep and self.choose != "leak":
            raise SettingError(
                f"'keep' is for the choice by 'leak': gamma looks at no single words. Got choose {self.choose!r}. "
                "Leave out --paper or --choose gamma, or leave out --keep."
            )
        if self.checks != "all":
            from longway.verify.verifier import names_of

            names_of(self.checks)
        if any(not phrase.strip() for phrase in self.keep):
            raise SettingError(
                f"'keep' must be words or phrases. Got {list(self.keep)}. Leave out the empty one."
            )

    @property
    def needs_engine(self) -> bool:
        """Whether an engine writes texts; the baselines need no engine and no checks, as published."""
        return self.method == "razor"
