"""Renders a page of sections as one HTML file that opens offline, runs no script and loads nothing.

    Page  ->  render()  ->  the text of report.html
    a section, a block, words  ->  section(), block(), inline()  ->  their HTML, for use inside another page

The HTML is in `templates/sections.html.jinja`: one macro for each kind of block. A dataset row is data, never markup: everything is
cleaned and escaped by the environment, and the content security policy allows the browser the style sheets of this page (by their
hash) and nothing else. So no element may have a `style` attribute.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from operator import attrgetter
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from longway.report.excerpts import cut, harmless, isolated
from longway.report.numbers import count
from longway.report.sections import REPORT, Block, Page, Section, Words, spans

MAX_CHIPS = 14
A_FEW = 3  # rows more than a table shows at once are not worth folding


def environment(package: str) -> Environment:
    """The environment of a package's templates: whatever text they show is cleaned and escaped."""
    made = Environment(
        loader=PackageLoader(package, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_harmless,
    )
    made.filters |= {"count": count, "cut": cut}
    return made


def _harmless(value: Any) -> Any:
    return harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _reports() -> Environment:
    made = environment("longway.report")
    made.filters |= {"block": block, "kind": attrgetter("__class__.__name__"), "sentence": sentence}
    made.globals |= {"spans": spans, "REPORT": REPORT, "MAX_CHIPS": MAX_CHIPS, "A_FEW": A_FEW}
    return made


def _macro(name: str, given: object) -> Markup:
    return Markup(getattr(_reports().get_template("sections.html.jinja").module, name)(given))


def render(page: Page) -> str:
    """The whole HTML document of a page."""
    style = style_sheet("style.css", *page.sheets)
    policy = content_security_policy(style)
    return _reports().get_template("report.html.jinja").render(page=page, style=style, policy=policy)


def body(page: Page) -> Markup:
    """The opening and all sections."""
    return _macro("body", page)


def section(one: Section) -> Markup:
    """A section with its heading."""
    return _macro("section", one)


def blocks(parts: Iterable[Block]) -> Markup:
    """Blocks below each other."""
    return _macro("blocks", parts)


def block(part: Block) -> Markup:
    """One block."""
    return _macro(type(part).__name__, part)


def inline(words: Words) -> Markup:
    """Words with their styles."""
    return _macro("inline", words)


def sentence(text: str) -> Markup:
    """A sentence of ours with quotations from the data, each in its own direction."""
    return escape(isolated(harmless(text)))


def content_security_policy(style: str) -> str:
    """The policy that allows a page this style sheet and nothing else."""
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    )


@cache
def style_sheet(*names: str) -> str:
    """The style sheets of these names, as one."""
    folder = files("longway.report").joinpath("templates")
    return "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
