"""What every page of ours has in common: it opens offline, runs no script and asks for nothing.

    a JSON file of a run  ->  read_version()  ->  render_page(): template + style sheets  ->  write_page(): report.html

A dataset row is data, never markup: the templates escape everything, the content security policy lets the
browser use the one style sheet of this page (by its hash) and nothing else. So no element may carry a
`style` attribute; charts use SVG attributes and classes.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from longway.errors import RunError
from longway.show.excerpts import cut, harmless
from longway.store import read_json, replacing


def render_page(template: str, content: Mapping[str, Any], page: object, *, sheets: tuple[str, ...]) -> str:
    """The whole HTML page of a view.

    content: the JSON of the run, of which the frame of the page tells version and fingerprint.
    page: what the template shows. sheets: its style sheets, in order.
    """
    style = style_sheet(*sheets)
    dataset = content["dataset"]
    return (
        environment()
        .get_template(template)
        .render(
            page=page,
            longway=cut(str(content["longway"]), 20),
            fingerprint=cut(str(dataset["fingerprint"]), 80),
            streamed=bool(dataset.get("streamed")),
            formulas=int(dataset.get("formulas") or 0),
            style=Markup(style),  # ours, from the package
            policy=content_security_policy(style),
        )
    )


def write_page(
    source: Path, render: Callable[[Mapping[str, Any]], str], *, version: int, command: str
) -> Path:
    """Writes `report.html` beside the JSON file it shows and gives its path; it is there whole or not at all.

    command: the words after `longway` that made the file, for errors.
    """
    content = read_version(source, version, command=command)
    try:
        page = render(content)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise RunError(
            f"{source} cannot be shown: {type(error).__name__} {error}. "
            f"Expected what `longway {command}` writes, all keys present. Run the {command} again."
        ) from error
    report_path = source.parent / "report.html"
    with replacing(report_path) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")
    return report_path


def read_version(path: Path, version: int, *, command: str) -> dict[str, Any]:
    """The JSON object in a file, if it is of the version we read."""
    content = read_json(path)
    got = content.get("version") if isinstance(content, dict) else None
    if got != version:
        raise RunError(
            f"{path} is not in a form this version reads. Expected version {version}, got {got!r}. "
            f"Run the {command} again with this version of Longway."
        )
    return dict(content)


def content_security_policy(style: str) -> str:
    """The policy that lets a page use this style sheet and nothing else."""
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    )


@cache
def style_sheet(*names: str) -> str:
    """Our style sheets of these names, as one."""
    folder = files("longway.show").joinpath("templates")
    return "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)


@cache
def environment() -> Environment:
    """Autoescape for every template; whatever text comes out is cleaned on the way, seen before or not."""
    return Environment(
        loader=PackageLoader("longway.show", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )


def _finalize(value: Any) -> Any:
    return harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value
