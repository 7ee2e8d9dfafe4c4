"""The page of a rewrite: what was done, what got worse, edits with their differences, all of it counted."""

import re

from invented_rewrite import finding, leak, many_rounds
from seen import Elements, section

from conftest import render_rewrite
from longway.report.differences import EDIT_LIMIT, side_by_side


def text_of(rewritten):
    return Elements(render_rewrite(rewritten)).text


def plain(side):
    return "".join(piece.text for piece in side)


def test_the_page_says_what_was_done(rewritten):
    text = text_of(rewritten)
    assert "now gets 60.1% right instead of 68.1% (chance: 50.0%); 1,204 of 6,666 texts" in text
    assert "Right from claim alone 68.1% → 60.1% chance is 50.0%" in text
    assert "Edits accepted 1,391 of 5,400 candidates" in text
    assert "Labels expected to be wrong 3.6% of the rewritten texts; 95% interval 1.4% to 6.7%" in text
    assert "Cost $0.13 8 min 53 s of engine time" in text
    assert "Stopped because: the sum of cosines (Eq. 14) no longer rises." in text
    assert "it does not certify" in text
    assert "sha256:9f2c41d7" in text


def test_what_went_out_and_what_came_in_is_marked(rewritten):
    page = render_rewrite(rewritten)
    assert "Otto Brandeis <del>did not</del> finish" in page
    assert "Otto Brandeis <ins>failed to</ins> finish" in page


def test_an_edit_shows_label_verdicts_gamma_and_id(rewritten):
    text = section(render_rewrite(rewritten), "sample")
    assert "REFUTES words.antonym rules, round 2 gamma 0.988 → 0.801 id 412" in text
    assert "✓ negation ✓ names ✓ meaning 0.93" in text
    assert "Context The harbour museum of Ostmark keeps" in text


def test_a_label_that_changed_is_shown_with_the_new_one(rewritten):
    rewritten["sample"][0]["label_after"] = "SUPPORTS"
    assert "REFUTES → SUPPORTS words.antonym" in text_of(rewritten)


def test_findings_stand_with_their_figures_before_and_now(rewritten):
    text = section(render_rewrite(rewritten), "findings")
    assert "not word in claim REFUTES 702 → 331 93.3% → 69.2% +9.1 → +1.9" in text
    assert "American word in claim real signal, left alone" in text
    assert "more than 14 words length in claim ▲ stronger now" in text


def test_what_got_worse_is_told(rewritten):
    text = section(render_rewrite(rewritten), "worse")
    assert "The leak from evidence rose from 51.2% to 51.4%. The difference may be chance." in text
    assert "failed to phrase in claim REFUTES 21 → 118" in text


def test_labels_that_look_less_alike_than_before_are_told(rewritten):
    rewritten["rounds"][-1] |= {"objective": 0.3, "kl": 0.5}
    text = section(render_rewrite(rewritten), "worse")
    assert "the mean cosine between them fell from 0.412 to 0.300" in text
    assert "the divergence between them rose from 0.310 to 0.500" in text


def test_where_nothing_got_worse_the_page_says_so(rewritten):
    text = section(render_rewrite(rewritten | {"worse": [], "n_worse": 0, "other_leaks": []}), "worse")
    assert text == "What got worse Nothing: no pattern became noticeably stronger, and no leak rose."


def test_a_leak_that_rose_is_owned_up_to(rewritten):
    rewritten["leak"] = {"before": leak(0.601), "after": leak(0.681)}
    page = render_rewrite(rewritten)
    assert "now gets 68.1% right, more than the 60.1% before" in page
    assert "The leak from claim rose from 60.1% to 68.1%." in section(page, "worse")


def test_refused_candidates_stand_under_their_reason(rewritten):
    text = section(render_rewrite(rewritten), "refused")
    assert "4,009 candidates were not used" in text
    assert "310 negation changed 7.7% REFUTES words.drop" in text
    assert "✗ negation negation is not as it was" in text


def test_what_engines_did_not_write_and_calls_that_failed_are_told_with_reasons(rewritten):
    page = render_rewrite(rewritten)
    text = section(page, "unwritten")
    assert "Engines gave a reason for writing no text, or fewer than requested, 320 times." in text
    assert "9 calls to engines failed temporarily; run the same command again to retry." in text
    assert "Show the reasons 320 no rule can put this text differently 100.0%" in text
    assert (
        "Show why calls failed 7 the server did not answer within 60 seconds 77.8% 2 status 502 22.2%" in text
    )
    assert page.split('id="unwritten"')[1].count("<details>") >= 2  # folded


def test_patterns_that_got_worse_beyond_those_listed_are_counted(rewritten):
    n = len(rewritten["worse"])
    page = render_rewrite(rewritten | {"n_worse": n + 17})
    assert "17 more patterns got stronger, each less than these." in section(page, "worse")
    assert f"{n + 17} patterns predict a label better than before." in page
    assert "more patterns got stronger" not in render_rewrite(rewritten)


def test_checks_show_their_errors_and_what_was_not_checked(rewritten):
    text = section(render_rewrite(rewritten), "checks")
    assert "About 3.1% of the accepted edits are expected to have a label that no longer fits (95% interval 1.2% to 5.8%), and 3.6% of the rewritten texts (1.4% to 6.7%), which may have several edits." in text  # fmt: skip
    assert "negation 5,211 310 5.9% 3.1% 8.4%" in text
    assert "copy 5,400 61 1.1% – –" in text
    assert "Not checked judge: no engine that can judge was given" in text


def test_costs_are_listed_and_summed(rewritten):
    text = section(render_rewrite(rewritten), "cost")
    assert "served: a-small-model judge 1,986 812,344 20,411 $0.13 6 min 42 s" in text
    assert "In total $0.13, 8 min 53 s of engine time; the budget was $5.00." in text


def test_a_price_that_is_not_known_is_not_made_up(rewritten):
    rewritten["cost"][0]["cost"] = None
    assert "In total –, a price is not known; the budget was $5.00." in text_of(rewritten)


def test_of_many_rounds_the_original_and_the_latest_are_seen_at_once(rewritten):
    rewritten["rounds"] = many_rounds(40)
    page = render_rewrite(rewritten)
    seen, folded = section(page, "rounds").split("Show 28 more rounds")
    assert re.findall(r"Round (\d+)", seen.split("Time", 1)[1]) == [str(at) for at in range(39, 28, -1)]
    assert re.findall(r"Round (\d+)", folded) == [str(at) for at in range(28, 0, -1)]


def test_a_run_that_left_little_has_a_page(rewritten):
    empty = ("rounds", "other_leaks", "findings", "worse", "checks", "missing_checks", "sample", "strongest", "refused", "cost", "failed_calls")  # fmt: skip
    rewritten |= {key: [] for key in empty} | {"leak": None, "bleu": None, "expected_wrong": None, "budget": None, "stopped": "", "settings": {}, "judge": "none", "changed": 0, "accepted": 0, "n_worse": 0}  # fmt: skip
    text = text_of(rewritten)
    for words in (
        "The leak was not measured before and after; no text was rewritten and no label changed.",
        "There were no rounds.",
        "No pattern was correlated with a label before.",
        "Nothing: no pattern became noticeably stronger",
        "No text was changed or added.",
        "No candidate was refused.",
        "Nothing: engines wrote every text that was requested, and no call failed.",
        "Nothing was checked.",
        "was not estimated",
        "In total $0.00, no engine was used; no budget was set.",
        "Right from the text alone – not measured",
    ):
        assert words in text


def test_figures_that_are_missing_are_dashes(rewritten):
    for one in rewritten["rounds"]:
        one |= {"leak": None, "kl": float("nan")}
    rewritten["sample"][0] |= {"score_before": None, "score_after": None, "how": "", "context": None}
    rewritten["findings"][0] |= {"count_after": 0, "share_after": 0.0, "gain_after": 0.0, "points_after": 0.0}
    page = render_rewrite(rewritten)
    assert "gamma – → –" in page
    assert "702 → 0 93.3% → – +9.1 → 0.0" in section(page, "findings")


def test_a_long_text_is_cut_to_what_changed():
    filler = "word " * 2000
    before, after = side_by_side(f"{filler}was not {filler}", f"{filler}was never {filler}")
    assert plain(before).startswith(" … word")
    assert "was not word" in plain(before)
    assert "was never word" in plain(after)
    assert len(plain(before)) < EDIT_LIMIT


def test_a_text_that_changed_throughout_is_cut():
    before, after = side_by_side("old " * 5000, "new " * 5000)
    assert len(plain(before)) <= EDIT_LIMIT + 2
    assert plain(after).endswith(" …")


def test_a_text_that_was_not_there_is_blank():
    before, after = side_by_side("", "It came in.")
    assert (plain(before), [piece.level for piece in after]) == ("(blank)", [1])


def test_what_is_left_out_is_counted(hostile_rewrite_page):
    text = Elements(hostile_rewrite_page).text
    for words in (
        "23 more leaks are in rewrite.json",
        "9,900 more rounds are in rewrite.json",  # of 10,000: 12 at once, 100 on request
        "Show 45 more patterns",
        "240 more patterns are in rewrite.json",
        "999,960 more patterns got stronger, each less than these",
        "Show 14 more edits",
        "1,989 more edits are in rewrite.json",
        "288 more reasons are in rewrite.json",
        "260 more reasons are in rewrite.json",  # of engines that wrote nothing
        "260 more checks are in rewrite.json",
        "260 more rows are in rewrite.json",
        "240 more in rewrite.json",  # settings
        "and 16 more",  # verdicts of an edit
    ):
        assert words in text, words


def test_a_later_version_may_add_keys(rewritten):
    rewritten["sample"][0] |= {"colour": "green"}
    rewritten["findings"].append(finding("new", "token", "A LABEL OF ITS OWN", 1, 1.0, 0.1, 1, 1.0, 0.1))
    assert "A LABEL OF ITS OWN" in text_of(rewritten)
