"""How a test reads a page: its elements and words, the words of one section, the parts of a chart."""

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

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


def section(page, name):
    """The words of one section."""
    return Elements(re.search(rf'<section id="{name}">.*?</section>', page, re.DOTALL).group(0)).text


def parts(svg, name, class_):
    """Elements of a chart of one kind that carry a class."""
    return [part for part in ET.fromstring(str(svg)).iter(name) if class_ in part.get("class", "").split()]


def number(part, attribute):
    return float(part.get(attribute).rstrip("%"))
