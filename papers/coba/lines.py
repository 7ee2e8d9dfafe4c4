"""The lines of each table of the CoBA paper: its figures beside ours. `tables.py` prints and keeps them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import published as paper
from longway.errors import MissingExtra
from longway.jobs.augment.result import AugmentResult
from longway.models.minilm import MiniLM
from sources import SOURCES, Row, lines_of
from versions import Made, Workshop, all_voters, voters

K = 50  # components of Table 16
SHOWN = {
    "plain": "no augmentation",
    "eda": "EDA",
    "back-translation": "back-translation, by the engine",
    "contextual": "C-BERT: words filled in by engine",
    "human-cad": "Human-CAD",
    "counterfactual": "AutoCAD: engine, smallest change",
    "gpt3mix": "GPT3Mix",
    "paraphrase": "AugGPT: paraphrase by the engine",
    "coba-identified": "CoBA, words named by the engine",
    "coba": "CoBA",
    "coba-neither": "triples put into words, unchanged",
    "coba-shuffle": "CoBA, shuffling only",
    "coba-gender": "CoBA, gender words only",
    "coba-gender-words": "CoBA, gender words spurious",
    "given-plain": "their originals alone",
    "given": "recorded rewrites added",
}
NO_GPT3MIX = "GPT3Mix is not part of Longway."
NO_WIKIBIAS = "WikiBias is not freely available."
FROM_NOTHING = "tiny knows no English before; it needs thousands of rows. Try hf:NAME."
TRAINED_FURTHER = "needs --language-model hf:NAME, which is trained further here"


@dataclass(frozen=True, slots=True)
class Line:
    """A figure of the paper and ours. rows: that ours was trained or measured on; spread: over seeds. note: why there is none, or how."""

    what: str
    data: str
    paper: float | None = None
    ours: float | None = None
    spread: float | None = None
    rows: int | None = None
    note: str = ""


def percent(what: str, data: str, known: float | None, found: Sequence[float], made: Made) -> Line:
    """A line with the mean over seeds, in percent; where nothing was added, only why."""
    if made.why or not found:
        return Line(what, data, known, note=made.why)
    spread = float(np.std(found)) * 100 if len(found) > 1 else None
    return Line(what, data, known, float(np.mean(found)) * 100, spread, len(made.rows))


def _known(table: paper.Figures, data: str, version: str) -> float | None:
    return table[version][data]


class Tables:
    """The tables, each a function of a workshop."""

    def __init__(self, shop: Workshop) -> None:
        self.shop, self.options = shop, shop.options

    def accuracies(
        self,
        name: str,
        versions: Sequence[str],
        test: str,
        known: Callable[[str], float | None],
        shown: str = "",
    ) -> list[Line]:
        """A line for each version and classifier."""
        lines = []
        for model in self.options.model:
            data = f"{shown or SOURCES[name].name}, {model}"[:20]
            for version in versions:
                found = self.shop.scores(name, version, model).get(test, [])
                made = self.shop.made(name, version)
                lines.append(percent(SHOWN.get(version, version), data, known(version), found, made))
        return lines

    def table_3(self) -> list[Line]:
        """Downstream accuracy."""
        lines = []
        for name in paper.SETS:
            for model in self.options.model:
                table = paper.table_3(model)
                for version in table:
                    known, data = table[version][name], f"{SOURCES[name].name}, {model}"[:20]
                    if version == "gpt3mix":
                        lines.append(Line(SHOWN[version], data, known, note=NO_GPT3MIX))
                    elif version != "human-cad" or SOURCES[name].cad:
                        found = self.shop.scores(name, version, model).get("test", [])
                        lines.append(
                            percent(SHOWN[version], data, known, found, self.shop.made(name, version))
                        )
        return lines

    def table_4(self) -> list[Line]:
        """Accuracy on human counterfactuals; for IMDb also on those that had no part in choosing our checks."""
        lines, table = [], paper.TABLE_4
        for name in ("imdb", "snli"):
            lines += self.accuracies(name, list(table), "cad", partial(_known, table, name))
        return lines + self.accuracies("imdb", list(table), "cad_more", lambda v: None, "IMDb, others")

    def table_5(self) -> list[Line]:
        """Gender bias of a language model, and of the classifiers' answers."""
        from longway.english.people.words import demographic_entries

        words = tuple(sorted({entry.word.lower() for entry in demographic_entries("gender")}))
        made = self.shop.made("imdb", "coba-gender-words", spurious=words)
        lines = []
        name = self.options.language_model
        texts = {
            "raw": None,
            "imdb": [row["text"] for row in self.shop.rows("imdb")],
            "coba": [r["text"] for r in made.rows],
        }
        what = {"raw": "raw", "imdb": "+ IMDb", "coba": "+ IMDb + CoBA"}
        for stage, known in paper.TABLE_5.items():
            found = self.preferences(name, stage, texts[stage])
            note = made.why if stage == "coba" and found else "" if found else TRAINED_FURTHER
            for key, shown in (("ss", "StereoSet"), ("crows", "CrowS-Pairs")):
                ours, n = found.get(key, (None, None))
                lines.append(Line(f"{what[stage]} ({name})", shown, known[key], ours, None, n, note))
            lines.append(Line(f"{what[stage]} ({name})", "WikiBias", known["wikibias"], note=NO_WIKIBIAS))
        for model in self.options.model:
            for version in ("plain", "coba", "coba-gender-words"):
                more = {"spurious": words} if version == "coba-gender-words" else {}
                found_by_seed = self.shop.scores("imdb", version, model, **more).get("gender", [])
                line = percent(
                    f"answers changed: {SHOWN[version]}",
                    f"IMDb, {model}"[:20],
                    None,
                    found_by_seed,
                    self.shop.made("imdb", version),
                )
                lines.append(line)
        return lines

    def preferences(self, name: str, stage: str, texts: Sequence[str] | None) -> dict[str, tuple[float, int]]:
        """StereoSet's ss and the score of CrowS-Pairs for gender, with the number of items; empty where the model cannot be trained here."""
        if self.options.dry_run:
            return {}
        from longway.jobs.fairness.job import fairness
        from longway.jobs.fairness.settings import FairnessSettings

        folder = self.shop.out / "language" / f"{name.replace('/', '-').replace(':', '-')}-{stage}"
        files: dict[str, Any] = {
            key: self.gender_items(f"{key}/{file}")
            for key, file in (("stereoset", "dev"), ("crows_pairs", "all"))
        }
        measured = name
        if texts is not None:
            from networks import pretrained

            pretrained(name, texts, folder, device=self.options.device, seed=self.options.seed)
            measured = f"hf:{folder}"
        settings = FairnessSettings(model=measured, device=self.options.device, **files)
        result = fairness(settings=settings)
        if texts is not None:
            shutil.rmtree(folder)  # half a gigabyte and more
        stereo, crows = result.measures.stereoset, result.measures.crows_pairs
        assert stereo is not None  # both files were given
        assert crows is not None
        return {
            "ss": (stereo.overall.ss.value, stereo.overall.rows),
            "crows": (crows.overall.score.value, crows.overall.pairs),
        }

    def gender_items(self, file: str) -> Path:
        """The items about gender of a benchmark, at most as many as there are training rows."""
        rows = [row for row in lines_of(f"{file}.jsonl.gz") if row["bias_type"] == "gender"]
        order = np.random.default_rng(self.options.seed).permutation(len(rows))[: self.options.rows]
        path = self.shop.out / f"{file.split('/')[0]}-gender-{len(order)}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(rows[i]) + "\n" for i in order), encoding="utf-8")
        return path

    def table_6(self) -> list[Line]:
        """Cosine of new texts and their sources."""
        lines = []
        for version, known in paper.TABLE_6.items():
            made = self.shop.made("imdb", version)
            cosine, n = (None, None) if made.result is None or not made.added else similarity(made.result)
            lines.append(Line(SHOWN[version], "IMDb", known, cosine, None, n, made.why))
        return lines

    def table_7(self) -> list[Line]:
        """AUROC on other datasets; SNLI to MNLI is not in the paper."""
        lines, table = [], paper.TABLE_7
        for test, shown in (("sst2", "to SST-2"), ("yelp", "to Yelp")):
            lines += self.accuracies("imdb", list(table), test, partial(_known, table, test), shown)
        return lines + self.accuracies(
            "snli", ("plain", "eda", "coba"), "mnli", lambda v: None, "SNLI to MNLI"
        )

    def table_8(self) -> list[Line]:
        """BLEU of a network that writes one style from another."""
        from networks import bleu_of

        options = self.options
        rows = [
            row
            for file in ("reddit", "opensubtitles")
            for row in lines_of(f"neutralrewriter/{file}.jsonl.gz")
        ]
        order = np.random.default_rng(options.seed).permutation(len(rows)).tolist()
        pairs = [(rows[i]["original"], rows[i]["gender_neutral"]) for i in order]
        n = min(options.rows, len(pairs) // 2)
        train, test = pairs[:n], pairs[n : n + options.test_rows]
        given: list[Row] = [{"id": str(i), "text": a, "label": b} for i, (a, b) in enumerate(train)]
        made = self.shop.made("neutral", "coba-text", given, target="label")
        data, lines = f"neutral, {options.writing_model}"[:20], []
        from_nothing = FROM_NOTHING if options.writing_model == "tiny" else ""
        for what, known, some, why in (
            (SHOWN["plain"], paper.TABLE_8["plain"], train, from_nothing),
            (
                SHOWN["coba"],
                paper.TABLE_8["coba"],
                [(row["text"], row["label"]) for row in made.rows],
                made.why,
            ),
        ):
            found = [] if options.dry_run or (why and why == made.why) else [
                bleu_of(options.writing_model, some, test, epochs=options.writing_epochs, device=options.device, seed=seed)
                for seed in range(options.seeds)
            ]  # fmt: skip
            spread = float(np.std(found)) if len(found) > 1 else None
            lines.append(
                Line(
                    what,
                    data,
                    known,
                    float(np.mean(found)) if found else None,
                    spread,
                    len(some) if found else None,
                    why,
                )
            )
        lines.insert(
            1,
            Line(
                SHOWN["paraphrase"],
                data,
                paper.TABLE_8["paraphrase"],
                note="peers.py paraphrases labelled rows only.",
            ),
        )
        from longway.metrics.bleu import corpus_bleu

        copied = 100 * corpus_bleu([a for a, _ in test], [b for _, b in test])
        return [*lines, Line("the source, copied", "neutral", None, copied, None, len(test))]

    def table_10(self) -> list[Line]:
        """Gender words and shuffling."""
        return self.accuracies("imdb", list(paper.TABLE_10), "test", lambda version: paper.TABLE_10[version])

    def table_11(self) -> list[Line]:
        """The number of classifiers that vote."""
        names = all_voters(self.options)
        changes = {n: {"models": names[:n]} if n <= len(names) else None for n in paper.TABLE_11}
        return self.varied("voters", paper.TABLE_11, changes, usual=len(voters(self.options)))

    def table_12(self) -> list[Line]:
        """The number of words of each classifier."""
        changes: dict[int, dict[str, Any] | None] = {k: {"top_k": k} for k in paper.TABLE_12}
        return self.varied("words", paper.TABLE_12, changes, usual=self.options.top_k)

    def varied(
        self, unit: str, table: Any, changes: dict[int, dict[str, Any] | None], *, usual: int
    ) -> list[Line]:
        """A line for each number, dataset and classifier; the usual number is CoBA as in the other tables."""
        lines = []
        for name, model in product(("sst2", "imdb"), self.options.model):
            for n, change in changes.items():
                what, data, known = (
                    f"{n} {unit if n > 1 else unit[:-1]}",
                    f"{SOURCES[name].name}, {model}"[:20],
                    table[n][name],
                )
                if change is None:
                    lines.append(Line(what, data, known, note=f"needs {n} names after --voters"))
                    continue
                version, more = ("coba", {}) if n == usual else (f"coba-{unit}-{n}", change)
                found = self.shop.scores(name, version, model, **more).get("test", [])
                lines.append(percent(what, data, known, found, self.shop.made(name, version)))
        return lines

    def table_15(self) -> list[Line]:
        """Hate speech."""
        return self.accuracies("hate", list(paper.TABLE_15), "test", lambda version: paper.TABLE_15[version])

    def table_16(self) -> list[Line]:
        """Variance in the strongest components, for as many new texts of each version."""
        made = {
            version: self.shop.made("imdb", version) for version in paper.TABLE_16 if version != "gpt3mix"
        }
        n = min((len(one.added) for one in made.values() if one.added), default=0)
        k, lines = min(K, n // 4), []
        for version, known in paper.TABLE_16.items():
            one = made.get(version)
            if one is None or not one.added or k < 1:
                few = f"too few texts: {n}" if k < 1 else ""
                lines.append(
                    Line(SHOWN[version], "IMDb", known, note=NO_GPT3MIX if one is None else one.why or few)
                )
                continue
            chosen = np.random.default_rng(self.options.seed).permutation(len(one.added))[:n]
            share = top_variance(MiniLM.load().embed([one.added[i] for i in chosen]), k)
            lines.append(Line(SHOWN[version], f"IMDb, top {k}", known, share * 100, None, n))
        return lines

    def given(self) -> list[Line]:
        """Recorded rewrites, from other originals, through the product's checks."""
        from recorded import recorded

        options, lines = self.options, []
        for name, tests in (
            ("imdb", ("test", "cad", "gender")),
            ("snli", ("test", "cad")),
            ("hate", ("test", "cad")),
        ):
            rows, new = recorded(name, limit=options.rows, most=options.rewrites, seed=options.seed)
            path = self.shop.out / f"{name}-rewrites-{options.rows}-{options.rewrites}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(json.dumps(row) + "\n" for row in new), encoding="utf-8")
            more = {"method": "given", "rewrites": str(path), "paper": False, "judge": "none"}
            self.shop.made(name, "given-plain", rows)
            self.shop.made(name, "given", rows, **more)
            for test in tests:
                lines += self.accuracies(
                    name, ("given-plain", "given"), test, lambda version: None, f"{SOURCES[name].name} {test}"
                )
        return lines


def similarity(result: AugmentResult) -> tuple[float, int] | tuple[None, None]:
    """The mean cosine of new texts and their sources, of at most 1,000 drawn at random, and their number (Table 6)."""
    field = result.dataset.fields["text"]
    pairs = [(edit.before, edit.after) for edit in result.edits if edit.accepted and edit.field == field]
    chosen = np.random.default_rng(0).permutation(len(pairs))[:1000]
    try:
        encoder = MiniLM.load()
    except MissingExtra:
        return None, None
    old, new = (encoder.embed([pairs[i][side] for i in chosen]) for side in (0, 1))
    return float(np.einsum("ij,ij->i", old, new).mean()), len(chosen)


def top_variance(vectors: np.ndarray, k: int) -> float:
    """The share of the variance in the first k principal components (Table 16); 1 where there are no more.

    >>> top_variance(np.array([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]]), 1)
    0.9
    """
    squares = np.linalg.svd(vectors - vectors.mean(axis=0), compute_uv=False) ** 2
    return float(squares[:k].sum() / squares.sum())
