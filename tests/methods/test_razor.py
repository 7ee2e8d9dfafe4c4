"""RAZOR's loop against Algorithm 1 in plain Python, and what it does at its edges."""

import zlib
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from longway.errors import DataError, SettingError
from longway.methods.loop import NOT_VERIFIED
from longway.methods.method import NOT_BETTER, NOT_CHOSEN, RETURNS
from longway.methods.razor import NOTHING_LEFT, Razor, RazorSettings
from longway.records import BUDGET_SPENT, Leak
from longway.verify.check import Origin
from tests.methods import oracle
from tests.methods.parts import Verifier, Writer, rows_of, texts_after

WORDS = "a b c d e f not only new .".split()
text = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
datasets = st.lists(st.tuples(text, st.integers(0, 2)), min_size=4, max_size=9).filter(
    lambda rows: len({label for _, label in rows}) > 1
)
TEXTS = ["it is not a film", "he is not tall at all", "it is a good film", "he is tall", "she was here", "no"]
LABELS = [0, 0, 1, 1, 1, 0]


def number(*parts):
    """A number that depends on the parts alone, the same in every process."""
    return zlib.crc32("|".join(map(str, parts)).encode())


def scripted_texts(text, sample):
    """Up to three candidates; some rows get none, depending on the sample number."""
    draws = [np.random.default_rng(number(text, sample, i)) for i in range(number("n", text, sample) % 4)]
    return [" ".join(draw.choice(WORDS, size=draw.integers(1, 7))) for draw in draws]


def scripted_verdict(before, after):
    return number("verdict", before, after) % 3 > 0


def run(rows, *, write=scripted_texts, passes=lambda before, after: True, **options):
    hooks = ("chooser", "phrases", "leak", "embed")
    given_hooks = {name: options.pop(name) for name in hooks if name in options}
    razor = Razor(RazorSettings(**options), write=Writer(write), verify=Verifier(passes), **given_hooks)
    return list(razor.run(rows))


@pytest.mark.parametrize("variant", ["mean", "token"])
@given(rows=datasets, k=st.integers(1, 4), patience=st.integers(1, 2), tries=st.integers(1, 2))
def test_the_loop_equals_algorithm_1_written_out(variant, rows, k, patience, tries):
    texts, labels = map(list, zip(*rows, strict=True))
    try:
        expected = oracle.razor(
            texts,
            labels,
            k=k,
            rounds=4,
            tries=tries,
            patience=patience,
            write=scripted_texts,
            passes=scripted_verdict,
            variant=variant,
            dimensions=4,
        )
    except oracle.Ambiguous:
        reject()
    data = rows_of(texts, labels)
    razor = Razor(
        RazorSettings(k=k, m=3, rounds=4, tries=tries, patience=patience, space=variant, dimensions=4),
        write=Writer(scripted_texts),
        verify=Verifier(scripted_verdict),
    )
    rounds = list(razor.run(data))
    assert data.texts == texts
    assert [texts_after(data, rounds[:n]) for n in range(2, len(rounds) + 1)] == expected


@given(rows=datasets, k=st.integers(1, 4))
def test_ids_labels_size_and_the_texts_of_edits_are_kept(rows, k):
    texts, labels = map(list, zip(*rows, strict=True))
    data = rows_of(texts, labels)
    rounds = run(data, passes=scripted_verdict, k=k, rounds=3)
    assert data.ids == [f"r{i}" for i in range(len(texts))]
    assert data.labels.tolist() == labels
    now = dict(zip(data.ids, texts, strict=True))
    for round_ in rounds:
        accepted = [edit for edit in round_.edits if edit.accepted]
        assert len({edit.id for edit in accepted}) == len(accepted) == round_.figures.accepted
        for edit in accepted:
            assert now[edit.id] == edit.before  # an edit starts from the text as the round found it
            now[edit.id] = edit.after
    assert data.texts == texts


def test_a_run_says_the_same_twice_and_whatever_was_answered_first():
    first, second = rows_of(TEXTS, LABELS), rows_of(TEXTS, LABELS)
    edits = [[round_.edits for round_ in run(rows, k=3, rounds=4)] for rows in (first, second)]
    assert edits[0] == edits[1]


def test_every_candidate_is_an_edit_with_verdicts_scores_and_a_reason():
    rows = rows_of(TEXTS, LABELS)
    candidates = ["a b c", "it was here", "bad"]
    _, round_ = run(rows, write=lambda *_: candidates, passes=lambda _, after: after != "bad", k=1, rounds=1)
    assert [edit.after for edit in round_.edits] == candidates
    assert [edit.accepted for edit in round_.edits].count(True) == 1
    chosen = next(edit for edit in round_.edits if edit.accepted)
    (other,) = (edit for edit in round_.edits if edit.reason == NOT_CHOSEN)
    assert chosen.score_after <= other.score_after
    assert round_.edits[2].reason == "judge: the label is lost"
    assert all(edit.verdicts and edit.round == 1 and edit.engine == "script" for edit in round_.edits)
    assert dict(round_.figures.rejected) == {NOT_CHOSEN: 1, "judge": 1}
    assert chosen.field == "claim"
    assert chosen.label_before == chosen.label_after


def test_round_0_tells_how_the_data_stood_and_later_rounds_how_they_stand():
    rows = rows_of(TEXTS, LABELS)
    rounds = run(rows, k=2, rounds=2, stop="never", dimensions=8)
    total, pairs = oracle.sum_of_cosines(TEXTS, LABELS, variant="mean", dimensions=8)
    assert rounds[0].edits == ()
    assert rounds[0].figures.cosine == pytest.approx(total / pairs, abs=1e-5)
    total, _ = oracle.sum_of_cosines(texts_after(rows, rounds), LABELS, variant="mean", dimensions=8)
    assert rounds[-1].figures.cosine == pytest.approx(total / pairs, abs=1e-5)
    assert rounds[1].figures.seconds > 0
    assert rounds[-1].stopped == "2 rounds are done"


def test_by_the_letter_a_worse_candidate_replaces_its_row_and_only_better_keeps_it():
    strange = "wholly unheard of"  # like no document: gamma is 1
    by_letter, careful = rows_of(TEXTS, LABELS), rows_of(TEXTS, LABELS)
    _, round_ = run(by_letter, write=lambda *_: [strange], k=1, rounds=1, space="token")
    (edit,) = round_.edits
    assert edit.accepted
    assert edit.score_before <= edit.score_after == pytest.approx(1)
    _, round_ = run(careful, write=lambda *_: [strange], k=1, rounds=1, space="token", only_better=True)
    assert round_.edits[0].reason == NOT_BETTER
    assert not round_.figures.accepted


def test_a_row_without_a_verified_candidate_stays_is_drawn_again_and_then_left_alone():
    rows = rows_of(TEXTS, LABELS)
    writer = Writer(lambda text, sample: [f"{text} again {sample}"])
    razor = Razor(
        RazorSettings(k=len(TEXTS), rounds=9, tries=2), write=writer, verify=Verifier(lambda *_: False)
    )
    rounds = list(razor.run(rows))
    assert texts_after(rows, rounds) == TEXTS
    assert sorted((one.row, one.sample) for one in writer.asked) == [(r, s) for r in range(6) for s in (0, 1)]
    assert rounds[-1].stopped == NOTHING_LEFT
    assert [r.number for r in rounds] == [0, 1, 2]


def test_refusals_of_the_engine_are_counted():
    *_, last = run(rows_of(TEXTS, LABELS), write=lambda *_: [], k=2, rounds=1)
    assert last.figures.refusals == {"nothing to say": 2}
    assert (last.figures.asked, last.figures.candidates, last.figures.accepted) == (2, 0, 0)


def test_what_was_written_before_the_budget_ended_is_used():
    rows = rows_of(TEXTS, LABELS)
    writer = Writer(lambda text, sample: ["it was here"], budget=2)
    *_, last = rounds = list(Razor(RazorSettings(k=4), write=writer, verify=Verifier()).run(rows))
    assert last.stopped == BUDGET_SPENT
    assert last.figures.accepted == 2
    assert texts_after(rows, rounds).count("it was here") == 2


def test_what_was_not_verified_when_the_budget_ended_is_not_taken():
    rows = rows_of(TEXTS, LABELS)
    writer = Writer(lambda text, sample: ["it was here"])
    *_, last = Razor(RazorSettings(k=3), write=writer, verify=Verifier(budget=1)).run(rows)
    assert last.stopped == BUDGET_SPENT
    assert [edit.reason for edit in last.edits] == ["", NOT_VERIFIED, NOT_VERIFIED]


def test_a_budget_that_ends_before_the_first_answer_changes_nothing():
    rows = rows_of(TEXTS, LABELS)
    *_, last = Razor(RazorSettings(), write=Writer(scripted_texts, budget=0), verify=Verifier()).run(rows)
    assert (last.number, last.stopped, last.edits) == (1, BUDGET_SPENT, ())
    assert rows.texts == TEXTS


def test_best_first_makes_the_same_choice_with_fewer_questions():
    plain, thrifty = rows_of(TEXTS, LABELS), rows_of(TEXTS, LABELS)
    seen = []
    for rows, how in ((plain, "all"), (thrifty, "best first")):
        verifier = Verifier(scripted_verdict)
        razor = Razor(
            RazorSettings(k=6, rounds=2, verify=how, stop="never"),
            write=Writer(lambda text, sample: [f"{w} {text}" for w in ("a", "b", "only", "c d")]),
            verify=verifier,
        )
        list(razor.run(rows))
        seen.append(len(verifier.seen))
    assert plain.texts == thrifty.texts
    assert seen[1] < seen[0]


def test_it_stops_at_once_when_a_round_brings_no_gain_and_later_with_patience():
    shuffle = lambda text, sample: [" ".join(reversed(WORDS[: 2 + number(text) % 7]))]  # noqa: E731
    rounds = run(rows_of(TEXTS, LABELS), write=shuffle, k=6, rounds=30, patience=1)
    assert rounds[-1].stopped == "the sum of cosines no longer rises"
    objective = [r.figures.cosine for r in rounds]
    assert objective[-1] <= max(objective[:-1]) + 1e-9
    assert all(b > a for a, b in pairwise(objective[:-1]))
    longer = run(rows_of(TEXTS, LABELS), write=shuffle, k=6, rounds=30, patience=3)
    assert len(longer) >= len(rounds) + 2


def test_the_divergence_can_be_watched_instead():
    shuffle = lambda text, sample: [" ".join(reversed(WORDS[: 2 + number(text) % 7]))]  # noqa: E731
    rounds = run(rows_of(TEXTS, LABELS), write=shuffle, k=6, rounds=30, stop="kl")
    assert rounds[-1].stopped == "the divergence no longer falls"
    values = [r.figures.divergence for r in rounds]
    assert values[-1] >= min(values[:-1]) - 1e-9


def test_it_stops_when_the_leak_reaches_chance():
    leaks = iter([0.9, 0.8, 0.52])

    def leak(rows):
        accuracy = next(leaks)
        return Leak("text", ("claim",), accuracy, accuracy - 0.05, accuracy + 0.05, 0.5, "folds", len(rows))

    rounds = run(rows_of(TEXTS, LABELS), leak=leak, stop="never", k=2)
    assert [r.figures.leak.accuracy for r in rounds] == [0.9, 0.8, 0.52]
    assert rounds[-1].stopped == "the leak has reached chance"


def test_one_label_alone_cannot_be_compared():
    (only,) = run(rows_of(["a b", "c d"], [0, 0]))
    assert "another label" in only.stopped


def test_per_row_limits_how_often_a_row_is_replaced():
    writer = Writer(lambda text, sample: [f"{text} x"])
    razor = Razor(RazorSettings(k=6, rounds=9, per_row=1, stop="never"), write=writer, verify=Verifier())
    rounds = list(razor.run(rows_of(TEXTS, LABELS)))
    assert rounds[-1].stopped == NOTHING_LEFT
    assert len(writer.asked) == len({one.row for one in writer.asked}) == 6


class Lengths:
    """A chooser that finds long texts telling."""

    def __init__(self, texts):
        self.texts, self.replaced = list(texts), []

    def scores(self):
        return np.array([float(len(t)) for t in self.texts])

    def of_candidates(self, row, texts):
        return np.array([float(len(t)) for t in texts])

    def replace(self, texts):
        self.replaced.append(dict(texts))
        for row, text in texts.items():
            self.texts[row] = text


def test_another_chooser_ranks_rows_and_candidates_and_follows():
    rows, lengths = rows_of(TEXTS, LABELS), Lengths(TEXTS)
    two = lambda text, sample: [text + " more", text[: len(text) // 2] or "x"]  # noqa: E731
    options = {"k": 2, "rounds": 2, "stop": "never", "chooser": lengths}
    rounds = run(rows, write=two, **options)
    assert lengths.texts == texts_after(rows, rounds)
    assert all(len(told) == 1 for told in lengths.replaced)  # row by row
    first = [edit.id for edit in rounds[1].edits if edit.accepted]
    assert first == ["r1", "r2"]  # the longest
    assert all(len(e.after) < len(e.before) for r in rounds for e in r.edits if e.accepted)


def test_rows_that_score_no_more_than_least_are_left_alone():
    lengths = Lengths(TEXTS)
    rounds = run(rows_of(TEXTS, LABELS), chooser=lengths, least=16.0, k=6, rounds=1, write=lambda *_: ["x y"])
    assert [edit.id for edit in rounds[1].edits] == ["r1", "r2"]
    assert lengths.replaced == [{1: "x y"}, {2: "x y"}]  # row by row


def test_telling_words_reach_the_writer_and_the_checks():
    writer, verifier = Writer(scripted_texts), Verifier()
    telling = lambda text, label: ("not",) if "not" in text.split() else ()  # noqa: E731
    razor = Razor(RazorSettings(k=6, rounds=1), write=writer, verify=verifier, phrases=telling)
    list(razor.run(rows_of(TEXTS, LABELS)))
    assert {one.row for one in writer.asked if one.avoid == ("not",)} == {0, 1}
    assert {c.row for c in verifier.seen if c.telling} <= {0, 1}


def test_checks_are_told_what_a_row_that_was_rewritten_before_comes_from():
    writer, verifier = Writer(lambda text, sample: [f"{text} x"]), Verifier()
    telling = lambda text, label: (text.split()[0],)  # noqa: E731
    razor = Razor(RazorSettings(k=6, rounds=3, stop="never"), write=writer, verify=verifier, phrases=telling)
    list(razor.run(rows_of(TEXTS, LABELS)))
    of_row = [candidate for candidate in verifier.seen if candidate.row == 0]
    assert [c.origin for c in of_row] == [None, *[Origin(TEXTS[0], "meaning", frozenset({"it"}))] * 2]
    assert of_row[2].before == f"{TEXTS[0]} x x"


def test_a_row_that_has_its_first_text_again_is_as_it_came():
    swap = lambda text, sample: [text.removesuffix(" x") if text.endswith(" x") else f"{text} x"]  # noqa: E731
    verifier = Verifier()
    razor = Razor(RazorSettings(k=6, rounds=3, stop="never"), write=Writer(swap), verify=verifier)
    list(razor.run(rows_of(TEXTS, LABELS)))
    assert [c.origin for c in verifier.seen if c.row == 0] == [None, Origin(TEXTS[0]), None]


@pytest.mark.parametrize(
    ("balance", "expected"), [("none", {0, 1, 2}), ("equal", {0, 1, 5}), ("alternate", {5})]
)
def test_balance_shares_the_rows_among_the_labels(balance, expected):
    writer, ranks = Writer(scripted_texts), Lengths(["xxxxxx", "xxxxx", "xxxx", "xxx", "xx", "y"])
    razor = Razor(
        RazorSettings(k=3, rounds=1, balance=balance), write=writer, verify=Verifier(), chooser=ranks
    )
    labels = [1, 1, 1, 1, 1, 0]
    list(razor.run(rows_of(TEXTS, labels)))
    assert {one.row for one in writer.asked} == expected


def test_the_embedding_space_uses_the_given_vectors():
    vectors = {text: np.random.default_rng(number(text)).normal(size=5) for text in TEXTS}

    def embed(texts):
        return [vectors.setdefault(t, np.random.default_rng(number(t)).normal(size=5)) for t in texts]

    rows = rows_of(TEXTS, LABELS)
    rounds = run(rows, embed=embed, space="embedding", k=2, rounds=2, stop="never")
    now = np.array([vectors[t] for t in texts_after(rows, rounds)])
    units = now / np.linalg.norm(now, axis=1, keepdims=True)
    cosines = [units[i] @ units[j] for i in range(6) for j in range(i) if LABELS[i] != LABELS[j]]
    assert rounds[-1].figures.cosine == pytest.approx(np.mean(cosines))
    assert rounds[-1].figures.divergence == pytest.approx(oracle.mean_kl(now.tolist(), LABELS))


def test_the_embedding_space_says_that_it_needs_vectors():
    with pytest.raises(SettingError, match="needs a function that returns vectors") as raised:
        run(rows_of(TEXTS, LABELS), space="embedding")
    assert "MiniLM" in str(raised.value)  # no engine is asked for vectors
    assert "engine" not in str(raised.value)


def test_rows_must_have_an_id_of_their_own():
    with pytest.raises(DataError, match="id of their own"):
        type(rows_of(TEXTS, LABELS))(
            ["same"] * 2, ["a", "b"], np.array([0, 1]), ["x", "y"], rows_of(TEXTS, LABELS).task
        )


def alternates(text, sample):
    """The other of two wordings: what a list of synonyms gives round after round."""
    return [text.replace("chief", "main") if "chief" in text else text.replace("main", "chief")]


ALTERNATING = ["the chief town", "the chief film", "a main town", "a main film"]


def texts_of_first_row(rounds):
    return [edit.after for round_ in rounds for edit in round_.edits if edit.id == "r0" and edit.accepted]


def test_as_published_a_row_alternates_between_two_texts():
    rows = rows_of(ALTERNATING, [0, 0, 1, 1])
    rounds = run(rows, write=alternates, k=4, rounds=4, stop="never")
    assert texts_of_first_row(rounds) == ["the main town", "the chief town"] * 2


def test_a_row_does_not_return_to_an_earlier_text_unless_it_may():
    rows = rows_of(ALTERNATING, [0, 0, 1, 1])
    rounds = run(rows, write=alternates, k=4, rounds=4, stop="never", may_return=False)
    assert texts_of_first_row(rounds) == ["the main town"]
    returning = [edit for round_ in rounds[2:] for edit in round_.edits]
    assert {(edit.accepted, edit.reason, edit.verdicts) for edit in returning} == {(False, RETURNS, ())}
    assert rounds[-1].stopped == NOTHING_LEFT


def test_a_text_that_is_objected_to_is_no_candidate_and_is_counted():
    razor = Razor(
        RazorSettings(k=6, rounds=1, stop="never"),
        write=Writer(lambda text, sample: ["x y", "y z"]),
        verify=Verifier(),
        objection=lambda id, before, after: "no x" if "x" in after else "",
    )
    *_, last = razor.run(rows_of(TEXTS, LABELS))
    assert {edit.after for edit in last.edits} == {"y z"}
    assert last.figures.refusals == {"no x": len(last.edits)}
