"""The application: one page after another of a run folder, as HTML and as JSON, and what people decide there.

    GET  /edits?label=...      routes.PAGES    -> pages.PAGES["edits"](book, values) -> Shown -> pages.render() or its data as .json
    POST /decide               routes.ACTIONS  -> fields checked -> book.decisions ...        -> {"ok": true, "decision": {...}}
    GET  /export/dataset       routes.EXPORTS  -> export.py writes into a new folder          -> a file of a fixed name
    GET  /static/review.css    a fixed dict of files, read at the start

Values of the path and values behind the ? reach a page as one dict of texts. An answer to a form goes back to its page (`back`);
an answer to a JSON body is JSON. Errors of ours are told as they are; what else goes wrong is the guard's to hide.
"""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
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

from longway.data.compression import SUFFIXES
from longway.data.formats import KINDS
from longway.errors import LongwayError
from longway.review import pages, routes
from longway.review.book import Book, EditFilter, LookupFailed
from longway.review.chosen import Undecided
from longway.review.decisions import Conflict, Decision
from longway.review.export import dataset_name, export_csv, export_dataset, export_json
from longway.review.fields import FORM, JSON, BadRequest, read_body, read_fields
from longway.review.openapi import openapi
from longway.review.sampling import draw_sample, tag, undo


def application(book: Book, *, author: str) -> Starlette:
    """The review of a run folder, for the guard to stand before. author: who decides here."""
    described, static = openapi(), pages.static_files()

    async def describe(request: Request) -> Response:
        return _json(described)

    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in static:
            raise HTTPException(404)
        content, kind = static[name]
        return Response(content, media_type=kind)

    made = [Route("/openapi.json", describe), Route("/static/{name}", file)]
    for name in routes.PAGES:
        made += _page_routes(book, name, author)
    for name in routes.EXPORTS:
        made.append(Route(f"/export/{name}", _export(book, name)))
    for name in routes.ACTIONS:
        made.append(Route(f"/{name}", _action(book, name, author), methods=["POST"]))
    errors = _Errors(book, author)
    return Starlette(
        routes=made, exception_handlers={LongwayError: errors.told, HTTPException: errors.not_found}
    )


def _page_routes(book: Book, name: str, author: str) -> list[Route]:
    """The page and its JSON."""
    view = pages.PAGES[name]

    async def as_html(request: Request) -> Response:
        query = _query(name, request, author)
        around = {"path": request.scope["raw_path"].decode("ascii"), "author": author}

        def render() -> str:
            return pages.render(view(book, query), book, around)

        return HTMLResponse(await run_in_threadpool(render))

    async def as_json(request: Request) -> Response:
        query = _query(name, request, author)
        return _json((await run_in_threadpool(view, book, query)).data)

    if (
        name == "data/{id}"
    ):  # an id can be any text: a "/" is one of its letters, and its own ".json" is written %2Ejson

        async def either(request: Request) -> Response:
            if not request.scope["raw_path"].endswith(b".json"):
                return await as_html(request)
            request.path_params["id"] = request.path_params["id"].removesuffix(".json")
            return await as_json(request)

        return [Route("/data/{id:path}", either)]
    return [Route(f"/{name or 'overview'}.json", as_json), Route(f"/{name}", as_html)]


def _query(name: str, request: Request, author: str) -> dict[str, str]:
    """The values in the address, checked for size and kind, and who asks; values that no page knows are left out."""
    given = {key: value for key, value in request.query_params.items() if key in routes.PAGES[name]}
    read = read_fields({key: value for key, value in given.items() if value}, routes.PAGES[name])
    return {**read, **request.path_params, "author": author}


def _action(book: Book, name: str, author: str) -> Callable[[Request], Any]:
    act = ACTIONS[name]

    async def endpoint(request: Request) -> Response:
        body, is_form = read_body(await request.body(), request.headers.get("content-type", ""))
        values = read_fields(body, routes.ACTIONS[name])
        back = values.pop("back", None)
        answer = await run_in_threadpool(act, book, author, **values)
        if is_form and back is not None:
            place = quote(back, safe="/?&=%+#")
            return RedirectResponse(f"http://{request.headers['host']}{place}", status_code=303)
        return _json({"ok": True, **answer})

    return endpoint


def _decide(
    book: Book, author: str, *, kind: str, key: str, choice: str, seen: int | None = None
) -> dict[str, Any]:
    if choice not in CHOICES[kind]:
        raise BadRequest(f"choice of a {kind} must be one of: {', '.join(CHOICES[kind])}.")
    (book.edit if kind == "edit" else book.finding)(key)  # LookupFailed where there is none
    return _decision(book.decisions.write(kind, key, {"choice": choice}, author=author, seen=seen))


def _decide_many(
    book: Book, author: str, *, kind: str, filter: dict[str, str], choice: str
) -> dict[str, Any]:
    keys = book.keys(EditFilter(**filter))
    written = book.decisions.write_many(kind, {key: {"choice": choice} for key in keys}, author=author)
    return {"written": len(written), "batch": written[0].batch if written else None}


def _undo(book: Book, author: str, *, batch: int | None = None) -> dict[str, Any]:
    written = undo(book, author=author, batch=batch)
    return {"written": len(written), "decisions": [asdict(one) for one in written[:100]]}


def _hand(book: Book, author: str, *, key: str, text: str, seen: int | None = None) -> dict[str, Any]:
    from longway.review.hand_edit import write_by_hand  # only now: it brings models with it

    return _decision(write_by_hand(book, key, text, author=author, seen=seen))


def _prepare(book: Book, author: str, *, key: str) -> dict[str, Any]:
    """Somebody begins to write by hand: what checks it gets ready meanwhile."""
    book.edit(key)  # LookupFailed where there is none

    def work() -> None:
        from longway.review.hand_edit import prepare

        with suppress(LongwayError):  # told again to who sends a text
            prepare(book, key)

    threading.Thread(target=work, daemon=True).start()
    return {}


def _sample(book: Book, author: str, *, name: str, size: int, seed: int) -> dict[str, Any]:
    return _decision(draw_sample(book, name=name, size=size, seed=seed, author=author))


def _tag(
    book: Book, author: str, *, sample: str, key: str, tags: list[str], seen: int | None = None
) -> dict[str, Any]:
    return _decision(tag(book, sample, key, tags, author=author, seen=seen))


CHOICES = {"edit": ("accept", "reject", "none"), "finding": ("signal", "shortcut", "none")}
ACTIONS: dict[str, Callable[..., dict[str, Any]]] = {
    "decide": _decide,
    "decide-many": _decide_many,
    "undo": _undo,
    "prepare": _prepare,
    "hand": _hand,
    "sample": _sample,
    "tag": _tag,
}


def _decision(decision: Decision) -> dict[str, Any]:
    return {"decision": asdict(decision)}


def _export(book: Book, name: str) -> Callable[[Request], Any]:
    """Writes one export into a folder of its own and sends it under a name of ours."""

    async def endpoint(request: Request) -> Response:
        asked = read_fields(
            {key: value for key, value in request.query_params.items() if key == "undecided"},
            {"undecided": routes.UNDECIDED},
        )
        folder = tempfile.TemporaryDirectory(prefix="longway-review-")  # only this user can read it
        try:
            path = await run_in_threadpool(
                EXPORTS[name], book, Path(folder.name), asked.get("undecided", "as_run")
            )
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


def _dataset(book: Book, folder: Path, undecided: Undecided) -> Path:
    ending = dataset_name(book).partition(".")[2]
    if ending not in DATASET_ENDINGS:  # a name can be anything: it goes into a header
        raise BadRequest("The dataset of this run has an ending that is not known. Rename it and try again.")
    return export_dataset(book, folder / f"dataset-reviewed.{ending}", undecided=undecided)


def _edits_csv(book: Book, folder: Path, undecided: Undecided) -> Path:
    return export_csv(book, folder / "edits-reviewed.csv")


def _everything(book: Book, folder: Path, undecided: Undecided) -> Path:
    return export_json(book, folder / "everything-reviewed.json")


DATASET_ENDINGS = {(kind + packed)[1:] for kind in KINDS for packed in ("", *SUFFIXES)}
EXPORTS = {"dataset": _dataset, "edits.csv": _edits_csv, "everything.json": _everything}


class _Errors:
    """Answers to what went wrong: JSON to who sent JSON or asked for it, a page with the way on to a person."""

    def __init__(self, book: Book, author: str) -> None:
        self.book, self.author = book, author

    def told(self, request: Request, error: Exception) -> Response:
        """An error of ours, in its own words."""
        if isinstance(error, Conflict):
            current = None if error.current is None else asdict(error.current)
            return self._answer(request, 409, str(error), current=current)
        status = 404 if isinstance(error, LookupFailed) else getattr(error, "status", 400)
        return self._answer(request, status, str(error))

    def not_found(self, request: Request, error: Exception) -> Response:
        """An address that there is not."""
        status = getattr(error, "status_code", 404)
        words = {404: "There is no such page.", 405: "This cannot be done here."}
        return self._answer(request, status, words.get(status, "This cannot be answered."))

    def _answer(self, request: Request, status: int, message: str, **more: Any) -> Response:
        sent = request.headers.get("content-type", "")
        is_page = request.method != "POST" and not request.url.path.endswith(".json")
        if is_page or sent.startswith(FORM):
            page = pages.render_error(message, self.book, author=self.author)
            return HTMLResponse(page, status_code=status)
        return _json({"error": message, **more}, status=status)


def _json(value: Any, *, status: int = 200) -> Response:
    """JSON that stays JSON wherever a browser may be led to put it: no "<" and no letter beyond ASCII."""
    try:
        text = json.dumps(value, allow_nan=False, default=str)
    except ValueError:
        text = json.dumps(_finite(value), allow_nan=False, default=str)
    return Response(text.replace("<", "\\u003c"), status_code=status, media_type=JSON)


def _finite(value: Any) -> Any:
    """The value with null for numbers that JSON does not have."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value
