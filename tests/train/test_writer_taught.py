"""What a larger model writes for the writer: asked with the product's prompts, never twice, and kept only if it does what was asked."""

import json
import sys
from pathlib import Path

import pytest

from tests.engines.loopback import Loopback, completion

TRAIN = Path(__file__).resolve().parents[2] / "train"
sys.path.insert(0, str(TRAIN))
pytest.importorskip("tokenizers")

import writer_taught as teacher  # noqa: E402
from writer_made import Source  # noqa: E402

CLAIM = Source(
    "The Tarn Bridge was opened in 1931.", "entailment", "The Tarn Bridge was opened in 1931 by Olga Brandt."
)
REVIEW = Source("A slow film about two brothers who never speak.", "negative")
ASKED = [
    teacher.Question("rewrite", "fever", CLAIM, {"avoid": ["opened"]}),
    teacher.Question("turn", "fever", CLAIM, {"to": "contradiction"}),
    teacher.Question("edit", "sst2", REVIEW, {"include": "of course"}),
    teacher.Question("edit", "imdb", REVIEW, {"most": 6}),
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
        assert sorted(number for number, _ in teacher.read_answers(tmp_path)) == [0, 1, 2, 3]
        asked = [call.question["content"] for call in server.calls]
    assert sum("<avoid>" in content for content in asked) == 1
    assert sum('with the label "contradiction"' in content for content in asked) == 1
    assert sum('<include>"of course"</include>' in content for content in asked) == 1
    assert sum("at most 6 words" in content for content in asked) == 1


@pytest.mark.parametrize(
    ("text", "wanted", "is_reached"),
    [
        ("A slow film, of course, about two brothers.", {"include": "of course"}, True),
        ("A slow film about two brothers, of that course.", {"include": "of course"}, False),
        ("A slow film.", {"most": 3}, True),
        ("A slow film.", {"most": 2}, False),
        ("A slow film.", {"least": 4}, False),
    ],
)
def test_an_edit_counts_only_if_it_does_what_was_asked(text, wanted, is_reached):
    assert teacher.is_reached(text, **wanted) is is_reached


def test_an_accepted_answer_is_paired_with_a_refused_one_to_the_same_question(tmp_path):
    teacher.write_questions(tmp_path, ASKED)
    answers = [["It was opened then.", "It closed."], ["It never was."], ["Of course it is slow."], ["Slow."]]
    lines = [json.dumps({"number": i, "texts": texts}) for i, texts in enumerate(answers)]
    (tmp_path / teacher.ANSWERS).write_text("\n".join(lines) + "\n")
    ask = teacher.rewrite_lines(CLAIM.text, avoid=["opened"])
    accepted = [
        teacher.Row("rewrite", "taught_fever", ask, "It was opened then."),
        teacher.Row("edit", "taught_imdb", ASKED[3].lines, "Slow."),
    ]
    better, worse = teacher.pairs_of(tmp_path, accepted)
    assert better == accepted[0]
    assert (worse.ask, worse.answer) == (ask, "It closed.")
