"""The cases of a recording: which commands run, on what data, with which options.

Every case is a function that is given its `Case` and runs commands in its folder; data lies beside it, in `../data`. Paths are relative, so
that they are the same in every recording. A case may use the run folder of a case before it: `NEEDS`.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.golden import real_data
from tests.golden.answers import serving

SAMPLES = ("claims", "reviews")
SERVED = ("--engine", "served:golden-1", "--budget", "5", "--yes")
CASES: dict[str, Callable[[Any], None]] = {}
NEEDS: dict[str, str] = {}


def chosen(only: list[str] | None) -> list[str]:
    """The names of all cases, or of those that contain one of these texts and the cases they need, in order."""
    named = {name for name in CASES if only is None or any(part in name for part in only)}
    while more := {NEEDS[name] for name in named if name in NEEDS} - named:
        named |= more
    return [name for name in CASES if name in named]


def write_data(folder: Path) -> None:
    """The samples, versions of them in other formats or with shorter texts, and small benchmarks of our own."""
    import polars as pl

    from longway.sample import sample_path

    folder.mkdir(parents=True, exist_ok=True)
    rows = {}
    for sample in SAMPLES:
        text = sample_path(sample).read_text(encoding="utf-8")
        (folder / f"{sample}.jsonl").write_text(text, encoding="utf-8")
        rows[sample] = [json.loads(line) for line in text.splitlines()]
        _write_lines(
            folder / f"{sample}-test.jsonl", [row for row in rows[sample] if row["split"] != "train"]
        )
    reviews = [row for row in rows["reviews"] if row["split"] == "train"][:90]
    pl.DataFrame(reviews).write_csv(folder / "reviews.csv")
    pl.DataFrame(rows["claims"]).write_parquet(folder / "claims.parquet")
    short = [
        row | {"evidence": _words(row["evidence"], 7), "claim": _words(row["claim"], 7)}
        for row in rows["claims"]
    ]
    _write_lines(folder / "short-claims.jsonl", short)
    train = [row for row in rows["claims"] if row["split"] == "train"]
    given = [
        {"id": row["id"], "text": f"In fact, {row['claim']}", "label": row["label"]} for row in train[:20]
    ]
    pl.DataFrame(given).write_csv(folder / "given.csv")
    _write_benchmarks(folder)
    if real_data.is_here():
        real_data.write_data(folder)


def _words(text: str, n: int) -> str:
    return " ".join(text.split()[:n])


def _write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _write_benchmarks(folder: Path) -> None:
    from tests.jobs.people_benchmarks import TESTS

    _write_lines(folder / "weat.jsonl", TESTS[:1])
    holistic: dict[str, dict[str, Any]] = {
        "descriptors.json": {"age": {"all": ["young", "old"]}, "place": {"all": ["urban", "rural"]}},
        "nouns.json": {
            "female": [["woman", "women"]],
            "male": [["man", "men"]],
            "neutral": [["person", "people"]],
        },
        "standalone_noun_phrases.json": {"place": ["{article} {noun} from the hills"]},
        "sentence_templates.json": {
            "I'm {noun_phrase}.": {},
            "I like {plural_noun_phrase}.": {"must_be_noun": True},
        },
    }
    (folder / "holistic").mkdir(exist_ok=True)
    for name, content in holistic.items():
        (folder / "holistic" / name).write_text(json.dumps(content), encoding="utf-8")


def _add(name: str, *arguments: str, served: bool = False, needs: str | None = None, **options: Any) -> None:
    """A case that is one command, first printed as tables and then as JSON."""

    def run(case: Any) -> None:
        if not served:
            case.command(*arguments, "--out", "run", **options)
            return
        with serving(case.folder / "requests.jsonl") as url:
            case.command(*arguments, *SERVED, "--base-url", url, "--out", "run", **options)

    CASES[name] = run
    if needs is not None:
        NEEDS[name] = needs


def _both(name: str, *arguments: str, after: tuple[str, ...] = (), **options: Any) -> None:
    """The same case for both samples; {} is the sample's name. after: arguments of the reviews alone."""
    for sample in SAMPLES:
        more = after if sample == "reviews" else ()
        filled = [argument.replace("{}", sample) for argument in (*arguments, *more)]
        needs = options.get("needs")
        _add(f"{sample}-{name}", *filled, **(options | {"needs": needs and needs.replace("{}", sample)}))


DATA = "../data/{}.jsonl"
CLAIMS, REVIEWS = "../data/claims.jsonl", "../data/reviews.jsonl"

# Audits.
_both("audit", "audit", DATA, "--levels", "-grammar")
_add("claims-audit-stream", "audit", CLAIMS, "--levels", "-grammar", "--stream", "--variant", "token")
_add("claims-audit-grammar", "audit", "../data/short-claims.jsonl", "--limit", "120")
_add(
    "reviews-audit-test",
    *f"audit ../data/reviews.csv --test more={REVIEWS} --levels token,length".split(),
    json=False,
)

# Rewriting.
TWO_ROUNDS = f"rewrite {DATA} --engine rules --rounds 2 --limit 100 --seed 3"
_both("rewrite", *TWO_ROUNDS.split(), after=("--limit", "160"))
_add("reviews-rewrite-leak", "rewrite", REVIEWS, "--engine", "rules", "--rounds", "1", "--limit", "120",
     "--keep", "great", "--balance", "equal")  # fmt: skip
_both("rewrite-eda", "rewrite", DATA, "--method", "eda", "--limit", "120")
_add(
    "claims-rewrite-crossaug", "rewrite", CLAIMS, "--method", "crossaug", "--engine", "rules", "--limit", "60"
)
_add("claims-rewrite-none", "rewrite", "../data/claims.parquet", "--method", "none", json=False)
_add("reviews-rewrite-csv", "rewrite", "../data/reviews.csv", "--engine", "rules", "--paper", "--k", "5", "--rounds", "1", "--space", "token",
     json=False)  # fmt: skip
ROUNDS = ("--paper", "--k", "6", "--rounds", "2", "--stop", "never", "--limit", "60")
_both("rewrite-served", "rewrite", DATA, *ROUNDS, served=True, after=("--limit", "140"))
_both("rewrite-replay", "rewrite", DATA, *ROUNDS, "--engine", "replay:../{}-rewrite-served/run/journal.sqlite",
      after=("--limit", "140"), needs="{}-rewrite-served")  # fmt: skip

# Additions.
MODELS = ("--model", "bow", "--model", "nb", "--model", "dan")
_both("augment", "augment", DATA, "--engine", "rules", "--limit", "30", *MODELS, after=("--limit", "60"))
_both("augment-served", "augment", DATA, "--limit", "30", *MODELS, served=True,
      after=("--variants", "2", "--mixed", "principal", "--set", "balance=yes"))  # fmt: skip
BY_ENGINE = f"augment {CLAIMS} --limit 20 --identify engine --contexts"
_add("claims-augment-contexts", *BY_ENGINE.split(), served=True)
OPPOSITE = f"augment {REVIEWS} --method counterfactual --limit 30"
_add("reviews-augment-counterfactual", *OPPOSITE.split(), served=True)
_add("reviews-augment-eda", "augment", REVIEWS, "--method", "eda", "--limit", "30")
_add(
    "claims-augment-crossaug", "augment", CLAIMS, "--method", "crossaug", "--engine", "rules", "--limit", "40"
)
GIVEN = f"augment {CLAIMS} --method given --rewrites ../data/given.csv --limit 60"
_add("claims-augment-given", *GIVEN.split())

# People.
_both("perturb", "perturb", DATA, "--limit", "120")
_add("claims-perturb-add", "perturb", CLAIMS, "--limit", "80", "--add", "--axis", "gender", "--to", "non-binary", "--keep-entities",
     "--keep-warned", "--set", "sampling=uniform", "--seed", "5")  # fmt: skip
_both("perturb-served", "perturb", DATA, "--limit", "40", served=True)

# Proofs.
PROVE = ("--seeds", "2", "--limit", "100", "--save-models", "--method", "erm")
_add("claims-prove", "prove", CLAIMS, "../claims-rewrite-eda/run", *PROVE, "--test", "test=../data/claims-test.jsonl", "--model", "bow",
     "--method", "poe", "--baseline", "eda", needs="claims-rewrite-eda")  # fmt: skip
_add("reviews-prove", "prove", REVIEWS, "../reviews-rewrite-eda/run", *PROVE, "--test", "test=../data/reviews-test.jsonl", "--model", "bow",
     "--model", "nb", needs="reviews-rewrite-eda")  # fmt: skip
_add("claims-prove-methods", "prove", CLAIMS, "../claims-rewrite-eda/run", "--test", "test=../data/claims-test.jsonl", "--model", "bow",
     "--method", "rew", "--method", "jtt", "--method", "drift", "--method", "clever", "--method", "dro", "--seeds", "1", "--limit", "80",
     "--fairscore", "--device", "cpu", needs="claims-rewrite-eda")  # fmt: skip
FAIRSCORE = f"--model ../{{}}-prove/run/models/before-bow-erm-0 --fairscore {DATA} --split test --limit 60"
_both("fairness-classifier", "fairness", *FAIRSCORE.split(), needs="{}-prove")
_add("fairness-encoder", "fairness", "--model", "minilm", "--weat", "../data/weat.jsonl", "--holistic", "../data/holistic", "--axis", "all",
     "--per-descriptor", "8", "--device", "cpu")  # fmt: skip

# Grammars and explanations.
GRAMMAR = "--epochs 1 --nonterminals 4 --preterminals 8 --dimension 16 --device cpu".split()
_add("claims-grammar", "grammar", "../data/short-claims.jsonl", "--limit", "40", *GRAMMAR)
_add("reviews-grammar", "grammar", REVIEWS, "--limit", "40", *GRAMMAR)
_both("explain", "explain", DATA, "--limit", "200", "--rows", "8", "--search", "20", "--samples", "60")
_add("claims-explain-shapley", "explain", CLAIMS, "--limit", "120", "--rows", "4", "--search", "5", "--method", "shapley", "--model", "nb",
     "--model", "bow", "--wrong", "--folds", "2")  # fmt: skip
_add("reviews-explain-gradients", "explain", REVIEWS, "--limit", "120", "--rows", "4", "--search", "5", "--method", "ig", "--model", "dan",
     "--folds", "2")  # fmt: skip

# Real data, with defaults.
if real_data.is_here():
    for _name in (*real_data.TEXTS, real_data.MIXED):
        _data = f"../data/{_name}.jsonl"
        _add(f"real-{_name}-audit", "audit", _data)
        _add(f"real-{_name}-repair", "repair", _data)
        _add(f"real-{_name}-rewrite", "rewrite", _data, "--engine", "rules", "--rounds", "1")
        _add(f"real-{_name}-perturb", "perturb", _data)
        _add(f"real-{_name}-augment", "augment", _data, "--engine", "rules", "--limit", "60", *MODELS)
    for _name in real_data.TEXTS:
        _add(f"real-{_name}-prove", "prove", f"../data/{_name}.jsonl", f"../real-{_name}-repair/run", "--test",
             f"test=../data/{_name}-test.jsonl", "--model", "bow", "--seeds", "2", "--drop-overlap", needs=f"real-{_name}-repair")  # fmt: skip
        _explain = "--rows 8 --search 20 --samples 60".split()
        _add(f"real-{_name}-explain", "explain", f"../data/{_name}.jsonl", *_explain)
    for _name in real_data.CANDIDATES:
        _data = f"../data/{_name}.jsonl"
        _add(f"real-{_name}-audit", "audit", _data)
        _add(f"real-{_name}-repair", "repair", _data)
        _repair = f"real-{_name}-repair"
        _add(f"real-{_name}-prove", "prove", _data, f"../{_repair}/run", "--seeds", "2", needs=_repair)


def _review(case: Any, run: str) -> None:
    """Decide on findings and edits of a run on the review's page, export, and rewrite again with the decisions."""
    import shutil

    shutil.copytree(case.folder.parent / run / "run", case.folder / "reviewed")
    name = case.name_of(("review",))
    process = case.start(name, ("review", "reviewed", "--no-browser", "--author", "golden"))
    try:
        _decide(case.folder, _address(case.folder / f"{name}.out"))
    finally:
        os.kill(process, signal.SIGINT)
        case.codes[name] = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    sample = run.split("-")[0]
    case.command("rewrite", f"../data/{sample}.jsonl", "--engine", "rules", "--rounds", "1", "--limit", "120",
                 "--decisions", "reviewed", "--out", "run")  # fmt: skip


def _address(printed: Path) -> str:
    for _ in range(1200):
        for word in printed.read_text(encoding="utf-8").split() if printed.exists() else ():
            if word.startswith("http://127.0.0.1:"):
                return word
        time.sleep(0.1)
    raise RuntimeError(f"longway review printed no address: {printed}")


class _Tab:
    """A browser's tab that opened the printed address."""

    def __init__(self, url: str) -> None:
        self.host = url.split("/")[2]
        self.cookie = ""
        response = self._ask("GET", url.split(self.host, 1)[1])
        self.cookie = (response.getheader("set-cookie") or "").split(";")[0]

    def _ask(self, method: str, path: str, body: Any = None) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(self.host, timeout=120)
        headers = {"cookie": self.cookie, "origin": f"http://{self.host}", "content-type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        return connection.getresponse()

    def get(self, path: str) -> bytes:
        return self._ask("GET", path).read()

    def post(self, path: str, **body: Any) -> Any:
        response = self._ask("POST", path, body)
        return {"status": response.status, "answer": json.loads(response.read())}


def _decide(folder: Path, url: str) -> None:
    tab, kept = _Tab(url), folder / "review"
    kept.mkdir()
    pages = ("overview", "findings", "edits", "data", "run")
    for page in pages:
        (kept / f"{page}.json").write_bytes(tab.get(f"/{page}.json"))
    findings = json.loads((kept / "findings.json").read_text(encoding="utf-8"))
    edits = json.loads((kept / "edits.json").read_text(encoding="utf-8"))
    done = []
    for number, key in enumerate(_keys(findings)[:4]):
        choice = ("signal", "shortcut")[number % 2]
        done.append(tab.post("/decide", kind="finding", key=key, choice=choice))
    for number, key in enumerate(_keys(edits)[:6]):
        choice = ("accept", "reject")[number % 2]
        done.append(tab.post("/decide", kind="edit", key=key, choice=choice))
    done.append(tab.post("/decide-many", kind="edit", filter={"status": "refused"}, choice="reject"))
    if len(_keys(edits)) > 6:
        key = _keys(edits)[6]
        done.append(tab.post("/prepare", key=key))
        done.append(tab.post("/hand", key=key, text="Written by hand for the recording."))
    done.append(tab.post("/sample", name="first", size=5, seed=1))
    (kept / "decisions.json").write_text(json.dumps(done, indent=1), encoding="utf-8")
    for page in ("overview", "edits", "findings", "sample", "sample/first"):
        (kept / f"decided-{page.replace('/', '-')}.json").write_bytes(tab.get(f"/{page}.json"))
    (kept / "dataset-as-run.jsonl").write_bytes(tab.get("/export/dataset"))
    (kept / "dataset-accepted.jsonl").write_bytes(tab.get("/export/dataset?undecided=reject"))
    (kept / "edits.csv").write_bytes(tab.get("/export/edits.csv"))
    (kept / "everything.json").write_bytes(tab.get("/export/everything.json"))


def _keys(page: Any) -> list[str]:
    """The keys of the rows of a page, in order."""
    if isinstance(page, dict):
        own = [page["key"]] if isinstance(page.get("key"), str) else []
        return own or [key for value in page.values() for key in _keys(value)]
    return [key for value in page for key in _keys(value)] if isinstance(page, list) else []


for _sample in SAMPLES:
    CASES[f"{_sample}-review"] = lambda case, run=f"{_sample}-rewrite": _review(case, run)
    NEEDS[f"{_sample}-review"] = f"{_sample}-rewrite"
CASES["runs"] = lambda case: case.command("runs", "../claims-rewrite")
NEEDS["runs"] = "claims-rewrite"
