"""The tables and figures of the RAZOR paper, each made of rewrites and proofs (papers/razor/experiments.py). See papers/razor/tables.py."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from textwrap import wrap

import numpy as np

import published
from experiments import SMALL, Experiments, changed_pairs, stand_in, trains_in_epochs
from longway.data import Dataset
from longway.jobs.prove.result import ProveResult
from longway.jobs.prove.training import rows_of
from longway.jobs.rewrite.result import RewriteResult
from longway.text.tokenizer import tokenize
from shared_bleu import shared_bleu

Cell = float | int | str | tuple[float, float | None] | None
# The lines of Table 1: version of the training data and training method.
STRATEGIES = {
    "Original": ("before", "erm"),
    "EDA": ("eda", "erm"),
    "CrossAug": ("crossaug", "erm"),
    "ReW": ("before", "rew"),
    "PoE": ("before", "poe"),
    "CLEVER": ("before", "clever"),
    "RAZOR (Llama)": ("second", "erm"),
    "RAZOR (ChatGPT)": ("after", "erm"),
}
OURS = {"FEVER": "FEVER", "FEVER-Adversarial": "Symmetric"}  # the paper's test sets and ours
NAME, CELL, WIDTH = 16, 9, 98  # of the first column, the others, and notes
HALF_UP = 1e-9  # 90.05 is 90.1
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
PHRASE = 4  # words of a phrase that counts as repeated


@dataclass
class Table:
    """What is printed and stored. groups: columns under a common name. rows: name and cells; None is left empty."""

    title: str
    groups: list[tuple[str, list[str]]]
    rows: list[tuple[str, list[Cell]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The table as text."""
        yield self.title
        heads = (
            [(name, CELL * len(columns)) for name, columns in self.groups],
            [(column, CELL) for _, columns in self.groups for column in columns],
        )
        for head in heads:
            yield (" " * NAME + "".join(f"{name:>{width}}" for name, width in head)).rstrip()
        for name, cells in self.rows:
            yield (f"{name:{NAME}}" + "".join(f"{shown(cell):>{CELL}}" for cell in cells)).rstrip()
        for note in self.notes:
            yield from wrap(
                note, WIDTH, initial_indent="  ", subsequent_indent="    ", break_long_words=False
            )


def shown(cell: Cell) -> str:
    """A cell as text: counts as they are, figures with one decimal, a mean with its deviation if it has one.

    >>> shown((87.93, 0.51)), shown((61.24, 0.0)), shown(1200), shown(None)
    ('87.9±0.5', '61.2', '1,200', '')
    """
    if isinstance(cell, tuple | list):
        mean, deviation = cell
        return f"{mean + HALF_UP:.1f}" + (f"±{deviation + HALF_UP:.1f}" if deviation else "")
    if isinstance(cell, float):
        return f"{cell + HALF_UP:.1f}"
    return f"{cell:,}" if isinstance(cell, int) else cell or ""


# The tables


def table_1(runs: Experiments) -> Table:
    written, proofs = fever(runs)
    table = Table("Table 1. Accuracy and F1 on FEVER and FEVER-Adversarial, per cent", model_groups(runs))
    rows = {one.name: one.rows for one in proofs[0].versions}
    for paper_name, test in OURS.items():
        n = next(one.rows for one in proofs[0].tests if one.name == test)
        table.rows.append((f"{paper_name} (ours: {test}, {n:,} test rows)", []))
        for name, figures in published.table_1(paper_name).items():
            version, method = STRATEGIES[name]
            ours = [cell for proof in proofs for cell in both(proof, version, method, test)]
            table.rows.append((name, [*figures, *ours, rows.get(version)]))
    writers = zip(("ChatGPT", "Llama"), written, strict=False)
    table.notes = [
        f"RAZOR ({name}): ours is {note}" for name, one in writers for note in written_notes([one])
    ]
    table.notes += model_notes(runs, proofs)
    return table


def table_2(runs: Experiments) -> Table:
    return nli_table(runs, "2", engine=0)


def table_3(runs: Experiments) -> Table:
    is_second = len(runs.plan.engines) > 1
    table = nli_table(runs, "3", engine=1 if is_second else 0)
    if not is_second:
        table.notes.insert(0, "ours: the same as in Table 2, for want of a second engine (--engine A B)")
    return table


def nli_table(runs: Experiments, number: str, *, engine: int) -> Table:
    """Tables 2 and 3: trained on one set, tested on both."""
    writer = {"2": "ChatGPT", "3": "Llama"}[number]
    title = f"Table {number}. NLI, accuracy and F1: test set (training set); the paper's writer is {writer}"
    table, written, every = Table(title, model_groups(runs)), [], []
    paper = published.table_nli(number)
    for trained in ("MNLI", "SNLI"):
        result = runs.rewritten(trained, engine=engine)
        proofs = runs.proofs(f"nli-{trained}", runs.train(trained), {"after": result.data}, ("MNLI", "SNLI"))
        for test in ("MNLI", "SNLI"):
            for figures, version in zip(paper[f"{test}({trained})"], ("before", "after"), strict=True):
                ours = [cell for proof in proofs for cell in both(proof, version, "erm", test)]
                name = f"{test} ({trained})" if version == "before" else "  w/ RAZOR"
                table.rows.append((name, [*figures, *ours, result.dataset.used]))
        written.append(result)
        every += proofs
    n = ", ".join(f"{one.name} {one.rows:,}" for one in every[0].tests)
    table.notes = [f"test rows: {n}", *written_notes(written), *model_notes(runs, every)]
    return table


def table_4(runs: Experiments) -> Table:
    written, (proof, *_) = fever(runs)
    groups = [("paper", ["FEVER", "Advers."]), ("ours", ["FEVER", "Symm.", "rows"])]
    table = Table("Table 4. Corpus BLEU of the training claims against the test claims", groups)
    claims = {"before": texts_of(runs.train("FEVER")), "after": texts_of(written[0].data)}
    tests = [texts_of(runs.test(test)) for test in OURS.values()]
    rows = {one.name: one.rows for one in proof.versions}
    for name, version in (("Original", "before"), ("RAZOR", "after")):
        ours = [shared_bleu(drawn(claims[version]), drawn(test)) for test in tests]
        table.rows.append((name, [*published.BLEU[name], *ours, rows[version]]))
    table.notes = ["ours: every test claim is a reference of every training claim; the paper does not say"]
    table.notes += written_notes(written[:1])
    return table


def figure_3(runs: Experiments) -> Table:
    result = runs.rewritten("FEVER")
    before, after = changed_pairs(runs.train("FEVER"), result.data, SMALL, seed=runs.plan.seed)
    proofs = runs.proofs("fig3", before, {"after": after}, ("Symmetric",))
    groups = [("claims", ["no, not", "change %"]), *our_groups(runs)]
    table = Table('Fig. 3. "no" and "not" in original and rewritten claims; Symmetric as test set', groups)
    table.rows.append(("paper", [None, published.NEGATIONS]))
    counts = {"before": occurrences(texts_of(before)), "after": occurrences(texts_of(after))}
    change = 100 * (counts["after"] / counts["before"] - 1) if counts["before"] else None
    for name, version in (("Original", "before"), ("RAZOR", "after")):
        ours = [cell for proof in proofs for cell in both(proof, version, "erm", "Symmetric")]
        fall = change if version == "after" else None
        table.rows.append((name, [counts[version], fall, *ours, before.n_used]))
    table.notes = [published.CLAIMS["fig3"], *written_notes([result]), *model_notes(runs, proofs)]
    return table


def figure_4(runs: Experiments) -> Table:
    return curves(runs, "fig4", None, "FEVER", "Fig. 4. FEVER by epoch, tested on FEVER")


def figure_5(runs: Experiments) -> Table:
    return curves(
        runs,
        "fig5",
        SMALL,
        "Symmetric",
        f"Fig. 5. At most {SMALL} rows of FEVER by epoch, tested on Symmetric",
    )


def curves(runs: Experiments, name: str, rows: int | None, test: str, title: str) -> Table:
    """The ablation: the original, RAZOR, and RAZOR in the embedding space, trained for 1, 2, ... epochs."""
    models = [one for one in runs.plan.models if trains_in_epochs(one)]
    if not models:
        models = ["dan"] if find_spec("torch") is not None else list(runs.plan.models)
    before = runs.train("FEVER", rows=rows)
    written = [runs.rewritten("FEVER", rows=rows, embedding=embedding) for embedding in (False, True)]
    versions = {"after": written[0].data, "embedding": written[1].data}
    groups = [(model, ["accuracy", "F1"]) for model in models]
    table = Table(title, [*groups, ("", ["rows"])])
    every: list[ProveResult] = []
    for epoch in range(1, runs.plan.epochs + 1 if any(map(trains_in_epochs, models)) else 2):
        proofs = runs.proofs(name, before, versions, (test,), models=models, epochs=epoch)
        for line, version in (("Original", "before"), ("RAZOR", "after"), ("embedding", "embedding")):
            ours = [cell for proof in proofs for cell in both(proof, version, "erm", test)]
            table.rows.append((f"{epoch} {line}", [*ours, before.n_used]))
        every += proofs
    table.notes = [
        published.CLAIMS[name],
        "embedding: RAZOR with vectors of all-MiniLM-L6-v2",
        "1, 2, ...: the best of so many epochs on a tenth of the training rows",
        *written_notes(written),
        *model_notes(runs, every, models),
    ]
    return table


def figure_6(runs: Experiments) -> Table:
    written = runs.rewritten("FEVER")
    groups = [(model, ["confused"]) for model in runs.plan.models]
    table = Table("Fig. 6. Logits on Symmetric, two principal components: nearer to another label, %", groups)
    versions = {"Original": runs.train("FEVER"), "RAZOR": written.data}
    lines: dict[str, list[Cell]] = {name: [] for name in versions}
    pictures = []
    for model in runs.plan.models:
        logits = [runs.logits(model, data, "Symmetric") for data in versions.values()]
        places = project(np.concatenate(logits))
        labels = label_numbers(runs.test("Symmetric"))
        for name, part in zip(versions, np.split(places, 2), strict=True):
            points = [(x, y, label) for (x, y), label in zip(part.tolist(), labels, strict=True)]
            lines[name].append(100 * confusion(points))
            path = runs.out / f"fig6-{re.sub(r'[^a-z0-9]+', '-', model.lower())}-{name.lower()}.svg"
            path.write_text(picture(points), encoding="utf-8")
            pictures.append(f"picture: {path}")
    table.rows += list(lines.items())
    table.notes = [published.CLAIMS["fig6"], *stand_ins(runs.plan.models), *pictures]
    return table


def rounds_table(runs: Experiments) -> Table:
    result = runs.rewritten("FEVER")
    groups = [("", ["texts", "accepted"]), ("x 1000", ["gamma", "cosine", "KL"]), ("", ["leak %"])]
    table = Table(
        "Rounds. Mean gamma (Eq. 12), mean cosine (Eq. 14) and KL of FEVER, leak of the claims", groups
    )
    for one in result.rounds:
        scores = [
            None if value is None else unit * value
            for value, unit in (
                (one.mean_gamma, 1000),
                (one.objective, 1000),
                (one.kl, 1000),
                (one.leak, 100),
            )
        ]
        table.rows.append((f"round {one.number}", [one.rows, one.accepted, *scores]))
    table.notes = [published.CLAIMS["rounds"], *written_notes([result])]
    return table


def repetition_table(runs: Experiments) -> Table:
    result = runs.rewritten("FEVER")
    before, after = rows_of(runs.train("FEVER")).inputs.texts, rows_of(result.data).inputs.texts
    old = set(before)
    groups = [(test, ["text %", "phrase %"]) for test in OURS.values()]
    table = Table(
        f"Repetition. Training claims in a test set, and their phrases of {PHRASE} words",
        [*groups, ("", ["claims"])],
    )
    tests = [rows_of(runs.test(test)).inputs.texts for test in OURS.values()]
    for name, texts in (
        ("Original", before),
        ("RAZOR", after),
        ("new claims", [t for t in after if t not in old]),
    ):
        shares: list[Cell] = [
            None if x is None else 100 * x for test in tests for x in repetition(texts, test, n=PHRASE)
        ]
        table.rows.append((name, [*shares, len(texts)]))
    table.notes = [published.CLAIMS["repetition"], *written_notes([result])]
    return table


TABLES: dict[str, Callable[[Experiments], Table]] = {
    "1": table_1,
    "2": table_2,
    "3": table_3,
    "4": table_4,
    "fig3": figure_3,
    "fig4": figure_4,
    "fig5": figure_5,
    "fig6": figure_6,
    "rounds": rounds_table,
    "repetition": repetition_table,
}


# Their parts


def fever(runs: Experiments) -> tuple[list[RewriteResult], list[ProveResult]]:
    """FEVER rewritten by each engine, and the proofs of Table 1, which Table 4 uses too."""
    written = [runs.rewritten("FEVER", engine=i) for i in range(len(runs.plan.engines))]
    proofs = runs.proofs(
        "fever",
        runs.train("FEVER"),
        dict(zip(("after", "second"), (one.data for one in written), strict=False)),
        tuple(OURS.values()),
        methods=("erm", "rew", "poe", "clever"),
        baselines=("eda", "crossaug"),
    )
    return written, proofs


def both(proof: ProveResult, version: str, method: str, test: str) -> list[Cell]:
    """Accuracy and F1 of a training, mean and deviation over seeds; None if it was not trained."""
    tested = (version, method, test)
    found = {row.metric: row for row in proof.rows if (row.data, row.method, row.test) == tested}
    cells: list[Cell] = []
    for metric in ("accuracy", f1_metric(proof)):
        if (row := found.get(metric)) is None or row.mean is None:
            cells.append(None)
        else:
            cells.append((100 * row.mean, None if row.std is None else 100 * row.std))
    return cells


def f1_metric(proof: ProveResult) -> str:
    return "binary_f1" if len(proof.labels) == 2 else "macro_f1"


def our_groups(runs: Experiments) -> list[tuple[str, list[str]]]:
    return [*((f"ours: {model}", ["acc", "F1"]) for model in runs.plan.models), ("", ["rows"])]


def model_groups(runs: Experiments) -> list[tuple[str, list[str]]]:
    paper = [(f"paper: {name}", ["acc", "F1"]) for name in published.CLASSIFIERS]
    return [*paper, *our_groups(runs)]


def written_notes(results: Sequence[RewriteResult]) -> list[str]:
    """What rewriting did, and who wrote."""
    return [
        f"rewritten by {one.engine} (judge: {one.judge}): {one.changed:,} of {one.dataset.used:,} texts in "
        f"{len(one.rounds) - 1} rounds; {one.stopped}"
        for one in results
    ]


def model_notes(runs: Experiments, proofs: Sequence[ProveResult], models: Sequence[str] = ()) -> list[str]:
    """Which models stand in for the paper's, which F1 is meant, and what could not be trained."""
    notes = stand_ins(models or runs.plan.models)
    first = proofs[0]
    f1 = f"F1 of {first.labels[-1]}" if len(first.labels) == 2 else "macro F1"
    notes.append(f"F1: {f1}; {runs.plan.seeds} seed{'s' * (runs.plan.seeds != 1)}")
    failed = {
        f"not trained: {one.model}, {one.method}: {one.text}" for proof in proofs for one in proof.failed
    }
    return [*notes, *sorted(failed)]


def stand_ins(models: Sequence[str]) -> list[str]:
    return [f"in place of BERT and RoBERTa, {model}: {stand_in(model)}" for model in models]


def texts_of(dataset: Dataset) -> Sequence[str]:
    return rows_of(dataset).inputs.texts


def label_numbers(dataset: Dataset) -> list[int]:
    return [dataset.labels.index(label) for label in rows_of(dataset).labels]


def drawn(texts: Sequence[str], most: int = 1000) -> list[str]:
    """At most so many of the texts, always the same ones."""
    chosen = np.random.default_rng(0).permutation(len(texts))[:most]
    return [texts[i] for i in sorted(chosen)]


def occurrences(texts: Sequence[str], words: Sequence[str] = ("no", "not")) -> int:
    """How often the words occur in the texts.

    >>> occurrences(["Not now, not here.", "nothing"])
    2
    """
    return sum(tokenize(text).count(word) for text in texts for word in words)


def project(vectors: np.ndarray) -> np.ndarray:
    """The vectors on their first two principal components.

    >>> np.abs(project(np.array([[0.0, 1.0], [0.0, 3.0]]))).tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    centred = vectors - vectors.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    return centred @ directions[:2].T


def picture(points: Sequence[Sequence[float]]) -> str:
    """The points (x, y, label) as an SVG picture, a colour for each label."""
    places = np.array([point[:2] for point in points])
    scaled = 20 + 360 * (places - places.min(axis=0)) / np.maximum(np.ptp(places, axis=0), 1e-9)
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{400 - y:.1f}" r="2.5" fill="{COLOURS[int(label) % len(COLOURS)]}"/>'
        for (x, y), (_, _, label) in zip(scaled, points, strict=True)
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400">{dots}</svg>'


def confusion(points: Sequence[Sequence[float]]) -> float:
    """The share of points (x, y, label) that are nearer to the mean of another label than to that of their own.

    >>> confusion([(0, 0, 0), (1, 0, 0), (9, 0, 1), (0, 0, 1), (9, 0, 1)])
    0.2
    """
    places, labels = np.array([point[:2] for point in points]), np.array([point[2] for point in points])
    names = np.unique(labels)
    means = np.stack([places[labels == name].mean(axis=0) for name in names])
    distances = np.linalg.norm(places[:, None] - means[None], axis=2)
    own = distances[np.arange(len(labels)), np.searchsorted(names, labels)]
    return float((distances.min(axis=1) < own).mean())


def repetition(
    texts: Sequence[str], test: Sequence[str], *, n: int
) -> tuple[float, float] | tuple[None, None]:
    """The shares of texts that are in the test set, and of their phrases of n words that are; None without texts.

    >>> repetition(["It is not so.", "it was so"], ["It was so"], n=2)
    (0.5, 0.3333333333333333)
    """
    if not texts:
        return None, None
    known = [tuple(tokenize(text)) for text in test]
    given = [tuple(tokenize(text)) for text in texts]
    phrases = {phrase for words in known for phrase in _phrases(words, n)}
    mine = [phrase for words in given for phrase in _phrases(words, n)]
    same = set(known)
    return (
        sum(words in same for words in given) / len(given),
        sum(phrase in phrases for phrase in mine) / len(mine) if mine else 0.0,
    )


def _phrases(words: tuple[str, ...], n: int) -> Iterator[tuple[str, ...]]:
    return (words[i : i + n] for i in range(len(words) - n + 1))
