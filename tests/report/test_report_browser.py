"""The page in a real browser: nothing breaks the policy, nothing sticks out, on a phone and on a desk."""

import json
import re
import shutil
import subprocess
from html import escape

import pytest

from longway.report.html import render_report

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
]
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

# The page in a frame of the wanted width (a window cannot be as narrow as a phone), measured from outside:
# the page itself must not need a script.
FRAME = """<!doctype html><body><iframe width="{width}" height="3000" srcdoc="{page}"></iframe><pre></pre><script>
onload = () => {{
  const page = document.querySelector("iframe").contentDocument;
  const right = (element) => element.getBoundingClientRect().right;
  const beyond = (list, limit) => [...list].filter((e) => right(e) > limit(e) + 0.5).map((e) => e.textContent);
  const texts = page.querySelectorAll("svg text");
  document.querySelector("pre").textContent = JSON.stringify({{
    inner: page.documentElement.clientWidth,
    scroll: page.documentElement.scrollWidth,
    font: page.defaultView.getComputedStyle(page.body).fontFamily,
    outside: beyond(page.querySelectorAll("body *:not(svg *)"), () => page.documentElement.clientWidth),
    clipped: beyond(texts, (text) => right(text.ownerSVGElement)),
    overlapping: beyond(page.querySelectorAll("svg text.name"), (name) => {{
      const figure = name.parentNode.querySelector("text.figure");
      return figure ? figure.getBoundingClientRect().left : Infinity;
    }}),
  }});
}};
</script>"""


def browse(tmp_path, content):
    """The document after loading, and what the browser logged."""
    path = tmp_path / "page.html"
    path.write_text(content, encoding="utf-8")
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, done.stderr


def measure(tmp_path, page, width):
    document, _ = browse(tmp_path, FRAME.format(width=width, page=escape(page)))
    return json.loads(re.search(r"<pre>(.*?)</pre>", document, re.DOTALL).group(1).replace("&amp;", "&"))


@pytest.fixture(params=["ordinary", "hostile"])
def page(request, findings, hostile_page):
    return hostile_page if request.param == "hostile" else render_report(findings)


def test_the_page_keeps_to_its_policy(tmp_path, page):
    document, log = browse(tmp_path, page)
    assert "How to read this" in document
    assert "Content Security Policy" not in log


def test_a_page_that_breaks_the_policy_would_be_noticed(tmp_path, findings):
    broken = render_report(findings).replace("<h1>", '<h1 style="color: red">')
    _, log = browse(tmp_path, broken)
    assert "Content Security Policy" in log


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_window(tmp_path, page, width):
    seen = measure(tmp_path, page, width)
    assert "system-ui" in seen["font"]  # the style sheet was let in
    assert seen["inner"] <= width
    assert seen["scroll"] <= seen["inner"]
    assert seen["outside"] == []
    assert seen["clipped"] == []
    assert seen["overlapping"] == []


def test_the_page_prints_on_a4(tmp_path, findings):
    (tmp_path / "page.html").write_text(render_report(findings), encoding="utf-8")
    pdf = tmp_path / "page.pdf"
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", f"--print-to-pdf={pdf}"]
    subprocess.run(
        [*command, (tmp_path / "page.html").as_uri()], capture_output=True, timeout=120, check=True
    )
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf.read_bytes())
    assert {(round(float(width)), round(float(height))) for width, height in boxes} == {(595, 842)}
