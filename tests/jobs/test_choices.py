"""Audits of candidates, as jobs and as commands."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

import longway as lw
from longway import ChoiceAuditResult
from longway.cli import app
from longway.detect.choices.candidates import Candidates, search
from longway.errors import CheckFailed, DataError, SettingError
from longway.jobs.audit.gate import Limits, gate
from longway.jobs.choices.audit.job import audit_choices
from longway.report.html import render
from tests.detect.choices.quizzes import WORDS, question, random_questions
from tests.environment import without_encoder


def quiz(n=60, *, is_marked=True, seed=0):
    """Questions with four options of random words; the right one begins with a space if it is marked."""
    return [
        {
            "question": one.prompt,
            "options": [(" " if is_marked and i == one.right else "") + text for i, text in enumerate(one.candidates)],
            "answer": "ABCD"[one.right],
        }
        for one in random_questions(n, seed=seed)
    ]  # fmt: skip


def pairs(n=60):
    """A chosen and a rejected answer; the chosen one is longer."""
    random = np.random.default_rng(0)
    texts = [
        [" ".join(random.choice(WORDS, size)) for size in random.choice(range(5, 30), 2, replace=False)]
        for _ in range(n)
    ]
    return [
        {"prompt": f"Number {i}?", "chosen": max(some, key=len), "rejected": min(some, key=len)}
        for i, some in enumerate(texts)
    ]  # fmt: skip


def votes(n=40):
    """Two judges who vote on the same pairs; ann prefers the first answer, bob what bob wrote."""
    return [
        {
            "prompt": f"Number {i}?", "response_a": f"yes, {WORDS[i % 16]}", "response_b": f"no {WORDS[(3 * i) % 16]} at all",
            "winner": winner, "judge": judge, "model_a": ("ann", "bob")[i % 2], "model_b": ("bob", "ann")[i % 2],
        }
        for i in range(n)
        for judge, winner in (("ann", "tie" if i % 10 == 0 else "a"), ("bob", "ba"[i % 2]))
    ]  # fmt: skip


@pytest.fixture(scope="module")
def marked():
    return audit_choices(quiz())


@pytest.fixture(scope="module")
def preferred():
    return audit_choices(pairs())


@pytest.fixture(scope="module")
def voted():
    return audit_choices(votes())


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in an empty folder with quiz.jsonl; gives the result."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quiz.jsonl").write_text("\n".join(map(json.dumps, quiz())))
    return lambda *args: CliRunner().invoke(app, [str(arg) for arg in args])


def test_a_stray_space_is_found_and_leaks(marked):
    assert marked.findings[0].pattern.name == "a space before the first word"
    assert marked.findings[0].label_share == 1
    assert marked.findings[0].count == 60
    assert marked.leak.accuracy > 0.98
    assert marked.leak.majority == 0.25


def test_random_answers_leak_nothing():
    result = audit_choices(quiz(200, is_marked=False, seed=4))
    assert result.findings == ()
    assert result.leak.low <= 0.25 <= result.leak.high
    assert "Nothing about the candidates clearly predicts the right option" in result.page().verdict


@pytest.mark.parametrize("seed", range(5))
def test_random_answers_have_no_findings(seed):
    given = Candidates.of(random_questions(150, sizes=(2, 3, 4), seed=seed))
    findings, _, _ = search(given, max_q=0.05, field="options", label="right")
    assert findings == []


def test_what_length_explains_is_listed_under_it(preferred):
    assert preferred.findings[0].level == "length"
    assert len(preferred.findings) == 1
    assert preferred.findings[0].variants


def test_pairs_have_style_effects(preferred):
    effect = next(one for one in preferred.effects if one.cue == "characters")
    assert (effect.share, effect.pairs) == (1, 60)
    assert preferred.dataset.places == ()  # a chosen and a rejected answer have no order


def test_judges_have_their_biases(voted):
    shares = {(one.name, one.judge): one.share for one in voted.judges.shares}
    assert shares["the first answer", "ann"] == 1
    assert shares["its own answer", "bob"] == 1
    assert voted.judges.ties == 4
    assert "The judges chose the first answer in 74% and the longer answer in 26%" in voted.page().verdict
    assert "the first answer" in {
        one.pattern.name for found in voted.findings for one in (found, *found.variants)
    }


@pytest.mark.parametrize("name", ["marked", "preferred", "voted"])
def test_findings_are_read_back(name, request, tmp_path):
    result = request.getfixturevalue(name)
    path = tmp_path / "findings.json"
    path.write_text(json.dumps(result.to_dict()))
    assert ChoiceAuditResult.open(path) == result


def test_findings_json_has_the_keys_of_the_contract(marked):
    content = json.loads(json.dumps(marked.to_dict()))
    assert {"accuracy", "low", "high", "majority"} <= content["leak"]["candidates"].keys()
    keys = {"level", "pattern", "field", "label", "count", "label_share", "base_rate", "mutual_information", "z", "p", "q", "supporting", "counter"}  # fmt: skip
    assert keys <= content["findings"][0].keys()


def test_a_finished_run_is_read_and_not_repeated(tmp_path, monkeypatch):
    first = audit_choices(quiz(), out=tmp_path / "run")
    monkeypatch.setattr("longway.jobs.choices.audit.job._audit", None)
    assert audit_choices(quiz(), out=tmp_path / "run") == first
    assert (tmp_path / "run" / "report.html").exists()


def test_without_the_encoder_the_report_says_so(monkeypatch):
    without_encoder(monkeypatch)
    result = audit_choices(quiz(30))
    assert "encoder" not in result.leaks
    assert result.headline == result.leak
    assert "The sentence encoder is not installed" in result.report.html
    assert "not installed" not in audit_choices(quiz(30), encoder=False).report.html


def test_the_encoder_is_read_for_the_report_and_the_gate(marked):
    assert marked.measured_leaks == [marked.leak, marked.leaks["encoder"]]
    assert "surface and meaning" in marked.report.html


def test_the_headline_is_the_encoder_even_if_another_ranker_is_right_more_often(marked):
    leaks = {**marked.leaks, "encoder": replace(marked.leaks["encoder"], accuracy=0.31, low=0.28, high=0.34)}
    result = replace(marked, leaks=leaks)
    assert result.headline.accuracy < result.leak.accuracy
    assert "a simple ranker (surface and meaning) picks the right option in 31%" in result.page().verdict


def test_a_part_of_the_questions_that_the_encoder_read_is_reported(marked):
    leaks = {**marked.leaks, "encoder": replace(marked.leaks["encoder"], rows=40)}
    assert "The sentence encoder read 40 of 60 questions" in replace(marked, leaks=leaks).report.html


def test_the_same_data_give_the_same_result(marked):
    assert replace(audit_choices(quiz()), created=marked.created) == marked


@pytest.mark.parametrize("n", [1, 19])
def test_too_few_questions_are_an_error(n):
    with pytest.raises(
        DataError, match=f"has {n} question{'s' * (n > 1)} with one right candidate. Expected at least 20"
    ):
        audit_choices(quiz(n))


def test_twenty_questions_are_enough():
    assert audit_choices(quiz(20)).leak.rows == 20


HOSTILE = (
    "<script>alert(1)</script>", "=cmd|'/c calc'!A1", "x" * 1_000_000, "הכלב ישן", "狗在睡觉", "😀😀", "\x00\x1b[31m", "\u202eabc",
    "] [bold]", "{{ 7 * 7 }}", "'\"><img src=x onerror=1>", "1,000.5", ".", "...",
)  # fmt: skip


def test_hostile_candidates_do_no_harm():
    data = [
        {"question": f"{HOSTILE[0]} {i}", "choices": [HOSTILE[i % 14], HOSTILE[(i + 3) % 14], f"plain {i}"], "answer": i % 3}
        for i in range(28)
    ]  # fmt: skip
    result = audit_choices(data)
    report = result._repr_html_()
    assert "<script>alert" not in report
    assert "<img src=x" not in report
    assert len(json.dumps(result.to_dict())) < 1_000_000  # examples are the shortest questions
    json.dumps(result.to_dict()).encode("utf-8")


def test_candidates_that_are_all_alike_but_one_letter():
    result = audit_choices(
        [{"question": str(i), "choices": ["aaa", "aab"], "answer": i % 2} for i in range(40)]
    )
    assert 0 <= result.leak.accuracy <= 1


def test_labelled_audits_name_the_function_for_candidates():
    with pytest.raises(DataError, match=r"choices = options, answer = answer.*lw\.audit_choices"):
        lw.audit(quiz())
    data = [
        {"question": f"{'good' if i % 2 else 'bad'} {i}", "choices": ["a", "b"], "answer": i % 2}
        for i in range(60)
    ]
    named = lw.audit(data, text="question", label="answer", levels="token")
    assert named.findings


def test_columns_are_named_in_the_call():
    data = [{"stem": row["question"], "list": row["options"], "key": row["answer"]} for row in quiz()]
    result = lw.audit_choices(data, choices="list", answer="key", prompt="stem")
    assert result.dataset.fields == {"choices": "list", "answer": "key", "prompt": "stem"}
    with pytest.raises(DataError, match="The data have no candidates"):
        lw.audit_choices([{"text": "x", "label": 1}])
    with pytest.raises(SettingError, match="already loaded"):
        lw.audit_choices(lw.load_choices(quiz()), answer="answer")


def test_a_check_is_an_assertion(marked):
    marked.check(leak=1.0)
    with pytest.raises(CheckFailed, match="leak: from options alone"):
        marked.check(leak=0.5)
    with pytest.raises(CheckFailed, match="a space before the first word"):
        marked.check(severity="high")
    marked.check(severity="high", baseline=marked)


def test_the_command_finds_the_format_and_shows_the_leak(run):
    done = run("audit", "quiz.jsonl", "--out", "run")
    assert done.exit_code == 0, done.output
    assert "100.0%" in done.output
    assert "a space before the first word" in done.output
    assert "choices = options (guessed)" in done.output
    assert "report.html" in run("audit", "quiz.jsonl", "--out", "run").output


def test_the_gate_exits_with_1_and_writes_its_files(run, tmp_path):
    done = run("audit", "quiz.jsonl", "--fail-over", "leak=0.5", "--fail-over", "severity=high", "--junit", "junit.xml", "--sarif", "gate.sarif")  # fmt: skip
    assert done.exit_code == 1
    assert "The gate failed" in done.output
    failures = ElementTree.parse(tmp_path / "junit.xml").getroot().findall(".//failure")
    assert len(failures) == 2
    results = json.loads((tmp_path / "gate.sarif").read_text())["runs"][0]["results"]
    assert {one["ruleId"] for one in results} == {"leak", "finding"}
    assert results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "quiz.jsonl"


def test_a_baseline_passes_what_it_has(run):
    run("audit", "quiz.jsonl", "--out", "before")
    assert run("audit", "quiz.jsonl", "--baseline", "before/findings.json").exit_code == 0


def test_one_kind_of_columns_at_a_time(run):
    done = run("audit", "quiz.jsonl", "--text", "question", "--choices", "options")
    assert "Use one kind of data" in str(done.exception)


def test_questions_that_repeat_a_prompt_count_as_one():
    once = [question("yes", "no way", right=i % 3 == 0, prompt=f"p{i}", number=i) for i in range(30)]
    again = [replace(one, id=f"{one.id}-{copy}") for one in once for copy in range(5)]
    tests = [search(Candidates.of(some), max_q=1.0, field="", label="")[2] for some in (once, again)]
    first, second = (next(one for one in some if one.pattern.name == "option A") for some in tests)
    assert second.effect == pytest.approx(5)
    assert second.z == pytest.approx(first.z)


def test_the_verdict_names_a_clear_leak_that_is_not_in_the_headline():
    found = audit_choices(quiz())
    words = found.leaks["candidates"]
    unclear = replace(words, part="encoder", accuracy=words.majority, low=0.0, high=1.0)
    verdict = replace(found, leaks={**found.leaks, "encoder": unclear}).page().verdict
    assert words.low > words.majority
    assert f"(surface and words) picks the right option in {words.accuracy:.0%}" in verdict


def yes_or_no(n=200, share=0.85):
    """Questions about a passage, of which this share has the answer no. No column has one of the usual names of a prompt."""
    return [
        {
            "passage": f"Passage {i}",
            "statement": f"Statement {i}.",
            "choices": ["yes", "no"],
            "answer": "no" if i < share * n else "yes",
        }
        for i in range(n)
    ]


def test_an_answer_that_is_nearly_always_right_leaks_without_a_prompt_column():
    result = lw.audit_choices(yes_or_no(), encoder=False)
    assert result.leak.low > 0.7
    assert result.leak.accuracy == pytest.approx(0.85, abs=0.02)
    assert "no_prompt" in {one.kind for one in result.problems}
    assert gate(result, Limits(leak=0.6))


def few_prompts(n=40):
    """Questions with four different prompts."""
    return [
        {"question": f"Question {i % 4}?", "choices": [f"a{i}", f"b{i}"], "answer": "AB"[i % 2]}
        for i in range(n)
    ]


def test_a_leak_that_cannot_be_measured_is_not_a_number_and_does_not_pass_the_gate():
    result = lw.audit_choices(few_prompts(), encoder=False)
    assert not result.leak.is_measured
    assert "could not be measured: 4 different questions" in result.page().verdict
    assert "could not be measured" in gate(result, Limits(leak=0.6))[0].message
    with pytest.raises(DataError, match="4 different questions"):
        lw.repair_choices(few_prompts(), encoder=False)


def test_reasons_of_the_gate_say_what_each_ranker_sees(marked):
    messages = [one.message for one in gate(marked, Limits(leak=0.5)) if one.rule == "leak"]
    assert [("surface and words" in one, "surface and meaning" in one) for one in messages] == [
        (True, False),
        (False, True),
    ]


def test_the_repair_of_votes_is_suggested_without_the_column_of_the_judge(run, tmp_path):
    rows = [{"who" if name == "judge" else name: value for name, value in row.items()} for row in votes()]
    (tmp_path / "votes.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = run("audit", "votes.jsonl", "--set", "judge=who")
    assert "longway repair votes.jsonl" in done.output
    assert "repair votes.jsonl --set judge" not in " ".join(done.output.split())


def test_questions_that_style_effects_leave_out_are_counted():
    rows = [
        {"prompt": row["prompt"], "choices": [row["chosen"], row["rejected"]], "answer": 0} for row in pairs()
    ]
    rows += [{"prompt": f"Third {i}?", "choices": ["a", "b", f"c{i}"], "answer": i % 3} for i in range(30)]
    result = audit_choices(rows, encoder=False, answer_base=0)
    assert result.effects
    assert "Compared: 60 of 90 questions, those with two options." in render(result.page())
