"""The corpus to pretrain on: documents in windows, each as it is and with one person changed (section 5.1 of the paper).

documents  ->  windows of 256 tokens  ->  Algorithm 1 on each window  ->  pairs of texts, most of them equal
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from longway.data import load
from longway.jobs.engine_use import Engines
from longway.jobs.perturb.perturbers import who_perturbs
from longway.jobs.perturb.perturbing import Perturbing
from longway.jobs.perturb.settings import PerturbSettings
from longway.methods.perturb.windows import WINDOW, windows_of
from longway.store import Journal


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a document, before and after its perturbation.

    document: the number of its document. after: the same as before if nothing was changed. change: axis, source and target attribute; empty if
    nothing was changed. stayed: why nothing was changed, or "".
    """

    document: int
    before: str
    after: str
    change: tuple[str, ...] = ()
    stayed: str = ""


def cut(documents: Iterable[str], *, most: int = WINDOW) -> list[tuple[int, str]]:
    """The windows of all documents, each with the number of its document."""
    return [
        (number, window)
        for number, document in enumerate(documents)
        for window in windows_of(document, most=most)
    ]


def perturb_windows(
    windows: Sequence[tuple[int, str]],
    settings: PerturbSettings,
    *,
    engines: Engines | None = None,
    journal: Journal | None = None,
    cache: Path | None = None,
    progress: Callable[[int, int], object] = lambda done, of: None,
    step: Callable[[str], object] = lambda name: None,
) -> list[Window]:
    """Change one person in each window that mentions one.

    engines: where a network computes. journal: stores the answers of a network. cache: the file that stores analyses; deleted at the end.
    """
    if not windows:
        return []
    who = who_perturbs(settings, engines or Engines())
    rows = [
        {"id": str(place), "text": text, "document": str(number)}
        for place, (number, text) in enumerate(windows)
    ]
    dataset = load(rows, text="text", label="document", id="id", context="", split="")
    step("reading who is mentioned")
    perturbing = Perturbing(dataset, who.settings, cache=cache, progress=progress)
    perturber = who.perturber(journal=journal or Journal(None), asker=None, read=perturbing.documents)
    step("perturbing")
    made: list[Window] = []
    for (number, before), outcome in zip(windows, perturbing.run(perturber), strict=True):
        taken = outcome.taken
        if taken is None:
            made.append(Window(number, before, before, (), outcome.stayed))
            continue
        source, target = taken.request.source, taken.request.target
        (after,) = taken.perturbed.segments
        made.append(Window(number, before, after, (target.axis, source.name, target.name)))
    perturbing.documents.forget()
    return made
