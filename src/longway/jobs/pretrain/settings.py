"""Settings of `longway perturb pretrain`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from longway.english.people.demographics import AXES
from longway.errors import SettingError
from longway.jobs.fairness.settings import FairnessSettings
from longway.jobs.options import DATA, ENGINE, check_options, option
from longway.jobs.perturb.settings import NEURAL, RULES, PerturbSettings

MEASURED = ("crows_pairs", "weat", "holistic")  # Table 3


@dataclass(frozen=True, slots=True)
class PretrainSettings:
    """What is trained on perturbed text, and how it is measured.

    model: hf:FOLDER or hf:NAME: any model with a masked-language-model head, which is trained further. new:tiny, new:small, new:medium or
        new:base: a RoBERTa from scratch of 2, 4, 8 or 12 layers, with a tokenizer made from the texts.
    perturber: rules, or neural:FOLDER (see `longway perturb train`).
    window: Words and punctuation marks of a window, in which one person is changed.
    axes: What may be changed: gender, race or age. Repeatable. Default: all three.
    sampling: How the word to change is drawn. balanced: race and age about as often as gender; uniform: every word alike, as in the paper.
    compare: Train on the texts as they are too, in the same way. Without it the effect of the perturbation cannot be seen.
    steps: Steps of each training.
    batch: Sequences per step.
    length: Tokens of a sequence.
    lr: Highest learning rate. Default: 5e-5, and 6e-4 for a model from scratch.
    held_out: Share of the documents that the models are tested on instead of trained on.
    crows_pairs: CrowS-Pairs: the published CSV, or JSON Lines with the same keys.
    weat: WEAT and SEAT: a test file of sent-bias, or a folder of them.
    holistic: HolisticBias: the folder with descriptors.json, nouns.json, sentence_templates.json and standalone_noun_phrases.json.
    measure_limit: Use at most this many pairs, tests and sentences of each of these files, drawn at random.
    per_descriptor: HolisticBias: at most this many sentences per descriptor, the same for all of them.
    seed: Seed of everything random.
    device: Where the models are trained and measured: auto, cpu or cuda.
    """

    model: str = option("new:tiny", group=ENGINE)
    perturber: str = option(RULES, group=ENGINE)
    window: int = option(256, at_least=8, advanced=True)
    axes: tuple[str, ...] = option(tuple(AXES), name="axis")
    sampling: Literal["balanced", "uniform"] = option("balanced", advanced=True)
    compare: bool = option(True)
    steps: int = option(200, at_least=1)
    batch: int = option(32, at_least=1)
    length: int = option(128, at_least=8)
    lr: float | None = option(None)
    held_out: float = option(0.05, at_least=0.001, at_most=0.5, advanced=True)
    crows_pairs: Path | None = option(None, group=DATA)
    weat: Path | None = option(None, group=DATA)
    holistic: Path | None = option(None, group=DATA)
    measure_limit: int | None = option(None, group=DATA, at_least=1, advanced=True)
    per_descriptor: int = option(64, group=DATA, at_least=8, advanced=True)
    seed: int = option(0, at_least=0, at_most=2**31 - 1)
    device: Literal["auto", "cpu", "cuda"] = option("auto", group=ENGINE)

    def __post_init__(self) -> None:
        from longway.methods.perturb.pretraining import check_name

        check_options(self)
        object.__setattr__(self, "axes", tuple(dict.fromkeys(self.axes)))
        check_name(self.model)
        if self.lr is not None and not 0 < self.lr < 1:
            raise SettingError(
                f"'lr' must be between 0 and 1, both excluded. Got {self.lr}. Leave it out, or try 5e-5."
            )
        if self.perturber != RULES and not self.perturber.removeprefix(NEURAL) != self.perturber:
            raise SettingError(
                f"'perturber' must be {RULES} or {NEURAL}FOLDER_OR_NAME. Got {self.perturber!r}. "
                "A language model would be called once for every window of the corpus."
            )
        self.perturbing()  # checks the rest

    def perturbing(self) -> PerturbSettings:
        """How the windows are perturbed."""
        return PerturbSettings(axes=self.axes, sampling=self.sampling, engine=self.perturber, seed=self.seed)

    @property
    def files(self) -> dict[str, Path]:
        """The published files that were given, by benchmark."""
        return {name: Path(path) for name in MEASURED if (path := getattr(self, name)) is not None}

    def measuring(self, model: str) -> FairnessSettings:
        """How a model is measured. model: as `longway fairness` names it."""
        return FairnessSettings(
            model=model,
            **self.files,  # type: ignore[arg-type]
            limit=self.measure_limit,
            per_descriptor=self.per_descriptor,
            seed=self.seed,
            device=self.device,
        )

    def recorded(self) -> dict[str, object]:
        """The settings as pretrain.json records them: files are recorded by their fingerprints instead, and the device is not."""
        return {name: value for name, value in asdict(self).items() if name not in (*MEASURED, "device")}

    def shaping(self) -> dict[str, object]:
        """The settings that shape the trained models: how they are measured can be chosen later."""
        measuring = ("measure_limit", "per_descriptor")
        return {name: value for name, value in self.recorded().items() if name not in measuring}
