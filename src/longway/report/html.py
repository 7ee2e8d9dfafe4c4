"""The report of an audit: one HTML file that opens offline, runs no script and asks for nothing.

    run folder/findings.json  ->  write_report()  ->  run folder/report.html

A dataset row is data, never markup: the template escapes everything, the content security policy lets the
browser use the one style sheet of this page (by its hash) and nothing else. So no element may carry a
`style` attribute; charts use SVG attributes and classes.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from longway.errors import RunError
from longway.report.shown import cut, harmless
from longway.report.view import audit_page
from longway.store import read_json, replacing

VERSION = 1  # of findings.json


def render_report(findings: Mapping[str, Any], *, title: str | None = None) -> str:
    """The whole page for the findings of one audit (the content of `findings.json`)."""
    style = _style()
    return (
        _environment()
        .get_template("audit.html.jinja")
        .render(
            page=audit_page(findings, title=title),
            longway=cut(str(findings["longway"]), 20),
            fingerprint=cut(str(findings["dataset"]["fingerprint"]), 80),
            streamed=bool(findings["dataset"].get("streamed")),
            style=Markup(style),  # ours, from the package
            policy=content_security_policy(style),
        )
    )


def write_report(run_dir: Path) -> Path:
    """Writes `report.html` beside the run's `findings.json` and gives its path; it is there whole or not at all."""
    findings_path = run_dir / "findings.json"
    findings = _read(findings_path)
    try:
        page = render_report(findings)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise RunError(
            f"{findings_path} cannot be shown: {type(error).__name__} {error}. "
            "Expected the findings of `longway audit`, all keys present. Run the audit again."
        ) from error
    report_path = run_dir / "report.html"
    with replacing(report_path) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")
    return report_path


def content_security_policy(style: str) -> str:
    """The policy that lets a page use this style sheet and nothing else."""
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _read(path: Path) -> dict[str, Any]:
    findings = read_json(path)
    version = findings.get("version") if isinstance(findings, dict) else None
    if version != VERSION:
        raise RunError(
            f"{path} is not in a form this version reads. Expected version {VERSION}, got {version!r}. "
            "Run the audit again with this version of Longway."
        )
    return dict(findings)


@cache
def _style() -> str:
    return files("longway.report").joinpath("templates/style.css").read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    """Autoescape for every template; whatever text comes out is cleaned on the way, seen before or not."""
    return Environment(
        loader=PackageLoader("longway.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )


def _finalize(value: Any) -> Any:
    return harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value
