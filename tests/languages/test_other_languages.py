"""What knows English leaves other languages alone; prompts and checks follow the language of a row."""

import json

import pytest

import longway as lw
from longway.data import load
from longway.detect.choices.cues import CUES, measure
from longway.engines.prompt import rewrite_prompt
from longway.errors import SettingError
from longway.jobs.engine_use import Engines
from longway.jobs.rows import rows_of
from longway.language_names import name_of
from longway.languages.row_languages import NOT_ENGLISH, foreign_language, language_in
from longway.methods.method import RewriteRequest
from longway.methods.writers import RuleWriter
from longway.task import Task, task_of
from longway.verify.check import Candidate
from longway.verify.model_checks import without_telling
from longway.verify.verifier import passed, verifier_for
from tests.engines.loopback import Loopback, completion, echo
from tests.languages.texts import rows

GERMAN = [
    "Der Zug kam um 9 Uhr in Bonn an.",
    "Die Suppe schmeckte nach Karotten.",
    "Das Buch war nicht teuer.",
] * 4
# Language, a text, a right rewrite, wrong ones with the check that must refuse each.
REWRITES = [
    ("de", "Das Buch von Anna Lehmann war nicht teuer.", "Anna Lehmann schrieb ein Buch, das nicht teuer war.",
     [("Das Buch von Anna Lehmann war teuer und alt.", "negation"), ("The book by Anna Lehmann was not expensive.", "surface")]),
    ("fr", "Le train de 9 heures n'est pas arrivé.", "Il n'est pas arrivé, le train de 9 heures.",
     [("Le train de 8 heures n'est pas arrivé.", "numbers"), ("Le train de 9 heures est bien arrivé.", "negation")]),
    ("es", "El tren de las 9 no llegó a Madrid.", "No llegó a Madrid el tren de las 9.",
     [("El tren de las 9 no llegó a Sevilla.", "names"), ("El tren de las 9 llegó por fin a Madrid.", "negation")]),
    ("ru", "Поезд не пришёл в 9 часов.", "В 9 часов поезд так и не прибыл.",
     [("Поезд пришёл точно в 9 часов.", "negation"), ("The train did not come at 9.", "surface")]),
    ("ar", "لم يصل القطار في الساعة 9 صباحا.", "القطار لم يصل صباحا في الساعة 9.", [("لم يصل القطار في الساعة 8 صباحا.", "numbers")]),
    ("hi", "ट्रेन सुबह 9 बजे स्टेशन पर आई।", "सुबह 9 बजे स्टेशन पर ट्रेन पहुँची।", [("ट्रेन सुबह 8 बजे स्टेशन पर आई।", "numbers")]),
    ("zh", "火车早上9点没有到北京。", "早上9点火车没到北京。", [("火车早上9点已经到了北京。", "negation"), ("火车早上8点没有到北京。", "numbers")]),
    ("ja", "電車は朝9時に駅に来なかった。", "朝9時に電車は駅へ来ませんでした。", [("電車は朝9時に駅に来ました。", "negation")]),
    ("th", "รถไฟมาถึงสถานีตอน 9 โมงเช้า", "ตอน 9 โมงเช้ารถไฟมาถึงที่สถานี", [("รถไฟมาถึงสถานีตอน 8 โมงเช้า", "numbers")]),
    ("ko", "기차가 아침 9시에 역에 도착했다.", "아침 9시에 기차가 역에 들어왔다.", [("기차가 아침 8시에 역에 도착했다.", "numbers")]),
]  # fmt: skip


def labelled(texts):
    return [{"text": text, "label": "ab"[place % 2]} for place, text in enumerate(texts)]


def verdicts_on(language, before, after):
    task = Task("labels", ("a", "b"), language=language)
    checks = verifier_for(
        task, [before] * 4, list("abab"), None, names={"added words", "negation", "numbers", "names"}
    )
    return next(iter(checks.verify([Candidate(0, before, after, "a")])))


@pytest.mark.parametrize(("language", "before", "right", "wrong"), REWRITES, ids=lambda one: str(one)[:2])
def test_a_right_rewrite_passes_in_its_language_and_a_wrong_one_does_not(language, before, right, wrong):
    assert passed(verdicts_on(language, before, right)), verdicts_on(language, before, right)
    for after, check in wrong:
        failed = [verdict.check for verdict in verdicts_on(language, before, after) if not verdict.passed]
        assert failed == [check], after


@pytest.mark.parametrize(
    ("before", "after", "aside"),
    [
        ("火车来了。这个不贵。我走了。", "火车来了。我走了。", "这个不贵。"),
        ("简单地说：火车来了。", "火车来了。", "简单地说："),
        ("गाड़ी आई। यह महँगा नहीं था। मैं गया।", "गाड़ी आई। मैं गया।", "यह महँगा नहीं था।"),
        ("باختصار، وصل القطار.", "وصل القطار.", "باختصار،"),
    ],
)
def test_what_was_taken_out_is_not_missed_whatever_marks_end_it(before, after, aside):
    candidate = Candidate(0, before, after, "a", asides=frozenset([aside]))
    first, second = map(candidate.without, (before, after))
    assert first.replace(" ", "") == second.replace(" ", "")


def test_words_that_were_taken_out_are_left_out_where_no_spaces_are():
    """Tokens of a finding are joined by spaces; the text has none."""
    candidate = Candidate(0, "老实说火车来了", "火车来了", "a", telling=frozenset(["老实 说", "老实", "说"]))
    assert without_telling(candidate.before, candidate) == "火车来了"


def test_checks_that_know_only_english_are_named_as_missing():
    task = Task("labels", ("a", "b"), language="de")
    verifier = verifier_for(task, GERMAN, list("ab") * 6, None)
    list(verifier.verify([Candidate(0, GERMAN[0], "Um 9 Uhr kam der Zug in Bonn an.", "a")]))
    assert any(
        one.startswith("meaning: how close vectors must be was measured in English only")
        for one in verifier.missing
    )


def test_a_prompt_names_the_language_of_the_row():
    german = rewrite_prompt(Task("labels", ("a", "b"), language="de"), "Toller Film!", label="a")
    assert "The row is in German: write in German" in german.messages(n=1)[0]["content"]
    english = rewrite_prompt(Task("labels", ("a", "b")), "Great film!", label="a")
    assert "The row is in" not in english.messages(n=1)[0]["content"]


def test_a_prompt_counts_characters_where_words_have_no_spaces():
    prompt = rewrite_prompt(Task("labels", ("a", "b")), "火车早上九点到了北京。", label="a")
    assert "of 8 to 18 characters" in prompt.messages(n=1)[-1]["content"]


def test_the_rules_refuse_other_languages():
    request = RewriteRequest(0, "Der Zug kam nicht an, und wir warteten lange.", "a", 2)
    (written,) = RuleWriter(task_of(["a", "b"]))([request])
    assert written.texts == ()
    assert written.refusals == (NOT_ENGLISH,)


@pytest.mark.parametrize(
    ("command", "options"),
    [
        (lw.rewrite, {"engine": "rules"}),
        (lw.rewrite, {"method": "eda"}),
        (lw.augment, {"engine": "rules"}),
        (lw.augment, {"method": "eda"}),
        (lw.perturb, {}),
    ],
)
@pytest.mark.parametrize("language", ["de", "fr", "es", "ru", "ar", "hi", "zh", "ja", "th", "ko"])
def test_commands_that_need_english_say_so(command, options, language):
    with pytest.raises(SettingError, match=rf"English only\. The texts look like {name_of(language)}\."):
        command(rows(language, n=20), text="text", label="label", **options)


def test_of_a_mixed_file_only_english_rows_are_perturbed():
    english = [f"My sister Anna said that she likes number {n}." for n in range(8)]
    german = [f"Meine Schwester Anna sagte, dass sie die Nummer {n} mag." for n in range(8)]
    result = lw.perturb(labelled([*english, *german]), text="text", label="label", axes=("gender",))
    changed = {edit.before for edit in result.edits if edit.accepted}
    assert changed
    assert changed <= set(english)


def test_of_a_mixed_file_eda_changes_english_rows_only():
    english = [f"The old driver bought {n} small apples at the market." for n in range(8)]
    german = [f"Der alte Fahrer kaufte {n} kleine Äpfel auf dem Markt." for n in range(8)]
    result = lw.rewrite(labelled([*english, *german]), text="text", label="label", method="eda")
    changed = {edit.before for edit in result.edits if edit.accepted}
    assert changed
    assert changed <= set(english)


def test_the_language_of_a_short_text_is_that_of_the_dataset():
    german = [*GERMAN, "Toller Film!"]
    assert rows_of(load(labelled(german), text="text", label="label")).languages[-1] == "de"
    english = ["The train was late and we waited.", "Die Hard", "La La Land"]
    assert rows_of(load(labelled(english), text="text", label="label")).languages[1:] == ["en", "en"]
    assert language_in("The train was late.", "de") == "en"


@pytest.mark.parametrize(
    "text",
    [
        "Ludwig van Beethoven was born in Bonn.",
        "Oscar de la Hoya was killed in 1990.",
        "it 's elegant yet casual .",
    ],
)
def test_names_do_not_make_an_english_text_foreign(text):
    assert foreign_language(text) == ""


def reworded(call):
    """The row's sentences in another order, without the planted one."""
    if call.kind == "judge":
        return echo(call)
    parts = [part for part in call.text.split(". ") if not part.startswith("Gesendet")]
    return completion(
        json.dumps({"rewrites": [". ".join(reversed([part.rstrip(".") for part in parts])) + "."]})
    )


def english(call):
    """The same answer in English."""
    return completion(
        json.dumps({"rewrites": ["The neighbour bought a blue bicycle in the village and was happy."]})
    )


@pytest.mark.parametrize(("answer", "is_used"), [(reworded, True), (english, False)])
def test_a_served_engine_rewords_in_the_language_of_the_row(answer, is_used):
    with Loopback(answer) as server:
        engines = Engines(server.url, options={"backoff": 0.001, "retries": 0})
        result = lw.repair(
            rows("de", n=60), text="text", label="label", engine="served:toy", judge="none", remedy=("reword",), engines=engines
        )  # fmt: skip
    asked = [call.body["messages"][0]["content"] for call in server.calls if call.kind == "write"]
    assert asked
    assert all("write in German" in text for text in asked)
    assert any(edit.accepted and edit.engine == "served:toy" for edit in result.edits) == is_used


def test_cues_of_candidates_count_the_words_of_their_language():
    names = list(CUES)
    german = measure(
        "Was stimmt über den Zug?", ["Er kommt immer pünktlich an.", "Er kommt vielleicht nicht."]
    )
    at = [names.index(name) for name in ("absolutes", "hedges", "negation")]
    assert german[:, at].tolist() == [[1, 0, 0], [0, 1, 1]]


@pytest.mark.parametrize(
    ("main", "text"),
    [
        ("ru", "Хорошо!"),
        ("ru", "Отлично"),
        ("ru", "Круто"),
        ("ja", "最高傑作"),
        ("uk", "Дуже добре"),
        ("ar", "ممتاز"),
    ],
)
def test_a_short_row_in_the_script_of_the_dataset_has_its_language(main, text):
    assert language_in(text, main) == main
    prompt = rewrite_prompt(Task("labels", ("a", "b"), language=main), text, label="a")
    assert f"write in {name_of(main)}" in prompt.messages(n=1)[0]["content"]


def test_no_engine_is_asked_to_write_in_an_unknown_language():
    prompt = rewrite_prompt(Task("labels", ("a", "b")), "Да ну их", label="a")
    assert prompt.language == "und"
    assert "unknown" not in prompt.messages(n=1)[0]["content"]


def test_eda_leaves_short_rows_of_another_script_alone():
    texts = [f"The old driver bought {n} small apples at the market." for n in range(8)]
    found = rows_of(load(labelled([*texts, "Да ну их"]), text="text", label="label"))
    assert [found.may_be_english(row) for row in (0, 8)] == [True, False]


def test_rows_know_the_language_of_their_dataset():
    found = rows_of(load(labelled([*GERMAN, "Toller Film!"]), text="text", label="label"))
    assert found.task.language == "de"
    assert found.at([12]).languages == ["de"]


@pytest.mark.parametrize("given", ["en", "de", "tr"])
def test_rows_prompts_and_checks_are_in_the_language_that_was_given(given):
    found = rows_of(
        load(labelled([*GERMAN, "The train was late."]), text="text", label="label", language=given)
    )
    assert set(found.languages) == set(found.at([0, 12]).languages) == {given}
    prompt = rewrite_prompt(found.task, GERMAN[0], label="a")
    assert (prompt.language or "en") == given


def test_a_row_has_one_of_the_languages_that_were_given():
    found = rows_of(load(labelled([*GERMAN, "ok", "Круто"]), text="text", label="label", language="de,ru"))
    assert found.languages == ["de"] * 13 + ["ru"]
