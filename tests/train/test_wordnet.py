"""WordNet's database condensed: a few lines of it, worked by hand."""

import importlib.util
import sys
from pathlib import Path

import pytest

from longway.english import wordnet
from longway.english.wordnet import Member

SCRIPT = Path(__file__).resolve().parents[2] / "train" / "wordnet.py"
LICENCE = "  1 Use it freely.  \n  2   \n  3 WordNet 0.0  \n"
DATABASE = {
    "lexnames": "00\tadj.all\t3\n01\tnoun.place\t1\n02\tverb.motion\t2\n03\tadv.all\t4\n",
    "data.noun": LICENCE + "00000010 01 n 01 town 0 000 | a place\n"
    "00000020 01 n 02 Big_Town 0 town 1 003 @i 00000010 n 0000 @ 00000010 n 0000 ;u 00000010 n 0200 | a name\n",
    "data.verb": "00000010 02 v 02 go 0 go_up 0 001 ! 00000020 v 0201 02 + 02 00 + 08 02 | move\n"
    "00000020 02 v 01 fall 0 001 ! 00000010 v 0102 01 + 02 00 | drop\n",
    "data.adj": "00000010 00 a 02 big(a) 0 huge 1 000 | large\n"
    "00000020 00 s 01 huge(p) 0 001 & 00000010 a 0000 | vast\n",
    "data.adv": "00000010 03 r 01 soon 0 000 | in no time\n",
    "index.noun": "big_town n 1 1 @i 1 0 00000020\ntown n 2 0 2 0 00000020 00000010\n",
    "index.verb": "fall v 1 1 ! 1 0 00000020\ngo v 1 1 ! 1 0 00000010\ngo_up v 1 1 ! 1 0 00000010\n",
    "index.adj": "big a 1 0 1 0 00000010\nhuge a 2 1 & 2 0 00000010 00000020\n",
    "index.adv": "soon r 1 0 1 0 00000010\n",
    "cntlist.rev": "town%1:01:00:: 1 7\nhuge%5:00:00:big:00 1 3\nhuge%5:00:00:big(a):00 2 2\n",
}


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The toy database as the script writes it and the package reads it."""
    for name, text in DATABASE.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("train_wordnet", SCRIPT)
    script = sys.modules["train_wordnet"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    out = tmp_path / "out.gz"
    monkeypatch.setattr(sys, "argv", ["wordnet.py", "--database", str(tmp_path), "--out", str(out)])
    script.main()
    monkeypatch.setattr(wordnet, "PATH", out)
    cached = (wordnet.wordnet_file, wordnet.senses, wordnet.sense)
    for function in cached:
        function.cache_clear()
    yield wordnet
    for function in cached:
        function.cache_clear()


def test_senses_keep_their_order_and_are_named_by_their_first_word(file):
    assert [s.name for s in file.senses("town", "NOUN")] == ["big_town.n.01", "town.n.02"]
    assert [s.name for s in file.senses("huge", "ADJ")] == ["big.a.01", "huge.s.01"]
    assert file.sense("huge.s.01").similar == ("big.a.01",)


def test_names_are_marked_and_have_senses_above(file):
    sense = file.sense("big_town.n.01")
    assert (sense.field, sense.is_name, sense.above) == ("noun.place", True, ("town.n.02",))
    assert [(m.lemma, m.is_marked) for m in sense.members] == [("Big Town", False), ("town", True)]


def test_frames_and_antonyms_belong_to_one_word_or_to_all(file):
    go, go_up = file.sense("go.v.01").members
    assert go == Member("go", 0, frozenset({2}), "", (), False)
    assert go_up == Member("go up", 0, frozenset({2, 8}), "", (("fall", "fall.v.01"),), False)
    assert file.sense("fall.v.01").members[0].antonyms == (("go up", "go.v.01"),)


def test_counts_of_a_sense_and_of_a_word(file):
    assert file.sense("town.n.02").members[0].count == file.frequency("town", "NOUN") == 7
    assert file.sense("huge.s.01").members == (Member("huge", 3, frozenset(), "p", (), False),)
    assert file.frequency("huge", "ADJ") == 3 + 2
    assert file.frequency("soon", "ADV") == file.frequency("no such word", "ADV") == 0


def test_expressions_are_found_as_any_part_of_speech(file):
    assert file.is_expression("go up")
    assert not file.is_expression("soon")  # one word
    assert not file.is_expression("go down")


def test_the_licence_is_copied_without_line_numbers(file, tmp_path):
    assert (tmp_path / "wordnet_license.txt").read_text() == "Use it freely.\n\nWordNet 0.0\n"
