"""What is fuzzed: readers of whatever comes from outside, each with well-formed inputs to start from.

    TARGETS[name].seeds()         inputs that are read well
    TARGETS[name].read(data)      reads one input; only the errors in `may_raise` may come out of it

A file reader gets a file of its own kind in a folder in memory, and is asked for everything a command would ask for.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from longway.data import load
from longway.engines.answers import (
    BadBody,
    completion_of,
    label_of,
    lines_in,
    read_identified,
    read_numbered,
    read_pair,
    read_picked,
    texts_in,
)
from longway.english.triples.triple import BadTriples, parse, parse_pair
from longway.errors import LongwayError
from longway.grammars.trees import brackets, read_brackets
from longway.review.run_folder import read_run
from longway.store import RUN_FILE, Run, list_runs

ANSWERS = (BadBody, BadTriples)
ROWS = [
    {"text": 'a "good" film, really', "label": "pos", "id": 1, "score": 0.5},
    {"text": "a dull\nfilm; n\u00e4ive \U0001f600", "label": "neg", "id": 2, "score": None},
]
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}


@dataclass(frozen=True)
class Target:
    """One reader. share: how much of the executions it gets."""

    seeds: Callable[[], list[bytes]]
    read: Callable[[bytes], object]
    may_raise: tuple[type[Exception], ...]
    share: float = 1.0


def _folder() -> Path:
    """A folder that goes when the process does; in memory where the system has such a place."""
    fast = Path("/dev/shm")
    kept = tempfile.TemporaryDirectory(prefix="longway-fuzz-", dir=fast if fast.is_dir() else None)
    _KEPT.append(kept)
    return Path(kept.name)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []


def file_target(name: str, seeds: Callable[[], list[bytes]], *, share: float = 1.0) -> Target:
    """A file with this name, loaded whole and in pieces."""
    path: Path | None = None

    def read(data: bytes) -> None:
        nonlocal path
        path = path or _folder() / name
        path.write_bytes(data)
        dataset = load(path, stream=len(data) % 2 == 1)
        for table, ids in dataset.tables_with_ids():
            assert table.frame.height == len(ids)

    return Target(seeds, read, (LongwayError,), share)


def run_target(name: str, seeds: Callable[[], list[bytes]], command: str) -> Target:
    """A file of a run folder, read as `longway runs` and `longway review` do."""
    folder: Path | None = None

    def read(data: bytes) -> None:
        nonlocal folder
        if folder is None:
            folder = _folder() / "run"
            folder.mkdir()
            (folder / RUN_FILE).write_bytes(_about(command))
            (folder / "rewrite.json").write_text('{"findings": []}')
        (folder / name).write_bytes(data)
        list_runs(folder.parent)
        Run.finished(folder, command=command, settings={"seed": 0}, fingerprint="x")
        found = read_run(folder)
        assert found.findings() is not None

    return Target(seeds, read, (LongwayError,))


def _about(command: str) -> bytes:
    about = {"command": command, "settings": {"seed": 0, "data": "x"}, "fingerprint": "x", "state": "done"}
    return json.dumps({**about, "started": "2026-01-01", "files": {"rewrite.json": 16}}).encode()


def csv_seeds() -> list[bytes]:
    return [
        b'text,label,id\n"a ""good"" film, really",pos,1\n"a dull\nfilm",neg,2\n',
        b"text,label\r\ngood,1\r\nbad,0\r\n",
        "\ufefftext,label\nna\u00efve,pos\n".encode(),
        b"text,label\ngood\nbad,0,9\n\n\xff\xfe,1\n",
    ]


def tsv_seeds() -> list[bytes]:
    return [seed.replace(b",", b"\t") for seed in csv_seeds()]


def json_seeds() -> list[bytes]:
    return [
        json.dumps(ROWS).encode(),
        json.dumps({"data": ROWS}).encode(),
        b'[{"text": "\\ud800", "label": 1e400}]',
    ]


def jsonl_seeds() -> list[bytes]:
    deep = b'{"text": "x", "label": [[1], {"a": null}], "n": 12345678901234567890123}\n'
    return ["".join(json.dumps(row) + "\n" for row in ROWS).encode(), deep, b'{"text": "x"}\nbroken\n[1]\n']


def parquet_seeds() -> list[bytes]:
    plain, packed = io.BytesIO(), io.BytesIO()
    pq.write_table(pa.table(COLUMNS), plain)
    nested = {
        "text": ["a", "b"],
        "label": [0, 1],
        "l": [[1], None],
        "d": pa.array(["x", "y"]).dictionary_encode(),
    }
    pq.write_table(pa.table(nested), packed, compression="zstd", use_dictionary=False)
    return [plain.getvalue(), packed.getvalue()]


def arrow_seeds() -> list[bytes]:
    made = []
    for new in (pa.ipc.new_file, pa.ipc.new_stream):
        sink = io.BytesIO()
        with new(sink, pa.table(COLUMNS).schema) as writer:
            writer.write_table(pa.table(COLUMNS))
        made.append(sink.getvalue())
    return made


def zst_seeds() -> list[bytes]:
    return [pa.Codec("zstd").compress(seed, asbytes=True) for seed in jsonl_seeds()]


def gz_seeds() -> list[bytes]:
    return [gzip.compress(seed, mtime=0) for seed in csv_seeds()]


def completion_seeds() -> list[bytes]:
    contents = (
        '{"rewrites": ["A dull film.", "It bored me."]}',
        '<think>hm</think>```json\n{"label": "pos"}\n```',
        "1. A dull film.\n2. It bored me.",
        '{"lines": ["1. a | b | c"]}',
    )
    token = {"token": "pos", "logprob": -0.1, "top_logprobs": [{"token": "neg", "logprob": -2.0}]}
    bodies: list[object] = [
        {
            "choices": [
                {"message": {"content": content}, "finish_reason": end, "logprobs": {"content": [token]}}
            ],
            "usage": {"prompt_tokens": 3, "completion_tokens": 4},
        }
        for content in contents
        for end in ("stop", "length")
    ]
    bodies += [{"error": {"message": "no"}}]
    return [json.dumps(body).encode() for body in bodies]


def read_completion(data: bytes) -> None:
    """A server's body, read in all ways."""
    body = data.decode("utf-8", "surrogateescape")
    completion = completion_of(body)
    _try(lambda: texts_in(completion, 2, original="A film."))
    _try(lambda: label_of(completion, ("pos", "neg")))
    _try(lambda: lines_in(completion))


def line_seeds() -> list[bytes]:
    return [
        b"principal: dull, weak\nspurious: Spielberg",
        b"source: 1, 3\ntarget: 2",
        b"context: It rains.\ntext: It is wet.",
        b'1. It rains.\n2. "It is wet."',
        b"1. The soup | was | cold\n2. The waiter | was | rude",
        b"1-1. A man | sleeps |\n2-1. A man | is | awake",
        b"<think>hm</think>```\n1. a | b | c\n```",
    ]


def read_lines(data: bytes) -> None:
    """An answer in lines, read in all ways."""
    text = data.decode("utf-8", "surrogateescape")
    for read in (
        read_identified, lambda one: read_picked(one, 3, 2), read_pair, lambda one: read_numbered(one, 2), parse, parse_pair,
    ):  # fmt: skip
        _try(lambda read=read: read(text))


def _try(call: Callable[[], object]) -> None:
    """Call it; a declared refusal is fine, and the next reader gets its turn."""
    with contextlib.suppress(ANSWERS):
        call()


def tree_seeds() -> list[bytes]:
    return [
        b"(14 (41 a/a) (32 man/woman))",
        b"(3 (40 the) (4 (41 old) (42 film)))",
        "(3 (40 ε/x) (41 a\\{20}b/\\(\\)\\\\))".encode(),
    ]


def read_tree(data: bytes) -> None:
    """A tree; one that can be read is written and read to the same."""
    tree = read_brackets(data.decode("utf-8", "replace"))
    assert read_brackets(brackets(tree)) == tree


TARGETS = {
    "csv": file_target("x.csv", csv_seeds),
    "tsv": file_target("x.tsv", tsv_seeds),
    "json": file_target("x.json", json_seeds),
    "jsonl": file_target("x.jsonl", jsonl_seeds),
    "parquet": file_target("x.parquet", parquet_seeds),
    "arrow": file_target("x.arrow", arrow_seeds),
    "csv.gz": file_target("x.csv.gz", gz_seeds),
    "jsonl.zst": file_target("x.jsonl.zst", zst_seeds),
    "completion": Target(completion_seeds, read_completion, ANSWERS, share=6),
    "lines": Target(line_seeds, read_lines, ANSWERS, share=6),
    "tree": Target(tree_seeds, read_tree, (LongwayError,), share=6),
    "run.json": run_target(RUN_FILE, lambda: [_about("rewrite"), _about("audit")], "rewrite"),
    "rewrite.json": run_target(
        "rewrite.json",
        lambda: [b'{"findings": []}', b'{"findings": [{"level": "token"}], "worse": [1]}'],
        "rewrite",
    ),
}
