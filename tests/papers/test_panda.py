"""Files in PANDA's form: read, written, and what cannot be learned from is counted."""

from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.data import save
from longway.english.people.change import Place, as_one
from longway.english.people.words import AXES, parse_attribute
from longway.english.pipeline import load_pipeline
from longway.errors import ColumnError, DataError
from longway.methods.perturb.segments import FORMS, SEP, joined
from panda import COLUMNS, PandaRow, attribute_called, read_panda, request_of, rows_of_pair

MAN, WOMAN = parse_attribute("man"), parse_attribute("woman")
ALL = [parse_attribute(name) for names in AXES.values() for name in names]
ROWS = [
    PandaRow(("Ann lost her hat.",), "her", MAN, ("Al lost his hat.",)),
    PandaRow(('A "loud" woman, 11, left.', "She left."), "woman", parse_attribute("senior"), ("An old woman, 71, left.", "She left.")),
]  # fmt: skip
WORDS = st.text(st.characters(exclude_characters="<", exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1).map(str.strip).filter(bool)  # fmt: skip


def cells(**changed):
    row = {
        "original": "Ann left.",
        "selected_word": "Ann",
        "target_attribute": "man",
        "perturbed": "Al left.",
    }
    return row | changed


def write_panda(rows, path):
    table = [(joined(row.before), row.word, row.target.name, joined(row.after)) for row in rows]
    return save(pl.DataFrame(table, schema=dict.fromkeys(COLUMNS, pl.String), orient="row"), path)


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_rows_are_read_from_every_format(tmp_path, ending):
    assert read_panda(write_panda(ROWS, tmp_path / f"panda.{ending}")) == ROWS


@given(st.lists(WORDS, min_size=1, max_size=3), WORDS, st.sampled_from(ALL), WORDS)
def test_any_rows_survive_a_file(tmp_path_factory, before, word, target, new):
    row = PandaRow(tuple(before), word, target, (new,) * len(before))
    assert read_panda(write_panda([row], tmp_path_factory.mktemp("panda") / "one.jsonl")) == [row]


def test_segments_are_those_between_the_marks():
    found = read_panda(
        [cells(original="Ann left.<SEP> She is gone. ", perturbed=f"Al left. {SEP} He is gone.\n\n")]
    )
    assert found[0].before == ("Ann left.", "She is gone.")
    assert found[0].after == ("Al left.", "He is gone.")


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"perturbed": " "}, "perturbed is empty"),
        ({"selected_word": None}, "selected_word is empty"),
        ({"target_attribute": "martian"}, "'martian' is not a demographic attribute"),
        ({"perturbed": "Al left. <SEP> He did."}, "1 segments were sent and 2 came back"),
        ({"original": "Ann <PERT_SEP> left."}, "original contains <PERT_SEP>"),
        ({"selected_word": "Ann <SEP>"}, "selected_word contains <SEP>"),
    ],
)
def test_rows_that_cannot_be_used_are_left_out_and_counted(changed, why, capsys):
    assert len(read_panda([cells(), cells(**changed), cells()])) == 2
    assert capsys.readouterr().out == f"Rows left out: 1. {why}.\n"


def test_a_file_without_the_columns_is_told(tmp_path):
    with pytest.raises(ColumnError):
        read_panda([{"text": "a", "label": "b"}])
    with pytest.raises(DataError, match="no column selected_word and no column perturbed"):
        read_panda([{"original": "Ann left.", "target_attribute": "man"}])
    with pytest.raises(DataError, match="no perturbation that can be used"):
        read_panda([cells(target_attribute="martian")])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("target", ALL, ids=str)
def test_every_attribute_is_known_by_its_name_in_every_form(form, target):
    assert attribute_called(FORMS[form].attributes[target]) == target
    assert attribute_called(str(target).upper()) == target


def test_the_forms_are_the_published_ones():
    """Table 1 of the paper; the card of facebook/perturber ("[selected word], [target attribute] <PERT_SEP> [text]")."""
    paper, released = FORMS["paper"], FORMS["released"]
    text = ["Ann lost her hat."]
    assert paper.source(text, "her", MAN) == "her gender:man <PERT_SEP> Ann lost her hat."
    assert (
        paper.source(text, "Ann", parse_attribute("asian")) == "Ann race:asian <PERT_SEP> Ann lost her hat."
    )
    assert (
        paper.source(text, "Ann", parse_attribute("young"))
        == "Ann age:young (18-44) <PERT_SEP> Ann lost her hat."
    )
    assert released.source(text, "her", MAN) == "her, man <PERT_SEP> Ann lost her hat."
    assert set(released.attributes.values()) == {
        "man", "woman", "non-binary", "black", "white", "asian", "hispanic", "native-american", "pacific-islander",
        "child", "young", "middle-aged", "senior", "adult",
    }  # fmt: skip


def test_a_pair_gives_both_directions_and_equal_texts_give_none():
    there, back = rows_of_pair("So did Her aunt.", "So did His uncle.", has=WOMAN, other_has=MAN)
    assert (there.word, there.target, there.after) == ("Her", MAN, ("So did His uncle.",))
    assert (back.word, back.target, back.after) == ("His", WOMAN, ("So did Her aunt.",))
    assert rows_of_pair("It rained.", "It rained!", has=WOMAN, other_has=MAN) == []


def test_human_pairs_become_rows_that_can_be_read_again(shared, tmp_path):
    pairs = pl.read_ndjson(shared("mt_geneval") / "part_a.jsonl.gz").head(50)
    rows = [
        row
        for feminine, masculine in pairs.select("feminine", "masculine").iter_rows()
        for row in rows_of_pair(feminine, masculine, has=WOMAN, other_has=MAN)
    ]
    assert len(rows) >= 90
    assert all(row.word in row.before[0] for row in rows)
    assert read_panda(write_panda(rows, tmp_path / "pairs.jsonl")) == rows


@pytest.mark.parametrize(
    ("before", "word", "target", "place", "source"),
    [
        (("He saw her.", "She left."), "she", "man", Place(1, 0, 3), "woman"),  # in another case
        (("Shepherds know she left.",), "she", "man", Place(0, 15, 18), "woman"),  # not inside a word
        (("A black umbrella and a black man.",), "black", "asian", Place(0, 23, 28), "black"),  # a colour is no person
        (("My aunt Ann left.",), "aunt", "man", Place(0, 3, 7), "woman"),
        (("The table fell.",), "table", "man", Place(0, 4, 9), "woman"),  # nobody: the first other attribute
    ],
)  # fmt: skip
def test_a_row_is_asked_about_the_occurrence_that_is_a_person(before, word, target, place, source):
    pytest.importorskip("spacy")
    row = PandaRow(before, word, parse_attribute(target), before)
    found = request_of(row, load_pipeline().analyse(as_one(before)))
    assert (found.place, found.source.name, found.target.name) == (place, source, target)


def test_without_an_analysis_the_first_occurrence_counts_and_a_word_that_is_not_there_is_none():
    row = PandaRow(("A black umbrella and a black man.",), "black", parse_attribute("asian"), ("x",))
    assert request_of(row).place == Place(0, 2, 7)
    assert request_of(replace(row, word="white")) is None
