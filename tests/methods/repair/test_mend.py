import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.methods.repair.mend import after, at_end, cut, cut_sentences, in_style, sentence_spans


def without(text, piece):
    start = text.index(piece)
    return cut(text, start, start + len(piece))


@pytest.mark.parametrize(
    ("text", "piece", "expected"),
    [
        ("The film, frankly, drags.", "frankly", "The film drags."),
        ("Frankly, the film drags.", "Frankly", "The film drags."),
        ("The film drags, frankly.", "frankly", "The film drags."),
        ("a warm , oddly funny film .", "oddly", "a warm , funny film ."),
        ("a warm film oddly.", "oddly", "a warm film."),
        ("It works. Frankly, it drags.", "Frankly", "It works. It drags."),
        ("frankly", "frankly", ""),
    ],
)
def test_cut_mends_commas_capitals_and_spaces(text, piece, expected):
    assert without(text, piece) == expected


def test_sentences_of_texts_without_capitals_are_found():
    text = "it works. see it ! go"
    assert [text[a:b] for a, b in sentence_spans(text)] == ["it works.", "see it !", "go"]


def test_a_text_ends_as_it_did_when_its_last_sentence_goes():
    assert cut_sentences("It works. We sat", [(10, 16)]) == "It works"
    assert cut_sentences("It works! We sat", [(10, 16)]) == "It works!"
    assert cut_sentences("It works. We sat.", [(10, 17)]) == "It works."
    assert cut_sentences("We sat. It works.", [(0, 7)]) == "It works."
    assert cut_sentences("We sat.", [(0, 7)]) == ""


def test_what_is_put_in_has_the_style_of_the_text():
    assert in_style("So, yes.", "a warm , funny film .") == "so , yes ."
    assert after("We sat", "It works!") == "It works! We sat."
    assert after("We sat", "it works .") == "it works . we sat ."
    assert at_end("after all", "It works.") == "It works after all."


@given(st.text(max_size=60), st.data())
def test_no_text_is_too_strange(text, data):
    spans = sentence_spans(text)
    assert all(text[a:b].strip() == text[a:b] for a, b in spans)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert len(cut(text, start, end)) <= len(text) + 1
    assert isinstance(cut_sentences(text, spans[:1]), str)


def test_a_turkish_text_gets_its_own_capitals():
    text = "Bence iyi bir film."  # none of its letters is Turkish only
    assert cut(text, 0, 5, "tr") == "İyi bir film."
    assert cut(text, 0, 5) == "Iyi bir film."
