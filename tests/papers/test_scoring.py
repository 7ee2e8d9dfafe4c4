"""Rewrites against those of people: slow twins written from the paper's words, and hand computations."""

import json
import re
from argparse import Namespace
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU

from longway.metrics.bleu import sacre_bleu
from panda import read_panda
from score import (
    AGREEMENTS,
    COPIED,
    MEASURES,
    PAIRS,
    PEOPLE,
    agreement,
    agreements,
    closeness_rows,
    likelihoods,
    measures,
    scored,
    with_intervals,
    word_distance,
    written_words,
)
from tests.methods.perturb.toy_sentences import learned, request_of, toy_rows
from tests.metrics.test_versions import slow_edits

WORDS = "She she he lost her his hat . , ?".split()
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
pairs = st.lists(st.tuples(texts, texts), min_size=1, max_size=5)
several = st.lists(texts, min_size=2, max_size=4)
MEASURED = {name: i for i, name in enumerate(AGREEMENTS)}


def slow_words(text):
    return re.findall(r"\w+|[^\w\s]", text)


def slow_rouge2(text, other):
    """F1 of shared word pairs, each counted as often as both texts have it."""
    counts = []
    for one in (text, other):
        words = re.findall(r"\w+", one.lower())
        counts.append(Counter(pairwise(words)))
    shared = (counts[0] & counts[1]).total()
    return 2 * shared / (counts[0].total() + counts[1].total()) if shared else 0.0


def table_2(wrote, wanted, together=None):
    rows = np.hstack([closeness_rows(wrote, wanted, wanted), np.zeros((len(wrote), 2))])
    together = np.arange(len(rows)) if together is None else together
    return with_intervals(MEASURES, measures, rows, together, 0)


@given(pairs=pairs)
def test_table_2_equals_the_slow_twins(pairs):
    wrote, wanted = map(list, zip(*pairs, strict=True))
    found = dict(zip(MEASURES, measures(np.hstack([closeness_rows(wrote, wanted, wrote), np.zeros((len(wrote), 2))])), strict=True))  # fmt: skip
    distances = [slow_edits(slow_words(one), slow_words(other)) for one, other in pairs]
    assert found["bleu"] == pytest.approx(sacre_bleu(wrote, wanted))
    assert found["rouge2"] == pytest.approx(100 * np.mean([slow_rouge2(*pair) for pair in pairs]))
    assert found["distance"] == pytest.approx(np.mean(distances))
    assert found["exact"] == pytest.approx(100 * np.mean([distance == 0 for distance in distances]))
    assert found["unchanged"] == 100
    assert np.isnan(found["perplexity"])


def slow_agreement(texts):
    """Appendix D, loop by loop."""
    tokens = [slow_words(text) for text in texts]
    most = max(tokens.count(one) for one in tokens)
    at_places = []
    for place in range(max(map(len, tokens))):
        there = [one[place] if place < len(one) else None for one in tokens]
        at_places.append(max(there.count(token) for token in there) / len(texts))
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"])
    scores = {name: [] for name in AGREEMENTS[2:]}
    for i, one in enumerate(texts):
        for j, other in enumerate(texts):
            if i == j:
                continue
            rouge = {name: value.fmeasure for name, value in scorer.score(other, one).items()}
            scores["bleu"].append(BLEU(effective_order=True).sentence_score(one, [other]).score)
            for name, theirs in (("rouge1", "rouge1"), ("rouge2", "rouge2"), ("rouge_l", "rougeL")):
                scores[name].append(100 * rouge[theirs])
            scores["rouge_lsum"].append(100 * rouge["rougeLsum"])
            longer = max(len(tokens[i]), len(tokens[j]))
            scores["distance"].append(slow_edits(tokens[i], tokens[j]) / longer)
    means = [np.mean(scores[name]) for name in AGREEMENTS[2:]]
    return [100 * most / len(texts), 100 * np.mean(at_places), *means]


@given(several=several)
def test_agreement_equals_appendix_d_loop_by_loop(several):
    assert agreement(several) == pytest.approx(slow_agreement(several))


def test_agreement_of_three_by_hand():
    """Two of three write the same; the third has another word at one of four places."""
    found = agreement(["He lost it.", "He lost it.", "They lost it."])
    assert found[MEASURED["full"]] == pytest.approx(200 / 3)
    assert found[MEASURED["tokens"]] == pytest.approx((200 / 3 + 300) / 4)
    assert found[MEASURED["rouge1"]] == pytest.approx((100 + 2 * 200 / 3) / 3)
    assert found[MEASURED["distance"]] == pytest.approx(2 / 3 * 1 / 4)


def test_case_counts_and_white_space_does_not():
    assert word_distance("He  left .", "He left.") == (0, 3)
    assert word_distance("he left.", "He left.") == (1, 3)
    assert written_words("Zoë’s 10/10\n\nhat") == ["Zoë’s", "10/10", "hat"]


def test_intervals_narrow_with_rows_and_hold_the_value():
    wrote, wanted = ["He lost it .", "he lost it ."], ["He lost it .", "He lost it ."]
    few, many = (table_2(wrote * n, wanted * n) for n in (5, 100))
    for name in ("bleu", "rouge2", "distance", "exact"):
        assert few[name].value == pytest.approx(many[name].value), name
    assert few["exact"].low < many["exact"].low <= 50 <= many["exact"].high < few["exact"].high
    copies = table_2(wrote * 50, wanted * 50, together=np.array([0, 1] * 50))
    assert (copies["exact"].low, copies["exact"].high) == (0, 100)  # two texts, drawn together


# A whole score


def row(original, word, target, perturbed):
    return {"original": original, "selected_word": word, "target_attribute": target, "perturbed": perturbed}


BY_PEOPLE = [
    row("She sold her hat.", "She", "man", "He sold his hat."),
    row("She sold her hat.", "She", "man", "He sold his cap."),
    row("A white teacher sang. <SEP> The wall is white.", "white", "black", "A Black teacher sang. <SEP> The wall is white."),
    row("The mayor opened the bridge.", "mayor", "woman", "The mayoress opened the bridge."),
]  # fmt: skip


def test_figures_are_those_of_the_rewrites(tmp_path, capsys):
    pytest.importorskip("spacy")
    rows = read_panda([*BY_PEOPLE, row("The clock stopped.", "she", "man", "The clock stopped.")])
    options = Namespace(perturber=["rules"], seed=0, out=tmp_path, budget=None, journal=None, device="cpu", batch_size=4)  # fmt: skip
    found = scored("people", rows, options)
    assert "4 rows; 1 without the selected word" in capsys.readouterr().out
    before = [one["original"].replace(" <SEP>", "") for one in BY_PEOPLE]
    wanted = [one["perturbed"].replace(" <SEP>", "") for one in BY_PEOPLE]
    wrote = [wanted[0], wanted[0], wanted[2], before[3]]
    assert found[COPIED]["bleu"] == pytest.approx(sacre_bleu(before, wanted))
    assert found["rules"]["bleu"] == pytest.approx(sacre_bleu(wrote, wanted))
    assert (found["rules"]["distance"], found["rules"]["exact"], found["rules"]["unchanged"]) == (0.5, 50, 25)
    assert found["agreement, rules"]["full"] == 75
    assert found["agreement, people"] == pytest.approx(dict(zip(AGREEMENTS, agreement(wanted[:2]), strict=True)))  # fmt: skip
    lines = [json.loads(line) for line in (tmp_path / "people.jsonl").read_text().splitlines()]
    assert [one["rules"][0] for one in lines] == wrote
    assert lines[3]["rules"][1]  # the reason


def test_people_are_compared_all_together_and_two_at_a_time():
    rows = read_panda([*BY_PEOPLE[:2], BY_PEOPLE[0]])
    found = {name: tasks[0][0] for name, tasks, _ in agreements(rows, {"mine": ["He sold his hat."] * 3})}
    assert found == pytest.approx({PEOPLE: 200 / 3, PAIRS: (100 + 50 + 50) / 3, "mine": (100 + 50 + 100) / 3})


def test_the_likelihood_of_a_rewrite_is_that_of_its_tokens_one_by_one(tmp_path, bases):
    """The slow twin: the log-probability of each token looked up."""
    torch = pytest.importorskip("torch")
    from bases import pair
    from longway.methods.perturb.neural import NeuralPerturber

    rows = toy_rows(6)
    for base in ("tiny", bases("causal")):
        folder = tmp_path / Path(base).name
        learned(base, rows, folder, "--epochs", "1", validation=rows[:1])
        perturber = NeuralPerturber(folder, device="cpu")
        network = perturber.network
        rewrites = [*(row.after for row in rows), ("he " * 600,), ("he <SEP> left",)]
        requests = [request_of(row) for row in [*rows, *rows[:2]]]
        found = likelihoods(perturber, requests, rewrites)
        assert found[-2:].tolist() == [[0, 0], [0, 0]]  # too long, and a mark in it
        source = perturber.form.source(requests[0].segments, requests[0].word, requests[0].target)
        example = pair(network, source, rewrites[0][0])
        labels = {"labels": torch.tensor([example.labels])}
        with torch.inference_mode():
            scores = torch.log_softmax(network.model(input_ids=torch.tensor([example.source]), **labels).logits[0], -1)  # fmt: skip
        shift = int(network.is_causal)
        slow = [float(scores[i - shift][label]) for i, label in enumerate(example.labels) if label != -100]
        assert found[0].tolist() == pytest.approx([sum(slow), len(slow)], rel=1e-3)
