"""How long until a page of the review is there? A run of many edits is made and served; every page is asked for, deep ones too.

    python bench/review.py --rows 100000

The run folder is made up (words drawn by Zipf's law, `--seed`), the index, the server and the pages are the real ones. First byte
and whole page are medians of `--times` answers on one connection, after one that warms up. The peer is Python's own http.server
giving a static file of the same size, with Nagle's algorithm off as in ours (else it waits 40 ms): `ratio` is our time over its
time for the whole page.
"""

from __future__ import annotations

import argparse
import functools
import http.client
import http.server
import json
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

import common

LABELS = ("negative", "positive")
CHECKS = ("surface", "meaning", "classifiers")
LIMIT = 300_000  # bytes of a page
FINDINGS = 500


def texts(n: int, words: int, seed: int) -> list[str]:
    random = np.random.default_rng(seed)
    known = np.array([f"w{i:x}{i * 2654435761 % 99991:x}" for i in range(20_000)])
    weight = 1 / np.arange(1, len(known) + 1)
    drawn = random.choice(len(known), size=(n, words), p=weight / weight.sum())
    return [" ".join(line) for line in known[drawn]]


def make_run(folder: Path, n: int, seed: int) -> Path:
    """A finished run with n edits of n rows, every fourth refused, and some findings."""
    from longway.store import Run

    columns = {"text": "text", "context": None, "label": "label", "id": None, "split": None}
    run = Run.open(folder, command="rewrite", settings=columns, fingerprint=f"sha256:made-{n}-{seed}")
    with (folder / "edits.jsonl").open("w") as edits, (folder / "dataset.jsonl").open("w") as rows:
        for i, text in enumerate(texts(n, 30, seed)):
            kept, label = i % 4 != 0, LABELS[i % 2]
            words = text.split()
            after = " ".join([*words[:10], "changed", *words[12:]])
            verdicts = [
                {"check": one, "passed": kept or one != CHECKS[i % 3], "reason": "", "score": 0.5}
                for one in CHECKS
            ]
            edit = {
                "id": str(i), "field": "text", "before": text, "after": after, "label_before": label, "label_after": label,
                "method": "razor", "engine": "rules", "accepted": kept, "reason": "" if kept else CHECKS[i % 3],
                "verdicts": verdicts, "score_before": 0.9, "score_after": 0.4, "round": 1 + i % 3, "how": "", "source": "", "trace": {},
            }  # fmt: skip
            edits.write(json.dumps(edit) + "\n")
            rows.write(
                json.dumps({"text": after if kept else text, "label": label, "longway_id": str(i)}) + "\n"
            )
    run.write("rewrite.json", summary(folder.parent, seed))
    run.write("findings.json", {"findings": [finding(i) for i in range(FINDINGS)]})
    run.finish()
    return folder


def summary(folder: Path, seed: int) -> Any:
    """What a real rewrite, of a few rows, says of itself."""
    from longway.data import load
    from longway.jobs.rewrite.job import rewrite

    rows = [{"text": text, "label": LABELS[i % 2]} for i, text in enumerate(texts(60, 12, seed))]
    rewrite(load(rows, text="text", label="label"), method="eda", out=folder / "few")
    return json.loads((folder / "few" / "rewrite.json").read_text())


def finding(i: int) -> dict[str, Any]:
    scores = {
        "label_share": 0.9,
        "base_rate": 0.5,
        "mutual_information": 0.01,
        "gain": 0.01,
        "z": 9.0,
        "lmi": 0.1,
        "p": 1e-9,
        "q": 1e-8,
    }
    about = {
        "level": "token",
        "pattern": f"w{i:x}",
        "field": "text",
        "match": {"words": [f"w{i:x}"], "place": "", "bound": None, "context": ""},
        "label": LABELS[i % 2],
        "majority_label": LABELS[i % 2],
    }
    return {**about, "count": 1000 - i, **scores, "supporting": ["1", "2"], "counter": ["3"]}


def pages(contents: Any, n: int) -> dict[str, str]:
    """The address of every page by a name for the table."""
    from longway.review.edit_list import EditFilter

    keys = contents.edits.keys(EditFilter())
    finding_key = contents.findings().rows[0].key
    last = -(-n // 25)
    return {
        "overview": "/",
        "findings": "/findings",
        "findings, last page": "/findings?page=1000000",
        "one finding": f"/findings/{finding_key}",
        "edits": "/edits",
        "edits, middle page": f"/edits?page={last // 2}",
        "edits, last page": f"/edits?page={last}",
        "edits, random order, last": f"/edits?order=random&page={last}",
        "edits, one label, last": f"/edits?label=positive&page={last // 2}",
        "edits, refused, a check": "/edits?status=refused&check=meaning",
        "edits, common word": "/edits?search=changed&page=100",
        "edits, rare word": "/edits?search=w4e1f",
        "edits, undecided": f"/edits?choice=none&page={last // 2}",
        "one edit, deep": f"/edits/{keys[n // 2]}",
        "one edit, in a search": f"/edits/{keys[n // 2]}?search=changed",
        "data": "/data",
        "data, last page": f"/data?page={last}",
        "data, search": "/data?search=changed&page=100",
        "one row": f"/data/{n // 2}",
        "run": "/run",
        "sample": "/sample",
    }


def timed(
    connection: http.client.HTTPConnection, address: str, headers: dict[str, str]
) -> tuple[float, float, int]:
    """Seconds to the first byte and to the last, and how many bytes."""
    start = time.perf_counter()
    connection.request("GET", address, headers=headers)
    answer = connection.getresponse()
    first = time.perf_counter() - start
    body = answer.read()
    whole = time.perf_counter() - start
    if answer.status != 200:
        sys.exit(f"{address} answered {answer.status}: {body[:300]!r}")
    return first, whole, len(body)


def measured(port: int, address: str, headers: dict[str, str], times: int) -> tuple[float, float, float, int]:
    """Seconds to the first answer, then medians of first byte and whole page, and the size."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    cold = timed(connection, address, headers)
    warm = [timed(connection, address, headers) for _ in range(times)]
    connection.close()
    return (
        cold[1],
        statistics.median(one[0] for one in warm),
        statistics.median(one[1] for one in warm),
        cold[2],
    )


class Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # as ours: without it every answer waits 40 ms for an acknowledgement

    def log_message(self, *told: Any) -> None:
        pass


def peer_seconds(folder: Path, size: int, times: int) -> float:
    """What http.server takes for a file of this size."""
    (folder / "page.html").write_bytes(b"x" * size)
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        return measured(server.server_address[1], "/page.html", {}, times)[2]
    finally:
        server.shutdown()
        server.server_close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000, help="edits in the run")
    parser.add_argument("--times", type=int, default=9, help="answers per page")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    from longway.review.run_contents import RunContents
    from longway.review.serve import serving

    with tempfile.TemporaryDirectory() as folder:
        run = make_run(Path(folder) / "run", options.rows, options.seed)
        start = time.perf_counter()
        contents = RunContents(run)
        first_opening = time.perf_counter() - start
        contents.close()
        start = time.perf_counter()
        contents = RunContents(run)
        later_opening = time.perf_counter() - start
        print(
            f"{options.rows:,} edits: first opening {first_opening:.1f} s, later ones {later_opening * 1000:.0f} ms"
        )
        print(
            f"{'page':28s} {'first time ms':>13s} {'first byte ms':>13s} {'whole ms':>9s} {'http.server':>11s} {'ratio':>6s} {'KB':>6s} under 300 KB"
        )
        found, sizes, ratios = {}, {}, {}
        with serving(contents) as review:
            cookie = {"cookie": f"{review.guard.cookie_name}={review.guard.cookie}"}
            for name, address in pages(contents, options.rows).items():
                cold, first, whole, size = measured(review.port, address, cookie, options.times)
                peer = peer_seconds(Path(folder), size, options.times)
                found[name], sizes[name], ratios[name] = (cold, first, whole), size, whole / peer
                print(
                    f"{name:28s} {cold * 1000:13.1f} {first * 1000:13.1f} {whole * 1000:9.1f} {peer * 1000:11.2f} {whole / peer:6.1f} "
                    f"{size / 1000:6.1f} {'yes' if size <= LIMIT else 'NO'}"
                )
        contents.close()
    slowest = max(found, key=lambda name: found[name][2])
    common.finish(
        "bench/review.py",
        rows=options.rows,
        index_seconds=round(first_opening, 2),
        open_seconds=round(later_opening, 3),
        slowest_page=slowest,
        slowest_first_byte_ms=round(max(one[1] for one in found.values()) * 1000, 1),
        slowest_whole_ms=round(found[slowest][2] * 1000, 1),
        slowest_cold_ms=round(max(one[0] for one in found.values()) * 1000, 1),
        median_whole_ms=round(statistics.median(one[2] for one in found.values()) * 1000, 1),
        ratio_to_http_server=round(statistics.median(ratios.values()), 1),
        largest_page_kb=round(max(sizes.values()) / 1000, 1),
        pages_over_300_kb=sum(size > LIMIT for size in sizes.values()),
        peak_mb=round(common.peak_mb()),
    )


if __name__ == "__main__":
    main()
