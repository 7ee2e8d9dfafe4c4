"""Settings of `longway fairness`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from longway.jobs.options import DATA, ENGINE, check_options, option
from longway.jobs.perturb.settings import RULES, PerturbSettings

FILES = ("crows_pairs", "stereoset", "weat", "holistic")


@dataclass(frozen=True, slots=True)
class FairnessSettings:
    """Which model is measured, and with what."""

    model: str = option(
        "minilm",
        "minilm (the embedded encoder), hf:NAME_OR_FOLDER (a causal or masked model, an encoder, or a "
        "classifier). For the fairscore also: the folder of a classifier that `longway prove "
        "--save-models` wrote; MODULE:NAME, a scikit-learn or Hugging Face pipeline or a function of your"
        " own; served:MODEL, a language model on a server, asked for the label.",
        group=ENGINE,
        objects=True,
    )
    crows_pairs: Path | None = option(
        None, "CrowS-Pairs: the published CSV, or JSON Lines with the same keys.", group=DATA
    )
    stereoset: Path | None = option(
        None, "StereoSet: the published dev.json, or JSON Lines with one context per line.", group=DATA
    )
    weat: Path | None = option(
        None,
        "WEAT and SEAT: a test file of sent-bias, or a folder of them. Needs a model with vectors.",
        group=DATA,
    )
    holistic: Path | None = option(
        None,
        "HolisticBias: the folder with descriptors.json, nouns.json, sentence_templates.json and "
        "standalone_noun_phrases.json.",
        group=DATA,
    )
    perturber: str | None = option(
        None,
        "Fairscore: what changes the people: rules (the default), neural:FOLDER_OR_NAME (a trained "
        "network), or a language model: served:MODEL or gguf:FILE.",
        group=ENGINE,
    )
    describe: tuple[str, ...] = option(
        (),
        'Fairscore of served:MODEL: what a label means: LABEL="...", for labels such as 0 and 1. Repeatable.',
        group=ENGINE,
        metavar="LABEL=TEXT",
        advanced=True,
    )
    limit: int | None = option(
        None,
        "Use at most this many pairs, contexts, tests and rows of each file, drawn at random.",
        at_least=1,
    )
    axes: tuple[str, ...] = option(
        (),
        "An axis of HolisticBias, or all. Repeatable. Default: gender_and_sex, race_ethnicity, age.",
        name="axis",
    )
    per_descriptor: int = option(
        64,
        "HolisticBias: at most this many sentences per descriptor, the same for all of them.",
        advanced=True,
        at_least=8,
    )
    seed: int = option(0, "Seed of everything random.", advanced=True, at_least=0)
    device: Literal["auto", "cpu", "cuda"] = option(
        "auto", "Where hf models run: auto, cpu or cuda.", group=ENGINE, advanced=True
    )

    def __post_init__(self) -> None:
        from longway.models.catalog import names_of

        check_options(self)
        object.__setattr__(self, "model", names_of([self.model])[0])
        self.perturb  # noqa: B018 - raises if there is no such perturber

    @property
    def perturb(self) -> PerturbSettings:
        """How people are changed for the fairscore: as by `longway perturb`, by this perturber."""
        return PerturbSettings(engine=self.perturber or RULES)

    @property
    def files(self) -> dict[str, Path]:
        """The published files that were given, by benchmark."""
        return {name: Path(path) for name in FILES if (path := getattr(self, name)) is not None}

    def recorded(self) -> dict[str, object]:
        """The settings as run.json and fairness.json record them: files are recorded by their fingerprints instead."""
        values = {name: value for name, value in asdict(self).items() if name not in FILES}
        return {
            name: value for name, value in values.items() if value or name != "describe"
        }  # older runs have none
