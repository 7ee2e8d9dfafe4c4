"""How a test reads a page: its elements and words, or what a real browser makes of it."""

import json
import re
import shutil
import subprocess
from html import escape, unescape
from html.parser import HTMLParser

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

TRIES = 4
# The page in a frame of each wanted width (a window cannot be as narrow as a phone), measured from outside:
# the page itself must not need a script. The widths share one start of the browser.
FRAMES = """<!doctype html><body>{frames}<pre></pre><script>
const seen = (frame) => {{
  const page = frame.contentDocument;
  const right = (element) => element.getBoundingClientRect().right;
  const beyond = (list, limit) => [...list].filter((e) => right(e) > limit(e) + 0.5).map((e) => e.textContent);
  const texts = page.querySelectorAll("svg text");
  return {{
    loaded: page.URL === "about:srcdoc" && page.readyState === "complete",
    inner: page.documentElement.clientWidth,
    scroll: page.documentElement.scrollWidth,
    font: page.defaultView.getComputedStyle(page.body).fontFamily,
    outside: beyond(page.querySelectorAll("body *:not(svg *)"), () => page.documentElement.clientWidth),
    clipped: beyond(texts, (text) => right(text.ownerSVGElement)),
    overlapping: beyond(page.querySelectorAll("svg text.name"), (name) => {{
      const figure = name.parentNode.querySelector("text.figure");
      return figure ? figure.getBoundingClientRect().left : Infinity;
    }}),
  }};
}};
onload = () => {{
  document.querySelector("pre").textContent = JSON.stringify([...document.querySelectorAll("iframe")].map(seen));
}};
</script>"""
FRAME = '<iframe width="{width}" height="3000" srcdoc="{page}"></iframe>'


def browse(tmp_path, content):
    """The document after loading, and what the browser logged."""
    path = tmp_path / "page.html"
    path.write_text(content, encoding="utf-8")
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, done.stderr


def measure(tmp_path, page, widths):
    """What is seen of the page at each width."""
    frames = "".join(FRAME.format(width=width, page=escape(page)) for width in widths)
    for _ in range(TRIES):
        document, _ = browse(tmp_path, FRAMES.format(frames=frames))
        found = json.loads(unescape(re.search(r"<pre>([^<]*)</pre><script>", document).group(1)))
        if all(frame["loaded"] for frame in found):
            break  # on a busy machine the browser may be asked before it has filled a frame
    assert all(frame["loaded"] for frame in found)
    return dict(zip(widths, found, strict=True))


VOID = {"meta", "img", "br", "hr", "input", "link"}


class Elements(HTMLParser):
    """All elements of a page as (name, attributes), and its visible text; fails on tags that do not nest."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.words, self._open = [], [], []
        self.feed(page)
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if "style" not in self._open:
            self.words.append(data)

    @property
    def text(self):
        return " ".join("".join(self.words).split())

    def named(self, name):
        return [attributes for tag, attributes in self.elements if tag == name]
