"""How a test reads a page: its elements and words."""

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
