"""Proofs for tests: run one, read its files, render its page."""

import json

from longway import ProveResult
from longway.jobs.prove.job import prove
from longway.report.html import render


def proved(before, after, **options):
    """The folder of a proof, and the content of its results.json."""
    folder = prove(before, after, **options).folder
    return folder, json.loads((folder / "results.json").read_text(encoding="utf-8"))


def render_prove(content):
    """The page of a proof, from the content of a results.json."""
    return render(ProveResult.from_dict(content).page())
