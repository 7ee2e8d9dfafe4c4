import pytest

from longway.methods.repair.normalise import normalised, with_trait
from tests.methods.repair.conftest import surface, token


@pytest.mark.parametrize(
    ("trait", "text", "expected"),
    [
        ("an exclamation mark", "Great fun!!", "Great fun."),
        ("an exclamation mark", "What?! No!", "What? No."),
        ("two or more exclamation marks", "Stop!! Now! !", "Stop! Now!"),
        ("an ellipsis", "Well... it works…", "Well, it works."),
        ("an ellipsis", "It ended... Then it began.", "It ended. Then it began."),
        ("no mark at the end", "It works", "It works."),
        ("a space at either end", " It works. ", "It works."),
        ("two spaces in a row", "It  works.", "It works."),
        ("an HTML tag or entity", "Salt &amp; pepper<br /><br />on <i>rice</i>", "Salt & pepper on rice"),
        ("a line break", "It works.\nSee it.\n", "It works. See it."),
        ("no capital letter", "it works. i saw it.", "It works. I saw it."),
        ("a lower-case first letter", "it works in Rome.", "It works in Rome."),
        ("a letter beyond ASCII", "It’s here – now", "It's here - now"),
        ("an accent as a separate character", "Une fe\u0302te a\u0300 Kyōto", "Une fête à Kyōto"),
        ("an invisible character", "\ufeffZero\u200b\u200d width\u00ad.\u200b", "Zero width."),
        ("an invisible character", "می\u200cخواهم\u200e 👩\u200d👧", "می\u200cخواهم 👩\u200d👧"),
    ],
)
def test_traits_are_removed(texts_of, trait, text, expected):
    assert texts_of(normalised, text, surface(trait)) == [expected]


QUOTES = [
    ('"', '"'), ("“", "”"), ("„", "“"), ("``", "''"), ("``", "``"), ("''", "''"),
    ("«", "»"), ("»", "«"), ("「", "」"),
]  # fmt: skip
QUOTED = [
    "[the word] begins and ends with [a quotation]",
    "it ends with [one.]",
    "it is [one], [two] or [three]; [four]: [five]! ([six]) - [seven]",
    "it begins a line\n[so to say]\nand ends one [here]\n",
    "([in brackets])",
    "he said: [We met “somebody” there.] Then he left.",
    "two  spaces elsewhere stay,  beside [a word]",
    "[don't] and [dogs'] keep their apostrophes",
]


def quoted(text, opening, closing):
    return text.replace("[", opening).replace("]", closing)


@pytest.mark.parametrize("text", QUOTED)
@pytest.mark.parametrize("marks", QUOTES)
def test_a_text_without_quotation_marks_is_the_text_before_they_were_put_in(texts_of, text, marks):
    if marks[1] == "''":
        text = text.replace("dogs'", "dogs")  # three marks in a row are markup
    expected = quoted(text, "", "").replace("“", "").replace("”", "")
    assert texts_of(normalised, quoted(text, *marks), surface("double quotation marks")) == [expected]


@pytest.mark.parametrize("marks", QUOTES)
def test_quotation_marks_between_spaces_leave_one_space(texts_of, marks):
    opening, closing = marks
    text = (
        f"{opening} Eden {closing} is a song , as is {opening} Rain {closing} , and {opening} So {closing} ."
    )
    expected = "Eden is a song , as is Rain , and So ."
    assert texts_of(normalised, text, surface("double quotation marks")) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Elle dit « oui », puis (« non ») et l'« ami ».", "Elle dit oui, puis (non) et l'ami."),
        ("她说“好”就走了。", "她说好就走了。"),
        ('The "a" \n"b" ends.', "The a \nb ends."),
    ],
)
def test_quotation_marks_of_other_languages_and_lines(texts_of, text, expected):
    assert texts_of(normalised, text, surface("double quotation marks"), english=False) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        'It is 7" wide.',
        'A 6\'2" man and a 5" nail.',
        "Let h''(x) be its derivative.",
        "This is '''bold'''.",
        "```\nx = 1\n```\nis code.",
        'Call read("a.txt") first.',
        'See <a href="x">this</a>.',
        '{"key": 1}',
        "Two``words are glued.",
        'He said:"Come in."',
        'It was "done.", he said.',
        'Is it "one?", he asked.',
    ],
)
def test_quotation_marks_that_cannot_simply_go_stay(texts_of, text):
    assert texts_of(normalised, text, surface("double quotation marks")) == []


@pytest.mark.parametrize("dash", [" - ", " -- ", " – ", " — ", "—", "--"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It works@and it lasts.", "It works, and it lasts."),
        ("The play@a short one@is over.", "The play, a short one, is over."),
        ('It is "fine"@or so I hear.', 'It is "fine", or so I hear.'),
        ("It is (quite) new@I hear.", "It is (quite) new, I hear."),
    ],
)
def test_a_dash_between_words_becomes_a_comma(texts_of, dash, text, expected):
    if (
        dash not in ("—", "--") or '"' not in text
    ):  # beside a mark, only a dash between spaces is one between words
        assert texts_of(normalised, text.replace("@", dash), surface("a dash between words")) == [expected]


@pytest.mark.parametrize("dash", ["-", "--", "–", "—"])
@pytest.mark.parametrize(
    "text",
    [
        "It is clear. @ Ann",
        "Why? @ because.",
        "One, @ and two.",
        "It ends @ ",
        " @ it begins",
        "A list:\n @ one\n @ two",
        "From 2016 @ 17 on.",
        "It was @ 3 degrees.",
        "f(x) @ g(x) is 0.",
        "P(V @ nb) = nRT",
        "{{#expr: 9999 @ YYYY}}",
        "The San Diego @ Tijuana line.",
        "Nobody to talk to @ just leave.",
        "Москва @ столица России.",
    ],
)
def test_a_dash_that_no_comma_can_replace_stays(texts_of, dash, text):
    assert texts_of(normalised, text.replace("@", dash), surface("a dash between words")) == []


@pytest.mark.parametrize(
    ("trait", "text"),
    [
        ("a question mark", "Why?"),
        ("a digit", "It took 3 days."),
        ("an exclamation mark", "It works."),
        ("an exclamation mark", "!!!"),
        ("a lower-case first letter", "all small"),
        ("a letter beyond ASCII", "Über den Fluss"),
        ("a word in capitals", "NASA sent it."),
    ],
)
def test_traits_that_stay(texts_of, trait, text):
    assert texts_of(normalised, text, surface(trait)) == []


@pytest.mark.parametrize(
    ("trait", "text", "expected"),
    [
        ("an exclamation mark", "It works.", "It works!"),
        ("an ellipsis", "It works", "It works..."),
        ("no mark at the end", "It works.", "It works"),
        ("a line break", "It works. See it.", "It works.\nSee it."),
        ("an HTML tag or entity", "It works. See it.", "It works.<br /><br />See it."),
    ],
)
def test_traits_are_put_in(texts_of, trait, text, expected):
    assert texts_of(with_trait, text, surface(trait), label="b") == [expected]


def test_nothing_is_put_in_where_it_would_harm(texts_of):
    assert texts_of(with_trait, "Does it work?", surface("an exclamation mark")) == []
    assert texts_of(with_trait, "A fine show. 8/10", surface("an exclamation mark")) == []
    assert texts_of(with_trait, "See www.example.org/show", surface("an ellipsis")) == []
    assert texts_of(with_trait, "It works!", surface("an exclamation mark")) == []
    assert texts_of(with_trait, "It works.", surface("no capital letter")) == []
    assert texts_of(with_trait, "It works.", token("works")) == []


@pytest.mark.parametrize("text", ["", " ", "...", "😀", "! ! !", "word " * 10_000])
def test_strange_texts(texts_of, text):
    for trait in ("an exclamation mark", "an ellipsis", "an emoji", "no mark at the end", "a line break"):
        for remedy in (normalised, with_trait):
            assert all(
                made.strip() and made != text
                for made in texts_of(remedy, text, surface(trait), english=False)
            )
