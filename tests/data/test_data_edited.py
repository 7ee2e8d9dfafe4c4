"""A dataset with some of its texts replaced: same rows, same columns, same order."""

from longway.data import load
from longway.data.edited import AddedRow, Changes, apply_edits, edited_dataset
from longway.records import Edit

ROWS = [
    {"id": "a", "text": "one", "label": "x", "split": "train", "more": 1},
    {"id": "b", "text": "two", "label": None, "split": "train", "more": 2},
    {"id": "c", "text": "three", "label": "y", "split": "test", "more": 3},
    {"id": "d", "text": "four", "label": "y", "split": "train", "more": 4},
]


def edits(texts, *, field="text", label_before="x", label_after="x", source="", accepted=True):
    labels = label_before, label_after
    return [
        Edit(id_, field, "", text, *labels, "toy", "toy", accepted, source=source)
        for id_, text in texts.items()
    ]


def test_without_good_ids_rows_go_by_number_also_in_a_split():
    rows = [{**row, "id": "same"} for row in ROWS]
    dataset = load(rows, text="text", label="label", split="split")
    train = dataset.select_split("train")
    ids = [id_ for batch in train.batches() for id_ in batch.ids]
    (table,) = apply_edits(dataset, edits(dict.fromkeys(ids, "new")))
    assert table.frame["text"].to_list() == ["new", "two", "three", "new"]
    (part,) = apply_edits(train, edits({ids[1]: "new"}))
    assert part.frame["text"].to_list() == ["one", "two", "new"]


def test_contexts_are_replaced_beside_texts_and_empty_ones_stay_empty():
    rows = [row | {"context": context} for row, context in zip(ROWS, ("A", None, "C", "D"), strict=True)]
    dataset = load(rows, text="text", label="label", context="context")
    frame = edited_dataset(dataset, [*edits({"c": "3"}), *edits({"a": "new"}, field="context")]).frame
    assert frame["text"].to_list() == ["one", "two", "3", "four"]
    assert frame["context"].to_list() == ["new", None, "C", "D"]


def test_additions_say_what_they_were_made_from_and_what_was_told_before_stays():
    dataset = load(ROWS, text="text", label="label")
    first = edited_dataset(dataset, Changes(added={"a+1": AddedRow("a")}))
    assert first.frame["longway_source"].to_list() == [None] * 4 + ["a"]
    again = edited_dataset(first, edits({"a+1+1": "new"}, source="a+1"))
    assert again.frame["longway_source"].to_list() == [None] * 4 + ["a", "a+1"]
    assert again.frame["longway_id"].to_list()[-2:] == ["a+1", "a+1+1"]


def test_of_several_edits_the_last_accepted_one_counts():
    dataset = load(ROWS, text="text", label="label")
    made = [*edits({"a": "1"}), *edits({"a": "2"}), *edits({"a": "3", "d": "4"}, accepted=False)]
    assert edited_dataset(dataset, made).frame["text"].to_list() == ["2", "two", "three", "four"]


def test_labels_change_and_rows_are_dropped_although_others_are_copies_of_them():
    dataset = load(ROWS, text="text", label="label")
    changes = Changes.of([*edits({"c": "3"}, label_after="x"), *edits({"d": "4"}, label_before="y")])
    changes.added["a+1"] = AddedRow("a")
    changes.dropped.add("a")
    frame = edited_dataset(dataset, changes, with_sources=False).frame
    assert frame["longway_id"].to_list() == ["b", "c", "d", "a+1"]
    assert frame["text"].to_list() == ["two", "3", "4", "one"]
    assert frame["label"].to_list() == [None, "y", "x", "x"]
