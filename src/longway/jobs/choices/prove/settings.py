"""Settings of a proof with candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from longway.errors import SettingError
from longway.jobs.options import check_options, option
from longway.jobs.prove.settings import ProveSettings, default_models

USED = (
    "models",
    "seeds",
    "keep",
    "drop_overlap",
    "device",
)  # options of `longway prove` that candidates use, too
UNUSED = {  # field of ProveSettings: option, and why candidates do not use it
    "methods": ("method", "it changes how classifiers are trained, and rankers have one way of training. Leave it out. To compare several remedies, give their results: --also NAME=FILE."),
    "baselines": ("baseline", "it changes texts at random, which can make a wrong candidate right. Leave it out. If questions were dropped, dropping as many at random is compared anyway."),
    "features": ("features", "it says what training methods know as shortcuts, and rankers have one way of training. Leave it out."),
    "tuning": ("tuning", "it is a setting of a paper about classifiers. Leave it out. For other trainings: --set learning-rate=RATE and --set epochs=N."),
    "fairscore": ("fairscore", "it compares the labels of perturbed texts. Leave it out."),
    "perturber": ("perturber", "it serves --fairscore, which compares the labels of perturbed texts. Leave it out."),
    "save_models": ("save-models", "rankers are trained to be compared, and are not kept. Leave it out."),
}  # fmt: skip


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
        from longway.jobs.choices.prove.models import check_model

        check_options(self)
        object.__setattr__(self, "models", tuple(dict.fromkeys(self.models)) or default_models())
        for name in self.models:
            check_model(name)

    @classmethod
    def of(cls, given: ProveSettings) -> ChoiceProveSettings:
        """The settings of `longway prove` that apply; SettingError if one was given that does not."""
        usual = ProveSettings()
        for name, (typed, reason) in UNUSED.items():
            if getattr(given, name) != getattr(usual, name):
                raise SettingError(f"--{typed} does not apply to data with candidates: {reason}")
        return cls(**{name: getattr(given, name) for name in USED})
