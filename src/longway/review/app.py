"""The application: the pages of a run folder as HTML and as JSON, and the actions on them.

    GET  /edits?label=...      routes.PAGES    -> pages.PAGES["edits"](contents, values)   -> HTML, or its data as .json
    POST /decide               routes.ACTIONS  -> fields checked -> contents.decisions ... -> {"ok": true, "decision": {...}}
    GET  /export/dataset       EXPORTS         -> export.py writes a temporary file        -> a file with a fixed name
    GET  /static/review.css    a fixed dict of files, read at the start

Values of the path and of the query reach a page as one dict of texts. A form is answered with a redirect to its page (`back`), a JSON
body with JSON. Errors of ours are shown as they are; the guard hides all others.
"""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from longway.data.formats import KINDS, SUFFIXES
from longway.errors import LongwayError
from longway.review import pages, routes
from longway.review.chosen import Undecided
from longway.review.decisions import Conflict, Decision, LookupFailed
from longway.review.edit_list import EditFilter
from longway.review.export import dataset_name, export_csv, export_dataset, export_json
from longway.review.routes import FORM, JSON, BadRequest, read_body, read_fields
from longway.review.run_contents import RunContents
from longway.review.sampling import draw_sample, tag, undo

Endpoint = Callable[[Request], Awaitable[Response]]
Answer = dict[str, object]


def application(contents: RunContents, *, author: str) -> Starlette:
    """The review of a run folder, to be put behind the guard. author: who decides here."""
    static = pages.static_files()

    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in static:
            raise HTTPException(404)
        content, kind = static[name]
        return Response(content, media_type=kind)

    table = [Route("/static/{name}", file)]
    for name in routes.PAGES:
        table += _page_routes(contents, name, author)
    for name in EXPORTS:
        table.append(Route(f"/export/{name}", _export(contents, name)))
    for name in routes.ACTIONS:
        table.append(Route(f"/{name}", _action(contents, name, author), methods=["POST"]))

    def on_error(request: Request, error: Exception) -> Response:
        return _error_response(request, error, contents, author)

    return Starlette(routes=table, exception_handlers={LongwayError: on_error, HTTPException: on_error})


def _page_routes(contents: RunContents, name: str, author: str) -> list[Route]:
    """The page and its JSON."""
    view = pages.PAGES[name]

    async def as_html(request: Request) -> Response:
        query = _query(name, request, author)
        path = request.scope["raw_path"].decode("ascii")

        def render() -> str:
            return pages.render(view(contents, query), contents, path=path, author=author)

        return HTMLResponse(await run_in_threadpool(render))

    async def as_json(request: Request) -> Response:
        query = _query(name, request, author)
        return _json((await run_in_threadpool(view, contents, query)).data)

    if name != "data/{id}":
        return [Route(f"/{name or 'overview'}.json", as_json), Route(f"/{name}", as_html)]

    # An id can be any text: it may contain "/", and its own ".json" is written %2Ejson.
    async def either(request: Request) -> Response:
        if not request.scope["raw_path"].endswith(b".json"):
            return await as_html(request)
        request.path_params["id"] = request.path_params["id"].removesuffix(".json")
        return await as_json(request)

    return [Route("/data/{id:path}", either)]


def _query(name: str, request: Request, author: str) -> dict[str, Any]:
    """The values of the address, checked, and who is looking; unknown parameters are ignored."""
    known = routes.PAGES[name]
    given = {key: value for key, value in request.query_params.items() if key in known and value}
    return {**read_fields(given, known), **request.path_params, "author": author}


def _action(contents: RunContents, name: str, author: str) -> Endpoint:
    act = ACTIONS[name]

    async def endpoint(request: Request) -> Response:
        body, is_form = read_body(await request.body(), request.headers.get("content-type", ""))
        values = read_fields(body, routes.ACTIONS[name])
        back = values.pop("back", None)
        done = await run_in_threadpool(act, contents, author=author, **values)
        answer = {"decision": done.to_dict()} if isinstance(done, Decision) else done
        if is_form and back is not None:
            place = quote(back, safe="/?&=%+#")
            return RedirectResponse(f"http://{request.headers['host']}{place}", status_code=303)
        return _json({"ok": True, **answer})

    return endpoint


def _decide(
    contents: RunContents, *, author: str, kind: str, key: str, choice: str, seen: int | None = None
) -> Decision:
    if choice not in CHOICES[kind]:
        raise BadRequest(f"choice of a {kind} must be one of: {', '.join(CHOICES[kind])}.")
    (contents.edits.get if kind == "edit" else contents.finding)(key)  # raises LookupFailed
    return contents.decisions.write(kind, key, {"choice": choice}, author=author, seen=seen)


def _decide_many(
    contents: RunContents, *, author: str, kind: str, filter: dict[str, str], choice: str
) -> Answer:
    keys = contents.edits.keys(EditFilter(**filter))
    written = contents.decisions.write_many(kind, {key: {"choice": choice} for key in keys}, author=author)
    return {"written": len(written), "batch": written[0].batch if written else None}


def _undo(contents: RunContents, *, author: str, batch: int | None = None) -> Answer:
    written = undo(contents, author=author, batch=batch)
    return {"written": len(written), "decisions": [decision.to_dict() for decision in written[:100]]}


def _hand(contents: RunContents, *, author: str, key: str, text: str, seen: int | None = None) -> Decision:
    from longway.review.hand_edit import write_by_hand  # imports models

    return write_by_hand(contents, key, text, author=author, seen=seen)


def _prepare(contents: RunContents, *, author: str, key: str) -> Answer:
    """A reviewer starts to edit by hand: train the checks meanwhile."""
    contents.edits.get(key)  # raises LookupFailed

    def work() -> None:
        from longway.review.hand_edit import prepare

        with suppress(LongwayError):  # reported when the text is sent
            prepare(contents, key)

    threading.Thread(target=work, daemon=True).start()
    return {}


CHOICES = {"edit": ("accept", "reject", "none"), "finding": ("signal", "shortcut", "none")}
ACTIONS: dict[str, Callable[..., Decision | Answer]] = {
    "decide": _decide,
    "decide-many": _decide_many,
    "undo": _undo,
    "prepare": _prepare,
    "hand": _hand,
    "sample": draw_sample,
    "tag": tag,
}


def _export(contents: RunContents, name: str) -> Endpoint:
    """Writes one export into a temporary folder and sends it under a fixed name."""

    async def endpoint(request: Request) -> Response:
        given = {key: value for key, value in request.query_params.items() if key == "undecided"}
        undecided = read_fields(given, {"undecided": routes.UNDECIDED}).get("undecided", "as_run")
        folder = tempfile.TemporaryDirectory(prefix="longway-review-")  # readable by this user only
        try:
            path = await run_in_threadpool(EXPORTS[name], contents, Path(folder.name), undecided)
        except BaseException:
            folder.cleanup()
            raise
        return FileResponse(
            path,
            media_type="application/octet-stream",
            filename=path.name,
            background=BackgroundTask(folder.cleanup),
        )

    return endpoint


def _export_dataset(contents: RunContents, folder: Path, undecided: Undecided) -> Path:
    ending = dataset_name(contents).partition(".")[2]
    if ending not in DATASET_ENDINGS:  # a name can be anything, and this one goes into a header
        raise BadRequest("The dataset of this run has an unknown file ending. Rename it and try again.")
    return export_dataset(contents, folder / f"dataset-reviewed.{ending}", undecided=undecided)


DATASET_ENDINGS = {(kind + packed)[1:] for kind in KINDS for packed in ("", *SUFFIXES)}
EXPORTS: dict[str, Callable[[RunContents, Path, Undecided], Path]] = {
    "dataset": _export_dataset,
    "edits.csv": lambda contents, folder, _: export_csv(contents, folder / "edits-reviewed.csv"),
    "everything.json": lambda contents, folder, _: export_json(contents, folder / "everything-reviewed.json"),
}


def _error_response(request: Request, error: Exception, contents: RunContents, author: str) -> Response:
    """An error as JSON for scripts, as a page for people."""
    status, message, more = _described(error)
    content_type = request.headers.get("content-type", "")
    is_page = request.method != "POST" and not request.url.path.endswith(".json")
    if is_page or content_type.startswith(FORM):
        return HTMLResponse(pages.render_error(message, contents, author=author), status_code=status)
    return _json({"error": message, **more}, status=status)


def _described(error: Exception) -> tuple[int, str, Answer]:
    """The status of an error, its message, and what else JSON holds."""
    if isinstance(error, HTTPException):
        words = {404: "There is no such page.", 405: "This method is not allowed here."}
        return error.status_code, words.get(error.status_code, "This request cannot be answered."), {}
    if isinstance(error, Conflict):
        return 409, str(error), {"current": None if error.current is None else error.current.to_dict()}
    if isinstance(error, BadRequest):
        return error.status, str(error), {}
    return 404 if isinstance(error, LookupFailed) else 400, str(error), {}


def _json(value: object, *, status: int = 200) -> Response:
    """JSON that is safe wherever a browser may put it: without "<" and in ASCII."""
    try:
        text = json.dumps(value, allow_nan=False, default=str)
    except ValueError:
        text = json.dumps(_finite(value), allow_nan=False, default=str)
    return Response(text.replace("<", "\\u003c"), status_code=status, media_type=JSON)


def _finite(value: Any) -> Any:
    """The value with null for numbers that JSON cannot represent."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value
