"""Perturbations of small datasets, in memory and into a run folder: nothing lost, nothing twice, labels kept, reasons told."""

import csv
import json
import random
from collections import Counter
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longway.data import load
from longway.engines.engine import Sampling
from longway.engines.registry import engine_named
from longway.engines.requests import tokens_for
from longway.english.people.change import Perturbed, Rules, unchanged
from longway.english.people.demographic_mentions import find_demographics
from longway.english.people.words import AXES
from longway.english.pipeline import load_pipeline
from longway.errors import BudgetSpent, SettingError
from longway.jobs.documents import ANALYSES_FILE, Documents
from longway.jobs.engine_use import Engines
from longway.jobs.perturb import perturbing as perturbing_module
from longway.jobs.perturb.job import balance, perturb
from longway.jobs.perturb.perturbing import (
    BUDGET_SPENT,
    NOBODY,
    NOT_DRAWN,
    SAME,
    TOO_LITTLE,
    TOO_LONG,
    Perturbing,
    by_rules,
    who_perturbs,
    with_journal,
)
from longway.jobs.perturb.result import CONTRAST, OFFENSIVE
from longway.jobs.perturb.settings import PerturbSettings
from longway.methods.perturb.asked import prompt_of
from longway.store import RUN_FILE, Journal, read_json
from tests.engines.loopback import Loopback, error
from tests.jobs.toy_perturb import answer, bakers_of, pairs_of, rows_of, write
from tests.jobs.watching import watching

pytestmark = pytest.mark.usefixtures("alone")

FILES = {
    "perturb.json", "card.md", "dataset.csv", "edits.jsonl", "journal.sqlite", "people.jsonl", "report.html", "run.json",
}  # fmt: skip


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run: the data, its folder, perturb.json."""
    folder = tmp_path_factory.mktemp("finished")
    data = write(folder / "notes.csv", rows_of(32))
    run, found = run_perturb(load(data), out=folder / "run")
    again, same = run_perturb(load(data), out=folder / "run")
    assert (again.folder, same) == (run.folder, found)  # it is read, not repeated
    return SimpleNamespace(data=data, folder=run.folder, found=found)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """A finished run over pairs."""
    folder = tmp_path_factory.mktemp("pairs")
    data = write(folder / "pairs.csv", pairs_of(8))
    run, found = run_perturb(load(data), out=folder / "run")
    return SimpleNamespace(data=data, folder=run.folder, found=found)


def run_perturb(data, **more):
    """The result, and the content of perturb.json."""
    result = perturb(data, **{"out": True} | more)
    return result, json.loads(json.dumps(result.to_dict()))


def table(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def dataset_of(rows):
    return load(rows, id="id")


# A whole run


def test_a_run_leaves_everything_it_promises(finished):
    folder, found = finished.folder, finished.found
    assert {path.name for path in folder.iterdir()} == FILES
    assert read_json(folder / RUN_FILE)["state"] == "done"
    assert found == read_json(folder / "perturb.json")
    assert (found["rows"], found["perturbable"], found["chosen"], found["changed"]) == (32, 24, 24, 24)
    assert (found["added"], found["stopped"]) == (0, "")
    assert sum(row["count"] for row in found["pairs"]) == sum(row["perturbed"] for row in found["axes"]) == 24
    assert found["stayed"] == [{"reason": NOBODY, "count": 8}]
    assert {row["reason"]: row["words"][0][0] for row in found["left"]}["a colour"] in ("black", "white")
    card = (folder / "card.md").read_text(encoding="utf-8")
    assert "24 mention somebody’s gender, race or age; 24 have another text" in card
    assert "does not make a model fair" in card
    assert "umbrella" not in card  # no text of the data


def test_the_words_of_each_row_are_listed_with_why_it_stayed(finished):
    texts = {row["id"]: row["text"] for row in table(finished.data)}
    people = {row["id"]: row for row in lines(finished.folder / "people.jsonl")}
    changed = {
        edit["id"]: edit["trace"] for edit in lines(finished.folder / "edits.jsonl") if edit["accepted"]
    }
    assert {id_ for id_, row in people.items() if not row["stayed"]} == set(changed)
    for id_, row in people.items():
        for word in row["words"]:
            assert texts[id_][word["start"] : word["end"]] == word["word"]
            assert bool(word["skipped"]) or word["attribute"] in AXES[word["axis"]]
    for id_, trace in changed.items():
        known = {(word["word"], word["axis"], word["attribute"]) for word in people[id_]["words"]}
        assert (trace["word"], trace["axis"], trace["source"]) in known
    left = {id_: row for id_, row in people.items() if row["stayed"]}
    assert {row["stayed"] for row in left.values()} == {NOBODY}
    assert {texts[id_][:9] for id_ in left} == {
        "The black"
    }  # the dog; of soup and bread there is nothing to list


def test_rows_that_the_settings_exclude_and_axes_that_were_not_asked_for_are_not_listed(tmp_path):
    run, found = run_perturb(dataset_of(rows_of(32)), axes=("race",), share=0.5, out=tmp_path / "run")
    people = lines(run.folder / "people.jsonl")
    assert sum(not row["stayed"] for row in people) == found["changed"] < found["perturbable"]
    assert NOT_DRAWN not in {row["stayed"] for row in people}
    assert {word["axis"] for row in people for word in row["words"]} == {"", "race"}


def test_an_edit_says_which_word_became_what_and_who_is_meant(finished):
    for edit in lines(finished.folder / "edits.jsonl"):
        trace = edit["trace"]
        assert edit["method"] == "perturb"
        assert edit["engine"] == "rules"
        assert edit["how"] == f"{trace['axis']}: {trace['source']} to {trace['target']}"
        assert trace["source"] != trace["target"]
        spots = [edit["before"][start:end] for name, start, end in trace["chain"] if name == edit["field"]]
        if edit["accepted"]:
            assert any(trace["word"] in spot or spot in trace["word"] for spot in spots), edit
        assert 0 < trace["perturbability"] <= 1
        assert [verdict["check"] for verdict in edit["verdicts"]] == (
            [OFFENSIVE] if edit["before"] != edit["after"] else []
        )


def test_the_balance_is_that_of_the_files(finished):
    """Counted anew from what is on disk, one row at a time."""
    for when, path in (("before", finished.data), ("after", finished.folder / "dataset.csv")):
        rows, words = Counter(), Counter()
        for row in table(path):
            told = [
                w.attribute
                for w in find_demographics(load_pipeline().analyse(row["text"])).words
                if not w.is_generic
            ]
            words.update(map(str, told))
            rows.update({str(one) for one in told})
        for line in finished.found["balance"]:
            name = f"{line['axis']}:{line['attribute']}"
            assert (line[f"rows_{when}"], line[f"words_{when}"]) == (rows[name], words[name]), name


def test_the_sample_has_every_axis_and_the_chain(finished):
    sample = finished.found["sample"]
    assert {row["axis"] for row in sample} == {"gender", "race", "age"}
    for row in sample:
        (text,) = row["texts"]
        assert text["before"][slice(*text["word"])] == row["word"]
        assert text["before"] != text["after"]


def test_the_pages_name_every_key_and_every_attribute(finished):
    docs = Path(__file__).parents[2] / "docs"
    text = (
        (docs / "run-folder.md")
        .read_text(encoding="utf-8")
        .partition("## A perturbation")[2]
        .partition("\n## ")[0]
    )
    found = finished.found
    lists = ("axes", "pairs", "balance", "stayed", "checks", "left")
    keys = {*found, *(key for name in lists for key in found[name][0])}
    keys |= {*lines(finished.folder / "edits.jsonl")[0]["trace"]}
    assert {key for key in keys if f"`{key}`" not in text} == set()
    page = (docs / "perturbing.md").read_text(encoding="utf-8")
    assert [name for names in AXES.values() for name in names if name not in page] == []


# Pairs


def test_a_pair_is_changed_with_one_mapping_and_its_context_is_written(pairs):
    before, after = table(pairs.data), table(pairs.folder / "dataset.csv")
    changed = [
        (old, new) for old, new in zip(before, after, strict=True) if old["hypothesis"] != new["hypothesis"]
    ]
    keys = [(old, new) for old, new in changed if "keys" in old["premise"]]
    assert len(keys) == 2
    for old, new in keys:
        pronoun = new["hypothesis"].split()[3]
        assert new["premise"].split()[:3:2] == [new["hypothesis"].split()[0], pronoun]
        assert new["premise"] != old["premise"]
    assert [row["label"] for row in before] == [row["label"] for row in after]
    empty = [row for row in after if not row["premise"]]
    assert len(empty) == 2  # an empty context stays empty
    edits = [edit for edit in lines(pairs.folder / "edits.jsonl") if edit["id"] == "p0" and edit["accepted"]]
    assert [edit["field"] for edit in edits] == ["premise", "hypothesis"]


@pytest.mark.parametrize(("target", "word"), [("woman", "girls"), ("non-binary", "children")])
def test_people_who_may_be_the_same_are_changed_in_both_texts(target, word):
    pair = {"premise": "Two boys play chess.", "hypothesis": "Two boys are asleep.", "label": "x", "id": "a"}
    made = perturb(load([pair], id="id"), settings=PerturbSettings(axes=("gender",), to=(target,)))
    row = made.data.frame.row(0, named=True)
    assert (row["premise"], row["hypothesis"]) == (f"Two {word} play chess.", f"Two {word} are asleep.")


CONTRASTED = {
    "premise": "John saw his aunt.",
    "hypothesis": "John saw his uncle.",
    "label": "contradiction",
    "id": "a",
}


def contrasted(**more):
    """The paper's example of a label that hangs on a contrast, among others that are left alone."""
    rows = [
        CONTRASTED,
        {"premise": "It rains.", "hypothesis": "It is wet.", "label": "entailment", "id": "b"},
    ]
    told = PerturbSettings(axes=("gender",), to=("man",), **more)
    return perturb(load(rows, id="id"), settings=told)


def test_a_pair_whose_label_hangs_on_the_contrast_stays_and_says_why():
    made = contrasted()
    assert made.data.frame["premise"].to_list() == ["John saw his aunt.", "It rains."]
    (edit,) = made.edits
    assert not edit.accepted
    assert edit.reason.startswith(f"{CONTRAST}: ")
    assert [(v.check, v.passed) for v in edit.verdicts] == [(OFFENSIVE, True), (CONTRAST, False)]


def test_with_keep_warned_it_is_changed_and_marked():
    made = contrasted(keep_warned=True)
    assert made.data.frame["premise"].to_list() == ["John saw his uncle.", "It rains."]
    (edit,) = made.edits
    assert edit.accepted
    assert [(v.check, v.passed) for v in edit.verdicts] == [(OFFENSIVE, True), (CONTRAST, False)]


# What is drawn


def test_the_same_seed_gives_the_same_and_another_one_another():
    data = dataset_of(rows_of(16))
    first, same, other = (perturb(data, settings=PerturbSettings(seed=seed)) for seed in (3, 3, 4))
    assert first.data.frame.equals(same.data.frame)
    assert first.edits == same.edits
    assert not first.data.frame.equals(other.data.frame)


@pytest.mark.parametrize("sampling", ["balanced", "uniform"])
def test_what_becomes_of_a_row_does_not_hang_on_the_order_of_the_rows(sampling):
    rows = rows_of(16)
    told = PerturbSettings(sampling=sampling)
    shuffled = random.Random(1).sample(rows, len(rows))
    first, other = (perturb(dataset_of(some), settings=told).data.frame for some in (rows, shuffled))
    assert dict(first.select("id", "text").rows()) == dict(other.select("id", "text").rows())


def perturbing(rows, **more):
    return Perturbing(dataset_of(rows), PerturbSettings(**more))


def test_balanced_sampling_gives_the_rare_axis_its_rows():
    """Where both are told, race is drawn as often as its weight says: one over its rows against one over gender's rows."""
    rows = [{"id": f"g{i}", "text": f"She left on day {i}.", "label": "x"} for i in range(18)]
    rows += [{"id": f"b{i}", "text": f"The Asian woman left on day {i}.", "label": "x"} for i in range(2)]
    one = perturbing(rows, axes=("gender", "race"))
    assert one.weights == {"gender": 1 / 20, "race": 1 / 2}
    drawn = Counter()
    for seed in range(400):
        one.settings = replace(one.settings, seed=seed)
        drawn[one.requests(19)[0].target.axis] += 1
    assert drawn["race"] / 400 == pytest.approx((1 / 2) / (1 / 2 + 1 / 20), abs=0.05)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_requests_are_different_choices_of_the_row_as_many_as_may_be_tried(data):
    tries = data.draw(st.integers(1, 6))
    one = REUSED.setdefault("one", perturbing(rows_of(8)))
    one.settings = replace(one.settings, tries=tries, seed=data.draw(st.integers(0, 2**32 - 1)))
    for row in one.chosen:
        requests = one.requests(row)
        assert len(requests) == min(tries, len(one.options(row)))
        assert len({(r.place, r.source, r.target) for r in requests}) == len(requests)
        assert all(r.source.axis == r.target.axis and r.source != r.target for r in requests)
        assert all(r.segments == one.segments(row) for r in requests)


REUSED = {}  # analysing takes longer than all examples together


def test_only_the_axes_and_attributes_that_were_asked_for_are_written():
    data = dataset_of(rows_of(16))
    made = perturb(data, settings=PerturbSettings(axes=("age", "gender"), to=("senior", "woman")))
    targets = {(edit.trace["axis"], edit.trace["target"]) for edit in made.edits}
    assert targets == {("age", "senior"), ("gender", "woman")}


def test_a_share_of_the_rows_is_a_part_of_a_larger_share():
    some, more = (set(perturbing(rows_of(48), share=share).chosen) for share in (0.3, 0.7))
    everything = perturbing(rows_of(48))
    assert some < more < set(everything.chosen)
    stayed = Counter(o.stayed for o in perturbing(rows_of(48), share=0.3).run(by_rules(Rules())))
    assert stayed[NOT_DRAWN] == len(everything.chosen) - len(some)


def test_rows_that_say_little_of_people_stay_where_that_is_asked():
    rows = [
        {"id": "a", "text": "She left.", "label": "x"},
        {"id": "b", "text": "In the garden behind the house, under a tree, she read.", "label": "y"},
    ]
    one = perturbing(rows, at_least=0.2)
    assert [seen.perturbability for seen in one.seen] == pytest.approx([1 / 3, 1 / 14])  # Eq. 2, by hand
    outcomes = list(one.run(by_rules(Rules())))
    assert [outcome.stayed for outcome in outcomes] == ["", TOO_LITTLE]


def test_a_text_that_is_too_long_is_not_analysed(monkeypatch):
    monkeypatch.setattr(perturbing_module, "LONGEST", 20)
    rows = [
        {"id": "a", "text": "She left.", "label": "x"},
        {"id": "b", "text": "She read, and read, and read on. " * 9, "label": "y"},
    ]
    one = perturbing(rows)
    assert one.seen[1].perturbability == 0
    assert [outcome.stayed for outcome in one.run(by_rules(Rules()))] == ["", TOO_LONG]


# Tries and guards, with a perturber that does what a script says


class Scripted:
    """Answers by a function of the request and how often it was asked; remembers what it was asked."""

    name = "scripted"

    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def perturb(self, requests):
        found = []
        for request in requests:
            self.asked.append(request)
            found.append(self.answer(request, sum(r.segments == request.segments for r in self.asked)))
        return found


def changed(request, text):
    return Perturbed((*request.segments[:-1], text))


def test_where_the_perturber_refuses_other_choices_are_tried():
    def second_time(request, times):
        return changed(request, "He left.") if times == 2 else unchanged(request, "no word for it")

    scripted = Scripted(second_time)
    (outcome,) = perturbing([{"id": "a", "text": "She left with her dog.", "label": "x"}]).run(scripted)
    assert outcome.taken.perturbed.segments == ("He left.",)
    assert [one.reason for one in outcome.tries] == ["no word for it", ""]
    assert len({(r.place, r.target) for r in scripted.asked}) == 2


def test_after_the_last_try_the_row_stays_with_the_first_reason():
    scripted = Scripted(lambda request, times: unchanged(request, f"{request.word!r}: reason {times}"))
    (outcome,) = perturbing([{"id": "a", "text": "She left with her dog.", "label": "x"}], tries=2).run(
        scripted
    )
    assert outcome.taken is None
    assert outcome.stayed == "reason 1"
    assert len(scripted.asked) == 2


def test_a_text_that_comes_back_as_it_was_is_no_change():
    scripted = Scripted(lambda request, times: Perturbed(request.segments))
    (outcome,) = perturbing([{"id": "a", "text": "She left.", "label": "x"}]).run(scripted)
    assert outcome.stayed == SAME


def test_offensive_results_are_blocked_counted_and_not_shown(monkeypatch, tmp_path):
    def slur(request, times):
        return changed(request, "They called her black trash.")

    monkeypatch.setattr("longway.jobs.perturb.perturbing.by_rules", lambda *_, **__: Scripted(slur))
    rows = [{"id": i, "text": "They called her white trash.", "label": i} for i in "ab"]
    run, found = run_perturb(dataset_of(rows), out=tmp_path / "run")
    assert (found["changed"], found["blocked"], found["tries"]) == (0, 4, 4)
    assert found["stayed"] == [{"reason": OFFENSIVE, "count": 2}]
    assert found["checks"] == [{"check": OFFENSIVE, "seen": 4, "failed": 4, "error": None}]
    assert pl.read_parquet(run.folder / "dataset.parquet")["text"].to_list() == [row["text"] for row in rows]
    page = (run.folder / "report.html").read_text(encoding="utf-8")
    assert "The new text is not shown here" in page
    assert "black trash" not in page


def test_when_the_budget_is_spent_what_was_answered_counts_and_the_rest_stays():
    """Like an engine with a journal: what was answered comes again, and the fourth question is one too many."""
    known = {}

    def ask(request, times):
        if request.segments not in known:
            if len(known) == 3:
                raise BudgetSpent("the next call might cost more")
            known[request.segments] = changed(request, request.segments[0].replace("She", "He"))
        return known[request.segments]

    rows = [{"id": f"r{i}", "text": f"She left on day {i}.", "label": "x"} for i in range(8)]
    outcomes = list(perturbing(rows).run(Scripted(ask)))
    assert [outcome.row for outcome in outcomes] == list(range(8))
    assert [outcome.stayed for outcome in outcomes] == [""] * 3 + [BUDGET_SPENT] * 5


# Rows that are added, splits, labels


def test_with_add_all_rows_stay_and_the_perturbed_ones_follow(tmp_path):
    data = write(tmp_path / "notes.csv", rows_of(8))
    run, found = run_perturb(load(data), settings=PerturbSettings(add=True), out=tmp_path / "run")
    before, after = table(data), table(run.folder / "dataset.csv")
    assert (found["changed"], found["added"], found["perturbed"]) == (0, 6, 6)
    assert [{name: row[name] for name in before[0]} for row in after[:8]] == before
    assert len({row["longway_id"] for row in after}) == 14
    by_id = {row["id"]: row for row in before}
    for row in after[8:]:
        source = by_id[row["longway_source"]]
        assert row["longway_id"] == f"{source['id']}+perturb1"
        assert (row["label"], row["stars"]) == (source["label"], source["stars"])
        assert row["text"] != source["text"]
    accepted = [edit for edit in lines(run.folder / "edits.jsonl") if edit["accepted"]]
    assert {edit["id"]: edit["source"] for edit in accepted} == {
        row["longway_id"]: row["longway_source"] for row in after[8:]
    }


def test_only_the_split_that_was_named_changes():
    rows = [row | {"split": ("train", "test")[i // 4]} for i, row in enumerate(rows_of(8))]
    made = perturb(load(rows, id="id"))
    was = [row["text"] for row in rows]
    now = made.data.frame["text"].to_list()
    assert [a == b for a, b in zip(was, now, strict=True)] == [False, False, True, False] + [True] * 4


def test_labels_may_be_one_or_a_text_for_each_row():
    one = [row | {"label": "same"} for row in rows_of(4)]
    texts = [row | {"label": f"summary {i}"} for i, row in enumerate(rows_of(4))]
    for rows in (one, texts):
        made = perturb(dataset_of(rows))
        assert made.data.frame["label"].to_list() == [row["label"] for row in rows]
        assert made.edits


def test_data_without_people_ends_well_and_says_so(tmp_path):
    rows = [{"id": f"r{i}", "text": f"The soup was cold on day {i}.", "label": "xy"[i % 2]} for i in range(4)]
    run, found = run_perturb(dataset_of(rows), out=tmp_path / "run")
    assert (found["perturbable"], found["perturbed"], found["distances"], found["sample"]) == (0, 0, None, [])
    assert "0 of 4 rows mention a gender, race or age that can be changed" in (
        run.folder / "report.html"
    ).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"axes": ("gender", "height")}, "'axes' must be one or more of gender, race, age"),
        ({"axes": ()}, "Got none"),
        ({"to": ("elf",)}, "'elf' is not a demographic attribute"),
        ({"axes": ("age",), "to": ("woman",)}, "--axis gender"),
        ({"sampling": "often"}, "balanced, uniform"),
        ({"reflexive": "theirself"}, "themselves, themself"),
        ({"share": 0.0}, "'share' must be more than 0"),
        ({"tries": 0}, "'tries' must be 1 or more"),
        ({"at_least": -1.0}, "'at_least' must be 0 or more"),
        ({"at_least": 0.1, "m0": 0.0, "m1": 0.0}, "With both weights 0 every row has a perturbability of 0"),
        ({"m0": float("nan")}, "'m0' must be 0 or more"),
        ({"seed": -1}, "'seed' must be"),
        ({"engine": "neural:"}, "neural:FOLDER"),
        (
            {"engine": "neurl:model"},
            "Unknown engine 'neurl:model'. Expected rules, neural:FOLDER_OR_NAME, or a language model: auto, gguf:FILE",
        ),
        ({"engine": "rules+magic"}, "Unknown engine"),
        ({"engine": " "}, "Unknown engine"),
        (
            {"engine": "served", "everyone": True, "names": False},
            "Only the rules have --everyone and --keep-names",
        ),
    ],
)
def test_a_setting_that_cannot_be_is_told_in_words(told, words):
    with pytest.raises(SettingError) as raised:
        PerturbSettings(**told)
    assert words in str(raised.value)


# Going on


def test_a_run_that_is_stopped_goes_on_where_it_was(tmp_path):
    """Stopped while it reads, while it perturbs, and while it counts: the end is that of an undisturbed run."""
    data = load(write(tmp_path / "notes.csv", rows_of(24)))
    whole, _ = run_perturb(data, out=tmp_path / "whole")
    for name in ("reading who is mentioned", "perturbing", "reading who is mentioned now"):
        with pytest.raises(KeyboardInterrupt):
            run_perturb(data, out=tmp_path / "stopped", **stopping_in(name))
    assert read_json(tmp_path / "stopped" / RUN_FILE)["state"] == "running"
    assert (tmp_path / "stopped" / ANALYSES_FILE).exists()
    run, _ = run_perturb(data, out=tmp_path / "stopped")
    for name in ("dataset.csv", "edits.jsonl", "card.md"):
        ours, theirs = ((folder / name).read_text(encoding="utf-8") for folder in (run.folder, whole.folder))
        assert without_dates(ours) == without_dates(theirs)
    assert {path.name for path in run.folder.iterdir()} == FILES


def stopping_in(name, *, after=10):
    """Callbacks that break a run off in one of its steps, when so many rows are done."""
    steps = []

    def progress(done, of):
        if steps[-1] == name and done >= min(after, of):
            raise KeyboardInterrupt

    return {"watcher": watching(step=steps.append, progress=progress)}


def without_dates(text):
    return "\n".join(line for line in text.splitlines() if not line.startswith("- Made:"))


def test_analyses_that_are_kept_are_not_made_again(tmp_path, monkeypatch):
    texts = ["She left.", "He stayed.", "It rained."]
    first = list(Documents(tmp_path / ANALYSES_FILE).all(texts))
    monkeypatch.setattr(
        "longway.english.pipeline.EnglishPipeline._analyse",
        lambda self, texts: iter(map(fail, texts)),
    )
    assert list(Documents(tmp_path / ANALYSES_FILE).all(texts)) == first


def fail(text):
    raise AssertionError(f"{text!r} was analysed again")


def test_answers_of_a_network_are_kept_until_it_is_another_one():
    rows = [{"id": f"r{i}", "text": f"She left on day {i}.", "label": "x"} for i in range(4)]
    one = perturbing(rows)
    requests = [one.requests(row)[0] for row in one.chosen]
    journal, scripted = Journal(None), Scripted(lambda request, times: changed(request, "He left."))
    for version, n_asked in (("1", 4), ("1", 4), ("2", 8)):
        answers = with_journal(scripted, journal, version=version).perturb([*requests, requests[0]])
        assert answers == [Perturbed(("He left.",))] * 5
        assert len(scripted.asked) == n_asked
    assert journal.totals()[0].engine == "scripted"


def test_a_network_goes_through_a_run_and_is_not_asked_again_for_what_it_said(tmp_path):
    """A network that has learned nothing: whatever it says is refused with a reason, and the rows stay."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tests.methods.perturb.conftest import _make

    _make("bart", tmp_path / "network")
    told = PerturbSettings(engine=f"neural:{tmp_path / 'network'}", tries=1)
    data = load(write(tmp_path / "notes.csv", rows_of(4)))
    with pytest.raises(KeyboardInterrupt):
        run_perturb(data, settings=told, out=tmp_path / "run", **stopping_in("perturbing", after=3))
    with closing(Journal(tmp_path / "run" / "journal.sqlite")) as journal:
        kept = {call.key for call in journal.entries()}
    fewer = Engines(batch_size=2, device="cpu")  # no other run: who ran out of memory goes on
    run, found = run_perturb(data, settings=told, engines=fewer, out=tmp_path / "run")
    assert found["tries"] == len(kept) == 3
    assert found["cost"][0] | {"seconds": 0} == {
        "engine": "neural:network", "kind": "perturb", "calls": 3, "prompt_tokens": 0, "completion_tokens": 0, "cost": 0.0, "seconds": 0,
    }  # fmt: skip
    assert sum(row["count"] for row in found["stayed"]) == 4 - found["changed"]
    assert "model_fingerprint" in read_json(run.folder / RUN_FILE)["settings"]


# Engines that are asked


@pytest.fixture
def server():
    with Loopback(answer) as running:
        yield running


def asked_settings(**more):
    return PerturbSettings(**{"engine": "served:toy", "axes": ("gender",)} | more)


def run_asked(data, server, *, budget=None, out=None, estimate=None, **more):
    engines = Engines(server.url, budget=budget, options={"backoff": 0.001, "retries": 0})
    return run_perturb(
        load(data),
        settings=asked_settings(**more),
        engines=engines,
        out=out or True,
        watcher=watching(estimate=estimate) if estimate else None,
    )


def test_a_language_model_is_asked_once_for_each_row(server, tmp_path):
    data = write(tmp_path / "bakers.csv", bakers_of(12))
    run, found = run_asked(data, server, to=("woman",))
    assert found["changed"] == 12
    assert len(server.calls) == 12
    assert table(run.folder / "dataset.csv")[3]["text"] == "The baker said she lost her hat on day 3."
    assert found["cost"][0]["calls"] == 12
    assert run.folder.name == "bakers-perturb"
    assert read_json(run.folder / RUN_FILE)["settings"]["base_url"] == server.url
    again, _ = run_asked(data, server, to=("woman",))
    assert again.folder == run.folder
    assert len(server.calls) == 12


def test_calls_that_failed_are_told_and_asked_again_by_the_same_command(tmp_path):
    is_down = True

    def sometimes(call):
        return error(503, "busy") if is_down and "day 3" in call.content else answer(call)

    data = write(tmp_path / "bakers.csv", bakers_of(8))
    with Loopback(sometimes) as server:
        _, found = run_asked(data, server, to=("woman",), tries=1, out=tmp_path / "run")
        assert found["changed"] == 7
        assert sum(row["count"] for row in found["failed_calls"]) == 1
        is_down, n = False, len(server.calls)
        _, found = run_asked(data, server, to=("woman",), tries=1, out=tmp_path / "run")
        assert (found["changed"], found["failed_calls"]) == (8, [])
        assert len(server.calls) == n + 1


def most_of_a_call(data, server):
    """What is set aside for a call until it is answered."""
    engine = engine_named("served:toy", base_url=server.url, retries=0)
    requests = [r for one in [Perturbing(load(data), asked_settings(to=("woman",)))] for r in one.requests(0)]
    prompts = [prompt_of(request) for request in requests]
    return max(engine.first_write_cost(p, 1, Sampling(max_tokens=tokens_for(p.text))) for p in prompts)


def test_the_budget_holds_and_a_larger_one_goes_on(server, prices, tmp_path):
    data = write(tmp_path / "bakers.csv", bakers_of(12))
    estimates = []
    _, whole = run_asked(data, server, to=("woman",), out=tmp_path / "whole", estimate=estimates.append)
    (estimate,) = estimates
    cost = whole["cost"][0]["cost"]
    assert estimate.calls == sum(min(3, 2) for _ in range(12))  # two words of each row, one attribute
    assert estimate.cost > cost > 0
    with pytest.raises(SettingError, match=r"too small for one row.*Nothing was sent.*Try --budget"):
        run_asked(data, server, to=("woman",), budget=0.0001, out=tmp_path / "small")
    small = cost / 2 + most_of_a_call(data, server)  # half of the calls, and room to ask one more
    _, found = run_asked(data, server, to=("woman",), budget=small, out=tmp_path / "run")
    assert found["stopped"] == BUDGET_SPENT
    assert 0 < found["changed"] < 12
    assert sum(row["cost"] for row in found["cost"]) <= small
    assert {row["reason"]: row["count"] for row in found["stayed"]}[BUDGET_SPENT] == 12 - found["changed"]
    n = len(server.calls)
    _, done = run_asked(data, server, to=("woman",), budget=100.0, out=tmp_path / "run")
    assert (done["stopped"], done["changed"]) == ("", 12)
    assert len(server.calls) == n + 12 - found["changed"]


@pytest.mark.parametrize(
    "name", ["rules", "auto", "served", "served:a+b", "rules,served", "replay:journal.sqlite"]
)
def test_an_engine_that_can_be_is_taken_by_its_name(name):
    assert PerturbSettings(engine=name).engine == name


def test_a_network_is_told_where_and_how_many_at_once(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tests.methods.perturb.conftest import _make

    _make("bart", tmp_path / "network")
    who = who_perturbs(
        PerturbSettings(engine=f"neural:{tmp_path / 'network'}"), Engines(device="cpu", batch_size=3)
    )
    seen = []
    monkeypatch.setattr(
        "longway.methods.perturb.neural.NeuralPerturber.__init__",
        lambda self, model, **options: seen.append(options) or setattr(self, "name", "network"),
    )
    who.perturber(journal=Journal(None), asker=None, read=None)
    assert seen == [{"device": "cpu", "batch_size": 3}]


def test_auto_is_the_rules_where_no_model_is_named():
    who = who_perturbs(PerturbSettings(engine="auto"), Engines())
    assert who.engine is None
    assert who.settings.engine == "rules"


# The balance


def test_the_balance_counts_rows_and_words_before_and_after():
    before = [
        find_demographics(load_pipeline().analyse(text))
        for text in ("She lost her hat.", "He left.", "It rained.")
    ]
    new = {1: find_demographics(load_pipeline().analyse("She left."))}
    by_name = {row.attribute: asdict(row) for row in balance(before, new, axes=("gender",))}
    assert [
        by_name["woman"][key] for key in ("rows_before", "rows_after", "words_before", "words_after")
    ] == [1, 2, 2, 3]
    assert [by_name["man"][key] for key in ("rows_before", "rows_after")] == [1, 0]
    added = {row.attribute: asdict(row) for row in balance(before, new, axes=("gender",), added=True)}
    assert [added["man"][key] for key in ("rows_before", "rows_after")] == [1, 1]
