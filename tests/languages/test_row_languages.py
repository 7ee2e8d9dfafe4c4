"""The language of each row: in mixed data a row is English only if that is shown."""

import gzip
import json
import unicodedata
from pathlib import Path
from random import Random

import pytest

from longway.data import load
from longway.engines.prompt import rewrite_prompt
from longway.jobs.rows import rows_of
from longway.languages.dataset import languages_in
from longway.languages.row_languages import foreign_language, language_in
from tests.languages.foreign_sentences import FOREIGN

SHARED_DATA = Path(__file__).parents[3] / "shared" / "data"
ENGLISH_DATA = {
    "sst2": "train",
    "snli": "dev",
    "fever": "paper_dev_supports_refutes",
    "imdb": "test",
    "hate_speech_human_cf": "dev",
}
ENGLISH = [
    "The actors were great, and the story was never boring.",
    "We waited for an hour at the station.",
    "Two women are walking in the snow.",
    "It is cheap and it works.",
    "I liked the music.",
    "The hotel cost too much.",
    "A man is playing a guitar.",
    "She was born in Paris in 1950.",
    "Great film!",
    "What a waste of time.",
]


@pytest.mark.parametrize("language", FOREIGN)
def test_in_mixed_data_no_row_of_another_language_counts_as_english(language):
    assert len(FOREIGN[language]) >= 15
    for languages in (("en", language), (language, "en"), ("en", *FOREIGN)):
        assert [text for text in FOREIGN[language] if language_in(text, languages=languages) == "en"] == []


@pytest.mark.parametrize("language", FOREIGN)
def test_in_mixed_data_english_rows_are_english(language):
    assert {language_in(text, languages=("en", language)) for text in ENGLISH} == {"en"}


@pytest.mark.parametrize("language", FOREIGN)
def test_an_english_dataset_notices_most_sentences_of_other_languages(language):
    n_clear = sum(bool(foreign_language(text)) for text in FOREIGN[language])
    assert n_clear >= (0.4 if language == "pt" else 0.6) * len(FOREIGN[language])


def test_unclear_rows_of_mixed_data_are_left_alone():
    both = [*ENGLISH, *FOREIGN["tr"]]
    texts = [f"{text[:-1]} {n}." for n in range(4) for text in both]
    rows = rows_of(load([{"text": text, "label": "ab"[n % 2]} for n, text in enumerate([*texts, "ok"])]))
    assert {"en", "tr"} <= set(rows.task.languages)
    english = [row for row in range(len(rows)) if rows.is_english(row)]
    assert {row % len(both) for row in english} == set(range(len(ENGLISH)))
    assert len(english) == 4 * len(ENGLISH)
    assert rows.languages[-1] == "und"
    prompts = [rewrite_prompt(rows.task, text, label="a") for text in (FOREIGN["tr"][0], "ok")]
    assert [prompt.language for prompt in prompts] == ["tr", "und"]


def test_languages_that_the_user_named_do_not_make_unclear_rows_english():
    given = ("en", "tr", "de", "pl", "vi")
    unclear = ["Film super 4.", "toller film leider, super film", "Hotel ok", "42!", "Toller Film."]
    assert "en" not in {language_in(text, languages=given) for text in unclear}


def test_the_only_language_of_a_script_needs_no_other_sign():
    assert language_in("ok", languages=("de", "ru")) == "de"
    assert language_in("Круто", languages=("de", "ru")) == "ru"
    assert language_in("電車は来た。", languages=("de", "en")) == "ja"


@pytest.mark.parametrize("language", ["vi", "pt", "fr", "tr"])
def test_marks_apart_from_their_letters_do_not_matter(language):
    for text in FOREIGN[language]:
        decomposed = unicodedata.normalize("NFD", text)
        assert language_in(decomposed, languages=("en", language)) == language_in(
            text, languages=("en", language)
        )
        assert foreign_language(decomposed) == foreign_language(text)


@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the shared datasets are not here")
def test_few_rows_of_real_english_data_are_refused():
    alone, mixed, n = 0, 0, 0
    for name, part in ENGLISH_DATA.items():
        with gzip.open(SHARED_DATA / name / f"{part}.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        column = next(name for name in ("text", "hypothesis", "claim", "sentence") if name in rows[0])
        texts = list(dict.fromkeys(row[column] for row in rows))
        some = Random(1).sample(texts, min(1000, len(texts)))
        n += len(some)
        alone += sum(language_in(text) != "en" for text in some)
        mixed += sum(language_in(text, languages=("en", "de")) != "en" for text in some)
    assert alone <= 0.005 * n
    assert mixed <= 0.035 * n  # SST-2 has phrases of one or two words: "burns out"


def test_a_rare_language_beside_a_close_one_does_not_count():
    """Short German sentences look Dutch now and then."""
    texts = [f"{text[:-1]} {n}." for n in range(6) for text in (*ENGLISH * 6, *FOREIGN["de"])]
    data = [{"text": text, "label": "ab"[n % 2]} for n, text in enumerate(texts)]
    assert set(languages_in(load(data, text="text", label="label"))) == {"en", "de"}
