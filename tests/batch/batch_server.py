"""A loopback server that takes batches, too: /v1/files and /v1/batches as OpenAI has them.

    with BatchLoopback(answer, outcome=...) as server:
        server.files, server.batches          what was uploaded and begun

`outcome` turns one request line into its answer line, or None where the batch ends without it (as when it expires). Answers come
shuffled; lines with an "error" go to the error file.
"""

from __future__ import annotations

import json
import random
import re

from tests.engines.loopback import Call, Loopback, Reply, echo


def answered(request, reply):
    """The line of an answer file for a request that was answered so."""
    response = {"status_code": reply.status, "request_id": "r", "body": reply.body}
    return {"id": "x", "custom_id": request["custom_id"], "response": response, "error": None}


def failed(request, code, message="no"):
    """The line of an error file for a request that never ran."""
    error = {"code": code, "message": message}
    return {"id": "x", "custom_id": request["custom_id"], "response": None, "error": error}


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class BatchLoopback(Loopback):
    """The server. looks: how often a batch is looked at before it is done. status: in which it ends."""

    def __init__(self, answer=echo, *, outcome=None, looks=0, status="completed", errors=None, **more):
        super().__init__(answer, **more)
        self.outcome = outcome or (lambda request: answered(request, self.chat(request)))
        self.looks, self.status, self.errors = looks, status, errors
        self.files, self.batches = {}, {}
        self.order = random.Random(0)
        self.requests = []  # (method, path) of everything that is no chat

    def chat(self, request):
        """What the server would have answered to this request alone."""
        return self.answer(Call(request["url"], {}, request["body"]))

    async def _read(self, reader):
        head = await reader.readuntil(b"\r\n\r\n")
        first, *rest = head.decode("latin-1").split("\r\n")
        headers = {line.split(": ", 1)[0].lower(): line.split(": ", 1)[1] for line in rest if ": " in line}
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while size := int((await reader.readline()).strip() or b"0", 16):
                body += await reader.readexactly(size)
                await reader.readline()
            await reader.readline()
        else:
            body = await reader.readexactly(int(headers.get("content-length", 0)))
        method, path, _ = first.split(" ")
        call = Call(
            path, headers, {} if "multipart" in headers.get("content-type", "") else json.loads(body or b"{}")
        )
        call.method, call.raw = method, body
        return call

    async def _reply(self, call, writer):
        if "/chat/" in call.path:
            return await super()._reply(call, writer)
        self.requests.append((call.method, call.path.split("?")[0]))
        return await self._send(self._routed(call), writer)

    def _routed(self, call):
        path = call.path.split("?")[0].removeprefix("/v1")
        if call.method == "POST" and path == "/files":
            return self._uploaded(call)
        if call.method == "POST" and path == "/batches":
            return Reply(self._begun(call.body["input_file_id"], call.body["endpoint"]))
        if path == "/batches":
            return Reply({"object": "list", "data": list(map(self._shown, self.batches)), "has_more": False})
        if found := re.fullmatch(r"/batches/([\w-]+)", path):
            self.batches[found[1]]["looks"] -= 1
            return Reply(self._shown(found[1]))
        if found := re.fullmatch(r"/files/([\w-]+)/content", path):
            return Reply(raw=self.files[found[1]])
        return Reply({"error": {"message": "no such thing"}}, status=404)

    def _uploaded(self, call):
        boundary = re.search(r"boundary=(\S+)", call.headers["content-type"])[1].strip('"').encode()
        parts = call.raw.split(b"--" + boundary)
        content = next(part for part in parts if b'name="file"' in part).split(b"\r\n\r\n", 1)[1][:-2]
        assert any(b'name="purpose"' in part and b"batch" in part for part in parts)
        return Reply(self._file(content))

    def _file(self, content):
        name = f"file-{len(self.files) + 1}"
        self.files[name] = content
        return {
            "id": name,
            "object": "file",
            "bytes": len(content),
            "created_at": 0,
            "filename": "x",
            "purpose": "batch",
        }

    def _begun(self, file_id, endpoint):
        name = f"batch-{len(self.batches) + 1}"
        results = [self.outcome(json.loads(line)) for line in self.files[file_id].splitlines()]
        assert all(json.loads(line)["url"] == endpoint for line in self.files[file_id].splitlines())
        self.order.shuffle(results)
        kinds = {"output_file_id": lambda r: not r["error"], "error_file_id": lambda r: r["error"]}
        written = {}
        for key, belongs in kinds.items():
            lines = [json.dumps(result) for result in results if result and belongs(result)]
            written[key] = self._file("\n".join(lines).encode())["id"] if lines else None
        self.batches[name] = {"file": file_id, "looks": self.looks, "written": written}
        return self._shown(name)

    def _shown(self, name):
        batch = self.batches[name]
        is_done = batch["looks"] < 0
        return {
            "id": name, "object": "batch", "endpoint": "/v1/chat/completions", "completion_window": "24h",
            "created_at": 0, "input_file_id": batch["file"], "status": self.status if is_done else "in_progress",
            "errors": {"object": "list", "data": [{"message": m} for m in self.errors or ()]},
            **(batch["written"] if is_done else {}),
        }  # fmt: skip
