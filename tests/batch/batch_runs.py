"""What tests of batches share: questions in batch files without any dataset, and the commands on a small one."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from typer.testing import CliRunner

from longway.batch.answer_files import AnswerCollector
from longway.batch.request_files import BatchFolder, RequestWriter
from longway.batch.rewrite_batch import BatchAsker, BatchCosts
from longway.cli.batch import app
from longway.engines.engine import Sampling
from longway.jobs.rewrite.settings import RewriteSettings
from longway.verify import wordforms
from tests.batch.batch_server import answered, lines_of
from tests.engines.conftest import judging, writing
from tests.engines.loopback import Call, echo
from tests.environment import without_encoder
from tests.jobs import toy_run

TEXTS = [f"Film {number} was dull." for number in range(8)]
LABELS = ("neg", "pos")
HOW = Sampling(temperature=0.4, max_tokens=99, seed=3, sample=2)
KEY = "sk-canary-0123456789abcdef"
SETTINGS = RewriteSettings(engine="served:toy", paper=True, rounds=2, k=6, candidates=2, stop="never")
OPTIONS = [
    "--engine",
    "served:toy",
    "--paper",
    "--rounds",
    "2",
    "--k",
    "6",
    "--candidates",
    "2",
    "--stop",
    "never",
]


def ask(asker, texts=TEXTS):
    """Write and judge, as a run does."""
    return asker.write_all(writing(*texts), 2, HOW), asker.judge_all(judging(*texts), LABELS)


def put_down(engine, journal, folder, *, texts=TEXTS, budget=None, **limits):
    """The questions of a run in batch files."""
    batch = BatchFolder(folder)
    with RequestWriter(batch, **limits) as files:
        asker = BatchAsker(engine, journal, batch, files, costs=BatchCosts(batch, journal), budget=budget)
        ask(asker, texts)
    return batch


def sent_in(batch, files=None):
    """The lines of the request files."""
    return [line for file in files or batch.files for line in lines_of(batch.path(file))]


def write_lines(path, lines):
    """A file of such lines, given as objects or as they are."""
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


def collect(folder, journal, *answer_lines, missing=False):
    """Read files of such lines, given as objects or as they are; what there was, and what is asked again."""
    batch = BatchFolder(folder)
    collecting = AnswerCollector(batch, journal)
    for lines in answer_lines:
        with TemporaryDirectory() as elsewhere:
            collecting.read(write_lines(Path(elsewhere) / "answers.jsonl", lines))
    if missing:
        collecting.repeat_missing()
    return collecting.collected, sent_in(batch, again) if (again := collecting.finish()) else []


def reply_to(request, answer=echo):
    return answered(request, answer(Call(request["url"], {}, request["body"])))


def toy_data(monkeypatch, tmp_path):
    """A small dataset in a folder of its own, no sentence encoder and no WordNet: they are not the point."""
    without_encoder(monkeypatch)
    monkeypatch.setattr(wordforms, "_antonyms", lambda word: frozenset())
    monkeypatch.chdir(tmp_path)
    return toy_run.write_csv(tmp_path / "reviews.csv", 12)


def run(*args):
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    if result.exception is not None:
        raise result.exception
    return result.output
