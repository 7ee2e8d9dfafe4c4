"""The page of a proof: what was compared, how surely, what got worse, all of it counted."""

import re

import pytest
from invented_prove import compared, groups, proof, score, with_fairscore
from seen import Elements, section
from tests.jobs.proved import render_prove

from longway import ProveResult
from longway.report.terminal import show


def text_of(proved):
    return Elements(render_prove(proved)).text


def test_the_page_says_what_was_proved(proved):
    text = text_of(proved)
    assert "Mixed: it helped on symmetric and mixed-up and did harm on dev." in text
    assert "By other metrics, 3 figures got clearly worse" in text
    assert "Clearly better 4 of 9 1 clearly worse, 4 no clear difference" in text
    assert "Right from claim alone 68.1% → 60.1% chance is 50.0%" in text
    assert "Gap, with and against patterns 58 → 37" in text
    assert "Took 1 min 23 s" in text
    assert "it does not certify" in text


def test_a_row_has_both_figures_the_difference_with_its_interval_and_the_verdict(proved):
    text = section(render_prove(proved), "scores")
    assert "50.4% 58.1% +7.7 (+5.9 to +9.5) ▲ better" in text
    assert "70.2% 67.1% −3.1 (−4.9 to −1.3) ▼ worse" in text
    assert "52.8% 54.1% +1.3 (−0.5 to +3.1) ≈ unclear" in text


def test_further_versions_are_further_rows_with_their_names():
    text = section(render_prove(proof(versions=("before", "after", "eda"))), "scores")
    assert "after 50.4% 58.1% +7.7 (+5.9 to +9.5) ▲ better bag of words eda 50.4% 50.9%" in text


def test_a_version_alone_shows_its_figures_without_a_mark():
    text = text_of(proof(versions=("before",)))
    assert "Nothing could be compared" in text
    assert "on symmetric, trained on before 50.4%" in text


def test_figures_that_were_not_compared_have_no_verdict(proved):
    text = section(render_prove(proved | {"comparisons": []}), "scores")
    assert "on symmetric, trained on after 58.1% ± 0.4%" in text
    assert "▲" not in text


def test_all_measures_are_there_with_their_spread(proved):
    text = section(render_prove(proved), "scores")
    assert "accuracy macro F1 F1 AUROC calibration error Brier score worst group" in text
    assert "on symmetric, trained on after 58.1% ± 0.4% 54.5% to 61.7%" in text
    assert "0.306 ± 0.004" in text


def test_one_seed_has_no_spread_and_is_said_so(proved):
    for row in proved["rows"]:
        row |= {"std": None, "seeds": 1}
    text = text_of(proved)
    assert "±" not in text.replace("± its standard deviation", "")
    assert "One seed only" in text


def test_a_method_stands_against_plain_training_on_the_same_data(proved):
    text = section(render_prove(proved), "methods")
    assert "Trained on Plain Method Difference Verdict" in text
    assert (
        "bag of words, product of experts on symmetric before 50.4% 56.1% +5.7 (+3.9 to +7.5) ▲ better"
        in text
    )


def test_what_got_worse_is_listed(proved):
    text = section(render_prove(proved), "worse")
    assert (
        "The leak from evidence rises from 51.2% to 51.4% in after. The intervals overlap: it may be chance."
        in text
    )
    assert "bag of words, plain training on dev ▼ accuracy after against before 70.2% → 67.1% −3.1" in text
    assert "▼ AUROC after against before 0.762 → 0.731 −0.031 (−0.049 to −0.013) 0.040" in text


def test_where_nothing_got_worse_the_page_says_so(proved):
    text = section(render_prove(proved | {"comparisons": [], "leaks": []}), "worse")
    assert "No figure is clearly worse, no leak rose and no gap grew." in text


def test_a_method_that_is_worse_names_what_it_is_compared_with(proved):
    row = compared(("bow", "poe"), "dev", "accuracy", 0.702, 0.5, data="before", against="before", than="erm")
    text = section(render_prove(proved | {"comparisons": [row]}), "worse")
    assert "product of experts on before against plain training" in text


def test_a_gap_that_grew_is_told(proved):
    for row in proved["groups"]:
        if row["data"] == "after":
            row["counter"] = {"n": 30, "accuracy": 0.0, "low": 0.0, "high": 0.1}
    text = section(render_prove(proved), "worse")
    assert "The gap between supporting and counter-examples grew with bag of words on dev" in text


def test_groups_show_the_gap_before_and_after(proved):
    page = render_prove(proved)
    text = section(page, "groups")
    assert "bag of words on dev mean gap 58 → 37 points" in text
    assert (
        "not word in claim REFUTES 75 95.0% of 120 with it, 20.0% of 30 against it 36 88.0% of 120 with it, 52.0% of 30 against it"
        in text
    )
    assert "award word in claim SUPPORTS – 78.0% of 120 with it, – against it" in text
    assert "bag of words, plain training on dev 20.0% “not”, SUPPORTS (30) 52.0%" in text


@pytest.mark.parametrize("empty", [None, {"n": 0, "accuracy": None, "low": None, "high": None}])
def test_groups_without_examples_are_dashes(proved, empty):
    rows = groups(["before", "after"], runs=[("bow", "erm")])[:2]
    for row in rows:
        row |= {"supporting": empty, "counter": empty}
    text = section(render_prove(proved | {"groups": rows, "worst": []}), "groups")
    assert "– – with it, – against it – – with it, – against it" in text


def test_failures_are_told_loudly(proved):
    proved["failed"] = [
        {"data": "after", "model": "gru", "method": "erm", "seed": 2, "error": "the loss is not a number"}
    ]
    page = render_prove(proved)
    assert "1 training failed and is not included." in page
    assert section(page, "failed").endswith(
        "GRU, plain training trained on after, seed 2: the loss is not a number"
    )


def test_concerns_are_told_with_their_counts(proved):
    proved["concerns"][0]["refused"] = True
    page = render_prove(proved)
    assert "12 ✗ refused after has 12 rows more than before. unequal sizes" in section(page, "concerns")
    assert "seen in training: 17, 80, 155, 409, 530, 611, 702, 840 and 1 more" in section(page, "concerns")
    assert "Not all of it is a fair comparison: read the concerns first." in page


def test_versions_are_told_apart(proved):
    text = section(render_prove(proved), "data")
    assert "before before.jsonl 6,666 REFUTES 3,333, SUPPORTS 3,333 –" in text
    assert "after after.jsonl 6,678 REFUTES 3,333, SUPPORTS 3,333 38.0%" in text


def test_the_whole_input_is_no_leak(proved):
    rows = [row | {"part": "both", "name": "claim and evidence"} for row in proved["leaks"][2:]]
    page = render_prove(proved | {"leaks": rows})
    assert "claim and evidence together" in section(page, "leak")
    assert "leak" not in section(page, "worse").replace("no leak rose", "")


def test_settings_are_written_plainly(proved):
    assert "models bow, minilm" in text_of(proved)


def test_a_run_that_left_little_has_a_page(proved):
    empty = ("concerns", "rows", "comparisons", "groups", "worst", "leaks", "apart", "worse", "failed", "tests")  # fmt: skip
    text = text_of(proved | {key: [] for key in empty} | {"settings": {}, "seconds": None})
    for words in (
        "Nothing could be compared",
        "The checks raised no concern.",
        "Nothing was tested.",
        "No pattern with supporting and counter-examples was found.",
        "The leak was not measured.",
        "Texts changed – not measured",
        "Took –",
    ):
        assert words in text, words


def test_the_fairscore_has_a_section_with_its_rows_and_axes(proved):
    page = render_prove(with_fairscore(proved))
    text = section(page, "fairscore")
    assert "dev, fairscore: 120 of 1,200 rows perturbed (gender 80, race 40)" in text
    assert "bag of words all 31.0% 4.2% −26.8 (−28.6 to −25.0) ▲ better" in text
    assert "bag of words race 10.0% 12.5% +2.5 (+0.7 to +4.3) ▼ worse" in text
    assert "The rows are in perturbed/dev.jsonl. Left unchanged: 1,080: nobody is spoken of." in text
    assert "symmetric: 0 of 708 rows perturbed, so there is no fairscore." in text


def test_a_text_whose_answer_changes_with_the_person_is_shown_with_the_change_marked(proved):
    page = render_prove(with_fairscore(proved))
    assert "<del>Ada</del>" in page
    assert "<ins>his</ins>" in page
    text = section(page, "fairscore")
    assert "Trained on before: SUPPORTS → REFUTES in 3 of 3 trainings" in text
    assert "Trained on after: SUPPORTS both times" in text


def test_the_fairscore_is_in_the_verdict_in_all_measures_and_in_what_got_worse(proved):
    page = render_prove(with_fairscore(proved))
    assert (
        "Fewer answers change when a person’s gender, race or age does: the fairscore of bag of words on dev goes 31.0% → 4.2%."
        in page
    )
    assert "worst group fairscore Model" not in section(page, "scores")
    assert "Brier score worst group fairscore" in section(page, "scores")
    assert "4.2% ± 0.5% 2.2% to 6.2%" in section(page, "scores")
    assert "▼ fairscore, race after against before 10.0% → 12.5% +2.5" in section(page, "worse")


def test_without_a_fairscore_the_page_does_not_speak_of_it(proved):
    assert "airscore" not in Elements(render_prove(proved)).text


def test_figures_that_are_not_defined_are_dashes(proved):
    for row in (*proved["rows"], *proved["comparisons"]):
        for key in ("mean", "std", "low", "high", "difference", "p", "q", "before", "after"):
            if key in row:
                row[key] = None
    for row in proved["leaks"]:
        row["accuracy"] = None
    page = render_prove(proved)
    assert "– – – ▲ better" in section(page, "scores")


@pytest.mark.parametrize("n", [1, 2, 4, 5, 12, 15])
def test_any_number_of_test_sets_fits(proved, n):
    names = [f"set {at}" for at in range(n)]
    proved["tests"] = [proved["tests"][0] | {"name": name} for name in names]
    proved["rows"] = [score(data, ("bow", "erm"), name, "accuracy", 0.6) for data in ("before", "after") for name in names]  # fmt: skip
    proved["comparisons"] = [compared(("bow", "erm"), name, "accuracy", 0.6, 0.6) for name in names]
    page = render_prove(proved)
    assert len(re.findall("<caption>set", page)) == min(n, 12)
    assert ("3 more test sets are in results.json" in section(page, "scores")) == (n == 15)


def test_two_hundred_patterns_are_cut_and_counted(proved):
    base = proved["groups"][0]
    proved["groups"] = [base | {"pattern": f"word {at}", "data": data} for at in range(200) for data in ("before", "after")]  # fmt: skip
    assert "188 more patterns are in results.json" in section(render_prove(proved), "groups")


def test_what_is_left_out_is_counted(hostile_prove_page):
    text = Elements(hostile_prove_page).text
    for words in (
        "280 more failures are",
        "280 more concerns are",
        "8 more test sets are",
        "3 more versions are in",
        "14 more leaks are",
        "616 more rows are",  # of 640 in the table of worst groups
        "240 more in results.json",  # settings
        "16 more test sets are in results.json and not on this page. Texts whose",  # of the fairscore
        "44 more texts are",
    ):
        assert words in text, words


def test_the_page_stays_small_whatever_the_run(hostile_prove_page, proved):
    assert len(hostile_prove_page.encode()) < 1_250_000
    assert len(render_prove(proved).encode()) < 200_000


def test_the_terminal_shows_the_figures_of_each_test_set(proved, capsys):
    show(ProveResult.from_dict(with_fairscore(proved)).page())
    printed = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in printed.splitlines()]
    for words in (
        "symmetric: 708 rows, chance is 50.0%",
        "bag of words 50.4% 58.1% +7.7 (+5.9 to +9.5) ▲ better",
        "bag of words with product of experts 56.1% 59.2% +3.1 (+1.3 to +4.9) ▲ better",
        "dev: 1,200 rows (9 left out: also in the training data), chance is 50.0%",
        "dev, fairscore: 120 of 1,200 rows perturbed (gender 80, race 40)",
        "bag of words gender 40.0% 3.0% −37.0 (−38.8 to −35.2) ▲ better",
        "symmetric: 0 of 708 rows perturbed, so there is no fairscore.",
        "bag of words, plain training ▼ accuracy after against before −3.1 (−4.9 to −1.3)",
        "Right from claim alone 68.1% → 60.1% chance is 50.0%",
    ):
        assert words in lines, words


def test_names_we_do_not_know_are_shown_as_they_are(proved):
    for row in proved["rows"]:
        row |= {"model": "hf:my/model", "method": "new", "metric": "kappa"}
    text = text_of(proved | {"comparisons": []})
    assert "hf:my/model, new" in text
    assert "kappa" in text
