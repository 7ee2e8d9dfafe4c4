"""The languages of a dataset, and what a job does with them."""

import json
import runpy
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import longway as lw
from longway.data import load
from longway.errors import SettingError
from longway.jobs.audit.job import audit
from longway.jobs.audit.settings import AuditSettings
from longway.jobs.prove.job import _english_encoder
from longway.jobs.run import inputs_of
from longway.language_names import codes_of
from longway.languages.dataset import described, languages_in, splitting_of
from longway.text.tokenizer import tokenize

RUNS = Path(__file__).parents[2] / "runs"

ENGLISH = [
    "The meeting began late on Monday.",
    "My neighbour was very quiet after the rain.",
    "Her letter changed the whole plan.",
]
GERMAN = [
    "Die Sitzung begann am Montag spät.",
    "Mein Nachbar war nach dem Regen sehr ruhig.",
    "Ihr Brief änderte den ganzen Plan.",
]
PLACES = [
    "au marché",
    "devant la gare",
    "après l'orage",
    "chez mon voisin",
    "dans la vieille ville",
    "à la fin de la semaine",
    "près de l'eau",
]
PEOPLE = [
    "L'institutrice",
    "Mon voisin",
    "Ma tante",
    "Le garçon",
    "La vieille dame",
    "Le chauffeur du bus",
    "Notre ami",
]
QUICK = AuditSettings(levels=("token",))


def rows(texts, n, label=None):
    return [{"text": f"{texts[i % len(texts)]} {i}", "label": label or "ab"[i % 2]} for i in range(n)]


def test_one_language_is_named_and_mixed_ones_have_shares():
    assert languages_in(load(rows(ENGLISH, 60))) == {"en": 1.0}
    mixed = languages_in(load([*rows(ENGLISH, 60), *rows(GERMAN, 20)]))
    assert mixed == {"en": 0.75, "de": 0.25}
    assert described(mixed) == "English (75%), German (25%)"


def test_a_language_that_is_given_overrides_what_the_texts_look_like():
    assert languages_in(load(rows(ENGLISH, 20), language="Turkish")) == {"tr": 1.0}
    assert set(languages_in(load([*rows(ENGLISH, 9), *rows(GERMAN, 3)], language="en,de"))) == {"en", "de"}


def test_an_unknown_language_is_refused_with_the_known_ones():
    with pytest.raises(SettingError, match=r"Got .klingon.\. The codes are en, de"):
        codes_of("klingon")
    with pytest.raises(SettingError, match="Got 'xx'"):
        audit(rows(ENGLISH, 20), QUICK, language="xx")


def test_an_audit_finds_words_by_the_rules_of_the_language_and_ends_them(tmp_path):
    texts = [
        f"{who} {does} {place}."
        for who in PEOPLE
        for place in PLACES
        for does in ("n'attendait pas", "chantait souvent")
    ]
    data = [{"text": text, "label": "a" if "n'" in text else "b"} for text in texts]
    result = audit(data, QUICK, out=tmp_path / "run")
    assert result.dataset.languages == {"fr": 1.0}
    assert result.dataset.splitting == splitting_of(["fr"])
    assert result.dataset.splitting.startswith("words between spaces")
    assert any(
        "n'" in one.pattern.words for finding in result.findings for one in (finding, *finding.variants)
    )
    assert tokenize("l'homme") == ["l'homme"]
    assert json.loads((tmp_path / "run" / "run.json").read_text())["settings"]["languages"] == ["fr"]
    assert ("Language", f"French; {result.dataset.splitting}") in result.page().facts


def test_audits_in_two_threads_do_not_disturb_each_other():
    data = {"en": rows(ENGLISH, 120), "de": rows(GERMAN, 120)}

    def found(language):
        result = audit(data[language], QUICK, levels="token,ngram,length,negation")
        return [finding.to_dict() for finding in result.findings], result.dataset.languages

    alone = {language: found(language) for language in data}
    with ThreadPoolExecutor(2) as pool:
        together = dict(zip(data, pool.map(found, data), strict=True))
    assert together == alone
    assert {language: dict(shares) for language, (_, shares) in alone.items()} == {
        "en": {"en": 1.0},
        "de": {"de": 1.0},
    }


def test_a_language_that_predicts_the_label_is_a_problem():
    told = audit([*rows(ENGLISH, 60, "a"), *rows(ENGLISH, 20, "b"), *rows(GERMAN, 60, "b")], QUICK)
    (problem,) = [one for one in told.problems if one.kind == "language_predicts_label"]
    assert (
        problem.message
        == "The language predicts the label: 100% of the rows in German have the label 'b', 57% of all rows."
    )
    balanced = audit([*rows(ENGLISH, 60), *rows(GERMAN, 60)], QUICK)
    assert not [one for one in balanced.problems if one.kind == "language_predicts_label"]


def test_the_share_of_all_rows_includes_those_whose_language_is_unclear():
    unclear = [{"text": f"{i}!", "label": "a"} for i in range(60)]
    result = audit(
        [*rows(ENGLISH, 60, "a"), *rows(ENGLISH, 20, "b"), *rows(GERMAN, 60, "b"), *unclear], QUICK
    )
    (problem,) = [one for one in result.problems if one.kind == "language_predicts_label"]
    assert problem.message.endswith("have the label 'b', 40% of all rows.")


def test_several_languages_are_a_problem_that_names_the_levels_without_them():
    thai = ["การประชุมเริ่มช้าในวันจันทร์", "เพื่อนบ้านของฉันเงียบมากหลังฝนตก"]
    result = audit([*rows(ENGLISH, 60), *rows(GERMAN, 40), *rows(thai, 40)], QUICK)
    (problem,) = [one for one in result.problems if one.kind == "language"]
    assert problem.message == (
        "The texts are in several languages: English (43%), German (29%), Thai (29%). The people level covers English only: 80 rows are in "
        "other languages. The negation level has no word table for Thai."
    )
    assert problem.count == 80
    assert "--engine served:MODEL" in problem.next_step
    assert not [one for one in audit(rows(ENGLISH, 60), QUICK).problems if one.kind == "language"]


def test_the_language_line_groups_languages_by_how_their_words_are_found():
    assert splitting_of(["en", "de", "fr", "th", "vi", "ru"]) == (
        "Thai: words by the longest match in a word list; Vietnamese: syllables between spaces, so that words appear as n-grams; "
        "others: words between spaces"
    )
    assert splitting_of(["en", "de"]) == "words between spaces"
    assert (
        splitting_of(["en", "th"])
        == "Thai: words by the longest match in a word list; English: words between spaces"
    )


def test_the_error_about_an_english_engine_has_one_verb():
    with pytest.raises(
        SettingError, match=r"The engines? .* supports? English only\. The texts look like German"
    ):
        lw.rewrite(rows(GERMAN, 40), engine="rules")


def test_a_proof_says_that_its_encoder_is_english_only():
    data = load(rows(GERMAN, 20))
    (concern,) = _english_encoder(("bow", "minilm"), data)
    assert concern.text.startswith(
        "The texts are in German, and the encoder of minilm was trained on English."
    )
    assert _english_encoder(("bow",), data) == []
    assert _english_encoder(("minilm",), load(rows(ENGLISH, 20))) == []


def test_plants_in_thai_are_found(monkeypatch):
    monkeypatch.syspath_prepend(str(RUNS))  # it imports what the scripts share
    made = runpy.run_path(str(RUNS / "languages.py"))
    phrases = made["planted_in"]("th", 0)
    result = audit(load(made["made_rows"](phrases, 300, 0)), made["SETTINGS"])
    assert result.dataset.languages == {"th": 1.0}
    found = made["found_kinds"](result, phrases, "th")
    assert found == {**dict.fromkeys(made["KINDS"], True), "negation_level": False}  # Thai has no table


def test_rows_that_alternate_are_of_two_languages():
    pairs = [one for both in zip(rows(ENGLISH, 400), rows(GERMAN, 400), strict=True) for one in both]
    assert set(languages_in(load(pairs))) == {"en", "de"}


def test_texts_that_cannot_be_identified_are_in_a_language_that_was_given():
    assert languages_in(load([{"text": "ok", "label": one} for one in "abab"], language="de,fr")) == {
        "de": 1.0
    }


def test_another_language_is_another_run():
    plain, given = load(rows(ENGLISH, 20)), load(rows(ENGLISH, 20), language="English")
    assert "language" not in inputs_of(plain, {})
    assert inputs_of(given, {})["language"] == ["en"]


def test_a_package_that_was_installed_since_makes_another_run(monkeypatch):
    japanese = load(rows("映画は本当に長かった。", 20))
    for installed in ([], ["fugashi", "ipadic"]):
        monkeypatch.setattr("longway.jobs.run.find_spec", lambda name, known=installed: name in known or None)
        assert inputs_of(japanese, {}).get("packages", []) == installed


def test_a_language_that_does_not_exist_is_refused_at_once():
    with pytest.raises(SettingError, match="Got 'klingon'"):
        load(rows(ENGLISH, 4), language="klingon")
