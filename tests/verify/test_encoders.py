"""Which sentence encoder reads the rows, and what the report says about it."""

import pytest

from longway.errors import LongwayError
from longway.models import multilingual
from longway.task import Task
from longway.verify import verifier as module
from longway.verify.check import Candidate
from longway.verify.verifier import Verifier, verifier_for
from tests.languages.foreign_sentences import FOREIGN

TEXTS = FOREIGN["de"][:6]


def encoders_for(monkeypatch, task):
    """The languages for which an encoder is wanted, in order."""
    wanted = []

    def of(languages, cache):
        wanted.append(languages)
        raise LongwayError("not here")

    monkeypatch.setattr("longway.models.encoders.CachedEncoder.of", of)
    module._encoder_of(module.CheckSetup(task, TEXTS, list("ababab"), None))
    return wanted


@pytest.mark.parametrize(
    ("task", "wanted"),
    [
        (Task("labels", ("a", "b")), [["en"], ["en"]]),
        (Task("labels", ("a", "b"), language="de"), [["de"], ["en"]]),
        (Task("labels", ("a", "b"), languages=("en", "de")), [["en", "de"], ["en"]]),
        (Task("labels", ("a", "b"), languages=("en", "de", "vi")), [["en", "de"], ["en"]]),
    ],
)
def test_mixed_rows_are_read_by_an_encoder_of_all_their_languages(monkeypatch, task, wanted):
    assert encoders_for(monkeypatch, task) == wanted


@pytest.mark.parametrize(("is_installed", "language"), [(True, "de"), (False, "de"), (False, "vi")])
def test_an_encoder_is_suggested_only_where_it_would_help(monkeypatch, is_installed, language):
    class English(module.SurfaceCheck):
        english_vectors = True

    monkeypatch.setattr(module, "is_installed", lambda: is_installed)
    verifier = Verifier([English()], language=language)
    text = FOREIGN[language][0]
    list(verifier.verify([Candidate(0, text, text, "a")]))
    [note] = verifier.missing
    assert ("pip install" in note) == (not is_installed and language in multilingual.LANGUAGES)


def test_the_report_does_not_say_that_no_encoder_knows_the_language():
    task = Task("labels", ("a", "b"), language="de")
    verifier = verifier_for(task, TEXTS, list("ababab"), None)
    assert not any("encoder knows English only" in note for note in verifier.missing)
