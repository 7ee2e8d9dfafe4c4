"""Rows to train the writer on: what it is asked, and the answer, from public datasets.

Every function gives the rows of one job. What is measured on is kept out: contexts of the test sets are never trained on, nor are FEVER's
test half, SNLI's dev and test, SST-2's dev, the dev halves of the human counterfactuals, and every third sentence of mt_geneval.
Rows that our own parts make (rules, triples, perturbation) are in `writer_made.py`.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np

from entailment_data import normal, rows
from longway.classify.entailment import Entailment, tidied
from longway.classify.minilm import MiniLM
from longway.engines.writer_lines import (
    GAP,
    HYPOTHESIS,
    PREMISE,
    fill_lines,
    judge_lines,
    person_lines,
    rewrite_lines,
    turn_lines,
)

NLI = ("entailment", "neutral", "contradiction")
FACTS = ("entailment", "contradiction")
SENTIMENT = ("positive", "negative")
FEVER = {"SUPPORTS": "entailment", "REFUTES": "contradiction"}
LONGEST = 600  # characters of a text
SURE = 0.6  # how likely the entailment model must find a label that nobody checked
GENDERS = {"feminine": "a woman", "masculine": "a man"}
OPEN_GENDER = "a person whose gender is non-binary or left open"
HELD_OUT = 3  # every third sentence of mt_geneval is measured on
_WORD = re.compile(r"\w+")
GENDERED = re.compile(r"\b(he|him|his|himself|she|her|hers|herself)\b", re.IGNORECASE)
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[\"'A-Z])")


@dataclass(frozen=True, slots=True)
class Row:
    """What the writer is asked and what it should answer. job, source: what rows are counted and weighed by."""

    job: str
    source: str
    ask: str
    answer: str


@dataclass(frozen=True, slots=True)
class Shared:
    """The datasets, and the texts that must not be trained on."""

    data: Path
    held_out: frozenset[str]

    @classmethod
    def of(cls, data: Path) -> Shared:
        """The datasets in a folder."""
        tests = (
            "human_cad_snli/original_dev",
            "human_cad_snli/revised_combined_dev",
            "snli/dev",
            "snli/test",
            "mnli/dev_matched",
        )
        pairs = (row for name in tests for row in rows(data / f"{name}.jsonl.gz"))
        texts = [row["premise"] for row in pairs]
        texts += [row["text"] for row in rows(data / "human_cad_imdb" / "dev.jsonl.gz")]
        texts += [row["text"] for row in rows(data / "sst2" / "dev.jsonl.gz")]
        for name in ("v0.1_generated", "v0.2_dev"):
            texts += [row["claim"] for row in rows(data / "fever_symmetric" / f"{name}.jsonl.gz")]
        return cls(data, frozenset(normal(tidied(text)) for text in texts))

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """The rows of a dataset, without those of which a text is held out or too long."""
        for row in rows(self.data / f"{name}.jsonl.gz"):
            texts = [
                value
                for key, value in row.items()
                if isinstance(value, str) and key not in ("label", "source")
            ]
            if not any(normal(tidied(text)) in self.held_out for text in texts):
                yield row

    def fever(self) -> Iterator[dict[str, str]]:
        """Claims and evidence of the half that our entailment model learned from too, tidied."""
        for row in self.rows("fever/paper_dev_supports_refutes"):
            yield {
                "premise": tidied(row["evidence"])[:LONGEST],
                "hypothesis": tidied(row["claim"]),
                "label": FEVER[row["label"]],
            }


def judging(shared: Shared, chance: random.Random) -> Iterator[Row]:
    """Labels of single texts and pairs. Of labels that a machine gave, only those that were checked."""
    pairs = {
        "snli": shared.rows("snli/train_pool"),
        "cad": _both(shared),
        "wanli": shared.rows("wanli/subset_15k"),
        "mnli": shared.rows("mnli/train_subset_3k"),
        "disco": (
            {"premise": row["new_premise"], "hypothesis": row["hypothesis"], "label": row["new_label"]}
            for row in shared.rows("disco_snli_counterfactuals/accepted")
        ),
    }
    for source, found in pairs.items():
        for row in found:
            if row["label"] in NLI:
                ask = judge_lines(row["hypothesis"], _mixed(NLI, chance), context=row["premise"][:LONGEST])
                yield Row("judge", source, ask, row["label"])
    for row in shared.fever():
        labels = _mixed(FACTS if chance.random() < 0.8 else NLI, chance)
        yield Row(
            "judge", "fever", judge_lines(row["hypothesis"], labels, context=row["premise"]), row["label"]
        )
    singles = {
        "sst2": chance.sample(list(shared.rows("sst2/train")), 20_000),
        "sst2_sentences": shared.rows("sst2_sentences/train"),
        "imdb": (row for row in shared.rows("imdb/train") if len(row["text"]) <= LONGEST),
        "cad_imdb": (row for row in shared.rows("human_cad_imdb/train") if len(row["text"]) <= LONGEST),
    }
    for source, found in singles.items():
        for row in found:
            ask = judge_lines(untagged(row["text"]), _mixed(SENTIMENT, chance))
            yield Row("judge", source, ask, row["label"])


def turning_pairs(shared: Shared) -> Iterator[Row]:
    """Pairs of which one text was changed so that another label is true: by people, by DISCO, by language models."""
    for field, other in ((HYPOTHESIS, PREMISE), (PREMISE, HYPOTHESIS)):
        groups: dict[str, list[dict[str, str]]] = defaultdict(list)
        for row in _both(shared):
            groups[row[other]].append(row)
        for same, group in groups.items():
            for one in group:
                for new in group:
                    if one["label"] != new["label"] and alike(one[field], new[field]) > 0.4:
                        ask = turn_lines(one[field], new["label"], context=same, field=field)
                        yield Row("turn", f"cad_{field}", ask, new[field])
    for row in shared.rows("disco_snli_counterfactuals/accepted"):
        ask = turn_lines(row["premise"], row["new_label"], context=row["hypothesis"], field=PREMISE)
        yield Row("turn", "disco", ask, row["new_premise"])
    yield from _checked(_by_models(shared))


def _by_models(shared: Shared) -> Iterator[tuple[dict[str, str], str, str, str]]:
    """Rows of language models with the text they were made from: (new row, field, the text before, the label before)."""
    originals: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for row in shared.rows("human_cad_snli/original_train"):
        for field in (PREMISE, HYPOTHESIS):
            originals[field, normal(row[field])].append(row)
    for row in shared.rows("llm_counterfactuals_snli/revised"):
        field = row["revised"]
        other = HYPOTHESIS if field == PREMISE else PREMISE
        if row["split"] != "train" or field not in (PREMISE, HYPOTHESIS):
            continue
        for before in originals.get((other, normal(row[other])), []):
            if before["label"] != row["label"] and alike(before[field], row[field]) > 0.4:
                yield row, field, before[field], before["label"]


def _checked(found: Iterable[tuple[dict[str, str], str, str, str]]) -> Iterator[Row]:
    """Those whose label our entailment model finds likely."""
    listed = list(found)
    stances = ("entailment", "contradiction", "neutral")  # as the model's columns stand
    likely = Entailment.load().probabilities([(row["premise"], row["hypothesis"]) for row, *_ in listed])
    for (row, field, before, _), shares in zip(listed, likely, strict=True):
        if shares[stances.index(row["label"])] > SURE:
            other = row[HYPOTHESIS if field == PREMISE else PREMISE]
            yield Row(
                "turn",
                f"models_{field}",
                turn_lines(before, row["label"], context=other, field=field),
                row[field],
            )


def turning_reviews(shared: Shared) -> Iterator[Row]:
    """Sentences of reviews that were turned from praise to blame or back, with what stands for them in the other version."""
    pairs: dict[str, dict[str, str]] = defaultdict(dict)
    for row in shared.rows("human_cad_imdb/train"):
        pairs[row["pair_id"]][row["label"]] = untagged(row["text"])
    for both in pairs.values():
        if len(both) == 2:
            one, other = both["positive"], both["negative"]
            for text, new in [(one, other), *_changed_sentences(one, other)]:
                if len(text) <= LONGEST and len(new) <= LONGEST:
                    yield Row("turn", "cad_imdb", turn_lines(text, "negative"), new)
                    yield Row("turn", "cad_imdb", turn_lines(new, "positive"), text)
    written = []
    for row in shared.rows("llm_counterfactuals_imdb/pairs"):
        if row.get("split") != "train":
            continue
        for text, new in _changed_sentences(untagged(row["original"]), untagged(row["counterfactual"])):
            written.append((text, row["counterfactual_label"], new))
    for (text, to, new), share in zip(written, sentiment(shared, [new for *_, new in written]), strict=True):
        if (share if to == "positive" else 1 - share) > SURE:
            yield Row("turn", "models_imdb", turn_lines(text, to), new)


def sentiment(shared: Shared, texts: list[str]) -> np.ndarray:
    """How likely each text is positive: a linear model on the encoder's vectors of SST-2's training sentences."""
    from sklearn.linear_model import LogisticRegression

    if not texts:
        return np.zeros(0)
    encoder = MiniLM.load()
    rows = list(shared.rows("sst2_sentences/train"))
    model = LogisticRegression(C=10.0, max_iter=2000)
    model.fit(encoder.embed([row["text"] for row in rows]), [row["label"] == "positive" for row in rows])
    return model.predict_proba(encoder.embed(texts))[:, 1]


def filling(shared: Shared, chance: random.Random) -> Iterator[Row]:
    """Gaps: DISCO's phrases with the label they make true, and words of sentences that stand there."""
    for row in shared.rows("disco_snli_counterfactuals/accepted"):
        old, new = row["span_removed"], row["span_generated"]
        if (
            new
            and old
            and row["premise"].count(old) == 1
            and row["premise"].replace(old, new) == row["new_premise"]
        ):
            shown = row["premise"].replace(old, GAP)
            ask = fill_lines(shown, avoid=[old] if len(old) < 40 else [])
            yield Row("fill", "disco", ask, new)
    texts = [row["text"] for row in shared.rows("sst2_sentences/train")]
    texts += [row["hypothesis"] for row in shared.fever()]
    texts += [row["hypothesis"] for row in chance.sample(list(shared.rows("snli/train_pool")), 6000)]
    words = [word for text in chance.sample(texts, 3000) for word in _WORD.findall(text) if len(word) > 3]
    for text in texts:
        found = [m for m in _WORD.finditer(text) if len(m.group()) > 3 and not m.group()[0].isdigit()]
        if not found:
            continue
        gap = chance.choice(found)
        shown = text[: gap.start()] + GAP + text[gap.end() :]
        avoid = chance.sample(words, chance.choice((1, 1, 2, 3)))
        if gap.group() not in avoid:
            yield Row("fill", "words", fill_lines(shown, avoid=avoid), gap.group())


def paraphrases(shared: Shared, chance: random.Random) -> Iterator[Row]:
    """Texts that people wrote for the same thing; entailments only where our model says that both entail each other."""
    pairs = [
        (row["question1"], row["question2"])
        for name in ("qqp/train_2k", "qqp/dev_7600")
        for row in shared.rows(name)
        if row["label"] == "duplicate"
    ]
    yield from _rewritten("qqp", pairs, chance)
    pairs = [
        (r["sentence1"], r["sentence2"]) for r in shared.rows("mrpc/train") if r["label"] == "paraphrase"
    ]
    yield from _rewritten("mrpc", pairs, chance)
    for source, name in (
        ("snli", "snli/train_pool"),
        ("wanli", "wanli/subset_15k"),
        ("mnli", "mnli/train_subset_3k"),
    ):
        close = [
            (row["premise"], row["hypothesis"])
            for row in shared.rows(name)
            if row["label"] == "entailment" and alike(row["premise"], row["hypothesis"]) > 0.6
        ]
        back = Entailment.load().probabilities([(b, a) for a, b in close])
        yield from _rewritten(
            source, [pair for pair, p in zip(close, back, strict=True) if p[0] > 0.8], chance
        )


def _rewritten(source: str, pairs: Sequence[tuple[str, str]], chance: random.Random) -> Iterator[Row]:
    for one, other in pairs:
        for text, new in ((one, other), (other, one)):
            if normal(text) != normal(new) and len(text) <= LONGEST:
                yield Row("rewrite", source, rewrite_lines(text, avoid=avoided(text, new, chance)), new)


def avoided(text: str, new: str, chance: random.Random) -> list[str]:
    """Some words of a text that its rewriting does without; often none."""
    gone = sorted(set(_WORD.findall(text.lower())) - set(_WORD.findall(new.lower())))
    n = min(len(gone), chance.choice((0, 0, 1, 1, 2, 3)))
    return chance.sample(gone, n)


def people(shared: Shared) -> Iterator[Row]:
    """Sentences whose person people rewrote: women and men of mt_geneval, both ways, and singular "they"."""
    for number, row in enumerate(rows(shared.data / "mt_geneval" / "part_a.jsonl.gz")):
        if number % HELD_OUT:
            for source, target in (("feminine", "masculine"), ("masculine", "feminine")):
                yield Row("person", "mt_geneval", person_lines(row[source], GENDERS[target]), row[target])
    for part in ("reddit", "opensubtitles", "winobias_plus"):
        for number, row in enumerate(rows(shared.data / "neutralrewriter" / f"{part}.jsonl.gz")):
            if number % HELD_OUT or part == "winobias_plus":
                lines = person_lines(row["original"], OPEN_GENDER)
                yield Row("person", f"they_{part}", lines, row["gender_neutral"])


def untagged(text: str) -> str:
    """The text without line breaks of web pages."""
    return " ".join(re.sub(r"<br\s*/?>", " ", text).split())


def _both(shared: Shared) -> list[dict[str, str]]:
    names = ("human_cad_snli/original_train", "human_cad_snli/revised_combined_train")
    return [row for name in names for row in shared.rows(name)]


def _changed_sentences(one: str, other: str) -> Iterator[tuple[str, str]]:
    """Sentences that stand for each other in two versions of a text, where they differ but are alike."""
    a, b = SENTENCE_END.split(one), SENTENCE_END.split(other)
    for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "replace" and j - i == m - k:
            for text, new in zip(a[i:j], b[k:m], strict=True):
                if 0.5 < alike(text, new) < 1 and len(text) <= LONGEST:
                    yield text, new


def alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one.lower().split(), other.lower().split(), autojunk=False).ratio()


def _mixed(labels: Sequence[str], chance: random.Random) -> list[str]:
    """The labels in any order, so that their order says nothing."""
    return chance.sample(labels, len(labels))
