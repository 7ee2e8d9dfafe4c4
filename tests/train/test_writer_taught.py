"""What a larger model writes for the writer: asked with the product's prompts, never twice, and kept only if it does what was asked."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.engines.loopback import Loopback, Reply, completion

TRAIN = Path(__file__).resolve().parents[2] / "train"
sys.path.insert(0, str(TRAIN))
pytest.importorskip("tokenizers")

import writer_judged as judging  # noqa: E402
import writer_taught as teacher  # noqa: E402
from writer_made import Source  # noqa: E402

CLAIM = Source(
    "The Tarn Bridge was opened in 1931.", "entailment", "The Tarn Bridge was opened in 1931 by Olga Brandt."
)
REVIEW = Source("A slow film about two brothers who never speak.", "negative")
ASKED = [
    teacher.Question("rewrite", "fever", CLAIM, {"avoid": ["opened"]}),
    teacher.Question("turn", "fever", CLAIM, {"to": "contradiction"}),
    teacher.Question("turn", "sst2", REVIEW, {"to": "positive"}),
]


def answered(call):
    return completion(json.dumps({"rewrites": [f"{call.text} One.", f"{call.text} Two."]}))


def test_every_question_is_asked_once_however_often_asking_stops(tmp_path):
    teacher.write_questions(tmp_path, ASKED)
    assert teacher.read_questions(tmp_path) == ASKED
    with Loopback(answered) as server:
        for _ in range(2):
            teacher.ask(tmp_path, model="toy", base_url=server.url, minutes=1, at_once=2)
        assert len(server.calls) == len(ASKED)
        with (tmp_path / teacher.ANSWERS).open("a") as file:
            file.write('{"number": 0, "te')  # cut off
        assert sorted(number for number, _ in teacher.read_answers(tmp_path)) == [0, 1, 2]
        teacher.ask(tmp_path, model="toy", base_url=server.url, minutes=1, at_once=2)
        assert "te" not in (tmp_path / teacher.ANSWERS).read_text().split("\n")[-1]  # it is taken away
        asked = [call.question["content"] for call in server.calls]
    assert sum("<avoid>" in content for content in asked) == 1
    assert sum('with the label "contradiction"' in content for content in asked) == 1


def written(folder, answers):
    teacher.write_questions(folder, ASKED)
    lines = [json.dumps({"number": i, "texts": texts}) for i, texts in enumerate(answers)]
    (folder / teacher.ANSWERS).write_text("\n".join(lines) + "\n")


def test_an_accepted_answer_is_paired_with_a_refused_one_to_the_same_question(tmp_path):
    written(tmp_path, [["It was opened then.", "It closed."], ["It never was."], ["A fast film."]])
    ask = teacher.rewrite_lines(
        CLAIM.text, avoid=["bridge"]
    )  # the words to avoid are chosen after the answer
    accepted = [
        teacher.Row("rewrite", "taught_fever", ask, "It was opened then."),
        teacher.Row("turn", "taught_fever", ASKED[1].lines, "It never was."),
    ]
    better, worse = teacher.pairs_of(tmp_path, accepted)
    assert better == accepted[0]
    assert (worse.ask, worse.answer) == (ask, "It closed.")


def test_the_answers_of_the_writer_itself_are_read_question_by_question(tmp_path):
    tokenizer = teacher.tokenizer_of(teacher.read_gguf(teacher.installed_model()).settings)
    written(tmp_path, [["One."], ["Two."], ["Three."]])
    own = ["A bridge.", "No bridge.", "A fine film.", "The bridge.", "Never.", "A good one."]  # two rounds
    tokens = [token for text in own for token in [*tokenizer.encode(f" {text}").ids, 0]]
    np.savez(tmp_path / teacher.SAMPLED, tokens=np.array(tokens, np.uint16))
    found = teacher.read_answers(tmp_path)
    assert found[:3] == [(0, ["One."]), (1, ["Two."]), (2, ["Three."])]
    assert found[3:] == [(0, ["A bridge.", "The bridge."]), (1, ["No bridge.", "Never."]), (2, own[2::3])]


def likely(call):
    """A judge that dislikes whatever closes."""
    is_bad = "closed" in call.body["prompt"].rsplit("\n", 2)[1]
    shares = {" bad": -0.1, " good": -3.0} if is_bad else {" good": -0.1, " bad": -3.0, " false": -0.2}
    return Reply({"choices": [{"logprobs": {"top_logprobs": [shares]}}]})


def test_a_judge_is_asked_about_each_answer_once_and_bad_ones_become_the_worse_of_a_pair(tmp_path):
    written(tmp_path, [["It was opened then.", "It closed."], ["It never was."], ["A fast film."]])
    with Loopback(likely) as server:
        for _ in range(2):
            judging.judge(tmp_path, model="toy", base_url=server.url, minutes=1, at_once=2)
        assert len(server.calls) == 4
        shown = [call.body["prompt"] for call in server.calls]
    assert sum(CLAIM.context in prompt for prompt in shown) == 1  # only the pair shows its context
    shares = judging.judged(tmp_path)
    assert shares[0, "It was opened then."] > 0.9 > 0.1 > shares[0, "It closed."]
    accepted = [teacher.Row("rewrite", "taught_fever", ASKED[0].lines, "It was opened then.")]
    assert [row.answer for row in teacher.pairs_of(tmp_path, accepted)] == [
        "It was opened then.",
        "It closed.",
    ]


def test_only_what_the_judge_finds_good_becomes_a_row(tmp_path, monkeypatch):
    written(tmp_path, [["It was opened then.", "It closed."], [], []])
    lines = [
        {"number": 0, "text": "It was opened then.", "share": 0.95},
        {"number": 0, "text": "It closed.", "share": 0.2},
    ]
    (tmp_path / judging.JUDGED).write_text("".join(json.dumps(line) + "\n" for line in lines))
    given = []
    monkeypatch.setattr(teacher, "_rewritten", lambda data, found, *_: given.extend(found) or [])
    monkeypatch.setattr(teacher, "_turned", lambda *_: [])
    list(teacher.taught(tmp_path, None))
    assert given == [(ASKED[0], ["It was opened then."])]
