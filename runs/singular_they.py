"""Does he/she -> they carry its verbs along? Our agreement against the human rewrites of Vanmassenhove et al. 2021.

    python runs/singular_they.py
    python runs/singular_they.py --show

NeuTral Rewriter's reddit and opensubtitles sets give a sentence and its gender-neutral version. The pronouns that the
reference changed are handed to `change_pronouns`; everything else is ours. A verb counts where the reference or we changed
it, and is right where both wrote the same. Spelling is no matter: "they 're" equals "they are", "doesn ' t" equals
"doesn 't", capitals are not compared.

The rules were written with the even rows in sight, the odd ones kept for a last look. That look, with a small first
pipeline, found 94.5% of the verbs right (96.4% without faulty references); what it showed was then mended too, so that
today's figure for the odd rows is no longer one of unseen data.

Some references are wrong: a verb forgotten, "has" read as "is". Those we are sure of are listed below by row number and set
aside in a second figure. Where the reference writes "they / they" for "he / she", we write "they" and count it as wrong.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import common
from longway.english.document import Document, apply_changes
from longway.english.people.pronouns import THEY, pronoun_form
from longway.english.pipeline import MODEL_PATH, EnglishPipeline, load_pipeline
from longway.english.verb_agreement import change_pronouns

SETS = ("reddit", "opensubtitles")
HALVES = {"even": 0, "odd": 1}
GENDERED = frozenset("he she him her his hers himself herself".split())
LONG = {"'re": "are", "'ve": "have"}
# Rows (counted from 0) whose reference is wrong, and how.
FORGOTTEN = "a joined verb was forgotten"
MISREAD = "has was read as is"
FAULTY: dict[str, dict[int, str]] = {
    "reddit": {
        48: FORGOTTEN, 95: FORGOTTEN, 129: MISREAD, 137: FORGOTTEN, 287: FORGOTTEN, 392: FORGOTTEN, 403: FORGOTTEN, 408: FORGOTTEN,
        428: FORGOTTEN,
    },
    "opensubtitles": {240: FORGOTTEN, 286: MISREAD, 432: "a word was left out"},
}  # fmt: skip


class Token(NamedTuple):
    text: str
    start: int


class Outcome(NamedTuple):
    row: int
    verbs: list[tuple[str, str, str]]  # as it was, in the reference, ours
    pronouns: list[tuple[str, str, str]]
    same: bool


def tokens(text: str) -> list[Token]:
    """Words and marks; an apostrophe goes with the letters behind it, also across a space."""
    found = re.finditer(r"['’] ?(?:s|t|re|ve|d|ll|m)\b|\w+|[^\w\s]", text, re.IGNORECASE)
    return [Token(_plain(m[0]), m.start()) for m in found]


def _plain(token: str) -> str:
    token = token.lower().replace("’", "'").replace(" ", "")
    return LONG.get(token, token)


def align(before: list[str], after: list[str]) -> list[str | None]:
    """For each token what became of it, None where it was left out: the cheapest alignment."""
    rows, columns = len(before) + 1, len(after) + 1
    cost = [[float(i + j) if not i or not j else 0.0 for j in range(columns)] for i in range(rows)]
    for i in range(1, rows):
        for j in range(1, columns):
            cost[i][j] = min(
                _swap(before[i - 1], after[j - 1]) + cost[i - 1][j - 1],
                cost[i - 1][j] + 1,
                cost[i][j - 1] + 1,
            )
    result: list[str | None] = [None] * len(before)
    i, j = rows - 1, columns - 1
    while i and j:
        if cost[i][j] == _swap(before[i - 1], after[j - 1]) + cost[i - 1][j - 1]:
            i, j = i - 1, j - 1
            result[i] = after[j]
        elif cost[i][j] == cost[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
    return result


def _swap(a: str, b: str) -> float:
    if a == b:
        return 0.0
    return 0.9 if a[0].isalpha() == b[0].isalpha() else 1.5


def outcome(row: int, document: Document, reference: str) -> Outcome:
    old = tokens(document.text)
    words = [token.text for token in old]
    wanted = align(words, [token.text for token in tokens(reference)])
    chosen = {t.start for t, new in zip(old, wanted, strict=True) if t.text in GENDERED and new != t.text}
    becoming = {
        w.index: THEY
        for w in document
        if w.start in chosen and pronoun_form(document, w) and w.lower in GENDERED
    }
    ours = [t.text for t in tokens(apply_changes(document.text, change_pronouns(document, becoming)))]
    got = align(words, ours)
    triples = [(a, b or "-", c or "-") for a, b, c in zip(words, wanted, got, strict=True)]
    return Outcome(
        row,
        verbs=[
            t for t in triples if t[0] not in GENDERED and _is_word(t[0]) and (t[0] != t[1] or t[0] != t[2])
        ],
        pronouns=[t for t in triples if t[0] in GENDERED and t[0] != t[1]],
        same=ours == [token.text for token in tokens(reference)],
    )


def _is_word(token: str) -> bool:
    return (token.isalpha() and len(token) > 1) or token == "'s"


def figures_of(outcomes: list[Outcome]) -> dict[str, Any]:
    verbs = [verb for one in outcomes for verb in one.verbs]
    pronouns = [pronoun for one in outcomes for pronoun in one.pronouns]
    return {
        "rows": len(outcomes),
        "verbs": len(verbs),
        "verbs_right": _share(b == c for _, b, c in verbs),
        "pronouns": len(pronouns),
        "pronouns_right": _share(b == c for _, b, c in pronouns),
        "sentences_same": _share(one.same for one in outcomes),
    }


def _share(right: Iterable[bool]) -> float:
    counts = Counter(right)
    return round(counts[True] / max(1, counts.total()), 4)


def show(title: str, parts: dict[str, list[Outcome]]) -> dict[str, Any]:
    """Print a line for all references and one for the sound ones; their figures."""
    figures = {kind: figures_of(part) for kind, part in parts.items()}
    for kind, f in figures.items():
        print(
            f"  {title + ', ' + kind + ' references':44s} {f['rows']:5d} {f['verbs']:6d} {f['verbs_right']:7.1%} "
            f"{f['pronouns']:6d} {f['pronouns_right']:7.1%} {f['sentences_same']:7.1%}"
        )
    return figures


def outcomes_of(name: str, pipeline: EnglishPipeline, limit: int | None) -> list[Outcome]:
    with gzip.open(common.data(f"neutralrewriter/{name}.jsonl.gz"), "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][:limit]
    documents = pipeline.analyse_all(row["original"] for row in rows)
    pairs = zip(documents, rows, strict=True)
    return [outcome(number, document, row["gender_neutral"]) for number, (document, row) in enumerate(pairs)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=None, help="read the first rows only")
    parser.add_argument("--seed", type=int, default=0, help="nothing here is random; kept for uniformity")
    parser.add_argument("--model", default=MODEL_PATH, help="the pipeline that analyses the sentences")
    parser.add_argument("--half", choices=list(HALVES), default=None, help="look at one half only")
    parser.add_argument(
        "--show", action="store_true", help="list the words on which we and the reference differ"
    )
    options = parser.parse_args()
    pipeline = load_pipeline(options.model)
    figures: dict[str, Any] = {name: {} for name in (*SETS, "both")}
    outcomes = {name: outcomes_of(name, pipeline, options.limit) for name in SETS}
    print(f"{'':46s} {'rows':>5s} {'verbs':>6s} {'right':>7s} {'pron.':>6s} {'right':>7s} {'same':>7s}")
    for half in [options.half] if options.half else list(HALVES):
        every: dict[str, list[Outcome]] = {"all": [], "sound": []}
        for name in SETS:
            mine = [one for one in outcomes[name] if one.row % 2 == HALVES[half]]
            parts = {"all": mine, "sound": [one for one in mine if one.row not in FAULTY[name]]}
            figures[name][half] = show(f"{name}, {half} rows", parts)
            for kind, part in parts.items():
                every[kind] += part
            if options.show:
                list_differences(mine, FAULTY[name])
        figures["both"][half] = show(f"both, {half} rows", every)
    common.finish("runs/singular_they.py", model=pipeline.name, **figures)


def list_differences(outcomes: list[Outcome], faulty: dict[int, str]) -> None:
    """Row numbers and the words only: was, reference, ours."""
    for one in outcomes:
        for was, reference, ours in one.verbs + one.pronouns:
            if reference != ours:
                print(f"    row {one.row}: {was} | {reference} | {ours}   {faulty.get(one.row, '')}")


if __name__ == "__main__":
    main()
