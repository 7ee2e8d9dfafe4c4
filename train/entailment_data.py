"""Pairs to train the entailment model on: public datasets, and our own perturbations of them.

A pair has a context, a text and the answers that are right: "e" (the context entails the text), "c" (contradicts),
"n" (neither). "cn" means that either would do: RTE does not tell the two apart, nor do we after swapping a name.

Perturbations keep the model from being blind to small words: negation put in and taken out in many wordings, numbers changed,
names swapped, contexts exchanged, and a text beside its own negation, so that "not" alone says nothing.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longway.english.document import Document
from longway.english.inflection import inflect
from longway.english.pipeline import load_pipeline
from longway.english.replacements import antonyms
from longway.methods.method import RewriteRequest
from longway.methods.writers import RuleWriter
from longway.models.minilm import tidied
from longway.task import task_of

FACTS = task_of(["REFUTES", "SUPPORTS"], text_name="claim", context_name="evidence")
INFERENCE = task_of(
    ["contradiction", "entailment", "neutral"], text_name="hypothesis", context_name="premise"
)
FEVER_LABELS = {"SUPPORTS": "e", "REFUTES": "c"}
FLIP = {"e": "c", "c": "e"}


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair; source: the dataset, followed by "+" and the perturbation where there was one."""

    context: str
    text: str
    answers: str
    source: str


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a gzipped JSON-lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def normal(text: str) -> str:
    """Letters and digits in lower case, one space between words."""
    return " ".join(re.sub(r"[^a-z0-9 ]+", " ", text.lower()).split())


def of_pairs(path: Path, source: str, keep: Any = lambda row: True) -> list[Pair]:
    """Premise-hypothesis rows with labels entailment, contradiction, neutral (or not_entailment)."""
    answers = {"entailment": "e", "contradiction": "c", "neutral": "n", "not_entailment": "cn"}
    return [
        Pair(row["premise"], row["hypothesis"], answers[row["label"]], source)
        for row in rows(path)
        if row["label"] in answers and keep(row)
    ]


def of_fever(path: Path, source: str, avoid: frozenset[str] = frozenset()) -> list[Pair]:
    """Evidence-claim rows, without those whose claim is to be avoided."""
    return [
        Pair(tidied(row["evidence"]), tidied(row["claim"]), FEVER_LABELS[row["label"]], source)
        for row in rows(path)
        if normal(tidied(row["claim"])) not in avoid
    ]


def read_all(data: Path) -> tuple[list[Pair], list[Pair], dict[str, list[Pair]]]:
    """Training pairs, pairs to choose settings by, and test sets that neither has seen."""
    symmetric = {
        name: of_fever(data / "fever_symmetric" / f"{name}.jsonl.gz", "symmetric")
        for name in ("v0.1_generated", "v0.2_dev")
    }
    avoid = frozenset(normal(p.text) for part in symmetric.values() for p in part)
    fever = of_fever(data / "fever" / "paper_dev_supports_refutes.jsonl.gz", "fever", avoid)
    snli_dev = of_pairs(data / "snli" / "dev.jsonl.gz", "snli")
    tests = {
        "fever_test": of_fever(data / "fever" / "paper_test_supports_refutes.jsonl.gz", "fever"),
        "symmetric_v0.1": symmetric["v0.1_generated"],
        "symmetric_v0.2": symmetric["v0.2_dev"],
        "snli_dev": snli_dev[2000:],
        "snli_test": of_pairs(data / "snli" / "test.jsonl.gz", "snli"),
        "human_cad_snli": of_pairs(data / "human_cad_snli" / "revised_combined_dev.jsonl.gz", "cad"),
        "mnli_matched": of_pairs(data / "mnli" / "dev_matched.jsonl.gz", "mnli"),
    }
    seen = {normal(p.context) for part in tests.values() for p in part}
    cad = of_pairs(data / "human_cad_snli" / "original_train.jsonl.gz", "cad") + of_pairs(
        data / "human_cad_snli" / "revised_combined_train.jsonl.gz", "cad"
    )
    disco = [
        Pair(row["new_premise"], row["hypothesis"], row["new_label"][0], "disco")
        for row in rows(data / "disco_snli_counterfactuals" / "accepted.jsonl.gz")
        if normal(row["premise"]) not in seen
    ]
    others = (
        of_pairs(data / "snli" / "train_pool.jsonl.gz", "snli")
        + disco
        + of_pairs(data / "mnli" / "train_subset_3k.jsonl.gz", "mnli")
        + of_pairs(data / "wanli" / "subset_15k.jsonl.gz", "wanli")
        + of_pairs(data / "rte" / "train.jsonl.gz", "rte")
    )
    # What settings are chosen by shares no context with what is trained on.
    mixed = random.Random(7)
    kept: dict[str, bool] = {}
    for pair in fever + cad:
        kept.setdefault(normal(pair.context), mixed.random() > 0.08)
    train = [p for p in fever + cad + others if kept.get(normal(p.context), True)]
    choose = [p for p in fever + cad if not kept[normal(p.context)]] + snli_dev[:2000]
    return train, choose, tests


def perturbed(pairs: Iterable[Pair], *, seed: int, limit: int) -> list[Pair]:
    """Our perturbations of some pairs, `limit` of them from each dataset that has sentences to perturb."""
    random_ = random.Random(seed)
    found: list[Pair] = []
    by_source: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_source.setdefault(pair.source, []).append(pair)
    for source in ("fever", "snli", "wanli", "mnli"):
        part = by_source.get(source, [])
        chosen = part if source == "fever" else random_.sample(part, min(limit, len(part)))
        documents = load_pipeline().analyse_all([p.text for p in chosen])
        names = sorted({name for p in part for name in _names(p.text)}) if source == "fever" else []
        for pair, document in zip(chosen, documents, strict=True):
            found.extend(_negated(pair, document, random_))
            found.extend(_numbers(pair, random_))
            found.extend(_opposites(pair, document, random_))
            if names:
                found.extend(_swapped_names(pair, names, random_))
                found.extend(_other_context(pair, part, random_))
    return found


def reworded(pairs: Iterable[Pair], *, seed: int, limit: int) -> list[Pair]:
    """Texts put differently by our rules, which keep what they mean: the answers stay.

    Without them the model takes "nothing but" for anything but "only", since it learned what "only" comes with.
    """
    random_ = random.Random(seed)
    found: list[Pair] = []
    for source, task in (("fever", FACTS), ("snli", INFERENCE), ("wanli", INFERENCE)):
        part = [pair for pair in pairs if pair.source == source]
        chosen = part if source == "fever" else random_.sample(part, min(limit, len(part)))
        requests = [RewriteRequest(0, pair.text, task.labels[0], 2) for pair in chosen]
        for pair, written in zip(chosen, RuleWriter(task, seed)(requests), strict=True):
            for text, how in zip(written.texts, written.how, strict=True):
                if not how.startswith("label:"):
                    found.append(Pair(pair.context, text, pair.answers, f"{source}+reworded"))
    return found


def _negated(pair: Pair, document: Document, random_: random.Random) -> Iterator[Pair]:
    """Negation put in or taken out, against the context and against the text itself."""
    without = taken_out(document)
    if without:
        if pair.answers in FLIP:
            yield Pair(pair.context, without, _flipped(pair), pair.source + "+not_out")
        yield Pair(without, pair.text, "c", pair.source + "+not_self")
        yield Pair(pair.text, without, "c", pair.source + "+not_self")
        return
    ways = put_in(document)
    if not ways:
        return
    first, second = random_.sample(ways, 2) if len(ways) > 1 else (ways[0], ways[0])
    if pair.answers in FLIP:
        yield Pair(pair.context, first, _flipped(pair), pair.source + "+not_in")
        if pair.source == "fever":
            yield Pair(pair.context, second, _flipped(pair), pair.source + "+not_in")
    if random_.random() < 0.4:
        yield Pair(first, second, "e", pair.source + "+not_both")
        yield random_.choice(
            [
                Pair(pair.text, first, "c", pair.source + "+not_self"),
                Pair(first, pair.text, "c", pair.source + "+not_self"),
            ]
        )


def _flipped(pair: Pair) -> str:
    # A contradiction's negation follows where the two speak of one fact, as in FEVER; elsewhere it may be open.
    return FLIP[pair.answers] if pair.answers == "e" or pair.source == "fever" else "en"


def put_in(document: Document) -> list[str]:
    """The text negated, in several wordings; none where its main verb is not plain or it is negated already."""
    text = document.text
    if len(document.sentences) != 1 or re.search(
        r"\b(not|no|never|n't|nobody|nothing|none|without|only)\b|n't", text.lower()
    ):
        return []
    root = next(w for w in document if w.head == w.index)
    verbs = [*document.children(root, "aux", "cop"), root]
    verb = min(verbs, key=lambda w: w.index)
    if not document.children(root, "nsubj") or verb.upos not in ("AUX", "VERB"):
        return []
    before, after = text[: verb.start], text[verb.end :]
    if verb.upos == "AUX":
        word = verb.text
        ways = [f"{word} not", f"{word} never", f"{word} by no means", f"{word} in no way"]
        if word in ("is", "are", "was", "were", "has", "have", "had", "does", "did", "could", "would"):
            ways.append(f"{word}n't")
        if word in ("is", "was", "are", "were") and verb.dep == "cop" and root.upos in ("NOUN", "ADJ"):
            ways.append(f"{word} anything but")
        return [before + way + after for way in ways]
    lemma = root.lemma
    if verb.tag not in ("VBD", "VBZ", "VBP") or not lemma.isalpha():
        return []
    helper = {"VBD": "did", "VBZ": "does", "VBP": "do"}[verb.tag]
    fail = {"VBD": "failed", "VBZ": "fails", "VBP": "fail"}[verb.tag]
    ways = [f"{helper} not {lemma}", f"{helper}n't {lemma}", f"{fail} to {lemma}", f"never {verb.text}"]
    if verb.tag == "VBD":
        ways += [f"at no time {verb.text}", f"was unable to {lemma}"]
    return [before + way + after for way in ways]


_OUT = re.compile(
    r"\b(is|are|was|were|has|have|had|can|could|will|would)(?: not|n't| never| in no way)\b|\bcannot\b",
)
_DID = re.compile(r"\b(did|does|do)(?: not|n't)( ever)? ([a-z]+)\b")
_FAILED = re.compile(r"\b(?:failed|refused) to ([a-z]+)\b")
_INCAPABLE = re.compile(r"\b(is|was|are|were) incapable of being\b")


def taken_out(document: Document) -> str | None:
    """The text without its one negation, None where it has none that we know how to take out."""
    text = document.text
    if len(document.sentences) != 1:
        return None
    if match := _INCAPABLE.search(text):
        return text[: match.start()] + match.group(1) + text[match.end() :]
    if match := _OUT.search(text):
        return text[: match.start()] + (match.group(1) or "can") + text[match.end() :]
    if match := _DID.search(text):
        tag = {"did": "VBD", "does": "VBZ", "do": "VBP"}[match.group(1)]
        verb = inflect(match.group(3), tag)
        return text[: match.start()] + verb + text[match.end() :] if verb else None
    if match := _FAILED.search(text):
        verb = inflect(match.group(1), "VBD")
        return text[: match.start()] + verb + text[match.end() :] if verb else None
    return None


NUMBER_WORDS = "two three four five six seven eight nine ten eleven twelve".split()
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?![\w.]*\d)|\b(?:" + "|".join(NUMBER_WORDS) + r")\b")


def _numbers(pair: Pair, random_: random.Random) -> Iterator[Pair]:
    """An entailed text with another number, and with the same number written in the other way."""
    match = _NUMBER.search(pair.text)
    if pair.answers != "e" or match is None:
        return
    number = match.group().replace(",", "")
    head, tail = pair.text[: match.start()], pair.text[match.end() :]
    if number.isdigit():
        value = int(number)
        step = random_.choice([1, 2, 3, 5, 7, 10, 20]) * random_.choice([-1, 1])
        other = str(abs(value + step) + (0 if abs(value + step) != value else 1))
        same = NUMBER_WORDS[value - 2] if 2 <= value <= 12 else None
    else:
        other = random_.choice([w for w in NUMBER_WORDS if w != number])
        same = str(NUMBER_WORDS.index(number) + 2)
    # "Two men" follows from "three men": outside FEVER a smaller number may be no contradiction.
    yield Pair(
        pair.context, head + other + tail, "c" if pair.source == "fever" else "cn", pair.source + "+number"
    )
    if same:
        yield Pair(pair.context, head + same + tail, "e", pair.source + "+number_word")


def _opposites(pair: Pair, document: Document, random_: random.Random) -> Iterator[Pair]:
    """A text beside itself with a word turned into its opposite, and that negated again."""
    for word in document:
        if word.upos not in ("ADJ", "VERB", "ADV") or random_.random() < 0.3:
            continue
        for found in antonyms(word, document)[:1]:
            other = document.text[: found.start] + found.text + document.text[found.end :]
            yield Pair(document.text, other, "c", pair.source + "+opposite")
            if pair.answers == "e":
                yield Pair(pair.context, other, "cn", pair.source + "+opposite")
            head = document.head(word)
            if word.upos == "ADJ" and head is None and document.children(word, "cop"):
                back = document.text[: found.start] + "not " + found.text + document.text[found.end :]
                yield Pair(document.text, back, "e", pair.source + "+double")
            return


_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)*")


def _names(text: str) -> list[str]:
    return _NAME.findall(text)


def _swapped_names(pair: Pair, names: list[str], random_: random.Random) -> Iterator[Pair]:
    found = [name for name in _names(pair.text) if name in pair.context]
    if not found or random_.random() < 0.3:
        return
    old, new = random_.choice(found), random_.choice(names)
    if new not in pair.context and new.count(" ") == old.count(" "):
        yield Pair(pair.context, pair.text.replace(old, new), "cn", pair.source + "+name")


def _other_context(pair: Pair, part: list[Pair], random_: random.Random) -> Iterator[Pair]:
    """Evidence about something else says nothing about a claim."""
    if random_.random() < 0.6:
        return
    other = random_.choice(part).context
    words = set(re.findall(r"[A-Z]\w+", pair.text))
    if words and not any(word in other for word in words):
        yield Pair(other, pair.text, "n", pair.source + "+context")
