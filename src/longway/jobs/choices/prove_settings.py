"""Settings of a proof with candidates."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class ChoiceProveSettings:
    """What to train, and how often.

    models: A ranker to train: bow (surface and words), minilm (sentence encoder, frozen), minilm-lora, minilm-full, or hf:NAME with -lora
        or -full. Repeatable. Default: bow, and minilm if it is installed.
    seeds: Trainings per model and version, each with other questions held out.
    keep: A pattern that is real signal, not a shortcut, as `longway audit` prints it. Test questions are not grouped by it. Repeatable.
    drop_overlap: Leave out test questions that are also in the training data, instead of stopping.
    max_q: False discovery rate of the cues that test questions are grouped by.
    device: Where networks are trained: auto, cpu or cuda.
    """

    models: tuple[str, ...] = option((), name="model")
    seeds: int = option(3, at_least=1)
    keep: tuple[str, ...] = option((), advanced=True)
    drop_overlap: bool = option(False, flag=True)
    max_q: float = option(0.05, advanced=True)
    device: str = option("auto", advanced=True)

    def __post_init__(self) -> None:
        from longway.jobs.choices.prove_models import check_model

        object.__setattr__(self, "models", tuple(dict.fromkeys(self.models)) or default_models())
        check_options(self)
        if not 0 < self.max_q <= 1:
            raise SettingError(f"'max_q' must be between 0 and 1. Got {self.max_q}. The usual value is 0.05.")
        for name in self.models:
            check_model(name)

    @classmethod
    def of(cls, given: ProveSettings) -> ChoiceProveSettings:
        """The settings of `longway prove` that apply; SettingError if one was given that does not."""
        usual = ProveSettings()
        others = ("methods", "baselines", "fairscore", "save_models", "terms")
        if unused := [name for name in others if getattr(given, name) != getattr(usual, name)]:
            raise SettingError(
                f"'{unused[0]}' applies to labelled texts, and these data have candidates. Leave it out. The options here are {', '.join(USED)}."
            )
        return cls(**{name: getattr(given, name) for name in USED})
