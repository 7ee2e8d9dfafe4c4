"""All forms of a word as one pattern, by a table of forms in place of the package."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

import longway as lw
from longway.data import load
from longway.detect.levels import required_words, where
from longway.detect.words import ANY_FORM
from longway.languages import lemmas
from longway.languages.dataset import splitting_of
from longway.languages.words import tokenizer_for
from longway.methods.repair.remedy import RepairRow, Target
from longway.methods.repair.reword import words_in
from longway.records import Pattern

FORMS = ("wandern", "wanderte", "wandert", "gewandert", "wanderten")
BODY = (
    "der Zug kam",
    "die Stadt war grau",
    "das Brot war alt",
    "ein Hund lief",
    "der Regen fiel",
    "die Uhr ging",
)


@pytest.fixture
def installed(monkeypatch):
    def lemmatize(word, lang):
        assert lang == "de"
        return "wandern" if word in FORMS else word

    package = ModuleType("simplemma")
    package.__spec__, package.lemmatize = ModuleSpec("simplemma", None), lemmatize
    monkeypatch.setitem(sys.modules, "simplemma", package)
    monkeypatch.setattr(lemmas, "find_spec", lambda name: object())
    lemmas.lemma.cache_clear()
    yield
    lemmas.lemma.cache_clear()


def rows(n=240):
    """Each form is in a handful of rows of one label: too few to show anything alone."""
    made = []
    for number in range(n):
        has_form = number % 2 == 0 and number % 12 == 0
        body = f"{BODY[number % 6]} und {BODY[number // 6 % 6]} am Tag {number}"
        made.append(
            {"text": f"{FORMS[number // 12 % 5]} {body}" if has_form else body, "label": "ab"[number % 2]}
        )
    return made


def found(**options):
    return [one.pattern for one in lw.audit(load(rows(), language="de"), levels="token", **options).findings]


def test_forms_that_are_rare_alone_are_found_together(installed):
    (pattern,) = [one for one in found() if one.place == ANY_FORM]
    assert pattern.name == "any form: wandern"
    assert pattern.language == "de"
    german = tokenizer_for(["de"])
    assert where(pattern, {"text": "Wir wanderten heute."}, tokenizer=german) == {"text": [(4, 13)]}
    assert where(pattern, {"text": "Der Zug kam."}, tokenizer=german) is None
    assert required_words(pattern) == ()  # texts with other words show it


def test_without_the_package_words_are_counted_alone(monkeypatch):
    monkeypatch.setattr(lemmas, "find_spec", lambda name: None)
    assert [one for one in found() if one.place == ANY_FORM] == []
    assert splitting_of(["de"]) == "words between spaces"


def test_the_report_names_the_package(installed):
    assert splitting_of(["de"]) == "words between spaces, forms of a word joined by simplemma"


def test_the_package_itself_joins_forms():
    """Where the extra is installed."""
    pytest.importorskip("simplemma")
    assert {lemmas.lemma(form, "de") for form in FORMS} == {"wandern"}


def test_an_engine_avoids_the_forms_that_a_row_has(installed):
    row = RepairRow(0, "Er wanderte gestern, sie wandert heute.", "a", tokenizer=tokenizer_for(["de"]))
    joined = Pattern("token", "text", ("wandern",), ANY_FORM, language="de")
    assert words_in(row, Target(joined, "a")) == ("wanderte", "wandert")
    assert words_in(row, Target(Pattern("token", "text", ("wandern",)), "a")) == ("wandern",)
