"""How good and how fast is the English analysis? Tags, parse and lemmas on two treebanks, person chains on GAP.

    python runs/analysis.py [--model longway] [--limit N]

Everything starts from raw text, as a user's data does: the pipeline finds words and sentences itself. Scored like the CoNLL 2018
shared task (Zeman et al. 2018): a word counts only if its boundaries are right; relations without their subtypes;
F1 over words. "of the words found" is the same without the words whose boundaries differ.

Beside it stand figures of en_core_web_sm from its own model card: other text (OntoNotes), other labels, scored by spaCy; they
tell the order of magnitude, not who is better.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from common import data, finish
from longway.english.document import Document
from longway.english.pipeline import MODEL_PATH, EnglishPipeline, load_pipeline
from people import gap_figures, show_gap

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "train"))
from treebank import sentences

TREEBANKS = {"EWT test": "ud_ewt/test.conllu.gz", "GUM dev": "ud_gum/dev.conllu.gz"}
MEASURES = ("words", "sentences", "upos", "xpos", "uas", "las", "lemma")
# en_core_web_sm 3.7.1, its model card: OntoNotes, ClearNLP labels, spaCy's scorer; the card has no UPOS and no lemma figure.
SMALL_SPACY = {"sentences": 90.59, "xpos": 97.25, "uas": 91.75, "las": 89.87}


@dataclass
class Gold:
    """One document of a treebank: its text and, for each word, where it stands and what it should be."""

    text: str = ""
    spans: list[tuple[int, int]] = field(default_factory=list)
    words: list[dict[str, Any]] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)  # index of the head, -1 for a root
    sentences: list[tuple[int, int]] = field(default_factory=list)  # offsets


def gold_documents(path: Path) -> Iterator[Gold]:
    """Paragraphs, four to a document, put together as they were written."""
    paragraphs = [
        [words for _, words in group] for _, group in groupby(sentences(path), key=lambda pair: pair[0])
    ]
    for first in range(0, len(paragraphs), 4):
        gold = Gold()
        for paragraph in paragraphs[first : first + 4]:
            gold.text = gold.text.rstrip() + ("\n\n" if gold.text else "")
            for sentence in paragraph:
                _add(gold, sentence)
        yield gold


def _add(gold: Gold, sentence: list[dict[str, Any]]) -> None:
    base, start = len(gold.words), len(gold.text)
    for word in sentence:
        gold.spans.append((len(gold.text), len(gold.text) + len(word["form"])))
        gold.heads.append(base + word["head"] - 1 if word["head"] else -1)
        gold.words.append(word)
        gold.text += word["form"] + (" " if word["space_after"] else "")
    gold.sentences.append((start, gold.spans[-1][1]))


def score(documents: list[Gold], analysed: list[Document]) -> tuple[dict[str, float], dict[str, float]]:
    """(F1 of everything in per cent, share right of the words whose boundaries were found)."""
    right = dict.fromkeys(MEASURES, 0)
    n_gold = n_found = gold_sentences = found_sentences = 0
    for gold, document in zip(documents, analysed, strict=True):
        at = {(word.start, word.end): word for word in document.words}
        n_gold, n_found = n_gold + len(gold.words), n_found + len(document.words)
        ends = {(document.words[a].start, document.words[b - 1].end) for a, b in document.sentences}
        gold_sentences, found_sentences = gold_sentences + len(gold.sentences), found_sentences + len(ends)
        right["sentences"] += len(ends & set(gold.sentences))
        for span, word, head in zip(gold.spans, gold.words, gold.heads, strict=True):
            found = at.get(span)
            if found is None:
                continue
            right["words"] += 1
            right["upos"] += found.upos == word["upos"]
            right["xpos"] += found.tag == word["xpos"]
            right["lemma"] += found.lemma == word["lemma"]
            above = document.head(found)
            attached = (above is None and head == -1) or (
                above is not None and head >= 0 and (above.start, above.end) == gold.spans[head]
            )
            right["uas"] += attached
            right["las"] += attached and found.relation == word["deprel"].partition(":")[0]
    f1 = {name: 200 * value / (n_gold + n_found) for name, value in right.items()}
    f1["sentences"] = 200 * right["sentences"] / (gold_sentences + found_sentences)
    share = {
        name: 100 * value / max(1, right["words"]) for name, value in right.items() if name != "sentences"
    }
    return f1, share


def speed(pipeline: EnglishPipeline, texts: list[str]) -> float:
    """Tokens a second of processor time on one core: the better of two passes, documents built."""
    best = 0.0
    for _ in range(2):
        start = time.process_time()
        n = sum(len(document) for document in pipeline.analyse_all(texts))
        best = max(best, n / (time.process_time() - start))
    return best


def main() -> None:
    """Print the tables and the closing line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--model", default=MODEL_PATH, help="a spaCy pipeline with Universal Dependencies labels"
    )
    parser.add_argument("--limit", type=int, help="only so many documents of each set")
    parser.add_argument("--seed", type=int, default=0, help="for the bootstrap intervals on GAP")
    args = parser.parse_args()
    pipeline = load_pipeline(args.model)
    table = Table(
        "", *MEASURES, title=f"{pipeline.name}, from raw text, per cent", title_justify="left", box=None
    )
    figures: dict[str, float] = {}
    for name, path in TREEBANKS.items():
        documents = list(gold_documents(data(path)))[: args.limit]
        analysed = list(pipeline.analyse_all([gold.text for gold in documents]))
        f1, share = score(documents, analysed)
        table.add_row(f"{name}, F1", *(f"{f1[m]:.2f}" for m in MEASURES))
        table.add_row(
            "  of the words found", *(f"{share[m]:.2f}" if m in share else "" for m in MEASURES), style="dim"
        )
        figures |= f1 if not figures else {f"gum_{measure}": value for measure, value in f1.items()}
        if "tokens_s" not in figures:
            figures["tokens_s"] = speed(pipeline, [gold.text for gold in documents])
    table.add_row(
        "en_core_web_sm 3.7.1, its card",
        *(f"{SMALL_SPACY[m]:.2f}" if m in SMALL_SPACY else "" for m in MEASURES),
    )
    console = Console(width=150)
    console.print(table)
    console.print(
        f"\n{figures['tokens_s']:,.0f} tokens a second on one core (processor time, documents built)\n"
    )
    gap = gap_figures(pipeline, limit=max(60, 4 * args.limit) if args.limit else None, seed=args.seed)
    show_gap(console, gap)
    finish("runs/analysis.py", **{name: round(value, 2) for name, value in figures.items()}, **gap.closing())


if __name__ == "__main__":
    main()
