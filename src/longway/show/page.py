"""The environment of the review's templates: a dataset row is data, so whatever text comes out is escaped and cleaned on the way."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from longway.show.excerpts import harmless


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
