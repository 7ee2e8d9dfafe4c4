"""Small datasets and readings for all tests."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

# Where each core has a test process of its own, threads of libraries would only wait for each other. Each process keeps to its core,
# so that libraries that count cores (the encoder's, the small model's) start one thread.
if worker := os.environ.get("PYTEST_XDIST_WORKER"):
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[int(worker.removeprefix("gw")) % len(cores)]})

os.environ.pop(
    "COLUMNS", None
)  # test processes are started with one; output is as wide as where there is no terminal

import pytest
from hypothesis import settings

from longway.data import load
from longway.detect.leak import folds_for
from longway.detect.reading import Reading
from tests.engines.loopback import Loopback
from tests.environment import without_encoder, without_settings_of_the_user
from tests.jobs.toy_run import answer

# Slow machines are no failure; and what CI tries is the same each time, so that red means that something changed.
IS_CI = bool(os.environ.get("CI"))
# Ten times as many examples are tried by `make soak`.
settings.register_profile("longway", deadline=None, derandomize=IS_CI, max_examples=30)
settings.register_profile("thorough", deadline=None, max_examples=300)
settings.load_profile("longway")

# What takes longest goes first: at the end one process would be left alone with it.
FIRST = ("tests/test_docs.py::", "tests/test_scripts.py::", "tests/faults/test_campaign.py::")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
# The modules of a paper are in no package.
for paper in ("perturbation", "grammar", "razor"):
    sys.path.append(str(Path(__file__).resolve().parents[1] / "papers" / paper))


def pytest_collection_finish():
    """Thousands of tests and their modules stay until the end: the garbage collector need not look at them again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: not item.nodeid.startswith(FIRST))


@pytest.fixture(scope="session", autouse=True)
def no_grammar_in_audits():
    """A grammar takes up to a minute, so that audits and repairs of tests do without; the tests of that level ask for it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("longway.jobs.repair.job.parsed_sample", lambda *args, **options: (None, []))
        patch.setattr("longway.jobs.audit.job.grammar_detector", lambda *args, **options: (None, []))
        yield


@pytest.fixture(scope="session", autouse=True)
def few_folds():
    """Leaks of 2 models in place of 50, which take most of the time of an audit; `all_folds` is for tests of their size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("longway.detect.leak.folds_for", lambda n_rows, n_labels: (2, 1))
        yield


@pytest.fixture(scope="module")
def all_folds():
    """Leaks as users get them, in a whole file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("longway.detect.leak.folds_for", folds_for)
        yield


@pytest.fixture(scope="module")
def few_repeats():
    """Leaks of candidates by two cross-validations in place of five, for files whose subject is something else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("longway.detect.choices.leak.REPEATS", 2)
        patch.setattr("longway.methods.choices.drop.REPEATS", 2)
        yield


@pytest.fixture(scope="session", autouse=True)
def short_pauses():
    """Servers of tests that fail are asked again at once: a call that fails six times would wait for half a minute."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("longway.engines.served.LONGEST_BACKOFF", 0.02)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_certificates():
    """Servers of tests use no TLS; reading the certificates anew for each client would take longer than most tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ssl.SSLContext.load_verify_locations", lambda *args, **options: None)
        yield


@pytest.fixture(scope="session")
def shared():
    """Path of a real dataset; the test is skipped, saying so, where it is not there."""

    def path(name):
        if not (SHARED / name).exists():
            pytest.skip(f"the real dataset {name} is not beside the project")
        return SHARED / name

    return path


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """An empty folder; no keys, addresses and prices of whoever runs the tests, no sentence encoder."""
    without_settings_of_the_user(monkeypatch, tmp_path)
    without_encoder(monkeypatch)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server():
    """A server on this machine that writes and judges for the toy reviews."""
    with Loopback(answer) as running:
        yield running


@pytest.fixture
def prices(monkeypatch, tmp_path):
    """The toy model costs 100 dollars for a million tokens."""
    path = tmp_path / "prices.toml"
    path.write_text('[models]\n"toy" = { input = 100.0, output = 100.0 }\n')
    monkeypatch.setenv("LONGWAY_PRICES", str(path))


def dataset_of(texts, labels, contexts=None):
    """A dataset of a few rows."""
    rows = [{"text": text, "label": label} for text, label in zip(texts, labels, strict=True)]
    for row, context in zip(rows, contexts or [], strict=False):
        row["context"] = context
    return load(rows, text="text", label="label", context="context" if contexts else None)


def reading_of(texts, labels, contexts=None):
    """The reading of a few rows."""
    return Reading.of(dataset_of(texts, labels, contexts))


@pytest.fixture(scope="module")
def browser():
    """A real browser; tests that need one are skipped where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api")
    if (chromium := shutil.which("chromium")) is None:
        pytest.skip("chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def new_page(browser):
    """Opens a page of a person of its own: `with new_page(color_scheme="dark") as page`; `page.errors` has what the browser objected to."""

    @contextmanager
    def opened(**settings):
        context = browser.new_context(viewport={"width": 1280, "height": 900}, **settings)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on(
            "console",
            lambda message: (
                page.errors.append(message.text) if message.type in ("error", "warning") else None
            ),
        )
        yield page
        context.close()

    return opened
