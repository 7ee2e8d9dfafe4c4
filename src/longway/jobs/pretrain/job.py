"""Pretrain: train a masked language model on texts as they are and on the same texts perturbed, and measure both (section 5.1, Table 3).

    documents -> windows -> one person changed in each -> two trainings, alike in everything else -> held-out loss, fairness measures

    windows.jsonl       every window before and after
    original/           the model trained on the texts as they are        perturbed/     on the perturbed texts
    start/              a model from scratch before its training          measures/      a run of `longway fairness` for each model
    pretrain.json, results.json, report.html

Each part is complete on disk before the next begins, and a training saves its state every minute: the same command again resumes the run.
"""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Literal

from longway.data import Texts, load_texts
from longway.errors import DataError
from longway.jobs.documents import ANALYSES_FILE
from longway.jobs.engine_use import Engines
from longway.jobs.fairness.benchmarks import read_benchmarks
from longway.jobs.fairness.job import fairness
from longway.jobs.options import settings_from
from longway.jobs.pretrain.corpus import Window, cut, perturb_windows
from longway.jobs.pretrain.result import (
    AFTER,
    BEFORE,
    FILE,
    START,
    CorpusCounts,
    PretrainResult,
    TrainedModel,
)
from longway.jobs.pretrain.settings import PretrainSettings
from longway.jobs.run import ActiveRun, PlannedRun, RunIdentity, Watcher, folder_of
from longway.methods.perturb.networks import need_torch
from longway.methods.perturb.pretraining import (
    HF,
    PURPOSE,
    Encoder,
    PretrainingPlan,
    held_out_losses,
    load_encoder,
    pack,
    train,
)
from longway.metrics.fairness.preferences import Quality, quality_of
from longway.show.html import render
from longway.store import read_json, replacing, write_json
from longway.tokens.tokenizer import tokenize

if TYPE_CHECKING:
    from longway.methods.perturb.pretraining import Ints, Packed

COMMAND = "pretrain"
WINDOWS = "windows.jsonl"
LOSSES = "losses.json"
FEWEST = 20  # windows


def pretrain(
    data: object,
    settings: PretrainSettings | None = None,
    *,
    text: str | None = None,
    limit: int | None = None,
    encoding: str | None = None,
    out: Path | str | Literal[True] | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> PretrainResult:
    """Train a masked language model on texts as they are and perturbed, and measure it.

    data: texts without labels: anything that `load` reads, or a .txt file. text: the column. limit: only the first documents.
    out: the run folder, with the trained models; True chooses one in longway-runs. None writes nothing, and the models are lost.
    options: those of `longway perturb pretrain` by name, such as `model="new:tiny"`.
    """
    chosen, watcher = settings_from(PretrainSettings, settings, options), watcher or Watcher()
    need_torch(PURPOSE)
    watcher.step("opening the data")
    texts = data if isinstance(data, Texts) else load_texts(data, text=text, limit=limit, encoding=encoding)
    fingerprints = dict(read_benchmarks(chosen.measuring("minilm")).fingerprints) if chosen.files else {}
    identity = RunIdentity(COMMAND, {**chosen.shaping(), **_hashes(chosen)}, texts.fingerprint)
    with folder_of(out) as folder:
        planned = PlannedRun.choose(identity, texts.source_name, folder)
        content = planned.finished(FILE)
        if content is None or not _is_measured(content, chosen, fingerprints):
            with planned.start(watcher) as run:
                _run(run, texts, chosen, fingerprints)
        result = PretrainResult.from_dict(read_json(planned.folder / FILE))
        return replace(result, folder=planned.folder if out else None)


def _is_measured(content: Mapping[str, Any], settings: PretrainSettings, fingerprints: object) -> bool:
    """Whether a finished run has these measures; if not, they are computed of its models."""
    names = ("measure_limit", "per_descriptor")
    same = all(content["settings"].get(name) == getattr(settings, name) for name in names)
    return bool(content["fingerprints"] == fingerprints and same)


def _hashes(settings: PretrainSettings) -> dict[str, str]:
    """Hashes of the files of the networks that are used: another model of the same name is another run."""
    from longway.classify.pretrained import folder_of
    from longway.classify.saved import folder_hash

    names = {"perturber_hash": settings.perturbing().model}
    if settings.model.startswith(HF):
        names["model_hash"] = settings.model.removeprefix(HF)
    return {
        key: folder_hash(folder_of(name, what=f"The model {name!r}"))
        for key, name in names.items()
        if name is not None
    }


def _run(run: ActiveRun, texts: Texts, settings: PretrainSettings, fingerprints: dict[str, str]) -> None:
    started = time.monotonic()
    windows = _windows(run, texts, settings)
    pretraining = Pretraining(windows, settings, run.folder, run.watcher, fingerprints)
    models = tuple(pretraining.models())
    changes = Counter(window.change[0] for window in windows if window.change)
    counts = CorpusCounts(
        documents=len(texts.texts),
        windows=len(windows),
        tokens=sum(len(tokenize(window.before)) for window in windows),
        changed=changes.total(),
        by_axis=dict(changes.most_common()),
        stayed=dict(Counter(window.stayed for window in windows if not window.change).most_common()),
        held_out=len(pretraining.test),
    )
    result = PretrainResult(
        source=texts.source_name,
        fingerprint=texts.fingerprint,
        corpus=counts,
        models=models,
        settings=settings,
        fingerprints=fingerprints,
        sequences=pretraining.sequences,
        weights=pretraining.weights,
        device=pretraining.device,
        longway=version("longway"),
        seconds=round(time.monotonic() - started, 1),
    )
    run.watcher.step("writing the report")
    content = result.to_dict()
    run.run.write("results.json", {"rows": content["rows"]})
    run.finish(FILE, content, report=render(result.page()))


def _windows(run: ActiveRun, texts: Texts, settings: PretrainSettings) -> list[Window]:
    """The windows of the corpus, from the run folder if they are there."""
    path = run.folder / WINDOWS
    if not path.exists():
        run.watcher.step("cutting windows")
        made = perturb_windows(
            cut(texts.texts, most=settings.window),
            settings.perturbing(),
            engines=Engines(device=settings.device),
            journal=run.journal if settings.perturbing().model is not None else None,
            cache=run.folder / ANALYSES_FILE,
            progress=run.watcher.progress,
            step=run.watcher.step,
        )
        write_windows(path, made)
    return read_windows(path)


def write_windows(path: Path, windows: Sequence[Window]) -> None:
    """Write windows as JSON Lines; the file appears when it is complete."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        for window in windows:
            file.write(json.dumps(asdict(window), ensure_ascii=False) + "\n")


def read_windows(path: Path) -> list[Window]:
    """The windows in a file."""
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [Window(**{**row, "change": tuple(row["change"])}) for row in rows]


@dataclass
class Pretraining:
    """Trains and measures the models of one corpus.

    fingerprints: of the published files. with_start: whether to measure the model as it came, too. test: the windows that are held out, those of whole documents.
    sequences, weights, device: known when the models are trained.
    """

    windows: Sequence[Window]
    settings: PretrainSettings
    folder: Path
    watcher: Watcher
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    with_start: bool = True
    sequences: int = 0
    weights: int = 0
    device: str = ""

    def __post_init__(self) -> None:
        documents = sorted({window.document for window in self.windows})
        if len(self.windows) < FEWEST or len(documents) < 2:
            raise DataError(
                f"The texts have {len(self.windows)} windows of {self.settings.window} tokens in {len(documents)} documents. "
                f"At least {FEWEST} windows in 2 documents are needed, some of them to test on. Give more text, or a smaller --window."
            )
        n = min(max(1, round(self.settings.held_out * len(documents))), len(documents) - 1)
        chosen = set(Random(self.settings.seed).sample(documents, n))
        self.test = [window for window in self.windows if window.document in chosen]
        self.learn = [window for window in self.windows if window.document not in chosen]

    def models(self) -> Iterator[TrainedModel]:
        """The model as it came, and each trained one, with its measures."""
        settings = self.settings
        self.watcher.step("reading the texts")
        start = self._encoder()
        learn, test = (
            pack([(window.before, window.after) for window in some], start, length=settings.length)
            for some in (self.learn, self.test)
        )
        self.sequences, self.device = len(learn.before), str(start.device)
        self.weights = sum(weight.numel() for weight in start.model.parameters())
        if self.with_start:
            yield self._measured(START, start, test, ())
        sides = {BEFORE: learn.before, AFTER: learn.after}
        for name in (BEFORE, AFTER) if settings.compare else (AFTER,):
            trained, losses = self._trained(name, sides[name])
            yield self._measured(name, trained, test, losses)

    def _encoder(self) -> Encoder:
        """The model as it came; one from scratch is saved, so that both trainings begin with the same weights."""
        settings, folder = self.settings, self.folder / START
        if settings.model.startswith(HF):
            return load_encoder(settings.model, device=settings.device)
        if not folder.is_dir():
            texts = (text for window in self.learn for text in (window.before, window.after))
            load_encoder(
                settings.model, texts, length=settings.length, seed=settings.seed, device="cpu"
            ).save(folder)
        return replace(load_encoder(f"{HF}{folder}", device=settings.device), name=settings.model)

    def _trained(self, name: str, sequences: Ints) -> tuple[Encoder, tuple[float, ...]]:
        settings, folder = self.settings, self.folder / name
        if not (folder / LOSSES).exists():
            self.watcher.step(f"training on the {name} text")
            encoder = self._encoder()
            plan = PretrainingPlan(
                steps=settings.steps, batch=settings.batch, learning_rate=settings.lr, seed=settings.seed
            )
            checkpoints = self.folder / "checkpoints" / name
            losses = train(encoder, sequences, plan, checkpoints, progress=self.watcher.progress)
            encoder.save(folder, more={LOSSES: losses})
            shutil.rmtree(checkpoints, ignore_errors=True)
        return load_encoder(f"{HF}{folder}", device=settings.device), tuple(read_json(folder / LOSSES))

    def _measured(self, name: str, encoder: Encoder, test: Packed, losses: tuple[float, ...]) -> TrainedModel:
        settings = self.settings
        self.watcher.step(f"testing the {name} model")
        on_original, on_perturbed = (self._quality(encoder, side) for side in (test.before, test.after))
        came = name == START and settings.model.startswith(HF)
        model = settings.model if came else f"{HF}{self.folder / name}"
        measures = None
        if settings.files:
            out = self._measures() / name
            watcher = _Steps(self.watcher, name)
            measures = fairness(None, settings.measuring(model), out=out, watcher=watcher).measures
        return TrainedModel(name, model, on_original, on_perturbed, losses, measures)

    def _measures(self) -> Path:
        """The folder of the measures; it is emptied if it holds those of other files or settings."""
        folder, settings = self.folder / "measures", self.settings
        about = {"files": dict(self.fingerprints), "limit": settings.measure_limit, "per_descriptor": settings.per_descriptor}  # fmt: skip
        path = folder / "about.json"
        if not path.exists() or read_json(path) != about:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            write_json(path, about)
        return folder

    def _quality(self, encoder: Encoder, sequences: Ints) -> Quality:
        seed = self.settings.seed
        return quality_of(*held_out_losses(encoder, sequences, seed=seed), seed=seed)


class _Steps(Watcher):
    """Shows the steps of a measurement as those of the model that is measured."""

    def __init__(self, watcher: Watcher, name: str) -> None:
        self._watcher, self._name = watcher, name

    def step(self, name: str) -> None:
        """A step begins."""
        self._watcher.step(f"{self._name} model, {name}")

    def progress(self, done: int, total: int) -> None:
        """So many parts of it are done."""
        self._watcher.progress(done, total)
