"""Rows with candidates are written back in the form they had: every way to give options and answers, read again after a change."""

import json
from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.data import save
from longway.data.choice_cells import (
    ChoiceCells,
    EditedQuestion,
    apply_choice_edits,
    ids_of,
)
from longway.data.choice_columns import GivenColumns
from longway.data.choices import load_choices
from longway.records import Edit

OPTIONS = (
    ["red", "green", "blue", "grey"],
    ["one", "two", "six", "ten"],
    ["a cat", "a dog", "a cow", "a hen"],
)
RIGHT = (1, 3, 0)
LETTERS = "ABCD"


def rows(answer, options=lambda texts: texts):
    """Three questions. answer: from the place of the right one and the texts."""
    return [
        {"question": f"Question {i}?", "choices": options(texts), "answer": answer(right, texts)}
        for i, (texts, right) in enumerate(zip(OPTIONS, RIGHT, strict=True))
    ]


def labelled(texts):
    return {"text": list(texts), "label": list(LETTERS)}


def objects(texts):
    return [{"label": letter, "text": text} for letter, text in zip(LETTERS, texts, strict=True)]


ENCODINGS = {
    "letter": rows(lambda right, texts: LETTERS[right]),
    "small letter": rows(lambda right, texts: LETTERS[right].lower()),
    "letter in brackets": rows(lambda right, texts: f"({LETTERS[right]})"),
    "number from 0": rows(lambda right, texts: right),
    "number from 1": rows(lambda right, texts: right + 1),
    "number as text": rows(lambda right, texts: str(right)),
    "text": rows(lambda right, texts: texts[right]),
    "list of one": rows(lambda right, texts: [texts[right]]),
    "object of lists": rows(lambda right, texts: LETTERS[right], labelled),
    "list of objects": rows(lambda right, texts: LETTERS[right], objects),
}


def turned(question, texts=None):
    """The question with its candidates turned by one place, and other texts."""
    n = len(question.candidates)
    return EditedQuestion(question, tuple(texts or question.candidates), (*range(1, n), 0))


def edits_of(cells, draft):
    new = cells.changed(draft)
    assert new is not None
    return [
        Edit(draft.question.id, name, "", cells.text(name, cell), "", "", "positions", "rules", accepted=True)
        for name, cell in new.items()
    ]


def rewritten(data, path, drafts=turned, columns=None):
    """The data with all questions changed, written to a file and read again."""
    given_data = load_choices(data, columns)
    cells = ChoiceCells(given_data)
    made = [drafts(one) for one in given_data.questions]
    save(apply_choice_edits(given_data, [edit for one in made for edit in edits_of(cells, one)]), path)
    return [one.result for one in made], load_choices(path, columns)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("ending", ["jsonl", "json", "parquet"])
def test_every_encoding_of_the_answer_is_kept(encoding, ending, tmp_path):
    source = tmp_path / f"quiz.{ending}"
    if ending == "parquet":
        pl.DataFrame(ENCODINGS[encoding]).write_parquet(source)
    else:
        source.write_text(
            json.dumps(ENCODINGS[encoding])
            if ending == "json"
            else "".join(json.dumps(row) + "\n" for row in ENCODINGS[encoding]),
            encoding="utf-8",
        )
    meant, read = rewritten(source, tmp_path / f"dataset.{ending}")
    assert [(one.candidates, one.right) for one in read.questions] == [
        (one.candidates, one.right) for one in meant
    ]
    before, after = (load_choices(path).table.frame for path in (source, tmp_path / f"dataset.{ending}"))
    assert after.drop("longway_id").schema == before.schema
    kinds = [{type(cell) for cell in frame["answer"]} for frame in (before, after)]
    assert kinds[0] == kinds[1]


@pytest.mark.parametrize("ending", ["csv", "tsv"])
@pytest.mark.parametrize("write", [json.dumps, repr])
def test_lists_in_csv_cells_stay_as_they_were_written(write, ending, tmp_path):
    source, target = tmp_path / f"quiz.{ending}", tmp_path / f"dataset.{ending}"
    frame = pl.DataFrame([{**row, "choices": write(row["choices"])} for row in ENCODINGS["letter"]])
    frame.write_csv(source, separator="\t" if ending == "tsv" else ",")
    meant, read = rewritten(source, target)
    assert [one.candidates for one in read.questions] == [one.candidates for one in meant]
    assert write(list(meant[0].candidates)) in read.table.frame["choices"].to_list()


def test_columns_with_an_option_each_are_exchanged(tmp_path):
    source = tmp_path / "quiz.csv"
    source.write_text(
        "question;option_a;option_b;option_c;answer\nq1;red;blue;;B\nq2;one;two;six;C\n", encoding="utf-8"
    )
    _, read = rewritten(source, tmp_path / "dataset.csv")
    assert [(one.candidates, one.right) for one in read.questions] == [
        (("blue", "red"), 0),
        (("two", "six", "one"), 1),
    ]
    lines = (tmp_path / "dataset.csv").read_text(encoding="utf-8").splitlines()
    assert lines[1] == "q1;blue;red;;A;1"


def test_other_columns_that_name_the_answer_follow(tmp_path):
    data = [{**row, "answer_index": right, "correct_text": texts[right]} for row, right, texts in zip(ENCODINGS["letter"], RIGHT, OPTIONS, strict=True)]  # fmt: skip
    meant, _ = rewritten(data, tmp_path / "dataset.jsonl")
    lines = [
        json.loads(line) for line in (tmp_path / "dataset.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert [line["answer_index"] for line in lines] == [one.right for one in meant]
    assert [line["correct_text"] for line in lines] == [
        texts[right] for texts, right in zip(OPTIONS, RIGHT, strict=True)
    ]


def test_a_column_that_disagrees_once_is_left_alone():
    data = [{**row, "label": 1} for row in ENCODINGS["letter"]]
    assert ChoiceCells(load_choices(data, GivenColumns(answer="answer")))._answers.keys() == {"answer"}


def many(n=40, **others):
    """n questions whose right option is the one called right, at changing places. others: further columns, from the number and the place."""
    table = []
    for i in range(n):
        right = (i * 7 + i // 4) % 4
        texts = [f"wrong {i} {at}" for at in range(4)]
        texts[right] = f"right {i}"
        cells = {name: make(i, right) for name, make in others.items()}
        table.append({"question": f"Question {i}?", "choices": texts, "answer": LETTERS[right], **cells})
    return table


def moved_rows(data, tmp_path):
    """The rows after all questions that may move were turned by one place; the reasons of the others by id."""
    given_data = load_choices(data)
    cells = ChoiceCells(given_data)
    reasons = {one.id: cells.cannot_move(one) for one in given_data.questions}
    edits = [
        edit for one in given_data.questions if not reasons[one.id] for edit in edits_of(cells, turned(one))
    ]
    save(apply_choice_edits(given_data, edits), tmp_path / "dataset.jsonl")
    lines = (tmp_path / "dataset.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines], {id_: why for id_, why in reasons.items() if why}


@pytest.mark.parametrize(
    ("say", "read"),
    [
        (lambda i, right: right, lambda cell, texts: texts[cell]),
        (lambda i, right: right + 1, lambda cell, texts: texts[cell - 1]),
        (lambda i, right: LETTERS[right], lambda cell, texts: texts[LETTERS.index(cell)]),
        (lambda i, right: f"right {i}", lambda cell, texts: cell),
    ],
    ids=["from 0", "from 1", "letter", "text"],
)
def test_a_column_that_says_the_same_follows_whatever_its_name(say, read, tmp_path):
    lines, reasons = moved_rows(many(truth=lambda i, right: None if i == 3 else say(i, right)), tmp_path)
    assert not reasons
    assert all(
        read(line["truth"], line["choices"]).startswith("right") for i, line in enumerate(lines) if i != 3
    )
    assert lines[3]["truth"] is None
    assert lines[3]["choices"][LETTERS.index(lines[3]["answer"])] == "right 3"


def test_a_row_whose_other_column_disagrees_stays(tmp_path):
    data = many(truth=lambda i, right: (right + (i == 5)) % 4)
    lines, reasons = moved_rows(data, tmp_path)
    assert reasons == {"6": "another column names another answer"}
    assert lines[5]["choices"] == data[5]["choices"]
    assert lines[6]["choices"] != data[6]["choices"]


@pytest.mark.parametrize("cell", [lambda i, right: i % 4, lambda i, right: 0, lambda i, right: i], ids=["other", "constant", "running"])  # fmt: skip
def test_a_column_of_other_numbers_is_left_alone(cell, tmp_path):
    data = many(n=40, year=cell)
    lines, reasons = moved_rows(data, tmp_path)
    assert [line["year"] for line in lines] == [row["year"] for row in data]
    assert not reasons


def test_numbers_that_agree_only_where_the_usual_place_is_right_are_no_answer():
    data = [{"question": f"q{i}", "choices": ["x", "y"], "answer": "AB"[i == 3], "n": int(i == 9)} for i in range(40)]  # fmt: skip
    assert ChoiceCells(load_choices(data))._answers.keys() == {"answer"}


def test_lists_and_columns_with_an_entry_for_each_option_move_with_them(tmp_path):
    others = {f"why_{mark}": lambda i, right, at=at: f"why {i} {at}" for at, mark in enumerate("abcd")}
    data = many(**others, notes=lambda i, right: [f"note {i} {at}" for at in range(4)], tags=lambda i, right: ["x", "y"])  # fmt: skip
    lines, reasons = moved_rows(data, tmp_path)
    assert not reasons
    for before, line in zip(data, lines, strict=True):
        order = [before["choices"].index(text) for text in line["choices"]]
        assert order == [1, 2, 3, 0]
        assert line["notes"] == [before["notes"][at] for at in order]
        assert [line[f"why_{mark}"] for mark in "abcd"] == [before[f"why_{'abcd'[at]}"] for at in order]
        assert line["tags"] == ["x", "y"]


def test_a_question_with_a_list_of_another_length_stays(tmp_path):
    data = many(notes=lambda i, right: ["note"] * (3 if i == 0 else 4))
    assert moved_rows(data, tmp_path)[1] == {"1": "another column has a list of another length"}


def test_a_question_whose_explanation_names_an_option_stays(tmp_path):
    texts = ["The answer is A.", "B is correct.", "See option (C).", "A good answer.", "Vitamin B"]
    data = many(40, explanation=lambda i, right: texts[i] if i < 5 else "It is known.")
    named = "another column names an option by its letter or number"
    assert moved_rows(data, tmp_path)[1] == dict.fromkeys(("1", "2", "3"), named)


FORMS = {
    "objects by letter": lambda texts, right: {"choices": dict(zip(LETTERS, texts, strict=True)), "answer": LETTERS[right]},
    "flags": lambda texts, right: {"choices": texts, "labels": [int(at == right) for at in range(4)]},
    "letter and text": lambda texts, right: {"choices": texts, "answer": f"({LETTERS[right]}) {texts[right]}"},
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_other_forms_are_kept(form, tmp_path):
    data = [{"question": f"q{i}", **FORMS[form](texts, right)} for i, (texts, right) in enumerate(zip(OPTIONS, RIGHT, strict=True))]  # fmt: skip
    columns = GivenColumns(choices=("choices",), answer="labels" if form == "flags" else "answer")
    meant, read = rewritten(data, tmp_path / "dataset.jsonl", columns=columns)
    assert [(one.candidates, one.right) for one in read.questions] == [
        (one.candidates, one.right) for one in meant
    ]


def test_a_text_answer_follows_a_changed_text(tmp_path):
    def shouted(question):
        return EditedQuestion(
            question,
            tuple(text.upper() for text in question.candidates),
            tuple(range(len(question.candidates))),
        )

    _, read = rewritten(ENCODINGS["text"], tmp_path / "dataset.jsonl", shouted)
    assert [one.right for one in read.questions] == list(RIGHT)
    assert read.table.frame["answer"].to_list() == ["GREEN", "TEN", "A CAT"]


def chat(text, start="Hi"):
    return [{"role": "user", "content": start}, {"role": "assistant", "content": text}]


def test_options_and_flags_in_one_object_move_together(tmp_path):
    data = [{"question": f"q{i}", "mc1_targets": {"choices": texts, "labels": [int(at == right) for at in range(4)]}} for i, (texts, right) in enumerate(zip(OPTIONS, RIGHT, strict=True))]  # fmt: skip
    meant, read = rewritten(data, tmp_path / "dataset.jsonl")
    assert [(one.candidates, one.right) for one in read.questions] == [
        (one.candidates, one.right) for one in meant
    ]


def sharegpt(text):
    return [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": text}]


def parts(text):
    return [{"role": "assistant", "content": [{"type": "text", "text": text}]}]


@pytest.mark.parametrize("form", [str, chat, sharegpt, parts, lambda text: [{"role": "assistant", "content": text}]], ids=["text", "chat", "from and value", "content parts", "one message"])  # fmt: skip
def test_messages_stay_messages(form, tmp_path):
    data = [
        {"prompt": f"p{i}", "chosen": form("Yes, of course. "), "rejected": form("No.")} for i in range(3)
    ]

    def stripped(question):
        return EditedQuestion(question, tuple(text.strip() for text in question.candidates), (0, 1))

    rewritten(data, tmp_path / "dataset.jsonl", stripped)
    lines = [
        json.loads(line) for line in (tmp_path / "dataset.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert [line["chosen"] for line in lines] == [form("Yes, of course.")] * 3
    assert [line["rejected"] for line in lines] == [form("No.")] * 3


def test_unusable_rows_come_out_as_they_went_in(tmp_path):
    data = [*ENCODINGS["letter"], {"question": "q", "choices": ["x", "y"], "answer": "Z"}]
    _, read = rewritten(data, tmp_path / "dataset.jsonl")
    assert (read.n_rows, len(read.questions)) == (4, 3)
    assert json.loads(read.table.frame["choices"][3]) == ["x", "y"]
    assert read.table.frame["longway_id"].to_list() == ids_of(load_choices(data)) == ["1", "2", "3", "4"]


@given(st.data())
def test_any_order_of_any_texts_is_read_as_it_was_meant(data):
    word = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
    sizes = data.draw(st.lists(st.integers(2, 5), min_size=3, max_size=5))
    sets = [data.draw(st.lists(word.filter(str.strip), min_size=n, max_size=n, unique_by=lambda text: text.strip().casefold())) for n in sizes]  # fmt: skip
    rights = [data.draw(st.integers(0, n - 1)) for n in sizes]
    table = [{"question": f"q{i}", "choices": texts, "answer": texts[right]} for i, (texts, right) in enumerate(zip(sets, rights, strict=True))]  # fmt: skip
    given_data = load_choices(table)
    cells = ChoiceCells(given_data)
    for one in given_data.questions:
        draft = EditedQuestion(
            one, one.candidates, tuple(data.draw(st.permutations(range(len(one.candidates)))))
        )
        new = cells.changed(draft)
        assert new is not None
        assert Counter(draft.result.candidates) == Counter(one.candidates)
        assert draft.result.candidates[draft.result.right] == one.candidates[one.right]


def test_added_rows_are_copies_with_other_cells_and_name_their_source():
    pairs = [{"id": f"p{i}", "chosen": f"good {i}", "rejected": f"bad {i}", "n": i} for i in range(3)]
    given = load_choices(pairs)
    added = Edit("p1-counter", "chosen", "good 1", "Good one", "chosen", "chosen", "counter", "rules", accepted=True, source="p1")  # fmt: skip
    frame = pl.concat([table.without_raw().frame for table in apply_choice_edits(given, [added])])
    assert frame["longway_id"].to_list() == ["p0", "p1", "p2", "p1-counter"]
    assert frame.row(3, named=True) == {
        "id": "p1-counter", "chosen": "Good one", "rejected": "bad 1", "n": 1, "longway_id": "p1-counter", "longway_source": "p1",
    }  # fmt: skip


def test_an_added_row_of_messages_keeps_its_form():
    said = lambda text: [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": text}]  # noqa: E731
    given = load_choices([{"id": i, "chosen": said(f"good {i}"), "rejected": said("bad")} for i in range(2)])
    cell = json.dumps(said("Good one"))
    added = Edit("1-counter", "chosen", "", cell, "chosen", "chosen", "counter", "rules", accepted=True, source="1")  # fmt: skip
    frame = pl.concat([table.without_raw().frame for table in apply_choice_edits(given, [added])])
    assert json.loads(frame["chosen"][2]) == said(
        "Good one"
    )  # lists of objects are JSON until they are written
    assert frame["id"].to_list() == [0, 1, 2]


def test_an_added_row_has_no_scores_of_the_pair_it_was_made_from():
    pairs = [
        {"chosen": f"good {i}", "rejected": f"bad {i}", "score_chosen": 0.9, "topic": "x"} for i in range(2)
    ]
    added = Edit("1-counter", "chosen", "", "Good one", "chosen", "chosen", "counter", "rules", accepted=True, source="1")  # fmt: skip
    frame = pl.concat([table.frame for table in apply_choice_edits(load_choices(pairs), [added])])
    assert frame["score_chosen"].to_list() == [0.9, 0.9, None]
    assert frame["topic"].to_list() == ["x"] * 3
