"""Questions with candidates are read from every usual form, and bad rows are counted."""

import json

import polars as pl
import pytest

from longway.data.choice_columns import GivenColumns
from longway.data.choices import load_choices
from longway.detect.choices.candidates import Candidates
from longway.errors import ColumnError, DataError, SettingError

OPTIONS = [["pine", "oak"], ["iron", "gold", "lead"], ["one", "two", "six", "ten"]]
RIGHT = [1, 0, 3]


def rows(answer, options=OPTIONS, name="choices"):
    return [
        {"question": f"Which, of {i}?", name: some, "answer": answer(some, right)}
        for i, (some, right) in enumerate(zip(options, RIGHT, strict=True))
    ]


def beside_prompt(given):
    """The problems but for the missing column of prompts."""
    return [problem for problem in given.problems if problem.kind != "no_prompt"]


def rights(given):
    return [one.right for one in given.questions]


ENCODINGS = {
    "from 0": lambda options, right: right,
    "from 0, as text": lambda options, right: str(right),
    "from 1": lambda options, right: right + 1,
    "from 0, as a float": lambda options, right: float(right),
    "letter": lambda options, right: "ABCD"[right],
    "small letter": lambda options, right: "abcd"[right],
    "letter in brackets": lambda options, right: f"({'ABCD'[right]})",
    "letter with a full stop": lambda options, right: f"{'ABCD'[right]}.",
    "text": lambda options, right: options[right],
    "text in capitals": lambda options, right: f" {options[right].upper()} ",
    "in a list": lambda options, right: [options[right]],
}


@pytest.mark.parametrize("answer", ENCODINGS.values(), ids=ENCODINGS)
def test_the_answer_is_read_in_every_form(answer):
    given = load_choices(rows(answer))
    assert rights(given) == RIGHT
    assert given.questions[2].candidates == ("one", "two", "six", "ten")
    assert given.questions[0].prompt == "Which, of 0?"
    assert not given.problems


def test_hugging_face_options_with_letters():
    data = [
        {"question": "q", "choices": {"text": ["pine", "oak"], "label": ["1", "2"]}, "answerKey": "2"},
        {"question": "r", "choices": {"text": ["iron", "gold", "lead"], "label": ["A", "B", "C"]}, "answerKey": "A"},
    ]  # fmt: skip
    given = load_choices(data)
    assert rights(given) == [1, 0]
    assert given.questions[0].candidates == ("pine", "oak")


def test_options_as_objects():
    data = [{"options": [{"label": "A", "text": "pine"}, {"label": "B", "text": "oak"}], "answer": "B"}]
    assert load_choices(data).questions[0].candidates == ("pine", "oak")
    assert rights(load_choices(data)) == [1]


@pytest.mark.parametrize(
    ("names", "answer"),
    [
        (("option_a", "option_b", "option_c"), "correct"),
        (("choice1", "choice2", "choice3"), "label"),
        (("ending0", "ending1", "ending2"), "label"),
        (("A", "B", "C"), "answer"),
        (("opa", "opb", "opc"), "cop"),
    ],
)
def test_options_in_several_columns(names, answer):
    row = dict(zip(names, ("pine", "oak", "elm"), strict=True))
    given = load_choices([{"question": "q", **row, answer: "C"}])
    assert given.questions[0].candidates == ("pine", "oak", "elm")
    assert rights(given) == [2]


@pytest.mark.parametrize("write", [json.dumps, repr], ids=["JSON", "Python"])
def test_csv_with_lists_in_cells(tmp_path, write):
    path = tmp_path / "quiz.csv"
    pl.DataFrame([{**row, "choices": write(row["choices"])} for row in rows(ENCODINGS["letter"])]).write_csv(path)  # fmt: skip
    given = load_choices(path)
    assert rights(given) == RIGHT
    assert given.questions[1].candidates == ("iron", "gold", "lead")


def test_jsonl_and_a_limit(tmp_path):
    path = tmp_path / "quiz.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows(ENCODINGS["text"])))
    assert rights(load_choices(path)) == RIGHT
    assert len(load_choices(path, limit=2).questions) == 2


def chat(*turns):
    return [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(turns)]


def test_preferences_as_chat_messages():
    data = [{"chosen": chat("Why?", "Because."), "rejected": chat("Why?", "No idea.")}]
    one = load_choices(data).questions[0]
    assert (one.prompt, one.candidates, one.right) == ("Why?", ("Because.", "No idea."), 0)


def test_the_turns_of_the_prompt_are_no_part_of_an_answer():
    data = [{"prompt": "Why?", "chosen": chat("Why?", "Because."), "rejected": chat("Why?", "No idea.")}]
    one = load_choices(data).questions[0]
    assert (one.prompt, one.candidates) == ("Why?", ("Because.", "No idea."))


def test_preferences_as_conversations_in_one_text():
    start = "\n\nHuman: Hello\n\nAssistant: Hi.\n\nHuman: Why?\n\nAssistant:"
    data = [{"chosen": f"{start} Because.", "rejected": f"{start} But how?"}]
    one = load_choices(data).questions[0]
    assert one.prompt == start.strip()
    assert one.candidates == ("Because.", "But how?")


def test_answers_that_begin_alike_stay_whole():
    one = load_choices([{"prompt": "p", "chosen": "Sure.\n\nYes", "rejected": "Sure.\n\nNo"}]).questions[0]
    assert one.candidates == ("Sure.\n\nYes", "Sure.\n\nNo")


@pytest.mark.parametrize(
    "votes",
    [
        ("model_a", "model_b", "tie"),
        ("A", "B", "both"),
        ("0", "1", "2"),
        (0, 1, 0.5),
        (1, 2, 3),
        (-1, 1, 0),
        ("[[A]]", "[[B]]", "[[C]]"),
        ("A>B", "A<<B", "A=B"),
        ("x", "y", "neither"),
        ("gpt-1", "llama", "tie"),
        ("response_a", "response_b", "tie (bothbad)"),
    ],
    ids=str,
)
def test_votes_in_every_form(votes):
    data = [{"prompt": "p", "response_a": "x", "response_b": "y", "winner": str(vote), "judge": "j", "model_a": "gpt-1", "model_b": "llama"} for vote in votes]  # fmt: skip
    given = load_choices(data)
    assert given.columns.kind == "votes"
    assert rights(given) == [0, 1]
    assert [one.right for one in given.ties] == [None]
    assert given.questions[0].judge == "j"


def test_ranked_lists_with_scores():
    data = [
        {"prompt": "p", "responses": ["x", "y", "z"], "scores": [0.1, 0.9, 0.3]},
        {"prompt": "q", "responses": ["x", "y"], "scores": [5, 5]},
        {"prompt": "r", "responses": ["x", "y"], "scores": [5]},
    ]
    given = load_choices(data)
    assert given.columns.kind == "ranking"
    assert rights(given) == [1]
    assert {problem.kind for problem in given.problems} == {"several_answers", "other_length"}


VOTE_NUMBERS = [  # votes, --answer-base, places of the winners (None: a tie), the coding in the message
    ([0, 1, 2], None, [0, 1, None], "0 = first answer, 1 = second answer, 2 = tie"),
    ([0, 1, 2], 1, [None, 0, 1], "0 = tie, 1 = first answer, 2 = second answer"),
    ([0, 1], None, [0, 1], "0 = first answer, 1 = second answer"),
    ([0, 1], 1, [1, 0], "0 = second answer, 1 = first answer"),
    ([1, 2], None, [0, 1], "1 = first answer, 2 = second answer"),
    ([1, 2, 3], None, [0, 1, None], "1 = first answer, 2 = second answer, 3 = tie"),
    ([-1, 0, 1], None, [0, None, 1], "-1 = first answer, 0 = tie, 1 = second answer"),
    ([-1, 0, 1], 1, [1, None, 0], "-1 = second answer, 0 = tie, 1 = first answer"),
    (["True", "False"], None, [1, 0], "0 = first answer, 1 = second answer"),
    ([1.0, 2.0, 0.0], 1, [0, 1, None], "0 = tie, 1 = first answer, 2 = second answer"),
]


@pytest.mark.parametrize(("votes", "base", "places", "coding"), VOTE_NUMBERS)
def test_the_whole_column_decides_what_numbers_of_votes_mean(votes, base, places, coding):
    data = [{"prompt": f"p{i}", "response_a": "x", "response_b": "y", "winner": vote} for i, vote in enumerate(votes)]  # fmt: skip
    given = load_choices(data, answer_base=base)
    read = {one.prompt: one.right for one in (*given.questions, *given.ties)}
    assert [read[f"p{i}"] for i in range(len(votes))] == places
    problem = next(one for one in given.problems if one.kind == "vote_numbers")
    assert coding in problem.message
    assert "--set answer-base=" in problem.next_step


def test_other_votes_are_read_with_the_same_numbers():
    rows = [{"response_a": "x", "response_b": "y", "winner": vote} for vote in (0, 1, 2, 1)]
    given = load_choices(rows)
    again = load_choices(rows[1:], given.columns.as_given)
    assert rights(again) == [1, 1]
    assert len(again.ties) == 1


@pytest.mark.parametrize("name", ["ranks", "rank", "ranking"])
def test_the_lowest_rank_is_the_best(name):
    rows = [{"responses": ["x", "y", "z"], name: ranks} for ranks in ([2, 1, 3], [1, 2, 3])]
    given = load_choices(rows)
    assert rights(given) == [1, 0]
    assert [one.kind for one in beside_prompt(given)] == ["ranks"]


def test_scores_that_are_called_ranks_are_scores():
    rows = [{"responses": ["x", "y"], "ranks": [0.7, 12.5]}]
    assert rights(load_choices(rows)) == [1]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (float("nan"), "no_answer"),
        ("A,C", "several_answers"),
        ([1, 1], "several_answers"),
        ([0, 0], "no_answer"),
    ],
)
def test_an_answer_that_cannot_be_used_has_its_own_reason(answer, kind):
    rows = [{"options": ["x", "y"], "answer": right} for right in ("A", "B", "B")]
    given = load_choices([*rows, {"options": ["x", "y"], "answer": answer}])
    assert [(one.kind, one.count) for one in beside_prompt(given)] == [(kind, 1)]


def test_flags_name_the_right_option():
    rows = [{"choices": ["x", "y", "z"], "label": flags} for flags in ([1, 0, 0], [0, 0, 1], [0, 1, 0])]
    assert rights(load_choices(rows)) == [0, 2, 1]


def test_a_letter_before_the_text_of_the_answer_is_left_out():
    rows = [{"options": ["x", "y"], "answer": answer} for answer in ("(B) y", "A. x", "(A) y")]
    given = load_choices(rows)
    assert rights(given) == [1, 0]
    assert [one.kind for one in beside_prompt(given)] == ["foreign_answer"]


def test_options_that_differ_in_spaces_or_capitals_are_the_same():
    others = [{"options": ["oak", "elm"], "answer": "A"}] * 3
    given = load_choices([*others, {"options": ["Paris", " paris", "Rome"], "answer": "A"}])
    assert ("same_candidates", 1) in [(one.kind, one.count) for one in given.problems]
    given = load_choices([*others, {"options": ["Paris", "paris ", "Rome"], "answer": "C"}])
    assert ("repeated_candidate", 1) in [(one.kind, one.count) for one in given.problems]
    assert rights(given)[3] == 2


def test_options_whose_case_is_the_answer_are_different():
    options = ["AaBb", "AABB", "aabb", "MW", "mW", "II", "ii", "XHXh", "XHXH"]
    assert beside_prompt(load_choices([{"options": options, "answer": "A"}] * 3)) == []


BAD = {
    "foreign_answer": {"choices": ["pine", "oak"], "answer": "elm"},
    "one_candidate": {"choices": ["pine"], "answer": "pine"},
    "no_candidates": {"choices": [], "answer": "pine"},
    "empty_candidate": {"choices": ["pine", " "], "answer": "pine"},
    "no_answer": {"choices": ["pine", "oak"], "answer": None},
    "same_candidates": {"choices": ["pine", "pine", "oak"], "answer": "pine"},
    "repeated_candidate": {"choices": ["pine", "oak", "oak"], "answer": "pine"},
}


@pytest.mark.parametrize(("kind", "bad"), BAD.items(), ids=BAD)
def test_a_bad_row_is_counted(kind, bad):
    good = [{"question": f"q{i}", "choices": ["elm", "ash"], "answer": "ash"} for i in range(3)]
    given = load_choices([*good, {"question": "bad", **bad}])
    assert [(one.kind, one.count, one.rows) for one in given.problems] == [(kind, 1, (4,))]
    assert len(given.questions) == 3 + (kind == "repeated_candidate")
    assert given.n_rows == 4


def test_null_candidates_are_counted():
    given = load_choices(
        [{"question": "Which?", "choices": some, "answer": 0} for some in (["x", "y"], None, ["x", None])]
    )
    assert {one.kind for one in given.problems} == {"no_candidates", "empty_candidate"}


def test_a_prompt_of_most_rows_is_an_instruction():
    rows = [{"prompt": "Summarize.", "chosen": f"good {i}", "rejected": "no"} for i in range(30)]
    asked = [{"prompt": f"Question {i // 2}?", "chosen": f"yes {i}", "rejected": "no"} for i in range(10)]
    given = load_choices(rows + asked)
    assert [(one.kind, one.count) for one in given.problems] == [
        ("instruction", 30),
        ("repeated_question", 10),
    ]
    groups = Candidates.of(given.questions, "preference").group
    assert len({*groups[:30].tolist()}) == 30
    assert len({*groups[30:].tolist()}) == 5
    (copies,) = {*Candidates.of([given.questions[0]] * 25, "preference").group.tolist()}
    assert copies == 0


@pytest.mark.parametrize(
    "names",
    [
        ("text", "label"),
        ("question", "label"),
        ("question", "answer", "label"),
        ("premise", "hypothesis", "label"),
        ("question1", "question2", "label"),
        ("claim", "evidence", "label"),
        ("title", "content", "target"),
        ("text", "good", "bad"),
        ("text", "toxic", "obscene", "answer"),
    ],
    ids=" ".join,
)
def test_labelled_texts_have_no_candidates(names):
    assert load_choices([dict.fromkeys(names, "x")] * 3) is None


@pytest.mark.parametrize(
    "rows",
    [
        [{"text": f"t{i}", "label": ("pos", "neg")[i % 2], "a": 0.5 * i, "b": i} for i in range(9)],
        [{"text": f"t{i}", "label": i % 2, "a": 0.5 * i, "b": i} for i in range(9)],
        [{"text": f"t{i}", "label": i % 2, "a": str(0.5 * i), "b": str(i)} for i in range(9)],
        [{"text": f"t{i}", "vote": i % 2, "a": 0.5 * i, "b": i} for i in range(9)],
        [{"question": f"q{i}", "answer_1": "x", "answer_2": "y", "label": ("same", "other")[i % 2]} for i in range(9)],
    ],
    ids=["numbers", "numbers and flags", "numbers as text", "numbers and votes", "foreign labels"],
)  # fmt: skip
def test_columns_that_only_look_like_options_are_labelled_texts(rows):
    assert load_choices(rows) is None


def test_options_in_several_columns_may_be_numbers():
    rows = [
        {"question": f"{i}?", "option_a": str(i), "option_b": str(i + 2), "answer": "A"} for i in range(5)
    ]
    assert rights(load_choices(rows)) == [0] * 5


def test_named_options_are_options_even_if_no_answer_fits():
    rows = [{"question": "q", "answer_1": "x", "answer_2": "y", "label": "other"}] * 3
    with pytest.raises(DataError, match=r"none of the candidates.*Correct the answer"):
        load_choices(rows, choices=["answer_1", "answer_2"], answer="label")


def test_options_and_flags_in_one_object():
    rows = [{"question": "q", "mc1_targets": {"choices": ["x", "y", "z"], "labels": [0, 1, 0]}}]
    given = load_choices(rows)
    assert (given.columns.kind, rights(given)) == ("choice", [1])


def test_completions_with_a_score_each_are_a_ranking():
    rows = [{"instruction": "q", "completions": [{"response": "x", "overall_score": 2.0}, {"response": "y", "overall_score": 5.0}]}]  # fmt: skip
    given = load_choices(rows)
    assert (given.columns.kind, rights(given)) == ("ranking", [1])
    assert given.questions[0].candidates == ("x", "y")


@pytest.mark.parametrize(
    "message",
    [
        lambda role, text: {"from": role, "value": text},
        lambda role, text: {"role": role, "content": [{"type": "text", "text": text}]},
    ],
    ids=["from and value", "content parts"],
)
def test_messages_in_other_forms(message):
    start = [message("user", "Why?")]
    rows = [{"chosen": [*start, message("gpt", "Because.")], "rejected": [*start, message("gpt", "No idea.")]}]  # fmt: skip
    one = load_choices(rows).questions[0]
    assert (one.prompt, one.candidates) == ("Why?", ("Because.", "No idea."))


def test_options_as_an_object_by_letter():
    rows = [{"question": "q", "options": {"A": "pine", "B": "oak", "C": None}, "answer": "B"}] * 2
    given = load_choices(rows)
    assert given.questions[0].candidates == ("pine", "oak")
    assert rights(given) == [1, 1]


def test_a_winner_in_several_columns_is_an_error_that_shows_how_to_join_them():
    rows = [{"response_a": "x", "response_b": "y", "winner_model_a": 1, "winner_model_b": 0, "winner_tie": 0}]
    with pytest.raises(ColumnError, match=r"winner_model_a, winner_model_b, winner_tie.*idxmax"):
        load_choices(rows)


def test_scored_predictions_are_no_candidates():
    rows = [{"text": "x", "label": "pos", "predictions": [{"label": "pos", "score": 0.9}]}] * 3
    assert load_choices(rows) is None


def test_a_list_of_tags_is_no_list_of_candidates():
    assert load_choices([{"text": "x", "label": ["a", "b"]}] * 3) is None


def test_named_columns_go_before_guessed_ones():
    data = [{"question": "q", "stem": "s", "list": ["x", "y"], "key": 1, "choices": ["z", "w"], "answer": 0}]
    given = load_choices(data, choices="list", answer="key", prompt="stem")
    assert given.questions[0].candidates == ("x", "y")
    assert (given.questions[0].prompt, given.questions[0].right) == ("s", 1)
    assert given.columns.guessed == ("answer_base",)
    assert load_choices(data, prompt="").questions[0].prompt == ""


def test_a_column_that_is_not_there_is_an_error():
    with pytest.raises(ColumnError, match="optoins"):
        load_choices([{"options": ["x", "y"], "answer": 0}], choices="optoins")
    with pytest.raises(SettingError, match="There is no column called 'chioces'"):
        load_choices([{"options": ["x", "y"], "answer": 0}], chioces="options")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (GivenColumns(chosen="x"), "--chosen COLUMN --rejected COLUMN"),
        (GivenColumns(a="x"), "--set a=COLUMN --set b=COLUMN --set winner=COLUMN"),
        (GivenColumns(choices=("x",)), "--answer COLUMN"),
        (GivenColumns(answer="x"), "--choices COLUMN"),
    ],
)
def test_half_of_the_columns_is_an_error_that_names_the_others(given, said):
    with pytest.raises(ColumnError, match=said):
        load_choices([{"x": "1", "y": "2"}], given)


def test_the_fingerprint_changes_with_the_answer():
    one, two = (load_choices([{"choices": ["x", "y"], "answer": i}]).fingerprint for i in (0, 1))
    assert one != two


# ---- numbers as answers


def numbered(*answers, columns="list"):
    """Questions with three options and a number as the answer."""
    texts = ["x", "y", "z"]
    options = {"list": {"options": texts}, "from 1": {"option1": "x", "option2": "y", "option3": "z"}}[
        columns
    ]
    return [{"question": f"{i}?", **options, "answer": answer} for i, answer in enumerate(answers)]


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ((0, 1, 1), [0, 1, 1]),
        ((1, 2, 3), [0, 1, 2]),
        (("1", "2", "3"), [0, 1, 2]),
        ((1.0, 3.0), [0, 2]),
    ],
)
def test_numbers_count_from_where_more_of_them_name_an_option(answers, expected):
    found = load_choices(numbered(*answers))
    assert [one.right for one in found.questions] == expected
    assert not any(one.kind == "answer_base" for one in found.problems)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ((1, 2, 3, 3, 0), [0, 1, 2, 2]),  # more are in range from 1
        ((0, 0, 1, 2, 3), [0, 0, 1, 2]),
        ((0, 1, 3), [0, 1]),
    ],
)
def test_numbers_that_show_both_bases_are_reported(answers, expected):
    found = load_choices(numbered(*answers))
    assert [one.right for one in found.questions] == expected
    problem = next(one for one in found.problems if one.kind == "answer_base")
    assert "both 0 and the number of a last option occur" in problem.message


def test_options_that_are_numbers_are_read_by_text_unless_the_base_is_given():
    rows = [{"question": f"Q{i}", "choices": ["1", "2", "3", "0"], "answer": str(i % 4)} for i in range(8)]
    found = load_choices(rows)
    assert [one.right for one in found.questions] == [3, 0, 1, 2] * 2
    assert "--set answer-base=0" in next(one for one in found.problems if one.kind == "answer_way").next_step
    found = load_choices(rows, answer_base=0)
    assert [one.right for one in found.questions] == [0, 1, 2, 3] * 2
    assert not any(one.kind == "answer_way" for one in found.problems)


def test_numbers_that_show_no_base_are_read_from_0_and_reported():
    found = load_choices(numbered(1, 2, 1))
    assert [one.right for one in found.questions] == [1, 2, 1]
    problem = next(one for one in found.problems if one.kind == "answer_base")
    assert "Assumed: from 0" in problem.message
    assert "--set answer-base=1" in problem.next_step


def test_option_columns_that_count_from_1_make_numbers_from_1_likely():
    found = load_choices(numbered(1, 2, 1, columns="from 1"))
    assert [one.right for one in found.questions] == [0, 1, 0]
    assert "--set answer-base=0" in next(one for one in found.problems if one.kind == "answer_base").next_step


def test_the_base_can_be_given():
    found = load_choices(numbered(1, 2, 1), answer_base=1)
    assert [one.right for one in found.questions] == [0, 1, 0]
    assert found.problems == ()
    with pytest.raises(SettingError, match="'answer_base' must be 0 or 1"):
        load_choices(numbered(1, 2, 1), answer_base=2)


def test_other_data_are_read_with_the_same_base():
    found = load_choices(numbered(1, 2, 3))
    again = load_choices(numbered(1, 2, 1), found.columns.as_given)
    assert [one.right for one in again.questions] == [0, 1, 0]


# ---- candidates that begin with the prompt


def test_a_prompt_that_all_candidates_begin_with_is_left_out():
    rows = [{"prompt": "Why?", "chosen": "Why?\nBecause.", "rejected": "Why?\n No."}]
    found = load_choices(rows)
    assert found.questions[0].candidates == ("Because.", " No.")
    assert next(one.count for one in found.problems if one.kind == "begins_with_prompt") == 1


def test_an_answer_by_its_text_may_begin_with_the_prompt():
    rows = [{"question": "He", "options": ["He runs", "He sleeps"], "answer": "He sleeps"}]
    question = load_choices(rows).questions[0]
    assert (question.candidates, question.right) == (("runs", "sleeps"), 1)


def test_scores_that_are_no_numbers_rank_nothing():
    rows = [{"responses": ["a", "b"], "scores": [1.0, score]} for score in (float("nan"), float("inf"), 2.0)]
    found = load_choices(rows, choices="responses", scores="scores")
    assert [one.right for one in found.questions] == [1]
    assert [(one.kind, one.count) for one in beside_prompt(found)] == [("not_numbers", 2)]


def test_if_no_row_can_be_used_the_error_says_why():
    rows = [{"question": "x?", "options": ["a", "b"], "answer": "Z"}]
    with pytest.raises(DataError, match=r"1 row whose answer is none of the candidates.* choices = options, answer = answer"):  # fmt: skip
        load_choices(rows)
