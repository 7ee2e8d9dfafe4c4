"""The description of the review's JSON interface, for programs that drive it (schemathesis among them)."""

from __future__ import annotations

import re
from typing import Any

from longway.review import routes
from longway.review.fields import FORM, JSON, object_schema

_ERROR = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
_DONE = {"type": "object", "properties": {"ok": {"const": True}}, "required": ["ok"]}
_PATH = {"key": routes.KEY, "name": routes.NAME, "id": routes.ANY}


def openapi() -> dict[str, Any]:
    """OpenAPI 3.1 of every address, made of the table of routes."""
    paths: dict[str, Any] = {}
    for name, query in routes.PAGES.items():
        inside = re.findall(r"{(\w+)}", name)
        parameters = [_parameter("path", one, _PATH[one]) for one in inside]
        parameters += [_parameter("query", one, field) for one, field in query.items()]
        paths[f"/{name or 'overview'}.json"] = {
            "get": _operation(name or "overview", {"type": "object"}, parameters)
        }
    for name in routes.EXPORTS:
        undecided = [_parameter("query", "undecided", routes.UNDECIDED)]
        paths[f"/export/{name}"] = {"get": _operation(f"export {name}", {}, undecided, media="*/*")}
    for name, fields in routes.ACTIONS.items():
        schema = object_schema(fields)
        body = {"required": True, "content": {JSON: {"schema": schema}, FORM: {"schema": schema}}}
        paths[f"/{name}"] = {"post": {**_operation(name, _DONE, [], is_form=True), "requestBody": body}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Longway review", "version": "1"},
        "paths": paths,
    }


def _parameter(place: str, name: str, field: Any) -> dict[str, Any]:
    return {"in": place, "name": name, "required": place == "path", "schema": field.schema()}


def _operation(
    name: str,
    schema: dict[str, Any],
    parameters: list[dict[str, Any]],
    *,
    media: str = JSON,
    is_form: bool = False,
) -> dict[str, Any]:
    """is_form: it takes forms, too, whose answers are pages."""
    wrong = {str(status): _answer(why, _ERROR, JSON) for status, why in _WRONG.items()}
    if is_form:
        for answer in wrong.values():
            answer["content"]["text/html"] = {}
        wrong["303"] = {"description": "back to the page of the form"}
    return {
        "operationId": name,
        "parameters": parameters,
        "responses": {"200": _answer("as asked", schema, media), **wrong},
    }


_WRONG = {
    400: "a value that cannot be",
    403: "no cookie, or from another site",
    404: "nothing of this name",
    409: "another decision has come since",
    413: "too large",
    415: "a body in another form",
}


def _answer(description: str, schema: dict[str, Any], media: str) -> dict[str, Any]:
    return {"description": description, "content": {media: {"schema": schema}}}
