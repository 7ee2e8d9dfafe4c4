"""Settings of `longway prove`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from longway.errors import SettingError
from longway.jobs.options import ENGINE, check_options, option
from longway.jobs.perturb.settings import RULES, PerturbSettings

BASELINES = ("eda", "crossaug")
PATTERNS, GRAMMAR = "patterns", "grammar"
BOW, MINILM = "bow", "minilm"
PLAIN = "erm"  # the training method that the others are compared with
FOR_CANDIDATES = (
    "models",
    "seeds",
    "keep",
    "drop_overlap",
    "device",
)  # options of `longway prove` that candidates use, too
NOT_FOR_CANDIDATES = {  # field of ProveSettings: option, and why candidates do not use it
    "methods": ("method", "it changes how classifiers are trained, and rankers have one way of training. Leave it out. To compare several remedies, give their results: --also NAME=FILE."),
    "baselines": ("baseline", "it changes texts at random, which can make a wrong candidate right. Leave it out. If questions were dropped, dropping as many at random is compared anyway."),
    "features": ("features", "it says what training methods know as shortcuts, and rankers have one way of training. Leave it out."),
    "tuning": ("tuning", "it is a setting of a paper about classifiers. Leave it out. For other trainings: --set learning-rate=RATE and --set epochs=N."),
    "fairscore": ("fairscore", "it compares the labels of perturbed texts. Leave it out."),
    "perturber": ("perturber", "it serves --fairscore, which compares the labels of perturbed texts. Leave it out."),
    "save_models": ("save-models", "rankers are trained to be compared, and are not kept. Leave it out."),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProveSettings:
    """What to train, and what to measure.

    model_options: options of the classifiers in Python, such as {"epochs": 5}.
    """

    models: tuple[str, ...] = option(
        (),
        "A model to train: bow, nb, minilm (small encoder, frozen), minilm-lora, minilm-full, cnn, gru, "
        "dan, or hf:NAME with -frozen, -lora or -full, or MODULE:NAME for a model of your own. "
        "Repeatable. Default: bow, and minilm if it is installed.",
        name="model",
        objects=True,
    )
    methods: tuple[str, ...] = option(
        (PLAIN,),
        "A training method: erm (plain), rew, poe, clever, jtt, drift, dro. Repeatable. Plain "
        "training is always included.",
        name="method",
    )
    features: str = option(
        PATTERNS,
        "What rew, poe, drift and dro know as shortcuts: patterns (what an audit finds in the rows), "
        "grammar (rules of a grammar learned from BEFORE), or grammar:FOLDER (of the grammar in a run "
        "folder of `longway grammar`).",
        metavar="SOURCE",
        advanced=True,
    )
    seeds: int = option(3, "Trainings per model, method and version.", at_least=1)
    baselines: tuple[str, ...] = option(
        (),
        "A baseline made from BEFORE, as a further version: eda or crossaug. Repeatable.",
        name="baseline",
        advanced=True,
    )
    keep: tuple[str, ...] = option(
        (),
        "A word or phrase that is real signal, not a shortcut. Training methods do not remove patterns "
        "about it. Repeatable.",
        advanced=True,
    )
    drop_overlap: bool = option(
        False,
        "Leave out test rows that are also in the training data, instead of stopping.",
        flag=True,
        advanced=True,
    )
    fairscore: bool = option(
        False,
        "Also change the gender, race or age of one person in each test row, and count the answers that "
        "change.",
        flag=True,
        advanced=True,
    )
    perturber: str | None = option(
        None,
        "Fairscore: what changes the people: rules (the default), neural:FOLDER_OR_NAME (a trained "
        "network), or a language model: served:MODEL or gguf:FILE.",
        group=ENGINE,
        advanced=True,
    )
    save_models: bool = option(
        False,
        "Keep every trained classifier in the run folder, below models/, for example for `longway "
        "fairness --fairscore`.",
        flag=True,
        advanced=True,
    )
    device: Literal["auto", "cpu", "cuda"] = option(
        "auto", "Where networks are trained: auto, cpu or cuda.", advanced=True
    )
    learning_rate: float | None = option(
        None,
        "Of encoders that are fine-tuned (-lora, -full). Default: 5e-4 with LoRA, 3e-5 otherwise.",
        at_least=0,
        rare=True,
    )
    epochs: int | None = option(
        None,
        "The most epochs of encoders that are fine-tuned. Default: 6 with LoRA, 3 otherwise.",
        at_least=1,
        rare=True,
    )
    tuning: Literal["usual", "grammar-paper"] = option(
        "usual",
        "How encoders are fine-tuned: usual, or grammar-paper (at 1e-5 in batches of 16 for at most 20 "
        "epochs, validated every 4096 steps and after each epoch, until five validations bring nothing, "
        "as Friedman et al. 2022 do it).",
        advanced=True,
    )
    model_options: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        from longway.models.catalog import model_named, names_of
        from longway.models.own_model import OwnModel
        from longway.models.training import method_named
        from longway.text.tokenizer import tokenize

        check_options(self)
        object.__setattr__(self, "models", names_of(self.models) or default_models())
        if not self.methods:
            raise SettingError("'methods' is empty. Leave it out for plain training.")
        for name in self.methods:
            method_named(name)
        self._check_features([name for name in self.methods if method_named(name).knows_shortcuts])
        for name in self.models:
            model = model_named(name, device=self.device)
            if isinstance(model, OwnModel) and not model.trains:
                raise SettingError(
                    f"{name} cannot be trained, and prove trains each model on both versions. Expected a model with fit, or a function that returns one."
                )
        if unknown := [name for name in self.baselines if name not in BASELINES]:
            raise SettingError(f"'baselines' must be some of {', '.join(BASELINES)}. Got {unknown[0]!r}.")
        if len(set(self.baselines)) < len(self.baselines):
            raise SettingError(f"'baselines' has a name twice: {', '.join(self.baselines)}. Give each once.")
        if any(not tokenize(phrase) for phrase in self.keep):
            raise SettingError(
                f"'keep' must be words or phrases. Got {list(self.keep)}. Leave out the empty one."
            )

        if self.perturber is not None and not self.fairscore:
            raise SettingError(
                "'perturber' is what changes people for the fairscore, which is not measured. Add --fairscore, or leave it out."
            )
        self.perturb  # noqa: B018 - raises if there is no such perturber

    def options_of(self, model: str) -> dict[str, Any]:
        """The options of one of the models: how it is fine-tuned, if it is, and `model_options`."""
        from longway.models.catalog import tuning_of

        paper = self.tuning == "grammar-paper"
        tuning = tuning_of(model, paper=paper, learning_rate=self.learning_rate, epochs=self.epochs)
        return {**tuning, **self.model_options}

    def _check_features(self, methods: list[str]) -> None:
        """methods: those that know shortcuts."""
        source, colon, folder = self.features.partition(":")
        if source not in (PATTERNS, GRAMMAR) or (colon and not (folder and source == GRAMMAR)):
            raise SettingError(
                f"'features' must be {PATTERNS}, {GRAMMAR} or {GRAMMAR}:FOLDER. Got {self.features!r}. FOLDER is the run folder of `longway grammar`."
            )
        if self.uses_grammar and not methods:
            raise SettingError(
                f"'features' are what rew, poe, drift and dro know as shortcuts, and the methods are {', '.join(self.methods)}. Add --method drift, "
                "or leave --features out."
            )

    @property
    def uses_grammar(self) -> bool:
        """Whether training methods know the rules of a grammar."""
        return self.features != PATTERNS

    @property
    def grammar_folder(self) -> Path | None:
        """The folder of the given grammar; None if one is to be learned."""
        _, _, folder = self.features.partition(":")
        return Path(folder) if folder else None

    @property
    def perturb(self) -> PerturbSettings:
        """How people are changed for the fairscore: as by `longway perturb`, by this perturber."""
        return PerturbSettings(engine=self.perturber or RULES)

    @property
    def all_methods(self) -> tuple[str, ...]:
        """The methods, plain training first: the others are compared with it."""
        return tuple(dict.fromkeys((PLAIN, *self.methods)))


def default_models() -> tuple[str, ...]:
    """The models to train by default: a bag of words, and the small encoder if it is installed."""
    from longway.models import minilm

    return ("bow", "minilm") if minilm.is_installed() else ("bow",)


def check_ranker(name: str) -> None:
    """SettingError if there is no such ranker; MissingExtra if a package for it is missing."""
    from longway.models.catalog import check_named
    from longway.models.minilm import model_folder

    if name == MINILM:
        model_folder()
    elif name != BOW:
        ranker_parts(name)
        check_named(name)


def ranker_parts(name: str) -> tuple[str, str]:
    """The encoder and its tuning."""
    base, _, tuning = name.removeprefix("hf:").rpartition("-")
    if base and tuning in ("lora", "full") and (name.startswith("hf:") or base == MINILM):
        return base, tuning
    raise SettingError(
        f"'model' must be {BOW}, {MINILM}, {MINILM}-lora, {MINILM}-full, hf:NAME-lora or hf:NAME-full for data with candidates. Got {name!r}."
    )


@dataclass(frozen=True, slots=True)
class ChoiceProveSettings:
    """What to train, and how often."""

    models: tuple[str, ...] = option(
        (),
        "A ranker to train: bow (surface and words), minilm (sentence encoder, frozen), minilm-lora, "
        "minilm-full, or hf:NAME with -lora or -full. Repeatable. Default: bow, and minilm if it is "
        "installed.",
        name="model",
    )
    seeds: int = option(3, "Trainings per model and version, each with other questions held out.", at_least=1)
    keep: tuple[str, ...] = option(
        (),
        "A pattern that is real signal, not a shortcut, as `longway audit` prints it. Test questions are "
        "not grouped by it. Repeatable.",
        advanced=True,
    )
    drop_overlap: bool = option(
        False, "Leave out test questions that are also in the training data, instead of stopping.", flag=True
    )
    max_q: float = option(
        0.05,
        "False discovery rate of the cues that test questions are grouped by.",
        above=0,
        at_most=1,
        advanced=True,
    )
    device: Literal["auto", "cpu", "cuda"] = option(
        "auto", "Where networks are trained: auto, cpu or cuda.", advanced=True
    )
    learning_rate: float | None = option(
        None,
        "Of encoders that are fine-tuned (-lora, -full). Default: 5e-4 with LoRA, 3e-5 otherwise.",
        at_least=0,
        advanced=True,
    )
    epochs: int | None = option(
        None,
        "The most epochs of encoders that are fine-tuned. Default: 6 with LoRA, 3 otherwise.",
        at_least=1,
        advanced=True,
    )

    def __post_init__(self) -> None:
        check_options(self)
        object.__setattr__(self, "models", tuple(dict.fromkeys(self.models)) or default_models())
        for name in self.models:
            check_ranker(name)

    @classmethod
    def of(cls, given: ProveSettings) -> ChoiceProveSettings:
        """The settings of `longway prove` that apply; SettingError if one was given that does not."""
        usual = ProveSettings()
        for name, (typed, reason) in NOT_FOR_CANDIDATES.items():
            if getattr(given, name) != getattr(usual, name):
                raise SettingError(f"--{typed} does not apply to data with candidates: {reason}")
        return cls(**{name: getattr(given, name) for name in FOR_CANDIDATES})
