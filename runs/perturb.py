"""Demographic perturbation: do the rules write what people wrote?

python runs/perturb.py                                    our rules
python runs/perturb.py --peers PYTHON                     beside AugLy and nlpaug, out of an environment that has them
python runs/perturb.py --show 40                          with the first differences

mt_geneval: Wikipedia sentences that people rewrote from women to men; word for word the same, BLEU, word edit distance,
ROUGE-2, both ways. Everybody in them is changed and names stay, as in the references.
neutralrewriter: Reddit and OpenSubtitles sentences with singular "they" as people wrote them; word error rate.
False changes: texts without a gendered person must stay as they are (sst2, and gap sentences without he or she).

PYTHON: python -m venv peers; peers/bin/pip install augly "nlpaug" iopath python-magic regex gdown
(AugLy swaps by its own list; nlpaug replaces by a list it is given, here ours, without grammar.)
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import common
from longway.english.people.change import Place, Request, Rules, change_person
from longway.english.people.demographic_mentions import find_demographics
from longway.english.people.pronouns import HE, SHE
from longway.english.people.words import demographic_entries, parse_attribute
from longway.english.pipeline import load_pipeline
from longway.metrics.versions import compare_versions

Swap = Callable[[Sequence[str], str, str], list[str]]
CHECKED = Path(__file__).parent / "perturb_checked.txt"
SIDES = {"feminine": "woman", "masculine": "man"}
PEER = """
import json, sys, warnings
warnings.filterwarnings("ignore")
job = json.load(sys.stdin)
if job["peer"] == "augly":
    import augly.text as text
    new = [text.swap_gendered_words(one, aug_word_p=1.0)[0] for one in job["texts"]]
else:
    import nlpaug.augmenter.word as naw
    swap = naw.ReservedAug(reserved_tokens=job["pairs"], aug_p=1.0, aug_max=None)
    new = [swap.augment(one)[0] for one in job["texts"]]
print("ANSWER" + json.dumps(new))
"""


def lines_of(file: str) -> list[dict[str, Any]]:
    with gzip.open(common.data(file), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def words(text: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", text)


def perturbed(text: str, rules: Rules, sources: Sequence[str], target: str) -> str:
    """The text with everybody of the sources changed to the target."""
    for source in sources:
        found = [
            f
            for f in find_demographics(load_pipeline().analyse(text)).words
            if f.attribute == parse_attribute(source)
        ]
        if found:
            request = Request(
                (text,),
                Place(0, found[0].start, found[0].stop),
                parse_attribute(source),
                parse_attribute(target),
            )
            text = change_person(request, rules).segments[0]
    return text


def ours(texts: Sequence[str], source: str, target: str) -> list[str]:
    rules = Rules(everyone=True, names=False, change_famous=True)
    return [perturbed(text, rules, [source], target) for text in texts]


def peer(name: str, python: str) -> Swap:
    def swap(texts: Sequence[str], source: str, target: str) -> list[str]:
        pairs = [[getattr(HE, form), getattr(SHE, form)] for form in ("subject", "object", "determiner")]
        pairs += [
            [entry.word, entry.counterparts["woman"]]
            for entry in demographic_entries("gender")
            if entry.attribute.name == "man" and "woman" in entry.counterparts
        ]
        job = json.dumps({"peer": name, "texts": list(texts), "pairs": pairs})
        done = subprocess.run([python, "-c", PEER], input=job, text=True, capture_output=True, check=False)
        if done.returncode:
            raise SystemExit(f"{name} does not run there: {done.stderr.strip().splitlines()[-1]}")
        return list(json.loads(done.stdout.rpartition("ANSWER")[2]))

    return swap


def compare(swaps: dict[str, Swap], limit: int | None, show: int) -> dict[str, dict[str, float]]:
    """Both ways of mt_geneval for every swapper."""
    rows = lines_of("mt_geneval/part_a.jsonl.gz")[:limit]
    results: dict[str, dict[str, float]] = {}
    print(f"mt_geneval, {len(rows)} sentences")
    print(f"  {'':8}{'to':12}{'exact':>8}{'BLEU':>8}{'edits':>8}{'ROUGE-2':>9}")
    for name, swap in swaps.items():
        for source, target in (("feminine", "masculine"), ("masculine", "feminine")):
            new = swap([row[source] for row in rows], SIDES[source], SIDES[target])
            wanted = [row[target] for row in rows]
            # AugLy joins tokens anew; spaces are not what is measured
            is_same = [words(a) == words(b) for a, b in zip(new, wanted, strict=True)]
            found = compare_versions(wanted, new)
            figures = {
                "exact": float(np.mean(is_same)),
                "bleu": found.bleu,
                "edits": float(
                    np.mean([edit_distance(words(a), words(b)) for a, b in zip(new, wanted, strict=True)])
                ),
                "rouge2": 100 * found.rouge.rouge2,
            }
            print(
                f"  {name:8}{target:12}{figures['exact']:>8.1%}{figures['bleu']:>8.1f}{figures['edits']:>8.2f}"
                f"{figures['rouge2']:>9.1f}",
                flush=True,
            )
            results[f"{name}_to_{target}"] = figures
            if name == "ours":
                wrong = [i for i, same in enumerate(is_same) if not same]
                for i in wrong[:show]:
                    print(f"    {i}: {difference(new[i], wanted[i])}   [{rows[i][source]}]")
    return results


def edit_distance(one: Sequence[str], other: Sequence[str]) -> int:
    from rapidfuzz.distance import Levenshtein

    return int(Levenshtein.distance(one, other))


def difference(one: str, other: str) -> str:
    """What we wrote and what was wanted, where they differ."""
    import difflib

    a, b = words(one), words(other)
    codes = difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return "; ".join(
        f"{' '.join(a[i:j])} instead of {' '.join(b[k:m])}" for tag, i, j, k, m in codes if tag != "equal"
    )


def neutral(limit: int | None, show: int) -> dict[str, float]:
    """Word error rate of singular "they" against what people wrote."""
    rules = Rules(everyone=True, names=False, nouns=False, change_famous=True)
    found = {}
    for part in ("reddit", "opensubtitles"):
        rows = lines_of(f"neutralrewriter/{part}.jsonl.gz")[:limit]
        new = [perturbed(row["original"], rules, ["man", "woman"], "non-binary") for row in rows]
        pairs = [(a.split(), row["gender_neutral"].split()) for a, row in zip(new, rows, strict=True)]
        errors = [edit_distance(a, b) for a, b in pairs]
        found[part] = sum(errors) / sum(len(b) for _, b in pairs)
        exact = float(np.mean([error == 0 for error in errors]))
        print(f"neutralrewriter {part}: word error rate {found[part]:.2%}, {exact:.1%} word for word")
        wrong = [i for i, error in enumerate(errors) if error]
        for i in wrong[:show]:
            print(f"    {i}: {difference(new[i], rows[i]['gender_neutral'])}   [{rows[i]['original']}]")
    return found


def sampled(limit: int, seed: int) -> dict[str, str]:
    """Texts without a gendered pronoun by row id, half from sst2, half sentences from gap."""
    gendered = re.compile(r"\b(he|him|his|himself|she|her|hers|herself)\b", re.IGNORECASE)
    ends = re.compile(r"(?<=[a-z0-9)]{2}[.!?]) +(?=[A-Z])")
    reviews = {f"sst2-{i}": row["text"] for i, row in enumerate(lines_of("sst2/dev.jsonl.gz"))}
    gap = {
        f"gap-{i}.{j}": part
        for i, row in enumerate(lines_of("gap/development.jsonl.gz"))
        for j, part in enumerate(ends.split(row["text"]))
    }
    random = np.random.default_rng(seed)
    chosen: dict[str, str] = {}
    for texts in (reviews, gap):
        plain = [key for key, text in texts.items() if not gendered.search(text)]
        chosen |= {plain[i]: texts[plain[i]] for i in random.permutation(len(plain))[: limit // 2]}
    return chosen


def false_changes(wanted: int, seed: int, show: int) -> float:
    """Of the texts that speak of no gendered person, the share that is changed all the same.

    Which texts speak of one was judged by hand for the default sample, of those that were changed (`perturb_checked.txt`, row ids): these are
    not counted, above and below the line. A changed text that was not judged counts as a false change, so that other samples look worse.
    """
    judged = set(CHECKED.read_text(encoding="utf-8").split())
    rules = Rules(everyone=True)
    texts = sampled(wanted, seed)
    both = [(["woman"], "man"), (["man"], "woman")]
    changed = {
        key: new
        for key, text in texts.items()
        for sources, target in both
        if (new := perturbed(text, rules, sources, target)) != text
    }
    wrong = [key for key in changed if key not in judged]
    nobody = [key for key in texts if key not in judged]
    share = len(wrong) / len(nobody) if nobody else 0.0
    print(
        f"texts without a gendered pronoun: {len(changed)} of {len(texts)} are changed (names and nouns for people). "
        f"Without a gendered person in them: {len(nobody)}, of which {len(wrong)} ({share:.1%}) are changed; "
        f"of all texts {len(wrong) / len(texts):.1%}"
    )
    for key in wrong[:show]:
        print(f"    {key}: {difference(texts[key], changed[key])}   [{texts[key][:150]}]")
    return share


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", help="a Python that has augly and nlpaug")
    parser.add_argument("--limit", type=int, help="rows of each part that is compared; all by default")
    parser.add_argument("--texts", type=int, default=200, help="texts for false changes")
    parser.add_argument("--seed", type=int, default=13, help="of their sample; 13 is the one judged by hand")
    parser.add_argument("--show", type=int, default=0, help="differences to print for each part")
    options = parser.parse_args()
    swaps: dict[str, Swap] = {"ours": ours}
    if options.peers:
        swaps |= {name: peer(name, options.peers) for name in ("augly", "nlpaug")}
    found = compare(swaps, options.limit, options.show)
    wer = neutral(options.limit, options.show)
    changed = false_changes(options.texts, options.seed, options.show)
    common.finish(
        "runs/perturb.py",
        exact_to_masculine=found["ours_to_masculine"]["exact"],
        exact_to_feminine=found["ours_to_feminine"]["exact"],
        bleu=(found["ours_to_masculine"]["bleu"] + found["ours_to_feminine"]["bleu"]) / 2,
        neutral_wer=max(wer.values()),
        false_change=changed,
        rows=found,
    )


if __name__ == "__main__":
    main()
