"""The pages in a real browser: nothing breaks the policy, nothing sticks out, on a phone and on a desk."""

import re

import pytest

from conftest import PAGES, render_report

WIDTHS = (390, 1280)  # a phone, a desk
SEEN = """() => {
  const root = document.documentElement;
  const right = (element) => element.getBoundingClientRect().right;
  const beyond = (list, limit) => [...list].filter((e) => right(e) > limit(e) + 0.5).map((e) => e.textContent);
  return {
    inner: root.clientWidth,
    scroll: root.scrollWidth,
    font: getComputedStyle(document.body).fontFamily,
    outside: beyond(document.querySelectorAll("body *:not(svg *)"), () => root.clientWidth),
    clipped: beyond(document.querySelectorAll("svg text"), (text) => right(text.ownerSVGElement)),
    overlapping: beyond(document.querySelectorAll("svg text.name"), (name) => {
      const figure = name.parentNode.querySelector("text.figure");
      return figure ? figure.getBoundingClientRect().left : Infinity;
    }),
  };
}"""


@pytest.fixture
def opened(new_page, tmp_path):
    """Opens a page from its file, as people do."""
    with new_page() as tab:

        def show(content):
            path = tmp_path / "page.html"
            path.write_text(content, encoding="utf-8")
            tab.goto(path.as_uri())
            return tab

        yield show


# The other pages have the layout of these; `make soak` opens them.
FOR_ALL = {"hostile audit", "hostile rewrite", "hostile prove"}
EACH_PAGE = [pytest.param(name, marks=() if name in FOR_ALL else pytest.mark.soak) for name in PAGES]


@pytest.mark.parametrize("page", EACH_PAGE, indirect=True)
def test_the_page_keeps_to_its_policy_and_is_never_wider_than_the_window(opened, page):
    tab = opened(page)
    assert "How to read this" in tab.inner_text("body")
    for width in WIDTHS:
        tab.set_viewport_size({"width": width, "height": 900})
        seen = tab.evaluate(SEEN)
        assert "system-ui" in seen["font"]  # the style sheet was let in
        assert seen["inner"] <= width
        assert seen["scroll"] <= seen["inner"]
        assert seen["outside"] == []
        assert seen["clipped"] == []
        assert seen["overlapping"] == []
    assert tab.errors == []


def test_a_page_that_breaks_the_policy_would_be_noticed(opened, findings):
    tab = opened(render_report(findings).replace("<h1>", '<h1 style="color: red">'))
    assert "Content Security Policy" in tab.errors[0]


def test_what_sticks_out_would_be_noticed(opened, findings):
    tab = opened(render_report(findings))
    tab.evaluate("document.querySelector('h1').style.width = '3000px'")
    seen = tab.evaluate(SEEN)
    assert seen["outside"] == [tab.text_content("h1")]
    assert seen["scroll"] > seen["inner"]


@pytest.mark.parametrize("page", ["audit", "rewrite", "prove"], indirect=True)
def test_the_page_prints_on_a4(opened, page):
    pdf = opened(page).pdf(prefer_css_page_size=True)
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert {(round(float(width)), round(float(height))) for width, height in boxes} == {(595, 842)}
