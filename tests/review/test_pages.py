"""The pages: small whatever the texts, no script and no style inside, every control named, exact where a form sends something back."""

import json
import re
import shutil
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway import GrammarResult
from longway.json_values import from_json
from longway.records import Edit
from longway.review.edit_list import EditFilter, ReviewedEdit
from longway.review.pages import PAGES, render, run_pages, static_files
from longway.review.pages.page_layout import PART, address, cut_edit, options, part_of
from longway.review.run_contents import FindingFilter, RunContents
from longway.review.sampling import draw_sample, tag
from tests.report.invented_augment import augment
from tests.report.invented_grammar import hostile_tables, tables
from tests.report.invented_perturb import perturb
from tests.report.invented_prove import proof
from tests.report.invented_rewrite import rewrite
from tests.report.test_report_style import DARK, LIGHT, colours, contrast
from tests.review.made_runs import an_edit, made_run
from tests.review.test_damaged import TRACE

LARGEST = 300_000  # bytes of a page
LONG = "\"<'&> long " * 1_000


class Read(HTMLParser):
    """A page as a screen reader meets it; fails on tags that do not nest."""

    VOID = frozenset({"meta", "br", "hr", "input", "link", "img"})

    def __init__(self, page):
        super().__init__()
        self.elements, self.open, self.unnamed, self.text = [], [], [], []
        self.fors = set(re.findall(r'<label for="([^"]*)"', page))
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.elements.append((tag, found))
        if tag in ("input", "select", "textarea") and found.get("type") != "hidden":
            named = "label" in self.open or found.get("id") in self.fors or "aria-label" in found
            self.unnamed += [] if named else [found]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def all(self, name):
        return [found for tag, found in self.elements if tag == name]


def shown(contents, page, /, **query):
    """A page, its HTML and the HTML as it is read."""
    made = PAGES[page](contents, {"author": "ada", **query})
    html = render(made, contents, path="/" + page.split("/")[0], author="ada")
    return made, html, Read(html)


def every_page(contents):
    """(name, query) of every page that this run has something for, and of some that it has not."""
    asked = [
        ("", {}),
        ("findings", {}),
        ("data", {}),
        ("data", {"size": 100}),
        ("run", {}),
        ("trees", {}),
        ("proof", {}),
    ]
    asked += [("findings/{key}", {"key": one.key}) for one in contents.findings(size=3).rows]
    if contents.has("edits"):
        asked += [("sample", {}), ("edits", {}), ("edits", {"size": 50, "search": "e", "order": "score"})]
        found = contents.edits.page(EditFilter(), size=2).rows
        for one in found:
            asked += [
                ("edits/{key}", {"key": one.key} | part) for part in ({}, *({"part": n} for n in (1, 2, 999)))
            ]
        asked += [("data/{id}", {"id": one.edit.id}) for one in found]
        asked += [
            ("sample/{name}", {"name": one.key}) for one in contents.decisions.current("sample").values()
        ]
    return asked


def huge(folder):
    """A run whose texts, labels, names and reasons are as long and as full of quotes as they can be."""
    verdicts = [{"check": f"check {i} {LONG[:500]}", "passed": False, "reason": LONG} for i in range(30)]
    edits = [
        an_edit(
            id=f"{i}{LONG[:300]}", before=f"{i} {LONG}", after=f"{i} {LONG[:-7]} changed {LONG}", label_before=LONG[:300] + str(i % 9),
            label_after=LONG[:300] + str(i % 7), method=LONG[:300] + str(i % 5), engine=LONG[:400], reason=LONG, how=LONG,
            accepted=bool(i % 2), verdicts=verdicts, source=LONG[:200], score_before=0.5, score_after=float(i),
            trace={"triples": [{"kind": "normal", "before": LONG[:3000], "after": None, "place": None}] * (9 if i else 90)},
        )
        for i in range(50)
    ]  # fmt: skip
    rows = [
        {"text": f"{i} {LONG}", "label": LONG[:200] + str(i % 3), "longway_id": edits[i]["id"]}
        for i in range(50)
    ]
    return made_run(folder, edits, rows=rows)


@pytest.fixture(scope="module")
def real(small_rewrite, tmp_path_factory):
    """The contents of a real rewrite, with a sample, some decisions and a hand edit."""
    contents = RunContents(shutil.copytree(small_rewrite, tmp_path_factory.mktemp("real") / "run"))
    keys = contents.edits.keys(EditFilter(status="kept"))
    contents.decisions.write("edit", keys[0], {"choice": "accept"}, author="ada")
    contents.decisions.write("edit", keys[1], {"choice": "reject"}, author="<b>bob")
    text = "by <i>hand\nand more"
    failed = [{"check": "numbers", "passed": False, "score": None, "reason": "<u>no"}]
    value = {"choice": "hand", "text": text, "passed": False, "verdicts": failed}
    contents.decisions.write("edit", keys[2], value, author="ada")
    draw_sample(contents, name="first", size=6, seed=1, author="ada")
    yield contents
    contents.close()


SUMMARIES = {
    "rewrite": lambda: {"rewrite__json": rewrite()},
    "augment": lambda: {"augment__json": augment()},
    "perturb": lambda: {"perturb__json": perturb()},
    "grammar": lambda: {"tables__json": tables()},
    "prove": lambda: {"results__json": proof()},
}


@pytest.fixture(params=["real", "hostile rewrite", "hostile audit", *SUMMARIES])
def contents(request, tmp_path):
    """Runs of every kind; the hostile ones are real runs on rows that attack."""
    if request.param == "real":
        yield request.getfixturevalue("real")
        return
    if request.param.startswith("hostile"):
        hostile = request.getfixturevalue("hostile")
        which = request.param.split()[1]
        opened = RunContents(getattr(hostile, which), data=hostile.data if which == "audit" else None)
    else:
        command = request.param
        trace = TRACE | {"axis": "gender", "source": "woman", "target": "man"}
        edits = None if command in ("grammar", "prove") else [an_edit(after="c d", trace=trace)]
        opened = RunContents(made_run(tmp_path / "run", edits, command=command, **SUMMARIES[command]()))
    yield opened
    opened.close()


def test_every_page_of_every_run_is_whole_plain_and_named(contents):
    static = static_files()
    for name, query in every_page(contents):
        made, html, page = shown(contents, name, **query)
        where = (name, query)
        assert [found.get("src") for found in page.all("script")] == ["/static/review.js"], where
        assert not page.all("style"), where
        assert not [
            one for _, one in page.elements if "style" in one or any(key.startswith("on") for key in one)
        ], where
        assert all(
            found["href"].removeprefix("/static/") in static
            for found in page.all("link")
            if found["rel"] == "stylesheet"
        )
        assert page.unnamed == [], where
        assert len(page.all("h1")) == len(page.all("main")) == 1, where
        ids = [one["id"] for _, one in page.elements if "id" in one]
        assert len(ids) == len(set(ids)), where
        assert len(html.encode()) < LARGEST, where
        assert len(json.dumps(made.data)) < LARGEST, where


def test_no_page_grows_with_the_texts(tmp_path):
    contents = RunContents(huge(tmp_path / "run"))
    long = contents.edits.facets()["label"]
    asked = [*every_page(contents), ("edits", {"size": 50, "label": next(iter(long))})]
    for name, query in asked:
        made, html, _ = shown(contents, name, **query)
        assert len(html.encode()) < LARGEST, (name, query.keys())
        assert len(json.dumps(made.data)) < LARGEST, (name, query.keys())
    contents.close()


@pytest.mark.parametrize(
    ("command", "page", "file", "made", "limit"),
    [
        ("grammar", "trees", "tables__json", tables, 12_000),
        ("prove", "proof", "results__json", proof, 20_000),
    ],
)
def test_a_report_that_is_too_long_comes_in_pages(tmp_path, monkeypatch, command, page, file, made, limit):
    contents = RunContents(made_run(tmp_path / "run", command=command, **{file: made()}))
    whole, html, _ = shown(contents, page)
    assert whole.data["pages"] == 1
    ids = re.findall(r'<section id="(\w+)"', html)
    monkeypatch.setattr(run_pages, "LIMIT", limit)
    first, _, _ = shown(contents, page)
    cut = [shown(contents, page, page=at) for at in range(1, first.data["pages"] + 1)]
    assert len(cut) > 1
    assert [id_ for _, html, _ in cut for id_ in re.findall(r'<section id="(\w+)"', html)] == ids
    assert all(len(one.view["html"].encode()) <= limit for one, _, _ in cut)
    assert all(len(read.all("h1")) == 1 for _, _, read in cut)
    contents.close()


def test_a_hostile_grammar_stays_small(tmp_path):
    hostile = hostile_tables(lambda at: LONG[: 100 + at])
    pages, _ = run_pages.in_pages(GrammarResult.from_dict(hostile).page())
    assert max(len(one.encode()) for one in pages) < LARGEST - 20_000  # the frame has room
    contents = RunContents(made_run(tmp_path / "run", command="grammar", tables__json=hostile))
    made, html, _ = shown(contents, "trees")
    assert len(html.encode()) < LARGEST
    assert len(json.dumps(made.data)) < LARGEST
    contents.close()


def test_the_page_of_an_edit_has_what_was_decided_and_marks_what_failed(real):
    kept = real.edits.keys(EditFilter(status="kept"))
    pages = [shown(real, "edits/{key}", key=key)[1] for key in kept[:4]]
    assert "accepted by <" not in pages[0]
    assert re.search(r'<span class="badge accept" data-badge><bdi>accepted by ada', pages[0])
    assert "rejected by &lt;b&gt;bob" in pages[1]
    assert "✗ fails a check" in pages[2]
    assert "&lt;u&gt;no" in pages[2]
    assert "by &lt;i&gt;hand\nand more</textarea>" in pages[2]
    assert 'badge none" data-badge>not decided' in pages[3]


def test_a_page_sends_back_which_decision_it_showed(real):
    for key in real.edits.keys(EditFilter(status="kept"))[:4]:
        edit = real.edits.get(key)
        seen = 0 if edit.decision is None else edit.decision.seq
        fields = shown(real, "edits/{key}", key=key)[2].all("input")
        assert {one["value"] for one in fields if one.get("name") == "seen"} == {str(seen)}


def test_neighbours_stay_within_the_filter(real):
    keys = real.edits.keys(EditFilter(status="kept", order="random"))
    made, _, _ = shown(real, "edits/{key}", key=keys[1], status="kept", order="random")
    values = "?status=kept&order=random"
    assert (made.view["previous"], made.view["next"]) == (
        f"/edits/{keys[0]}{values}",
        f"/edits/{keys[2]}{values}",
    )
    assert (made.data["place"], made.data["total"]) == (2, len(keys))


def test_the_words_of_both_versions_are_all_there(real):
    for one in real.edits.page(EditFilter(), size=30).rows:
        made, _, _ = shown(real, "edits/{key}", key=one.key)
        card = made.view["edit"].card
        assert "".join(piece.text for piece in card.before) == one.edit.before
        assert "".join(piece.text for piece in card.after) == one.edit.after


def test_filters_offer_values_letter_for_letter(tmp_path):
    odd = ["a\tb", 'quo"te', "<b>", "\u202eturned", " spaces ", "new\nline"]
    contents = RunContents(
        made_run(tmp_path / "run", [an_edit(id=str(i), label_after=label) for i, label in enumerate(odd)])
    )
    _, _, page = shown(contents, "edits")
    offered = {found["value"] for found in page.all("option")}
    assert set(odd) <= offered
    for label in odd:
        made, _, page = shown(contents, "edits", label=label)
        assert made.data["total"] == 1
        hidden = {
            found["name"]: found["value"]
            for found in page.all("input")
            if "value" in found and "name" in found
        }
        assert hidden["filter.label"] == label
    contents.close()


def test_a_finding_shows_rows_on_both_sides_with_the_pattern_marked(hostile):
    contents = RunContents(hostile.audit, data=hostile.data)
    word = next(
        one
        for one in contents.findings(FindingFilter("token"), size=100).rows
        if one.finding.pattern == "giveaway"
    )
    _, html, _ = shown(contents, "findings/{key}", key=word.key)
    assert html.count('<mark class="m4">giveaway</mark>') >= 5
    assert "Real signal, leave alone" in html
    contents.close()


def test_ratings_and_the_error_rate_are_shown(real):
    keys = real.decisions.of("sample", "first").value["keys"]
    _, before, page = shown(real, "sample/{name}", name="first")
    assert "Rate an edit to get an estimate" in before
    assert [found["value"] for found in page.all("input") if found.get("name") == "tags"][:2] == [
        "label kept",
        "label changed",
    ]
    for key in keys:
        for rater in ("ada", "bob"):
            tag(real, "first", key, ["label kept"], author=rater)
    _, after, _ = shown(real, "sample/{name}", name="first")
    assert "Wrong edits" in after


@given(st.text(alphabet="ab \n<é", max_size=50_000), st.integers(1, 9))
def test_parts_of_a_text_are_the_text(text, number):
    whole = text * number
    _, n_parts = part_of(whole, 1)
    assert "".join(part_of(whole, at)[0] for at in range(1, n_parts + 1)) == whole
    assert all(len(part_of(whole, at)[0]) <= PART for at in range(1, n_parts + 1))


@given(st.dictionaries(st.text(max_size=700), st.integers(0, 9), max_size=100), st.text(max_size=700))
def test_a_filter_offers_a_bounded_choice_and_always_the_chosen_one(counts, chosen):
    found = options(counts, chosen)
    assert not chosen or chosen in found
    assert len(found) <= 61
    assert all(counts.get(value, 0) == n for value, n in found.items())


def test_a_list_says_that_a_text_was_cut():
    line = an_edit(before="x" * 50, after="y")
    edit = ReviewedEdit(from_json(Edit, line), "k", 1, "kept", None, line)
    assert (cut_edit(edit, 10)["before"], cut_edit(edit, 10)["is_cut"]) == ("x" * 10, True)
    assert cut_edit(edit, 50)["is_cut"] is False


def test_an_address_holds_whatever_is_asked_for():
    from urllib.parse import parse_qs, urlsplit

    made = address("/edits", {"label": "a&b=c#d é\n", "search": "", "page": 3})
    assert parse_qs(urlsplit(made).query) == {"label": ["a&b=c#d é\n"], "page": ["3"]}


@pytest.mark.parametrize("at", [0, 1], ids=["light", "dark"])
def test_words_of_the_review_can_be_read(at):
    style = files("longway.review").joinpath("static/review.css").read_text(encoding="utf-8")
    named = colours([LIGHT, DARK][at]) | colours(re.findall(r":root \{(.*?)\}", style, re.DOTALL)[at])
    for name in ("yes", "no", "accent", "ink", "quiet"):
        for ground in ("page", "soft", "bar"):
            assert contrast(named[name], named[ground]) >= 4.5, (name, ground)
    for strong in ("accent", "yes", "no"):
        assert contrast(named["on-strong"], named[strong]) >= 4.5, strong
    assert contrast(named["focus"], named["page"]) >= 3


def test_the_script_asks_no_other_machine_and_writes_no_markup():
    script = static_files()["review.js"][0].decode()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|https?://", script)
